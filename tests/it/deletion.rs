//! DeleteMemory and ClearMemories: what is deleted is gone, from answers and from the bytes on disk.

use crate::disk::holds;
use crate::robot::{Robot, ids, sql};
use crate::steps::{JobClock, commit, every_sentence, set_chat, step, take_in};
use crate::streamed::{contact, record, with_clip};
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, ClearMemoriesResponse, CommitTurn, CommitTurnRequest,
    DeleteMemory, DeleteMemoryRequest, ErrorKind, Forget, ForgetRequest, GetMemory,
    GetMemoryRequest, Learn, LearnRequest, Recall, RecallRequest, SavePerceptionRequest,
    StoredMemory, Update, UpdateRequest,
};
use robot_memory_core::model::Status;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

fn request(memory_id: i64) -> DeleteMemoryRequest {
    DeleteMemoryRequest { memory_id, ..Default::default() }
}

fn get(robot: &Robot, memory_id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() })
}

fn clearing(level: &str, collection: &str) -> ClearMemoriesRequest {
    ClearMemoriesRequest {
        level: level.into(),
        collection: collection.into(),
        ..Default::default()
    }
}

/// Whether the store's file or its log holds these bytes.
fn is_on_disk(store: &Path, text: &str) -> bool {
    let log = store.with_file_name("memory.db-wal");
    holds(store, text) || holds(&log, text)
}

/// Rows of every table that could name a memory.
const ROWS: &str = "SELECT (SELECT count(*) FROM memory) || ' ' || (SELECT count(*) FROM perception) \
     || ' ' || (SELECT count(*) FROM memory_vector) || ' ' || (SELECT count(*) FROM memory_words) \
     || ' ' || (SELECT count(*) FROM memory_signature) || ' ' || (SELECT count(*) FROM event) \
     || ' ' || (SELECT count(*) FROM memory_audit) || ' ' || (SELECT count(*) FROM idempotency)";

#[test]
fn a_deleted_memory_leaves_nothing_behind() {
    let robot = Robot::new();
    let kept = robot.learn("The blue cup stands on shelf two").memory_id;
    let learn = LearnRequest {
        insight: "The crimson flask needs 15 N".into(),
        context: r#"{"note": "marmalade"}"#.into(),
        idempotency_key: "k1".into(),
        ..Default::default()
    };
    let id = robot.call::<Learn>(learn.clone()).memory_id;
    let again = LearnRequest { idempotency_key: "k2".into(), ..learn };
    assert_eq!(robot.call::<Learn>(again).existing_id, id);
    robot.call::<Update>(UpdateRequest {
        memory_id: id,
        new_content: "The crimson flask needs 12 N".into(),
        ..Default::default()
    });
    assert_eq!(ids(&robot.recall("crimson flask")).first(), Some(&id));
    assert_eq!(sql::<String>(&robot.store_path(), ROWS), "2 0 2 2 0 0 1 2");

    let response = robot.call::<DeleteMemory>(request(id));
    assert_eq!((response.status.as_str(), response.memory_id), ("deleted", id));
    assert!(!response.clip_deleted);
    assert_eq!(sql::<String>(&robot.store_path(), ROWS), "1 0 1 1 0 0 0 0");
    assert!(!ids(&robot.recall("crimson flask")).contains(&id));
    // The last is of the word index, where a token is stored without what it shares with its neighbor.
    for text in ["crimson flask", "needs 15 N", "needs 12 N", "marmalade", "rimso"] {
        assert!(!is_on_disk(&robot.store_path(), text), "{text}");
    }
    assert!(is_on_disk(&robot.store_path(), "blue cup"));
    assert_eq!(robot.refused::<DeleteMemory>(request(id)).0, ErrorKind::NotFound);
    assert_eq!(robot.refused::<DeleteMemory>(request(0)).0, ErrorKind::InvalidArgument);
    // Its id is never used again, also not by the next run.
    let robot = robot.restart();
    assert!(!ids(&robot.recall("crimson flask")).contains(&id));
    assert!(robot.learn("The crimson flask needs 15 N").memory_id > id);
    assert_eq!(ids(&robot.recall("blue cup")).first(), Some(&kept));
}

#[test]
fn rows_of_every_status_can_be_deleted() {
    let robot = Robot::new();
    let forgotten = robot.learn("The crimson flask needs 15 N").memory_id;
    robot.call::<Forget>(ForgetRequest {
        memory_id: forgotten,
        reason: "broken".into(),
        ..Default::default()
    });
    robot.call::<DeleteMemory>(request(forgotten));
    let session = robot.start_session();
    let archived = robot
        .call::<Learn>(LearnRequest {
            insight: "Tray three is empty right now".into(),
            level: "working".into(),
            session_id: session.clone(),
            ..Default::default()
        })
        .memory_id;
    assert_eq!(robot.end_session(&session).archived_count, 1);
    robot.call::<DeleteMemory>(request(archived));
    assert_eq!(sql::<String>(&robot.store_path(), ROWS), "0 0 0 0 0 0 0 0");
}

