//! The page for people: a real listener over a real store, and what a browser gets of it.

use crate::http::Served;
use crate::page_browser::{Browser, Got, PICTURES, attributes, first_byte_ms, take_picture};
use crate::page_store::{Filled, fill_up, filled};
use crate::robot::Robot;
use robot_memory::faces::http::tokens::{self, Profile};
use robot_memory_core::api::{Learn, LearnRequest};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Bytes of a view with all that it is made of, but for pictures of the store, as they are sent.
const WEIGHT_MAX: usize = 60_000;

/// Each view without a number in it, and its name.
const VIEWS: [(&str, &str); 12] = [
    ("search", "/?q=how+hard+may+I+grip+the+glass"),
    ("newest", "/"),
    ("timeline", "/timeline"),
    ("map", "/map"),
    ("limits", "/limits"),
    ("tasks", "/tasks"),
    ("task", "/tasks?task=grip&object=glass+cup"),
    ("contradictions", "/contradictions"),
    ("fleet", "/fleet"),
    ("jobs", "/jobs"),
    ("health", "/health"),
    ("backups", "/backups"),
];

fn serve(filled: Filled, is_open: bool) -> (Served, Ids) {
    let Filled { robot, folder, older, newer, corrected, keyframe, contact, archived } = filled;
    let Robot { engine, .. } = robot;
    let ids = Ids { older, newer, corrected, keyframe, contact, archived };
    (Served::of(engine, folder, is_open, 1e6), ids)
}

struct Ids {
    older: i64,
    newer: i64,
    corrected: i64,
    keyframe: i64,
    contact: i64,
    archived: i64,
}

impl Ids {
    /// Every view, with its name and its path.
    fn views(&self) -> Vec<(&'static str, String)> {
        let mut views: Vec<(&str, String)> =
            VIEWS.iter().map(|(name, path)| (*name, (*path).to_owned())).collect();
        views.push(("memory", format!("/memories/{}", self.contact)));
        views.push(("keyframe", format!("/memories/{}", self.keyframe)));
        views.push(("corrected", format!("/memories/{}", self.corrected)));
        views
    }
}

fn empty(is_open: bool) -> Served {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = Robot::at(Arc::clone(&folder), |_| {});
    let Robot { engine, .. } = robot;
    Served::of(engine, folder, is_open, 1e6)
}

/// The paths that a page leads to, but for pictures, clips and what changes something.
fn links(page: &str) -> BTreeSet<String> {
    let links = attributes(page, "href").into_iter().map(|link| link.replace("&amp;", "&"));
    links.filter(|link| link.starts_with('/') && !link.starts_with("/api/")).collect()
}

#[test]
fn every_view_is_there_and_all_that_it_leads_to() {
    let (served, ids) = serve(filled(), false);
    let browser = Browser::with_token(&served, &served.operator);
    let mut waiting: Vec<String> = ids.views().into_iter().map(|view| view.1).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    // Some hundred: each memory has some pages of its own.
    while let Some(path) = waiting.pop().filter(|_| seen.len() < 260) {
        if !seen.insert(path.clone()) {
            continue;
        }
        let got = browser.get(&path);
        assert_eq!(got.status, 200, "{path}: {}", got.text());
        if path.starts_with("/assets/") {
            assert!(got.header("cache-control").contains("immutable"), "{path}");
            continue;
        }
        let page = got.text();
        assert_safe(&path, &got);
        assert!(page.contains("<h1>") && page.contains("</html>"), "{path}");
        assert!(!page.contains("NaN") && !page.contains("undefined"), "{path}");
        waiting.extend(links(&page).into_iter().filter(|link| !link.contains('#')));
    }
    assert!(seen.len() > 100, "{}", seen.len());
    for expected in
        ["/memories/", "/correct", "/forget", "/judge?to=pinned", "/jobs/", "/maintenance"]
    {
        assert!(seen.iter().any(|path| path.contains(expected)), "{expected} is led to by nothing");
    }
}

