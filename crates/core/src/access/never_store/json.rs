//! Secrets in JSON: in its texts, behind its keys, and in a field beside the one that names them.

use super::names::{Name, as_value, last, of_field};
use super::normalized::read;
use super::place::{Place, Pointer};
use super::rules::{ID_FIELDS, Kind, VALUE_FIELDS};
use super::value::{How, Value, is_secret, is_secret_number};
use super::{NeverStore, SecretMatch};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::borrow::Cow;
use std::fmt;

/// Bytes that pairs may take for each byte of the JSON, when patterns of a file are held against them: an
/// array repeats its key for each element, and those of a name that is no longer than [`KEY_END_BYTES`]
/// stay far below.
const LINE_BYTES_PER_BYTE: usize = 16;
/// Beyond it, so many bytes of a key's end are read with its values.
const KEY_END_BYTES: usize = 128;

/// JSON with each of its pairs, also where a key is there twice.
pub(super) enum Node<'j> {
    Nothing,
    Bool(bool),
    Number(Number),
    Text(Cow<'j, str>),
    Array(Vec<Self>),
    Object(Vec<(Cow<'j, str>, Self)>),
}

impl<'j> Node<'j> {
    /// The JSON that a text is.
    pub fn of(json: &'j str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

/// What is looked for, and where it is looked for just now.
pub(super) struct Walk<'n> {
    never: &'n NeverStore,
    nested_max: u32,
    pointer: Pointer,
    /// One pair as patterns of a file are held against it.
    line: String,
    /// Bytes that lines may still take.
    line_bytes_left: usize,
    /// The first text that is a name of a secret and nothing else.
    pub lone_name: Option<Name>,
}

/// A name, and how what is looked at stands to it.
type Outer = Option<(Name, How)>;

impl<'n> Walk<'n> {
    pub fn new(never: &'n NeverStore, json_bytes: usize, nested_max: u32) -> Self {
        let line_bytes_left = json_bytes.saturating_mul(LINE_BYTES_PER_BYTE);
        Self {
            never,
            nested_max,
            pointer: Pointer::default(),
            line: String::new(),
            line_bytes_left,
            lone_name: None,
        }
    }

    /// The first secret in JSON; `outer` is what it stands to as a whole.
    pub fn find(&mut self, node: &Node<'_>, outer: Outer) -> Option<SecretMatch<'n>> {
        self.value(None, node, outer)
    }

    /// A value, the key that it or the array around it is of, and the name that it stands to.
    fn value(
        &mut self,
        key: Option<&str>,
        node: &Node<'_>,
        outer: Outer,
    ) -> Option<SecretMatch<'n>> {
        match node {
            Node::Nothing => None,
            Node::Bool(is) => self.pair(key?, is),
            Node::Number(number) => {
                let is_secret = outer.is_some_and(|(name, how)| {
                    how == How::Pair && is_secret_number(name.kind, &number.to_string())
                });
                match outer {
                    Some((name, _)) if is_secret => Some(self.at(name)),
                    _ => self.pair(key?, number),
                }
            }
            Node::Text(text) => self.text(key, text, outer),
            Node::Array(elements) => self.array(key, elements, outer),
            Node::Object(pairs) => {
                let found = match key {
                    Some(key) if !pairs.is_empty() => self.pair(key, '{'),
                    _ => None,
                };
                found.or_else(|| self.object(key, pairs, outer))
            }
        }
    }

    fn text(&mut self, key: Option<&str>, text: &str, outer: Outer) -> Option<SecretMatch<'n>> {
        if let Some(found) = self.never.search(text, self.nested_max) {
            return Some(found.within(&self.pointer));
        }
        if let Some((name, how)) = outer {
            let reading = read(text);
            if is_secret(name.kind, how, Value::whole(&reading)) {
                return Some(self.at(name));
            }
        }
        if self.lone_name.is_none() {
            self.lone_name = as_value(text);
        }
        self.pair(key?, text)
    }

    fn array(
        &mut self,
        key: Option<&str>,
        elements: &[Node<'_>],
        outer: Outer,
    ) -> Option<SecretMatch<'n>> {
        let mut before: Option<Name> = None;
        let is_pair = elements.len() == 2;
        for (index, element) in elements.iter().enumerate() {
            self.pointer.enter_element(index);
            let is_flag = matches!(index.checked_sub(1).and_then(|before| elements.get(before)), Some(Node::Text(text)) if text.starts_with("--"));
            let how = if is_pair || is_flag { How::Pair } else { How::Beside };
            // Contacts are numbered.
            let outer = outer.filter(|(name, _)| name.kind != Kind::Pin);
            let outer = outer.or(before.map(|name| (name, how)));
            let found = self.value(key, element, outer);
            self.pointer.leave();
            if found.is_some() {
                return found;
            }
            before = match element {
                Node::Text(text) => as_value(text),
                _ => None,
            };
        }
        None
    }

    fn object(
        &mut self,
        object: Option<&str>,
        pairs: &[(Cow<'_, str>, Node<'_>)],
        outer: Outer,
    ) -> Option<SecretMatch<'n>> {
        let is_network = pairs.iter().any(|(key, _)| key.eq_ignore_ascii_case("ssid"));
        let object = if is_network { Some("wifi") } else { object };
        for (key, value) in pairs {
            if let Some(found) = self.never.search(key, self.nested_max) {
                return Some(found.within_key_of(&self.pointer));
            }
            let own = of_field(key).or_else(|| of_pair(object?, key)).map(|name| (name, How::Pair));
            let inherited = outer.and_then(|(name, how)| match field_of(key) {
                Field::Value => Some((name, how)),
                Field::Id => None,
                Field::Other => Some((name, How::Beside)),
            });
            self.pointer.enter(key);
            let found = self.value(Some(key), value, own.or(inherited));
            self.pointer.leave();
            if found.is_some() {
                return found;
            }
        }
        self.beside(pairs)
    }

    /// A field that names a secret, and another one that holds it.
    fn beside(&mut self, pairs: &[(Cow<'_, str>, Node<'_>)]) -> Option<SecretMatch<'n>> {
        let name_of = |value: &Node<'_>| match value {
            Node::Text(text) => as_value(text),
            _ => None,
        };
        let (named_by, name) = pairs
            .iter()
            .enumerate()
            .find_map(|(index, (_, value))| Some((index, name_of(value)?)))?;
        for (index, (key, value)) in pairs.iter().enumerate() {
            let how = match field_of(key) {
                Field::Value => How::Pair,
                Field::Id => continue,
                Field::Other => How::Beside,
            };
            if index == named_by || of_field(key).is_some() {
                continue;
            }
            let is_found = match value {
                Node::Text(text) => {
                    as_value(text).is_none() && is_secret(name.kind, how, Value::whole(&read(text)))
                }
                Node::Number(number) => {
                    let number = number.to_string();
                    how == How::Pair && number.len() >= 4 && is_secret_number(name.kind, &number)
                }
                _ => false,
            };
            if is_found {
                self.pointer.enter(key);
                return Some(self.at(name));
            }
        }
        None
    }

    /// A pair, held against the patterns of a file.
    fn pair(&mut self, key: &str, value: impl fmt::Display) -> Option<SecretMatch<'n>> {
        use fmt::Write;
        if !self.never.has_more() {
            return None;
        }
        let is_bounded = self.line_bytes_left >= key.len() || key.len() <= KEY_END_BYTES;
        let key = if is_bounded { key } else { last(key, KEY_END_BYTES) };
        self.line.clear();
        // Writing to a string does not fail.
        let _ = write!(self.line, "{key}: {value}");
        self.line_bytes_left = self.line_bytes_left.saturating_sub(self.line.len());
        let rule = self.never.search_more(&self.line)?.rule;
        Some(SecretMatch { rule, place: Place::Pointer(self.pointer.clone(), None) })
    }

    fn at(&self, name: Name) -> SecretMatch<'n> {
        SecretMatch { rule: name.rule, place: Place::Pointer(self.pointer.clone(), None) }
    }
}

