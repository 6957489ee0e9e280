//! Learn: store one statement, unless a row says it already, in the place of those it contradicts.

use super::check::{self, GivenOrigin, Origin, StoredContext};
use super::conflicts::{NewStatement, SaidAt};
use super::duplicates::{self, DuplicateMatch};
use super::inferred::{Inferred, limits_of_row, request_hash};
use crate::db::{Outcome, Vector, WriteTx, with_names};
use crate::{Error, Operations, Result};
use robot_memory_core::api::{
    ApiError, Learn, LearnRequest, LearnResponse, LearnStatus, Operation,
};
use robot_memory_core::model::{
    Belief, JudgedBy, Kind, MemType, PairVerdict, Source, Stamp, Status, Trust, Turn, quoted,
};
use robot_memory_db::{DuplicateCandidates, JudgedPair, MemoryDraft, ReadTx};
use robot_memory_index::{Change, Put};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Share of confidence lost per day without being recalled.
pub(super) const DECAY_RATE: f64 = 0.01;

/// A Learn that was checked, read and embedded.
pub(crate) struct CheckedLearn {
    pub(crate) request_hash: [u8; 32],
    pub(crate) statement: CheckedStatement<'static>,
}

impl CheckedLearn {
    /// By what it is known to be the same.
    pub(crate) fn key(&self) -> Key<'_> {
        let origin = &self.statement.origin;
        Key { agent: &origin.agent, key: &origin.idempotency_key }
    }

    /// What was read out of its words, as an answer of a row that is there already.
    pub(crate) fn response_template(&self) -> LearnResponse {
        self.statement.response_template()
    }
}

/// A statement that was checked, read and embedded, and is not stored yet.
pub(crate) struct CheckedStatement<'t> {
    pub(super) origin: Origin,
    /// The step in which it was said; `None`: it is said by itself.
    turn: Option<&'t Turn>,
    /// As it was given.
    pub(super) collection: String,
    context: StoredContext,
    inferred: Inferred,
    mem_type: MemType,
    vector: Option<Vector>,
    pub(crate) now: Stamp,
    /// When it was said, if that was before it came here; `None`: now.
    pub(super) said_then: Option<Stamp>,
}

impl CheckedStatement<'_> {
    /// By whose rights it is held against what is there; empty: the operator's. What was said in a step
    /// is only held against what its own branch knows, whoever may read that.
    fn by(&self) -> &str {
        if self.turn.is_some() { "" } else { &self.origin.agent }
    }

    /// What was read out of its words, as an answer of a row that is there already.
    fn response_template(&self) -> LearnResponse {
        let inferred = &self.inferred;
        LearnResponse {
            status: LearnStatus::Duplicate,
            truncated: inferred.truncated,
            memory_id: 0,
            existing_id: 0,
            method: None,
            similarity: 0.0,
            category: inferred.category,
            confidence: inferred.confidence,
            tags: inferred.tags.clone(),
            scope_files: inferred.scope_files.clone(),
            limits: inferred.limits.clone(),
            superseded_ids: Vec::new(),
            similar_to: Vec::new(),
            has_embedding: false,
        }
    }
}

impl Operations {
    /// Checks all that can be checked without the store.
    pub(crate) fn check_learn(&self, request: LearnRequest) -> Result<CheckedLearn> {
        let request_hash = request_hash(&request.idempotency_key, &request);
        self.check_agent(&request.agent)?;
        Ok(CheckedLearn { request_hash, statement: self.check_statement(request, None)? })
    }

    /// What was answered when it was done before. Fails when it cannot be done now.
    pub(crate) fn look_up_learn(
        &self,
        tx: &ReadTx<'_>,
        checked: &CheckedLearn,
    ) -> Result<Option<LearnResponse>> {
        let first = cached_response(tx, Learn::NAME, &checked.key(), &checked.request_hash)?;
        if first.is_none() {
            let CheckedStatement { collection, origin, .. } = &checked.statement;
            self.collection_of_write(tx, collection, origin)?;
        }
        Ok(first)
    }

