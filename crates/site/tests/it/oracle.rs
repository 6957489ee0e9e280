//! Recall against brute force, over random claims and requests.

use crate::claims::{BEGIN, Chances, at, of, says, vector, with};
use crate::server::Server;
use robot_memory_core::api::{CountBy, Hit, Mode, RecallRequest};
use robot_memory_core::claim::Claim;
use robot_memory_core::model::{Category, Filter, Kind, MemType, Stamp};
use robot_memory_site::{Scopes, SiteStore};
use robot_memory_text::inference::{self, QueryTerm, Synonyms};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const SCOPES: [&str; 4] = ["global", "group:a", "group:b", "group:it's \"{odd}, \\one\""];
const COLLECTIONS: [&str; 3] = ["default", "lab", "a'b"];
const WORDS: [&str; 12] = [
    "cup",
    "glass",
    "door",
    "gripper",
    "slips",
    "breaks",
    "force",
    "13 N",
    "夹爪",
    "电池低",
    "charging",
    "shelf",
];

/// What the store must know: a statement in a scope.
struct Row {
    scope: String,
    key: (String, String, &'static str, &'static str, String),
    content: String,
    collection: String,
    kind: Kind,
    created_at: i64,
    context: Value,
    tokens: BTreeSet<String>,
    token_count: usize,
    vector: Option<Vec<f32>>,
    tellers: BTreeSet<String>,
    independent: BTreeSet<String>,
}

fn claim(chances: &mut Chances, number: i64) -> Claim {
    let origin = format!("arm-{}", chances.below(6));
    let words: Vec<&str> = (0..1 + chances.below(4)).map(|_| *chances.of(&WORDS)).collect();
    let context = match chances.below(5) {
        0 => String::new(),
        _ => context(chances).to_string(),
    };
    with(says(&origin, number, 1, &words.join(" ")), |it| {
        it.scope = (*chances.of(&SCOPES)).to_owned();
        it.collection = (*chances.of(&COLLECTIONS)).to_owned();
        it.kind = *chances.of(&[Kind::Fact, Kind::Summary, Kind::Perception]);
        it.mem_type = *chances.of(&[MemType::Fact, MemType::Lesson, MemType::TaskLog]);
        it.category = Some(*chances.of(&[Category::Observation, Category::Constraint]));
        // No two at one time; over three months, in no order.
        it.created_at = Stamp::from_secs(BEGIN + number * 7_919 % 8_000_000);
        it.context = context;
        if chances.one_in(4) {
            it.roots = vec![of("arm-0", 1)];
        }
        let components: Vec<f32> = (0..4).map(|_| chances.below(9) as f32 - 4.0).collect();
        if components.iter().any(|it| *it != 0.0) && !chances.one_in(6) {
            it.vector = vector(&components);
        }
    })
}

fn context(chances: &mut Chances) -> Value {
    let number = |chances: &mut Chances| {
        chances
            .of(&[
                json!(1),
                json!(1.0),
                json!(2.5),
                json!(-3),
                json!(9_007_199_254_740_993_i64),
                json!(1e300),
            ])
            .clone()
    };
    let mut all = json!({"params": {"force": number(chances), "list": [number(chances), {"x": number(chances)}]}});
    if chances.one_in(2) {
        all["task"] = json!({"name": chances.of(&["pick", "place", "Pick", "ä", "it's"]), "ok": chances.one_in(2)});
    }
    if chances.one_in(3) {
        all["note"] =
            chances.of(&[Value::Null, json!(true), json!("1"), json!([1, 2]), json!({})]).clone();
    }
    if chances.one_in(3) {
        all["list"] = json!([{"-1": 5}, number(chances)]);
        all["-1"] = number(chances);
    }
    if chances.one_in(2) {
        all["spatial"] = json!({"map_id": chances.of(&["hall", "yard"]), "position": [1.0, 2, chances.below(2)]});
    }
    all
}

