use super::key;
use super::open::Open;
use super::{Origin, Recorder};
use crate::TriggerKind;
use crate::span::plus_secs;
use robot_memory_core::model::Stamp;

/// Captures that wait for their time, at most; each holds rings for a minute.
const WAITING_MAX: usize = 64;
/// Characters of a reason that are kept.
const REASON_CHARS_MAX: usize = 200;

/// What somebody asks to be kept, whatever the triggers say.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    /// Why, in words that will be searched for.
    pub reason: String,
    /// Indexes of the streams; empty: all.
    pub streams: Vec<usize>,
    /// Seconds kept from before, as far as they are still there.
    pub before_secs: f64,
    /// Seconds kept from then on, 0 to 60.
    pub after_secs: f64,
}

/// A capture whose time has not come.
#[derive(Debug)]
struct PendingCapture {
    event_id: String,
    stamp: Stamp,
    capture: Capture,
}

/// Captures that wait for their time: messages are worked on somewhat later than they come.
#[derive(Debug, Default)]
pub(super) struct Captures {
    waiting: Vec<PendingCapture>,
    number: u64,
}

impl Captures {
    /// When the next one is due.
    pub fn due(&self) -> Option<Stamp> {
        self.waiting.iter().map(|waiting| waiting.stamp).min()
    }
}

impl Recorder {
    /// Keeps what the streams hear just now, in one event for each stream that hears something;
    /// answers the id that these share. Whether they are finished, [`Self::is_capturing`] says.
    pub fn capture(&mut self, now: Stamp, capture: Capture) -> String {
        let bounded = |secs: f64| if secs.is_finite() { secs.clamp(0.0, 60.0) } else { 0.0 };
        let reason: String = capture.reason.chars().take(REASON_CHARS_MAX).collect();
        let stamp = self.floor.map_or(now, |floor| floor.max(now));
        self.captures.number += 1;
        let event_id = key::of_capture(&reason, stamp, self.captures.number);
        let capture = Capture {
            reason,
            before_secs: bounded(capture.before_secs),
            after_secs: bounded(capture.after_secs),
            ..capture
        };
        if self.captures.waiting.len() == WAITING_MAX {
            self.capture_first();
        }
        self.pinned = self.pinned.min(plus_secs(stamp, -capture.before_secs));
        let waiting = PendingCapture { event_id: event_id.clone(), stamp, capture };
        self.captures.waiting.push(waiting);
        self.plan();
        event_id
    }

    /// Whether events of a capture may still come.
    pub fn is_capturing(&self, event_id: &str) -> bool {
        self.captures.waiting.iter().any(|waiting| waiting.event_id == event_id)
            || self.open.iter().any(|open| open.event_id == event_id)
    }

    /// Opens the events of the capture that is due first.
    pub(super) fn capture_first(&mut self) {
        let first = self.captures.waiting.iter().enumerate();
        let Some((index, _)) = first.min_by_key(|(index, waiting)| (waiting.stamp, *index)) else {
            return;
        };
        let PendingCapture { event_id, stamp, capture } = self.captures.waiting.remove(index);
        let mut streams = capture.streams;
        if streams.is_empty() {
            streams = (0..self.streams.len()).collect();
        }
        streams.sort_unstable();
        streams.dedup();
        for stream in streams.into_iter().filter(|stream| *stream < self.streams.len()) {
            for track in 0..self.streams[stream].tracks.len() {
                let topic = &self.streams[stream].settings.topic;
                let part = format!("{event_id}.{track}");
                self.opened += 1;
                let mut open = Open {
                    key: key::of_activity(topic, TriggerKind::Capture, &part, stamp),
                    event_id: event_id.clone(),
                    origin: Origin { stream, track, trigger: usize::MAX, part: 0 },
                    kind: TriggerKind::Capture,
                    begin: stamp,
                    end: Some(stamp),
                    before_secs: capture.before_secs,
                    after_secs: capture.after_secs,
                    deadline: plus_secs(stamp, capture.after_secs),
                    reason: capture.reason.clone(),
                    ..Open::new(self.opened)
                };
                open.picture = self.picture(open.origin, stamp);
                self.open.push(open);
            }
        }
        self.plan();
    }

    /// Opens all captures that wait.
    pub(super) fn capture_all(&mut self) {
        while !self.captures.waiting.is_empty() {
            self.capture_first();
        }
    }
}

impl Captures {
    /// The oldest stamp that one of them wants.
    pub fn oldest(&self) -> Option<Stamp> {
        let oldest =
            |waiting: &PendingCapture| plus_secs(waiting.stamp, -waiting.capture.before_secs);
        self.waiting.iter().map(oldest).min()
    }
}
