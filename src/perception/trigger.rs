//! What makes events: state machines that take the readings of one stream, in the order of their
//! stamps, and say when something begins, ends or happens.
//!
//! Nothing in here counts readings where it means time: streams come at 1 Hz or 1 kHz, stamps
//! jitter, messages are lost. After a gap ([`pace`]) what was learned about a stream stays, what
//! was going on ends at the last reading before it.
//!
//! The measures of each kind, the most telling first; a `Begin` has what is known by then:
//!
//! | trigger | measures |
//! |---|---|
//! | contact | `peak` (of: the axis that had most of it; stamp), `mean`, `duration` (s), `impulse`; `settled` (s) when it never ended |
//! | impact | `peak` (of, stamp), `rise_rate` (of) |
//! | slip | `loss` (part of the force), `vibration` (rms), `force` (before it) |
//! | edge | `from`, `to` (texts `true`, `false`), `duration` (s) |
//! | change | `from`, `to` (texts) |
//! | motion | `distance` (of: a joint), up to three, the longest first; `peak` velocity (of, stamp), `duration` (s), `joints` (how many moved) |
//! | novelty | `shift` (sigmas; of: the channel), `before`, `after` (means), `channels` (how many) |
//! | keyframe | as `picture` says |
//! | periodic | `period` (s) |

mod change;
mod edge;
mod parameters;
mod periodic;

pub use parameters::{PARAMETERS, Parameter, ParameterError, parameters_of};

use super::{Edge, Measure, Signal, TriggerKind, TriggerSettings, Value};
use crate::model::Stamp;
use change::Changes;
use edge::Edges;
use periodic::Periodic;

/// What is seen in an image, when the stream has images.
pub type Look = ();

/// One trigger on one stream.
#[derive(Debug, Clone)]
pub struct Trigger(State);

#[derive(Debug, Clone)]
enum State {
    Edge(Edges),
    Change(Changes),
    Periodic(Periodic),
}

impl Trigger {
    /// A trigger that has seen nothing yet. `settings` may leave out any parameter.
    ///
    /// # Errors
    /// An unknown parameter, a value out of its bounds, or [`TriggerKind::Capture`].
    pub fn new(settings: &TriggerSettings) -> Result<Self, ParameterError> {
        parameters::check(settings)?;
        Ok(Self(match settings.kind {
            TriggerKind::Edge => State::Edge(Edges::new(settings)),
            TriggerKind::Change => State::Change(Changes::new(settings)),
            TriggerKind::Periodic => State::Periodic(Periodic::new(settings)),
            kind => return Err(ParameterError::ByCall(kind)),
        }))
    }

    /// Takes a reading; readings come in the order of their stamps, which may repeat. `look` is what
    /// is seen in the image, when `value` is one. A value of a kind that the trigger does not look
    /// at is passed over.
    pub fn take(
        &mut self,
        stamp: Stamp,
        value: &Value,
        _look: Option<&Look>,
        out: &mut Vec<Signal>,
    ) {
        match &mut self.0 {
            State::Edge(edges) => edges.take(stamp, value, out),
            State::Change(changes) => changes.take(stamp, value, out),
            State::Periodic(periodic) => periodic.take(stamp, out),
        }
    }

    /// The stream is over, at `stamp`: what was going on ends, and the trigger is as new.
    pub fn finish(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        match &mut self.0 {
            State::Edge(edges) => edges.finish(stamp, out),
            State::Change(changes) => changes.finish(),
            State::Periodic(periodic) => periodic.finish(),
        }
    }
}

fn signal(kind: TriggerKind, edge: Edge, stamp: Stamp, measures: Vec<Measure>) -> Signal {
    Signal { kind, edge, stamp, measures }
}

fn text(name: &'static str, of: String) -> Measure {
    Measure { name, value: f64::NAN, unit: String::new(), of, stamp: None }
}

fn duration(begin: Stamp, end: Stamp) -> Measure {
    let value = secs_between(begin, end);
    Measure { name: "duration", value, unit: "s".into(), of: String::new(), stamp: None }
}

/// Seconds from one stamp to another; negative when that is earlier.
fn secs_between(earlier: Stamp, later: Stamp) -> f64 {
    later.0.saturating_sub(earlier.0) as f64 / 1e9
}
