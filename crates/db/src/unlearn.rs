//! Which memories are to be unlearned, and what rests on them.

use super::attempts::Subject;
use super::column::Cells;
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::model::{MemType, Scope, Stamp};
use rusqlite::params;

/// By what columns of a row it is selected.
#[derive(Debug, Clone, Copy)]
pub struct MadeIn<'a> {
    /// `None`: in any.
    pub collection: Option<&'a str>,
    /// `None`: in any, or in none.
    pub session_id: Option<&'a str>,
    /// Not before.
    pub since: Option<Stamp>,
    /// Before.
    pub until: Option<Stamp>,
}

impl ReadTx<'_> {
    statements! {
        /// How many of some memories are active or archived.
        pub fn standing_count(ids: &[i64]) [serde_json::Value::from(ids).to_string()] -> count =
            "SELECT count(*) FROM json_each(?1) e JOIN memory m ON m.id = e.value \
             WHERE m.status IN ('active', 'archived')";

        /// The archived facts and perceptions of a scope and a collection that were made in a time, in order of id.
        pub fn archived_in(of: &Subject, since: Stamp, until: Stamp)
            [of.scope, of.collection, since.0, until.0] -> values<i64> =
            "SELECT id FROM memory WHERE status = 'archived' AND scope = ?1 AND collection = ?2 \
             AND type <> 'summary' AND created_at >= ?3 AND created_at < ?4 ORDER BY id";

        /// The long summaries that were made of a short one, in order of id.
        pub fn macros_made_of(memory_id: i64) -> values<i64> =
            "SELECT s.memory_id FROM summary u JOIN summary s ON s.scope = u.scope \
             AND s.kind = 'macro' WHERE u.memory_id = ?1 AND EXISTS \
             (SELECT 1 FROM json_each(s.source_ids) WHERE value = ?1) ORDER BY s.memory_id";

        /// Of which week the summary is that a memory is, and what was counted; `None` when it is none.
        pub fn week_summary(memory_id: i64) -> row<Subject> =
            "SELECT m.scope, m.collection, s.subject FROM summary s \
             JOIN memory m ON m.id = s.memory_id WHERE s.memory_id = ?1 AND s.kind = 'week'";
    }

    /// Calls `f` with the id, scope, class and context of each fact, perception and short summary that was made there, of
    /// any status, in order of id.
    pub fn each_made_in(
        &self,
        place: &MadeIn<'_>,
        mut f: impl FnMut(i64, &Scope, MemType, &str),
    ) -> Result<()> {
        let sql = "SELECT id, scope, mem_type, context FROM memory WHERE (?1 IS NULL OR collection = ?1) \
                   AND (?2 IS NULL OR session_id = ?2) AND created_at >= ?3 \
                   AND (?4 IS NULL OR created_at < ?4) AND (type <> 'summary' \
                   OR id IN (SELECT memory_id FROM summary WHERE kind = 'micro')) ORDER BY id";
        let MadeIn { collection, session_id, since, until } = *place;
        let since = since.map_or(i64::MIN, |since| since.0);
        let until = until.map(|until| until.0);
        self.each(sql, params![collection, session_id, since, until], |row| {
            let scope: Scope = row.cell(1, "scope")?;
            f(row.get(0)?, &scope, row.cell(2, "mem_type")?, row.str(3)?);
            Ok(())
        })
    }
}

impl WriteTx<'_> {
    statements! {
        /// Counts a memory no more as an attempt. What was learned of its subject is stale from then on.
        pub fn drop_attempt(memory_id: i64) -> execute =
            "DELETE FROM attempt WHERE memory_id = ?1";
    }
}
