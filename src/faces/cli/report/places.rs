//! Maps: where memories are, with equal axes, a scale, and how what was done there ended.

use crate::faces::figures::charts::{Figure, steps};
use crate::faces::figures::format::{count, metres, plural, round};
use crate::faces::figures::svg::{Drawing, ticks};
use maud::Markup;
use robot_memory_core::api::{MapFigures, MapMark};

const WIDTH: f64 = 520.0;
/// Of the map itself: what is longer is drawn smaller.
const HEIGHT_MAX: f64 = 420.0;
const HEIGHT_MIN: f64 = 120.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 48.0;

/// From metres to the paper: one scale for both axes, y upward.
#[derive(Debug, Clone, Copy)]
struct Scale {
    per_m: f64,
    /// Metres at the lower left corner.
    corner_m: [f64; 2],
    /// Of the map on the paper.
    size: [f64; 2],
}

impl Scale {
    fn of(map: &MapFigures) -> Self {
        let [x, y] = map.bounds_m;
        let longest = (x.1 - x.0).max(y.1 - y.0);
        // Half a cell on each side is seen too, and a single place is in the middle of a metre.
        let margin =
            (longest * 0.04).max(map.cell_m / 2.0).max(if longest == 0.0 { 0.5 } else { 0.0 });
        let spans = [x.1 - x.0 + 2.0 * margin, y.1 - y.0 + 2.0 * margin];
        let across = WIDTH - LEFT - RIGHT;
        let per_m = (across / spans[0]).min(HEIGHT_MAX / spans[1]);
        let height = (spans[1] * per_m).max(HEIGHT_MIN);
        // What is left over is beside the map.
        let slack = [(across / per_m - spans[0]) / 2.0, (height / per_m - spans[1]) / 2.0];
        Self {
            per_m,
            corner_m: [x.0 - margin - slack[0], y.0 - margin - slack[1]],
            size: [across, height],
        }
    }

    fn at(&self, x_m: f64, y_m: f64) -> [f64; 2] {
        let right = (x_m - self.corner_m[0]) * self.per_m;
        let up = (y_m - self.corner_m[1]) * self.per_m;
        [LEFT + right, TOP + self.size[1] - up]
    }

    /// From the first to the last metre of an axis.
    fn span(&self, axis: usize) -> (f64, f64) {
        (self.corner_m[axis], self.corner_m[axis] + self.size[axis] / self.per_m)
    }
}

/// The figure of one map.
pub fn map(map: &MapFigures) -> Markup {
    let name = match (map.map_id.as_str(), map.frame.as_str()) {
        ("", "") => "A map without a name".to_owned(),
        ("", frame) => format!("Frame {frame}"),
        (map_id, "") => map_id.to_owned(),
        (map_id, frame) => format!("{map_id}, frame {frame}"),
    };
    let scale = Scale::of(map);
    let mut drawing = Drawing::new(WIDTH, TOP + scale.size[1] + BOTTOM);
    axes(&mut drawing, &scale);
    let mut marks: Vec<&MapMark> = map.marks.iter().collect();
    // Failures on top: they are what one looks for.
    marks.sort_by_key(|mark| (mark.counts[1] > 0, mark.counts[0] > 0));
    let most = map.marks.iter().map(|mark| mark.counts.iter().sum::<u64>()).max().unwrap_or(1);
    for mark in marks {
        draw(&mut drawing, &scale, map.cell_m, mark, most.max(1));
    }
    scale_bar(&mut drawing, &scale);
    let totals = map.marks.iter().fold([0; 3], |mut totals: [u64; 3], mark| {
        totals.iter_mut().zip(mark.counts).for_each(|(total, count)| *total += count);
        totals
    });
    let mut note = plural(map.count, "memories");
    if map.cell_m > 0.0 {
        note.push_str(&format!(
            ", in cells of {}: the larger the more, the share of failures on top",
            metres(map.cell_m)
        ));
    }
    if map.outside_count > 0 {
        note.push_str(&format!("; {} far outside are not drawn", count(map.outside_count)));
    }
    let failed = if map.cell_m > 0.0 { "box" } else { "bad" };
    let [success, failure, unknown] = totals.map(count);
    let label = format!(
        "Map {name}: {}; {success} at which a task succeeded, {failure} at which it failed",
        plural(map.count, "memories")
    );
    let [(x_low, x_high), (y_low, y_high)] = map.bounds_m;
    let range = |low: f64, high: f64| format!("{} to {}", round(low), round(high));
    Figure {
        title: &name,
        note: &note,
        legend: &[("good", "succeeded"), (failed, "failed"), ("none", "no outcome")],
        drawing: drawing.finish(&label),
        heads: vec!["x in m", "y in m", "succeeded", "failed", "no outcome"],
        rows: vec![vec![range(x_low, x_high), range(y_low, y_high), success, failure, unknown]],
    }
    .html()
}

