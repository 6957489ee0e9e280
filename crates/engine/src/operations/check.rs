//! Checks of what comes from outside. Each error names the field, the bound and what was given.

use super::sessions::unknown_session;
use crate::{Error, Operations, Result};
use robot_memory_core::api::{ApiError, ErrorKind, FieldText, StorableTexts};
use robot_memory_core::limits::{
    CONTEXT_BYTES_MAX, DATA_BYTES_MAX, DESCRIPTION_CHARS_MIN, NAME_BYTES_MAX,
    NAMES_PER_REQUEST_MAX, PAGE_MAX, TEXT_BYTES_MAX, UTC_OFFSET_SECS_MAX,
};
use robot_memory_core::model::{
    Level, MemType, Memory, Scope, SessionStatus, Source, Status, Trust, quoted,
};
use robot_memory_db::ReadTx;
use robot_memory_index::is_real;
use serde_json::{Map, Value};

/// Where a memory belongs and who says it; the fields that Learn and SavePerception share.
pub struct Origin {
    pub session_id: String,
    pub turn_id: String,
    pub level: Level,
    pub scope: Scope,
    pub agent: String,
    pub source: Source,
    pub trust: Trust,
    pub mem_type: Option<MemType>,
    pub importance: f64,
    pub parent_id: Option<i64>,
    pub idempotency_key: String,
}

/// The fields of a request that make an [`Origin`], as they were given.
pub struct GivenOrigin {
    pub session_id: String,
    pub turn_id: String,
    pub level: String,
    pub scope: String,
    pub agent: String,
    pub source: String,
    pub trust: String,
    pub mem_type: String,
    pub importance: Option<f64>,
    pub parent_id: i64,
    pub idempotency_key: String,
}

const IMPORTANCE_DEFAULT: f64 = 0.5;

impl Operations {
    /// Checks and completes where a memory belongs; `default_source` holds for one without agent.
    pub(super) fn origin(&self, given: GivenOrigin, default_source: Source) -> Result<Origin> {
        name("session_id", &given.session_id)?;
        name("turn_id", &given.turn_id)?;
        name("idempotency_key", &given.idempotency_key)?;
        if !given.turn_id.is_empty() && given.session_id.is_empty() {
            return Err(invalid("turn_id: needs the session_id that it is a turn of"));
        }
        let level = parse_enum("level", &given.level, Level::parse, Level::spellings)?
            .unwrap_or(Level::Knowledge);
        if level == Level::Working && given.session_id.is_empty() {
            return Err(invalid("level: a working memory needs the session_id that it belongs to"));
        }
        let source = parse_enum("source", &given.source, Source::parse, Source::spellings)?
            .unwrap_or(default_source);
        let scope = self.write_scope(&given.scope)?;
        if source == Source::Fleet || scope == Scope::Fleet {
            let field = if source == Source::Fleet { "source" } else { "scope" };
            return Err(invalid(format!(
                "{field}: fleet is what other robots told, and only their claims are stored so; learn it in another \
                 scope to say it yourself"
            )));
        }
        let trust = parse_enum("trust", &given.trust, Trust::parse, Trust::spellings)?
            .unwrap_or(source.trust());
        let mem_type = parse_enum("mem_type", &given.mem_type, MemType::parse, MemType::spellings)?;
        let importance = match given.importance {
            Some(importance) => within("importance", importance, 0.0, 1.0)?,
            None => IMPORTANCE_DEFAULT,
        };
        Ok(Origin {
            session_id: given.session_id,
            turn_id: given.turn_id,
            level,
            scope,
            agent: given.agent,
            source,
            trust,
            mem_type,
            importance,
            parent_id: optional_id("parent_id", given.parent_id)?,
            idempotency_key: given.idempotency_key,
        })
    }

    /// Refuses a caller that may not have the robot's sensors recorded: what they tell is a task log
    /// in the default scope.
    ///
    /// # Errors
    /// `forbidden` by the access policy, or without the name that the configuration demands.
    pub fn admit_capture(&self, agent: &str) -> Result<(), ApiError> {
        self.check_agent(agent)?;
        Ok(self.check_write(agent, &self.own_scope(), MemType::TaskLog)?)
    }

