//! The table `fleet_claim`, and the columns of `store_state` about the fleet: which memories wait to be told, and how far
//! the fleet's stream was taken.

use super::column::record;
use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};
use rusqlite::Connection;

/// By how much the revisions of claims rise when some of them may be lost: more than a memory changes in its life.
const REVISIONS_UNKNOWN: i64 = 1_000_000;

record! {
    /// A memory that changed since the fleet was told of it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WaitingClaim, select_waiting {
        /// It may be deleted by now.
        pub memory_id: i64 = "memory_id",
        pub revision: u64 = "revision",
        /// Whether others may have been told something of it.
        pub is_told: bool = "told <> 'nothing'",
    }
}

record! {
    /// How far the fleet's stream was taken.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct FleetPosition, select_position {
        /// Empty: none was taken yet.
        pub stream_id: String = "fleet_stream_id",
        /// The last message that was taken.
        pub sequence: u64 = "fleet_taken_until",
    }
}

record! {
    /// How much waits, and was told.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct FleetTotals, select_totals {
        /// Memories that changed since others were told of them.
        pub waiting_count: u64 = "(SELECT count(*) FROM fleet_claim WHERE revision > told_revision)",
        /// Memories that others were told.
        pub told_count: u64 = "(SELECT count(*) FROM fleet_claim WHERE told = 'statement')",
        /// Memories that were never told, since too many waited.
        pub dropped_count: u64 = "fleet_dropped_count",
    }
}

/// What is about to be told of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// What it says.
    Statement,
    /// That it no longer holds.
    Retraction,
    /// Nothing: it is not shared, and nobody was told of it.
    Nothing,
}

