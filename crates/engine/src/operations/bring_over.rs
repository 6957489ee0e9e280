//! What another program remembered: stored as Learn and SavePerception would have stored it, at the time at which
//! that program stored it, and believed as far as it believed it.

use super::check;
use super::sessions::given_session_id;
use crate::db::{Outcome, WriteTx};
use crate::{Operations, Result};
use FieldText::{Json, Text};
use robot_memory_core::api::{
    ApiError, DuplicateMethod, FieldText, LearnRequest, LearnStatus, SavePerceptionRequest,
    StorableTexts,
};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_db::{Hearsay, SessionDraft};
use robot_memory_index::Change;

/// A memory of another program.
#[derive(Debug, Clone)]
pub struct ForeignMemory {
    /// What it says.
    pub said: ForeignContent,
    /// When it was stored there; not known, or later than now: now.
    pub created_at: Option<Stamp>,
    /// How far it is believed there, 0 to 1; not known: as its words say.
    pub confidence: Option<f64>,
    /// As what another robot told it, if one did: it goes back to that.
    pub told: Option<Box<Hearsay>>,
}

impl ForeignMemory {
    /// The same of no session; `None`: it is of none.
    pub fn without_session(mut self) -> Option<Self> {
        let session_id = match &mut self.said {
            ForeignContent::Statement(request) => &mut request.session_id,
            ForeignContent::Perception(request) => &mut request.session_id,
        };
        (!std::mem::take(session_id).is_empty()).then_some(self)
    }
}

/// What it says, as a request.
#[derive(Debug, Clone)]
pub enum ForeignContent {
    /// A statement.
    Statement(LearnRequest),
    /// Something perceived.
    Perception(SavePerceptionRequest),
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub enum BroughtOver {
    /// It is a memory.
    Kept {
        /// Which.
        memory_id: i64,
        /// Whether its text was cut.
        truncated: bool,
        /// Whether it was not there before.
        is_new: bool,
    },
    /// A memory says it already.
    Merged {
        /// Which.
        memory_id: i64,
        /// How that was found.
        method: Option<DuplicateMethod>,
        /// Of the two.
        similarity: f64,
    },
}

/// An episode of another program.
#[derive(Debug, Clone)]
pub struct ForeignSession {
    /// As it is called there.
    pub session_id: String,
    /// Empty: the default collection.
    pub collection: String,
    /// JSON object, or empty.
    pub context: String,
    /// When it began.
    pub started_at: Stamp,
}

impl Operations {
    /// Stores one memory, unless one says it already. One that was brought over before, by its idempotency key, is
    /// answered as then. For the operator.
    ///
    /// # Errors
    /// As of Learn and SavePerception; then nothing was stored.
    pub fn bring_over(&self, memory: ForeignMemory) -> Result<BroughtOver, ApiError> {
        let ForeignMemory { said, created_at, confidence, told } = memory;
        let brought = match said {
            ForeignContent::Statement(request) => {
                self.admit(&request)?;
                self.bring_statement(request, created_at, confidence, told)
            }
            ForeignContent::Perception(request) => {
                self.admit(&request)?;
                self.bring_perception(request, created_at, confidence, told)
            }
        };
        Ok(brought?)
    }

    fn admit(&self, request: &impl StorableTexts) -> Result<(), ApiError> {
        check::lengths(request)?;
        self.secrets().check(request)
    }

    fn bring_statement(
        &self,
        request: LearnRequest,
        created_at: Option<Stamp>,
        confidence: Option<f64>,
        told: Option<Box<Hearsay>>,
    ) -> Result<BroughtOver> {
        let mut checked = self.check_learn(request)?;
        let confidence = checked_confidence(confidence)?;
        let now = checked.statement.now;
        let at = at(created_at, now);
        checked.statement.now = at;
        checked.statement.said_then = (at < now).then_some(at);
        self.write(|tx| {
            let newest = tx.newest_id()?;
            let outcome = self.store_learn(tx, checked)?;
            let (Outcome::Changed(stored) | Outcome::Unchanged(stored)) = &outcome;
            let is_new = stored.memory_id > newest;
            let brought = match stored.status {
                LearnStatus::Created | LearnStatus::Queued => BroughtOver::Kept {
                    memory_id: stored.memory_id,
                    truncated: stored.truncated,
                    is_new,
                },
                LearnStatus::Duplicate => BroughtOver::Merged {
                    memory_id: stored.existing_id,
                    method: stored.method,
                    similarity: stored.similarity,
                },
            };
            if is_new {
                believe(tx, stored.memory_id, confidence, at, now)?;
                note_adopted(tx, stored.memory_id, told)?;
            }
            Ok(Outcome::of(matches!(outcome, Outcome::Changed(_)), brought))
        })
    }

