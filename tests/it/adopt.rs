//! A body is replaced, and its experience goes on: `memory export --claims` and `memory adopt` on real stores.

use crate::cli::{Outcome, memory};
use crate::robot::{Robot, START, sql};
use robot_memory_claims::{Key, encode};
use robot_memory_core::api::{
    Forget, ForgetRequest, Learn, LearnRequest, Recall, RecallRequest, Update, UpdateRequest,
};
use robot_memory_core::claim::{Body, Claim, ClaimOp, MemoryRef, Selector};
use robot_memory_core::model::Stamp;
use robot_memory_engine::{AdoptAs, Adoption, AdoptionRule, FleetMember, FleetPosition, NewBody};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const MUG: &str = "The red mug stands on the shelf";
const GLASS: &str = "Never grip the glass harder than 13 N";
const MAPPED: &str = "The tray stands by the door";
const CALIBRATION: &str = "The wrist camera was calibrated";
const BADGE: &str = "Badge #204815 opens the cold room";

fn member(robot_id: &str, gripper: &str) -> Option<FleetMember> {
    let body = Body { robot_type: "ur5e".into(), gripper: gripper.into() };
    Some(FleetMember::new(robot_id, body))
}

/// What `robot` remembers, as claims in its name.
fn claims_of(robot: &Robot) -> Vec<Claim> {
    robot.engine.own_claims(0, 100).expect("they are read").claims
}

/// The old body, arm-1, with what it remembers; and where the new one begins.
struct Bodies {
    old: Robot,
    folder: Arc<TempDir>,
}

