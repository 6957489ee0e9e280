//! The memory of a site: a program that keeps what robots tell, and answers what they ask.

use crate::cli::{program, run};
use crate::configs::{self, HubConfig};
use crate::http::Served;
use crate::page_browser::Browser;
#[cfg(feature = "site")]
use crate::postgres_server;
use crate::proxy::Proxy;
use crate::robot::Robot;
use crate::server::{Server, free_port, wait_until};
use robot_memory::faces::fleet::Link;
use robot_memory_claims::{Key, KnownRobots};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, GetStatus, Hit, Learn, LearnRequest, Recall, RecallRequest,
    RecallResponse, SiteState, StatusRequest,
};
use robot_memory_core::claim::{Body, Takes};
use robot_memory_engine::{Config, FleetMember};
use robot_memory_fleet::Settings;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

const GLASS: &str = "Never grip the glass harder than 13 N";
const CRATE: &str = "The green crate stands beside the oven";
const BOLTS: &str = "Bolts of the pump need eight turns";
const ACCESS: &str = "agents: [{names: [visitor], read: [{scope: global}]}]\n\
    fleet: [{scope: global, share: all}]";

/// `memory site`, running.
struct SiteProgram {
    child: Child,
    /// What it said at its start.
    started: Value,
}

impl SiteProgram {
    fn start(folder: &Path, hub: &Server) -> Self {
        let store = folder.join("site.db").display().to_string();
        Self::keeping(folder, hub, &["--store", &store, "--http", "127.0.0.1:0"])
    }

    /// Its memory is where these arguments say.
    fn keeping(folder: &Path, hub: &Server, place: &[&str]) -> Self {
        let mut command = program();
        command.args(["site", "--no-model", "--json", "--url", &hub.url()]).args(place);
        command.arg("--robots").arg(folder.join("robots.yaml"));
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("it is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says that it started");
        let started = serde_json::from_str(&line).unwrap_or_else(|error| {
            let _ = child.kill();
            let mut said = String::new();
            let _ = child.stderr.take().expect("a pipe").read_to_string(&mut said);
            panic!("{error}: {line:?}; {said}")
        });
        Self { child, started }
    }

    /// Ends it as an operator does; returns how it ended, and what it said.
    fn end(mut self) -> (Option<i32>, String) {
        let pid = i32::try_from(self.child.id()).expect("it is one");
        // SAFETY: it only sends a signal to a process that was not waited for yet.
        assert_eq!(unsafe { libc::kill(pid, libc::SIGTERM) }, 0);
        let code = self.child.wait().expect("it ends").code();
        let mut said = String::new();
        let _ = self.child.stderr.take().expect("a pipe").read_to_string(&mut said);
        (code, said)
    }
}

impl Drop for SiteProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A robot with its link.
struct Arm {
    robot: Robot,
    link: Arc<Link>,
}

impl Arm {
    fn start(name: &str, key: u8, url: &str, known: &KnownRobots, takes: Takes) -> Self {
        let robot = Robot::with(member(name, takes));
        Self::on(robot, name, key, url, known)
    }

    fn on(robot: Robot, name: &str, key: u8, url: &str, known: &KnownRobots) -> Self {
        let (engine, key) = (Arc::clone(&robot.engine), Key::from_seed(&[key; 32]));
        let settings = Settings::new(url, name);
        let link = Link::start(settings, engine, key, known.clone()).unwrap();
        let shown: Arc<Link> = Arc::clone(&link);
        robot.engine.set_fleet_link(Some(shown));
        Self { robot, link }
    }

    fn learn(&self, insight: &str) -> i64 {
        let request = LearnRequest { insight: insight.into(), ..Default::default() };
        self.robot.call::<Learn>(request).memory_id
    }

    fn forget(&self, memory_id: i64) {
        let reason = "no longer so".into();
        self.robot.call::<Forget>(ForgetRequest { memory_id, reason, ..Default::default() });
    }

