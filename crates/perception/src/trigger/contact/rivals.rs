//! Two states, of which one is that at rest: nobody saw which when readings began.

use super::belief::{Belief, Now};
use crate::span::secs_between;
use crate::trigger::baseline::BaselineEstimator;
use crate::trigger::channel_reader::{ChannelReader, norm};
use crate::{Edge, Signal};
use robot_memory_core::model::Stamp;

/// A first state that was there for so long before a force was added to it is that at rest; and after so
/// long what it makes of the readings is told at once, though it may turn out to be wrong.
const SURE_SECS: f64 = 10.0;
const LIKELY_SECS: f64 = 3.0;
/// How much longer than the other one a state must last to be that at rest, when the force that it has
/// speaks against it; and how much less is enough, when that speaks for it.
const AGAINST_MAX: f64 = 3.0;
const FOR_MIN: f64 = 0.3;

/// The state that readings began with, another one after it, and what each would make of the readings.
///
/// A robot is free for longer than it touches, and what touches most often adds to the force that is
/// there (the tool's weight). So the state that lasts longer is that at rest: the more so, the smaller its
/// force is, and the less so, the greater.
#[derive(Debug, Clone)]
pub(super) struct Rivals {
    /// The longest time in the first state.
    first_secs: f64,
    /// Since when it is back there, and whether it ever was.
    back: Option<Stamp>,
    was_back: bool,
    /// What touches, if the first state is that at rest.
    first_signals: Vec<Signal>,
    /// Whether that is told as it comes.
    is_likely: bool,
    other: Other,
}

/// The other state.
#[derive(Debug, Clone)]
enum Other {
    /// It is not known yet: it must be steady for a while.
    Learning(BaselineEstimator),
    Known {
        belief: Box<Belief>,
        /// The longest time in it at once, and since when that is.
        longest_secs: f64,
        since: Stamp,
        /// All time in it.
        all_secs: f64,
        signals: Vec<Signal>,
    },
}

/// Which of the two is the state at rest.
#[derive(Debug)]
pub(super) enum Winner {
    First,
    Other(Box<Belief>),
    /// In the first one nothing was measured yet: the other one is that which readings began with.
    Begun(Box<Belief>),
}

impl Rivals {
    /// The first state is left: what it makes of that is `signals`, and goes on to `out` when it is likely.
    /// `None` when there is no doubt.
    pub fn new(
        first: &Belief,
        now: &Now<'_>,
        signals: Vec<Signal>,
        out: &mut Vec<Signal>,
    ) -> Option<Self> {
        let Some(begin) = signals.iter().find(|signal| signal.edge == Edge::Begin) else {
            out.extend(signals);
            return None;
        };
        let since = begin.stamp;
        let first_secs = secs_between(first.rest.since, since);
        let is_added = norm(now.smooth) >= norm(&first.rest.level);
        let is_sure = now.reader.only_rises()
            || (is_added && first_secs >= SURE_SECS && !first.rest.was_zero);
        let is_likely = is_sure || (is_added && first_secs >= LIKELY_SECS && !first.rest.was_zero);
        if is_likely {
            out.extend(signals.iter().cloned());
        }
        let other = Other::Learning(BaselineEstimator::default());
        (!is_sure).then_some(Self {
            first_secs,
            back: None,
            was_back: false,
            first_signals: signals,
            is_likely,
            other,
        })
    }

    /// Whether what the first state makes of the readings is told as it comes.
    pub fn is_likely(&self) -> bool {
        self.is_likely
    }

    /// Takes a reading. Answers when it is decided, and puts out what touched until then.
    pub fn take(
        &mut self,
        first: &mut Belief,
        now: &Now<'_>,
        out: &mut Vec<Signal>,
    ) -> Option<Winner> {
        let signals = self.first_signals.len();
        first.take(now, &mut self.first_signals);
        if self.is_likely {
            out.extend(self.first_signals[signals..].iter().cloned());
        }
        match &mut self.other {
            Other::Learning(learner) => {
                if let Some(rest) = learner.take_steady(now.stamp, now.smooth, |noise, level| {
                    now.bounds.step(now.reader, noise, level)
                }) {
                    let since = rest.since;
                    let is_measured = rest.noise() > 0.0;
                    let belief = Box::new(Belief::new(rest, None));
                    // A sensor that measures is never at zero exactly; one that does not yet often is.
                    if first.rest.was_zero && is_measured {
                        return Some(Winner::Begun(belief));
                    }
                    self.other = Other::Known {
                        belief,
                        longest_secs: 0.0,
                        since,
                        all_secs: 0.0,
                        signals: Vec::new(),
                    };
                }
            }
            Other::Known { belief, since, signals, .. } => {
                let was_touched = belief.touched_since().is_some();
                belief.take(now, signals);
                if was_touched || belief.touched_since().is_some() {
                    *since = now.stamp;
                }
            }
        }
        if let Other::Known { belief, longest_secs, since, all_secs, .. } = &mut self.other
            && belief.touched_since().is_none()
        {
            *longest_secs = longest_secs.max(secs_between(*since, now.stamp));
            *all_secs += now.secs;
        }
        let is_first = self.judge(first, now)?;
        Some(self.decide(is_first, first, now.stamp, now.reader, out))
    }

