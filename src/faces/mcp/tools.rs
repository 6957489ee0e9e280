//! The tools: what each is for, what it takes, and which operations it calls.

use super::calls::{Calls, Fields};
use super::views::{self, Field, LIMITS, MEMORIES, PERIOD, PLACES, view};
use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a tool answers, or why it does not, for a model to read.
pub(super) type Outcome = Result<Value, String>;

/// A tool.
pub(super) struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    pub does: Does,
    pub input: fn() -> JsonObject,
    /// What it answers; none: no schema is listed.
    pub output: &'static [Field],
    pub run: for<'a> fn(&'a Calls, Value) -> BoxFuture<'a, Outcome>,
}

/// What a tool does to the memory.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Does {
    Reads,
    Adds,
    /// Takes something back that it can bring again.
    Changes,
}

impl ToolSpec {
    /// As it is listed.
    pub fn listed(&self) -> Tool {
        let hints = ToolAnnotations::new().read_only(self.does == Does::Reads).open_world(false);
        let hints = match self.does {
            // Of two hints that would say nothing the list is free.
            Does::Reads => hints.idempotent(true),
            does => hints.destructive(does == Does::Changes),
        };
        let tool = Tool::new(self.name, self.description, Arc::new((self.input)()));
        let tool = tool.with_annotations(hints);
        match self.output {
            [] => tool,
            fields => tool.with_raw_output_schema(Arc::new(views::schema(fields))),
        }
    }

    /// Does it.
    pub async fn run(&self, calls: &Calls, arguments: JsonObject) -> Outcome {
        (self.run)(calls, Value::Object(arguments)).await
    }
}

macro_rules! tools {
    ($($name:ident $does:ident $arguments:ident -> $answer:ident $description:literal)+) => {
        /// Every tool, in the order in which they are listed.
        pub(super) const TOOLS: &[ToolSpec] = &[$(ToolSpec {
            name: stringify!($name),
            description: $description,
            does: Does::$does,
            input: schema_of::<$arguments>,
            output: views::$answer,
            run: |calls, arguments| async move {
                $name(calls, read::<$arguments>(arguments)?).await
            }.boxed(),
        }),+];
    };
}

tools! {
    begin_task Adds BeginTask -> BEGUN
        "Use when you are about to do something physical: opens an attempt and returns what is known of this task on this object (numbers that worked, failures, limits, lessons). Not for a question: recall."
    recall Reads RecallWords -> MEMORIES
        "Use when you want to know something that was learned or perceived, in words of English or Chinese. Not for where a thing is now: locate; nor for what happened when: timeline."
    locate Reads Locate -> PLACES
        "Use when you look for an object: last seen places, the best first. Not for reaching there blindly: look again before you use a coordinate."
    timeline Reads Timeline -> PERIOD
        "Use when you ask what happened in a period, in order of time: sessions, attempts, events, memories. Not for a topic: recall."
    get_memory Reads GetMemory -> STORED
        "Use when you have an id and need all of it: history, evidence, contradictions, data. Not for a search: recall."
    compare Reads Compare -> COMPARED
        "Use when a task sometimes fails: what differs between attempts that succeeded and those that failed. Not for one attempt: get_memory."
    check_action Reads CheckAction -> LIMITS
        "Use when you are about to move: whether known limits allow these parameters. An answer that is not allowed must be honoured. Not for opening an attempt: begin_task."
    learn Adds Learn -> LEARNED
        "Use when you found out something that holds beyond this moment, in one sentence. Not for the outcome of a task: end_task."
    correct Changes Correct -> CORRECTED
        "Use when a memory is wrong: give the right sentence, or only a reason to withdraw it. Not for something new: learn."
    end_task Adds EndTask -> ENDED
        "Use when a task of begin_task is over, always and however it ended: later tasks learn from the outcome. Not for what holds beyond it: learn."
    capture Adds Capture -> CAPTURED
        "Use when something notable happens now: keeps the last seconds of the sensors under your reason. Not for words: learn."
    memory_status Reads Nothing -> STATUS
        "Use when calls fail or answers surprise: the health of the memory and how much it holds. Not for what it holds: recall."
}

/// A task that begins.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BeginTask {
    /// As pick, open_drawer
    task: String,
    /// On what
    object: Option<String>,
    /// Where, by name
    place: Option<String>,
    /// Planned numbers, as {"force_n": 8}
    params: Option<Map<String, Value>>,
}

