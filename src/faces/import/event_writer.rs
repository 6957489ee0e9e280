//! Events become memories, a batch at a time.

use super::pace::Progress;
use super::{Import, ImportError};
use crate::faces::wall_clock::WallClock;
use robot_memory_bags::write_clip;
use robot_memory_core::api::{GetMemory, GetMemoryRequest, Update, UpdateRequest};
use robot_memory_core::model::{Clock, Stamp, Status};
use robot_memory_core::object::SeenObjects;
use robot_memory_engine::{Engine, Recording, Secrets};
use robot_memory_perception::Event;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Events stored with one wait for the disk.
const BATCH: usize = 64;

/// Events wait so long for others: what was read is not lost when the import is ended.
const WAIT_MAX: Duration = Duration::from_secs(2);

/// Batches after which the store is kept within its bounds.
const UPKEEP_BATCHES: u64 = 16;

/// What became of events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Stored now.
    pub stored: u64,
    /// Stored by an import, or by the node, before.
    pub known: u64,
    /// Of those, to how many the bag's pose was added: they had none.
    pub placed: u64,
    pub clips: u64,
    /// Refused, by why.
    pub refused: BTreeMap<String, u64>,
    /// Clips that could not be written, by why.
    pub without_clip: BTreeMap<String, u64>,
    pub session_id: Option<String>,
    /// Objects that were not stored because of a label.
    pub objects_refused: u64,
}

/// Stores the events of one bag.
pub struct ImportedEventWriter<'a> {
    engine: &'a Engine,
    /// Whether nobody else does the engine's upkeep.
    keeps_up: bool,
    sim_or_real: String,
    /// `None`: no clips.
    clips_folder: Option<PathBuf>,
    session: Session,
    saved: Instant,
    batches: u64,
    outcome: Outcome,
    /// The robot's time, not that of the bag: nothing is forgotten for being of an old bag.
    known_at: Option<Stamp>,
    changed_objects: ChangedObjects<'a>,
}

/// Whether objects were stored; then a node that tracks them learns of it, at the end or after an error.
struct ChangedObjects<'a> {
    engine: &'a Engine,
    has_changed: bool,
}

impl Drop for ChangedObjects<'_> {
    fn drop(&mut self) {
        if self.has_changed {
            self.engine.note_objects_changed();
        }
    }
}

/// The session of a bag: begun with the first event that is new, or by an import that did not end.
struct Session {
    is_wanted: bool,
    begin: Stamp,
    end: Stamp,
    collection: String,
    context: Value,
    id: Option<String>,
}

