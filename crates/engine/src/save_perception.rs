//! SavePerception: store something perceived. Perceptions are never deduplicated.

use super::check::{self, GivenOrigin, Origin, StoredContext};
use super::db::Outcome;
use super::inferred::{InferredDescription, request_hash};
use super::learn::{DECAY_RATE, Key, first_answer, keep_answer};
use super::queued::Waits;
use super::{Engine, Error, Result, Run, Vector};
use robot_memory_core::api::{
    ApiError, Operation, SavePerception, SavePerceptionRequest, SavePerceptionResponse, SaveStatus,
};
use robot_memory_core::event::Signature;
use robot_memory_core::limits::BATCH_MAX;
use robot_memory_core::model::{Kind, PerceptionType, Source, Stamp};
use robot_memory_core::signature;
use robot_memory_db::{Draft, ReadTx, WriteTx};
use robot_memory_index::Change;

impl Run<SavePerception> for Engine {
    fn run(&self, request: SavePerceptionRequest) -> Result<SavePerceptionResponse> {
        self.run_or_queue::<SavePerception>(request)
    }
}

impl Waits for SavePerception {
    type Checked = Checked;

    fn check(engine: &Engine, request: SavePerceptionRequest) -> Result<Checked> {
        engine.check_agent(&request.agent)?;
        engine.check_perception(request, None)
    }

    fn look(
        engine: &Engine,
        tx: &ReadTx<'_>,
        checked: &Checked,
    ) -> Result<Option<SavePerceptionResponse>> {
        let Checked { origin, collection, request_hash, .. } = checked;
        let first = first_answer(tx, SavePerception::NAME, &checked.key(), request_hash)?;
        if first.is_none() {
            let (session_id, agent) = (&origin.session_id, &origin.agent);
            let collection = engine.collection_of_write(tx, collection, session_id, agent)?;
            engine.check_parent(tx, origin, &collection)?;
        }
        Ok(first)
    }

    fn store(
        engine: &Engine,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        checked: Checked,
    ) -> Result<Outcome<SavePerceptionResponse>> {
        engine.store_perception(tx, changes, checked)
    }

    fn queued(engine: &Engine, checked: &Checked) -> SavePerceptionResponse {
        let collection = match checked.collection.as_str() {
            "" if checked.origin.session_id.is_empty() => &engine.config.default_collection,
            given => given,
        };
        SavePerceptionResponse {
            status: SaveStatus::Queued,
            memory_id: 0,
            perception_type: checked.perception_type,
            collection: collection.to_owned(),
            truncated: checked.inferred.truncated,
            has_embedding: false,
        }
    }

    fn at(checked: &mut Checked) -> &mut Stamp {
        &mut checked.now
    }

    fn key(checked: &Checked) -> Option<(Key<'_>, &[u8; 32])> {
        Some((checked.key(), &checked.request_hash))
    }
}

/// A perception that was checked, read and embedded, and is not stored yet.
pub(super) struct Checked {
    request_hash: [u8; 32],
    pub(super) origin: Origin,
    perception_type: PerceptionType,
    data: String,
    metadata: String,
    context: StoredContext,
    pub(super) collection: String,
    inferred: InferredDescription,
    vector: Option<Vector>,
    /// What it felt like.
    signature: Option<Signature>,
    /// When it was perceived.
    pub(super) now: Stamp,
}

impl Checked {
    fn key(&self) -> Key<'_> {
        Key { agent: &self.origin.agent, key: &self.origin.idempotency_key }
    }
}

