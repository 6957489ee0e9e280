//! What a search in a scope looks at, and in which order it answers.

use crate::robot::{Robot, ids};
use proptest::prelude::*;
use robot_memory_core::api::{
    ErrorKind, Hit, Learn, LearnRequest, Mode, Recall, RecallRequest, RecallResponse,
    SavePerception, SavePerceptionRequest, SpatialSort,
};
use robot_memory_core::model::Scope;
use std::collections::BTreeSet;

/// Some see one side only: what is alone for them is a list of its own.
const POLICY: &str = r#"
agents:
  - {names: [red_only], read: ["group:red"]}
  - {names: [red_and_own], read: ["group:red", "agent:red_and_own"]}
  - {names: [global_only], read: [global]}
  - {names: [both], read: [all]}
default:
  read: [global]
"#;

fn robot() -> Robot {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    robot.plug_in_embedder();
    robot
}

fn learn(robot: &Robot, scope: &str, insight: &str) -> i64 {
    let learned = robot.call::<Learn>(LearnRequest {
        insight: insight.into(),
        scope: scope.into(),
        ..Default::default()
    });
    assert_ne!(learned.memory_id, 0, "{insight} is a duplicate of {}", learned.existing_id);
    learned.memory_id
}

fn ask(scope: &str, agent: &str) -> RecallRequest {
    RecallRequest { scope: scope.into(), agent: agent.into(), n: 100, ..Default::default() }
}

/// The scopes of the rows that a search finds, ordered.
fn found(robot: &Robot, scope: &str, agent: &str) -> BTreeSet<String> {
    let request = RecallRequest { query: "gripper".into(), ..ask(scope, agent) };
    let hits = robot.call::<Recall>(request).memories;
    hits.into_iter().map(|hit| hit.memory.scope.to_string()).collect()
}

const WORDS: [&str; 9] = ["red", "cup", "grip", "table", "door", "wet", "抓取", "杯子", "bolt"];
const SCOPES: [&str; 4] = ["global", "group:red", "agent:both", "group:blue"];

fn interleaved(own: &[Hit], global: &[Hit], n: usize) -> Vec<Hit> {
    let mut expected = Vec::new();
    for place in 0..own.len().max(global.len()) {
        expected.extend(own.get(place).cloned());
        expected.extend(global.get(place).cloned());
    }
    expected.truncate(n);
    expected
}

/// What of a hit does not depend on how often it was recalled.
fn place(hit: &Hit) -> (i64, f64, String) {
    (hit.memory.id, hit.score, format!("{:?}", hit.why))
}

