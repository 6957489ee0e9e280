//! Twenty thousand hostile requests to a listener in a process of its own: nothing panics, nothing leaks, nothing is
//! written, and what they took is given back.

use crate::hostile_answers::{Answer, ENDS, ask, shown};
use crate::hostile_parts::{Aim, Hostile, Then};
use crate::hostile_requests::hostile;
use crate::robot::{config, sql};
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory::faces::http::{HttpServer, HttpSettings, HttpTarget};
use robot_memory_core::api::{Learn, LearnRequest, SavePerception, SavePerceptionRequest};
use robot_memory_core::model::Stamp;
use robot_memory_engine::Engine;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Names the folder of the child process; set, this test binary is that child.
const FOLDER: &str = "ROBOT_MEMORY_HOSTILE_FOLDER";
const REQUESTS: u64 = 20_000;
const CLIENTS: u64 = 6;
/// In what only one agent may read.
const VAULT: &str = "mv51902k";
/// Resident memory that the second half of the requests may add to what the first half left behind: what leaks
/// grows, what is cached, or kept by the allocator, has grown by then.
const GROWTH_MB_MAX: u64 = 64;
/// And at any time, over what it had before: requests, what they become, and answers, each at its bound.
const PEAK_MB_MAX: u64 = 384;

/// What a refusal says, whatever it quotes.
const REFUSAL_BYTES_MAX: usize = 16 << 10;

struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        eprintln!("{} {} {}", record.level(), record.target(), record.args());
    }

    fn flush(&self) {}
}

struct Noon;

impl robot_memory_core::model::Clock for Noon {
    fn now(&self) -> Option<Stamp> {
        Some(crate::robot::START)
    }
}

/// Answers over HTTP until it is told to end.
#[test]
fn listener_of_a_child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    log::set_logger(&Stderr).expect("the only logger");
    log::set_max_level(log::LevelFilter::Debug);
    let (engine, _) =
        Engine::open(config(&folder.join("memory.db")), Arc::new(Noon)).expect("it opens");
    let learn = |insight: String, scope: &str| {
        let (mem_type, scope) = ("procedure".to_owned(), scope.to_owned());
        let request = LearnRequest { insight, mem_type, scope, ..Default::default() };
        engine.call::<Learn>(request).expect("it learns");
    };
    (0..20).for_each(|number| learn(format!("cup {number} stands on shelf {number}"), "global"));
    (0..20).for_each(|number| {
        learn(format!("the vault {VAULT} opens with {number} turns"), "agent:skill_vault")
    });
    for number in 0..8 {
        let trace = "x".repeat(950_000);
        let request = SavePerceptionRequest {
            description: format!("long recording {number} of the arm"),
            perception_type: "proprioceptive".into(),
            data: json!({ "trace": trace, "number": number }).to_string(),
            ..Default::default()
        };
        engine.call::<SavePerception>(request).expect("it is saved");
    }
    let settings = HttpSettings {
        address: "127.0.0.1:0".to_owned(),
        hosts: Vec::new(),
        is_open: false,
        tokens_path: folder.join("tokens.json"),
        requests_per_second_max: 1e9,
        login_link: true,
    };
    let server =
        HttpServer::start(settings, HttpTarget::alone(Arc::new(engine), 2).expect("threads"));
    let server = server.expect("it listens");
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nlistening {}", server.address()).expect("the parent listens");
    // Until the parent says so, or is gone.
    let _ = std::io::stdin().read_line(&mut String::new());
    assert!(server.stop(Instant::now() + ENDS), "the listener did not end");
}

/// The child, and what is known of it.
struct Listening {
    child: Child,
    aim: Aim,
    planner: String,
    folder: TempDir,
    /// It ends with an error when nobody hears what it says.
    _output: BufReader<ChildStdout>,
    log: Arc<Mutex<String>>,
    logging: Option<std::thread::JoinHandle<()>>,
}

