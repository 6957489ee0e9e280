//! What a robot takes of its fleet when it is revoked, forgotten, may not be read, or comes by other rules.

use crate::fleet::{GLASS, SHARE_ALL, as_told_by, forget, hits, member, robot, take, tell, told};
use crate::restore_backup::{back_up, restore};
use crate::robot::Robot;
use robot_memory_core::api::{
    AllowedBy, Brief, BriefRequest, BriefResponse, CheckAction, CheckActionRequest, ErrorKind,
    Recall, RecallRequest,
};
use robot_memory_core::claim::{Body, CLAIM_VERSION, Claim, ClaimOp, MemoryRef, Selector};
use robot_memory_core::model::Stamp;
use robot_memory_engine::FleetPosition;

pub fn revoke(by: &str, number: i64, stamp: Stamp, selector: Selector) -> Claim {
    Claim {
        version: CLAIM_VERSION.into(),
        origin: by.into(),
        memory_id: number,
        revision: 1,
        op: ClaimOp::Revoke,
        stamp,
        body: Body::default(),
        statement: None,
        target: None,
        selector: Some(selector),
        removed: None,
    }
}

#[test]
fn what_is_revoked_goes_everywhere_with_what_rests_on_it_and_receipts_say_so() {
    let (one, two, three) = (robot("arm-1"), robot("arm-2"), robot("arm-3"));
    let before = one.learn("The blue cup stands in the hall").memory_id;
    one.sleep_days(0.5);
    two.sleep_days(1.0);
    three.sleep_days(1.0);
    let wrong = one.learn(GLASS).memory_id;
    let from = one.clock_now();
    one.sleep_days(0.1);
    let claims = tell(&one);
    take(&two, &claims);
    // Another robot says what it only has from there.
    let echo = as_told_by(&claims[1], "arm-4", &[("arm-1", wrong)]);
    let echo = Claim { memory_id: 7, ..echo };
    take(&two, std::slice::from_ref(&echo));
    assert_eq!(hits(&two, "grip the glass")[0].why.told_by, ["arm-1", "arm-4"]);

    let selector = Selector {
        origin: "arm-1".into(),
        since: Some(from),
        reason: "its gripper was not calibrated".into(),
        ..Selector::default()
    };
    let revocation = revoke("ops", 1, one.clock_now(), selector);
    for robot in [&one, &two, &three] {
        let taken = take(robot, &[revocation.clone(), revocation.clone()]);
        assert_eq!((taken.revocations.len(), taken.known_count), (1, 1));
        assert!(hits(robot, "grip the glass").iter().all(|it| !it.memory.content.contains("13 N")));
    }
    assert_eq!(hits(&two, "blue cup in the hall")[0].why.told_by, ["arm-1"]);
    let receipt = |robot: &Robot| {
        let claim = tell(robot).into_iter().find(|it| it.op == ClaimOp::Receipt);
        let claim = claim.expect("a receipt");
        let of = MemoryRef { origin: "ops".into(), memory_id: 1 };
        assert_eq!(claim.target.as_ref(), Some(&of));
        claim.removed.expect("counts").deleted_count
    };
    assert_eq!([receipt(&one), receipt(&two), receipt(&three)], [1, 1, 0]);
    assert!(!hits(&one, "blue cup in the hall").is_empty(), "memory {before} was not meant");

    // What comes late is not taken, and neither is it when it was changed.
    take(&three, &claims);
    take(&three, &[Claim { revision: 9, ..echo.clone() }]);
    let late = Claim { revision: 9, op: ClaimOp::Revise, ..claims[1].clone() };
    assert_eq!(take(&three, std::slice::from_ref(&late)).forgotten_count, 1);
    assert_eq!(take(&two, &[late]).forgotten_count, 1);
    assert!(hits(&two, "grip the glass").iter().all(|it| !it.memory.content.contains("13 N")));
    let two = two.restart_with(|config| config.fleet = member("arm-2", "rg2"));
    assert!(tell(&two).iter().all(|it| it.op != ClaimOp::Receipt), "told once");
    // What it learns afterwards is taken.
    one.sleep_days(0.1);
    one.learn("Never grip the glass harder than 12 N");
    take(&two, &tell(&one));
    assert_eq!(hits(&two, "grip the glass")[0].why.told_by, ["arm-1"]);
}