    fn ask(&self, request: RecallRequest) -> RecallResponse {
        self.robot.call::<Recall>(RecallRequest { include_site: true, ..request })
    }

    fn ask_for(&self, query: &str) -> RecallResponse {
        self.ask(RecallRequest { query: query.into(), n: 20, ..Default::default() })
    }
}

impl Drop for Arm {
    fn drop(&mut self) {
        self.link.stop();
    }
}

fn member(name: &str, takes: Takes) -> impl FnOnce(&mut Config) {
    let gripper = if name == "arm-1" { "rg2" } else { "rg6" };
    let body = Body { robot_type: "ur5e".into(), gripper: gripper.into() };
    let member = FleetMember { takes, ..FleetMember::new(name, body) };
    move |config| {
        config.fleet = Some(member);
        config.access = Some(ACCESS.to_owned());
    }
}

fn texts(response: &RecallResponse) -> Vec<&str> {
    response.memories.iter().map(|hit| hit.memory.content.as_str()).collect()
}

fn from_site(response: &RecallResponse) -> Vec<&Hit> {
    response.memories.iter().filter(|hit| hit.why.from_site).collect()
}

/// A hub, a robot that tells, one behind a network of its own that takes limits and lessons only, and a site.
struct World {
    teller: Arm,
    asker: Arm,
    site: Option<SiteProgram>,
    network: Proxy,
    _leaf: Server,
    hub: Server,
    known: KnownRobots,
    folder: TempDir,
}

impl World {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let mut robots = "robots:\n".to_owned();
        for number in 1..=2_u8 {
            let key = Key::from_seed(&[number; 32]).public();
            robots += &format!("  arm-{number}: {{key: \"{key}\"}}\n");
        }
        std::fs::write(at.join("robots.yaml"), &robots).unwrap();
        let known = KnownRobots::parse(&robots).unwrap();
        let HubConfig { port, leaf_port, text, .. } = HubConfig::new(at);
        let hub = Server::start(at, "hub", port, &text);
        let (network, port) = (Proxy::to(leaf_port), free_port());
        let config = configs::leaf(at, "arm-2", port, network.port);
        let leaf = Server::start(at, "arm-2", port, &config);
        let teller = Arm::start("arm-1", 1, &hub.url(), &known, Takes::All);
        let asker = Arm::start("arm-2", 2, &leaf.url(), &known, Takes::LimitsAndLessons);
        let site = Some(SiteProgram::start(at, &hub));
        Self { teller, asker, site, network, _leaf: leaf, hub, known, folder }
    }

    /// The program says who told a memory that a site in Postgres keeps, also while that runs.
    #[cfg(feature = "site")]
    fn shows_provenance(&self, postgres_file: &Path, crate_id: i64) {
        let ask = |robot: &str, id: i64, options: &[&str]| {
            let id = id.to_string();
            let mut command = program();
            command.args(["site", "provenance", robot, &id, "--postgres-file"]).arg(postgres_file);
            run(command.args(options))
        };
        let found = ask("arm-1", crate_id, &["--json"]);
        let found: Value = serde_json::from_str(&found.stdout).expect("it is JSON");
        let of = json!({ "origin": "arm-1", "memory_id": crate_id });
        let teller = &found["told_by"][0];
        assert_eq!((&found["memory"]["content"], &teller["of"]), (&json!(CRATE), &of), "{found}");
        assert_eq!((&teller["is_independent"], &found["roots"][0]["of"]), (&json!(true), &of));
        let told_at = teller["told_at"].as_str().expect("a time");
        assert_eq!(
            (&found["memory"]["told_at"], &found["verdicts"]),
            (&json!(told_at), &json!([]))
        );
        let text = ask("arm-1", crate_id, &[]).stdout;
        let expected = format!("told by\n  arm-1 {crate_id}, {told_at}, of its own experience\n");
        assert!(text.contains(&expected), "{expected:?} is not in {text:?}");
        let missing = ask("arm-9", 1, &[]);
        assert!(
            missing.stderr.contains("arm-9 1: memory_id: there is no memory 1"),
            "{}",
            missing.stderr
        );
        assert_eq!(missing.code, 2);
    }

    /// Waits until the site has so many memories for a query.
    fn wait_for(&self, query: &str, count: usize) {
        wait_until(
            || {
                let response = self.asker.ask_for(query);
                response.site == Some(SiteState::Answered) && from_site(&response).len() == count
            },
            || format!("{:?}", self.asker.ask_for(query)),
        );
    }
}

