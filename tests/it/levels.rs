//! Levels: their tree, what becomes of working memories, and what each level holds.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest,
    KeyCount, Learn, LearnRequest, LearnResponse, ListCollections, ListCollectionsRequest,
    ListLevels, ListLevelsRequest, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest,
};
use robot_memory_core::model::{Level, Memory, Status};

fn request(insight: &str, level: &str, parent_id: i64) -> LearnRequest {
    LearnRequest { insight: insight.into(), level: level.into(), parent_id, ..Default::default() }
}

fn learn(robot: &Robot, request: LearnRequest) -> i64 {
    let LearnResponse { memory_id, existing_id, .. } = robot.call::<Learn>(request);
    assert_ne!(memory_id, 0, "a duplicate of {existing_id}");
    memory_id
}

fn memory(robot: &Robot, memory_id: i64) -> Memory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() }).memory
}

fn children(robot: &Robot, memory_id: i64) -> Vec<i64> {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() }).children
}

/// Facts by level and collection: two core, three knowledge and a working one.
fn tree(robot: &Robot) -> (Vec<i64>, String) {
    let session = robot.start_session();
    let core = learn(robot, request("The site has two halls", "core", 0));
    let elsewhere = LearnRequest {
        collection: "site".into(),
        ..request("Gripper fingers are made of steel", "core", 0)
    };
    let core_elsewhere = learn(robot, elsewhere);
    let knowledge = learn(robot, request("Shelf nine stands in hall one", "knowledge", core));
    let working = LearnRequest {
        session_id: session.clone(),
        ..request("Tray three is empty right now", "working", knowledge)
    };
    let working = learn(robot, working);
    (vec![core, core_elsewhere, knowledge, working], session)
}

#[test]
fn a_parent_is_an_active_row_of_the_level_above() {
    let robot = Robot::new();
    let (all, session) = tree(&robot);
    let (core, core_elsewhere, knowledge, working) = (all[0], all[1], all[2], all[3]);
    assert_eq!(memory(&robot, knowledge).parent_id, Some(core));
    assert_eq!(children(&robot, core), [knowledge]);
    assert_eq!(children(&robot, knowledge), [working]);
    let forgotten = learn(&robot, request("The old hall had a red door", "core", 0));
    robot.call::<Forget>(ForgetRequest {
        memory_id: forgotten,
        reason: "gone".into(),
        ..Default::default()
    });
    let hidden = LearnRequest {
        scope: "group:guards".into(),
        ..request("The alarm rings at nine", "core", 0)
    };
    let hidden = learn(&robot, hidden);

    let refused = |level: &str, parent_id: i64, expected: ErrorKind, words: &str| {
        let session_id = if level == "working" { session.clone() } else { String::new() };
        let wanted = LearnRequest { session_id, ..request("Door six is green", level, parent_id) };
        let (kind, message) = robot.refused::<Learn>(wanted);
        assert_eq!(kind, expected, "{message}");
        assert!(message.starts_with("parent_id: ") && message.contains(words), "{message}");
    };
    refused("core", core, ErrorKind::InvalidArgument, "a core memory has no parent");
    refused("knowledge", knowledge, ErrorKind::InvalidArgument, "is knowledge");
    refused("knowledge", working, ErrorKind::InvalidArgument, "is core");
    refused("working", core, ErrorKind::InvalidArgument, "is core, the parent of a working");
    refused("knowledge", -1, ErrorKind::InvalidArgument, "negative");
    refused("knowledge", forgotten, ErrorKind::NotFound, "there is no memory");
    refused("knowledge", 999, ErrorKind::NotFound, "there is no memory 999");
    // What the caller may not see is not there.
    let of_skill = LearnRequest {
        agent: "skill_1".into(),
        scope: "agent:skill_1".into(),
        mem_type: "procedure".into(),
        ..request("Open the gate by hand", "knowledge", hidden)
    };
    let (kind, message) = robot.refused::<Learn>(of_skill.clone());
    assert_eq!(
        (kind, message),
        (ErrorKind::NotFound, format!("parent_id: there is no memory {hidden}"))
    );
    learn(&robot, LearnRequest { parent_id: core, ..of_skill });
    // A core row reaches every collection, a knowledge row its own.
    learn(&robot, request("Fingers wear off in a year", "knowledge", core_elsewhere));
    let other = robot.call::<StartSession>(StartSessionRequest {
        collection: "site".into(),
        ..Default::default()
    });
    let across = LearnRequest {
        session_id: other.session_id,
        ..request("Tray four is empty right now", "working", knowledge)
    };
    let (kind, message) = robot.refused::<Learn>(across);
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("is of collection default"), "{message}");
    // Perceptions have parents too.
    let perception = |parent_id| SavePerceptionRequest {
        description: "the hall is bright and empty".into(),
        parent_id,
        ..Default::default()
    };
    assert_eq!(robot.refused::<SavePerception>(perception(999)).0, ErrorKind::NotFound);
    let seen = robot.call::<SavePerception>(perception(core)).memory_id;
    assert!(children(&robot, core).contains(&seen));
}

