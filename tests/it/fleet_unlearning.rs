//! What rests on revoked experience: lessons that the origin makes again or not, clocks that are off, and what was adopted.

use crate::fleet::{GLASS, as_told_by, forget, hits, robot, take, tell};
use crate::fleet_rules::revoke;
use crate::fleet_rulings::{follow, found, grips, grips_of, taught};
use crate::interfering::while_embedding;
use crate::robot::Robot;
use robot_memory_core::api::{
    Adopt, AdoptRequest, AdoptResponse, ErrorKind, GetMemory, GetMemoryRequest,
};
use robot_memory_core::claim::{Claim, ClaimOp, MemoryRef, Removed, Selector};
use robot_memory_core::model::{Kind, Scope, Stamp};

const HOUR: i64 = 3_600_000_000_000;

/// A revocation of what arm-1 did in this time.
fn of_time(since: Stamp, until: Stamp, told_at: Stamp) -> Claim {
    let (origin, reason) = ("arm-1".into(), "its gripper was not calibrated".into());
    let (since, until) = (Some(since), Some(until));
    let selector = Selector { origin, since, until, reason, ..Selector::default() };
    revoke("ops", 1, told_at, selector)
}

/// Lessons that others told, in order.
fn heard(robot: &Robot) -> Vec<String> {
    let heard = found(robot).into_iter().filter(|it| it.memory.scope == Scope::Fleet);
    let mut lessons: Vec<String> = heard.map(|it| it.memory.content).collect();
    lessons.sort();
    lessons
}

fn receipt(claims: &[Claim]) -> (u64, u64) {
    let receipt = claims.iter().find(|it| it.op == ClaimOp::Receipt).expect("a receipt");
    let removed = receipt.removed.expect("counts");
    (removed.deleted_count, removed.rewritten_count)
}

/// What a policy tells that shares limits and lessons only: not the attempts.
fn without_attempts(claims: Vec<Claim>) -> Vec<Claim> {
    let is_summary = |it: &Claim| it.statement.as_ref().is_none_or(|it| it.kind == Kind::Summary);
    claims.into_iter().filter(is_summary).collect()
}

#[test]
fn a_lesson_of_revoked_attempts_goes_although_its_origin_is_gone() {
    let (one, lesson) = taught("arm-1");
    let since = Stamp(one.clock_now().0 - HOUR);
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    take(&two, std::slice::from_ref(&lesson));
    assert_eq!(heard(&two).len(), 1);
    let now = one.clock_now();
    let revocation = of_time(since, now, now);
    take(&two, std::slice::from_ref(&revocation));
    assert_eq!(heard(&two), [""; 0], "the origin says nothing more");
    assert_eq!(receipt(&tell(&two)), (1, 0));
    // It comes late, and once more in other words, without the origin having answered.
    take(&three, &[revocation, lesson.clone()]);
    take(&three, &[Claim { revision: lesson.revision + 1, op: ClaimOp::Revise, ..lesson }]);
    assert_eq!(heard(&three), [""; 0]);
}

#[test]
fn a_lesson_that_was_forgotten_here_is_not_told_back_by_a_revocation() {
    let (one, lesson) = taught("arm-1");
    let since = Stamp(one.clock_now().0 - HOUR);
    let two = robot("arm-2");
    take(&two, std::slice::from_ref(&lesson));
    let id = found(&two).iter().find(|it| it.memory.scope == Scope::Fleet).map(|it| it.memory.id);
    forget(&two, id.expect("it was told"));
    let now = one.clock_now();
    take(&two, &[of_time(since, now, now)]);
    let mut again = Claim { revision: lesson.revision + 1, op: ClaimOp::Revise, ..lesson };
    again.statement.as_mut().expect("it says something").content += " every time";
    let receipt = Claim {
        origin: "arm-1".into(),
        op: ClaimOp::Receipt,
        target: Some(MemoryRef { origin: "ops".into(), memory_id: 1 }),
        removed: Some(Removed { deleted_count: 1, rewritten_count: 1 }),
        ..revoke("arm-1", 1, now, Selector::default())
    };
    let on_its_way = Claim { revision: again.revision + 1, ..again.clone() };
    let later = Claim { revision: again.revision + 2, ..again.clone() };
    take(&two, &[again, on_its_way, Claim { selector: None, ..receipt }, later]);
    assert_eq!(heard(&two), [""; 0]);
}

#[test]
fn a_lesson_that_was_told_before_the_revoked_time_stays() {
    let (one, lesson) = taught("arm-1");
    let two = robot("arm-2");
    take(&two, std::slice::from_ref(&lesson));
    one.sleep_days(1.0);
    let since = one.clock_now();
    one.sleep_days(0.1);
    take(&two, &[of_time(since, one.clock_now(), one.clock_now())]);
    assert_eq!(heard(&two).len(), 1);
}