impl Listening {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("tokens.json");
        let add = |name, agent, profile| tokens::add(&path, name, agent, profile).expect("a token");
        let (reader, planner) =
            (add("r", "dashboard", Profile::Reader), add("p", "planner", Profile::Planner));
        let removed = add("x", "skill_vault", Profile::Operator);
        tokens::remove(&path, "x").expect("it is removed");
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["hostile::listener_of_a_child", "--exact", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the child starts");
        let (log, mut errors) =
            (Arc::<Mutex<String>>::default(), child.stderr.take().expect("its log"));
        let kept = Arc::clone(&log);
        let logging = std::thread::spawn(move || {
            let mut bytes = [0; 65_536];
            while let Ok(count @ 1..) = errors.read(&mut bytes) {
                kept.lock().expect("a lock").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let host = loop {
            let mut line = String::new();
            let count = output.read_line(&mut line).expect("text");
            assert_ne!(count, 0, "the child died: {}", log.lock().expect("a lock"));
            if let Some(host) = line.trim().strip_prefix("listening ") {
                break host.to_owned();
            }
        };
        let aim = Aim { host, reader, removed };
        Self { child, aim, planner, folder, _output: output, log, logging: Some(logging) }
    }

    fn store_path(&self) -> PathBuf {
        self.folder.path().join("memory.db")
    }

    fn post(&self, token: &str, operation: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let bytes = format!(
            "POST /api/v1/{operation} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.aim.host,
            body.len()
        );
        let (bytes, then) = (bytes.into_bytes(), Then::ReadAll);
        let mut answers = ask(&self.aim, &Hostile { kind: "post", bytes, then, may_succeed: true })
            .expect("answers");
        assert_eq!(answers.len(), 1, "{operation}");
        answers.remove(0)
    }

    /// A line of its status, as kB.
    fn status(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(field)).expect("a field");
        line.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number")
    }

    /// What is open beside the store, of which each worker may open a connection that it keeps.
    fn descriptors(&self) -> Vec<String> {
        let path = format!("/proc/{}/fd", self.child.id());
        let entries = std::fs::read_dir(path).expect("it runs").flatten();
        // One may be closed meanwhile.
        let open = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok());
        let open = open.filter(|target| !target.starts_with(self.folder.path()));
        open.map(|target| target.display().to_string()).collect()
    }

    /// Every row of every table.
    fn contents(&self) -> Vec<(String, Vec<String>)> {
        let store = rusqlite::Connection::open(self.store_path()).expect("it opens");
        let names: String = sql(
            &self.store_path(),
            "SELECT group_concat(name, '|') FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'",
        );
        let rows = |table: &str| {
            let mut all = store.prepare(&format!("SELECT * FROM \"{table}\"")).expect("a table");
            let count = all.column_count();
            let rows = all.query_map([], |row| {
                let cells = (0..count).map(|at| row.get_ref(at).map(|cell| format!("{cell:?}")));
                cells.collect::<Result<Vec<_>, _>>().map(|cells| cells.join("|"))
            });
            let mut rows: Vec<String> =
                rows.expect("rows").map(|row| row.expect("a row")).collect();
            rows.sort();
            rows
        };
        names.split('|').map(|table| (table.to_owned(), rows(table))).collect()
    }

    /// Ends it, and answers its log.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("it ends");
        self.logging.take().expect("once").join().expect("its log ends");
        let log = self.log.lock().expect("a lock").clone();
        assert!(status.success(), "{status}: {log}");
        assert!(!log.contains("panicked at"), "{log}");
        log
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Of a test that failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What must hold of what came back, whatever was asked; answers the statuses.
fn check(aim: &Aim, request: &Hostile, secrets: &[&str]) -> Result<Vec<u16>, String> {
    let answers = ask(aim, request)?;
    for answer in &answers {
        let Answer { status, head, .. } = answer;
        let text = answer.text();
        if !(100..600).contains(status) || *status == 500 {
            return Err(format!("status {status}: {text}"));
        }
        if (200..300).contains(status) && !request.may_succeed {
            return Err(format!("a success: {head}\n{text}"));
        }
        if *status >= 400 && text.len() > REFUSAL_BYTES_MAX {
            return Err(format!("{} bytes of a refusal: {}", text.len(), shown(text.as_bytes())));
        }
        for secret in secrets {
            if text.contains(secret) || head.contains(secret) {
                return Err(format!("it tells {secret}: {head}\n{text}"));
            }
        }
        if head.to_lowercase().contains("\nx-injected") || head.contains("x-injected=") {
            return Err(format!("a header of the request is in the answer: {head}"));
        }
    }
    if request.kind == "one after another" && request.then == Then::SayEnd {
        let known = request.bytes.windows(13).filter(|part| part == b"/list_levels ").count();
        let done = answers.iter().filter(|answer| answer.status == 200).count();
        let is_last_refused =
            answers.last().is_none_or(|last| last.status == 401 || done == answers.len());
        if done > known || !is_last_refused {
            return Err(format!(
                "{done} of {} answers are of {known} known requests",
                answers.len()
            ));
        }
    }
    let is_whole = request.then == Then::ReadAll && answers.is_empty();
    if is_whole && request.bytes.len() < 60_000 {
        return Err("no answer".to_owned());
    }
    Ok(answers.iter().map(|answer| answer.status).collect())
}

fn seed() -> u64 {
    let seed = match std::env::var("ROBOT_MEMORY_TEST_SEED") {
        Ok(seed) => seed.parse().expect("ROBOT_MEMORY_TEST_SEED is a number"),
        Err(_) => u64::from(std::process::id()),
    };
    println!("ROBOT_MEMORY_TEST_SEED={seed}");
    seed
}

/// How often each status was answered to each kind of request; 0 is no answer.
type Statuses = BTreeMap<&'static str, BTreeMap<u16, u32>>;

/// Sends these requests, some at a time; adds what was answered, and what was wrong.
fn storm(
    listening: &Listening,
    seed: u64,
    numbers: Range<u64>,
    all: &Mutex<(Statuses, Vec<String>)>,
) {
    let next = AtomicU64::new(numbers.start);
    let aim = &listening.aim;
    let secrets = [VAULT, &aim.reader, &aim.removed];
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end || all.lock().expect("a lock").1.len() > 10 {
                        return;
                    }
                    let request = hostile(seed, number, aim);
                    let outcome = check(aim, &request, &secrets);
                    let (statuses, wrong) = &mut *all.lock().expect("a lock");
                    match outcome {
                        Ok(mut given) => {
                            given.extend(given.is_empty().then_some(0));
                            let counts = statuses.entry(request.kind).or_default();
                            given
                                .into_iter()
                                .for_each(|status| *counts.entry(status).or_default() += 1);
                        }
                        Err(why) => {
                            let asked = shown(&request.bytes);
                            wrong.push(format!(
                                "{number} ({}): {why}\nasked: {asked}",
                                request.kind
                            ));
                        }
                    }
                }
            });
        }
    });
}

