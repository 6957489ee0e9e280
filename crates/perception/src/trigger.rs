//! What makes events: state machines that take the readings of one stream, in the order of their
//! stamps, and say when something begins, ends or happens.
//!
//! Nothing in here counts readings where it means time: streams come at 1 Hz or 1 kHz, stamps
//! jitter, messages are lost. After a gap (`pace.rs`) what was going on ends at the last reading before
//! it, and a level at rest is learned again.
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
//! | keyframe | `difference` (from the last one kept; not of the first), `sharpness`, `brightness` |
//! | level | `level`, `name`, `text` (texts, of the worst), `count`; `worse_than` (text) of what became worse; at the end `duration` (s), and `to` of a component that came back |
//! | threshold | `extreme` (of: a channel, when there are several; stamp), `bound` (of: `below`, `above`), `duration` (s) |
//! | charge | `state` (text), `charge` (%), `from` (%), `duration` (s) |
//! | stuck | `commanded` (m/s or rad/s), `duration` (s) |
//! | drive | `travelled` (m), `peak` (m/s; stamp), `duration` (s) |
//! | takeover | `duration` (s) |
//! | periodic | `period` (s) |

mod baseline;
mod change;
mod channel_reader;
mod charge;
mod contact;
mod driving;
mod edge;
mod impact;
mod level;
mod motion;
mod novelty;
mod pace;
mod parameters;
mod periodic;
mod robust;
mod slip;
mod threshold;

#[cfg(test)]
mod generator;
#[cfg(test)]
mod tests;

pub use parameters::{PARAMETERS, Parameter, parameters_of};

use super::picture::{Appearance, KeyframeSettings, Keyframes};
use super::span::secs_between;
use super::{Edge, Measure, SettingsError, Signal, TriggerKind, TriggerSettings, Value};
use change::Changes;
use charge::Charge;
use contact::Contact;
pub(crate) use driving::Place;
use driving::{Drive, Stuck, Takeover};
use edge::Edges;
use impact::Impact;
use level::Levels;
use motion::Motion;
use novelty::Novelty;
use periodic::Periodic;
use robot_memory_core::model::Stamp;
use slip::Slip;
use threshold::Threshold;

/// What is known beside a reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct BesideReading<'a> {
    /// Of the image, when the reading is one.
    pub appearance: Option<&'a Appearance>,
    /// Where the robot is, when a trigger asks for it ([`Trigger::wants_place`]): x and y (m), heading (rad).
    pub place: Option<[f64; 3]>,
}

/// One trigger on one stream.
#[derive(Debug, Clone)]
pub struct Trigger {
    state: State,
    /// One that has seen nothing.
    fresh: State,
}

#[derive(Debug, Clone)]
enum State {
    Contact(Box<Contact>),
    Impact(Box<Impact>),
    Slip(Box<Slip>),
    Edge(Edges),
    Change(Changes),
    Motion(Box<Motion>),
    Novelty(Box<Novelty>),
    Keyframe(Box<Keyframes>),
    Level(Levels),
    Threshold(Box<Threshold>),
    Charge(Charge),
    Stuck(Stuck),
    Drive(Drive),
    Takeover(Box<Takeover>),
    Periodic(Periodic),
}

impl Trigger {
    /// A trigger that has seen nothing yet. `settings` may leave out any parameter.
    ///
    /// # Errors
    /// An unknown parameter, a value out of its bounds, or [`TriggerKind::Capture`].
    pub fn new(settings: &TriggerSettings) -> Result<Self, SettingsError> {
        parameters::check(settings)?;
        let fresh = match settings.kind {
            TriggerKind::Contact => State::Contact(Box::new(Contact::new(settings))),
            TriggerKind::Impact => State::Impact(Box::new(Impact::new(settings))),
            TriggerKind::Slip => State::Slip(Box::new(Slip::new(settings))),
            TriggerKind::Edge => State::Edge(Edges::new(settings)),
            TriggerKind::Change => State::Change(Changes::new(settings)),
            TriggerKind::Motion => State::Motion(Box::new(Motion::new(settings))),
            TriggerKind::Novelty => State::Novelty(Box::new(Novelty::new(settings))),
            TriggerKind::Level => State::Level(Levels::new(settings)),
            TriggerKind::Threshold => State::Threshold(Box::new(Threshold::new(settings))),
            TriggerKind::Charge => State::Charge(Charge::new(settings)),
            TriggerKind::Stuck => State::Stuck(Stuck::new(settings)),
            TriggerKind::Drive => State::Drive(Drive::new(settings)),
            TriggerKind::Takeover => State::Takeover(Box::new(Takeover::new(settings))),
            TriggerKind::Periodic => State::Periodic(Periodic::new(settings)),
            TriggerKind::Keyframe => {
                let number = |name| parameters::number(settings, name);
                let settings = KeyframeSettings {
                    difference: number("difference"),
                    min_secs: number("min_secs"),
                    max_secs: number("max_secs"),
                    sharpness_ratio: number("sharpness_ratio"),
                };
                State::Keyframe(Box::new(Keyframes::new(settings)))
            }
            TriggerKind::Capture => return Err(parameters::by_call(settings.kind)),
        };
        Ok(Self { state: fresh.clone(), fresh })
    }

