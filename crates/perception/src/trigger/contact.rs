mod belief;
mod rivals;

use super::baseline::{Baseline, BaselineEstimator};
use super::channel_reader::{ChannelReader, FeltVector, approach, minus, norm};
use super::pace::{Pace, Step};
use super::parameters;
use super::robust::weight;
use crate::{Numbers, Signal, TriggerSettings};
use belief::{Belief, Now};
use rivals::{Rivals, Winner};
use robot_memory_core::model::Stamp;

/// Time constant of the smoothing before anything is compared: short against a touch, long against
/// the noise of a fast sensor.
const SMOOTH_SECS: f64 = 0.01;

/// A touch: from the rise of what is felt to its release.
///
/// What is felt of a wrench is its force vector, of taxels their sum. Its level at rest (gravity, tare)
/// and its noise are learned from the first second that is steady, and followed while nothing touches.
/// The deviation is the distance from the level at rest. It makes a contact at
/// `max(sigmas * noise, on or floor)`, and a release at `off_ratio` of that.
///
/// Readings may begin during a touch. So the first state is not believed to be that at rest before it has
/// stood against the next one ([`Rivals`]); what touched is told then.
#[derive(Debug, Clone, Default)]
pub(super) struct Contact {
    bounds: Bounds,
    reader: ChannelReader,
    pace: Pace,
    smooth: FeltVector,
    phase: Phase,
    /// The level at rest before a gap.
    former: Option<FeltVector>,
}

/// The trigger's parameters.
#[derive(Debug, Clone, Default)]
struct Bounds {
    on: Option<f64>,
    sigmas: f64,
    off_ratio: f64,
    on_secs: f64,
    off_secs: f64,
    settle_secs: f64,
}

impl Bounds {
    /// The least deviation from a level that can be a touch.
    fn least(&self, reader: &ChannelReader, level: &FeltVector) -> f64 {
        self.on.unwrap_or_else(|| reader.floor(norm(level)))
    }

    /// The difference of two levels that are not the same, beside so much noise.
    fn step(&self, reader: &ChannelReader, noise: f64, level: &FeltVector) -> f64 {
        f64::max(self.sigmas * noise, self.least(reader, level))
    }
}

#[derive(Debug, Clone)]
enum Phase {
    Learning(BaselineEstimator),
    /// Nobody knows whether this is the state at rest.
    Doubting(Belief, Option<Box<Rivals>>),
    Sure(Belief),
}

impl Default for Phase {
    fn default() -> Self {
        Self::Learning(BaselineEstimator::default())
    }
}

