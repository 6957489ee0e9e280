//! What a robot tells its fleet, and what it takes of what others tell: two and more engines, without what carries the
//! claims between them.

use crate::localization::Placed;
use crate::restore_backup::{back_up, restore};
use crate::robot::{Robot, ids, sql};
use robot_memory_core::api::{
    AllowedBy, Brief, BriefRequest, CheckAction, CheckActionRequest, DeleteMemory,
    DeleteMemoryRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest, Hit, Learn,
    LearnRequest, Recall, RecallRequest, Update, UpdateRequest,
};
use robot_memory_core::claim::{Body, Claim, ClaimOp, MemoryRef};
use robot_memory_core::model::{MemType, Scope, Source, Stamp, Trust};
use robot_memory_engine::{FleetMember, FleetPosition, KeptClaim, Taken};
use std::sync::Arc;

pub const GLASS: &str = "Never grip the glass harder than 13 N";
pub const SHARE_ALL: &str =
    "fleet: [{scope: global, share: all}, {scope: 'group:*', share: statements}]";

pub fn member(robot_id: &str, gripper: &str) -> Option<FleetMember> {
    let body = Body { robot_type: "ur5e".into(), gripper: gripper.into() };
    Some(FleetMember::new(robot_id, body))
}

/// A robot of a fleet that tells all it may.
pub fn robot(robot_id: &str) -> Robot {
    let robot = Robot::with(|config| {
        config.fleet = member(robot_id, "rg2");
        config.access = Some(SHARE_ALL.into());
    });
    robot.plug_in_embedder();
    robot
}

/// The claims that wait, told.
pub fn tell(robot: &Robot) -> Vec<Claim> {
    let mut all = Vec::new();
    loop {
        let claims = robot.engine.claims_to_tell(100).expect("they are read");
        if claims.is_empty() {
            return all;
        }
        let told: Vec<KeptClaim> = claims.iter().map(KeptClaim::of).collect();
        robot.engine.claims_told(&told).expect("it is noted");
        all.extend(claims);
    }
}

pub fn take(robot: &Robot, claims: &[Claim]) -> Taken {
    let from = robot.engine.fleet_position("").expect("it is read");
    let to = FleetPosition { stream_id: "FLEET".into(), sequence: from.sequence + 1 };
    robot.engine.take_claims(claims.to_vec(), &from, &to).expect("they are taken")
}

pub fn told(claims: &[Claim]) -> Vec<(i64, u64, ClaimOp)> {
    claims.iter().map(|it| (it.memory_id, it.revision, it.op)).collect()
}

pub fn hits(robot: &Robot, query: &str) -> Vec<Hit> {
    let request = RecallRequest { query: query.into(), diversity: false, ..Default::default() };
    robot.call::<Recall>(request).memories
}

fn learn_in(robot: &Robot, scope: &str, insight: &str) -> i64 {
    let request =
        LearnRequest { insight: insight.into(), scope: scope.into(), ..Default::default() };
    robot.call::<Learn>(request).memory_id
}

pub fn forget(robot: &Robot, memory_id: i64) {
    let reason = "no longer so".into();
    robot.call::<Forget>(ForgetRequest { memory_id, reason, ..Default::default() });
}

/// The same claim of another robot that goes back to these memories.
pub fn as_told_by(claim: &Claim, origin: &str, roots: &[(&str, i64)]) -> Claim {
    let mut claim = Claim { origin: origin.into(), ..claim.clone() };
    if let Some(statement) = &mut claim.statement {
        let root = |(origin, memory_id): &(&str, i64)| MemoryRef {
            origin: (*origin).into(),
            memory_id: *memory_id,
        };
        statement.roots = roots.iter().map(root).collect();
    }
    claim
}