impl Bodies {
    /// An old body that remembers these statements, each with its context.
    fn with(statements: &[(&str, &str)]) -> Self {
        let old = Robot::words_only();
        for (insight, context) in statements {
            old.learn_with(insight, context);
            old.sleep_days(1.0);
        }
        Self { old, folder: Arc::new(TempDir::new().expect("a folder")) }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The store of the new body.
    fn new_store(&self) -> PathBuf {
        self.path("memory.db")
    }

    fn run_export(&self, more: &[&str]) -> Outcome {
        let (file, key) = (self.path("claims.jsonl"), self.path("arm-1.key"));
        let mut arguments = vec!["--json", "export", "--claims", file.to_str().unwrap()];
        arguments.extend(["--key", key.to_str().unwrap(), "--robot", "arm-1"]);
        arguments.extend(["--robot-type", "ur5e", "--gripper", "rg2"]);
        arguments.extend(more);
        memory(&self.old.store_path(), &arguments)
    }

    /// Exports, and notes the old body's key as one that is known.
    fn export(&self, more: &[&str]) -> Value {
        let report = self.run_export(more).json();
        self.know("arm-1", report["public_key"].as_str().expect("a key"));
        report
    }

    fn know(&self, robot: &str, key: &str) {
        let text = format!("robots:\n  {robot}: {{key: \"{key}\"}}\n");
        fs::write(self.path("robots.yaml"), text).unwrap();
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("claims.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn write(&self, lines: &[String]) {
        fs::write(self.path("claims.jsonl"), lines.join("\n")).unwrap();
    }

    /// Adopts by arm-2, which has another gripper, in the map `hall`.
    fn run_adopt(&self, adopt_as: &str, more: &[&str]) -> Outcome {
        let (file, robots) = (self.path("claims.jsonl"), self.path("robots.yaml"));
        let mut arguments = vec!["--json", "adopt", file.to_str().unwrap(), "--as", adopt_as];
        arguments.extend(["--robots", robots.to_str().unwrap(), "--robot", "arm-2"]);
        arguments.extend(["--robot-type", "ur5e", "--gripper", "rg6", "--map", "hall"]);
        arguments.extend(more);
        memory(&self.new_store(), &arguments)
    }

    fn adopt(&self, adopt_as: &str, more: &[&str]) -> Value {
        self.run_adopt(adopt_as, more).json()
    }

    /// The best hit of the new body's memory.
    fn best(&self, query: &str) -> Value {
        memory(&self.new_store(), &["--json", "recall", query]).json()["memories"][0].clone()
    }

    fn count(&self) -> i64 {
        sql(&self.new_store(), "SELECT count(*) FROM memory")
    }

    /// All files beside the new body's store, with what is in them.
    fn files(&self) -> BTreeSet<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.map(|path| (path.clone(), fs::read(&path).unwrap_or_default())).collect()
    }
}

#[test]
fn what_the_old_body_knew_is_the_new_ones_own() {
    let bodies = Bodies::with(&[(MUG, r#"{"env": {"sim_or_real": "sim"}}"#)]);
    let in_cell = LearnRequest {
        insight: "Cell 7 has two trays for cups".into(),
        scope: "group:cell-7".into(),
        collection: "cell".into(),
        mem_type: "lesson".into(),
        ..Default::default()
    };
    bodies.old.call::<Learn>(in_cell);
    bodies.old.perceive("the door of the oven stood open", "");
    let exported = bodies.export(&[]);
    assert_eq!(exported["claim_count"], 3, "{exported}");

    let report = bodies.adopt("own", &[]);
    assert_eq!(report["own"], json!({"kept": 3, "merged": 0, "known": 0}), "{report}");
    let mug = bodies.best("red mug");
    assert_eq!((&mug["content"], &mug["source"]), (&json!(MUG), &json!("migration")));
    assert_eq!((&mug["scope"], &mug["trust"]), (&json!("global"), &json!("medium")));
    assert_eq!(mug["created_at"], START.rfc_3339());
    assert_eq!(mug["context"]["env"]["sim_or_real"], "sim");
    let said = bodies.old.recall("red mug").memories[0].memory.confidence;
    let here: f64 = sql(&bodies.new_store(), "SELECT confidence FROM memory WHERE id = 1");
    assert!((here - said).abs() < 1e-6, "{here} {said}");
    let rows: String = sql(
        &bodies.new_store(),
        "SELECT group_concat(type || ' ' || scope || ' ' || collection || ' ' || mem_type, ', ') FROM memory \
         WHERE id > 1",
    );
    assert_eq!(rows, "fact group:cell-7 cell lesson, perception global default task_log");

    let again = bodies.adopt("own", &[]);
    assert_eq!(again["own"], json!({"kept": 0, "merged": 0, "known": 3}), "{again}");
    assert_eq!(bodies.count(), 3);
}

#[test]
fn what_the_old_body_knew_is_hearsay_to_another() {
    let bodies = Bodies::with(&[(MUG, ""), (GLASS, "")]);
    bodies.export(&[]);
    let report = bodies.adopt("hearsay", &[]);
    let kept = json!({"kept": 2, "revised": 0, "known": 0, "forgotten": 0});
    assert_eq!(report["hearsay"], kept, "{report}");
    let mug = bodies.best("red mug");
    assert_eq!((&mug["scope"], &mug["why"]["told_by"]), (&json!("fleet"), &json!(["arm-1"])));
    assert!(mug["why"]["told_at"].is_string(), "{mug}");
    let again = bodies.adopt("hearsay", &[]);
    assert_eq!((&again["hearsay"]["known"], &again["hearsay"]["kept"]), (&json!(2), &json!(0)));
    assert_eq!(bodies.count(), 2);
    let state = "SELECT is_sharing || fleet_stream_id || fleet_taken_until FROM store_state";
    assert_eq!(sql::<String>(&bodies.new_store(), state), "00", "it is in no fleet by that");
    // Of oneself there is no hearsay.
    let own = bodies.adopt("hearsay", &["--dry-run"]);
    assert_eq!(own["left_out"], json!({}));
    let robots = bodies.path("robots.yaml");
    let file = bodies.path("claims.jsonl");
    let arguments = ["--json", "adopt", file.to_str().unwrap(), "--as", "hearsay", "--robots"];
    let arguments = [&arguments[..], &[robots.to_str().unwrap(), "--robot", "arm-1"]].concat();
    let own = memory(&bodies.path("other.db"), &arguments).json();
    assert_eq!(own["left_out"], json!({"of_itself": 2}), "{own}");
}

#[test]
fn a_position_in_the_fleets_stream_stays() {
    let bodies = Bodies::with(&[(MUG, "")]);
    bodies.export(&[]);
    let new = Robot::at(Arc::clone(&bodies.folder), |config| config.fleet = member("arm-2", "rg6"));
    let position = FleetPosition { stream_id: "FLEET".into(), sequence: 17 };
    new.engine.take_claims(Vec::new(), &FleetPosition::default(), &position).expect("it is noted");
    new.engine.close().expect("it closes");
    drop(new);
    assert_eq!(bodies.adopt("hearsay", &[])["hearsay"]["kept"], 1);
    let now = "SELECT fleet_stream_id || fleet_taken_until FROM store_state";
    assert_eq!(sql::<String>(&bodies.new_store(), now), "FLEET17");
}

#[test]
fn lines_that_are_not_believed_are_refused_and_named() {
    let bodies = Bodies::with(&[(MUG, ""), ("The blue cup is on the table", ""), (MAPPED, "")]);
    bodies.export(&[]);
    let mut lines = bodies.lines();
    assert_eq!(lines.len(), 3);
    lines[1] = lines[1].replace("blue cup", "blue jug");
    lines.push("{}".to_owned());
    lines.push("x".repeat(300 << 10));
    bodies.write(&lines);
    let report = bodies.adopt("own", &[]);
    assert_eq!((&report["line_count"], &report["own"]["kept"]), (&json!(5), &json!(2)));
    assert_eq!(report["refused"], json!({"bad_signature": 1, "malformed": 1, "too_large": 1}));
    let named: Vec<(u64, &str)> = report["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["line"].as_u64().unwrap(), it["cause"].as_str().unwrap()))
        .collect();
    assert_eq!(named, [(2, "bad_signature"), (4, "malformed"), (5, "too_large")]);
    assert_eq!(bodies.count(), 2);

    let key = Key::open_or_create(&bodies.path("other.key")).unwrap();
    bodies.know("arm-9", &key.public());
    bodies.write(&lines[..1]);
    let report = bodies.adopt("own", &[]);
    assert_eq!(report["refused"], json!({"unknown_robot": 1}));
    assert_eq!(bodies.count(), 2);

    fs::write(bodies.path("robots.yaml"), "robots: 7").unwrap();
    assert!(bodies.run_adopt("own", &[]).refusal(2).contains("robots.yaml"));
    fs::remove_file(bodies.path("claims.jsonl")).unwrap();
    bodies.know("arm-9", &key.public());
    assert!(bodies.run_adopt("own", &[]).refusal(1).contains("claims.jsonl"));
}

#[test]
fn what_does_not_transfer_is_left_out_or_hearsay_and_listed() {
    let placed = |map: &str| json!({"spatial": {"map_id": map, "p": [1.0, 2.0, 0.5]}}).to_string();
    let (lab, hall) = (placed("lab"), placed("hall"));
    let bodies = Bodies::with(&[
        (MUG, ""),
        (GLASS, ""),
        (MAPPED, &lab),
        (CALIBRATION, ""),
        ("The charger is at the wall", &hall),
    ]);
    bodies.export(&[]);
    let report = bodies.adopt("own", &[]);
    assert_eq!(report["own"]["kept"], 2, "{report}");
    assert_eq!(report["left_out"], json!({"other_map": 1, "calibration": 1}));
    assert_eq!(report["as_hearsay"], json!({"other_gripper": 1}));
    let exceptions = report["exceptions"].as_array().unwrap();
    let listed: Vec<String> = exceptions
        .iter()
        .map(|it| format!("{} {} {} {}", it["line"], it["memory_id"], it["outcome"], it["rule"]))
        .collect();
    assert_eq!(
        listed,
        [
            r#"2 2 "hearsay" "other_gripper""#,
            r#"3 3 "left out" "other_map""#,
            r#"4 4 "left out" "calibration""#
        ]
    );
    assert_eq!(bodies.count(), 3);
    let new = Robot::at(Arc::clone(&bodies.folder), |config| config.fleet = member("arm-2", "rg6"));
    new.clock.set(Stamp(START.0 * 2));
    let query = "grip the glass".into();
    let hit = &new.call::<Recall>(RecallRequest { query, ..Default::default() }).memories[0];
    assert_eq!(
        (hit.memory.content.as_str(), hit.memory.scope.to_string()),
        (GLASS, "fleet".into())
    );
    assert_eq!(hit.why.transfer, ["gripper: rg2 there, rg6 here"]);
}

#[test]
fn a_dry_run_shows_the_same_and_writes_nothing() {
    let bodies = Bodies::with(&[(MUG, ""), (GLASS, ""), (CALIBRATION, "")]);
    bodies.export(&[]);
    let first = bodies.adopt("own", &["--dry-run"]);
    assert!(!bodies.new_store().exists());
    assert_eq!((&first["own"]["kept"], &first["hearsay"]["kept"]), (&json!(1), &json!(1)));

    // A store that a node has open.
    let new = Robot::at(Arc::clone(&bodies.folder), |_| {});
    new.learn(MUG);
    let before = bodies.files();
    let mut rehearsed = bodies.adopt("own", &["--dry-run"]);
    assert_eq!(bodies.files(), before);
    assert_eq!(bodies.count(), 1);
    new.engine.close().expect("it closes");
    drop(new);
    let mut done = bodies.adopt("own", &[]);
    assert_eq!(bodies.count(), 2);
    let is_dry = |report: &mut Value| report.as_object_mut().unwrap().remove("dry_run").unwrap();
    assert_eq!((is_dry(&mut rehearsed), is_dry(&mut done)), (json!(true), json!(false)));
    assert_eq!(rehearsed, done);
    assert_eq!(done["own"]["merged"], 1, "{done}");
}

#[test]
fn only_what_is_the_robots_own_and_no_secret_is_exported() {
    let bodies = Bodies::with(&[(MUG, ""), (BADGE, "")]);
    let old = &bodies.old;
    for scope in ["dm", "agent:grasp"] {
        let insight = format!("What is said in {scope} stays here");
        old.call::<Learn>(LearnRequest { insight, scope: scope.into(), ..Default::default() });
    }
    let gone = old.learn("The lamp is broken").memory_id;
    let reason = "it is not".into();
    old.call::<Forget>(ForgetRequest { memory_id: gone, reason, ..Default::default() });
    let other = Robot::with(|config| config.fleet = member("arm-3", "rg2"));
    other.learn("The fridge hums at night");
    let position = FleetPosition::default();
    old.engine.take_claims(claims_of(&other), &position, &position).expect("they are taken");

    let access = bodies.path("access.yaml");
    fs::write(&access, "never_store:\n  - {name: badge, pattern: 'badge\\s*#?\\d{6}'}\n").unwrap();
    let report = bodies.export(&["--access", access.to_str().unwrap()]);
    let left_out = json!({"other_scopes": 2, "hearsay": 1, "secrets": 1, "refused": {}});
    assert_eq!((&report["claim_count"], &report["left_out"]), (&json!(1), &left_out));
    let lines = bodies.lines();
    assert!(lines.len() == 1 && lines[0].contains(MUG), "{lines:?}");

    let refusal = bodies.run_export(&[]);
    assert!(refusal.refusal(1).contains("claims.jsonl"));
    assert_eq!(bodies.lines(), lines, "it is not overwritten");
    let path = bodies.path("new.jsonl");
    let export = |more: &[&str]| {
        let arguments = [&["export", "--claims", path.to_str().unwrap()], more].concat();
        memory(&bodies.old.store_path(), &arguments)
    };
    assert!(export(&[]).refusal(2).contains("--robot"));
    assert!(export(&["--robot", "arm 1"]).refusal(2).contains("--robot: must be 1 to 64"));
    assert!(!path.exists());
    let shown = export(&["--robot", "arm-1"]);
    assert!(shown.text().starts_with("2 claims of arm-1 in "), "{}", shown.text());
    assert!(shown.text().contains("2 of other scopes, 1 that others told, 0 with secrets"));
    // By the key that the node has.
    let key = format!("{}.fleet.key", bodies.old.store_path().display());
    assert!(shown.text().contains(&Key::open_or_create(key.as_ref()).unwrap().public()));
    // Without a file on standard output, with the rest beside it.
    let arguments = ["export", "--claims", "--signed", "--robot", "arm-1"];
    let piped = memory(&bodies.old.store_path(), &arguments);
    let told = |lines: &str| -> Vec<String> {
        let claims =
            lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a claim"));
        claims.map(|it| it["claim"]["statement"]["content"].to_string()).collect()
    };
    assert_eq!((piped.code, told(&piped.stdout)), (0, told(&fs::read_to_string(&path).unwrap())));
    assert!(piped.stderr.starts_with("2 claims of arm-1 in -, signed"), "{}", piped.stderr);
    let refusal = memory(&bodies.old.store_path(), &["export", "--signed"]);
    assert!(refusal.refusal(2).contains("--claims"));
}

#[test]
fn an_export_leaves_what_waits_to_be_told_as_it_is() {
    let old = Robot::with(|config| {
        config.fleet = member("arm-1", "rg2");
        config.access = Some("fleet: [{scope: global, share: all}]".into());
    });
    let id = old.learn(GLASS).memory_id;
    let told = old.engine.claims_to_tell(9).expect("they are read");
    assert_eq!(told.len(), 1);
    let new_content = "Never grip the glass harder than 12 N".to_owned();
    old.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    let rows = "SELECT group_concat(memory_id || ' ' || revision || ' ' || told_revision || ' ' || told) FROM fleet_claim";
    let before: String = sql(&old.store_path(), rows);
    let claims = claims_of(&old);
    assert_eq!(sql::<String>(&old.store_path(), rows), before);
    let claim = &claims[0];
    let revision: i64 = sql(&old.store_path(), "SELECT revision FROM fleet_claim");
    assert_eq!((claim.op, claim.revision), (ClaimOp::Assert, revision as u64));
    assert!(revision > 1 && claim.statement.as_ref().unwrap().content.contains("12 N"));
}

#[test]
fn pages_follow_each_other_and_a_robot_without_a_name_has_no_claims() {
    let old = Robot::with(|config| config.fleet = member("arm-1", "rg2"));
    let learned: Vec<i64> =
        ["mug", "cup", "jug"].map(|it| old.learn(&format!("The {it} is red")).memory_id).into();
    let mut found = Vec::new();
    let mut after = 0;
    while let Some(last) = {
        let page = old.engine.own_claims(after, 2).expect("it is read");
        found.extend(page.claims.iter().map(|claim| claim.memory_id));
        page.last_id
    } {
        after = last;
    }
    assert_eq!(found, learned);
    let nobody = Robot::words_only();
    let error = nobody.engine.own_claims(0, 9).expect_err("it has no name");
    assert!(error.message.contains("robot_id"), "{error}");
}

#[test]
fn a_name_that_no_claim_can_have_is_none() {
    let old = Robot::with(|config| config.fleet = member("arm-1", "rg2"));
    let placed = |map_id: &str, frame: &str| json!({"spatial": {"map_id": map_id, "frame": frame}});
    let longest = "m".repeat(256);
    let contexts =
        [placed(&"m".repeat(257), "map"), placed("hall", "ma\u{7}p"), placed(&longest, "odom")];
    for (context, it) in contexts.iter().zip(["mug", "cup", "jug"]) {
        old.learn_with(&format!("The {it} is red"), &context.to_string());
    }
    let key = Key::from_seed(&[7; 32]);
    let places: Vec<(String, String)> = claims_of(&old)
        .into_iter()
        .map(|claim| {
            encode(&claim, &key).expect("readers take it");
            let statement = claim.statement.unwrap();
            (statement.map_id, statement.frame)
        })
        .collect();
    let place = |map_id: &str, frame: &str| (map_id.to_owned(), frame.to_owned());
    assert_eq!(places, [place("", "map"), place("hall", ""), place(&longest, "odom")]);
}

#[test]
fn what_is_revoked_is_not_adopted_and_what_was_adopted_of_it_goes() {
    let old = Robot::with(|config| config.fleet = member("arm-1", "rg2"));
    old.learn(MUG);
    let claim = claims_of(&old).remove(0);
    let new = Robot::with(|config| config.fleet = member("arm-2", "rg2"));
    let body = Body { robot_type: "ur5e".into(), gripper: "rg2".into() };
    let body = NewBody { robot_id: "arm-2".into(), body, map_id: String::new() };
    let adoption = |adopt_as| new.engine.adoption_of(&claim, &body, adopt_as).expect("it is read");
    let Adoption::Own(memory) = adoption(AdoptAs::Own) else { panic!("it is one's own") };
    new.engine.bring_over(*memory).expect("it is stored");
    let told = || new.engine.own_claims(0, 10).expect("they are read").claims;
    let rooted = MemoryRef { origin: "arm-1".into(), memory_id: claim.memory_id };
    let statement = told()[0].statement.clone().expect("it says something");
    assert_eq!(
        (statement.roots, statement.derived_from),
        (vec![rooted.clone()], vec![rooted.clone()])
    );
    // A claim of the same that comes over the fleet is known.
    let at = FleetPosition::default();
    let taken = new.engine.take_claims(vec![claim.clone()], &at, &at).expect("it is taken");
    assert_eq!((taken.known_count, taken.asserted_count), (1, 0));
    let revocation = Claim {
        origin: "ops".into(),
        memory_id: 1,
        op: ClaimOp::Revoke,
        stamp: Stamp(claim.stamp.0 + 1),
        statement: None,
        selector: Some(Selector { origin: "arm-1".into(), ..Selector::default() }),
        ..claim.clone()
    };
    new.engine.take_claims(vec![revocation], &at, &at).expect("it is taken");
    assert_eq!(told(), [], "what was adopted of it is gone");
    assert!(matches!(adoption(AdoptAs::Own), Adoption::LeftOut(AdoptionRule::Revoked)));
    // As hearsay it is refused where hearsay is taken.
    assert!(matches!(adoption(AdoptAs::Hearsay), Adoption::Hearsay(None)));
    let taken = new.engine.take_claims(vec![Claim { revision: 9, ..claim.clone() }], &at, &at);
    assert_eq!(taken.expect("they are taken").forgotten_count, 1);
    assert_eq!(claim.statement.unwrap().roots, [rooted]);
}
