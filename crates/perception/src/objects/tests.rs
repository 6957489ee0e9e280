use super::{Detection, ObjectChangeKind, ObjectTracker, Viewpoint};
use robot_memory_core::limits::{DETECTIONS_MAX, OBJECT_FRAMES_MAX, TENTATIVE_OBJECTS_MAX};
use robot_memory_core::model::{ObjectState, Stamp};
use std::collections::BTreeSet;

mod fixed_camera;

const UPRIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A sensor at a place, looking along x.
fn from(secs: f64, at: [f64; 3]) -> Viewpoint {
    Viewpoint {
        stamp: Stamp((secs * 1e9) as i64),
        topic: "/detections".into(),
        frame: "map".into(),
        map_id: "hall".into(),
        sensor: Some((at, UPRIGHT)),
        robot: [at[0], at[1], 0.0],
    }
}

fn seen(label: &str, position: [f64; 3]) -> Detection {
    Detection {
        labels: vec![(label.into(), 0.9)],
        position: Some(position),
        ..Detection::default()
    }
}

/// Looks from the origin for some seconds at 10 Hz.
fn look(tracker: &mut ObjectTracker, from_secs: f64, secs: f64, detections: &[Detection]) {
    for step in 0..(secs * 10.0) as i32 {
        tracker.take(&from(from_secs + f64::from(step) * 0.1, [0.0; 3]), detections);
    }
}

fn labels(tracker: &ObjectTracker, state: ObjectState) -> Vec<String> {
    let of = tracker.objects().into_iter().filter(|object| object.state == state);
    let mut labels: Vec<String> = of.map(|object| object.labels.top().to_owned()).collect();
    labels.sort();
    labels
}

#[test]
fn two_in_one_frame_are_two_whatever_they_are_called() {
    let mut tracker = ObjectTracker::default();
    let cups = [seen("cup", [2.0, 0.0, 0.0]), seen("cup", [2.0, 0.12, 0.0])];
    look(&mut tracker, 1.0, 2.0, &cups);
    assert_eq!(labels(&tracker, ObjectState::Present), ["cup", "cup"]);
}

#[test]
fn one_that_is_put_beside_another_is_another() {
    let mut tracker = ObjectTracker::default();
    look(&mut tracker, 1.0, 2.0, &[seen("cup", [2.0, 0.0, 0.0])]);
    let cups = [seen("cup", [2.0, 0.0, 0.0]), seen("cup", [2.0, 0.1, 0.0])];
    look(&mut tracker, 3.0, 2.0, &cups);
    assert_eq!(labels(&tracker, ObjectState::Present), ["cup", "cup"]);
}

#[test]
fn a_name_makes_no_other_object_and_few_sightings_make_none() {
    let mut tracker = ObjectTracker::default();
    look(&mut tracker, 1.0, 2.0, &[seen("cup", [2.0, 0.0, 0.0])]);
    look(&mut tracker, 3.0, 0.4, &[seen("bowl", [2.0, 0.0, 0.0]), seen("cat", [3.0, 1.0, 0.0])]);
    look(&mut tracker, 5.0, 2.0, &[seen("cup", [2.0, 0.0, 0.0])]);
    assert_eq!(labels(&tracker, ObjectState::Present), ["cup"]);
    let cup = &tracker.objects()[0];
    assert_eq!((cup.count, cup.labels.weights().len()), (44, 2));
    assert!(cup.labels.share("bowl") < 0.1);
}

/// Looks at a cup from three directions, with or without it.
fn round(tracker: &mut ObjectTracker, from_secs: f64, is_there: bool) {
    let mut at_secs = from_secs;
    for y in [-1.5, 0.0, 1.5] {
        for _ in 0..30 {
            at_secs += 0.1;
            let cup = seen("cup", [2.0, -y, 0.0]);
            let other = seen("bowl", [2.0, 1.0 - y, 0.0]);
            let all = if is_there { vec![other, cup] } else { vec![other] };
            tracker.take(&from(at_secs, [0.0, y, 0.0]), &all);
        }
    }
}

#[test]
fn what_is_looked_for_and_not_seen_is_gone_and_comes_back_as_itself() {
    let mut tracker = ObjectTracker::default();
    for visit in 0..3 {
        round(&mut tracker, f64::from(visit) * 60.0, true);
    }
    let key = tracker.objects().into_iter().find(|it| it.labels.top() == "cup").map(|it| it.key);
    // Elsewhere nothing is said of it.
    for step in 0..600 {
        tracker.take(&from(200.0 + f64::from(step) * 0.1, [40.0, 0.0, 0.0]), &[]);
    }
    assert_eq!(labels(&tracker, ObjectState::Gone), [""; 0]);
    round(&mut tracker, 300.0, false);
    assert_eq!(labels(&tracker, ObjectState::Gone), ["cup"]);
    assert_eq!(labels(&tracker, ObjectState::Present), ["bowl"]);
    tracker.drain();
    round(&mut tracker, 400.0, true);
    let changes = tracker.drain().changes;
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!((&changes[0].kind, Some(&changes[0].key)), (&ObjectChangeKind::Back, key.as_ref()));
}

