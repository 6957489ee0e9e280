//! `memory fleet` without servers: keys, what the store knows, and what is refused before anything is sent.

use crate::cli::{Outcome, memory, program, run};
use crate::robot::Robot;
use robot_memory_core::claim::{
    Body, CLAIM_VERSION, Claim, ClaimOp, MemoryRef, Selector, Statement,
};
use robot_memory_core::model::{Kind, MemType, Stamp, Trust};
use robot_memory_engine::{FleetMember, FleetPosition};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

fn fleet(arguments: &[&str]) -> Outcome {
    run(program().arg("fleet").args(arguments))
}

/// The revocation of all that arm-1 told.
fn revoke(key: &Path, more: &[&str]) -> Outcome {
    let key = key.to_str().expect("UTF-8");
    let mut arguments = vec!["revoke", "--url", "nats://127.0.0.1:9", "--as", "ops", "--key", key];
    arguments.extend(["--origin", "arm-1", "--reason", "it was not calibrated"]);
    arguments.extend(more);
    fleet(&arguments)
}

#[test]
fn a_key_is_made_once_for_its_owner_only() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("not/there/yet/memory.db");
    let made = memory(&store, &["fleet", "key", "--robot", "arm-1"]);
    let lines: Vec<&str> = made.text().lines().collect();
    assert_eq!(lines[1], format!("  arm-1: {{key: \"{}\"}}", lines[0]));
    let path = folder.path().join("not/there/yet/memory.db.fleet.key");
    let mode = path.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = memory(&store, &["fleet", "key", "--json"]).json();
    assert_eq!((again["key"].as_str(), again["name"].as_str()), (Some(lines[0]), None));
    let other = folder.path().join("ops.key");
    let other = fleet(&["key", "--key", other.to_str().expect("UTF-8")]);
    assert_ne!(other.text().trim_end(), lines[0]);
    let refused = memory(&store, &["fleet", "key", "--robot", "arm.1"]);
    assert!(refused.refusal(2).contains("--robot: must be 1 to 64 of A-Z"), "{}", refused.stderr);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).expect("it is changed");
    let open = memory(&store, &["fleet", "key"]);
    assert!(open.refusal(1).contains("chmod 600"), "{}", open.stderr);
}

#[test]
fn a_revocation_is_shown_and_nothing_is_sent_before_it_is_confirmed() {
    let folder = TempDir::new().expect("a folder");
    let key = folder.path().join("ops.key");
    let refused = revoke(&key, &[]);
    let wanted = format!("memory fleet key --key {} makes it", key.display());
    assert!(refused.refusal(2).contains(&wanted), "{}", refused.stderr);
    assert!(!key.exists());
    fleet(&["key", "--key", key.to_str().expect("UTF-8")]).text();

    // Nobody listens there.
    let narrow = ["--memory-id", "7", "--session", "s-1", "--stream", "wrist", "--since", "0"];
    let shown = revoke(&key, &narrow);
    for part in ["its memory 7, its session s-1, its stream wrist", "from 1970-", "(now)", "--yes"]
    {
        assert!(shown.text().contains(part), "{part}: {}", shown.stdout);
    }
    let json = revoke(&key, &["--json", "--until", "1750000000"]).json();
    assert!(json["number"].is_null() && json["is_sent"] == false, "{json}");
    assert_eq!(json["selector"]["until"], "2025-06-15T15:06:40Z");
    let refused = revoke(&key, &["--yes"]);
    let fault = "the NATS server 127.0.0.1:9 is not reachable";
    assert!(refused.refusal(1).contains(fault), "{}", refused.stderr);
    for (more, fault) in [
        (["--since", "20", "--until", "10"], "selector.until: must be after since"),
        (["--until", "10", "--memory-id", "9007199254740992"], "selector.memory_id: must be 0 to"),
        (["--credentials", "/not/there", "--until", "10"], "--credentials: /not/there cannot be"),
    ] {
        let refused = revoke(&key, &more);
        assert!(refused.refusal(2).contains(fault), "{}", refused.stderr);
    }
}

#[test]
fn receipts_are_asked_for_by_an_authority_that_is_known() {
    let folder = TempDir::new().expect("a folder");
    let robots = folder.path().join("robots.yaml");
    let path = robots.to_str().expect("UTF-8");
    let receipts =
        || fleet(&["receipts", "--url", "nats://127.0.0.1:9", "--as", "ops", "--robots", path]);
    assert!(receipts().refusal(2).contains("--robots: "));
    std::fs::write(&robots, "robots: {}\n").expect("it is written");
    assert!(receipts().refusal(2).contains("--as: ops is not in"));
}

fn claim(origin: &str, memory_id: i64, stamp: Stamp, op: ClaimOp) -> Claim {
    Claim {
        version: CLAIM_VERSION.into(),
        origin: origin.into(),
        memory_id,
        revision: 1,
        op,
        stamp,
        body: Body::default(),
        statement: None,
        target: None,
        selector: None,
        removed: None,
    }
}

fn assertion(origin: &str, memory_id: i64, stamp: Stamp) -> Claim {
    let root = MemoryRef { origin: origin.into(), memory_id };
    let statement = Statement {
        scope: "global".into(),
        collection: "default".into(),
        kind: Kind::Fact,
        mem_type: MemType::Preference,
        category: None,
        trust: Trust::High,
        confidence: 1.0,
        created_at: stamp,
        session_id: String::new(),
        stream: String::new(),
        map_id: String::new(),
        frame: String::new(),
        content: format!("The cup {memory_id} of {origin} stands in the hall"),
        context: String::new(),
        roots: vec![root],
        derived_from: Vec::new(),
        vector: None,
        picture: None,
    };
    Claim { statement: Some(statement), ..claim(origin, memory_id, stamp, ClaimOp::Assert) }
}

