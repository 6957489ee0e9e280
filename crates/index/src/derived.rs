use super::{
    Columns, EventNames, PictureColumn, PlacedRows, Row, Rows, SignatureColumn, Slot, SpatialField,
    SpatialIndex, VectorIndex, WordIndex,
};
use robot_memory_core::limits::{COLUMNS_MAX, RECORDED_CHANGES_MAX, SPATIAL_FIELDS_MAX};
use robot_memory_core::model::{Belief, Category, Cell, Kind, Level, MemType, Path, Stamp, Trust};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(test)]
mod tests;

/// A change of a row that was committed and is to be followed.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone)]
pub enum Change {
    /// The row is new, or what it says or where it belongs has changed.
    Put(Box<Put>),
    /// The row is no longer active.
    Remove {
        id: i64,
        /// The tokens that it had in the word index.
        tokens: Vec<String>,
    },
    /// The row is believed more or less, or it was recalled.
    Belief {
        id: i64,
        /// Belief in it now.
        belief: Belief,
    },
    /// Belief in a collection has faded.
    Faded {
        collection: Arc<str>,
        /// Up to when.
        until: Stamp,
        /// In the rows up to this one.
        last_id: i64,
    },
    /// The row has got another level.
    Level {
        id: i64,
        /// Its level now.
        level: Level,
    },
    /// The row is of another scope.
    Scope {
        id: i64,
        /// Its scope now, as it is written.
        scope: Arc<str>,
    },
    /// The row has got a vector of the present model.
    Vector { id: i64, vector: Vec<f32> },
    /// The row has got a signature of the present version.
    Signature {
        id: i64,
        /// Of which kind of numbers.
        kind: &'static str,
        /// The signature, in steps of its grid.
        steps: Vec<i8>,
    },
    /// The picture of the row has got a vector of the present model of pictures.
    Picture { id: i64, vector: Vec<f32> },
}

/// A row as it is now, with what the indexes take of it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone)]
pub struct Put {
    pub id: i64,
    pub collection: String,
    /// Who may see it, as it is written.
    pub scope: String,
    /// Its session, or empty.
    pub session_id: String,
    /// Reach and life.
    pub level: Level,
    /// Fact, perception or summary.
    pub kind: Kind,
    /// Life cycle class.
    pub mem_type: MemType,
    /// Kind of statement, of a fact.
    pub category: Option<Category>,
    /// How far its source is believed.
    pub trust: Trust,
    /// Whether it is data of the real robot.
    pub is_real: bool,
    /// Belief in it.
    pub belief: Belief,
    pub created_at: Stamp,
    /// Equal for statements that may be the same; 0 when it is not known.
    pub quantity_key: u64,
    /// Its context, JSON or empty.
    pub context: String,
    /// How many of its tokens are words of its text.
    pub word_count: u32,
    /// Its tokens in the word index.
    pub tokens: Vec<String>,
    /// The tokens that it had there before.
    pub tokens_before: Vec<String>,
    /// Its vector of the present model, when it has one.
    pub vector: Option<Vec<f32>>,
}

impl Put {
    fn row(&self) -> Row<'_> {
        Row {
            id: self.id,
            collection: &self.collection,
            scope: &self.scope,
            session: &self.session_id,
            level: self.level,
            kind: self.kind,
            mem_type: self.mem_type,
            category: self.category,
            trust: self.trust,
            is_real: self.is_real,
            belief: self.belief,
            created_at: self.created_at,
            word_count: self.word_count,
            quantity_key: self.quantity_key,
        }
    }
}

impl Change {
    /// The row that changed; `None`: it is not one row.
    fn id(&self) -> Option<i64> {
        match self {
            Self::Put(put) => Some(put.id),
            Self::Faded { .. } => None,
            Self::Remove { id, .. }
            | Self::Belief { id, .. }
            | Self::Level { id, .. }
            | Self::Scope { id, .. }
            | Self::Vector { id, .. }
            | Self::Signature { id, .. }
            | Self::Picture { id, .. } => Some(*id),
        }
    }
}