async fn begin_task(calls: &Calls, given: BeginTask) -> Outcome {
    let BeginTask { task, object, place, params } = given;
    let about = Fields::default()
        .with("task", task)
        .with_some("object", object)
        .with_some("place", place)
        .with_some("params", params);
    // Before this attempt is one of those that are known. It begins, whether or not anything is.
    let known = calls.call("brief", about.clone()).await;
    let known = known.map_or_else(|error| json!({ "error": error }), views::brief);
    let begun = calls.call("begin_attempt", about).await?;
    Ok(json!({ "task_id": begun["attempt_id"], "known": known }))
}

/// A question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecallWords {
    /// Words
    query: String,
    /// At most, 1 to 20 (5)
    n: Option<u32>,
    /// Conditions, as {"task.name": "pick"}
    filter: Option<Map<String, Value>>,
    /// Near this point, as {"field": "spatial.object_position", "target": [1, 2, 0.5], "max_distance": 0.5, "frame": "map"}
    near: Option<Map<String, Value>>,
    /// Only the n just before and after this memory
    around: Option<i64>,
    /// Least relevance, 0 to 1 (0); 0.5: none unless an answer is among them more likely than not
    min_relevance: Option<f64>,
    /// Only rank, by words (false)
    as_words: Option<bool>,
}

async fn recall(calls: &Calls, given: RecallWords) -> Outcome {
    let RecallWords { query, n, filter, near, around, min_relevance, as_words } = given;
    let n = n.unwrap_or(5).min(20);
    let request = Fields::default()
        .with("query", query)
        .with("n", if around.is_some() { 2 * n } else { n })
        .with_some("context_filter", filter)
        .with_some("spatial_sort", near)
        .with_some("around_memory_id", around)
        .with_some("before_count", around.map(|_| n))
        .with_some("after_count", around.map(|_| n))
        .with_some("min_relevance", min_relevance)
        .with_some("read_phrases", as_words.map(|as_words| !as_words));
    let mut response = calls.call("recall", request).await?;
    if response["understood"].as_str().is_some_and(|it| !it.is_empty()) {
        // It is exact: nothing is more or less likely.
        return Ok(view(&response, MEMORIES));
    }
    let memories = response.get_mut("memories").and_then(Value::as_array_mut);
    for memory in memories.into_iter().flatten().filter_map(Value::as_object_mut) {
        let why = memory.get("why").cloned().unwrap_or_default();
        let relevance = why["relevance"].as_f64().unwrap_or_default();
        memory.insert("relevance".into(), json!((relevance * 100.0).round() / 100.0));
        for told in ["told_by", "told_at", "independent_count", "transfer"] {
            memory.insert(told.into(), why[told].clone());
        }
    }
    Ok(view(&response, MEMORIES))
}

/// A thing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Locate {
    /// What, in words; empty: everything
    what: String,
    /// At most, 1 to 20 (5)
    n: Option<u32>,
}

async fn locate(calls: &Calls, given: Locate) -> Outcome {
    let request =
        Fields::default().with("what", given.what).with("n", given.n.unwrap_or(5).min(20));
    Ok(view(&calls.call("locate", request).await?, PLACES))
}

/// A period.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Timeline {
    /// From, as 2026-11-22T08:00:00Z
    since: Option<String>,
    /// Before
    until: Option<String>,
    /// Only of this session
    session_id: Option<String>,
    /// Of session, attempt, event, memory (all)
    kinds: Option<Vec<String>>,
    /// Oldest first (newest first)
    oldest_first: Option<bool>,
    /// At most, 1 to 50 (20)
    n: Option<u32>,
    /// next_cursor of the page before
    cursor: Option<String>,
}

async fn timeline(calls: &Calls, given: Timeline) -> Outcome {
    let Timeline { since, until, session_id, kinds, oldest_first, n, cursor } = given;
    let order = if oldest_first.unwrap_or(false) { "oldest" } else { "newest" };
    let request = Fields::default()
        .with_some("since", since)
        .with_some("until", until)
        .with_some("session_id", session_id)
        .with_some("kinds", kinds)
        .with("order", order)
        .with("n", n.unwrap_or(20).min(50))
        .with_some("cursor", cursor);
    Ok(view(&calls.call("timeline", request).await?, PERIOD))
}

/// A memory.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetMemory {
    /// Of another tool's answer
    id: i64,
}

async fn get_memory(calls: &Calls, given: GetMemory) -> Outcome {
    let stored = calls.call("get_memory", Fields::default().with("memory_id", given.id)).await?;
    Ok(views::whole(stored))
}

/// Attempts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Compare {
    /// As in begin_task
    task: String,
    /// Only on this
    object: Option<String>,
}

async fn compare(calls: &Calls, given: Compare) -> Outcome {
    let request =
        Fields::default().with("task", given.task).with_some("object", given.object).with("n", 5);
    Ok(views::whole(calls.call("compare", request).await?))
}

