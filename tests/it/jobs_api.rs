//! The jobs API of another memory, over a real listener: the requests and answers that its document has.

use crate::http::{Answer, Served};
use crate::robot::{Robot, SetClock, config};
use crate::scope_work::robot_with_micros;
use crate::steps::Unhurried;
use robot_memory_core::api::{CommitTurn, CommitTurnRequest};
use robot_memory_engine::Engine;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

/// `["s1","main"]` in a path.
const BRANCH: &str = "%5B%22s1%22%2C%22main%22%5D";

/// The fields of a job, as documented.
const JOB: [&str; 17] = [
    "id",
    "scope",
    "scope_id",
    "job_type",
    "status",
    "floor_id",
    "based_on_revision",
    "payload",
    "attempt_count",
    "max_attempts",
    "available_at",
    "lease_owner",
    "lease_until",
    "last_error",
    "created_at",
    "updated_at",
    "finished_at",
];

struct Jobs {
    served: Served,
    engine: Arc<Engine>,
}

impl Jobs {
    /// A listener on the store of a robot.
    fn of(robot: Robot, has_workers: bool) -> Self {
        robot.engine.close().unwrap();
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("memory.db");
        std::fs::copy(robot.store_path(), &path).unwrap();
        let clock = Arc::new(SetClock::default());
        clock.set(robot.clock_now());
        let mut config = config(&path);
        config.jobs.has_workers = has_workers;
        let engine = Arc::new(Engine::open(config, clock).unwrap().0);
        let served = Served::of(Arc::clone(&engine), folder, false, 1e4);
        Self { served, engine }
    }