#[test]
fn who_may_not_read_what_the_fleet_told_sees_nothing_of_it() {
    let (one, two) = (
        robot("arm-1"),
        Robot::with(|config| {
            config.fleet = member("arm-2", "rg2");
            config.access = Some(
                "agents:\n  - {names: told, read: [global, fleet]}\n  - {names: named, read: fleet}\n\
                 default: {read: global}"
                    .into(),
            );
        }),
    );
    one.learn(GLASS);
    take(&two, &tell(&one));
    two.learn("The glass stands in the hall");
    let found = |agent: &str, scope: &str| {
        let response = two.call::<Recall>(RecallRequest {
            query: "grip the glass".into(),
            agent: agent.into(),
            scope: scope.into(),
            ..Default::default()
        });
        response.memories.iter().map(|it| it.memory.scope.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(found("nobody", ""), ["global"]);
    assert_eq!(found("nobody", "all"), ["global"]);
    assert_eq!(found("told", "").len(), 2);
    assert_eq!(found("told", "all").len(), 2);
    assert_eq!(found("named", "fleet"), ["fleet"]);
    let (kind, _) = two.refused::<Recall>(RecallRequest {
        query: "grip the glass".into(),
        agent: "nobody".into(),
        scope: "fleet".into(),
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::Forbidden);
    let check = |agent: &str| {
        two.call::<CheckAction>(CheckActionRequest {
            params: r#"{"grip_force": {"value": 20, "unit": "N"}}"#.into(),
            object: "glass".into(),
            agent: agent.into(),
            ..Default::default()
        })
        .allowed
    };
    assert_eq!((check("nobody"), check("told")), (true, false));
}

#[test]
fn a_briefing_names_the_limits_that_others_told_and_who_did() {
    let (one, two) = (
        robot("arm-1"),
        Robot::with(|config| {
            config.fleet = member("arm-2", "rg2");
            config.access = Some("default: {read: global}".into());
        }),
    );
    one.learn(GLASS);
    take(&two, &tell(&one));
    two.learn("Never grip the glass harder than 20 N");
    let brief = |params: &str, agent: &str| -> BriefResponse {
        two.call::<Brief>(BriefRequest {
            task: "grip".into(),
            object: "glass".into(),
            params: params.into(),
            agent: agent.into(),
            ..Default::default()
        })
    };
    // Before a force is chosen nothing can be compared: it is named all the same.
    let answer = brief("", "");
    assert_eq!(answer.allowed_by, AllowedBy::Undecided);
    let told_by: Vec<(bool, bool)> = answer
        .undecided
        .iter()
        .map(|it| (it.content.contains("13 N"), it.told_by == ["arm-1"]))
        .collect();
    assert_eq!(told_by, [(true, true), (false, false)]);
    let told = format!("; told by arm-1: {GLASS}");
    assert!(answer.sentence_en.ends_with(&told), "{}", answer.sentence_en);
    assert!(
        answer.sentence_zh.ends_with(&format!("；arm-1 告知：{GLASS}")),
        "{}",
        answer.sentence_zh
    );

    let force = |newtons: i64| format!(r#"{{"grip_force": {{"value": {newtons}, "unit": "N"}}}}"#);
    let answer = brief(&force(15), "");
    assert!(!answer.allowed);
    assert_eq!(answer.violations[0].told_by, ["arm-1"]);
    assert!(answer.sentence_en.contains("NOT allowed: "), "{}", answer.sentence_en);
    assert_eq!(answer.sentence_en.matches("told by arm-1").count(), 1, "{}", answer.sentence_en);
    assert!(brief(&force(12), "").allowed);
    // One who may not read what others told is told nothing of it.
    let answer = brief(&force(15), "nobody");
    assert!(answer.allowed && !answer.sentence_en.contains("arm-1"), "{}", answer.sentence_en);
}

#[test]
fn other_rules_are_followed_at_the_next_start() {
    let arm = robot("arm-1");
    let cup = arm.learn("The blue cup stands in the hall").memory_id;
    let limit = arm.learn(GLASS).memory_id;
    assert_eq!(tell(&arm).len(), 2);
    let narrow = "fleet: [{scope: global, share: limits_and_lessons}]";
    let with = |access: &'static str| {
        move |config: &mut robot_memory_engine::Config| {
            config.fleet = member("arm-1", "rg2");
            config.access = Some(access.into());
        }
    };
    let arm = arm.restart_with(with(narrow));
    assert_eq!(told(&tell(&arm)), [(cup, 2, ClaimOp::Retract), (limit, 2, ClaimOp::Revise)]);
    let arm = arm.restart_with(with(narrow));
    assert!(tell(&arm).is_empty());
    let arm = arm.restart_with(with(SHARE_ALL));
    assert_eq!(told(&tell(&arm)), [(cup, 3, ClaimOp::Assert), (limit, 3, ClaimOp::Revise)]);
}

#[test]
fn claims_are_taken_from_where_the_store_is_only() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let claims = tell(&one);
    let at = |sequence| FleetPosition { stream_id: "FLEET".into(), sequence };
    let start = two.engine.fleet_position("keys").expect("it is read");
    two.engine.take_claims(Vec::new(), &start, &at(7)).expect("they are taken");
    // As after a backup was restored.
    let error = two.engine.take_claims(claims.clone(), &at(9), &at(12)).expect_err("it is refused");
    assert_eq!(error.kind, ErrorKind::InvalidState);
    assert!(hits(&two, "grip the glass").is_empty());
    assert_eq!(two.engine.fleet_position("keys").expect("it is read"), at(7));
    // Who is believed is another: all is read again.
    assert_eq!(two.engine.fleet_position("more keys").expect("it is read"), start);
}

#[test]
fn an_echo_of_what_was_revoked_is_not_taken() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    let claims = tell(&one);
    take(&two, &claims);
    let selector = Selector {
        origin: "arm-1".into(),
        memory_id: Some(id),
        reason: "it was wrong".into(),
        ..Selector::default()
    };
    take(&two, &[revoke("ops", 1, two.clock_now(), selector)]);
    let echo = as_told_by(&claims[0], "arm-4", &[("arm-1", id)]);
    assert_eq!(take(&two, std::slice::from_ref(&echo)).forgotten_count, 1);
    assert!(hits(&two, "grip the glass").is_empty());
    let own = as_told_by(&claims[0], "arm-5", &[("arm-1", id), ("arm-5", 3)]);
    assert_eq!(take(&two, &[own]).asserted_count, 1, "it has seen that itself");
}

#[test]
fn words_that_were_forgotten_here_come_back_by_no_other_mouth() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let claims = tell(&one);
    take(&two, &claims);
    forget(&two, hits(&two, "grip the glass")[0].memory.id);
    let other = as_told_by(&claims[0], "arm-4", &[("arm-4", 9)]);
    assert_eq!(take(&two, &[other]).forgotten_count, 1);
    // Nor by taking it back and saying it again.
    let retract = Claim { op: ClaimOp::Retract, revision: 5, statement: None, ..claims[0].clone() };
    let again = Claim { op: ClaimOp::Assert, revision: 6, ..claims[0].clone() };
    assert_eq!(take(&two, &[retract, again]).forgotten_count, 1);
    assert!(hits(&two, "grip the glass").is_empty());
}

