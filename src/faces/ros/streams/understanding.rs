//! The thread that understands: makes events of messages.

use super::inbox::{Delivery, Inbox, Notice};
use super::outbox::{Captured, Outbox, Outgoing};
use super::status::Board;
use crate::api::ApiError;
use crate::model::Stamp;
use crate::perception::{Capture, Event, Recorder, RecorderSettings, Source};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

/// How long to wait for messages: events also end by time.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// Between two rounds, so that messages are worked on many at a time.
const NAP: Duration = Duration::from_millis(10);
/// Between two reports to diagnostics.
const REPORT: Duration = Duration::from_secs(1);

/// A capture that is asked for, and who waits for it.
pub(super) struct Asked {
    pub capture: Capture,
    pub reply: SyncSender<Captured>,
}

/// Makes events of what is in the inbox, and puts them into the outbox.
pub(super) struct Understanding {
    pub settings: RecorderSettings,
    pub inbox: Arc<Inbox>,
    pub outbox: Arc<Outbox>,
    pub board: Board,
    pub asked: Receiver<Asked>,
}

/// What the thread has in hand.
struct Desk {
    recorder: Recorder,
    now: Option<Stamp>,
    /// Captures under way, by the id of their event.
    captures: Vec<(String, SyncSender<Captured>)>,
    events: Vec<Event>,
}

impl Understanding {
    /// Does so until the inbox is closed and empty. Then all that was open is finished, and nothing
    /// more will come into the outbox.
    pub fn run(self) {
        let mut desk = self.desk();
        // To begin anew with, after a fault.
        let mut notices = Vec::new();
        let mut reported = Instant::now();
        while let Some(delivery) = self.inbox.take(WAIT_MAX) {
            notices.extend(delivery.notices.iter().cloned());
            let understood = catch_unwind(AssertUnwindSafe(|| self.work(&mut desk, delivery)));
            if let Err(_logged_by_the_panic_hook) = understood {
                desk = self.desk();
                for notice in &notices {
                    self.heed(&mut desk.recorder, notice.clone());
                }
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                self.report(&desk.recorder);
            }
            std::thread::sleep(NAP);
        }
        let finished = catch_unwind(AssertUnwindSafe(|| {
            desk.recorder.finish(&mut desk.events);
            self.hand_on(&mut desk);
            self.report(&desk.recorder);
        }));
        if let Err(_logged_by_the_panic_hook) = finished {
            log::error!("what the streams had open is lost");
        }
        self.outbox.close();
    }

    fn desk(&self) -> Desk {
        Desk {
            recorder: Recorder::new(self.settings.clone(), Vec::new()),
            now: None,
            captures: Vec::new(),
            events: Vec::new(),
        }
    }

    fn work(&self, desk: &mut Desk, delivery: Delivery) {
        let Delivery { notices, messages, now, is_end } = delivery;
        for notice in notices {
            self.heed(&mut desk.recorder, notice);
        }
        for message in messages {
            desk.recorder.take(message);
        }
        desk.now = now;
        while let Ok(asked) = self.asked.try_recv() {
            begin(desk, asked);
        }
        if let Some(now) = now {
            desk.recorder.advance(now, &mut desk.events);
        }
        if is_end {
            desk.recorder.finish(&mut desk.events);
        }
        self.hand_on(desk);
    }

    fn heed(&self, recorder: &mut Recorder, notice: Notice) {
        match notice {
            Notice::Stream(settings) => {
                recorder.add(*settings);
            }
            Notice::Type(source, type_name, interface) => {
                let is_set = match source {
                    Source::Stream(stream) => recorder.set_type(stream, &type_name, interface),
                    Source::Pose => recorder.set_pose_type(&type_name, interface),
                    // Always transforms.
                    Source::PoseStatic => Ok(()),
                };
                let problem = is_set.err().map(|error| error.to_string()).unwrap_or_default();
                self.board.change(source, |status| {
                    if !problem.is_empty() {
                        log::error!("stream {}: its events are not kept: {problem}", status.name);
                    }
                    status.not_understood = problem;
                });
            }
        }
    }

    /// Hands on the finished events, and the captures of which none is to come any more.
    fn hand_on(&self, desk: &mut Desk) {
        for event in desk.events.drain(..) {
            for dropped in self.outbox.put(Outgoing::Event(Box::new(event))) {
                self.board.change_named(&dropped.stream, |status| status.unsaved_count += 1);
            }
        }
        let recorder = &desk.recorder;
        let is_over = |(event_id, _): &mut (String, _)| !recorder.is_capturing(event_id);
        for (event_id, reply) in desk.captures.extract_if(.., is_over) {
            self.outbox.put(Outgoing::Captured(event_id, reply));
        }
    }

    fn report(&self, recorder: &Recorder) {
        self.board.set_robot(recorder.robot());
        let of_streams = recorder.counts().iter().enumerate();
        let of_streams = of_streams.map(|(stream, counts)| (Source::Stream(stream), counts));
        for (source, counts) in of_streams.chain([(Source::Pose, recorder.pose_counts())]) {
            if source != Source::Pose || counts.messages > 0 {
                self.board.change(source, |status| status.counts = Some(counts.clone()));
            }
        }
    }
}

fn begin(desk: &mut Desk, asked: Asked) {
    let Asked { capture, reply } = asked;
    match desk.now {
        Some(now) => {
            let event_id = desk.recorder.capture(now, capture);
            desk.captures.push((event_id, reply));
        }
        None => {
            let error = ApiError::unavailable("there is no time yet: nothing came on /clock");
            let _ = reply.try_send(Err(error));
        }
    }
}
