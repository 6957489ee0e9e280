//! Memories of unknown origin get a scope.

use super::{Done, ScopeWork};
use crate::service::jobs::{Fault, JobRun};
use crate::{Engine, Error, Result};
use robot_memory_core::model::{Kind, LedgerChange, Memory, Scope, Status};
use robot_memory_db::{LedgerNote, ReadTx};
use robot_memory_index::Change;
use serde_json::json;
use std::collections::BTreeMap;

/// Rows that are looked at in one step.
const PLACED_PER_STEP: usize = 256;
/// What a ledger says of it.
const CAUSE: &str = "maintenance";

/// Where a row belongs, and why.
struct Home {
    scope: Scope,
    why: &'static str,
}

/// The one scope of all rows of an agent, by agent; `None` until it is asked for.
type Homes = Option<BTreeMap<String, Scope>>;

impl JobRun<'_> {
    /// Gives rows of `unscoped` a scope, where it is certain which. No other rows change their scope.
    pub(super) fn place_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        if work.scope != Scope::Unscoped {
            return Ok(());
        }
        let (engine, now) = (self.engine, work.now);
        let mut homes = None;
        let mut after = work.cursor().as_i64().unwrap_or(0);
        loop {
            let (ids, total) = engine.rows_of_scope(&work.scope, after, PLACED_PER_STEP)?;
            let Some(&last) = ids.last() else { return Ok(()) };
            let mut placed = Vec::new();
            engine.store.read(|tx| {
                for &id in &ids {
                    let Some(memory) = unscoped(tx, id)? else { continue };
                    match engine.home(tx, &mut homes, &memory)? {
                        Some(home) => placed.push((id, home)),
                        None => work.part().find("left_unscoped", &[id], "nothing is certain"),
                    }
                }
                Ok::<_, Error>(())
            })?;
            if !placed.is_empty() {
                self.commit_part(work, total as u64, |tx, part| {
                    for (id, Home { scope, why }) in &placed {
                        if unscoped(tx, *id)?.is_none() {
                            continue;
                        }
                        let spelled = scope.to_string();
                        tx.set_scope(*id, scope)?;
                        tx.note_change(&LedgerNote {
                            memory_id: *id,
                            change: LedgerChange::Rescoped,
                            cause: CAUSE,
                            agent: "",
                            values: (&Scope::Unscoped.to_string(), &spelled),
                            at: now,
                        })?;
                        tx.index(Change::Scope { id: *id, scope: spelled.into() });
                        part.find("rescoped", &[*id], why);
                    }
                    Ok(Done { cursor: json!(last), done: part.counted("rescoped") })
                })?;
            }
            after = last;
        }
    }
}

impl Engine {
    /// Where a row belongs for certain: in the attempt of its step, in its session, or where all other
    /// rows of its agent are, which may write there.
    fn home(&self, tx: &ReadTx<'_>, homes: &mut Homes, memory: &Memory) -> Result<Option<Home>> {
        let session_id = &memory.session_id;
        if !memory.turn_id.is_empty()
            && let Some((turn, _)) = tx.turn(&memory.turn_id)?
            && (session_id.is_empty() || turn.session_id == *session_id)
        {
            return Ok(Some(Home { scope: turn.scope(), why: "its step is of that branch" }));
        }
        if !session_id.is_empty() && tx.session_agent(session_id)?.is_some() {
            let scope = Scope::Session(session_id.clone());
            return Ok(Some(Home { scope, why: "it was said in that session" }));
        }
        if memory.agent.is_empty() {
            return Ok(None);
        }
        let homes = match homes {
            Some(homes) => homes,
            None => homes.insert(tx.homes_of_agents()?),
        };
        let home = homes
            .get(&memory.agent)
            .filter(|scope| self.check_write(&memory.agent, scope, memory.mem_type).is_ok());
        Ok(home
            .map(|scope| Home { scope: scope.clone(), why: "all of its agent's others are there" }))
    }
}

/// An active row of `unscoped`. A summary stays where it was made.
fn unscoped(tx: &ReadTx<'_>, id: i64) -> Result<Option<Memory>> {
    Ok(tx.memory(id, false)?.filter(|memory| {
        memory.status == Status::Active
            && memory.scope == Scope::Unscoped
            && memory.kind != Kind::Summary
    }))
}