#[test]
fn each_change_is_told_once_and_what_ends_is_taken_back() {
    let arm = robot("arm-1");
    let id = arm.learn(GLASS).memory_id;
    let other = arm.learn("The blue cup stands in the hall").memory_id;
    assert_eq!(told(&tell(&arm)), [(id, 1, ClaimOp::Assert), (other, 1, ClaimOp::Assert)]);
    assert!(tell(&arm).is_empty());

    let new_content = "Never grip the glass harder than 12 N".to_owned();
    arm.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    forget(&arm, other);
    let changed = tell(&arm);
    assert!(changed[0].statement.as_ref().is_some_and(|it| it.content.contains("12 N")));
    let ops: Vec<(i64, ClaimOp)> = changed.iter().map(|it| (it.memory_id, it.op)).collect();
    assert_eq!(ops, [(id, ClaimOp::Revise), (other, ClaimOp::Retract)]);
    arm.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: id, ..Default::default() });
    let ended = tell(&arm);
    assert_eq!((ended.len(), ended[0].op, ended[0].memory_id), (1, ClaimOp::Retract, id));
    assert!(ended[0].revision > changed[0].revision);
}

#[test]
fn what_was_not_acknowledged_is_told_again_also_when_it_ended_meanwhile() {
    let arm = robot("arm-1");
    let id = arm.learn(GLASS).memory_id;
    let first = arm.engine.claims_to_tell(9).expect("they are read");
    assert_eq!(told(&first), [(id, 1, ClaimOp::Assert)]);
    // The plug is pulled after it was sent and before that was noted.
    let arm = arm.restart_with(|config| {
        config.fleet = member("arm-1", "rg2");
        config.access = Some(SHARE_ALL.into());
    });
    let again = arm.engine.claims_to_tell(9).expect("they are read");
    assert_eq!(told(&again), [(id, 1, ClaimOp::Revise)]);
    forget(&arm, id);
    assert_eq!(told(&tell(&arm)), [(id, 2, ClaimOp::Retract)]);
}

#[test]
fn nothing_leaves_but_what_the_policy_shares() {
    let arm = robot("arm-1");
    let shared = [
        learn_in(&arm, "global", "The glass is kept in the left tray"),
        learn_in(&arm, "group:cell-7", "Cell 7 has two trays for glasses"),
    ];
    for scope in ["dm", "agent:grasp"] {
        learn_in(&arm, scope, &format!("What is said in {scope} stays here"));
    }
    let seen = arm.perceive("the gripper felt 3 N on the glass", "");
    let claims = tell(&arm);
    let ids: Vec<i64> = claims.iter().map(|it| it.memory_id).collect();
    assert_eq!(ids, [shared[0], shared[1], seen]);

    let arm = Robot::with(|config| config.fleet = member("arm-2", "rg2"));
    arm.learn("The glass is kept in the left tray");
    let limit = arm.learn(GLASS).memory_id;
    let claims = tell(&arm);
    assert_eq!(told(&claims), [(limit, 1, ClaimOp::Assert)], "limits and lessons, as shipped");

    let alone = Robot::words_only();
    alone.learn(GLASS);
    assert!(tell(&alone).is_empty());
    assert_eq!(sql::<i64>(&alone.store_path(), "SELECT count(*) FROM fleet_claim"), 0);
}

#[test]
fn a_robot_that_joins_tells_what_it_knew_and_one_that_left_what_changed() {
    let arm = Robot::words_only();
    let id = arm.learn(GLASS).memory_id;
    let arm = arm.restart_with(|config| config.fleet = member("arm-1", "rg2"));
    assert_eq!(told(&tell(&arm)), [(id, 1, ClaimOp::Assert)]);
    let arm = arm.restart_with(|_| {});
    arm.engine.leave_fleet().expect("it leaves");
    forget(&arm, id);
    let arm = arm.restart_with(|config| config.fleet = member("arm-1", "rg2"));
    assert_eq!(told(&tell(&arm)), [(id, 2, ClaimOp::Retract)]);
}

