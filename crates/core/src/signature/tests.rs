use super::*;
use crate::model::PerceptionType;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Numbers that look random and are the same in each run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// As often below as above 0, most often near it: about normal, of this standard deviation.
    fn noise(&mut self, deviation: f64) -> f64 {
        (0..12).map(|_| self.between(-0.5, 0.5)).sum::<f64>() * deviation
    }

    fn direction(&mut self) -> [f64; 3] {
        let vector: [f64; 3] = std::array::from_fn(|_| self.noise(1.0));
        let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt().max(1e-3);
        vector.map(|part| part / length)
    }
}

/// What happens to a wrist.
const ACTIVITIES: [&str; 5] = ["nothing", "impact", "push", "drop", "vibration"];

/// A window of a wrist's force and torque, as many samples as are asked for of 0.3 s: the weight of a
/// tool in any pose, an activity in any direction and of any strength at any time, and noise.
fn window(dice: &mut Dice, activity: &str, sample_count: usize, noise_n: f64) -> Vec<f64> {
    let weight = dice.direction().map(|part| part * 8.0);
    let pulls_to = dice.direction();
    let lever_m = dice.direction().map(|part| part * 0.15);
    let onset = dice.between(0.15, 0.5);
    let strength_n = dice.between(3.0_f64.ln(), 5.0_f64.ln()).exp() * 8.0;
    let pitch = dice.between(5.0, 7.0);
    let mut samples = Vec::with_capacity(sample_count * 6);
    for at in 0..sample_count {
        let time = at as f64 / sample_count as f64;
        let after = time - onset;
        let mut pull = 0.0;
        let mut share = 1.0;
        match activity {
            _ if after < 0.0 => {}
            "impact" => pull = 2.0 * strength_n * (-after / 0.06).exp(),
            "push" => pull = strength_n * (1.0 - (-after / 0.05).exp()),
            "drop" => share = 0.1,
            "vibration" => pull = strength_n / 2.0 * (std::f64::consts::TAU * pitch * after).sin(),
            _ => {}
        }
        let force: [f64; 3] =
            std::array::from_fn(|axis| weight[axis] * share + pulls_to[axis] * pull);
        let torque = [
            lever_m[1] * force[2] - lever_m[2] * force[1],
            lever_m[2] * force[0] - lever_m[0] * force[2],
            lever_m[0] * force[1] - lever_m[1] * force[0],
        ];
        samples.extend(force.map(|newtons| newtons + dice.noise(noise_n)));
        samples.extend(torque.map(|newton_m| newton_m + dice.noise(noise_n / 10.0)));
    }
    samples
}

/// Windows of each activity, with which it is.
fn windows(seed: u64, of_each: usize, sample_count: usize, noise_n: f64) -> Vec<(usize, Vec<f64>)> {
    let mut dice = Dice(seed);
    let mut made = Vec::new();
    for _ in 0..of_each {
        for (class, activity) in ACTIVITIES.iter().enumerate() {
            made.push((class, window(&mut dice, activity, sample_count, noise_n)));
        }
    }
    made
}

fn felt(samples: &[f64]) -> Vec<f32> {
    of(LayoutKind::Wrench, 6, samples).expect("it has a signature").values
}

/// How many of the asked ones have a nearest known one, at another place, of their own class.
fn accuracy<N>(
    asked: &[(usize, Vec<N>)],
    known: &[(usize, Vec<N>)],
    distance: impl Fn(&[N], &[N]) -> f64,
) -> f64 {
    let is_right = |(at, (class, window)): &(usize, &(usize, Vec<N>))| {
        let others = known.iter().enumerate().filter(|(other, _)| other != at);
        let nearest = others
            .min_by(|(_, (_, a)), (_, (_, b))| distance(window, a).total_cmp(&distance(window, b)));
        nearest.is_some_and(|(_, (other, _))| other == class)
    };
    asked.iter().enumerate().filter(is_right).count() as f64 / asked.len() as f64
}

