//! What is said of the fleet: whether it is reached, how much waits, and who told how much.

use super::components::part;
use crate::{FleetLinkState, FleetStanding, SiteCounts};
use robot_memory_core::api::ComponentStatus;
use robot_memory_core::api::StatusLevel::{Ok, Warn};
use std::fmt::Write;

/// Robots that are named as having another time.
const SKEWED_MAX: usize = 3;

/// The part that tells of it.
pub(super) fn fleet(found: &FleetStanding) -> ComponentStatus {
    let FleetStanding { robot_id, summary, link } = found;
    let totals = &summary.totals;
    let held: u64 = summary.told_by.iter().map(|it| it.held_count).sum();
    let mut message = format!(
        "{robot_id}: {} memories are told, {} wait to be; {held} memories of {} other robots are here",
        totals.told_count,
        totals.waiting_count,
        summary.told_by.len(),
    );
    let mut level = Ok;
    let mut warn = |text: String| {
        level = Warn;
        let _ = write!(message, "; {text}");
    };
    if totals.dropped_count > 0 {
        warn(format!("{} were never told: too many waited", totals.dropped_count));
    }
    if summary.shares_nothing {
        warn("nothing is told: the access policy has no rule under fleet that shares".to_owned());
    }
    let skewed = summary.told_by.iter().filter(|it| it.is_skewed());
    for robot in skewed.take(SKEWED_MAX) {
        warn(format!("the clock of {} is {:.0} s ahead", robot.origin, robot.ahead_secs()));
    }
    let state = match link {
        None => "unknown",
        Some(link) => {
            for (reason, count) in &link.refused {
                warn(format!("{count} claims refused: {reason}"));
            }
            if link.missed > 0 {
                warn(format!(
                    "{} messages were dropped by the hub before they were taken: let its stream FLEET keep more, and revoke \
                     again what was revoked meanwhile",
                    link.missed
                ));
            }
            let _ = write!(message, "{}", on_the_way(link));
            if link.site.asked > link.site.answered {
                let SiteCounts { asked, answered } = link.site;
                let _ = write!(message, "; the site answered {answered} of {asked} questions");
            }
            match &link.fault {
                None if link.lag == 0 => "connected",
                None => {
                    let _ = write!(message, "; {} messages are still to be taken", link.lag);
                    "connected"
                }
                Some(fault) => {
                    level = Warn;
                    let _ = write!(message, "; {fault}");
                    "unreachable"
                }
            }
        }
    };
    part("fleet", level, state, message)
}

/// What is on its way from and to this robot, of which nothing is wrong.
fn on_the_way(link: &FleetLinkState) -> String {
    let mut text = String::new();
    if link.unacked > 0 {
        let _ = write!(text, "; {} are sent and not acknowledged yet", link.unacked);
    }
    if link.unforwarded > 0 {
        let _ = write!(
            text,
            "; {} claims wait on the robot's own server for the hub",
            link.unforwarded_text()
        );
    }
    if link.came_again > 0 {
        let _ = write!(text, "; {} claims came again and changed nothing", link.came_again);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(link: FleetLinkState) -> ComponentStatus {
        let found = FleetStanding {
            robot_id: "arm-1".into(),
            link: Some(link),
            ..FleetStanding::default()
        };
        fleet(&found)
    }

    #[test]
    fn what_is_on_the_way_is_said_and_only_what_is_lost_warns() {
        let quiet = said(FleetLinkState::default());
        assert_eq!((quiet.level, quiet.state.as_str()), (Ok, "connected"));
        for word in ["own server", "acknowledged", "came again", "dropped"] {
            assert!(!quiet.message.contains(word), "{}", quiet.message);
        }
        let on_the_way = FleetLinkState {
            unacked: 2,
            unforwarded: 4100,
            came_again: 11,
            ..FleetLinkState::default()
        };
        let busy = said(on_the_way.clone());
        assert_eq!(busy.level, Ok);
        for part in [
            "; 2 are sent and not acknowledged yet",
            "; at most 4100 claims wait on the robot's own server for the hub",
            "; 11 claims came again and changed nothing",
        ] {
            assert!(busy.message.contains(part), "{part}: {}", busy.message);
        }
        let known = said(FleetLinkState { is_unforwarded_known: true, ..on_the_way });
        assert!(known.message.contains("; 4100 claims wait"), "{}", known.message);
        let lost = said(FleetLinkState { missed: 23, ..FleetLinkState::default() });
        assert_eq!(lost.level, Warn);
        let part = "; 23 messages were dropped by the hub before they were taken";
        assert!(lost.message.contains(part), "{}", lost.message);
    }
}
