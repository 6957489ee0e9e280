/// Belief does not fade within so many days of being recalled.
pub const FRESH_DAYS: f64 = 1.0;
/// Belief that is this low fades no further.
pub const CONFIDENCE_FLOOR: f64 = 0.05;

/// What is left of a confidence (0 to 1) after some days without being recalled, when each takes
/// away the share `decay_rate` (0 to 1): `confidence * (1 - decay_rate) ^ days`.
///
/// `None` when it stays as it is: after no more than one day, or at 0.05 or below.
pub fn decayed(confidence: f64, decay_rate: f64, days: f64) -> Option<f64> {
    (days > FRESH_DAYS && confidence > CONFIDENCE_FLOOR)
        .then(|| confidence * (1.0 - decay_rate).powf(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn belief_fades_by_the_day() {
        for (confidence, days, expected) in
            [(0.9, 10.0, 0.8139), (0.8, 1.5, 0.7880), (0.051, 100.0, 0.0187)]
        {
            let left = decayed(confidence, 0.01, days).unwrap();
            assert!((left - expected).abs() < 5e-5, "{confidence} after {days} days: {left}");
        }
        assert_eq!(decayed(0.9, 0.0, 10.0), Some(0.9));
        assert_eq!(decayed(0.9, 1.0, 10.0), Some(0.0));
    }

    #[test]
    fn what_is_fresh_or_hardly_believed_stays() {
        for (confidence, days) in [(0.9, 1.0), (0.9, 0.0), (0.9, -3.0), (0.05, 10.0), (0.0, 10.0)] {
            assert_eq!(decayed(confidence, 0.01, days), None, "{confidence} after {days} days");
        }
    }

    #[test]
    fn two_steps_come_to_the_same_as_one() {
        let once = decayed(0.9, 0.01, 10.0).unwrap();
        let twice = decayed(decayed(0.9, 0.01, 4.0).unwrap(), 0.01, 6.0).unwrap();
        assert!((once - twice).abs() < 1e-12);
    }
}
