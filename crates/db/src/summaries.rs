//! The table `summary`.

use super::belief::{belief_columns, believed};
use super::column::{Cells, Column};
use super::statement::insert;
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{Level, MemType, Scope, Stamp, SummaryKind, Trust};
use rusqlite::Row;

/// What only a summary has, beside its memory.
#[derive(Debug, Clone, Copy)]
pub struct SummaryDraft<'a> {
    pub memory_id: i64,
    pub kind: SummaryKind,
    /// That of the memory.
    pub scope: &'a Scope,
    /// Tokens of its words.
    pub token_count: u32,
    /// The steps that it covers; `None` when it belongs to none.
    pub first_turn_no: Option<u32>,
    pub last_turn_no: Option<u32>,
    /// What it was made of: of a long one, the short ones.
    pub source_ids: &'a [i64],
    /// What it is about, of an experience or a week; else empty.
    pub subject: &'a str,
    /// JSON: what it tells in numbers; empty of others.
    pub figures: &'a str,
}

/// An active short summary.
#[derive(Debug, Clone, PartialEq)]
pub struct MicroSummary {
    pub id: i64,
    pub collection: String,
    pub level: Level,
    pub mem_type: MemType,
    pub trust: Trust,
    pub confidence: f64,
    pub importance: f64,
    pub session_id: String,
    pub agent: String,
    pub context: String,
    pub created_at: Stamp,
    pub content: String,
    /// The step that it covers; `None` when it belongs to none.
    pub turn_no: Option<u32>,
    pub token_count: u32,
}

impl ReadTx<'_> {
    /// The active short summaries of a scope, in order of their steps and then of id.
    pub fn micro_summaries(&self, scope: &Scope) -> Result<Vec<MicroSummary>> {
        self.rows(
            concat!(
                "SELECT m.id, m.collection, m.level, m.mem_type, m.trust, m.importance, \
                 m.session_id, m.agent, m.context, m.created_at, m.content, s.first_turn_no, \
                 s.token_count, ",
                belief_columns!("m"),
                " FROM summary s JOIN memory m ON m.id = s.memory_id WHERE s.scope = ?1 AND s.kind \
                 = 'micro' AND m.status = 'active' AND m.scope = ?1 ORDER BY s.first_turn_no, m.id",
            ),
            [scope.to_string()],
            micro,
        )
    }

    /// The short summaries that a long one was made of, in order of their steps; none when it is no
    /// long one.
    pub fn summary_sources(&self, memory_id: i64) -> Result<Vec<i64>> {
        self.values(
            "SELECT source.value FROM summary s, json_each(s.source_ids) source \
             WHERE s.memory_id = ?1 ORDER BY source.key",
            [memory_id],
        )
    }

    /// The long summaries that stand for a row, or for what stands for it, of any status.
    pub fn macros_of(&self, memory_id: i64) -> Result<Vec<i64>> {
        self.values(
            "WITH RECURSIVE standing (id) AS ( \
             SELECT superseded_by FROM memory WHERE id = ?1 AND superseded_by IS NOT NULL UNION \
             SELECT m.superseded_by FROM standing JOIN memory m ON m.id = standing.id \
             WHERE m.superseded_by IS NOT NULL) \
             SELECT standing.id FROM standing JOIN summary s ON s.memory_id = standing.id \
             WHERE s.kind = 'macro' ORDER BY standing.id",
            [memory_id],
        )
    }
}

impl WriteTx<'_> {
    /// Notes of a memory that it is a summary, and of what.
    pub fn insert_summary(&self, draft: &SummaryDraft<'_>) -> Result<()> {
        insert!(
            self,
            "summary",
            memory_id = draft.memory_id,
            kind = draft.kind.as_str(),
            scope = draft.scope.to_string(),
            token_count = draft.token_count,
            first_turn_no = draft.first_turn_no,
            last_turn_no = draft.last_turn_no,
            source_ids = serde_json::Value::from(draft.source_ids).to_string(),
            subject = draft.subject,
            figures = draft.figures
        )
    }
}

fn micro(row: &Row<'_>) -> Result<MicroSummary> {
    let id = row.get(0)?;
    let column = Column { row, id };
    Ok(MicroSummary {
        id,
        collection: row.get(1)?,
        level: column.text(2, "level", Level::parse)?,
        mem_type: column.text(3, "mem_type", MemType::parse)?,
        trust: column.text(4, "trust", Trust::parse)?,
        importance: row.get(5)?,
        session_id: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        agent: row.get(7)?,
        context: row.get(8)?,
        created_at: row.stamp(9)?,
        content: row.get(10)?,
        turn_no: row.get(11)?,
        token_count: row.get(12)?,
        confidence: believed(row, 13)?.now.confidence(),
    })
}
