//! Jobs, steps and attempts beside the random rows, and who may see which.

use crate::leak_world::{AGENTS, NO_SESSION, SCOPES, World, rules};
use robot_memory_core::api::{
    ApiError, CancelJob, CancelJobRequest, CommitTurn, CommitTurnRequest, CompactScope,
    CompactScopeRequest, GetJob, GetJobRequest, ListJobs, ListJobsRequest, ListScopes,
    ListScopesRequest, MergeBranch, MergeBranchRequest, RebuildScope, RebuildScopeRequest,
    RetryJob, RetryJobRequest, RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::model::Scope;
use robot_memory_engine::Engine;
use rusqlite::{Connection, params};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Longer than any other number that an answer holds, but for times and the ids of memories.
const FIRST_ID: i64 = 60_000_001;
const NO_ID: i64 = 69_999_999;

/// A job as the test stored it.
#[derive(Debug, Clone)]
pub struct JobRow {
    pub id: i64,
    /// As it is written; `all` is the whole store.
    pub scope: String,
    pub kind: String,
    pub name: String,
    /// Who began the episode that its scope belongs to.
    pub begun_by: Option<&'static str>,
    /// Stands in what all see who see the job.
    marker: String,
    /// Stands in what it names.
    named: String,
}

impl JobRow {
    pub fn visibility(&self, agent: &str) -> (bool, bool) {
        rules::may_see_jobs(agent, &self.scope, self.begun_by)
    }
}

/// Two jobs of every scope, finished and waiting, and of each session's own; a step of each session, out
/// of which memories of any scope came.
pub fn store(world: &mut World) {
    let mut scopes: Vec<(String, String, String, Option<&'static str>)> = SCOPES
        .iter()
        .map(|text| {
            let scope = Scope::parse(text).expect("a scope");
            ((*text).to_owned(), scope.kind().to_string(), scope.id(), None)
        })
        .collect();
    scopes.push(("all".into(), "all".into(), String::new(), None));
    for (number, (session, begun_by)) in world.sessions.iter().enumerate() {
        for text in [format!("session:{session}"), format!("branch:{session}/mb{number:05}k")] {
            let scope = Scope::parse(&text).expect("a scope");
            scopes.push((text, scope.kind().to_string(), scope.id(), Some(begun_by)));
        }
    }
    let mut beside = Connection::open(world.robot.store_path()).expect("the file opens");
    let tx = beside.transaction().expect("a transaction");
    for (scope, kind, name, begun_by) in scopes {
        for (status, finished_at) in [("dead_letter", Some(5)), ("pending", None)] {
            let id = FIRST_ID + world.jobs.len() as i64;
            let (marker, named) = (format!("mj{id}k"), format!("mn{id}k"));
            tx.execute(
                "INSERT INTO job (id, scope, scope_id, job_type, status, is_head, dedup_key, \
                 turn_id, based_on_revision, payload, result, step, done, total, position, \
                 attempt_count, max_attempts, available_at, lease_owner, last_error, agent, \
                 created_at, updated_at, finished_at) VALUES (?1, ?2, ?3, 'rebuild_scope', ?4, \
                 ?5, ?6, ?6, 0, ?7, ?7, '', 0, 0, '', 1, 5, 1, '', ?6, '', 1, 1, ?8)",
                params![
                    id,
                    kind,
                    name,
                    status,
                    finished_at.is_none(),
                    marker,
                    format!("{{\"note\": \"{named}\"}}"),
                    finished_at
                ],
            )
            .expect("it is stored");
            let (scope, kind, name) = (scope.clone(), kind.clone(), name.clone());
            world.jobs.push(JobRow { id, scope, kind, name, begun_by, marker, named });
        }
        tx.execute("INSERT INTO scope_state VALUES (?1, ?2, 3, 7, NULL, 1)", [kind, name])
            .expect("it is stored");
    }
    for (number, (session, begun_by)) in world.sessions.iter().enumerate() {
        let (branch, turn) = (format!("mb{number:05}k"), format!("mt{number:05}k"));
        let text = format!("The cup was lifted by {turn}.");
        tx.execute("INSERT INTO branch VALUES (?1, ?2, 'open', '[]')", params![session, branch])
            .expect("it is stored");
        tx.execute(
            "INSERT INTO turn (turn_id, session_id, branch_id, turn_no, collection, agent, text, \
             data, given_hash, committed_at) VALUES (?1, ?2, ?3, 1, 'default', ?4, ?5, '', \
             zeroblob(32), 1)",
            params![turn, session, branch, begun_by, text],
        )
        .expect("it is stored");
        for row in world.rows.iter().skip(number).step_by(3) {
            tx.execute(
                "INSERT INTO turn_memory (turn_id, memory_id, sentence_number, sentence_start, \
                 sentence_end, pointer) VALUES (?1, ?2, 1, 0, ?3, '')",
                params![turn, row.id, text.len() as i64],
            )
            .expect("it is stored");
        }
    }
    tx.commit().expect("it is committed");
}

/// What is said in a text of jobs, steps and attempts that an agent may not see.
pub fn leaks(world: &World, agent: &str, words: &BTreeSet<&str>) -> Vec<String> {
    let mut leaks = Vec::new();
    for job in &world.jobs {
        let (sees, sees_whole) = job.visibility(agent);
        let is_shown =
            words.contains(job.id.to_string().as_str()) || words.contains(job.marker.as_str());
        if !sees && is_shown {
            leaks.push(format!("job {} of {}", job.id, job.scope));
        }
        if !sees_whole && words.contains(job.named.as_str()) {
            leaks.push(format!("what job {} of {} names", job.id, job.scope));
        }
    }
    for (number, (_, begun_by)) in world.sessions.iter().enumerate() {
        let may_see = rules::may_see_session(agent, begun_by);
        for what in ["mt", "mb"] {
            if !may_see && words.contains(format!("{what}{number:05}k").as_str()) {
                leaks.push(format!("{what} of session {number}"));
            }
        }
    }
    leaks
}

/// Every page of jobs and of scopes.
pub fn lists(world: &World, agent: &str) -> Vec<String> {
    let jobs = || ListJobsRequest { limit: 100, agent: agent.into(), ..Default::default() };
    let scopes = || ListScopesRequest { limit: 100, agent: agent.into(), ..Default::default() };
    let kinds: BTreeSet<&str> = world.jobs.iter().map(|job| job.kind.as_str()).collect();
    let mut requests = vec![
        jobs(),
        ListJobsRequest { status: "pending".into(), ..jobs() },
        ListJobsRequest { sort_by: "updated_at".into(), offset: 3, limit: 7, ..jobs() },
    ];
    let mut scope_requests = vec![scopes(), ListScopesRequest { offset: 2, limit: 3, ..scopes() }];
    for kind in kinds {
        requests.push(ListJobsRequest { scope: kind.into(), ..jobs() });
        scope_requests.push(ListScopesRequest { scope: kind.into(), ..scopes() });
    }
    for job in world.jobs.iter().step_by(2) {
        let (scope, scope_id) = (job.kind.clone(), job.name.clone());
        requests.push(ListJobsRequest {
            scope: scope.clone(),
            scope_id: scope_id.clone(),
            turn_id: job.marker.clone(),
            ..jobs()
        });
        scope_requests.push(ListScopesRequest { scope, scope_id, ..scopes() });
    }
    let jobs = requests.into_iter().map(|it| world.ask::<ListJobs>(it));
    let scopes = scope_requests.into_iter().map(|it| world.ask::<ListScopes>(it));
    jobs.chain(scopes).collect()
}

/// Each job that an agent sees, by its id.
pub fn seen(world: &World, agent: &str) -> Vec<String> {
    let seen = world.jobs.iter().filter(|job| job.visibility(agent).0);
    seen.map(|job| {
        let request = GetJobRequest { job_id: job.id, agent: agent.into() };
        world.ask::<GetJob>(request)
    })
    .collect()
}

#[test]
fn jobs_and_scopes_are_counted_as_far_as_they_are_seen() {
    let world = World::new(13, 20);
    for agent in AGENTS {
        let seen: Vec<&JobRow> = world.jobs.iter().filter(|job| job.visibility(agent).0).collect();
        let request = || ListJobsRequest { agent: agent.into(), limit: 100, ..Default::default() };
        let all = world.robot.call::<ListJobs>(request());
        assert_eq!(all.total, seen.len() as u64, "{agent}");
        let scopes: BTreeSet<&str> = seen.iter().map(|job| job.scope.as_str()).collect();
        let request = ListScopesRequest { agent: agent.into(), ..Default::default() };
        assert_eq!(world.robot.call::<ListScopes>(request).total, scopes.len() as u64, "{agent}");
        for job in &world.jobs {
            let is_seen = scopes.contains(job.scope.as_str());
            if job.name.is_empty() {
                continue;
            }
            let (scope, scope_id) = (job.kind.clone(), job.name.clone());
            let agent = || agent.to_owned();
            let request = ListJobsRequest {
                scope: scope.clone(),
                scope_id: scope_id.clone(),
                agent: agent(),
                ..Default::default()
            };
            let count = world.robot.call::<ListJobs>(request).total;
            assert_eq!(count, if is_seen { 2 } else { 0 }, "{} {job:?}", agent());
            let request =
                ListScopesRequest { scope, scope_id, agent: agent(), ..Default::default() };
            let count = world.robot.call::<ListScopes>(request).total;
            assert_eq!(count, u64::from(is_seen), "{} {job:?}", agent());
        }
    }
}

/// The answer to a call, with what was asked for blotted out.
fn blotted<T: Debug>(answer: Result<T, ApiError>, asked: &str) -> String {
    let shown = match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}"),
    };
    // As it is written in a text within a text, too.
    shown.replace(asked, "?").replace(&asked.replace('"', "\\\""), "?")
}