fn axes(drawing: &mut Drawing, scale: &Scale) {
    let bottom = TOP + scale.size[1];
    let (low, high) = scale.span(0);
    for x in steps(low, high, 6) {
        let [at, _] = scale.at(x, 0.0);
        drawing.line("grid", [at, TOP], [at, bottom]);
        drawing.text("tick", [at, bottom + 14.0], "middle", &round(x));
    }
    let (low, high) = scale.span(1);
    for y in steps(low, high, 5) {
        let [_, at] = scale.at(0.0, y);
        drawing.line("grid", [LEFT, at], [WIDTH - RIGHT, at]);
        drawing.text("tick", [LEFT - 6.0, at + 3.5], "end", &round(y));
    }
    drawing.line("base", [LEFT, bottom], [WIDTH - RIGHT, bottom]);
    drawing.line("base", [LEFT, TOP], [LEFT, bottom]);
    drawing.text("unit", [WIDTH - RIGHT, bottom + 30.0], "end", "x in m");
    drawing.text("unit", [2.0, 11.0], "start", "y in m");
}

fn draw(drawing: &mut Drawing, scale: &Scale, cell_m: f64, mark: &MapMark, most: u64) {
    let at = scale.at(mark.x_m, mark.y_m);
    let [success, failure, unknown] = mark.counts;
    if cell_m == 0.0 {
        match (failure, success) {
            (1.., _) => drawing.cross("bad", at, 3.6),
            (0, 1..) => drawing.circle("good", at, 3.4),
            (0, 0) => drawing.circle("none", at, 2.6),
        }
        return;
    }
    let total = success + failure + unknown;
    // The area tells how many; a lone one is still seen.
    let side = (cell_m * scale.per_m * 0.94 * (total as f64 / most as f64).sqrt()).max(2.0);
    let label = format!("{success} succeeded, {failure} failed, {unknown} without an outcome");
    let left = at[0] - side / 2.0;
    let mut top = at[1] - side / 2.0;
    for (class, part) in [("bad", failure), ("good", success), ("none", unknown)] {
        let height = side * part as f64 / total.max(1) as f64;
        drawing.bar(class, [left, top], [side, height], &label);
        top += height;
    }
}

/// A length that is round, and about a fifth of the map.
fn scale_bar(drawing: &mut Drawing, scale: &Scale) {
    let fifth_m = scale.size[0] / scale.per_m / 5.0;
    let length_m = ticks(fifth_m, 1).get(1).copied().unwrap_or(fifth_m);
    let length = length_m * scale.per_m;
    let y = TOP + scale.size[1] + 30.0;
    drawing.line("scale", [LEFT, y], [LEFT + length, y]);
    drawing.text("mark", [LEFT + length + 6.0, y + 4.0], "start", &metres(length_m));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn figures(points: &[(f64, f64)], cell_m: f64) -> MapFigures {
        let of = |value: fn(&(f64, f64)) -> f64| {
            let values = points.iter().map(value);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                (low.min(it), high.max(it))
            })
        };
        let marks = points.iter().zip([[1, 0, 0], [0, 2, 1], [0, 0, 1]].into_iter().cycle());
        MapFigures {
            map_id: "hall".into(),
            frame: "map".into(),
            count: points.len() as u64,
            bounds_m: [of(|point| point.0), of(|point| point.1)],
            cell_m,
            marks: marks
                .map(|((x_m, y_m), counts)| MapMark { x_m: *x_m, y_m: *y_m, counts })
                .collect(),
            outside_count: 0,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn every_place_is_on_the_paper_and_both_axes_have_one_scale(
            points in prop::collection::vec((-1e5f64..1e5, -1e5f64..1e5), 1..40),
            shrink in prop::sample::select(vec![1.0, 1e-3, 1e-6]),
        ) {
            let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x * shrink, y * shrink)).collect();
            let map_figures = figures(&points, 0.0);
            let scale = Scale::of(&map_figures);
            for (x, y) in &points {
                let [right, down] = scale.at(*x, *y);
                prop_assert!((LEFT..=WIDTH - RIGHT).contains(&right), "{right}");
                prop_assert!((TOP..=TOP + scale.size[1]).contains(&down), "{down}");
            }
            let [from, to] = [scale.at(0.0, 0.0), scale.at(shrink, shrink)];
            prop_assert!(((to[0] - from[0]) - (from[1] - to[1])).abs() < 1e-6);
            for cell_m in [0.0, 0.5] {
                let html = map(&figures(&points, cell_m)).into_string();
                prop_assert!(!html.contains("NaN") && !html.contains("inf"));
            }
        }
    }

    #[test]
    fn one_place_has_a_map_too() {
        let html = map(&figures(&[(3.0, 4.0)], 0.0)).into_string();
        assert!(html.contains("<circle") && !html.contains("NaN"), "{html}");
    }
}