fn counted(answer: &RecallResponse) -> u64 {
    answer.counts.iter().map(|it| it.count).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Both lists are as if the other were not there, which a caller shows that may see only one.
    #[test]
    fn a_named_scope_and_global_are_two_lists_that_take_turns(
        rows in prop::collection::vec(
            (0..SCOPES.len(), prop::collection::vec(0..WORDS.len(), 1..5)), 1..60
        ),
        words in prop::collection::vec(0..WORDS.len(), 1..4),
        n in 1..30_u32,
        is_rrf in any::<bool>(),
        min_similarity in prop_oneof![Just(0.0), Just(0.1)],
        has_vectors in any::<bool>(),
    ) {
        let robot = Robot::with(|config| config.access = Some(POLICY.into()));
        if has_vectors {
            robot.plug_in_embedder();
        }
        for (number, (scope, words)) in rows.iter().enumerate() {
            let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            robot.call::<SavePerception>(SavePerceptionRequest {
                description: format!("saw {} number {number}", words.join(" ")),
                scope: SCOPES[*scope].into(),
                ..Default::default()
            });
        }
        let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let ranked = |scope: &str, agent: &str, n| robot.call::<Recall>(RecallRequest {
            query: words.join(" "),
            ranking: if is_rrf { "rrf" } else { "" }.into(),
            min_similarity,
            count_by: "day".into(),
            n,
            ..ask(scope, agent)
        });
        let own = ranked("group:red", "red_only", n);
        let global = ranked("global", "global_only", n);
        let both = ranked("group:red", "both", n);
        let expected = interleaved(&own.memories, &global.memories, n as usize);
        prop_assert_eq!(
            both.memories.iter().map(place).collect::<Vec<_>>(),
            expected.iter().map(place).collect::<Vec<_>>()
        );
        prop_assert_eq!(both.total, own.total + global.total);
        prop_assert_eq!(counted(&both), both.total);
        prop_assert!(own.memories.first().is_none_or(|hit| hit.score == 1.0));
        prop_assert_eq!(both.approximate, own.approximate || global.approximate);
        let mode = match (own.mode, global.mode) {
            (one, other) if one == other => one,
            // Of an empty list it is that of words alone.
            _ => both.mode,
        };
        prop_assert_eq!(both.mode, mode);

        // A group and the caller's own scope are one list.
        let crossed = ranked("cross:red", "both", n);
        let in_one: BTreeSet<i64> = crossed.memories.iter().map(|hit| hit.memory.id).collect();
        let scopes: BTreeSet<String> =
            crossed.memories.iter().map(|hit| hit.memory.scope.to_string()).collect();
        prop_assert!(!scopes.contains("group:blue"));
        prop_assert_eq!(in_one.len(), crossed.memories.len());
        let of_others = crossed.memories.iter().filter(|hit| hit.memory.scope != Scope::Global);
        let scores: Vec<f64> = of_others.map(|hit| hit.score).collect();
        prop_assert!(scores.is_sorted_by(|a, b| a >= b), "{:?}", scores);
        let of_global = crossed.memories.iter().filter(|hit| hit.memory.scope == Scope::Global);
        prop_assert!(
            of_global.map(|hit| hit.memory.id).eq(
                global.memories.iter().map(|hit| hit.memory.id).take(
                    crossed.memories.iter().filter(|hit| hit.memory.scope == Scope::Global).count()
                )
            )
        );

        // Everything is one list.
        let all = ranked("all", "both", n);
        let scores: Vec<f64> = all.memories.iter().map(|hit| hit.score).collect();
        prop_assert!(scores.is_sorted_by(|a, b| a >= b), "{:?}", scores);
    }
}

#[test]
fn the_scopes_own_comes_first_and_the_rest_follows_when_one_ends() {
    let robot = robot();
    let general = [
        "the gripper opens slowly",
        "a gripper has two fingers",
        "oil for the gripper is in box 4",
    ]
    .map(|insight| learn(&robot, "global", insight));
    let own = learn(&robot, "group:red", "something about the gripper of cell red, not much");
    let request = RecallRequest { query: "gripper".into(), ..ask("group:red", "") };
    let answer = robot.call::<Recall>(request.clone());
    let order = ids(&answer);
    assert_eq!((order[0], order.len(), answer.total), (own, 4, 4));
    assert_eq!(order[1..].iter().collect::<BTreeSet<_>>(), general.iter().collect());
    assert_eq!((answer.memories[0].score, answer.memories[1].score), (1.0, 1.0));
    let two = robot.call::<Recall>(RecallRequest { n: 2, ..request.clone() });
    assert_eq!((ids(&two), two.total), (order[..2].to_vec(), 4));
    let empty = robot.call::<Recall>(RecallRequest { scope: "group:none".into(), ..request });
    assert_eq!((empty.memories.len(), empty.mode), (3, Mode::Hybrid));
}

