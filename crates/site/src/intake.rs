//! Decides what becomes of claims, as a robot decides it (`crates/engine/src/operations/fleet`): from what is known of all
//! memories of a part of a batch, which is read before and written after in a few statements.

use crate::error::Result;
use crate::revocation::{Revocations, Revoked};
use crate::said::Said;
use crate::store;
use crate::take::{RemovedByRevocation, Taken};
use postgres::Transaction;
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Statement};
use robot_memory_core::limits::HEARSAY_PER_ROBOT_MAX;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What holds of a memory of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The robot says it.
    Held,
    /// The robot took it back.
    Retracted,
    /// It was revoked: later claims of it are not taken.
    Revoked,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Retracted => "retracted",
            Self::Revoked => "revoked",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "held" => Self::Held,
            "revoked" => Self::Revoked,
            _ => Self::Retracted,
        }
    }
}

/// A memory of a robot, by its name and the id there.
pub(crate) type HeadKey = (String, i64);

/// The key of a statement: its time, by which it is partitioned, and its id.
pub(crate) type StatementKey = (i64, i64);

/// What was told last of a memory of a robot.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub revision: i64,
    pub state: State,
    /// In the database, before this part.
    pub statement: Option<StatementKey>,
    pub scope: String,
    pub is_own: bool,
    pub told_at: i64,
    pub made_at: i64,
    pub session_id: String,
    pub stream: String,
    pub robot_type: String,
    pub gripper: String,
    pub map_id: String,
    pub change: Option<Change>,
}

/// How a head differs from what the database has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    pub is_new: bool,
    pub was_held: bool,
    /// Which claim of the part it is: of equal statements the first is stored.
    pub at: usize,
    /// What it says now, when it is held and said it in this part.
    pub said: Option<Said>,
    pub roots: Vec<MemoryRef>,
    pub derived_from: Vec<MemoryRef>,
}

/// What a robot says of a memory of another.
#[derive(Debug, Clone)]
pub(crate) struct Judgment {
    pub memory_id: i64,
    pub revision: i64,
    pub told_at: i64,
    pub verdict: ClaimOp,
}

/// What is known and changes of the claims between two revocations.
#[derive(Default)]
pub(crate) struct Part {
    pub heads: BTreeMap<HeadKey, Head>,
    /// By the target and the robot that judges.
    pub judgments: BTreeMap<(MemoryRef, String), Judgment>,
    /// Memories whose verdicts were taken back, with the revision.
    pub unjudged: Vec<(HeadKey, i64)>,
    pub receipts: Vec<Claim>,
    /// Of each origin its claims, and its memories that are known.
    pub claim_counts: BTreeMap<String, i64>,
    pub memory_counts: HashMap<String, i64>,
    revocations: Revocations,
}

/// A transaction that takes claims.
pub(crate) struct Intake {
    site_no: i32,
    now: i64,
    taken: Taken,
}

impl Intake {
    pub fn new(site_no: i32, now: i64) -> Self {
        Self { site_no, now, taken: Taken::default() }
    }

    pub fn take(mut self, tx: &mut Transaction<'_>, claims: &[Claim]) -> Result<Taken> {
        let is_revocation = |claim: &Claim| claim.op == ClaimOp::Revoke;
        for part in claims.chunk_by(|a, b| !is_revocation(a) && !is_revocation(b)) {
            match part {
                [claim] if is_revocation(claim) => self.take_revocation(tx, claim)?,
                _ => self.take_part(tx, part)?,
            }
        }
        Ok(self.taken)
    }

    fn take_part(&mut self, tx: &mut Transaction<'_>, claims: &[Claim]) -> Result<()> {
        let mut read = Vec::with_capacity(claims.len());
        for claim in claims {
            match unstorable_name(claim) {
                Some(field) => {
                    self.refuse(claim, format!("{field}: must not contain the character NUL"))
                }
                None => read.push(claim),
            }
        }
        let mut part = self.load(tx, &read)?;
        for (at, claim) in read.into_iter().enumerate() {
            *part.claim_counts.entry(claim.origin.clone()).or_default() += 1;
            self.take_one(&mut part, claim);
            let head = part.heads.get_mut(&(claim.origin.clone(), claim.memory_id));
            if let Some(change) =
                head.and_then(|it| it.change.as_mut()).filter(|it| it.at == usize::MAX)
            {
                change.at = at;
            }
        }
        let done = store::write(tx, self.site_no, self.now, &part)?;
        self.taken.judged_count += done.judged_count;
        self.taken.receipt_count += done.receipt_count;
        let offered = (part.judgments.len() + part.receipts.len()) as u64;
        self.taken.known_count += offered.saturating_sub(done.judged_count + done.receipt_count);
        Ok(())
    }

