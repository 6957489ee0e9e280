//! What was made around an anchor, and the nth of each group: against the same by brute force.

use crate::robot::{Robot, START, ids};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use robot_memory_core::api::{ErrorKind, Recall, RecallRequest};
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

/// A stored row.
#[derive(Debug, Clone)]
struct Made {
    id: i64,
    at: Stamp,
    session: String,
    color: usize,
}

const COLORS: [&str; 3] = ["red", "green", "blue"];

/// Rows of three sessions and of none, some of the same second, over some days.
fn world(steps: &[(u8, usize, usize)]) -> (Robot, Vec<Made>) {
    let robot = Robot::words_only();
    let sessions: Vec<String> = (0..3).map(|_| robot.start_session()).collect();
    let (mut at, mut rows) = (START, Vec::new());
    for (step, color, session) in steps {
        // Nothing, an hour or two, or most of a day later.
        let secs = match step % 8 {
            0..=3 => 0.0,
            4..=6 => 5_000.0 * f64::from(*step % 3 + 1),
            _ => 70_000.0,
        };
        at = at.plus_days(secs / 86_400.0);
        robot.clock.set(at);
        let session = sessions.get(*session).cloned().unwrap_or_default();
        let context = format!(r#"{{"color": "{}"}}"#, COLORS[*color]);
        let text = format!("box {} came by", rows.len());
        let request = robot_memory_core::api::SavePerceptionRequest {
            description: text,
            perception_type: "visual".into(),
            context,
            session_id: session.clone(),
            ..Default::default()
        };
        let saved = robot.call::<robot_memory_core::api::SavePerception>(request);
        rows.push(Made { id: saved.memory_id, at, session, color: *color });
    }
    (robot, rows)
}

fn color(color: usize) -> String {
    format!(r#"{{"color": "{}"}}"#, COLORS[color])
}

/// The rows before and after a place of the list, as fields limit them.
fn beside(
    rows: &[Made],
    place: usize,
    admits: &dyn Fn(&Made) -> bool,
    (count, secs): (u32, f64),
    is_before: bool,
    is_other_limited: bool,
) -> Vec<Made> {
    if count == 0 && secs == 0.0 && is_other_limited {
        return Vec::new();
    }
    let away = |row: &Made| (row.at.0 - rows[place].at.0).abs() as f64 / 1e9;
    let side: Vec<&Made> = if is_before {
        rows[..place].iter().rev().collect()
    } else {
        rows[place + 1..].iter().collect()
    };
    let near = side.into_iter().filter(|row| admits(row) && (secs == 0.0 || away(row) <= secs));
    near.take(if count == 0 { usize::MAX } else { count as usize }).cloned().collect()
}

fn steps() -> impl Strategy<Value = Vec<(u8, usize, usize)>> {
    prop::collection::vec((any::<u8>(), 0..3_usize, 0..4_usize), 2..40)
}

/// Runs a property over few worlds, each of which takes a store.
fn few<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let mut runner =
        TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    runner.run(&strategy, property).unwrap();
}

#[test]
fn what_is_around_an_anchor_is_what_brute_force_finds() {
    let limits = (0..4_u32, 0..4_u32, 0..3_usize, 0..3_usize);
    few((steps(), any::<prop::sample::Index>(), limits, 1..12_u32), |(steps, at, limits, n)| {
        let (robot, rows) = world(&steps);
        let place = at.index(rows.len());
        let (before_count, after_count, before, after) = limits;
        let secs = [0.0, 4_000.0, 90_000.0];
        let (before_secs, after_secs) = (secs[before], secs[after]);
        let admits = |row: &Made| row.color != 2;
        let request = RecallRequest {
            around_memory_id: rows[place].id,
            context_filter: r#"{"color": {"$ne": "blue"}}"#.into(),
            before_count,
            after_count,
            before_secs,
            after_secs,
            n,
            ..Default::default()
        };
        let has = |count: u32, secs: f64| count != 0 || secs != 0.0;
        let (has_before, has_after) =
            (has(before_count, before_secs), has(after_count, after_secs));
        let before = beside(&rows, place, &admits, (before_count, before_secs), true, has_after);
        let after = beside(&rows, place, &admits, (after_count, after_secs), false, has_before);
        let response = robot.call::<Recall>(request.clone());
        prop_assert_eq!(response.total, (before.len() + after.len()) as u64);
        prop_assert_eq!(response.anchor_memory_id, rows[place].id);
        // The nearest n, in order of time.
        let away = |row: &Made| (row.at.0 - rows[place].at.0).abs();
        let mut nearest: Vec<(i64, usize, bool, i64)> = Vec::new();
        for (side, is_after) in [(&before, false), (&after, true)] {
            let of_side = side.iter().enumerate();
            nearest.extend(of_side.map(|(step, row)| (away(row), step, is_after, row.id)));
        }
        nearest.sort_unstable();
        let mut expected: Vec<i64> = nearest.iter().take(n as usize).map(|row| row.3).collect();
        expected.sort_unstable();
        prop_assert_eq!(ids(&response), expected);
        // In an order it is the first n of all of them.
        let newest = robot.call::<Recall>(RecallRequest { order: "newest".into(), ..request });
        let mut all: Vec<i64> = before.iter().chain(&after).map(|row| row.id).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.truncate(n as usize);
        prop_assert_eq!(ids(&newest), all);
        Ok(())
    });
}

#[test]
fn an_anchor_by_conditions_is_the_nth_newest_that_meets_them() {
    few((steps(), 0..3_usize, 1..4_u32), |(steps, wanted, nth)| {
        let (robot, rows) = world(&steps);
        let request = RecallRequest {
            anchor_filter: color(wanted),
            anchor_nth: nth,
            after_secs: 1e9,
            n: 100,
            ..Default::default()
        };
        let mut of_color = rows.iter().rev().filter(|row| row.color == wanted);
        let count = of_color.clone().count();
        match of_color.nth(nth as usize - 1) {
            Some(anchor) => {
                let response = robot.call::<Recall>(request);
                prop_assert_eq!(response.anchor_memory_id, anchor.id);
                let since: Vec<i64> =
                    rows.iter().filter(|row| row.id > anchor.id).map(|row| row.id).collect();
                prop_assert_eq!(ids(&response), since);
            }
            None => {
                let (kind, why) = robot.refused::<Recall>(request);
                prop_assert_eq!(kind, ErrorKind::NotFound);
                let expected = match count {
                    0 => "anchor_filter: no memory meets it".to_owned(),
                    _ => format!("anchor_nth: {count} memories meet anchor_filter, got {nth}"),
                };
                prop_assert_eq!(why, expected);
            }
        }
        Ok(())
    });
}

#[test]
fn the_nth_of_each_group_is_what_brute_force_finds() {
    let by = prop::sample::select(vec!["", "hour", "day", "session"]);
    few((steps(), by, 1..4_u32, any::<bool>(), -14..15_i32), |(steps, by, nth, newest, hours)| {
        let (robot, rows) = world(&steps);
        let utc_offset_secs = hours * 3_600;
        let mut groups: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let in_order: Vec<&Made> =
            if newest { rows.iter().rev().collect() } else { rows.iter().collect() };
        for row in &in_order {
            let local = row.at.0.div_euclid(1_000_000_000) + i64::from(utc_offset_secs);
            let group = match by {
                "hour" => local.div_euclid(3_600).to_string(),
                "day" => local.div_euclid(86_400).to_string(),
                "session" => row.session.clone(),
                _ => String::new(),
            };
            groups.entry(group).or_default().push(row.id);
        }
        let nths = groups.values().filter_map(|ids| ids.get(nth as usize - 1).copied());
        let mut expected: Vec<i64> = nths.collect();
        expected.sort_unstable();
        if newest {
            expected.reverse();
        }
        let request = RecallRequest {
            group_by: by.into(),
            nth,
            utc_offset_secs,
            order: if newest { "newest" } else { "oldest" }.into(),
            types: vec!["perception".into()],
            n: 100,
            ..Default::default()
        };
        let response = robot.call::<Recall>(request.clone());
        prop_assert_eq!(response.total, expected.len() as u64);
        prop_assert_eq!(ids(&response), expected.clone());
        // A query that all rows match changes nothing of it.
        let asked = robot.call::<Recall>(RecallRequest { query: "box".into(), ..request });
        prop_assert_eq!(ids(&asked), expected);
        Ok(())
    });
}

#[test]
fn a_query_ranks_what_is_around_the_anchor() {
    let robot = Robot::words_only();
    let stop = |text: &str| robot.perceive(text, r#"{"kind": "stop"}"#);
    let far = robot.perceive("the blue box fell long before", "{}");
    robot.sleep_days(1.0);
    let near =
        [robot.perceive("a box stood in the way", "{}"), robot.perceive("the blue box fell", "{}")];
    let last = stop("protective stop");
    let request = RecallRequest {
        query: "blue box".into(),
        anchor_filter: r#"{"kind": "stop"}"#.into(),
        before_secs: 3_600.0,
        ..Default::default()
    };
    let response = robot.call::<Recall>(request.clone());
    assert_eq!(ids(&response), [near[1], near[0]]);
    assert_eq!(response.anchor_memory_id, last);
    let all = robot.call::<Recall>(RecallRequest { before_secs: 1e6, ..request.clone() });
    assert!(ids(&all).contains(&far));
    // What a level or a type leaves out is no anchor's fault.
    let facts = robot.call::<Recall>(RecallRequest { types: vec!["fact".into()], ..request });
    assert_eq!((facts.total, facts.anchor_memory_id), (0, last));
}

#[test]
fn what_says_nothing_or_too_much_is_refused_by_name() {
    let robot = Robot::words_only();
    let id = robot.perceive("a box", "{}");
    let around = |change: &dyn Fn(&mut RecallRequest)| {
        let mut request = RecallRequest { around_memory_id: id, ..Default::default() };
        change(&mut request);
        robot.refused::<Recall>(request)
    };
    let invalid = |why: &str| (ErrorKind::InvalidArgument, why.to_owned());
    for (change, why) in [
        (
            &(|it: &mut RecallRequest| it.around_memory_id = -3) as &dyn Fn(&mut RecallRequest),
            "around_memory_id: must be a positive id, got -3",
        ),
        (
            &|it| it.anchor_filter = r#"{"kind": "stop"}"#.into(),
            "around_memory_id: give either a memory or anchor_filter, not both",
        ),
        (&|it| it.anchor_nth = 2, "anchor_nth: needs anchor_filter"),
        (&|it| it.before_count = 10_001, "before_count: must be 0 to 10000, got 10001"),
        (&|it| it.after_secs = -1.0, "after_secs: must be 0 to 10000000000, got -1"),
        (&|it| it.before_secs = f64::NAN, "before_secs: must be 0 to 10000000000, got NaN"),
        (&|it| it.nth = 2, "nth: needs order, newest, oldest"),
        (&|it| it.group_by = "day".into(), "group_by: needs order, newest, oldest"),
        (&|it| it.nth = 10_001, "nth: must be 0 to 10000, got 10001"),
    ] {
        assert_eq!(around(change), invalid(why));
    }
    let without = RecallRequest { after_count: 3, query: "box".into(), ..Default::default() };
    let why = "after_count: needs around_memory_id or anchor_filter";
    assert_eq!(robot.refused::<Recall>(without), invalid(why));
    let none = RecallRequest { around_memory_id: id + 1, ..Default::default() };
    let why = format!("around_memory_id: there is no memory {}", id + 1);
    assert_eq!(robot.refused::<Recall>(none), (ErrorKind::NotFound, why));
    let (kind, why) = robot
        .refused::<Recall>(RecallRequest { anchor_filter: "[1]".into(), ..Default::default() });
    assert!(kind == ErrorKind::InvalidArgument && why.starts_with("anchor_filter: "), "{why}");
}
