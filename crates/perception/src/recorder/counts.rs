use crate::TriggerKind;
use std::collections::BTreeMap;

/// What became of a stream's messages and events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Messages that came.
    pub messages: u64,
    /// Of those, stamped by when they came: they have no stamp, or one that cannot be.
    pub stamped_on_receipt: u64,
    /// Of those, dropped: older than what this stream had said before.
    pub late: u64,
    /// Of those, with the stamp of the one before: what measures how fast something changes passes them over.
    pub repeated: u64,
    /// Of those, not looked at: more than `rate_max_hz`.
    pub over_rate: u64,
    /// Of those, not readable.
    pub undecodable: u64,
    /// What was wrong with the last one that was not readable; empty when none was.
    pub problem: String,
    /// Events by what made them, without those that were dropped.
    pub events: BTreeMap<TriggerKind, u64>,
    /// Activities that became part of an event before them.
    pub merged: u64,
    /// Events dropped: more than `events_per_minute_max`.
    pub over_minute: u64,
    /// Events dropped: more than `events_per_day_max`.
    pub over_day: u64,
    /// Reports passed over: too many others were in trouble.
    pub reports_left_out: u64,
    /// Events closed before their time because too many were open.
    pub cut_short: u64,
}

impl StreamCounts {
    /// Counts a message that cannot be used.
    pub(super) fn unusable(&mut self, problem: impl ToString) {
        self.undecodable += 1;
        self.problem = problem.to_string();
    }
}
