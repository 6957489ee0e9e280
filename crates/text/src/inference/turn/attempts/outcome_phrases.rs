//! From attempts to facts: each in its own words, with its own values and its own end.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::super::super::items::quantities;
use super::super::super::lexer::is_han;
use super::super::super::text::cut;
use super::super::data::Step;
use super::super::measures::parameter;
use super::super::parsed_sentence::ParsedSentence;
use super::super::subject::things;
use super::super::words::LexicalClass::*;
use super::super::{TurnFact, TurnFactKind, TurnPlace};
use super::values::Tried;
use super::{Attempts, DescribedAttempt};
use robot_memory_core::limits::CONTENT_CHARS_MAX;

/// What a context says where the words of a report and its data disagree on how an attempt ended.
const DISAGREEMENT: &str = "words and data disagree on how it ended";

impl Attempts<'_> {
    /// What filters can ask an attempt for: which one of its turn it was, what was done to what, how it ended;
    /// and its values.
    fn context(&self, place: usize) -> Map<String, Value> {
        let attempt = &self.described[place];
        let mut context = self.step.map(Step::context).unwrap_or_default();
        let mut params = Map::new();
        for value in &attempt.values {
            let Some((_, name, json)) = self.parameter(attempt, value) else { continue };
            let mut key = name.clone();
            let mut number = 2;
            while params.contains_key(&key) {
                key = format!("{name}_{number}");
                number += 1;
            }
            params.insert(key, json);
        }
        if !params.is_empty() {
            context.insert("params".to_owned(), Value::Object(params));
        }
        self.stamp(&mut context, place);
        context
    }

    /// A value of an attempt: the sentence that it is said in, what it is called, and as JSON.
    fn parameter(
        &self,
        attempt: &DescribedAttempt,
        value: &Tried,
    ) -> Option<(&ParsedSentence, String, Value)> {
        let mut segments = attempt.segments.iter().map(|&index| self.cut.at(index));
        let (segment, reading) = segments.find(|(segment, _)| segment.values.contains(value))?;
        let (name, json) = parameter(reading, &segment.range, value.at, &value.quantity)?;
        Some((reading, name, json))
    }

    /// Says in a context how an attempt ended, and which one it was.
    fn stamp(&self, context: &mut Map<String, Value>, place: usize) {
        let attempt = &self.described[place];
        let task = context.entry("task").or_insert_with(|| json!({}));
        let Value::Object(task) = task else { return };
        match attempt.success {
            Some(success) => task.insert("success".to_owned(), success.into()),
            None => task.remove("success"),
        };
        if self.are_tries && self.described.len() > 1 {
            task.insert("attempt".to_owned(), (place + 1).into());
        }
        if attempt.disagrees {
            task.insert("conflict".to_owned(), DISAGREEMENT.into());
        }
        if task.is_empty() {
            context.remove("task");
        }
    }

    /// Says in the context of a statement how the one attempt ended that it tells of. A statement that says by
    /// itself that something failed is not told to have succeeded.
    fn end(&self, fact: &mut TurnFact, place: usize) {
        let attempt = &self.described[place];
        if success_of(fact) == Some(false) && !attempt.disagrees {
            return;
        }
        self.stamp(&mut fact.context, place);
        // "From 0.5 to 0.2 m/s": the first is not what was set.
        let is_exchange = attempt
            .segments
            .iter()
            .any(|&index| self.segment(index).is_from_to || self.segment(index).is_instead);
        if is_exchange && let Some(params) = self.context(place).remove("params") {
            fact.context.insert("params".to_owned(), params);
        }
    }

    /// Says in the context of what the data tell which attempt it is of, and no end that the words deny.
    pub(in crate::inference::turn) fn stamp_data(&self, fact: &mut TurnFact, step: &Step) {
        let amounts: Vec<_> =
            step.measures.iter().flat_map(|it| quantities(&it.amount())).collect();
        let of = |attempt: &DescribedAttempt| {
            let is_one =
                |value: &Tried| amounts.iter().any(|it| it.is_as_great_as(&value.quantity));
            attempt.values.iter().any(is_one)
        };
        let Some(last) = self.described.len().checked_sub(1) else { return };
        if !self.are_tries && !self.described[last].disagrees {
            return;
        }
        // What the data say of several steps is of the one with these values.
        let place =
            self.described.iter().position(of).filter(|_| step.is_of_several).unwrap_or(last);
        let said = self.described[place].success;
        if step.is_of_several && said.is_none_or(|said| Some(said) == step.success) {
            if let Some(Value::Object(task)) = fact.context.get_mut("task") {
                task.insert("attempt".to_owned(), (place + 1).into());
            }
            return;
        }
        self.stamp(&mut fact.context, place);
    }

    /// The clauses that an attempt is told with.
    fn clauses(&self, place: usize) -> Vec<usize> {
        let attempt = &self.described[place];
        let mut clauses = attempt.segments.clone();
        clauses.sort_unstable();
        clauses.dedup();
        // What was done after it was told how it ended is not of it.
        if attempt.described_to != usize::MAX {
            let last_value = clauses
                .iter()
                .rposition(|&index| !self.segment(index).values.is_empty())
                .map(|at| clauses[at]);
            let end = last_value.map_or(attempt.described_to, |at| at.max(attempt.described_to));
            clauses.retain(|&index| index <= end || self.segment(index).is_reason);
        }
        if attempt.is_former {
            let kept: Vec<usize> =
                clauses.iter().copied().filter(|&index| !self.segment(index).is_from_to).collect();
            if !kept.is_empty() {
                return kept;
            }
        }
        clauses
    }

    /// Its words, so that they can be understood alone.
    fn words(&self, place: usize) -> String {
        let attempt = &self.described[place];
        let clauses = self.clauses(place);
        let is_chinese =
            clauses.iter().any(|&index| self.text[self.bytes(index)].chars().any(is_han));
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for (at, &index) in clauses.iter().enumerate() {
            let bytes = if at == 0 { self.stated_bytes(index) } else { self.bytes(index) };
            match pieces.last_mut() {
                Some(last) if clauses[at - 1] + 1 == index => last.end = bytes.end,
                _ => pieces.push(bytes),
            }
        }
        let pieces: Vec<&str> = pieces
            .into_iter()
            .map(|bytes| trimmed(&self.text[bytes]))
            .filter(|it| !it.is_empty())
            .collect();
        let own = pieces.join(if is_chinese { "，" } else { ", " });
        let mut content = own.clone();
        if (attempt.is_former || attempt.is_shared)
            && let Some(amounts) = self.amounts(place)
        {
            content = format!("{amounts}{}{own}", if is_chinese { "：" } else { ": " });
        }
        let acts = clauses.iter().any(|&index| self.segment(index).act.is_some());
        if !acts
            && !self.names_thing(&clauses)
            && let Some(title) = self.title(place).filter(|title| !own.contains(title.as_str()))
        {
            content = format!("{title}{}{content}", if is_chinese { "：" } else { ": " });
        }
        cut(closed(content).trim(), CONTENT_CHARS_MAX).0.replace(['\n', '\r'], " ")
    }

    /// Its values as they are written.
    fn amounts(&self, place: usize) -> Option<String> {
        let attempt = &self.described[place];
        let written = attempt.values.iter().map(|value| {
            let (reading, _, json) = self.parameter(attempt, value)?;
            let raw = &self.text[reading.bytes(value.at..value.at + 1)];
            let has_unit = raw.contains(|c: char| !c.is_ascii_digit() && !".,-+ ".contains(c));
            Some(match has_unit {
                true => raw.to_owned(),
                false => format!("{raw} {}", json["unit"].as_str().unwrap_or_default()),
            })
        });
        let written: Vec<String> = written.collect::<Option<_>>()?;
        (!written.is_empty()).then(|| written.join(", "))
    }

    /// The bytes of a clause without the conjunctions that it begins with.
    fn stated_bytes(&self, index: usize) -> Range<usize> {
        let (segment, reading) = self.cut.at(index);
        let mut start = segment.range.start;
        while start + 1 < segment.range.end
            && (reading.has_cue(start, &[And, But, Therefore, Because])
                || reading.is_word(start, &["until", "after", "which"]))
        {
            start = reading.after(start);
        }
        reading.bytes(start.min(segment.range.end - 1)..segment.range.end)
    }

    fn names_thing(&self, clauses: &[usize]) -> bool {
        clauses.iter().any(|&index| {
            let (segment, reading) = self.cut.at(index);
            !things(reading, &segment.range).is_empty()
        })
    }

    /// What the attempts before were on: the words of the first before its value.
    fn title(&self, place: usize) -> Option<String> {
        let own = self.clauses(place).first().copied()?;
        (0..self.described.len()).rev().find_map(|before| {
            let clauses = self.clauses(before);
            let &first = clauses.first()?;
            if first >= own {
                return None;
            }
            if !self.names_thing(&clauses) || self.described[before].is_former {
                return None;
            }
            let (segment, reading) = self.cut.at(first);
            if segment.values.first().is_some_and(|value| value.at == segment.range.start)
                || reading.is_word(segment.range.start, &["第"])
            {
                return None;
            }
            let mut end = segment.values.first().map_or(segment.range.end, |value| value.at);
            let opens = |at: usize| {
                reading.has_cue(at, &[At, Preposition, About])
                    || reading.is_word(at, &["a", "an", "the", ":", ",", "以", "用"])
            };
            while end > segment.range.start && opens(end - 1) {
                end -= 1;
            }
            let start = (end > 0).then(|| self.stated_bytes(first).start)?;
            let end = reading.bytes(segment.range.start..end.max(segment.range.start + 1)).end;
            let title = trimmed(self.text.get(start..end)?);
            (title.chars().count() >= 2).then(|| title.to_owned())
        })
    }

    fn place_of(&self, index: usize) -> TurnPlace {
        let sentence = self.segment(index).sentence;
        let Range { start, end } = self.cut.ranges[sentence].clone();
        TurnPlace::Sentence { number: sentence + 1, start, end }
    }

    fn fact(&self, place: usize) -> Option<TurnFact> {
        let clauses = self.clauses(place);
        let mut places: Vec<TurnPlace> =
            clauses.iter().map(|&index| self.place_of(index)).collect();
        places.dedup();
        let words = self.words(place);
        let first = (!words.is_empty() && !places.is_empty()).then(|| places.remove(0))?;
        Some(TurnFact {
            kind: TurnFactKind::Outcome,
            text: words,
            context: self.context(place),
            place: first,
            more_places: places,
        })
    }

    /// The attempts that tell a part of these bytes.
    fn at(&self, bytes: &Range<usize>) -> Vec<usize> {
        let meets = |place: &usize| {
            self.clauses(*place).iter().any(|&index| {
                let own = self.bytes(index);
                own.start < bytes.end && bytes.start < own.end
            })
        };
        (0..self.described.len()).filter(meets).collect()
    }
}

