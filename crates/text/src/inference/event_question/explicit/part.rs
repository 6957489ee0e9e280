//! What a question asks for.

use super::bounds::Bounds;
use super::vocabulary::Word;
use super::{Beside, End, NamedEvents, Nth, OrderQuestion, Taken};
use robot_memory_core::api::CountBy;

pub(super) const NANOS_OF_DAY: i64 = 86_400_000_000_000;

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
    /// Whether no one of several is said.
    pub fn tells_of_no_one(&self) -> bool {
        self.is_all() && self.at.is_none() && !self.is_counted && self.per.is_none()
    }

    fn is_all(&self) -> bool {
        self.nth.is_none() && self.several.is_none() && self.number.is_none()
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
            (false, Taken::All) => {
                is_beside
                    || !self.bounds.is_open()
                    || self.order.is_some()
                    || self.of.became.is_some()
            }
            (false, Taken::Nth(_)) => per.is_none() || !is_beside,
            (false, _) => per.is_none(),
        };
        let is_ordered = |end| match taken {
            // "The last five, oldest first".
            Taken::All => true,
            Taken::Several(from, _) => from == end || !is_beside,
            // "In chronological order, the fifth", or the second to last.
            Taken::Nth(_) => end == End::First,
            Taken::Nearest(_) => is_beside,
            Taken::Range(..) | Taken::BothEnds => false,
        };
        // 之后最近的一次: the nearest, or the newest?
        let is_whole =
            is_whole && !(self.is_nearest && matches!(self.beside, Some(Beside::After(..))));
        // "Between 8 and 9 every day" is of one day.
        let is_of_day = self
            .bounds
            .since
            .zip(self.bounds.until)
            .is_some_and(|(since, until)| until.0.saturating_sub(since.0) <= NANOS_OF_DAY);
        let is_whole = is_whole && !(per == Some(CountBy::Day) && is_of_day);
        // "The third motion before the last stop": the third of all, or counted back from it?
        let is_before = matches!(self.beside, Some(Beside::Before(..)));
        let is_from_first = matches!(taken, Taken::Nth(Nth { end: End::First, nth: 2.. }));
        let is_whole = is_whole && !(is_before && is_from_first && self.bounds.is_open());
        // "The second gripper" is no event.
        let is_thing = self.of.class.is_none() && !self.of.is_any && !self.of.words.is_empty();
        let is_whole = is_whole && (taken == Taken::All || !is_thing || self.is_open);
        // A time alone asks for nothing.
        let is_whole = is_whole && is_fit && self.at.is_none() && (is_said || self.is_open);
        let is_whole = is_whole && self.order.is_none_or(is_ordered);
        let Self { of, beside, bounds, order, .. } = self;
        let or_of = Vec::new();
        let question = OrderQuestion {
            of,
            or_of,
            but_not: None,
            bounds,
            of_log: None,
            of_robot: None,
            beside,
            taken,
            is_just,
            is_counted,
            per,
            is_per_kind: false,
            order,
        };
        is_whole.then_some(question)
    }
}