    /// Does it, unless it was done before.
    pub(crate) fn store_learn(
        &self,
        tx: &WriteTx<'_>,
        checked: CheckedLearn,
    ) -> Result<Outcome<LearnResponse>> {
        let (key, hash) = (checked.key(), &checked.request_hash);
        if let Some(first) = cached_response(tx, Learn::NAME, &key, hash)? {
            return Ok(Outcome::Unchanged(first));
        }
        let statement = &checked.statement;
        let collection = self.collection_of_write(tx, &statement.collection, &statement.origin)?;
        let response = self.store_statement(tx, statement, &collection)?;
        let kept = cache_response(tx, Learn::NAME, &key, hash, &response, statement.now)?;
        Ok(Outcome::of(kept || !tx.changes().is_empty(), response))
    }

    /// Checks what is to be learned, but not whether who says it needs a name. What was said in a step
    /// needs no further grant: it was committed by one who may see the episode, and stays in its branch.
    pub(crate) fn check_statement<'t>(
        &self,
        request: LearnRequest,
        turn: Option<&'t Turn>,
    ) -> Result<CheckedStatement<'t>> {
        let LearnRequest {
            insight,
            context,
            collection,
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            importance,
            parent_id,
            idempotency_key,
        } = request;
        let by_operator = agent.is_empty();
        let given = GivenOrigin {
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            importance,
            parent_id,
            idempotency_key,
        };
        let default_source = if by_operator { Source::Operator } else { Source::AgentOutput };
        let origin = self.origin(given, default_source)?;
        let text = check::text("insight", &insight)?;
        let stored = self.context(&context)?;
        check::collection_name(&collection)?;
        let now = match turn {
            Some(turn) => turn.committed_at,
            None => self.now()?,
        };
        let inferred = Inferred::read(text, &context)
            .with_limits(&stored.text)
            .map_err(|error| check::invalid(error.to_string()))?
            .said_by(origin.source);
        let mem_type = origin.mem_type.unwrap_or(inferred.mem_type);
        if turn.is_none() {
            self.check_write(&origin.agent, &origin.scope, mem_type)?;
        }
        let vector = self.embed(&inferred.content);
        Ok(CheckedStatement {
            origin,
            turn,
            collection,
            context: stored,
            inferred,
            mem_type,
            vector,
            now,
            said_then: None,
        })
    }

    /// Stores a statement in this collection, unless a row says it already, in the place of those that
    /// it contradicts.
    pub(crate) fn store_statement(
        &self,
        tx: &WriteTx<'_>,
        checked: &CheckedStatement<'_>,
        collection: &str,
    ) -> Result<LearnResponse> {
        let CheckedStatement { origin, turn, context, inferred, mem_type, vector, now, .. } =
            checked;
        let (by, mem_type, now, said_then) = (checked.by(), *mem_type, *now, checked.said_then);
        let context = self.in_session(tx, &origin.session_id, context.clone())?;
        // What is believed less is found as well, and replaced rather than repeated.
        let DuplicateMatch { duplicate, weaker, similar } = if mem_type == MemType::TaskLog {
            DuplicateMatch::default()
        } else {
            let among = DuplicateCandidates {
                collection,
                scope: &origin.scope,
                mem_types: &self.comparable(by, &origin.scope),
                level: origin.level,
                session_id: &origin.session_id,
                trust_min: Trust::Low,
            };
            let derived = self.derived();
            let vector = vector.as_ref().filter(|vector| self.is_in_use(vector));
            // Of what the same step changed nothing is in the indexes yet.
            let changes = tx.changes();
            let fresh: &[Change] = if turn.is_some() { &changes } else { &[] };
            duplicates::known(tx, &among, origin.trust, |among| {
                let mut found = duplicates::find(tx, &derived, fresh, inferred, vector, among)?;
                if found.duplicate.is_none() {
                    duplicates::find_fresh(tx, fresh, inferred, vector, among, &mut found)?;
                }
                Ok(found)
            })?
        };
        let mut response = checked.response_template();
        match duplicate {
            Some(duplicate) => {
                response.existing_id = duplicate.id;
                response.method = Some(duplicate.method);
                response.similarity = duplicate.similarity;
                let existing = tx.memory(duplicate.id, false)?;
                response.limits = existing.as_ref().map(limits_of_row).unwrap_or_default();
                // Of words, what is read for another object, place or task is another bound, too.
                let is_lost =
                    |limit| !response.limits.iter().any(|it| duplicates::is_one(it, limit));
                if inferred.has_given_limits && response.limits != inferred.limits
                    || inferred.limits.iter().any(is_lost)
                {
                    let field =
                        if inferred.has_given_limits { "context.limits" } else { "context" };
                    return Err(Error::invalid_state(format!(
                        "{field}: memory {} says the same with other bounds; update that one, or \
                         say what tells the two apart",
                        duplicate.id
                    )));
                }
                // Said again, a faded memory is believed again; but not by the word of one who may
                // not write it.
                let may_write = existing
                    .as_ref()
                    .is_some_and(|it| self.check_write(by, &it.scope, it.mem_type).is_ok());
                let known = existing.map(|memory| memory.confidence).unwrap_or_default();
                response.confidence = known;
                let before = tx.belief(duplicate.id)?;
                // What was said long ago does not make it older.
                if may_write && said_then.is_none_or(|then| then >= before.fades_from) {
                    let said = before.said.max(inferred.confidence);
                    let belief = tx.say(duplicate.id, said, now)?;
                    response.confidence = belief.confidence();
                    tx.index(Change::Belief { id: duplicate.id, belief });
                }
            }
            None => {
                let draft = MemoryDraft {
                    collection: collection.to_owned(),
                    level: origin.level,
                    scope: origin.scope.clone(),
                    kind: Kind::Fact,
                    category: Some(inferred.category),
                    mem_type,
                    content: inferred.content.clone(),
                    content_hash: inferred.content_hash,
                    word_count: inferred.word_count(),
                    is_real: context.is_real,
                    quantity_key: inferred.key().cast_signed(),
                    context: context.text.clone(),
                    perception: None,
                    session_id: origin.session_id.clone(),
                    turn_id: origin.turn_id.clone(),
                    agent: origin.agent.clone(),
                    source: origin.source,
                    trust: origin.trust,
                    confidence: inferred.confidence,
                    decay_rate: DECAY_RATE,
                    importance: origin.importance,
                    parent_id: origin.parent_id,
                    tags: inferred.tags.clone(),
                    scope_files: inferred.scope_files.clone(),
                    scope_entities: inferred.scope_entities.clone(),
                    created_at: now,
                };
                let tokens = inferred.tokens.clone();
                let (id, has_embedding) = self.insert(tx, draft, tokens, vector.as_ref())?;
                let newer = NewStatement {
                    id,
                    agent: by,
                    collection,
                    scope: &origin.scope,
                    session_id: &origin.session_id,
                    level: origin.level,
                    mem_type,
                    trust: origin.trust,
                    is_real: context.is_real,
                    proposition: &inferred.proposition,
                    context: &context.text,
                    said: match (turn, said_then) {
                        (Some(turn), _) => SaidAt::In(turn),
                        (None, Some(then)) => SaidAt::Before(then),
                        (None, None) => SaidAt::Now,
                    },
                };
                response.superseded_ids = self.resolve_conflicts(tx, &newer, now)?;
                if let Some(weaker) = weaker
                    && self.replace_weaker(tx, &newer, &weaker, now)?
                {
                    response.superseded_ids.push(weaker.id);
                    response.superseded_ids.sort_unstable();
                }
                response.similar_to = note_similar(tx, id, &similar, now)?;
                response.status = LearnStatus::Created;
                response.memory_id = id;
                response.has_embedding = has_embedding;
            }
        }
        Ok(response)
    }

    /// Stores a row with its words and, when it is of the model in use, its vector, and lets the
    /// indexes follow. Answers the id and whether there is a vector.
    pub(super) fn insert(
        &self,
        tx: &WriteTx<'_>,
        draft: MemoryDraft,
        of_text: Vec<String>,
        vector: Option<&Vector>,
    ) -> Result<(i64, bool)> {
        let tokens = with_names(tx, of_text, &draft.context, &draft.session_id, &draft.tags)?;
        let id = tx.insert_memory(&draft)?;
        tx.insert_words(id, &tokens)?;
        let vector = self.put_vector(tx, id, vector)?;
        let has_embedding = vector.is_some();
        tx.index(Change::Put(Box::new(Put {
            id,
            collection: draft.collection,
            scope: draft.scope.to_string(),
            session_id: draft.session_id,
            level: draft.level,
            kind: draft.kind,
            mem_type: draft.mem_type,
            category: draft.category,
            trust: draft.trust,
            is_real: draft.is_real,
            belief: Belief::new(draft.confidence, draft.decay_rate, draft.created_at),
            created_at: draft.created_at,
            quantity_key: draft.quantity_key.cast_unsigned(),
            context: draft.context,
            word_count: draft.word_count,
            tokens,
            tokens_before: Vec::new(),
            vector,
        })));
        Ok((id, has_embedding))
    }

    /// Stores the vector of a row in place of any former one, when it is of the model in use, and
    /// answers it for the index.
    pub(super) fn put_vector(
        &self,
        tx: &WriteTx<'_>,
        id: i64,
        vector: Option<&Vector>,
    ) -> Result<Option<Vec<f32>>> {
        match vector.filter(|vector| self.is_in_use(vector)) {
            Some(vector) => {
                tx.put_vector(id, &vector.model, &vector.components)?;
                Ok(Some(vector.components.clone()))
            }
            None => {
                tx.delete_vector(id)?;
                Ok(None)
            }
        }
    }
}

