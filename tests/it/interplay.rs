//! What one part must not undo of another: levels, conflict rules, merging, the policy and the guard.

use crate::robot::{Robot, ids, sql};
use proptest::prelude::*;
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, CheckActionResponse, ClearMemories, ClearMemoriesRequest,
    DeleteMemory, DeleteMemoryRequest, EndSession, EndSessionRequest, ErrorKind, Forget,
    ForgetRequest, GetMemory, GetMemoryRequest, Learn, LearnRequest, LearnResponse, LearnStatus,
    SavePerception, SavePerceptionRequest, StartSession, StartSessionRequest, StoredMemory, Update,
    UpdateRequest,
};
use robot_memory_core::model::{Category, Level, Source, Status, Trust};

fn learn(robot: &Robot, insight: &str, with: impl FnOnce(&mut LearnRequest)) -> LearnResponse {
    let mut request = LearnRequest { insight: insight.into(), ..Default::default() };
    with(&mut request);
    robot.call::<Learn>(request)
}

fn stored(robot: &Robot, id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() })
}

/// Starts a session of an agent.
fn session_of(robot: &Robot, agent: &str) -> String {
    let request = StartSessionRequest { agent: agent.into(), ..Default::default() };
    robot.call::<StartSession>(request).session_id
}

#[test]
fn a_session_that_may_not_be_seen_takes_no_memories_and_tells_nothing() {
    let guest = "  - {names: [\"guest_*\"], write: [\"agent:{agent}\", \"agent:skill_a\"], sessions: passed}\n\n\
                 # Any other agent.";
    let policy = include_str!("../../config/access.yaml").replace("# Any other agent.", guest);
    let robot = Robot::with(|config| config.access = Some(policy));
    let of_skill = session_of(&robot, "skill_a");
    let of_planner = session_of(&robot, "planner");
    let ended = session_of(&robot, "planner");
    robot.end_session(&ended);
    let learn = |agent: &str, session_id: &str| {
        robot.engine.call::<Learn>(LearnRequest {
            insight: format!("{agent} went to {session_id}"),
            session_id: session_id.into(),
            agent: agent.into(),
            scope: "agent:skill_a".into(),
            mem_type: "task_log".into(),
            // Of a session that is seen it would be refused in other words.
            collection: "another".into(),
            ..Default::default()
        })
    };
    let save = |agent: &str, session_id: &str| {
        robot.engine.call::<SavePerception>(SavePerceptionRequest {
            description: format!("{agent} looked at {session_id}"),
            session_id: session_id.into(),
            agent: agent.into(),
            scope: "agent:skill_a".into(),
            mem_type: "task_log".into(),
            collection: "another".into(),
            ..Default::default()
        })
    };
    let missing = "00000000-0000-4000-8000-000000000000".to_owned();
    for session_id in [&of_planner, &ended, &missing] {
        let refusals =
            [learn("skill_a", session_id).unwrap_err(), save("skill_a", session_id).unwrap_err()];
        for error in refusals {
            assert_eq!(error.kind, ErrorKind::InvalidState, "{error}");
            assert_eq!(error.message, format!("session_id: there is no session {session_id}"));
        }
    }
    for error in [learn("skill_a", &of_skill).unwrap_err(), save("skill_a", &of_skill).unwrap_err()]
    {
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "its own is seen: {error}");
    }
    // An id alone opens no session of somebody else, in the right collection either.
    let in_its_own_scope = |agent: &str| {
        robot.engine.call::<Learn>(LearnRequest {
            insight: "the cup slipped".into(),
            session_id: of_planner.clone(),
            agent: agent.into(),
            scope: format!("agent:{agent}"),
            mem_type: "task_log".into(),
            ..Default::default()
        })
    };
    let error = in_its_own_scope("skill_a").expect_err("it is not its own");
    assert_eq!(error.message, format!("session_id: there is no session {of_planner}"));
    // Unless the policy says that ids may be passed on.
    in_its_own_scope("guest_a").expect("it may");
    assert_eq!(save("guest_a", &ended).unwrap_err().kind, ErrorKind::InvalidState);
}

