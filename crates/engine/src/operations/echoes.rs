//! Of hits that say nearly the same one is shown, with the count of the others.
//!
//! What is hidden is not read, so the rules err to the side of two: what they do not understand keeps two
//! hits apart.

use super::duplicates::are_apart;
use super::lists::{Listed, Query};
use super::{relevant, search};
use crate::Result;
use robot_memory_core::model::{Kind, MemType, Memory, ScopeKind};
use robot_memory_db::ReadTx;
use robot_memory_index::{Derived, RowFacts};
use robot_memory_text::inference::{self, Frame, Proposition, Setting, Statement};
use serde_json::Value;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Hits looked at below those that are shown: what says the same, and facts that say what a summary above
/// them says.
pub(super) const LOOKED_BELOW: usize = 10;
/// Bytes of a text that is compared word by word; of a longer one only the same text is an echo.
const COMPARED_BYTES_MAX: usize = 4_096;
/// Share of the tokens of two texts that both have when they say nearly the same.
const JACCARD_MIN: f64 = 0.7;
/// Evidence of two rows that say the same and fit equally well, but for what any neighbors give.
const EQUAL_EVIDENCE: f64 = 0.02;
/// Seconds between two events of a session that may be one which flickers. What comes again later came
/// twice.
const FLICKER_SECS: f64 = 60.0;
const SECS_PER_DAY: f64 = 86_400.0;

/// Which hits may be echoes, by what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Echoing {
    /// Whatever says the same.
    Any,
    /// What happened is asked for, or when: nothing that happened is an echo.
    Statements,
    /// It is asked how often, or how many: only what one step says twice is.
    Steps,
}

impl Echoing {
    fn of(query: &Query) -> Self {
        if query.asks_how_many {
            Self::Steps
        } else if query.asks_when || query.asked.is_some() {
            Self::Statements
        } else {
            Self::Any
        }
    }
}

/// Hits that say nearly the same.
struct Group {
    shown: Looked,
    /// Of the best of them.
    score: f64,
    /// The steps in which any of them was said.
    turns: OnceCell<BTreeSet<String>>,
    others: Vec<Looked>,
    /// Those that stand in other groups' places and are shown no more.
    left_out: u32,
}

/// A hit that is compared with others.
struct Looked {
    listed: Listed,
    facts: RowFacts,
    text: Rc<Text>,
    /// `None` inside when its memory is gone.
    occasion: OnceCell<Option<Occasion>>,
}

/// Texts of hits: a robot says the same many times, and what a text says is found out once.
type Texts = HashMap<Rc<str>, Rc<Text>>;

/// A text, and what it says as far as that is asked for.
struct Text {
    text: Rc<str>,
    /// In order.
    tokens: OnceCell<Vec<String>>,
    /// Ascending, each once.
    sorted: OnceCell<Vec<String>>,
    statement: OnceCell<Statement>,
    proposition: OnceCell<Proposition>,
    frame: OnceCell<Frame>,
}

/// What a memory tells beside its text.
struct Occasion {
    session_id: String,
    setting: Setting,
    /// Of its task, when that is known.
    succeeded: Option<bool>,
    is_event: bool,
    has_picture: bool,
}

/// Leaves echoes out of a list, of which the first `n` are shown. In the place of several hits stands the one
/// that [stands above](Looked::stands_above) the others, in that of a summary the facts of its step that
/// have all of its words.
pub(super) fn leave_out(
    tx: &ReadTx<'_>,
    derived: &Derived,
    query: &Query,
    listed: &mut Vec<Listed>,
    n: usize,
) -> Result<()> {
    let echoing = Echoing::of(query);
    let mut groups: Vec<Group> = Vec::new();
    let mut texts = Texts::new();
    let mut looked_count = 0;
    for row in listed.iter() {
        if groups.len() >= n.saturating_add(LOOKED_BELOW) {
            break;
        }
        looked_count += 1;
        let Some(looked) = Looked::read(tx, derived, *row, &mut texts)? else { continue };
        let mut place = None;
        if echoing != Echoing::Steps {
            for (index, group) in groups.iter().enumerate() {
                if group.shown.is_echo_of(&looked, echoing, tx)? {
                    place = Some(index);
                    break;
                }
            }
        }
        match place.and_then(|place| groups.get_mut(place)) {
            Some(group) => group.take(looked, derived),
            None => groups.push(Group::of(looked)),
        }
    }
    leave_out_summaries(tx, &mut groups, n)?;
    let rest = listed.split_off(looked_count.min(listed.len()));
    listed.clear();
    listed.extend(groups.iter().map(Group::listed));
    listed.extend(rest);
    Ok(())
}

