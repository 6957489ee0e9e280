use super::{parameters, signal, text};
use crate::{Edge, Signal, TriggerKind, TriggerSettings, Value};
use robot_memory_core::model::Stamp;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Characters of a text that a measure keeps.
const TEXT_CHARS_MAX: usize = 200;

/// A text that changes; a number or a boolean counts as its text.
///
/// As with edges, a text holds until another one comes, and the first one is no change.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    channel: usize,
    last: Option<LastText>,
}

/// A text that was read: what is shown of it, and what tells it from others.
#[derive(Debug, Clone)]
struct LastText {
    shown: String,
    bytes: usize,
    hash: u64,
}

impl LastText {
    fn of(whole: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        let shown = match whole.char_indices().nth(TEXT_CHARS_MAX) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole.to_owned(),
        };
        Self { shown, bytes: whole.len(), hash: hasher.finish() }
    }

    fn is(&self, other: &Self) -> bool {
        (self.bytes, self.hash) == (other.bytes, other.hash)
    }
}

impl Changes {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        Self { channel: parameters::channel(settings).unwrap_or_default(), last: None }
    }

    pub(super) fn take(&mut self, stamp: Stamp, value: &Value, out: &mut Vec<Signal>) {
        let seen = match value {
            Value::Text(whole) => LastText::of(whole),
            Value::Bool(is_true) => LastText::of(&is_true.to_string()),
            Value::Numbers(numbers) => match numbers.values.get(self.channel) {
                Some(number) if number.is_finite() => LastText::of(&number.to_string()),
                _ => return,
            },
            Value::Image(_)
            | Value::Pose(_)
            | Value::Transforms(_)
            | Value::Detections(_)
            | Value::Reports(_) => return,
        };
        match &self.last {
            Some(last) if last.is(&seen) => {}
            Some(last) => {
                let measures =
                    vec![text("from", last.shown.clone()), text("to", seen.shown.clone())];
                out.push(signal(TriggerKind::Change, Edge::Once, stamp, measures));
                self.last = Some(seen);
            }
            None => self.last = Some(seen),
        }
    }
}
