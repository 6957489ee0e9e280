use crate::robot::{Robot, ids, sql};
use crate::streamed::{contact, record, with_clip};
use robot_memory_core::api::{ErrorKind, GetMemory, GetMemoryRequest, Recall, RecallRequest};
use robot_memory_engine::EventsHealth;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What an event takes beside its data (crates/engine/src/service/retention.rs).
const ROW_BYTES: u64 = 4096;
const DATA: usize = 10_000;

fn upkeep(robot: &Robot) {
    for _ in 0..1_000 {
        if !robot.engine.upkeep().expect("upkeep") {
            return;
        }
    }
    panic!("upkeep finds no end");
}

fn health(robot: &Robot) -> EventsHealth {
    robot.engine.health().expect("health").events
}

fn is_there(robot: &Robot, id: i64) -> bool {
    let request = GetMemoryRequest { memory_id: id, ..Default::default() };
    match robot.engine.call::<GetMemory>(request) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::NotFound);
            false
        }
    }
}

fn left(robot: &Robot, ids: &[i64]) -> Vec<i64> {
    ids.iter().copied().filter(|id| is_there(robot, *id)).collect()
}

fn recall(robot: &Robot, query: &str, n: u32) -> Vec<i64> {
    let request = RecallRequest { query: query.into(), n, ..Default::default() };
    ids(&robot.call::<Recall>(request))
}

fn clips(robot: &Robot) -> BTreeSet<String> {
    let entries = std::fs::read_dir(robot.engine.clips_folder()).expect("the folder");
    entries.map(|entry| entry.expect("a file").file_name().into_string().expect("UTF-8")).collect()
}

/// Bounded to ten events of [`DATA`] bytes.
fn bounded() -> Robot {
    let robot = Robot::with(|config| {
        config.events_bytes_max = 10 * (DATA as u64 + 50 + ROW_BYTES);
    });
    robot.plug_in_embedder();
    robot
}

#[test]
fn the_least_important_go_first_then_the_oldest() {
    let robot = bounded();
    // Stored in another order than they happened.
    let importance = [0.5, 0.2, 0.5, 0.8, 0.2, 0.5, 0.8, 0.5, 0.5, 0.5, 0.5, 0.5];
    let made: Vec<_> = (0..12).rev().map(|i| contact(i, importance[i as usize], DATA)).collect();
    let mut stored = record(&robot, made);
    stored.reverse();
    upkeep(&robot);
    // Down to nine: both of 0.2, and the first of 0.5.
    let kept: Vec<i64> = [2, 3, 5, 6, 7, 8, 9, 10, 11].map(|i| stored[i]).to_vec();
    assert_eq!(left(&robot, &stored), kept);
    let now = health(&robot);
    assert_eq!((now.count, now.deleted_count, now.over_bound), (9, 3, false));
    assert!(now.bytes <= 9 * (DATA as u64 + 50 + ROW_BYTES), "{now:?}");
    assert_eq!(robot.engine.health().expect("health").active_count, 9);
}

#[test]
fn nothing_of_a_deleted_event_is_left() {
    let robot = bounded();
    let made = (0..30).map(|i| {
        let recording = contact(i, 0.5, DATA);
        with_clip(&robot.engine, recording, &format!("{i}.mcap"), 10)
    });
    let stored = record(&robot, made.collect());
    assert_eq!(recall(&robot, "contact wrist", 100).len(), 30);
    // What was recalled is kept for a day.
    robot.engine.upkeep().expect("upkeep");
    robot.sleep_days(2.0);
    upkeep(&robot);
    let kept = left(&robot, &stored);
    assert!((8..=9).contains(&kept.len()), "{kept:?}");
    assert_eq!(clips(&robot).len(), kept.len());
    let count =
        |table: &str| sql::<i64>(&robot.store_path(), &format!("SELECT count(*) FROM {table}"));
    for table in ["memory", "perception", "memory_vector", "event", "memory_words"] {
        assert_eq!(count(table), kept.len() as i64, "{table}");
    }
    let mut found = recall(&robot, "contact wrist", 100);
    found.sort_unstable();
    assert_eq!(found, kept);
    let robot = robot.restart();
    let mut found = recall(&robot, "contact wrist", 100);
    found.sort_unstable();
    assert_eq!(found, kept);
    // Their ids are not used again.
    assert!(robot.learn("the cup is red").memory_id > stored[29]);
}

#[test]
fn what_people_stored_and_what_is_used_stays() {
    let robot = bounded();
    let fact = robot.learn("the cup is red").memory_id;
    let by_hand = robot.perceive("contact felt by hand", "");
    let important = record(&robot, (0..4).map(|i| contact(i, 1.0, DATA)).collect());
    let recalled = record(&robot, (100..104).map(|i| contact(i, 0.1, DATA)).collect());
    for number in 100..104 {
        let found = recall(&robot, &format!("contact number {number}"), 1);
        assert_eq!(found, [recalled[number as usize - 100]]);
    }
    let others = record(&robot, (10..22).map(|i| contact(i, 0.9, DATA)).collect());
    upkeep(&robot);
    let now = health(&robot);
    assert_eq!((now.count, now.protected_count), (9, 8));
    for id in [fact, by_hand].iter().chain(&important).chain(&recalled) {
        assert!(is_there(&robot, *id), "{id}");
    }
    assert_eq!(left(&robot, &others), [others[11]]);
    // A day later what was recalled is like the others.
    robot.sleep_days(1.1);
    record(&robot, (30..33).map(|i| contact(i, 0.5, DATA)).collect());
    upkeep(&robot);
    assert!(left(&robot, &recalled).len() < 4 && left(&robot, &important).len() == 4);
}

