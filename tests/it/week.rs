//! The summary of a week.

use crate::experience::{insertion, maintain_weekly};
use crate::robot::{Robot, sql};
use crate::scope_work::{get, robot};
use robot_memory_core::api::{DeleteMemory, DeleteMemoryRequest, Unlearn, UnlearnRequest};
use robot_memory_core::model::{Kind, Status};

fn weeks(robot: &Robot) -> Vec<(i64, String)> {
    let connection = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let mut statement = connection
        .prepare("SELECT memory_id, subject FROM summary WHERE kind = 'week' ORDER BY subject")
        .expect("it is understood");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("it is read");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn a_week_that_has_ended_is_told_once() {
    let robot = robot();
    for number in 0..4 {
        insertion(&robot, "global", number > 0, 9.0);
    }
    let rule = robot.learn("The grip force must never exceed 15 N").memory_id;
    maintain_weekly(&robot, "global", "");
    assert!(weeks(&robot).is_empty(), "it has not ended");
    robot.sleep_days(7.0);
    robot.learn("The kettle is blue");
    maintain_weekly(&robot, "global", "");
    let summaries = weeks(&robot);
    assert_eq!(summaries.len(), 1, "one memory is too few: {summaries:?}");
    let (id, name) = summaries[0].clone();
    assert_eq!(name, "2025-W24");
    let week = get(&robot, id).memory;
    assert_eq!(
        week.content,
        "week 2025-W24: 5 memories (0 perceptions, 5 facts); insert of M8 bolt succeeded 3 of 4 times; learned: \
         The grip force must never exceed 15 N"
    );
    assert_eq!(week.kind, Kind::Summary);
    let figures: String =
        sql(&robot.store_path(), &format!("SELECT figures FROM summary WHERE memory_id = {id}"));
    assert!(
        figures.contains(r#""by_category":{"#) && figures.contains(r#""failure_count":1"#),
        "{figures}"
    );
    maintain_weekly(&robot, "global", "");
    assert_eq!(weeks(&robot), [(id, name)]);
    // Its words go with what they were taken from.
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: rule, ..Default::default() });
    assert!(weeks(&robot).is_empty());
    maintain_weekly(&robot, "global", "");
    let again = get(&robot, weeks(&robot)[0].0).memory;
    assert!(!again.content.contains("15 N") && again.status == Status::Active, "{}", again.content);
}

#[test]
fn weeks_that_were_missed_are_told_after_all() {
    let robot = robot();
    for _ in 0..3 {
        for number in 0..3 {
            robot.perceive(&format!("a bump {number} was felt"), "");
        }
        robot.sleep_days(7.0);
    }
    maintain_weekly(&robot, "global", "");
    let names: Vec<String> = weeks(&robot).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["2025-W24", "2025-W25", "2025-W26"]);
}

#[test]
fn a_week_that_one_is_unlearned_of_tells_of_those_that_were_archived_since() {
    let robot = robot();
    let ids: Vec<i64> = (0..5).map(|number| insertion(&robot, "global", number > 0, 9.0)).collect();
    robot.sleep_days(7.0);
    maintain_weekly(&robot, "global", "");
    let [(week, _)] = weeks(&robot)[..] else { panic!("one week") };
    assert!(get(&robot, week).memory.content.contains(": 5 memories "));
    robot.sleep_days(80.0);
    maintain_weekly(&robot, "global", "");
    for id in &ids {
        assert_eq!(get(&robot, *id).memory.status, Status::Archived);
    }
    let request = UnlearnRequest { memory_ids: vec![ids[0]], ..Default::default() };
    let plan = robot.call::<Unlearn>(request.clone()).plan;
    let reason = "the gripper was miscalibrated".into();
    robot.call::<Unlearn>(UnlearnRequest { dry_run: false, plan, reason, ..request });
    let told = get(&robot, week).memory.content;
    assert!(told.contains(": 4 memories ") && told.contains("succeeded 4 of 4"), "{told}");
}
