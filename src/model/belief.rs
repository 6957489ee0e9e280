//! How far a memory is believed, and how that fades with the days.

use super::Stamp;

/// Belief does not fade within so many days of being recalled.
pub const FRESH_DAYS: f64 = 1.0;
/// Belief that is this low fades no further.
pub const CONFIDENCE_FLOOR: f64 = 0.05;

/// Belief in a memory as it was at one time, and from when on days without a recall take from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// 0 to 1.
    pub confidence: f64,
    /// Share of it that each day takes, 0 to 1.
    pub decay_rate: f64,
    /// Days count from then: the last recall, else when the memory was made, or up to when they were
    /// counted before, if that is later.
    pub fades_from: Stamp,
}

impl Belief {
    /// What is left of it at a time: `confidence * (1 - decay_rate) ^ days`.
    ///
    /// `None` when it stays as it is: after no more than [`FRESH_DAYS`], or at [`CONFIDENCE_FLOOR`] or
    /// below.
    pub fn faded(self, until: Stamp) -> Option<Self> {
        let days = until.days_since(self.fades_from);
        (days > FRESH_DAYS && self.confidence > CONFIDENCE_FLOOR).then(|| Self {
            confidence: self.confidence * (1.0 - self.decay_rate).powf(days),
            fades_from: until,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BORN: Stamp = Stamp::from_secs(1_750_000_000);

    fn left(confidence: f64, decay_rate: f64, days: f64) -> Option<f64> {
        let belief = Belief { confidence, decay_rate, fades_from: BORN };
        let faded = belief.faded(BORN.plus_days(days))?;
        assert_eq!((faded.decay_rate, faded.fades_from), (decay_rate, BORN.plus_days(days)));
        Some(faded.confidence)
    }

    #[test]
    fn belief_fades_by_the_day() {
        for (confidence, days, expected) in
            [(0.9, 10.0, 0.8139), (0.8, 1.5, 0.7880), (0.051, 100.0, 0.0187)]
        {
            let left = left(confidence, 0.01, days).unwrap();
            assert!((left - expected).abs() < 5e-5, "{confidence} after {days} days: {left}");
        }
        assert_eq!(left(0.9, 0.0, 10.0), Some(0.9));
        assert_eq!(left(0.9, 1.0, 10.0), Some(0.0));
    }

    #[test]
    fn what_is_fresh_or_hardly_believed_stays() {
        for (confidence, days) in [(0.9, 1.0), (0.9, 0.0), (0.9, -3.0), (0.05, 10.0), (0.0, 10.0)] {
            assert_eq!(left(confidence, 0.01, days), None, "{confidence} after {days} days");
        }
    }

    proptest! {
        #[test]
        fn two_steps_come_to_the_same_as_one(first in 1.1..100.0_f64, more in 1.1..100.0_f64) {
            let belief = Belief { confidence: 0.9, decay_rate: 0.01, fades_from: BORN };
            let once = belief.faded(BORN.plus_days(first + more)).unwrap();
            let twice = belief.faded(BORN.plus_days(first)).unwrap();
            let twice = twice.faded(BORN.plus_days(first + more)).unwrap();
            prop_assert!((once.confidence - twice.confidence).abs() < 1e-12);
        }
    }
}
