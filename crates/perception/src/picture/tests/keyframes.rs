use super::scene::{Chance, Shot, Wall, gray};
use crate::picture::{Appearance, KeyframeSettings, Keyframes};
use crate::{Edge, Signal, TriggerKind};
use robot_memory_core::model::Stamp;

/// Shows shots to untuned keyframes, so many a second, and says which were kept.
fn kept(rate_hz: f64, shots: &[(&Wall, Shot)]) -> Vec<usize> {
    kept_by(KeyframeSettings::default(), rate_hz, shots)
}

fn kept_by(settings: KeyframeSettings, rate_hz: f64, shots: &[(&Wall, Shot)]) -> Vec<usize> {
    let mut chance = Chance::of(11);
    let mut keyframes = Keyframes::new(settings);
    let mut kept = Vec::new();
    for (i, (wall, shot)) in shots.iter().enumerate() {
        let mut signals = Vec::new();
        let stamp = Stamp((i as f64 / rate_hz * 1e9) as i64);
        keyframes.take(stamp, &shot.look(wall, &mut chance), &mut signals);
        for signal in signals {
            assert_eq!((signal.kind, signal.edge), (TriggerKind::Keyframe, Edge::Once));
            assert_eq!(signal.stamp, stamp);
            kept.push(i);
        }
    }
    kept
}

fn still(wall: &Wall, count: usize) -> Vec<(&Wall, Shot)> {
    vec![(wall, Shot::at(0, 0)); count]
}

#[test]
fn a_still_camera_keeps_one_of_a_thousand_noisy_pictures() {
    let (things, bare) = (Wall::of(1), Wall::bare());
    for (wall, noise) in [(&things, 10.0), (&bare, 15.0)] {
        let mut chance = Chance::of(11);
        // The light flickers, too. Each picture is seen again after all others.
        let appearances: Vec<Appearance> = (0..50)
            .map(|i| {
                let gain = 1.0 + 0.15 * (f64::from(i) * 0.9).sin() as f32;
                Shot { noise, gain, ..Shot::at(0, 0) }.look(wall, &mut chance)
            })
            .collect();
        let mut keyframes = Keyframes::new(KeyframeSettings::default());
        let kept: Vec<i64> = (0..1000)
            .filter(|i| {
                let look = &appearances[*i as usize % appearances.len()];
                !take(&mut keyframes, i * 200_000_000, look).is_empty()
            })
            .collect();
        assert_eq!(kept, [0]);
    }
}

#[test]
fn each_new_scene_is_kept_once() {
    let walls: Vec<Wall> = (1..8).map(Wall::of).collect();
    for noise in [2.0, 15.0] {
        let shots: Vec<_> = walls
            .iter()
            .flat_map(|wall| vec![(wall, Shot { noise, ..Shot::at(0, 0) }); 20])
            .collect();
        let kept = kept(5.0, &shots);
        // One that has less to be sharp about than the one before is looked at twice.
        let scenes: Vec<usize> = kept.iter().filter(|i| *i % 20 <= 1).map(|i| i / 20).collect();
        assert_eq!(scenes, [0, 1, 2, 3, 4, 5, 6], "{kept:?}");
        assert_eq!(kept.len(), scenes.len(), "{kept:?}");
    }
}

#[test]
fn a_turning_camera_keeps_some_views_and_then_none() {
    let wall = Wall::of(2);
    // Slowly over two pictures' widths, then still.
    let mut shots: Vec<_> = (0..160).map(|i| (&wall, Shot::at(2 * i, 0))).collect();
    shots.extend(vec![(&wall, Shot::at(320, 0)); 100]);
    let kept = kept(5.0, &shots);
    let turning = kept.iter().filter(|i| **i < 160).count();
    assert!((4..=18).contains(&turning), "{kept:?}");
    assert!(kept.iter().all(|i| *i <= 160), "{kept:?}");
}

#[test]
fn a_blurred_picture_waits_for_a_sharp_one() {
    let (a, b) = (Wall::of(1), Wall::of(2));
    let blurred = |x| (&b, Shot { moved: 24, ..Shot::at(x, 0) });
    // The camera swings to another view for three pictures, then rests.
    let mut shots = still(&a, 20);
    shots.extend([blurred(200), blurred(100), blurred(30)]);
    shots.extend(still(&b, 20));
    let first = kept(5.0, &shots);
    assert!(first == [0, 23] || first == [0, 24], "{first:?}");

    // It never rests: after a second one is taken as it is, and no more than one a second.
    let mut shots = still(&a, 20);
    shots.extend((0..20).map(|i| blurred(40 * (i % 3))));
    let kept = kept(5.0, &shots);
    assert!((25..=30).contains(&kept[1]), "{kept:?}");
    assert!(kept.len() <= 4, "{kept:?}");
}

