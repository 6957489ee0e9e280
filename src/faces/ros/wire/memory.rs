use super::{spelling, text, texts, time};
use r2r::robot_memory::msg;
use robot_memory_core::api::{Hit, Why};
use robot_memory_core::model::Memory;
use serde_json::{Map, Value};

/// Memory[] of Memory.msg
pub(super) fn memories(hits: Vec<Hit>) -> Vec<msg::Memory> {
    hits.into_iter().map(hit).collect()
}

fn hit(hit: Hit) -> msg::Memory {
    let Hit {
        memory: row,
        score,
        spatial_distance,
        context_before,
        context_after,
        conflicts_with,
        why,
    } = hit;
    msg::Memory {
        score,
        has_distance: spatial_distance.is_some(),
        spatial_distance: spatial_distance.unwrap_or_default(),
        context_before: text(context_before),
        context_after: text(context_after),
        conflicts_with,
        why: reasons(why),
        ..memory(row)
    }
}

/// Memory.msg, without what only a search says.
pub(super) fn memory(memory: Memory) -> msg::Memory {
    let Memory {
        id,
        collection,
        level,
        scope,
        kind,
        category,
        mem_type,
        content,
        human_summary,
        context,
        perception_type,
        data,
        metadata,
        session_id,
        turn_id,
        agent,
        source,
        trust,
        confidence,
        // The message has no room for what only the store's own upkeep reads.
        decay_rate: _,
        importance,
        tags,
        scope_files,
        scope_entities: _,
        status,
        superseded_by,
        parent_id,
        access_count,
        last_accessed,
        created_at,
        updated_at,
        decayed_until: _,
        restored_at: _,
        known_at: _,
    } = memory;
    let parts = serde_json::from_str::<Map<String, Value>>(&context).unwrap_or_default();
    msg::Memory {
        id,
        content: text(content),
        human_summary: text(human_summary),
        type_: text(kind.as_str()),
        perception_type: spelling(perception_type),
        session_id: text(session_id),
        turn_id: text(turn_id),
        collection: text(collection),
        level: text(level.as_str()),
        scope: text(scope.to_string()),
        parent_id: parent_id.unwrap_or_default(),
        category: spelling(category),
        mem_type: text(mem_type.as_str()),
        status: text(status.as_str()),
        superseded_by: superseded_by.unwrap_or_default(),
        agent: text(agent),
        source: text(source.as_str()),
        trust: text(trust.as_str()),
        confidence,
        importance,
        tags: texts(tags),
        scope_files: texts(scope_files),
        params: part(&parts, "params"),
        spatial: part(&parts, "spatial"),
        robot: part(&parts, "robot"),
        task: part(&parts, "task"),
        context: text(context),
        data: text(data),
        metadata: text(metadata),
        access_count,
        created_at: time(Some(created_at)),
        updated_at: time(Some(updated_at)),
        last_accessed: time(last_accessed),
        ..msg::Memory::default()
    }
}

/// The JSON text of a part of the context, empty when it lacks the part.
fn part(parts: &Map<String, Value>, name: &str) -> String {
    spelling(parts.get(name))
}

fn reasons(why: Why) -> msg::Why {
    let Why {
        word_rank,
        vector_rank,
        word_score,
        similarity,
        coverage,
        relevance,
        word_gain,
        code_gain,
        neighbor_gain,
        source_weight,
        trust_weight,
        matched_words,
        signature_distance,
    } = why;
    msg::Why {
        word_rank,
        vector_rank,
        word_score,
        has_similarity: similarity.is_some(),
        similarity: similarity.unwrap_or_default(),
        coverage,
        relevance,
        word_gain,
        code_gain,
        neighbor_gain,
        source_weight,
        trust_weight,
        matched_words: texts(matched_words),
        has_signature_distance: signature_distance.is_some(),
        signature_distance: signature_distance.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests;
    use super::*;

    #[test]
    fn a_row_becomes_a_message() {
        let message =
            hit(tests::hit("a trap", r#"{"params":{"force_n":12.5},"spatial":[1,2],"x":1}"#));
        assert_eq!((message.id, message.type_.as_str()), (7, "fact"));
        assert_eq!(message.category, "gotcha");
        assert_eq!(message.perception_type, "");
        assert_eq!(message.params, r#"{"force_n":12.5}"#);
        assert_eq!(message.spatial, "[1,2]");
        assert_eq!((message.robot.as_str(), message.task.as_str()), ("", ""));
        assert_eq!((message.has_distance, message.spatial_distance), (true, 0.25));
        assert_eq!((message.parent_id, message.superseded_by), (5, 0));
        assert_eq!((message.created_at.sec, message.last_accessed.sec), (5, 0));
        assert_eq!((message.why.has_similarity, message.why.similarity), (true, -0.5));
    }
}