impl Group {
    fn of(shown: Looked) -> Self {
        let score = shown.listed.score;
        Self { shown, score, turns: OnceCell::new(), others: Vec::new(), left_out: 0 }
    }

    fn take(&mut self, looked: Looked, derived: &Derived) {
        if looked.stands_above(&self.shown, derived) {
            self.others.push(std::mem::replace(&mut self.shown, looked));
        } else {
            self.others.push(looked);
        }
    }

    fn hidden_count(&self) -> u32 {
        self.left_out.saturating_add(u32::try_from(self.others.len()).unwrap_or(u32::MAX))
    }

    fn listed(&self) -> Listed {
        Listed { score: self.score, similar_count: self.hidden_count(), ..self.shown.listed }
    }

    /// Whether one of its facts was said in a step.
    fn is_of_turn(&self, tx: &ReadTx<'_>, turn_id: &str) -> Result<bool> {
        if self.turns.get().is_none() {
            let mut turns = BTreeSet::new();
            for looked in self.others.iter().chain([&self.shown]) {
                if looked.facts.kind == Kind::Fact {
                    turns.extend(tx.turns_of_memory(looked.facts.id)?);
                }
            }
            let _ = self.turns.set(turns);
        }
        Ok(self.turns.get().is_some_and(|turns| turns.contains(turn_id)))
    }
}

/// Takes out the summaries of steps all of whose words are in facts of the same step that were looked at; those
/// facts move up to its place.
fn leave_out_summaries(tx: &ReadTx<'_>, groups: &mut Vec<Group>, n: usize) -> Result<()> {
    let mut place = 0;
    while place < groups.len().min(n) {
        let Some(facts) = facts_of(tx, groups, place)? else {
            place += 1;
            continue;
        };
        let summary = groups.remove(place);
        let mut count = summary.hidden_count().saturating_add(1);
        let mut next = place;
        for fact in facts {
            // The summary stood before those below it.
            let at = if fact > place { fact - 1 } else { fact };
            if let Some(group) = groups.get_mut(at) {
                // It is one hit that is not shown.
                group.left_out = group.left_out.saturating_add(std::mem::take(&mut count));
                group.score = group.score.max(summary.score);
            }
            if at > next {
                let moved = groups.remove(at);
                groups.insert(next, moved);
            }
            if at >= next {
                next += 1;
            }
        }
        place = next;
    }
    Ok(())
}

/// Where the facts stand, ascending, that say together what the summary of a step at `place` says; `None` when they
/// do not, or there is no such summary there.
fn facts_of(tx: &ReadTx<'_>, groups: &[Group], place: usize) -> Result<Option<Vec<usize>>> {
    let Some(Group { shown: summary, .. }) = groups.get(place) else { return Ok(None) };
    if summary.facts.kind != Kind::Summary {
        return Ok(None);
    }
    let turn_id = tx.memory(summary.facts.id, false)?.map(|it| it.turn_id).unwrap_or_default();
    if turn_id.is_empty() || summary.text.sorted().is_empty() {
        return Ok(None);
    }
    let mut words: BTreeSet<&String> = summary.text.sorted().iter().collect();
    let mut facts = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        if group.shown.facts.kind != Kind::Fact || !group.is_of_turn(tx, &turn_id)? {
            continue;
        }
        let before = words.len();
        for token in group.shown.text.sorted() {
            words.remove(token);
        }
        if words.len() < before {
            facts.push(at);
        }
        if words.is_empty() {
            return Ok(Some(facts));
        }
    }
    Ok(None)
}

