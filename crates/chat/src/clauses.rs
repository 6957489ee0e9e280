//! A text as what it says, each piece with the tone in which it is said.

use super::words::{
    CONDITIONS, DUTIES, FAILURES, GLUE, HEDGES, LASTING, LENIENT_CONTRASTS, MOMENTARY, PLANS,
    VERB_FORMS, WordPair,
};
use robot_memory_text::inference::{Mention, MentionKind, index_token, is_han, mentions};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What is said, equal for all ways to say the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    Word(String),
    Name(String),
    /// One Han character, or two that follow each other.
    Han(String),
    Quantity(String, String),
    /// Group and member.
    Contrast(u8, u8),
}

/// Whether it is said or denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Polarity {
    #[default]
    Affirmed,
    Negated,
    /// The subject of what is denied: "the *bolt* did not slip".
    Either,
}

/// How it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tone {
    pub polarity: Polarity,
    pub is_hedged: bool,
    pub is_planned: bool,
    pub is_duty: bool,
    /// Whether it was not brought about.
    pub is_failed: bool,
}

/// A piece of what is said.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub key: Key,
    pub text: String,
    pub tone: Tone,
    /// Where in its text.
    pub spot: Spot,
    /// Whether it is where something comes from, or where it goes to.
    pub role: Option<Role>,
    /// The word directly before it, when that says something.
    pub modifier: Option<Key>,
    /// Whether it says little by itself.
    pub is_glue: bool,
    /// Of a quantity or a name: what stands before it, and behind a number without a unit.
    pub labels: Vec<Label>,
    /// Of a quantity: the word before it that makes it a bound.
    pub bound: Option<Bound>,
    /// Of a contrast: what it is said of.
    pub next: Option<Key>,
}

/// Where in a text something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Spot {
    /// What semicolons and full stops part.
    pub segment: usize,
    /// A clause, or what "and" joins to it.
    pub part: usize,
}

/// On which side of "from A to B" it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    From,
    To,
}

/// What a number belongs to: "bin 3", "3 bolts".
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Label {
    pub is_behind: bool,
    pub key: Key,
}

/// What a number is of what it is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// At most, at least, more than; group and member.
    Contrast(u8, u8),
    /// One of two that belong together: 10 to 20 N, 12 ± 2 N, 14 of 20.
    Range,
}

/// Han characters that follow each other.
#[derive(Debug, Clone, Default)]
pub(super) struct HanRun {
    pub chars: Vec<(char, Tone)>,
    /// As of a [`Term`].
    pub spot: Spot,
}

impl HanRun {
    /// Each two characters that follow each other.
    pub fn pairs(&self) -> impl Iterator<Item = Key> {
        self.chars.windows(2).map(|pair| Key::Han(format!("{}{}", pair[0].0, pair[1].0)))
    }
}

/// The words of a text, and what they say of all of it: a denial, a question, a condition.
#[derive(Debug, Clone, Default)]
pub(super) struct TextAnalysis {
    pub terms: Vec<Term>,
    pub han_runs: Vec<HanRun>,
    pub negates: bool,
    pub is_question: bool,
    pub has_condition: bool,
    pub is_lasting: bool,
    pub is_momentary: bool,
    spot: Spot,
}

/// Pieces between a number and what it belongs to at most.
const LABEL_DISTANCE_MAX: usize = 5;
/// Pieces between a number and the word that makes it a bound at most.
const BOUND_DISTANCE_MAX: usize = 3;
/// Content words of a member of a list: "do not grip, lift or push".
const LISTED_WORDS_MAX: usize = 2;
/// Words that tie to what is denied before them what is denied too.
const ALTERNATIVES: &[&str] = &["or", "nor", "或"];
/// Words that begin what a negation before them does not reach.
const TURNS: &[&str] = &["but", "however", "so", "because", "then"];
const HAN_TURNS: &[&str] = &["但", "所以", "因为", "然后", "不过", "由于"];

/// Words that join to a clause what may be said of something else.
const JOINTS: &[&str] = &["and", "while", "whereas"];
/// Words of two that deny what follows.
const DENIALS: [(&str, &str); 2] = [("instead", "of"), ("rather", "than")];
/// What stands between the two numbers of a range.
const RANGE_SIGNS: &[&str] =
    &["to", "and", "or", "-", "–", "~", "～", "±", "x", "×", "/", "of", "至", "到"];