#[test]
fn a_lesson_is_made_again_without_the_revoked_attempts_on_every_robot() {
    let one = robot("arm-1");
    // At first it breaks above 13 N; with a gripper that is off it seemed to break above 9.
    grips(&one, 13.0);
    let (two, three) = (robot("arm-2"), robot("arm-3"));
    take(&two, &without_attempts(tell(&one)));
    let mut right = heard(&two);
    assert_eq!(right.len(), 1);
    right.push(right[0].replace("glass cup", "steel plate"));
    one.sleep_days(1.0);
    let since = one.clock_now();
    for _ in 0..4 {
        grips(&one, 9.0);
    }
    let until = one.clock_now();
    one.sleep_days(0.1);
    // Nothing of this was wrong, but who does not know the attempts cannot tell.
    grips_of(&one, "steel plate", 13.0);
    let misled = without_attempts(tell(&one));
    take(&two, &misled);
    take(&three, &misled);
    assert!(heard(&two).contains(&right[1]) && !heard(&two).contains(&right[0]));
    one.sleep_days(0.1);
    let revocation = of_time(since, until, one.clock_now());
    for robot in [&one, &two, &three] {
        take(robot, std::slice::from_ref(&revocation));
    }
    assert_eq!((heard(&two), heard(&three)), (Vec::new(), Vec::new()));
    follow(&one);
    let again = without_attempts(tell(&one));
    let (deleted_count, rewritten_count) = receipt(&again);
    assert!(deleted_count >= 80 && rewritten_count >= 1, "{deleted_count} {rewritten_count}");
    for robot in [&two, &three] {
        take(robot, &again);
        assert_eq!(heard(robot), right);
    }
    // Who was away hears all of it at once.
    let late = robot("arm-4");
    take(&late, &[misled, vec![revocation], again].concat());
    assert_eq!(heard(&late), right);
}

#[test]
fn a_revoked_time_is_by_the_clock_of_its_origin_however_far_that_is_off() {
    for ahead in [6 * HOUR, -6 * HOUR] {
        let (one, two) = (robot("arm-1"), robot("arm-2"));
        one.learn(GLASS);
        let shifted = |stamp: Stamp| Stamp(stamp.0 + ahead);
        let mut claims = tell(&one);
        for claim in &mut claims {
            claim.stamp = shifted(claim.stamp);
            let statement = claim.statement.as_mut().expect("it says something");
            statement.created_at = shifted(statement.created_at);
        }
        let made_at = claims[0].statement.as_ref().expect("it says something").created_at;
        let echo = as_told_by(&claims[0], "arm-3", &[("arm-1", claims[0].memory_id)]);
        take(&two, &[claims[0].clone(), Claim { memory_id: 9, ..echo }]);
        let other = of_time(Stamp(made_at.0 - HOUR), made_at, one.clock_now());
        take(&two, &[other]);
        assert_eq!(hits(&two, "grip the glass").len(), 1, "{ahead}");
        let meant = of_time(made_at, Stamp(made_at.0 + 1), one.clock_now());
        take(&two, &[Claim { memory_id: 2, ..meant }]);
        assert_eq!(hits(&two, "grip the glass").len(), 0, "{ahead}");
    }
}

fn adopt(robot: &Robot, memory_id: i64) -> AdoptResponse {
    robot.call::<Adopt>(AdoptRequest { memory_id, ..Default::default() })
}

#[test]
fn what_is_adopted_is_ones_own_and_goes_back_to_who_told_it() {
    let (one, two, three) = (robot("arm-1"), robot("arm-2"), robot("arm-3"));
    let root = one.learn(GLASS).memory_id;
    let claims = tell(&one);
    take(&two, &claims);
    take(&three, &claims);
    let heard = hits(&two, "grip the glass")[0].memory.id;
    let adopted = adopt(&two, heard);
    assert!(adopted.memory_id > heard && adopted.existing_id == 0 && !adopted.truncated);
    assert_eq!(adopted.transfer, [""; 0]);
    let request = GetMemoryRequest { memory_id: adopted.memory_id, ..Default::default() };
    let own = two.call::<GetMemory>(request).memory;
    assert_eq!((own.content.as_str(), &own.scope), (GLASS, &Scope::Global));
    // Others hear an echo.
    let echo = tell(&two);
    let statement = echo[0].statement.as_ref().expect("it says something");
    let from = MemoryRef { origin: "arm-1".into(), memory_id: root };
    assert_eq!((&statement.roots, &statement.derived_from), (&vec![from.clone()], &vec![from]));
    take(&three, &echo);
    let why = &hits(&three, "grip the glass")[0].why;
    assert_eq!((why.told_by.len(), why.independent_count), (2, 1));
    // Its origin may take it back: who adopted it stands for it.
    forget(&one, root);
    take(&two, &tell(&one));
    assert_eq!(hits(&two, "grip the glass").len(), 1);
    // But not when what it goes back to was wrong.
    let until = Stamp(one.clock_now().0 + HOUR);
    let revocation = of_time(Stamp(0), until, one.clock_now());
    take(&two, std::slice::from_ref(&revocation));
    assert_eq!(hits(&two, "grip the glass").len(), 0);
    let told = tell(&two);
    assert_eq!(receipt(&told), (1, 0));
    assert!(told.iter().any(|it| (it.memory_id, it.op) == (adopted.memory_id, ClaimOp::Retract)));
}