impl Looked {
    fn read(
        tx: &ReadTx<'_>,
        derived: &Derived,
        listed: Listed,
        texts: &mut Texts,
    ) -> Result<Option<Self>> {
        let Some(facts) = derived.rows.facts(listed.slot) else { return Ok(None) };
        let text = Text::of(tx.content(facts.id)?.unwrap_or_default(), texts);
        Ok(Some(Self { listed, facts, text, occasion: OnceCell::new() }))
    }

    /// Whether it is shown rather than what says the same: of the real robot and of high trust rather than not, a
    /// fact rather than what tells of it, of the same text what fits the query better by what stands beside it, and then
    /// the newest.
    fn stands_above(&self, other: &Self, derived: &Derived) -> bool {
        let rank = |looked: &Self| {
            let (source, trust) = search::weights(derived, looked.listed.slot);
            (source * trust, looked.facts.kind == Kind::Fact)
        };
        let (own, others) = (rank(self), rank(other));
        let more = relevant::evidence(&self.listed) - relevant::evidence(&other.listed);
        // Other words for the same fit a query more or less, which tells nothing of which holds.
        let by_evidence = if more.abs() > EQUAL_EVIDENCE && self.text.is(&other.text) {
            more.total_cmp(&0.0)
        } else {
            Ordering::Equal
        };
        let by_age = self.facts.created_at.cmp(&other.facts.created_at);
        own.0
            .total_cmp(&others.0)
            .then(own.1.cmp(&others.1))
            .then(by_evidence)
            .then(by_age)
            .then(self.facts.id.cmp(&other.facts.id))
            .is_gt()
    }

    /// Whether both say the same so nearly that one is enough.
    fn is_echo_of(&self, other: &Self, echoing: Echoing, tx: &ReadTx<'_>) -> Result<bool> {
        if self.facts.collection != other.facts.collection || !self.is_in_reach_of(other) {
            return Ok(false);
        }
        let happened = self.tells_of_once() || other.tells_of_once();
        let is_same = self.text.is_text_of(&other.text);
        if happened && (echoing == Echoing::Statements || !is_same)
            || !is_same && !self.text.says_the_same(&other.text)
        {
            return Ok(false);
        }
        let (Some(one), Some(two)) = (self.occasion(tx)?, other.occasion(tx)?) else {
            return Ok(false);
        };
        let secs = self.facts.created_at.days_since(other.facts.created_at).abs() * SECS_PER_DAY;
        Ok(one.may_be(two, secs) && !tx.conflicts_of(self.facts.id)?.contains(&other.facts.id))
    }

    /// `None` when its memory is gone.
    fn occasion(&self, tx: &ReadTx<'_>) -> Result<Option<&Occasion>> {
        if self.occasion.get().is_none() {
            let memory = tx.memory(self.facts.id, false)?;
            let occasion = memory.map(|memory| Occasion::of(&memory, tx)).transpose()?;
            let _ = self.occasion.set(occasion);
        }
        Ok(self.occasion.get().and_then(Option::as_ref))
    }

    /// Whether both are said to the same: in one scope, or one of them to all.
    fn is_in_reach_of(&self, other: &Self) -> bool {
        self.facts.scope == other.facts.scope
            || self.facts.scope_kind == ScopeKind::Global
            || other.facts.scope_kind == ScopeKind::Global
    }

    /// Whether it tells of one time, and not of how things are.
    fn tells_of_once(&self) -> bool {
        match self.facts.kind {
            Kind::Perception => true,
            Kind::Fact => self.facts.mem_type == MemType::TaskLog,
            Kind::Summary => false,
        }
    }
}

impl Text {
    /// The one of this text.
    fn of(text: String, texts: &mut Texts) -> Rc<Self> {
        if let Some(known) = texts.get(text.as_str()) {
            return known.clone();
        }
        let text: Rc<str> = text.into();
        let new = Rc::new(Self {
            text: text.clone(),
            tokens: OnceCell::new(),
            sorted: OnceCell::new(),
            statement: OnceCell::new(),
            proposition: OnceCell::new(),
            frame: OnceCell::new(),
        });
        texts.insert(text, new.clone());
        new
    }

    /// Whether both are one text, byte by byte.
    fn is(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        Rc::ptr_eq(self, other)
    }

