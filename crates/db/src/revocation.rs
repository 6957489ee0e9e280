//! The table `revocation`: what every robot was told to delete, and what this one did of it.

use super::column::record;
use super::hearsay::{Hearsay, HearsayState};
use super::{ReadTx, Result, WriteTx};
use crate::statement::{insert, statements, whole};
use robot_memory_core::limits::CLAIM_REFS_MAX;
use robot_memory_core::model::Stamp;
use rusqlite::params;

record! {
    /// What was told to be deleted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Revocation, select_revocation by "id" {
        pub revoked_by: String = "revoked_by",
        pub revocation_no: i64 = "revocation_no",
        /// Whose experience.
        pub origin: String = "origin",
        /// `None`: any memory of it; so the next, where they are empty.
        pub memory_id: Option<i64> = "memory_id",
        pub session_id: String = "session_id",
        pub stream: String = "stream",
        /// By the clock of the origin.
        pub since: Option<Stamp> = "since",
        /// By the clock of the origin; what was made then is not meant. `None`: as [`end`](Revocation::end) says.
        pub until: Option<Stamp> = "until",
        /// By the clock of who revoked.
        pub told_at: Stamp = "told_at",
        pub reason: String = "reason",
    }
}

record! {
    /// What this robot did for a revocation.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Receipt, select_receipt {
        pub id: i64 = "id",
        pub revoked_by: String = "revoked_by",
        pub revocation_no: i64 = "revocation_no",
        pub taken_at: Stamp = "taken_at",
        /// Memories that were deleted or forgotten.
        pub deleted_count: u64 = "deleted_count",
        /// Memories that rested on these and were made again.
        pub rewritten_count: u64 = "rewritten_count",
    }
}

record! {
    /// A revocation that was taken, and what was done for it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TakenRevocation, select_taken {
        pub revoked_by: String = "revoked_by",
        pub revocation_no: i64 = "revocation_no",
        /// Whose experience; what is meant of it, as of [`Revocation`].
        pub origin: String = "origin",
        pub memory_id: Option<i64> = "memory_id",
        pub session_id: String = "session_id",
        pub stream: String = "stream",
        pub since: Option<Stamp> = "since",
        pub until: Option<Stamp> = "until",
        pub told_at: Stamp = "told_at",
        pub reason: String = "reason",
        pub taken_at: Stamp = "taken_at",
        /// Memories that were deleted or forgotten.
        pub deleted_count: u64 = "deleted_count",
        /// Memories that rested on these and were made again.
        pub rewritten_count: u64 = "rewritten_count",
        /// Whether the fleet has the receipt.
        pub is_told: bool = "is_told",
    }
}

record! {
    /// What another robot did for a revocation.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ForeignReceipt, select_foreign {
        pub revoked_by: String = "revoked_by",
        pub revocation_no: i64 = "revocation_no",
        pub robot: String = "robot",
        /// By its clock.
        pub taken_at: Stamp = "taken_at",
        pub deleted_count: u64 = "deleted_count",
        pub rewritten_count: u64 = "rewritten_count",
    }
}

impl Revocation {
    /// The time from which on nothing is meant: without a given one when it was revoked, unless one memory is named.
    pub fn end(&self) -> Option<Stamp> {
        end(self.until, self.memory_id, self.told_at)
    }

    /// Whether a memory of the origin is meant. `is_heard`: it was heard before this came. What was heard before it was told, by the
    /// clock here, was made before then, whatever the clock of the origin says.
    pub fn means(&self, hearsay: &Hearsay, is_heard: bool) -> bool {
        let made_at = match self.until {
            None if is_heard => hearsay.made_at.min(hearsay.taken_at),
            _ => hearsay.made_at,
        };
        let Self { origin, memory_id, session_id, stream, since, .. } = self;
        *origin == hearsay.origin
            && memory_id.is_none_or(|id| id == hearsay.origin_memory_id)
            && (session_id.is_empty() || *session_id == hearsay.session_id)
            && (stream.is_empty() || *stream == hearsay.stream)
            && since.is_none_or(|since| hearsay.made_at >= since)
            && self.end().is_none_or(|end| made_at < end)
    }

    /// The same of what was made, not of what it was made of: a summary or a lesson is meant when it is named.
    pub fn means_itself(&self, hearsay: &Hearsay, is_heard: bool) -> bool {
        (self.names(hearsay) || !hearsay.is_summary) && self.means(hearsay, is_heard)
    }

    /// Whether it names this memory.
    pub fn names(&self, hearsay: &Hearsay) -> bool {
        self.memory_id == Some(hearsay.origin_memory_id)
    }

    /// Whether what the origin made of other memories may rest on what is meant: it was told since. `known` finds what was
    /// told of a memory of the origin; a lesson names only the failures among what it rests on.
    pub fn may_mean_sources(
        &self,
        made: &Hearsay,
        is_lesson: bool,
        is_heard: bool,
        known: impl Fn(i64) -> Result<Option<Hearsay>>,
    ) -> Result<bool> {
        if !made.is_summary
            || made.origin != self.origin
            || self.since.is_some_and(|since| made.told_at < since)
        {
            return Ok(false);
        }
        for root in made.roots.iter().filter(|root| root.origin == self.origin) {
            // Of one that was only taken back it is not known when it was made.
            let source = known(root.memory_id)?.filter(|it| !it.roots.is_empty());
            let is_meant = match source {
                Some(it) => it.state == HearsayState::Revoked || self.means(&it, is_heard),
                None => self.memory_id.is_none_or(|id| id == root.memory_id),
            };
            if is_meant {
                return Ok(true);
            }
        }
        let names_all = !is_lesson && made.roots.len() < CLAIM_REFS_MAX;
        Ok(self.memory_id.is_none() && !names_all)
    }