    /// Refuses a caller without a name when the configuration demands one.
    pub(crate) fn check_agent(&self, agent: &str) -> Result<()> {
        name("agent", agent)?;
        if agent.is_empty() && self.config.require_agent {
            return Err(Error::Api(ApiError {
                kind: ErrorKind::Forbidden,
                message: "agent: must be given, the parameter require_agent is set".into(),
            }));
        }
        Ok(())
    }

    /// Refuses a parent that is not an active row which the caller sees, of the level above. A core
    /// row reaches the whole robot, so it may be of any collection; a knowledge row is of the same.
    fn check_parent(&self, tx: &ReadTx<'_>, origin: &Origin, collection: &str) -> Result<()> {
        let Some(id) = origin.parent_id else { return Ok(()) };
        let above = match origin.level {
            Level::Core => return Err(invalid("parent_id: a core memory has no parent")),
            Level::Knowledge => Level::Core,
            Level::Working => Level::Knowledge,
        };
        let visibility = self.visibility_of_one(&origin.agent, "")?;
        let is_seen = |parent: &Memory| {
            parent.status == Status::Active && visibility.sees(&parent.scope, parent.mem_type)
        };
        let Some(parent) = tx.memory(id, false)?.filter(is_seen) else {
            return Err(Error::not_found(format!("parent_id: there is no memory {id}")));
        };
        if parent.level != above {
            return Err(invalid(format!(
                "parent_id: memory {id} is {}, the parent of a {} memory is {above}",
                parent.level, origin.level
            )));
        }
        if above == Level::Knowledge && parent.collection != collection {
            return Err(invalid(format!(
                "parent_id: memory {id} is of collection {}, its child would be of {collection}",
                parent.collection
            )));
        }
        Ok(())
    }

    /// The collection that was given, or the default one.
    pub(super) fn collection(&self, collection: &str) -> Result<String> {
        collection_name(collection)?;
        Ok(if collection.is_empty() {
            self.config.default_collection.clone()
        } else {
            collection.to_owned()
        })
    }

    /// The collection of a write: the given one, the session's, or the default one. The session must be
    /// open, of that collection, and one that the caller may add to; a parent must be one that it may have.
    pub(super) fn collection_of_write(
        &self,
        tx: &ReadTx<'_>,
        given: &str,
        origin: &Origin,
    ) -> Result<String> {
        let collection =
            self.collection_by_session(tx, given, &origin.session_id, &origin.agent)?;
        self.check_parent(tx, origin, &collection)?;
        Ok(collection)
    }

    /// Of a session that the caller may not see nothing is said but that it is not there.
    fn collection_by_session(
        &self,
        tx: &ReadTx<'_>,
        given: &str,
        session_id: &str,
        agent: &str,
    ) -> Result<String> {
        if session_id.is_empty() {
            let default = self.config.default_collection.as_str();
            return Ok(if given.is_empty() { default } else { given }.to_owned());
        }
        let unknown =
            || ApiError::invalid_state(format!("session_id: there is no session {session_id}"));
        let session = tx.session(session_id)?;
        let session =
            session.filter(|it| self.may_add_to_session(it, agent)).ok_or_else(unknown)?;
        let is_open = session.status == SessionStatus::Open;
        let is_of_given = given.is_empty() || given == session.collection;
        if is_open && is_of_given {
            return Ok(session.collection);
        }
        if !self.may_see_session(&session, agent) {
            return Err(unknown().into());
        }
        if !is_open {
            return Err(Error::invalid_state(format!("session_id: {session_id} has ended")));
        }
        Err(invalid(format!(
            "session_id: {session_id} is of collection {}, not {given}",
            session.collection
        )))
    }

    /// A context to be stored: checked, and told whether it is simulated or real when it does not
    /// say and the configuration does.
    pub(super) fn context(&self, context: &str) -> Result<StoredContext> {
        let given = object("context", context, CONTEXT_BYTES_MAX)?;
        let sim_or_real = &self.config.sim_or_real;
        let mut is_changed = false;
        let mut object = given.unwrap_or_default();
        if !sim_or_real.is_empty() {
            let env = object.entry("env").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(env) = env
                && !env.contains_key("sim_or_real")
            {
                env.insert("sim_or_real".into(), sim_or_real.clone().into());
                is_changed = true;
            }
        }
        let object = Value::Object(object);
        let text = if is_changed { object.to_string() } else { context.trim().to_owned() };
        if is_changed {
            self.secrets().check_given("context", FieldText::Json(&text))?;
        }
        Ok(StoredContext { text, is_real: is_real(&object), has_default_origin: is_changed })
    }
}