#[test]
fn from_where_a_thing_was_never_seen_it_is_not_missed() {
    let mut tracker = ObjectTracker::default();
    for visit in 0..3 {
        round(&mut tracker, f64::from(visit) * 60.0, true);
    }
    // From behind a wall, in the same part of the picture.
    for step in 0..200 {
        let (x, y) = (4.0, f64::from(step % 3 - 1) * 1.5);
        let at = from(300.0 + f64::from(step) * 0.1, [x, y, 0.0]);
        let at = Viewpoint { sensor: Some(([x, y, 0.0], [0.0, 0.0, 1.0, 0.0])), ..at };
        tracker.take(&at, &[seen("lamp", [3.0, 3.0, 0.0])]);
    }
    assert_eq!(labels(&tracker, ObjectState::Gone), [""; 0]);
}

#[test]
fn what_is_gone_here_and_new_beside_was_moved() {
    let mut tracker = ObjectTracker::default();
    for visit in 0..3 {
        round(&mut tracker, f64::from(visit) * 60.0, true);
    }
    let before = tracker.objects();
    let mut at_secs = 300.0;
    for y in [-1.5, 0.0, 1.5] {
        for _ in 0..30 {
            at_secs += 0.1;
            let all = [seen("bowl", [2.0, 1.0 - y, 0.0]), seen("cup", [3.5, 0.5 - y, 0.0])];
            tracker.take(&from(at_secs, [0.0, y, 0.0]), &all);
        }
    }
    let after = tracker.objects();
    assert_eq!(after.len(), 2, "{after:?}");
    let cup = after.iter().find(|it| it.labels.top() == "cup").expect("the cup");
    assert!(before.iter().any(|it| it.key == cup.key));
    assert!((cup.position_m[0] - 3.5).abs() < 0.05, "{cup:?}");
    let moved = cup.moved.expect("it was moved");
    assert!((moved.from_m[0] - 2.0).abs() < 0.05);
}

#[test]
fn another_thing_in_its_place_is_another_object() {
    let mut tracker = ObjectTracker::default();
    look(&mut tracker, 1.0, 10.0, &[seen("cup", [2.0, 0.0, 0.0])]);
    look(&mut tracker, 100.0, 3.0, &[seen("vase", [2.0, 0.0, 0.0])]);
    assert_eq!(labels(&tracker, ObjectState::Present), ["vase"]);
    assert_eq!(labels(&tracker, ObjectState::Gone), ["cup"]);
}

#[test]
fn the_same_messages_again_change_nothing_also_of_what_was_stored() {
    let mut tracker = ObjectTracker::default();
    let cups = [seen("cup", [2.0, 0.0, 0.0]), seen("cup", [4.0, 1.0, 0.0])];
    look(&mut tracker, 1.0, 3.0, &cups);
    let stored = tracker.objects();
    let mut again = ObjectTracker::new(stored.clone());
    look(&mut again, 1.0, 3.0, &cups);
    assert_eq!(again.objects(), stored);
    assert_eq!(again.drain().objects, []);
    look(&mut again, 50.0, 1.0, &cups);
    assert_eq!(again.objects().iter().map(|it| it.count).collect::<Vec<_>>(), [40, 40]);
}

#[test]
fn without_depth_a_thing_is_where_it_was_seen_from() {
    let mut tracker = ObjectTracker::default();
    let flat = || Detection { labels: vec![("cup".into(), 0.8)], ..Detection::default() };
    for step in 0..20 {
        let at = from(f64::from(step) * 0.1, [1.0 + f64::from(step) * 0.05, 2.0, 1.0]);
        tracker.take(&at, &[flat(), flat()]);
    }
    let cups = tracker.objects();
    assert_eq!(cups.len(), 2);
    assert!(cups.iter().all(|it| it.is_seen_from && it.sigma_m == 3.0));
    assert!((cups[0].position_m[0] - 1.95).abs() < 1e-9);
    // Looked at from there again without it: its place is not known, so nothing follows.
    look(&mut tracker, 100.0, 20.0, &[]);
    assert_eq!(labels(&tracker, ObjectState::Gone), [""; 0]);
}

