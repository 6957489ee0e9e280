use crate::robot::{Robot, START, sql};
use robot_memory_core::api::{ErrorKind, Learn, LearnRequest, LearnStatus, Recall, RecallRequest};
use robot_memory_core::model::{Category, Level, MemType, Source, Trust};

fn request(insight: &str) -> LearnRequest {
    LearnRequest { insight: insight.into(), ..Default::default() }
}

#[test]
fn a_statement_is_created_with_what_was_inferred() {
    let robot = Robot::new();
    let response = robot.learn("Found that the red cup needs more force");
    assert_eq!(response.status, LearnStatus::Created);
    assert!(response.memory_id > 0);
    assert_eq!(response.existing_id, 0);
    assert_eq!(response.category, Category::Observation);
    assert_eq!(response.tags, ["observation"]);
    assert!((response.confidence - 0.80).abs() < 1e-9);
    assert!(response.has_embedding);

    let hit = &robot.recall("red cup").memories[0];
    assert_eq!(hit.memory.id, response.memory_id);
    assert_eq!(hit.memory.level, Level::Knowledge);
    assert_eq!(hit.memory.mem_type, MemType::Fact);
    assert_eq!((hit.memory.source, hit.memory.trust), (Source::Operator, Trust::High));
    assert_eq!(hit.memory.created_at, START);
    assert_eq!(hit.memory.importance, 0.5);
}

#[test]
fn category_examples_classify_as_their_row_says_in_both_languages() {
    let rows = [
        (Category::Constraint, "抓取力不得超过 15N", "The grip force must never exceed 15 N"),
        (Category::Preference, "优先从左侧接近", "Prefer approaching from the left over the right"),
        (
            Category::Worldview,
            "ONNX 对小模型比 Ollama 更快",
            "ONNX is faster than Ollama for small models",
        ),
        (
            Category::Tradeoff,
            "速度与精度:实时场景使用 10Hz",
            "Speed and accuracy tradeoff: use 10 Hz in real-time scenes",
        ),
        (Category::RootCause, "故障由传感器漂移引起", "The fault was caused by sensor drift"),
        (
            Category::Decision,
            "为了简化选择 PID 而非 MPC",
            "Chose PID instead of MPC for simplicity",
        ),
        (
            Category::Pattern,
            "每当湿度 > 80%,抓取就会失败",
            "Every time humidity is above 80 %, grasping fails",
        ),
        (
            Category::Postmortem,
            "教训:新会话前务必先校准",
            "Lesson: always calibrate before a new session",
        ),
        (
            Category::Gotcha,
            "陷阱:仿真中未检查关节限位",
            "Gotcha: joint limits are never checked in simulation",
        ),
        (
            Category::Observation,
            "发现红色杯子需要更大的力",
            "Found that the red cup needs more force",
        ),
        (Category::Code, "夹爪串口波特率 115200", "grip_force=12.5N for cylindrical objects"),
    ];
    let robot = Robot::words_only();
    for (category, chinese, english) in rows {
        assert_eq!(robot.learn(chinese).category, category, "{chinese}");
        assert_eq!(robot.learn(english).category, category, "{english}");
    }
}

