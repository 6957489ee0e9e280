//! The values at one path of all contexts.

use super::chunks::{Chunks, mask};
use super::dictionary::Dictionary;
use super::planes::{Bits, Planes};
use super::{Bitset, Slot};
use crate::bitset::word_slots;
use robot_memory_core::model::{Cell, Condition, Number, Operand, Operator};
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What every row has at one path of its context: half a byte a row for its type, one to eight for
/// its value, and each distinct text once.
#[derive(Debug, Clone, Default)]
pub struct Column {
    tags: Planes<{ TAG.len }>,
    /// What it means, the tag says.
    payloads: Payloads,
    texts: Dictionary,
    /// In the one spelling that equal arrays have.
    arrays: Dictionary,
}

const TAG: Bits = Bits { first: 0, len: 4 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Absent,
    Null,
    False,
    True,
    /// A number that an `f64` has exactly, as its bits.
    Double,
    /// Any other integer that an `i64` holds.
    Integer,
    /// Any other integer that a `u64` holds.
    Unsigned,
    /// Its code.
    Text,
    /// Its code.
    Array,
    Object,
}

impl Tag {
    const ALL: [Self; 10] = [
        Self::Absent,
        Self::Null,
        Self::False,
        Self::True,
        Self::Double,
        Self::Integer,
        Self::Unsigned,
        Self::Text,
        Self::Array,
        Self::Object,
    ];
}

/// All integers up to this one, and down to its negative, are `f64`s: 2^53.
const EXACT_INTEGER_MAX: i64 = 1 << f64::MANTISSA_DIGITS;

/// The `f64` of the same value, when there is one.
fn double(number: Number) -> Option<f64> {
    match number {
        Number::Integer(value) if value.unsigned_abs() <= EXACT_INTEGER_MAX.unsigned_abs() => {
            Some(value as f64)
        }
        Number::Float(value) => Some(value),
        Number::Integer(_) | Number::Unsigned(_) => None,
    }
}

/// The number whose [`double`] this is.
fn number_of(double: f64) -> Number {
    if double.fract() == 0.0 && double.abs() <= EXACT_INTEGER_MAX as f64 {
        Number::Integer(double as i64)
    } else {
        Number::Float(double)
    }
}

impl Column {
    /// Whether a row has nothing there.
    pub(super) fn is_absent(&self, slot: Slot) -> bool {
        self.tag(slot) == Tag::Absent
    }

    /// Sets what a row has there.
    pub fn put(&mut self, slot: Slot, cell: &Cell<'_>) {
        self.remove(slot);
        let (tag, payload) = match *cell {
            Cell::Absent => return,
            Cell::Null => (Tag::Null, None),
            Cell::Bool(false) => (Tag::False, None),
            Cell::Bool(true) => (Tag::True, None),
            Cell::Number(number) => match (number, double(number)) {
                (_, Some(double)) => (Tag::Double, Some(double.to_bits())),
                (Number::Integer(value), None) => (Tag::Integer, Some(value.cast_unsigned())),
                (Number::Unsigned(value), None) => (Tag::Unsigned, Some(value)),
                (Number::Float(value), None) => (Tag::Double, Some(value.to_bits())),
            },
            Cell::Text(text) => (Tag::Text, Some(self.texts.acquire(text).into())),
            Cell::Array(elements) => {
                (Tag::Array, Some(self.arrays.acquire(&canonical_array(elements)).into()))
            }
            Cell::Object => (Tag::Object, None),
        };
        self.tags.set(slot, TAG.at(tag as usize));
        match payload {
            Some(payload) if tag == Tag::Double => self.payloads.set_eight(slot, payload),
            Some(payload) => self.payloads.set(slot, payload),
            None => {}
        }
    }

    /// Forgets what a row has there.
    pub fn remove(&mut self, slot: Slot) {
        let tag = self.tag(slot);
        if tag == Tag::Absent {
            return;
        }
        // Of these two tags the payload is a code, which has 32 bits.
        let code = self.payloads.get(slot) as u32;
        match tag {
            Tag::Text => self.texts.release(code),
            Tag::Array => self.arrays.release(code),
            _ => {}
        }
        self.tags.set(slot, TAG.at(Tag::Absent as usize));
    }

    /// Takes out of `within` the rows that do not meet a condition on this path.
    pub fn matching(&self, condition: &Condition, within: &mut Bitset) {
        let operator = condition.operator;
        let wants_equal = operator.accepts(Ordering::Equal);
        match &condition.operand {
            Operand::Null if wants_equal => {
                within.retain_words(|index, _| self.rows_of(index, Tag::Null));
            }
            Operand::Null => within.retain_words(|index, _| {
                !(self.rows_of(index, Tag::Absent) | self.rows_of(index, Tag::Null))
            }),
            Operand::Bool(value) => {
                let tag = if *value == wants_equal { Tag::True } else { Tag::False };
                within.retain_words(|index, _| self.rows_of(index, tag));
            }
            Operand::Number(operand) => self.matching_numbers(operator, *operand, within),
            Operand::Text(text) if matches!(operator, Operator::Equal | Operator::NotEqual) => {
                self.matching_code(Tag::Text, self.texts.code(text), wants_equal, within);
            }
            Operand::Text(operand) => {
                let accepted: Vec<bool> = self
                    .texts
                    .texts()
                    .map(|text| operator.accepts(text.cmp(operand.as_str())))
                    .collect();
                self.retain_text_codes(&accepted, within);
            }
            Operand::Array(elements) => {
                let code = self.arrays.code(&canonical_array(elements));
                self.matching_code(Tag::Array, code, wants_equal, within);
            }
        }
    }