#[test]
fn the_store_tells_what_was_told_and_taken_beside_a_running_robot() {
    let robot = Robot::with(|config| {
        config.fleet = Some(FleetMember::new("arm-3", Body::default()));
    });
    let store = robot.store_path();
    let empty = memory(&store, &["fleet", "status"]);
    assert!(empty.text().contains("nothing was taken yet"), "{}", empty.stdout);
    robot.learn("Never grip the glass harder than 13 N");
    let now = robot.clock_now();
    let mut claims = vec![
        assertion("arm-1", 1, now),
        assertion("arm-1", 2, now),
        assertion("arm-2", 1, Stamp(now.0 + 90_000_000_000)),
    ];
    let selector = Selector {
        origin: "arm-1".into(),
        memory_id: Some(2),
        reason: "it was not calibrated".into(),
        ..Selector::default()
    };
    let revocation = claim("ops", 17, Stamp(now.0 + 1), ClaimOp::Revoke);
    claims.push(Claim { selector: Some(selector), ..revocation });
    let position = FleetPosition { stream_id: "FLEET@5".into(), sequence: 44 };
    let from = FleetPosition::default();
    robot.engine.take_claims(claims, &from, &position).expect("they are taken");

    let status = memory(&store, &["fleet", "status", "--json"]).json();
    assert_eq!(
        (status["waiting_count"].as_u64(), status["told_count"].as_u64()),
        (Some(1), Some(0))
    );
    assert_eq!((&status["stream_id"], &status["taken_until"]), (&"FLEET@5".into(), &44.into()));
    let robots: Vec<_> = status["robots"].as_array().expect("a list").iter().collect();
    assert_eq!((&robots[0]["name"], &robots[0]["memory_count"]), (&"arm-1".into(), &1.into()));
    assert_eq!((&robots[1]["name"], &robots[1]["ahead_secs"]), (&"arm-2".into(), &90.0.into()));
    let revoked = &status["revocations"][0];
    assert_eq!((&revoked["number"], &revoked["deleted_count"]), (&17.into(), &1.into()));
    assert_eq!(revoked["receipt_told"], false);

    let shown = memory(&store, &["fleet", "status"]);
    let wanted = ["0 told, 1 wait", "taken up to 44 of FLEET@5", "90.0 s", "waits", "calibrated"];
    for part in wanted.into_iter().chain(["still to be taken: not asked"]) {
        assert!(shown.text().contains(part), "{part}: {}", shown.stdout);
    }

    // Nobody listens there: what the store knows is shown all the same.
    let unreached = ["fleet", "status", "--url", "nats://127.0.0.1:9"];
    let shown = memory(&store, &unreached);
    let fault = "still to be taken: not known: the NATS server 127.0.0.1:9 is not reachable";
    for part in ["0 told, 1 wait", fault] {
        assert!(shown.text().contains(part), "{part}: {}", shown.stdout);
    }
    let json = memory(&store, &[&unreached[..], &["--json"]].concat()).json();
    assert!(json["lag"].is_null() && json["lag_fault"].is_string(), "{json}");
    let refused = memory(&store, &["fleet", "status", "--url", "ws://hub"]);
    assert!(refused.refusal(2).contains("it begins with ws://"), "{}", refused.stderr);
    let refused = memory(&store, &["fleet", "status", "--ca", "ca.pem"]);
    assert!(refused.refusal(2).contains("--url"), "{}", refused.stderr);
}

#[test]
fn a_clock_that_was_set_right_is_no_longer_ahead() {
    let robot = Robot::with(|config| {
        config.fleet = Some(FleetMember::new("arm-3", Body::default()));
    });
    let mut sequence = 0;
    // What each robot tells, and by how many seconds its clock is off.
    let mut take = |told: &[(&str, i64, i64)]| {
        robot.sleep_days(1e-5);
        let now = robot.clock_now().0;
        let claim = |&(origin, memory_id, secs): &(&str, i64, i64)| {
            assertion(origin, memory_id, Stamp(now + secs * 1_000_000_000))
        };
        let from = robot.engine.fleet_position("").expect("it is read");
        sequence += 1;
        let to = FleetPosition { stream_id: "FLEET@5".into(), sequence };
        let claims = told.iter().map(claim).collect();
        robot.engine.take_claims(claims, &from, &to).expect("they are taken");
        let summary = robot.engine.fleet_summary().expect("it is read");
        let clocks = summary.told_by.iter();
        clocks.map(|it| (it.origin.clone(), it.ahead_secs(), it.is_skewed())).collect::<Vec<_>>()
    };
    let clock = |origin: &str, secs: f64, is_skewed| (origin.to_owned(), secs, is_skewed);
    // Of what comes at once the last that was told says it: the rest was on its way for longer.
    let told = take(&[("arm-1", 1, -4_000), ("arm-1", 2, 7_200), ("arm-2", 1, -1)]);
    assert_eq!(told, [clock("arm-1", 7_200.0, true), clock("arm-2", -1.0, false)]);
    let told = take(&[("arm-1", 3, -1)]);
    assert_eq!(told, [clock("arm-1", -1.0, false), clock("arm-2", -1.0, false)]);
    // One that is behind looks as what waited on a leaf does.
    let told = take(&[("arm-2", 2, -7_200)]);
    assert_eq!(told, [clock("arm-1", -1.0, false), clock("arm-2", -7_200.0, false)]);
}