#[test]
fn a_robot_finds_at_the_site_what_it_did_not_take() {
    let world = World::start();
    let crate_id = world.teller.learn(CRATE);
    world.teller.learn(GLASS);
    world.wait_for("where is the green crate", 1);
    let response = world.asker.ask_for("where is the green crate");
    let hit = from_site(&response)[0];
    assert_eq!(hit.memory.content, CRATE);
    assert_eq!(
        (hit.memory.id, hit.score, hit.memory.scope.to_string().as_str()),
        (0, 0.0, "fleet")
    );
    assert_eq!((hit.why.told_by.as_slice(), hit.why.independent_count), (&["arm-1".into()][..], 1));
    assert_eq!(hit.why.transfer, ["gripper: rg2 there, rg6 here"]);
    assert!(hit.why.relevance > 0.0 && hit.why.told_at.is_some(), "{hit:?}");
    let alone = RecallRequest { query: "where is the green crate".into(), ..Default::default() };
    let alone = world.asker.robot.call::<Recall>(alone);
    assert_eq!((alone.site, texts(&alone).contains(&CRATE)), (None, false));

    // A limit was taken: it is this robot's own hearsay, and not there twice.
    wait_until(
        || texts(&world.asker.robot.recall("glass grip")).contains(&GLASS),
        || "the limit was not taken".into(),
    );
    let response = world.asker.ask_for("how hard may I grip the glass");
    assert_eq!(texts(&response).iter().filter(|text| **text == GLASS).count(), 1);
    assert!(from_site(&response).iter().all(|hit| hit.memory.content != GLASS));

    // What the robot knows itself stands before it where both fit as well.
    world.asker.learn("The green crate stands beside the window");
    let response = world.asker.ask_for("green crate stands beside");
    assert_eq!(texts(&response)[..2], ["The green crate stands beside the window", CRATE]);

    // The site itself answers over HTTP, to who proves who it is.
    let http = world.site.as_ref().unwrap().started["http"].as_str().unwrap().to_owned();
    let mut stream = TcpStream::connect(&http).unwrap();
    let request =
        format!("GET /api/v1/memories HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");

    let visitor =
        RecallRequest { agent: "visitor".into(), scope: "global".into(), ..query("crate") };
    let response = world.asker.ask(visitor);
    assert_eq!((response.site, from_site(&response).len()), (Some(SiteState::Skipped), 0));
    assert_eq!(response.site_fault, "the caller may not read the scope fleet");

    // The page says which are the site's, and links to none of them.
    let engine = Arc::clone(&world.asker.robot.engine);
    let served = Served::of(engine, tempfile::tempdir().unwrap(), true, 1e6);
    let page = Browser::new(&served).page("/?q=green+crate&site=1");
    let card = page.split("<li ").find(|card| card.contains(CRATE)).unwrap();
    assert!(card.contains("at the site") && !card.contains("/memories/0"), "{card}");

    world.teller.forget(crate_id);
    world.wait_for("where is the green crate", 0);
}

#[test]
fn a_site_says_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("robots.yaml"), "robots: {}\n").unwrap();
    let given = |url: &str, robots: &str, more: &[&str]| {
        let mut command = program();
        command.args(["site", "--no-model", "--url", url, "--robots"]).arg(at.join(robots));
        let outcome = run(command.args(more));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{}", outcome.stderr);
        // Above it may stand what was logged.
        outcome.stderr.lines().last().unwrap().to_owned()
    };
    let store = at.join("site.db").display().to_string();
    let store = ["--store", store.as_str()];
    let hub = "nats://127.0.0.1:9";
    assert!(given(hub, "robots.yaml", &[]).contains("--store: must be given"));
    assert!(given("ws://hub", "robots.yaml", &store).contains("--url: url must be addresses"));
    assert!(given(hub, "none.yaml", &store).contains("--robots: "));
    assert!(
        given(hub, "robots.yaml", &[store.as_slice(), &["--as", "a b"]].concat())
            .contains("--as: ")
    );
}

