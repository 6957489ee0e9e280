//! What a sentence asks for, and what several of them ask for together.

use super::bounds::Bounds;
use super::vocabulary::Word;
use super::{Anchor, Beside, End, NamedEvents, Nth, OrderQuestion, Taken};
use robot_memory_core::api::CountBy;

/// What a sentence asks for, or a part of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Part {
    pub of: NamedEvents,
    pub beside: Option<Beside>,
    /// Beside an event that was named before.
    pub is_of_before: bool,
    /// Up to an event, and not before it.
    pub is_until: bool,
    pub is_just: bool,
    pub nth: Option<Nth>,
    pub several: Option<(End, u32)>,
    pub number: Option<u32>,
    pub per: Option<CountBy>,
    pub is_counted: bool,
    /// The next after an event, or the previous before it.
    pub adverb: Option<Word>,
    /// In this order.
    pub order: Option<End>,
    /// It asks what happened.
    pub is_open: bool,
    pub bounds: Bounds,
    /// Which of them is said by 最近.
    pub is_nearest: bool,
    /// Of the event at this moment.
    pub at: Option<Bounds>,
}

impl Part {
    /// The one event that it names and asks nothing else of.
    pub fn event(&self) -> Option<Anchor> {
        let Self { of, nth, bounds, at, .. } = self.clone();
        let (is_open, is_nearest) = (self.is_open, self.is_nearest);
        let alone = Self { of, nth, bounds, at, is_open, is_nearest, ..Self::default() };
        let is_one = self.nth.is_some() || at.is_some() || self.of.became.is_some();
        let is_event = is_one && !self.of.is_empty() && *self == alone;
        let bounds = at.map_or(Some(bounds), |at| bounds.and(at))?;
        is_event.then_some(Anchor { of: alone.of, nth: alone.nth, bounds })
    }

    /// The one event beside which it looks.
    pub fn anchor(&self) -> Option<Anchor> {
        match self.beside.as_ref()? {
            Beside::Before(anchor, _)
            | Beside::After(anchor, _)
            | Beside::Around(anchor, _)
            | Beside::Since(anchor) => Some(anchor.clone()),
            Beside::Between(..) => None,
        }
    }

    /// Whether nothing but a class is said: "(the dropped part)".
    pub fn is_name(&self) -> bool {
        *self == Self { of: self.of.clone(), is_open: self.is_open, ..Self::default() }
    }

    /// Whether no one of several is said.
    pub fn tells_of_no_one(&self) -> bool {
        self.is_all() && self.at.is_none() && !self.is_counted && self.per.is_none()
    }

    fn is_all(&self) -> bool {
        self.nth.is_none() && self.several.is_none() && self.number.is_none()
    }

    /// Both together, the second of which says the first again, or closer: "has it slipped since the last stop?
    /// How often?" `None` when they ask for two things.
    pub fn and(self, more: Self) -> Option<Self> {
        // "How many stops today? List the slips": two questions.
        if self.is_counted && !more.is_counted && (!more.of.is_empty() || more.is_open) {
            return None;
        }
        let of = both_named(self.of.clone(), more.of.clone())?;
        let beside = match (&self.beside, &more.beside) {
            (Some(one), Some(two)) => Some(both_beside(one, two)?),
            (one, two) => one.clone().or_else(|| two.clone()),
        };
        let bounds = match (self.bounds.is_open(), more.bounds.is_open()) {
            // "On the 26th (October 2022)": one in the other.
            (false, false) => {
                let both = self.bounds.and(more.bounds)?;
                if both != self.bounds && both != more.bounds {
                    return None;
                }
                both
            }
            (false, _) => self.bounds,
            _ => more.bounds,
        };
        if !self.is_all() && !more.is_all() {
            let which = |part: &Self| (part.nth, part.several, part.number);
            if which(&self) != which(&more) {
                return None;
            }
        }
        Some(Self {
            of,
            beside,
            bounds,
            at: either(self.at, more.at)?,
            is_nearest: self.is_nearest || more.is_nearest,
            is_of_before: false,
            is_until: self.is_until || more.is_until,
            is_just: (self.is_just || more.is_just) && !more.is_counted,
            nth: self.nth.or(more.nth),
            several: self.several.or(more.several),
            number: self.number.or(more.number),
            per: either(self.per, more.per)?,
            is_counted: self.is_counted || more.is_counted,
            adverb: either(self.adverb, more.adverb)?,
            order: either(self.order, more.order)?,
            is_open: self.is_open || more.is_open,
        })
    }