    fn send(&self, token: &str, method: &str, path: &str, body: &str) -> Answer {
        self.served.raw(&format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            self.served.address,
            body.len()
        ))
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.send(&self.served.operator, "GET", path, "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.headers.contains("content-type: application/json"), "{}", answer.headers);
        answer.json()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.send(&self.served.operator, "POST", path, &body.to_string());
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// The status and `error.code` of what is refused.
    fn refused(&self, method: &str, path: &str) -> (u16, String) {
        let answer = self.send(&self.served.operator, method, path, "");
        let error = answer.json()["error"].clone();
        assert!(error["message"].is_string(), "{}", answer.body);
        (answer.status, error["code"].as_str().unwrap().to_owned())
    }

    /// Does what there is to do.
    fn work(&self) {
        while let Some(lease) = self.engine.claim_job(0).unwrap() {
            self.engine.work(&lease, &Unhurried).unwrap();
        }
    }
}

fn fields(of: &Value) -> Vec<&str> {
    of.as_object().unwrap().keys().map(String::as_str).collect()
}

fn sorted<const N: usize>(mut names: [&str; N]) -> Vec<&str> {
    names.sort_unstable();
    names.to_vec()
}

/// A robot with a step that waits to be taken in.
fn robot_with_a_step() -> Robot {
    let robot = crate::scope_work::robot();
    let session_id = robot.start_session();
    robot.call::<CommitTurn>(CommitTurnRequest {
        session_id,
        turn_no: 1,
        turn_id: "floor_xyz".into(),
        text: "The tray is on shelf B2. It weighs 3 kg.".into(),
        ..Default::default()
    });
    robot
}

#[test]
fn a_job_is_listed_with_every_documented_field() {
    let jobs = Jobs::of(robot_with_a_step(), true);
    let listed = jobs.get("/memory/jobs?floor_id=floor_xyz");
    let job = &listed["data"][0];
    assert_eq!(fields(job), sorted(JOB));
    assert!(job["id"].as_str().unwrap().starts_with("job_"), "{job}");
    assert_eq!(job["scope"], "branch");
    let scope_id: (String, String) =
        serde_json::from_str(job["scope_id"].as_str().unwrap()).unwrap();
    assert_eq!(scope_id.1, "main");
    assert_eq!(job["job_type"], "ingest_turn");
    assert_eq!(job["status"], "pending");
    assert_eq!(job["floor_id"], "floor_xyz");
    assert!(job["payload"].is_object() && job["based_on_revision"].is_i64(), "{job}");
    assert_eq!((job["attempt_count"].clone(), job["max_attempts"].clone()), (json!(0), json!(5)));
    for time in ["available_at", "created_at", "updated_at"] {
        assert!(job[time].as_i64().unwrap() > 1_600_000_000_000, "{time}: {job}");
    }
    for none in ["lease_owner", "lease_until", "last_error", "finished_at"] {
        assert_eq!(job[none], Value::Null, "{none}: {job}");
    }
    let meta = json!({ "total": 1, "limit": 50, "offset": 0, "has_more": false,
        "sort_by": "created_at", "sort_order": "desc" });
    assert_eq!(listed["meta"], meta);

    jobs.work();
    let done = jobs.get("/memory/jobs?floor_id=floor_xyz&status=succeeded")["data"][0].clone();
    assert_eq!((done["id"].clone(), done["attempt_count"].clone()), (job["id"].clone(), json!(1)));
    assert!(done["finished_at"].is_i64(), "{done}");
}

#[test]
fn jobs_are_filtered_and_sorted_by_every_documented_parameter() {
    let jobs = Jobs::of(robot_with_a_step(), true);
    let total = |query: &str| jobs.get(&format!("/memory/jobs?{query}"))["meta"]["total"].clone();
    let at = jobs.get("/memory/jobs")["data"][0]["created_at"].as_i64().unwrap();
    for (query, count) in [
        ("scope=branch".to_owned(), 1),
        ("scope=chat".to_owned(), 0),
        ("scope=floor".to_owned(), 0),
        ("scope=global&scope_id=global".to_owned(), 0),
        ("job_type=ingest_turn".to_owned(), 1),
        ("job_type=compact_macro".to_owned(), 0),
        ("status=dead_letter".to_owned(), 0),
        ("floor_id=other".to_owned(), 0),
        (format!("created_from={at}"), 1),
        (format!("created_from={}", at + 1), 0),
        (format!("created_to={at}"), 1),
        (format!("created_to={}", at - 1), 0),
        (format!("available_from={}", at + 60_000), 0),
        (format!("available_to={}", at - 60_000), 0),
        ("sort_by=available_at&sort_order=asc&limit=100&offset=0".to_owned(), 1),
        ("sort_by=updated_at".to_owned(), 1),
    ] {
        assert_eq!(total(&query), count, "{query}");
    }
    let none = jobs.get("/memory/jobs?offset=1");
    assert_eq!((none["data"].clone(), none["meta"]["offset"].clone()), (json!([]), json!(1)));
    for wrong in ["limit=101", "limit=x", "status=done", "sort_by=id", "flor_id=1"] {
        let (status, code) = jobs.refused("GET", &format!("/memory/jobs?{wrong}"));
        assert_eq!((status, code.as_str()), (400, "invalid_argument"), "{wrong}");
    }
}

#[test]
fn only_what_waits_is_cancelled_and_only_what_ended_badly_is_retried() {
    let jobs = Jobs::of(robot_with_a_step(), true);
    let id = jobs.get("/memory/jobs")["data"][0]["id"].as_str().unwrap().to_owned();
    let (retry, cancel) = (format!("/memory/jobs/{id}/retry"), format!("/memory/jobs/{id}/cancel"));
    let invalid_state = (409, "invalid_state".to_owned());
    assert_eq!(jobs.refused("POST", &retry), invalid_state, "it waits");

    let cancelled = jobs.post(&cancel, &json!({}))["data"].clone();
    assert_eq!(fields(&cancelled), sorted(JOB));
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(jobs.refused("POST", &cancel), invalid_state, "it is cancelled");
    let retried = jobs.post(&retry, &json!({}))["data"].clone();
    assert!(["pending", "retry_waiting"].contains(&retried["status"].as_str().unwrap()));
    assert_eq!(retried["attempt_count"], 0);
    for none in ["lease_owner", "lease_until", "last_error", "finished_at"] {
        assert_eq!(retried[none], Value::Null, "{none}: {retried}");
    }

    let lease = jobs.engine.claim_job(0).unwrap().unwrap();
    let held = jobs.get("/memory/jobs?status=leased")["data"][0].clone();
    assert!(held["lease_owner"].is_string() && held["lease_until"].is_i64(), "{held}");
    assert_eq!(jobs.refused("POST", &cancel), invalid_state, "a worker has it");
    assert_eq!(jobs.refused("POST", &retry), invalid_state, "a worker has it");
    jobs.engine.work(&lease, &Unhurried).unwrap();
    assert_eq!(jobs.refused("POST", &cancel), invalid_state, "it succeeded");

    for unknown in ["job_99", "99", "job_", "job_abc123", "0"] {
        for verb in ["retry", "cancel"] {
            let path = format!("/memory/jobs/{unknown}/{verb}");
            assert_eq!(jobs.refused("POST", &path), (404, "not_found".to_owned()), "{path}");
        }
    }
}

#[test]
fn scopes_are_listed_rebuilt_and_compacted_as_documented() {
    let (robot, micros) = robot_with_micros(&[
        "Step 1: placed part 1 in the tray.",
        "Step 2: placed part 2 in the tray.",
        "Step 3: placed part 3 in the tray.",
        "Step 4: placed part 4 in the tray.",
        "Step 5: placed part 5 in the tray.",
        "Step 6: placed part 6 in the tray.",
        "Step 7: placed part 7 in the tray.",
        "Step 8: placed part 8 in the tray.",
    ]);
    let jobs = Jobs::of(robot, true);
    let path = format!("/memory/scopes/branch/{BRANCH}");
    let compacted =
        jobs.post(&format!("{path}/compact"), &json!({ "force": true }))["data"].clone();
    let expected = [
        "job_id",
        "created",
        "scope",
        "scope_id",
        "reason",
        "source_micro_ids",
        "coverage_start_floor_no",
        "coverage_end_floor_no",
    ];
    assert_eq!(fields(&compacted), sorted(expected));
    assert_eq!(compacted["created"], true);
    assert_eq!(
        (compacted["scope"].clone(), compacted["scope_id"].clone()),
        (json!("branch"), json!(r#"["s1","main"]"#))
    );
    assert_eq!(compacted["reason"], "forced");
    let sources = compacted["source_micro_ids"].as_array().unwrap();
    assert_eq!(sources[0], format!("mem_{}", micros[0]));
    assert_eq!(compacted["coverage_start_floor_no"], 1);
    assert!(compacted["coverage_end_floor_no"].is_i64(), "{compacted}");
    // The same again is the same job.
    let again = jobs.post(&format!("{path}/compact"), &json!({}))["data"].clone();
    assert_eq!(
        (again["job_id"].clone(), again["created"].clone()),
        (compacted["job_id"].clone(), json!(false))
    );

    let body = json!({ "trigger_floor_id": null, "force_compaction": false });
    let rebuilt = jobs.post(&format!("{path}/rebuild"), &body)["data"].clone();
    assert_eq!(fields(&rebuilt), sorted(["job_id", "created", "scope", "scope_id"]));
    jobs.work();
    let types = ["compact_macro", "rebuild_scope"];
    for job_type in types {
        let listed =
            jobs.get(&format!("/memory/jobs?job_type={job_type}&scope=branch&scope_id={BRANCH}"));
        assert_eq!(listed["data"][0]["status"], "succeeded", "{listed}");
    }

    let listed = jobs.get(&format!("/memory/scopes?scope=branch&scope_id={BRANCH}"));
    let state = &listed["data"][0];
    let expected = [
        "scope",
        "scope_id",
        "revision",
        "lease_owner",
        "lease_until",
        "last_processed_floor_no",
        "last_compaction_at",
        "updated_at",
    ];
    assert_eq!(fields(state), sorted(expected));
    assert!(state["revision"].as_i64().unwrap() >= 2, "{state}");
    assert!(state["last_compaction_at"].is_i64() && state["updated_at"].is_i64(), "{state}");
    assert_eq!(
        (state["lease_owner"].clone(), state["lease_until"].clone()),
        (Value::Null, Value::Null)
    );
    let meta = json!({ "total": 1, "limit": 50, "offset": 0, "has_more": false,
        "sort_by": "updated_at", "sort_order": "desc" });
    assert_eq!(listed["meta"], meta);
    for sort_by in ["updated_at", "revision", "last_compaction_at", "last_processed_floor_no"] {
        let sorted = jobs.get(&format!("/memory/scopes?sort_by={sort_by}&sort_order=asc&limit=1"));
        assert_eq!(sorted["meta"]["sort_by"], sort_by);
    }

    jobs.post(&format!("{path}/compact"), &json!({ "force": true }));
    jobs.work();
    let (status, code) = jobs.refused("POST", &format!("{path}/compact"));
    assert_eq!((status, code.as_str()), (409, "invalid_state"), "too few are left");
    let wrong = jobs.send(
        &jobs.served.operator,
        "POST",
        &format!("{path}/compact"),
        r#"{"dry_run": true}"#,
    );
    assert_eq!(wrong.status, 400, "{}", wrong.body);
    for path in
        ["/memory/scopes/room/1/rebuild", "/memory/scopes/%ff/1/rebuild", "/memory/jobs/%ff/retry"]
    {
        let refused = jobs.refused("POST", path);
        assert_eq!(refused, (400, "invalid_argument".to_owned()), "{path}");
    }
}

#[test]
fn without_workers_nothing_is_queued() {
    let robot = crate::scope_work::robot();
    robot.learn("the tray is on shelf B2");
    let jobs = Jobs::of(robot, false);
    for verb in ["rebuild", "compact"] {
        let refused = jobs.refused("POST", &format!("/memory/scopes/global/global/{verb}"));
        assert_eq!(refused, (409, "invalid_state".to_owned()), "{verb}");
    }
}

#[test]
fn the_same_guard_stands_before_it() {
    let jobs = Jobs::of(robot_with_a_step(), true);
    assert_eq!(jobs.send("rmt_0", "GET", "/memory/jobs", "").status, 401);
    assert_eq!(jobs.send("rmt_0", "POST", "/memory/jobs/job_1/cancel", "").status, 401);
    // A reader may look and not change; what it may not see is not there.
    let reader = &jobs.served.reader;
    let seen = jobs.send(reader, "GET", "/memory/jobs", "");
    assert_eq!(
        (seen.status, seen.json()["meta"]["total"].clone()),
        (200, json!(0)),
        "{}",
        seen.body
    );
    let forbidden = jobs.send(reader, "POST", "/memory/scopes/global/global/rebuild", "{}");
    assert_eq!(forbidden.status, 403, "{}", forbidden.body);
    assert_eq!(forbidden.json()["error"]["code"], "forbidden");
    assert_eq!(jobs.send(reader, "POST", "/memory/jobs", "").status, 405);
}
