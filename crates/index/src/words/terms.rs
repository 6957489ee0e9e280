use super::list::List;
use crate::chunks::Chunks;
use crate::paged::Paged;
use std::hash::{BuildHasher, RandomState};

/// Marks a place of the table where nothing is.
const FREE: u32 = u32::MAX;
/// Tokens without postings that may stay in any case.
const EMPTY_MIN: usize = 4_096;
/// Tokens that lie together: what is copied of them when one of them changes that is shared.
const PAGE_TOKENS: usize = 32;

/// The tokens and their postings: a hash table of numbers, and by number the place of the token's
/// text in a run of bytes that it has in common with its neighbors. A map of texts would take twice
/// the room. Clones share what neither of them changes.
///
/// A token that loses its last posting keeps its place, until there are too many of these.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pages: Paged<Page, 1>,
    count: usize,
    /// Numbers of tokens, or [`FREE`]; at most three quarters taken.
    table: Chunks<u32>,
    /// A power of two.
    table_len: usize,
    empty_count: usize,
    hasher: RandomState,
}

/// Tokens of numbers that follow each other.
#[derive(Debug, Clone, Default)]
struct Page {
    texts: Vec<u8>,
    /// Where the text of each ends; it begins where that of the one before ends.
    ends: Vec<u32>,
    lists: Vec<List>,
}

impl Page {
    fn text(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.texts[start as usize..self.ends[place] as usize]
    }

    fn push(&mut self, text: &[u8]) {
        if self.lists.capacity() == 0 {
            self.lists.reserve_exact(PAGE_TOKENS);
            self.ends.reserve_exact(PAGE_TOKENS);
        }
        self.texts.extend_from_slice(text);
        self.ends.push(self.texts.len() as u32);
        self.lists.push(List::default());
    }

    fn heap_bytes(&self) -> usize {
        self.texts.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.lists.capacity() * size_of::<List>()
            + self.lists.iter().map(List::heap_bytes).sum::<usize>()
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            pages: Paged::new(Page::default()),
            count: 0,
            table: Chunks::new(FREE),
            table_len: 0,
            empty_count: 0,
            hasher: RandomState::new(),
        }
    }
}

impl Terms {
    /// How many have postings.
    pub(super) fn len(&self) -> usize {
        self.count - self.empty_count
    }

    pub(super) fn get(&self, token: &str) -> Option<&List> {
        let number = self.find(token.as_bytes()).ok()?;
        Some(&self.pages.get(number / PAGE_TOKENS)?.lists[number % PAGE_TOKENS])
    }

    /// The postings of a token that will get one.
    pub(super) fn entry(&mut self, token: &str) -> &mut List {
        if (self.count + 1) * 4 > self.table_len * 3 {
            self.grow_table();
        }
        let number = match self.find(token.as_bytes()) {
            Ok(number) => number,
            Err(place) => {
                let number = self.count;
                self.table.set(place as u32, number as u32);
                self.pages.get_mut(number / PAGE_TOKENS).push(token.as_bytes());
                self.count += 1;
                // Until the caller has put one into it.
                self.empty_count += 1;
                number
            }
        };
        let list = &mut self.pages.get_mut(number / PAGE_TOKENS).lists[number % PAGE_TOKENS];
        self.empty_count -= usize::from(list.is_empty());
        list
    }

    /// Changes the postings of a token that has some.
    pub(super) fn change(&mut self, token: &str, change: impl FnOnce(&mut List)) {
        if let Ok(number) = self.find(token.as_bytes()) {
            let list = &mut self.pages.get_mut(number / PAGE_TOKENS).lists[number % PAGE_TOKENS];
            if !list.is_empty() {
                change(list);
                self.empty_count += usize::from(list.is_empty());
            }
        }
    }

    /// Forgets the tokens without postings when they are more than the others.
    pub(super) fn compact_if_due(&mut self) {
        if self.empty_count < EMPTY_MIN || self.empty_count * 2 < self.count {
            return;
        }
        let mut kept = Self::default();
        for page in self.pages.iter() {
            for (place, list) in page.lists.iter().enumerate() {
                if !list.is_empty()
                    && let Ok(token) = std::str::from_utf8(page.text(place))
                {
                    *kept.entry(token) = list.clone();
                }
            }
        }
        *self = kept;
    }

    pub(super) fn bytes(&self) -> usize {
        self.pages.bytes()
            + self.pages.iter().map(Page::heap_bytes).sum::<usize>()
            + self.table.bytes()
    }

    /// The number of a token, or the place in the table where it would be written.
    fn find(&self, token: &[u8]) -> Result<usize, usize> {
        if self.table_len == 0 {
            return Err(0);
        }
        let mask = self.table_len - 1;
        let mut place = self.hasher.hash_one(token) as usize & mask;
        loop {
            match self.table.get(place as u32) {
                None | Some(FREE) => return Err(place),
                Some(number) if self.text(number as usize) == token => return Ok(number as usize),
                Some(_) => place = (place + 1) & mask,
            }
        }
    }

    fn text(&self, number: usize) -> &[u8] {
        let page = self.pages.get(number / PAGE_TOKENS);
        page.map_or(&[], |page| page.text(number % PAGE_TOKENS))
    }

    fn grow_table(&mut self) {
        self.table_len = (self.table_len * 2).max(64);
        self.table = Chunks::new(FREE);
        let mask = self.table_len - 1;
        for number in 0..self.count {
            let mut place = self.hasher.hash_one(self.text(number)) as usize & mask;
            while self.table.get(place as u32).is_some_and(|number| number != FREE) {
                place = (place + 1) & mask;
            }
            self.table.set(place as u32, number as u32);
        }
    }
}
