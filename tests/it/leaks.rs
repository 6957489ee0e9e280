//! What a caller may not see is in no answer: every operation, every agent, every scope asked for, over
//! random rows, against a second reading of the rules that shares no code with the engine.

use crate::robot::{Robot, sql};
use crate::streamed::contact;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestRng, TestRunner};
use robot_memory::api::{
    ApiError, ClearMemories, ClearMemoriesRequest, DeleteMemory, DeleteMemoryRequest, EndSession,
    EndSessionRequest, ErrorKind, ExportRequest, Forget, ForgetRequest, GetMemory,
    GetMemoryRequest, GetSession, GetSessionRequest, Learn, LearnRequest, LearnStatus,
    ListCollections, ListCollectionsRequest, ListLevels, ListLevelsRequest, ListSessions,
    ListSessionsRequest, Operation, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    SpatialSort, StartSession, StartSessionRequest, Stats, StatsRequest, Update, UpdateRequest,
};
use robot_memory::engine::{Engine, Run};
use robot_memory::model::{Level, MemType, Stamp};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::time::Duration;

const POLICY: &str = r#"
agents:
  - names: [planner]
    read: [all]
    write: [global, "group:*", dm]
    sessions: all
  - names: [ops]
    read: [{scope: global, mem_types: [procedure, lesson]}]
    write: [{scope: global, mem_types: [procedure, lesson]}]
    sessions: own
  - names: ["skill_*"]
    read: [{scope: global, mem_types: [fact, procedure]}, "agent:{agent}", "group:red"]
    write: [{scope: "agent:{agent}", mem_types: [procedure, task_log, fact]}]
    sessions: own
  - names: [nurse]
    read: ["group:*", "session:*"]
  - names: [mute]
    write: [global]
    sessions: own
default:
  read: [{scope: global, mem_types: [fact, lesson, preference]}]
topics:
  read: [{scope: global, mem_types: [fact, task_log]}]
"#;
const AGENTS: [&str; 8] =
    ["", "planner", "ops", "skill_grasp", "skill_weld", "nurse", "mute", "guest"];
const SCOPES: [&str; 11] = [
    "global",
    "group:red",
    "group:blue",
    "dm",
    "agent:skill_grasp",
    "agent:skill_weld",
    "session:s1",
    "branch:s1/a",
    "branch:s1/b",
    "turn:7",
    "unscoped",
];
/// What a request can name.
const ASKED: [&str; 15] = [
    "",
    "global",
    "group:red",
    "group:blue",
    "dm",
    "agent:skill_grasp",
    "agent:skill_weld",
    "session:s1",
    "branch:s1/a",
    "branch:s1/b",
    "turn:7",
    "unscoped",
    "all",
    "cross:red",
    "cross:nowhere",
];
/// Longer than any other number that an answer holds, but for times.
const FIRST_ID: i64 = 70_000_001;
const NO_ID: i64 = 79_999_999;
const NO_SESSION: &str = "00000000-0000-4000-8000-000000000000";
const WORDS: [&str; 8] = ["cup", "grip", "table", "door", "bolt", "slow", "抓取", "杯子"];

/// The rules, read a second time.
mod rules {
    use super::MemType;
    use robot_memory::model::MemType::{Fact, Lesson, Preference, Procedure, TaskLog};

    /// Whether the policy lets an agent read it.
    pub fn may_read(agent: &str, scope: &str, class: MemType) -> bool {
        match agent {
            "" | "planner" => true,
            "ops" => scope == "global" && [Procedure, Lesson].contains(&class),
            "skill_grasp" | "skill_weld" => {
                (scope == "global" && [Fact, Procedure].contains(&class))
                    || scope == format!("agent:{agent}")
                    || scope == "group:red"
            }
            "nurse" => scope.starts_with("group:") || scope.starts_with("session:"),
            "mute" => false,
            _ => scope == "global" && [Fact, Lesson, Preference].contains(&class),
        }
    }

    /// Whether the policy lets an agent write it.
    pub fn may_write(agent: &str, scope: &str, class: MemType) -> bool {
        match agent {
            "" => true,
            "planner" => scope == "global" || scope == "dm" || scope.starts_with("group:"),
            "ops" => scope == "global" && [Procedure, Lesson].contains(&class),
            "skill_grasp" | "skill_weld" => {
                scope == format!("agent:{agent}") && [Procedure, TaskLog, Fact].contains(&class)
            }
            "mute" => scope == "global",
            _ => false,
        }
    }

    /// Whether topics show it.
    pub fn is_shown(scope: &str, class: MemType) -> bool {
        scope == "global" && [Fact, TaskLog].contains(&class)
    }

    /// Whether an agent may see the sessions of another.
    pub fn may_see_session(agent: &str, begun_by: &str) -> bool {
        match agent {
            "" | "planner" => true,
            "nurse" | "guest" => false,
            _ => agent == begun_by,
        }
    }

    /// The scopes that a search looks at; `None`: all.
    pub fn searched(agent: &str, asked: &str) -> Option<Vec<String>> {
        let own = if agent.is_empty() { "dm".to_owned() } else { format!("agent:{agent}") };
        let mut scopes = vec!["global".to_owned()];
        match asked.strip_prefix("cross:") {
            _ if asked == "all" => return None,
            Some(group) => scopes.extend([format!("group:{group}"), own]),
            None => scopes.push(asked.to_owned()),
        }
        Some(scopes)
    }
}