fn filter(chances: &mut Chances) -> String {
    let mut conditions = serde_json::Map::new();
    for _ in 0..1 + chances.below(2) {
        let paths = [
            "params.force",
            "params.list.1.x",
            "params.list.0",
            "params.list.-1",
            "task.name",
            "task.ok",
            "note",
            "list.-1",
            "-1",
            "list.+1",
            "list.0.-1",
            "spatial.position",
            "spatial.position.2",
            "spatial",
            "none.at.all",
            "list. 1",
            "params.list.99999999999",
        ];
        let operand = match chances.below(6) {
            0 => json!(chances.of(&["pick", "Pick", "place", "ä", "it's", "1"])),
            1 => json!(chances.one_in(2)),
            2 => Value::Null,
            3 => chances.of(&[json!([1, 2]), json!([1, 2, 0]), json!([1.0, 2.0, 1])]).clone(),
            _ => chances
                .of(&[
                    json!(1),
                    json!(1.0),
                    json!(2.5),
                    json!(5),
                    json!(9_007_199_254_740_992_i64),
                    json!(-1e300),
                ])
                .clone(),
        };
        let ordered = operand.is_number() || operand.is_string();
        let condition = match chances.below(if ordered { 6 } else { 2 }) {
            0 => operand,
            1 => json!({"$ne": operand}),
            2 => json!({"$lt": operand}),
            3 => json!({"$lte": operand}),
            4 => json!({"$gt": operand}),
            _ => json!({"$gte": operand, "$ne": 1}),
        };
        conditions.insert((*chances.of(&paths)).to_owned(), condition);
    }
    Value::Object(conditions).to_string()
}

/// The rows that the claims make.
fn rows(claims: &[Claim]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for claim in claims {
        let said = claim.statement.as_ref().unwrap();
        let unique = if said.mem_type == MemType::TaskLog {
            format!("{} {} {}", said.collection, claim.origin, claim.memory_id)
        } else {
            said.collection.clone()
        };
        let category = said.category.unwrap().as_str();
        let key =
            (said.content.clone(), said.context.clone(), said.mem_type.as_str(), category, unique);
        let own = said.roots.iter().any(|root| root.origin == claim.origin);
        let known = rows.iter_mut().position(|row| row.key == key && row.scope == said.scope);
        let at = known.unwrap_or_else(|| {
            let tokens = inference::tokens(&said.content);
            rows.push(Row {
                scope: said.scope.clone(),
                key,
                content: said.content.clone(),
                collection: said.collection.clone(),
                kind: said.kind,
                created_at: said.created_at.0,
                context: serde_json::from_str(&said.context).unwrap_or(json!({})),
                token_count: tokens.len(),
                tokens: tokens.into_iter().collect(),
                vector: said.vector.as_ref().and_then(|it| it.components()),
                tellers: BTreeSet::new(),
                independent: BTreeSet::new(),
            });
            rows.len() - 1
        });
        rows[at].tellers.insert(claim.origin.clone());
        if own {
            rows[at].independent.insert(claim.origin.clone());
        }
    }
    rows
}

fn is_readable(scope: &str, readable: &Scopes) -> bool {
    match readable {
        Scopes::All => true,
        Scopes::Only(scopes) => scopes.iter().any(|it| it == scope),
    }
}

/// The rows that pass, equal ones as one: the first in the order.
fn expected<'r>(rows: &'r [Row], request: &RecallRequest, readable: &Scopes) -> Vec<&'r Row> {
    let filter = (!request.context_filter.is_empty())
        .then(|| Filter::parse(&request.context_filter).unwrap());
    let passes = |row: &&Row| {
        is_readable(&row.scope, readable)
            && (request.scope.is_empty() || request.scope == row.scope)
            && request.since.is_none_or(|since| row.created_at >= since.0)
            && request.until.is_none_or(|until| row.created_at < until.0)
            && (request.types.is_empty() || request.types.iter().any(|it| it == row.kind.as_str()))
            && (request.collections.is_empty() || request.collections.contains(&row.collection))
            && request.min_confidence <= 0.5
            && filter.as_ref().is_none_or(|it| it.matches(&row.context))
    };
    let mut passing: Vec<&Row> = rows.iter().filter(passes).collect();
    passing.sort_by_key(|row| row.created_at);
    if request.order != "oldest" {
        passing.reverse();
    }
    let mut seen = BTreeSet::new();
    passing.retain(|row| seen.insert(&row.key));
    passing
}

fn request(chances: &mut Chances) -> RecallRequest {
    let mut request = RecallRequest {
        n: 1 + chances.below(40) as u32,
        since: Some(Stamp(0)),
        ..Default::default()
    };
    if chances.one_in(2) {
        request.context_filter = filter(chances);
    }
    if chances.one_in(3) {
        request.map_id = "hall".into();
    }
    if chances.one_in(3) {
        request.since = Some(Stamp::from_secs(BEGIN + chances.below(8_000_000) as i64));
    }
    if chances.one_in(3) {
        let since = request.since.unwrap().0;
        request.until = Some(Stamp(since + 1 + chances.below(4_000_000) as i64 * 1_000_000_000));
    }
    if chances.one_in(3) {
        request.types =
            vec![(*chances.of(&["fact", "summary", "perception"])).into(), "fact".into()];
    }
    if chances.one_in(3) {
        request.collections = vec![(*chances.of(&COLLECTIONS)).into(), "nowhere".into()];
    }
    if chances.one_in(4) {
        request.scope = (*chances.of(&SCOPES)).into();
    }
    request.order = (*chances.of(&["", "newest", "oldest"])).into();
    request.min_confidence = *chances.of(&[0.3, 0.0, 0.5, 0.3, 0.3, 0.51]);
    request
}

