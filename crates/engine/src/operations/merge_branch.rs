//! MergeBranch: the attempt that won is seen by more.
//!
//! Its rows get another scope and are otherwise the same rows: ids, vectors, counts, clips, and where
//! they were said hold, and nothing is there twice.

use super::conflicts::{NewStatement, SaidAt};
use super::inferred::{Inferred, limits_of_row};
use super::sessions::given_session_id;
use super::supersede::supersede;
use super::{check, duplicates};
use crate::db::load::f32s;
use crate::db::{Outcome, Vector, WriteTx};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{MergeBranch, MergeBranchRequest, MergeBranchResponse, Operation};
use robot_memory_core::model::{
    Branch, BranchStatus, Kind, LedgerChange, MemType, Memory, Scope, SearchScope, Stamp, Status,
    SupersededRule, Trust,
};
use robot_memory_db::{DuplicateCandidates, LedgerNote, ReadTx};
use robot_memory_index::{Change, RowSelection};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Run<MergeBranch> for Operations {
    fn run(&self, request: MergeBranchRequest) -> Result<MergeBranchResponse> {
        let MergeBranchRequest { session_id, branch_id, into, agent } = request;
        self.check_agent(&agent)?;
        given_session_id(&session_id)?;
        let from = check::branch_scope(&session_id, &branch_id)?;
        let into = target(&into, &session_id)?;
        let now = self.now()?;
        self.write(|tx| {
            self.seen_session(tx, &session_id, &agent)?;
            let before = tx.branches(&session_id)?;
            check_not_lost(&before, &session_id, &branch_id)?;
            let ids = self.mergeable(tx, &from, &into, &agent)?;
            let spelled: Arc<str> = into.to_string().into();
            let is_empty = self.is_without_facts(&into);
            let arrival = Arrival { agent: &agent, into: &into, spelled: &spelled, is_empty, now };
            let mut response = MergeBranchResponse {
                status: "merged".into(),
                session_id: session_id.clone(),
                branch_id: branch_id.clone(),
                into: spelled.to_string(),
                merged_ids: Vec::new(),
                duplicate_count: 0,
                superseded_ids: Vec::new(),
                kept_ids: Vec::new(),
                lost_branches: Vec::new(),
            };
            for id in ids {
                match self.merge(tx, &arrival, id)? {
                    Merged::Arrived(superseded) => {
                        response.merged_ids.push(id);
                        response.superseded_ids.extend(superseded);
                    }
                    Merged::Duplicate => response.duplicate_count += 1,
                    Merged::Kept => response.kept_ids.push(id),
                }
            }
            response.superseded_ids.sort_unstable();
            tx.win_branch(&session_id, &branch_id, &into)?;
            let after = tx.branches(&session_id)?;
            response.lost_branches = named(&after, BranchStatus::Lost);
            Ok(Outcome::of(before != after || !tx.changes().is_empty(), response))
        })
    }
}

/// Where rows come to, and by whose decision.
struct Arrival<'a> {
    agent: &'a str,
    into: &'a Scope,
    /// `into` as it is written.
    spelled: &'a Arc<str>,
    /// Whether no fact is there yet to be compared with.
    is_empty: bool,
    now: Stamp,
}

/// What became of a row of the branch.
enum Merged {
    /// It is of the target scope now, and stands for these rows there.
    Arrived(Vec<i64>),
    /// A row there says it already, and stands for it.
    Duplicate,
    /// A row there says something else and does not give way: it is of its branch as before.
    Kept,
}

impl Operations {
    /// The facts and perceptions of a branch that the caller sees, in order of id. Fails when it may
    /// not write one of their classes where they are to go. Summaries tell of the branch's own steps
    /// and stay with them.
    fn mergeable(
        &self,
        tx: &ReadTx<'_>,
        from: &Scope,
        into: &Scope,
        agent: &str,
    ) -> Result<Vec<i64>> {
        let seen = self.visibility(agent, &SearchScope::In(from.clone()))?.of(from);
        let derived = self.derived();
        if derived.revision() != Some(tx.revision()?) {
            return Err(Error::unavailable("the indexes are behind the store"));
        }
        let Some(number) = derived.rows.names().get(&from.to_string()) else {
            return Ok(Vec::new());
        };
        let rows = derived.rows.allowed(&RowSelection {
            scopes: Some(vec![number]),
            kinds: vec![Kind::Fact, Kind::Perception],
            mem_types: seen.iter().collect(),
            ..RowSelection::default()
        });
        let mut mem_types = BTreeSet::new();
        let mut ids = Vec::new();
        for facts in rows.iter().filter_map(|slot| derived.rows.facts(slot)) {
            mem_types.insert(facts.mem_type);
            ids.push(facts.id);
        }
        for mem_type in mem_types {
            self.check_write(agent, into, mem_type)?;
        }
        Ok(ids)
    }

    fn is_without_facts(&self, scope: &Scope) -> bool {
        let derived = self.derived();
        let number = derived.rows.names().get(&scope.to_string());
        let facts = RowSelection {
            scopes: Some(number.into_iter().collect()),
            kinds: vec![Kind::Fact],
            ..RowSelection::default()
        };
        derived.rows.allowed(&facts).iter().next().is_none()
    }

