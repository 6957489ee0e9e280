//! Timeline against brute force over the rows of the file, for random stores, callers and requests; pages while rows
//! come and go.

use crate::hostile_parts::Dice;
use crate::leak_world::{ASKED, POLICY, SCOPES, rules};
use crate::robot::{Robot, START};
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, EndAttempt, EndAttemptRequest, EndSession,
    EndSessionRequest, ErrorKind, Forget, ForgetRequest, Happening, Learn, LearnRequest,
    SavePerception, SavePerceptionRequest, StartSession, StartSessionRequest, Timeline,
    TimelineEntry, TimelineKind, TimelineRequest, TimelineResponse,
};
use robot_memory_core::model::{MemType, Stamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Where an entry stands: its time, what it is, and the id of its memory or session.
type Key = (i64, Happening, i64, String);

const AGENTS: [&str; 7] = ["", "", "planner", "planner", "ops", "nurse", "mute"];
const COLLECTIONS: [&str; 2] = ["default", "kitchen"];
const TRIGGERS: [&str; 3] = ["impact", "edge", "slip"];
const WORDS: [&str; 8] = ["cup", "grip", "table", "door", "bolt", "slow", "green", "tray"];

/// A store to which random things happen, often several at the same time.
struct Day {
    robot: Robot,
    dice: Dice,
    sessions: Vec<String>,
    attempts: Vec<i64>,
    ids: Vec<i64>,
    count: usize,
}

impl Day {
    fn new(seed: u64) -> Self {
        println!("seed {seed}");
        let robot = Robot::with(|config| config.access = Some(POLICY.into()));
        let (sessions, attempts, ids) = (Vec::new(), Vec::new(), Vec::new());
        Self { robot, dice: Dice::new(seed, 0), sessions, attempts, ids, count: 0 }
    }

    fn pass(&mut self, seconds: usize) {
        let now = self.robot.clock_now();
        self.robot.clock.set(Stamp(now.0 + seconds as i64 * 1_000_000_000));
    }

    fn happen(&mut self, count: usize) {
        for _ in 0..count {
            let seconds = [0, 0, 0, 1, 2, 600][self.dice.below(6)];
            self.pass(seconds);
            self.count += 1;
            match self.dice.below(16) {
                0 => self.begin_session(),
                1 => self.end_session(),
                2..=4 => self.perceive(true),
                5 => self.perceive(false),
                6..=7 => self.begin_attempt(),
                8..=9 => self.end_attempt(),
                10 => self.report_attempt(),
                11 => self.forget(),
                _ => self.learn(json!({})),
            }
        }
    }

    fn begin_session(&mut self) {
        let agent = self.dice.one(&["", "planner", "ops", "mute"]);
        let begun = self.robot.call::<StartSession>(StartSessionRequest {
            collection: self.dice.one(&COLLECTIONS).into(),
            context: json!({"task": format!("round {}", self.count)}).to_string(),
            agent: agent.into(),
        });
        self.sessions.push(begun.session_id);
    }

    fn end_session(&mut self) {
        let Some(session_id) = self.sessions.get(self.dice.below(8)).cloned() else { return };
        let outcome_score = (self.dice.below(2) == 0).then_some(0.5);
        // It may have ended before.
        let request = EndSessionRequest { session_id, outcome_score, ..Default::default() };
        let _ = self.robot.engine.call::<EndSession>(request);
    }

    /// The words of a memory that nothing else says.
    fn words(&mut self) -> String {
        let words: Vec<&str> = (0..4).map(|_| self.dice.one(&WORDS)).collect();
        format!("{} number{} is {}", words.join(" "), self.count, self.count * 7)
    }

    /// A session, or none, and a collection that fits.
    fn place(&mut self) -> (String, String) {
        if self.sessions.is_empty() || self.dice.below(2) == 0 {
            return (String::new(), self.dice.one(&COLLECTIONS).into());
        }
        (self.sessions[self.dice.below(self.sessions.len())].clone(), String::new())
    }

    fn learn(&mut self, context: Value) {
        let (session_id, collection) = self.place();
        let insight = self.words();
        let learned = self.robot.engine.call::<Learn>(LearnRequest {
            insight,
            context: context.to_string(),
            session_id,
            collection,
            scope: self.dice.one(&SCOPES).into(),
            ..Default::default()
        });
        self.ids.extend(learned.iter().map(|learned| learned.memory_id));
    }

    fn perceive(&mut self, is_event: bool) {
        let (session_id, collection) = self.place();
        let trigger = self.dice.one(&TRIGGERS);
        let context = match is_event {
            true => json!({"event": {"trigger": trigger, "duration_secs": 0.25}}),
            false => json!({"task": {"name": "look", "outcome": "success", "score": 0.5}}),
        };
        let description = self.words();
        let saved = self.robot.engine.call::<SavePerception>(SavePerceptionRequest {
            description,
            context: context.to_string(),
            session_id,
            collection,
            scope: self.dice.one(&SCOPES).into(),
            ..Default::default()
        });
        self.ids.extend(saved.iter().map(|saved| saved.memory_id));
    }

    fn begin_attempt(&mut self) {
        let (session_id, collection) = self.place();
        let begun = self.robot.engine.call::<BeginAttempt>(BeginAttemptRequest {
            task: format!("pick{}", self.count),
            object: self.dice.one(&WORDS).into(),
            session_id,
            collection,
            scope: self.dice.one(&["global", "group:red", "dm"]).into(),
            ..Default::default()
        });
        self.attempts.extend(begun.iter().map(|begun| begun.attempt_id));
    }

    fn end_attempt(&mut self) {
        if self.attempts.is_empty() {
            return;
        }
        let attempt_id = self.attempts.swap_remove(self.dice.below(self.attempts.len()));
        let outcome = self.dice.one(&["success", "failure"]).into();
        let request = EndAttemptRequest { attempt_id, outcome, ..Default::default() };
        // It may have been forgotten.
        let _ = self.robot.engine.call::<EndAttempt>(request);
    }

    /// An attempt that was told of later, with or without how long it took.
    fn report_attempt(&mut self) {
        let mut task = json!({"name": "open", "outcome": "failure"});
        if self.dice.below(2) == 0 {
            task["duration_secs"] = json!([0.0, 1.5, 600.0, -3.0][self.dice.below(4)]);
        }
        self.learn(json!({"task": task}));
    }

    fn forget(&mut self) {
        let Some(memory_id) = self.ids.get(self.dice.below(40)).copied() else { return };
        let request = ForgetRequest { memory_id, reason: "wrong".into(), ..Default::default() };
        let _ = self.robot.engine.call::<Forget>(request);
    }

    fn request(&mut self) -> TimelineRequest {
        let mut request = TimelineRequest {
            scope: if self.dice.below(2) == 0 { "all" } else { self.dice.one(&ASKED) }.into(),
            agent: self.dice.one(&AGENTS).into(),
            n: 1 + self.dice.below(40) as u32,
            order: self.dice.one(&["", "oldest", "newest"]).into(),
            ..Default::default()
        };
        let time = |dice: &mut Dice, now: Stamp| {
            let span = (now.0 - START.0) / 1_000_000_000 + 2;
            Some(Stamp(START.0 + dice.below(span as usize) as i64 * 1_000_000_000))
        };
        let now = self.robot.clock_now();
        let mut times = [time(&mut self.dice, now), time(&mut self.dice, now)];
        times.sort();
        if self.dice.below(2) == 0 {
            request.since = times[0];
        }
        if self.dice.below(2) == 0 {
            request.until = times[1].filter(|_| request.since.is_none() || times[0] < times[1]);
        }
        match self.dice.below(5) {
            0 => {}
            1 => request.collection = "kitchen".into(),
            2 if !self.sessions.is_empty() => {
                request.session_id = self.sessions[self.dice.below(self.sessions.len())].clone();
            }
            3 => request.collections = vec!["kitchen".into(), "default".into()],
            _ => request.collections = vec!["*".into()],
        }
        if self.dice.below(2) == 0 {
            let kinds = TimelineKind::ALL.iter().map(|kind| kind.as_str());
            request.kinds = kinds.filter(|_| self.dice.below(2) == 0).map(str::to_owned).collect();
        }
        let has_events = request.kinds.is_empty() || request.kinds.iter().any(|it| it == "event");
        if has_events && self.dice.below(3) == 0 {
            request.triggers = vec![self.dice.one(&TRIGGERS).into(), "none such".into()];
        }
        request
    }
}

/// A row of the file.
struct StoredRow {
    id: i64,
    kind: String,
    scope: String,
    class: MemType,
    collection: String,
    session: String,
    created: i64,
    context: Value,
}

fn stored_rows(robot: &Robot) -> Vec<StoredRow> {
    let file = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let sql = "SELECT id, type, scope, mem_type, collection, coalesce(session_id, ''), created_at, \
               context FROM memory WHERE status = 'active'";
    let mut statement = file.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| {
        let context: String = row.get(7)?;
        let class: String = row.get(3)?;
        Ok(StoredRow {
            id: row.get(0)?,
            kind: row.get(1)?,
            scope: row.get(2)?,
            class: MemType::parse(&class).expect("a class"),
            collection: row.get(4)?,
            session: row.get(5)?,
            created: row.get(6)?,
            context: serde_json::from_str(&context).unwrap_or_default(),
        })
    });
    rows.expect("rows").collect::<Result<_, _>>().expect("rows")
}

