//! The time of a question, as far as it says which event others are looked for beside: "this afternoon, what came right before
//! the first stop?" is of the first stop of this afternoon, not of the day.

use super::{Anchor, End, Nth, OrderQuestion};
use robot_memory_core::model::Stamp;

/// Lets the time of a question bound the events beside which it asks and that are counted from an end that it takes off. `None`
/// when it is not sure: "after 14:00 and before the third stop" may count from 14:00, or from the begin.
pub(super) fn lent(mut asked: OrderQuestion, now: Stamp) -> Option<OrderQuestion> {
    let bounds = asked.bounds;
    let Some(beside) = &mut asked.beside else { return Some(asked) };
    for anchor in beside.anchors_mut() {
        let Anchor { nth: Some(Nth { end, nth }), memory: None, .. } = *anchor else { continue };
        let (near, far) = match end {
            End::First => (bounds.since, bounds.until),
            // What reaches until now ends with the last one of all.
            End::Last => (bounds.until.filter(|until| *until <= now), bounds.since),
        };
        if near.is_none() || !anchor.bounds.is_open() {
            continue;
        }
        if nth > 1 && far.is_none() {
            return None;
        }
        anchor.bounds = bounds;
    }
    Some(asked)
}
