//! The JSON of an event's window (docs/events.md).

use super::ring::NumbersRing;
use super::window::{Bounds, Window, sample};
use crate::span::secs_between;
use crate::{Layout, Measure};
use robot_memory_core::model::Stamp;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Bytes of an event's data: a memory is shown whole, and there are thousands of them.
pub(super) const DATA_BYTES_MAX: usize = 64 * 1024;
/// Bytes of the numbers of other streams in it.
const OTHERS_BYTES_MAX: usize = 16 * 1024;
/// Other streams whose numbers are kept.
const OTHERS_MAX: usize = 8;
/// Rows a second of other streams.
pub(super) const OTHERS_RATE_HZ: f64 = 10.0;
/// Channels of one series: their names alone take room.
const CHANNELS_MAX: usize = 256;
/// Rows that are kept before channels are left out.
const ROWS_MIN: usize = 16;
/// Bytes that a number takes, roughly, with its comma.
const NUMBER_BYTES: f64 = 7.0;
/// Digits of the greatest number of a channel.
const DIGITS: i32 = 6;
/// Characters of a channel's or joint's name.
const NAME_CHARS_MAX: usize = 64;

/// Numbers of one stream that an event keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series<'a> {
    pub stream: &'a str,
    pub topic: &'a str,
    pub ring: &'a NumbersRing,
    pub rate_hz: f64,
}

/// What was written of a series.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Written {
    /// Rows a second; `None` when there are too few to tell.
    pub rate_hz: Option<f64>,
    /// Rows.
    pub rows: usize,
    /// Channels that were left out for want of room.
    pub channels_left_out: usize,
    /// Whether fewer rows were written than asked for, for want of room.
    pub is_thinned: bool,
}

/// Writes the series in order, the event's own first, together in at most `bytes_max`; says of each
/// what was written, `None` when nothing was.
pub(super) fn write_series(
    own: Option<Series<'_>>,
    others: &[Series<'_>],
    bounds: Bounds,
    bytes_max: usize,
) -> (String, Option<Written>, Vec<Option<Written>>) {
    let others_max = OTHERS_BYTES_MAX.min(bytes_max / 2);
    let mut others_text = String::new();
    let mut others_written = Vec::new();
    for (index, series) in others.iter().enumerate() {
        let shares = others.len().min(OTHERS_MAX).saturating_sub(index).max(1);
        let room = others_max.saturating_sub(others_text.len()) / shares;
        let written = if index < OTHERS_MAX { one(series, bounds, room) } else { None };
        others_written.push(written.map(|(text, written)| {
            others_text.push(',');
            others_text.push_str(&text);
            written
        }));
    }
    let room = bytes_max.saturating_sub("[,]".len() + others_text.len());
    let (text, written) = own.and_then(|own| one(&own, bounds, room)).unzip();
    let text = text.unwrap_or_default() + &others_text;
    (format!("[{}]", text.trim_start_matches(',')), written, others_written)
}

/// One series in at most `bytes_max`; `None` when there is nothing to write, or no room.
fn one(series: &Series<'_>, bounds: Bounds, bytes_max: usize) -> Option<(String, Written)> {
    let ring = series.ring;
    let rows = ring.rows(bounds.first, bounds.last);
    if rows.is_empty() || ring.width() == 0 {
        return None;
    }
    let room = bytes_max as f64 / NUMBER_BYTES;
    let fit = (room / ROWS_MIN.min(rows.len()) as f64) as usize;
    let mut channels_max = fit.saturating_sub(1).clamp(1, CHANNELS_MAX);
    let mut rate_hz = series.rate_hz;
    for _ in 0..40 {
        let channels = most_moved(ring, bounds, channels_max);
        let width = channels.len() + 1;
        let rows_max = (room / width as f64).max(1.0);
        rate_hz = rate_hz.min(rows_max / bounds.secs().max(1e-3));
        let window = sample(ring, &channels, bounds, rate_hz);
        if window.times.is_empty() {
            return None;
        }
        let text = series_text(series, &channels, &window);
        if text.len() <= bytes_max {
            let written = Written {
                rate_hz: window.rate_hz,
                rows: window.times.len(),
                channels_left_out: ring.width() - channels.len(),
                is_thinned: rate_hz < series.rate_hz
                    && ring.rate_hz(rows).is_some_and(|own_hz| own_hz > rate_hz * 1.1),
            };
            return Some((text, written));
        }
        if window.times.len() > ROWS_MIN || channels_max == 1 {
            rate_hz *= 0.75;
        } else {
            channels_max = (channels.len() * 3 / 4).max(1);
        }
    }
    None
}

/// The channels whose numbers moved most between the bounds, at most `channels_max`, in their order.
fn most_moved(ring: &NumbersRing, bounds: Bounds, channels_max: usize) -> Vec<usize> {
    if ring.width() <= channels_max {
        return (0..ring.width()).collect();
    }
    let rows = ring.rows(bounds.first, bounds.last);
    let stride = rows.len().div_ceil(200).max(1);
    let mut moved: Vec<(f64, usize)> = (0..ring.width())
        .map(|channel| {
            let mut range = (f64::INFINITY, f64::NEG_INFINITY);
            for row in rows.clone().step_by(stride) {
                let value = ring.value(row, channel);
                range = (range.0.min(value), range.1.max(value));
            }
            ((range.1 - range.0).max(0.0), channel)
        })
        .collect();
    moved.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut channels: Vec<usize> =
        moved.into_iter().take(channels_max).map(|(_, channel)| channel).collect();
    channels.sort_unstable();
    channels
}

fn series_text(series: &Series<'_>, channels: &[usize], window: &Window) -> String {
    let layout: &Layout = series.ring.layout();
    let mut text = String::with_capacity(window.values.len() * 8 + 1024);
    let names: Vec<&str> =
        channels.iter().map(|channel| cut(&layout.channels[*channel].name)).collect();
    let units: Vec<&str> =
        channels.iter().map(|channel| layout.channels[*channel].quantity.unit()).collect();
    let head = json!({
        "stream": series.stream,
        "topic": series.topic,
        "kind": layout.kind.as_str(),
        "channels": names,
        "units": units,
    })
    .to_string();
    text.push_str(head.trim_end_matches('}'));
    text.push_str(",\"t\":[");
    for (row, time) in window.times.iter().enumerate() {
        if row > 0 {
            text.push(',');
        }
        push_number(&mut text, *time, 4);
    }
    text.push_str("],\"values\":[");
    let width = channels.len();
    let decimals: Vec<i32> = (0..width)
        .map(|column| decimals_of(window.values.iter().skip(column).step_by(width)))
        .collect();
    for (row, values) in window.values.chunks_exact(width).enumerate() {
        text.push_str(if row > 0 { ",[" } else { "[" });
        for (column, value) in values.iter().enumerate() {
            if column > 0 {
                text.push(',');
            }
            push_number(&mut text, *value, decimals[column]);
        }
        text.push(']');
    }
    text.push_str("]}");
    text
}

fn cut(name: &str) -> &str {
    name.char_indices().nth(NAME_CHARS_MAX).map_or(name, |(end, _)| &name[..end])
}

/// Decimals that leave the greatest number its digits.
fn decimals_of<'a>(values: impl Iterator<Item = &'a f64>) -> i32 {
    let greatest =
        values.filter(|value| value.is_finite()).fold(0.0_f64, |max, value| max.max(value.abs()));
    if greatest > 0.0 { DIGITS - 1 - greatest.log10().floor() as i32 } else { 0 }
}

