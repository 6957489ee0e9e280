//! The words by which a report tells its attempts apart, and how each ended. English and Chinese: the table
//! `config/outcomes.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::super::items::{Item, ItemKind};
use super::super::super::phrases::{Phrases, sections};
use super::super::super::stem::stem;

/// What a word or phrase says of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It went well.
    Good,
    /// The same where it stands after the values, or in a clause of its own; before them it is what was to be done.
    Result,
    /// It did not.
    Bad,
    /// It did not, and may yet have ended well: it wobbled.
    Mild,
    /// It did not, or it is what was wanted: it melted, it came loose.
    Either,
    /// Nothing by itself; where it is denied, all went well: 没撒, "nobody hurt".
    Harm,
    /// It was given up, a person was called.
    GivenUp,
    /// What follows did not come about.
    Not,
    /// What stands before it is not there any more.
    Gone,
    /// It did not quite come about.
    Nearly,
    /// Nobody knows.
    Unclear,
    /// Its letters are those of another one.
    Neutral,
    /// It is tried.
    Try,
    /// It is tried anew.
    Again,
    /// It is tried in another way.
    Change,
    /// It is told after the one before.
    Later,
    /// It is not told as done.
    Plan,
    /// What follows is what somebody says, or thought.
    Claimed,
    /// The clause is a reason.
    Because,
    /// The clause tells of what was before, when it follows another one.
    Earlier,
    /// What came of it: the clause begins anew.
    Then,
    /// Another thing is tried.
    Other,
    /// All that were named.
    All,
    /// The number beside it was measured, and not set.
    Measured,
    /// The number after it is the one that was not taken.
    Instead,
}

use Mark::*;

/// The table that comes with the program.
const TABLE: &str = include_str!("../../../../../../config/outcomes.txt");

/// What the sections of the table say.
#[rustfmt::skip]
const SECTIONS: &[(&str, Mark)] = &[
    ("good", Good), ("result", Result), ("bad", Bad), ("mild", Mild), ("either", Either), ("harm", Harm),
    ("given up", GivenUp), ("not", Not), ("gone", Gone), ("nearly", Nearly), ("unclear", Unclear),
    ("other words", Neutral), ("try", Try), ("again", Again), ("change", Change), ("later", Later),
    ("claimed", Claimed), ("plan", Plan), ("because", Because), ("earlier", Earlier), ("then", Then),
    ("other thing", Other), ("all", All), ("measured", Measured), ("instead", Instead),
];
/// Sections of verbs that are known by their stems.
const VERBS: &[(&str, Mark)] =
    &[("bad verbs", Bad), ("mild verbs", Mild), ("either verbs", Either)];
const BLEMISH: &str = "blemish";
const VAGUE: &str = "vague";

/// The rows of the table: the section, and a phrase of it.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    sections(TABLE).flat_map(|(section, row)| {
        let phrases = row.split(',').map(str::trim).filter(|phrase| !phrase.is_empty());
        phrases.map(move |phrase| (section, phrase))
    })
}

/// The phrases of a section.
fn phrases_of(wanted: &'static str) -> Phrases<()> {
    Phrases::new(rows().filter(|(of, _)| *of == wanted).map(|(_, phrase)| (phrase, ())))
}

static PHRASES: LazyLock<Phrases<Mark>> = LazyLock::new(|| {
    let of = |&(wanted, mark): &'static (&str, Mark)| {
        rows().filter(move |(of, _)| *of == wanted).map(move |(_, phrase)| (phrase, mark))
    };
    Phrases::new(SECTIONS.iter().flat_map(of))
});

static STEMS: LazyLock<HashMap<String, Mark>> = LazyLock::new(|| {
    let mark = |name: &str| VERBS.iter().find(|(of, _)| *of == name).map(|(_, mark)| *mark);
    rows().filter_map(|(of, verb)| Some((stem(verb).into_owned(), mark(of)?))).collect()
});

static BLEMISHES: LazyLock<Phrases<()>> = LazyLock::new(|| phrases_of(BLEMISH));
static VAGUES: LazyLock<Phrases<()>> = LazyLock::new(|| phrases_of(VAGUE));

/// What the items at the begin of `items` say, and how many of them say it.
pub(super) fn mark(items: &[Item]) -> Option<(Mark, usize)> {
    if let Some(found) = PHRASES.longest(items) {
        return Some(found);
    }
    let first = items.first().filter(|item| item.kind == ItemKind::Word)?;
    Some((*STEMS.get(stem(&first.text).as_ref())?, 1))
}

/// How many items at the begin of `items` name what should not be there: a stain, 气泡.
pub(super) fn blemish(items: &[Item]) -> Option<usize> {
    BLEMISHES.longest(items).map(|(_, used)| used)
}

/// Whether `items` begin with what makes a result a doubtful one: a little, on the floor.
pub(super) fn is_vague(items: &[Item]) -> bool {
    VAGUES.longest(items).is_some()
}

/// Nouns of acts and settings: "with a 6 N pull" tells how it was pulled.
#[rustfmt::skip]
pub(super) const ACT_NOUNS: &[&str] = &[
    "pull", "push", "grip", "grasp", "press", "squeeze", "try", "attempt", "twist", "turn", "lift", "setting", "force", "torque", "speed", "pressure", "vacuum", "suction", "dwell", "hold", "pause", "wait", "delay", "stroke", "angle", "tilt", "height", "width", "opening", "gap", "stage", "approach", "descent", "run", "pass", "step", "clamp", "feed", "rate", "power", "current", "voltage", "temperature", "level", "insertion", "pick", "pinch", "touch", "tap", "load", "preload", "shot", "pulse", "spin", "pour", "limit", "one", "ones", "version", "program", "profile", "preset", "soak", "rinse", "bake", "cycle", "trial", "test", "swing", "lift", "tension",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_table_has_known_sections_and_each_phrase_once() {
        let known: Vec<&str> = SECTIONS.iter().chain(VERBS).map(|(name, _)| *name).collect();
        let mut seen = HashSet::new();
        for (section, phrase) in rows() {
            assert!(known.contains(&section) || [BLEMISH, VAGUE].contains(&section), "[{section}]");
            assert_eq!(phrase, phrase.to_lowercase(), "[{section}]");
            let kind = match section {
                BLEMISH | VAGUE => section,
                _ if VERBS.iter().any(|(name, _)| *name == section) => "verbs",
                _ => "",
            };
            assert!(seen.insert((kind, phrase)), "[{section}] {phrase} stands twice");
        }
        for name in known.into_iter().chain([BLEMISH, VAGUE]) {
            assert!(rows().any(|(of, _)| of == name), "[{name}] is empty");
        }
    }
}
