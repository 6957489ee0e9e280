//! SavePerception: store something perceived. Perceptions are never deduplicated.

use super::check::{self, GivenOrigin};
use super::inferred::{Inferred, request_hash};
use super::learn::{DECAY_RATE, first_answer, keep_answer};
use super::transaction::Outcome;
use super::{Engine, Result, Run};
use crate::api::{Operation, SavePerception, SavePerceptionRequest, SavePerceptionResponse};
use crate::index::{is_real, parse_context};
use crate::limits::CONTEXT_BYTES_MAX;
use crate::model::{Kind, PerceptionType, Source};
use crate::store::Draft;

impl Run<SavePerception> for Engine {
    fn run(&self, request: SavePerceptionRequest) -> Result<SavePerceptionResponse> {
        let hash = request_hash(&request);
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
        let data = check::data(&data)?;
        let metadata = check::metadata(&metadata)?;
        check::object("context", &context, CONTEXT_BYTES_MAX)?;
        check::collection_name(&collection)?;
        let now = self.now()?;
        let inferred = Inferred::read(text, &context);
        let context = self.context(&context)?;
        let vector = self.embed(&inferred.content);

        self.write(|tx, changes| {
            if let Some(first) =
                first_answer(tx, SavePerception::NAME, &origin.idempotency_key, &hash)?
            {
                return Ok(Outcome::Unchanged(first));
            }
            let collection = check::collection_of_write(
                tx,
                &collection,
                &self.config.default_collection,
                &origin.session_id,
            )?;
            let draft = Draft {
                collection: collection.clone(),
                level: origin.level,
                scope: origin.scope,
                kind: Kind::Perception,
                category: None,
                mem_type: origin.mem_type.unwrap_or(perception_type.mem_type()),
                content: inferred.content.clone(),
                content_hash: inferred.content_hash,
                word_count: inferred.word_count(),
                is_real: is_real(&parse_context(&context)),
                quantity_key: 0,
                context,
                perception: Some((perception_type, data, metadata)),
                session_id: origin.session_id.clone(),
                turn_id: origin.turn_id.clone(),
                agent: origin.agent.clone(),
                source: origin.source,
                trust: origin.trust,
                confidence: inferred.confidence,
                decay_rate: DECAY_RATE,
                importance: origin.importance,
                tags: vec![perception_type.as_str().to_owned()],
                scope_files: inferred.scope_files.clone(),
                scope_entities: inferred.scope_entities.clone(),
                created_at: now,
            };
            let (memory_id, has_embedding) =
                self.insert(tx, changes, &draft, &inferred.tokens, vector.as_ref())?;
            let response = SavePerceptionResponse {
                memory_id,
                perception_type,
                collection,
                truncated: inferred.truncated,
                has_embedding,
            };
            let key = &origin.idempotency_key;
            keep_answer(tx, SavePerception::NAME, key, &hash, &response, now)?;
            Ok(Outcome::Changed(response))
        })
    }
}
