use super::*;
use proptest::prelude::*;
use robot_memory_core::limits::BESIDE_LOOKED_AT_MAX;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

const COLLECTIONS: [&str; 4] = ["default", "lab", "yard", "dock"];
const SCOPES: [&str; 4] = ["global", "group:a", "group:b", "agent:x"];
const SESSIONS: [&str; 4] = ["", "s1", "s2", "s3"];

/// The rows themselves, asked one by one.
#[derive(Default)]
struct Reference {
    /// By id, with belief as it is. The slot is `None` for rows that are gone.
    rows: BTreeMap<i64, (Slot, Option<Row<'static>>)>,
}

impl Reference {
    fn put(&mut self, slot: Slot, row: Row<'static>) {
        self.rows.insert(row.id, (slot, Some(row)));
    }

    fn fade(&mut self, collection: &str, until: Stamp, last_id: i64) {
        for (_, (_, row)) in self.rows.range_mut(..=last_id) {
            let Some(row) = row.as_mut().filter(|row| row.collection == collection) else {
                continue;
            };
            if !row.category.is_some_and(Category::is_protected) && row.belief.counted_until < until
            {
                row.belief.counted_until = until;
            }
        }
    }

    fn live(&self) -> impl Iterator<Item = (Slot, Row<'static>)> + '_ {
        self.rows.values().filter_map(|(slot, row)| row.map(|row| (*slot, row)))
    }

    fn neighbors(&self, slot: Slot) -> (Option<Slot>, Option<Slot>) {
        let Some((_, row)) = self.live().find(|(at, _)| *at == slot) else { return (None, None) };
        let same = || {
            self.live().filter(|(_, other)| !row.session.is_empty() && other.session == row.session)
        };
        let previous = same().map(|(at, _)| at).filter(|at| *at < slot).last();
        (previous, same().map(|(at, _)| at).find(|at| *at > slot))
    }
}

impl Reference {
    fn beside(&self, slot: Slot, set: &Bitset, count: usize) -> Vec<(Slot, usize)> {
        let Some((_, row)) = self.live().find(|(at, _)| *at == slot) else { return Vec::new() };
        let same: Vec<Slot> = self
            .live()
            .filter(|(_, other)| !row.session.is_empty() && other.session == row.session)
            .map(|(at, _)| at)
            .collect();
        let (before, after): (Vec<Slot>, Vec<Slot>) =
            same.into_iter().filter(|at| *at != slot).partition(|at| *at < slot);
        let nearest = |near_first: Vec<Slot>| -> Vec<(Slot, usize)> {
            let looked_at = near_first.into_iter().take(BESIDE_LOOKED_AT_MAX);
            looked_at.filter(|at| set.contains(*at)).take(count).zip(1..).collect()
        };
        [nearest(before.into_iter().rev().collect()), nearest(after)].concat()
    }
}

fn row() -> impl Strategy<Value = Row<'static>> {
    let confidence = prop_oneof![
        4 => Just(0.8),
        2 => (0u8..=10).prop_map(|tenths| f64::from(tenths) / 10.0),
        1 => Just(f64::NAN),
    ];
    let created_at = prop_oneof![
        (-3i64..6).prop_map(|half_days| Stamp::from_secs(half_days * 43_200)),
        prop::sample::select(vec![Stamp(i64::MIN), Stamp(i64::MAX), Stamp(-1)]),
    ];
    (
        (
            prop::sample::select(COLLECTIONS.to_vec()),
            prop::sample::select(SCOPES.to_vec()),
            prop::sample::select(SESSIONS.to_vec()),
        ),
        prop::sample::select(Level::ALL),
        prop::sample::select(Kind::ALL),
        prop::sample::select(MemType::ALL),
        prop::sample::select(Trust::ALL),
        any::<bool>(),
        confidence,
        created_at,
        (0u32..40, any::<u64>(), prop::option::of(prop::sample::select(Category::ALL))),
    )
        .prop_map(
            |(names, level, kind, mem_type, trust, is_real, confidence, created_at, last)| {
                let (collection, scope, session) = names;
                let (word_count, quantity_key, category) = last;
                Row {
                    id: 0,
                    collection,
                    scope,
                    session,
                    level,
                    kind,
                    mem_type,
                    category,
                    trust,
                    is_real,
                    belief: Belief::new(confidence, 0.01, created_at),
                    created_at,
                    word_count,
                    quantity_key,
                }
            },
        )
}

#[derive(Debug, Clone)]
enum Step {
    /// Many rows that agree in most, as those of a session do, with ids a little apart.
    Append(Row<'static>, usize, i64),
    /// One of the rows that there are, in other words.
    Replace(usize, Row<'static>),
    Remove(usize),
    Believe(usize, f64),
    /// A collection, up to a day, but for this many of the last rows.
    Fade(&'static str, i64, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (row(), 1usize..70, 1i64..4).prop_map(|(row, count, gap)| Step::Append(row, count, gap)),
        2 => (any::<usize>(), row()).prop_map(|(at, row)| Step::Replace(at, row)),
        2 => any::<usize>().prop_map(Step::Remove),
        1 => (any::<usize>(), 0.0..1.0).prop_map(|(at, to)| Step::Believe(at, to)),
        1 => (prop::sample::select(COLLECTIONS.to_vec()), 0i64..400, 0usize..50)
            .prop_map(|(collection, day, spared)| Step::Fade(collection, day, spared)),
    ];
    prop::collection::vec(step, 1..24)
}

fn play(steps: Vec<Step>) -> (Rows, Reference) {
    let (mut rows, mut reference) = (Rows::default(), Reference::default());
    let pick = |reference: &Reference, at: usize| {
        let count = reference.rows.len().max(1);
        reference.rows.iter().nth(at % count).map(|(id, (slot, _))| (*id, *slot))
    };
    for step in steps {
        match step {
            Step::Append(row, count, gap) => {
                for _ in 0..count {
                    let last = reference.rows.last_key_value().map_or(0, |(id, _)| *id);
                    let row = Row { id: last + gap, ..row };
                    let slot = rows.put(&row).unwrap();
                    assert_eq!(slot as usize, reference.rows.len());
                    reference.put(slot, row);
                }
            }
            Step::Replace(at, row) => {
                if let Some((id, slot)) = pick(&reference, at) {
                    let row = Row { id, ..row };
                    assert_eq!(rows.put(&row), Some(slot));
                    reference.put(slot, row);
                }
            }
            Step::Remove(at) => {
                if let Some((id, slot)) = pick(&reference, at) {
                    rows.remove(slot);
                    reference.rows.insert(id, (slot, None));
                }
            }
            Step::Believe(at, to) => {
                if let Some((id, slot)) = pick(&reference, at) {
                    let belief = Belief::new(to, 0.02, Stamp::from_secs(86_400));
                    rows.set_belief(slot, belief);
                    if let Some((_, Some(row))) = reference.rows.get_mut(&id) {
                        row.belief = belief;
                    }
                }
            }
            Step::Fade(collection, day, spared) => {
                let until = Stamp::from_secs(day * 86_400);
                let last_id = reference.rows.keys().rev().nth(spared).copied().unwrap_or(0);
                rows.fade(collection, until, last_id);
                reference.fade(collection, until, last_id);
            }
        }
    }
    (rows, reference)
}

#[derive(Debug, Clone)]
struct Wish {
    collections: Option<Vec<&'static str>>,
    scopes: Option<Vec<&'static str>>,
    scope_kinds: Vec<ScopeKind>,
    session: Option<&'static str>,
    levels: Vec<Level>,
    kinds: Vec<Kind>,
    mem_types: Vec<MemType>,
    min_confidence: f64,
    since: Option<Stamp>,
    until: Option<Stamp>,
}

impl Wish {
    fn selection(&self, rows: &Rows) -> RowSelection {
        let number = |name: &str| rows.names().get(name).unwrap_or(Names::UNUSED);
        RowSelection {
            collections: self.collections.as_ref().map(|c| c.iter().map(|c| number(c)).collect()),
            scopes: self.scopes.as_ref().map(|s| s.iter().map(|s| number(s)).collect()),
            scope_kinds: self.scope_kinds.clone(),
            session: self.session.map(number),
            levels: self.levels.clone(),
            kinds: self.kinds.clone(),
            mem_types: self.mem_types.clone(),
            min_confidence: self.min_confidence,
            since: self.since,
            until: self.until,
        }
    }

    fn holds(&self, row: &Row<'_>) -> bool {
        self.collections.as_ref().is_none_or(|some| some.contains(&row.collection))
            && match &self.scopes {
                None if self.scope_kinds.is_empty() => true,
                some => {
                    some.as_ref().is_some_and(|some| some.contains(&row.scope))
                        || self.scope_kinds.contains(&ScopeKind::of(row.scope))
                }
            }
            && self.session.is_none_or(|session| session == row.session)
            && (self.levels.is_empty() || self.levels.contains(&row.level))
            && (self.kinds.is_empty() || self.kinds.contains(&row.kind))
            && (self.mem_types.is_empty() || self.mem_types.contains(&row.mem_type))
            && row.belief.confidence() >= self.min_confidence
            && self.since.is_none_or(|since| row.created_at >= since)
            && self.until.is_none_or(|until| row.created_at < until)
    }
}

fn wish() -> impl Strategy<Value = Wish> {
    use prop::{collection::vec, option, sample::select};
    let collection = || select(["default", "lab", "yard", "dock", "nowhere"].as_slice());
    let stamp = || {
        option::weighted(
            0.3,
            prop_oneof![
                4 => (-3i64..6).prop_map(|half_days| Stamp::from_secs(half_days * 43_200)),
                1 => select([Stamp(i64::MIN), Stamp(i64::MAX)].as_slice()),
            ],
        )
    };
    (
        (
            option::of(vec(collection(), 0..4)),
            option::weighted(0.5, vec(select(["global", "group:a", "dm"].as_slice()), 0..3)),
            option::weighted(0.3, vec(select(ScopeKind::ALL), 1..3)),
        ),
        option::weighted(0.3, select(["", "s1", "s2", "s3", "never"].as_slice())),
        option::weighted(0.3, vec(select(Level::ALL), 1..3)),
        option::weighted(0.3, vec(select(Kind::ALL), 1..3)),
        option::weighted(0.3, vec(select(MemType::ALL), 1..4)),
        prop_oneof![Just(0.0), Just(0.3), Just(0.8), Just(f64::NAN)],
        stamp(),
        stamp(),
    )
        .prop_map(
            |(
                (collections, scopes, scope_kinds),
                session,
                levels,
                kinds,
                mem_types,
                min_confidence,
                since,
                until,
            )| Wish {
                collections,
                scopes,
                scope_kinds: scope_kinds.unwrap_or_default(),
                session,
                levels: levels.unwrap_or_default(),
                kinds: kinds.unwrap_or_default(),
                mem_types: mem_types.unwrap_or_default(),
                min_confidence,
                since,
                until,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_selection_is_what_a_filter_of_each_row_keeps(
        steps in steps(),
        wishes in prop::collection::vec(wish(), 1..12),
    ) {
        let (rows, reference) = play(steps);
        for wish in wishes {
            let expected: Vec<Slot> =
                reference.live().filter(|(_, row)| wish.holds(row)).map(|(slot, _)| slot).collect();
            let allowed = rows.allowed(&wish.selection(&rows));
            prop_assert_eq!(allowed.iter().collect::<Vec<_>>(), expected, "{:?}", wish);
        }
    }

    #[test]
    fn rows_are_what_was_put(steps in steps()) {
        let (rows, reference) = play(steps);
        prop_assert_eq!(rows.live().count(), reference.live().count() as u64);
        let words: u64 = reference.live().map(|(_, row)| u64::from(row.word_count)).sum();
        prop_assert_eq!(rows.mean_words(), (words as f64 / rows.live().count().max(1) as f64).max(1.0));
        for (&id, (slot, row)) in &reference.rows {
            prop_assert_eq!(rows.slot(id), row.map(|_| *slot));
            prop_assert_eq!(rows.slot(id + 1).is_some(), reference.rows.get(&(id + 1)).is_some_and(|r| r.1.is_some()));
            let Some(row) = row else { continue };
            let facts = rows.facts(*slot).unwrap();
            prop_assert_eq!(facts.id, id);
            prop_assert_eq!(rows.names().name(facts.collection), Some(row.collection));
            prop_assert_eq!(rows.names().name(facts.session), Some(row.session));
            prop_assert_eq!(
                (facts.level, facts.kind, facts.mem_type, facts.category),
                (row.level, row.kind, row.mem_type, row.category)
            );
            prop_assert_eq!((facts.trust, facts.is_real), (row.trust, row.is_real));
            prop_assert_eq!(
                (facts.scope_kind, rows.names().name(facts.scope)),
                (ScopeKind::of(row.scope), Some(row.scope))
            );
            prop_assert_eq!(facts.confidence.to_bits(), row.belief.confidence().to_bits());
            prop_assert_eq!(
                (facts.created_at, facts.word_count, facts.quantity_key),
                (row.created_at, row.word_count, row.quantity_key)
            );
        }
        prop_assert_eq!(rows.facts(reference.rows.len() as Slot), None);
    }

    #[test]
    fn neighbors_are_the_rows_beside_it_in_its_session(steps in steps()) {
        let (rows, reference) = play(steps);
        for slot in 0..=reference.rows.len() as Slot {
            prop_assert_eq!(rows.neighbors(slot), reference.neighbors(slot), "of {}", slot);
        }
    }

    #[test]
    fn rows_beside_one_are_the_nearest_of_a_set_in_its_session(
        steps in steps(),
        wish in wish(),
        count in 0usize..4,
    ) {
        let (rows, reference) = play(steps);
        let set = rows.allowed(&wish.selection(&rows));
        for slot in 0..=reference.rows.len() as Slot {
            let expected = reference.beside(slot, &set, count);
            prop_assert_eq!(rows.beside(slot, &set, count), expected, "of {}", slot);
        }
    }

    #[test]
    fn counts_are_those_of_each_row(
        steps in steps(),
        wish in wish(),
        offset in prop::sample::select(vec![0i64, 3_600, -43_200, 50_400, i64::MAX, i64::MIN]),
        period_secs in prop::sample::select(vec![3_600u32, 86_400]),
    ) {
        let (rows, reference) = play(steps);
        let set = rows.allowed(&wish.selection(&rows));
        let period = NonZeroU32::new(period_secs).unwrap();
        let mut periods: BTreeMap<i64, u64> = BTreeMap::new();
        let mut sessions: BTreeMap<u32, Vec<Stamp>> = BTreeMap::new();
        for (_, row) in reference.live().filter(|(_, row)| wish.holds(row)) {
            let secs = i128::from(row.created_at.0).div_euclid(1_000_000_000) + i128::from(offset);
            let number = secs.div_euclid(i128::from(period_secs)) as i64;
            *periods.entry(number).or_default() += 1;
            let session = rows.names().get(row.session).unwrap();
            sessions.entry(session).or_default().push(row.created_at);
        }
        let counts = rows.count_by_period(&set, period, offset);
        prop_assert_eq!(counts, periods.into_iter().collect::<Vec<_>>());
        let sessions: Vec<SessionCount> = sessions
            .into_iter()
            .map(|(session, stamps)| SessionCount {
                session,
                count: stamps.len() as u64,
                first: *stamps.iter().min().unwrap(),
                last: *stamps.iter().max().unwrap(),
            })
            .collect();
        prop_assert_eq!(rows.count_by_session(&set), sessions);
    }

    #[test]
    fn the_newest_and_the_oldest_are_the_ends_of_all_in_order(
        steps in steps(),
        wish in wish(),
        k in prop::sample::select(vec![0, 1, 5, 64, usize::MAX]),
    ) {
        let (rows, reference) = play(steps);
        let set = rows.allowed(&wish.selection(&rows));
        let mut sorted: Vec<(Stamp, Slot)> = reference
            .live()
            .filter(|(_, row)| wish.holds(row))
            .map(|(slot, row)| (row.created_at, slot))
            .collect();
        sorted.sort_unstable();
        let slots = |at: &(Stamp, Slot)| at.1;
        let oldest: Vec<Slot> = sorted.iter().take(k).map(slots).collect();
        let newest: Vec<Slot> = sorted.iter().rev().take(k).map(slots).collect();
        prop_assert_eq!(rows.oldest(&set, k), oldest);
        prop_assert_eq!(rows.newest(&set, k), newest);
    }
}

#[test]
fn a_row_that_is_older_than_the_last_and_has_no_slot_is_not_taken() {
    let mut rows = Rows::default();
    let row = Row {
        id: 5,
        collection: "default",
        scope: "global",
        session: "",
        level: Level::Core,
        kind: Kind::Fact,
        mem_type: MemType::Fact,
        category: None,
        trust: Trust::High,
        is_real: false,
        belief: Belief::new(0.8, 0.01, Stamp(1)),
        created_at: Stamp(1),
        word_count: 3,
        quantity_key: 0,
    };
    assert_eq!(rows.put(&row), Some(0));
    assert_eq!(rows.put(&Row { id: 4, ..row }), None);
    assert_eq!(rows.put(&Row { id: i64::MAX, ..row }), Some(1));
    assert_eq!((rows.slot(5), rows.slot(i64::MAX), rows.slot(i64::MIN)), (Some(0), Some(1), None));
}

/// What the documentation of [`Rows`] says.
#[test]
fn a_row_takes_few_bytes() {
    let columns = 3 * size_of::<i64>() + size_of::<u64>() + 4 * size_of::<u32>();
    let row = columns + size_of::<Links>();
    let word = size_of::<Summary>() + CLASS_BITS * size_of::<u64>() + size_of::<u64>();
    assert_eq!(row + word.div_ceil(BLOCK_LEN), 60);
}
