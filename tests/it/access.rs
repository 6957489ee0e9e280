//! The access file, through every operation: what it grants is done, what it does not is forbidden by
//! a rule that is named, and what a caller may not see is not there.

use crate::robot::{Robot, START, SetClock, config, ids};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest,
    Learn, LearnRequest, Operation, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::Clock;
use robot_memory_engine::{Engine, Run};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Reads cell 7 and itself, writes notes of its own; reads lessons of all.
const POLICY: &str = "
agents:
  - names: [chief]
    read: all
    write: all
    sessions: all
  - names: [skill_*]
    read: ['agent:{agent}', 'group:cell-7', {scope: global, mem_types: [lesson]}]
    write: [{scope: 'agent:{agent}', mem_types: [task_log]}]
    sessions: own
  - names: [mute]
";

fn robot() -> Robot {
    robot_by(POLICY)
}

fn robot_by(policy: &str) -> Robot {
    Robot::with(|config| config.access = Some(policy.into()))
}

fn learn(agent: &str, scope: &str, mem_type: &str, insight: &str) -> LearnRequest {
    LearnRequest {
        insight: insight.into(),
        scope: scope.into(),
        agent: agent.into(),
        mem_type: mem_type.into(),
        ..Default::default()
    }
}

fn learned(robot: &Robot, scope: &str, mem_type: &str, insight: &str) -> i64 {
    robot.call::<Learn>(learn("", scope, mem_type, insight)).memory_id
}

fn recall(agent: &str, scope: &str) -> RecallRequest {
    RecallRequest {
        query: "the cup".into(),
        scope: scope.into(),
        agent: agent.into(),
        min_confidence: 0.0,
        n: 100,
        ..Default::default()
    }
}

fn get(agent: &str, memory_id: i64) -> GetMemoryRequest {
    GetMemoryRequest { memory_id, agent: agent.into(), ..Default::default() }
}

fn update(agent: &str, memory_id: i64) -> UpdateRequest {
    UpdateRequest {
        memory_id,
        new_content: format!("the cup was moved by {agent}"),
        agent: agent.into(),
        ..Default::default()
    }
}

fn forget(agent: &str, memory_id: i64) -> ForgetRequest {
    ForgetRequest {
        memory_id,
        reason: "it is not so".into(),
        agent: agent.into(),
        ..Default::default()
    }
}

/// That a call is forbidden, by words that hold all of these.
fn assert_forbidden<Op: Operation>(robot: &Robot, request: Op::Request, words: &[&str])
where
    Engine: Run<Op>,
{
    let (kind, message) = robot.refused::<Op>(request);
    assert_eq!(kind, ErrorKind::Forbidden, "{}: {message}", Op::NAME);
    for word in words {
        assert!(message.contains(word), "{}: {message:?} does not say {word:?}", Op::NAME);
    }
}

const SKILL: &str = "agents[1] (skill_*)";

#[test]
fn a_write_needs_its_scope_and_class() {
    let robot = robot();
    let cases = [
        ("", "unscoped", "fact", true),
        ("chief", "group:cell-9", "fact", true),
        ("skill_a", "agent:skill_a", "task_log", true),
        ("skill_a", "agent:skill_a", "fact", false),
        ("skill_a", "agent:skill_ab", "task_log", false),
        ("skill_a", "global", "task_log", false),
        ("skill_a", "group:cell-7", "task_log", false),
        // The default scope is global.
        ("skill_a", "", "task_log", false),
        ("skill_*", "agent:skill_a", "task_log", false),
        ("mute", "agent:mute", "task_log", false),
        ("stranger", "global", "fact", false),
    ];
    for (index, (agent, scope, mem_type, may)) in cases.into_iter().enumerate() {
        let insight = format!("the cup of case {index} is red");
        let request = learn(agent, scope, mem_type, &insight);
        let perception = SavePerceptionRequest {
            description: insight.clone(),
            scope: scope.into(),
            agent: agent.into(),
            mem_type: mem_type.into(),
            ..Default::default()
        };
        if may {
            assert_ne!(robot.call::<Learn>(request).memory_id, 0, "{agent} {scope} {mem_type}");
            robot.call::<SavePerception>(perception);
        } else {
            let entry = match agent {
                "mute" => "agents[2] (mute): write nothing",
                "stranger" => "default: write nothing (no other entry names it",
                _ => SKILL,
            };
            let may_not = format!("may not write {mem_type} in ");
            let words = ["scope: agent ", &may_not, "access policy entry ", entry];
            assert_forbidden::<Learn>(&robot, request, &words);
            assert_forbidden::<SavePerception>(&robot, perception, &words);
        }
    }
    let everything = robot.call::<Recall>(recall("", "all"));
    assert_eq!(everything.total, 6, "what was forbidden was not stored");
}

