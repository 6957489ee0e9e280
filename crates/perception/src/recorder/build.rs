//! A finished event from an open one: the window, the sentence, and what is said beside.

use super::Recorder;
use super::activities::Activity;
use super::data::{self, OTHERS_RATE_HZ, Series, Written};
use super::open::{Open, Picture};
use super::ring::{NumbersRing, State, StateRing};
use super::stream::{SampleRing, Stream};
use super::window::{Bounds, sample};
use crate::describe::{Beside, EventFacts};
use crate::event_text::event_of;
use crate::facts::importance;
use crate::span::{plus_secs, secs_between};
use crate::{ClipMessage, Event, LayoutKind, Signature, StreamSettings, TriggerKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use robot_memory_core::model::Stamp;
use robot_memory_core::signature;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Seconds before an event for which something must have gone on to be a state of the robot, and no
/// longer worth telling of.
const STATE_SECS: f64 = 600.0;
/// Seconds between two readings that are taken for what went on meanwhile.
const SLACK_SECS_MAX: f64 = 2.0;
/// Changes of one other stream's state that are kept, and bytes of all of them.
const STATES_MAX: usize = 16;
const STATES_BYTES_MAX: usize = 8 * 1024;
/// Changes of an event's own state that are kept.
const OWN_STATES_MAX: usize = 64;
/// Samples a second of the window that a signature is made of.
const SIGNATURE_RATE_HZ: f64 = 50.0;
/// Seconds around the beginning of a touch that tell what it felt like.
const FELT_BEFORE_SECS: f64 = 0.1;
const FELT_AFTER_SECS: f64 = 1.0;

/// The times of an event that is closed.
#[derive(Debug, Clone, Copy)]
struct Times {
    bounds: Bounds,
    end: Stamp,
    goes_on: bool,
}

impl Times {
    /// How long it lasted, when it has ended.
    fn secs(&self) -> Option<f64> {
        (!self.goes_on).then(|| secs_between(self.bounds.zero, self.end))
    }
}

impl Recorder {
    /// The index of its stream, and the event; `None` when a capture caught nothing.
    pub(super) fn build(&self, open: Open) -> Option<(usize, Event)> {
        let stream = &self.streams[open.origin.stream];
        // Finished before its time, it lasts until what was heard last.
        let now = self.floor.unwrap_or(open.deadline).max(open.begin);
        let last = open.deadline.min(now);
        let times = Times {
            bounds: Bounds { first: open.first(), zero: open.begin, last },
            end: open.end.unwrap_or(last),
            goes_on: open.end.is_none(),
        };
        let track = &stream.tracks.get(open.origin.track)?.kept;
        let beside = self.beside(&open, &times);
        let secs = secs_between(open.begin, times.end);
        let facts = EventFacts {
            subject: &stream.subject,
            kind: open.kind,
            begin: open.begin,
            secs: (secs > 0.0).then_some(secs),
            goes_on: times.goes_on,
            measures: &open.measures,
            count: open.count,
            beside: &beside,
            reason: &open.reason,
        };
        let description = facts.sentence();
        let mut provenance = DataProvenance::default();
        let data = self.data(&open, &times, track, &mut provenance)?;
        let metadata = metadata(stream, &open, track, &times, provenance);
        let context = context(stream, &open, times.secs());
        let settings = &stream.settings;
        let event = Event {
            stamp: open.begin,
            end: times.end,
            stream: settings.name.clone(),
            topic: settings.topic.clone(),
            trigger: open.kind,
            perception_type: settings
                .perception_type
                .unwrap_or(robot_memory_core::model::PerceptionType::Proprioceptive),
            description,
            data,
            metadata,
            context,
            importance: settings
                .importance
                .unwrap_or_else(|| importance(open.kind, &open.measures)),
            collection: settings.collection.clone(),
            signature: signature_of(track, felt(&open, &times), times.bounds),
            clip: self.clip(stream, times.bounds),
            key: open.key,
            event_id: open.event_id,
        };
        Some((open.origin.stream, event))
    }

    /// What went on on other streams, the most telling first.
    fn beside(&self, open: &Open, times: &Times) -> Vec<Beside<'_>> {
        let slack_secs = |stream: usize| {
            let tracks = self.streams.get(stream).map_or(&[][..], |stream| &stream.tracks);
            let periods = tracks.iter().filter_map(|track| match &track.kept {
                SampleRing::Numbers(ring) => {
                    let rows = ring.rows(times.bounds.first, times.bounds.last);
                    ring.rate_hz(rows).map(|rate_hz| 1.0 / rate_hz)
                }
                SampleRing::States(_) | SampleRing::Images(_) => None,
            });
            periods.fold(0.0, f64::max).min(SLACK_SECS_MAX)
        };
        let found = self.activities.between(open.begin, times.end, slack_secs);
        let mut found: Vec<&Activity> = found
            .filter(|one| one.origin.stream != open.origin.stream)
            .filter(|one| Beside::is_telling(one.kind))
            // An operator takes over once, by whatever topics.
            .filter(|one| one.kind != TriggerKind::Takeover || open.kind != TriggerKind::Takeover)
            .filter(|one| secs_between(one.begin, open.begin) < STATE_SECS)
            .collect();
        let is_later = |one: &Activity| one.begin > open.begin;
        found.sort_by_key(|one| (is_later(one), Beside::rank(one.kind), one.begin, one.origin));
        let mut beside: Vec<Beside<'_>> = Vec::new();
        let mut described: Vec<(usize, TriggerKind)> = Vec::new();
        for one in found {
            let stream = one.origin.stream;
            // Most impacts are how a contact begins.
            let is_described = described.contains(&(stream, one.kind))
                || one.kind == TriggerKind::Impact
                    && described.contains(&(stream, TriggerKind::Contact));
            if is_described {
                continue;
            }
            described.push((stream, one.kind));
            let subject = &self.streams[stream].subject;
            let (kind, part) = (one.kind, one.part);
            beside.push(Beside { subject, kind, part, is_before: !is_later(one) });
        }
        beside
    }

    /// The window as JSON; `None` when a capture caught nothing.
    fn data(
        &self,
        open: &Open,
        times: &Times,
        samples: &SampleRing,
        provenance: &mut DataProvenance,
    ) -> Option<String> {
        let own_stream = &self.streams[open.origin.stream];
        let Bounds { first, zero, last } = times.bounds;
        let mut parts = Map::new();
        let end = (!times.goes_on).then_some(times.end);
        parts.insert("event".into(), data::measured(open.begin, end, &open.measures));
        let felt = felt(open, times);
        let felt = [data::seconds(zero, felt.first), data::seconds(zero, felt.last)];
        parts.insert("felt".into(), json!(felt));
        let mut own = None;
        let mut is_empty = false;
        match samples {
            SampleRing::Numbers(ring) => {
                is_empty = ring.rows(first, last).is_empty();
                own = Some(series(own_stream, ring, f64::INFINITY));
                provenance.lost = ring.lost().filter(|lost| *lost >= first);
            }
            SampleRing::States(ring) => {
                let values = states(ring, times.bounds, OWN_STATES_MAX, STATES_BYTES_MAX);
                is_empty = values.is_empty();
                parts.insert("values".into(), values.into());
            }
            SampleRing::Images(_) => match &open.picture {
                Some(picture) => {
                    parts.insert("image".into(), image(picture, zero, provenance));
                }
                None => is_empty = true,
            },
        }
        if is_empty && open.kind == TriggerKind::Capture {
            return None;
        }
        let mut others = Vec::new();
        if own_stream.settings.with_others && open.kind != TriggerKind::Capture {
            let mut bytes_left = STATES_BYTES_MAX;
            let mut other_states = Vec::new();
            for (index, stream) in self.streams.iter().enumerate() {
                for (track_index, other) in stream.tracks.iter().enumerate() {
                    if (index, track_index) == (open.origin.stream, open.origin.track) {
                        continue;
                    }
                    match &other.kept {
                        SampleRing::Numbers(ring) if !ring.rows(first, last).is_empty() => {
                            others.push(series(stream, ring, OTHERS_RATE_HZ));
                        }
                        SampleRing::States(ring) => {
                            let values = states(ring, times.bounds, STATES_MAX, bytes_left);
                            if values.is_empty() {
                                continue;
                            }
                            let state = json!({
                                "stream": stream.settings.name,
                                "topic": stream.settings.topic,
                                "values": values,
                            });
                            bytes_left = bytes_left.saturating_sub(state.to_string().len());
                            other_states.push(state);
                        }
                        SampleRing::Numbers(_) | SampleRing::Images(_) => {}
                    }
                }
            }
            if !other_states.is_empty() {
                parts.insert("states".into(), other_states.into());
            }
        }
        let rest = Value::Object(parts).to_string();
        let room = data::DATA_BYTES_MAX.saturating_sub(rest.len() + 16);
        let (text, own_written, written) = data::write_series(own, &others, times.bounds, room);
        provenance.own = own_written;
        for (series, written) in others.iter().zip(written) {
            provenance.others.push(json!({
                "stream": series.stream,
                "topic": series.topic,
                "sample_rate_hz": written.as_ref().and_then(|one| one.rate_hz).map(data::number),
                "left_out": written.is_none(),
            }));
        }
        Some(format!("{{\"series\":{text},{}", &rest[1..]))
    }

    /// The raw messages of the window, when the stream asks for a clip: its own, and those of all
    /// other streams that do.
    fn clip(&self, stream: &Stream, bounds: Bounds) -> Vec<ClipMessage> {
        if !stream.settings.clip {
            return Vec::new();
        }
        let mut messages: Vec<ClipMessage> = Vec::new();
        for stream in &self.streams {
            messages.extend(stream.raw.window(bounds.first, bounds.last).map(|raw| ClipMessage {
                topic: stream.settings.topic.clone(),
                type_name: Arc::clone(&stream.type_name),
                definition: Arc::clone(&stream.definition),
                received: raw.received,
                stamp: raw.stamp,
                bytes: Arc::clone(&raw.bytes),
            }));
        }
        // Stable: equals stay in the order of the streams.
        messages.sort_by_key(|message| message.stamp);
        messages
    }
}