/// What a browser may do with a page, and that the page does nothing else.
fn assert_safe(path: &str, got: &Got) {
    let policy = got.header("content-security-policy");
    for part in
        ["default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'"]
    {
        assert!(policy.contains(part), "{path}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(got.header("x-content-type-options"), "nosniff", "{path}");
    assert_eq!(got.header("cache-control"), "no-store", "{path}");
    // With less a browser would not say that a form is of this node.
    assert_eq!(got.header("referrer-policy"), "same-origin", "{path}");
    let page = got.text();
    for inline in [
        "<style",
        " style=",
        " onclick=",
        " onload=",
        " onerror=",
        "javascript:",
        "hx-on",
        "hx-vals",
    ] {
        assert!(!page.contains(inline), "{path} has {inline}");
    }
    let scripts = page.matches("<script").count();
    assert_eq!(
        scripts,
        page.matches("<script src=\"/assets/").count(),
        "{path} has a script in it"
    );
}

#[test]
fn a_view_is_light_with_all_that_it_is_made_of() {
    let (served, ids) = serve(filled(), false);
    let browser = Browser::with_token(&served, &served.operator);
    let weigh = |path: &str| {
        let got = browser.ask("GET", path, "Accept-Encoding: br, gzip\r\n", "");
        assert_eq!((got.status, got.header("content-encoding").as_str()), (200, "gzip"), "{path}");
        got.headers.len() + got.body.len()
    };
    for (name, path) in ids.views() {
        let page = browser.page(&path);
        let parts: Vec<&str> =
            attributes(&page, "src").into_iter().chain(attributes(&page, "href")).collect();
        let parts: BTreeSet<&str> =
            parts.into_iter().filter(|it| it.starts_with("/assets/")).collect();
        assert_eq!(parts.len(), 3, "{parts:?}");
        let weight = weigh(&path) + parts.iter().map(|part| weigh(part)).sum::<usize>();
        println!("{name}: {weight} bytes, {} of the page as it is", page.len());
        assert!(weight < WEIGHT_MAX, "{name}: {weight} bytes");
    }
}

#[test]
fn a_browser_is_asked_to_log_in_and_a_program_is_not() {
    let served = empty(false);
    let browser = Browser::new(&served);
    for (path, form) in [
        ("/", "/login"),
        ("/timeline", "/login?next=%2Ftimeline"),
        ("/memories/1?a=b+c", "/login?next=%2Fmemories%2F1%3Fa%3Db%2Bc"),
    ] {
        let got = browser.get(path);
        assert_eq!((got.status, got.header("location").as_str()), (303, form), "{path}");
    }
    let form = browser.page("/login?next=%2Fmemories%2F1%3Fa%3Db%2Bc");
    assert!(form.contains("name=\"next\" value=\"/memories/1?a=b+c\""), "{form}");
    let next = |next: &str| {
        let got = browser.submit("/login", &format!("token={}&next={next}", served.reader));
        got.header("location")
    };
    assert_eq!(next("%2Fmemories%2F1%3Fa%3Db%2Bc"), "/memories/1?a=b+c");
    assert_eq!(next("%2F%2Fevil.example"), "/");
    let form = browser.page("/login");
    assert!(form.contains("type=\"password\"") && form.contains("action=\"/login\""), "{form}");
    assert_eq!(browser.get("/api/v1/recall").status, 401);
    let plain = format!("GET / HTTP/1.0\r\nHost: {}\r\n\r\n", served.address);
    assert_eq!(served.raw(&plain).status, 401);

    for wrong in ["token=rmt_00", "token=", "tok", "%ff=%fe"] {
        let got = browser.submit("/login", wrong);
        assert_eq!((got.status, got.header("set-cookie").as_str()), (401, ""), "{wrong}");
    }
    let got = browser.submit("/login", &format!("token={}", served.reader));
    let cookie = got.header("set-cookie");
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&served.reader) && !cookie.contains("Secure"), "{cookie}");
    // Another node on the same computer has another cookie.
    let name = format!("robot_memory_login_{}=", served.address.port());
    assert!(cookie.starts_with(&name), "{cookie}");
    // Behind a proxy with TLS.
    let tls = format!("Origin: https://{}\r\n", served.address);
    let got = browser.ask("POST", "/login", &tls, &format!("token={}", served.reader));
    assert!(got.header("set-cookie").ends_with("; Secure"), "{}", got.headers);
    let origin = "Origin: http://evil.example\r\n";
    let foreign = browser.ask("POST", "/login", origin, &format!("token={}", served.reader));
    assert_eq!((foreign.status, foreign.header("set-cookie").as_str()), (403, ""));
}

