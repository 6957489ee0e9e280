use crate::Interface;
use robot_memory_core::event::ClipMessage;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the messages of clips say, field by field: each type is understood once.
#[derive(Default)]
pub struct ClipTexts(BTreeMap<(Arc<str>, Arc<str>), Option<Interface>>);

impl ClipTexts {
    /// A message as JSON with the names of its fields; `None` when its type is not known or has no
    /// texts, or when it is not of its type. Long texts and arrays are cut
    /// ([`Interface::to_json`]).
    pub fn json(&mut self, message: &ClipMessage) -> Option<String> {
        let ClipMessage { type_name, definition, bytes, .. } = message;
        let key = (Arc::clone(type_name), Arc::clone(definition));
        let interface = self.0.entry(key).or_insert_with(|| {
            Interface::parse(type_name, definition).ok().filter(Interface::has_text)
        });
        Some(interface.as_ref()?.to_json(bytes).ok()?.to_string())
    }
}