#[test]
fn what_a_deleted_memory_stood_for_stays_out_of_recall() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let all = [
        robot.learn_in(&session, "glass cup slips out of gripper"),
        robot.learn_in(&session, "glass cup slips out of gripper in `grip`"),
    ];
    // Fewer than three are not merged.
    robot.learn_in(&session, "kettle hangs above sink on hook");
    assert_eq!(robot.end_session(&session).superseded_count, 1);
    let (kept, merged): (Vec<i64>, Vec<i64>) =
        all.into_iter().partition(|id| get(&robot, *id).memory.status == Status::Active);
    robot.call::<DeleteMemory>(request(kept[0]));
    let left = get(&robot, merged[0]);
    assert_eq!(left.memory.status, Status::Invalidated);
    assert_eq!(left.memory.superseded_by, None);
    assert_eq!(left.invalidated_reason, "the memory that replaced it was deleted");
    assert_eq!(left.superseded_rule, None);
    assert!(robot.recall("glass cup").memories.is_empty());
    assert!(robot.restart().recall("glass cup").memories.is_empty());
}

#[test]
fn children_of_a_deleted_memory_have_no_parent() {
    let robot = Robot::new();
    let parent = robot
        .call::<Learn>(LearnRequest {
            insight: "Site alpha has two gates".into(),
            level: "core".into(),
            ..Default::default()
        })
        .memory_id;
    let child = robot
        .call::<Learn>(LearnRequest {
            insight: "Gate one is 3 m wide".into(),
            parent_id: parent,
            ..Default::default()
        })
        .memory_id;
    robot.call::<DeleteMemory>(request(parent));
    assert_eq!(get(&robot, child).memory.parent_id, None);
    assert_eq!(ids(&robot.recall("gate one")), [child]);
}

#[test]
fn an_event_goes_with_its_clip_and_out_of_the_totals() {
    let robot = Robot::new();
    let recordings = [1, 2]
        .map(|n| with_clip(&robot.engine, contact(n, 0.5, 4_000), &format!("clip{n}.mcap"), 700));
    let all = record(&robot, recordings.into());
    robot.engine.upkeep().expect("upkeep");
    let before = robot.engine.health().expect("health").events;
    assert_eq!((before.count, before.clip_bytes), (2, 1_400));
    assert!(robot.call::<DeleteMemory>(request(all[0])).clip_deleted);
    robot.engine.upkeep().expect("upkeep");
    let after = robot.engine.health().expect("health").events;
    assert_eq!((after.count, after.clip_bytes), (1, 700));
    assert!(after.bytes < before.bytes);
    assert!(!robot.engine.clips_folder().join("clip1.mcap").exists());
    assert!(robot.engine.clips_folder().join("clip2.mcap").exists());
    // One that comes after it is counted once.
    record(&robot, vec![contact(3, 0.5, 4_000)]);
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(robot.engine.health().expect("health").events.count, 2);
    let response = robot.call::<ClearMemories>(clearing("knowledge", "default"));
    assert_eq!((response.deleted_count, response.clips_deleted_count), (2, 1));
    assert!(!robot.engine.clips_folder().join("clip2.mcap").exists());
}

#[test]
fn only_what_is_seen_and_may_be_written_can_be_deleted() {
    let robot = Robot::new();
    let learn = |insight: &str, scope: &str| {
        let (insight, scope) = (insight.into(), scope.into());
        robot.call::<Learn>(LearnRequest { insight, scope, ..Default::default() }).memory_id
    };
    let (seen, hidden) = (learn("Gate one is 3 m wide", ""), learn("Gate two is 4 m wide", "dm"));
    let of = |memory_id, scope: &str| DeleteMemoryRequest {
        memory_id,
        scope: scope.into(),
        agent: "skill_1".into(),
    };
    let (kind, message) = robot.refused::<DeleteMemory>(of(seen, ""));
    assert_eq!(kind, ErrorKind::Forbidden);
    assert!(message.contains("access policy entry"), "{message}");
    let unseen = robot.refused::<DeleteMemory>(of(hidden, ""));
    assert_eq!(unseen, (ErrorKind::NotFound, format!("memory_id: there is no memory {hidden}")));
    assert_eq!(robot.refused::<DeleteMemory>(of(seen, "dm")).0, ErrorKind::Forbidden);
    let elsewhere =
        DeleteMemoryRequest { memory_id: hidden, scope: "global".into(), ..Default::default() };
    assert_eq!(robot.refused::<DeleteMemory>(elsewhere).0, ErrorKind::NotFound);
    let (kind, message) = robot.refused::<ClearMemories>(ClearMemoriesRequest {
        agent: "skill_1".into(),
        ..clearing("knowledge", "default")
    });
    assert_eq!(kind, ErrorKind::Forbidden);
    assert!(message.ends_with("; 1 of 1 memories, nothing was deleted"), "{message}");
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), 2);
}

