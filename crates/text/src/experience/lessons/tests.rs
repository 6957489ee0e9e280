use super::*;
use crate::experience::{Attempt, AttemptPlace, AttemptRow, KnownAttempts, Measured, Outcome};
use robot_memory_core::api::{LessonState, Side};
use robot_memory_core::claim::Ruling;
use robot_memory_core::model::{MemType, Scope, Trust};

/// A plain generator (G. Marsaglia, Xorshift RNGs, 2003): the same series in each run.
struct Dice(u64);

impl Dice {
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }
}

fn series(
    seed: u64,
    count: usize,
    value: impl Fn(&mut Dice, usize) -> f64,
    fails: impl Fn(&mut Dice, usize, f64) -> bool,
) -> Vec<Trial> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        dice.share();
    }
    let trial = |place| {
        let value = value(&mut dice, place);
        let has_failed = fails(&mut dice, place, value);
        Trial { id: place as i64 + 1, at: Stamp(place as i64 * 60), value, has_failed }
    };
    (0..count).map(trial).collect()
}

fn lesson_of(trials: &[Trial], side: Side) -> Option<Lesson> {
    let mut track = Track::new(side);
    trials.iter().for_each(|trial| track.take(*trial));
    track.lesson().cloned()
}

/// What 400 series show.
#[derive(Debug, Default)]
struct Counts {
    /// With a lesson that is not demoted,
    live: u32,
    /// one that is tested,
    tested: u32,
    /// one whose bound lies between 12 and 14, above,
    right: u32,
    /// and one on any side that does not.
    wrong: u32,
    /// With a change.
    changed: u32,
}

fn counts(
    count: usize,
    value: impl Fn(&mut Dice, usize) -> f64,
    fails: impl Fn(&mut Dice, usize, f64) -> bool,
) -> Counts {
    let mut counts = Counts::default();
    for seed in 1..=400 {
        let trials = series(seed, count, &value, &fails);
        let lessons =
            [Side::Above, Side::Below].into_iter().filter_map(|it| lesson_of(&trials, it));
        let live: Vec<Lesson> = lessons.filter(|it| it.state != LessonState::Demoted).collect();
        let is_right =
            |it: &Lesson| it.side == Side::Above && (12.0..14.0).contains(&it.contrast.bound);
        counts.live += u32::from(!live.is_empty());
        counts.tested += u32::from(live.iter().any(|it| it.state == LessonState::Tested));
        counts.right += u32::from(live.iter().any(is_right));
        counts.wrong += u32::from(!live.iter().all(is_right));
        counts.changed += u32::from(change_point(&trials).is_some());
    }
    counts
}

#[test]
fn outcomes_by_chance_are_seldom_taken_for_a_lesson_or_a_change() {
    for failure_share in [0.2, 0.5, 0.8] {
        for count in [12, 30, 60] {
            let any = |dice: &mut Dice, _| dice.between(5.0, 15.0);
            let counts = counts(count, any, |dice, _, _| dice.share() < failure_share);
            let place = format!("{failure_share} of {count} fail: {counts:?}");
            assert!(counts.live <= 40, "{place}");
            assert!(counts.tested <= 4, "{place}");
            assert!(counts.changed <= 12, "{place}");
        }
    }
}

#[test]
fn a_bound_is_found_and_tested_though_one_in_ten_ends_otherwise() {
    for (count, share, right_min, tested_min) in
        [(20, 0.0, 380, 180), (60, 0.0, 398, 380), (30, 0.1, 340, 130), (60, 0.1, 385, 270)]
    {
        let any = |dice: &mut Dice, _| dice.between(5.0, 17.0);
        let counts = counts(count, any, |dice, _, value| (value > 13.0) != (dice.share() < share));
        let place = format!("{count}, {share} otherwise: {counts:?}");
        assert!(counts.right >= right_min, "{place}");
        assert!(counts.tested >= tested_min, "{place}");
        assert!(counts.wrong <= 32 && counts.changed <= 4, "{place}");
    }
}

