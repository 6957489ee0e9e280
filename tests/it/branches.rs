//! Attempts within an episode: what one learned is seen in it alone, until somebody says that it won.

use crate::robot::{Robot, ids, open, sql};
use crate::steps::{JobClock, every_sentence, set_chat, step, take_in};
use proptest::prelude::*;
use robot_memory::api::{
    CheckAction, CheckActionRequest, CommitTurn, CommitTurnRequest, ErrorKind, Forget,
    ForgetRequest, GetMemory, GetMemoryRequest, GetSession, GetSessionRequest, Learn, LearnRequest,
    LearnResponse, LearnStatus, ListCollections, ListCollectionsRequest, ListLevels,
    ListLevelsRequest, MergeBranch, MergeBranchRequest, MergeBranchResponse, Recall, RecallRequest,
    SavePerception, SavePerceptionRequest, SpatialSort, StartSession, StartSessionRequest,
    StoredMemory,
};
use robot_memory::model::{Branch, BranchStatus, Scope, Status, SupersededRule};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tempfile::TempDir;

fn branch(session_id: &str, branch_id: &str) -> String {
    format!("branch:{session_id}/{branch_id}")
}

fn learn(robot: &Robot, scope: &str, insight: &str) -> i64 {
    learn_with(robot, scope, insight, |_| {}).memory_id
}

/// Learns what is no duplicate.
fn learn_with(
    robot: &Robot,
    scope: &str,
    insight: &str,
    with: impl FnOnce(&mut LearnRequest),
) -> LearnResponse {
    let mut request =
        LearnRequest { insight: insight.into(), scope: scope.into(), ..Default::default() };
    with(&mut request);
    let learned = robot.call::<Learn>(request);
    assert_eq!(learned.status, LearnStatus::Created, "{insight} in {scope}");
    learned
}

fn stored(robot: &Robot, id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest {
        memory_id: id,
        include_data: true,
        include_embedding: true,
        ..Default::default()
    })
}

fn win(session_id: &str, branch_id: &str) -> MergeBranchRequest {
    MergeBranchRequest {
        session_id: session_id.into(),
        branch_id: branch_id.into(),
        ..Default::default()
    }
}

fn merge(robot: &Robot, session_id: &str, branch_id: &str) -> MergeBranchResponse {
    robot.call::<MergeBranch>(win(session_id, branch_id))
}

fn branches(robot: &Robot, session_id: &str) -> Vec<Branch> {
    let session_id = session_id.into();
    robot.call::<GetSession>(GetSessionRequest { session_id, agent: String::new() }).branches
}

fn statuses(robot: &Robot, session_id: &str) -> Vec<(String, BranchStatus)> {
    let branches = branches(robot, session_id).into_iter();
    branches.map(|branch| (branch.branch_id, branch.status)).collect()
}

/// The ids that a ranked search of a scope finds, ordered.
fn found(robot: &Robot, scope: &str, query: &str) -> Vec<i64> {
    let mut found = ids(&robot.call::<Recall>(RecallRequest {
        query: query.into(),
        scope: scope.into(),
        n: 100,
        min_confidence: 0.0,
        ..Default::default()
    }));
    found.sort_unstable();
    found
}

/// Who holds a bound of the grip force that 100 N violates, in a scope.
fn violated(robot: &Robot, scope: &str) -> Vec<(i64, String)> {
    let checked = robot.call::<CheckAction>(CheckActionRequest {
        params: r#"{"grip_force": {"value": 100, "unit": "N"}}"#.into(),
        scope: scope.into(),
        ..Default::default()
    });
    checked.violations.into_iter().map(|limit| (limit.memory_id, limit.scope)).collect()
}

