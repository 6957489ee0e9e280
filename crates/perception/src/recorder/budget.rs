use super::counts::StreamCounts;
use crate::{StreamSettings, TriggerKind};
use robot_memory_core::model::Stamp;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

const MINUTE_NANOS: i64 = 60 * 1_000_000_000;
const HOUR_NANOS: i64 = 60 * MINUTE_NANOS;
const DAY_NANOS: i64 = 24 * HOUR_NANOS;

/// Events of one shape, in an hour and the one before, that are rare.
const RARE_COUNT_MAX: u32 = 2;
/// One of so many events a day is kept for what is rare.
const RARE_SHARE: u32 = 10;
/// Shapes that are known at a time.
const SHAPES_MAX: usize = 256;
/// Characters of a text that tell its shape.
const SHAPE_CHARS_MAX: usize = 200;

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

/// What was not kept one by one, of one hour (UTC).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub first: Stamp,
    pub last: Stamp,
    /// How many, by what made them.
    pub counts: BTreeMap<TriggerKind, u64>,
}

/// Of which kind an event is, as far as kinds are told apart when there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub kind: TriggerKind,
    hash: u64,
}

impl Shape {
    /// Of an event that this made, and of a text the words but not the numbers.
    pub fn of(kind: TriggerKind, text: Option<&str>) -> Self {
        let mut hash = DefaultHasher::new();
        kind.hash(&mut hash);
        let mut was_digit = false;
        for c in text.unwrap_or_default().chars().take(SHAPE_CHARS_MAX) {
            let is_digit = c.is_numeric() || was_digit && matches!(c, '.' | 'e' | 'E' | '-' | '+');
            if !is_digit {
                c.hash(&mut hash);
            }
            was_digit = is_digit;
        }
        Self { kind, hash: hash.finish() }
    }
}

/// Which events of a stream are kept: the first of each minute; of a day (UTC) so many as its share is up
/// to then, so that a stream that has much to tell is heard all day; and, from a tenth of the day's that is
/// kept for them, those that are like none of the last hour.
#[derive(Debug, Default)]
pub(super) struct Budget {
    minute: Span,
    day: Span,
    rare_of_day: Span,
    /// The one that came last is the last.
    shapes: VecDeque<ShapeCount>,
    left_out: Option<LeftOut>,
    summed_up: Vec<LeftOut>,
}

impl Budget {
    /// Whether an event that begins at `stamp` is kept; counts why not.
    pub fn take(
        &mut self,
        stamp: Stamp,
        shape: Shape,
        settings: &StreamSettings,
        counts: &mut StreamCounts,
    ) -> bool {
        let is_rare = self.is_rare(stamp, shape);
        let day_of = stamp.0.div_euclid(DAY_NANOS);
        let per_day_max = settings.events_per_day_max;
        let minute = self.minute.count(stamp.0.div_euclid(MINUTE_NANOS));
        let day = self.day.count(day_of);
        let rare = self.rare_of_day.count(day_of);
        let is_over = |count: u32, max: u32| max > 0 && count >= max;
        let is_over_minute = is_over(*minute, settings.events_per_minute_max.unwrap_or(0));
        let is_over_day =
            per_day_max > 0 && f64::from(*day - *rare) >= share_until(stamp, per_day_max);
        if is_over_minute || is_over_day {
            let is_kept =
                is_rare && !is_over(*day, per_day_max) && !is_over(*rare, rare_max(per_day_max));
            if !is_kept {
                counts.over_minute += u64::from(is_over_minute);
                counts.over_day += u64::from(!is_over_minute);
                self.leave_out(stamp, shape.kind);
                return false;
            }
            *rare = rare.saturating_add(1);
        }
        *minute = minute.saturating_add(1);
        *day = day.saturating_add(1);
        true
    }

    /// What was left out in hours before `now`.
    pub fn sum_up(&mut self, now: Stamp) -> Vec<LeftOut> {
        let is_over = |left_out: &LeftOut| hour_of(left_out.first) < hour_of(now);
        self.summed_up.extend(self.left_out.take_if(|left_out| is_over(left_out)));
        std::mem::take(&mut self.summed_up)
    }

    fn leave_out(&mut self, stamp: Stamp, kind: TriggerKind) {
        let is_of_another = |left_out: &mut LeftOut| hour_of(left_out.first) != hour_of(stamp);
        self.summed_up.extend(self.left_out.take_if(is_of_another));
        let left_out = self.left_out.get_or_insert_with(|| LeftOut {
            first: stamp,
            last: stamp,
            counts: BTreeMap::new(),
        });
        left_out.first = left_out.first.min(stamp);
        left_out.last = left_out.last.max(stamp);
        *left_out.counts.entry(kind).or_default() += 1;
    }

