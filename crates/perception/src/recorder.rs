//! The flight recorder: messages in, events out (docs/events.md).
//!
//! Messages wait until older ones can no longer come, as far as the delay of each source is known, and are
//! worked on by stamp, then source, then arrival. Each is decoded, kept in the ring of its stream, and shown to the stream's triggers; what
//! those say opens, merges and closes events. All that is decided depends on stamps, so the same
//! messages give the same events in whatever order they arrived, live or from a bag.

mod activities;
mod budget;
mod build;
mod capture;
mod counts;
mod data;
mod delay;
mod key;
mod left_out;
mod open;
mod reorder;
mod ring;
mod seen;
mod stream;
#[cfg(test)]
mod tests;
mod window;

pub use capture::Capture;
pub use counts::StreamCounts;
pub use stream::{StreamError, has_header, header_stamp};

use super::decode::charge_of;
use super::pose::{FrameTree, Placed, PoseSettings, PoseTrack};
use super::settings::full_type_name;
use super::span::{plus_secs, secs_between};
use super::trigger::{BesideReading, Place, Trigger};
use super::{Edge, Event, Sample, Signal, StreamSettings, Value};
use activities::{Activities, Group, Origin};
use capture::Captures;
use delay::Delay;
use open::{Open, is_end_told};
use reorder::Reorder;
use ring::Raw;
use robot_memory_core::limits::{CAPTURE_SECS_MAX, REORDER_SECS_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_messages::Interface;
use std::cmp::Ordering;
use std::sync::Arc;
use stream::{PoseStream, Stream};

/// Seconds that a header's stamp may lie from when its message came: a clock may be off, and a
/// message late; farther it is that of another clock.
const STAMP_SECS_MAX: f64 = REORDER_SECS_MAX as f64;
/// Seconds that time may go back, as one source or the caller tells it, before it has begun anew. Those
/// of different sources are not compared: after a stall they are taken one source after another.
const BACK_SECS_MAX: f64 = 1.0;
/// Who tells the time: places in [`Recorder::newest`].
const CALLER: usize = 0;
const POSE_STATIC: usize = 1;
const POSE: usize = 2;
const POSE_BESIDE: usize = 3;
const COVARIANCE: usize = 4;
const MAP: usize = 5;
const FIRST_STREAM: usize = 6;
/// Seconds that rings hold at most.
const RING_SECS_MAX: f64 = 65.0;
/// Seconds that rings hold beyond what windows need: a trigger tells of a beginning somewhat later.
const RING_SECS_MORE: f64 = 5.0;

/// What a recorder is told, beside its streams.
#[derive(Debug, Clone, PartialEq)]
pub struct RecorderSettings {
    /// Seconds that messages wait for older ones at least; longer when those of a source come later.
    pub reorder_secs: f64,
    /// Bytes of messages that wait; beyond it the oldest are worked on early.
    pub reorder_bytes_max: usize,
    /// Whose pose events are given; `None`: none.
    pub pose: Option<PoseSettings>,
}

impl Default for RecorderSettings {
    fn default() -> Self {
        Self { reorder_secs: 0.3, reorder_bytes_max: 64 << 20, pose: None }
    }
}

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The stream of this index.
    Stream(usize),
    /// The topic of the robot's pose, or `/tf`.
    Pose,
    /// `/tf_static`.
    PoseStatic,
    /// A topic of poses that stands in where `/tf` says nothing.
    PoseBeside,
    /// The poses of a localization, of which the covariance counts.
    Covariance,
    /// Which map the robot is in.
    Map,
}

impl Source {
    /// Its place among messages of one stamp.
    fn rank(self) -> usize {
        match self {
            Self::Stream(index) => index,
            Self::Map => usize::MAX - 4,
            Self::Covariance => usize::MAX - 3,
            Self::PoseBeside => usize::MAX - 2,
            Self::Pose => usize::MAX - 1,
            Self::PoseStatic => usize::MAX,
        }
    }
}

