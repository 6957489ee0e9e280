//! Which agent reads and writes which scopes and life cycle classes.

use super::pattern::Pattern;
use super::{MemTypes, ScopePattern, Visibility};
use crate::model::{MemType, Scope, SearchScope, nearest, text_enum};
use std::sync::Arc;

/// Stands for the caller's name in the scopes of an entry.
pub(super) const AGENT: &str = "{agent}";

/// Grants that a message shows.
const SHOWN_MAX: usize = 8;

/// Who may read and write what. A caller without a name is the operator and may do everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The first that names an agent holds for it.
    pub(super) entries: Vec<Entry>,
    /// Holds for everybody else.
    pub(super) default: Entry,
    /// What is shown on topics, which nobody asks for by name.
    pub(super) topics: Entry,
}

/// What some agents may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The entry's name in messages.
    pub label: String,
    /// Names of agents.
    pub names: Vec<Pattern>,
    pub read: Vec<Grant>,
    pub write: Vec<Grant>,
    pub sessions: SessionsAccess,
}

impl Entry {
    /// One that allows nothing.
    pub fn closed(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            names: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            sessions: SessionsAccess::None,
        }
    }
}

/// A pattern of scopes, and which of their rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    /// Of scopes as they are written, in which `{agent}` stands for the caller's name.
    pub scope: Pattern,
    pub mem_types: MemTypes,
}

impl Grant {
    /// Whether it depends on the caller's name.
    pub fn is_own(&self) -> bool {
        self.scope.contains(AGENT)
    }
}

text_enum! {
    /// The episodes that an agent may see and end.
    SessionsAccess {
        /// None, and it may begin none.
        None = "none",
        /// Those that it began.
        Own = "own",
        /// Those that it began; and it may add memories to all whose id it was passed.
        Passed = "passed",
        /// All.
        All = "all",
    }
}

/// What one agent may read, or write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants(Vec<Grant>);

impl Grants {
    fn of(grants: &[Grant], agent: &str) -> Self {
        let filled = grants.iter().map(|grant| Grant {
            scope: grant.scope.filled(AGENT, agent),
            mem_types: grant.mem_types,
        });
        Self(filled.collect())
    }

    /// The classes that are granted of a scope.
    pub fn mem_types(&self, scope: &Scope) -> MemTypes {
        let scope = scope.to_string();
        let granted = self.0.iter().filter(|grant| grant.scope.is_match(&scope));
        granted.fold(MemTypes::NONE, |all, grant| all.with(grant.mem_types))
    }

    /// All that they grant. What they name without a star is looked up, and not looked for among all
    /// scopes that there are.
    fn visibility(&self) -> Visibility {
        if self.is_everything() {
            return Visibility::Everything;
        }
        if !self.0.iter().all(|grant| grant.scope.is_literal()) {
            return Visibility::Granted(Arc::new(self.clone()));
        }
        let mut own: Vec<(Scope, MemTypes)> = Vec::with_capacity(self.0.len());
        for grant in &self.0 {
            // The name of an agent can be one that no scope has.
            let Ok(scope) = Scope::parse(&grant.scope.to_string()) else { continue };
            if own.iter().all(|(named, _)| *named != scope) {
                let types = self.mem_types(&scope);
                own.push((scope, types));
            }
        }
        Visibility::Named { own, shared: Vec::new() }
    }

    /// What is granted, in the order of the policy. A scope may be in several of them.
    pub fn iter(&self) -> impl Iterator<Item = (ScopePattern<'_>, MemTypes)> {
        self.0.iter().map(|grant| (ScopePattern::of(&grant.scope), grant.mem_types))
    }

    /// Whether it is everything there is.
    fn is_everything(&self) -> bool {
        let all = |grant: &Grant| grant.scope.is_everything() && grant.mem_types == MemTypes::ALL;
        self.0.iter().any(all)
    }
}

impl std::fmt::Display for Grants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        for (index, grant) in self.0.iter().take(SHOWN_MAX).enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            match &grant.scope {
                scope if scope.is_everything() => f.write_str("all")?,
                scope => scope.fmt(f)?,
            }
            if grant.mem_types != MemTypes::ALL {
                let names: Vec<&str> = grant.mem_types.iter().map(MemType::as_str).collect();
                write!(f, " ({})", names.join(", "))?;
            }
        }
        match self.0.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A rule of the policy was violated. The message names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(String);

impl Policy {
    /// Nobody but the operator may do anything.
    pub(super) fn closed() -> Self {
        Self {
            entries: Vec::new(),
            default: Entry::closed("default"),
            topics: Entry::closed("topics"),
        }
    }

    fn entry(&self, agent: &str) -> &Entry {
        let is_named = |entry: &&Entry| entry.names.iter().any(|name| name.is_match(agent));
        self.entries.iter().find(is_named).unwrap_or(&self.default)
    }

    /// A violation of the entry that holds for an agent: what it may not do, and what it may.
    fn violation(&self, field: &str, agent: &str, may_not: &str, may: &str) -> Violation {
        let entry = self.entry(agent);
        let mut message = format!(
            "{field}: agent {agent} may not {may_not}; access policy entry {}: {may}",
            entry.label
        );
        if entry.names.is_empty() {
            message.push_str(" (no other entry names it");
            let names: Vec<String> = self
                .entries
                .iter()
                .flat_map(|entry| &entry.names)
                .filter(|name| name.is_literal())
                .map(Pattern::to_string)
                .collect();
            if let Some(nearest) = nearest(agent, names.iter().map(String::as_str)) {
                message.push_str("; did you mean ");
                message.push_str(nearest);
                message.push('?');
            }
            message.push(')');
        }
        Violation(message)
    }

