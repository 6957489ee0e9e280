//! Unlearn against a plain walk over the rows of the file, for random stores and requests; plans; rights.

use crate::experience::{insertion, maintain_weekly};
use crate::hostile_parts::Dice;
use crate::leak_world::{AGENTS, POLICY, Row, World, rules};
use crate::robot::{Robot, ids, sql};
use crate::scope_work::{do_jobs, get, robot, with_workers};
use crate::steps::commit;
use crate::streamed::{contact, record};
use robot_memory_core::api::{
    Brief, BriefRequest, CheckAction, CheckActionRequest, CompactScope, CompactScopeRequest,
    DeleteMemory, DeleteMemoryRequest, ErrorKind, Forget, ForgetRequest, JudgeLesson,
    JudgeLessonRequest, Recall, RecallRequest, SavePerceptionRequest, Timeline, TimelineRequest,
    Unlearn, UnlearnAction, UnlearnRequest, UnlearnResponse,
};
use robot_memory_core::limits::{UNLEARN_IDS_MAX, UNLEARN_ROOTS_MAX};
use robot_memory_core::model::{MemType, Stamp, Status};
use rusqlite::Connection;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

fn of_ids(memory_ids: &[i64]) -> UnlearnRequest {
    UnlearnRequest { memory_ids: memory_ids.to_vec(), ..Default::default() }
}

/// Looks at what would be done, and does it.
fn unlearn(robot: &Robot, request: &UnlearnRequest) -> UnlearnResponse {
    let planned = robot.call::<Unlearn>(request.clone());
    let done = robot.call::<Unlearn>(for_real(request, &planned.plan));
    assert_eq!(done, planned);
    done
}

fn for_real(request: &UnlearnRequest, plan: &str) -> UnlearnRequest {
    UnlearnRequest {
        dry_run: false,
        plan: plan.into(),
        reason: "the gripper was miscalibrated".into(),
        ..request.clone()
    }
}

fn with_action(response: &UnlearnResponse, action: UnlearnAction) -> Vec<i64> {
    let of = response.memories.iter().filter(|it| it.action == action);
    of.map(|it| it.memory_id).collect()
}

fn beside(robot: &Robot) -> Connection {
    Connection::open(robot.store_path()).expect("the file opens")
}

/// The ids that a query finds.
fn found(robot: &Robot, query: &str) -> BTreeSet<i64> {
    let connection = beside(robot);
    let mut statement = connection.prepare(query).expect("it is understood");
    let rows = statement.query_map([], |row| row.get(0)).expect("it is read");
    rows.map(|row| row.expect("a row")).collect()
}

/// All rows of all tables.
fn dump(robot: &Robot) -> Vec<String> {
    let connection = beside(robot);
    let mut tables = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%_instance' ORDER BY name")
        .expect("it is understood");
    let names = tables.query_map([], |row| row.get::<_, String>(0)).expect("it is read");
    let mut all = Vec::new();
    for name in names.map(|name| name.expect("a name")) {
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{name}\"")).expect("a table");
        let count = rows.column_count();
        let read = rows.query_map([], |row| {
            let cells = (0..count).map(|at| row.get_ref(at).map(|it| format!("{it:?}")));
            Ok(format!("{name} {}", cells.collect::<Result<Vec<_>, _>>()?.join("|")))
        });
        all.extend(read.expect("it is read").map(|row| row.expect("a row")));
    }
    all
}

/// What each row says: status, content and time of change.
fn rows(robot: &Robot) -> BTreeMap<i64, (String, String, i64)> {
    let connection = beside(robot);
    let mut statement =
        connection.prepare("SELECT id, status, content, updated_at FROM memory").expect("a table");
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))));
    rows.expect("it is read").map(|row| row.expect("a row")).collect()
}

