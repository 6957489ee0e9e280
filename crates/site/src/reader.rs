//! Reading as the role that sees what the caller may see, in one snapshot.

use crate::SiteStore;
use crate::error::{Error, Result};
use postgres::types::ToSql;
use postgres::{IsolationLevel, Row, Transaction};
use robot_memory_core::limits::{ACCESS_GRANTS_MAX, SITE_QUERY_SECS};
use robot_memory_core::model::Scope;

/// What the caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scopes {
    /// All scopes of the site.
    All,
    /// These: `global`, `group:<id>`.
    Only(Vec<String>),
}

impl Scopes {
    fn check(&self) -> Result<&[String]> {
        let Self::Only(scopes) = self else { return Ok(&[]) };
        if scopes.len() > ACCESS_GRANTS_MAX {
            return Err(Error::invalid(format!(
                "readable: at most {ACCESS_GRANTS_MAX} scopes, got {}",
                scopes.len()
            )));
        }
        for scope in scopes {
            shared_scope("readable", scope)?;
        }
        Ok(scopes)
    }
}

/// Checks a scope that claims can have.
pub(crate) fn shared_scope(field: &str, scope: &str) -> Result<()> {
    match Scope::parse(scope) {
        Ok(Scope::Global | Scope::Group(_)) => Ok(()),
        Ok(_) => {
            Err(Error::invalid(format!("{field}: must be global or group:<id>, got {scope:?}")))
        }
        Err(error) => Err(Error::invalid(format!("{field}: {error}"))),
    }
}

impl SiteStore {
    /// Reads as the role of recall: without what `readable` does not name, whatever is asked.
    pub(crate) fn read_as<T>(
        &self,
        readable: &Scopes,
        read: impl FnOnce(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let scopes = readable.check()?;
        let reads_all = if *readable == Scopes::All { "on" } else { "off" };
        self.pool().read(|client| {
            let mut tx = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()?;
            tx.batch_execute(&format!(
                "SET LOCAL ROLE robot_memory_reader; SET LOCAL statement_timeout = '{SITE_QUERY_SECS}s'; \
                 SET LOCAL jit = off; SET LOCAL work_mem = '64MB'"
            ))?;
            tx.execute(
                "SELECT set_config('robot_memory.site_no', $1::integer::text, true), \
                 set_config('robot_memory.reads_all', $2, true), \
                 set_config('robot_memory.scopes', $3::text[]::text, true)",
                &[&self.site_no(), &reads_all, &scopes],
            )?;
            let read = read(&mut tx);
            tx.rollback()?;
            read
        })
    }
}

/// A statement of SQL with its values: no value is ever a part of the text.
#[derive(Default)]
pub(crate) struct Query {
    pub text: String,
    values: Vec<Box<dyn ToSql + Sync>>,
}

impl Query {
    /// The place of a value in the text.
    pub fn bind(&mut self, value: impl ToSql + Sync + 'static) -> String {
        self.values.push(Box::new(value));
        format!("${}", self.values.len())
    }

    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn run(&self, tx: &mut Transaction<'_>) -> Result<Vec<Row>> {
        let values: Vec<&(dyn ToSql + Sync)> = self.values.iter().map(AsRef::as_ref).collect();
        Ok(tx.query(&self.text, &values)?)
    }
}
