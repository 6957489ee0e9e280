//! The table `summary`.

use super::belief::{belief_columns, confidence_at};
use super::column::record;
use super::{ReadTx, Result, Subject, WriteTx};
use crate::statement::{insert, statements};
use robot_memory_core::model::{Level, MemType, Scope, Stamp, SummaryKind, Trust};

/// What only a summary has, beside its memory.
#[derive(Debug, Clone, Copy)]
pub struct SummaryDraft<'a> {
    pub kind: SummaryKind,
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

impl SummaryDraft<'_> {
    /// One that belongs to no step and is about nothing.
    pub fn of(kind: SummaryKind) -> Self {
        let (first_turn_no, last_turn_no) = (None, None);
        Self { kind, first_turn_no, last_turn_no, source_ids: &[], subject: "", figures: "" }
    }
}

record! {
    /// An active short summary.
    #[derive(Debug, Clone, PartialEq)]
    pub struct MicroSummary, select_micro {
        pub id: i64 = "memory.id",
        pub collection: String = "collection",
        pub level: Level = "level",
        pub mem_type: MemType = "mem_type",
        pub trust: Trust = "trust",
        pub importance: f64 = "importance",
        pub session_id: String = "coalesce(session_id, '')",
        pub agent: String = "agent",
        pub context: String = "context",
        pub created_at: Stamp = "created_at",
        pub content: String = "content",
        /// The step that it covers; `None` when it belongs to none.
        pub turn_no: Option<u32> = "s.first_turn_no",
        pub token_count: u32 = "s.token_count",
        pub confidence: f64 = belief_columns!() => confidence_at,
    }
}

impl ReadTx<'_> {
    statements! {
        /// The active short summaries of a scope, in order of their steps and then of id.
        pub fn micro_summaries(scope: &Scope) [scope.to_string()] -> rows<MicroSummary> =
            select_micro!(
                "FROM summary s JOIN memory ON memory.id = s.memory_id WHERE s.scope = ?1 \
                 AND s.kind = 'micro' AND memory.status = 'active' AND memory.scope = ?1 \
                 ORDER BY s.first_turn_no, memory.id"
            );

        /// What the lesson that a memory is is about, and what is kept of it; `None` when it is none.
        pub fn lesson(memory_id: i64) -> row<(String, String)> =
            "SELECT subject, figures FROM summary WHERE memory_id = ?1 AND kind = 'lesson'";

        /// The short summaries that a long one was made of, in order of their steps; none when it is no
        /// long one.
        pub fn summary_sources(memory_id: i64) -> values<i64> =
            "SELECT source.value FROM summary s, json_each(s.source_ids) source \
             WHERE s.memory_id = ?1 ORDER BY source.key";

        /// The long summaries that stand for a row, or for what stands for it, of any status.
        pub fn macros_of(memory_id: i64) -> values<i64> =
            "WITH RECURSIVE standing (id) AS ( \
             SELECT superseded_by FROM memory WHERE id = ?1 AND superseded_by IS NOT NULL UNION \
             SELECT m.superseded_by FROM standing JOIN memory m ON m.id = standing.id \
             WHERE m.superseded_by IS NOT NULL) \
             SELECT standing.id FROM standing JOIN summary s ON s.memory_id = standing.id \
             WHERE s.kind = 'macro' ORDER BY standing.id";
    }
}

impl ReadTx<'_> {
    /// The lessons that are active, in order, and what each is about.
    pub fn lessons(&self) -> Result<Vec<(i64, Subject)>> {
        self.rows(
            "SELECT s.memory_id, m.scope, m.collection, s.subject FROM summary s \
             JOIN memory m ON m.id = s.memory_id \
             WHERE s.kind = 'lesson' AND m.status = 'active' ORDER BY s.memory_id",
            [],
            |row| {
                let of =
                    Subject { scope: row.get(1)?, collection: row.get(2)?, subject: row.get(3)? };
                Ok((row.get(0)?, of))
            },
        )
    }
}

impl WriteTx<'_> {
    /// Notes of a memory that it is a summary, and of what.
    pub fn insert_summary(
        &self,
        memory_id: i64,
        scope: &Scope,
        token_count: u32,
        draft: &SummaryDraft<'_>,
    ) -> Result<()> {
        insert!(
            self,
            "summary",
            memory_id = memory_id,
            kind = draft.kind.as_str(),
            scope = scope.to_string(),
            token_count = token_count,
            first_turn_no = draft.first_turn_no,
            last_turn_no = draft.last_turn_no,
            source_ids = serde_json::Value::from(draft.source_ids).to_string(),
            subject = draft.subject,
            figures = draft.figures
        )
    }
}
