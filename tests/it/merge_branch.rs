//! What becomes of what an attempt learned when it is merged: of each row, and of those that it meets.

use crate::branches::{
    branch, branches, found, learn, learn_with, lost_is, merge, statuses, stored, violated, win,
    won_is,
};
use crate::robot::Robot;
use crate::steps::{JobClock, every_sentence, set_chat, step, take_in};
use proptest::prelude::*;
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, ErrorKind, Learn, LearnRequest, LearnStatus, MergeBranch,
    MergeBranchRequest, MergeBranchResponse, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, SpatialSort, StoredMemory,
};
use robot_memory_core::model::{LedgerChange, Scope, Status, SupersededRule};
use std::collections::BTreeSet;

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
    let reports = take_in(&robot);
    let summaries: Vec<i64> =
        reports.iter().map(|reports| reports["summary_id"].as_i64().expect("a summary")).collect();

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
            let moved = after.ledger.pop().expect("it is told where it was");
            let scopes = (moved.change, moved.value_before, moved.value_after);
            assert_eq!(scopes, (LedgerChange::Rescoped, won.clone(), target.clone()));
            // Half a day has passed.
            after.retention = before.retention;
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
        assert_eq!(branches(&robot, &session)[0].merged_into.join(" "), target);
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
        let ids = (&merged.merged_ids[..], &merged.superseded_ids[..], &merged.kept_ids[..]);
        let about =
            format!("{of_session} / {:?} / {trust:?}", stored(&robot, comes).memory.content);
        match outcome {
            BranchWins(rule) => {
                assert_eq!(ids, (&[comes][..], &[there][..], &[][..]), "{about}");
                let beaten = stored(&robot, there);
                assert_eq!(beaten.memory.superseded_by, Some(comes));
                assert_eq!(beaten.superseded_rule.map(SupersededRule::as_str), Some(rule));
            }
            SessionWins => {
                assert_eq!(ids, (&[][..], &[][..], &[comes][..]), "{about}");
                let kept = stored(&robot, comes).memory;
                assert_eq!(
                    (kept.status, kept.scope.to_string()),
                    (Status::Active, branch(&session, "a"))
                );
                assert_eq!(stored(&robot, there).memory.status, Status::Active);
            }
            BothStand => assert_eq!(ids, (&[comes][..], &[][..], &[][..]), "{about}"),
        }
        assert_eq!(merged.duplicate_count, 0, "{about}");
    }
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
                let sort = SpatialSort { field, target: vec![0.0, 0.0], max_distance: 0.0, ..SpatialSort::default() };
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
