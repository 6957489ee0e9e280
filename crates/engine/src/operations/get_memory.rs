//! GetMemory: show one memory with all that the store keeps of it.

use super::check;
use super::fade::{born_at, curve};
use super::fleet::Tellers;
use super::inferred::{Inferred, limits_of_row};
use super::visibility::{hide_unseen, no_memory};
use crate::{Operations, Result, Run};
use robot_memory_core::access::{MemTypes, Visibility};
use robot_memory_core::api::{GetMemory, GetMemoryRequest, MemoryChange, StoredMemory};
use robot_memory_core::model::{
    Kind, LedgerChange, Memory, Scope, Stamp, Status, SupersededRule, TurnSource,
};
use robot_memory_db::{self as store, ReadTx, Relative};
use robot_memory_index::ranking::half_life_days;

impl Run<GetMemory> for Operations {
    fn run(&self, request: GetMemoryRequest) -> Result<StoredMemory> {
        let GetMemoryRequest { memory_id, include_data, include_embedding, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        // What it is related to may be of another scope than the one that was named.
        let all = self.full_visibility(&agent);
        self.store.read(|tx| {
            let found = stored(tx, id, include_data, include_embedding)?;
            let seen = found.filter(|it| visibility.sees(&it.memory.scope, it.memory.mem_type));
            let found = seen.ok_or_else(|| no_memory(id))?;
            let turns = self.turns(tx, id, &agent, &all)?;
            let found = self.with_tellers(tx, self.with_forgetting(found, &all))?;
            Ok(StoredMemory { turns, ..with_relations(tx, found, &all)? })
        })
    }
}

impl Operations {
    /// The same with how it is forgotten by now, and with no names of scopes that are not seen.
    pub(super) fn with_forgetting(
        &self,
        mut found: StoredMemory,
        visibility: &Visibility,
    ) -> StoredMemory {
        for entry in found.ledger.iter_mut().filter(|it| it.change == LedgerChange::Rescoped) {
            for scope in [&mut entry.value_before, &mut entry.value_after] {
                let is_seen = |scope| visibility.of(&scope) != MemTypes::NONE;
                if !Scope::parse(scope).is_ok_and(is_seen) {
                    scope.clear();
                }
            }
        }
        let memory = &found.memory;
        found.retention = memory.importance;
        let Some(half_life_days) = half_life_days(memory.mem_type, memory.category) else {
            return found;
        };
        (found.fades, found.half_life_days) = (true, half_life_days);
        let Some(curve) = curve(memory) else { return found };
        let born_at = born_at(memory.created_at, memory.restored_at, memory.known_at);
        if let Some(now) = self.clock.now() {
            found.retention = curve.retention(self.believed(now).days_since(born_at));
        }
        let bound = self.config.maintenance.archive_retention_min;
        if memory.status == Status::Active {
            let archives_at = curve.age_below(bound).map(|days| born_at.plus_days(days));
            found.archives_at = archives_at.filter(|at| *at < Stamp(i64::MAX));
        }
        found
    }

    /// The same with who told it.
    pub(super) fn with_tellers(
        &self,
        tx: &ReadTx<'_>,
        found: StoredMemory,
    ) -> store::Result<StoredMemory> {
        let Tellers { robots: told_by, told_at, independent_count, transfer } =
            self.told_by(tx, found.memory.id, &found.memory.scope)?;
        Ok(StoredMemory { told_by, told_at, independent_count, transfer, ..found })
    }

