//! The robot's camera, and its detector.

use super::random::SplitMix64;
use super::things::{Building, KINDS, ROOM_M, origin};
use robot_memory_core::model::Stamp;
use robot_memory_perception::objects::{Detection, Viewpoint};
use std::f64::consts::{PI, TAU};

/// The robot drives round the middle of a room, m.
const CIRCLE_M: f64 = 1.2;
const HEIGHT_M: f64 = 1.1;
/// What the camera sees: half of its angles, and distances.
const HALF_ACROSS: f64 = PI / 4.0;
const HALF_UP: f64 = 35.0 * PI / 180.0;
const RANGE_M: (f64, f64) = (0.4, 6.0);
/// Standard deviation of a detection along each axis: near, and its growth with the distance.
const NOISE: (f64, f64) = (0.02, 0.015);
/// The robot's pose is off by so much, and another way after so long.
const POSE_M: f64 = 0.04;
const POSE_RAD: f64 = 0.5 * PI / 180.0;
const POSE_SECS: f64 = 20.0;
/// Shares of detections with another label; of frames with something that is not there; of rooms with
/// something that is not there for some frames, and with somebody in the way.
const MISLABELED: f64 = 0.05;
const FALSE: f64 = 0.1;
const FLICKER: f64 = 0.2;
const SOMEBODY: f64 = 0.5;
/// Seconds that somebody stands in the way, and how wide, to each side.
const SOMEBODY_SECS: f64 = 3.0;
const SOMEBODY_RAD: f64 = 8.0 * PI / 180.0;

/// What the detector said, and of which thing.
pub struct Frame {
    pub viewpoint: Viewpoint,
    pub detections: Vec<Detection>,
    /// The thing of each detection; `None`: of none.
    pub things: Vec<Option<usize>>,
}

pub struct Camera {
    rate_hz: f64,
    /// Error of x, y and heading.
    drift: [f64; 3],
    /// What is not there: where, of which kind, from which share of the stay, for how much of it.
    flicker: Option<([f64; 3], usize, f64, f64)>,
    /// Somebody: in which direction from the middle, and since which share of the stay.
    somebody: Option<(f64, f64)>,
}

impl Camera {
    pub fn new(rate_hz: f64) -> Self {
        Self { rate_hz, drift: [0.0; 3], flicker: None, somebody: None }
    }

    pub fn enter(&mut self, room: usize, random: &mut SplitMix64) {
        let corner = origin(room);
        let place = [
            corner[0] + random.between(0.3, ROOM_M - 0.3, 6),
            corner[1] + random.between(0.3, ROOM_M - 0.3, 6),
            random.between(0.1, 1.8, 6),
        ];
        let kind = random.below(KINDS);
        let (since, long) = (random.between(0.0, 1.0, 6), random.between(0.007, 0.025, 6));
        self.flicker = chance(random, FLICKER).then_some((place, kind, since, long));
        let (toward, since) = (random.between(-PI, PI, 6), random.between(0.0, 0.8, 6));
        self.somebody = chance(random, SOMEBODY).then_some((toward, since));
    }

    pub fn frame(
        &mut self,
        building: &Building,
        room: usize,
        share: f64,
        now_secs: f64,
        random: &mut SplitMix64,
    ) -> Frame {
        let around = TAU * share;
        let corner = origin(room);
        let robot = [
            corner[0] + ROOM_M / 2.0 + CIRCLE_M * around.cos(),
            corner[1] + ROOM_M / 2.0 + CIRCLE_M * around.sin(),
        ];
        let heading = 2.0 * around + f64::from(u8::from(room % 2 == 1)) * PI;
        self.drift(random);
        let mut frame = Frame {
            viewpoint: self.viewpoint(robot, heading, now_secs),
            detections: Vec::new(),
            things: Vec::new(),
        };
        for id in &building.per_room[room] {
            let thing = &building.things[*id];
            let Some(at) = in_camera(robot, heading, thing.at).filter(|_| thing.is_there) else {
                continue;
            };
            if !self.is_hidden(thing.at, robot, share) && chance(random, thing.shown) {
                frame.add(at, thing.kind, Some(*id), random);
            }
        }
        if let Some((place, kind, since, long)) = self.flicker
            && (since..since + long).contains(&share)
            && let Some(at) = in_camera(robot, heading, place)
        {
            frame.add(at, kind, None, random);
        }
        if chance(random, FALSE) {
            let deep = random.between(RANGE_M.0, RANGE_M.1, 6);
            let at =
                [deep * random.between(-0.9, 0.9, 6), deep * random.between(-0.6, 0.6, 6), deep];
            let kind = random.below(KINDS);
            frame.add(at, kind, None, random);
        }
        frame
    }