/// A row as the test stored it.
#[derive(Debug, Clone)]
struct Row {
    id: i64,
    /// Stands in its text and nowhere else.
    marker: String,
    scope: &'static str,
    class: MemType,
    session: Option<usize>,
    is_active: bool,
    has_signature: bool,
    content: String,
}

impl Row {
    /// Whether an agent sees it that asks so; a request that names none sees all it may read.
    fn is_seen(&self, agent: &str, asked: Option<&str>) -> bool {
        let searched = asked.and_then(|asked| rules::searched(agent, asked));
        searched.is_none_or(|scopes| scopes.iter().any(|scope| scope == self.scope))
            && rules::may_read(agent, self.scope, self.class)
    }
}

struct World {
    robot: Robot,
    rows: Vec<Row>,
    /// Id and who began it.
    sessions: Vec<(String, &'static str)>,
}

/// What the next row is.
#[derive(Debug, Clone)]
struct Draft {
    scope: usize,
    class: usize,
    level: usize,
    session: Option<usize>,
    words: Vec<usize>,
    place: (i32, i32),
    form: u8,
    is_forgotten: bool,
    has_parent: bool,
}

fn draft() -> impl Strategy<Value = Draft> {
    (
        0..SCOPES.len(),
        0..MemType::ALL.len(),
        0..Level::ALL.len(),
        prop::option::of(0..5_usize),
        prop::collection::vec(0..WORDS.len(), 3..6),
        (-9..9, -9..9),
        0..4_u8,
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.3),
    )
        .prop_map(
            |(scope, class, level, session, words, place, form, is_forgotten, has_parent)| Draft {
                scope,
                class,
                level,
                session,
                words,
                place,
                form,
                is_forgotten,
                has_parent,
            },
        )
}

fn drafts(seed: u8, count: usize) -> Vec<Draft> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Runs::default(), rng);
    let all = prop::collection::vec(draft(), count).new_tree(&mut runner);
    all.expect("drafts").current()
}

fn push(peak_n: f64) -> String {
    let force = |at| if (10..20).contains(&at) { peak_n } else { 0.0 };
    let rows: Vec<[f64; 6]> =
        (0..30).map(|at| [force(at), 0.0, -8.0, 0.0, force(at) / 10.0, 0.0]).collect();
    let times: Vec<f64> = (0..30).map(|at| f64::from(at) / 50.0).collect();
    json!({"series": [{"kind": "wrench", "values": rows, "t": times}]}).to_string()
}

impl World {
    fn new(seed: u8, count: usize) -> Self {
        let robot = Robot::with(|config| config.access = Some(POLICY.into()));
        robot.plug_in_embedder();
        let beside = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
        beside
            .execute_batch(&format!(
                "DELETE FROM sqlite_sequence WHERE name = 'memory';
                 INSERT INTO sqlite_sequence (name, seq) VALUES ('memory', {});",
                FIRST_ID - 1
            ))
            .expect("ids begin there");
        let mut world = Self { robot, rows: Vec::new(), sessions: Vec::new() };
        for (number, agent) in ["", "planner", "ops", "skill_grasp", "mute"].into_iter().enumerate()
        {
            let id = world.robot.call::<StartSession>(StartSessionRequest {
                context: json!({"task": format!("ms{number:05}k")}).to_string(),
                agent: agent.into(),
                ..Default::default()
            });
            world.sessions.push((id.session_id, agent));
        }
        for draft in drafts(seed, count) {
            world.store(&draft);
        }
        world
    }

    fn store(&mut self, draft: &Draft) {
        let (scope, class) = (SCOPES[draft.scope], MemType::ALL[draft.class]);
        let marker = format!("mk{:05}k", self.rows.len());
        let words: Vec<&str> = draft.words.iter().map(|word| WORDS[*word]).collect();
        let words = words.join(" ");
        let mut level = Level::ALL[draft.level];
        if level == Level::Working && draft.session.is_none() {
            level = Level::Knowledge;
        }
        let session_id = draft.session.map_or("", |number| &self.sessions[number].0).to_owned();
        let (x, y) = draft.place;
        let context = json!({
            "spatial": {"robot_position": [x, y, 0], "frame": "map"},
            "params": {"force": x},
            "note": marker,
            "limits": [{"path": "params.force", "op": "<=", "value": -20, "unit": "N"}],
        })
        .to_string();
        let parent_id = if draft.has_parent { self.parent(level) } else { 0 };
        let is_perception = draft.form == 0;
        let content = match draft.form {
            0 => format!("felt {words} {marker}"),
            1 => format!("The force must never exceed 2 N: {marker} {words}"),
            _ => format!("{marker} {words}"),
        };
        let engine = &self.robot.engine;
        let stored = |parent_id| {
            if is_perception {
                let saved = engine.call::<SavePerception>(SavePerceptionRequest {
                    description: content.clone(),
                    perception_type: "tactile".into(),
                    data: push(f64::from(x)),
                    metadata: json!({"note": marker}).to_string(),
                    context: context.clone(),
                    session_id: session_id.clone(),
                    level: level.as_str().into(),
                    scope: scope.into(),
                    mem_type: class.as_str().into(),
                    parent_id,
                    ..Default::default()
                });
                return saved.map(|saved| saved.memory_id);
            }
            let learned = engine.call::<Learn>(LearnRequest {
                insight: content.clone(),
                context: context.clone(),
                session_id: session_id.clone(),
                level: level.as_str().into(),
                scope: scope.into(),
                mem_type: class.as_str().into(),
                parent_id,
                ..Default::default()
            });
            learned.map(|learned| learned.memory_id)
        };
        // A parent that is no parent for it is left out.
        let id = stored(parent_id).or_else(|_| stored(0)).expect("it is stored");
        assert_ne!(id, 0, "{content} is a duplicate");
        if draft.is_forgotten {
            let reason = format!("wrong {marker}");
            let request = ForgetRequest { memory_id: id, reason, ..Default::default() };
            self.robot.call::<Forget>(request);
        }
        let (session, is_active) = (draft.session, !draft.is_forgotten);
        let has_signature = is_perception && is_active;
        self.rows.push(Row {
            id,
            marker,
            scope,
            class,
            session,
            is_active,
            has_signature,
            content,
        });
    }