/// Words that say where something comes from, and where it goes to, and that end this.
const FROM: &[&str] = &["from", "从", "由"];
const TO: &[&str] = &["to", "into", "onto", "到", "至", "成"];
const ENDS_OF_ROLE: &[&str] =
    &["in", "at", "with", "for", "by", "on", "after", "before", "and", "用", "在", "以", "，"];

/// What parts statements that have nothing in common.
const ENDS_OF_SEGMENT: &[&str] = &[".", "。", ";", "；", "!", "！", "?", "？"];
/// Where what was hedged or planned before ends.
const ENDS_OF_TONE: &[&str] =
    &[".", "。", ";", "；", "!", "！", "?", "？", "but", "however", "但", "不"];

/// The groups of "at most" and "more", whose members make a number a bound.
static BOUND_GROUPS: LazyLock<BTreeSet<u8>> = LazyLock::new(|| {
    let groups = ["maximum", "more"].into_iter().flat_map(mentions);
    groups
        .filter_map(|mention| match mention.kind {
            MentionKind::Contrast { group, .. } => Some(group),
            _ => None,
        })
        .collect()
});

/// The member of its group that says that it failed.
static FAILED: LazyLock<Option<MentionKind>> =
    LazyLock::new(|| mentions("failed").into_iter().map(|mention| mention.kind).next());

/// A part of a text between two marks of punctuation, or what ends the reach of a negation.
#[derive(Default)]
struct Clause<'a> {
    mentions: &'a [Mention],
    /// Whether a list goes on in it, of which a part before it is denied.
    is_denied_before: bool,
    /// Markers of the clauses before it of the same sentence reach into it.
    before: Tone,
}

impl TextAnalysis {
    /// Reads `text`. Linear in its length.
    pub fn of(text: &str) -> Self {
        let mentions = mentions(text);
        let flat = flat(&mentions);
        let mut analysis = Self {
            is_question: text.trim_end().ends_with(['?', '？', '吗']),
            has_condition: has_any(&flat, CONDITIONS),
            is_lasting: has_any(&flat, LASTING),
            is_momentary: has_any(&flat, MOMENTARY),
            ..Self::default()
        };
        let mut before = Tone::default();
        let mut is_denied_before = false;
        let mut start = 0;
        while start < mentions.len() {
            let end = clause_end(&mentions, start);
            let clause = Clause { mentions: &mentions[start..end], is_denied_before, before };
            let tone = clause.tone();
            let denies = analysis.read(&mentions, start, &clause, tone);
            analysis.negates |= denies;
            let mark = mentions.get(end).map_or("", |mention| mention.text.as_str());
            let is_comma = matches!(mark, "," | "，" | "、");
            is_denied_before = is_comma
                && (denies || is_denied_before)
                && (mark == "、" || is_listed(&mentions, end + 1));
            analysis.spot.segment += usize::from(ENDS_OF_SEGMENT.contains(&mark));
            before = if ENDS_OF_TONE.contains(&mark) { Tone::default() } else { tone };
            let is_mark = mentions.get(end).is_some_and(|m| m.kind == MentionKind::Break);
            start = if is_mark { end + 1 } else { end };
        }
        analysis
    }

