//! What attempts say of lessons that other robots told: borne out, refuted, told to the others, and taken back.

use crate::fleet::{GLASS, SHARE_ALL, as_told_by, forget, hits, member, robot, take, tell};
use crate::fleet_rules::revoke;
use crate::robot::Robot;
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, CheckAction, CheckActionRequest, EndAttempt,
    EndAttemptRequest, Hit, Recall, RecallRequest,
};
use robot_memory_core::claim::{CLAIM_VERSION, Claim, ClaimOp, MemoryRef, Selector};
use robot_memory_core::model::{Kind, Scope};
use serde_json::json;

/// Forces on both sides of 13 N.
const FORCES: [f64; 20] = [
    8.0, 14.0, 9.0, 15.0, 10.0, 16.0, 11.0, 14.5, 12.0, 15.5, 9.5, 16.5, 10.5, 17.0, 11.5, 14.2,
    8.5, 15.2, 12.2, 16.2,
];

fn grip_object(robot: &Robot, object: &str, force_n: f64, is_success: bool) -> i64 {
    let id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: "grip".into(),
            object: object.into(),
            params: json!({ "force_n": force_n }).to_string(),
            ..Default::default()
        })
        .attempt_id;
    robot.sleep_days(0.001);
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id: id,
        outcome: if is_success { "success" } else { "failure" }.into(),
        ..Default::default()
    });
    id
}

/// Attempts of which those above a force fail.
pub fn grips(robot: &Robot, breaks_above_n: f64) -> Vec<i64> {
    grips_of(robot, "glass cup", breaks_above_n)
}

pub fn grips_of(robot: &Robot, object: &str, breaks_above_n: f64) -> Vec<i64> {
    let grip = |force: &f64| grip_object(robot, object, *force, *force <= breaks_above_n);
    let ids = FORCES.iter().map(grip).collect();
    follow(robot);
    ids
}

pub fn follow(robot: &Robot) {
    for _ in 0..20 {
        if !robot.engine.upkeep().expect("upkeep") {
            break;
        }
    }
}

/// A robot whose attempts taught it that more than 13 N fails, and the claim of that.
pub fn taught(robot_id: &str) -> (Robot, Claim) {
    let one = robot(robot_id);
    grips(&one, 13.0);
    let is_lesson = |it: &Claim| it.statement.as_ref().is_some_and(|it| it.kind == Kind::Summary);
    let lessons: Vec<Claim> = tell(&one).into_iter().filter(is_lesson).collect();
    assert_eq!(lessons.len(), 1, "{lessons:?}");
    let mut claim = lessons.into_iter().next().expect("one");
    // It goes back to the attempts of its robot.
    let roots = &mut claim.statement.as_mut().expect("it says something").roots;
    assert!(roots.iter().all(|it| it.origin == robot_id), "{roots:?}");
    roots.truncate(1);
    (one, claim)
}

pub fn found(robot: &Robot) -> Vec<Hit> {
    let response = robot.call::<Recall>(RecallRequest {
        query: "grip glass cup: force above 13 N fails".into(),
        types: vec!["fact".into(), "summary".into()],
        n: 100,
        diversity: false,
        min_confidence: 0.0,
        ..Default::default()
    });
    let is_lesson = |it: &Hit| it.memory.content.contains("fails");
    response.memories.into_iter().filter(is_lesson).collect()
}

/// The lesson that another robot told.
fn heard(robot: &Robot) -> Hit {
    let mut heard: Vec<Hit> =
        found(robot).into_iter().filter(|it| it.memory.scope == Scope::Fleet).collect();
    assert_eq!(heard.len(), 1, "{heard:?}");
    heard.remove(0)
}

fn says(hit: &Hit) -> (Vec<&str>, Vec<&str>) {
    (
        hit.why.confirmed_by.iter().map(String::as_str).collect(),
        hit.why.contradicted_by.iter().map(String::as_str).collect(),
    )
}

fn rulings(claims: &[Claim]) -> Vec<Claim> {
    let is_ruling = |it: &&Claim| matches!(it.op, ClaimOp::Confirm | ClaimOp::Contradict);
    claims.iter().filter(is_ruling).cloned().collect()
}

