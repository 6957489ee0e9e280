use super::super::Bitset;
use super::super::bitset::word_slots;
use super::cursor::{WINDOW_SLOTS, WINDOW_WORDS, Window, seek};
use super::{Posting, Slot};
use crate::paged::Paged;
use std::sync::Arc;

const WORD_BITS: usize = u64::BITS as usize;
/// A token that every 32nd memory has takes as much room as bits as it takes as postings.
const DENSE_SHARE: usize = 32;
/// Below half of that share it goes back to postings: not sooner, lest it go to and fro.
const SPARSE_SHARE: usize = 64;
/// Of fewer postings bits gain nothing.
const DENSE_MIN: usize = 1_024;

/// Postings that are read one after the other in the time in which one is sought.
const READ_PER_SEEK: usize = 8;

/// Postings that are copied with their list; more are shared by its clones until one of them changes.
const FEW_MAX: usize = 32;

/// The postings of a token.
#[derive(Debug, Clone)]
pub(super) enum List {
    One(Posting),
    /// Ascending, [`FEW_MAX`] at most.
    Few(Vec<Posting>),
    /// Ascending.
    Several(Arc<Vec<Posting>>),
    Dense(Arc<Dense>),
}

/// The postings of a token that many memories have: a bit for each slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    bits: Bits,
    count: usize,
    /// Those that have it more than once, ascending.
    frequent: Arc<Vec<Posting>>,
}

/// A bit for each slot, in windows. Clones share what neither of them changes.
#[derive(Debug, Clone)]
pub struct Bits {
    windows: Paged<Window, PAGE_WINDOWS>,
    /// One more than the last window that has ever had a bit.
    window_count: usize,
}

/// Windows in one page: 4 kB.
const PAGE_WINDOWS: usize = 8;

impl Default for Bits {
    fn default() -> Self {
        Self { windows: Paged::new([0; WINDOW_WORDS]), window_count: 0 }
    }
}

impl Bits {
    /// The bits of a window.
    #[inline]
    pub(super) fn window(&self, window: usize) -> Option<&Window> {
        self.windows.get(window)
    }

    /// The windows that there may be bits in.
    pub(super) fn windows(&self) -> impl Iterator<Item = &Window> {
        (0..self.window_count).filter_map(|window| self.window(window))
    }

    /// The first window from one on that has a bit.
    pub(super) fn next_window(&self, from: usize) -> Option<usize> {
        let has_bit = |window: &usize| {
            self.window(*window).is_some_and(|words| words.iter().any(|word| *word != 0))
        };
        (from..self.window_count).find(has_bit)
    }

    #[inline]
    fn contains(&self, slot: Slot) -> bool {
        let (word, bit) = (slot as usize / WORD_BITS, slot as usize % WORD_BITS);
        let words = self.window(word / WINDOW_WORDS);
        words.is_some_and(|words| words[word % WINDOW_WORDS] >> bit & 1 == 1)
    }

    fn insert(&mut self, slot: Slot) {
        self.window_count = self.window_count.max(slot as usize / WINDOW_SLOTS + 1);
        let (word, bit) = (slot as usize / WORD_BITS, slot as usize % WORD_BITS);
        self.windows.get_mut(word / WINDOW_WORDS)[word % WINDOW_WORDS] |= 1 << bit;
    }

    /// Takes a slot out that is in.
    fn remove(&mut self, slot: Slot) {
        let (word, bit) = (slot as usize / WORD_BITS, slot as usize % WORD_BITS);
        self.windows.get_mut(word / WINDOW_WORDS)[word % WINDOW_WORDS] &= !(1 << bit);
    }
}

/// The memories that have a token, and how often.
#[derive(Debug, Clone, Copy)]
pub enum PostingList<'a> {
    /// Ascending, each slot once.
    Sparse(&'a [Posting]),
    /// A bit for each slot.
    Dense {
        /// The slots of memories that have it.
        bits: &'a Bits,
        /// How many these are.
        count: usize,
        /// Those that have it more than once, ascending.
        frequent: &'a [Posting],
    },
}

