//! Robots of a fleet with real memories and real NATS servers, which are killed and cut off.

use crate::cli::{Outcome, program, run};
use crate::configs::{self, HubConfig};
use crate::proxy::Proxy;
use crate::robot::Robot;
use crate::server::{Server, free_port, wait_until};
use robot_memory::config::Settings as Parameters;
use robot_memory::faces::fleet::{FleetError, Folders, Link, start};
use robot_memory_claims::{Key, KnownRobots, encode, verify};
use robot_memory_core::api::{
    Forget, ForgetRequest, GetStatus, Learn, LearnRequest, StatusRequest,
};
use robot_memory_core::claim::{Body, Claim};
use robot_memory_engine::{Config, FleetLink, FleetLinkState, FleetMember};
use robot_memory_fleet::{Settings, publish_once, read_all};
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const GLASS: &str = "Never grip the glass harder than 13 N";
const SHARE: &str = "fleet: [{scope: global, share: all}, {scope: 'group:*', share: statements}]";
/// Only keeps a test from hanging.
const DEADLINE: Duration = Duration::from_secs(60);
const ROUNDS: usize = 10;
/// Statements of each robot and round.
const STATEMENTS: usize = 30;

/// A robot, its leaf, and the network between that and the hub.
struct Arm {
    name: String,
    key: Key,
    known: KnownRobots,
    robot: Option<Robot>,
    link: Option<Arc<Link>>,
    leaf: Server,
    network: Proxy,
}

impl Arm {
    fn new(folder: &Path, name: &str, hub_port: u16, key: Key, known: &KnownRobots) -> Self {
        let network = Proxy::to(hub_port);
        let port = free_port();
        let config = configs::leaf(folder, name, port, network.port);
        let leaf = Server::start(folder, name, port, &config);
        let robot = Some(Robot::with(configure(name)));
        let (name, known) = (name.to_owned(), known.clone());
        Self { name, key, known, robot, link: None, leaf, network }
    }

    fn robot(&self) -> &Robot {
        self.robot.as_ref().unwrap()
    }

    fn start(&mut self) {
        let settings = Settings::new(&self.leaf.url(), &self.name);
        let engine = Arc::clone(&self.robot().engine);
        let (key, known) = (self.key.clone(), self.known.clone());
        let link = Link::start(settings, engine, key, known).unwrap();
        let shown: Arc<Link> = Arc::clone(&link);
        self.robot().engine.set_fleet_link(Some(shown));
        self.link = Some(link);
    }

    fn stop(&mut self) {
        if let Some(link) = self.link.take() {
            link.stop();
        }
    }

    /// Ends the robot, or pulls its plug, and starts it again.
    fn restart(&mut self, is_closed: bool) {
        self.stop();
        let (robot, configure) = (self.robot.take().unwrap(), configure(&self.name));
        self.robot = Some(match is_closed {
            true => robot.restart_with(configure),
            false => robot.pull_the_plug_with(configure),
        });
        self.start();
    }

    fn learn_in(&self, scope: &str, insight: &str) -> i64 {
        let request =
            LearnRequest { insight: insight.into(), scope: scope.into(), ..Default::default() };
        self.robot().call::<Learn>(request).memory_id
    }

