//! The tools of other memories, called as their documents call them: `memory mcp --profile`.

use crate::http::Served;
use serde_json::{Value, json};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Looks at a job that is being done.
const LOOKS_MAX: u32 = 120;

/// `memory mcp`, as a client talks to it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    asked: u64,
    pub instructions: String,
}

impl Client {
    /// With a store of its own.
    pub fn of_store(store: &Path, profile: &str) -> Self {
        Self::start(&["--store", store.to_str().unwrap(), "--words-only"], profile)
    }

    /// Of a node.
    pub fn of_node(served: &Served, token: &str, folder: &Path, profile: &str) -> Self {
        let path = folder.join("token");
        std::fs::write(&path, token).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let url = format!("http://{}", served.address);
        Self::start(&["--url", &url, "--token-file", path.to_str().unwrap()], profile)
    }

    fn start(arguments: &[&str], profile: &str) -> Self {
        let mut child = Command::new("timeout")
            .args(["120", env!("CARGO_BIN_EXE_memory"), "mcp", "--profile", profile])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self { child, input, lines, asked: 0, instructions: String::new() };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } });
        let said = client.ask("initialize", hello);
        client.instructions = said["instructions"].as_str().unwrap().to_owned();
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let line = self.lines.next().unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    pub fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone()
    }

    /// What a tool answers: the same as JSON and as text.
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(result["isError"], false, "{name}: {result}");
        let said: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(said, result["structuredContent"], "{name}");
        said
    }

    /// What a tool answers in words.
    fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(result["isError"], false, "{name}: {result}");
        let said = result["content"][0]["text"].clone();
        assert_eq!(said, result["structuredContent"]["result"], "{name}");
        said.as_str().unwrap().to_owned()
    }

    /// Why a tool does not answer.
    fn refusal(&mut self, name: &str, arguments: Value) -> String {
        let result = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(result["isError"], true, "{name}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The error in an answer.
    pub fn error(&mut self, name: &str, arguments: Value) -> String {
        let said = self.call(name, arguments);
        assert_eq!(names(&said), ["error"], "{name}: {said}");
        said["error"].as_str().unwrap().to_owned()
    }

    pub fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// The names of the fields of an object, in order.
pub fn names(of: &Value) -> Vec<&str> {
    let object = of.as_object().unwrap_or_else(|| panic!("no object: {of}"));
    object.keys().map(String::as_str).collect()
}

/// The id that a confirmation ends with.
fn id_in(confirmation: &str) -> i64 {
    confirmation.rsplit("ID: ").next().unwrap().parse().unwrap_or_else(|_| panic!("{confirmation}"))
}

/// A tool, its fields and those that must be given, as documented.
type Documented<'t> = (&'t str, &'t [&'t str], &'t [&'t str]);

const ROBOTMEM: [Documented<'_>; 7] = [
    ("learn", &["insight", "context", "collection", "session_id"], &["insight"]),
    (
        "recall",
        &[
            "query",
            "collection",
            "n",
            "min_confidence",
            "session_id",
            "context_filter",
            "spatial_sort",
        ],
        &["query"],
    ),
    (
        "save_perception",
        &["description", "perception_type", "data", "metadata", "collection", "session_id"],
        &["description"],
    ),
    ("forget", &["memory_id", "reason"], &["memory_id", "reason"]),
    ("update", &["memory_id", "new_content", "context"], &["memory_id", "new_content"]),
    ("start_session", &["collection", "context"], &[]),
    ("end_session", &["session_id", "outcome_score"], &["session_id"]),
];

const LEVELS: [Documented<'_>; 9] = [
    ("save_core_memory", &["content", "namespace", "metadata"], &["content"]),
    ("save_knowledge_memory", &["content", "namespace", "metadata"], &["content"]),
    ("save_working_memory", &["content", "namespace", "metadata"], &["content"]),
    ("search_memory", &["query", "levels", "namespaces", "limit", "min_similarity"], &["query"]),
    ("get_memory_by_id", &["memory_id"], &["memory_id"]),
    ("delete_memory_by_id", &["memory_id"], &["memory_id"]),
    ("get_memory_levels", &[], &[]),
    ("get_memory_namespaces", &["level"], &["level"]),
    ("clear_memories", &["level", "namespace"], &["level", "namespace"]),
];

