//! What happened in a recorded bag, remembered as the node would have.
//!
//! The messages go through the same recorder, in the order in which they were received. Each event
//! has a key of its own, so that an import that was interrupted is simply done again.

mod event_writer;
mod listening;
mod pace;
mod parameters;
mod report;
mod simulated;

pub(super) use pace::{Pace, Watch};
pub(super) use parameters::Parameters;
pub(super) use report::Report;

use crate::faces::listening::{CLOCK_BACK_NANOS_MAX, sim_or_real};
use event_writer::ImportedEventWriter;
use listening::{Listening, Origin};
use pace::Progress;
use robot_memory_bags::{BagError, BagMessage, BagReader, Filter};
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Stamp;
use robot_memory_core::object::SeenObjects;
use robot_memory_engine::{Engine, Secrets};
use robot_memory_perception::decode::stamp_of_clock;
use robot_memory_perception::objects::ObjectTracker;
use robot_memory_perception::{Event, Received, Recorder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bag time after which the recorder works on what waits.
const STEP_NANOS: i64 = 20_000_000;
/// Messages after which what became known of objects is stored.
const OBJECTS_EVERY: u32 = 4_096;

/// Why a bag was not imported to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum ImportError {
    #[error("{0}")]
    Bag(#[from] BagError),
    #[error("{}: {reason}", .path.display())]
    NothingHeard { path: PathBuf, reason: String },
    #[error("{0}")]
    Call(#[from] ApiError),
    #[error("the import was stopped")]
    Stopped,
}

/// Where the events of a bag go.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// They are stored.
    Store {
        engine: &'a Engine,
        /// Whether nobody else does the engine's upkeep.
        keeps_up: bool,
    },
    /// Nowhere; they are answered, but for what would be refused.
    DryRun(&'a Secrets),
}

/// Which part of a bag is imported, and how.
pub(super) struct Import<'a> {
    pub parameters: &'a Parameters,
    /// Messages received before are left out, but for what holds from then on.
    pub from: Option<Stamp>,
    /// Messages received after are left out.
    pub until: Option<Stamp>,
    /// Whether each bag gets a session.
    pub has_sessions: bool,
}

impl Import<'_> {
    /// Imports one bag. The events are those that a dry run would have stored, in order of stamp.
    ///
    /// # Errors
    /// When the bag cannot be opened, nothing of it is listened to, the store takes nothing, or the
    /// watch says stop; what was stored by then stays.
    pub fn bag(
        &self,
        path: &Path,
        target: Target<'_>,
        watch: &mut dyn Watch,
    ) -> Result<(Report, Vec<Event>), ImportError> {
        let mut reader = BagReader::open(path)?;
        let span = reader.span();
        let (listening, mut recorder) =
            Listening::to(reader.topics(), self.parameters).map_err(|reason| {
                let problems = reader.problems().into_iter();
                let reason = problems.chain([reason]).collect::<Vec<_>>().join("; ");
                ImportError::NothingHeard { path: path.to_owned(), reason }
            })?;
        watch.begin(path, span);
        let simulated = if self.parameters.settings.sim_or_real.is_empty() {
            simulated::evidence(&mut reader, listening.has_clock)
        } else {
            None
        };
        let sim_or_real = sim_or_real(&self.parameters.settings, simulated.is_some());
        let why = match (&simulated, self.parameters.settings.sim_or_real.as_str()) {
            (Some(evidence), _) => evidence.clone(),
            (None, "") => "nothing in it is of a simulation".to_owned(),
            (None, _) => "given by sim_or_real".to_owned(),
        };
        log::info!("{}: taken as {sim_or_real}: {why}", path.display());
        let mut progress = Progress::begin(listening.message_count, watch);
        let mut sink = match target {
            Target::Store { engine, keeps_up } => {
                let writer =
                    ImportedEventWriter::new(engine, keeps_up, path, span, self, sim_or_real)?;
                Sink::Store(Box::new(writer))
            }
            Target::DryRun(secrets) => {
                Sink::Dry(Dry { secrets, shown: 0, refused: BTreeMap::new() })
            }
        };
        if let Target::Store { engine, .. } = target {
            recorder.set_objects(ObjectTracker::new(engine.known_objects()?));
        }
        let mut since_objects = 0_u32;
        let mut reading =
            BagPosition { listening: &listening, now: None, untimed: 0, worked: None };
        let mut events = Vec::new();
        if let Some(from) = self.from {
            // What was said once, at the beginning, holds.
            let filter = Filter {
                topics: Some(listening.places(Origin::is_lasting)),
                from: None,
                until: Some(from),
            };
            for message in reader.messages(filter) {
                reading.take(&message?, &mut recorder, &mut events);
            }
        }
        let filter =
            Filter { topics: Some(listening.places(|_| true)), from: self.from, until: self.until };
        for message in reader.messages(filter) {
            let message = message?;
            progress.message(message.log_time)?;
            reading.take(&message, &mut recorder, &mut events);
            match &mut sink {
                Sink::Store(writer) => writer.save_when_many(&mut events, &mut progress)?,
                Sink::Dry(dry) => dry.keep_little(&mut events),
            }
            since_objects += 1;
            if since_objects >= OBJECTS_EVERY {
                since_objects = 0;
                sink.take_objects(recorder.take_objects())?;
            }
        }
        recorder.finish(&mut events);
        sink.take_objects(recorder.take_objects())?;
        if let Sink::Dry(dry) = &mut sink {
            dry.keep_little(&mut events);
        }
        events.sort_by_key(|event| event.stamp);
        let untimed = reading.untimed;
        let (outcome, refused) = match sink {
            Sink::Store(mut writer) => {
                writer.save(&mut events, &mut progress)?;
                (Some(writer.finish(&mut progress)?), BTreeMap::new())
            }
            Sink::Dry(dry) => (None, dry.refused),
        };
        let mut report = Report {
            bag: path.display().to_string(),
            span,
            sim_or_real: sim_or_real.to_owned(),
            sim_or_real_why: why,
            poses: listening.poses.clone(),
            pace: progress.pace(),
            outcome,
            streams: Vec::new(),
            notes: listening.notes.clone(),
            problems: reader.problems(),
        };
        let refused_objects = report.outcome.as_ref().map_or(0, |it| it.objects_refused);
        if refused_objects > 0 {
            let note = "objects were not stored: a label holds what is never stored";
            report.notes.push(format!("{refused_objects} {note}"));
        }
        report.streams(&listening, &recorder, untimed);
        report.refused(refused);
        Ok((report, events))
    }
}

