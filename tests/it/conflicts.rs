use crate::robot::{Robot, ids, sql};
use proptest::prelude::*;
use robot_memory::api::{
    GetMemory, GetMemoryRequest, Learn, LearnRequest, LearnResponse, LearnStatus, StoredMemory,
    Update, UpdateRequest,
};
use robot_memory::model::{MemType, Source, Status, Trust};

const LEFT: &str = "prefer the left gripper for cups";
const RIGHT: &str = "prefer the right gripper for cups";

fn stored(robot: &Robot, id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() })
}

fn learn(robot: &Robot, insight: &str, with: impl FnOnce(&mut LearnRequest)) -> LearnResponse {
    let mut request = LearnRequest { insight: insight.into(), ..Default::default() };
    with(&mut request);
    robot.call::<Learn>(request)
}

fn rule(robot: &Robot, id: i64) -> Option<String> {
    sql(&robot.store_path(), &format!("SELECT superseded_rule FROM memory WHERE id = {id}"))
}

#[test]
fn of_two_preferences_the_newer_holds_and_only_it_is_recalled() {
    for (older, newer, query) in [
        (LEFT, RIGHT, "gripper for cups"),
        ("以后都用 10N 抓红杯", "以后都用 12N 抓红杯", "抓红杯"),
        ("优先用吸盘抓玻璃", "优先用夹爪抓玻璃", "抓玻璃"),
    ] {
        for robot in [Robot::new(), Robot::words_only()] {
            let first = learn(&robot, older, |_| {});
            let second = learn(&robot, newer, |_| {});
            assert_eq!(second.status, LearnStatus::Created, "{newer}");
            assert_eq!(second.superseded_ids, [first.memory_id], "{newer}");
            let was = stored(&robot, first.memory_id).memory;
            assert_eq!(was.status, Status::Superseded);
            assert_eq!(was.superseded_by, Some(second.memory_id));
            assert_eq!(rule(&robot, first.memory_id).as_deref(), Some("newest_preference"));
            assert_eq!(ids(&robot.recall(query)), [second.memory_id]);
            // And back again: what was superseded is no duplicate.
            let third = learn(&robot, older, |_| {});
            assert_eq!(third.superseded_ids, [second.memory_id]);
        }
    }
}

#[test]
fn a_repeated_call_answers_which_rows_were_superseded() {
    let robot = Robot::words_only();
    let first = learn(&robot, LEFT, |_| {});
    let again = || learn(&robot, RIGHT, |request| request.idempotency_key = "k".into());
    let answer = again();
    assert_eq!(answer.superseded_ids, [first.memory_id]);
    assert_eq!(again(), answer);
}

#[test]
fn of_two_facts_that_of_the_better_source_holds() {
    let (low, high) = ("The red cup needs 12 N", "The red cup needs 15 N");
    let real = r#"{"env": {"sim_or_real": "real"}}"#;
    for (older, newer, older_context, newer_context, wins) in [
        ("low", "high", "", "", true),
        ("medium", "medium", "", real, true),
        ("high", "high", "", "", false),
        ("high", "high", real, "", false),
        ("high", "medium", "", real, false),
        ("medium", "low", "", "", false),
    ] {
        let robot = Robot::words_only();
        let said = |insight, trust: &str, context: &str| {
            learn(&robot, insight, |request| {
                request.trust = trust.into();
                request.context = context.into();
            })
        };
        let first = said(low, older, older_context);
        let second = said(high, newer, newer_context);
        let superseded: &[i64] = if wins { &[first.memory_id] } else { &[] };
        assert_eq!(second.superseded_ids, superseded, "{older} {newer}");
        let expected = wins.then_some("better_source");
        assert_eq!(rule(&robot, first.memory_id).as_deref(), expected);
    }
}

