//! What the indexes in memory need of all active rows, read in one pass.

use super::belief::{written_belief, written_columns};
use super::column::Cells;
use super::{ReadTx, Result};
use robot_memory_core::model::{Belief, Category, Kind, Level, MemType, Stamp, Trust};
use std::ops::ControlFlow;

/// What every search needs of an active row. The texts live as long as the call that is given them.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFacts<'r> {
    pub id: i64,
    pub collection: &'r str,
    /// Who may see it, as it is written.
    pub scope: &'r str,
    /// Its session, or empty.
    pub session_id: &'r str,
    /// Reach and life.
    pub level: Level,
    /// Fact, perception or summary.
    pub kind: Kind,
    /// Life cycle class.
    pub mem_type: MemType,
    /// Kind of statement, of a fact.
    pub category: Option<Category>,
    /// How far its source is believed.
    pub trust: Trust,
    /// Whether it is data of the real robot.
    pub is_real: bool,
    /// Belief, by the days that were counted of it alone: more may have been counted of its collection.
    pub belief: Belief,
    pub created_at: Stamp,
    /// Tokens in the word index.
    pub word_count: u32,
    /// Equal for contents that name the same quantities; 0 when that is not known.
    pub quantity_key: i64,
}

impl ReadTx<'_> {
    /// Calls `f` with the facts of each active memory, in order of id, until it breaks; answers
    /// what it broke with.
    pub fn each_active_facts<B>(
        &self,
        mut f: impl FnMut(&ActiveFacts<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        let sql = concat!(
            "SELECT id, type, level, mem_type, category, trust, is_real, word_count, \
             quantity_key, created_at, collection, scope, session_id, ",
            written_columns!(),
            " FROM memory WHERE status = 'active' ORDER BY id",
        );
        self.each_until(sql, [], |row| {
            let category: Option<Category> = row.cell(4, "category")?;
            let mut belief = written_belief(row, 13)?;
            if category.is_some_and(Category::is_protected) {
                belief = belief.counted(belief.fades_from);
            }
            Ok(f(&ActiveFacts {
                id: row.get(0)?,
                kind: row.cell(1, "type")?,
                level: row.cell(2, "level")?,
                mem_type: row.cell(3, "mem_type")?,
                category,
                trust: row.cell(5, "trust")?,
                is_real: row.get(6)?,
                word_count: row.get(7)?,
                quantity_key: row.get(8)?,
                created_at: row.stamp(9)?,
                collection: row.str(10)?,
                scope: row.str(11)?,
                session_id: row
                    .get_ref(12)?
                    .as_str_or_null()
                    .map_err(rusqlite::Error::from)?
                    .unwrap_or_default(),
                belief,
            }))
        })
    }
}
