//! What this robot takes of what others tell: claims become memories of the scope `fleet`.

use super::super::check;
use super::super::inferred::Inferred;
use crate::db::{Outcome, Vector, WriteTx};
use crate::{Operations, Result};
use robot_memory_core::api::{ApiError, FieldText};
use robot_memory_core::claim::{Claim, ClaimOp, Statement};
use robot_memory_core::model::{Kind, Level, MemType, Scope, Source, Stamp, Status};
use robot_memory_db::{FleetPosition, Hearsay, HearsayState, MemoryDraft, RwLocked};

/// How far hearsay is believed, whatever its origin says of it: above what a recall leaves out, below what anybody said
/// here.
const HEARSAY_CONFIDENCE: f64 = 0.5;
/// Hearsay has no say in what is worth keeping.
const HEARSAY_IMPORTANCE: f64 = 0.5;

/// What became of claims that were taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Memories of others that were not known.
    pub asserted_count: u64,
    /// Memories of others that were known in other words.
    pub revised_count: u64,
    /// Memories of others that were taken back.
    pub retracted_count: u64,
    /// Claims that were known, or older than what is.
    pub known_count: u64,
    /// Claims of this robot, and those that rest on its experience alone.
    pub own_count: u64,
    /// Claims of what was forgotten or deleted here, or revoked.
    pub forgotten_count: u64,
    /// Claims that this program does nothing about.
    pub ignored_count: u64,
    /// What was revoked, and done for it, in words.
    pub revocations: Vec<String>,
    /// Claims that may not be stored: whose, and why.
    pub refused: Vec<(String, String)>,
}

/// A claim that was read and is not stored yet.
struct CheckedClaim {
    claim: Claim,
    /// Of one that says something.
    said: Option<Said>,
}

/// What a claim says.
struct Said {
    statement: Statement,
    inferred: Inferred,
    vector: Option<Vector>,
}

impl Operations {
    /// Takes claims whose signatures were verified, in the order of the fleet's stream, with the position after them: in one
    /// transaction, so that each is taken once.
    ///
    /// # Errors
    /// When the store cannot be written or the time is not known; then none was taken. A claim that may not be stored is no
    /// error.
    pub fn take_claims(
        &self,
        claims: Vec<Claim>,
        position: &FleetPosition,
    ) -> Result<Taken, ApiError> {
        Ok(self.take(claims, position)?)
    }

    fn take(&self, claims: Vec<Claim>, position: &FleetPosition) -> Result<Taken> {
        let now = self.now()?;
        let mut refused = Vec::new();
        let mut checked = Vec::with_capacity(claims.len());
        for claim in claims {
            let origin = claim.origin.clone();
            match self.check_claim(claim) {
                Ok(claim) => checked.push(claim),
                Err(error) => refused.push((origin, ApiError::from(error).message)),
            }
        }
        let mut taken = self.write(|tx| {
            let mut taken = Taken::default();
            for claim in &checked {
                self.take_one(tx, claim, now, &mut taken)?;
            }
            tx.put_fleet_position(position)?;
            Ok(Outcome::Changed(taken))
        })?;
        taken.refused = refused;
        Ok(taken)
    }

    /// Reads what a claim says, and refuses what may not be stored here.
    fn check_claim(&self, mut claim: Claim) -> Result<CheckedClaim> {
        let Some(statement) = claim.statement.take() else {
            return Ok(CheckedClaim { claim, said: None });
        };
        let secrets = self.secrets();
        secrets.check_given("content", FieldText::Text(&statement.content))?;
        secrets.check_given("context", FieldText::Json(&statement.context))?;
        secrets.check_given("collection", FieldText::Text(&statement.collection))?;
        check::collection_name(&statement.collection)?;
        let text = check::text("content", &statement.content)?;
        let inferred = Inferred::read(text, &statement.context)
            .with_limits(&statement.context)
            .map_err(|error| check::invalid(error.to_string()))?;
        let embedder = self.embedding.read_locked().ready();
        let vector = embedder.zip(statement.vector.as_ref()).and_then(|(embedder, told)| {
            let is_same =
                embedder.model_id() == told.model && embedder.dimension() == told.int8.len();
            let components = told.components().filter(|_| is_same)?;
            Some(Vector { model: told.model.clone(), components })
        });
        Ok(CheckedClaim { claim, said: Some(Said { statement, inferred, vector }) })
    }