    /// The last active row one level up, of whatever scope.
    fn parent(&self, level: Level) -> i64 {
        let above = match level {
            Level::Core => return 0,
            Level::Knowledge => "core",
            Level::Working => "knowledge",
        };
        let query = format!(
            "SELECT coalesce(max(id), 0) FROM memory WHERE level = '{above}' AND status = 'active'"
        );
        sql(&self.robot.store_path(), &query)
    }

    fn active(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_active)
    }

    fn seen_count(&self, agent: &str, asked: Option<&str>) -> u64 {
        self.active().filter(|row| row.is_seen(agent, asked)).count() as u64
    }

    /// What is said in a text of what an agent may not see.
    fn leaks(&self, agent: &str, asked: Option<&str>, text: &str) -> Vec<String> {
        let words: BTreeSet<&str> =
            text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).collect();
        let mut leaks = Vec::new();
        for row in self.rows.iter().filter(|row| !row.is_seen(agent, asked)) {
            if words.contains(row.id.to_string().as_str()) || text.contains(&row.marker) {
                leaks.push(format!("memory {} of {} ({})", row.id, row.scope, row.class));
            }
        }
        for (number, (session, begun_by)) in self.sessions.iter().enumerate() {
            let has_row = |row: &&Row| row.session == Some(number) && row.is_seen(agent, asked);
            let may_see = rules::may_see_session(agent, begun_by);
            if !may_see && text.contains(&format!("ms{number:05}k")) {
                leaks.push(format!("the context of session {number}"));
            }
            if !may_see && text.contains(session) && !self.rows.iter().any(|row| has_row(&row)) {
                leaks.push(format!("session {number}"));
            }
        }
        leaks
    }

    fn assert_tight(&self, what: &str, agent: &str, asked: Option<&str>, text: &str) {
        let leaks = self.leaks(agent, asked, text);
        assert!(leaks.is_empty(), "{what} tells {agent:?}, who asked for {asked:?}, of {leaks:?}");
    }
}

/// The scope that a search really looks at.
fn searched(asked: &str) -> &str {
    if asked.is_empty() { "global" } else { asked }
}

/// Requests of an operation, for an agent and what it asks for, and whether no scope means all that
/// it may read.
struct Probe {
    name: &'static str,
    sees_all: bool,
    answers: fn(&World, &str, &str) -> Vec<String>,
}

/// Calls an operation and writes down the whole answer.
fn told<Op: Operation>(world: &World, request: Op::Request) -> String
where
    Engine: Run<Op>,
    Op::Response: Debug,
{
    format!("{:?}", world.robot.engine.call::<Op>(request))
}

/// What changes nothing.
const PROBES: &[Probe] = &[
    Probe {
        name: "recall",
        sees_all: false,
        answers: |world, agent, scope| {
            let requests = recalls(world, agent, scope).into_iter();
            requests
                .map(|request| {
                    // The plan repeats what it was asked for.
                    let asked = format!("memory {} (", request.like_memory_id);
                    told::<Recall>(world, request).replace(&asked, "memory (")
                })
                .collect()
        },
    },
    Probe {
        name: "get_memory",
        sees_all: true,
        answers: |world, agent, scope| {
            let seen = |row: &&Row| row.is_seen(agent, (!scope.is_empty()).then_some(scope));
            let get = |row: &Row| GetMemoryRequest {
                memory_id: row.id,
                include_data: true,
                include_embedding: true,
                scope: scope.into(),
                agent: agent.into(),
            };
            let rows = world.rows.iter().filter(seen);
            rows.map(|row| told::<GetMemory>(world, get(row))).collect()
        },
    },
    Probe {
        name: "list_levels",
        sees_all: true,
        answers: |world, agent, scope| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = ListLevelsRequest { scope, agent, ..Default::default() };
            vec![told::<ListLevels>(world, request)]
        },
    },
    Probe {
        name: "list_collections",
        sees_all: true,
        answers: |world, agent, scope| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = ListCollectionsRequest { scope, agent, ..Default::default() };
            vec![told::<ListCollections>(world, request)]
        },
    },
    Probe {
        name: "list_sessions",
        sees_all: true,
        answers: |world, agent, _| {
            let request = ListSessionsRequest { agent: agent.into(), ..Default::default() };
            vec![told::<ListSessions>(world, request)]
        },
    },
    Probe {
        name: "stats",
        sees_all: true,
        answers: |world, agent, _| vec![told::<Stats>(world, StatsRequest { agent: agent.into() })],
    },
    Probe {
        name: "export",
        sees_all: true,
        answers: |world, agent, _| {
            let mut all = Vec::new();
            let request = ExportRequest {
                all_statuses: true,
                include_embedding: true,
                agent: agent.into(),
                ..Default::default()
            };
            let count = world.robot.engine.export(request, &mut |memory| {
                all.push(format!("{memory:?}"));
                ControlFlow::Continue(())
            });
            all.push(format!("{count:?}"));
            all
        },
    },
];

