//! Unlearn: forget memories with all that was made of them, shown before it is done.
//!
//! A dry run does all of it in a transaction that is not committed: so it tells what will be done, whatever that is. The
//! plan that it answers is a hash of this; without a dry run the transaction is only committed when it comes to the same.

mod dependents;

use super::check::{self, invalid};
use super::forget::withdraw;
use super::plan::context_conditions;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result, Run};
use dependents::{Dependents, Unlearned};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    ApiError, Unlearn, UnlearnAction, UnlearnRequest, UnlearnResponse, UnlearnedMemory,
};
use robot_memory_core::claim::Removed;
use robot_memory_core::limits::{
    REASON_CHARS_MAX, UNLEARN_IDS_MAX, UNLEARN_LISTED_MAX, UNLEARN_ROOTS_MAX,
};
use robot_memory_core::model::{Filter, Memory, Scope, Stamp, Status};
use robot_memory_db::{Locked, MadeIn, ReadTx, Revocation};
use robot_memory_index::parse_context;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Bytes of the hash that a plan is.
const PLAN_BYTES: usize = 16;

/// A request, checked.
struct Asked {
    selection: Selection,
    visibility: Visibility,
    /// `None`: a dry run.
    plan: Option<String>,
    reason: String,
    agent: String,
    now: Stamp,
}

/// Which memories are meant.
#[derive(Default)]
struct Selection {
    /// `None`: not selected by it; so are all others.
    ids: Option<BTreeSet<i64>>,
    session_id: Option<String>,
    stream: Option<String>,
    filter: Filter,
    since: Option<Stamp>,
    until: Option<Stamp>,
    collection: Option<String>,
}

impl Run<Unlearn> for Operations {
    fn run(&self, request: UnlearnRequest) -> Result<UnlearnResponse> {
        let asked = self.asked_unlearn(request)?;
        let ids = self.store.read(|tx| asked.find(tx))?;
        let response = self.write(|tx| {
            let roots = self.roots(tx, &asked, &ids)?;
            let has_roots = !roots.is_empty();
            let response = self.unlearn(tx, &asked, roots)?;
            match &asked.plan {
                None => Ok(Outcome::Unchanged(response)),
                Some(plan) if *plan == response.plan => Ok(Outcome::of(has_roots, response)),
                Some(_) => Err(other_plan(&response)),
            }
        })?;
        if asked.plan.is_some() {
            let mut pending = self.accesses.locked();
            let is_gone = |it: &&UnlearnedMemory| it.action == UnlearnAction::Removed;
            response.memories.iter().filter(is_gone).for_each(|it| pending.remove(it.memory_id));
            self.lessons_due.store(true, Ordering::Relaxed);
        }
        Ok(response)
    }
}