    fn take_one(
        &self,
        tx: &WriteTx<'_>,
        checked: &CheckedClaim,
        now: Stamp,
        taken: &mut Taken,
    ) -> Result<()> {
        let CheckedClaim { claim, said } = checked;
        if claim.origin == self.robot_id() {
            taken.own_count += 1;
            return Ok(());
        }
        if let (ClaimOp::Revoke, Some(selector)) = (claim.op, &claim.selector) {
            return self.take_revocation(tx, claim, selector, now, taken);
        }
        if claim.op == ClaimOp::Receipt {
            return Ok(());
        }
        let known = tx.hearsay(&claim.origin, claim.memory_id)?;
        if known.as_ref().is_some_and(|it| claim.revision <= it.revision) {
            taken.known_count += 1;
            return Ok(());
        }
        match (claim.op, said) {
            (ClaimOp::Assert | ClaimOp::Revise, Some(said)) => {
                self.take_statement(tx, claim, said, known, now, taken)
            }
            (ClaimOp::Retract, _) => self.take_retraction(tx, claim, known, now, taken),
            _ => {
                taken.ignored_count += 1;
                Ok(())
            }
        }
    }

    fn take_statement(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        said: &Said,
        known: Option<Hearsay>,
        now: Stamp,
        taken: &mut Taken,
    ) -> Result<()> {
        let roots = &said.statement.roots;
        // What goes back to this robot's experience alone comes back as an echo.
        if roots.iter().all(|root| root.origin == self.robot_id()) {
            taken.own_count += 1;
            return Ok(());
        }
        let mut hearsay = hearsay_of(claim, Some(&said.statement), now);
        let before = known.as_ref().and_then(|it| it.memory_id);
        let revocations = tx.revocations_of(&claim.origin)?;
        let is_revoked = revocations.iter().any(|it| it.means(&hearsay));
        if is_revoked {
            hearsay.state = HearsayState::Revoked;
            tx.put_hearsay(&hearsay)?;
            taken.forgotten_count += 1;
            return before.map_or(Ok(()), |id| self.remove_untold(tx, id, now).map(drop));
        }
        if let Some(known) = &known
            && self.is_gone_here(tx, known)?
        {
            hearsay.state = known.state;
            hearsay.memory_id = known.memory_id;
            tx.put_hearsay(&hearsay)?;
            taken.forgotten_count += 1;
            return Ok(());
        }
        let memory_id = match self.same_hearsay(tx, said)? {
            Some(id) => id,
            None => self.insert_hearsay(tx, said, now)?,
        };
        hearsay.memory_id = Some(memory_id);
        tx.put_hearsay(&hearsay)?;
        match known.is_some_and(|it| it.state == HearsayState::Held) {
            true => taken.revised_count += 1,
            false => taken.asserted_count += 1,
        }
        match before.filter(|before| *before != memory_id) {
            Some(before) => self.remove_untold(tx, before, now).map(drop),
            None => Ok(()),
        }
    }

    /// Whether a memory that its origin still says was forgotten or deleted here, or revoked.
    fn is_gone_here(&self, tx: &WriteTx<'_>, known: &Hearsay) -> Result<bool> {
        Ok(match (known.state, known.memory_id) {
            (HearsayState::Revoked, _) | (HearsayState::Held, None) => true,
            (HearsayState::Retracted, _) => false,
            (HearsayState::Held, Some(id)) => {
                tx.memory(id, false)?.is_none_or(|memory| memory.status != Status::Active)
            }
        })
    }