#[test]
fn confidence_rises_with_evidence_up_to_its_bound() {
    let robot = Robot::words_only();
    let cases = [
        ("Cup weight is small", "", 0.80),
        ("Grip limits are in config/grip.yaml", "", 0.85),
        ("Call `open_gripper()` first", "", 0.85),
        ("It slipped because the cup was wet", "", 0.85),
        ("Cup weight is tiny", r#"{"params": {"grip_force": {"value": 12.5}}}"#, 0.85),
        (
            "It failed because `close()` in src/grip.rs ran twice",
            r#"{"params": {"grip_force": {"value": 12.5}}}"#,
            0.95,
        ),
    ];
    for (insight, context, expected) in cases {
        let request = LearnRequest { context: context.into(), ..request(insight) };
        let confidence = robot.call::<Learn>(request).confidence;
        assert!((confidence - expected).abs() < 1e-9, "{insight}: {confidence}");
    }
}

#[test]
fn a_long_statement_is_cut_between_words_and_says_so() {
    let robot = Robot::new();
    let long = "The gripper holds cup number 12345 well. ".repeat(10);
    let response = robot.learn(&long);
    assert!(response.truncated);
    let content = &robot.recall("gripper cup").memories[0].memory.content;
    assert!(content.chars().count() <= 300);
    assert!(long.starts_with(content.as_str()));
    let next = long[content.len()..].chars().next();
    assert_eq!(next, Some(' '), "the cut is not inside a word: {content:?}");
    assert!(!robot.learn("A short one").truncated);
}

#[test]
fn the_summary_is_the_first_200_characters() {
    let robot = Robot::new();
    let insight = "红".repeat(250);
    robot.learn(&insight);
    let memory = &robot.recall("红").memories[0].memory;
    assert_eq!(memory.content.chars().count(), 250);
    assert_eq!(memory.human_summary, "红".repeat(200));
}

#[test]
fn bad_requests_name_the_field_and_change_nothing() {
    let robot = Robot::new();
    let session = robot.start_session();
    let long_name = "n".repeat(257);
    let cases: Vec<(LearnRequest, ErrorKind, &str)> = vec![
        (request(""), ErrorKind::InvalidArgument, "insight"),
        (request(" \n\t "), ErrorKind::InvalidArgument, "insight"),
        (request("a\0b"), ErrorKind::InvalidArgument, "insight"),
        (request(&"x".repeat(70_000)), ErrorKind::InvalidArgument, "insight"),
        (
            LearnRequest { context: "[1]".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { context: "{".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { context: r#"{"a": NaN}"#.into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { context: r#"{"a": 1e999}"#.into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { context: "[".repeat(100_000), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { context: "[".repeat(1_000), ..request("x") },
            ErrorKind::InvalidArgument,
            "context",
        ),
        (
            LearnRequest { collection: "*".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "collection",
        ),
        (
            LearnRequest { collection: long_name.clone(), ..request("x") },
            ErrorKind::InvalidArgument,
            "collection",
        ),
        (
            LearnRequest { agent: "a\nb".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "agent",
        ),
        (
            LearnRequest { level: "deep".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "level",
        ),
        (
            LearnRequest { level: "working".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "level",
        ),
        (
            LearnRequest { scope: "cross:cell-1".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "scope",
        ),
        (
            LearnRequest { source: "rumor".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "source",
        ),
        (
            LearnRequest { trust: "total".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "trust",
        ),
        (
            LearnRequest { mem_type: "poem".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "mem_type",
        ),
        (
            LearnRequest { importance: Some(1.5), ..request("x") },
            ErrorKind::InvalidArgument,
            "importance",
        ),
        (
            LearnRequest { importance: Some(f64::NAN), ..request("x") },
            ErrorKind::InvalidArgument,
            "importance",
        ),
        (
            LearnRequest { importance: Some(f64::INFINITY), ..request("x") },
            ErrorKind::InvalidArgument,
            "importance",
        ),
        (
            LearnRequest { turn_id: "3".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "turn_id",
        ),
        (
            LearnRequest { session_id: "none such".into(), ..request("x") },
            ErrorKind::InvalidState,
            "session_id",
        ),
        (
            LearnRequest { session_id: session, collection: "other".into(), ..request("x") },
            ErrorKind::InvalidArgument,
            "session_id",
        ),
    ];
    for (request, kind, field) in cases {
        let shown = format!("{request:?}").chars().take(200).collect::<String>();
        let (found, message) = robot.refused::<Learn>(request);
        assert_eq!(found, kind, "{shown}: {message}");
        assert!(message.starts_with(field), "{shown}: {message}");
    }
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), 0);
}

#[test]
fn the_operator_is_refused_when_an_agent_is_required() {
    let robot = Robot::with(|config| config.require_agent = true);
    let (kind, message) = robot.refused::<Learn>(request("x"));
    assert_eq!(kind, ErrorKind::Forbidden, "{message}");
    let response =
        robot.call::<Learn>(LearnRequest { agent: "planner".into(), ..request("x is 3 m") });
    assert_eq!(response.status, LearnStatus::Created);
}

#[test]
fn a_memory_of_a_session_takes_its_collection() {
    let robot = Robot::new();
    let session = robot
        .call::<robot_memory_core::api::StartSession>(robot_memory_core::api::StartSessionRequest {
            collection: "kitchen".into(),
            ..Default::default()
        })
        .session_id;
    robot.learn_in(&session, "The kettle is on the left shelf");
    let response = robot.call::<Recall>(RecallRequest {
        query: "kettle".into(),
        collection: "kitchen".into(),
        ..Default::default()
    });
    assert_eq!(response.memories[0].memory.session_id, session);
    assert_eq!(response.memories[0].memory.collection, "kitchen");
}

#[test]
fn rows_that_do_not_say_are_marked_as_simulated_when_the_robot_is() {
    let robot = Robot::with(|config| config.sim_or_real = "sim".into());
    robot.learn_with("The red cup is light", "");
    robot.learn_with("The blue bowl is heavy", r#"{"env": {"sim_or_real": "real"}}"#);
    let context = |query: &str| {
        let text = robot.recall(query).memories[0].memory.context.clone();
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    assert_eq!(context("red cup light")["env"]["sim_or_real"], "sim");
    assert_eq!(context("blue bowl heavy")["env"]["sim_or_real"], "real");
}

#[test]
fn nothing_is_learned_before_the_time_is_known() {
    let robot = Robot::new();
    robot.clock.set(robot_memory_core::model::Stamp(0));
    let (kind, message) = robot.refused::<Learn>(request("the cup is red"));
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(message.contains("/clock"), "{message}");
}
