//! Where the robot was, and whether it was simulated, is found in a bag without being told.

use crate::import::{Place, bag_of, message};
use robot_memory_perception::ClipMessage;
use serde_json::{Value, json};

/// A day in 2025, ns.
pub const DATED: i64 = 1_750_000_000_000_000_000;
pub const SECOND: i64 = 1_000_000_000;

/// CDR in little endian, each value aligned to its size.
pub struct Cdr(pub Vec<u8>);

impl Cdr {
    pub fn new() -> Self {
        Self(vec![0, 1, 0, 0])
    }

    fn align(&mut self, size: usize) {
        while !(self.0.len() - 4).is_multiple_of(size) {
            self.0.push(0);
        }
    }

    pub fn int(mut self, value: u32) -> Self {
        self.align(4);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn text(self, text: &str) -> Self {
        let mut cdr = self.int(text.len() as u32 + 1);
        cdr.0.extend(text.as_bytes());
        cdr.0.push(0);
        cdr
    }

    pub fn doubles(mut self, values: &[f64]) -> Self {
        for value in values {
            self.align(8);
            self.0.extend(value.to_le_bytes());
        }
        self
    }

    pub fn header(self, nanos: i64, frame: &str) -> Self {
        self.int((nanos / SECOND) as u32).int((nanos % SECOND) as u32).text(frame)
    }
}

fn odometry(at: i64, x: f64) -> ClipMessage {
    let bytes = Cdr::new()
        .header(at, "odom")
        .text("base_link")
        .doubles(&[x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        .doubles(&[0.0; 36])
        .doubles(&[0.0; 42])
        .0;
    message("/odom", "nav_msgs/msg/Odometry", at, &bytes)
}

pub fn transform(at: i64, parent: &str, child: &str, x: f64) -> ClipMessage {
    let bytes = Cdr::new()
        .int(1)
        .header(at, parent)
        .text(child)
        .doubles(&[x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        .0;
    message("/tf", "tf2_msgs/msg/TFMessage", at, &bytes)
}

/// A stop that is on for a second, ten seconds after `begin`, and what else is said ten times a second.
fn messages(begin: i64, beside: impl Fn(i64) -> Vec<ClipMessage>) -> Vec<ClipMessage> {
    (0..200)
        .flat_map(|tenth| {
            let at = begin + tenth * SECOND / 10;
            let is_on = (100..110).contains(&tenth);
            let stop = [0, 1, 0, 0, u8::from(is_on)];
            let mut all = vec![message("/stopped", "std_msgs/msg/Bool", at, &stop)];
            all.extend(beside(at));
            all
        })
        .collect()
}

fn spatial(place: &Place) -> Value {
    let memories = place.memories();
    assert_eq!(memories.len(), 1, "one stop");
    memories[0]["context"]["spatial"].clone()
}

#[test]
fn the_pose_of_a_bag_is_found() {
    let cases: [(&str, &[&str], &str, f64, &str); 5] = [
        ("odometry", &["odom"], "odom", 7.0, "/odom"),
        ("transforms", &["odom", "odom base_link", "map odom"], "map", 3.0, "/tf, /odom"),
        ("footprint", &["odom", "odom base_footprint"], "odom", 1.0, "/tf, /odom"),
        ("joints only", &["odom", "base_link arm"], "odom", 7.0, "/tf, /odom"),
        ("nothing", &[], "", 0.0, ""),
    ];
    for (name, topics, frame, x, poses) in cases {
        let place = Place::new();
        let said = messages(DATED, |at| {
            topics
                .iter()
                .map(|one| match one.split_once(' ') {
                    None => odometry(at, 7.0),
                    Some(("map", child)) => transform(at, "map", child, 2.0),
                    Some((parent, child)) => transform(at, parent, child, 1.0),
                })
                .collect()
        });
        let bag = bag_of(&place, "drive", said);
        let report = place.import(&bag, &[]).json();
        assert_eq!(report["poses"], poses, "{name}");
        assert_eq!(report["notes"], json!([]), "{name}");
        let spatial = spatial(&place);
        if poses.is_empty() {
            assert_eq!(spatial, Value::Null, "{name}");
        } else {
            assert_eq!(spatial["frame"], frame, "{name}");
            assert_eq!(spatial["robot_position"], json!([x, 0.0, 0.0]), "{name}");
        }
    }
}

#[test]
fn a_pose_is_added_when_a_bag_is_imported_again() {
    let place = Place::new();
    let bag = bag_of(&place, "drive", messages(DATED, |at| vec![odometry(at, 4.0)]));
    let parameters = place
        .written("none.yaml", "/**:\n  ros__parameters:\n    pose_topic: ''\n    streams: auto\n");
    let parameters = parameters.to_str().expect("UTF-8");
    let first = place.import(&bag, &["--params-file", parameters]).json();
    assert_eq!((&first["stored"], &first["placed"]), (&json!(1), &json!(0)));
    assert_eq!(spatial(&place), Value::Null);
    let again = place.import(&bag, &[]).json();
    assert_eq!(
        (&again["stored"], &again["known"], &again["placed"]),
        (&json!(0), &json!(1), &json!(1))
    );
    assert_eq!(spatial(&place)["robot_position"], json!([4.0, 0.0, 0.0]));
    let third = place.import(&bag, &[]).json();
    assert_eq!(third["placed"], 0);
}

#[test]
fn what_shows_a_simulation_is_told() {
    let none = |_| Vec::new();
    let late = 100 * SECOND;
    let cases: [(&str, Vec<ClipMessage>, &str, &str); 4] = [
        ("a date", messages(DATED, none), "real", "nothing in it is of a simulation"),
        ("log times", messages(late, none), "sim", "its times begin at 100 s, on no date"),
        (
            "stamps",
            messages(DATED, |at| {
                let stamped = odometry(at - DATED + 5 * SECOND, 1.0);
                vec![ClipMessage { received: robot_memory_core::model::Stamp(at), ..stamped }]
            }),
            "sim",
            "its stamps begin at 5.0 s, on no date",
        ),
        (
            "a simulator",
            messages(DATED, |at| {
                vec![message("/gazebo/link", "std_msgs/msg/Bool", at, &[0, 1, 0, 0, 0])]
            }),
            "sim",
            "it has /gazebo/link",
        ),
    ];
    for (name, said, expected, why) in cases {
        let place = Place::new();
        let bag = bag_of(&place, "bag", said);
        let report = place.import(&bag, &["--dry-run"]).lines();
        let report = report.last().expect("a report");
        assert_eq!(report["sim_or_real"], expected, "{name}");
        assert_eq!(report["sim_or_real_why"], why, "{name}");
        let report = place.import(&bag, &["--sim-or-real", "real"]).json();
        assert_eq!(report["sim_or_real"], "real", "{name}");
        assert_eq!(report["sim_or_real_why"], "given by sim_or_real", "{name}");
    }
}
