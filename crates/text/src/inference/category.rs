//! What kind of statement a text is.

use super::items::{Item, ItemKind, items};
use super::triggers::{LABEL_PHRASES, PHRASES, Trigger};
use super::validity::{Validity, validity};
use robot_memory_core::model::{Category, MemType};

/// The kind of a statement, and all kinds that it shows signs of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// What a label at the start says; else the first that is shown for sure; else the first that
    /// is shown at all; else [`Category::Code`]. What is wished for one occasion only is an
    /// [observation](Category::Observation) of it, not a preference.
    pub category: Category,
    /// The life cycle class that follows: that of the category, but a task log for what holds of one
    /// occasion only or says what a task is.
    pub mem_type: MemType,
    /// The spelling of `category` and of every other category of which there is a sign, in the
    /// order of [`Category::ALL`]; then `transient` or `task` where the class is due to that.
    pub tags: Vec<String>,
}

/// The tag of what holds of one occasion only.
const TRANSIENT: &str = "transient";
/// The tag of what says what a task is.
const TASK: &str = "task";

/// Words before an imperative that leave it one.
#[rustfmt::skip]
const SOFTENERS: &[&str] = &[
    "please", "and", "so", "but", "also", "then", "therefore", "thus", "or", "just", "请", "且", "并", "则", "就",
];
/// What begins an adverbial before an imperative: "in simulation never trust the limits".
const PREPOSITIONS: &[&str] =
    &["in", "with", "during", "after", "before", "on", "at", "for", "under", "near", "inside"];
const MODALS: &[&str] = &["must", "should", "shall", "may", "to", "ought"];
/// Before "never" these make it a report.
#[rustfmt::skip]
const REPORTERS: &[&str] = &[
    "is", "are", "was", "were", "been", "be", "am", "has", "have", "had", "having", "can", "could", "will", "would",
    "did", "does", "do", "it", "he", "she", "they", "i", "we", "you", "who", "which", "there", "ve", "ll", "d", "almost",
];
/// What is done, or no more done, when somebody says that they never will.
#[rustfmt::skip]
const RESOLVED: &[&str] = &[
    "use", "grip", "grasp", "hold", "lift", "carry", "push", "pull", "press", "squeeze", "touch", "pick", "place", "put", "move", "drive",
    "enter", "open", "close", "exceed", "approach", "pour", "insert", "cut", "drop", "stack", "tilt", "go", "leave", "run", "start",
    "switch", "heat", "tighten", "wipe", "mix", "handle",
];
/// After "never" these name a bound that it forbids to pass.
const BOUNDS: &[&str] = &[
    "exceed", "above", "over", "more", "beyond", "below", "under", "less", "greater", "higher",
    "lower",
];
const ALLOWED: &[&str] = &["allowed", "permitted", "acceptable", "ok", "okay"];
/// Verbs in the base form that end as a past tense does.
const BASE_IN_ED: &[&str] = &[
    "exceed", "proceed", "succeed", "need", "feed", "speed", "bleed", "embed", "seed", "shed",
    "shred",
];
#[rustfmt::skip]
const PAST_FORMS: &[&str] = &[
    "seen", "been", "was", "were", "had", "did", "done", "made", "got", "gotten", "went", "gone", "saw", "found", "gave",
    "given", "took", "taken", "came", "known", "knew", "ran", "broke", "broken", "lost", "held", "kept", "left", "met",
    "sent", "stuck", "felt", "fell", "fallen", "began", "begun", "understood", "heard", "told", "thought", "shown",
    "caught", "bent", "a", "an", "quite", "really", "works",
];
/// After "than" these make a comparison one with what was, not one of two things.
#[rustfmt::skip]
const NOT_COMPARED: &[&str] = &[
    "usual", "expected", "before", "normal", "planned", "ever", "once", "allowed", "specified", "anticipated",
];
/// Comparatives that more often speak of a measured value than of what is better.
const OF_MEASURES: &[&str] = &[
    "greater", "higher", "lower", "larger", "smaller", "longer", "shorter", "later", "earlier",
    "bigger", "fewer", "hotter", "colder", "heavier", "older", "wider", "narrower",
];
const NO_COMPARATIVES: &[&str] = &["rather", "other", "never", "over", "under", "further"];
/// Items of a clause that are looked back at: bounds the work at every trigger.
const CLAUSE_ITEMS_MAX: usize = 64;
/// Items between 比 and what is compared.
const COMPARISON_ITEMS_MAX: usize = 16;

