use crate::robot::{Robot, ids, open, sql};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, ErrorKind, Learn, LearnRequest, Recall, RecallRequest,
    SavePerception, SavePerceptionRequest, Update, UpdateRequest,
};
use rusqlite::Connection;

/// Makes every insert into a table fail.
fn sabotage(robot: &Robot, table: &str, event: &str) {
    let trigger = format!(
        "CREATE TRIGGER sabotage BEFORE {event} ON {table} \
         BEGIN SELECT RAISE(ABORT, 'sabotaged'); END"
    );
    Connection::open(robot.store_path()).expect("opens").execute_batch(&trigger).expect("made");
}

fn repair(robot: &Robot) {
    let connection = Connection::open(robot.store_path()).expect("opens");
    connection.execute_batch("DROP TRIGGER sabotage").expect("dropped");
}

#[test]
fn a_learn_that_fails_half_way_leaves_nothing() {
    // The vector is written last, after the row and its words.
    let robot = Robot::new();
    sabotage(&robot, "memory_vector", "INSERT");
    let request = || LearnRequest { insight: "the cup is red".into(), ..Default::default() };
    let (kind, message) = robot.refused::<Learn>(request());
    assert_eq!(kind, ErrorKind::Internal, "{message}");
    for table in ["memory", "memory_words", "memory_vector", "idempotency"] {
        let count: i64 = sql(&robot.store_path(), &format!("SELECT count(*) FROM {table}"));
        assert_eq!(count, 0, "{table}");
    }
    repair(&robot);
    assert!(robot.recall("cup").memories.is_empty());
    let id = robot.call::<Learn>(request()).memory_id;
    assert_eq!(ids(&robot.recall("cup")), [id]);
}

#[test]
fn an_update_that_fails_half_way_leaves_the_row_as_it_was() {
    let robot = Robot::new();
    let id = robot.learn("the cup is red").memory_id;
    sabotage(&robot, "memory_vector", "INSERT");
    let request = UpdateRequest {
        memory_id: id,
        new_content: "the bowl is blue".into(),
        ..Default::default()
    };
    assert_eq!(robot.refused::<Update>(request).0, ErrorKind::Internal);
    assert_eq!(robot.recall("cup red").memories[0].why.word_rank, 1);
    assert_eq!(robot.recall("bowl blue").memories[0].why.word_rank, 0);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory_audit"), 0);
}

#[test]
fn a_session_end_that_fails_half_way_leaves_the_session_open() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    for insight in [
        "glass cup slips out of gripper",
        "glass cup slips out of gripper in `grip`",
        "kettle hangs above sink on hook",
    ] {
        robot.learn_in(&session, insight);
    }
    robot.sleep_days(5.0);
    sabotage(&robot, "session", "UPDATE");
    let request = || EndSessionRequest { session_id: session.clone(), ..Default::default() };
    assert_eq!(robot.refused::<EndSession>(request()).0, ErrorKind::Internal);
    let untouched = "SELECT count(*) FROM memory WHERE status = 'active' AND decayed_until IS NULL";
    assert_eq!(sql::<i64>(&robot.store_path(), untouched), 3);
    repair(&robot);
    let response = robot.call::<EndSession>(request());
    assert_eq!((response.decayed_count, response.superseded_count), (3, 1));
}

#[test]
fn a_full_store_refuses_writes_and_still_answers() {
    let robot = Robot::with(|config| config.store_bytes_max = 1_000 * 1024);
    let data = format!("[{}0]", "0,".repeat(20_000));
    let save = |number: usize| {
        robot.engine.call::<SavePerception>(SavePerceptionRequest {
            description: format!("contact number {number}"),
            data: data.clone(),
            ..Default::default()
        })
    };
    let mut saved = 0;
    let error = loop {
        match save(saved) {
            Ok(_) => saved += 1,
            Err(error) => break error,
        }
        assert!(saved < 1_000, "the bound does not hold");
    };
    assert!(saved > 3);
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("full"), "{}", error.message);
    assert_eq!(robot.recall("contact").total, saved as u64);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), saved as i64);
    assert_eq!(sql::<String>(&robot.store_path(), "PRAGMA integrity_check"), "ok");
}