#[test]
fn merging_keeps_apart_what_disagrees() {
    for (one, other) in [
        (
            "prefer the suction gripper for the small cups",
            "prefer the parallel gripper for the small cups",
        ),
        ("以后优先用吸盘抓玻璃杯子", "以后优先用夹爪抓玻璃杯子"),
    ] {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let say = |insight: &str, level: &str| {
            learn(&robot, insight, |request| {
                request.session_id = session.clone();
                request.level = level.into();
            })
            .memory_id
        };
        // The newer one ends with the session, so that it does not stand for the older one.
        let lasting = say(one, "knowledge");
        let passing = say(other, "working");
        say("the floor of the hall is wet", "knowledge");
        robot.end_session(&session);
        assert_eq!(stored(&robot, lasting).memory.status, Status::Active, "{one}");
        assert_eq!(stored(&robot, passing).memory.status, Status::Archived, "{one}");
    }
}

#[test]
fn what_is_promoted_stands_for_what_it_contradicts_and_was_said_before() {
    const OLDER: &str = "prefer the suction gripper for the small cups";
    const NEWER: &str = "prefer the parallel gripper for the small cups";
    for (lasting_agent, level, is_replaced) in
        [("", "knowledge", true), ("", "core", false), ("planner", "knowledge", true)]
    {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let lasting = learn(&robot, OLDER, |request| {
            request.level = level.into();
            request.agent = lasting_agent.into();
        });
        let note = |insight: &str, agent: &str| {
            learn(&robot, insight, |request| {
                request.level = "working".into();
                request.session_id = session.clone();
                request.agent = agent.into();
            })
        };
        let passing = note(NEWER, "");
        assert_eq!(passing.superseded_ids, [0; 0], "it ends with the session");
        robot.call::<EndSession>(EndSessionRequest {
            session_id: session.clone(),
            outcome_score: Some(1.0),
            ..Default::default()
        });
        let was = stored(&robot, lasting.memory_id);
        let by = is_replaced.then_some(passing.memory_id);
        assert_eq!(was.memory.superseded_by, by, "{level}");
        assert_eq!(was.superseded_rule.is_some(), is_replaced, "{level}");
        assert_eq!(stored(&robot, passing.memory_id).memory.status, Status::Active);
    }
    // An agent's does not stand for the operator's, whenever it was said.
    let robot = Robot::words_only();
    let session = robot.start_session();
    let lasting = robot.learn(OLDER).memory_id;
    learn(&robot, NEWER, |request| {
        request.level = "working".into();
        request.session_id = session.clone();
        request.agent = "planner".into();
    });
    robot.call::<EndSession>(EndSessionRequest {
        session_id: session,
        outcome_score: Some(1.0),
        ..Default::default()
    });
    assert_eq!(stored(&robot, lasting).memory.status, Status::Active);
}

#[test]
fn merging_keeps_apart_what_is_of_another_level_or_class() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let say = |insight: &str, level: &str, mem_type: &str| {
        learn(&robot, insight, |request| {
            request.session_id = session.clone();
            request.level = level.into();
            request.mem_type = mem_type.into();
        })
        .memory_id
    };
    let words = "the red cup stands on the shelf";
    let lasting = [
        say(&format!("{words} in the kitchen"), "knowledge", "fact"),
        say(&format!("{words} in the lab corner"), "knowledge", "knowledge"),
    ];
    robot.sleep_days(0.1);
    let passing = [
        say(&format!("{words} of the storage"), "working", "fact"),
        say(&format!("{words} of the old storage"), "working", "fact"),
    ];
    let ended = robot.end_session(&session);
    for id in lasting {
        assert_eq!(stored(&robot, id).memory.status, Status::Active, "{id}");
    }
    for id in passing {
        assert_ne!(stored(&robot, id).memory.status, Status::Active, "{id}");
    }
    assert_eq!(ended.superseded_count, 1, "the test merges what may be");
}

