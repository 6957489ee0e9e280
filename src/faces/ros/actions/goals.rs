//! The goals of one action: which there are, and where each is on its way.
//!
//! As action_msgs says it. Nothing of ROS is named here but numbers.

use std::time::{Duration, Instant};

/// Goals that are under way at a time.
pub(super) const LIVE_MAX: usize = 16;
/// Goals that are known, with those that have ended.
const KNOWN_MAX: usize = 64;
/// Who asks for the result of one goal at a time.
const WAITING_MAX: usize = 16;
/// How long the result of a goal can be asked for.
const RESULT_AGE_MAX: Duration = Duration::from_secs(60);

/// A goal's UUID.
pub(in crate::faces::ros) type GoalId = [u8; 16];

/// Seconds and nanoseconds.
pub(in crate::faces::ros) type Time = (i32, u32);

/// Where a goal is: the numbers of GoalStatus.msg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub(in crate::faces::ros) enum Stage {
    /// It is being queued.
    Accepted = 1,
    /// Its job is followed.
    Executing = 2,
    /// It is to be stopped.
    Canceling = 3,
    Succeeded = 4,
    Canceled = 5,
    Aborted = 6,
}

impl Stage {
    const fn is_live(self) -> bool {
        matches!(self, Self::Accepted | Self::Executing | Self::Canceling)
    }
}

/// A goal. `R` is its result, `W` somebody who waits for it.
struct Goal<R, W> {
    id: GoalId,
    accepted_at: Time,
    stage: Stage,
    /// 0: not known yet.
    job_id: i64,
    result: Option<R>,
    waiting: Vec<W>,
    ended: Option<Instant>,
}

/// A goal that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Live {
    pub id: GoalId,
    pub job_id: i64,
    pub is_canceling: bool,
}

/// Why no goal is canceled: the numbers of CancelGoal.srv.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i8)]
pub(super) enum NotCanceled {
    Rejected = 1,
    Unknown = 2,
    Terminated = 3,
}

/// What becomes of a request for the result of a goal.
pub(super) enum ResultRequest<R, W> {
    /// It is there.
    Ended(W, Stage, R),
    /// There is no such goal, or too many wait for it.
    Unknown(W),
    /// It is answered when the goal ends.
    Waits,
}

/// Every goal of an action that is known, in the order in which they came.
pub(super) struct Goals<R, W>(Vec<Goal<R, W>>);

impl<R, W> Default for Goals<R, W> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<R: Clone, W> Goals<R, W> {
    /// Takes a goal in. Not one whose id is known, nor one too many.
    pub fn take(&mut self, id: GoalId, accepted_at: Time) -> bool {
        let live = self.0.iter().filter(|goal| goal.stage.is_live()).count();
        if live >= LIVE_MAX || self.find(id).is_some() {
            return false;
        }
        if self.0.len() >= KNOWN_MAX {
            let oldest = self.0.iter().position(|goal| !goal.stage.is_live());
            oldest.map(|oldest| self.0.remove(oldest));
        }
        let (stage, waiting) = (Stage::Accepted, Vec::new());
        self.0.push(Goal { id, accepted_at, stage, job_id: 0, result: None, waiting, ended: None });
        true
    }

    /// Forgets a goal that was taken in by mistake.
    pub fn forget(&mut self, id: GoalId) {
        self.0.retain(|goal| goal.id != id);
    }

    /// Its job is known, and followed from now on.
    pub fn execute(&mut self, id: GoalId, job_id: i64) {
        if let Some(goal) = self.find(id).filter(|goal| goal.stage == Stage::Accepted) {
            (goal.stage, goal.job_id) = (Stage::Executing, job_id);
        }
    }

    /// Marks the goals that are to be canceled, and answers them with the times at which they were
    /// accepted: one by its id, those accepted until a time, both, or, with neither, all.
    pub fn cancel(&mut self, id: GoalId, until: Time) -> Result<Vec<(GoalId, Time)>, NotCanceled> {
        let has_id = id != GoalId::default();
        let has_time = until != Time::default();
        if has_id && !has_time {
            let goal = self.find(id).ok_or(NotCanceled::Unknown)?;
            if !goal.stage.is_live() {
                return Err(NotCanceled::Terminated);
            }
        }
        let is_meant = |goal: &Goal<R, W>| match (has_id, has_time) {
            (false, false) => true,
            (true, false) => goal.id == id,
            (false, true) => goal.accepted_at <= until,
            (true, true) => goal.id == id || goal.accepted_at <= until,
        };
        let mut canceling = Vec::new();
        for goal in &mut self.0 {
            if is_meant(goal) && matches!(goal.stage, Stage::Executing | Stage::Canceling) {
                goal.stage = Stage::Canceling;
                canceling.push((goal.id, goal.accepted_at));
            }
        }
        if canceling.is_empty() { Err(NotCanceled::Rejected) } else { Ok(canceling) }
    }

    /// Ends a goal. Answers those who wait for its result; the first end counts.
    pub fn end(&mut self, id: GoalId, stage: Stage, result: R) -> Vec<W> {
        let Some(goal) = self.find(id).filter(|goal| goal.stage.is_live()) else {
            return Vec::new();
        };
        (goal.stage, goal.result, goal.ended) = (stage, Some(result), Some(Instant::now()));
        std::mem::take(&mut goal.waiting)
    }

    /// Somebody asks for the result of a goal.
    pub fn ask(&mut self, id: GoalId, who: W) -> ResultRequest<R, W> {
        let Some(goal) = self.find(id) else { return ResultRequest::Unknown(who) };
        match &goal.result {
            Some(result) => ResultRequest::Ended(who, goal.stage, result.clone()),
            None if goal.waiting.len() >= WAITING_MAX => ResultRequest::Unknown(who),
            None => {
                goal.waiting.push(who);
                ResultRequest::Waits
            }
        }
    }

