//! Contradictions that Learn could not settle: found, settled by the rule of the class, or told.

use crate::pairs::{count, maintained};
use crate::robot::{Robot, sql};
use crate::scope_work::{changed, get, with_workers};
use robot_memory_core::api::{
    Forget, ForgetRequest, Learn, LearnRequest, Recall, RecallRequest, Update, UpdateRequest,
};
use robot_memory_core::model::{Stamp, Status, SupersededRule};
use serde_json::json;

fn learn(robot: &Robot, insight: &str, change: impl FnOnce(&mut LearnRequest)) -> i64 {
    let mut request = LearnRequest { insight: insight.into(), ..Default::default() };
    change(&mut request);
    let answer = robot.call::<Learn>(request);
    assert_ne!(answer.memory_id, 0, "{insight} is a duplicate");
    answer.memory_id
}

/// Two rows that Learn never held against each other, as after an import: the second comes from another
/// scope.
fn robot_told(
    first: (&str, &dyn Fn(&mut LearnRequest)),
    second: (&str, &dyn Fn(&mut LearnRequest)),
) -> (Robot, [i64; 2]) {
    let robot = Robot::with(with_workers);
    let a = learn(&robot, first.0, first.1);
    robot.sleep_days(1.0);
    let b = learn(&robot, second.0, |request| {
        request.scope = "group:elsewhere".into();
        second.1(request);
    });
    let now = robot.clock_now();
    let robot = changed(robot, |connection| {
        connection.execute("UPDATE memory SET scope = 'global'", []).expect("it moves");
    });
    robot.clock.set(now);
    (robot, [a, b])
}

fn conflicts_with(robot: &Robot, id: i64) -> Vec<i64> {
    let everything = robot.call::<Recall>(RecallRequest {
        until: Some(Stamp(i64::MAX)),
        min_confidence: 0.0,
        n: 100,
        ..Default::default()
    });
    let hit = everything.memories.into_iter().find(|hit| hit.memory.id == id);
    hit.unwrap_or_else(|| panic!("memory {id} is not recalled")).conflicts_with
}

pub fn conflict_count(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "SELECT count(*) FROM memory_pair WHERE verdict = 'conflict'")
}

const LEFT: &str = "from now on use the left gripper for cups";
const RIGHT: &str = "from now on use the right gripper for cups";
const WEIGHS_200: &str = "The red cup weighs 200 g";
const WEIGHS_250: &str = "The red cup weighs 250 g";

fn plain(_: &mut LearnRequest) {}

fn trusted(trust: &'static str) -> impl Fn(&mut LearnRequest) {
    move |request| request.trust = trust.into()
}

fn of_world(world: &'static str) -> impl Fn(&mut LearnRequest) {
    move |request| {
        request.trust = "medium".into();
        request.context = json!({"env": {"sim_or_real": world}}).to_string();
    }
}

fn of_class(class: &'static str) -> impl Fn(&mut LearnRequest) {
    move |request| request.mem_type = class.into()
}

#[test]
fn the_rule_of_the_class_decides() {
    use SupersededRule::{BetterSource, NewestKnowledge, NewestPreference};
    type Change<'a> = &'a dyn Fn(&mut LearnRequest);
    type Case<'a> = (&'a str, Change<'a>, &'a str, Change<'a>, Option<(usize, SupersededRule)>);
    // What is said of the first and second, and which of them stands by which rule.
    let cases: [Case<'_>; 11] = [
        (LEFT, &plain, RIGHT, &plain, Some((1, NewestPreference))),
        (LEFT, &trusted("high"), RIGHT, &trusted("low"), None),
        (LEFT, &trusted("low"), RIGHT, &trusted("high"), Some((1, NewestPreference))),
        (
            WEIGHS_200,
            &of_class("knowledge"),
            WEIGHS_250,
            &of_class("knowledge"),
            Some((1, NewestKnowledge)),
        ),
        (WEIGHS_200, &trusted("high"), WEIGHS_250, &trusted("medium"), Some((0, BetterSource))),
        (WEIGHS_200, &trusted("medium"), WEIGHS_250, &trusted("high"), Some((1, BetterSource))),
        (WEIGHS_200, &of_world("real"), WEIGHS_250, &of_world("sim"), Some((0, BetterSource))),
        (WEIGHS_200, &of_world("sim"), WEIGHS_250, &of_world("real"), Some((1, BetterSource))),
        (WEIGHS_200, &of_world("real"), WEIGHS_250, &of_world("real"), None),
        (WEIGHS_200, &of_class("lesson"), WEIGHS_250, &of_class("lesson"), None),
        (WEIGHS_200, &of_class("knowledge"), WEIGHS_250, &of_class("fact"), None),
    ];
    for (index, (first, change, second, other_change, stands)) in cases.into_iter().enumerate() {
        let (robot, ids) = robot_told((first, change), (second, other_change));
        let report = maintained(&robot, "weekly", "conflicts");
        let status = ids.map(|id| get(&robot, id).memory.status);
        match stands {
            Some((kept, rule)) => {
                let gone = get(&robot, ids[1 - kept]);
                assert_eq!(gone.memory.superseded_by, Some(ids[kept]), "{index}: {report}");
                assert_eq!(gone.superseded_rule, Some(rule), "{index}");
                assert_eq!(
                    (count(&report, "superseded"), conflict_count(&robot)),
                    (1, 0),
                    "{index}"
                );
            }
            None => {
                assert_eq!(status, [Status::Active; 2], "{index}: {report}");
                assert_eq!(count(&report, "conflict"), 1, "{index}: {report}");
                assert_eq!(conflicts_with(&robot, ids[0]), [ids[1]], "{index}");
                assert_eq!(conflicts_with(&robot, ids[1]), [ids[0]], "{index}");
            }
        }
        let again = maintained(&robot, "weekly", "conflicts");
        assert_eq!(count(&again, "superseded"), 0, "{index}");
        assert_eq!(count(&again, "conflict"), u64::from(stands.is_none()), "{index}");
    }
}

