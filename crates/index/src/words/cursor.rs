use super::{Posting, PostingList, Slot};

/// Words of 64 slots in a [`Window`].
pub const WINDOW_WORDS: usize = 64;
/// Slots in a [`Window`].
pub const WINDOW_SLOTS: usize = WINDOW_WORDS * u64::BITS as usize;

/// A set of the slots from a multiple of [`WINDOW_SLOTS`] on, one bit each.
pub type Window = [u64; WINDOW_WORDS];

/// The slots of a window that have a token.
#[derive(Debug, Clone)]
pub struct Occurrences {
    /// Those that have it.
    pub present: Window,
    /// Those that have it twice or more.
    pub twice: Window,
    /// Those that have it three times or more.
    pub thrice: Window,
    /// Whether any has it twice.
    pub has_twice: bool,
}

impl Default for Occurrences {
    fn default() -> Self {
        let none = [0; WINDOW_WORDS];
        Self { present: none, twice: none, thrice: none, has_twice: false }
    }
}

/// Reads a list of postings window by window, from the first to the last.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    list: PostingList<'a>,
    /// The postings of the present window: all, or those of more than one occurrence when the list
    /// has bits for the others.
    from: usize,
    to: usize,
}

impl<'a> Cursor<'a> {
    /// Stands before the first window.
    pub fn new(list: PostingList<'a>) -> Self {
        Self { list, from: 0, to: 0 }
    }

    /// The list that it reads.
    pub fn list(&self) -> &PostingList<'a> {
        &self.list
    }

    /// The lowest window from `window` on, which is not before the present one, that has a slot of
    /// the list.
    pub fn next_window(&self, window: usize) -> Option<usize> {
        match self.list {
            PostingList::Sparse(postings) => {
                let at = seek(postings, self.from, first_slot(window));
                postings.get(at).map(|posting| posting.slot() as usize / WINDOW_SLOTS)
            }
            PostingList::Dense { bits, .. } => bits.next_window(window),
        }
    }

    /// Goes to a window, which is not before the present one, and says what is in it.
    pub fn read(&mut self, window: usize, to: &mut Occurrences) {
        if to.has_twice {
            to.twice.fill(0);
            to.thrice.fill(0);
            to.has_twice = false;
        }
        let (postings, is_sparse) = match self.list {
            PostingList::Sparse(postings) => {
                to.present.fill(0);
                (postings, true)
            }
            PostingList::Dense { bits, frequent, .. } => {
                match bits.window(window) {
                    Some(words) => to.present.copy_from_slice(words),
                    None => to.present.fill(0),
                }
                (frequent, false)
            }
        };
        self.from = seek(postings, self.to, first_slot(window));
        self.to = self.from;
        for posting in &postings[self.from..] {
            let offset = posting.slot() as usize - window * WINDOW_SLOTS;
            if offset >= WINDOW_SLOTS {
                break;
            }
            self.to += 1;
            let (word, bit) = (offset / 64, offset % 64);
            if is_sparse {
                to.present[word] |= 1 << bit;
            }
            if posting.frequency() > 1 {
                to.has_twice = true;
                to.twice[word] |= 1 << bit;
                to.thrice[word] |= u64::from(posting.frequency() > 2) << bit;
            }
        }
    }

    /// How often a slot of the present window has the token, which it has.
    pub fn frequency(&self, slot: Slot) -> u32 {
        let (PostingList::Sparse(postings) | PostingList::Dense { frequent: postings, .. }) =
            self.list;
        let here = &postings[self.from..self.to];
        match here.binary_search_by_key(&slot, |posting| posting.slot()) {
            Ok(at) => here[at].frequency(),
            Err(_) => 1,
        }
    }
}

fn first_slot(window: usize) -> Slot {
    Slot::try_from(window * WINDOW_SLOTS).unwrap_or(Slot::MAX)
}

/// The first posting from place `from` on whose slot is not below `slot`: by steps that double, then
/// by halves, so that a near one is found soon.
pub(super) fn seek(postings: &[Posting], from: usize, slot: Slot) -> usize {
    let rest = &postings[from..];
    let mut step = 1;
    while step < rest.len() && rest[step - 1].slot() < slot {
        step *= 2;
    }
    let (low, high) = (step / 2, step.min(rest.len()));
    from + low + rest[low..high].partition_point(|posting| posting.slot() < slot)
}
