use super::channel_reader::{ChannelReader, FeltVector, approach, minus, norm};
use super::contact::Contact;
use super::pace::{Pace, Step};
use super::robust::weight;
use super::{measure, parameters, signal};
use crate::span::secs_between;
use crate::{Edge, Measure, Numbers, Quantity, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;

/// Rise in a second that is an impact on a stream without noise: a hand that presses stays below.
const FORCE_RATE_MIN: f64 = 50.0;
const ACCELERATION_RATE_MIN: f64 = 200.0;
/// An impact is over when it was not felt more for so long; and of a body, which is weightless for a while
/// before it is hit, when it was quiet as well. It never lasts longer than the second.
const PEAK_SECS: f64 = 0.1;
const PEAK_SECS_MAX: f64 = 2.0;
/// What rings gets less: what exceeds the peak before by this factor is another impact.
const MORE: f64 = 1.5;
/// A force of less, N, that rises at once and stays is a touch: a hand that takes hold, a thing set down.
const TOUCH_MAX: f64 = 19.0;
/// Part of the peak that is left of what stays; and time constant in which that is known.
const STAYS_PART: f64 = 0.75;
const STAYS_SECS: f64 = 0.05;
/// Time constant in which the usual rise is followed, and readings before anything is told.
const NOISE_SECS: f64 = 10.0;
const LEARN_SECS: f64 = 1.0;
const LEARN_READINGS_MIN: f64 = 5.0;
/// Rises beyond this many times the usual one count as this many.
const REACH: f64 = 3.0;
/// The same while the usual one is learned.
const REACH_FIRST: f64 = 10.0;
/// One reading alone is a fault of a sensor that reads so often.
const FAULT_SECS: f64 = 0.005;
/// Readings kept to measure a rise over, whatever the rate.
const RECENT_MAX: usize = 256;

/// A force, or an acceleration, that rises faster than by handling.
///
/// The rise in a second is `|x(t) - x(t - rise_secs)| / rise_secs` of the vector that is felt, so that
/// gravity and drift, which are slow, do not matter. It makes an impact at `max(sigmas * its own usual
/// value (root of the mean square), rate)`. One impact rings: another is told only after `rest_secs`
/// without such a rise. A force that falls back toward that at rest (as by the trigger contact) is let
/// go, however fast.
#[derive(Debug, Clone, Default)]
pub(super) struct Impact {
    rate: Option<f64>,
    sigmas: f64,
    rise_secs: f64,
    rest_secs: f64,
    reader: ChannelReader,
    pace: Pace,
    recent: VecDeque<(Stamp, FeltVector)>,
    mean_square: f64,
    known_secs: f64,
    readings: f64,
    /// The first of the readings in a row that rise fast; and whether nothing but zero was felt before it.
    fast: Option<Stamp>,
    is_first: bool,
    /// Of a force: it knows the state at rest.
    contact: Contact,
    open: Option<Hit>,
    last: Option<Stamp>,
    last_peak: f64,
}

#[derive(Debug, Clone)]
struct Hit {
    begin: Stamp,
    before: FeltVector,
    /// What is felt at rest, when that is sure.
    rest: Option<FeltVector>,
    peak: f64,
    peak_at: Stamp,
    peak_deviation: FeltVector,
    rate: f64,
    /// When it last rose fast.
    fast: Stamp,
    /// Whether nothing but zero was felt before.
    is_first: bool,
    /// What is felt more than before, over a moment.
    left: FeltVector,
}

impl Hit {
    /// Whether the force is nearer to that at rest than before; to none, while that is not known.
    fn is_release(&self) -> bool {
        let rest = self.rest.unwrap_or_default();
        let before = minus(&self.before, &rest);
        let after = std::array::from_fn(|axis| before[axis] + self.peak_deviation[axis]);
        norm(&after) < norm(&before)
    }

    /// Whether most of the peak stayed.
    fn stays(&self) -> bool {
        norm(&self.left) >= STAYS_PART * self.peak
    }
}

impl Impact {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            rate: parameters::value(settings, "rate"),
            sigmas: number("sigmas"),
            rise_secs: number("rise_secs"),
            rest_secs: number("rest_secs"),
            reader: ChannelReader::new(parameters::channel(settings)),
            contact: Contact::new(&of_contact(settings)),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let is_force = self.reader.quantity() == Quantity::Force;
        // As it was before this reading.
        let rest = self.contact.rest().filter(|(_, is_sure)| *is_sure).map(|(rest, _)| rest.level);
        if is_force {
            self.contact.take(stamp, numbers, &mut Vec::new());
        }
        let Some((felt, has_new_layout)) = self.reader.read(numbers) else { return };
        if has_new_layout {
            self.emit(out);
            self.restart();
        }
        let secs = match self.pace.step(stamp) {
            Step::Next(0.0) => return,
            Step::Next(secs) => secs,
            Step::First => 0.0,
            Step::Gap(_) => {
                self.emit(out);
                self.recent.clear();
                self.fast = None;
                0.0
            }
        };
        // What is farther back than a rise takes goes, but for the last of it.
        while self.recent.len() >= RECENT_MAX
            || self.recent.get(1).is_some_and(|(at, _)| secs_between(*at, stamp) >= self.rise_secs)
        {
            self.recent.pop_front();
        }
        let before = self.recent.front().copied();
        self.recent.push_back((stamp, felt));
        let Some((at, before)) = before else { return };
        let deviation = minus(&felt, &before);
        let rate = norm(&deviation) / secs_between(at, stamp);

        let usual = self.mean_square.sqrt() * super::robust::allowance(self.readings);
        let threshold = f64::max(self.sigmas * usual, self.rate.unwrap_or_else(|| self.floor()));
        let is_known = self.known_secs >= LEARN_SECS && self.readings >= LEARN_READINGS_MIN;
        let is_fast = is_known && rate >= threshold;
        // The first of two in a row that rise fast, or the only one of a slow stream.
        let begin = match self.fast {
            _ if !is_fast => None,
            Some(first) => Some(first),
            None => (secs > FAULT_SECS).then_some(stamp),
        };
        if is_fast && self.fast.is_none() {
            self.is_first = usual == 0.0;
        }
        self.fast = is_fast.then(|| self.fast.unwrap_or(stamp));

        self.readings += 1.0;
        self.known_secs += secs;
        let is_hit = |hit: &Hit| secs_between(hit.begin, stamp) < PEAK_SECS;
        if !self.open.as_ref().is_some_and(is_hit) {
            let reach = if is_known { REACH } else { REACH_FIRST };
            let reach = f64::max(reach * usual, 0.1 * threshold);
            // Readings may begin with an impact, too.
            let is_begun = self.readings > LEARN_READINGS_MIN;
            let square = if is_begun { rate.min(reach).powi(2) } else { rate * rate };
            let part = weight(secs, NOISE_SECS.min(self.known_secs));
            self.mean_square += part * (square - self.mean_square);
        }

        if let Some(hit) = &mut self.open {
            let deviation = minus(&felt, &hit.before);
            let size = norm(&deviation);
            if size > hit.peak {
                (hit.peak, hit.peak_at, hit.peak_deviation) = (size, stamp, deviation);
            }
            hit.rate = hit.rate.max(rate);
            approach(&mut hit.left, &deviation, weight(secs, STAYS_SECS), f64::INFINITY);
            if is_fast {
                hit.fast = stamp;
            }
            let quiet_secs = if is_force { 0.0 } else { self.rest_secs };
            let is_over = secs_between(hit.peak_at, stamp) >= PEAK_SECS
                && secs_between(hit.fast, stamp) >= quiet_secs;
            if is_over || secs_between(hit.begin, stamp) >= PEAK_SECS_MAX {
                self.emit(out);
            }
        } else if let Some(begin) = begin {
            let peak = norm(&deviation);
            let is_rested =
                self.last.is_none_or(|last| secs_between(last, begin) >= self.rest_secs);
            if is_rested || peak > MORE * self.last_peak {
                self.open = Some(Hit {
                    begin,
                    before,
                    rest,
                    peak,
                    peak_at: stamp,
                    peak_deviation: deviation,
                    rate,
                    fast: stamp,
                    is_first: self.is_first,
                    left: deviation,
                });
            }
        }
        if begin.is_some() {
            self.last = Some(stamp);
        }
    }

    fn restart(&mut self) {
        self.recent.clear();
        (self.mean_square, self.known_secs, self.readings) = (0.0, 0.0, 0.0);
        (self.fast, self.last, self.last_peak) = (None, None, 0.0);
    }

    /// Tells of what goes on, if that is an impact.
    pub(super) fn emit(&mut self, out: &mut Vec<Signal>) {
        let Some(hit) = self.open.take() else { return };
        self.last_peak = hit.peak;
        let is_force = self.reader.quantity() == Quantity::Force;
        let is_touch = is_force && self.rate.is_none() && hit.peak < TOUCH_MAX && hit.stays();
        // A sensor that measures is never at zero exactly; one that does not measure yet often is.
        let is_begun = hit.before == [0.0; 3] && hit.is_first && hit.stays();
        if is_touch || is_begun || (is_force && hit.is_release()) {
            return;
        }
        let unit = self.reader.unit();
        let of = self.reader.name_of(&hit.peak_deviation);
        let rate_unit = match unit {
            "" => "1/s".to_owned(),
            "m/s^2" => "m/s^3".to_owned(),
            unit => format!("{unit}/s"),
        };
        let peak =
            Measure { of: of.clone(), stamp: Some(hit.peak_at), ..measure("peak", hit.peak, unit) };
        let rate = Measure { of, ..measure("rise_rate", hit.rate, &rate_unit) };
        out.push(signal(TriggerKind::Impact, Edge::Once, hit.begin, vec![peak, rate]));
    }

    fn floor(&self) -> f64 {
        match self.reader.quantity() {
            Quantity::Force => FORCE_RATE_MIN,
            Quantity::Acceleration => ACCELERATION_RATE_MIN,
            // Of other units only the stream's own noise tells; three steps of a count at 50 Hz.
            _ => self.reader.floor(0.0) * FORCE_RATE_MIN,
        }
    }
}

/// A touch of the same channel.
fn of_contact(settings: &TriggerSettings) -> TriggerSettings {
    let channel = parameters::value(settings, "channel");
    let parameters = channel.map(|channel| ("channel".to_owned(), channel)).into_iter().collect();
    TriggerSettings { kind: TriggerKind::Contact, parameters }
}
