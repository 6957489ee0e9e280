//! Revocations: what every robot deletes of somebody's experience, with what rests on it, and the receipt that it did.

use super::incoming::{Intake, is_gone_here, told_at};
use super::rulings::take_back;
use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Removed, Selector};
use robot_memory_core::limits::{RECEIPTS_SHOWN_MAX, REVOCATIONS_SHOWN_MAX, UNKNOWN_RECEIPTS_MAX};
use robot_memory_core::model::{MemType, Stamp};
use robot_memory_db::{
    ForeignReceipt, Hearsay, HearsayState, ReadTx, Receipt, Revocation, TakenRevocation,
};
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
            revoked_by: claim.origin.clone(),
            revocation_no: claim.memory_id,
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
            let removed = self.unlearn_revoked(tx, &revocation, now)?;
            // The others drop all that may rest on it: what still holds is told again, after the receipt.
            tx.tell_rulings_again()?;
            tx.tell_summaries_again()?;
            removed
        } else {
            self.delete_revoked(tx, &revocation, now)?
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

    /// Deletes what another robot told that is meant, what it made of other memories since, and what others told that goes back
    /// to nothing else, with what this robot adopted of these.
    fn delete_revoked(
        &self,
        tx: &WriteTx<'_>,
        revoked: &Revocation,
        now: Stamp,
    ) -> Result<Removed> {
        let mut heard = BTreeSet::new();
        let mut adopted = BTreeSet::new();
        let mut drop_it = |mut hearsay: Hearsay, state: HearsayState| {
            if state != HearsayState::Held {
                heard.extend(hearsay.memory_id.take());
            }
            adopted.extend(hearsay.adopted_id.take());
            hearsay.state = state;
            tx.put_hearsay(&hearsay)
        };
        for hearsay in tx.hearsay_from(&revoked.origin)? {
            if revoked.means_itself(&hearsay, true) {
                drop_it(hearsay, HearsayState::Revoked)?;
            } else if hearsay.is_summary
                && !revoked.names(&hearsay)
                && self.may_rest_on(tx, revoked, &hearsay, None)?
            {
                // What its origin makes again comes with a higher revision; what was forgotten here stays so.
                let is_held = hearsay.state == HearsayState::Held && !is_gone_here(tx, &hearsay)?;
                let state = if is_held { HearsayState::Retracted } else { hearsay.state };
                drop_it(hearsay, state)?;
            }
        }
        let rulings = tx.rulings_of(&revoked.origin)?.into_iter();
        for ruling in rulings.filter(|it| revoked.means_ruling(it.memory_id, it.told_at)) {
            let revision = ruling.revision;
            take_back(tx, ruling, revision)?;
        }
        let known = [revoked.clone()];
        for hearsay in tx.hearsay_resting_on(&revoked.origin)? {
            if self.are_revoked(tx, &hearsay, &known)? {
                drop_it(hearsay, HearsayState::Revoked)?;
            }
        }
        // What another robot told of its own experience is adopted from that all the same.
        let mut groundless = BTreeSet::new();
        for id in adopted {
            if tx.adopted_from(id)?.is_empty() {
                groundless.insert(id);
            }
        }
        let mut removed = self.unlearn_adopted(tx, groundless, &revoked.reason, now)?;
        for id in heard {
            removed.deleted_count += u64::from(self.remove_untold(tx, id, now)?);
        }
        Ok(removed)
    }

    /// Whether what the origin made of other memories may rest on what was revoked. `mem_type`: of what is not stored yet.
    fn may_rest_on(
        &self,
        tx: &ReadTx<'_>,
        revoked: &Revocation,
        made: &Hearsay,
        mem_type: Option<MemType>,
    ) -> Result<bool> {
        let stored = match (mem_type, made.memory_id.or(made.adopted_id)) {
            (None, Some(id)) => tx.row_place(id)?.map(|it| it.mem_type),
            _ => None,
        };
        let is_lesson = mem_type.or(stored).is_none_or(|it| it == MemType::Lesson);
        let known = |id| tx.hearsay(&made.origin, id);
        Ok(revoked.may_mean_sources(made, is_lesson, mem_type.is_none(), known)?)
    }

    /// Why a claim is not held for what was revoked before; `None`: it may be.
    pub(super) fn why_revoked(
        &self,
        tx: &ReadTx<'_>,
        hearsay: &Hearsay,
        mem_type: MemType,
    ) -> Result<Option<HearsayState>> {
        for revoked in tx.revocations_of(&hearsay.origin)? {
            if revoked.means_itself(hearsay, false) {
                return Ok(Some(HearsayState::Revoked));
            }
            let Revocation { revoked_by, revocation_no, .. } = &revoked;
            // Once its origin has answered, what it made of other memories rests on what is left.
            if hearsay.is_summary
                && tx.awaits_origin(revoked_by, *revocation_no)?
                && self.may_rest_on(tx, &revoked, hearsay, Some(mem_type))?
            {
                return Ok(Some(HearsayState::Retracted));
            }
        }
        let is_foreign = hearsay.roots.iter().all(|root| root.origin != hearsay.origin);
        let is_revoked = is_foreign && self.are_revoked(tx, hearsay, &[])?;
        Ok(is_revoked.then_some(HearsayState::Revoked))
    }

    /// Whether all that something goes back to was revoked, before or by `more`.
    fn are_revoked(&self, tx: &ReadTx<'_>, hearsay: &Hearsay, more: &[Revocation]) -> Result<bool> {
        for root in &hearsay.roots {
            let known = tx.hearsay(&root.origin, root.memory_id)?;
            let is_known = known.is_some();
            // Of a root that was never heard its echo tells when it was made.
            let root = known.unwrap_or_else(|| Hearsay {
                origin: root.origin.clone(),
                origin_memory_id: root.memory_id,
                ..hearsay.clone()
            });
            let is_revoked = root.state == HearsayState::Revoked && is_known
                || more.iter().any(|it| it.means(&root, true))
                || !is_known
                    && tx.revocations_of(&root.origin)?.iter().any(|it| it.means(&root, false));
            if !is_revoked {
                return Ok(false);
            }
        }
        Ok(!hearsay.roots.is_empty())
    }

    /// Notes that another robot did what a revocation says. Of what is not known here only so many are kept.
    pub(super) fn take_receipt(&self, tx: &WriteTx<'_>, claim: &Claim) -> Result<()> {
        let (Some(target), Some(removed)) = (&claim.target, &claim.removed) else { return Ok(()) };
        let is_known = tx.is_revocation_known(&target.origin, target.memory_id)?;
        if !is_known && tx.receipt_count()? >= UNKNOWN_RECEIPTS_MAX {
            return Ok(());
        }
        Ok(tx.put_foreign_receipt(&ForeignReceipt {
            revoked_by: target.origin.clone(),
            revocation_no: target.memory_id,
            robot: claim.origin.clone(),
            taken_at: told_at(claim),
            deleted_count: removed.deleted_count,
            rewritten_count: removed.rewritten_count,
        })?)
    }

    /// The revocations that this robot took last, the newest first, at most `n`, each with what other robots did for it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn taken_revocations(
        &self,
        n: usize,
    ) -> Result<Vec<(TakenRevocation, Vec<ForeignReceipt>)>, ApiError> {
        let read = || -> Result<_> {
            self.store.read(|tx| {
                let taken = tx.taken_revocations(n.min(REVOCATIONS_SHOWN_MAX))?.into_iter();
                taken
                    .map(|it| {
                        let (by, number) = (&it.revoked_by, it.revocation_no);
                        let receipts = tx.receipts_for(by, number, RECEIPTS_SHOWN_MAX)?;
                        Ok((it, receipts))
                    })
                    .collect()
            })
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
