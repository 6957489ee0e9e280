use super::layout::Primitive;
use robot_memory_core::model::Stamp;
use std::borrow::Cow;

/// Bytes of the header that says how a message is coded.
const HEADER_BYTES: usize = 4;

/// Why a message cannot be read.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(.field, *.at))]
pub struct CdrError {
    /// The field at which it was seen, `pose.position`; empty for the header or when not known.
    pub field: String,
    /// Where in the message, from its header on.
    pub at: usize,
    pub problem: CdrProblem,
}

fn place(field: &str, at: usize) -> String {
    match field {
        "" => format!("byte {at}: "),
        field => format!("{field}, byte {at}: "),
    }
}

/// What can be wrong with the bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CdrProblem {
    /// The bytes end too early.
    #[error("{needed} more bytes are needed, and {left} are left")]
    Short {
        /// How many, at least.
        needed: usize,
        /// How many there are.
        left: usize,
    },
    /// Another way to code a message than ROS 2's.
    #[error("the encapsulation {0:#06x} is none of plain CDR (0x0000 and 0x0001): {name}", name = encapsulation_name(*.0))]
    Encapsulation(u16),
    /// A boolean that is neither.
    #[error("a bool is {0}, which is neither 0 nor 1")]
    Bool(u8),
    /// More elements than the definition allows.
    #[error("there are {count} elements, and its definition allows {count_max}")]
    TooMany {
        /// How many the message says.
        count: usize,
        /// How many there can be.
        count_max: usize,
    },
    /// An element that is asked for and not there.
    #[error("element {index} is asked for, and there are {count}")]
    NoElement {
        /// From 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// More numbers than are taken out of one message.
    #[error("there are {count} numbers, and at most {count_max} are taken out of a message")]
    TooManyNumbers {
        /// How many there are.
        count: usize,
        /// How many are taken.
        count_max: usize,
    },
}

fn encapsulation_name(id: u16) -> &'static str {
    match id {
        0x0002 | 0x0003 => "it is a parameter list",
        0x0006..=0x000b => "it is XCDR2",
        _ => "it is not known",
    }
}

impl CdrError {
    /// The same, as of a field that lies in the one with this name.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        let separator = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        self.field.insert_str(0, separator);
        self.field.insert_str(0, name);
        self
    }
}

/// Reads a message from its beginning to its end: plain CDR (OMG CDR as of RTPS 2.2, section 10, and
/// XCDR version 1), in either order of bytes. Numbers are aligned to their size, counted from after
/// the header of four bytes.
///
/// Nothing is allocated by what a message says of its lengths.
#[derive(Debug, Clone)]
pub struct CdrReader<'a> {
    message: &'a [u8],
    at: usize,
    is_bigendian: bool,
}