/// Every service that is asked in a scope tells of the rows of that scope and the global one only.
#[test]
fn what_an_attempt_learned_is_seen_in_it_alone() {
    for robot in [Robot::new(), Robot::words_only()] {
        let (session, other) = (robot.start_session(), robot.start_session());
        let scopes = [
            branch(&session, "a"),
            branch(&session, "b"),
            branch(&session, "a/b"),
            branch(&other, "a"),
            format!("session:{session}"),
            "global".to_owned(),
        ];
        // Each says the same, says what the others contradict, and sets a bound of its own.
        let mut rows: BTreeMap<&str, [i64; 3]> = BTreeMap::new();
        for (number, scope) in scopes.iter().enumerate() {
            let same = learn(&robot, scope, "The red cup is on the upper shelf");
            let request = LearnRequest {
                insight: format!(
                    "prefer {} gripper for cups",
                    ["the left", "the right"][number % 2]
                ),
                scope: scope.clone(),
                ..Default::default()
            };
            let preference = robot.call::<Learn>(request);
            assert_eq!(preference.superseded_ids, [0; 0], "{scope}");
            let bound = format!("Grip force must never exceed {} N", 10 + number);
            rows.insert(scope, [same, preference.memory_id, learn(&robot, scope, &bound)]);
        }
        for scope in &scopes {
            let seen = |kind: usize| {
                let mut seen = vec![rows[scope.as_str()][kind], rows["global"][kind]];
                seen.sort_unstable();
                seen.dedup();
                seen
            };
            let seen_count = 3 * seen(0).len() as u64;
            let mut all: Vec<i64> = (0..3).flat_map(seen).collect();
            all.sort_unstable();
            assert_eq!(found(&robot, scope, "red cup shelf gripper force"), all, "{scope}");
            let violated = violated(&robot, scope).into_iter().map(|(id, _)| id);
            assert!(violated.eq(seen(2)), "{scope}");
            let levels = robot.call::<ListLevels>(ListLevelsRequest {
                scope: scope.clone(),
                ..Default::default()
            });
            let count: u64 = levels.levels.iter().map(|level| level.memory_count).sum();
            assert_eq!(count, seen_count, "{scope}");
            let collections = robot.call::<ListCollections>(ListCollectionsRequest {
                scope: scope.clone(),
                ..Default::default()
            });
            assert_eq!(collections.memory_count, seen_count, "{scope}");
            for (stored_in, ids) in &rows {
                let is_seen = stored_in == scope || *stored_in == "global";
                for id in ids {
                    let got = robot.engine.call::<GetMemory>(GetMemoryRequest {
                        memory_id: *id,
                        scope: scope.clone(),
                        ..Default::default()
                    });
                    assert_eq!(got.is_ok(), is_seen, "{id} of {stored_in} in {scope}");
                }
            }
        }
    }
}

#[test]
fn an_attempt_is_known_by_what_it_learned() {
    let robot = Robot::new();
    let (session, other) = (robot.start_session(), robot.start_session());
    assert_eq!(branches(&robot, &session), []);
    learn(&robot, &branch(&session, "try 2"), "The cup slipped");
    learn(&robot, &branch(&session, "try 1"), "The cup fell");
    learn(&robot, &branch(&session, "try 1"), "The cup is wet");
    let request = SavePerceptionRequest {
        description: "a cup in the gripper".into(),
        scope: format!("branch:[\"{session}\",\"a/b\"]"),
        ..Default::default()
    };
    robot.call::<SavePerception>(request);
    // Of no session, and of another one.
    learn(&robot, "branch:nobody/x", "The cup is red");
    learn(&robot, &branch(&other, "x"), "The cup is blue");
    let open = |branch_id: &str| Branch {
        branch_id: branch_id.into(),
        status: BranchStatus::Open,
        turn_count: 0,
        last_turn_no: 0,
        merged_into: Vec::new(),
    };
    assert_eq!(branches(&robot, &session), [open("a/b"), open("try 1"), open("try 2")]);
    assert_eq!(branches(&robot, &other), [open("x")]);
    let robot = robot.restart();
    assert_eq!(branches(&robot, &session).len(), 3);
}

