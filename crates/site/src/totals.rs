//! What each robot told, and what was revoked.

use crate::SiteStore;
use crate::error::Result;
use robot_memory_core::limits::{KNOWN_ROBOTS_MAX, REVOCATIONS_SHOWN_MAX};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// What one robot told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginTotal {
    /// The robot.
    pub origin: String,
    /// Claims that came of it, also those that were known.
    pub claim_count: u64,
    /// Memories that it tells.
    pub memory_count: u64,
    /// When it was last heard, by the clock of the database.
    pub heard_at: Stamp,
}

/// A revocation that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenRevocation {
    /// Who revoked.
    pub revoked_by: String,
    /// Its number there.
    pub revocation_no: i64,
    /// Whose experience.
    pub origin: String,
    /// Why.
    pub reason: String,
    /// By the clock of the database.
    pub taken_at: Stamp,
    /// Statements that were deleted here.
    pub deleted_count: u64,
    /// What robots did for it, as they told, in order of name.
    pub receipts: Vec<Receipt>,
}

/// What one robot did for a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The robot.
    pub origin: String,
    /// By its clock.
    pub told_at: Stamp,
    /// Memories that it deleted.
    pub deleted_count: u64,
    /// Memories that it made again without what was revoked.
    pub rewritten_count: u64,
}

impl SiteStore {
    /// What each robot told, in order of name. Rows of robots: for the operator, not for agents of one scope.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn totals(&self) -> Result<Vec<OriginTotal>> {
        self.pool().read(|client| {
            let rows = client.query(
                "SELECT name, claim_count, held_count, heard_at FROM robot_memory.origin WHERE site_no = $1 \
                 ORDER BY name LIMIT $2",
                &[&self.site_no(), &(KNOWN_ROBOTS_MAX as i64)],
            )?;
            let total = |row: &postgres::Row| OriginTotal {
                origin: row.get(0),
                claim_count: row.get::<_, i64>(1).unsigned_abs(),
                memory_count: row.get::<_, i64>(2).unsigned_abs(),
                heard_at: Stamp(row.get(3)),
            };
            Ok(rows.iter().map(total).collect())
        })
    }

    /// The revocations that were taken last, the newest first, with the receipts of the robots.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn revocations(&self) -> Result<Vec<TakenRevocation>> {
        self.pool().read(|client| {
            let rows = client.query(
                "SELECT revoked_by, revocation_no, origin, reason, taken_at, deleted_count FROM robot_memory.revocation \
                 WHERE site_no = $1 ORDER BY taken_at DESC, revoked_by, revocation_no DESC LIMIT $2",
                &[&self.site_no(), &(REVOCATIONS_SHOWN_MAX as i64)],
            )?;
            let by: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            let numbers: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
            let told = client.query(
                "SELECT r.revoked_by, r.revocation_no, r.origin, r.told_at, r.deleted_count, r.rewritten_count \
                 FROM unnest($2::text[], $3::bigint[]) AS k (revoked_by, no) JOIN robot_memory.receipt r \
                 ON r.site_no = $1 AND r.revoked_by = k.revoked_by COLLATE \"C\" AND r.revocation_no = k.no \
                 ORDER BY r.origin",
                &[&self.site_no(), &by, &numbers],
            )?;
            let mut receipts: BTreeMap<(String, i64), Vec<Receipt>> = BTreeMap::new();
            for row in &told {
                receipts.entry((row.get(0), row.get(1))).or_default().push(Receipt {
                    origin: row.get(2),
                    told_at: Stamp(row.get(3)),
                    deleted_count: row.get::<_, i64>(4).unsigned_abs(),
                    rewritten_count: row.get::<_, i64>(5).unsigned_abs(),
                });
            }
            let taken = |row: &postgres::Row| TakenRevocation {
                revoked_by: row.get(0),
                revocation_no: row.get(1),
                origin: row.get(2),
                reason: row.get(3),
                taken_at: Stamp(row.get(4)),
                deleted_count: row.get::<_, i64>(5).unsigned_abs(),
                receipts: receipts.remove(&(row.get(0), row.get(1))).unwrap_or_default(),
            };
            Ok(rows.iter().map(taken).collect())
        })
    }
}