/// Id, collection, who began it, begin and end.
type StoredSession = (String, String, String, i64, Option<i64>);

fn stored_sessions(robot: &Robot) -> Vec<StoredSession> {
    let file = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let sql = "SELECT session_id, collection, agent, started_at, ended_at FROM session";
    let mut statement = file.prepare(sql).expect("a statement");
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)));
    rows.expect("rows").collect::<Result<_, _>>().expect("rows")
}

/// All that a request should be answered, on all pages.
fn expected(robot: &Robot, request: &TimelineRequest) -> Vec<Key> {
    let mut keys = Vec::new();
    let of_collection = |collection: &str| match &request.collections[..] {
        [] if request.collection.is_empty() && !request.session_id.is_empty() => true,
        [] if request.collection.is_empty() => collection == "default",
        [] => collection == request.collection,
        [one] if one == "*" => true,
        several => several.iter().any(|one| one == collection),
    };
    let of_session = |id: &str| request.session_id.is_empty() || request.session_id == id;
    for (id, collection, agent, began, ended) in stored_sessions(robot) {
        if of_collection(&collection)
            && of_session(&id)
            && rules::may_see_session(&request.agent, &agent)
        {
            keys.push((began, Happening::SessionBegin, 0, id.clone()));
            keys.extend(ended.map(|ended| (ended, Happening::SessionEnd, 0, id)));
        }
    }
    let asked = if request.scope.is_empty() { "global" } else { &request.scope };
    let searched = rules::searched(&request.agent, asked);
    for row in stored_rows(robot) {
        let is_searched = searched.as_ref().is_none_or(|scopes| scopes.contains(&row.scope));
        if !is_searched
            || !rules::may_read(&request.agent, &row.scope, row.class)
            || !of_collection(&row.collection)
            || !of_session(&row.session)
        {
            continue;
        }
        let task = &row.context["task"];
        let trigger = row.context["event"]["trigger"].as_str();
        let mut add = |at: i64, what: Happening| keys.push((at, what, row.id, String::new()));
        if row.kind == "fact" && task["outcome"].is_string() {
            add(row.created, Happening::AttemptBegin);
            if let Some(secs) = task["duration_secs"].as_f64().filter(|secs| *secs >= 0.0) {
                add(row.created + (secs * 1e9).round() as i64, Happening::AttemptEnd);
            }
        } else if row.kind == "perception" && trigger.is_some() {
            let triggers = &request.triggers;
            if triggers.is_empty() || triggers.iter().any(|it| Some(it.as_str()) == trigger) {
                add(row.created, Happening::Event);
            }
        } else {
            add(row.created, Happening::Memory);
        }
    }
    keys.retain(|(at, what, ..)| {
        let kind = match what {
            Happening::SessionBegin | Happening::SessionEnd => "session",
            Happening::AttemptBegin | Happening::AttemptEnd => "attempt",
            Happening::Event => "event",
            Happening::Memory => "memory",
        };
        let is_kind = match &request.kinds[..] {
            [] => request.triggers.is_empty() || kind == "event",
            kinds => kinds.iter().any(|it| it == kind),
        };
        is_kind
            && request.since.is_none_or(|since| *at >= since.0)
            && request.until.is_none_or(|until| *at < until.0)
    });
    keys.sort();
    if request.order == "newest" {
        keys.reverse();
    }
    keys
}

