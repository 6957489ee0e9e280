//! Which events are meant: the classes of config/events.txt, found in questions and in names of topics.

use super::atoms::{Atom, all, atoms};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

/// The phrases that come with the program.
const SHIPPED: &str = include_str!("../../../../../config/events.txt");

/// Classes of things that a question names. Beside one of them the words for what happens say how it did:
/// a battery drops, a button is pressed.
const THINGS: [&str; 3] = ["emergency stop", "protective stop", "battery"];
/// What has one of the first is like the second: half of what was asked for.
const LIKE: [(&str, &str); 3] =
    [("emergency stop", STOP), ("protective stop", STOP), ("impact", "contact")];
/// What an emergency stop and a protective stop are, too.
const STOP: &str = "stop";
const STOPS: [&str; 2] = ["emergency stop", "protective stop"];
/// The class of an event by its trigger.
#[rustfmt::skip]
const TRIGGERS: [(&str, &str); 14] = [
    ("impact", "impact"), ("contact", "contact"), ("slip", "slip"), ("motion", "motion"),
    ("keyframe", "view"), ("change", "change"), ("novelty", "novelty"), ("level", "fault"),
    ("threshold", "limit"), ("threshold", "obstacle"), ("charge", "battery"), ("stuck", "stuck"),
    ("takeover", "takeover"), ("drive", "motion"),
];
const NONE: &str = "none";

/// A phrase, and the class that it is one of.
#[derive(Debug, Clone)]
struct Phrase {
    stems: Vec<String>,
    class: usize,
    in_questions_only: bool,
}

#[derive(Debug, Clone, Default)]
struct Table {
    names: Vec<String>,
    /// By their first stem.
    phrases: HashMap<String, Vec<Phrase>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(SHIPPED));

impl Table {
    fn parse(text: &str) -> Self {
        let mut table = Self::default();
        for row in text.lines() {
            let row = row.split('#').next().unwrap_or_default();
            let Some((name, phrases)) = row.split_once(':') else { continue };
            let class = table.names.len();
            table.names.push(name.trim().to_owned());
            for phrase in phrases.split(',').map(str::trim) {
                let bare = phrase.trim_start_matches('?');
                let stems: Vec<String> = atoms(bare).into_iter().map(|atom| atom.stem).collect();
                if let Some(first) = stems.first().cloned() {
                    let in_questions_only = bare.len() < phrase.len();
                    let phrase = Phrase { stems, class, in_questions_only };
                    table.phrases.entry(first).or_default().push(phrase);
                }
            }
        }
        table
    }

    /// The longest phrase that `atoms` begin with.
    fn longest(&self, atoms: &[Atom], is_question: bool) -> Option<&Phrase> {
        let is_here = |phrase: &&Phrase| {
            (is_question || !phrase.in_questions_only)
                && phrase.stems.len() <= atoms.len()
                && phrase.stems.iter().zip(atoms).all(|(stem, atom)| *stem == atom.stem)
        };
        let phrases = self.phrases.get(&atoms.first()?.stem)?;
        phrases.iter().rev().filter(is_here).max_by_key(|phrase| phrase.stems.len())
    }

    fn found(&self, atoms: &[Atom], is_question: bool) -> (BTreeSet<&str>, Vec<Range<usize>>) {
        let at = |at: usize| {
            let phrase = self.longest(&atoms[at..], is_question)?;
            Some((phrase.stems.len(), self.names[phrase.class].as_str()))
        };
        let found = all(atoms, at).into_iter().filter(|(_, class)| *class != NONE);
        let (places, classes): (Vec<_>, BTreeSet<_>) = found.unzip();
        (classes, places)
    }
}

/// The classes of events that a question asks for, and the places of the words that say so.
pub(super) fn asked_classes(atoms: &[Atom]) -> (Vec<&'static str>, Vec<Range<usize>>) {
    let (mut classes, places) = TABLE.found(atoms, true);
    if classes.iter().any(|class| THINGS.contains(class)) {
        classes.retain(|class| THINGS.contains(class));
    }
    (classes.into_iter().collect(), places)
}

/// The phrase for a class that `atoms` begin with: how many of them, and the class; no class for a phrase in
/// which the words of one say something else.
pub(super) fn class_at(atoms: &[Atom]) -> Option<(usize, Option<&'static str>)> {
    let phrase = TABLE.longest(atoms, true)?;
    let name = TABLE.names[phrase.class].as_str();
    Some((phrase.stems.len(), (name != NONE).then_some(name)))
}

