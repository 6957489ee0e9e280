//! The columns of `memory` that say how far it is believed, and the table `collection_fading`.
//!
//! When a session ends, belief in a whole collection fades. That is one row, which says up to when; what is left
//! of the belief in a memory is computed where it is read. It is written down before anything else changes
//! from when on the days of a memory count, or whether they count at all.

use super::{ReadTx, Result, WriteTx};
use crate::model::{Belief, Category, Stamp, Status};
use rusqlite::{OptionalExtension, Row, params};

/// Up to when the belief in the memories of a collection has faded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fading {
    pub until: Stamp,
    /// The last memory that there was: what came later is not meant, however old it says that it is.
    pub last_id: i64,
    /// The operation.
    pub cause: String,
}

/// How far a memory is believed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Believed {
    /// As it was written last.
    pub written: Belief,
    /// As it is, which is the same unless it has faded with its collection since.
    pub now: Belief,
    /// Up to when days were counted; `None`: they never were.
    pub decayed_until: Option<Stamp>,
}

/// What [`written_belief`] reads, of the table that goes by this name.
macro_rules! written_columns {
    ($memory:literal) => {
        concat!(
            $memory,
            ".confidence, ",
            $memory,
            ".decay_rate, ",
            "coalesce(",
            $memory,
            ".last_accessed, ",
            $memory,
            ".created_at), ",
            $memory,
            ".decayed_until"
        )
    };
}
pub(super) use written_columns;

/// What [`believed`] reads, of the table that goes by this name.
macro_rules! belief_columns {
    ($memory:literal) => {
        concat!(
            $crate::store::belief::written_columns!($memory),
            ", ",
            $memory,
            ".category, ",
            $memory,
            ".status, ",
            "(SELECT f.faded_until FROM collection_fading f WHERE f.collection = ",
            $memory,
            ".collection AND f.last_id >= ",
            $memory,
            ".id)"
        )
    };
}
pub(super) use belief_columns;

/// Reads [`written_columns`], which begin at this column.
pub(super) fn written_belief(row: &Row<'_>, first: usize) -> Result<Belief> {
    let touched_at = Stamp(row.get(first + 2)?);
    let decayed_until = row.get::<_, Option<i64>>(first + 3)?.map(Stamp);
    Ok(Belief {
        confidence: row.get(first)?,
        decay_rate: row.get(first + 1)?,
        fades_from: decayed_until.map_or(touched_at, |until| until.max(touched_at)),
    })
}

/// Reads [`belief_columns`], which begin at this column. Nothing fades that is protected or not active.
pub(super) fn believed(row: &Row<'_>, first: usize) -> Result<Believed> {
    let written = written_belief(row, first)?;
    let decayed_until = row.get::<_, Option<i64>>(first + 3)?.map(Stamp);
    let unchanged = Believed { written, now: written, decayed_until };
    let Some(faded_until) = row.get::<_, Option<i64>>(first + 6)?.map(Stamp) else {
        return Ok(unchanged);
    };
    let category = row.get_ref(first + 4)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let is_protected = category.and_then(Category::parse).is_some_and(Category::is_protected);
    let status = row.get_ref(first + 5)?.as_str().map_err(rusqlite::Error::from)?;
    if is_protected || status != Status::Active.as_str() {
        return Ok(unchanged);
    }
    Ok(match written.faded(faded_until) {
        Some(now) => Believed { written, now, decayed_until: Some(faded_until) },
        None => unchanged,
    })
}

