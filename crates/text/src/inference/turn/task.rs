//! What was done to what: the task and the object that a report of one attempt names.

use super::super::items::ItemKind;
use super::super::stem::stem;
use super::morphology::is_article;
use super::parsed_sentence::ParsedSentence;
use super::sentences::sentences;
use super::words::LexicalClass::{self, *};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// A task and what it was done to, as a text names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTask {
    /// The verb in its plain form (`insert`, of "the insertion" too), or in Chinese as it is written.
    pub task: String,
    /// As it is written, without its article; empty when it is not named.
    pub object: String,
}

/// Items of an object's name.
const OBJECT_ITEMS_MAX: usize = 12;

/// Verbs of tasks. Their forms are known by their stems.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "insert", "grasp", "pick", "place", "grip", "lift", "push", "pull", "screw", "unscrew", "weld", "solder", "glue",
    "pour", "wipe", "clean", "open", "close", "dock", "undock", "navigate", "drive", "deliver", "load", "unload",
    "stack", "unstack", "sort", "pack", "unpack", "scan", "inspect", "measure", "calibrate", "assemble",
    "disassemble", "mount", "tighten", "loosen", "cut", "drill", "press", "peel", "fold", "transfer", "transport",
    "charge", "detect", "locate", "mix", "dispense", "pipette", "attach", "detach", "remove", "release", "regrasp",
    "carry", "move", "fetch", "throw", "catch", "rotate", "align", "weigh", "polish", "grind", "sand", "paint", "spray",
    "plug", "unplug", "connect", "disconnect", "feed", "harvest", "hand", "stir", "fill",
];

/// Nouns and past forms whose stems are not those of their verbs.
#[rustfmt::skip]
const FORMS: &[(&str, &str)] = &[
    ("placement", "place"), ("delivery", "deliver"), ("navigation", "navigate"), ("measurement", "measure"),
    ("removal", "remove"), ("alignment", "align"), ("attachment", "attach"), ("handover", "hand over"),
    ("hand over", "hand over"), ("pickup", "pick"), ("drove", "drive"), ("driven", "drive"), ("caught", "catch"),
    ("threw", "throw"), ("thrown", "throw"), ("fed", "feed"), ("ground", "grind"), ("welded", "weld"),
];

/// Acts that say only that something was done.
#[rustfmt::skip]
const VAGUE: &[&str] = &["任务", "步骤", "轨迹", "重试", "操作", "实验", "移动到", "执行"];

/// Words that are no part of a name.
#[rustfmt::skip]
const NO_NAMES: &[&str] = &[
    "with", "at", "by", "into", "onto", "from", "to", "using", "and", "but", "when", "after", "before",
    "because", "for", "of", "again", "twice", "then", "robot", "arm", "it", "i", "we", "attempt",
    "successfully", "while", "until", "as", "per", "failed", "ok",
];

static STEMS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut stems: HashMap<String, &'static str> = HashMap::new();
    for verb in VERBS {
        stems.entry(stem(verb).into_owned()).or_insert(verb);
    }
    for (form, verb) in FORMS {
        stems.insert(stem(form).into_owned(), verb);
    }
    stems
});

/// The plain form of a word that names a task: `insert` for insertion, inserting, Inserted.
pub fn task_verb(word: &str) -> Option<&'static str> {
    STEMS.get(stem(&word.to_lowercase()).as_ref()).copied()
}

/// The first task that a text names, and what it was done to; `None` when it names none.
pub fn named_task(text: &str) -> Option<NamedTask> {
    sentences(text).iter().find_map(|range| {
        let sentence = ParsedSentence::of(text, range);
        let (at, task) = verb(&sentence, text)?;
        let object = object(&sentence, &at).map(|bytes| text[bytes].trim().to_owned());
        Some(NamedTask { task, object: object.unwrap_or_default() })
    })
}

/// Where the task stands, and what it is called.
fn verb(sentence: &ParsedSentence, text: &str) -> Option<(Range<usize>, String)> {
    let mut index = 0;
    while index < sentence.items.len() {
        let after = sentence.after(index);
        let item = &sentence.items[index];
        match item.kind {
            ItemKind::Word => {
                // "Placed on the tray", but not "the place", nor "the open door".
                let is_noun = index > 0
                    && is_article(sentence, index - 1)
                    && item.text.as_str() == task_verb(&item.text).unwrap_or_default()
                    && !sentence.is_word(index + 1, &["of"])
                    && !ends(sentence, index + 1);
                // "The door is open".
                let is_state = index > 0
                    && sentence.has_cue(index - 1, &[Is, Was])
                    && task_verb(&item.text) == Some(item.text.as_str());
                let verb = task_verb(&item.text).filter(|_| !is_noun && !is_state);
                if let Some(verb) = verb {
                    return Some((index..index + 1, verb.to_owned()));
                }
                index += 1;
            }
            ItemKind::Han => {
                if sentence.has_cue(index, &[Act, Handles]) {
                    let spelled = &text[sentence.bytes(index..after)];
                    if !VAGUE.contains(&spelled) {
                        let plain = spelled.trim_end_matches(['了', '起', '住', '到', '上']);
                        let is_word = plain.chars().count() > 1;
                        let task = if is_word { plain } else { spelled };
                        return Some((index..after, task.to_owned()));
                    }
                }
                index = after;
            }
            _ => index += 1,
        }
    }
    None
}

