//! The map: where memories and objects are, one map at a time, since places of different maps have nothing to do
//! with each other.

use super::layout::Sheet;
use super::parts::{badge, card, time, url};
use super::records::{Located, MemoryRecord, PlaceRecord, Recalled};
use super::visit::Visit;
use crate::faces::figures::charts::steps;
use crate::faces::figures::format::{metres, plural, round};
use crate::faces::figures::svg::{Drawing, ticks};
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Memories that are drawn: the newest.
const SHOWN: u32 = 100;
/// Of them, those that are listed below the map.
const LISTED: usize = 20;
const WIDTH: f64 = 720.0;
const HEIGHT_MAX: f64 = 520.0;
const HEIGHT_MIN: f64 = 160.0;
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 44.0;
const MARGIN: f64 = 10.0;

/// A map, or a frame that has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Chart {
    map_id: String,
    frame: String,
}

impl Chart {
    fn name(&self) -> String {
        match (self.map_id.as_str(), self.frame.as_str()) {
            ("", frame) => format!("frame {frame}"),
            (map_id, "") => map_id.to_owned(),
            (map_id, frame) => format!("{map_id}, frame {frame}"),
        }
    }

    fn path(&self) -> String {
        url("/map", &[("map", &self.map_id), ("frame", &self.frame)])
    }

    fn of(memory: &MemoryRecord) -> Self {
        let text = |name: &str| {
            let value = memory.context.pointer(&format!("/spatial/{name}"));
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Self { map_id: text("map_id"), frame: text("frame") }
    }
}

/// Where a memory is: its object, else the robot then.
fn position(memory: &MemoryRecord) -> Option<[f64; 2]> {
    ["object_position", "robot_position"].iter().find_map(|name| {
        let at = memory.context.pointer(&format!("/spatial/{name}"))?.as_array()?;
        Some([at.first()?.as_f64()?, at.get(1)?.as_f64()?])
    })
}

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let located = json!({ "n": SHOWN, "scope": "all" });
    let objects = visit.ask::<Located>("locate", located).await?.places;
    let charts = charts(visit, &objects).await?;
    let wanted =
        Chart { map_id: visit.given("map").to_owned(), frame: visit.given("frame").to_owned() };
    let is_named = !wanted.map_id.is_empty() || !wanted.frame.is_empty();
    let most = charts.iter().max_by_key(|(_, count)| **count).map(|(chart, _)| chart.clone());
    let Some(chart) = is_named.then_some(wanted).or(most) else {
        let body = html! { p class="empty" { "No memory has a place: none has context.spatial with a frame." } };
        return Ok(Sheet { title: "Map".to_owned(), here: "/map", body });
    };
    let request = json!({
        "map_id": chart.map_id, "frame": chart.frame, "order": "newest", "n": SHOWN, "min_confidence": 0.0,
        "scope": "all", "collections": ["*"],
    });
    let found = visit.ask::<Recalled>("recall", request).await?;
    let memories: Vec<&MemoryRecord> = found
        .memories
        .iter()
        .filter(|memory| position(memory).is_some() && Chart::of(memory) == chart)
        .collect();
    let objects: Vec<&PlaceRecord> = objects
        .iter()
        .filter(|place| place.map_id == chart.map_id && place.frame == chart.frame)
        .filter(|place| place.position_m.len() >= 2)
        .collect();
    let body = html! {
        nav class="tabs" aria-label="Maps" { @for known in charts.keys() {
            a href=(known.path()) aria-current=[(*known == chart).then_some("true")] { (known.name()) }
        } }
        (figure(&chart, &memories, &objects, found.total))
        @if !objects.is_empty() { (object_table(&objects)) }
        h2 { "Newest here" }
        @if memories.is_empty() { p class="empty" { "No memory has a place on this map." } }
        ol class="list" { @for memory in memories.iter().take(LISTED) { (card(memory, &html! {})) } }
    };
    Ok(Sheet { title: "Map".to_owned(), here: "/map", body })
}

/// The maps of the newest memories that have a place, and of the objects.
async fn charts(visit: &Visit, objects: &[PlaceRecord]) -> Result<BTreeMap<Chart, usize>, Problem> {
    let mut charts: BTreeMap<Chart, usize> = BTreeMap::new();
    for name in ["spatial.map_id", "spatial.frame"] {
        let request = json!({
            "context_filter": { name: { "$ne": "" } }, "order": "newest", "n": SHOWN, "min_confidence": 0.0,
            "scope": "all", "collections": ["*"],
        });
        let found = visit.ask::<Recalled>("recall", request).await?;
        for memory in found.memories.iter().filter(|memory| position(memory).is_some()) {
            *charts.entry(Chart::of(memory)).or_default() += 1;
        }
    }
    for place in objects {
        let chart = Chart { map_id: place.map_id.clone(), frame: place.frame.clone() };
        *charts.entry(chart).or_default() += 1;
    }
    charts.retain(|chart, _| !chart.map_id.is_empty() || !chart.frame.is_empty());
    Ok(charts)
}

/// From metres to the paper: one scale for both axes, y upward.
struct Scale {
    per_m: f64,
    corner_m: [f64; 2],
    size: [f64; 2],
}