fn readable(chances: &mut Chances) -> Scopes {
    match chances.below(3) {
        0 => Scopes::All,
        _ => Scopes::Only(
            SCOPES.iter().filter(|_| chances.one_in(2)).map(|it| (*it).to_owned()).collect(),
        ),
    }
}

fn filled(server: &Server, chances: &mut Chances) -> (SiteStore, Vec<Row>) {
    let claims: Vec<Claim> = (1..=1_200).map(|number| claim(chances, number)).collect();
    let store = server.store();
    for (part, claims) in claims.chunks(400).enumerate() {
        assert_eq!(store.take(claims, &at(part as u64 + 1)).unwrap().refused, []);
    }
    let rows = rows(&claims);
    (store, rows)
}

/// The filter on the map is a condition as well.
fn with_map(mut request: RecallRequest) -> RecallRequest {
    if !request.map_id.is_empty() {
        let mut filter: Value = match request.context_filter.is_empty() {
            true => json!({}),
            false => serde_json::from_str(&request.context_filter).unwrap(),
        };
        filter["spatial.map_id"] = json!(request.map_id);
        request.context_filter = filter.to_string();
    }
    request
}

fn told(rows: &[Row], row: &Row, readable: &Scopes) -> (Vec<String>, u32) {
    let equal = rows.iter().filter(|it| it.key == row.key && is_readable(&it.scope, readable));
    let (mut tellers, mut independent) = (BTreeSet::new(), BTreeSet::new());
    for row in equal {
        tellers.extend(row.tellers.iter().cloned());
        independent.extend(row.independent.iter().cloned());
    }
    (tellers.into_iter().collect(), independent.len() as u32)
}

#[test]
fn filters_are_those_of_brute_force() {
    let server = Server::start();
    let mut chances = Chances::new();
    let (store, rows) = filled(&server, &mut chances);
    let mut nonempty = 0;
    for number in 0..600 {
        let (mut request, readable) = (request(&mut chances), readable(&mut chances));
        request.count_by = (*chances.of(&["", "day", "hour"])).into();
        request.utc_offset_secs = *chances.of(&[0, 3_600, -50_400]);
        let all = expected(&rows, &with_map(request.clone()), &readable);
        let found = store.recall(&request, None, &readable).unwrap();
        let context = format!("{number}: {request:?} for {readable:?}");
        assert_eq!(found.total, all.len() as u64, "{context}");
        assert_eq!(found.mode, Mode::FilterOnly);
        assert!(!found.approximate);
        let shown: Vec<(i64, String)> = found
            .memories
            .iter()
            .map(|hit| (hit.memory.created_at.0, hit.memory.content.clone()))
            .collect();
        let wanted: Vec<(i64, String)> = all
            .iter()
            .take(request.n as usize)
            .map(|row| (row.created_at, row.content.clone()))
            .collect();
        assert_eq!(shown, wanted, "{context}");
        for (hit, row) in found.memories.iter().zip(&all) {
            let (tellers, independent_count) = told(&rows, row, &readable);
            assert_eq!(
                (&hit.why.told_by, hit.why.independent_count),
                (&tellers, independent_count),
                "{context}"
            );
        }
        if let Some(by) = CountBy::parse(&request.count_by) {
            let newest = expected(
                &rows,
                &with_map(RecallRequest { order: "newest".into(), ..request.clone() }),
                &readable,
            );
            let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
            let (secs, name): (i64, fn(i64) -> String) = if by == CountBy::Hour {
                (3_600, Stamp::name_of_hour)
            } else {
                (86_400, Stamp::date_of_day)
            };
            for row in newest {
                let local =
                    row.created_at.div_euclid(1_000_000_000) + i64::from(request.utc_offset_secs);
                *counts.entry(local.div_euclid(secs)).or_default() += 1;
            }
            let wanted: Vec<(String, u64)> =
                counts.into_iter().map(|(period, count)| (name(period), count)).collect();
            let counted: Vec<(String, u64)> =
                found.counts.into_iter().map(|it| (it.key, it.count)).collect();
            assert_eq!(counted, wanted, "{context}");
        }
        nonempty += usize::from(!all.is_empty());
    }
    assert!(nonempty > 100, "{nonempty}");
}