/// Who sends a byte, and after a while the next one; answers how many there are until they are told to end.
fn drip(aim: &Aim, ends: &AtomicBool) {
    let whole = format!(
        "POST /api/v1/recall HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 100000\r\n\r\n{{\"query\":",
        aim.host, aim.reader
    );
    let mut streams: Vec<TcpStream> =
        (0..12).map(|_| TcpStream::connect(&aim.host).expect("a connection")).collect();
    for (at, stream) in streams.iter_mut().enumerate().skip(6) {
        // Half of them are past the headers.
        let _ = stream.write_all(&whole.as_bytes()[..whole.len() - at]);
    }
    for byte in whole.bytes() {
        if ends.load(Ordering::Relaxed) {
            return;
        }
        for stream in &mut streams {
            let _ = stream.write_all(&[byte]);
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Asks again and again what all may ask; answers how often it was answered.
fn good_caller(listening: &Listening, ends: &AtomicBool) -> u32 {
    let mut answered = 0;
    while !ends.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        let answer = listening.post(&listening.aim.reader, "recall", &json!({ "query": "cup 7" }));
        // A computer that is busy with others has no room in time now and then, and says so.
        if answer.status == 503 {
            continue;
        }
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.text().contains("cup 7 stands"), "{}", answer.text());
        answered += 1;
    }
    answered
}

/// Tells the others to end, however a test does.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until something is so, else fails with how it is instead.
fn settle(is_so: impl Fn() -> Result<(), String>) {
    let end = Instant::now() + ENDS;
    while let Err(instead) = is_so() {
        assert!(Instant::now() < end, "{instead}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Has whatever is opened and cached once opened and cached.
fn warm(listening: &Listening) {
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                for _ in 0..20 {
                    let everything = json!({ "query": "cup", "scope": "all" });
                    listening.post(&listening.aim.reader, "recall", &everything);
                }
            });
        }
    });
}