fn key(entry: &TimelineEntry) -> Key {
    let session = if entry.memory_id == 0 { entry.session_id.clone() } else { String::new() };
    (entry.stamp.0, entry.what, entry.memory_id, session)
}

/// What is answered page by page; `None` when the caller may not read the scope.
fn answered(robot: &Robot, request: &TimelineRequest, total: u64) -> Option<Vec<Key>> {
    let mut request = request.clone();
    let mut keys = Vec::new();
    for _ in 0..2_000 {
        let page = match robot.engine.call::<Timeline>(request.clone()) {
            Ok(page) => page,
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Forbidden, "{request:?}: {error}");
                return None;
            }
        };
        assert_eq!(page.total, total, "{request:?}");
        assert!(page.entries.len() <= request.n as usize);
        keys.extend(page.entries.iter().map(key));
        if page.next_cursor.is_empty() {
            return Some(keys);
        }
        assert_eq!(page.entries.len(), request.n as usize, "{request:?}");
        request.cursor = page.next_cursor;
    }
    panic!("{request:?} has no last page");
}

#[test]
fn every_page_is_what_brute_force_finds() {
    let (mut asked, mut whats, mut ties, mut allowed) = (0, BTreeSet::new(), 0, 0);
    for seed in 1..=4 {
        let mut day = Day::new(seed);
        for _ in 0..4 {
            day.happen(60);
            for _ in 0..60 {
                let request = day.request();
                let wanted = expected(&day.robot, &request);
                asked += 1;
                let Some(found) = answered(&day.robot, &request, wanted.len() as u64) else {
                    continue;
                };
                assert_eq!(found, wanted, "{request:?}");
                allowed += usize::from(!wanted.is_empty());
                ties += wanted.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
                whats.extend(wanted.iter().map(|(_, what, ..)| *what));
            }
        }
    }
    assert_eq!(whats.len(), Happening::ALL.len(), "{whats:?}");
    assert!(asked == 960 && allowed > 400 && ties > 1_000, "{asked} {allowed} {ties}");
}