impl ReadTx<'_> {
    statements! {
        /// The first memories that wait to be told.
        pub fn waiting_claims(limit: usize) [whole(limit)] -> rows<WaitingClaim> =
            select_waiting!(
                "FROM fleet_claim WHERE revision > told_revision ORDER BY memory_id LIMIT ?1"
            );

        /// The revision of a memory's claim, when one was noted.
        pub fn claim_revision(memory_id: i64) -> value<i64> =
            "SELECT revision FROM fleet_claim WHERE memory_id = ?1";

        /// The first active memories after this one, in order.
        pub fn active_ids_after(after: i64, limit: usize) [after, whole(limit)] -> values<i64> =
            "SELECT id FROM memory WHERE status = 'active' AND id > ?1 ORDER BY id LIMIT ?2";

        /// Whether changes of memories are noted for the fleet.
        pub fn is_sharing() -> or_default<bool> = "SELECT is_sharing FROM store_state";

        /// The rules by which all was told.
        pub fn fleet_rules() -> or_default<String> = "SELECT fleet_rules FROM store_state";

        /// Who was believed when the stream was taken so far.
        pub fn fleet_speakers() -> or_default<String> = "SELECT fleet_speakers FROM store_state";

        /// Whether anything was, or waits to be, told.
        pub fn has_fleet_claims() -> exists = "SELECT 1 FROM fleet_claim";

        /// How many memories wait to be told.
        pub fn waiting_claim_count() -> count =
            "SELECT count(*) FROM fleet_claim WHERE revision > told_revision";

        /// How far the fleet's stream was taken.
        pub fn fleet_position() -> row_or_default<FleetPosition> =
            select_position!("FROM store_state");

        /// How much waits, and was told.
        pub fn fleet_totals() -> row_or_default<FleetTotals> = select_totals!("FROM store_state");
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes the position after what was taken.
        pub fn put_fleet_position(position: &FleetPosition)
            [position.stream_id, whole(position.sequence)] -> execute =
            "UPDATE store_state SET fleet_stream_id = ?1, fleet_taken_until = ?2";

        /// Has all that was made of other memories told again, also what may be on its way.
        pub fn tell_summaries_again() -> execute =
            "UPDATE fleet_claim SET revision = revision + 1 \
             WHERE memory_id IN (SELECT id FROM memory WHERE type = 'summary' AND status = 'active')";

        /// Notes that JetStream has a revision of a memory's claim.
        pub fn put_told(memory_id: i64, revision: u64) [memory_id, whole(revision)] -> execute =
            "UPDATE fleet_claim SET told_revision = max(told_revision, ?2), \
             told = iif(told = 'retraction' AND revision = ?2, 'nothing', told) WHERE memory_id = ?1";
    }

    /// Begins to note changes for the fleet, or goes on under other rules. What changed while they were not noted is told:
    /// all that others were told of, and all that may be shared. With `is_behind` the store lost changes that may have
    /// been told.
    pub fn begin_sharing(&self, rules: &str, is_behind: bool) -> Result<()> {
        self.execute("UPDATE store_state SET is_sharing = 1, fleet_rules = ?1", [rules])?;
        match is_behind {
            true => raise_revisions(self.connection)?,
            false => self.execute("UPDATE fleet_claim SET revision = revision + 1", [])?,
        }
        self.execute(
            "INSERT INTO fleet_claim (memory_id, revision) \
             SELECT id, (SELECT fleet_base FROM store_state) + 1 FROM memory \
             WHERE status = 'active' AND source <> 'fleet' AND (scope = 'global' OR scope LIKE 'group:%') \
             ON CONFLICT DO NOTHING",
            [],
        )
    }

    /// Has the stream taken from its beginning when other speakers are believed than before.
    pub fn believe_speakers(&self, speakers: &str) -> Result<()> {
        self.execute(
            "UPDATE store_state SET fleet_speakers = ?1, fleet_stream_id = '', fleet_taken_until = 0",
            [speakers],
        )
    }

    /// No longer notes changes for the fleet.
    pub fn end_sharing(&self) -> Result<()> {
        self.execute("UPDATE store_state SET is_sharing = 0", [])
    }

    /// Notes what is about to be told of a memory, before anybody can have heard it.
    pub fn put_telling(&self, waiting: &WaitingClaim, telling: Telling) -> Result<()> {
        let WaitingClaim { memory_id, revision, .. } = *waiting;
        let of = (memory_id, whole(revision));
        match telling {
            // Also when it changed meanwhile: this is told all the same.
            Telling::Statement => self.execute(
                "UPDATE fleet_claim SET told = 'statement' WHERE memory_id = ?1",
                [memory_id],
            ),
            Telling::Retraction => self.execute(
                "UPDATE fleet_claim SET told = 'retraction' WHERE memory_id = ?1 AND revision = ?2",
                of,
            ),
            Telling::Nothing => {
                // One that was told before keeps its revision: those of later claims are to be higher.
                self.execute(
                    "DELETE FROM fleet_claim WHERE memory_id = ?1 AND revision = ?2 AND told_revision = 0",
                    of,
                )?;
                self.execute(
                    "UPDATE fleet_claim SET told_revision = ?2 WHERE memory_id = ?1 AND revision = ?2",
                    of,
                )
            }
        }
    }

    /// Lets at most `max` memories wait to be told: beyond it the least important, oldest of which nobody was told are
    /// not told. Returns how many these are.
    pub fn drop_waiting(&self, max: u64) -> Result<u64> {
        let waiting = self.waiting_claim_count()?;
        if waiting <= max {
            return Ok(0);
        }
        let dropped = self.change(
            "DELETE FROM fleet_claim WHERE memory_id IN (SELECT c.memory_id FROM fleet_claim c \
             LEFT JOIN memory m ON m.id = c.memory_id WHERE c.revision > c.told_revision \
             AND c.told_revision = 0 AND c.told = 'nothing' \
             ORDER BY m.importance, c.memory_id LIMIT ?1)",
            [whole(waiting - max)],
        )?;
        let sql = "UPDATE store_state SET fleet_dropped_count = fleet_dropped_count + ?1";
        self.execute(sql, [whole(dropped)])?;
        Ok(dropped as u64)
    }
}

/// What an open store told its fleet.
#[derive(Default)]
pub(super) struct FormerClaims {
    /// Revisions of new claims are above it.
    base: i64,
    /// Memories, the revisions of their claims, and whether others believe that they hold.
    claims: Vec<(i64, i64, bool)>,
}

/// What an open store told its fleet; nothing when it cannot be asked.
pub(super) fn former_claims(connection: &Connection) -> FormerClaims {
    let read = || -> rusqlite::Result<FormerClaims> {
        let sql = "SELECT memory_id, revision, told <> 'nothing' FROM fleet_claim";
        let mut statement = connection.prepare(sql)?;
        let claims: rusqlite::Result<_> =
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect();
        let base =
            connection.query_row("SELECT fleet_base FROM store_state", [], |row| row.get(0))?;
        Ok(FormerClaims { base, claims: claims? })
    };
    read().unwrap_or_default()
}