#[test]
fn a_login_lasts_until_it_is_ended_or_its_token_is_removed() {
    let served = empty(false);
    let planner = Browser::with_token(&served, &served.planner);
    let reader = Browser::with_token(&served, &served.reader);
    assert!(planner.page("/").contains("p · planner"));
    tokens::remove(&served.tokens_path(), "p").expect("it is removed");
    assert_eq!(planner.get("/").status, 303);
    assert_eq!(reader.get("/").status, 200);
    // What a token may is what the file says now.
    tokens::remove(&served.tokens_path(), "r").expect("it is removed");
    tokens::add(&served.tokens_path(), "r", "dashboard", Profile::Operator).expect("it is added");
    assert_eq!(reader.get("/").status, 303);

    let operator = Browser::with_token(&served, &served.operator);
    assert_eq!(operator.ask("POST", "/logout", "", "").status, 403);
    assert_eq!(operator.get("/").status, 200);
    let left = operator.submit("/logout", "");
    assert!(left.header("set-cookie").contains("Max-Age=0"), "{}", left.headers);
    assert_eq!(operator.get("/").status, 303);
}

#[test]
fn the_link_of_the_start_works_once() {
    let served = empty(false);
    let link = served.login_link().expect("there is one");
    let path = link.strip_prefix(&format!("http://{}", served.address)).expect("this node");
    let mut browser = Browser::new(&served);
    // To look whether it is there does not use it up.
    assert_eq!(browser.ask("HEAD", path, "", "").status, 200);
    let wrong = browser.get("/login?token=rmt_00");
    assert_eq!((wrong.status, wrong.header("set-cookie").as_str()), (401, ""));
    let got = browser.get(path);
    assert_eq!((got.status, got.header("location").as_str()), (303, "/"));
    browser.keep(&got);
    assert!(browser.page("/").contains("login link · operator"));
    assert_eq!(served.login_link(), None);
    let again = Browser::new(&served).get(path);
    assert_eq!((again.status, again.header("set-cookie").as_str()), (401, ""));
}

#[test]
fn other_pages_change_nothing_with_the_login_of_a_browser() {
    let (served, ids) = serve(filled(), false);
    let browser = Browser::with_token(&served, &served.operator);
    let memory = format!("/memories/{}", ids.corrected);
    let forget = format!("{memory}/forget");
    let api = format!(r#"{{"memory_id": {}, "reason": "a trick"}}"#, ids.corrected);
    let origins = [
        "",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
    ];
    for origin in origins {
        assert_eq!(browser.ask("POST", &forget, origin, "reason=a+trick").status, 403, "{origin}");
        assert_eq!(browser.ask("POST", "/api/v1/forget", origin, &api).status, 403, "{origin}");
        assert_eq!(browser.ask("POST", "/jobs/1/retry", origin, "").status, 403, "{origin}");
    }
    // A browser shows what a page looks at; to look changes nothing.
    assert_eq!(browser.get(&format!("{forget}?reason=a+trick")).status, 200);
    let page = browser.page(&memory);
    assert!(page.contains("active") && !page.contains("a trick"), "{page}");
    assert_eq!(browser.submit(&forget, "reason=it+is+wrong").status, 303);
    assert!(browser.page(&memory).contains("it is wrong"));
    // A program with a token has no login that somebody could use.
    let learn = json!({"insight": "the mug is on the shelf", "scope": "global"});
    assert_eq!(served.post(&served.planner, "learn", &learn).status, 200);
}

#[test]
fn the_requests_of_a_caller_are_counted_however_it_shows_who_it_is() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let Robot { engine, .. } = Robot::at(Arc::clone(&folder), |_| {});
    let served = Served::of(engine, folder, false, 3.0);
    let reader = Browser::with_token(&served, &served.reader);
    let statuses: Vec<u16> = (0..8)
        .map(|at| match at % 2 {
            0 => reader.get("/health").status,
            _ => served.post(&served.reader, "status", &json!({})).status,
        })
        .collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(served.post(&served.planner, "status", &json!({})).status, 200);
}

