//! What is missing is filled in: what today's inference finds in rows of an earlier version, and vectors.

use super::{Done, ScopeWork};
use crate::db::{WriteTx, row_tokens};
use crate::operations::index_entry::index_entry;
use crate::operations::inferred::{Inferred, InferredDescription};
use crate::service::jobs::{Fault, JobRun};
use crate::service::vectors::EMBED_BATCH;
use crate::{Engine, Error, Result};
use robot_memory_core::model::{Kind, LedgerChange, Memory, Scope, Stamp, Status};
use robot_memory_db::{Completion, LedgerNote};
use robot_memory_index::RowSelection;
use serde_json::{Value, json};

/// Rows of an earlier version that are looked at in one step.
const READ_PER_STEP: usize = 128;
/// What a ledger says of it.
const CAUSE: &str = "maintenance";

/// From where the step goes on.
fn after(cursor: &Value, phase: &str) -> Option<i64> {
    cursor.get(phase).and_then(Value::as_i64)
}

impl JobRun<'_> {
    /// Fills in what is missing of the rows of a scope.
    pub(super) fn complete_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        if work.cursor().is_null() {
            let (_, total) = self.engine.rows_of_scope(&work.scope, 0, 0)?;
            work.part().look(total as u64);
        }
        if after(work.cursor(), "vectors").is_none() {
            self.complete_inferred(work)?;
        }
        self.complete_vectors(work)
    }

    /// Fills in names, tags and quantities.
    fn complete_inferred(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let (engine, scope, now) = (self.engine, work.scope.clone(), work.now);
        let mut from = after(work.cursor(), "inferred").unwrap_or(0);
        loop {
            let ids =
                engine.store.read(|tx| tx.rows_of_earlier_version(&scope, from, READ_PER_STEP))?;
            let Some(&last) = ids.last() else { return Ok(()) };
            self.commit_part(work, 0, |tx, part| {
                for &id in &ids {
                    let completed = engine.complete(tx, id, &scope, now)?;
                    part.count("completed", u64::from(completed));
                }
                let done = part.counted("completed");
                Ok(Done { cursor: json!({ "inferred": last }), done })
            })?;
            from = last;
        }
    }

    fn complete_vectors(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let (engine, now) = (self.engine, work.now);
        let from = after(work.cursor(), "vectors").unwrap_or(0);
        let missing = engine.rows_without_vector(&work.scope, from)?;
        for ids in missing.chunks(EMBED_BATCH) {
            let Some(&last) = ids.last() else { continue };
            let made = engine.make_vectors(ids)?;
            self.commit_part(work, missing.len() as u64, |tx, part| {
                let embedded = engine.put_vectors(tx, made)?;
                for id in &embedded {
                    note_completed(tx, *id, "vector", now)?;
                }
                let embedded = embedded.len() as u64;
                part.count("embedded", embedded);
                part.count("not_embedded", ids.len() as u64 - embedded);
                let done = part.counted("embedded") + part.counted("not_embedded");
                Ok(Done { cursor: json!({ "vectors": last }), done })
            })?;
        }
        Ok(())
    }
}

impl Engine {
    /// Fills in what today's inference finds in a row that has nothing there; answers whether there was
    /// something.
    fn complete(&self, tx: &WriteTx<'_>, id: i64, scope: &Scope, now: Stamp) -> Result<bool> {
        let found = tx.memory(id, false)?;
        let found = found.filter(|it| it.status == Status::Active && it.scope == *scope);
        let Some(memory) = found else { return Ok(false) };
        tx.set_row_version(id)?;
        let quantity_key = tx.indexed(id)?.map_or(0, |indexed| indexed.quantity_key);
        let missing = missing(&memory, quantity_key);
        let names = names(&missing);
        if names.is_empty() {
            return Ok(false);
        }
        tx.complete(id, &missing)?;
        note_completed(tx, id, &names.join(" "), now)?;
        let has_tags = !missing.tags.is_empty();
        if missing.quantity_key.is_some() || missing.category.is_some() || has_tags {
            let Memory { content, context, session_id, .. } = &memory;
            let before = row_tokens(tx, content, context, session_id, &memory.tags)?;
            let mut tokens = before.clone();
            if has_tags {
                tokens = row_tokens(tx, content, context, session_id, &missing.tags)?;
                tx.delete_words(id)?;
                tx.insert_words(id, &tokens)?;
            }
            let vector = self.vector_in_use(tx, id)?.map(|vector| vector.components);
            let key = missing.quantity_key.unwrap_or(quantity_key);
            let category = missing.category.or(memory.category);
            let completed = Memory { category, ..memory };
            let belief = tx.belief(id)?;
            tx.index(index_entry(completed, belief, key, tokens, before, vector));
        }
        Ok(true)
    }

