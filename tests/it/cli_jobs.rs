//! `memory jobs` and `memory scopes`, beside the engine that has the store.

use crate::cli::{Outcome, memory};
use crate::robot::Robot;
use robot_memory_core::api::{
    CancelJob, CancelJobRequest, Learn, LearnRequest, RebuildScope, RebuildScopeRequest,
};
use robot_memory_engine::MachineClock;
use serde_json::{Value, json};
use std::path::Path;

/// 2025-10-09T08:53:20Z.
const NOW: i64 = 1_760_000_000_000;

/// Jobs of two scopes: one waits and one is cancelled in the first, one waits in the second.
struct Example {
    robot: Robot,
    first: i64,
    cancelled: i64,
    branch: i64,
}

impl Example {
    fn new() -> Self {
        let robot = Robot::with(|config| {
            config.jobs.has_workers = true;
            config.jobs.clock = MachineClock::new(|| NOW);
        });
        for scope in ["global", "branch:s1/try 2"] {
            let (insight, scope) = (format!("The lamp of {scope} is red"), scope.into());
            robot.call::<Learn>(LearnRequest { insight, scope, ..Default::default() });
        }
        let rebuild = |scope: &str, scope_id: &str, force_compaction| {
            let (scope, scope_id) = (scope.into(), scope_id.into());
            let request =
                RebuildScopeRequest { scope, scope_id, force_compaction, ..Default::default() };
            robot.call::<RebuildScope>(request).job_id
        };
        let first = rebuild("global", "", true);
        let cancelled = rebuild("global", "", false);
        let branch = rebuild("branch", "s1/try 2", true);
        let request = CancelJobRequest { job_id: cancelled, agent: String::new() };
        robot.call::<CancelJob>(request);
        Self { robot, first, cancelled, branch }
    }

    fn memory(&self, arguments: &[&str]) -> Outcome {
        memory(&self.robot.store_path(), arguments)
    }

    fn listed(&self, arguments: &[&str]) -> Vec<i64> {
        let answer = self.memory(&[&["jobs", "--json"], arguments].concat()).json();
        let jobs = answer["jobs"].as_array().expect("a list");
        jobs.iter().map(|job| job["id"].as_i64().expect("an id")).collect()
    }
}

/// The fields of a part of an interface file, but for the flags of those that may be absent.
fn fields(file: &str, part: usize) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(path).expect(file);
    let part = text.split("---\n").nth(part).unwrap_or_default();
    let lines = part.lines().map(|line| line.split('#').next().unwrap_or_default());
    let fields = lines.filter(|line| !line.contains('='));
    let names = fields.filter_map(|line| line.split_whitespace().nth(1));
    names
        .filter(|name| !name.starts_with("has_") || *name == "has_more")
        .map(str::to_owned)
        .collect()
}

fn assert_has(value: &Value, names: &[String]) {
    for name in names {
        assert!(value.get(name).is_some(), "{name} is missing in {value}");
    }
    assert_eq!(value.as_object().expect("an object").len(), names.len(), "{value}");
}

