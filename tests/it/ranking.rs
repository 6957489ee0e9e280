//! What `ranking: default` puts first, with an embedder that knows words and not their meaning.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{
    Recall, RecallRequest, RecallResponse, SavePerception, SavePerceptionRequest,
};

fn perceive_in(robot: &Robot, session_id: &str, description: &str) -> i64 {
    robot
        .call::<SavePerception>(SavePerceptionRequest {
            description: description.into(),
            session_id: session_id.into(),
            ..Default::default()
        })
        .memory_id
}

/// What is answered with all that says the same.
fn all_of(robot: &Robot, query: &str) -> RecallResponse {
    let query = query.to_owned();
    robot.call::<Recall>(RecallRequest { query, diversity: false, ..Default::default() })
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
fn the_words_of_a_question_may_be_told_by_rows_beside_each_other() {
    for robot in [Robot::new(), Robot::words_only()] {
        let session = robot.start_session();
        let told = [
            "The delivery robot reached bay nine",
            "Its left wheel made a grinding noise",
            "The technician replaced the bearing",
        ];
        let [_, wheel, _] = told.map(|text| perceive_in(&robot, &session, text));
        let elsewhere = robot.start_session();
        let lone = perceive_in(&robot, &elsewhere, "Its left wheel made a grinding noise");
        let query = "grinding wheel bearing replaced by the technician at bay nine";
        let shown = robot.recall(query).memories;
        let found = all_of(&robot, query);
        let place = |id| ids(&found).iter().position(|other| *other == id);
        assert!(place(wheel).is_some() && place(wheel) < place(lone), "{:?}", ids(&found));
        let gain =
            |id| found.memories.iter().find(|hit| hit.memory.id == id).unwrap().why.word_gain;
        assert!(gain(wheel) > gain(lone));
        // The one that fits best stands for both.
        let of = |id| shown.iter().find(|hit| hit.memory.id == id).map(|hit| hit.similar_count);
        assert_eq!((of(wheel), of(lone)), (Some(1), None));
    }
}

#[test]
fn words_that_were_said_long_before_count_less() {
    let gain = |minutes: f64| {
        let robot = Robot::words_only();
        let session = robot.start_session();
        perceive_in(&robot, &session, "The delivery robot reached bay nine");
        robot.sleep_days(minutes / (24.0 * 60.0));
        let id = perceive_in(&robot, &session, "Its left wheel made a grinding noise");
        let found = robot.recall("grinding wheel at bay nine");
        found.memories.iter().find(|hit| hit.memory.id == id).unwrap().why.word_gain
    };
    let gains = [0.0, 10.0, 100.0, 10_000.0].map(gain);
    assert!(gains.is_sorted_by(|a, b| a > b), "{gains:?}");
}

#[test]
fn words_of_a_row_that_the_caller_may_not_read_count_for_nothing() {
    const ACCESS: &str = "agents:\n  - {names: [chief], read: all}\ndefault: {read: global}\n";
    let gain = |is_beside: bool, agent: &str| {
        let robot = Robot::with(|config| config.access = Some(ACCESS.into()));
        let (session, other) = (robot.start_session(), robot.start_session());
        let perceive = |session_id: &str, scope: &str, description: &str| {
            let request = SavePerceptionRequest {
                description: description.into(),
                session_id: session_id.into(),
                scope: scope.into(),
                ..Default::default()
            };
            robot.call::<SavePerception>(request).memory_id
        };
        perceive(&session, "global", "The delivery robot is on its way");
        let hidden_in = if is_beside { &session } else { &other };
        perceive(hidden_in, "group:secret", "The secret passage leads to bay nine");
        let id = perceive(&session, "global", "Its left wheel made a grinding noise");
        let request = RecallRequest {
            query: "grinding wheel in the secret passage of the delivery robot".into(),
            agent: agent.into(),
            scope: "all".into(),
            ..Default::default()
        };
        let found = robot.call::<Recall>(request);
        found.memories.iter().find(|hit| hit.memory.id == id).unwrap().why.word_gain
    };
    assert!(gain(true, "chief") > gain(false, "chief"), "who may read it has its words");
    assert_eq!(gain(true, "guest"), gain(false, "guest"));
}

#[test]
fn a_row_without_a_word_of_the_question_comes_in_by_the_next_but_one() {
    for robot in [Robot::new(), Robot::words_only()] {
        let session = robot.start_session();
        let told = ["The delivery robot reached bay nine", "It was late", "Nobody came"];
        let told = told.map(|text| perceive_in(&robot, &session, text));
        for number in 0..60 {
            robot.perceive(&format!("The robot passed door {number}"), "");
        }
        let request =
            RecallRequest { query: "delivery at bay nine".into(), n: 3, ..Default::default() };
        let found = ids(&robot.call::<Recall>(request));
        assert_eq!(found[0], told[0]);
        assert!(found.contains(&told[2]), "{found:?}");
    }
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
        assert_eq!(ids(&all_of(&robot, "red cup slips")), [same, simulated, other]);
        assert_eq!(ids(&robot.recall("red cup slips")), [same, other]);
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
    assert_eq!(ids(&all_of(&robot, "where is the red cup")), made);
    assert_eq!(ids(&robot.recall("where is the red cup")), made[..1]);
}