macro_rules! read_numbers {
    ($($(#[$meta:meta])* $type:ident;)+) => { $(
        $(#[$meta])*
        pub fn $type(&mut self) -> Result<$type, CdrError> {
            let bytes = self.aligned_array()?;
            Ok(if self.is_bigendian {
                <$type>::from_be_bytes(bytes)
            } else {
                <$type>::from_le_bytes(bytes)
            })
        }
    )+ };
}

impl<'a> CdrReader<'a> {
    /// A reader of a message with its header.
    ///
    /// # Errors
    /// The header is not there, or not of plain CDR.
    pub fn new(message: &'a [u8]) -> Result<Self, CdrError> {
        let mut reader = Self { message, at: 0, is_bigendian: true };
        let &[high, low, ..] = reader.take(HEADER_BYTES)? else {
            return Err(reader.short(HEADER_BYTES));
        };
        reader.is_bigendian = match u16::from_be_bytes([high, low]) {
            0x0000 => true,
            0x0001 => false,
            id => {
                let problem = CdrProblem::Encapsulation(id);
                return Err(CdrError { field: String::new(), at: 0, problem });
            }
        };
        Ok(reader)
    }

    /// Where in the message, from its header on, it will read next.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Whether numbers have their highest byte first.
    pub const fn is_bigendian(&self) -> bool {
        self.is_bigendian
    }

    /// The whole message with its header.
    pub const fn message(&self) -> &'a [u8] {
        self.message
    }

    /// An error at the place where it would read next.
    pub fn error(&self, problem: CdrProblem) -> CdrError {
        CdrError { field: String::new(), at: self.at, problem }
    }

    #[cold]
    fn short(&self, needed: usize) -> CdrError {
        self.error(CdrProblem::Short { needed, left: self.message.len().saturating_sub(self.at) })
    }

    fn align(&mut self, size: usize) {
        // The header is as long as four, so that only eights are shifted by it.
        let past = self.at.wrapping_sub(HEADER_BYTES) & (size - 1);
        if past != 0 {
            self.at += size - past;
        }
    }

    /// The next bytes, as they are.
    ///
    /// # Errors
    /// There are fewer.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], CdrError> {
        let end = self.at.checked_add(count);
        let Some(bytes) = end.and_then(|end| self.message.get(self.at..end)) else {
            return Err(self.short(count));
        };
        self.at += count;
        Ok(bytes)
    }

    fn aligned_array<const N: usize>(&mut self) -> Result<[u8; N], CdrError> {
        self.align(N);
        match self.message.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.short(N)),
        }
    }

    read_numbers! {
        /// A `uint8`, `byte` or `char`.
        u8;
        /// An `int32`.
        i32;
        /// A `uint32`.
        u32;
        /// An `int64`.
        i64;
        /// A `uint64`.
        u64;
        /// A `float64`, finite or not.
        f64;
    }

    /// So many `float64`, finite or not.
    ///
    /// # Errors
    /// The message ends.
    pub fn f64_array<const N: usize>(&mut self) -> Result<[f64; N], CdrError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.f64()?;
        }
        Ok(numbers)
    }

    /// A `builtin_interfaces/Time`.
    ///
    /// # Errors
    /// The message ends.
    pub fn stamp(&mut self) -> Result<Stamp, CdrError> {
        Ok(Stamp::from_parts(self.i32()?, self.u32()?))
    }

    /// A `bool`.
    ///
    /// # Errors
    /// The message ends, or says neither 0 nor 1.
    pub fn bool(&mut self) -> Result<bool, CdrError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => {
                self.at -= 1;
                Err(self.error(CdrProblem::Bool(other)))
            }
        }
    }

    /// How many elements follow, each of this many bytes at least: never more than the bytes that are
    /// left can hold.
    ///
    /// # Errors
    /// The message ends, or is too short for so many.
    pub fn count(&mut self, size_min: usize) -> Result<usize, CdrError> {
        let count = self.u32()? as usize;
        self.check_left(count, size_min)?;
        Ok(count)
    }

    /// Whether the bytes left can hold so many elements.
    pub(super) fn check_left(&self, count: usize, size_min: usize) -> Result<(), CdrError> {
        let needed = count.saturating_mul(size_min);
        if needed > self.message.len().saturating_sub(self.at) {
            return Err(self.short(needed));
        }
        Ok(())
    }

    /// The bytes of a `string`, without the zero at its end.
    ///
    /// # Errors
    /// The message ends.
    pub fn text_bytes(&mut self) -> Result<&'a [u8], CdrError> {
        let count = self.count(1)?;
        let bytes = self.take(count)?;
        Ok(bytes.strip_suffix(&[0]).unwrap_or(bytes))
    }

    /// A `string`; what is not UTF-8 becomes U+FFFD.
    ///
    /// # Errors
    /// The message ends.
    pub fn text(&mut self) -> Result<Cow<'a, str>, CdrError> {
        Ok(String::from_utf8_lossy(self.text_bytes()?))
    }

    /// A `wstring`: UTF-16, each unit in four bytes, as ROS 2 writes it.
    ///
    /// # Errors
    /// The message ends.
    pub fn wide_text(&mut self) -> Result<String, CdrError> {
        let count = self.count(4)?;
        let mut units = Vec::with_capacity(count);
        for _ in 0..count {
            units.push(u16::try_from(self.u32()?).unwrap_or(0xfffd));
        }
        Ok(String::from_utf16_lossy(&units))
    }

    /// Skips so many numbers.
    ///
    /// # Errors
    /// The message ends.
    pub(super) fn skip(&mut self, primitive: Primitive, count: usize) -> Result<(), CdrError> {
        self.elements(primitive.size(), count).map(drop)
    }

    /// The bytes of so many numbers of this size. Where there are none, nothing is aligned.
    fn elements(&mut self, size: usize, count: usize) -> Result<&'a [u8], CdrError> {
        if count > 0 {
            self.align(size);
        }
        self.take(count.saturating_mul(size))
    }

    /// One number, a boolean as 0 or 1; whole ones are exact up to 2^53.
    ///
    /// # Errors
    /// The message ends.
    pub fn number(&mut self, primitive: Primitive) -> Result<f64, CdrError> {
        let mut number = OneNumber(f64::NAN);
        self.numbers(primitive, 1, &mut number)?;
        Ok(number.0)
    }

    /// Appends so many numbers, booleans as 0 and 1; those that are not finite as NaN.
    ///
    /// # Errors
    /// The message ends.
    pub fn numbers(
        &mut self,
        primitive: Primitive,
        count: usize,
        out: &mut impl Extend<f64>,
    ) -> Result<(), CdrError> {
        let bytes = self.elements(primitive.size(), count)?;
        macro_rules! append {
            ($type:ty, $to_f64:expr) => {{
                let (chunks, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                if self.is_bigendian {
                    out.extend(chunks.iter().map(|&chunk| $to_f64(<$type>::from_be_bytes(chunk))));
                } else {
                    out.extend(chunks.iter().map(|&chunk| $to_f64(<$type>::from_le_bytes(chunk))));
                }
            }};
        }
        match primitive {
            Primitive::Bool => out.extend(bytes.iter().map(|&byte| f64::from(u8::from(byte != 0)))),
            Primitive::U8 => append!(u8, f64::from),
            Primitive::I8 => append!(i8, f64::from),
            Primitive::U16 => append!(u16, f64::from),
            Primitive::I16 => append!(i16, f64::from),
            Primitive::U32 => append!(u32, f64::from),
            Primitive::I32 => append!(i32, f64::from),
            Primitive::U64 => append!(u64, |number| number as f64),
            Primitive::I64 => append!(i64, |number| number as f64),
            Primitive::F32 => append!(f32, |number: f32| finite_or_nan(f64::from(number))),
            Primitive::F64 => append!(f64, finite_or_nan),
        }
        Ok(())
    }
}

/// Takes one number where many could be taken.
struct OneNumber(f64);

impl Extend<f64> for OneNumber {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, numbers: T) {
        if let Some(number) = numbers.into_iter().next() {
            self.0 = number;
        }
    }
}

fn finite_or_nan(number: f64) -> f64 {
    if number.is_finite() { number } else { f64::NAN }
}
