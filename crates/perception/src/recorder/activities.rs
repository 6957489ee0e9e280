//! What is going on, on all streams: for what is said beside an event, and for which belong together.

use crate::TriggerKind;
use crate::span::{plus_secs, secs_between};
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;

/// Which trigger said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin {
    /// Index of the stream.
    pub stream: usize,
    /// Index of the track in the stream.
    pub track: usize,
    /// Index of the trigger in the track.
    pub trigger: usize,
    /// Which of the trigger's activities.
    pub part: usize,
}

/// From when to when something went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Activity {
    pub origin: Origin,
    pub kind: TriggerKind,
    pub begin: Stamp,
    /// `None` while it goes on.
    pub end: Option<Stamp>,
    /// What moved, when that is said; empty else.
    pub part: &'static str,
}

/// What happened lately.
#[derive(Debug, Clone, Default)]
pub(super) struct Activities {
    all: VecDeque<Activity>,
}

impl Activities {
    /// Seconds after its end that an activity is still known: an event lasts no longer.
    const SECS: f64 = 130.0;
    /// Activities that are known at a time.
    const MAX: usize = 256;

    /// Something begins; what went on of the same origin ends.
    pub fn begin(&mut self, origin: Origin, kind: TriggerKind, begin: Stamp, part: &'static str) {
        self.end(origin, begin, None);
        self.push(Activity { origin, kind, begin, end: None, part });
    }

    /// Something ends; by then it may be known better what moved.
    pub fn end(&mut self, origin: Origin, end: Stamp, part: Option<&'static str>) {
        let open = self.all.iter_mut().rev().find(|one| one.origin == origin && one.end.is_none());
        if let Some(open) = open {
            open.end = Some(end.max(open.begin));
            open.part = part.unwrap_or(open.part);
        }
    }

    /// Something happens.
    pub fn once(&mut self, origin: Origin, kind: TriggerKind, stamp: Stamp) {
        self.push(Activity { origin, kind, begin: stamp, end: Some(stamp), part: "" });
    }

    fn push(&mut self, activity: Activity) {
        let now = activity.begin;
        self.all.push_back(activity);
        let is_old =
            |one: &Activity| one.end.is_some_and(|end| secs_between(end, now) > Self::SECS);
        self.all.retain(|one| !is_old(one));
        if self.all.len() > Self::MAX {
            self.all.pop_front();
        }
    }

    /// What went on between the stamps, in the order in which it became known. `slack_secs` of a
    /// stream is what its activities may have lasted beyond their ends: the time between two of its
    /// readings.
    pub fn between(
        &self,
        begin: Stamp,
        end: Stamp,
        slack_secs: impl Fn(usize) -> f64,
    ) -> impl Iterator<Item = &Activity> {
        self.all.iter().filter(move |one| {
            let is_over =
                one.end.is_some_and(|end| plus_secs(end, slack_secs(one.origin.stream)) < begin);
            one.begin <= end && !is_over
        })
    }
}

/// Events that overlap.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The id they share.
    pub id: String,
    /// When the first began.
    first: Stamp,
    /// When the last of those that are over ended, with what is kept after it.
    until: Stamp,
}

impl Group {
    /// Seconds after its first event in which others join a group: else a robot that never rests
    /// would have one.
    const SECS_MAX: f64 = 60.0;

    /// The group of a first event.
    pub fn new(id: String, first: Stamp, until: Stamp) -> Self {
        Self { id, first, until }
    }

    /// One of its events lasts until `until`.
    pub fn extend(&mut self, until: Stamp) {
        self.until = self.until.max(until);
    }

    /// Whether an event from `begin` to `end` overlaps with it; `open_until`: how long those of its
    /// events last that go on.
    pub fn takes(&self, begin: Stamp, end: Stamp, open_until: Option<Stamp>) -> bool {
        let until = open_until.map_or(self.until, |open| open.max(self.until));
        let distance = secs_between(self.first, begin).abs();
        begin <= until && end >= self.first && distance <= Self::SECS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: Origin = Origin { stream: 0, track: 0, trigger: 0, part: 0 };
    const STOP: Origin = Origin { stream: 1, track: 0, trigger: 0, part: 0 };

    fn secs(secs: i64) -> Stamp {
        Stamp::from_secs(secs)
    }

    #[test]
    fn what_went_on_is_known_between_two_times() {
        let mut activities = Activities::default();
        activities.begin(ARM, TriggerKind::Motion, secs(10), "");
        activities.once(STOP, TriggerKind::Edge, secs(12));
        activities.end(ARM, secs(20), None);
        let at = |begin, end, slack: f64| -> Vec<usize> {
            let found = activities.between(secs(begin), secs(end), move |_| slack);
            found.map(|one| one.origin.stream).collect()
        };
        assert_eq!(at(0, 9, 0.0), [] as [usize; 0]);
        assert_eq!(at(15, 16, 0.0), [0]);
        assert_eq!(at(9, 12, 0.0), [0, 1]);
        assert_eq!(at(21, 22, 0.0), [] as [usize; 0]);
        assert_eq!(at(21, 22, 1.0), [0]);
    }

    #[test]
    fn a_group_takes_what_overlaps_and_not_for_ever() {
        let mut group = Group::new("a".into(), secs(100), secs(103));
        assert!(group.takes(secs(103), secs(110), None));
        assert!(!group.takes(secs(104), secs(110), None));
        assert!(group.takes(secs(104), secs(110), Some(secs(130))));
        assert!(group.takes(secs(98), secs(100), None));
        assert!(!group.takes(secs(97), secs(99), None));
        group.extend(secs(1000));
        assert!(!group.takes(secs(161), secs(170), None));
    }

    #[test]
    fn activities_are_bounded() {
        let mut activities = Activities::default();
        for index in 0..10_000 {
            activities.once(STOP, TriggerKind::Edge, Stamp(index));
        }
        assert_eq!(activities.all.len(), Activities::MAX);
    }
}