#[test]
fn a_broken_clock_and_a_strange_unit_keep_nobody_from_asking() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    let mut claim = tell(&one).remove(0);
    claim.stamp = Stamp(i64::MIN);
    if let Some(statement) = &mut claim.statement {
        statement.content = "Never move faster than 5 N".into();
        statement.created_at = Stamp(i64::MAX);
        let limits =
            r#"{"limits": [{"path": "params.speed", "op": "<=", "value": 5, "unit": "N"}]}"#;
        statement.context = limits.into();
    }
    assert_eq!(take(&two, &[claim]).asserted_count, 1);
    assert_eq!(two.engine.fleet_summary().expect("it is told").told_by[0].held_count, 1);
    let answer = two.call::<CheckAction>(CheckActionRequest {
        params: r#"{"speed": {"value": 0.1, "unit": "m/s"}}"#.into(),
        ..Default::default()
    });
    assert_eq!(answer.allowed_by, AllowedBy::Undecided);
    assert_eq!(answer.undecided[0].told_by, ["arm-1"]);
}

#[test]
fn what_was_learned_after_a_revocation_stays() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    one.sleep_days(0.1);
    let at = one.clock_now();
    one.sleep_days(0.1);
    two.sleep_days(1.0);
    let later = one.learn("The blue cup stands in the hall").memory_id;
    take(&two, &tell(&one));
    let selector =
        Selector { origin: "arm-1".into(), reason: "stolen".into(), ..Selector::default() };
    let revocation = revoke("ops", 1, at, selector);
    for robot in [&one, &two] {
        take(robot, std::slice::from_ref(&revocation));
        let left = hits(robot, "blue cup in the hall, and the glass");
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].memory.content.contains("cup"));
    }
    assert_eq!(hits(&one, "blue cup")[0].memory.id, later);
}

#[test]
fn what_becomes_words_that_were_forgotten_here_is_gone() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    take(&two, &tell(&one));
    let other = two.recall("grip the glass").memories[0].memory.id;
    forget(&two, other);
    let cup = one.learn("Never grip the blue cup harder than 9 N").memory_id;
    let claims = tell(&one);
    take(&two, &claims);
    assert_eq!(hits(&two, "blue cup").len(), 1);
    // The cup's memory comes to say what the glass's said.
    let revised = tell_as(&claims, cup, GLASS);
    assert_eq!(take(&two, &[revised]).forgotten_count, 1);
    assert!(hits(&two, "blue cup").is_empty(), "of memory {id}");
}

/// The claim of a memory with other words, as a later revision.
fn tell_as(claims: &[Claim], memory_id: i64, content: &str) -> Claim {
    let claim = claims.iter().find(|it| it.memory_id == memory_id).expect("it was told");
    let mut claim = Claim { revision: claim.revision + 1, op: ClaimOp::Revise, ..claim.clone() };
    claim.statement.as_mut().expect("it says something").content = content.into();
    claim
}

#[test]
fn a_backup_that_is_restored_twice_tells_later_revisions_each_time() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let id = one.learn(GLASS).memory_id;
    take(&two, &tell(&one));
    let backup = back_up(&one);
    for _ in 0..2 {
        forget(&one, id);
        take(&two, &tell(&one));
        assert!(hits(&two, "grip the glass").is_empty());
        restore(&one, &backup);
        take(&two, &tell(&one));
        assert_eq!(hits(&two, "grip the glass").len(), 1);
    }
}
