use std::collections::BTreeSet;
use std::convert::Infallible;

use proptest::prelude::*;

use super::*;

/// Full vectors in memory, with a count of what was read.
struct Shelf {
    vectors: Vec<Option<Vec<f32>>>,
    reads: usize,
}

impl FullVectors for Shelf {
    type Error = Infallible;

    fn cosine(&mut self, slot: Slot, query: &[f32]) -> Result<Option<f32>, Infallible> {
        self.reads += 1;
        Ok(self.vectors.get(slot as usize).and_then(Option::as_ref).map(|v| cosine(v, query)))
    }
}

impl Shelf {
    fn new(vectors: Vec<Option<Vec<f32>>>) -> Self {
        Self { vectors, reads: 0 }
    }

    fn index(&self, dimension: usize) -> VectorIndex {
        let mut index = VectorIndex::new(dimension);
        for (slot, vector) in self.vectors.iter().enumerate() {
            if let Some(vector) = vector {
                index.put(slot as Slot, vector).unwrap();
            }
        }
        index
    }

    /// What a sort of all rows finds.
    fn nearest(
        &self,
        query: &[f32],
        allowed: &Bitset,
        k: usize,
        min_similarity: f32,
    ) -> Vec<(Slot, f32)> {
        let mut hits: Vec<(Slot, f32)> = self
            .vectors
            .iter()
            .enumerate()
            .filter(|&(slot, _)| allowed.contains(slot as Slot))
            .filter_map(|(slot, v)| Some((slot as Slot, cosine(v.as_ref()?, query))))
            .filter(|&(_, similarity)| similarity >= min_similarity)
            .collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(k);
        hits
    }
}

fn unit(components: &[f32]) -> Vec<f32> {
    let norm = components.iter().map(|c| c * c).sum::<f32>().sqrt();
    if norm == 0.0 {
        return components.to_vec();
    }
    components.iter().map(|c| c / norm).collect()
}

/// A fixed sequence of even numbers from -1 to 1.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.next()).collect()
    }
}

/// Vectors in clusters that themselves lie together, as those of sentences do.
fn clustered(count: usize, dimension: usize, sequence: &mut Sequence) -> Vec<Vec<f32>> {
    let common = sequence.vector(dimension);
    let clusters: Vec<Vec<f32>> = (0..40).map(|_| sequence.vector(dimension)).collect();
    (0..count)
        .map(|_| {
            let cluster = &clusters[((sequence.next() + 1.0) * 20.0) as usize % clusters.len()];
            let own = sequence.vector(dimension);
            let sum = |at: usize| 0.5 * common[at] + cluster[at] + 0.7 * own[at];
            unit(&(0..dimension).map(sum).collect::<Vec<_>>())
        })
        .collect()
}

#[test]
fn refuses_what_has_no_angle() {
    let mut index = VectorIndex::new(2);
    assert_eq!(index.put(0, &[1.0]), Err(VectorError::Dimension { expected: 2, given: 1 }));
    assert_eq!(index.put(0, &[0.0, f32::NAN]), Err(VectorError::NotFinite { index: 1 }));
    assert_eq!(index.put(0, &[f32::INFINITY, 0.0]), Err(VectorError::NotFinite { index: 0 }));
    assert!(!index.contains(0) && index.count() == 0);
    let mut shelf = Shelf::new(vec![None, None, None, Some(vec![1.0, 0.0])]);
    index.put(3, &[1.0, 0.0]).unwrap();
    for query in [&[1.0, f32::NAN][..], &[1.0]] {
        let all = Bitset::filled(9);
        let nearest = index.nearest(query, &all, 5, -1.0, &mut shelf).unwrap();
        assert_eq!(nearest, NearestVectors { hits: vec![], approximate: false });
        assert_eq!(index.estimates(&[3], query), [None]);
        for (min_similarity, left) in [(0.0, 9), (0.1, 0)] {
            let mut allowed = all.clone();
            index.narrow(query, &mut allowed, min_similarity, &mut shelf).unwrap();
            assert_eq!(allowed.count(), left);
        }
    }
    assert_eq!(index.estimates(&[2], &[1.0, 0.0]), [None]);
    assert!((index.estimates(&[3], &[1.0, 0.0])[0].unwrap() - 1.0).abs() < 0.01);
}