/// The name that stands after the task, else the one before it.
fn object(sentence: &ParsedSentence, task: &Range<usize>) -> Option<Range<usize>> {
    let mut from = task.end;
    // "Insertion of the bolt", "grasp failed on the cup", "picked up the cup".
    while sentence.is_word(from, &["of", "up", "out", "over", "了", "起", "住"]) {
        from += 1;
    }
    let behind_outcome = (from..sentence.items.len().min(from + 3))
        .find(|&at| sentence.is_word(at, &["of", "on", "for"]) && at > from)
        .filter(|&at| (from..at).all(|at| ends(sentence, at)))
        .map(|at| at + 1);
    forward(sentence, from)
        .or_else(|| backward(sentence, task.start))
        .or_else(|| forward(sentence, behind_outcome?))
}

fn forward(sentence: &ParsedSentence, from: usize) -> Option<Range<usize>> {
    let mut start = from;
    while is_opening(sentence, start) {
        start += 1;
    }
    let mut end = start;
    while end < sentence.items.len() && end - start < OBJECT_ITEMS_MAX && is_named(sentence, end) {
        end = sentence.after(end).min(sentence.items.len());
    }
    name(sentence, start..end)
}

fn backward(sentence: &ParsedSentence, task: usize) -> Option<Range<usize>> {
    let mut end = task;
    // "The bolt was inserted", "bolt insertion", 把螺栓插入.
    while end > 0
        && (sentence.has_cue(end - 1, &[Was, Is, Done, Tries])
            || sentence.is_word(end - 1, &["to", "的", "被", "has", "had", "could", "be"]))
    {
        end -= 1;
    }
    let mut start = end;
    while start > 0 && end - start < OBJECT_ITEMS_MAX && is_named(sentence, start - 1) {
        start -= 1;
    }
    while start < end && is_opening(sentence, start) {
        start += 1;
    }
    name(sentence, start..end)
}

/// The bytes of a name that has something to say.
fn name(sentence: &ParsedSentence, range: Range<usize>) -> Option<Range<usize>> {
    let says = range.clone().any(|index| {
        matches!(sentence.items[index].kind, ItemKind::Word | ItemKind::Name | ItemKind::Han)
    });
    says.then(|| sentence.bytes(range))
}

fn is_opening(sentence: &ParsedSentence, index: usize) -> bool {
    index < sentence.items.len()
        && (is_article(sentence, index)
            || sentence.has_cue(index, &[Takes, Tries])
            || sentence
                .is_word(index, &["this", "that", "one", "把", "将", "了", "一", "个", "力"]))
}

/// Whether an item can be a part of a name.
fn is_named(sentence: &ParsedSentence, index: usize) -> bool {
    let item = &sentence.items[index];
    if ends(sentence, index) || is_article(sentence, index) {
        return false;
    }
    match item.kind {
        ItemKind::Word => {
            !item.is_one_of(NO_NAMES)
                && task_verb(&item.text).is_none_or(|verb| verb == item.text && verb != "hand")
        }
        ItemKind::Han => !"时后前用以在从到被把将了，是后".contains(item.text.as_str()),
        ItemKind::Name => true,
        ItemKind::Quantity(ref quantity) => quantity.unit.is_empty() && quantity.symbol.is_empty(),
        ItemKind::Sign => item.text == "-" || item.text == "/",
        _ => false,
    }
}

/// Whether what stands here says how it went, with what or where, and names nothing.
fn ends(sentence: &ParsedSentence, index: usize) -> bool {
    #[rustfmt::skip]
    const ENDS: &[LexicalClass] = &[
        Good, Bad, Done, Not, Was, Is, At, Because, Therefore, But,
        Condition, ConditionEnd, Relative, Measured, Parameter, Handling, And,
        Preposition, Past, Tries, Lies, Pronoun, About,
    ];
    sentence.has_cue(index, ENDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_and_object_are_read_in_both_languages() {
        let cases = [
            ("insert M8 bolt failed at 14 N", "insert", "M8 bolt"),
            ("Insertion of the M8 bolt succeeded at 9 N", "insert", "M8 bolt"),
            ("The M8 bolt was inserted with 9 N", "insert", "M8 bolt"),
            ("Failed to insert the M8 bolt", "insert", "M8 bolt"),
            ("Grasped the red cup at 12 N", "grasp", "red cup"),
            ("Grasp of the red cup slipped", "grasp", "red cup"),
            ("插入成功，力 9 N", "插入", ""),
            ("插入 M8 螺栓失败，力 14 N", "插入", "M8 螺栓"),
            ("抓取红色杯子成功", "抓取", "红色杯子"),
        ];
        for (text, task, object) in cases {
            let found = named_task(text).unwrap_or_default();
            assert_eq!((found.task.as_str(), found.object.as_str()), (task, object), "{text}");
        }
        assert_eq!(named_task("The battery is at 24 V"), None);
    }
}