/// What is said about how the data were made.
#[derive(Debug, Default)]
struct DataProvenance {
    own: Option<Written>,
    others: Vec<Value>,
    lost: Option<Stamp>,
    thumbnail: Option<String>,
}

fn series<'a>(stream: &'a Stream, ring: &'a NumbersRing, rate_max_hz: f64) -> Series<'a> {
    let StreamSettings { name, topic, sample_rate_hz, .. } = &stream.settings;
    Series { stream: name, topic, ring, rate_hz: sample_rate_hz.min(rate_max_hz) }
}

/// The value at the window's beginning and its changes, each with its time.
fn states(ring: &StateRing, bounds: Bounds, count_max: usize, bytes_max: usize) -> Vec<Value> {
    let mut values = Vec::new();
    let mut bytes = 0;
    for (stamp, state) in ring.window(bounds.first, bounds.last).take(count_max) {
        bytes += 32 + if let State::Text(text) = state { text.len() } else { 0 };
        if bytes > bytes_max {
            break;
        }
        let stamp = (*stamp).max(bounds.first);
        values.push(json!([data::seconds(bounds.zero, stamp), state.to_json()]));
    }
    values
}

fn image(picture: &Picture, zero: Stamp, provenance: &mut DataProvenance) -> Value {
    let mut image = Map::new();
    image.insert("t".into(), data::seconds(zero, picture.stamp));
    if let Some((width, height)) = picture.size {
        image.insert("width".into(), width.into());
        image.insert("height".into(), height.into());
    }
    if let Some(hash) = picture.hash {
        image.insert("hash".into(), format!("{hash:016x}").into());
    }
    match &picture.thumbnail {
        Ok(jpeg) => {
            image.insert("thumbnail_jpeg".into(), STANDARD.encode(jpeg).into());
        }
        Err(reason) => provenance.thumbnail = Some(format!("left out: {reason}")),
    }
    image.into()
}

