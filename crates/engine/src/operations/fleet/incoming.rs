//! What this robot takes of what others tell: claims become memories of the scope `fleet`.

use super::super::check;
use super::super::inferred::Inferred;
use super::rulings::take_back;
use crate::db::{Outcome, Vector, WriteTx};
use crate::{Error, Operations, Result};
use robot_memory_core::api::{ApiError, ErrorKind, FieldText};
use robot_memory_core::claim::{Claim, ClaimOp, Statement, Takes};
use robot_memory_core::limits::HEARSAY_PER_ROBOT_MAX;
use robot_memory_core::model::{
    Category, HEARSAY_CONFIDENCE, HEARSAY_IMPORTANCE, Kind, Level, MemType, PerceptionType, Scope,
    Source, Stamp, Status, is_limit_or_lesson,
};
use robot_memory_core::parallel;
use robot_memory_core::picture::data_with;
use robot_memory_db::{
    FleetPosition, Hearsay, HearsayState, MemoryDraft, ReadTx, RwLocked, SaidWords,
};
use std::collections::HashMap;
use std::sync::atomic::Ordering;

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
    /// What attempts of others say of a memory.
    pub ruling_count: u64,
    /// Claims of what was forgotten or deleted here, or revoked.
    pub forgotten_count: u64,
    /// Claims of what this robot does not take (`fleet_takes`).
    pub passed_over_count: u64,
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
    /// Of one that says something; else why it may not be stored.
    said: Result<Option<Said>, String>,
}

/// What a claim says.
struct Said {
    statement: Statement,
    inferred: Inferred,
    vector: Option<Vector>,
}

/// A transaction that takes claims.
pub(super) struct Intake {
    pub now: Stamp,
    pub taken: Taken,
    /// How many memories of a robot are known.
    counts: HashMap<String, u64>,
}

impl Operations {
    /// Takes claims whose signatures were verified, in the order of the fleet's stream, from a position up to another: in
    /// one transaction, so that each is taken once.
    ///
    /// # Errors
    /// When the store cannot be written, the time is not known, or the store is at another position, as after a backup was
    /// restored; then none was taken. A claim that may not be stored is no error.
    pub fn take_claims(
        &self,
        claims: Vec<Claim>,
        from: &FleetPosition,
        to: &FleetPosition,
    ) -> Result<Taken, ApiError> {
        Ok(self.take(claims, from, to)?)
    }

    fn take(
        &self,
        mut claims: Vec<Claim>,
        from: &FleetPosition,
        to: &FleetPosition,
    ) -> Result<Taken> {
        let now = self.now()?;
        if self.takes() != Takes::All {
            for statement in claims.iter_mut().filter_map(|it| it.statement.as_mut()) {
                statement.picture = None;
            }
        }
        let said = parallel::map(&claims, |claim| self.check_claim(claim));
        let without_statement = |claim| Claim { statement: None, ..claim };
        let checked: Vec<CheckedClaim> = claims
            .into_iter()
            .map(without_statement)
            .zip(said)
            .map(|(claim, said)| CheckedClaim { claim, said })
            .collect();
        // A savepoint costs as much as a claim: each has one of its own only where one of them is refused.
        let taken = match self.take_from(&checked, now, from, to, Self::take_all) {
            Ok(taken) => taken,
            Err(error) => {
                refusal(error)?;
                self.take_from(&checked, now, from, to, Self::take_each)?
            }
        };
        if taken.asserted_count > 0 {
            self.has_heard.store(true, Ordering::Relaxed);
        }
        Ok(taken)
    }