impl Scale {
    fn of(points: &[[f64; 2]]) -> Self {
        let bound = |axis: usize, pick: fn(f64, f64) -> f64, from: f64| {
            points.iter().map(|point| point[axis]).fold(from, pick)
        };
        let low = [0, 1].map(|axis| bound(axis, f64::min, f64::INFINITY));
        let high = [0, 1].map(|axis| bound(axis, f64::max, f64::NEG_INFINITY));
        let longest = (high[0] - low[0]).max(high[1] - low[1]).max(1.0);
        let margin = longest * 0.06;
        let spans = [high[0] - low[0] + 2.0 * margin, high[1] - low[1] + 2.0 * margin];
        let across = WIDTH - LEFT - MARGIN;
        let per_m = (across / spans[0]).min(HEIGHT_MAX / spans[1]);
        let height = (spans[1] * per_m).max(HEIGHT_MIN);
        let slack = [(across / per_m - spans[0]) / 2.0, (height / per_m - spans[1]) / 2.0];
        let corner_m = [low[0] - margin - slack[0], low[1] - margin - slack[1]];
        Self { per_m, corner_m, size: [across, height] }
    }

    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let right = (x - self.corner_m[0]) * self.per_m;
        let up = (y - self.corner_m[1]) * self.per_m;
        [LEFT + right, MARGIN + self.size[1] - up]
    }
}

fn figure(
    chart: &Chart,
    memories: &[&MemoryRecord],
    objects: &[&PlaceRecord],
    total: u64,
) -> Markup {
    let places: Vec<[f64; 2]> = memories.iter().filter_map(|memory| position(memory)).collect();
    let of_objects = objects.iter().map(|place| [place.position_m[0], place.position_m[1]]);
    let points: Vec<[f64; 2]> = places.iter().copied().chain(of_objects).collect();
    if points.is_empty() || !points.iter().flatten().all(|number| number.is_finite()) {
        return html! {};
    }
    let scale = Scale::of(&points);
    let mut drawing = Drawing::new(WIDTH, MARGIN + scale.size[1] + BOTTOM);
    axes(&mut drawing, &scale);
    // The newest on top.
    for (memory, place) in memories.iter().zip(&places).rev() {
        let class = match memory.context.pointer("/task/success").and_then(Value::as_bool) {
            Some(true) => "pin good",
            Some(false) => "pin bad",
            None => "pin none",
        };
        let path = format!("/memories/{}", memory.id);
        drawing.pin(class, scale.at(*place), 6.0, &path, &memory.content);
    }
    for place in objects {
        let at = scale.at([place.position_m[0], place.position_m[1]]);
        drawing.cross("object", at, 6.0);
        drawing.text("mark", [at[0] + 9.0, at[1] + 4.0], "start", &place.label);
    }
    let name = chart.name();
    let label = format!("Map {name}: {}", plural(points.len() as u64, "places"));
    html! {
        figure class="map" {
            figcaption {
                h2 { (name) }
                p { "The newest " (memories.len()) " of " (plural(total, "memories")) " with this map; x to the right, y upward, in metres" }
            }
            ul class="legend" {
                li { i class="none" {} "memory" } li { i class="good" {} "succeeded" } li { i class="bad" {} "failed" }
                @if !objects.is_empty() { li { i class="cross" {} "object" } }
            }
            (drawing.finish_with_links(&label))
        }
    }
}

fn axes(drawing: &mut Drawing, scale: &Scale) {
    let [width, height] = scale.size;
    for x in steps(scale.corner_m[0], scale.corner_m[0] + width / scale.per_m, 6) {
        let [at, _] = scale.at([x, 0.0]);
        drawing.line("grid", [at, MARGIN], [at, MARGIN + height]);
        drawing.text("tick", [at, MARGIN + height + 14.0], "middle", &round(x));
    }
    for y in steps(scale.corner_m[1], scale.corner_m[1] + height / scale.per_m, 5) {
        let [_, at] = scale.at([0.0, y]);
        drawing.line("grid", [LEFT, at], [LEFT + width, at]);
        drawing.text("tick", [LEFT - 5.0, at + 3.5], "end", &round(y));
    }
    let fifth_m = width / scale.per_m / 5.0;
    let length_m = ticks(fifth_m, 1).get(1).copied().unwrap_or(fifth_m);
    let y = MARGIN + height + 30.0;
    drawing.line("scale", [LEFT, y], [LEFT + length_m * scale.per_m, y]);
    drawing.text(
        "mark",
        [LEFT + length_m * scale.per_m + 6.0, y + 4.0],
        "start",
        &metres(length_m),
    );
}

fn object_table(objects: &[&PlaceRecord]) -> Markup {
    html! {
        h2 { "Objects" }
        div class="scroll" tabindex="0" role="region" aria-label="Objects" {
            table class="words" {
                thead { tr { th scope="col" { "Object" } th scope="col" { "Place" } th scope="col" { "Last seen" } th scope="col" class="n" { "Seen" } } }
                tbody { @for place in objects { tr {
                    th scope="row" { (place.label) " " @if place.state == "gone" { (badge("warn", "gone")) } }
                    td { (round(place.position_m[0])) ", " (round(place.position_m[1])) " ± " (metres(place.sigma_m)) }
                    td { (time(place.last_seen)) }
                    td class="n" { (place.count) " times, " (format!("{:.2}", place.confidence)) }
                } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_place_is_on_the_paper_and_both_axes_have_one_scale(
            points in prop::collection::vec((-1e5f64..1e5, -1e5f64..1e5), 1..40),
        ) {
            let points: Vec<[f64; 2]> = points.into_iter().map(|(x, y)| [x, y]).collect();
            let scale = Scale::of(&points);
            for point in &points {
                let [right, down] = scale.at(*point);
                prop_assert!((LEFT..=WIDTH).contains(&right), "{right}");
                prop_assert!((0.0..=MARGIN + scale.size[1] + 1e-6).contains(&down), "{down}");
            }
            let [from, to] = [scale.at([0.0, 0.0]), scale.at([1.0, 1.0])];
            prop_assert!(((to[0] - from[0]) - (from[1] - to[1])).abs() < 1e-6);
        }
    }
}
