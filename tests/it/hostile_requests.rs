//! Requests that nobody should send, each made from a number: of the form, the headers, the path, the body, the
//! protocol, and of who asks. Paths that are not there yet are among them: what must hold of an answer holds of any.

use crate::hostile_parts::{
    Aim, Dice, Hostile, PUBLIC, STREAMS, TEXTS, Then, bearer, is_of, made, operations, request,
    view,
};

/// What a form of request is made by.
type Make = fn(&mut Dice, &Aim) -> Hostile;

/// Each form, with how often it is among twenty requests.
const FORMS: [(Make, usize); 13] = [
    (request_line, 2),
    (headers, 2),
    (lengths, 2),
    (chunks, 2),
    (json, 3),
    (paths, 2),
    (hosts, 1),
    (strangers, 2),
    (one_after_another, 1),
    (protocols, 1),
    (messages, 2),
    (logins, 1),
    (noise, 1),
];

/// The request of a number.
pub fn hostile(seed: u64, number: u64, aim: &Aim) -> Hostile {
    let mut dice = Dice::new(seed, number);
    let mut at = number as usize % FORMS.iter().map(|(_, often)| often).sum::<usize>();
    for (make, often) in FORMS {
        if at < often {
            return make(&mut dice, aim);
        }
        at -= often;
    }
    unreachable!("a number is below the sum")
}

fn request_line(dice: &mut Dice, aim: &Aim) -> Hostile {
    let long = "x".repeat(dice.below(70_000));
    let target = match dice.below(8) {
        0 => String::new(),
        1 => "*".to_owned(),
        2 => aim.host.clone(),
        3 => "http://evil.example/".to_owned(),
        4 => format!("/{long}"),
        5 => format!("/api/v1/{long}?{long}"),
        6 => "/\u{1}\u{7f}".to_owned(),
        _ => view(dice),
    };
    let methods = [
        "GET", "get", "TRACE", "CONNECT", "OPTIONS", "PATCH", "DELETE", "PRI", "", "G\0T", "é",
        "QUERY", "HEAD",
    ];
    let method = if dice.below(10) == 0 { long.as_str() } else { dice.one(&methods) };
    let version = dice.one(&[
        "HTTP/1.1",
        "HTTP/1.0",
        "HTTP/0.9",
        "HTTP/2.0",
        "HTTP/9.9",
        "http/1.1",
        "",
        "HTTP/1.1 x",
    ]);
    let (gap, end) = (dice.one(&[" ", "  ", "\t", ""]), dice.one(&["\r\n", "\n", "\r", "\0"]));
    let line = format!("{method}{gap}{target}{gap}{version}{end}");
    let bytes = format!("{line}Host: {}{end}Connection: close{end}{end}", aim.host);
    made("request line", bytes, Then::SayEnd, is_of(&target, &PUBLIC))
}

fn headers(dice: &mut Dice, aim: &Aim) -> Hostile {
    let mut given = String::new();
    match dice.below(8) {
        0 => given.extend((0..dice.below(400)).map(|at| format!("x-{at}: {at}\r\n"))),
        1 => given = format!("X: {}\r\n", "y".repeat(dice.below(200_000))),
        2 => given = format!("{}: y\r\n", "x".repeat(dice.below(100_000))),
        3 => given.push_str("X: a\r\n b\r\n\tc\r\n"),
        4 => given.push_str("no colon\r\n"),
        5 => given.push_str(": no name\r\nX : y\r\n X: y\r\n"),
        6 => given = format!("Idempotency-Key: {}\r\n", dice.one(&TEXTS)),
        _ => given.push_str("X: a\rb\nx-injected: 1\n\r\nY\u{1}: \u{7f}\r\n"),
    }
    let of_reader = bearer(&aim.reader);
    let bytes = request("POST", "/api/v1/list_levels", &(of_reader + &given), b"{}", aim);
    let mut bytes = bytes;
    if dice.below(4) == 0 {
        let at = dice.below(bytes.len());
        bytes[at] = *dice.one(&[&0, &0xff, &0x80, &b'\n', &b'\r']);
    }
    made("headers", bytes, Then::SayEnd, true)
}

