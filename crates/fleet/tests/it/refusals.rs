//! What a server does not take, and servers that are not there or not ready.

use crate::cluster::{Cluster, keys};
use crate::journal::Journal;
use crate::server::{Server, free_port, wait_until};
use robot_memory_fleet::{Lag, Settings, Way, lag, start};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_full_leaf_lets_the_memory_wait_and_says_so() {
    let mut cluster = Cluster::new(2);
    cluster.hub.server.kill();
    cluster.robots[0].settings.out_bytes_max = 128 * 1024;
    cluster.robots.iter_mut().for_each(super::cluster::Robot::start);
    let away = &cluster.robots[0];
    away.say_all((0..3_000).map(|memory_id| (memory_id, 1)), 100);
    let is_full = |text: &str| text.contains("CLAIMS_OUT is full until the hub has what is in it");
    wait_until(
        || away.state().faults.iter().any(|f| f.way == Way::Outbox && is_full(&f.text)),
        || format!("{:?}", away.state()),
    );
    assert!(away.memory.waiting() > 1_000, "{} wait", away.memory.waiting());
    cluster.hub.server.restart();
    let keys = keys(&cluster.robots[..1], 0, 3_000);
    cluster.wait_for(&keys);
    assert_eq!(cluster.assert_has_exactly(&keys), 0);
    wait_until(
        || cluster.robots[0].state().faults.is_empty(),
        || format!("{:?}", cluster.robots[0].state()),
    );
}

#[test]
fn what_a_full_hub_dropped_before_a_robot_took_it_is_counted() {
    let mut cluster = Cluster::new(3);
    cluster.robots[..2].iter_mut().for_each(|robot| {
        robot.settings.fleet_bytes_max = 64 * 1024;
        robot.start();
    });
    cluster.robots[0].say(0, 10);
    cluster.wait_for_some(..2, &keys(&cluster.robots[..1], 0, 10));
    cluster.robots[1].stop();
    // Several times what the stream keeps, and less at a time than it does: who is there misses nothing.
    for from in (10..1_010).step_by(50) {
        cluster.robots[0].say(from, from + 50);
        cluster.wait_for_some(..1, &keys(&cluster.robots[..1], 0, from + 50));
    }
    let hub = Settings::new(&cluster.hub.server.url(), "ops");
    let asked = |cluster: &Cluster| {
        let position = cluster.robots[1].memory.position_now();
        lag(&hub, position.as_ref(), Duration::from_secs(60)).unwrap()
    };
    let behind = asked(&cluster);
    assert!(behind.missed_count > 100 && behind.message_count > 10, "{behind:?}");
    assert_eq!(behind.missed_count + behind.message_count, 1_000);
    cluster.robots[1].start();
    let late = &cluster.robots[1];
    wait_until(|| late.state().lag == Some(0), || format!("{:?}", late.state()));
    assert_eq!(late.state().missed, behind.missed_count);
    assert_eq!(late.memory.taken().len() as u64, 10 + behind.message_count);
    assert_eq!(asked(&cluster), Lag { message_count: 0, missed_count: 0, is_anew: false });
    // It is known from where on a robot that was never there reads.
    cluster.robots[2].start();
    let new = &cluster.robots[2];
    wait_until(|| new.state().lag == Some(0), || format!("{:?}", new.state()));
    assert_eq!((new.state().missed, cluster.robots[0].state().missed), (0, 0));
    assert_eq!(new.memory.taken().len() as u64, behind.message_count);
}

#[test]
fn how_far_a_memory_is_behind_another_stream_is_from_its_beginning() {
    let mut cluster = Cluster::started(1);
    let hub = Settings::new(&cluster.hub.server.url(), "ops");
    cluster.robots[0].say(0, 20);
    cluster.wait_for(&keys(&cluster.robots, 0, 20));
    let position = cluster.robots[0].memory.position_now();
    let timeout = Duration::from_secs(60);
    let none = Lag { message_count: 0, missed_count: 0, is_anew: false };
    assert_eq!(lag(&hub, None, timeout).unwrap(), Lag { message_count: 20, ..none });
    cluster.robots[0].stop();
    cluster.hub.wipe();
    let missing = lag(&hub, position.as_ref(), timeout).expect_err("there is none").to_string();
    assert!(missing.contains("the hub has no stream FLEET"), "{missing}");
    cluster.robots[0].start();
    cluster.robots[0].say(20, 30);
    cluster.wait_for(&keys(&cluster.robots, 0, 30));
    let behind = lag(&hub, position.as_ref(), timeout).unwrap();
    assert!(behind.is_anew && behind.missed_count == 0, "{behind:?}");
    assert!(behind.message_count >= 30, "{behind:?}");
}

