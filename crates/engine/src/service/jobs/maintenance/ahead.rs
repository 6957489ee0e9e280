//! Which of the scopes that come next have something to compare: decided for many of them at once.

use super::{MaintenanceMode, QUIET_SCOPES_PER_COMMIT, Round};
use crate::Result;
use crate::service::jobs::{Fault, JobRun, Step};
use robot_memory_core::model::{JobScope, Scope};
use serde_json::json;
use std::collections::BTreeSet;

/// What is known of the scopes that come next. It is not kept: a run that is taken up again looks anew.
#[derive(Default)]
pub(super) struct Ahead {
    /// The last scope of which it is known; empty when of none.
    upto: String,
    /// Those in which something came or changed since it was last compared.
    due: BTreeSet<String>,
}

impl Ahead {
    /// Whether something of a scope may have to be compared.
    pub fn is_due(&self, scope: &str) -> bool {
        self.upto.as_str() < scope || self.due.contains(scope)
    }
}

impl JobRun<'_> {
    /// Begins the comparisons of the scopes from this one on, in one transaction; when nothing is to be
    /// compared in any, in none.
    pub(super) fn look_ahead(
        &self,
        round: &mut Round,
        first: &str,
        mode: MaintenanceMode,
    ) -> Result<(), Fault> {
        if first <= round.ahead.upto.as_str() {
            return Ok(());
        }
        let names = self.names_from(first);
        let due = self.to_compare(&names)?;
        if !due.is_empty() {
            self.commit(
                |tx| {
                    self.note_finished(tx, &round.finished, mode)?;
                    for (scope, newest) in &due {
                        tx.begin_comparing(scope, *newest)?;
                    }
                    Ok((self.progress_of_scopes(&round.position), json!(round.position)))
                },
                |(progress, position)| Step::More(progress, position),
            )?;
            round.finished.clear();
        }
        round.ahead = Ahead {
            upto: names.last().cloned().unwrap_or_default(),
            due: due.into_iter().map(|(scope, _)| scope.to_string()).collect(),
        };
        Ok(())
    }

    /// The scopes that are looked after from this one on, as many as are noted together.
    fn names_from(&self, first: &str) -> Vec<String> {
        let mut names = vec![first.to_owned()];
        if self.lease.job.scope != JobScope::All {
            return names;
        }
        let derived = self.engine.derived();
        while names.len() < QUIET_SCOPES_PER_COMMIT
            && let Some(next) = names.last().and_then(|last| derived.rows.scope_after(last))
        {
            names.push(next.to_owned());
        }
        names
    }

    /// Those of some scopes in which something came or changed since it was last compared, each with its
    /// newest row.
    fn to_compare(&self, names: &[String]) -> Result<Vec<(Scope, i64)>> {
        let engine = self.engine;
        let changed = engine.store.read(|tx| tx.marked_scopes())?;
        let mut due = Vec::new();
        for name in names {
            let Ok(scope) = Scope::parse(name) else { continue };
            let newest = engine.newest_of_scope(&scope)?;
            let compared = engine.store.read(|tx| tx.compared_upto(&scope))?;
            if newest > compared || changed.contains(name) {
                due.push((scope, newest));
            }
        }
        Ok(due)
    }
}
