//! What is read with GET: a real listener, real sockets, a real store.

use crate::http::Served;
use crate::record::contact;
use crate::robot::{self, START, SetClock};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory_core::model::Stamp;
use robot_memory_engine::{Engine, Recording};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use tempfile::TempDir;

/// Of this agent, who has a scope of its own.
const VAULT: &str = "agent:skill_vault";

fn vault_token(served: &Served) -> String {
    let tokens_path = served.folder.path().join("tokens.json");
    tokens::add(&tokens_path, "v", "skill_vault", Profile::Planner).unwrap()
}

#[test]
fn a_memory_is_read_by_its_path_as_by_its_operation() {
    let served = Served::new(false, 1e4);
    let vault = vault_token(&served);
    let secret = json!({ "insight": "the vault opens with 4 turns", "scope": VAULT,
        "mem_type": "procedure" });
    let id = served.post(&vault, "learn", &secret).json()["memory_id"].as_i64().unwrap();
    let path = format!("/api/v1/memories/{id}");
    let read = served.get(&vault, &path);
    assert_eq!(read.status, 200, "{}", read.body);
    let posted = served.post(&vault, "get_memory", &json!({ "memory_id": id }));
    assert_eq!(read.json(), posted.json());
    let whole = served.get(&vault, &format!("{path}?include_embedding=true"));
    assert_eq!(whole.status, 200, "{}", whole.body);

    let (hidden, absent) = (served.get(&served.reader, &path), "/api/v1/memories/77");
    let absent = served.get(&served.reader, absent);
    assert_eq!((hidden.status, absent.status), (404, 404), "{}", hidden.body);
    assert_eq!(hidden.detail().replace(&id.to_string(), "77"), absent.detail());
    assert_eq!(served.get("", &path).status, 401);
    let posing = served.get(&served.reader, &format!("{path}?agent=skill_vault"));
    assert_eq!(posing.status, 403, "{}", posing.body);

    for (path, message) in [
        ("/api/v1/memories/first", "memory_id: must be a number, got \"first\""),
        ("/api/v1/memories/1?include_data=1", "include_data: must be true or false, got \"1\""),
        ("/api/v1/memories/1?memory_id=2", "memory_id: is given twice"),
        ("/api/v1/memories/1?n=2", "n: get_memory has no such field"),
        ("/api/v1/memories/1?cursor=a", "cursor: get_memory has no pages"),
        ("/api/v1/memories/0", "memory_id: "),
        ("/api/v1/memories/%ff", "the path: "),
        ("/api/v1/jobs?limit=0", "limit: "),
    ] {
        let refused = served.get(&served.operator, path);
        assert_eq!(refused.status, 400, "{path}: {}", refused.body);
        assert!(refused.detail().starts_with(message), "{path}: {}", refused.body);
    }
}

#[test]
fn what_is_only_read_takes_head_and_says_so_to_other_methods() {
    let served = Served::new(true, 1e4);
    let learned = served.post("", "learn", &json!({ "insight": "the mug takes 12 N" }));
    assert_eq!(learned.status, 200);
    let get = served.get("", "/api/v1/memories/1");
    let (head, body) = served.read("HEAD", "", "/api/v1/memories/1", "");
    assert_eq!((head.status, body.len()), (200, 0));
    assert!(
        head.headers.contains(&format!("content-length: {}", get.body.len())),
        "{}",
        head.headers
    );
    for path in [
        "/api/v1/memories/1",
        "/api/v1/keyframes/1.jpg",
        "/api/v1/clips/1.mcap",
        "/api/v1/sessions",
        "/api/v1/sessions/a",
        "/api/v1/jobs",
        "/api/v1/jobs/1",
    ] {
        for method in ["POST", "DELETE", "PUT"] {
            let (refused, _) = served.read(method, "", path, "Content-Length: 0\r\n");
            assert_eq!(refused.status, 405, "{method} {path}");
            assert!(refused.headers.contains("allow: get,head"), "{}", refused.headers);
            assert!(refused.detail().contains("GET or HEAD"));
        }
    }
}

#[test]
fn what_is_there_for_everybody_says_what_is_wrong_as_the_rest_does() {
    let served = Served::new(true, 1e4);
    for (method, path, status) in [
        ("POST", "/api/v1/%ff", 400),
        ("DELETE", "/healthz", 405),
        ("DELETE", "/login", 405),
        ("GET", "/logout", 405),
        ("POST", "/assets/x", 405),
        ("GET", "/assets/x", 404),
        ("GET", "/assets/%ff", 404),
    ] {
        let (refused, _) = served.read(method, "", path, "Content-Length: 0\r\n");
        assert_eq!(refused.status, status, "{method} {path}");
        let kind = "content-type: application/problem+json";
        assert!(refused.headers.contains(kind), "{method} {path}: {}", refused.headers);
        assert_eq!(refused.headers.contains("allow: "), status == 405, "{}", refused.headers);
        assert!(!refused.detail().is_empty(), "{method} {path}");
    }
}

