use serde_json::Value;
use std::cmp::Ordering;

/// What a row has at a path, as far as conditions can tell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// The row has no such path.
    Absent,
    /// JSON null.
    Null,
    /// JSON true or false, which are not numbers.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(&'a str),
    /// An array.
    Array(&'a [Value]),
    /// An object: no condition compares one.
    Object,
}

impl<'a> Cell<'a> {
    /// The cell of what [`Path::resolve`](super::Path::resolve) found.
    pub fn of(found: Option<&'a Value>) -> Self {
        match found {
            None => Self::Absent,
            Some(Value::Null) => Self::Null,
            Some(Value::Bool(value)) => Self::Bool(*value),
            Some(Value::Number(number)) => Self::Number(Number::of(number)),
            Some(Value::String(text)) => Self::Text(text),
            Some(Value::Array(elements)) => Self::Array(elements),
            Some(Value::Object(_)) => Self::Object,
        }
    }
}

/// A JSON number, compared by its value: 5 is 5.0, and integers of 64 bits are told apart exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Any number without a fraction that an `i64` holds, however it was written.
    Integer(i64),
    /// An integer above those, that a `u64` holds.
    Unsigned(u64),
    /// Every other number; never NaN, infinite, or a value that the other two hold.
    Float(f64),
}

const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

impl Number {
    /// The number's value.
    pub fn of(number: &serde_json::Number) -> Self {
        if let Some(integer) = number.as_i64() {
            Self::Integer(integer)
        } else if let Some(integer) = number.as_u64() {
            Self::Unsigned(integer)
        } else {
            // A JSON number is one of the three.
            Self::of_float(number.as_f64().unwrap_or(0.0))
        }
    }

    /// As near as an `f64` comes.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Unsigned(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    fn of_float(value: f64) -> Self {
        if value.fract() != 0.0 {
            Self::Float(value)
        } else if (-TWO_POW_63..TWO_POW_63).contains(&value) {
            Self::Integer(value as i64)
        } else if (TWO_POW_63..TWO_POW_64).contains(&value) {
            Self::Unsigned(value as u64)
        } else {
            Self::Float(value)
        }
    }

    /// Which of two is the greater.
    pub fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(&b),
            (Self::Unsigned(a), Self::Unsigned(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(&b),
            (Self::Integer(_), Self::Unsigned(_)) => Ordering::Less,
            (Self::Unsigned(_), Self::Integer(_)) => Ordering::Greater,
            // A float here has a fraction, and lies where floats hold all integers, or it lies
            // beyond all integers: rounding the integer does not bring it past the float.
            (Self::Integer(a), Self::Float(b)) => (a as f64).total_cmp(&b),
            (Self::Unsigned(_), Self::Float(b)) if b < TWO_POW_64 => Ordering::Greater,
            (Self::Unsigned(_), Self::Float(_)) => Ordering::Less,
            (Self::Float(_), _) => other.compare(self).reverse(),
        }
    }
}

/// Whether two JSON values are the same, numbers by their value.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Number::of(a) == Number::of(b),
        (Value::Array(a), Value::Array(b)) => same_elements(a, b),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// Whether two JSON arrays are the same, element by element.
pub(super) fn same_elements(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(text: &str) -> Number {
        Number::of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn numbers_compare_by_value_and_exactly() {
        let ascending = [
            "-1e300",
            "-9223372036854775808",
            "-9223372036854775807",
            "-2.5",
            "-2",
            "-0.5",
            "0",
            "1e-300",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "1e300",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(number(a).compare(number(b)), i.cmp(&j), "{a} and {b}");
                assert_eq!(number(a) == number(b), i == j, "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        for (a, b) in [("5", "5.0"), ("0", "-0.0"), ("1e3", "1000"), ("1.5", "15e-1")] {
            assert_eq!(number(a), number(b));
            assert_eq!(number(a).compare(number(b)), Ordering::Equal);
        }
        assert_eq!(number("9223372036854775808.0"), number("9223372036854775808"));
    }

    #[test]
    fn arrays_are_the_same_by_structure() {
        let equal = [
            (json!([1, 2.0]), json!([1.0, 2])),
            (json!([{"a": 1, "b": [5]}]), json!([{"b": [5.0], "a": 1}])),
            (json!([]), json!([])),
        ];
        let different = [
            (json!([1, 2]), json!([2, 1])),
            (json!([1]), json!([1, 1])),
            (json!([1]), json!([true])),
            (json!([null]), json!([])),
            (json!([{"a": 1}]), json!([{"a": 1, "b": null}])),
            (json!([[1]]), json!([1])),
        ];
        assert!(equal.iter().all(|(a, b)| same(a, b)));
        assert!(different.iter().all(|(a, b)| !same(a, b)));
    }
}
