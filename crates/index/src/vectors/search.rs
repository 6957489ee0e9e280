use std::collections::HashMap;
use std::ops::Range;

use super::block::{Block, ROWS, WORDS};
use super::coarse::{self, Coarse, CoarseList};
use super::kernels::{self, MASKED};
use super::query::Query;
use super::shortlist::{Estimated, Shortlist};
use super::{FullVectors, NearestVectors, VectorIndex, cosine};
use crate::smallest_k::SmallestK;
use crate::{Bitset, Slot};
use robot_memory_core::parallel;

/// One row in so many is looked at more closely, besides [`COARSE_PER_HIT`] for each that is asked
/// for.
const COARSE_SHARE: usize = 100;
const COARSE_PER_HIT: usize = 10;
/// Standard deviations that an estimate from bits may be off before the row is lost.
const BITS_DEVIATIONS: f32 = 2.5;
/// A row's factor times this is the standard deviation of the estimate from its bits: sqrt(1 - c²)
/// for the cosine c = sqrt(2 / π) of a vector of many even components and its signs.
const BITS_DEVIATION: f32 = 0.603;
/// Standard deviations that an estimate from codes may be off where the answer is approximate.
const CODES_DEVIATIONS: f32 = 7.0;

/// One row in so many is compared by its codes rather than by the bits around it: that takes twice the time of a
/// scan of the bits, and is exact.
const BITS_PER_CODES: u64 = 12;
/// Blocks whose bits a thread compares at a time: some megabytes, in some tenths of a millisecond. Memory is what
/// takes the time, and one core alone does not read it as fast as it can be read. Few in tests, whose indexes are small.
const BLOCKS_AT_ONCE: usize = if cfg!(test) { 1 } else { 16 };
/// Rows that a thread compares by their codes at a time.
const REFINED_AT_ONCE: usize = if cfg!(test) { 8 } else { 512 };
/// Rows of 64 from which on they are compared one after the other, and not picked out one by one.
const DENSE_MIN: u32 = 16;

impl VectorIndex {
    /// The `k` allowed slots whose vectors are most similar to the query, at least
    /// `min_similarity`.
    ///
    /// The query is of unit length; one of another dimension, or with a component that is not
    /// finite, is similar to nothing. Up to some ten thousand allowed rows, the answer is exact;
    /// above, a row may be missing, unless they are scattered widely, and the answer says so.
    ///
    /// # Errors
    /// When a full vector cannot be read.
    pub fn nearest<F: FullVectors>(
        &self,
        query: &[f32],
        allowed: &Bitset,
        k: usize,
        min_similarity: f32,
        full: &mut F,
    ) -> Result<NearestVectors, F::Error> {
        let is_exact = self.is_exact_cheap(allowed);
        self.nearest_by(query, allowed, k, min_similarity, is_exact, full)
    }

    /// Takes those rows out of `allowed` that are less similar to the query than `min_similarity`;
    /// exact. A row without a vector has the similarity 0, and so has every row when the query is of
    /// another dimension or not finite.
    ///
    /// # Errors
    /// When a full vector cannot be read; `allowed` is then as it was.
    pub fn narrow<F: FullVectors>(
        &self,
        query: &[f32],
        allowed: &mut Bitset,
        min_similarity: f32,
        full: &mut F,
    ) -> Result<(), F::Error> {
        let keeps_unknown = min_similarity <= 0.0;
        let Some(prepared) = self.query(query) else {
            if !keeps_unknown {
                allowed.retain(|_| false);
            }
            return Ok(());
        };
        let mut read = FullVectorReader::new(self, query, full);
        let mut refused = Vec::new();
        for (block, masks) in self.allowed_blocks(allowed) {
            let mut failure = None;
            self.by_codes(&prepared, block, &masks, |row| {
                let is_kept = if row.least() >= min_similarity {
                    true
                } else if row.most() < min_similarity || failure.is_some() {
                    false
                } else {
                    match read.cosine(row.slot) {
                        Ok(similarity) => similarity.unwrap_or(0.0) >= min_similarity,
                        Err(error) => {
                            failure = Some(error);
                            false
                        }
                    }
                };
                if !is_kept {
                    refused.push(row.slot);
                }
            });
            if let Some(error) = failure {
                return Err(error);
            }
        }
        if !keeps_unknown {
            allowed.intersect_with(&self.present);
        }
        for slot in refused {
            allowed.remove(slot);
        }
        Ok(())
    }