    fn take_from(
        &self,
        claims: &[CheckedClaim],
        now: Stamp,
        from: &FleetPosition,
        to: &FleetPosition,
        take: fn(&Self, &WriteTx<'_>, &[CheckedClaim], Stamp) -> Result<Intake>,
    ) -> Result<Taken> {
        self.write(|tx| {
            let found = tx.fleet_position()?;
            if found != *from {
                return Err(Error::invalid_state(format!(
                    "the store has taken the fleet's stream up to {}, not {}",
                    found.sequence, from.sequence
                )));
            }
            let intake = take(self, tx, claims, now)?;
            tx.put_fleet_position(to)?;
            Ok(Outcome::Changed(intake.taken))
        })
    }

    fn take_all(&self, tx: &WriteTx<'_>, claims: &[CheckedClaim], now: Stamp) -> Result<Intake> {
        let mut intake = Intake::new(now);
        for claim in claims {
            self.take_one(tx, claim, &mut intake)?;
        }
        Ok(intake)
    }

    /// Takes all but those that may not be stored.
    fn take_each(&self, tx: &WriteTx<'_>, claims: &[CheckedClaim], now: Stamp) -> Result<Intake> {
        let mut intake = Intake::new(now);
        for claim in claims {
            if let Err(error) = tx.savepoint(|| self.take_one(tx, claim, &mut intake)) {
                intake.taken.refuse(&claim.claim, refusal(error)?);
            }
        }
        Ok(intake)
    }

    /// Reads what a claim says. What may not be stored here is known as refused: what its origin said before no longer holds.
    fn check_claim(&self, claim: &Claim) -> Result<Option<Said>, String> {
        if claim.origin == self.robot_id() {
            return Ok(None);
        }
        let said = claim.statement.clone().map(|statement| self.check_statement_told(statement));
        said.transpose().map_err(|error| ApiError::from(error).message)
    }

    fn check_statement_told(&self, statement: Statement) -> Result<Said> {
        let secrets = self.secrets();
        for (field, text) in [
            ("content", &statement.content),
            ("collection", &statement.collection),
            ("session_id", &statement.session_id),
            ("stream", &statement.stream),
        ] {
            secrets.check_given(field, FieldText::Text(text))?;
        }
        secrets.check_given("context", FieldText::Json(&statement.context))?;
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
        Ok(Said { statement, inferred, vector })
    }

    fn take_one(
        &self,
        tx: &WriteTx<'_>,
        checked: &CheckedClaim,
        intake: &mut Intake,
    ) -> Result<()> {
        let CheckedClaim { claim, said } = checked;
        if let (ClaimOp::Revoke, Some(selector)) = (claim.op, &claim.selector) {
            return self.take_revocation(tx, claim, selector, intake);
        }
        if claim.origin == self.robot_id() {
            intake.taken.own_count += 1;
            return Ok(());
        }
        if claim.op == ClaimOp::Receipt {
            return self.take_receipt(tx, claim);
        }
        let known = tx.hearsay(&claim.origin, claim.memory_id)?;
        if known.as_ref().is_some_and(|it| claim.revision <= it.revision) {
            intake.taken.known_count += 1;
            return Ok(());
        }
        let ruling = tx.ruling(&claim.origin, claim.memory_id)?;
        if ruling.as_ref().is_some_and(|it| claim.revision <= it.revision) {
            intake.taken.known_count += 1;
            return Ok(());
        }
        let passes_over = match (claim.op, said) {
            (ClaimOp::Assert | ClaimOp::Revise, Ok(Some(said))) => !self.takes_what(said),
            _ => false,
        };
        if known.is_none()
            && ruling.is_none()
            && !passes_over
            && let Err(fault) = intake.make_room(tx, &claim.origin)?
        {
            intake.taken.refuse(claim, fault);
            return Ok(());
        }
        match (claim.op, ruling) {
            (ClaimOp::Confirm | ClaimOp::Contradict, _) => {
                if known.is_some() {
                    // Under the same id it said something else before, as before a backup was restored.
                    self.take_retraction(tx, claim, known, intake)?;
                }
                return self.take_ruling(tx, claim, intake);
            }
            (_, Some(ruling)) => take_back(tx, ruling, claim.revision)?,
            (_, None) => {}
        }
        if passes_over {
            intake.taken.passed_over_count += 1;
            return known.map_or(Ok(()), |it| self.pass_over(tx, it, intake.now));
        }
        match (claim.op, said) {
            (ClaimOp::Assert | ClaimOp::Revise, Ok(Some(said))) => {
                self.take_statement(tx, claim, said, known, intake)
            }
            (ClaimOp::Assert | ClaimOp::Revise, Err(fault)) => {
                intake.taken.refuse(claim, fault.clone());
                known.map_or(Ok(()), |known| self.take_retraction(tx, claim, Some(known), intake))
            }
            (ClaimOp::Retract, _) => {
                intake.taken.retracted_count += 1;
                self.take_retraction(tx, claim, known, intake)
            }
            _ => {
                intake.taken.ignored_count += 1;
                Ok(())
            }
        }
    }

    /// Whether this robot takes what is said at all.
    fn takes_what(&self, said: &Said) -> bool {
        match self.takes() {
            Takes::All | Takes::AllButPictures => true,
            Takes::LimitsAndLessons => {
                is_limit_or_lesson(Some(said.category()), said.statement.mem_type)
            }
        }
    }

    fn take_statement(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        said: &Said,
        known: Option<Hearsay>,
        intake: &mut Intake,
    ) -> Result<()> {
        let roots = &said.statement.roots;
        // What goes back to this robot's experience alone comes back as an echo.
        if roots.iter().all(|root| root.origin == self.robot_id()) {
            intake.taken.own_count += 1;
            return known.map_or(Ok(()), |it| self.take_retraction(tx, claim, Some(it), intake));
        }
        let mut hearsay = Hearsay {
            adopted_id: known.as_ref().and_then(|it| it.adopted_id),
            ..hearsay_of(claim, &said.statement, intake.now)
        };
        let before = known.as_ref().and_then(|it| it.memory_id);
        if let Some(state) = self.why_not_held(tx, &hearsay, said, known.as_ref())? {
            hearsay.state = state;
            tx.put_hearsay(&hearsay)?;
            intake.taken.forgotten_count += 1;
            return before.map_or(Ok(()), |id| self.remove_untold(tx, id, intake.now).map(drop));
        }
        let same = match said.words() {
            Some(words) => tx.same_hearsay(&words)?,
            None => unchanged(tx, before, said)?,
        };
        let memory_id = match same {
            Some(id) => id,
            None => self.insert_hearsay(tx, said, intake.now)?,
        };
        hearsay.memory_id = Some(memory_id);
        tx.put_hearsay(&hearsay)?;
        if before != Some(memory_id) {
            // It may be that of another one now that attempts here say something of.
            tx.tell_ruling_again(memory_id)?;
        }
        match known.is_some_and(|it| it.state == HearsayState::Held) {
            true => intake.taken.revised_count += 1,
            false => intake.taken.asserted_count += 1,
        }
        match before.filter(|before| *before != memory_id) {
            Some(before) => self.remove_untold(tx, before, intake.now).map(drop),
            None => Ok(()),
        }
    }

    /// Why what a robot says does not become a memory here; `None`: it does.
    fn why_not_held(
        &self,
        tx: &WriteTx<'_>,
        hearsay: &Hearsay,
        said: &Said,
        known: Option<&Hearsay>,
    ) -> Result<Option<HearsayState>> {
        if known.is_some_and(|it| it.state == HearsayState::Revoked) {
            return Ok(Some(HearsayState::Revoked));
        }
        let why = self.why_revoked(tx, hearsay, said.statement.mem_type)?;
        if why == Some(HearsayState::Revoked) {
            return Ok(why);
        }
        let is_forgotten = match known {
            Some(known) => is_gone_here(tx, known)?,
            None => false,
        };
        if why.is_some() && !is_forgotten {
            return Ok(why);
        }
        let is_forgotten = is_forgotten
            || match said.words() {
                Some(words) => tx.forgotten_hearsay(&words)?.is_some(),
                None => false,
            };
        Ok(is_forgotten.then_some(HearsayState::Forgotten))
    }

    /// Lets go of what an origin said before of something that is not taken now. Its revision stays, so that the newer one is taken
    /// when it is taken again.
    fn pass_over(&self, tx: &WriteTx<'_>, known: Hearsay, now: Stamp) -> Result<()> {
        let Some(before) = known.memory_id.filter(|_| known.state == HearsayState::Held) else {
            return Ok(());
        };
        if is_gone_here(tx, &known)? {
            return Ok(());
        }
        let (state, memory_id) = (HearsayState::Retracted, None);
        tx.put_hearsay(&Hearsay { state, memory_id, taken_at: now, ..known })?;
        self.remove_untold(tx, before, now).map(drop)
    }

    /// Notes that an origin no longer says something. Also what was never heard of is noted: an older claim of it may come
    /// later.
    pub(super) fn take_retraction(
        &self,
        tx: &WriteTx<'_>,
        claim: &Claim,
        known: Option<Hearsay>,
        intake: &Intake,
    ) -> Result<()> {
        let now = intake.now;
        let Some(known) = known else {
            return Ok(tx.put_hearsay(&retraction_of(claim, now))?);
        };
        let state = match known.state {
            HearsayState::Revoked => HearsayState::Revoked,
            _ if is_gone_here(tx, &known)? => HearsayState::Forgotten,
            _ => HearsayState::Retracted,
        };
        let (revision, told_at) = (claim.revision, told_at(claim));
        let before = known.memory_id;
        let memory_id = None;
        tx.put_hearsay(&Hearsay { revision, state, told_at, taken_at: now, memory_id, ..known })?;
        before.map_or(Ok(()), |before| self.remove_untold(tx, before, now).map(drop))
    }

    fn insert_hearsay(&self, tx: &WriteTx<'_>, said: &Said, now: Stamp) -> Result<i64> {
        let Said { statement, inferred, vector } = said;
        let picture = statement.picture.as_deref();
        let (kind, category, quantity_key, tags) = match picture {
            Some(_) => {
                (Kind::Perception, None, 0, vec![PerceptionType::Visual.as_str().to_owned()])
            }
            None => {
                let key = inferred.key().cast_signed();
                (Kind::Fact, Some(said.category()), key, inferred.tags.clone())
            }
        };
        let draft = MemoryDraft {
            collection: statement.collection.clone(),
            level: Level::Knowledge,
            scope: Scope::Fleet,
            kind,
            category,
            mem_type: statement.mem_type,
            content: inferred.content.clone(),
            content_hash: inferred.content_hash,
            word_count: inferred.word_count(),
            // Its origin may say so, but cannot have it weigh more than what is known here.
            is_real: false,
            quantity_key,
            context: statement.context.trim().to_owned(),
            perception: picture
                .map(|jpeg| (PerceptionType::Visual, data_with(jpeg), String::new())),
            session_id: String::new(),
            turn_id: String::new(),
            agent: String::new(),
            source: Source::Fleet,
            trust: Source::Fleet.trust(),
            confidence: HEARSAY_CONFIDENCE,
            decay_rate: 0.0,
            importance: HEARSAY_IMPORTANCE,
            parent_id: None,
            tags,
            scope_files: inferred.scope_files.clone(),
            scope_entities: inferred.scope_entities.clone(),
            created_at: statement.created_at.min(now),
        };
        let memory_id = self.insert(tx, draft, inferred.tokens.clone(), vector.as_ref())?.0;
        if picture.is_some() {
            tx.insert_picture(memory_id)?;
        }
        self.note_heard_lesson(tx, memory_id, &statement.context)?;
        Ok(memory_id)
    }
}

impl Said {
    /// What kind of statement it is.
    fn category(&self) -> Category {
        self.statement.category_or(self.inferred.category)
    }

