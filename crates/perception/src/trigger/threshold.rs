use super::{duration, measure, parameters, signal};
use crate::decode::NEAREST;
use crate::span::secs_between;
use crate::{Edge, Layout, Measure, Numbers, Quantity, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// Nearer than so many meters an obstacle is near.
const NEAR_M: f64 = 0.25;
/// Part of a bound that a number must come back beyond it.
const CLEAR_PART: f64 = 0.1;

/// A number that passes a bound, until it is back by some hysteresis. A number holds until another comes.
#[derive(Debug, Clone, Default)]
pub(super) struct Threshold {
    below: Option<f64>,
    above: Option<f64>,
    clear: Option<f64>,
    hold_secs: f64,
    with_first: Option<bool>,
    channel: Option<usize>,
    layout: Option<Arc<Layout>>,
    /// The channels that are compared, and the bounds that hold for them.
    watched: Vec<usize>,
    is_known: bool,
    passed: Option<Passed>,
}

/// A bound that is passed.
#[derive(Debug, Clone)]
struct Passed {
    is_below: bool,
    bound: f64,
    since: Stamp,
    /// Whether it has lasted long enough to be told.
    is_told: bool,
    extreme: f64,
    stamp: Stamp,
    channel: usize,
}

impl Threshold {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let value = |name| parameters::value(settings, name);
        Self {
            below: value("below"),
            above: value("above"),
            clear: value("clear"),
            hold_secs: parameters::number(settings, "hold_secs"),
            with_first: value("first").map(|first| first >= 0.5),
            channel: parameters::channel(settings),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        if self.layout.as_ref() != Some(&numbers.layout) {
            self.end(stamp, out);
            self.watch(&numbers.layout);
        }
        match &self.passed {
            Some(passed) if self.is_back(passed, numbers) => self.end(stamp, out),
            _ => {}
        }
        if let Some((is_below, bound, channel)) = self.beyond(numbers) {
            let extreme = number(numbers, channel);
            let is_first = !self.is_known && !self.with_first();
            // What was so before anything was heard is nothing that happens.
            if self.passed.is_none() && !is_first {
                let (since, is_told) = (stamp, false);
                self.passed =
                    Some(Passed { is_below, bound, since, is_told, extreme, stamp, channel });
            }
            self.is_known = self.is_known || !is_first;
        } else if self.watched.iter().any(|channel| number(numbers, *channel).is_finite()) {
            self.is_known = true;
        }
        self.follow(stamp, numbers, out);
    }

    /// Takes the extreme, and tells of what has lasted.
    fn follow(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let layout = Arc::clone(&numbers.layout);
        let is_named = self.is_named(&layout);
        let Some(passed) = &mut self.passed else { return };
        let mut is_new = false;
        for &channel in &self.watched {
            let value = number(numbers, channel);
            let is_farther =
                if passed.is_below { value < passed.extreme } else { value > passed.extreme };
            if is_farther {
                (passed.extreme, passed.stamp, passed.channel) = (value, stamp, channel);
                is_new = true;
            }
        }
        let measures = |passed: &Passed| passed.measures(&layout, is_named);
        if !passed.is_told && secs_between(passed.since, stamp) >= self.hold_secs {
            passed.is_told = true;
            out.push(signal(TriggerKind::Threshold, Edge::Begin, passed.since, measures(passed)));
        } else if passed.is_told && is_new {
            out.push(signal(TriggerKind::Threshold, Edge::More, stamp, measures(passed)));
        }
    }

    /// Whether it must be said which channel it is.
    fn is_named(&self, layout: &Layout) -> bool {
        self.watched.len() > 1 || self.channel.is_some() && layout.channels.len() > 1
    }

    pub(super) fn end(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        let Some(passed) = self.passed.take().filter(|passed| passed.is_told) else { return };
        let Some(layout) = &self.layout else { return };
        let mut measures = passed.measures(layout, self.is_named(layout));
        measures.push(duration(passed.since, stamp));
        out.push(signal(TriggerKind::Threshold, Edge::End, stamp, measures));
    }

    /// Looks at the one channel, or at all of the quantity of the first.
    fn watch(&mut self, layout: &Arc<Layout>) {
        let first = layout.channels.first().map(|channel| channel.quantity);
        let channels = layout.channels.iter().enumerate();
        let is_watched = |(index, quantity): (usize, Quantity)| match self.channel {
            Some(channel) => index == channel,
            None => Some(quantity) == first,
        };
        self.watched = channels
            .map(|(index, channel)| (index, channel.quantity))
            .filter(|one| is_watched(*one))
            .map(|(index, _)| index)
            .collect();
        self.layout = Some(Arc::clone(layout));
        self.is_known = false;
    }

    fn quantity(&self) -> Quantity {
        let channels = self.layout.as_ref().map_or(&[][..], |layout| &layout.channels);
        let first = self.watched.first().and_then(|channel| channels.get(*channel));
        first.map_or(Quantity::Unknown, |channel| channel.quantity)
    }

    /// An obstacle that was always there is the robot itself; a battery that is low is low.
    fn with_first(&self) -> bool {
        self.with_first.unwrap_or(self.quantity() != Quantity::Distance)
    }

    fn bounds(&self) -> (Option<f64>, Option<f64>) {
        match (self.below, self.above) {
            (None, None) if self.quantity() == Quantity::Distance => (Some(NEAR_M), None),
            bounds => bounds,
        }
    }

    /// Which bound is passed, and by which channel.
    fn beyond(&self, numbers: &Numbers) -> Option<(bool, f64, usize)> {
        let (below, above) = self.bounds();
        let found = |bound: f64, passes: fn(f64, f64) -> bool| {
            let channel = self.watched.iter().find(|one| passes(number(numbers, **one), bound));
            channel.map(|channel| (bound, *channel))
        };
        let low = below.and_then(|bound| found(bound, |value, bound| value < bound));
        let low = low.map(|(bound, channel)| (true, bound, channel));
        low.or_else(|| {
            let high = above.and_then(|bound| found(bound, |value, bound| value > bound));
            high.map(|(bound, channel)| (false, bound, channel))
        })
    }

    /// Whether all that is known is back; what has not lasted has no hysteresis.
    fn is_back(&self, passed: &Passed, numbers: &Numbers) -> bool {
        let Passed { is_below, bound, is_told, .. } = *passed;
        let margin = CLEAR_PART * bound.abs();
        let by_default = if is_below { bound + margin } else { bound - margin };
        let clear = if is_told { self.clear.unwrap_or(by_default) } else { bound };
        let mut known = self
            .watched
            .iter()
            .map(|channel| number(numbers, *channel))
            .filter(|value| value.is_finite())
            .peekable();
        known.peek().is_some() && known.all(|it| if is_below { it >= clear } else { it <= clear })
    }
}

impl Passed {
    fn measures(&self, layout: &Layout, is_named: bool) -> Vec<Measure> {
        let channel = &layout.channels[self.channel];
        let unit = channel.quantity.unit();
        let name =
            if is_named || channel.name == NEAREST { channel.name.clone() } else { String::new() };
        let side = if self.is_below { "below" } else { "above" };
        vec![
            Measure { of: name, stamp: Some(self.stamp), ..measure("extreme", self.extreme, unit) },
            Measure { of: side.to_owned(), ..measure("bound", self.bound, unit) },
        ]
    }
}

fn number(numbers: &Numbers, channel: usize) -> f64 {
    numbers.values.get(channel).copied().unwrap_or(f64::NAN)
}
