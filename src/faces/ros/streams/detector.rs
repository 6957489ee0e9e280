//! The thread `detect`, which detects events: it runs the recorder on the messages of the inbox.

use super::inbox::{Delivery, End, Inbox, StreamUpdate};
use super::outbox::{Captured, Outbox, Outgoing};
use super::status::{StreamStatusRegistry, ThrottledCount};
use crate::faces::ros::parameters::SharedSettings;
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Stamp;
use robot_memory_core::object::TrackedObject;
use robot_memory_perception::objects::ObjectTracker;
use robot_memory_perception::{Capture, Event, Recorder, RecorderSettings, Source, StreamCounts};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

/// How long to wait for messages: events also end by time.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// Between two rounds, so that messages are worked on many at a time.
const POLL_PERIOD: Duration = Duration::from_millis(10);
/// Between two reports to diagnostics.
const REPORT: Duration = Duration::from_secs(1);
/// Messages of a stream that are judged at a time.
const JUDGED_MIN: u64 = 5;

/// A capture that is asked for, and who waits for it.
pub(super) struct CaptureOrder {
    pub capture: Capture,
    pub reply: SyncSender<Captured>,
}

/// The objects that are stored.
pub(super) struct StoredObjects {
    pub generation: u64,
    pub objects: Vec<TrackedObject>,
}

/// Makes events of what is in the inbox, and puts them into the outbox.
pub(super) struct EventDetector {
    pub settings: RecorderSettings,
    pub inbox: Arc<Inbox>,
    pub outbox: Arc<Outbox>,
    pub registry: StreamStatusRegistry,
    /// The map that parameters name; `None`: a topic does.
    pub map_id: Option<SharedSettings>,
    pub asked: Receiver<CaptureOrder>,
    /// Reads the objects that are stored; `None`: they are of this generation still, or cannot be read now.
    pub stored_objects: Box<dyn Fn(Option<u64>) -> Option<StoredObjects> + Send>,
}

/// What the thread keeps between two rounds.
#[derive(Default)]
struct DetectorState {
    recorder: Recorder,
    now: Option<Stamp>,
    /// Captures under way, by the id of their event.
    captures: Vec<(String, SyncSender<Captured>)>,
    events: Vec<Event>,
    /// By stream: its counts when it was last judged, and what was wrong.
    judged: Vec<(StreamCounts, String)>,
    /// Of the objects that the recorder goes on from.
    generation: Option<u64>,
    /// Detections that were dropped.
    dropped: ThrottledCount,
    /// Objects that are no longer tracked.
    forgotten: ThrottledCount,
}

impl EventDetector {
    /// Does so until the inbox is closed and empty. Then all that was open is finished, and nothing
    /// more will come into the outbox.
    pub fn run(self) {
        let mut state = self.new_state();
        // To begin anew with, after a fault.
        let mut updates = Vec::new();
        let mut reported = Instant::now();
        while let Some(delivery) = self.inbox.take(WAIT_MAX) {
            updates.extend(delivery.updates.iter().cloned());
            let understood = catch_unwind(AssertUnwindSafe(|| self.work(&mut state, delivery)));
            if let Err(_logged_by_the_panic_hook) = understood {
                // It is published once, and holds.
                let map_id = state.recorder.map_id().to_owned();
                state = self.new_state();
                state.recorder.set_map_id(&map_id, Stamp(i64::MIN));
                for update in &updates {
                    self.apply_update(&mut state.recorder, update.clone());
                }
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                self.report(&state.recorder);
                self.judge(&state.recorder, &mut state.judged);
                self.hand_on_objects(&mut state);
                self.reload_objects(&mut state);
            }
            std::thread::sleep(POLL_PERIOD);
        }
        let finished = catch_unwind(AssertUnwindSafe(|| {
            state.recorder.finish(&mut state.events);
            self.hand_on(&mut state);
            self.hand_on_objects(&mut state);
            self.report(&state.recorder);
        }));
        if let Err(_logged_by_the_panic_hook) = finished {
            log::error!("what the streams had open is lost");
        }
        self.outbox.close();
    }

    fn new_state(&self) -> DetectorState {
        let recorder = Recorder::new(self.settings.clone(), Vec::new());
        let mut state = DetectorState { recorder, ..DetectorState::default() };
        self.reload_objects(&mut state);
        state
    }

    /// Goes on from the objects that are stored, when they are not those that the recorder knows: some were
    /// deleted, or imported.
    fn reload_objects(&self, state: &mut DetectorState) {
        if let Some(stored) = (self.stored_objects)(state.generation) {
            state.recorder.set_objects(ObjectTracker::live(stored.objects));
            state.generation = Some(stored.generation);
        }
    }

    /// Hands on what became known of objects.
    fn hand_on_objects(&self, state: &mut DetectorState) {
        let mut seen = state.recorder.take_objects();
        seen.generation = state.generation;
        if !seen.is_empty() {
            self.outbox.put(Outgoing::Objects(Box::new(seen)));
        }
        let (counts, now) = (state.recorder.object_counts(), Instant::now());
        if let Some(more) = state.dropped.more(counts.dropped, now) {
            log::warn!("{more} detections were dropped: too many, or too far away");
        }
        if let Some(more) = state.forgotten.more(counts.forgotten, now) {
            log::warn!("{more} objects are no longer tracked: too many, or of too many maps");
        }
    }