fn lengths(dice: &mut Dice, aim: &Aim) -> Hostile {
    let lengths = [
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length: 18446744073709551615\r\n",
        "Content-Length: 9223372036854775807\r\n",
        "Content-Length: 8388609\r\n",
        "Content-Length: 8388608\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: 0x2\r\n",
        "Content-Length: 2, 2\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 30\r\n",
        "Content-Length: 1\r\n",
        "Content-Length: 4\r\n",
        "Content-Length: \r\n",
        "Content-Length : 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: identity, chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding:\u{b}chunked\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "Expect: 100-continue\r\nContent-Length: 8388608\r\n",
        "Expect: nonsense\r\nContent-Length: 2\r\n",
    ];
    let length = dice.one(&lengths);
    let proof = if dice.is() { bearer(&aim.reader) } else { String::new() };
    // What is hidden behind the one length is a request to whoever reads the other.
    let hidden =
        format!("POST /api/v1/learn HTTP/1.1\r\nHost: {}\r\nContent-Length: 0\r\n\r\n", aim.host);
    let body = dice.one(&["{}", "0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n", ""]);
    let bytes = format!(
        "POST /api/v1/list_levels HTTP/1.1\r\nHost: {}\r\n{proof}{length}\r\n{body}{hidden}",
        aim.host
    );
    let then = if dice.below(4) == 0 { Then::Leave } else { Then::SayEnd };
    made("lengths", bytes, then, true)
}

fn chunks(dice: &mut Dice, aim: &Aim) -> Hostile {
    let body = match dice.below(12) {
        0 => "zz\r\n".to_owned(),
        1 => "-1\r\n{}\r\n0\r\n\r\n".to_owned(),
        2 => "FFFFFFFFFFFFFFFFF\r\n{}\r\n".to_owned(),
        3 => "FFFFFFFFFFFFFFFF\r\n{}\r\n".to_owned(),
        4 => "2{}0".to_owned(),
        5 => format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "x".repeat(dice.below(50_000))),
        6 => format!("2\r\n{{}}\r\n0\r\n{}\r\n", "t: v\r\n".repeat(dice.below(3_000))),
        7 => "1\r\n \r\n".repeat(dice.below(20_000)),
        8 => "2\r\n{}\r\n0\r\nContent-Length: 5\r\nHost: evil.example\r\n\r\n".to_owned(),
        9 => "2\n{}\n0\n\n".to_owned(),
        10 => "0000000000000000000000000002\r\n{}\r\n0\r\n\r\n".to_owned(),
        _ => "2\r\n{}\r\n0\r\n\r\n".to_owned(),
    };
    let proof = if dice.below(4) == 0 { String::new() } else { bearer(&aim.reader) };
    let path = dice.one(&["/api/v1/list_levels", "/mcp", "/login", "/api/v1/learn"]);
    let bytes = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\n{proof}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{body}",
        aim.host
    );
    let then = if dice.below(4) == 0 { Then::Leave } else { Then::SayEnd };
    made("chunks", bytes, then, true)
}