#[test]
fn equals_come_in_the_order_of_slots() {
    let rows = [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]];
    let mut shelf = Shelf::new(rows.iter().map(|row| Some(row.to_vec())).collect());
    let index = shelf.index(2);
    let mut nearest = |allowed: &[Slot], k, min_similarity| -> Vec<Slot> {
        let allowed = allowed.iter().copied().collect();
        let found = index.nearest(&[1.0, 0.0], &allowed, k, min_similarity, &mut shelf).unwrap();
        assert!(!found.approximate);
        found.hits.into_iter().map(|(slot, _)| slot).collect()
    };
    assert_eq!(nearest(&[0, 1, 2, 3, 4, 7], 9, -1.0), [1, 3, 0, 2, 4]);
    assert_eq!(nearest(&[0, 1, 2, 3, 4], 3, -1.0), [1, 3, 0]);
    assert_eq!(nearest(&[0, 1, 2, 3, 4], 9, 0.0), [1, 3, 0, 2]);
    assert_eq!(nearest(&[4, 2], 1, -1.0), [2]);
    assert!(nearest(&[1], 0, -1.0).is_empty());
}

#[test]
fn equal_vectors_are_read_once() {
    let said = unit(&Sequence(1).vector(64));
    let mut shelf = Shelf::new(vec![Some(said.clone()); 2000]);
    let index = shelf.index(64);
    let found = index.nearest(&said, &Bitset::filled(2000), 3, -1.0, &mut shelf).unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(shelf.reads, 1);
}

#[test]
fn few_full_vectors_are_read() {
    let mut sequence = Sequence(2);
    let rows = clustered(3000, 128, &mut sequence);
    let mut shelf = Shelf::new(rows.into_iter().map(Some).collect());
    let index = shelf.index(128);
    for at in [5, 700, 2999] {
        let query = shelf.vectors[at].clone().unwrap();
        shelf.reads = 0;
        let found = index.nearest(&query, &Bitset::filled(3000), 10, -1.0, &mut shelf).unwrap();
        assert_eq!(found.hits[0].0, at as Slot);
        assert!(shelf.reads <= 20, "{}", shelf.reads);
    }
}

#[test]
fn bits_lose_less_than_one_in_a_hundred_and_never_what_is_not_allowed() {
    const ROWS: usize = 9000;
    let mut sequence = Sequence(3);
    let rows = clustered(ROWS + 30, 192, &mut sequence);
    let (rows, queries) = rows.split_at(ROWS);
    let mut shelf = Shelf::new(rows.iter().cloned().map(Some).collect());
    let mut index = shelf.index(192);
    index.exact_max = 100;
    let third: Bitset = (0..ROWS as Slot).filter(|slot| slot % 3 == 0).collect();
    for (allowed, k) in [(Bitset::filled(ROWS), 10), (Bitset::filled(ROWS), 100), (third, 30)] {
        let (mut found, mut wanted) = (0, 0);
        for query in queries {
            let expected: BTreeSet<Slot> =
                shelf.nearest(query, &allowed, k, -1.0).into_iter().map(|hit| hit.0).collect();
            let nearest = index.nearest(query, &allowed, k, -1.0, &mut shelf).unwrap();
            assert!(nearest.approximate && nearest.hits.len() == k);
            assert!(nearest.hits.iter().all(|hit| allowed.contains(hit.0)));
            wanted += k;
            found += nearest.hits.iter().filter(|hit| expected.contains(&hit.0)).count();
            let exact = index.nearest_by(query, &allowed, k, -1.0, true, &mut shelf).unwrap();
            assert_eq!(exact.hits, shelf.nearest(query, &allowed, k, -1.0));
        }
        assert!(found * 100 >= wanted * 99, "{found} of {wanted} with k = {k}");
    }
}

