//! What becomes of a step that was handed over: its facts are learned in its branch, once, and each says
//! where it was said.

use crate::robot::{Robot, START, ids, sql};
use crate::steps::{
    JobClock, Unhurried, commit, do_jobs, every_sentence, in_branch, set_chat, step, stored,
    take_in,
};
use robot_memory_chat::ChatError;
use robot_memory_core::api::{
    CheckAction, CheckActionRequest, CommitTurn, CommitTurnRequest, GetMemory, GetMemoryRequest,
    Learn, LearnRequest, Recall, RecallRequest, StartSession, StartSessionRequest,
};
use robot_memory_core::model::{
    JobStatus, Kind, Level, MemType, Source, Status, Trust, TurnSource,
};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

fn robot() -> Robot {
    let robot = Robot::with(|config| JobClock::new().configure(config));
    robot.plug_in_embedder();
    robot
}

/// A robot whose endpoint takes every sentence for a fact, so that a test says which they are.
fn literal_robot() -> Robot {
    let robot = robot();
    set_chat(&robot, every_sentence);
    robot
}

fn recall(robot: &Robot, session: &str, query: &str) -> Vec<i64> {
    ids(&robot.call::<Recall>(RecallRequest {
        query: query.into(),
        scope: format!("branch:{session}/main"),
        ..Default::default()
    }))
}

/// Of what a job told of its facts: how many of each status.
fn statuses(report: &Value) -> Vec<&str> {
    let facts = report["facts"].as_array().expect("facts are told");
    facts.iter().map(|fact| fact["status"].as_str().expect("a status")).collect()
}

#[test]
fn three_steps_in_two_languages_are_remembered_in_their_branch() {
    let robot = robot();
    let session = robot.start_session();
    let said = [
        (1, "Okay, let me see. The grasp of the M8 bolt succeeded at 12 N.", "M8 bolt grasp", 2),
        (2, "插入失败，因为孔里有油。接下来再试一次。", "插入失败", 1),
        (4, "The tray is on shelf B2.", "tray shelf", 1),
    ];
    for (turn_no, text, ..) in said {
        commit(&robot, &session, turn_no, text);
        robot.sleep_days(0.01);
    }
    let reports = take_in(&robot);
    assert_eq!(reports.len(), 3);
    for ((turn_no, text, query, number), report) in said.into_iter().zip(reports) {
        assert_eq!(report["extracted_by"], "rules", "{report}");
        let fact = &report["facts"][0];
        let id = fact["memory_id"].as_i64().unwrap_or_else(|| panic!("{text}: {report}"));
        assert!(recall(&robot, &session, query).contains(&id), "{text}");
        assert!(!ids(&robot.recall(query)).contains(&id), "{text}: it stays in its branch");
        let found = stored(&robot, id);
        assert_eq!(found.turns.len(), 1, "{text}");
        let TurnSource { turn_no: no, sentence_number, sentence, branch_id, session_id, .. } =
            &found.turns[0];
        assert_eq!((*no, *sentence_number, branch_id.as_str()), (turn_no, number, "main"));
        assert_eq!(*session_id, session);
        assert!(text.contains(sentence.as_str()) && !sentence.is_empty(), "{sentence}");
        let memory = found.memory;
        assert_eq!((memory.source, memory.trust), (Source::AgentOutput, Trust::Medium));
        assert_eq!((memory.kind, memory.level), (Kind::Fact, Level::Knowledge));
        assert_eq!((&memory.session_id, &memory.turn_id), (&session, &found.turns[0].turn_id));

        let summary = stored(&robot, report["summary_id"].as_i64().expect("a summary"));
        assert_eq!(
            (summary.memory.kind, summary.memory.mem_type),
            (Kind::Summary, MemType::TaskLog)
        );
        assert_eq!(summary.memory.category, None);
        assert!(!summary.embedding_model.is_empty());
        let context: Value = serde_json::from_str(&summary.memory.context).expect("JSON");
        assert_eq!(context["summary"], json!({"kind": "micro", "turn_no": turn_no}));
        assert_eq!((summary.turns[0].sentence_number, summary.turns[0].sentence.as_str()), (0, ""));
    }
}

#[test]
fn memories_are_as_old_as_their_step_however_late_its_job_is_done() {
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "The grasp of the M8 bolt succeeded at 12 N.");
    robot.sleep_days(3.0);
    robot.end_session(&session);
    let reports = take_in(&robot);
    for id in [&reports[0]["facts"][0]["memory_id"], &reports[0]["summary_id"]] {
        let memory = stored(&robot, id.as_i64().expect("it is stored")).memory;
        assert_eq!((memory.created_at, memory.updated_at), (START, START));
    }
}

