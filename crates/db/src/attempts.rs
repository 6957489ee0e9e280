//! The tables `attempt`, `attempt_unread` and `experience_stale`: what task logs tell of attempts at tasks,
//! read once from each; and memories as attempts are read out of them.

use super::column::{Cells, Record, record};
use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};
use robot_memory_core::limits::ATTEMPT_DATA_BYTES_MAX;
use robot_memory_core::model::{Category, Kind, MemType, Scope, Stamp, Status, SummaryKind, Trust};
use rusqlite::params;
use std::ops::ControlFlow;

record! {
    /// What an attempt is read out of.
    #[derive(Debug, Clone, PartialEq)]
    pub struct AttemptSource, select_source {
        pub id: i64 = "m.id",
        pub kind: Kind = "m.type",
        pub category: Option<Category> = "m.category",
        pub mem_type: MemType = "m.mem_type",
        pub status: Status = "m.status",
        pub trust: Trust = "m.trust",
        pub created_at: Stamp = "m.created_at",
        pub collection: String = "m.collection",
        pub scope: Scope = "m.scope",
        pub turn_id: String = "m.turn_id",
        pub content: String = "m.content",
        pub context: String = "m.context",
        /// Of a perception, when it is short; else empty.
        pub data: String = "coalesce(iif(length(p.data) <= ?1, p.data, ''), '')",
    }
}

record! {
    /// Attempts at one task on one object, in one place.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Subject, select_subject {
        pub scope: String = "scope",
        pub collection: String = "collection",
        /// A key that holds no text.
        pub subject: String = "subject",
    }
}

record! {
    /// A summary that is about something.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SubjectSummary, select_summary {
        pub memory_id: i64 = "m.id",
        pub status: Status = "m.status",
        /// JSON.
        pub figures: String = "summary.figures",
        /// What it was made of.
        pub source_ids: Vec<i64> = "summary.source_ids",
    }
}

macro_rules! sources {
    ($condition:literal) => {
        select_source!(
            // What other robots tell is no attempt of this one.
            "FROM memory m LEFT JOIN perception p ON p.memory_id = m.id WHERE m.source <> 'fleet' AND ",
            $condition
        )
    };
}

