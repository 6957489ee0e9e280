use super::{Placed, PoseMissing, PoseSettings, PoseTrack};
use crate::{Pose, Transform, Value};
use proptest::prelude::*;
use robot_memory_core::model::Stamp;
use serde_json::json;
use std::f64::consts::FRAC_1_SQRT_2;

const UPRIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
/// A quarter of a turn to the left.
const LEFT: [f64; 4] = [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2];

fn settings() -> PoseSettings {
    PoseSettings {
        pose_frame: "map".to_owned(),
        base_frame: "base_link".to_owned(),
        map_id: "hall".to_owned(),
        age_secs_max: 0.5,
        std_dev_m_max: 0.5,
        settle_secs: 0.0,
        is_auto: false,
    }
}

fn track() -> PoseTrack {
    PoseTrack::new(settings())
}

fn stamp(secs: f64) -> Stamp {
    Stamp((secs * 1e9).round() as i64)
}

fn pose(position: [f64; 3], orientation: [f64; 4]) -> Value {
    Value::Pose(Pose { position, orientation, variances: None })
}

fn uncertain(x: f64, y: f64, z: f64) -> Value {
    let variances = Some([x, y, z, 0.0, 0.0, 0.0]);
    Value::Pose(Pose { position: [1.0; 3], orientation: UPRIGHT, variances })
}

fn transform(parent: &str, child: &str, translation: [f64; 3], rotation: [f64; 4]) -> Transform {
    let (parent, child) = (parent.to_owned(), child.to_owned());
    Transform { stamp: None, parent, child, translation, rotation }
}

fn placed(parent: &str, child: &str, translation: [f64; 3]) -> Value {
    Value::Transforms(vec![transform(parent, child, translation, UPRIGHT)])
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(is_near && found.len() == expected.len(), "{found:?} is not {expected:?}");
}

#[test]
fn a_pose_between_two_lies_on_the_way() {
    let mut track = track();
    track.take(stamp(1.0), "/map", &pose([0.0, 0.0, 0.0], UPRIGHT));
    track.take(stamp(2.0), "/map", &pose([4.0, 2.0, 0.0], LEFT));
    let at = track.at(stamp(1.25)).expect("known");
    assert_near(&at.position, &[1.0, 0.5, 0.0]);
    let eighth = std::f64::consts::FRAC_PI_2 / 4.0 / 2.0;
    assert_near(&at.orientation, &[0.0, 0.0, eighth.sin(), eighth.cos()]);
    assert_eq!((at.frame.as_str(), at.map_id.as_str(), at.age_secs), ("map", "hall", 0.25));
    // At one of them it is that one, outside the nearest one.
    assert_near(&track.at(stamp(2.0)).expect("known").position, &[4.0, 2.0, 0.0]);
    assert_near(&track.at(stamp(2.4)).expect("known").position, &[4.0, 2.0, 0.0]);
    assert_near(&track.at(stamp(0.6)).expect("known").position, &[0.0, 0.0, 0.0]);
}

#[test]
fn it_is_written_as_the_context_has_it() {
    let at = Placed {
        position: [1.234_56, -0.000_01, 0.0],
        orientation: [0.0, 0.0, 0.6, 0.800_000_04],
        frame: "map".to_owned(),
        map_id: "hall".to_owned(),
        age_secs: 0.0204,
        std_dev_m: Some(0.123_45),
    };
    let expected = json!({
        "robot_position": [1.2346, 0.0, 0.0],
        "robot_orientation": [0.0, 0.0, 0.6, 0.8],
        "frame": "map",
        "map_id": "hall",
        "pose_age_secs": 0.02,
        "std_dev_m": 0.123,
    });
    assert_eq!(at.to_json().to_string(), expected.to_string());
    let nameless = Placed { map_id: String::new(), std_dev_m: None, ..at }.to_json();
    assert_eq!((nameless.get("map_id"), nameless.get("std_dev_m")), (None, None));
}