    /// Takes a reading; readings come in the order of their stamps, which may repeat. A value of a kind that the trigger does not look
    /// at is passed over.
    pub fn take(
        &mut self,
        stamp: Stamp,
        value: &Value,
        beside: BesideReading<'_>,
        out: &mut Vec<Signal>,
    ) {
        match (&mut self.state, value) {
            (State::Edge(edges), _) => edges.take(stamp, value, out),
            (State::Change(changes), _) => changes.take(stamp, value, out),
            (State::Periodic(periodic), _) => periodic.take(stamp, out),
            (State::Contact(contact), Value::Numbers(numbers)) => contact.take(stamp, numbers, out),
            (State::Impact(impact), Value::Numbers(numbers)) => impact.take(stamp, numbers, out),
            (State::Slip(slip), Value::Numbers(numbers)) => slip.take(stamp, numbers, out),
            (State::Motion(motion), Value::Numbers(numbers)) => motion.take(stamp, numbers, out),
            (State::Novelty(novelty), Value::Numbers(numbers)) => novelty.take(stamp, numbers, out),
            (State::Level(levels), Value::Reports(reports)) => levels.take(stamp, reports, out),
            (State::Threshold(threshold), Value::Numbers(numbers)) => {
                threshold.take(stamp, numbers, out);
            }
            (State::Charge(charge), Value::Numbers(numbers)) => charge.take(stamp, numbers, out),
            (State::Stuck(stuck), Value::Numbers(numbers)) => {
                stuck.take(stamp, numbers, beside.place, out);
            }
            (State::Drive(drive), Value::Numbers(numbers)) => drive.take(stamp, numbers, out),
            (State::Takeover(takeover), Value::Numbers(numbers)) => {
                takeover.take(stamp, numbers, out);
            }
            (State::Keyframe(keyframes), _) => {
                if let Some(appearance) = beside.appearance {
                    keyframes.take(stamp, appearance, out);
                }
            }
            _ => {}
        }
    }

    /// Whether it looks at where the robot is.
    pub const fn wants_place(&self) -> bool {
        matches!(self.state, State::Stuck(_))
    }

    /// What it passed over because it followed too much at a time.
    pub const fn left_out(&self) -> u64 {
        match &self.state {
            State::Level(levels) => levels.left_out(),
            _ => 0,
        }
    }

    /// The stream is over, at `stamp`: what was going on ends, and the trigger is as new.
    pub fn finish(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        match &mut self.state {
            State::Contact(contact) => {
                contact.end_at(stamp, out);
            }
            State::Impact(impact) => impact.emit(out),
            State::Motion(motion) => motion.finish(stamp, out),
            State::Edge(edges) => edges.end(stamp, out),
            State::Drive(drive) => drive.end(out),
            State::Threshold(threshold) => threshold.end(stamp, out),
            State::Stuck(stuck) => stuck.end(stamp, out),
            State::Takeover(takeover) => takeover.end(stamp, out),
            State::Slip(_)
            | State::Novelty(_)
            | State::Change(_)
            | State::Keyframe(_)
            | State::Level(_)
            | State::Charge(_)
            | State::Periodic(_) => {}
        }
        self.state.clone_from(&self.fresh);
    }
}

fn signal(kind: TriggerKind, edge: Edge, stamp: Stamp, measures: Vec<Measure>) -> Signal {
    Signal { kind, part: 0, edge, stamp, measures }
}

fn text(name: &'static str, of: String) -> Measure {
    Measure { name, value: f64::NAN, unit: String::new(), of, stamp: None }
}

fn measure(name: &'static str, value: f64, unit: &str) -> Measure {
    Measure { name, value, unit: unit.to_owned(), of: String::new(), stamp: None }
}

fn duration(begin: Stamp, end: Stamp) -> Measure {
    measure("duration", secs_between(begin, end), "s")
}