#[test]
fn rows_that_lie_widely_scattered_are_found_exactly() {
    const ROWS: usize = 5000;
    let mut sequence = Sequence(5);
    let rows = clustered(ROWS, 64, &mut sequence);
    let mut shelf = Shelf::new(rows.into_iter().map(Some).collect());
    let mut index = shelf.index(64);
    index.exact_max = 10;
    let query = shelf.vectors[9].clone().unwrap();
    for (step, approximate) in [(2, true), (20, false), (70, false), (600, false)] {
        let allowed: Bitset = (0..ROWS as Slot).filter(|slot| slot % step == 0).collect();
        let found = index.nearest(&query, &allowed, 7, -1.0, &mut shelf).unwrap();
        assert_eq!(found.approximate, approximate, "every {step}");
        if !approximate {
            assert_eq!(found.hits, shelf.nearest(&query, &allowed, 7, -1.0));
        }
    }
}

#[test]
fn removed_and_replaced_rows_are_found_as_they_are_now() {
    const ROWS: usize = 4500;
    let mut sequence = Sequence(4);
    let rows = clustered(ROWS, 64, &mut sequence);
    let mut shelf = Shelf::new(rows.into_iter().map(Some).collect());
    let mut index = shelf.index(64);
    index.exact_max = 0;
    let full = index.bytes();
    let turned = unit(&sequence.vector(64));
    index.put(77, &turned).unwrap();
    shelf.vectors[77] = Some(turned.clone());
    let all = Bitset::filled(ROWS);
    assert_eq!(index.nearest(&turned, &all, 1, -1.0, &mut shelf).unwrap().hits[0].0, 77);
    index.remove(77);
    index.remove(77);
    shelf.vectors[77] = None;
    assert_ne!(index.nearest(&turned, &all, 1, -1.0, &mut shelf).unwrap().hits[0].0, 77);
    assert_eq!(index.count(), ROWS as u64 - 1);
    // The second block goes as a whole.
    for slot in 4096..ROWS as Slot {
        index.remove(slot);
    }
    assert!(index.bytes() < full);
    index.put(4096, &turned).unwrap();
    shelf.vectors[4096] = Some(turned.clone());
    assert_eq!(index.nearest(&turned, &all, 1, -1.0, &mut shelf).unwrap().hits[0].0, 4096);
}

#[test]
fn a_read_that_fails_is_told_and_changes_nothing() {
    struct Torn;
    impl FullVectors for Torn {
        type Error = &'static str;
        fn cosine(&mut self, _: Slot, _: &[f32]) -> Result<Option<f32>, &'static str> {
            Err("torn")
        }
    }
    let mut index = VectorIndex::new(2);
    index.put(0, &[0.0, 1.0]).unwrap();
    index.put(1, &[0.6, 0.8]).unwrap();
    let mut allowed = Bitset::filled(2);
    assert_eq!(index.nearest(&[1.0, 0.0], &allowed, 1, -1.0, &mut Torn), Err("torn"));
    assert_eq!(index.narrow(&[1.0, 0.0], &mut allowed, 0.6, &mut Torn), Err("torn"));
    assert_eq!(allowed.count(), 2);
}

#[test]
fn a_vector_that_is_gone_from_its_place_is_similar_to_nothing() {
    let mut index = VectorIndex::new(2);
    index.put(0, &[1.0, 0.0]).unwrap();
    index.put(1, &[0.8, 0.6]).unwrap();
    let mut shelf = Shelf::new(vec![None, Some(vec![0.8, 0.6])]);
    let found = index.nearest(&[1.0, 0.0], &Bitset::filled(2), 5, -1.0, &mut shelf).unwrap();
    assert_eq!(found.hits, [(1, 0.8)]);
}

/// Rows with few distinct components, so that there are ties, and some without a vector.
#[test]
fn sums_of_bits_are_exact_for_vectors_of_any_length() {
    let width = 2 * 8192 + 64;
    let signs = |at: usize| if at % 5 < 3 { 1.0 } else { -1.0 };
    let query = Query::new((0..width).map(signs).collect());
    let mut bits = vec![0; width / 8 * MASKED];
    for row in 0..MASKED {
        // All of the first row are set, and all of the second that are positive: the largest sum.
        let is_set = |at: usize| match row {
            0 => true,
            1 => at % 5 < 3,
            _ => at * (row + 3) % 7 < 3,
        };
        let mut words = vec![0; width / MASKED];
        for at in (0..width).filter(|&at| is_set(at)) {
            words[at / MASKED] |= 1 << (at % MASKED);
        }
        kernels::put_bits(&mut bits, row, &words);
    }
    let rows = kernels::BitRows { bits: &bits, factors: &[1.0; MASKED] };
    let estimates = |instructions| {
        let mut estimates = [0.0; MASKED];
        let query = query.beside_bits(0.0);
        kernels::estimate_bits(instructions, &rows, &query, u64::MAX, 0.0, &mut estimates);
        estimates
    };
    for &instructions in Instructions::runnable() {
        assert_eq!(estimates(instructions), estimates(Instructions::Portable));
    }
    let all = (0..width).map(signs).sum::<f32>();
    let [first, second, ..] = estimates(Instructions::best());
    assert!((first - all).abs() < 1.0 && (second - width as f32).abs() < 1.0, "{first} {second}");
}

