//! The columns of `memory` that say how far it is believed, and the table `collection_fading`.
//!
//! `confidence` is as it was said last. What is left of it is computed where it is read: from the latest of
//! when it was said, used and came to be known here, up to when its days were counted. That is written of one memory
//! (`decayed_until`), and, when a session ends, of a whole collection in one row.

use super::column::{Cells, Record, record};
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{Belief, Category, Stamp, Status};
use rusqlite::{Row, params};

record! {
    /// Up to when the belief in the memories of a collection has faded.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Fading, select_fading {
        pub until: Stamp = "faded_until",
        /// The last memory that there was: what came later is not meant, however old it says that it is.
        pub last_id: i64 = "last_id",
        pub cause: String = "cause",
    }
}

/// How far a memory is believed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Believed {
    /// By the days that were counted of it alone.
    pub written: Belief,
    /// As it is: also by those that were counted of its whole collection.
    pub now: Belief,
    /// Up to when days were counted; `None`: they never were.
    pub decayed_until: Option<Stamp>,
}

/// What [`written_belief`] reads.
macro_rules! written_columns {
    () => {
        "memory.confidence, memory.decay_rate, max(memory.created_at, \
         coalesce(memory.said_at, memory.created_at), \
         coalesce(memory.known_at, memory.created_at), \
         coalesce(memory.last_accessed, memory.created_at)), memory.decayed_until"
    };
}
pub(super) use written_columns;

/// What [`believed`] reads.
macro_rules! belief_columns {
    () => {
        concat!(
            $crate::belief::written_columns!(),
            ", memory.category, memory.status, (SELECT f.faded_until FROM collection_fading f \
             WHERE f.collection = memory.collection AND f.last_id >= memory.id)"
        )
    };
}
pub(super) use belief_columns;

/// Reads [`written_columns`], which begin at this column.
pub(super) fn written_belief(row: &Row<'_>, first: usize) -> Result<Belief> {
    let fades_from = row.stamp(first + 2)?;
    let counted_until = row.optional_stamp(first + 3)?;
    Ok(Belief {
        said: row.get(first)?,
        decay_rate: row.get(first + 1)?,
        fades_from,
        counted_until: counted_until.unwrap_or(fades_from),
    })
}

/// Reads [`belief_columns`], which begin at this column. Nothing fades that is protected; of what is not
/// active no days are counted.
pub(super) fn believed(row: &Row<'_>, first: usize) -> Result<Believed> {
    let mut written = written_belief(row, first)?;
    let decayed_until = row.optional_stamp(first + 3)?;
    let category = row.get_ref(first + 4)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    if category.and_then(Category::parse).is_some_and(Category::is_protected) {
        written = written.counted(written.fades_from);
        return Ok(Believed { written, now: written, decayed_until });
    }
    let unchanged = Believed { written, now: written, decayed_until };
    let Some(faded_until) = row.optional_stamp(first + 6)? else {
        return Ok(unchanged);
    };
    let status = row.get_ref(first + 5)?.as_str().map_err(rusqlite::Error::from)?;
    if status != Status::Active.as_str() || faded_until <= written.counted_until {
        return Ok(unchanged);
    }
    let now = written.counted(faded_until);
    let is_fresh = now.confidence() == written.confidence();
    let decayed_until = if is_fresh { decayed_until } else { Some(faded_until) };
    Ok(Believed { written, now, decayed_until })
}

/// How a memory is believed now, of [`belief_columns`].
pub(super) fn belief_at(row: &Row<'_>, first: usize) -> Result<Belief> {
    Ok(believed(row, first)?.now)
}

/// How far, alone.
pub(super) fn confidence_at(row: &Row<'_>, first: usize) -> Result<f64> {
    Ok(belief_at(row, first)?.confidence())
}

