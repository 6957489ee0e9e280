//! CheckAction: hold an action that is planned against every constraint that the caller sees.

use super::check;
use super::fleet::Tellers;
use crate::{Error, Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    AllowedBy, CheckAction, CheckActionRequest, CheckActionResponse, CheckedLimit,
};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_db::ReadTx;
use robot_memory_text::guard::{Action, Finding, Verdict};
use std::time::Instant;

/// Every collection.
const ALL: &str = "*";

impl Run<CheckAction> for Operations {
    fn run(&self, request: CheckActionRequest) -> Result<CheckActionResponse> {
        let began = Instant::now();
        let CheckActionRequest { params, task, object, place, collection, scope, agent } = request;
        self.check_agent(&agent)?;
        let visibility = self.visibility(&agent, &self.search_scope(&scope)?)?;
        let collections = match collection.as_str() {
            ALL => None,
            given => Some(vec![self.collection(given)?]),
        };
        let action = planned_action(&params, &task, &object, &place)?;
        let mut response = self.check_action(&action, collections.as_deref(), &visibility)?;
        response.query_ms = began.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }
}

/// The action of a request.
pub(super) fn planned_action(
    params: &str,
    task: &str,
    object: &str,
    place: &str,
) -> Result<Action> {
    for (field, name) in [("task", task), ("object", object), ("place", place)] {
        check::name(field, name)?;
    }
    let params = check::object("params", params, CONTEXT_BYTES_MAX)?.unwrap_or_default();
    if params.is_empty() && [task, object, place].iter().all(|text| text.is_empty()) {
        return Err(check::invalid(
            "params: nothing is given about the action; give params, task, object or place",
        ));
    }
    Action::read(&params, object, place, task).map_err(|error| check::invalid(error.to_string()))
}

impl Operations {
    /// What the constraints of some collections (`None`: of all) that a caller sees say of an action.
    pub(super) fn check_action(
        &self,
        action: &Action,
        collections: Option<&[String]>,
        visibility: &Visibility,
    ) -> Result<CheckActionResponse> {
        self.constraints.with(self, |constraints| {
            let seen = constraints.buckets().filter(|(place, _)| {
                collections.is_none_or(|wanted| wanted.contains(&place.collection))
                    && visibility.sees(&place.scope, place.mem_type)
            });
            let verdict = Verdict::of(action, seen.map(|(place, bucket)| (&place.scope, bucket)))
                .map_err(|mismatch| check::invalid(mismatch.to_string()))?;
            let allowed_by = match (&*verdict.violations, verdict.undecided_count) {
                ([_, ..], _) => AllowedBy::Nothing,
                ([], 1..) => AllowedBy::Undecided,
                ([], 0) if verdict.checked_count > 0 => AllowedBy::Checked,
                ([], 0) => AllowedBy::NoConstraint,
            };
            let (violations, undecided) = self.store.read(|tx| {
                let listed = |findings: Vec<Finding<'_>>| -> Result<Vec<CheckedLimit>> {
                    findings.into_iter().map(|finding| self.checked(tx, finding)).collect()
                };
                Ok::<_, Error>((listed(verdict.violations)?, listed(verdict.undecided)?))
            })?;
            Ok(CheckActionResponse {
                allowed: violations.is_empty(),
                allowed_by,
                violations,
                undecided,
                undecided_count: verdict.undecided_count,
                checked_count: verdict.checked_count,
                constraint_count: verdict.constraint_count,
                query_ms: 0.0,
            })
        })
    }

    fn checked(&self, tx: &ReadTx<'_>, finding: Finding<'_>) -> Result<CheckedLimit> {
        let Finding { constraint, scope, path, op, bound, unit, given, reason } = finding;
        let Tellers { robots: told_by, transfer, .. } = self.told_by(tx, constraint.id, scope)?;
        let by = match (&*told_by, &*transfer) {
            ([], _) => String::new(),
            (robots, []) => format!(" (told by {})", robots.join(", ")),
            (robots, other) => format!(" (told by {}; {})", robots.join(", "), other.join("; ")),
        };
        Ok(CheckedLimit {
            memory_id: constraint.id,
            content: constraint.content.clone(),
            source: constraint.source,
            trust: constraint.trust,
            scope: scope.to_string(),
            told_by,
            transfer,
            reason: format!("{reason}: {}{by}", constraint.content),
            path,
            op,
            bound,
            unit,
            given,
        })
    }
}