    /// The text that a row has there.
    pub fn text(&self, slot: Slot) -> Option<&str> {
        (self.tag(slot) == Tag::Text)
            .then(|| self.texts.text(u32::try_from(self.payloads.get(slot)).ok()?))
            .flatten()
    }

    /// The code of the text that a row has there: its place among [`texts`](Self::texts).
    pub(super) fn text_code(&self, slot: Slot) -> Option<u32> {
        (self.tag(slot) == Tag::Text).then(|| u32::try_from(self.payloads.get(slot)).ok()).flatten()
    }

    /// Takes out of `within` the rows that do not have the text of this code there.
    pub(super) fn retain_text_code(&self, code: u32, within: &mut Bitset) {
        self.matching_code(Tag::Text, Some(code), true, within);
    }

    /// Takes out of `within` the rows that do not have a text there whose code is accepted.
    pub(super) fn retain_text_codes(&self, accepted: &[bool], within: &mut Bitset) {
        within.retain_words(|index, word| match word & self.rows_of(index, Tag::Text) {
            0 => 0,
            texts => texts & self.payloads.among(index, accepted),
        });
    }

    /// The texts that rows have there, each once, by their codes; codes without a text have an empty one.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.texts()
    }

    /// The number that a row has there, as near as an `f64` comes.
    pub fn double(&self, slot: Slot) -> Option<f64> {
        self.number(slot).map(Number::as_f64)
    }

    /// Takes out of `within` the rows that have no text there.
    pub fn retain_texts(&self, within: &mut Bitset) {
        within.retain_words(|index, _| self.rows_of(index, Tag::Text));
    }

    /// Takes out of `within` the rows that have no number there.
    pub fn retain_numbers(&self, within: &mut Bitset) {
        within.retain_words(|index, _| {
            let of = |tag| self.rows_of(index, tag);
            of(Tag::Double) | of(Tag::Integer) | of(Tag::Unsigned)
        });
    }

    /// Bytes a row that a condition reads: what it costs beside another.
    pub(super) fn cost(&self, condition: &Condition) -> usize {
        match condition.operand {
            Operand::Null | Operand::Bool(_) => 0,
            _ => self.payloads.width(),
        }
    }

    /// Keeps the rows with this tag whose code is the given one, or is not.
    fn matching_code(&self, tag: Tag, code: Option<u32>, wants_equal: bool, within: &mut Bitset) {
        within.retain_words(|index, word| match (word & self.rows_of(index, tag), code) {
            (0, _) => 0,
            (_, None) if wants_equal => 0,
            (rows, None) => rows,
            (rows, Some(code)) => {
                let equal = self.payloads.equal_to(index, code);
                rows & if wants_equal { equal } else { !equal }
            }
        });
    }

    fn matching_numbers(&self, operator: Operator, operand: Number, within: &mut Bitset) {
        let operand_double = double(operand);
        within.retain_words(|index, word| {
            let doubles = word & self.rows_of(index, Tag::Double);
            let others =
                word & (self.rows_of(index, Tag::Integer) | self.rows_of(index, Tag::Unsigned));
            let (fast, slow) = match operand_double {
                Some(_) => (doubles, others),
                None => (0, doubles | others),
            };
            let mut kept = 0;
            if let Some(operand) = operand_double
                && fast != 0
            {
                kept = fast & self.payloads.compare(index, operator, operand);
            }
            for slot in word_slots(index, slow) {
                let accepted = self
                    .number(slot)
                    .is_some_and(|number| operator.accepts(number.compare(operand)));
                kept |= u64::from(accepted) << (slot % u64::BITS);
            }
            kept
        });
    }

    /// The rows of a word that have a tag. Where nothing was put yet all are absent.
    #[inline]
    fn rows_of(&self, index: usize, tag: Tag) -> u64 {
        self.tags.slots_with(index, TAG, tag as usize)
    }

    fn tag(&self, slot: Slot) -> Tag {
        Tag::ALL.get(TAG.of(self.tags.get(slot))).copied().unwrap_or(Tag::Absent)
    }

    fn number(&self, slot: Slot) -> Option<Number> {
        let payload = || self.payloads.get(slot);
        match self.tag(slot) {
            Tag::Double => Some(number_of(f64::from_bits(payload()))),
            Tag::Integer => Some(Number::Integer(payload().cast_signed())),
            Tag::Unsigned => Some(Number::Unsigned(payload())),
            _ => None,
        }
    }
}

/// A value for each row, in as few bytes as the greatest needs.
#[derive(Debug, Clone)]
enum Payloads {
    One(Chunks<u8>),
    Two(Chunks<u16>),
    Four(Chunks<u32>),
    Eight(Chunks<u64>),
}

