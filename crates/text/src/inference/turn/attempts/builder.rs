//! Clause by clause to attempts: what begins one, and what belongs to the one before.

use super::segments::{Cut, Segment};
use super::values::Tried;
use super::{Attempt, PlacedEvidence, verdict_of};

/// Sentences after an attempt in which it is told how it ended.
const SENTENCES_MAX: usize = 4;
/// Attempts of one report that are told apart.
const ATTEMPTS_MAX: usize = 32;

/// Words after which no other thing is the subject of what happened: "it slipped", "still dripping", 又掉了.
const BARE: &[&str] =
    &["it", "they", "this", "that", "still", "again", "no", "not", "它", "又", "还", "没", "也"];

impl Attempt {
    /// One that a clause tells, with what that says of how it ended.
    fn of(index: usize, segment: &Segment, evidence: Vec<PlacedEvidence>) -> Self {
        Self {
            segments: vec![index],
            evidence,
            is_unclear: segment.is_unclear,
            unclear_at: segment.is_unclear.then_some(index),
            again: segment.again,
            changes: segment.changes,
            is_later: segment.is_later,
            turns: segment.turns,
            is_try: segment.is_try,
            is_other: segment.is_other,
            ..Self::default()
        }
    }

    /// Forgets what other sentences say of other things: only where the same was tried again they tell how that
    /// ended.
    pub fn forget_others(&mut self, cut: &Cut) {
        let of_value = self.segments.iter().rev().find(|&&it| !cut.segments[it].values.is_empty());
        let Some(own) = of_value.map(|&it| cut.segments[it].sentence) else { return };
        let first = self.segments.iter().position(|&it| !cut.segments[it].values.is_empty());
        let before = first.map(|at| self.segments[at]).unwrap_or_default();
        self.evidence.retain(|heard| {
            let segment = &cut.segments[heard.segment];
            let sentence = &cut.readings[segment.sentence];
            let begins = segment.range.start;
            let is_first = segment.evidence.first().is_some_and(|it| it.at == begins);
            let is_bare = is_first || sentence.is_word(begins, BARE);
            heard.segment >= before && (segment.sentence == own || is_bare)
        });
        if self.unclear_at.is_some_and(|at| cut.segments[at].sentence != own) {
            (self.is_unclear, self.unclear_at) = (false, None);
        }
        let evidence = &self.evidence;
        self.segments.retain(|&it| {
            cut.segments[it].sentence == own || evidence.iter().any(|heard| heard.segment == it)
        });
    }
}

/// Takes in the clauses of a report one after another.
pub(super) struct Builder<'a> {
    cut: &'a Cut,
    found: Vec<Attempt>,
    /// Clauses of the sentence that no attempt has yet.
    lead: Vec<usize>,
}

impl<'a> Builder<'a> {
    pub fn of(cut: &'a Cut) -> Self {
        Self { cut, found: Vec::new(), lead: Vec::new() }
    }

    /// The attempts in the order of time. By values: what has none is an attempt only where the words say so.
    pub fn build(mut self, by_values: bool) -> Vec<Attempt> {
        let mut sentence = usize::MAX;
        for (index, segment) in self.cut.segments.iter().enumerate() {
            if segment.sentence != sentence {
                self.lead.clear();
                sentence = segment.sentence;
            }
            if segment.is_plan {
                // "Will see tomorrow whether it holds".
                if segment.is_unclear && segment.values.is_empty() && by_values {
                    self.without_value(index, segment, by_values);
                }
                continue;
            }
            if self.found.len() >= ATTEMPTS_MAX {
                break;
            }
            if segment.values.is_empty() || !by_values {
                self.without_value(index, segment, by_values);
            } else {
                self.with_value(index, segment);
            }
        }
        self.found
    }

    fn heard(&self, index: usize) -> Vec<PlacedEvidence> {
        let segment = &self.cut.segments[index];
        // Nobody is sure of it.
        if segment.is_unclear {
            return Vec::new();
        }
        let sentence = &self.cut.readings[segment.sentence];
        let is_but = sentence.is_word(segment.range.start, BUTS);
        let heard = segment.evidence.iter().map(|it| PlacedEvidence {
            evidence: *it,
            segment: index,
            is_but,
        });
        heard.collect()
    }

    /// The place of the attempt that was told last in the sentence, when a clause goes back behind it.
    fn place_before(&self, segment: &Segment) -> Option<usize> {
        let last = self.found.len().checked_sub(1)?;
        let stated_in = self.found[last].segments.last().map(|&it| self.cut.segments[it].sentence);
        let is_here = stated_in == Some(segment.sentence);
        let is_near = stated_in.is_some_and(|sentence| sentence + 1 == segment.sentence);
        let goes_back = segment.is_earlier && is_here || segment.is_reason && (is_here || is_near);
        goes_back.then_some(last)
    }

