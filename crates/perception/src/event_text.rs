//! An activity by itself as the recorder tells it: its sentence, and what of it can be filtered by.

use super::describe::{EventFacts, Sense, Subject, part_of_robot};
use super::facts::facts;
use super::span::secs_between;
use super::{Measure, StreamSettings, TriggerKind};
use robot_memory_core::model::Stamp;
use serde_json::{Map, Value, json};

/// Something that happened on one stream, with nothing beside it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy)]
pub struct Activity<'a> {
    pub settings: &'a StreamSettings,
    /// What the stream tells of.
    pub sense: Sense,
    /// What made the event.
    pub kind: TriggerKind,
    pub begin: Stamp,
    pub end: Stamp,
    pub measures: &'a [Measure],
}

/// The sentence that is stored of an activity, and its context.
pub fn event_text(activity: &Activity<'_>) -> (String, Value) {
    let Activity { settings, sense, kind, begin, end, measures } = *activity;
    let subject = Subject::new(&settings.name, &settings.topic, sense);
    let secs = Some(secs_between(begin, end)).filter(|secs| *secs > 0.0);
    let sentence = EventFacts {
        subject: &subject,
        kind,
        begin,
        secs,
        goes_on: false,
        measures,
        count: 1,
        beside: &[],
        reason: "",
    }
    .sentence();
    (sentence, json!({"event": event_of(settings, &subject, kind, measures, secs)}))
}

/// What `context.event` says but for its id.
pub(super) fn event_of(
    settings: &StreamSettings,
    subject: &Subject,
    kind: TriggerKind,
    measures: &[Measure],
    secs: Option<f64>,
) -> Map<String, Value> {
    let mut event = facts(kind, measures, secs);
    event.insert("stream".into(), settings.name.as_str().into());
    event.insert("topic".into(), settings.topic.as_str().into());
    event.insert("subject".into(), part_of_robot(subject, kind, measures).into());
    event.insert("trigger".into(), kind.as_str().into());
    event
}
