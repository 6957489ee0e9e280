//! `~/markers`: where the newest memories are, for RViz and Foxglove.

use super::publish::{PublisherQos, publish};
use super::stop::Stop;
use super::streams::Streams;
use super::wire::text;
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Vector3};
use r2r::std_msgs::msg::{ColorRGBA, Header};
use r2r::visualization_msgs::msg::{Marker, MarkerArray};
use r2r::{Publisher, QosProfile};
use robot_memory_core::model::{Category, Kind, PerceptionType};
use robot_memory_engine::{Engine, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Between two messages, at least.
const PERIOD: Duration = Duration::from_secs(1);
/// Characters of a memory's text.
const TEXT_CHARS: usize = 40;
/// Memories with a text, when the robot's place is not known: more are not legible.
const TEXTS_MAX: usize = 20;
/// Memories farther from the robot have no text.
const TEXT_RADIUS_M: f64 = 4.0;
/// Height of the letters.
const TEXT_M: f64 = 0.1;
/// Diameter of a memory of no importance, and what it grows to the greatest.
const DIAMETER_M: f64 = 0.1;
const DIAMETER_GROWTH_M: f64 = 0.12;
/// Messages in which a memory that is gone is deleted: a subscriber may miss one.
const DELETED_TIMES: u32 = 5;

const ADD: i32 = Marker::ADD as i32;
const DELETE: i32 = Marker::DELETE as i32;
const DELETE_ALL: i32 = Marker::DELETEALL as i32;
const SPHERE: i32 = Marker::SPHERE as i32;
const TEXT: i32 = Marker::TEXT_VIEW_FACING as i32;

/// Where the robot is now.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RobotPlace {
    /// The frame of its pose.
    pub frame: String,
    /// x, y, z in that frame.
    pub position_m: [f64; 3],
}

/// Publishes where memories are.
#[derive(Clone)]
pub(super) struct Markers {
    publisher: Publisher<MarkerArray>,
    memories_max: usize,
}

impl Markers {
    /// Of at most so many memories; of this map, unless its name is empty.
    ///
    /// # Errors
    /// When there can be no such publisher.
    pub fn offer(
        node: &mut r2r::Node,
        overrides: &PublisherQos,
        memories_max: usize,
    ) -> r2r::Result<Self> {
        let qos = QosProfile::default().reliable().transient_local().keep_last(1);
        Ok(Self { publisher: overrides.create_publisher("~/markers", node, qos)?, memories_max })
    }

    /// Publishes what has changed until it is time to stop.
    pub fn run(&self, engine: &Engine, streams: Option<&Streams>, stop: &Stop) {
        let mut board = MarkerBoard::default();
        let mut places = Vec::new();
        let mut revision = None;
        let mut last_map_id = None;
        loop {
            let map_id = engine.map_id().unwrap_or_default();
            let is_moved = last_map_id.as_ref() != Some(&map_id);
            let now = engine.revision().filter(|_| !is_moved);
            if now.is_none() || now != revision {
                match engine.places(self.memories_max, &map_id) {
                    Ok(found) => {
                        places = found;
                        (revision, last_map_id) = (now, Some(map_id));
                    }
                    Err(error) => {
                        log::debug!("~/markers: {error}");
                        if is_moved {
                            // Those of the former map would show places that are not there.
                            places.clear();
                        }
                    }
                }
            }
            let robot = streams.and_then(Streams::robot);
            if let Some(markers) = board.show(markers(&places, robot.as_ref())) {
                publish(&self.publisher, "~/markers", &MarkerArray { markers });
            }
            if stop.wait(PERIOD) {
                return;
            }
        }
    }
}

/// A sphere for each memory, and a text above those that are near.
fn markers(places: &[Place], robot: Option<&RobotPlace>) -> Vec<Marker> {
    let mut markers = Vec::with_capacity(places.len() + TEXTS_MAX);
    let mut texts = Vec::new();
    for (number, place) in places.iter().enumerate() {
        let sphere = sphere(place);
        let has_text = match robot {
            Some(robot) => is_near(place, robot),
            None => number < TEXTS_MAX,
        };
        if has_text {
            texts.push(label(place, &sphere));
        }
        markers.push(sphere);
    }
    markers.append(&mut texts);
    markers
}

fn is_near(place: &Place, robot: &RobotPlace) -> bool {
    let square = |i: usize| (place.position_m[i] - robot.position_m[i]).powi(2);
    frame(&place.frame) == frame(&robot.frame)
        && (0..3).map(square).sum::<f64>() <= TEXT_RADIUS_M * TEXT_RADIUS_M
}