#[test]
fn working_memories_prove_their_worth_or_are_archived() {
    // (what, recalled, score, promoted)
    let cases = [
        ("Tray three is empty right now", false, None, false),
        ("Tray three is empty right now", false, Some(0.49), false),
        ("Tray three is empty right now", false, Some(0.5), true),
        ("Tray three is empty right now", true, None, true),
        ("Tray three is empty right now", true, Some(0.0), true),
        ("The tray must never be tilted", false, None, true),
    ];
    for (insight, is_recalled, outcome_score, is_promoted) in cases {
        let robot = Robot::new();
        let session = robot.start_session();
        let id = learn(
            &robot,
            LearnRequest { session_id: session.clone(), ..request(insight, "working", 0) },
        );
        let knowledge = robot.learn_in(&session, "Hall one is loud in the morning");
        if is_recalled {
            assert!(ids(&robot.recall("tray three")).contains(&id));
        }
        let response = robot.call::<EndSession>(EndSessionRequest {
            session_id: session.clone(),
            outcome_score,
            ..Default::default()
        });
        let case = format!("{insight}, recalled {is_recalled}, score {outcome_score:?}");
        let counts = (response.promoted_count, response.archived_count);
        assert_eq!(counts, if is_promoted { (1, 0) } else { (0, 1) }, "{case}");
        assert_eq!(memory(&robot, knowledge).level, Level::Knowledge);
        // In the indexes as in the store, before and after they are loaded anew.
        check(&robot, id, insight, is_promoted, &case);
        check(&robot.restart(), id, insight, is_promoted, &case);
    }
}

fn check(robot: &Robot, id: i64, insight: &str, is_promoted: bool, case: &str) {
    let row = memory(robot, id);
    let expected = if is_promoted {
        (Level::Knowledge, Status::Active)
    } else {
        (Level::Working, Status::Archived)
    };
    assert_eq!((row.level, row.status), expected, "{case}");
    for (level, is_there) in [("working", false), ("knowledge", is_promoted)] {
        let found = robot.call::<Recall>(RecallRequest {
            query: insight.into(),
            levels: vec![level.into()],
            n: 50,
            ..Default::default()
        });
        assert_eq!(ids(&found).contains(&id), is_there, "{case}, {level}");
    }
    let working = robot.call::<ListLevels>(ListLevelsRequest::default()).levels[2].memory_count;
    assert_eq!(working, 0, "{case}");
}

#[test]
fn a_promoted_memory_belongs_where_its_parent_does() {
    let robot = Robot::new();
    let (all, session) = tree(&robot);
    let (core, knowledge, working) = (all[0], all[2], all[3]);
    let orphan = learn(
        &robot,
        LearnRequest { session_id: session.clone(), ..request("Belt two hums", "working", 0) },
    );
    robot.call::<EndSession>(EndSessionRequest {
        session_id: session,
        outcome_score: Some(1.0),
        ..Default::default()
    });
    assert_eq!(memory(&robot, working).parent_id, Some(core));
    assert_eq!(memory(&robot, orphan).parent_id, None);
    assert_eq!(children(&robot, core), [knowledge, working]);
    assert!(children(&robot, knowledge).is_empty());
}