/// Writes a number rounded to so many decimals (negative: to tens, hundreds); `null` when it is not
/// finite.
fn push_number(text: &mut String, value: f64, decimals: i32) {
    let rounded = rounded(value, decimals);
    // Writing to a string does not fail.
    let _ = if !rounded.is_finite() {
        text.push_str("null");
        Ok(())
    } else if rounded == 0.0 {
        text.push('0');
        Ok(())
    } else if (1e-5..1e15).contains(&rounded.abs()) {
        write!(text, "{rounded}")
    } else {
        write!(text, "{rounded:e}")
    };
}

fn rounded(value: f64, decimals: i32) -> f64 {
    // Powers of ten up to there are exact, so that the nearest number to the decimal one is found.
    if decimals.abs() > 22 {
        let digits = (DIGITS - 1) as usize;
        return format!("{value:.digits$e}").parse().unwrap_or(value);
    }
    let scale = 10_f64.powi(decimals.abs());
    let rounded = if decimals >= 0 {
        (value * scale).round() / scale
    } else {
        (value / scale).round() * scale
    };
    // Beyond the range of the scale there is nothing to round.
    if rounded.is_finite() { rounded } else { value }
}

/// A number with its six digits, as JSON; `null` when it is not finite.
pub(super) fn number(value: f64) -> Value {
    let value = rounded(value, decimals_of(std::iter::once(&value)));
    if value == 0.0 { json!(0.0) } else { json!(value) }
}

/// Seconds from one stamp to another with four decimals, as JSON.
pub(super) fn seconds(zero: Stamp, stamp: Stamp) -> Value {
    let secs = rounded(secs_between(zero, stamp), 4);
    if secs == 0.0 { json!(0.0) } else { json!(secs) }
}