/// The name that a key and the object that it is of make together: `{"door": {"code": …}}`.
fn of_pair(object: &str, key: &str) -> Option<Name> {
    let is_short = key.len() <= KEY_END_BYTES && object.len() <= KEY_END_BYTES;
    let is_open =
        matches!(&*key.to_lowercase(), "key" | "code" | "secret" | "pass" | "combination" | "seed");
    let name = (is_short && is_open).then(|| of_field(&format!("{object} {key}")))??;
    (name.kind != Kind::LooseKey).then_some(name)
}

/// What a field beside or below the name of a secret may hold.
enum Field {
    Value,
    Id,
    Other,
}

fn field_of(key: &str) -> Field {
    let key = read(key).to_lowercase();
    let is_id = |end: &&str| {
        key == *end
            || key
                .strip_suffix(*end)
                .is_some_and(|before| before.ends_with(['_', '-', ' ', '.']) || !end.is_ascii())
    };
    if VALUE_FIELDS.contains(&*key) {
        Field::Value
    } else if ID_FIELDS.iter().any(is_id) {
        Field::Id
    } else {
        Field::Other
    }
}

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Node::Nothing)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(Node::Nothing, Node::Number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(element) = elements.next_element()? {
            read.push(element);
        }
        Ok(Node::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(Key(key)) = pairs.next_key()? {
            read.push((key, pairs.next_value()?));
        }
        Ok(Node::Object(read))
    }
}

/// A key, not copied unless it is written with escapes.
#[derive(serde::Deserialize)]
struct Key<'j>(#[serde(borrow)] Cow<'j, str>);
