use super::text;
use r2r::robot_memory::msg;
use robot_memory_core::model::Limit;

/// Limit[] of Limit.msg
pub(super) fn limits(limits: Vec<Limit>) -> Vec<msg::Limit> {
    limits.into_iter().map(limit).collect()
}

fn limit(limit: Limit) -> msg::Limit {
    let Limit { path, op, value, unit, object, place, task } = limit;
    msg::Limit {
        path: text(path),
        op: text(op.as_str()),
        value,
        unit: text(unit),
        object: text(object),
        place: text(place),
        task: text(task),
    }
}
