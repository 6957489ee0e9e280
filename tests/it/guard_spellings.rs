//! Parameters of an action in the spelling of programs and people.

use crate::robot::Robot;
use robot_memory_core::api::{AllowedBy, CheckAction, CheckActionRequest, CheckActionResponse};

fn check(robot: &Robot, request: CheckActionRequest) -> CheckActionResponse {
    robot.call::<CheckAction>(request)
}

fn with_object(params: &str, object: &str) -> CheckActionRequest {
    CheckActionRequest { params: params.into(), object: object.into(), ..Default::default() }
}

fn violated(response: &CheckActionResponse) -> Vec<i64> {
    response.violations.iter().map(|checked| checked.memory_id).collect()
}

#[test]
fn a_parameter_is_known_in_every_spelling() {
    let robot = Robot::words_only();
    let force = robot.learn("Never use more than 15 N on the wine glass").memory_id;
    let speed = robot.learn("speed must stay below 0.5 m/s").memory_id;
    // Too much of it, and what is allowed.
    let cases = [
        (force, r#"{"force_n": 20}"#, r#"{"force_n": 14}"#),
        (force, r#"{"grip_force_n": 20}"#, r#"{"grip_force_n": 15}"#),
        (force, r#"{"gripForce": 20}"#, r#"{"gripForce": 12.5}"#),
        (force, r#"{"gripForceN": 20}"#, r#"{"gripForceN": 12.5}"#),
        (force, r#"{"抓取力": 20}"#, r#"{"抓取力": "8牛"}"#),
        (force, r#"{"抓取力": "20牛"}"#, r#"{"最大抓取力": "14 牛顿"}"#),
        (force, r#"{"force": "20 N"}"#, r#"{"force": "twelve newtons"}"#),
        (force, r#"{"force": 20}"#, r#"{"force": 2}"#),
        (force, r#"{"maxForce_mn": 20000}"#, r#"{"maxForce_mn": 1500}"#),
        (speed, r#"{"speed_mps": 0.7}"#, r#"{"speed_mps": 0.4}"#),
        (speed, r#"{"max_speed_mm_s": 700}"#, r#"{"max_speed_mm_s": 400}"#),
        (speed, r#"{"maxSpeed": "80 cm/s"}"#, r#"{"maxSpeed": "20 cm/s"}"#),
        (speed, r#"{"速度": "每秒0.6米"}"#, r#"{"速度": "0.2米每秒"}"#),
        (speed, r#"{"linearVelocity": 0.7}"#, r#"{"linearVelocity": 0.4}"#),
    ];
    for (id, over, kept) in cases {
        let response = check(&robot, with_object(over, "wine glass"));
        assert_eq!(violated(&response), [id], "{over}");
        assert_eq!(response.allowed_by, AllowedBy::Nothing, "{over}");
        let response = check(&robot, with_object(kept, "wine glass"));
        assert!(response.allowed, "{kept}");
        assert_eq!(response.checked_count, 1, "{kept}");
    }
    let response = check(&robot, with_object(r#"{"force": 20}"#, "wine glass"));
    let reason = &response.violations[0].reason;
    assert!(reason.contains("no unit was given: the SI unit, by REP-103"), "{reason}");
    // What it rests on is told.
    let both = r#"{"force_n": 12, "speed_mps": 0.1}"#;
    let response = check(&robot, with_object(both, "wine glass"));
    assert_eq!((response.allowed_by, response.checked_count), (AllowedBy::Checked, 2));
    let response = check(&robot, with_object(r#"{"rate": 3}"#, "wine glass"));
    assert_eq!((response.allowed_by, response.checked_count), (AllowedBy::Undecided, 0));
    let other = Robot::words_only();
    let response = check(&other, with_object(both, "wine glass"));
    assert_eq!((response.allowed_by, response.checked_count), (AllowedBy::NoConstraint, 0));
}