#[test]
fn place_and_time_merge_strictly() {
    let robot = robot();
    let mut expected = Vec::new();
    for number in 0..12 {
        let scope = if number % 3 == 0 { "group:red" } else { "global" };
        robot.sleep_days(0.1);
        let id = robot
            .call::<SavePerception>(SavePerceptionRequest {
                description: format!("a gripper at place {number}"),
                context: format!(r#"{{"spatial":{{"at":[{number}]}}}}"#),
                scope: scope.into(),
                ..Default::default()
            })
            .memory_id;
        expected.push(id);
    }
    let sort = SpatialSort {
        field: "spatial.at".into(),
        target: vec![0.0],
        max_distance: 0.0,
        ..SpatialSort::default()
    };
    for query in ["", "gripper"] {
        let nearest = robot.call::<Recall>(RecallRequest {
            spatial_sort: Some(sort.clone()),
            query: query.into(),
            ..ask("group:red", "both")
        });
        assert_eq!(ids(&nearest), expected);
        let oldest = robot.call::<Recall>(RecallRequest {
            query: query.into(),
            order: "oldest".into(),
            types: vec!["perception".into()],
            ..ask("group:red", "both")
        });
        assert_eq!((ids(&oldest), oldest.total), (expected.clone(), 12));
    }
}

#[test]
fn a_search_looks_at_what_it_names_and_at_what_everybody_sees() {
    let robot = robot();
    let all = [
        "global",
        "group:red",
        "group:blue",
        "dm",
        "agent:both",
        "agent:other",
        "session:s1",
        "branch:s1/a",
        "branch:s1/b",
        "turn:7",
        "unscoped",
    ];
    for scope in all {
        learn(&robot, scope, &format!("The gripper is kept in {scope}"));
    }
    let named = |scopes: &[&str]| scopes.iter().map(|scope| (*scope).to_owned()).collect();
    for scope in all {
        let expected: BTreeSet<String> = named(&["global", scope]);
        assert_eq!(found(&robot, scope, "both"), expected);
        assert_eq!(found(&robot, scope, ""), expected);
    }
    let cases: [(&str, &str, &[&str]); 8] = [
        ("", "", &["global"]),
        ("all", "", &all),
        ("all", "both", &all),
        ("all", "red_and_own", &["group:red"]),
        ("cross:red", "both", &["global", "group:red", "agent:both"]),
        ("cross:red", "", &["global", "group:red", "dm"]),
        ("cross:red", "red_only", &["group:red"]),
        (r#"branch:["s1","a"]"#, "both", &["global", "branch:s1/a"]),
    ];
    for (scope, agent, expected) in cases {
        assert_eq!(found(&robot, scope, agent), named(expected), "{scope} of {agent:?}");
    }
    let request = RecallRequest { query: "gripper".into(), ..ask("cross:blue", "red_only") };
    let (kind, message) = robot.refused::<Recall>(request);
    assert_eq!(kind, ErrorKind::Forbidden);
    assert!(
        message.contains("cross:blue") && message.contains("agents[0] (red_only)"),
        "{message}"
    );
}

#[test]
fn the_default_scope_holds_for_who_names_none() {
    let robot = Robot::with(|config| config.default_scope = Scope::parse("group:cell").ok());
    let own = robot.learn_with("The gripper of this cell is worn", "");
    let general = learn(&robot, "global", "A gripper needs oil");
    learn(&robot, "group:other", "Their gripper is blue");
    let answer = robot.recall("gripper");
    assert_eq!(ids(&answer), [own, general]);
    assert_eq!(answer.memories[0].memory.scope, Scope::Group("cell".into()));
    let general_only = RecallRequest { query: "gripper".into(), ..ask("global", "") };
    assert_eq!(ids(&robot.call::<Recall>(general_only)), [general]);

    let strict = Robot::with(|config| config.default_scope = None);
    let nameless = LearnRequest { insight: "The gripper is red".into(), ..Default::default() };
    let (kind, message) = strict.refused::<Learn>(nameless);
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert_eq!(message, "scope: must be given, the parameter default_scope is empty");
    let general = learn(&strict, "global", "A gripper needs oil");
    assert_eq!(ids(&strict.recall("gripper")), [general]);
}

#[test]
fn nothing_is_written_where_only_searches_look() {
    let robot = robot();
    for scope in ["all", "cross:red"] {
        let (scope_given, insight) = (scope.to_owned(), "The gripper is red".to_owned());
        let request = LearnRequest { insight, scope: scope_given.clone(), ..Default::default() };
        let (kind, message) = robot.refused::<Learn>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.contains(scope) && message.contains("searches only"), "{message}");
        let (kind, again) = robot.refused::<SavePerception>(SavePerceptionRequest {
            description: "The gripper is red".into(),
            scope: scope_given,
            ..Default::default()
        });
        assert_eq!((kind, again), (ErrorKind::InvalidArgument, message));
    }
    assert_eq!(found(&robot, "all", ""), BTreeSet::new());
}