#[test]
fn what_is_missing_is_said_in_a_clause() {
    let mut track = track();
    let missing = |track: &PoseTrack, secs| track.at(stamp(secs)).expect_err("missing").to_string();
    assert_eq!(missing(&track, 1.0), "none yet");
    track.take(stamp(1.0), "map", &Value::Bool(true));
    assert_eq!(missing(&track, 1.0), "none yet");
    track.take(stamp(1.0), "map", &pose([f64::NAN, 0.0, 0.0], UPRIGHT));
    assert_eq!(missing(&track, 1.0), "position is not finite");
    track.take(stamp(1.0), "map", &pose([0.0; 3], [0.0; 4]));
    assert_eq!(missing(&track, 1.0), "orientation is no rotation");
    track.take(stamp(1.0), "map", &pose([0.0; 3], UPRIGHT));
    assert_eq!(missing(&track, 3.3), "stale by 2.3 s");
    assert_eq!(missing(&track, -1.0), "stale by 2.0 s");
    track.take(stamp(4.0), "map", &uncertain(0.01, 0.81, 0.0));
    assert_eq!(missing(&track, 4.0), "standard deviation 0.9 m");
}

#[test]
fn a_pose_counts_as_the_more_uncertain_of_its_neighbors() {
    let cases = [
        ([0.04, 0.04, 0.0], true),
        ([0.3, 0.01, 0.0], false),
        // Drivers of planar robots.
        ([0.01, 0.01, 1e6], true),
        ([0.0, 0.0, 0.0], true),
        // Not known.
        ([-1.0, 0.0, 0.0], true),
        ([f64::NAN, 0.0, 0.0], false),
        ([f64::INFINITY, 0.0, 0.0], false),
    ];
    for ([x, y, z], is_known) in cases {
        let mut track = track();
        track.take(stamp(1.0), "map", &uncertain(0.01, 0.01, 0.0));
        track.take(stamp(1.2), "map", &uncertain(x, y, z));
        assert_eq!(track.at(stamp(1.1)).is_ok(), is_known, "{x} {y} {z}");
    }
    let mut unchecked = PoseTrack::new(PoseSettings { std_dev_m_max: 0.0, ..settings() });
    unchecked.take(stamp(1.0), "map", &uncertain(100.0, 100.0, 0.0));
    assert!(unchecked.at(stamp(1.0)).is_ok());
}

#[test]
fn a_pose_is_believed_once_the_localization_was_certain_for_some_seconds() {
    let mut track = PoseTrack::new(PoseSettings { settle_secs: 3.0, ..settings() });
    let missing = |track: &PoseTrack, secs| track.at(stamp(secs)).map_err(|it| it.to_string());
    let drive = |track: &mut PoseTrack, from: f64, to: f64| {
        for tenth in 0..((to - from) * 10.0) as u32 {
            let now = stamp(from + f64::from(tenth) / 10.0);
            track.take(now, "", &placed("map", "base_link", [1.0, 2.0, 0.0]));
        }
    };
    let told = |x: f64| Pose {
        position: [1.0, 2.0, 0.0],
        orientation: UPRIGHT,
        variances: Some([x, x, 0.0, 0.0, 0.0, 0.0]),
    };
    // Transforms of a robot of which no covariance is told are taken at their word.
    drive(&mut track, 0.0, 1.0);
    assert!(track.at(stamp(0.5)).is_ok());
    track.take_covariance(stamp(1.0), "map", &told(4.0));
    drive(&mut track, 1.0, 8.0);
    assert_eq!(missing(&track, 5.0), Err("standard deviation 2.0 m".to_owned()));
    // Of another frame: nothing of the map.
    track.take_covariance(stamp(2.0), "odom", &told(0.01));
    assert_eq!(missing(&track, 5.0), Err("standard deviation 2.0 m".to_owned()));
    track.take_covariance(stamp(2.0), "map", &told(0.04));
    track.take_covariance(stamp(4.0), "map", &told(0.01));
    assert_eq!(missing(&track, 1.5), Err("certain for 0.0 s only".to_owned()));
    assert_eq!(missing(&track, 4.0), Err("certain for 2.0 s only".to_owned()));
    let at = track.at(stamp(5.1)).expect("certain since 2.0");
    assert_eq!((at.map_id.as_str(), at.std_dev_m), ("hall", Some(0.1)));
    // Carried into another map: nothing that is known holds there.
    track.set_map_id("hall", stamp(8.0));
    assert!(track.at(stamp(5.1)).is_ok(), "the same map");
    track.set_map_id("cellar", stamp(8.0));
    assert!(track.at(stamp(5.1)).is_err());
    // What waited is of the old map.
    drive(&mut track, 7.0, 8.0);
    track.take_covariance(stamp(7.9), "map", &told(0.01));
    assert!(track.at(stamp(7.5)).is_err());
    drive(&mut track, 8.0, 12.0);
    assert_eq!(missing(&track, 11.9), Err("certain for 0.0 s only".to_owned()));
    track.take_covariance(stamp(8.5), "map", &told(0.01));
    assert_eq!(track.at(stamp(11.6)).expect("certain since 8.5").map_id, "cellar");
    // Time begins anew, and with it what is known.
    track.reset();
    drive(&mut track, 0.0, 5.0);
    track.take_covariance(stamp(0.1), "map", &told(0.01));
    assert!(track.at(stamp(1.0)).is_err() && track.at(stamp(4.0)).is_ok());
}