    /// In what it is the same as what others say; `None`: what happened is never the same twice.
    fn words(&self) -> Option<SaidWords<'_>> {
        let has_happened =
            self.statement.mem_type == MemType::TaskLog || self.statement.picture.is_some();
        (!has_happened).then(|| SaidWords {
            content_hash: &self.inferred.content_hash,
            context: self.statement.context.trim(),
            mem_type: self.statement.mem_type,
            category: self.category(),
            collection: &self.statement.collection,
        })
    }
}

impl Taken {
    fn refuse(&mut self, claim: &Claim, fault: String) {
        self.refused.push((claim.origin.clone(), fault));
    }
}

impl Intake {
    fn new(now: Stamp) -> Self {
        Self { now, taken: Taken::default(), counts: HashMap::new() }
    }

    /// Refuses one more memory of a robot that tells too many.
    fn make_room(&mut self, tx: &WriteTx<'_>, origin: &str) -> Result<Result<(), String>> {
        let count = match self.counts.get(origin) {
            Some(count) => *count,
            None => tx.hearsay_count(origin)? + tx.ruling_count(origin)?,
        };
        if count >= HEARSAY_PER_ROBOT_MAX {
            return Ok(Err(format!(
                "at most {HEARSAY_PER_ROBOT_MAX} memories of one robot are kept, and there are {count}"
            )));
        }
        self.counts.insert(origin.to_owned(), count + 1);
        Ok(Ok(()))
    }
}

