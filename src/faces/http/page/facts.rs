//! Facts of a kind that no operation lists: the newest are gone through, a bounded number of them.

use super::records::{MemoryRecord, Recalled};
use super::visit::Visit;
use crate::faces::http::problem::Problem;
use robot_memory_core::limits::{PAGE_FACTS_MAX, RECALL_N_MAX};
use robot_memory_core::model::Stamp;
use serde_json::{Value, json};

/// The facts that are wanted, the newest first, without their context; whether these are all there are.
pub async fn newest(
    visit: &Visit,
    is_wanted: impl Fn(&MemoryRecord) -> bool + Send + Sync,
) -> Result<(Vec<MemoryRecord>, bool), Problem> {
    let mut facts: Vec<MemoryRecord> = Vec::new();
    let mut until: Option<Stamp> = None;
    let (mut gone_through, mut is_complete) = (0, true);
    loop {
        let mut request = json!({
            "types": ["fact"], "order": "newest", "n": RECALL_N_MAX, "min_confidence": 0.0, "scope": "all",
            "collections": ["*"],
        });
        if let Some(until) = until {
            request["until"] = json!(until.rfc_3339());
        }
        let found = visit.ask::<Recalled>("recall", request).await?;
        let count = found.memories.len();
        gone_through += count;
        // Of one time there may be more than an answer has: the next begins with them.
        let next = found.memories.last().and_then(|it| it.created_at);
        let next = next.map(|at| Stamp(at.0.saturating_add(1)));
        for mut fact in found.memories {
            if is_wanted(&fact) && facts.iter().all(|known| known.id != fact.id) {
                // Of many it would take much memory.
                fact.context = Value::Null;
                facts.push(fact);
            }
        }
        if count < RECALL_N_MAX as usize {
            return Ok((facts, is_complete));
        }
        if next.is_none() || gone_through >= PAGE_FACTS_MAX {
            return Ok((facts, false));
        }
        // An answer has no more of one time than these: it goes on below it.
        is_complete &= next != until;
        until = if next == until { next.map(|at| Stamp(at.0.saturating_sub(1))) } else { next };
    }
}