#[test]
fn jobs_answers_in_the_fields_of_the_services() {
    let example = Example::new();
    let Example { first, cancelled, branch, .. } = example;
    let answer = example.memory(&["jobs", "--json"]).json();
    let envelope = ["success", "error_code", "error"];
    let mut page = fields("srv/ListJobs.srv", 1);
    page.retain(|name| !envelope.contains(&name.as_str()));
    assert_has(&answer, &page);
    assert_eq!(answer["total"], 3);
    let names = fields("msg/Job.msg", 0);
    for job in answer["jobs"].as_array().expect("a list") {
        assert_has(job, &names);
        let id = job["id"].to_string();
        assert_eq!(example.memory(&["jobs", &id, "--json"]).json(), *job);
    }
    // All were queued in the same moment: the greatest id is first.
    assert_eq!(example.listed(&[]), [branch, cancelled, first]);
    let job = &answer["jobs"][0];
    assert_eq!((&job["scope"], &job["scope_id"]), (&json!("branch"), &json!(r#"["s1","try 2"]"#)));
    assert_eq!(job["created_at"], "2025-10-09T08:53:20Z");
    assert_eq!((&job["lease_until"], &job["finished_at"]), (&Value::Null, &Value::Null));
    assert_eq!(job["payload"], json!({"force_compaction": true}));
    assert_eq!(
        (&job["result"], &job["waits_for"]),
        (&Value::Null, &json!("a worker that is free"))
    );

    let answer = example.memory(&["scopes", "--json"]).json();
    let mut page = fields("srv/ListScopes.srv", 1);
    page.retain(|name| !envelope.contains(&name.as_str()));
    assert_has(&answer, &page);
    assert_has(&answer["scopes"][0], &fields("msg/ScopeState.msg", 0));
}

#[test]
fn jobs_takes_every_filter() {
    let example = Example::new();
    let Example { first, cancelled, branch, .. } = example;
    let cases: Vec<(Vec<&str>, Vec<i64>)> = vec![
        (vec!["--sort-order", "asc"], vec![first, cancelled, branch]),
        (vec!["--sort-by", "updated_at", "--limit", "1"], vec![branch]),
        (vec!["--limit", "2", "--offset", "1"], vec![cancelled, first]),
        (vec!["--scope", "global"], vec![cancelled, first]),
        (vec!["--scope", "branch", "--scope-id", "s1/try 2"], vec![branch]),
        (vec!["--scope", "branch", "--scope-id", r#"["s1","try 3"]"#], vec![]),
        (vec!["--status", "cancelled"], vec![cancelled]),
        (vec!["--job-type", "rebuild_scope", "--status", "pending"], vec![branch, first]),
        (vec!["--job-type", "embed"], vec![]),
        (vec!["--turn", "t1"], vec![]),
        (vec!["--created-from", "2025-10-09T08:53:20Z"], vec![branch, cancelled, first]),
        (vec!["--created-from", "2025-10-09T08:53:20.001Z"], vec![]),
        (vec!["--created-to", "1759999999.9"], vec![]),
        (vec!["--available-to", "1760000000"], vec![branch, cancelled, first]),
        (vec!["--available-from", "1760000001"], vec![]),
        (vec!["--agent", "nobody"], vec![cancelled, first]),
    ];
    for (arguments, expected) in cases {
        assert_eq!(example.listed(&arguments), expected, "{arguments:?}");
    }
    for (arguments, said) in [
        (vec!["jobs", "--scope-id", "s1"], "--scope"),
        (vec!["jobs", "--scope", "chats"], "scope: must be one of"),
        (vec!["jobs", "--status", "done"], "retry_waiting"),
        (vec!["jobs", "--limit", "0"], "limit: must be 1 to 100"),
        (vec!["jobs", "0"], "job_id: must be greater than 0"),
        (vec!["jobs", "1", "--status", "pending"], "cannot be used"),
        (vec!["scopes", "--sort-by", "id"], "last_compaction_at"),
    ] {
        let outcome = example.memory(&arguments);
        assert!(outcome.refusal(2).contains(said), "{arguments:?}: {}", outcome.stderr);
    }
    assert!(example.memory(&["jobs", "99"]).refusal(1).contains("there is no job 99"));
}

#[test]
fn jobs_are_shown_in_columns_that_say_why() {
    let example = Example::new();
    let text = example.memory(&["jobs"]).text().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].trim_start().starts_with("id  job_type"), "{text}");
    for part in ["branch:s1/try 2", "pending", "0/5", "a worker that is free"] {
        assert!(lines[1].contains(part), "{text}");
    }
    let page = example.memory(&["jobs", "--limit", "1", "--offset", "1"]).text().to_owned();
    assert!(page.ends_with("2 to 2 of 3\n"), "{page}");
    let beyond = example.memory(&["jobs", "--offset", "9"]).text().to_owned();
    assert!(beyond.ends_with("none after 9 of 3\n"), "{beyond}");
    let one = example.memory(&["jobs", &example.cancelled.to_string()]).text().to_owned();
    for part in ["status             cancelled", "attempts           0 of 5", "finished_at"] {
        assert!(one.contains(part), "{one}");
    }
    let scopes = example.memory(&["scopes"]).text().to_owned();
    assert!(scopes.contains("branch:s1/try 2") && scopes.contains("global"), "{scopes}");
}
