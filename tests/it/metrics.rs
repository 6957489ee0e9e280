//! Metrics: their form, that they count, that they tell nothing else, and the dashboard that shows them.

use crate::fleet::{GLASS, SHARE_ALL, member};
use crate::http::{Answer, Served};
use crate::page_fleet::{SetLink, busy};
use crate::robot::Robot;
use robot_memory_engine::FleetLinkState;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A text of metrics, taken apart.
struct Metrics {
    /// The type of each metric.
    kinds: BTreeMap<String, String>,
    /// The value of each sample, by its name with its labels.
    samples: BTreeMap<String, f64>,
}

impl Metrics {
    fn parse(text: &str) -> Self {
        let text = text.strip_suffix("# EOF\n").expect("it ends with the mark");
        let (mut kinds, mut samples) = (BTreeMap::new(), BTreeMap::new());
        let mut family = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# ") {
                let (keyword, rest) = rest.split_once(' ').unwrap();
                let (name, value) = rest.split_once(' ').unwrap();
                if keyword == "TYPE" {
                    name.clone_into(&mut family);
                    let before = kinds.insert(family.clone(), value.to_owned());
                    assert_eq!(before, None, "{name} is there twice");
                    assert!(name.starts_with("robot_memory_"), "{name}");
                }
                if keyword == "UNIT" {
                    assert!(name.ends_with(&format!("_{value}")), "{line}");
                }
                assert_eq!(name, family, "{line}");
                assert!(["TYPE", "UNIT", "HELP"].contains(&keyword), "{line}");
                continue;
            }
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let name = sample.split('{').next().unwrap();
            let suffix =
                name.strip_prefix(&family).unwrap_or_else(|| panic!("{line} is in {family}"));
            let suffixes: &[&str] = match kinds[&family].as_str() {
                "gauge" => &[""],
                "counter" => &["_total"],
                "info" => &["_info"],
                "histogram" => &["_bucket", "_count", "_sum"],
                kind => panic!("{kind}"),
            };
            assert!(suffixes.contains(&suffix), "{line}");
            let before = samples.insert(sample.to_owned(), value.parse().unwrap());
            assert_eq!(before, None, "{line} is there twice");
        }
        Self { kinds, samples }
    }

    fn of(served: &Served) -> Self {
        let answer = get(served, &served.reader);
        assert_eq!(answer.status, 200, "{}", answer.body);
        Self::parse(&answer.body)
    }

    fn value(&self, sample: &str) -> f64 {
        self.samples.get(sample).copied().unwrap_or(0.0)
    }

    /// Whether samples of this name can be there.
    fn has(&self, name: &str) -> bool {
        let of = |suffix: &str, kind: &str| {
            let family = name.strip_suffix(suffix);
            family.is_some_and(|family| self.kinds.get(family).is_some_and(|of| of == kind))
        };
        of("", "gauge")
            || of("_total", "counter")
            || of("_info", "info")
            || ["_bucket", "_count", "_sum"].iter().any(|suffix| of(suffix, "histogram"))
    }
}