/// Reads the category of `text` off its words, English and Chinese.
///
/// English triggers match whole words; Chinese ones do not match inside a longer word (不可 in
/// 不可靠). "never" counts as a constraint when it forbids, not when it reports.
pub fn classify(text: &str) -> Classification {
    let items = items(text);
    let label = label(&items);
    let mut evidence = CategoryEvidence::default();
    let mut index = 0;
    while index < items.len() {
        let (trigger, used) = PHRASES.longest(&items[index..]).unwrap_or((Trigger::None, 1));
        evidence.note(trigger, &items, index);
        if used == 1 {
            evidence.note(by_grammar(&items, index), &items, index);
        }
        index += used;
    }
    let category = label.or_else(|| evidence.first()).unwrap_or(Category::Code);
    let is_wish = |c: &Category| matches!(c, Category::Preference | Category::Worldview);
    let passing = match validity(&items) {
        // A rule, a lesson or a decision stays one, whatever it was said for.
        Validity::Once if is_wish(&category) || category == Category::Code => Some(TRANSIENT),
        Validity::Task
            if is_wish(&category) || matches!(category, Category::Code | Category::Observation) =>
        {
            Some(TASK)
        }
        _ => None,
    };
    let category = match passing {
        Some(_) if is_wish(&category) => Category::Observation,
        _ => category,
    };
    let is_sign = |c: &Category| evidence.sure.contains(c) || evidence.likely.contains(c);
    let is_tag =
        |c: &&Category| **c == category || is_sign(c) && (passing.is_none() || !is_wish(c));
    let tags = Category::ALL.iter().filter(is_tag).map(|c| c.as_str()).chain(passing);
    Classification {
        category,
        mem_type: if passing.is_some() { MemType::TaskLog } else { category.mem_type() },
        tags: tags.map(str::to_owned).collect(),
    }
}

/// Whether `text` says why something is so.
pub(super) fn is_causal(text: &str) -> bool {
    classify(text).tags.iter().any(|tag| tag == Category::RootCause.as_str())
}

#[derive(Default)]
struct CategoryEvidence {
    sure: Vec<Category>,
    likely: Vec<Category>,
}

impl CategoryEvidence {
    fn note(&mut self, trigger: Trigger, items: &[Item], index: usize) {
        let (category, list) = match trigger {
            Trigger::Sure(category) => (category, &mut self.sure),
            Trigger::AtStart(category) if opens_clause(items, index) => (category, &mut self.sure),
            Trigger::Likely(category) => (category, &mut self.likely),
            Trigger::AtStart(_) | Trigger::None => return,
        };
        if !list.contains(&category) {
            list.push(category);
        }
    }

    fn first(&self) -> Option<Category> {
        let first_of = |list: &[Category]| Category::ALL.iter().copied().find(|c| list.contains(c));
        first_of(&self.sure).or_else(|| first_of(&self.likely))
    }
}

/// The category that the text gives itself: "Lesson: ...", "Gotcha - ...", "[decision] ...".
fn label(items: &[Item]) -> Option<Category> {
    let is_sign = |item: &Item| item.kind == ItemKind::Sign && "[(【「《*#-".contains(&item.text);
    let start = items.iter().take_while(|item| is_sign(item)).count();
    let (category, used) = match LABEL_PHRASES.longest(&items[start..]) {
        Some(found) => found,
        // A name as the store spells it.
        None => (Category::parse(&items.get(start)?.text)?, 1),
    };
    let mut rest = items[start + used..].iter();
    let mut next = rest.next()?;
    if matches!(next.kind, ItemKind::Quantity(_)) {
        next = rest.next()?;
    }
    while "*)]】」》".contains(&next.text) {
        if start > 0 && "]】".contains(&next.text) {
            return Some(category);
        }
        next = rest.next()?;
    }
    next.is_one_of(&[":", "-", "\u{2013}", "\u{2014}"]).then_some(category)
}

/// What a word shows by the words around it.
fn by_grammar(items: &[Item], index: usize) -> Trigger {
    let item = &items[index];
    match item.text.as_str() {
        "never" if item.kind == ItemKind::Word && never_forbids(items, index) => {
            Trigger::Sure(Category::Constraint)
        }
        "must" if !is_guess(items, index) => Trigger::Sure(Category::Constraint),
        "always" if is_imperative(items, index) => Trigger::Sure(Category::Constraint),
        "always" => Trigger::Sure(Category::Pattern),
        "than" => compared(items, index),
        "比" => compared_in_chinese(items, index),
        _ => Trigger::None,
    }
}

/// The items of the clause before `index`, the last [`CLAUSE_ITEMS_MAX`] at most.
fn clause_before(items: &[Item], index: usize) -> &[Item] {
    let before = &items[index.saturating_sub(CLAUSE_ITEMS_MAX)..index];
    let start = before.iter().rposition(|item| item.kind == ItemKind::Break);
    &before[start.map_or(0, |at| at + 1)..]
}

/// Whether nothing that could be a subject stands before `index` in its clause.
fn opens_clause(items: &[Item], index: usize) -> bool {
    clause_before(items, index)
        .iter()
        .all(|item| item.kind == ItemKind::Sign || item.is_one_of(SOFTENERS))
}

fn opens_imperative(items: &[Item], index: usize) -> bool {
    let before = clause_before(items, index);
    opens_clause(items, index)
        || before.last().is_some_and(|item| item.kind != ItemKind::Word)
        || before.first().is_some_and(|item| item.is_one_of(PREPOSITIONS))
}

