//! What `ranking: default` puts first, with an embedder that knows words and not their meaning.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{Recall, RecallRequest, SavePerception, SavePerceptionRequest};

fn perceive_in(robot: &Robot, session_id: &str, description: &str) -> i64 {
    robot
        .call::<SavePerception>(SavePerceptionRequest {
            description: description.into(),
            session_id: session_id.into(),
            ..Default::default()
        })
        .memory_id
}

#[test]
fn what_was_said_next_comes_soon_after_what_was_asked() {
    for robot in [Robot::new(), Robot::words_only()] {
        let session = robot.start_session();
        perceive_in(&robot, &session, "Good morning to everybody");
        let asked = perceive_in(&robot, &session, "Anna asks where the spare batteries are kept");
        let replied = perceive_in(&robot, &session, "In a box under that window");
        perceive_in(&robot, &session, "Rain is expected tonight");
        let other = robot.start_session();
        for place in ["hall", "kitchen", "cellar", "garage"] {
            perceive_in(&robot, &other, &format!("A box of old newspapers stands in the {place}"));
        }
        let found = robot.recall("where are the spare batteries kept");
        assert_eq!(ids(&found)[..2], [asked, replied]);
        let why = &found.memories[1].why;
        assert_eq!(why.matched_words, [""; 0], "it shares no word with the question");
    }
}

#[test]
fn a_neighbor_that_may_not_be_answered_has_no_influence() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    perceive_in(&robot, &session, "Anna asks where the spare batteries are kept");
    robot.sleep_days(1.0);
    let since = robot_memory_core::model::Clock::now(&*robot.clock);
    let replied = perceive_in(&robot, &session, "In a box under that window");
    let ask = |since| {
        let query = "spare batteries".into();
        ids(&robot.call::<Recall>(RecallRequest { query, since, ..Default::default() }))
    };
    assert!(ask(None).contains(&replied));
    assert_eq!(ask(since), [0; 0]);
}

#[test]
fn a_number_that_agrees_comes_first() {
    for robot in [Robot::new(), Robot::words_only()] {
        let mut made = Vec::new();
        for (length, drawer) in [(30, "second"), (40, "third"), (45, "fourth"), (50, "fifth")] {
            let text = format!("M8x{length} bolts are in the {drawer} drawer of the gray cabinet");
            made.push(robot.perceive(&text, ""));
        }
        assert_eq!(ids(&robot.recall("which drawer has M8x45 bolts"))[0], made[2]);
    }
}

#[test]
fn real_data_comes_first_among_rows_that_say_the_same_and_not_otherwise() {
    let real = r#"{"env": {"sim_or_real": "real"}}"#;
    for robot in [Robot::new(), Robot::words_only()] {
        let simulated = robot.perceive("the red cup slips at the handle", "");
        let same = robot.perceive("the red cup slips at the handle", real);
        let other = robot.perceive("the red door is open", real);
        assert_eq!(ids(&robot.recall("red cup slips")), [same, simulated, other]);
    }
}

#[test]
fn of_rows_that_say_the_same_the_newest_comes_first() {
    let robot = Robot::new();
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(robot.perceive("the red cup is on the table", ""));
        robot.sleep_days(1.0);
    }
    made.reverse();
    assert_eq!(ids(&robot.recall("where is the red cup")), made);
}
