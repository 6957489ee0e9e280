//! What is said of the fleet: whether it is reached, how much waits, and who told how much.

use super::components::part;
use crate::{FleetStanding, SiteCounts};
use robot_memory_core::api::ComponentStatus;
use robot_memory_core::api::StatusLevel::{Ok, Warn};
use std::fmt::Write;

/// Robots that are named as having another time.
const SKEWED_MAX: usize = 3;

/// The part that tells of it.
pub(super) fn fleet(found: &FleetStanding) -> ComponentStatus {
    let FleetStanding { robot_id, summary, link, .. } = found;
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
