use crate::robot::{Robot, START};
use robot_memory_core::api::{
    ErrorKind, GetSession, GetSessionRequest, Learn, LearnRequest, ListSessions,
    ListSessionsRequest, StartSession, StartSessionRequest,
};
use robot_memory_core::model::SessionStatus;

fn get(session_id: &str) -> GetSessionRequest {
    GetSessionRequest { session_id: session_id.into(), ..Default::default() }
}

#[test]
fn a_session_begins_with_what_its_collection_knows() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    robot.call::<Learn>(LearnRequest {
        insight: "the pan is hot".into(),
        collection: "kitchen".into(),
        ..Default::default()
    });
    let response = robot.call::<StartSession>(StartSessionRequest {
        context: r#"{"robot": {"type": "UR5e"}}"#.into(),
        agent: "planner".into(),
        ..Default::default()
    });
    assert_eq!((response.collection.as_str(), response.active_memories_count), ("default", 1));
    uuid::Uuid::parse_str(&response.session_id).expect("a UUID");

    robot.learn_in(&response.session_id, "the cup is wet");
    let shown = robot.call::<GetSession>(get(&response.session_id));
    assert_eq!(shown.session.status, SessionStatus::Open);
    assert_eq!(shown.session.context, r#"{"robot": {"type": "UR5e"}}"#);
    assert_eq!((shown.session.agent.as_str(), shown.session.memory_count), ("planner", 1));
    assert_eq!((shown.session.started_at, shown.session.ended_at), (START, None));
    assert_eq!((shown.by_type[0].key.as_str(), shown.by_type[0].count), ("fact", 1));
}

#[test]
fn sessions_are_listed_newest_first_in_pages() {
    let robot = Robot::new();
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(robot.start_session());
        robot.sleep_days(0.1);
    }
    robot.end_session(&made[0]);
    made.reverse();
    let list = |limit, offset, status: &str| {
        robot.call::<ListSessions>(ListSessionsRequest {
            limit,
            offset,
            status: status.into(),
            ..Default::default()
        })
    };
    let page = list(2, 0, "");
    let shown: Vec<&str> = page.sessions.iter().map(|s| s.session_id.as_str()).collect();
    assert_eq!((shown, page.total, page.has_more), (vec![&*made[0], &*made[1]], 5, true));
    let last = list(2, 4, "");
    assert_eq!((last.sessions.len(), last.has_more), (1, false));
    assert_eq!(list(50, 0, "ended").total, 1);
    assert_eq!(list(50, 0, "open").total, 4);
    let other = ListSessionsRequest { collection: "other".into(), ..Default::default() };
    assert_eq!(robot.call::<ListSessions>(other).total, 0);
}

#[test]
fn a_session_that_a_crash_left_open_is_listed_as_such_and_can_be_ended() {
    let robot = Robot::new();
    let session = robot.start_session();
    robot.learn_in(&session, "the cup is wet");
    assert!(!robot.call::<GetSession>(get(&session)).session.interrupted);

    let robot = robot.pull_the_plug();
    assert!(robot.opened.unclean);
    let shown = robot.call::<GetSession>(get(&session)).session;
    assert!(shown.interrupted);
    assert_eq!(shown.status, SessionStatus::Open);
    assert_eq!(robot.end_session(&session).memory_count, 1);
    assert!(!robot.call::<GetSession>(get(&session)).session.interrupted);
}

#[test]
fn bad_requests_name_the_field() {
    let robot = Robot::new();
    assert_eq!(robot.refused::<GetSession>(get("")).0, ErrorKind::InvalidArgument);
    assert_eq!(robot.refused::<GetSession>(get("none such")).0, ErrorKind::NotFound);
    let bad_context = StartSessionRequest { context: "[]".into(), ..Default::default() };
    assert_eq!(robot.refused::<StartSession>(bad_context).0, ErrorKind::InvalidArgument);
    for limit in [0, 101] {
        let request = ListSessionsRequest { limit, ..Default::default() };
        let (kind, message) = robot.refused::<ListSessions>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.starts_with("limit"), "{message}");
    }
    let status = ListSessionsRequest { status: "lost".into(), ..Default::default() };
    assert_eq!(robot.refused::<ListSessions>(status).0, ErrorKind::InvalidArgument);
}