    /// About the similarity of each slot's vector and the query, which is of unit length; `None` where
    /// the slot has no vector, and everywhere when the query is of another dimension or not finite.
    ///
    /// Each is off by at most the norm of what eight bits a component leave out, about 0.01 for 512
    /// even components, and mostly by a twentieth of that.
    pub fn estimates(&self, slots: &[Slot], query: &[f32]) -> Vec<Option<f32>> {
        let Some(query) = self.query(query) else { return vec![None; slots.len()] };
        let of = |slot| {
            let estimated = self.present.contains(slot).then(|| self.estimated(&query, slot));
            Some(estimated??.similarity)
        };
        self.asked_for_ahead(slots).map(of).collect()
    }

    /// Whether comparing all allowed rows by their codes takes little time, or at most twice that of a scan
    /// of the bits around them.
    fn is_exact_cheap(&self, allowed: &Bitset) -> bool {
        let words = self.present.words().iter().zip(allowed.words());
        let (mut rows, mut scanned) = (0, 0);
        for mask in words.map(|(present, allowed)| present & allowed).filter(|&mask| mask != 0) {
            rows += u64::from(mask.count_ones());
            scanned += MASKED as u64;
        }
        rows <= self.exact_max || rows * BITS_PER_CODES <= scanned
    }

    pub(super) fn nearest_by<F: FullVectors>(
        &self,
        query: &[f32],
        allowed: &Bitset,
        k: usize,
        min_similarity: f32,
        is_exact: bool,
        full: &mut F,
    ) -> Result<NearestVectors, F::Error> {
        let nothing = NearestVectors { hits: Vec::new(), approximate: false };
        let Some(prepared) = self.query(query).filter(|_| k > 0) else { return Ok(nothing) };
        let mut shortlist = Shortlist::new(k, min_similarity);
        if is_exact {
            let mut scattered = Vec::new();
            for (block, masks) in self.allowed_blocks(allowed) {
                let offer = |row| shortlist.offer(row);
                self.dense_by_codes(&prepared, block, &masks, &mut scattered, offer);
            }
            self.refine(&prepared, &scattered, |row| shortlist.offer(row));
        } else {
            self.by_bits(&prepared, allowed, k, &mut shortlist);
        }
        let mut read = FullVectorReader::new(self, query, full);
        let mut smallest = SmallestK::new(k);
        for row in shortlist.into_sorted() {
            // From here on no row can be as similar as the worst of those that were read.
            if smallest.bound().is_some_and(|bound| f64::from(row.most()) < 0.0 - bound) {
                break;
            }
            if let Some(similarity) = read.cosine(row.slot)?
                && similarity >= min_similarity
            {
                // Adding zero turns the negative zero into the positive one.
                smallest.offer(0.0 - f64::from(similarity), row.slot);
            }
        }
        let hits = smallest.into_sorted().map(|(cost, slot)| (slot, (0.0 - cost) as f32)).collect();
        Ok(NearestVectors { hits, approximate: !is_exact })
    }

    /// Offers all rows of a block that are in the masks, as their codes see them.
    fn by_codes(
        &self,
        query: &Query,
        block: &Block,
        masks: &[u64; WORDS],
        mut offer: impl FnMut(Estimated),
    ) {
        let mut scattered = Vec::new();
        self.dense_by_codes(query, block, masks, &mut scattered, &mut offer);
        self.refine(query, &scattered, offer);
    }

