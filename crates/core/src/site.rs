//! What a robot asks the memory of its site, and what that answers: messages of JSON.

use crate::api::RecallRequest;
use crate::limits::{
    CONTENT_CHARS_MAX, CONTEXT_BYTES_MAX, NAME_BYTES_MAX, RECALL_N_MAX, SITE_MESSAGE_BYTES_MAX,
    SITE_TELLERS_MAX,
};
use crate::model::{Category, MemType, Scope, Stamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version that this program writes, the first field of every question and answer. Each change of their fields is
/// a new one.
pub const SITE_VERSION: &str = "memory.site.v1";

/// Characters of why there is no answer.
const FAULT_CHARS_MAX: usize = 400;

/// A recall of the memories that the fleet told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteQuestion {
    /// [`SITE_VERSION`].
    pub version: String,
    /// What is asked for, in the scope `fleet`, by an operator.
    pub request: RecallRequest,
}

/// What the site has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteAnswer {
    /// [`SITE_VERSION`].
    pub version: String,
    /// Best first, or in the order that is asked for.
    pub memories: Vec<SiteMemory>,
    /// Whether some may be missing.
    pub approximate: bool,
    /// Why there is no answer; empty: there is one.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub fault: String,
}

/// A memory that robots told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteMemory {
    /// Its text.
    pub content: String,
    /// JSON object as text, or empty.
    pub context: String,
    /// Its collection there.
    pub collection: String,
    /// Kind of statement.
    pub category: Category,
    /// Its life cycle class.
    pub mem_type: MemType,
    /// When it was stored on the robot that told it.
    #[serde(serialize_with = "crate::json::time")]
    pub created_at: Stamp,
    /// Who tells it, one at least.
    pub tellers: Vec<SiteTeller>,
    /// Cosine of the query and the memory there.
    pub similarity: Option<f64>,
    /// Share of the query's words that it has, 0 to 1.
    pub coverage: f64,
    /// As [`Why::relevance`](crate::api::Why::relevance) of the list there.
    pub relevance: f64,
}

/// A robot that tells a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteTeller {
    /// Its name.
    pub origin: String,
    /// The memory there.
    pub memory_id: i64,
    /// Which of what it told of that memory.
    pub revision: u64,
    /// When it told that, by its clock.
    #[serde(serialize_with = "crate::json::time")]
    pub told_at: Stamp,
    /// Whether it tells it of its own experience; others repeat it.
    pub is_independent: bool,
    /// Its type, or empty.
    pub robot_type: String,
    /// Its gripper, or empty.
    pub gripper: String,
    /// The map in which the place of the memory is, or empty.
    pub map_id: String,
}

impl SiteQuestion {
    /// Asks for what a robot was asked for, as far as the memories of all robots can answer it.
    pub fn of(request: &RecallRequest) -> Self {
        let request = RecallRequest {
            scope: Scope::Fleet.to_string(),
            // A name of this robot alone.
            agent: String::new(),
            // This robot reads them, with its own clock.
            read_phrases: false,
            include_site: false,
            explain: false,
            ..request.clone()
        };
        Self { version: SITE_VERSION.to_owned(), request }
    }

    /// The same, when a site is to be asked.
    pub fn wanted(request: &RecallRequest) -> Option<Self> {
        request.include_site.then(|| Self::of(request))
    }

