use super::{text, time};
use crate::model::Session;
use r2r::robot_memory::msg;

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
