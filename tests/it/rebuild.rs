//! A scope is rebuilt in steps, and the same whatever happens in between.

use crate::robot::{Robot, sql};
use crate::scope_work::{
    BRANCH, Kill, changed, do_jobs, get, make_micros, note, robot, with_workers, work_steps,
};
use robot_memory_core::api::{
    ListJobs, ListJobsRequest, RebuildScope, RebuildScopeRequest, Recall, RecallRequest,
};
use robot_memory_core::model::{JobStatus, JobType};
use std::sync::Arc;
use tempfile::TempDir;

const GROUP: &str = "group:cell-7";

fn request(scope: &str, scope_id: &str, force_compaction: bool) -> RebuildScopeRequest {
    RebuildScopeRequest {
        scope: scope.into(),
        scope_id: scope_id.into(),
        force_compaction,
        ..Default::default()
    }
}

fn rebuild(robot: &Robot) -> i64 {
    robot.call::<RebuildScope>(request("group", "cell-7", false)).job_id
}

/// Without an embedder: so many memories in a group, and one beside it.
fn unembedded(count: u32) -> Robot {
    let robot = Robot::with(with_workers);
    for number in 1..=count {
        note(&robot, GROUP, "", &format!("Crate {number} stands in row {}", number % 7));
    }
    note(&robot, "global", "", "The door is open");
    robot
}

fn vector_count(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "SELECT count(*) FROM memory_vector")
}

#[test]
fn rows_of_the_scope_get_the_vectors_of_the_model_and_no_others_do() {
    let robot = unembedded(70);
    robot.plug_in_embedder();
    rebuild(&robot);
    let result = do_jobs(&robot).remove(0).1;
    assert_eq!((&result["rows"], &result["embedded"]), (&70.into(), &70.into()));
    assert_eq!((&result["reindexed"], &result["not_embedded"]), (&0.into(), &0.into()));
    assert!(result["compaction_job_id"].is_null());
    assert_eq!(vector_count(&robot), 70);
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 1);

    rebuild(&robot);
    let again = do_jobs(&robot).remove(0).1;
    assert_eq!((&again["rows"], &again["embedded"]), (&70.into(), &0.into()));
}

#[test]
fn killed_between_two_steps_it_goes_on_from_there() {
    let robot = unembedded(70);
    robot.plug_in_embedder();
    let job_id = rebuild(&robot);
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let lease = robot.engine.claim_job(0).expect("it can be claimed").expect("a job");
    let kill = Kill::after(2, robot.store_path(), folder.path());
    robot.engine.work(&lease, &kill).expect("the other life goes on");

    let robot = Robot::at(folder, with_workers);
    assert_eq!(vector_count(&robot), 64);
    robot.plug_in_embedder();
    let (job, result) = do_jobs(&robot).remove(0);
    // The end of the node is not its failure.
    assert_eq!((job.id, job.attempt_count), (job_id, 1));
    // Begun anew it would have found 64 of them done.
    assert_eq!((&result["rows"], &result["embedded"]), (&70.into(), &70.into()));
    assert_eq!(vector_count(&robot), 70);
}

#[test]
fn words_that_are_missing_or_wrong_are_made_again() {
    let robot = robot();
    let cup = note(&robot, GROUP, "", "The blue cup is chipped");
    let pan = note(&robot, GROUP, "", "The iron pan is heavy");
    let jug = note(&robot, GROUP, "", "The glass jug leaks");
    let robot = changed(robot, |connection| {
        connection.execute("DELETE FROM memory_words WHERE rowid IN (?1, ?2)", [cup, pan]).unwrap();
        let wrong = "INSERT INTO memory_words (rowid, tokens) VALUES (?1, 'sofa pan iron')";
        connection.execute(wrong, [pan]).unwrap();
        connection.execute("UPDATE memory SET word_count = 3 WHERE id = ?1", [pan]).unwrap();
    });
    let found = |robot: &Robot, query: &str| {
        let request =
            RecallRequest { query: query.into(), scope: GROUP.into(), ..Default::default() };
        let found = robot.call::<Recall>(request);
        let by_words = found.memories.iter().filter(|hit| hit.why.word_rank > 0);
        by_words.map(|hit| hit.memory.id).collect::<Vec<_>>()
    };
    assert!(found(&robot, "chipped").is_empty());
    assert_eq!(found(&robot, "sofa"), [pan]);
    rebuild(&robot);
    let result = do_jobs(&robot).remove(0).1;
    assert_eq!(result["reindexed"], 2);
    for _ in 0..2 {
        assert_eq!(found(&robot, "chipped"), [cup]);
        assert!(found(&robot, "sofa").is_empty());
        assert_eq!(found(&robot, "heavy"), [pan]);
        assert_eq!(found(&robot, "leaks"), [jug]);
        robot.engine.upkeep().expect("the index of words is built again");
    }
    rebuild(&robot);
    assert_eq!(do_jobs(&robot).remove(0).1["reindexed"], 0);
}