    /// A field that is given and means something on one robot alone: a site has no sessions, places and data of robots, and
    /// what it has is not counted.
    pub fn of_one_robot(request: &RecallRequest) -> Option<&'static str> {
        let given = [
            ("session_id", !request.session_id.is_empty()),
            ("spatial_sort", request.spatial_sort.is_some()),
            ("like_memory_id", request.like_memory_id != 0),
            ("window_name", !request.window_name.is_empty()),
            ("window", !request.window.is_empty()),
            ("window_channels", request.window_channels != 0),
            ("window_rate_hz", request.window_rate_hz != 0.0),
            ("around_memory_id", request.around_memory_id != 0),
            ("anchor_filter", !request.anchor_filter.is_empty()),
            ("group_by", !request.group_by.is_empty()),
            ("nth", request.nth != 0),
            ("count_by", !request.count_by.is_empty()),
            ("include_data", request.include_data),
        ];
        given.iter().find(|(_, is_given)| *is_given).map(|(field, _)| *field)
    }

    /// As a message.
    ///
    /// # Errors
    /// When it is too long.
    pub fn message(&self) -> Result<Vec<u8>, String> {
        let text = |error: serde_json::Error| error.to_string();
        let mut request = serde_json::to_value(&self.request).map_err(text)?;
        let defaults = serde_json::to_value(RecallRequest::default()).map_err(text)?;
        // An older site can answer what asks for nothing that it does not know.
        if let Some(fields) = request.as_object_mut() {
            fields.retain(|name, value| defaults.get(name) != Some(value));
        }
        let message =
            serde_json::json!({ "version": self.version, "request": request }).to_string();
        let message = message.into_bytes();
        if message.len() <= SITE_MESSAGE_BYTES_MAX {
            return Ok(message);
        }
        let given = message.len();
        Err(format!(
            "a question to the site has at most {SITE_MESSAGE_BYTES_MAX} bytes, got {given}"
        ))
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Says what is wrong, when it is none of this version.
    pub fn read(message: &[u8]) -> Result<Self, String> {
        let message = checked(message)?;
        let known = serde_json::to_value(RecallRequest::default()).unwrap_or_default();
        let given = message["request"].as_object().into_iter().flatten();
        // What a newer robot asks for and this program does not know must not be passed over.
        if let Some((name, _)) = given.into_iter().find(|(name, _)| known.get(name).is_none()) {
            let shown: String = name.chars().take(64).collect();
            return Err(format!("request.{shown}: no such field"));
        }
        let Self { request, .. } = parsed(message)?;
        match Self::of_one_robot(&request) {
            Some(field) => Err(format!("request.{field}: is not asked of a site")),
            // Whoever asks, asks for what the fleet told.
            None => Ok(Self::of(&request)),
        }
    }
}

impl SiteAnswer {
    /// An answer.
    pub fn of(memories: Vec<SiteMemory>) -> Self {
        Self {
            version: SITE_VERSION.to_owned(),
            memories,
            approximate: false,
            fault: String::new(),
        }
    }

