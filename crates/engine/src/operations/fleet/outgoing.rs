//! What this robot tells: the claims of memories that changed since others were told of them.

use crate::db::Outcome;
use crate::{Error, Operations, Result};
use robot_memory_core::api::{ApiError, FieldText};
use robot_memory_core::claim::{Claim, ClaimOp, ClaimVector, MemoryRef, Statement};
use robot_memory_core::limits::{
    CLAIM_PICTURE_BYTES_MAX, CLAIM_REFS_MAX, FLEET_BATCH_MAX, NAME_BYTES_MAX,
};
use robot_memory_core::model::{Kind, Memory, Scope, Source, Stamp, Status};
use robot_memory_core::picture;
use robot_memory_db::{Hearsay, ReadTx, Telling, WaitingClaim};
use robot_memory_index::parse_context;
use serde_json::Value;
use std::sync::Once;

/// A claim that the fleet's stream has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptClaim {
    /// Of a memory.
    Memory {
        /// Which.
        memory_id: i64,
        /// What was told of it.
        revision: u64,
    },
    /// Of what was done for a revocation.
    Receipt {
        /// Its number.
        id: i64,
    },
}

/// Claims of this robot's own memories, and what of a page of memories is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OwnClaims {
    /// In order of id.
    pub claims: Vec<Claim>,
    /// The last memory of the page; `None`: there was none.
    pub last_id: Option<i64>,
    /// Memories of scopes that never leave a robot.
    pub other_scope_count: u64,
    /// What other robots told.
    pub hearsay_count: u64,
    /// Memories with what is never stored.
    pub secret_count: u64,
}

impl KeptClaim {
    /// What is to be noted when a claim of this robot is kept.
    pub fn of(claim: &Claim) -> Self {
        match claim.op {
            ClaimOp::Receipt => Self::Receipt { id: claim.memory_id },
            _ => Self::Memory { memory_id: claim.memory_id, revision: claim.revision },
        }
    }
}

impl Operations {
    /// Receipts, then claims of memories that changed since the fleet was told of them, at most `n` of them, and notes that they are about to
    /// be told. The same are returned again until [`claims_told`](Self::claims_told) says that they were. None when this
    /// robot is in no fleet.
    ///
    /// # Errors
    /// When the store cannot be read or written, or the time is not known.
    pub fn claims_to_tell(&self, n: usize) -> Result<Vec<Claim>, ApiError> {
        let n = n.min(FLEET_BATCH_MAX);
        let told = || -> Result<Vec<Claim>> {
            if self.config.fleet.is_none() {
                return Ok(Vec::new());
            }
            let receipts = self.receipts_to_tell(n)?;
            if receipts.is_empty() { self.waiting_claims(n) } else { Ok(receipts) }
        };
        Ok(told()?)
    }