impl ReadTx<'_> {
    /// Up to when the belief in the memories of a collection has faded; `None`: it never has as a whole.
    pub fn fading(&self, collection: &str) -> Result<Option<Fading>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT faded_until, last_id, cause FROM collection_fading WHERE collection = ?1",
        )?;
        let mut rows = statement.query([collection])?;
        rows.next()?.map(|row| fading(row, 0)).transpose()
    }

    /// The same of all collections, in order of name.
    pub fn fadings(&self) -> Result<Vec<(String, Fading)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT collection, faded_until, last_id, cause FROM collection_fading \
             ORDER BY collection",
        )?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((row.get(0)?, fading(row, 1)?));
        }
        Ok(found)
    }

    /// How far a memory of any status is believed.
    pub(super) fn believed(&self, id: i64) -> Result<Option<Believed>> {
        let mut statement = self.connection.prepare_cached(concat!(
            "SELECT ",
            belief_columns!("memory"),
            " FROM memory WHERE id = ?1"
        ))?;
        let mut rows = statement.query([id])?;
        rows.next()?.map(|row| believed(row, 0)).transpose()
    }

    /// What a memory has lost with its collection since its belief was written: that, the belief now, and why.
    pub(super) fn unwritten_fading(&self, id: i64) -> Result<Option<(Belief, Belief, String)>> {
        let Some(Believed { written, now, .. }) =
            self.believed(id)?.filter(|it| it.written != it.now)
        else {
            return Ok(None);
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT f.cause FROM collection_fading f JOIN memory m ON m.collection = f.collection \
             WHERE m.id = ?1",
        )?;
        let cause = statement.query_row([id], |row| row.get(0)).optional()?.unwrap_or_default();
        Ok(Some((written, now, cause)))
    }
}

impl WriteTx<'_> {
    /// Lets the belief in all memories that a collection has fade up to then.
    pub fn set_fading(&self, collection: &str, until: Stamp, cause: &str) -> Result<Fading> {
        let last_id = self.connection.prepare_cached(
            "INSERT OR REPLACE INTO collection_fading (collection, faded_until, last_id, cause) \
             SELECT ?1, ?2, coalesce(max(id), 0), ?3 FROM memory RETURNING last_id",
        )?.query_row(params![collection, until.0, cause], |row| row.get(0))?;
        Ok(Fading { until, last_id, cause: cause.to_owned() })
    }

    /// Writes down what is left of the belief in a memory, before the time changes from which its days
    /// count, or whether they count.
    pub fn settle_belief(&self, id: i64) -> Result<()> {
        let Some((written, now, cause)) = self.unwritten_fading(id)? else { return Ok(()) };
        self.connection
            .prepare_cached("UPDATE memory SET confidence = ?2, decayed_until = ?3 WHERE id = ?1")?
            .execute(params![id, now.confidence, now.fades_from.0])?;
        self.note_faded(id, written.confidence, now.confidence, &cause, now.fades_from)
    }

    /// Writes how far a memory is believed, and up to when the days were counted for that. Answers the
    /// belief as it is stored.
    pub fn set_confidence(&self, id: i64, confidence: f64, decayed_until: Stamp) -> Result<Belief> {
        self.settle_belief(id)?;
        // Its collection may have faded up to a later time, by another clock.
        self.connection
            .prepare_cached(
                "UPDATE memory SET confidence = ?2, decayed_until = max(?3, coalesce( \
                 (SELECT f.faded_until FROM collection_fading f \
                  WHERE f.collection = memory.collection AND f.last_id >= memory.id), ?3)) \
                 WHERE id = ?1",
            )?
            .execute(params![id, confidence, decayed_until.0])?;
        self.belief(id)
    }

    /// Lets a row's confidence fade from then on, and not from when it was made.
    pub fn set_fades_from(&self, id: i64, from: Stamp) -> Result<Belief> {
        self.settle_belief(id)?;
        self.connection
            .prepare_cached("UPDATE memory SET decayed_until = ?2 WHERE id = ?1")?
            .execute(params![id, from.0])?;
        self.belief(id)
    }

    /// The belief in a row that is there.
    pub(super) fn belief(&self, id: i64) -> Result<Belief> {
        let believed = self.believed(id)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        Ok(believed.now)
    }
}

fn fading(row: &Row<'_>, first: usize) -> Result<Fading> {
    Ok(Fading {
        until: Stamp(row.get(first)?),
        last_id: row.get(first + 1)?,
        cause: row.get(first + 2)?,
    })
}
