use super::points::SCAN_MAX;
use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// The points themselves, asked one by one.
#[derive(Default)]
struct Reference(BTreeMap<Slot, Vec<f64>>);

impl Reference {
    fn nearest(
        &self,
        target: &[f64],
        max_distance: Option<f64>,
        k: usize,
        allowed: &Bitset,
    ) -> Nearest {
        let mut hits: Vec<(Slot, f64)> = self
            .0
            .iter()
            .filter(|(slot, point)| allowed.contains(**slot) && point.len() == target.len())
            .map(|(&slot, point)| {
                let squares = point.iter().zip(target).map(|(a, b)| (a - b).powi(2));
                (slot, squares.sum::<f64>().sqrt())
            })
            .filter(|(_, distance)| max_distance.is_none_or(|max| *distance <= max))
            .collect();
        hits.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let total = hits.len() as u64;
        hits.truncate(k);
        Nearest { hits, total }
    }
}

/// A stream of numbers that is the same in every run (Marsaglia 2003, xorshift64).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// No two coordinates alike.
    Cloud,
    /// A trajectory on the floor: the third coordinate is 0.
    Planar,
    /// Whole numbers: many equal distances.
    Grid,
    /// A few places, visited again and again.
    Places,
}

impl Shape {
    fn point(self, dimension: usize, noise: &mut Noise) -> Vec<f64> {
        let place = noise.below(7) as f64;
        (0..dimension)
            .map(|axis| match self {
                Shape::Cloud => 20.0 * noise.unit() - 10.0,
                Shape::Planar if axis == 2 => 0.0,
                Shape::Planar => 20.0 * noise.unit() - 10.0,
                Shape::Grid => noise.below(9) as f64,
                Shape::Places => place,
            })
            .collect()
    }
}

fn allowed(percent: f64, len: usize, noise: &mut Noise) -> Bitset {
    (0..len as Slot).filter(|_| noise.unit() * 100.0 < percent).collect()
}

/// Compares the index with the reference, with and without a distance, mostly from one of the points
/// themselves.
fn compare(
    index: &SpatialIndex,
    reference: &Reference,
    dimension: usize,
    shape: Shape,
    allowed: &Bitset,
    noise: &mut Noise,
) {
    let mut target = shape.point(dimension, noise);
    let any = noise.below(reference.0.len().max(1) as u64) as usize;
    if let Some(point) = reference.0.values().nth(any).filter(|p| p.len() == dimension) {
        target.clone_from(point);
    }
    for k in [0, 7] {
        let nearest = index.nearest(&target, None, k, allowed);
        assert_eq!(nearest, reference.nearest(&target, None, k, allowed));
        let border = nearest.hits.last().map_or(1.0, |hit| hit.1);
        for max_distance in [-1.0, 0.0, border, border.next_down(), 1.5 * border, 1e3] {
            assert_eq!(
                index.nearest(&target, Some(max_distance), k, allowed),
                reference.nearest(&target, Some(max_distance), k, allowed),
                "within {max_distance}"
            );
        }
    }
}

/// More points than are compared one by one, in the tree, waiting, moved and gone.
#[test]
fn a_tree_finds_what_a_scan_finds() {
    let mut noise = Noise(42);
    let len = SCAN_MAX as usize + 4_000;
    for (dimension, shape) in [
        (1, Shape::Cloud),
        (2, Shape::Places),
        (2, Shape::Cloud),
        (3, Shape::Planar),
        (3, Shape::Grid),
        (6, Shape::Cloud),
        (8, Shape::Grid),
        (9, Shape::Cloud),
    ] {
        let (mut index, mut reference) = (SpatialIndex::default(), Reference::default());
        let mut put = |index: &mut SpatialIndex, slot, noise: &mut Noise| {
            let point = shape.point(dimension, noise);
            index.put(slot, &point).unwrap();
            reference.0.insert(slot, point);
        };
        for slot in 0..len as Slot {
            put(&mut index, slot, &mut noise);
        }
        index.rebuild_if_due();
        for _ in 0..500 {
            let slot = noise.below(len as u64 + 500) as Slot;
            put(&mut index, slot, &mut noise);
        }
        for _ in 0..500 {
            let slot = noise.below(len as u64) as Slot;
            index.remove(slot);
            reference.0.remove(&slot);
        }
        for percent in [0.1, 1.0, 50.0, 95.0, 100.0] {
            let allowed = allowed(percent, len + 500, &mut noise);
            compare(&index, &reference, dimension, shape, &allowed, &mut noise);
        }
        // The nearest ones go: what the tree still has of them does not count.
        let all = Bitset::filled(len + 500);
        let target = shape.point(dimension, &mut noise);
        for (slot, _) in index.nearest(&target, None, 7, &all).hits {
            index.remove(slot);
            reference.0.remove(&slot);
        }
        assert_eq!(
            index.nearest(&target, None, 7, &all),
            reference.nearest(&target, None, 7, &all)
        );
        // Only rows far from the target: the tree meets no allowed one for long.
        let far: Bitset =
            reference.0.iter().filter(|(_, p)| p[0] > 1.0).map(|(&slot, _)| slot).collect();
        let target = vec![-10.0; dimension];
        assert_eq!(
            index.nearest(&target, None, 5, &far),
            reference.nearest(&target, None, 5, &far)
        );
    }
}

