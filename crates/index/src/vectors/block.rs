use super::kernels::{self, BitRows, Instructions, MASKED};
use super::query::Query;
use super::shortlist::Estimated;
use crate::Slot;
use std::sync::Arc;

/// Rows of a block. Blocks are allocated one by one, so that growing copies nothing.
pub(super) const ROWS: usize = 4096;
/// Words of a block's part of a bitset.
pub(super) const WORDS: usize = ROWS / MASKED;
/// Rows of which what is known besides their codes lies together: copied in a microsecond.
const FACT_ROWS: usize = 512;
const FACTS: usize = ROWS / FACT_ROWS;

/// Rows from which a mean says where they lie; fewer are not worth bits.
const CENTERED_MIN: usize = 256;
/// The center is computed again when there are so many times the rows that it was computed from.
const CENTERED_AGAIN: usize = 16;

/// The vectors of [`ROWS`] slots side by side. A clone shares the pieces that are not changed since.
#[derive(Debug, Clone)]
pub(super) struct Block {
    width: usize,
    /// Of the first row.
    slot: Slot,
    /// The components as whole numbers, of 64 rows each.
    codes: Vec<Arc<[i8]>>,
    /// What else is known of the rows, in pieces.
    facts: Vec<Arc<[Facts]>>,
    /// How many rows there are.
    count: usize,
    bits: Option<Bits>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// What the row's codes are to be multiplied with.
    scale: f32,
    /// The norm of what the row's codes leave out.
    residual: f32,
    fingerprint: u64,
}

/// One bit a component: on which side of the center it lies.
#[derive(Debug, Clone)]
struct Bits {
    center: Arc<[f32]>,
    /// Rows there were when the center was computed.
    centered_at: usize,
    /// `[64 rows][byte][row]`: the same byte of 64 rows lies together, one a lane. All in one piece, since a scan
    /// of them asks for memory ahead; in pieces of some kilobytes it takes half as long again.
    bytes: Arc<[u8]>,
    /// What the bits of a row, as -1 and 1, are to be multiplied with to come nearest to it; in pieces.
    factors: Vec<Arc<[f32]>>,
}

impl Block {
    /// An empty block of vectors with this many components, a multiple of 64.
    pub(super) fn new(width: usize, slot: Slot) -> Self {
        Self {
            width,
            slot,
            // One for all until a row is put.
            codes: vec![vec![0; MASKED * width].into(); WORDS],
            facts: vec![vec![Facts::default(); FACT_ROWS].into(); FACTS],
            count: 0,
            bits: None,
        }
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let bits = self.bits.as_ref().map_or(0, |bits| {
            size_of_val(&*bits.center) + size_of_val(&*bits.bytes) + bytes_of(&bits.factors)
        });
        bytes_of(&self.codes) + bytes_of(&self.facts) + bits
    }

    /// Sets a row. `present` are the block's rows, this one included; `is_added` says that it was
    /// not among them before. `fingerprint` tells the row's vector from others.
    pub(super) fn put(
        &mut self,
        instructions: Instructions,
        row: usize,
        vector: &[f32],
        fingerprint: u64,
        present: &[u64],
        is_added: bool,
    ) {
        let codes = Arc::make_mut(&mut self.codes[row / MASKED]);
        let codes = &mut codes[row % MASKED * self.width..][..self.width];
        let (scale, residual) = kernels::quantize(instructions, vector, codes);
        Arc::make_mut(&mut self.facts[row / FACT_ROWS])[row % FACT_ROWS] =
            Facts { scale, residual, fingerprint };
        self.count += usize::from(is_added);
        let needed =
            self.bits.as_ref().map_or(CENTERED_MIN, |bits| CENTERED_AGAIN * bits.centered_at);
        if self.count >= needed {
            self.center_on_mean(instructions, present);
        } else if let Some(bits) = &mut self.bits {
            let codes = &self.codes[row / MASKED][row % MASKED * self.width..][..self.width];
            bits.set(instructions, row, codes, scale);
        }
    }

    /// Notes that a row went; says whether it was the last.
    pub(super) fn remove(&mut self) -> bool {
        self.count -= 1;
        self.count == 0
    }

