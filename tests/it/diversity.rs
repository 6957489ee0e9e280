//! Of hits that say nearly the same one is shown, and what differs is not hidden.

use crate::robot::{Robot, ids};
use crate::scope_work::do_jobs;
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, Hit, Learn, LearnRequest, Recall, RecallRequest, RecallResponse,
    SavePerception, SavePerceptionRequest,
};
use robot_memory_core::model::Kind;

/// In another scope than the first a statement is learned again: in one scope it would be merged.
const CELL: &str = "group:cell";

/// Two who see what all see, and each its own.
const POLICY: &str = r#"
agents:
  - {names: [picker], read: [global, "agent:picker"]}
  - {names: [driver], read: [global, "agent:driver"]}
default:
  read: [global]
"#;

fn ask(robot: &Robot, query: &str, n: u32) -> RecallResponse {
    robot.call::<Recall>(RecallRequest { query: query.into(), n, ..Default::default() })
}

fn learn_in_scope(robot: &Robot, scope: &str, insight: &str) -> i64 {
    robot
        .call::<Learn>(LearnRequest {
            insight: insight.into(),
            scope: scope.into(),
            ..Default::default()
        })
        .memory_id
}

/// What is answered to a query by who is in the cell.
fn ask_in_cell(robot: &Robot, query: &str) -> Vec<Hit> {
    let request =
        RecallRequest { query: query.into(), scope: CELL.into(), n: 10, ..Default::default() };
    robot.call::<Recall>(request).memories
}

/// What is answered to a query in the branch of a session with these steps, best first.
fn answered(turns: &[&str], query: &str, n: u32) -> Vec<Hit> {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    let session_id = robot.start_session();
    for (turn_no, text) in (1..).zip(turns) {
        robot.call::<CommitTurn>(CommitTurnRequest {
            session_id: session_id.clone(),
            turn_no,
            text: (*text).into(),
            ..Default::default()
        });
        do_jobs(&robot);
    }
    let request = RecallRequest {
        query: query.into(),
        scope: format!("branch:{session_id}/main"),
        n,
        ..Default::default()
    };
    robot.call::<Recall>(request).memories
}

#[test]
fn a_fact_stands_for_its_own_summary() {
    for (text, query) in
        [("The spoon is on shelf B2.", "where is the spoon"), ("勺子在二号架上。", "勺子在哪里")]
    {
        for n in [1, 5] {
            let found = answered(&[text], query, n);
            let kinds: Vec<Kind> = found.iter().map(|hit| hit.memory.kind).collect();
            assert_eq!(kinds, [Kind::Fact], "{text}, {n}: {found:?}");
            assert_eq!(found[0].similar_count, 1, "{text}, {n}");
            assert_eq!(found[0].score, 1.0, "{text}, {n}");
        }
    }
    // The facts of a step that say its summary together stand in its place.
    let step = "The spoon is on shelf B2. The fork is in drawer 3.";
    for n in [1, 2, 5] {
        let found = answered(&[step], "where are the spoon and the fork", n);
        assert_eq!(found.len(), 2.min(n as usize), "{n}: {found:?}");
        assert!(found.iter().all(|hit| hit.memory.kind == Kind::Fact), "{n}: {found:?}");
        assert_eq!((found[0].similar_count, found[0].score), (1, 1.0), "{n}: {found:?}");
    }
    // Of two steps each is answered, and each once.
    let steps = ["The spoon is on shelf B2.", "The spoon is made of steel."];
    let found = answered(&steps, "the spoon", 5);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|hit| hit.memory.kind == Kind::Fact), "{found:?}");
}

#[test]
fn what_is_there_often_is_shown_once_and_others_fill_its_place() {
    let robot = Robot::new();
    let worn: Vec<i64> = (0..7)
        .map(|number| {
            robot.sleep_days(0.1);
            robot.perceive(
                if number % 2 == 0 { "The left pad is worn" } else { "the left pad is worn." },
                "",
            )
        })
        .collect();
    let others = [
        robot.perceive("The right pad is worn", ""),
        robot.perceive("The left pad is not worn", ""),
        robot.perceive("The left pad was glued", ""),
    ];
    let found = ask(&robot, "is the left pad worn", 3);
    let shown = ids(&found);
    assert_eq!(shown.len(), 3, "{found:?}");
    // The newest stands for all.
    assert_eq!(shown.iter().filter(|id| worn.contains(id)).collect::<Vec<_>>(), [&worn[6]]);
    let of_worn = found.memories.iter().find(|hit| hit.memory.id == worn[6]).expect("it is shown");
    assert_eq!(of_worn.similar_count, 6);
    assert!(shown.contains(&others[1]), "what denies it is shown: {found:?}");
    let others_counts = found.memories.iter().filter(|hit| hit.memory.id != worn[6]);
    assert!(others_counts.into_iter().all(|hit| hit.similar_count == 0), "{found:?}");
    // All match, whether they are shown or not.
    assert_eq!(found.total, 10);
    let everything = |request: RecallRequest| {
        let query = "is the left pad worn".to_owned();
        let found = robot.call::<Recall>(RecallRequest { query, n: 10, ..request });
        assert_eq!((found.total, found.memories.len()), (10, 10), "{found:?}");
        assert!(found.memories.iter().all(|hit| hit.similar_count == 0), "{found:?}");
    };
    everything(RecallRequest { diversity: false, ..Default::default() });
    everything(RecallRequest { ranking: "rrf".into(), ..Default::default() });
    everything(RecallRequest { order: "newest".into(), ..Default::default() });
    // With places for all of them there are four that say something else.
    assert_eq!(ask(&robot, "is the left pad worn", 10).memories.len(), 4);
}

