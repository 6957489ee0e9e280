use super::*;
use proptest::prelude::*;
use robot_memory_core::access::Access;
use robot_memory_core::model::{Belief, Kind, Level, Stamp, Trust};
use robot_memory_index::{Row, Slot};

const SCOPES: [&str; 14] = [
    "global",
    "group:a",
    "group:b",
    "dm",
    "agent:x",
    "agent:xy",
    "session:s1",
    "branch:s1/a",
    "branch:s2/a",
    "turn:1",
    "turn:12",
    "turn:2",
    "turn:3",
    "unscoped",
];

const GRANTS: [&str; 11] = [
    "all",
    "global",
    "group:*",
    "group:a",
    "turn:*",
    "turn:1*",
    "turn:1",
    "agent:{agent}",
    "agent:*",
    "branch:s1/*",
    "session:*1",
];

const WANTED: [&str; 8] =
    ["all", "all", "all", "global", "group:a", "turn:12", "agent:x", "cross:a"];

/// A row by its scope and class.
type Given = (&'static str, MemType);

fn policy(grants: &[(&str, Vec<MemType>)]) -> String {
    let mut text = "agents:\n  - names: [x]\n    read:\n".to_owned();
    for (scope, types) in grants {
        text += &match types.as_slice() {
            [] => format!("      - \"{scope}\"\n"),
            types => {
                let types: Vec<&str> = types.iter().map(|it| it.as_str()).collect();
                let types = types.join(", ");
                format!("      - {{scope: \"{scope}\", mem_types: [{types}]}}\n")
            }
        };
    }
    text
}

fn derived(given: &[Given]) -> Derived {
    let mut derived = Derived::at(0);
    for (id, (scope, mem_type)) in (1..).zip(given) {
        derived.rows.put(&Row {
            id,
            collection: "default",
            scope,
            session: "",
            level: Level::Core,
            kind: Kind::Fact,
            mem_type: *mem_type,
            category: None,
            trust: Trust::High,
            is_real: false,
            belief: Belief::new(0.8, 0.01, Stamp(id)),
            created_at: Stamp(id),
            word_count: 3,
            quantity_key: 0,
        });
    }
    derived
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn what_is_seen_by_numbers_is_what_is_seen_by_name(
        given in prop::collection::vec(
            (prop::sample::select(&SCOPES[..]), prop::sample::select(MemType::ALL)), 0..200),
        grants in prop::collection::vec(
            (
                prop::sample::select(&GRANTS[..]),
                prop::collection::vec(prop::sample::select(MemType::ALL), 0..3),
            ),
            1..4,
        ),
        wanted in prop::sample::select(&WANTED[..]),
        agent in prop::sample::select(vec!["", "x", "x"]),
        mem_types in prop::collection::vec(prop::sample::select(MemType::ALL), 0..3),
    ) {
        let access = Access::parse(&policy(&grants)).unwrap();
        let wanted = SearchScope::parse(wanted).unwrap();
        let Ok(visibility) = access.policy.visibility(agent, &wanted) else { return Ok(()) };
        let derived = derived(&given);
        let seen = VisibleRows::of(&visibility, &derived.rows);
        let sees = |(scope, mem_type): &Given| visibility.sees(&Scope::parse(scope).unwrap(), *mem_type);
        for (slot, row) in (0..).zip(&given) {
            prop_assert_eq!(seen.sees(&derived.rows.facts(slot).unwrap()), sees(row), "{:?}", row);
        }
        let is_selected = |row: &Given| mem_types.is_empty() || mem_types.contains(&row.1);
        let selection = RowSelection { mem_types: mem_types.clone(), ..Default::default() };
        let expected: Vec<Slot> = (0..)
            .zip(&given)
            .filter(|(_, row)| sees(row) && is_selected(row))
            .map(|(slot, _)| slot)
            .collect();
        let allowed = seen.allowed(&derived, &selection);
        prop_assert_eq!(allowed.iter().collect::<Vec<_>>(), expected);
    }
}