/// What was said in steps is merged with where it was said; the summaries of the steps stay with them.
#[test]
fn an_attempt_has_its_steps_and_what_they_said_says_so_afterwards() {
    let robot = Robot::with(|config| JobClock::new().configure(config));
    robot.plug_in_embedder();
    set_chat(&robot, every_sentence);
    let session = robot.start_session();
    let target = format!("session:{session}");
    let known = learn(&robot, &target, "The red cup is on shelf two.");
    let commit = |branch_id: &str, turn_no: u32, text: &str| {
        let branch_id = branch_id.into();
        robot.call::<CommitTurn>(CommitTurnRequest { branch_id, ..step(&session, turn_no, text) })
    };
    commit("a", 2, "Done. The red cup is on shelf two.");
    commit("b", 1, "The blue cup is on shelf nine.");
    commit("a", 5, "The green cup is in the red box.");
    let shown = branches(&robot, &session).into_iter();
    let shown: Vec<_> = shown.map(|it| (it.branch_id, it.turn_count, it.last_turn_no)).collect();
    assert_eq!(shown, [("a".into(), 2, 5), ("b".into(), 1, 1)]);
    let told = take_in(&robot);
    let summaries: Vec<i64> =
        told.iter().map(|told| told["summary_id"].as_i64().expect("a summary")).collect();

    let merged = merge(&robot, &session, "a");
    assert!(merged.duplicate_count >= 1, "{merged:?}");
    assert!(merged.kept_ids.is_empty(), "{merged:?}");
    let said_in = |id: i64| {
        let turns = stored(&robot, id).turns.into_iter();
        turns.map(|it| (it.branch_id, it.turn_no, it.sentence)).collect::<Vec<_>>()
    };
    assert_eq!(said_in(known), [("a".into(), 2, "The red cup is on shelf two.".into())]);
    let green = merged.merged_ids.iter().flat_map(|id| said_in(*id));
    let expected = ("a".to_owned(), 5, "The green cup is in the red box.".to_owned());
    assert!(green.into_iter().any(|said| said == expected), "{merged:?}");
    for id in summaries {
        let summary = stored(&robot, id).memory;
        assert_eq!(summary.status, Status::Active);
        assert!(summary.scope.to_string().starts_with("branch:"), "{}", summary.scope);
    }
    for lost_or_won in ["a", "b"] {
        let request = CommitTurnRequest {
            branch_id: lost_or_won.into(),
            ..step(&session, 9, "The cup is dry.")
        };
        assert_eq!(robot.refused::<CommitTurn>(request).0, ErrorKind::InvalidState);
    }
}

#[test]
fn the_attempts_of_an_earlier_store_are_known_by_their_memories() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store-v4.db");
    std::fs::copy(fixture, &path).expect("the fixture is there");
    let connection = Connection::open(&path).expect("it opens");
    connection
        .execute_batch(
            "UPDATE memory SET scope = 'branch:' || session_id || '/a/b' WHERE id = 3; \
             UPDATE memory SET scope = 'branch:nobody/x' WHERE id = 1;",
        )
        .expect("changed");
    connection.close().expect("it closes");
    let session: String = sql(&path, "SELECT session_id FROM session");
    let (engine, _) = open(&path).expect("it migrates");
    let request = GetSessionRequest { session_id: session.clone(), ..Default::default() };
    let shown = engine.call::<GetSession>(request).expect("it is there").branches;
    let shown: Vec<_> = shown.iter().map(|it| (it.branch_id.as_str(), it.status)).collect();
    assert_eq!(shown, [("a/b", BranchStatus::Open)]);
    let merged = engine.call::<MergeBranch>(win(&session, "a/b")).expect("it merges");
    assert_eq!(merged.merged_ids, [3]);
}

