//! What can be asked without changing anything: an operation more is an entry more.

use crate::leak_jobs;
use crate::leak_world::{Row, World, rules, searched};
use robot_memory_core::api::{
    Brief, BriefRequest, CheckAction, CheckActionRequest, Compare, CompareRequest, ExportRequest,
    GetMemory, GetMemoryRequest, GetSession, GetSessionRequest, GetStatus, ListCollections,
    ListCollectionsRequest, ListLevels, ListLevelsRequest, ListSessions, ListSessionsRequest,
    Locate, LocateRequest, Recall, RecallRequest, SpatialSort, Stats, StatsRequest, StatusRequest,
    Timeline, TimelineRequest, Unlearn, UnlearnRequest,
};
use robot_memory_core::model::Stamp;
use std::ops::ControlFlow;

/// Requests of an operation, for an agent and what it asks for, and whether no scope means all that
/// it may read.
pub struct Probe {
    pub name: &'static str,
    pub sees_all: bool,
    pub answers: fn(&World, &str, &str) -> Vec<String>,
}

/// What takes no scope: it is asked once.
pub const WITHOUT_SCOPE: [&str; 7] =
    ["list_sessions", "get_session", "list_jobs", "get_job", "status", "stats", "export"];

/// What is offered on the command line only.
pub const WITHOUT_FACE: [&str; 2] = ["stats", "export"];