fn rows(dimension: usize) -> impl Strategy<Value = Vec<Option<Vec<f32>>>> {
    let components = prop::collection::vec(-4_i8..=4, dimension);
    let vector =
        components.prop_map(|row| unit(&row.into_iter().map(f32::from).collect::<Vec<_>>()));
    prop::collection::vec(prop::option::weighted(0.9, vector), 1..80)
}

fn query(dimension: usize) -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-1.0_f32..1.0, dimension).prop_map(|query| unit(&query))
}

proptest! {
    #[test]
    fn few_rows_are_found_as_a_sort_of_all_finds_them(
        rows in rows(19),
        query in query(19),
        removed in prop::collection::vec(0_u32..80, 0..20),
        allowed in prop::collection::btree_set(0_u32..80, 0..80),
        k in 0_usize..12,
        min_similarity in prop::sample::select(vec![-1.0, 0.0, 0.1, 0.5]),
    ) {
        let mut shelf = Shelf::new(rows);
        let mut index = shelf.index(19);
        for &slot in &removed {
            index.remove(slot);
            if let Some(vector) = shelf.vectors.get_mut(slot as usize) {
                *vector = None;
            }
        }
        let allowed = allowed.into_iter().collect();
        let expected = shelf.nearest(&query, &allowed, k, min_similarity);
        let found = index.nearest(&query, &allowed, k, min_similarity, &mut shelf).unwrap();
        prop_assert_eq!(found, NearestVectors { hits: expected, approximate: false });
    }

    #[test]
    fn narrowing_keeps_what_is_similar_enough(
        rows in rows(19),
        query in query(19),
        allowed in prop::collection::btree_set(0_u32..80, 0..80),
        border in 0_usize..80,
        min_similarity in -0.5_f32..0.5,
    ) {
        let mut shelf = Shelf::new(rows);
        let index = shelf.index(19);
        let similarity = |slot: Slot| {
            let vector = shelf.vectors.get(slot as usize).and_then(Option::as_ref);
            vector.map_or(0.0, |vector| cosine(vector, &query))
        };
        // Often exactly the similarity of a row.
        let min_similarity = shelf.vectors.get(border).map_or(min_similarity, |_| {
            similarity(border as Slot)
        });
        let expected: Vec<Slot> =
            allowed.iter().copied().filter(|&slot| similarity(slot) >= min_similarity).collect();
        let mut narrowed: Bitset = allowed.into_iter().collect();
        index.narrow(&query, &mut narrowed, min_similarity, &mut shelf).unwrap();
        prop_assert_eq!(narrowed.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn estimates_are_off_by_no_more_than_their_error(
        rows in prop::collection::vec(
            prop::collection::vec(prop_oneof![-1.0_f32..1.0, Just(0.0), Just(40.0)], 70),
            1..8,
        ),
        query in prop::collection::vec(prop_oneof![-1.0_f32..1.0, Just(0.0), Just(-40.0)], 70),
    ) {
        let shelf = Shelf::new(rows.iter().map(|row| Some(unit(row))).collect());
        let index = shelf.index(70);
        let query = unit(&query);
        let prepared = index.query(&query).unwrap();
        for (slot, vector) in shelf.vectors.iter().enumerate() {
            let exact = cosine(vector.as_ref().unwrap(), &query);
            let block = index.blocks[0].as_ref().unwrap();
            let dot = kernels::dot(index.instructions, block.codes(slot), &prepared.codes);
            let estimated = block.estimated(slot, dot, &prepared);
            prop_assert!(estimated.least() <= exact && exact <= estimated.most());
            prop_assert!(estimated.error < 0.05, "the bound says little: {}", estimated.error);
            prop_assert_eq!(index.estimates(&[slot as Slot], &query), [Some(estimated.similarity)]);
        }
    }

    #[test]
    fn all_compilations_answer_alike(
        rows in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 192), 64),
        query in prop::collection::vec(-1.0_f32..1.0, 192),
        mask in any::<u64>(),
    ) {
        let answers: Vec<_> = Instructions::runnable()
            .iter()
            .map(|&instructions| {
                let signs = rotation::signs(192);
                let mut center = query.clone();
                kernels::rotate(instructions, &signs, &mut center);
                let prepared = Query::new(center.clone());
                let mut all_codes = Vec::new();
                let mut bits = vec![0; 192 / 8 * MASKED];
                let (mut factors, mut scales) = (Vec::new(), Vec::new());
                for (row, vector) in rows.iter().enumerate() {
                    let mut codes = [0; 192];
                    scales.push(kernels::quantize(instructions, vector, &mut codes));
                    let (mut words, scale) = ([0; 3], scales[row].0);
                    factors.push(kernels::binarize(instructions, &codes, scale, &center, &mut words));
                    kernels::put_bits(&mut bits, row, &words);
                    all_codes.extend(codes);
                }
                let mut dots = [0; MASKED];
                kernels::dots(instructions, &all_codes, &prepared.codes, mask, &mut dots);
                for (row, &dot) in dots.iter().enumerate().filter(|&(row, _)| mask >> row & 1 == 1) {
                    let codes = &all_codes[row * 192..][..192];
                    assert_eq!(dot, kernels::dot(instructions, codes, &prepared.codes));
                }
                let bit_rows = kernels::BitRows { bits: &bits, factors: &factors };
                let bit_query = prepared.beside_bits(0.25);
                let mut similarities = [0.0; MASKED];
                let reaching = kernels::estimate_bits(
                    instructions, &bit_rows, &bit_query, mask, 0.3, &mut similarities,
                );
                let exact = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                let scales: Vec<f32> = scales.into_iter().flat_map(|(a, b)| [a, b]).collect();
                let floats = [exact(&center), exact(&scales), exact(&factors), exact(&similarities)];
                (all_codes, bits, dots, reaching, floats)
            })
            .collect();
        for answer in &answers[1..] {
            prop_assert!(answer == &answers[0]);
        }
    }

    #[test]
    fn bits_estimate_the_dot_product_with_the_signs(
        row in prop::collection::vec(-1.0_f32..1.0, 128),
        query in prop::collection::vec(-1.0_f32..1.0, 128),
    ) {
        let mut codes = [0; 128];
        let portable = Instructions::Portable;
        let (scale, _) = kernels::quantize(portable, &row, &mut codes);
        let center = [0.01; 128];
        let mut words = [0; 2];
        let factor = kernels::binarize(portable, &codes, scale, &center, &mut words);
        let prepared = Query::new(query);
        let level = |v: f32| (v / prepared.plane_unit).round() as i64;
        let offset = |at: usize| f32::from(codes[at]) * scale - center[at];
        let expected: i64 = (0..128)
            .map(|at| level(prepared.vector[at]) * if offset(at) >= 0.0 { 1 } else { -1 })
            .sum();
        let (mut bits, mut factors) = (vec![0; 128 / 8 * MASKED], [0.0; MASKED]);
        kernels::put_bits(&mut bits, 9, &words);
        factors[9] = factor;
        let mut similarities = [0.0; MASKED];
        let query = prepared.beside_bits(2.0);
        let rows = kernels::BitRows { bits: &bits, factors: &factors };
        let answer =
            kernels::estimate_bits(portable, &rows, &query, 1 << 9 | 1 << 3, 2.0, &mut similarities);
        let expected = 2.0 + factor * prepared.plane_unit * expected as f32;
        prop_assert!((similarities[9] - expected).abs() < 1e-4);
        prop_assert_eq!(answer, u64::from(similarities[9] >= 2.0) << 9 | 1 << 3);
    }
}