#[test]
fn the_first_name_of_a_map_is_no_change() {
    let mut track = PoseTrack::new(PoseSettings { map_id: String::new(), ..settings() });
    track.take(stamp(1.0), "map", &pose([1.0; 3], UPRIGHT));
    track.set_map_id("hall", stamp(1.1));
    assert_eq!(track.at(stamp(1.0)).expect("still known").map_id, "hall");
}

#[test]
fn a_frame_is_that_of_the_message_and_poses_of_two_are_not_mixed() {
    let mut track = track();
    track.take(stamp(1.0), "odom", &pose([1.0; 3], UPRIGHT));
    assert_eq!(track.at(stamp(1.0)).expect("known").frame, "odom");
    track.take(stamp(1.2), "", &pose([3.0; 3], UPRIGHT));
    let at = track.at(stamp(1.1)).expect("known");
    assert_eq!(at.frame, "map");
    assert_near(&at.position, &[3.0; 3]);
}

#[test]
fn frames_are_followed_from_the_map_to_the_robot() {
    let mut track = track();
    track.take_static(&placed("base_footprint", "/base_link", [0.0, 0.0, 0.1]));
    track.take_static(&placed("base_link", "camera", [0.0, 0.0, 1.0]));
    let turned = transform("/map", "/odom", [10.0, 0.0, 0.0], LEFT);
    track.take(stamp(100.0), "", &Value::Transforms(vec![turned]));
    track.take(stamp(100.0), "", &placed("odom", "base_footprint", [1.0, 0.0, 0.0]));
    track.take(stamp(100.2), "", &placed("odom", "base_footprint", [2.0, 0.0, 0.0]));
    let at = track.at(stamp(100.1)).expect("known");
    // What is ahead in odom is to the left on the map.
    assert_near(&at.position, &[10.0, 1.5, 0.1]);
    assert_near(&at.orientation, &LEFT);
    assert_eq!(at.frame, "map");
    assert!((at.age_secs - 0.1).abs() < 1e-9);
    // Each link on the way has its age.
    assert_eq!(track.at(stamp(101.0)), Err(PoseMissing::Stale { secs: 1.0 }));
}

#[test]
fn frames_are_followed_over_their_common_parent() {
    let mut track = track();
    // The map is placed in the robot's frame, as some localizers do.
    track.take(stamp(1.0), "", &placed("base_link", "map", [-3.0, 0.0, 0.0]));
    assert_near(&track.at(stamp(1.0)).expect("known").position, &[3.0, 0.0, 0.0]);
    // Both are in the world.
    let mut track = self::track();
    track.take(stamp(1.0), "", &placed("world", "map", [1.0, 0.0, 0.0]));
    track.take(stamp(1.0), "", &placed("world", "base_link", [5.0, 0.0, 0.0]));
    assert_near(&track.at(stamp(1.0)).expect("known").position, &[4.0, 0.0, 0.0]);
}

#[test]
fn a_transform_that_changes_holds_since_it_was_first_told() {
    let mut track = track();
    track.take_static(&placed("map", "shelf", [2.0; 3]));
    track.take(stamp(1.0), "", &placed("map", "odom", [1.0; 3]));
    track.take(stamp(3.0), "", &placed("odom", "base_link", [1.0; 3]));
    for secs in 4..20 {
        track.take(stamp(f64::from(secs)), "", &placed("map", "odom", [1.5; 3]));
        track.take(stamp(f64::from(secs)), "", &placed("odom", "base_link", [2.0; 3]));
    }
    let since = |track: &PoseTrack, to: &str, from: &str| track.frames().since(to, from);
    assert_eq!(since(&track, "map", "shelf"), None);
    assert_eq!(since(&track, "map", "odom"), Some(stamp(1.0)));
    assert_eq!(since(&track, "odom", "shelf"), Some(stamp(1.0)));
    // All on the way must be told.
    assert_eq!(since(&track, "map", "base_link"), Some(stamp(3.0)));
    assert_eq!(since(&track, "odom", "base_link"), Some(stamp(3.0)));
    // Time begins anew.
    track.reset();
    track.take(stamp(0.5), "", &placed("map", "odom", [1.0; 3]));
    assert_eq!(since(&track, "map", "odom"), Some(stamp(0.5)));
    assert_eq!(since(&track, "map", "shelf"), None);
}

