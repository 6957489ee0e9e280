//! What events take, and what it is worth to keep them.

use super::super::{ReadTx, Result, WriteTx};
use crate::column::Cells;
use robot_memory_core::model::Stamp;
use rusqlite::{Row, params};
use std::ops::ControlFlow;

/// What events take together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventTotals {
    /// How many there are.
    pub count: u64,
    /// Bytes of their data, metadata and signatures.
    pub data_bytes: u64,
    /// Bytes of their clips.
    pub clip_bytes: u64,
    /// The last of them; 0 when there is none.
    pub last_id: i64,
}

/// What it is worth to keep an event, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EventWorth {
    pub memory_id: i64,
    pub began_at: Stamp,
    /// Of its data, metadata and signature.
    pub data_bytes: u64,
    pub clip_bytes: u64,
    /// 0 to 1.
    pub importance: f64,
    pub last_accessed: Option<Stamp>,
    /// Whether another row was superseded by it.
    pub stands_for_others: bool,
}

/// A clip that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptClip {
    pub memory_id: i64,
    pub file: String,
    pub bytes: u64,
}

/// What [`EventWorth`] is read from.
macro_rules! worths {
    ($condition:literal) => {
        concat!(
            "SELECT e.memory_id, e.began_at, e.data_bytes + coalesce(length(s.signature), 0), \
             e.clip_bytes, m.importance, m.last_accessed, \
             EXISTS (SELECT 1 FROM memory o WHERE o.superseded_by = m.id) \
             FROM event e JOIN memory m ON m.id = e.memory_id \
             LEFT JOIN memory_signature s ON s.memory_id = e.memory_id \
             WHERE m.type = 'perception' AND ",
            $condition
        )
    };
}

impl ReadTx<'_> {
    /// What the events with a greater id than `after` take together.
    pub fn event_totals(&self, after: i64) -> Result<EventTotals> {
        let sql = "SELECT count(*), coalesce(sum(e.data_bytes + coalesce(length(s.signature), 0)), \
                   0), coalesce(sum(e.clip_bytes), 0), coalesce(max(e.memory_id), 0) FROM event e \
                   LEFT JOIN memory_signature s ON s.memory_id = e.memory_id \
                   WHERE e.memory_id > ?1";
        let totals = self.row(sql, [after], |row| {
            Ok(EventTotals {
                count: row.count(0)?,
                data_bytes: row.count(1)?,
                clip_bytes: row.count(2)?,
                last_id: row.get(3)?,
            })
        })?;
        Ok(totals.unwrap_or_default())
    }

    /// Calls `f` with each event, in order of id.
    pub fn each_event_worth(&self, mut f: impl FnMut(EventWorth)) -> Result<()> {
        self.each(worths!("1 ORDER BY e.memory_id"), [], |row| {
            f(worth(row)?);
            Ok(())
        })
    }

    /// What it is worth to keep an event; `None` when there is none of this memory.
    pub fn event_worth(&self, memory_id: i64) -> Result<Option<EventWorth>> {
        self.row(worths!("e.memory_id = ?1"), [memory_id], worth)
    }

    /// Calls `f` with each clip, the oldest first, until it answers that it has seen enough.
    pub fn each_clip(&self, mut f: impl FnMut(KeptClip) -> bool) -> Result<()> {
        let sql = "SELECT memory_id, clip, clip_bytes FROM event WHERE clip <> '' \
                   ORDER BY began_at, memory_id";
        self.each_until(sql, [], |row| {
            let clip = KeptClip { memory_id: row.get(0)?, file: row.get(1)?, bytes: row.count(2)? };
            Ok(if f(clip) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
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

fn worth(row: &Row<'_>) -> Result<EventWorth> {
    Ok(EventWorth {
        memory_id: row.get(0)?,
        began_at: row.stamp(1)?,
        data_bytes: row.count(2)?,
        clip_bytes: row.count(3)?,
        importance: row.get(4)?,
        last_accessed: row.optional_stamp(5)?,
        stands_for_others: row.get(6)?,
    })
}
