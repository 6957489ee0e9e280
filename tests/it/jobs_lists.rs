//! ListJobs and ListScopes: every filter, every order, every page, against a list that is filtered and
//! sorted by hand.

use crate::leak_world::{AGENTS, POLICY, rules};
use crate::robot::Robot;
use proptest::prelude::*;
use robot_memory_core::api::{
    ErrorKind, ListJobs, ListJobsRequest, ListScopes, ListScopesRequest, StartSession,
    StartSessionRequest,
};
use robot_memory_core::model::{JobStatus, JobType, MemType};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;

/// Scopes as rows have them: kind, name, and how a memory of it is spelled.
const SCOPES: [(&str, &str, &str); 8] = [
    ("global", "", "global"),
    ("dm", "", "dm"),
    ("group", "red", "group:red"),
    ("agent", "skill_grasp", "agent:skill_grasp"),
    ("session", "s1", "session:s1"),
    ("branch", r#"["s1","a"]"#, "branch:s1/a"),
    ("branch", r#"["s1","try/2"]"#, "branch:s1/try/2"),
    ("all", "", "all"),
];

/// A job as it is written into the store.
#[derive(Debug, Clone)]
struct Row {
    id: i64,
    scope: usize,
    job_type: JobType,
    status: JobStatus,
    turn: usize,
    created_at: i64,
    updated_at: i64,
    available_at: i64,
}

/// Few different times, so that many are equal.
fn rows(count: usize) -> impl Strategy<Value = Vec<Row>> {
    let row = (
        0..SCOPES.len(),
        prop::sample::select(JobType::ALL),
        prop::sample::select(JobStatus::ALL),
        0..4_usize,
        (1..9_i64, 1..9_i64, 1..9_i64),
    );
    prop::collection::vec(row, 0..count).prop_map(|all| {
        let mut held = BTreeSet::new();
        let rows = all.into_iter().zip(1..).map(|((scope, job_type, status, turn, times), id)| {
            // One worker at a time in a scope.
            let is_too_many = status.is_held() && !held.insert(scope);
            let status = if is_too_many { JobStatus::Pending } else { status };
            let (created_at, updated_at, available_at) = times;
            Row { id, scope, job_type, status, turn, created_at, updated_at, available_at }
        });
        rows.collect()
    })
}

fn turn_id(turn: usize) -> String {
    if turn == 0 { String::new() } else { format!("turn {turn}") }
}

/// Puts the rows in place of all jobs that are there.
fn write(robot: &Robot, rows: &[Row]) {
    let mut beside = Connection::open(robot.store_path()).expect("the file opens");
    let tx = beside.transaction().expect("a transaction");
    tx.execute("DELETE FROM job", []).expect("they go");
    for row in rows {
        let (kind, name, _) = SCOPES[row.scope];
        let (is_held, is_finished) = (row.status.is_held(), row.status.is_finished());
        tx.prepare_cached(
            "INSERT INTO job (id, scope, scope_id, job_type, status, is_head, dedup_key, turn_id, \
             based_on_revision, payload, result, step, done, total, position, attempt_count, \
             max_attempts, available_at, lease_owner, lease_until, last_error, agent, created_at, \
             updated_at, finished_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?1, ?7, 0, '{}', '', '', 0, \
             0, '', 1, 5, ?8, '', ?9, '', '', ?10, ?11, ?12)",
        )
        .expect("a statement")
        .execute(params![
            row.id,
            kind,
            name,
            row.job_type.as_str(),
            row.status.as_str(),
            is_held,
            turn_id(row.turn),
            row.available_at,
            is_held.then_some(i64::MAX),
            row.created_at,
            row.updated_at,
            is_finished.then_some(row.updated_at),
        ])
        .expect("it is stored");
    }
    tx.commit().expect("it is committed");
}

/// The rows of a request, by hand: all that match, in order.
fn expected(rows: &[Row], request: &ListJobsRequest) -> Vec<i64> {
    let is_text = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
    let is_time = |from: i64, to: i64, at: i64| from <= at && (to == 0 || at <= to);
    let mut found: Vec<&Row> = rows
        .iter()
        .filter(|row| {
            let (kind, name, _) = SCOPES[row.scope];
            let wanted = match request.scope_id.as_str() {
                "s1/a" => r#"["s1","a"]"#,
                other => other,
            };
            is_text(&request.scope, kind)
                && is_text(wanted, name)
                && is_text(&request.job_type, row.job_type.as_str())
                && is_text(&request.status, row.status.as_str())
                && is_text(&request.turn_id, &turn_id(row.turn))
                && is_time(request.created_from, request.created_to, row.created_at)
                && is_time(request.available_from, request.available_to, row.available_at)
        })
        .collect();
    found.sort_by_key(|row| {
        let key = match request.sort_by.as_str() {
            "updated_at" => row.updated_at,
            "available_at" => row.available_at,
            _ => row.created_at,
        };
        (key, row.id)
    });
    if request.sort_order != "asc" {
        found.reverse();
    }
    found.iter().map(|row| row.id).collect()
}

fn or_empty(all: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop_oneof![2 => Just(String::new()), 1 => all]
}

fn request() -> impl Strategy<Value = ListJobsRequest> {
    let scope = prop_oneof![
        4 => Just((String::new(), String::new())),
        2 => (0..SCOPES.len(), any::<bool>()).prop_map(|(scope, with_name)| {
            let (kind, name, _) = SCOPES[scope];
            (kind.to_owned(), if with_name { name.to_owned() } else { String::new() })
        }),
        1 => Just(("branch".to_owned(), "s1/a".to_owned())),
    ];
    let range = || {
        (0..9_i64, 0..9_i64)
            .prop_map(|(from, to)| if to != 0 && from > to { (to, from) } else { (from, to) })
    };
    let sort_by = prop::sample::select(vec!["", "created_at", "updated_at", "available_at"]);
    (
        scope,
        or_empty(prop::sample::select(JobType::ALL).prop_map(|it| it.to_string())),
        or_empty(prop::sample::select(JobStatus::ALL).prop_map(|it| it.to_string())),
        or_empty((1..5_usize).prop_map(turn_id)),
        prop_oneof![Just(((0, 0), (0, 0))), (range(), range())],
        (sort_by, prop::sample::select(vec!["", "asc", "desc"])),
        (1..12_u32, 0..12_u32),
    )
        .prop_map(|(scope, job_type, status, turn_id, times, order, page)| {
            let (created, available) = times;
            ListJobsRequest {
                scope: scope.0,
                scope_id: scope.1,
                job_type,
                status,
                turn_id,
                created_from: created.0,
                created_to: created.1,
                available_from: available.0,
                available_to: available.1,
                sort_by: order.0.into(),
                sort_order: order.1.into(),
                limit: page.0,
                offset: page.1,
                agent: String::new(),
            }
        })
}

#[test]
fn a_page_is_what_filtering_and_sorting_by_hand_answers() {
    let robot = Robot::words_only();
    let runs = proptest::test_runner::Config::with_cases(40);
    let all = (rows(60), prop::collection::vec(request(), 24));
    proptest!(runs, |((rows, requests) in all)| {
        write(&robot, &rows);
        for request in requests {
            let answer = robot.call::<ListJobs>(request.clone());
            let expected = expected(&rows, &request);
            let (offset, limit) = (request.offset as usize, request.limit as usize);
            let page: Vec<i64> = expected.iter().copied().skip(offset).take(limit).collect();
            let found: Vec<i64> = answer.jobs.iter().map(|shown| shown.job.id).collect();
            prop_assert_eq!(&found, &page, "{:?}", request);
            prop_assert_eq!(answer.total, expected.len() as u64, "{:?}", request);
            prop_assert_eq!(answer.has_more, offset + found.len() < expected.len());
            prop_assert_eq!((answer.limit, answer.offset), (request.limit, request.offset));
            let or = |given: &str, default: &str| {
                if given.is_empty() { default.to_owned() } else { given.to_owned() }
            };
            prop_assert_eq!(answer.sort_by, or(&request.sort_by, "created_at"));
            prop_assert_eq!(answer.sort_order, or(&request.sort_order, "desc"));
        }
    });
}

/// Whether the policy of the test lets an agent read anything of a scope.
fn may_read(agent: &str, scope: &str) -> bool {
    match scope {
        "all" => ["", "planner"].contains(&agent),
        scope => MemType::ALL.iter().any(|class| rules::may_read(agent, scope, *class)),
    }
}

#[test]
fn a_list_holds_and_counts_only_what_its_caller_sees() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let runs = proptest::test_runner::Config::with_cases(12);
    let all = (rows(60), prop::collection::vec(request(), 6));
    proptest!(runs, |((rows, requests) in all)| {
        write(&robot, &rows);
        for agent in AGENTS {
            let seen = rows.iter().filter(|row| may_read(agent, SCOPES[row.scope].2));
            let seen: Vec<Row> = seen.cloned().collect();
            for request in &requests {
                let request = ListJobsRequest { agent: agent.into(), ..request.clone() };
                let answer = robot.call::<ListJobs>(request.clone());
                let expected = expected(&seen, &request);
                prop_assert_eq!(answer.total, expected.len() as u64, "{:?}", request);
                let page = expected.iter().skip(request.offset as usize);
                let page: Vec<i64> = page.take(request.limit as usize).copied().collect();
                let found: Vec<i64> = answer.jobs.iter().map(|shown| shown.job.id).collect();
                prop_assert_eq!(&found, &page, "{:?}", request);
            }
        }
    });
}

#[test]
fn who_sees_an_episode_sees_its_jobs_but_not_what_they_name() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let request = StartSessionRequest { agent: "mute".into(), ..Default::default() };
    let session_id = robot.call::<StartSession>(request).session_id;
    let beside = Connection::open(robot.store_path()).expect("the file opens");
    for (kind, name) in [
        ("session", session_id.clone()),
        ("branch", serde_json::json!([session_id, "main"]).to_string()),
        ("branch", r#"["elsewhere","main"]"#.to_owned()),
        ("global", String::new()),
    ] {
        beside
            .execute(
                "INSERT INTO job (scope, scope_id, job_type, status, dedup_key, turn_id, \
                 based_on_revision, payload, result, step, done, total, position, attempt_count, \
                 max_attempts, available_at, lease_owner, last_error, agent, created_at, \
                 updated_at, finished_at) VALUES (?1, ?2, 'ingest_turn', 'succeeded', ?1 || ?2, \
                 't', 0, '{\"turn\": 1}', '{\"memory_id\": 7}', '', 0, 0, '', 1, 5, 1, '', '', '', \
                 1, 1, 1)",
                [kind, &name],
            )
            .expect("it is stored");
        beside
            .execute("INSERT INTO scope_state VALUES (?1, ?2, 1, NULL, NULL, 1)", [kind, &name])
            .expect("it is stored");
    }
    // Who asks, and what it sees: how many jobs, and of how many also what they name.
    for (agent, jobs, whole) in
        [("", 4, 4), ("planner", 4, 4), ("mute", 2, 0), ("ops", 1, 1), ("nurse", 1, 1)]
    {
        let list = ListJobsRequest { agent: agent.into(), ..Default::default() };
        let answer = robot.call::<ListJobs>(list);
        assert_eq!((answer.jobs.len(), answer.total), (jobs, jobs as u64), "{agent}");
        let named = answer.jobs.iter().filter(|shown| !shown.job.result.is_empty());
        assert_eq!(named.count(), whole, "{agent}");
        let outlined = answer.jobs.iter().filter(|shown| shown.job.payload.is_empty());
        assert_eq!(outlined.count(), jobs - whole, "{agent}");
        let list = ListScopesRequest { agent: agent.into(), ..Default::default() };
        let scopes = robot.call::<ListScopes>(list);
        assert_eq!((scopes.scopes.len(), scopes.total), (jobs, jobs as u64), "{agent}");
    }
}

#[test]
fn scopes_are_sorted_with_what_was_never_set_as_least() {
    let robot = Robot::words_only();
    let beside = Connection::open(robot.store_path()).expect("the file opens");
    for (kind, name, revision, turn_no, compacted_at, updated_at) in [
        ("global", "", 4, None, Some(30), 9),
        ("branch", r#"["s1","b"]"#, 2, Some(12), None, 5),
        ("branch", r#"["s1","a"]"#, 2, Some(3), Some(10), 5),
        ("session", "s1", 7, None, None, 1),
    ] {
        beside
            .execute(
                "INSERT INTO scope_state (scope, scope_id, revision, last_processed_turn_no, \
                 last_compaction_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![kind, name, revision, turn_no, compacted_at, updated_at],
            )
            .expect("it is stored");
    }
    let (a, b, global, session) = ("branch:s1/a", "branch:s1/b", "global", "session:s1");
    let cases: [(&str, &str, [&str; 4]); 8] = [
        ("updated_at", "desc", [global, a, b, session]),
        ("updated_at", "asc", [session, a, b, global]),
        ("revision", "desc", [session, global, a, b]),
        ("revision", "asc", [a, b, global, session]),
        ("last_compaction_at", "desc", [global, a, b, session]),
        ("last_compaction_at", "asc", [b, session, a, global]),
        ("last_processed_turn_no", "desc", [b, a, global, session]),
        ("last_processed_turn_no", "asc", [global, session, a, b]),
    ];
    for (sort_by, sort_order, expected) in cases {
        for limit in 1..=4 {
            let mut found = Vec::new();
            for offset in (0..5).step_by(limit) {
                let answer = robot.call::<ListScopes>(ListScopesRequest {
                    sort_by: sort_by.into(),
                    sort_order: sort_order.into(),
                    limit: limit as u32,
                    offset,
                    ..Default::default()
                });
                assert_eq!((answer.total, answer.limit, answer.offset), (4, limit as u32, offset));
                let end = offset as usize + answer.scopes.len();
                assert_eq!(answer.has_more, end < 4 && offset < 4, "{sort_by} {limit} {offset}");
                found.extend(answer.scopes.iter().map(|state| state.scope.to_string()));
            }
            assert_eq!(found, expected, "{sort_by} {sort_order} by {limit}");
        }
    }
    let of = |scope: &str, scope_id: &str| {
        let (scope, scope_id) = (scope.into(), scope_id.into());
        robot.call::<ListScopes>(ListScopesRequest { scope, scope_id, ..Default::default() }).total
    };
    let counts = [of("branch", ""), of("branch", "s1/a"), of("session", "s1"), of("session", "s2")];
    assert_eq!(counts, [2, 1, 1, 0]);
}

#[test]
fn what_is_asked_wrongly_is_refused_with_the_field_and_what_is_allowed() {
    let robot = Robot::words_only();
    let jobs = |change: fn(&mut ListJobsRequest)| {
        let mut request = ListJobsRequest::default();
        change(&mut request);
        robot.refused::<ListJobs>(request)
    };
    let scopes = |change: fn(&mut ListScopesRequest)| {
        let mut request = ListScopesRequest::default();
        change(&mut request);
        robot.refused::<ListScopes>(request)
    };
    let kinds = "global, group, dm, agent, session, branch, turn, unscoped, fleet, all";
    let cases = [
        (jobs(|it| it.limit = 0), "limit: must be 1 to 100, got 0".to_owned()),
        (jobs(|it| it.limit = 101), "limit: must be 1 to 100, got 101".to_owned()),
        (scopes(|it| it.limit = 0), "limit: must be 1 to 100, got 0".to_owned()),
        (
            jobs(|it| it.scope = "room".into()),
            format!("scope: must be one of {kinds}; got \"room\""),
        ),
        (
            scopes(|it| it.scope = "branch:s1/a".into()),
            format!("scope: must be one of {kinds}; got \"branch:s1/a\""),
        ),
        (
            jobs(|it| it.scope_id = "s1".into()),
            "scope_id: needs the scope whose name it is".to_owned(),
        ),
        (
            scopes(|it| it.scope_id = "s1".into()),
            "scope_id: needs the scope whose name it is".to_owned(),
        ),
        (
            jobs(|it| (it.scope, it.scope_id) = ("branch".into(), "s1".into())),
            "scope_id: a branch is".to_owned(),
        ),
        (
            jobs(|it| (it.scope, it.scope_id) = ("branch".into(), "[\"s1\"]".into())),
            "scope_id: a branch is".to_owned(),
        ),
        (
            scopes(|it| (it.scope, it.scope_id) = ("global".into(), "x".into())),
            "scope_id: global stands alone".to_owned(),
        ),
        (
            jobs(|it| (it.scope, it.scope_id) = ("all".into(), "x".into())),
            "scope_id: all stands alone".to_owned(),
        ),
        (
            jobs(|it| it.job_type = "ingest".into()),
            "job_type: must be one of ingest_turn, compact_macro, maintenance, rebuild_scope, \
             embed, import, backup; got \"ingest\""
                .to_owned(),
        ),
        (
            jobs(|it| it.status = "done".into()),
            "status: must be one of pending, leased, running, retry_waiting, succeeded, \
             dead_letter, cancelled; got \"done\""
                .to_owned(),
        ),
        (
            jobs(|it| it.sort_by = "id".into()),
            "sort_by: must be one of created_at, updated_at, available_at; got \"id\"".to_owned(),
        ),
        (
            scopes(|it| it.sort_by = "created_at".into()),
            "sort_by: must be one of updated_at, revision, last_compaction_at, \
             last_processed_turn_no; got \"created_at\""
                .to_owned(),
        ),
        (
            jobs(|it| it.sort_order = "DESC".into()),
            "sort_order: must be one of asc, desc; got \"DESC\"".to_owned(),
        ),
        (
            jobs(|it| it.created_from = -1),
            "created_from: must be milliseconds since 1970, not negative, got -1".to_owned(),
        ),
        (jobs(|it| it.available_to = -5), "available_to: must be milliseconds".to_owned()),
        (
            jobs(|it| (it.created_from, it.created_to) = (9, 5)),
            "created_from: must not be later than created_to, 5; got 9".to_owned(),
        ),
        (
            jobs(|it| (it.available_from, it.available_to) = (9, 5)),
            "available_from: must not be later than available_to, 5; got 9".to_owned(),
        ),
        (jobs(|it| it.turn_id = "a\nb".into()), "turn_id: must not contain".to_owned()),
        (jobs(|it| it.agent = " x".into()), "agent: must not begin or end".to_owned()),
    ];
    for ((kind, message), expected) in cases {
        assert_eq!(kind, ErrorKind::InvalidArgument, "{message}");
        assert!(message.starts_with(&expected), "{message}\nis not as\n{expected}");
    }
}

#[test]
fn without_a_name_where_one_is_demanded_nothing_is_listed() {
    let robot = Robot::with(|config| config.require_agent = true);
    let (kind, message) = robot.refused::<ListJobs>(ListJobsRequest::default());
    assert_eq!(kind, ErrorKind::Forbidden, "{message}");
    let (kind, message) = robot.refused::<ListScopes>(ListScopesRequest::default());
    assert_eq!(kind, ErrorKind::Forbidden, "{message}");
}
