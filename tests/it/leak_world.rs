//! Random rows of every scope, class, level and session, and who may see which.

use crate::colors::{self, Colors};
use crate::leak_faces::Faces;
use crate::leak_jobs::{self, JobRow};
use crate::robot::{Robot, sql};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestRng, TestRunner};
use robot_memory_core::api::{
    Forget, ForgetRequest, Learn, LearnRequest, Operation, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest,
};
use robot_memory_core::model::{Level, MemType};
use robot_memory_engine::{Engine, Run};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;

pub const POLICY: &str = r#"
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
pub const AGENTS: [&str; 8] =
    ["", "planner", "ops", "skill_grasp", "skill_weld", "nurse", "mute", "guest"];
pub const SCOPES: [&str; 11] = [
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
pub const ASKED: [&str; 15] = [
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
pub const FIRST_ID: i64 = 70_000_001;
pub const NO_ID: i64 = 79_999_999;
pub const NO_SESSION: &str = "00000000-0000-4000-8000-000000000000";
pub const WORDS: [&str; 8] = ["cup", "grip", "table", "door", "bolt", "slow", "抓取", "杯子"];

/// The rules, read a second time.
pub mod rules {
    use super::MemType;
    use robot_memory_core::model::MemType::{Fact, Lesson, Preference, Procedure, TaskLog};

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

    /// Whether an agent sees jobs of a scope, which may belong to an episode that somebody began; and
    /// whether also what they name.
    pub fn may_see_jobs(agent: &str, scope: &str, begun_by: Option<&str>) -> (bool, bool) {
        let reads = match scope {
            "all" => agent.is_empty() || agent == "planner",
            scope => MemType::ALL.iter().any(|class| may_read(agent, scope, *class)),
        };
        (reads || begun_by.is_some_and(|begun_by| may_see_session(agent, begun_by)), reads)
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
pub struct Row {
    pub id: i64,
    /// Stands in its text and nowhere else.
    pub marker: String,
    pub scope: &'static str,
    pub class: MemType,
    pub level: Level,
    pub session: Option<usize>,
    pub is_active: bool,
    pub has_signature: bool,
    pub content: String,
}

impl Row {
    /// Whether an agent sees it that asks so; a request that names none sees all it may read.
    pub fn is_seen(&self, agent: &str, asked: Option<&str>) -> bool {
        let searched = asked.and_then(|asked| rules::searched(agent, asked));
        searched.is_none_or(|scopes| scopes.iter().any(|scope| scope == self.scope))
            && rules::may_read(agent, self.scope, self.class)
    }
}

pub struct World {
    pub robot: Robot,
    pub rows: Vec<Row>,
    /// Id and who began it.
    pub sessions: Vec<(String, &'static str)>,
    pub jobs: Vec<JobRow>,
    /// Who answers instead of the engine itself.
    pub faces: Option<Faces>,
}

/// What the next row is.
#[derive(Debug, Clone)]
pub struct Draft {
    pub scope: usize,
    pub class: usize,
    pub level: usize,
    pub session: Option<usize>,
    pub words: Vec<usize>,
    pub place: (i32, i32),
    pub form: u8,
    pub is_forgotten: bool,
    pub has_parent: bool,
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

pub fn drafts(seed: u8, count: usize) -> Vec<Draft> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Runs::default(), rng);
    let all = prop::collection::vec(draft(), count).new_tree(&mut runner);
    all.expect("drafts").current()
}

/// A push, and a picture that is red or green.
fn felt_and_seen(peak_n: f64) -> String {
    let force = |at| if (10..20).contains(&at) { peak_n } else { 0.0 };
    let rows: Vec<[f64; 6]> =
        (0..30).map(|at| [force(at), 0.0, -8.0, 0.0, force(at) / 10.0, 0.0]).collect();
    let times: Vec<f64> = (0..30).map(|at| f64::from(at) / 50.0).collect();
    let mut data = colors::data(if peak_n < 0.0 { colors::RED } else { colors::GREEN });
    data["series"] = json!([{"kind": "wrench", "values": rows, "t": times}]);
    data.to_string()
}

impl World {
    pub fn new(seed: u8, count: usize) -> Self {
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
        let (rows, sessions, jobs) = (Vec::new(), Vec::new(), Vec::new());
        let mut world = Self { robot, rows, sessions, jobs, faces: None };
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
        leak_jobs::store(&mut world);
        Colors::new("colors").plug_in(&world.robot);
        colors::make_vectors(&world.robot);
        world
    }

    pub fn store(&mut self, draft: &Draft) {
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
        let mut context = json!({
            "spatial": {"robot_position": [x, y, 0], "frame": "map"},
            "params": {"force": x},
            "note": marker,
        });
        if draft.form == 1 {
            let limit = json!({"path": "params.force", "op": "<=", "value": -20, "unit": "N"});
            context["limits"] = json!([limit]);
        }
        let context = context.to_string();
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
                    data: felt_and_seen(f64::from(x)),
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
            level,
            session,
            is_active,
            has_signature,
            content,
        });
    }

    /// The same world, asked over HTTP.
    pub fn over_http(seed: u8, count: usize) -> Self {
        let world = Self::new(seed, count);
        let faces = Some(Faces::of(&world.robot));
        Self { faces, ..world }
    }

    /// Calls an operation and writes down the whole answer.
    pub fn ask<Op: Operation>(&self, request: Op::Request) -> String
    where
        Engine: Run<Op>,
        Op::Request: Serialize,
        Op::Response: Debug,
    {
        let Some(faces) = &self.faces else {
            return format!("{:?}", self.robot.engine.call::<Op>(request));
        };
        let mut request = serde_json::to_value(request).expect("it serializes");
        // Its token says who asks.
        let agent = request.as_object_mut().and_then(|fields| fields.remove("agent"));
        let agent = agent.as_ref().and_then(|agent| agent.as_str()).expect("who asks");
        faces.post(agent, Op::NAME, &request).written()
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

    pub fn active(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_active)
    }

    pub fn seen_count(&self, agent: &str, asked: Option<&str>) -> u64 {
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
        leaks.extend(leak_jobs::leaks(self, agent, &words));
        for (number, (session, begun_by)) in self.sessions.iter().enumerate() {
            let has_row = |row: &&Row| row.session == Some(number) && row.is_seen(agent, asked);
            let may_see = rules::may_see_session(agent, begun_by);
            if !may_see && text.contains(&format!("ms{number:05}k")) {
                leaks.push(format!("the context of session {number}"));
            }
            let has_job = |job: &JobRow| job.visibility(agent).0 && job.name.starts_with(session);
            let is_named =
                self.rows.iter().any(|row| has_row(&row)) || self.jobs.iter().any(has_job);
            if !may_see && text.contains(session) && !is_named {
                leaks.push(format!("session {number}"));
            }
        }
        leaks
    }

    pub fn assert_tight(&self, what: &str, agent: &str, asked: Option<&str>, text: &str) {
        let leaks = self.leaks(agent, asked, text);
        assert!(leaks.is_empty(), "{what} tells {agent:?}, who asked for {asked:?}, of {leaks:?}");
    }
}

/// The scope that a search really looks at.
pub fn searched(asked: &str) -> &str {
    if asked.is_empty() { "global" } else { asked }
}
