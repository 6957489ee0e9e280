use super::*;
use crate::{Bitset, PlainPostings, WINDOW_SLOTS, WordIndex};
use proptest::prelude::*;
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

type Rows = BTreeMap<Slot, Vec<String>>;
type OwnedTerm = (f64, Vec<(f64, Vec<String>)>);

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn index(rows: &Rows) -> WordIndex {
    let mut index = WordIndex::default();
    for (slot, row) in rows {
        index.put(*slot, row).unwrap();
    }
    index
}

fn plain(rows: &Rows) -> PlainPostings {
    let mut frequencies: BTreeMap<&str, BTreeMap<Slot, u32>> = BTreeMap::new();
    for (slot, row) in rows {
        for token in row {
            *frequencies.entry(token).or_default().entry(*slot).or_default() += 1;
        }
    }
    let mut plain = PlainPostings::default();
    for (token, postings) in frequencies {
        plain.insert(token, postings);
    }
    plain
}

fn terms(owned: &[OwnedTerm]) -> Vec<Term<'_>> {
    owned
        .iter()
        .map(|(weight, alternatives)| Term {
            weight: *weight,
            alternatives: alternatives
                .iter()
                .map(|(weight, tokens)| Alternative { tokens, weight: *weight, is_name: false })
                .collect(),
        })
        .collect()
}

fn one_each(text: &str) -> Vec<OwnedTerm> {
    words(text).into_iter().map(|word| (1.0, vec![(1.0, vec![word])])).collect()
}

fn corpus(rows: &Rows) -> Corpus {
    let words: usize = rows.values().map(Vec::len).sum();
    Corpus {
        document_count: rows.len() as u64,
        mean_length: words as f64 / rows.len().max(1) as f64,
    }
}

/// What the documentation says, row by row.
fn brute(
    owned: &[OwnedTerm],
    rows: &Rows,
    admit: &Bitset,
    admission: Admission,
    count: usize,
) -> WordList {
    let corpus = corpus(rows);
    let frequency = |row: &[String], token: &String| {
        row.iter().filter(|other| *other == token).count().min(15) as u32
    };
    let df = |token: &String| rows.values().filter(|row| row.contains(token)).count() as u64;
    let rarest = |tokens: &[String]| tokens.iter().map(df).min().unwrap();
    let dfs: Vec<Vec<u64>> = owned
        .iter()
        .map(|(_, alternatives)| alternatives.iter().map(|(_, tokens)| rarest(tokens)).collect())
        .collect();
    let weights: Vec<f64> = owned
        .iter()
        .zip(&dfs)
        .map(|((weight, _), dfs)| weight * idf(corpus.document_count, *dfs.iter().max().unwrap()))
        .collect();
    let mut hits = Vec::new();
    for (slot, row) in rows {
        let relative_length = row.len() as f64 / corpus.mean_length;
        let (mut score, mut covered, mut matched) = (0.0, 0.0, 0);
        for (position, (weight, alternatives)) in owned.iter().enumerate() {
            let (mut best, mut share) = (0.0_f64, 0.0_f64);
            for ((own, tokens), df) in alternatives.iter().zip(&dfs[position]) {
                let least = tokens.iter().map(|token| frequency(row, token)).min().unwrap();
                if least > 0 {
                    let idf = idf(corpus.document_count, *df);
                    best = best.max(own * idf * saturated(least, relative_length));
                    share = share.max(*own);
                }
            }
            score += weight * best;
            covered += weights[position] * share;
            matched |= u64::from(share > 0.0) << position;
        }
        let coverage = covered / weights.iter().sum::<f64>();
        let is_admitted = match admission {
            Admission::All => true,
            Admission::CoverageAtLeast(least) => coverage >= least,
        };
        if matched != 0 && admit.contains(*slot) && is_admitted {
            hits.push(WordHit { slot: *slot, score, coverage: coverage.min(1.0), matched });
        }
    }
    let total = hits.len() as u64;
    let rounded = |score: f64| (score * 1e9).round();
    hits.sort_by(|a, b| rounded(b.score).total_cmp(&rounded(a.score)).then(a.slot.cmp(&b.slot)));
    hits.truncate(count);
    WordList { head: hits, total }
}

/// The same hits in the same order. Scores may be rounded otherwise, so that of those that only
/// rounding tells apart each may come first.
fn assert_same(found: &WordList, expected: &WordList) {
    assert_eq!(found.total, expected.total);
    assert_eq!(found.head.len(), expected.head.len());
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
    for (found, expected) in found.head.iter().zip(&expected.head) {
        assert!(near(found.score, expected.score), "{found:?}, not {expected:?}");
        if found.slot == expected.slot {
            assert!(near(found.coverage, expected.coverage), "{found:?}, not {expected:?}");
            assert_eq!(found.matched, expected.matched);
        }
    }
}

