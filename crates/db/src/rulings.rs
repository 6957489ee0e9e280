//! The tables `heard_lesson` and `ruling`: what attempts here say of lessons that other robots told, and what attempts of
//! other robots say of anybody's.

use super::column::record;
use super::{ReadTx, Result, WriteTx};
use crate::statement::{insert, statements, whole};
use robot_memory_core::api::Side;
use robot_memory_core::claim::{MemoryRef, Ruling};
use robot_memory_core::model::Stamp;
use rusqlite::params;

record! {
    /// A lesson that another robot told.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ForeignLesson, select_heard {
        /// The memory here.
        pub memory_id: i64 = "memory_id",
        pub task: String = "task",
        /// May be empty.
        pub object: String = "object",
        /// Of the parameter.
        pub path: String = "path",
        pub unit: String = "unit",
        /// On which side of the bound attempts fail.
        pub side: Side = "side",
        pub bound: f64 = "bound",
        /// What the attempts here say of it; `None`: nothing yet.
        pub ruling: Option<Ruling> = "ruling",
        /// Whether it is still to be held against them.
        pub is_due: bool = "is_due",
    }
}

record! {
    /// What the attempts of a robot say of a memory of another one.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ForeignRuling, select_ruling by "memory_id" {
        /// Whose attempts.
        pub origin: String = "origin",
        /// Of its claim.
        pub memory_id: i64 = "memory_id",
        pub revision: u64 = "revision",
        /// `None`: it was taken back, or revoked.
        pub ruling: Option<Ruling> = "ruling",
        pub target_origin: String = "target_origin",
        pub target_memory_id: i64 = "target_memory_id",
        /// By the clock of the origin.
        pub told_at: Stamp = "told_at",
    }
}

impl ReadTx<'_> {
    statements! {
        /// The lessons that other robots told.
        pub fn heard_lessons() -> rows<ForeignLesson> =
            select_heard!("FROM heard_lesson ORDER BY memory_id");

        /// The first of them that are still to be held against attempts.
        pub fn due_heard_lessons(limit: usize) [whole(limit)] -> rows<ForeignLesson> =
            select_heard!("FROM heard_lesson WHERE is_due = 1 ORDER BY memory_id LIMIT ?1");

        /// One of them.
        pub fn heard_lesson(memory_id: i64) -> row<ForeignLesson> =
            select_heard!("FROM heard_lesson WHERE memory_id = ?1");

        /// How many there are.
        pub fn heard_lesson_count() -> count = "SELECT count(*) FROM heard_lesson";

        /// What was told last under this id.
        pub fn ruling(origin: &str, memory_id: i64) -> row<ForeignRuling> =
            select_ruling!("FROM ruling WHERE origin = ?1 AND memory_id = ?2");

        /// What a robot says of memories of others.
        pub fn rulings_of(origin: &str) -> rows<ForeignRuling> = select_ruling!(
            "FROM ruling WHERE origin = ?1 AND ruling IS NOT NULL ORDER BY memory_id"
        );

        /// How many are known of a robot, also of those that were taken back.
        pub fn ruling_count(origin: &str) -> count = "SELECT count(*) FROM ruling WHERE origin = ?1";

        /// The robots that say this of a memory of a robot, each once, in order of name.
        pub fn ruled_by(target: &MemoryRef, ruling: Ruling, limit: usize)
            [target.origin, target.memory_id, ruling.as_str(), whole(limit)] -> values<String> =
            "SELECT DISTINCT origin FROM ruling WHERE target_origin = ?1 AND target_memory_id = ?2 \
             AND ruling = ?3 AND origin <> ?1 ORDER BY origin LIMIT ?4";

        /// The same of a memory that other robots told. Whoever made the experience that it goes back to has no say: that
        /// would count it twice.
        pub fn heard_ruled_by(memory_id: i64, ruling: Ruling, limit: usize)
            [memory_id, ruling.as_str(), whole(limit)] -> values<String> =
            "SELECT DISTINCT r.origin FROM hearsay h JOIN ruling r \
             ON r.target_origin = h.origin AND r.target_memory_id = h.origin_memory_id \
             WHERE h.memory_id = ?1 AND h.state = 'held' AND r.ruling = ?2 AND NOT EXISTS (\
             SELECT 1 FROM hearsay o WHERE o.memory_id = ?1 AND o.state = 'held' \
             AND instr(o.roots, json_quote(r.origin)) > 0) ORDER BY r.origin LIMIT ?3";
    }
}

impl WriteTx<'_> {
    statements! {
        /// Has others told again what attempts here say of a lesson, where they were told anything of it.
        pub fn tell_ruling_again(memory_id: i64) -> execute =
            "UPDATE fleet_claim SET revision = revision + 1 WHERE memory_id = ?1 \
             AND memory_id IN (SELECT memory_id FROM heard_lesson)";

        /// The same of all lessons.
        pub fn tell_rulings_again() -> execute =
            "UPDATE fleet_claim SET revision = revision + 1 \
             WHERE memory_id IN (SELECT memory_id FROM heard_lesson)";

        /// Has all lessons that attempts said something of held against them again. Returns how many these are.
        pub fn put_rulings_due() -> change =
            "UPDATE heard_lesson SET is_due = 1 WHERE ruling IS NOT NULL AND is_due = 0";

        /// Notes that a lesson was held against attempts, which say what they said.
        pub fn put_heard_lesson_done(memory_id: i64) -> execute =
            "UPDATE heard_lesson SET is_due = 0 WHERE memory_id = ?1";
    }

    /// Notes a lesson that another robot told.
    pub fn insert_heard_lesson(&self, lesson: &ForeignLesson) -> Result<()> {
        insert!(
            self,
            "heard_lesson",
            memory_id = lesson.memory_id,
            task = lesson.task,
            object = lesson.object,
            path = lesson.path,
            unit = lesson.unit,
            side = lesson.side.as_str(),
            bound = lesson.bound,
        )?;
        Ok(())
    }

    /// Notes what attempts here say of a lesson, which is to be told.
    pub fn put_own_ruling(&self, memory_id: i64, ruling: Option<Ruling>) -> Result<()> {
        self.execute(
            "UPDATE heard_lesson SET ruling = ?2, is_due = 0 WHERE memory_id = ?1",
            params![memory_id, ruling.map(Ruling::as_str)],
        )?;
        self.execute(
            "INSERT INTO fleet_claim (memory_id, revision) \
             SELECT ?1, fleet_base + 1 FROM store_state WHERE is_sharing \
             ON CONFLICT DO UPDATE SET revision = revision + 1",
            [memory_id],
        )
    }

    /// Notes what was told last under an id. Of what a robot said of the same memory under another id nothing holds any
    /// more: it has one say.
    pub fn put_ruling(&self, told: &ForeignRuling) -> Result<()> {
        // One that is taken back says nothing of the others.
        if told.ruling.is_some() {
            self.execute(
                "UPDATE ruling SET ruling = NULL WHERE target_origin = ?1 AND target_memory_id = ?2 AND origin = ?3",
                params![told.target_origin, told.target_memory_id, told.origin],
            )?;
        }
        self.execute(
            "INSERT OR REPLACE INTO ruling (origin, memory_id, revision, ruling, target_origin, target_memory_id, told_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                told.origin,
                told.memory_id,
                whole(told.revision),
                told.ruling.map(Ruling::as_str),
                told.target_origin,
                told.target_memory_id,
                told.told_at.0,
            ],
        )
    }
}