#[test]
fn what_is_forgotten_while_it_is_being_adopted_is_not() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    one.learn(GLASS);
    take(&two, &tell(&one));
    let memory_id = hits(&two, "grip the glass")[0].memory.id;
    while_embedding(&two, "glass", move |engine| {
        crate::waiting::forget(engine, memory_id).expect("it is forgotten");
    });
    let refused = two.refused::<Adopt>(AdoptRequest { memory_id, ..Default::default() });
    assert_eq!(refused.0, ErrorKind::InvalidState);
    assert_eq!(hits(&two, "grip the glass").len(), 0);
}

#[test]
fn a_receipt_for_a_revocation_that_says_the_same_counts() {
    let (one, lesson) = taught("arm-1");
    let (since, now) = (Stamp(one.clock_now().0 - HOUR), one.clock_now());
    let two = robot("arm-2");
    // The lesson itself was made in that time, too.
    let first = of_time(since, Stamp(now.0 + HOUR), now);
    let again = Claim { memory_id: 2, ..first.clone() };
    // The first one never reached its origin.
    take(&one, std::slice::from_ref(&again));
    let receipt: Vec<Claim> =
        tell(&one).into_iter().filter(|it| it.op == ClaimOp::Receipt).collect();
    let revised = Claim { revision: lesson.revision + 1, op: ClaimOp::Revise, ..lesson };
    take(&two, &[vec![first], vec![revised.clone()]].concat());
    assert_eq!(heard(&two), [""; 0]);
    let revised = Claim { revision: revised.revision + 1, ..revised };
    take(&two, &[vec![again], receipt, vec![revised]].concat());
    assert_eq!(heard(&two).len(), 1);
}

#[test]
fn what_two_robots_told_stays_adopted_while_one_of_them_is_believed() {
    let (one, two, three) = (robot("arm-1"), robot("arm-2"), robot("arm-3"));
    one.learn(GLASS);
    three.learn(GLASS);
    take(&two, &tell(&one));
    take(&two, &tell(&three));
    let heard = hits(&two, "grip the glass")[0].memory.id;
    let own = adopt(&two, heard).memory_id;
    let again = adopt(&two, heard);
    assert_eq!((again.memory_id, again.existing_id), (0, own));
    let until = Stamp(one.clock_now().0 + HOUR);
    take(&two, &[of_time(Stamp(0), until, one.clock_now())]);
    let left = hits(&two, "grip the glass");
    assert!(left.iter().any(|it| it.memory.id == own), "{left:?}");
}

#[test]
fn only_what_others_told_can_be_adopted() {
    let (one, two) = (robot("arm-1"), robot("arm-2"));
    let own = two.learn("The tray is red").memory_id;
    one.learn("The tray is red");
    take(&two, &tell(&one));
    let refused =
        |memory_id| two.refused::<Adopt>(AdoptRequest { memory_id, ..Default::default() });
    assert_eq!(refused(0).0, ErrorKind::InvalidArgument);
    assert_eq!(refused(77).0, ErrorKind::NotFound);
    let (kind, text) = refused(own);
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(text.contains("is none that other robots tell"), "{text}");
    // What it says itself stays its own experience.
    let heard = hits(&two, "red tray")
        .iter()
        .find(|it| it.memory.scope == Scope::Fleet)
        .map(|it| it.memory.id);
    let answer = adopt(&two, heard.expect("it was told"));
    assert_eq!((answer.memory_id, answer.existing_id), (0, own));
    let roots = tell(&two)[0].statement.as_ref().expect("it says something").roots.clone();
    assert_eq!(roots, [MemoryRef { origin: "arm-2".into(), memory_id: own }]);
}
