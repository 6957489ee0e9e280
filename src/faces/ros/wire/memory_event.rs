use super::{spelling, text, time};
use r2r::robot_memory::msg::MemoryEvent;
use robot_memory_core::model::Memory;
use robot_memory_engine::NewMemory;

/// MemoryEvent.msg
pub(in crate::faces::ros) fn memory_event(new: NewMemory) -> MemoryEvent {
    let NewMemory { memory, origin } = new;
    let (stream, trigger, event_id) =
        origin.map(|origin| (origin.stream, origin.trigger, origin.event_id)).unwrap_or_default();
    let Memory {
        id,
        collection,
        scope,
        kind,
        category,
        content,
        perception_type,
        session_id,
        source,
        created_at,
        // Who wants to know more asks for it by the id.
        ..
    } = memory;
    MemoryEvent {
        stamp: time(Some(created_at)),
        memory_id: id,
        type_: text(kind.as_str()),
        perception_type: spelling(perception_type),
        category: spelling(category),
        content: text(content),
        collection: text(collection),
        session_id: text(session_id),
        scope: text(scope.to_string()),
        source: text(source.as_str()),
        stream: text(stream),
        trigger: text(trigger),
        event_id: text(event_id),
    }
}