fn get(served: &Served, token: &str) -> Answer {
    let proof = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let host = served.address;
    served
        .raw(&format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{proof}\r\n"))
}

fn whole(answer: &Answer) -> String {
    assert!(!answer.headers.contains("transfer-encoding"), "{}", answer.headers);
    answer.body.clone()
}

#[test]
fn they_are_open_metrics_and_need_a_token() {
    let served = Served::new(false, 1e4);
    assert_eq!(get(&served, "").status, 401);
    let answer = get(&served, &served.reader);
    let told = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(answer.headers.lines().any(|line| line == told), "{}", answer.headers);
    let metrics = Metrics::parse(&whole(&answer));
    for (name, least) in [
        ("robot_memory_store_open", 1.0),
        ("robot_memory_store_size_bytes", 4096.0),
        ("robot_memory_disk_free_bytes", 1.0),
        ("robot_memory_process_resident_memory_bytes", 1e6),
        ("robot_memory_process_threads", 2.0),
        ("robot_memory_http_connections", 1.0),
        ("robot_memory_http_responses_total{status=\"401\"}", 1.0),
        ("robot_memory_queue_waiting_max{queue=\"reads\"}", 1.0),
    ] {
        assert!(metrics.value(name) >= least, "{name} is {}", metrics.value(name));
    }
    let version = format!("robot_memory_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(metrics.samples.get(&version), Some(&1.0));
}

#[test]
fn what_happens_is_counted() {
    let served = Served::new(false, 1e4);
    let before = Metrics::of(&served);
    let post =
        |token: &str, operation: &str, fields: Value| served.post(token, operation, &fields).status;
    let (reader, planner) = (&served.reader, &served.planner);
    for insight in ["the mug takes 12 N", "the cup is red"] {
        let fields = json!({ "insight": insight, "scope": "global" });
        assert_eq!(post(planner, "learn", fields), 200);
    }
    let secret = json!({ "insight": "the password is hunter2hunter2" });
    assert_eq!(post(planner, "learn", secret), 422);
    assert_eq!(post(reader, "learn", json!({})), 403);
    assert_eq!(post(planner, "learn", json!({ "what": 1 })), 400);
    assert_eq!(post(reader, "get_memory", json!({ "memory_id": 999 })), 404);
    assert_eq!(post(reader, "recall", json!({ "query": "mug" })), 200);

    let after = Metrics::of(&served);
    let grown = |sample: &str| after.value(sample) - before.value(sample);
    let calls = |operation: &str, verdict: &str| {
        grown(&format!(
            "robot_memory_calls_total{{face=\"http\",operation=\"{operation}\",verdict=\"{verdict}\"}}"
        ))
    };
    let of_learn = ["ok", "refused", "forbidden", "invalid_argument"].map(|of| calls("learn", of));
    assert_eq!(of_learn, [2.0, 1.0, 1.0, 1.0]);
    assert_eq!((calls("get_memory", "not_found"), calls("recall", "ok")), (1.0, 1.0));
    let histogram = |suffix: &str, le: &str| {
        grown(&format!(
            "robot_memory_call_duration_seconds{suffix}{{face=\"http\",operation=\"learn\"{le}}}"
        ))
    };
    assert_eq!(histogram("_count", ""), 5.0);
    assert_eq!(histogram("_bucket", ",le=\"+Inf\""), 5.0);
    assert!(histogram("_sum", "") > 0.0);
    assert_eq!(grown("robot_memory_memories{type=\"fact\"}"), 2.0);
    assert_eq!(grown("robot_memory_http_responses_total{status=\"422\"}"), 1.0);
    assert!(grown("robot_memory_queue_done_total{queue=\"writes\"}") >= 3.0);
}

#[test]
fn they_tell_no_text_that_somebody_gave() {
    let served = Served::new(false, 1e4);
    let fields = json!({ "insight": "the zebra lives in a xylophone", "scope": "group:quagga",
        "collection": "okapi" });
    let learned = served.post(&served.operator, "learn", &fields);
    assert_eq!(learned.status, 200, "{}", learned.body);
    served.post(&served.reader, "impala", &json!({ "eland": 1 }));
    served.post(&served.reader, "recall", &json!({ "query": "kudu" }));
    let text = get(&served, &served.reader).body;
    for word in ["zebra", "xylophone", "quagga", "okapi", "impala", "eland", "kudu", "dashboard"] {
        assert!(!text.contains(word), "{word} in\n{text}");
    }
}

#[test]
fn the_figures_of_a_fleet_are_there_when_there_is_one() {
    let folder = Arc::new(TempDir::new().unwrap());
    let robot = Robot::at(Arc::clone(&folder), |config| {
        config.fleet = member("arm-2", "rg2");
        config.access = Some(SHARE_ALL.into());
    });
    robot.learn(GLASS);
    let served = Served::of(Arc::clone(&robot.engine), folder, false, 1e4);
    assert!(!Metrics::of(&served).has("robot_memory_fleet_lag"));
    robot.engine.set_fleet_link(Some(Arc::new(SetLink(FleetLinkState { unacked: 2, ..busy() }))));
    let metrics = Metrics::of(&served);
    for (name, expected) in [
        ("connected", 1.0),
        ("waiting", 1.0),
        ("unacked", 2.0),
        ("unforwarded", 4_100.0),
        ("lag", 7.0),
        ("missed_total", 23.0),
        ("came_again_total", 11.0),
        ("refused_total{reason=\"bad_signature\"}", 3.0),
    ] {
        let found = metrics.samples.get(&format!("robot_memory_fleet_{name}"));
        assert_eq!(found, Some(&expected), "{name}");
    }
}

/// The metrics that a query of the dashboard names.
fn named(query: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = query.split(|c| !is_name(c));
    words.filter(|word| word.starts_with("robot_memory_")).map(str::to_owned).collect()
}

#[test]
fn the_dashboard_shows_metrics_that_there_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/grafana/robot_memory.json");
    let dashboard: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let queries: Vec<&str> = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten()
        .map(|target| target["expr"].as_str().expect("each target has an expr"))
        .collect();
    assert!(queries.len() >= 20, "{queries:?}");
    let metrics = Metrics::of(&Served::new(false, 1e4));
    for query in queries {
        let names = named(query);
        assert!(!names.is_empty(), "{query} names no metric");
        for name in names {
            assert!(metrics.has(&name), "{name} of {query} is not in /metrics");
        }
    }
    // Panels stand beside each other, and not on each other.
    let places: Vec<[i64; 4]> = panels
        .iter()
        .map(|panel| ["x", "y", "w", "h"].map(|of| panel["gridPos"][of].as_i64().unwrap()))
        .collect();
    for (index, [x, y, w, h]) in places.iter().enumerate() {
        assert!(x + w <= 24, "panel {index} is too wide");
        let overlaps = |[ox, oy, ow, oh]: &[i64; 4]| {
            *x < ox + ow && *ox < x + w && *y < oy + oh && *oy < y + h
        };
        assert!(!places[index + 1..].iter().any(overlaps), "panel {index} is covered");
    }
}