/// A perception with data, as an agent saves it; its id.
fn perceive(served: &Served, token: &str, data: &Value, scope: &str) -> i64 {
    let request = json!({ "description": "the wrist camera saw the shelf", "perception_type": "visual",
        "data": data, "scope": scope });
    let saved = served.post(token, "save_perception", &request);
    assert_eq!(saved.status, 200, "{}", saved.body);
    saved.json()["memory_id"].as_i64().unwrap()
}

fn with_picture(bytes: &[u8]) -> Value {
    json!({ "image": { "thumbnail_jpeg": STANDARD.encode(bytes) } })
}

#[test]
fn a_picture_is_a_file_for_who_may_read_its_memory() {
    let served = Served::new(false, 1e4);
    let vault = vault_token(&served);
    let jpeg = [&[0xff, 0xd8, 0xff, 0xe0][..], &[7; 5_000]].concat();
    let id = perceive(&served, &vault, &with_picture(&jpeg), VAULT);
    let path = format!("/api/v1/keyframes/{id}.jpg");
    let (read, body) = served.read("GET", &vault, &path, "");
    assert_eq!((read.status, body == jpeg), (200, true), "{}", read.headers);
    for header in [
        "content-type: image/jpeg",
        "cache-control: private, no-cache",
        "content-length: 5004",
        "x-content-type-options: nosniff",
    ] {
        assert!(read.headers.contains(header), "{header}: {}", read.headers);
    }
    let tag = read.headers.split("etag: ").nth(1).and_then(|rest| rest.lines().next());
    // Names of headers are compared in lower case here; the tag is not.
    let (whole, _) = served.read("GET", &vault, &path, "If-None-Match: \"other\", W/\"x\"\r\n");
    assert_eq!(whole.status, 200);
    assert_eq!(tag.map(str::len), Some(24), "{}", read.headers);
    let (any, body) = served.read("GET", &vault, &path, "If-None-Match: *\r\n");
    assert_eq!((any.status, body.len()), (304, 0));
    assert!(any.headers.contains("etag: "), "{}", any.headers);
    let (head, body) = served.read("HEAD", &vault, &path, "");
    assert_eq!((head.status, body.len()), (200, 0));
    assert!(head.headers.contains("content-length: 5004"), "{}", head.headers);

    assert_eq!(served.get(&served.reader, &path).status, 404);
    assert_eq!(served.get("", &path).status, 401);
    let page = perceive(&served, &vault, &with_picture(b"<script>alert(1)</script>"), VAULT);
    let none = perceive(&served, &vault, &json!({ "note": "no picture" }), VAULT);
    for id in [page, none] {
        let answer = served.get(&vault, &format!("/api/v1/keyframes/{id}.jpg"));
        assert_eq!(answer.status, 404, "{}", answer.body);
        assert_eq!(answer.detail(), format!("memory_id: memory {id} has no picture"));
    }
    for name in ["1.png", "1", ".jpg", "-1.jpg", "+1.jpg", "1.jpg.jpg", "99999999999999999999.jpg"]
    {
        let answer = served.get(&vault, &format!("/api/v1/keyframes/{name}"));
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
    }
}

