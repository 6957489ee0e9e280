//! What a parameter is, and which values it takes.

use robot_memory_core::jobs::{DailyAt, WeeklyAt};
use robot_memory_core::model::Scope;
use std::borrow::Cow;
use std::fmt;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Double(f64),
    /// Text.
    Text(Cow<'static, str>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list of yes and no.
    Bools(Vec<bool>),
    /// A list of whole numbers.
    Integers(Vec<i64>),
    /// A list of numbers.
    Doubles(Vec<f64>),
    /// A list of texts.
    Texts(Vec<String>),
}

impl Value {
    /// The type's name, with its article, as messages use it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Double(_) => "a double",
            Self::Text(_) => "a string",
            Self::Bytes(_) => "a list of bytes",
            Self::Bools(_) => "a list of booleans",
            Self::Integers(_) => "a list of integers",
            Self::Doubles(_) => "a list of doubles",
            Self::Texts(_) => "a list of strings",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "\"{value}\""),
            Self::Bytes(values) => write!(f, "{values:?}"),
            Self::Bools(values) => write!(f, "{values:?}"),
            Self::Integers(values) => write!(f, "{values:?}"),
            Self::Doubles(values) => write!(f, "{values:?}"),
            Self::Texts(values) => write!(f, "{values:?}"),
        }
    }
}

/// Which values of its type a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// All.
    Any,
    /// Whole numbers from the first to the second.
    Integers(i64, i64),
    /// Finite numbers from the first to the second.
    Doubles(f64, f64),
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A text of this many bytes, from the first to the second.
    Bytes(usize, usize),
    /// A scope that rows can have ([`Scope`]), or empty.
    Scope,
    /// A time of each day ([`DailyAt`]), or empty.
    Daily,
    /// A time of one day of each week ([`WeeklyAt`]), or empty.
    Weekly,
}

impl Bounds {
    pub(super) fn hold(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _) => true,
            (Self::Integers(min, max), Value::Integer(value)) => (min..=max).contains(value),
            (Self::Doubles(min, max), Value::Double(value)) => (min..=max).contains(value),
            (Self::OneOf(all), Value::Text(value)) => all.contains(&value.as_ref()),
            (Self::Bytes(min, max), Value::Text(value)) => (min..=max).contains(&value.len()),
            (Self::Scope, Value::Text(value)) => value.is_empty() || Scope::parse(value).is_ok(),
            (Self::Daily, Value::Text(value)) => value.is_empty() || DailyAt::parse(value).is_ok(),
            (Self::Weekly, Value::Text(value)) => {
                value.is_empty() || WeeklyAt::parse(value).is_ok()
            }
            _ => false,
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => Ok(()),
            Self::Integers(min, max) => write!(f, "from {min} to {max}"),
            Self::Doubles(min, max) => write!(f, "from {min:?} to {max:?}"),
            Self::OneOf(all) => {
                f.write_str("one of ")?;
                for (i, text) in all.iter().enumerate() {
                    write!(f, "{}\"{text}\"", if i == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
            Self::Bytes(min, max) => write!(f, "{min} to {max} bytes long"),
            Self::Scope => f.write_str("a scope that rows can have, as group:<id>, or empty"),
            Self::Daily => f.write_str("a time of day from 00:00 to 23:59, or empty"),
            Self::Weekly => f.write_str("a day and a time, as sun 04:00, or empty"),
        }
    }
}
