//! The HTTP face: a real listener, real sockets, a real store.

use crate::robot;
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory::faces::http::{HttpServer, HttpSettings, HttpTarget};
use robot_memory_engine::Engine;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ENDS: Duration = Duration::from_secs(30);

pub struct Served {
    pub server: Option<HttpServer>,
    pub address: SocketAddr,
    pub folder: Arc<TempDir>,
    pub reader: String,
    pub planner: String,
    pub operator: String,
}

/// An answer: its status, its headers as they came, and its body.
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn detail(&self) -> String {
        assert!(self.headers.contains("application/problem+json"), "{}", self.headers);
        let problem = self.json();
        assert_eq!(problem["status"], self.status);
        problem["detail"].as_str().unwrap().to_owned()
    }
}

impl Served {
    pub fn new(is_open: bool, requests_per_second_max: f64) -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        let (engine, _) = robot::open(&folder.path().join("memory.db")).unwrap();
        Self::of(Arc::new(engine), folder, is_open, requests_per_second_max)
    }

    /// One whose jobs are queued, and done by nobody.
    pub fn with_jobs() -> Self {
        let folder = TempDir::new().unwrap();
        let mut config = robot::config(&folder.path().join("memory.db"));
        config.jobs.has_workers = true;
        let clock = Arc::new(robot::SetClock::default());
        clock.set(robot::START);
        let (engine, _) = Engine::open(config, clock).unwrap();
        Self::of(Arc::new(engine), folder, false, 1e6)
    }

    /// An engine, with its store in this folder.
    pub fn of(
        engine: Arc<Engine>,
        folder: impl Into<Arc<TempDir>>,
        is_open: bool,
        requests_per_second_max: f64,
    ) -> Self {
        let folder = folder.into();
        let tokens_path = folder.path().join("tokens.json");
        let add = |name: &str, agent: &str, profile| {
            tokens::add(&tokens_path, name, agent, profile).unwrap()
        };
        let (reader, planner) =
            (add("r", "dashboard", Profile::Reader), add("p", "planner", Profile::Planner));
        let operator = add("o", "", Profile::Operator);
        let settings = HttpSettings {
            address: "127.0.0.1:0".to_owned(),
            hosts: Vec::new(),
            is_open,
            tokens_path,
            requests_per_second_max,
            login_link: true,
        };
        let target = HttpTarget::alone(engine, 2).unwrap();
        let server = HttpServer::start(settings, target).unwrap();
        let address = server.address();
        Self { server: Some(server), address, folder, reader, planner, operator }
    }

    pub fn login_link(&self) -> Option<String> {
        self.server.as_ref().unwrap().login_link()
    }

    pub fn tokens_path(&self) -> PathBuf {
        self.folder.path().join("tokens.json")
    }

    pub fn post(&self, token: &str, operation: &str, body: &Value) -> Answer {
        self.post_with(token, operation, &body.to_string(), "")
    }

    pub fn post_with(&self, token: &str, operation: &str, body: &str, headers: &str) -> Answer {
        let proof = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        self.raw(&format!(
            "POST /api/v1/{operation} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{proof}{headers}\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        ))
    }

    /// Reads a path; answers the body as it came.
    pub fn read(&self, method: &str, token: &str, path: &str, headers: &str) -> (Answer, Vec<u8>) {
        let proof = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let (status, headers, body) = self.exchange(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{proof}{headers}\r\n",
            self.address
        ));
        let text = String::from_utf8_lossy(&body).into_owned();
        (Answer { status, headers, body: text }, body)
    }

    pub fn get(&self, token: &str, path: &str) -> Answer {
        self.read("GET", token, path, "").0
    }

    pub fn raw(&self, request: &str) -> Answer {
        let (status, headers, body) = self.exchange(request);
        Answer { status, headers, body: String::from_utf8(body).unwrap() }
    }

    fn exchange(&self, request: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(ENDS)).unwrap();
        // It may be answered before all of it was read.
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let end = text.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(text.len());
        let body = text.get(end + 4..).unwrap_or_default().to_owned();
        let headers = String::from_utf8_lossy(&text[..end]).into_owned();
        let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, headers.to_lowercase(), body)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            assert!(server.stop(Instant::now() + ENDS), "the listener did not end");
        }
    }
}