#[test]
fn a_change_is_found_where_it_was() {
    for count in [20, 60] {
        let half = count / 2;
        let mut near = 0;
        for seed in 1..=400 {
            // The robot takes more force after three failures.
            let force = |dice: &mut Dice, place| {
                let middle = if place >= half + 3 { 9.5 } else { 8.0 };
                middle + dice.between(-0.6, 0.6)
            };
            let trials = series(seed, count, force, |_, place, value| {
                value < if place < half { 7.0 } else { 8.8 }
            });
            let change = change_point(&trials);
            near +=
                u32::from(change.is_some_and(|it| (it.attempt_id - half as i64 - 1).abs() <= 3));
        }
        assert!(near >= 370, "of {count}: {near}");
    }
}

#[test]
fn a_drift_is_found() {
    let need = |place: usize| 2.9 + 2.0 * (place as f64 / 60.0 - 0.4).max(0.0);
    let force = |dice: &mut Dice, place: usize| {
        // The robot follows in steps.
        let step = need(place.div_ceil(6) * 6);
        step + dice.between(0.0, 0.1)
    };
    let lagging = |dice: &mut Dice, place: usize| force(dice, place.saturating_sub(1));
    let counts = counts(60, lagging, |_, place, value| value < need(place));
    assert!(counts.changed >= 150, "{counts:?}");
}

#[test]
fn trying_something_else_is_no_change() {
    // Up, step by step, and all of it works but what always failed.
    let rising = |dice: &mut Dice, place: usize| 5.0 + place as f64 / 5.0 + dice.between(-0.3, 0.3);
    let counts = counts(60, rising, |_, _, value| value > 13.0);
    assert_eq!(counts.changed, 0);
}

fn row(dice: &mut Dice, id: i64) -> AttemptRow {
    let one_of = |dice: &mut Dice, count: f64| (dice.share() * count) as i64;
    let object = ["glass cup", "玻璃杯", "red glass cup", "box"][one_of(dice, 4.0) as usize];
    let force_n = 5.0 + one_of(dice, 12.0) as f64;
    let outcome = match one_of(dice, 8.0) {
        0 => Outcome::Unknown,
        1 => Outcome::Success,
        _ if force_n > 11.0 => Outcome::Failure,
        _ => Outcome::Success,
    };
    AttemptRow {
        id,
        place: AttemptPlace {
            scope: Scope::Global,
            collection: "default".into(),
            mem_type: MemType::TaskLog,
        },
        created_at: Stamp(one_of(dice, 20.0)),
        is_real: dice.share() < 0.5,
        reason: String::new(),
        position_m: None,
        steps: String::new(),
        attempt: Attempt {
            task: "grip".into(),
            object: object.into(),
            outcome,
            is_stated: true,
            numbers: vec![Measured {
                path: "params.force_n".into(),
                value: force_n,
                unit: "N".into(),
            }],
            values: Vec::new(),
            is_han: false,
            trust: Trust::High,
            number: 0,
        },
    }
}

#[test]
fn lessons_that_are_carried_on_are_those_of_all_attempts_read_anew() {
    let mut seen = 0;
    for seed in 1..=40 {
        let mut dice = Dice(seed * 77 + 1);
        let mut carried = KnownAttempts::default();
        let mut rows: std::collections::BTreeMap<i64, AttemptRow> =
            std::collections::BTreeMap::new();
        for step in 0..80 {
            // New ones, corrected ones, forgotten ones, with equal stamps, and in any order of time.
            let id = if dice.share() < 0.7 { step + 1 } else { (dice.share() * 80.0) as i64 + 1 };
            if dice.share() < 0.9 {
                let row = row(&mut dice, id);
                rows.insert(id, row.clone());
                carried.put(row);
            } else {
                rows.remove(&id);
                carried.remove(id);
            }
            let mut anew = KnownAttempts::default();
            rows.values().cloned().for_each(|row| anew.put(row));
            for object in ["glass cup", "box"] {
                let taught = |known: &KnownAttempts| {
                    let near = known.near("grip", object, |_| true);
                    near.iter().map(|it| known.lessons(&it.groups)).collect::<Vec<_>>()
                };
                let expected = taught(&anew);
                seen += expected.iter().map(|it| it.lessons.len()).sum::<usize>();
                assert_eq!(taught(&carried), expected, "seed {seed}, step {step}, {object}");
            }
        }
    }
    assert!(seen > 1_000, "only {seen} lessons were compared");
}

