//! How each stream is doing, as the threads say it and diagnostics show it.

use super::inbox::place;
use robot_memory_engine::FrameTransform;
use robot_memory_perception::{FrameTree, Placed, Source, StreamCounts};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the thread that hears knows of a topic.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::faces::ros) struct SubscriptionStatus {
    /// In full.
    pub topic: String,
    /// Why nothing can be heard yet; empty when it can.
    pub waits_for: String,
    /// Whether nobody publishes it any more, and nobody named it.
    pub has_gone: bool,
    /// Who is not heard, and why; empty when all are.
    pub unheard: String,
    /// Empty until it is known.
    pub type_name: String,
    /// `reliable, volatile, keep last 1000`; empty until there is a subscription.
    pub qos: String,
    /// Messages taken from the middleware.
    pub received_count: u64,
    /// Messages that were published and did not come, by their numbers.
    pub lost_count: u64,
    /// Messages that were dropped since too many waited in the inbox.
    pub dropped_count: u64,
    /// Messages from before the first one on `/clock`.
    pub untimed_count: u64,
    /// Messages that came between two of `/clock`, of which the first has its time.
    pub between_count: u64,
    /// When the last were found to be lost or dropped.
    pub lost_last: Option<Instant>,
    /// Messages a second, over the last second or longer.
    pub rate_hz: f64,
}

/// How a stream, or the source of poses, is doing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::faces::ros) struct StreamStatus {
    pub name: String,
    pub subscription: SubscriptionStatus,
    /// Why no events can be made of its messages; empty when they can.
    pub not_understood: String,
    /// Why most of its messages are of no use; empty when they are not.
    pub useless: String,
    /// What became of the messages.
    pub counts: Option<StreamCounts>,
    /// Events that became memories.
    pub saved_count: u64,
    /// Events that were memories already.
    pub known_count: u64,
    /// Events that were not stored, since the store could not take them or too many waited.
    pub unsaved_count: u64,
    /// Events that hold what is never stored.
    pub secret_count: u64,
    /// Clips that were not written since their messages hold what is never stored.
    pub secret_clip_count: u64,
}

/// The status of all streams, shared by the threads that change it and those that report it.
#[derive(Clone, Default)]
pub(super) struct StreamStatusRegistry(Arc<Mutex<StreamStatuses>>);

/// The status of each stream, and where the robot is.
#[derive(Default)]
struct StreamStatuses {
    /// By the sources' places.
    streams: BTreeMap<usize, StreamStatus>,
    /// And when that was told.
    robot: Option<(Placed, Instant)>,
    /// Where the robot was when it was farther away last.
    anchor: Option<Anchor>,
    usage: Usage,
    frames: FrameTree,
    /// The map that the robot is in; empty: not known.
    map_id: String,
    /// Who does not receive what the node publishes, and why.
    unserved: Vec<String>,
}

/// What a robot has used since the node began.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::faces::ros) struct Usage {
    /// Of the battery now, percent; `None`: not known.
    pub charge_percent: Option<f64>,
    /// The way it went, as far as its pose tells.
    pub travelled_m: f64,
}

/// Meters of a pose that are no way: those of a robot that stands still jitter.
const STEP_M_MIN: f64 = 0.05;
/// Meters from one pose to the next, about a second later, beyond which the robot was found elsewhere and did
/// not go.
const STEP_M_MAX: f64 = 5.0;

/// From where the way of a robot is measured.
#[derive(Debug, Clone, PartialEq)]
struct Anchor {
    frame: String,
    map_id: String,
    position: [f64; 3],
}

impl Anchor {
    /// The way from a former one, and from where it is measured next.
    fn follow(former: Option<Self>, robot: &Placed) -> (f64, Self) {
        let Placed { position, frame, map_id, .. } = robot;
        let here = Self { frame: frame.clone(), map_id: map_id.clone(), position: *position };
        let of_same = former.filter(|former| former.frame == *frame && former.map_id == *map_id);
        let Some(former) = of_same else { return (0.0, here) };
        let squares = former.position.iter().zip(position).map(|(from, to)| (to - from).powi(2));
        match squares.sum::<f64>().sqrt() {
            way if way < STEP_M_MIN => (0.0, former),
            way if way > STEP_M_MAX => (0.0, here),
            way => (way, here),
        }
    }
}

impl StreamStatusRegistry {
    /// Changes what is known of one of them.
    pub fn change(&self, source: Source, change: impl FnOnce(&mut StreamStatus)) {
        change(self.lock().streams.entry(place(source)).or_default());
    }

    /// The same, of the stream of this name.
    pub fn change_named(&self, name: &str, change: impl FnOnce(&mut StreamStatus)) {
        if let Some(status) = self.lock().streams.values_mut().find(|status| status.name == name) {
            change(status);
        }
    }

    /// Notes who does not receive what the node publishes; logs whom that is new of.
    pub fn set_unserved(&self, unserved: Vec<String>) {
        let mut statuses = self.lock();
        for one in unserved.iter().filter(|one| !statuses.unserved.contains(one)) {
            log::warn!("{one}");
        }
        statuses.unserved = unserved;
    }

    /// Who does not receive what the node publishes, and why.
    pub fn unserved(&self) -> Vec<String> {
        self.lock().unserved.clone()
    }

    /// Notes that none of them is heard any more.
    pub fn fail(&self, reason: &str) {
        for status in self.lock().streams.values_mut() {
            status.not_understood = format!("topics are no longer received: {reason}");
        }
    }