#[test]
fn what_cannot_both_hold_is_found_in_any_words_and_nothing_else() {
    let knowledge = of_class("knowledge");
    for (a, b, is_found) in [
        ("The lab door is locked at night", "At night nothing happens", false),
        ("The lab door is locked at night", "The lab door is not locked at night", true),
        ("The gripper can hold wet glass", "The gripper cannot hold wet glass", true),
        ("机器人可以进入冷库", "机器人不可以进入冷库", true),
        ("抓M8螺栓用10N", "抓M8螺栓用14N", true),
        ("Use 10 N for M8 bolts", "Use 14 N for M8 bolts", true),
        ("Use 10 N for M8 bolts", "Use 14 N for M6 bolts", false),
        ("Avoid the left corridor", "Avoid the right corridor", false),
    ] {
        let (robot, ids) = robot_told((a, &knowledge), (b, &knowledge));
        maintained(&robot, "weekly", "conflicts");
        let gone = get(&robot, ids[0]).memory.superseded_by;
        assert_eq!(gone, is_found.then_some(ids[1]), "{a} / {b}");
    }
}

#[test]
fn protected_rows_stay_and_are_told() {
    let rule = "constraint: the arm must not be used for pouring";
    let (robot, ids) = robot_told(
        (rule, &of_class("fact")),
        ("constraint: the arm must be used for pouring", &of_class("fact")),
    );
    let report = maintained(&robot, "weekly", "conflicts");
    assert_eq!(count(&report, "superseded"), 0, "{report}");
    for id in ids {
        assert_eq!(get(&robot, id).memory.status, Status::Active);
    }
}

#[test]
fn a_conflict_that_learn_leaves_is_told_at_once_and_goes_when_one_side_does() {
    type Change = fn(&Robot, [i64; 2]);
    let changes: [Change; 3] = [
        |robot, [first, _]| {
            robot.call::<Forget>(ForgetRequest {
                memory_id: first,
                reason: "weighed again".into(),
                ..Default::default()
            });
        },
        |robot, [_, second]| {
            robot.call::<Update>(UpdateRequest {
                memory_id: second,
                new_content: "The blue cup weighs 250 g".into(),
                ..Default::default()
            });
        },
        |robot, _| {
            learn(robot, "The red cup weighs 300 g", |request| {
                trusted("high")(request);
            });
        },
    ];
    for change in changes {
        let robot = Robot::with(with_workers);
        let first = learn(&robot, WEIGHS_200, trusted("medium"));
        let second = learn(&robot, WEIGHS_250, trusted("medium"));
        assert_eq!(conflicts_with(&robot, first), [second]);
        assert_eq!(conflicts_with(&robot, second), [first]);
        change(&robot, [first, second]);
        assert_eq!(conflict_count(&robot), 0);
    }
}

#[test]
fn nobody_is_told_of_what_he_may_not_see() {
    let policy = "agents:\n  - {names: [reader], read: [{scope: global, mem_types: [fact]}]}\n";
    let robot = Robot::with(|config| {
        with_workers(config);
        config.access = Some(policy.to_owned());
    });
    let fact = learn(&robot, WEIGHS_200, of_class("fact"));
    let lesson = learn(&robot, WEIGHS_250, of_class("lesson"));
    maintained(&robot, "weekly", "conflicts");
    let conflicts_of = |agent: &str| {
        let recalled = robot.call::<Recall>(RecallRequest {
            agent: agent.into(),
            until: Some(Stamp(i64::MAX)),
            min_confidence: 0.0,
            n: 10,
            ..Default::default()
        });
        let hit = recalled.memories.into_iter().find(|hit| hit.memory.id == fact);
        hit.expect("it is recalled").conflicts_with
    };
    assert_eq!((conflicts_of(""), conflicts_of("reader")), (vec![lesson], vec![]));
}
