use super::{Columns, Rows, SpatialIndex, VectorIndex, points_from};
use crate::limits::{COLUMNS_MAX, SPATIAL_FIELDS_MAX};
use crate::model::{Memory, Path};
use serde_json::Value;

/// A change of a row that was committed and is to be followed.
#[derive(Debug, Clone)]
pub enum Change {
    /// The row is new, or what it says or where it belongs has changed.
    Put {
        /// The row as it is now.
        memory: Box<Memory>,
        /// Its tokens in the word index.
        word_count: u32,
        /// Its vector of the present model, when it has one.
        vector: Option<Vec<f32>>,
    },
    /// The row is no longer active.
    Remove {
        /// The row.
        id: i64,
    },
    /// The row's confidence faded.
    Confidence {
        /// The row.
        id: i64,
        /// Its confidence now.
        confidence: f64,
    },
    /// The row has got a vector of the present model.
    Vector {
        /// The row.
        id: i64,
        /// The vector.
        vector: Vec<f32>,
    },
}

/// Everything that is derived from the rows and kept in memory. It agrees with one revision of the
/// store; a search uses it only beside a snapshot of that same revision.
#[derive(Debug)]
pub struct Derived {
    /// Facts of active rows.
    pub rows: Rows,
    /// Their vectors, when there is a model.
    pub vectors: Option<VectorIndex>,
    /// Values at the context paths that filters asked for.
    pub columns: Columns,
    spatial: Vec<(Path, SpatialIndex)>,
    /// `None` when a change could not be followed: then it agrees with no revision.
    revision: Option<i64>,
}

impl Derived {
    /// Nothing yet, of a snapshot of this revision; its rows are to be [loaded](Self::load).
    pub fn at(revision: i64) -> Self {
        Self {
            rows: Rows::default(),
            vectors: None,
            columns: Columns::new(COLUMNS_MAX),
            spatial: Vec::new(),
            revision: Some(revision),
        }
    }

    /// Takes in an active row of the snapshot; rows come in order of id.
    pub fn load(&mut self, memory: &Memory, word_count: u32) {
        // Most contexts need not be parsed for this.
        let may_be_real = memory.context.contains("sim_or_real");
        let is_real = may_be_real && is_real(&parse_context(&memory.context));
        if self.rows.put(memory, is_real, word_count).is_none() {
            self.revision = None;
        }
    }

    /// The store's revision that it agrees with.
    pub fn revision(&self) -> Option<i64> {
        self.revision
    }

    /// Follows committed changes up to a revision. Answers whether it could; if not, it agrees with
    /// no revision any more, and everything must be loaded again.
    #[must_use]
    pub fn apply(&mut self, changes: Vec<Change>, revision: i64) -> bool {
        let followed =
            self.revision.is_some() && changes.into_iter().all(|change| self.apply_one(change));
        self.revision = followed.then_some(revision);
        for (_, index) in &mut self.spatial {
            index.rebuild_if_due();
        }
        followed
    }

    /// The spatial index of a field, when it was built.
    pub fn spatial(&self, field: &Path) -> Option<&SpatialIndex> {
        self.spatial.iter().find(|(path, _)| path == field).map(|(_, index)| index)
    }

    /// Keeps the spatial index of a field; the one that was built first goes when there are too
    /// many.
    pub fn insert_spatial(&mut self, field: Path, index: SpatialIndex) {
        self.spatial.retain(|(path, _)| *path != field);
        if self.spatial.len() >= SPATIAL_FIELDS_MAX {
            self.spatial.remove(0);
        }
        self.spatial.push((field, index));
    }

    fn apply_one(&mut self, change: Change) -> bool {
        match change {
            Change::Put { memory, word_count, vector } => self.put(&memory, word_count, vector),
            Change::Remove { id } => {
                if let Some(slot) = self.rows.slot(id) {
                    self.rows.remove(slot);
                    self.columns.apply(slot, None);
                    if let Some(vectors) = &mut self.vectors {
                        vectors.remove(slot);
                    }
                    for (_, index) in &mut self.spatial {
                        index.remove(slot);
                    }
                }
                true
            }
            Change::Confidence { id, confidence } => {
                if let Some(slot) = self.rows.slot(id) {
                    self.rows.set_confidence(slot, confidence);
                }
                true
            }
            Change::Vector { id, vector } => match (self.rows.slot(id), &mut self.vectors) {
                (Some(slot), Some(vectors)) => vectors.put(slot, &vector).is_ok(),
                _ => true,
            },
        }
    }

    fn put(&mut self, memory: &Memory, word_count: u32, vector: Option<Vec<f32>>) -> bool {
        let context = parse_context(&memory.context);
        let Some(slot) = self.rows.put(memory, is_real(&context), word_count) else {
            return false;
        };
        self.columns.apply(slot, Some(&context));
        for (path, index) in &mut self.spatial {
            match path.resolve(&context).and_then(points_from) {
                Some(point) => {
                    if index.put(slot, &point).is_err() {
                        return false;
                    }
                }
                None => index.remove(slot),
            }
        }
        match (&mut self.vectors, vector) {
            (Some(vectors), Some(vector)) => vectors.put(slot, &vector).is_ok(),
            (Some(vectors), None) => {
                vectors.remove(slot);
                true
            }
            (None, _) => true,
        }
    }
}

/// A row's context as a value; `Null` when it has none.
pub fn parse_context(context: &str) -> Value {
    if context.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(context).unwrap_or(Value::Null)
}

/// Whether a context says that its row is data of the real robot.
pub fn is_real(context: &Value) -> bool {
    context.pointer("/env/sim_or_real").and_then(Value::as_str) == Some("real")
}
