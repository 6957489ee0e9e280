use super::{text, time};
use r2r::robot_memory::msg;
use robot_memory_core::api::MemoryChange;

/// MemoryChange[] of MemoryChange.msg
pub(super) fn memory_changes(changes: Vec<MemoryChange>) -> Vec<msg::MemoryChange> {
    changes.into_iter().map(memory_change).collect()
}

fn memory_change(change: MemoryChange) -> msg::MemoryChange {
    let MemoryChange { operation, agent, changed_at, content, context } = change;
    msg::MemoryChange {
        operation: text(operation),
        agent: text(agent),
        changed_at: time(Some(changed_at)),
        content: text(content),
        context: text(context),
    }
}