    /// Reads what is known of all that the claims name.
    fn load(&self, tx: &mut Transaction<'_>, claims: &[&Claim]) -> Result<Part> {
        let mut keys: BTreeSet<HeadKey> = BTreeSet::new();
        let mut origins: BTreeSet<&str> = BTreeSet::new();
        for claim in claims {
            keys.insert((claim.origin.clone(), claim.memory_id));
            origins.insert(&claim.origin);
            for root in claim.statement.iter().flat_map(|it| &it.roots) {
                keys.insert((root.origin.clone(), root.memory_id));
                origins.insert(&root.origin);
            }
        }
        let origins: Vec<&str> = origins.into_iter().collect();
        Ok(Part {
            heads: store::heads(tx, self.site_no, &keys)?,
            memory_counts: store::memory_counts(tx, self.site_no, &origins)?,
            revocations: Revocations::load(tx, self.site_no, &origins)?,
            ..Part::default()
        })
    }

    fn take_one(&mut self, part: &mut Part, claim: &Claim) {
        if claim.op == ClaimOp::Receipt {
            if let Some(target) = &claim.target {
                part.revocations.answer(&claim.origin, target);
            }
            part.receipts.push(claim.clone());
            return;
        }
        let key = (claim.origin.clone(), claim.memory_id);
        let revision = revision_of(claim);
        if part.heads.get(&key).is_some_and(|known| revision <= known.revision) {
            self.taken.known_count += 1;
            return;
        }
        if let (ClaimOp::Confirm | ClaimOp::Contradict, Some(target)) = (claim.op, &claim.target) {
            self.take_judgment(part, claim, target);
            return;
        }
        if !part.heads.contains_key(&key) {
            let count = part.memory_counts.entry(claim.origin.clone()).or_default();
            if count.unsigned_abs() >= HEARSAY_PER_ROBOT_MAX {
                let fault = format!(
                    "at most {HEARSAY_PER_ROBOT_MAX} memories of one robot are kept, and there are {count}"
                );
                self.refuse(claim, fault);
                return;
            }
            *count += 1;
        }
        match (claim.op, &claim.statement) {
            (ClaimOp::Assert | ClaimOp::Revise, Some(statement)) => {
                match Said::read(claim, statement, self.now) {
                    Ok(said) => self.take_statement(part, key, claim, statement, said),
                    // What its origin said before of the same memory no longer holds.
                    Err(fault) => {
                        self.refuse(claim, fault);
                        take_retraction(part, key, claim, self.now);
                    }
                }
            }
            (ClaimOp::Retract, _) => {
                self.taken.retracted_count += 1;
                part.unjudged.push((key.clone(), revision));
                part.judgments.retain(|(_, by), it| *by != key.0 || it.memory_id != key.1);
                take_retraction(part, key, claim, self.now);
            }
            _ => self.refuse(claim, format!("op: {} without what it needs", claim.op)),
        }
    }

    fn take_judgment(&mut self, part: &mut Part, claim: &Claim, target: &MemoryRef) {
        if target.origin == claim.origin {
            self.refuse(claim, "target: a robot does not judge its own memory".to_owned());
            return;
        }
        let judgment = Judgment {
            memory_id: claim.memory_id,
            revision: revision_of(claim),
            told_at: claim.stamp.0.clamp(0, i64::MAX / 2),
            verdict: claim.op,
        };
        let head = part.heads.get(&(claim.origin.clone(), claim.memory_id));
        if part.revocations.mean_verdict(&claim.origin, &judgment, head) {
            self.taken.revoked_count += 1;
            return;
        }
        let key = (target.clone(), claim.origin.clone());
        match part.judgments.get_mut(&key) {
            Some(known) if known.revision >= judgment.revision => self.taken.known_count += 1,
            Some(known) => {
                *known = judgment;
                self.taken.known_count += 1;
            }
            None => drop(part.judgments.insert(key, judgment)),
        }
    }

    fn take_statement(
        &mut self,
        part: &mut Part,
        key: HeadKey,
        claim: &Claim,
        statement: &Statement,
        said: Said,
    ) {
        let known = part.heads.get(&key);
        let mut head = Head {
            state: State::Held,
            scope: said.scope.clone(),
            is_own: statement.roots.iter().any(|root| root.origin == claim.origin),
            // By the clock of the origin, as revocations are.
            made_at: statement.created_at.0.clamp(0, i64::MAX / 2),
            session_id: statement.session_id.clone(),
            stream: statement.stream.clone(),
            map_id: statement.map_id.clone(),
            ..head_of(claim, known, self.now)
        };
        let state_of = |root: &MemoryRef| {
            part.heads.get(&(root.origin.clone(), root.memory_id)).map(|it| &it.state)
        };
        let is_revoked = known.is_some_and(|it| it.state == State::Revoked)
            || !head.is_own && part.revocations.mean_all(&statement.roots, state_of, None);
        let revoked = is_revoked
            .then_some(State::Revoked)
            .or_else(|| part.revocations.state_of((&key.0, key.1), &head, &statement.roots));
        let was_held = known.is_some_and(|it| it.state == State::Held);
        let change = head.change.get_or_insert_default();
        change.roots = statement.roots.clone();
        if let Some(state) = revoked {
            head.state = state;
            change.said = None;
            self.taken.revoked_count += 1;
        } else {
            change.said = Some(said);
            change.derived_from = statement.derived_from.clone();
            match was_held {
                true => self.taken.revised_count += 1,
                false => self.taken.asserted_count += 1,
            }
        }
        part.heads.insert(key, head);
    }

