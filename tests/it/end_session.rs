use crate::robot::{HeldEmbedder, Robot, ids, sql};
use robot_memory_core::api::{
    EndSession, EndSessionRequest, ErrorKind, Learn, LearnRequest, Recall, RecallRequest,
    StartSession, StartSessionRequest,
};

fn counts(counts: &[robot_memory_core::api::KeyCount]) -> Vec<(&str, u64)> {
    counts.iter().map(|entry| (entry.key.as_str(), entry.count)).collect()
}

/// Writes a confidence that inference alone does not give.
fn set_confidence(robot: &Robot, id: i64, confidence: f64) {
    let connection = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let update = "UPDATE memory SET confidence = ?2 WHERE id = ?1";
    connection.execute(update, rusqlite::params![id, confidence]).expect("it is written");
}

#[test]
fn five_session_ends_in_a_minute_decay_a_ten_day_old_memory_once() {
    let robot = Robot::words_only();
    let id = robot.learn_with("The cup stands on the table", "");
    set_confidence(&robot, id, 0.9);
    let robot = robot.restart();
    robot.sleep_days(10.0);
    let decayed: Vec<u64> = (0..5)
        .map(|_| {
            let session = robot.start_session();
            robot.sleep_days(10.0 / 86_400.0);
            robot.end_session(&session).decayed_count
        })
        .collect();
    assert_eq!(decayed, [1, 0, 0, 0, 0]);
    let confidence = robot.confidence(id);
    assert!((confidence - 0.8139).abs() < 1e-4, "{confidence}");
    // What was answered is what a start finds.
    assert_eq!(robot.restart().confidence(id), confidence);
}

#[test]
fn decay_counts_each_day_once_however_it_is_cut() {
    let robot = Robot::words_only();
    let id = robot.learn_with("The cup stands on the table", "");
    for days in [3.0, 0.5, 0.6, 2.0, 4.0] {
        robot.sleep_days(days);
        let session = robot.start_session();
        robot.end_session(&session);
    }
    let expected = 0.8 * 0.99_f64.powf(10.1);
    let confidence = robot.confidence(id);
    assert!((confidence - expected).abs() < 1e-9, "{confidence} is not {expected}");
}

#[test]
fn a_recalled_memory_fades_from_its_last_access() {
    let robot = Robot::words_only();
    let id = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(10.0);
    robot.recall("cup");
    robot.sleep_days(0.5);
    let session = robot.start_session();
    assert_eq!(robot.end_session(&session).decayed_count, 0);
    assert_eq!(robot.confidence(id), 0.8);
}

#[test]
fn protected_categories_never_fade() {
    let robot = Robot::words_only();
    let protected = [
        robot.learn_with("The grip force must never exceed 15 N", ""),
        robot.learn_with("教训:新会话前务必先校准", ""),
        robot.learn_with("Gotcha: the door opens to the inside", ""),
    ];
    let fading = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(360.0);
    let session = robot.start_session();
    assert_eq!(robot.end_session(&session).decayed_count, 1);
    for id in protected {
        assert_eq!(robot.confidence(id), 0.8);
    }
    assert!(robot.confidence(fading) < 0.03);
}

#[test]
fn one_collection_never_touches_another() {
    let robot = Robot::words_only();
    let own = robot.learn_with("The cup stands on the table", "");
    let other = robot.call::<Learn>(LearnRequest {
        insight: "The pan hangs on the wall".into(),
        collection: "kitchen".into(),
        ..Default::default()
    });
    robot.sleep_days(10.0);
    let session = robot.start_session();
    assert_eq!(robot.end_session(&session).decayed_count, 1);
    assert!(robot.confidence(own) < 0.8);
    assert_eq!(robot.confidence(other.memory_id), 0.8);
}

#[test]
fn a_clock_that_went_back_changes_nothing() {
    let robot = Robot::words_only();
    let id = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(-30.0);
    let session = robot.start_session();
    assert_eq!(robot.end_session(&session).decayed_count, 0);
    assert_eq!(robot.confidence(id), 0.8);
}

