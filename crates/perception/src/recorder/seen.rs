//! Detections on their way to the objects.

use super::Recorder;
use super::stream::SampleRing;
use crate::objects::{Detection, ObjectChangeKind, ObjectCounts, ObjectTracker};
use crate::picture;
use robot_memory_core::limits::{CAPTIONS_MAX, OBJECT_THUMBNAIL_BYTES_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_core::object::{Caption, SeenObjects};
use std::collections::VecDeque;
use std::sync::Arc;

/// Between a picture and a detection at most.
const PICTURE_NANOS_MAX: u64 = 500_000_000;

/// Detections wait so long for the poses of their time.
const POSE_WAIT_NANOS: i64 = 100_000_000;
/// Frames of detections that wait for it: those of some cameras.
const WAITING_MAX: usize = 64;

/// A frame of detections that waits for its pose.
#[derive(Debug)]
struct WaitingFrame {
    stream: usize,
    stamp: Stamp,
    frame_id: Arc<str>,
    detections: Vec<Detection>,
}

/// What was seen and is not handed out yet.
#[derive(Debug, Default)]
pub(super) struct Seen {
    tracker: ObjectTracker,
    waiting: VecDeque<WaitingFrame>,
    thumbnails: Vec<(String, Vec<u8>)>,
    captions: Vec<Caption>,
}

impl Seen {
    /// Time begins anew.
    pub fn restart(&mut self) {
        self.tracker.restart();
    }
}

impl Recorder {
    /// Goes on from objects that are known.
    pub fn set_objects(&mut self, tracker: ObjectTracker) {
        let before = std::mem::replace(&mut self.seen.tracker, tracker);
        self.seen.tracker.take_over(before);
    }

    /// What became known of objects since the last time.
    pub fn take_objects(&mut self) -> SeenObjects {
        let changes = self.seen.tracker.drain();
        let merged = changes.changes.into_iter().filter_map(|change| match change.kind {
            ObjectChangeKind::Moved { merged } => merged,
            _ => None,
        });
        SeenObjects {
            merged: merged.collect(),
            objects: changes.objects,
            thumbnails: std::mem::take(&mut self.seen.thumbnails),
            captions: std::mem::take(&mut self.seen.captions),
            generation: None,
        }
    }

    /// What was left out of detections until now.
    pub fn object_counts(&self) -> ObjectCounts {
        self.seen.tracker.counts()
    }

    /// Lets a frame of detections of a stream wait until the poses of its time are known.
    pub(super) fn wait_to_see(
        &mut self,
        stream: usize,
        stamp: Stamp,
        frame_id: Arc<str>,
        detections: Vec<Detection>,
    ) {
        self.seen.waiting.push_back(WaitingFrame { stream, stamp, frame_id, detections });
        if self.seen.waiting.len() > WAITING_MAX {
            self.see_first();
        }
    }

    /// Takes the frames of detections that have waited until then.
    pub(super) fn see_until(&mut self, last: Stamp) {
        let is_due = |frame: &WaitingFrame| frame.stamp.0.saturating_add(POSE_WAIT_NANOS) <= last.0;
        while self.seen.waiting.front().is_some_and(is_due) {
            self.see_first();
        }
    }

    fn see_first(&mut self) {
        let Some(WaitingFrame { stream: index, stamp, frame_id, mut detections }) =
            self.seen.waiting.pop_front()
        else {
            return;
        };
        let topic: Arc<str> = self.streams[index].settings.topic.as_str().into();
        let Some(pose) = &self.pose else {
            return self.counts[index].unusable("where the robot is is not known: no pose_topic");
        };
        let viewpoint = match pose.track.viewpoint(stamp, &frame_id, topic) {
            Ok(viewpoint) => viewpoint,
            Err(missing) => {
                return self.counts[index].unusable(format!("where the robot was: {missing}"));
            }
        };
        for detection in &mut detections {
            if let Some(child) = detection.child_frame.take() {
                detection.position = pose.track.position_in(&frame_id, &child, stamp);
            }
        }
        self.seen.tracker.take(&viewpoint, &detections);
        let changes = self.seen.tracker.changes_since(stamp);
        let is_shown = |kind: &ObjectChangeKind| {
            matches!(kind, ObjectChangeKind::New | ObjectChangeKind::Moved { .. })
        };
        let keys: Vec<String> =
            changes.filter(|it| is_shown(&it.kind)).map(|it| it.key.clone()).collect();
        if !keys.is_empty()
            && let Some(thumbnail) = self.picture_of(&frame_id, stamp)
        {
            self.seen.thumbnails.extend(keys.into_iter().map(|key| (key, thumbnail.clone())));
        }
    }

    /// A small picture of what a sensor saw, if somebody publishes it.
    fn picture_of(&self, frame_id: &str, stamp: Stamp) -> Option<Vec<u8>> {
        let streams = self.streams.iter().filter(|stream| *stream.frame_id == *frame_id);
        let rings =
            streams.flat_map(|stream| &stream.tracks).filter_map(|track| match &track.kept {
                SampleRing::Images(ring) => ring.at(stamp),
                _ => None,
            });
        let seen = rings.min_by_key(|seen| seen.stamp.0.abs_diff(stamp.0))?;
        if seen.stamp.0.abs_diff(stamp.0) > PICTURE_NANOS_MAX {
            return None;
        }
        picture::thumbnail(&seen.image, &seen.message, OBJECT_THUMBNAIL_BYTES_MAX).ok()
    }

    /// Notes what a picture is said to show, when the robot's place is known.
    pub(super) fn note_caption(&mut self, index: usize, stamp: Stamp, text: &str) {
        let topic = self.streams[index].settings.topic.clone();
        let is_caption = topic.rsplit('/').next().is_some_and(|name| name.contains("caption"));
        if !is_caption || self.seen.captions.len() >= CAPTIONS_MAX {
            return;
        }
        if let Some(robot) = self.pose.as_ref().and_then(|pose| pose.track.at(stamp).ok()) {
            self.seen.captions.push(Caption {
                at: stamp,
                topic,
                text: text.to_owned(),
                frame: robot.frame,
                map_id: robot.map_id,
                robot_m: robot.position,
            });
        }
    }
}
