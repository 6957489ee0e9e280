//! Contradictions are found, settled where a rule does, and reported where none does.

use super::{Done, ScopePart, ScopeWork};
use crate::db::WriteTx;
use crate::operations::conflicts::{Settled, settle};
use crate::operations::judgment::ParsedStatement;
use crate::operations::supersede::supersede;
use crate::service::jobs::{Fault, JobRun};
use crate::{Engine, Error, Result};
use robot_memory_core::limits::{CONTRADICTIONS_MAX, CONTRADICTORY_PER_SUBJECT_MAX};
use robot_memory_core::model::{
    JudgedBy, Kind, Level, MemType, Memory, PairVerdict, Scope, Stamp, Status,
};
use robot_memory_db::JudgedPair;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs that are settled in one step.
const SETTLED_PER_STEP: usize = 64;

/// What rows that can contradict each other have in common: the collection, and a key of the subject, of
/// the heading or of what is denied.
type Subject = (String, u8, u64);

/// Contradictions of a scope.
#[derive(Default)]
struct Contradictions {
    /// What was said last first, so that what holds is known before what it holds against.
    pairs: Vec<(i64, i64)>,
    /// Rows that were not held against others, and pairs that were not dealt with.
    left_out: u64,
}

impl JobRun<'_> {
    /// Finds what contradicts each other in the scope, lets the rule of the class decide, and reports what
    /// stands against each other afterwards.
    pub(super) fn conflicts_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let engine = self.engine;
        let (scope, now) = (work.scope.clone(), work.now);
        let found = engine.contradictions(&scope)?;
        let total = found.pairs.len() as u64;
        let mut done = 0;
        for pairs in found.pairs.chunks(SETTLED_PER_STEP) {
            done += pairs.len() as u64;
            self.commit_part(work, total, |tx, part| {
                for &ids in pairs {
                    settle_pair(tx, part, &scope, ids, now)?;
                }
                Ok(Done { cursor: Value::Null, done })
            })?;
        }
        // Noted with whatever is committed next.
        let part = work.part();
        for pair in engine.store.read(|tx| tx.conflict_pairs(&scope))? {
            part.find("conflict", &[pair.ids.0, pair.ids.1], &pair.reason);
        }
        if found.left_out > 0 {
            part.count("left_out", found.left_out);
        }
        Ok(())
    }
}

impl Engine {
    /// Pairs of active facts of a scope that cannot both hold. Only those with a subject in common are held
    /// against each other.
    fn contradictions(&self, scope: &Scope) -> Result<Contradictions> {
        let (ids, _) = self.rows_of_scope(scope, 0, usize::MAX)?;
        let mut subjects: BTreeMap<Subject, Vec<(Stamp, i64)>> = BTreeMap::new();
        let mut found = Contradictions::default();
        self.store.read(|tx| {
            for id in ids {
                let Some(memory) = tx.memory(id, false)?.filter(|it| may_contradict(it, scope))
                else {
                    continue;
                };
                let parsed = ParsedStatement::of(&memory.content, &memory.context);
                let mut note = |kind: u8, key: u64| {
                    let subject = (memory.collection.clone(), kind, key);
                    subjects.entry(subject).or_default().push((memory.updated_at, id));
                };
                if let Some(key) = parsed.proposition.subject_key() {
                    note(0, key);
                }
                if memory.mem_type == MemType::Procedure
                    && let Some(key) = parsed.proposition.heading_key()
                {
                    note(1, key);
                }
                note(2, parsed.paraphrase.affirmed_key());
            }
            Ok::<_, Error>(())
        })?;
        let mut pairs = BTreeSet::new();
        for mut rows in subjects.into_values().filter(|rows| rows.len() > 1) {
            rows.sort_unstable();
            let over = rows.len().saturating_sub(CONTRADICTORY_PER_SUBJECT_MAX);
            found.left_out += over as u64;
            let rows = self.read_all(&rows[over..])?;
            for (place, (later, parsed)) in rows.iter().enumerate() {
                for (earlier, other) in &rows[..place] {
                    if contradict((later, parsed), (earlier, other)) {
                        pairs.insert((order(later), order(earlier)));
                    }
                }
            }
        }
        found.left_out += pairs.len().saturating_sub(CONTRADICTIONS_MAX) as u64;
        let newest = pairs.into_iter().rev().take(CONTRADICTIONS_MAX);
        found.pairs = newest.map(|((_, later), (_, earlier))| (later, earlier)).collect();
        Ok(found)
    }

    fn read_all(&self, rows: &[(Stamp, i64)]) -> Result<Vec<(Memory, ParsedStatement)>> {
        self.store.read(|tx| {
            let mut read = Vec::with_capacity(rows.len());
            for (_, id) in rows {
                if let Some(memory) = tx.memory(*id, false)? {
                    let parsed = ParsedStatement::of(&memory.content, &memory.context);
                    read.push((memory, parsed));
                }
            }
            Ok(read)
        })
    }
}

/// In which order rows were said.
fn order(memory: &Memory) -> (Stamp, i64) {
    (memory.updated_at, memory.id)
}

/// Whether a row is one of those that are held against each other: what happened on one occasion
/// contradicts nothing, and a working memory is its session's.
fn may_contradict(memory: &Memory, scope: &Scope) -> bool {
    memory.status == Status::Active
        && memory.kind == Kind::Fact
        && memory.mem_type != MemType::TaskLog
        && memory.level != Level::Working
        && memory.scope == *scope
}

fn contradict(
    (a, one): (&Memory, &ParsedStatement),
    (b, other): (&Memory, &ParsedStatement),
) -> bool {
    one.contradicts(other).is_some()
        || a.mem_type == MemType::Procedure
            && b.mem_type == MemType::Procedure
            && one.proposition.is_version_of(&other.proposition)
            && one.setting.agrees_with(&other.setting)
}

/// Lets one of two rows stand for the other, when they are still there and a rule says which; else keeps
/// that they are in conflict.
fn settle_pair(
    tx: &WriteTx<'_>,
    part: &mut ScopePart,
    scope: &Scope,
    ids: (i64, i64),
    now: Stamp,
) -> Result<()> {
    let (Some(a), Some(b)) = (tx.memory(ids.0, false)?, tx.memory(ids.1, false)?) else {
        return Ok(());
    };
    let (one, other) =
        (ParsedStatement::of(&a.content, &a.context), ParsedStatement::of(&b.content, &b.context));
    if !may_contradict(&a, scope)
        || !may_contradict(&b, scope)
        || a.collection != b.collection
        || !contradict((&a, &one), (&b, &other))
    {
        return Ok(());
    }
    let (kept, gone, rule) = match settle(&a, &b) {
        Settled::First(rule) => (a, b, rule),
        Settled::Second(rule) => (b, a, rule),
        Settled::Neither(reason) => {
            tx.put_pair(&JudgedPair {
                ids,
                verdict: PairVerdict::Conflict,
                reason,
                judged_by: JudgedBy::Rules,
                judged_at: now,
            })?;
            return Ok(());
        }
    };
    supersede(tx, gone.id, kept.id, rule, now)?;
    part.find("superseded", &[kept.id, gone.id], rule.as_str());
    Ok(())
}