    fn take_retraction(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        known: Option<Hearsay>,
        now: Stamp,
        taken: &mut Taken,
    ) -> Result<()> {
        let before = known.as_ref().and_then(|it| it.memory_id);
        let mut hearsay = hearsay_of(claim, None, now);
        // Kept even when it was never told: an older claim may come after it.
        hearsay.state = match known.map(|it| it.state) {
            Some(HearsayState::Revoked) => HearsayState::Revoked,
            _ => HearsayState::Retracted,
        };
        tx.put_hearsay(&hearsay)?;
        taken.retracted_count += 1;
        before.map_or(Ok(()), |before| self.remove_untold(tx, before, now).map(drop))
    }

    /// Deletes a memory of the fleet that no robot tells any more; returns whether it did.
    pub(super) fn remove_untold(&self, tx: &WriteTx<'_>, id: i64, now: Stamp) -> Result<bool> {
        if tx.has_teller(id)? {
            return Ok(false);
        }
        Ok(tx.remove(id, now)?.is_some())
    }

    /// The memory that says the same, as another robot told it. What happened is never the same twice.
    fn same_hearsay(&self, tx: &WriteTx<'_>, said: &Said) -> Result<Option<i64>> {
        let Said { statement, inferred, .. } = said;
        match statement.mem_type {
            MemType::TaskLog => Ok(None),
            mem_type => {
                Ok(tx.same_hearsay(&inferred.content_hash, statement.context.trim(), mem_type)?)
            }
        }
    }

    fn insert_hearsay(&self, tx: &WriteTx<'_>, said: &Said, now: Stamp) -> Result<i64> {
        let Said { statement, inferred, vector } = said;
        let draft = MemoryDraft {
            collection: statement.collection.clone(),
            level: Level::Knowledge,
            scope: Scope::Fleet,
            kind: Kind::Fact,
            category: Some(statement.category.unwrap_or(inferred.category)),
            mem_type: statement.mem_type,
            content: inferred.content.clone(),
            content_hash: inferred.content_hash,
            word_count: inferred.word_count(),
            // Its origin may say so, but cannot have it weigh more than what is known here.
            is_real: false,
            quantity_key: inferred.key().cast_signed(),
            context: statement.context.trim().to_owned(),
            perception: None,
            session_id: String::new(),
            turn_id: String::new(),
            agent: String::new(),
            source: Source::Fleet,
            trust: Source::Fleet.trust(),
            confidence: HEARSAY_CONFIDENCE,
            decay_rate: 0.0,
            importance: HEARSAY_IMPORTANCE,
            parent_id: None,
            tags: inferred.tags.clone(),
            scope_files: inferred.scope_files.clone(),
            scope_entities: inferred.scope_entities.clone(),
            created_at: statement.created_at.min(now),
        };
        Ok(self.insert(tx, draft, inferred.tokens.clone(), vector.as_ref())?.0)
    }
}

/// What is noted of a claim.
fn hearsay_of(claim: &Claim, statement: Option<&Statement>, now: Stamp) -> Hearsay {
    let text = |of: fn(&Statement) -> &String| statement.map(of).cloned().unwrap_or_default();
    Hearsay {
        origin: claim.origin.clone(),
        origin_memory_id: claim.memory_id,
        revision: claim.revision,
        state: HearsayState::Held,
        memory_id: None,
        told_at: claim.stamp,
        made_at: statement.map_or(claim.stamp, |it| it.created_at),
        taken_at: now,
        session_id: text(|it| &it.session_id),
        stream: text(|it| &it.stream),
        robot_type: claim.body.robot_type.clone(),
        gripper: claim.body.gripper.clone(),
        map_id: text(|it| &it.map_id),
        roots: statement.map(|it| it.roots.clone()).unwrap_or_default(),
    }
}