/// The one class that several words for classes mean together; `None` when they mean two.
#[expect(clippy::option_option, reason = "no class is said, or two are")]
pub(super) fn one_class(classes: &[&'static str]) -> Option<Option<&'static str>> {
    let mut classes: BTreeSet<&'static str> = classes.iter().copied().collect();
    if STOPS.iter().any(|stop| classes.contains(stop)) {
        // It was pressed.
        classes.retain(|class| !["contact", STOP].contains(class));
    }
    (classes.len() < 2).then(|| classes.pop_first())
}

/// The classes of an event by its trigger, and by the names of its stream and topic.
pub fn event_classes(trigger: &str, names: &[&str]) -> Vec<&'static str> {
    let mut classes: BTreeSet<&'static str> = BTreeSet::new();
    classes.extend(TRIGGERS.iter().filter(|(of, _)| *of == trigger).map(|(_, class)| *class));
    for name in names {
        // `protectiveStop` and `protective_stop` are both two words.
        let mut words = String::new();
        let mut was_lower = false;
        for letter in name.chars() {
            if letter.is_uppercase() && was_lower {
                words.push(' ');
            }
            words.push(letter);
            was_lower = letter.is_lowercase();
        }
        classes.extend(TABLE.found(&atoms(&words), false).0);
    }
    if STOPS.iter().any(|stop| classes.contains(stop)) {
        classes.insert(STOP);
    }
    // What is seen in /joint_states is a motion, and no change of a state.
    if classes.contains("motion") {
        classes.remove("change");
    }
    classes.into_iter().collect()
}

/// How much of an event's classes is what was asked for: 1.0, less for what is alike, 0 for others.
pub fn class_share(asked: &[&str], classes: &[&str]) -> f64 {
    const ALIKE: f64 = 0.5;
    if asked.iter().any(|class| classes.contains(class)) {
        return 1.0;
    }
    let is_like = |(one, other): &(&str, &str)| asked.contains(one) && classes.contains(other);
    if LIKE.iter().any(is_like) { ALIKE } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_whole() {
        let names: Vec<&str> = TABLE.names.iter().map(String::as_str).collect();
        for (_, class) in TRIGGERS {
            assert!(names.contains(&class), "{class}");
        }
        for class in THINGS {
            assert!(names.contains(&class), "{class}");
        }
        for (one, other) in LIKE {
            assert!(names.contains(&one) && names.contains(&other));
        }
        for row in SHIPPED.lines().filter(|row| !row.starts_with('#') && !row.is_empty()) {
            assert!(row.contains(':'), "{row}");
        }
    }

    #[test]
    fn a_question_asks_for_classes() {
        let cases: [(&str, &[&str]); 20] = [
            ("did anything bump into it", &["impact"]),
            ("hardest knock", &["impact"]),
            ("今天撞到东西了吗", &["impact"]),
            ("when was the e-stop pressed", &["emergency stop"]),
            ("somebody pushed the red button", &["emergency stop"]),
            ("上一次急停", &["emergency stop"]),
            ("protective halt", &["protective stop"]),
            ("触发过保护停吗", &["protective stop"]),
            ("did it drop anything", &["slip"]),
            ("the gripper lost an object", &["slip"]),
            ("从夹爪里滑脱", &["slip"]),
            ("夹爪掉过东西", &["slip"]),
            ("did the arm move", &["motion"]),
            ("手臂动了吗", &["motion"]),
            ("the battery dropped", &["battery"]),
            ("电量掉到最低", &["battery"]),
            ("was it charged", &["battery"]),
            ("自动启动", &[]),
            ("what touched the tool", &["contact"]),
            ("why did it stop", &["stop"]),
        ];
        for (text, classes) in cases {
            assert_eq!(asked_classes(&atoms(text)).0, classes, "{text}");
        }
    }

    #[test]
    fn an_event_is_of_the_classes_of_its_trigger_and_names() {
        let cases: [(&str, &str, &[&str]); 9] = [
            ("impact", "/wrench", &["impact"]),
            ("edge", "/ur/protective_stop", &["protective stop", "stop"]),
            ("edge", "/robot/eStop", &["emergency stop", "stop"]),
            ("edge", "/gripper/grip_lost", &["slip"]),
            ("edge", "/bumper_left", &["impact"]),
            ("novelty", "/battery_state", &["battery", "change", "novelty"]),
            ("edge", "/door_open", &[]),
            ("motion", "/joint_states", &["motion"]),
            ("change", "/machine_state", &["change"]),
        ];
        for (trigger, name, classes) in cases {
            assert_eq!(event_classes(trigger, &[name]), classes, "{name}");
        }
        assert_eq!(class_share(&["impact"], &["impact"]), 1.0);
        let protective = event_classes("edge", &["/protective_stop"]);
        assert_eq!(class_share(&["emergency stop"], &protective), 0.5);
        assert_eq!(class_share(&["stop"], &protective), 1.0);
        assert_eq!(class_share(&["emergency stop"], &["slip"]), 0.0);
    }
}
