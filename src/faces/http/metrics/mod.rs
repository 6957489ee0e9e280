//! `GET /metrics`: how the program is doing, for Prometheus.
//!
//! The numbers are those of `~/status` and `/diagnostics`. None of them has a text of a memory, or any other that a caller gave.

mod process;
mod store;
mod text;

use super::StreamNumbers;
use super::problem::Problem;
use super::routes::App;
use crate::faces::calls::{BUCKETS_SECS, Counted};
use crate::faces::work_queue::Load;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use process::ProcessUse;
use robot_memory_core::limits::HTTP_CONNECTIONS_MAX;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use store::StoreNumbers;
use text::{CONTENT_TYPE, Exposition};

/// The store is asked for so long: a scrape has 10 s, and is to tell of a store that is overloaded.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

/// Where they are.
pub(super) fn routes(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(metrics)).with_state(app)
}

async fn metrics(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    // What cannot be asked now must not hide how the rest is doing.
    let read = tokio::time::timeout(STORE_TIMEOUT, app.read(StoreNumbers::of)).await;
    let store = read.ok().and_then(Result::ok);
    let mut response = exposition(&app, store).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    Ok(response)
}

fn exposition(app: &App, store: Option<StoreNumbers>) -> String {
    let mut to = Exposition::default();
    let version = env!("CARGO_PKG_VERSION");
    to.info("robot_memory_build", "The program.").add(&[("version", version)], 1);
    let open = "Whether the store is open and could be asked; without it the metrics of the store are missing.";
    to.gauge("robot_memory_store_open", open).add(&[], u8::from(store.is_some()));
    calls(&mut to, app.calls().all().collect());
    queues(&mut to, &app.loads());
    traffic(&mut to, app);
    if let Some(store) = store {
        store.put(&mut to);
    }
    streams(&mut to, &distinct(app.streams()));
    if let Some(used) = ProcessUse::now() {
        process(&mut to, &used);
    }
    to.end()
}

fn calls(to: &mut Exposition, all: Vec<Counted>) {
    let help = "Calls of each operation by how they ended: ok, the error_code, or abandoned by the caller. MCP is counted as http.";
    let mut family = to.counter("robot_memory_calls", help);
    for Counted { face, operation, verdicts, .. } in &all {
        for (verdict, count) in verdicts {
            family.add(&[("face", face), ("operation", operation), ("verdict", verdict)], *count);
        }
    }
    let help = "From the arrival of a call to its answer, with the time that it waited.";
    let mut family = to.histogram("robot_memory_call_duration_seconds", help);
    for Counted { face, operation, cumulated, seconds, .. } in &all {
        let bounds = BUCKETS_SECS.iter().map(|bound| format!("{bound:?}"));
        for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(cumulated) {
            let labels = [("face", *face), ("operation", *operation), ("le", bound.as_str())];
            family.sample("_bucket", &labels, *count);
        }
        let labels = [("face", *face), ("operation", *operation)];
        family.sample("_count", &labels, cumulated.last().copied().unwrap_or_default());
        family.sample("_sum", &labels, *seconds);
    }
}

/// Of a load.
type OfLoad = fn(&Load) -> u64;

fn queues(to: &mut Exposition, loads: &[Load]) {
    let gauges: [(&str, &str, OfLoad); 2] = [
        ("robot_memory_queue_waiting", "Calls that wait for a worker.", |load| load.waiting as u64),
        ("robot_memory_queue_waiting_max", "Calls that may wait (queue_max).", |load| {
            load.waiting_max as u64
        }),
    ];
    for (name, help, of) in gauges {
        let mut family = to.gauge(name, help);
        for load in loads {
            family.add(&[("queue", load.name)], of(load));
        }
    }
    let counters: [(&str, &str, OfLoad); 2] = [
        ("robot_memory_queue_done", "Calls that a worker has done.", |load| load.done_count),
        (
            "robot_memory_queue_refused",
            "Calls that were answered unavailable at once: too many waited, or the queue was closed.",
            |load| load.refused_count,
        ),
    ];
    for (name, help, of) in counters {
        let mut family = to.counter(name, help);
        for load in loads {
            family.add(&[("queue", load.name)], of(load));
        }
    }
}