#[test]
fn hostile_requests_do_no_harm() {
    let seed = seed();
    let listening = Listening::new();
    warm(&listening);
    let contents = listening.contents();
    let (descriptors, threads) = (listening.descriptors(), listening.status("Threads:"));
    let (rss, ends) = (listening.status("VmRSS:"), AtomicBool::new(false));
    let (begun, all) = (Instant::now(), Mutex::default());
    let (half_rss, good) = std::thread::scope(|scope| {
        scope.spawn(|| drip(&listening.aim, &ends));
        let good = scope.spawn(|| good_caller(&listening, &ends));
        let over = Over(&ends);
        storm(&listening, seed, 0..REQUESTS / 2, &all);
        let half_rss = listening.status("VmRSS:");
        storm(&listening, seed, REQUESTS / 2..REQUESTS, &all);
        drop(over);
        (half_rss, good.join().expect("each was answered"))
    });
    let (statuses, wrong) = all.into_inner().expect("a lock");
    let (end_rss, peak_rss) = (listening.status("VmRSS:"), listening.status("VmHWM:"));
    println!(
        "{REQUESTS} hostile requests in {:.1} s beside {good} others; {rss} kB, after the first half {half_rss} kB, \
         then {end_rss} kB, at most {peak_rss} kB",
        begun.elapsed().as_secs_f64(),
    );
    statuses.iter().for_each(|(kind, counts)| println!("{kind:18} {counts:?}"));
    assert!(wrong.is_empty(), "of seed {seed}:\n{}", wrong.join("\n\n"));
    assert!(good > 10, "{good}");
    // Each way of being refused was reached, and what is right was answered.
    for status in [200, 400, 401, 403, 404, 405, 413, 421, 431] {
        assert!(statuses.values().any(|counts| counts.contains_key(&status)), "never {status}");
    }
    let more = || listening.descriptors().len() > descriptors.len();
    settle(|| (!more()).then_some(()).ok_or_else(|| format!("{:?}", listening.descriptors())));
    settle(|| match listening.status("Threads:") {
        count if count <= threads => Ok(()),
        count => Err(format!("{threads} threads became {count}")),
    });
    assert!(end_rss < half_rss + (GROWTH_MB_MAX << 10), "{half_rss} kB became {end_rss} kB");
    assert!(peak_rss < rss + (PEAK_MB_MAX << 10), "{rss} kB became {peak_rss} kB");
    for ((table, before), (_, after)) in contents.iter().zip(listening.contents()) {
        assert_eq!(before, &after, "{table} was changed");
    }
    let aim = listening.aim.clone();
    let log = listening.end();
    assert!(!log.contains("\nFORGED"), "a request wrote a line of the log");
    for secret in [VAULT, "hostile words", &aim.reader] {
        assert!(!log.contains(secret), "the log tells {secret}");
    }
}

#[test]
fn a_caller_who_may_write_does_no_harm_by_mistake() {
    let seed = seed();
    let listening = Listening::new();
    // The same requests, of somebody who may store.
    let aim = Aim { reader: listening.planner.clone(), ..listening.aim.clone() };
    for number in 0..1_000 {
        let mut request = hostile(seed, number, &aim);
        request.may_succeed = true;
        if let Err(why) = check(&aim, &request, &[&aim.reader, &aim.removed]) {
            panic!(
                "{number} ({}) of seed {seed}: {why}\nasked: {}",
                request.kind,
                shown(&request.bytes)
            );
        }
    }
    assert_eq!(listening.post(&aim.reader, "status", &json!({})).status, 200);
    let is_sound: String = sql(&listening.store_path(), "PRAGMA integrity_check");
    assert_eq!(is_sound, "ok");
    listening.end();
}

