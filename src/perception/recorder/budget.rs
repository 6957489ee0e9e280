use super::counts::StreamCounts;
use crate::model::Stamp;
use crate::perception::StreamSettings;

const MINUTE_NANOS: i64 = 60 * 1_000_000_000;
const DAY_NANOS: i64 = 24 * 60 * MINUTE_NANOS;

/// Spans that are counted apart: beginnings are made known somewhat out of order, and time goes back
/// when a simulator is reset or an older bag is played.
const SPANS_MAX: usize = 8;

/// Counts events in fixed spans of time, so that it does not matter when counting began.
#[derive(Debug, Default)]
struct Span {
    /// The spans in which something was counted last, that one last.
    counts: Vec<(i64, u32)>,
}

impl Span {
    fn count(&mut self, span: i64) -> &mut u32 {
        let count = match self.counts.iter().position(|(counted, _)| *counted == span) {
            Some(place) => self.counts.remove(place).1,
            None => 0,
        };
        if self.counts.len() == SPANS_MAX {
            self.counts.remove(0);
        }
        let last = self.counts.len();
        self.counts.push((span, count));
        &mut self.counts[last].1
    }
}

/// Which events of a stream are kept: the first of each minute and of each day (UTC).
#[derive(Debug, Default)]
pub(super) struct Budget {
    minute: Span,
    day: Span,
}

impl Budget {
    /// Whether an event that begins at `stamp` is kept; counts why not.
    pub fn take(
        &mut self,
        stamp: Stamp,
        settings: &StreamSettings,
        counts: &mut StreamCounts,
    ) -> bool {
        let minute = self.minute.count(stamp.0.div_euclid(MINUTE_NANOS));
        let day = self.day.count(stamp.0.div_euclid(DAY_NANOS));
        let is_over = |count: u32, max: u32| max > 0 && count >= max;
        if is_over(*minute, settings.events_per_minute_max.unwrap_or(0)) {
            counts.over_minute += 1;
            return false;
        }
        if is_over(*day, settings.events_per_day_max) {
            counts.over_day += 1;
            return false;
        }
        *minute = minute.saturating_add(1);
        *day = day.saturating_add(1);
        true
    }
}

/// Lets readings through at most so often, by their stamps alone.
///
/// The generic cell rate algorithm (ITU-T I.371) with a tolerance of half a period, so that a
/// stream whose own rate is the greatest allowed one may jitter.
#[derive(Debug, Default)]
pub(super) struct Rate {
    due: Option<Stamp>,
}

impl Rate {
    /// Whether a reading of `stamp`, not older than the one before, is let through.
    pub fn take(&mut self, stamp: Stamp, rate_max_hz: f64) -> bool {
        if rate_max_hz <= 0.0 || !rate_max_hz.is_finite() {
            return true;
        }
        let period = crate::perception::span::nanos(1.0 / rate_max_hz);
        let due = self.due.unwrap_or(stamp);
        if stamp.0 < due.0.saturating_sub(period / 2) {
            return false;
        }
        self.due = Some(Stamp(due.0.max(stamp.0).saturating_add(period)));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_held_and_jitter_forgiven() {
        let rate_hz = |from_hz: f64, jitter_secs: f64, max_hz: f64| {
            let mut rate = Rate::default();
            let count = (0..3000)
                .filter(|index| {
                    let jitter = jitter_secs * f64::from(index % 3 - 1);
                    let stamp = Stamp(((f64::from(*index) / from_hz + jitter) * 1e9) as i64);
                    rate.take(stamp, max_hz)
                })
                .count();
            count as f64 * from_hz / 3000.0
        };
        assert!((rate_hz(30.0, 0.002, 5.0) - 5.0).abs() < 0.1);
        assert!((rate_hz(5.0, 0.02, 5.0) - 5.0).abs() < 0.05);
        assert!((rate_hz(30.0, 0.0, 0.0) - 30.0).abs() < 1e-9);
    }

    #[test]
    fn a_minute_and_a_day_have_their_events() {
        let mut span = Span::default();
        for minute in [5, 5, 6, 5, 6, 7, -3] {
            *span.count(minute) += 1;
        }
        assert_eq!([5, 6, 7, -3, 8].map(|minute| *span.count(minute)), [3, 2, 1, 1, 0]);
        for minute in 100..100 + 2 * SPANS_MAX as i64 {
            *span.count(minute) += 1;
        }
        assert_eq!(span.counts.len(), SPANS_MAX);
        assert_eq!(*span.count(5), 0);
    }
}