#[test]
fn what_ends_with_a_session_is_no_duplicate_of_what_lasts() {
    let words = "the red cup stands on the shelf in the kitchen";
    for insight in [words, "the red cup stands on the shelf inside the kitchen"] {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let note = |words: &str| {
            learn(&robot, words, |request| {
                request.session_id = session.clone();
                request.level = "working".into();
            })
        };
        note(words);
        assert_eq!(note(insight).status, LearnStatus::Duplicate, "of the same session");
        let lasting = learn(&robot, insight, |_| {});
        assert_eq!(lasting.status, LearnStatus::Created, "{insight}");
        assert_eq!(note(insight).status, LearnStatus::Duplicate, "what lasts says it already");
        robot.end_session(&session);
        let found = robot.recall("red cup on the shelf");
        assert_eq!(ids(&found), [lasting.memory_id]);
        let core = learn(&robot, insight, |request| request.level = "core".into());
        assert_eq!(core.status, LearnStatus::Created, "{insight}");
        assert_eq!(stored(&robot, core.memory_id).memory.level, Level::Core);
    }
}

#[test]
fn who_may_not_write_a_row_does_not_make_it_believed_again() {
    let policy =
        "agents:\n  - {names: [a], read: all, write: [{scope: global, mem_types: lesson}]}\n";
    let robot = Robot::with(|config| config.access = Some(policy.into()));
    let insight = "the cup is red";
    let id = learn(&robot, insight, |_| {}).memory_id;
    let session = robot.start_session();
    robot.sleep_days(30.0);
    robot.end_session(&session);
    let faded = robot.confidence(id);
    let say = |agent: &str, mem_type: &str| {
        learn(&robot, insight, |request| {
            request.agent = agent.into();
            request.mem_type = mem_type.into();
        })
    };
    let said = say("a", "lesson");
    assert_eq!((said.existing_id, said.confidence), (id, faded));
    assert_eq!(robot.confidence(id), faded);
    assert!(say("", "").confidence > faded);
    assert!(robot.confidence(id) > faded);
}

#[test]
fn an_agent_does_not_speak_in_the_words_of_the_operator() {
    let robot = Robot::words_only();
    let constraint = learn(&robot, "grip force must not exceed 15 N", |_| {}).memory_id;
    let update = |memory_id: i64, new_content: &str, agent: &str| {
        robot.call::<Update>(UpdateRequest {
            memory_id,
            new_content: new_content.into(),
            agent: agent.into(),
            ..Default::default()
        })
    };
    let source_of = |id: i64| {
        let memory = stored(&robot, id).memory;
        (memory.source, memory.trust)
    };
    update(constraint, "grip force must not exceed 16 N", "");
    assert_eq!(source_of(constraint), (Source::Operator, Trust::High));
    update(constraint, "grip force must not exceed 40 N", "planner");
    assert_eq!(source_of(constraint), (Source::AgentOutput, Trust::Medium));
    let params = r#"{"grip_force": {"value": 50, "unit": "N"}}"#;
    let checked = robot
        .call::<CheckAction>(CheckActionRequest { params: params.into(), ..Default::default() });
    assert_eq!(checked.violations[0].trust, Trust::Medium);

    let operators = learn(&robot, "prefer the left gripper for cups", |_| {}).memory_id;
    let own = learn(&robot, "the plates stand on the upper shelf", |_| {}).memory_id;
    let changed = update(own, "prefer the right gripper for cups", "planner");
    assert_eq!(changed.superseded_ids, [0; 0]);
    assert_eq!(stored(&robot, operators).memory.status, Status::Active);
    let changed = update(own, "prefer the right gripper for all the cups", "");
    assert_eq!(changed.superseded_ids, [0; 0], "what an agent said stays of an agent");
    let more = learn(&robot, "the bowls stand on the lower shelf", |_| {}).memory_id;
    let changed = update(more, "prefer the right gripper for cups", "");
    assert_eq!(changed.superseded_ids, [operators]);
}

