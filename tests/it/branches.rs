//! Attempts within an episode: what one learned is seen in it alone, until somebody says that it won.

use crate::robot::{Robot, ids, open, sql};
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest,
    GetSession, GetSessionRequest, Learn, LearnRequest, LearnResponse, LearnStatus,
    ListCollections, ListCollectionsRequest, ListLevels, ListLevelsRequest, MergeBranch,
    MergeBranchRequest, MergeBranchResponse, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, StartSession, StartSessionRequest, StoredMemory,
};
use robot_memory_core::model::{Branch, BranchStatus};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tempfile::TempDir;

pub fn branch(session_id: &str, branch_id: &str) -> String {
    format!("branch:{session_id}/{branch_id}")
}

pub fn learn(robot: &Robot, scope: &str, insight: &str) -> i64 {
    learn_with(robot, scope, insight, |_| {}).memory_id
}

/// Learns what is no duplicate.
pub fn learn_with(
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

pub fn stored(robot: &Robot, id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest {
        memory_id: id,
        include_data: true,
        include_embedding: true,
        ..Default::default()
    })
}

pub fn win(session_id: &str, branch_id: &str) -> MergeBranchRequest {
    MergeBranchRequest {
        session_id: session_id.into(),
        branch_id: branch_id.into(),
        ..Default::default()
    }
}

pub fn merge(robot: &Robot, session_id: &str, branch_id: &str) -> MergeBranchResponse {
    robot.call::<MergeBranch>(win(session_id, branch_id))
}

pub fn branches(robot: &Robot, session_id: &str) -> Vec<Branch> {
    let session_id = session_id.into();
    robot.call::<GetSession>(GetSessionRequest { session_id, agent: String::new() }).branches
}

pub fn statuses(robot: &Robot, session_id: &str) -> Vec<(String, BranchStatus)> {
    let branches = branches(robot, session_id).into_iter();
    branches.map(|branch| (branch.branch_id, branch.status)).collect()
}

/// The ids that a ranked search of a scope finds, ordered.
pub fn found(robot: &Robot, scope: &str, query: &str) -> Vec<i64> {
    let mut found = ids(&robot.call::<Recall>(RecallRequest {
        query: query.into(),
        scope: scope.into(),
        n: 100,
        min_confidence: 0.0,
        diversity: false,
        ..Default::default()
    }));
    found.sort_unstable();
    found
}

/// Who holds a bound of the grip force that 100 N violates, in a scope.
pub fn violated(robot: &Robot, scope: &str) -> Vec<(i64, String)> {
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

pub fn won_is(branch_id: &str) -> (String, BranchStatus) {
    (branch_id.into(), BranchStatus::Won)
}

pub fn lost_is(branch_id: &str) -> (String, BranchStatus) {
    (branch_id.into(), BranchStatus::Lost)
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
        let shown = format!("{request:?}");
        let (kind, message) = robot.refused::<MergeBranch>(request);
        assert_eq!(kind, expected, "{shown}: {message}");
        assert!(message.starts_with(&format!("{field}: ")), "{shown}: {message}");
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