#[test]
fn writes_can_be_blocked_and_allowed_again() {
    let robot = Robot::new();
    robot.engine.block_writes(Some("only 12 MB are left on the disk".into()));
    let request = || LearnRequest { insight: "the cup is red".into(), ..Default::default() };
    let (kind, message) = robot.refused::<Learn>(request());
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(message.contains("12 MB"), "{message}");
    assert!(robot.recall("cup").memories.is_empty(), "reads go on");
    robot.engine.block_writes(None);
    robot.call::<Learn>(request());
}

#[test]
fn everything_is_there_after_a_restart_and_after_a_pulled_plug() {
    let robot = Robot::new();
    let id = robot.learn_with("the cup is red", r#"{"at": [1.0, 2.0]}"#);
    let answer = |robot: &Robot| {
        let response = robot.call::<Recall>(RecallRequest {
            query: "red cup".into(),
            context_filter: r#"{"at": [1.0, 2.0]}"#.into(),
            ..Default::default()
        });
        (ids(&response), response.mode)
    };
    let before = answer(&robot);
    assert_eq!(before.0, [id]);
    let robot = robot.restart();
    assert!(!robot.opened.unclean);
    assert_eq!(answer(&robot), before);
    let robot = robot.pull_the_plug();
    assert!(robot.opened.unclean);
    assert_eq!(answer(&robot), before);
}

#[test]
fn upkeep_brings_the_log_into_the_file() {
    let robot = Robot::words_only();
    let data = format!("[{}0]", "0,".repeat(400_000));
    for number in 0..8 {
        robot.call::<SavePerception>(SavePerceptionRequest {
            description: format!("contact number {number}"),
            data: data.clone(),
            ..Default::default()
        });
    }
    let file_bytes = || std::fs::metadata(robot.store_path()).expect("it is there").len();
    let before = file_bytes();
    robot.engine.upkeep().expect("upkeep");
    assert!(before < data.len() as u64, "nobody who writes had to do it: {before}");
    assert!(file_bytes() > 8 * data.len() as u64);
    assert_eq!(robot.recall("contact").total, 8);
}

#[test]
fn a_closed_engine_refuses_calls() {
    let robot = Robot::new();
    robot.engine.close().expect("it closes");
    let request = LearnRequest { insight: "the cup is red".into(), ..Default::default() };
    assert_eq!(robot.refused::<Learn>(request).0, ErrorKind::Unavailable);
    robot.engine.close().expect("closing twice is harmless");
}

#[test]
fn reads_do_not_wait_for_a_long_write() {
    let robot = Robot::words_only();
    robot.learn("the cup is red");
    // Another program holds the right to write; a learn waits for it, a recall does not.
    let other = Connection::open(robot.store_path()).expect("opens");
    other.execute_batch("BEGIN IMMEDIATE").expect("it holds the store");
    std::thread::scope(|scope| {
        let learning = scope.spawn(|| {
            robot.engine.call::<Learn>(LearnRequest {
                insight: "the bowl is blue".into(),
                ..Default::default()
            })
        });
        for _ in 0..50 {
            assert_eq!(robot.recall("cup").total, 1);
        }
        assert!(!learning.is_finished(), "the learn waits");
        other.execute_batch("COMMIT").expect("it lets go");
        assert!(learning.join().expect("no panic").is_ok());
    });
}

#[test]
fn many_threads_at_once_lose_nothing() {
    let robot = Robot::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let robot = &robot;
            scope.spawn(move || {
                for number in 0..50 {
                    robot.perceive(&format!("thread {thread} saw cup {number}"), "");
                    assert!(robot.recall("cup").total > 0);
                }
            });
        }
    });
    assert_eq!(robot.recall("cup").total, 200);
    robot.engine.close().expect("it closes");
    let path = robot.store_path();
    drop(robot.engine);
    let (engine, opened) = open(&path).expect("it opens");
    assert_eq!(opened.memory_count, 200);
    drop(engine);
}

#[test]
fn a_store_that_was_removed_takes_no_more_writes() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    std::fs::remove_file(robot.store_path()).expect("removed");
    let request = LearnRequest { insight: "the bowl is blue".into(), ..Default::default() };
    let (kind, message) = robot.refused::<Learn>(request);
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(message.contains("removed"), "{message}");
}