#[test]
fn only_what_contradicts_is_superseded() {
    const NEW: &str = "prefer the left gripper for cups";
    let pairs = [
        // Narrower, wider, of something else, of another robot or object.
        ("prefer the right gripper", "", "", false),
        ("prefer the right gripper for red cups", "", "", false),
        ("prefer the right gripper for cups in the kitchen", "", "", false),
        ("prefer the right gripper for cups", "", "", true),
        (
            "prefer the right gripper for cups",
            r#"{"robot": {"id": "r1"}}"#,
            r#"{"robot": {"id": "r2"}}"#,
            false,
        ),
        ("prefer the right gripper for cups", r#"{"robot_id": 1}"#, r#"{"robot_id": 2}"#, false),
        (
            "prefer the right gripper for cups",
            r#"{"task": {"name": "sort"}}"#,
            r#"{"task": {"name": "pack"}}"#,
            false,
        ),
        (
            "prefer the right gripper for cups",
            r#"{"params": {"object": "a"}}"#,
            r#"{"params": {"object": "b"}}"#,
            false,
        ),
        (
            "prefer the right gripper for cups",
            r#"{"robot": {"id": "r1"}, "task": {"id": "7"}}"#,
            r#"{"robot": {"id": "r1"}, "task": {"id": "8"}}"#,
            true,
        ),
    ];
    for (older, context, newer_context, is_superseded) in pairs {
        let robot = Robot::words_only();
        let older_id = robot.learn_with(older, context);
        let newer = learn(&robot, NEW, |request| request.context = newer_context.into());
        let expected: &[i64] = if is_superseded { &[older_id] } else { &[] };
        assert_eq!(newer.superseded_ids, expected, "{older} {context}");
    }
    let robot = Robot::words_only();
    let first = robot.learn("from now on use 10 N for the red cup").memory_id;
    let same = robot.learn("from now on use 10000 mN for the red cup");
    assert_eq!(same.superseded_ids, [0; 0], "it says the same of {first}");
    let second = robot.learn("from now on use 12 N for the red cup").memory_id;
    let third = robot.learn("from now on use 14 N for the red cup").memory_id;
    assert_eq!(stored(&robot, first).memory.superseded_by, Some(second));
    assert_eq!(stored(&robot, second).memory.superseded_by, Some(third));
    assert_eq!(stored(&robot, third).supersedes, [second]);
}

#[test]
fn what_a_memory_said_in_another_class_is_not_shown_with_it() {
    let robot = Robot::words_only();
    let id = learn(&robot, "prefer the left gripper for cups", |_| {}).memory_id;
    let update = |new_content: &str| {
        let new_content = new_content.into();
        robot.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    };
    update("lesson: the cup breaks above 20 N");
    update("lesson: the cup breaks above 18 N");
    let history_for = |agent: &str| -> Vec<String> {
        let request = GetMemoryRequest { memory_id: id, agent: agent.into(), ..Default::default() };
        let found = robot.call::<GetMemory>(request);
        found.history.into_iter().map(|change| change.content).collect()
    };
    let lesson = "lesson: the cup breaks above 20 N";
    // The one reads procedures and lessons, the other everything.
    assert_eq!(history_for("ops"), [lesson]);
    assert_eq!(history_for("planner").len(), 2);
    assert_eq!(history_for("").len(), 2);
}

#[test]
fn what_a_better_source_says_again_is_its_word() {
    let robot = Robot::words_only();
    let say = |insight: &str, source: &str| {
        learn(&robot, insight, |request| request.source = source.into())
    };
    for (words, again, is_kept) in [
        ("the red cup stands on the shelf", "the red cup stands on the shelf", false),
        ("prefer the left gripper for cups", "prefer the left gripper for cups", false),
        ("lesson: the cup breaks above 20 N", "lesson: the cup breaks above 20 N", true),
        ("never touch the hot plate with the arm", "never touch the hot plate with the arm", true),
        (
            "the spare battery of the robot lies in drawer nine",
            "the spare battery of the robot lies in the drawer nine",
            false,
        ),
    ] {
        let hearsay = say(words, "web_scrape").memory_id;
        let sure = say(again, "operator");
        assert_eq!(sure.status, LearnStatus::Created, "{words}");
        let expected: &[i64] = if is_kept { &[] } else { &[hearsay] };
        assert_eq!(sure.superseded_ids, expected, "{words}");
        for source in ["operator", "agent_output", "web_scrape"] {
            let repeated = say(again, source);
            assert_eq!(repeated.status, LearnStatus::Duplicate, "{words}, {source}");
        }
        assert_eq!(stored(&robot, sure.memory_id).memory.trust, Trust::High);
    }
}

/// What is done with the constraints of a store.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Learn { bound: u8, level: u8, scope: u8 },
    Bind { which: u8, bound: u8 },
    Loosen { which: u8 },
    Forget { which: u8 },
    Delete { which: u8 },
    Clear { level: u8 },
    EndSession { is_success: bool },
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        4 => (any::<u8>(), 0..3_u8, 0..2_u8)
            .prop_map(|(bound, level, scope)| Deed::Learn { bound, level, scope }),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(which, bound)| Deed::Bind { which, bound }),
        2 => any::<u8>().prop_map(|which| Deed::Loosen { which }),
        1 => any::<u8>().prop_map(|which| Deed::Forget { which }),
        1 => any::<u8>().prop_map(|which| Deed::Delete { which }),
        1 => (0..3_u8).prop_map(|level| Deed::Clear { level }),
        1 => any::<bool>().prop_map(|is_success| Deed::EndSession { is_success }),
    ];
    proptest::collection::vec(deed, 1..24)
}