#[test]
fn circles_and_loose_ends_end() {
    let mut track = track();
    track.take(stamp(1.0), "", &placed("map", "odom", [1.0; 3]));
    let missing = track.at(stamp(1.0)).expect_err("loose").to_string();
    assert_eq!(missing, "no transform map -> base_link");
    track.take(stamp(1.0), "", &placed("a", "base_link", [1.0; 3]));
    track.take(stamp(1.0), "", &placed("b", "a", [1.0; 3]));
    track.take(stamp(1.0), "", &placed("base_link", "b", [1.0; 3]));
    track.take(stamp(1.0), "", &placed("base_link", "base_link", [1.0; 3]));
    assert!(track.at(stamp(1.0)).is_err());
    // A frame that moves into another parent is only there.
    track.take(stamp(1.1), "", &placed("odom", "base_link", [1.0; 3]));
    assert_near(&track.at(stamp(1.1)).expect("known").position, &[2.0; 3]);
}

#[test]
fn a_transform_of_another_clock_is_left_out() {
    let mut track = track();
    let stamped = |secs: f64, x: f64| {
        let mut transform = transform("map", "base_link", [x, 0.0, 0.0], UPRIGHT);
        transform.stamp = Some(stamp(secs));
        Value::Transforms(vec![transform])
    };
    track.take(stamp(100.0), "", &stamped(1e9, 7.0));
    let missing = track.at(stamp(100.0)).expect_err("left out").to_string();
    assert_eq!(missing, "transforms are stamped seconds from when they came");
    track.take(stamp(100.0), "", &stamped(99.9, 1.0));
    track.take(stamp(100.1), "", &stamped(100.0, 2.0));
    assert_near(&track.at(stamp(99.95)).expect("known").position, &[1.5, 0.0, 0.0]);
}

#[test]
fn time_that_begins_anew_leaves_what_always_holds() {
    let mut track = track();
    track.take_static(&placed("odom", "base_link", [1.0, 0.0, 0.0]));
    track.take(stamp(50.0), "", &placed("map", "odom", [1.0, 0.0, 0.0]));
    track.reset();
    assert!(matches!(track.at(stamp(50.0)), Err(PoseMissing::NoTransform { .. })));
    track.take(stamp(1.0), "", &placed("map", "odom", [2.0, 0.0, 0.0]));
    assert_near(&track.at(stamp(1.0)).expect("known").position, &[3.0, 0.0, 0.0]);
}

#[test]
fn what_is_kept_is_bounded() {
    let mut track = track();
    // An hour at 1 kHz, in which frames come and go.
    for i in 0..100_000_i32 {
        let secs = f64::from(i) * 1e-3;
        track.take(stamp(secs), "", &placed("map", "base_link", [secs, 0.0, 0.0]));
        track.take(stamp(secs), "", &placed("map", &format!("tag{i}"), [0.0; 3]));
    }
    let at = track.at(stamp(95.0005)).expect("known");
    assert!((at.position[0] - 95.0005).abs() < 1e-6, "{at:?}");
    assert!(matches!(track.at(stamp(80.0)), Err(PoseMissing::Stale { .. })));
    assert!(track.frames.sizes().0 <= 512, "{:?}", track.frames.sizes());
    assert!(track.frames.sizes().1 <= 1000, "{:?}", track.frames.sizes());
}

#[test]
fn a_frame_that_comes_late_finds_room() {
    let mut track = track();
    for i in 0..2000_i32 {
        let name = format!("tag{i}");
        track.take(stamp(f64::from(i) * 0.01), "", &placed("map", &name, [0.0; 3]));
    }
    track.take(stamp(20.0), "", &placed("map", "base_link", [5.0; 3]));
    assert_near(&track.at(stamp(20.0)).expect("known").position, &[5.0; 3]);
}

