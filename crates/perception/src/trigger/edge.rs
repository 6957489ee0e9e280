use super::{parameters, signal, text};
use crate::{Edge, Measure, Signal, TriggerKind, TriggerSettings, Value};
use robot_memory_core::model::Stamp;

/// A boolean that changes: each rising edge begins an activity, the falling one ends it.
///
/// A boolean holds until it is told otherwise, so silence of any length changes nothing: many are
/// published only when they change. The first value that is seen is no edge, for nobody knows what
/// was before it; unless `first` says that to be true is an activity by itself, as of a stop.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    channel: usize,
    with_falling: bool,
    with_first: bool,
    last: Option<bool>,
    /// When it rose, and from what.
    risen: Option<(Stamp, &'static str)>,
}

impl Edges {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        Self {
            channel: parameters::channel(settings).unwrap_or_default(),
            with_falling: parameters::number(settings, "falling") >= 0.5,
            with_first: parameters::number(settings, "first") >= 0.5,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, value: &Value, out: &mut Vec<Signal>) {
        let is_true = match value {
            Value::Bool(is_true) => *is_true,
            Value::Numbers(numbers) => match numbers.values.get(self.channel) {
                Some(number) if number.is_finite() => *number != 0.0,
                _ => return,
            },
            Value::Text(_)
            | Value::Image(_)
            | Value::Pose(_)
            | Value::Transforms(_)
            | Value::Detections(_)
            | Value::Reports(_) => return,
        };
        match (self.last.replace(is_true), is_true) {
            (Some(false), true) => self.begin(stamp, "false", out),
            // What was before the first value nobody knows.
            (None, true) if self.with_first => self.begin(stamp, "unknown", out),
            (Some(true), false) => {
                self.end(stamp, out);
                if self.with_falling {
                    out.push(signal(
                        TriggerKind::Edge,
                        Edge::Once,
                        stamp,
                        from_to("true", "false"),
                    ));
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, stamp: Stamp, from: &'static str, out: &mut Vec<Signal>) {
        self.risen = Some((stamp, from));
        out.push(signal(TriggerKind::Edge, Edge::Begin, stamp, from_to(from, "true")));
    }

    pub(super) fn end(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Some((risen, from)) = self.risen.take() {
            let mut measures = from_to(from, "true");
            measures.push(super::duration(risen, stamp));
            out.push(signal(TriggerKind::Edge, Edge::End, stamp, measures));
        }
    }
}

fn from_to(from: &str, to: &str) -> Vec<Measure> {
    vec![text("from", from.to_owned()), text("to", to.to_owned())]
}