#[test]
fn who_is_not_known_keeps_no_connection() {
    let listening = Listening::new();
    let aim = &listening.aim;
    let levels = |proof: &str| {
        format!(
            "POST /api/v1/list_levels HTTP/1.1\r\nHost: {}\r\n{proof}Content-Length: 2\r\n\r\n{{}}",
            aim.host
        )
    };
    let known = levels(&format!("Authorization: Bearer {}\r\n", aim.reader));
    let health = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", aim.host);
    for (requests, statuses) in [
        (health.repeat(3), vec![200]),
        (levels("").repeat(3), vec![401]),
        (known.repeat(2) + &levels("") + &known, vec![200, 200, 401]),
    ] {
        let (bytes, then) = (requests.into_bytes(), Then::ReadAll);
        let request = Hostile { kind: "several", bytes, then, may_succeed: true };
        assert_eq!(check(aim, &request, &[VAULT]), Ok(statuses));
    }
    // Those who take every connection and say nothing are cut, and the next one is answered.
    let crowd: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(&aim.host).expect("a connection")).collect();
    assert_eq!(listening.post(&aim.reader, "list_levels", &json!({})).status, 200);
    drop(crowd);
    listening.end();
}

#[test]
fn what_callers_leave_unread_and_what_short_texts_become_is_bounded() {
    let listening = Listening::new();
    let all = json!({ "query": "long recording", "include_data": true, "n": 100 });
    let large = listening.post(&listening.aim.reader, "recall", &all);
    assert!(large.status == 200 && large.body.len() > 7 << 20, "{} bytes", large.body.len());
    let (rss, body) = (listening.status("VmRSS:"), all.to_string());
    let request = |path: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            listening.aim.host,
            listening.aim.reader,
            body.len()
        )
    };
    // More of each than fits in what the operating system keeps of a connection. Nobody reads, until one is refused.
    let mut unread: Vec<TcpStream> = Vec::new();
    let refused = (0..60).any(|_| {
        let mut stream = TcpStream::connect(&listening.aim.host).expect("a connection");
        stream.set_read_timeout(Some(ENDS)).expect("a time limit");
        stream.write_all(request("/api/v1/recall", &body).as_bytes()).expect("it is sent");
        let mut first = [0; 12];
        while stream.peek(&mut first).is_ok_and(|count| (1..first.len()).contains(&count)) {}
        unread.push(stream);
        first.ends_with(b"503")
    });
    assert!(refused, "all had room");
    // Small ones are answered meanwhile.
    let small = listening.post(&listening.aim.reader, "recall", &json!({ "query": "cup 7" }));
    assert_eq!(small.status, 200, "{}", small.text());
    let peak = listening.status("VmHWM:");
    assert!(peak < rss + (PEAK_MB_MAX << 10), "{rss} kB became {peak} kB");
    drop(unread);
    settle(|| {
        let answer = listening.post(&listening.aim.reader, "recall", &all);
        if answer.status == 200 { Ok(()) } else { Err(answer.text()) }
    });

    let bomb = |bytes: usize| format!("{{\"query\": [{}0]}}", r#"{"":0},"#.repeat(bytes / 7));
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for (path, bytes) in [
                    ("/api/v1/recall", 7 << 20),
                    ("/api/v1/recall", 250 << 10),
                    ("/mcp", 200 << 10),
                ] {
                    let (bytes, then) = (request(path, &bomb(bytes)).into_bytes(), Then::ReadSome);
                    let bomb = Hostile { kind: "bomb", bytes, then, may_succeed: true };
                    check(&listening.aim, &bomb, &[VAULT]).expect("it is answered");
                }
            });
        }
    });
    let peak = listening.status("VmHWM:");
    assert!(peak < rss + (PEAK_MB_MAX << 10), "{rss} kB became {peak} kB");
    listening.end();
}
