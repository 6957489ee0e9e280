//! The OpenAPI document: whole, of the tables, and true of real answers.

use crate::http::Served;
use robot_memory_core::api::{self, ErrorKind, Operation};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What the document says, and where it does not hold.
struct Document(Value);

impl Document {
    fn of(served: &Served) -> Self {
        let answer = served.get("", "/openapi.json");
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.headers.contains("content-type: application/json"), "{}", answer.headers);
        Self(answer.json())
    }

    fn schema<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(to) => self.schema(self.0.pointer(&to[1..]).unwrap_or_else(|| panic!("{to}"))),
            None => schema,
        }
    }

    /// The schema of what a path answers.
    fn answered(&self, path: &str, method: &str, status: u16) -> &Value {
        let answer = &self.0["paths"][path][method]["responses"][status.to_string()];
        let content = &self.schema(answer)["content"];
        let content = content.as_object().unwrap_or_else(|| panic!("{method} {path} {status}"));
        &content.values().next().expect("a schema")["schema"]
    }

    /// Why a value is not what a schema says; a member that it does not name is one, too.
    fn faults(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let schema = self.schema(schema);
        if let Some(forms) = schema.get("oneOf").or(schema.get("anyOf")) {
            let fits = |form: &&Value| {
                let mut faults = Vec::new();
                self.faults(form, value, at, &mut faults);
                faults.is_empty()
            };
            if !forms.as_array().unwrap().iter().any(|form| fits(&form)) {
                faults.push(format!("{at}: {value} is none of {forms}"));
            }
            return;
        }
        assert!(schema.get("allOf").is_none(), "{at}: allOf is not looked into");
        let kinds: Vec<&str> = match &schema["type"] {
            Value::Null => Vec::new(),
            Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
            kind => vec![kind.as_str().unwrap()],
        };
        let is = |kind: &str| match kind {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("{at}: the type {other}"),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
            faults.push(format!("{at}: {value} is no {kinds:?}"));
        }
        if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
            faults.push(format!("{at}: {value} is none of {}", schema["enum"]));
        }
        if schema["format"] == "date-time" && value.is_string() {
            let time = value.as_str().unwrap();
            assert!(time.contains('T') && time.ends_with('Z'), "{at}: {time}");
        }
        for (bound, is_kept) in [
            ("minimum", (|value, bound| value >= bound) as fn(f64, f64) -> bool),
            ("maximum", |value, bound| value <= bound),
        ] {
            if let (Some(bound), Some(value)) = (schema[bound].as_f64(), value.as_f64())
                && !is_kept(value, bound)
            {
                faults.push(format!("{at}: {value} is beyond {bound}"));
            }
        }
        for (number, item) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(items) = schema.get("items") {
                self.faults(items, item, &format!("{at}[{number}]"), faults);
            }
        }
        let is_described = schema.get("properties").is_some() || kinds.contains(&"object");
        for (name, member) in value.as_object().into_iter().flatten().filter(|_| is_described) {
            match (schema["properties"].get(name), schema.get("additionalProperties")) {
                (Some(property), _) => {
                    self.faults(property, member, &format!("{at}.{name}"), faults)
                }
                (None, Some(other)) if other.is_object() => {
                    self.faults(other, member, &format!("{at}.{name}"), faults);
                }
                (None, Some(Value::Bool(true))) => {}
                _ => faults.push(format!("{at}.{name}: is not described")),
            }
        }
        if let (Some(required), Some(members)) = (schema["required"].as_array(), value.as_object())
        {
            for name in required.iter().map(|name| name.as_str().unwrap()) {
                if !members.contains_key(name) {
                    faults.push(format!("{at}.{name}: is missing"));
                }
            }
        }
    }

    #[track_caller]
    fn holds(&self, schema: &Value, value: &Value) {
        let mut faults = Vec::new();
        self.faults(schema, value, "$", &mut faults);
        assert!(faults.is_empty(), "{}\n{value:#}", faults.join("\n"));
    }
}

