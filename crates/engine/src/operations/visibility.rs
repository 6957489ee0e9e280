//! What a caller may see and write, in the terms of requests, rows and indexes.

use super::check::invalid;
use crate::{Operations, Result};
use robot_memory_core::access::{MemTypes, ScopePattern, SessionsAccess, Violation, Visibility};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::{MemType, Memory, Scope, ScopeKind, SearchScope, Session};
use robot_memory_db::{self as store, ReadTx};
use robot_memory_index::{Bitset, Derived, RowFacts, RowSelection, Rows, Slot};
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Rows of a session that are looked at for the nearest one that is seen.
const NEIGHBORS_MAX: usize = 64;

/// A [`Visibility`] in the numbers of the indexes, which hold for as long as these are held.
#[derive(Debug)]
pub(crate) enum VisibleRows {
    /// Everything.
    Everything,
    /// Some scopes; what is missing is not seen.
    Scopes(VisibleScopes),
}

/// The classes that are seen of some scopes.
#[derive(Debug, Default)]
pub(crate) struct VisibleScopes {
    /// Of every scope of a kind.
    by_kind: BTreeMap<ScopeKind, MemTypes>,
    /// By the number of the scope, besides.
    by_number: BTreeMap<u32, MemTypes>,
}

impl VisibleScopes {
    fn sees(&self, facts: &RowFacts) -> bool {
        let of_kind = self.by_kind.get(&facts.scope_kind);
        let of_number = self.by_number.get(&facts.scope);
        of_kind.into_iter().chain(of_number).any(|types| types.has(facts.mem_type))
    }

    /// Takes in what a policy grants, kind by kind where it does: a robot has a scope for each of its
    /// steps, and a search must not look at the name of each.
    fn grant(&mut self, pattern: ScopePattern<'_>, types: MemTypes, rows: &Rows) {
        let mut kind = |kind| {
            let seen = self.by_kind.entry(kind).or_default();
            *seen = seen.with(types);
        };
        match pattern {
            ScopePattern::Any => ScopeKind::ALL.iter().copied().for_each(kind),
            ScopePattern::Kind(of) => kind(of),
            ScopePattern::One(scope) => {
                if let Some(number) = rows.names().get(scope) {
                    self.add(number, types);
                }
            }
            ScopePattern::Like(_) => {
                for (scope, number) in rows.scopes_with_prefix(pattern.prefix()) {
                    if pattern.has(scope) {
                        self.add(number, types);
                    }
                }
            }
        }
    }

    fn add(&mut self, number: u32, types: MemTypes) {
        let seen = self.by_number.entry(number).or_default();
        *seen = seen.with(types);
    }

    /// The scopes of which the same classes are seen, some at least.
    fn by_types(&self) -> BTreeMap<MemTypes, (Vec<ScopeKind>, Vec<u32>)> {
        let mut by_types: BTreeMap<MemTypes, (Vec<ScopeKind>, Vec<u32>)> = BTreeMap::new();
        for (kind, types) in &self.by_kind {
            by_types.entry(*types).or_default().0.push(*kind);
        }
        for (number, types) in &self.by_number {
            by_types.entry(*types).or_default().1.push(*number);
        }
        by_types.remove(&MemTypes::NONE);
        by_types
    }
}

impl VisibleRows {
    /// The visibility of these rows.
    pub fn of(visibility: &Visibility, rows: &Rows) -> Self {
        match visibility {
            Visibility::Everything => Self::Everything,
            Visibility::Named { own, shared } => Self::named(own.iter().chain(shared), rows),
            Visibility::Granted(grants) => {
                let mut seen = VisibleScopes::default();
                for (pattern, types) in grants.iter() {
                    seen.grant(pattern, types, rows);
                }
                Self::Scopes(seen)
            }
        }
    }

    /// Some scopes of these rows, and the classes that are seen of each.
    pub fn named<'s>(scopes: impl Iterator<Item = &'s (Scope, MemTypes)>, rows: &Rows) -> Self {
        let mut seen = VisibleScopes::default();
        for (scope, types) in scopes {
            if let Some(number) = rows.names().get(&scope.to_string()) {
                seen.add(number, *types);
            }
        }
        Self::Scopes(seen)
    }

    /// Whether a row is seen.
    pub fn sees(&self, facts: &RowFacts) -> bool {
        match self {
            Self::Everything => true,
            Self::Scopes(scopes) => scopes.sees(facts),
        }
    }

    /// The nearest rows before and after one in its session that are seen.
    pub fn neighbors(&self, rows: &Rows, slot: Slot) -> (Option<Slot>, Option<Slot>) {
        let is_seen = |slot| rows.facts(slot).is_some_and(|facts| self.sees(&facts));
        let walk = |step: fn(&Rows, Slot) -> Option<Slot>| {
            let along = std::iter::successors(Some(slot), |slot| step(rows, *slot));
            along.skip(1).take(NEIGHBORS_MAX).find(|slot| is_seen(*slot))
        };
        (walk(|rows, slot| rows.neighbors(slot).0), walk(|rows, slot| rows.neighbors(slot).1))
    }

    /// The rows of a selection that are seen.
    pub fn allowed(&self, derived: &Derived, selection: &RowSelection) -> Bitset {
        let Self::Scopes(scopes) = self else { return derived.rows.allowed(selection) };
        let mut allowed: Option<Bitset> = None;
        for (types, (kinds, numbers)) in scopes.by_types() {
            let mut mem_types: Vec<MemType> = types.iter().collect();
            if !selection.mem_types.is_empty() {
                mem_types.retain(|mem_type| selection.mem_types.contains(mem_type));
                if mem_types.is_empty() {
                    continue;
                }
            } else if types == MemTypes::ALL {
                mem_types.clear();
            }
            let rows = derived.rows.allowed(&RowSelection {
                scopes: Some(numbers),
                scope_kinds: kinds,
                mem_types,
                ..selection.clone()
            });
            match &mut allowed {
                None => allowed = Some(rows),
                Some(allowed) => allowed.union_with(&rows),
            }
        }
        allowed.unwrap_or_default()
    }
}

