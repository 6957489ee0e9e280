//! The page when there is much, when the store cannot be written, and with htmx: what it shows instead of failing.

use crate::http::Served;
use crate::page_browser::{Browser, attributes};
use crate::robot::Robot;
use crate::waiting::QUEUE_BYTES;
use robot_memory_core::api::{SavePerception, SavePerceptionRequest};
use robot_memory_engine::WriteQueueSettings;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use tempfile::TempDir;

/// What htmx sends with each of its requests.
const HTMX: &str = "HX-Request: true\r\n";

/// Serves what a robot has stored.
fn served(fill: impl FnOnce(&Robot)) -> Served {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = Robot::at(Arc::clone(&folder), |config| {
        config.write_queue = WriteQueueSettings { path: None, bytes_max: QUEUE_BYTES };
    });
    fill(&robot);
    Served::of(Arc::clone(&robot.engine), folder, true, 1e6)
}

fn felt(robot: &Robot, description: &str, data: &str) -> i64 {
    let request = SavePerceptionRequest {
        description: description.into(),
        data: data.into(),
        ..Default::default()
    };
    robot.call::<SavePerception>(request).memory_id
}

/// The memories that a page leads to.
fn shown(page: &str) -> BTreeSet<String> {
    let links = attributes(page, "href").into_iter();
    links.filter(|it| it.starts_with("/memories/")).map(str::to_owned).collect()
}

#[test]
fn data_that_is_too_much_is_left_out() {
    let mut id = 0;
    let bombs = served(|robot| {
        id = felt(robot, "a reading of many values", &format!("[{}0]", "{\"\":0},".repeat(60_000)));
    });
    let browser = Browser::new(&bombs);
    let page = browser.page(&format!("/memories/{id}"));
    assert!(page.contains("a reading of many values"), "{page}");
    assert!(page.contains("Its data is not shown"), "{page}");
    let page = browser.page("/timeline");
    assert!(page.contains("a reading of many values") && page.contains("left out here"), "{page}");

    let large = served(|robot| {
        for step in 0..9 {
            felt(
                robot,
                &format!("reading {step} of the scale"),
                &json!("x".repeat(1_000_000)).to_string(),
            );
        }
    });
    let page = Browser::new(&large).page("/timeline");
    assert!(page.contains("reading 8 of the scale") && page.contains("left out here"), "{page}");
}

#[test]
fn earlier_leads_to_all_that_was_stored_at_one_time() {
    let fill = |robot: &Robot, counts: [usize; 2]| {
        for (step, count) in counts.into_iter().enumerate() {
            for at in 0..count {
                felt(robot, &format!("step {step}: part {at} was seen"), "");
            }
            robot.sleep_days(0.1);
        }
    };
    let earlier = |page: &str| {
        let links = attributes(page, "href").into_iter();
        links.map(|it| it.replace("&amp;", "&")).find(|it| it.contains("until="))
    };
    let served_all = served(|robot| fill(robot, [20, 10]));
    let browser = Browser::new(&served_all);
    let first = browser.page("/timeline");
    assert!(!first.contains("of this one time"), "{first}");
    let second = browser.page(&earlier(&first).expect("more"));
    assert_eq!(earlier(&second), None);
    let all: BTreeSet<String> = shown(&first).union(&shown(&second)).cloned().collect();
    assert_eq!(all.len(), 30, "{all:?}");

    let served_most = served(|robot| fill(robot, [5, 30]));
    let browser = Browser::new(&served_most);
    let first = browser.page("/timeline");
    assert!(first.contains("of this one time"), "{first}");
    let second = browser.page(&earlier(&first).expect("more"));
    assert_eq!((shown(&second).len(), earlier(&second)), (5, None));
}

#[test]
fn limits_below_many_facts_of_one_time_are_shown() {
    let served = served(|robot| {
        robot.learn_with("The payload must not exceed 3 kg", "");
        robot.sleep_days(1.0);
        for at in 0..120 {
            robot.learn_with(&format!("part{at} belongs to box{}", at * 7), "");
        }
    });
    let page = Browser::new(&served).page("/limits");
    assert!(page.contains("The payload must not exceed 3 kg"), "{page}");
    assert!(page.contains("1 constraint of the newest"), "it says that it is not all: {page}");
    // A number beyond all pages is no fault.
    let page = Browser::new(&served).get(&format!("/jobs?offset={}", u32::MAX));
    assert!(matches!(page.status, 200 | 400), "{}", page.text());
}

