//! The goals of one action, from one status to the next.

use robot_memory_core::api::Verdict;
use robot_memory_core::model::Stamp;
use std::collections::{BTreeMap, BTreeSet};

/// A goal's UUID.
pub(super) type GoalId = [u8; 16];

/// A goal as a status array has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GoalStatus {
    pub id: GoalId,
    /// When it was accepted, by its server's clock.
    pub accepted_at: Stamp,
    /// A number of `action_msgs/msg/GoalStatus`.
    pub status: i8,
}

/// Where a goal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoalState {
    /// Its server works on it.
    Open,
    /// It has ended.
    Ended(Verdict),
    /// Its server does not tell of it any more, and never told how it ended.
    Gone,
}

/// What is new of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GoalStep {
    pub id: GoalId,
    pub accepted_at: Stamp,
    pub state: GoalState,
    /// Whether it may have come to this long before it was received.
    pub is_late: bool,
    /// Why it ended so, as far as the status shows it; empty otherwise.
    pub reason: &'static str,
}

const REPLACED: &str = "aborted while a later goal of this action was active";
const FORGOTTEN: &str = "its server does not list it any more and never reported its end";
const SERVER_GONE: &str = "the action server was gone before it ended";

/// What is known of the goals of one action. An array has all that its server knows, so of those in between
/// none is missed that still matters.
#[derive(Debug, Default)]
pub(super) struct GoalTracker {
    /// Those whose last step was taken: when they were accepted, and whether they have ended.
    known: BTreeMap<GoalId, (Stamp, bool)>,
    /// Those of which nothing was taken yet.
    waiting: BTreeSet<GoalId>,
    /// Those whose status is no known number.
    odd: BTreeSet<GoalId>,
    last: Vec<GoalStatus>,
    /// Whether an array came since the subscription, or since the server came back.
    has_begun: bool,
    is_behind: bool,
    /// Goals that were seen.
    pub seen_count: u64,
    /// Those of them that were listed no more before anything of them was taken.
    pub lost_count: u64,
    /// Goals whose status was no known number.
    pub odd_count: u64,
}

impl GoalTracker {
    /// Takes a status array in. `put` takes what is new, or answers that it cannot now.
    pub fn receive(&mut self, goals: Vec<GoalStatus>, put: impl FnMut(GoalStep) -> bool) {
        let is_late = !std::mem::replace(&mut self.has_begun, true);
        self.last = goals;
        self.step(is_late, put);
    }

    /// Gives again what could not be taken.
    pub fn retry(&mut self, put: impl FnMut(GoalStep) -> bool) {
        if self.is_behind {
            self.step(true, put);
        }
    }

    /// The action's server is there no more, nor any of its goals.
    pub fn lose_server(&mut self, mut put: impl FnMut(GoalStep) -> bool) {
        self.has_begun = false;
        self.last.clear();
        self.drop_waiting();
        self.is_behind = false;
        self.end_unlisted(&BTreeSet::new(), SERVER_GONE, &mut put);
    }

    /// Whether a goal is active.
    pub fn has_open(&self) -> bool {
        self.open_count() > 0
    }

    /// How many are.
    pub fn open_count(&self) -> usize {
        self.known.values().filter(|(_, has_ended)| !has_ended).count()
    }

    fn step(&mut self, is_late: bool, mut put: impl FnMut(GoalStep) -> bool) {
        self.is_behind = false;
        let listed: BTreeSet<GoalId> = self.last.iter().map(|goal| goal.id).collect();
        self.end_unlisted(&listed, FORGOTTEN, &mut put);
        self.odd.retain(|id| listed.contains(id));
        let before = self.waiting.len();
        self.waiting.retain(|id| listed.contains(id));
        self.lost_count += (before - self.waiting.len()) as u64;
        let active = self.last.iter().filter(|goal| state_of(goal.status) == Some(GoalState::Open));
        let newest = active.map(|goal| goal.accepted_at).max();
        for goal in self.last.clone() {
            let GoalStatus { id, accepted_at, status } = goal;
            let known = self.known.get(&id).copied();
            let Some(state) = state_of(status) else {
                self.odd_count += u64::from(self.odd.insert(id));
                continue;
            };
            let is_new = match known {
                None => true,
                Some((_, has_ended)) => !has_ended && state != GoalState::Open,
            };
            if !is_new {
                continue;
            }
            if known.is_none() && !self.waiting.contains(&id) {
                self.seen_count += 1;
            }
            let is_replaced = state == GoalState::Ended(Verdict::Failure)
                && newest.is_some_and(|newest| newest > accepted_at);
            let reason = if is_replaced { REPLACED } else { "" };
            if put(GoalStep { id, accepted_at, state, is_late, reason }) {
                self.waiting.remove(&id);
                self.known.insert(id, (accepted_at, state != GoalState::Open));
            } else {
                self.is_behind = true;
                if known.is_none() {
                    self.waiting.insert(id);
                }
            }
        }
    }

    /// Those that are not listed any more.
    fn end_unlisted(
        &mut self,
        listed: &BTreeSet<GoalId>,
        reason: &'static str,
        put: &mut impl FnMut(GoalStep) -> bool,
    ) {
        let mut is_behind = false;
        self.known.retain(|id, (accepted_at, has_ended)| {
            if listed.contains(id) {
                return true;
            }
            let (id, accepted_at, state) = (*id, *accepted_at, GoalState::Gone);
            let is_taken =
                *has_ended || put(GoalStep { id, accepted_at, state, is_late: true, reason });
            is_behind |= !is_taken;
            !is_taken
        });
        self.is_behind |= is_behind;
    }

    fn drop_waiting(&mut self) {
        self.lost_count += self.waiting.len() as u64;
        self.waiting.clear();
    }
}

/// What a number means; `None`: nothing that is known.
const fn state_of(status: i8) -> Option<GoalState> {
    match status {
        // Accepted, executing, canceling.
        1..=3 => Some(GoalState::Open),
        4 => Some(GoalState::Ended(Verdict::Success)),
        5 => Some(GoalState::Ended(Verdict::Cancelled)),
        6 => Some(GoalState::Ended(Verdict::Failure)),
        _ => None,
    }
}