    /// Whether both are one text, but for capitals, spaces and punctuation.
    fn is_text_of(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        self.is(other)
            || self.text.trim() == other.text.trim()
            || !self.tokens().is_empty()
                && self.tokens() == other.tokens()
                // Other forms of a word have one stem: "slips" and "slipped".
                && self.statement().tokens() == other.statement().tokens()
                && self.is_comparable_with(other)
    }

    /// Whether both say the same in nearly the same words.
    fn says_the_same(&self, other: &Self) -> bool {
        shared_part(self.sorted(), other.sorted()) >= JACCARD_MIN
            && self.is_comparable_with(other)
            && self.frame().says_the_same(other.frame())
    }

    /// Whether nothing tells both apart, whatever words they share: a number, a unit, a name, a negation, an
    /// opposite, a symbol, a script that is not read.
    fn is_comparable_with(&self, other: &Self) -> bool {
        let asks = |text: &str| text.contains(['?', '？']);
        asks(&self.text) == asks(&other.text)
            && self.statement().may_be_same(other.statement())
            && !are_apart((&self.text, self.proposition()), (&other.text, other.proposition()))
    }

    /// Empty when it is too long to be compared.
    fn tokens(&self) -> &[String] {
        self.tokens.get_or_init(|| {
            let is_compared = self.text.len() <= COMPARED_BYTES_MAX;
            if is_compared { inference::tokens(&self.text) } else { Vec::new() }
        })
    }

    fn sorted(&self) -> &[String] {
        self.sorted.get_or_init(|| {
            let mut sorted = self.tokens().to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted
        })
    }

    fn statement(&self) -> &Statement {
        self.statement.get_or_init(|| Statement::parse(&self.text))
    }

    fn proposition(&self) -> &Proposition {
        self.proposition.get_or_init(|| Proposition::parse(&self.text))
    }

    fn frame(&self) -> &Frame {
        self.frame.get_or_init(|| Frame::parse(&self.text))
    }
}

impl Occasion {
    fn of(memory: &Memory, tx: &ReadTx<'_>) -> Result<Self> {
        let context: Value = serde_json::from_str(&memory.context).unwrap_or_default();
        Ok(Self {
            session_id: memory.session_id.clone(),
            setting: Setting::parse(&memory.context),
            succeeded: context.pointer("/task/success").and_then(Value::as_bool),
            is_event: context.get("event").is_some(),
            has_picture: tx.has_picture(memory.id)?,
        })
    }

    /// Whether both can be one occasion: no name, parameter, place or outcome differs, and events are of one
    /// session within [`FLICKER_SECS`]. No two pictures are the same, whatever is said beside them.
    fn may_be(&self, other: &Self, secs_between: f64) -> bool {
        let is_same_outcome = match (self.succeeded, other.succeeded) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        let may_be_one_event = match (self.is_event, other.is_event) {
            (false, false) => true,
            (true, true) => {
                !self.session_id.is_empty()
                    && self.session_id == other.session_id
                    && secs_between <= FLICKER_SECS
            }
            _ => false,
        };
        is_same_outcome
            && may_be_one_event
            && !self.has_picture
            && !other.has_picture
            && self.setting.may_be_same(&other.setting)
    }
}

/// Jaccard similarity of two sets, each ascending; 0 of two empty ones.
fn shared_part(a: &[String], b: &[String]) -> f64 {
    let (least, most) = (a.len().min(b.len()), a.len().max(b.len()));
    // No more than all of the shorter one is shared.
    if most == 0 || (least as f64) < JACCARD_MIN * most as f64 {
        return 0.0;
    }
    let both = a.iter().filter(|token| b.binary_search(token).is_ok()).count();
    both as f64 / (a.len() + b.len() - both) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_all_words_of_both() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
        for (a, b, expected) in [
            ("a b c d", "a b c d", 1.0),
            ("a b c d", "a b c e", 0.6),
            ("a b c d", "a b c", 0.75),
            ("a b c d", "a b", 0.0),
        ] {
            assert_eq!(shared_part(&words(a), &words(b)), expected, "{a} / {b}");
        }
        assert_eq!(shared_part(&[], &[]), 0.0);
    }
}