/// Every row that any search, list or count answers.
fn answered(robot: &Robot) -> BTreeSet<i64> {
    let mut all = BTreeSet::new();
    let every = RecallRequest {
        collections: vec!["*".into()],
        scope: "all".into(),
        min_confidence: 0.0,
        n: 100,
        diversity: false,
        ..Default::default()
    };
    for exact in [false, true] {
        for query in ["part zork in the tray", "insert the bolt", "contact on wrist", "bin"] {
            let request = RecallRequest { query: query.into(), exact, ..every.clone() };
            all.extend(ids(&robot.call::<Recall>(request)));
        }
    }
    let near = serde_json::from_value(json!({
        "field": "spatial.robot_position", "target": [0.0, 0.0, 0.0], "max_distance": 0.0,
    }));
    let near = RecallRequest { spatial_sort: Some(near.expect("a sort")), ..every.clone() };
    all.extend(ids(&robot.call::<Recall>(near)));
    let counted = RecallRequest { count_by: "hour".into(), ..every };
    let counted: u64 = robot.call::<Recall>(counted).counts.iter().map(|it| it.count).sum();
    let active =
        sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory WHERE status = 'active'");
    assert_eq!(counted, active.unsigned_abs());
    let mut cursor = String::new();
    for _ in 0..100 {
        let page = robot.call::<Timeline>(TimelineRequest {
            collections: vec!["*".into()],
            scope: "all".into(),
            n: 1_000,
            cursor,
            ..Default::default()
        });
        all.extend(page.entries.iter().map(|it| it.memory_id));
        cursor = page.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    all
}

/// Asks for what attempts teach, and lets it be written.
fn read_lessons(robot: &Robot) {
    robot.call::<Brief>(BriefRequest {
        task: "insert".into(),
        object: "M8 bolt".into(),
        ..Default::default()
    });
    robot.engine.upkeep().expect("upkeep");
}

/// Some weeks of a robot: turns and their long summaries, attempts with lessons, events, limits, statements.
fn weeks(dice: &mut Dice) -> (Robot, Vec<String>) {
    let robot = robot();
    let mut sessions = Vec::new();
    let mut number = 0_usize;
    for _ in 0..3 {
        let session = robot.start_session();
        for turn_no in 1..=(8 + dice.below(4)) as u32 {
            let sentences = (0..1 + dice.below(3)).map(|_| {
                number += 1;
                format!("The part zork{number} is in tray {}.", number * 3)
            });
            commit(&robot, &session, turn_no, &sentences.collect::<Vec<_>>().join(" "));
        }
        do_jobs(&robot);
        let scope_id = format!("{session}/main");
        let request = CompactScopeRequest {
            scope: "branch".into(),
            scope_id,
            force: true,
            ..Default::default()
        };
        assert!(robot.call::<CompactScope>(request).created);
        do_jobs(&robot);
        for _ in 0..3 + dice.below(9) {
            let force = 8.0 + dice.below(90) as f64 / 10.0;
            insertion(&robot, "global", force < 12.0 || dice.below(9) == 0, force);
        }
        for _ in 0..dice.below(4) {
            number += 1;
            let limit = format!("The force on zork{number} must never exceed {number} N");
            robot.learn_with(&limit, r#"{"spatial": {"robot_position": [1, 2, 0]}}"#);
        }
        let secs = sessions.len() as i64 * 604_800;
        record(&robot, (0..2).map(|at| contact(secs + at, 0.5, 4)).collect());
        read_lessons(&robot);
        sessions.push(session);
        robot.sleep_days(7.0);
        maintain_weekly(&robot, "all", "");
    }
    read_lessons(&robot);
    (robot, sessions)
}

/// A request, and the rows that it means by a query over the file.
fn any_request(dice: &mut Dice, robot: &Robot, sessions: &[String]) -> (UnlearnRequest, String) {
    let primary =
        "(type <> 'summary' OR id IN (SELECT memory_id FROM summary WHERE kind = 'micro'))";
    let begin = robot_start() + dice.below(2) as i64 * 604_800;
    match dice.below(7) {
        0..=2 => {
            // What was said in turns, or anything.
            let said = "type = 'fact' AND id IN (SELECT memory_id FROM turn_memory)";
            let pool = if dice.below(3) > 0 { said } else { primary };
            let all = found(robot, &format!("SELECT id FROM memory WHERE {pool}"));
            let all: Vec<i64> = all.into_iter().collect();
            let some: BTreeSet<i64> =
                (0..1 + dice.below(9)).map(|_| all[dice.below(all.len())]).collect();
            let some: Vec<i64> = some.into_iter().collect();
            let list = some.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            (of_ids(&some), format!("id IN ({list})"))
        }
        3 => {
            let session_id = sessions[dice.below(sessions.len())].clone();
            let condition = format!("session_id = '{session_id}' AND {primary}");
            (UnlearnRequest { session_id, ..Default::default() }, condition)
        }
        4 => {
            let request = UnlearnRequest { stream: "wrist".into(), ..Default::default() };
            let has = "json_extract(nullif(context, ''), '$.event.stream') = 'wrist'";
            (request, format!("{has} AND {primary}"))
        }
        5 => {
            let force = 9 + dice.below(5);
            let filter = json!({"params.force_n": {"$gte": force}}).to_string();
            let request = UnlearnRequest { context_filter: filter, ..Default::default() };
            let has = format!("json_extract(nullif(context, ''), '$.params.force_n') >= {force}");
            (request, format!("{has} AND {primary}"))
        }
        _ => {
            let (since, until) = (begin, begin + 604_800);
            let stamp = |secs: i64| Some(Stamp(secs * 1_000_000_000));
            let request =
                UnlearnRequest { since: stamp(since), until: stamp(until), ..Default::default() };
            (
                request,
                format!(
                    "created_at >= {since}000000000 AND created_at < {until}000000000 AND {primary}"
                ),
            )
        }
    }
}

fn robot_start() -> i64 {
    crate::robot::START.0 / 1_000_000_000
}

/// What rests on some rows, walked plainly: nothing of the engine's own walk is used.
fn walked(robot: &Robot, roots: &BTreeSet<i64>) -> BTreeSet<i64> {
    let connection = beside(robot);
    let list = |ids: &BTreeSet<i64>| ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let of = list(roots);
    let micros = found(
        robot,
        &format!(
            "SELECT s.memory_id FROM turn_memory s JOIN summary u ON u.memory_id = s.memory_id \
             WHERE u.kind = 'micro' AND s.turn_id IN \
             (SELECT turn_id FROM turn_memory WHERE memory_id IN ({of}))"
        ),
    );
    let mut all = micros.clone();
    let short = list(&micros.union(roots).copied().collect());
    all.extend(found(
        robot,
        &format!(
            "SELECT s.memory_id FROM summary s, json_each(s.source_ids) e WHERE s.kind = 'macro' \
             AND e.value IN ({short})"
        ),
    ));
    // There is one task on one object.
    let bolts = format!(
        "SELECT id FROM memory WHERE id IN ({of}) AND mem_type = 'task_log' AND context LIKE '%\"insert\"%'"
    );
    if !found(robot, &bolts).is_empty() {
        all.extend(found(
            robot,
            "SELECT memory_id FROM summary WHERE kind IN ('experience', 'lesson')",
        ));
    }
    let mut statement = connection
        .prepare(
            "SELECT s.memory_id, r.id FROM summary s JOIN memory m ON m.id = s.memory_id, memory r \
             WHERE s.kind = 'week' AND r.scope = m.scope AND r.collection = m.collection \
             AND r.type <> 'summary' AND r.id <= json_extract(s.figures, '$.newest_id') \
             AND s.subject = strftime('%G-W%V', r.created_at / 1000000000, 'unixepoch')",
        )
        .expect("it is understood");
    let pairs = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    for (week, row) in pairs.expect("it is read").map(|pair| pair.expect("a pair")) {
        if roots.contains(&row) {
            all.insert(week);
        }
    }
    all.retain(|id| !roots.contains(id));
    all
}

/// What the experiences, lessons and weeks say.
fn learned(robot: &Robot) -> BTreeMap<i64, String> {
    let kinds = "SELECT memory_id FROM summary WHERE kind IN ('experience', 'lesson', 'week')";
    let of = found(robot, kinds);
    rows(robot).into_iter().filter(|it| of.contains(&it.0)).map(|(id, row)| (id, row.1)).collect()
}

#[test]
fn what_rests_on_forgotten_rows_is_what_a_plain_walk_finds_and_says_nothing_of_them() {
    let (mut remade, mut removed, mut whys) = (0, 0, BTreeSet::new());
    for seed in 0..14 {
        println!("seed {seed}");
        let mut dice = Dice::new(seed, 0);
        let (robot, sessions) = weeks(&mut dice);
        let (request, condition) = any_request(&mut dice, &robot, &sessions);
        println!("{condition}");
        let roots = found(
            &robot,
            &format!("SELECT id FROM memory WHERE {condition} AND status <> 'invalidated'"),
        );
        let expected = walked(&robot, &roots);
        let (before, all) = (rows(&robot), dump(&robot));
        let planned = robot.call::<Unlearn>(request.clone());
        assert_eq!(dump(&robot), all, "a dry run changes nothing");
        let forgotten: BTreeSet<i64> =
            with_action(&planned, UnlearnAction::Forgotten).into_iter().collect();
        assert_eq!(forgotten, roots);
        let named = planned.memories.iter().filter(|it| {
            it.action != UnlearnAction::Forgotten && !it.why.starts_with("superseded")
        });
        let named: BTreeSet<i64> = named.map(|it| it.memory_id).collect();
        assert_eq!(named, expected);

        let done = robot.call::<Unlearn>(for_real(&request, &planned.plan));
        assert_eq!(done, planned);
        remade += done.remade_count;
        removed += done.removed_count;
        let made_of = done.memories.iter().filter(|it| it.action != UnlearnAction::Kept);
        whys.extend(made_of.filter_map(|it| Some(it.why.split_once(':')?.0.to_owned())));
        let after = rows(&robot);
        for (id, row) in &before {
            match (roots.contains(id), expected.contains(id)) {
                (true, _) => assert_eq!((&after[id].0[..], &after[id].1), ("invalidated", &row.1)),
                (false, true) => {}
                (false, false) => assert_eq!(after.get(id), Some(row), "{id}"),
            }
        }
        let marked = |text: &str| -> BTreeSet<String> {
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.filter(|it| it.starts_with("zork")).map(str::to_owned).collect()
        };
        let gone: BTreeSet<String> = roots.iter().flat_map(|id| marked(&before[id].1)).collect();
        let left = after.values().filter(|row| row.0 != "invalidated");
        let said: BTreeSet<String> = left.flat_map(|row| marked(&row.1)).collect();
        // What another memory says as well is not only theirs.
        let others = before.iter().filter(|(id, _)| !roots.contains(id) && !expected.contains(id));
        let others: BTreeSet<String> = others.flat_map(|(_, row)| marked(&row.1)).collect();
        assert_eq!(said.intersection(&gone).filter(|it| !others.contains(*it)).count(), 0);
        assert!(answered(&robot).is_disjoint(&roots));
        let stays = robot.restart_with(with_workers);
        stays.plug_in_embedder();
        assert!(answered(&stays).is_disjoint(&roots));

        // What is left is what is learned from it anew.
        let is_now = learned(&stays);
        read_lessons(&stays);
        maintain_weekly(&stays, "all", "");
        read_lessons(&stays);
        // Of a lesson that only shows without them, upkeep makes a new row.
        let mut later = learned(&stays);
        later.retain(|id, _| is_now.contains_key(id) || after.contains_key(id));
        assert_eq!(later, is_now);
    }
    assert!(remade > 5 && removed > 5, "{remade} remade, {removed} removed");
    let all = [
        "experience of attempts",
        "lesson of attempts",
        "summary of a turn",
        "summary of a week",
        "summary of turns",
    ];
    assert_eq!(whys.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn a_plan_that_is_another_one_by_now_is_refused() {
    let robot = Robot::new();
    let first = robot.learn("The crimson flask needs 15 N").memory_id;
    let request = UnlearnRequest { collection: "default".into(), ..Default::default() };
    let planned = robot.call::<Unlearn>(request.clone());
    assert_eq!((planned.forgotten_count, planned.plan.len()), (1, 32));
    let second = robot.learn("The blue cup stands on shelf two").memory_id;
    let refused = robot.refused::<Unlearn>(for_real(&request, &planned.plan));
    assert_eq!(refused.0, ErrorKind::InvalidState);
    let again = robot.call::<Unlearn>(request.clone());
    assert!(refused.1.contains(&again.plan) && refused.1.contains("2 memories"), "{}", refused.1);
    assert_eq!(robot.recall("crimson flask").memories[0].memory.id, first);
    let done = robot.call::<Unlearn>(for_real(&request, &again.plan));
    assert_eq!(with_action(&done, UnlearnAction::Forgotten), [first, second]);
    assert_eq!(get(&robot, first).invalidated_reason, "the gripper was miscalibrated");
    assert_eq!(get(&robot, first).history[0].operation, "forget");
    // Once more there is nothing to do.
    let nothing = unlearn(&robot, &request);
    assert_eq!((nothing.forgotten_count, nothing.memories.len()), (0, 0));
}

#[test]
fn what_was_forgotten_before_is_unlearned_as_well() {
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "The part zork1 is in tray 3. The part zork2 is in tray 6.");
    do_jobs(&robot);
    let root = sql::<i64>(
        &robot.store_path(),
        "SELECT id FROM memory WHERE type = 'fact' AND content LIKE '%zork1%'",
    );
    let micro = sql::<i64>(&robot.store_path(), "SELECT memory_id FROM summary");
    robot.call::<Forget>(ForgetRequest {
        memory_id: root,
        reason: "wrong".into(),
        ..Default::default()
    });
    assert!(
        get(&robot, micro).memory.content.contains("zork1"),
        "Forget leaves what was made of it"
    );
    let done = unlearn(&robot, &of_ids(&[root]));
    assert_eq!((done.forgotten_count, done.remade_count), (0, 1));
    assert_eq!(done.memories[0].memory_id, micro);
    let summary = get(&robot, micro).memory.content;
    assert!(!summary.contains("zork1") && summary.contains("zork2"), "{summary}");
    assert_eq!(summary, done.memories[0].new_text);
    let text = sql::<String>(&robot.store_path(), "SELECT text FROM turn");
    assert!(!text.contains("zork1"), "{text}");
    assert_eq!(get(&robot, root).invalidated_reason, "wrong");
}

#[test]
fn a_judged_lesson_stays_and_says_why_and_a_limit_holds_no_more() {
    let robot = robot();
    for round in 0..4 {
        for force in 0..6 {
            insertion(
                &robot,
                "global",
                force < 3,
                9.0 + f64::from(force * 2) + f64::from(round) / 10.0,
            );
        }
    }
    read_lessons(&robot);
    let lessons = found(&robot, "SELECT memory_id FROM summary WHERE kind = 'lesson'");
    let lesson = *lessons.first().expect("a lesson");
    robot.call::<JudgeLesson>(JudgeLessonRequest {
        lesson_id: lesson,
        judgment: "pinned".into(),
        ..Default::default()
    });
    let limit = robot.learn("The grip force must never exceed 15 N").memory_id;
    let action = || {
        robot.call::<CheckAction>(CheckActionRequest {
            task: "grip".into(),
            params: r#"{"force_n": 18}"#.into(),
            ..Default::default()
        })
    };
    assert!(!action().allowed);
    let done =
        unlearn(&robot, &UnlearnRequest { collection: "default".into(), ..Default::default() });
    assert!(action().allowed);
    assert!(with_action(&done, UnlearnAction::Forgotten).contains(&limit));
    let kept =
        done.memories.iter().find(|it| it.action == UnlearnAction::Kept).expect("it is kept");
    assert_eq!((kept.memory_id, &kept.why[..]), (lesson, "lesson of attempts: a person judged it"));
    // It goes when it is named.
    unlearn(&robot, &of_ids(&[lesson]));
    assert_eq!(get(&robot, lesson).memory.status, Status::Invalidated);
}

#[test]
fn what_is_unlearned_is_what_is_seen_and_may_be_written() {
    for agent in AGENTS {
        for scope in ["", "group:red"] {
            let world = World::new(12, 40);
            let asked = (!scope.is_empty()).then_some(scope);
            let request = UnlearnRequest {
                until: Some(Stamp(i64::MAX)),
                scope: scope.into(),
                agent: agent.into(),
                ..Default::default()
            };
            let planned = world.robot.engine.call::<Unlearn>(request.clone());
            world.assert_tight("unlearn", agent, asked, &format!("{planned:?}"));
            let is_meant = |row: &&Row| row.is_active && row.is_seen(agent, asked);
            let meant: Vec<&Row> = world.rows.iter().filter(is_meant).collect();
            let may = |row: &&Row| rules::may_write(agent, row.scope, row.class);
            let Ok(planned) = planned else {
                let are_all =
                    world.rows.iter().filter(|row| row.is_seen(agent, asked)).all(|row| may(&row));
                assert!(!are_all || !rules::may_read(agent, "global", MemType::Fact));
                continue;
            };
            assert!(meant.iter().all(may), "{agent:?}");
            assert_eq!(planned.forgotten_count, meant.len() as u64, "{agent:?} in {scope:?}");
            world.robot.call::<Unlearn>(for_real(&request, &planned.plan));
            for row in &world.rows {
                let query = format!("SELECT status FROM memory WHERE id = {}", row.id);
                let is_active = sql::<String>(&world.robot.store_path(), &query) == "active";
                assert_eq!(is_active, row.is_active && !row.is_seen(agent, asked), "{row:?}");
            }
        }
    }
}

/// What a caller may not see is made again all the same, and not told of.
#[test]
fn a_summary_that_is_not_seen_loses_the_words_and_is_not_named() {
    let robot = Robot::with(|config| {
        config.access = Some(POLICY.into());
        config.jobs.has_workers = true;
    });
    let session = robot.start_session();
    commit(&robot, &session, 1, "The part zork1 is in tray 3. The part zork2 is in tray 6.");
    do_jobs(&robot);
    let fact = sql::<i64>(
        &robot.store_path(),
        "SELECT id FROM memory WHERE type = 'fact' AND content LIKE '%zork1%'",
    );
    // The branch itself is seen by nobody who writes only what is global.
    beside(&robot)
        .execute("UPDATE memory SET scope = 'agent:skill_weld' WHERE id = ?1", [fact])
        .expect("it moves");
    let robot = robot.restart_with(|config| config.access = Some(POLICY.into()));
    let request = UnlearnRequest { agent: "skill_weld".into(), ..of_ids(&[fact]) };
    let micro = sql::<i64>(&robot.store_path(), "SELECT memory_id FROM summary");
    let done = unlearn(&robot, &request);
    assert_eq!((done.forgotten_count, done.memories.len()), (1, 1), "{done:?}");
    let summary = get(&robot, micro).memory.content;
    assert!(!summary.contains("zork1") && summary.contains("zork2"), "{summary}");
    let refused =
        robot.refused::<Unlearn>(UnlearnRequest { agent: "skill_weld".into(), ..of_ids(&[micro]) });
    assert_eq!(refused, (ErrorKind::NotFound, format!("memory_ids: there is no memory {micro}")));
}

#[test]
fn bad_requests_name_the_field() {
    let robot = Robot::words_only();
    let one = || UnlearnRequest { stream: "wrist".into(), ..Default::default() };
    for (request, words) in [
        (UnlearnRequest::default(), "memory_ids: must be given, or one of"),
        (UnlearnRequest { scope: "all".into(), ..Default::default() }, "memory_ids: must be given"),
        (of_ids(&[0]), "memory_ids: must be greater than 0"),
        (of_ids(&vec![1; UNLEARN_IDS_MAX + 1]), "memory_ids: at most 1000 ids, got 1001"),
        (of_ids(&[1]), "memory_ids: there is no memory 1"),
        (UnlearnRequest { dry_run: false, ..one() }, "plan: must be given"),
        (UnlearnRequest { plan: "ab".into(), ..one() }, "plan: only beside dry_run false"),
        (
            UnlearnRequest { dry_run: false, plan: "ab".into(), ..one() },
            "reason: must not be empty",
        ),
        (UnlearnRequest { reason: "x".repeat(301), ..one() }, "reason: at most 300"),
        (UnlearnRequest { collection: "*".into(), ..one() }, "collection: *"),
        (UnlearnRequest { context_filter: "[]".into(), ..one() }, "context_filter"),
        (UnlearnRequest { since: Some(Stamp(9)), until: Some(Stamp(9)), ..one() }, "since"),
        (UnlearnRequest { session_id: " a".into(), ..one() }, "session_id"),
        (UnlearnRequest { scope: "chats:1".into(), ..one() }, "scope"),
        (UnlearnRequest { reason: "password: hunter22".into(), ..one() }, "reason"),
    ] {
        let (_, message) = robot.refused::<Unlearn>(request);
        assert!(message.starts_with(words), "{message}");
    }
}

#[test]
fn more_than_one_transaction_holds_is_refused_with_how_many_there_are() {
    let robot = Robot::words_only();
    let mut left = UNLEARN_ROOTS_MAX + 1;
    while left > 0 {
        let count = left.min(500);
        let request = |number: usize| SavePerceptionRequest {
            description: format!("camera saw cup {number}"),
            ..Default::default()
        };
        robot.engine.save_perceptions((0..count).map(request).collect()).expect("stored");
        left -= count;
    }
    let request = UnlearnRequest { collection: "default".into(), ..Default::default() };
    let (kind, message) = robot.refused::<Unlearn>(request.clone());
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("10001 memories match, at most 10000"), "{message}");
    let last = UNLEARN_ROOTS_MAX as i64 + 1;
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: last, ..Default::default() });
    let done = unlearn(&robot, &request);
    assert_eq!((done.forgotten_count, done.memories.len()), (10_000, 1_000));
}
