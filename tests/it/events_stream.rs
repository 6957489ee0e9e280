//! Server-sent events: real sockets, a real listener, a real store.

use crate::http::Served;
use crate::robot;
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory::faces::http::{HttpServer, HttpSettings, HttpTarget};
use robot_memory_core::api::{Forget, ForgetRequest, Learn, LearnRequest};
use robot_memory_core::limits::EVENTS_SCANNED_MAX;
use robot_memory_engine::Engine;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No wait of a test is longer.
const ENDS: Duration = Duration::from_secs(60);

/// An event as it came. `event` is empty for the id that a stream begins with.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    event: String,
    id: String,
    data: Value,
}

impl Event {
    fn content(&self) -> &str {
        self.data["content"].as_str().unwrap_or_default()
    }

    /// The part of the id that is the memory's.
    fn number(&self) -> i64 {
        self.id.rsplit_once('-').unwrap().1.parse().unwrap()
    }
}

/// Somebody who follows a stream.
struct Follower {
    socket: TcpStream,
    headers: String,
    text: String,
}

impl Follower {
    /// In HTTP 1.0 an answer ends with its connection, and comes without marks of its parts.
    fn begin(address: SocketAddr, token: &str, query: &str, last: &str) -> Self {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(ENDS)).unwrap();
        let proof = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let last = match last {
            "" => String::new(),
            last => format!("Last-Event-ID: {last}\r\n"),
        };
        write!(
            socket,
            "GET /api/v1/events{query} HTTP/1.0\r\nHost: {address}\r\n{proof}{last}\r\n"
        )
        .unwrap();
        let mut follower = Self { socket, headers: String::new(), text: String::new() };
        follower.headers = follower.until("\r\n\r\n").expect("headers");
        follower
    }

    fn status(&self) -> u16 {
        self.headers.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// What comes up to this mark; `None` when it ends before.
    fn until(&mut self, mark: &str) -> Option<String> {
        loop {
            if let Some((before, after)) = self.text.split_once(mark) {
                let (before, after) = (before.to_owned(), after.to_owned());
                self.text = after;
                return Some(before);
            }
            let mut bytes = [0; 4096];
            match self.socket.read(&mut bytes).expect("it comes in time") {
                0 => return None,
                count => self.text.push_str(std::str::from_utf8(&bytes[..count]).unwrap()),
            }
        }
    }

    /// The next event, or the id that the stream begins with; `None` when it ends.
    fn next(&mut self) -> Option<Event> {
        loop {
            let block = self.until("\n\n")?;
            let field = |name: &str| {
                let line = block.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().to_owned()
            };
            let (event, id, data) = (field("event: "), field("id: "), field("data: "));
            if !id.is_empty() {
                let data = if data.is_empty() { Value::Null } else { data.parse().unwrap() };
                return Some(Event { event, id, data });
            }
        }
    }

    /// The next event of a memory.
    fn memory(&mut self) -> Event {
        let event = self.next().expect("the stream goes on");
        assert!(["fact", "perception", "summary"].contains(&event.event.as_str()), "{event:?}");
        event
    }

    /// The id that the stream begins with.
    fn position(&mut self) -> Event {
        let event = self.next().expect("the stream begins");
        assert_eq!((event.event.as_str(), &event.data), ("", &Value::Null));
        event
    }
}

/// A listener that needs no token, and its engine.
fn serve(folder: &Path) -> (HttpServer, Arc<Engine>) {
    let (engine, _) = robot::open(&folder.join("memory.db")).unwrap();
    let engine = Arc::new(engine);
    let settings = HttpSettings {
        address: "127.0.0.1:0".to_owned(),
        hosts: Vec::new(),
        is_open: true,
        tokens_path: folder.join("tokens.json"),
        requests_per_second_max: 1e4,
        login_link: false,
    };
    let target = HttpTarget::alone(Arc::clone(&engine), 2).unwrap();
    (HttpServer::start(settings, target).unwrap(), engine)
}

fn stop(server: HttpServer, engine: &Engine) {
    assert!(server.stop(Instant::now() + ENDS), "the listener did not end");
    engine.close().unwrap();
}

fn learn(engine: &Engine, insight: &str) -> i64 {
    let request = LearnRequest {
        insight: insight.to_owned(),
        scope: "global".to_owned(),
        ..Default::default()
    };
    engine.call::<Learn>(request).unwrap().memory_id
}

