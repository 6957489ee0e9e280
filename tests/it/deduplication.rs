use crate::robot::Robot;
use robot_memory_core::api::{DuplicateMethod, Learn, LearnRequest, LearnStatus};

fn method_of_second(robot: &Robot, first: &str, second: &str) -> Option<DuplicateMethod> {
    let kept = robot.learn(first);
    assert_eq!(kept.status, LearnStatus::Created, "{first} was known");
    let response = robot.learn(second);
    match response.status {
        LearnStatus::Created => None,
        LearnStatus::Duplicate => {
            assert_eq!(response.existing_id, kept.memory_id);
            assert_eq!(response.memory_id, 0);
            response.method
        }
        LearnStatus::Queued => panic!("the store can be written"),
    }
}

#[test]
fn the_same_text_is_an_exact_duplicate() {
    let robot = Robot::words_only();
    let text = "The red cup needs 12.5 N";
    assert_eq!(method_of_second(&robot, text, text), Some(DuplicateMethod::Exact));
    // Surrounding space is not part of a statement.
    let response = robot.learn("  The red cup needs 12.5 N \n");
    assert_eq!((response.method, response.similarity), (Some(DuplicateMethod::Exact), 1.0));
}

#[test]
fn nearly_the_same_words_are_a_duplicate_in_both_languages() {
    let pairs = [
        ("grip the red cup with 12.5 N of force", "Grip the red cup with 12.5N of force!"),
        ("抓取红色杯子需要 12.5N 的力", "抓取红色杯子需要 12.5 N 的力。"),
        ("新会话开始之前先校准力传感器", "新会话开始之前要先校准力传感器"),
    ];
    for (first, second) in pairs {
        let robot = Robot::words_only();
        let method = method_of_second(&robot, first, second);
        assert_eq!(method, Some(DuplicateMethod::Jaccard), "{first} / {second}");
    }
}

#[test]
fn what_differs_in_meaning_is_no_duplicate() {
    let pairs = [
        ("Grip the red cup on the table with 12.5 N", "Grip the red cup on the table with 15 N"),
        ("抓取红色杯子需要 12.5N 的力", "抓取红色杯子需要 15N 的力"),
        ("The bolt M8x40 fits the steel bench well", "The bolt M8x30 fits the steel bench well"),
        ("The cup in the tray is always wet", "The cup in the tray is not always wet"),
        ("机械臂可以碰到桌子的边缘", "机械臂不可以碰到桌子的边缘"),
        (
            "Approach the cup on the table from the left",
            "Approach the cup on the table from the right",
        ),
        ("从左侧接近桌子上的杯子", "从右侧接近桌子上的杯子"),
        (
            "The red cup stands on the kitchen table now",
            "The blue cup stands on the kitchen table now",
        ),
    ];
    for with_embedder in [false, true] {
        for (first, second) in pairs {
            let robot = if with_embedder { Robot::new() } else { Robot::words_only() };
            assert_eq!(method_of_second(&robot, first, second), None, "{first} / {second}");
        }
    }
}

#[test]
fn an_exchanged_word_is_another_fact_unless_it_means_the_same() {
    let exchanged = [
        ("The hammer hangs left of the door", "The wrench hangs left of the door"),
        ("The widget hangs left of the door", "The gadget hangs left of the door"),
        ("锤子挂在门的左边", "扳手挂在门的左边"),
    ];
    let same = [
        ("The wrench hangs left of the door", "The spanner hangs left of the door"),
        ("The hammer hangs left of the door", "The hammer hangs left of the door now"),
        ("锤子挂在门的左边", "榔头挂在门的左边"),
    ];
    for with_embedder in [false, true] {
        let robot = || if with_embedder { Robot::new() } else { Robot::words_only() };
        for (first, second) in exchanged {
            assert_eq!(method_of_second(&robot(), first, second), None, "{first} / {second}");
        }
        for (first, second) in same {
            assert!(method_of_second(&robot(), first, second).is_some(), "{first} / {second}");
        }
    }
}

#[test]
fn nearly_the_same_embedding_is_looked_at_and_the_words_decide() {
    // The test embedder adds up word vectors: the same words twice are the same direction, while
    // sets of tokens with many other words in them have little in common.
    let first = "cup cup cup cup cup cup cup cup cup grip";
    let second = "cup cup cup cup cup cup cup cup cup please now should be the one to grasp";
    let method = method_of_second(&Robot::new(), first, second);
    assert_eq!(method, Some(DuplicateMethod::Cosine));
    let other = "cup cup cup cup cup cup cup cup cup hold table chair lamp";
    assert_eq!(method_of_second(&Robot::new(), first, other), None);
}

#[test]
fn symbols_and_scripts_that_the_rules_cannot_read_are_told_apart() {
    let pairs = [
        ("grasping the cup went well today 👍", "grasping the cup went well today 👎"),
        ("Дверь в кухню всегда открыта днём", "Дверь в кухню всегда закрыта днём"),
    ];
    for (first, second) in pairs {
        assert_eq!(method_of_second(&Robot::new(), first, second), None, "{first}");
        assert_eq!(method_of_second(&Robot::words_only(), first, second), None, "{first}");
    }
}

#[test]
fn duplicates_are_looked_for_in_the_own_collection_only() {
    let robot = Robot::new();
    robot.learn("The red cup needs 12.5 N");
    let other = robot.call::<Learn>(LearnRequest {
        insight: "The red cup needs 12.5 N".into(),
        collection: "kitchen".into(),
        ..Default::default()
    });
    assert_eq!(other.status, LearnStatus::Created);
}

#[test]
fn task_logs_are_never_duplicates() {
    let robot = Robot::new();
    let log = || LearnRequest {
        insight: "Inserted the bolt, done".into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    assert_eq!(robot.call::<Learn>(log()).status, LearnStatus::Created);
    assert_eq!(robot.call::<Learn>(log()).status, LearnStatus::Created);
    assert_eq!(robot.learn("Inserted the bolt, done").status, LearnStatus::Created);
}

#[test]
fn what_was_forgotten_can_be_learned_again() {
    let robot = Robot::new();
    let id = robot.learn("The red cup needs 12.5 N").memory_id;
    robot.call::<robot_memory_core::api::Forget>(robot_memory_core::api::ForgetRequest {
        memory_id: id,
        reason: "sensor was off".into(),
        scope: String::new(),
        agent: String::new(),
    });
    let again = robot.learn("The red cup needs 12.5 N");
    assert_eq!(again.status, LearnStatus::Created);
    assert!(again.memory_id > id, "ids are never used again");
}

#[test]
fn the_most_similar_row_is_named() {
    let robot = Robot::words_only();
    robot.learn("move the arm slowly to the red cup near the big window there");
    let close = robot.learn("move the arm slowly to the red cup near the old door");
    let response = robot.learn("move the arm slowly to the red cup near the old door please");
    assert_eq!(response.existing_id, close.memory_id);
}