#[test]
fn what_others_told_is_known_marked_and_below_what_is_known_here() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn_with("Grip the red mug with 9 N", r#"{"env": {"sim_or_real": "real"}}"#);
    let taken = take(&two, &tell(&one));
    assert_eq!((taken.asserted_count, taken.refused.len()), (1, 0));
    let known = hits(&two, "How hard to grip the red mug?");
    let (memory, why) = (&known[0].memory, &known[0].why);
    assert_eq!(
        (&memory.scope, memory.source, memory.trust),
        (&Scope::Fleet, Source::Fleet, Trust::Low)
    );
    assert_eq!((why.told_by.as_slice(), why.independent_count), (&["arm-1".to_owned()][..], 1));
    assert!(why.similarity.is_some(), "its vector came with it");

    let own = two.learn("Grip the red mug with 8 N").memory_id;
    let known = hits(&two, "How hard to grip the red mug?");
    assert_eq!(known.iter().map(|it| it.memory.id).collect::<Vec<_>>()[0], own);
    assert!(known[0].why.told_by.is_empty());
    // It is not told on.
    let claims = tell(&two);
    assert_eq!(claims.iter().map(|it| it.memory_id).collect::<Vec<_>>(), [own]);
    let (kind, error) = two.refused::<Update>(UpdateRequest {
        memory_id: memory.id,
        new_content: "Grip it with 20 N".into(),
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::InvalidState, "{error}");
    for (scope, source) in [("fleet", ""), ("", "fleet")] {
        let (kind, error) = two.refused::<Learn>(LearnRequest {
            insight: "A bear in the hall".into(),
            scope: scope.into(),
            source: source.into(),
            ..Default::default()
        });
        assert!(kind == ErrorKind::InvalidArgument && error.contains("fleet"), "{error}");
    }
}

#[test]
fn a_limit_that_was_told_holds_at_once_and_says_by_whom() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let ask = |newtons: i64| {
        two.call::<CheckAction>(CheckActionRequest {
            params: format!(r#"{{"grip_force": {{"value": {newtons}, "unit": "N"}}}}"#),
            object: "glass".into(),
            ..Default::default()
        })
    };
    assert_eq!(ask(15).allowed_by, AllowedBy::NoConstraint);
    take(&two, &tell(&one));
    let answer = ask(15);
    assert!(!answer.allowed);
    assert_eq!(answer.violations[0].told_by, ["arm-1"]);
    assert!(
        answer.violations[0].reason.contains("told by arm-1"),
        "{}",
        answer.violations[0].reason
    );
    assert!(ask(12).allowed);
    // One that is looser than what is known here loosens nothing.
    two.learn("Never grip the glass harder than 10 N");
    assert!(!ask(12).allowed);
}

#[test]
fn only_who_told_a_limit_can_loosen_it() {
    let (one, two, three) = (robot("arm-1"), robot("arm-2"), robot("arm-3"));
    let told = one.learn(GLASS).memory_id;
    let is_allowed = || {
        two.call::<CheckAction>(CheckActionRequest {
            params: r#"{"grip_force": {"value": 15, "unit": "N"}}"#.into(),
            object: "glass".into(),
            ..Default::default()
        })
        .allowed
    };
    take(&two, &tell(&one));
    // A looser one of another robot has no effect beside it.
    three.learn("Never grip the glass harder than 20 N");
    take(&two, &tell(&three));
    assert!(!is_allowed());
    let new_content = "Never grip the glass harder than 18 N".into();
    one.call::<Update>(UpdateRequest { memory_id: told, new_content, ..Default::default() });
    take(&two, &tell(&one));
    assert!(is_allowed());
}

#[test]
fn claims_that_come_again_late_or_in_another_order_change_nothing() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    let first = tell(&one);
    let new_content = "Never grip the glass harder than 12 N".to_owned();
    one.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    let second = tell(&one);
    forget(&one, id);
    let third = tell(&one);

    assert_eq!(take(&two, &second).asserted_count, 1);
    assert_eq!(take(&two, &first).known_count, 1);
    assert_eq!(take(&two, &second).known_count, 1);
    assert!(hits(&two, "grip the glass")[0].memory.content.contains("12 N"));
    assert_eq!(take(&two, &third).retracted_count, 1);
    assert_eq!(take(&two, &second).known_count, 1);
    assert!(hits(&two, "grip the glass").is_empty());
    // A retraction that comes first is not undone by what it retracts.
    let three = robot("arm-3");
    take(&three, &third);
    take(&three, &first);
    assert!(hits(&three, "grip the glass").is_empty());
    let three = three.restart();
    assert!(hits(&three, "grip the glass").is_empty());
}

