use std::collections::HashMap;
use std::sync::Arc;

/// Numbers for names, so that rows hold no texts.
#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<Arc<str>, u32>,
    names: Vec<Arc<str>>,
}

impl Names {
    /// A number that no name has.
    pub const UNUSED: u32 = u32::MAX;

    /// The number of a name that some row has.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name that has a number.
    pub fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(|name| &**name)
    }

    /// The name that has a number, to be kept.
    pub(super) fn shared(&self, number: u32) -> Option<Arc<str>> {
        self.names.get(number as usize).cloned()
    }

    /// The number of a name; a new one when it has none.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.get(name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(Self::UNUSED);
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }
}