/// A body that is no request, or hardly one.
fn body(dice: &mut Dice) -> Vec<u8> {
    let deep = 1 + dice.below(100_000);
    let text = match dice.below(20) {
        0 => "[".repeat(deep),
        1 => format!("{}{}", "{\"a\":".repeat(deep.min(20_000)), "}".repeat(deep.min(20_000))),
        2 => format!("{{\"query\": {}1{}}}", "[".repeat(200), "]".repeat(200)),
        3 => r#"{"n": 1e999}"#.to_owned(),
        4 => format!(r#"{{"n": {}}}"#, "9".repeat(1 + dice.below(10_000))),
        5 => r#"{"n": NaN}"#.to_owned(),
        6 => r#"{"min_confidence": -Infinity}"#.to_owned(),
        7 => r#"{"agent": "dashboard", "agent": "skill_vault", "scope": "all", "scope": "agent:skill_vault"}"#
            .to_owned(),
        8 => "{\"query\": \"\\u0000\\ud800 vault\"}".to_owned(),
        9 => r#"{"query": "vault", "__proto__": {"agent": ""}, "constructor": 1}"#.to_owned(),
        10 => "\u{feff}{}".to_owned(),
        11 => format!("[{}1]", r#"{"":0},"#.repeat(dice.below(20_000))),
        12 => "\"".repeat(1 + dice.below(100)),
        13 => format!(r#"{{"agent": "{}"}}"#, "y".repeat(dice.below(200_000))),
        14 => format!(r#"{{"{}": 1}}"#, "y".repeat(dice.below(200_000))),
        15 => r#"{"agent": ["skill_vault"]}"#.to_owned(),
        16 => r#"{"agent": ""}"#.to_owned(),
        17 => r#"{"scope": "agent:skill_vault", "query": "vault", "insight": "hostile words were stored"}"#.to_owned(),
        18 => format!(r#"{{"scope": "all", "query": {:?}, "collections": ["*"], "n": 100}}"#, dice.one(&TEXTS)),
        _ => r#"{"query": "vault", "scope": "all", "collections": ["*"], "include_data": true}"#.to_owned(),
    };
    let mut bytes = text.into_bytes();
    match dice.below(6) {
        0 if !bytes.is_empty() => {
            let at = dice.below(bytes.len());
            bytes[at] = 0xff;
        }
        1 => {
            let end = dice.below(bytes.len() + 1);
            bytes.truncate(end);
        }
        _ => {}
    }
    bytes
}

fn json(dice: &mut Dice, aim: &Aim) -> Hostile {
    let mut operations = operations();
    // What its caller may call goes farther.
    operations.retain(|(does, _)| *does == "reads" || dice.below(8) == 0);
    let (does, name) = operations[dice.below(operations.len())];
    let kind = dice.one(&[
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
        "\u{fffd}",
    ]);
    let headers = format!("{}Content-Type: {kind}\r\n", bearer(&aim.reader));
    let bytes = request("POST", &format!("/api/v1/{name}"), &headers, &body(dice), aim);
    made("json", bytes, Then::ReadAll, does == "reads")
}

fn paths(dice: &mut Dice, aim: &Aim) -> Hostile {
    let view = view(dice);
    let (path, is_plain) = match dice.below(14) {
        0 => ("/api/v1/../../etc/passwd".to_owned(), false),
        1 => ("/api/v1/../learn".to_owned(), false),
        2 => ("/api/v1/%2e%2e/learn".to_owned(), false),
        3 => ("//api/v1//recall".to_owned(), false),
        4 => ("/api/v1/recall;x=1".to_owned(), false),
        5 => ("/api/v1/recall/".to_owned(), false),
        6 => ("/api/v1/RECALL".to_owned(), false),
        7 => ("/api/v1/rec%61ll".to_owned(), true),
        8 => (format!("/api/v1/memories/{}", dice.one(&TEXTS).replace(' ', "%20")), true),
        9 => (format!("/api/v1/keyframes/{}.jpg", dice.one(&TEXTS).replace(' ', "%20")), true),
        10 => (format!("/api/v1/clips/{}.mcap", dice.one(&TEXTS).replace(' ', "%20")), true),
        11 => ("/\\..\\..\\windows\\win.ini".to_owned(), false),
        _ => (view, true),
    };
    let proof = if dice.is() { bearer(&aim.reader) } else { String::new() };
    let beside = dice.one(&[
        "",
        "Range: bytes=0-99999999999\r\n",
        "Range: bytes=-1,-1,-1,-1\r\n",
        "If-None-Match: *\r\n",
        "Last-Event-ID: -9223372036854775808\r\n",
        "Last-Event-ID: x\r\n",
        "Accept: text/event-stream\r\n",
        "Accept-Encoding: gzip;q=nan\r\n",
        "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n",
        "X-HTTP-Method-Override: DELETE\r\n",
    ]);
    let method = dice.one(&["GET", "GET", "GET", "POST", "PUT", "OPTIONS"]);
    let bytes = request(method, &path, &format!("{proof}{beside}"), b"", aim);
    let then = if is_of(&path, &STREAMS) { Then::ReadSome } else { Then::ReadAll };
    made("paths", bytes, then, (!proof.is_empty() && is_plain) || is_of(&path, &PUBLIC))
}

fn hosts(dice: &mut Dice, aim: &Aim) -> Hostile {
    let port = aim.host.rsplit(':').next().unwrap_or_default();
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("{}.evil.example:{port}", "127.0.0.1"),
        format!("localhost.evil.example:{port}"),
        "localhost:1".to_owned(),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("localhost:{port}@evil.example"),
        format!("localhost:{port}/evil.example"),
        "\"".to_owned(),
        "[".to_owned(),
        "x".repeat(dice.below(5_000)),
        String::new(),
    ];
    let other = foreign[dice.below(foreign.len())].clone();
    let body = r#"{"query": "cup"}"#;
    let (target, headers) = match dice.below(6) {
        0 => ("/api/v1/recall".to_owned(), format!("Host: {other}\r\n")),
        1 => ("/api/v1/recall".to_owned(), format!("Host: {}\r\nHost: {other}\r\n", aim.host)),
        2 => (format!("http://{other}/api/v1/recall"), format!("Host: {}\r\n", aim.host)),
        3 => ("/api/v1/recall".to_owned(), String::new()),
        4 => ("/api/v1/recall".to_owned(), format!("Host: {}\r\nOrigin: {other}\r\n", aim.host)),
        _ => {
            let page = dice.one(&["http", "https", "null", "file", ""]);
            let headers = format!("Host: {}\r\nOrigin: {page}://{other}\r\n", aim.host);
            ("/api/v1/recall".to_owned(), headers)
        }
    };
    let bytes = format!(
        "POST {target} HTTP/1.1\r\n{headers}{}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        bearer(&aim.reader),
        body.len()
    );
    made("hosts", bytes, Then::SayEnd, false)
}

/// Whole requests that would write or read a secret, of those who may not.
fn strangers(dice: &mut Dice, aim: &Aim) -> Hostile {
    let half = &aim.reader[..aim.reader.len() / 2];
    let proof = match dice.below(14) {
        0 => String::new(),
        1 => bearer(&aim.removed),
        2 => bearer("rmt_0000000000000000000000000000000000000000000000000000000000000000"),
        3 => bearer(half),
        4 => bearer(&aim.reader.to_uppercase()),
        5 => bearer(&format!("{}x", aim.reader)),
        6 => format!("Authorization: Basic {}\r\n", aim.reader),
        7 => format!("Authorization: {}\r\n", aim.reader),
        8 => format!("Authorization: Bearer\t{}\r\n", aim.reader),
        9 => format!("{}{}", bearer("rmt_0"), bearer(&aim.reader)),
        10 => bearer(&"x".repeat(dice.below(30_000))),
        11 => bearer(dice.one(&TEXTS)),
        12 => format!("Cookie: {}={}\r\n", cookie(aim), aim.reader),
        _ => format!("X-Api-Key: {0}\r\nProxy-Authorization: Bearer {0}\r\n", aim.reader),
    };
    let operations = operations();
    let (_, name) = operations[dice.below(operations.len())];
    let bodies = [
        r#"{"insight": "hostile words were stored"}"#,
        r#"{"memory_id": 1, "reason": "hostile"}"#,
        r#"{"memory_id": 1, "new_content": "hostile words were stored"}"#,
        r#"{"query": "vault", "scope": "all", "collections": ["*"]}"#,
        r#"{"description": "hostile words", "perception_type": "tactile"}"#,
        r#"{"agent": "skill_vault", "query": "vault"}"#,
        "{}",
    ];
    let path = match dice.below(4) {
        0 => "/mcp".to_owned(),
        1 => view(dice),
        _ => format!("/api/v1/{name}"),
    };
    let method = if dice.below(3) == 0 { "GET" } else { "POST" };
    let bytes = request(method, &path, &proof, dice.one(&bodies).as_bytes(), aim);
    made("strangers", bytes, Then::SayEnd, is_of(&path, &PUBLIC))
}

/// What one request proves counts for no other one of its connection.
fn one_after_another(dice: &mut Dice, aim: &Aim) -> Hostile {
    let known = format!(
        "POST /api/v1/list_levels HTTP/1.1\r\nHost: {}\r\n{}Content-Length: 2\r\n\r\n{{}}",
        aim.host,
        bearer(&aim.reader)
    );
    let mut bytes = known.repeat(dice.below(20)).into_bytes();
    bytes.extend(request(
        "POST",
        "/api/v1/learn",
        "",
        br#"{"insight": "hostile words were stored"}"#,
        aim,
    ));
    made("one after another", bytes, if dice.is() { Then::SayEnd } else { Then::Leave }, true)
}

fn protocols(dice: &mut Dice, aim: &Aim) -> Hostile {
    let upgrade = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: {}\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
        aim.host,
        dice.one(&["websocket", "h2c", "TLS/1.0"])
    );
    let all: [Vec<u8>; 12] = [
        b"GET /\r\n".to_vec(),
        b"GET / HTTP/0.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
            .iter()
            .copied()
            .chain(dice.bytes(512))
            .collect(),
        b"\x16\x03\x01".to_vec(),
        upgrade.into_bytes(),
        b"PROXY TCP4 10.0.0.1 127.0.0.1 5 80\r\nGET / HTTP/1.1\r\n\r\n".to_vec(),
        b"SSH-2.0-OpenSSH_9.6\r\n".to_vec(),
        b"*1\r\n$8\r\nFLUSHALL\r\n".to_vec(),
        b"EHLO evil.example\r\n".to_vec(),
        b"\r\n".repeat(1 + dice.below(5_000)),
        Vec::new(),
    ];
    let bytes = all[dice.below(all.len())].clone();
    made("protocols", bytes, Then::SayEnd, false)
}

/// A message of MCP that says little, or too much.
fn message(dice: &mut Dice, tool: &str, uri: &str, version: &str) -> String {
    let arguments = String::from_utf8_lossy(&body(dice)).into_owned();
    let meta = format!(
        r#""_meta": {{"io.modelcontextprotocol/protocolVersion": "{version}", "io.modelcontextprotocol/clientInfo": {{"name": "t", "version": "1"}}, "io.modelcontextprotocol/clientCapabilities": {{}}}}"#
    );
    match dice.below(13) {
        0 => "[]".to_owned(),
        1 => format!(
            "[{}{{}}]",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"},"#.repeat(dice.below(500))
        ),
        2 => format!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"ping"}}"#,
            "9".repeat(1 + dice.below(500))
        ),
        3 => r#"{"jsonrpc":"1.0","id":null,"method":5}"#.to_owned(),
        4 => format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"{uri}",{meta}}}}}"#
        ),
        5 => format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{{"name":"{tool}",{meta}}}}}"#
        ),
        6 => format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{meta}}}}}"#,
            "m".repeat(dice.below(9_000))
        ),
        7 => arguments.clone(),
        8 => r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
            .to_owned(),
        9 => format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"{}","version":""}}}}}}"#,
            "n".repeat(dice.below(9_000))
        ),
        _ => format!(
            r#"{{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{meta}}}}}"#
        ),
    }
}

