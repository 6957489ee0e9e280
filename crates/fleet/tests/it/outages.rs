//! One thing at a time goes wrong.

use crate::cluster::{Cluster, Robot, keys};
use crate::server::wait_until;
use robot_memory_fleet::Way;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

#[test]
fn what_one_says_reaches_all_once() {
    let cluster = Cluster::started(3);
    for robot in &cluster.robots {
        robot.say(0, 1_000);
    }
    let keys = keys(&cluster.robots, 0, 1_000);
    cluster.wait_for(&keys);
    assert_eq!(cluster.assert_has_exactly(&keys), 0, "something came twice");
    for robot in &cluster.robots {
        wait_until(|| robot.state().lag == Some(0), || format!("{:?}", robot.state()));
        let state = robot.state();
        assert!(state.is_connected && state.is_hub_reached, "{state:?}");
        assert_eq!((state.acknowledged, state.forwarded, state.taken), (1_000, 1_000, 3_000));
        assert_eq!((state.unacked, state.unforwarded, state.refused), (0, Some(0), 0));
        assert_eq!(state.faults, []);
    }
}

#[test]
fn a_robot_that_was_away_catches_up() {
    let cluster = Cluster::started(2);
    cluster.robots[0].say(0, 10);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 10));
    cluster.robots[0].cut(true);
    cluster.robots[0].say(10, 10_010);
    let away = &cluster.robots[0];
    // All is acknowledged by the leaf, and the outage is known.
    wait_until(
        || away.memory.waiting() == 0 && away.state().faults.iter().any(|f| f.way == Way::Fleet),
        || format!("{} wait, {:?}", away.memory.waiting(), away.state()),
    );
    assert_eq!(away.state().unforwarded, Some(10_000));
    assert!(!away.state().is_hub_reached);
    let begun = Instant::now();
    cluster.robots[0].cut(false);
    let keys = keys(&cluster.robots[..1], 0, 10_010);
    cluster.wait_for(&keys);
    println!(
        "10 000 claims are on the other robot {:.2?} after the end of the outage",
        begun.elapsed()
    );
    cluster.assert_has_exactly(&keys);
    wait_until(|| away.state().faults.is_empty(), || format!("{:?}", away.state()));
}

#[test]
fn what_an_authority_says_is_taken_before_all_that_was_missed() {
    let cluster = Cluster::started(2);
    let (away, other) = (&cluster.robots[1], &cluster.robots[0]);
    other.say(0, 10);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 10));
    away.cut(true);
    wait_until(
        || away.state().faults.iter().any(|f| f.way == Way::Fleet),
        || format!("{:?}", away.state()),
    );
    other.say(10, 1_010);
    cluster.hub.server.publish("fleet.log.ops", "ops:1", "ops:1:1 revoke");
    cluster.hub.server.publish("fleet.log.ops", "ops:2", "ops:2:1 revoke");
    other.say(1_010, 1_020);
    let first = |at: usize| cluster.robots[at].memory.first.lock().unwrap().clone();
    assert_eq!((first(0), first(1)), (Vec::new(), Vec::new()));
    away.cut(false);
    let mut keys = keys(&cluster.robots[..1], 0, 1_020);
    keys.extend([("ops".to_owned(), 1, 1), ("ops".to_owned(), 2, 1)]);
    cluster.wait_for(&keys);
    assert_eq!(first(1), [("ops:1:1".to_owned(), 10), ("ops:2:1".to_owned(), 10)]);
    cluster.assert_has_exactly(&keys);
}

#[test]
fn a_network_that_swallows_all_is_an_outage() {
    let cluster = Cluster::started(2);
    for robot in &cluster.robots {
        robot.say(0, 100);
    }
    cluster.wait_for(&keys(&cluster.robots, 0, 100));
    let away = &cluster.robots[0];
    away.network.as_ref().unwrap().freeze(true);
    for robot in &cluster.robots {
        robot.say(100, 1_100);
    }
    // The leaf does not know of it.
    wait_until(
        || away.memory.waiting() == 0 && away.state().faults.iter().any(|f| f.way == Way::Fleet),
        || format!("{} wait, {:?}", away.memory.waiting(), away.state()),
    );
    away.network.as_ref().unwrap().freeze(false);
    let keys = keys(&cluster.robots, 0, 1_100);
    cluster.wait_for(&keys);
    cluster.assert_has_exactly(&keys);
    wait_until(|| away.state().faults.is_empty(), || format!("{:?}", away.state()));
}