    /// What it asks; `None` when something is missing, or does not go together.
    pub fn question(self) -> Option<OrderQuestion> {
        let (is_said, is_beside) = (!self.of.is_empty(), self.beside.is_some());
        let is_fit = matches!(
            (self.adverb, &self.beside),
            (None, _)
                | (Some(Word::Next), Some(Beside::After(..)))
                | (Some(Word::Previous), Some(Beside::Before(..)))
        );
        let taken = match (self.nth, self.several, self.number) {
            (None, None, None) => Taken::All,
            (Some(nth), None, None) if is_said => Taken::Nth(nth),
            (None, Some((end, many)), None) if is_said => Taken::Several(end, many),
            (None, None, Some(many)) if is_said && is_beside => Taken::Nearest(many),
            _ => return None,
        };
        let is_next = self.adverb.is_some() && taken == Taken::All && !self.is_counted;
        let is_just = self.is_just || is_next;
        let per = self.per;
        // "Stops per day" counts them.
        let is_counted = self.is_counted || per.is_some() && taken == Taken::All;
        let is_whole = match (is_counted, taken) {
            // How many of what?
            (true, Taken::All) => is_said && !is_just,
            (true, _) => false,
            _ if self.is_until => false,
            (false, Taken::All) => is_beside || !self.bounds.is_open() || self.order.is_some(),
            (false, Taken::Nth(_)) => per.is_none() || !is_beside,
            (false, _) => per.is_none(),
        };
        let is_ordered = |end| match taken {
            Taken::All => true,
            Taken::Several(from, _) => from == end,
            // "In chronological order, the fifth".
            Taken::Nth(nth) => (nth.end, end) == (End::First, End::First),
            Taken::Nearest(_) => false,
        };
        // 之后最近的一次: the nearest, or the newest?
        let is_whole =
            is_whole && !(self.is_nearest && matches!(self.beside, Some(Beside::After(..))));
        // "The second gripper" is no event.
        let is_thing = self.of.class.is_none() && !self.of.is_any && !self.of.words.is_empty();
        let is_whole = is_whole && (taken == Taken::All || !is_thing || self.is_open);
        // A time alone asks for nothing.
        let is_whole = is_whole && is_fit && self.at.is_none() && (is_said || self.is_open);
        let is_whole = is_whole && self.order.is_none_or(is_ordered);
        let Self { of, beside, bounds, order, .. } = self;
        let question = OrderQuestion { of, bounds, beside, taken, is_just, is_counted, per, order };
        is_whole.then_some(question)
    }
}

/// One of two, or both when they are the same.
#[expect(clippy::option_option, reason = "nothing is said, or two things are")]
fn either<T: PartialEq>(one: Option<T>, two: Option<T>) -> Option<Option<T>> {
    match (one, two) {
        (Some(one), Some(two)) => (one == two).then_some(Some(one)),
        (one, two) => Some(one.or(two)),
    }
}

/// The same events, named twice.
fn both_named(one: NamedEvents, two: NamedEvents) -> Option<NamedEvents> {
    let class = either(one.class, two.class)?;
    let words = match (one.words.is_empty(), two.words.is_empty()) {
        (false, false) if one.words != two.words => return None,
        (false, _) => one.words,
        _ => two.words,
    };
    let is_any = (one.is_any || two.is_any) && class.is_none() && words.is_empty();
    let became = either(one.became, two.became)?;
    let or_class = one.or_class.or(two.or_class);
    Some(NamedEvents { class, or_class, is_any, words, became })
}

/// The same side of an event, said twice.
fn both_beside(one: &Beside, two: &Beside) -> Option<Beside> {
    let same = |one: &Option<f64>, two: &Option<f64>| either(*one, *two);
    Some(match (one, two) {
        (Beside::Before(a, secs), Beside::Before(b, more)) if a == b => {
            Beside::Before(a.clone(), same(secs, more)?)
        }
        (Beside::After(a, secs), Beside::After(b, more)) if a == b => {
            Beside::After(a.clone(), same(secs, more)?)
        }
        (Beside::Since(a), Beside::After(b, None) | Beside::Since(b)) if a == b => {
            Beside::Since(a.clone())
        }
        (one, two) if one == two => one.clone(),
        _ => return None,
    })
}