#[test]
fn children_follow_the_row_that_stands_for_their_parent() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let one = robot.learn_in(&session, "glass cup slips out of gripper");
    let other = robot.learn_in(&session, "glass cup slips out of gripper in `grip`");
    // Fewer than three are not merged.
    robot.learn_in(&session, "kettle hangs above sink on hook");
    let other_session = robot.start_session();
    let child = |what: &str, parent_id| {
        let session_id = other_session.clone();
        learn(&robot, LearnRequest { session_id, ..request(what, "working", parent_id) })
    };
    let (first, second) = (child("Lid A is off", one), child("Hook B is bent", other));
    assert_eq!(robot.end_session(&session).superseded_count, 1);
    let kept = if memory(&robot, one).status == Status::Active { one } else { other };
    assert_eq!(children(&robot, kept), [first, second]);
}

#[test]
fn a_session_that_a_crash_left_open_keeps_its_working_memories() {
    let robot = Robot::new();
    let session = robot.start_session();
    let id = learn(
        &robot,
        LearnRequest {
            session_id: session.clone(),
            ..request("Tray three is empty right now", "working", 0)
        },
    );
    let robot = robot.pull_the_plug();
    assert_eq!(memory(&robot, id).status, Status::Active);
    assert_eq!(robot.end_session(&session).archived_count, 1);
    assert_eq!(memory(&robot, id).status, Status::Archived);
}

fn counted(collections: &[KeyCount]) -> Vec<(&str, u64)> {
    collections.iter().map(|each| (each.key.as_str(), each.count)).collect()
}

#[test]
fn lists_count_active_memories_that_the_caller_sees() {
    let robot = Robot::new();
    let levels = |request: ListLevelsRequest| -> Vec<(Level, u64, u64)> {
        let levels = robot.call::<ListLevels>(request).levels;
        assert!(levels.iter().all(|level| !level.description.is_empty()));
        levels.iter().map(|it| (it.level, it.memory_count, it.collection_count)).collect()
    };
    let named = |core, knowledge, working| {
        let of = |level, (count, collections)| (level, count, collections);
        vec![of(Level::Core, core), of(Level::Knowledge, knowledge), of(Level::Working, working)]
    };
    assert_eq!(levels(ListLevelsRequest::default()), named((0, 0), (0, 0), (0, 0)));
    tree(&robot);
    let hidden = LearnRequest {
        scope: "group:guards".into(),
        collection: "guards".into(),
        ..request("The alarm rings at nine", "core", 0)
    };
    learn(&robot, hidden);
    assert_eq!(levels(ListLevelsRequest::default()), named((3, 3), (1, 1), (1, 1)));
    let of = |collection: &str, scope: &str, agent: &str| ListLevelsRequest {
        collection: collection.into(),
        scope: scope.into(),
        agent: agent.into(),
    };
    assert_eq!(levels(of("site", "", "")), named((1, 1), (0, 0), (0, 0)));
    assert_eq!(levels(of("nowhere", "", "")), named((0, 0), (0, 0), (0, 0)));
    assert_eq!(levels(of("", "", "skill_1")), named((2, 2), (1, 1), (1, 1)));
    assert_eq!(levels(of("", "group:guards", "")), named((3, 3), (1, 1), (1, 1)));
    let (kind, _) = robot.refused::<ListLevels>(of("", "group:guards", "skill_1"));
    assert_eq!(kind, ErrorKind::Forbidden);

    let list = |level: &str, agent: &str| {
        let (level, agent) = (level.into(), agent.into());
        robot.call::<ListCollections>(ListCollectionsRequest { level, agent, scope: String::new() })
    };
    let all = list("", "");
    assert_eq!(counted(&all.collections), [("default", 3), ("guards", 1), ("site", 1)]);
    assert_eq!(all.memory_count, 5);
    assert_eq!(
        counted(&list("core", "").collections),
        [("default", 1), ("guards", 1), ("site", 1)]
    );
    assert_eq!(counted(&list("", "skill_1").collections), [("default", 3), ("site", 1)]);
    let wrong = ListCollectionsRequest { level: "top".into(), ..Default::default() };
    assert_eq!(robot.refused::<ListCollections>(wrong).0, ErrorKind::InvalidArgument);
}
