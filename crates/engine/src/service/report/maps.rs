//! Where memories are, by map: each one, or cells when there are many.

use super::text;
use robot_memory_core::api::{MapFigures, MapMark, Outcome};
use robot_memory_core::limits::{REPORT_MAPS_MAX, REPORT_MARKS_MAX, REPORT_PLACES_MAX};
use robot_memory_index::Position;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Cells of the longer side of a map.
const CELLS: f64 = 48.0;
/// Of so many memories one at each end of an axis may be left out: a place that was read wrongly makes
/// all others one dot.
const OUTLIERS_OF: usize = 200;

/// A place, and how what was remembered there ended.
type Placed = (f64, f64, Outcome);

/// The places of memories, by map and frame.
#[derive(Default)]
pub struct Maps {
    by_name: BTreeMap<(String, String), Vec<Placed>>,
    count: usize,
    left_out: u64,
}

impl Maps {
    pub fn see(&mut self, context: &Value, outcome: Outcome) {
        let Some(Position { xyz_m: [x, y, _], .. }) = Position::of(context) else { return };
        if !(x.is_finite() && y.is_finite()) {
            return;
        }
        if self.count >= REPORT_PLACES_MAX {
            self.left_out += 1;
            return;
        }
        self.count += 1;
        let name = (
            text(context, "spatial", "map_id").to_owned(),
            text(context, "spatial", "frame").to_owned(),
        );
        self.by_name.entry(name).or_default().push((x, y, outcome));
    }

    /// The maps with the most, and how many there are besides.
    pub fn figures(self, notes: &mut Vec<String>) -> (Vec<MapFigures>, u64) {
        if self.left_out > 0 {
            notes.push(format!("{} places beyond the first {REPORT_PLACES_MAX}", self.left_out));
        }
        let mut maps: Vec<_> = self.by_name.into_iter().collect();
        maps.sort_by(|(name, placed), (other_name, other)| {
            (Reverse(placed.len()), name).cmp(&(Reverse(other.len()), other_name))
        });
        let more = maps.len().saturating_sub(REPORT_MAPS_MAX) as u64;
        let shown = maps.into_iter().take(REPORT_MAPS_MAX);
        (shown.map(|((map_id, frame), placed)| figures(map_id, frame, &placed)).collect(), more)
    }
}

fn figures(map_id: String, frame: String, placed: &[Placed]) -> MapFigures {
    let x = bounds(placed.iter().map(|(x, _, _)| *x));
    let y = bounds(placed.iter().map(|(_, y, _)| *y));
    let is_inside = |(px, py, _): &&Placed| (x.0..=x.1).contains(px) && (y.0..=y.1).contains(py);
    let inside: Vec<&Placed> = placed.iter().filter(is_inside).collect();
    let (cell_m, marks) = if inside.len() <= REPORT_MARKS_MAX {
        (0.0, inside.iter().map(|(x, y, outcome)| mark(*x, *y, *outcome)).collect())
    } else {
        cells(x, y, &inside)
    };
    MapFigures {
        map_id,
        frame,
        count: placed.len() as u64,
        bounds_m: [x, y],
        cell_m,
        marks,
        outside_count: (placed.len() - inside.len()) as u64,
    }
}

fn mark(x_m: f64, y_m: f64, outcome: Outcome) -> MapMark {
    let mut counts = [0; 3];
    counts[outcome as usize] = 1;
    MapMark { x_m, y_m, counts }
}

fn cells(x: (f64, f64), y: (f64, f64), inside: &[&Placed]) -> (f64, Vec<MapMark>) {
    let cell_m = round_up(((x.1 - x.0).max(y.1 - y.0) / CELLS).max(1e-6));
    let mut cells: BTreeMap<(i64, i64), [u64; 3]> = BTreeMap::new();
    for (px, py, outcome) in inside {
        let place = ((px / cell_m).floor() as i64, (py / cell_m).floor() as i64);
        cells.entry(place).or_default()[*outcome as usize] += 1;
    }
    let center = |place: i64| (place as f64 + 0.5) * cell_m;
    let marks = cells.into_iter().map(|((column, row), counts)| MapMark {
        x_m: center(column),
        y_m: center(row),
        counts,
    });
    (cell_m, marks.collect())
}

/// The next of 1, 2 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= value).unwrap_or(10.0 * power)
}

/// From the least to the greatest, but for what is far from nearly all others.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return (0.0, 0.0) };
    let cut = sorted.len() / OUTLIERS_OF;
    let (low, high) = (sorted[cut], sorted[sorted.len() - 1 - cut]);
    // Only when they are far out: else nothing is gained.
    let reach = (high - low).max(1e-3) * 2.0;
    (if low - first > reach { low } else { first }, if last - high > reach { high } else { last })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(places: impl Iterator<Item = (f64, f64)>) -> MapFigures {
        let mut maps = Maps::default();
        for (x, y) in places {
            let spatial = json!({"frame": "map", "map_id": "hall", "robot_position": [x, y]});
            maps.see(&json!({ "spatial": spatial }), Outcome::Failure);
        }
        maps.figures(&mut Vec::new()).0.remove(0)
    }

    #[test]
    fn few_are_marked_one_by_one() {
        let map = seen((0..10).map(|at| (f64::from(at), 2.0)));
        assert_eq!((map.count, map.cell_m, map.marks.len()), (10, 0.0, 10));
        assert_eq!(map.bounds_m, [(0.0, 9.0), (2.0, 2.0)]);
        assert_eq!((map.map_id.as_str(), map.frame.as_str()), ("hall", "map"));
    }

    #[test]
    fn many_become_cells_and_none_is_lost() {
        let map =
            seen((0..20_000).map(|at| (f64::from(at % 173) / 10.0, f64::from(at % 91) / 10.0)));
        let counted: u64 = map.marks.iter().map(|mark| mark.counts[1]).sum();
        assert_eq!((counted, map.count), (20_000, 20_000));
        assert!(map.cell_m == 0.5 && map.marks.len() <= 50 * 50, "{} cells", map.marks.len());
    }

    #[test]
    fn a_place_that_is_far_off_does_not_hide_the_others() {
        let far = std::iter::once((1e9, 0.0));
        let map = seen((0..500).map(|at| (f64::from(at % 10), f64::from(at % 7))).chain(far));
        assert_eq!((map.outside_count, map.bounds_m[0]), (1, (0.0, 9.0)));
    }
}
