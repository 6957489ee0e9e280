//! Numbers with units, held against each other.

use super::decimal::Decimal;
use super::units::scale;
use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization;

/// A number in a unit. Two of one dimension are compared exactly, whatever units they are written in:
/// 12500 mN is 12.5 N, and 1.8 km/h is 0.5 m/s.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount {
    value: f64,
    unit: String,
    base: String,
    /// The value in the base unit, times `per`.
    number: Decimal,
    per: u32,
    /// One of the unit in the base unit, rounded.
    size: f64,
}

/// Two values whose rounded forms differ by more than this share of the greater are told apart by
/// these; rounding errs by less than a thousandth of it.
const SURE_SHARE: f64 = 1e-9;

impl Amount {
    /// `value` in `unit`, which is spelled as in texts: `N`, `mm`, `km/h`, 牛; empty for a plain number.
    /// `None` when the unit is not known or the value is not finite.
    pub fn new(value: f64, unit: &str) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let symbol: String = unit.trim().nfkc().collect();
        let scale = scale(&symbol)?;
        // The shortest decimal that is this number: what was written.
        let (number, _) = Decimal::read(&format!("{value:e}"))?;
        let power = i32::try_from(scale.power).ok()?;
        let size = f64::from(scale.factor) * 10f64.powi(power) / f64::from(scale.per);
        Some(Self {
            value,
            unit: unit.to_owned(),
            base: scale.base,
            number: number.scaled(scale.factor, scale.power),
            per: scale.per,
            size,
        })
    }

    /// The number in its unit.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The unit as it was given.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The symbol of the base unit, equal for what can be compared; empty for plain numbers.
    pub fn dimension(&self) -> &str {
        &self.base
    }

    /// How it stands to `other`; `None` when that is of another dimension.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.base != other.base {
            return None;
        }
        let sure = Self::compare_rounded(self.rounded(), other.rounded());
        if sure.is_some() {
            return sure;
        }
        // a / per is to b / other.per as a × other.per to b × per.
        Some(self.number.scaled(other.per, 0).compare(&other.number.scaled(self.per, 0)))
    }

    /// The value in the base unit, rounded: what [`compare_rounded`](Self::compare_rounded) takes.
    pub fn rounded(&self) -> f64 {
        self.value * self.size
    }

    /// How two of one dimension stand to each other by their [rounded](Self::rounded) values; `None` when
    /// these are too near to tell, and [`compare`](Self::compare) must.
    pub fn compare_rounded(a: f64, b: f64) -> Option<Ordering> {
        ((a - b).abs() > SURE_SHARE * a.abs().max(b.abs())).then(|| a.total_cmp(&b))
    }

    /// Its value in the unit of `other`, to 15 digits, which is of the same dimension.
    pub fn value_in(&self, other: &Self) -> f64 {
        if self.unit == other.unit {
            return self.value;
        }
        let value = self.value * (self.size / other.size);
        format!("{value:.14e}").parse().unwrap_or(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amount(value: f64, unit: &str) -> Amount {
        Amount::new(value, unit).expect(unit)
    }

    #[test]
    fn equal_amounts_are_equal_in_all_units() {
        let equal = [
            ((12.5, "N"), (12500.0, "mN")),
            ((0.1, "m"), (10.0, "cm")),
            ((0.3, "m"), (300.0, "mm")),
            ((1.8, "km/h"), (0.5, "m/s")),
            ((1.0, "inch"), (2.54, "cm")),
            ((8.0, "牛"), (8.0, "N")),
            ((0.0, "N"), (-0.0, "kN")),
            ((3.0, ""), (3.0, "次")),
            ((2.0, "min"), (120.0, "s")),
        ];
        for ((a, a_unit), (b, b_unit)) in equal {
            let (a, b) = (amount(a, a_unit), amount(b, b_unit));
            assert_eq!(a.compare(&b), Some(Ordering::Equal), "{a:?} {b:?}");
            assert_eq!(a.value_in(&b), b.value(), "{a:?} {b:?}");
        }
        assert_eq!(amount(0.1 + 0.2, "N").compare(&amount(0.3, "N")), Some(Ordering::Greater));
        assert_eq!(amount(12500.001, "mN").compare(&amount(12.5, "N")), Some(Ordering::Greater));
        assert_eq!(amount(-2.0, "N").compare(&amount(-1.0, "kN")), Some(Ordering::Greater));
        assert_eq!(amount(1e308, "kN").compare(&amount(1e308, "MW")), None);
        assert_eq!(amount(1e308, "kN").compare(&amount(1e307, "kN")), Some(Ordering::Greater));
        assert_eq!(amount(1.0, "rad").compare(&amount(1.0, "deg")), None);
        assert_eq!(Amount::new(f64::NAN, "N"), None);
        assert_eq!(Amount::new(1.0, "MN"), None);
    }

    proptest! {
        #[test]
        fn whole_numbers_compare_as_they_are(a in -100_000i32..100_000, b in -100_000i32..100_000) {
            let by_unit = amount(f64::from(a), "mm").compare(&amount(f64::from(b) / 10.0, "cm"));
            prop_assert_eq!(by_unit, Some(a.cmp(&b)));
        }
    }
}
