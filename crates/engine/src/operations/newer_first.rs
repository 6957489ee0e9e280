//! The order of hits that contradict each other.

use robot_memory_core::api::Hit;

/// Of two memories that contradict each other, puts the one that was said last first, whatever was asked.
pub(super) fn newer_first(memories: &mut [Hit]) {
    let said = |hit: &Hit| (hit.memory.updated_at, hit.memory.id);
    for at in 0..memories.len() {
        if memories[at].conflicts_with.is_empty() {
            continue;
        }
        let ids = memories[at].conflicts_with.clone();
        let is_newer = |hit: &Hit| ids.contains(&hit.memory.id) && said(hit) > said(&memories[at]);
        let later = (at + 1..memories.len()).filter(|next| is_newer(&memories[*next]));
        if let Some(newest) = later.max_by_key(|next| said(&memories[*next])) {
            memories[at..=newest].rotate_right(1);
        }
    }
}
