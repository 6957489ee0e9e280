use super::list::List;
use std::hash::{BuildHasher, RandomState};

/// Marks a place of the table where nothing is.
const FREE: u32 = u32::MAX;
/// Tokens without postings that may stay in any case.
const EMPTY_MIN: usize = 4_096;

/// The tokens and their postings: a hash table of numbers, and by number the place of the token's
/// text in one run of bytes. A map of texts would take twice the room.
///
/// A token that loses its last posting keeps its place, until there are too many of these.
#[derive(Debug, Default)]
pub(super) struct Terms {
    entries: Vec<Entry>,
    texts: Vec<u8>,
    /// Numbers of entries, or [`FREE`]; a power of two of them, at most three quarters taken.
    table: Vec<u32>,
    empty_count: usize,
    hasher: RandomState,
}

#[derive(Debug)]
struct Entry {
    /// Where its text ends; it begins where that of the entry before ends.
    end: u32,
    list: List,
}

impl Terms {
    /// How many have postings.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.empty_count
    }

    pub(super) fn get(&self, token: &str) -> Option<&List> {
        Some(&self.entries[self.find(token).ok()?].list)
    }

    /// The postings of a token that will get one.
    pub(super) fn entry(&mut self, token: &str) -> &mut List {
        if (self.entries.len() + 1) * 4 > self.table.len() * 3 {
            self.grow_table();
        }
        let number = match self.find(token) {
            Ok(number) => {
                self.empty_count -= usize::from(self.entries[number].list.is_empty());
                number
            }
            Err(place) => {
                let number = self.entries.len();
                self.table[place] = number as u32;
                self.texts.extend_from_slice(token.as_bytes());
                if self.entries.capacity() == number {
                    self.entries.reserve_exact(number / 8 + 64);
                }
                self.entries.push(Entry { end: self.texts.len() as u32, list: List::default() });
                number
            }
        };
        &mut self.entries[number].list
    }

    /// Changes the postings of a token that has some.
    pub(super) fn change(&mut self, token: &str, change: impl FnOnce(&mut List)) {
        if let Ok(number) = self.find(token) {
            let list = &mut self.entries[number].list;
            if !list.is_empty() {
                change(list);
                self.empty_count += usize::from(list.is_empty());
            }
        }
    }

    /// Forgets the tokens without postings when they are more than the others.
    pub(super) fn compact_if_due(&mut self) {
        if self.empty_count < EMPTY_MIN || self.empty_count * 2 < self.entries.len() {
            return;
        }
        let texts = std::mem::take(&mut self.texts);
        let entries = std::mem::take(&mut self.entries);
        self.table = Vec::new();
        self.empty_count = 0;
        let mut start = 0;
        for entry in entries {
            let text = &texts[start..entry.end as usize];
            start = entry.end as usize;
            if !entry.list.is_empty()
                && let Ok(token) = std::str::from_utf8(text)
            {
                *self.entry(token) = entry.list;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.entries.iter().map(|entry| entry.list.heap_bytes()).sum::<usize>()
            + self.texts.capacity()
            + self.table.capacity() * size_of::<u32>()
    }

    /// The number of a token's entry, or the place in the table where it would be written.
    fn find(&self, token: &str) -> Result<usize, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let mask = self.table.len() - 1;
        let mut place = self.hasher.hash_one(token.as_bytes()) as usize & mask;
        loop {
            let number = self.table[place];
            if number == FREE {
                return Err(place);
            }
            if self.text(number as usize) == token.as_bytes() {
                return Ok(number as usize);
            }
            place = (place + 1) & mask;
        }
    }

    fn text(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &self.texts[start as usize..self.entries[number].end as usize]
    }

    fn grow_table(&mut self) {
        let len = (self.table.len() * 2).max(64);
        self.table = vec![FREE; len];
        for number in 0..self.entries.len() {
            let hash = self.hasher.hash_one(self.text(number));
            let mut place = hash as usize & (len - 1);
            while self.table[place] != FREE {
                place = (place + 1) & (len - 1);
            }
            self.table[place] = number as u32;
        }
    }
}