fn metadata(
    stream: &Stream,
    open: &Open,
    samples: &SampleRing,
    times: &Times,
    provenance: DataProvenance,
) -> String {
    let mut metadata = Map::new();
    let mut say = |name: &str, value: Value| {
        metadata.insert(name.to_owned(), value);
    };
    say("stream", stream.settings.name.as_str().into());
    say("topic", stream.settings.topic.as_str().into());
    say("type", stream.type_name.as_ref().into());
    say("trigger", open.kind.as_str().into());
    if !stream.frame_id.is_empty() {
        say("frame", stream.frame_id.as_ref().into());
    }
    say("before_secs", data::number(open.before_secs));
    say("after_secs", data::number(open.after_secs));
    if times.goes_on {
        say("goes_on", true.into());
    }
    if open.count > 1 {
        say("count", open.count.into());
    }
    if !open.reason.is_empty() {
        say("reason", open.reason.as_str().into());
    }
    if let SampleRing::Numbers(ring) = samples
        && let Some(rate_hz) = ring.rate_hz(ring.rows(times.bounds.first, times.bounds.last))
    {
        say("rate_hz", data::number(rate_hz));
    }
    if let Some(own) = provenance.own {
        if let Some(rate_hz) = own.rate_hz {
            say("sample_rate_hz", data::number(rate_hz));
        }
        if own.is_thinned {
            say("thinned", format!("to fit {} bytes", data::DATA_BYTES_MAX).into());
        }
        if own.channels_left_out > 0 {
            say("channels_left_out", own.channels_left_out.into());
        }
    }
    if !provenance.others.is_empty() {
        say("others", provenance.others.into());
    }
    if let Some(lost) = provenance.lost {
        let lost = data::seconds(times.bounds.zero, lost);
        say("begins_late", format!("until {lost} s there was no room (ring_bytes_max)").into());
    }
    if let Some(thumbnail) = provenance.thumbnail {
        say("thumbnail", thumbnail.into());
    }
    if let Some(Err(missing)) = &open.pose {
        say("pose", format!("left out: {missing}").into());
    }
    Value::Object(metadata).to_string()
}