    fn take_revocation(&mut self, tx: &mut Transaction<'_>, claim: &Claim) -> Result<()> {
        let Some(selector) = &claim.selector else {
            self.refuse(claim, "selector: is missing".to_owned());
            return Ok(());
        };
        let texts = [
            &selector.origin,
            &selector.session_id,
            &selector.stream,
            &selector.reason,
            &claim.origin,
        ];
        if texts.into_iter().any(|text| text.contains('\0')) {
            self.refuse(claim, "selector: must not contain the character NUL".to_owned());
            return Ok(());
        }
        if store::is_revocation_known(tx, self.site_no, claim)? {
            self.taken.known_count += 1;
            return Ok(());
        }
        let revoked = Revoked::of(claim, selector);
        let origins = store::origins_resting_on(tx, self.site_no, &revoked.origin)?;
        let origins: Vec<&str> = origins.iter().map(String::as_str).collect();
        let before = Revocations::load(tx, self.site_no, &origins)?;
        let deleted_count = store::delete_revoked(tx, self.site_no, &revoked, &before)?;
        store::insert_revocation(tx, self.site_no, claim, selector, self.now, deleted_count)?;
        self.taken.removed.push(RemovedByRevocation {
            revoked_by: claim.origin.clone(),
            revocation_no: claim.memory_id,
            origin: selector.origin.clone(),
            deleted_count: deleted_count.unsigned_abs(),
        });
        Ok(())
    }

    fn refuse(&mut self, claim: &Claim, fault: String) {
        self.taken.refused.push((claim.origin.clone(), fault));
    }
}

/// Notes that an origin no longer says something. Also what was never heard of is noted: an older claim of it may come later.
fn take_retraction(part: &mut Part, key: HeadKey, claim: &Claim, now: i64) {
    let known = part.heads.get(&key);
    let mut head = head_of(claim, known, now);
    if let Some(known) = known {
        head = Head {
            state: known.state,
            made_at: known.made_at,
            session_id: known.session_id.clone(),
            stream: known.stream.clone(),
            robot_type: known.robot_type.clone(),
            gripper: known.gripper.clone(),
            map_id: known.map_id.clone(),
            ..head
        };
    }
    if head.state != State::Revoked {
        head.state = State::Retracted;
    }
    head.change.get_or_insert_default().said = None;
    part.heads.insert(key, head);
}

/// What is noted of a claim that takes back what was never heard, over what the database has.
fn head_of(claim: &Claim, known: Option<&Head>, now: i64) -> Head {
    let told_at = claim.stamp.0.clamp(0, i64::MAX / 2);
    let before = known.and_then(|it| it.change.clone());
    let is_new = before.as_ref().map_or(known.is_none(), |it| it.is_new);
    let was_held = before.map_or(known.is_some_and(|it| it.state == State::Held), |it| it.was_held);
    Head {
        revision: revision_of(claim),
        state: State::Retracted,
        statement: known.and_then(|it| it.statement),
        scope: known.map_or(String::new(), |it| it.scope.clone()),
        is_own: false,
        told_at,
        made_at: told_at.min(now),
        session_id: String::new(),
        stream: String::new(),
        robot_type: claim.body.robot_type.clone(),
        gripper: claim.body.gripper.clone(),
        map_id: String::new(),
        change: Some(Change { is_new, was_held, at: usize::MAX, ..Change::default() }),
    }
}

fn revision_of(claim: &Claim) -> i64 {
    i64::try_from(claim.revision).unwrap_or(i64::MAX)
}

/// A name in a claim that the database cannot store. Names of verified claims have no control characters.
fn unstorable_name(claim: &Claim) -> Option<&'static str> {
    let has = |refs: &[MemoryRef]| refs.iter().any(|it| it.origin.contains('\0'));
    let statement = claim.statement.as_ref();
    if claim.origin.contains('\0') {
        Some("origin")
    } else if claim.target.as_ref().is_some_and(|it| it.origin.contains('\0')) {
        Some("target")
    } else if statement.is_some_and(|it| has(&it.roots)) {
        Some("roots")
    } else if statement.is_some_and(|it| has(&it.derived_from)) {
        Some("derived_from")
    } else {
        claim.body.robot_type.contains('\0').then_some("robot_type").or(claim
            .body
            .gripper
            .contains('\0')
            .then_some("gripper"))
    }
}
