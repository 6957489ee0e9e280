use super::*;
use proptest::prelude::*;
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use serde_json::json;

/// The facts of a text as `kind: text`.
fn facts_of(text: &str) -> Vec<String> {
    facts_with(text, None)
}

fn facts_with(text: &str, data: Option<Value>) -> Vec<String> {
    let facts = turn_facts(text, data.as_ref());
    facts.iter().map(|fact| format!("{}: {}", fact.kind, fact.text)).collect()
}

#[test]
fn statements_of_each_kind_are_taken() {
    let cases: &[(&str, &[&str])] = &[
        ("The grasp succeeded.", &["outcome: The grasp succeeded"]),
        ("插入失败。", &["outcome: 插入失败"]),
        ("Held at 12 N.", &["parameter: Held at 12 N"]),
        ("速度 0.1 m/s。", &["parameter: 速度 0.1 m/s"]),
        ("The M8 bolt weighs 12 g.", &["object: The M8 bolt weighs 12 g"]),
        ("红色杯子是塑料的。", &["object: 红色杯子是塑料的"]),
        ("The tray is on shelf B2.", &["place: The tray is on shelf B2"]),
        ("杯子在桌子左边。", &["place: 杯子在桌子左边"]),
        (
            "The cup slipped because the pad was oily.",
            &["cause: The cup slipped because the pad was oily"],
        ),
        ("因为垫子有油，所以杯子滑落了。", &["cause: 因为垫子有油，所以杯子滑落了"]),
        ("From now on clean the pad first.", &["rule: From now on clean the pad first"]),
        (
            "Never push the pin with more than 25 N",
            &["rule: Never push the pin with more than 25 N"],
        ),
        ("以后都用吸盘抓玻璃。", &["rule: 以后都用吸盘抓玻璃"]),
        ("螺丝必须对角拧紧。", &["rule: 螺丝必须对角拧紧"]),
    ];
    for (text, expected) in cases {
        assert_eq!(&facts_of(text), expected, "{text}");
    }
}

#[test]
fn what_is_no_fact_is_left_out() {
    let cases = [
        "Next I will wipe the pads.",
        "接下来尝试抓M6螺母。",
        "Should I lower the speed to 0.1 m/s?",
        "要不要把旧吸盘扔掉？",
        "Could you file down the edge of the bracket",
        "请把托盘拿走。",
        "I wish the bins were labelled.",
        "希望下次能更快一点。",
        "Okay, done, let me see.",
        "好的，完成了。",
        "Maybe the fixture has moved.",
        "可能孔的公差也不对。",
        "I think the pad was oily, or it seems so.",
        "The operator said nothing.",
        "Task: sort 20 bolts by length.",
        "待办：检查泡沫托盘",
        "It slipped.",
        "Tried to pick the cable.",
        "",
    ];
    for text in cases {
        assert_eq!(facts_of(text), [""; 0], "{text}");
    }
}

#[test]
fn clauses_that_stand_alone_are_told_alone() {
    let cases: &[(&str, &[&str])] = &[
        (
            "Picked the M8 bolt at 12 N, but it slipped because of oil",
            &["outcome: Picked the M8 bolt at 12 N", "cause: the M8 bolt slipped because of oil"],
        ),
        (
            "The hole was tight, so the pin jammed.",
            &["cause: The hole was tight, so the pin jammed"],
        ),
        ("The grasp succeeded, next I will place the cup.", &["outcome: The grasp succeeded"]),
        ("The cup slipped, maybe because of oil.", &["outcome: The cup slipped"]),
        ("抓取成功，接下来放到托盘上。", &["outcome: 抓取成功"]),
        (
            "红色杯子是塑料的，在桌子左边。",
            &["object: 红色杯子是塑料的", "place: 红色杯子在桌子左边"],
        ),
        ("If the cup is wet, never lift it.", &["rule: If the cup is wet, never lift it"]),
        ("This time use 10 N.", &["parameter: This time used 10 N"]),
    ];
    for (text, expected) in cases {
        assert_eq!(&facts_of(text), expected, "{text}");
    }
}

