//! What many attempts at a task become: one summary that counts them, and is counted again.

use crate::robot::{Robot, sql};
use crate::scope_work::{do_jobs, get, robot};
use robot_memory_chat::{Chat, ChatError};
use robot_memory_core::api::{
    Compare, CompareRequest, DeleteMemory, DeleteMemoryRequest, Forget, ForgetRequest, Learn,
    LearnRequest, Recall, RecallRequest, RunMaintenance, RunMaintenanceRequest,
    SavePerceptionRequest,
};
use robot_memory_core::limits::BATCH_MAX;
use robot_memory_core::model::{Kind, Level, MemType, Source, Status, Trust};
use robot_memory_text::experience::{Attempt, Outcome, Report, subject_of};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// Stores the log of an attempt, and answers its id.
pub fn log(robot: &Robot, scope: &str, words: &str, context: &Value) -> i64 {
    let request = LearnRequest {
        insight: words.into(),
        context: if context.is_null() { String::new() } else { context.to_string() },
        scope: scope.into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    robot.call::<Learn>(request).memory_id
}

/// An attempt to insert a bolt with a force.
pub fn insertion(robot: &Robot, scope: &str, success: bool, force: f64) -> i64 {
    let context = json!({
        "task": {"name": "insert", "object": "M8 bolt", "success": success},
        "params": {"force_n": force},
    });
    let ended = if success { "done" } else { "not done" };
    log(robot, scope, &format!("bolt at {force} N, {ended}"), &context)
}

pub fn maintain_weekly(robot: &Robot, scope: &str, scope_id: &str) -> Value {
    let request = RunMaintenanceRequest {
        mode: "weekly".into(),
        scope: scope.into(),
        scope_id: scope_id.into(),
        ..Default::default()
    };
    robot.call::<RunMaintenance>(request);
    do_jobs(robot).remove(0).1["scopes"][0].take()
}

/// The id of the only summary of a kind; 0 without any.
fn summary_id(robot: &Robot, kind: &str) -> i64 {
    let query = format!(
        "SELECT CASE count(*) WHEN 0 THEN 0 WHEN 1 THEN max(memory_id) ELSE -1 END FROM summary WHERE kind = '{kind}'"
    );
    sql(&robot.store_path(), &query)
}

pub fn twenty(robot: &Robot) -> Vec<i64> {
    let success =
        (0..14).map(|number| insertion(robot, "global", true, 8.0 + f64::from(number % 4)));
    let success: Vec<i64> = success.collect();
    let failure = (0..6).map(|number| insertion(robot, "global", false, 13.0 + f64::from(number)));
    success.into_iter().chain(failure.collect::<Vec<_>>()).collect()
}

#[test]
fn attempts_become_one_summary_that_is_counted_again() {
    let robot = robot();
    let logs = twenty(&robot);
    maintain_weekly(&robot, "global", "");
    let id = summary_id(&robot, "experience");
    let stored = get(&robot, id).memory;
    assert_eq!(
        stored.content,
        "insert of M8 bolt succeeded 14 of 20 times (95 % interval 48 to 85 %); force 8 to 11 N when it \
         worked, 13 N or more in 6 of 6 failures"
    );
    assert_eq!(
        (stored.kind, stored.mem_type, stored.level),
        (Kind::Summary, MemType::Knowledge, Level::Knowledge)
    );
    assert_eq!((stored.source, stored.trust), (Source::Consolidation, Trust::Medium));
    let recalled = robot.call::<Recall>(RecallRequest {
        query: "how often does inserting the M8 bolt succeed".into(),
        ..Default::default()
    });
    assert!(recalled.memories.iter().any(|hit| hit.memory.id == id));
    // Nothing came: nothing is done.
    let updated = get(&robot, id).memory.updated_at;
    robot.sleep_days(1.0);
    maintain_weekly(&robot, "global", "");
    assert_eq!(get(&robot, id).memory.updated_at, updated);
    // Something came, and something was forgotten.
    insertion(&robot, "global", false, 9.0);
    let wrong = insertion(&robot, "global", true, 40.0);
    robot.call::<Forget>(ForgetRequest {
        memory_id: wrong,
        reason: "typo".into(),
        ..Default::default()
    });
    maintain_weekly(&robot, "global", "");
    assert_eq!(summary_id(&robot, "experience"), id);
    let renewed = get(&robot, id).memory;
    assert!(
        renewed.content.starts_with("insert of M8 bolt succeeded 14 of 21 times"),
        "{}",
        renewed.content
    );
    assert!(!renewed.content.contains("40"), "{}", renewed.content);
    assert!(!renewed.content.contains("or more"), "one of seven failed below: {}", renewed.content);
    // One that was counted is withdrawn.
    let memory_id = logs[0];
    robot.call::<Forget>(ForgetRequest { memory_id, reason: "typo".into(), ..Default::default() });
    maintain_weekly(&robot, "global", "");
    let renewed = get(&robot, id).memory;
    assert!(renewed.content.contains("13 of 20 times"), "{}", renewed.content);
}

#[test]
fn too_few_attempts_and_those_of_other_scopes_say_nothing() {
    let robot = robot();
    for number in 0..4 {
        insertion(&robot, "group:a", number % 2 == 0, 9.0);
        insertion(&robot, "group:b", number % 2 == 0, 9.0);
    }
    maintain_weekly(&robot, "group", "a");
    assert_eq!(summary_id(&robot, "experience"), 0);
    insertion(&robot, "group:a", true, 9.0);
    maintain_weekly(&robot, "group", "a");
    let id = summary_id(&robot, "experience");
    assert_eq!(get(&robot, id).memory.scope.to_string(), "group:a");
    assert!(get(&robot, id).memory.content.contains("3 of 5 times"));
}

#[test]
fn archived_attempts_count() {
    let robot = robot();
    twenty(&robot);
    robot.sleep_days(200.0);
    // The logs are archived by the end of this run at the latest.
    maintain_weekly(&robot, "global", "");
    for number in 0..5 {
        insertion(&robot, "global", true, 8.0 + f64::from(number % 2));
    }
    maintain_weekly(&robot, "global", "");
    let id = summary_id(&robot, "experience");
    assert!(
        get(&robot, id).memory.content.contains("19 of 25 times"),
        "{}",
        get(&robot, id).memory.content
    );
}

#[test]
fn words_of_what_is_deleted_are_in_no_summary() {
    let robot = robot();
    let delete = |memory_id: i64| {
        robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id, ..Default::default() });
    };
    let context = json!({"task": {"name": "insert", "object": "Secret Widget", "success": true}});
    let ids: Vec<i64> = (0..6).map(|_| log(&robot, "global", "it went in", &context)).collect();
    maintain_weekly(&robot, "global", "");
    let id = summary_id(&robot, "experience");
    assert!(get(&robot, id).memory.content.contains("Secret Widget"));
    delete(ids[0]);
    assert!(get(&robot, id).memory.content.contains("5 of 5 times"));
    delete(ids[1]);
    assert_eq!(summary_id(&robot, "experience"), 0);
    maintain_weekly(&robot, "global", "");
    assert_eq!(summary_id(&robot, "experience"), 0);
}