/// Steps of a session's branch `main`, committed by nobody, of which the third was taken in.
fn with_turns(robot: Robot, session: &str, micros: &[(i64, u32)]) -> Robot {
    changed(robot, |connection| {
        connection
            .execute("INSERT OR IGNORE INTO branch VALUES (?1, 'main', 'open', '[]')", [session])
            .expect("the branch is there");
        for turn_no in 1..=3 {
            connection
                .execute(
                    "INSERT INTO turn (turn_id, session_id, branch_id, turn_no, collection, agent, \
                     text, data, given_hash, committed_at, ingested) VALUES ('turn-' || ?2, ?1, \
                     'main', ?2, 'default', '', 'Placed the part in the tray.', '', zeroblob(32), \
                     1750000000000000000, ?2 = 3)",
                    rusqlite::params![session, turn_no],
                )
                .expect("the turn is there");
        }
        make_micros(connection, micros);
        for (id, turn_no) in micros {
            let of = "UPDATE memory SET turn_id = 'turn-' || ?2 WHERE id = ?1";
            connection.execute(of, [*id, i64::from(*turn_no)]).expect("it is of a turn");
        }
        connection.execute("UPDATE summary SET first_turn_no = 9", []).expect("all are wrong");
    })
}

#[test]
fn summaries_and_steps_are_put_in_order_and_what_was_forgotten_is_queued() {
    let robot = robot();
    let session = robot.start_session();
    let scope = format!("branch:{session}/main");
    let micros: Vec<(i64, u32)> = (1..=3)
        .map(|turn| (note(&robot, &scope, "", &format!("Step {turn} is done")), turn))
        .collect();
    let robot = with_turns(robot, &session, &micros);
    let scope_id = format!(r#"["{session}","main"]"#);
    robot.call::<RebuildScope>(request("branch", &scope_id, true));
    let rebuilt = work_steps(&robot, usize::MAX).expect("a job");
    assert_eq!(rebuilt.status, JobStatus::Succeeded, "{}", rebuilt.last_error);
    let result: serde_json::Value = serde_json::from_str(&rebuilt.result).expect("JSON");
    assert_eq!((&result["reordered"], &result["queued_turns"]), (&3.into(), &2.into()));
    let turns: Vec<String> = {
        let request = ListJobsRequest {
            job_type: JobType::IngestTurn.as_str().into(),
            sort_order: "asc".into(),
            ..Default::default()
        };
        let jobs = robot.call::<ListJobs>(request).jobs;
        jobs.into_iter().map(|shown| shown.job.turn_id).collect()
    };
    assert_eq!(turns, ["turn-1", "turn-2"]);
    let path = robot.store_path();
    let ordered = "SELECT sum(first_turn_no * 10 + last_turn_no) FROM summary s \
                   WHERE EXISTS (SELECT 1 FROM turn t WHERE t.turn_no = s.first_turn_no)";
    assert_eq!(sql::<i64>(&path, ordered), 66);
    let last = "SELECT last_processed_turn_no FROM scope_state WHERE scope = 'branch'";
    assert_eq!(sql::<i64>(&path, last), 3);
}

#[test]
fn compaction_is_queued_when_it_is_asked_for_and_possible() {
    let robot = robot();
    let micros: Vec<(i64, u32)> = (1..=8)
        .map(|turn| (note(&robot, BRANCH, "", &format!("Step {turn} is done")), turn))
        .collect();
    let robot = changed(robot, |connection| make_micros(connection, &micros));
    for (force, expected) in [(false, 1), (true, 2)] {
        robot.call::<RebuildScope>(request("branch", r#"["s1","main"]"#, force));
        let done = do_jobs(&robot);
        assert_eq!(done.len(), expected);
        assert_eq!(done[0].1["compaction_job_id"].is_null(), !force);
        if let Some((job, result)) = done.get(1) {
            assert_eq!(job.job_type, JobType::CompactMacro);
            assert_eq!(result["compacted"], 4);
            let id = result["macros"][0]["memory_id"].as_i64().expect("an id");
            assert_eq!(get(&robot, id).supersedes.len(), 4);
        }
    }
}
