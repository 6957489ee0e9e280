use super::{text, texts, time};
use r2r::robot_memory::msg;
use robot_memory_core::model::{Branch, Session};

/// Session.msg
pub(super) fn session(session: Session) -> msg::Session {
    let Session {
        session_id,
        collection,
        status,
        interrupted,
        agent,
        context,
        outcome_score,
        memory_count,
        started_at,
        ended_at,
    } = session;
    msg::Session {
        session_id: text(session_id),
        collection: text(collection),
        status: text(status.as_str()),
        interrupted,
        agent: text(agent),
        context: text(context),
        has_outcome_score: outcome_score.is_some(),
        outcome_score: outcome_score.unwrap_or_default(),
        memory_count,
        started_at: time(Some(started_at)),
        ended_at: time(ended_at),
    }
}

/// Branch.msg
pub(super) fn branch(branch: Branch) -> msg::Branch {
    let Branch { branch_id, status, turn_count, last_turn_no, merged_into } = branch;
    msg::Branch {
        branch_id: text(branch_id),
        status: status.as_str().to_owned(),
        turn_count,
        last_turn_no,
        merged_into: texts(merged_into),
    }
}