#[test]
fn who_only_reads_sees_no_buttons_and_is_refused() {
    let (served, ids) = serve(filled(), false);
    let reader = Browser::with_token(&served, &served.reader);
    let memory = format!("/memories/{}", ids.corrected);
    let page = reader.page(&memory);
    assert!(!page.contains("/correct") && !page.contains("/forget"), "{page}");
    for path in ["/jobs", "/backups", "/contradictions", "/tasks?task=grip&object=glass+cup"] {
        let page = reader.page(path);
        assert!(page.matches("method=\"post\"").count() == 1, "{path} has more than the logout");
        for act in ["/maintenance", "/backups/new", "/settle", "/judge"] {
            assert!(!page.contains(act), "{path} leads to {act}");
        }
    }
    let got = reader.submit(&format!("{memory}/forget"), "reason=x");
    assert_eq!(got.status, 403);
    assert!(got.text().contains("planner is needed"), "{}", got.text());
    assert!(!reader.page(&format!("{memory}/forget")).contains("reason"));
    for path in ["/maintenance", "/backups/new"] {
        assert_eq!(reader.submit(path, "mode=daily").status, 403, "{path}");
    }
    assert!(reader.page(&memory).contains("active"));
}

#[test]
fn what_is_done_is_asked_said_and_taken_back() {
    let (served, ids) = serve(filled(), false);
    let browser = Browser::with_token(&served, &served.operator);
    let memory = format!("/memories/{}", ids.corrected);

    let asked = browser.page(&format!("{memory}/correct"));
    assert!(asked.contains("left of the green door"), "{asked}");
    let page = browser.done(&format!("{memory}/correct"), "content=The+charger+is+beside+the+door");
    assert!(page.contains("It is corrected.") && page.contains("Undo"), "{page}");
    let back = attributes(&page, "value")
        .into_iter()
        .find(|it| it.contains("left of"))
        .expect("what it said");
    let page =
        browser.done(&format!("{memory}/correct"), &format!("content={}", back.replace(' ', "+")));
    assert!(page.contains("<p class=\"content\">The charger is left of the green door"), "{page}");

    let page = browser.done(&format!("{memory}/forget"), "reason=it+was+moved");
    assert!(page.contains("It is forgotten") && page.contains("learn-again"), "{page}");
    let page = browser.done(&format!("{memory}/learn-again"), "");
    assert!(page.contains("It is learned") && page.contains("left of the green door"), "{page}");
    assert!(!page.contains(&format!("<h1>Memory {}</h1>", ids.corrected)), "{page}");
    let refused = browser.submit(&format!("{memory}/forget"), "reason=again");
    assert_eq!(refused.status, 409, "{}", refused.text());

    let task = browser.page("/tasks?task=grip&object=glass+cup");
    let judge =
        links(&task).into_iter().find(|it| it.ends_with("/judge?to=pinned")).expect("a lesson");
    let judge = judge.split('?').next().expect("a path").to_owned();
    let page = browser.done(&judge, "judgment=pinned&reason=I+saw+it");
    assert!(page.contains("pinned") && page.contains("Undo"), "{page}");
    let page = browser.done(&judge, "judgment=rejected&reason=the+gripper+was+worn");
    assert!(page.contains("<span class=\"badge bad\">rejected"), "{page}");
    assert!(page.contains("value=\"pinned\""), "what was said before can be put back: {page}");
    let page = browser.done(&judge, "judgment=");
    assert!(!page.contains("Let attempts decide"), "{page}");

    let faded = format!("/memories/{}", ids.archived);
    assert!(links(&browser.page(&faded)).contains(&format!("{faded}/restore")));
    assert!(browser.page(&format!("{faded}/restore")).contains("It is recalled again"));
    let page = browser.done(&format!("{faded}/restore"), "reason=the+audit+asks+for+it");
    assert!(page.contains("It is restored") && page.contains("the audit asks for it"), "{page}");
    assert!(browser.page("/?q=tray+carried").contains(&faded));
    assert_eq!(browser.submit(&format!("{faded}/restore"), "").status, 409, "it is active");

    let pairs = browser.page("/contradictions");
    assert!(
        pairs.contains("1 contradiction that") || pairs.contains("1 contradiction "),
        "{pairs}"
    );
    let settle = format!("/contradictions/settle?keep={}&forget={}", ids.newer, ids.older);
    assert!(links(&pairs).contains(&settle), "{pairs}");
    assert!(browser.page(&settle).contains("Use 12 N for the blue cup"));
    let form = format!("keep={}&forget={}", ids.newer, ids.older);
    let page = browser.done("/contradictions/settle", &form);
    assert!(page.contains("settled") && page.contains("Undo"), "{page}");
    assert!(browser.page("/contradictions").contains("Nothing contradicts anything"));

    let page = browser.done("/maintenance", "mode=weekly&dry_run=1");
    assert!(page.contains("It is queued.") && page.contains("Cancel it"), "{page}");
    let job = links(&page).into_iter().find(|it| it.ends_with("/cancel")).expect("a job");
    assert!(browser.done(&job, "").contains("It is cancelled."));
    let again = job.replace("/cancel", "/retry");
    assert!(browser.page(&again).contains("counted anew"));
    let page = browser.done(&again, "");
    assert!(page.contains("It is queued again.") && page.contains("Cancel it"), "{page}");
    assert_eq!(browser.submit(&again, "").status, 409, "it waits already");
    assert!(browser.done("/backups/new", "").contains("It is queued."));
}