/// Messages of MCP.
fn messages(dice: &mut Dice, aim: &Aim) -> Hostile {
    let tool = dice.one(&[
        "recall",
        "learn",
        "correct",
        "begin_task",
        "end_task",
        "capture",
        "get_memory",
        "drop",
        "../learn",
        "",
    ]);
    let uri = dice.one(&[
        "memory://now",
        "memory://limits",
        "memory://memory/1",
        "memory://memory/../../etc/passwd",
        "memory://keyframe/1.jpg",
        "memory://session/%2e%2e",
        "file:///etc/passwd",
        "memory:",
    ]);
    let version = dice.one(&[
        "2026-07-28",
        "2026-07-28",
        "2026-07-28",
        "2025-11-25",
        "2024-11-05",
        "1",
        "\u{fffd}",
    ]);
    let message = message(dice, tool, uri, version);
    // Most are such as a client sends, so that they go farther than the headers.
    let is_formal = dice.below(4) > 0;
    let method = match &message {
        _ if !is_formal => dice.one(&["tools/call", "resources/read", "ping", "\u{7f}", ""]),
        message if message.contains("resources/read") => "resources/read",
        message if message.contains("prompts/get") => "prompts/get",
        message if message.contains("initialize") => "initialize",
        _ => "tools/call",
    };
    let name = if method == "resources/read" { uri } else { tool };
    let (kinds, accepted): (&[&str], &[&str]) = if is_formal {
        (&["application/json"], &["application/json, text/event-stream"])
    } else {
        (&["application/json", "text/plain", ""], &["*/*", "text/event-stream", ""])
    };
    let proof = if dice.below(4) == 0 { String::new() } else { bearer(&aim.reader) };
    let headers = format!(
        "{proof}MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n\
         Mcp-Session-Id: {}\r\nContent-Type: {}\r\nAccept: {}\r\n",
        dice.below(1_000),
        dice.one(kinds),
        dice.one(accepted)
    );
    let verb = if is_formal { "POST" } else { dice.one(&["POST", "DELETE", "PUT"]) };
    let bytes = request(verb, "/mcp", &headers, message.as_bytes(), aim);
    made("messages", bytes, Then::ReadSome, !proof.is_empty())
}