const ALL_ADMISSIONS: [Admission; 4] = [
    Admission::All,
    Admission::CoverageAtLeast(0.0),
    Admission::CoverageAtLeast(0.5),
    Admission::CoverageAtLeast(1.0),
];

fn check(owned: &[OwnedTerm], rows: &Rows, admit: &Bitset, admission: Admission, count: usize) {
    let (index, plain) = (index(rows), plain(rows));
    let terms = terms(owned);
    let length = |slot: Slot| rows.get(&slot).map_or(1, |row| row.len() as u32);
    let in_memory = WordQuery::new(&terms, &index, corpus(rows));
    let found = in_memory.search(admit, || length, admission, count);
    // Every row for itself, by the very coverage that it is shown with.
    let admitted: Vec<Slot> = rows.keys().copied().filter(|slot| admit.contains(*slot)).collect();
    let mut hits: Vec<WordHit> =
        in_memory.features(length, &admitted).into_iter().flatten().collect();
    if let Admission::CoverageAtLeast(least) = admission {
        hits.retain(|hit| hit.coverage >= least);
        // And as the documentation says, unless rounding decides who is admitted.
        let near = [least - 1e-9, least + 1e-9].map(Admission::CoverageAtLeast);
        let [fewer, more] = near.map(|near| brute(owned, rows, admit, near, count));
        if fewer.total == more.total {
            assert_same(&found, &fewer);
        }
    } else {
        assert_same(&found, &brute(owned, rows, admit, admission, count));
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
    assert_eq!(found.total, hits.len() as u64);
    hits.truncate(count);
    assert_eq!(found.head, hits);
    // Whichever way is the faster one.
    assert_eq!(found, in_memory.walk(admit, || length, admission, count), "walked");
    assert_eq!(found, in_memory.look_up(admit, length, admission, count), "looked up");
    let read = WordQuery::new(&terms, &plain, corpus(rows));
    assert_eq!(found, read.search(admit, || length, admission, count), "the source matters");
    let slots: Vec<Slot> = found.head.iter().map(|hit| hit.slot).collect();
    let looked_up: Vec<WordHit> = read.features(length, &slots).into_iter().flatten().collect();
    assert_eq!(looked_up, found.head);
}

/// What the documentation says of the coverage by several rows, each with what its words count.
fn brute_in_context(owned: &[OwnedTerm], rows: &Rows, around: &[(Slot, f64)]) -> f64 {
    let document_count = rows.len() as u64;
    let df = |token: &String| rows.values().filter(|row| row.contains(token)).count() as u64;
    let frequency = |slot: &Slot, token: &String| {
        rows.get(slot).map_or(0, |row| row.iter().filter(|it| *it == token).count())
    };
    let (mut covered, mut all) = (0.0, 0.0);
    for (weight, alternatives) in owned {
        let rarest = |tokens: &[String]| tokens.iter().map(df).min().unwrap();
        let common = alternatives.iter().map(|(_, tokens)| rarest(tokens)).max().unwrap();
        let mut share = 0.0_f64;
        for (own, tokens) in alternatives {
            let occurs = |slot| tokens.iter().map(|token| frequency(slot, token)).min().unwrap();
            let weighted: f64 =
                around.iter().map(|(slot, counts)| counts * occurs(slot) as f64).sum();
            let told = weighted / (weighted + 1.2) / (3.0 / 4.2);
            share = share.max(own * told.min(1.0));
        }
        covered += weight * idf(document_count, common) * share;
        all += weight * idf(document_count, common);
    }
    if covered > 0.0 { covered / all } else { 0.0 }
}

#[test]
fn what_stands_beside_a_memory_counts_less_than_its_own_words_and_the_less_the_further() {
    let rows: Rows =
        [(0, words("grip")), (1, words("cup")), (2, words("x")), (3, words("grip cup"))].into();
    let index = index(&rows);
    let owned = one_each("grip cup");
    let terms = terms(&owned);
    let query = WordQuery::new(&terms, &index, corpus(&rows));
    let now = Stamp::from_secs(1_000);
    let covered = |slot, beside: &[(Slot, usize, i64)]| {
        let weighed = |(other, step, secs): &(Slot, usize, i64)| {
            (*other, beside_weight(*step, now, Stamp::from_secs(1_000 + secs)))
        };
        query.coverage_in_context(&[slot], |_| beside.iter().map(weighed).collect())[0]
    };
    assert_eq!(covered(3, &[]), 1.0);
    assert_eq!(covered(3, &[(0, 1, 0), (1, 1, 0)]), 1.0);
    let falling = [
        covered(0, &[(3, 1, 0), (1, 1, 0)]),
        covered(0, &[(1, 1, 0)]),
        covered(0, &[(1, 1, -300)]),
        covered(0, &[(1, 2, 0)]),
        covered(0, &[(1, 2, 3_000)]),
        covered(0, &[(1, 3, 0)]),
    ];
    assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
    assert_eq!(falling[5], covered(0, &[]));
    assert!(covered(2, &[(3, 1, 0)]) > covered(2, &[(3, 2, 0)]));
    assert_eq!(covered(2, &[]), 0.0);
}

#[test]
fn equals_are_answered_by_the_lower_slots_however_many_there_are() {
    // Two classes of equal score in every word of 64 slots, and rows of one class by the thousand.
    let rows: Rows = (0..3 * WINDOW_SLOTS as Slot)
        .map(|slot| (slot, words(if slot % 2 == 0 { "a x" } else { "b x" })))
        .collect();
    let admit = Bitset::filled(rows.len());
    for admission in ALL_ADMISSIONS {
        check(&one_each("a b"), &rows, &admit, admission, 100);
        check(&one_each("b a x"), &rows, &admit, admission, 7);
    }
    let index = index(&rows);
    let owned = one_each("b a");
    let terms = terms(&owned);
    let query = WordQuery::new(&terms, &index, corpus(&rows));
    let head = query.search(&admit, || |_| 2, Admission::All, 5).head;
    assert_eq!(head.iter().map(|hit| hit.slot).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn common_words_find_what_a_scan_finds() {
    let vocabulary = words("grip cup force red slow table fast left");
    let rows: Rows = (0..8_000_u32)
        .map(|slot| {
            let mut random = slot.wrapping_mul(2_654_435_761) ^ slot >> 3;
            let mut row = vec![format!("part-{}", slot % 400)];
            for (index, word) in vocabulary.iter().enumerate() {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let times = [1, 1, 0, 2, 1, 0, 1, 3][(random >> 29) as usize];
                let share = 10 * (index as u32 + 1);
                if random >> 8 & 127 < share {
                    row.extend(std::iter::repeat_n(word.clone(), times));
                }
            }
            (slot * 3, row)
        })
        .collect();
    let everything = Bitset::filled(24_000);
    let some: Bitset = (0..24_000).filter(|slot| slot % 7 < 3).collect();
    for query in ["grip cup force red slow table fast left", "grip part-7", "part-3 part-9 left"] {
        for admission in ALL_ADMISSIONS {
            check(&one_each(query), &rows, &everything, admission, 200);
            check(&one_each(query), &rows, &some, admission, 10);
        }
    }
}

#[test]
fn a_synonym_counts_less_and_all_words_of_an_alternative_are_needed() {
    let rows: Rows = [
        (0, words("the gripper slipped")),
        (1, words("the end effector slipped")),
        (2, words("the end slipped")),
        (3, words("the claw slipped")),
        (4, words("nothing of it")),
    ]
    .into();
    let owned: Vec<OwnedTerm> = vec![(
        1.0,
        vec![(1.0, words("claw")), (0.8, words("gripper")), (0.8, words("end effector"))],
    )];
    let index = index(&rows);
    let terms = terms(&owned);
    let query = WordQuery::new(&terms, &index, corpus(&rows));
    let length = |slot: Slot| rows[&slot].len() as u32;
    let found = query.search(&Bitset::filled(5), || length, Admission::All, 9);
    let slots: Vec<Slot> = found.head.iter().map(|hit| hit.slot).collect();
    assert_eq!((slots, found.total), (vec![3, 0, 1], 3));
    let percent = |hit: &WordHit| (hit.coverage * 100.0).round() as u32;
    assert_eq!(found.head.iter().map(percent).collect::<Vec<_>>(), [100, 80, 80]);
    let all = Admission::CoverageAtLeast(0.9);
    assert_eq!(query.search(&Bitset::filled(5), || length, all, 9).total, 1);
    assert_eq!(query.search(&Bitset::filled(5), || length, all, 0).total, 1);
    assert_eq!(query.search(&Bitset::with_len(0), || length, all, 9), WordList::default());
    let too_much = Admission::CoverageAtLeast(f64::NAN);
    assert_eq!(query.search(&Bitset::filled(5), || length, too_much, 9), WordList::default());
    let missing = query.features(length, &[4, 0]);
    assert_eq!((missing[0], missing[1].map(|hit| hit.matched)), (None, Some(1)));
}

#[test]
fn of_too_many_terms_the_rarest_are_kept() {
    let rows: Rows = (0..90).map(|slot| (slot, words(&format!("w{slot} w{}", slot / 2)))).collect();
    let owned = one_each(&(0..95).map(|word| format!("w{word} ")).collect::<String>());
    let index = index(&rows);
    let terms = terms(&owned);
    let query = WordQuery::new(&terms, &index, corpus(&rows));
    assert_eq!(query.positions().len(), 64);
    assert!(query.positions().is_sorted());
    assert!((45..90).all(|rare| query.positions().contains(&rare)));
    let nothing: [Term<'_>; 0] = [];
    let nothing = WordQuery::new(&nothing, &index, corpus(&rows));
    for admission in ALL_ADMISSIONS {
        let found = nothing.search(&Bitset::filled(90), || |_| 2, admission, 9);
        assert_eq!(found, WordList::default());
    }
}

fn token() -> impl Strategy<Value = String> {
    prop::sample::select(words("a a a b b c d e f g")).prop_map(|token| token)
}

fn rows() -> impl Strategy<Value = Rows> {
    let row = (0_u32..9_000, prop::collection::vec(token(), 1..9));
    prop::collection::vec(row, 0..150).prop_map(|rows| rows.into_iter().collect())
}

fn owned_terms() -> impl Strategy<Value = Vec<OwnedTerm>> {
    let weight = || prop::sample::select(vec![1.0, 1.0, 0.8, 0.6, 0.2]);
    let alternative = (weight(), prop::collection::vec(token(), 1..3));
    let term = (weight(), prop::collection::vec(alternative, 1..4));
    prop::collection::vec(term, 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn words_in_context_cover_what_a_scan_says(
        rows in rows(),
        owned in owned_terms(),
        around in prop::collection::vec(
            prop::collection::vec((0_usize..150, 0.0..2.0), 0..5),
            1..8,
        ),
    ) {
        let slots: Vec<Slot> = rows.keys().copied().collect();
        let slot = |at: usize| slots.get(at).copied().unwrap_or(9_000);
        let asked: Vec<Slot> = (0..around.len()).map(|at| slot(at * 3)).collect();
        let beside = |asked_slot: Slot| -> Vec<(Slot, f64)> {
            let at = asked.iter().position(|other| *other == asked_slot).unwrap();
            around[at].iter().map(|(at, counts)| (slot(*at), *counts)).collect()
        };
        let (index, plain) = (index(&rows), plain(&rows));
        let terms = terms(&owned);
        let query = WordQuery::new(&terms, &index, corpus(&rows));
        let covered = query.coverage_in_context(&asked, beside);
        let own = query.features(|slot| rows.get(&slot).map_or(1, |it| it.len() as u32), &asked);
        for ((slot, found), own) in asked.iter().zip(&covered).zip(own) {
            let mut expected = beside(*slot);
            expected.push((*slot, OWN_WEIGHT));
            let expected = brute_in_context(&owned, &rows, &expected);
            prop_assert!((found - expected).abs() < 1e-9, "{} is not {}", found, expected);
            prop_assert!(*found >= own.map_or(0.0, |own| own.coverage));
        }
        let read = WordQuery::new(&terms, &plain, corpus(&rows));
        prop_assert_eq!(covered, read.coverage_in_context(&asked, beside), "the source matters");
        let alone = query.coverage_in_context(&asked, |_| Vec::new());
        let own = query.features(|_| 1, &asked).into_iter();
        let own: Vec<f64> = own.map(|own| own.map_or(0.0, |own| own.coverage)).collect();
        prop_assert_eq!(alone, own);
    }

    #[test]
    fn a_search_finds_what_a_scan_finds(
        rows in rows(),
        owned in owned_terms(),
        kept in 1_u32..5,
        share in prop::sample::select(vec![-1.0, 0.0, 0.1, 0.37, 0.5, 0.77, 0.99]),
        count in 0_usize..40,
    ) {
        let admit: Bitset = (0..9_000).filter(|slot| slot % kept == 0).collect();
        // All but a few, so that both ways of a search are gone.
        let few = rows.keys().copied().step_by(1 + rows.len() / 4).collect();
        for admit in [&admit, &few] {
            check(&owned, &rows, admit, Admission::All, count);
            check(&owned, &rows, admit, Admission::CoverageAtLeast(share), count);
        }
    }
}
