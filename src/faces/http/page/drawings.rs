//! Curves: samples of a window, and how far a memory was believed over time.

use super::records::StoredRecord;
use crate::faces::figures::charts::steps;
use crate::faces::figures::format::round;
use crate::faces::figures::svg::Drawing;
use crate::faces::wall_clock::WallClock;
use maud::{Markup, html};
use robot_memory_core::model::{Clock, Stamp};
use serde_json::Value;

/// Series of one window that are drawn.
const SERIES_MAX: usize = 4;
/// Channels of a series that are drawn: those that move most.
const CHANNELS_MAX: usize = 3;
/// Points of a line; between them there is no more to see.
const POINTS_MAX: usize = 200;
/// Days between the last that is known of a memory and now, above which the clocks differ.
const AGE_DAYS_MAX: f64 = 3_650.0;

/// What the sensors measured in the window of a perception.
pub fn window(data: &Value) -> Markup {
    let series = data.get("series").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    html! { @for one in series.iter().take(SERIES_MAX) { (samples(one, [560.0, 110.0])) } }
}

/// The first series of a window, small.
pub fn spark(data: &Value) -> Markup {
    let first = data.pointer("/series/0");
    html! { @if let Some(series) = first { (samples(series, [220.0, 44.0])) } }
}

/// One number of a series over time.
struct Channel {
    number: usize,
    /// From the least to the greatest value.
    span: f64,
    /// Time and value.
    points: Vec<(f64, f64)>,
}

/// The channels of a series that move most.
fn channels(series: &Value) -> Vec<Channel> {
    /// Beyond these no sensor of a robot has channels that a person tells apart.
    const READ_MAX: usize = 64;
    let list =
        |name: &str| series.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (rows, times) = (list("values"), list("t"));
    let time = |at: usize| times.get(at).and_then(Value::as_f64).unwrap_or(at as f64);
    let count = rows.iter().filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0);
    let mut channels: Vec<Channel> = (0..count.min(READ_MAX))
        .map(|number| {
            let value = |row: &Value| row.get(number)?.as_f64();
            let points =
                rows.iter().enumerate().filter_map(|(at, row)| Some((time(at), value(row)?)));
            let points: Vec<(f64, f64)> = points.collect();
            let (low, high) = range(points.iter().map(|(_, value)| *value));
            Channel { number, span: high - low, points }
        })
        .filter(|channel| channel.points.len() > 1)
        .collect();
    channels.sort_by(|one, other| other.span.total_cmp(&one.span));
    channels.truncate(CHANNELS_MAX);
    channels
}

/// One series: the channels that move most, on one scale.
fn samples(series: &Value, size: [f64; 2]) -> Markup {
    let channels = channels(series);
    if channels.is_empty() {
        return html! {};
    }
    let all = || channels.iter().flat_map(|channel| channel.points.iter());
    let (from, to) = range(all().map(|point| point.0));
    let (low, high) = range(all().map(|point| point.1));
    let [width, height] = size;
    let mut drawing = Drawing::new(width, height);
    // Of a small drawing the caption alone says what its line is.
    let has_trigger = from < 0.0 && to > 0.0;
    let top = if has_trigger && height > 100.0 { 18.0 } else { 3.0 };
    let x = |at: f64| (at - from) / (to - from).max(1e-9) * width;
    let y =
        |value: f64| height - 3.0 - (value - low) / (high - low).max(1e-9) * (height - 3.0 - top);
    if has_trigger {
        drawing.line("grid", [x(0.0), 0.0], [x(0.0), height]);
    }
    if has_trigger && top > 3.0 {
        let (aside, anchor) = if x(0.0) < width / 2.0 { (5.0, "start") } else { (-5.0, "end") };
        drawing.text("tick", [x(0.0) + aside, 10.0], anchor, "0 s: the trigger");
    }
    let (mut names, mut units) = (Vec::new(), Vec::new());
    for (place, Channel { number, points, .. }) in channels.iter().enumerate() {
        let step = points.len().div_ceil(POINTS_MAX).max(1);
        let line: Vec<[f64; 2]> =
            points.iter().step_by(step).map(|(at, value)| [x(*at), y(*value)]).collect();
        drawing.polyline(["curve k1", "curve k2", "curve k3"][place.min(2)], &line);
        let name = series.pointer(&format!("/channels/{number}")).and_then(Value::as_str);
        let unit = series.pointer(&format!("/units/{number}")).and_then(Value::as_str);
        units.push(unit.unwrap_or(""));
        names.push(match unit {
            Some(unit) if !unit.is_empty() => format!("{} ({unit})", name.unwrap_or("")),
            _ => name.unwrap_or("").to_owned(),
        });
    }
    let stream = series.get("stream").and_then(Value::as_str).unwrap_or("samples");
    // Numbers of several units have none in common.
    units.dedup();
    let unit = if let [unit] = units[..] { unit } else { "" };
    let values = format!("{} to {} {unit}", rounded(low), rounded(high));
    let span = if has_trigger {
        format!("{}, {:.1} s before to {to:.1} s after the trigger", values.trim(), -from)
    } else {
        format!("{}, {:.1} s", values.trim(), to - from)
    };
    let label = format!("{stream}: {}, {span}", names.join(", "));
    html! {
        figure class="samples" {
            (drawing.finish(&label))
            figcaption {
                strong class="stream" { (stream) } " "
                @for (place, name) in names.iter().enumerate() { span class={ "key k" (place + 1) } { (name) } " " }
                span class="soft" { (span) }
            }
        }
    }
}