#[test]
fn each_class_has_its_rule() {
    let versions = (
        "Gripper homing SOP v1: open, then close",
        "Gripper homing SOP v2: close, then open, then close",
    );
    for (mem_type, older, newer, expected) in [
        (MemType::Preference, LEFT, RIGHT, Some("newest_preference")),
        (MemType::Procedure, LEFT, RIGHT, Some("newest_procedure")),
        (MemType::Procedure, versions.0, versions.1, Some("newest_procedure")),
        (MemType::Knowledge, LEFT, RIGHT, Some("newest_knowledge")),
        (MemType::Knowledge, versions.0, versions.1, None),
        (MemType::Fact, LEFT, RIGHT, None),
        (MemType::Lesson, LEFT, RIGHT, None),
        (MemType::Decision, LEFT, RIGHT, None),
        (MemType::TaskLog, LEFT, RIGHT, None),
    ] {
        let robot = Robot::words_only();
        let first = learn(&robot, older, |request| request.mem_type = mem_type.to_string());
        let second = learn(&robot, newer, |request| request.mem_type = mem_type.to_string());
        assert_eq!(second.superseded_ids.len(), expected.iter().count(), "{mem_type}");
        assert_eq!(rule(&robot, first.memory_id).as_deref(), expected, "{mem_type}");
    }
}

#[test]
fn what_is_protected_or_of_another_class_or_scope_or_collection_stays() {
    type Change = fn(&mut LearnRequest);
    let cases: [(&str, bool, Change); 9] = [
        ("use the left gripper for cups", true, |_| {}),
        ("Constraint: use the left gripper for cups", false, |_| {}),
        ("Lesson: use the left gripper for cups", false, |_| {}),
        ("Gotcha: use the left gripper for cups", false, |_| {}),
        ("use the left gripper for cups", false, |older| older.mem_type = "knowledge".into()),
        ("use the left gripper for cups", false, |older| older.scope = "group:a".into()),
        ("use the left gripper for cups", false, |older| older.collection = "other".into()),
        ("use the left gripper for cups", false, |older| older.level = "core".into()),
        ("use the left gripper for plates", false, |_| {}),
    ];
    for (text, is_replaced, change) in cases {
        let robot = Robot::words_only();
        let older = learn(&robot, text, |request| {
            request.mem_type = "preference".into();
            change(request);
        });
        let newer = learn(&robot, "use the right gripper for cups", |request| {
            request.mem_type = "preference".into();
        });
        let superseded: &[i64] = if is_replaced { &[older.memory_id] } else { &[] };
        assert_eq!(newer.superseded_ids, superseded, "{text}");
    }
}

#[test]
fn a_source_of_lower_trust_supersedes_nothing() {
    let robot = Robot::words_only();
    learn(&robot, LEFT, |_| {});
    let chat = learn(&robot, RIGHT, |request| request.source = "group_chat".into());
    assert_eq!(stored(&robot, chat.memory_id).memory.trust, Trust::Low);
    assert_eq!(chat.superseded_ids, Vec::<i64>::new());
    let operator = learn(&robot, "from now on use the left gripper for cups", |_| {});
    assert_eq!(operator.superseded_ids, [chat.memory_id]);
}

#[test]
fn a_row_that_the_caller_may_not_see_is_not_superseded() {
    for (read, sees) in [("global", true), ("dm", false)] {
        let policy =
            format!("agents:\n  - names: [writer]\n    read: [{read}]\n    write: [global]\n");
        let robot = Robot::with(|config| config.access = Some(policy));
        let said = |insight| learn(&robot, insight, |request| request.agent = "writer".into());
        let first = said(LEFT);
        let superseded: &[i64] = if sees { &[first.memory_id] } else { &[] };
        assert_eq!(said(RIGHT).superseded_ids, superseded);
    }
}

#[test]
fn an_update_into_a_conflict_is_the_newer_one() {
    let robot = Robot::words_only();
    let first = learn(&robot, "prefer the left gripper for plates", |_| {}).memory_id;
    let second = learn(&robot, RIGHT, |_| {}).memory_id;
    robot.call::<Update>(UpdateRequest {
        memory_id: first,
        new_content: LEFT.into(),
        ..Default::default()
    });
    assert_eq!(stored(&robot, second).memory.superseded_by, Some(first));
}