#[test]
fn a_timeline_is_read_page_by_page_as_by_its_operation() {
    let served = Served::new(false, 1e4);
    served.post(&served.planner, "start_session", &json!({ "context": { "task": "sort" } }));
    for number in 0..4 {
        let insight = format!("bin {number} holds {} bolts", number * 10 + 3);
        served.post(&served.planner, "learn", &json!({ "insight": insight }));
    }
    let whole = served.post(&served.reader, "timeline", &json!({ "kinds": ["memory", "session"] }));
    let whole = whole.json();
    assert!(whole["total"].as_u64().unwrap() >= 4, "{whole}");
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    for _ in 0..20 {
        let path = format!("/api/v1/timeline?n=2&kinds=memory&kinds=session&cursor={cursor}");
        let page = served.get(&served.reader, &path);
        assert_eq!(page.status, 200, "{}", page.body);
        let page = page.json();
        assert_eq!(page["total"], whole["total"]);
        entries.extend(page["entries"].as_array().unwrap().iter().cloned());
        cursor = page["next_cursor"].as_str().unwrap().replace('/', "%2F");
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(json!(entries), whole["entries"]);
    let wrong = served.get(&served.reader, "/api/v1/timeline?cursor=a");
    assert_eq!(wrong.status, 400, "{}", wrong.body);
    assert!(wrong.detail().starts_with("cursor: is none"), "{}", wrong.body);
}

#[test]
fn a_clip_is_a_file_below_its_folder_and_no_other_one() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("memory.db");
    let (engine, _) = robot::open(&store).unwrap();
    let clips = engine.clips_folder();
    fs::create_dir_all(clips.join("deeper")).unwrap();
    let bytes: Vec<u8> = (0..700_000_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(clips.join("a.mcap"), &bytes).unwrap();
    fs::write(clips.join("deeper/b.mcap"), "deeper").unwrap();
    fs::write(folder.path().join("secret.mcap"), "a secret").unwrap();
    symlink(folder.path().join("secret.mcap"), clips.join("link.mcap")).unwrap();
    symlink(clips.join("a.mcap"), clips.join("own.mcap")).unwrap();
    let secret = folder.path().join("secret.mcap").display().to_string();
    let names = [
        "a.mcap",
        "../../../../../etc/passwd",
        "../secret.mcap",
        &secret,
        "link.mcap",
        "deeper/b.mcap",
        "deeper",
        ".",
        "..",
        "gone.mcap",
        "",
    ];
    let recordings = names.iter().enumerate().map(|(number, name)| Recording {
        clip: Some(((*name).to_owned(), 5)),
        ..contact(&format!("k{number}"), Stamp(START.0 - i64::try_from(number).unwrap()))
    });
    let stored = engine.record(recordings.collect()).unwrap();
    let ids: Vec<i64> = stored.into_iter().map(|stored| stored.unwrap().memory_id).collect();
    let served = Served::of(Arc::new(engine), folder, false, 1e4);
    let path = |id: i64| format!("/api/v1/clips/{id}.mcap");
    let (read, body) = served.read("GET", &served.reader, &path(ids[0]), "");
    assert_eq!((read.status, body == bytes), (200, true), "{}", read.headers);
    for header in [
        "content-length: 2800000",
        "cache-control: private, no-cache",
        "content-type: application/octet-stream",
        &format!("content-disposition: attachment; filename=\"{}.mcap\"", ids[0]),
    ] {
        assert!(read.headers.contains(header), "{header}: {}", read.headers);
    }
    let (head, body) = served.read("HEAD", &served.reader, &path(ids[0]), "");
    assert_eq!((head.status, body.len()), (200, 0));
    assert!(head.headers.contains("content-length: 2800000"), "{}", head.headers);
    for (id, name) in ids.iter().zip(names).skip(1) {
        let answer = served.get(&served.reader, &path(*id));
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
        assert_eq!(answer.detail(), format!("memory_id: memory {id} has no clip"), "{name}");
    }
    assert_eq!(served.get("", &path(ids[0])).status, 401);
    for name in ["..%2f..%2fetc%2fpasswd", "a.mcap", "1.mcap%00", "%2e%2e/1.mcap"] {
        let answer = served.get(&served.reader, &format!("/api/v1/clips/{name}"));
        assert_eq!(answer.status, 404, "{name}: {}", answer.body);
    }
    // As soon as its memory is gone, so is it.
    let deleted = served.post(&served.operator, "delete_memory", &json!({ "memory_id": ids[0] }));
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    assert_eq!(served.get(&served.reader, &path(ids[0])).status, 404);
}

#[test]
fn a_clip_is_hidden_with_its_memory() {
    let folder = TempDir::new().unwrap();
    let store = folder.path().join("memory.db");
    let (engine, _) = robot::open(&store).unwrap();
    fs::create_dir_all(engine.clips_folder()).unwrap();
    fs::write(engine.clips_folder().join("a.mcap"), "raw messages").unwrap();
    let recording = Recording { clip: Some(("a.mcap".to_owned(), 12)), ..contact("k", START) };
    engine.record(vec![recording]).unwrap();
    drop(engine);
    let connection = rusqlite::Connection::open(&store).unwrap();
    let changed = connection.execute("UPDATE memory SET scope = ?1 WHERE id = 1", [VAULT]).unwrap();
    assert_eq!(changed, 1);
    drop(connection);
    let (engine, _) = robot::open(&store).unwrap();
    let served = Served::of(Arc::new(engine), folder, false, 1e4);
    let vault = vault_token(&served);
    assert_eq!(served.get(&vault, "/api/v1/clips/1.mcap").body, "raw messages");
    let hidden = served.get(&served.reader, "/api/v1/clips/1.mcap");
    assert_eq!(hidden.status, 404);
    assert_eq!(hidden.detail(), served.get(&served.reader, "/api/v1/memories/1").detail());
}

/// What a list shows, page by page; between two of them something happens.
fn paged(
    served: &Served,
    path: &str,
    rows: &str,
    id: &str,
    mut between: impl FnMut(usize),
) -> Vec<String> {
    let mut seen = Vec::new();
    let mut cursor = String::new();
    for page in 0..50 {
        let answer = served.get(&served.operator, &format!("{path}{cursor}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.json();
        let shown = answer[rows].as_array().unwrap();
        seen.extend(shown.iter().map(|row| row[id].to_string()));
        match answer["next_cursor"].as_str() {
            Some(next) => {
                assert_eq!(answer["has_more"], true);
                cursor = format!("&cursor={next}");
            }
            None => {
                assert_eq!(
                    (&answer["next_cursor"], &answer["has_more"]),
                    (&Value::Null, &json!(false))
                );
                return seen;
            }
        }
        between(page);
    }
    panic!("{path} does not end");
}

/// A robot whose sessions begin one after the other.
struct Sessions {
    served: Served,
    clock: Arc<SetClock>,
    now: Cell<i64>,
}

impl Sessions {
    fn new(count: usize) -> (Self, Vec<String>) {
        let folder = TempDir::new().unwrap();
        let clock = Arc::new(SetClock::default());
        clock.set(START);
        let config = robot::config(&folder.path().join("memory.db"));
        let (engine, _) = Engine::open(config, Arc::clone(&clock) as _).unwrap();
        let served = Served::of(Arc::new(engine), folder, false, 1e6);
        let sessions = Self { served, clock, now: Cell::new(0) };
        let mut ids: Vec<String> = (0..count).map(|_| sessions.start()).collect();
        ids.reverse();
        (sessions, ids)
    }

    fn start(&self) -> String {
        // Some within the same second, so that the digits of their times differ.
        self.now.set(self.now.get() + 400_000_000);
        self.clock.set(Stamp(START.0 + self.now.get()));
        let started = self.served.post(&self.served.operator, "start_session", &json!({}));
        assert_eq!(started.status, 200, "{}", started.body);
        started.json()["session_id"].to_string()
    }

    fn end(&self, id: &str) {
        let id = id.trim_matches('"');
        let ended =
            self.served.post(&self.served.operator, "end_session", &json!({ "session_id": id }));
        assert_eq!(ended.status, 200, "{}", ended.body);
    }
}

#[test]
fn pages_of_sessions_neither_repeat_nor_miss_one_when_sessions_come() {
    for (limit, come) in [(1, 1), (2, 3), (3, 130), (5, 0), (100, 2)] {
        let (sessions, ids) = Sessions::new(7);
        let path = format!("/api/v1/sessions?limit={limit}");
        let seen = paged(&sessions.served, &path, "sessions", "session_id", |_| {
            for _ in 0..come {
                sessions.start();
            }
        });
        assert_eq!(seen, ids, "limit {limit}, {come} come");
    }
}

#[test]
fn pages_of_sessions_neither_repeat_nor_miss_one_when_sessions_go() {
    let (sessions, ids) = Sessions::new(9);
    let path = "/api/v1/sessions?limit=2&status=open";
    let seen = paged(&sessions.served, path, "sessions", "session_id", |page| {
        // All that were shown, and the next one, too.
        for id in ids.iter().skip(page * 3).take(3) {
            sessions.end(id);
        }
    });
    let kept: Vec<&String> = [0, 1, 3, 4, 6, 7].map(|at| &ids[at]).to_vec();
    assert_eq!(seen.iter().collect::<Vec<_>>(), kept);
    let one = sessions
        .served
        .get(&sessions.served.operator, &format!("/api/v1/sessions/{}", ids[0].trim_matches('"')));
    assert_eq!(one.json()["session"]["status"], "ended", "{}", one.body);
    assert_eq!(sessions.served.get(&sessions.served.operator, "/api/v1/sessions/x").status, 404);
}

#[test]
fn pages_of_jobs_follow_their_order_while_jobs_come() {
    let served = Served::with_jobs();
    let session = served.post(&served.operator, "start_session", &json!({}));
    let session = session.json()["session_id"].clone();
    let number = Cell::new(0);
    let queue = || {
        number.set(number.get() + 1);
        let turn = json!({ "session_id": session, "turn_no": number.get(), "text": "It went on" });
        let queued = served.post(&served.operator, "commit_turn", &turn);
        assert_eq!(queued.status, 200, "{}", queued.body);
        queued.json()["job_id"].to_string()
    };
    for (order, come) in [("asc", 0), ("desc", 2), ("desc", 5)] {
        for _ in 0..8 {
            queue();
        }
        let path = format!("/api/v1/jobs?limit=3&sort_order={order}&job_type=ingest_turn");
        let before = paged(&served, &path, "jobs", "id", |_| {});
        let again = paged(&served, &path, "jobs", "id", |_| {
            for _ in 0..come {
                queue();
            }
        });
        assert_eq!(before, again, "{order}");
        let distinct: BTreeSet<&String> = before.iter().collect();
        assert_eq!(distinct.len(), before.len());
    }
    let id = queue();
    let one = served.get(&served.operator, &format!("/api/v1/jobs/{id}"));
    assert_eq!(one.json()["job_type"], "ingest_turn", "{}", one.body);
    let echoed = served.get(&served.operator, "/api/v1/jobs?limit=2&offset=1").json();
    assert_eq!((&echoed["limit"], &echoed["offset"]), (&json!(2), &json!(1)));
}

#[test]
fn a_cursor_is_of_the_request_that_got_it() {
    let (sessions, _) = Sessions::new(3);
    let Sessions { served, .. } = &sessions;
    let first = served.get(&served.operator, "/api/v1/sessions?limit=1").json();
    let cursor = first["next_cursor"].as_str().unwrap();
    let get = |query: &str| served.get(&served.operator, &format!("/api/v1/sessions?{query}"));
    // Another size of the pages is the same list.
    let rest = get(&format!("limit=2&offset=0&cursor={cursor}")).json();
    assert_eq!(rest["sessions"].as_array().unwrap().len(), 2, "{rest}");
    for (query, message) in [
        (format!("status=open&cursor={cursor}"), "cursor: is of another request"),
        (format!("offset=1&cursor={cursor}"), "offset: cannot be given"),
        (format!("limit=0&cursor={cursor}"), "limit: must be 1 to 100, got 0"),
        (format!("limit=101&cursor={cursor}"), "limit: must be 1 to 100, got 101"),
        (format!("cursor={}", &cursor[1..]), "cursor: is none"),
        ("cursor=".to_owned(), "cursor: is none"),
        (format!("cursor={cursor}&cursor={cursor}"), "cursor: is given twice"),
        (format!("cursor={}", "A".repeat(3_000)), "cursor: has at most"),
    ] {
        let refused = get(&query);
        assert_eq!(refused.status, 400, "{query}: {}", refused.body);
        assert!(refused.detail().starts_with(message), "{query}: {}", refused.body);
    }
    let jobs = served.get(&served.operator, &format!("/api/v1/jobs?cursor={cursor}"));
    assert!(jobs.detail().starts_with("cursor: is of another request"), "{}", jobs.body);
    // It opens nothing: the reader's own list is what its rights leave.
    let others = served.get(&served.reader, &format!("/api/v1/sessions?limit=1&cursor={cursor}"));
    assert_eq!(others.status, 200, "{}", others.body);
}

/// Bytes of memory that this process uses.
fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

#[test]
fn readers_of_a_large_clip_that_hang_take_no_memory_and_no_turn() {
    let folder = TempDir::new().unwrap();
    let (engine, _) = robot::open(&folder.path().join("memory.db")).unwrap();
    fs::create_dir_all(engine.clips_folder()).unwrap();
    let large = fs::File::create(engine.clips_folder().join("a.mcap")).unwrap();
    large.set_len(100 << 20).unwrap();
    let recording = Recording { clip: Some(("a.mcap".to_owned(), 5)), ..contact("k", START) };
    engine.record(vec![recording]).unwrap();
    let served = Served::of(Arc::new(engine), folder, true, 1e4);
    let before = resident_bytes();
    let request = format!("GET /api/v1/clips/1.mcap HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
    let hanging: Vec<TcpStream> = (0..30)
        .map(|_| {
            let mut stream = TcpStream::connect(served.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream.read_exact(&mut vec![0; 100_000]).unwrap();
            stream
        })
        .collect();
    assert_eq!(served.get("", "/api/v1/memories/1").status, 200);
    // Whole files would be 3 GiB; other tests of this process take some of what is measured.
    assert!(resident_bytes() < before + (1 << 30), "{} before, {}", before, resident_bytes());
    drop(hanging);
    assert_eq!(served.get("", "/api/v1/memories/1").status, 200);
}
