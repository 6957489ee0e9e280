//! Explicit phrases of order and time in a query, as the fields of a request that say the same. When a question
//! is not wholly understood, or what it names is not surely known, nothing is done.

mod anchors;

use super::around::Around;
use super::groups::NthOfEach;
use super::lasting;
use super::named_events::{EventRows, EventsByName, event_paths};
use super::plan::{Counting, Plan};
use super::search;
use crate::{Operations, Result};
use robot_memory_core::api::{Order, RecallRequest, RecallResponse};
use robot_memory_core::limits::{NTH_MAX, RECALL_N_MAX};
use robot_memory_core::model::{Filter, Path, Stamp};
use robot_memory_index::{Bitset, Derived, Slot};
use robot_memory_text::inference::{
    Beside, Bounds, End, Lasted, NamedEvents, Nth, OrderQuestion, PastDays, Taken, order_question,
};
use serde_json::{Map, Value};
use std::iter;
use std::num::NonZeroUsize;

const NANOS_PER_SEC: f64 = 1e9;

/// What a query asks by words of order and time alone.
#[derive(Debug, Clone)]
pub struct ReadQuestion {
    asked: OrderQuestion,
    /// As it was read: of events of these days.
    past: Option<PastDays>,
}

/// A plan that does what a query's phrases say, in place of the query.
pub(super) struct Understood {
    pub plan: Plan,
    /// The fields of a request that were filled.
    fields: Map<String, Value>,
    anchor_memory_id: i64,
}

impl Understood {
    /// Tells in an answer what was understood.
    pub fn tell(self, response: &mut RecallResponse) {
        response.understood = Value::Object(self.fields).to_string();
        response.anchor_memory_id = self.anchor_memory_id;
    }
}

/// What is being understood.
struct Reader<'a> {
    derived: &'a Derived,
    /// What the caller sees.
    admitted: &'a Bitset,
    names: EventsByName<'a>,
    plan: Plan,
    fields: Map<String, Value>,
    offset_secs: i64,
    anchor_memory_id: i64,
}

impl Operations {
    /// The question of order and time that a query asks; `None` when it asks something else, or when there are
    /// no events, or when the clock is not known. Which events it can be about is not known yet: it is read as one about
    /// those of the day of the event that was stored last.
    pub(super) fn order_question(&self, query: &str) -> Result<Option<ReadQuestion>> {
        // Asked first: to read a query takes longer.
        let last = self.store.read(|tx| tx.last_stored_event())?.map(Stamp);
        let Some(last) = last else { return Ok(None) };
        Ok(self.read_question(query, (last, last)))
    }

    /// Reads a query as a question about events, the first and the last of which were at these times.
    fn read_question(&self, query: &str, events: (Stamp, Stamp)) -> Option<ReadQuestion> {
        let now = (self.clock.now()?, &self.config.maintenance.time_zone);
        let past = PastDays::of(events, now);
        Some(ReadQuestion { asked: order_question(query, Some(now), past)?, past })
    }

    /// The same question as it is read about all events that the caller sees.
    fn read_again(
        &self,
        plan: &Plan,
        read: &ReadQuestion,
        names: &EventsByName<'_>,
    ) -> Option<OrderQuestion> {
        let events = names.times()?;
        let now = (self.clock.now()?, &self.config.maintenance.time_zone);
        if PastDays::of(events, now) == read.past {
            return Some(read.asked.clone());
        }
        let again = self.read_question(plan.query.as_deref()?, events)?.asked;
        Some(again).filter(|asked| leaves_room(plan, asked))
    }

    /// What a plan's query says by words of order and time, as a plan without it; `None` when it is not sure.
    pub(super) fn understood(&self, derived: &Derived, plan: &Plan) -> Result<Option<Understood>> {
        let read = plan.order_question.as_ref().filter(|read| leaves_room(plan, &read.asked));
        let Some(read) = read else { return Ok(None) };
        // An anchor is one of all rows that the caller sees there, whatever the request filters.
        let mut admitted = Plan { query: None, order_question: None, ..plan.clone() };
        admitted.filter = Filter { conditions: Vec::new() };
        admitted.rows.levels.clear();
        admitted.rows.kinds.clear();
        (admitted.rows.since, admitted.rows.until) = (None, None);
        let admitted = self.allowed(derived, &admitted, &plan.rows.visibility)?;
        let names = EventsByName::new(self, derived, &admitted).filter(|names| !names.is_empty());
        let Some(names) = names else { return Ok(None) };
        let Some(asked) = self.read_again(plan, read, &names) else { return Ok(None) };
        let mut reader = Reader {
            derived,
            admitted: &admitted,
            names,
            // Nothing is ranked then, and a bound of it bounds nothing.
            plan: Plan { query: None, order_question: None, min_relevance: None, ..plan.clone() },
            fields: Map::new(),
            offset_secs: self.local_offset_secs(),
            anchor_memory_id: 0,
        };
        if reader.fill(&asked).is_none() {
            return Ok(None);
        }
        reader.tell(plan);
        let Reader { plan, fields, anchor_memory_id, .. } = reader;
        Ok(Some(Understood { plan, fields, anchor_memory_id }))
    }

