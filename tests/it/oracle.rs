//! Recall against brute force over all rows: every combination of query, filter, spatial sort,
//! session, time and confidence, while rows come, change and go.

use crate::robot::{DIMENSION, Robot, START, ids};
use proptest::prelude::*;
use robot_memory_core::api::{
    Forget, ForgetRequest, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    SpatialSort, StartSession, StartSessionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::Filter;
use robot_memory_embedding::{Embedder, HashedEmbedder};
use robot_memory_index::VectorIndex;
use robot_memory_text::inference;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const WORDS: [&str; 12] = [
    "red",
    "cup",
    "grip",
    "table",
    "door",
    "wet",
    "机器人",
    "抓取",
    "杯子",
    "slow",
    "left",
    "bolt",
];

/// What the session is for.
const TASK: &str = "door 杯子";

#[derive(Debug, Clone)]
struct Row {
    words: Vec<usize>,
    context: Value,
    in_session: bool,
    day: f64,
    fate: Fate,
}

#[derive(Debug, Clone)]
enum Fate {
    Stays,
    Forgotten,
    Updated(Vec<usize>, Value),
}

#[derive(Debug, Clone)]
struct Question {
    words: Vec<usize>,
    filter: Option<Value>,
    spatial: Option<(Vec<f64>, f64)>,
    in_session: bool,
    since_day: Option<f64>,
    n: u32,
    plain_rrf: bool,
}

fn text(words: &[usize]) -> String {
    let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
    format!("saw {}", words.join(" "))
}

fn context() -> impl Strategy<Value = Value> {
    let force = prop_oneof![
        (0..6).prop_map(|force| json!(force)),
        (0..12).prop_map(|force| json!(f64::from(force) / 2.0)),
        Just(json!("5")),
        Just(json!(true)),
        Just(Value::Null),
    ];
    let point = prop::collection::vec((-4..4).prop_map(f64::from), 0..4);
    let object = prop::option::weighted(0.3, 0..WORDS.len());
    (prop::option::of(force), prop::option::of(point), object, any::<bool>()).prop_map(
        |(force, point, object, real)| {
            let mut context = json!({"env": {"sim_or_real": if real { "real" } else { "sim" }}});
            if let Some(force) = force {
                context["params"]["force"]["value"] = force;
            }
            if let Some(point) = point {
                context["spatial"]["at"] = json!(point);
            }
            if let Some(object) = object {
                context["task"]["object"] = json!(WORDS[object]);
            }
            context
        },
    )
}

fn words(least: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..WORDS.len(), least..6)
}

fn row() -> impl Strategy<Value = Row> {
    let fate = prop_oneof![
        6 => Just(Fate::Stays),
        1 => Just(Fate::Forgotten),
        1 => (words(1), context()).prop_map(|(words, context)| Fate::Updated(words, context)),
    ];
    (words(1), context(), any::<bool>(), 0..8, fate).prop_map(
        |(words, context, in_session, day, fate)| Row {
            words,
            context,
            in_session,
            day: f64::from(day),
            fate,
        },
    )
}

fn question() -> impl Strategy<Value = Question> {
    let filter = prop_oneof![
        Just(json!({"params.force.value": 3})),
        Just(json!({"params.force.value": {"$ne": 3}})),
        Just(json!({"params.force.value": {"$gte": 1.0, "$lt": 4.5}})),
        Just(json!({"params.force.value": "5"})),
        Just(json!({"params.force.value": null})),
        Just(json!({"env.sim_or_real": "real", "params.force.value": {"$lte": 2}})),
    ];
    let point = prop::collection::vec((-4..4).prop_map(f64::from), 1..4);
    let spatial = (point, prop_oneof![Just(0.0), Just(1.0), Just(2.5)]);
    (
        words(0),
        prop::option::of(filter),
        prop::option::of(spatial),
        any::<bool>(),
        prop::option::of((0..8).prop_map(f64::from)),
        1..9_u32,
        any::<bool>(),
    )
        .prop_map(|(words, filter, spatial, in_session, since_day, n, plain_rrf)| Question {
            words,
            filter,
            spatial,
            in_session,
            since_day,
            n,
            plain_rrf,
        })
        .prop_filter("something must be asked", |question| {
            !question.words.is_empty()
                || question.filter.is_some()
                || question.spatial.is_some()
                || question.in_session
                || question.since_day.is_some()
        })
}