/// The same for payloads of any width.
macro_rules! each_width {
    ($payloads:expr, $values:ident => $body:expr) => {
        match $payloads {
            Payloads::One($values) => $body,
            Payloads::Two($values) => $body,
            Payloads::Four($values) => $body,
            Payloads::Eight($values) => $body,
        }
    };
}

impl Default for Payloads {
    fn default() -> Self {
        Self::One(Chunks::new(0))
    }
}

impl Payloads {
    fn width(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(_) => 2,
            Self::Four(_) => 4,
            Self::Eight(_) => 8,
        }
    }

    /// What a row was set to; 0 when it was not.
    fn get(&self, slot: Slot) -> u64 {
        each_width!(self, values => values.get(slot).map_or(0, u64::from))
    }

    fn set(&mut self, slot: Slot, payload: u64) {
        if each_width!(self, values => set_in(values, slot, payload)) {
            return;
        }
        *self = if payload <= u16::MAX.into() {
            self.widened(Self::Two, |value| value as u16)
        } else if payload <= u32::MAX.into() {
            self.widened(Self::Four, |value| value as u32)
        } else {
            self.widened(Self::Eight, |value| value)
        };
        self.set(slot, payload);
    }

    /// Sets a payload of which all eight bytes are read whatever its value is.
    fn set_eight(&mut self, slot: Slot, payload: u64) {
        if self.width() < size_of::<u64>() {
            *self = self.widened(Self::Eight, |value| value);
        }
        self.set(slot, payload);
    }

    fn widened<T: Copy>(&self, of: fn(Chunks<T>) -> Self, to: fn(u64) -> T) -> Self {
        of(each_width!(self, values => widened_in(values, to)))
    }

    /// The rows of a word with this code.
    #[inline]
    fn equal_to(&self, index: usize, code: u32) -> u64 {
        each_width!(self, values => equal_in(values, index, code))
    }

    /// The rows of a word whose code is accepted.
    fn among(&self, index: usize, accepted: &[bool]) -> u64 {
        // A row that has no code may have any payload.
        let is_in = |code: u64| {
            usize::try_from(code).ok().and_then(|code| accepted.get(code)) == Some(&true)
        };
        each_width!(self, values => passing_in(values, index, is_in))
    }

    /// The rows of a word whose double, which is what they all must have, an operator accepts.
    #[inline]
    fn compare(&self, index: usize, operator: Operator, operand: f64) -> u64 {
        // With doubles in it a column is of this width.
        let Self::Eight(values) = self else { return 0 };
        let Some(block) = values.block(index) else { return 0 };
        // A loop for each, since the choice between them would keep it from being a vector one.
        match operator {
            Operator::Equal => mask(block, |bits| f64::from_bits(bits) == operand),
            Operator::NotEqual => mask(block, |bits| f64::from_bits(bits) != operand),
            Operator::Less => mask(block, |bits| f64::from_bits(bits) < operand),
            Operator::LessOrEqual => mask(block, |bits| f64::from_bits(bits) <= operand),
            Operator::Greater => mask(block, |bits| f64::from_bits(bits) > operand),
            Operator::GreaterOrEqual => mask(block, |bits| f64::from_bits(bits) >= operand),
        }
    }
}

/// Answers whether it has room for such a payload.
fn set_in<T: Copy + TryFrom<u64>>(values: &mut Chunks<T>, slot: Slot, payload: u64) -> bool {
    T::try_from(payload).map(|payload| values.set(slot, payload)).is_ok()
}

fn widened_in<T: Copy + Into<u64>, U: Copy>(values: &Chunks<T>, to: fn(u64) -> U) -> Chunks<U> {
    values.map(|value| to(value.into()))
}

fn passing_in<T: Copy + Into<u64>>(
    values: &Chunks<T>,
    index: usize,
    pass: impl Fn(u64) -> bool,
) -> u64 {
    values.block(index).map_or(0, |block| mask(block, |value| pass(value.into())))
}

fn equal_in<T>(values: &Chunks<T>, index: usize, code: u32) -> u64
where
    T: Copy + PartialEq + TryFrom<u32>,
{
    match (values.block(index), T::try_from(code)) {
        (Some(block), Ok(code)) => mask(block, |value| value == code),
        _ => 0,
    }
}

/// The spelling that all arrays have that are the same by structure, and no others.
fn canonical_array(elements: &[Value]) -> String {
    let mut text = String::new();
    write_array(elements, &mut text);
    text
}

fn write_array(elements: &[Value], out: &mut String) {
    out.push('[');
    for element in elements {
        write_canonical(element, out);
        out.push(',');
    }
    out.push(']');
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => out.push_str(&match Number::of(number) {
            Number::Integer(value) => value.to_string(),
            Number::Unsigned(value) => value.to_string(),
            // Always with a point or an exponent, unlike the integers.
            Number::Float(value) => format!("{value:?}"),
        }),
        Value::Array(elements) => write_array(elements, out),
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            out.push('{');
            for (key, member) in sorted {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(member, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}