fn traffic(to: &mut Exposition, app: &App) {
    let traffic = &app.traffic;
    to.gauge("robot_memory_http_connections", "Connections over HTTP.")
        .add(&[], traffic.open_connections());
    to.gauge("robot_memory_http_connections_max", "Connections that there may be.")
        .add(&[], HTTP_CONNECTIONS_MAX);
    let mut family =
        to.counter("robot_memory_http_responses", "Answers over HTTP by their status.");
    for (status, count) in traffic.answers() {
        family.add(&[("status", &status.to_string())], count);
    }
    to.gauge("robot_memory_http_event_streams", "Callers that follow /api/v1/events.")
        .add(&[], traffic.streams.count());
    let help = "Events sent to them, by event; gap: that some are missing.";
    let mut family = to.counter("robot_memory_http_events", help);
    for (event, count) in traffic.sent_events() {
        family.add(&[("event", event)], count);
    }
}

/// Those that have a name, each another one: a stream may be named as the topic of the pose is.
fn distinct(mut all: Vec<StreamNumbers>) -> Vec<StreamNumbers> {
    let mut names = BTreeSet::new();
    all.retain(|stream| !stream.stream.is_empty());
    for stream in &mut all {
        while !names.insert(stream.stream.clone()) {
            stream.stream.push_str(" (other)");
        }
    }
    all
}

/// Counts of a stream by a further label.
type OfStream = fn(&StreamNumbers) -> &[(&'static str, u64)];

fn streams(to: &mut Exposition, all: &[StreamNumbers]) {
    let mut family =
        to.counter("robot_memory_stream_messages", "Messages received from each stream's topic.");
    for stream in all {
        family.add(&[("stream", &stream.stream)], stream.received);
    }
    let families: [(&str, &str, &str, OfStream); 3] = [
        (
            "robot_memory_stream_dropped_messages",
            "reason",
            "Messages of each stream that were not looked at; lost: published and not received.",
            |stream| &stream.dropped,
        ),
        (
            "robot_memory_stream_events",
            "trigger",
            "Events found in each stream, by what made them.",
            |stream| &stream.events,
        ),
        (
            "robot_memory_stream_event_outcomes",
            "outcome",
            "What became of the events of each stream.",
            |stream| &stream.outcomes,
        ),
    ];
    for (name, label, help, of) in families {
        let mut family = to.counter(name, help);
        for stream in all {
            for (value, count) in of(stream) {
                family.add(&[("stream", &stream.stream), (label, value)], *count);
            }
        }
    }
}

fn process(to: &mut Exposition, used: &ProcessUse) {
    let ProcessUse { cpu_secs, resident_bytes, threads, open_files } = used;
    to.counter("robot_memory_process_cpu_seconds", "Processor time of the whole process.")
        .add(&[], cpu_secs);
    let resident = "Memory of the process that is not on disk.";
    to.gauge("robot_memory_process_resident_memory_bytes", resident).add(&[], resident_bytes);
    to.gauge("robot_memory_process_threads", "Its threads.").add(&[], threads);
    to.gauge("robot_memory_process_open_files", "Files and sockets that it has open.")
        .add(&[], open_files);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_streams_have_one_name() {
        let named = |name: &str| StreamNumbers { stream: name.to_owned(), ..Default::default() };
        let names = ["pose", "", "wrist", "pose", "pose"].map(named).to_vec();
        let names: Vec<String> = distinct(names).into_iter().map(|one| one.stream).collect();
        assert_eq!(names, ["pose", "wrist", "pose (other)", "pose (other) (other)"]);
    }

    #[test]
    fn what_is_counted_of_a_stream_is_told_with_its_name() {
        let stream = StreamNumbers {
            stream: "/joint \"states\"".to_owned(),
            received: 7,
            dropped: vec![("lost", 2)],
            events: vec![("motion", 3)],
            outcomes: vec![("saved", 1)],
        };
        let mut to = Exposition::default();
        streams(&mut to, &[stream]);
        let text = to.end();
        for line in [
            r#"robot_memory_stream_messages_total{stream="/joint \"states\""} 7"#,
            r#"robot_memory_stream_dropped_messages_total{stream="/joint \"states\"",reason="lost"} 2"#,
            r#"robot_memory_stream_events_total{stream="/joint \"states\"",trigger="motion"} 3"#,
            r#"robot_memory_stream_event_outcomes_total{stream="/joint \"states\"",outcome="saved"} 1"#,
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
        }
    }
}
