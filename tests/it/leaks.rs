//! What a caller may not see is in no answer: every operation, every agent, every scope asked for, over
//! random rows, against a second reading of the rules that shares no code with the engine.

use crate::leak_probes::{PROBES, Probe, WITHOUT_SCOPE};
use crate::leak_world::{AGENTS, ASKED, NO_ID, NO_SESSION, Row, World, rules, searched};
use crate::robot::sql;
use robot_memory_core::api::{
    ApiError, DeleteMemory, DeleteMemoryRequest, EndSession, EndSessionRequest, ErrorKind, Forget,
    ForgetRequest, GetMemory, GetMemoryRequest, GetSession, GetSessionRequest, ListCollections,
    ListCollectionsRequest, ListLevels, ListLevelsRequest, ListSessions, ListSessionsRequest,
    Recall, RecallRequest, StartSession, StartSessionRequest, Stats, StatsRequest, Update,
    UpdateRequest,
};
use robot_memory_core::model::{Level, MemType, Stamp};
use robot_memory_engine::Engine;
use std::collections::BTreeSet;
use std::fmt::Debug;

#[test]
fn no_answer_tells_of_what_its_caller_may_not_see() {
    let world = World::new(7, 150);
    let answered = count_tight_answers(&world, &ASKED, PROBES.iter());
    // It would also be tight if everything were refused.
    assert!(answered > 1_500, "{answered} answers");
}

/// Asks everything as everybody; answers how many answers there were that were no error.
pub fn count_tight_answers<'a>(
    world: &World,
    scopes: &[&str],
    probes: impl Iterator<Item = &'a Probe> + Clone,
) -> usize {
    let mut answered = 0;
    for agent in AGENTS {
        for scope in scopes {
            for probe in probes.clone() {
                let asked = match (probe.sees_all, *scope) {
                    (true, "") => None,
                    (true, scope) => Some(scope),
                    (false, scope) => Some(searched(scope)),
                };
                // What takes no scope is asked once.
                if asked.is_some() && WITHOUT_SCOPE.contains(&probe.name) {
                    continue;
                }
                // What a memory is related to may be of another scope than the one that was named.
                let asked = asked.filter(|_| probe.name != "get_memory");
                for answer in (probe.answers)(world, agent, scope) {
                    answered += usize::from(answer.starts_with("Ok"));
                    world.assert_tight(probe.name, agent, asked, &answer);
                }
            }
        }
    }
    answered
}

#[test]
fn what_is_seen_is_found_completely_and_counted_rightly() {
    let world = World::new(8, 150);
    for agent in AGENTS {
        for scope in ASKED {
            let asked = searched(scope);
            let everything = RecallRequest {
                collections: vec!["*".into()],
                until: Some(Stamp(i64::MAX)),
                min_confidence: 0.0,
                n: 100,
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let reads = |scope: &str| {
                MemType::ALL.iter().any(|class| rules::may_read(agent, scope, *class))
            };
            let may_ask = match asked.strip_prefix("cross:") {
                _ if asked == "all" => agent != "mute",
                Some(group) => reads(&format!("group:{group}")),
                None => reads(asked),
            };
            let answer = world.robot.engine.call::<Recall>(everything.clone());
            let count = world.seen_count(agent, Some(asked));
            match answer {
                Err(error) => {
                    assert!(!may_ask, "{agent:?} in {scope:?}: {error}");
                    assert_eq!(error.kind, ErrorKind::Forbidden, "{agent:?} in {scope:?}: {error}");
                    continue;
                }
                Ok(answer) => {
                    assert!(may_ask, "{agent:?} in {scope:?} was not refused");
                    assert_eq!(answer.total, count, "{agent:?} in {scope:?}");
                    let shown = answer.memories.iter().map(|hit| hit.memory.id);
                    let mut seen: Vec<i64> = world
                        .active()
                        .filter(|row| row.is_seen(agent, Some(asked)))
                        .map(|row| row.id)
                        .collect();
                    seen.reverse();
                    seen.truncate(100);
                    assert_eq!(shown.collect::<Vec<_>>(), seen, "{agent:?} in {scope:?}");
                }
            }
            let query = RecallRequest {
                query: "grip".into(),
                until: None,
                explain: true,
                ..everything.clone()
            };
            let answer = world.robot.call::<Recall>(query);
            assert!(
                answer.plan.contains(&format!("; {count} rows pass;")),
                "{agent:?} in {scope:?}: {}, not {count}",
                answer.plan
            );
            assert!(answer.total <= count);
            let by_session = RecallRequest { count_by: "session".into(), ..everything };
            let counted: u64 =
                world.robot.call::<Recall>(by_session).counts.iter().map(|it| it.count).sum();
            assert_eq!(counted, count);
        }
        for scope in ASKED {
            let asked = (!scope.is_empty()).then_some(scope);
            let (named, agent_named) = (scope.to_owned(), agent.to_owned());
            let levels = world.robot.engine.call::<ListLevels>(ListLevelsRequest {
                scope: named.clone(),
                agent: agent_named.clone(),
                ..Default::default()
            });
            let collections = world.robot.engine.call::<ListCollections>(ListCollectionsRequest {
                scope: named,
                agent: agent_named,
                ..Default::default()
            });
            let count = world.seen_count(agent, asked);
            if let Ok(levels) = levels {
                let counted: u64 = levels.levels.iter().map(|it| it.memory_count).sum();
                assert_eq!(counted, count, "{agent:?} in {scope:?}");
            }
            if let Ok(collections) = collections {
                let counted: u64 = collections.collections.iter().map(|it| it.count).sum();
                assert_eq!((counted, collections.memory_count), (count, count), "{agent:?}");
            }
        }
        let stats = world.robot.call::<Stats>(StatsRequest { agent: agent.into() });
        let of_any_status = world.rows.iter().filter(|row| row.is_seen(agent, None)).count();
        assert_eq!(stats.memory_count, of_any_status as u64, "{agent:?}");
        let active: u64 = stats.by_level.iter().map(|it| it.count).sum();
        assert_eq!(active, world.seen_count(agent, None), "{agent:?}");
        let vectors: u64 = stats.vectors_by_model.iter().map(|it| it.count).sum();
        assert_eq!((vectors, stats.missing_vectors), (active, 0), "{agent:?}");
    }
}

#[test]
fn pictures_are_ranked_among_those_that_are_seen() {
    let world = World::new(11, 200);
    let mut ranked = 0;
    for agent in AGENTS {
        for scope in ASKED {
            let request = RecallRequest {
                query: "red".into(),
                collections: vec!["*".into()],
                min_confidence: 0.0,
                n: 100,
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let Ok(answer) = world.robot.engine.call::<Recall>(request) else { continue };
            let mut ranks: Vec<u32> = answer
                .memories
                .iter()
                .map(|hit| hit.why.picture_rank)
                .filter(|rank| *rank > 0)
                .collect();
            ranks.sort_unstable();
            ranked += ranks.len();
            // Without a gap, in each of the one or two lists: nothing unseen has a place between them.
            let highest = ranks.last().copied().unwrap_or(0);
            let all: BTreeSet<u32> = ranks.iter().copied().collect();
            assert!(all.into_iter().eq(1..=highest), "{agent:?} in {scope:?}: {ranks:?}");
        }
    }
    assert!(ranked > 100, "{ranked}");
}

/// The error of a call, with what was asked for blotted out.
fn blotted<T: Debug>(answer: Result<T, ApiError>, asked: &str) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}").replace(asked, "?"),
    }
}