    /// What clocks show here beyond UTC.
    fn local_offset_secs(&self) -> i64 {
        let now = self.clock.now().map(|now| i128::from(now.0));
        let now = now.and_then(|now| jiff::Timestamp::from_nanosecond(now).ok());
        let zone = &self.config.maintenance.time_zone;
        now.map_or(0, |now| zone.to_offset(now).seconds().into())
    }
}

/// The paths that it needs columns of.
pub(super) fn paths(plan: &Plan) -> impl Iterator<Item = Path> {
    plan.order_question.iter().flat_map(|read| event_paths(&read.asked))
}

/// Whether a request says none of what its query says.
fn leaves_room(plan: &Plan, asked: &OrderQuestion) -> bool {
    let is_other = plan.spatial.is_some()
        || plan.example.is_some()
        || plan.min_similarity.is_some()
        || plan.around.is_some()
        || plan.nth_of_each.is_some();
    let has_bounds = plan.rows.since.is_some() || plan.rows.until.is_some();
    let is_bounded = !asked.bounds.is_open() || asked.beside.is_some() || asked.of_log.is_some();
    let is_ordered = asked.taken != Taken::All || asked.order.is_some();
    // They are some of all, not of those that a filter leaves.
    let is_filtered = !plan.filter.conditions.is_empty()
        || !plan.rows.levels.is_empty()
        || !plan.rows.kinds.is_empty();
    let is_of_all = matches!(asked.beside, Some(Beside::Closest(_)))
        || matches!(asked.taken, Taken::Range(..) | Taken::BothEnds)
        || is_turned(asked);
    let is_one_of_each = matches!(asked.taken, Taken::Nth(_)) && plan.count_by.is_some();
    let is_said_twice = is_ordered && plan.order.is_some() || has_bounds && is_bounded;
    !(is_other || is_one_of_each || is_said_twice || is_of_all && is_filtered)
}

/// Whether some from one end are to be told from the other: "the last five, oldest first".
fn is_turned(asked: &OrderQuestion) -> bool {
    matches!(asked.taken, Taken::Several(from, _) if asked.order.is_some_and(|end| end != from))
}

fn order_from(end: End) -> Order {
    if end == End::First { Order::Oldest } else { Order::Newest }
}

/// In which order the rows are answered: before an event the nearest first.
fn order_of(asked: &OrderQuestion) -> Order {
    let is_before = matches!(asked.beside, Some(Beside::Before(_, None))) && !asked.is_counted;
    match (asked.order, asked.taken) {
        (Some(end), _) | (None, Taken::Nth(Nth { end, .. }) | Taken::Several(end, _)) => {
            order_from(end)
        }
        _ if is_before => Order::Newest,
        _ => Order::Oldest,
    }
}