    /// Lets the pose's error wander (Ornstein-Uhlenbeck).
    fn drift(&mut self, random: &mut SplitMix64) {
        let step = 1.0 / (self.rate_hz * POSE_SECS);
        for (error, sigma) in self.drift.iter_mut().zip([POSE_M, POSE_M, POSE_RAD]) {
            *error += -*error * step + sigma * (2.0 * step).sqrt() * normal(random);
        }
    }

    /// As the robot believes it.
    fn viewpoint(&self, robot: [f64; 2], heading: f64, now_secs: f64) -> Viewpoint {
        let at = [robot[0] + self.drift[0], robot[1] + self.drift[1], 0.0];
        // The optical frame: z ahead, x to the right, y down; then the heading.
        let half = (heading + self.drift[2]) / 2.0;
        let (sin, cos) = half.sin_cos();
        let turned = product([0.0, 0.0, sin, cos], [-0.5, 0.5, -0.5, 0.5]);
        Viewpoint {
            stamp: Stamp((now_secs * 1e9) as i64),
            topic: "/detections".into(),
            frame: "map".into(),
            map_id: "building".into(),
            sensor: Some(([at[0], at[1], HEIGHT_M], turned)),
            robot: at,
        }
    }

    fn is_hidden(&self, thing: [f64; 3], robot: [f64; 2], share: f64) -> bool {
        let Some((toward, since)) = self.somebody else { return false };
        let until = since + SOMEBODY_SECS / super::ROOM_SECS;
        let bearing = (thing[1] - robot[1]).atan2(thing[0] - robot[0]);
        let off = (bearing - toward + PI).rem_euclid(TAU) - PI;
        (since..until).contains(&share) && off.abs() < SOMEBODY_RAD
    }
}

impl Frame {
    fn add(&mut self, at: [f64; 3], kind: usize, thing: Option<usize>, random: &mut SplitMix64) {
        let far_m = at.iter().map(|it| it * it).sum::<f64>().sqrt();
        let sigma = NOISE.0 + NOISE.1 * far_m;
        let mut noisy = at;
        for axis in &mut noisy {
            *axis += sigma * normal(random);
        }
        let is_wrong = thing.is_some() && chance(random, MISLABELED);
        let kind = if is_wrong { random.below(KINDS) } else { kind };
        let score = random.between(0.5, 1.0, 3);
        self.detections.push(Detection {
            labels: vec![(format!("kind {kind}"), score)],
            position: Some(noisy),
            ..Detection::default()
        });
        self.things.push(thing);
    }
}

/// Where a place is in the camera's frame; `None`: it is not in the picture.
fn in_camera(robot: [f64; 2], heading: f64, place: [f64; 3]) -> Option<[f64; 3]> {
    let (sin, cos) = heading.sin_cos();
    let (x, y) = (place[0] - robot[0], place[1] - robot[1]);
    let (ahead, left, up) = (cos * x + sin * y, -sin * x + cos * y, place[2] - HEIGHT_M);
    let is_seen = (RANGE_M.0..RANGE_M.1).contains(&ahead)
        && left.abs() < ahead * HALF_ACROSS.tan()
        && up.abs() < ahead * HALF_UP.tan();
    is_seen.then_some([-left, -up, ahead])
}

fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn chance(random: &mut SplitMix64, share: f64) -> bool {
    random.between(0.0, 1.0, 9) < share
}

fn normal(random: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * random.between(1e-9, 1.0, 12).ln()).sqrt();
    radius * (TAU * random.between(0.0, 1.0, 12)).cos()
}