#[test]
fn an_echo_is_not_a_second_voice() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    let claim = tell(&one).remove(0);
    let mut echoes = vec![claim.clone()];
    for number in 2..12 {
        echoes.push(as_told_by(&claim, &format!("echo-{number}"), &[("arm-1", id)]));
    }
    take(&two, &echoes);
    let why = &hits(&two, "grip the glass")[0].why;
    assert_eq!((why.told_by.len(), why.independent_count), (11, 1));
    take(&two, &[as_told_by(&claim, "arm-9", &[("arm-9", 4)])]);
    let known = hits(&two, "grip the glass");
    assert_eq!((known.len(), known[0].why.independent_count), (1, 2));
    // What goes back to this robot itself is nothing new to it.
    let back = as_told_by(&claim, "arm-5", &[("arm-2", 7)]);
    assert_eq!(take(&two, &[Claim { memory_id: 99, ..back }]).own_count, 1);

    // It is there as long as one tells it.
    let retract = |origin: &str| Claim {
        op: ClaimOp::Retract,
        revision: 9,
        statement: None,
        ..as_told_by(&claim, origin, &[])
    };
    take(&two, &[retract("arm-1")]);
    assert_eq!(hits(&two, "grip the glass").len(), 1);
    let others: Vec<Claim> =
        (2..12).map(|it| retract(&format!("echo-{it}"))).chain([retract("arm-9")]).collect();
    take(&two, &others);
    assert!(hits(&two, "grip the glass").is_empty());
}

#[test]
fn a_robot_that_boasts_gains_nothing() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn("Grip the red mug with 9 N");
    let claim = tell(&one).remove(0);
    let boast = |confidence: f64, trust: Trust, env: &str| {
        let mut claim = as_told_by(&claim, &format!("arm-{confidence}{env}"), &[("arm-4", 1)]);
        if let Some(statement) = &mut claim.statement {
            statement.confidence = confidence;
            statement.trust = trust;
            statement.context = env.into();
        }
        claim
    };
    let humble = boast(0.1, Trust::Low, "");
    let proud = boast(1.0, Trust::High, r#"{"env": {"sim_or_real": "real"}}"#);
    take(&two, &[humble, proud]);
    let known = hits(&two, "grip the red mug");
    assert_eq!(known.len(), 2, "of different contexts");
    let worth = |hit: &Hit| {
        (hit.memory.confidence, hit.memory.trust, hit.why.source_weight, hit.why.evidence)
    };
    assert_eq!(worth(&known[0]), worth(&known[1]));
}

#[test]
fn what_was_forgotten_here_does_not_come_back() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    take(&two, &tell(&one));
    let there = hits(&two, "grip the glass")[0].memory.id;
    forget(&two, there);
    let new_content = "Never grip the glass harder than 12 N".to_owned();
    one.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    assert_eq!(take(&two, &tell(&one)).forgotten_count, 1);
    assert!(hits(&two, "grip the glass").is_empty());
}

#[test]
fn what_holds_for_another_body_says_so() {
    let one = robot("arm-1");
    one.learn("Grip the red mug with 9 N");
    let claims = tell(&one);
    let two = Robot::with(|config| config.fleet = member("arm-2", "rg6"));
    take(&two, &claims);
    assert_eq!(hits(&two, "grip the red mug")[0].why.transfer, ["gripper: rg2 there, rg6 here"]);
    let same = robot("arm-3");
    take(&same, &claims);
    assert!(hits(&same, "grip the red mug")[0].why.transfer.is_empty());
    let other = Robot::with(|config| {
        let body = Body { robot_type: "ur10e".into(), gripper: "rg2".into() };
        config.fleet = Some(FleetMember::new("arm-4", body));
    });
    take(&other, &claims);
    let there = &hits(&other, "grip the red mug")[0];
    assert_eq!(there.why.transfer, ["robot_type: ur5e there, ur10e here"]);
}

