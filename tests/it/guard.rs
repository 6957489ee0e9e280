use crate::robot::Robot;
use proptest::prelude::*;
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, CheckActionResponse, ErrorKind, Forget, ForgetRequest, Learn,
    LearnRequest, LearnStatus, Update, UpdateRequest,
};
use robot_memory_core::model::{Category, Limit, LimitOp, MemType, Scope, Source, Trust};
use robot_memory_text::guard::{Action, ConstraintRow, Constraints, Verdict};
use robot_memory_text::inference::limits;
use serde_json::{Value, json};

fn request(params: &str) -> CheckActionRequest {
    CheckActionRequest { params: params.into(), ..Default::default() }
}

fn with_object(params: &str, object: &str) -> CheckActionRequest {
    CheckActionRequest { object: object.into(), ..request(params) }
}

fn violated(response: &CheckActionResponse) -> Vec<i64> {
    response.violations.iter().map(|checked| checked.memory_id).collect()
}

fn undecided(response: &CheckActionResponse) -> Vec<i64> {
    response.undecided.iter().map(|checked| checked.memory_id).collect()
}

fn check(robot: &Robot, request: CheckActionRequest) -> CheckActionResponse {
    let response = robot.call::<CheckAction>(request);
    assert_eq!(response.allowed, response.violations.is_empty());
    assert_eq!(response.undecided_count, response.undecided.len() as u64);
    response
}

/// A bound as the fixtures write it.
fn shown(limit: &Limit) -> String {
    let path = limit.path.trim_start_matches("params.").trim_end_matches(".value");
    let names =
        [("path", path), ("object", &limit.object), ("place", &limit.place), ("task", &limit.task)];
    let mut shown = format!("{} {} {}", limit.op, limit.value, limit.unit);
    for (name, value) in names.into_iter().filter(|(_, value)| !value.is_empty()) {
        shown.push_str(&format!(" {name}={}", value.replace(' ', "_")));
    }
    shown
}

/// Sentences of a file whose bounds are read as they are meant, otherwise, and not.
fn read(file: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
    let (mut right, mut wrong, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (sentence, meant) = line.split_once('\t').expect("two columns");
        let found = limits(sentence).iter().map(shown).collect::<Vec<_>>().join(" & ");
        match found.as_str() {
            "" if meant == "-" => {}
            "" => missed.push(line.to_owned()),
            found if found == meant => right.push(line.to_owned()),
            found => wrong.push(format!("{line}: {found}")),
        }
    }
    (right, wrong, missed)
}