/// Every way to search.
fn recalls(world: &World, agent: &str, scope: &str) -> Vec<RecallRequest> {
    let base = || RecallRequest {
        collections: vec!["*".into()],
        n: 100,
        min_confidence: 0.0,
        scope: scope.into(),
        agent: agent.into(),
        include_data: true,
        explain: true,
        ..Default::default()
    };
    let query = || RecallRequest { query: "grip the cup 抓取 force".into(), ..base() };
    let until = Some(Stamp(i64::MAX));
    let near = Some(SpatialSort {
        field: "spatial.robot_position".into(),
        target: vec![0.0, 0.0, 0.0],
        max_distance: 0.0,
    });
    let window = (0..30).flat_map(|at| [f64::from(at % 7), 0.0, -8.0, 0.0, 0.1, 0.0]).collect();
    let mut all = vec![
        query(),
        RecallRequest { ranking: "rrf".into(), ..query() },
        RecallRequest { exact: true, ..query() },
        RecallRequest { n: 3, ..query() },
        RecallRequest { min_similarity: 0.05, ..query() },
        RecallRequest { count_by: "session".into(), ..query() },
        RecallRequest { order: "newest".into(), count_by: "day".into(), ..query() },
        RecallRequest { levels: vec!["working".into()], ..query() },
        RecallRequest { until, count_by: "session".into(), ..base() },
        RecallRequest { until, order: "oldest".into(), ..base() },
        RecallRequest { types: vec!["perception".into()], ..base() },
        RecallRequest { context_filter: r#"{"params.force":{"$gte":0}}"#.into(), ..base() },
        RecallRequest { spatial_sort: near.clone(), ..base() },
        RecallRequest { spatial_sort: near, ..query() },
        RecallRequest { window_name: "wrench".into(), window, ..base() },
    ];
    // An example that the agent may see, of any scope, and the sessions of rows that it sees.
    let example = world.active().find(|row| row.has_signature && row.is_seen(agent, None));
    all.extend(example.map(|row| RecallRequest { like_memory_id: row.id, ..base() }));
    for (number, (session_id, begun_by)) in world.sessions.iter().enumerate() {
        let asked = Some(searched(scope));
        let has_row =
            world.active().any(|row| row.session == Some(number) && row.is_seen(agent, asked));
        if has_row || rules::may_see_session(agent, begun_by) {
            all.push(RecallRequest { session_id: session_id.clone(), ..query() });
        }
    }
    all
}

#[test]
fn no_answer_tells_of_what_its_caller_may_not_see() {
    let world = World::new(7, 260);
    let mut answered = 0;
    for agent in AGENTS {
        for scope in ASKED {
            for probe in PROBES {
                let asked = match (probe.sees_all, scope) {
                    (true, "") => None,
                    (true, scope) => Some(scope),
                    (false, scope) => Some(searched(scope)),
                };
                // What takes no scope is asked once.
                if asked.is_some() && ["list_sessions", "stats", "export"].contains(&probe.name) {
                    continue;
                }
                // What a memory is related to may be of another scope than the one that was named.
                let asked = asked.filter(|_| probe.name != "get_memory");
                for answer in (probe.answers)(&world, agent, scope) {
                    answered += usize::from(answer.starts_with("Ok"));
                    world.assert_tight(probe.name, agent, asked, &answer);
                }
            }
        }
    }
    // It would also be tight if everything were refused.
    assert!(answered > 2_000, "{answered} answers");
}

#[test]
fn what_is_seen_is_found_completely_and_counted_rightly() {
    let world = World::new(8, 220);
    for agent in AGENTS {
        for scope in ASKED {
            let asked = searched(scope);
            let everything = RecallRequest {
                collections: vec!["*".into()],
                until: Some(Stamp(i64::MAX)),
                min_confidence: 0.0,
                n: 100,
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let reads = |scope: &str| {
                MemType::ALL.iter().any(|class| rules::may_read(agent, scope, *class))
            };
            let may_ask = match asked.strip_prefix("cross:") {
                _ if asked == "all" => agent != "mute",
                Some(group) => reads(&format!("group:{group}")),
                None => reads(asked),
            };
            let answer = world.robot.engine.call::<Recall>(everything.clone());
            let count = world.seen_count(agent, Some(asked));
            match answer {
                Err(error) => {
                    assert!(!may_ask, "{agent:?} in {scope:?}: {error}");
                    assert_eq!(error.kind, ErrorKind::Forbidden, "{agent:?} in {scope:?}: {error}");
                    continue;
                }
                Ok(answer) => {
                    assert!(may_ask, "{agent:?} in {scope:?} was not refused");
                    assert_eq!(answer.total, count, "{agent:?} in {scope:?}");
                    let shown = answer.memories.iter().map(|hit| hit.memory.id);
                    let mut seen: Vec<i64> = world
                        .active()
                        .filter(|row| row.is_seen(agent, Some(asked)))
                        .map(|row| row.id)
                        .collect();
                    seen.reverse();
                    seen.truncate(100);
                    assert_eq!(shown.collect::<Vec<_>>(), seen, "{agent:?} in {scope:?}");
                }
            }
            let query = RecallRequest {
                query: "grip".into(),
                until: None,
                explain: true,
                ..everything.clone()
            };
            let answer = world.robot.call::<Recall>(query);
            assert!(
                answer.plan.contains(&format!("; {count} rows pass;")),
                "{agent:?} in {scope:?}: {}, not {count}",
                answer.plan
            );
            assert!(answer.total <= count);
            let by_session = RecallRequest { count_by: "session".into(), ..everything };
            let counted: u64 =
                world.robot.call::<Recall>(by_session).counts.iter().map(|it| it.count).sum();
            assert_eq!(counted, count);
        }
        for scope in ASKED {
            let asked = (!scope.is_empty()).then_some(scope);
            let (named, agent_named) = (scope.to_owned(), agent.to_owned());
            let levels = world.robot.engine.call::<ListLevels>(ListLevelsRequest {
                scope: named.clone(),
                agent: agent_named.clone(),
                ..Default::default()
            });
            let collections = world.robot.engine.call::<ListCollections>(ListCollectionsRequest {
                scope: named,
                agent: agent_named,
                ..Default::default()
            });
            let count = world.seen_count(agent, asked);
            if let Ok(levels) = levels {
                let counted: u64 = levels.levels.iter().map(|it| it.memory_count).sum();
                assert_eq!(counted, count, "{agent:?} in {scope:?}");
            }
            if let Ok(collections) = collections {
                let counted: u64 = collections.collections.iter().map(|it| it.count).sum();
                assert_eq!((counted, collections.memory_count), (count, count), "{agent:?}");
            }
        }
        let stats = world.robot.call::<Stats>(StatsRequest { agent: agent.into() });
        let of_any_status = world.rows.iter().filter(|row| row.is_seen(agent, None)).count();
        assert_eq!(stats.memory_count, of_any_status as u64, "{agent:?}");
        let active: u64 = stats.by_level.iter().map(|it| it.count).sum();
        assert_eq!(active, world.seen_count(agent, None), "{agent:?}");
        let vectors: u64 = stats.vectors_by_model.iter().map(|it| it.count).sum();
        assert_eq!((vectors, stats.missing_vectors), (active, 0), "{agent:?}");
    }
}

/// The error of a call, with what was asked for blotted out.
fn blotted<T: Debug>(answer: Result<T, ApiError>, asked: &str) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}").replace(asked, "?"),
    }
}

