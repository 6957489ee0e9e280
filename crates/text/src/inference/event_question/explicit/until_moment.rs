//! From an event to a moment: "between the first stop and 14:40", 从第一次急停到14:40. An event at a moment is read as the end of a stretch,
//! where the moment alone is meant.

use super::super::atoms::Atom;
use super::bounds::{Bounds, Present};
use super::{Beside, OrderQuestion, ambiguous};

/// What was read of two events, the second of which is a moment by itself, as of all since the first until then. From a moment to an
/// event is left as it is: "from 15:00 to the first stop" is to the first one behind, or of all.
pub(super) fn of_moment(
    asked: OrderQuestion,
    all: &[Atom],
    present: &Present<'_>,
) -> OrderQuestion {
    match &asked.beside {
        Some(Beside::Between(one, other, _))
            if ambiguous::has_moment_as_end(all, &asked, present) && other.is_at_moment() =>
        {
            let until = Bounds { since: None, until: other.bounds.since };
            match asked.bounds.and(until) {
                Some(bounds) => {
                    let beside = Some(Beside::Since(one.clone()));
                    OrderQuestion { beside, bounds, ..asked }
                }
                None => asked,
            }
        }
        _ => asked,
    }
}
