//! Each path by itself: duplicates, merging, clearing, neighbors, topics, kept answers, sensors.

use crate::leak_world::{AGENTS, POLICY, Row, World, drafts, rules};
use crate::robot::{Robot, sql};
use crate::streamed::contact;
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, EndSession, EndSessionRequest, ErrorKind, Learn,
    LearnRequest, LearnStatus, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::Scope;
use std::time::Duration;

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
    let nearly = "the left gripper needs the oil before each long shift";
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
            // The other scope is known, and has rows of all that is searched.
            robot.call::<Learn>(learn(again_in, again_class, "", "The lamp flickers at night"));
            let second = robot.call::<Learn>(learn(again_in, again_class, agent, text));
            let shown_ids = (second.status == LearnStatus::Duplicate, second.existing_id);
            let expected = if is_duplicate { (true, first.memory_id) } else { (false, 0) };
            assert_eq!(shown_ids, expected, "{scope} {class}, {agent} in {again_in}: {text}");
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
        "The left gripper finger slips",
        "The left gripper finger slips often",
        "The left gripper finger slips often today",
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
        for scope in ["", "group:red"] {
            let world = World::new(12, 40);
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
fn words_that_are_not_seen_lead_to_nothing() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let begin = || {
        let request = StartSessionRequest { agent: "skill_grasp".into(), ..Default::default() };
        robot.call::<StartSession>(request).session_id
    };
    let (earlier, session_id) = (begin(), begin());
    for (scope, session_id, insight) in [
        ("global", &earlier, "A zebra stood at the gate"),
        ("global", &earlier, "A lamp stood on the table"),
        ("dm", &session_id, "The owner fears the zebra"),
        ("agent:skill_grasp", &session_id, "This lamp is heavy"),
    ] {
        let session_id = session_id.clone();
        robot.call::<Learn>(LearnRequest { session_id, ..learn(scope, "fact", "", insight) });
    }
    let request =
        EndSessionRequest { session_id, agent: "skill_grasp".into(), ..Default::default() };
    let related = robot.call::<EndSession>(request).related_memories;
    let related: Vec<&str> = related.iter().map(|hit| hit.memory.content.as_str()).collect();
    assert_eq!(related, ["A lamp stood on the table"]);
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
    let mut shown_ids = Vec::new();
    loop {
        let new = listening.next(&world.robot.engine, Duration::ZERO).expect("new memories");
        if new.is_empty() {
            break;
        }
        let text = format!("{new:?}");
        for row in world.rows.iter().filter(|row| !is_shown(row)) {
            assert!(!text.contains(&row.marker) && !text.contains(&row.id.to_string()), "{row:?}");
        }
        shown_ids.extend(new.iter().map(|new| new.memory.id));
    }
    let shown = || world.rows.iter().filter(|row| is_shown(row));
    assert_eq!(shown_ids, shown().map(|row| row.id).collect::<Vec<_>>());
    let newest: Vec<i64> = shown().rev().filter(|row| row.is_active).map(|row| row.id).collect();
    assert!(newest.len() > 4);
    for limit in [1, 3, 100] {
        let places = world.robot.engine.places(limit, "").expect("places");
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
            config.default_scope = Scope::parse(default_scope).ok();
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
