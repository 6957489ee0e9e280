//! What an import came to.

use super::event_writer::Outcome;
use super::listening::Listening;
use super::pace::Pace;
use robot_memory_core::model::Stamp;
use robot_memory_perception::{Recorder, StreamCounts};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What became of one bag.
pub(in crate::faces) struct Report {
    pub bag: String,
    /// The time from the bag's first message to its last.
    pub span: Option<(Stamp, Stamp)>,
    pub sim_or_real: String,
    /// By what it was taken as that.
    pub sim_or_real_why: String,
    /// Topics of the robot's pose; empty: none.
    pub poses: String,
    pub pace: Pace,
    /// `None`: nothing was to be stored.
    pub outcome: Option<Outcome>,
    pub streams: Vec<Line>,
    /// What was not listened to, or left out, and why.
    pub notes: Vec<String>,
    /// What of the bag could not be read.
    pub problems: Vec<String>,
}

/// One stream.
#[derive(Serialize)]
pub(in crate::faces) struct Line {
    #[serde(rename = "stream")]
    pub name: String,
    pub topic: String,
    pub messages: u64,
    #[serde(serialize_with = "by_name")]
    pub events: Vec<(&'static str, u64)>,
    /// Messages and events that were left out, by why.
    #[serde(serialize_with = "by_name")]
    pub dropped: Vec<(&'static str, u64)>,
}

impl Report {
    /// Notes what became of each stream. `untimed` are messages from before the first of `/clock`.
    pub(super) fn streams(&mut self, listening: &Listening, recorder: &Recorder, untimed: u64) {
        if untimed > 0 {
            self.notes.push(format!("{untimed} messages came before the first of /clock"));
        }
        for (stream, counts) in listening.streams.iter().zip(recorder.counts()) {
            if !counts.problem.is_empty() {
                self.notes.push(format!("{}: {}", stream.topic, counts.problem));
            }
            self.streams.push(Line {
                name: stream.name.clone(),
                topic: stream.topic.clone(),
                messages: counts.messages,
                events: counts.events.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
                dropped: dropped(counts),
            });
        }
        let pose = recorder.pose_counts();
        if !pose.problem.is_empty() {
            self.notes.push(format!("pose: {} messages: {}", pose.undecodable, pose.problem));
        }
    }

    /// Notes what a dry run would not have stored, by why.
    pub(super) fn refused(&mut self, refused: BTreeMap<String, u64>) {
        let refusals =
            refused.into_iter().map(|(reason, count)| format!("{count} times: {reason}"));
        self.notes.extend(refusals);
    }

    /// Whether some of the bag could not be read.
    pub fn is_damaged(&self) -> bool {
        !self.problems.is_empty()
    }

    /// All of it as a JSON object.
    pub fn json(&self) -> Value {
        let outcome = self.outcome.as_ref();
        json!({
            "bag": self.bag,
            "begin": self.span.map(|(begin, _)| begin.rfc_3339()),
            "end": self.span.map(|(_, end)| end.rfc_3339()),
            "sim_or_real": self.sim_or_real,
            "sim_or_real_why": self.sim_or_real_why,
            "poses": self.poses,
            "messages": self.pace.messages,
            "secs": self.pace.secs,
            "times_real_time": self.pace.times_real_time(),
            "streams": self.streams,
            "stored": outcome.map(|outcome| outcome.stored),
            "known": outcome.map(|outcome| outcome.known),
            "placed": outcome.map(|outcome| outcome.placed),
            "clips": outcome.map(|outcome| outcome.clips),
            "refused": outcome.map(|outcome| &outcome.refused),
            "without_clip": outcome.map(|outcome| &outcome.without_clip),
            "session_id": outcome.and_then(|outcome| outcome.session_id.clone()),
            "notes": self.notes,
            "problems": self.problems,
        })
    }
}

fn by_name<S: Serializer>(counts: &[(&'static str, u64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.iter().copied())
}

/// Messages and events that were left out, by why.
fn dropped(counts: &StreamCounts) -> Vec<(&'static str, u64)> {
    let all = [
        ("late", counts.late),
        ("unreadable", counts.undecodable),
        ("over rate_max_hz", counts.over_rate),
        ("over events_per_minute_max", counts.over_minute),
        ("over events_per_day_max", counts.over_day),
        ("reports left out", counts.reports_left_out),
        ("cut short", counts.cut_short),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}
