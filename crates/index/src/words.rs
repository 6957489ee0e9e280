//! Which memories have a word, and how often.

mod cursor;
mod list;
mod posting;
mod terms;
#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Occurrences, WINDOW_SLOTS, WINDOW_WORDS, Window};
pub use list::PostingList;
pub use posting::{FREQUENCY_MAX, Posting};

use super::Slot;
use list::List;
use std::collections::BTreeMap;
use terms::Terms;

/// Where the postings of a token come from.
pub trait Postings {
    /// The memories that have a token; none when the token is unknown.
    fn postings(&self, token: &str) -> PostingList<'_>;
}

/// A slot is too large for a posting; nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the word index has room for {} memories", Posting::SLOT_MAX)]
pub struct WordIndexFull;

/// The postings of all tokens, in memory: 4 bytes each, less for a token that every thirtieth memory
/// or more has, and some 50 bytes a token besides. Clones share what neither of them changes.
#[derive(Debug, Clone, Default)]
pub struct WordIndex {
    terms: Terms,
    /// One more than the highest slot that was put.
    slot_count: usize,
}

impl WordIndex {
    /// Takes in a memory that is not in it, with all its tokens, repeats included.
    ///
    /// # Errors
    ///
    /// When the slot is beyond [`Posting::SLOT_MAX`].
    pub fn put(&mut self, slot: Slot, tokens: &[String]) -> Result<(), WordIndexFull> {
        if slot > Posting::SLOT_MAX {
            return Err(WordIndexFull);
        }
        self.slot_count = self.slot_count.max(slot as usize + 1);
        for (token, frequency) in counted(tokens) {
            let list = self.terms.entry(token);
            list.put(Posting::of(slot, frequency), self.slot_count);
        }
        Ok(())
    }

    /// Takes a memory out. `tokens` are those that it was put with.
    pub fn remove(&mut self, slot: Slot, tokens: &[String]) {
        for (token, _) in counted(tokens) {
            self.terms.change(token, |list| list.remove(slot));
        }
        self.terms.compact_if_due();
    }

    /// How many memories have a token.
    pub fn df(&self, token: &str) -> u64 {
        self.postings(token).df()
    }

    /// How many tokens some memory has.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// Bytes of memory that it takes. Looks at every token.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.terms.bytes()
    }
}

impl Postings for WordIndex {
    fn postings(&self, token: &str) -> PostingList<'_> {
        self.terms.get(token).map_or(PostingList::EMPTY, List::view)
    }
}

/// Distinct tokens, each with how often it stands there.
fn counted(tokens: &[String]) -> impl Iterator<Item = (&str, u32)> {
    let mut sorted: Vec<&str> = tokens.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let mut rest = sorted.into_iter().peekable();
    std::iter::from_fn(move || {
        let token = rest.next()?;
        let mut count = 1;
        while rest.next_if_eq(&token).is_some() {
            count += 1;
        }
        Some((token, count))
    })
}

/// Fills a [`WordIndex`] token by token, which is much faster than memory by memory.
#[derive(Debug)]
pub struct WordIndexBuilder {
    index: WordIndex,
    token: String,
    /// Of `token`.
    postings: Vec<Posting>,
}

impl WordIndexBuilder {
    /// For memories in the slots below `slot_count`.
    pub fn new(slot_count: usize) -> Self {
        let index = WordIndex { terms: Terms::default(), slot_count };
        Self { index, token: String::new(), postings: Vec::new() }
    }

    /// Takes in that the memory in `slot` has `token` `frequency` times. Tokens come one after the
    /// other, the slots of each ascending; a slot that comes twice in a row has the token as often as
    /// both say together.
    ///
    /// # Errors
    ///
    /// When the slot is beyond [`Posting::SLOT_MAX`].
    pub fn push(&mut self, token: &str, slot: Slot, frequency: u32) -> Result<(), WordIndexFull> {
        if slot > Posting::SLOT_MAX {
            return Err(WordIndexFull);
        }
        if token != self.token {
            self.end_token();
            self.token.clear();
            self.token.push_str(token);
        }
        match self.postings.last_mut() {
            Some(last) if last.slot() == slot => {
                *last = Posting::of(slot, last.frequency() + frequency);
            }
            _ => self.postings.push(Posting::of(slot, frequency)),
        }
        self.index.slot_count = self.index.slot_count.max(slot as usize + 1);
        Ok(())
    }

    /// The index.
    pub fn finish(mut self) -> WordIndex {
        self.end_token();
        self.index
    }

    fn end_token(&mut self) {
        if self.postings.is_empty() {
            return;
        }
        let list = self.index.terms.entry(&self.token);
        if list.is_empty() && self.postings.is_sorted() {
            *list = List::of(&self.postings, self.index.slot_count);
        } else {
            for posting in &self.postings {
                list.put(*posting, self.index.slot_count);
            }
        }
        self.postings.clear();
    }
}

/// The postings of a few tokens, as read from somewhere else.
#[derive(Debug, Clone, Default)]
pub struct PlainPostings {
    lists: BTreeMap<String, Vec<Posting>>,
}

impl PlainPostings {
    /// Keeps the postings of a token: slots ascending, each once, with how often they have it.
    /// Slots beyond [`Posting::SLOT_MAX`] are left out.
    pub fn insert(&mut self, token: &str, postings: impl IntoIterator<Item = (Slot, u32)>) {
        let postings = postings
            .into_iter()
            .filter(|(slot, _)| *slot <= Posting::SLOT_MAX)
            .map(|(slot, frequency)| Posting::of(slot, frequency))
            .collect();
        self.lists.insert(token.to_owned(), postings);
    }
}

impl Postings for PlainPostings {
    fn postings(&self, token: &str) -> PostingList<'_> {
        self.lists.get(token).map_or(PostingList::EMPTY, |list| PostingList::Sparse(list))
    }
}
