use super::super::Bitset;
use super::cursor::seek;
use super::{Posting, Slot};

const WORD_BITS: usize = u64::BITS as usize;
/// A token that every 32nd memory has takes as much room as bits as it takes as postings.
const DENSE_SHARE: usize = 32;
/// Below half of that share it goes back to postings: not sooner, lest it go to and fro.
const SPARSE_SHARE: usize = 64;
/// Of fewer postings bits gain nothing.
const DENSE_MIN: usize = 1_024;

/// Postings that are read one after the other in the time in which one is sought.
const READ_PER_SEEK: usize = 8;

/// The postings of a token.
#[derive(Debug)]
pub(super) enum List {
    One(Posting),
    /// Ascending.
    Sparse(Vec<Posting>),
    Dense(Box<Dense>),
}

/// The postings of a token that many memories have: a bit for each slot.
#[derive(Debug, Default)]
pub(super) struct Dense {
    words: Vec<u64>,
    count: usize,
    /// Those that have it more than once, ascending.
    frequent: Vec<Posting>,
}

/// The memories that have a token, and how often.
#[derive(Debug, Clone, Copy)]
pub enum PostingList<'a> {
    /// Ascending, each slot once.
    Sparse(&'a [Posting]),
    /// A bit for each slot.
    Dense {
        /// The slots of memories that have it; slot 0 is the lowest bit of the first word.
        words: &'a [u64],
        /// How many these are.
        count: usize,
        /// Those that have it more than once, ascending.
        frequent: &'a [Posting],
    },
}

impl PostingList<'_> {
    /// No memory.
    pub const EMPTY: Self = PostingList::Sparse(&[]);

    /// Puts the slots of the memories that have it into a set.
    pub fn insert_into(&self, set: &mut Bitset) {
        for posting in self.to_vec() {
            set.insert(posting.slot());
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
            Self::Dense { words, frequent, .. } => {
                let word = words.get(slot as usize / WORD_BITS).copied().unwrap_or(0);
                if word >> (slot as usize % WORD_BITS) & 1 == 0 {
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
            Self::Dense { words, frequent, .. } => {
                for (place, slot) in slots.iter().enumerate() {
                    let word = words.get(*slot as usize / WORD_BITS).copied().unwrap_or(0);
                    if word >> (*slot as usize % WORD_BITS) & 1 == 0 {
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
            Self::Dense { words, .. } => {
                let has = |slot: &&Slot| {
                    let word = words.get(**slot as usize / WORD_BITS).copied().unwrap_or(0);
                    word >> (**slot as usize % WORD_BITS) & 1 == 1
                };
                slots.iter().filter(has).for_each(|slot| each(*slot));
            }
        }
    }

    /// All postings, ascending.
    pub fn to_vec(&self) -> Vec<Posting> {
        match self {
            Self::Sparse(postings) => postings.to_vec(),
            Self::Dense { words, count, frequent } => {
                let mut frequent = frequent.iter().copied().peekable();
                let mut postings = Vec::with_capacity(*count);
                for (index, &word) in words.iter().enumerate() {
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
        Self::Sparse(Vec::new())
    }
}

impl List {
    /// Of ascending postings.
    pub(super) fn of(postings: &[Posting], slot_count: usize) -> Self {
        match postings {
            [one] => Self::One(*one),
            _ if is_dense(postings.len(), slot_count) => Self::Dense(Box::new(Dense::of(postings))),
            _ => Self::Sparse(postings.to_vec()),
        }
    }

    pub(super) fn view(&self) -> PostingList<'_> {
        match self {
            Self::One(one) => PostingList::Sparse(std::slice::from_ref(one)),
            Self::Sparse(postings) => PostingList::Sparse(postings),
            Self::Dense(dense) => PostingList::Dense {
                words: &dense.words,
                count: dense.count,
                frequent: &dense.frequent,
            },
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Sparse(postings) if postings.is_empty())
    }

    /// Bytes beside its own place.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Sparse(postings) => postings.capacity() * size_of::<Posting>(),
            Self::Dense(dense) => {
                size_of::<Dense>()
                    + dense.words.capacity() * size_of::<u64>()
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
                *self = Self::Sparse(both.to_vec());
            }
            Self::Sparse(postings) if postings.is_empty() => *self = Self::One(posting),
            Self::Sparse(postings) => {
                put_sorted(postings, posting);
                if is_dense(postings.len(), slot_count) {
                    *self = Self::Dense(Box::new(Dense::of(postings)));
                }
            }
            Self::Dense(dense) => dense.put(posting),
        }
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        match self {
            Self::One(one) if one.slot() == slot => *self = Self::default(),
            Self::One(_) => {}
            Self::Sparse(postings) => {
                if let Ok(at) = find(postings, slot) {
                    postings.remove(at);
                }
            }
            Self::Dense(dense) => {
                dense.remove(slot);
                if dense.count.saturating_mul(SPARSE_SHARE) < dense.words.len() * WORD_BITS {
                    *self = Self::Sparse(self.view().to_vec());
                }
            }
        }
    }
}

impl Dense {
    fn of(postings: &[Posting]) -> Self {
        let len = postings.last().map_or(0, |last| last.slot() as usize / WORD_BITS + 1);
        let mut words = vec![0_u64; len];
        for posting in postings {
            words[posting.slot() as usize / WORD_BITS] |=
                1 << (posting.slot() as usize % WORD_BITS);
        }
        let frequent: Vec<Posting> =
            postings.iter().copied().filter(|posting| posting.frequency() > 1).collect();
        Self { words, count: postings.len(), frequent }
    }

    fn put(&mut self, posting: Posting) {
        let slot = posting.slot();
        let (word, mask) = (slot as usize / WORD_BITS, 1 << (slot as usize % WORD_BITS));
        if word >= self.words.len() {
            let more = word + 1 - self.words.len();
            make_room(&mut self.words, more);
            self.words.resize(word + 1, 0);
        }
        if self.words[word] & mask != 0 {
            self.remove(slot);
        }
        self.words[word] |= mask;
        self.count += 1;
        if posting.frequency() > 1 {
            put_sorted(&mut self.frequent, posting);
        }
    }

    fn remove(&mut self, slot: Slot) {
        let Some(word) = self.words.get_mut(slot as usize / WORD_BITS) else { return };
        let mask = 1 << (slot as usize % WORD_BITS);
        if *word & mask != 0 {
            *word &= !mask;
            self.count -= 1;
            if let Ok(at) = find(&self.frequent, slot) {
                self.frequent.remove(at);
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