#[test]
fn what_is_stored_comes_with_its_id_and_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let (server, engine) = serve(folder.path());
    learn(&engine, "the cup is on the shelf");
    let mut follower = Follower::begin(server.address(), "", "", "");
    assert_eq!(follower.status(), 200, "{}", follower.headers);
    assert!(follower.headers.contains("content-type: text/event-stream"), "{}", follower.headers);
    let begin = follower.position();
    // What was stored before is not told to who comes for the first time.
    let id = learn(&engine, "the mug takes 12 N");
    let event = follower.memory();
    assert_eq!((event.event.as_str(), event.number()), ("fact", id));
    assert!(event.id != begin.id && event.number() > begin.number());
    assert_eq!(event.content(), "the mug takes 12 N");
    let mut names: Vec<&str> = event.data.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    let mut expected = vec![
        "stamp",
        "memory_id",
        "type",
        "perception_type",
        "category",
        "content",
        "collection",
        "session_id",
        "scope",
        "source",
        "stream",
        "trigger",
        "event_id",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected, "as msg/MemoryEvent.msg");
    assert_eq!((&event.data["type"], &event.data["scope"]), (&json!("fact"), &json!("global")));
    stop(server, &engine);
}

#[test]
fn a_stream_goes_on_where_it_was_also_in_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let (server, engine) = serve(folder.path());
    let mut follower = Follower::begin(server.address(), "", "", "");
    let begin = follower.position();
    learn(&engine, "one is a fact");
    let seen = follower.memory();
    drop(follower);
    let two = learn(&engine, "two is a fact");
    let gone = learn(&engine, "nothing stays of this");
    let request = ForgetRequest { memory_id: gone, reason: "wrong".into(), ..Default::default() };
    engine.call::<Forget>(request).unwrap();
    stop(server, &engine);
    drop(engine);

    let (server, engine) = serve(folder.path());
    let three = learn(&engine, "three is a fact");
    for last in [seen.id.clone(), seen.number().to_string()] {
        for (query, header) in
            [(String::new(), last.clone()), (format!("?last_event_id={last}"), String::new())]
        {
            let mut follower = Follower::begin(server.address(), "", &query, &header);
            assert_eq!(follower.position().id, seen.id);
            assert_eq!([follower.memory().number(), follower.memory().number()], [two, three]);
        }
    }
    // Who left before its first event lost nothing either.
    let mut follower = Follower::begin(server.address(), "", "", &begin.id);
    follower.position();
    assert_eq!(follower.memory().content(), "one is a fact");
    stop(server, &engine);
}

#[test]
fn what_cannot_be_told_is_told_as_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let (server, engine) = serve(folder.path());
    learn(&engine, "one is a fact");
    let newest = learn(&engine, "two is a fact");
    for (last, reason) in [
        ("ffffffff-1", "another_store"),
        ("99999", "unknown_id"),
        ("latest", "unknown_id"),
        ("-1", "another_store"),
    ] {
        let mut follower = Follower::begin(server.address(), "", "", last);
        let gap = follower.next().unwrap();
        assert_eq!((gap.event.as_str(), gap.number()), ("gap", newest), "{last}");
        assert_eq!(gap.data, json!({ "from": 1, "to": newest, "reason": reason }), "{last}");
        assert_eq!(follower.position().id, gap.id);
        if last == "latest" {
            let next = learn(&engine, "three is a fact");
            assert_eq!(follower.memory().number(), next);
        }
        drop(follower);
        if last == "latest" {
            break;
        }
    }
    stop(server, &engine);
}

#[test]
fn each_agent_is_told_what_it_may_read_and_nothing_else() {
    let served = Served::new(false, 1e4);
    let tokens_path = served.folder.path().join("tokens.json");
    let skill = tokens::add(&tokens_path, "s", "skill_vault", Profile::Planner).unwrap();
    let begin = |token: &str, query: &str| Follower::begin(served.address, token, query, "");
    let mut of_skill = begin(&skill, "");
    let mut of_reader = begin(&served.reader, "");
    let mut of_operator = begin(&served.operator, "");
    let mut as_skill = begin(&served.operator, "?agent=skill_vault");
    let mut as_reader = begin(&served.operator, "?agent=dashboard");
    for follower in [&mut of_skill, &mut of_reader, &mut of_operator, &mut as_skill, &mut as_reader]
    {
        follower.position();
    }
    let told = |token: &str, insight: &str, scope: &str, mem_type: &str| {
        let fields = json!({ "insight": insight, "scope": scope, "mem_type": mem_type });
        let answer = served.post(token, "learn", &fields);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["memory_id"].as_i64().unwrap()
    };
    let own = told(&skill, "the vault opens with 4 turns", "agent:skill_vault", "procedure");
    let all = told(&served.planner, "the mug takes 12 N", "global", "");
    for follower in [&mut of_skill, &mut as_skill, &mut of_operator] {
        let event = follower.memory();
        assert_eq!((event.number(), event.content()), (own, "the vault opens with 4 turns"));
    }
    for follower in [&mut of_reader, &mut as_reader] {
        let event = follower.memory();
        assert_eq!((event.number(), event.content()), (all, "the mug takes 12 N"));
    }
    // Also of what was before.
    let mut again = Follower::begin(served.address, &served.reader, "", "0");
    again.position();
    assert_eq!(again.memory().number(), all);

    for (token, query, status) in [
        ("", "", 401),
        ("rmt_00", "", 401),
        (served.reader.as_str(), "?agent=skill_vault", 403),
        (served.reader.as_str(), "?agent=", 403),
        (served.reader.as_str(), "?agent=dashboard", 200),
        (served.reader.as_str(), "?scope=all", 400),
    ] {
        assert_eq!(begin(token, query).status(), status, "{token} {query}");
    }
}