    /// Adds the terms of a clause; says whether it negates by itself.
    fn read(&mut self, all: &[Mention], start: usize, clause: &Clause<'_>, tone: Tone) -> bool {
        let negation = (start..start + clause.mentions.len()).find(|&at| denies(all, at));
        let negation = negation.map(|at| at - start);
        let says_something = |mention: &Mention| {
            !matches!(
                mention.kind,
                MentionKind::Word { is_stop_word: true, .. } | MentionKind::Sign
            )
        };
        // "gripping glass is forbidden" denies what stands before.
        let is_at_end = negation.is_some_and(|at| {
            !clause.mentions[at + 1..]
                .iter()
                .any(|m| says_something(m) && m.kind != MentionKind::Negation)
        });
        let polarity_at = |index: usize| match negation {
            _ if clause.is_denied_before => Polarity::Negated,
            None => Polarity::Affirmed,
            Some(_) if is_at_end => Polarity::Negated,
            Some(at) if index < at => Polarity::Either,
            Some(_) => Polarity::Negated,
        };
        self.spot.part += 1;
        let mut run = HanRun::default();
        let mut is_failed = fails(clause.mentions);
        let mut role = None;
        for (offset, mention) in clause.mentions.iter().enumerate() {
            if JOINTS.contains(&mention.text.as_str()) {
                self.end_run(&mut run);
                self.spot.part += 1;
                is_failed = fails(&clause.mentions[offset + 1..]);
            }
            role = match mention.text.as_str() {
                text if FROM.contains(&text) => Some(Role::From),
                text if TO.contains(&text) => Some(Role::To),
                text if ENDS_OF_ROLE.contains(&text) => None,
                _ => role,
            };
            let tone = Tone { polarity: polarity_at(offset), is_failed, ..tone };
            if mention.kind == MentionKind::Han {
                run.chars.extend(mention.text.chars().map(|c| (c, tone)));
                continue;
            }
            self.end_run(&mut run);
            if let Some(mut term) = term(all, start + offset, tone) {
                term.spot = self.spot;
                term.role = role;
                self.terms.push(term);
            }
        }
        self.end_run(&mut run);
        negation.is_some()
    }

    fn end_run(&mut self, run: &mut HanRun) {
        let chars = std::mem::take(&mut run.chars);
        if !chars.is_empty() {
            self.han_runs.push(HanRun { chars, spot: self.spot });
        }
    }
}

impl Clause<'_> {
    fn tone(&self) -> Tone {
        let flat = flat(self.mentions);
        Tone {
            polarity: Polarity::Affirmed,
            is_hedged: self.before.is_hedged || has_any(&flat, HEDGES),
            is_planned: self.before.is_planned || has_any(&flat, PLANS),
            is_duty: self.before.is_duty || has_any(&flat, DUTIES),
            is_failed: false,
        }
    }
}

/// Whether what stands at `index` denies what follows.
fn denies(all: &[Mention], index: usize) -> bool {
    let text = |index: usize| all.get(index).map_or("", |mention| mention.text.as_str());
    all[index].kind == MentionKind::Negation || DENIALS.contains(&(text(index), text(index + 1)))
}

/// Whether what stands there up to the next joint says that it was not brought about.
fn fails(mentions: &[Mention]) -> bool {
    let is_joint = |mention: &Mention| JOINTS.contains(&mention.text.as_str());
    let end = mentions.iter().position(is_joint).unwrap_or(mentions.len());
    mentions[..end].iter().any(|mention| FAILED.as_ref() == Some(&mention.kind))
        || has_any(&flat(&mentions[..end]), FAILURES)
}

/// The mentions as one text in which words are looked up: each between two spaces, Han characters
/// without.
fn flat(mentions: &[Mention]) -> String {
    let mut text = String::from(" ");
    for mention in mentions {
        text.push_str(&mention.text);
        if !mention.text.ends_with(is_han) {
            text.push(' ');
        }
    }
    text.push(' ');
    // Neither a plan nor a guess.
    text.replace(" next to ", " ").replace(" could not ", " not ")
}

/// Whether one of `words` stands in a [`flat`] text.
fn has_any(flat: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        if word.ends_with(is_han) {
            return flat.contains(word);
        }
        flat.match_indices(word).any(|(at, _)| {
            let is_edge = |c: Option<char>| c.is_none_or(|c| c == ' ' || is_han(c));
            is_edge(flat[..at].chars().next_back())
                && is_edge(flat[at + word.len()..].chars().next())
        })
    })
}

/// Whether `text` says a word of each of the two lists of one of `pairs`.
pub(super) fn says_both(text: &str, pairs: &[WordPair]) -> bool {
    let flat = flat(&mentions(text));
    pairs.iter().any(|(first, second)| has_any(&flat, first) && has_any(&flat, second))
}