#[test]
fn nothing_that_is_stored_gets_out_of_its_place() {
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let robot = Robot::at(Arc::clone(&folder), |_| {});
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
    let context = json!({
        "task": {"name": evil, "object": evil, "success": true},
        "spatial": {"frame": evil, "map_id": evil, "object_position": [1.0, 2.0, 0.0]},
        "event": {"trigger": evil, "stream": evil},
    });
    let learned = robot.call::<Learn>(LearnRequest {
        insight: format!("it must not be {evil}"),
        context: context.to_string(),
        collection: "a\"b<c>'d".into(),
        ..Default::default()
    });
    let saved = robot.perceive(&format!("felt {evil}"), &context.to_string());
    let Robot { engine, .. } = robot;
    let served = Served::of(engine, folder, true, 1e6);
    let browser = Browser::new(&served);
    let encoded =
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%3E%3Cimg+src%3Dx+onerror%3Dalert(2)%3E";
    let mut paths: Vec<String> = VIEWS.iter().map(|(_, path)| (*path).to_owned()).collect();
    paths.extend([learned.memory_id, saved].map(|id| format!("/memories/{id}")));
    paths.extend(
        [learned.memory_id, saved].map(|id| format!("/memories/{id}/forget?reason={encoded}")),
    );
    paths.push(format!("/?q={encoded}&scope={encoded}"));
    paths.push(format!("/tasks?task={encoded}"));
    paths.push(format!("/timeline?trigger={encoded}"));
    paths.push(format!("/map?map={encoded}&frame={encoded}"));
    let mut shown = 0;
    for path in paths {
        let got = browser.get(&path);
        let page = got.text();
        assert!(matches!(got.status, 200 | 400), "{path}: {page}");
        assert!(!page.contains("<script>") && !page.contains("<img src=x"), "{path}: {page}");
        for value in
            ["href", "value", "aria-label", "title"].iter().flat_map(|name| attributes(&page, name))
        {
            assert!(!value.contains('<'), "{path}: {value}");
        }
        shown += usize::from(page.contains("&lt;script&gt;"));
    }
    assert!(shown > 8, "it is shown on {shown} pages only");
}