/// What changes nothing.
pub const PROBES: &[Probe] = &[
    Probe {
        name: "recall",
        sees_all: false,
        answers: |world, agent, scope| {
            let requests = recalls(world, agent, scope).into_iter();
            requests
                .map(|request| {
                    // The plan repeats what it was asked for.
                    let asked = format!("memory {} (", request.like_memory_id);
                    world.ask::<Recall>(request).replace(&asked, "memory (")
                })
                .collect()
        },
    },
    Probe {
        name: "get_memory",
        sees_all: true,
        answers: |world, agent, scope| {
            let seen = |row: &&Row| row.is_seen(agent, (!scope.is_empty()).then_some(scope));
            let get = |row: &Row| GetMemoryRequest {
                memory_id: row.id,
                include_data: true,
                include_embedding: true,
                scope: scope.into(),
                agent: agent.into(),
            };
            let rows = world.rows.iter().filter(seen);
            rows.map(|row| world.ask::<GetMemory>(get(row))).collect()
        },
    },
    Probe {
        name: "check_action",
        sees_all: false,
        answers: |world, agent, scope| {
            let request = |task: &str, params: &str| CheckActionRequest {
                params: params.into(),
                task: task.into(),
                collection: "*".into(),
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let requests = [
                request("grip", r#"{"force": {"value": 5, "unit": "N"}}"#),
                request("", r#"{"force": {"value": -30, "unit": "N"}}"#),
                request("", r#"{"force": {"value": 5, "unit": "m"}}"#),
                request("cup", ""),
            ];
            requests.map(|request| world.ask::<CheckAction>(request)).into()
        },
    },
    Probe {
        name: "brief",
        sees_all: false,
        answers: |world, agent, scope| {
            let request = |object: &str| BriefRequest {
                task: "grip".into(),
                object: object.into(),
                collections: vec!["*".into()],
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            ["", "cup"].map(|object| world.ask::<Brief>(request(object))).into()
        },
    },
    Probe {
        name: "locate",
        sees_all: false,
        answers: |world, agent, scope| {
            let request = |what: &str| LocateRequest {
                what: what.into(),
                include_thumbnails: true,
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            ["", "cup"].map(|what| world.ask::<Locate>(request(what))).into()
        },
    },
    Probe {
        name: "list_levels",
        sees_all: true,
        answers: |world, agent, scope| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = ListLevelsRequest { scope, agent, ..Default::default() };
            vec![world.ask::<ListLevels>(request)]
        },
    },
    Probe {
        name: "list_collections",
        sees_all: true,
        answers: |world, agent, scope| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = ListCollectionsRequest { scope, agent, ..Default::default() };
            vec![world.ask::<ListCollections>(request)]
        },
    },
    Probe {
        name: "list_sessions",
        sees_all: true,
        answers: |world, agent, _| {
            let request = ListSessionsRequest { agent: agent.into(), ..Default::default() };
            vec![world.ask::<ListSessions>(request)]
        },
    },
    Probe {
        name: "get_session",
        sees_all: true,
        answers: |world, agent, _| {
            let seen = |(_, begun_by): &&(String, &str)| rules::may_see_session(agent, begun_by);
            let get = |session_id: &String| GetSessionRequest {
                session_id: session_id.clone(),
                agent: agent.into(),
            };
            let sessions = world.sessions.iter().filter(seen);
            sessions.map(|(session_id, _)| world.ask::<GetSession>(get(session_id))).collect()
        },
    },
    Probe {
        name: "timeline",
        sees_all: false,
        answers: |world, agent, scope| {
            let request = |order: &str| TimelineRequest {
                collections: vec!["*".into()],
                n: 1_000,
                order: order.into(),
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            ["oldest", "newest"].map(|order| world.ask::<Timeline>(request(order))).into()
        },
    },
    Probe {
        name: "unlearn",
        sees_all: true,
        answers: |world, agent, scope| {
            // The classes that an agent may not write are refused, which names no row.
            let request = |context_filter: &str| UnlearnRequest {
                context_filter: context_filter.into(),
                until: Some(Stamp(i64::MAX)),
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let filters = ["", r#"{"params.force": {"$lt": 0}}"#];
            filters.map(|filter| world.ask::<Unlearn>(request(filter))).into()
        },
    },
    Probe {
        name: "list_jobs",
        sees_all: true,
        answers: |world, agent, _| leak_jobs::lists(world, agent),
    },
    Probe {
        name: "get_job",
        sees_all: true,
        answers: |world, agent, _| leak_jobs::seen(world, agent),
    },
    Probe {
        name: "compare",
        sees_all: false,
        answers: |world, agent, scope| {
            let request = |task: &str| CompareRequest {
                task: task.into(),
                collections: vec!["*".into()],
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            ["", "grip"].map(|task| world.ask::<Compare>(request(task))).into()
        },
    },
    Probe {
        name: "status",
        sees_all: true,
        answers: |world, agent, _| {
            vec![world.ask::<GetStatus>(StatusRequest { agent: agent.into() })]
        },
    },
    Probe {
        name: "stats",
        sees_all: true,
        answers: |world, agent, _| vec![world.ask::<Stats>(StatsRequest { agent: agent.into() })],
    },
    Probe {
        name: "export",
        sees_all: true,
        answers: |world, agent, _| {
            let mut all = Vec::new();
            let request = ExportRequest {
                all_statuses: true,
                include_embedding: true,
                agent: agent.into(),
                ..Default::default()
            };
            let count = world.robot.engine.export(request, &mut |memory| {
                all.push(format!("{memory:?}"));
                ControlFlow::Continue(())
            });
            all.push(format!("{count:?}"));
            all
        },
    },
];

/// Every way to search.
fn recalls(world: &World, agent: &str, scope: &str) -> Vec<RecallRequest> {
    let base = || RecallRequest {
        collections: vec!["*".into()],
        n: 100,
        min_confidence: 0.0,
        scope: scope.into(),
        agent: agent.into(),
        include_data: true,
        explain: true,
        ..Default::default()
    };
    let query = || RecallRequest { query: "grip the cup 抓取 force".into(), ..base() };
    let until = Some(Stamp(i64::MAX));
    let near = Some(SpatialSort {
        field: "spatial.robot_position".into(),
        target: vec![0.0, 0.0, 0.0],
        max_distance: 0.0,
        ..SpatialSort::default()
    });
    let window = (0..30).flat_map(|at| [f64::from(at % 7), 0.0, -8.0, 0.0, 0.1, 0.0]).collect();
    let mut all = vec![
        query(),
        RecallRequest { ranking: "rrf".into(), ..query() },
        RecallRequest { query: "red".into(), ..base() },
        RecallRequest { query: "red".into(), ranking: "rrf".into(), n: 3, ..base() },
        RecallRequest { exact: true, ..query() },
        RecallRequest { n: 3, ..query() },
        RecallRequest { min_similarity: 0.05, ..query() },
        RecallRequest { count_by: "session".into(), ..query() },
        RecallRequest { order: "newest".into(), count_by: "day".into(), ..query() },
        RecallRequest { levels: vec!["working".into()], ..query() },
        RecallRequest { until, count_by: "session".into(), ..base() },
        RecallRequest { until, order: "oldest".into(), ..base() },
        RecallRequest { types: vec!["perception".into()], ..base() },
        RecallRequest { context_filter: r#"{"params.force":{"$gte":0}}"#.into(), ..base() },
        RecallRequest { spatial_sort: near.clone(), ..base() },
        RecallRequest { spatial_sort: near, ..query() },
        RecallRequest { window_name: "wrench".into(), window, ..base() },
        RecallRequest { group_by: "session".into(), order: "newest".into(), ..base() },
        RecallRequest { group_by: "day".into(), nth: 2, order: "oldest".into(), ..query() },
        RecallRequest { group_by: "topic".into(), order: "newest".into(), ..base() },
        RecallRequest { count_by: "topic".into(), ..base() },
        RecallRequest { count_by: "topic".into(), ..query() },
        RecallRequest { anchor_filter: r#"{"params.force":{"$gte":0}}"#.into(), ..base() },
    ];
    // An anchor that the agent may see.
    let asked = Some(searched(scope));
    let anchor = world.active().find(|row| row.is_seen(agent, asked));
    all.extend(anchor.map(|row| RecallRequest { around_memory_id: row.id, ..base() }));
    all.extend(anchor.map(|row| RecallRequest { around_memory_id: row.id, ..query() }));
    let before = |id| format!("What happened right before memory {id}?");
    all.extend(anchor.map(|row| RecallRequest { query: before(row.id), ..base() }));
    // An example that the agent may see, of any scope, and the sessions of rows that it sees.
    let example = world.active().find(|row| row.has_signature && row.is_seen(agent, None));
    all.extend(example.map(|row| RecallRequest { like_memory_id: row.id, ..base() }));
    for (number, (session_id, begun_by)) in world.sessions.iter().enumerate() {
        let asked = Some(searched(scope));
        let has_row =
            world.active().any(|row| row.session == Some(number) && row.is_seen(agent, asked));
        if has_row || rules::may_see_session(agent, begun_by) {
            all.push(RecallRequest { session_id: session_id.clone(), ..query() });
        }
    }
    all
}
