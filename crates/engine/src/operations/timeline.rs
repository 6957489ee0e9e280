//! Timeline: what happened, in order of time.
//!
//! Begins and ends of sessions are read from the store, by their indexes; all else is a row, found by the indexes in
//! memory. Each kind of entry gives its first ones behind the cursor, and the first of all these are answered. Only ends
//! of attempts have no order by time anywhere: of these all are looked at that the request and the rights allow.

mod place;

use super::check::{self, invalid};
use super::search;
use super::visibility::VisibleRows;
use crate::db::{SlotTable, load};
use crate::{Error, Operations, Result, Run};
use place::{Place, Span};
use robot_memory_core::access::{SessionsAccess, Visibility};
use robot_memory_core::api::{
    ApiError, ErrorKind, Happening, Order, Timeline, TimelineEntry, TimelineKind, TimelineRequest,
    TimelineResponse,
};
use robot_memory_core::limits::{SUMMARY_CHARS_MAX, TIMELINE_N_MAX};
use robot_memory_core::model::{
    Condition, Kind, Memory, Operand, Operator, Path, SessionStatus, Stamp,
};
use robot_memory_db::{ReadTx, SessionSpan, SessionTimes};
use robot_memory_index::{Bitset, Column, Derived, RowSelection, parse_context};
use serde_json::{Map, Value};

/// Where a context says that its memory is an event or an attempt, and how long that one took.
const PATHS: [&str; 3] = ["event.trigger", "task.outcome", "task.duration_secs"];

/// A request, checked.
struct Asked {
    kinds: Vec<TimelineKind>,
    triggers: Vec<String>,
    span: Span,
    collections: Option<Vec<String>>,
    session_id: Option<String>,
    visibility: Visibility,
    /// Whose sessions are seen; `None`: nobody's.
    sessions: Option<SessionsOf>,
    order: Order,
    n: usize,
    /// The last entry of the page before.
    last: Option<Place>,
}

/// Whose sessions a caller sees.
enum SessionsOf {
    All,
    Agent(String),
}

impl Run<Timeline> for Operations {
    fn run(&self, request: TimelineRequest) -> Result<TimelineResponse> {
        let asked = self.asked_timeline(request)?;
        let paths: Vec<Path> = PATHS.iter().filter_map(|path| Path::parse(path).ok()).collect();
        if !self.store.is_reading_only() {
            let missing = missing_columns(&self.derived(), &paths);
            if !missing.is_empty() {
                self.build_columns(&missing)?;
            }
        }
        self.view_prepared(
            |tx| self.load_columns_of(tx, &paths),
            |tx, derived| {
                let page = asked.page(tx, derived, &paths)?;
                let entries: Result<Vec<TimelineEntry>> =
                    page.places.iter().map(|place| entry(tx, place)).collect();
                Ok(TimelineResponse {
                    entries: entries?,
                    total: page.total,
                    next_cursor: match page.places.last().filter(|_| page.has_more) {
                        Some(last) => last.cursor(asked.order),
                        None => String::new(),
                    },
                })
            },
        )
    }
}

impl Operations {
    fn asked_timeline(&self, request: TimelineRequest) -> Result<Asked> {
        let TimelineRequest {
            since,
            until,
            session_id,
            collection,
            collections,
            scope,
            kinds,
            triggers,
            order,
            n,
            cursor,
            agent,
        } = request;
        self.check_agent(&agent)?;
        check::name("session_id", &session_id)?;
        check::names("triggers", &triggers)?;
        if n == 0 || n > TIMELINE_N_MAX {
            return Err(invalid(format!("n: must be 1 to {TIMELINE_N_MAX}, got {n}")));
        }
        let order = check::parse_enum("order", &order, Order::parse, Order::spellings)?
            .unwrap_or(Order::Oldest);
        Ok(Asked {
            kinds: kinds_of(&kinds, &triggers)?,
            triggers,
            span: Span::of(since, until)?,
            collections: self.collections(&collection, collections, &session_id)?,
            session_id: (!session_id.is_empty()).then_some(session_id),
            visibility: self.visibility(&agent, &self.search_scope(&scope)?)?,
            sessions: match self.access.policy.sessions(&agent) {
                SessionsAccess::All => Some(SessionsOf::All),
                SessionsAccess::Own | SessionsAccess::Passed => Some(SessionsOf::Agent(agent)),
                SessionsAccess::None => None,
            },
            order,
            n: n as usize,
            last: Place::parse(&cursor, order)?,
        })
    }