#[test]
fn what_is_said_again_is_not_stored_again_but_has_another_source() {
    let robot = literal_robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "The red cup is on shelf two.");
    commit(&robot, &session, 2, "Done. The red cup is on shelf two.");
    let reports = take_in(&robot);
    let id = reports[0]["facts"][0]["memory_id"].as_i64().expect("it is stored");
    let again = reports[1]["facts"].as_array().and_then(|facts| facts.last()).expect("a fact");
    assert_eq!((again["memory_id"].as_i64(), &again["status"]), (Some(id), &json!("duplicate")));
    let turns = stored(&robot, id).turns;
    let places: Vec<(u32, u32)> = turns.iter().map(|it| (it.turn_no, it.sentence_number)).collect();
    assert_eq!(places, [(1, 1), (2, 2)]);
    assert!(turns.iter().all(|it| it.sentence == "The red cup is on shelf two."));
}

#[test]
fn what_a_step_says_twice_is_stored_once() {
    let robot = literal_robot();
    let session = robot.start_session();
    commit(
        &robot,
        &session,
        1,
        "The red glass cup stands on shelf two of rack nine. \
         On shelf two of rack nine stands the red glass cup.",
    );
    let reports = take_in(&robot);
    assert_eq!(statuses(&reports[0]), ["created", "duplicate"]);
}

/// What an earlier step said does not count as said again when this one denied it in between.
#[test]
fn of_a_step_that_takes_back_what_it_said_the_last_word_holds() {
    let left = "use the left gripper for cups";
    for robot in [robot(), literal_robot()] {
        let session = robot.start_session();
        commit(&robot, &session, 1, "From now on always use the left gripper for cups.");
        let text = "From now on always use the right gripper for cups. \
                    From now on always use the left gripper for cups!";
        commit(&robot, &session, 2, text);
        let reports = take_in(&robot);
        assert_eq!(statuses(&reports[1]), ["created"; 2], "{}", reports[1]);
        let facts = in_branch(&robot, &session)
            .into_iter()
            .filter(|(id, _)| stored(&robot, *id).memory.kind == Kind::Fact);
        let facts: Vec<String> = facts.map(|(_, words)| words).collect();
        assert!(matches!(&facts[..], [only] if only.contains(left)), "{facts:?}");
    }
}

/// Whatever the order in which steps are handed over, or their jobs done, the later step holds.
#[test]
fn of_two_steps_that_disagree_the_later_one_holds() {
    let left = "prefer the left gripper for cups";
    let right = "prefer the right gripper for cups";
    for (order, is_retried) in [([1, 2], false), ([2, 1], false), ([1, 2], true)] {
        let robot = literal_robot();
        let session = robot.start_session();
        let text = |turn_no| if turn_no == 1 { left } else { right };
        if is_retried {
            // The first step's job is put off until the second is taken in.
            commit(&robot, &session, 1, left);
            let connection = rusqlite::Connection::open(robot.store_path()).expect("it opens");
            robot.sleep_days(1.0);
            let other = robot.call::<CommitTurn>(CommitTurnRequest {
                branch_id: "other".into(),
                ..step(&session, 2, right)
            });
            // As if it had been handed over to the same branch, to be taken in first.
            let sql = "UPDATE turn SET branch_id = 'main' WHERE turn_id = ?1";
            connection.execute(sql, [&other.turn_id]).expect("it is moved");
            let claims = [(); 2].map(|()| robot.engine.claim_job(0).expect("claimed"));
            for lease in claims.iter().flatten().rev() {
                robot.engine.work(lease, &Unhurried).expect("it is worked on");
            }
        } else {
            for turn_no in order {
                commit(&robot, &session, turn_no, text(turn_no));
                robot.sleep_days(1.0);
            }
            take_in(&robot);
        }
        let held: Vec<String> = in_branch(&robot, &session)
            .into_iter()
            .filter(|(id, _)| stored(&robot, *id).memory.kind == Kind::Fact)
            .map(|(_, content)| content)
            .collect();
        assert_eq!(held, [right], "{order:?} {is_retried}");
    }
}

