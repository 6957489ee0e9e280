//! Events that are not finished: how they begin, merge, and end by time.

use super::Recorder;
use super::activities::{Group, Origin};
use super::budget::Shape;
use super::key;
use super::ring::{SeenImage, State};
use super::stream::SampleRing;
use crate::describe;
use crate::facts::{OVER, WORSE_THAN};
use crate::span::plus_secs;
use crate::{Edge, Measure, Placed, PoseMissing, Signal, TriggerKind};
use robot_memory_core::model::Stamp;

/// Events that are open at a time; beyond it the oldest is closed before its time.
const OPEN_MAX: usize = 512;
/// Seconds after which the pose of an event's beginning is looked up: the next one has come by then.
const POSE_SECS: f64 = 0.5;

/// Seconds after which what rests is closed at the earliest: more of it has come by then.
const REST_SECS: f64 = 10.0;

/// A picture of an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    /// JPEG, or why there is none.
    pub thumbnail: Result<Vec<u8>, String>,
    /// Perceptual hash.
    pub hash: Option<u64>,
    /// Width and height in pixels.
    pub size: Option<(u32, u32)>,
    /// When it was taken.
    pub stamp: Stamp,
}

/// An event that is not finished.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub key: String,
    pub event_id: String,
    /// The order among equals.
    pub number: u64,
    pub origin: Origin,
    pub kind: TriggerKind,
    pub begin: Stamp,
    /// `None` while it goes on.
    pub end: Option<Stamp>,
    pub before_secs: f64,
    pub after_secs: f64,
    /// Since when it is over, unless more of it follows within so many seconds.
    pub rest: Option<Stamp>,
    pub rest_secs: f64,
    /// When it is closed, as far as is known.
    pub deadline: Stamp,
    pub measures: Vec<Measure>,
    /// Activities that are one.
    pub count: u32,
    pub picture: Option<Picture>,
    pub pose: Option<Result<Placed, PoseMissing>>,
    /// Of a capture.
    pub reason: String,
    /// Whether its pose is still to be looked up.
    pub wants_pose: bool,
}

impl Open {
    /// An event of nothing.
    pub fn new(number: u64) -> Self {
        Self {
            key: String::new(),
            event_id: String::new(),
            number,
            origin: Origin { stream: 0, track: 0, trigger: 0, part: 0 },
            kind: TriggerKind::Capture,
            begin: Stamp(0),
            end: None,
            rest: None,
            rest_secs: REST_SECS,
            before_secs: 0.0,
            after_secs: 0.0,
            deadline: Stamp(0),
            measures: Vec::new(),
            count: 1,
            picture: None,
            pose: None,
            reason: String::new(),
            wants_pose: true,
        }
    }

    /// When it wants something next.
    fn due(&self) -> Stamp {
        if self.wants_pose {
            plus_secs(self.begin, POSE_SECS).min(self.deadline)
        } else {
            self.deadline
        }
    }

    /// The first stamp that it needs of the rings.
    pub fn first(&self) -> Stamp {
        plus_secs(self.begin, -self.before_secs)
    }

    /// Plans its closing: some time after its end, but no later than it may last.
    fn plan(&mut self, event_secs_max: f64) {
        let last = plus_secs(self.begin, event_secs_max);
        self.deadline = match self.end {
            Some(end) => plus_secs(end.min(last), self.after_secs),
            None => self.rest.map_or(last, |rest| last.min(plus_secs(rest, self.rest_secs))),
        };
    }
}

/// Whether each activity of a kind is an event of its own, however soon it follows another.
const fn is_single(kind: TriggerKind) -> bool {
    use TriggerKind::{
        Capture, Change, Charge, Drive, Edge, Keyframe, Level, Periodic, Stuck, Takeover, Threshold,
    };
    let is_state = matches!(kind, Edge | Change | Charge | Level | Threshold);
    is_state || matches!(kind, Stuck | Drive | Takeover | Keyframe | Periodic | Capture)
}

/// Whether the end of something that was told as going on is worth an event of its own.
pub(super) const fn is_end_told(kind: TriggerKind) -> bool {
    use TriggerKind::{Drive, Level, Stuck, Takeover, Threshold};
    matches!(kind, Drive | Level | Stuck | Takeover | Threshold)
}

