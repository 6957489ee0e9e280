//! The attempts at tasks whose task and outcome are fields of a memory, ready to be asked for.

use super::followed::FromRows;
use robot_memory_core::model::{Kind, MemType, Status};
use robot_memory_db::{self as store, AttemptSource, ReadTx};
use robot_memory_index::{Position, Put, is_real, parse_context};
use robot_memory_text::experience::{
    Attempt, AttemptPlace, AttemptRow, KnownAttempts, Report, steps_key,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What a context has that says which task was tried.
const TASK: &str = "\"task\"";

impl FromRows for KnownAttempts {
    type Row = AttemptRow;

    fn load(tx: &ReadTx<'_>) -> store::Result<Self> {
        let mut attempts = Self::default();
        tx.each_attempt_source(None, None, None, |source| {
            if let Some(row) = attempt_row(source) {
                attempts.put(row);
            }
            ControlFlow::Continue(())
        })?;
        Ok(attempts)
    }

    fn has(&self, id: i64) -> bool {
        Self::has(self, id)
    }

    fn may_be(put: &Put) -> bool {
        put.kind != Kind::Summary && put.context.contains(TASK)
    }

    fn read(tx: &ReadTx<'_>, id: i64) -> store::Result<Option<AttemptRow>> {
        Ok(tx.attempt_source(id)?.filter(counts).and_then(attempt_row))
    }

    fn put(&mut self, id: i64, row: Option<AttemptRow>) {
        match row {
            Some(row) => Self::put(self, row),
            None => self.remove(id),
        }
    }
}

/// Those of some memories that are attempts, by themselves.
pub(crate) fn attempts_among(tx: &ReadTx<'_>, ids: &BTreeSet<i64>) -> store::Result<KnownAttempts> {
    let mut attempts = KnownAttempts::default();
    for id in ids {
        if let Some(row) = <KnownAttempts as FromRows>::read(tx, *id)? {
            attempts.put(row);
        }
    }
    Ok(attempts)
}

/// Whether a memory counts: what nobody withdrew and nothing but another report of an attempt replaced.
fn counts(source: &AttemptSource) -> bool {
    source.kind != Kind::Summary
        && match source.status {
            Status::Active | Status::Archived => true,
            Status::Superseded => source.mem_type == MemType::TaskLog,
            Status::Invalidated => false,
        }
}

/// The attempt that a memory is by its fields. Its words are not read.
fn attempt_row(source: AttemptSource) -> Option<AttemptRow> {
    if !source.context.contains(TASK) {
        return None;
    }
    let report = Report { content: "", context: &source.context, data: "", trust: source.trust };
    let mut attempt = Attempt::read(&report).filter(|it| !it.task.is_empty())?;
    attempt.numbers.retain(|it| it.path.starts_with("params.") || it.path.starts_with("measured."));
    let context = parse_context(&source.context);
    let text = |path: &str| context.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let position = Position::of(&context);
    Some(AttemptRow {
        id: source.id,
        place: AttemptPlace {
            scope: source.scope,
            collection: source.collection,
            mem_type: source.mem_type,
        },
        created_at: source.created_at,
        is_real: is_real(&context),
        reason: text("/task/reason").to_owned(),
        position_m: position.map(|it| (it.xyz_m, text("/spatial/frame").to_owned())),
        steps: steps_key(&context),
        attempt,
    })
}