/// A context as it is stored.
#[derive(Debug, Clone)]
pub struct StoredContext {
    /// JSON, or empty.
    pub text: String,
    /// Whether it says that it is data of the real robot.
    pub is_real: bool,
    /// Whether it says that, or the contrary, by the configuration only.
    pub has_default_origin: bool,
}

/// An `invalid_argument`.
pub fn invalid(message: impl Into<String>) -> Error {
    Error::Api(ApiError::invalid_argument(message))
}

/// Refuses what is longer than it may be, counted in this unit.
pub fn at_most(field: &str, most: usize, unit: &str, got: usize) -> Result<()> {
    if got > most {
        return Err(invalid(format!("{field}: at most {most} {unit}, got {got}")));
    }
    Ok(())
}

/// Refuses a request with a text that is longer than any may be, before it is read.
pub fn lengths(request: &impl StorableTexts) -> Result<(), ApiError> {
    for (field, given) in request.texts() {
        let (bytes, most) = match given {
            FieldText::Json(json) if field == "data" => (json.len(), DATA_BYTES_MAX),
            FieldText::Json(json) => (json.len(), CONTEXT_BYTES_MAX),
            FieldText::Text(text) if LONG.contains(&field) => (text.len(), TEXT_BYTES_MAX),
            FieldText::Text(text) => (text.len(), NAME_BYTES_MAX),
        };
        // Shorter ones are refused by who reads the field; a secret in them is named as such.
        if bytes > most.max(TEXT_BYTES_MAX) {
            let message = format!("{field}: at most {most} bytes, got {bytes}");
            return Err(ApiError::invalid_argument(message));
        }
    }
    Ok(())
}

/// Fields of text that are longer than a name may be.
const LONG: [&str; 10] = [
    "insight",
    "description",
    "new_content",
    "text",
    "reason",
    "path",
    "scope",
    "scope_id",
    "into",
    "streams",
];

/// A text for people: not empty, no NUL, of bounded length. Answers it without surrounding space.
pub fn text<'a>(field: &str, text: &'a str) -> Result<&'a str> {
    at_most(field, TEXT_BYTES_MAX, "bytes", text.len())?;
    if text.contains('\0') {
        return Err(invalid(format!("{field}: must not contain the character NUL")));
    }
    let text = text.trim();
    if text.is_empty() {
        return Err(invalid(format!("{field}: must not be empty")));
    }
    Ok(text)
}

/// A perception's description: long enough to be found again.
pub fn description(text: &str, field: &str) -> Result<()> {
    let chars = text.chars().count();
    if chars < DESCRIPTION_CHARS_MIN {
        return Err(invalid(format!(
            "{field}: at least {DESCRIPTION_CHARS_MIN} characters for a perception, got {chars}"
        )));
    }
    Ok(())
}

/// A name: of bounded length, without control characters. May be empty.
pub fn name(field: &str, name: &str) -> Result<()> {
    at_most(field, NAME_BYTES_MAX, "bytes", name.len())?;
    if name.chars().any(char::is_control) {
        return Err(invalid(format!("{field}: must not contain control characters")));
    }
    if name.trim() != name {
        return Err(invalid(format!(
            "{field}: must not begin or end with space, got {}",
            quoted(name)
        )));
    }
    Ok(())
}

/// The scope of an attempt of a session.
pub fn branch_scope(session_id: &str, branch_id: &str) -> Result<Scope> {
    name("branch_id", branch_id)?;
    if branch_id.is_empty() {
        return Err(invalid("branch_id: must be given"));
    }
    match Scope::parse(&format!("branch:{session_id}/{branch_id}")) {
        Ok(scope) if matches!(&scope, Scope::Branch { session, .. } if session == session_id) => {
            Ok(scope)
        }
        // No session has such an id.
        Ok(_) => Err(unknown_session(session_id)),
        Err(error) => Err(invalid(format!("branch_id: {error}"))),
    }
}