#[test]
fn a_write_that_waits_is_not_said_to_be_done() {
    let (mut ids, mut robot_engine) = ([0; 2], None);
    let served = served(|robot| {
        ids = ["the drill hangs on hook 3", "the kettle stands on the stove"]
            .map(|it| robot.learn_with(it, ""));
        robot_engine = Some(Arc::clone(&robot.engine));
    });
    let engine = robot_engine.expect("one");
    let browser = Browser::new(&served);
    let [drill, kettle] = ids.map(|id| format!("/memories/{id}"));
    let page = browser.done(&format!("{kettle}/forget"), "reason=it+moved");
    assert!(page.contains("It is forgotten"), "{page}");
    // A link cannot make a page say it of another one.
    let page = browser.page(&format!("{drill}?did=forgotten"));
    assert!(!page.contains("It is forgotten") && !page.contains("Undo"), "{page}");

    engine.block_writes(Some("the disk is nearly full".into()));
    for (act, form) in [
        (format!("{drill}/correct"), "content=the+drill+hangs+on+hook+7"),
        (format!("{kettle}/learn-again"), ""),
        (format!("{drill}/forget"), "reason=it+moved"),
    ] {
        let page = browser.done(&act, form);
        assert!(page.contains("The store cannot be written now"), "{act}: {page}");
        for done in ["It is corrected", "It is learned", "It is forgotten", "Undo"] {
            assert!(!page.contains(done), "{act}: {page}");
        }
    }
}

#[test]
fn a_form_keeps_the_lines_of_a_text() {
    let mut id = 0;
    let served = served(|robot| id = robot.learn_with("the drill\thangs on hook 3", ""));
    let browser = Browser::new(&served);
    let memory = format!("/memories/{id}");
    let form = "content=the+drill+hangs%0D%0Aon+hook+7%09left";
    let page = browser.done(&format!("{memory}/correct"), form);
    assert!(page.contains("It is corrected") && !page.contains('\u{fffd}'), "{page}");
    let stored = browser.get(&format!("/api/v1{memory}")).text();
    let stored: serde_json::Value = serde_json::from_str(&stored).expect("JSON");
    assert_eq!(stored["content"], "the drill hangs\non hook 7\tleft");
    let page = browser.page(&format!("{memory}/correct"));
    assert!(page.contains("the drill hangs\non hook 7\tleft</textarea>"), "{page}");
}

#[test]
fn htmx_shows_whole_what_is_no_part_of_a_view() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let Robot { engine, .. } = Robot::at(Arc::clone(&folder), |_| {});
    let served = Served::of(engine, folder, false, 3.0);
    let nobody = Browser::new(&served);
    let got = nobody.ask("GET", "/?q=cup", HTMX, "");
    assert_eq!(
        (got.status, got.header("hx-redirect").as_str()),
        (204, "/login?next=%2F%3Fq%3Dcup"),
        "{}",
        got.headers
    );
    let got = nobody.get("/?q=cup");
    assert_eq!((got.status, got.header("location").as_str()), (303, "/login?next=%2F%3Fq%3Dcup"));

    let reader = Browser::with_token(&served, &served.reader);
    let got = reader.ask("GET", "/memories/7", HTMX, "");
    assert_eq!((got.status, got.header("hx-retarget").as_str()), (404, "#main"), "{}", got.text());
    let many: Vec<_> = (0..12).map(|_| reader.ask("GET", "/health", HTMX, "")).collect();
    let refused = many.iter().find(|it| it.status == 429).expect("too many");
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("hx-retarget", "#main"),
        ("hx-reselect", "#main"),
        ("hx-reswap", "outerHTML"),
        ("retry-after", "1"),
    ] {
        assert_eq!(refused.header(name), value, "{name}");
    }
    let page = refused.text();
    assert!(page.contains("id=\"main\"") && page.contains("role=\"alert\""), "{page}");
    // A program is told as before.
    let many = (0..12).map(|_| served.post(&served.reader, "status", &json!({})));
    let told = many.map(|it| it.body).find(|it| it.contains("\"status\":429"));
    assert!(told.is_some());
}