fn sphere(place: &Place) -> Marker {
    let memory = &place.memory;
    let diameter = DIAMETER_M + DIAMETER_GROWTH_M * memory.importance.clamp(0.0, 1.0);
    let [x, y, z] = place.position_m;
    Marker {
        // Of no time: it is shown where the frame is now.
        header: Header { frame_id: text(frame(&place.frame)), ..Default::default() },
        ns: text(namespace(&memory.session_id)),
        id: marker_id(memory.id),
        type_: SPHERE,
        action: ADD,
        pose: Pose {
            position: Point { x, y, z },
            orientation: Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 1.0 },
        },
        scale: Vector3 { x: diameter, y: diameter, z: diameter },
        color: color(memory.kind, memory.category, memory.perception_type),
        frame_locked: true,
        ..Default::default()
    }
}

/// The text above a sphere, in a namespace of its own, so that texts can be switched off.
fn label(place: &Place, sphere: &Marker) -> Marker {
    let mut pose = sphere.pose.clone();
    pose.position.z += sphere.scale.z / 2.0 + TEXT_M;
    Marker {
        ns: format!("{} text", sphere.ns),
        type_: TEXT,
        pose,
        scale: Vector3 { x: 0.0, y: 0.0, z: TEXT_M },
        color: rgb(1.0, 1.0, 1.0),
        text: text(shortened(&place.memory.human_summary)),
        ..sphere.clone()
    }
}

/// A frame's name as tf2 takes it.
fn frame(frame: &str) -> &str {
    match frame.trim_start_matches('/') {
        "" => "map",
        name => name,
    }
}

fn namespace(session_id: &str) -> String {
    if session_id.is_empty() {
        return "no session".to_owned();
    }
    format!("session {}", session_id.chars().take(8).collect::<String>())
}

/// The lowest 31 bits: ids ascend from 1, and those of one message lie close together.
fn marker_id(memory_id: i64) -> i32 {
    (memory_id & i64::from(i32::MAX)) as i32
}