/// A statement that succeeds by one of its words and fails by another one says no end.
fn doubt(fact: &mut TurnFact) {
    if success_of(fact) != Some(true) {
        return;
    }
    let cut = super::Cut::of(&fact.text);
    let mut ends = cut.segments.iter().flat_map(|it| &it.evidence);
    if ends.any(|it| !it.is_good && !it.is_mild)
        && let Some(Value::Object(task)) = fact.context.get_mut("task")
    {
        task.remove("success");
    }
}

/// Whether a fact is of a kind that tells how something ended.
fn tells_end(fact: &TurnFact) -> bool {
    matches!(fact.kind, TurnFactKind::Outcome | TurnFactKind::Parameter | TurnFactKind::Cause)
}

fn success_of(fact: &TurnFact) -> Option<bool> {
    fact.context.get("task")?.get("success")?.as_bool()
}

/// What attempts that are told in the same words are called, from the second on.
#[rustfmt::skip]
const AGAIN: [(&str, &str); 6] = [
    ("at first", "第一次"), ("once more", "再一次"), ("a third time", "第三次"),
    ("a fourth time", "第四次"), ("a fifth time", "第五次"), ("yet again", "又一次"),
];

/// Attempts that are told in the same words are told apart by their number.
fn number_equals(facts: &mut [TurnFact]) {
    for index in 1..facts.len() {
        if facts[..index].iter().any(|known| known.text == facts[index].text) {
            let is_chinese = facts[index].text.chars().any(is_han);
            let same = facts[..index].iter().filter(|it| it.text.ends_with(&facts[index].text));
            let place = same.count().min(AGAIN.len() - 1);
            let (english, chinese) = AGAIN[place];
            facts[index].text = match is_chinese {
                true => format!("{chinese}：{}", facts[index].text),
                false => format!("{english}: {}", facts[index].text),
            };
        }
    }
}

