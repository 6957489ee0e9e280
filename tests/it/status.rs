//! GetStatus: what it counts, for whom, and what it says of each part.

use crate::leak_world::{AGENTS, World};
use crate::robot::{Robot, sql};
use robot_memory_core::api::{
    Forget, ForgetRequest, GetStatus, KeyCount, Learn, LearnRequest, StartSession,
    StartSessionRequest, Stats, StatsRequest, StatusLevel, StatusRequest, StatusResponse,
};
use robot_memory_embedding::Embedder;
use std::ops::ControlFlow;
use std::sync::Arc;

fn status(robot: &Robot) -> StatusResponse {
    robot.call::<GetStatus>(StatusRequest::default())
}

fn pairs(counts: &[KeyCount]) -> Vec<(&str, u64)> {
    counts.iter().map(|it| (it.key.as_str(), it.count)).collect()
}

/// State and level of a part.
fn part<'s>(status: &'s StatusResponse, name: &str) -> (StatusLevel, &'s str) {
    let part = status.components.iter().find(|part| part.name == name);
    let part = part.unwrap_or_else(|| panic!("{name} is not told of"));
    assert!(!part.message.is_empty(), "{name} says nothing");
    (part.level, &part.state)
}

#[test]
fn everything_is_counted() {
    let robot = Robot::new();
    robot.learn("Always grip glasses softly, never above 5 N");
    let other = robot.learn("The door of the lab is blue");
    robot.perceive("The gripper slipped on the cup", "");
    robot.call::<StartSession>(StartSessionRequest::default());
    robot.call::<Forget>(ForgetRequest {
        memory_id: other.memory_id,
        reason: "painted".into(),
        ..Default::default()
    });
    let status = status(&robot);
    assert_eq!(status.memory_count, 3);
    assert_eq!(pairs(&status.by_status), [("active", 2), ("invalidated", 1)]);
    assert_eq!(pairs(&status.by_type), [("fact", 1), ("perception", 1)]);
    assert_eq!(pairs(&status.by_scope), [("global", 2)]);
    assert_eq!(pairs(&status.by_category), [("constraint", 1)]);
    assert_eq!((status.open_sessions, status.missing_vectors, status.conflict_count), (1, 0, 0));
    assert!(status.store_bytes > 0 && status.free_bytes > 0 && status.schema_version >= 6);
    assert_eq!(status.level, StatusLevel::Ok, "{:?}", status.components);
}

/// The counts in memory are those of the disk, for each caller.
#[test]
fn counts_agree_with_the_rows() {
    let world = World::new(11, 200);
    for agent in AGENTS {
        let request = StatusRequest { agent: agent.into() };
        let status = world.robot.call::<GetStatus>(request);
        let stats = world.robot.call::<Stats>(StatsRequest { agent: agent.into() });
        assert_eq!(status.memory_count, stats.memory_count, "{agent:?}");
        assert_eq!(status.by_status, stats.by_status, "{agent:?}");
        assert_eq!(status.by_type, stats.by_type, "{agent:?}");
        assert_eq!(status.by_level, stats.by_level, "{agent:?}");
        assert_eq!(status.by_category, stats.by_category, "{agent:?}");
        assert_eq!(status.open_sessions, stats.open_sessions, "{agent:?}");
        let active: u64 = stats.by_type.iter().map(|it| it.count).sum();
        for counts in [&status.by_scope, &status.by_mem_type] {
            assert_eq!(counts.iter().map(|it| it.count).sum::<u64>(), active, "{agent:?}");
        }
    }
}

#[test]
fn no_scope_is_named_that_its_caller_may_not_see() {
    let world = World::new(12, 200);
    for agent in AGENTS {
        let request = StatusRequest { agent: agent.into() };
        let status = world.robot.call::<GetStatus>(request);
        for KeyCount { key, count } in &status.by_scope {
            let seen = world.active().filter(|row| row.is_seen(agent, Some(key))).count() as u64;
            let all = world.active().filter(|row| row.is_seen(agent, None)).count() as u64;
            assert!(*count <= seen && *count <= all, "{agent:?} sees {count} in {key}, not {seen}");
        }
        world.assert_tight("status", agent, None, &format!("{:?}", status.by_scope));
    }
}

#[test]
fn what_is_wrong_is_said_and_ends() {
    let robot = Robot::new();
    robot.learn("The cup is red");
    assert_eq!(part(&status(&robot), "store"), (StatusLevel::Ok, "writable"));
    robot.engine.block_writes(Some("less than 100 MB are free".into()));
    let blocked = status(&robot);
    assert_eq!(blocked.level, StatusLevel::Error);
    assert_eq!(part(&blocked, "store").0, StatusLevel::Error);
    assert_eq!(blocked.memory_count, 1);
    robot.engine.block_writes(None);
    assert_eq!(status(&robot).level, StatusLevel::Ok);

    let no_model: Result<Option<Arc<dyn Embedder>>, String> = Err("no file".into());
    robot.engine.set_embedder(no_model).expect("taken");
    assert_eq!(part(&status(&robot), "embedder"), (StatusLevel::Warn, "failed"));
    robot.plug_in_embedder();
    assert_eq!(part(&status(&robot), "embedder"), (StatusLevel::Ok, "ready"));
}

#[test]
fn a_conflict_counts_while_both_hold_and_are_seen() {
    let robot = Robot::words_only();
    let learn = |insight: &str, scope: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            scope: scope.into(),
            agent: String::new(),
            ..Default::default()
        };
        robot.call::<Learn>(request).memory_id
    };
    let one = learn("The cup stands on the left shelf", "group:red");
    let other = learn("The door handle turns to the right", "group:red");
    let path = robot.store_path();
    let _: i64 = sql(
        &path,
        &format!(
            "INSERT INTO memory_pair VALUES ({one}, {other}, 'conflict', 'left, right', 'rules', 1) \
             RETURNING memory_id"
        ),
    );
    assert_eq!(status(&robot).conflict_count, 1);
    let guest = robot.call::<GetStatus>(StatusRequest { agent: "guest".into() });
    assert_eq!(guest.conflict_count, 0);
    let reason = "moved".to_owned();
    robot.call::<Forget>(ForgetRequest { memory_id: one, reason, ..Default::default() });
    assert_eq!(status(&robot).conflict_count, 0);
}

#[test]
fn who_does_not_see_all_does_not_learn_the_total_of_a_backup() {
    let world = World::new(19, 60);
    let robot = &world.robot;
    let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
    let made = made.expect("it is made").expect("nobody stopped it");
    let mut hidden = 0;
    for agent in AGENTS {
        let status = robot.call::<GetStatus>(StatusRequest { agent: agent.into() });
        let [backup] = &status.backups[..] else { panic!("{agent:?}: {:?}", status.backups) };
        assert_eq!(backup.name, made.name);
        let sees_all = agent.is_empty() || agent == "planner";
        assert_eq!(backup.memory_count > 0, sees_all, "{agent:?}: {}", backup.memory_count);
        hidden += usize::from(!sees_all);
    }
    assert_eq!(hidden, 6);
}
