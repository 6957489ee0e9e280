//! All that is said of what is asked for: how many of it, which, in which order, of what time.

use super::super::super::super::stop_words::is_english_stop_word;
use super::super::super::atoms::{Atom, has, longest_of};
use super::super::lexer::{Kind, Token};
use super::super::part::Part;
use super::super::vocabulary::Word;
use super::super::{Beside, End, NamedEvents, Nth};
use super::clauses;
use super::sides::Place;
use super::target::Target;
use super::{Slots, one};

/// Stretches of time that were told.
#[rustfmt::skip]
const SPANS: [&str; 21] = [
    "that minute", "that hour", "that span", "that window", "that period", "that stretch", "that run", "that interval", "those minutes", "those hours", "this hour", "this minute", "this span", "this window", "this period", "that day", "这段", "那段", "期间", "这一个小时", "这个小时",
];
/// With one of these events of any kind are meant.
const KINDS: [&str; 12] = [
    "什么事件",
    "任何事件",
    "所有事件",
    "哪类",
    "类型",
    "类别",
    "种类",
    "kind",
    "type",
    "sort",
    "kinds",
    "types",
];

/// What was found so far.
#[derive(Default)]
struct Said {
    part: Part,
    /// The words that name the events.
    naming: Vec<Token>,
    adverb: Option<Word>,
    /// "Another", "the others".
    is_other: bool,
    /// The tokens of times.
    times: Vec<usize>,
    /// Events are named by no class.
    has_event: bool,
}