/// What was learned in the branch after a step was handed over is newer than the step, also when its job
/// comes later.
#[test]
fn what_was_learned_after_a_step_holds_against_it() {
    let robot = literal_robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "prefer the left gripper for cups");
    robot.sleep_days(0.1);
    let newer = robot.call::<Learn>(LearnRequest {
        insight: "prefer the right gripper for cups".into(),
        scope: format!("branch:{session}/main"),
        ..Default::default()
    });
    let reports = take_in(&robot);
    let late = reports[0]["facts"][0]["memory_id"].as_i64().expect("it is stored");
    let late = stored(&robot, late).memory;
    assert_eq!((late.status, late.superseded_by), (Status::Superseded, Some(newer.memory_id)));
}

#[test]
fn of_one_step_the_later_sentence_holds() {
    let robot = literal_robot();
    let session = robot.start_session();
    let text = "prefer the left gripper for cups\nprefer the right gripper for cups";
    commit(&robot, &session, 1, text);
    let reports = take_in(&robot);
    let id = |place: usize| reports[0]["facts"][place]["memory_id"].as_i64().expect("it is stored");
    assert_eq!(stored(&robot, id(0)).memory.superseded_by, Some(id(1)));
    assert_eq!(stored(&robot, id(1)).memory.status, Status::Active);
}

#[test]
fn a_constraint_that_a_step_reports_guards_its_branch_alone() {
    let robot = literal_robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "Never grip the glass cup with more than 15 N.");
    take_in(&robot);
    let check = |scope: String| {
        let request = CheckActionRequest {
            params: r#"{"grip_force": {"value": 20, "unit": "N"}}"#.into(),
            object: "glass cup".into(),
            scope,
            ..Default::default()
        };
        robot.call::<CheckAction>(request).violations.len()
    };
    assert_eq!(check(format!("branch:{session}/main")), 1);
    assert_eq!(check(format!("branch:{session}/other")), 0);
    assert_eq!(check("global".into()), 0);
}

#[test]
fn a_refused_fact_does_not_lose_the_others() {
    let robot = literal_robot();
    let session = robot.start_session();
    robot.call::<Learn>(LearnRequest {
        insight: "Never exceed 15 N at the glass cup.".into(),
        context: r#"{"limits": [{"path": "force", "op": "<=", "value": 10, "unit": "N"}]}"#.into(),
        scope: format!("branch:{session}/main"),
        ..Default::default()
    });
    let text = "The red cup is on shelf two. Never exceed 15 N at the glass cup. The door is open.";
    commit(&robot, &session, 1, text);
    let reports = take_in(&robot);
    assert_eq!(statuses(&reports[0]), ["created", "refused", "created"]);
    assert_eq!(reports[0]["refused"], json!({"other_bounds": 1}));
}

#[test]
fn what_is_never_stored_by_now_is_left_out() {
    let robot = literal_robot();
    let session = robot.start_session();
    let text = "The badge of the visitor says ZX-4711. The door is open.";
    commit(&robot, &session, 1, text);
    let robot = robot.restart_with(|config| {
        let access = include_str!("../../config/access.yaml");
        let rule = "never_store: [{name: badge, pattern: 'ZX-[0-9]+'}]";
        config.access = Some(access.replace("never_store: []", rule));
    });
    set_chat(&robot, every_sentence);
    let reports = take_in(&robot);
    assert_eq!(statuses(&reports[0]), ["refused", "created"]);
    assert_eq!(
        reports[0]["refused"]["never_store"], 2,
        "the fact, and the summary: {}",
        reports[0]
    );
    assert!(in_branch(&robot, &session).iter().all(|(_, content)| !content.contains("ZX")));
}