fn query(text: &str) -> RecallRequest {
    RecallRequest { query: text.into(), ..Default::default() }
}

#[test]
fn the_order_of_both_is_the_one_that_is_asked_for() {
    let world = World::start();
    let learn_at = |arm: &Arm, days: f64, text: &str| {
        arm.robot.sleep_days(days);
        arm.learn(text);
    };
    learn_at(&world.asker, 1.0, "The crate is in hall 1");
    learn_at(&world.teller, 2.0, "The crate is in hall 2");
    learn_at(&world.asker, 2.0, "The crate is in hall 3");
    world.wait_for("crate", 1);
    let halls = |order: &str, n| -> Vec<String> {
        let ordered = RecallRequest { order: order.into(), n, ..query("crate in hall") };
        let response = world.asker.ask(ordered);
        assert_eq!(response.site, Some(SiteState::Answered), "{}", response.site_fault);
        texts(&response).iter().map(|text| text[text.len() - 1..].to_owned()).collect()
    };
    assert_eq!(halls("newest", 5), ["3", "2", "1"]);
    assert_eq!(halls("oldest", 5), ["1", "2", "3"]);
    assert_eq!(halls("newest", 2), ["3", "2"]);
    let counted = RecallRequest { count_by: "day".into(), include_site: true, ..query("crate") };
    let refused = world.asker.robot.engine.call::<Recall>(counted).expect_err("it is refused");
    assert_eq!(refused.kind, ErrorKind::InvalidArgument);
    assert!(refused.message.starts_with("include_site: not beside count_by: "), "{refused:?}");
}

#[test]
fn without_the_site_a_recall_is_answered_by_the_robot_alone_and_says_so() {
    let mut world = World::start();
    world.teller.learn(CRATE);
    world.wait_for("crate", 1);
    let own = world.asker.learn("The crate is empty");
    let alone = |state: SiteState| {
        let response = world.asker.ask_for("crate");
        let ids: Vec<i64> = response.memories.iter().map(|hit| hit.memory.id).collect();
        assert_eq!((response.site, ids), (Some(state), vec![own]), "{}", response.site_fault);
        response.site_fault
    };
    world.network.freeze(true);
    assert_eq!(alone(SiteState::Late), "no answer within 200 ms");
    world.network.freeze(false);
    world.wait_for("crate", 1);
    let (code, said) = world.site.take().unwrap().end();
    assert_eq!(code, Some(0), "{said}");
    wait_until(
        || world.asker.ask_for("crate").site == Some(SiteState::Unreachable),
        || format!("{:?}", world.asker.ask_for("crate").site),
    );
    assert_eq!(alone(SiteState::Unreachable), "no memory of the site is connected to the hub");
    let status = world.asker.robot.call::<GetStatus>(StatusRequest::default());
    let part = status.components.iter().find(|part| part.name == "fleet").unwrap();
    assert!(part.message.contains("; the site answered "), "{}", part.message);
    // It goes on where it was.
    world.teller.learn(BOLTS);
    world.site = Some(SiteProgram::start(world.folder.path(), &world.hub));
    world.wait_for("bolts of the pump", 1);
    world.wait_for("crate", 1);
}

#[test]
fn what_was_forgotten_here_does_not_come_back_from_the_site() {
    let world = World::start();
    world.teller.learn(GLASS);
    let found = || world.asker.robot.recall("glass grip");
    wait_until(|| !found().memories.is_empty(), || "the limit was not taken".into());
    world.asker.forget(found().memories[0].memory.id);
    world.teller.learn(CRATE);
    world.wait_for("crate", 1);
    let response = world.asker.ask_for("how hard may I grip the glass");
    assert_eq!((response.site, texts(&response)), (Some(SiteState::Answered), vec![]));
}

