//! GetJob, RetryJob, CancelJob, RebuildScope, Maintain and Import: what they answer, whom they refuse, and
//! in which words.

use crate::bags::fifo;
use crate::leak_world::POLICY;
use crate::robot::{Robot, sql};
use robot_memory_core::api::{
    CancelJob, CancelJobRequest, ErrorKind, GetJob, GetJobRequest, Import, ImportRequest, Learn,
    LearnRequest, ListJobs, ListJobsRequest, ListScopes, ListScopesRequest, RebuildScope,
    RebuildScopeRequest, RetryJob, RetryJobRequest, RunMaintenance, RunMaintenanceRequest,
    ShownJob, StartSession, StartSessionRequest,
};
use robot_memory_core::model::{JobStatus, JobType};
use robot_memory_engine::MachineClock;
use rusqlite::Connection;
use serde_json::json;

/// Milliseconds of the machine's clock in these tests.
const NOW: i64 = 1_760_000_000_000;

fn robot() -> Robot {
    let robot = Robot::with(|config| {
        config.access = Some(POLICY.into());
        config.jobs.has_workers = true;
        config.jobs.clock = MachineClock::new(|| NOW);
    });
    for scope in ["global", "group:red", "agent:skill_grasp", "branch:s1/a"] {
        let (insight, scope) = (format!("The lamp of {scope} is red"), scope.into());
        robot.call::<Learn>(LearnRequest { insight, scope, ..Default::default() });
    }
    robot
}

fn rebuild(scope: &str, scope_id: &str, agent: &str) -> RebuildScopeRequest {
    let (scope, scope_id, agent) = (scope.into(), scope_id.into(), agent.into());
    RebuildScopeRequest { scope, scope_id, agent, ..Default::default() }
}

fn change(robot: &Robot, sql: &str) {
    let beside = Connection::open(robot.store_path()).expect("the file opens");
    beside.execute_batch(sql).expect("it is changed");
}

/// Brings a job to a status, past the queue.
fn put(robot: &Robot, job_id: i64, status: JobStatus) {
    let (is_held, is_finished) = (status.is_held(), status.is_finished());
    change(
        robot,
        &format!(
            "UPDATE job SET status = '{status}', attempt_count = 5, last_error = 'it slipped', \
             lease_owner = iif({is_held}, 'run-1/worker-0', ''), lease_until = iif({is_held}, \
             {NOW} + 1, NULL), finished_at = iif({is_finished}, {NOW} - 5, NULL), \
             is_head = NOT {is_finished}, step = 'embed', done = 3, total = 9, \
             position = '{{\"after\": 7}}', available_at = {NOW} + 9, updated_at = {NOW} - 5 \
             WHERE id = {job_id}"
        ),
    );
}

fn get(robot: &Robot, job_id: i64) -> ShownJob {
    robot.call::<GetJob>(GetJobRequest { job_id, agent: String::new() })
}

/// However many failures are kept, and whatever the clock said when they ended.
#[test]
fn what_was_just_ended_is_not_forgotten_at_once() {
    let robot = robot();
    let job_id = robot.call::<RebuildScope>(rebuild("global", "", "")).job_id;
    change(
        &robot,
        &format!(
            "INSERT INTO job (scope, scope_id, job_type, status, dedup_key, turn_id, \
             based_on_revision, payload, result, step, done, total, position, attempt_count, \
             max_attempts, available_at, lease_owner, last_error, agent, created_at, updated_at, \
             finished_at) SELECT 'dm', '', 'embed', 'dead_letter', '', '', 0, '{{}}', '', '', 0, 0, \
             '', 5, 5, 1, '', '', '', 1, 1, {NOW} + 99 FROM generated LIMIT {}",
            robot_memory_core::limits::JOBS_FINISHED_MAX
        )
        .replace(
            "INSERT",
            "WITH RECURSIVE generated (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM generated) INSERT",
        ),
    );
    let cancelled = robot.call::<CancelJob>(CancelJobRequest { job_id, agent: String::new() });
    assert_eq!(cancelled.job.status, JobStatus::Cancelled);
    let kept = sql::<i64>(&robot.store_path(), "SELECT count(*) FROM job");
    assert_eq!(usize::try_from(kept), Ok(robot_memory_core::limits::JOBS_FINISHED_MAX));
}

