use super::{text, time};
use r2r::robot_memory::msg;
use robot_memory_core::api::LedgerEntry;

/// LedgerEntry.msg
pub(super) fn ledger_entry(entry: LedgerEntry) -> msg::LedgerEntry {
    let LedgerEntry {
        change,
        cause,
        agent,
        value_before,
        value_after,
        repetitions,
        began_at,
        changed_at,
    } = entry;
    msg::LedgerEntry {
        change: text(change.as_str()),
        cause: text(cause),
        agent: text(agent),
        value_before: text(value_before),
        value_after: text(value_after),
        repetitions,
        began_at: time(Some(began_at)),
        changed_at: time(Some(changed_at)),
    }
}