    /// The names of the streams, by their index.
    pub fn stream_names(&self) -> Vec<String> {
        let first = place(Source::Stream(0));
        self.lock().streams.range(first..).map(|(_, status)| status.name.clone()).collect()
    }

    /// All of them: poses, then the streams in their order.
    pub fn all(&self) -> Vec<StreamStatus> {
        self.lock().streams.values().cloned().collect()
    }

    /// Where the robot is, if that is known.
    pub fn robot(&self) -> Option<Placed> {
        self.lock().robot.as_ref().map(|(placed, _)| placed.clone())
    }

    /// The same, when it was told at most so long ago.
    pub fn placed(&self, age_max: Duration) -> Option<Placed> {
        let statuses = self.lock();
        let (placed, at) = statuses.robot.as_ref()?;
        (at.elapsed() <= age_max).then(|| placed.clone())
    }

    /// Notes where the robot is; one that stands still may not say it again, and is where it was.
    pub fn set_robot(&self, robot: Option<Placed>) {
        if let Some(robot) = robot {
            let mut statuses = self.lock();
            let (way, anchor) = Anchor::follow(statuses.anchor.take(), &robot);
            statuses.usage.travelled_m += way;
            statuses.anchor = Some(anchor);
            statuses.robot = Some((robot, Instant::now()));
        }
    }

    /// Notes where frames are, and which map the robot is in.
    pub fn set_frames(&self, frames: FrameTree, map_id: &str) {
        let mut statuses = self.lock();
        statuses.frames = frames;
        map_id.clone_into(&mut statuses.map_id);
    }

    /// The map that the robot is in; empty: not known.
    pub fn map_id(&self) -> String {
        self.lock().map_id.clone()
    }

    /// Where the frame `from` is in the frame `to`.
    pub fn transform(&self, from: &str, to: &str) -> Option<FrameTransform> {
        let statuses = self.lock();
        let (translation_m, rotation) = statuses.frames.between(to, from)?;
        // Odometry begins where the robot is when it is first told.
        let since = statuses.frames.since(to, from);
        Some(FrameTransform { translation_m, rotation, since })
    }

    /// Notes the charge of the battery.
    pub fn set_charge(&self, charge_percent: Option<f64>) {
        self.lock().usage.charge_percent = charge_percent;
    }

    /// What the robot has used so far.
    pub fn usage(&self) -> Usage {
        self.lock().usage
    }

    fn lock(&self) -> MutexGuard<'_, StreamStatuses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many a second.
#[derive(Debug)]
pub(super) struct Rate {
    since: Instant,
    count: u64,
}

impl Rate {
    pub fn new(now: Instant) -> Self {
        Self { since: now, count: 0 }
    }

    /// The rate since the last time, when that is a second or more ago.
    pub fn measure(&mut self, count: u64, now: Instant) -> Option<f64> {
        let secs = now.saturating_duration_since(self.since).as_secs_f64();
        if secs < 1.0 {
            return None;
        }
        let rate_hz = count.saturating_sub(self.count) as f64 / secs;
        (self.since, self.count) = (now, count);
        Some(rate_hz)
    }
}

/// How far a growing count was logged, and when: so that it is not logged at each of its steps.
#[derive(Debug, Default)]
pub(in crate::faces::ros) struct ThrottledCount {
    count: u64,
    at: Option<Instant>,
}

impl ThrottledCount {
    /// At most one line in this time.
    const PERIOD: Duration = Duration::from_secs(10);

    /// How much more there is to tell, when it is time to.
    pub fn more(&mut self, count: u64, now: Instant) -> Option<u64> {
        let is_time = self.at.is_none_or(|at| now.saturating_duration_since(at) >= Self::PERIOD);
        let more = count.saturating_sub(self.count);
        (more > 0 && is_time).then(|| {
            (self.count, self.at) = (count, Some(now));
            more
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_a_second_or_more() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut rate = Rate::new(start);
        assert_eq!(rate.measure(500, after(500)), None);
        assert_eq!(rate.measure(2000, after(2000)), Some(1000.0));
        assert_eq!(rate.measure(2000, after(3000)), Some(0.0));
    }

    #[test]
    fn a_way_is_of_one_map_and_without_jumps() {
        let placed = |x: f64, map_id: &str| Placed {
            position: [x, 0.0, 0.0],
            orientation: [0.0, 0.0, 0.0, 1.0],
            frame: "map".to_owned(),
            map_id: map_id.to_owned(),
            age_secs: 0.0,
            std_dev_m: None,
        };
        let mut anchor = None;
        let mut way = |x: f64, map_id: &str| {
            let (way, next) = Anchor::follow(anchor.take(), &placed(x, map_id));
            anchor = Some(next);
            way
        };
        let ways = [(0.0, "a"), (1.0, "a"), (1.04, "a"), (1.08, "a"), (50.0, "a"), (51.0, "b")];
        let ways = ways.map(|(x, map_id)| (way(x, map_id) * 100.0).round() / 100.0);
        assert_eq!(ways, [0.0, 1.0, 0.0, 0.08, 0.0, 0.0]);
    }

    #[test]
    fn drops_are_told_now_and_then() {
        let start = Instant::now();
        let after = |secs| start + Duration::from_secs(secs);
        let mut count = ThrottledCount::default();
        assert_eq!(count.more(0, after(0)), None);
        assert_eq!(count.more(5, after(1)), Some(5));
        assert_eq!(count.more(9, after(5)), None);
        assert_eq!(count.more(9, after(11)), Some(4));
        assert_eq!(count.more(9, after(30)), None);
    }
}
