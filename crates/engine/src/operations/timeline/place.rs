//! Where an entry stands among all others, and a cursor as what follows it.

use crate::Result;
use crate::operations::check::{self, invalid};
use robot_memory_core::api::{Happening, Order};
use robot_memory_core::limits::TIMELINE_CURSOR_BYTES_MAX;
use robot_memory_core::model::Stamp;
use std::cmp::Ordering;

/// By time, of the same time by what it is, of these by the id of its memory or session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub stamp: Stamp,
    pub what: Happening,
    /// 0: of a session.
    pub memory_id: i64,
    /// Empty: of a memory.
    pub session_id: String,
}

impl Place {
    /// Of what a memory tells.
    pub fn of_memory(stamp: Stamp, what: Happening, memory_id: i64) -> Self {
        Self { stamp, what, memory_id, session_id: String::new() }
    }

    /// Of a begin or an end of a session.
    pub fn of_session(stamp: Stamp, what: Happening, session_id: String) -> Self {
        Self { stamp, what, memory_id: 0, session_id }
    }

    /// Where a page that ends here goes on. It names what stood last, not how many stood before it: those may be
    /// more or less by then.
    pub fn cursor(&self, order: Order) -> String {
        let Self { stamp, what, memory_id, session_id } = self;
        match what {
            Happening::SessionBegin | Happening::SessionEnd => {
                format!("{order}/{}/{what}/{session_id}", stamp.0)
            }
            _ => format!("{order}/{}/{what}/{memory_id}", stamp.0),
        }
    }

    /// The place that a cursor names; `None` when it is empty.
    pub fn parse(cursor: &str, order: Order) -> Result<Option<Self>> {
        check::at_most("cursor", TIMELINE_CURSOR_BYTES_MAX, "bytes", cursor.len())?;
        if cursor.is_empty() {
            return Ok(None);
        }
        let (of, place) = parts(cursor)
            .ok_or_else(|| invalid("cursor: is none that an answer had as next_cursor"))?;
        if of != order {
            return Err(invalid(format!("cursor: is of the order {of}, the request's is {order}")));
        }
        Ok(Some(place))
    }
}

fn parts(cursor: &str) -> Option<(Order, Place)> {
    let mut parts = cursor.splitn(4, '/');
    let order = Order::parse(parts.next()?)?;
    let stamp = Stamp(parts.next()?.parse().ok()?);
    let what = Happening::parse(parts.next()?)?;
    let id = parts.next()?;
    let place = match what {
        Happening::SessionBegin | Happening::SessionEnd => {
            Place::of_session(stamp, what, id.to_owned())
        }
        _ => Place::of_memory(stamp, what, id.parse().ok()?),
    };
    Some((order, place))
}

/// The times from one to another, both included; none when the first is the later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub first: i64,
    pub last: i64,
}

impl Span {
    const NONE: Self = Self { first: 1, last: 0 };

    /// At or after `since`, and before `until`.
    pub fn of(since: Option<Stamp>, until: Option<Stamp>) -> Result<Self> {
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(invalid("since: must be before until"));
        }
        let first = since.map_or(i64::MIN, |since| since.0);
        Ok(match until.map(|until| until.0.checked_sub(1)) {
            None => Self { first, last: i64::MAX },
            Some(Some(last)) => Self { first, last },
            Some(None) => Self::NONE,
        })
    }

    pub fn holds(self, stamp: Stamp) -> bool {
        (self.first..=self.last).contains(&stamp.0)
    }

    /// The same as bounds of which the second is not included; `None`: no bound.
    pub fn bounds(self) -> (Option<Stamp>, Option<Stamp>) {
        (Some(Stamp(self.first)), self.last.checked_add(1).map(Stamp))
    }

    /// Those of them at which something of this kind may stand behind a place, and whether at the time of the place
    /// itself only what has an id beyond its own.
    pub fn behind(self, place: &Place, order: Order, what: Happening) -> (Self, bool) {
        let at = place.stamp.0;
        let by_what = match order {
            Order::Oldest => what.cmp(&place.what),
            Order::Newest => place.what.cmp(&what),
        };
        let from = match by_what {
            Ordering::Less => match order {
                Order::Oldest => at.checked_add(1),
                Order::Newest => at.checked_sub(1),
            },
            Ordering::Equal | Ordering::Greater => Some(at),
        };
        let span = match (from, order) {
            (None, _) => Self::NONE,
            (Some(from), Order::Oldest) => Self { first: self.first.max(from), ..self },
            (Some(from), Order::Newest) => Self { last: self.last.min(from), ..self },
        };
        (span, by_what == Ordering::Equal && span.holds(place.stamp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_the_place_that_it_was_made_of() {
        let places = [
            Place::of_memory(Stamp(-7), Happening::AttemptEnd, 12),
            Place::of_session(Stamp(i64::MAX), Happening::SessionBegin, "a/b c".into()),
        ];
        for place in places {
            for order in Order::ALL {
                let cursor = place.cursor(*order);
                assert_eq!(Place::parse(&cursor, *order).unwrap(), Some(place.clone()));
            }
            let error = Place::parse(&place.cursor(Order::Newest), Order::Oldest).unwrap_err();
            assert!(error.to_string().contains("is of the order newest"), "{error}");
        }
        for wrong in [
            "x",
            "oldest",
            "oldest/1/event",
            "oldest/1/event/x",
            "oldest/x/event/1",
            "oldest/1/talk/1",
        ] {
            let error = Place::parse(wrong, Order::Oldest).unwrap_err();
            assert!(error.to_string().contains("next_cursor"), "{wrong}: {error}");
        }
        let long = "o".repeat(TIMELINE_CURSOR_BYTES_MAX + 1);
        assert!(Place::parse(&long, Order::Oldest).unwrap_err().to_string().contains("at most"));
        assert_eq!(Place::parse("", Order::Oldest).unwrap(), None);
    }

    #[test]
    fn nothing_stands_beyond_the_ends_of_time() {
        let all = Span::of(None, None).unwrap();
        assert_eq!(all.bounds(), (Some(Stamp(i64::MIN)), None));
        let last = Place::of_memory(Stamp(i64::MAX), Happening::Memory, 1);
        assert_eq!(all.behind(&last, Order::Oldest, Happening::Event), (Span::NONE, false));
        let first = Place::of_memory(Stamp(i64::MIN), Happening::Memory, 1);
        assert_eq!(all.behind(&first, Order::Newest, Happening::SessionEnd), (Span::NONE, false));
        assert_eq!(Span::of(None, Some(Stamp(i64::MIN))).unwrap(), Span::NONE);
        assert!(Span::of(Some(Stamp(2)), Some(Stamp(2))).is_err());
    }
}
