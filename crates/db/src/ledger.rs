//! The table `memory_ledger`: what changed a memory by itself or by its status, and when.

use super::column::{Record, reader};
use super::statement::insert;
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::api::LedgerEntry;
use robot_memory_core::limits::LEDGER_ENTRIES_MAX;
use robot_memory_core::model::{LedgerChange, Stamp};
use rusqlite::{OptionalExtension, params};

reader!(LedgerEntry, select_entry by "memory_id" {
    change = "memory_ledger.change",
    cause = "cause",
    agent = "agent",
    value_before = "value_before",
    value_after = "value_after",
    repetitions = "repetitions",
    began_at = "began_at",
    changed_at = "changed_at",
});

/// What is to be noted. It holds no text of a memory, and no id of another one: who reads a ledger may
/// not see that one.
#[derive(Debug, Clone, Copy)]
pub struct LedgerNote<'a> {
    pub memory_id: i64,
    pub change: LedgerChange,
    /// The operation, the rule, or why.
    pub cause: &'a str,
    /// Empty for the operator or the node itself.
    pub agent: &'a str,
    /// What was before, and what is now.
    pub values: (&'a str, &'a str),
    pub at: Stamp,
}

impl LedgerNote<'_> {
    /// Whether it is one entry with one of the same change that it follows upon.
    const fn repeats(&self) -> bool {
        matches!(
            self.change,
            LedgerChange::Faded
                | LedgerChange::Merged
                | LedgerChange::Renewed
                | LedgerChange::Credited
                | LedgerChange::Blamed
        )
    }
}

impl ReadTx<'_> {
    /// The ledger of a memory, oldest first, with what it has lost with its collection.
    pub fn ledger(&self, memory_id: i64) -> Result<Vec<LedgerEntry>> {
        let sql = select_entry!("FROM memory_ledger WHERE memory_id = ?1 ORDER BY entry_no");
        let mut found = self.rows(sql, [memory_id], Record::read)?;
        if let Some((written, now, cause)) = self.unwritten_fading(memory_id)? {
            add_faded(&mut found, written.confidence(), now.confidence(), cause, now.counted_until);
        }
        // What is written of a fading may be written after what came later.
        found.sort_by_key(|entry| entry.changed_at);
        if found.len() > LEDGER_ENTRIES_MAX as usize {
            found.remove(1);
        }
        Ok(found)
    }

    /// Who wrote a row; empty for the operator, and when there is no such row.
    pub fn agent_of_row(&self, id: i64) -> Result<String> {
        Ok(self.value("SELECT agent FROM memory WHERE id = ?1", [id])?.unwrap_or_default())
    }
}

impl WriteTx<'_> {
    /// Notes in the ledger of a memory that belief in it has faded, when that can be told.
    pub fn note_faded(
        &self,
        memory_id: i64,
        before: f64,
        after: f64,
        cause: &str,
        at: Stamp,
    ) -> Result<()> {
        let (before, after) = (in_ledger(before), in_ledger(after));
        if before == after {
            return Ok(());
        }
        let (change, values) = (LedgerChange::Faded, (before.as_str(), after.as_str()));
        self.note_change(&LedgerNote { memory_id, change, cause, agent: "", values, at })
    }

    /// Notes in the ledger of a memory what changed it. What repeats the newest entry, from the value that
    /// this one came to, lets it grow.
    pub fn note_change(&self, note: &LedgerNote<'_>) -> Result<()> {
        let LedgerNote { memory_id, values: (value_before, value_after), .. } = *note;
        let newest = self
            .connection
            .prepare_cached(
                "SELECT entry_no, change = ?2 AND value_after = ?3 FROM memory_ledger \
                 WHERE memory_id = ?1 ORDER BY entry_no DESC LIMIT 1",
            )?
            .query_row(params![memory_id, note.change.as_str(), value_before], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))
            })
            .optional()?;
        let entry_no = match newest {
            Some((entry_no, true)) if note.repeats() => {
                return self.grow_entry(entry_no, note);
            }
            Some((entry_no, _)) => entry_no + 1,
            None => 1,
        };
        insert!(
            self,
            "memory_ledger",
            memory_id = memory_id,
            entry_no = entry_no,
            change = note.change.as_str(),
            cause = note.cause,
            agent = note.agent,
            value_before = value_before,
            value_after = value_after,
            repetitions = 1,
            began_at = note.at.0,
            changed_at = note.at.0
        )?;
        if entry_no > i64::from(LEDGER_ENTRIES_MAX) {
            self.execute(
                "DELETE FROM memory_ledger WHERE memory_id = ?1 AND entry_no = \
                 (SELECT min(entry_no) FROM memory_ledger WHERE memory_id = ?1 AND entry_no > 1)",
                [memory_id],
            )?;
        }
        Ok(())
    }

    fn grow_entry(&self, entry_no: i64, note: &LedgerNote<'_>) -> Result<()> {
        self.execute(
            "UPDATE memory_ledger SET repetitions = min(repetitions + 1, 4294967295), \
             cause = ?3, agent = ?4, value_after = ?5, changed_at = ?6 \
             WHERE memory_id = ?1 AND entry_no = ?2",
            params![note.memory_id, entry_no, note.cause, note.agent, note.values.1, note.at.0],
        )
    }
}

/// A share as a ledger has it.
fn in_ledger(share: f64) -> String {
    format!("{share:.4}")
}

/// The ledger as it were if the fading had been noted in it.
fn add_faded(ledger: &mut Vec<LedgerEntry>, before: f64, after: f64, cause: String, at: Stamp) {
    let (value_before, value_after) = (in_ledger(before), in_ledger(after));
    if value_before == value_after {
        return;
    }
    match ledger.last_mut() {
        Some(last) if last.change == LedgerChange::Faded && last.value_after == value_before => {
            last.repetitions = last.repetitions.saturating_add(1);
            (last.cause, last.value_after, last.changed_at) = (cause, value_after, at);
        }
        _ => ledger.push(LedgerEntry {
            change: LedgerChange::Faded,
            cause,
            agent: String::new(),
            value_before,
            value_after,
            repetitions: 1,
            began_at: at,
            changed_at: at,
        }),
    }
}