    /// Those whose jobs are followed.
    pub fn live(&self) -> Vec<Live> {
        let followed =
            self.0.iter().filter(|goal| goal.stage.is_live() && goal.stage != Stage::Accepted);
        followed
            .map(|goal| Live {
                id: goal.id,
                job_id: goal.job_id,
                is_canceling: goal.stage == Stage::Canceling,
            })
            .collect()
    }

    /// Forgets goals that ended long ago. Answers whether there were any.
    pub fn expire(&mut self, now: Instant) -> bool {
        let before = self.0.len();
        self.0.retain(|goal| {
            goal.ended.is_none_or(|ended| now.saturating_duration_since(ended) < RESULT_AGE_MAX)
        });
        self.0.len() < before
    }

    /// Every goal, when it was accepted, and where it is.
    pub fn stages(&self) -> impl Iterator<Item = (GoalId, Time, Stage)> {
        self.0.iter().map(|goal| (goal.id, goal.accepted_at, goal.stage))
    }

    fn find(&mut self, id: GoalId) -> Option<&mut Goal<R, W>> {
        self.0.iter_mut().find(|goal| goal.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Texts = Goals<&'static str, u32>;

    fn id(number: u8) -> GoalId {
        [number; 16]
    }

    /// Goals 1 to `count`, under way, accepted at the second of their number, each with a job.
    fn executing(count: u8) -> Texts {
        let mut goals = Texts::default();
        for number in 1..=count {
            assert!(goals.take(id(number), (number.into(), 0)));
            goals.execute(id(number), i64::from(number) * 10);
        }
        goals
    }

    fn stages(goals: &Texts) -> Vec<(u8, Stage)> {
        goals.stages().map(|(id, _, stage)| (id[0], stage)).collect()
    }

    #[test]
    fn a_goal_is_taken_once_and_not_too_many() {
        let mut goals = executing(LIVE_MAX as u8);
        assert!(!goals.take(id(1), (1, 0)), "its id is known");
        assert!(!goals.take(id(99), (1, 0)), "too many are under way");
        assert!(goals.end(id(1), Stage::Succeeded, "done").is_empty());
        assert!(goals.take(id(99), (1, 0)));
        assert!(!goals.take(id(1), (1, 0)), "its id is still known");
    }

    #[test]
    fn what_ended_first_makes_room() {
        let mut goals = Texts::default();
        for number in 1..=KNOWN_MAX as u8 + 5 {
            assert!(goals.take(id(number), (1, 0)));
            goals.end(id(number), Stage::Aborted, "no");
        }
        assert_eq!(goals.stages().count(), KNOWN_MAX);
        assert_eq!(goals.stages().next().map(|(id, ..)| id[0]), Some(6));
    }

    #[test]
    fn those_are_canceled_that_are_meant() {
        use NotCanceled::{Rejected, Terminated, Unknown};
        let (none, never) = (GoalId::default(), Time::default());
        // Of four goals, the second has ended.
        /// Which goals, by the first byte of their ids.
        type Canceled = Result<&'static [u8], NotCanceled>;
        let cases: [(GoalId, Time, Canceled); 9] = [
            (none, never, Ok(&[1, 3, 4])),
            (id(3), never, Ok(&[3])),
            (id(2), never, Err(Terminated)),
            (id(9), never, Err(Unknown)),
            (none, (3, 0), Ok(&[1, 3])),
            (none, (0, 5), Err(Rejected)),
            (id(4), (1, 0), Ok(&[1, 4])),
            (id(9), (1, 0), Ok(&[1])),
            (id(2), (0, 5), Err(Rejected)),
        ];
        for (goal, until, expected) in cases {
            let mut goals = executing(4);
            goals.end(id(2), Stage::Succeeded, "done");
            let canceled = goals.cancel(goal, until);
            let canceled = canceled.map(|all| all.iter().map(|(id, _)| id[0]).collect::<Vec<_>>());
            assert_eq!(
                canceled.as_deref(),
                expected.as_ref().map(|all| *all),
                "{goal:?} {until:?}"
            );
            let canceling = goals.live().into_iter().filter(|live| live.is_canceling).count();
            assert_eq!(canceling, expected.map_or(0, <[u8]>::len));
        }
    }

    #[test]
    fn a_goal_that_is_not_queued_yet_is_not_canceled() {
        let mut goals = Texts::default();
        goals.take(id(1), (1, 0));
        assert_eq!(goals.cancel(id(1), Time::default()), Err(NotCanceled::Rejected));
        assert!(goals.live().is_empty());
    }

    #[test]
    fn a_result_is_told_to_who_asked_before_and_after_and_only_the_first() {
        let mut goals = executing(1);
        assert!(matches!(goals.ask(id(1), 7), ResultRequest::Waits));
        assert!(matches!(goals.ask(id(2), 8), ResultRequest::Unknown(8)));
        assert_eq!(goals.end(id(1), Stage::Canceled, "stopped"), [7]);
        assert!(goals.end(id(1), Stage::Succeeded, "too late").is_empty());
        assert!(matches!(goals.ask(id(1), 9), ResultRequest::Ended(9, Stage::Canceled, "stopped")));
        assert_eq!(stages(&goals), [(1, Stage::Canceled)]);
    }

    #[test]
    fn what_ended_long_ago_is_forgotten() {
        let mut goals = executing(2);
        goals.end(id(1), Stage::Succeeded, "done");
        let now = Instant::now();
        assert!(!goals.expire(now));
        assert!(goals.expire(now + RESULT_AGE_MAX + Duration::from_secs(1)));
        assert_eq!(stages(&goals), [(2, Stage::Executing)]);
    }
}
