//! Pairs that are much alike are judged: by rules, or by a chat endpoint, once.

use crate::pairs::{count, maintained, plug_in, robot_knowing};
use crate::robot::{Robot, sql};
use crate::scope_work::{get, with_workers};
use robot_memory_chat::{Chat, ChatError};
use robot_memory_core::api::{Update, UpdateRequest};
use std::sync::{Arc, Mutex};

/// 27 degrees are a cosine of 0.89.
const NEARLY: f32 = 27.0;
const GRASPS: &str = "grasps items beside humans";
const GRIPS: &str = "grips the objects next to people";
const KETTLE: &str = "kettle hangs above sink";
const BOILER: &str = "a water boiler is mounted over this basin";
const FAR: [(&str, f32); 2] = [("the north gate squeaks", 90.0), ("the south gate is new", 180.0)];

/// Says the same of every pair, and keeps what it was asked.
struct Canned {
    answer: Result<String, ChatError>,
    asked: Mutex<Vec<String>>,
}

impl Canned {
    fn new(answer: Result<&str, ChatError>) -> Arc<Self> {
        let answer = answer.map(|verdict| format!("{{\"verdict\": \"{verdict}\"}}"));
        Arc::new(Self { answer, asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().expect("no panic").len()
    }
}

impl Chat for Canned {
    fn id(&self) -> &str {
        "canned"
    }
    fn complete(&self, _: &str, user: &str) -> Result<String, ChatError> {
        self.asked.lock().expect("no panic").push(user.to_owned());
        self.answer.clone()
    }
}

fn rows(a: &'static str, b: &'static str) -> Vec<(&'static str, f32)> {
    vec![(a, 0.0), (b, NEARLY), FAR[0], FAR[1]]
}

fn pair_count(robot: &Robot, verdict: &str) -> i64 {
    let query = format!("SELECT count(*) FROM memory_pair WHERE verdict = '{verdict}'");
    sql(&robot.store_path(), &query)
}

#[test]
fn the_same_in_other_words_is_merged_and_the_rest_stays_apart() {
    let (robot, ids) = robot_knowing(&rows(GRASPS, GRIPS));
    let report = maintained(&robot, "daily", "judge");
    let counts = ["judged", "same", "superseded"].map(|what| count(&report, what));
    assert_eq!(counts, [1, 1, 1], "{report}");
    assert_eq!(get(&robot, ids[1]).memory.superseded_by, Some(ids[0]));
    assert_eq!(count(&maintained(&robot, "daily", "judge"), "judged"), 0);

    let (robot, ids) = robot_knowing(&rows(KETTLE, BOILER));
    let report = maintained(&robot, "daily", "judge");
    assert_eq!((count(&report, "judged"), count(&report, "apart")), (1, 1), "{report}");
    assert_eq!(report["judged_by"], "rules");
    assert_eq!(pair_count(&robot, "apart"), 1);
    assert_eq!(get(&robot, ids[1]).memory.superseded_by, None);
}

#[test]
fn a_pair_is_judged_once_unless_one_changes() {
    let (robot, ids) = robot_knowing(&rows(KETTLE, BOILER));
    assert_eq!(count(&maintained(&robot, "daily", "judge"), "judged"), 1);
    assert_eq!(count(&maintained(&robot, "daily", "judge"), "judged"), 0);
    robot.call::<Update>(UpdateRequest {
        memory_id: ids[0],
        new_content: "kettle hangs above that sink".into(),
        ..Default::default()
    });
    assert_eq!(pair_count(&robot, "apart"), 0);
    let rows = rows("kettle hangs above that sink", BOILER);
    plug_in(&robot, &rows);
    robot.engine.upkeep().expect("upkeep");
    // The embedder did not know the new text; it is made anew with the next one.
    robot.call::<Update>(UpdateRequest {
        memory_id: ids[0],
        new_content: "kettle hangs above that sink".into(),
        ..Default::default()
    });
    assert_eq!(count(&maintained(&robot, "daily", "judge"), "judged"), 1);
    assert_eq!(pair_count(&robot, "apart"), 1);
}

#[test]
fn a_chat_endpoint_judges_what_nothing_tells_apart() {
    for (verdict, same, apart, conflict) in
        [("yes", 1, 0, 0), ("no", 0, 1, 0), ("contradict", 0, 0, 1)]
    {
        let (robot, ids) = robot_knowing(&rows(KETTLE, BOILER));
        let chat = Canned::new(Ok(verdict));
        robot.engine.set_chat(Some(chat.clone()));
        let report = maintained(&robot, "daily", "judge");
        let counts = ["same", "apart", "conflict"].map(|what| count(&report, what));
        assert_eq!(counts, [same, apart, conflict], "{report}");
        assert_eq!(report["judged_by"], "chat");
        assert_eq!(get(&robot, ids[1]).memory.superseded_by.is_some(), verdict == "yes");
        assert_eq!(pair_count(&robot, "conflict"), i64::from(verdict == "contradict"));
        assert_eq!(chat.asked(), 1);
        maintained(&robot, "daily", "judge");
        assert_eq!(chat.asked(), 1);
    }
}

#[test]
fn what_the_rules_tell_apart_is_not_asked() {
    let (robot, ids) =
        robot_knowing(&rows("kettle leans to the left side", "boiler stands on the right"));
    let chat = Canned::new(Ok("yes"));
    robot.engine.set_chat(Some(chat.clone()));
    let report = maintained(&robot, "daily", "judge");
    assert_eq!((count(&report, "apart"), chat.asked()), (1, 0), "{report}");
    let (other, others) =
        robot_knowing(&rows("kettle needs 3 minutes", "a boiler takes 4 minutes"));
    other.engine.set_chat(Some(chat.clone()));
    maintained(&other, "daily", "judge");
    assert_eq!(chat.asked(), 0);
    for (robot, id) in [(&robot, ids[1]), (&other, others[1])] {
        assert_eq!(get(robot, id).memory.superseded_by, None);
    }
}

#[test]
fn rules_judge_when_the_endpoint_fails() {
    let answers = [Err(ChatError::Timeout), Ok("perhaps"), Ok("yes, merge them")];
    for answer in answers {
        let (robot, ids) = robot_knowing(&rows(KETTLE, BOILER));
        robot.engine.set_chat(Some(Canned::new(answer)));
        let report = maintained(&robot, "daily", "judge");
        assert_eq!(report["judged_by"], "rules (chat failed)");
        assert_eq!((count(&report, "apart"), count(&report, "same")), (1, 0));
        assert_eq!(get(&robot, ids[1]).memory.superseded_by, None);
    }
}

#[test]
fn without_vectors_nothing_is_judged() {
    let robot = Robot::with(with_workers);
    for text in [KETTLE, BOILER, FAR[0].0, GRASPS] {
        robot.learn(text);
    }
    let report = maintained(&robot, "daily", "judge");
    assert_eq!((count(&report, "judged"), report["judged_by"].as_str()), (0, Some("")));
}