    fn texts(&self, query: &str) -> BTreeMap<i64, String> {
        let connection = rusqlite::Connection::open(self.robot().store_path()).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// What it knows itself that others may know, by its own rows.
    fn shared(&self) -> BTreeMap<i64, String> {
        self.texts(
            "SELECT id, content FROM memory WHERE status = 'active' AND source <> 'fleet' \
             AND (scope = 'global' OR scope LIKE 'group:%')",
        )
    }

    /// What it holds of another, by the ids there.
    fn held_of(&self, origin: &str) -> BTreeMap<i64, String> {
        self.texts(&format!(
            "SELECT h.origin_memory_id, m.content FROM hearsay h JOIN memory m ON m.id = h.memory_id \
             WHERE h.origin = '{origin}' AND h.state = 'held' AND m.status = 'active' AND m.scope = 'fleet'"
        ))
    }

    /// All that it holds of others, each memory once.
    fn hearsay(&self) -> BTreeMap<i64, String> {
        self.texts("SELECT id, content FROM memory WHERE scope = 'fleet'")
    }

    fn link_state(&self) -> FleetLinkState {
        self.link.as_ref().map(|link| link.state()).unwrap_or_default()
    }

    fn refused(&self) -> Vec<(String, u64)> {
        self.link_state().refused
    }

    /// The state and the message of the component `fleet`.
    fn status(&self) -> (String, String) {
        let status = self.robot().call::<GetStatus>(StatusRequest::default());
        let part = status.components.into_iter().find(|part| part.name == "fleet").unwrap();
        (part.state, part.message)
    }
}

fn configure(name: &str) -> impl FnOnce(&mut Config) {
    let body = Body { robot_type: "ur5e".into(), gripper: "rg2".into() };
    let member = FleetMember::new(name, body);
    move |config| {
        config.fleet = Some(member);
        config.access = Some(SHARE.to_owned());
    }
}

/// A hub, three robots and an authority. The robots end before their servers.
struct Fleet {
    arms: Vec<Arm>,
    hub: Server,
    folder: TempDir,
}

impl Fleet {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let ops = run(program().args(["fleet", "key", "--key"]).arg(at.join("ops.key")));
        let key = |number: u8| Key::from_seed(&[number; 32]);
        let mut robots = "robots:\n".to_owned();
        for number in 1..=3 {
            robots += &format!("  arm-{number}: {{key: \"{}\"}}\n", key(number).public());
        }
        robots += &format!("authorities:\n  ops: {{key: \"{}\"}}\n", ops.text().trim_end());
        std::fs::write(at.join("robots.yaml"), &robots).unwrap();
        let known = KnownRobots::parse(&robots).unwrap();
        let HubConfig { port, leaf_port, text, .. } = HubConfig::new(at);
        let hub = Server::start(at, "hub", port, &text);
        let arm = |number| Arm::new(at, &format!("arm-{number}"), leaf_port, key(number), &known);
        let mut arms: Vec<Arm> = (1..=3).map(arm).collect();
        arms.iter_mut().for_each(Arm::start);
        Self { arms, hub, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits until each robot holds of each other what that shares, and nothing else.
    fn wait_until_same(&self) {
        let lacks = |one: &Arm| {
            let others = self.arms.iter().filter(|other| other.name != one.name);
            others.filter(|other| one.held_of(&other.name) != other.shared()).count()
        };
        wait_until(
            || self.arms.iter().all(|arm| lacks(arm) == 0),
            || {
                let count = |arm: &Arm| (arm.shared().len(), arm.hearsay().len(), lacks(arm));
                let counts: Vec<_> = self.arms.iter().map(count).collect();
                let states: Vec<_> =
                    self.arms.iter().map(|arm| arm.link.as_ref().map(|it| it.state())).collect();
                format!("own, hearsay, robots that are not as here: {counts:?}; {states:?}")
            },
        );
    }

    /// A program that is no robot, at the hub.
    fn outsider(&self) -> Settings {
        Settings::new(&self.hub.url(), "outsider")
    }

    fn memory(&self, arguments: &[&str]) -> Outcome {
        let mut command = program();
        command.arg("fleet").args(arguments).args(["--url", &self.hub.url(), "--as", "ops"]);
        run(&mut command)
    }

    fn receipts(&self) -> Value {
        let robots = self.path("robots.yaml");
        self.memory(&["receipts", "--json", "--robots", robots.to_str().unwrap()]).json()
    }
}

/// xorshift64 (Marsaglia 2003).
struct Random(u64);

impl Random {
    /// From the seed that is given, else from any; says which.
    fn new() -> Self {
        let given = std::env::var("ROBOT_MEMORY_TEST_SEED").ok().and_then(|it| it.parse().ok());
        let seed = given.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 16);
        println!("ROBOT_MEMORY_TEST_SEED={seed}");
        Self(seed.max(1))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

fn learn_some(arm: &Arm, round: usize, random: &mut Random) {
    let name = &arm.name;
    let mut learned = Vec::new();
    for number in 0..STATEMENTS {
        let at = round * STATEMENTS + number;
        match number % 10 {
            7 => {
                arm.learn_in("dm", &format!("The secret {at} of {name} stays with it"));
            }
            8 => {
                learned.push(arm.learn_in("group:cell-7", &format!("Tray {at} of {name} is empty")))
            }
            9 => {
                arm.robot().perceive(&format!("{name} felt a touch on the cup {at}"), "");
            }
            _ => learned.push(arm.learn_in("", &format!("Cup {at} of {name} stands in hall {at}"))),
        }
    }
    let memory_id = learned[random.below(learned.len())];
    let reason = "no longer so".into();
    arm.robot().call::<Forget>(ForgetRequest { memory_id, reason, ..Default::default() });
}

#[test]
fn after_kills_and_partitions_each_robot_holds_what_the_others_share_once() {
    let mut random = Random::new();
    let mut fleet = Fleet::start();
    for round in 0..ROUNDS {
        let (event, at) = (random.below(5), random.below(3));
        match event {
            0 => fleet.arms[at].network.cut(true),
            1 => fleet.arms[at].leaf.kill(),
            2 => fleet.hub.kill(),
            _ => fleet.arms[at].restart(event == 3),
        }
        println!("round {round}: {event} of {at}");
        for arm in &fleet.arms {
            learn_some(arm, round, &mut random);
        }
        // It lasts for some rounds, mostly.
        match (event, random.below(3)) {
            (_, 0) => {}
            (1, _) => fleet.arms[at].leaf.restart(),
            (2, _) => fleet.hub.restart(),
            _ => fleet.arms[at].network.cut(false),
        }
    }
    fleet.hub.restart();
    for arm in &mut fleet.arms {
        arm.leaf.restart();
        arm.network.cut(false);
    }
    fleet.wait_until_same();
    for arm in &fleet.arms {
        let own = arm.shared().len();
        // In ten statements there is one that is not shared, and in each round one is forgotten.
        assert_eq!(own, ROUNDS * (STATEMENTS / 10 * 9 - 1), "{}", arm.name);
        let hearsay: Vec<String> = arm.hearsay().into_values().collect();
        assert_eq!(hearsay.len(), 2 * own, "{}: each once", arm.name);
        assert!(hearsay.iter().all(|text| !text.contains("secret")));
        assert!(arm.refused().is_empty(), "{:?}", arm.refused());
        let waiting = arm.robot().engine.fleet_summary().unwrap().totals.waiting_count;
        assert_eq!(waiting, 0, "{}", arm.name);
    }
}

#[test]
fn what_is_forged_altered_or_comes_again_changes_nothing_and_is_counted() {
    let fleet = Fleet::start();
    fleet.arms[0].robot().learn(GLASS);
    fleet.wait_until_same();
    let mut messages = Vec::new();
    let outsider = fleet.outsider();
    read_all(&outsider, DEADLINE, |message| messages.push(message.to_vec())).unwrap();
    let [genuine] = messages.as_slice() else { panic!("{} messages", messages.len()) };
    let claim = verify(genuine, &fleet.arms[0].known).unwrap();
    let other = Key::from_seed(&[99; 32]);
    let forged = encode(&Claim { memory_id: 99, ..claim.clone() }, &other).unwrap();
    let stranger = encode(&Claim { origin: "stranger".into(), ..claim }, &other).unwrap();
    let altered = String::from_utf8(genuine.clone()).unwrap().replace("13 N", "93 N").into_bytes();
    assert_ne!(altered, *genuine);
    let bad = [forged, altered, stranger, b"{}".to_vec(), genuine.clone()];
    for (number, message) in bad.into_iter().enumerate() {
        publish_once(&outsider, &format!("outsider:{number}"), message, DEADLINE).unwrap();
    }
    let wanted =
        [("bad_signature", 2), ("malformed", 1), ("unknown_robot", 1)].map(|(r, n)| (r.into(), n));
    for arm in &fleet.arms {
        wait_until(|| arm.refused() == wanted, || format!("{}: {:?}", arm.name, arm.refused()));
    }
    // Of the robot that told it, it is its own.
    let again = |arm: &Arm| arm.link_state().came_again;
    for (arm, wanted) in fleet.arms.iter().zip([0, 1, 1]) {
        wait_until(|| again(arm) == wanted, || format!("{}: {:?}", arm.name, arm.link_state()));
    }
    // What comes after them is taken as ever, so they were.
    fleet.arms[1].robot().learn("Never grip the mug harder than 9 N");
    fleet.wait_until_same();
    assert_eq!(fleet.arms[2].held_of("arm-1").into_values().collect::<Vec<_>>(), [GLASS]);
    assert_eq!(fleet.arms[2].hearsay().len(), 2);
    let (state, message) = fleet.arms[2].status();
    assert_eq!(state, "connected", "{message}");
    for part in ["2 claims refused: bad_signature", "1 claims came again and changed nothing"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn what_waits_on_the_leaf_is_said_while_the_hub_is_away() {
    let mut fleet = Fleet::start();
    fleet.arms[0].robot().learn(GLASS);
    fleet.wait_until_same();
    wait_until(|| !fleet.arms[0].status().1.contains("own server"), || "it is told".to_owned());
    fleet.arms[0].network.cut(true);
    for number in 0..40 {
        fleet.arms[0].robot().learn(&format!("Cup {number} stands in hall {number}"));
    }
    let waits = |arm: &Arm, wanted: &str| {
        let totals = || arm.robot().engine.fleet_summary().unwrap().totals;
        wait_until(
            || totals().waiting_count == 0 && arm.status().1.contains(wanted),
            || format!("{:?}; {:?}", totals(), arm.status()),
        );
    };
    waits(&fleet.arms[0], "; 40 claims wait on the robot's own server for the hub");
    // Who starts without the hub does not know how many of them it has.
    fleet.arms[0].restart(true);
    waits(&fleet.arms[0], "; at most 41 claims wait on the robot's own server for the hub");
    fleet.arms[0].network.cut(false);
    fleet.wait_until_same();
    let message = || fleet.arms[0].status().1;
    wait_until(|| !message().contains("own server"), message);
}

#[test]
fn what_an_authority_revokes_goes_everywhere_and_each_robot_answers() {
    let mut fleet = Fleet::start();
    let cup = "The blue cup stands in the hall";
    fleet.arms[0].robot().learn(cup);
    fleet.arms.iter().for_each(|arm| arm.robot().sleep_days(1.0));
    let since = fleet.arms[0].robot().clock_now().rfc_3339();
    fleet.arms[0].robot().learn(GLASS);
    fleet.wait_until_same();
    // The third is away.
    fleet.arms[2].stop();

    let key = fleet.path("ops.key");
    let mut arguments = vec!["revoke", "--key", key.to_str().unwrap(), "--origin", "arm-1"];
    arguments.extend(["--since", &since, "--reason", "its gripper was not calibrated", "--json"]);
    assert!(fleet.memory(&arguments).json()["number"].is_null());
    assert_eq!(fleet.receipts()["revocations"], serde_json::json!([]), "only shown");
    arguments.push("--yes");
    let number = fleet.memory(&arguments).json()["number"].clone();
    assert!(number.is_i64());
    let answers = |receipts: &Value| {
        let of = |list: &str, name: &dyn Fn(&Value) -> Value| -> Vec<Value> {
            receipts["revocations"][0][list].as_array().into_iter().flatten().map(name).collect()
        };
        let answered = of("answered", &|it| serde_json::json!([it["robot"], it["deleted_count"]]));
        serde_json::json!([answered, of("missing", &Value::clone)])
    };
    let wait_for = |fleet: &Fleet, wanted: Value| {
        wait_until(|| answers(&fleet.receipts()) == wanted, || fleet.receipts().to_string());
    };
    wait_for(&fleet, serde_json::json!([[["arm-1", 1], ["arm-2", 1]], ["arm-3"]]));
    assert_eq!(fleet.arms[2].held_of("arm-1").len(), 2, "it does not know yet");
    let url = fleet.hub.url();
    let behind = |fleet: &Fleet| {
        let store = fleet.arms[2].robot().store_path();
        crate::cli::memory(&store, &["fleet", "status", "--url", &url, "--json"]).json()["lag"]
            .clone()
    };
    // The revocation, two receipts, and what arm-1 takes back of itself.
    let lag = behind(&fleet);
    assert!(lag["message_count"].as_u64() >= Some(3) && lag["missed_count"] == 0, "{lag}");
    fleet.arms[2].start();
    assert!(fleet.arms[2].link.as_ref().unwrap().catch_up(DEADLINE));
    assert_eq!(fleet.arms[2].held_of("arm-1").into_values().collect::<Vec<_>>(), [cup]);
    wait_for(&fleet, serde_json::json!([[["arm-1", 1], ["arm-2", 1], ["arm-3", 1]], []]));
    assert_eq!(fleet.arms[0].shared().into_values().collect::<Vec<_>>(), [cup]);
    fleet.wait_until_same();
    wait_until(|| behind(&fleet)["message_count"] == 0, || behind(&fleet).to_string());
    let receipts = fleet.receipts();
    assert_eq!(receipts["revocations"][0]["number"], number);
    assert_eq!(receipts["refused"], serde_json::json!({}));

    let store = fleet.arms[2].robot().store_path();
    let status = || crate::cli::memory(&store, &["fleet", "status", "--json"]).json();
    wait_until(|| status()["revocations"][0]["receipt_told"] == true, || status().to_string());
    let known = fleet.path("robots.yaml");
    let other = ["receipts", "--number", "5", "--robots", known.to_str().unwrap()];
    let none = fleet.memory(&other);
    assert!(none.refusal(1).contains("is about revocation 5 of ops"), "{}", none.stderr);
}

#[test]
fn a_robot_whose_key_the_others_know_otherwise_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let robots = folder.path().join("robots.yaml");
    let other = Key::from_seed(&[9; 32]).public();
    std::fs::write(&robots, format!("robots:\n  arm-1: {{key: \"{other}\"}}\n")).unwrap();
    let robot = Robot::with(configure("arm-1"));
    let parameters = Parameters {
        fleet_url: "nats://127.0.0.1:9".into(),
        robot_id: "arm-1".into(),
        fleet_robots_path: robots.display().to_string(),
        fleet_key_path: folder.path().join("arm-1.key").display().to_string(),
        ..Parameters::default()
    };
    let Err(error) = start(&parameters, &Folders::default(), &robot.engine) else {
        panic!("it starts");
    };
    assert!(matches!(error, FleetError::OtherKey { .. }), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("parameter fleet_robots_path: "), "{text}");
    assert!(text.contains(&format!("the key of arm-1 is {other}")), "{text}");
    assert!(robot.engine.fleet_link_state().is_none());
}