impl ReadTx<'_> {
    statements! {
        /// A memory of any status, as an attempt is read out of it.
        pub fn attempt_source(id: i64) [ATTEMPT_DATA_BYTES_MAX as i64, id] -> row<AttemptSource> =
            sources!("m.id = ?2");

        /// Subjects of a scope whose attempts changed since they were counted, in order.
        pub fn stale_subjects(scope: &Scope) [scope.to_string()] -> rows<Subject> =
            select_subject!("FROM experience_stale WHERE scope = ?1 ORDER BY collection, subject");

        /// What a memory is counted as an attempt at; `None` when it is none.
        pub fn subject_of_attempt(memory_id: i64) -> row<Subject> =
            select_subject!("FROM attempt WHERE memory_id = ?1");

        /// The last memory of a scope up to which attempts were read; 0 when none was.
        pub fn attempts_upto(scope: &Scope) [scope.to_string()] -> or_default<i64> =
            "SELECT attempts_upto FROM maintenance_state WHERE scope = ?1";

        /// How many attempts at a subject there are, as far as `max`.
        pub fn attempt_count(of: &Subject, max: u64)
            [of.scope, of.collection, of.subject, whole(max)] -> count =
            "SELECT count(*) FROM (SELECT 1 FROM attempt \
             WHERE scope = ?1 AND collection = ?2 AND subject = ?3 LIMIT ?4)";
    }

    /// Calls `f` with each fact and perception that is active, archived, or a superseded task log, of some
    /// collections (`None`: all), not made before `since` nor after `until`, the last stored first, until it
    /// breaks.
    pub fn each_attempt_source(
        &self,
        collections: Option<&[String]>,
        since: Option<Stamp>,
        until: Option<Stamp>,
        mut f: impl FnMut(AttemptSource) -> ControlFlow<()>,
    ) -> Result<()> {
        let sql = sources!(
            "m.type IN ('fact', 'perception') AND (m.status IN ('active', 'archived') \
             OR m.status = 'superseded' AND m.mem_type = 'task_log') \
             AND m.created_at BETWEEN ?2 AND ?3 \
             AND (?4 IS NULL OR m.collection IN (SELECT value FROM json_each(?4))) ORDER BY m.id DESC"
        );
        let collections = collections.map(|some| serde_json::Value::from(some).to_string());
        let since = since.map_or(i64::MIN, |since| since.0);
        let until = until.map_or(i64::MAX, |until| until.0);
        let params = params![ATTEMPT_DATA_BYTES_MAX as i64, since, until, collections];
        self.each_until(sql, params, |row| Ok(f(Record::read(row)?))).map(drop)
    }

    /// Memories that are, or were, of a scope and changed since they were read, and how many there are in
    /// all, in order of id.
    pub fn unread_attempts(&self, scope: &Scope, limit: usize) -> Result<(Vec<i64>, u64)> {
        let scope = scope.to_string();
        let ids = self.values(
            "SELECT memory_id FROM attempt_unread WHERE scope = ?1 ORDER BY memory_id LIMIT ?2",
            params![scope, limit as i64],
        )?;
        let total = self.count("SELECT count(*) FROM attempt_unread WHERE scope = ?1", [scope])?;
        Ok((ids, total))
    }

    /// Calls `f` with the id of each attempt at a subject, and with what it tells, in order of id.
    pub fn each_attempt_about(&self, of: &Subject, mut f: impl FnMut(i64, &str)) -> Result<()> {
        let sql = "SELECT memory_id, told FROM attempt \
                   WHERE scope = ?1 AND collection = ?2 AND subject = ?3 ORDER BY memory_id";
        self.each(sql, [&of.scope, &of.collection, &of.subject], |row| {
            f(row.get(0)?, row.str(1)?);
            Ok(())
        })
    }

    /// The summaries of a kind that are about a subject, of any status, in order of id.
    pub fn summaries_about(&self, kind: SummaryKind, of: &Subject) -> Result<Vec<SubjectSummary>> {
        let Subject { scope, collection, subject } = of;
        let sql = select_summary!(
            "FROM summary JOIN memory m ON m.id = summary.memory_id WHERE summary.subject = ?3 \
             AND summary.subject <> '' AND summary.kind = ?2 AND m.collection = ?4 \
             AND m.scope = ?1 ORDER BY m.id"
        );
        self.rows(sql, params![scope, kind.as_str(), subject, collection], Record::read)
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes up to which memory of a scope attempts were read.
        pub fn put_attempts_upto(scope: &Scope, memory_id: i64)
            [scope.to_string(), memory_id] -> execute =
            "INSERT INTO maintenance_state (scope, attempts_upto) VALUES (?1, ?2) \
             ON CONFLICT (scope) DO UPDATE SET attempts_upto = excluded.attempts_upto";

        /// Notes that the attempts at a subject are counted.
        pub fn clear_stale_subject(of: &Subject) [of.scope, of.collection, of.subject] -> execute =
            "DELETE FROM experience_stale WHERE scope = ?1 AND collection = ?2 AND subject = ?3";

        /// Notes that the attempts at a subject are to be counted.
        pub fn mark_stale_subject(of: &Subject) [of.scope, of.collection, of.subject] -> execute =
            "INSERT OR IGNORE INTO experience_stale VALUES (?1, ?2, ?3)";

        /// Writes what a summary tells, and the newest of what it was made of.
        pub fn put_figures(memory_id: i64, figures: &str, source_ids: &[i64])
            [memory_id, figures, serde_json::Value::from(source_ids).to_string()] -> execute =
            "UPDATE summary SET figures = ?2, source_ids = ?3 WHERE memory_id = ?1";
    }

    /// Notes that a memory was read, and what it tells, in the place of what it told before: `None` when it
    /// is no attempt that counts.
    pub fn put_attempt(
        &self,
        scope: &Scope,
        memory_id: i64,
        attempt: Option<(&Subject, &str)>,
    ) -> Result<()> {
        self.execute(
            "DELETE FROM attempt_unread WHERE scope = ?1 AND memory_id = ?2",
            params![scope.to_string(), memory_id],
        )?;
        // Read as one of another scope it is that scope's.
        self.execute(
            "DELETE FROM attempt WHERE memory_id = ?1 AND (?2 OR scope = ?3)",
            params![memory_id, attempt.is_some(), scope.to_string()],
        )?;
        if let Some((Subject { scope, collection, subject }, attempt)) = attempt {
            self.execute(
                "INSERT INTO attempt VALUES (?1, ?2, ?3, ?4, ?5)",
                params![memory_id, scope, collection, subject, attempt],
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{draft, read, store, write};
    use crate::{Error, SummaryDraft};

    #[test]
    fn sources_that_cannot_be_read_are_named() {
        let (_folder, store) = store();
        let of = Subject {
            scope: "global".into(),
            collection: "kitchen".into(),
            subject: "pick cup".into(),
        };
        write(&store, |tx| {
            let memory_id = tx.insert_memory(&draft("picking the cup mostly works"))?;
            let about = SummaryDraft {
                source_ids: &[7, 8],
                subject: &of.subject,
                figures: "{}",
                ..SummaryDraft::of(SummaryKind::Experience)
            };
            tx.insert_summary(memory_id, &Scope::Global, 5, &about)
        });
        let about = |tx: &ReadTx<'_>| tx.summaries_about(SummaryKind::Experience, &of);
        assert_eq!(read(&store, about)[0].source_ids, [7, 8]);
        write(&store, |tx| tx.execute("UPDATE summary SET source_ids = '[7,'", []));
        let error = store.read(about).expect_err("it is no list");
        assert!(matches!(error, Error::Row { column: "summary.source_ids", .. }), "{error}");
    }
}