#[test]
fn an_endpoint_that_fails_is_replaced_by_the_rules() {
    type Answer = fn(&str) -> Result<String, ChatError>;
    let cases: [(&str, Answer); 7] = [
        ("timeout", |_| Err(ChatError::Timeout)),
        ("unreachable", |_| Err(ChatError::Unreachable("refused".into()))),
        ("status", |_| Err(ChatError::Status(500))),
        ("not_json", |_| Ok("Sure! Here are the facts".into())),
        ("shape", |_| Ok("{}".into())),
        ("empty", |_| Ok(r#"{"facts": []}"#.into())),
        // A force and a thing that are not in the step.
        ("empty", |_| {
            let facts = [
                json!({"kind": "parameter", "text": "It was held at 99 N.", "sentence": 1}),
                json!({"kind": "object", "text": "The Q77 valve is open.", "sentence": 1}),
            ];
            Ok(json!({ "facts": facts }).to_string())
        }),
    ];
    for (reason, answer) in cases {
        let robot = robot();
        set_chat(&robot, answer);
        let session = robot.start_session();
        commit(&robot, &session, 1, "The grasp of the M8 bolt succeeded at 12 N.");
        let reports = take_in(&robot);
        assert_eq!(reports[0]["extracted_by"], "rules", "{reason}");
        assert_eq!(reports[0]["fell_back"], reason);
        assert!(statuses(&reports[0]).contains(&"created"), "{reason}");
        assert!(
            in_branch(&robot, &session)
                .iter()
                .all(|(_, content)| { !content.contains("99") && !content.contains("Q77") })
        );
    }
}

#[test]
fn what_an_endpoint_makes_up_is_dropped_and_counted() {
    let robot = robot();
    set_chat(&robot, |_| {
        let facts = [
            json!({"kind": "object", "text": "The M8 bolt was held at 12 N.", "sentence": 1}),
            json!({"kind": "object", "text": "The M8 bolt was held at 21 N.", "sentence": 1}),
        ];
        Ok(json!({ "facts": facts }).to_string())
    });
    let session = robot.start_session();
    commit(&robot, &session, 1, "The M8 bolt was held at 12 N.");
    let reports = take_in(&robot);
    assert_eq!(reports[0]["extracted_by"], "chat:fake");
    assert_eq!((statuses(&reports[0]), &reports[0]["dropped_count"]), (vec!["created"], &json!(1)));
    assert_eq!(reports[0].get("fell_back"), None);
}

#[test]
fn data_are_read_and_say_which_field_it_was() {
    let robot = robot();
    let session = robot.start_session();
    let data = r#"{"skill": "grasp", "object": "M8 bolt", "parameters": {"force_n": 12.0}, "result": {"success": true}}"#;
    let request = CommitTurnRequest { data: data.into(), ..step(&session, 1, "") };
    robot.call::<CommitTurn>(request);
    let reports = take_in(&robot);
    let facts = reports[0]["facts"].as_array().expect("facts");
    assert!(!facts.is_empty() && reports[0].get("summary_id").is_some(), "{}", reports[0]);
    for fact in facts {
        assert_eq!(fact["sentence"], 0);
        let turns = stored(&robot, fact["memory_id"].as_i64().expect("stored")).turns;
        assert!(turns[0].pointer.starts_with('/') && turns[0].sentence.is_empty(), "{turns:?}");
    }
}

#[test]
fn a_step_without_a_fact_has_its_summary() {
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "Okay, let me see.");
    let request = CommitTurnRequest { data: "{}".into(), ..step(&session, 2, "") };
    robot.call::<CommitTurn>(request);
    let reports = take_in(&robot);
    assert_eq!((statuses(&reports[0]).len(), statuses(&reports[1]).len()), (0, 0));
    let summary = reports[0]["summary_id"].as_i64().expect("a summary");
    assert_eq!(stored(&robot, summary).memory.content, "Okay, let me see.");
    assert_eq!(reports[1].get("summary_id"), None, "there are no words");
}

/// While the first worker asks the endpoint its lease ends, and another one does the job.
#[test]
fn a_job_that_was_overtaken_before_its_commit_changes_nothing() {
    let clock = JobClock::new();
    let robot = Arc::new(Robot::with(|config| clock.configure(config)));
    let session = robot.start_session();
    commit(&robot, &session, 1, "The grasp of the M8 bolt succeeded at 12 N.");
    let done_meanwhile = Arc::new(OnceLock::new());
    {
        let (robot, done) = (Arc::downgrade(&robot), Arc::clone(&done_meanwhile));
        let asking = robot.upgrade().expect("it is there");
        let clock = clock.clone();
        set_chat(&asking, move |_| {
            let robot = robot.upgrade().expect("it is there");
            robot.engine.set_chat(None);
            clock.pass_millis(120_001);
            let claim = robot.engine.claim_job(1).expect("claimed").expect("its lease has ended");
            done.set(robot.engine.work(&claim, &Unhurried).expect("worked on").status)
                .expect("once");
            Err(ChatError::Timeout)
        });
    }
    let late = do_jobs(&robot);
    assert_eq!(done_meanwhile.get(), Some(&JobStatus::Succeeded));
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].attempt_count, 2, "it is the other one's");
    let summaries = in_branch(&robot, &session)
        .into_iter()
        .filter(|(id, _)| stored(&robot, *id).memory.kind == Kind::Summary);
    assert_eq!(summaries.count(), 1);
    let places = in_branch(&robot, &session);
    assert!(places.iter().all(|(id, _)| stored(&robot, *id).turns.len() == 1), "{places:?}");
}

