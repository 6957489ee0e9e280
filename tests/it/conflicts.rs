use crate::robot::{Robot, START, ids, sql};
use proptest::prelude::*;
use robot_memory_core::api::{
    GetMemory, GetMemoryRequest, Learn, LearnRequest, LearnResponse, LearnStatus, StoredMemory,
    Update, UpdateRequest,
};
use robot_memory_core::model::{MemType, Source, Stamp, Status, SupersededRule, Trust};
use robot_memory_engine::{BroughtOver, ForeignContent, ForeignMemory};

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

/// Stores what another program was told then.
fn bring(robot: &Robot, insight: &str, created_at: Stamp) -> i64 {
    let request = LearnRequest { insight: insight.into(), ..Default::default() };
    let said = ForeignContent::Statement(request);
    let memory = ForeignMemory { said, created_at: Some(created_at), confidence: None, told: None };
    match robot.engine.bring_over(memory).unwrap() {
        BroughtOver::Kept { memory_id, .. } | BroughtOver::Merged { memory_id, .. } => memory_id,
    }
}

#[test]
fn what_another_program_was_told_before_gives_way_to_what_was_said_since() {
    let robot = Robot::words_only();
    let newer = learn(&robot, LEFT, |_| {}).memory_id;
    let older = bring(&robot, RIGHT, START.plus_days(-90.0));
    assert_eq!(stored(&robot, newer).memory.status, Status::Active);
    let was = stored(&robot, older).memory;
    assert_eq!((was.status, was.superseded_by), (Status::Superseded, Some(newer)));
    // And stands for what was said before it.
    robot.sleep_days(30.0);
    let since = bring(&robot, RIGHT, START.plus_days(10.0));
    assert_eq!(stored(&robot, newer).memory.superseded_by, Some(since));
    assert_eq!(ids(&robot.recall("gripper for cups")), [since]);
}

#[test]
fn what_another_program_was_told_before_makes_nothing_older() {
    let robot = Robot::words_only();
    let id = learn(&robot, LEFT, |_| {}).memory_id;
    let said_at = || -> Option<i64> {
        sql(&robot.store_path(), &format!("SELECT said_at FROM memory WHERE id = {id}"))
    };
    let before = said_at();
    assert_eq!(bring(&robot, LEFT, START.plus_days(-90.0)), id);
    assert_eq!(said_at(), before);
    robot.sleep_days(30.0);
    assert_eq!(bring(&robot, LEFT, START.plus_days(10.0)), id);
    assert_ne!(said_at(), before);
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
fn what_others_say_of_themselves_is_nobodys_preference_or_fact() {
    for (insight, of_group, of_operator, category) in [
        ("I like the spicy noodles", MemType::TaskLog, MemType::Preference, "observation"),
        ("We prefer the left gripper", MemType::TaskLog, MemType::Preference, "observation"),
        ("My desk is in room 4", MemType::TaskLog, MemType::Fact, "code"),
        ("我喜欢辣的面条", MemType::TaskLog, MemType::Preference, "observation"),
        ("我们的厨房在三楼", MemType::TaskLog, MemType::Fact, "code"),
        ("The mug needs 9 N", MemType::Fact, MemType::Fact, "code"),
        ("厨房在三楼", MemType::Fact, MemType::Fact, "code"),
        (
            "We must never grip the glass with more than 15 N",
            MemType::Fact,
            MemType::Fact,
            "constraint",
        ),
    ] {
        for (source, mem_type) in [
            ("group_chat", of_group),
            ("web_scrape", of_group),
            ("operator", of_operator),
            ("user_direct", of_operator),
        ] {
            let robot = Robot::words_only();
            let answer = learn(&robot, insight, |request| request.source = source.into());
            let memory = stored(&robot, answer.memory_id).memory;
            assert_eq!(memory.mem_type, mem_type, "{insight}, {source}");
            let is_hearsay = mem_type == MemType::TaskLog;
            assert_eq!(
                answer.tags.contains(&"hearsay".to_owned()),
                is_hearsay,
                "{insight}, {source}"
            );
            if is_hearsay {
                assert_eq!(memory.category.map(|it| it.as_str()), Some(category), "{insight}");
                assert_eq!(memory.trust, Trust::Low);
            }
        }
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
            let there = stored(&robot, id);
            let (row, rule) = (there.memory, there.superseded_rule);
            let Some(by) = row.superseded_by else { continue };
            let by = stored(&robot, by).memory;
            prop_assert!(!row.category.is_some_and(|category| category.is_protected()));
            prop_assert!(!matches!(row.mem_type, MemType::Lesson | MemType::Decision | MemType::TaskLog));
            // What says that it holds from now on stands for what is of another class, too.
            let is_by_instruction = rule == Some(SupersededRule::NewestInstruction);
            prop_assert!(row.mem_type == by.mem_type || is_by_instruction);
            prop_assert!(by.trust >= row.trust);
            prop_assert!(by.id > row.id);
        }
    }
}

