//! Messages for tests: recorded ones, and a writer for more.

use super::interface::Interface;
use super::layout::{Count, Field, Kind, Primitive};
use serde_json::Value;
use std::sync::{Arc, LazyLock};

/// A message as ROS 2 serialized it, with what it says (tests/fixtures/make_messages.py).
pub struct Recorded {
    pub interface: Interface,
    pub cdr: Vec<u8>,
    pub json: Value,
}

/// All recorded messages, in the order of their types.
pub fn recorded() -> &'static [Recorded] {
    static RECORDED: LazyLock<Vec<Recorded>> = LazyLock::new(read);
    &RECORDED
}

/// The recorded messages of one type; some are.
pub fn recorded_of(type_name: &str) -> impl Iterator<Item = &'static Recorded> {
    let of_type = move |message: &&Recorded| message.interface.type_name() == type_name;
    assert!(recorded().iter().any(|message| of_type(&message)), "no {type_name} was recorded");
    recorded().iter().filter(of_type)
}

fn read() -> Vec<Recorded> {
    let lines = include_str!("../../../tests/fixtures/messages.jsonl").lines();
    let mut messages: Vec<Recorded> = Vec::new();
    for line in lines {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let type_name = line["type"].as_str().expect("a type");
        let interface = match line["definition"].as_str() {
            Some(definition) => Interface::parse(type_name, definition).expect(type_name),
            None => messages.last().expect("a message of this type").interface.clone(),
        };
        assert_eq!(interface.type_name(), type_name);
        let cdr = bytes(line["cdr"].as_str().expect("bytes"));
        messages.push(Recorded { interface, cdr, json: line["json"].clone() });
    }
    messages
}

/// Bytes from hexadecimal text.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// Writes CDR.
pub struct CdrWriter {
    pub bytes: Vec<u8>,
    is_bigendian: bool,
}

impl CdrWriter {
    pub fn new(is_bigendian: bool) -> Self {
        Self { bytes: vec![0, u8::from(!is_bigendian), 0, 0], is_bigendian }
    }

    /// Aligns to the number's size, and writes it.
    pub fn number<const N: usize>(&mut self, big_endian: [u8; N]) -> &mut Self {
        while !(self.bytes.len() - 4).is_multiple_of(N) {
            self.bytes.push(0);
        }
        let mut bytes = big_endian;
        if !self.is_bigendian {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
        self
    }

    pub fn u32(&mut self, number: u32) -> &mut Self {
        self.number(number.to_be_bytes())
    }

    pub fn f64(&mut self, number: f64) -> &mut Self {
        self.number(number.to_be_bytes())
    }

    pub fn f64s(&mut self, numbers: &[f64]) -> &mut Self {
        numbers.iter().fold(self, |writer, &number| writer.f64(number))
    }

    /// A sequence of numbers with its length.
    pub fn f64_sequence(&mut self, numbers: &[f64]) -> &mut Self {
        self.u32(numbers.len() as u32).f64s(numbers)
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32 + 1);
        self.bytes.extend(text.bytes().chain([0]));
        self
    }

    /// A `std_msgs/Header`.
    pub fn header(&mut self, sec: i32, nanosec: u32, frame_id: &str) -> &mut Self {
        self.number(sec.to_be_bytes()).u32(nanosec).text(frame_id)
    }
}

/// Writes a message from its JSON.
pub fn to_cdr(interface: &Interface, json: &Value, is_bigendian: bool) -> Vec<u8> {
    let mut writer = CdrWriter::new(is_bigendian);
    element(&mut writer, &Kind::Structure(Arc::clone(interface.root())), json);
    writer.bytes
}

fn field(writer: &mut CdrWriter, field: &Field, json: &Value) {
    if field.count == Count::One {
        return element(writer, &field.kind, json);
    }
    let elements = json.as_array().expect(&field.name);
    if let Count::Sequence(_) = field.count {
        writer.u32(elements.len() as u32);
    }
    for json in elements {
        element(writer, &field.kind, json);
    }
}

fn element(writer: &mut CdrWriter, kind: &Kind, json: &Value) {
    let number = || json.as_f64().unwrap_or(f64::NAN);
    match kind {
        Kind::Primitive(primitive) => {
            match primitive {
                Primitive::Bool => writer.number([u8::from(json.as_bool().expect("a bool"))]),
                Primitive::U8 => writer.number((number() as u8).to_be_bytes()),
                Primitive::I8 => writer.number((number() as i8).to_be_bytes()),
                Primitive::U16 => writer.number((number() as u16).to_be_bytes()),
                Primitive::I16 => writer.number((number() as i16).to_be_bytes()),
                Primitive::U32 => writer.number((number() as u32).to_be_bytes()),
                Primitive::I32 => writer.number((number() as i32).to_be_bytes()),
                Primitive::U64 => writer.number(json.as_u64().expect("a number").to_be_bytes()),
                Primitive::I64 => writer.number(json.as_i64().expect("a number").to_be_bytes()),
                Primitive::F32 => writer.number((number() as f32).to_be_bytes()),
                Primitive::F64 => writer.number(number().to_be_bytes()),
            };
        }
        Kind::Text => {
            writer.text(json.as_str().expect("a text"));
        }
        Kind::WideText => {
            let units: Vec<u16> = json.as_str().expect("a text").encode_utf16().collect();
            writer.u32(units.len() as u32);
            for unit in units {
                writer.u32(u32::from(unit));
            }
        }
        Kind::Structure(structure) => {
            for part in &structure.fields {
                field(writer, part, &json[&part.name]);
            }
            if structure.fields.is_empty() {
                writer.number([0]);
            }
        }
    }
}