#[test]
fn what_may_not_be_seen_is_passed_over_part_by_part() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, _) = robot::open(&folder.path().join("memory.db")).unwrap();
    let unseen = i64::from(EVENTS_SCANNED_MAX) + 8;
    for number in 0..unseen {
        let request = LearnRequest {
            insight: format!("lock {number} of the vault opens with {number} turns"),
            scope: "agent:skill_vault".to_owned(),
            agent: "skill_vault".to_owned(),
            mem_type: "procedure".to_owned(),
            ..Default::default()
        };
        engine.call::<Learn>(request).unwrap();
    }
    let seen = learn(&engine, "the mug takes 12 N");
    let part = |after| {
        let part = engine.stored_after("dashboard", Some(after)).unwrap();
        assert_eq!(part.newest_id, seen);
        let ids: Vec<i64> =
            part.memories.into_iter().map(|one| one.map_or(-1, |one| one.memory.id)).collect();
        (ids, part.until)
    };
    assert_eq!(part(0), (vec![], i64::from(EVENTS_SCANNED_MAX)));
    assert_eq!(part(i64::from(EVENTS_SCANNED_MAX)), (vec![seen], seen));
    assert_eq!(part(seen), (vec![], seen));
}

#[test]
fn a_token_that_is_taken_back_ends_its_stream_before_the_next_event() {
    let served = Served::new(false, 1e4);
    let mut follower = Follower::begin(served.address, &served.reader, "", "");
    follower.position();
    tokens::remove(&served.folder.path().join("tokens.json"), "r").unwrap();
    let fields = json!({ "insight": "the mug takes 12 N", "scope": "global" });
    assert_eq!(served.post(&served.planner, "learn", &fields).status, 200);
    assert_eq!(follower.next(), None);
}

#[test]
fn there_are_so_many_streams_and_no_more() {
    let served = Served::new(false, 1e4);
    let tokens_path = served.folder.path().join("tokens.json");
    let add = |name: &str| tokens::add(&tokens_path, name, "dashboard", Profile::Reader).unwrap();
    let tokens: Vec<String> = ["a", "b", "c", "d", "e"].map(add).to_vec();
    let begin = |token: &str| Follower::begin(served.address, token, "", "");
    let mut open = Vec::new();
    for token in &tokens[..4] {
        for _ in 0..8 {
            open.push(begin(token));
            assert_eq!(open.last().unwrap().status(), 200);
        }
        let status = if open.len() < 32 { vec![429] } else { vec![429, 503] };
        assert!(status.contains(&begin(token).status()));
    }
    assert_eq!(begin(&tokens[4]).status(), 503);
    // Calls go on meanwhile.
    assert_eq!(served.post(&served.reader, "list_levels", &json!({})).status, 200);
    open.clear();
    let until = Instant::now() + ENDS;
    while begin(&tokens[4]).status() != 200 {
        assert!(Instant::now() < until, "no place becomes free");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn who_reads_late_holds_up_nobody_and_misses_nothing() {
    const COUNT: i64 = 300;
    let folder = tempfile::tempdir().unwrap();
    let (server, engine) = serve(folder.path());
    let mut slow = Follower::begin(server.address(), "", "", "");
    let mut quick = Follower::begin(server.address(), "", "", "");
    slow.position();
    quick.position();
    let filler = "x".repeat(200);
    for number in 0..COUNT {
        learn(&engine, &format!("part {number} of the shelf is at {number} mm {filler}"));
    }
    let told = |follower: &mut Follower| {
        (0..COUNT).map(|_| follower.memory().number()).collect::<Vec<i64>>()
    };
    let of_quick = told(&mut quick);
    assert!(of_quick.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(told(&mut slow), of_quick);
    stop(server, &engine);
}

#[test]
fn open_streams_end_in_order_when_the_listener_stops_and_are_kept_alive_until_then() {
    let folder = tempfile::tempdir().unwrap();
    let (server, engine) = serve(folder.path());
    let address = server.address();
    let mut open: Vec<TcpStream> = (0..5)
        .map(|_| {
            let mut socket = TcpStream::connect(address).unwrap();
            socket.set_read_timeout(Some(ENDS)).unwrap();
            write!(socket, "GET /api/v1/events HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
            socket
        })
        .collect();
    let mut came = String::new();
    while !came.contains(": keep-alive\n\n") {
        let mut bytes = [0; 4096];
        let count = open[0].read(&mut bytes).unwrap();
        assert!(count > 0, "{came}");
        came.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
    }
    stop(server, &engine);
    for mut socket in open {
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        // The last part of an answer, and not a connection that was cut.
        assert!(text.ends_with("\r\n0\r\n\r\n") || text == "0\r\n\r\n", "{text:?}");
    }
}