/// One line of at most [`TEXT_CHARS`] characters.
fn shortened(summary: &str) -> String {
    let line: String = summary.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= TEXT_CHARS {
        return line;
    }
    let mut short: String = line.chars().take(TEXT_CHARS - 1).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// Colors that are told apart also by those who confuse red and green (after Okabe and Ito, 2008).
fn color(kind: Kind, category: Option<Category>, sense: Option<PerceptionType>) -> ColorRGBA {
    match (kind, category, sense) {
        (Kind::Perception, _, Some(PerceptionType::Visual)) => rgb(0.34, 0.71, 0.91),
        (Kind::Perception, _, Some(PerceptionType::Tactile)) => rgb(0.84, 0.37, 0.0),
        (Kind::Perception, _, Some(PerceptionType::Auditory)) => rgb(0.8, 0.47, 0.65),
        (Kind::Perception, _, Some(PerceptionType::Proprioceptive)) => rgb(0.0, 0.62, 0.45),
        (Kind::Perception, _, Some(PerceptionType::Procedural) | None) => rgb(0.0, 0.45, 0.7),
        (
            _,
            Some(
                Category::Constraint
                | Category::Gotcha
                | Category::Postmortem
                | Category::RootCause,
            ),
            _,
        ) => rgb(0.94, 0.89, 0.26),
        (_, Some(Category::Decision | Category::Tradeoff | Category::Pattern), _) => {
            rgb(0.9, 0.62, 0.0)
        }
        (_, Some(Category::Preference | Category::Worldview), _) => rgb(0.6, 0.5, 0.9),
        (_, Some(Category::Observation | Category::Code) | None, _) => rgb(0.8, 0.8, 0.8),
    }
}

fn rgb(r: f32, g: f32, b: f32) -> ColorRGBA {
    ColorRGBA { r, g, b, a: 0.9 }
}

/// What a marker is told apart by.
type Key = (String, i32);

/// What is shown, and what is to be taken away.
#[derive(Default)]
struct MarkerBoard {
    shown: Option<Vec<Marker>>,
    /// With the frame they were in, and in how many messages they are still deleted.
    gone: BTreeMap<Key, (String, u32)>,
}

impl MarkerBoard {
    /// The message that shows these markers and no others; `None` when they are shown already.
    ///
    /// Each message is whole, since who subscribes later gets only the last one.
    fn show(&mut self, markers: Vec<Marker>) -> Option<Vec<Marker>> {
        if self.shown.as_ref() == Some(&markers) {
            return None;
        }
        let keys: BTreeSet<Key> = markers.iter().map(key).collect();
        for (_, times) in self.gone.values_mut() {
            *times -= 1;
        }
        self.gone.retain(|key, (_, times)| *times > 0 && !keys.contains(key));
        let mut message = Vec::with_capacity(1 + self.gone.len() + markers.len());
        match &self.shown {
            // What an earlier run of the node left.
            None => message.push(Marker { action: DELETE_ALL, ..Default::default() }),
            Some(shown) => {
                for marker in shown.iter().filter(|marker| !keys.contains(&key(marker))) {
                    let frame = marker.header.frame_id.clone();
                    self.gone.insert(key(marker), (frame, DELETED_TIMES));
                }
            }
        }
        message.extend(self.gone.iter().map(|((ns, id), (frame, _))| Marker {
            header: Header { frame_id: frame.clone(), ..Default::default() },
            ns: ns.clone(),
            id: *id,
            action: DELETE,
            ..Default::default()
        }));
        message.extend(markers.iter().cloned());
        self.shown = Some(markers);
        Some(message)
    }
}

fn key(marker: &Marker) -> Key {
    (marker.ns.clone(), marker.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::ros::wire::tests::hit;

    fn place(id: i64, x: f64, frame: &str) -> Place {
        let mut memory = hit("a trap", "").memory;
        memory.id = id;
        memory.session_id = String::new();
        Place {
            memory,
            position_m: [x, 0.0, 0.0],
            is_object: false,
            frame: frame.into(),
            map_id: "hall".into(),
        }
    }

    fn ids(markers: &[Marker], kind: i32) -> Vec<i32> {
        markers.iter().filter(|marker| marker.type_ == kind).map(|marker| marker.id).collect()
    }

    #[test]
    fn near_memories_have_a_text_when_the_robot_is_somewhere() {
        let places =
            [place(4, 3.9, "/map"), place(3, 4.1, "map"), place(2, 0.0, "odom"), place(1, 1.0, "")];
        let robot = RobotPlace { frame: "map".into(), position_m: [0.0; 3] };
        let with_robot = markers(&places, Some(&robot));
        assert_eq!(
            (ids(&with_robot, SPHERE), ids(&with_robot, TEXT)),
            (vec![4, 3, 2, 1], vec![4, 1])
        );
        let many: Vec<Place> = (0..30).rev().map(|id| place(id, 0.0, "map")).collect();
        let without = markers(&many, None);
        assert_eq!(ids(&without, SPHERE).len(), 30);
        assert_eq!(ids(&without, TEXT), (10..30).rev().collect::<Vec<_>>());
    }

    #[test]
    fn a_text_is_one_short_line() {
        let cases = [
            ("short\nand plain", "short and plain"),
            (
                "1234567890123456789012345678901234567890",
                "1234567890123456789012345678901234567890",
            ),
            (
                "12345678901234567890123456789012345678 0 1",
                "12345678901234567890123456789012345678…",
            ),
            (
                "杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边",
                "杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水槽旁边杯子在水…",
            ),
        ];
        for (summary, text) in cases {
            assert_eq!(shortened(summary), text);
        }
    }

    #[test]
    fn names_of_frames_and_sessions_and_ids_fit_their_fields() {
        assert_eq!(["/map", "", "a/b", "//x"].map(frame), ["map", "map", "a/b", "x"]);
        assert_eq!(namespace("0123456789"), "session 01234567");
        assert_eq!([1, 1 << 31, (1 << 31) + 5, i64::MAX].map(marker_id), [1, 0, 5, i32::MAX]);
    }

    #[test]
    fn a_message_is_whole_and_what_is_gone_is_deleted_some_times() {
        let of = |ids: &[i64]| {
            let places: Vec<Place> = ids.iter().map(|id| place(*id, 0.0, "odom")).collect();
            markers(&places, None)
        };
        let actions = |message: Option<Vec<Marker>>| {
            let mut actions: Vec<(i32, i32)> = message
                .unwrap_or_default()
                .iter()
                .filter(|marker| !marker.ns.ends_with(" text"))
                .map(|marker| (marker.action, marker.id))
                .collect();
            actions.sort_unstable();
            actions
        };
        let mut board = MarkerBoard::default();
        assert_eq!(actions(board.show(of(&[1, 2]))), [(ADD, 1), (ADD, 2), (DELETE_ALL, 0)]);
        assert_eq!(board.show(of(&[1, 2])), None);
        assert_eq!(actions(board.show(of(&[2]))), [(ADD, 2), (DELETE, 1)]);
        assert_eq!(actions(board.show(of(&[2, 3]))), [(ADD, 2), (ADD, 3), (DELETE, 1)]);
        // It is there again.
        assert_eq!(actions(board.show(of(&[1, 2]))), [(ADD, 1), (ADD, 2), (DELETE, 3)]);
        for id in 10..14 {
            assert!(actions(board.show(of(&[id]))).contains(&(DELETE, 3)), "{id}");
        }
        assert!(!actions(board.show(of(&[20]))).contains(&(DELETE, 3)));
    }

    #[test]
    fn every_kind_of_memory_has_a_color_and_the_senses_have_their_own() {
        let colors: BTreeSet<String> = PerceptionType::ALL
            .iter()
            .map(|sense| format!("{:?}", color(Kind::Perception, None, Some(*sense))))
            .chain([format!("{:?}", color(Kind::Fact, Some(Category::Constraint), None))])
            .collect();
        assert_eq!(colors.len(), PerceptionType::ALL.len() + 1);
    }
}