/// Ids, words, vectors, data and where it came from hold; only the scope is another.
#[test]
fn what_won_is_seen_by_more_and_is_otherwise_what_it_was() {
    for into in ["", "global"] {
        let robot = Robot::new();
        let session = robot.start_session();
        let (won, lost) = (branch(&session, "a"), branch(&session, "b"));
        let target = if into.is_empty() { format!("session:{session}") } else { into.to_owned() };
        let in_session = |request: &mut LearnRequest| request.session_id.clone_from(&session);
        let parent = learn(&robot, &won, "Cups are gripped from the side");
        let cup = learn_with(&robot, &won, "The red cup needs 12 N", |request| {
            in_session(request);
            request.turn_id = "t-7".into();
            request.context = r#"{"env": {"sim_or_real": "real"}, "x": 3}"#.into();
            request.importance = Some(0.9);
        });
        let note = learn_with(&robot, &won, "The cup is still wet", |request| {
            in_session(request);
            request.level = "working".into();
            request.parent_id = parent;
        });
        let seen = robot.call::<SavePerception>(SavePerceptionRequest {
            description: "red cup in the gripper".into(),
            data: r#"{"width": 640}"#.into(),
            metadata: r#"{"camera": "wrist"}"#.into(),
            context: r#"{"spatial": {"robot_position": [1, 2, 0]}}"#.into(),
            scope: won.clone(),
            session_id: session.clone(),
            ..Default::default()
        });
        let bound = learn(&robot, &won, "Grip force must never exceed 15 N");
        let elsewhere = learn(&robot, &lost, "The red cup needs 20 N");
        assert_eq!(violated(&robot, &won), [(bound, won.clone())]);
        let all = [parent, cup.memory_id, note.memory_id, seen.memory_id, bound];
        let before: Vec<StoredMemory> = all.iter().map(|id| stored(&robot, *id)).collect();
        robot.sleep_days(0.5);

        let request = MergeBranchRequest { into: into.into(), ..win(&session, "a") };
        assert_eq!(
            robot.call::<MergeBranch>(request),
            MergeBranchResponse {
                status: "merged".into(),
                session_id: session.clone(),
                branch_id: "a".into(),
                into: target.clone(),
                merged_ids: all.into(),
                duplicate_count: 0,
                superseded_ids: Vec::new(),
                kept_ids: Vec::new(),
                lost_branches: vec!["b".into()],
            }
        );
        for before in before {
            let mut after = stored(&robot, before.memory.id);
            let merged = after.history.pop().expect("it is told who merged it");
            assert_eq!((merged.operation.as_str(), merged.agent.as_str()), ("merge_branch", ""));
            assert_eq!(merged.content, before.memory.content);
            assert_eq!(after.memory.scope.to_string(), target);
            after.memory.scope = before.memory.scope.clone();
            assert_eq!(after, before);
        }
        let robot = if into.is_empty() { robot } else { robot.restart() };
        assert_eq!(found(&robot, &target, "cup"), all);
        for (scope, own) in [(&won, None), (&lost, Some(elsewhere))] {
            let of_target = all.iter().copied().filter(|_| into == "global");
            let expected: Vec<i64> = of_target.chain(own).collect();
            assert_eq!(found(&robot, scope, "cup"), expected, "{scope}");
        }
        assert_eq!(violated(&robot, &target), [(bound, target.clone())]);
        assert_eq!(
            violated(&robot, &lost).len(),
            usize::from(into == "global"),
            "the guard knows as well where it belongs"
        );
        assert_eq!(branches(&robot, &session)[0].merged_into, [target.clone()]);
        assert_eq!(statuses(&robot, &session), [won_is("a"), lost_is("b")]);
        // What is stored from now on is held against it.
        let again = LearnRequest {
            insight: "The red cup needs 12 N".into(),
            scope: target,
            ..Default::default()
        };
        let again = robot.call::<Learn>(again);
        assert_eq!((again.status, again.existing_id), (LearnStatus::Duplicate, cup.memory_id));
    }
}

fn won_is(branch_id: &str) -> (String, BranchStatus) {
    (branch_id.into(), BranchStatus::Won)
}

fn lost_is(branch_id: &str) -> (String, BranchStatus) {
    (branch_id.into(), BranchStatus::Lost)
}