fn ruling(by: &str, memory_id: i64, revision: u64, op: ClaimOp, on: &Claim) -> Claim {
    let target = MemoryRef { origin: on.origin.clone(), memory_id: on.memory_id };
    Claim {
        version: CLAIM_VERSION.into(),
        origin: by.into(),
        memory_id,
        revision,
        op,
        statement: None,
        target: Some(target),
        ..on.clone()
    }
}

#[test]
fn own_attempts_bear_a_lesson_out_which_is_told_once_and_shown_everywhere() {
    let (one, claim) = taught("arm-1");
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    take(&two, std::slice::from_ref(&claim));
    take(&three, std::slice::from_ref(&claim));
    follow(&two);
    assert_eq!(says(&heard(&two)), (vec![], vec![]));
    assert!(rulings(&tell(&two)).is_empty());
    let before = heard(&three);

    grips(&two, 13.0);
    let all = tell(&two);
    let claims = rulings(&all);
    assert_eq!(claims.len(), 1, "{claims:?}");
    let target = MemoryRef { origin: "arm-1".into(), memory_id: claim.memory_id };
    assert_eq!((claims[0].op, claims[0].target.as_ref()), (ClaimOp::Confirm, Some(&target)));
    let hit = heard(&two);
    assert_eq!(says(&hit), (vec!["arm-2"], vec![]));
    assert!(
        found(&two).iter().any(|it| it.memory.scope == Scope::Global),
        "its own lesson stands beside it"
    );

    // It is told once, whatever bears it out further, and by whichever run.
    grips(&two, 13.0);
    assert!(rulings(&tell(&two)).is_empty());
    let two = two.restart_with(|config| {
        config.fleet = member("arm-2", "rg2");
        config.access = Some(SHARE_ALL.into());
    });
    follow(&two);
    assert!(rulings(&tell(&two)).is_empty());
    assert_eq!(says(&heard(&two)), (vec!["arm-2"], vec![]));

    assert_eq!(take(&three, &claims).ruling_count, 1);
    let after = heard(&three);
    assert_eq!(says(&after), (vec!["arm-2"], vec![]));
    // Nobody's word changes what it weighs.
    let worth = |hit: &Hit| (hit.memory.confidence, hit.memory.trust, hit.why.evidence, hit.score);
    assert_eq!(worth(&before), worth(&after));
    // Where its own lesson says the same in the same words, its attempts count once: as another voice.
    let four = robot("arm-4");
    take(&four, std::slice::from_ref(&claim));
    take(&four, &all);
    let hit = heard(&four);
    assert_eq!((hit.why.told_by.len(), hit.why.independent_count), (2, 2));
    assert_eq!(says(&hit), (vec![], vec![]));
    // Who told it learns of it.
    take(&one, &claims);
    let own = found(&one).into_iter().find(|it| it.memory.id == claim.memory_id);
    assert_eq!(says(&own.expect("its lesson")), (vec!["arm-2"], vec![]));
}

#[test]
fn what_own_attempts_refute_is_told_and_later_attempts_may_turn_it() {
    let (_, claim) = taught("arm-1");
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    // The attempts came first.
    grips(&two, 99.0);
    take(&two, std::slice::from_ref(&claim));
    take(&three, std::slice::from_ref(&claim));
    follow(&two);
    let refuted = rulings(&tell(&two));
    assert_eq!((refuted.len(), refuted[0].op), (1, ClaimOp::Contradict));
    take(&three, &refuted);
    assert_eq!(says(&heard(&three)), (vec![], vec!["arm-2"]));

    grips(&two, 13.0);
    grips(&two, 13.0);
    let borne_out = rulings(&tell(&two));
    assert_eq!((borne_out.len(), borne_out[0].op), (1, ClaimOp::Confirm));
    assert!(borne_out[0].revision > refuted[0].revision);
    take(&three, &borne_out);
    assert_eq!(take(&three, &refuted).known_count, 1, "an older one that comes late");
    assert_eq!(says(&heard(&three)), (vec!["arm-2"], vec![]));
    assert_eq!(says(&heard(&two)), (vec!["arm-2"], vec![]));
}

