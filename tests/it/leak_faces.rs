//! The faces of a robot: a listener, and a token of each agent.

use crate::leak_world::AGENTS;
use crate::robot::Robot;
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory::faces::http::{HttpServer, HttpSettings, HttpTarget};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ENDS: Duration = Duration::from_secs(60);
const NEWEST: &str = "2026-07-28";

pub struct Faces {
    server: Option<HttpServer>,
    host: String,
    tokens: BTreeMap<&'static str, String>,
    _folder: TempDir,
}

/// What a face said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Said {
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// In words; begins with whether it is an error.
    pub fn written(&self) -> String {
        format!("{}({})", if self.is_ok() { "Ok" } else { "Err" }, self.body)
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Faces {
    /// Of this robot.
    pub fn of(robot: &Robot) -> Self {
        let folder = TempDir::new().expect("a folder");
        let tokens_path = folder.path().join("tokens.json");
        let token = |agent: &'static str| {
            let profile = if agent.is_empty() { Profile::Operator } else { Profile::Planner };
            let name = if agent.is_empty() { "operator" } else { agent };
            (agent, tokens::add(&tokens_path, name, agent, profile).expect("a token"))
        };
        let tokens = AGENTS.into_iter().map(token).collect();
        let settings = HttpSettings {
            address: "127.0.0.1:0".to_owned(),
            hosts: Vec::new(),
            is_open: false,
            tokens_path,
            requests_per_second_max: 1e9,
            login_link: true,
        };
        let target = HttpTarget::alone(Arc::clone(&robot.engine), 2).expect("threads");
        let server = HttpServer::start(settings, target).expect("it listens");
        let host = server.address().to_string();
        Self { server: Some(server), host, tokens, _folder: folder }
    }

    /// Calls an operation.
    pub fn post(&self, agent: &str, operation: &str, fields: &Value) -> Said {
        self.send_json(agent, &format!("/api/v1/{operation}"), fields)
    }

    /// Calls an operation with a key beside the request.
    pub fn post_with_key(&self, agent: &str, operation: &str, key: &str, fields: &Value) -> Said {
        let headers = format!("Idempotency-Key: {key}\r\nContent-Type: application/json\r\n");
        self.ask(agent, "POST", &format!("/api/v1/{operation}"), &headers, &fields.to_string())
    }

    /// Sends JSON to a path.
    pub fn send_json(&self, agent: &str, path: &str, body: &Value) -> Said {
        self.ask(agent, "POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    /// Looks at something.
    pub fn get(&self, agent: &str, path: &str) -> Said {
        self.ask(agent, "GET", path, "Accept: text/html, application/json, */*\r\n", "")
    }

    /// Sends a form of a page.
    pub fn form(&self, agent: &str, path: &str, form: &str) -> Said {
        let headers = format!(
            "Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\n",
            self.host
        );
        self.ask(agent, "POST", path, &headers, form)
    }

    /// Logs in as a browser does; answers the header that proves it, when that is possible.
    pub fn log_in(&self, agent: &str) -> Option<String> {
        let form = format!("token={}", self.tokens[agent]);
        let headers = format!(
            "Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\n",
            self.host
        );
        let said = self.exchange("POST", "/login", &headers, &form);
        let cookie = said.header("set-cookie")?.split(';').next()?;
        Some(format!("Cookie: {cookie}\r\n"))
    }

    /// Sends a message of MCP; answers it with the result or the error, an error of a tool as one of HTTP.
    pub fn rpc(&self, agent: &str, method: &str, mut params: Value) -> Said {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let named = params["name"].as_str().or(params["uri"].as_str());
        let named = named.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
        let headers = format!(
            "MCP-Protocol-Version: {NEWEST}\r\nMcp-Method: {method}\r\n{named}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n"
        );
        let mut said = self.ask(agent, "POST", "/mcp", &headers, &body.to_string());
        let answer: Value = serde_json::from_str(&said.body).unwrap_or_default();
        if said.is_ok() && (!answer["error"].is_null() || answer["result"]["isError"] == true) {
            said.status = 400;
        }
        said
    }

    /// Calls a tool.
    pub fn tool(&self, agent: &str, name: &str, arguments: Value) -> Said {
        self.rpc(agent, "tools/call", json!({ "name": name, "arguments": arguments }))
    }

    fn ask(&self, agent: &str, method: &str, path: &str, headers: &str, body: &str) -> Said {
        let proof = format!("Authorization: Bearer {}\r\n{headers}", self.tokens[agent]);
        self.exchange(method, path, &proof, body)
    }

    /// Sends a request, and reads its whole answer.
    pub fn exchange(&self, method: &str, path: &str, headers: &str, body: &str) -> Said {
        let mut stream = self.begin(method, path, headers, body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        said(&bytes)
    }

    fn begin(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(ENDS)).expect("a time limit");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it is sent");
        stream
    }

    /// Begins to listen to events, after those with an id where one is given.
    pub fn listen(&self, agent: &str, last_id: Option<&str>) -> EventStream {
        let last_id = last_id.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let headers = format!(
            "Authorization: Bearer {}\r\nAccept: text/event-stream\r\n{last_id}",
            self.tokens[agent]
        );
        let mut events = EventStream {
            stream: self.begin("GET", "/api/v1/events", &headers, ""),
            bytes: Vec::new(),
        };
        events.until(|text| text.contains("\r\n\r\n"));
        events
    }
}

impl Drop for Faces {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            assert!(server.stop(Instant::now() + ENDS), "the listener did not end");
        }
    }
}

/// Events, as they come.
pub struct EventStream {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl EventStream {
    /// All that came, once nothing more comes for a moment.
    pub fn text(&mut self) -> String {
        self.stream.set_read_timeout(Some(Duration::from_millis(700))).expect("a time limit");
        self.until(|_| false)
    }

    fn until(&mut self, is_enough: impl Fn(&str) -> bool) -> String {
        let mut buffer = [0; 65_536];
        loop {
            let text = String::from_utf8_lossy(&self.bytes).into_owned();
            if is_enough(&text) {
                return text;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return text,
                Ok(count) => self.bytes.extend_from_slice(&buffer[..count]),
            }
        }
    }
}

fn said(bytes: &[u8]) -> Said {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {head}"));
    Said { status, head: head.to_owned(), body: body.to_owned() }
}