impl Slots<'_> {
    /// `None` when two things are said, or something has no place.
    pub(super) fn part(&self, place: &Place, target: &Target) -> Option<Part> {
        let mut said = self.said_by_names(target)?;
        said.part.beside.clone_from(&place.beside);
        for (at, token) in self.tokens().iter().enumerate() {
            if !place.tokens.contains(&at) && self.phrases.of_token(at).is_none() {
                self.take(&mut said, at, token, place, target)?;
            }
        }
        said.part.bounds = self.bounds(place.bounds, &said.times, place, target)?;
        self.name_counter(&mut said.part.of);
        if self.has_idle_name(target) {
            return None;
        }
        said.part.is_nearest = self.has_nearest(target);
        self.name_others(&mut said, place)?;
        self.finish(said, place, target)
    }

    fn said_by_names(&self, target: &Target) -> Option<Said> {
        let mut said = Said::default();
        let part = &mut said.part;
        for phrase in target.phrases.iter().map(|at| &self.phrases.all[*at]) {
            let words = &self.tokens()[phrase.from..phrase.to];
            said.has_event |= words.iter().any(|token| token.is(Word::Event));
            let events = self.sentence.events_of(phrase)?;
            let is_named =
                events.class.is_some() || !events.words.is_empty() || events.became.is_some();
            // A protective stop is a stop.
            let is_closer = part.of.class == Some("stop") && events.class != part.of.class;
            if is_named && (part.of.is_empty() || part.of.is_any || is_closer) {
                part.of = events;
                said.naming = words.iter().filter(|token| token.is_naming()).copied().collect();
            } else if part.of.is_empty() {
                part.of = events;
            } else if is_named && !events.words.is_empty() && events.words != part.of.words {
                return None;
            }
            part.nth = one(part.nth, phrase.nth)?;
            part.several = one(part.several, phrase.several)?;
            part.number = one(part.number, phrase.number)?;
            said.adverb = said.adverb.or(phrase.adverb);
        }
        Some(said)
    }

    /// Takes a token that is of no phrase; `None` when it has no place.
    fn take(
        &self,
        said: &mut Said,
        at: usize,
        token: &Token,
        place: &Place,
        target: &Target,
    ) -> Option<()> {
        let part = &mut said.part;
        match token.kind {
            Kind::Word(word) => return self.take_word(said, at, word, place, target),
            // "The stop that opened each hour".
            Kind::Name if self.has_per() => {
                let nth = self.end_of_each(token).map(|end| Nth { end, nth: 1 });
                part.nth = one(part.nth, nth)?;
            }
            Kind::Name | Kind::Vague => {}
            // It is told where it was, and nothing asks for that time.
            Kind::At(_) if self.clauses.all[self.clauses.of_token(token)].is_story => {}
            Kind::Per(by) => part.per = one(part.per, Some(by))?,
            Kind::Nth(nth) => part.nth = one(part.nth, Some(nth))?,
            Kind::Several(end, many) => part.several = one(part.several, Some((end, many)))?,
            Kind::Number(many) => part.number = one(part.number, Some(many))?,
            Kind::Time(_) => said.times.push(at),
            Kind::Length(_) if self.is_of_told(token) => {}
            _ => return None,
        }
        Some(())
    }

    fn take_word(
        &self,
        said: &mut Said,
        at: usize,
        word: Word,
        place: &Place,
        target: &Target,
    ) -> Option<()> {
        let (part, token) = (&mut said.part, &self.tokens()[at]);
        match word {
            Word::Count => part.is_counted = true,
            Word::Happened => part.is_open = true,
            Word::Just => part.is_just |= self.is_beside_side(at, place),
            Word::Oldest => part.order = one(part.order, Some(End::First))?,
            Word::Newest => part.order = one(part.order, Some(End::Last))?,
            Word::Other => {
                let next = self.phrases.of_token(at + 1);
                said.is_other |= target.phrases.is_empty()
                    && self.is_of_target(token, place, target)
                    || next.is_some_and(|of| target.phrases.contains(&of));
            }
            // "The last stop and the last slip".
            Word::And if self.joins_phrases(at) => return None,
            Word::Closest | Word::Object | Word::SoFar | Word::And => {}
            Word::Next if self.is_length(at + 1) => {}
            Word::Next | Word::Previous => {
                let is_told = !place.tokens.is_empty() && !self.is_of_phrases(token, target);
                said.adverb = one(said.adverb, Some(word).filter(|_| !is_told))?;
            }
            // "The earliest to follow it", "by which stop was it preceded?"
            Word::To | Word::Until if !self.joins(at) => {}
            Word::Until if self.asks_at(at + 1) => {}
            _ => return None,
        }
        Some(())
    }

    /// Whether "and" joins two phrases that name different events.
    fn joins_phrases(&self, at: usize) -> bool {
        let token = &self.tokens()[at];
        let is_of = |at: usize| self.phrases.of_token(at).is_some();
        is_of(at + 1)
            && at > 0
            && self.clauses.of_token(token) == self.clauses.of_token(&self.tokens()[at - 1])
            && (is_of(at - 1) || self.atoms()[token.from].is_one_of(&["but"]))
    }

    /// What is meant where no events are named: of any kind, or those that were told.
    fn name_others(&self, said: &mut Said, place: &Place) -> Option<()> {
        let part = &mut said.part;
        part.is_open |= self.asks_what() || part.of.is_empty() && self.has(&KINDS);
        if part.of.is_empty() && (said.is_other || !part.is_open) {
            // "And the one after that?", "did it happen again?"
            let is_like = !said.has_event && (said.is_other || self.is_like());
            part.of = place.like.clone().filter(|_| is_like)?;
        }
        let is_like = place.like.as_ref().is_some_and(|like| like.class == part.of.class);
        // "The other events beside it" are all but that one.
        let is_any_other = part.of.is_any && place.beside.is_some();
        (!said.is_other || is_like || is_any_other).then_some(())
    }

    /// With what its parts say only together.
    fn finish(&self, said: Said, place: &Place, target: &Target) -> Option<Part> {
        let Said { mut part, naming, adverb, .. } = said;
        // "Which four are the oldest?"
        if let (Some(many), Some(Nth { end, nth: 1 })) = (part.number, part.nth) {
            (part.number, part.nth, part.several) = (None, None, Some((end, many)));
        }
        let is_beside = part.beside.is_some();
        // "That hour", of which nothing was told.
        if self.has(&SPANS) && !is_beside && part.bounds.is_open() && part.per.is_none() {
            return None;
        }
        let is_counted_off = part.nth.is_some() || part.several.is_some() || part.number.is_some();
        part.of.is_any |= part.of.is_empty() && part.is_open && is_counted_off;
        self.place_adverb(&mut part, adverb, place, target)?;
        part.is_just &= !part.is_counted && part.nth.is_none() && part.several.is_none();
        // Of a time, and not beside an event.
        if !is_beside && part.is_just {
            part.is_just = false;
            if part.number.is_none() {
                part.nth = place.end.map(|end| Nth { end, nth: 1 });
            }
        }
        if !is_beside && let (Some(many), Some(end)) = (part.number, place.end) {
            (part.number, part.several) = (None, Some((end, many)));
        }
        self.drop_said_twice(&mut part);
        part.is_just |= part.beside.is_some() && self.sentence.names_one(&part, &naming);
        if let Some(beside) = part.beside.take() {
            part.beside = Some(self.sentence.all_beside(beside, &part, &naming));
        }
        Some(part)
    }

    /// Whether one of these phrases stands somewhere.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        has(self.atoms(), phrases)
    }

    /// Whether it asks for another one of what was told: "the one after that", "did it slip again".
    pub(super) fn is_like(&self) -> bool {
        #[rustfmt::skip]
        const LIKE: &[&str] = &[
            "the one", "the ones", "first one", "last one", "next one", "previous one", "that one", "which one", "which ones", "one after", "one before", "another", "again", "再", "又", "下一次", "下次", "哪次",
        ];
        self.has(LIKE)
    }

    /// "What", of whatever kind.
    pub(super) fn asks_what(&self) -> bool {
        let is_what = |pair: &[Atom]| {
            pair[0].is_one_of(&["what", "whatever", "anything", "everything"])
                && !pair[1].is_one_of(&["time", "was", "were", "is", "are"])
                || pair[0].is_one_of(&["什"]) && pair[1].is_one_of(&["么"])
        };
        self.atoms().windows(2).any(is_what)
    }

    /// "The next stop", "what came next".
    pub(super) fn place_adverb(
        &self,
        part: &mut Part,
        adverb: Option<Word>,
        place: &Place,
        target: &Target,
    ) -> Option<()> {
        let Some(word) = adverb else { return Some(()) };
        let end = if word == Word::Next { End::First } else { End::Last };
        let is_apart = target.phrases.iter().all(|at| self.phrases.all[*at].adverb.is_none());
        match (&part.beside, place.end) {
            // "One at 8:57 and the next at 9:02".
            (Some(Beside::Between(..)), _) if is_apart => return Some(()),
            (Some(Beside::After(..)), _) if word == Word::Next => {}
            (Some(Beside::Before(..)), _) if word == Word::Previous => {}
            (None, Some(of_time)) if of_time == end => {}
            _ => return None,
        }
        if part.is_counted || part.several.is_some() || part.number.is_some() {
            return Some(());
        }
        if part.of.is_empty() {
            part.adverb = Some(word).filter(|_| part.beside.is_some());
            return Some(());
        }
        // "The next stop", and of several which: "the second next".
        part.nth = part.nth.or(Some(Nth { end, nth: 1 }));
        Some(())
    }

    /// "The stop before the last one, the second to last", and all after an event.
    pub(super) fn drop_said_twice(&self, part: &mut Part) {
        const ALL: [&str; 8] =
            ["all", "every", "everything", "所有", "全部", "一切", "所有的", "都"];
        let is_of_all =
            part.tells_of_no_one() && (part.of.is_any || part.of.is_empty()) && self.has(&ALL);
        part.beside = match part.beside.take() {
            Some(Beside::Before(anchor, None))
                if anchor.of.class == part.of.class
                    && anchor.nth == Some(Nth { end: End::Last, nth: 1 })
                    && part.nth.is_some_and(|nth| nth.end == End::Last && nth.nth > 1) =>
            {
                None
            }
            Some(Beside::After(anchor, None)) if is_of_all && !part.is_just => {
                Some(Beside::Since(anchor))
            }
            Some(Beside::Before(anchor, None)) if is_of_all && !part.is_just => {
                Some(Beside::Until(anchor))
            }
            beside => beside,
        };
    }

    /// Which of them is said by 最近: of those after an event it may be the nearest, or the newest.
    pub(super) fn has_nearest(&self, target: &Target) -> bool {
        let beside = target.phrases.iter().flat_map(|at| &self.phrases.all[*at].beside);
        let mut tokens = beside.map(|at| &self.tokens()[*at]);
        tokens.any(|token| longest_of(&self.atoms()[token.from..], &["最近"]).is_some())
    }

    /// Whether a word beside those for the events is none of a name: "so many stops", "no stops".
    pub(super) fn has_idle_name(&self, target: &Target) -> bool {
        let words = target.phrases.iter().map(|at| &self.phrases.all[*at]);
        let mut tokens = words.flat_map(|phrase| &self.tokens()[phrase.from..phrase.to]);
        tokens.any(|token| {
            token.kind == Kind::Name && self.atoms()[token.from..token.to].iter().any(is_idle_word)
        })
    }

    /// 周期总共变了几次: what changes, apart from the word for it.
    pub(super) fn name_counter(&self, of: &mut NamedEvents) {
        let is_named = of.class == Some("change") && of.words.is_empty();
        let counter = self
            .tokens()
            .iter()
            .find(|token| token.kind == Kind::Name && clauses::is_counter(token, self.atoms()));
        // "How often has the arm been moved?"
        let subject = self.tokens().iter().enumerate().find(|(at, token)| {
            self.phrases.of_token(*at).is_none()
                && token.kind == Kind::Name
                && clauses::is_subject(token, self.atoms(), of.class)
        });
        if let Some((_, token)) = subject.filter(|_| of.words.is_empty()) {
            of.words = self.sentence.text_of(token);
        }
        if let Some(token) = counter.filter(|_| is_named) {
            of.words = self.sentence.text_of(token);
        }
    }

    /// Whether a word stands beside what says on which side: "just before", 之后紧接着.
    pub(super) fn is_beside_side(&self, at: usize, place: &Place) -> bool {
        let is_side = |at: usize| {
            self.tokens()
                .get(at)
                .is_some_and(|token| matches!(token.kind, Kind::Time(_)) || place.side == Some(at))
        };
        let first = &self.atoms()[self.tokens()[at].from];
        let is_said = !first.is_one_of(&["就", "the"]);
        // 紧挨在记忆29前面: what is adjacent stands before the event, too.
        let is_adjacent = first.text.starts_with('紧');
        let is_nearest =
            first.is_one_of(&["nearest", "closest"]) && self.phrases.of_token(at + 1).is_some();
        is_said
            && (is_nearest
                || is_adjacent
                || place.side == Some(at)
                || is_side(at + 1)
                || at > 0 && is_side(at - 1))
    }

    pub(super) fn is_length(&self, at: usize) -> bool {
        self.tokens().get(at).is_some_and(|token| matches!(token.kind, Kind::Length(_)))
    }
}

/// Whether a word is none of a name.
fn is_idle_word(atom: &Atom) -> bool {
    #[rustfmt::skip]
    const IDLE: [&str; 18] = [
        "not", "no", "never", "without", "while", "must", "recently", "lately", "不", "没", "无", "为", "时", "久", "谁", "或", "应", "么",
    ];
    atom.is_one_of(&IDLE) || is_english_stop_word(&atom.text)
}