impl Attempts<'_> {
    /// The statements of a report and its self. What tells of an attempt says its end and no other; of a
    /// report with several, each attempt is one fact, with the clauses that say how it ended.
    pub(in crate::inference::turn) fn retell(
        &self,
        mut statements: Vec<(TurnFact, Range<usize>)>,
    ) -> Vec<TurnFact> {
        statements.iter_mut().for_each(|(fact, _)| doubt(fact));
        if self.described.is_empty() {
            return statements.into_iter().map(|(fact, _)| fact).collect();
        }
        if !self.are_tries {
            return self.retell_each(statements);
        }
        let mut facts: Vec<TurnFact> =
            (0..self.described.len()).filter_map(|place| self.fact(place)).collect();
        number_equals(&mut facts);
        for (mut fact, bytes) in statements {
            let of = self.at(&bytes);
            if of.is_empty() || !tells_end(&fact) {
                if facts.iter().all(|known| known.text != fact.text) {
                    facts.push(fact);
                }
                continue;
            }
            if fact.kind != TurnFactKind::Cause {
                continue;
            }
            // Why it ended so; of several, nothing that belongs to one of them.
            match of[..] {
                [place] => fact.context = self.context(place),
                _ => fact.context = Map::new(),
            }
            match facts.iter_mut().find(|known| known.text == fact.text) {
                Some(known) => known.kind = TurnFactKind::Cause,
                None => facts.push(fact),
            }
        }
        facts.sort_by_key(|fact| sentence_of(&fact.place));
        facts
    }

    /// The same of different things that were done: the statements stay, and say how each ended.
    fn retell_each(&self, statements: Vec<(TurnFact, Range<usize>)>) -> Vec<TurnFact> {
        let mut facts = Vec::with_capacity(statements.len() + 1);
        let mut is_stated = vec![false; self.described.len()];
        for (mut fact, bytes) in statements {
            let of = self.at(&bytes);
            if let [place] = of[..]
                && tells_end(&fact)
            {
                let has_value = self.clauses(place).iter().any(|&index| {
                    let own = self.bytes(index);
                    !self.segment(index).values.is_empty()
                        && own.start < bytes.end
                        && bytes.start < own.end
                });
                is_stated[place] = true;
                if fact.kind != TurnFactKind::Parameter || has_value {
                    self.end(&mut fact, place);
                }
            } else {
                of.iter().for_each(|&place| is_stated[place] = true);
            }
            facts.push(fact);
        }
        for (place, _) in is_stated.iter().enumerate().filter(|(_, stated)| !**stated) {
            facts.extend(self.fact(place));
        }
        facts.sort_by_key(|fact| sentence_of(&fact.place));
        facts
    }

    /// Holds facts that somebody else took out of a report against its attempts: each gets the values and the end
    /// of the one attempt that it tells of; one that says another end is dropped; and attempts that none tells of
    /// are added. Answers how many were dropped.
    pub(in crate::inference::turn) fn hold_against(&self, facts: &mut Vec<TurnFact>) -> usize {
        let before = facts.len();
        let mut is_stated = vec![false; self.described.len()];
        facts.retain_mut(|fact| {
            if !tells_end(fact) {
                return true;
            }
            let of = self.stated_by(fact);
            let says = Attempts::end_of(&fact.text);
            let [place] = of[..] else { return of.is_empty() || says != Some(true) };
            let known = self.described[place].success;
            if says.is_some() && says != known {
                return false;
            }
            fact.context = self.context(place);
            is_stated[place] |= fact.kind != TurnFactKind::Parameter || says.is_some();
            true
        });
        let dropped = before - facts.len();
        // Of nothing that holds, the rules tell all.
        let adds = self.are_tries && !facts.is_empty();
        for (place, _) in is_stated.iter().enumerate().filter(|(_, stated)| adds && !**stated) {
            facts.extend(self.fact(place));
        }
        facts.sort_by_key(|fact| sentence_of(&fact.place));
        dropped
    }

    /// The attempts that a fact of somebody else tells of: those with its values, else those of its sentence.
    fn stated_by(&self, fact: &TurnFact) -> Vec<usize> {
        let said: Vec<_> =
            quantities(&fact.text).into_iter().filter(|it| !it.unit.is_empty()).collect();
        let sentence = sentence_of(&fact.place);
        let is_here = |place: &usize| {
            self.clauses(*place).iter().any(|&index| self.segment(index).sentence + 1 == sentence)
        };
        let here: Vec<usize> = (0..self.described.len()).filter(is_here).collect();
        let with_value = |place: &usize| {
            let mut values = self.described[*place].values.iter();
            values.any(|value| said.iter().any(|it| it.is_as_great_as(&value.quantity)))
        };
        let named: Vec<usize> = here.iter().copied().filter(with_value).collect();
        if named.is_empty() { here } else { named }
    }

    /// How a statement by itself says that something ended.
    fn end_of(text: &str) -> Option<bool> {
        let described = Attempts::of(text, None, None).described;
        match &described[..] {
            [one] => one.success,
            [] => {
                let cut = super::Cut::of(text);
                let ends: Vec<bool> = cut
                    .segments
                    .iter()
                    .flat_map(|segment| segment.evidence.iter().map(|it| it.is_good))
                    .collect();
                (!ends.is_empty()).then(|| ends.iter().all(|it| *it))
            }
            _ => None,
        }
    }
}

fn sentence_of(place: &TurnPlace) -> usize {
    match place {
        TurnPlace::Sentence { number, .. } => *number,
        TurnPlace::Field { .. } => usize::MAX,
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ".。,，;；:：!！、…-–—".contains(c))
        .trim_start_matches([')', '）', ']'])
}

/// Closes what the words open and do not close: "8 N (slipped".
fn closed(mut words: String) -> String {
    for (open, close) in [('(', ')'), ('（', '）'), ('[', ']')] {
        if words.matches(open).count() > words.matches(close).count() {
            words.push(close);
        }
    }
    words
}
