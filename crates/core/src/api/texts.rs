//! What of a request may come to be kept.

use super::SpatialSort;
use crate::model::Stamp;

/// A text as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldText<'a> {
    /// Words, a name, a spelling.
    Text(&'a str),
    /// JSON, or what should be.
    Json(&'a str),
}

impl FieldText<'_> {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        let (Self::Text(text) | Self::Json(text)) = self;
        text
    }
}

/// A request whose texts are looked at before anything is done with it.
pub trait StorableTexts {
    /// Each text that may come to be stored or logged, with the name of its field. Those by which a
    /// request only finds what is there are none.
    fn texts(&self) -> impl Iterator<Item = (&'static str, FieldText<'_>)>;
}

/// A text, or several.
pub(crate) trait OneOrMore {
    fn each(&self) -> impl Iterator<Item = &str>;
}

impl OneOrMore for String {
    fn each(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.as_str())
    }
}

impl OneOrMore for Vec<String> {
    fn each(&self) -> impl Iterator<Item = &str> {
        self.iter().map(String::as_str)
    }
}

/// Adds each text of a field.
pub(crate) fn keep_texts<'a>(
    kept: &mut Vec<(&'static str, FieldText<'a>)>,
    field: &'static str,
    texts: &'a impl OneOrMore,
) {
    kept.extend(texts.each().map(|text| (field, FieldText::Text(text))));
}

/// A value without a text that somebody wrote.
pub(crate) trait NoText {}

macro_rules! no_text {
    ($($type:ty),+) => { $(impl NoText for $type {})+ };
}
no_text!(bool, f64, i32, i64, u32, Vec<f64>, Vec<i64>, Option<f64>, Option<Stamp>);
/// It names a field of rows that are there.
impl NoText for Option<SpatialSort> {}

/// Compiles for a field that needs no word about its texts.
pub(crate) fn is_no_text(_: &impl NoText) {}