/// A row as it is in the end.
struct Known {
    id: i64,
    text: String,
    context: Value,
    in_session: bool,
    day: f64,
}

fn start_session(robot: &Robot) -> String {
    let context = json!({"task": {"name": TASK}}).to_string();
    let request = StartSessionRequest { context, ..Default::default() };
    robot.call::<StartSession>(request).session_id
}

fn fill(robot: &Robot, session: &str, rows: &[Row]) -> Vec<Known> {
    let mut known = Vec::new();
    for row in rows {
        robot.clock.set(START.plus_days(row.day));
        let id = robot
            .call::<SavePerception>(SavePerceptionRequest {
                description: text(&row.words),
                context: row.context.to_string(),
                session_id: if row.in_session { session.into() } else { String::new() },
                ..Default::default()
            })
            .memory_id;
        let (mut words, mut context) = (row.words.clone(), row.context.clone());
        match &row.fate {
            Fate::Stays => {}
            Fate::Forgotten => {
                robot.call::<Forget>(ForgetRequest {
                    memory_id: id,
                    reason: "wrong".into(),
                    scope: String::new(),
                    agent: String::new(),
                });
                continue;
            }
            Fate::Updated(other_words, other_context) => {
                (words, context) = (other_words.clone(), other_context.clone());
                robot.call::<Update>(UpdateRequest {
                    memory_id: id,
                    new_content: text(&words),
                    context: context.to_string(),
                    scope: String::new(),
                    agent: String::new(),
                });
            }
        }
        let (in_session, day) = (row.in_session, row.day);
        known.push(Known { id, text: text(&words), context, in_session, day });
    }
    known
}

fn ask(robot: &Robot, session: &str, question: &Question) -> (Vec<i64>, u64) {
    let response = robot.call::<Recall>(RecallRequest {
        query: if question.words.is_empty() { String::new() } else { text(&question.words) },
        context_filter: question.filter.as_ref().map(Value::to_string).unwrap_or_default(),
        spatial_sort: question.spatial.as_ref().map(|(target, max_distance)| SpatialSort {
            field: "spatial.at".into(),
            target: target.clone(),
            max_distance: *max_distance,
            ..SpatialSort::default()
        }),
        session_id: if question.in_session { session.into() } else { String::new() },
        since: question.since_day.map(|day| START.plus_days(day)),
        n: question.n,
        diversity: false,
        ranking: if question.plain_rrf { "rrf".into() } else { String::new() },
        ..Default::default()
    });
    (ids(&response), response.total)
}

/// All rows that Recall may answer with in their order, each with its score when the order goes by one that
/// is calculated, and how many they are, in the plainest way.
fn expected(known: &[Known], question: &Question, with_vectors: bool) -> (Vec<Ranked>, u64) {
    let filter = question
        .filter
        .as_ref()
        .map(|filter| Filter::parse(&filter.to_string()).expect("the filter is well formed"));
    let allowed: Vec<&Known> = known
        .iter()
        .filter(|row| filter.as_ref().is_none_or(|filter| filter.matches(&row.context)))
        .filter(|row| row.in_session || !question.in_session)
        .filter(|row| question.since_day.is_none_or(|day| row.day >= day))
        .collect();
    if let Some((target, max_distance)) = &question.spatial {
        return by_distance(&allowed, target, *max_distance);
    }
    if question.words.is_empty() {
        let mut rows = allowed;
        rows.sort_by(|a, b| b.day.total_cmp(&a.day).then(b.id.cmp(&a.id)));
        let total = rows.len() as u64;
        return (rows.iter().map(|row| (row.id, None)).collect(), total);
    }
    by_query(known, &allowed, question, with_vectors)
}