    fn work(&self, state: &mut DetectorState, delivery: Delivery) {
        let Delivery { updates, messages, now, end } = delivery;
        for update in updates {
            self.apply_update(&mut state.recorder, update);
        }
        for message in messages {
            state.recorder.take(message);
        }
        if let (Some(settings), Some(now)) = (&self.map_id, now) {
            state.recorder.set_map_id(&settings.lock().map_id, now);
        }
        state.now = now;
        while let Ok(asked) = self.asked.try_recv() {
            begin(state, asked);
        }
        if let Some(now) = now {
            state.recorder.advance(now, &mut state.events);
        }
        match end {
            Some(End::Pause) => state.recorder.pause(&mut state.events),
            Some(End::Reset) => state.recorder.finish(&mut state.events),
            None => {}
        }
        self.hand_on(state);
    }

    fn apply_update(&self, recorder: &mut Recorder, update: StreamUpdate) {
        match update {
            StreamUpdate::Stream(settings) => {
                recorder.add(*settings);
            }
            StreamUpdate::Type(source, type_name, interface) => {
                let is_set = match source {
                    Source::Stream(stream) => recorder.set_type(stream, &type_name, interface),
                    source => recorder.set_pose_type(source, &type_name, interface),
                };
                let problem = is_set.err().map(|error| error.to_string()).unwrap_or_default();
                self.registry.change(source, |status| {
                    if !problem.is_empty() {
                        log::error!("stream {}: its events are not kept: {problem}", status.name);
                    }
                    status.not_understood = problem;
                });
            }
        }
    }

    /// Hands on the finished events, and the captures of which none is to come any more.
    fn hand_on(&self, state: &mut DetectorState) {
        for event in state.events.drain(..) {
            for dropped in self.outbox.put(Outgoing::Event(Box::new(event))) {
                self.registry.change_named(&dropped.stream, |status| status.unsaved_count += 1);
            }
        }
        let recorder = &state.recorder;
        let is_over = |(event_id, _): &mut (String, _)| !recorder.is_capturing(event_id);
        for (event_id, reply) in state.captures.extract_if(.., is_over) {
            self.outbox.put(Outgoing::Captured(event_id, reply));
        }
    }

    /// Tells of streams whose messages are mostly of no use: once in the log, and until it is over.
    fn judge(&self, recorder: &Recorder, judged: &mut Vec<(StreamCounts, String)>) {
        judged.resize_with(recorder.counts().len(), Default::default);
        let streams = recorder.counts().iter().zip(judged).enumerate();
        for (stream, (counts, (before, logged))) in streams {
            if counts.messages < before.messages + JUDGED_MIN {
                continue;
            }
            let useless = useless(before, counts).unwrap_or_default();
            self.registry.change(Source::Stream(stream), |status| {
                if !useless.is_empty() && logged.is_empty() {
                    log::warn!("stream {}: {useless}", status.name);
                }
                status.useless.clone_from(&useless);
            });
            (*before, *logged) = (counts.clone(), useless);
        }
    }

    fn report(&self, recorder: &Recorder) {
        self.registry.set_robot(recorder.robot());
        self.registry.set_frames(recorder.frames(), recorder.map_id());
        self.registry.set_charge(recorder.charge());
        let of_streams = recorder.counts().iter().enumerate();
        let of_streams = of_streams.map(|(stream, counts)| (Source::Stream(stream), counts));
        for (source, counts) in of_streams.chain([(Source::Pose, recorder.pose_counts())]) {
            if source != Source::Pose || counts.messages > 0 {
                self.registry.change(source, |status| status.counts = Some(counts.clone()));
            }
        }
    }
}

/// Why most of the messages since then are of no use, and what to do about it.
fn useless(before: &StreamCounts, now: &StreamCounts) -> Option<String> {
    let messages = now.messages - before.messages.min(now.messages);
    let more = |of: fn(&StreamCounts) -> u64| of(now).saturating_sub(of(before));
    let is_most = |count: u64| 2 * count > messages;
    let (late, repeated) = (more(|counts| counts.late), more(|counts| counts.repeated));
    if is_most(late) {
        return Some(format!(
            "{late} of {messages} messages are dropped: their stamps are older than those that came \
             before on this topic; give each who publishes it a topic of its own, or correct its clock"
        ));
    }
    is_most(repeated).then(|| {
        format!(
            "{repeated} of {messages} messages have the stamp of the one before: what changes fast on \
             it is not seen; stamp them, or publish /clock more often (ros2 bag play --clock 1000)"
        )
    })
}

