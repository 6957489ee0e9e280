//! The rows near a place, across frames, and of this map.

use super::localization::Localization;
use super::plan::{FRAME, MAP_ID, Plan, Spatial};
use crate::{Error, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::FRAMES_COMPARED_MAX;
use robot_memory_core::model::{Condition, Operand, Operator, Path};
use robot_memory_index::{Bitset, Column, Derived, Slot};

/// The nearest rows, and what is not among them.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Nearest first, of equals the lower slot.
    pub hits: Vec<(Slot, f64)>,
    /// How many rows there are, without a limit.
    pub total: u64,
    /// Rows left out that are in another map than the robot.
    pub other_map_count: u64,
    /// Frames of rows left out to which no transform leads, or none that held when they were stored, in their
    /// order; an empty one: without a frame.
    pub unresolved_frames: Vec<String>,
}

/// The nearest of the allowed rows, at most `count`.
///
/// # Errors
/// `unavailable` when an index that is needed has been pushed out; `invalid_argument` when the rows are in too
/// many frames.
pub(super) fn rows(
    derived: &Derived,
    plan: &Plan,
    spatial: &Spatial,
    mut allowed: Bitset,
    count: usize,
    localization: Option<&dyn Localization>,
) -> Result<Near> {
    let Some(index) = derived.spatial(&spatial.field) else {
        return Err(Error::unavailable("too many spatial fields at once; try again"));
    };
    let nearest = |point: &[f64], count: usize, rows: &Bitset| {
        index.nearest(&spatial.field.target(point), spatial.max_distance, count, rows)
    };
    let target = spatial.field.target(&spatial.target);
    let has_point =
        |rows: &Bitset| !rows.is_empty() && index.nearest(&target, None, 1, rows).total > 0;
    let mut near = Near::default();
    if let Some(map_id) = spatial.map_id(plan) {
        let maps = column(derived, MAP_ID)?;
        let mut other = with_text(maps, MAP_ID, Operator::NotEqual, map_id, &allowed)?;
        other.subtract(&with_text(maps, MAP_ID, Operator::Equal, "", &allowed)?);
        // How far rows of another frame are is not known there.
        let max_distance = spatial.max_distance.filter(|_| spatial.frame.is_empty());
        near.other_map_count = index.nearest(&target, max_distance, 1, &other).total;
        allowed.subtract(&other);
    }
    if spatial.frame.is_empty() {
        let found = nearest(&spatial.target, count, &allowed);
        return Ok(Near { hits: found.hits, total: found.total, ..near });
    }
    let frames = column(derived, FRAME)?;
    let mut frame_count = 0;
    for frame in frames.texts().filter(|frame| !frame.is_empty()) {
        let mut rows = with_text(frames, FRAME, Operator::Equal, frame, &allowed)?;
        allowed.subtract(&rows);
        if !has_point(&rows) {
            continue;
        }
        frame_count += 1;
        if frame_count > FRAMES_COMPARED_MAX {
            return Err(ApiError::invalid_argument(format!(
                "spatial_sort.frame: the rows are in more than {FRAMES_COMPARED_MAX} frames; name one (frame)"
            ))
            .into());
        }
        let frame = frame.trim_start_matches('/');
        let transform = localization.and_then(|it| it.transform(&spatial.frame, frame));
        let point = match frame == spatial.frame {
            true => Some(spatial.target.clone()),
            false => transform.and_then(|transform| transform.apply(&spatial.target)),
        };
        let since = transform.and_then(|it| it.since).filter(|_| frame != spatial.frame);
        if let (Some(_), Some(since)) = (&point, since) {
            let count = rows.count();
            rows.retain(|slot| {
                derived.rows.facts(slot).is_some_and(|facts| facts.created_at >= since)
            });
            if rows.count() < count {
                near.unresolved_frames.push(frame.to_owned());
            }
        }
        match point {
            Some(point) => {
                let found = nearest(&point, count, &rows);
                near.hits.extend(found.hits);
                near.total += found.total;
            }
            None => near.unresolved_frames.push(frame.to_owned()),
        }
    }
    if has_point(&allowed) {
        near.unresolved_frames.push(String::new());
    }
    near.unresolved_frames.sort();
    near.unresolved_frames.dedup();
    near.hits.sort_by(|(a, near), (b, far)| near.total_cmp(far).then(a.cmp(b)));
    near.hits.truncate(count);
    Ok(near)
}

fn column<'a>(derived: &'a Derived, path: &str) -> Result<&'a Column> {
    let path = Path::parse(path).ok();
    path.and_then(|path| derived.columns.get(&path))
        .ok_or_else(|| Error::unavailable("too many fields of the context at once; try again"))
}

/// The rows of `within` whose text is, or is not, the given one.
fn with_text(
    column: &Column,
    path: &str,
    operator: Operator,
    text: &str,
    within: &Bitset,
) -> Result<Bitset> {
    let path = Path::parse(path).map_err(|error| ApiError::invalid_argument(error.to_string()))?;
    let condition = Condition { path, operator, operand: Operand::Text(text.to_owned()) };
    let mut rows = within.clone();
    column.matching(&condition, &mut rows);
    Ok(rows)
}