/// A message, as it came.
#[derive(Debug, Clone)]
pub struct Received {
    /// Where from.
    pub source: Source,
    /// When it came: ROS time.
    pub received: Stamp,
    /// CDR with its header of four bytes.
    pub message: Arc<[u8]>,
}

/// Makes events of messages. See the module.
#[derive(Debug, Default)]
pub struct Recorder {
    settings: RecorderSettings,
    streams: Vec<Stream>,
    counts: Vec<StreamCounts>,
    pose: Option<PoseStream>,
    pose_counts: StreamCounts,
    reorder: Reorder,
    /// The latest time that was told.
    clock: Option<Stamp>,
    /// The latest time that the caller told, the fixed transforms, the pose, and each stream.
    newest: Vec<Option<Stamp>>,
    /// How late the messages of each of those come.
    delays: Vec<Delay>,
    /// The latest stamp that was worked on.
    floor: Option<Stamp>,
    open: Vec<Open>,
    /// Events that were ever opened: the order of equals.
    opened: u64,
    /// When the next open event or capture wants something.
    due: Stamp,
    /// Rings keep what is not older: open events need it.
    pinned: Stamp,
    group: Option<Group>,
    /// Of the battery that was heard last, percent.
    charge: Option<f64>,
    activities: Activities,
    captures: Captures,
    finished: Vec<Event>,
    seen: seen::Seen,
    ring_secs: f64,
    /// Kept for its room.
    signals: Vec<Signal>,
}

impl Recorder {
    /// A recorder that has heard nothing. The types of the streams are told by [`Self::set_type`].
    pub fn new(settings: RecorderSettings, streams: Vec<StreamSettings>) -> Self {
        let ring_secs = f64::from(CAPTURE_SECS_MAX) + RING_SECS_MORE;
        let mut recorder = Self {
            newest: vec![None; FIRST_STREAM],
            delays: vec![Delay::default(); FIRST_STREAM],
            pose: settings.pose.clone().map(|pose| PoseStream::new(PoseTrack::new(pose))),
            settings,
            due: Stamp(i64::MAX),
            pinned: Stamp(i64::MAX),
            ring_secs: ring_secs.min(RING_SECS_MAX),
            ..Self::default()
        };
        for stream in streams {
            recorder.add(stream);
        }
        recorder
    }

    /// Adds a stream that was found later; answers its index.
    pub fn add(&mut self, stream: StreamSettings) -> usize {
        let wanted = stream.before_secs + RING_SECS_MORE;
        self.ring_secs = self.ring_secs.max(wanted).min(RING_SECS_MAX);
        self.counts.push(StreamCounts::default());
        self.newest.push(None);
        self.delays.push(Delay::default());
        self.streams.push(Stream::new(stream));
        self.streams.len() - 1
    }

    /// Says of which type a stream is. Types that are known by themselves need no `interface`, but
    /// clips of them are of more use with it. When it was of another one, all that was heard until then
    /// is worked on and finished, as that type.
    ///
    /// # Errors
    ///
    /// The stream is not there, its type cannot be decoded, or a trigger's parameters are wrong.
    pub fn set_type(
        &mut self,
        stream: usize,
        type_name: &str,
        interface: Option<Interface>,
    ) -> Result<(), StreamError> {
        let count = self.streams.len();
        let has_changed = |typed: &Stream| {
            !typed.type_name.is_empty()
                && Some(&*typed.type_name) != full_type_name(type_name).as_deref()
        };
        if self.streams.get(stream).is_some_and(has_changed) {
            self.restart();
        }
        let typed = self.streams.get_mut(stream).ok_or(StreamError::NoStream { stream, count })?;
        typed.set_type(type_name, interface)
    }

    /// Says of which type the messages of [`Source::Pose`] or [`Source::PoseBeside`] are.
    ///
    /// # Errors
    ///
    /// The type cannot be decoded. Nothing is done when no pose is asked for.
    pub fn set_pose_type(
        &mut self,
        source: Source,
        type_name: &str,
        interface: Option<Interface>,
    ) -> Result<(), StreamError> {
        match &mut self.pose {
            Some(pose) => pose.set_type(source, type_name, interface.as_ref()),
            None => Ok(()),
        }
    }