impl<'a> ImportedEventWriter<'a> {
    pub fn new(
        engine: &'a Engine,
        keeps_up: bool,
        bag: &Path,
        span: Option<(Stamp, Stamp)>,
        import: &Import<'_>,
        sim_or_real: &str,
    ) -> Result<Self, ImportError> {
        let settings = &import.parameters.settings;
        let (begin, end) = span.unwrap_or_default();
        let name = bag.canonicalize().unwrap_or_else(|_| bag.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let collection = settings.default_collection.clone();
        let context = json!({
            "task": {
                "name": "import",
                "bag": {"name": name, "begin": begin.rfc_3339(), "end": end.rfc_3339()},
            },
            "env": {"sim_or_real": sim_or_real},
        });
        let is_wanted = import.has_sessions;
        // That of an import of the same bag that did not come to its end.
        let id = match is_wanted {
            true => engine.open_recorded_session(&collection, &context)?,
            false => None,
        };
        Ok(Self {
            engine,
            keeps_up,
            sim_or_real: sim_or_real.to_owned(),
            clips_folder: (settings.clips_bytes_max > 0).then(|| engine.clips_folder()),
            session: Session { is_wanted, begin, end, collection, context, id },
            saved: Instant::now(),
            batches: 0,
            outcome: Outcome::default(),
            known_at: engine.live_now().or_else(|| WallClock.now()),
            changed_objects: ChangedObjects { engine, has_changed: false },
        })
    }

    /// Stores the events when there are many, or they wait for long.
    pub fn save_when_many(
        &mut self,
        events: &mut Vec<Event>,
        progress: &mut Progress<'_>,
    ) -> Result<(), ImportError> {
        let is_due =
            events.len() >= BATCH || !events.is_empty() && self.saved.elapsed() >= WAIT_MAX;
        if is_due { self.save(events, progress) } else { Ok(()) }
    }

    /// Stores what became known of objects.
    pub fn save_objects(&mut self, seen: SeenObjects) -> Result<(), ImportError> {
        self.outcome.objects_refused += self.engine.record_objects(seen)?;
        self.changed_objects.has_changed = true;
        Ok(())
    }

    /// Stores the events. Those that are known cost no more than a look.
    pub fn save(
        &mut self,
        events: &mut Vec<Event>,
        progress: &mut Progress<'_>,
    ) -> Result<(), ImportError> {
        while !events.is_empty() {
            let rest = events.split_off(events.len().min(BATCH));
            let batch = std::mem::replace(events, rest);
            self.save_batch(batch)?;
            progress.look()?;
        }
        self.saved = Instant::now();
        Ok(())
    }

    fn save_batch(&mut self, batch: Vec<Event>) -> Result<(), ImportError> {
        let known = self.engine.recorded(&batch)?;
        for (event, known) in batch.iter().zip(&known) {
            if let Some(memory_id) = known
                && self.place(*memory_id, event)
            {
                self.outcome.placed += 1;
            }
        }
        let new: Vec<Event> = batch
            .into_iter()
            .zip(&known)
            .filter_map(|(event, known)| known.is_none().then_some(event))
            .collect();
        self.outcome.known += (known.len() - new.len()) as u64;
        if new.is_empty() {
            return Ok(());
        }
        self.session.begin(self.engine)?;
        let recordings = new.into_iter().map(|event| self.recording(event)).collect();
        for answer in self.engine.record(recordings)? {
            match answer {
                Ok(recorded) if recorded.is_first => self.outcome.stored += 1,
                Ok(_) => self.outcome.known += 1,
                Err(error) => {
                    let reason = Secrets::reason(&error).to_owned();
                    *self.outcome.refused.entry(reason).or_default() += 1;
                }
            }
        }
        self.batches += 1;
        if self.keeps_up && self.batches.is_multiple_of(UPKEEP_BATCHES) {
            self.engine.upkeep()?;
        }
        Ok(())
    }

    /// Adds where the robot was to a memory that does not say it; whether it did. One that was forgotten, or
    /// that somebody changed, stays as it is.
    fn place(&self, memory_id: i64, event: &Event) -> bool {
        let parsed = |context: &str| serde_json::from_str::<Map<String, Value>>(context).ok();
        let Some(spatial) =
            parsed(&event.context).and_then(|mut context| context.remove("spatial"))
        else {
            return false;
        };
        let request = GetMemoryRequest { memory_id, ..GetMemoryRequest::default() };
        let Ok(stored) = self.engine.call::<GetMemory>(request) else { return false };
        let Some(mut context) = parsed(&stored.memory.context) else { return false };
        let is_same = stored.memory.content == event.description;
        if !is_same || stored.memory.status != Status::Active || context.contains_key("spatial") {
            return false;
        }
        context.insert("spatial".to_owned(), spatial);
        let request = UpdateRequest {
            memory_id,
            new_content: stored.memory.content,
            context: Value::Object(context).to_string(),
            ..UpdateRequest::default()
        };
        self.engine.call::<Update>(request).is_ok()
    }

    fn recording(&mut self, mut event: Event) -> Recording {
        let clip = match &self.clips_folder {
            Some(folder) if !event.clip.is_empty() => match self.clip(folder, &event) {
                Ok(clip) => {
                    self.outcome.clips += u64::from(clip.is_some());
                    clip
                }
                Err(reason) => {
                    *self.outcome.without_clip.entry(reason).or_default() += 1;
                    None
                }
            },
            _ => None,
        };
        event.clip = Vec::new();
        let session_id = self.session.of(&event.collection);
        Recording {
            event,
            sim_or_real: self.sim_or_real.clone(),
            session_id,
            clip,
            known_at: self.known_at,
        }
    }

    /// The clip of an event, written; none of an event that will be refused.
    fn clip(&self, folder: &Path, event: &Event) -> Result<Option<(String, u64)>, String> {
        let secrets = self.engine.secrets();
        if secrets.check_event(event).is_err() {
            return Ok(None);
        }
        secrets.check_clip(&event.clip).map_err(|refused| Secrets::reason(&refused).to_owned())?;
        write_clip(folder, event).map(Some).map_err(|error| error.to_string())
    }

    /// Ends the session, and does what a node does beside its work.
    pub fn finish(self, progress: &mut Progress<'_>) -> Result<Outcome, ImportError> {
        progress.all_read();
        if let Some(session_id) = &self.session.id {
            self.engine.end_recorded_session(session_id, self.session.end)?;
        }
        if self.keeps_up && self.outcome.stored > 0 {
            while self.engine.upkeep()? {}
        }
        Ok(Outcome { session_id: self.session.id, ..self.outcome })
    }
}

impl Session {
    fn begin(&mut self, engine: &Engine) -> Result<(), ImportError> {
        if self.is_wanted && self.id.is_none() {
            let begun =
                engine.begin_recorded_session(&self.collection, &self.context, self.begin)?;
            self.id = Some(begun);
        }
        Ok(())
    }

    /// The session of an event in this collection: a session is of one.
    fn of(&self, collection: &str) -> Option<String> {
        let is_same = collection.is_empty() || collection == self.collection;
        self.id.clone().filter(|_| is_same)
    }
}
