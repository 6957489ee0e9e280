use crate::robot::{Robot, START};
use crate::streamed::{contact, record};
use proptest::prelude::*;
use robot_memory_core::api::{Forget, ForgetRequest, Update, UpdateRequest};
use robot_memory_engine::NewMemory;
use std::time::Duration;

fn at(x: f64) -> String {
    format!(r#"{{"spatial":{{"robot_position":[{x},2.5]}}}}"#)
}

fn forget(robot: &Robot, memory_id: i64) {
    let reason = "wrong".into();
    robot.call::<Forget>(ForgetRequest { memory_id, reason, ..Default::default() });
}

fn ids(robot: &Robot, limit: usize) -> Vec<i64> {
    ids_in(robot, limit, "")
}

fn ids_in(robot: &Robot, limit: usize, map_id: &str) -> Vec<i64> {
    let places = robot.engine.places(limit, map_id).expect("places");
    places.iter().map(|place| place.memory.id).collect()
}

#[test]
fn the_place_that_says_most_is_taken() {
    let robot = Robot::words_only();
    let cases = [
        (
            r#"{"spatial":{"robot_position":[1,2,3],"frame":"map","map_id":"hall"}}"#,
            Some(([1.0, 2.0, 3.0], false, "map", "hall")),
        ),
        (
            r#"{"spatial":{"robot_position":[1,2,3],"object_position":[4,5]}}"#,
            Some(([4.0, 5.0, 0.0], true, "", "")),
        ),
        (
            r#"{"spatial":{"object_position":["a",5],"robot_position":[1,2]}}"#,
            Some(([1.0, 2.0, 0.0], false, "", "")),
        ),
        (r#"{"spatial":{"robot_position":[1]}}"#, None),
        (r#"{"spatial":{"robot_position":[1,2,3,4,5,6]}}"#, None),
        (r#"{"robot_position":[1,2,3]}"#, None),
        (r#"{"task":"the robot_position is unknown"}"#, None),
        ("", None),
    ];
    for (number, (context, expected)) in cases.into_iter().enumerate() {
        let id = robot.perceive(&format!("something with number {number}"), context);
        let places = robot.engine.places(10, "").expect("places");
        let found = places.iter().find(|place| place.memory.id == id);
        let place = found.map(|place| {
            (place.position_m, place.is_object, place.frame.as_str(), place.map_id.as_str())
        });
        assert_eq!(place, expected, "{context}");
    }
}

#[test]
fn the_newest_come_first_however_far_back() {
    let robot = Robot::words_only();
    let old = robot.perceive("an old thing", &at(1.0));
    // More rows than are looked at in one piece.
    for first in 0..3 {
        let made = (0..700).map(|i| contact(first * 700 + i, 0.5, 1)).collect();
        record(&robot, made);
    }
    assert_eq!(ids(&robot, 5), [old]);
    let new = robot.learn_with("the tray is broken", &at(2.0));
    assert_eq!(ids(&robot, 5), [new, old]);
    assert_eq!(ids(&robot, 1), [new]);
    assert!(ids(&robot, 0).is_empty());
    forget(&robot, new);
    assert_eq!(ids(&robot, 5), [old]);
    let robot = robot.restart();
    assert_eq!(ids(&robot, 5), [old]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn places_are_those_of_the_rows(steps in prop::collection::vec((0..5_u8, 0..30_usize), 1..40)) {
        let robot = Robot::words_only();
        let mut rows: Vec<(i64, bool)> = Vec::new();
        for (number, (step, which)) in steps.into_iter().enumerate() {
            let text = format!("thing {number} weighs {number} g");
            match step {
                0 | 1 => {
                    let context = if step == 0 { at(number as f64) } else { String::new() };
                    rows.push((robot.perceive(&text, &context), step == 0));
                }
                2 if !rows.is_empty() => {
                    let (id, _) = rows.remove(which % rows.len());
                    forget(&robot, id);
                }
                3 if !rows.is_empty() => {
                    let place = which % rows.len();
                    let (memory_id, is_placed) = rows[place];
                    let context = if is_placed { r#"{"task":"none"}"#.into() } else { at(1.0) };
                    let new_content = text;
                    robot.call::<Update>(UpdateRequest { memory_id, new_content, context, ..Default::default() });
                    rows[place].1 = !is_placed;
                }
                _ => {}
            }
            let mut expected: Vec<i64> =
                rows.iter().filter(|(_, is_placed)| *is_placed).map(|(id, _)| *id).collect();
            expected.reverse();
            expected.truncate(which);
            prop_assert_eq!(ids(&robot, which), expected);
        }
    }
}

#[test]
fn newer_places_of_other_maps_take_no_room_from_those_of_this_one() {
    let robot = Robot::words_only();
    let of = |map_id: &str, x: f64| {
        let map_id = match map_id {
            "" => String::new(),
            name => format!(r#","map_id":"{name}""#),
        };
        format!(r#"{{"spatial":{{"object_position":[{x},2.5]{map_id}}}}}"#)
    };
    let mut known: Vec<(i64, &str)> = Vec::new();
    for number in 0..200 {
        let map_id = if number < 40 { ["hall", ""][number % 2] } else { "cellar" };
        let id = robot.perceive(&format!("thing {number}"), &of(map_id, number as f64));
        known.push((id, map_id));
        if number == 100 {
            // What was looked at before is followed from now on.
            assert_eq!(ids_in(&robot, 5, "hall").len(), 5);
        }
    }
    let expected = |known: &[(i64, &str)], limit: usize, map_id: &str| -> Vec<i64> {
        let of_map = |it: &&(i64, &str)| map_id.is_empty() || it.1.is_empty() || it.1 == map_id;
        known.iter().rev().filter(of_map).map(|it| it.0).take(limit).collect()
    };
    for limit in [0, 1, 5, 1_000] {
        for map_id in ["hall", "cellar", "", "attic", "hall"] {
            assert_eq!(ids_in(&robot, limit, map_id), expected(&known, limit, map_id), "{map_id}");
        }
    }
    // Carried into the other map, and back.
    let (memory_id, _) = known[0];
    for map_id in ["cellar", "hall"] {
        robot.call::<Update>(UpdateRequest {
            memory_id,
            new_content: format!("a thing of the {map_id}"),
            context: of(map_id, 0.0),
            ..Default::default()
        });
        known[0].1 = map_id;
        assert_eq!(ids_in(&robot, 1_000, "hall"), expected(&known, 1_000, "hall"), "{map_id}");
    }
    forget(&robot, memory_id);
    known.remove(0);
    assert_eq!(ids_in(&robot, 1_000, "hall"), expected(&known, 1_000, "hall"));
}

fn new_memories(robot: &Robot, listening: &robot_memory_engine::NewMemories) -> Vec<NewMemory> {
    listening.next(&robot.engine, Duration::ZERO).expect("it reads")
}

#[test]
fn each_new_memory_is_told_once_in_order() {
    let robot = Robot::words_only();
    robot.learn("the cup is red");
    let listening = robot.engine.new_memories(100);
    assert_eq!(new_memories(&robot, &listening), []);
    let fact = robot.learn("the tray is broken").memory_id;
    robot.learn("the tray is broken");
    let perception = robot.perceive("a spoon on the floor", "");
    let events = record(&robot, vec![contact(7, 0.5, 3), contact(8, 0.5, 3)]);
    record(&robot, vec![contact(7, 0.5, 3)]);
    robot.call::<Update>(UpdateRequest {
        memory_id: fact,
        new_content: "the tray is whole again".into(),
        ..Default::default()
    });
    let new = new_memories(&robot, &listening);
    let ids: Vec<i64> = new.iter().map(|new| new.memory.id).collect();
    assert_eq!(ids, [fact, perception, events[0], events[1]]);
    assert!(new[0].origin.is_none() && new[1].origin.is_none());
    let origin = new[2].origin.as_ref().expect("it has one");
    assert_eq!((origin.stream.as_str(), origin.trigger.as_str()), ("wrist", "contact"));
    assert_eq!(origin.event_id, "event 0");
    assert_eq!(new[2].memory.created_at.0, START.0 + 7_000_000_000);
    assert_eq!((new_memories(&robot, &listening), listening.dropped()), (vec![], 0));
}

#[test]
fn who_does_not_listen_keeps_nobody_from_writing() {
    let robot = Robot::words_only();
    let listening = robot.engine.new_memories(3);
    drop(robot.engine.new_memories(1));
    let stored = record(&robot, (0..10).map(|i| contact(i, 0.5, 3)).collect());
    let new = new_memories(&robot, &listening);
    assert_eq!(new.iter().map(|new| new.memory.id).collect::<Vec<_>>(), stored[..3]);
    assert_eq!(listening.dropped(), 7);
    let next = robot.perceive("a spoon on the floor", "");
    assert_eq!(new_memories(&robot, &listening)[0].memory.id, next);
}