    /// The streams' settings, completed by their types as far as those are known.
    pub fn stream(&self, index: usize) -> Option<&StreamSettings> {
        self.streams.get(index).map(|stream| &stream.settings)
    }

    /// Lets a message wait for its turn. When it came more than a second before another of its source,
    /// time began anew: all that was heard until then is worked on and finished.
    pub fn take(&mut self, received: Received) {
        let source = match received.source {
            Source::Stream(index) => FIRST_STREAM + index,
            Source::Pose => POSE,
            Source::PoseStatic => POSE_STATIC,
            Source::PoseBeside => POSE_BESIDE,
            Source::Covariance => COVARIANCE,
            Source::Map => MAP,
        };
        if source >= self.newest.len() {
            return;
        }
        self.note_time(source, received.received);
        let (has_header, counts) = match (received.source, &self.pose) {
            (Source::Stream(index), _) => (self.streams[index].has_header, &mut self.counts[index]),
            (source, pose) => {
                let has_header = pose.as_ref().is_some_and(|pose| pose.has_header(source));
                (has_header, &mut self.pose_counts)
            }
        };
        counts.messages += 1;
        let own = if has_header { stream::header_stamp(&received.message) } else { None };
        let is_near =
            |stamp: &Stamp| secs_between(received.received, *stamp).abs() <= STAMP_SECS_MAX;
        let stamp = own.filter(is_near).unwrap_or_else(|| {
            counts.stamped_on_receipt += 1;
            received.received
        });
        self.delays[source].note(received.received, secs_between(stamp, received.received));
        // Of a stream what is late is known by what it says; what always holds is never late.
        let is_late = matches!(received.source, Source::Pose | Source::PoseBeside)
            && self.floor.is_some_and(|floor| stamp < floor);
        if is_late {
            counts.late += 1;
            return;
        }
        self.reorder.push(stamp, received.source.rank(), received);
        while self.reorder.bytes() > self.settings.reorder_bytes_max {
            let Some((stamp, received)) = self.reorder.pop(Stamp(i64::MAX)) else { break };
            self.work(stamp, received);
        }
    }

    /// Works on all that is old enough at `now` (ROS time), and hands out the events that are
    /// finished, in a fixed order. To be called often, also when nothing comes: events end by time.
    pub fn advance(&mut self, now: Stamp, out: &mut Vec<Event>) {
        self.note_time(CALLER, now);
        let clock = self.clock.unwrap_or(now);
        let last = plus_secs(clock, -self.wait_secs(clock));
        self.work_until(last);
        self.fire_before(Stamp(last.0.saturating_add(1)));
        self.see_until(last);
        self.sum_up(last);
        out.append(&mut self.finished);
    }

    /// Seconds that messages wait for those that are older: as late as they lately came.
    fn wait_secs(&self, now: Stamp) -> f64 {
        let delays = self.delays.iter().map(|delay| delay.secs(now));
        delays.fold(0.0, f64::max).min(STAMP_SECS_MAX).max(self.settings.reorder_secs)
    }

    /// Works on all that waits and closes what is open, as it is by now: time stands still, and goes on
    /// later or never. What was heard stays known, so that what goes on is not taken for something new.
    pub fn pause(&mut self, out: &mut Vec<Event>) {
        self.work_off();
        let activities = self.activities.clone();
        self.finish_all();
        self.activities = activities;
        out.append(&mut self.finished);
    }

    /// Works on all that waits and finishes all that is open: a bag is over, or the node stops. The
    /// recorder is then as if it had heard nothing.
    pub fn finish(&mut self, out: &mut Vec<Event>) {
        self.restart();
        self.sum_up(Stamp(i64::MAX));
        out.append(&mut self.finished);
    }

    /// Where the robot was at the time of the last message that was worked on, if that is known.
    pub fn robot(&self) -> Option<Placed> {
        self.pose.as_ref()?.track.at(self.floor?).ok()
    }