    /// Whether what the origin said of a memory of another robot is meant. It may rest on any of its attempts before: also
    /// what it said after the time that is meant.
    pub fn means_ruling(&self, memory_id: i64, told_at: Stamp) -> bool {
        self.memory_id.is_none_or(|id| id == memory_id)
            && self.since.is_none_or(|since| told_at >= since)
            && told_at < self.told_at
    }
}

impl TakenRevocation {
    /// As [`Revocation::end`].
    pub fn end(&self) -> Option<Stamp> {
        end(self.until, self.memory_id, self.told_at)
    }
}

fn end(until: Option<Stamp>, memory_id: Option<i64>, told_at: Stamp) -> Option<Stamp> {
    until.or_else(|| memory_id.is_none().then_some(told_at))
}

impl ReadTx<'_> {
    statements! {
        /// What was revoked of a robot's experience.
        pub fn revocations_of(origin: &str) -> rows<Revocation> =
            select_revocation!("FROM revocation WHERE origin = ?1 ORDER BY id");

        /// The revocations that were taken last, the newest first.
        pub fn taken_revocations(limit: usize) [whole(limit)] -> rows<TakenRevocation> =
            select_taken!("FROM revocation ORDER BY id DESC LIMIT ?1");

        /// Whether a revocation was taken.
        pub fn is_revocation_known(revoked_by: &str, revocation_no: i64) -> exists =
            "SELECT 1 FROM revocation WHERE revoked_by = ?1 AND revocation_no = ?2";

        /// Whether what the origin of a revocation made of other memories is not believed yet: it answered neither this one
        /// nor one that says the same.
        pub fn awaits_origin(revoked_by: &str, revocation_no: i64) -> exists =
            "SELECT 1 FROM revocation r WHERE r.revoked_by = ?1 AND r.revocation_no = ?2 AND r.awaits_origin = 1 \
             AND NOT EXISTS (SELECT 1 FROM revocation o JOIN receipt a ON a.revoked_by = o.revoked_by \
             AND a.revocation_no = o.revocation_no AND a.robot = o.origin WHERE o.origin = r.origin \
             AND o.memory_id IS r.memory_id AND o.session_id = r.session_id AND o.stream = r.stream \
             AND o.since IS r.since AND o.until IS r.until)";

        /// How many receipts of other robots are kept.
        pub fn receipt_count() -> count = "SELECT count(*) FROM receipt";

        /// The receipts of other robots for a revocation, in order of name, at most `limit`.
        pub fn receipts_for(revoked_by: &str, revocation_no: i64, limit: usize) [
            revoked_by, revocation_no, whole(limit)
        ] -> rows<ForeignReceipt> = select_foreign!(
            "FROM receipt WHERE revoked_by = ?1 AND revocation_no = ?2 ORDER BY robot LIMIT ?3"
        );

        /// The first receipts that the fleet does not have.
        pub fn untold_receipts(limit: usize) [whole(limit)] -> rows<Receipt> =
            select_receipt!("FROM revocation WHERE is_told = 0 ORDER BY id LIMIT ?1");
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes that the fleet has a receipt.
        pub fn put_receipt_told(id: i64) -> execute = "UPDATE revocation SET is_told = 1 WHERE id = ?1";
    }

    /// Notes the receipt of another robot. The first one that it told stays.
    pub fn put_foreign_receipt(&self, receipt: &ForeignReceipt) -> Result<()> {
        self.execute(
            "INSERT OR IGNORE INTO receipt (revoked_by, revocation_no, robot, taken_at, deleted_count, rewritten_count) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                receipt.revoked_by,
                receipt.revocation_no,
                receipt.robot,
                receipt.taken_at.0,
                whole(receipt.deleted_count),
                whole(receipt.rewritten_count),
            ],
        )
    }

    /// Notes a revocation and what was done for it.
    pub fn insert_revocation(&self, revocation: &Revocation, receipt: &Receipt) -> Result<()> {
        let Revocation {
            origin, memory_id, session_id, stream, since, until, told_at, reason, ..
        } = revocation;
        insert!(
            self,
            "revocation",
            revoked_by = revocation.revoked_by,
            revocation_no = revocation.revocation_no,
            origin = origin,
            memory_id = memory_id,
            session_id = session_id,
            stream = stream,
            since = since.map(|it| it.0),
            until = until.map(|it| it.0),
            told_at = told_at.0,
            reason = reason,
            taken_at = receipt.taken_at.0,
            deleted_count = whole(receipt.deleted_count),
            rewritten_count = whole(receipt.rewritten_count),
            awaits_origin = true,
        )?;
        Ok(())
    }
}