    /// What a row's codes say of its similarity, by their dot product with the query's.
    pub(super) fn estimated(&self, row: usize, dot: i32, query: &Query) -> Estimated {
        let Facts { scale, residual, .. } = *self.facts(row);
        Estimated {
            similarity: dot as f32 * (scale * query.unit),
            error: query.error(residual),
            slot: self.slot_of(row),
        }
    }

    /// What tells a row's vector from others: equal vectors have equal ones.
    pub(super) fn fingerprint(&self, row: usize) -> u64 {
        self.facts(row).fingerprint
    }

    fn facts(&self, row: usize) -> &Facts {
        &self.facts[row / FACT_ROWS][row % FACT_ROWS]
    }

    /// Slot of a row.
    pub(super) fn slot_of(&self, row: usize) -> Slot {
        self.slot + row as Slot
    }

    /// The codes of a row.
    pub(super) fn codes(&self, row: usize) -> &[i8] {
        &self.codes[row / MASKED][row % MASKED * self.width..][..self.width]
    }

    /// Asks memory for what [`estimated`](Self::estimated) needs of a row.
    pub(super) fn prefetch(&self, row: usize) {
        kernels::prefetch(self.codes(row).as_ptr(), self.width);
        kernels::prefetch(self.facts(row), size_of::<Facts>());
    }

    /// The codes of the 64 rows of a word.
    pub(super) fn codes_of_word(&self, word: usize) -> &[i8] {
        &self.codes[word]
    }

    /// The center of the bits, when there are bits.
    pub(super) fn center(&self) -> Option<&[f32]> {
        self.bits.as_ref().map(|bits| &*bits.center)
    }

    /// The bits of the 64 rows of a word.
    pub(super) fn bits_of_word(&self, word: usize) -> Option<BitRows<'_>> {
        let bits = self.bits.as_ref()?;
        let (row, bytes) = (word * MASKED, self.width / 8 * MASKED);
        Some(BitRows {
            bits: &bits.bytes[word * bytes..][..bytes],
            factors: &bits.factors[row / FACT_ROWS][row % FACT_ROWS..][..MASKED],
        })
    }

    /// Centers the bits on the mean of the rows.
    fn center_on_mean(&mut self, instructions: Instructions, present: &[u64]) {
        let mut center = vec![0.0; self.width];
        for row in rows(present) {
            let (codes, scale) = (self.codes(row), self.facts(row).scale);
            for (sum, &code) in center.iter_mut().zip(codes) {
                *sum += f32::from(code) * scale;
            }
        }
        for sum in &mut center {
            *sum /= self.count as f32;
        }
        let (bytes, factors) = match self.bits.take() {
            Some(bits) => (bits.bytes, bits.factors),
            None => {
                (vec![0; ROWS * self.width / 8].into(), vec![vec![0.0; FACT_ROWS].into(); FACTS])
            }
        };
        let center = center.into();
        let mut bits = Bits { center, centered_at: self.count, bytes, factors };
        for row in rows(present) {
            bits.set(instructions, row, self.codes(row), self.facts(row).scale);
        }
        self.bits = Some(bits);
    }
}

impl Bits {
    fn set(&mut self, instructions: Instructions, row: usize, codes: &[i8], scale: f32) {
        let mut words = vec![0_u64; codes.len() / MASKED];
        let factor = kernels::binarize(instructions, codes, scale, &self.center, &mut words);
        Arc::make_mut(&mut self.factors[row / FACT_ROWS])[row % FACT_ROWS] = factor;
        let group = codes.len() / 8 * MASKED;
        let group = &mut Arc::make_mut(&mut self.bytes)[row / MASKED * group..][..group];
        kernels::put_bits(group, row % MASKED, &words);
    }
}

fn bytes_of<T>(pieces: &[Arc<[T]>]) -> usize {
    pieces.iter().map(|piece| size_of_val(&**piece)).sum()
}

/// The rows that a block's part of a bitset holds, ascending.
fn rows(present: &[u64]) -> impl Iterator<Item = usize> + '_ {
    present.iter().enumerate().flat_map(|(word, &mask)| {
        (0..MASKED).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| word * MASKED + bit)
    })
}