    /// Loads the columns that an engine that only reads lacks, from the snapshot that will be searched.
    fn load_columns_of(&self, tx: &ReadTx<'_>, paths: &[Path]) -> Result<()> {
        let (derived, revision) = (self.derived(), tx.revision()?);
        let missing = missing_columns(&derived, paths);
        if missing.is_empty() || derived.revision() != Some(revision) {
            return Ok(());
        }
        let slots = SlotTable::new(derived.rows.ids());
        drop(derived);
        let columns = load::columns(tx, &slots, &missing)?;
        self.change_indexes(|derived| {
            // Else another call has met a later revision meanwhile; this one begins anew.
            if derived.revision() == Some(revision) {
                for (path, column) in missing.into_iter().zip(columns) {
                    derived.columns.insert(path, column);
                }
            }
        });
        Ok(())
    }
}

/// The paths without a column; the others count as used.
fn missing_columns(derived: &Derived, paths: &[Path]) -> Vec<Path> {
    paths.iter().filter(|path| derived.columns.get(path).is_none()).cloned().collect()
}

/// What is asked for: of no kind all, but with triggers only what has one.
fn kinds_of(kinds: &[String], triggers: &[String]) -> Result<Vec<TimelineKind>> {
    check::names("kinds", kinds)?;
    let mut known = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let (parse, spellings) = (TimelineKind::parse, TimelineKind::spellings);
        known.extend(check::parse_enum("kinds", kind, parse, spellings)?);
    }
    match (known.is_empty(), triggers.is_empty()) {
        (true, true) => Ok(TimelineKind::ALL.to_vec()),
        (true, false) => Ok(vec![TimelineKind::Event]),
        (false, false) if !known.contains(&TimelineKind::Event) => {
            Err(invalid("triggers: need the kind event, which is not among kinds"))
        }
        (false, _) => Ok(known),
    }
}

/// What is answered, and how many there are.
struct Page {
    /// In the order that was asked for.
    places: Vec<Place>,
    has_more: bool,
    total: u64,
}

/// Rows of each kind.
struct RowsByKind<'d> {
    /// Of any time.
    attempts: Bitset,
    durations: &'d Column,
    /// Of the time that was asked for, as the next.
    attempts_then: Bitset,
    events: Bitset,
    memories: Bitset,
}

impl Asked {
    fn page(&self, tx: &ReadTx<'_>, derived: &Derived, paths: &[Path]) -> Result<Page> {
        let mut places = Vec::new();
        let mut total = 0;
        if self.wants(TimelineKind::Session) {
            total += self.add_sessions(tx, &mut places)?;
        }
        if self.kinds.iter().any(|kind| *kind != TimelineKind::Session) {
            let rows = self.rows(derived, paths)?;
            let sets = [
                (TimelineKind::Attempt, Happening::AttemptBegin, &rows.attempts_then),
                (TimelineKind::Event, Happening::Event, &rows.events),
                (TimelineKind::Memory, Happening::Memory, &rows.memories),
            ];
            for (_, what, set) in sets.into_iter().filter(|(kind, ..)| self.wants(*kind)) {
                total += set.count();
                self.add_rows(derived, set, what, &mut places);
            }
            if self.wants(TimelineKind::Attempt) {
                total += self.add_ends(derived, &rows, &mut places);
            }
        }
        places.sort_unstable();
        if self.order == Order::Newest {
            places.reverse();
        }
        let has_more = places.len() > self.n;
        places.truncate(self.n);
        Ok(Page { places, has_more, total })
    }

    fn wants(&self, kind: TimelineKind) -> bool {
        self.kinds.contains(&kind)
    }

    /// The times behind the cursor, and the last place when something of the same time and kind is only behind it
    /// by its id.
    fn behind(&self, what: Happening) -> (Span, Option<&Place>) {
        match &self.last {
            None => (self.span, None),
            Some(last) => {
                let (span, is_tied) = self.span.behind(last, self.order, what);
                (span, Some(last).filter(|_| is_tied))
            }
        }
    }