    /// What an agent sees when it searches this.
    ///
    /// # Errors
    /// When it may read nothing of what it names.
    pub fn visibility(&self, agent: &str, wanted: &SearchScope) -> Result<Visibility, Violation> {
        let grants = if agent.is_empty() { None } else { Some(self.reads(agent)) };
        let of = |scope: &Scope| match &grants {
            None => MemTypes::ALL,
            Some(grants) => grants.mem_types(scope),
        };
        let refused = |grants: &Grants| {
            self.violation("scope", agent, &format!("read {wanted}"), &format!("read {grants}"))
        };
        let named = match (wanted, &grants) {
            (SearchScope::All, None) => return Ok(Visibility::Everything),
            (SearchScope::All, Some(grants)) if grants.0.is_empty() => return Err(refused(grants)),
            (SearchScope::All, Some(grants)) => return Ok(grants.visibility()),
            (SearchScope::In(scope), _) => vec![scope.clone()],
            (SearchScope::Cross(group), _) => vec![
                Scope::Group(group.clone()),
                if agent.is_empty() { Scope::Dm } else { Scope::Agent(agent.to_owned()) },
            ],
        };
        let with_types = |scope: Scope| {
            let types = of(&scope);
            (scope, types)
        };
        let mut own: Vec<(Scope, MemTypes)> = named.into_iter().map(with_types).collect();
        // The first is what was named, the caller's own scope only comes with it.
        if let (Some((_, types)), Some(grants)) = (own.first(), &grants)
            && types.is_empty()
        {
            return Err(refused(grants));
        }
        // What the fleet tells stands beside what everybody sees.
        let mut shared = vec![with_types(Scope::Global), with_types(Scope::Fleet)];
        shared.retain(|(scope, _)| own.iter().all(|(named, _)| named != scope));
        if own.iter().any(|(named, _)| *named == Scope::Global) {
            own.append(&mut shared);
        }
        Ok(Visibility::Named { own, shared })
    }

    /// What is shown on topics.
    pub fn topics(&self) -> Visibility {
        Grants::of(&self.topics.read, "").visibility()
    }

    /// Checks that an agent may write rows of this class into a scope.
    ///
    /// # Errors
    /// When it may not.
    pub fn check_write(
        &self,
        agent: &str,
        scope: &Scope,
        mem_type: MemType,
    ) -> Result<(), Violation> {
        if agent.is_empty() {
            return Ok(());
        }
        let grants = Grants::of(&self.entry(agent).write, agent);
        if grants.mem_types(scope).has(mem_type) {
            return Ok(());
        }
        let may_not = format!("write {mem_type} in {scope}");
        Err(self.violation("scope", agent, &may_not, &format!("write {grants}")))
    }

    /// Whether whoever sees rows of one class in a scope sees those of another there, too, and the
    /// reverse.
    pub fn reads_alike(&self, scope: &Scope, one: MemType, other: MemType) -> bool {
        let name = scope.to_string();
        let is_alike = |types: MemTypes| types.has(one) == types.has(other);
        self.entries.iter().chain([&self.default, &self.topics]).all(|entry| {
            let (own, named): (Vec<&Grant>, Vec<&Grant>) =
                entry.read.iter().partition(|grant| grant.is_own());
            let named = named.into_iter().filter(|grant| grant.scope.is_match(&name));
            // Which agent reads it as its own scope is not known; each that does must see both.
            let is_own = matches!(scope, Scope::Agent(_));
            (!is_own || own.iter().all(|grant| is_alike(grant.mem_types)))
                && is_alike(named.fold(MemTypes::NONE, |all, grant| all.with(grant.mem_types)))
        })
    }

    /// Checks that an agent may write anything at all into a scope.
    ///
    /// # Errors
    /// When it may not.
    pub fn check_write_some(&self, agent: &str, scope: &Scope) -> Result<(), Violation> {
        if agent.is_empty() {
            return Ok(());
        }
        let grants = Grants::of(&self.entry(agent).write, agent);
        if !grants.mem_types(scope).is_empty() {
            return Ok(());
        }
        let may_not = format!("write in {scope}");
        Err(self.violation("scope", agent, &may_not, &format!("write {grants}")))
    }

    /// Whether an agent may read and write everything there is.
    pub fn is_unbounded(&self, agent: &str) -> bool {
        let entry = || self.entry(agent);
        agent.is_empty()
            || Grants::of(&entry().read, agent).is_everything()
                && Grants::of(&entry().write, agent).is_everything()
    }

    /// The episodes that an agent may see and end.
    pub fn sessions(&self, agent: &str) -> SessionsAccess {
        if agent.is_empty() { SessionsAccess::All } else { self.entry(agent).sessions }
    }

    /// Checks that an agent may begin an episode.
    ///
    /// # Errors
    /// When it may not.
    pub fn check_begin_session(&self, agent: &str) -> Result<(), Violation> {
        match self.sessions(agent) {
            SessionsAccess::Own | SessionsAccess::Passed | SessionsAccess::All => Ok(()),
            SessionsAccess::None => {
                Err(self.violation("agent", agent, "begin sessions", "sessions none"))
            }
        }
    }

    fn reads(&self, agent: &str) -> Grants {
        Grants::of(&self.entry(agent).read, agent)
    }
}

#[cfg(test)]
mod tests;