    /// The map that the robot is in; empty: not known.
    pub fn map_id(&self) -> &str {
        self.pose.as_ref().map_or("", |pose| pose.track.map_id())
    }

    /// The robot is in this map from a time on; empty: it is not known in which.
    pub fn set_map_id(&mut self, map_id: &str, at: Stamp) {
        if let Some(pose) = &mut self.pose {
            pose.track.set_map_id(map_id, at);
        }
    }

    /// Where frames are in others by now.
    pub fn frames(&self) -> FrameTree {
        self.pose.as_ref().map(|pose| pose.track.frames()).unwrap_or_default()
    }

    /// The charge of the battery that was heard last, in percent.
    pub fn charge(&self) -> Option<f64> {
        self.charge
    }

    /// What became of each stream's messages and events, since the recorder was made.
    pub fn counts(&self) -> &[StreamCounts] {
        &self.counts
    }

    /// What became of the messages about the robot's pose.
    pub fn pose_counts(&self) -> &StreamCounts {
        &self.pose_counts
    }

    fn note_time(&mut self, source: usize, now: Stamp) {
        if self.newest[source].is_some_and(|newest| secs_between(now, newest) > BACK_SECS_MAX) {
            self.restart();
        }
        let newest = &mut self.newest[source];
        *newest = Some(newest.map_or(now, |newest| newest.max(now)));
        self.clock = Some(self.clock.map_or(now, |clock| clock.max(now)));
    }

    /// Works on all that waits.
    fn work_off(&mut self) {
        self.work_until(Stamp(i64::MAX));
        self.see_until(Stamp(i64::MAX));
        self.capture_all();
    }

    /// Finishes all that is open. The triggers stay as they are.
    fn finish_all(&mut self) {
        if let Some(last) = self.floor {
            for stream in 0..self.streams.len() {
                for track in 0..self.streams[stream].tracks.len() {
                    let triggers = self.streams[stream].tracks[track].triggers.clone();
                    self.finish_track(stream, track, last);
                    self.streams[stream].tracks[track].triggers = triggers;
                }
            }
        }
        self.close_all();
    }

    /// Finishes everything, and begins anew.
    fn restart(&mut self) {
        self.work_off();
        self.finish_all();
        for stream in &mut self.streams {
            stream.restart();
        }
        if let Some(pose) = &mut self.pose {
            pose.track.reset();
        }
        self.clock = None;
        self.newest.fill(None);
        self.delays.fill(Delay::default());
        self.floor = None;
        self.group = None;
        self.activities = Activities::default();
        self.seen.restart();
    }

    /// Tells the triggers of a track that its readings are over. What they end only for that is not known
    /// to have ended.
    fn finish_track(&mut self, stream: usize, track: usize, last: Stamp) {
        let mut signals = std::mem::take(&mut self.signals);
        for trigger in 0..self.streams[stream].tracks[track].triggers.len() {
            self.streams[stream].tracks[track].triggers[trigger].finish(last, &mut signals);
            for signal in signals.drain(..) {
                let origin = Origin { stream, track, trigger, part: signal.part };
                let goes_on = signal.edge == Edge::End && signal.stamp >= last;
                if goes_on && is_end_told(signal.kind) {
                    continue;
                }
                self.apply_signal(origin, signal);
                if goes_on {
                    self.go_on(origin, last);
                }
            }
        }
        self.signals = signals;
    }

    fn work_until(&mut self, last: Stamp) {
        while let Some((stamp, received)) = self.reorder.pop(last) {
            self.work(stamp, received);
        }
    }

    /// Works on one message, the next in order.
    fn work(&mut self, stamp: Stamp, received: Received) {
        // Static transforms, those of a full buffer, and what came later than it usually does may be older.
        let ordered = self.floor.map_or(stamp, |floor| floor.max(stamp));
        self.fire_before(ordered);
        self.see_until(ordered);
        self.floor = Some(ordered);
        match received.source {
            Source::Stream(index) => self.work_on_stream(index, stamp, &received),
            Source::Pose
            | Source::PoseStatic
            | Source::PoseBeside
            | Source::Covariance
            | Source::Map => {
                if let Some(pose) = &mut self.pose
                    && let Err(error) = pose.take(received.source, ordered, &received.message)
                {
                    self.pose_counts.unusable(error);
                }
            }
        }
    }