#[test]
fn nothing_that_was_counted_or_dated_is_hidden() {
    let robot = Robot::new();
    for _ in 0..4 {
        robot.sleep_days(0.5);
        robot.perceive("The drawer of the lathe was jammed", "");
        robot.perceive("车床的抽屉卡住了", "");
    }
    for (query, expected) in [
        ("how often was the drawer of the lathe jammed", 4),
        ("how many times did the drawer jam", 4),
        ("how many jams did the drawer of the lathe have", 4),
        ("when was the drawer of the lathe jammed", 4),
        ("what day was the drawer of the lathe jammed", 4),
        ("is the drawer of the lathe jammed", 1),
        ("车床的抽屉卡住了几次", 4),
        ("车床的抽屉什么时候卡住的", 4),
        ("车床的抽屉卡住了吗", 1),
    ] {
        let found = ask(&robot, query, 20);
        let is_asked = |hit: &&Hit| hit.memory.content.is_ascii() == query.is_ascii();
        let shown: Vec<&Hit> = found.memories.iter().filter(is_asked).collect();
        assert_eq!(shown.len(), expected, "{query}: {found:?}");
        let hidden: u32 = shown.iter().map(|hit| hit.similar_count).sum();
        assert_eq!(hidden as usize + shown.len(), 4, "{query}: {found:?}");
    }
}

/// Events as they are stored: what they say is the same, their contexts tell them apart.
#[test]
fn events_are_one_only_when_one_flickers() {
    let event = |robot: &Robot, session_id: &str, context: &str| {
        robot
            .call::<SavePerception>(SavePerceptionRequest {
                description: "Slip of the gripper at the conveyor".into(),
                context: context.into(),
                session_id: session_id.into(),
                ..Default::default()
            })
            .memory_id
    };
    let slip = r#"{"event": {"trigger": "slip", "stream": "gripper"}}"#;
    let robot = Robot::new();
    let (one, other) = (robot.start_session(), robot.start_session());
    let secs = |secs: f64| robot.sleep_days(secs / 86_400.0);
    event(&robot, &one, slip);
    secs(20.0);
    event(&robot, &one, slip);
    // Later it slipped again, and in another session, and elsewhere.
    secs(300.0);
    event(&robot, &one, slip);
    event(&robot, &other, slip);
    event(&robot, "", slip);
    event(&robot, "", slip);
    secs(300.0);
    event(
        &robot,
        &one,
        r#"{"event": {"trigger": "slip"}, "spatial": {"position": [1.0, 2.0, 0.0]}}"#,
    );
    let place = r#"{"event": {"trigger": "slip"}, "spatial": {"position": [9.0, 2.0, 0.0]}}"#;
    event(&robot, &one, place);
    let found = ask(&robot, "conveyor gripper trouble", 20);
    let counts: Vec<u32> = found.memories.iter().map(|hit| hit.similar_count).collect();
    assert_eq!(counts.iter().sum::<u32>() as usize + counts.len(), 8, "{found:?}");
    let without_place: Vec<&Hit> =
        found.memories.iter().filter(|hit| !hit.memory.context.contains("spatial")).collect();
    // Of five times one flickered; those without a session are never one.
    assert_eq!(without_place.len(), 5, "{found:?}");
    // When they are asked for, all are shown.
    for query in ["when did the gripper slip", "how often did the gripper slip", "夹爪什么时候滑了"]
    {
        assert_eq!(ask(&robot, query, 20).memories.len(), 8, "{query}");
    }
}