    /// Where a memory was said, as far as the caller may see the episodes. The words of a sentence are
    /// not told when it said something else, too, that the caller may not see.
    fn turns(
        &self,
        tx: &ReadTx<'_>,
        id: i64,
        agent: &str,
        visibility: &Visibility,
    ) -> Result<Vec<TurnSource>> {
        let mut seen = Vec::new();
        for mut source in tx.turn_sources(id)? {
            let session = tx.session(&source.session_id)?;
            if !session.is_some_and(|session| self.may_see_session(&session, agent)) {
                continue;
            }
            if !source.sentence.is_empty() {
                let said = tx.said_in_sentence(&source.turn_id, source.sentence_number)?;
                if !said.iter().all(|other| visibility.sees(&other.scope, other.mem_type)) {
                    source.sentence.clear();
                }
            }
            seen.push(source);
        }
        Ok(seen)
    }
}

/// The memory of this id, of any status, by itself.
pub(super) fn stored(
    tx: &ReadTx<'_>,
    id: i64,
    with_data: bool,
    with_embedding: bool,
) -> store::Result<Option<StoredMemory>> {
    let Some(memory) = tx.memory(id, with_data)? else { return Ok(None) };
    let (invalidated_reason, invalidated_at) = tx.invalidation(id)?;
    let (embedding_model, embedding) = tx.embedding(id, with_embedding)?;
    let superseded_rule = match memory.superseded_by {
        Some(_) => tx.superseded_rule(id)?,
        None => None,
    };
    let limits = limits_of_row(&memory);
    Ok(Some(StoredMemory {
        memory,
        invalidated_reason,
        invalidated_at,
        superseded_rule,
        superseded_why: String::new(),
        supersedes: Vec::new(),
        children: Vec::new(),
        limits,
        turns: Vec::new(),
        told_by: Vec::new(),
        told_at: None,
        independent_count: 0,
        transfer: Vec::new(),
        ledger: tx.ledger(id)?,
        fades: false,
        retention: 0.0,
        half_life_days: 0.0,
        archives_at: None,
        history: Vec::new(),
        embedding_model,
        embedding,
    }))
}

/// The same with what other rows say of it, as far as they are seen.
fn with_relations(
    tx: &ReadTx<'_>,
    mut found: StoredMemory,
    visibility: &Visibility,
) -> store::Result<StoredMemory> {
    let id = found.memory.id;
    let seen = |relatives: Vec<Relative>| {
        let seen = relatives.iter().filter(|it| visibility.sees(&it.scope, it.mem_type));
        seen.map(|it| it.id).collect()
    };
    let superseded_why = match (found.superseded_rule, found.memory.superseded_by) {
        (Some(rule), Some(by)) => {
            let by = tx.memory(by, false)?.filter(|by| visibility.sees(&by.scope, by.mem_type));
            why(rule, by.as_ref())
        }
        _ => String::new(),
    };
    hide_unseen(tx, &mut found.memory, visibility)?;
    Ok(StoredMemory {
        superseded_why,
        supersedes: seen(tx.superseded_by_it(id)?),
        children: seen(tx.active_children(id)?),
        history: history(tx.audit(id)?, &found.memory, visibility),
        ..found
    })
}

/// What the memory said before, as far as it was of a class that is seen: its words gave it one, and an
/// Update may have given it another.
fn history(
    entries: Vec<MemoryChange>,
    memory: &Memory,
    visibility: &Visibility,
) -> Vec<MemoryChange> {
    let was_seen = |entry: &MemoryChange| {
        memory.kind != Kind::Fact
            || visibility.of(&memory.scope) == MemTypes::ALL
            || Inferred::read(&entry.content, &entry.context)
                .with_limits(&entry.context)
                .is_ok_and(|inferred| visibility.sees(&memory.scope, inferred.mem_type))
    };
    entries.into_iter().filter(was_seen).collect()
}

/// By which rule a row was superseded, and by which one; `None`: the caller may not see that one.
fn why(rule: SupersededRule, by: Option<&Memory>) -> String {
    let Some(Memory { id, source, trust, created_at, .. }) = by else {
        return format!("{rule}: a memory that may not be shown replaced it");
    };
    let what = match rule {
        SupersededRule::Compaction => "sums it up with others",
        _ => "replaced it",
    };
    format!("{rule}: memory {id} ({source}, {trust}) of {} {what}", created_at.rfc_3339())
}