#[test]
fn what_is_not_seen_is_as_what_never_was() {
    let world = World::new(9, 150);
    let engine = &world.robot.engine;
    let by_id: [fn(&Engine, i64, &str, &str) -> String; 5] = [
        |engine, memory_id, scope, agent| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = GetMemoryRequest { memory_id, scope, agent, ..Default::default() };
            blotted(engine.call::<GetMemory>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let new_content = "The door is blue".into();
            let (scope, agent) = (scope.into(), agent.into());
            let request =
                UpdateRequest { memory_id, new_content, scope, agent, ..Default::default() };
            blotted(engine.call::<Update>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let (reason, scope, agent) = ("wrong".into(), scope.into(), agent.into());
            let request = ForgetRequest { memory_id, reason, scope, agent };
            blotted(engine.call::<Forget>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = DeleteMemoryRequest { memory_id, scope, agent };
            blotted(engine.call::<DeleteMemory>(request), &memory_id.to_string())
        },
        |engine, memory_id, _, agent| {
            let request = RecallRequest {
                like_memory_id: memory_id,
                scope: "all".into(),
                agent: agent.into(),
                ..Default::default()
            };
            blotted(engine.call::<Recall>(request), &memory_id.to_string())
        },
    ];
    for agent in AGENTS {
        for (number, call) in by_id.iter().enumerate() {
            let absent = call(engine, NO_ID, "", agent);
            assert!(absent.contains("NotFound") || agent == "mute", "{number} {agent}: {absent}");
            for row in world.rows.iter().filter(|row| !row.is_seen(agent, None)) {
                assert_eq!(call(engine, row.id, "", agent), absent, "{number} {agent} {row:?}");
            }
            // A scope that is named narrows what is seen.
            let group = call(engine, NO_ID, "group:red", agent);
            let outside = |row: &&Row| !row.is_seen(agent, Some("group:red")) && number < 4;
            for row in world.rows.iter().filter(outside) {
                assert_eq!(call(engine, row.id, "group:red", agent), group, "{agent} {row:?}");
            }
        }
        for row in &world.rows {
            let may_write = rules::may_write(agent, row.scope, row.class);
            if !row.is_seen(agent, None) || may_write {
                continue;
            }
            for write in &by_id[1..4] {
                let refused = write(engine, row.id, "", agent);
                // What is not active cannot be updated, whoever asks.
                let is_refused = refused.contains("Forbidden") || !row.is_active;
                assert!(is_refused, "{agent} {row:?}: {refused}");
                assert!(refused.contains("access policy entry") || !row.is_active, "{refused}");
            }
        }
        for (number, (session_id, begun_by)) in world.sessions.iter().enumerate() {
            if rules::may_see_session(agent, begun_by) {
                continue;
            }
            let get = |session_id: &str| {
                let request =
                    GetSessionRequest { session_id: session_id.into(), agent: agent.into() };
                blotted(engine.call::<GetSession>(request), session_id)
            };
            let end = |session_id: &str| {
                let (session_id, agent) = (session_id.to_owned(), agent.into());
                let request = EndSessionRequest { session_id, agent, ..Default::default() };
                let asked = request.session_id.clone();
                blotted(engine.call::<EndSession>(request), &asked)
            };
            assert_eq!(get(session_id), get(NO_SESSION), "{agent} {number}");
            assert_eq!(end(session_id), end(NO_SESSION), "{agent} {number}");
            assert!(get(session_id).contains("NotFound"));
            for scope in ASKED {
                let recall = |session_id: &str| {
                    let (scope, agent) = (scope.to_owned(), agent.to_owned());
                    let session_id = session_id.to_owned();
                    let request = RecallRequest {
                        session_id: session_id.clone(),
                        scope,
                        agent,
                        ..Default::default()
                    };
                    blotted(engine.call::<Recall>(request), &session_id)
                };
                let has_row = |row: &Row| {
                    row.session == Some(number) && row.is_seen(agent, Some(searched(scope)))
                };
                if !world.active().any(has_row) {
                    assert_eq!(recall(session_id), recall(NO_SESSION), "{agent} {scope} {number}");
                }
            }
        }
    }
}

#[test]
fn an_ended_session_is_told_of_as_far_as_it_is_seen() {
    for (number, agent) in ["", "planner", "ops", "skill_grasp", "mute"].into_iter().enumerate() {
        let world = World::new(10, 120);
        let session_id = world.sessions[number].0.clone();
        let of_session = |row: &&Row| row.session == Some(number) && row.is_seen(agent, None);
        let seen: Vec<&Row> = world.active().filter(of_session).collect();
        let (session, owner) = (session_id.clone(), agent.to_owned());
        let shown = world
            .robot
            .call::<GetSession>(GetSessionRequest { session_id: session, agent: owner.clone() });
        assert_eq!(shown.session.memory_count, seen.len() as u64, "{agent}");
        let listed = world.robot.call::<ListSessions>(ListSessionsRequest {
            agent: owner.clone(),
            ..Default::default()
        });
        for session in &listed.sessions {
            let place = world.sessions.iter().position(|(id, _)| *id == session.session_id);
            let rows = world.active().filter(|row| row.session == place);
            let count = rows.filter(|row| row.is_seen(agent, None)).count() as u64;
            assert_eq!(session.memory_count, count, "{agent} {place:?}");
        }
        let may_see = |(_, begun_by): &&(String, &str)| rules::may_see_session(agent, begun_by);
        let count = world.sessions.iter().filter(may_see).count();
        assert_eq!((listed.sessions.len(), listed.total), (count, count as u64), "{agent}");

        world.robot.sleep_days(5.0);
        let ended = world.robot.call::<EndSession>(EndSessionRequest {
            session_id,
            agent: owner.clone(),
            ..Default::default()
        });
        world.assert_tight("end_session", agent, None, &format!("{ended:?}"));
        assert_eq!(ended.memory_count, seen.len() as u64, "{agent}");
        let by_type: u64 = ended.by_type.iter().map(|it| it.count).sum();
        assert_eq!(by_type, seen.len() as u64, "{agent}");
        let by_category: u64 = ended.by_category.iter().map(|it| it.count).sum();
        assert!(by_category <= by_type);
        // Of five days all fade but what is protected.
        let fades = |row: &&Row| !row.content.contains("must never") && row.is_seen(agent, None);
        assert_eq!(ended.decayed_count, world.active().filter(fades).count() as u64, "{agent}");
        for hit in &ended.related_memories {
            let row = world.rows.iter().find(|row| row.id == hit.memory.id).expect("a row");
            assert!(row.is_seen(agent, Some("global")), "{agent} {row:?}");
        }
        let begun = world
            .robot
            .call::<StartSession>(StartSessionRequest { agent: owner, ..Default::default() });
        let active = rows_of_store(&world, agent);
        assert_eq!(begun.active_memories_count, active, "{agent}");
    }
}

/// How many active rows of the store an agent may see, whatever became of them meanwhile.
fn rows_of_store(world: &World, agent: &str) -> u64 {
    let is_active = |row: &&Row| {
        let status: String = sql(
            &world.robot.store_path(),
            &format!("SELECT status FROM memory WHERE id = {}", row.id),
        );
        status == "active"
    };
    let seen = world.rows.iter().filter(|row| row.is_seen(agent, None));
    seen.filter(is_active).count() as u64
}

fn learn(scope: &str, mem_type: &str, agent: &str, insight: &str) -> LearnRequest {
    LearnRequest {
        insight: insight.into(),
        scope: scope.into(),
        mem_type: mem_type.into(),
        agent: agent.into(),
        ..Default::default()
    }
}

#[test]
fn a_duplicate_is_told_of_only_when_it_is_seen() {
    let said = "The left gripper needs oil before each long shift";
    let nearly = "The left gripper needs oil before each long shift today";
    // Where it stands, who says it again, where, and whether that is a duplicate.
    let cases = [
        ("global", "procedure", "ops", "global", "procedure", true),
        ("global", "fact", "ops", "global", "procedure", false),
        ("global", "procedure", "", "global", "fact", true),
        ("global", "fact", "mute", "global", "fact", false),
        ("group:red", "fact", "planner", "group:blue", "fact", false),
        ("group:red", "fact", "planner", "group:red", "fact", true),
        ("group:red", "fact", "planner", "global", "fact", false),
        ("global", "fact", "planner", "group:red", "fact", false),
        ("agent:skill_grasp", "fact", "skill_weld", "agent:skill_weld", "fact", false),
        ("agent:skill_weld", "fact", "skill_weld", "agent:skill_weld", "fact", true),
        ("branch:s1/a", "fact", "", "branch:s1/b", "fact", false),
        ("session:s1", "fact", "", "branch:s1/a", "fact", false),
    ];
    for (scope, class, agent, again_in, again_class, is_duplicate) in cases {
        for text in [said, nearly] {
            let robot = Robot::with(|config| config.access = Some(POLICY.into()));
            robot.plug_in_embedder();
            let first = robot.call::<Learn>(learn(scope, class, "", said));
            let second = robot.call::<Learn>(learn(again_in, again_class, agent, text));
            let told = (second.status == LearnStatus::Duplicate, second.existing_id);
            let expected = if is_duplicate { (true, first.memory_id) } else { (false, 0) };
            assert_eq!(told, expected, "{scope} {class}, {agent} in {again_in}: {text}");
        }
        // Updated into what it may not see.
        if !is_duplicate && scope == again_in {
            let robot = Robot::with(|config| config.access = Some(POLICY.into()));
            robot.call::<Learn>(learn(scope, class, "", said));
            let other = learn(again_in, again_class, "", "Lesson: the lamp flickers at night");
            let memory_id = robot.call::<Learn>(other).memory_id;
            let (new_content, agent) = (said.into(), agent.into());
            let request = UpdateRequest { memory_id, new_content, agent, ..Default::default() };
            let answer = robot.engine.call::<Update>(request);
            assert!(!format!("{answer:?}").contains("memory 1"), "{answer:?}");
        }
    }
}

#[test]
fn what_says_the_same_in_two_scopes_is_not_merged() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let request = StartSessionRequest { agent: "skill_grasp".into(), ..Default::default() };
    let session_id = robot.call::<StartSession>(request).session_id;
    let said = [
        "The left gripper finger slips on glass bottles often",
        "The left gripper finger slips on glass when wet",
        "The left gripper finger slips on glass after lunch",
    ];
    for scope in ["agent:skill_grasp", "dm", "group:blue"] {
        for insight in said {
            let session_id = session_id.clone();
            robot.call::<Learn>(LearnRequest { session_id, ..learn(scope, "fact", "", insight) });
        }
    }
    let count = |query: &str| -> i64 { sql(&robot.store_path(), query) };
    let all = count("SELECT count(*) FROM memory");
    let (agent, session_id) = ("skill_grasp".into(), session_id);
    let request = EndSessionRequest { session_id, agent, ..Default::default() };
    let ended = robot.call::<EndSession>(request);
    let superseded = count("SELECT count(*) FROM memory WHERE status = 'superseded'");
    assert!(superseded > 0, "of {all} none was merged");
    let across = "SELECT count(*) FROM memory a JOIN memory b ON b.id = a.superseded_by \
                  WHERE a.scope <> b.scope";
    assert_eq!(count(across), 0);
    let own = "SELECT count(*) FROM memory WHERE status = 'superseded' \
               AND scope = 'agent:skill_grasp'";
    assert_eq!(ended.superseded_count, count(own).unsigned_abs());
    assert!(ended.superseded_count < superseded.unsigned_abs(), "it hears of what it may not see");
}

#[test]
fn what_is_cleared_is_what_is_seen_and_may_be_written() {
    for agent in AGENTS {
        for scope in ["", "global", "group:red", "dm", "all"] {
            let world = World::new(12, 60);
            let asked = (!scope.is_empty()).then_some(scope);
            let answer = world.robot.engine.call::<ClearMemories>(ClearMemoriesRequest {
                level: "core".into(),
                collection: "default".into(),
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            });
            let is_left = |row: &Row| {
                let query = format!("SELECT count(*) FROM memory WHERE id = {}", row.id);
                sql::<i64>(&world.robot.store_path(), &query) == 1
            };
            let gone: Vec<&Row> = world.rows.iter().filter(|row| !is_left(row)).collect();
            for row in &gone {
                assert!(row.is_seen(agent, asked), "{agent:?} in {scope:?}: {row:?}");
                assert!(rules::may_write(agent, row.scope, row.class), "{agent:?}: {row:?}");
            }
            world.assert_tight("clear_memories", agent, asked, &format!("{answer:?}"));
            if let Ok(answer) = answer {
                assert_eq!(answer.deleted_count, gone.len() as u64, "{agent:?} in {scope:?}");
            }
        }
    }
}

#[test]
fn neighbors_in_a_session_are_those_that_are_seen() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let session_id = robot.start_session();
    for (scope, insight) in [
        ("global", "First the lamp was lit"),
        ("dm", "The owner sleeps until nine"),
        ("global", "Then the kettle was filled"),
        ("group:red", "The red team has the spare key"),
    ] {
        let session_id = session_id.clone();
        robot.call::<Learn>(LearnRequest { session_id, ..learn(scope, "fact", "", insight) });
    }
    let beside = |scope: &str| {
        let (query, scope) = ("kettle filled".to_owned(), scope.to_owned());
        let answer = robot.call::<Recall>(RecallRequest { query, scope, ..Default::default() });
        let hit = answer.memories.into_iter().find(|hit| hit.memory.content.contains("kettle"));
        let hit = hit.expect("the kettle");
        (hit.context_before, hit.context_after)
    };
    let first = "First the lamp was lit";
    let owner = "The owner sleeps until nine";
    let key = "The red team has the spare key";
    assert_eq!(beside("global"), (first.into(), String::new()));
    assert_eq!(beside("dm"), (owner.into(), String::new()));
    assert_eq!(beside("group:red"), (first.into(), key.into()));
    assert_eq!(beside("all"), (owner.into(), key.into()));
}