    /// Adds the first begins and ends of sessions; answers how many there are in all.
    fn add_sessions(&self, tx: &ReadTx<'_>, places: &mut Vec<Place>) -> Result<u64> {
        let agent = match &self.sessions {
            None => return Ok(0),
            Some(SessionsOf::All) => None,
            Some(SessionsOf::Agent(agent)) => Some(agent.as_str()),
        };
        let are_newest = self.order == Order::Newest;
        let mut total = 0;
        for (are_ends, what) in [(false, Happening::SessionBegin), (true, Happening::SessionEnd)] {
            let times = |span: Span| SessionTimes {
                are_ends,
                collections: self.collections.as_deref(),
                session_id: self.session_id.as_deref(),
                agent,
                first: Stamp(span.first),
                last: Stamp(span.last),
            };
            total += tx.count_session_times(&times(self.span))?;
            let (span, tied) = self.behind(what);
            let beyond = tied.map(|last| last.session_id.as_str());
            let first = tx.session_times(&times(span), are_newest, beyond, self.n + 1)?;
            places.extend(first.into_iter().map(|(at, id)| Place::of_session(at, what, id)));
        }
        Ok(total)
    }

    /// The rows that the request and the rights allow.
    fn rows<'d>(&self, derived: &'d Derived, paths: &[Path]) -> Result<RowsByKind<'d>> {
        let columns: Vec<&Column> =
            paths.iter().filter_map(|path| derived.columns.get(path)).collect();
        let [triggers, outcomes, durations] = columns[..] else {
            // Another call needed the room between this call's preparation and its search.
            return Err(Error::unavailable("too many different filters at once; try again"));
        };
        let allowed = self.allowed_rows(derived);
        let of = |kind: Kind, column: &Column| {
            let mut rows = allowed.clone();
            column.retain_texts(&mut rows);
            let kinds = vec![kind];
            rows.intersect_with(
                &derived.rows.allowed(&RowSelection { kinds, ..RowSelection::default() }),
            );
            rows
        };
        let attempts = of(Kind::Fact, outcomes);
        let mut attempts_then = attempts.clone();
        keep_times(derived, &mut attempts_then, self.span);
        let mut events = of(Kind::Perception, triggers);
        let mut memories = allowed.clone();
        memories.subtract(&attempts);
        memories.subtract(&events);
        keep_times(derived, &mut memories, self.span);
        keep_times(derived, &mut events, self.span);
        if !self.triggers.is_empty() {
            events = with_triggers(&events, triggers, &paths[0], &self.triggers);
        }
        Ok(RowsByKind { attempts, durations, attempts_then, events, memories })
    }

    /// Those of any time and kind.
    fn allowed_rows(&self, derived: &Derived) -> Bitset {
        let names = derived.rows.names();
        let session = match self.session_id.as_ref().map(|id| names.get(id)) {
            // A name that no row has matches no row.
            Some(None) => return Bitset::default(),
            Some(session) => session,
            None => None,
        };
        let collections = self.collections.as_ref();
        let selection = RowSelection {
            collections: collections
                .map(|some| some.iter().filter_map(|name| names.get(name)).collect()),
            session,
            ..RowSelection::default()
        };
        VisibleRows::of(&self.visibility, &derived.rows).allowed(derived, &selection)
    }

    /// Adds the first rows of a set, at the time when they were made.
    fn add_rows(&self, derived: &Derived, set: &Bitset, what: Happening, places: &mut Vec<Place>) {
        let (span, tied) = self.behind(what);
        let mut rows = set.clone();
        keep_times(derived, &mut rows, span);
        if let Some(last) = tied {
            let mut same = rows.clone();
            keep_times(derived, &mut same, Span { first: last.stamp.0, last: last.stamp.0 });
            same.retain(|slot| match derived.rows.id(slot) {
                Some(id) => !self.is_beyond(id, last.memory_id),
                None => true,
            });
            rows.subtract(&same);
        }
        for slot in search::by_time(derived, &rows, self.order, self.n + 1) {
            if let (Some(id), Some(at)) = (derived.rows.id(slot), derived.rows.created_at(slot)) {
                places.push(Place::of_memory(at, what, id));
            }
        }
    }

    /// Whether an id comes after another one of the same time and kind.
    fn is_beyond(&self, id: i64, last: i64) -> bool {
        match self.order {
            Order::Oldest => id > last,
            Order::Newest => id < last,
        }
    }

    /// Adds the first ends of attempts; answers how many there are in all.
    fn add_ends(&self, derived: &Derived, rows: &RowsByKind<'_>, places: &mut Vec<Place>) -> u64 {
        let what = Happening::AttemptEnd;
        let (span, tied) = self.behind(what);
        let (mut total, mut ends) = (0, Vec::new());
        for slot in rows.attempts.iter() {
            let secs = rows.durations.double(slot);
            let began_at = derived.rows.created_at(slot);
            let (Some(id), Some(end)) = (derived.rows.id(slot), end_of(began_at, secs)) else {
                continue;
            };
            total += u64::from(self.span.holds(end));
            let is_tied =
                tied.is_some_and(|last| last.stamp == end && !self.is_beyond(id, last.memory_id));
            if span.holds(end) && !is_tied {
                ends.push((end, id));
            }
        }
        let count = ends.len().min(self.n + 1);
        if count > 0 && count < ends.len() {
            match self.order {
                Order::Oldest => ends.select_nth_unstable(count),
                Order::Newest => ends.select_nth_unstable_by(count, |a, b| b.cmp(a)),
            };
        }
        ends.truncate(count);
        places.extend(ends.into_iter().map(|(end, id)| Place::of_memory(end, what, id)));
        total
    }
}