/// Lets a store that takes the place of another one tell all of its memories again, and take back what the other told
/// and it does not hold.
pub(super) fn tell_again(connection: &Connection, told: &FormerClaims) -> Result<()> {
    for (memory_id, revision, is_told) in &told.claims {
        connection.execute(
            "INSERT INTO fleet_claim (memory_id, revision, told_revision, told) \
             VALUES (?1, ?2, ?2, iif(?3, 'statement', 'nothing')) \
             ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision), \
             told = iif(?3, 'statement', told)",
            (memory_id, revision, is_told),
        )?;
    }
    let sql = "UPDATE store_state SET fleet_base = max(fleet_base, ?1)";
    connection.execute(sql, [told.base])?;
    raise_revisions(connection)
}

/// Has all told again under revisions above all that may have been told.
fn raise_revisions(connection: &Connection) -> Result<()> {
    connection.execute("UPDATE fleet_claim SET revision = revision + ?1", [REVISIONS_UNKNOWN])?;
    connection.execute(
        "UPDATE store_state SET fleet_base = ?1 * (1 + max(fleet_base, \
         (SELECT coalesce(max(revision), 0) FROM fleet_claim)) / ?1)",
        [REVISIONS_UNKNOWN],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{draft, read, store, write};
    use crate::{MemoryDraft, Store};

    /// A memory of this importance that waits to be told.
    fn learn(store: &Store, importance: f64) -> i64 {
        let content = format!("{importance} {}", waiting(store).len());
        write(store, |tx| {
            let id = tx.insert_memory(&MemoryDraft { importance, ..draft(&content) })?;
            Ok(id)
        })
    }

    fn waiting(store: &Store) -> Vec<i64> {
        let claims = read(store, |tx| tx.waiting_claims(100));
        claims.into_iter().map(|it| it.memory_id).collect()
    }

    fn drop_to(store: &Store, max: u64) -> u64 {
        write(store, |tx| tx.drop_waiting(max))
    }

    #[test]
    fn of_too_many_that_wait_the_oldest_of_the_least_important_that_nobody_was_told_of_go() {
        let (_folder, store) = store();
        write(&store, |tx| tx.begin_sharing("rules", false));
        let told = learn(&store, 0.1);
        let sent = learn(&store, 0.1);
        write(&store, |tx| tx.put_told(told, 1));
        let first = WaitingClaim { memory_id: sent, revision: 1, is_told: false };
        write(&store, |tx| tx.put_telling(&first, Telling::Statement));
        // What was told changed since.
        let sql = "UPDATE memory SET content = 'no longer so' WHERE id = ?1";
        write(&store, |tx| tx.execute(sql, [told]));
        let important = learn(&store, 0.9);
        let [old, new] = [learn(&store, 0.3), learn(&store, 0.3)];
        let gone = learn(&store, 1.0);
        write(&store, |tx| tx.execute("DELETE FROM memory WHERE id = ?1", [gone]));
        assert_eq!(waiting(&store), [told, sent, important, old, new, gone]);
        let dropped = || read(&store, |tx| tx.fleet_totals()).dropped_count;

        assert_eq!((drop_to(&store, 6), dropped()), (0, 0));
        // Of what is gone there is nothing to tell.
        assert_eq!((drop_to(&store, 5), dropped()), (1, 1));
        assert_eq!(waiting(&store), [told, sent, important, old, new]);
        assert_eq!((drop_to(&store, 4), dropped()), (1, 2));
        assert_eq!(waiting(&store), [told, sent, important, new]);
        assert_eq!((drop_to(&store, 3), dropped()), (1, 3));
        assert_eq!(waiting(&store), [told, sent, important]);
        // What others heard, or may have heard, must be told on, however many wait.
        assert_eq!((drop_to(&store, 0), dropped()), (1, 4));
        assert_eq!(waiting(&store), [told, sent]);
        assert_eq!((drop_to(&store, 0), dropped()), (0, 4));
    }
}