#[test]
fn what_somebody_withdrew_is_not_said_again() {
    let robot = robot();
    twenty(&robot);
    maintain_weekly(&robot, "global", "");
    let id = summary_id(&robot, "experience");
    robot.call::<Forget>(ForgetRequest {
        memory_id: id,
        reason: "no".into(),
        ..Default::default()
    });
    insertion(&robot, "global", true, 10.0);
    maintain_weekly(&robot, "global", "");
    assert_eq!(get(&robot, summary_id(&robot, "experience")).memory.status, Status::Invalidated);
}

#[test]
fn a_summary_is_in_the_language_of_its_sources() {
    let robot = robot();
    for number in 0..8 {
        let ended = if number < 6 { "成功" } else { "失败" };
        log(&robot, "global", &format!("插入 M8 螺栓{ended}，力 {} N", 8 + number), &Value::Null);
    }
    maintain_weekly(&robot, "global", "");
    let content = get(&robot, summary_id(&robot, "experience")).memory.content;
    assert!(
        content.starts_with(
            "插入 M8 螺栓 8 次中成功 6 次（95 % 区间 41 至 93 %）；力 成功时 8 至 13 N"
        ),
        "{content}"
    );
}

/// Words, context, and what they tell: task, object, outcome, and numbers as path, value and unit.
type Labeled = (
    &'static str,
    Value,
    &'static str,
    &'static str,
    Outcome,
    &'static [(&'static str, f64, &'static str)],
);