impl Recorder {
    /// Hears what a trigger says.
    pub(super) fn apply_signal(&mut self, origin: Origin, signal: Signal) {
        let Signal { kind, edge, stamp, measures, .. } = signal;
        let part = describe::moved(kind, &measures);
        match edge {
            Edge::Begin => self.activities.begin(origin, kind, stamp, part),
            Edge::End => self.activities.end(origin, stamp, Some(part)),
            Edge::More | Edge::Rest => {}
            // A boolean that fell is nothing that is.
            Edge::Once if kind == TriggerKind::Edge => {}
            Edge::Once => self.activities.once(origin, kind, stamp),
        }
        match edge {
            Edge::Begin => {
                self.end(origin, stamp, None);
                self.begin(origin, kind, stamp, None, measures);
            }
            Edge::Once => self.begin(origin, kind, stamp, Some(stamp), measures),
            Edge::More if self.going_on(origin).is_none() && is_worse(&measures) => {
                self.begin(origin, kind, stamp, None, measures);
            }
            Edge::More | Edge::Rest => {
                let event_secs_max = self.streams[origin.stream].settings.event_secs_max;
                if let Some(open) = self.going_on(origin) {
                    open.measures = measures;
                    open.rest = (edge == Edge::Rest).then_some(stamp);
                    open.plan(event_secs_max);
                }
            }
            Edge::End if self.is_end_news(origin, kind, &measures) => {
                let over = measures.iter().filter(|measure| measure.name == "duration");
                let over = over.map(|secs| Measure { name: OVER, ..secs.clone() });
                let measures = over.chain(measures.iter().cloned()).collect();
                self.begin(origin, kind, stamp, Some(stamp), measures);
            }
            Edge::End => self.end(origin, stamp, Some(measures)),
        }
        self.plan();
    }

    fn begin(
        &mut self,
        origin: Origin,
        kind: TriggerKind,
        begin: Stamp,
        end: Option<Stamp>,
        measures: Vec<Measure>,
    ) {
        let stream = &mut self.streams[origin.stream];
        let settings = &stream.settings;
        let (event_secs_max, before_secs, after_secs) =
            (settings.event_secs_max, settings.before_secs, settings.after_secs);
        let counts = &mut self.counts[origin.stream];
        let former = self.open.iter_mut().rev().find(|open| {
            open.origin == origin
                && open.end.is_some_and(|end| begin <= plus_secs(end, open.after_secs))
                && begin <= plus_secs(open.begin, event_secs_max)
        });
        if let Some(former) = former
            && !is_single(kind)
        {
            counts.merged += 1;
            former.count = former.count.saturating_add(1);
            former.end = end.map(|end| former.end.map_or(end, |before| before.max(end)));
            former.measures = stronger(std::mem::take(&mut former.measures), measures);
            former.plan(event_secs_max);
            return;
        }
        // By what it says, not by when: what is rare is kept when the common is too much.
        let text = match &stream.tracks[origin.track].kept {
            SampleRing::States(ring) => {
                ring.window(begin, begin).last().and_then(|(_, state)| match state {
                    State::Text(text) => Some(text),
                    State::Bool(_) => None,
                })
            }
            SampleRing::Numbers(_) | SampleRing::Images(_) => None,
        };
        let named = name_of(&measures);
        let shape =
            Shape::of(kind, text.map(AsRef::as_ref).filter(|_| named.is_empty()).or(Some(&named)));
        if !stream.budget.take(begin, shape, settings, counts) {
            return;
        }
        self.opened += 1;
        let mut open = Open {
            rest_secs: self.rest_secs(origin),
            key: self.key(origin, kind, begin, &named),
            origin,
            kind,
            begin,
            end,
            before_secs,
            after_secs,
            measures,
            ..Open::new(self.opened)
        };
        open.plan(event_secs_max);
        open.event_id = self.group_of(&open);
        open.picture = self.picture(origin, begin);
        open.wants_pose = self.pose.is_some();
        self.open.push(open);
        if self.open.len() > OPEN_MAX
            && let Some(oldest) = self.first_open(|_| Stamp(0))
        {
            self.counts[self.open[oldest].origin.stream].cut_short += 1;
            self.close(oldest);
        }
    }