#[test]
fn a_job_that_is_not_seen_is_as_one_that_never_was() {
    let world = World::new(14, 20);
    let engine = &world.robot.engine;
    type Ask = fn(engine: &Engine, job_id: i64, agent: &str) -> String;
    let asks: [Ask; 3] = [
        |engine, job_id, agent| {
            let request = GetJobRequest { job_id, agent: agent.into() };
            blotted(engine.call::<GetJob>(request), &job_id.to_string())
        },
        |engine, job_id, agent| {
            let request = RetryJobRequest { job_id, agent: agent.into() };
            blotted(engine.call::<RetryJob>(request), &job_id.to_string())
        },
        |engine, job_id, agent| {
            let request = CancelJobRequest { job_id, agent: agent.into() };
            blotted(engine.call::<CancelJob>(request), &job_id.to_string())
        },
    ];
    let mut unseen = 0;
    for agent in AGENTS {
        for ask in asks {
            let absent = ask(engine, NO_ID, agent);
            assert!(absent.contains("NotFound"), "{absent}");
            for job in world.jobs.iter().filter(|job| !job.visibility(agent).0) {
                assert_eq!(ask(engine, job.id, agent), absent, "{agent} {job:?}");
                unseen += 1;
            }
        }
    }
    assert!(unseen > 200, "{unseen}");
}