#[test]
fn a_shake_that_comes_back_is_nothing_new() {
    let (a, b) = (Wall::of(1), Wall::of(2));
    let mut shots = still(&a, 20);
    shots.extend([30, 90, 40].map(|x| (&b, Shot { moved: 24, ..Shot::at(x, 0) })));
    shots.extend(still(&a, 20));
    assert_eq!(kept(5.0, &shots), [0]);
}

#[test]
fn black_pictures_are_passed_over() {
    let (a, b) = (Wall::of(1), Wall::of(2));
    let black = |wall| vec![(wall, Shot { gain: 0.01, noise: 1.0, ..Shot::at(0, 0) }); 10];
    let shots = [black(&a), still(&a, 10), black(&a), still(&a, 10), black(&a), still(&b, 10)];
    let kept = kept(5.0, &shots.concat());
    assert!(kept == [10, 50] || kept == [10, 51], "{kept:?}");
}

#[test]
fn seconds_between_and_seconds_at_most_are_kept() {
    let walls: Vec<Wall> = (1..3).map(Wall::of).collect();
    let flicker: Vec<_> = (0..100).map(|i| (&walls[i % 2], Shot::at(0, 0))).collect();
    // At 10 Hz, ten seconds.
    assert!(kept(10.0, &flicker).len() <= 11);
    let settings = KeyframeSettings { min_secs: 4.0, ..KeyframeSettings::default() };
    assert!(kept_by(settings, 10.0, &flicker).len() <= 3);
    let settings = KeyframeSettings { max_secs: 2.0, ..KeyframeSettings::default() };
    assert_eq!(kept_by(settings, 10.0, &still(&walls[0], 50)), [0, 20, 40]);
}

fn take(keyframes: &mut Keyframes, stamp: i64, appearance: &Appearance) -> Vec<Signal> {
    let mut signals = Vec::new();
    keyframes.take(Stamp(stamp), appearance, &mut signals);
    signals
}

#[test]
fn a_signal_says_how_new_the_view_is() {
    let chance = &mut Chance::of(3);
    let looks = [1, 2].map(|seed| Shot::at(0, 0).look(&Wall::of(seed), chance));
    let mut keyframes = Keyframes::new(KeyframeSettings::default());
    let names = |signals: &[Signal]| -> Vec<&str> {
        signals.iter().flat_map(|signal| &signal.measures).map(|measure| measure.name).collect()
    };
    assert_eq!(names(&take(&mut keyframes, 0, &looks[0])), ["sharpness", "brightness"]);
    let second = take(&mut keyframes, 5_000_000_000, &looks[1]);
    assert_eq!(names(&second), ["difference", "sharpness", "brightness"]);
    assert_eq!(second[0].measures[0].value, looks[1].difference(&looks[0]));
}

#[test]
fn time_that_goes_back_begins_anew_and_settings_do_not_matter() {
    let appearance = Appearance::of(&gray(64, 48), &[90; 64 * 48]).expect("a picture");
    let mut keyframes = Keyframes::new(KeyframeSettings::default());
    assert_eq!(take(&mut keyframes, 100_000_000_000, &appearance).len(), 1);
    assert_eq!(take(&mut keyframes, 99_900_000_000, &appearance).len(), 0);
    assert_eq!(take(&mut keyframes, 100_000_000_000, &appearance).len(), 0);
    assert_eq!(take(&mut keyframes, 5_000_000_000, &appearance).len(), 1);
    assert_eq!(take(&mut keyframes, i64::MAX, &appearance).len(), 0);
    assert_eq!(take(&mut keyframes, i64::MIN, &appearance).len(), 1);
    for wild in [f64::NAN, f64::INFINITY, -1.0] {
        let settings = KeyframeSettings {
            difference: wild,
            min_secs: wild,
            max_secs: wild,
            sharpness_ratio: wild,
        };
        let mut keyframes = Keyframes::new(settings);
        for stamp in [0, 1, 1, 2_000_000_000, i64::MAX, i64::MIN] {
            take(&mut keyframes, stamp, &appearance);
        }
    }
}