#[test]
fn what_it_stands_for_is_named() {
    let cases: &[(&str, &[&str])] = &[
        (
            "Picked the M8 bolt. It slipped because of oil.",
            &["outcome: Picked the M8 bolt", "cause: the M8 bolt slipped because of oil"],
        ),
        (
            "抓取了M8螺栓。它因为有油滑落了。",
            &["outcome: 抓取了M8螺栓", "cause: M8螺栓因为有油滑落了"],
        ),
        // Two things may be meant: the sentence before goes with it.
        (
            "The gripper held the bolt. It slipped because of oil.",
            &[
                "outcome: The gripper held the bolt",
                "cause: The gripper held the bolt. It slipped because of oil",
            ],
        ),
        (
            "Picked the vial. Grip force was 3 N.",
            &["outcome: Picked the vial", "parameter: the vial: Grip force was 3 N"],
        ),
        (
            "The camera lost the box. The reason was glare.",
            &[
                "outcome: The camera lost the box",
                "cause: The camera lost the box. The reason was glare",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(&facts_of(text), expected, "{text}");
    }
    let data = json!({"object": "vial", "skill": "grasp"});
    assert_eq!(
        facts_with("It slipped because of oil.", Some(data)),
        ["cause: vial: It slipped because of oil"]
    );
}

#[test]
fn data_is_told_as_statements() {
    let cases: &[(Value, &[&str])] = &[
        (
            json!({"skill": "grasp", "object": "M8 bolt", "parameters": {"force_n": 12.0, "speed_mps": 0.1},
                   "result": {"success": true, "duration_s": 3.2}}),
            &[
                "outcome: grasp of M8 bolt succeeded",
                "parameter: grasp of M8 bolt: force 12 N, speed 0.1 m/s, duration 3.2 s",
            ],
        ),
        (
            json!({"action": "pick", "target": {"name": "cup", "id": 4}, "status": "aborted", "error": "no grasp pose"}),
            &["cause: pick of cup failed: no grasp pose"],
        ),
        (
            json!({"技能": "抓取", "对象": "杯子", "结果": "成功", "参数": {"力": {"value": 6, "unit": "N"}}}),
            &["outcome: 抓取杯子成功", "parameter: 抓取杯子：力 6 N"],
        ),
        (
            json!({"steps": [{"skill": "open", "object": "drawer", "args": {"distance_mm": 220}, "ok": true},
                             {"skill": "pick", "object": "cup", "outcome": "failed"}]}),
            &[
                "outcome: open of drawer succeeded",
                "parameter: open of drawer: distance 220 mm",
                "outcome: pick of cup failed",
            ],
        ),
        (json!({"foo": 1, "bar": [{"baz": 2}], "timestamp": 1.5, "note": "hello"}), &[]),
        (json!([1, "x", null]), &[]),
        (json!({"status": "succeeded"}), &[]),
    ];
    for (data, expected) in cases {
        assert_eq!(&facts_with("", Some(data.clone())), expected, "{data}");
    }
    let facts = turn_facts("", Some(&cases[0].0));
    assert_eq!(
        Value::Object(facts[1].context.clone()),
        json!({
            "task": {"skill": "grasp", "object": "M8 bolt", "success": true},
            "params": {
                "force": {"value": 12.0, "unit": "N"},
                "speed": {"value": 0.1, "unit": "m/s"},
                "duration": {"value": 3.2, "unit": "s"},
            },
        })
    );
    assert_eq!(facts[0].place, TurnPlace::Field { pointer: "/result/success".to_owned() });
}

#[test]
fn what_text_and_data_both_say_is_told_once() {
    let data = json!({"skill": "grasp", "object": "M8 bolt", "parameters": {"force_n": 12, "speed_mps": 0.1}, "status": "succeeded"});
    let text = "The grasp of the M8 bolt succeeded at 12 N.";
    assert_eq!(
        facts_with(text, Some(data.clone())),
        [
            "outcome: The grasp of the M8 bolt succeeded at 12 N",
            "parameter: grasp of M8 bolt: speed 0.1 m/s",
        ]
    );
    let context = &turn_facts(text, Some(&data))[0].context;
    assert_eq!(context["task"], json!({"skill": "grasp", "object": "M8 bolt", "success": true}));
    assert_eq!(context["params"], json!({"force": {"value": 12, "unit": "N"}}));
    // What they say differently, both say.
    let failed = json!({"skill": "grasp", "object": "M8 bolt", "status": "failed"});
    assert_eq!(facts_with(text, Some(failed)).len(), 2);
}

#[test]
fn of_too_many_facts_the_most_telling_stay_in_order() {
    let many: String = (0..60).map(|i| format!("Tray {i} is made of steel. ")).collect();
    let text = format!("{many}Never stack trays. The lift failed.");
    let facts = turn_facts(&text, None);
    assert_eq!(facts.len(), TURN_FACTS_MAX);
    let last: Vec<TurnFactKind> =
        facts[TURN_FACTS_MAX - 2..].iter().map(|fact| fact.kind).collect();
    assert_eq!(last, [TurnFactKind::Rule, TurnFactKind::Outcome]);
}

#[test]
fn a_summary_tells_the_outcome_first_and_fits() {
    let text = "Force was 12 N. The cup slipped because of oil. The grasp failed.";
    let facts = turn_facts(text, None);
    assert_eq!(
        turn_summary(text, &facts, 200),
        "The grasp failed; The cup slipped because of oil; Force was 12 N"
    );
    assert_eq!(turn_summary(text, &facts, 40), "The grasp failed; Force was 12 N");
    assert_eq!(turn_summary(text, &facts, 9), "The grasp");
    assert_eq!(turn_summary("好的。开始吧。", &[], 3), "好的。");
    assert_eq!(turn_summary("", &[], 10), "");
}

#[test]
fn a_long_text_is_read_in_linear_time() {
    for unit in ["it is so, because of it. ", "因为它在，所以它", "the ", "(", "12 N, ", "x=1,"]
    {
        let text = unit.repeat(robot_memory_core::limits::TEXT_BYTES_MAX / unit.len());
        let begin = std::time::Instant::now();
        let _ = turn_facts(&text, None);
        assert!(begin.elapsed().as_secs() < 10, "{unit}: {:?}", begin.elapsed());
    }
}

/// What of a statement must be in the turn: names, and numbers as they are written.
fn names(text: &str) -> Vec<String> {
    let chunks = super::super::lexer::scan(text);
    let is_name = |chunk: &&str| chunk.contains(|c: char| c.is_ascii_digit());
    chunks.iter().map(|piece| piece.text).filter(is_name).map(str::to_owned).collect()
}

proptest! {
    #[test]
    fn each_number_and_name_of_a_fact_is_in_the_turn(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "Picked the M8 bolt", " at 12.5 N", ", but it slipped", " because the pad was oily", ". ", "。",
                "The tray is on shelf B2", "它卡住了", "，因为孔里有毛刺", "夹持力12N", "杯子在桌子左边", "，", ", ",
                "Never exceed 5 N", "maybe it was 7 N", "以后都用10N", "its edge is sharp", "speed 0.1 m/s", "; ",
                "this time use 3 N", "it", "放到托盘上成功", "这次用8N", "\n", "The reason was glare",
            ]),
            0..14,
        ),
    ) {
        let text = parts.concat();
        for fact in turn_facts(&text, None) {
            prop_assert!(fact.text.chars().count() <= CONTENT_CHARS_MAX);
            for name in names(&fact.text) {
                prop_assert!(text.contains(&name), "{name} of {:?} in {text:?}", fact.text);
            }
        }
    }

    #[test]
    fn any_data_is_read(text in "\\PC{0,40}", data in json_values()) {
        for fact in turn_facts(&text, Some(&data)) {
            prop_assert!(!fact.text.is_empty() && fact.text.chars().count() <= CONTENT_CHARS_MAX);
            if let TurnPlace::Field { pointer } = &fact.place {
                prop_assert!(data.pointer(pointer).is_some(), "{pointer} in {data}");
            }
        }
    }
}

fn json_values() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "skill",
        "object",
        "result",
        "status",
        "success",
        "error",
        "params",
        "force_n",
        "speed_mps",
        "steps",
        "x/y",
        "value",
        "unit",
        "place",
        "结果",
        "参数",
        "~a",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec!["succeeded", "failed", "M8 bolt", "抓取", "N", "", "成功"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn a_key_is_told_from_the_unit_that_it_ends_with() {
    let cases = [
        ("grip_force_n", "grip_force", "N"),
        ("speed_m_s", "speed", "m/s"),
        ("speed_m_per_s", "speed", "m/s"),
        ("flow_l_per_min", "flow", "L/min"),
        ("torque_n_m", "torque", "Nm"),
        ("speed (m/s)", "speed", "m/s"),
        ("m_s", "m", "s"),
        ("m_per_s", "m_per", "s"),
        ("per_s", "per", "s"),
        ("runs_per_day", "runs_per_day", ""),
        ("n", "n", ""),
        ("", "", ""),
    ];
    for (key, name, unit) in cases {
        assert_eq!(super::key_and_unit(key), (name.to_owned(), unit.to_owned()), "{key}");
    }
}