    fn with_value(&mut self, index: usize, segment: &Segment) {
        let sentence = &self.cut.readings[segment.sentence];
        if segment.is_from_to || segment.is_instead {
            self.take_change(index, segment);
            return;
        }
        let mut sets = sets_of(&segment.values);
        // "12-14 N", "between 12 and 14 N": one attempt, and nobody says which.
        let is_range = sets.len() > 1
            && segment.values.windows(2).any(|pair| {
                let between =
                    pair[0].at.checked_sub(1).is_some_and(|at| sentence.is_word(at, &["between"]));
                pair[1].at - pair[0].at == 1
                    || pair[1].at - pair[0].at == 2
                        && (between
                            || sentence
                                .is_word(pair[0].at + 1, &["-", "–", "~", "～", "to", "到", "至"]))
            });
        if is_range {
            sets = vec![segment.values.clone()];
        }
        let heard = self.heard(index);
        let shares = self.shares(&sets, &heard, segment);
        let is_shared = sets.len() > 1;

        for (set, (heard, is_implied)) in sets.into_iter().zip(shares) {
            let attempt = Attempt {
                values: set,
                is_implied,
                is_shared,
                ..Attempt::of(index, segment, heard)
            };
            self.add(attempt, index, segment);
        }
        self.lead.clear();
    }

    /// What of the evidence of a clause belongs to which of its values, and whether that one is implied to have
    /// failed.
    fn shares(
        &self,
        sets: &[Vec<Tried>],
        heard: &[PlacedEvidence],
        segment: &Segment,
    ) -> Vec<(Vec<PlacedEvidence>, bool)> {
        if sets.len() < 2 {
            return vec![(heard.to_vec(), false)];
        }
        let sentence = &self.cut.readings[segment.sentence];
        let starts: Vec<usize> = sets.iter().map(|set| set[0].at).collect();
        let within = |places: std::ops::Range<usize>| -> Vec<PlacedEvidence> {
            heard.iter().filter(|it| places.contains(&it.evidence.at)).copied().collect()
        };
        let ends = starts[1..].iter().copied().chain([usize::MAX]);
        let own: Vec<Vec<PlacedEvidence>> =
            starts.iter().zip(ends).map(|(&start, end)| within(start..end)).collect();
        let last = sets.len() - 1;
        let is_each = own[..last].iter().any(|heard| !heard.is_empty());
        let is_final = (starts[last - 1]..starts[last])
            .any(|at| sentence.is_word(at, &["until", "finally", "直", "才", "终"]));
        let shared = if own[last].is_empty() { within(0..starts[0]) } else { own[last].clone() };
        (0..sets.len())
            .map(|place| match place {
                _ if is_each => (own[place].clone(), false),
                _ if place < last && is_final => (Vec::new(), true),
                _ => (shared.clone(), false),
            })
            .collect()
    }

    /// Takes in an attempt that a clause tells: in its place, or as more of the one before.
    fn add(&mut self, mut attempt: Attempt, index: usize, segment: &Segment) {
        if let Some(place) = self.place_before(segment) {
            let is_new = !attempt.values.iter().all(|value| has_value(&self.found[place], value));
            if is_new {
                self.add_before(attempt, index, segment, place);
                return;
            }
        }
        // "It held when it was gripped at 15 N", "slipped at 12 N".
        if attempt.evidence.is_empty() {
            self.take_lead(&mut attempt);
        }
        let sharing = attempt.is_shared;
        let is_known = |known: &Attempt| {
            known.values.len() == attempt.values.len()
                && attempt.values.iter().all(|value| has_value(known, value))
        };
        let same_end = |known: &Attempt| {
            verdict_of(known).is_some() && verdict_of(known) == verdict_of(&attempt)
        };
        if !attempt.again
            && !attempt.is_other
            && let Some(known) = self.found.iter_mut().rev().find(|known| is_known(known))
            && (attempt.evidence.is_empty() && !attempt.is_unclear && known.evidence.is_empty()
                || same_end(known))
        {
            // Told again.
            if !known.segments.contains(&index) {
                known.segments.push(index);
            }
            return;
        }
        if let Some(last) = self.found.last_mut()
            && last.evidence.is_empty()
            && !last.is_unclear
            && !last.is_implied
            && !sharing
            && (is_known(last) || is_apart(&last.values, &attempt.values))
        {
            let more: Vec<Tried> =
                attempt.values.into_iter().filter(|it| !has_value(last, it)).collect();
            last.values.extend(more);
            last.segments.extend(attempt.segments);
            last.evidence.extend(attempt.evidence);
            last.is_unclear |= attempt.is_unclear;
            last.unclear_at = last.unclear_at.or(attempt.unclear_at);
            last.again |= attempt.again;
            last.changes |= attempt.changes;
            return;
        }
        let lead = std::mem::take(&mut self.lead);
        attempt.segments.splice(..0, lead);
        attempt.segments.dedup();
        self.found.push(attempt);
    }