impl ReadTx<'_> {
    /// Up to when the belief in the memories of a collection has faded; `None`: it never has as a whole.
    pub fn fading(&self, collection: &str) -> Result<Option<Fading>> {
        let sql = select_fading!("FROM collection_fading WHERE collection = ?1");
        self.row(sql, [collection], Record::read)
    }

    /// The same of all collections, in order of name.
    pub fn fadings(&self) -> Result<Vec<(String, Fading)>> {
        let sql = select_fading!(", collection FROM collection_fading ORDER BY collection");
        self.rows(sql, [], |row| Ok((row.get(3)?, Record::read(row)?)))
    }

    /// How far a memory of any status is believed.
    pub(super) fn believed(&self, id: i64) -> Result<Option<Believed>> {
        let sql = concat!("SELECT ", belief_columns!(), " FROM memory WHERE id = ?1");
        self.row(sql, [id], |row| believed(row, 0))
    }

    /// The belief in a memory that is there.
    pub fn belief(&self, id: i64) -> Result<Belief> {
        let believed = self.believed(id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        Ok(believed.now)
    }

    /// What a memory has lost with its collection beside what was counted of it alone: belief before, after,
    /// and why.
    pub(super) fn unwritten_fading(&self, id: i64) -> Result<Option<(Belief, Belief, String)>> {
        let Some(Believed { written, now, .. }) =
            self.believed(id)?.filter(|it| it.now.confidence() < it.written.confidence())
        else {
            return Ok(None);
        };
        let cause = self.value(
            "SELECT f.cause FROM collection_fading f JOIN memory m ON m.collection = f.collection \
             WHERE m.id = ?1",
            [id],
        )?;
        Ok(Some((written, now, cause.unwrap_or_default())))
    }
}

impl WriteTx<'_> {
    /// Lets the belief in all memories that a collection has fade up to then.
    pub fn set_fading(&self, collection: &str, until: Stamp, cause: &str) -> Result<Fading> {
        let last_id = self.one(
            "INSERT OR REPLACE INTO collection_fading (collection, faded_until, last_id, cause) \
             SELECT ?1, ?2, coalesce(max(id), 0), ?3 FROM memory RETURNING last_id",
            params![collection, until.0, cause],
        )?;
        Ok(Fading { until, last_id, cause: cause.to_owned() })
    }

    /// Writes down up to when the days of a memory were counted with its collection, before that counts no
    /// more.
    pub fn settle_belief(&self, id: i64) -> Result<()> {
        let Some((written, now, cause)) = self.unwritten_fading(id)? else { return Ok(()) };
        self.execute(
            "UPDATE memory SET decayed_until = ?2 WHERE id = ?1",
            params![id, now.counted_until.0],
        )?;
        self.note_faded(id, written.confidence(), now.confidence(), &cause, now.counted_until)
    }

    /// Counts the days of a memory up to a time. Answers the belief that is left.
    pub fn count_days(&self, id: i64, until: Stamp, cause: &str) -> Result<Belief> {
        self.settle_belief(id)?;
        let before = self.belief(id)?.confidence();
        self.execute("UPDATE memory SET decayed_until = ?2 WHERE id = ?1", params![id, until.0])?;
        let belief = self.belief(id)?;
        if belief.confidence() < before {
            self.note_faded(id, before, belief.confidence(), cause, until)?;
        }
        Ok(belief)
    }

    /// Lets a memory be believed so far from then on: it is said again, said anew or confirmed. Answers
    /// the belief as it is stored.
    pub fn say(&self, id: i64, confidence: f64, at: Stamp) -> Result<Belief> {
        self.settle_belief(id)?;
        // By a clock that was set back days were counted up to a later time: none of them is of this belief.
        self.execute(
            "UPDATE memory SET confidence = ?2, said_at = max(?3, coalesce(decayed_until, ?3), \
             coalesce( (SELECT f.faded_until FROM collection_fading f \
             WHERE f.collection = memory.collection AND f.last_id >= memory.id), ?3)) \
             WHERE id = ?1",
            params![id, confidence, at.0],
        )?;
        self.belief(id)
    }

    /// Notes that a memory came to be known here then, whenever it was made: its age counts and its belief
    /// fades from then on.
    pub fn set_known_at(&self, id: i64, at: Stamp) -> Result<Belief> {
        self.execute("UPDATE memory SET known_at = ?2 WHERE id = ?1", params![id, at.0])?;
        self.belief(id)
    }

    /// The same of all memories: the store was loaded. Belief counts as said then.
    pub fn set_all_known_at(&self, at: Stamp) -> Result<()> {
        self.connection.execute("UPDATE memory SET known_at = ?1", [at.0])?;
        Ok(())
    }

    /// Takes back the days that were counted beyond a time, by a clock that was ahead until now. Answers
    /// whether there were any.
    pub fn take_back_days(&self, beyond: Stamp) -> Result<bool> {
        let memories = self
            .connection
            .execute("UPDATE memory SET decayed_until = ?1 WHERE decayed_until > ?1", [beyond.0])?;
        let collections = self.connection.execute(
            "UPDATE collection_fading SET faded_until = ?1 WHERE faded_until > ?1",
            [beyond.0],
        )?;
        Ok(memories + collections > 0)
    }
}
