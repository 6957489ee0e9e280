//! `memory fleet revoke`

use super::arguments::RevokeArguments;
use super::settings;
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::cli::output::Output;
use crate::faces::cli::values::{millis, visible};
use crate::faces::wall_clock::WallClock;
use robot_memory_claims::{Key, KeyError, encode};
use robot_memory_core::claim::{Body, CLAIM_VERSION, Claim, ClaimOp, Selector};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_fleet::publish_to_disk;
use serde_json::json;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// For the connection, the stream and the acknowledgment.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Shows what every robot would delete, or has them do it.
pub fn run(arguments: RevokeArguments, output: &mut Output) -> Outcome {
    let settings = settings(&arguments.server)?;
    let key = key(&arguments.key)?;
    let now = WallClock.now().ok_or(Failure::NothingToAsk("the computer's clock is not set"))?;
    let RevokeArguments {
        server,
        origin,
        memory_id,
        session,
        stream,
        since,
        until,
        reason,
        is_confirmed,
        ..
    } = arguments;
    let claim = Claim {
        version: CLAIM_VERSION.to_owned(),
        origin: server.name,
        memory_id: millis(now),
        revision: 1,
        op: ClaimOp::Revoke,
        stamp: now,
        body: Body::default(),
        statement: None,
        target: None,
        selector: Some(Selector {
            origin,
            memory_id,
            session_id: session.unwrap_or_default(),
            stream: stream.unwrap_or_default(),
            since,
            until,
            reason,
        }),
        removed: None,
    };
    let message = encode(&claim, &key).map_err(|refused| Failure::Given(refused.to_string()))?;
    if is_confirmed {
        publish_to_disk(&settings, &claim.message_id(), message, TIMEOUT)?;
    }
    let number = is_confirmed.then_some(claim.memory_id);
    let answer = json!({ "number": number, "selector": claim.selector, "is_sent": is_confirmed });
    output.answer(answer, |_| shown(&claim, is_confirmed))
}

/// The key, which is not made here: nobody would know it.
fn key(path: &Path) -> Result<Key, Failure> {
    Key::open(path).map_err(|error| match error {
        KeyError::File(_, ref fault) if fault.kind() == ErrorKind::NotFound => {
            let path = path.display();
            Failure::Given(format!(
                "--key: {error}; memory fleet key --key {path} makes it, and the robots must know its public key"
            ))
        }
        error => error.into(),
    })
}

fn shown(claim: &Claim, is_sent: bool) -> String {
    let Some(selector) = &claim.selector else { return String::new() };
    let until =
        selector.until.map_or_else(|| format!("{} (now)", claim.stamp.rfc_3339()), Stamp::rfc_3339);
    let mut conditions = Vec::new();
    conditions.extend(selector.memory_id.map(|id| format!("its memory {id}")));
    if !selector.session_id.is_empty() {
        conditions.push(format!("its session {}", visible(&selector.session_id)));
    }
    if !selector.stream.is_empty() {
        conditions.push(format!("its stream {}", visible(&selector.stream)));
    }
    conditions.extend(selector.since.map(|since| format!("from {}", since.rfc_3339())));
    conditions.push(format!("until {until}"));
    let what = format!(
        "what {} learned: {}\nreason: {}\nevery robot deletes it, with what goes back to nothing else, and the summaries and lessons \
         that the robot told since and that may rest on it\n",
        selector.origin,
        conditions.join(", "),
        visible(&selector.reason)
    );
    match is_sent {
        true => format!(
            "{what}\nrevocation {} was sent; who did it: memory fleet receipts\n",
            claim.memory_id
        ),
        false => format!("{what}\nnothing was sent; to do this: the same with --yes\n"),
    }
}
