//! Decimal numbers as they are written, of any length, without rounding.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number `digits × 10^exponent` in its only form: no zeros at either end of `digits`,
/// which is empty for zero. So equal numbers are equal values: 12.5 and 12.50, 10,000 and 1e4.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

/// Zeros that are written out; beyond them a number is shown with an exponent.
const ZEROS_MAX: i64 = 20;
/// Exponents are held within this, so that sums of them cannot overflow.
const EXPONENT_MAX: i64 = 1_000_000_000;

impl Decimal {
    /// Reads the number at the start of `text`; gives it and the rest. `None` when there is none.
    /// Knows a sign, grouped thousands, a fraction and an exponent.
    pub fn read(text: &str) -> Option<(Self, &str)> {
        let (is_negative, body) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(body) => (true, body),
            None => (false, text),
        };
        let whole_len = digits_len(body, true);
        let mut digits: String = body[..whole_len].chars().filter(|&c| c != ',').collect();
        let mut rest = &body[whole_len..];
        let mut exponent = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let len = digits_len(fraction, false);
            if len > 0 {
                digits.push_str(&fraction[..len]);
                exponent -= i64::try_from(len).unwrap_or(EXPONENT_MAX);
                rest = &fraction[len..];
            }
        }
        if digits.is_empty() {
            return None;
        }
        if let Some((power, after)) = read_exponent(rest) {
            exponent += power;
            rest = after;
        }
        Some((Self::of(is_negative, &digits, exponent), rest))
    }

    /// `value` as a decimal.
    pub fn from_integer(value: u64) -> Self {
        Self::of(false, &value.to_string(), 0)
    }

    fn of(is_negative: bool, digits: &str, exponent: i64) -> Self {
        let significant = digits.trim_start_matches('0');
        let trimmed = significant.trim_end_matches('0');
        if trimmed.is_empty() {
            return Self { is_negative: false, digits: String::new(), exponent: 0 };
        }
        let zeros = i64::try_from(significant.len() - trimmed.len()).unwrap_or(EXPONENT_MAX);
        Self { is_negative, digits: trimmed.to_owned(), exponent: exponent + zeros }
    }

    /// This number times `factor` times ten to the `power`.
    pub fn scaled(&self, factor: u32, power: i64) -> Self {
        let mut product: Vec<u8> = Vec::with_capacity(self.digits.len() + 10);
        let mut carry = 0u64;
        for digit in self.digits.bytes().rev() {
            carry += u64::from(digit - b'0') * u64::from(factor);
            product.push(b'0' + (carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            product.push(b'0' + (carry % 10) as u8);
            carry /= 10;
        }
        let digits: String = product.iter().rev().map(|&byte| char::from(byte)).collect();
        Self::of(self.is_negative, &digits, self.exponent + power)
    }

    /// How the two numbers stand to each other, without rounding. The derived order is another one:
    /// that of their digits as a text.
    pub fn compare(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || self.digits.is_empty() {
            return by_sign;
        }
        // The place of the first digit, and then digit by digit: neither has zeros at its ends.
        let place = |number: &Self| number.exponent + number.digits.len() as i64;
        let by_size = place(self).cmp(&place(other)).then_with(|| self.digits.cmp(&other.digits));
        if self.is_negative { by_size.reverse() } else { by_size }
    }

    /// Whether it is the number one.
    pub fn is_one(&self) -> bool {
        *self == Self::from_integer(1)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.is_negative {
            f.write_str("-")?;
        }
        let len = i64::try_from(self.digits.len()).unwrap_or(EXPONENT_MAX);
        let point = len + self.exponent;
        if !(-ZEROS_MAX..=len + ZEROS_MAX).contains(&point) {
            return write!(f, "{}e{}", self.digits, self.exponent);
        }
        let zeros = |n: i64| "0".repeat(usize::try_from(n).unwrap_or(0));
        if self.exponent >= 0 {
            write!(f, "{}{}", self.digits, zeros(self.exponent))
        } else if point <= 0 {
            write!(f, "0.{}{}", zeros(-point), self.digits)
        } else {
            let (whole, fraction) = self.digits.split_at(usize::try_from(point).unwrap_or(0));
            write!(f, "{whole}.{fraction}")
        }
    }
}

fn digits_len(text: &str, with_groups: bool) -> usize {
    let bytes = text.as_bytes();
    let is_inside = |i: usize| {
        bytes[i].is_ascii_digit()
            || with_groups
                && bytes[i] == b','
                && i > 0
                && bytes.get(i + 1).is_some_and(u8::is_ascii_digit)
    };
    (0..bytes.len()).take_while(|&i| is_inside(i)).count()
}

fn read_exponent(text: &str) -> Option<(i64, &str)> {
    let body = text.strip_prefix(['e', 'E'])?;
    let unsigned = body.strip_prefix(['-', '+']).unwrap_or(body);
    let len = digits_len(unsigned, false);
    if len == 0 {
        return None;
    }
    let power = unsigned[..len].parse().unwrap_or(EXPONENT_MAX).min(EXPONENT_MAX);
    let signed = if body.starts_with('-') { -power } else { power };
    Some((signed, &unsigned[len..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_form() {
        let cases = [
            ("12.50", "12.5"),
            ("12.5", "12.5"),
            ("0012", "12"),
            ("10,000", "10000"),
            ("1e4", "10000"),
            ("1e-3", "0.001"),
            ("1E+3", "1000"),
            (".5", "0.5"),
            ("-3.0", "-3"),
            ("\u{2212}3", "-3"),
            ("-0.0", "0"),
            ("1e300", "1e300"),
            ("1e99999999999999999999", "1e1000000000"),
        ];
        for (text, expected) in cases {
            let (number, rest) = Decimal::read(text).expect(text);
            assert_eq!((number.to_string().as_str(), rest), (expected, ""), "{text}");
        }
    }

    #[test]
    fn reading_stops_where_the_number_does() {
        assert_eq!(Decimal::read("12.5N").map(|(_, rest)| rest), Some("N"));
        assert_eq!(Decimal::read("2.1.3").map(|(_, rest)| rest), Some(".3"));
        assert_eq!(Decimal::read("2e").map(|(_, rest)| rest), Some("e"));
        assert_eq!(Decimal::read("N"), None);
        assert_eq!(Decimal::read("-"), None);
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let ascending =
            ["-1e9", "-12.5", "-12", "-0.001", "0", "1e-9", "0.999", "1", "1.01", "9", "10", "1e9"];
        let numbers: Vec<Decimal> =
            ascending.iter().filter_map(|text| Some(Decimal::read(text)?.0)).collect();
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                assert_eq!(a.compare(b), i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn scaling_is_exact() {
        let (number, _) = Decimal::read("2.5").expect("a number");
        assert_eq!(number.scaled(60, 0).to_string(), "150");
        assert_eq!(number.scaled(1, -3).to_string(), "0.0025");
    }
}
