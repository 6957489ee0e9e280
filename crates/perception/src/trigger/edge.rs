use super::{parameters, signal, text};
use crate::{Edge, Measure, Signal, TriggerKind, TriggerSettings, Value};
use robot_memory_core::model::Stamp;

/// A boolean that changes: each rising edge begins a happening, the falling one ends it.
///
/// A boolean holds until it is told otherwise, so silence of any length changes nothing: many are
/// published only when they change. The first value that is seen is no edge, for nobody knows what
/// was before it; unless `first` says that to be true is a happening by itself, as of a stop.
#[derive(Debug, Clone)]
pub(super) struct Edges {
    channel: usize,
    with_falling: bool,
    with_first: bool,
    last: Option<bool>,
    risen: Option<Stamp>,
    /// Whether it was true when it was first seen.
    was_on: bool,
}

impl Edges {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        Self {
            channel: parameters::channel(settings).unwrap_or_default(),
            with_falling: parameters::number(settings, "falling") >= 0.5,
            with_first: parameters::number(settings, "first") >= 0.5,
            last: None,
            risen: None,
            was_on: false,
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, value: &Value, out: &mut Vec<Signal>) {
        let is_true = match value {
            Value::Bool(is_true) => *is_true,
            Value::Numbers(numbers) => match numbers.values.get(self.channel) {
                Some(number) if number.is_finite() => *number != 0.0,
                _ => return,
            },
            Value::Text(_) | Value::Image(_) | Value::Pose(_) | Value::Transforms(_) => return,
        };
        match (self.last.replace(is_true), is_true) {
            (Some(false), true) => {
                self.risen = Some(stamp);
                self.was_on = false;
                out.push(signal(TriggerKind::Edge, Edge::Begin, stamp, from_to(true)));
            }
            (None, true) if self.with_first => {
                self.risen = Some(stamp);
                self.was_on = true;
                out.push(signal(TriggerKind::Edge, Edge::Begin, stamp, from_unknown()));
            }
            (Some(true), false) => {
                self.end(stamp, out);
                if self.with_falling {
                    out.push(signal(TriggerKind::Edge, Edge::Once, stamp, from_to(false)));
                }
            }
            _ => {}
        }
    }

    pub(super) fn finish(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        self.end(stamp, out);
        self.last = None;
    }

    fn end(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Some(risen) = self.risen.take() {
            let mut measures = if self.was_on { from_unknown() } else { from_to(true) };
            measures.push(super::duration(risen, stamp));
            out.push(signal(TriggerKind::Edge, Edge::End, stamp, measures));
        }
    }
}

fn from_to(is_rising: bool) -> Vec<Measure> {
    vec![text("from", (!is_rising).to_string()), text("to", is_rising.to_string())]
}

/// What was before the first value nobody knows.
fn from_unknown() -> Vec<Measure> {
    vec![text("from", "unknown".to_owned()), text("to", true.to_string())]
}
