use super::{measure, parameters, signal};
use crate::{Edge, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;

/// Time that has passed: the first reading of each period.
///
/// Periods are counted from the epoch of the stamps, so that who listens from the middle on tells of
/// the same readings. The period in which listening begins is not told of.
#[derive(Debug, Clone)]
pub(super) struct Periodic {
    period_nanos: i64,
    last: Option<i64>,
}

impl Periodic {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let period_nanos = (parameters::number(settings, "period_secs") * 1e9) as i64;
        Self { period_nanos: period_nanos.max(1), last: None }
    }

    pub(super) fn take(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        let period = stamp.0.div_euclid(self.period_nanos);
        if self.last.is_some_and(|last| period > last) {
            let secs = self.period_nanos as f64 / 1e9;
            let measures = vec![measure("period", secs, "s")];
            out.push(signal(TriggerKind::Periodic, Edge::Once, stamp, measures));
        }
        self.last = Some(period);
    }
}