#[test]
fn topics_show_what_the_policy_lets_everybody_hear() {
    let mut world = World::new(11, 0);
    let listening = world.robot.engine.new_memories(500);
    for draft in drafts(11, 200) {
        world.store(&draft);
    }
    let is_shown = |row: &Row| rules::is_shown(row.scope, row.class);
    let mut told = Vec::new();
    loop {
        let new = listening.next(&world.robot.engine, Duration::ZERO).expect("new memories");
        if new.is_empty() {
            break;
        }
        let text = format!("{new:?}");
        for row in world.rows.iter().filter(|row| !is_shown(row)) {
            assert!(!text.contains(&row.marker) && !text.contains(&row.id.to_string()), "{row:?}");
        }
        told.extend(new.iter().map(|new| new.memory.id));
    }
    let shown = || world.rows.iter().filter(|row| is_shown(row));
    assert_eq!(told, shown().map(|row| row.id).collect::<Vec<_>>());
    let newest: Vec<i64> = shown().rev().filter(|row| row.is_active).map(|row| row.id).collect();
    assert!(newest.len() > 4);
    for limit in [1, 3, 100] {
        let places = world.robot.engine.places(limit).expect("places");
        let text = format!("{places:?}");
        for row in world.rows.iter().filter(|row| !is_shown(row)) {
            assert!(!text.contains(&row.marker) && !text.contains(&row.id.to_string()), "{row:?}");
        }
        let ids: Vec<i64> = places.iter().map(|place| place.memory.id).collect();
        assert_eq!(ids, newest[..limit.min(newest.len())]);
    }
}