/// The index of the mark, or of the turn, at which the clause ends that begins at `start`.
fn clause_end(mentions: &[Mention], start: usize) -> usize {
    let is_end = |index: usize| {
        let mention = &mentions[index];
        let is_turn = || match mention.kind {
            MentionKind::Han => HAN_TURNS.iter().any(|turn| {
                let is_there = |(at, c): (usize, char)| {
                    mentions.get(index + at).is_some_and(|m| m.text.chars().eq([c]))
                };
                turn.chars().enumerate().all(is_there)
            }),
            MentionKind::Word { .. } => TURNS.contains(&mention.text.as_str()),
            _ => false,
        };
        mention.kind == MentionKind::Break || (index > start && is_turn())
    };
    (start..mentions.len()).find(|&index| is_end(index)).unwrap_or(mentions.len())
}

/// Whether what begins at `start` is a member of a list rather than a clause.
fn is_listed(mentions: &[Mention], start: usize) -> bool {
    let rest = mentions.get(start..).unwrap_or_default();
    let clause = &rest[..clause_end(rest, 0)];
    let has = |test: fn(&MentionKind) -> bool| clause.iter().any(|m| test(&m.kind));
    let words = clause.iter().filter(|m| match m.kind {
        MentionKind::Word { is_stop_word, .. } => !is_stop_word,
        MentionKind::Name | MentionKind::Contrast { .. } => true,
        _ => false,
    });
    let words = words.count() + clause.iter().filter(|m| m.kind == MentionKind::Han).count() / 2;
    let is_alternative = clause.iter().any(|m| ALTERNATIVES.contains(&m.text.as_str()));
    let has_quantity = has(|kind| matches!(kind, MentionKind::Quantity { .. }));
    is_alternative || words <= LISTED_WORDS_MAX && (!has_quantity || words == 0)
}

fn term(all: &[Mention], index: usize, tone: Tone) -> Option<Term> {
    let mention = &all[index];
    let key = key(mention)?;
    let mut term = Term {
        key,
        text: mention.text.clone(),
        tone,
        is_glue: match &mention.kind {
            MentionKind::Word { is_stop_word, .. } => {
                *is_stop_word || GLUE.contains(&mention.text.as_str())
            }
            MentionKind::Contrast { .. } => LENIENT_CONTRASTS.contains(&mention.text.as_str()),
            _ => false,
        },
        spot: Spot::default(),
        role: None,
        modifier: modifier(all, index),
        labels: Vec::new(),
        bound: None,
        next: None,
    };
    match &mention.kind {
        MentionKind::Quantity { unit, .. } => {
            term.labels.extend(label_before(all, index));
            if unit.is_empty()
                && let Some(key) = noun_at(all, index + 1)
            {
                term.labels.push(Label { is_behind: true, key });
            }
            term.bound = bound(all, index);
        }
        MentionKind::Contrast { .. } => term.next = noun_at(all, index + 1),
        MentionKind::Name => term.labels.extend(label_before(all, index)),
        // Bolt A, 药盒B.
        MentionKind::Word { is_stop_word: false, .. } if mention.text.len() == 1 => {
            term.labels.extend(label_before(all, index));
        }
        _ => {}
    }
    Some(term)
}

/// The word directly before the one at `index`, when it says something.
fn modifier(all: &[Mention], index: usize) -> Option<Key> {
    let before = &all[index.checked_sub(1)?];
    let says_something = match &before.kind {
        MentionKind::Word { is_stop_word, .. } => {
            !is_stop_word && !GLUE.contains(&before.text.as_str())
        }
        _ => false,
    };
    if says_something { key(before) } else { None }
}

/// What the number at `index` is of what it is said of.
fn bound(all: &[Mention], index: usize) -> Option<Bound> {
    let is_plain =
        |m: &Mention| matches!(&m.kind, MentionKind::Quantity { unit, .. } if unit.is_empty());
    let is_number = |m: &Mention| matches!(m.kind, MentionKind::Quantity { .. });
    let is_sign = |m: &Mention| RANGE_SIGNS.contains(&m.text.as_str());
    let is_range = |pair: &[Mention]| match pair {
        [first, next] => is_number(first) && is_number(next),
        [first, sign, next] => is_plain(first) && is_sign(sign) && is_number(next),
        [first, of, the, next] => {
            is_number(first) && of.text == "of" && the.text == "the" && is_number(next)
        }
        _ => false,
    };
    let at = |from: Option<usize>, len: usize| from.and_then(|from| all.get(from..from + len));
    let ranges = [
        at(Some(index), 2),
        at(Some(index), 3),
        at(index.checked_sub(1), 2),
        at(index.checked_sub(2), 3),
        at(Some(index), 4),
        at(index.checked_sub(3), 4),
    ];
    if ranges.into_iter().flatten().any(is_range) {
        return Some(Bound::Range);
    }
    all[index.saturating_sub(BOUND_DISTANCE_MAX)..index]
        .iter()
        .rev()
        .take_while(|m| m.kind != MentionKind::Break)
        .find_map(|m| match m.kind {
            MentionKind::Contrast { group, member } if BOUND_GROUPS.contains(&group) => {
                Some(Bound::Contrast(group, member))
            }
            _ => None,
        })
}