#[test]
fn what_differs_by_a_word_that_counts_is_not_hidden() {
    let apart = [
        ("The limit of the left gripper is 11 N", "The limit of the left gripper is 12 N"),
        ("Grip the glass with 11 N", "Grip the glass with 11 mN"),
        (
            "The valve for gas is on the left of the sink",
            "The valve for gas is on the right of the sink",
        ),
        ("The lab door is locked at night", "The lab door is not locked at night"),
        (
            "The mug stands on the upper shelf in the kitchen",
            "The glass stands on the upper shelf in the kitchen",
        ),
        ("Bolt M8x30 holds the cover of the pump", "Bolt M8x40 holds the cover of the pump"),
        ("Bin K4 holds the washers for the pump", "Bin K5 holds the washers for the pump"),
        ("Arm one reaches the shelf over the bench", "Arm two reaches the shelf over the bench"),
        ("Contact with the table at 10:31", "Contact with the table at 10:47"),
        ("The human follows the robot to the dock", "The robot follows the human to the dock"),
        ("The gripper slips on the wet glass", "The gripper slipped on the wet glass"),
        ("Lena wants the tray on the bench", "Marco wants the tray on the bench"),
        ("Open the valve before the pump starts", "Open the valve after the pump starts"),
        ("左边的夹爪最多十一牛", "左边的夹爪最多十二牛"),
        ("燃气阀在水槽左边", "燃气阀在水槽右边"),
        ("实验室的门晚上锁着", "实验室的门晚上没锁着"),
        ("马克杯在厨房的架子上", "玻璃杯在厨房的架子上"),
        ("一号产线今天停了", "二号产线今天停了"),
    ];
    let mut wrong = Vec::new();
    for (one, other) in apart {
        let robot = Robot::new();
        learn_in_scope(&robot, "", one);
        learn_in_scope(&robot, CELL, other);
        for query in [one, other] {
            let found = ask_in_cell(&robot, query);
            if found.len() != 2 {
                wrong.push(format!("{query}: {:?}", found[0].memory.content));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_differs_by_nothing_that_counts_is_shown_once() {
    let same = [
        ("The pliers are in drawer 2.", "the pliers are in drawer 2"),
        (
            "The pliers are in the second drawer of the bench",
            "Pliers are in the second drawer of the bench",
        ),
        ("Grip the egg with 5 N", "Grip the egg with 5N"),
        ("The hex key is on the bench by the door", "The Allen key is on the bench by the door"),
        ("钳子在二号抽屉里", "钳子在2号抽屉里。"),
    ];
    let mut wrong = Vec::new();
    for (one, other) in same {
        let robot = Robot::new();
        learn_in_scope(&robot, "", one);
        robot.sleep_days(1.0);
        let newer = learn_in_scope(&robot, CELL, other);
        for query in [one, other] {
            let found = ask_in_cell(&robot, query);
            let shown: Vec<(i64, u32)> =
                found.iter().map(|hit| (hit.memory.id, hit.similar_count)).collect();
            if shown != [(newer, 1)] {
                wrong.push(format!("{query}: {shown:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_what_the_caller_sees_is_counted_and_stands_for_others() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    robot.plug_in_embedder();
    let text = "The spare fuse is behind the panel";
    let own = learn_in_scope(&robot, "agent:picker", text);
    robot.sleep_days(1.0);
    let of_another = learn_in_scope(&robot, "agent:driver", text);
    let asked = |agent: &str, scope: &str| {
        let request = RecallRequest {
            query: "where is the spare fuse".into(),
            agent: agent.into(),
            scope: scope.into(),
            ..Default::default()
        };
        let found = robot.call::<Recall>(request).memories;
        found.iter().map(|hit| (hit.memory.id, hit.similar_count)).collect::<Vec<_>>()
    };
    assert_eq!(asked("picker", "agent:picker"), [(own, 0)]);
    assert_eq!(asked("driver", "agent:driver"), [(of_another, 0)]);
    // The operator sees both. They are told by two, each of its own.
    assert_eq!(asked("", "all").len(), 2);
    // What all are told is the same for each.
    let shared = learn_in_scope(&robot, "global", text);
    assert_eq!(asked("picker", "agent:picker"), [(shared, 1)]);
}

#[test]
fn contexts_tell_two_times_apart() {
    let robot = Robot::new();
    let text = "Inserting the dowel was tried with the spiral search";
    for context in [
        r#"{"task": {"name": "insert", "success": true}}"#,
        r#"{"task": {"name": "insert", "success": false}}"#,
        r#"{"task": {"name": "insert", "success": true}, "params": {"force_n": 7}}"#,
        r#"{"task": {"name": "insert", "success": true}, "params": {"force_n": 20}}"#,
        r#"{"task": {"name": "insert", "success": true}, "params": {"force_n": 20}}"#,
    ] {
        robot.perceive(text, context);
    }
    let found = ask(&robot, "spiral search of the dowel", 10);
    let failed = |hit: &&Hit| hit.memory.context.contains("false");
    let with = |force: i64| {
        let has = |hit: &&Hit| {
            let context: serde_json::Value =
                serde_json::from_str(&hit.memory.context).expect("JSON");
            context.pointer("/params/force_n").and_then(serde_json::Value::as_i64) == Some(force)
        };
        found.memories.iter().filter(has).count()
    };
    assert_eq!(found.memories.iter().filter(failed).count(), 1, "{found:?}");
    assert_eq!((with(7), with(20)), (1, 1), "{found:?}");
}