#[test]
fn only_what_the_states_allow_is_retried_or_cancelled() {
    let robot = robot();
    let queued = robot.call::<RebuildScope>(rebuild("global", "", ""));
    let job_id = queued.job_id;
    let agent = String::new;
    for status in JobStatus::ALL.iter().copied() {
        put(&robot, job_id, status);
        let before = get(&robot, job_id);
        let retried = robot.engine.call::<RetryJob>(RetryJobRequest { job_id, agent: agent() });
        if matches!(status, JobStatus::DeadLetter | JobStatus::Cancelled) {
            let job = retried.expect("it can be retried").job;
            assert_eq!(job, get(&robot, job_id).job);
            assert_eq!((job.status, job.attempt_count), (JobStatus::Pending, 0), "{status}");
            assert_eq!((job.lease_owner.as_str(), job.lease_until), ("", None));
            assert_eq!((job.last_error.as_str(), job.finished_at), ("", None));
            assert_eq!((job.available_at, job.updated_at), (NOW, NOW));
            assert_eq!((job.progress.step.as_str(), job.progress.total), ("", 0));
            let position = format!("SELECT position FROM job WHERE id = {job_id}");
            assert_eq!(sql::<String>(&robot.store_path(), &position), "");
        } else {
            let error = retried.expect_err("it is refused");
            assert_eq!(error.kind, ErrorKind::InvalidState, "{status}");
            let said = format!("job {job_id} is {status}");
            assert!(error.message.contains(&said), "{}", error.message);
            assert!(error.message.contains("dead_letter or cancelled"), "{}", error.message);
            assert_eq!(get(&robot, job_id), before, "{status}");
        }
        put(&robot, job_id, status);
        let cancelled = robot.engine.call::<CancelJob>(CancelJobRequest { job_id, agent: agent() });
        if matches!(status, JobStatus::Pending | JobStatus::RetryWaiting) {
            let shown = cancelled.expect("it can be cancelled");
            assert_eq!(shown, get(&robot, job_id));
            assert_eq!(shown.job.status, JobStatus::Cancelled);
            assert_eq!(shown.job.finished_at, Some(NOW));
            assert_eq!(shown.waits_for, "");
        } else {
            let error = cancelled.expect_err("it is refused");
            assert_eq!(error.kind, ErrorKind::InvalidState, "{status}");
            let said = format!("job {job_id} is {status}");
            assert!(error.message.contains(&said), "{}", error.message);
            assert!(error.message.contains("pending or retry_waiting"), "{}", error.message);
            assert_eq!(get(&robot, job_id), before, "{status}");
        }
    }
}

#[test]
fn what_is_queued_again_is_not_retried_beside_it() {
    let robot = robot();
    let first = robot.call::<RebuildScope>(rebuild("global", "", "")).job_id;
    let (job_id, agent) = (first, String::new());
    robot.call::<CancelJob>(CancelJobRequest { job_id, agent: agent.clone() });
    let second = robot.call::<RebuildScope>(rebuild("global", "", ""));
    assert!(second.created && second.job_id > first);
    let (kind, message) = robot.refused::<RetryJob>(RetryJobRequest { job_id, agent });
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains(&format!("job {} does the same", second.job_id)), "{message}");
}

#[test]
fn a_job_that_is_not_there_is_not_found_and_an_id_is_greater_than_0() {
    let robot = robot();
    let agent = String::new;
    for (job_id, expected) in [
        (0, ErrorKind::InvalidArgument),
        (-3, ErrorKind::InvalidArgument),
        (99, ErrorKind::NotFound),
        (i64::MAX, ErrorKind::NotFound),
    ] {
        let answers = [
            robot.refused::<GetJob>(GetJobRequest { job_id, agent: agent() }),
            robot.refused::<RetryJob>(RetryJobRequest { job_id, agent: agent() }),
            robot.refused::<CancelJob>(CancelJobRequest { job_id, agent: agent() }),
        ];
        for (kind, message) in answers {
            assert_eq!(kind, expected, "{message}");
            assert!(message.starts_with("job_id: "), "{message}");
            assert!(message.contains(&job_id.to_string()), "{message}");
        }
    }
}

