//! Rows in which something is missing that would be there if they were stored today, and rows of no
//! known scope.

use super::column::Cells;
use super::{ReadTx, Result, WriteTx, schema};
use crate::statement::whole;
use robot_memory_core::model::{Category, Scope};
use rusqlite::params;
use std::collections::BTreeMap;

/// Other rows of one agent that must agree before they say where its rows belong.
const HOME_ROWS_MIN: u32 = 3;

/// What is filled in of a row; what is empty, or `None`, stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    pub category: Option<Category>,
    pub tags: Vec<String>,
    pub scope_files: Vec<String>,
    pub scope_entities: Vec<String>,
    pub quantity_key: Option<i64>,
}

impl ReadTx<'_> {
    /// Active rows of a scope that an earlier version stored and that were not looked at since, with a
    /// greater id than `after`, in order of id, at most `limit`.
    pub fn rows_of_earlier_version(
        &self,
        scope: &Scope,
        after: i64,
        limit: usize,
    ) -> Result<Vec<i64>> {
        // The conditions are those of the index.
        let limit = whole(limit);
        self.values(
            "SELECT id FROM memory WHERE schema_version < 6 AND status = 'active' AND scope = ?1 \
             AND id > ?2 ORDER BY id LIMIT ?3",
            params![scope.to_string(), after, limit],
        )
    }

    /// The one scope of all active rows of an agent that have one, for each agent that has enough of
    /// them; in one pass over all rows.
    pub fn homes_of_agents(&self) -> Result<BTreeMap<String, Scope>> {
        let homes = self.rows(
            "SELECT min(id), agent, min(scope) FROM memory \
             WHERE status = 'active' AND scope <> 'unscoped' AND agent <> '' \
             GROUP BY agent HAVING min(scope) = max(scope) AND count(*) >= ?1",
            [HOME_ROWS_MIN],
            |row| Ok((row.get(1)?, row.cell(2, "scope")?)),
        )?;
        Ok(homes.into_iter().collect())
    }
}

impl WriteTx<'_> {
    /// Fills in what is missing of a row.
    pub fn complete(&self, id: i64, found: &Completion) -> Result<()> {
        // Its category may keep it from fading.
        self.settle_belief(id)?;
        let json =
            |list: &[String]| (!list.is_empty()).then(|| serde_json::Value::from(list).to_string());
        self.execute(
            "UPDATE memory SET category = coalesce(?2, category), tags = coalesce(?3, tags), \
             scope_files = coalesce(?4, scope_files), \
             scope_entities = coalesce(?5, scope_entities), \
             quantity_key = coalesce(?6, quantity_key) WHERE id = ?1",
            params![
                id,
                found.category.map(Category::as_str),
                json(&found.tags),
                json(&found.scope_files),
                json(&found.scope_entities),
                found.quantity_key,
            ],
        )
    }

    /// Notes that a row has all that one has which is stored today.
    pub fn set_row_version(&self, id: i64) -> Result<()> {
        self.execute(
            "UPDATE memory SET schema_version = ?2 WHERE id = ?1",
            params![id, schema::VERSION],
        )
    }
}