fn euclidean(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum()
}

fn signatures(windows: &[(usize, Vec<f64>)]) -> Vec<(usize, Vec<f32>)> {
    windows.iter().map(|(class, window)| (*class, felt(window))).collect()
}

fn alike(asked: &[(usize, Vec<f32>)], known: &[(usize, Vec<f32>)]) -> f64 {
    accuracy(asked, known, distance)
}

#[test]
fn the_nearest_signature_is_mostly_of_the_same_activity() {
    for seed in [1, 2, 3] {
        let raw = windows(seed, 24, 15, 0.5);
        let known = signatures(&raw);
        let plain = accuracy(&raw, &raw, euclidean);
        let found = alike(&known, &known);
        println!("seed {seed}: {found:.3}, the series themselves {plain:.3}");
        assert!(found >= 0.9, "seed {seed}: {found:.3} of 1, by chance 0.2");
        assert!(found >= plain, "seed {seed}: {found:.3}, the series themselves {plain:.3}");
    }
}

#[test]
fn neither_noise_nor_another_rate_hides_what_happened() {
    let known = signatures(&windows(5, 24, 15, 0.5));
    for (name, sample_count, noise_n, least) in
        [("noise", 15, 1.0, 0.85), ("twice the rate", 30, 0.5, 0.85), ("1 kHz", 300, 0.5, 0.85)]
    {
        let asked = signatures(&windows(5, 24, sample_count, noise_n));
        let found = alike(&asked, &known);
        println!("{name}: {found:.3}");
        assert!(found >= least, "{name}: {found:.3}");
    }
}

#[test]
fn a_signature_has_its_length_and_lies_on_the_grid() {
    for (kind, channels) in [
        (LayoutKind::Wrench, 6),
        (LayoutKind::Imu, 6),
        (LayoutKind::Joints, 42),
        (LayoutKind::Taxels, 1),
        (LayoutKind::Plain, 3),
    ] {
        let samples: Vec<f64> = (0..channels * 9).map(|at| (at as f64).sin() * 30.0).collect();
        let felt = of(kind, channels, &samples).expect("it has a signature");
        assert_eq!((felt.kind, felt.values.len()), (kind, LEN));
        let back: Vec<f32> =
            steps(&felt.values).into_iter().map(|step| f32::from(step) / STEPS_PER_UNIT).collect();
        assert_eq!(back, felt.values);
        assert!(felt.values.iter().any(|value| *value != 0.0), "{kind} says nothing");
    }
}

#[test]
fn small_forces_matter_as_great_ones() {
    let push = |peak_n: f64| {
        let force = |at: usize| if (4..9).contains(&at) { peak_n } else { 0.0 };
        felt(&(0..15).flat_map(|at| [force(at), 0.0, -8.0, 0.0, 0.0, 0.0]).collect::<Vec<_>>())
    };
    let far = |a: f64, b: f64| distance(&push(a), &push(b));
    assert!(far(300.0, 310.0) < far(3.0, 13.0));
    let (small, great) = (far(6.0, 12.0), far(300.0, 600.0));
    assert!((0.5..2.0).contains(&(small / great)), "{small} beside {great}");
    assert!(far(20.0, -20.0) > far(20.0, 25.0), "a push the other way is another");
}

#[test]
fn where_many_channels_moved_counts() {
    let moved = |joint: usize| -> Vec<f64> {
        (0..10 * 14)
            .map(|at| if at % 14 == joint { (at / 14) as f64 / 10.0 } else { 0.0 })
            .collect()
    };
    let felt = |joint| of(LayoutKind::Joints, 14, &moved(joint)).expect("it has one").values;
    assert!(distance(&felt(2), &felt(3)) < distance(&felt(2), &felt(11)));
}

