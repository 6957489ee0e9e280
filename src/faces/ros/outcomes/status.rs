//! How the actions are doing whose goals become attempts, for `/diagnostics`.

use crate::faces::ros::diagnostics::{OK, WARN, value};
use crate::faces::ros::wire::text;
use r2r::diagnostic_msgs::msg::DiagnosticStatus;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is known of one action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::faces::ros) struct ActionStatus {
    /// Empty when it is not known.
    pub type_name: String,
    /// Whether somebody offers it now.
    pub is_offered: bool,
    /// Goals that its servers told of, and how many of them are active.
    pub seen_count: u64,
    pub open_count: u64,
    /// Goals that were dropped: too many waited until they were listed no more.
    pub dropped_count: u64,
    /// Goals with a status that is none of ROS.
    pub odd_count: u64,
    /// Goals that became attempts.
    pub begun_count: u64,
    /// Goals that were attempts already, told of again.
    pub known_count: u64,
    /// Attempts that got their verdict.
    pub ended_count: u64,
    /// Attempts whose goal was listed no more before its end.
    pub interrupted_count: u64,
    /// Goals that the store refused, and why the last one.
    pub refused_count: u64,
    pub refused: String,
}

/// Those of all actions, and why the store takes none now; empty when it does.
#[derive(Debug, Default)]
struct All {
    actions: BTreeMap<String, ActionStatus>,
    waits_for: String,
}

/// The status of all actions, shared by the threads that change it and the one that reports it.
#[derive(Debug, Clone, Default)]
pub(in crate::faces::ros) struct ActionStatuses(Arc<Mutex<All>>);

impl ActionStatuses {
    /// Changes what is known of one action.
    pub fn change(&self, action: &str, change: impl FnOnce(&mut ActionStatus)) {
        let mut all = self.lock();
        match all.actions.get_mut(action) {
            Some(status) => change(status),
            None => change(all.actions.entry(action.to_owned()).or_default()),
        }
    }

    /// Says why goals wait for the store. Answers whether that is new.
    pub fn wait_for(&self, reason: &str) -> bool {
        let mut all = self.lock();
        let is_new = all.waits_for != reason;
        reason.clone_into(&mut all.waits_for);
        is_new
    }

    /// One for each action.
    pub fn diagnoses(&self, node_name: &str) -> Vec<DiagnosticStatus> {
        let all = self.lock();
        let actions = all.actions.iter();
        actions.map(|(action, it)| diagnosis(node_name, action, it, &all.waits_for)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn diagnosis(
    node_name: &str,
    action: &str,
    status: &ActionStatus,
    waits_for: &str,
) -> DiagnosticStatus {
    let (level, message) = verdict(status, waits_for);
    DiagnosticStatus {
        level,
        name: text(format!("{}: action {action}", node_name.trim_start_matches('/'))),
        message: text(message),
        hardware_id: text(action),
        values: vec![
            value("type", &status.type_name),
            value("goals", status.seen_count),
            value("goals active", status.open_count),
            value("goals stored as attempts", status.begun_count),
            value("goals stored before", status.known_count),
            value("attempts ended", status.ended_count),
            value("attempts interrupted", status.interrupted_count),
            value("goals dropped: too many waited", status.dropped_count),
            value("goals not stored", status.refused_count),
            value("goals with an unknown status", status.odd_count),
        ],
    }
}

/// What is to be known first.
fn verdict(status: &ActionStatus, waits_for: &str) -> (u8, String) {
    if !waits_for.is_empty() {
        return (WARN, format!("goals wait: {waits_for}"));
    }
    if status.dropped_count > 0 {
        return (WARN, format!("{} goals were dropped: too many waited", status.dropped_count));
    }
    if status.refused_count > 0 {
        let ActionStatus { refused_count, refused, .. } = status;
        return (WARN, format!("{refused_count} goals were not stored: {refused}"));
    }
    if !status.is_offered {
        return (OK, "no server".to_owned());
    }
    (OK, format!("{} goals, {} active", status.seen_count, status.open_count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_told_first() {
        let offered =
            ActionStatus { is_offered: true, seen_count: 3, open_count: 1, ..Default::default() };
        let dropped = ActionStatus { dropped_count: 2, ..offered.clone() };
        let refused = "a secret".to_owned();
        let refused = ActionStatus { refused_count: 1, refused, ..offered.clone() };
        let cases = [
            (&offered, "", OK, "3 goals, 1 active"),
            (&offered, "the disk is full", WARN, "goals wait: the disk is full"),
            (&dropped, "", WARN, "2 goals were dropped: too many waited"),
            (&refused, "", WARN, "1 goals were not stored: a secret"),
            (&ActionStatus::default(), "", OK, "no server"),
        ];
        for (status, waits_for, level, message) in cases {
            assert_eq!(verdict(status, waits_for), (level, message.to_owned()));
        }
        let statuses = ActionStatuses::default();
        statuses.change("/arm/pick", |status| *status = offered.clone());
        assert!(statuses.wait_for("full") && !statuses.wait_for("full") && statuses.wait_for(""));
        let published = statuses.diagnoses("/ns/memory");
        assert_eq!(published[0].name, text("ns/memory: action /arm/pick"));
    }
}