impl Operations {
    fn asked_unlearn(&self, request: UnlearnRequest) -> Result<Asked> {
        let UnlearnRequest {
            memory_ids,
            session_id,
            stream,
            context_filter,
            since,
            until,
            collection,
            scope,
            dry_run,
            plan,
            reason,
            agent,
        } = request;
        self.check_agent(&agent)?;
        check::at_most("memory_ids", UNLEARN_IDS_MAX, "ids", memory_ids.len())?;
        memory_ids.iter().try_for_each(|id| check::given_id("memory_ids", *id).map(drop))?;
        check::name("session_id", &session_id)?;
        check::name("stream", &stream)?;
        check::name("plan", &plan)?;
        check::collection_name(&collection)?;
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(invalid("since: must be before until"));
        }
        let given = |text: String| (!text.is_empty()).then_some(text);
        let selection = Selection {
            ids: (!memory_ids.is_empty()).then(|| memory_ids.into_iter().collect()),
            session_id: given(session_id),
            stream: given(stream),
            filter: context_conditions("context_filter", &context_filter)?,
            since,
            until,
            collection: given(collection),
        };
        if selection.is_empty() {
            return Err(invalid(
                "memory_ids: must be given, or one of session_id, stream, context_filter, since, until and \
                 collection",
            ));
        }
        let plan = match (dry_run, plan.is_empty()) {
            (true, true) => None,
            (false, false) => Some(plan),
            (true, false) => return Err(invalid("plan: only beside dry_run false")),
            (false, true) => {
                return Err(invalid(
                    "plan: must be given beside dry_run false, as a dry run answered it",
                ));
            }
        };
        let reason = match plan.is_none() && reason.is_empty() {
            true => "",
            false => check::text("reason", &reason)?,
        };
        check::at_most("reason", REASON_CHARS_MAX, "characters", reason.chars().count())?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        Ok(Asked {
            selection,
            visibility,
            plan,
            reason: reason.to_owned(),
            agent,
            now: self.now()?,
        })
    }

    /// The memories that are meant, as they are now, in order of id. Fails when the caller may not write one of them.
    fn roots(&self, tx: &ReadTx<'_>, asked: &Asked, ids: &[i64]) -> Result<Vec<Memory>> {
        let mut roots = Vec::with_capacity(ids.len());
        let (mut forbidden_count, mut forbidden) = (0_u64, None);
        for id in ids {
            let Some(memory) = tx.memory(*id, false)?.filter(|it| asked.means(it)) else {
                continue;
            };
            if let Err(error) = self.check_write(&asked.agent, &memory.scope, memory.mem_type) {
                forbidden_count += 1;
                forbidden.get_or_insert(error);
            }
            roots.push(memory);
        }
        match forbidden {
            None => Ok(roots),
            Some(error) => {
                let ApiError { kind, message } = error.into();
                let total = roots.len();
                let message = format!(
                    "{message}; {forbidden_count} of {total} memories, nothing was forgotten"
                );
                Err(ApiError { kind, message }.into())
            }
        }
    }

    /// Forgets what a revocation names of this robot's own experience, however much that is, with all that was made of it.
    pub(super) fn unlearn_revoked(
        &self,
        tx: &WriteTx<'_>,
        revoked: &Revocation,
        now: Stamp,
    ) -> Result<Removed> {
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        let asked = Asked::by_revocation(
            Selection {
                ids: revoked.memory_id.map(|id| BTreeSet::from([id])),
                session_id: given(&revoked.session_id),
                stream: given(&revoked.stream),
                since: revoked.since,
                until: revoked.end(),
                ..Selection::default()
            },
            &revoked.reason,
            now,
        );
        let ids = match revoked.memory_id {
            Some(id) => vec![id],
            None => asked.all(tx)?,
        };
        self.unlearn_all(tx, &asked, &ids)
    }

    /// The same of memories that were adopted from another robot.
    pub(super) fn unlearn_adopted(
        &self,
        tx: &WriteTx<'_>,
        ids: BTreeSet<i64>,
        reason: &str,
        now: Stamp,
    ) -> Result<Removed> {
        let all: Vec<i64> = ids.iter().copied().collect();
        let selection = Selection { ids: Some(ids), ..Selection::default() };
        let asked = Asked::by_revocation(selection, reason, now);
        self.unlearn_all(tx, &asked, &all)
    }

    fn unlearn_all(&self, tx: &WriteTx<'_>, asked: &Asked, ids: &[i64]) -> Result<Removed> {
        let mut removed = Removed::default();
        for ids in ids.chunks(UNLEARN_ROOTS_MAX) {
            let roots = self.roots(tx, asked, ids)?;
            let UnlearnResponse { forgotten_count, remade_count, removed_count, .. } =
                self.unlearn(tx, asked, roots)?;
            removed.deleted_count += forgotten_count + removed_count;
            removed.rewritten_count += remade_count;
        }
        Ok(removed)
    }

    /// Does it, and tells what of it the caller sees.
    fn unlearn(
        &self,
        tx: &WriteTx<'_>,
        asked: &Asked,
        roots: Vec<Memory>,
    ) -> Result<UnlearnResponse> {
        let Asked { visibility, reason, agent, now, .. } = asked;
        let ids: BTreeSet<i64> = roots.iter().map(|it| it.id).collect();
        let dependents = Dependents::of(self, tx, ids)?;
        // Of what was forgotten before there may still be something in others.
        let (_, forgotten): (Vec<Memory>, Vec<Memory>) =
            roots.into_iter().partition(|it| it.status == Status::Invalidated);
        for memory in &forgotten {
            withdraw(tx, memory, reason, agent, *now)?;
        }
        let dependents = dependents.make_again(self, tx, *now, visibility)?;
        let plan = plan_of(&forgotten, &dependents);
        let mut told: Vec<UnlearnedMemory> = dependents.into_iter().map(|it| it.told).collect();
        let count = |action| told.iter().filter(|it| it.action == action).count() as u64;
        let (remade_count, removed_count, kept_count) = (
            count(UnlearnAction::Remade),
            count(UnlearnAction::Removed),
            count(UnlearnAction::Kept),
        );
        let forgotten_count = forgotten.len() as u64;
        told.extend(forgotten.into_iter().map(|memory| UnlearnedMemory {
            memory_id: memory.id,
            kind: memory.kind,
            action: UnlearnAction::Forgotten,
            why: String::new(),
            text: memory.human_summary,
            new_text: String::new(),
        }));
        told.truncate(UNLEARN_LISTED_MAX);
        Ok(UnlearnResponse {
            plan,
            forgotten_count,
            remade_count,
            removed_count,
            kept_count,
            memories: told,
        })
    }
}

