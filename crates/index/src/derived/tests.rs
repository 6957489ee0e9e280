use super::*;
use crate::{Bitset, Column, EventNameSet, Postings, WordIndex};
use proptest::prelude::*;
use robot_memory_core::model::Filter;
use std::fmt::Write;

/// Rows that are there from the beginning: more than one page holds.
const ROWS: i64 = 1_100;
const KIND: &str = "scalar";

/// A step of a row: what it becomes, by a number that all else is made of.
#[derive(Debug, Clone)]
enum Step {
    Put(i64, u32),
    Remove(i64),
    Belief(i64, u32),
    Scope(i64, u32),
    Vector(i64, u32),
    Signature(i64, u32),
    Picture(i64, u32),
    Fade(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = prop_oneof![3 => 0..ROWS, 1 => ROWS..ROWS + 40];
    let step = (id, 0u32..50, 0..10).prop_map(|(id, number, which)| match which {
        0 => Step::Remove(id),
        1 => Step::Belief(id, number),
        2 => Step::Scope(id, number),
        3 => Step::Vector(id, number),
        4 => Step::Signature(id, number),
        5 => Step::Fade(id),
        6 => Step::Picture(id, number),
        _ => Step::Put(id, number),
    });
    prop::collection::vec(step, 0..60)
}

fn belief(number: u32) -> Belief {
    Belief {
        said: f64::from(number) / 50.0,
        decay_rate: 0.01,
        fades_from: Stamp::from_secs(0),
        counted_until: Stamp::from_secs(0),
    }
}

fn vector(number: u32) -> Vec<f32> {
    let (sine, cosine) = (number as f32).sin_cos();
    vec![sine, cosine, 0.0]
}

fn tokens(id: i64, number: u32) -> Vec<String> {
    vec!["all".into(), format!("some{}", id % 9), format!("few{number}"), format!("own{id}")]
}

fn put(id: i64, number: u32, before: Vec<String>) -> Change {
    Change::Put(Box::new(Put {
        id,
        collection: format!("collection {}", number % 3),
        scope: format!("group:{}", number % 7),
        session_id: format!("session {}", number % 11),
        level: Level::ALL[number as usize % Level::ALL.len()],
        kind: Kind::ALL[number as usize % Kind::ALL.len()],
        mem_type: MemType::ALL[number as usize % MemType::ALL.len()],
        category: None,
        trust: Trust::ALL[0],
        is_real: number.is_multiple_of(2),
        belief: belief(number),
        created_at: Stamp::from_secs(id),
        quantity_key: number.into(),
        context: context(number),
        word_count: tokens(id, number).len() as u32,
        tokens: tokens(id, number),
        tokens_before: before,
        vector: Some(vector(number)),
    }))
}

fn context(number: u32) -> String {
    let event = match number % 4 {
        0 => format!(r#","event":{{"trigger":"edge","stream":"s{}"}}"#, number % 3),
        _ => String::new(),
    };
    format!(r#"{{"task":"t{}","at":[{number},1.0],"n":{number}.5{event}}}"#, number % 5)
}

/// The rows' tokens, by which a step knows what a row had before.
#[derive(Default, Clone)]
struct World {
    tokens: std::collections::BTreeMap<i64, Vec<String>>,
    last: i64,
}

impl World {
    fn change(&mut self, step: &Step) -> Option<Change> {
        Some(match *step {
            Step::Put(id, number) => {
                if !self.tokens.contains_key(&id) && id <= self.last {
                    return None;
                }
                self.last = self.last.max(id);
                let before = self.tokens.insert(id, tokens(id, number)).unwrap_or_default();
                put(id, number, before)
            }
            Step::Remove(id) => Change::Remove { id, tokens: self.tokens.remove(&id)? },
            Step::Belief(id, number) => Change::Belief { id, belief: belief(number) },
            Step::Scope(id, number) => {
                Change::Scope { id, scope: format!("turn:{number}").as_str().into() }
            }
            Step::Vector(id, number) => Change::Vector { id, vector: vector(number) },
            Step::Signature(id, number) => {
                let steps = vec![number as i8, 3, -4];
                Change::Signature { id, kind: KIND, steps }
            }
            Step::Picture(id, number) => Change::Picture { id, vector: vector(number) },
            Step::Fade(last_id) => Change::Faded {
                collection: "collection 1".into(),
                until: Stamp::from_secs(86_400 * (1 + last_id)),
                last_id,
            },
        })
    }
}

fn path(text: &str) -> Path {
    Path::parse(text).unwrap()
}

fn at(std_dev: Option<&str>) -> SpatialField {
    SpatialField { position: path("at"), std_dev: std_dev.map(path) }
}

fn filled() -> (Derived, World) {
    let mut derived = Derived::at(0);
    derived.words = Some(WordIndex::default());
    derived.vectors = Some(VectorIndex::new(3));
    for field in ["task", "n"] {
        derived.columns.insert(path(field), Column::default());
    }
    for std_dev in [None, Some("n")] {
        derived.insert_spatial(at(std_dev), SpatialIndex::default());
    }
    derived.insert_event_names(EventNames::default());
    derived.insert_signatures(KIND, SignatureColumn::new(3));
    derived.pictures = Some(PictureColumn::new(3));
    let mut world = World { last: -1, ..World::default() };
    let steps = (0..ROWS).flat_map(|id| {
        let number = (id % 50) as u32;
        [Step::Put(id, number), Step::Signature(id, number), Step::Picture(id, number)]
    });
    let changes = steps.filter_map(|step| world.change(&step)).collect();
    assert!(derived.apply(changes, 1));
    (derived, world)
}

/// What can be seen of the indexes.
fn shown(derived: &Derived) -> String {
    let mut out = String::new();
    let rows = &derived.rows;
    for slot in 0..rows.ids().len() as Slot {
        let is_live = rows.live().contains(slot);
        let belief = rows.fading_belief(slot).map(|it| it.confidence().to_bits());
        let _ = writeln!(out, "{is_live} {:?} {belief:?}", rows.facts(slot).filter(|_| is_live));
        let _ = writeln!(out, "{:?}", rows.neighbors(slot));
        let estimated =
            derived.vectors.as_ref().and_then(|it| it.estimates(&[slot], &vector(7))[0]);
        let _ = writeln!(out, "{estimated:?}");
        let task = derived.columns.get(&path("task")).and_then(|column| column.text(slot));
        let _ = writeln!(out, "{task:?}");
    }
    let all = Bitset::filled(rows.ids().len());
    let names = derived.event_names().unwrap();
    for stream in ["s0", "s1", "s2"] {
        let is_it = |set: &EventNameSet| set[1].as_deref() == Some(stream);
        let found = names.sets().find(|(_, set)| is_it(set));
        let rows = found.map(|(code, _)| names.rows([code], &all).iter().collect::<Vec<_>>());
        let _ = writeln!(out, "{stream} {rows:?}");
    }
    let _ = writeln!(out, "{:?}", rows.count_by_class(&all));
    let _ = writeln!(out, "{:?}", rows.count_by_session(&all));
    let _ = writeln!(out, "{:?}", rows.scopes_with_prefix("").collect::<Vec<_>>());
    let words = derived.words.as_ref().unwrap();
    for token in ["all", "some3", "few12", "few49", "own7", "own1105"] {
        let _ = writeln!(out, "{:?}", words.postings(token).to_vec());
    }
    let filter = Filter::parse(r#"{"task": "t3", "n": {"$gt": 12}}"#).unwrap();
    let mut within = all.clone();
    derived.columns.narrow(&filter, &mut within);
    let _ = writeln!(out, "{:?}", within.iter().collect::<Vec<_>>());
    for field in [at(None), at(Some("n"))] {
        let target = field.target(&[9.0, 1.0]);
        let near = derived.spatial(&field).unwrap().nearest(&target, None, 90, &all);
        let _ = writeln!(out, "{near:?} {:?}", derived.revision());
    }
    let alike = derived.signatures(KIND).unwrap().nearest(&[9, 3, -4], &all, 90);
    let _ = writeln!(out, "{alike:?}");
    let shown = derived.pictures.as_ref().unwrap().best(&vector(7), &all, 90, 0.5);
    let _ = writeln!(out, "{shown:?}");
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn a_version_is_what_its_changes_made_and_stays_so(before in steps(), after in steps()) {
        let (mut derived, mut world) = filled();
        let (mut fresh, _) = filled();
        let changes: Vec<Change> = before.iter().filter_map(|step| world.change(step)).collect();
        // One change a version, of which each is held for a while, against all at once.
        let mut held = Vec::new();
        for (revision, change) in (2..).zip(changes.clone()) {
            held.push((derived.clone(), shown(&derived)));
            prop_assert!(derived.apply(vec![change], revision));
            if held.len() > 3 {
                let (version, was) = held.remove(0);
                prop_assert_eq!(shown(&version), was);
            }
        }
        prop_assert!(derived.apply(Vec::new(), 100) && fresh.apply(changes, 100));
        let version = derived.clone();
        let was = shown(&version);
        prop_assert_eq!(&was, &shown(&fresh));
        let changes: Vec<Change> = after.iter().filter_map(|step| world.change(step)).collect();
        prop_assert!(derived.apply(changes.clone(), 101) && fresh.apply(changes, 101));
        prop_assert_eq!(shown(&derived), shown(&fresh));
        prop_assert_eq!(shown(&version), was);
    }
}

#[test]
fn names_of_events_follow_their_rows() {
    let (mut derived, _) = filled();
    let is_event = |derived: &Derived, id| {
        let slot = derived.rows.slot(id).expect("it is there");
        derived.event_names().expect("they are there").code(slot).is_some()
    };
    let all = |derived: &Derived| (0..50).filter(|id| is_event(derived, *id)).collect::<Vec<_>>();
    assert_eq!(all(&derived), (0..50).step_by(4).collect::<Vec<_>>());
    let before = |id: i64| tokens(id, id as u32);
    let changes = vec![put(4, 5, before(4)), put(5, 8, before(5))];
    assert!(derived.apply(changes, 2));
    assert_eq!([4, 5].map(|id| is_event(&derived, id)), [false, true]);
    let slot = derived.rows.slot(5).expect("it is there");
    assert!(derived.apply(vec![Change::Remove { id: 5, tokens: tokens(5, 8) }], 3));
    assert_eq!(derived.event_names().expect("they are there").code(slot), None);
}