#[test]
fn poses_may_come_out_of_order() {
    let mut track = track();
    for secs in [1.0, 1.4, 1.2, 1.2, 1.1, 0.9] {
        track.take(stamp(secs), "map", &pose([secs, 0.0, 0.0], UPRIGHT));
    }
    assert_near(&track.at(stamp(1.15)).expect("known").position, &[1.15, 0.0, 0.0]);
    assert_near(&track.at(stamp(1.3)).expect("known").position, &[1.3, 0.0, 0.0]);
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -10.0..10.0_f64]
}

fn rotation() -> impl Strategy<Value = [f64; 4]> {
    let turned = (-4.0..4.0_f64).prop_map(|half: f64| [half.sin(), 0.0, 0.0, half.cos()]);
    prop_oneof![[number(), number(), number(), number()], turned]
}

proptest! {
    #[test]
    fn no_numbers_bring_it_down(
        poses in prop::collection::vec(
            (any::<i64>(), [number(), number(), number()], rotation()),
            0..20,
        ),
        names in prop::collection::vec("[abm]|map|base_link|/?", 40),
        at in any::<i64>(),
    ) {
        let mut given = track();
        let mut seen = track();
        for (i, (stamp, position, rotation)) in poses.iter().enumerate() {
            given.take(Stamp(*stamp), "map", &pose(*position, *rotation));
            let transform = transform(&names[2 * i], &names[2 * i + 1], *position, *rotation);
            seen.take(Stamp(*stamp), "", &Value::Transforms(vec![transform]));
        }
        for track in [given, seen] {
            let stamps = poses.iter().map(|(stamp, ..)| *stamp);
            for at in stamps.chain([at, i64::MIN, i64::MAX, 0]) {
                if let Ok(placed) = track.at(Stamp(at)) {
                    prop_assert!(placed.position.iter().all(|c| c.is_finite()));
                    let norm: f64 = placed.orientation.iter().map(|c| c * c).sum();
                    prop_assert!((norm - 1.0).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_steady_robot_is_where_it_was(
        velocity in -2.0..2.0_f64,
        rate_hz in 5.0..200.0_f64,
        at in 1.0..9.0_f64,
    ) {
        let mut track = track();
        for i in 0..(10.0 * rate_hz) as i32 {
            let secs = f64::from(i) / rate_hz;
            track.take(stamp(secs), "map", &pose([velocity * secs, 0.0, 0.0], UPRIGHT));
        }
        let placed = track.at(stamp(at)).expect("known");
        prop_assert!((placed.position[0] - velocity * at).abs() < 1e-6);
    }
}

#[test]
fn the_first_pose_that_is_known_is_taken() {
    let auto = || PoseTrack::new(PoseSettings { is_auto: true, ..settings() });
    let mut track = auto();
    track.take(stamp(1.0), "odom", &pose([9.0, 0.0, 0.0], UPRIGHT));
    assert_near(&track.at(stamp(1.0)).expect("told").position, &[9.0, 0.0, 0.0]);
    // Joints alone tell nothing of where the robot is.
    track.take(stamp(1.0), "", &placed("base_link", "arm", [5.0, 0.0, 0.0]));
    assert_near(&track.at(stamp(1.0)).expect("told").position, &[9.0, 0.0, 0.0]);
    track.take(stamp(1.0), "", &placed("odom", "base_footprint", [1.0, 0.0, 0.0]));
    let at = track.at(stamp(1.0)).expect("known");
    assert_near(&at.position, &[1.0, 0.0, 0.0]);
    assert_eq!(at.frame, "odom");
    track.take(stamp(1.0), "", &placed("base_footprint", "base_link", [0.5, 0.0, 0.0]));
    assert_near(&track.at(stamp(1.0)).expect("known").position, &[1.5, 0.0, 0.0]);
    track.take(stamp(1.0), "", &placed("map", "odom", [10.0, 0.0, 0.0]));
    let at = track.at(stamp(1.0)).expect("known");
    assert_near(&at.position, &[11.5, 0.0, 0.0]);
    assert_eq!(at.frame, "map");
    // What is too old does not hide what is known.
    let mut track = auto();
    track.take(stamp(1.0), "", &placed("map", "base_link", [1.0, 0.0, 0.0]));
    track.take(stamp(3.0), "odom", &pose([9.0, 0.0, 0.0], UPRIGHT));
    assert_near(&track.at(stamp(3.0)).expect("told").position, &[9.0, 0.0, 0.0]);
    assert!(auto().at(stamp(1.0)).is_err());
}
