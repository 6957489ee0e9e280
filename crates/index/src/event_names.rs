use super::column::Column;
use super::{Bitset, Slot};
use robot_memory_core::model::{Cell, Path};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What names an event, in this order: its trigger, stream, topic and subject, and what it was on.
pub type EventNameSet = [Option<String>; 5];

/// The member of a context that tells of an event, and the names in it. What has no trigger is no event.
const EVENT: &str = "event";
const NAMES: [&str; 5] = ["trigger", "stream", "topic", "subject", "on"];

/// Rows of so few sets of names are found set by set: with one code they are compared 64 at a time, with several one by one.
const FEW_SETS: usize = 8;
/// So many sets of names are found by comparing all rows with one that has them; the rows of others one by one.
const COMPARED_SETS: usize = 32;

/// The names of each row that is an event, each distinct set of them once: what asks for events by their names
/// looks at a few sets of names, however many events have them. Clones share what neither of them changes.
#[derive(Debug, Clone, Default)]
pub struct EventNames {
    /// The names of a row as one JSON text.
    sets: Column,
}

impl EventNames {
    /// Whether a context may tell of an event.
    pub(super) fn has_event(context: Option<&Value>) -> bool {
        context.is_some_and(|context| context.get(EVENT).is_some())
    }

    /// Takes over a row's context, or that there is no such row any more.
    pub fn put(&mut self, slot: Slot, context: Option<&Value>) {
        self.put_event(slot, context.and_then(|context| context.get(EVENT)));
    }

    /// The same of a context as it is stored.
    pub fn put_text(&mut self, slot: Slot, context: &str) {
        static PATH: LazyLock<Option<Path>> = LazyLock::new(|| Path::parse(EVENT).ok());
        let event = PATH.as_ref().and_then(|path| path.resolve_text(context));
        self.put_event(slot, event.as_ref());
    }

    fn put_event(&mut self, slot: Slot, event: Option<&Value>) {
        let names = NAMES.map(|name| event.and_then(|event| event.get(name)?.as_str()));
        let set = names[0].and_then(|_| serde_json::to_string(&names).ok());
        match set {
            Some(set) => self.sets.put(slot, &Cell::Text(&set)),
            None => self.sets.remove(slot),
        }
    }

    /// Takes out of `within` what is no event.
    pub fn retain_events(&self, within: &mut Bitset) {
        self.sets.retain_texts(within);
    }

    /// The sets of names that any row has, each with its code.
    pub fn sets(&self) -> impl Iterator<Item = (u32, EventNameSet)> {
        let sets = (0..).zip(self.sets.texts());
        sets.filter_map(|(code, set)| Some((code, serde_json::from_str(set).ok()?)))
    }

    /// The code of a row's names; `None` when it is no event.
    pub fn code(&self, slot: Slot) -> Option<u32> {
        self.sets.text_code(slot)
    }

    /// Those of some rows that have the names of any of these codes.
    pub fn rows(&self, codes: impl IntoIterator<Item = u32>, of: &Bitset) -> Bitset {
        let codes: Vec<u32> = codes.into_iter().collect();
        if codes.len() <= FEW_SETS {
            let mut rows = Bitset::default();
            for code in codes {
                let mut of_code = of.clone();
                self.sets.retain_text_code(code, &mut of_code);
                rows.union_with(&of_code);
            }
            return rows;
        }
        let last = codes.iter().copied().max().unwrap_or_default() as usize;
        let mut accepted = vec![false; last + 1];
        for code in codes {
            accepted[code as usize] = true;
        }
        let mut rows = of.clone();
        self.sets.retain_text_codes(&accepted, &mut rows);
        rows
    }

    /// The codes of the names that any of some rows has.
    pub fn codes(&self, mut of: Bitset) -> BTreeSet<u32> {
        let mut codes = BTreeSet::new();
        // A few sets of names have nearly all events, and rows are compared 64 at a time.
        while codes.len() < COMPARED_SETS {
            let Some(code) = of.iter().find_map(|slot| self.code(slot)) else { return codes };
            codes.insert(code);
            let mut same = of.clone();
            self.sets.retain_text_code(code, &mut same);
            of.subtract(&same);
        }
        codes.extend(of.iter().filter_map(|slot| self.code(slot)));
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_found_by_the_code_of_their_names() {
        let mut names = EventNames::default();
        let hit = json!({"event": {"trigger": "impact", "stream": "wrist\u{1}\"", "on": 3}});
        let moved = json!({"event": {"trigger": "motion", "stream": "axis", "on": "joint_1"}});
        let plain = json!({"event": {"stream": "axis"}, "task": {"trigger": "none"}});
        for (slot, context) in (0..).zip([&hit, &moved, &plain, &hit, &json!({"event": "impact"})])
        {
            names.put_text(slot, &context.to_string());
        }
        let of = |names: &EventNames, slot: Slot| {
            let code = names.code(slot)?;
            names.sets().find(|(other, _)| *other == code).map(|(_, names)| names)
        };
        let set = |names: [Option<&str>; 5]| Some(names.map(|name| name.map(str::to_owned)));
        let of_hit = set([Some("impact"), Some("wrist\u{1}\""), None, None, None]);
        assert_eq!(of(&names, 0), of_hit);
        assert_eq!(of(&names, 1), set([Some("motion"), Some("axis"), None, None, Some("joint_1")]));
        assert_eq!([2, 4].map(|slot| of(&names, slot)), [None, None]);
        let mut events = Bitset::filled(5);
        names.retain_events(&mut events);
        assert_eq!(events.iter().collect::<Vec<_>>(), [0, 1, 3]);
        let code = names.code(0).expect("it is an event");
        assert_eq!(names.rows([code], &events).iter().collect::<Vec<_>>(), [0, 3]);
        let codes = names.codes(events.clone());
        assert_eq!(codes.len(), 2);
        assert_eq!(names.rows(codes, &events).iter().collect::<Vec<_>>(), [0, 1, 3]);
        assert!(names.rows([], &events).is_empty());
        names.put(0, Some(&moved));
        names.put(3, None);
        assert_eq!(names.sets().count(), 1, "names that no row has any more are forgotten");
        for slot in 0..100 {
            let moved = json!({"event": {"trigger": "motion", "stream": format!("axis {slot}")}});
            names.put(slot + 10, Some(&moved));
        }
        let codes = names.codes(Bitset::filled(110));
        assert_eq!(codes, names.sets().map(|(code, _)| code).collect::<BTreeSet<_>>());
        assert_eq!(codes.len(), 101, "more sets than are compared");
        assert_eq!(names.rows(codes, &Bitset::filled(110)).count(), 102);
        assert_eq!(names.code(0), names.code(1));
        assert_eq!(names.code(3), None);
    }
}