#[test]
fn what_holds_in_another_map_says_so_also_when_the_map_changed_meanwhile() {
    let one = robot("arm-1");
    let place = r#"{"spatial": {"frame": "map", "map_id": "hall", "object_position": [1, 2, 0]}}"#;
    one.learn_with("The red mug stands on the shelf", place);
    let claims = tell(&one);
    let two = Robot::with(|config| {
        config.fleet = member("arm-2", "rg2");
        config.map_id = "yard".into();
    });
    take(&two, &claims);
    let transfer = || hits(&two, "where is the red mug")[0].why.transfer.clone();
    assert_eq!(transfer(), ["map_id: hall there, yard here"]);
    let placed = Arc::new(Placed::default());
    two.engine.set_localization(Some(placed.clone()));
    for (map_id, expected) in [("hall", ""), ("cellar", "map_id: hall there, cellar here")] {
        placed.set(map_id);
        assert_eq!(transfer().concat(), expected);
    }
}

#[test]
fn a_limit_of_another_body_says_so_where_actions_are_checked() {
    let one = robot("arm-1");
    one.learn(GLASS);
    let two = Robot::with(|config| config.fleet = member("arm-2", "rg6"));
    take(&two, &tell(&one));
    two.learn("Never grip the glass harder than 14 N");
    let other = "gripper: rg2 there, rg6 here";
    let params = r#"{"grip_force": {"value": 15, "unit": "N"}}"#.to_owned();
    let checked = CheckActionRequest { params, object: "glass".into(), ..Default::default() };
    let violations = two.call::<CheckAction>(checked).violations;
    let told = violations.iter().find(|it| it.content == GLASS).expect("it is violated");
    assert_eq!(told.transfer, [other]);
    assert!(told.reason.ends_with(&format!("(told by arm-1; {other})")), "{}", told.reason);
    let own = violations.iter().find(|it| it.content != GLASS).expect("it is violated");
    assert!(own.transfer.is_empty() && own.told_by.is_empty(), "{own:?}");
    let asked = BriefRequest { task: "grip".into(), object: "glass".into(), ..Default::default() };
    let brief = two.call::<Brief>(asked);
    let told = brief.undecided.iter().find(|it| it.content == GLASS).expect("it is undecided");
    assert_eq!(told.transfer, [other]);
    let sentence = format!("told by arm-1 ({other}): {GLASS}");
    assert!(brief.sentence_en.contains(&sentence), "{}", brief.sentence_en);
}

#[test]
fn when_it_was_told_last_is_told_wherever_a_memory_is() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn("The red mug stands on the shelf");
    let claim = tell(&one).remove(0);
    let earlier = Stamp(claim.stamp.0 - 9_000_000_000);
    let echo = Claim { stamp: earlier, ..as_told_by(&claim, "arm-3", &[("arm-1", 1)]) };
    take(&two, &[claim.clone(), echo]);
    let hit = &hits(&two, "where is the red mug")[0];
    assert_eq!(hit.why.told_at, Some(claim.stamp));
    let asked = |memory_id| GetMemoryRequest { memory_id, ..Default::default() };
    let stored = two.call::<GetMemory>(asked(hit.memory.id));
    assert_eq!(stored.told_by, ["arm-1", "arm-3"]);
    assert_eq!((stored.told_at, stored.independent_count), (Some(claim.stamp), 1));
    assert!(stored.transfer.is_empty());
    let later = Stamp(claim.stamp.0 + 5_000_000_000);
    let echo = Claim { stamp: later, ..as_told_by(&claim, "arm-4", &[("arm-1", 1)]) };
    take(&two, &[echo]);
    assert_eq!(hits(&two, "where is the red mug")[0].why.told_at, Some(later));
    let own = two.learn("The blue cup stands in the hall").memory_id;
    let stored = two.call::<GetMemory>(asked(own));
    assert_eq!((stored.told_by.len(), stored.told_at, stored.independent_count), (0, None, 0));
}