    fn bring_perception(
        &self,
        request: SavePerceptionRequest,
        created_at: Option<Stamp>,
        confidence: Option<f64>,
        told: Option<Box<Hearsay>>,
    ) -> Result<BroughtOver> {
        let mut checked = self.check_save_perception(request)?;
        let confidence = checked_confidence(confidence)?;
        let now = checked.now;
        let at = at(created_at, now);
        checked.now = at;
        self.write(|tx| {
            let newest = tx.newest_id()?;
            let outcome = self.store_perception(tx, checked)?;
            let (Outcome::Changed(stored) | Outcome::Unchanged(stored)) = &outcome;
            let (memory_id, truncated) = (stored.memory_id, stored.truncated);
            let is_new = memory_id > newest;
            if is_new {
                believe(tx, memory_id, confidence, at, now)?;
                note_adopted(tx, memory_id, told)?;
            }
            let brought = BroughtOver::Kept { memory_id, truncated, is_new };
            Ok(Outcome::of(matches!(outcome, Outcome::Changed(_)), brought))
        })
    }

    /// Begins a session as it was there, under its own id. Answers whether it did: not when there is one of this id.
    /// Though it is open, what is stored without a session does not become part of it.
    ///
    /// # Errors
    /// When a field of it cannot be stored.
    pub fn begin_foreign_session(&self, session: &ForeignSession) -> Result<bool, ApiError> {
        let ForeignSession { session_id, collection, context, started_at } = session;
        let secrets = self.secrets();
        let given = [("session_id", session_id), ("collection", collection), ("context", context)];
        for (field, text) in given {
            let is_json = field == "context" && !text.is_empty();
            secrets.check_given(field, if is_json { Json(text) } else { Text(text) })?;
        }
        let began = || -> Result<bool> {
            given_session_id(session_id)?;
            check::object("context", context, CONTEXT_BYTES_MAX)?;
            let collection = self.collection(collection)?;
            let started_at = self.now()?.min(*started_at);
            self.write(|tx| {
                if tx.session(session_id)?.is_some() {
                    return Ok(Outcome::Unchanged(false));
                }
                tx.insert_recorded_session(&SessionDraft {
                    session_id,
                    collection: &collection,
                    agent: "",
                    context: context.trim(),
                    started_at,
                })?;
                Ok(Outcome::Changed(true))
            })
        };
        Ok(began()?)
    }

    /// Ends a session that [`begin_foreign_session`](Self::begin_foreign_session) began, as it ended there. Nothing
    /// is merged and nothing fades: that was done there.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn end_foreign_session(
        &self,
        session_id: &str,
        outcome_score: Option<f64>,
        ended_at: Stamp,
    ) -> Result<(), ApiError> {
        let score = outcome_score.filter(|score| (0.0..=1.0).contains(score));
        let ended = || -> Result<()> {
            let ended_at = self.now()?.min(ended_at);
            self.write(|tx| {
                tx.end_session(session_id, score, ended_at)?;
                Ok(Outcome::Changed(()))
            })
        };
        Ok(ended()?)
    }
}

/// When it was stored, by the clock here.
fn at(created_at: Option<Stamp>, now: Stamp) -> Stamp {
    created_at.map_or(now, |at| at.min(now))
}

fn checked_confidence(confidence: Option<f64>) -> Result<Option<f64>> {
    confidence.map(|it| check::within("confidence", it, 0.0, 1.0)).transpose()
}

/// Notes what a new memory was adopted from. A claim of it in the stream is known then, unless it is newer.
fn note_adopted(tx: &WriteTx<'_>, id: i64, told: Option<Box<Hearsay>>) -> Result<()> {
    let Some(told) = told else { return Ok(()) };
    let known = tx.hearsay(&told.origin, told.origin_memory_id)?;
    Ok(tx.put_hearsay(&Hearsay { adopted_id: Some(id), ..known.unwrap_or(*told) })?)
}

/// Lets a new memory be believed as far as it was, and fade from now on: how it faded there is in that figure.
fn believe(
    tx: &WriteTx<'_>,
    id: i64,
    confidence: Option<f64>,
    at: Stamp,
    now: Stamp,
) -> Result<()> {
    if let Some(confidence) = confidence {
        tx.say(id, confidence, at)?;
    }
    let belief = tx.set_known_at(id, now)?;
    tx.index(Change::Belief { id, belief });
    Ok(())
}
