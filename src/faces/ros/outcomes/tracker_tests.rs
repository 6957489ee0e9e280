use super::tracker::{GoalState, GoalStatus, GoalStep, GoalTracker};
use GoalState::{Ended, Gone, Open};
use robot_memory_core::api::Verdict;
use robot_memory_core::model::Stamp;

fn goal(number: u8, status: i8) -> GoalStatus {
    GoalStatus { id: [number; 16], accepted_at: Stamp::from_secs(number.into()), status }
}

/// What a tracker gives for an array, when it is all taken.
fn steps(tracker: &mut GoalTracker, goals: &[GoalStatus]) -> Vec<(u8, GoalState, bool)> {
    let mut all = Vec::new();
    tracker.receive(goals.to_vec(), |step: GoalStep| {
        all.push((step.id[0], step.state, step.is_late));
        true
    });
    all
}

#[test]
fn each_goal_begins_once_and_ends_once() {
    let mut tracker = GoalTracker::default();
    assert_eq!(steps(&mut tracker, &[]), []);
    assert_eq!(steps(&mut tracker, &[goal(1, 1)]), [(1, Open, false)]);
    assert_eq!(steps(&mut tracker, &[goal(1, 2)]), []);
    assert_eq!(steps(&mut tracker, &[goal(1, 2), goal(2, 1)]), [(2, Open, false)]);
    let ended = [goal(1, 4), goal(2, 5), goal(3, 6)];
    let verdicts = [Verdict::Success, Verdict::Cancelled, Verdict::Failure].map(Ended);
    let expected = [(1, verdicts[0], false), (2, verdicts[1], false), (3, verdicts[2], false)];
    assert_eq!(steps(&mut tracker, &ended), expected);
    assert_eq!(steps(&mut tracker, &ended), []);
    assert_eq!(steps(&mut tracker, &[]), []);
    assert_eq!((tracker.seen_count, tracker.lost_count, tracker.has_open()), (3, 0, false));
}

#[test]
fn what_the_first_array_has_may_be_old() {
    let mut tracker = GoalTracker::default();
    let first = [goal(1, 4), goal(2, 2)];
    let expected = [(1, Ended(Verdict::Success), true), (2, Open, true)];
    assert_eq!(steps(&mut tracker, &first), expected);
    assert_eq!(steps(&mut tracker, &[goal(2, 6)]), [(2, Ended(Verdict::Failure), false)]);
}

#[test]
fn a_goal_that_is_listed_no_more_is_gone_unless_it_had_ended() {
    let mut tracker = GoalTracker::default();
    steps(&mut tracker, &[goal(1, 2), goal(2, 4)]);
    assert_eq!(steps(&mut tracker, &[goal(3, 2)]), [(1, Gone, true), (3, Open, false)]);
    let mut gone = Vec::new();
    tracker.lose_server(|step| {
        gone.push((step.id[0], step.state));
        true
    });
    assert_eq!(gone, [(3, Gone)]);
    assert!(!tracker.has_open());
    // It comes back and still works on it.
    assert_eq!(steps(&mut tracker, &[goal(3, 2)]), [(3, Open, true)]);
}

#[test]
fn what_cannot_be_taken_is_given_again_and_counted_when_it_is_lost() {
    let mut tracker = GoalTracker::default();
    tracker.receive(vec![goal(1, 2), goal(2, 2)], |step| step.id[0] == 1);
    let mut again = Vec::new();
    tracker.retry(|step| {
        again.push(step.id[0]);
        false
    });
    assert_eq!((again, tracker.lost_count), (vec![2], 0));
    tracker.receive(vec![goal(1, 2)], |_| false);
    assert_eq!((tracker.seen_count, tracker.lost_count), (2, 1));
    // That a known one is gone is given until it is taken.
    tracker.receive(Vec::new(), |_| false);
    let mut gone = Vec::new();
    tracker.retry(|step| {
        gone.push((step.id[0], step.state));
        true
    });
    assert_eq!(gone, [(1, Gone)]);
    tracker.retry(|_| panic!("nothing is left"));
}

#[test]
fn an_abort_beside_a_later_goal_says_so() {
    let mut tracker = GoalTracker::default();
    steps(&mut tracker, &[goal(1, 2)]);
    let mut reasons = Vec::new();
    tracker.receive(vec![goal(1, 6), goal(2, 2)], |step| {
        reasons.push(step.reason.is_empty());
        true
    });
    tracker.receive(vec![goal(1, 6), goal(2, 6)], |step| {
        reasons.push(step.reason.is_empty());
        true
    });
    assert_eq!(reasons, [false, true, true]);
}

#[test]
fn a_number_that_is_no_status_is_counted_once() {
    let mut tracker = GoalTracker::default();
    for _ in 0..3 {
        assert_eq!(steps(&mut tracker, &[goal(1, 0)]), []);
    }
    assert_eq!((tracker.seen_count, tracker.odd_count), (0, 1));
}
