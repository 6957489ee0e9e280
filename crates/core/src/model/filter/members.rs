use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// The members of a JSON object in their order. A key may come again: two conditions on one path
/// are two conditions, where a map would keep the last.
pub(super) struct Members<T>(pub(super) Vec<(String, T)>);

/// A JSON object with values of one kind, or any other JSON value.
#[derive(serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Json<T> {
    #[serde(bound = "T: Deserialize<'de>")]
    Object(Members<T>),
    Other(Value),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}

struct MembersVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MembersVisitor<T> {
    type Value = Members<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