#[rustfmt::skip]
fn labeled() -> Vec<Labeled> {
    use Outcome::{Failure, Success, Unknown};
    let none = || Value::Null;
    vec![
        ("insert M8 bolt failed at 14 N", none(), "insert", "M8 bolt", Failure, &[("params.force", 14.0, "N")]),
        ("Insertion of the M8 bolt succeeded at 9 N", none(), "insert", "M8 bolt", Success, &[("params.force", 9.0, "N")]),
        ("The M8 bolt was inserted successfully with 9.5 N", none(), "insert", "M8 bolt", Success, &[("params.force", 9.5, "N")]),
        ("Grasp of the red cup slipped at 6 N", none(), "grasp", "red cup", Failure, &[("params.force", 6.0, "N")]),
        ("Grasped the red cup successfully, force 12 N", none(), "grasp", "red cup", Success, &[("params.force", 12.0, "N")]),
        ("Failed to grasp the glass bottle", none(), "grasp", "glass bottle", Failure, &[]),
        ("Picked the gear from bin 3 successfully", none(), "pick", "gear", Success, &[]),
        ("Pick of the gear failed: vacuum lost at 40 kPa", none(), "pick", "gear", Failure, &[("params.vacuum", 40.0, "kPa")]),
        ("Docking failed after 30 s", none(), "dock", "", Failure, &[("params.duration", 30.0, "s")]),
        ("Docking succeeded at 0.1 m/s", none(), "dock", "", Success, &[("params.speed", 0.1, "m/s")]),
        ("Tightened the M6 screw to 4 Nm, completed", none(), "tighten", "M6 screw", Success, &[("params.torque", 4.0, "N·m")]),
        ("Placement of the tray was aborted", none(), "place", "tray", Failure, &[]),
        ("Opened the drawer without problems", none(), "open", "drawer", Success, &[]),
        ("Opening the drawer timed out after 20 s", none(), "open", "drawer", Failure, &[("params.duration", 20.0, "s")]),
        ("Screwing the lid failed at 3 Nm", none(), "screw", "lid", Failure, &[("params.torque", 3.0, "N·m")]),
        ("Delivery of the parcel completed", none(), "deliver", "parcel", Success, &[]),
        ("插入成功，力 9 N", none(), "插入", "", Success, &[("params.force", 9.0, "N")]),
        ("插入 M8 螺栓失败，力 14 N", none(), "插入", "M8 螺栓", Failure, &[("params.force", 14.0, "N")]),
        ("M8 螺栓插入成功", none(), "插入", "M8 螺栓", Success, &[]),
        ("抓取红色杯子成功，力 12 N", none(), "抓取", "红色杯子", Success, &[("params.force", 12.0, "N")]),
        ("抓取玻璃瓶时滑落", none(), "抓取", "玻璃瓶", Failure, &[]),
        ("对接失败，用时 30 秒", none(), "对接", "", Failure, &[("params.duration", 30.0, "s")]),
        ("放置托盘完成", none(), "放置", "托盘", Success, &[]),
        ("拧紧 M6 螺钉失败，扭矩 3 牛米", none(), "拧紧", "M6 螺钉", Failure, &[("params.torque", 3.0, "N·m")]),
        ("done", json!({"task": {"name": "insert", "object": "peg", "success": true}, "params": {"force_n": 9}}), "insert", "peg", Success, &[("params.force_n", 9.0, "N")]),
        ("not done", json!({"task": {"name": "Insertion", "object": "the peg", "success": false}, "params": {"force": {"value": 14, "unit": "N"}}}), "insert", "peg", Failure, &[("params.force", 14.0, "N")]),
        ("run 7", json!({"task": {"skill": "grasp", "object": {"name": "cup"}, "outcome": "success"}, "params": {"speed": {"value": 0.2, "unit": "m/s"}}}), "grasp", "cup", Success, &[("params.speed", 0.2, "m/s")]),
        ("run 8", json!({"task": {"skill": "grasp", "target": "cup", "result": "failed"}}), "grasp", "cup", Failure, &[]),
        ("run 9", json!({"task": {"name": "open_door", "success": 0}, "robot": {"battery_v": 23.5}}), "open door", "", Failure, &[("robot.battery_v", 23.5, "V")]),
        ("run 10", json!({"task": "polish", "object": "hood", "success": true}), "polish", "hood", Success, &[]),
        ("第 3 次", json!({"task": {"name": "抓取", "object": "杯子", "success": true}, "params": {"力": {"value": 9, "unit": "牛"}}}), "抓取", "杯子", Success, &[("params.力", 9.0, "牛")]),
        ("试验", json!({"task": {"name": "插入", "object": "轴", "outcome": "失败"}}), "插入", "轴", Failure, &[]),
        ("log", json!({"task": {"name": "pour", "object": "water", "result": {"success": true}}, "params": {"tilt_deg": 40}}), "pour", "water", Success, &[("params.tilt_deg", 40.0, "deg")]),
        ("log", json!({"task": {"name": "wipe", "object": "table"}}), "wipe", "table", Unknown, &[]),
        ("Lifted the crate at 0.3 m/s", none(), "lift", "crate", Success, &[("params.speed", 0.3, "m/s")]),
        ("Next I will insert the bolt", none(), "insert", "bolt", Unknown, &[]),
        ("Welding the seam failed: current 90 A", none(), "weld", "seam", Failure, &[("params.current", 90.0, "A")]),
        ("Scan of pallet 12 succeeded", none(), "scan", "pallet 12", Success, &[]),
        ("The charger reads 24 V", none(), "", "", Unknown, &[]),
        ("The door is open", none(), "", "", Unknown, &[]),
    ]
}