#[test]
fn work_on_a_scope_that_is_not_seen_is_refused_as_on_one_that_never_was() {
    let world = World::new(15, 20);
    let engine = &world.robot.engine;
    let order = |kind: &str, name: &str, agent: &str| {
        let (scope, scope_id, agent) = (kind.to_owned(), name.to_owned(), agent.to_owned());
        let rebuild = RebuildScopeRequest {
            scope: scope.clone(),
            scope_id: scope_id.clone(),
            agent: agent.clone(),
            ..Default::default()
        };
        let compact = CompactScopeRequest {
            scope: scope.clone(),
            scope_id: scope_id.clone(),
            agent: agent.clone(),
            ..Default::default()
        };
        let maintain = RunMaintenanceRequest { scope, scope_id, agent, ..Default::default() };
        // As a scope is written in a refusal.
        let written = Scope::parse(&format!("{kind}:{name}")).expect("a scope").to_string();
        [
            blotted(engine.call::<RebuildScope>(rebuild), &written),
            blotted(engine.call::<CompactScope>(compact), &written),
            blotted(engine.call::<RunMaintenance>(maintain), &written),
        ]
    };
    for agent in AGENTS {
        for job in world.jobs.iter().filter(|job| !job.visibility(agent).0 && !job.name.is_empty())
        {
            let nowhere = match job.kind.as_str() {
                "branch" => format!("{NO_SESSION}/nowhere"),
                _ => NO_SESSION.to_owned(),
            };
            let refused = order(&job.kind, &job.name, agent);
            assert_eq!(refused, order(&job.kind, &nowhere, agent), "{agent} {job:?}");
            assert!(refused[0].contains("Forbidden"), "{agent} {job:?}: {}", refused[0]);
        }
    }
}

#[test]
fn an_episode_that_is_not_seen_takes_no_step_and_merges_no_attempt() {
    let world = World::new(16, 20);
    let engine = &world.robot.engine;
    for agent in AGENTS {
        for (number, (session, begun_by)) in world.sessions.iter().enumerate() {
            if rules::may_see_session(agent, begun_by) {
                continue;
            }
            let turn = |session_id: &str| {
                let request = CommitTurnRequest {
                    session_id: session_id.into(),
                    branch_id: format!("mb{number:05}k"),
                    turn_no: 1,
                    text: "The lid was opened".into(),
                    agent: agent.into(),
                    ..Default::default()
                };
                blotted(engine.call::<CommitTurn>(request), session_id)
            };
            let merge = |session_id: &str| {
                let request = MergeBranchRequest {
                    session_id: session_id.into(),
                    branch_id: format!("mb{number:05}k"),
                    agent: agent.into(),
                    ..Default::default()
                };
                blotted(engine.call::<MergeBranch>(request), session_id)
            };
            assert_eq!(turn(session), turn(NO_SESSION), "{agent} {number}");
            assert_eq!(merge(session), merge(NO_SESSION), "{agent} {number}");
        }
    }
}