#[test]
fn clearing_takes_what_is_named_and_no_more() {
    let robot = Robot::new();
    let mut number = 0;
    let mut learn = |level: &str, collection: &str, scope: &str| {
        number += 1;
        robot.sleep_days(1.0);
        let response = robot.call::<Learn>(LearnRequest {
            insight: format!("shelf {number} holds a cup"),
            level: level.into(),
            collection: collection.into(),
            scope: scope.into(),
            ..Default::default()
        });
        (response.memory_id, robot.clock_now())
    };
    let (core, _) = learn("core", "", "");
    let (first, _) = learn("knowledge", "", "");
    let (second, at_second) = learn("knowledge", "", "");
    let (third, at_third) = learn("knowledge", "", "");
    let (own, _) = learn("knowledge", "", "dm");
    let (site, _) = learn("knowledge", "site", "");
    robot.call::<Forget>(ForgetRequest {
        memory_id: third,
        reason: "moved".into(),
        ..Default::default()
    });
    let clear = |request| robot.call::<ClearMemories>(request).deleted_count;
    let left = || -> Vec<i64> {
        [core, first, second, third, own, site]
            .into_iter()
            .filter(|memory_id| {
                let request = GetMemoryRequest { memory_id: *memory_id, ..Default::default() };
                robot.engine.call::<GetMemory>(request).is_ok()
            })
            .collect()
    };
    for (request, kind) in [
        (clearing("", "default"), ErrorKind::InvalidArgument),
        (clearing("knowledge", ""), ErrorKind::InvalidArgument),
        (clearing("knowledge", "*"), ErrorKind::InvalidArgument),
        (clearing("top", "default"), ErrorKind::InvalidArgument),
        (
            ClearMemoriesRequest {
                since: Some(at_third),
                until: Some(at_third),
                ..clearing("knowledge", "default")
            },
            ErrorKind::InvalidArgument,
        ),
    ] {
        assert_eq!(robot.refused::<ClearMemories>(request).0, kind);
    }
    assert_eq!(clear(clearing("knowledge", "nowhere")), 0);
    assert_eq!(clear(clearing("working", "default")), 0);
    assert_eq!(left(), [core, first, second, third, own, site]);
    let only_second = ClearMemoriesRequest {
        since: Some(at_second),
        until: Some(at_third),
        ..clearing("knowledge", "default")
    };
    assert_eq!(clear(only_second), 1);
    assert_eq!(left(), [core, first, third, own, site]);
    let global =
        ClearMemoriesRequest { scope: "global".into(), ..clearing("knowledge", "default") };
    assert_eq!(clear(global), 2, "also the forgotten one");
    assert_eq!(left(), [core, own, site]);
    assert_eq!(clear(clearing("knowledge", "default")), 1);
    assert_eq!(left(), [core, site]);
    assert_eq!(
        robot
            .call::<Recall>(RecallRequest {
                query: "shelf cup".into(),
                collections: vec!["*".into()],
                ..Default::default()
            })
            .total,
        2
    );
}