    /// What the clauses just before say of how it ended, when no attempt has them.
    fn take_lead(&mut self, attempt: &mut Attempt) {
        let lead: Vec<usize> = self.lead.clone();
        for index in lead {
            let heard = self.heard(index);
            attempt.evidence.extend(heard);
        }
    }

    /// An attempt that is told after the one that came of it.
    fn add_before(&mut self, mut attempt: Attempt, index: usize, segment: &Segment, place: usize) {
        attempt.evidence.retain(|heard| !heard.evidence.is_good || heard.evidence.is_sure);
        // A reason of a change is what went wrong before it.
        let explains =
            segment.is_reason && attempt.evidence.iter().all(|heard| !heard.evidence.is_good);
        attempt.is_implied |= explains && attempt.evidence.is_empty();
        let known = self.found[..place]
            .iter_mut()
            .rev()
            .find(|known| attempt.values.iter().all(|value| has_value(known, value)));
        match known {
            Some(known) => {
                known.segments.push(index);
                known.evidence.extend(attempt.evidence);
                known.is_implied |= attempt.is_implied;
            }
            None => self.found.insert(place, attempt),
        }
    }

    fn take_change(&mut self, index: usize, segment: &Segment) {
        let (from, to) = match &segment.values[..] {
            [to, from] if segment.is_instead => (from, to),
            [from, to] => (from, to),
            _ => return,
        };
        let is_known = self.found.last().is_some_and(|last| has_value(last, from));
        if !is_known {
            self.found.push(Attempt {
                values: vec![from.clone()],
                segments: vec![index],
                is_former: true,
                ..Attempt::default()
            });
        }
        self.found.push(Attempt {
            values: vec![to.clone()],
            segments: vec![index],
            evidence: self.heard(index),
            is_unclear: segment.is_unclear,
            unclear_at: segment.is_unclear.then_some(index),
            changes: true,
            ..Attempt::default()
        });
        self.lead.clear();
    }

    fn without_value(&mut self, index: usize, segment: &Segment, by_values: bool) {
        let heard = self.heard(index);
        if segment.is_reason && self.place_before(segment).is_some() {
            self.reason(index, &heard);
            return;
        }

        if self.ordinal(index, segment, &heard) {
            return;
        }
        let Some(last) = self.found.last() else {
            if !by_values && (opens(segment, self.cut, true) || !heard.is_empty()) {
                self.begin(index, segment, heard);
            } else {
                self.lead.push(index);
            }
            return;
        };
        let is_evident = !last.evidence.is_empty() || last.is_unclear;
        let is_far = last
            .segments
            .last()
            .is_some_and(|&it| segment.sentence > self.cut.segments[it].sentence + SENTENCES_MAX);
        let failed = verdict_of(last) == Some(false);
        let recovers = failed
            && (segment.acts || segment.turns)
            && heard.iter().any(|it| it.evidence.is_good)
            && heard.iter().all(|it| it.evidence.is_good && !it.is_but);
        if is_evident && (opens(segment, self.cut, !by_values) || recovers)
            || is_far && !heard.is_empty()
        {
            self.begin(index, segment, heard);
            return;
        }
        // "Weed off but the paint came with it": what the words do not know stands against it.
        let sentence = &self.cut.readings[segment.sentence];
        let is_but = sentence.is_word(segment.range.start, BUTS);
        if is_but
            && heard.iter().all(|it| it.evidence.is_good && !it.evidence.is_sure)
            && let Some(last) = self.found.last_mut()
            && last.evidence.iter().all(|it| it.evidence.is_good)
        {
            last.is_unclear = true;
            last.unclear_at = Some(index);
        }
        let is_of_all = segment.is_of_all && !heard.is_empty();
        let from = if is_of_all { self.open_run() } else { self.found.len() - 1 };
        let from = from.min(self.found.len() - 1);
        for attempt in &mut self.found[from..] {
            if segment.is_unclear
                && attempt.evidence.iter().all(|it| !it.evidence.is_sure || it.evidence.is_either)
            {
                attempt.is_unclear = true;
                attempt.unclear_at = Some(index);
            }
            attempt.evidence.extend(heard.iter().copied());
            attempt.segments.push(index);
        }
    }