#[test]
fn what_was_not_measured_is_filled_in() {
    let line: Vec<f64> = (0..60).map(|at| f64::from(at / 6)).collect();
    let mut holes = line.clone();
    for at in [6, 13, 20, 27] {
        holes[at] = f64::NAN;
    }
    assert_eq!(felt(&holes), felt(&line));
    holes.fill(f64::NAN);
    assert_eq!(of(LayoutKind::Wrench, 6, &holes), None);
}

#[test]
fn what_is_no_window_has_no_signature() {
    let of = |kind, channels, count| of(kind, channels, &vec![1.0; count]).is_some();
    assert!(of(LayoutKind::Wrench, 6, 30));
    assert!(!of(LayoutKind::Wrench, 6, 24), "four samples");
    assert!(!of(LayoutKind::Wrench, 6, 31), "a part of a sample");
    assert!(!of(LayoutKind::Wrench, 3, 30), "half a wrench");
    assert!(!of(LayoutKind::Taxels, 0, 30));
    assert!(of(LayoutKind::Taxels, 1, NUMBERS_MAX));
    assert!(!of(LayoutKind::Taxels, 1, NUMBERS_MAX + 1));
}

#[test]
fn data_saved_by_hand_has_the_signature_of_its_first_series() {
    let rows: Vec<[f64; 6]> =
        (0..15).map(|at| std::array::from_fn(|axis| (at * (axis + 1)) as f64)).collect();
    let expected = of(LayoutKind::Wrench, 6, &rows.concat());
    let times: Vec<f64> = (0..15).map(|at| f64::from(at) * 0.02).collect();
    let of = |data: &Value| of_data(PerceptionType::Tactile, data);
    assert_eq!(of(&json!({"series": [{"kind": "wrench", "values": rows, "t": times}]})), expected);
    assert_eq!(of(&json!({"series": [{"values": rows}]})), expected, "six channels of touch");
    let other = json!({"values": [[1.0], [2.0]]});
    assert_eq!(of(&json!({"series": [other, {"values": rows}]})), expected);
    for data in [
        json!(null),
        json!([1, 2]),
        json!({"series": []}),
        json!({"series": [{"kind": "smell", "values": rows}]}),
        json!({"series": [{"values": [[1, 2], [3]]}]}),
        json!({"series": [{"values": [["a"], ["b"], ["c"], ["d"], ["e"]]}]}),
        json!({"series": [{"values": [[], [], [], [], []]}]}),
        json!({"series": [{"values": [[null], [null], [null], [null], [null]]}]}),
    ] {
        assert_eq!(of(&data), None, "{data}");
    }
}

#[test]
fn samples_at_uneven_times_are_put_on_an_even_grid() {
    let ramp = |times: &[f64]| {
        let rows: Vec<[f64; 1]> = times.iter().map(|time| [*time * 10.0]).collect();
        let data = json!({"series": [{"kind": "plain", "values": rows, "t": times}]});
        of_data(PerceptionType::Tactile, &data).expect("it has a signature")
    };
    let even: Vec<f64> = (0..=8).map(|at| f64::from(at) / 8.0).collect();
    let uneven = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.5, 0.9, 1.0];
    assert_eq!(ramp(&uneven), ramp(&even));
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -1e4..1e4, 1 => any::<f64>()]
}

proptest! {
    #[test]
    fn no_numbers_break_it(
        kind in prop::sample::select(LayoutKind::ALL),
        channels in 0_usize..9,
        samples in prop::collection::vec(any_number(), 0..200),
    ) {
        if let Some(felt) = of(kind, channels, &samples) {
            prop_assert_eq!(felt.values.len(), LEN);
            prop_assert!(felt.values.iter().all(|value| value.is_finite()));
            prop_assert_eq!(distance(&felt.values, &felt.values), 0.0);
        }
    }

    #[test]
    fn no_data_breaks_it(
        rows in prop::collection::vec(prop::collection::vec(any_number(), 0..3), 0..9),
        times in prop::collection::vec(any_number(), 0..9),
    ) {
        let data = json!({"series": [{"values": rows, "t": times}]});
        of_data(PerceptionType::Auditory, &data);
    }
}
