//! Revocations: what every robot deletes of somebody's experience, with what rests on it, and the receipt that it did.

use super::incoming::Taken;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::claim::{CLAIM_VERSION, Claim, ClaimOp, MemoryRef, Removed, Selector};
use robot_memory_core::model::Stamp;
use robot_memory_db::{Hearsay, HearsayState, Receipt, Revocation};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

impl Operations {
    /// Does what a revocation says, once, and notes what was done: that is told as its receipt.
    pub(super) fn take_revocation(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        selector: &Selector,
        now: Stamp,
        taken: &mut Taken,
    ) -> Result<()> {
        if tx.is_revocation_known(&claim.origin, claim.memory_id)? {
            taken.known_count += 1;
            return Ok(());
        }
        let revocation = Revocation {
            origin: selector.origin.clone(),
            memory_id: selector.memory_id,
            session_id: selector.session_id.clone(),
            stream: selector.stream.clone(),
            since: selector.since,
            // What the robot learns afterwards is not meant.
            until: selector.until.unwrap_or(claim.stamp),
            reason: selector.reason.clone(),
        };
        let Removed { deleted_count, rewritten_count } = if selector.origin == self.robot_id() {
            self.lessons_due.store(true, Ordering::Relaxed);
            self.unlearn_revoked(tx, &revocation, now)?
        } else {
            Removed {
                deleted_count: self.delete_revoked(tx, &revocation, now)?,
                rewritten_count: 0,
            }
        };
        tx.insert_revocation(
            &revocation,
            &Receipt {
                id: 0,
                revoked_by: claim.origin.clone(),
                revocation_no: claim.memory_id,
                taken_at: now,
                deleted_count,
                rewritten_count,
            },
        )?;
        taken.revocations.push(format!(
            "{} revoked experience of {}: {deleted_count} memories deleted, {rewritten_count} made again",
            claim.origin, selector.origin
        ));
        Ok(())
    }

    /// Deletes what another robot told that is meant, and what others told that goes back to nothing else. Returns how
    /// many memories are gone.
    fn delete_revoked(&self, tx: &WriteTx<'_>, revoked: &Revocation, now: Stamp) -> Result<u64> {
        let told = tx.hearsay_from(&revoked.origin)?.into_iter();
        let mut meant: Vec<Hearsay> = told.filter(|it| revoked.means(it)).collect();
        let roots: BTreeSet<i64> = meant.iter().map(|it| it.origin_memory_id).collect();
        let is_revoked =
            |root: &MemoryRef| root.origin == revoked.origin && roots.contains(&root.memory_id);
        let resting = tx.hearsay_resting_on(&revoked.origin)?.into_iter();
        meant.extend(resting.filter(|it| it.roots.iter().all(is_revoked)));
        let mut memories = BTreeSet::new();
        for mut hearsay in meant {
            memories.extend(hearsay.memory_id.take());
            hearsay.state = HearsayState::Revoked;
            tx.put_hearsay(&hearsay)?;
        }
        let mut deleted_count = 0;
        for id in memories {
            deleted_count += u64::from(self.remove_untold(tx, id, now)?);
        }
        Ok(deleted_count)
    }

    /// The receipts that the fleet does not have yet.
    pub(super) fn receipts_to_tell(&self, n: usize) -> Result<Vec<Claim>> {
        let receipts = self.store.read(|tx| tx.untold_receipts(n))?;
        let claim = |receipt: Receipt| Claim {
            version: CLAIM_VERSION.to_owned(),
            origin: self.robot_id().to_owned(),
            memory_id: receipt.id,
            revision: 1,
            op: ClaimOp::Receipt,
            stamp: receipt.taken_at,
            body: self.body(),
            statement: None,
            target: Some(MemoryRef {
                origin: receipt.revoked_by,
                memory_id: receipt.revocation_no,
            }),
            selector: None,
            removed: Some(Removed {
                deleted_count: receipt.deleted_count,
                rewritten_count: receipt.rewritten_count,
            }),
        };
        Ok(receipts.into_iter().map(claim).collect())
    }
}
