//! Rows that only ask stand behind those that tell, unless what was asked is asked for.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{
    Recall, RecallRequest, RecallResponse, SavePerception, SavePerceptionRequest,
};

/// A talk of which the first row asks and the second answers, among other rows; both ids.
fn talk(question: &str, answer: &str) -> (Robot, i64, i64) {
    let robot = Robot::new();
    let session_id = robot.start_session();
    let say = |text: &str| {
        let request = SavePerceptionRequest {
            description: text.into(),
            session_id: session_id.clone(),
            ..Default::default()
        };
        robot.call::<SavePerception>(request).memory_id
    };
    for number in 0..12 {
        say(&format!("Pallet {number} went to the yard without a stop"));
        robot.sleep_days(0.01);
    }
    let asked = say(question);
    let told = say(answer);
    for number in 12..24 {
        robot.sleep_days(0.01);
        say(&format!("Pallet {number} went to the yard without a stop"));
    }
    (robot, asked, told)
}

fn by(robot: &Robot, query: &str, ranking: &str) -> RecallResponse {
    let request =
        RecallRequest { query: query.into(), ranking: ranking.into(), ..Default::default() };
    robot.call::<Recall>(request)
}

#[test]
fn what_follows_a_question_comes_before_it() {
    for (question, answer, query) in [
        (
            "Nora: Where is the spare key of the cabinet?",
            "Dev: In the tin behind the paint.",
            "where is the spare key of the cabinet",
        ),
        ("小赵：备用钥匙放在哪里？", "李雯：油漆后面的铁盒里。", "备用钥匙放在哪里"),
    ] {
        let (robot, asked, told) = talk(question, answer);
        let found = by(&robot, query, "");
        assert_eq!(ids(&found)[0], told, "{query}: {found:#?}");
        // The documented plain fusion knows nothing of it.
        assert_eq!(ids(&by(&robot, query, "rrf"))[0], asked);
    }
}

#[test]
fn a_question_is_found_by_who_asks_for_it_and_where_it_tells_something() {
    let (robot, asked, _) =
        talk("Nora: Where is the spare key of the cabinet?", "Dev: In the tin behind the paint.");
    let found = by(&robot, "what did Nora ask about the spare key of the cabinet", "");
    assert_eq!(ids(&found)[0], asked, "{found:#?}");
    let (robot, told, _) = talk(
        "Nora: The spare key of the cabinet is in the tin behind the paint, as before. All right?",
        "Dev: Thanks.",
    );
    let found = by(&robot, "where is the spare key of the cabinet", "");
    assert_eq!(ids(&found)[0], told, "{found:#?}");
}