#[test]
fn children_follow_to_what_stands_for_their_parent() {
    let robot = Robot::words_only();
    let core = |insight| learn(&robot, insight, |request| request.level = "core".into()).memory_id;
    let first = core(LEFT);
    let child =
        learn(&robot, "the cups are kept dry", |request| request.parent_id = first).memory_id;
    let second = core(RIGHT);
    assert_eq!(stored(&robot, child).memory.parent_id, Some(second));
}

#[test]
fn what_is_said_of_one_occasion_is_logged() {
    for (insight, mem_type, tag) in [
        ("this time use 10 N", MemType::TaskLog, Some("transient")),
        ("this time prefer the left gripper for cups", MemType::TaskLog, Some("transient")),
        ("这次用简约", MemType::TaskLog, Some("transient")),
        ("本次优先用吸盘抓玻璃", MemType::TaskLog, Some("transient")),
        ("以后都用简约", MemType::Preference, None),
        ("from now on use 10 N", MemType::Preference, None),
        ("写文案主题是独居上海", MemType::TaskLog, Some("task")),
        ("The task is to sort the bolts", MemType::TaskLog, Some("task")),
        ("this time the force must not exceed 10 N", MemType::Fact, None),
    ] {
        let robot = Robot::words_only();
        learn(&robot, RIGHT, |_| {});
        let answer = learn(&robot, insight, |_| {});
        assert_eq!(stored(&robot, answer.memory_id).memory.mem_type, mem_type, "{insight}");
        for each in ["transient", "task"] {
            assert_eq!(answer.tags.iter().any(|it| it == each), tag == Some(each), "{insight}");
        }
        assert_eq!(answer.superseded_ids, Vec::<i64>::new());
        let robot = Robot::words_only();
        let given = learn(&robot, insight, |request| request.mem_type = "knowledge".into());
        assert_eq!(stored(&robot, given.memory_id).memory.mem_type, MemType::Knowledge);
    }
}

#[test]
fn what_an_agent_wrote_is_nobody_elses_word() {
    let robot = Robot::words_only();
    let written = learn(&robot, "The red cup needs 12 N", |request| {
        request.agent = "planner".into();
    });
    let memory = stored(&robot, written.memory_id).memory;
    assert_eq!((memory.source, memory.trust), (Source::AgentOutput, Trust::Medium));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_rule_touches_what_stays_and_trust_never_falls_along_a_chain(
        steps in prop::collection::vec((0..6_usize, 0..8_usize, 0..3_usize, 0..4_usize), 1..24),
    ) {
        let robot = Robot::words_only();
        let texts = [
            LEFT, RIGHT, "Lesson: use the left gripper for cups", "do not use the left gripper for cups",
            "from now on use 10 N for cups", "from now on use 12 N for cups",
        ];
        let classes = [
            "", "preference", "fact", "procedure", "lesson", "decision", "task_log", "knowledge",
        ];
        let mut learned = Vec::new();
        for (text, class, trust, context) in steps {
            let answer = learn(&robot, texts[text], |request| {
                request.mem_type = classes[class].into();
                request.trust = ["low", "medium", "high"][trust].into();
                let contexts = ["", r#"{"env": {"sim_or_real": "real"}}"#, r#"{"object": "a"}"#, r#"{"object": "b"}"#];
                request.context = contexts[context].into();
            });
            prop_assert!(answer.superseded_ids.is_sorted());
            if answer.status == LearnStatus::Created {
                learned.push(answer.memory_id);
            }
        }
        for id in learned {
            let row = stored(&robot, id).memory;
            let Some(by) = row.superseded_by else { continue };
            let by = stored(&robot, by).memory;
            prop_assert!(!row.category.is_some_and(|category| category.is_protected()));
            prop_assert!(!matches!(row.mem_type, MemType::Lesson | MemType::Decision | MemType::TaskLog));
            prop_assert_eq!(row.mem_type, by.mem_type);
            prop_assert!(by.trust >= row.trust);
            prop_assert!(by.id > row.id);
        }
    }
}