#[test]
fn attempts_are_read_as_people_read_them() {
    let all = labeled();
    assert_eq!(all.len(), 40);
    let mut wrong: Vec<String> = Vec::new();
    // Told and right, told, to be told; of tasks, objects, outcomes, numbers.
    let mut counts = [[0_u32; 3]; 4];
    for (words, context, task, object, outcome, numbers) in &all {
        let context = if context.is_null() { String::new() } else { context.to_string() };
        let report = Report { content: words, context: &context, data: "", trust: Trust::High };
        let read = Attempt::read(&report);
        let key = robot_memory_text::experience::key_of;
        let (read_task, read_object, read_outcome, read_numbers) = match &read {
            Some(it) => (key(&it.task), key(&it.object), it.outcome, it.numbers.clone()),
            None => (String::new(), String::new(), Outcome::Unknown, Vec::new()),
        };
        let mut note = |place: usize, expected: &str, found: &str| {
            counts[place][0] += u32::from(!found.is_empty() && found == expected);
            counts[place][1] += u32::from(!found.is_empty());
            counts[place][2] += u32::from(!expected.is_empty());
            if found != expected {
                wrong.push(format!("{words} {context}: {found:?}, not {expected:?}"));
            }
        };
        note(0, &key(task), &read_task);
        note(1, &key(object), &read_object);
        let known =
            |outcome: Outcome| if outcome == Outcome::Unknown { "" } else { outcome.as_str() };
        note(2, known(*outcome), known(read_outcome));
        for (path, value, unit) in *numbers {
            let found = read_numbers.iter().find(|it| it.path == *path);
            let shown = found.map(|it| format!("{} {}", it.value, it.unit)).unwrap_or_default();
            note(3, &format!("{value} {unit}"), &shown);
        }
        for it in read_numbers.iter().filter(|it| numbers.iter().all(|(path, ..)| it.path != *path))
        {
            note(3, "", &format!("{} {} {}", it.path, it.value, it.unit));
        }
    }
    let names = ["task", "object", "outcome", "numbers"];
    let shown: Vec<String> = names
        .iter()
        .zip(counts)
        .map(|(name, [right, found, all])| {
            format!("{name}: precision {right}/{found}, recall {right}/{all}")
        })
        .collect();
    println!("{}", shown.join("; "));
    let [tasks, objects, outcomes, numbers] = counts;
    for [right, found, all] in [tasks, objects, outcomes, numbers] {
        assert!(right * 100 >= found * 95, "precision: {found:?}: {wrong:#?}");
        assert!(right * 100 >= all * 90, "recall: {found:?}: {wrong:#?}");
    }
}