/// When an attempt ended, when it is known how long it took.
fn end_of(began_at: Option<Stamp>, secs: Option<f64>) -> Option<Stamp> {
    let secs = secs.filter(|secs| *secs >= 0.0)?;
    // Beyond the last time there is it becomes that one.
    Some(Stamp(began_at?.0.saturating_add((secs * 1e9).round() as i64)))
}

/// Takes out of a set what was not made in these times.
fn keep_times(derived: &Derived, rows: &mut Bitset, times: Span) {
    let (since, until) = times.bounds();
    let selection = RowSelection { since, until, ..RowSelection::default() };
    rows.intersect_with(&derived.rows.allowed(&selection));
}

/// The events of any of some triggers.
fn with_triggers(events: &Bitset, column: &Column, path: &Path, triggers: &[String]) -> Bitset {
    let mut any = Bitset::default();
    for trigger in triggers {
        let mut of_it = events.clone();
        let operand = Operand::Text(trigger.clone());
        let condition = Condition { path: path.clone(), operator: Operator::Equal, operand };
        column.matching(&condition, &mut of_it);
        any.union_with(&of_it);
    }
    any
}

/// What stands at a place.
fn entry(tx: &ReadTx<'_>, place: &Place) -> Result<TimelineEntry> {
    let entry = match place.memory_id {
        0 => tx.session_span(&place.session_id)?.map(|session| of_session(place, session)),
        id => tx.memory(id, false)?.map(|memory| of_memory(place, memory)),
    };
    // The snapshot and the indexes are of one revision, so it is there.
    entry.ok_or_else(|| {
        let message = "the indexes name what the store does not hold".to_owned();
        ApiError { kind: ErrorKind::Internal, message }.into()
    })
}

fn of_session(place: &Place, session: SessionSpan) -> TimelineEntry {
    let SessionSpan { session_id, status, interrupted, context, outcome_score, .. } = session;
    let duration = session.ended_at.map(|end| end.0.saturating_sub(session.started_at.0));
    let outcome = match status {
        SessionStatus::Open if interrupted => super::attempts::INTERRUPTED,
        status => status.as_str(),
    };
    TimelineEntry {
        stamp: place.stamp,
        what: place.what,
        memory_id: 0,
        session_id,
        trigger: String::new(),
        duration_secs: duration.unwrap_or(0) as f64 / 1e9,
        outcome: outcome.to_owned(),
        score: outcome_score,
        text: told(&context),
    }
}

fn of_memory(place: &Place, memory: Memory) -> TimelineEntry {
    let context = parse_context(&memory.context);
    let text = |path: &str| context.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let number = |path: &str| context.pointer(path).and_then(Value::as_f64);
    let (trigger, took) = match place.what {
        Happening::Event => (text("/event/trigger"), "/event/duration_secs"),
        _ => ("", "/task/duration_secs"),
    };
    let is_success = context.pointer("/task/success").and_then(Value::as_bool);
    let outcome = match (text("/task/outcome"), is_success) {
        ("", Some(true)) => "success",
        ("", Some(false)) => "failure",
        (outcome, _) => outcome,
    };
    TimelineEntry {
        stamp: place.stamp,
        what: place.what,
        memory_id: place.memory_id,
        session_id: memory.session_id,
        trigger: trigger.to_owned(),
        duration_secs: number(took).filter(|secs| *secs >= 0.0).unwrap_or(0.0),
        outcome: outcome.to_owned(),
        score: number("/task/score"),
        text: memory.human_summary,
    }
}

/// What the context of a session says, in one line, as long as the summary of a memory.
fn told(context: &str) -> String {
    let fields: Map<String, Value> = serde_json::from_str(context).unwrap_or_default();
    let fields = fields.into_iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        value => format!("{name}: {value}"),
    });
    let line = fields.collect::<Vec<_>>().join("; ").replace(char::is_control, " ");
    line.chars().take(SUMMARY_CHARS_MAX).collect()
}
