//! The table `hearsay`: which robot told which memory, and what was heard of it last.

use super::column::{Cells, record};
use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};
use robot_memory_core::claim::MemoryRef;
use robot_memory_core::model::{Category, MemType, Stamp, text_enum};
use rusqlite::params;

text_enum! {
    /// What holds of a memory of another robot.
    HearsayState {
        /// The robot says it.
        Held = "held",
        /// The robot took it back.
        Retracted = "retracted",
        /// It was forgotten or deleted here: later claims of it are not taken.
        Forgotten = "forgotten",
        /// It was revoked: later claims of it are not taken.
        Revoked = "revoked",
    }
}

record! {
    /// A memory of another robot, as it was told last.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Hearsay, select_hearsay by "h.origin_memory_id" {
        pub origin: String = "h.origin",
        pub origin_memory_id: i64 = "h.origin_memory_id",
        pub revision: u64 = "h.revision",
        pub state: HearsayState = "h.state",
        /// The memory here, which several robots may tell; `None` when there is none, or none any more.
        pub memory_id: Option<i64> = "h.memory_id",
        /// By the clock of the origin.
        pub told_at: Stamp = "h.told_at",
        /// By the clock of the origin.
        pub made_at: Stamp = "h.made_at",
        pub taken_at: Stamp = "h.taken_at",
        /// There.
        pub session_id: String = "h.session_id",
        pub stream: String = "h.stream",
        pub robot_type: String = "h.robot_type",
        pub gripper: String = "h.gripper",
        pub map_id: String = "h.map_id",
        pub roots: Vec<MemoryRef> = "h.roots",
        /// Whether it was made of other memories there, as a summary or a lesson is.
        pub is_summary: bool = "h.is_summary",
        /// The memory of this robot's own that it was adopted as.
        pub adopted_id: Option<i64> = "h.adopted_id",
    }
}

/// In what two statements of robots are the same.
#[derive(Debug, Clone, Copy)]
pub struct SaidWords<'a> {
    pub content_hash: &'a [u8; 32],
    pub context: &'a str,
    pub mem_type: MemType,
    pub category: Category,
    pub collection: &'a str,
}

/// A clock that is this far off tells other times of what happened.
const SKEW_SECS_MAX: f64 = 60.0;

/// What one robot told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HearsayTotal {
    pub origin: String,
    /// Memories of it that are here.
    pub held_count: u64,
    /// When it was last heard, by the clock here.
    pub taken_at: Stamp,
    /// How far its clock was ahead of the one here then, by what was heard last; negative: behind, or on its way for so long.
    pub ahead_nanos: i64,
}

impl HearsayTotal {
    /// How far its clock was ahead, in seconds.
    pub fn ahead_secs(&self) -> f64 {
        self.ahead_nanos as f64 / 1e9
    }

    /// Whether its clock is so far ahead that it tells other times of what happened.
    pub fn is_skewed(&self) -> bool {
        self.ahead_secs() > SKEW_SECS_MAX
    }
}