#[test]
fn a_claim_that_is_too_long_is_in_nobodys_way() {
    let cluster = Cluster::started(2);
    let robot = &cluster.robots[0];
    robot.say_all([(0, 1)], 100);
    robot.say_all([(1, 1)], 600 * 1024);
    robot.say_all([(2, 1)], 500 * 1024);
    let keys = [("r0".to_owned(), 0, 1), ("r0".to_owned(), 2, 1)].into();
    cluster.wait_for(&keys);
    cluster.assert_has_exactly(&keys);
    assert_eq!(robot.state().refused, 1);
}

#[test]
fn a_message_under_the_id_of_a_claim_to_come_does_not_keep_it_away() {
    let cluster = Cluster::started(2);
    cluster.robots[0].say(0, 1);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 1));
    // The subject is that of the other robot, which may publish there.
    cluster.hub.server.publish("fleet.log.r1", "r0:1:1", "r1:9:1 it says");
    cluster.robots[0].say(1, 3);
    let mut all = keys(&cluster.robots[..1], 0, 3);
    all.insert(("r1".to_owned(), 9, 1));
    cluster.wait_for(&all);
    assert_eq!(cluster.assert_has_exactly(&all), 0);
}

#[test]
fn what_the_hub_never_takes_is_a_fault_also_behind_what_it_has() {
    let mut cluster = Cluster::new(2);
    // Made by a person, for short messages.
    let stream = r#"{"name": "FLEET", "subjects": ["fleet.log.*"], "retention": "limits", "storage": "file", "max_consumers": -1,
        "max_msgs": -1, "max_bytes": -1, "max_age": 0, "discard": "old", "num_replicas": 1, "max_msg_size": 4096}"#;
    cluster.hub.server.publish("$JS.API.STREAM.CREATE.FLEET", "", stream);
    cluster.robots.iter_mut().for_each(|robot| robot.start());
    let robot = &cluster.robots[0];
    robot.say(0, 2);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 2));
    robot.say_all([(2, 1)], 100);
    robot.say_all([(3, 1)], 8_000);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 3));
    let is_fault = || robot.state().faults.iter().any(|fault| fault.way == Way::Forward);
    wait_until(is_fault, || format!("{:?}", robot.state()));
    std::thread::sleep(Duration::from_secs(2));
    assert!(is_fault(), "what it has already is no progress: {:?}", robot.state());
    assert_eq!(robot.state().forwarded, 3);
}

#[test]
fn a_server_that_is_not_there_is_named_and_the_transport_stops() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let memory = Arc::new(Journal::open(folder.path(), "r0"));
    let transport =
        start(Settings::new(&format!("nats://127.0.0.1:{port}"), "r0"), memory).unwrap();
    wait_until(|| !transport.state().faults.is_empty(), || "no fault".to_owned());
    let fault = transport.state().faults.remove(0);
    assert_eq!(fault.way, Way::Server);
    let begin = format!("the NATS server 127.0.0.1:{port} is not reachable: ");
    assert!(fault.text.starts_with(&begin), "{}", fault.text);
    transport.stop();
}

#[test]
fn a_server_that_cannot_serve_says_what_it_lacks() {
    let cases = [
        ("", "has no JetStream"),
        (
            "jetstream { store_dir: STORE }",
            "has no domain: its file needs jetstream { domain: r0 }",
        ),
    ];
    for (lines, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let store = format!("{:?}", folder.path().join("store"));
        let lines = lines.replace("STORE", &store);
        let config = format!("listen: 127.0.0.1:{port}\n{lines}\n");
        let server = Server::start(folder.path(), "server", port, &config);
        let memory = Arc::new(Journal::open(folder.path(), "r0"));
        let transport = start(Settings::new(&server.url(), "r0"), memory).unwrap();
        wait_until(
            || transport.state().last_error.is_some_and(|error| error.contains(expected)),
            || format!("{:?}", transport.state()),
        );
    }
}

#[test]
fn a_leaf_is_that_of_one_robot() {
    let mut cluster = Cluster::started(1);
    cluster.robots[0].say(0, 1);
    cluster.wait_for(&keys(&cluster.robots, 0, 1));
    cluster.robots[0].settings.robot = "other".to_owned();
    cluster.robots[0].restart();
    let robot = &cluster.robots[0];
    let expected = "CLAIMS_OUT of this server is that of another robot: it takes fleet.claims.r0";
    wait_until(
        || robot.state().faults.iter().any(|f| f.way == Way::Outbox && f.text.contains(expected)),
        || format!("{:?}", robot.state()),
    );
}