    /// What comes again while it is folded belongs to the same event.
    fn rest_secs(&self, origin: Origin) -> f64 {
        let mut triggers = self.streams[origin.stream].settings.triggers.iter().flatten();
        let folded = triggers.nth(origin.trigger).and_then(|one| one.parameters.get("fold_secs"));
        folded.map_or(REST_SECS, |fold_secs| fold_secs.max(REST_SECS))
    }

    /// The event of an activity that has not ended.
    fn going_on(&mut self, origin: Origin) -> Option<&mut Open> {
        self.open.iter_mut().rev().find(|open| open.origin == origin && open.end.is_none())
    }

    /// Whether what ends was closed before as something that goes on, and nobody knows that it is over.
    fn is_end_news(&mut self, origin: Origin, kind: TriggerKind, measures: &[Measure]) -> bool {
        let event_secs_max = self.streams[origin.stream].settings.event_secs_max;
        let secs = measures.iter().find(|measure| measure.name == "duration");
        is_end_told(kind)
            && secs.is_some_and(|secs| secs.value > event_secs_max)
            && self.going_on(origin).is_none()
    }

    fn end(&mut self, origin: Origin, end: Stamp, measures: Option<Vec<Measure>>) {
        let event_secs_max = self.streams[origin.stream].settings.event_secs_max;
        let going_on =
            self.open.iter_mut().rev().find(|open| open.origin == origin && open.end.is_none());
        let Some(open) = going_on else { return };
        open.end = Some(end.max(open.begin));
        if let Some(measures) = measures {
            open.measures = if open.count > 1 {
                stronger(std::mem::take(&mut open.measures), measures)
            } else {
                measures
            };
        }
        open.plan(event_secs_max);
        if let Some(group) = &mut self.group
            && group.id == open.event_id
        {
            group.extend(open.deadline);
        }
    }

    /// What was ended at `last` was not seen to end.
    pub(super) fn go_on(&mut self, origin: Origin, last: Stamp) {
        let ended = |open: &&mut Open| open.origin == origin && open.end == Some(last);
        if let Some(open) = self.open.iter_mut().rev().find(ended) {
            open.end = None;
            open.plan(self.streams[origin.stream].settings.event_secs_max);
        }
    }

    /// The id of the group that an event belongs to, which it begins if there is none.
    fn group_of(&mut self, open: &Open) -> String {
        if let Some(group) = &mut self.group {
            let members = self.open.iter().filter(|member| member.event_id == group.id);
            let open_until = members.map(|member| member.deadline).max();
            if group.takes(open.begin, open.deadline, open_until) {
                if open.end.is_some() {
                    group.extend(open.deadline);
                }
                return group.id.clone();
            }
        }
        let until = if open.end.is_some() { open.deadline } else { open.begin };
        self.group = Some(Group::new(open.key.clone(), open.begin, until));
        open.key.clone()
    }

    fn key(&self, origin: Origin, kind: TriggerKind, begin: Stamp, named: &str) -> String {
        let stream = &self.streams[origin.stream];
        let triggers = stream.settings.triggers.iter().flatten().take(origin.trigger);
        let number = triggers.filter(|trigger| trigger.kind == kind).count();
        // Two joints' messages of one stamp on one topic are two activities.
        let first_channel = match &stream.tracks[origin.track].kept {
            SampleRing::Numbers(ring) => {
                ring.layout().channels.first().map(|channel| &channel.name[..])
            }
            SampleRing::States(_) | SampleRing::Images(_) => None,
        };
        let part = format!("{number} {}", first_channel.unwrap_or(named));
        key::of_activity(&stream.settings.topic, kind, &part, begin)
    }

    /// What was seen last at a time, made small.
    pub(super) fn picture(&self, origin: Origin, stamp: Stamp) -> Option<Picture> {
        let stream = &self.streams[origin.stream];
        let SampleRing::Images(ring) = &stream.tracks[origin.track].kept else { return None };
        let SeenImage { stamp, image, message, hash, size } = ring.at(stamp)?;
        let bytes_max = stream.settings.thumbnail_bytes_max;
        let thumbnail = if bytes_max == 0 {
            Err("none is wanted".to_owned())
        } else {
            crate::picture::thumbnail(image, message, bytes_max).map_err(|error| error.to_string())
        };
        Some(Picture { thumbnail, hash: *hash, size: *size, stamp: *stamp })
    }