/// Notes of a row that was just stored which others it is much like and yet not known to say the same as,
/// unless it took their place or they are in conflict. Answers these.
fn note_similar(tx: &WriteTx<'_>, id: i64, similar: &[i64], now: Stamp) -> Result<Vec<i64>> {
    let mut noted = Vec::with_capacity(similar.len());
    for &other in similar {
        let is_active =
            tx.memory(other, false)?.is_some_and(|memory| memory.status == Status::Active);
        if !is_active || tx.pair_verdict(id, other)?.is_some() {
            continue;
        }
        tx.put_pair(&JudgedPair {
            ids: (id, other),
            verdict: PairVerdict::Apart,
            reason: "much alike, and not known to say the same",
            judged_by: JudgedBy::Rules,
            judged_at: now,
        })?;
        noted.push(other);
    }
    noted.sort_unstable();
    Ok(noted)
}

/// An idempotency key, which each agent has for itself.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub agent: &'a str,
    /// Empty: none.
    pub key: &'a str,
}

impl Key<'_> {
    /// As it is stored; that of the operator as it was given.
    pub fn stored(self) -> String {
        // Neither holds a control character.
        match self.agent {
            "" => self.key.to_owned(),
            agent => format!("{agent}\u{1f}{}", self.key),
        }
    }
}

