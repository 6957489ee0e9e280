//! A step that is handed over is on disk with its job, once.

use crate::robot::{Robot, START, sql};
use crate::steps::{JobClock, commit, do_jobs, step};
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, CommitTurnStatus, ErrorKind, ListJobs, ListJobsRequest,
    StartSession, StartSessionRequest,
};
use robot_memory_core::limits::{NAME_BYTES_MAX, TURN_BYTES_MAX};
use robot_memory_core::model::{JobStatus, JobType, Stamp};

const SAID: &str = "The M8 bolt was held at 12 N.";

fn robot() -> Robot {
    Robot::with(|config| JobClock::new().configure(config))
}

#[test]
fn a_step_is_stored_with_its_job_and_known_when_it_comes_again() {
    let robot = robot();
    let session = robot.start_session();
    let first = commit(&robot, &session, 1, SAID);
    assert_eq!((first.status, first.created), (CommitTurnStatus::Committed, true));
    assert_eq!(first.scope.kind(), "branch");
    assert_eq!(first.scope.id(), format!(r#"["{session}","main"]"#));
    let again = commit(&robot, &session, 1, SAID);
    assert_eq!((again.status, again.created), (CommitTurnStatus::Known, false));
    assert_eq!((&again.turn_id, again.job_id), (&first.turn_id, first.job_id));
    let counts = "SELECT (SELECT count(*) FROM turn) || ' ' || (SELECT count(*) FROM job) || ' ' || \
         (SELECT count(*) FROM branch)";
    assert_eq!(sql::<String>(&robot.store_path(), counts), "1 1 1");
    let at = "SELECT committed_at FROM turn";
    assert_eq!(Stamp(sql(&robot.store_path(), at)), START);

    // A plug that was pulled takes neither.
    let robot = robot.pull_the_plug();
    let lease = robot.engine.claim_job(0).expect("claimed").expect("it waits");
    assert_eq!((lease.job.id, lease.job.job_type), (first.job_id, JobType::IngestTurn));
    assert_eq!(lease.job.turn_id, first.turn_id);
}

#[test]
fn a_repeated_call_is_answered_whatever_came_after_it() {
    let robot = robot();
    let session = robot.start_session();
    let first = commit(&robot, &session, 1, SAID);
    assert_eq!(do_jobs(&robot)[0].status, JobStatus::Succeeded);
    robot.end_session(&session);
    robot.clock.set(Stamp(0));
    let again = commit(&robot, &session, 1, SAID);
    assert_eq!((again.status, again.job_id), (CommitTurnStatus::Known, first.job_id));
}

#[test]
fn two_steps_cannot_have_one_place_or_one_name() {
    let robot = robot();
    let session = robot.start_session();
    let named = |turn_no, turn_id: &str, text: &str| CommitTurnRequest {
        turn_id: turn_id.into(),
        ..step(&session, turn_no, text)
    };
    robot.call::<CommitTurn>(named(1, "grasp-1", SAID));
    let with_data = CommitTurnRequest { data: "{}".into(), ..named(1, "grasp-1", SAID) };
    for (request, expected) in [
        (
            named(1, "grasp-1", "It slipped."),
            "turn_no: turn 1 of branch main was handed over before, with another text or data, as \
             grasp-1",
        ),
        (
            with_data,
            "turn_no: turn 1 of branch main was handed over before, with another text or data, as \
             grasp-1",
        ),
        (
            named(1, "grasp-2", SAID),
            "turn_no: turn 1 of branch main was handed over before, with another turn_id, as grasp-1",
        ),
        (
            named(2, "grasp-1", SAID),
            "turn_id: grasp-1 names another turn; take another name, or none",
        ),
    ] {
        let refused = robot.refused::<CommitTurn>(request);
        assert_eq!(refused, (ErrorKind::InvalidState, expected.to_owned()));
    }
    // Without a name it is the same step; and another branch has a first step of its own.
    assert_eq!(commit(&robot, &session, 1, SAID).status, CommitTurnStatus::Known);
    let elsewhere = CommitTurnRequest { branch_id: "b".into(), ..step(&session, 1, SAID) };
    let elsewhere = robot.call::<CommitTurn>(elsewhere);
    assert_eq!(elsewhere.status, CommitTurnStatus::Committed);
    assert_ne!(elsewhere.turn_id, "grasp-1");
}

/// A caller that gives a step the name which is made for another one keeps nobody out.
#[test]
fn a_name_that_is_made_is_never_taken() {
    let made = |robot: &Robot, session: &str| {
        let turn_id = commit(robot, session, 1, SAID).turn_id;
        (turn_id, sql::<i64>(&robot.store_path(), "SELECT count(*) FROM turn"))
    };
    let robot = robot();
    let session = robot.start_session();
    let of_first_place = commit(&robot, &session, 1, SAID).turn_id;
    let beside = rusqlite::Connection::open(robot.store_path()).expect("it opens");
    beside.execute("DELETE FROM turn", []).expect("as if it had not come yet");
    robot.call::<CommitTurn>(CommitTurnRequest {
        turn_id: of_first_place.clone(),
        ..step(&session, 2, SAID)
    });
    let (turn_id, count) = made(&robot, &session);
    assert_eq!((turn_id == of_first_place, count), (false, 2));
    assert_eq!(made(&robot, &session), (turn_id, 2), "and is known when it comes again");
}

#[test]
fn a_branch_can_have_any_name_that_a_scope_can() {
    let robot = robot();
    let session = robot.start_session();
    let bytes = NAME_BYTES_MAX - session.len() - 1;
    let names = ["b".repeat(bytes), "\"".repeat(bytes), "\\".repeat(bytes), "分支/二".into()];
    for name in &names {
        let request = CommitTurnRequest { branch_id: name.clone(), ..step(&session, 1, SAID) };
        assert!(robot.call::<CommitTurn>(request).created, "{name}");
    }
    assert!(do_jobs(&robot).iter().all(|job| job.status == JobStatus::Succeeded));
    for name in &names {
        let scope_id = serde_json::json!([session, name]).to_string();
        let scope = "branch".into();
        let request = ListJobsRequest { scope, scope_id, limit: 9, ..Default::default() };
        assert_eq!(robot.call::<ListJobs>(request).total, 1, "{name}");
    }
}

#[test]
fn what_cannot_be_a_step_is_refused_in_words() {
    let robot = robot();
    let session = robot.start_session();
    let long = "x".repeat(TURN_BYTES_MAX + 1);
    let good = || step(&session, 1, SAID);
    let with = |change: &dyn Fn(&mut CommitTurnRequest)| {
        let mut request = good();
        change(&mut request);
        request
    };
    use ErrorKind::{InvalidArgument, NotFound};
    for (request, kind, begin) in [
        (with(&|it| it.session_id.clear()), InvalidArgument, "session_id: must be given"),
        (with(&|it| it.session_id = "s".into()), NotFound, "session_id: there is no session s"),
        (with(&|it| it.turn_no = 0), InvalidArgument, "turn_no: must be at least 1, got 0"),
        (with(&|it| it.text.clear()), InvalidArgument, "text: must be given, or data"),
        (with(&|it| it.text = " \n".into()), InvalidArgument, "text: must be given, or data"),
        (with(&|it| it.text = "a\0b".into()), InvalidArgument, "text: must not contain"),
        (with(&|it| it.text = long.clone()), InvalidArgument, "text: at most 65536 bytes, got"),
        (with(&|it| it.data = long.clone()), InvalidArgument, "data: at most 65536 bytes, got"),
        (with(&|it| it.data = "[1]".into()), InvalidArgument, "data: must be a JSON object, got"),
        (with(&|it| it.data = "{".into()), InvalidArgument, "data: not valid JSON"),
        (with(&|it| it.branch_id = "a*".into()), InvalidArgument, "branch_id: "),
        (with(&|it| it.branch_id = " a".into()), InvalidArgument, "branch_id: "),
        (with(&|it| it.branch_id = "a\n".into()), InvalidArgument, "branch_id: "),
        (
            with(&|it| it.turn_id = "x".repeat(NAME_BYTES_MAX + 1)),
            InvalidArgument,
            "turn_id: at most 256 bytes, got 257",
        ),
    ] {
        let (found, message) = robot.refused::<CommitTurn>(request);
        assert_eq!(found, kind, "{message}");
        assert!(message.starts_with(begin), "{message}");
    }
    robot.clock.set(Stamp(0));
    assert_eq!(robot.refused::<CommitTurn>(good()).0, ErrorKind::Unavailable);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM turn"), 0);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM branch"), 0);
}

