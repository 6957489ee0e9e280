//! What was revoked: later claims of it are not taken.

use crate::error::Result;
use crate::intake::{Head, Judgment, State};
use postgres::{Row, Transaction};
use robot_memory_core::claim::{Claim, MemoryRef, Selector};
use std::collections::HashMap;

/// What was told to be deleted. Every field that is given must hold.
#[derive(Debug, Clone)]
pub(crate) struct Revoked {
    pub origin: String,
    pub memory_id: Option<i64>,
    pub session_id: String,
    pub stream: String,
    pub since: Option<i64>,
    pub until: Option<i64>,
    pub told_at: i64,
    revoked_by: String,
    revocation_no: i64,
    /// Whether its origin did it: what it makes of other memories does not rest on it any more.
    is_answered: bool,
}

impl Revoked {
    pub fn of(claim: &Claim, selector: &Selector) -> Self {
        Self {
            origin: selector.origin.clone(),
            memory_id: selector.memory_id,
            session_id: selector.session_id.clone(),
            stream: selector.stream.clone(),
            since: selector.since.map(|it| it.0),
            until: selector.until.map(|it| it.0),
            told_at: claim.stamp.0,
            revoked_by: claim.origin.clone(),
            revocation_no: claim.memory_id,
            is_answered: false,
        }
    }

    fn of_row(row: &Row) -> Self {
        Self {
            origin: row.get("origin"),
            memory_id: row.get("memory_id"),
            session_id: row.get("session_id"),
            stream: row.get("stream"),
            since: row.get("since"),
            until: row.get("until"),
            told_at: row.get("told_at"),
            revoked_by: row.get("revoked_by"),
            revocation_no: row.get("revocation_no"),
            is_answered: row.get("is_answered"),
        }
    }

    /// The time from which on nothing is meant: without a given one when it was revoked, unless one memory is named.
    pub fn end(&self) -> Option<i64> {
        self.until.or_else(|| self.memory_id.is_none().then_some(self.told_at))
    }

    /// Whether a memory of the origin is meant that is told later.
    fn means(&self, memory_id: i64, head: &Head) -> bool {
        self.memory_id.is_none_or(|id| id == memory_id)
            && (self.session_id.is_empty() || self.session_id == head.session_id)
            && (self.stream.is_empty() || self.stream == head.stream)
            && self.since.is_none_or(|since| head.made_at >= since)
            && self.end().is_none_or(|end| head.made_at < end)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.origin == other.origin
            && (self.memory_id, self.since, self.until)
                == (other.memory_id, other.since, other.until)
            && (&self.session_id, &self.stream) == (&other.session_id, &other.stream)
    }

    /// Whether what its origin made of these memories may rest on it.
    fn may_mean_sources(&self, head: &Head, roots: &[MemoryRef]) -> bool {
        !self.is_answered
            && self.since.is_none_or(|since| head.told_at >= since)
            && self.memory_id.is_none_or(|id| roots.iter().any(|root| root.memory_id == id))
    }

    /// Whether a verdict of the origin is meant, of which no session and no stream is known.
    fn means_verdict(&self, judgment: &Judgment) -> bool {
        self.session_id.is_empty()
            && self.stream.is_empty()
            && self.memory_id.is_none_or(|id| id == judgment.memory_id)
            && self.since.is_none_or(|since| judgment.told_at >= since)
            && self.end().is_none_or(|end| judgment.told_at < end)
    }

    /// Whether all of a memory of the origin is meant, of which nothing but its id is known.
    fn means_any(&self, memory_id: i64) -> bool {
        self.session_id.is_empty()
            && self.stream.is_empty()
            && self.since.is_none()
            && self.until.is_none()
            && self.memory_id.is_none_or(|id| id == memory_id)
    }
}