#[test]
fn memories_that_say_the_same_are_merged_into_the_best() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let weak = robot.learn_in(&session, "glass cup slips out of gripper");
    let best = robot.learn_in(&session, "glass cup slips out of gripper in `grip`");
    let alone = robot.learn_in(&session, "kettle hangs above sink on hook");
    let rule = robot.learn_in(&session, "never let glass cup slip out of gripper");
    let response = robot.end_session(&session);
    assert_eq!(response.memory_count, 4);
    assert_eq!(counts(&response.by_type), [("fact", 4)]);
    assert_eq!((response.merged_groups, response.superseded_count), (1, 1));
    assert_eq!(response.compression_ratio, 0.25);
    assert!(response.avg_similarity > 0.5 && response.avg_similarity < 1.0);

    let left = robot.call::<Recall>(RecallRequest {
        session_id: session,
        order: "oldest".into(),
        ..Default::default()
    });
    assert_eq!(ids(&left), [best, alone, rule]);
    let superseded = format!("SELECT superseded_by FROM memory WHERE id = {weak}");
    assert_eq!(sql::<i64>(&robot.store_path(), &superseded), best);
}

#[test]
fn two_mergeable_memories_are_too_few() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    robot.learn_in(&session, "glass cup slips out of gripper near door");
    robot.learn_in(&session, "glass cup slips out of gripper in `grip`");
    robot.perceive("glass cup slips out of gripper again", "");
    assert_eq!(robot.end_session(&session).merged_groups, 0);
}

#[test]
fn what_must_not_be_merged_is_not() {
    let cases: [(&str, LearnRequest); 4] = [
        ("a lesson", LearnRequest { mem_type: "lesson".into(), ..Default::default() }),
        ("a decision", LearnRequest { mem_type: "decision".into(), ..Default::default() }),
        ("a task log", LearnRequest { mem_type: "task_log".into(), ..Default::default() }),
        ("a row of higher trust", LearnRequest { trust: "high".into(), ..Default::default() }),
    ];
    for (what, fields) in cases {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let in_session = |insight: &str, fields: LearnRequest| {
            let trust = if fields.trust.is_empty() { "medium" } else { &fields.trust };
            robot.call::<Learn>(LearnRequest {
                insight: insight.into(),
                session_id: session.clone(),
                trust: trust.into(),
                ..fields
            })
        };
        in_session("glass cup slips out of gripper near door", fields);
        // It is surer, so it would be the one that is kept.
        in_session("glass cup slips out of gripper in `grip`", LearnRequest::default());
        in_session("kettle hangs above sink on hook", LearnRequest::default());
        assert_eq!(robot.end_session(&session).superseded_count, 0, "{what}");
    }
}

#[test]
fn numbers_keep_memories_apart() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    robot.learn_in(&session, "red cup on table needs 12 N");
    robot.learn_in(&session, "red cup on table needs 15 N");
    robot.learn_in(&session, "red cup on table needs 18 N");
    assert_eq!(robot.end_session(&session).merged_groups, 0);
}

#[test]
fn related_memories_are_like_the_session_and_not_of_it() {
    for with_embedder in [false, true] {
        let robot = if with_embedder { Robot::new() } else { Robot::words_only() };
        let earlier = robot.start_session();
        let similar = robot.learn_in(&earlier, "wet red cup slipped from the gripper");
        robot.learn_in(&earlier, "battery was low in the evening");
        robot.end_session(&earlier);
        let apart = robot.learn("the red cup is wet, said without a session").memory_id;
        let other = robot
            .call::<StartSession>(StartSessionRequest {
                collection: "lab".into(),
                ..Default::default()
            })
            .session_id;
        robot.learn_in(&other, "wet red cup in the lab");

        let now = robot.start_session();
        robot.learn_in(&now, "red cup slipped again, wet as before");
        let response = robot.call::<EndSession>(EndSessionRequest {
            session_id: now,
            outcome_score: Some(0.2),
            ..Default::default()
        });
        let related = &response.related_memories;
        assert_eq!(related[0].memory.id, similar, "with embedder: {with_embedder}");
        assert_eq!(related[0].score, 1.0);
        // Not what is only the next best.
        let ids: Vec<i64> = related.iter().map(|hit| hit.memory.id).collect();
        assert_eq!(ids, [similar, apart], "with embedder: {with_embedder}");
    }
}