    /// Notes that these claims are kept by the fleet's stream.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn claims_told(&self, told: &[KeptClaim]) -> Result<(), ApiError> {
        let written = self.write(|tx| {
            for claim in told {
                match *claim {
                    KeptClaim::Memory { memory_id, revision } => {
                        tx.put_told(memory_id, revision)?
                    }
                    KeptClaim::Receipt { id } => tx.put_receipt_told(id)?,
                }
            }
            Ok(Outcome::of(!told.is_empty(), ()))
        });
        Ok(written?)
    }

    /// Claims of the active memories after this id that are this robot's own, of at most `n` memories, whatever the access
    /// policy shares: for a new body of the same robot. Nothing is noted as told.
    ///
    /// # Errors
    /// When the store cannot be read, the time is not known, or this robot has no name.
    pub fn own_claims(&self, after: i64, n: usize) -> Result<OwnClaims, ApiError> {
        Ok(self.compose_own(after, n.min(FLEET_BATCH_MAX))?)
    }

    fn compose_own(&self, after: i64, n: usize) -> Result<OwnClaims> {
        if self.robot_id().is_empty() {
            return Err(Error::invalid_state("robot_id: must be given: claims say whose they are"));
        }
        let now = self.now()?;
        self.store.read(|tx| {
            let mut page = OwnClaims::default();
            for id in tx.active_ids_after(after, n)? {
                page.last_id = Some(id);
                let Some(memory) = tx.memory(id, false)? else { continue };
                if memory.source == Source::Fleet {
                    page.hearsay_count += 1;
                } else if !matches!(memory.scope, Scope::Global | Scope::Group(_)) {
                    page.other_scope_count += 1;
                } else if !self.may_leave(&memory) {
                    page.secret_count += 1;
                } else {
                    let revision = tx.claim_revision(id)?.map_or(1, i64::unsigned_abs);
                    let statement = Some(self.statement(tx, memory, true)?);
                    page.claims.push(self.claim(id, revision, ClaimOp::Assert, now, statement));
                }
            }
            Ok(page)
        })
    }

    fn waiting_claims(&self, n: usize) -> Result<Vec<Claim>> {
        let now = self.now()?;
        loop {
            let composed = self.store.read(|tx| {
                let waiting = tx.waiting_claims(n)?.into_iter();
                waiting.map(|it| self.composed(tx, it, now)).collect::<Result<Vec<_>>>()
            })?;
            if composed.is_empty() {
                return Ok(Vec::new());
            }
            self.write(|tx| {
                for (waiting, claim) in &composed {
                    let telling = match claim.as_ref().map(|claim| claim.op) {
                        None => Telling::Nothing,
                        Some(ClaimOp::Retract) => Telling::Retraction,
                        Some(_) => Telling::Statement,
                    };
                    tx.put_telling(waiting, telling)?;
                }
                Ok(Outcome::Changed(()))
            })?;
            let claims: Vec<Claim> = composed.into_iter().filter_map(|(_, claim)| claim).collect();
            if !claims.is_empty() {
                return Ok(claims);
            }
        }
    }

    /// The same, and nothing of a row that cannot be read: it keeps no others from being told.
    fn composed(
        &self,
        tx: &ReadTx<'_>,
        waiting: WaitingClaim,
        now: Stamp,
    ) -> Result<(WaitingClaim, Option<Claim>)> {
        match self.compose(tx, waiting.clone(), now) {
            Err(Error::Store(fault)) if fault.is_of_row() => {
                log::error!("memory {} is not told to the fleet: {fault}", waiting.memory_id);
                Ok((waiting, None))
            }
            composed => composed,
        }
    }

    /// What is to be told of a memory; `None`: nothing.
    fn compose(
        &self,
        tx: &ReadTx<'_>,
        waiting: WaitingClaim,
        now: Stamp,
    ) -> Result<(WaitingClaim, Option<Claim>)> {
        let memory = tx.memory(waiting.memory_id, false)?;
        if let Some(heard) = memory.as_ref().filter(|it| it.source == Source::Fleet) {
            let ruling = self.own_ruling_to_tell(tx, heard)?;
            return Ok(self.compose_ruling(waiting, ruling, now));
        }
        let memory = memory.filter(|it| self.is_shared(it));
        let op = match (&memory, waiting.is_told) {
            (None, false) => return Ok((waiting, None)),
            (None, true) => ClaimOp::Retract,
            (Some(_), false) => ClaimOp::Assert,
            (Some(_), true) => ClaimOp::Revise,
        };
        let statement = memory.map(|memory| {
            let has_picture = self.access.sharing.shares_picture(&memory);
            self.statement(tx, memory, has_picture)
        });
        let statement = statement.transpose()?;
        let claim = self.claim(waiting.memory_id, waiting.revision, op, now, statement);
        Ok((waiting, Some(claim)))
    }

    /// The same of what attempts here say of a memory of another robot.
    fn compose_ruling(
        &self,
        waiting: WaitingClaim,
        ruling: Option<(ClaimOp, MemoryRef)>,
        now: Stamp,
    ) -> (WaitingClaim, Option<Claim>) {
        let (op, target) = match (ruling, waiting.is_told) {
            (None, false) => return (waiting, None),
            (None, true) => (ClaimOp::Retract, None),
            (Some((op, target)), _) => (op, Some(target)),
        };
        let claim = self.claim(waiting.memory_id, waiting.revision, op, now, None);
        (waiting, Some(Claim { target, ..claim }))
    }

    /// Whether others are told a memory: by the access policy, while it holds, and unless it holds what is never stored.
    fn is_shared(&self, memory: &Memory) -> bool {
        memory.status == Status::Active
            && self.access.sharing.shares(memory)
            && self.may_leave(memory)
    }

    /// Whether a memory has nothing that is never stored.
    fn may_leave(&self, memory: &Memory) -> bool {
        let secrets = self.secrets();
        let may_leave = |field, given| secrets.check_given(field, given).is_ok();
        may_leave("content", FieldText::Text(&memory.content))
            && may_leave("context", FieldText::Json(&memory.context))
            && may_leave("collection", FieldText::Text(&memory.collection))
            && may_leave("session_id", FieldText::Text(&memory.session_id))
    }

    /// What a memory says, and what it saw if that is to be told.
    fn statement(&self, tx: &ReadTx<'_>, memory: Memory, has_picture: bool) -> Result<Statement> {
        let picture = if has_picture { picture(tx, &memory)? } else { None };
        let (roots, derived_from) = self.rests_on(tx, &memory)?;
        let vector = match self.model() {
            Some(model) => tx.vector_of(memory.id, &model, |bytes| {
                ClaimVector::of(&model, &components(bytes))
            })?,
            None => None,
        };
        let vector = vector.filter(|it| it.components().is_some());
        let context = parse_context(&memory.context);
        let place = |key: &str| {
            let of = context.get("spatial").and_then(|spatial| spatial.get(key));
            of.and_then(Value::as_str).filter(|name| is_name(name)).unwrap_or_default().to_owned()
        };
        let stream = tx.event_origin(memory.id)?.map(|origin| origin.stream);
        Ok(Statement {
            scope: memory.scope.to_string(),
            map_id: place("map_id"),
            frame: place("frame"),
            collection: memory.collection,
            kind: memory.kind,
            mem_type: memory.mem_type,
            category: memory.category,
            trust: memory.trust,
            confidence: memory.confidence,
            created_at: memory.created_at,
            session_id: memory.session_id,
            stream: stream.unwrap_or_default(),
            content: memory.content,
            context: memory.context,
            roots,
            derived_from,
            vector,
            picture,
        })
    }

    /// What a memory goes back to in the end, and what it was derived from: itself and nothing, unless it was made of others
    /// or adopted from other robots.
    fn rests_on(
        &self,
        tx: &ReadTx<'_>,
        memory: &Memory,
    ) -> Result<(Vec<MemoryRef>, Vec<MemoryRef>)> {
        let own = |memory_id| MemoryRef { origin: self.robot_id().to_owned(), memory_id };
        let (mut roots, mut derived_from) = (Vec::new(), Vec::new());
        let mut rest_on = |told: Vec<Hearsay>| {
            for Hearsay { origin, origin_memory_id, roots: its_roots, .. } in told {
                derived_from.push(MemoryRef { origin, memory_id: origin_memory_id });
                roots.extend(its_roots);
            }
        };
        let mut sources = match memory.kind {
            Kind::Summary => tx.summary_sources(memory.id)?,
            Kind::Fact | Kind::Perception => Vec::new(),
        };
        sources.truncate(CLAIM_REFS_MAX);
        rest_on(tx.adopted_from(memory.id)?);
        let mut own_sources = Vec::new();
        for source in sources {
            let is_hearsay = tx.row_place(source)?.is_some_and(|it| it.scope == Scope::Fleet);
            let adopted = tx.adopted_from(source)?;
            match (is_hearsay, adopted.is_empty()) {
                (true, _) => rest_on(tx.tellers(source, CLAIM_REFS_MAX)?),
                (false, false) => rest_on(adopted),
                (false, true) => own_sources.push(own(source)),
            }
        }
        roots.extend(own_sources.iter().cloned());
        derived_from.extend(own_sources);
        if roots.is_empty() {
            roots.push(own(memory.id));
        }
        for refs in [&mut roots, &mut derived_from] {
            refs.sort();
            refs.dedup();
            refs.truncate(CLAIM_REFS_MAX);
        }
        Ok((roots, derived_from))
    }
}