/// Whether a robot made a memory of others of its own, as a summary or a lesson.
fn is_made_of_others(origin: &str, memory_id: i64, roots: &[MemoryRef]) -> bool {
    let mut own = roots.iter().filter(|root| root.origin == origin).peekable();
    own.peek().is_some() && own.all(|root| root.memory_id != memory_id)
}

/// The revocations of some origins, by origin.
#[derive(Default)]
pub(crate) struct Revocations(HashMap<String, Vec<Revoked>>);

impl Revocations {
    pub fn load(tx: &mut Transaction<'_>, site_no: i32, origins: &[&str]) -> Result<Self> {
        let rows = tx.query(
            "SELECT r.*, EXISTS (SELECT 1 FROM robot_memory.revocation o JOIN robot_memory.receipt a \
             ON a.site_no = o.site_no AND a.revoked_by = o.revoked_by AND a.revocation_no = o.revocation_no \
             AND a.origin = o.origin WHERE o.site_no = r.site_no AND o.origin = r.origin \
             AND o.memory_id IS NOT DISTINCT FROM r.memory_id AND o.session_id = r.session_id AND o.stream = r.stream \
             AND o.since IS NOT DISTINCT FROM r.since AND o.until IS NOT DISTINCT FROM r.until) \
             AS is_answered FROM robot_memory.revocation r WHERE r.site_no = $1 AND r.origin = ANY ($2)",
            &[&site_no, &origins],
        )?;
        let mut all: HashMap<String, Vec<Revoked>> = HashMap::new();
        for revoked in rows.iter().map(Revoked::of_row) {
            all.entry(revoked.origin.clone()).or_default().push(revoked);
        }
        Ok(Self(all))
    }

    fn of(&self, origin: &str) -> &[Revoked] {
        self.0.get(origin).map_or(&[], Vec::as_slice)
    }

    /// Notes that a robot did what a revocation says.
    pub fn answer(&mut self, robot: &str, target: &MemoryRef) {
        let Some(all) = self.0.get_mut(robot) else { return };
        let is_it = |it: &&Revoked| {
            (&it.revoked_by, it.revocation_no) == (&target.origin, target.memory_id)
        };
        let Some(answered) = all.iter().find(is_it).cloned() else { return };
        for it in all {
            it.is_answered |= it.says_the_same(&answered);
        }
    }

    /// What becomes of a memory that is told now, for what was revoked before; `None`: it is held.
    pub fn state_of(
        &self,
        (origin, memory_id): (&str, i64),
        head: &Head,
        roots: &[MemoryRef],
    ) -> Option<State> {
        let is_made = is_made_of_others(origin, memory_id, roots);
        self.of(origin).iter().find_map(|it| {
            if (!is_made || it.memory_id == Some(memory_id)) && it.means(memory_id, head) {
                return Some(State::Revoked);
            }
            // Its origin tells it again when it has done it.
            (is_made && it.may_mean_sources(head, roots)).then_some(State::Retracted)
        })
    }

    /// Whether a verdict that is told now, or the memory that it is in, was revoked before.
    pub fn mean_verdict(&self, origin: &str, judgment: &Judgment, head: Option<&Head>) -> bool {
        head.is_some_and(|it| it.state == State::Revoked)
            || self.of(origin).iter().any(|it| it.means_verdict(judgment))
    }

    /// Whether all that something goes back to was revoked, before or by `more`.
    pub fn mean_all<'h>(
        &self,
        roots: &[MemoryRef],
        state_of: impl Fn(&MemoryRef) -> Option<&'h State>,
        more: Option<&Revoked>,
    ) -> bool {
        let is_revoked = |root: &MemoryRef| {
            let names = |it: &Revoked| it.origin == root.origin && it.means_any(root.memory_id);
            match state_of(root) {
                Some(State::Revoked) => true,
                Some(_) => more.is_some_and(names),
                None => more.is_some_and(names) || self.of(&root.origin).iter().any(names),
            }
        };
        !roots.is_empty() && roots.iter().all(is_revoked)
    }
}