    /// Why there is none.
    pub fn fault(fault: String) -> Self {
        Self { fault, ..Self::of(Vec::new()) }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// Says what is wrong, when it is none of this version.
    pub fn read(message: &[u8]) -> Result<Self, String> {
        let mut answer: Self = parsed(checked(message)?)?;
        answer.fault = answer.fault.chars().take(FAULT_CHARS_MAX).collect();
        if answer.memories.len() > RECALL_N_MAX as usize {
            let given = answer.memories.len();
            return Err(format!("memories: at most {RECALL_N_MAX}, got {given}"));
        }
        for (at, memory) in answer.memories.iter().enumerate() {
            memory.check().map_err(|fault| format!("memories[{at}].{fault}"))?;
        }
        Ok(answer)
    }

    /// As a message. Of memories that make it too long the last are left out.
    pub fn message(mut self) -> Vec<u8> {
        loop {
            let message = serde_json::to_vec(&self).unwrap_or_default();
            if message.len() <= SITE_MESSAGE_BYTES_MAX || self.memories.is_empty() {
                return message;
            }
            self.memories.pop();
            self.approximate = true;
        }
    }
}

impl SiteMemory {
    /// Its bounds are those of a claim: a robot shows what it says.
    fn check(&self) -> Result<(), String> {
        let chars = self.content.chars().count();
        if !(1..=CONTENT_CHARS_MAX).contains(&chars) {
            return Err(format!(
                "content: must have 1 to {CONTENT_CHARS_MAX} characters, got {chars}"
            ));
        }
        let is_object = || serde_json::from_str::<Map<String, Value>>(&self.context).is_ok();
        if self.context.len() > CONTEXT_BYTES_MAX || !(self.context.is_empty() || is_object()) {
            return Err(format!(
                "context: must be a JSON object of at most {CONTEXT_BYTES_MAX} bytes"
            ));
        }
        let count = self.tellers.len();
        if !(1..=SITE_TELLERS_MAX).contains(&count) {
            return Err(format!("tellers: must be 1 to {SITE_TELLERS_MAX}, got {count}"));
        }
        let names = self
            .tellers
            .iter()
            .flat_map(|it| [&it.origin, &it.robot_type, &it.gripper, &it.map_id]);
        let is_name = |it: &String| it.len() <= NAME_BYTES_MAX && !it.chars().any(char::is_control);
        if !names.chain([&self.collection]).all(is_name) {
            return Err(format!(
                "names: must have at most {NAME_BYTES_MAX} bytes and no control characters"
            ));
        }
        if self.similarity.is_some_and(|it| !(-1.001..=1.001).contains(&it)) {
            return Err("similarity: must be -1 to 1".to_owned());
        }
        for (field, given) in [("coverage", self.coverage), ("relevance", self.relevance)] {
            if !(0.0..=1.0).contains(&given) {
                return Err(format!("{field}: must be 0 to 1, got {given}"));
            }
        }
        Ok(())
    }
}

/// A message of this version.
fn checked(message: &[u8]) -> Result<Value, String> {
    if message.len() > SITE_MESSAGE_BYTES_MAX {
        let given = message.len();
        return Err(format!("at most {SITE_MESSAGE_BYTES_MAX} bytes, got {given}"));
    }
    let message: Value = serde_json::from_slice(message).map_err(|error| error.to_string())?;
    match message["version"].as_str() {
        Some(SITE_VERSION) => Ok(message),
        Some(other) => {
            let shown: String = other.chars().take(64).collect();
            Err(format!("version: must be {SITE_VERSION}, got {shown:?}"))
        }
        None => Err(format!("version: must be {SITE_VERSION}")),
    }
}

fn parsed<T: DeserializeOwned>(message: Value) -> Result<T, String> {
    serde_json::from_value(message)
        .map_err(|error| error.to_string().chars().take(FAULT_CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_what_it_cannot_read() {
        let request = RecallRequest {
            query: "how hard".into(),
            scope: "dm".into(),
            include_site: true,
            ..Default::default()
        };
        let question = SiteQuestion::of(&request);
        let message = String::from_utf8(question.message().expect("it is short")).expect("UTF-8");
        assert_eq!(SiteQuestion::read(message.as_bytes()), Ok(question.clone()));
        // What nobody asks for is not sent.
        assert!(!message.contains("nth") && message.len() < 200, "{message}");
        let whole = serde_json::to_string(&question).expect("it is JSON");
        assert_eq!(SiteQuestion::read(whole.as_bytes()), Ok(question.clone()));
        assert!(question.request.scope == "fleet" && !question.request.include_site);
        let refused = |from: &str, to: &str| {
            SiteQuestion::read(whole.replacen(from, to, 1).as_bytes()).expect_err("refused")
        };
        assert_eq!(refused("\"query\"", "\"colour\""), "request.colour: no such field");
        let other = refused("memory.site.v1", "memory.site.v2");
        assert_eq!(other, "version: must be memory.site.v1, got \"memory.site.v2\"");
        assert!(refused("\"n\":5", "\"n\":\"5\"").contains("expected u32"));
        assert!(refused("\"request\"", "\"more\":1,\"request\"").contains("unknown field `more`"));
        let of_session = refused("\"session_id\":\"\"", "\"session_id\":\"s\"");
        assert_eq!(of_session, "request.session_id: is not asked of a site");
        let as_agent = whole.replacen("\"agent\":\"\"", "\"agent\":\"a\"", 1);
        assert_eq!(
            SiteQuestion::read(as_agent.as_bytes()),
            Ok(question),
            "nobody asks as somebody"
        );
    }

    #[test]
    fn an_answer_is_cut_to_what_a_message_holds() {
        let memory = SiteMemory {
            content: "x".repeat(300),
            context: format!("{{\"y\": \"{}\"}}", "y".repeat(60_000)),
            collection: "default".into(),
            category: Category::Observation,
            mem_type: MemType::Fact,
            created_at: Stamp(0),
            tellers: vec![SiteTeller {
                origin: "arm-1".into(),
                memory_id: 1,
                revision: 1,
                told_at: Stamp(0),
                is_independent: true,
                robot_type: String::new(),
                gripper: String::new(),
                map_id: String::new(),
            }],
            similarity: None,
            coverage: 0.5,
            relevance: 0.5,
        };
        let message = SiteAnswer::of(vec![memory.clone(); 100]).message();
        let read = SiteAnswer::read(&message).expect("it is one");
        assert_eq!((read.memories.len(), read.approximate), (8, true));
        let nobodys = SiteMemory { tellers: Vec::new(), ..memory.clone() };
        let refused = SiteAnswer::read(&SiteAnswer::of(vec![nobodys]).message());
        assert_eq!(refused, Err("memories[0].tellers: must be 1 to 32, got 0".to_owned()));
        let sure = SiteMemory { relevance: 1.5, ..memory };
        let refused = SiteAnswer::read(&SiteAnswer::of(vec![sure]).message());
        assert_eq!(refused, Err("memories[0].relevance: must be 0 to 1, got 1.5".to_owned()));
    }
}