#[test]
fn an_idempotency_key_is_its_agents_own() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let request = |agent: &str, insight: &str| LearnRequest {
        idempotency_key: "k1".into(),
        ..learn("global", "lesson", agent, insight)
    };
    let first = robot.call::<Learn>(request("", "The lamp is red"));
    let second = robot.call::<Learn>(request("ops", "The door is green"));
    assert_ne!(first.memory_id, second.memory_id);
    assert_eq!(robot.call::<Learn>(request("", "The lamp is red")), first);
    assert_eq!(robot.call::<Learn>(request("ops", "The door is green")), second);
    // As the operator's were kept before there were agents.
    let kept: i64 = sql(
        &robot.store_path(),
        "SELECT count(*) FROM idempotency WHERE operation = 'learn' AND key = 'k1'",
    );
    assert_eq!(kept, 1);
}

#[test]
fn the_robots_own_sensors_need_no_name() {
    for (default_scope, scope) in [("group:cell", "group:cell"), ("", "unscoped")] {
        let robot = Robot::with(|config| {
            config.require_agent = true;
            config.default_scope = robot_memory::model::Scope::parse(default_scope).ok();
        });
        let answers = robot.engine.record(vec![contact(0, 0.6, 10)]).expect("a batch");
        let memory_id = answers[0].as_ref().expect("it is stored").memory_id;
        let path = robot.store_path();
        let stored: String =
            sql(&path, &format!("SELECT scope FROM memory WHERE id = {memory_id}"));
        assert_eq!(stored, scope);
        let engine = &robot.engine;
        let kind = |agent: &str| engine.admit_capture(agent).map_err(|error| error.kind);
        assert_eq!(kind(""), Err(ErrorKind::Forbidden));
        assert_eq!(kind("guest"), Err(ErrorKind::Forbidden));
        let expected = if default_scope.is_empty() { Err(ErrorKind::Forbidden) } else { Ok(()) };
        assert_eq!(kind("planner"), expected);
        let nameless = SavePerceptionRequest {
            description: "A nameless sight".into(),
            scope: "global".into(),
            ..Default::default()
        };
        let refused = engine.call::<SavePerception>(nameless).map_err(|error| error.kind);
        assert_eq!(refused.map(|_| ()), Err(ErrorKind::Forbidden));
    }
}