/// An action.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckAction {
    /// What is to be commanded, as {"force_n": 12.5}
    params: Map<String, Value>,
    /// As in begin_task
    task: Option<String>,
    /// With what
    object: Option<String>,
    /// Where
    place: Option<String>,
}

async fn check_action(calls: &Calls, given: CheckAction) -> Outcome {
    let CheckAction { params, task, object, place } = given;
    let request = Fields::default()
        .with("params", params)
        .with_some("task", task)
        .with_some("object", object)
        .with_some("place", place);
    Ok(view(&calls.call("check_action", request).await?, LIMITS))
}

/// A sentence.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Learn {
    /// One sentence, at most 300 characters
    statement: String,
    /// Facts about it, as {"params": {"force_n": 12}, "task": {"name": "pick"}, "object": "mug"}
    context: Option<Map<String, Value>>,
    /// fact | preference | procedure | lesson | decision | task_log; by the words when left out
    kind: Option<String>,
}

async fn learn(calls: &Calls, given: Learn) -> Outcome {
    let request = Fields::default()
        .with("insight", given.statement)
        .with("source", "agent_output")
        .with_some("context", given.context)
        .with_some("mem_type", given.kind);
    Ok(views::whole(calls.call("learn", request).await?))
}

/// A memory that is wrong.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Correct {
    /// Which
    id: i64,
    /// What is right; none: it is withdrawn
    statement: Option<String>,
    /// Why it is withdrawn
    reason: Option<String>,
}

async fn correct(calls: &Calls, given: Correct) -> Outcome {
    let about = Fields::default().with("memory_id", given.id);
    let changed = match (given.statement, given.reason) {
        (Some(statement), None) => {
            calls.call("update", about.with("new_content", statement)).await?
        }
        (None, Some(reason)) => calls.call("forget", about.with("reason", reason)).await?,
        _ => {
            return Err(
                "give either a statement that is right, or a reason why the memory is withdrawn"
                    .to_owned(),
            );
        }
    };
    Ok(views::whole(changed))
}

/// A task that ends.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndTask {
    /// Of begin_task
    task_id: i64,
    /// success | failure | cancelled | interrupted
    outcome: String,
    /// Why, in a few words, as slipped
    reason: Option<String>,
    /// What was measured, as {"force_n": 11.8}
    measured: Option<Map<String, Value>>,
    /// The numbers that were used, if others than planned
    params: Option<Map<String, Value>>,
    /// Memories that were used
    used_ids: Option<Vec<i64>>,
}

async fn end_task(calls: &Calls, given: EndTask) -> Outcome {
    let EndTask { task_id, outcome, reason, measured, params, used_ids } = given;
    let request = Fields::default()
        .with("attempt_id", task_id)
        .with("outcome", outcome)
        .with_some("reason", reason)
        .with_some("measured", measured)
        .with_some("params", params)
        .with_some("used_ids", used_ids);
    Ok(views::whole(calls.call("end_attempt", request).await?))
}

/// What happens now.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Capture {
    /// Will be searched for
    reason: String,
    /// Seconds before now, 0 to 60 (5)
    before_secs: Option<f64>,
}

async fn capture(calls: &Calls, given: Capture) -> Outcome {
    let request =
        Fields::default().with("reason", given.reason).with_some("before_secs", given.before_secs);
    Ok(views::whole(calls.call("capture", request).await?))
}

/// Nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn memory_status(calls: &Calls, _: Nothing) -> Outcome {
    Ok(views::status(calls.call("status", Fields::default()).await?))
}

/// The arguments of a tool.
pub(super) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let why = error.into_inner();
        if path == "." {
            format!("{why}; see the tool's input schema")
        } else {
            format!("{path}: {why}")
        }
    })
}

/// The JSON Schema of a tool's arguments, without what says nothing to a model.
pub(super) fn schema_of<T: JsonSchema>() -> JsonObject {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
    schema.remove("$schema");
    schema.remove("title");
    schema.remove("description");
    let Value::Object(mut schema) = schema.to_value() else { return Map::new() };
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            // Bounds are in the description, where they are bounds of the memory; null is left out.
            for said_elsewhere in ["format", "minimum", "default"] {
                property.remove(said_elsewhere);
            }
            if let Some(Value::Object(items)) = property.get_mut("items") {
                items.remove("format");
            }
            if let Some(Value::Array(types)) = property.get("type") {
                let one = types.iter().find(|one| *one != "null").cloned();
                property.insert("type".to_owned(), one.unwrap_or_default());
            }
            if property.get("additionalProperties") == Some(&Value::Bool(true)) {
                property.remove("additionalProperties");
            }
        }
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}
