//! `memory import`: what happened in recorded bags, remembered as the node would have.
//!
//! The messages go through the same recorder, in the order in which they were received. Each event
//! has a key of its own, so that an import that was interrupted is simply done again.

mod listening;
mod parameters;
mod progress;
mod report;
mod saving;

use super::arguments::{ImportArguments, StoreArguments};
use super::failure::Failure;
use super::open::{load_model, open_writing, secrets};
use super::output::Output;
use crate::bags::{BagMessage, BagReader, Filter};
use crate::engine::{Engine, Secrets};
use crate::faces::listening::{CLOCK_BACK_NANOS_MAX, sim_or_real};
use crate::faces::paths::Folders;
use crate::model::{Clock, Stamp};
use crate::perception::decode::stamp_of_clock;
use crate::perception::{Event, Received, Recorder};
use listening::{Listening, Origin};
use parameters::Parameters;
use progress::Progress;
use report::{Report, show_events};
use saving::Saving;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Bag time after which the recorder works on what waits.
const STEP_NANOS: i64 = 20_000_000;

/// The time of the bag that is being read.
#[derive(Debug, Default)]
struct BagClock(AtomicI64);

impl BagClock {
    fn set(&self, now: Stamp) {
        self.0.store(now.0, Ordering::Relaxed);
    }
}

impl Clock for BagClock {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp(self.0.load(Ordering::Relaxed)))
    }
}

/// Imports each bag; one that cannot be opened does not keep the others from it.
pub fn run(
    arguments: &ImportArguments,
    mut store: StoreArguments,
    is_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let folders = Folders::from_environment();
    let parameters = Parameters::read(arguments, &folders)?;
    parameters.complete(&mut store, &folders)?;
    let clock = Arc::new(BagClock::default());
    let secrets = secrets(&parameters.settings)?;
    let engine = if arguments.dry_run {
        None
    } else {
        let engine =
            open_writing(&store, &parameters.settings, Arc::clone(&clock) as Arc<dyn Clock>)?;
        load_model(&engine, &store, &parameters.settings)?;
        Some(engine)
    };
    let import = Import { arguments, parameters, clock, engine, secrets };
    let outcome = import.bags(is_json, output);
    let closed = import.engine.as_ref().map_or(Ok(()), Engine::close);
    outcome?;
    Ok(closed?)
}

struct Import<'a> {
    arguments: &'a ImportArguments,
    parameters: Parameters,
    clock: Arc<BagClock>,
    /// `None`: nothing is stored.
    engine: Option<Engine>,
    /// What a dry run does not show either.
    secrets: Secrets,
}

impl Import<'_> {
    fn bags(&self, is_json: bool, output: &mut Output) -> Result<(), Failure> {
        let mut damaged = Vec::new();
        let mut failed: Option<Failure> = None;
        for path in &self.arguments.bags {
            let (report, events) = match self.bag(path) {
                Ok(done) => done,
                Err(failure @ (Failure::Bag(_) | Failure::NothingHeard { .. })) => {
                    if let Some(earlier) = failed.replace(failure) {
                        earlier.tell();
                    }
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if report.is_damaged() {
                damaged.push(path.display().to_string());
            }
            if self.arguments.dry_run {
                show_events(&events, is_json, output)?;
            }
            report.show(is_json, output)?;
        }
        match (failed, damaged.as_slice()) {
            (Some(failure), _) => Err(failure),
            (None, []) => Ok(()),
            (None, damaged) => Err(Failure::Damaged(damaged.join(", "))),
        }
    }

    /// Imports one bag. The events are those that a dry run would have stored, in order of stamp.
    fn bag(&self, path: &Path) -> Result<(Report, Vec<Event>), Failure> {
        let mut reader = BagReader::open(path)?;
        let span = reader.span();
        let (listening, mut recorder) =
            Listening::to(reader.topics(), &self.parameters).map_err(|reason| {
                let problems = reader.problems().into_iter();
                let reason = problems.chain([reason]).collect::<Vec<_>>().join("; ");
                Failure::NothingHeard { path: path.to_owned(), reason }
            })?;
        if let Some((start, _)) = span {
            self.clock.set(start);
        }
        let sim_or_real = sim_or_real(&self.parameters.settings, listening.has_clock());
        let mut saving = match &self.engine {
            Some(engine) => Some(Saving::new(engine, path, span, self, sim_or_real)?),
            None => None,
        };
        let filter = Filter {
            topics: Some(listening.topics()),
            from: self.arguments.from,
            until: self.arguments.until,
        };
        let mut progress = Progress::begin(path, listening.message_count());
        let mut reading = Reading { listening: &listening, now: None, untimed: 0, worked: None };
        let mut events = Vec::new();
        let mut dry = Dry { secrets: &self.secrets, shown: 0, refused: BTreeMap::new() };
        if let Some(from) = self.arguments.from {
            // What was said once, at the beginning, holds.
            let filter =
                Filter { topics: Some(listening.lasting_topics()), from: None, until: Some(from) };
            for message in reader.messages(filter) {
                reading.take(&message?, &mut recorder, &mut events);
            }
        }
        for message in reader.messages(filter) {
            let message = message?;
            progress.message(message.log_time);
            reading.take(&message, &mut recorder, &mut events);
            match &mut saving {
                Some(saving) => saving.save_when_many(&mut events)?,
                None => dry.keep_little(&mut events),
            }
        }
        recorder.finish(&mut events);
        if saving.is_none() {
            dry.keep_little(&mut events);
        }
        events.sort_by_key(|event| event.stamp);
        if let Some(saving) = &mut saving {
            saving.save(&mut events)?;
            if let Some((_, end)) = span {
                self.clock.set(end);
            }
            saving.finish()?;
        }
        let pace = progress.end();
        let untimed = reading.untimed;
        let outcome = saving.map(Saving::outcome);
        let mut report = Report::new(path, span, sim_or_real, pace, outcome);
        report.streams(&listening, &recorder, untimed);
        report.refused(dry.refused);
        report.problems(reader.problems());
        Ok((report, events))
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
                *self.refused.entry(refused.message).or_default() += 1;
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
struct Reading<'a> {
    listening: &'a Listening,
    /// What `/clock` said last.
    now: Option<Stamp>,
    /// Messages from before its first.
    untimed: u64,
    /// When the recorder worked last.
    worked: Option<Stamp>,
}

impl Reading<'_> {
    fn take(&mut self, message: &BagMessage, recorder: &mut Recorder, events: &mut Vec<Event>) {
        let mut received = message.log_time;
        if self.listening.has_clock() {
            // As a node hears it whose time comes from /clock.
            match self.now {
                Some(now) => received = now,
                None if self.listening.is_clock(message.topic) => {}
                None => {
                    self.untimed += 1;
                    return;
                }
            }
        }
        for origin in self.listening.origins(message.topic) {
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