/// Everything that is derived from the rows and kept in memory. It agrees with one revision of the
/// store; a search uses it only beside a snapshot of that same revision.
///
/// A clone is the next version: it shares all that is not changed since, so that it costs
/// microseconds, and who holds the former one sees nothing of what happens to it. Versions share the
/// recordings and what is known of placed rows, which follow the store and no version.
#[derive(Debug, Clone)]
pub struct Derived {
    /// Facts of active rows.
    pub rows: Rows,
    /// Their words; `None` while the index is being built: then words are read from the store.
    pub words: Option<WordIndex>,
    /// Their vectors; `None` without a model, and while the index is being built: then vectors are
    /// read from the store.
    pub vectors: Option<VectorIndex>,
    /// The vectors of their pictures; `None` without a model of pictures, and while it is being built:
    /// then they are read from the store.
    pub pictures: Option<PictureColumn>,
    /// Values at the context paths that filters asked for.
    pub columns: Columns,
    /// The names of events, once they were asked for.
    event_names: Option<Arc<EventNames>>,
    /// Looked further back by who holds the indexes only for reading.
    placed: Arc<Mutex<PlacedRows>>,
    spatial: Vec<(Arc<SpatialField>, Arc<SpatialIndex>)>,
    /// Signatures of the kinds that were asked for.
    signatures: Vec<(&'static str, SignatureColumn)>,
    /// `None` when a change could not be followed: then it agrees with no revision.
    revision: Option<i64>,
    recorders: Arc<Mutex<Vec<Recorder>>>,
}

/// Names what is [recorded](Derived::record) for one index that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recording(u64);

/// How many recordings there were, in all that was ever derived: what is made anew must not take an
/// earlier one for its own.
static RECORDINGS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
struct Recorder {
    recording: Recording,
    /// With the revision that each came with; `None` when there were too many.
    changes: Option<Vec<(i64, Slot, Arc<Change>)>>,
}

impl Derived {
    /// Nothing yet, of a snapshot of this revision; its rows are to be put into `rows`.
    pub fn at(revision: i64) -> Self {
        Self {
            rows: Rows::default(),
            words: None,
            vectors: None,
            pictures: None,
            columns: Columns::new(COLUMNS_MAX),
            event_names: None,
            placed: Arc::default(),
            spatial: Vec::new(),
            signatures: Vec::new(),
            revision: Some(revision),
            recorders: Arc::default(),
        }
    }

    /// Nothing, of no revision: everything is still to be loaded.
    pub fn behind() -> Self {
        Self { revision: None, ..Self::at(0) }
    }

    /// The store's revision that it agrees with.
    pub fn revision(&self) -> Option<i64> {
        self.revision
    }

    /// Follows committed changes up to a revision. Answers whether it could; if not, it agrees with
    /// no revision any more, and everything must be loaded again.
    #[must_use]
    pub fn apply(&mut self, changes: Vec<Change>, revision: i64) -> bool {
        debug_assert!(
            self.revision.is_none_or(|known| known < revision),
            "commits are followed in order"
        );
        let followed =
            self.revision.is_some() && changes.into_iter().all(|it| self.apply_one(it, revision));
        self.revision = followed.then_some(revision);
        debug_assert!(
            !followed || self.has_vectors_of_live_rows(),
            "only active rows have vectors"
        );
        followed
    }

    /// Whether each vector is that of an active row.
    fn has_vectors_of_live_rows(&self) -> bool {
        let live = self.rows.live();
        self.vectors.as_ref().is_none_or(|vectors| vectors.present().is_subset(live))
    }

    /// Whether each word of a row that was put is found.
    fn has_words_of(&self, change: &Change) -> bool {
        match (change, &self.words) {
            (Change::Put(put), Some(words)) => put.tokens.iter().all(|it| words.df(it) > 0),
            _ => true,
        }
    }

    /// The rows that say where they are, as of the newest version. While it is held no change is followed.
    pub fn placed(&self) -> MutexGuard<'_, PlacedRows> {
        self.placed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The spatial index of a field, when it was built.
    pub fn spatial(&self, field: &SpatialField) -> Option<&SpatialIndex> {
        self.spatial.iter().find(|(known, _)| **known == *field).map(|(_, index)| &**index)
    }

    /// Changes the spatial index of a field, when it was built.
    pub fn spatial_mut(&mut self, field: &SpatialField) -> Option<&mut SpatialIndex> {
        let found = self.spatial.iter_mut().find(|(known, _)| **known == *field);
        found.map(|(_, index)| Arc::make_mut(index))
    }

    /// The fields with a spatial index.
    pub fn spatial_fields(&self) -> impl Iterator<Item = &SpatialField> {
        self.spatial.iter().map(|(field, _)| &**field)
    }

    /// Keeps the spatial index of a field; the one that was built first goes when there are too
    /// many.
    pub fn insert_spatial(&mut self, field: SpatialField, index: SpatialIndex) {
        self.spatial.retain(|(known, _)| **known != field);
        if self.spatial.len() >= SPATIAL_FIELDS_MAX {
            self.spatial.remove(0);
        }
        self.spatial.push((Arc::new(field), Arc::new(index)));
    }

    /// The names of events, when they were built.
    pub fn event_names(&self) -> Option<&EventNames> {
        self.event_names.as_deref()
    }

    /// Keeps the names of events.
    pub fn insert_event_names(&mut self, names: EventNames) {
        self.event_names = Some(Arc::new(names));
    }

    /// The signatures of a kind, when their column was built.
    pub fn signatures(&self, kind: &str) -> Option<&SignatureColumn> {
        self.signatures.iter().find(|(known, _)| *known == kind).map(|(_, column)| column)
    }

