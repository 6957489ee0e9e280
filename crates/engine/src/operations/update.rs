//! Update: change what an active memory says.

use super::check::{self, StoredContext};
use super::conflicts::{NewStatement, SaidAt};
use super::index_entry::index_entry;
use super::inferred::Inferred;
use super::visibility::seen_memory;
use crate::db::{Outcome, Vector, WriteTx, row_tokens, with_names};
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{UpdateRequest, UpdateResponse};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_core::model::{Kind, MemType, Memory, Scope, Source, Stamp, Status, Trust};
use robot_memory_db::{DuplicateCandidates, ReadTx, UpdatedContent};
use robot_memory_index::{is_real, parse_context};
use robot_memory_text::inference;

/// An Update that was checked, read and embedded.
pub(crate) struct CheckedUpdate {
    id: i64,
    agent: String,
    visibility: Visibility,
    text: String,
    /// `None`: the row's own stays.
    context: Option<StoredContext>,
    inferred: Inferred,
    vector: Option<Vector>,
    pub(crate) now: Stamp,
    /// Whether category, class and tags stay whatever the new words are, and are held against nothing: they
    /// are those of a template.
    keeps_class: bool,
}

impl CheckedUpdate {
    /// The same, with category, class and tags that stay.
    pub(crate) fn keeping_class(self) -> Self {
        Self { keeps_class: true, ..self }
    }

    /// What is known of its answer before the row is read.
    pub(crate) fn response_template(&self) -> UpdateResponse {
        let inferred = &self.inferred;
        UpdateResponse {
            status: String::new(),
            memory_id: self.id,
            old_content: String::new(),
            new_content: inferred.content.clone(),
            truncated: inferred.truncated,
            category: None,
            confidence: inferred.confidence,
            tags: Vec::new(),
            scope_files: inferred.scope_files.clone(),
            limits: Vec::new(),
            superseded_ids: Vec::new(),
            has_embedding: false,
        }
    }
}

impl Operations {
    /// Checks all that can be checked without the store.
    pub(crate) fn check_update(&self, request: UpdateRequest) -> Result<CheckedUpdate> {
        self.check_agent(&request.agent)?;
        self.prepare_update(request)
    }

    /// The same, whoever asks.
    pub(crate) fn prepare_update(&self, request: UpdateRequest) -> Result<CheckedUpdate> {
        let UpdateRequest { memory_id, new_content, context, scope, agent } = request;
        let id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        let text = check::text("new_content", &new_content)?;
        let given_context = check::object("context", &context, CONTEXT_BYTES_MAX)?.is_some();
        let context = if given_context { Some(self.context(&context)?) } else { None };
        let now = self.now()?;
        // Which context counts for the confidence is known once the row is read; the words and the
        // vector do not depend on it and are made before the store is held.
        let inferred = Inferred::read(text, context.as_ref().map_or("", |context| &context.text));
        let vector = self.embed(&inferred.content);
        let text = text.to_owned();
        let keeps_class = false;
        Ok(CheckedUpdate {
            id,
            agent,
            visibility,
            text,
            context,
            inferred,
            vector,
            now,
            keeps_class,
        })
    }

    /// Fails when it cannot be done now.
    pub(crate) fn look_up_update(&self, tx: &ReadTx<'_>, checked: &CheckedUpdate) -> Result<()> {
        let memory = updatable(tx, &checked.visibility, checked.id)?;
        self.check_write(&checked.agent, &memory.scope, memory.mem_type)
    }

