//! What a caller sees: of what it asked for, what the policy lets it read.

use super::MemTypes;
use super::policy::Grants;
use crate::model::{MemType, Scope};
use std::sync::Arc;

/// The rows that a caller may see, by their scope and life cycle class.
#[derive(Debug, Clone)]
pub enum Visibility {
    /// Everything there is.
    Everything,
    /// Every scope that these grants allow.
    Granted(Arc<Grants>),
    /// What was named, and what everybody sees.
    Named {
        /// The scopes that were named, by the caller or by all that is granted to it.
        own: Vec<(Scope, MemTypes)>,
        /// What is seen beside them of the scopes that everybody sees: the global one, and that of the fleet.
        shared: Vec<(Scope, MemTypes)>,
    },
}

impl Visibility {
    /// Nothing at all.
    pub const NOTHING: Self = Self::Named { own: Vec::new(), shared: Vec::new() };

    /// What was named, and what everybody sees beside it: the two halves of a ranked search. `None`
    /// when there are not two.
    pub fn halves(&self) -> Option<[Self; 2]> {
        match self {
            Self::Named { own, shared } if !shared.is_empty() => Some([
                Self::Named { own: own.clone(), shared: Vec::new() },
                Self::Named { own: shared.clone(), shared: Vec::new() },
            ]),
            Self::Named { .. } | Self::Everything | Self::Granted(_) => None,
        }
    }

    /// The classes that are seen of a scope.
    pub fn of(&self, scope: &Scope) -> MemTypes {
        match self {
            Self::Everything => MemTypes::ALL,
            Self::Granted(grants) => grants.mem_types(scope),
            Self::Named { own, shared } => {
                let named = own.iter().chain(shared).find(|(named, _)| named == scope);
                named.map(|(_, types)| *types).unwrap_or_default()
            }
        }
    }

    /// Whether a row of this scope and class is seen.
    pub fn sees(&self, scope: &Scope, mem_type: MemType) -> bool {
        self.of(scope).has(mem_type)
    }
}
