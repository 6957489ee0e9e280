//! How far a memory is believed, and how that fades with the days.

use super::Stamp;

/// Belief does not fade within so many days of being said, confirmed or used.
pub const FRESH_DAYS: f64 = 1.0;
/// What was said with so little belief does not fade.
pub const CONFIDENCE_FLOOR: f64 = 0.05;

/// Belief in a memory: what was said, and the days that were counted since.
///
/// What is left of it is computed from these, and never written over what was said. So it comes back when the
/// memory is used, and it does not matter how often its days are counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// As it was last said or confirmed, 0 to 1.
    pub said: f64,
    /// Share of it that each day takes, 0 to 1.
    pub decay_rate: f64,
    /// Days count from then: the latest of when it was said, confirmed, used, and came to be known here.
    pub fades_from: Stamp,
    /// Up to when they were counted.
    pub counted_until: Stamp,
}

impl Belief {
    /// Belief in what is said now.
    pub const fn new(said: f64, decay_rate: f64, at: Stamp) -> Self {
        Self { said, decay_rate, fades_from: at, counted_until: at }
    }

    /// As it is, by the days that were counted.
    pub fn confidence(self) -> f64 {
        self.left_at(self.counted_until)
    }

    /// What is left of it at a time: `said * (1 - decay_rate) ^ days`; all of it after no more than
    /// [`FRESH_DAYS`], and of what was said with [`CONFIDENCE_FLOOR`] or less.
    pub fn left_at(self, at: Stamp) -> f64 {
        let days = at.days_since(self.fades_from);
        if days > FRESH_DAYS && self.said > CONFIDENCE_FLOOR {
            self.said * (1.0 - self.decay_rate).powf(days)
        } else {
            self.said
        }
    }

    /// The same with the days counted up to a time.
    pub const fn counted(self, until: Stamp) -> Self {
        Self { counted_until: until, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BORN: Stamp = Stamp::from_secs(1_750_000_000);

    fn left(said: f64, decay_rate: f64, days: f64) -> f64 {
        let belief = Belief::new(said, decay_rate, BORN);
        assert_eq!(belief.confidence(), said);
        belief.counted(BORN.plus_days(days)).confidence()
    }

    #[test]
    fn belief_fades_by_the_day() {
        for (said, days, expected) in
            [(0.9, 10.0, 0.8139), (0.8, 1.5, 0.7880), (0.051, 100.0, 0.0187)]
        {
            let left = left(said, 0.01, days);
            assert!((left - expected).abs() < 5e-5, "{said} after {days} days: {left}");
        }
        assert_eq!(left(0.9, 0.0, 10.0), 0.9);
        assert_eq!(left(0.9, 1.0, 10.0), 0.0);
    }

    #[test]
    fn what_is_fresh_or_hardly_believed_stays() {
        for (said, days) in [(0.9, 1.0), (0.9, 0.0), (0.9, -3.0), (0.05, 10.0), (0.0, 10.0)] {
            assert_eq!(left(said, 0.01, days), said, "{said} after {days} days");
        }
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_often_days_are_counted(days in prop::collection::vec(0.0..100.0_f64, 1..9)) {
            let mut often = Belief::new(0.9, 0.01, BORN);
            for day in &days {
                often = often.counted(BORN.plus_days(*day));
            }
            let last = days.last().copied().unwrap_or_default();
            prop_assert_eq!(often.confidence(), left(0.9, 0.01, last));
            // Used, it is believed as it was said.
            let used = Belief { fades_from: often.counted_until, ..often };
            prop_assert_eq!(used.confidence(), 0.9);
        }
    }
}