fn begin(state: &mut DetectorState, asked: CaptureOrder) {
    let CaptureOrder { capture, reply } = asked;
    match state.now {
        Some(now) => {
            let event_id = state.recorder.capture(now, capture);
            state.captures.push((event_id, reply));
        }
        None => {
            let error = ApiError::unavailable("there is no time yet: nothing came on /clock");
            let _ = reply.try_send(Err(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_perception::{Received, TriggerKind, settings};
    use std::sync::mpsc::sync_channel;

    /// CDR of a `std_msgs/Bool`.
    fn message(received_secs: i64, is_on: bool) -> Received {
        Received {
            source: Source::Stream(0),
            received: Stamp::from_secs(received_secs),
            message: vec![0, 1, 0, 0, u8::from(is_on)].into(),
        }
    }

    /// Lets a thread's worth of work be done, and answers what is in the outbox then.
    fn outgoing(fill: impl FnOnce(&Inbox), asked: Receiver<CaptureOrder>) -> Vec<Outgoing> {
        let inbox = Arc::new(Inbox::new(1 << 20));
        let outbox = Arc::new(Outbox::new(1 << 20));
        let bool_name = "std_msgs/msg/Bool";
        let stream = settings::of_topic("/stop", bool_name).unwrap();
        inbox.update(StreamUpdate::Stream(Box::new(stream)));
        inbox.update(StreamUpdate::Type(Source::Stream(0), bool_name.to_owned(), None));
        fill(&inbox);
        inbox.close();
        let detector = EventDetector {
            settings: RecorderSettings::default(),
            inbox,
            outbox: Arc::clone(&outbox),
            registry: StreamStatusRegistry::default(),
            asked,
            map_id: None,
            stored_objects: Box::new(|_| None),
        };
        detector.run();
        let mut all = Vec::new();
        while let Some(taken) = outbox.take(100) {
            all.extend(taken);
        }
        all
    }

    #[test]
    fn edges_become_events_and_what_is_open_at_the_end_is_finished() {
        let (_asks, asked) = sync_channel(1);
        let readings = [(1, false), (2, true), (4, false), (6, true)];
        let fill = |inbox: &Inbox| {
            let messages = readings.map(|(secs, is_on)| message(secs, is_on));
            inbox.deliver(messages, Some(Stamp::from_secs(7)));
        };
        let events: Vec<_> = outgoing(fill, asked)
            .into_iter()
            .map(|outgoing| match outgoing {
                Outgoing::Event(event) => (event.trigger, event.stamp, event.end),
                Outgoing::Objects(_) | Outgoing::Captured(..) => panic!("nobody asked"),
            })
            .collect();
        let secs = Stamp::from_secs;
        assert_eq!(
            events,
            [(TriggerKind::Edge, secs(2), secs(4)), (TriggerKind::Edge, secs(6), secs(6))]
        );
    }

    #[test]
    fn messages_that_are_mostly_of_no_use_are_told_of() {
        let counts = |messages, late, repeated| StreamCounts {
            messages,
            late,
            repeated,
            ..StreamCounts::default()
        };
        let warning = |now: &StreamCounts| useless(&counts(1000, 400, 10), now).unwrap_or_default();
        assert_eq!(warning(&counts(1100, 440, 10)), "");
        assert!(warning(&counts(1100, 480, 10)).starts_with("80 of 100 messages are dropped"));
        assert!(warning(&counts(1010, 400, 19)).starts_with("9 of 10 messages have the stamp"));
        // The counts of a recorder that begins anew.
        assert_eq!(warning(&counts(7, 0, 0)), "");
    }

    #[test]
    fn a_capture_is_told_after_its_events() {
        let (asks, asked) = sync_channel(1);
        let (reply, _captured) = sync_channel(1);
        let capture = Capture {
            reason: "it rattled".to_owned(),
            streams: vec![0],
            before_secs: 1.0,
            after_secs: 1.0,
        };
        asks.send(CaptureOrder { capture, reply }).unwrap();
        let fill = |inbox: &Inbox| {
            inbox.deliver([message(1, false)], Some(Stamp::from_secs(1)));
            inbox.end_time(End::Reset);
            inbox.deliver([message(2, false)], Some(Stamp::from_secs(2)));
        };
        let all = outgoing(fill, asked);
        let captured = all.iter().position(|it| matches!(it, Outgoing::Captured(..))).unwrap();
        let (Outgoing::Captured(event_id, _), Outgoing::Event(event)) = (&all[captured], &all[0])
        else {
            panic!("the event comes first: {all:?}");
        };
        assert_eq!((captured, event.trigger), (1, TriggerKind::Capture));
        assert_eq!(event.event_id, *event_id);
    }

    #[test]
    fn a_capture_before_there_is_any_time_is_refused() {
        let (asks, asked) = sync_channel(1);
        let (reply, captured) = sync_channel(1);
        let capture = Capture {
            reason: "why".to_owned(),
            streams: vec![0],
            before_secs: 1.0,
            after_secs: 1.0,
        };
        asks.send(CaptureOrder { capture, reply }).unwrap();
        assert!(outgoing(|_| {}, asked).is_empty());
        assert!(captured.try_recv().unwrap().is_err());
    }
}