#[test]
fn what_may_not_be_stored_is_refused_alone() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let good = tell(&one).remove(0);
    let mut bad = as_told_by(&good, "arm-4", &[("arm-4", 1)]);
    if let Some(statement) = &mut bad.statement {
        statement.content = "the password: hunter2 opens the cell".into();
    }
    let taken = take(&two, &[bad, good]);
    assert_eq!((taken.asserted_count, taken.refused.len()), (1, 1));
    assert_eq!(taken.refused[0].0, "arm-4");
    assert!(!taken.refused[0].1.contains("hunter2"));
}

#[test]
fn a_claim_that_meets_a_damaged_row_keeps_no_others_from_being_taken() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let damaged = one.learn(GLASS).memory_id;
    take(&two, &tell(&one));
    let connection = rusqlite::Connection::open(two.store_path()).expect("the file opens");
    connection.execute("UPDATE hearsay SET roots = '['", []).expect("it is damaged");
    one.learn("The red mug stands on the shelf");
    forget(&one, damaged);
    one.learn("The oven door opens to the left");
    let claims = tell(&one);
    assert_eq!(claims.len(), 3);
    let taken = take(&two, &claims);
    assert_eq!((taken.asserted_count, taken.retracted_count, taken.refused.len()), (2, 0, 1));
    let count = "SELECT count(*) FROM hearsay JOIN memory ON memory.id = hearsay.memory_id \
        WHERE content <> 'Never grip the glass harder than 13 N'";
    assert_eq!(sql::<i64>(&two.store_path(), count), 2);
    let again = take(&two, &claims);
    assert_eq!((again.asserted_count, again.known_count, again.refused.len()), (0, 2, 1));
}

#[test]
fn attempts_of_others_are_not_counted_as_own() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    for force in [5, 6, 7] {
        let context = format!(
            r#"{{"task": {{"name": "pick", "object": "mug", "success": true}}, "params": {{"grip_force": {{"value": {force}, "unit": "N"}}}}}}"#
        );
        one.perceive(&format!("picked the mug with {force} N"), &context);
    }
    let claims = tell(&one);
    assert_eq!(claims.len(), 3);
    assert!(
        claims.iter().all(|it| {
            it.statement.as_ref().is_some_and(|said| said.mem_type == MemType::TaskLog)
        })
    );
    take(&two, &claims);
    let attempts = |robot: &Robot| {
        robot
            .call::<robot_memory_core::api::Brief>(robot_memory_core::api::BriefRequest {
                task: "pick".into(),
                object: "mug".into(),
                ..Default::default()
            })
            .attempts
            .first()
            .map_or(0, |it| it.success_count)
    };
    assert_eq!((attempts(&one), attempts(&two)), (3, 0));
    assert_eq!(ids(&two.recall("picked the mug")).len(), 3);
}

#[test]
fn a_backup_that_is_restored_tells_later_revisions() {
    let arm = robot("arm-1");
    let id = arm.learn(GLASS).memory_id;
    let first = tell(&arm);
    let backup = back_up(&arm);
    let new_content = "Never grip the glass harder than 12 N".to_owned();
    arm.call::<Update>(UpdateRequest { memory_id: id, new_content, ..Default::default() });
    let later = arm.learn("The blue cup stands in the hall").memory_id;
    let second = tell(&arm);
    let two = robot("arm-2");
    take(&two, &first);
    take(&two, &second);
    restore(&arm, &backup);
    let third = tell(&arm);
    let ops: Vec<(i64, ClaimOp)> = third.iter().map(|it| (it.memory_id, it.op)).collect();
    assert_eq!(ops, [(id, ClaimOp::Revise), (later, ClaimOp::Retract)]);
    take(&two, &third);
    assert!(hits(&two, "grip the glass")[0].memory.content.contains("13 N"));
    assert!(hits(&two, "blue cup in the hall").iter().all(|it| !it.memory.content.contains("cup")));
}