#[test]
fn a_robot_has_one_say_and_none_on_its_own_experience() {
    let (_, claim) = taught("arm-1");
    let three = robot("arm-3");
    take(&three, std::slice::from_ref(&claim));
    let many: Vec<Claim> = (1..=10)
        .map(|number| ruling("arm-5", number, number as u64, ClaimOp::Confirm, &claim))
        .collect();
    take(&three, &many);
    let again = ruling("arm-5", 10, 11, ClaimOp::Confirm, &claim);
    take(&three, &[again, ruling("arm-4", 7, 1, ClaimOp::Confirm, &claim)]);
    assert_eq!(says(&heard(&three)), (vec!["arm-4", "arm-5"], vec![]));
    // It says otherwise under another id.
    take(&three, &[ruling("arm-5", 12, 1, ClaimOp::Contradict, &claim)]);
    assert_eq!(says(&heard(&three)), (vec!["arm-4"], vec!["arm-5"]));

    let own = ruling("arm-1", 90, 1, ClaimOp::Confirm, &claim);
    assert_eq!(take(&three, &[own]).ignored_count, 1);
    // Nor of an echo of it.
    let root = ("arm-1", claim.statement.as_ref().expect("a statement").roots[0].memory_id);
    let echo = Claim { memory_id: 70, ..as_told_by(&claim, "arm-8", &[root]) };
    take(&three, &[echo.clone(), ruling("arm-1", 91, 1, ClaimOp::Confirm, &echo)]);
    assert_eq!(heard(&three).why.told_by, ["arm-1", "arm-8"]);
    assert_eq!(says(&heard(&three)), (vec!["arm-4"], vec!["arm-5"]));

    let retract = |memory_id, revision| Claim {
        op: ClaimOp::Retract,
        target: None,
        ..ruling("arm-4", memory_id, revision, ClaimOp::Confirm, &claim)
    };
    assert_eq!(take(&three, &[retract(7, 2)]).retracted_count, 1);
    let late = ruling("arm-4", 7, 1, ClaimOp::Confirm, &claim);
    assert_eq!(take(&three, &[late]).known_count, 1);
    assert_eq!(says(&heard(&three)), (vec![], vec!["arm-5"]));
}

#[test]
fn a_ruling_ends_with_the_attempts_and_with_the_memory_that_it_is_on() {
    let (_, claim) = taught("arm-1");
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    take(&two, std::slice::from_ref(&claim));
    take(&three, std::slice::from_ref(&claim));
    let attempts = grips(&two, 13.0);
    // Its own lesson, in the same words, is not told here.
    let tell = |robot: &Robot| -> Vec<Claim> {
        tell(robot).into_iter().filter(|it| it.statement.is_none()).collect()
    };
    take(&three, &tell(&two));
    assert_eq!(says(&heard(&three)), (vec!["arm-2"], vec![]));
    for attempt in attempts {
        forget(&two, attempt);
    }
    follow(&two);
    let taken_back = tell(&two);
    let is_own = |it: &&Claim| it.op == ClaimOp::Retract && it.memory_id == heard(&two).memory.id;
    assert_eq!(taken_back.iter().filter(is_own).count(), 1, "{taken_back:?}");
    take(&three, &taken_back);
    assert_eq!(says(&heard(&three)), (vec![], vec![]));
    assert_eq!(says(&heard(&two)), (vec![], vec![]));

    // Of one that is forgotten here nothing is said any more.
    grips(&two, 13.0);
    take(&three, &tell(&two));
    assert_eq!(says(&heard(&three)), (vec!["arm-2"], vec![]));
    forget(&two, heard(&two).memory.id);
    take(&three, &tell(&two));
    assert_eq!(says(&heard(&three)), (vec![], vec![]));
}

#[test]
fn what_a_revoked_robot_said_of_others_goes_too() {
    let (_, claim) = taught("arm-1");
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    take(&two, std::slice::from_ref(&claim));
    take(&three, std::slice::from_ref(&claim));
    two.sleep_days(0.5);
    three.sleep_days(1.0);
    let from = two.clock_now();
    grips(&two, 13.0);
    let claims = rulings(&tell(&two));
    take(&three, &claims);
    assert_eq!(says(&heard(&three)), (vec!["arm-2"], vec![]));
    two.sleep_days(0.1);
    let selector = Selector {
        origin: "arm-2".into(),
        since: Some(from),
        reason: "its scale was broken".into(),
        ..Selector::default()
    };
    let revocation = revoke("ops", 1, two.clock_now(), selector);
    take(&three, std::slice::from_ref(&revocation));
    assert_eq!(says(&heard(&three)), (vec![], vec![]));
    let again = Claim { revision: 50, ..claims[0].clone() };
    assert_eq!(take(&three, &[again]).forgotten_count, 1);
    assert_eq!(says(&heard(&three)), (vec![], vec![]));
    // The robot itself says it again only if it still holds.
    take(&two, &[revocation]);
    follow(&two);
    assert!(rulings(&tell(&two)).is_empty());
    two.sleep_days(0.1);
    grips(&two, 13.0);
    take(&three, &rulings(&tell(&two)).iter().map(later).collect::<Vec<_>>());
    assert_eq!(says(&heard(&three)), (vec!["arm-2"], vec![]));
}