#[test]
fn others_read_and_write_while_thousands_are_cleared() {
    const ROWS: usize = 3_000;
    let robot = Robot::words_only();
    robot.learn("The gate is open");
    for batch in (0..ROWS).collect::<Vec<_>>().chunks(500) {
        let requests = batch.iter().map(|number| SavePerceptionRequest {
            description: format!("vexilloid{number} passes the camera"),
            collection: "camera".into(),
            ..Default::default()
        });
        for answer in robot.engine.save_perceptions(requests.collect()).expect("stored") {
            answer.expect("stored");
        }
    }
    let engine = &robot.engine;
    let (response, reads, slowest_write): (ClearMemoriesResponse, u32, Duration) =
        std::thread::scope(|scope| {
            let clearing = scope.spawn(|| {
                engine.call::<ClearMemories>(clearing("knowledge", "camera")).expect("cleared")
            });
            let (mut reads, mut writes, mut slowest_write) = (0, 0, Duration::ZERO);
            while !clearing.is_finished() {
                assert_eq!(ids(&robot.recall("gate open")).len(), 1);
                reads += 1;
                let began = Instant::now();
                writes += 1;
                let request = LearnRequest {
                    insight: format!("Door {writes} is shut"),
                    mem_type: "task_log".into(),
                    ..Default::default()
                };
                engine.call::<Learn>(request).expect("learned");
                slowest_write = slowest_write.max(began.elapsed());
            }
            (clearing.join().expect("it ends"), reads, slowest_write)
        });
    println!("{reads} reads and writes beside it, the slowest write took {slowest_write:?}");
    assert_eq!(response.deleted_count, ROWS as u64);
    assert!(reads > 3, "{reads}");
    let left = "SELECT count(*) FROM memory WHERE collection = 'camera'";
    assert_eq!(sql::<i64>(&robot.store_path(), left), 0);
    assert!(!is_on_disk(&robot.store_path(), "passes the camera"));
}

#[test]
fn a_text_that_was_moved_about_is_not_left_in_a_corner() {
    let robot = Robot::new();
    // Rows of many sizes, changed and counted often, so that pages split and cells move.
    let long = "lorem ".repeat(600);
    let context = |number: usize| format!(r#"{{"note": "{}"}}"#, &long[..number * 37 % 3_000]);
    let all: Vec<i64> = (0..120)
        .map(|number| {
            robot.learn_with(&format!("Quagga {number} eats hay {number}"), &context(number))
        })
        .collect();
    for round in 0..3 {
        for (number, id) in all.iter().enumerate() {
            let new_content = format!("Quagga {number} eats hay {number} in stable {round}");
            let context = context(number + 40 * round);
            let request =
                UpdateRequest { memory_id: *id, new_content, context, ..Default::default() };
            robot.call::<Update>(request);
        }
        robot.recall("quagga");
        robot.engine.upkeep().expect("upkeep");
    }
    for id in all.iter().step_by(2) {
        robot.call::<DeleteMemory>(request(*id));
    }
    for number in (0..120).step_by(2) {
        let text = format!("Quagga {number} eats");
        assert!(!is_on_disk(&robot.store_path(), &text), "{text}");
    }
    assert!(is_on_disk(&robot.store_path(), "Quagga 1 eats"));
}

/// A robot that remembers every sentence of a step.
fn listening_robot() -> Robot {
    let robot = Robot::with(|config| JobClock::new().configure(config));
    robot.plug_in_embedder();
    set_chat(&robot, every_sentence);
    robot
}

#[test]
fn a_deleted_memory_goes_out_of_the_steps_that_said_it() {
    let robot = listening_robot();
    let session = robot.start_session();
    let cup = "The blue cup stands on shelf two.";
    let text = format!(
        "The crimson flask weighs 412775318 g. {cup} Yes: the crimson flask weighs 412775318 g!"
    );
    let data = r#"{"object": "crimson flask", "parameters": {"mass_g": 412775318}}"#;
    robot.call::<CommitTurn>(CommitTurnRequest { data: data.into(), ..step(&session, 1, &text) });
    commit(&robot, &session, 2, "Again: the crimson flask weighs 412775318 g.");
    let reports = take_in(&robot);
    let id = |step: usize, place: usize| reports[step]["facts"][place]["memory_id"].as_i64();
    let (flask, kept) = (id(0, 0).expect("stored"), id(0, 1).expect("stored"));
    let summaries =
        [&reports[0], &reports[1]].map(|it| it["summary_id"].as_i64().expect("a summary"));
    assert!(get(&robot, summaries[0]).memory.content.contains("crimson"));

    // What is said of it in other words, or by the data, is a memory of its own.
    let facts = reports.iter().flat_map(|it| it["facts"].as_array()).flatten();
    let all: BTreeSet<i64> = facts.filter_map(|fact| fact["memory_id"].as_i64()).collect();
    for id in all.into_iter().filter(|id| *id != kept) {
        robot.call::<DeleteMemory>(request(id));
    }
    assert_eq!(robot.refused::<DeleteMemory>(request(flask)).0, ErrorKind::NotFound);
    for text in ["crimson", "412775318", "rimso"] {
        assert!(!is_on_disk(&robot.store_path(), text), "{text}");
    }
    let left = get(&robot, kept);
    assert_eq!(left.memory.content, cup);
    assert_eq!(left.turns[0].sentence, cup, "the others are where they were");
    let summary = get(&robot, summaries[0]);
    assert!(summary.memory.content.contains("blue cup"), "{}", summary.memory.content);
    assert_eq!(summary.memory.status, Status::Active);
    let scope = format!("branch:{session}/main");
    let search = |query: &str| {
        let request =
            RecallRequest { query: query.into(), scope: scope.clone(), ..Default::default() };
        ids(&robot.call::<Recall>(request))
    };
    // The fact says all that is left of the summary, and so is answered for it.
    assert_eq!(search("blue cup"), [kept]);
    assert!(!search("crimson flask").contains(&flask));
    while robot.engine.upkeep().expect("upkeep") {}
    assert!(!get(&robot, summaries[0]).embedding_model.is_empty());
    assert!(!is_on_disk(&robot.store_path(), "crimson"));

    // The second step said nothing else.
    assert_eq!(robot.refused::<DeleteMemory>(request(summaries[1])).0, ErrorKind::NotFound);
    let texts = "SELECT group_concat(trim(text) || data, '|') FROM turn";
    assert_eq!(sql::<String>(&robot.store_path(), texts), format!("{cup}|"));
    // A summary goes with all of its step.
    robot.call::<DeleteMemory>(request(summaries[0]));
    assert_eq!(sql::<String>(&robot.store_path(), texts), "|");
    robot.call::<DeleteMemory>(request(kept));
    assert!(!is_on_disk(&robot.store_path(), "blue cup"));
    assert_eq!(
        commit(&robot, &session, 2, "Again: the crimson flask weighs 412775318 g.").job_id,
        2
    );
    assert!(!is_on_disk(&robot.store_path(), "crimson"), "a repeated call stores nothing");
}

#[test]
fn clearing_leaves_nothing_of_the_steps_either() {
    let robot = listening_robot();
    let session = robot.start_session();
    for turn_no in 1..=5 {
        let request = CommitTurnRequest {
            data: r#"{"skill": "grasp", "object": "quagga", "result": {"success": true}}"#.into(),
            ..step(
                &session,
                turn_no,
                &format!("Well, vexilloid {turn_no} it is. It weighs 412775318 g."),
            )
        };
        robot.call::<CommitTurn>(request);
    }
    take_in(&robot);
    assert!(is_on_disk(&robot.store_path(), "vexilloid"));
    let cleared = robot.call::<ClearMemories>(clearing("knowledge", "default"));
    assert!(cleared.deleted_count >= 10, "{}", cleared.deleted_count);
    for text in ["exilloi", "quagga", "412775318"] {
        assert!(!is_on_disk(&robot.store_path(), text), "{text}");
    }
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM turn_memory"), 0);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM summary"), 0);
}

