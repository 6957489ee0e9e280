//! Who may read and write what, and what is stored for nobody.
//!
//! All of it is one YAML file (`config/access.yaml`). Nothing here reads or writes anything: it is
//! asked, and it says yes or no, and by which rule.

mod mem_types;
mod never_store;
mod pattern;
mod policy;
mod sharing;
mod visibility;
mod yaml;

pub use mem_types::MemTypes;
pub use never_store::{NeverStore, Place, Pointer, SecretMatch};
pub use pattern::ScopePattern;
pub use policy::{Policy, SessionsAccess, Violation};
pub use sharing::{Share, Sharing};
pub use visibility::Visibility;

use std::sync::Arc;

/// The policy as it is shipped.
const SHIPPED: &str = include_str!("../../../../config/access.yaml");

/// Who may read and write what, what is never stored, and what other robots are told.
#[derive(Debug, Clone)]
pub struct Access {
    /// Who may read and write what.
    pub policy: Policy,
    /// What is never stored.
    pub never_store: Arc<NeverStore>,
    /// What other robots of the fleet are told.
    pub sharing: Sharing,
}

/// What is wrong with an access file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct AccessError {
    place: String,
    fault: String,
}

impl AccessError {
    fn new(place: impl Into<String>, fault: impl Into<String>) -> Self {
        let fault: String = fault.into();
        // On one line, as messages are shown.
        let fault = if fault.contains('\n') {
            fault.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            fault
        };
        Self { place: place.into(), fault }
    }
}

impl Access {
    /// Reads the text of an access file.
    ///
    /// # Errors
    /// When it is not well formed: which entry, and what is wrong with it.
    pub fn parse(yaml: &str) -> Result<Self, AccessError> {
        yaml::read(yaml)
    }

    /// As it is shipped.
    pub fn shipped() -> Self {
        Self::parse(SHIPPED).unwrap_or_else(|error| {
            // A test reads the shipped file, so that this is never met; nobody may do anything then
            // but the operator.
            log::error!("the shipped access policy cannot be read: {error}");
            Self {
                policy: Policy::closed(),
                never_store: Arc::new(NeverStore::built_in()),
                sharing: Sharing::default(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_well_formed() {
        Access::parse(SHIPPED).unwrap();
    }
}