impl Asked {
    /// What a revocation asks, of all that is here.
    fn by_revocation(selection: Selection, reason: &str, now: Stamp) -> Self {
        Self {
            selection,
            visibility: Visibility::Everything,
            plan: None,
            reason: reason.to_owned(),
            agent: String::new(),
            now,
        }
    }

    /// The ids of the memories that are meant, in order.
    fn find(&self, tx: &ReadTx<'_>) -> Result<Vec<i64>> {
        if let Some(ids) = &self.selection.ids {
            for id in ids {
                let place = tx.row_place(*id)?;
                if !place.is_some_and(|it| self.visibility.sees(&it.scope, it.mem_type)) {
                    let message = format!("memory_ids: there is no memory {id}");
                    return Err(ApiError::not_found(message).into());
                }
            }
            return Ok(ids.iter().copied().collect());
        }
        let found = self.all(tx)?;
        if found.len() > UNLEARN_ROOTS_MAX {
            return Err(invalid(format!(
                "since, until: {} memories match, at most {UNLEARN_ROOTS_MAX} are unlearned in one call",
                found.len()
            )));
        }
        Ok(found)
    }

    /// The ids of all memories that are meant otherwise than by their ids, in order.
    fn all(&self, tx: &ReadTx<'_>) -> Result<Vec<i64>> {
        let Selection { session_id, since, until, collection, .. } = &self.selection;
        let place = MadeIn {
            collection: collection.as_deref(),
            session_id: session_id.as_deref(),
            since: *since,
            until: *until,
        };
        let mut found = Vec::new();
        tx.each_made_in(&place, |id, scope, mem_type, context| {
            // What other robots told was made elsewhere.
            if *scope != Scope::Fleet
                && self.visibility.sees(scope, mem_type)
                && self.selection.is_of_context(context)
            {
                found.push(id);
            }
        })?;
        Ok(found)
    }

    /// Whether a memory is meant.
    fn means(&self, memory: &Memory) -> bool {
        let Selection { ids, session_id, since, until, collection, .. } = &self.selection;
        let Memory { id, created_at, context, .. } = memory;
        self.visibility.sees(&memory.scope, memory.mem_type)
            && ids.as_ref().is_none_or(|ids| ids.contains(id))
            && session_id.as_ref().is_none_or(|it| *it == memory.session_id)
            && collection.as_ref().is_none_or(|it| *it == memory.collection)
            && since.is_none_or(|since| *created_at >= since)
            && until.is_none_or(|until| *created_at < until)
            && self.selection.is_of_context(context)
    }
}

impl Selection {
    fn is_empty(&self) -> bool {
        let Self { ids, session_id, stream, filter, since, until, collection } = self;
        ids.is_none()
            && session_id.is_none()
            && stream.is_none()
            && filter.conditions.is_empty()
            && since.is_none()
            && until.is_none()
            && collection.is_none()
    }

    fn is_of_context(&self, context: &str) -> bool {
        if self.stream.is_none() && self.filter.conditions.is_empty() {
            return true;
        }
        let context = parse_context(context);
        let stream = context.pointer("/event/stream").and_then(|it| it.as_str());
        self.stream.as_deref().is_none_or(|it| stream == Some(it)) && self.filter.matches(&context)
    }
}

/// A hash of all that is done: of two that do the same it is the same.
fn plan_of(forgotten: &[Memory], dependents: &[Unlearned]) -> String {
    let mut hash = Sha256::new();
    // Of bounded texts, so that no two plans are written alike.
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    for Memory { id, status, content, context, .. } in forgotten {
        [&id.to_string(), status.as_str(), content, context].into_iter().for_each(&mut add);
    }
    for Unlearned { told: UnlearnedMemory { memory_id, action, why, .. }, content } in dependents {
        [&memory_id.to_string(), action.as_str(), why, content].into_iter().for_each(&mut add);
    }
    let digest = hash.finalize();
    digest.iter().take(PLAN_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

fn other_plan(response: &UnlearnResponse) -> Error {
    let UnlearnResponse { plan, forgotten_count, remade_count, removed_count, .. } = response;
    Error::invalid_state(format!(
        "plan: by now it is {plan}: {forgotten_count} memories forgotten, {remade_count} remade, {removed_count} removed; \
         nothing was done"
    ))
}