    fn merge(&self, tx: &WriteTx<'_>, arrival: &Arrival<'_>, id: i64) -> Result<Merged> {
        let found = tx.memory(id, false)?.filter(|memory| memory.status == Status::Active);
        let Some(memory) = found else { return Ok(Merged::Kept) };
        let superseded = match memory.kind {
            Kind::Fact if !arrival.is_empty => match self.settle(tx, arrival, &memory)? {
                Merged::Arrived(superseded) => superseded,
                settled => return Ok(settled),
            },
            Kind::Fact | Kind::Perception | Kind::Summary => Vec::new(),
        };
        let Memory { content, context, .. } = &memory;
        tx.insert_audit(id, MergeBranch::NAME, arrival.agent, content, context, arrival.now)?;
        tx.set_scope(id, arrival.into)?;
        tx.note_change(&LedgerNote {
            memory_id: id,
            change: LedgerChange::Rescoped,
            cause: MergeBranch::NAME,
            agent: arrival.agent,
            values: (&memory.scope.to_string(), arrival.spelled),
            at: arrival.now,
        })?;
        tx.index(Change::Scope { id, scope: Arc::clone(arrival.spelled) });
        Ok(Merged::Arrived(superseded))
    }

    /// Settles a fact with those of the scope that it comes to, as if it were learned there when it
    /// was said.
    fn settle(&self, tx: &WriteTx<'_>, arrival: &Arrival<'_>, memory: &Memory) -> Result<Merged> {
        let Arrival { agent, into, now, .. } = *arrival;
        let read = || Inferred::read(&memory.content, &memory.context);
        let inferred = read().with_limits(&memory.context).unwrap_or_else(|_| read());
        let mut weaker = None;
        if memory.mem_type != MemType::TaskLog {
            let among = DuplicateCandidates {
                collection: &memory.collection,
                scope: into,
                mem_types: &self.comparable(agent, into),
                level: memory.level,
                session_id: &memory.session_id,
                trust_min: Trust::Low,
            };
            let vector = self.vector_in_use(tx, memory.id)?;
            let derived = self.derived();
            let known = duplicates::known(tx, &among, memory.trust, |among| {
                duplicates::find(tx, &derived, &tx.changes(), &inferred, vector.as_ref(), among)
            })?;
            drop(derived);
            if let Some(duplicate) = known.duplicate
                // The indexes do not know yet what became of it in this transaction.
                && let Some(there) =
                    tx.memory(duplicate.id, false)?.filter(|it| it.status == Status::Active)
            {
                if loses_bounds(memory, inferred.has_given_limits, &there) {
                    return Ok(Merged::Kept);
                }
                self.leave_to(tx, arrival, memory, &there)?;
                return Ok(Merged::Duplicate);
            }
            weaker = known.weaker.filter(|it| it.status == Status::Active);
        }
        let arriving = NewStatement {
            agent,
            scope: into,
            said: SaidAt::Elsewhere(memory.updated_at),
            ..NewStatement::stored(memory, &inferred.proposition)
        };
        let Some(mut superseded) = self.settle_arrival(tx, &arriving, now)? else {
            return Ok(Merged::Kept);
        };
        if let Some(weaker) = weaker
            && self.replace_weaker(tx, &arriving, &weaker, now)?
        {
            superseded.push(weaker.id);
        }
        Ok(Merged::Arrived(superseded))
    }

    /// Lets a row of the scope stand for one of the branch that says the same.
    fn leave_to(
        &self,
        tx: &WriteTx<'_>,
        arrival: &Arrival<'_>,
        memory: &Memory,
        there: &Memory,
    ) -> Result<()> {
        let Arrival { agent, now, .. } = *arrival;
        let may_write = self.check_write(agent, &there.scope, there.mem_type).is_ok();
        if may_write && there.confidence < memory.confidence {
            let belief = tx.say(there.id, memory.confidence, now)?;
            tx.index(Change::Belief { id: there.id, belief });
        }
        tx.copy_turn_sources(memory.id, there.id)?;
        supersede(tx, memory.id, there.id, SupersededRule::BranchMerge, now)
    }

    /// The stored vector of a row, when it is of the model in use.
    pub(crate) fn vector_in_use(&self, tx: &ReadTx<'_>, id: i64) -> Result<Option<Vector>> {
        let Some(model) = self.model() else { return Ok(None) };
        let components = tx.vector_of(id, &model, |bytes| f32s(bytes).collect())?;
        Ok(components.map(|components| Vector { model, components }))
    }
}

/// The scope that a branch is merged into: that of its session when none is given.
fn target(into: &str, session_id: &str) -> Result<Scope> {
    let of_session = Scope::Session(session_id.to_owned());
    if into.is_empty() {
        return Ok(of_session);
    }
    let scope = Scope::parse(into).map_err(|error| check::invalid(format!("into: {error}")))?;
    if scope != of_session && scope != Scope::Global {
        return Err(check::invalid(format!("into: must be {of_session} or global, got {scope}")));
    }
    Ok(scope)
}

/// Whether a bound of a constraint would be lost, if another row that says the same stood for it.
fn loses_bounds(memory: &Memory, are_given: bool, there: &Memory) -> bool {
    let (own, others) = (limits_of_row(memory), limits_of_row(there));
    are_given && own != others || own.iter().any(|limit| !others.contains(limit))
}

/// Refuses a branch that the session does not have, and one that lost.
fn check_not_lost(branches: &[Branch], session_id: &str, branch_id: &str) -> Result<()> {
    let Some(branch) = branches.iter().find(|branch| branch.branch_id == branch_id) else {
        return Err(Error::not_found(format!(
            "branch_id: session {session_id} has no branch {branch_id}"
        )));
    };
    if branch.status == BranchStatus::Lost {
        let winners = named(branches, BranchStatus::Won).join(", ");
        return Err(Error::invalid_state(format!(
            "branch_id: {branch_id} has lost, {winners} won"
        )));
    }
    Ok(())
}

/// The names of the branches of a status, in order.
fn named(branches: &[Branch], status: BranchStatus) -> Vec<String> {
    let of_status = branches.iter().filter(|branch| branch.status == status);
    of_status.map(|branch| branch.branch_id.clone()).collect()
}
