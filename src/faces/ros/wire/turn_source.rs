use super::text;
use r2r::robot_memory::msg;
use robot_memory_core::model::TurnSource;

/// TurnSource.msg
pub(super) fn turn_source(source: TurnSource) -> msg::TurnSource {
    let TurnSource { turn_id, session_id, branch_id, turn_no, sentence_number, pointer, sentence } =
        source;
    msg::TurnSource {
        turn_id: text(turn_id),
        session_id: text(session_id),
        branch_id: text(branch_id),
        turn_no,
        sentence_number,
        pointer: text(pointer),
        sentence: text(sentence),
    }
}