    /// Does it.
    pub(crate) fn store_update(
        &self,
        tx: &WriteTx<'_>,
        checked: CheckedUpdate,
    ) -> Result<Outcome<UpdateResponse>> {
        let CheckedUpdate {
            id,
            agent,
            visibility,
            text,
            context,
            mut inferred,
            vector,
            now,
            keeps_class,
        } = checked;
        let text = text.as_str();
        let memory = updatable(tx, &visibility, id)?;
        self.check_write(&agent, &memory.scope, memory.mem_type)?;
        if context.is_none() {
            inferred = Inferred::read(text, &memory.context);
        }
        let context = match context {
            Some(given) => Some(self.in_session(tx, &memory.session_id, given)?),
            None => None,
        };
        let (context, is_real) = match &context {
            Some(given) => (&given.text, given.is_real),
            None => (&memory.context, is_real(&parse_context(&memory.context))),
        };
        let is_statement = memory.kind == Kind::Fact && !keeps_class;
        if is_statement {
            inferred =
                inferred.with_limits(context).map_err(|error| check::invalid(error.to_string()))?;
        }
        if memory.kind == Kind::Perception {
            check::description(text, "new_content")?;
        }
        if memory.kind == Kind::Fact
            && memory.mem_type != MemType::TaskLog
            && let [other, ..] = tx.exact_duplicates(
                &inferred.content_hash,
                &DuplicateCandidates {
                    collection: &memory.collection,
                    scope: &memory.scope,
                    mem_types: &self.comparable(&agent, &memory.scope),
                    level: memory.level,
                    session_id: &memory.session_id,
                    trust_min: Trust::Low,
                },
                id,
            )?[..]
        {
            return Err(Error::invalid_state(format!(
                "new_content: memory {other} says exactly this already; forget memory {id} \
                 instead"
            )));
        }
        let category = if is_statement { Some(inferred.category) } else { memory.category };
        // A life cycle class that came from the words follows them; a given one stays.
        let mem_type = match memory.category {
            _ if keeps_class => memory.mem_type,
            Some(before)
                if before.mem_type() == memory.mem_type
                    || inference::classify(&memory.content).mem_type == memory.mem_type =>
            {
                inferred.mem_type
            }
            _ => memory.mem_type,
        };
        if mem_type != memory.mem_type {
            self.check_write(&agent, &memory.scope, mem_type)?;
        }
        // What an agent makes of what somebody else said is not that one's word any more.
        let own = if agent.is_empty() { Source::Operator } else { Source::AgentOutput };
        let (source, trust) = if own.trust() < memory.trust {
            (own, own.trust())
        } else {
            (memory.source, memory.trust)
        };
        let quantity_key = if memory.kind == Kind::Fact { inferred.key() } else { 0 };
        let tags = if is_statement { &inferred.tags } else { &memory.tags };
        tx.insert_audit(id, "update", &agent, &memory.content, &memory.context, now)?;
        let belief = tx.update_content(
            id,
            &UpdatedContent {
                category,
                mem_type,
                source,
                trust,
                content: &inferred.content,
                content_hash: inferred.content_hash,
                word_count: inferred.word_count(),
                is_real,
                quantity_key: quantity_key.cast_signed(),
                context,
                confidence: inferred.confidence,
                tags,
                scope_files: &inferred.scope_files,
                scope_entities: &inferred.scope_entities,
                updated_at: now,
            },
        )?;
        let tokens = with_names(tx, inferred.tokens.clone(), context, &memory.session_id, tags)?;
        tx.delete_words(id)?;
        tx.insert_words(id, &tokens)?;
        let vector = self.put_vector(tx, id, vector.as_ref())?;
        let has_embedding = vector.is_some();
        let mut superseded_ids = Vec::new();
        if is_statement {
            let newer = NewStatement {
                agent: &agent,
                mem_type,
                trust,
                is_real,
                context,
                said: SaidAt::Now,
                ..NewStatement::stored(&memory, &inferred.proposition)
            };
            superseded_ids = self.resolve_conflicts(tx, &newer, now)?;
        }
        let response = UpdateResponse {
            status: "updated".into(),
            memory_id: id,
            old_content: memory.content.clone(),
            new_content: inferred.content.clone(),
            truncated: inferred.truncated,
            category,
            confidence: inferred.confidence,
            tags: tags.clone(),
            scope_files: inferred.scope_files.clone(),
            limits: inferred.limits.clone(),
            superseded_ids,
            has_embedding,
        };
        let Memory { content, context: old_context, session_id, .. } = &memory;
        let tokens_before = row_tokens(tx, content, old_context, session_id, &memory.tags)?;
        let (key, context) = (inferred.key().cast_signed(), context.clone());
        let updated = Memory { mem_type, category, trust, context, ..memory };
        tx.index(index_entry(updated, belief, key, tokens, tokens_before, vector));
        Ok(Outcome::Changed(response))
    }
}

fn updatable(tx: &ReadTx<'_>, visibility: &Visibility, id: i64) -> Result<Memory> {
    let memory = seen_memory(tx.memory(id, false)?, visibility, id)?;
    if memory.status != Status::Active {
        return Err(Error::invalid_state(format!(
            "memory_id: memory {id} is {}, only active memories can be updated",
            memory.status
        )));
    }
    if memory.scope == Scope::Fleet {
        return Err(Error::invalid_state(format!(
            "memory_id: memory {id} is what other robots told; learn it to say it yourself, or forget it"
        )));
    }
    Ok(memory)
}