/// Begin, end and the measures by name; those that share a name make a list.
pub(super) fn measured(begin: Stamp, end: Option<Stamp>, measures: &[Measure]) -> Value {
    let mut event = Map::new();
    event.insert("begin".into(), json!(0.0));
    event.insert("end".into(), end.map_or(Value::Null, |end| seconds(begin, end)));
    for measure in measures {
        let mut one = Map::new();
        if !measure.value.is_nan() {
            one.insert("value".into(), number(measure.value));
        }
        if !measure.unit.is_empty() {
            one.insert("unit".into(), measure.unit.as_str().into());
        }
        if !measure.of.is_empty() {
            let end = measure.of.char_indices().nth(256).map_or(measure.of.len(), |(end, _)| end);
            one.insert("of".into(), measure.of[..end].into());
        }
        if let Some(stamp) = measure.stamp {
            one.insert("t".into(), seconds(begin, stamp));
        }
        match event.get_mut(measure.name) {
            Some(Value::Array(list)) => list.push(one.into()),
            Some(first @ Value::Object(_)) => *first = json!([first.take(), one]),
            _ => {
                event.insert(measure.name.into(), one.into());
            }
        }
    }
    event.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, LayoutKind, Quantity};
    use std::sync::Arc;

    fn ring(width: usize, rate_hz: f64, secs: f64) -> NumbersRing {
        let channels = (0..width)
            .map(|index| Channel { name: format!("data[{index}]"), quantity: Quantity::Force })
            .collect();
        let mut ring = NumbersRing::new(Arc::new(Layout { kind: LayoutKind::Taxels, channels }));
        let mut row = vec![0.0; width];
        for index in 0..(secs * rate_hz) as usize {
            let at = index as f64 / rate_hz;
            for (channel, value) in row.iter_mut().enumerate() {
                *value = (at * 7.0 + channel as f64).sin() * (channel as f64 + 1.0);
            }
            ring.push(Stamp((at * 1e9) as i64), &row);
        }
        ring
    }

    fn bounds(first: i64, zero: i64, last: i64) -> Bounds {
        let [first, zero, last] = [first, zero, last].map(Stamp::from_secs);
        Bounds { first, zero, last }
    }

    #[test]
    fn whatever_there_is_fits() {
        for (width, secs) in [(1, 10), (6, 33), (42, 33), (600, 10), (4096, 5)] {
            let ring = ring(width, 100.0, secs as f64);
            let series = Series { stream: "skin", topic: "/skin", ring: &ring, rate_hz: 50.0 };
            for bytes_max in [DATA_BYTES_MAX, 8000] {
                let (text, own, _) =
                    write_series(Some(series), &[series; 12], bounds(0, 1, secs), bytes_max);
                assert!(text.len() <= bytes_max, "{width} {secs} {bytes_max}: {}", text.len());
                let parsed: Value = serde_json::from_str(&text).unwrap();
                let own = own.expect("something is written");
                assert_eq!(parsed[0]["values"].as_array().unwrap().len(), own.rows);
                assert_eq!(
                    parsed[0]["channels"].as_array().unwrap().len() + own.channels_left_out,
                    width
                );
                assert!(own.rows >= 8, "{width} {secs} {bytes_max} {own:?}");
            }
        }
    }

    #[test]
    fn a_number_keeps_what_it_carries() {
        let text = |value, decimals| {
            let mut text = String::new();
            push_number(&mut text, value, decimals);
            text
        };
        assert_eq!(text(23.412_345_6, 4), "23.4123");
        assert_eq!(text(-0.000_01, 4), "0");
        assert_eq!(text(f64::NAN, 4), "null");
        assert_eq!(text(123_456_789.0, -3), "123457000");
        assert_eq!(text(1e-300, 305), "1e-300");
        assert_eq!(text(f64::MAX, -303), "1.79769e308");
        assert_eq!(number(f64::INFINITY), Value::Null);
        assert_eq!(number(0.123_456_78), json!(0.123457));
    }

    #[test]
    fn measures_that_share_a_name_make_a_list() {
        let measure = |name, value, of: &str| Measure {
            name,
            value,
            unit: "rad".into(),
            of: of.into(),
            stamp: Some(Stamp::from_secs(3)),
        };
        let measures = [
            measure("distance", 0.8, "elbow"),
            measure("distance", 0.1, "wrist"),
            measure("to", f64::NAN, "b"),
        ];
        let event = measured(Stamp::from_secs(2), None, &measures);
        assert_eq!(event["distance"][1]["of"], "wrist");
        assert_eq!(event["distance"][0]["t"], 1.0);
        assert_eq!(event["to"], json!({"unit": "rad", "of": "b", "t": 1.0}));
        assert_eq!(event["end"], Value::Null);
    }
}