impl Engine {
    /// Stores many perceptions with one wait for the disk, at most [`BATCH_MAX`]; answers each in
    /// its place. One that is refused leaves the others as they are. When the whole fails, nothing
    /// was stored. They never wait in the write queue: while others do, they are `unavailable`.
    pub fn save_perceptions(
        &self,
        requests: Vec<SavePerceptionRequest>,
    ) -> std::result::Result<Vec<std::result::Result<SavePerceptionResponse, ApiError>>, ApiError>
    {
        if requests.len() > BATCH_MAX {
            return Err(ApiError::invalid_argument(format!(
                "a batch has at most {BATCH_MAX} perceptions, got {}",
                requests.len()
            )));
        }
        if self.must_queue() {
            return Err(ApiError::unavailable(
                "the store cannot be written, or others wait to be stored; a batch does not wait",
            ));
        }
        let checked: Vec<Result<Checked>> = requests
            .into_iter()
            .map(|request| {
                self.secrets().check(&request)?;
                self.check_agent(&request.agent)?;
                self.check_perception(request, None)
            })
            .collect();
        let store = |tx: &WriteTx<'_>, changes: &mut Vec<Change>, checked| {
            self.store_perception(tx, changes, checked)
        };
        Ok(self.write_each(checked, store)?)
    }

    /// Stores many things with one wait for the disk; answers each in its place. One that is refused
    /// leaves the others as they are. When the whole fails, nothing was stored.
    pub(super) fn write_each<C, T>(
        &self,
        checked: Vec<Result<C>>,
        store: impl Fn(&WriteTx<'_>, &mut Vec<Change>, C) -> Result<Outcome<T>>,
    ) -> Result<Vec<std::result::Result<T, ApiError>>> {
        self.write(|tx, changes| {
            let mut answers = Vec::with_capacity(checked.len());
            let mut has_changed = false;
            for checked in checked {
                let count = changes.len();
                let answer =
                    checked.and_then(|checked| tx.savepoint(|tx| store(tx, changes, checked)));
                let answer = match answer {
                    Ok(Outcome::Changed(answer)) => {
                        has_changed = true;
                        Ok(answer)
                    }
                    Ok(Outcome::Unchanged(answer)) => Ok(answer),
                    Err(Error::Api(refused)) => {
                        changes.truncate(count);
                        Err(refused)
                    }
                    // The store is in trouble: the others would fare no better.
                    Err(error) => return Err(error),
                };
                answers.push(answer);
            }
            Ok(if has_changed { Outcome::Changed(answers) } else { Outcome::Unchanged(answers) })
        })
    }

    /// Checks what is perceived, but not whether who tells it needs a name. `felt` is the signature when
    /// it is known; `None`: that of the data.
    pub(super) fn check_perception(
        &self,
        request: SavePerceptionRequest,
        felt: Option<Signature>,
    ) -> Result<Checked> {
        let request_hash = request_hash(&request.idempotency_key, &request);
        let SavePerceptionRequest {
            description,
            perception_type,
            data,
            metadata,
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
        let origin = self.origin(given, Source::Sensor)?;
        let text = check::text("description", &description)?;
        check::description(text, "description")?;
        let perception_type = check::spelling(
            "perception_type",
            &perception_type,
            PerceptionType::parse,
            PerceptionType::spellings,
        )?
        .unwrap_or(PerceptionType::Visual);
        let mem_type = origin.mem_type.unwrap_or(perception_type.mem_type());
        self.check_write(&origin.agent, &origin.scope, mem_type)?;
        let (data, value) = check::data(&data)?;
        let signature = felt.or_else(|| signature::of_data(perception_type, &value?));
        let metadata = check::metadata(&metadata)?;
        let stored = self.context(&context)?;
        check::collection_name(&collection)?;
        let now = self.now()?;
        let inferred = InferredDescription::read(text, &context);
        let vector = self.embed(&inferred.content);
        Ok(Checked {
            request_hash,
            origin,
            perception_type,
            data,
            metadata,
            context: stored,
            collection,
            inferred,
            vector,
            signature,
            now,
        })
    }

    pub(super) fn store_perception(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        checked: Checked,
    ) -> Result<Outcome<SavePerceptionResponse>> {
        let Checked {
            request_hash,
            origin,
            perception_type,
            data,
            metadata,
            context,
            collection,
            inferred,
            vector,
            signature,
            now,
        } = checked;
        let (agent, key) = (origin.agent.clone(), origin.idempotency_key.clone());
        let key = Key { agent: &agent, key: &key };
        if let Some(first) = first_answer(tx, SavePerception::NAME, &key, &request_hash)? {
            return Ok(Outcome::Unchanged(first));
        }
        let collection =
            self.collection_of_write(tx, &collection, &origin.session_id, &origin.agent)?;
        self.check_parent(tx, &origin, &collection)?;
        let context = self.in_session(tx, &origin.session_id, context)?;
        let draft = Draft {
            collection: collection.clone(),
            level: origin.level,
            scope: origin.scope,
            kind: Kind::Perception,
            category: None,
            mem_type: origin.mem_type.unwrap_or(perception_type.mem_type()),
            word_count: u32::try_from(inferred.tokens.len()).unwrap_or(u32::MAX),
            content: inferred.content,
            content_hash: inferred.content_hash,
            is_real: context.is_real,
            // Perceptions are never compared.
            quantity_key: 0,
            context: context.text,
            perception: Some((perception_type, data, metadata)),
            session_id: origin.session_id,
            turn_id: origin.turn_id,
            agent: origin.agent,
            source: origin.source,
            trust: origin.trust,
            confidence: inferred.confidence,
            decay_rate: DECAY_RATE,
            importance: origin.importance,
            parent_id: origin.parent_id,
            tags: vec![perception_type.as_str().to_owned()],
            scope_files: inferred.scope_files,
            scope_entities: inferred.scope_entities,
            created_at: now,
        };
        let (memory_id, has_embedding) =
            self.insert(tx, changes, draft, inferred.tokens, vector.as_ref())?;
        if let Some(signature) = &signature {
            self.put_signature(tx, changes, memory_id, signature)?;
        }
        let response = SavePerceptionResponse {
            status: SaveStatus::Created,
            memory_id,
            perception_type,
            collection,
            truncated: inferred.truncated,
            has_embedding,
        };
        keep_answer(tx, SavePerception::NAME, &key, &request_hash, &response, now)?;
        Ok(Outcome::Changed(response))
    }
}
