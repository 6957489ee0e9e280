//! `memory fleet receipts`

use super::arguments::ReceiptsArguments;
use super::settings;
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::cli::output::Output;
use crate::faces::cli::table::Table;
use crate::faces::cli::values::{rfc_3339_secs, visible};
use robot_memory_claims::{KnownRobots, verify};
use robot_memory_core::claim::{Claim, ClaimOp, Removed, Selector};
use robot_memory_core::limits::REVOCATIONS_SHOWN_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_fleet::read_all;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// For millions of messages over a slow network.
const TIMEOUT: Duration = Duration::from_secs(900);

/// A revocation, and who answered it.
#[derive(Default)]
struct Revoked {
    /// When, and what; `None`: the stream only has answers to it.
    said: Option<(Stamp, Selector)>,
    /// By robot.
    answers: BTreeMap<String, (Stamp, Removed)>,
}

/// What is known of the revocations of one authority.
struct Revocations {
    by: String,
    number: Option<i64>,
    by_number: BTreeMap<i64, Revoked>,
    /// Messages that are no claims of this fleet, by reason.
    refused: BTreeMap<&'static str, u64>,
}

/// Shows who answered the revocations of an authority.
pub fn run(arguments: ReceiptsArguments, output: &mut Output) -> Outcome {
    let settings = settings(&arguments.server)?;
    let ReceiptsArguments { server, robots, number } = arguments;
    let known = KnownRobots::open(&robots)
        .map_err(|fault| Failure::Given(format!("--robots: {}: {fault}", robots.display())))?;
    if known.public_key(&server.name).is_none() {
        let fault = format!("--as: {} is not in {}", server.name, robots.display());
        return Err(Failure::Given(fault));
    }
    let mut revocations = Revocations {
        by: server.name,
        number,
        by_number: BTreeMap::new(),
        refused: BTreeMap::new(),
    };
    let message_count = read_all(&settings, TIMEOUT, |message| match verify(message, &known) {
        Ok(claim) => revocations.take(claim),
        Err(refused) => *revocations.refused.entry(refused.cause().as_str()).or_default() += 1,
    })?;
    if let Some(number) = number
        && revocations.by_number.is_empty()
    {
        let by = &revocations.by;
        let fault =
            format!("none of {message_count} messages is about revocation {number} of {by}");
        return Err(Failure::Fleet(fault));
    }
    match output.is_json {
        true => output.json(&revocations.as_json(&known, message_count)),
        false => output.text(&revocations.shown(&known, message_count)),
    }
}

impl Revocations {
    fn take(&mut self, claim: Claim) {
        let Claim { op, origin, memory_id, stamp, target, selector, removed, .. } = claim;
        match (op, target, selector, removed) {
            (ClaimOp::Revoke, _, Some(selector), _) if origin == self.by => {
                if let Some(revoked) = self.revoked(memory_id) {
                    revoked.said = Some((stamp, selector));
                }
            }
            (ClaimOp::Receipt, Some(target), _, Some(removed)) if target.origin == self.by => {
                if let Some(revoked) = self.revoked(target.memory_id) {
                    revoked.answers.insert(origin, (stamp, removed));
                }
            }
            _ => {}
        }
    }

    /// The one of this number, unless it is not asked for.
    fn revoked(&mut self, number: i64) -> Option<&mut Revoked> {
        if self.number.is_some_and(|wanted| wanted != number) {
            return None;
        }
        self.by_number.entry(number).or_default();
        if self.by_number.len() > REVOCATIONS_SHOWN_MAX {
            // The oldest: numbers are times.
            self.by_number.pop_first();
        }
        self.by_number.get_mut(&number)
    }

    fn as_json(&self, known: &KnownRobots, message_count: u64) -> Value {
        let revocation = |(number, revoked): (&i64, &Revoked)| {
            let answer = |(robot, (at, removed)): (&String, &(Stamp, Removed))| {
                json!({
                    "robot": robot,
                    "at": at.rfc_3339(),
                    "deleted_count": removed.deleted_count,
                    "rewritten_count": removed.rewritten_count,
                })
            };
            json!({
                "number": number,
                "revoked_at": revoked.said.as_ref().map(|(at, _)| at.rfc_3339()),
                "selector": revoked.said.as_ref().map(|(_, selector)| selector),
                "answered": revoked.answers.iter().map(answer).collect::<Vec<_>>(),
                "missing": revoked.missing(known),
            })
        };
        json!({
            "revocations": self.by_number.iter().map(revocation).collect::<Vec<_>>(),
            "message_count": message_count,
            "refused": self.refused,
        })
    }

    fn shown(&self, known: &KnownRobots, message_count: u64) -> String {
        let count = self.by_number.len();
        let mut text = format!("{count} revocations of {} in {message_count} messages\n", self.by);
        for (reason, count) in &self.refused {
            let _ = writeln!(text, "{count} messages refused: {reason}");
        }
        for (number, revoked) in &self.by_number {
            let _ = match &revoked.said {
                Some((at, selector)) => writeln!(
                    text,
                    "\n{number}: experience of {}, {}: {}",
                    selector.origin,
                    rfc_3339_secs(*at),
                    visible(&selector.reason)
                ),
                None => writeln!(text, "\n{number}: the stream has only answers to it"),
            };
            let mut table = Table::new(["robot", "answered", "#deleted", "#made again"]);
            for (robot, (at, removed)) in &revoked.answers {
                table.row([
                    visible(robot),
                    rfc_3339_secs(*at),
                    removed.deleted_count.to_string(),
                    removed.rewritten_count.to_string(),
                ]);
            }
            for robot in revoked.missing(known) {
                table.row([visible(robot), "not yet".to_owned(), String::new(), String::new()]);
            }
            text += &table.render(0);
        }
        text
    }
}

impl Revoked {
    /// Robots of the fleet that did not answer.
    fn missing<'a>(&self, known: &'a KnownRobots) -> Vec<&'a str> {
        known.robots().filter(|robot| !self.answers.contains_key(*robot)).collect()
    }
}