    /// Keeps the signatures of a kind.
    pub fn insert_signatures(&mut self, kind: &'static str, column: SignatureColumn) {
        self.signatures.retain(|(known, _)| *known != kind);
        self.signatures.push((kind, column));
    }

    /// Begins to keep the changes that come, for an index that is to be built from a snapshot of this
    /// revision or a later one.
    pub fn record(&self) -> Recording {
        let recording = Recording(RECORDINGS.fetch_add(1, Ordering::Relaxed));
        self.recorders().push(Recorder { recording, changes: Some(Vec::new()) });
        recording
    }

    /// Hands over what was recorded so far of later revisions than `snapshot`, in order; `None` when it was
    /// more than is kept, or when all indexes were made anew meanwhile.
    pub fn take_recorded(
        &self,
        recording: Recording,
        snapshot: i64,
    ) -> Option<Vec<(Slot, Arc<Change>)>> {
        let mut recorders = self.recorders();
        let recorder = recorders.iter_mut().find(|r| r.recording == recording)?;
        let changes = recorder.changes.as_mut().map(std::mem::take)?;
        let later = changes.into_iter().filter(|(revision, ..)| *revision > snapshot);
        Some(later.map(|(_, slot, change)| (slot, change)).collect())
    }

    /// Ends a recording.
    pub fn stop_recording(&self, recording: Recording) {
        self.recorders().retain(|recorder| recorder.recording != recording);
    }

    fn recorders(&self) -> MutexGuard<'_, Vec<Recorder>> {
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply_one(&mut self, change: Change, revision: i64) -> bool {
        if let Change::Faded { collection, until, last_id } = &change {
            self.rows.fade(collection, *until, *last_id);
            return true;
        }
        let slot = match &change {
            Change::Put(put) => self.rows.put(&put.row()),
            _ => change.id().and_then(|id| self.rows.slot(id)),
        };
        let Some(slot) = slot else {
            // What is not active has nothing to follow; a new row without a slot is out of order.
            return !matches!(change, Change::Put(_));
        };
        match &change {
            Change::Remove { .. } => self.rows.remove(slot),
            Change::Belief { belief, .. } => self.rows.set_belief(slot, *belief),
            Change::Level { level, .. } => self.rows.set_level(slot, *level),
            Change::Scope { scope, .. } => self.rows.set_scope(slot, scope),
            Change::Put(_)
            | Change::Faded { .. }
            | Change::Vector { .. }
            | Change::Signature { .. }
            | Change::Picture { .. } => {}
        }
        follow_words(&mut self.words, slot, &change);
        debug_assert!(self.has_words_of(&change), "the words of a row are found");
        if let Some(vectors) = &mut self.vectors {
            follow_vectors(vectors, slot, &change);
        }
        if let Some(pictures) = &mut self.pictures {
            follow_pictures(pictures, slot, &change);
        }
        for (kind, column) in &mut self.signatures {
            follow_signatures(column, kind, slot, &change);
        }
        self.follow_places(&change);
        self.follow_contexts(slot, &change);
        // What no index follows that is being built need not be kept for it.
        if !matches!(change, Change::Belief { .. } | Change::Level { .. } | Change::Scope { .. }) {
            self.keep(revision, slot, change);
        }
        true
    }

    fn follow_places(&mut self, change: &Change) {
        let mut placed = self.placed();
        match change {
            Change::Put(put) => placed.put(put.id, Some(&put.context)),
            Change::Remove { id, .. } => placed.put(*id, None),
            Change::Belief { .. }
            | Change::Faded { .. }
            | Change::Level { .. }
            | Change::Scope { .. }
            | Change::Vector { .. }
            | Change::Signature { .. }
            | Change::Picture { .. } => {}
        }
    }

    fn follow_contexts(&mut self, slot: Slot, change: &Change) {
        let is_followed = matches!(change, Change::Put(_) | Change::Remove { .. });
        let is_needed =
            !self.columns.is_empty() || !self.spatial.is_empty() || self.event_names.is_some();
        if !is_followed || !is_needed {
            return;
        }
        let context = context_of(change);
        if let Some(names) = &mut self.event_names
            && (names.code(slot).is_some() || EventNames::has_event(context.as_ref()))
        {
            Arc::make_mut(names).put(slot, context.as_ref());
        }
        self.columns.apply(slot, context.as_ref());
        for (field, index) in &mut self.spatial {
            let point = context.as_ref().and_then(|context| field.point(context));
            if point.is_some() || index.contains(slot) {
                put_point(Arc::make_mut(index), slot, point);
            }
        }
    }