    /// Whether few events of this shape came lately; counts it.
    fn is_rare(&mut self, stamp: Stamp, shape: Shape) -> bool {
        let hour = hour_of(stamp);
        let known = self.shapes.iter().position(|known| known.hash == shape.hash);
        let mut known = known.and_then(|at| self.shapes.remove(at)).unwrap_or(ShapeCount {
            hash: shape.hash,
            hour,
            in_hour: 0,
            in_hour_before: 0,
        });
        if known.hour != hour {
            let is_next = known.hour + 1 == hour;
            known.in_hour_before = if is_next { known.in_hour } else { 0 };
            (known.hour, known.in_hour) = (hour, 0);
        }
        let is_rare = known.in_hour.saturating_add(known.in_hour_before) < RARE_COUNT_MAX;
        known.in_hour = known.in_hour.saturating_add(1);
        if self.shapes.len() == SHAPES_MAX {
            self.shapes.pop_front();
        }
        self.shapes.push_back(known);
        is_rare
    }
}

/// How often events of a shape came.
#[derive(Debug)]
struct ShapeCount {
    hash: u64,
    /// The hour in which the last one came.
    hour: i64,
    in_hour: u32,
    in_hour_before: u32,
}

fn hour_of(stamp: Stamp) -> i64 {
    stamp.0.div_euclid(HOUR_NANOS)
}

/// Events a day that are kept because they are rare.
fn rare_max(per_day_max: u32) -> u32 {
    per_day_max.div_ceil(RARE_SHARE)
}

/// How many common events of a day may have been kept until `stamp`: an hour's share from the beginning,
/// and the rest evenly over the day.
fn share_until(stamp: Stamp, per_day_max: u32) -> f64 {
    let common = f64::from(per_day_max - per_day_max / RARE_SHARE);
    let of_day = stamp.0.rem_euclid(DAY_NANOS) as f64 / DAY_NANOS as f64;
    let ahead = HOUR_NANOS as f64 / DAY_NANOS as f64;
    (common * (ahead + of_day * (1.0 - ahead))).ceil()
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
        let period = crate::span::nanos(1.0 / rate_max_hz);
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

    fn settings(per_minute: u32, per_day: u32) -> StreamSettings {
        let mut settings = StreamSettings::new("/status");
        settings.events_per_minute_max = Some(per_minute);
        settings.events_per_day_max = per_day;
        settings
    }

    fn at(secs: f64) -> Stamp {
        Stamp(20_000 * DAY_NANOS + crate::span::nanos(secs))
    }

    #[test]
    fn what_is_common_is_kept_all_day_and_what_is_rare_always() {
        let settings = settings(0, 500);
        let mut counts = StreamCounts::default();
        let mut budget = Budget::default();
        let mut kept_in_hour = [0_u32; 24];
        let (mut kept_rare, mut left_out) = (0, 0);
        for tenth in 0..24 * 3600 * 2 {
            let now = at(f64::from(tenth) / 2.0);
            let common = format!("{{\"load\": {}.{}, \"state\": \"ok\"}}", tenth % 97, tenth % 7);
            let is_rare = tenth % 36_000 == 17_777;
            let text = if is_rare { "ERROR: lidar lost" } else { common.as_str() };
            let shape = Shape::of(TriggerKind::Change, Some(text));
            let is_kept = budget.take(now, shape, &settings, &mut counts);
            kept_rare += u32::from(is_kept && is_rare);
            kept_in_hour[tenth as usize / 7200] += u32::from(is_kept);
            for summed_up in budget.sum_up(now) {
                assert_eq!(hour_of(summed_up.first), hour_of(summed_up.last));
                left_out += summed_up.counts[&TriggerKind::Change];
            }
        }
        left_out +=
            budget.sum_up(at(86_400.0)).iter().flat_map(|it| it.counts.values()).sum::<u64>();
        assert_eq!(kept_rare, 5);
        assert!(kept_in_hour.iter().all(|kept| *kept >= 1), "{kept_in_hour:?}");
        let kept: u32 = kept_in_hour.iter().sum();
        assert!((450..=500).contains(&kept), "{kept}");
        assert_eq!(u64::from(kept) + left_out, 24 * 3600 * 2);
        assert_eq!(counts.over_day, left_out);
    }

    #[test]
    fn no_more_are_kept_than_the_day_has_whatever_comes() {
        let settings = settings(0, 100);
        let mut counts = StreamCounts::default();
        let mut budget = Budget::default();
        // Each is like no other.
        let kept = (0..86_400).filter(|second| {
            let word: String =
                format!("{second}").bytes().map(|digit| char::from(digit + b'a' - b'0')).collect();
            let shape = Shape::of(TriggerKind::Change, Some(&word));
            budget.take(at(f64::from(*second)), shape, &settings, &mut counts)
        });
        assert_eq!(kept.count(), 100);
        // Numbers do not make a text another one.
        let shape = |text| Shape::of(TriggerKind::Change, Some(text));
        assert_eq!(shape("goal 2 to 6"), shape("goal 13 to 1.5e-3"));
        assert_ne!(shape("lidar ok"), shape("lidar lost"));
        assert_ne!(shape("a"), Shape::of(TriggerKind::Periodic, Some("a")));
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
