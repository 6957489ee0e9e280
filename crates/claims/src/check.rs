//! What a claim must be beside well formed: its fields are those of its op, each within its bound, and its origin
//! may say it.

use crate::Refused;
use robot_memory_core::claim::{Body, Claim, ClaimOp, ClaimVector, MemoryRef, Selector, Statement};
use robot_memory_core::limits::{
    CLAIM_COMPONENTS_MAX, CLAIM_INTEGER_MAX, CLAIM_PICTURE_BYTES_MAX, CLAIM_REFS_MAX,
    CONTENT_CHARS_MAX, CONTEXT_BYTES_MAX, NAME_BYTES_MAX, REASON_CHARS_MAX, ROBOT_NAME_BYTES_MAX,
};
use robot_memory_core::model::{Kind, Scope, quoted};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A field out of its bound.
struct Fault {
    field: &'static str,
    bound: String,
    given: String,
}

type Checked = Result<(), Fault>;

fn fault(field: &'static str, bound: impl Into<String>, given: impl Into<String>) -> Checked {
    Err(Fault { field, bound: bound.into(), given: given.into() })
}

/// Whether a robot or an authority can have this name, which is a token of a subject of NATS.
///
/// # Errors
/// Says what it must be, and what was given.
pub fn check_robot_name(name: &str) -> Result<(), String> {
    let is_token = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-');
    if is_token && (1..=ROBOT_NAME_BYTES_MAX).contains(&name.len()) {
        return Ok(());
    }
    Err(format!("{}, got {}", robot_name_bound(), quoted(name)))
}

fn robot_name_bound() -> String {
    format!("must be 1 to {ROBOT_NAME_BYTES_MAX} of A-Z a-z 0-9 _ -")
}

/// Refuses integers that a JSON number does not hold.
pub(crate) fn check_integers(claim: &Claim) -> Result<(), Refused> {
    let signed = |field, it: i64| (field, i128::from(it));
    let counted = |field, it: u64| (field, i128::from(it));
    let mut integers =
        vec![signed("memory_id", claim.memory_id), counted("revision", claim.revision)];
    if let Some(statement) = &claim.statement {
        let refs = |field, refs: &[MemoryRef]| -> Vec<_> {
            refs.iter().map(|it| signed(field, it.memory_id)).collect()
        };
        integers.extend(refs("statement.roots", &statement.roots));
        integers.extend(refs("statement.derived_from", &statement.derived_from));
    }
    integers.extend(claim.target.iter().map(|it| signed("target.memory_id", it.memory_id)));
    let selected = claim.selector.iter().filter_map(|selector| selector.memory_id);
    integers.extend(selected.map(|id| signed("selector.memory_id", id)));
    if let Some(removed) = &claim.removed {
        integers.push(counted("removed.deleted_count", removed.deleted_count));
        integers.push(counted("removed.rewritten_count", removed.rewritten_count));
    }
    let exact = 0..=i128::from(CLAIM_INTEGER_MAX);
    match integers.into_iter().find(|(_, it)| !exact.contains(it)) {
        None => Ok(()),
        Some((field, given)) => Err(Refused::Malformed {
            origin: claim.origin.clone(),
            fault: format!("{field}: must be 0 to {CLAIM_INTEGER_MAX}, got {given}"),
        }),
    }
}

/// Refuses a claim with a field that its op does not have, without one that it has, or with one out of its bound.
pub(crate) fn check(claim: &Claim) -> Result<(), Refused> {
    check_integers(claim)?;
    fields(claim).map_err(|fault| invalid(claim, fault))
}

/// Refuses what its origin may not say. A robot speaks of its own memories; an authority only revokes.
pub(crate) fn check_speaker(claim: &Claim, is_authority: bool) -> Result<(), Refused> {
    let checked = match (claim.op, &claim.selector) {
        (ClaimOp::Revoke, Some(selector)) if !is_authority && selector.origin != claim.origin => {
            let bound = format!("must be {} itself, which is no authority", claim.origin);
            fault("selector.origin", bound, &selector.origin)
        }
        (op, _) if is_authority && op != ClaimOp::Revoke => {
            fault("op", "must be revoke from an authority", op.as_str())
        }
        _ => Ok(()),
    };
    checked.map_err(|fault| invalid(claim, fault))
}

fn invalid(claim: &Claim, Fault { field, bound, given }: Fault) -> Refused {
    Refused::Invalid { origin: claim.origin.clone(), field, bound, given }
}

fn fields(claim: &Claim) -> Checked {
    use ClaimOp::{Assert, Confirm, Contradict, Receipt, Revise, Revoke};
    let op = claim.op;
    robot("origin", &claim.origin)?;
    belongs("statement", claim.statement.is_some(), op, &[Assert, Revise])?;
    belongs("target", claim.target.is_some(), op, &[Confirm, Contradict, Receipt])?;
    belongs("selector", claim.selector.is_some(), op, &[Revoke])?;
    belongs("removed", claim.removed.is_some(), op, &[Receipt])?;
    let Body { robot_type, gripper } = &claim.body;
    name("body.robot_type", robot_type)?;
    name("body.gripper", gripper)?;
    if let Some(target) = &claim.target {
        robot("target.origin", &target.origin)?;
        if op != Receipt && target.origin == claim.origin {
            return fault("target.origin", "must be another robot", &target.origin);
        }
    }
    claim.statement.as_ref().map_or(Ok(()), statement)?;
    claim.selector.as_ref().map_or(Ok(()), selector)
}

