//! Which agent reads and writes which scopes and life cycle classes.

use super::pattern::is_match;
use super::{MemTypes, ScopePattern, Sight};
use crate::model::{MemType, Scope, SearchScope};
use std::sync::Arc;

/// Stands for the caller's name in the scopes of an entry.
const AGENT: &str = "{agent}";

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
    /// Names of agents; `*` stands for any characters.
    pub names: Vec<String>,
    pub read: Vec<Grant>,
    pub write: Vec<Grant>,
    pub sessions: SessionsAccess,
}

/// A pattern of scopes, and which of their rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    /// A scope as it is written, in which `*` stands for any characters and `{agent}` for the
    /// caller's name.
    pub scope: String,
    pub mem_types: MemTypes,
}

/// The episodes that an agent may see and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionsAccess {
    /// None, and it may begin none.
    None,
    /// Those that it began.
    Own,
    /// All.
    All,
}

/// What one agent may read, or write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants(Vec<Grant>);

impl Grants {
    fn of(grants: &[Grant], agent: &str) -> Self {
        // A name with a star would stand for other agents' scopes.
        let agent = if agent.contains('*') { "\0" } else { agent };
        Self(
            grants
                .iter()
                .map(|grant| Grant {
                    scope: grant.scope.replace(AGENT, agent),
                    mem_types: grant.mem_types,
                })
                .collect(),
        )
    }

    /// The classes that are granted of a scope.
    pub fn mem_types(&self, scope: &Scope) -> MemTypes {
        let scope = scope.to_string();
        let granted = self.0.iter().filter(|grant| is_match(&grant.scope, &scope));
        granted.fold(MemTypes::NONE, |all, grant| all.with(grant.mem_types))
    }

    /// What is granted, in the order of the policy. A scope may be in several of them.
    pub fn iter(&self) -> impl Iterator<Item = (ScopePattern<'_>, MemTypes)> {
        self.0.iter().map(|grant| (ScopePattern::of(&grant.scope), grant.mem_types))
    }

    /// Whether it is everything there is.
    fn is_everything(&self) -> bool {
        self.0.iter().any(|grant| grant.scope == "*" && grant.mem_types == MemTypes::ALL)
    }
}

impl std::fmt::Display for Grants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        for (index, grant) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            let scope = if grant.scope == "*" { "all" } else { &grant.scope };
            f.write_str(scope)?;
            if grant.mem_types != MemTypes::ALL {
                let names: Vec<&str> = grant.mem_types.iter().map(MemType::as_str).collect();
                write!(f, " ({})", names.join(", "))?;
            }
        }
        Ok(())
    }
}

/// A rule of the policy was violated. The message names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Violation(String);

impl Policy {
    /// Nobody but the operator may do anything.
    pub(super) fn closed() -> Self {
        let entry = |label: &str| Entry {
            label: label.to_owned(),
            names: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            sessions: SessionsAccess::None,
        };
        Self { entries: Vec::new(), default: entry("default"), topics: entry("topics") }
    }

    fn entry(&self, agent: &str) -> &Entry {
        let named = |entry: &&Entry| entry.names.iter().any(|name| is_match(name, agent));
        self.entries.iter().find(named).unwrap_or(&self.default)
    }

    /// What an agent sees when it searches this.
    ///
    /// # Errors
    /// When it may read nothing of what it names.
    pub fn sight(&self, agent: &str, wanted: &SearchScope) -> Result<Sight, Violation> {
        let grants = if agent.is_empty() { None } else { Some(self.reads(agent)) };
        let of = |scope: &Scope| match &grants {
            None => MemTypes::ALL,
            Some(grants) => grants.mem_types(scope),
        };
        let refused = |grants: &Grants| {
            let label = &self.entry(agent).label;
            Violation(format!(
                "scope: agent {agent} may not read {wanted}; access policy entry {label}: read \
                 {grants}"
            ))
        };
        let named = match (wanted, &grants) {
            (SearchScope::All, None) => return Ok(Sight::Everything),
            (SearchScope::All, Some(grants)) => {
                return match () {
                    () if grants.0.is_empty() => Err(refused(grants)),
                    () if grants.is_everything() => Ok(Sight::Everything),
                    () => Ok(Sight::Granted(Arc::new(grants.clone()))),
                };
            }
            (SearchScope::In(scope), _) => vec![scope.clone()],
            (SearchScope::Cross(group), _) => vec![
                Scope::Group(group.clone()),
                if agent.is_empty() { Scope::Dm } else { Scope::Agent(agent.to_owned()) },
            ],
        };
        let is_global = named.contains(&Scope::Global);
        let own: Vec<(Scope, MemTypes)> = named
            .into_iter()
            .map(|scope| {
                let types = of(&scope);
                (scope, types)
            })
            .collect();
        // The first is what was named, the caller's own scope only comes with it.
        if let (Some((_, types)), Some(grants)) = (own.first(), &grants)
            && types.is_empty()
        {
            return Err(refused(grants));
        }
        Ok(Sight::Named { own, global: (!is_global).then(|| of(&Scope::Global)) })
    }

    /// What is shown on topics.
    pub fn topics(&self) -> Sight {
        let grants = Grants::of(&self.topics.read, "\0");
        if grants.is_everything() { Sight::Everything } else { Sight::Granted(Arc::new(grants)) }
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
        let entry = self.entry(agent);
        let grants = Grants::of(&entry.write, agent);
        if grants.mem_types(scope).has(mem_type) {
            return Ok(());
        }
        Err(Violation(format!(
            "scope: agent {agent} may not write {mem_type} in {scope}; access policy entry {}: write \
             {grants}",
            entry.label
        )))
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
            SessionsAccess::Own | SessionsAccess::All => Ok(()),
            SessionsAccess::None => Err(Violation(format!(
                "agent: {agent} may not begin sessions; access policy entry {}: sessions none",
                self.entry(agent).label
            ))),
        }
    }

    fn reads(&self, agent: &str) -> Grants {
        Grants::of(&self.entry(agent).read, agent)
    }
}