#[test]
fn what_is_known_there_already_stands_for_what_says_the_same() {
    let robot = Robot::new();
    let session = robot.start_session();
    let (won, target) = (branch(&session, "a"), format!("session:{session}"));
    let task_log = |request: &mut LearnRequest| request.mem_type = "task_log".into();
    let bound = |insight: &str, scope: &str, paths: &[&str]| {
        let bounds = paths
            .iter()
            .map(|path| format!(r#"{{"path": "{path}", "op": "<=", "value": 15, "unit": "N"}}"#));
        let bounds = bounds.collect::<Vec<_>>().join(", ");
        let context = |request: &mut LearnRequest| {
            request.context = format!(r#"{{"limits": [{bounds}]}}"#);
        };
        learn_with(&robot, scope, insight, context).memory_id
    };
    let known = learn(&robot, &target, "The red cup needs 12 N");
    let worded = learn(&robot, &target, "The blue cup must be gripped slowly from the left side");
    learn_with(&robot, &target, "this time the grip took 3 s", task_log);
    bound("Grip force must never exceed 15 N", &target, &["params.grip_force"]);
    bound("Lift force must never exceed 15 N", &target, &["params.lift", "params.lower"]);
    robot.sleep_days(40.0);
    robot.end_session(&robot.start_session());
    let faded = stored(&robot, known).memory.confidence;

    let same = learn(&robot, &won, "The red cup needs 12 N");
    let alike =
        learn(&robot, &won, "The blue cup must be gripped slowly from the left side, please");
    let logged = learn_with(&robot, &won, "this time the grip took 3 s", task_log).memory_id;
    let other = learn(&robot, &won, "The red cup needs 12.5 N of force on the wet shelf");
    let bounds = [
        bound("Grip force must never exceed 15 N", &won, &["params.force"]),
        bound("Lift force must never exceed 15 N", &won, &["params.lift"]),
    ];
    let merged = merge(&robot, &session, "a");
    assert_eq!(merged.merged_ids, [logged, other]);
    assert_eq!((merged.duplicate_count, merged.superseded_ids.len()), (2, 0));
    // Other bounds are not the same.
    assert_eq!(merged.kept_ids, bounds);
    assert_eq!(stored(&robot, bounds[0]).memory.scope.to_string(), won);
    for (id, by) in [(same, known), (alike, worded)] {
        let row = stored(&robot, id);
        assert_eq!((row.memory.status, row.memory.superseded_by), (Status::Superseded, Some(by)));
        assert_eq!(row.superseded_rule, Some(SupersededRule::BranchMerge));
        assert!(row.superseded_why.starts_with("branch_merge: "), "{}", row.superseded_why);
        assert_eq!(row.memory.scope.to_string(), won);
        assert_eq!(stored(&robot, by).supersedes, [id]);
    }
    let believed = stored(&robot, known).memory.confidence;
    assert!(believed > faded, "said again, it is believed again: {believed} of {faded}");
    let robot = robot.restart();
    assert_eq!(stored(&robot, known).memory.confidence, believed);
}

/// What becomes of a row of the branch and of one of the session that says something else.
#[test]
fn of_two_that_disagree_the_rule_of_their_class_decides() {
    #[derive(Debug, PartialEq)]
    enum Outcome {
        BranchWins(&'static str),
        SessionWins,
        BothStand,
    }
    use Outcome::{BothStand, BranchWins, SessionWins};
    struct Case {
        of_session: &'static str,
        of_branch: &'static str,
        /// Of the session's and of the branch's.
        trust: [&'static str; 2],
        is_session_later: bool,
        /// Of the session's.
        is_protected: bool,
        outcome: Outcome,
    }
    let case = |of_session, of_branch, trust, is_session_later, outcome| Case {
        of_session,
        of_branch,
        trust,
        is_session_later,
        is_protected: false,
        outcome,
    };
    let (left, right) = ("prefer the left gripper for cups", "prefer the right gripper for cups");
    let (ten, twelve) = ("The red cup needs 10 N", "The red cup needs 12 N");
    let medium = ["medium", "medium"];
    let cases = [
        case(left, right, medium, false, BranchWins("newest_preference")),
        case(left, right, medium, true, SessionWins),
        case(left, right, ["high", "medium"], false, SessionWins),
        case(left, right, ["medium", "high"], true, SessionWins),
        case(ten, twelve, medium, false, BothStand),
        case(ten, twelve, medium, true, BothStand),
        case(ten, twelve, ["medium", "high"], false, BranchWins("better_source")),
        case(ten, twelve, ["medium", "high"], true, BranchWins("better_source")),
        case(ten, twelve, ["high", "medium"], false, SessionWins),
        // The same, but believed more or less.
        case(ten, ten, ["medium", "high"], false, BranchWins("better_source")),
        Case { is_protected: true, ..case(left, right, ["low", "high"], false, SessionWins) },
        case("The red cup is wet", "The blue cup is dry", ["high", "low"], true, BothStand),
    ];
    for Case { of_session, of_branch, trust, is_session_later, is_protected, outcome } in cases {
        let robot = Robot::new();
        let session = robot.start_session();
        let target = format!("session:{session}");
        let say = |scope: &str, insight: &str, trust: &str| {
            robot.sleep_days(0.1);
            learn_with(&robot, scope, insight, |request| {
                request.trust = trust.into();
                let is_preference = [of_session, of_branch].iter().any(|it| it.contains("gripper"));
                request.mem_type = if is_preference { "preference" } else { "fact" }.into();
                if is_protected && scope.starts_with("session:") {
                    // A bound makes it a constraint.
                    request.context =
                        r#"{"limits": [{"op": "<=", "value": 5, "unit": "N"}]}"#.into();
                }
            })
            .memory_id
        };
        let of_branch = || say(&branch(&session, "a"), of_branch, trust[1]);
        let early = is_session_later.then(of_branch);
        let there = say(&target, of_session, trust[0]);
        let comes = early.unwrap_or_else(of_branch);
        robot.sleep_days(0.1);
        let merged = merge(&robot, &session, "a");
        let told = (&merged.merged_ids[..], &merged.superseded_ids[..], &merged.kept_ids[..]);
        let about =
            format!("{of_session} / {:?} / {trust:?}", stored(&robot, comes).memory.content);
        match outcome {
            BranchWins(rule) => {
                assert_eq!(told, (&[comes][..], &[there][..], &[][..]), "{about}");
                let beaten = stored(&robot, there);
                assert_eq!(beaten.memory.superseded_by, Some(comes));
                assert_eq!(beaten.superseded_rule.map(SupersededRule::as_str), Some(rule));
            }
            SessionWins => {
                assert_eq!(told, (&[][..], &[][..], &[comes][..]), "{about}");
                let kept = stored(&robot, comes).memory;
                assert_eq!(
                    (kept.status, kept.scope.to_string()),
                    (Status::Active, branch(&session, "a"))
                );
                assert_eq!(stored(&robot, there).memory.status, Status::Active);
            }
            BothStand => assert_eq!(told, (&[comes][..], &[][..], &[][..]), "{about}"),
        }
        assert_eq!(merged.duplicate_count, 0, "{about}");
    }
}

#[test]
fn who_won_is_said_once_and_what_the_others_learned_stays_theirs() {
    let robot = Robot::new();
    let session = robot.start_session();
    for name in ["a", "b", "c"] {
        learn(&robot, &branch(&session, name), &format!("The cup was tried as {name}"));
    }
    robot.end_session(&session);
    // The decision may fall after the end.
    let merged = merge(&robot, &session, "b");
    assert_eq!((merged.merged_ids.len(), merged.lost_branches), (1, vec!["a".into(), "c".into()]));
    for lost in ["a", "c"] {
        let (kind, message) = robot.refused::<MergeBranch>(win(&session, lost));
        assert_eq!(kind, ErrorKind::InvalidState);
        assert_eq!(message, format!("branch_id: {lost} has lost, b won"));
        assert_eq!(found(&robot, &branch(&session, lost), "cup").len(), 1);
    }
    // Said again: nothing is left to merge.
    let again = merge(&robot, &session, "b");
    assert_eq!((again.merged_ids.len(), again.lost_branches.len()), (0, 2));
    // It has learned more, and that holds for all.
    let more = learn(&robot, &branch(&session, "b"), "The blue cup was tried, too");
    let into = "global".to_owned();
    let to_all = robot.call::<MergeBranch>(MergeBranchRequest { into, ..win(&session, "b") });
    assert_eq!((to_all.merged_ids, to_all.lost_branches.len()), (vec![more], 2));
    let robot = robot.restart();
    let shown = branches(&robot, &session);
    assert_eq!(shown[1].merged_into, [format!("session:{session}"), "global".to_owned()]);
    assert_eq!(statuses(&robot, &session), [lost_is("a"), won_is("b"), lost_is("c")]);
    // An attempt that was begun after the decision is open, until one of them is merged again.
    learn(&robot, &branch(&session, "d"), "The cup was tried as d");
    assert_eq!(statuses(&robot, &session)[3].1, BranchStatus::Open);
    assert_eq!(merge(&robot, &session, "d").lost_branches, ["a", "c"]);
    let (_, message) = robot.refused::<MergeBranch>(win(&session, "a"));
    assert_eq!(message, "branch_id: a has lost, b, d won");
}

#[test]
fn an_attempt_that_learned_nothing_can_win() {
    let robot = Robot::new();
    let session = robot.start_session();
    let gone = learn(&robot, &branch(&session, "a"), "The cup is red");
    let request = ForgetRequest { memory_id: gone, reason: "wrong".into(), ..Default::default() };
    robot.call::<Forget>(request);
    learn(&robot, &branch(&session, "b"), "The cup is blue");
    let merged = merge(&robot, &session, "a");
    assert_eq!((merged.merged_ids.len(), merged.kept_ids.len()), (0, 0));
    assert_eq!(merged.lost_branches, ["b"]);
    assert_eq!(statuses(&robot, &session), [won_is("a"), lost_is("b")]);
}

#[test]
fn what_is_no_attempt_cannot_win() {
    let robot = Robot::new();
    let session = robot.start_session();
    learn(&robot, &branch(&session, "a"), "The cup is red");
    learn(&robot, "branch:nobody/a", "The cup is red");
    let other = robot.start_session();
    let long = "x".repeat(300);
    let given = |session_id: &str, branch_id: &str, into: &str| MergeBranchRequest {
        into: into.into(),
        ..win(session_id, branch_id)
    };
    use ErrorKind::{InvalidArgument, NotFound};
    let of_other = format!("session:{other}");
    let cases = [
        (given("", "a", ""), InvalidArgument, "session_id"),
        (given("nobody", "a", ""), NotFound, "session_id"),
        (given("a/b", "a", ""), NotFound, "session_id"),
        (given(&session, "", ""), InvalidArgument, "branch_id"),
        (given(&session, &long, ""), InvalidArgument, "branch_id"),
        (given(&session, "a*", ""), InvalidArgument, "branch_id"),
        (given(&session, " a", ""), InvalidArgument, "branch_id"),
        (given(&session, "b", ""), NotFound, "branch_id"),
        (given(&other, "a", ""), NotFound, "branch_id"),
        (given(&session, "a", "all"), InvalidArgument, "into"),
        (given(&session, "a", "group:x"), InvalidArgument, "into"),
        (given(&session, "a", &of_other), InvalidArgument, "into"),
        (given(&session, "a", "nowhere"), InvalidArgument, "into"),
    ];
    for (request, expected, field) in cases {
        let told = format!("{request:?}");
        let (kind, message) = robot.refused::<MergeBranch>(request);
        assert_eq!(kind, expected, "{told}: {message}");
        assert!(message.starts_with(&format!("{field}: ")), "{told}: {message}");
    }
    assert_eq!(branches(&robot, &session)[0].status, BranchStatus::Open);
}

const POLICY: &str = r#"
agents:
  - {names: [chief], read: [all], write: [all], sessions: all}
  - {names: [own], read: [all], write: [all], sessions: own}
  - {names: [nobody], read: [all], write: [all], sessions: none}
  - {names: [reader], read: [all], write: ["branch:*"], sessions: all}
  - names: [no_lessons]
    read: [all]
    write: [{scope: "session:*", mem_types: [fact, preference, task_log, knowledge]}]
    sessions: all
  - {names: [blind], read: [global], write: [all], sessions: all}
  - names: [half_blind]
    read: [{scope: "branch:*", mem_types: [preference]}, "session:*"]
    write: [all]
    sessions: all
  - {names: [sessions], read: ["session:*"]}
  - {names: [branches], read: ["branch:*"]}
default: {read: [global], write: [], sessions: none}
"#;

/// A refusal changes nothing, and whoever may merge moves only what it sees.
#[test]
fn only_who_may_see_the_attempt_and_write_where_it_goes_merges() {
    let world = || {
        let robot = Robot::with(|config| config.access = Some(POLICY.into()));
        let agent = "chief".into();
        let request = StartSessionRequest { agent, ..Default::default() };
        let session = robot.call::<StartSession>(request).session_id;
        let scope = branch(&session, "a");
        let preference = learn(&robot, &scope, "prefer the left gripper for cups");
        let lesson = learn_with(&robot, &scope, "Last time the wet cup slipped", |request| {
            request.mem_type = "lesson".into();
        });
        learn(&robot, &branch(&session, "b"), "The cup is red");
        (robot, session, [preference, lesson.memory_id])
    };
    use ErrorKind::{Forbidden, NotFound};
    let refused = [
        ("own", NotFound, "session_id: there is no session"),
        ("nobody", NotFound, "session_id: there is no session"),
        ("stranger", NotFound, "session_id: there is no session"),
        ("reader", Forbidden, "write "),
        ("no_lessons", Forbidden, "write lesson in session:"),
        ("blind", Forbidden, "read branch:"),
    ];
    let (robot, session, rows) = world();
    let before = (branches(&robot, &session), rows.map(|id| stored(&robot, id)));
    for (agent, expected, words) in refused {
        let request = MergeBranchRequest { agent: agent.into(), ..win(&session, "a") };
        let (kind, message) = robot.refused::<MergeBranch>(request);
        assert_eq!(kind, expected, "{agent}: {message}");
        assert!(message.contains(words), "{agent}: {message}");
        assert_eq!((branches(&robot, &session), rows.map(|id| stored(&robot, id))), before);
    }
    for (agent, merged) in [("", &[0, 1][..]), ("chief", &[0, 1]), ("half_blind", &[0])] {
        let (robot, session, rows) = world();
        let request = MergeBranchRequest { agent: agent.into(), ..win(&session, "a") };
        let answer = robot.call::<MergeBranch>(request);
        let expected: Vec<i64> = merged.iter().map(|place| rows[*place]).collect();
        assert_eq!((answer.merged_ids, answer.kept_ids.len()), (expected, 0), "{agent}");
        let scopes: BTreeSet<String> =
            rows.iter().map(|id| stored(&robot, *id).memory.scope.to_string()).collect();
        assert_eq!(scopes.len(), 3 - merged.len(), "{agent}");
        // Who reads what is of sessions sees it from then on, and who reads what is of branches does not.
        for (reader, count) in [("sessions", merged.len()), ("branches", 3 - merged.len())] {
            let (agent, scope) = (reader.into(), "all".into());
            let query = "prefer gripper, last time the cup slipped".into();
            let request = RecallRequest { query, agent, scope, ..Default::default() };
            assert_eq!(robot.call::<Recall>(request).total, count as u64, "{reader}");
        }
    }
    let request = GetSessionRequest { session_id: session, agent: "stranger".into() };
    assert_eq!(robot.refused::<GetSession>(request).0, NotFound);
}

const WORDS: [&str; 8] = ["red", "cup", "grip", "table", "wet", "bolt", "抓取", "杯子"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The indexes that followed a merge answer as those that are loaded from the file.
    #[test]
    fn indexes_follow_a_merge_as_if_they_were_loaded_after_it(
        rows in prop::collection::vec(
            (0..4_usize, any::<bool>(), prop::collection::vec(0..WORDS.len(), 1..6)), 1..40
        ),
        to_all in any::<bool>(),
    ) {
        let robot = Robot::new();
        let session = robot.start_session();
        let of_session = format!("session:{session}");
        let scopes = [branch(&session, "a"), branch(&session, "b"), of_session, "global".into()];
        for (number, (scope, is_fact, words)) in rows.iter().enumerate() {
            let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            let (text, scope) = (words.join(" "), scopes[*scope].clone());
            if *is_fact {
                let insight = format!("the {text} is here");
                robot.call::<Learn>(LearnRequest { insight, scope, ..Default::default() });
            } else {
                let description = format!("saw {text} number {number}");
                let context = format!(r#"{{"spatial": {{"at": [{number}, 0]}}}}"#);
                robot.call::<SavePerception>(SavePerceptionRequest {
                    description,
                    context,
                    scope,
                    ..Default::default()
                });
            }
        }
        // Without a row there is no attempt.
        learn(&robot, &scopes[0], "the gripper of the first attempt was never oiled");
        let into = if to_all { "global".into() } else { String::new() };
        let merged = robot.call::<MergeBranch>(MergeBranchRequest { into, ..win(&session, "a") });
        prop_assert!(merged.kept_ids.is_empty());
        let answers = |robot: &Robot| {
            let ask = |scope: &String, request: RecallRequest| {
                let request = RecallRequest {
                    scope: scope.clone(),
                    n: 100,
                    min_confidence: 0.0,
                    ..request
                };
                let answer = robot.call::<Recall>(request);
                let hits = answer.memories.into_iter();
                let hits = hits.map(|hit| (hit.memory.id, hit.score.to_bits(), hit.memory.scope));
                (hits.collect::<Vec<_>>(), answer.total)
            };
            let all = scopes.iter().map(|scope| {
                let query = "red cup grip 抓取 table".to_owned();
                let ranked = ask(scope, RecallRequest { query, ..Default::default() });
                let field = "spatial.at".to_owned();
                let sort = SpatialSort { field, target: vec![0.0, 0.0], max_distance: 0.0 };
                let spatial_sort = Some(sort);
                (ranked, ask(scope, RecallRequest { spatial_sort, ..Default::default() }))
            });
            all.collect::<Vec<_>>()
        };
        let followed = answers(&robot);
        let of_branch: BTreeSet<Scope> =
            followed[0].0.0.iter().map(|(_, _, scope)| scope.clone()).collect();
        prop_assert!(of_branch.iter().all(|scope| *scope == Scope::Global));
        prop_assert_eq!(followed, answers(&robot.restart()));
    }
}