/// The key of a mention; `None` of Han characters, which are read in runs, and of what says nothing.
fn key(mention: &Mention) -> Option<Key> {
    Some(match &mention.kind {
        MentionKind::Word { stem, .. } => {
            let is_form = |forms: &&&[&str]| forms.contains(&mention.text.as_str());
            match VERB_FORMS.iter().find(is_form) {
                Some(forms) => Key::Word(index_token(forms[0])),
                None => Key::Word(stem.clone()),
            }
        }
        MentionKind::Name => Key::Name(mention.text.clone()),
        MentionKind::Quantity { unit, value } => Key::Quantity(unit.clone(), value.clone()),
        MentionKind::Contrast { group, member } => Key::Contrast(*group, *member),
        MentionKind::Han | MentionKind::Negation | MentionKind::Break | MentionKind::Sign => {
            return None;
        }
    })
}

/// What the number at `index` is said of: the nearest word before it that says something.
fn label_before(all: &[Mention], index: usize) -> Option<Label> {
    let before = &all[index.saturating_sub(LABEL_DISTANCE_MAX)..index];
    let unit_of = |mention: &Mention| match &mention.kind {
        MentionKind::Quantity { unit, .. } => Some(unit.clone()),
        _ => None,
    };
    let is_of_unit = |mention: &Mention| unit_of(mention) == unit_of(&all[index]);
    for (at, mention) in before.iter().enumerate().rev() {
        let key = match &mention.kind {
            MentionKind::Break if mention.text != ":" && mention.text != "：" => return None,
            // "fell from 64% to 51%".
            MentionKind::Quantity { .. } if is_of_unit(mention) => None,
            MentionKind::Quantity { .. } => return None,
            MentionKind::Word { is_stop_word: false, .. }
                if !GLUE.contains(&mention.text.as_str()) =>
            {
                key(mention)
            }
            MentionKind::Name => key(mention),
            MentionKind::Contrast { group, .. }
                if !BOUND_GROUPS.contains(group)
                    && !LENIENT_CONTRASTS.contains(&mention.text.as_str()) =>
            {
                key(mention)
            }
            MentionKind::Han if !is_function(&mention.text) => {
                let pair = at.checked_sub(1).map(|i| &before[i]);
                let first = pair.filter(|m| m.kind == MentionKind::Han && !is_function(&m.text));
                let first = first.map_or("", |m| m.text.as_str());
                Some(Key::Han(format!("{first}{}", mention.text)))
            }
            _ => None,
        };
        if let Some(key) = key {
            return Some(Label { is_behind: false, key });
        }
    }
    None
}

/// What is named at `index`: a word that says something, or two Han characters.
fn noun_at(all: &[Mention], index: usize) -> Option<Key> {
    let rest = all.get(index..)?;
    let is_skipped =
        |m: &&Mention| m.kind == MentionKind::Han && (is_function(&m.text) || m.text == "色");
    let skipped = rest.iter().take_while(is_skipped).count();
    let mention = rest.get(skipped)?;
    match mention.kind {
        MentionKind::Word { is_stop_word: false, .. } | MentionKind::Name => key(mention),
        MentionKind::Han => {
            let next = rest.get(skipped + 1).filter(|m| m.kind == MentionKind::Han)?;
            Some(Key::Han(format!("{}{}", mention.text, next.text)))
        }
        _ => None,
    }
}

pub(super) fn is_function(text: &str) -> bool {
    super::words::HAN_FUNCTION.contains(text)
}
