//! What events take, and what it is worth to keep them.

use super::super::{ReadTx, Result, WriteTx};
use crate::column::{Record, record};
use robot_memory_core::model::Stamp;
use rusqlite::params;
use std::ops::ControlFlow;

record! {
    /// What events take together.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct EventTotals, select_totals {
        /// How many there are.
        pub count: u64 = "count(*)",
        /// Bytes of their data, metadata and signatures.
        pub data_bytes: u64 = "coalesce(sum(e.data_bytes + coalesce(length(s.signature), 0)), 0)",
        /// Bytes of their clips.
        pub clip_bytes: u64 = "coalesce(sum(e.clip_bytes), 0)",
        /// The last of them; 0 when there is none.
        pub last_id: i64 = "coalesce(max(e.memory_id), 0)",
    }
}

record! {
    /// What it is worth to keep an event, and what it takes.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct EventWorth, select_worth {
        pub memory_id: i64 = "e.memory_id",
        pub began_at: Stamp = "e.began_at",
        /// Of its data, metadata and signature.
        pub data_bytes: u64 = "e.data_bytes + coalesce(length(s.signature), 0)",
        pub clip_bytes: u64 = "e.clip_bytes",
        /// 0 to 1.
        pub importance: f64 = "m.importance",
        pub last_accessed: Option<Stamp> = "m.last_accessed",
        /// Whether another row was superseded by it.
        pub stands_for_others: bool =
            "EXISTS (SELECT 1 FROM memory o WHERE o.superseded_by = m.id)",
    }
}

record! {
    /// A clip that is there.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KeptClip, select_clip {
        pub memory_id: i64 = "memory_id",
        pub file: String = "clip",
        pub bytes: u64 = "clip_bytes",
    }
}

macro_rules! worths {
    ($condition:literal) => {
        select_worth!(
            "FROM event e JOIN memory m ON m.id = e.memory_id \
             LEFT JOIN memory_signature s ON s.memory_id = e.memory_id \
             WHERE m.type = 'perception' AND ",
            $condition
        )
    };
}

impl ReadTx<'_> {
    /// What the events with a greater id than `after` take together.
    pub fn event_totals(&self, after: i64) -> Result<EventTotals> {
        let sql = select_totals!(
            "FROM event e LEFT JOIN memory_signature s ON s.memory_id = e.memory_id \
             WHERE e.memory_id > ?1"
        );
        let totals: Option<EventTotals> = self.row(sql, [after], Record::read)?;
        Ok(totals.unwrap_or_default())
    }

    /// Calls `f` with each event, in order of id.
    pub fn each_event_worth(&self, mut f: impl FnMut(EventWorth)) -> Result<()> {
        self.each(worths!("1 ORDER BY e.memory_id"), [], |row| Record::read(row).map(&mut f))
    }

    /// What it is worth to keep an event; `None` when there is none of this memory.
    pub fn event_worth(&self, memory_id: i64) -> Result<Option<EventWorth>> {
        self.row(worths!("e.memory_id = ?1"), [memory_id], Record::read)
    }

    /// The clip of a memory, when it has one.
    pub fn clip_of(&self, memory_id: i64) -> Result<Option<KeptClip>> {
        let sql = select_clip!("FROM event WHERE memory_id = ?1 AND clip <> ''");
        self.row(sql, [memory_id], Record::read)
    }

    /// Calls `f` with each clip, the oldest first, until it answers that it has seen enough.
    pub fn each_clip(&self, mut f: impl FnMut(KeptClip) -> bool) -> Result<()> {
        let sql = select_clip!("FROM event WHERE clip <> '' ORDER BY began_at, memory_id");
        self.each_until(sql, [], |row| {
            Ok(if f(Record::read(row)?) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })
        .map(drop)
    }
}

impl WriteTx<'_> {
    /// Notes that an event's clip is gone, with what its metadata say from now on. Answers by how
    /// many bytes the data of events have grown; `None` when it had no clip.
    pub fn forget_clip(
        &self,
        memory_id: i64,
        metadata: impl FnOnce(&str) -> Option<String>,
    ) -> Result<Option<i64>> {
        let before: Option<String> = self.value(
            "SELECT p.metadata FROM event e JOIN perception p ON p.memory_id = e.memory_id \
             WHERE e.memory_id = ?1 AND e.clip <> ''",
            [memory_id],
        )?;
        let Some(before) = before else { return Ok(None) };
        let mut growth = 0;
        if let Some(after) = metadata(&before) {
            growth = after.len() as i64 - before.len() as i64;
            self.execute(
                "UPDATE perception SET metadata = ?2 WHERE memory_id = ?1",
                params![memory_id, after],
            )?;
        }
        self.execute(
            "UPDATE event SET clip = '', clip_bytes = 0, data_bytes = max(data_bytes + ?2, 0) \
             WHERE memory_id = ?1",
            params![memory_id, growth],
        )?;
        Ok(Some(growth))
    }
}