#[test]
fn ending_twice_or_the_unknown_is_a_clear_error() {
    let robot = Robot::new();
    let session = robot.start_session();
    let end = |session_id: &str, outcome_score| EndSessionRequest {
        session_id: session_id.into(),
        outcome_score,
        ..Default::default()
    };
    let refused = |request| robot.refused::<EndSession>(request).0;
    assert_eq!(refused(end(&session, Some(1.01))), ErrorKind::InvalidArgument);
    assert_eq!(refused(end(&session, Some(f64::NAN))), ErrorKind::InvalidArgument);
    assert_eq!(refused(end("", None)), ErrorKind::InvalidArgument);
    assert_eq!(refused(end("none such", None)), ErrorKind::NotFound);
    robot.call::<EndSession>(end(&session, Some(1.0)));
    assert_eq!(refused(end(&session, Some(1.0))), ErrorKind::InvalidState);
    let late =
        LearnRequest { insight: "too late".into(), session_id: session, ..Default::default() };
    assert_eq!(robot.refused::<Learn>(late).0, ErrorKind::InvalidState);
}

#[test]
fn what_learn_kept_apart_stays_apart() {
    let robot = Robot::new();
    let session = robot.start_session();
    for thing in ["hammer", "wrench", "ladder"] {
        robot.learn_in(&session, &format!("The {thing} hangs left of the door"));
    }
    assert_eq!(robot.end_session(&session).merged_groups, 0);
}

#[test]
fn a_faded_memory_that_is_learned_again_is_believed_again() {
    let robot = Robot::new();
    let id = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(200.0);
    let session = robot.start_session();
    robot.end_session(&session);
    assert!(robot.recall("cup").memories.is_empty(), "it has faded");
    let again = robot.learn("The cup stands on the table");
    assert_eq!((again.existing_id, again.confidence), (id, 0.8));
    assert_eq!(ids(&robot.recall("cup")), [id]);
    let session = robot.start_session();
    robot.end_session(&session);
    assert_eq!(robot.confidence(id), 0.8, "it fades from now on");
}

#[test]
fn an_updated_memory_fades_from_its_update() {
    let robot = Robot::new();
    let id = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(200.0);
    robot.call::<robot_memory_core::api::Update>(robot_memory_core::api::UpdateRequest {
        memory_id: id,
        new_content: "The cup stands on the shelf".into(),
        ..Default::default()
    });
    let session = robot.start_session();
    robot.end_session(&session);
    assert_eq!(robot.confidence(id), 0.8);
}

#[test]
fn others_write_while_what_is_related_to_a_session_is_looked_for() {
    let robot = Robot::words_only();
    let session = robot
        .call::<StartSession>(StartSessionRequest {
            context: r#"{"task": "set the table"}"#.into(),
            ..Default::default()
        })
        .session_id;
    let (held, asked, go) = HeldEmbedder::new();
    robot.engine.set_embedder(Ok(Some(held))).expect("taken");
    std::thread::scope(|scope| {
        scope.spawn(|| robot.end_session(&session));
        asked.recv().expect("the session's context is embedded");
        let (done, is_done) = std::sync::mpsc::channel();
        let robot = &robot;
        scope.spawn(move || {
            robot.start_session();
            let everything = RecallRequest { count_by: "day".into(), ..Default::default() };
            done.send(robot.engine.call::<Recall>(everything).is_ok())
        });
        let in_time = is_done.recv_timeout(std::time::Duration::from_secs(20));
        go.send(()).expect("it waits");
        assert_eq!(in_time, Ok(true));
    });
}