    /// The active rows of a scope after this one, in order of id, that have no vector of the present
    /// model; none without a model.
    fn rows_without_vector(&self, scope: &Scope, after: i64) -> Result<Vec<i64>> {
        let Some(model) = self.model() else { return Ok(Vec::new()) };
        let (mut ids, is_exact) = self.view(|_, derived| {
            let Some(number) = derived.rows.names().get(&scope.to_string()) else {
                return Ok((Vec::new(), true));
            };
            let of_scope = RowSelection { scopes: Some(vec![number]), ..RowSelection::default() };
            let mut slots = derived.rows.allowed(&of_scope);
            if let Some(vectors) = &derived.vectors {
                slots.subtract(vectors.present());
            }
            let ids = slots.iter().filter_map(|slot| derived.rows.id(slot));
            Ok((ids.filter(|id| *id > after).collect::<Vec<i64>>(), derived.vectors.is_some()))
        })?;
        if !is_exact {
            // While their index is being built the store is asked, row by row.
            let mut without = Vec::new();
            self.store.read(|tx| {
                for id in ids {
                    if tx.vector_of(id, &model, |_| ())?.is_none() {
                        without.push(id);
                    }
                }
                Ok::<_, Error>(())
            })?;
            ids = without;
        }
        Ok(ids)
    }
}

/// What a row lacks that is found in its words today. What is there stays, whoever gave it.
fn missing(memory: &Memory, quantity_key: i64) -> Completion {
    let unless = |list: &[String], found: Vec<String>| {
        if list.is_empty() { found } else { Vec::new() }
    };
    if memory.kind != Kind::Fact {
        let read = InferredDescription::read(&memory.content, &memory.context);
        return Completion {
            scope_files: unless(&memory.scope_files, read.scope_files),
            scope_entities: unless(&memory.scope_entities, read.scope_entities),
            ..Completion::default()
        };
    }
    let read = || Inferred::read(&memory.content, &memory.context);
    let read = read().with_limits(&memory.context).unwrap_or_else(|_| read());
    let key = read.key().cast_signed();
    Completion {
        category: memory.category.is_none().then_some(read.category),
        tags: unless(&memory.tags, read.tags),
        scope_files: unless(&memory.scope_files, read.described.scope_files),
        scope_entities: unless(&memory.scope_entities, read.described.scope_entities),
        quantity_key: (quantity_key == 0 && key != 0).then_some(key),
    }
}

/// What is filled in, by name.
fn names(missing: &Completion) -> Vec<&'static str> {
    let Completion { category, tags, scope_files, scope_entities, quantity_key } = missing;
    [
        ("category", category.is_some()),
        ("tags", !tags.is_empty()),
        ("scope_files", !scope_files.is_empty()),
        ("scope_entities", !scope_entities.is_empty()),
        ("quantity_key", quantity_key.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, is_missing)| is_missing.then_some(name))
    .collect()
}

fn note_completed(tx: &WriteTx<'_>, id: i64, names: &str, now: Stamp) -> Result<()> {
    tx.note_change(&LedgerNote {
        memory_id: id,
        change: LedgerChange::Completed,
        cause: CAUSE,
        agent: "",
        values: ("", names),
        at: now,
    })?;
    Ok(())
}