fn each_reference<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|member| each_reference(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| each_reference(item, found)),
        _ => {}
    }
}

macro_rules! names {
    ({ $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {
        BTreeSet::from([$(stringify!($field)),+])
    };
}

/// The name of an operation, the fields of its request and what they are when they are left out.
macro_rules! requests {
    ($($queue:ident $op:ident($request:ident) -> $response:ident $(in $field:ident)?;)+) => {
        BTreeMap::from([$((
            api::$op::NAME,
            (
                robot_memory_core::$request! { names },
                serde_json::to_value(api::$request::default()).expect("it serializes"),
            ),
        )),+])
    };
}

#[test]
fn the_document_is_whole_and_names_what_there_is() {
    let served = Served::new(false, 1e4);
    let document = Document::of(&served);
    let Document(all) = &document;
    let (head, body) = served.read("HEAD", "", "/openapi.json", "");
    assert_eq!((head.status, body.len()), (200, 0));
    let (refused, _) = served.read("DELETE", "", "/openapi.json", "");
    assert_eq!(refused.status, 405);
    assert!(refused.detail().contains("GET or HEAD"));
    assert!(all["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut references = Vec::new();
    each_reference(all, &mut references);
    assert!(references.len() > 300, "{}", references.len());
    for reference in &references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference}"));
        assert!(all.pointer(pointer).is_some(), "{reference} leads to nothing");
    }
    let referred: BTreeSet<&str> = references.iter().copied().collect();
    for name in all["components"]["schemas"].as_object().unwrap().keys() {
        let reference = format!("#/components/schemas/{name}");
        // Those that are flattened into others are named by nobody.
        let is_part = ["JobProgress", "JobScope", "Memory", "Job"].contains(&name.as_str());
        assert!(is_part || referred.contains(reference.as_str()), "{name} is used by nothing");
    }
    let mut ids = BTreeSet::new();
    for (path, item) in all["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{id} is there twice");
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{method} {path}");
            let given = operation["parameters"].as_array().into_iter().flatten();
            let in_path: BTreeSet<&str> = given
                .map(|parameter| document.schema(parameter))
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            let named = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            assert_eq!(in_path, named.collect(), "{path}");
        }
    }
    for path in [
        "/api/v1/memories/{memory_id}",
        "/api/v1/keyframes/{memory_id}.jpg",
        "/api/v1/clips/{memory_id}.mcap",
        "/api/v1/sessions",
        "/api/v1/sessions/{session_id}",
        "/api/v1/jobs",
        "/api/v1/jobs/{job_id}",
        "/api/v1/timeline",
        "/api/v1/events",
        "/metrics",
        "/healthz",
    ] {
        assert!(all["paths"][path]["get"].is_object(), "{path}");
    }
    assert_eq!(all["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    let mut kinds: Vec<&str> = ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    kinds.push("unauthorized");
    let problem = &all["components"]["schemas"]["Problem"];
    assert_eq!(problem["properties"]["error_code"]["enum"], json!(kinds));
}

#[test]
fn every_operation_is_there_with_the_fields_of_its_request() {
    let served = Served::new(false, 1e4);
    let document = Document::of(&served);
    let mut described = 0;
    let requests = robot_memory_core::operations!(requests);
    for (name, (fields, defaults)) in &requests {
        let operation = &document.0["paths"][format!("/api/v1/{name}")]["post"];
        assert_eq!(operation["operationId"], *name);
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let schema = document.schema(schema);
        assert_eq!(schema["additionalProperties"], false, "{name}");
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(
            &properties.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            fields,
            "{name}"
        );
        for (field, property) in properties {
            let property = document.schema(property);
            let text = property["description"].as_str().unwrap_or_default();
            described += usize::from(!text.is_empty());
            assert!(!text.contains("[`") && !text.contains("has_"), "{name}.{field}: {text}");
            match property.get("default") {
                Some(default) => assert_eq!(default, &defaults[field], "{name}.{field}"),
                None => {
                    let nothing = [json!(""), json!([]), Value::Null];
                    assert!(nothing.contains(&defaults[field]), "{name}.{field}");
                }
            }
        }
        let has_key = fields.contains("idempotency_key");
        let key = json!({ "$ref": "#/components/parameters/IdempotencyKey" });
        let parameters = operation["parameters"].as_array();
        assert_eq!(parameters.is_some_and(|all| all.contains(&key)), has_key, "{name}");
    }
    let fields: usize = requests.values().map(|(fields, _)| fields.len()).sum();
    assert!(described * 100 > fields * 90, "{described} of {fields} fields are described");
    let post = |path: &Value| path.get("post").is_some();
    let posts = document.0["paths"].as_object().unwrap().values().filter(|path| post(path));
    assert_eq!(posts.count(), requests.len());
}

#[test]
fn what_has_closed_spellings_and_bounds_says_them() {
    let served = Served::new(false, 1e4);
    let document = Document::of(&served);
    let field = |schema: &str, field: &str| {
        document.0["components"]["schemas"][schema]["properties"][field].clone()
    };
    assert_eq!(field("RecallRequest", "order")["enum"], json!(["newest", "oldest"]));
    assert_eq!(
        field("RecallRequest", "levels")["items"]["enum"],
        json!(["core", "knowledge", "working"])
    );
    let n = field("RecallRequest", "n");
    assert_eq!([&n["default"], &n["minimum"], &n["maximum"]], [&json!(5), &json!(1), &json!(100)]);
    let confidence = field("RecallRequest", "min_confidence");
    assert_eq!((&confidence["default"], &confidence["type"]), (&json!(0.3), &json!("number")));
    assert!(field("RecallRequest", "context_filter")["anyOf"].is_array());
    assert_eq!(field("LearnRequest", "insight")["type"], "string");
    assert_eq!(
        document.0["components"]["schemas"]["LearnStatus"]["enum"],
        json!(["created", "duplicate", "queued"])
    );
    assert_eq!(field("ShownJob", "created_at")["$ref"], "#/components/schemas/Stamp");
    // Who sends what the schema forbids is told so by the node, too.
    for (request, value) in [("n", json!(101)), ("order", json!("best")), ("exact", json!("yes"))] {
        let mut faults = Vec::new();
        let given = json!({ request: value });
        document.faults(
            &document.0["components"]["schemas"]["RecallRequest"],
            &given,
            "$",
            &mut faults,
        );
        assert_eq!(faults.len(), 1, "{request}");
        let mut asked = given.clone();
        asked["query"] = json!("mug");
        assert_eq!(served.post(&served.operator, "recall", &asked).status, 400, "{request}");
    }
}

/// Calls an operation, and holds what is sent and what is answered against the document.
fn called(served: &Served, document: &Document, operation: &str, request: &Value) -> Value {
    let path = format!("/api/v1/{operation}");
    let described = &document.0["paths"][&path]["post"];
    document.holds(&described["requestBody"]["content"]["application/json"]["schema"], request);
    let answer = served.post(&served.operator, operation, request);
    document.holds(document.answered(&path, "post", answer.status), &answer.json());
    assert_eq!(answer.status, 200, "{operation}: {}", answer.body);
    answer.json()
}

fn read(served: &Served, document: &Document, path: &str, described: &str) -> Value {
    let answer = served.get(&served.operator, path);
    document.holds(document.answered(described, "get", answer.status), &answer.json());
    answer.json()
}

#[test]
fn real_answers_are_as_they_are_described() {
    let served = Served::with_jobs();
    let document = Document::of(&served);
    let call = |operation: &str, request: Value| called(&served, &document, operation, &request);
    let session = call("start_session", json!({ "context": { "shift": 2 } }));
    let session = session["session_id"].clone();
    let learned = call(
        "learn",
        json!({ "insight": "Never grip the mug above 12 N, since it breaks", "importance": 0.9,
            "context": { "object": "mug", "spatial": { "position": [1, 2] } }, "session_id": session }),
    );
    call("learn", json!({ "insight": "Never grip the mug above 12 N, since it breaks" }));
    let perceived = json!({ "description": "grasped the mug", "perception_type": "tactile",
        "data": { "series": [1, 2] }, "context": { "task": { "name": "pick" }, "object": "mug" },
        "session_id": session });
    let perceived = call("save_perception", perceived);
    for outcome in ["success", "failure"] {
        let about = json!({ "task": "pick", "object": "mug", "params": { "force_n": 8.0 } });
        let begun = call("begin_attempt", about);
        call(
            "end_attempt",
            json!({ "attempt_id": begun["attempt_id"], "outcome": outcome, "reason": "it slipped" }),
        );
    }
    let found = call(
        "recall",
        json!({ "query": "mug", "n": 10, "count_by": "day", "explain": true, "include_data": true,
            "collections": ["*"], "min_confidence": 0.0 }),
    );
    assert!(found["memories"].as_array().unwrap().len() > 2, "{found:#}");
    call(
        "recall",
        json!({ "spatial_sort": { "field": "spatial.position", "target": [0, 0], "max_distance": 9 } }),
    );
    let brief =
        call("brief", json!({ "task": "pick", "object": "mug", "params": { "force_n": 20 } }));
    assert!(!brief["similar"].as_array().unwrap().is_empty(), "{brief:#}");
    call("check_action", json!({ "params": { "force_n": 20 }, "object": "mug" }));
    call("compare", json!({ "task": "pick" }));
    call("locate", json!({ "what": "mug" }));
    for operation in ["list_levels", "list_collections", "list_scopes", "status"] {
        call(operation, json!({}));
    }
    let id = learned["memory_id"].clone();
    call("update", json!({ "memory_id": id, "new_content": "Never grip the mug above 13 N" }));
    call("get_memory", json!({ "memory_id": id, "include_embedding": true }));
    call("forget", json!({ "memory_id": id, "reason": "it was another mug" }));
    let queued = call("rebuild_scope", json!({ "scope": "global" }));
    let turn = json!({ "session_id": session, "turn_no": 1, "text": "The mug was grasped" });
    call("commit_turn", turn);
    for (path, described) in [
        (format!("/api/v1/memories/{id}"), "/api/v1/memories/{memory_id}"),
        (
            format!("/api/v1/memories/{}?include_data=true", perceived["memory_id"]),
            "/api/v1/memories/{memory_id}",
        ),
        ("/api/v1/memories/999".to_owned(), "/api/v1/memories/{memory_id}"),
        ("/api/v1/sessions?limit=1".to_owned(), "/api/v1/sessions"),
        (
            format!("/api/v1/sessions/{}", session.as_str().unwrap()),
            "/api/v1/sessions/{session_id}",
        ),
        ("/api/v1/jobs?limit=1".to_owned(), "/api/v1/jobs"),
        (format!("/api/v1/jobs/{}", queued["job_id"]), "/api/v1/jobs/{job_id}"),
        ("/api/v1/keyframes/999.jpg".to_owned(), "/api/v1/memories/{memory_id}"),
    ] {
        let answer = read(&served, &document, &path, described);
        assert!(answer.is_object(), "{path}: {answer}");
    }
    call("end_session", json!({ "session_id": session, "outcome_score": 1.0 }));
    for (operation, request) in [
        ("learn", json!({ "insight": "the password is hunter2hunter2" })),
        ("recall", json!({})),
        ("get_session", json!({ "session_id": "x" })),
    ] {
        let answer = served.post(&served.operator, operation, &request);
        assert!(answer.status >= 400, "{operation}");
        let path = format!("/api/v1/{operation}");
        document.holds(document.answered(&path, "post", answer.status), &answer.json());
    }
    let unknown = served.post("", "recall", &json!({}));
    document.holds(document.answered("/api/v1/recall", "post", 401), &unknown.json());
}