/// What the words of each row count, as the documentation says.
fn word_score(rows: &[Row], row: &Row, terms: &[QueryTerm], readable: &Scopes) -> f64 {
    let seen: Vec<&Row> = rows.iter().filter(|it| is_readable(&it.scope, readable)).collect();
    let mean =
        seen.iter().map(|it| it.token_count).sum::<usize>() as f64 / seen.len().max(1) as f64;
    let count = |token: &String| seen.iter().filter(|it| it.tokens.contains(token)).count() as f64;
    let mut sum = 0.0;
    for term in terms {
        let mut best = 0.0_f64;
        for way in &term.alternatives {
            if way.tokens.iter().all(|it| row.tokens.contains(it)) {
                let least = way.tokens.iter().map(count).fold(f64::INFINITY, f64::min);
                let idf = ((seen.len() as f64 - least + 0.5) / (least + 0.5)).ln_1p();
                best = best.max(term.weight * way.weight * idf);
            }
        }
        sum += best;
    }
    sum * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * row.token_count as f64 / mean))
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Checks that a list is in the order of the scores, which may be rounded, and has the best of all.
fn check_list(hits: &[(&Hit, u32)], all: &HashMap<i64, f64>, context: &str) {
    let mut listed: Vec<(u32, i64)> = hits
        .iter()
        .filter(|it| it.1 > 0)
        .map(|(hit, rank)| (*rank, hit.memory.created_at.0))
        .collect();
    listed.sort_unstable();
    for pair in listed.windows(2) {
        let (a, b) = (all[&pair[0].1], all[&pair[1].1]);
        assert!(a >= b - 1e-6, "{a} before {b}: {context}");
        assert!(
            a > b + 1e-9 || a < b - 1e-9 || pair[0].1 > pair[1].1 || (a - b).abs() > 0.0,
            "a tie by time: {context}"
        );
    }
    for (rank, time) in &listed {
        let better = all.values().filter(|it| **it > all[time] + 1e-6).count();
        assert!(better < *rank as usize, "rank {rank}, and {better} are better: {context}");
    }
}

#[test]
fn rankings_are_those_of_brute_force() {
    let server = Server::start();
    let mut chances = Chances::new();
    let (store, rows) = filled(&server, &mut chances);
    let synonyms = Synonyms::shipped();
    let mut modes = BTreeSet::new();
    for number in 0..300 {
        let (mut request, readable) = (request(&mut chances), readable(&mut chances));
        request.order = String::new();
        let words = [
            "",
            "cup",
            "which glass breaks",
            "夹爪 force",
            "13 N",
            "zebra",
            "电池低 charging cup shelf",
        ];
        request.query = (*chances.of(&words)).to_owned();
        let components: Vec<f32> = (0..4).map(|_| chances.below(9) as f32 - 4.0).collect();
        let is_vector = components.iter().any(|it| *it != 0.0) && chances.one_in(2);
        let vector = is_vector.then_some(("test-model", components.as_slice()));
        if request.query.is_empty() && vector.is_none() {
            continue;
        }
        let context = format!("{number}: {request:?}, {vector:?} for {readable:?}");
        let passing = expected(&rows, &with_map(request.clone()), &readable);
        let found = store.recall(&request, vector, &readable).unwrap();
        assert!(!found.approximate, "{context}");
        let terms = inference::query_terms(&request.query, &synonyms);
        let by_words: HashMap<i64, f64> = passing
            .iter()
            .map(|row| (row.created_at, word_score(&rows, row, &terms, &readable)))
            .filter(|it| it.1 > 0.0)
            .collect();
        let mut by_vector: HashMap<i64, f64> = HashMap::new();
        if is_vector {
            for row in &passing {
                if let Some(vector) = &row.vector {
                    by_vector.insert(row.created_at, cosine(vector, &components));
                }
            }
        }
        modes.insert(found.mode.as_str());
        let is_in_order = found.memories.windows(2).all(|pair| pair[0].score >= pair[1].score);
        assert!(is_in_order, "{context}");
        for hit in &found.memories {
            let time = hit.memory.created_at.0;
            if hit.why.word_rank > 0 {
                let score =
                    by_words.get(&time).unwrap_or_else(|| panic!("{time} has no word: {context}"));
                assert!(
                    (hit.why.word_score - score).abs() < 1e-6,
                    "{} {score}: {context}",
                    hit.why.word_score
                );
                assert!(hit.why.coverage > 0.0 && !hit.why.matched_words.is_empty(), "{context}");
            }
        }
        let (words_of, vectors_of): (Vec<_>, Vec<_>) = found
            .memories
            .iter()
            .map(|hit| ((hit, hit.why.word_rank), (hit, hit.why.vector_rank)))
            .unzip();
        check_list(&words_of, &by_words, &context);
        if is_split_free(&rows, &passing) {
            check_list(&vectors_of, &by_vector, &context);
        }
        if vector.is_none() {
            assert_eq!(found.total, by_words.len() as u64, "{context}");
            assert_eq!(
                found.memories.len(),
                by_words.len().min(request.n as usize).min(100),
                "{context}"
            );
        }
        if let Some(best) = found.memories.first() {
            let sum = |hit: &Hit| {
                [hit.why.word_rank, hit.why.vector_rank]
                    .into_iter()
                    .filter(|rank| *rank > 0)
                    .map(|rank| 1.0 / (60.0 + f64::from(rank)))
                    .sum::<f64>()
            };
            for hit in &found.memories {
                assert!((hit.score - sum(hit) / sum(best)).abs() < 1e-9, "{context}");
            }
        }
    }
    assert!(modes.len() == 3, "{modes:?}");
}