#[test]
fn the_same_work_is_queued_once_and_what_waits_says_for_what() {
    let robot = robot();
    let first = robot.call::<RebuildScope>(rebuild("branch", "s1/a", ""));
    assert!(first.created);
    assert_eq!(first.scope.to_string(), "branch:s1/a");
    let again = robot.call::<RebuildScope>(rebuild("branch", r#"["s1","a"]"#, ""));
    assert_eq!((again.job_id, again.created), (first.job_id, false));
    // Without compacting it is other work.
    let plain = RebuildScopeRequest { force_compaction: false, ..rebuild("branch", "s1/a", "") };
    let plain = robot.call::<RebuildScope>(plain);
    assert!(plain.created && plain.job_id > first.job_id);
    let maintain = RunMaintenanceRequest { scope_id: "s1/a".into(), ..maintain("branch") };
    let maintained = robot.call::<RunMaintenance>(maintain.clone());
    assert!(maintained.created);
    assert!(!robot.call::<RunMaintenance>(maintain).created);

    let shown = get(&robot, first.job_id);
    assert_eq!(shown.job.job_type, JobType::RebuildScope);
    assert_eq!((shown.job.created_at, shown.job.available_at), (NOW, NOW));
    assert_eq!((shown.job.attempt_count, shown.job.max_attempts), (0, 5));
    assert_eq!(shown.job.payload, r#"{"force_compaction":true}"#);
    assert_eq!(shown.job.scope.id(), r#"["s1","a"]"#);
    assert!(shown.waits_for.contains("worker"), "{}", shown.waits_for);
    let waits_for = get(&robot, maintained.job_id).waits_for;
    assert!(waits_for.contains(&format!("job {} of the same scope", first.job_id)), "{waits_for}");
    let scopes = robot.call::<ListScopes>(ListScopesRequest::default());
    assert_eq!((scopes.total, scopes.scopes[0].revision), (1, 0));
}

fn maintain(scope: &str) -> RunMaintenanceRequest {
    RunMaintenanceRequest { scope: scope.into(), ..Default::default() }
}

#[test]
fn work_that_makes_no_sense_is_refused_and_nothing_is_queued() {
    let robot = robot();
    let (invalid, missing, state) =
        (ErrorKind::InvalidArgument, ErrorKind::NotFound, ErrorKind::InvalidState);
    let trigger = |turn: &str| RebuildScopeRequest {
        trigger_turn_id: turn.into(),
        ..rebuild("global", "", "")
    };
    let import = |path: &str| ImportRequest { path: path.into(), ..Default::default() };
    let folder = tempfile::tempdir().expect("a folder");
    let waits = fifo(&folder.path().join("run.mcap")).display().to_string();
    fifo(&folder.path().join("metadata.yaml"));
    let nested = folder.path().display().to_string();
    let kinds =
        "scope: must be one of global, group, dm, agent, session, branch, turn, unscoped, fleet;";
    let cases = [
        (robot.refused::<RebuildScope>(rebuild("", "", "")), invalid, kinds),
        (robot.refused::<RebuildScope>(rebuild("all", "", "")), invalid, kinds),
        (robot.refused::<RebuildScope>(rebuild("branch:s1/a", "", "")), invalid, kinds),
        (robot.refused::<RebuildScope>(rebuild("branch", "s1", "")), invalid, "scope_id: a branch"),
        (robot.refused::<RebuildScope>(rebuild("session", "", "")), invalid, "scope_id: session"),
        (robot.refused::<RebuildScope>(rebuild("dm", "x", "")), invalid, "scope_id: dm stands"),
        (robot.refused::<RunMaintenance>(maintain("cross")), invalid, kinds),
        (
            robot.refused::<RebuildScope>(rebuild("group", "blue", "")),
            state,
            "scope: nothing is stored in group:blue",
        ),
        (
            robot.refused::<RebuildScope>(rebuild("branch", "s1/b", "")),
            state,
            "scope: nothing is stored in branch:s1/b",
        ),
        (robot.refused::<RunMaintenance>(maintain("dm")), state, "scope: nothing is stored in dm"),
        (
            robot.refused::<RebuildScope>(trigger("t9")),
            missing,
            "trigger_turn_id: there is no turn t9",
        ),
        (robot.refused::<Import>(import("")), invalid, "path: must not be empty"),
        (robot.refused::<Import>(import("bags/run")), invalid, "path: must be absolute"),
        (
            robot.refused::<Import>(import("/nowhere/at/all")),
            missing,
            "path: nothing is at /nowhere/at/all",
        ),
        (robot.refused::<Import>(import("/dev/zero")), invalid, "path: /dev/zero is not a regular"),
        (robot.refused::<Import>(import(&waits)), invalid, &format!("path: {waits} is not a regu")),
        (
            robot.refused::<Import>(import(&nested)),
            invalid,
            &format!("path: {nested}/metadata.yaml is not a regular file"),
        ),
    ];
    for ((kind, message), expected, said) in cases {
        assert_eq!(kind, expected, "{message}");
        assert!(message.starts_with(said), "{message}\nis not as\n{said}");
    }
    assert_eq!(robot.call::<ListJobs>(ListJobsRequest::default()).total, 0);
}

#[test]
fn without_workers_nothing_is_queued_that_only_they_can_do() {
    let robot = Robot::words_only();
    robot.learn("The lamp is red");
    let path = robot.store_path().display().to_string();
    for (kind, message) in [
        robot.refused::<RebuildScope>(rebuild("global", "", "")),
        robot.refused::<RunMaintenance>(RunMaintenanceRequest::default()),
        robot.refused::<Import>(ImportRequest { path, ..Default::default() }),
    ] {
        assert_eq!(kind, ErrorKind::InvalidState, "{message}");
        assert!(message.contains("job_workers"), "{message}");
    }
    assert_eq!(robot.call::<ListJobs>(ListJobsRequest::default()).total, 0);
}

#[test]
fn a_bag_is_queued_for_the_scope_that_sensors_are_stored_in() {
    let robot = robot();
    let path = robot.store_path().display().to_string();
    let request = ImportRequest { path: path.clone(), ..Default::default() };
    let queued = robot.call::<Import>(request.clone());
    assert!(queued.created);
    assert_eq!(queued.scope.to_string(), "global");
    assert!(!robot.call::<Import>(request.clone()).created);
    let job = get(&robot, queued.job_id).job;
    let payload: serde_json::Value = serde_json::from_str(&job.payload).expect("JSON");
    assert_eq!(payload, json!({ "path": path, "collection": "default" }));
    let elsewhere = ImportRequest { collection: "trials".into(), ..request };
    assert!(robot.call::<Import>(elsewhere).created);
}

/// Who orders what on which scope: `Ok`, or the kind of the refusal.
#[test]
fn who_sees_a_scope_and_may_write_there_or_see_its_episode_orders_work_on_it() {
    let robot = robot();
    let request = StartSessionRequest { agent: "skill_grasp".into(), ..Default::default() };
    let session_id = robot.call::<StartSession>(request).session_id;
    let own = format!("{session_id}/main");
    let said = LearnRequest {
        insight: "The lamp of the episode is red".into(),
        scope: format!("branch:{own}"),
        ..Default::default()
    };
    robot.call::<Learn>(said);
    let forbidden = Some(ErrorKind::Forbidden);
    let missing = Some(ErrorKind::NotFound);
    // Agent; kind and name of the scope; what is answered to an order; what to a look at its job.
    let cases = [
        ("", "global", "", None, None),
        ("planner", "global", "", None, None),
        ("ops", "global", "", None, None),
        ("skill_grasp", "global", "", forbidden, None),
        ("guest", "global", "", forbidden, None),
        ("nurse", "global", "", forbidden, missing),
        // It may write there, and see nothing of it.
        ("mute", "global", "", forbidden, missing),
        ("skill_grasp", "agent", "skill_grasp", None, None),
        ("planner", "agent", "skill_grasp", forbidden, None),
        ("skill_weld", "agent", "skill_grasp", forbidden, missing),
        ("planner", "group", "red", None, None),
        ("skill_grasp", "group", "red", forbidden, None),
        // An episode of its own, without any right to read or write there.
        ("skill_grasp", "branch", own.as_str(), None, None),
        ("planner", "branch", own.as_str(), None, None),
        ("skill_weld", "branch", own.as_str(), forbidden, missing),
        ("guest", "branch", own.as_str(), forbidden, missing),
        // No such episode, though rows say so.
        ("skill_grasp", "branch", "s1/a", forbidden, missing),
    ];
    for (agent, kind, name, ordered, looked) in cases {
        let place = format!("{agent} {kind} {name}");
        let queued = robot.call::<RebuildScope>(rebuild(kind, name, ""));
        let job_id = queued.job_id;
        let agent = || agent.to_owned();
        let order = robot.engine.call::<RebuildScope>(rebuild(kind, name, &agent()));
        assert_eq!(order.as_ref().err().map(|error| error.kind), ordered, "{place}");
        if let Ok(order) = order {
            assert_eq!((order.job_id, order.created), (job_id, false), "{place}");
        }
        let look = robot.engine.call::<GetJob>(GetJobRequest { job_id, agent: agent() });
        assert_eq!(look.err().map(|error| error.kind), looked, "{place}");
        let cancel = robot.engine.call::<CancelJob>(CancelJobRequest { job_id, agent: agent() });
        let expected = if looked.is_some() { looked } else { ordered };
        assert_eq!(cancel.err().map(|error| error.kind), expected, "{place}");
        let retry = robot.engine.call::<RetryJob>(RetryJobRequest { job_id, agent: agent() });
        assert_eq!(retry.err().map(|error| error.kind), expected, "{place}");
        let now = get(&robot, job_id).job.status;
        assert_eq!(now, JobStatus::Pending, "{place}");
        robot.call::<CancelJob>(CancelJobRequest { job_id, agent: String::new() });
    }
    // An episode that is not there is refused as one that may not be seen.
    let unseen = |scope_id: &str| {
        let (kind, message) = robot.refused::<RebuildScope>(rebuild("branch", scope_id, "guest"));
        (kind, message.replace(scope_id, "?"))
    };
    assert_eq!(unseen(&own), unseen("nowhere/main"));
}

#[test]
fn a_turn_that_may_not_be_seen_triggers_nothing() {
    let robot = robot();
    let begin = |agent: &str| {
        let request = StartSessionRequest { agent: agent.into(), ..Default::default() };
        robot.call::<StartSession>(request).session_id
    };
    for (number, agent) in ["ops", "skill_grasp"].into_iter().enumerate() {
        let session_id = begin(agent);
        change(
            &robot,
            &format!(
                "INSERT INTO branch VALUES ('{session_id}', 'main', 'open', '[]');
                 INSERT INTO turn (turn_id, session_id, branch_id, turn_no, collection, agent, \
                 text, data, given_hash, committed_at) VALUES ('t{number}', '{session_id}', \
                 'main', 1, 'default', '{agent}', 'It went well', '', zeroblob(32), 1)"
            ),
        );
    }
    let trigger = |turn: &str, agent: &str| {
        let request =
            RebuildScopeRequest { trigger_turn_id: turn.into(), ..rebuild("global", "", agent) };
        robot.engine.call::<RebuildScope>(request)
    };
    let job_id = trigger("t0", "ops").expect("its own turn").job_id;
    assert_eq!(get(&robot, job_id).job.turn_id, "t0");
    let unseen = trigger("t1", "ops").expect_err("another's turn");
    let absent = trigger("t9", "ops").expect_err("no turn");
    assert_eq!(unseen.kind, ErrorKind::NotFound);
    assert_eq!(unseen.message.replace("t1", "t9"), absent.message);
    assert!(trigger("t1", "planner").is_ok());
}

#[test]
fn work_on_the_whole_store_is_seen_by_who_reads_all_and_ordered_by_the_operator() {
    let robot = robot();
    let job_id = robot.call::<RebuildScope>(rebuild("global", "", "")).job_id;
    change(
        &robot,
        &format!("UPDATE job SET scope = 'all', job_type = 'embed' WHERE id = {job_id}"),
    );
    for (agent, sees, orders) in [
        ("", true, true),
        ("planner", true, false),
        ("ops", false, false),
        ("nurse", false, false),
        ("mute", false, false),
    ] {
        let look = robot.engine.call::<GetJob>(GetJobRequest { job_id, agent: agent.into() });
        assert_eq!(look.is_ok(), sees, "{agent}");
        let cancel =
            robot.engine.call::<CancelJob>(CancelJobRequest { job_id, agent: agent.into() });
        assert_eq!(cancel.is_ok(), orders, "{agent}");
        if let Err(error) = cancel {
            let expected = if sees { ErrorKind::Forbidden } else { ErrorKind::NotFound };
            assert_eq!(error.kind, expected, "{agent}");
        } else {
            robot.call::<RetryJob>(RetryJobRequest { job_id, agent: String::new() });
        }
    }
}
