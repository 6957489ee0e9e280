//! A store with something for each view of the page: three weeks of a robot that grips, inserts and docks.

use crate::robot::Robot;
use crate::scope_work::{do_jobs, get, note, with_workers};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robot_memory_core::api::{
    Backup, BackupRequest, BeginAttempt, BeginAttemptRequest, EndAttempt, EndAttemptRequest, Learn,
    LearnRequest, RunMaintenance, RunMaintenanceRequest, SavePerception, SavePerceptionRequest,
    Update, UpdateRequest,
};
use robot_memory_core::model::{Stamp, Status};
use robot_memory_perception::{Image, ImageFormat, picture};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// What of it the tests name.
pub struct Filled {
    pub robot: Robot,
    pub folder: Arc<TempDir>,
    /// A fact that contradicts another one.
    pub older: i64,
    pub newer: i64,
    /// Was corrected once.
    pub corrected: i64,
    /// Has a picture.
    pub keyframe: i64,
    /// Has a window of samples.
    pub contact: i64,
    /// Has faded, and is archived.
    pub archived: i64,
}

/// The store, which ends a minute ago.
pub fn filled() -> Filled {
    let folder = Arc::new(TempDir::new().expect("a temporary folder"));
    let robot = Robot::at(Arc::clone(&folder), with_workers);
    robot.plug_in_embedder();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let begin = Stamp::from_secs(now as i64 - 60).plus_days(-21.0);
    robot.clock.set(begin.plus_days(-120.0));
    let archived = note(&robot, "global", "", "Tray 3 was carried to the door");
    robot.clock.set(begin);
    limits(&robot);
    let corrected = learn(&robot, "The charger is behind the green door", "");
    attempts(&robot);
    robot.call::<Update>(UpdateRequest {
        memory_id: corrected,
        new_content: "The charger is left of the green door".into(),
        ..Default::default()
    });
    let older = preference(&robot, "Use 12 N for the blue cup");
    robot.sleep_days(1.0);
    let newer = learn(&robot, "Use 10 N for the blue cup", "");
    robot.engine.upkeep().expect("upkeep");
    robot.call::<Backup>(BackupRequest::default());
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        mode: "weekly".into(),
        ..Default::default()
    });
    do_jobs(&robot);
    assert_eq!(get(&robot, archived).memory.status, Status::Archived);
    let (keyframe, contact) = events(&robot);
    robot.engine.upkeep().expect("upkeep");
    Filled { robot, folder, older, newer, corrected, keyframe, contact, archived }
}

fn learn(robot: &Robot, insight: &str, context: &str) -> i64 {
    let learned = robot.call::<Learn>(LearnRequest {
        insight: insight.into(),
        context: context.into(),
        ..Default::default()
    });
    assert!(learned.memory_id > 0, "{insight}");
    robot.clock.set(Stamp(robot.clock_now().0 + 61_000_000_000));
    learned.memory_id
}

fn preference(robot: &Robot, insight: &str) -> i64 {
    let mem_type = "preference".into();
    let request = LearnRequest { insight: insight.into(), mem_type, ..Default::default() };
    robot.call::<Learn>(request).memory_id
}

fn limits(robot: &Robot) {
    for (insight, position) in [
        ("Never grip the wine glass with more than 5 N", Some([2.1, 3.4, 0.9])),
        ("The arm must not move faster than 0.25 m/s beside people", None),
        ("The mug must not be lifted with more than 14 N", Some([2.6, 3.1, 0.9])),
        ("Do not open the lab door while the fan is on", Some([6.8, 1.2, 1.0])),
        ("The payload must not exceed 3 kg", None),
    ] {
        let spatial = position.map(
            |at| json!({"spatial": {"frame": "map", "map_id": "hall", "object_position": at}}),
        );
        learn(robot, insight, &spatial.map_or_else(String::new, |it| it.to_string()));
    }
    for insight in [
        "Anna prefers tea in the afternoon",
        "The batteries are in the box under the window",
        "Because the floor was wet the wheel slipped near the lab door",
        "We decided to dock before the charge falls below 20 %",
        "The left camera needs 3 s to warm up",
        "红色的杯子在厨房的架子上",
    ] {
        learn(robot, insight, "");
    }
}

/// Attempts at three tasks, of which one fails above a force.
fn attempts(robot: &Robot) {
    let forces = [8.0, 14.0, 9.0, 15.0, 10.0, 16.0, 11.0, 14.5, 12.0, 15.5, 9.5, 16.5, 10.5, 11.5];
    for (step, force) in forces.into_iter().enumerate() {
        let round = step as f64;
        let at = [2.0 + (round * 0.9).sin(), 3.0 + (round * 0.7).cos() * 0.8, 0.9];
        attempt(robot, "grip", "glass cup", json!({ "force_n": force }), at, force <= 13.0);
        if step % 2 == 0 {
            let at = [6.0 + (round * 0.5).cos() * 0.4, 1.5, 0.7];
            attempt(robot, "insert", "M8 bolt", json!({ "depth_mm": 12.0 }), at, step % 6 != 4);
        }
        if step % 3 == 0 {
            attempt(robot, "dock", "charger", json!({}), [0.4, 0.3, 0.0], true);
        }
        robot.sleep_days(1.3);
    }
}

