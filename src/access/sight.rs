//! What a caller sees: of what it asked for, what the policy lets it read.

use super::MemTypes;
use super::policy::Grants;
use crate::model::{MemType, Scope};
use std::sync::Arc;

/// The rows that a caller may see, by their scope and life cycle class.
#[derive(Debug, Clone)]
pub enum Sight {
    /// Everything there is.
    Everything,
    /// Every scope that these grants allow.
    Granted(Arc<Grants>),
    /// What was named, and what everybody sees.
    Named {
        /// The scopes that were named, by the caller or by all that is granted to it.
        own: Vec<(Scope, MemTypes)>,
        /// What of the global scope is seen beside them; `None` when it is among them, or not seen.
        global: Option<MemTypes>,
    },
}

impl Sight {
    /// The classes that are seen of a scope.
    pub fn of(&self, scope: &Scope) -> MemTypes {
        match self {
            Self::Everything => MemTypes::ALL,
            Self::Granted(grants) => grants.mem_types(scope),
            Self::Named { own, global } => {
                let named = own.iter().find(|(named, _)| named == scope).map(|(_, types)| *types);
                let beside = global.filter(|_| *scope == Scope::Global);
                named.or(beside).unwrap_or_default()
            }
        }
    }

    /// Whether a row of this scope and class is seen.
    pub fn sees(&self, scope: &Scope, mem_type: MemType) -> bool {
        self.of(scope).has(mem_type)
    }
}