#[test]
fn an_agent_sees_on_the_page_what_its_scopes_allow_and_no_more() {
    let (served, _) = serve(filled(), false);
    let skill =
        tokens::add(&served.tokens_path(), "s", "skill_vault", Profile::Planner).expect("a token");
    let spatial = json!({"spatial": {"frame": "vaultframe", "map_id": "vaultmap", "object_position": [1, 2, 0]},
        "task": {"name": "vaulttask", "success": true}});
    let own = json!({ "insight": "the vault must not be turned with more than 4 N", "scope": "agent:skill_vault",
        "mem_type": "procedure", "context": spatial });
    let learned = served.post(&skill, "learn", &own);
    assert_eq!(learned.status, 200, "{}", learned.body);
    let id = learned.json()["memory_id"].as_i64().expect("a number");
    let (reader, skill) =
        (Browser::with_token(&served, &served.reader), Browser::with_token(&served, &skill));
    assert!(skill.page("/?q=vault").contains("the vault must not"));
    let paths = VIEWS.iter().map(|(_, path)| (*path).to_owned());
    let more = ["/?q=turned", "/map?map=vaultmap&frame=vaultframe", "/?scope=agent%3Askill_vault"]
        .map(str::to_owned);
    for path in paths.chain(more) {
        let got = reader.get(&path);
        assert!(
            !got.text()
                .to_lowercase()
                .replace("agent:skill_vault", "")
                .replace("map=vaultmap", "")
                .contains("the vault"),
            "{path}: {}",
            got.text()
        );
        assert!(!got.text().contains("vaulttask"), "{path}");
    }
    for act in ["", "/correct", "/forget", "/restore", "/judge?to=pinned", "/learn-again"] {
        let got = reader.get(&format!("/memories/{id}{act}"));
        assert_eq!(got.status, 404, "{act}");
        assert!(!got.text().contains("vault"), "{}", got.text());
    }
}

#[test]
fn what_is_not_there_or_not_well_formed_is_said_on_a_page() {
    let served = empty(true);
    let browser = Browser::new(&served);
    for (path, status, says) in [
        ("/memories/7", 404, "7"),
        ("/memories/x", 400, "memory_id"),
        ("/memories/99999999999999999999", 400, "memory_id"),
        ("/jobs/7", 404, "7"),
        ("/contradictions/settle?keep=a", 400, "keep"),
        ("/timeline?since=yesterday", 400, "since"),
    ] {
        let got = browser.get(path);
        assert_eq!(got.status, status, "{path}: {}", got.text());
        assert!(
            got.text().contains("role=\"alert\"") && got.text().contains(says),
            "{path}: {}",
            got.text()
        );
    }
    let large = browser.submit("/memories/1/correct", &format!("content={}", "x".repeat(20_000)));
    assert_eq!(large.status, 413, "{}", large.text());
    for (_, path) in VIEWS {
        assert!(browser.page(path).contains("<h1>"), "{path} of an empty store");
    }
}

/// Screenshots for docs/page.md (UPDATE_SCREENSHOTS=1), a page to look at (ROBOT_MEMORY_PAGE_SECS), and how long a store
/// with more rows takes (ROBOT_MEMORY_PAGE_ROWS).
#[test]
fn the_page_is_looked_at() {
    let secs = std::env::var("ROBOT_MEMORY_PAGE_SECS").ok().and_then(|secs| secs.parse().ok());
    let wants_pictures = std::env::var_os("UPDATE_SCREENSHOTS").is_some();
    let rows = std::env::var("ROBOT_MEMORY_PAGE_ROWS").ok().and_then(|rows| rows.parse().ok());
    if secs.is_none() && !wants_pictures && rows.is_none() {
        return;
    }
    let filled = filled();
    if let Some(rows) = rows {
        fill_up(&filled.robot, rows);
    }
    let (served, ids) = serve(filled, true);
    for (name, path) in ids.views().iter().filter(|_| rows.is_some()) {
        println!("first byte of {name}: {:.1} ms", first_byte_ms(&served, path));
    }
    if wants_pictures {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
        for (name, path) in ids.views() {
            for picture in PICTURES.iter().filter(|picture| picture.of == name) {
                take_picture(&served, &path, picture, &folder);
            }
        }
    }
    if let Some(secs) = secs {
        println!("http://{}/ and {}", served.address, served.login_link().unwrap_or_default());
        for (_, path) in ids.views() {
            println!("{path}");
        }
        std::thread::sleep(Duration::from_secs(secs));
    }
}