    fn keep(&mut self, revision: i64, slot: Slot, change: Change) {
        let mut recorders = self.recorders();
        if recorders.is_empty() {
            return;
        }
        let change = Arc::new(change);
        for recorder in recorders.iter_mut() {
            match &mut recorder.changes {
                Some(changes) if changes.len() < RECORDED_CHANGES_MAX => {
                    changes.push((revision, slot, Arc::clone(&change)));
                }
                changes => *changes = None,
            }
        }
    }
}

/// Lets the word index follow a change. One that is full is given up.
pub fn follow_words(index: &mut Option<WordIndex>, slot: Slot, change: &Change) {
    let Some(words) = index else { return };
    match change {
        Change::Put(put) => {
            words.remove(slot, &put.tokens_before);
            if let Err(full) = words.put(slot, &put.tokens) {
                log::warn!("words are searched on disk from now on: {full}");
                *index = None;
            }
        }
        Change::Remove { tokens, .. } => words.remove(slot, tokens),
        Change::Belief { .. }
        | Change::Faded { .. }
        | Change::Level { .. }
        | Change::Scope { .. }
        | Change::Vector { .. }
        | Change::Signature { .. }
        | Change::Picture { .. } => {}
    }
}

/// Lets the vector index follow a change.
pub fn follow_vectors(vectors: &mut VectorIndex, slot: Slot, change: &Change) {
    let vector = match change {
        Change::Put(put) => put.vector.as_ref(),
        Change::Vector { vector, .. } => Some(vector),
        Change::Remove { .. } => None,
        Change::Belief { .. }
        | Change::Faded { .. }
        | Change::Level { .. }
        | Change::Scope { .. }
        | Change::Signature { .. }
        | Change::Picture { .. } => return,
    };
    match vector.map(|vector| vectors.put(slot, vector)) {
        Some(Ok(())) => {}
        Some(Err(error)) => {
            log::warn!("the vector of a row is left out: {error}");
            vectors.remove(slot);
        }
        None => vectors.remove(slot),
    }
}

/// Lets the signatures of a kind follow a change.
pub fn follow_signatures(column: &mut SignatureColumn, kind: &str, slot: Slot, change: &Change) {
    match change {
        Change::Signature { kind: of, steps, .. } if *of == kind => column.put(slot, steps),
        // A row has one signature: another kind's takes its place.
        Change::Signature { .. } | Change::Remove { .. } => column.remove(slot),
        Change::Put(_)
        | Change::Belief { .. }
        | Change::Faded { .. }
        | Change::Level { .. }
        | Change::Scope { .. }
        | Change::Vector { .. }
        | Change::Picture { .. } => {}
    }
}

/// Lets the vectors of pictures follow a change.
pub fn follow_pictures(pictures: &mut PictureColumn, slot: Slot, change: &Change) {
    match change {
        Change::Picture { vector, .. } => pictures.put(slot, vector),
        Change::Remove { .. } => pictures.remove(slot),
        Change::Put(_)
        | Change::Belief { .. }
        | Change::Faded { .. }
        | Change::Level { .. }
        | Change::Scope { .. }
        | Change::Vector { .. }
        | Change::Signature { .. } => {}
    }
}

/// Lets the column of a path follow a change.
pub fn follow_column(column: &mut super::Column, path: &Path, slot: Slot, change: &Change) {
    if matches!(change, Change::Put(_) | Change::Remove { .. }) {
        let context = context_of(change);
        column.put(slot, &Cell::of(context.as_ref().and_then(|context| path.resolve(context))));
    }
}

/// Lets the names of events follow a change.
pub fn follow_event_names(names: &mut EventNames, slot: Slot, change: &Change) {
    if matches!(change, Change::Put(_) | Change::Remove { .. }) {
        names.put(slot, context_of(change).as_ref());
    }
}

/// Lets the spatial index of a field follow a change.
pub fn follow_spatial(index: &mut SpatialIndex, field: &SpatialField, slot: Slot, change: &Change) {
    if matches!(change, Change::Put(_) | Change::Remove { .. }) {
        put_point(index, slot, context_of(change).and_then(|context| field.point(&context)));
    }
}

fn put_point(index: &mut SpatialIndex, slot: Slot, point: Option<Vec<f64>>) {
    match point {
        Some(point) => {
            // It was checked to be a point.
            if index.put(slot, &point).is_err() {
                index.remove(slot);
            }
        }
        None => index.remove(slot),
    }
}

/// The context that a row has after a change; `None` when the row has gone.
fn context_of(change: &Change) -> Option<Value> {
    match change {
        Change::Put(put) => Some(parse_context(&put.context)),
        _ => None,
    }
}

/// A row's context as a value; `Null` when it has none.
pub fn parse_context(context: &str) -> Value {
    if context.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(context).unwrap_or(Value::Null)
}

/// Whether a context says that it is data of the real robot.
pub fn is_real(context: &Value) -> bool {
    context.pointer("/env/sim_or_real").and_then(Value::as_str) == Some("real")
}
