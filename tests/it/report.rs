//! `memory report`: one page, from real stores, well formed and safe whatever the memories say.

use crate::cli::memory;
use crate::robot::Robot;
use robot_memory_core::api::{
    Learn, LearnRequest, Report, ReportRequest, ReportResponse, SavePerceptionRequest,
};
use robot_memory_core::model::Stamp;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// Writes the page of a store and reads it.
fn page(store: &Path, file: &Path) -> String {
    let file_text = file.to_str().expect("UTF-8");
    assert_eq!(memory(store, &["report", "--output", file_text]).text(), format!("{file_text}\n"));
    std::fs::read_to_string(file).expect("the page is there")
}

/// Panics unless each tag is closed in order, and each attribute is in quotes.
fn assert_well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = page.strip_prefix("<!DOCTYPE html>").expect("it is HTML");
    let mut rest = body;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').expect("a tag ends");
        rest = behind;
        assert!(!tag.contains('<'), "a tag in a tag: {tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "</{closed}>");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Some weeks of a robot that picks and inserts, in two rooms.
fn busy(robot: &Robot) {
    // It ends today: the program has the clock of the computer.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    robot.clock.set(Stamp::from_secs(now as i64).plus_days(-112.0));
    let steps = 1_200;
    let mut seed = 7_u32;
    let mut chance = move || {
        // Numerical Recipes' generator: any will do.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1_u32 << 24)
    };
    let tasks = [
        ("pick", "red cup", 0.93),
        ("insert", "M8 bolt", 0.68),
        ("insert", "M5 bolt", 0.81),
        ("open", "lab door", 0.5),
        ("dock", "charger", 0.98),
    ];
    let mut batch = Vec::new();
    for step in 0..steps {
        let (task, object, rate) = tasks[(chance() * 4.2) as usize];
        let success = chance() < rate;
        let force = 8.0 + 3.0 * chance() + if success { 0.0 } else { 3.5 };
        let room = if chance() < 0.7 { "hall" } else { "lab" };
        let turn = chance() * 6.3;
        let far = 1.0 + chance() * if room == "hall" { 4.0 } else { 1.2 };
        let (x, y) = (3.0 + far * turn.cos() * 1.6, 2.0 + far * turn.sin());
        let context = serde_json::json!({
            "task": {"name": task, "object": object, "success": success},
            "params": {"force_n": {"value": force, "unit": "N"}},
            "spatial": {"frame": "map", "map_id": room, "robot_position": [x, y, 0.0]},
        });
        batch.push(SavePerceptionRequest {
            description: format!("{task} of the {object} number {step}, with {force:.1} N"),
            context: context.to_string(),
            ..Default::default()
        });
        if step % 40 == 39 {
            let answers = robot.engine.save_perceptions(std::mem::take(&mut batch));
            for answer in answers.expect("the batch is stored") {
                answer.expect("it is stored");
            }
            let session = robot.start_session();
            robot.learn_in(&session, &format!("Shelf {step} holds {} boxes of bolts", step / 3));
            robot.end_session(&session);
            robot.sleep_days(if step % 280 < 40 { 11.0 } else { 2.2 });
        }
    }
    for insight in [
        "Never grip the glass with more than 5 N",
        "The user prefers the left shelf for cups",
        "Because the floor was wet the wheel slipped near the door",
        "Always open the lab door slowly",
    ] {
        robot.learn(insight);
    }
}

#[test]
fn a_busy_store_has_a_page() {
    let robot = Robot::words_only();
    busy(&robot);
    let response = robot.call::<Report>(ReportRequest::default());
    let ReportResponse { tasks, maps, stored, confidence, status, .. } = &response;
    assert_eq!(tasks.iter().map(|it| it.success_count + it.failure_count).sum::<u64>(), 1_200);
    assert_eq!(maps.iter().map(|map| map.count).sum::<u64>(), 1_200);
    let drawn = maps.iter().flat_map(|map| &map.marks).flat_map(|mark| mark.counts).sum::<u64>();
    assert_eq!(drawn + maps.iter().map(|map| map.outside_count).sum::<u64>(), 1_200);
    let all: u64 = stored.iter().flat_map(|(_, counts)| counts).sum();
    assert_eq!(all, status.memory_count);
    let active = status.by_status.iter().find(|it| it.key == "active").map(|it| it.count);
    assert_eq!(Some(confidence.iter().sum::<u64>()), active);
    let latest = robot.call::<Report>(ReportRequest { days: 30, ..Default::default() });
    assert!(latest.stored.iter().flat_map(|(_, counts)| counts).sum::<u64>() < all);
    assert_eq!((latest.periods.days, latest.periods.count), (1, 31));

    let page =
        page(&robot.store_path(), &Path::new(env!("CARGO_TARGET_TMPDIR")).join("report_busy.html"));
    assert_well_formed(&page);
    assert!(page.len() < 500_000, "{} bytes", page.len());
    assert!(!page.contains("NaN") && !page.contains("http://") && !page.contains("https://"));
    for text in ["M8 bolt", "hall, frame map", "Health", "Forgetting", "No undecided conflicts"] {
        assert!(page.contains(text), "{text} is missing");
    }
}

#[test]
fn an_empty_store_has_a_page() {
    let robot = Robot::words_only();
    let page = page(
        &robot.store_path(),
        &Path::new(env!("CARGO_TARGET_TMPDIR")).join("report_empty.html"),
    );
    assert_well_formed(&page);
    for text in ["No memories yet", "No places yet", "No attempts yet", "healthy"] {
        assert!(page.contains(text), "{text} is missing");
    }
}

#[test]
fn what_memories_say_stays_text() {
    let robot = Robot::words_only();
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&\u{202e}";
    let context = serde_json::json!({
        "task": {"name": evil, "object": evil, "success": true},
        "spatial": {"frame": evil, "map_id": evil, "robot_position": [1.0, 2.0]},
    });
    robot.call::<Learn>(LearnRequest {
        insight: format!("The label said {evil}"),
        context: context.to_string(),
        collection: "<b>x</b>".into(),
        ..Default::default()
    });
    let folder = TempDir::new().expect("a folder");
    let page = page(&robot.store_path(), &folder.path().join("page.html"));
    assert_well_formed(&page);
    for tag in ["<script", "<img", "<b>x", "onerror=alert(2)>", "\u{202e}"] {
        assert!(!page.contains(tag), "{tag} got through");
    }
    assert!(page.contains("&lt;script&gt;alert(1)"), "the name of the task is not shown");
    assert!(page.contains("&lt;b&gt;x&lt;/b&gt;"), "the collection is not shown");
}

#[test]
fn what_cannot_be_written_is_said() {
    let robot = Robot::words_only();
    let nowhere = memory(&robot.store_path(), &["report", "--output", "/nowhere/page.html"]);
    assert!(nowhere.refusal(1).contains("/nowhere/page.html"));
    let days = memory(&robot.store_path(), &["report", "--days", "40000"]);
    assert!(days.refusal(2).contains("days: at most"));
}
