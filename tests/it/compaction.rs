//! Many short summaries become a long one.

use crate::disk::holds;
use crate::robot::{Robot, sql};
use crate::scope_work::{
    BRANCH, changed, changed_with, do_jobs, get, make_micros, note, robot, robot_with_micros,
    with_workers, work_steps,
};
use crate::steps::{Unhurried, commit};
use robot_memory_chat::{Chat, ChatError};
use robot_memory_core::api::{
    CompactReason, CompactScope, CompactScopeRequest, CompactScopeResponse, DeleteMemory,
    DeleteMemoryRequest, ErrorKind, GetMemory, GetMemoryRequest, ListScopes, ListScopesRequest,
    Recall, RecallRequest,
};
use robot_memory_core::model::{
    JobStatus, JobType, Kind, MemType, Source, Status, SupersededRule, Trust,
};
use serde_json::json;
use std::sync::Arc;

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
    assert!(why.contains("there are 0") && why.contains("3 are needed"), "{why}");
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
    // Forced again, fewer of the newest stay.
    assert_eq!(compact(&robot, true).source_micro_ids, ids[3..6]);
    do_jobs(&robot);
    let (_, why) = robot.refused::<CompactScope>(request(true));
    assert!(why.contains("there are 1"), "{why}");
}

#[test]
fn what_is_forced_needs_no_more_than_can_be_one() {
    for (count, compacted) in [(3, 3), (4, 3), (6, 3), (7, 3), (8, 4)] {
        let (robot, ids) = robot_with_routine(count);
        let (kind, _) = robot.refused::<CompactScope>(request(false));
        assert_eq!(kind, ErrorKind::InvalidState);
        assert_eq!(compact(&robot, true).source_micro_ids, ids[..compacted], "{count}");
        let done = do_jobs(&robot);
        assert_eq!(done[0].1["compacted"], compacted, "{count}");
    }
    let (robot, _) = robot_with_routine(2);
    let (kind, why) = robot.refused::<CompactScope>(request(true));
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(why.contains("there are 2") && why.contains("3 are needed"), "{why}");
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
    assert_eq!(do_jobs(&robot)[0].1["macros"][0]["source_ids"], json!(ids[..3]));
    let (robot, ids) = robot_with_routine(3);
    compact(&robot, true);
    let request = DeleteMemoryRequest { memory_id: ids[2], ..Default::default() };
    robot.call::<DeleteMemory>(request);
    assert_eq!(do_jobs(&robot)[0].1, json!({"compacted": 0, "macros": []}));
}

