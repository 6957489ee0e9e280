use super::Slot;

/// How often a memory has a token is counted no further: BM25 makes next to nothing of more.
pub const FREQUENCY_MAX: u32 = (1 << FREQUENCY_BITS) - 1;

const FREQUENCY_BITS: u32 = 4;

/// That a memory has a token so often, in four bytes. In order of slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting(u32);

impl Posting {
    /// The highest slot that there is room for.
    pub const SLOT_MAX: Slot = Slot::MAX >> FREQUENCY_BITS;

    /// A memory that has a token `frequency` times, 1 at least, and at most [`FREQUENCY_MAX`]
    /// being counted. The slot is at most [`SLOT_MAX`](Self::SLOT_MAX).
    pub fn of(slot: Slot, frequency: u32) -> Self {
        debug_assert!(slot <= Self::SLOT_MAX, "{slot}");
        Self(slot << FREQUENCY_BITS | frequency.clamp(1, FREQUENCY_MAX))
    }

    /// The memory.
    pub fn slot(self) -> Slot {
        self.0 >> FREQUENCY_BITS
    }

    /// How often it has the token: 1 to [`FREQUENCY_MAX`].
    pub fn frequency(self) -> u32 {
        self.0 & FREQUENCY_MAX
    }
}

impl std::fmt::Debug for Posting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}×{}", self.slot(), self.frequency())
    }
}