    fn work_on_stream(&mut self, index: usize, stamp: Stamp, received: &Received) {
        let oldest = plus_secs(stamp, -self.ring_secs).min(self.pinned);
        let (stream, counts) = (&mut self.streams[index], &mut self.counts[index]);
        if stream.settings.clip {
            let bytes_max = stream.settings.ring_bytes_max;
            let bytes = Arc::clone(&received.message);
            let stamp = self.floor.unwrap_or(stamp);
            let raw = Raw { stamp, received: received.received, bytes };
            stream.raw.push(raw, oldest, bytes_max);
        }
        if !stream.rate.take(stamp, stream.settings.rate_max_hz.unwrap_or(0.0)) {
            counts.over_rate += 1;
            return;
        }
        let sample = match stream.decode(&received.message) {
            Ok(Some(sample)) => sample,
            Ok(None) => return,
            Err(problem) => return counts.unusable(problem),
        };
        let sample = match sample {
            Sample { value: Value::Detections(detections), frame_id, .. } => {
                return self.wait_to_see(index, stamp, frame_id, detections);
            }
            sample => sample,
        };
        if let Value::Text(text) = &sample.value {
            self.note_caption(index, stamp, text);
        }
        self.charge = charge_of(&sample.value).or(self.charge);
        let track = match self.track(index, stamp, &sample) {
            Ok(track) => track,
            Err(problem) => return self.counts[index].unusable(problem),
        };
        match self.streams[index].tracks[track].last.cmp(&stamp) {
            Ordering::Less => {}
            Ordering::Equal => self.counts[index].repeated += 1,
            Ordering::Greater => {
                self.counts[index].late += 1;
                return;
            }
        }
        let mut signals = std::mem::take(&mut self.signals);
        let stream = &mut self.streams[index];
        let looked = stream.look(&sample, &received.message);
        let appearance = looked.unwrap_or_else(|error| {
            self.counts[index].unusable(error);
            None
        });
        stream.keep(track, stamp, &sample, appearance.as_ref(), &received.message, oldest);
        let wants_place = stream.tracks[track].triggers.iter().any(Trigger::wants_place);
        let place = if wants_place { self.place_at(stamp) } else { None };
        for trigger in 0..self.streams[index].tracks[track].triggers.len() {
            let track_triggers = &mut self.streams[index].tracks[track].triggers;
            let before = track_triggers[trigger].left_out();
            let beside = BesideReading { appearance: appearance.as_ref(), place };
            track_triggers[trigger].take(stamp, &sample.value, beside, &mut signals);
            let left_out = track_triggers[trigger].left_out() - before;
            self.counts[index].reports_left_out += left_out;
            for signal in signals.drain(..) {
                let part = signal.part;
                self.apply_signal(Origin { stream: index, track, trigger, part }, signal);
            }
        }
        self.signals = signals;
    }

    /// Where the robot is, as far as is known: x, y and heading.
    fn place_at(&self, stamp: Stamp) -> Option<Place> {
        let placed = self.pose.as_ref()?.track.at(stamp).ok()?;
        let [x, y, z, w] = placed.orientation;
        let heading = f64::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
        Some([placed.position[0], placed.position[1], heading])
    }

    /// The track of a reading; when there are too many, that which was idle for longest ends for it.
    fn track(&mut self, index: usize, stamp: Stamp, sample: &Sample) -> Result<usize, String> {
        if let Some(track) = self.streams[index].track_of(sample)? {
            return Ok(track);
        }
        if let Some(idle) = self.streams[index].idle_lane() {
            self.finish_track(index, idle, stamp);
            self.close_track(index, idle);
        }
        self.streams[index].add_lane(sample)
    }
}