    /// Readings are over: what is more likely holds.
    pub fn end(
        &mut self,
        first: &mut Belief,
        on: f64,
        stamp: Stamp,
        reader: &ChannelReader,
        out: &mut Vec<Signal>,
    ) -> Winner {
        let is_first = match &self.other {
            Other::Learning(_) => true,
            Other::Known { belief, longest_secs, signals, .. } => {
                let is_only = first.touched_since().is_none() && ends(signals) == 0;
                is_only || *longest_secs <= favor(first, belief, on).max(1.0) * self.first_secs
            }
        };
        self.decide(is_first, first, stamp, reader, out)
    }

    /// Whether the first state is that at rest; `None` when that cannot be told yet.
    fn judge(&mut self, first: &Belief, now: &Now<'_>) -> Option<bool> {
        let is_away = first.touched_since().is_some();
        let Other::Known { belief: other, longest_secs, all_secs, signals, .. } = &self.other
        else {
            // What was not steady for a moment was a touch.
            return (!is_away).then_some(true);
        };
        let is_added = norm(&other.rest.level) >= norm(&first.rest.level);
        if first.is_settled() {
            // Whichever it was, the other state is that at rest now.
            return Some(is_added && ends(signals) == 0);
        }
        let on = now.threshold(&first.rest);
        let favor = favor(first, other, on);
        if !is_away {
            let back = *self.back.get_or_insert(now.stamp);
            self.was_back = true;
            self.first_secs = self.first_secs.max(secs_between(back, now.stamp));
            // It was come back to again, and to the other one never.
            let is_only = ends(&self.first_signals) > 1 && ends(signals) == 0;
            return (is_only || *longest_secs <= favor * self.first_secs).then_some(true);
        }
        self.back = None;
        if self.was_back {
            // Left again for the other one, and it was not there for long enough.
            return (ends(signals) > 0).then_some(false);
        }
        // What comes back to the other state, and not to the first one, touched in the meantime.
        let is_shorter = touched_secs(signals)? <= *longest_secs;
        (is_shorter && *all_secs >= favor * self.first_secs).then_some(false)
    }

    fn decide(
        &mut self,
        is_first: bool,
        first: &mut Belief,
        stamp: Stamp,
        reader: &ChannelReader,
        out: &mut Vec<Signal>,
    ) -> Winner {
        let other =
            std::mem::replace(&mut self.other, Other::Learning(BaselineEstimator::default()));
        match other {
            Other::Known { belief, mut signals, .. } if !is_first => {
                if self.is_likely {
                    // What was told of it ends.
                    first.end_at(stamp, reader, out);
                }
                out.append(&mut signals);
                Winner::Other(belief)
            }
            _ => {
                if !self.is_likely {
                    out.append(&mut self.first_signals);
                }
                Winner::First
            }
        }
    }
}

/// How many times as long as in the first state it may have been in the other one, and the first one still
/// is that at rest.
fn favor(first: &Belief, other: &Belief, on: f64) -> f64 {
    let part = (norm(&other.rest.level) + on) / (norm(&first.rest.level) + on);
    part.sqrt().clamp(FOR_MIN, AGAINST_MAX)
}

/// How many touches ended.
fn ends(signals: &[Signal]) -> usize {
    signals.iter().filter(|signal| signal.edge == Edge::End).count()
}

/// The longest of the touches that ended.
fn touched_secs(signals: &[Signal]) -> Option<f64> {
    let mut begin = None;
    let mut longest: Option<f64> = None;
    for signal in signals {
        match (signal.edge, begin) {
            (Edge::Begin, _) => begin = Some(signal.stamp),
            (Edge::End, Some(begin)) => {
                let secs = secs_between(begin, signal.stamp);
                longest = Some(longest.map_or(secs, |longest| longest.max(secs)));
            }
            _ => {}
        }
    }
    longest
}