    /// As [`by_codes`](Self::by_codes), but the rows that lie far from each other are only noted.
    fn dense_by_codes(
        &self,
        query: &Query,
        block: &Block,
        masks: &[u64; WORDS],
        scattered: &mut Vec<Slot>,
        mut offer: impl FnMut(Estimated),
    ) {
        let mut dots = [0; MASKED];
        for (word, &mask) in masks.iter().enumerate().filter(|&(_, &mask)| mask != 0) {
            if mask.count_ones() < DENSE_MIN {
                scattered.extend(bits(mask).map(|bit| block.slot_of(word * MASKED + bit)));
                continue;
            }
            let codes = block.codes_of_word(word);
            kernels::dots(self.instructions, codes, &query.codes, mask, &mut dots);
            for bit in bits(mask) {
                offer(block.estimated(word * MASKED + bit, dots[bit], query));
            }
        }
    }

    /// Offers those rows that their bits let hope for a place among the best `k`.
    fn by_bits(&self, query: &Query, allowed: &Bitset, k: usize, shortlist: &mut Shortlist) {
        let (coarse, close) = self.coarse(query, allowed, k);
        let likely = |row: Estimated| {
            let share = CODES_DEVIATIONS / (self.width as f32).sqrt();
            Estimated { error: row.error * share.min(1.0), ..row }
        };
        close.into_iter().for_each(|row| shortlist.offer(likely(row)));
        // What the best of them reach, the next must reach too: each part is looked at by the floor of those before.
        let margin = BITS_DEVIATIONS * BITS_DEVIATION * query.norm;
        let mut rows = coarse.into_rows();
        let (mut rest, mut count) = (&mut rows[..], 2 * k);
        while !rest.is_empty() {
            let (best, others) = coarse::part_best(rest, count);
            let floor = shortlist.floor();
            let has_a_chance = |row: &&Coarse| row.similarity + margin * row.factor >= floor;
            let slots: Vec<Slot> = best.iter().filter(has_a_chance).map(|row| row.slot).collect();
            let refined =
                parallel::fold(slots.len().div_ceil(REFINED_AT_ONCE), Vec::new, |refined, part| {
                    let slots = slots.chunks(REFINED_AT_ONCE).nth(part).unwrap_or_default();
                    self.refine(query, slots, |row| refined.push(likely(row)));
                });
            refined.into_iter().flatten().for_each(|row| shortlist.offer(row));
            shortlist.prune();
            (rest, count) = (others, 4 * count);
        }
    }

    /// The best hundredth of the allowed rows by their bits, and all rows of blocks without bits by their codes.
    fn coarse(&self, query: &Query, allowed: &Bitset, k: usize) -> (CoarseList, Vec<Estimated>) {
        let count = self.present.intersection_count(allowed) as usize;
        let capacity = count / COARSE_SHARE + COARSE_PER_HIT * k;
        let begin = || (CoarseList::new(capacity), Vec::new());
        let parts = self.blocks.len().div_ceil(BLOCKS_AT_ONCE);
        let found = parallel::fold(parts, begin, |(coarse, close), part| {
            let first = part * BLOCKS_AT_ONCE;
            let blocks = first..first + BLOCKS_AT_ONCE;
            for (block, masks) in self.allowed_blocks_of(blocks, allowed) {
                match block.center() {
                    Some(center) => self.coarse_rows(query, block, center, &masks, coarse),
                    None => self.by_codes(query, block, &masks, |row| close.push(row)),
                }
            }
        });
        let joined =
            found.into_iter().reduce(|(mut coarse, mut close), (more_coarse, more_close)| {
                coarse.join(more_coarse);
                close.extend(more_close);
                (coarse, close)
            });
        joined.unwrap_or_else(begin)
    }

    /// Offers these slots as their codes see them.
    fn refine(&self, query: &Query, slots: &[Slot], offer: impl FnMut(Estimated)) {
        let slots = self.asked_for_ahead(slots);
        slots.filter_map(|slot| self.estimated(query, slot)).for_each(offer);
    }

