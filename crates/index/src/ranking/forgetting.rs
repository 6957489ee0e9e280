//! The forgetting curve: how much a memory is still worth keeping (SPEC 3.5).

use robot_memory_core::model::{Category, MemType};

/// Recalls slow forgetting down by at most this much more than none.
const SLOWING_MAX: f64 = 3.0;

/// Half-life of a memory that was never recalled, in days. `None`: it never fades, because of its class
/// or because its category is protected.
pub const fn half_life_days(mem_type: MemType, category: Option<Category>) -> Option<f64> {
    if let Some(category) = category
        && category.is_protected()
    {
        return None;
    }
    match mem_type {
        MemType::TaskLog => Some(30.0),
        MemType::Procedure => Some(90.0),
        MemType::Preference
        | MemType::Fact
        | MemType::Lesson
        | MemType::Decision
        | MemType::Knowledge => None,
    }
}

/// How the worth of keeping one memory falls with its age:
/// `importance * exp(-lambda * age_days / divisor)`, where `lambda = ln 2 / half_life_days` and
/// `divisor = 1 + min(ln(1 + access_count), 3)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForgettingCurve {
    importance: f64,
    half_life_days: f64,
}

impl ForgettingCurve {
    /// That of a memory of this class and category, of this importance (0 to 1), which was recalled so
    /// often; `None` when it never fades.
    pub fn of(
        mem_type: MemType,
        category: Option<Category>,
        importance: f64,
        access_count: u32,
    ) -> Option<Self> {
        let half_life_days = half_life_days(mem_type, category)? * divisor(access_count);
        Some(Self { importance, half_life_days })
    }

    /// What is left of importance at this age in days, 0 to 1; importance itself of what is not born yet.
    pub fn retention(self, age_days: f64) -> f64 {
        self.importance * (-std::f64::consts::LN_2 * age_days.max(0.0) / self.half_life_days).exp()
    }

    /// The age in days from which retention is below a bound: `log2(importance / bound)` half-lives, 0
    /// when it always is. `None`: it never comes to that.
    pub fn age_below(self, bound: f64) -> Option<f64> {
        (bound > 0.0).then(|| (self.importance / bound).log2().max(0.0) * self.half_life_days)
    }
}

/// By how much recalls slow forgetting down, 1 to 4.
fn divisor(access_count: u32) -> f64 {
    1.0 + f64::from(access_count).ln_1p().min(SLOWING_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(mem_type: MemType, importance: f64, access_count: u32) -> ForgettingCurve {
        ForgettingCurve::of(mem_type, None, importance, access_count).expect("it fades")
    }

    #[test]
    fn the_figures_of_the_specification() {
        use MemType::*;
        // Class, importance, recalls, age in days, retention.
        let cases = [
            (TaskLog, 0.5, 0, 0.0, 0.5),
            (TaskLog, 0.5, 0, 30.0, 0.25),
            (TaskLog, 1.0, 0, 60.0, 0.25),
            (Procedure, 0.8, 0, 90.0, 0.4),
            (Procedure, 0.8, 0, 30.0, 0.634_960),
            // ln 2 more slowly, so two to the power of -1 / 1.693.
            (TaskLog, 1.0, 1, 30.0, 0.664_059),
            // From e^3 - 1, about 19, recalls on the half-life is four times as long.
            (TaskLog, 1.0, 20, 120.0, 0.5),
            (TaskLog, 1.0, 4_000_000_000, 120.0, 0.5),
        ];
        for (mem_type, importance, access_count, age_days, expected) in cases {
            let retention = curve(mem_type, importance, access_count).retention(age_days);
            assert!((retention - expected).abs() < 1e-6, "{age_days} days: {retention}");
        }
    }

    #[test]
    fn most_classes_and_all_that_is_protected_never_fade() {
        for &mem_type in MemType::ALL {
            let fades = matches!(mem_type, MemType::TaskLog | MemType::Procedure);
            assert_eq!(half_life_days(mem_type, None).is_some(), fades, "{mem_type}");
            for &category in Category::ALL {
                let curve = ForgettingCurve::of(mem_type, Some(category), 0.5, 0);
                assert_eq!(curve.is_some(), fades && !category.is_protected(), "{category}");
            }
        }
    }

    #[test]
    fn a_task_log_is_kept_for_ten_weeks() {
        let age = curve(MemType::TaskLog, 0.5, 0).age_below(0.1).expect("one day");
        assert!((age - 69.657_843).abs() < 1e-6, "{age}");
        assert_eq!(curve(MemType::TaskLog, 0.05, 0).age_below(0.1), Some(0.0));
        assert_eq!(curve(MemType::TaskLog, 0.0, 0).age_below(0.1), Some(0.0));
        assert_eq!(curve(MemType::TaskLog, 0.5, 0).age_below(0.0), None);
    }

    proptest! {
        #[test]
        fn it_never_rises_and_stays_in_bounds(
            importance in 0.0..=1.0_f64,
            access_count: u32,
            age in -100.0..10_000.0_f64,
            more in 0.0..1_000.0_f64,
        ) {
            for mem_type in [MemType::TaskLog, MemType::Procedure] {
                let curve = curve(mem_type, importance, access_count);
                let (now, later) = (curve.retention(age), curve.retention(age + more));
                prop_assert!(later <= now && now <= importance && later >= 0.0);
                let recalled = super::tests::curve(mem_type, importance, access_count / 2);
                prop_assert!(recalled.retention(age) <= now + 1e-12);
            }
        }

        #[test]
        fn the_closed_form_agrees_with_the_formula(
            importance in 0.0..=1.0_f64,
            access_count in 0..1_000_u32,
            bound in 0.001..0.999_f64,
        ) {
            let lambda = std::f64::consts::LN_2 / 30.0;
            let divisor = 1.0 + (1.0 + f64::from(access_count)).ln().min(3.0);
            let formula = |age: f64| importance * (-lambda * age / divisor).exp();
            let curve = curve(MemType::TaskLog, importance, access_count);
            let age = curve.age_below(bound).expect("a bound above 0");
            prop_assert!((curve.retention(age) - formula(age)).abs() < 1e-12);
            prop_assert!(formula(age + 1e-6) < bound);
            if age > 1e-6 {
                prop_assert!(formula(age - 1e-6) > bound);
            }
        }
    }
}