#[test]
fn a_page_goes_on_behind_the_last_whatever_came_and_went() {
    for (seed, order) in [(11, "oldest"), (12, "newest"), (13, "oldest"), (14, "newest")] {
        let mut day = Day::new(seed);
        day.happen(150);
        let mut request = TimelineRequest {
            collections: vec!["*".into()],
            scope: "all".into(),
            order: order.into(),
            n: 4,
            ..Default::default()
        };
        let mut kept: BTreeSet<Key> = expected(&day.robot, &request).into_iter().collect();
        let mut found: Vec<Key> = Vec::new();
        for _ in 0..1_000 {
            let page = day.robot.call::<Timeline>(request.clone());
            found.extend(page.entries.iter().map(key));
            if page.next_cursor.is_empty() {
                break;
            }
            request.cursor = page.next_cursor;
            // The last of the page goes, and others do; some come in the middle, and at the end.
            if let Some(last) = page.entries.last().filter(|last| last.memory_id > 0) {
                let (memory_id, reason) = (last.memory_id, "wrong".to_owned());
                let forget = ForgetRequest { memory_id, reason, ..Default::default() };
                let _ = day.robot.engine.call::<Forget>(forget);
            }
            if found.len() < 100 {
                let now = day.robot.clock_now();
                let back = day.dice.below(3_600) as i64 * 1_000_000_000;
                day.robot.clock.set(Stamp((now.0 - back).max(START.0)));
                day.happen(3);
                day.robot.clock.set(day.robot.clock_now().max(now));
            }
            let now: BTreeSet<Key> = expected(&day.robot, &request).into_iter().collect();
            kept.retain(|key| now.contains(key));
        }
        let once: BTreeSet<Key> = found.iter().cloned().collect();
        assert_eq!(once.len(), found.len(), "{order}: an entry is on two pages");
        let is_sorted = |a: &Key, b: &Key| if order == "oldest" { a < b } else { a > b };
        assert!(found.is_sorted_by(is_sorted), "{order}: the pages are not in order");
        let missed: Vec<&Key> = kept.difference(&once).collect();
        assert!(missed.is_empty() && kept.len() > 40, "{order}: {missed:?}");
    }
}

/// Entries without their ids.
fn lines(response: &TimelineResponse) -> Vec<String> {
    let line = |entry: &TimelineEntry| {
        let TimelineEntry { stamp, what, trigger, duration_secs, outcome, score, text, .. } = entry;
        let at = (stamp.0 - START.0) / 1_000_000_000;
        format!("{at} {what} [{trigger}] {duration_secs} {outcome} {score:?} {text}")
    };
    response.entries.iter().map(line).collect()
}

