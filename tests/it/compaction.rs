//! Many short summaries become a long one.

use crate::robot::{Robot, sql};
use crate::scope_work::{
    BRANCH, changed, changed_with, do_jobs, get, make_micros, note, robot, robot_with_micros,
    with_workers, work_steps,
};
use robot_memory::api::{
    CompactReason, CompactScope, CompactScopeRequest, CompactScopeResponse, DeleteMemory,
    DeleteMemoryRequest, ErrorKind, ListScopes, ListScopesRequest, Recall, RecallRequest,
};
use robot_memory::model::{JobStatus, Kind, MemType, Source, Status, SupersededRule, Trust};
use serde_json::json;

/// So many steps of routine.
fn routine(count: u32) -> Vec<String> {
    (1..=count).map(|turn| format!("Step {turn}: placed part {turn} in the tray.")).collect()
}

fn robot_with_routine(count: u32) -> (Robot, Vec<i64>) {
    let texts = routine(count);
    robot_with_micros(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn request(force: bool) -> CompactScopeRequest {
    CompactScopeRequest {
        scope: "branch".into(),
        scope_id: r#"["s1","main"]"#.into(),
        force,
        ..Default::default()
    }
}

fn compact(robot: &Robot, force: bool) -> CompactScopeResponse {
    robot.call::<CompactScope>(request(force))
}

#[test]
fn the_oldest_of_twelve_summaries_become_one() {
    let (robot, ids) = robot_with_routine(12);
    let queued = compact(&robot, false);
    assert!(queued.created);
    assert_eq!(queued.reason, CompactReason::MicroCountThreshold);
    assert_eq!(queued.source_micro_ids, ids[..8]);
    assert_eq!((queued.coverage_start_turn_no, queued.coverage_end_turn_no), (Some(1), Some(8)));
    let again = compact(&robot, true);
    assert_eq!((again.job_id, again.created), (queued.job_id, false));

    let done = do_jobs(&robot);
    assert_eq!(done.len(), 1);
    let result = &done[0].1;
    assert_eq!(result["compacted"], 8);
    let made = &result["macros"][0];
    assert_eq!(made["source_ids"], json!(ids[..8]));
    assert_eq!(made["written_by"], "rules");
    let id = made["memory_id"].as_i64().expect("an id");
    assert!(!result.to_string().contains("placed"), "a result holds no words: {result}");

    let long = get(&robot, id);
    let memory = &long.memory;
    assert_eq!((memory.kind, memory.mem_type), (Kind::Summary, MemType::Knowledge));
    assert_eq!((memory.source, memory.trust), (Source::Consolidation, Trust::Medium));
    assert_eq!(memory.scope.to_string(), BRANCH);
    assert_eq!(memory.status, Status::Active);
    assert!(memory.content.chars().count() <= 300, "{}", memory.content);
    assert!(memory.content.contains("placed part"), "{}", memory.content);
    assert!(!long.embedding_model.is_empty());
    let context: serde_json::Value = serde_json::from_str(&memory.context).expect("JSON");
    assert_eq!(
        context["summary"],
        json!({"kind": "macro", "source_ids": ids[..8], "first_turn_no": 1, "last_turn_no": 8})
    );
    assert_eq!(long.supersedes, ids[..8]);

    for (place, micro) in ids.iter().enumerate() {
        let micro = get(&robot, *micro);
        if place < 8 {
            assert_eq!(micro.memory.status, Status::Superseded);
            assert_eq!(micro.memory.superseded_by, Some(id));
            assert_eq!(micro.superseded_rule, Some(SupersededRule::Compaction));
            let why = format!("compaction: memory {id}");
            assert!(micro.superseded_why.starts_with(&why), "{}", micro.superseded_why);
        } else {
            assert_eq!(micro.memory.status, Status::Active);
        }
    }
    let found = robot.call::<Recall>(RecallRequest {
        query: "parts in the tray".into(),
        scope: BRANCH.into(),
        n: 50,
        ..Default::default()
    });
    let mut found: Vec<i64> = found.memories.iter().map(|hit| hit.memory.id).collect();
    found.sort_unstable();
    assert_eq!(found, [&ids[8..], &[id]].concat());
    let scopes = robot.call::<ListScopes>(ListScopesRequest::default()).scopes;
    assert!(scopes.iter().any(|it| it.scope.kind() == "branch" && it.last_compaction_at.is_some()));
}

#[test]
fn what_cannot_be_compacted_is_refused_before_anything_is_queued() {
    let (robot, _) = robot_with_routine(7);
    let job_count = |robot: &Robot| sql::<i64>(&robot.store_path(), "SELECT count(*) FROM job");
    let refused = |robot: &Robot, force| robot.refused::<CompactScope>(request(force));
    let (kind, why) = refused(&robot, false);
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(why.contains("no threshold") && why.contains('7'), "{why}");
    let (kind, why) = robot.refused::<CompactScope>(CompactScopeRequest {
        scope: "global".into(),
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(why.contains("there are 0") && why.contains("7 are needed"), "{why}");
    let (kind, why) = robot.refused::<CompactScope>(CompactScopeRequest {
        trigger_turn_id: "no such turn".into(),
        ..request(true)
    });
    assert_eq!(kind, ErrorKind::NotFound, "{why}");
    for (scope, scope_id) in [("all", ""), ("", ""), ("branch", "main"), ("global", "x")] {
        let request =
            CompactScopeRequest { scope: scope.into(), scope_id: scope_id.into(), ..request(true) };
        assert_eq!(robot.refused::<CompactScope>(request).0, ErrorKind::InvalidArgument);
    }
    let robot = changed_with(robot, |_| {}, |_| {});
    let (kind, why) = refused(&robot, true);
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(why.contains("job_workers"), "{why}");
    assert_eq!(job_count(&robot), 0);
}

#[test]
fn seven_summaries_are_compacted_by_force_once() {
    let (robot, ids) = robot_with_routine(7);
    assert_eq!(compact(&robot, true).source_micro_ids, ids[..3]);
    let done = do_jobs(&robot);
    assert_eq!(done[0].1["macros"][0]["reason"], "forced");
    let (_, why) = robot.refused::<CompactScope>(request(true));
    assert!(why.contains("there are 4"), "{why}");
}

#[test]
fn what_is_there_when_the_job_is_done_counts() {
    let (robot, ids) = robot_with_routine(8);
    assert_eq!(compact(&robot, true).source_micro_ids, ids[..4]);
    let delete = |id: i64| {
        let request = DeleteMemoryRequest { memory_id: id, ..Default::default() };
        robot.call::<DeleteMemory>(request);
    };
    delete(ids[1]);
    let done = do_jobs(&robot);
    assert_eq!(done[0].1["macros"][0]["source_ids"], json!([ids[0], ids[2], ids[3]]));

    let (robot, ids) = robot_with_routine(7);
    compact(&robot, true);
    let request = DeleteMemoryRequest { memory_id: ids[6], ..Default::default() };
    robot.call::<DeleteMemory>(request);
    assert_eq!(do_jobs(&robot)[0].1, json!({"compacted": 0, "macros": []}));
}

#[test]
fn a_long_queue_of_summaries_is_compacted_step_by_step_and_goes_on_where_it_was() {
    let (robot, ids) = robot_with_routine(40);
    let queued = compact(&robot, true);
    let handed_back = work_steps(&robot, 2).expect("a job");
    assert_eq!(handed_back.status, JobStatus::Pending);
    let done = do_jobs(&robot);
    assert_eq!(done[0].0.id, queued.job_id);
    let made = done[0].1["macros"].as_array().expect("a list").clone();
    // 40, 28, 16, and 4: by steps far apart, then by their number.
    let counts: Vec<usize> =
        made.iter().map(|it| it["source_ids"].as_array().map_or(0, Vec::len)).collect();
    assert_eq!(counts, [12, 12, 12]);
    assert_eq!(made[2]["source_ids"], json!(ids[24..36]));
    let active = sql::<i64>(
        &robot.store_path(),
        "SELECT count(*) FROM summary s JOIN memory m ON m.id = s.memory_id \
         WHERE s.kind = 'micro' AND m.status = 'active'",
    );
    assert_eq!(active, 4);
}

#[test]
fn summaries_of_two_collections_never_become_one() {
    let robot = robot();
    let texts = routine(24);
    let micros: Vec<(i64, u32)> = texts
        .iter()
        .zip(1..)
        .map(|(text, turn)| {
            let collection = if turn % 2 == 0 { "even" } else { "odd" };
            (note(&robot, BRANCH, collection, text), turn)
        })
        .collect();
    let robot = changed(robot, |connection| make_micros(connection, &micros));
    compact(&robot, false);
    let done = do_jobs(&robot);
    let made = done[0].1["macros"].as_array().expect("a list");
    assert_eq!(made.len(), 2);
    for it in made {
        let long = get(&robot, it["memory_id"].as_i64().expect("an id"));
        for source in &long.supersedes {
            assert_eq!(get(&robot, *source).memory.collection, long.memory.collection);
        }
    }
}

#[test]
fn a_long_summary_is_seen_by_those_who_saw_what_it_was_made_of() {
    let robot = robot();
    let texts = routine(12);
    let micros: Vec<(i64, u32)> =
        texts.iter().zip(1..).map(|(text, turn)| (note(&robot, BRANCH, "", text), turn)).collect();
    let robot = changed_with(
        robot,
        |connection| make_micros(connection, &micros),
        |config| {
            with_workers(config);
            let yaml = "agents:\n  - names: [reader]\n    read: [{scope: 'branch:*', mem_types: \
                        [knowledge]}]\n";
            config.access = Some(yaml.into());
        },
    );
    let count = |agent: &str| {
        let request = RecallRequest {
            query: "tray".into(),
            scope: BRANCH.into(),
            agent: agent.into(),
            ..Default::default()
        };
        robot.call::<Recall>(request).memories.len()
    };
    assert_eq!(count("reader"), 0);
    compact(&robot, false);
    let done = do_jobs(&robot);
    let id = done[0].1["macros"][0]["memory_id"].as_i64().expect("an id");
    assert_eq!(get(&robot, id).memory.mem_type, MemType::TaskLog);
    assert_eq!((count("reader"), count("")), (0, 5));
}