/// Why a claim may not be stored.
///
/// # Errors
/// When it is not for what the claim is: what cannot be done now is offered again.
fn refusal(error: Error) -> Result<String> {
    match error {
        Error::Api(error) if error.kind != ErrorKind::Unavailable => Ok(error.message),
        // One that meets a damaged row keeps no others from being taken.
        Error::Store(fault) if fault.is_of_row() || fault.is_of_content() => Ok(fault.to_string()),
        error => Err(error),
    }
}

/// The memory that has what its robot says of it again, as when other rules hold there.
fn unchanged(tx: &ReadTx<'_>, before: Option<i64>, said: &Said) -> Result<Option<i64>> {
    let Some(memory) = before.map(|id| tx.memory(id, true)).transpose()?.flatten() else {
        return Ok(None);
    };
    let statement = &said.statement;
    let data = statement.picture.as_deref().map(data_with).unwrap_or_default();
    let is_same = memory.status == Status::Active
        && memory.content == said.inferred.content
        && memory.context == statement.context.trim()
        && memory.collection == statement.collection
        && memory.mem_type == statement.mem_type
        && memory.data == data;
    Ok(is_same.then_some(memory.id))
}

/// Whether a memory was forgotten or deleted here.
pub(super) fn is_gone_here(tx: &ReadTx<'_>, known: &Hearsay) -> Result<bool> {
    Ok(match (known.state, known.memory_id) {
        (HearsayState::Forgotten, _) | (HearsayState::Held, None) => true,
        (HearsayState::Retracted | HearsayState::Revoked, _) => false,
        (HearsayState::Held, Some(id)) => {
            tx.memory(id, false)?.is_none_or(|memory| memory.status != Status::Active)
        }
    })
}