/// A step whose job finds that it was taken in does not take it in again.
#[test]
fn a_step_is_taken_in_once() {
    let robot = robot();
    let session = robot.start_session();
    let job = commit(&robot, &session, 1, "The grasp of the M8 bolt succeeded at 12 N.").job_id;
    take_in(&robot);
    let before = in_branch(&robot, &session);
    let connection = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let again = "UPDATE job SET status = 'pending', is_head = 1, finished_at = NULL WHERE id = ?1";
    connection.execute(again, [job]).expect("it waits again");
    drop(connection);
    assert_eq!(take_in(&robot), [json!({"facts": [], "known": true})]);
    assert_eq!(in_branch(&robot, &session), before);
}

/// Steps are told to those who may see their session, and the words of a sentence to those who may see
/// all that was taken out of it.
#[test]
fn sources_are_told_as_far_as_they_may_be_seen() {
    let access = "agents:\n\
         - {names: all, read: all, write: all, sessions: all}\n\
         - {names: own, read: all, sessions: own}\n\
         - {names: facts, read: [{scope: \"branch:*\", mem_types: [fact]}], sessions: all}\n\
         default: {read: global}\n";
    let clock = JobClock::new();
    let robot = Robot::with(|config| {
        clock.configure(config);
        config.access = Some(access.into());
    });
    set_chat(&robot, |_| {
        let facts = [
            json!({"kind": "object", "text": "The cup is red", "sentence": 1}),
            json!({"kind": "object", "text": "prefer the left gripper", "sentence": 1}),
            json!({"kind": "object", "text": "The door is open.", "sentence": 2}),
        ];
        Ok(json!({ "facts": facts }).to_string())
    });
    let request = StartSessionRequest { agent: "all".into(), ..Default::default() };
    let session = robot.call::<StartSession>(request).session_id;
    let text = "The cup is red, prefer the left gripper. The door is open.";
    robot.call::<CommitTurn>(CommitTurnRequest { agent: "all".into(), ..step(&session, 1, text) });
    let reports = take_in(&robot);
    assert_eq!(statuses(&reports[0]), ["created"; 3], "{}", reports[0]);
    let seen = |place: usize, agent: &str| {
        let memory_id = reports[0]["facts"][place]["memory_id"].as_i64().expect("stored");
        let agent = agent.to_owned();
        let found =
            robot.call::<GetMemory>(GetMemoryRequest { memory_id, agent, ..Default::default() });
        found.turns.into_iter().map(|turn| turn.sentence).collect::<Vec<_>>()
    };
    let first = "The cup is red, prefer the left gripper.";
    assert_eq!(seen(0, "all"), [first]);
    assert_eq!(seen(0, "own"), [""; 0]);
    assert_eq!(seen(0, "facts"), [""]);
    assert_eq!(seen(2, "facts"), ["The door is open."]);
}

/// Nobody could see it, or delete it.
#[test]
fn of_a_step_of_which_nothing_is_remembered_nothing_is_kept() {
    let robot = robot();
    let session = robot.start_session();
    let request = || CommitTurnRequest {
        data: r#"{"note": "the zirconium ring is the visitor's"}"#.into(),
        ..step(&session, 1, "")
    };
    let first = robot.call::<CommitTurn>(request());
    assert_eq!(take_in(&robot)[0]["facts"], json!([]));
    let left = "SELECT text || data FROM turn";
    assert_eq!(sql::<String>(&robot.store_path(), left), "");
    let again = robot.call::<CommitTurn>(request());
    assert_eq!((again.turn_id, again.created), (first.turn_id, false));
}

/// The example of the document, and what it says came of it.
#[test]
fn what_the_document_shows_comes_of_its_turn() {
    let document = include_str!("../../docs/episodes.md");
    let between = |begin: &str, end: &str| {
        let rest = document.split_once(begin).expect("it begins").1;
        rest.split_once(end).expect("it ends").0
    };
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, between("text: \"", "\""));
    let shown: Value = serde_json::from_str(between("```json\n", "```")).expect("JSON");
    assert_eq!(take_in(&robot), [shown]);
}