#[test]
fn what_may_not_be_deleted_is_told_and_does_not_keep_upkeep_busy() {
    let robot = bounded();
    let stored = record(&robot, (0..15).map(|i| contact(i, 1.0, DATA)).collect());
    for _ in 0..3 {
        assert!(!robot.engine.upkeep().expect("upkeep"));
    }
    let now = health(&robot);
    assert_eq!((now.over_bound, now.protected_count, now.deleted_count), (true, 15, 0));
    assert_eq!(left(&robot, &stored).len(), 15);
    // What can go goes when it comes.
    let more = record(&robot, vec![contact(20, 0.5, DATA)]);
    upkeep(&robot);
    assert!(left(&robot, &more).is_empty());
}

#[test]
fn without_a_bound_or_a_time_nothing_goes() {
    let robot = Robot::words_only();
    let stored = record(&robot, (0..50).map(|i| contact(i, 0.1, DATA)).collect());
    upkeep(&robot);
    assert_eq!(left(&robot, &stored).len(), 50);
    assert_eq!(health(&robot).count, 50);
    let robot = bounded();
    let stored = record(&robot, (0..50).map(|i| contact(i, 0.1, DATA)).collect());
    robot.clock.set(robot_memory_core::model::Stamp(0));
    upkeep(&robot);
    assert_eq!(left(&robot, &stored).len(), 50);
}

#[test]
fn the_oldest_clips_go_and_their_memories_say_so() {
    let robot = Robot::with(|config| config.clips_bytes_max = 1_000);
    let made = [3, 1, 2, 0]
        .map(|i| with_clip(&robot.engine, contact(i, 0.5, 10), &format!("{i}.mcap"), 400));
    let stored = record(&robot, made.to_vec());
    upkeep(&robot);
    assert_eq!(clips(&robot), ["2.mcap", "3.mcap"].map(str::to_owned).into());
    let now = health(&robot);
    assert_eq!((now.clip_bytes, now.deleted_clip_count, now.deleted_count), (800, 2, 0));
    for (id, is_gone) in stored.iter().zip([false, true, false, true]) {
        let request = GetMemoryRequest { memory_id: *id, include_data: true, ..Default::default() };
        let metadata = robot.call::<GetMemory>(request).memory.metadata;
        assert!(metadata.contains(r#""rate_hz":500"#), "{metadata}");
        assert_eq!(metadata.contains("deleted: clips took more"), is_gone, "{metadata}");
        let clip: String =
            sql(&robot.store_path(), &format!("SELECT clip FROM event WHERE memory_id = {id}"));
        assert_eq!(clip.is_empty(), is_gone);
    }
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(health(&robot).bytes, now.bytes, "counted as it was followed");
}

#[test]
fn clips_that_no_memory_names_are_removed_at_the_start() {
    let robot = Robot::words_only();
    let made = with_clip(&robot.engine, contact(0, 0.5, 10), "kept.mcap", 10);
    record(&robot, vec![made]);
    let folder = robot.engine.clips_folder();
    for file in ["orphan.mcap", ".kept.mcap.tmp", "half.mcap.part", "notes.txt"] {
        std::fs::write(folder.join(file), "x").expect("a file");
    }
    std::fs::create_dir(folder.join("folder.mcap")).expect("a folder");
    let robot = robot.restart();
    assert_eq!(clips(&robot), ["folder.mcap", "kept.mcap", "notes.txt"].map(str::to_owned).into());
}

#[test]
fn the_clips_of_a_damaged_store_are_put_aside_with_it() {
    let robot = Robot::words_only();
    let made = with_clip(&robot.engine, contact(0, 0.5, 10), "kept.mcap", 10);
    record(&robot, vec![made]);
    let (store, folder) = (robot.store_path(), robot.engine.clips_folder());
    robot.engine.close().expect("it closes");
    std::fs::write(&store, [7; 20_000]).expect("it is damaged");
    let robot = robot.pull_the_plug();
    let aside = robot.opened.damaged_aside.clone().expect("it was put aside");
    assert!(!folder.exists());
    let parent = aside.parent().expect("a folder");
    let kept = std::fs::read_dir(parent).expect("it is there").flatten();
    let kept: Vec<_> = kept.filter(|entry| entry.path().join("kept.mcap").exists()).collect();
    assert_eq!(kept.len(), 1);
}

#[test]
fn writers_get_their_turn_while_events_go() {
    let robot = Robot::with(|config| config.events_bytes_max = 1);
    for first in 0..4 {
        let made = (0..500).map(|i| contact(first * 500 + i, 0.5, 2_000)).collect();
        record(&robot, made);
    }
    std::thread::scope(|scope| {
        let deleting = scope.spawn(|| upkeep(&robot));
        let mut longest = Duration::ZERO;
        let mut count = 0;
        while !deleting.is_finished() {
            let began = Instant::now();
            robot.learn(&format!("box {count} weighs {count} kg"));
            longest = longest.max(began.elapsed());
            count += 1;
        }
        assert!(count > 5 && longest < Duration::from_secs(1), "{count} in between, {longest:?}");
    });
    assert_eq!(health(&robot).count, 0);
}