impl Reader<'_> {
    /// Fills the plan; `None` when it is not sure what is meant.
    fn fill(&mut self, asked: &OrderQuestion) -> Option<()> {
        let is_another =
            asked.of_robot.as_ref().is_some_and(|robot| !self.names.are_of_robot(robot));
        if is_another || asked.is_per_kind && !self.names.have_a_topic_each() {
            return None;
        }
        self.make_room(asked);
        if !asked.of.is_empty() {
            let EventRows { rows, filter } = self.names.asked(asked)?;
            self.plan.only = Some(rows);
            let events: Vec<String> =
                iter::once(&asked.of).chain(&asked.or_of).map(events).collect();
            let mut events = events.join(" or ");
            if let Some(but_not) = &asked.but_not {
                events += &format!(" but {}", self::events(but_not));
            }
            self.fields.insert("events".into(), events.into());
            if let Some(filter) = filter {
                self.fields.insert("context_filter".into(), filter.into());
            }
        }
        self.since(asked.bounds.since);
        self.until(asked.bounds.until);
        if let Some((end, secs)) = asked.of_log {
            self.part_of_log(end, secs)?;
        }
        if let Some(beside) = &asked.beside {
            self.beside(asked, beside)?;
            // "Between the last stop and 14:40", before which it was.
            let ends = self.plan.rows.since.zip(self.plan.rows.until);
            if ends.is_some_and(|(since, until)| since > until) {
                return None;
            }
        }
        if let Some(lasted) = asked.of.lasted.filter(|it| matches!(it, Lasted::Ranked { .. })) {
            let within = self.within_time()?;
            self.plan.only = Some(self.names.of_ranks(&within, lasted)?);
            // It says no ranks.
            self.fields.remove("context_filter");
        }
        // Around an event those next to it are answered, on both sides.
        let is_around = matches!(asked.beside, Some(Beside::Around(..)))
            && matches!(asked.taken, Taken::All | Taken::Nearest(_))
            && asked.order.is_none();
        if !is_around {
            self.plan.order = self.plan.order.or(Some(order_of(asked)));
        }
        let counting = |by| Counting { by, utc_offset_secs: self.offset_secs };
        let by = asked.per.map(counting);
        match asked.taken {
            Taken::All | Taken::Nearest(_) => {
                self.plan.count_by = self.plan.count_by.or(by.filter(|_| asked.is_counted));
            }
            Taken::Several(from, many) => {
                if is_turned(asked) {
                    self.bound_last(from, many as usize)?;
                }
                self.plan.n = self.plan.n.min(many as usize);
            }
            Taken::Range(first, last) => self.bound_range(first as usize, last as usize)?,
            Taken::BothEnds => self.take_both_ends()?,
            Taken::Nth(Nth { end, nth }) => {
                let nth =
                    NonZeroUsize::new(nth as usize).filter(|nth| nth.get() <= NTH_MAX as usize)?;
                self.plan.nth_of_each = Some(NthOfEach { by, nth, order: order_from(end) });
            }
        }
        Some(())
    }

    /// As many as are asked for are shown, unless the request says another number than the default.
    fn make_room(&mut self, asked: &OrderQuestion) {
        let many = match (asked.taken, asked.of.lasted) {
            (Taken::Several(_, many) | Taken::Nearest(many), _) => many,
            (Taken::Range(from, to), _) | (_, Some(Lasted::Ranked { from, to, .. })) => {
                to - from + 1
            }
            (Taken::All | Taken::BothEnds | Taken::Nth(_), _) => return,
        };
        let is_around = matches!(asked.beside, Some(Beside::Around(..)));
        let many = many.saturating_mul(if is_around { 2 } else { 1 });
        if self.plan.n == RecallRequest::default().n as usize {
            self.plan.n = self.plan.n.max(many.min(RECALL_N_MAX) as usize);
        }
    }

    fn since(&mut self, since: Option<Stamp>) {
        self.plan.rows.since = self.plan.rows.since.max(since);
    }

    fn until(&mut self, until: Option<Stamp>) {
        let bounds = [self.plan.rows.until, until];
        self.plan.rows.until = bounds.into_iter().flatten().min();
    }

    /// Narrows the time to so many seconds from an end of that in which there are events.
    fn part_of_log(&mut self, end: End, secs: f64) -> Option<()> {
        let (first, last) = self.names.times()?;
        let nanos = nanos(secs);
        match end {
            End::First => self.until(Some(Stamp(first.0.saturating_add(nanos)))),
            End::Last => self.since(Some(Stamp(last.0.saturating_sub(nanos)))),
        }
        Some(())
    }

    /// So many of the rows that are asked for, counted from an end.
    fn slots_from(&self, end: End, many: usize) -> Option<Vec<Slot>> {
        Some(search::by_time(self.derived, &self.within_time()?, order_from(end), many))
    }

    /// The rows that are asked for, of the time.
    fn within_time(&self) -> Option<Bitset> {
        let bounds = Bounds { since: self.plan.rows.since, until: self.plan.rows.until };
        let at = |slot| self.derived.rows.created_at(slot).unwrap_or_default();
        let mut rows = self.plan.only.clone()?;
        rows.retain(|slot| bounds.contains(at(slot)));
        Some(rows)
    }

    /// When these were made.
    fn times_from(&self, end: End, many: usize) -> Option<Vec<Stamp>> {
        let at = |slot| self.derived.rows.created_at(slot).unwrap_or_default();
        Some(self.slots_from(end, many)?.into_iter().map(at).collect())
    }

    /// Narrows the time to that of so many rows from an end; `None` when the next one was made at the same time.
    fn bound_last(&mut self, from: End, many: usize) -> Option<()> {
        let times = self.times_from(from, many + 1)?;
        let last = *times.get(many.checked_sub(1)?).or(times.last())?;
        match from {
            End::Last => self.since(Some(last)),
            End::First => self.until(Some(Stamp(last.0.saturating_add(1)))),
        }
        (times.get(many) != Some(&last)).then_some(())
    }

    /// Narrows the time to that from one row to another, both counted from the first; `None` when there are not as many, or when
    /// the one before or behind was made at the same time.
    fn bound_range(&mut self, first: usize, last: usize) -> Option<()> {
        let last = Some(last).filter(|last| *last <= NTH_MAX as usize)?;
        let times = self.times_from(End::First, last + 1)?;
        let (since, until) = (*times.get(first.checked_sub(1)?)?, *times.get(last - 1)?);
        let before = first.checked_sub(2).map(|at| times[at]);
        self.since(Some(since));
        self.until(Some(Stamp(until.0.saturating_add(1))));
        (before != Some(since) && times.get(last) != Some(&until)).then_some(())
    }

    /// Takes the first row and the last; `None` when there is one only, or when another was made at the same time.
    fn take_both_ends(&mut self) -> Option<()> {
        let at = |slot: &Slot| self.derived.rows.created_at(*slot);
        let mut both = Bitset::default();
        for end in [End::First, End::Last] {
            let [one, next] = self.slots_from(end, 2)?[..] else { return None };
            if at(&one) == at(&next) {
                return None;
            }
            both.insert(one);
        }
        self.plan.only = Some(both);
        let events = self.fields.get("events").and_then(Value::as_str).unwrap_or_default();
        let events = format!("the first and the last {events}");
        self.fields.insert("events".into(), events.into());
        Some(())
    }

    /// Writes down the fields that the plan has beyond the one of the request.
    fn tell(&mut self, given: &Plan) {
        let mut fields: Vec<(&str, Value)> = Vec::new();
        for (field, read, given) in [
            ("since", self.plan.rows.since, given.rows.since),
            ("until", self.plan.rows.until, given.rows.until),
        ] {
            if let Some(stamp) = read.filter(|_| read != given) {
                fields.push((field, stamp.rfc_3339().into()));
            }
        }
        if let Some(Around { before, after, .. }) = &self.plan.around {
            fields.push(("around_memory_id", self.anchor_memory_id.into()));
            for (count, secs, reach) in
                [("before_count", "before_secs", before), ("after_count", "after_secs", after)]
            {
                let Some(reach) = reach else { continue };
                if reach.count != usize::MAX {
                    fields.push((count, reach.count.into()));
                }
                if reach.nanos != i64::MAX {
                    fields.push((secs, (reach.nanos as f64 / NANOS_PER_SEC).into()));
                }
            }
        }
        if self.anchor_memory_id != 0 {
            fields.push(("anchor_memory_id", self.anchor_memory_id.into()));
        }
        if let Some(order) = self.plan.order.filter(|_| given.order.is_none()) {
            fields.push(("order", order.as_str().into()));
        }
        if self.plan.n != given.n {
            fields.push(("n", self.plan.n.into()));
        }
        let mut counting = self.plan.count_by.filter(|_| given.count_by.is_none());
        if let Some(counting) = counting {
            fields.push(("count_by", counting.by.as_str().into()));
        }
        if let Some(NthOfEach { by, nth, .. }) = self.plan.nth_of_each {
            fields.push(("nth", nth.get().into()));
            if let Some(by) = by {
                fields.push(("group_by", by.by.as_str().into()));
            }
            counting = counting.or(by);
        }
        if let Some(counting) = counting {
            fields.push(("utc_offset_secs", counting.utc_offset_secs.into()));
        }
        self.fields.extend(fields.into_iter().map(|(field, value)| (field.to_owned(), value)));
    }
}

fn nanos(secs: f64) -> i64 {
    (secs * NANOS_PER_SEC) as i64
}

/// What names the events, for a person to read.
fn events(of: &NamedEvents) -> String {
    let became = of.became.map_or_else(String::new, |it| match it.from {
        Some(from) => format!("from {from} to {}", it.to),
        None => format!("to {}", it.to),
    });
    let on = of.on.as_ref().map_or_else(String::new, |on| format!("mostly {on}"));
    let lasted = of.lasted.as_ref().map_or_else(String::new, lasting::in_words);
    let back = if of.is_back { "back" } else { "" };
    let parts = [of.class.unwrap_or_default(), &of.words, &became, back, &on, &lasted];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "any".to_owned() } else { parts.join(": ") }
}