#[test]
fn a_token_says_who_calls_and_what_it_may() {
    let served = Served::new(false, 1e4);
    let learn = json!({ "insight": "the mug takes 12 N", "scope": "global" });
    for (token, status) in
        [("", 401), ("rmt_00", 401), (&served.reader, 403), (&served.planner, 200)]
    {
        let answer = served.post(token, "learn", &learn);
        assert_eq!(answer.status, status, "{}", answer.body);
    }
    let unknown = served.post("", "learn", &learn);
    assert!(unknown.headers.contains("www-authenticate: bearer"), "{}", unknown.headers);
    let refused = served.post(&served.reader, "learn", &learn).detail();
    assert!(
        refused.contains("profile reader") && refused.contains("planner is needed"),
        "{refused}"
    );
    let refused = served.post(&served.planner, "clear_memories", &json!({})).detail();
    assert!(refused.contains("operator is needed"), "{refused}");

    let found = served.post(&served.reader, "recall", &json!({ "query": "mug" }));
    assert_eq!(found.status, 200, "{}", found.body);
    let memory = found.json()["memories"][0].clone();
    assert_eq!(memory["agent"], "planner", "{memory}");
    let unproven = json!({ "query": "mug", "agent": 5 });
    assert_eq!(served.post(&served.reader, "recall", &unproven).status, 403);
    let posing = json!({ "query": "mug", "agent": "somebody" });
    let refused = served.post(&served.reader, "recall", &posing).detail();
    assert!(refused.contains("\"somebody\"") && refused.contains("\"dashboard\""), "{refused}");
    let own = json!({ "query": "mug", "agent": "dashboard" });
    assert_eq!(served.post(&served.reader, "recall", &own).status, 200);

    tokens::remove(&served.folder.path().join("tokens.json"), "p").unwrap();
    assert_eq!(served.post(&served.planner, "recall", &own).status, 401);
    let id = memory["id"].clone();
    let deleted = served.post(&served.operator, "delete_memory", &json!({ "memory_id": id }));
    assert_eq!(deleted.status, 200, "{}", deleted.body);
}

#[test]
fn an_agent_sees_over_http_what_its_scopes_allow_and_no_more() {
    let served = Served::new(false, 1e4);
    let tokens_path = served.folder.path().join("tokens.json");
    let skill = tokens::add(&tokens_path, "s", "skill_vault", Profile::Planner).unwrap();
    let own_scope = json!({ "insight": "the vault opens with 4 turns", "scope": "agent:skill_vault",
        "mem_type": "procedure" });
    let learned = served.post(&skill, "learn", &own_scope);
    assert_eq!(learned.status, 200, "{}", learned.body);
    let all = json!({ "query": "vault turns", "scope": "all", "collections": ["*"] });
    let own = served.post(&skill, "recall", &all).json();
    assert_eq!(own["memories"].as_array().unwrap().len(), 1, "{own}");
    for operation in [
        "recall",
        "list_levels",
        "list_collections",
        "list_scopes",
        "status",
        "locate",
        "get_memory",
    ] {
        let request = match operation {
            "recall" => all.clone(),
            "get_memory" => json!({ "memory_id": own["memories"][0]["id"] }),
            _ => json!({}),
        };
        let answer = served.post(&served.reader, operation, &request);
        let status = if operation == "get_memory" { 404 } else { 200 };
        assert_eq!(answer.status, status, "{operation}: {}", answer.body);
        assert!(!answer.body.contains("vault"), "{operation}: {}", answer.body);
    }
}

