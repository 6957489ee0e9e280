//! The events beside which a question asks, and what is beside them.

use super::super::around::{self, Around, Reach};
use super::super::named_events::EventRows;
use super::super::search;
use super::{Reader, nanos, order_from};
use robot_memory_core::limits::NTH_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_text::inference::{
    Anchor, Beside, Closest, End, Lasted, NamedEvents, Nth, OrderQuestion, Taken,
};
use serde_json::Value;

/// So many rows beside an event are answered when nothing says how many.
const BESIDE_DEFAULT: usize = 3;

/// An event beside which is looked.
#[derive(Clone, Copy)]
struct Place {
    at: Stamp,
    /// The first moment after it: after its begin, or when it was over.
    after: Stamp,
    /// From when on seconds after it are counted.
    from: Stamp,
    id: i64,
}

impl Place {
    fn new(at: Stamp, id: i64) -> Self {
        Self { at, after: next(at), from: at, id }
    }
}

impl Reader<'_> {
    /// The event that is meant; `None` when it is not sure which one is.
    fn find(&mut self, anchor: &Anchor) -> Option<Place> {
        if let Some(id) = anchor.memory {
            let slot = self.derived.rows.slot(id).filter(|slot| self.admitted.contains(*slot))?;
            // "Stop 30" is the 30th one, too.
            if !anchor.of.is_empty() {
                let rows = self.names.named(&anchor.of)?.rows;
                let is_id = rows.contains(slot) && rows.count() < id.unsigned_abs();
                is_id.then_some(())?;
            }
            self.anchor_memory_id = id;
            return Some(Place::new(self.derived.rows.created_at(slot)?, id));
        }
        let EventRows { mut rows, .. } = self.names.named(&anchor.of)?;
        let at = |slot| self.derived.rows.created_at(slot).unwrap_or_default();
        rows.retain(|slot| anchor.bounds.contains(at(slot)));
        if let Some(lasted) = anchor.of.lasted.filter(|it| matches!(it, Lasted::Ranked { .. })) {
            rows = self.names.of_ranks(&rows, lasted)?;
        }
        let slot = match anchor.nth {
            Some(Nth { end, nth }) => {
                // One further away than is looked is not another one.
                let nth = Some(nth as usize).filter(|_| nth <= NTH_MAX)?;
                let first = search::by_time(self.derived, &rows, order_from(end), nth);
                *first.get(nth.checked_sub(1)?)?
            }
            None if rows.count() == 1 => rows.iter().next()?,
            None => return None,
        };
        let place = Place::new(at(slot), self.derived.rows.id(slot)?);
        self.anchor_memory_id = place.id;
        Some(place)
    }

    /// The event from which, or from whose end, is counted; `None` also when its end is not sure.
    fn find_with_end(&mut self, anchor: &Anchor) -> Option<Place> {
        let place = self.find(anchor)?;
        if !anchor.is_end {
            return Some(place);
        }
        let (after, from) = self.names.end(self.derived.rows.slot(place.id)?)?;
        Some(Place { after, from, ..place })
    }

    /// What is beside an event was not made at the same time.
    pub(super) fn beside(&mut self, asked: &OrderQuestion, beside: &Beside) -> Option<()> {
        match beside {
            Beside::Between(one, other, is_ordered) => {
                let is_ordered = *is_ordered || one.is_end;
                let (one, other) = (self.find_with_end(one)?, self.find(other)?);
                let is_turned = one.at > other.at;
                if is_turned && is_ordered {
                    return None;
                }
                let (one, other) = if is_turned { (other, one) } else { (one, other) };
                self.between(one, other);
            }
            Beside::BetweenTwo(two) => {
                let at = |slot| self.derived.rows.created_at(slot).unwrap_or_default();
                let mut rows = self.names.named(&two.of)?.rows;
                rows.retain(|slot| two.bounds.contains(at(slot)));
                let end = |end| Anchor { nth: Some(Nth { end, nth: 1 }), ..two.clone() };
                let (one, other) = (self.find(&end(End::First))?, self.find(&end(End::Last))?);
                (rows.count() == 2).then(|| self.between(one, other))?;
            }
            Beside::Since(anchor) => {
                let place = self.find_with_end(anchor)?;
                self.since(Some(place.after));
            }
            Beside::Until(anchor) => {
                let place = self.find(anchor)?;
                self.until(Some(place.at));
            }
            Beside::Before(anchor, secs) => {
                let place = self.find(anchor)?;
                self.until(Some(place.at));
                let before = reach(asked, *secs, self.plan.n);
                self.plan.around = around(place, before, None);
            }
            Beside::After(anchor, secs) => {
                let place = self.find_with_end(anchor)?;
                self.since(Some(place.after));
                // Around a memory seconds are counted from its begin.
                let of_end = secs.filter(|_| anchor.is_end);
                let last = |secs| Stamp(place.from.0.saturating_add(nanos(secs)));
                self.until(of_end.map(|secs| next(last(secs))));
                let mut after = reach(asked, *secs, self.plan.n);
                if anchor.is_end {
                    after = after.map(|it| Reach { nanos: i64::MAX, ..it });
                }
                let after = after.filter(|it| *it != Reach::WHOLE);
                self.plan.around = around(place, None, after);
            }
            Beside::Around(anchor, secs) => {
                let place = self.find(anchor)?;
                let reach = reach(asked, *secs, self.plan.n).or(Some(Reach::WHOLE));
                self.plan.around = around(place, reach, reach);
            }
            Beside::During(anchor) => self.during(anchor)?,
            Beside::Closest(to) => self.closest(asked, to)?,
            Beside::UnderWay(moment) => {
                let rows = self.names.under_way(self.plan.only.as_ref()?, *moment)?;
                self.plan.only = Some(rows);
                self.fields.insert("under_way_at".into(), moment.rfc_3339().into());
                self.fields.remove("context_filter");
            }
        }
        Some(())
    }

    /// Narrows the time to that between two events, the first one first.
    fn between(&mut self, one: Place, other: Place) {
        let ids = Value::from(vec![one.id, other.id]);
        self.fields.insert("anchor_memory_ids".into(), ids);
        self.since(Some(one.after));
        self.until(Some(other.at));
    }

    /// From a change until the next one; what is at the time of a change is of the later stretch.
    fn during(&mut self, change: &Anchor) -> Option<()> {
        let place = self.find(change)?;
        let changes = NamedEvents { became: None, ..change.of.clone() };
        let EventRows { rows, filter } = self.names.named(&changes)?;
        // Of one stream.
        filter?;
        let at = |slot| self.derived.rows.created_at(slot);
        let next = rows.iter().filter_map(at).filter(|at| *at > place.at).min();
        self.since(Some(place.at));
        self.until(next);
        Some(())
    }

    /// The events with the least time to a moment; `None` when it is not sure which these are: when another one is as close,
    /// within the time that is asked for or outside.
    fn closest(&mut self, asked: &OrderQuestion, to: &Closest) -> Option<()> {
        let Taken::Nearest(many) = asked.taken else { return None };
        let (moment, anchor) = match to {
            Closest::Moment(at) => (*at, None),
            Closest::Event(anchor) => self.find(anchor).map(|place| (place.at, Some(place)))?,
        };
        let rows = &self.derived.rows;
        let only = self.plan.only.as_ref()?;
        // It is none of them itself.
        let itself =
            anchor.and_then(|place| rows.slot(place.id)).filter(|slot| only.contains(*slot));
        let others = only.iter().filter(|slot| Some(*slot) != itself);
        let all: Vec<Stamp> = others.filter_map(|slot| rows.created_at(slot)).collect();
        // Is what was at the same time beside it?
        if anchor.is_some_and(|place| all.contains(&place.at)) {
            return None;
        }
        let is_asked = |at: &Stamp| asked.bounds.contains(*at);
        let (mut times, mut left): (Vec<Stamp>, Vec<Stamp>) = all.into_iter().partition(is_asked);
        let distance = |at: &Stamp| at.0.abs_diff(moment.0);
        times.sort_by_key(distance);
        left.extend(times.split_off(times.len().min((many as usize).min(self.plan.n))));
        let farthest = distance(times.last()?);
        let (first, last) = (*times.iter().min()?, *times.iter().max()?);
        let is_sure = left.iter().all(|at| distance(at) > farthest);
        let holds_itself = itself.is_some() && (first..=last).contains(&moment);
        self.fields.insert("closest_to".into(), moment.rfc_3339().into());
        self.since(Some(first));
        self.until(Some(next(last)));
        (is_sure && !holds_itself).then_some(())
    }
}

/// The moment right after another.
fn next(at: Stamp) -> Stamp {
    Stamp(at.0.saturating_add(1))
}

/// How far beside an event; `None`: as far as there are rows.
fn reach(asked: &OrderQuestion, secs: Option<f64>, n: usize) -> Option<Reach> {
    let count = match asked.taken {
        Taken::Nearest(many) => many as usize,
        // The one just before it.
        Taken::All if asked.is_just && !asked.of.is_empty() => 1,
        Taken::All if !asked.is_counted && secs.is_none() => BESIDE_DEFAULT.min(n),
        _ => usize::MAX,
    };
    let nanos = secs.map_or(i64::MAX, nanos);
    let reach = Reach { count, nanos };
    (reach != Reach::WHOLE).then_some(reach)
}

fn around(place: Place, before: Option<Reach>, after: Option<Reach>) -> Option<Around> {
    let is_bounded = before.is_some() || after.is_some();
    is_bounded.then_some(Around { anchor: around::Anchor::Memory(place.id), before, after })
}