/// The picture of a memory that a claim can have.
fn picture(tx: &ReadTx<'_>, memory: &Memory) -> Result<Option<Vec<u8>>> {
    let memory_id = memory.id;
    if memory.kind != Kind::Perception || !tx.has_picture(memory_id)? {
        return Ok(None);
    }
    let jpeg = tx.perception_data(memory_id)?.and_then(|data| picture::jpeg_of(&data));
    let Some(jpeg) = jpeg.filter(|it| picture::is_jpeg(it)) else { return Ok(None) };
    if jpeg.len() > CLAIM_PICTURE_BYTES_MAX {
        // It is composed again and again while the fleet cannot be reached.
        static FIRST: Once = Once::new();
        FIRST.call_once(|| {
            log::warn!(
                "the picture of memory {memory_id} is not told to the fleet: it has {} bytes, at most \
                 {CLAIM_PICTURE_BYTES_MAX} are; further ones are not named (thumbnail_bytes_max)",
                jpeg.len()
            );
        });
        return Ok(None);
    }
    Ok(Some(jpeg))
}

/// Whether a text of a context can be a name in a claim: the context is free, and readers refuse claims with others.
fn is_name(text: &str) -> bool {
    text.len() <= NAME_BYTES_MAX && !text.chars().any(char::is_control)
}

/// Of a vector as it is stored.
fn components(bytes: &[u8]) -> Vec<f32> {
    let (parts, _) = bytes.as_chunks::<4>();
    parts.iter().map(|part| f32::from_le_bytes(*part)).collect()
}