/// How often the file was laid out anew: a rewrite raises the version of the schema.
fn rewrites(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "PRAGMA schema_version")
}

#[test]
fn many_deletions_write_the_file_anew_once_and_a_kill_forgets_none() {
    const COUNT: i64 = 16;
    let robot = Robot::words_only();
    let secret = |number: i64| format!("quagga-{number}-eats-straw");
    let made: Vec<i64> = (0..COUNT)
        .map(|number| robot.learn(&format!("The {}", secret(number))).memory_id)
        .collect();
    let before = rewrites(&robot);
    for (number, id) in (0..).zip(&made) {
        robot.call::<DeleteMemory>(request(*id));
        assert!(!ids(&robot.recall(&secret(number))).contains(id), "it is answered");
    }
    let done = rewrites(&robot) - before;
    // As many as there were times of ten seconds in it, on any machine fewer than deletions.
    assert!((1..COUNT / 2).contains(&done), "{done} rewrites for {COUNT} deletions");

    // What was still to be done is done after a kill, once.
    let robot = robot.pull_the_plug();
    assert!(robot.opened.unclean);
    let before = rewrites(&robot);
    while robot.engine.upkeep().expect("upkeep") {}
    assert_eq!(rewrites(&robot) - before, 1);
    while robot.engine.upkeep().expect("upkeep") {}
    assert_eq!(rewrites(&robot) - before, 1, "and not again");
    for number in 0..COUNT {
        assert!(!is_on_disk(&robot.store_path(), &secret(number)), "{number}");
    }

    // So is it when the store is closed, and then the next start has nothing to do.
    let more: Vec<i64> =
        (0..3).map(|number| robot.learn(&format!("A {}", secret(50 + number))).memory_id).collect();
    for id in more {
        robot.call::<DeleteMemory>(request(id));
    }
    let path = robot.store_path();
    let robot = robot.restart();
    for number in 50..53 {
        assert!(!is_on_disk(&path, &secret(number)), "{number}");
    }
    let before = rewrites(&robot);
    while robot.engine.upkeep().expect("upkeep") {}
    assert_eq!(rewrites(&robot) - before, 0);
}