impl ReadTx<'_> {
    statements! {
        /// What was told last of a memory of another robot.
        pub fn hearsay(origin: &str, origin_memory_id: i64) -> row<Hearsay> = select_hearsay!(
            "FROM hearsay h WHERE h.origin = ?1 AND h.origin_memory_id = ?2"
        );

        /// Who tells a memory, in order of the robots' names, at most `limit`.
        pub fn tellers(memory_id: i64, limit: usize) [memory_id, whole(limit)] -> rows<Hearsay> =
            select_hearsay!(
                "FROM hearsay h WHERE h.memory_id = ?1 AND h.state = 'held' \
                 ORDER BY h.origin, h.origin_memory_id LIMIT ?2"
            );

        /// What a robot tells, or told.
        pub fn hearsay_from(origin: &str) -> rows<Hearsay> = select_hearsay!(
            "FROM hearsay h WHERE h.origin = ?1 AND h.state <> 'revoked' ORDER BY h.origin_memory_id"
        );

        /// What others tell that goes back to a robot's experience, and maybe to others'.
        pub fn hearsay_resting_on(origin: &str) -> rows<Hearsay> = select_hearsay!(
            "FROM hearsay h WHERE h.state <> 'revoked' AND h.origin <> ?1 \
             AND instr(h.roots, json_quote(?1)) > 0 ORDER BY h.origin, h.origin_memory_id"
        );

        /// What a memory of this robot's own was adopted from.
        pub fn adopted_from(memory_id: i64) -> rows<Hearsay> = select_hearsay!(
            "FROM hearsay h WHERE h.adopted_id = ?1 ORDER BY h.origin, h.origin_memory_id"
        );

        /// Whether a robot tells a memory.
        pub fn has_teller(memory_id: i64) -> exists =
            "SELECT 1 FROM hearsay WHERE memory_id = ?1 AND state = 'held'";

        /// The active memory that robots of the fleet told in these words, with this context.
        pub fn same_hearsay(said: &SaidWords<'_>) [
            said.content_hash, said.context, said.mem_type.as_str(), said.category.as_str(), said.collection
        ] -> value<i64> =
            "SELECT id FROM memory WHERE substr(content_hash, 1, 8) = substr(?1, 1, 8) \
             AND status = 'active' AND type = 'fact' AND mem_type <> 'task_log' AND content_hash = ?1 \
             AND scope = 'fleet' AND context = ?2 AND mem_type = ?3 AND category = ?4 AND collection = ?5 \
             ORDER BY id LIMIT 1";

        /// The same of a memory that was forgotten here.
        pub fn forgotten_hearsay(said: &SaidWords<'_>) [
            said.content_hash, said.context, said.mem_type.as_str(), said.category.as_str(), said.collection
        ] -> value<i64> =
            "SELECT id FROM memory WHERE status <> 'active' AND scope = 'fleet' AND mem_type = ?3 \
             AND content_hash = ?1 AND context = ?2 AND category = ?4 AND collection = ?5 \
             ORDER BY id LIMIT 1";

        /// How many memories of a robot are known, also of those that are gone.
        pub fn hearsay_count(origin: &str) -> count =
            "SELECT count(*) FROM hearsay WHERE origin = ?1";

        /// The memories here that a robot tells, its newest first.
        pub fn memories_told_by(origin: &str, limit: usize) [origin, whole(limit)] -> values<i64> =
            "SELECT memory_id FROM hearsay WHERE origin = ?1 AND state = 'held' AND memory_id IS NOT NULL \
             ORDER BY origin_memory_id DESC LIMIT ?2";

        /// Whether another robot ever told anything.
        pub fn has_hearsay() -> exists = "SELECT 1 FROM hearsay";
    }

    /// What each robot told, in order of name.
    pub fn hearsay_totals(&self) -> Result<Vec<HearsayTotal>> {
        self.rows(
            // A clock that was set right tells right times from then on: those that were taken last say what it is now.
            "SELECT h.origin, sum(h.state = 'held' AND h.memory_id IS NOT NULL), l.taken_at, \
             max(h.told_at) FILTER (WHERE h.taken_at = l.taken_at) - l.taken_at \
             FROM (SELECT origin, max(taken_at) AS taken_at FROM hearsay GROUP BY origin) l \
             JOIN hearsay h ON h.origin = l.origin GROUP BY h.origin ORDER BY h.origin",
            [],
            |row| {
                Ok(HearsayTotal {
                    origin: row.get(0)?,
                    held_count: row.count(1)?,
                    taken_at: row.stamp(2)?,
                    ahead_nanos: row.get(3)?,
                })
            },
        )
    }
}

impl WriteTx<'_> {
    /// Notes what was told last of a memory of another robot.
    pub fn put_hearsay(&self, hearsay: &Hearsay) -> Result<()> {
        let roots = serde_json::to_string(&hearsay.roots).unwrap_or_else(|_| "[]".to_owned());
        self.execute(
            "INSERT OR REPLACE INTO hearsay (origin, origin_memory_id, revision, state, memory_id, \
             told_at, made_at, taken_at, session_id, stream, robot_type, gripper, map_id, roots, is_summary, \
             adopted_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                hearsay.origin,
                hearsay.origin_memory_id,
                whole(hearsay.revision),
                hearsay.state.as_str(),
                hearsay.memory_id,
                hearsay.told_at.0,
                hearsay.made_at.0,
                hearsay.taken_at.0,
                hearsay.session_id,
                hearsay.stream,
                hearsay.robot_type,
                hearsay.gripper,
                hearsay.map_id,
                roots,
                hearsay.is_summary,
                hearsay.adopted_id,
            ],
        )
    }
}