impl PostingList<'_> {
    /// No memory.
    pub const EMPTY: Self = PostingList::Sparse(&[]);

    /// Puts those memories of `among` that have it into `found`; reads the shorter of the two, or 64 at a time.
    pub fn insert_within(&self, among: &Bitset, found: &mut Bitset) {
        match self {
            Self::Sparse(postings)
                if postings.len() as u64 <= among.count() * READ_PER_SEEK as u64 =>
            {
                let slots = postings.iter().map(|posting| posting.slot());
                slots.filter(|slot| among.contains(*slot)).for_each(|slot| found.insert(slot));
            }
            Self::Sparse(_) => {
                let slots: Vec<Slot> = among.iter().collect();
                self.each_frequency(&slots, |place, _| found.insert(slots[place]));
            }
            Self::Dense { bits, .. } => {
                for (index, word) in among.words().iter().enumerate().filter(|(_, it)| **it != 0) {
                    let window = bits.window(index / WINDOW_WORDS);
                    let with = window.map_or(0, |words| words[index % WINDOW_WORDS]);
                    word_slots(index, word & with).for_each(|slot| found.insert(slot));
                }
            }
        }
    }

    /// How many memories have the token.
    pub fn df(&self) -> u64 {
        match self {
            Self::Sparse(postings) => postings.len() as u64,
            Self::Dense { count, .. } => *count as u64,
        }
    }

    /// How often a memory has the token, 0 when it does not. By binary search.
    pub fn frequency(&self, slot: Slot) -> u32 {
        match self {
            Self::Sparse(postings) => find(postings, slot).map_or(0, |at| postings[at].frequency()),
            Self::Dense { bits, frequent, .. } => {
                if !bits.contains(slot) {
                    return 0;
                }
                find(frequent, slot).map_or(1, |at| frequent[at].frequency())
            }
        }
    }

    /// Calls `each` with the place of every slot, of some that ascend, which has the token, and with
    /// how often it has it.
    pub fn each_frequency(&self, slots: &[Slot], mut each: impl FnMut(usize, u32)) {
        let mut at = 0;
        match self {
            Self::Sparse(postings) => {
                for (place, slot) in slots.iter().enumerate() {
                    at = seek(postings, at, *slot);
                    match postings.get(at) {
                        None => break,
                        Some(posting) if posting.slot() == *slot => {
                            each(place, posting.frequency())
                        }
                        Some(_) => {}
                    }
                }
            }
            Self::Dense { bits, frequent, .. } => {
                for (place, slot) in slots.iter().enumerate() {
                    if !bits.contains(*slot) {
                        continue;
                    }
                    at = seek(frequent, at, *slot);
                    let listed = frequent.get(at).filter(|posting| posting.slot() == *slot);
                    each(place, listed.map_or(1, |posting| posting.frequency()));
                }
            }
        }
    }

    /// Calls `each` with those slots of a set that have the token, ascending; `slots` are those of the
    /// set.
    pub fn each_within(&self, set: &Bitset, slots: &[Slot], mut each: impl FnMut(Slot)) {
        match self {
            Self::Sparse(postings) if postings.len() <= slots.len() * READ_PER_SEEK => {
                for slot in postings.iter().map(|posting| posting.slot()) {
                    if set.contains(slot) {
                        each(slot);
                    }
                }
            }
            Self::Sparse(_) => self.each_frequency(slots, |place, _| each(slots[place])),
            Self::Dense { bits, .. } => {
                slots.iter().filter(|slot| bits.contains(**slot)).for_each(|slot| each(*slot));
            }
        }
    }

    /// All postings, ascending.
    pub fn to_vec(&self) -> Vec<Posting> {
        match self {
            Self::Sparse(postings) => postings.to_vec(),
            Self::Dense { bits, count, frequent } => {
                let mut frequent = frequent.iter().copied().peekable();
                let mut postings = Vec::with_capacity(*count);
                for (index, &word) in bits.windows().flatten().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        let slot = (index * WORD_BITS) as Slot + rest.trailing_zeros();
                        rest &= rest - 1;
                        let listed = frequent.next_if(|posting| posting.slot() == slot);
                        postings.push(listed.unwrap_or(Posting::of(slot, 1)));
                    }
                }
                postings
            }
        }
    }
}

fn find(postings: &[Posting], slot: Slot) -> Result<usize, usize> {
    postings.binary_search_by_key(&slot, |posting| posting.slot())
}

impl Default for List {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl List {
    /// Of ascending postings.
    pub(super) fn of(postings: &[Posting], slot_count: usize) -> Self {
        match postings {
            [one] => Self::One(*one),
            _ if is_dense(postings.len(), slot_count) => Self::Dense(Arc::new(Dense::of(postings))),
            _ => Self::listed(postings.to_vec()),
        }
    }

    fn listed(postings: Vec<Posting>) -> Self {
        if postings.len() <= FEW_MAX {
            Self::Few(postings)
        } else {
            Self::Several(Arc::new(postings))
        }
    }