    fn begin(&mut self, index: usize, segment: &Segment, heard: Vec<PlacedEvidence>) {
        let mut segments = std::mem::take(&mut self.lead);
        segments.push(index);
        self.found.push(Attempt { segments, ..Attempt::of(index, segment, heard) });
    }

    /// The first of the attempts at the end of which nothing is told yet.
    fn open_run(&self) -> usize {
        let is_open = |attempt: &&Attempt| attempt.evidence.is_empty() && !attempt.is_unclear;
        self.found.len() - self.found.iter().rev().take_while(is_open).count()
    }

    /// A reason without a value: why another way was taken, or why the attempt ended as it did.
    fn reason(&mut self, index: usize, heard: &[PlacedEvidence]) {
        let last = self.found.len() - 1;
        let is_change = self.found[last].changes && self.found[last].evidence.is_empty();
        if is_change && last > 0 {
            let former = &mut self.found[last - 1];
            former.segments.push(index);
            former.evidence.extend(heard.iter().filter(|it| !it.evidence.is_good));
            former.is_implied |= former.evidence.is_empty();
        } else if !self.found[last].evidence.is_empty() {
            self.found[last].segments.push(index);
        }
    }

    /// "The first slipped, the second held", of what was named before.
    fn ordinal(&mut self, index: usize, segment: &Segment, heard: &[PlacedEvidence]) -> bool {
        let from = self.open_run();
        let count = self.found.len() - from;
        let sentence = &self.cut.readings[segment.sentence];
        if heard.is_empty() {
            return false;
        }
        let place = segment.range.clone().find_map(|at| {
            let is = |words: &[&str]| sentence.is_word(at, words);
            ORDINALS.iter().position(|words| is(words))
        });
        let Some(place) = place else { return false };
        // The run gets shorter as its attempts are told.
        let run = self.found.iter().rev().take_while(|it| it.is_shared || it.evidence.is_empty());
        let start = self.found.len() - run.count();
        let place = if place == LAST { self.found.len().wrapping_sub(1) } else { start + place };
        let is_one = count >= 1 && self.found.len() - start >= 2;
        let Some(attempt) = self.found.get_mut(place).filter(|it| is_one && it.evidence.is_empty())
        else {
            return false;
        };
        attempt.evidence.extend(heard.iter().copied());
        attempt.segments.push(index);
        attempt.is_shared = true;
        true
    }
}

/// Words by which one of several is named, in order; the last row names the last.
const ORDINALS: &[&[&str]] =
    &[&["first", "former"], &["second"], &["third"], &["fourth"], &["last", "latter"]];
const LAST: usize = 4;
const BUTS: &[&str] = &["but", "yet", "however", "但", "却"];
/// Whether a clause without a value begins an attempt.
fn opens(segment: &Segment, cut: &Cut, alone: bool) -> bool {
    let sentence = &cut.readings[segment.sentence];
    let first = segment.evidence.first().map_or(usize::MAX, |it| it.at);
    let begins = segment.range.start;
    let acts_before = segment.acts && first > begins + 1;
    let marked = segment.again || segment.changes;
    if segment.is_unclear && !segment.is_try {
        return false;
    }
    let is_subject = sentence.is_word(begins, &["and", "but", "then"]);
    if segment.evidence.is_empty() {
        let is_chinese = sentence.is_han(begins);
        return segment.acts && (alone || marked) || alone && marked && is_chinese;
    }
    marked && acts_before
        || alone && acts_before && !is_subject
        || alone && segment.again && sentence.is_han(begins) && first > begins + 2
}

fn has_value(attempt: &Attempt, value: &Tried) -> bool {
    attempt.values.iter().any(|own| own.is(value))
}

/// Whether no two of them are of one unit.
pub(super) fn is_apart(a: &[Tried], b: &[Tried]) -> bool {
    a.iter().all(|one| b.iter().all(|other| one.quantity.unit != other.quantity.unit))
}

/// Values that were set together: a second one of a unit begins another attempt.
fn sets_of(values: &[Tried]) -> Vec<Vec<Tried>> {
    let mut sets: Vec<Vec<Tried>> = Vec::new();
    for value in values {
        match sets.last_mut() {
            Some(set) if is_apart(set, std::slice::from_ref(value)) => set.push(value.clone()),
            Some(set) if set.iter().any(|own| own.is(value)) => {}
            _ => sets.push(vec![value.clone()]),
        }
    }
    sets
}