const LEVELS: [&str; 3] = ["core", "knowledge", "working"];

/// Does one thing; what is refused changes nothing.
fn undertake(robot: &Robot, session: &mut String, ids: &mut Vec<i64>, deed: Deed) {
    let pick = |which: u8, ids: &[i64]| ids.get(usize::from(which) % ids.len().max(1)).copied();
    let update = |which: u8, new_content: String| {
        let memory_id = pick(which, ids).unwrap_or(1);
        let request = UpdateRequest { memory_id, new_content, ..Default::default() };
        let _ = robot.engine.call::<Update>(request);
    };
    match deed {
        Deed::Learn { bound, level, scope } => {
            let learned = robot.engine.call::<Learn>(LearnRequest {
                insight: format!("grip force must not exceed {bound} N"),
                level: LEVELS[usize::from(level)].into(),
                scope: ["global", "dm"][usize::from(scope)].into(),
                session_id: session.clone(),
                ..Default::default()
            });
            ids.extend(learned.ok().map(|it| it.memory_id).filter(|id| *id > 0));
        }
        Deed::Bind { which, bound } => {
            update(which, format!("force must not exceed {bound} N on the cup"));
        }
        Deed::Loosen { which } => update(which, format!("shelf {which} stands in the hall")),
        Deed::Forget { which } => {
            let _ = robot.engine.call::<Forget>(ForgetRequest {
                memory_id: pick(which, ids).unwrap_or(1),
                reason: "wrong".into(),
                ..Default::default()
            });
        }
        Deed::Delete { which } => {
            let _ = robot.engine.call::<DeleteMemory>(DeleteMemoryRequest {
                memory_id: pick(which, ids).unwrap_or(1),
                ..Default::default()
            });
        }
        Deed::Clear { level } => {
            robot.call::<ClearMemories>(ClearMemoriesRequest {
                level: LEVELS[usize::from(level)].into(),
                collection: "default".into(),
                scope: "dm".into(),
                ..Default::default()
            });
        }
        Deed::EndSession { is_success } => {
            robot.call::<EndSession>(EndSessionRequest {
                session_id: std::mem::take(session),
                outcome_score: Some(f64::from(u8::from(is_success))),
                ..Default::default()
            });
            *session = robot.start_session();
        }
    }
}

fn verdict(robot: &Robot) -> CheckActionResponse {
    let mut verdict = robot.call::<CheckAction>(CheckActionRequest {
        params: r#"{"grip_force": {"value": 100, "unit": "N"}}"#.into(),
        scope: "all".into(),
        ..Default::default()
    });
    verdict.query_ms = 0.0;
    verdict
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The constraints in memory are those of the store, whatever is done with them.
    #[test]
    fn the_guard_follows_whatever_is_done(deeds in deeds()) {
        let robot = Robot::words_only();
        let mut session = robot.start_session();
        let mut ids = Vec::new();
        verdict(&robot);
        for deed in &deeds {
            undertake(&robot, &mut session, &mut ids, *deed);
            let verdict = verdict(&robot);
            for checked in verdict.violations.iter().chain(&verdict.undecided) {
                let memory = stored(&robot, checked.memory_id).memory;
                prop_assert_eq!(memory.status, Status::Active);
                prop_assert_eq!(memory.category, Some(Category::Constraint));
                prop_assert_eq!(&memory.content, &checked.content);
            }
        }
        let before = verdict(&robot);
        let active: i64 = sql(
            &robot.store_path(),
            "SELECT count(*) FROM memory WHERE status = 'active' AND category = 'constraint'",
        );
        prop_assert_eq!(before.constraint_count, active.unsigned_abs());
        prop_assert_eq!(verdict(&robot.restart()), before);
    }
}