fn word_at(items: &[Item], index: usize) -> Option<&str> {
    items.get(index).filter(|item| item.kind == ItemKind::Word).map(|item| item.text.as_str())
}

fn never_forbids(items: &[Item], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|i| word_at(items, i));
    let is_emphasis = |item: &&Item| item.is_one_of(&[",", "ever"]);
    let emphasis = items[index + 1..].iter().take_while(is_emphasis).count();
    let next = word_at(items, index + 1 + emphasis);
    if before.is_some_and(|word| MODALS.contains(&word)) {
        return true;
    }
    let is_resolve = before.is_some_and(|word| ["will", "ll", "do"].contains(&word))
        && index
            .checked_sub(2)
            .and_then(|i| word_at(items, i))
            .is_some_and(|who| ["we", "you", "robots", "robot", "operators", "i"].contains(&who));
    // "We will never again use suction on mesh".
    let verb = if next == Some("again") { word_at(items, index + 2 + emphasis) } else { next };
    if is_resolve && verb.is_some_and(|verb| RESOLVED.contains(&verb)) {
        return true;
    }
    if before.is_some_and(|word| REPORTERS.contains(&word)) {
        return next == Some("to") || next.is_some_and(|word| ALLOWED.contains(&word));
    }
    let Some(next) = next else { return false };
    BOUNDS.contains(&next) || (opens_imperative(items, index) && is_base_form(next))
}

/// Whether "must" at `index` guesses at what has been: "must have failed".
fn is_guess(items: &[Item], index: usize) -> bool {
    word_at(items, index + 1) == Some("have")
        && word_at(items, index + 2)
            .is_some_and(|word| !["a", "an"].contains(&word) && !is_base_form(word))
}

/// Whether "always" at `index` tells what to do: "always check", not "always drifts".
fn is_imperative(items: &[Item], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|i| word_at(items, i));
    let next = word_at(items, index + 1);
    before.is_some_and(|word| MODALS.contains(&word))
        || opens_clause(items, index) && next.is_some_and(is_base_form)
}

/// Whether an English verb looks like an infinitive, as an imperative does.
pub(super) fn is_base_form(word: &str) -> bool {
    let is_past = word.ends_with("ed") && !BASE_IN_ED.contains(&word) || PAST_FORMS.contains(&word);
    let is_third_person =
        word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    !is_past && !is_third_person && word != "ending"
}

/// What "than" at `index` shows: a judgment about two things, or a comparison with a value.
fn compared(items: &[Item], index: usize) -> Trigger {
    let is_value = match items.get(index + 1) {
        Some(next) => {
            next.kind != ItemKind::Word && next.kind != ItemKind::Name && next.kind != ItemKind::Han
                || next.is_one_of(NOT_COMPARED)
        }
        None => true,
    };
    if is_value {
        return Trigger::None;
    }
    let word_before =
        |n: usize| index.checked_sub(n).and_then(|i| word_at(items, i)).unwrap_or_default();
    let is_comparative = |word: &str| {
        ["better", "worse"].contains(&word)
            || word.len() > 4 && word.ends_with("er") && !NO_COMPARATIVES.contains(&word)
    };
    let last = word_before(1);
    let found = if is_comparative(last) {
        Some(last)
    } else {
        ["better", "worse", "faster", "fewer", "higher", "lower", "more", "less"]
            .into_iter()
            .find(|word| *word == word_before(2))
    };
    match found {
        Some(word) if OF_MEASURES.contains(&word) => Trigger::Likely(Category::Worldview),
        Some(_) => Trigger::Sure(Category::Worldview),
        None => Trigger::None,
    }
}

/// What 比 at `index` shows, by what follows in its clause.
fn compared_in_chinese(items: &[Item], index: usize) -> Trigger {
    let after: String = items[index + 1..]
        .iter()
        .take(COMPARISON_ITEMS_MAX)
        .take_while(|item| item.kind != ItemKind::Break)
        .map(|item| item.text.as_str())
        .collect();
    let is_with_value =
        matches!(items.get(index + 1).map(|i| &i.kind), Some(ItemKind::Quantity(_)));
    let is_with_past =
        ["预期", "平时", "平常", "之前", "上次", "以前", "往常", "原来", "预计", "昨天"]
            .iter()
            .any(|word| after.starts_with(word));
    let has = |words: &[&str]| words.iter().any(|word| after.contains(word));
    if is_with_value || is_with_past {
        Trigger::None
    } else if has(&[
        "更", "快", "慢", "好", "差", "稳", "强", "弱", "准", "优", "省", "安全", "可靠", "适合",
        "容易",
    ]) {
        Trigger::Sure(Category::Worldview)
    } else if has(&["大", "小", "高", "低", "重", "轻", "多", "少", "长", "短"]) {
        Trigger::Likely(Category::Worldview)
    } else {
        Trigger::None
    }
}

#[cfg(test)]
#[path = "category_tests.rs"]
mod tests;
