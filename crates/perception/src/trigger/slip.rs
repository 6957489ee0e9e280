use super::channel_reader::{ChannelReader, FeltVector, approach, minus, norm};
use super::contact::Contact;
use super::pace::{Pace, Step};
use super::robust::weight;
use super::{measure, parameters, signal};
use crate::span::secs_between;
use crate::{Edge, Numbers, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// Time constant of the force in the grip; vibration is what is faster (5 Hz).
const GRIP_SECS: f64 = 0.03;
/// Time constant of the mean square of vibration.
const VIBRATION_SECS: f64 = 0.03;
/// A loss is measured against the greatest force of so long before; it is quick.
const QUICK_SECS: f64 = 0.15;
/// A touch that begins or ends shakes, too: nothing is told so soon after and before.
const AFTER_BEGIN_SECS: f64 = 0.35;
const BEFORE_END_SECS: f64 = 0.2;
/// Time constant in which the vibration at rest is followed.
const NOISE_SECS: f64 = 10.0;

/// Something held that moves in the grip.
///
/// While there is a touch (as by the trigger contact) of the force `F` over a few tens of milliseconds,
/// something slips when the vibration, the root of the mean square of what is faster than `F`, exceeds
/// `max(vibration * F, sigmas * that at rest)`, or when `F` falls within 0.15 s by more than
/// `max(loss * F, sigmas * the noise at rest)` without being released. Told only when the touch is still
/// there 0.2 s later. After Romano, Hsiao, Niemeyer, Chitta and Kuchenbecker, "Human-inspired robotic
/// grasp control with tactile sensing", IEEE Transactions on Robotics 27(6), 2011: a disturbance of the
/// force above 5 Hz, compared with the force in the grip.
#[derive(Debug, Clone, Default)]
pub(super) struct Slip {
    loss: f64,
    vibration: f64,
    sigmas: f64,
    rest_secs: f64,
    contact: Contact,
    reader: ChannelReader,
    pace: Pace,
    grip: FeltVector,
    lag: FeltVector,
    mean_square: f64,
    rest_mean_square: f64,
    known_secs: f64,
    greatest: f64,
    open: Option<Suspected>,
    last: Option<Stamp>,
}

#[derive(Debug, Clone)]
struct Suspected {
    begin: Stamp,
    before: f64,
    least: f64,
    vibration: f64,
}

impl Slip {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        let mut of_contact = BTreeMap::new();
        if let Some(channel) = parameters::value(settings, "channel") {
            of_contact.insert("channel".to_owned(), channel);
        }
        // What is held for long is held still: it must not become the state at rest.
        of_contact.insert("settle_secs".to_owned(), 600.0);
        let of_contact = TriggerSettings { kind: TriggerKind::Contact, parameters: of_contact };
        Self {
            loss: number("loss"),
            vibration: number("vibration"),
            sigmas: number("sigmas"),
            rest_secs: number("rest_secs"),
            contact: Contact::new(&of_contact),
            reader: ChannelReader::new(parameters::channel(settings)),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        self.contact.take(stamp, numbers, &mut Vec::new());
        let Some((felt, has_new_layout)) = self.reader.read(numbers) else { return };
        if has_new_layout {
            self.restart();
        }
        let secs = match self.pace.step(stamp) {
            Step::Next(0.0) => return,
            Step::Next(secs) => secs,
            Step::First | Step::Gap(_) => {
                self.restart();
                self.grip = felt;
                return;
            }
        };
        // What is faster than the grip, less its own mean: a grip that tightens steadily lags by one.
        // Slow streams have hardly any vibration.
        let part = weight(secs, GRIP_SECS);
        let fast = minus(&felt, &self.grip);
        approach(&mut self.grip, &felt, part, f64::INFINITY);
        let vibrating = minus(&fast, &self.lag);
        approach(&mut self.lag, &fast, part, f64::INFINITY);
        let square = norm(&vibrating).powi(2) * (1.0 - part).powi(2);
        self.mean_square += weight(secs, VIBRATION_SECS) * (square - self.mean_square);

        let Some((rest, _)) = self.contact.rest() else { return };
        let (level, noise) = (rest.level, rest.noise());
        let force = norm(&minus(&self.grip, &level));
        let Some(since) = self.contact.touched_since() else {
            self.open = None;
            self.greatest = force;
            self.known_secs += secs;
            let reach =
                if self.known_secs < 2.0 { f64::INFINITY } else { 9.0 * self.rest_mean_square };
            let part = weight(secs, NOISE_SECS.min(self.known_secs));
            self.rest_mean_square += part * (self.mean_square.min(reach) - self.rest_mean_square);
            return;
        };
        self.greatest += weight(secs, QUICK_SECS) * (force - self.greatest);
        self.greatest = self.greatest.max(force);
        let vibration = self.mean_square.sqrt();

        if let Some(open) = &mut self.open {
            open.least = open.least.min(force);
            open.vibration = open.vibration.max(vibration);
            if secs_between(open.begin, stamp) >= BEFORE_END_SECS {
                let open = self.open.take();
                if let Some(open) = open.filter(|open| force >= 0.2 * open.before) {
                    self.last = Some(stamp);
                    out.push(self.signal(&open));
                }
            }
            return;
        }
        let shakes = vibration
            > f64::max(self.vibration * force, self.sigmas * self.rest_mean_square.sqrt());
        let loses =
            self.greatest - force > f64::max(self.loss * self.greatest, self.sigmas * noise);
        let is_early = secs_between(since, stamp) < AFTER_BEGIN_SECS;
        let is_rested = self.last.is_none_or(|last| secs_between(last, stamp) >= self.rest_secs);
        if (shakes || loses) && !is_early && is_rested {
            let before = self.greatest;
            self.open = Some(Suspected { begin: stamp, before, least: force, vibration });
        }
    }

    fn restart(&mut self) {
        (self.mean_square, self.rest_mean_square, self.known_secs) = (0.0, 0.0, 0.0);
        self.lag = [0.0; 3];
        self.greatest = 0.0;
        self.open = None;
        self.last = None;
    }

    fn signal(&self, open: &Suspected) -> Signal {
        let unit = self.reader.unit();
        let loss = ((open.before - open.least) / open.before).clamp(0.0, 1.0);
        let measures = vec![
            measure("loss", loss, ""),
            measure("vibration", open.vibration, unit),
            measure("force", open.before, unit),
        ];
        signal(TriggerKind::Slip, Edge::Once, open.begin, measures)
    }
}
