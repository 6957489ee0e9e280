//! Revocations: what every robot deletes of somebody's experience, with what rests on it, and the receipt that it did.

use super::incoming::Intake;
use super::rulings::take_back;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Removed, Selector};
use robot_memory_core::limits::REVOCATIONS_SHOWN_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_db::{Hearsay, HearsayState, Receipt, Revocation, TakenRevocation};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

impl Operations {
    /// Does what a revocation says, once, and notes what was done: that is told as its receipt.
    pub(super) fn take_revocation(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        selector: &Selector,
        intake: &mut Intake,
    ) -> Result<()> {
        let Intake { now, taken, .. } = intake;
        let now = *now;
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
            until: selector.until,
            told_at: claim.stamp,
            reason: selector.reason.clone(),
        };
        let Removed { deleted_count, rewritten_count } = if selector.origin == self.robot_id() {
            self.lessons_due.store(true, Ordering::Relaxed);
            // The others drop all that may rest on it: what still holds is told again.
            tx.tell_rulings_again()?;
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
        let mut memories = BTreeSet::new();
        let mut revoke = |mut hearsay: Hearsay| {
            memories.extend(hearsay.memory_id.take());
            hearsay.state = HearsayState::Revoked;
            tx.put_hearsay(&hearsay)
        };
        let told = tx.hearsay_from(&revoked.origin)?.into_iter();
        told.filter(|it| revoked.means(it)).try_for_each(&mut revoke)?;
        let rulings = tx.rulings_of(&revoked.origin)?.into_iter();
        for ruling in rulings.filter(|it| revoked.means_ruling(it.memory_id, it.told_at)) {
            let revision = ruling.revision;
            take_back(tx, ruling, revision)?;
        }
        let known = [revoked.clone()];
        for hearsay in tx.hearsay_resting_on(&revoked.origin)? {
            if self.are_revoked(tx, &hearsay.roots, &known)? {
                revoke(hearsay)?;
            }
        }
        let mut deleted_count = 0;
        for id in memories {
            deleted_count += u64::from(self.remove_untold(tx, id, now)?);
        }
        Ok(deleted_count)
    }

    /// Whether all that something goes back to was revoked, before or by `more`.
    pub(super) fn are_revoked(
        &self,
        tx: &WriteTx<'_>,
        roots: &[MemoryRef],
        more: &[Revocation],
    ) -> Result<bool> {
        for root in roots {
            let known = tx.hearsay(&root.origin, root.memory_id)?;
            let names = |it: &Revocation| it.origin == root.origin && it.means_any(root.memory_id);
            let is_revoked = known.as_ref().is_some_and(|it| it.state == HearsayState::Revoked)
                || more.iter().any(names)
                || known.is_none() && tx.revocations_of(&root.origin)?.iter().any(names);
            if !is_revoked {
                return Ok(false);
            }
        }
        Ok(!roots.is_empty())
    }

    /// The revocations that this robot took last, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn taken_revocations(&self) -> Result<Vec<TakenRevocation>, ApiError> {
        let read = || -> Result<Vec<TakenRevocation>> {
            self.store.read(|tx| Ok(tx.taken_revocations(REVOCATIONS_SHOWN_MAX)?))
        };
        Ok(read()?)
    }

    /// The receipts that the fleet does not have yet.
    pub(super) fn receipts_to_tell(&self, n: usize) -> Result<Vec<Claim>> {
        let receipts = self.store.read(|tx| tx.untold_receipts(n))?;
        let claim = |receipt: Receipt| Claim {
            target: Some(MemoryRef {
                origin: receipt.revoked_by,
                memory_id: receipt.revocation_no,
            }),
            removed: Some(Removed {
                deleted_count: receipt.deleted_count,
                rewritten_count: receipt.rewritten_count,
            }),
            ..self.claim(receipt.id, 1, ClaimOp::Receipt, receipt.taken_at, None)
        };
        Ok(receipts.into_iter().map(claim).collect())
    }
}