/// As of a revision above all that was forged.
fn later(claim: &Claim) -> Claim {
    Claim { revision: claim.revision + 100, ..claim.clone() }
}

#[test]
fn nothing_that_others_say_loosens_a_limit() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let limit = tell(&one).remove(0);
    take(&two, std::slice::from_ref(&limit));
    let others: Vec<Claim> = (3..9)
        .map(|number| ruling(&format!("arm-{number}"), 1, 1, ClaimOp::Contradict, &limit))
        .collect();
    take(&two, &others);
    let why = &hits(&two, "grip the glass")[0].why;
    assert_eq!(why.contradicted_by.len(), 6);
    let check = |newtons: i64| {
        two.call::<CheckAction>(CheckActionRequest {
            params: format!(r#"{{"grip_force": {{"value": {newtons}, "unit": "N"}}}}"#),
            object: "glass".into(),
            ..Default::default()
        })
        .allowed
    };
    assert!(!check(15));
    // A looser one that many confirm stays beside the stricter one.
    one.learn("Never grip the glass harder than 20 N");
    let looser = tell(&one).remove(0);
    let others: Vec<Claim> = (3..9)
        .map(|number| ruling(&format!("arm-{number}"), 2, 1, ClaimOp::Confirm, &looser))
        .collect();
    take(&two, std::slice::from_ref(&looser));
    take(&two, &others);
    assert!(!check(15) && check(12));
    // Own attempts beyond it say nothing of what may be done.
    grips(&two, 99.0);
    assert!(rulings(&tell(&two)).is_empty());
    assert!(!check(15));
}

#[test]
fn a_robot_that_shares_no_lessons_tells_nothing_of_those_of_others() {
    let (_, claim) = taught("arm-1");
    let two = Robot::with(|config| {
        config.fleet = member("arm-2", "rg2");
        config.access = Some("fleet: [{scope: 'group:*', share: all}]".into());
    });
    take(&two, std::slice::from_ref(&claim));
    grips(&two, 13.0);
    assert_eq!(says(&heard(&two)), (vec!["arm-2"], vec![]));
    assert!(tell(&two).is_empty());
}

#[test]
fn who_may_not_read_attempts_or_the_fleet_is_not_told_what_they_say() {
    let (one, claim) = taught("arm-1");
    let two = Robot::with(|config| {
        config.fleet = member("arm-2", "rg2");
        config.access = Some(
            "agents:\n  - {names: heard, read: [fleet]}\n  - {names: own, read: [global]}\n\
             default: {read: all}\nfleet: [{scope: global, share: all}]"
                .into(),
        );
    });
    take(&two, std::slice::from_ref(&claim));
    grips(&two, 13.0);
    let claims = rulings(&tell(&two));
    assert_eq!(claims.len(), 1);
    let shown = |agent: &str| -> Vec<String> {
        let response = two.call::<Recall>(RecallRequest {
            query: "grip glass cup: force above 13 N fails".into(),
            scope: "all".into(),
            agent: agent.into(),
            diversity: false,
            n: 100,
            ..Default::default()
        });
        response.memories.into_iter().flat_map(|it| it.why.confirmed_by).collect()
    };
    assert_eq!(shown(""), ["arm-2"]);
    assert!(shown("heard").is_empty(), "it may not read the attempts");
    // And the other way round: what others say of its own.
    let own = found(&two).into_iter().find(|it| it.memory.scope == Scope::Global);
    let own =
        Claim { origin: "arm-2".into(), memory_id: own.expect("its lesson").memory.id, ..claim };
    take(&two, &[ruling("arm-1", 77, 1, ClaimOp::Confirm, &own)]);
    assert_eq!(shown("").len(), 2);
    assert!(shown("own").is_empty(), "it may not read what others told");
    drop(one);
}
