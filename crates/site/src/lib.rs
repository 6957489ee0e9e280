//! The memory of a whole site: what all robots of a fleet told, in Postgres with pgvector, for beyond some millions of claims
//! (docs/site.md).
//!
//! Everything blocks, and must not be called on a thread of an async runtime.

mod conditions;
mod error;
mod hits;
mod intake;
mod plan;
mod pool;
mod provenance;
mod reader;
mod recall;
mod revocation;
mod robots;
mod said;
mod schema;
mod store;
mod take;
mod totals;
mod vector_index;
mod vectors;
mod words;

pub use error::{Error, Result};
pub use provenance::{Provenance, ProvenanceMemory, ProvenanceTeller, ProvenanceVerdict};
pub use reader::Scopes;
pub use schema::VERSION as SCHEMA_VERSION;
pub use take::{RemovedByRevocation, SitePosition, Taken};
pub use totals::{OriginTotal, Receipt, TakenRevocation};

use pool::Pool;
use std::sync::{Mutex, PoisonError};

/// The memory of one site.
pub struct SiteStore {
    pool: Pool,
    site_no: i32,
    /// Months that have partitions.
    months: Mutex<Vec<String>>,
}

/// Bytes of the name of a site.
const SITE_NAME_BYTES_MAX: usize = robot_memory_core::limits::ROBOT_NAME_BYTES_MAX;

impl SiteStore {
    /// Connects, and makes or upgrades the schema.
    ///
    /// # Errors
    /// When the database cannot be reached, is not set up (pgvector, the role `robot_memory_reader`), or has the schema of a
    /// newer program. No message has the password.
    pub fn open(url: &str, site: &str) -> Result<Self> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if site.is_empty() || site.len() > SITE_NAME_BYTES_MAX || !site.chars().all(is_name) {
            return Err(Error::invalid(format!(
                "site: must be 1 to {SITE_NAME_BYTES_MAX} of A-Z a-z 0-9 _ -, got {site:?}"
            )));
        }
        let pool = Pool::new(url)?;
        let site_no = pool.write(|client| {
            schema::upgrade(client, pool.place())?;
            schema::site_no(client, site)
        })?;
        Ok(Self { pool, site_no, months: Mutex::default() })
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn site_no(&self) -> i32 {
        self.site_no
    }

    fn months(&self) -> Vec<String> {
        self.months.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_months(&self, months: Vec<String>) {
        *self.months.lock().unwrap_or_else(PoisonError::into_inner) = months;
    }
}
