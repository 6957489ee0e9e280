//! What a question asks of events beside its words: which kind, of what time, and which of several.

mod atoms;
mod calendar;
mod classes;
mod clocks;
mod explicit;
mod numbers;
mod order;
#[cfg(test)]
mod tests;
mod times;

pub use classes::{class_share, event_classes};
pub use explicit::{
    Anchor, Became, Beside, Bounds, Closest, End, Lasted, Lengths, NamedEvents, Nth, OrderQuestion,
    PastDays, Taken, order_question,
};
pub use order::AskedOrder;

use atoms::atoms;
use jiff::tz::TimeZone;
use robot_memory_core::model::Stamp;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// A stretch of time, its end not included.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub from: Stamp,
    pub until: Stamp,
}

impl Span {
    /// Whether a moment lies in it.
    pub fn contains(self, at: Stamp) -> bool {
        (self.from..self.until).contains(&at)
    }
}

/// In which direction a level went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Up: it was charged.
    Up,
    /// Down: it got low.
    Down,
}

/// What a question asks of events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventQuestion {
    /// Of this time.
    pub span: Option<Span>,
    /// Which of several comes first.
    pub order: Option<AskedOrder>,
    /// Of any of these classes; none: of all.
    pub classes: Vec<&'static str>,
    /// What a level did.
    pub direction: Option<Direction>,
    /// Whether it asks what happened, and not what is.
    pub is_of_the_past: bool,
    /// The question without the words that say its time: they are not in what they ask for.
    pub bare: String,
    /// The question without the words for time, for what happened and for which of several: what is left
    /// says of what.
    pub of_what: String,
}

/// Reads what a question asks of events. `now`: the time, and the zone of its days; `None`: not known, then
/// it asks of no time. `past`: days before today that have events; a time without a day is of the last of them.
pub fn asked(text: &str, now: Option<(Stamp, &TimeZone)>, past: Option<PastDays>) -> EventQuestion {
    let text = super::tokens::normalized(text);
    let all = atoms(&text);
    let (span, mut places) = match now {
        Some((now, zone)) => times::asked_time(&all, now, zone, past),
        None => (None, Vec::new()),
    };
    let is_free = |place: &Range<usize>, taken: &[Range<usize>]| {
        taken.iter().all(|other| place.end <= other.start || other.end <= place.start)
    };
    let bare = without(&text, &places);
    let rest: Vec<_> = all.into_iter().filter(|atom| is_free(&atom.place, &places)).collect();
    let (order, order_places) = order::asked_order(&rest);
    places.extend(order_places);
    let rest: Vec<_> = rest.into_iter().filter(|atom| is_free(&atom.place, &places)).collect();
    let (classes, class_places) = classes::asked_classes(&rest);
    let direction = order::direction(&rest);
    let is_of_the_past = span.is_some() || order.is_some() || order::is_of_the_past(&rest);
    places.extend(class_places);
    places.extend(order::general(&rest));
    let of_what = without(&text, &places);
    EventQuestion { span, order, classes, direction, is_of_the_past, bare, of_what }
}

/// The text with a space where words were taken out.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let mut places = places.to_vec();
    places.sort_by_key(|place| place.start);
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        if place.start > at {
            left.push_str(&text[at..place.start]);
        }
        left.push(' ');
        at = at.max(place.end);
    }
    left.push_str(&text[at..]);
    left
}

impl Display for EventQuestion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.classes.is_empty() {
            parts.push(self.classes.join(" or "));
        }
        if let Some(Span { from, until }) = self.span {
            let from = if from.0 == i64::MIN { "the begin".to_owned() } else { from.rfc_3339() };
            parts.push(format!("from {from} to {} first", until.rfc_3339()));
        }
        if let Some(order) = self.order {
            parts.push(format!("the {order} first"));
        }
        f.write_str(&parts.join(", "))
    }
}
