//! What an import came to, for people or as JSON.

use super::listening::Listening;
use super::progress::Pace;
use super::saving::Outcome;
use crate::faces::cli::failure::Failure;
use crate::faces::cli::output::Output;
use crate::faces::cli::table::{Side, Table};
use crate::faces::cli::values::{rfc_3339, rfc_3339_secs, visible};
use crate::model::Stamp;
use crate::perception::{Event, Recorder, StreamCounts};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What became of one bag.
pub struct Report {
    bag: String,
    span: Option<(Stamp, Stamp)>,
    sim_or_real: String,
    pace: Pace,
    /// `None`: nothing was to be stored.
    outcome: Option<Outcome>,
    streams: Vec<Line>,
    notes: Vec<String>,
    problems: Vec<String>,
}

/// One stream.
struct Line {
    name: String,
    topic: String,
    messages: u64,
    events: Vec<(&'static str, u64)>,
    dropped: Vec<(&'static str, u64)>,
}

impl Report {
    pub fn new(
        bag: &Path,
        span: Option<(Stamp, Stamp)>,
        sim_or_real: &str,
        pace: Pace,
        outcome: Option<Outcome>,
    ) -> Self {
        Self {
            bag: bag.display().to_string(),
            span,
            sim_or_real: sim_or_real.to_owned(),
            pace,
            outcome,
            streams: Vec::new(),
            notes: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Notes what became of each stream. `untimed` are messages from before the first of `/clock`.
    pub fn streams(&mut self, listening: &Listening, recorder: &Recorder, untimed: u64) {
        self.notes.extend(listening.notes().iter().cloned());
        if untimed > 0 {
            self.notes.push(format!("{untimed} messages came before the first of /clock"));
        }
        for (stream, counts) in listening.streams().iter().zip(recorder.counts()) {
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
    pub fn refused(&mut self, refused: BTreeMap<String, u64>) {
        let told = refused.into_iter().map(|(reason, count)| format!("{count} times: {reason}"));
        self.notes.extend(told);
    }

    /// Notes what of the bag could not be read.
    pub fn problems(&mut self, problems: Vec<String>) {
        self.problems = problems;
    }

    /// Whether some of the bag could not be read.
    pub fn is_damaged(&self) -> bool {
        !self.problems.is_empty()
    }

    pub fn show(&self, is_json: bool, output: &mut Output) -> Result<(), Failure> {
        if is_json {
            output.json_line(&self.json())?;
            output.finish()
        } else {
            output.text(&self.text())
        }
    }

    fn text(&self) -> String {
        let mut table = Table::new(&[
            ("stream", Side::Left),
            ("messages", Side::Right),
            ("events", Side::Left),
            ("dropped", Side::Left),
        ]);
        for line in &self.streams {
            let cells = [
                visible(&line.name),
                line.messages.to_string(),
                counted(&line.events),
                counted(&line.dropped),
            ];
            table.row(cells, Vec::new());
        }
        let mut text = table.render(0);
        let Pace { messages, secs, bag_secs } = self.pace;
        text.push_str(&format!(
            "{}: {messages} messages of {bag_secs:.1} s in {secs:.1} s: {:.0} a second, {:.0} times \
             real time\n",
            visible(&self.bag),
            self.pace.messages_per_sec(),
            self.pace.times_real_time(),
        ));
        if let Some(outcome) = &self.outcome {
            text.push_str(&format!(
                "{} memories stored, {} were there before, {} clips, {}\n",
                outcome.stored, outcome.known, outcome.clips, self.sim_or_real
            ));
            for (reason, count) in outcome.refused.iter().chain(&outcome.without_clip) {
                text.push_str(&format!("{count} times: {}\n", visible(reason)));
            }
        }
        for line in self.notes.iter().chain(&self.problems) {
            text.push_str(&format!("{}\n", visible(line)));
        }
        text
    }

    fn json(&self) -> Value {
        let map = |counts: &[(&'static str, u64)]| -> Map<String, Value> {
            counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect()
        };
        let streams: Vec<Value> = self
            .streams
            .iter()
            .map(|line| {
                json!({
                    "stream": line.name,
                    "topic": line.topic,
                    "messages": line.messages,
                    "events": map(&line.events),
                    "dropped": map(&line.dropped),
                })
            })
            .collect();
        let outcome = self.outcome.as_ref();
        json!({
            "bag": self.bag,
            "begin": self.span.map(|(begin, _)| rfc_3339(begin)),
            "end": self.span.map(|(_, end)| rfc_3339(end)),
            "sim_or_real": self.sim_or_real,
            "messages": self.pace.messages,
            "secs": self.pace.secs,
            "times_real_time": self.pace.times_real_time(),
            "streams": streams,
            "stored": outcome.map(|outcome| outcome.stored),
            "known": outcome.map(|outcome| outcome.known),
            "clips": outcome.map(|outcome| outcome.clips),
            "refused": outcome.map(|outcome| &outcome.refused),
            "without_clip": outcome.map(|outcome| &outcome.without_clip),
            "session_id": outcome.and_then(|outcome| outcome.session_id.clone()),
            "notes": self.notes,
            "problems": self.problems,
        })
    }
}

/// Messages and events that were left out, by why.
fn dropped(counts: &StreamCounts) -> Vec<(&'static str, u64)> {
    let all = [
        ("late", counts.late),
        ("unreadable", counts.undecodable),
        ("over rate_max_hz", counts.over_rate),
        ("over events_per_minute_max", counts.over_minute),
        ("over events_per_day_max", counts.over_day),
        ("cut short", counts.cut_short),
    ];
    all.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// `contact 3, impact 1`
fn counted(counts: &[(&'static str, u64)]) -> String {
    let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}

/// Shows what a dry run would have stored.
pub fn show_events(events: &[Event], is_json: bool, output: &mut Output) -> Result<(), Failure> {
    if is_json {
        for event in events {
            output.json_line(&json!({
                "created_at": rfc_3339(event.stamp),
                "end": rfc_3339(event.end),
                "event_id": event.event_id,
                "stream": event.stream,
                "topic": event.topic,
                "trigger": event.trigger.as_str(),
                "perception_type": event.perception_type.as_str(),
                "importance": event.importance,
                "content": event.description,
            }))?;
        }
        return output.finish();
    }
    let mut table = Table::new(&[
        ("created_at", Side::Left),
        ("stream", Side::Left),
        ("trigger", Side::Left),
        ("content", Side::Left),
    ]);
    for event in events {
        let cells = [
            rfc_3339_secs(event.stamp),
            visible(&event.stream),
            event.trigger.as_str().to_owned(),
            visible(&event.description),
        ];
        table.row(cells, Vec::new());
    }
    output.text(&table.render(0))
}