    /// The one of which this is the earliest; of equals, the one that was opened first.
    fn first_open(&self, time: impl Fn(&Open) -> Stamp) -> Option<usize> {
        let open = self.open.iter().enumerate();
        open.min_by_key(|(_, open)| (time(open), open.number)).map(|(index, _)| index)
    }

    /// Does what was due before `stamp`, in order of time.
    pub(super) fn fire_before(&mut self, stamp: Stamp) {
        while self.due < stamp {
            let due = self.due;
            self.floor = Some(self.floor.map_or(due, |floor| floor.max(due)));
            if self.captures.due() == Some(due) {
                self.capture_first();
                continue;
            }
            match self.first_open(Open::due) {
                Some(index) if self.open[index].wants_pose && self.open[index].deadline > due => {
                    self.place(index);
                }
                Some(index) => self.close(index),
                None => {}
            }
            self.plan();
        }
    }

    /// Looks up where the robot was when an event began.
    fn place(&mut self, index: usize) {
        let open = &mut self.open[index];
        open.wants_pose = false;
        let pose = self.pose.as_ref().map(|pose| pose.track.at(open.begin));
        let is_auto = self.settings.pose.as_ref().is_some_and(|settings| settings.is_auto);
        // Nobody asked for one, and there may be none on this robot.
        open.pose = pose.filter(|pose| pose.is_ok() || !is_auto);
    }

    /// Closes an event.
    fn close(&mut self, index: usize) {
        if self.open[index].wants_pose {
            self.place(index);
        }
        let mut open = self.open.remove(index);
        if open.end.is_none() && open.rest.is_some() {
            open.end = open.rest;
            open.plan(self.streams[open.origin.stream].settings.event_secs_max);
        }
        if let Some(group) = &mut self.group
            && group.id == open.event_id
        {
            group.extend(open.deadline);
        }
        if let Some((stream, event)) = self.build(open) {
            *self.counts[stream].events.entry(event.trigger).or_default() += 1;
            self.finished.push(event);
        }
    }

    /// Closes what is open of a track.
    pub(super) fn close_track(&mut self, stream: usize, track: usize) {
        let is_of = |open: &Open| open.origin.stream == stream && open.origin.track == track;
        while let Some(index) = self.open.iter().position(is_of) {
            self.close(index);
        }
        self.plan();
    }

    /// Closes everything, in the order in which time would have.
    pub(super) fn close_all(&mut self) {
        while let Some(index) = self.first_open(|open| open.deadline) {
            self.close(index);
        }
        self.plan();
    }

    /// Finds out when something is due next, and what the rings must keep.
    pub(super) fn plan(&mut self) {
        let due = self.open.iter().map(Open::due).chain(self.captures.due());
        self.due = due.min().unwrap_or(Stamp(i64::MAX));
        let oldest = self.open.iter().map(Open::first).chain(self.captures.oldest());
        self.pinned = oldest.min().unwrap_or(Stamp(i64::MAX));
    }
}

/// Whether it became worse, which is news though it was closed before.
fn is_worse(measures: &[Measure]) -> bool {
    measures.iter().any(|measure| measure.name == WORSE_THAN)
}

/// What tells apart activities of one trigger that begin at the same time: the component and what it said.
fn name_of(measures: &[Measure]) -> String {
    let texts = measures.iter().filter(|measure| matches!(measure.name, "name" | "text"));
    texts.map(|measure| measure.of.as_str()).collect::<Vec<_>>().join(" ")
}

/// The measures of the stronger of two activities: those whose first number is greater.
fn stronger(one: Vec<Measure>, other: Vec<Measure>) -> Vec<Measure> {
    let strength = |measures: &[Measure]| {
        measures.first().map_or(f64::NEG_INFINITY, |first| {
            if first.value.is_nan() { f64::NEG_INFINITY } else { first.value.abs() }
        })
    };
    if strength(&other) > strength(&one) || one.is_empty() { other } else { one }
}