#[test]
fn the_class_that_is_inferred_counts_as_a_given_one_does() {
    let robot = robot_by("default: {write: [{scope: global, mem_types: preference}]}");
    robot.call::<Learn>(learn("a", "global", "", "prefer the left hand over the right one"));
    assert_forbidden::<Learn>(
        &robot,
        learn("a", "global", "", "the cup is red"),
        &["may not write fact in global", "default: write global (preference)"],
    );
}

#[test]
fn a_search_shows_what_may_be_read_of_what_is_named() {
    let robot = robot();
    let lesson = learned(&robot, "global", "lesson", "lesson: the cup breaks above 20 N");
    let fact = learned(&robot, "global", "fact", "the cup is red");
    let cell_7 = learned(&robot, "group:cell-7", "fact", "the cup stands in cell seven");
    let cell_9 = learned(&robot, "group:cell-9", "fact", "the cup stands in cell nine");
    let own = learned(&robot, "agent:skill_a", "task_log", "the cup was gripped by a");
    let other = learned(&robot, "agent:skill_b", "task_log", "the cup was gripped by b");
    let dm = learned(&robot, "dm", "preference", "prefer the cup over the glass");
    let lost = learned(&robot, "unscoped", "fact", "the cup came from nowhere");

    let cases: [(&str, &str, &[i64]); 14] = [
        ("", "", &[lesson, fact]),
        ("", "all", &[lesson, fact, cell_7, cell_9, own, other, dm, lost]),
        ("", "cross:cell-9", &[lesson, fact, cell_9, dm]),
        ("chief", "all", &[lesson, fact, cell_7, cell_9, own, other, dm, lost]),
        ("chief", "cross:cell-9", &[lesson, fact, cell_9]),
        ("chief", "agent:skill_b", &[lesson, fact, other]),
        ("skill_a", "", &[lesson]),
        ("skill_a", "global", &[lesson]),
        ("skill_a", "all", &[lesson, cell_7, own]),
        ("skill_a", "group:cell-7", &[lesson, cell_7]),
        ("skill_a", "cross:cell-7", &[lesson, cell_7, own]),
        ("skill_a", "agent:skill_a", &[lesson, own]),
        ("skill_b", "all", &[lesson, cell_7, other]),
        ("skill_*", "all", &[lesson, cell_7]),
    ];
    for (agent, scope, expected) in cases {
        let found = robot.call::<Recall>(recall(agent, scope));
        let found_ids: BTreeSet<i64> = ids(&found).into_iter().collect();
        assert_eq!(found_ids, expected.iter().copied().collect(), "{agent:?} in {scope:?}");
        assert_eq!(found.total, expected.len() as u64, "{agent:?} in {scope:?}");
    }

    for scope in ["group:cell-9", "cross:cell-9", "agent:skill_b", "dm", "unscoped", "turn:1"] {
        let may_not = format!("scope: agent skill_a may not read {scope}");
        assert_forbidden::<Recall>(&robot, recall("skill_a", scope), &[&may_not, SKILL]);
    }
    for scope in ["", "all", "global"] {
        assert_forbidden::<Recall>(
            &robot,
            recall("mute", scope),
            &["agents[2] (mute): read nothing"],
        );
        assert_forbidden::<Recall>(&robot, recall("stranger", scope), &["default: read nothing"]);
    }
}

#[test]
fn what_may_not_be_seen_is_not_there() {
    let robot = robot();
    let hidden = [
        learned(&robot, "group:cell-9", "fact", "the cup stands in cell nine"),
        learned(&robot, "global", "fact", "the cup is red"),
        learned(&robot, "agent:skill_b", "task_log", "the cup was gripped by b"),
        learned(&robot, "dm", "preference", "prefer the cup over the glass"),
    ];
    let missing = 1_000;
    /// What a call answers for a memory, with the id taken out.
    fn answer<Op: Operation>(robot: &Robot, id: i64, request: Op::Request) -> (ErrorKind, String)
    where
        Engine: Run<Op>,
    {
        let (kind, message) = robot.refused::<Op>(request);
        (kind, message.replace(&id.to_string(), "<id>"))
    }
    for id in hidden {
        let pairs = [
            (
                answer::<GetMemory>(&robot, id, get("skill_a", id)),
                answer::<GetMemory>(&robot, missing, get("skill_a", missing)),
            ),
            (
                answer::<Update>(&robot, id, update("skill_a", id)),
                answer::<Update>(&robot, missing, update("skill_a", missing)),
            ),
            (
                answer::<Forget>(&robot, id, forget("skill_a", id)),
                answer::<Forget>(&robot, missing, forget("skill_a", missing)),
            ),
        ];
        for (hidden, missing) in pairs {
            assert_eq!(hidden, missing);
            assert_eq!(hidden.0, ErrorKind::NotFound);
        }
        assert_eq!(robot.call::<GetMemory>(get("chief", id)).memory.id, id, "it is still there");
    }
}