#[test]
fn a_subject_is_one_however_it_is_spelled() {
    let subject = |context: &Value| {
        let context = context.to_string();
        let report = Report { content: "log", context: &context, data: "", trust: Trust::High };
        subject_of(&Attempt::read(&report).expect("an attempt"))
    };
    let one = subject(&json!({"task": {"name": "insert", "object": "M8 bolt"}}));
    assert_eq!(one, subject(&json!({"task": {"name": "Insertion", "object": "the m8_bolt"}})));
    assert_ne!(one, subject(&json!({"task": {"name": "insert", "object": "M6 bolt"}})));
}

/// Answers the same, whatever it is asked.
struct Says(&'static str);

impl Chat for Says {
    fn id(&self) -> &str {
        "test"
    }

    fn complete(&self, _: &str, _: &str) -> Result<String, ChatError> {
        Ok(json!({"summary": self.0}).to_string())
    }
}

#[test]
fn a_chat_endpoint_may_say_it_and_invent_nothing() {
    let said = |words: &'static str| {
        let robot = robot();
        robot.engine.set_chat(Some(Arc::new(Says(words))));
        twenty(&robot);
        maintain_weekly(&robot, "global", "");
        get(&robot, summary_id(&robot, "experience")).memory.content
    };
    let own = "insert of M8 bolt succeeded 14 of 20 times";
    assert_eq!(said(own), own);
    let invented = said("insert of M8 bolt succeeded 19 of 20 times");
    assert!(invented.starts_with(own), "{invented}");
}

/// `LOGS=20000 cargo test --test it logs_are_read_once -- --nocapture` says how long it takes.
#[test]
fn logs_are_read_once() {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    let count: usize = std::env::var("LOGS").ok().and_then(|it| it.parse().ok()).unwrap_or(300);
    let mut number = 0_usize;
    let mut store = |count: usize| {
        for batch in (0..count).collect::<Vec<_>>().chunks(BATCH_MAX) {
            let requests = batch.iter().map(|_| {
                number += 1;
                let success = !number.is_multiple_of(3);
                let force = 8.0 + (number % 7) as f64 + if success { 0.0 } else { 4.0 };
                let context = json!({
                    "task": {"name": "insert", "object": format!("part {}", number % 50), "success": success},
                    "params": {"force_n": force, "speed": {"value": 0.1, "unit": "m/s"}, "gripper": "soft"},
                });
                SavePerceptionRequest {
                    description: format!("attempt {number} at {force} N"),
                    context: context.to_string(),
                    ..Default::default()
                }
            });
            robot.engine.save_perceptions(requests.collect()).expect("they are stored");
        }
    };
    for more in [count, 0, 10] {
        store(more);
        let began = Instant::now();
        let report = maintain_weekly(&robot, "global", "").to_string();
        println!("{more} more logs: {:.2?} for all steps", began.elapsed());
        assert_eq!(
            report.contains(&format!("\"read\":{more}}}"))
                || report.contains(&format!("\"read\":{more},")),
            more > 0,
            "{report}"
        );
    }
    let began = Instant::now();
    let answer =
        robot.call::<Compare>(CompareRequest { task: "insert".into(), ..Default::default() });
    println!("Compare of {count}: {:.2?}", began.elapsed());
    assert_eq!(
        answer.success_count + answer.failure_count,
        u32::try_from(count + 10).expect("small")
    );
}
