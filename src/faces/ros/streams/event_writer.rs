//! The thread `store`, which writes events: it makes memories of those in the outbox.

use super::object_writer::{ObjectNotes, store_objects};
use super::outbox::{Captured, Outbox, Outgoing};
use super::status::{StreamStatusRegistry, ThrottledCount};
use crate::faces::listening::sim_or_real;
use crate::faces::ros::parameters::SharedSettings;
use robot_memory_bags::write_clip;
use robot_memory_core::api::{ApiError, CaptureResponse, ErrorKind};
use robot_memory_engine::{Engine, Recorded, Recording};
use robot_memory_perception::{Event, TriggerKind};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Events stored with one wait for the disk: few enough that the node's stop need not wait long.
const BATCH: usize = 16;
/// Before the next attempt, when the store cannot be written.
const REST: Duration = Duration::from_secs(1);
/// Captures whose memories are known until they are asked for.
const CAPTURES_MAX: usize = 256;

/// Stores what is in the outbox.
pub(super) struct EventWriter {
    pub engine: Arc<Engine>,
    pub outbox: Arc<Outbox>,
    pub registry: StreamStatusRegistry,
    pub settings: SharedSettings,
    /// `None`: no clips.
    pub clips_folder: Option<PathBuf>,
}

/// What the thread remembers from one batch to the next.
#[derive(Default)]
struct WriterState {
    /// The memories of captures, by the id of their event.
    captured: BTreeMap<String, Vec<i64>>,
    refused_count: u64,
    refused: ThrottledCount,
    is_blocked: bool,
    objects: ObjectNotes,
}

impl EventWriter {
    /// Does so until the outbox is closed and empty, or its deadline has come.
    pub fn run(self) {
        let mut notes = WriterState::default();
        while let Some(batch) = self.outbox.take(BATCH) {
            let stored = catch_unwind(AssertUnwindSafe(|| self.store(batch, &mut notes)));
            if let Err(_logged_by_the_panic_hook) = stored {
                notes = WriterState::default();
            }
        }
        let left = self.outbox.rest_of();
        let events = left.iter().filter(|left| matches!(left, Outgoing::Event(_))).count();
        if events > 0 {
            log::warn!("{events} events were not stored before the node ended");
        }
    }

    /// Stores events, and answers captures, in their order.
    fn store(&self, batch: Vec<Outgoing>, notes: &mut WriterState) {
        let mut events = Vec::new();
        let mut replies = Vec::new();
        for outgoing in batch {
            match outgoing {
                Outgoing::Event(event) => events.push(*event),
                Outgoing::Objects(seen) => {
                    store_objects(&self.engine, &self.outbox, *seen, &mut notes.objects);
                }
                Outgoing::Captured(event_id, reply) => replies.push((event_id, reply)),
            }
        }
        if !events.is_empty() {
            self.store_events(events, notes);
        }
        // The events of a capture are before it.
        for (event_id, reply) in replies {
            answer(notes, event_id, &reply);
        }
    }

    fn store_events(&self, events: Vec<Event>, notes: &mut WriterState) {
        let settings = self.settings.lock().clone();
        let sim_or_real = sim_or_real(&settings, settings.use_sim_time);
        // What was stored before needs no clip again; an error is told when storing.
        let known = self.engine.recorded(&events).unwrap_or_default();
        let is_known = |i: usize| known.get(i).is_some_and(Option::is_some);
        let recordings: Vec<_> = (0..)
            .zip(events)
            .map(|(i, event)| self.recording(event, is_known(i), sim_or_real))
            .collect();
        loop {
            match self.engine.record(recordings.clone()) {
                Ok(answers) => {
                    if std::mem::take(&mut notes.is_blocked) {
                        log::info!("events are stored again");
                    }
                    for (recording, answer) in recordings.iter().zip(answers) {
                        match answer {
                            Ok(recorded) => self.note(&recording.event, recorded, notes),
                            Err(error) => self.refuse(&recording.event, &error, notes),
                        }
                    }
                    return;
                }
                Err(error) if error.kind == ErrorKind::Unavailable => {
                    if !std::mem::replace(&mut notes.is_blocked, true) {
                        log::warn!("events wait: {error}");
                    }
                    if self.outbox.rest(REST) {
                        log::warn!("{} events were not stored", recordings.len());
                        return;
                    }
                }
                Err(error) => {
                    for recording in &recordings {
                        self.refuse(&recording.event, &error, notes);
                    }
                    return;
                }
            }
        }
    }

    /// With its clip, if it has one and is not known.
    fn recording(&self, mut event: Event, is_known: bool, sim_or_real: &str) -> Recording {
        let has_clip = !is_known && !event.clip.is_empty();
        let folder = self.clips_folder.as_ref().filter(|_| has_clip);
        let clip = folder.and_then(|folder| self.clip(folder, &event));
        event.clip = Vec::new();
        Recording {
            event,
            sim_or_real: sim_or_real.to_owned(),
            session_id: None,
            clip,
            known_at: None,
        }
    }

    /// The clip of an event, written; none of an event that will be refused.
    fn clip(&self, folder: &Path, event: &Event) -> Option<(String, u64)> {
        let secrets = self.engine.secrets();
        if secrets.check_event(event).is_err() {
            return None;
        }
        if let Err(refused) = secrets.check_clip(&event.clip) {
            log::warn!("stream {}: no clip: {}", event.stream, refused.message);
            self.registry.change_named(&event.stream, |status| status.secret_clip_count += 1);
            return None;
        }
        write_clip(folder, event)
            .inspect_err(|error| log::warn!("stream {}: no clip: {error}", event.stream))
            .ok()
    }

    fn note(&self, event: &Event, recorded: Recorded, notes: &mut WriterState) {
        self.registry.change_named(&event.stream, |status| match recorded.is_first {
            true => status.saved_count += 1,
            false => status.known_count += 1,
        });
        // What waits in the write queue is no memory yet.
        if event.trigger == TriggerKind::Capture && recorded.memory_id != 0 {
            if notes.captured.len() >= CAPTURES_MAX {
                notes.captured.pop_first();
            }
            notes.captured.entry(event.event_id.clone()).or_default().push(recorded.memory_id);
        }
    }

    fn refuse(&self, event: &Event, error: &ApiError, notes: &mut WriterState) {
        self.registry.change_named(&event.stream, |status| match error.kind {
            ErrorKind::Refused => status.secret_count += 1,
            _ => status.unsaved_count += 1,
        });
        notes.refused_count += 1;
        if let Some(more) = notes.refused.more(notes.refused_count, Instant::now()) {
            log::warn!("{more} events were not stored, the last of {}: {error}", event.stream);
        }
    }
}

fn answer(notes: &mut WriterState, event_id: String, reply: &SyncSender<Captured>) {
    let memory_ids = notes.captured.remove(&event_id).unwrap_or_default();
    // Nobody may wait any more.
    let _ = reply.try_send(Ok(CaptureResponse { event_id, memory_ids }));
}