/// A row, and the least and the most that the score may be which it is ranked by.
type Ranked = (i64, Option<(f64, f64)>);

/// Scores that differ by no more may be in either order, by how the last bits are rounded.
const ROUNDING: f64 = 1e-6;

fn by_distance(allowed: &[&Known], target: &[f64], max: f64) -> (Vec<Ranked>, u64) {
    let mut found: Vec<(f64, i64)> = Vec::new();
    for row in allowed {
        let Some(point) = row.context["spatial"]["at"].as_array() else { continue };
        let point: Vec<f64> = point.iter().filter_map(Value::as_f64).collect();
        if point.len() == target.len() {
            let squares = point.iter().zip(target).map(|(a, b)| (a - b) * (a - b));
            let distance = squares.sum::<f64>().sqrt();
            if max == 0.0 || distance <= max {
                found.push((distance, row.id));
            }
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let total = found.len() as u64;
    (found.into_iter().map(|(_, id)| (id, None)).collect(), total)
}

fn by_query(
    known: &[Known],
    allowed: &[&Known],
    question: &Question,
    with_vectors: bool,
) -> (Vec<Ranked>, u64) {
    let query = text(&question.words);
    let mut terms = inference::query_terms(&query, &inference::Synonyms::shipped());
    inference::or_named(&mut terms);
    // What a row is found by: its words, and the names in its context and in its session's.
    let found_by = |row: &Known| {
        let own = inference::tokens(&row.text);
        let object = row.context["task"]["object"].as_str();
        let names = object.into_iter().chain(row.in_session.then_some(TASK));
        let named = inference::name_tokens(names);
        (row.id, [own, named].concat())
    };
    let documents: BTreeMap<i64, Vec<String>> = known.iter().map(found_by).collect();
    let length = |document: &[String]| f64::from(inference::word_count(document));
    let n = documents.len() as f64;
    let mean = (documents.values().map(|it| length(it)).sum::<f64>() / n).max(1.0);
    let idf = |df: f64| (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
    let count = |document: &[String], token: &String| {
        document.iter().filter(|word| *word == token).count() as f64
    };
    // An alternative is as frequent as the least frequent of its tokens, and as rare as the rarest.
    let df = |alternative: &inference::TermAlternative| {
        let of = |token| documents.values().filter(|d| count(d, token) > 0.0).count() as f64;
        alternative.tokens.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    // A term is as frequent as its most common alternative in texts, and in names where no text has one.
    let df_of = |term: &inference::QueryTerm| {
        let of = |is_name| {
            let ways = term.alternatives.iter().filter(|way| way.is_name == is_name);
            ways.map(df).fold(0.0, f64::max)
        };
        if of(false) > 0.0 { of(false) } else { of(true) }
    };
    let covers = |term: &inference::QueryTerm| term.weight * idf(df_of(term));
    let all: f64 = terms.iter().map(covers).sum();
    let coverage_in_context = |around: &[(&Known, f64)]| {
        let mut covered = 0.0;
        for term in &terms {
            let mut share = 0.0_f64;
            for alternative in &term.alternatives {
                let occurs = |row: &Known| {
                    let tokens = alternative.tokens.iter();
                    tokens.map(|it| count(&documents[&row.id], it)).fold(f64::INFINITY, f64::min)
                };
                let weighted: f64 = around.iter().map(|(row, counts)| counts * occurs(row)).sum();
                let told = (weighted * 4.2 / (3.0 * (weighted + 1.2))).min(1.0);
                share = share.max(alternative.weight * told);
            }
            covered += covers(term) * share;
        }
        covered / all
    };

    let mut words: Vec<(f64, f64, i64)> = Vec::new();
    let mut codes: BTreeMap<i64, usize> = BTreeMap::new();
    let is_code = |term: &inference::QueryTerm| term.words.contains(|c: char| c.is_numeric());
    let code_count = terms.iter().filter(|term| is_code(term)).count();
    for row in allowed {
        let document = &documents[&row.id];
        let (mut score, mut covered) = (0.0, 0.0);
        for term in &terms {
            let (mut best, mut share) = (0.0_f64, 0.0_f64);
            for alternative in &term.alternatives {
                let counts = alternative.tokens.iter().map(|token| count(document, token));
                let tf = counts.fold(f64::INFINITY, f64::min);
                if tf > 0.0 {
                    let norm = 1.2 * (1.0 - 0.75 + 0.75 * length(document) / mean);
                    let df = if alternative.is_name { df_of(term) } else { df(alternative) };
                    let bm25 = idf(df) * tf * 2.2 / (tf + norm);
                    best = best.max(alternative.weight * bm25);
                    share = share.max(alternative.weight);
                }
            }
            score += term.weight * best;
            covered += covers(term) * share;
            if share > 0.0 && is_code(term) {
                *codes.entry(row.id).or_default() += 1;
            }
        }
        if score > 0.0 {
            // Sums in another order differ in the last bits; what is equal but for these is equal.
            let score = (score * 1e9).round() / 1e9;
            words.push((score, covered / all, row.id));
        }
    }
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    let word_total = words.len();

    let embedder = HashedEmbedder::new(DIMENSION);
    let mut vectors: Vec<(f32, i64)> = Vec::new();
    if with_vectors {
        let query = embedder.embed(&query).expect("a vector");
        for row in allowed {
            let vector = embedder.embed(&row.text).expect("a vector");
            let cosine = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
            vectors.push((cosine, row.id));
        }
        vectors.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    }
    let is_real = |id: i64| {
        let row = known.iter().find(|row| row.id == id).expect("it is known");
        row.context["env"]["sim_or_real"] == "real"
    };
    let weight = |id: i64| if is_real(id) { 1.5 } else { 1.0 };
    // With vectors there are no more rows than a list takes.
    let list_len = if question.plain_rrf { 64 } else { 40 } + 2 * question.n as usize;
    let heads = || words.iter().take(list_len);
    let listed: BTreeSet<i64> =
        heads().map(|hit| hit.2).chain(vectors.iter().map(|hit| hit.1)).collect();
    // Each row has one of the words: the one that all texts begin with.
    let total = word_total.max(listed.len()) as u64;
    let cosine = |id: i64| vectors.iter().find(|hit| hit.1 == id).map(|hit| hit.0);
    let bm25 = |id: i64| words.iter().find(|hit| hit.2 == id).map_or(0.0, |hit| hit.0);
    if question.plain_rrf {
        let mut fused: BTreeMap<i64, f64> = BTreeMap::new();
        let mut bounds: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
        let by_words: Vec<(f64, i64)> = heads().map(|hit| (hit.0, hit.2)).collect();
        let by_vectors = vectors.iter().map(|hit| (f64::from(hit.0), hit.1)).collect();
        for list in [by_words, by_vectors] {
            for (rank, &(score, id)) in list.iter().enumerate() {
                let share = |rank: usize| 1.0 / (61.0 + rank as f64);
                *fused.entry(id).or_default() += share(rank);
                // Rows of about one score may have each other's ranks.
                let is_tied = |other: &(f64, i64)| (other.0 - score).abs() <= ROUNDING;
                let (least, most) = bounds.entry(id).or_default();
                *least += share(list.iter().rposition(is_tied).unwrap_or(rank));
                *most += share(list.iter().position(is_tied).unwrap_or(rank));
            }
        }
        let mut fused: Vec<(f64, i64)> =
            fused.into_iter().map(|(id, score)| (weight(id) * score, id)).collect();
        // Of equal scores the more similar, then the one with the better words, then the older.
        fused.sort_by(|a, b| {
            let more_similar = cosine(b.1).unwrap_or(-2.0).total_cmp(&cosine(a.1).unwrap_or(-2.0));
            let better = b.0.total_cmp(&a.0).then(more_similar);
            better.then(bm25(b.1).total_cmp(&bm25(a.1))).then(a.1.cmp(&b.1))
        });
        let bounds = |id: i64| (weight(id) * bounds[&id].0, weight(id) * bounds[&id].1);
        return (fused.into_iter().map(|(_, id)| (id, Some(bounds(id)))).collect(), total);
    }

    // The admitted rows beside one in its session, and what their words count for it.
    let around = |id: i64| -> Vec<(&Known, f64)> {
        let Some(row) = known.iter().find(|row| row.id == id) else { return Vec::new() };
        let of_session = || known.iter().filter(|other| other.in_session && row.in_session);
        let is_admitted = |row: &&Known| allowed.iter().any(|other| other.id == row.id);
        let before: Vec<&Known> = of_session().filter(|other| other.id < id).collect();
        let before = before.into_iter().rev().take(64).filter(is_admitted).zip([1.0, 0.5]);
        let after = of_session().filter(|other| other.id > id).take(64);
        let after = after.filter(is_admitted).zip([1.0, 0.5]);
        let beside = before.chain(after).map(|(other, counts)| {
            let secs_apart = (row.day - other.day).abs() * 86_400.0;
            (other, counts / (1.0 + secs_apart / 600.0))
        });
        beside.chain([(row, 3.0)]).collect()
    };
    let estimates = if with_vectors { estimates(&query, known) } else { Vec::new() };
    let covered: BTreeMap<i64, f64> =
        allowed.iter().map(|row| (row.id, coverage_in_context(&around(row.id)))).collect();
    let relevance = |id: i64| {
        let coverage = words.iter().find(|hit| hit.2 == id).map_or(0.0, |hit| hit.1);
        let has_codes = codes.get(&id).map_or(0.0, |count| *count as f64 / code_count as f64);
        let words = 0.8 * covered[&id].powf(1.5) + 0.15 * has_codes;
        let Some(own) = cosine(id).map(f64::from) else {
            return 0.8 * coverage.min(0.5) + words;
        };
        // The similarity of what is beside it counts as it is in eight bits a component.
        let (mut sum, mut weights) = (3.0 * own, 3.0);
        for (row, counts) in around(id).into_iter().filter(|(row, _)| row.id != id) {
            let similar = estimates[known.iter().position(|it| it.id == row.id).unwrap()];
            sum += counts * f64::from(similar.unwrap());
            weights += counts;
        }
        (own + sum / weights) / 2.0 + words
    };
    // Beside those with the best words are rows that have the words together with these.
    let mut drawn_in: BTreeSet<i64> =
        heads().flat_map(|hit| around(hit.2)).map(|(row, _)| row.id).collect();
    drawn_in.retain(|id| !listed.contains(id) && covered[id] >= 0.3);
    let mut drawn_in: Vec<i64> = drawn_in.into_iter().collect();
    drawn_in.sort_by(|a, b| covered[b].total_cmp(&covered[a]).then(a.cmp(b)));
    let listed: BTreeSet<i64> = drawn_in.into_iter().take(list_len).chain(listed).collect();
    // The rows before and after one, and how much of their odds it gets.
    let beside = |id: i64| -> Vec<(i64, f64)> {
        let others = around(id).into_iter().map(|(row, _)| row.id).filter(|other| *other != id);
        let (before, after): (Vec<i64>, Vec<i64>) = others.partition(|other| *other < id);
        let before = before.into_iter().zip([0.25, 0.15]);
        before.chain(after.into_iter().zip([0.1, 0.05])).collect()
    };
    let day = |id: i64| known.iter().find(|row| row.id == id).map_or(0.0, |row| row.day);
    let ranked = |ids: &BTreeSet<i64>| -> Vec<Ranked> {
        let odds = |id: i64| {
            let of = |id: i64| (relevance(id) / 0.1).exp();
            let shared = beside(id)
                .into_iter()
                .filter(|(id, _)| ids.contains(id))
                .map(|(id, share)| share * of(id));
            weight(id) * (of(id) + shared.sum::<f64>())
        };
        let mut ranked: Vec<(i64, f64)> = ids.iter().map(|id| (*id, odds(*id))).collect();
        // Of equal odds the one with the better words, then the newest, then the older row.
        ranked.sort_by(|&(a, odds_a), &(b, odds_b)| {
            let better = odds_b.total_cmp(&odds_a).then(bm25(b).total_cmp(&bm25(a)));
            better.then(day(b).total_cmp(&day(a))).then(a.cmp(&b))
        });
        ranked.into_iter().map(|(id, odds)| (id, Some((odds, odds)))).collect()
    };
    let best = ranked(&listed).into_iter().take(20);
    let beside_best = best.flat_map(|(id, _)| beside(id)).map(|(id, _)| id);
    let all: BTreeSet<i64> = beside_best.chain(listed.iter().copied()).collect();
    (ranked(&all), total)
}

/// The similarity of each row, as the index sees it.
fn estimates(query: &str, known: &[Known]) -> Vec<Option<f32>> {
    let embedder = HashedEmbedder::new(DIMENSION);
    let mut index = VectorIndex::new(DIMENSION);
    for (row, place) in known.iter().zip(0..) {
        index.put(place, &embedder.embed(&row.text).expect("a vector")).expect("it fits");
    }
    let places: Vec<u32> = (0..).take(known.len()).collect();
    index.estimates(&places, &embedder.embed(query).expect("a vector"))
}

/// Whether the rows found are the first of the right ones, but for places where brute force and the engine
/// round differently: among rows of one score, and among those that say the same words, whose ranks in a
/// list go by the last bits.
fn same_but_for_rounding(known: &[Known], found: &[i64], right: &[Ranked], n: u32) -> bool {
    let bag = |id: i64| {
        let row = known.iter().find(|row| row.id == id).expect("it is known");
        let mut tokens = inference::tokens(&row.text);
        tokens.sort();
        (tokens, row.context["env"]["sim_or_real"].to_string())
    };
    let score_of = |id: i64| right.iter().find(|row| row.0 == id)?.1;
    let is_once = found.iter().collect::<BTreeSet<_>>().len() == found.len();
    let first = right.iter().take(n as usize);
    let same = |(&found, &(right, score)): (&i64, &Ranked)| {
        let tied = score_of(found)
            .zip(score)
            .is_some_and(|(a, b)| a.0 - b.1 <= ROUNDING * b.1 && b.0 - a.1 <= ROUNDING * b.1);
        found == right || tied || bag(found) == bag(right)
    };
    is_once && found.len() == first.len() && found.iter().zip(first).all(same)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn recall_agrees_with_brute_force(
        rows in prop::collection::vec(row(), 1..40),
        questions in prop::collection::vec(question(), 1..12),
        with_vectors in any::<bool>(),
        restart in any::<bool>(),
    ) {
        let robot = if with_vectors { Robot::new() } else { Robot::words_only() };
        let session = start_session(&robot);
        // The first question builds its indexes before the rows come, so they must follow.
        let early = questions.first().map(|question| ask(&robot, &session, question));
        prop_assert_eq!(early, Some((Vec::new(), 0)));
        let known = fill(&robot, &session, &rows);
        let robot = if restart { robot.restart() } else { robot };
        for question in &questions {
            let (found, total) = ask(&robot, &session, question);
            let (right, right_total) = expected(&known, question, with_vectors);
            prop_assert!(
                same_but_for_rounding(&known, &found, &right, question.n),
                "{question:?}\nfound {found:?}\nright {right:?}"
            );
            prop_assert_eq!(total, right_total, "{:?}", question);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// More rows than a list takes, so that some come in by what stands beside them.
    #[test]
    fn recall_of_many_rows_agrees_with_brute_force(
        rows in prop::collection::vec(row(), 90..160),
        questions in prop::collection::vec(question(), 1..12),
    ) {
        let robot = Robot::words_only();
        let session = start_session(&robot);
        let known = fill(&robot, &session, &rows);
        for question in &questions {
            let (found, total) = ask(&robot, &session, question);
            let (right, right_total) = expected(&known, question, false);
            prop_assert!(
                same_but_for_rounding(&known, &found, &right, question.n),
                "{question:?}\nfound {found:?}\nright {right:?}"
            );
            prop_assert_eq!(total, right_total, "{:?}", question);
        }
    }
}