/// The answer that an earlier call with this key got. The same key with another request is an
/// error.
pub(super) fn cached_response<T: DeserializeOwned>(
    tx: &ReadTx<'_>,
    operation: &str,
    key: &Key<'_>,
    request_hash: &[u8; 32],
) -> Result<Option<T>> {
    if key.key.is_empty() {
        return Ok(None);
    }
    let Some((first_hash, answer)) = tx.cached_response(operation, &key.stored())? else {
        return Ok(None);
    };
    if first_hash != request_hash {
        return Err(check::invalid(format!(
            "idempotency_key: {} was used for a different request; take a new key",
            quoted(key.key)
        )));
    }
    let answer = serde_json::from_str(&answer).map_err(|error| ApiError {
        kind: robot_memory_core::api::ErrorKind::Internal,
        message: format!(
            "the kept answer of idempotency_key {:?} cannot be read: {error}",
            key.key
        ),
    })?;
    Ok(Some(answer))
}

/// Keeps an answer for a repeated call; answers whether there was a key to keep it under.
pub(super) fn cache_response(
    tx: &WriteTx<'_>,
    operation: &str,
    key: &Key<'_>,
    request_hash: &[u8; 32],
    response: &impl Serialize,
    now: Stamp,
) -> Result<bool> {
    if key.key.is_empty() {
        return Ok(false);
    }
    let json = serde_json::to_string(response).map_err(|error| ApiError {
        kind: robot_memory_core::api::ErrorKind::Internal,
        message: format!("the answer cannot be kept: {error}"),
    })?;
    tx.insert_answer(operation, &key.stored(), request_hash, &json, now)?;
    Ok(true)
}
