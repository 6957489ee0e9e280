use crate::paged::Paged;
use crate::text_map::TextMap;
use std::sync::Arc;

/// Names in one page.
const PAGE_NAMES: usize = 64;

/// Numbers for names, so that rows hold no texts.
#[derive(Debug, Clone)]
pub struct Names {
    numbers: TextMap,
    names: Paged<Arc<str>, PAGE_NAMES>,
    count: u32,
}

impl Default for Names {
    fn default() -> Self {
        Self { numbers: TextMap::default(), names: Paged::new("".into()), count: 0 }
    }
}

impl Names {
    /// A number that no name has.
    pub const UNUSED: u32 = u32::MAX;

    /// The number of a name that some row has.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name)
    }

    /// The name that has a number.
    pub fn name(&self, number: u32) -> Option<&str> {
        self.known(number).map(|name| &**name)
    }

    /// The name that has a number, to be kept.
    pub(super) fn shared(&self, number: u32) -> Option<Arc<str>> {
        self.known(number).cloned()
    }

    fn known(&self, number: u32) -> Option<&Arc<str>> {
        self.names.get(number as usize).filter(|_| number < self.count)
    }

    /// The number of a name; a new one when it has none.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.get(name) {
            return number;
        }
        let number = self.count;
        self.count += 1;
        let name: Arc<str> = name.into();
        *self.names.get_mut(number as usize) = Arc::clone(&name);
        self.numbers.insert(name, number);
        number
    }
}