    pub(super) fn view(&self) -> PostingList<'_> {
        match self {
            Self::One(one) => PostingList::Sparse(std::slice::from_ref(one)),
            Self::Few(postings) => PostingList::Sparse(postings),
            Self::Several(postings) => PostingList::Sparse(postings),
            Self::Dense(dense) => PostingList::Dense {
                bits: &dense.bits,
                count: dense.count,
                frequent: &dense.frequent,
            },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(postings) => postings.is_empty(),
            Self::Several(postings) => postings.is_empty(),
            Self::One(_) | Self::Dense(_) => false,
        }
    }

    /// Bytes beside its own place.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Few(postings) => postings.capacity() * size_of::<Posting>(),
            Self::Several(postings) => {
                size_of::<Vec<Posting>>() + postings.capacity() * size_of::<Posting>()
            }
            Self::Dense(dense) => {
                size_of::<Dense>()
                    + dense.bits.windows.bytes()
                    + dense.frequent.capacity() * size_of::<Posting>()
            }
        }
    }

    /// Puts a posting in, in the place of one of the same slot.
    pub(super) fn put(&mut self, posting: Posting, slot_count: usize) {
        match self {
            Self::One(one) if one.slot() == posting.slot() => *one = posting,
            Self::One(one) => {
                let mut both = [*one, posting];
                both.sort_unstable();
                *self = Self::Few(both.to_vec());
            }
            Self::Few(postings) if postings.is_empty() => *self = Self::One(posting),
            Self::Few(postings) => {
                put_sorted(postings, posting);
                if postings.len() > FEW_MAX {
                    *self = Self::listed(std::mem::take(postings));
                }
            }
            Self::Several(postings) => {
                put_sorted(Arc::make_mut(postings), posting);
                if is_dense(postings.len(), slot_count) {
                    *self = Self::Dense(Arc::new(Dense::of(postings)));
                }
            }
            Self::Dense(dense) => Arc::make_mut(dense).put(posting),
        }
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        match self {
            Self::One(one) if one.slot() == slot => *self = Self::default(),
            Self::One(_) => {}
            Self::Few(postings) => {
                if let Ok(at) = find(postings, slot) {
                    postings.remove(at);
                }
            }
            Self::Several(postings) => {
                if let Ok(at) = find(postings, slot) {
                    let rest = Arc::make_mut(postings);
                    rest.remove(at);
                    // Not as soon as it could: lest it go to and fro.
                    if rest.len() <= FEW_MAX / 2 {
                        *self = Self::Few(std::mem::take(rest));
                    }
                }
            }
            Self::Dense(dense) => {
                let dense = Arc::make_mut(dense);
                dense.remove(slot);
                if dense.count.saturating_mul(SPARSE_SHARE) < dense.bits.window_count * WINDOW_SLOTS
                {
                    *self = Self::listed(self.view().to_vec());
                }
            }
        }
    }
}

impl Dense {
    fn of(postings: &[Posting]) -> Self {
        let mut bits = Bits::default();
        for posting in postings {
            bits.insert(posting.slot());
        }
        let frequent = postings.iter().copied().filter(|posting| posting.frequency() > 1);
        Self { bits, count: postings.len(), frequent: Arc::new(frequent.collect()) }
    }

    fn put(&mut self, posting: Posting) {
        let slot = posting.slot();
        if self.bits.contains(slot) {
            self.remove(slot);
        }
        self.bits.insert(slot);
        self.count += 1;
        if posting.frequency() > 1 {
            put_sorted(Arc::make_mut(&mut self.frequent), posting);
        }
    }

    fn remove(&mut self, slot: Slot) {
        if self.bits.contains(slot) {
            self.bits.remove(slot);
            self.count -= 1;
            if let Ok(at) = find(&self.frequent, slot) {
                Arc::make_mut(&mut self.frequent).remove(at);
            }
        }
    }
}

fn is_dense(count: usize, slot_count: usize) -> bool {
    count >= DENSE_MIN && count.saturating_mul(DENSE_SHARE) >= slot_count
}

fn put_sorted(postings: &mut Vec<Posting>, posting: Posting) {
    if postings.last().is_none_or(|last| last.slot() < posting.slot()) {
        make_room(postings, 1);
        postings.push(posting);
        return;
    }
    match find(postings, posting.slot()) {
        Ok(at) => postings[at] = posting,
        Err(at) => {
            make_room(postings, 1);
            postings.insert(at, posting);
        }
    }
}

/// Room for `more`, and an eighth beyond: doubling would leave a third of all room unused.
fn make_room<T>(vec: &mut Vec<T>, more: usize) {
    if vec.capacity() - vec.len() < more {
        vec.reserve_exact(more + vec.len() / 8 + 2);
    }
}