/// Whoever asks for it below the thresholds gets it, also from a job that was queued above them, whether
/// that waits or is being done.
#[test]
fn a_job_that_is_there_is_forced_when_somebody_forces() {
    for is_taken in [false, true] {
        let (robot, ids) = robot_with_routine(12);
        let queued = compact(&robot, false);
        delete(&robot, ids[0]);
        let taken = is_taken.then(|| robot.engine.claim_job(0).expect("claimed").expect("a job"));
        let forced = compact(&robot, true);
        assert_eq!((forced.job_id, forced.created), (queued.job_id, false));
        assert_eq!(forced.reason, CompactReason::Forced);
        let result = match taken {
            Some(claim) => {
                let job = robot.engine.work(&claim, &Unhurried).expect("it is worked on");
                serde_json::from_str(&job.result).expect("a result is JSON")
            }
            None => do_jobs(&robot).remove(0).1,
        };
        assert_eq!(result["macros"][0]["source_ids"], json!(forced.source_micro_ids), "{result}");
        assert_eq!(result["macros"][0]["reason"], "forced");
    }
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

/// Answers every prompt with this.
struct Says(Result<&'static str, ChatError>);

impl Chat for Says {
    fn id(&self) -> &str {
        "test"
    }

    fn complete(&self, _system: &str, _user: &str) -> Result<String, ChatError> {
        self.0.clone().map(str::to_owned)
    }
}

#[test]
fn an_endpoint_writes_the_long_summary_as_far_as_it_is_true() {
    let cases = [
        (Ok(r#"{"summary": "Placed part 1 in the tray. Part 99 broke."}"#), ("chat:test", None, 1)),
        (Ok(r#"{"summary": "Part 99 broke."}"#), ("rules", Some("nothing"), 0)),
        (Ok("no JSON"), ("rules", Some("not_json"), 0)),
        (Err(ChatError::Timeout), ("rules", Some("timeout"), 0)),
    ];
    for (answer, (by, fell_back, dropped)) in cases {
        let (robot, _) = robot_with_routine(12);
        robot.engine.set_chat(Some(Arc::new(Says(answer))));
        compact(&robot, false);
        let result = do_jobs(&robot).remove(0).1;
        let made = &result["macros"][0];
        assert_eq!(
            (made["written_by"].as_str(), made["fell_back"].as_str()),
            (Some(by), fell_back)
        );
        assert_eq!(made["dropped_count"], dropped);
        let text = get(&robot, made["memory_id"].as_i64().expect("an id")).memory.content;
        assert!(text.contains("tray") && !text.contains("99"), "{text}");
    }
}

fn delete(robot: &Robot, memory_id: i64) {
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id, ..Default::default() });
}

/// Whether these letters are in the store's files.
fn is_on_disk(robot: &Robot, word: &str) -> bool {
    ["", "-wal"].iter().any(|ending| {
        let path = format!("{}{ending}", robot.store_path().display());
        holds(path.as_ref(), word)
    })
}

#[test]
fn what_is_deleted_of_the_sources_is_gone_from_the_long_summary() {
    let mut texts = routine(12);
    texts[2] = "The zirconium ring cracked at 40 N.".into();
    let (robot, ids) = robot_with_micros(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    compact(&robot, false);
    let result = do_jobs(&robot).remove(0).1;
    let id = result["macros"][0]["memory_id"].as_i64().expect("an id");
    assert!(get(&robot, id).memory.content.contains("zirconium"));

    delete(&robot, ids[2]);
    let long = get(&robot, id);
    assert_eq!(long.memory.status, Status::Active);
    assert!(!long.memory.content.contains("zirconium"), "{}", long.memory.content);
    assert!(long.memory.content.contains("placed part"), "{}", long.memory.content);
    let context: serde_json::Value = serde_json::from_str(&long.memory.context).expect("JSON");
    let left: Vec<i64> = ids[..8].iter().copied().filter(|it| *it != ids[2]).collect();
    assert_eq!(context["summary"]["source_ids"], json!(left));
    assert!(!is_on_disk(&robot, "zirconium"));
    robot.engine.upkeep().expect("it gets a vector again");
    assert!(!get(&robot, id).embedding_model.is_empty());

    for source in left {
        delete(&robot, source);
    }
    let request = GetMemoryRequest { memory_id: id, ..Default::default() };
    assert_eq!(robot.refused::<GetMemory>(request).0, ErrorKind::NotFound);
}

#[test]
fn the_steps_of_a_branch_are_compacted_by_themselves_and_forgotten_by_the_sentence() {
    let robot = robot();
    let session = robot.start_session();
    for turn in 1..=12 {
        let text = match turn {
            4 => {
                "The grasp failed. The quartz lens slipped at 8 N because the pad was oily.".into()
            }
            _ => format!("Placed part {turn} in the tray. It was held at {turn} N."),
        };
        commit(&robot, &session, turn, &text);
    }
    let done = do_jobs(&robot);
    assert_eq!(done.len(), 13);
    let (job, result) = &done[12];
    assert_eq!(job.job_type, JobType::CompactMacro);
    assert_eq!(result["compacted"], 8, "{result}");
    assert_eq!(
        (&result["macros"][0]["first_turn_no"], &result["macros"][0]["last_turn_no"]),
        (&json!(1), &json!(8))
    );
    let id = result["macros"][0]["memory_id"].as_i64().expect("an id");
    let text = get(&robot, id).memory.content;
    assert!(text.contains("quartz lens slipped at 8 N"), "{text}");

    let fact = done[3].1["facts"].as_array().expect("facts").iter().find_map(|fact| {
        let id = fact["memory_id"].as_i64()?;
        get(&robot, id).memory.content.contains("quartz").then_some(id)
    });
    delete(&robot, fact.expect("the step said something of it"));
    let text = get(&robot, id).memory.content;
    assert!(!text.contains("quartz"), "{text}");
}