/// What the cookie of a login is called.
fn cookie(aim: &Aim) -> String {
    format!("robot_memory_login_{}", aim.host.rsplit(':').next().unwrap_or_default())
}

fn logins(dice: &mut Dice, aim: &Aim) -> Hostile {
    let form = match dice.below(8) {
        0 => format!("token={}", aim.removed),
        1 => format!("token={}", "x".repeat(dice.below(300_000))),
        2 => "token=".to_owned(),
        3 => "token=a&".repeat(dice.below(5_000)),
        4 => "token=%0d%0aSet-Cookie:%20x-injected=1".to_owned(),
        5 => format!("token={}", dice.one(&TEXTS)),
        6 => "%".repeat(dice.below(1_000)),
        _ => String::new(),
    };
    let cookie = match dice.below(4) {
        0 => format!("Cookie: {}={}\r\n", cookie(aim), "0".repeat(64)),
        1 => format!("Cookie: {}\r\n", "a=b; ".repeat(dice.below(2_000))),
        2 => format!("Cookie: {0}=; {0}=\"\r\n", cookie(aim)),
        _ => String::new(),
    };
    let page = dice.one(&[
        "",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ]);
    let path = dice.one(&[
        "/login",
        "/logout",
        "/",
        "/memories/1",
        "/memories/1/forget",
        "/jobs/run",
        "/login?token=x",
    ]);
    let headers = format!("{cookie}{page}Content-Type: application/x-www-form-urlencoded\r\n");
    let method = dice.one(&["POST", "GET"]);
    let bytes = request(method, path, &headers, form.as_bytes(), aim);
    made("logins", bytes, Then::ReadAll, is_of(path, &PUBLIC))
}

/// A request of somebody known, with some of its bytes changed; or none of anybody.
fn noise(dice: &mut Dice, aim: &Aim) -> Hostile {
    if dice.below(3) == 0 {
        let count = dice.below(3_000);
        return made("noise", dice.bytes(count), Then::SayEnd, false);
    }
    let body = br#"{"query": "cup", "context_filter": {"params.force": {"$gte": 0}}, "n": 3}"#;
    let headers = format!("{}Content-Type: application/json\r\n", bearer(&aim.reader));
    let mut bytes = request("POST", "/api/v1/recall", &headers, body, aim);
    for _ in 0..1 + dice.below(8) {
        let at = dice.below(bytes.len());
        // Never none at all.
        match dice.below(if bytes.len() < 2 { 1 } else { 4 }) {
            0 => bytes[at] = dice.next() as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, dice.next() as u8),
            _ => bytes.truncate(at.max(1)),
        }
    }
    made("noise", bytes, Then::SayEnd, true)
}