/// The status of the first memory, and with which others the second is told to be in conflict, when the two
/// are learned one after the other.
fn settled(older: &str, newer: &str, with: impl Fn(&mut LearnRequest)) -> (Vec<i64>, Vec<i64>) {
    let robot = Robot::words_only();
    let first = learn(&robot, older, &with);
    assert_eq!(first.status, LearnStatus::Created, "{older}");
    let second = learn(&robot, newer, |_| {});
    assert_eq!(second.status, LearnStatus::Created, "{newer}");
    assert!(second.superseded_ids.is_empty() || second.superseded_ids == [first.memory_id]);
    let found = robot.recall(newer);
    let of_newer = found.memories.iter().find(|hit| hit.memory.id == second.memory_id);
    (second.superseded_ids, of_newer.expect("it is recalled").conflicts_with.clone())
}

#[test]
fn what_says_that_it_holds_from_now_on_replaces_the_older_of_any_class() {
    let cases = [
        ("Use 12 N for the blue cup", "From now on use 8 N for the blue cup"),
        ("Use 12 N for the blue cup", "Going forward use 8 N for the blue cup"),
        ("Use 12 N for the blue cup", "Use 8 N instead of 12 N for the blue cup"),
        ("蓝杯子用12牛抓", "以后蓝杯子都用8牛抓"),
        ("蓝杯子用12牛抓", "从今天起蓝杯子用8牛抓"),
        ("蓝杯子用12牛抓", "蓝杯子改用8牛抓"),
    ];
    for (older, newer) in cases {
        for class in ["fact", "preference", "knowledge", "procedure"] {
            let (superseded, _) = settled(older, newer, |request| request.mem_type = class.into());
            assert_eq!(superseded.len(), 1, "{class}: {older} / {newer}");
        }
        let kept: [fn(&mut LearnRequest); 4] = [
            |request| request.mem_type = "lesson".into(),
            |request| request.mem_type = "decision".into(),
            |request| request.level = "core".into(),
            |request| request.collection = "other".into(),
        ];
        for keep in kept {
            assert_eq!(settled(older, newer, keep).0, [] as [i64; 0], "{older} / {newer}");
        }
    }
}

#[test]
fn what_does_not_say_so_stands_beside_the_older_and_is_told_first() {
    let robot = Robot::words_only();
    let first = learn(&robot, "Use 12 N for the blue cup", |request| {
        request.mem_type = "preference".into();
    });
    let second = learn(&robot, "Use 10 N for the blue cup", |_| {});
    assert_eq!(second.superseded_ids, [] as [i64; 0]);
    for query in ["blue cup", "how many N for the blue cup", "Use 12 N for the blue cup"] {
        let found = robot.recall(query);
        assert_eq!(ids(&found)[..2], [second.memory_id, first.memory_id], "{query}");
        assert_eq!(found.memories[0].conflicts_with, [first.memory_id]);
    }
    let third = learn(&robot, "From now on use 8 N for the blue cup", |_| {});
    assert_eq!(third.superseded_ids, [first.memory_id, second.memory_id]);
    // The first is of its class, the second is not.
    assert_eq!(rule(&robot, first.memory_id).as_deref(), Some("newest_preference"));
    assert_eq!(rule(&robot, second.memory_id).as_deref(), Some("newest_instruction"));
    assert_eq!(ids(&robot.recall("blue cup")), [third.memory_id]);
}

#[test]
fn less_trust_and_protection_are_not_overruled_by_an_instruction() {
    let newer = "From now on use 8 N for the blue cup";
    for (older, trust) in [
        ("Use 12 N for the blue cup", "low"),
        ("Constraint: use 12 N for the blue cup", "high"),
        ("Lesson: use 12 N for the blue cup", "high"),
    ] {
        let robot = Robot::words_only();
        learn(&robot, older, |_| {});
        let second = learn(&robot, newer, |request| request.trust = trust.into());
        assert_eq!(second.superseded_ids, [] as [i64; 0], "{older}");
    }
}

#[test]
fn a_later_version_of_a_procedure_replaces_the_former() {
    for (older, newer) in [
        ("回零SOP第一版：先松夹爪，再回零", "回零SOP第二版：先回零，再松夹爪，再回零"),
        ("回零SOP第1版：先松夹爪，再回零", "回零SOP第2版：先回零，再松夹爪，再回零"),
        ("回零SOP第一版先松夹爪再回零", "回零SOP第二版先抬高再松夹爪最后回零"),
        (
            "Homing SOP version 1: open, then home",
            "Homing SOP version 2: home, then open, then home",
        ),
        ("Homing SOP rev A: open, then home", "Homing SOP rev B: home, then open, then home"),
    ] {
        let robot = Robot::words_only();
        let procedure = |request: &mut LearnRequest| request.mem_type = "procedure".into();
        let first = learn(&robot, older, procedure);
        let second = learn(&robot, newer, procedure);
        assert_eq!(second.superseded_ids, [first.memory_id], "{newer}");
    }
}