/// A collection's name.
pub fn collection_name(collection: &str) -> Result<()> {
    name("collection", collection)?;
    if collection == "*" {
        return Err(invalid("collection: * names no collection; Recall takes it in collections"));
    }
    Ok(())
}

/// A list of names, of bounded length.
pub fn names(field: &str, list: &[String]) -> Result<()> {
    at_most(field, NAMES_PER_REQUEST_MAX, "names", list.len())?;
    for each in list {
        name(field, each)?;
        if each.is_empty() {
            return Err(invalid(format!("{field}: holds an empty name")));
        }
    }
    Ok(())
}

/// One of a fixed set of words, or `None` when empty.
pub fn parse_enum<T>(
    field: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
    spellings: impl Fn() -> String,
) -> Result<Option<T>> {
    if given.is_empty() {
        return Ok(None);
    }
    match parse(given) {
        Some(value) => Ok(Some(value)),
        None => {
            Err(invalid(format!("{field}: must be one of {}; got {}", spellings(), quoted(given))))
        }
    }
}

/// A finite number between two bounds.
pub fn within(field: &str, value: f64, least: f64, most: f64) -> Result<f64> {
    if value.is_finite() && (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(invalid(format!("{field}: must be {least} to {most}, got {value}")))
    }
}

/// Checks a number of things.
pub fn count(field: &str, value: u32, least: u32, most: u32) -> Result<()> {
    if !(least..=most).contains(&value) {
        return Err(invalid(format!("{field}: must be {least} to {most}, got {value}")));
    }
    Ok(())
}

/// How far local time is ahead of UTC.
pub fn utc_offset(secs: i32) -> Result<()> {
    if secs.unsigned_abs() > UTC_OFFSET_SECS_MAX {
        return Err(invalid(format!(
            "utc_offset_secs: must be -{UTC_OFFSET_SECS_MAX} to {UTC_OFFSET_SECS_MAX}, got {secs}"
        )));
    }
    Ok(())
}

/// The id of a row.
pub fn memory_id(id: i64) -> Result<i64> {
    given_id("memory_id", id)
}

/// An id that must be given.
pub fn given_id(field: &str, id: i64) -> Result<i64> {
    if id > 0 { Ok(id) } else { Err(invalid(format!("{field}: must be greater than 0, got {id}"))) }
}

/// How many rows a page of a list has.
pub fn page_limit(limit: u32) -> Result<u32> {
    if (1..=PAGE_MAX).contains(&limit) {
        Ok(limit)
    } else {
        Err(invalid(format!("limit: must be 1 to {PAGE_MAX}, got {limit}")))
    }
}

/// The id of a row, or `None` when it is 0.
pub fn optional_id(field: &str, id: i64) -> Result<Option<i64>> {
    if id >= 0 {
        Ok((id > 0).then_some(id))
    } else {
        Err(invalid(format!("{field}: must not be negative, got {id}")))
    }
}

/// A JSON object, or `None` when the text is empty.
pub fn object(field: &str, json: &str, bytes_max: usize) -> Result<Option<Map<String, Value>>> {
    match value(field, json, bytes_max)? {
        None => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(other) => {
            let found = match other {
                Value::Null => "null",
                Value::Bool(_) => "a boolean",
                Value::Number(_) => "a number",
                Value::String(_) => "a string",
                Value::Array(_) => "an array",
                Value::Object(_) => "an object",
            };
            Err(invalid(format!("{field}: must be a JSON object, got {found}")))
        }
    }
}

/// A JSON value, or `None` when the text is empty.
pub fn value(field: &str, json: &str, bytes_max: usize) -> Result<Option<Value>> {
    at_most(field, bytes_max, "bytes", json.len())?;
    if json.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str(json) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            Err(invalid(format!("{field}: not valid JSON (NaN and Infinity are not): {error}")))
        }
    }
}

/// The data of a perception: any JSON value, as it was given and read; `None` when there is none.
pub fn data(json: &str) -> Result<(String, Option<Value>)> {
    let value = value("data", json, DATA_BYTES_MAX)?;
    Ok((json.trim().to_owned(), value))
}

/// The metadata of a perception: a JSON object, as it was given.
pub fn metadata(json: &str) -> Result<String> {
    object("metadata", json, CONTEXT_BYTES_MAX)?;
    Ok(json.trim().to_owned())
}