#[test]
fn what_is_not_seen_is_as_what_never_was() {
    let world = World::new(9, 120);
    let engine = &world.robot.engine;
    type Ask = fn(engine: &Engine, memory_id: i64, scope: &str, agent: &str) -> String;
    let by_id: [Ask; 5] = [
        |engine, memory_id, scope, agent| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = GetMemoryRequest { memory_id, scope, agent, ..Default::default() };
            blotted(engine.call::<GetMemory>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let new_content = "The door is blue".into();
            let (scope, agent) = (scope.into(), agent.into());
            let request =
                UpdateRequest { memory_id, new_content, scope, agent, ..Default::default() };
            blotted(engine.call::<Update>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let (reason, scope, agent) = ("wrong".into(), scope.into(), agent.into());
            let request = ForgetRequest { memory_id, reason, scope, agent };
            blotted(engine.call::<Forget>(request), &memory_id.to_string())
        },
        |engine, memory_id, scope, agent| {
            let (scope, agent) = (scope.into(), agent.into());
            let request = DeleteMemoryRequest { memory_id, scope, agent };
            blotted(engine.call::<DeleteMemory>(request), &memory_id.to_string())
        },
        |engine, memory_id, _, agent| {
            let request = RecallRequest {
                like_memory_id: memory_id,
                scope: "all".into(),
                agent: agent.into(),
                ..Default::default()
            };
            blotted(engine.call::<Recall>(request), &memory_id.to_string())
        },
    ];
    for agent in AGENTS {
        for (number, call) in by_id.iter().enumerate() {
            let absent = call(engine, NO_ID, "", agent);
            assert!(absent.contains("NotFound") || agent == "mute", "{number} {agent}: {absent}");
            for row in world.rows.iter().filter(|row| !row.is_seen(agent, None)) {
                assert_eq!(call(engine, row.id, "", agent), absent, "{number} {agent} {row:?}");
            }
            // A scope that is named narrows what is seen.
            let group = call(engine, NO_ID, "group:red", agent);
            let outside = |row: &&Row| !row.is_seen(agent, Some("group:red")) && number < 4;
            for row in world.rows.iter().filter(outside) {
                assert_eq!(call(engine, row.id, "group:red", agent), group, "{agent} {row:?}");
            }
        }
        for row in &world.rows {
            let may_write = rules::may_write(agent, row.scope, row.class);
            if !row.is_seen(agent, None) || may_write {
                continue;
            }
            for write in &by_id[1..4] {
                let refused = write(engine, row.id, "", agent);
                // What is not active cannot be updated, whoever asks.
                let is_refused = refused.contains("Forbidden") || !row.is_active;
                assert!(is_refused, "{agent} {row:?}: {refused}");
                assert!(refused.contains("access policy entry") || !row.is_active, "{refused}");
            }
        }
        for (number, (session_id, begun_by)) in world.sessions.iter().enumerate() {
            if rules::may_see_session(agent, begun_by) {
                continue;
            }
            let get = |session_id: &str| {
                let request =
                    GetSessionRequest { session_id: session_id.into(), agent: agent.into() };
                blotted(engine.call::<GetSession>(request), session_id)
            };
            let end = |session_id: &str| {
                let (session_id, agent) = (session_id.to_owned(), agent.into());
                let request = EndSessionRequest { session_id, agent, ..Default::default() };
                let asked = request.session_id.clone();
                blotted(engine.call::<EndSession>(request), &asked)
            };
            assert_eq!(get(session_id), get(NO_SESSION), "{agent} {number}");
            assert_eq!(end(session_id), end(NO_SESSION), "{agent} {number}");
            assert!(get(session_id).contains("NotFound"));
            for scope in ASKED {
                let recall = |session_id: &str| {
                    let (scope, agent) = (scope.to_owned(), agent.to_owned());
                    let session_id = session_id.to_owned();
                    let request = RecallRequest {
                        session_id: session_id.clone(),
                        scope,
                        agent,
                        ..Default::default()
                    };
                    blotted(engine.call::<Recall>(request), &session_id)
                };
                let has_row = |row: &Row| {
                    row.session == Some(number) && row.is_seen(agent, Some(searched(scope)))
                };
                if !world.active().any(has_row) {
                    assert_eq!(recall(session_id), recall(NO_SESSION), "{agent} {scope} {number}");
                }
            }
        }
    }
}

#[test]
fn an_ended_session_is_told_of_as_far_as_it_is_seen() {
    for (number, agent) in ["", "planner", "ops", "skill_grasp", "mute"].into_iter().enumerate() {
        let world = World::new(10, 120);
        let session_id = world.sessions[number].0.clone();
        let of_session = |row: &&Row| row.session == Some(number) && row.is_seen(agent, None);
        let seen: Vec<&Row> = world.active().filter(of_session).collect();
        let (session, owner) = (session_id.clone(), agent.to_owned());
        let shown = world
            .robot
            .call::<GetSession>(GetSessionRequest { session_id: session, agent: owner.clone() });
        assert_eq!(shown.session.memory_count, seen.len() as u64, "{agent}");
        let listed = world.robot.call::<ListSessions>(ListSessionsRequest {
            agent: owner.clone(),
            ..Default::default()
        });
        for session in &listed.sessions {
            let place = world.sessions.iter().position(|(id, _)| *id == session.session_id);
            let rows = world.active().filter(|row| row.session == place);
            let count = rows.filter(|row| row.is_seen(agent, None)).count() as u64;
            assert_eq!(session.memory_count, count, "{agent} {place:?}");
        }
        let may_see = |(_, begun_by): &&(String, &str)| rules::may_see_session(agent, begun_by);
        let count = world.sessions.iter().filter(may_see).count();
        assert_eq!((listed.sessions.len(), listed.total), (count, count as u64), "{agent}");

        world.robot.sleep_days(5.0);
        let ended = world.robot.call::<EndSession>(EndSessionRequest {
            session_id,
            agent: owner.clone(),
            ..Default::default()
        });
        world.assert_tight("end_session", agent, None, &format!("{ended:?}"));
        assert_eq!(ended.memory_count, seen.len() as u64, "{agent}");
        let by_type: u64 = ended.by_type.iter().map(|it| it.count).sum();
        assert_eq!(by_type, seen.len() as u64, "{agent}");
        let by_category: u64 = ended.by_category.iter().map(|it| it.count).sum();
        assert!(by_category <= by_type);
        let settled = seen.iter().filter(|row| row.level == Level::Working).count();
        assert_eq!(ended.promoted_count + ended.archived_count, settled as u64, "{agent}");
        // Of five days all fade but what is protected.
        let fades = |row: &&Row| !row.content.contains("must never") && row.is_seen(agent, None);
        assert_eq!(ended.decayed_count, world.active().filter(fades).count() as u64, "{agent}");
        for hit in &ended.related_memories {
            let row = world.rows.iter().find(|row| row.id == hit.memory.id).expect("a row");
            assert!(row.is_seen(agent, Some("global")), "{agent} {row:?}");
        }
        let begun = world
            .robot
            .call::<StartSession>(StartSessionRequest { agent: owner, ..Default::default() });
        let active = rows_of_store(&world, agent);
        assert_eq!(begun.active_memories_count, active, "{agent}");
    }
}

/// How many active rows of the store an agent may see, whatever became of them meanwhile.
fn rows_of_store(world: &World, agent: &str) -> u64 {
    let is_active = |row: &&Row| {
        let status: String = sql(
            &world.robot.store_path(),
            &format!("SELECT status FROM memory WHERE id = {}", row.id),
        );
        status == "active"
    };
    let seen = world.rows.iter().filter(|row| row.is_seen(agent, None));
    seen.filter(is_active).count() as u64
}