    /// The slots; the codes of those that come next are on their way from memory.
    fn asked_for_ahead<'a>(&'a self, slots: &'a [Slot]) -> impl Iterator<Item = Slot> + 'a {
        const AHEAD: usize = 4;
        slots.iter().enumerate().map(|(at, &slot)| {
            if let Some((block, row)) = slots.get(at + AHEAD).and_then(|&slot| self.place(slot)) {
                block.prefetch(row);
            }
            slot
        })
    }

    fn coarse_rows(
        &self,
        query: &Query,
        block: &Block,
        center: &[f32],
        masks: &[u64; WORDS],
        coarse: &mut CoarseList,
    ) {
        let query = query.beside_bits(cosine::dot_product(center, &query.vector));
        let mut similarities = [0.0; MASKED];
        for (word, &mask) in masks.iter().enumerate().filter(|&(_, &mask)| mask != 0) {
            let Some(rows) = block.bits_of_word(word) else { continue };
            let threshold = coarse.threshold();
            let reaching = kernels::estimate_bits(
                self.instructions,
                &rows,
                &query,
                mask,
                threshold,
                &mut similarities,
            );
            for bit in bits(reaching) {
                coarse.push(Coarse {
                    similarity: similarities[bit],
                    factor: rows.factors[bit],
                    slot: block.slot_of(word * MASKED + bit),
                });
            }
        }
    }

    /// A slot as its codes see it, whether it is present or not.
    fn estimated(&self, query: &Query, slot: Slot) -> Option<Estimated> {
        let (block, row) = self.place(slot)?;
        let dot = kernels::dot(self.instructions, block.codes(row), &query.codes);
        Some(block.estimated(row, dot, query))
    }

    /// The block and the row of a slot, whether it is present or not.
    fn place(&self, slot: Slot) -> Option<(&Block, usize)> {
        let block = self.blocks.get(slot as usize / ROWS)?.as_deref()?;
        Some((block, slot as usize % ROWS))
    }

    /// The blocks that have allowed rows, and which.
    fn allowed_blocks<'a>(
        &'a self,
        allowed: &'a Bitset,
    ) -> impl Iterator<Item = (&'a Block, [u64; WORDS])> {
        self.allowed_blocks_of(0..self.blocks.len(), allowed)
    }

    /// Those of some blocks that have allowed rows, and which.
    fn allowed_blocks_of<'a>(
        &'a self,
        blocks: Range<usize>,
        allowed: &'a Bitset,
    ) -> impl Iterator<Item = (&'a Block, [u64; WORDS])> {
        let masks = self.present.words().chunks(WORDS).zip(allowed.words().chunks(WORDS));
        let blocks = self.blocks.iter().zip(masks).take(blocks.end).skip(blocks.start);
        blocks.filter_map(|(block, (present, allowed))| {
            let mut masks = [0; WORDS];
            for (mask, (present, allowed)) in masks.iter_mut().zip(present.iter().zip(allowed)) {
                *mask = present & allowed;
            }
            let block = block.as_deref()?;
            masks.iter().any(|&mask| mask != 0).then_some((block, masks))
        })
    }
}

/// Reads full vectors, equal ones once: the same words said a thousand times cost one read.
struct FullVectorReader<'a, F> {
    index: &'a VectorIndex,
    query: &'a [f32],
    full: &'a mut F,
    known: HashMap<u64, f32>,
}

impl<'a, F: FullVectors> FullVectorReader<'a, F> {
    fn new(index: &'a VectorIndex, query: &'a [f32], full: &'a mut F) -> Self {
        Self { index, query, full, known: HashMap::new() }
    }

    fn cosine(&mut self, slot: Slot) -> Result<Option<f32>, F::Error> {
        let Some((block, row)) = self.index.place(slot) else { return Ok(None) };
        let fingerprint = block.fingerprint(row);
        if let Some(&similarity) = self.known.get(&fingerprint) {
            return Ok(Some(similarity));
        }
        let similarity = self.full.cosine(slot, self.query)?;
        if let Some(similarity) = similarity {
            self.known.insert(fingerprint, similarity);
        }
        Ok(similarity)
    }
}

/// The bits that are set, ascending.
fn bits(mask: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(mask), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|&rest| rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}
