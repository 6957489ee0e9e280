use super::{SAMPLES_MIN, of};
use crate::event::{LayoutKind, Signature};
use crate::model::PerceptionType;
use serde_json::Value;

/// The signature of the data of a perception in the form of docs/events.md: that of its first series
/// that gives one. A series is `{"kind": "wrench", "values": [[...], ...], "t": [...]}`; `null` is not
/// measured. Without a `kind` it is what the sense tells: joints of proprioception, taxels of touch.
/// With times, samples that lie apart unevenly are put on an even grid first, and of an event only those
/// between the two times of `felt` count, when they are enough.
pub fn of_data(perception_type: PerceptionType, data: &Value) -> Option<Signature> {
    let series = data.get("series")?.as_array()?;
    let felt = match data.get("felt").and_then(Value::as_array).map(Vec::as_slice) {
        Some([first, last]) => first.as_f64().zip(last.as_f64()),
        _ => None,
    };
    series.iter().find_map(|one| of_series(perception_type, one, felt))
}

fn of_series(
    perception_type: PerceptionType,
    series: &Value,
    felt: Option<(f64, f64)>,
) -> Option<Signature> {
    let rows = series.get("values")?.as_array()?;
    let channel_count = rows.first()?.as_array()?.len();
    let kind = match series.get("kind") {
        Some(kind) => LayoutKind::parse(kind.as_str()?)?,
        None => match (perception_type, channel_count) {
            (PerceptionType::Tactile, 6) => LayoutKind::Wrench,
            (PerceptionType::Tactile, _) => LayoutKind::Taxels,
            (PerceptionType::Proprioceptive, _) => LayoutKind::Joints,
            _ => LayoutKind::Plain,
        },
    };
    let mut samples = Vec::with_capacity(rows.len().saturating_mul(channel_count));
    for row in rows {
        let row = row.as_array().filter(|row| row.len() == channel_count)?;
        for value in row {
            samples.push(match value {
                Value::Null => f64::NAN,
                value => value.as_f64()?,
            });
        }
    }
    let times = series.get("t").and_then(Value::as_array).and_then(|times| increasing(times));
    let mut times = times.filter(|times| times.len() == rows.len());
    if let (Some(all), Some((first, last))) = (&times, felt) {
        let begin = all.partition_point(|time| *time < first);
        let end = all.partition_point(|time| *time <= last).max(begin);
        if end - begin >= SAMPLES_MIN {
            samples = samples[begin * channel_count..end * channel_count].to_vec();
            times = Some(all[begin..end].to_vec());
        }
    }
    let samples = match times {
        Some(times) => evenly(&times, channel_count, &samples),
        None => samples,
    };
    of(kind, channel_count, &samples)
}

/// The times, when each is later than the one before.
fn increasing(times: &[Value]) -> Option<Vec<f64>> {
    let times: Vec<f64> = times.iter().map(Value::as_f64).collect::<Option<_>>()?;
    times.windows(2).all(|pair| pair[0] < pair[1]).then_some(times)
}

/// As many samples at even times, each on the line between the two beside it.
fn evenly(times: &[f64], channel_count: usize, samples: &[f64]) -> Vec<f64> {
    let [first, .., last] = times else { return samples.to_vec() };
    let step = (last - first) / (times.len() - 1) as f64;
    let is_even =
        |(at, time): (usize, &f64)| (time - (first + at as f64 * step)).abs() <= step / 4.0;
    if times.iter().enumerate().all(is_even) {
        return samples.to_vec();
    }
    let mut even = Vec::with_capacity(samples.len());
    let mut before = 0;
    for at in 0..times.len() {
        let time = first + at as f64 * step;
        while before + 2 < times.len() && times[before + 1] <= time {
            before += 1;
        }
        let part = ((time - times[before]) / (times[before + 1] - times[before])).clamp(0.0, 1.0);
        let (low, high) = (before * channel_count, (before + 1) * channel_count);
        even.extend((0..channel_count).map(|channel| {
            let (low, high) = (samples[low + channel], samples[high + channel]);
            // A gap beside a measured value takes nothing from it.
            match (low.is_finite(), high.is_finite()) {
                (true, false) if part < 0.5 => low,
                (false, true) if part >= 0.5 => high,
                _ => low + part * (high - low),
            }
        }));
    }
    even
}