#[test]
fn a_robot_that_takes_all_again_takes_what_it_passed_over() {
    let mut world = World::start();
    world.teller.learn(CRATE);
    world.teller.learn(GLASS);
    let held = |robot: &Robot| -> Vec<String> {
        let connection = rusqlite::Connection::open(robot.store_path()).unwrap();
        let query = "SELECT content FROM memory WHERE scope = 'fleet' ORDER BY content DESC";
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    world.wait_for("crate", 1);
    let robot = &world.asker.robot;
    wait_until(|| held(robot) == [GLASS], || format!("{:?}", held(robot)));
    world.asker.link.stop();
    let robot = std::mem::replace(&mut world.asker.robot, Robot::words_only());
    let robot = robot.restart_with(member("arm-2", Takes::All));
    world.asker = Arm::on(robot, "arm-2", 2, &world._leaf.url(), &world.known);
    let robot = &world.asker.robot;
    wait_until(|| held(robot) == [CRATE, GLASS], || format!("{:?}", held(robot)));
    // It knows it now, and does not take it from the site.
    let response = world.asker.ask_for("crate");
    assert_eq!((texts(&response), from_site(&response).len()), (vec![CRATE], 0));
}

#[cfg(feature = "site")]
#[test]
fn a_site_in_postgres_answers_as_one_with_a_store() {
    let postgres = postgres_server::Server::start();
    let mut world = World::start();
    // The other site ends: one of two would answer.
    world.site.take().unwrap().end();
    let file = world.folder.path().join("site.postgres");
    std::fs::write(&file, postgres.url()).unwrap();
    let place = ["--postgres-file", file.to_str().unwrap()];
    let store = world.folder.path().join("robots.yaml");
    let start = |place: &[&str]| SiteProgram::keeping(world.folder.path(), &world.hub, place);
    let mut refused = program();
    refused.args(["site", "--no-model", "--url", &world.hub.url(), "--robots"]).arg(&store);
    let outcome = run(refused.args(place));
    assert!(
        outcome.stderr.contains("others may read it (mode 644); chmod 600 it"),
        "{}",
        outcome.stderr
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let site = start(&place);

    let crate_id = world.teller.learn(CRATE);
    world.teller.learn(BOLTS);
    world.wait_for("where is the green crate", 1);
    let response = world.asker.ask_for("where is the green crate");
    let hit = from_site(&response)[0];
    assert_eq!((hit.memory.content.as_str(), hit.memory.id), (CRATE, 0));
    assert_eq!((hit.why.told_by.as_slice(), hit.why.independent_count), (&["arm-1".into()][..], 1));
    assert_eq!(hit.why.transfer, ["gripper: rg2 there, rg6 here"]);
    assert!(hit.why.relevance > 0.0 && hit.why.relevance < 1.0);
    let sure = RecallRequest { min_relevance: 0.999, ..query("where is the green crate") };
    assert_eq!(texts(&world.asker.ask(sure)).len(), 0);
    let other = RecallRequest { collections: vec!["other".into()], ..query("green crate") };
    assert_eq!(texts(&world.asker.ask(other)).len(), 0);
    assert!(hit.why.told_at.is_some(), "{hit:?}");
    world.shows_provenance(&file, crate_id);
    let levels = RecallRequest { levels: vec!["core".into()], ..query("green crate") };
    let response = world.asker.ask(levels);
    assert_eq!(response.site, Some(SiteState::Failed));
    assert!(response.site_fault.starts_with("levels: is not answered by a site"), "{response:?}");

    let (code, said) = site.end();
    assert_eq!(code, Some(0), "{said}");
    world.teller.forget(crate_id);
    let _site = start(&place);
    world.wait_for("bolts of the pump", 1);
    world.wait_for("where is the green crate", 0);
}