#[test]
fn what_is_seen_and_not_granted_is_not_changed() {
    let robot = robot();
    let lesson = learned(&robot, "global", "lesson", "lesson: the cup breaks above 20 N");
    let cell = learned(&robot, "group:cell-7", "fact", "the cup stands in cell seven");
    for (id, may_not) in [(lesson, "write lesson in global"), (cell, "write fact in group:cell-7")]
    {
        let before = robot.call::<GetMemory>(get("skill_a", id));
        let words = [may_not, SKILL, "write agent:skill_a (task_log)"];
        assert_forbidden::<Update>(&robot, update("skill_a", id), &words);
        assert_forbidden::<Forget>(&robot, forget("skill_a", id), &words);
        assert_eq!(robot.call::<GetMemory>(get("skill_a", id)), before);
    }
    let own =
        robot.call::<Learn>(learn("skill_a", "agent:skill_a", "task_log", "the cup was gripped"));
    robot.call::<Update>(update("skill_a", own.memory_id));
    robot.call::<Forget>(forget("skill_a", own.memory_id));
    robot.call::<Update>(update("chief", cell));
    robot.call::<Forget>(forget("chief", lesson));
}

#[test]
fn an_update_may_not_change_a_memory_into_a_class_that_is_not_granted() {
    let robot = robot_by(
        "default: {read: global, write: [{scope: global, mem_types: [preference, fact]}]}",
    );
    let learned = robot.call::<Learn>(learn("a", "global", "", "the cup is red"));
    let mut request = update("a", learned.memory_id);
    request.new_content = "lesson: the cup breaks above 20 N".into();
    assert_forbidden::<Update>(&robot, request, &["may not write lesson in global"]);
    let mut request = update("a", learned.memory_id);
    request.new_content = "prefer the cup over the glass".into();
    robot.call::<Update>(request);
}

#[test]
fn who_may_have_no_sessions_begins_none() {
    let robot = robot();
    let start = |agent: &str| StartSessionRequest { agent: agent.into(), ..Default::default() };
    for agent in ["", "chief", "skill_a"] {
        robot.call::<StartSession>(start(agent));
    }
    for (agent, entry) in [("mute", "agents[2] (mute): sessions none"), ("stranger", "default: ")] {
        assert_forbidden::<StartSession>(&robot, start(agent), &["may not begin sessions", entry]);
    }
}

#[test]
fn a_session_of_somebody_else_is_not_there() {
    let robot = robot();
    let start = |agent: &str| {
        let request = StartSessionRequest { agent: agent.into(), ..Default::default() };
        robot.call::<StartSession>(request).session_id
    };
    let end = |agent: &str, session_id: &str| {
        robot.engine.call::<EndSession>(EndSessionRequest {
            session_id: session_id.into(),
            agent: agent.into(),
            ..Default::default()
        })
    };
    let (of_a, of_b, of_operator) = (start("skill_a"), start("skill_b"), start(""));
    let kind = |agent: &str, session_id: &str| end(agent, session_id).unwrap_err().kind;
    assert_eq!(kind("skill_a", &of_b), ErrorKind::NotFound);
    assert_eq!(kind("skill_a", &of_operator), ErrorKind::NotFound);
    assert_eq!(kind("mute", &of_a), ErrorKind::NotFound);
    for (agent, session_id) in [("skill_a", &of_a), ("chief", &of_b), ("", &of_operator)] {
        assert!(end(agent, session_id).is_ok(), "{agent}");
    }
}

#[test]
fn the_operator_is_told_apart_by_name_when_that_is_required() {
    let robot = Robot::with(|config| {
        config.access = Some(POLICY.into());
        config.require_agent = true;
    });
    let words = ["agent: must be given", "require_agent"];
    assert_forbidden::<Learn>(&robot, learn("", "global", "fact", "the cup is red"), &words);
    assert_forbidden::<Recall>(&robot, recall("", "all"), &words);
    assert_forbidden::<GetMemory>(&robot, get("", 1), &words);
    assert_forbidden::<Update>(&robot, update("", 1), &words);
    assert_forbidden::<Forget>(&robot, forget("", 1), &words);
    robot.call::<Learn>(learn("chief", "global", "fact", "the cup is red"));
}