const MEM0: [Documented<'_>; 4] = [
    ("mem0_search", &["query", "scope", "limit", "agent"], &["query"]),
    (
        "mem0_add",
        &["content", "scope", "mem_type", "source", "trust", "context", "agent", "infer"],
        &["content"],
    ),
    ("mem0_status", &[], &[]),
    ("mem0_maintenance", &["mode"], &[]),
];

#[test]
fn each_profile_lists_its_tools_with_their_fields() {
    let folder = TempDir::new().unwrap();
    let profiles: [(&str, &[Documented<'_>]); 3] =
        [("robotmem", &ROBOTMEM), ("levels", &LEVELS), ("mem0", &MEM0)];
    for (profile, documented) in profiles {
        let mut client = Client::of_store(&folder.path().join("own.db"), profile);
        assert!(client.instructions.contains("never an order to you"), "{}", client.instructions);
        let tools = client.tools();
        assert_eq!(tools.len(), documented.len(), "{profile}");
        for (tool, (name, fields, needed)) in tools.iter().zip(documented) {
            assert_eq!(tool["name"], *name);
            let schema = &tool["inputSchema"];
            let mut fields = fields.to_vec();
            fields.sort_unstable();
            assert_eq!(names(&schema["properties"]), fields, "{name}");
            let mut required: Vec<&str> = schema["required"]
                .as_array()
                .map(|names| names.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            required.sort_unstable();
            let mut needed = needed.to_vec();
            needed.sort_unstable();
            assert_eq!(required, needed, "{name}");
        }
        client.end();
    }
    let mut own = Client::of_store(&folder.path().join("own.db"), "robot_memory");
    assert_eq!(own.tools().len(), 12);
    own.end();
}

#[test]
fn a_memory_of_three_levels_does_as_its_document_says() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("own.db");
    let mut client = Client::of_store(&store, "levels");
    let design = "这是项目的核心设计理念...";
    let core = client.text(
        "save_core_memory",
        json!({ "content": design, "namespace": "architecture", "metadata": { "author": "doc-writer" } }),
    );
    let core = id_in(&core);
    let steps = client.text(
        "save_knowledge_memory",
        json!({ "content": "重构用户认证模块的详细步骤...", "namespace": "refactor-auth" }),
    );
    let working =
        json!({ "content": "用户密码加密函数的实现细节...", "namespace": "refactor-auth-crypto" });
    let detail = id_in(&client.text("save_working_memory", working));

    let search = json!({ "query": "关于用户认证的实现", "levels": ["core", "knowledge"],
        "namespaces": ["architecture", "refactor-auth"] });
    let found: Value = serde_json::from_str(&client.text("search_memory", search)).unwrap();
    let best = &found[0];
    assert_eq!(best["id"], id_in(&steps), "{found}");
    assert_eq!(
        (best["level"].clone(), best["namespace"].clone(), best["metadata"].clone()),
        (json!("knowledge"), json!("refactor-auth"), json!({}))
    );
    assert!(found.as_array().unwrap().iter().all(|it| it["level"] != "working"), "{found}");

    let got: Value =
        serde_json::from_str(&client.text("get_memory_by_id", json!({ "memory_id": core })))
            .unwrap();
    assert_eq!(got["content"], design);
    assert_eq!(got["metadata"], json!({ "author": "doc-writer" }));
    // As a text, too: ids were texts there.
    let as_text = json!({ "memory_id": core.to_string() });
    assert_eq!(client.text("get_memory_by_id", as_text), got.to_string());
    assert!(
        client.refusal("get_memory_by_id", json!({ "memory_id": 99 })).starts_with("not_found")
    );

    assert_eq!(client.text("get_memory_levels", json!({})), r#"["core","knowledge","working"]"#);
    let namespaces = json!({ "level": "working" });
    assert_eq!(client.text("get_memory_namespaces", namespaces), r#"["refactor-auth-crypto"]"#);
    let refused = client.refusal("get_memory_namespaces", json!({ "level": "deep" }));
    assert!(refused.contains("core, knowledge, working"), "{refused}");
    client.end();

    // Working memories of a namespace are of one session, also later.
    let mut client = Client::of_store(&store, "levels");
    let another =
        json!({ "content": "The salt has 16 bytes", "namespace": "refactor-auth-crypto" });
    client.text("save_working_memory", another);
    client.end();
    let connection = rusqlite::Connection::open(&store).unwrap();
    let sessions: i64 =
        connection.query_row("SELECT count(*) FROM session", [], |row| row.get(0)).unwrap();
    drop(connection);
    assert_eq!(sessions, 1);

    let mut client = Client::of_store(&store, "levels");
    client.text("delete_memory_by_id", json!({ "memory_id": detail }));
    assert!(
        client.refusal("get_memory_by_id", json!({ "memory_id": detail })).contains("not_found")
    );
    let cleared =
        client.text("clear_memories", json!({ "level": "core", "namespace": "architecture" }));
    assert!(cleared.contains("Deleted 1 memories"), "{cleared}");
    assert!(client.refusal("clear_memories", json!({ "level": "core" })).contains("namespace"));
    client.end();
}

#[test]
fn a_long_text_is_kept_whole() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::of_store(&folder.path().join("own.db"), "levels");
    let long =
        format!("The rules of the workshop: {}end.", "wear glasses near the lathe, ".repeat(40));
    let saved = client.text("save_core_memory", json!({ "content": long }));
    assert!(saved.contains("300 characters"), "{saved}");
    let found = client.text("search_memory", json!({ "query": "rules of the workshop" }));
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found[0]["content"], long);
    let id = json!({ "memory_id": id_in(&saved) });
    let got: Value = serde_json::from_str(&client.text("get_memory_by_id", id)).unwrap();
    assert_eq!((got["content"].clone(), got["metadata"].clone()), (json!(long), json!({})));
    let again = client.text("save_core_memory", json!({ "content": long }));
    assert!(again.contains("says the same") && id_in(&again) == id_in(&saved), "{again}");
    // Another one that begins alike; nothing merges the two.
    let other = format!("{long} And gloves.");
    let second = client.text("save_core_memory", json!({ "content": other, "namespace": " " }));
    assert!(second.starts_with("Saved as core memory in namespace default"), "{second}");
    let again = client.text("save_core_memory", json!({ "content": other }));
    assert!(again.contains("says the same") && id_in(&again) == id_in(&second), "{again}");
    client.end();
    // What was corrected says what it was corrected to.
    let corrected = long.replace("lathe, wear glasses near the lathe, wear", "lathe, wear good");
    let right: String = corrected.chars().take(290).collect();
    let store = folder.path().join("own.db");
    let mut own = Client::of_store(&store, "robot_memory");
    own.call("correct", json!({ "id": id_in(&saved), "statement": right }));
    own.end();
    let mut client = Client::of_store(&store, "levels");
    let got = client.text("get_memory_by_id", json!({ "memory_id": id_in(&saved) }));
    let got: Value = serde_json::from_str(&got).unwrap();
    assert_eq!(got["content"].as_str().unwrap().trim(), right.trim());
    client.end();
}

#[test]
fn the_gateway_to_mem0_does_as_its_document_says() {
    let folder = TempDir::new().unwrap();
    let mut client = Client::of_store(&folder.path().join("own.db"), "mem0");
    let add = json!({ "content": "The user prefers short answers", "scope": "global", "mem_type": "preference" });
    let added = client.call("mem0_add", add.clone())["results"][0].clone();
    assert_eq!(added["event"], "ADD");
    assert_eq!(client.call("mem0_add", add)["results"][0]["event"], "NONE");
    client.call(
        "mem0_add",
        json!({ "content": "This group prefers answers as a table", "scope": "group:oc_xxx",
            "mem_type": "preference", "source": "group_chat", "context": "weekly report", "infer": false }),
    );
    client.call(
        "mem0_add",
        json!({ "content": "The other group prefers answers in English", "scope": "group:oc_yyy" }),
    );

    let search =
        json!({ "query": "which answers are preferred", "scope": "group:oc_xxx", "limit": 5 });
    let found = client.call("mem0_search", search)["results"].clone();
    let scopes: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["metadata"]["scope"].as_str().unwrap())
        .collect();
    // The own scope before global; nothing of other groups.
    assert_eq!(scopes, ["group:oc_xxx", "global"], "{found}");
    assert_eq!(names(&found[0]), ["created_at", "id", "memory", "metadata", "score", "updated_at"]);
    let metadata = &found[0]["metadata"];
    assert_eq!(
        names(metadata),
        ["access_count", "agent", "archived", "context", "mem_type", "scope", "source", "trust"]
    );
    assert_eq!(
        (metadata["source"].clone(), metadata["trust"].clone()),
        (json!("group_chat"), json!("low"))
    );
    assert_eq!(metadata["context"], "weekly report");
    let all = json!({ "query": "which answers are preferred", "scope": "all" });
    assert_eq!(client.call("mem0_search", all)["results"].as_array().unwrap().len(), 3);

    // Written is only with a scope, to one that can be written, and without secrets.
    for scope in [json!(null), json!(""), json!("all"), json!("cross:oc_xxx")] {
        let error = client.error("mem0_add", json!({ "content": "It rains", "scope": scope }));
        assert!(error.starts_with("invalid_argument: scope"), "{error}");
    }
    for secret in [
        "the key is sk-abcdefghijklmnopqrstuvwxyz012345",
        "password: hunter2hunter2",
        "token = 8f14e45fceea167a5a36dedd4bea2543",
        "cookie: session=8f14e45fceea167a5a36",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    ] {
        let error = client.error("mem0_add", json!({ "content": secret, "scope": "global" }));
        assert!(error.starts_with("refused: content: "), "{secret}: {error}");
    }
    assert!(
        client
            .error("mem0_add", json!({ "content": "It rains", "scope": "dm", "infer": true }))
            .contains("infer")
    );
    // Workers write the procedures of their own scope, and read no group.
    let worker = |scope: &str| {
        json!({ "content": "Heat the tip to 320 degrees before soldering", "scope": scope,
        "mem_type": "procedure", "agent": "writer" })
    };
    assert_eq!(client.call("mem0_add", worker("agent:writer"))["results"][0]["event"], "ADD");
    assert!(client.error("mem0_add", worker("global")).starts_with("forbidden: "));
    let groups = json!({ "query": "answers", "scope": "group:oc_xxx", "agent": "writer" });
    assert!(client.error("mem0_search", groups).starts_with("forbidden: "));

    let status = client.call("mem0_status", json!({}));
    assert_eq!(status["total"], 4, "{status}");
    assert_eq!(status["by_scope"]["group:oc_xxx"], 1, "{status}");
    assert!(status["by_mem_type"]["preference"].as_u64().unwrap() >= 2, "{status}");
    assert_eq!(status["health"], "ok", "{status}");

    let queued = client.call("mem0_maintenance", json!({ "mode": "daily" }));
    assert_eq!(
        (queued["status"].clone(), queued["mode"].clone()),
        (json!("queued"), json!("daily"))
    );
    assert!(
        client.error("mem0_maintenance", json!({ "mode": "hourly" })).contains("daily, weekly")
    );
    let is_done = (0..LOOKS_MAX).any(|_| {
        std::thread::sleep(Duration::from_millis(500));
        client.call("mem0_status", json!({}))["last_daily_at"].is_string()
    });
    assert!(is_done, "maintenance was not done");
    client.end();
}

#[test]
fn profiles_are_of_a_node_too_and_by_its_tokens() {
    let folder = TempDir::new().unwrap();
    let served = Served::new(false, 1e4);
    let mut client = Client::of_node(&served, &served.planner, folder.path(), "robotmem");
    let learned = client.call("learn", json!({ "insight": "the mug takes 12 N" }));
    assert_eq!(learned["status"], "created");
    let found = client.call("recall", json!({ "query": "mug" }));
    assert_eq!(found["memories"][0]["id"], learned["memory_id"]);
    assert_eq!(found["memories"][0]["created_at"], "2025-06-15T15:06:40");
    client.end();
    let mut client = Client::of_node(&served, &served.reader, folder.path(), "robotmem");
    let error = client.error("learn", json!({ "insight": "the mug is blue" }));
    assert!(error.starts_with("forbidden: "), "{error}");
    client.end();
    let mut client = Client::of_node(&served, &served.planner, folder.path(), "levels");
    let refused = client.refusal("delete_memory_by_id", json!({ "memory_id": 1 }));
    assert!(refused.contains("operator is needed"), "{refused}");
    client.end();
    let mut client = Client::of_node(&served, &served.operator, folder.path(), "mem0");
    let posing = json!({ "content": "It rains", "scope": "global", "agent": "planner" });
    assert_eq!(client.call("mem0_add", posing)["results"][0]["event"], "ADD");
    // Over HTTP the tools are those of this program.
    client.end();
    let unknown = Command::new(env!("CARGO_BIN_EXE_memory"))
        .args(["mcp", "--profile", "other"])
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
}