#[test]
fn a_hub_that_is_killed_loses_nothing() {
    let mut cluster = Cluster::started(3);
    for robot in &cluster.robots {
        robot.say(0, 500);
    }
    // In the midst of it.
    wait_until(|| cluster.robots[0].state().taken > 100, || "nothing comes".to_owned());
    cluster.hub.server.kill();
    for robot in &cluster.robots {
        robot.say(500, 1_000);
        wait_until(|| robot.memory.waiting() == 0, || format!("{:?}", robot.state()));
    }
    cluster.hub.server.restart();
    let keys = keys(&cluster.robots, 0, 1_000);
    cluster.wait_for(&keys);
    cluster.assert_has_exactly(&keys);
}

#[test]
fn a_leaf_that_is_killed_loses_nothing_that_it_acknowledged() {
    let mut cluster = Cluster::started(3);
    cluster.robots[0].cut(true);
    cluster.robots[0].say(0, 2_000);
    // In the midst of it: some are acknowledged, some wait.
    wait_until(|| cluster.robots[0].state().acknowledged > 100, || "nothing goes".to_owned());
    cluster.robots[0].leaf().kill();
    wait_until(
        || cluster.robots[0].state().faults.iter().any(|fault| fault.way == Way::Server),
        || format!("{:?}", cluster.robots[0].state()),
    );
    assert!(!cluster.robots[0].state().is_connected);
    cluster.robots[0].cut(false);
    cluster.robots[0].leaf().restart();
    let keys = keys(&cluster.robots[..1], 0, 2_000);
    cluster.wait_for(&keys);
    cluster.assert_has_exactly(&keys);
}

#[test]
fn a_hub_that_lost_its_storage_gets_all_again() {
    let mut cluster = Cluster::started(3);
    for robot in &cluster.robots {
        robot.say(0, 700);
    }
    let before = keys(&cluster.robots, 0, 700);
    cluster.wait_for(&before);
    let old = cluster.robots[0].memory.position_now().unwrap();
    cluster.hub.wipe();
    for robot in &cluster.robots {
        robot.say(700, 1_000);
    }
    let keys = keys(&cluster.robots, 0, 1_000);
    cluster.wait_for(&keys);
    let again = |robot: &Robot| robot.memory.taken().values().filter(|count| **count > 1).count();
    for robot in &cluster.robots {
        // What was in the old stream is in the new one.
        wait_until(|| again(robot) >= 2_100, || format!("{} came again", again(robot)));
        assert_eq!(robot.state().anew, 1);
    }
    cluster.assert_has_exactly(&keys);
    let new = cluster.robots[0].memory.position_now().unwrap();
    assert_ne!(old.stream_id, new.stream_id);
}

#[test]
fn a_hub_that_lost_its_end_and_got_others_in_its_place_is_taken_again() {
    let mut cluster = Cluster::started(3);
    let say = |cluster: &Cluster, robots: std::ops::Range<usize>, from, to| {
        cluster.robots[robots].iter().for_each(|robot| robot.say(from, to));
    };
    say(&cluster, 0..3, 0, 300);
    cluster.wait_for(&keys(&cluster.robots, 0, 300));
    cluster.hub.keep();
    say(&cluster, 0..3, 300, 400);
    cluster.wait_for(&keys(&cluster.robots, 0, 400));
    // The third is away while the hub gets more than it lost.
    cluster.robots[2].cut(true);
    cluster.hub.lose_what_came_since();
    say(&cluster, 0..2, 400, 900);
    let of_two = keys(&cluster.robots[..2], 0, 900);
    wait_until(
        || {
            let taken = cluster.robots[0].memory.taken();
            of_two.iter().all(|key| taken.contains_key(key))
        },
        || format!("{:?}", cluster.robots[0].state()),
    );
    cluster.robots[2].cut(false);
    let mut all = of_two;
    all.extend(keys(&cluster.robots[2..], 0, 400));
    cluster.wait_for(&all);
    cluster.assert_has_exactly(&all);
    assert_eq!(cluster.robots[2].state().anew, 1);
}

#[test]
fn a_stream_of_the_hub_that_is_made_anew_gets_all_again() {
    let mut cluster = Cluster::new(2);
    cluster.robots[0].start();
    cluster.robots[0].say(0, 400);
    wait_until(
        || {
            cluster.robots[0].state().unforwarded == Some(0)
                && cluster.robots[0].state().lag == Some(0)
        },
        || format!("{:?}", cluster.robots[0].state()),
    );
    // So quickly that what comes next meets the new stream.
    let hub = &cluster.hub.server;
    hub.ask("STREAM.DELETE.FLEET", "").read_until("\"success\":true");
    let made = r#"{"name":"FLEET","subjects":["fleet.log.*"],"storage":"file","retention":"limits",
        "num_replicas":1,"max_bytes":1000000000}"#;
    hub.ask("STREAM.CREATE.FLEET", made).read_until("\"created\"");
    cluster.robots[0].say(400, 410);
    // One that was not there before.
    cluster.robots[1].start();
    let keys = keys(&cluster.robots[..1], 0, 410);
    cluster.wait_for(&keys);
    cluster.assert_has_exactly(&keys);
}

