//! Where the newest memories are.

use super::visibility::{VisibleRows, hide_unseen};
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::ApiError;
use robot_memory_core::model::{Memory, Status};
use robot_memory_index::{PLACED_MAX, Position, parse_context};
use serde_json::Value;

/// Rows that are looked at in one go: about a millisecond.
const LOOK_BACK_ROWS: u32 = 1_000;
/// Looks that others may make vain by changing a row that was looked at.
const LOOKS_MAX: u32 = 100_000;

/// A memory and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The row, without its data and metadata.
    pub memory: Memory,
    /// x, y, z in metres, in `frame`; z is 0 when only x and y are told.
    pub position_m: [f64; 3],
    /// Whether it is the thing's own place (`spatial.object_position`); else the robot was there
    /// (`spatial.robot_position`).
    pub is_object: bool,
    /// `spatial.frame`, or empty.
    pub frame: String,
    /// `spatial.map_id`, or empty.
    pub map_id: String,
}

impl Operations {
    /// The last `limit` active memories that have a place and that topics show, the last stored first;
    /// at most 10000. Those that are known to be in another map than `map_id` are left out, unless that is
    /// empty.
    ///
    /// The first call of a map looks through the rows from the newest backward until it has enough; later
    /// ones read what they answer and no more.
    pub fn places(&self, limit: usize, map_id: &str) -> Result<Vec<Place>, ApiError> {
        let limit = limit.min(PLACED_MAX);
        let shown = self.access.policy.topics();
        for _ in 0..LOOKS_MAX {
            let newest = self.newest_placed(limit, map_id, &shown)?;
            let Some(newest) = newest else { continue };
            let places = self.store.read(|tx| {
                let mut places = Vec::with_capacity(newest.len());
                for id in newest {
                    // It may have gone meanwhile.
                    let memory = tx.memory(id, false)?.filter(is_active);
                    let Some(mut memory) = memory.filter(|it| shown.sees(&it.scope, it.mem_type))
                    else {
                        continue;
                    };
                    hide_unseen(tx, &mut memory, &shown)?;
                    places.extend(place(memory));
                }
                Ok::<_, crate::Error>(places)
            });
            return Ok(places?);
        }
        Err(ApiError::unavailable("rows change faster than their places can be read; try again"))
    }

    /// The newest rows that are placed and seen; `None` when more rows were looked at, or are to be
    /// looked at again.
    fn newest_placed(
        &self,
        limit: usize,
        map_id: &str,
        shown: &Visibility,
    ) -> Result<Option<Vec<i64>>> {
        let missed_before = {
            let derived = self.derived();
            let mut placed = derived.placed();
            placed.choose_map(map_id);
            placed.missed_count()
        };
        self.view(|tx, derived| {
            let seen = VisibleRows::of(shown, &derived.rows);
            let is_seen = |id: i64| {
                let facts = derived.rows.slot(id).and_then(|slot| derived.rows.facts(slot));
                facts.is_some_and(|facts| seen.sees(&facts))
            };
            let from = {
                let mut placed = derived.placed();
                // Another call may have asked for another one meanwhile.
                placed.choose_map(map_id);
                if let Some(newest) = placed.newest(limit, is_seen) {
                    return Ok(Some(newest));
                }
                placed.from()
            };
            let mut found = Vec::new();
            let last = tx.each_context_before(from, LOOK_BACK_ROWS, |id, context| {
                if is_seen(id) && Position::is_in(context, map_id) {
                    found.push(id);
                }
            })?;
            let mut placed = derived.placed();
            if placed.missed_count() == missed_before && placed.from() == from {
                placed.extend(found, last);
            }
            Ok(None)
        })
    }

    /// A number that is another one after each change of the store; `None` while the indexes are
    /// behind it.
    pub fn revision(&self) -> Option<i64> {
        self.derived().revision()
    }
}

fn is_active(memory: &Memory) -> bool {
    memory.status == Status::Active
}

fn place(memory: Memory) -> Option<Place> {
    let context = parse_context(&memory.context);
    let Position { xyz_m, is_object } = Position::of(&context)?;
    let text = |field: &str| {
        let value = context.get("spatial").and_then(|spatial| spatial.get(field));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    Some(Place {
        frame: text("frame"),
        map_id: text("map_id"),
        memory,
        position_m: xyz_m,
        is_object,
    })
}
