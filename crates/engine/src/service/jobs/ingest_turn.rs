//! Takes memories out of a finished step.
//!
//! What it says is read by the chat endpoint, when there is one that answers, or by rules; each fact is
//! learned in the step's branch as Learn would, and one short summary stands beside them. Reading and
//! embedding come first; then all of it, and that the job is done, is one transaction.

use super::{Fault, JobRun, Step};
use crate::db::WriteTx;
use crate::operations::chat::word_for;
use crate::operations::learn::CheckedStatement;
use crate::operations::micro_summary::{CheckedSummary, learned_of};
use crate::{Engine, Error, Result};
use robot_memory_chat::{Chat, ChatError, facts_by_chat};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::limits::TURN_FACTS_MAX;
use robot_memory_core::model::{JobScope, Turn};
use robot_memory_db::SaidIn;
use robot_memory_text::inference::{self, TurnFact, TurnFactKind, TurnPlace};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

impl JobRun<'_> {
    pub(super) fn ingest_turn(&self) -> Result<(), Fault> {
        let engine = self.engine;
        let turn_id = &self.lease.job.turn_id;
        let found = engine.store.read(|tx| tx.turn(turn_id))?;
        let Some((turn, is_ingested)) = found else {
            return Err(Fault::Fatal(format!("turn {turn_id} is not there")));
        };
        let ingest = if is_ingested {
            None
        } else {
            let taken = Taken::out_of(&turn, engine.chat());
            self.pause()?;
            Some(engine.check_taken(&turn, taken)?)
        };
        self.pause()?;
        self.commit(
            |tx| match ingest {
                Some(ingest) => engine.store_taken(tx, ingest),
                None => Ok(json!({"facts": [], "known": true})),
            },
            |report| Step::Done(report),
        )?;
        Ok(())
    }
}

/// What was taken out of a step, and by whom.
struct Taken {
    facts: Vec<TurnFact>,
    /// `rules`, or `chat:` and which.
    by: String,
    /// Why it was not the endpoint that was asked.
    fell_back: Option<&'static str>,
    /// What the endpoint answered and the step does not say.
    dropped_count: u64,
}

impl Taken {
    fn out_of(turn: &Turn, chat: Option<std::sync::Arc<dyn Chat>>) -> Self {
        let data: Option<Value> = serde_json::from_str(&turn.data).ok();
        let mut facts = inference::turn_facts(&turn.text, data.as_ref());
        let (mut by, mut fell_back, mut dropped_count) = ("rules".to_owned(), None, 0);
        // Data are read by the rules alone.
        if let Some(chat) = chat.filter(|_| !turn.text.trim().is_empty()) {
            match facts_of_words(&*chat, &turn.text, data.as_ref()) {
                Ok(answered) => {
                    dropped_count = answered.dropped_count;
                    if answered.facts.is_empty() {
                        fell_back = Some("empty");
                    } else {
                        facts.retain(|fact| matches!(fact.place, TurnPlace::Field { .. }));
                        facts.splice(..0, answered.facts);
                        facts.truncate(TURN_FACTS_MAX);
                        by = format!("chat:{}", chat.id());
                    }
                }
                Err(error) => {
                    log::warn!("facts are taken by rules: {error}");
                    fell_back = Some(word_for(&error));
                }
            }
        }
        Self { facts, by, fell_back, dropped_count }
    }
}

struct Answered {
    facts: Vec<TurnFact>,
    dropped_count: u64,
}

fn facts_of_words(
    chat: &dyn Chat,
    text: &str,
    data: Option<&Value>,
) -> Result<Answered, ChatError> {
    let places: Vec<Range<usize>> = inference::sentences(text);
    let sentences: Vec<&str> =
        places.iter().map(|place| text.get(place.clone()).unwrap_or_default()).collect();
    let answer = facts_by_chat(chat, &sentences, data)?;
    let mut dropped_count = answer.dropped_count;
    let mut facts = Vec::with_capacity(answer.facts.len());
    for fact in answer.facts {
        let place = fact.sentence_number.checked_sub(1).and_then(|index| places.get(index));
        let (Some(kind), Some(place)) = (TurnFactKind::parse(&fact.kind), place) else {
            dropped_count += 1;
            continue;
        };
        let place = TurnPlace::Sentence {
            number: fact.sentence_number,
            start: place.start,
            end: place.end,
        };
        facts.push(TurnFact {
            kind,
            text: fact.text,
            context: Map::new(),
            place,
            more_places: Vec::new(),
        });
    }
    // What it says of attempts is held against what the rules know of each.
    let dropped = inference::hold_against_attempts(&mut facts, text, data);
    dropped_count += dropped as u64;
    Ok(Answered { facts, dropped_count })
}

/// All that is to be stored of a step.
struct CheckedTurn<'t> {
    turn: &'t Turn,
    facts: Vec<(TurnFact, Result<CheckedStatement<'t>>)>,
    summary: Option<CheckedSummary>,
    report: Report,
}

/// What became of a step: numbers and ids, and no text of it.
#[derive(Default)]
struct Report {
    facts: Vec<Value>,
    refused: BTreeMap<&'static str, u64>,
    by: String,
    fell_back: Option<&'static str>,
    dropped_count: u64,
}

