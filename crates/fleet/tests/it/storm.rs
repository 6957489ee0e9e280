//! Everything goes wrong at once, by chance.

use crate::cluster::{Cluster, Robot};
use crate::journal::Key;
use crate::server::wait_until;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Numbers that look random, the same for the same seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn seed() -> u64 {
    let given = std::env::var("ROBOT_MEMORY_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    given.unwrap_or_else(now) | 1
}

/// One thing goes wrong.
fn strike(cluster: &mut Cluster, chance: &mut Chance) -> String {
    let at = usize::try_from(chance.below(cluster.robots.len() as u64)).unwrap();
    let robot = &mut cluster.robots[at];
    match chance.below(20) {
        0..5 => robot.cut(true),
        5..8 => robot.cut(false),
        8 => robot.network.as_ref().unwrap().freeze(chance.below(2) == 0),
        9 => robot.network.as_ref().unwrap().delay(chance.below(20)),
        10..12 => robot.network.as_ref().unwrap().double(chance.below(2) == 0),
        12..15 => robot.leaf().restart(),
        15..17 => robot.restart(),
        17 => robot.memory.is_told_broken.store(chance.below(2) == 0, Ordering::SeqCst),
        18 => cluster.hub.server.restart(),
        _ => {
            cluster.hub.server.kill();
            std::thread::sleep(Duration::from_millis(chance.below(1_500)));
            cluster.hub.server.restart();
        }
    }
    format!("r{at}")
}

fn heal(cluster: &mut Cluster) {
    for robot in &mut cluster.robots {
        robot.memory.is_told_broken.store(false, Ordering::SeqCst);
        let network = robot.network.as_ref().unwrap();
        network.delay(0);
        network.freeze(false);
        network.double(false);
        // Connections that are doubled end.
        network.cut(true);
        network.cut(false);
    }
}

#[test]
fn nothing_that_was_acknowledged_is_lost_in_a_storm() {
    let seed = seed();
    println!("ROBOT_MEMORY_TEST_SEED={seed}");
    let mut chance = Chance(seed);
    let mut cluster = Cluster::started(3);
    for robot in &cluster.robots {
        robot.memory.take_fails_each.store(7, Ordering::SeqCst);
    }
    let mut said: BTreeSet<Key> = BTreeSet::new();
    let mut next = 0;
    let strikes = 40;
    for round in 0..strikes {
        for robot in &cluster.robots {
            // Memories, and some of them again with a new revision.
            let revised =
                (0..next).filter(|id| id % 40 == round % 40).map(|id| (id, 2 + round as u64));
            let fresh = (next..next + 1_000 / strikes).map(|id| (id, 1));
            let all: Vec<(i64, u64)> = revised.chain(fresh).collect();
            said.extend(all.iter().map(|(id, revision)| (robot.name.clone(), *id, *revision)));
            robot.say_all(all, 100);
        }
        next += 1_000 / strikes;
        strike(&mut cluster, &mut chance);
        std::thread::sleep(Duration::from_millis(chance.below(200)));
        if round == strikes / 2 && chance.below(3) == 0 {
            cluster.hub.wipe();
        }
    }
    heal(&mut cluster);
    cluster.wait_for(&said);
    let again = cluster.assert_has_exactly(&said);
    for robot in &cluster.robots {
        wait_until(|| settled(robot), || format!("{:?}", robot.state()));
    }
    println!("{} claims on each of 3 robots; {again} came again", said.len());
}

fn settled(robot: &Robot) -> bool {
    let state = robot.state();
    state.unforwarded == Some(0) && state.lag == Some(0) && state.is_hub_reached
}