#[test]
fn an_ended_session_and_a_decided_branch_take_no_more_steps() {
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, SAID);
    for status in ["won", "lost"] {
        let connection = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
        connection.execute("UPDATE branch SET status = ?1", [status]).expect("it is decided");
        let refused = robot.refused::<CommitTurn>(step(&session, 2, SAID));
        let message = format!("branch_id: main has {status}, it takes no more turns");
        assert_eq!(refused, (ErrorKind::InvalidState, message));
    }
    robot.end_session(&session);
    let other = CommitTurnRequest { branch_id: "b".into(), ..step(&session, 2, SAID) };
    let (kind, message) = robot.refused::<CommitTurn>(other);
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains("has ended"), "{message}");
}

#[test]
fn steps_are_handed_over_by_those_who_may_see_the_session() {
    let robot = robot();
    let session = |agent: &str| {
        let request = StartSessionRequest { agent: agent.into(), ..Default::default() };
        robot.call::<StartSession>(request).session_id
    };
    let (own, of_planner) = (session("skill_grasp"), session("planner"));
    let by = |agent: &str, session: &str, turn_no| CommitTurnRequest {
        agent: agent.into(),
        ..step(session, turn_no, SAID)
    };
    robot.call::<CommitTurn>(by("skill_grasp", &own, 1));
    robot.call::<CommitTurn>(by("planner", &own, 2));
    let refused = robot.refused::<CommitTurn>(by("skill_grasp", &of_planner, 1));
    let message = format!("session_id: there is no session {of_planner}");
    assert_eq!(refused, (ErrorKind::NotFound, message));
    assert_eq!(robot.refused::<CommitTurn>(by("nobody", &own, 3)).0, ErrorKind::NotFound);
}