/// When a claim was told, as far as a clock can be believed.
pub(super) fn told_at(claim: &Claim) -> Stamp {
    Stamp(claim.stamp.0.clamp(0, i64::MAX / 2))
}

/// What is noted of a claim that says something.
pub(super) fn hearsay_of(claim: &Claim, statement: &Statement, now: Stamp) -> Hearsay {
    Hearsay {
        // By the clock of the origin, as revocations are.
        made_at: Stamp(statement.created_at.0.clamp(0, i64::MAX / 2)),
        is_summary: statement.kind == Kind::Summary,
        session_id: statement.session_id.clone(),
        stream: statement.stream.clone(),
        map_id: statement.map_id.clone(),
        roots: statement.roots.clone(),
        state: HearsayState::Held,
        ..retraction_of(claim, now)
    }
}

/// What is noted of a claim that takes back what was never heard.
fn retraction_of(claim: &Claim, now: Stamp) -> Hearsay {
    Hearsay {
        origin: claim.origin.clone(),
        origin_memory_id: claim.memory_id,
        revision: claim.revision,
        state: HearsayState::Retracted,
        memory_id: None,
        told_at: told_at(claim),
        made_at: told_at(claim),
        taken_at: now,
        session_id: String::new(),
        stream: String::new(),
        robot_type: claim.body.robot_type.clone(),
        gripper: claim.body.gripper.clone(),
        map_id: String::new(),
        roots: Vec::new(),
        is_summary: false,
        adopted_id: None,
    }
}