#[test]
fn entries_tell_what_a_person_asks_for() {
    let robot = Robot::words_only();
    let session_id = robot
        .call::<StartSession>(StartSessionRequest {
            context: r#"{"task": "set the table", "shift": 2}"#.into(),
            ..Default::default()
        })
        .session_id;
    let pass = |secs: f64| robot.sleep_days(secs / 86_400.0);
    pass(2.0);
    let attempt = robot.call::<BeginAttempt>(BeginAttemptRequest {
        task: "pick".into(),
        object: "cup".into(),
        session_id: session_id.clone(),
        ..Default::default()
    });
    pass(2.0);
    robot.call::<SavePerception>(SavePerceptionRequest {
        description: "An impact of 30 N on the wrist".into(),
        context: r#"{"event": {"trigger": "impact", "duration_secs": 0.5}}"#.into(),
        session_id: session_id.clone(),
        ..Default::default()
    });
    pass(2.0);
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id: attempt.attempt_id,
        outcome: "failure".into(),
        score: Some(0.25),
        reason: "it slipped".into(),
        ..Default::default()
    });
    robot.learn_in(&session_id, "The cup is wet");
    pass(2.0);
    robot.call::<EndSession>(EndSessionRequest {
        session_id: session_id.clone(),
        outcome_score: Some(0.75),
        ..Default::default()
    });
    pass(2.0);
    let open = robot.start_session();

    let all = robot.call::<Timeline>(TimelineRequest::default());
    let sentence = "Attempted pick on cup: failure";
    let shown = lines(&all);
    let text = all.entries[1].text.clone();
    assert!(text.contains("pick") && text.contains("it slipped"), "{sentence}: {text}");
    let wanted = [
        "0 session_begin [] 8 ended Some(0.75) shift: 2; task: set the table".to_owned(),
        format!("2 attempt_begin [] 4 failure Some(0.25) {text}"),
        "4 event [impact] 0.5  None An impact of 30 N on the wrist".to_owned(),
        "6 memory [] 0  None The cup is wet".to_owned(),
        format!("6 attempt_end [] 4 failure Some(0.25) {text}"),
        "8 session_end [] 8 ended Some(0.75) shift: 2; task: set the table".to_owned(),
        "10 session_begin [] 0 open None ".to_owned(),
    ];
    assert_eq!(shown, wanted);
    assert_eq!((all.total, all.next_cursor.as_str()), (7, ""));
    assert!(all.entries[..6].iter().all(|entry| entry.session_id == session_id));
    assert_eq!((all.entries[6].session_id.as_str(), all.entries[6].memory_id), (&*open, 0));

    let robot = robot.pull_the_plug();
    let left = robot.call::<Timeline>(TimelineRequest {
        kinds: vec!["session".into()],
        order: "newest".into(),
        n: 1,
        ..Default::default()
    });
    assert_eq!(lines(&left), ["10 session_begin [] 0 interrupted None "]);
    assert_eq!((left.total, left.next_cursor.is_empty()), (3, false));
}

#[test]
fn bad_requests_name_the_field() {
    let robot = Robot::words_only();
    let cases: [(&str, TimelineRequest); 9] = [
        ("n: must be 1 to 1000, got 0", TimelineRequest { n: 0, ..Default::default() }),
        ("n: must be 1 to 1000, got 1001", TimelineRequest { n: 1_001, ..Default::default() }),
        ("kinds: ", TimelineRequest { kinds: vec!["turn".into()], ..Default::default() }),
        ("order: ", TimelineRequest { order: "best".into(), ..Default::default() }),
        (
            "triggers: need the kind event",
            TimelineRequest {
                kinds: vec!["memory".into()],
                triggers: vec!["impact".into()],
                ..Default::default()
            },
        ),
        (
            "since: must be before until",
            TimelineRequest { since: Some(START), until: Some(START), ..Default::default() },
        ),
        ("cursor: is none", TimelineRequest { cursor: "7".into(), ..Default::default() }),
        (
            "cursor: is of the order newest",
            TimelineRequest { cursor: "newest/7/event/1".into(), ..Default::default() },
        ),
        (
            "collections: ",
            TimelineRequest {
                collection: "a".into(),
                collections: vec!["b".into()],
                ..Default::default()
            },
        ),
    ];
    for (message, request) in cases {
        let (kind, found) = robot.refused::<Timeline>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(found.starts_with(message), "{message}: {found}");
    }
    let unknown = TimelineRequest { session_id: "none such".into(), ..Default::default() };
    assert_eq!(robot.call::<Timeline>(unknown).total, 0);
}