fn context(stream: &Stream, open: &Open, secs: Option<f64>) -> String {
    let mut context = Map::new();
    if let Some(Ok(placed)) = &open.pose {
        context.insert("spatial".into(), placed.to_json());
    }
    let mut event = event_of(&stream.settings, &stream.subject, open.kind, &open.measures, secs);
    event.insert("id".into(), open.event_id.as_str().into());
    context.insert("event".into(), event.into());
    Value::Object(context).to_string()
}

/// What of the window tells what it felt like: a movement from its start to its stop, else the time
/// around the beginning, so that what is held for long is still near what was held for a moment.
fn felt(open: &Open, times: &Times) -> Bounds {
    let zero = open.begin;
    let window = times.bounds;
    let (first, last) = match open.kind {
        TriggerKind::Motion => (zero, times.end),
        _ => (plus_secs(zero, -FELT_BEFORE_SECS), plus_secs(zero, FELT_AFTER_SECS)),
    };
    Bounds { first: first.max(window.first), zero, last: last.min(window.last) }
}

/// What it felt like; all of the window when the part that tells it has too few samples.
fn signature_of(samples: &SampleRing, felt: Bounds, window: Bounds) -> Option<Signature> {
    let SampleRing::Numbers(ring) = samples else { return None };
    let layout = ring.layout();
    let is_felt =
        matches!(layout.kind, LayoutKind::Wrench | LayoutKind::Joints | LayoutKind::Taxels);
    if !is_felt {
        return None;
    }
    let channels: Vec<usize> = (0..ring.width()).collect();
    [felt, window].into_iter().find_map(|bounds| {
        let numbers_max = signature::NUMBERS_MAX as f64;
        let rows_max = (numbers_max / channels.len().max(1) as f64 - 2.0).max(1.0);
        let rate_hz = SIGNATURE_RATE_HZ.min(rows_max / bounds.secs().max(1e-3));
        let window = sample(ring, &channels, bounds, rate_hz);
        window.rate_hz?;
        signature::of(layout.kind, channels.len(), &window.values)
    })
}
