//! The words of a sentence that say beside which event.

use super::super::atoms::{Atom, longest_of};
use super::grammar::Sentence;
use super::lexer::{Kind, Token};
use super::vocabulary::Word;
use super::{Anchor, Beside, End, Nth};

/// The part of a sentence that says beside which event: its tokens, the last not included.
#[derive(Debug)]
pub(super) struct Relation {
    pub beside: Beside,
    pub from: usize,
    pub to: usize,
    pub is_just: bool,
    /// Whether the event was named before.
    pub is_of_before: bool,
}

impl Relation {
    fn new(beside: Beside, from: usize, to: usize) -> Self {
        Self { beside, from, to, is_just: false, is_of_before: false }
    }
}

impl Sentence<'_> {
    /// What says on which side of an event; `None` when it is not sure what does.
    #[expect(clippy::option_option, reason = "none is said, or too many are")]
    pub fn relation(&self) -> Option<Option<Relation>> {
        const SIDES: [Word; 6] =
            [Word::Before, Word::After, Word::Since, Word::Around, Word::Between, Word::Once];
        let is_side = |at: &usize| SIDES.iter().any(|side| self.tokens[*at].is(*side));
        let places: Vec<usize> = (0..self.tokens.len()).filter(is_side).collect();
        let find = |word| self.tokens.iter().position(|token| token.is(word));
        let relation = match places[..] {
            [] => match find(Word::From) {
                Some(at) => self.one_to_another(at)?,
                None => match find(Word::Until) {
                    Some(at) => self.at_side(at)?,
                    None => return Some(self.up_to().or_else(|| self.following())),
                },
            },
            [at] if self.tokens[at].is(Word::Between) => {
                if self.is_han {
                    self.between_han(at)?
                } else {
                    self.between(at)?
                }
            }
            [at] => self.at_side(at)?,
            [one, two] => self.after_and_before(one, two)?,
            _ => return None,
        };
        Some(Some(if self.is_han { self.with_subject(relation) } else { relation }))
    }

    fn is(&self, at: Option<usize>, word: Word) -> bool {
        at.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.is(word))
    }

    fn at_side(&self, at: usize) -> Option<Relation> {
        if self.is_han { self.beside_han(at) } else { self.beside(at) }
    }

    /// 夹爪第四次丢件之后: what stands right before is of the event, but not when what it did comes after.
    fn with_subject(&self, mut relation: Relation) -> Relation {
        let next = self.tokens.get(relation.to).filter(|next| !next.is_cut);
        let is_of_target = next.is_some_and(|next| {
            matches!(next.kind, Kind::Class(_) | Kind::Number(_) | Kind::Word(Word::Count))
        });
        let is_beside = |at: usize| {
            let (name, first) = (&self.tokens[at - 1], &self.tokens[at]);
            // 周期数变到50, 夹爪在14:42丢了.
            let between = &self.atoms[name.to..first.from];
            let is_near =
                between.iter().all(|atom| atom.is_one_of(&["数", "号", "值", "在", "于"]));
            name.kind == Kind::Name && is_near && !first.is_cut
        };
        let mut at = relation.from;
        while at > 0 && at < self.tokens.len() && is_beside(at) {
            at -= 1;
        }
        if is_of_target || at == relation.from {
            return relation;
        }
        let named = self.tokens[at].from..self.tokens[relation.from].from;
        let words: String = self.atoms[named].iter().map(|atom| &*atom.text).collect();
        let fill = |anchor: &mut Anchor| {
            if anchor.of.words.is_empty() {
                anchor.of.words.clone_from(&words);
            }
        };
        match &mut relation.beside {
            Beside::Before(anchor, _)
            | Beside::After(anchor, _)
            | Beside::Around(anchor, _)
            | Beside::Since(anchor) => fill(anchor),
            Beside::Between(one, other, _) => {
                fill(one);
                fill(other);
            }
        }
        relation.from = at;
        relation
    }

    /// "When it slipped for the second time, what came next?", 第三次急停刚过，接下来: an event, and what followed it.
    fn following(&self) -> Option<Relation> {
        let is_next = |word| word == Word::Next || word == Word::Previous;
        let word = |at: usize| match self.tokens[at].kind {
            Kind::Word(word) if is_next(word) => Some(word),
            // 紧接着它做了什么.
            Kind::Word(Word::Just) if self.is_right_then(at) => Some(Word::Next),
            // 急停的前一次掉落.
            Kind::Nth(Nth { end: End::Last, nth: 1 })
                if at > 0 && self.atoms[self.tokens[at].from].is_one_of(&["前", "上"]) =>
            {
                Some(Word::Previous)
            }
            _ => None,
        };
        let (at, word) = (0..self.tokens.len()).find_map(|at| Some((at, word(at)?)))?;
        let is_one = |anchor: &Anchor| {
            anchor.nth.is_some() || anchor.of.became.is_some() || !anchor.bounds.is_open()
        };
        let side = |anchor| match word {
            Word::Next => Beside::After(anchor, None),
            _ => Beside::Before(anchor, None),
        };
        if let Some((anchor, end)) = self.anchor(0).filter(|(anchor, _)| is_one(anchor)) {
            let skipped = [Word::Happened, Word::Just].map(|word| self.is(Some(end), word));
            let to = end + usize::from(skipped.contains(&true));
            let is_apart = self.tokens.get(to).is_some_and(|token| token.is_cut);
            if to == at || is_apart && to < at {
                return Some(Relation::new(side(anchor), 0, to));
            }
            return None;
        }
        let anchor = self.context.cloned()?;
        // 接下来两分钟里.
        if let (Some(secs), Word::Next) = (self.length(at + 1), word) {
            let relation = Relation::new(Beside::After(anchor, Some(secs)), at, at + 2);
            return Some(Relation { is_of_before: true, ..relation });
        }
        Some(Relation { is_of_before: true, ..Relation::new(side(anchor), 0, 0) })
    }

    /// 紧接着, of the event that was named before.
    pub fn is_right_then(&self, at: usize) -> bool {
        const THEN: [&str; 9] =
            ["紧接着", "紧接", "紧跟着", "随即", "马上", "立刻", "立即", "旋即", "当即"];
        let token = &self.tokens[at];
        at == 0 && self.context.is_some() && longest_of(&self.atoms[token.from..], &THEN).is_some()
    }

    /// 到第五十次急停，掉了几次: what came before it.
    fn up_to(&self) -> Option<Relation> {
        let (anchor, to) = self.anchor(1).filter(|_| self.is(Some(0), Word::To))?;
        let is_cut = self.tokens.get(to).is_some_and(|next| next.is_cut);
        let is_counted = self.tokens.iter().any(|token| token.is(Word::Count));
        let is_whole = is_cut && is_counted && anchor.nth.is_some();
        is_whole.then(|| Relation::new(Beside::Before(anchor, None), 0, to))
    }

    /// "After the first stop and before the second one": between them.
    fn after_and_before(&self, one: usize, two: usize) -> Option<Relation> {
        let after_and = |at: usize| at + usize::from(self.is(Some(at), Word::And));
        let (first, from, second, to) = if self.is_han {
            let from = self.begin_of_anchor(one);
            let (first, end) = self.anchor(from).filter(|(_, end)| *end == one)?;
            let (second, _) = self.anchor(after_and(end + 1)).filter(|(_, end)| *end == two)?;
            (first, from, second, two + 1)
        } else {
            // "After the first but before the second stop", "before the second one".
            let nth = |at: usize| match self.tokens.get(at)?.kind {
                Kind::Nth(nth) => Some(nth),
                _ => None,
            };
            let first = self.anchor(one + 1);
            let second = match &first {
                Some((first, _)) => self.anchor_like(two + 1, first),
                None => self.anchor(two + 1),
            };
            let like = |anchor: &Anchor, nth| Anchor { nth: Some(nth), ..anchor.clone() };
            let (first, middle, second, to) = match (first, second) {
                (Some((first, middle)), Some((second, to))) => (first, middle, second, to),
                (None, Some((second, to))) => (like(&second, nth(one + 1)?), one + 2, second, to),
                (_, None) => return None,
            };
            (after_and(middle) == two).then_some((first, one, second, to))?
        };
        let (first, second) = match (self.tokens[one].kind, self.tokens[two].kind) {
            (Kind::Word(Word::After), Kind::Word(Word::Before)) => (first, second),
            (Kind::Word(Word::Before), Kind::Word(Word::After)) => (second, first),
            _ => return None,
        };
        Some(Relation::new(Beside::Between(first, second, true), from, to))
    }

    /// Another event, of which only what is other than of the first may be said: "the stop at 8:46 and the one at 8:53",
    /// "the 100th stop to the 101st".
    fn anchor_like(&self, at: usize, first: &Anchor) -> Option<(Anchor, usize)> {
        let is_alone = self.tokens.get(at + 1).is_none_or(|next| !next.is_naming() || next.is_cut);
        let like = match self.tokens.get(at)?.kind {
            Kind::At(bounds) if is_alone => Some((None, bounds)),
            Kind::Nth(nth) if is_alone => Some((Some(nth), first.bounds)),
            _ => None,
        };
        match like {
            Some((nth, bounds)) => Some((Anchor { nth, bounds, of: first.of.clone() }, at + 1)),
            None => self.anchor(at),
        }
    }

    /// The event named before, where nothing stands behind a word such as "before".
    fn named_before(&self, at: usize) -> Option<(Anchor, usize)> {
        let at = at + usize::from(self.is(Some(at), Word::Happened));
        // "Which stop preceded it most recently?"
        let is_last = |token: &Token| {
            let is_it = |atom: &Atom| atom.is_one_of(&["it", "that", "this"]);
            matches!(token.kind, Kind::Nth(_))
                && at + 1 == self.tokens.len()
                && is_it(&self.atoms[token.from.saturating_sub(1)])
        };
        let is_alone = self.tokens.get(at).is_none_or(|token| token.is_cut || is_last(token));
        self.context.cloned().filter(|_| is_alone).map(|anchor| (anchor, at))
    }

    /// "In the ten minutes just before the last stop".
    fn beside(&self, at: usize) -> Option<Relation> {
        // "What followed in the next two minutes?"
        let length = at + 1 + usize::from(self.is(Some(at + 1), Word::Next));
        if let (Some(secs), Some(anchor)) = (self.length(length), self.context.cloned()) {
            let beside = self.on_side(at, anchor, Some(secs))?;
            let relation = Relation::new(beside, at, length + 1);
            return Some(Relation { is_of_before: true, ..relation });
        }
        let named = self.anchor(at + 1);
        let is_of_before = named.as_ref().is_none_or(|(anchor, _)| Some(anchor) == self.context);
        let named = named.or_else(|| self.one_at(at));
        let (anchor, to) = named.or_else(|| self.named_before(at + 1))?;
        let mut from = at;
        let is_just = self.is(from.checked_sub(1), Word::Just);
        from -= usize::from(is_just);
        let secs = from.checked_sub(1).and_then(|at| self.length(at));
        from -= usize::from(secs.is_some());
        let beside = self.on_side(at, anchor, secs)?;
        Some(Relation { is_just, is_of_before, ..Relation::new(beside, from, to) })
    }

    /// "The stop before the one at 14:21:07": of the class that is named before.
    fn one_at(&self, side: usize) -> Option<(Anchor, usize)> {
        let Kind::At(bounds) = self.tokens.get(side + 1)?.kind else { return None };
        let is_one = self.atoms[self.tokens[side].to..self.tokens[side + 1].from]
            .iter()
            .any(|atom| atom.is_one_of(&["one"]));
        let classes =
            self.tokens[..side].iter().filter(|token| matches!(token.kind, Kind::Class(_)));
        let of = self.named(&classes.copied().collect::<Vec<_>>(), false)?;
        let is_free = self.tokens.get(side + 2).is_none_or(|next| !next.is_naming() || next.is_cut);
        (is_one && is_free && of.class.is_some())
            .then_some((Anchor { of, nth: None, bounds }, side + 2))
    }

    /// 就在上次急停之前十分钟内.
    fn beside_han(&self, at: usize) -> Option<Relation> {
        // 急停发生之前, 急停紧前面.
        let mut named = at - usize::from(self.is(at.checked_sub(1), Word::Happened));
        let is_just_before = self.is(named.checked_sub(1), Word::Just);
        named -= usize::from(is_just_before);
        let begun = self.begin_of_anchor(named);
        let is_of_before = begun == named;
        let (anchor, end) = match self.context.filter(|_| is_of_before) {
            Some(anchor) => (anchor.clone(), named),
            None => self.anchor(begun)?,
        };
        if end != named {
            return None;
        }
        let (mut from, mut to) = (begun, at + 1);
        let mut is_just = self.is(from.checked_sub(1), Word::Just);
        from -= usize::from(is_just);
        is_just |= is_just_before;
        let is_from = self.is(from.checked_sub(1), Word::From);
        from -= usize::from(is_from);
        // 到第十次急停为止.
        let is_to = self.tokens[at].is(Word::Until) && self.is(from.checked_sub(1), Word::To);
        from -= usize::from(is_to);
        if self.is(Some(to), Word::Just) {
            (is_just, to) = (true, to + 1);
        }
        let secs = self.length(to);
        to += usize::from(secs.is_some());
        let mut beside = self.on_side(at, anchor, secs)?;
        if is_from {
            // 自从上次急停之后.
            beside = match beside {
                Beside::After(anchor, None) | Beside::Since(anchor) => Beside::Since(anchor),
                // 从第一次掉件起五分钟内.
                Beside::After(anchor, secs) => Beside::After(anchor, secs),
                _ => return None,
            };
        }
        Some(Relation { is_just, is_of_before, ..Relation::new(beside, from, to) })
    }

    fn on_side(&self, at: usize, anchor: Anchor, secs: Option<f64>) -> Option<Beside> {
        match self.tokens[at].kind {
            Kind::Word(Word::Before) => Some(Beside::Before(anchor, secs)),
            Kind::Word(Word::Until) if secs.is_none() => Some(Beside::Before(anchor, None)),
            Kind::Word(Word::After) => Some(Beside::After(anchor, secs)),
            Kind::Word(Word::Once) if secs.is_none() => Some(Beside::After(anchor, None)),
            Kind::Word(Word::Around) => Some(Beside::Around(anchor, secs)),
            Kind::Word(Word::Since) if secs.is_none() => Some(Beside::Since(anchor)),
            _ => None,
        }
    }

    fn length(&self, at: usize) -> Option<f64> {
        match self.tokens.get(at)?.kind {
            Kind::Length(secs) => Some(secs),
            _ => None,
        }
    }

    /// "Between the first stop and the last one of something".
    fn between(&self, at: usize) -> Option<Relation> {
        if let Some((end, many)) = self.two_of(at + 1) {
            let (one, to) = self.anchor_of(at + 2, Some(Nth { end, nth: many }), false)?;
            let other = Anchor { nth: Some(Nth { end, nth: 1 }), ..one.clone() };
            let beside = Beside::Between(one, other, false);
            return Some(Relation::new(beside, at, to));
        }
        let next = self.tokens.get(at + 1)?;
        if let (Kind::Nth(nth), true) = (next.kind, self.is(Some(at + 2), Word::And)) {
            // "Between the first and the second stop".
            let (other, to) = self.anchor(at + 3)?;
            let one = Anchor { nth: Some(nth), ..other.clone() };
            other.nth?;
            let beside = Beside::Between(one, other, false);
            return Some(Relation::new(beside, at, to));
        }
        let (one, middle) = self.anchor(at + 1)?;
        if self.is(Some(middle), Word::SoFar) {
            return Some(Relation::new(Beside::Since(one), at, middle + 1));
        }
        if !self.is(Some(middle), Word::And) {
            return None;
        }
        // "Between stops 3 and 4".
        if let (Some(_), Kind::Number(nth)) = (one.nth, self.tokens.get(middle + 1)?.kind)
            && !self.tokens.get(middle + 2).is_some_and(|next| next.is_naming() && !next.is_cut)
        {
            let other = Anchor { nth: Some(Nth { end: End::First, nth }), ..one.clone() };
            return Some(Relation::new(Beside::Between(one, other, false), at, middle + 2));
        }
        // "The stop at 8:46 and the one at 8:53".
        let (other, to) = self.anchor_like(middle + 1, &one)?;
        Some(Relation::new(Beside::Between(one, other, false), at, to))
    }

    /// "The last two": only of two is there one time between.
    fn two_of(&self, at: usize) -> Option<(End, u32)> {
        match self.tokens.get(at)?.kind {
            Kind::Several(end, 2) => Some((end, 2)),
            _ => None,
        }
    }

    /// 第一次急停和第二次急停之间, 最近两次急停之间.
    fn between_han(&self, at: usize) -> Option<Relation> {
        let begun = self.begin_of_anchor(at);
        if let Some(several) = begun.checked_sub(1)
            && let Some((end, many)) = self.two_of(several)
        {
            let (one, to) = self.anchor_of(begun, Some(Nth { end, nth: many }), false)?;
            let other = Anchor { nth: Some(Nth { end, nth: 1 }), ..one.clone() };
            let beside = Beside::Between(one, other, false);
            return (to == at).then_some(Relation::new(beside, several, at + 1));
        }
        let (other, end) = self.anchor(begun)?;
        let middle = begun.checked_sub(1)?;
        let is_ordered = self.is(Some(middle), Word::To);
        if end != at || !(is_ordered || self.is(Some(middle), Word::And)) {
            return None;
        }
        let first = self.begin_of_anchor(middle);
        let (one, end) = if let (true, Some(Kind::Nth(nth))) =
            (first == middle, middle.checked_sub(1).map(|at| self.tokens[at].kind))
        {
            // 第一次和第二次急停之间.
            (Anchor { nth: Some(nth), ..other.clone() }, middle)
        } else if let (true, Some(Kind::At(bounds))) =
            (first == middle, middle.checked_sub(1).map(|at| self.tokens[at].kind))
        {
            (Anchor { nth: None, bounds, ..other.clone() }, middle)
        } else {
            self.anchor(first)?
        };
        let mut from = if first == middle { middle - 1 } else { first };
        from -= usize::from(self.is(from.checked_sub(1), Word::From));
        let beside = Beside::Between(one, other, is_ordered);
        (end == middle).then_some(Relation::new(beside, from, at + 1))
    }

    /// "From the first stop to the last": from one event to another, or 从上次急停到现在.
    fn one_to_another(&self, at: usize) -> Option<Relation> {
        // "From the first to the tenth stop".
        let first = match self.tokens.get(at + 1)?.kind {
            Kind::Nth(nth) if self.is(Some(at + 2), Word::To) => {
                let (other, _) = self.anchor(at + 3)?;
                Some((Anchor { nth: Some(nth), ..other }, at + 2))
            }
            _ => None,
        };
        let (one, middle) = first.or_else(|| self.anchor(at + 1))?;
        if self.is(Some(middle), Word::SoFar) {
            return Some(Relation::new(Beside::Since(one), at, middle + 1));
        }
        if self.is(Some(middle), Word::To) || self.is(Some(middle), Word::Until) {
            // "From the 100th stop to the 101st".
            let (other, to) = self.anchor_like(middle + 1, &one)?;
            let beside = Beside::Between(one, other, true);
            return Some(Relation::new(beside, at, to));
        }
        let beside = Beside::Since(one);
        let last = self.tokens.get(middle.checked_sub(1)?)?;
        let goes_on = self
            .atoms
            .get(last.to)
            .is_some_and(|next| next.is_one_of(&["on", "onward", "onwards", "forward"]));
        (self.is_han || goes_on).then_some(Relation::new(beside, at, middle))
    }
}
