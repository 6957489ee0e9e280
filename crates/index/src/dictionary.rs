use super::paged::Paged;
use super::text_map::TextMap;
use std::sync::Arc;

/// Distinct texts, each with a small number that stands for it while it is in use. Clones share what
/// neither of them changes.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    codes: TextMap,
    entries: Paged<Entry, PAGE_ENTRIES>,
    entry_count: u32,
    free: Arc<Vec<u32>>,
}

/// Texts in one page.
const PAGE_ENTRIES: usize = 64;

#[derive(Debug, Clone)]
struct Entry {
    text: Arc<str>,
    use_count: u32,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self {
            codes: TextMap::default(),
            entries: Paged::new(Entry { text: "".into(), use_count: 0 }),
            entry_count: 0,
            free: Arc::default(),
        }
    }
}

impl Dictionary {
    /// The text's code, counting one more use of it.
    pub(super) fn acquire(&mut self, text: &str) -> u32 {
        if let Some(code) = self.codes.get(text) {
            self.entries.get_mut(code as usize).use_count += 1;
            return code;
        }
        let text: Arc<str> = text.into();
        let reused = if self.free.is_empty() { None } else { Arc::make_mut(&mut self.free).pop() };
        let code = reused.unwrap_or_else(|| {
            self.entry_count += 1;
            self.entry_count - 1
        });
        *self.entries.get_mut(code as usize) = Entry { text: Arc::clone(&text), use_count: 1 };
        self.codes.insert(text, code);
        code
    }

    /// Counts one use less; a text that is not used any more is forgotten.
    pub(super) fn release(&mut self, code: u32) {
        let entry = self.entries.get_mut(code as usize);
        entry.use_count -= 1;
        if entry.use_count == 0 {
            let text = std::mem::replace(&mut entry.text, "".into());
            self.codes.remove(&text);
            Arc::make_mut(&mut self.free).push(code);
        }
    }

    /// The code of a text that is in use.
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        self.codes.get(text)
    }

    /// The text of a code.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.entries.get(code as usize).map(|entry| &*entry.text)
    }

    /// The texts in the order of their codes; those that are not in use are empty.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().take(self.entry_count as usize).map(|entry| &*entry.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_forgotten_with_its_last_use() {
        let mut dictionary = Dictionary::default();
        let pick = dictionary.acquire("pick");
        let place = dictionary.acquire("place");
        assert_eq!(dictionary.acquire("pick"), pick);
        dictionary.release(pick);
        assert_eq!(dictionary.code("pick"), Some(pick));
        dictionary.release(pick);
        assert_eq!((dictionary.code("pick"), dictionary.code("place")), (None, Some(place)));
        assert_eq!(dictionary.acquire("push"), pick);
        assert_eq!(dictionary.texts().collect::<Vec<_>>(), ["push", "place"]);
    }
}