/// A measured value to three digits.
fn rounded(value: f64) -> String {
    let digits =
        if value == 0.0 { 0.0 } else { (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) };
    let digits = digits as usize;
    format!("{value:.digits$}").replace('-', "\u{2212}")
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)))
}

/// How far a memory was believed, from its beginning until now: what its ledger says of confidence, and the
/// exponential between.
pub fn belief(stored: &StoredRecord) -> Markup {
    let memory = &stored.memory;
    let Some(born) = memory.created_at else { return html! {} };
    let changes: Vec<(Stamp, Stamp, f64, f64)> = stored
        .ledger
        .iter()
        .filter_map(|entry| {
            let (before, after) =
                (entry.value_before.parse().ok()?, entry.value_after.parse().ok()?);
            let is_share = |value: f64| (0.0..=1.0).contains(&value);
            let (from, to) = (entry.began_at?, entry.changed_at?);
            (is_share(before) && is_share(after)).then_some((from, to, before, after))
        })
        .collect();
    let last = changes.iter().map(|change| change.1).chain(memory.updated_at).max();
    let last = last.unwrap_or(born).max(born);
    let now = WallClock.now().filter(|now| {
        let days = now.days_since(last);
        (0.0..AGE_DAYS_MAX).contains(&days)
    });
    let now = now.unwrap_or(last).max(born);
    let mut known = vec![(born, changes.first().map_or(memory.confidence, |change| change.2))];
    for (from, to, before, after) in &changes {
        known.extend([(*from, *before), (*to, *after)]);
    }
    known.push((now, memory.confidence));
    known.sort_by_key(|(at, _)| *at);
    let until = stored.archives_at.filter(|at| *at > now && at.days_since(now) < AGE_DAYS_MAX);
    curve(&known, until.filter(|_| stored.fades).map(|at| (stored.retention, at)))
}

/// The curve of belief, and of what is left of the worth of keeping.
fn curve(known: &[(Stamp, f64)], fading: Option<(f64, Stamp)>) -> Markup {
    const SIZE: [f64; 2] = [560.0, 168.0];
    const LEFT: f64 = 34.0;
    const BOTTOM: f64 = 40.0;
    /// Of the bound at which maintenance archives, unless a parameter says otherwise.
    const ARCHIVED_AT: f64 = 0.1;
    let Some(&(born, _)) = known.first() else { return html! {} };
    let now = known.last().map_or(born, |it| it.0);
    let end = fading.map_or(now, |(_, at)| at);
    let days = end.days_since(born).max(1.0 / 24.0);
    let mut drawing = Drawing::new(SIZE[0], SIZE[1]);
    let x = |day: f64| LEFT + day / days * (SIZE[0] - LEFT - 6.0);
    let y = |share: f64| 8.0 + (1.0 - share.clamp(0.0, 1.0)) * (SIZE[1] - BOTTOM - 8.0);
    for share in [0.0, 0.5, 1.0] {
        let class = if share == 0.0 { "base" } else { "grid" };
        drawing.line(class, [LEFT, y(share)], [SIZE[0] - 6.0, y(share)]);
        drawing.text("tick", [LEFT - 6.0, y(share) + 3.5], "end", &format!("{share:.1}"));
    }
    for day in steps(0.0, days, 5).into_iter().filter(|day| *day > 0.0) {
        drawing.text("tick", [x(day), SIZE[1] - 24.0], "middle", &round(day));
    }
    let middle = (LEFT + SIZE[0] - 6.0) / 2.0;
    drawing.text("tick", [middle, SIZE[1] - 4.0], "middle", "days since it was stored");
    let mut line = Vec::new();
    for pair in known.windows(2) {
        let [(from, before), (to, after)] = [pair[0], pair[1]];
        let (start, span) = (from.days_since(born), to.days_since(from));
        for part in 0..=12 {
            let share = f64::from(part) / 12.0;
            let value = exponential(before, after, share);
            line.push([x(start + span * share), y(value)]);
        }
    }
    drawing.polyline("curve k1", &line);
    if let Some((retention, at)) = fading {
        let (start, span) = (now.days_since(born), at.days_since(now));
        let line: Vec<[f64; 2]> = (0..=24)
            .map(|part| {
                let share = f64::from(part) / 24.0;
                [x(start + span * share), y(exponential(retention, ARCHIVED_AT, share))]
            })
            .collect();
        drawing.polyline("curve k2 ahead", &line);
    }
    let last = known.last().map_or(0.0, |it| it.1);
    drawing.circle("point", [x(now.days_since(born)), y(last)], 3.5);
    let label = format!("Confidence from {:.2} to {last:.2} over {days:.1} days", known[0].1);
    html! {
        figure {
            figcaption {
                h2 { "Curve of belief" }
                p { span class="key k1" { "confidence" } @if fading.is_some() { " " span class="key k2 ahead" { "worth of keeping, if it is not used" } } }
            }
            (drawing.finish(&label))
        }
    }
}

/// Between two values; from or to nothing it is a straight line.
fn exponential(before: f64, after: f64, share: f64) -> f64 {
    if before > 0.0 && after > 0.0 {
        before * (after / before).powf(share)
    } else {
        before + (after - before) * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_a_window_holds_is_drawn_on_the_paper_or_not_at_all(
            rows in prop::collection::vec(prop::collection::vec(prop::option::of(any::<f64>()), 0..5), 0..40),
            times in prop::collection::vec(any::<f64>(), 0..40),
        ) {
            let data = json!({"series": [{"stream": "<i>", "t": times, "values": rows, "channels": [1, null]}]});
            for html in [window(&data), spark(&data)].map(Markup::into_string) {
                prop_assert!(!html.contains("NaN") && !html.contains("inf") && !html.contains("<i>"), "{html}");
            }
        }
    }
}