#[test]
fn bounds_are_read_from_sentences_or_not_at_all() {
    let files = [
        (include_str!("../fixtures/limits.tsv"), 0.9),
        (include_str!("../fixtures/limits_held_out.tsv"), 0.85),
    ];
    for (file, least_recall) in files {
        let (right, wrong, missed) = read(file);
        println!("{} right, {} wrong, {} missed", right.len(), wrong.len(), missed.len());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let recall = right.len() as f64 / (right.len() + missed.len()) as f64;
        assert!(recall >= least_recall, "{recall}: {}", missed.join("\n"));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_fault(text in "\\PC{0,120}") {
        for limit in limits(&text) {
            prop_assert!(limit.value.is_finite());
        }
    }
}

#[test]
fn a_sentence_forbids_what_goes_beyond_its_bound() {
    let robot = Robot::words_only();
    let id = robot.learn("抓取力不得超过 15N").memory_id;
    let cases = [
        (r#"{"grip_force": {"value": 15, "unit": "N"}}"#, true),
        (r#"{"grip_force": {"value": 15000, "unit": "mN"}}"#, true),
        (r#"{"grip_force": {"value": 15.000001, "unit": "N"}}"#, false),
        (r#"{"grip_force": {"value": 0.018, "unit": "kN"}}"#, false),
        (r#"{"params": {"grip_force": {"value": 18, "unit": "N"}}}"#, false),
        (r#"{"Grip-Force": {"value": 18, "unit": "newtons"}}"#, false),
        (r#"{"arm": {"grip_force": {"value": 18, "unit": "N"}}}"#, true),
        (r#"{"speed": {"value": 18, "unit": "m/s"}}"#, true),
    ];
    for params in ["{}", ""] {
        let (kind, message) = robot.refused::<CheckAction>(request(params));
        assert_eq!(kind, ErrorKind::InvalidArgument, "{message}");
        assert!(message.starts_with("params: nothing is given"), "{message}");
    }
    for (params, is_allowed) in cases {
        let response = check(&robot, request(params));
        assert_eq!(response.allowed, is_allowed, "{params}");
        assert_eq!(response.constraint_count, 1);
    }
    let response = check(&robot, request(r#"{"grip_force": {"value": 0.018, "unit": "kN"}}"#));
    let violation = &response.violations[0];
    assert_eq!(violation.memory_id, id);
    assert_eq!(violation.content, "抓取力不得超过 15N");
    assert_eq!((violation.source, violation.trust), (Source::Operator, Trust::High));
    assert_eq!(
        (violation.path.as_str(), violation.op),
        ("params.grip_force.value", Some(LimitOp::AtMost))
    );
    assert_eq!(
        (violation.bound, violation.unit.as_str(), violation.given),
        (15.0, "N", Some(18.0))
    );
    assert_eq!(
        violation.reason,
        "params.grip_force is 0.018 kN, but must be at most 15 N: 抓取力不得超过 15N"
    );
}

#[test]
fn what_cannot_be_compared_is_an_error_and_no_guess() {
    let robot = Robot::words_only();
    let id = robot.learn("抓取力不得超过 15N").memory_id;
    robot.learn("Never exceed 40 N on the glass bottle");
    let memory = format!("memory {id}");
    let cases = [
        (r#"{"grip_force_n": {"value": 1, "unit": "kN"}}"#, vec!["params.grip_force_n", "N", "kN"]),
        (
            r#"{"grip_force": {"value": 1, "unit": "m"}}"#,
            vec!["params.grip_force", "in m", "in N", &memory],
        ),
        (r#"{"grip_force": "gentle"}"#, vec!["params.grip_force", "a text", "in N", &memory]),
        (r#"{"grip_force": "10-20 N"}"#, vec!["params.grip_force", "a text", "in N", &memory]),
        (r#"{"grip_force": [1]}"#, vec!["params.grip_force", "an array", &memory]),
        (r#"{"grip_force": true}"#, vec!["params.grip_force", "a boolean", &memory]),
        (r#"{"grip_force": {"value": 1, "unit": "MN"}}"#, vec!["params.grip_force.unit", "\"MN\""]),
        (r#"{"x": {"value": 1, "unit": "cups"}}"#, vec!["params.x.unit", "\"cups\""]),
        (r#"{"x": {"value": 1, "unit": 1}}"#, vec!["params.x.unit", "must be a text"]),
        (r#"{"x": NaN}"#, vec!["params", "not valid JSON"]),
        (r#"{"x": 1e999}"#, vec!["params", "not valid JSON"]),
        ("[1]", vec!["params", "must be a JSON object"]),
    ];
    for (params, words) in cases {
        let (kind, message) = robot.refused::<CheckAction>(request(params));
        assert_eq!(kind, ErrorKind::InvalidArgument, "{params}");
        for word in words {
            assert!(message.contains(word), "{params}: {message} lacks {word}");
        }
    }
    let (kind, _) =
        robot.refused::<CheckAction>(CheckActionRequest { scope: "?".into(), ..request("") });
    assert_eq!(kind, ErrorKind::InvalidArgument);
}

#[test]
fn a_constraint_speaks_of_the_object_that_it_names() {
    let robot = Robot::words_only();
    let glass = robot.learn("never exceed 40 N on the glass bottle").memory_id;
    let egg = robot.learn("玻璃瓶的抓取力必须小于 8 牛").memory_id;
    let plate = robot.learn("Never touch the hot plate").memory_id;
    let force = r#"{"force": {"value": 50, "unit": "N"}}"#;
    // Object, violated, undecided.
    let cases: [(&str, &[i64], &[i64]); 9] = [
        // The second is on the same thing in the other language. Of an action that does not say what it
        // does, the one force is that of the grip.
        ("glass_bottle", &[glass, egg], &[]),
        ("the Glass Bottles", &[glass, egg], &[]),
        ("large glass bottle", &[glass, egg], &[]),
        ("bottle", &[], &[glass, egg]),
        ("", &[], &[glass, egg]),
        ("egg", &[], &[]),
        ("大玻璃瓶", &[glass, egg], &[]),
        ("hot plate", &[], &[plate]),
        ("hot plates", &[], &[plate]),
    ];
    for (object, wanted_violated, wanted_undecided) in cases {
        let response = check(&robot, with_object(force, object));
        assert_eq!(violated(&response), wanted_violated, "{object}");
        assert_eq!(undecided(&response), wanted_undecided, "{object}");
    }
    let response = check(&robot, request(force));
    let reason = &response.undecided[0].reason;
    assert!(reason.contains("the action names no object"), "{reason}");
    let response = check(&robot, with_object(force, "hot plate"));
    assert_eq!(response.undecided[0].op, None);
    assert_eq!(response.undecided[0].path, "");
    let whole =
        r#"{"task": {"object": "glass bottle"}, "params": {"force": {"value": 50, "unit": "N"}}}"#;
    assert_eq!(violated(&check(&robot, request(whole))), [glass, egg]);
    // Another force is not.
    let push = r#"{"action": "push", "force": {"value": 50, "unit": "N"}}"#;
    let response = check(&robot, with_object(push, "glass bottle"));
    assert_eq!((violated(&response), undecided(&response)), (vec![glass], vec![egg]));
}

#[test]
fn a_general_word_speaks_of_each_parameter_of_its_kind() {
    let robot = Robot::words_only();
    let speed = robot.learn("speed must stay below 0.5 m/s").memory_id;
    let over =
        |name: &str, unit: &str| format!(r#"{{"{name}": {{"value": 3, "unit": "{unit}"}}}}"#);
    for name in ["speed", "linear_velocity", "max_speed"] {
        let response = check(&robot, request(&over(name, "km/h")));
        assert_eq!(violated(&response), [speed], "{name}");
        let given = response.violations[0].given.expect("a number");
        assert!((given - 3.0 / 3.6).abs() < 1e-12, "{name}: {given}");
    }
    assert_eq!(undecided(&check(&robot, request(&over("rate", "m/s")))), [speed]);
    assert_eq!(undecided(&check(&robot, request(r#"{"rate": 3}"#))), [speed]);
    assert!(check(&robot, request(&over("joint_speed", "rad/s"))).undecided.is_empty());
}

#[test]
fn bounds_are_given_in_the_context() {
    let robot = Robot::words_only();
    let context = json!({
        "limits": [
            {"path": "params.grip_force.value", "op": "<=", "value": 15, "unit": "N"},
            {"path": "retries", "op": "<", "value": 3, "object": "*"},
            {"op": ">=", "value": 5, "unit": "cm", "place": "kitchen"},
        ],
        "task": {"object": "wine glass"},
    });
    let response = robot.call::<Learn>(LearnRequest {
        insight: "How wine glasses are gripped".into(),
        context: context.to_string(),
        ..Default::default()
    });
    assert_eq!(response.category, Category::Constraint, "bounds make a constraint");
    assert_eq!(response.tags, ["constraint"]);
    assert_eq!(response.limits.len(), 3);
    let objects: Vec<&str> = response.limits.iter().map(|limit| limit.object.as_str()).collect();
    assert_eq!(objects, ["wine glass", "", "wine glass"]);
    let id = response.memory_id;
    let cases = [
        (r#"{"grip_force": {"value": 16, "unit": "N"}}"#, "wine glass", "", vec![id]),
        (r#"{"grip_force": {"value": 16, "unit": "N"}}"#, "cup", "", vec![]),
        (r#"{"retries": 3}"#, "cup", "", vec![id]),
        (r#"{"retries": 2}"#, "cup", "", vec![]),
        (r#"{"gap": {"value": 4, "unit": "cm"}}"#, "wine glass", "the kitchen", vec![id]),
        (
            r#"{"gap": {"value": 40, "unit": "mm"}, "retries": 5}"#,
            "wine glass",
            "kitchen",
            vec![id, id],
        ),
    ];
    for (params, object, place, wanted) in cases {
        let request = CheckActionRequest { place: place.into(), ..with_object(params, object) };
        assert_eq!(violated(&check(&robot, request)), wanted, "{params} {object} {place}");
    }
    // The same words with other bounds would be lost as a duplicate.
    let (kind, message) = robot.refused::<Learn>(LearnRequest {
        insight: "How wine glasses are gripped".into(),
        context: r#"{"limits": [{"path": "grip_force", "op": "<=", "value": 9, "unit": "N"}]}"#
            .into(),
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains(&format!("memory {id}")), "{message}");
    let again = robot.call::<Learn>(LearnRequest {
        insight: "How wine glasses are gripped".into(),
        context: context.to_string(),
        ..Default::default()
    });
    assert_eq!(again.status, LearnStatus::Duplicate);
    assert_eq!(again.limits, response.limits);
}

#[test]
fn an_empty_list_says_that_the_words_set_no_bound() {
    let robot = Robot::words_only();
    let id = robot.learn_with("抓取力不得超过 15N", r#"{"limits": []}"#);
    let response = check(&robot, request(r#"{"grip_force": {"value": 18, "unit": "N"}}"#));
    assert!(response.allowed);
    assert_eq!(response.constraint_count, 1);
    let update = robot.call::<Update>(UpdateRequest {
        memory_id: id,
        new_content: "抓取力不得超过 16N".into(),
        context: "{}".into(),
        ..Default::default()
    });
    assert_eq!(update.limits.iter().map(shown).collect::<Vec<_>>(), ["<= 16 N path=grip_force"]);
    let response = check(&robot, request(r#"{"grip_force": {"value": 18, "unit": "N"}}"#));
    assert_eq!(violated(&response), [id]);
}

#[test]
fn malformed_bounds_are_refused_with_their_place() {
    let robot = Robot::words_only();
    let bound = |change: &dyn Fn(&mut Value)| {
        let mut bound = json!({"path": "params.f.value", "op": "<=", "value": 1, "unit": "N"});
        change(&mut bound);
        json!({"limits": [{"path": "x", "op": "<", "value": 1}, bound]}).to_string()
    };
    let cases = [
        (bound(&|b| b["op"] = json!("=<")), "context.limits[1].op"),
        (bound(&|b| b["op"] = json!(1)), "context.limits[1].op"),
        (bound(&|b| b["value"] = json!("15")), "context.limits[1].value"),
        (bound(&|b| b["value"] = json!(null)), "context.limits[1].value"),
        (bound(&|b| b["unit"] = json!("MN")), "context.limits[1].unit"),
        (bound(&|b| b["path"] = json!("a..b")), "context.limits[1].path"),
        (bound(&|b| b["objects"] = json!("cup")), "did you mean object?"),
        (bound(&|b| b["object"] = json!("x".repeat(300))), "context.limits[1].object"),
        (bound(&|b| *b = json!(15)), "context.limits[1]: must be an object"),
        (bound(&|b| *b = json!({"op": "<", "value": 1})), "context.limits[1].path"),
        (json!({"limits": {}}).to_string(), "context.limits: must be an array"),
        (json!({"limits": vec![json!({}); 33]}).to_string(), "at most 32"),
    ];
    let id = robot.learn("Grip the cup softly").memory_id;
    for (context, word) in cases {
        let learn = LearnRequest {
            insight: "A rule".into(),
            context: context.clone(),
            ..Default::default()
        };
        let (kind, message) = robot.refused::<Learn>(learn);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{context}");
        assert!(message.contains(word), "{context}: {message}");
        let update = UpdateRequest {
            memory_id: id,
            new_content: "A rule".into(),
            context,
            ..Default::default()
        };
        assert_eq!(robot.refused::<Update>(update).1, message);
    }
}

#[test]
fn only_active_constraints_that_the_caller_sees_count() {
    let robot = Robot::words_only();
    let learn = |insight: &str, scope: &str, collection: &str| {
        let learn = LearnRequest {
            insight: insight.into(),
            scope: scope.into(),
            collection: collection.into(),
            ..Default::default()
        };
        robot.call::<Learn>(learn).memory_id
    };
    let global = learn("Grip force must not exceed 10 N", "", "");
    let group = learn("Grip force must not exceed 9 N", "group:a", "");
    let other = learn("Grip force must not exceed 8 N", "group:b", "");
    let elsewhere = learn("Grip force must not exceed 7 N", "", "lab");
    let params = r#"{"grip_force": {"value": 50, "unit": "N"}}"#;
    let cases: [(&str, &str, &str, &[i64]); 6] = [
        ("", "", "", &[global]),
        ("", "group:a", "", &[global, group]),
        ("", "all", "", &[global, group, other]),
        ("", "all", "*", &[global, group, other, elsewhere]),
        ("skill_grasp", "all", "", &[global]),
        ("planner", "group:b", "lab", &[elsewhere]),
    ];
    for (agent, scope, collection, wanted) in cases {
        let response = check(
            &robot,
            CheckActionRequest {
                agent: agent.into(),
                scope: scope.into(),
                collection: collection.into(),
                ..request(params)
            },
        );
        assert_eq!(violated(&response), wanted, "{agent} {scope} {collection}");
        assert_eq!(response.constraint_count, wanted.len() as u64);
    }
    let denied = CheckActionRequest {
        agent: "skill_grasp".into(),
        scope: "group:a".into(),
        ..request(params)
    };
    assert_eq!(robot.refused::<CheckAction>(denied).0, ErrorKind::Forbidden);
    // A mismatch with what is not seen is none.
    let unitless = CheckActionRequest {
        agent: "skill_grasp".into(),
        collection: "none".into(),
        ..request(r#"{"grip_force": 50}"#)
    };
    assert!(check(&robot, unitless).allowed);
}

#[test]
fn the_guard_follows_each_change_and_a_restart() {
    let robot = Robot::words_only();
    let params = r#"{"grip_force": {"value": 12, "unit": "N"}}"#;
    assert!(check(&robot, request(params)).allowed);
    let id = robot.learn("Grip force must not exceed 10 N").memory_id;
    assert_eq!(violated(&check(&robot, request(params))), [id]);
    let update = |new_content: &str| UpdateRequest {
        memory_id: id,
        new_content: new_content.into(),
        ..Default::default()
    };
    robot.call::<Update>(update("Grip force must not exceed 13 N"));
    assert!(check(&robot, request(params)).allowed);
    robot.call::<Update>(update("The grip force was fine"));
    assert_eq!(check(&robot, request(params)).constraint_count, 0, "it is no constraint any more");
    robot.call::<Update>(update("Grip force must not exceed 11 N"));
    assert_eq!(violated(&check(&robot, request(params))), [id]);
    let robot = robot.restart();
    assert_eq!(violated(&check(&robot, request(params))), [id]);
    robot.call::<Forget>(ForgetRequest {
        memory_id: id,
        reason: "wrong".into(),
        ..Default::default()
    });
    assert!(check(&robot, request(params)).allowed);
    assert_eq!(check(&robot, request(params)).constraint_count, 0);
}

#[test]
fn what_was_acknowledged_is_checked_while_others_write() {
    let robot = Robot::words_only();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let robot = &robot;
            scope.spawn(move || {
                for round in 0..15 {
                    let part = format!("part{thread}x{round}");
                    let id = robot
                        .learn(&format!("Never grip the {part} with more than {} N", round + 1))
                        .memory_id;
                    let params = r#"{"force": {"value": 99, "unit": "N"}}"#;
                    let response = robot.call::<CheckAction>(with_object(params, &part));
                    assert_eq!(violated(&response), [id], "{part}");
                    if round % 3 == 0 {
                        robot.call::<Forget>(ForgetRequest {
                            memory_id: id,
                            reason: "over".into(),
                            ..Default::default()
                        });
                        let response = robot.call::<CheckAction>(with_object(params, &part));
                        assert!(response.allowed, "{part}");
                    }
                }
            });
        }
    });
}

const OBJECTS: [&str; 5] = ["", "cup", "glass cup", "egg", "杯子"];
const PLACES: [&str; 3] = ["", "kitchen", "hall"];
const PATHS: [&str; 3] = ["", "grip_force", "params.push_force.value"];

/// A bound as the naive check takes it: in millinewtons.
#[derive(Debug, Clone)]
struct Rule {
    path: usize,
    op: LimitOp,
    millinewtons: i32,
    in_newtons: bool,
    object: usize,
    place: usize,
}

fn rule() -> impl Strategy<Value = Rule> {
    let op = proptest::sample::select(LimitOp::ALL);
    (0..3usize, op, 0..30i32, any::<bool>(), 0..5usize, 0..3usize).prop_map(
        |(path, op, hundreds, in_newtons, object, place)| Rule {
            path,
            op,
            millinewtons: hundreds * 100,
            in_newtons,
            object,
            place,
        },
    )
}

fn holds(op: LimitOp, given: i32, bound: i32) -> bool {
    match op {
        LimitOp::AtMost => given <= bound,
        LimitOp::Below => given < bound,
        LimitOp::AtLeast => given >= bound,
        LimitOp::Above => given > bound,
        LimitOp::Equal => given == bound,
        LimitOp::NotEqual => given != bound,
    }
}

fn measure(millinewtons: i32, in_newtons: bool) -> Value {
    if in_newtons {
        json!({"value": f64::from(millinewtons) / 1000.0, "unit": "N"})
    } else {
        json!({"value": millinewtons, "unit": "mN"})
    }
}

proptest! {
    #[test]
    fn the_answer_is_that_of_a_loop_over_all_rows(
        rules in proptest::collection::vec(rule(), 0..20),
        removed in proptest::collection::vec(0..20i64, 0..5),
        grip in 0..30i32,
        push in 0..30i32,
        in_newtons in any::<bool>(),
        object in 0..5usize,
        place in 0..3usize,
    ) {
        let mut constraints = Constraints::default();
        for (id, rule) in (0..).zip(&rules) {
            let mut limit = measure(rule.millinewtons, rule.in_newtons);
            limit["path"] = json!(PATHS[rule.path]);
            limit["op"] = json!(rule.op);
            limit["object"] = json!(OBJECTS[rule.object]);
            limit["place"] = json!(PLACES[rule.place]);
            constraints.put(ConstraintRow {
                id,
                collection: "default".into(),
                scope: Scope::Global,
                mem_type: MemType::Fact,
                content: format!("rule {id}"),
                context: json!({"limits": [limit]}).to_string(),
                source: Source::Operator,
                trust: Trust::High,
            });
        }
        removed.iter().for_each(|id| constraints.remove(*id));
        let given = [grip * 100, push * 100];
        let params = json!({
            "grip_force": measure(given[0], in_newtons),
            "push_force": measure(given[1], !in_newtons),
        });
        let params = params.as_object().expect("an object");
        let action = Action::read(params, OBJECTS[object], PLACES[place], "").expect("read");
        let buckets = constraints.buckets().map(|(place, bucket)| (&place.scope, bucket));
        let verdict = Verdict::of(&action, buckets).expect("forces all");

        // One thing in two languages.
        let in_english = |name: &'static str| if name == "杯子" { "cup" } else { name };
        let is_of = |of: &'static str, on: &'static str| match (in_english(of), in_english(on)) {
            ("", _) => Some(true),
            (_, "") | ("glass cup", "cup") => None,
            (of, on) => Some(of == on || (of, on) == ("cup", "glass cup")),
        };
        let speaks = |rule: &Rule| {
            let of_object = is_of(OBJECTS[rule.object], OBJECTS[object]);
            match (of_object, is_of(PLACES[rule.place], PLACES[place])) {
                (Some(a), Some(b)) => Some(a && b),
                (Some(false), None) | (None, Some(false)) => Some(false),
                _ => None,
            }
        };
        let broken = |rule: &Rule| {
            let paths = match rule.path {
                0 => vec![0, 1],
                path => vec![path - 1],
            };
            paths.into_iter().filter(|p| !holds(rule.op, given[*p], rule.millinewtons)).count()
        };
        let count = |wanted: Option<bool>| -> Vec<i64> {
            let kept = (0..).zip(&rules).filter(|(id, _)| !removed.contains(id));
            let of = kept.filter(|(_, rule)| speaks(rule) == wanted);
            of.flat_map(|(id, rule)| vec![id; broken(rule)]).collect()
        };
        let ids = |findings: &[robot_memory_text::guard::Finding<'_>]| -> Vec<i64> {
            findings.iter().map(|finding| finding.constraint.id).collect()
        };
        prop_assert_eq!(ids(&verdict.violations), count(Some(true)));
        prop_assert_eq!(ids(&verdict.undecided), count(None));
    }
}
