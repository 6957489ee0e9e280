//! SavePerception: store something perceived. Perceptions are never deduplicated.

use super::check::{self, GivenOrigin, Origin, StoredContext};
use super::inferred::{InferredDescription, request_hash};
use super::learn::{DECAY_RATE, Key, cache_response, cached_response};
use crate::db::{Outcome, Vector, WriteTx};
use crate::{Error, Operations, Result};
use robot_memory_core::api::{
    ApiError, Operation, SavePerception, SavePerceptionRequest, SavePerceptionResponse, SaveStatus,
};
use robot_memory_core::event::Signature;
use robot_memory_core::model::{Kind, PerceptionType, Source, Stamp};
use robot_memory_core::{picture, signature};
use robot_memory_db::{MemoryDraft, ReadTx};

/// A perception that was checked, read and embedded, and is not stored yet.
pub(crate) struct CheckedPerception {
    pub(crate) request_hash: [u8; 32],
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
    has_picture: bool,
    /// When it was perceived.
    pub(crate) now: Stamp,
}

impl CheckedPerception {
    /// By what it is known to be the same.
    pub(crate) fn key(&self) -> Key<'_> {
        Key { agent: &self.origin.agent, key: &self.origin.idempotency_key }
    }
}

impl Operations {
    /// Checks all that can be checked without the store.
    pub(crate) fn check_save_perception(
        &self,
        request: SavePerceptionRequest,
    ) -> Result<CheckedPerception> {
        self.check_agent(&request.agent)?;
        self.check_perception(request, None)
    }

    /// What was answered when it was done before. Fails when it cannot be done now.
    pub(crate) fn look_up_perception(
        &self,
        tx: &ReadTx<'_>,
        checked: &CheckedPerception,
    ) -> Result<Option<SavePerceptionResponse>> {
        let CheckedPerception { origin, collection, request_hash, .. } = checked;
        let first = cached_response(tx, SavePerception::NAME, &checked.key(), request_hash)?;
        if first.is_none() {
            self.collection_of_write(tx, collection, origin)?;
        }
        Ok(first)
    }

    /// What is known of its answer before the row is stored.
    pub(crate) fn forecast_perception(
        &self,
        checked: &CheckedPerception,
    ) -> SavePerceptionResponse {
        let collection = match checked.collection.as_str() {
            "" if checked.origin.session_id.is_empty() => &self.config.default_collection,
            given => given,
        };
        SavePerceptionResponse {
            status: SaveStatus::Created,
            memory_id: 0,
            perception_type: checked.perception_type,
            collection: collection.to_owned(),
            truncated: checked.inferred.truncated,
            has_embedding: false,
        }
    }

    /// Stores many perceptions with one wait for the disk; answers each in its place. One that is refused
    /// leaves the others as they are. When the whole fails, nothing was stored.
    pub(crate) fn store_perceptions(
        &self,
        requests: Vec<SavePerceptionRequest>,
    ) -> Result<Vec<Result<SavePerceptionResponse, ApiError>>> {
        let checked: Vec<Result<CheckedPerception>> = requests
            .into_iter()
            .map(|request| {
                self.secrets().check(&request)?;
                self.check_save_perception(request)
            })
            .collect();
        self.write_each(checked, |tx, checked| self.store_perception(tx, checked))
    }

    /// Stores many things with one wait for the disk; answers each in its place. One that is refused
    /// leaves the others as they are. When the whole fails, nothing was stored.
    pub(super) fn write_each<C, T>(
        &self,
        checked: Vec<Result<C>>,
        store: impl Fn(&WriteTx<'_>, C) -> Result<Outcome<T>>,
    ) -> Result<Vec<Result<T, ApiError>>> {
        self.write(|tx| {
            let mut answers = Vec::with_capacity(checked.len());
            let mut has_changed = false;
            for checked in checked {
                let answer = checked.and_then(|checked| tx.savepoint(|| store(tx, checked)));
                let answer = match answer {
                    Ok(Outcome::Changed(answer)) => {
                        has_changed = true;
                        Ok(answer)
                    }
                    Ok(Outcome::Unchanged(answer)) => Ok(answer),
                    Err(Error::Api(refused)) => Err(refused),
                    // The store is in trouble: the others would fare no better.
                    Err(error) => return Err(error),
                };
                answers.push(answer);
            }
            Ok(Outcome::of(has_changed, answers))
        })
    }

    /// Checks what is perceived, but not whether who tells it needs a name. `felt` is the signature when
    /// it is known; `None`: that of the data.
    pub(super) fn check_perception(
        &self,
        request: SavePerceptionRequest,
        felt: Option<Signature>,
    ) -> Result<CheckedPerception> {
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
        let perception_type = check::parse_enum(
            "perception_type",
            &perception_type,
            PerceptionType::parse,
            PerceptionType::spellings,
        )?
        .unwrap_or(PerceptionType::Visual);
        let mem_type = origin.mem_type.unwrap_or(perception_type.mem_type());
        self.check_write(&origin.agent, &origin.scope, mem_type)?;
        let (data, value) = check::data(&data)?;
        let has_picture = value.as_ref().is_some_and(picture::is_in);
        let signature = felt.or_else(|| signature::of_data(perception_type, &value?));
        let metadata = check::metadata(&metadata)?;
        let stored = self.context(&context)?;
        check::collection_name(&collection)?;
        let now = self.now()?;
        let inferred = InferredDescription::read(text, &context);
        let vector = self.embed(&inferred.content);
        Ok(CheckedPerception {
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
            has_picture,
            now,
        })
    }

    pub(crate) fn store_perception(
        &self,
        tx: &WriteTx<'_>,
        checked: CheckedPerception,
    ) -> Result<Outcome<SavePerceptionResponse>> {
        let CheckedPerception {
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
            has_picture,
            now,
        } = checked;
        let (agent, key) = (origin.agent.clone(), origin.idempotency_key.clone());
        let key = Key { agent: &agent, key: &key };
        if let Some(first) = cached_response(tx, SavePerception::NAME, &key, &request_hash)? {
            return Ok(Outcome::Unchanged(first));
        }
        let collection = self.collection_of_write(tx, &collection, &origin)?;
        let context = self.in_session(tx, &origin.session_id, context)?;
        let draft = MemoryDraft {
            collection: collection.clone(),
            level: origin.level,
            scope: origin.scope,
            kind: Kind::Perception,
            category: None,
            mem_type: origin.mem_type.unwrap_or(perception_type.mem_type()),
            word_count: inferred.word_count(),
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
            self.insert(tx, draft, inferred.tokens, vector.as_ref())?;
        if let Some(signature) = &signature {
            self.put_signature(tx, memory_id, signature)?;
        }
        if has_picture {
            tx.insert_picture(memory_id)?;
        }
        let response = SavePerceptionResponse {
            status: SaveStatus::Created,
            memory_id,
            perception_type,
            collection,
            truncated: inferred.truncated,
            has_embedding,
        };
        cache_response(tx, SavePerception::NAME, &key, &request_hash, &response, now)?;
        Ok(Outcome::Changed(response))
    }
}