/// Whether no equal statements of two scopes have other vectors: which of them is listed is not compared.
fn is_split_free(rows: &[Row], passing: &[&Row]) -> bool {
    passing.iter().all(|row| rows.iter().filter(|it| it.key == row.key).count() == 1)
}

#[test]
fn the_index_loses_no_row_that_a_filter_keeps() {
    let server = Server::start();
    let mut chances = Chances::new();
    let store = server.store();
    let components: Vec<f32> = (0..8).map(|_| chances.below(255) as f32 - 127.0).collect();
    for part in 0..5 {
        let claims: Vec<Claim> = (0..5_000)
            .map(|at| {
                let number = part * 5_000 + at + 1;
                with(says("arm-1", number, 1, &format!("Number {number}")), |it| {
                    // The nearest are summaries, more than the index gives: what is left without them is not among those.
                    let is_near = number % 16 == 0;
                    it.kind = if is_near { Kind::Summary } else { Kind::Fact };
                    let noise = |chances: &mut Chances| chances.below(255) as f32 - 127.0;
                    it.vector = vector(
                        &components
                            .iter()
                            .map(|it| if is_near { *it + noise(&mut chances) / 99.0 } else { noise(&mut chances) })
                            .collect::<Vec<_>>(),
                    );
                    it.context = json!({"kind": if number % 400 == 0 { "rare" } else { "plain" }, "n": number}).to_string();
                    // All in one month, so that its index is made.
                    it.created_at = Stamp::from_secs(BEGIN + number);
                })
            })
            .collect();
        store.take(&claims, &at(part as u64 + 1)).unwrap();
    }
    server.admin("site").batch_execute("ANALYZE").unwrap();
    assert_eq!(store.index_vectors(), Ok(1));
    assert_eq!(store.index_vectors(), Ok(0));
    let query = Some(("test-model", components.as_slice()));
    let times = |request: &RecallRequest| {
        let found = store.recall(request, query, &Scopes::All).unwrap();
        let times: Vec<i64> = found.memories.iter().map(|hit| hit.memory.created_at.0).collect();
        (found.approximate, times)
    };
    let broad = RecallRequest { n: 50, ..Default::default() };
    let exact = RecallRequest { exact: true, ..broad.clone() };
    let (is_approximate, by_index) = times(&broad);
    assert!(is_approximate);
    let (is_approximate, nearest) = times(&exact);
    assert!(!is_approximate);
    assert!(
        by_index.iter().filter(|it| nearest.contains(it)).count() >= 45,
        "the index finds most"
    );
    for request in [
        RecallRequest { context_filter: json!({"kind": "rare"}).to_string(), ..broad.clone() },
        RecallRequest { types: vec!["fact".into()], ..broad.clone() },
        RecallRequest { types: vec!["summary".into()], ..broad.clone() },
    ] {
        let (is_approximate, found) = times(&request);
        let (_, wanted) = times(&RecallRequest { exact: true, ..request.clone() });
        assert!(!is_approximate, "{request:?}");
        assert_eq!((found.len(), &found), (50, &wanted), "{request:?}");
    }
}