fn opened(access: &str, folder: &Path) -> Result<(), String> {
    let clock = Arc::new(SetClock::default());
    clock.set(START);
    let mut config = config(&folder.join("memory.db"));
    config.access = Some(access.into());
    let opened = Engine::open(config, clock as Arc<dyn Clock>);
    opened.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_store_does_not_open_by_a_file_that_is_not_well_formed() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("agents: [", "no YAML"),
        ("", "must be a map with the keys agents, default, topics, never_store"),
        (
            "agents:\n  - names: a\n    wriet: all\n",
            "agents[0] (line 3): there is no key \"wriet\"",
        ),
        ("default: {read: [evrything]}", "default.read[0] (line 1)"),
        ("never_store: [{name: badge, pattern: '(' }]", "never_store"),
    ];
    for (text, expected) in cases {
        let error = opened(text, folder.path()).expect_err(text);
        assert!(error.contains(expected), "{text:?}: {error}");
    }
    assert!(!folder.path().join("memory.db").exists(), "no store was made");
    opened(POLICY, folder.path()).expect("a well formed file opens");
}

#[test]
fn the_examples_of_the_documentation_are_well_formed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut examples = Vec::new();
    for file in ["docs/access.md", "README.md"] {
        let text = std::fs::read_to_string(folder.join(file)).expect("it can be read");
        let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        examples.extend(blocks.filter(|block| block.contains("agents:")).map(str::to_owned));
    }
    assert_eq!(examples.len(), 2);
    for example in examples {
        let robot = robot_by(&example);
        if example.contains("my_planner") {
            robot.call::<Learn>(learn("my_planner", "dm", "fact", "the cup is red"));
            assert_eq!(robot.call::<Recall>(recall("my_planner", "all")).total, 1);
        }
    }
}

/// Names of services, topics and actions in a policy of SROS 2 that are this node's own.
fn own_names(policy: &str) -> BTreeSet<String> {
    let end = |tag: &str, line: &str| {
        let name =
            line.trim().strip_prefix(&format!("<{tag}>"))?.strip_suffix(&format!("</{tag}>"))?;
        Some(name.to_owned())
    };
    let tags = ["service", "topic", "action"];
    let names = policy.lines().filter_map(|line| tags.iter().find_map(|tag| end(tag, line)));
    names.filter_map(|name| name.strip_prefix("/robot_memory/").map(str::to_owned)).collect()
}

#[test]
fn the_enclaves_name_services_topics_and_actions_that_there_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let policy = std::fs::read_to_string(folder.join("config/sros2/robot_memory.policy.xml"))
        .expect("the policy can be read");
    let services: BTreeSet<String> = std::fs::read_dir(folder.join("srv"))
        .expect("the services can be listed")
        .map(|file| {
            let name = file.expect("an entry").file_name().into_string().expect("UTF-8");
            let mut snake = String::new();
            for letter in name.trim_end_matches(".srv").chars() {
                if letter.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
            }
            snake
        })
        .collect();
    let topics = ["ready", "transition_event", "events", "jobs", "maintenance", "markers"];
    let topics = topics.map(str::to_owned);
    let actions = ["import", "maintain", "rebuild"].map(str::to_owned);
    let parameters = ["describe", "get", "list", "set"].map(|verb| format!("{verb}_parameters"));
    let more = [
        "get_parameter_types",
        "set_parameters_atomically",
        "get_logger_levels",
        "set_logger_levels",
        "change_state",
        "get_state",
        "get_available_states",
        "get_available_transitions",
        "get_transition_graph",
    ];
    let more = more.map(str::to_owned);
    let own: BTreeSet<String> = services
        .iter()
        .cloned()
        .chain(topics)
        .chain(actions)
        .chain(parameters)
        .chain(more)
        .collect();
    let enclave = |path: &str| {
        let from = policy.find(&format!("<enclave path=\"{path}\">")).expect("the enclave");
        let rest = &policy[from..];
        own_names(&rest[..rest.find("</enclave>").expect("its end")])
    };
    assert_eq!(enclave("/robot_memory"), own, "the node offers all");
    for path in ["/planner", "/skill_grasp", "/observer"] {
        let named = enclave(path);
        assert!(named.is_subset(&own), "{path}: {:?}", named.difference(&own));
    }
    assert!(!enclave("/skill_grasp").contains("clear_memories"));
    assert!(enclave("/observer").is_disjoint(&services));
}