fn attempt(robot: &Robot, task: &str, object: &str, params: Value, at: [f64; 3], is_success: bool) {
    let spatial = json!({"spatial": {"frame": "map", "map_id": "hall", "object_position": at}});
    let attempt_id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: task.into(),
            object: object.into(),
            params: params.to_string(),
            context: spatial.to_string(),
            ..Default::default()
        })
        .attempt_id;
    robot.clock.set(Stamp(robot.clock_now().0 + 9_000_000_000));
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id,
        outcome: if is_success { "success" } else { "failure" }.into(),
        reason: if is_success { "" } else { "it slipped out of the gripper" }.into(),
        ..Default::default()
    });
}

/// What sensors felt in the last minutes: the ids of a keyframe and of a contact.
fn events(robot: &Robot) -> (i64, i64) {
    let (mut keyframe, mut contact) = (0, 0);
    for round in 0..4 {
        let place = [1.5 + f64::from(round), 2.0 + f64::from(round % 2), 0.0];
        let spatial = json!({"frame": "map", "map_id": if round == 3 { "lab" } else { "hall" },
            "robot_position": place});
        let save =
            |description: &str, perception_type: &str, trigger: &str, stream: &str, data: Value| {
                let context = json!({"spatial": spatial,
                "event": {"id": format!("e{round}"), "trigger": trigger, "stream": stream}});
                let request = SavePerceptionRequest {
                    description: description.into(),
                    perception_type: perception_type.into(),
                    context: context.to_string(),
                    data: data.to_string(),
                    ..Default::default()
                };
                let id = robot.call::<SavePerception>(request).memory_id;
                robot.clock.set(Stamp(robot.clock_now().0 + 3_400_000_000));
                id
            };
        save(
            "arm moved 3.4 s, mostly elbow_joint by 0.82 rad, peak 1.1 rad/s",
            "proprioceptive",
            "motion",
            "arm",
            json!({}),
        );
        keyframe = save(
            "camera front: new view (difference 0.34)",
            "visual",
            "keyframe",
            "camera front",
            json!({"image": {"width": 160, "height": 120, "thumbnail_jpeg": scene(round)}}),
        );
        contact = save(
            "contact on wrist force, peak 23.4 N at 1.2 s, released after 3.1 s; arm moving",
            "tactile",
            "contact",
            "wrist force",
            wrench(f64::from(round)),
        );
        save(
            "slip felt on left finger tactile sensor, force down by 35 %",
            "tactile",
            "slip",
            "left finger",
            json!({"states": [{"stream": "stop", "topic": "/stop", "values": [[-2.0, false], [0.5, true]]}]}),
        );
        robot.clock.set(Stamp(robot.clock_now().0 + 400_000_000_000));
    }
    (keyframe, contact)
}

/// A window of a force sensor: a touch and a release.
fn wrench(round: f64) -> Value {
    let times: Vec<f64> = (-50..150).map(|step| f64::from(step) * 0.02).collect();
    let values: Vec<Value> = times
        .iter()
        .map(|t| {
            let touch = if (0.0..2.0).contains(t) { (t * 1.6).sin().max(0.0) } else { 0.0 };
            let noise = (t * 97.0 + round).sin() * 0.4;
            json!([noise, touch * 4.0 + noise, -9.0 - touch * 14.0 + noise, 0.0, touch * 0.2, 0.0])
        })
        .collect();
    json!({"series": [{
        "stream": "wrist/wrench", "topic": "/wrist/wrench", "kind": "wrench",
        "channels": ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"],
        "units": ["N", "N", "N", "N m", "N m", "N m"], "t": times, "values": values,
    }]})
}

/// A JPEG of a table with a cup on it, in base64.
fn scene(round: i32) -> String {
    let (width, height) = (160_i32, 120_i32);
    let mut bytes = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let (dx, dy) = (x - 60 - round * 14, y - 62);
            let color = if dx * dx + dy * dy * 2 < 420 {
                [40 + dx.unsigned_abs() as u8 * 3, 90, 190]
            } else if y > 74 {
                [150 - (y / 2) as u8, 110 - (y / 3) as u8, 70]
            } else {
                [205 - (y / 2) as u8, 210 - (y / 2) as u8, 214 - (x / 6) as u8]
            };
            bytes.extend(color);
        }
    }
    let format = ImageFormat::Raw {
        encoding: "rgb8".into(),
        width: width as u32,
        height: height as u32,
        step: 3 * width as u32,
        is_bigendian: false,
    };
    let image = Image { format, bytes: 0..bytes.len() };
    BASE64_STANDARD.encode(picture::thumbnail(&image, &bytes, 16_384).expect("it fits"))
}

/// Adds so many perceptions of other days.
pub fn fill_up(robot: &Robot, rows: usize) {
    const BATCH: usize = 500;
    for batch in 0..rows.div_ceil(BATCH) {
        let requests = (0..BATCH).map(|at| {
            let number = batch * BATCH + at;
            let (x, y) = ((number % 97) as f64 * 0.1, (number % 61) as f64 * 0.1);
            let task = ["carry", "wipe", "open"][number % 3];
            let context = json!({
                "task": {"name": task, "success": !number.is_multiple_of(7)},
                "spatial": {"frame": "map", "map_id": "hall", "object_position": [x, y, 0.0]},
            });
            SavePerceptionRequest {
                description: format!(
                    "carried box {number} from shelf {} to bench {}",
                    number % 211,
                    number % 17
                ),
                context: context.to_string(),
                ..Default::default()
            }
        });
        for answer in robot.engine.save_perceptions(requests.collect()).expect("a batch") {
            answer.expect("it is stored");
        }
        robot.sleep_days(0.01);
    }
}
