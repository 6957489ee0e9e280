//! Indexes and orders the memories of one scope anew.
//!
//! In steps, each a transaction of a few rows, of which the job remembers the last: killed at any
//! moment it goes on from there. A row is changed only where it is not as it should be, so that a second
//! run changes nothing.

use super::{Committed, Fault, JobRun};
use crate::db::{Vector, WriteTx, row_tokens};
use crate::operations::index_entry::index_entry;
use crate::operations::jobs::choose_among;
use crate::{Engine, Error, Result};
use robot_memory_core::model::{JobProgress, JobScope, Kind, Scope};
use robot_memory_db::Indexed;
use robot_memory_index::{Change, RowSelection};
use robot_memory_text::inference::{self, Statement};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Rows of a step: to embed them takes a second or two on a small computer.
const ROWS_PER_STEP: usize = 32;
/// Turns of a step.
const TURNS_PER_STEP: u32 = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    force_compaction: bool,
}

/// How far the job is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// Vectors and words of the rows.
    #[default]
    Rows,
    /// Which steps summaries cover.
    Summaries,
    /// Steps that were never taken in.
    Turns,
    /// Nothing but compaction is left.
    Compaction,
}

/// From where the job goes on, and what it has done.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    phase: Phase,
    /// The last row, or the last number of a turn, that was looked at.
    after: i64,
    /// Rows that were looked at.
    rows: u64,
    /// Rows that got a vector.
    embedded: u64,
    /// Rows that should have a vector and got none: the embedder failed, or they were changed meanwhile.
    not_embedded: u64,
    /// Rows whose words were not as they should be.
    reindexed: u64,
    /// Summaries that did not say which steps they cover.
    reordered: u64,
    /// Turns that were queued to be taken in.
    queued_turns: u64,
}

/// A row that is to be looked at, with its vector when it needs one.
struct Row {
    id: i64,
    content: String,
    context: String,
    tags: Vec<String>,
    tokens: Vec<String>,
    quantity_key: i64,
    needs_vector: bool,
    vector: Option<Vector>,
}

impl JobRun<'_> {
    pub(super) fn rebuild_scope(&self) -> Result<(), Fault> {
        let JobScope::Of(scope) = &self.lease.job.scope else {
            return Err(Fault::Fatal("one scope is rebuilt at a time, not all".into()));
        };
        let payload: Payload = self.payload()?;
        let mut position: Position = self.begun_with()?;
        loop {
            let committed = match position.phase {
                Phase::Rows => self.rebuild_rows(scope, position)?,
                Phase::Summaries => self.order_summaries(scope, position)?,
                Phase::Turns => self.queue_turns(scope, position)?,
                Phase::Compaction => self.end_rebuild(scope, position, payload.force_compaction)?,
            };
            if committed.is_done {
                return Ok(());
            }
            position = committed.position;
            self.pause()?;
        }
    }

    /// Gives the next rows the vectors and words that they should have.
    fn rebuild_rows(
        &self,
        scope: &Scope,
        mut position: Position,
    ) -> Result<Committed<Position>, Fault> {
        let engine = self.engine;
        let (ids, total) = engine.rows_of_scope(scope, position.after, ROWS_PER_STEP)?;
        let rows = engine.rows_to_rebuild(&ids)?;
        let is_last = ids.len() < ROWS_PER_STEP;
        let progress_total = total as u64;
        self.commit_step(|tx| {
            for row in &rows {
                engine.rebuild_row(tx, row, &mut position)?;
            }
            position.rows += ids.len() as u64;
            position.after = ids.last().copied().unwrap_or(position.after);
            let progress = JobProgress {
                step: "rows".into(),
                done: position.rows,
                total: progress_total.max(position.rows),
            };
            if is_last {
                position.phase = Phase::Summaries;
                position.after = 0;
            }
            Ok((position, progress))
        })
    }

    /// Lets summaries cover the steps that they were made of, and notes the last step that was taken in.
    fn order_summaries(
        &self,
        scope: &Scope,
        mut position: Position,
    ) -> Result<Committed<Position>, Fault> {
        let engine = self.engine;
        self.commit_step(|tx| {
            position.reordered += tx.order_micros(scope)? as u64;
            for id in tx.miscovered_macros(scope)? {
                engine.cover_again(tx, id)?;
                position.reordered += 1;
            }
            if let Scope::Branch { session, branch } = scope {
                let last = tx.last_ingested_turn(session, branch)?;
                let now = engine.machine_now();
                tx.put_processed_turn(&self.lease.job.scope, last, now)?;
            }
            position.phase = Phase::Turns;
            Ok((position, JobProgress { step: "summaries".into(), done: 1, total: 1 }))
        })
    }

    /// Queues the turns of a branch that were never taken in.
    fn queue_turns(
        &self,
        scope: &Scope,
        mut position: Position,
    ) -> Result<Committed<Position>, Fault> {
        let engine = self.engine;
        self.commit_step(|tx| {
            let mut count = 0;
            if let Scope::Branch { session, branch } = scope {
                let after = u32::try_from(position.after).unwrap_or(u32::MAX);
                for turn_id in tx.turns_left(session, branch, after, TURNS_PER_STEP)? {
                    let Some((turn, _)) = tx.turn(&turn_id)? else { continue };
                    engine.queue_ingest(tx, &turn, &self.lease.job.scope)?;
                    position.after = turn.turn_no.into();
                    count += 1;
                }
            }
            position.queued_turns += u64::from(count);
            if count < TURNS_PER_STEP {
                position.phase = Phase::Compaction;
                position.after = 0;
            }
            Ok((
                position,
                JobProgress { step: "turns".into(), done: position.queued_turns, total: 0 },
            ))
        })
    }

    /// Queues the compaction when it is asked for and possible, and says what was done.
    fn end_rebuild(
        &self,
        scope: &Scope,
        position: Position,
        force_compaction: bool,
    ) -> Result<Committed<Position>, Fault> {
        let engine = self.engine;
        let job = &self.lease.job;
        self.commit(
            |tx| {
                let settings = &engine.config.jobs.compaction;
                let is_possible = force_compaction
                    && choose_among(tx.micro_summaries(scope)?, settings, true).0.is_some();
                let compaction = if is_possible {
                    let queued =
                        engine.queue_compaction(tx, scope, &job.turn_id, &job.agent, true)?;
                    Some(queued.job_id)
                } else {
                    None
                };
                let report = json!({
                    "rows": position.rows,
                    "embedded": position.embedded,
                    "not_embedded": position.not_embedded,
                    "reindexed": position.reindexed,
                    "reordered": position.reordered,
                    "queued_turns": position.queued_turns,
                    "compaction_job_id": compaction,
                });
                Ok(Committed { position, progress: JobProgress::default(), report, is_done: true })
            },
            Committed::step,
        )
    }

    /// Commits a step after which there is more.
    fn commit_step(
        &self,
        f: impl FnOnce(&WriteTx<'_>) -> Result<(Position, JobProgress)>,
    ) -> Result<Committed<Position>, Fault> {
        self.commit(
            |tx| {
                let (position, progress) = f(tx)?;
                Ok(Committed { report: json!(position), position, progress, is_done: false })
            },
            Committed::step,
        )
    }
}