#[test]
fn identical_points_are_all_kept() {
    let mut index = SpatialIndex::default();
    let len = SCAN_MAX as Slot + 5_000;
    for slot in 0..len {
        index.put(slot, &[1.0, 2.0, 0.0]).unwrap();
    }
    index.rebuild_if_due();
    let all = Bitset::filled(len as usize);
    for (target, max_distance, total) in [
        ([1.0, 2.0, 0.0], Some(0.0), u64::from(len)),
        ([1.0, 2.0, 0.0], None, u64::from(len)),
        ([4.0, 6.0, 0.0], Some(5.0), u64::from(len)),
        ([4.0, 6.0, 0.0], Some(4.999_999), 0),
    ] {
        let nearest = index.nearest(&target, max_distance, 3, &all);
        assert_eq!(nearest.total, total);
        let slots: Vec<Slot> = nearest.hits.iter().map(|hit| hit.0).collect();
        assert_eq!(slots, if total > 0 { vec![0, 1, 2] } else { vec![] });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn follows_every_change(
        seed in 1u64..,
        shape in prop::sample::select(vec![Shape::Cloud, Shape::Planar, Shape::Grid, Shape::Places]),
        dimensions in prop::collection::vec(1usize..=SPATIAL_DIMENSIONS_MAX, 1..3),
        percent in prop::sample::select(vec![0.1, 1.0, 50.0, 100.0]),
    ) {
        let mut noise = Noise(seed);
        let (mut index, mut reference) = (SpatialIndex::default(), Reference::default());
        for round in 0..4 {
            for _ in 0..200 {
                let slot = noise.below(300) as Slot;
                if noise.below(4) == 0 {
                    index.remove(slot);
                    reference.0.remove(&slot);
                } else {
                    let dimension = dimensions[noise.below(dimensions.len() as u64) as usize];
                    let point = shape.point(dimension, &mut noise);
                    index.put(slot, &point).unwrap();
                    reference.0.insert(slot, point);
                }
            }
            if round == 1 {
                for points in index.by_dimension.values_mut() {
                    points.scan_max = 0;
                    let planted = points.snapshot().plant();
                    drop(planted.map(|planted| points.replant(planted)));
                }
            }
            prop_assert_eq!(index.count(), reference.0.len() as u64);
            let allowed = allowed(percent, 310, &mut noise);
            for &dimension in &dimensions {
                compare(&index, &reference, dimension, shape, &allowed, &mut noise);
            }
        }
    }
}

#[test]
fn a_border_belongs_to_what_it_encloses() {
    let mut index = SpatialIndex::default();
    index.put(5, &[3.0, 4.0]).unwrap();
    index.put(2, &[4.0, -3.0]).unwrap();
    index.put(3, &[0.1, 0.2]).unwrap();
    let all = Bitset::filled(9);
    let within = |max_distance| index.nearest(&[0.0, 0.0], max_distance, 9, &all);
    assert_eq!(within(Some(5.0)).hits[1..], [(2, 5.0), (5, 5.0)]);
    assert_eq!(within(Some(5.0_f64.next_down())).total, 1);
    assert_eq!(within(Some(0.0)).total, 0);
    for nowhere in [-1.0, f64::NAN] {
        assert_eq!(within(Some(nowhere)), Nearest::default());
    }
    assert_eq!(within(Some(f64::INFINITY)), within(None));
}

#[test]
fn what_is_no_point_is_refused() {
    let mut index = SpatialIndex::default();
    for point in [&[][..], &[f64::NAN], &[0.0, f64::INFINITY], &[1e151, 0.0], &[0.0; 17]] {
        assert_eq!(index.put(1, point), Err(SpatialError));
    }
    index.put(1, &[1e150; 16]).unwrap();
    index.put(2, &[-1e150; 16]).unwrap();
    let nearest = index.nearest(&[-1e150; 16], None, 2, &Bitset::filled(3));
    assert!(nearest.hits[0] == (2, 0.0) && nearest.hits[1].1.is_finite());
    assert_eq!(index.nearest(&[f64::NAN], None, 2, &Bitset::filled(3)), Nearest::default());
}

#[test]
fn a_row_has_one_point() {
    let mut index = SpatialIndex::default();
    index.put(1, &[1.0, 1.0]).unwrap();
    index.put(1, &[1.0, 1.0, 1.0]).unwrap();
    let all = Bitset::filled(3);
    assert_eq!(index.nearest(&[0.0, 0.0], None, 5, &all), Nearest::default());
    assert_eq!(index.nearest(&[1.0, 1.0, 1.0], None, 5, &all).hits, [(1, 0.0)]);
    assert_eq!(index.count(), 1);
}

#[test]
fn points_are_arrays_of_numbers_and_nothing_else() {
    assert_eq!(points_from(&json!([1, 2.5, -3])), Some(vec![1.0, 2.5, -3.0]));
    assert_eq!(points_from(&json!([7])), Some(vec![7.0]));
    for value in [
        json!([]),
        json!(3),
        json!("1,2"),
        json!([1, "2"]),
        json!([1, null]),
        json!([1, true]),
        json!([[1, 2]]),
        json!({"x": 1, "y": 2}),
        json!(vec![0; 17]),
        json!([1e200]),
    ] {
        assert_eq!(points_from(&value), None, "{value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Plans and installations at any time, of old plans too, and of plans of another index.
    #[test]
    fn a_rebuild_beside_changes_no_answer(
        seed in 1u64..,
        shape in prop::sample::select(vec![Shape::Cloud, Shape::Planar, Shape::Grid, Shape::Places]),
        percent in prop::sample::select(vec![1.0, 50.0, 100.0]),
    ) {
        let mut noise = Noise(seed);
        let (mut index, mut reference) = (SpatialIndex::default(), Reference::default());
        let mut planned: Vec<Rebuild> = Vec::new();
        for _ in 0..12 {
            for _ in 0..noise.below(300) {
                let slot = noise.below(2_500) as Slot;
                match noise.below(5) {
                    0 => {
                        index.remove(slot);
                        reference.0.remove(&slot);
                    }
                    moves => {
                        let dimension = if moves == 1 { 3 } else { 2 };
                        let point = shape.point(dimension, &mut noise);
                        index.put(slot, &point).unwrap();
                        reference.0.insert(slot, point);
                    }
                }
            }
            for points in index.by_dimension.values_mut() {
                points.scan_max = 0;
            }
            let snapshots = index.by_dimension.values().map(|points| points.snapshot()).collect();
            planned.push(Rebuild { snapshots });
            if noise.below(2) == 0 {
                let rebuild = planned.swap_remove(noise.below(planned.len() as u64) as usize);
                drop(index.install(rebuild.run()));
            }
            prop_assert_eq!(index.count(), reference.0.len() as u64);
            let allowed = allowed(percent, 2_600, &mut noise);
            for dimension in [2, 3] {
                compare(&index, &reference, dimension, shape, &allowed, &mut noise);
            }
        }
    }
}

#[test]
fn a_rebuild_is_due_until_it_is_installed_and_changes_since_wait() {
    let mut index = SpatialIndex::default();
    let point = |slot: Slot| [f64::from(slot), 0.0];
    for slot in 0..SCAN_MAX as Slot + 3_000 {
        assert!(!index.is_due() || slot as u64 > SCAN_MAX);
        index.put(slot, &point(slot)).unwrap();
    }
    assert!(index.is_due());
    let rebuild = index.plan().unwrap();
    index.put(5, &[-1.0, 0.0]).unwrap();
    index.remove(6);
    index.put(7, &point(7)).unwrap();
    drop(index.install(rebuild.run()));
    assert!(!index.is_due() && index.plan().is_none());
    let near = index.nearest(&[5.2, 0.0], Some(2.0), 9, &Bitset::filled(30_000));
    assert_eq!(near.hits.iter().map(|hit| hit.0).collect::<Vec<_>>(), [4, 7]);
    assert_eq!(index.nearest(&[-1.0, 0.0], Some(0.5), 9, &Bitset::filled(30_000)).hits, [(5, 0.0)]);
}