#[test]
fn a_leaf_that_lost_its_storage_goes_on() {
    let mut cluster = Cluster::started(2);
    cluster.robots[0].say(0, 700);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 700));
    cluster.robots[0].leaf().kill();
    std::fs::remove_dir_all(cluster.folder.path().join("r0")).unwrap();
    cluster.robots[0].cut(true);
    cluster.robots[0].leaf().restart();
    // Their sequence numbers in the new stream are, in the old one, those of others: more of them, and fewer.
    cluster.robots[0].say(700, 1_700);
    let away = &cluster.robots[0];
    wait_until(|| away.memory.waiting() == 0, || format!("{:?}", away.state()));
    cluster.robots[0].cut(false);
    cluster.wait_for(&keys(&cluster.robots[..1], 0, 1_700));
    cluster.robots[0].leaf().kill();
    std::fs::remove_dir_all(cluster.folder.path().join("r0")).unwrap();
    cluster.robots[0].leaf().restart();
    cluster.robots[0].say(1_700, 1_800);
    let keys = keys(&cluster.robots[..1], 0, 1_800);
    cluster.wait_for(&keys);
    assert_eq!(cluster.assert_has_exactly(&keys), 0);
}

#[test]
fn what_was_sent_and_did_not_arrive_is_asked_for_again() {
    // The one after the first is lost: in the midst of others, and as the last one.
    for count in [10, 2] {
        let cluster = Cluster::started(1);
        let robot = &cluster.robots[0];
        wait_until(|| robot.state().is_hub_reached, || format!("{:?}", robot.state()));
        let hub = &cluster.hub.server;
        let mut names = hub.ask("CONSUMER.NAMES.FLEET", "");
        let names = names.read_until("]}").rsplit_once("\"consumers\":[\"").unwrap().1;
        let name = names.split('"').next().unwrap();
        let mut thief = hub.ask(&format!("CONSUMER.MSG.NEXT.FLEET.{name}"), r#"{"batch":1}"#);
        robot.say(0, count);
        thief.read_until("$JS.ACK.");
        let keys = keys(&cluster.robots, 0, count);
        cluster.wait_for(&keys);
        cluster.assert_has_exactly(&keys);
        let error = robot.state().last_error.unwrap();
        assert!(error.contains("did not arrive"), "{error}");
    }
}

#[test]
fn a_kill_between_acknowledgment_and_told_sends_twice_and_stores_once() {
    let mut cluster = Cluster::started(2);
    cluster.robots[0].memory.is_told_broken.store(true, Ordering::SeqCst);
    cluster.robots[0].say(0, 200);
    wait_until(|| cluster.robots[0].memory.told_calls() > 1, || "nothing goes".to_owned());
    assert_eq!(cluster.robots[0].memory.waiting(), 200);
    cluster.robots[0].restart();
    let keys = keys(&cluster.robots[..1], 0, 200);
    cluster.wait_for(&keys);
    assert!(cluster.robots[0].state().acknowledged >= 200);
    // Something that comes after them, so that a second copy would have come.
    cluster.robots[0].say(200, 201);
    let mut all = keys;
    all.insert(("r0".to_owned(), 200, 1));
    cluster.wait_for(&all);
    assert_eq!(cluster.assert_has_exactly(&all), 0, "the server did not know their ids");
}

#[test]
fn a_memory_that_does_not_take_is_offered_again() {
    let cluster = Cluster::started(2);
    cluster.robots[1].memory.take_fails_each.store(2, Ordering::SeqCst);
    cluster.robots[0].say(0, 3_000);
    let keys = keys(&cluster.robots[..1], 0, 3_000);
    cluster.wait_for(&keys);
    assert_eq!(cluster.assert_has_exactly(&keys), 0);
    let error = cluster.robots[1].state().last_error.unwrap();
    assert_eq!(error, "the memory does not take claims: the store is locked");
}

#[test]
fn eight_that_start_at_once_are_one_fleet() {
    let mut cluster = Cluster::new(4);
    for at in 4..8 {
        let robot = Robot::without_leaf(cluster.folder.path(), &format!("r{at}"), &cluster.hub);
        cluster.robots.push(robot);
    }
    std::thread::scope(|scope| {
        for robot in &mut cluster.robots {
            scope.spawn(|| {
                robot.start();
                robot.say(0, 100);
            });
        }
    });
    let keys: BTreeSet<_> = keys(&cluster.robots, 0, 100);
    cluster.wait_for(&keys);
    assert_eq!(cluster.assert_has_exactly(&keys), 0);
    let direct = cluster.robots[7].state();
    assert_eq!((direct.acknowledged, direct.forwarded, direct.unforwarded), (100, 0, Some(0)));
}