#[test]
fn what_is_kept_is_bounded_and_what_is_dropped_is_counted() {
    let mut tracker = ObjectTracker::default();
    for frame in 0..20 {
        let many: Vec<Detection> = (0..DETECTIONS_MAX + 10)
            .map(|index| [index % 16, index / 16, frame].map(|at| 1.0 + at as f64 * 2.0))
            .map(|position| seen("cup", position))
            .collect();
        tracker.take(&from(frame as f64 * 0.01, [0.0; 3]), &many);
    }
    let counts = tracker.counts();
    let taken = 20 * DETECTIONS_MAX;
    let dropped = 20 * 10 + taken - TENTATIVE_OBJECTS_MAX;
    assert_eq!((counts.detections, counts.dropped), (taken as u64, dropped as u64));
    for name in 0..20 {
        let at = Viewpoint { frame: format!("map{name}"), ..from(9.0, [0.0; 3]) };
        tracker.take(&at, &[seen("cup", [2.0, 0.0, 0.0])]);
    }
    assert_eq!(tracker.counts().dropped, dropped as u64);
}

#[test]
fn what_no_camera_sees_as_far_is_dropped_and_stops_nothing() {
    let mut tracker = ObjectTracker::default();
    let far = [f64::from(f32::MAX), 1e10, 201.0].map(|x| seen("cup", [x, 0.0, 0.0]));
    look(&mut tracker, 1.0, 1.0, &[&far[..], &[seen("bowl", [199.0, 0.0, 0.0])]].concat());
    assert_eq!(labels(&tracker, ObjectState::Present), ["bowl"]);
    assert_eq!(tracker.counts().dropped, 30);
}

#[test]
fn time_that_begins_anew_goes_on_with_the_same_objects() {
    let mut live = ObjectTracker::live([]);
    let cups = [seen("cup", [2.0, 0.0, 0.0])];
    look(&mut live, 100.0, 3.0, &cups);
    // Three sightings are no object, and would never be old.
    look(&mut live, 104.0, 0.3, &[seen("cat", [3.0, 1.0, 0.0])]);
    live.restart();
    look(&mut live, 1.0, 3.0, &[&cups[..], &[seen("bowl", [3.0, 0.0, 0.0])]].concat());
    let objects = live.objects();
    assert_eq!(objects.iter().map(|it| it.count).collect::<Vec<_>>(), [60, 30]);
    assert_eq!((objects[0].first_seen.0, objects[0].last_seen.0), (1_000_000_000, 3_900_000_000));
    // A node that starts again, with a simulation that does.
    let mut again = ObjectTracker::live(objects);
    look(&mut again, 1.0, 1.0, &cups);
    assert_eq!(again.objects()[0].count, 70);
}

#[test]
fn keys_differ_by_map_and_when_time_begins_anew() {
    let mut tracker = ObjectTracker::live([]);
    look(&mut tracker, 1.0, 2.0, &[seen("cup", [2.0, 0.0, 0.0])]);
    tracker.restart();
    look(&mut tracker, 1.0, 2.0, &[seen("cup", [5.0, 4.0, 0.0])]);
    for step in 0..20 {
        let at = from(1.0 + f64::from(step) * 0.1, [0.0; 3]);
        let at = Viewpoint { map_id: "cellar".into(), ..at };
        tracker.take(&at, &[seen("cup", [2.0, 0.0, 0.0])]);
    }
    let keys: BTreeSet<String> = tracker.objects().into_iter().map(|it| it.key).collect();
    assert_eq!((tracker.objects().len(), keys.len()), (3, 3));
}

#[test]
fn the_map_that_was_not_looked_at_for_longest_makes_room() {
    let mut tracker = ObjectTracker::default();
    let floor = |number: usize, step: i32| Viewpoint {
        map_id: format!("floor {number}"),
        ..from(number as f64 * 10.0 + f64::from(step) * 0.1, [0.0; 3])
    };
    for number in 0..OBJECT_FRAMES_MAX + 2 {
        for step in 0..10 {
            tracker.take(&floor(number, step), &[seen("cup", [2.0, 0.0, 0.0])]);
        }
    }
    assert_eq!(tracker.objects().len(), OBJECT_FRAMES_MAX);
    assert_eq!(tracker.counts().forgotten, 2);
    let drained = tracker.drain().objects;
    assert_eq!(drained.len(), OBJECT_FRAMES_MAX + 2, "what was seen there is stored");
    assert_eq!(ObjectTracker::new(drained).counts().forgotten, 2);
}

#[test]
fn no_numbers_bring_it_down() {
    let mut tracker = ObjectTracker::default();
    let odd = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 0.0, -0.0];
    for (step, x) in odd.iter().cycle().take(60).enumerate() {
        let mut thing = seen("", [*x, odd[step / 6 % 6], 1.0]);
        thing.variance_m2 = Some(*x);
        thing.orientation = Some([*x; 4]);
        thing.size_m = Some([*x; 3]);
        let at = from(step as f64 * 0.1, [odd[step / 2 % 6], *x, 0.0]);
        tracker.take(&at, &[thing, Detection::default()]);
    }
    assert!(tracker.objects().len() < 100);
}