#[test]
fn who_heeds_a_tested_lesson_does_not_lose_it() {
    let any = |dice: &mut Dice, place: usize| {
        if place < 40 { dice.between(5.0, 17.0) } else { dice.between(8.0, 12.0) }
    };
    let trials = series(3, 100, any, |_, _, value| value > 13.0);
    let lesson = lesson_of(&trials, Side::Above).expect("a lesson");
    assert_eq!(lesson.state, LessonState::Tested);
}

/// Of 400 series, how many bear out a bound that was told, and how many refute it.
fn rulings(bound: f64, fails: impl Fn(&mut Dice, f64) -> bool) -> (u32, u32) {
    let (mut confirmed, mut contradicted) = (0, 0);
    for seed in 0..400 {
        let trials = series(
            seed,
            60,
            |dice, _| dice.between(5.0, 20.0),
            |dice, _, value| fails(dice, value),
        );
        match ruling_on_bound(Side::Above, bound, trials) {
            Some(Ruling::Confirmed) => confirmed += 1,
            Some(Ruling::Contradicted) => contradicted += 1,
            None => {}
        }
    }
    println!("of a bound at {bound}: {confirmed} confirmed, {contradicted} contradicted");
    (confirmed, contradicted)
}

#[test]
fn a_bound_that_was_told_is_ruled_on_as_a_lesson_would_be() {
    // One outcome in ten is reversed.
    let real = |dice: &mut Dice, value: f64| (value > 13.0) != (dice.share() < 0.1);
    let (confirmed, contradicted) = rulings(13.0, real);
    assert!(confirmed > 380 && contradicted < 10, "{confirmed} {contradicted}");
    let (confirmed, contradicted) = rulings(7.0, real);
    assert!(confirmed < 20 && contradicted > 300, "{confirmed} {contradicted}");
    let chance = |dice: &mut Dice, _: f64| dice.share() < 0.5;
    let (confirmed, _) = rulings(13.0, chance);
    assert!(confirmed < 20, "{confirmed}");
    let never = |_: &mut Dice, _: f64| false;
    let (confirmed, contradicted) = rulings(13.0, never);
    assert!(confirmed == 0 && contradicted == 400, "{confirmed} {contradicted}");
    let always = |_: &mut Dice, _: f64| true;
    assert_eq!(rulings(13.0, always).0, 0);
}

#[test]
fn a_bound_that_is_heeded_or_hardly_tried_is_not_ruled_on_anew() {
    let trial = |place: i64, value: f64, has_failed: bool| Trial {
        id: place,
        at: Stamp(place * 60),
        value,
        has_failed,
    };
    let clean = |from: i64, count: i64| {
        (from..from + count).map(move |it| {
            let is_beyond = it % 2 == 0;
            trial(it, if is_beyond { 15.0 } else { 10.0 } + it as f64 * 0.01, is_beyond)
        })
    };
    assert_eq!(ruling_on_bound(Side::Above, 13.0, clean(0, 5)), None);
    let tried = clean(0, 20);
    let heeded = (20..200).map(|it| trial(it, 10.0 + it as f64 * 0.001, false));
    let ruled = ruling_on_bound(Side::Above, 13.0, tried.chain(heeded));
    assert_eq!(ruled, Some(Ruling::Confirmed));
    // What is only kept within is not borne out by that.
    let within = (0..100).map(|it| trial(it, 10.0 + it as f64 * 0.01, false));
    assert_eq!(ruling_on_bound(Side::Above, 13.0, within), None);
    // On the other side failure lies below.
    let below = clean(0, 20).map(|it| Trial { has_failed: !it.has_failed, ..it });
    assert_eq!(ruling_on_bound(Side::Below, 13.0, below), Some(Ruling::Confirmed));
}