impl Report {
    fn add(&mut self, fact: &TurnFact, status: &str, memory_id: Option<i64>) {
        let mut fact = json!({
            "kind": fact.kind.as_str(),
            "status": status,
            "sentence": sentence_number(&fact.place),
        });
        if let Some(memory_id) = memory_id {
            fact["memory_id"] = memory_id.into();
        }
        self.facts.push(fact);
    }

    fn refuse(&mut self, error: &ApiError) {
        let reason = match error.kind {
            ErrorKind::Refused => "never_store",
            ErrorKind::InvalidState => "other_bounds",
            _ => "not_a_memory",
        };
        *self.refused.entry(reason).or_default() += 1;
    }

    fn finish(self, summary_id: Option<i64>, compaction_job_id: Option<i64>) -> Value {
        let Self { facts, refused, by, fell_back, dropped_count } = self;
        let mut report = json!({
            "facts": facts,
            "refused": refused,
            "extracted_by": by,
            "dropped_count": dropped_count,
        });
        if let Some(reason) = fell_back {
            report["fell_back"] = reason.into();
        }
        for (name, id) in [("summary_id", summary_id), ("compaction_job_id", compaction_job_id)] {
            if let Some(id) = id {
                report[name] = id.into();
            }
        }
        report
    }
}

impl Engine {
    /// Checks, reads and embeds what was taken out of a step. A fact that is refused is so when its turn
    /// comes.
    fn check_taken<'t>(&self, turn: &'t Turn, taken: Taken) -> Result<CheckedTurn<'t>> {
        let Taken { facts, by, fell_back, dropped_count } = taken;
        let mut report = Report { by, fell_back, dropped_count, ..Report::default() };
        let summary = match self.check_summary(turn, &facts) {
            Ok(summary) => summary,
            Err(Error::Api(refused)) => {
                report.refuse(&refused);
                None
            }
            Err(error) => return Err(error),
        };
        let check = |fact: TurnFact| {
            let request = learned_of(turn, &fact);
            let checked = self.secrets().check(&request).map_err(Error::Api);
            let checked = checked.and_then(|()| self.check_statement(request, Some(turn)));
            (fact, checked)
        };
        let facts = facts.into_iter().map(check).collect();
        Ok(CheckedTurn { turn, facts, summary, report })
    }

    /// Stores what was taken out of a step, and answers what became of it.
    ///
    /// # Errors
    /// When the step was changed meanwhile; then it is to be read again.
    fn store_taken(&self, tx: &WriteTx<'_>, checked: CheckedTurn<'_>) -> Result<Value> {
        let CheckedTurn { turn, facts, summary, mut report } = checked;
        if tx.turn(&turn.turn_id)?.is_none_or(|(now, is_ingested)| now != *turn || is_ingested) {
            let message = format!("turn {} was changed meanwhile", turn.turn_id);
            return Err(Error::unavailable(message));
        }
        let mut noted = BTreeSet::new();
        for (fact, statement) in facts {
            let stored = statement.and_then(|statement| {
                tx.savepoint(|| {
                    let learned = self.store_statement(tx, &statement, &turn.collection)?;
                    let id = learned.memory_id.max(learned.existing_id);
                    for place in std::iter::once(&fact.place).chain(&fact.more_places) {
                        if noted.insert((id, place_of(place))) {
                            tx.insert_turn_memory(&turn.turn_id, id, said_in(place))?;
                        }
                    }
                    Ok((learned.status, id))
                })
            });
            match stored {
                Ok((status, id)) => {
                    report.add(&fact, status.as_str(), Some(id));
                }
                Err(Error::Api(refused)) => {
                    report.refuse(&refused);
                    report.add(&fact, "refused", None);
                }
                // The store is in trouble: the others would fare no better.
                Err(error) => return Err(error),
            }
        }
        let summary_id = match summary {
            Some(summary) => Some(self.store_summary(tx, turn, summary)?),
            None => None,
        };
        tx.set_ingested(&turn.turn_id)?;
        // Nobody could see or delete it.
        tx.blank_forgotten_turn(&turn.turn_id)?;
        let scope = turn.scope();
        let of_branch = JobScope::Of(scope.clone());
        tx.note_processed_turn(&of_branch, turn.turn_no, self.machine_now())?;
        let due = self.queue_compaction_if_due(tx, &scope, &turn.turn_id, &turn.agent)?;
        Ok(report.finish(summary_id, due.map(|job| job.job_id)))
    }
}

fn sentence_number(place: &TurnPlace) -> u32 {
    match place {
        TurnPlace::Sentence { number, .. } => u32::try_from(*number).unwrap_or(u32::MAX),
        TurnPlace::Field { .. } => 0,
    }
}

/// Tells places of one step apart.
fn place_of(place: &TurnPlace) -> (u32, String) {
    match place {
        TurnPlace::Sentence { .. } => (sentence_number(place), String::new()),
        TurnPlace::Field { pointer } => (0, pointer.clone()),
    }
}

fn said_in(place: &TurnPlace) -> SaidIn<'_> {
    match place {
        TurnPlace::Sentence { start, end, .. } => {
            let number = sentence_number(place);
            SaidIn::Sentence { number, bytes: *start..*end }
        }
        TurnPlace::Field { pointer } => SaidIn::Field(pointer),
    }
}