impl Operations {
    /// The scope of a write: the given one, or the default one.
    pub(super) fn write_scope(&self, scope: &str) -> Result<Scope> {
        if !scope.is_empty() {
            return Scope::parse(scope).map_err(|error| invalid(format!("scope: {error}")));
        }
        self.config
            .default_scope
            .clone()
            .ok_or_else(|| invalid("scope: must be given, the parameter default_scope is empty"))
    }

    /// What a search looks at: the given scope, the default one, or what everybody sees.
    pub(super) fn search_scope(&self, scope: &str) -> Result<SearchScope> {
        if scope.is_empty() {
            let default = self.config.default_scope.clone().unwrap_or(Scope::Global);
            return Ok(SearchScope::In(default));
        }
        SearchScope::parse(scope).map_err(|error| invalid(format!("scope: {error}")))
    }

    /// What a caller sees of a scope.
    pub(super) fn visibility(&self, agent: &str, scope: &SearchScope) -> Result<Visibility> {
        Ok(self.access.policy.visibility(agent, scope).map_err(forbidden)?)
    }

    /// What a caller sees that names a memory: of the given scope, or of all that it may read.
    pub(super) fn visibility_of_one(&self, agent: &str, scope: &str) -> Result<Visibility> {
        let scope = if scope.is_empty() { SearchScope::All } else { self.search_scope(scope)? };
        self.visibility(agent, &scope)
    }

    /// All that a caller may read; nothing when that is nothing.
    pub(crate) fn full_visibility(&self, agent: &str) -> Visibility {
        self.access.policy.visibility(agent, &SearchScope::All).unwrap_or(Visibility::NOTHING)
    }

    /// The classes that a caller may read of a scope and in which a statement can be there already.
    pub(super) fn comparable(&self, agent: &str, scope: &Scope) -> Vec<MemType> {
        let readable = self.full_visibility(agent).of(scope);
        readable.iter().filter(|mem_type| *mem_type != MemType::TaskLog).collect()
    }

    /// Whether a caller may see an episode.
    pub(super) fn may_see_session(&self, session: &Session, agent: &str) -> bool {
        match self.access.policy.sessions(agent) {
            SessionsAccess::All => true,
            SessionsAccess::Own | SessionsAccess::Passed => session.agent == agent,
            SessionsAccess::None => false,
        }
    }

    /// Whether a caller that knows a session's id may add memories to it.
    pub(super) fn may_add_to_session(&self, session: &Session, agent: &str) -> bool {
        self.access.policy.sessions(agent) == SessionsAccess::Passed
            || self.may_see_session(session, agent)
    }

    /// The scope of what the robot's own sensors tell.
    pub(super) fn own_scope(&self) -> Scope {
        self.config.default_scope.clone().unwrap_or(Scope::Unscoped)
    }

    /// Refuses a write that the policy does not allow.
    pub(crate) fn check_write(&self, agent: &str, scope: &Scope, mem_type: MemType) -> Result<()> {
        Ok(self.access.policy.check_write(agent, scope, mem_type).map_err(forbidden)?)
    }
}

/// The memory, unless the caller may not see it: then there is none.
pub(super) fn seen_memory(
    memory: Option<Memory>,
    visibility: &Visibility,
    id: i64,
) -> Result<Memory> {
    memory
        .filter(|memory| visibility.sees(&memory.scope, memory.mem_type))
        .ok_or_else(|| no_memory(id).into())
}

/// What is answered of an id that was never there, and of a row that the caller may not see.
pub(super) fn no_memory(id: i64) -> ApiError {
    ApiError::not_found(format!("memory_id: there is no memory {id}"))
}

/// Takes out what a memory says of rows that the caller may not see.
pub(super) fn hide_unseen(
    tx: &ReadTx<'_>,
    memory: &mut Memory,
    visibility: &Visibility,
) -> store::Result<()> {
    if matches!(visibility, Visibility::Everything) {
        return Ok(());
    }
    for id in [&mut memory.parent_id, &mut memory.superseded_by] {
        if let Some(other) = *id {
            let place = tx.row_place(other)?;
            *id = place.filter(|it| visibility.sees(&it.scope, it.mem_type)).map(|_| other);
        }
    }
    Ok(())
}

pub(super) fn forbidden(violation: Violation) -> ApiError {
    ApiError { kind: ErrorKind::Forbidden, message: violation.to_string() }
}
