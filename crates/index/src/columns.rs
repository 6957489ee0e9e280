use super::column::Column;
use super::{Bitset, Slot};
use robot_memory_core::limits::FILTER_CONDITIONS_MAX;
use robot_memory_core::model::{Cell, Condition, Filter, Path};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Memory};

/// The columns of the paths that filters lately asked for. Clones share what neither of them changes,
/// and count uses together.
#[derive(Debug, Clone)]
pub struct Columns {
    columns_max: usize,
    columns: BTreeMap<Arc<Path>, Used>,
    /// Counts uses, to tell which column was not used for the longest.
    uses: Arc<AtomicU64>,
}

#[derive(Debug, Clone)]
struct Used {
    column: Arc<Column>,
    last_use: Arc<AtomicU64>,
}

impl Columns {
    /// Keeps at most `columns_max` columns, and never fewer than one filter can need.
    pub fn new(columns_max: usize) -> Self {
        Self {
            columns_max: columns_max.max(FILTER_CONDITIONS_MAX),
            columns: BTreeMap::new(),
            uses: Arc::default(),
        }
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The paths of a filter that have no column yet, each once, in their order. Those that have
    /// one count as used, so that inserting the others does not push them out.
    pub fn missing<'f>(&self, filter: &'f Filter) -> Vec<&'f Path> {
        let mut paths: Vec<&Path> = filter.conditions.iter().map(|c| &c.path).collect();
        paths.sort();
        paths.dedup();
        paths.retain(|path| self.get(path).is_none());
        paths
    }

    /// Takes out of `within` the rows that do not meet the filter. When a path has no column,
    /// answers false and changes nothing.
    pub fn narrow(&self, filter: &Filter, within: &mut Bitset) -> bool {
        let pairs: Option<Vec<(&Column, &Condition)>> = filter
            .conditions
            .iter()
            .map(|condition| Some((self.get(&condition.path)?, condition)))
            .collect();
        let Some(mut pairs) = pairs else { return false };
        // What the cheap ones take out, the others need not look at.
        pairs.sort_by_key(|(column, condition)| column.cost(condition));
        for (column, condition) in pairs {
            column.matching(condition, within);
        }
        true
    }

    /// The column of a path.
    pub fn get(&self, path: &Path) -> Option<&Column> {
        let used = self.columns.get(path)?;
        used.last_use.store(self.next_use(), Memory::Relaxed);
        Some(&used.column)
    }

    /// Adds the column of a path, built from all rows; when there are too many, the one that was
    /// not used for the longest goes.
    pub fn insert(&mut self, path: Path, column: Column) {
        let last_use = Arc::new(AtomicU64::new(self.next_use()));
        self.columns.insert(Arc::new(path), Used { column: Arc::new(column), last_use });
        while self.columns.len() > self.columns_max {
            let idlest = self.columns.iter().min_by_key(|(_, c)| c.last_use.load(Memory::Relaxed));
            let Some(idlest) = idlest.map(|(path, _)| Arc::clone(path)) else { break };
            self.columns.remove(&idlest);
        }
    }

    /// Takes over a row's context, or that there is no such row any more.
    pub fn apply(&mut self, slot: Slot, context: Option<&Value>) {
        for (path, Used { column, .. }) in &mut self.columns {
            let cell = Cell::of(context.and_then(|context| path.resolve(context)));
            if !matches!(cell, Cell::Absent) || !column.is_absent(slot) {
                Arc::make_mut(column).put(slot, &cell);
            }
        }
    }

    fn next_use(&self) -> u64 {
        self.uses.fetch_add(1, Memory::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    fn filter(value: &Value) -> Filter {
        Filter::parse(&value.to_string()).unwrap()
    }

    fn column(path: &Path, rows: &[Value]) -> Column {
        let mut column = Column::default();
        for (slot, row) in rows.iter().enumerate() {
            column.put(slot as Slot, &Cell::of(path.resolve(row)));
        }
        column
    }

    fn values() -> impl Strategy<Value = Value> {
        let few = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-3i64..4).prop_map(Value::from),
            (-3i64..4).prop_map(|n| Value::from(n as f64)),
            (-6i64..7).prop_map(|n| Value::from(n as f64 / 2.0)),
            prop::sample::select(vec![
                json!(i64::MAX),
                json!(u64::MAX),
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992.0),
                json!(18_446_744_073_709_551_615.0),
                json!(1e300),
            ]),
            prop::sample::select(vec!["", "a", "b", "ab", "ä", "左", "1", "true"])
                .prop_map(Value::from),
        ];
        few.prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab]", inner, 0..3).prop_map(Value::from_iter),
            ]
        })
    }

    fn conditions() -> impl Strategy<Value = Value> {
        let operator = prop::sample::select(vec!["", "$ne", "$lt", "$lte", "$gt", "$gte"]);
        (operator, values()).prop_filter_map("no such filter", |(operator, operand)| {
            let condition = if operator.is_empty() { operand } else { json!({operator: operand}) };
            let condition = json!({"x": condition});
            Filter::parse(&condition.to_string()).is_ok().then_some(condition)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_column_finds_what_the_filter_finds(
            mut rows in prop::collection::vec(prop::option::of(values()), 1..20),
            changes in prop::collection::vec((0usize..20, prop::option::of(values())), 0..10),
            condition in conditions(),
            // So that rows lie in one word of the set, or in many.
            stride in prop::sample::select(vec![1u32, 41, 700]),
            left_out in 0usize..40,
        ) {
            let filter = filter(&condition);
            let context = |row: &Option<Value>| match row {
                Some(value) => json!({"x": value}),
                None => json!({}),
            };
            let mut columns = Columns::new(1);
            columns.insert(path("x"), Column::default());
            for (slot, row) in rows.iter().enumerate() {
                columns.apply(slot as Slot * stride, Some(&context(row)));
            }
            for (slot, row) in changes {
                let slot = slot % rows.len();
                let context = row.as_ref().map(|value| json!({"x": value}));
                columns.apply(slot as Slot * stride, context.as_ref());
                rows[slot] = row;
            }
            let expected: Vec<Slot> = (0..rows.len())
                .filter(|&slot| slot != left_out && filter.matches(&context(&rows[slot])))
                .map(|slot| slot as Slot * stride)
                .collect();
            // Slots without a row are allowed too: they match nothing.
            let mut within = Bitset::filled(30 * stride as usize);
            within.remove(left_out as Slot * stride);
            prop_assert!(columns.narrow(&filter, &mut within));
            prop_assert_eq!(within.iter().collect::<Vec<_>>(), expected);
        }
    }

    /// More distinct texts than one byte tells apart, then than two, then numbers among them.
    #[test]
    fn values_are_the_same_however_wide_they_are_kept() {
        let mut column = Column::default();
        let mut rows: Vec<Value> = Vec::new();
        let check = |rows: &[Value], column: &Column| {
            for condition in [
                json!({"x": "t3"}),
                json!({"x": {"$ne": "t255"}}),
                json!({"x": {"$gt": "t65534"}}),
                json!({"x": "t65536"}),
                json!({"x": {"$lte": 0}}),
                json!({"x": {"$gt": 0.25}}),
                json!({"x": 9_007_199_254_740_993_i64}),
                json!({"x": {"$lt": 9_007_199_254_740_993_i64}}),
                json!({"x": true}),
                json!({"x": [7]}),
            ] {
                let filter = filter(&condition);
                let mut within = Bitset::filled(rows.len());
                column.matching(&filter.conditions[0], &mut within);
                let expected = (0..rows.len() as Slot)
                    .filter(|&slot| filter.matches(&json!({"x": rows[slot as usize]})));
                assert!(within.iter().eq(expected), "{condition} among {}", rows.len());
            }
        };
        let texts = |from: usize, to: usize| (from..to).map(|n| json!(format!("t{n}"))).collect();
        let numbers = [json!(0.0), json!(0.5), json!(-3)];
        let integers = [1_i64 << 53, (1 << 53) + 1, i64::MIN].map(Value::from);
        let more: [Vec<Value>; 6] = [
            texts(0, 200),
            texts(200, 300),
            texts(300, 65_600),
            vec![json!(true), json!([7])],
            numbers.to_vec(),
            integers.to_vec(),
        ];
        for values in more {
            for value in values {
                column.put(rows.len() as Slot, &Cell::of(Some(&value)));
                rows.push(value);
            }
            check(&rows, &column);
        }
    }

    #[test]
    fn rows_that_are_not_allowed_stay_out() {
        let path = path("x");
        let column = column(&path, &[json!({"x": 1}), json!({"x": 1}), json!({"x": 2})]);
        let mut within = Bitset::from_iter([1, 2]);
        column.matching(&filter(&json!({"x": 1})).conditions[0], &mut within);
        assert_eq!(within.iter().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_missing_column_is_named_and_changes_nothing() {
        let mut columns = Columns::new(0);
        let filter = filter(&json!({"b": {"$gt": 1, "$lt": 9}, "a": 1}));
        assert_eq!(columns.missing(&filter), [&path("a"), &path("b")]);
        columns.insert(path("a"), Column::default());
        assert_eq!(columns.missing(&filter), [&path("b")]);
        let mut within = Bitset::filled(3);
        assert!(!columns.narrow(&filter, &mut within));
        assert_eq!(within.count(), 3);
    }

    #[test]
    fn the_column_that_was_not_used_for_the_longest_goes() {
        let mut columns = Columns::new(FILTER_CONDITIONS_MAX);
        let paths: Vec<Path> =
            (0..=FILTER_CONDITIONS_MAX).map(|i| path(&format!("p{i}"))).collect();
        for path in &paths[..FILTER_CONDITIONS_MAX] {
            columns.insert(path.clone(), Column::default());
        }
        let shared = &columns;
        assert!(shared.get(&paths[0]).is_some());
        columns.insert(paths[FILTER_CONDITIONS_MAX].clone(), Column::default());
        assert!(columns.get(&paths[1]).is_none());
        assert!(columns.get(&paths[0]).is_some() && columns.get(&paths[2]).is_some());
    }

    #[test]
    fn a_column_updates_with_the_rows() {
        let mut columns = Columns::new(1);
        columns.insert(path("task.name"), Column::default());
        let found = |columns: &Columns| {
            let mut within = Bitset::filled(9);
            assert!(columns.narrow(&filter(&json!({"task.name": "pick"})), &mut within));
            within.iter().collect::<Vec<_>>()
        };
        columns.apply(4, Some(&json!({"task": {"name": "pick"}})));
        columns.apply(7, Some(&json!({"task": {"name": "pick"}})));
        assert_eq!(found(&columns), [4, 7]);
        columns.apply(4, Some(&json!({"task": {"name": "place"}})));
        columns.apply(7, None);
        assert!(found(&columns).is_empty());
    }
}