impl Contact {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            bounds: Bounds {
                on: parameters::value(settings, "on"),
                sigmas: number("sigmas"),
                off_ratio: number("off_ratio"),
                on_secs: number("on_secs"),
                off_secs: number("off_secs"),
                settle_secs: number("settle_secs"),
            },
            reader: ChannelReader::new(parameters::channel(settings)),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let Some((felt, has_new_layout)) = self.reader.read(numbers) else { return };
        if has_new_layout {
            if let Some(last) = self.pace.last() {
                self.end_at(last, out);
            }
            self.former = None;
            self.smooth = felt;
        }
        let secs = match self.pace.step(stamp) {
            Step::Next(secs) => secs,
            Step::First => {
                self.smooth = felt;
                0.0
            }
            Step::Gap(last) => {
                self.former = self.end_at(last, out).or(self.former);
                self.smooth = felt;
                0.0
            }
        };
        approach(&mut self.smooth, &felt, weight(secs, SMOOTH_SECS), f64::INFINITY);
        let now = Now {
            stamp,
            secs,
            felt: &felt,
            smooth: &self.smooth,
            period_secs: self.pace.period_secs(),
            reader: &self.reader,
            bounds: &self.bounds,
        };
        let phase = std::mem::take(&mut self.phase);
        let phase = match phase {
            Phase::Learning(mut learner) => {
                let step =
                    |noise: f64, level: &FeltVector| now.bounds.step(now.reader, noise, level);
                match learner.take(stamp, now.smooth, step) {
                    Some(rest) => first_phase(&now, rest, self.former.take()),
                    None => Phase::Learning(learner),
                }
            }
            Phase::Doubting(belief, rivals) => doubting(&now, belief, rivals, out),
            Phase::Sure(mut belief) => {
                belief.take(&now, out);
                Phase::Sure(belief)
            }
        };
        self.phase = match phase {
            // What is the state at rest now is as unknown as in the beginning.
            Phase::Sure(belief) if belief.is_settled() => {
                self.former = Some(belief.rest.level);
                Phase::default()
            }
            phase => phase,
        };
    }

    /// The level at rest, once it is known; and whether it is likely to be that.
    pub(super) fn rest(&self) -> Option<(&Baseline, bool)> {
        match &self.phase {
            Phase::Learning(_) => None,
            Phase::Doubting(belief, rivals) => {
                Some((&belief.rest, rivals.as_ref().is_some_and(|rivals| rivals.is_likely())))
            }
            Phase::Sure(belief) => Some((&belief.rest, true)),
        }
    }

    /// Since when something touches.
    pub(super) fn touched_since(&self) -> Option<Stamp> {
        match &self.phase {
            Phase::Sure(belief) => belief.touched_since(),
            Phase::Doubting(belief, Some(rivals)) if rivals.is_likely() => belief.touched_since(),
            Phase::Learning(_) | Phase::Doubting(..) => None,
        }
    }

    /// Readings are over, or others from now on: what touches ends, and the state at rest is learned
    /// again. Answers which it was, if that was sure.
    pub(super) fn end_at(&mut self, stamp: Stamp, out: &mut Vec<Signal>) -> Option<FeltVector> {
        let phase = std::mem::take(&mut self.phase);
        let is_sure = matches!(phase, Phase::Sure(_));
        let mut belief = match phase {
            Phase::Learning(_) => return None,
            Phase::Sure(belief) | Phase::Doubting(belief, None) => belief,
            Phase::Doubting(mut first, Some(mut rivals)) => {
                let on = self.bounds.step(&self.reader, first.rest.noise(), &first.rest.level);
                match rivals.end(&mut first, on, stamp, &self.reader, out) {
                    Winner::First => first,
                    Winner::Other(other) | Winner::Begun(other) => *other,
                }
            }
        };
        belief.end_at(stamp, &self.reader, out);
        is_sure.then_some(belief.rest.level)
    }
}

/// What is believed of the first state: that it is at rest is sure when it was so before a gap.
fn first_phase(now: &Now<'_>, baseline: Baseline, former: Option<FeltVector>) -> Phase {
    let is_known = former
        .is_some_and(|former| norm(&minus(&baseline.level, &former)) < now.threshold(&baseline));
    if is_known {
        Phase::Sure(Belief::new(baseline, None))
    } else {
        Phase::Doubting(Belief::new(baseline, former), None)
    }
}

/// Watches without knowing whether the state that readings began with is that at rest.
fn doubting(
    now: &Now<'_>,
    mut first: Belief,
    rivals: Option<Box<Rivals>>,
    out: &mut Vec<Signal>,
) -> Phase {
    let Some(mut rivals) = rivals else {
        let mut signals = Vec::new();
        let knew_former = first.knows_former();
        first.take(now, &mut signals);
        // It went back to where nothing touched before, or is left without a doubt.
        let is_sure = !signals.is_empty() || (knew_former && !first.knows_former());
        if let Some(rivals) = Rivals::new(&first, now, signals, out) {
            return Phase::Doubting(first, Some(Box::new(rivals)));
        }
        return if is_sure { Phase::Sure(first) } else { Phase::Doubting(first, None) };
    };
    match rivals.take(&mut first, now, out) {
        None => Phase::Doubting(first, Some(rivals)),
        Some(Winner::First) => Phase::Sure(first),
        Some(Winner::Other(other)) => Phase::Sure(*other),
        Some(Winner::Begun(other)) => Phase::Doubting(*other, None),
    }
}