#[test]
fn a_request_that_is_not_well_formed_is_named() {
    let served = Served::new(true, 1e4);
    let refused = |body: &str| {
        let answer = served.post_with("", "recall", body, "");
        assert_eq!(answer.status, 400, "{}", answer.body);
        answer.detail()
    };
    assert!(refused("{").contains("no JSON object"));
    assert!(refused("[1]").contains("no JSON object"));
    let unknown = refused(r#"{"qeury": "mug"}"#);
    assert!(unknown.starts_with("qeury: recall has no such field") && unknown.contains("query"));
    let typed = refused(r#"{"query": "mug", "n": "five"}"#);
    assert!(typed.starts_with("n: "), "{typed}");
    let nested = refused(
        r#"{"query": "m", "spatial_sort": {"field": "a", "target": [1, "x"], "max_distance": 0}}"#,
    );
    assert!(nested.starts_with("spatial_sort.target[1]: "), "{nested}");
    assert!(refused(r#"{"query": "mug", "n": 0}"#).starts_with("n: "));
    assert!(refused(r#"{"query": {"text": "mug"}}"#).starts_with("query: must be a text"));
    let nowhere = served.post_with("", "recalls", "{}", "");
    assert_eq!(nowhere.status, 404);
    assert!(nowhere.detail().contains("recall"));
    assert_eq!(
        served.raw(&format!("GET /x HTTP/1.0\r\nHost: {}\r\n\r\n", served.address)).status,
        404
    );
    let get = format!("GET /api/v1/recall HTTP/1.0\r\nHost: {}\r\n\r\n", served.address);
    assert_eq!(served.raw(&get).status, 405);
    let missing = served.post("", "get_memory", &json!({ "memory_id": 7 }));
    assert_eq!((missing.status, missing.json()["error_code"].clone()), (404, json!("not_found")));
    let secret = json!({ "insight": "the password is hunter2hunter2" });
    assert_eq!(served.post("", "learn", &secret).status, 422);
}

#[test]
fn json_may_be_given_as_it_is_and_a_repeated_key_stores_nothing_twice() {
    let served = Served::new(true, 1e4);
    let body = json!({
        "description": "grasped the mug",
        "perception_type": "tactile",
        "context": { "spatial": { "object_position": [1.0, 2.0, 0.5] }, "task": { "name": "grasp" } },
    });
    let first =
        served.post_with("", "save_perception", &body.to_string(), "Idempotency-Key: k1\r\n");
    assert_eq!(first.status, 200, "{}", first.body);
    let again =
        served.post_with("", "save_perception", &body.to_string(), "Idempotency-Key: k1\r\n");
    assert_eq!(first.json()["memory_id"], again.json()["memory_id"]);
    let near = json!({ "spatial_sort": { "field": "spatial.object_position", "target": [1.0, 2.0, 0.0],
        "max_distance": 1.0 } });
    let found = served.post("", "recall", &near).json();
    assert_eq!(found["memories"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["memories"][0]["spatial_distance"], 0.5);
    let filter = json!({ "context_filter": { "task.name": "grasp" }, "collections": ["*"] });
    let filtered = served.post("", "recall", &filter);
    assert_eq!(filtered.json()["memories"].as_array().unwrap().len(), 1, "{}", filtered.body);
    let without = served.post_with("", "recall", r#"{"query": "mug"}"#, "Idempotency-Key: k1\r\n");
    assert_eq!(without.status, 400);
    assert!(without.detail().contains("takes none"));
}

#[test]
fn other_hosts_and_pages_and_too_many_requests_are_refused() {
    let served = Served::new(true, 3.0);
    let from = |host: &str, origin: &str| {
        served.raw(&format!(
            "POST /api/v1/list_levels HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: close\r\n\
             Content-Length: 2\r\n\r\n{{}}"
        ))
    };
    let port = served.address.port();
    assert_eq!(from(&format!("evil.example:{port}"), "").status, 421);
    let host = format!("localhost:{port}");
    assert_eq!(from(&host, "Origin: http://evil.example\r\n").status, 403);
    let own = format!("Origin: http://{host}\r\n");
    let statuses: Vec<u16> = (0..8).map(|_| from(&host, &own).status).collect();
    assert!(statuses.starts_with(&[200, 200, 200]) && statuses.contains(&429), "{statuses:?}");
}

#[test]
fn hostile_requests_leave_it_answering() {
    let served = Served::new(true, 1e6);
    let host = format!("Host: {}\r\n", served.address);
    let huge_header = format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(100_000));
    let many_headers = format!("GET / HTTP/1.1\r\n{host}{}\r\n", "a: b\r\n".repeat(500));
    let deep = "[".repeat(200_000);
    let requests = [
        "\u{0}\u{1}\u{2}\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        format!("GET / HTTP/9.9\r\n{host}\r\n"),
        huge_header,
        many_headers,
        format!("GET /../../etc/passwd HTTP/1.0\r\n{host}\r\n"),
        format!("GET /api/v1/..%2f..%2fetc%2fpasswd HTTP/1.0\r\n{host}\r\n"),
        format!("POST /api/v1/recall HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n{{}}"),
        format!("POST /api/v1/recall HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"),
        format!(
            "POST /api/v1/recall HTTP/1.1\r\n{host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"
        ),
        format!("POST /api/v1/recall HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!(
            "POST /api/v1/recall HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
        ),
        format!(
            "POST /api/v1/learn HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n\r\n{deep}",
            deep.len()
        ),
    ];
    let expected =
        ["400", "400", "400", "431", "431", "404", "405", "413", "400", "400", "400", "400", "400"];
    let answered = requests.iter().map(|request| {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        text.split(' ').nth(1).unwrap_or("none").to_owned()
    });
    assert_eq!(answered.collect::<Vec<_>>(), expected);
    let large = served.post_with("", "learn", &"x".repeat(9 << 20), "");
    assert_eq!(large.status, 413, "{}", large.body);
    // Neither an abandoned call nor one that hangs on holds up the others, or the end of the listener.
    for _ in 0..50 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let body = r#"{"insight": "the mug is blue"}"#;
        write!(
            stream,
            "POST /api/v1/learn HTTP/1.1\r\n{host}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
    }
    let mut half = TcpStream::connect(served.address).unwrap();
    half.write_all(b"P").unwrap();
    // Who sends slowly holds up nobody.
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = TcpStream::connect(served.address).unwrap();
            write!(stream, "POST /api/v1/recall HTTP/1.1\r\n{host}Content-Length: 10\r\n\r\n{{")
                .unwrap();
            stream
        })
        .collect();
    let answer = served.post("", "list_levels", &json!({}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    drop(slow);
    assert_eq!(served.post("", "list_levels", &json!({})).status, 200);
    let begun = Instant::now();
    drop(served);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(half);
}

#[test]
fn a_port_that_is_taken_is_told_with_what_helps() {
    let folder = TempDir::new().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (engine, _) = robot::open(&folder.path().join("memory.db")).unwrap();
    let settings = HttpSettings {
        address: taken.local_addr().unwrap().to_string(),
        hosts: Vec::new(),
        is_open: false,
        tokens_path: folder.path().join("tokens.json"),
        requests_per_second_max: 1.0,
        login_link: false,
    };
    let target = HttpTarget::alone(Arc::new(engine), 1).unwrap();
    let refused = HttpServer::start(settings, target).err().expect("it is taken").to_string();
    assert!(refused.contains("in use") && refused.contains("another port"), "{refused}");
}