/// What becomes of events.
enum Sink<'a> {
    Store(Box<ImportedEventWriter<'a>>),
    Dry(Dry<'a>),
}

impl Sink<'_> {
    fn take_objects(&mut self, seen: SeenObjects) -> Result<(), ImportError> {
        match self {
            Self::Store(writer) if !seen.is_empty() => writer.save_objects(seen),
            Self::Store(_) | Self::Dry(_) => Ok(()),
        }
    }
}

/// What a dry run makes of the events.
struct Dry<'a> {
    secrets: &'a Secrets,
    /// Events that were looked at and are shown.
    shown: usize,
    /// How many are not, by why.
    refused: BTreeMap<String, u64>,
}

impl Dry<'_> {
    /// Lets go of events that would be refused, and of all that is not shown of the others.
    fn keep_little(&mut self, events: &mut Vec<Event>) {
        for mut event in events.split_off(self.shown) {
            if let Err(refused) = self.secrets.check_event(&event) {
                *self.refused.entry(Secrets::reason(&refused).to_owned()).or_default() += 1;
                continue;
            }
            (event.data, event.metadata, event.context) = Default::default();
            (event.signature, event.clip) = Default::default();
            events.push(event);
        }
        self.shown = events.len();
    }
}

/// Where in the bag the reading is.
struct BagPosition<'a> {
    listening: &'a Listening,
    /// What `/clock` said last.
    now: Option<Stamp>,
    /// Messages from before its first.
    untimed: u64,
    /// When the recorder worked last.
    worked: Option<Stamp>,
}

impl BagPosition<'_> {
    fn take(&mut self, message: &BagMessage, recorder: &mut Recorder, events: &mut Vec<Event>) {
        let mut received = message.log_time;
        let origins = self.listening.origins.get(message.topic).map_or(&[][..], Vec::as_slice);
        if self.listening.has_clock {
            // As a node hears it whose time comes from /clock.
            match self.now {
                Some(now) => received = now,
                None if origins.contains(&Origin::Clock) => {}
                None => {
                    self.untimed += 1;
                    return;
                }
            }
        }
        for origin in origins {
            match origin {
                Origin::Clock => {
                    let Ok(tick) = stamp_of_clock(&message.bytes) else { continue };
                    let is_reset = self
                        .now
                        .is_some_and(|now| tick.0 < now.0.saturating_sub(CLOCK_BACK_NANOS_MAX));
                    self.now = if is_reset { Some(tick) } else { self.now.max(Some(tick)) };
                    received = self.now.unwrap_or(tick);
                }
                Origin::Source(source) => {
                    let message = Arc::clone(&message.bytes);
                    recorder.take(Received { source: *source, received, message });
                }
            }
        }
        let is_due = self.worked.is_none_or(|worked| {
            received < worked || received.0.saturating_sub(worked.0) >= STEP_NANOS
        });
        if is_due {
            recorder.advance(received, events);
            self.worked = Some(received);
        }
    }
}