/// Whether a field is there with the ops that have it, and only with them.
fn belongs(field: &'static str, is_there: bool, op: ClaimOp, ops: &[ClaimOp]) -> Checked {
    match (is_there, ops.contains(&op)) {
        (true, false) => fault(field, format!("must not be there with {op}"), "one"),
        (false, true) => fault(field, format!("must be there with {op}"), "none"),
        _ => Ok(()),
    }
}

fn robot(field: &'static str, name: &str) -> Checked {
    if check_robot_name(name).is_ok() {
        return Ok(());
    }
    fault(field, robot_name_bound(), quoted(name).to_string())
}

/// A name, or an empty text for none.
fn name(field: &'static str, name: &str) -> Checked {
    if name.len() > NAME_BYTES_MAX {
        let bound = format!("must have at most {NAME_BYTES_MAX} bytes");
        return fault(field, bound, name.len().to_string());
    }
    if name.chars().any(char::is_control) {
        return fault(field, "must have no control characters", quoted(name).to_string());
    }
    Ok(())
}

fn given_name(field: &'static str, given: &str) -> Checked {
    if given.is_empty() { fault(field, "must not be empty", "nothing") } else { name(field, given) }
}

fn statement(statement: &Statement) -> Checked {
    if !matches!(Scope::parse(&statement.scope), Ok(Scope::Global | Scope::Group(_))) {
        let given = quoted(&statement.scope).to_string();
        return fault("statement.scope", "must be global or group:<id>", given);
    }
    given_name("statement.collection", &statement.collection)?;
    name("statement.session_id", &statement.session_id)?;
    name("statement.stream", &statement.stream)?;
    name("statement.map_id", &statement.map_id)?;
    name("statement.frame", &statement.frame)?;
    if statement.category.is_some() && statement.kind != Kind::Fact {
        return fault("statement.category", "must be there with a fact only", "one");
    }
    // A number that is none is in no range.
    if !(0.0..=1.0).contains(&statement.confidence) {
        let given = statement.confidence.to_string();
        return fault("statement.confidence", "must be 0 to 1", given);
    }
    content(&statement.content)?;
    context(&statement.context)?;
    if statement.roots.is_empty() {
        return fault("statement.roots", "must name at least one memory", "none");
    }
    refs("statement.roots", &statement.roots)?;
    refs("statement.derived_from", &statement.derived_from)?;
    statement.vector.as_ref().map_or(Ok(()), vector)?;
    statement.picture.as_ref().map_or(Ok(()), |jpeg| picture(statement.kind, jpeg))
}

fn content(content: &str) -> Checked {
    let count = content.chars().count();
    if (1..=CONTENT_CHARS_MAX).contains(&count) {
        return Ok(());
    }
    let bound = format!("must have 1 to {CONTENT_CHARS_MAX} characters");
    fault("statement.content", bound, count.to_string())
}

fn context(context: &str) -> Checked {
    let field = "statement.context";
    if context.len() > CONTEXT_BYTES_MAX {
        let bound = format!("must have at most {CONTEXT_BYTES_MAX} bytes");
        return fault(field, bound, context.len().to_string());
    }
    if context.is_empty() || serde_json::from_str::<Map<String, Value>>(context).is_ok() {
        return Ok(());
    }
    let given = format!("{} bytes that are none", context.len());
    fault(field, "must be a JSON object as text, or empty", given)
}

/// Memories, each of them once: two that are one would count twice.
fn refs(field: &'static str, refs: &[MemoryRef]) -> Checked {
    if refs.len() > CLAIM_REFS_MAX {
        let bound = format!("must name at most {CLAIM_REFS_MAX} memories");
        return fault(field, bound, refs.len().to_string());
    }
    let mut known = BTreeSet::new();
    for it in refs {
        robot(field, &it.origin)?;
        if !known.insert(it) {
            let given = format!("{}:{} twice", it.origin, it.memory_id);
            return fault(field, "must name each memory once", given);
        }
    }
    Ok(())
}

fn vector(vector: &ClaimVector) -> Checked {
    given_name("statement.vector.model", &vector.model)?;
    let field = "statement.vector.int8";
    let count = vector.int8.len();
    if !(1..=CLAIM_COMPONENTS_MAX).contains(&count) {
        let bound = format!("must have 1 to {CLAIM_COMPONENTS_MAX} components");
        return fault(field, bound, count.to_string());
    }
    if vector.components().is_none() {
        return fault(field, "must have a direction", "zeros only");
    }
    Ok(())
}

fn picture(kind: Kind, jpeg: &[u8]) -> Checked {
    let field = "statement.picture";
    if kind != Kind::Perception {
        return fault(field, "must be there with a perception only", kind.as_str());
    }
    if jpeg.len() > CLAIM_PICTURE_BYTES_MAX {
        let bound = format!("must have at most {CLAIM_PICTURE_BYTES_MAX} bytes");
        return fault(field, bound, jpeg.len().to_string());
    }
    if !robot_memory_core::picture::is_jpeg(jpeg) {
        let given = format!("{} bytes that are none", jpeg.len());
        return fault(field, "must be a JPEG", given);
    }
    Ok(())
}

fn selector(selector: &Selector) -> Checked {
    robot("selector.origin", &selector.origin)?;
    name("selector.session_id", &selector.session_id)?;
    name("selector.stream", &selector.stream)?;
    if let (Some(since), Some(until)) = (selector.since, selector.until)
        && since >= until
    {
        let bound = format!("must be after since, {}", since.rfc_3339());
        return fault("selector.until", bound, until.rfc_3339());
    }
    let count = selector.reason.chars().count();
    if count > REASON_CHARS_MAX {
        let bound = format!("must have at most {REASON_CHARS_MAX} characters");
        return fault("selector.reason", bound, count.to_string());
    }
    Ok(())
}