impl Engine {
    /// The first active rows of a scope after this one, in order of id, and how many there are in all.
    pub(crate) fn rows_of_scope(
        &self,
        scope: &Scope,
        after: i64,
        limit: usize,
    ) -> Result<(Vec<i64>, usize)> {
        self.view(|_, derived| {
            let Some(number) = derived.rows.names().get(&scope.to_string()) else {
                return Ok((Vec::new(), 0));
            };
            let selection = RowSelection { scopes: Some(vec![number]), ..RowSelection::default() };
            let slots = derived.rows.allowed(&selection);
            let total = usize::try_from(slots.count()).unwrap_or(usize::MAX);
            let ids = slots.iter().filter_map(|slot| derived.rows.id(slot));
            Ok((ids.skip_while(|id| *id <= after).take(limit).collect(), total))
        })
    }

    /// The newest active row of a scope; 0 when it has none.
    pub(crate) fn newest_of_scope(&self, scope: &Scope) -> Result<i64> {
        Ok(self.rows_of_scope(scope, 0, usize::MAX)?.0.last().copied().unwrap_or(0))
    }

    /// Reads rows and makes the vectors that they lack.
    fn rows_to_rebuild(&self, ids: &[i64]) -> Result<Vec<Row>> {
        let model = self.model();
        let found: Vec<(i64, Indexed, Vec<String>, bool)> = self.store.read(|tx| {
            let mut found = Vec::with_capacity(ids.len());
            for &id in ids {
                let Some(indexed) = tx.indexed(id)? else { continue };
                let needs_vector = match &model {
                    Some(model) => tx.vector_of(id, model, |_| ())?.is_none(),
                    None => false,
                };
                let Indexed { content, context, session_id, tags, .. } = &indexed;
                let tokens = row_tokens(tx, content, context, session_id, tags)?;
                found.push((id, indexed, tokens, needs_vector));
            }
            Ok::<_, Error>(found)
        })?;
        Ok(found
            .into_iter()
            .map(|(id, Indexed { content, context, tags, .. }, tokens, needs_vector)| Row {
                id,
                tokens,
                quantity_key: Statement::parse(&content).key().cast_signed(),
                vector: if needs_vector { self.embed(&content) } else { None },
                needs_vector,
                content,
                context,
                tags,
            })
            .collect())
    }

    /// Gives a row the vector and the words that it should have, unless it changed meanwhile.
    fn rebuild_row(&self, tx: &WriteTx<'_>, row: &Row, position: &mut Position) -> Result<()> {
        let Some(indexed) = tx.indexed(row.id)? else { return Ok(()) };
        let is_same = indexed.content == row.content && indexed.context == row.context;
        if !is_same || indexed.tags != row.tags {
            // Whoever changed it gave it words, and perhaps a vector.
            position.not_embedded += u64::from(row.needs_vector);
            return Ok(());
        }
        if row.needs_vector {
            match row.vector.as_ref().filter(|vector| self.is_in_use(vector)) {
                Some(vector) => {
                    tx.put_vector(row.id, &vector.model, &vector.components)?;
                    let vector = vector.components.clone();
                    tx.index(Change::Vector { id: row.id, vector });
                    position.embedded += 1;
                }
                None => position.not_embedded += 1,
            }
        }
        let Some(memory) = tx.memory(row.id, false)? else { return Ok(()) };
        let quantity_key = if memory.kind == Kind::Fact { row.quantity_key } else { 0 };
        let word_count = inference::word_count(&row.tokens);
        let is_right = indexed.has_words
            && indexed.word_count == word_count
            && indexed.quantity_key == quantity_key
            && tx.has_words(row.id, &row.tokens)?;
        if is_right {
            return Ok(());
        }
        tx.put_words(row.id, &row.tokens, word_count, quantity_key)?;
        position.reindexed += 1;
        // Which words the index in memory has of the row is not known: it is built anew.
        self.change_indexes(|derived| derived.words = None);
        let vector = self.vector_in_use(tx, row.id)?.map(|vector| vector.components);
        let belief = tx.belief(row.id)?;
        tx.index(index_entry(
            memory,
            belief,
            row.quantity_key,
            row.tokens.clone(),
            Vec::new(),
            vector,
        ));
        Ok(())
    }
}
