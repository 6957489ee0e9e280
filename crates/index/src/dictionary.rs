use std::collections::HashMap;
use std::sync::Arc;

/// Distinct texts, each with a small number that stands for it while it is in use.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    codes: HashMap<Arc<str>, u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Entry {
    text: Arc<str>,
    use_count: u32,
}

impl Dictionary {
    /// The text's code, counting one more use of it.
    pub(super) fn acquire(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            self.entries[code as usize].use_count += 1;
            return code;
        }
        let text: Arc<str> = text.into();
        let entry = Entry { text: Arc::clone(&text), use_count: 1 };
        let code = match self.free.pop() {
            Some(code) => {
                self.entries[code as usize] = entry;
                code
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        self.codes.insert(text, code);
        code
    }

    /// Counts one use less; a text that is not used any more is forgotten.
    pub(super) fn release(&mut self, code: u32) {
        let entry = &mut self.entries[code as usize];
        entry.use_count -= 1;
        if entry.use_count == 0 {
            self.codes.remove(&entry.text);
            entry.text = "".into();
            self.free.push(code);
        }
    }

    /// The code of a text that is in use.
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        self.codes.get(text).copied()
    }

    /// The text of a code.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.entries.get(code as usize).map(|entry| &*entry.text)
    }

    /// The texts in the order of their codes; those that are not in use are empty.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| &*entry.text)
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
