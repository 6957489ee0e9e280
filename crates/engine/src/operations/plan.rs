//! A Recall request, checked and understood.

use super::around::{Around, GivenAround};
use super::check::{self, invalid};
use super::groups::NthOfEach;
use super::order_phrases::ReadQuestion;
use super::signatures::{Example, GivenExample};
use crate::{Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{CountBy, Order, Ranking, RecallRequest, SpatialSort};
use robot_memory_core::limits::{
    CONTEXT_BYTES_MAX, QUERY_CHARS_MAX, RECALL_N_MAX, SPATIAL_DIMENSIONS_MAX,
};
use robot_memory_core::model::{
    Condition, Filter, Kind, Level, Operand, Operator, Path, SearchScope, Stamp,
};
use robot_memory_core::site::SiteQuestion;
use robot_memory_index::{Bitset, COORDINATE_MAX, SpatialField};
use std::fmt::{self, Display, Formatter};

/// What is to be searched, how, and how much of it is to be shown.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Trimmed; `None` when there is none.
    pub query: Option<String>,
    /// Most hits answered.
    pub n: usize,
    /// Which rows count.
    pub rows: RowFilter,
    /// Conditions on the context.
    pub filter: Filter,
    /// Nearest first.
    pub spatial: Option<Spatial>,
    /// The map that the robot is in; empty: not known; `None`: nobody tells.
    pub map_id: Option<String>,
    /// What felt like this, nearest first.
    pub example: Option<Example>,
    /// Only what was made around this.
    pub around: Option<Around>,
    /// Of each group only one row.
    pub nth_of_each: Option<NthOfEach>,
    /// Rows less similar to the query do not count.
    pub min_similarity: Option<f32>,
    /// Rows that are less relevant to the query do not count.
    pub min_relevance: Option<f64>,
    /// Of hits that say nearly the same one is shown.
    pub diversity: bool,
    /// Count the rows that match, by this.
    pub count_by: Option<Counting>,
    /// Sort by time instead of by worth.
    pub order: Option<Order>,
    /// How the two lists become one.
    pub ranking: Ranking,
    /// Compare with the vectors on disk.
    pub exact: bool,
    /// Show the data of perceptions.
    pub include_data: bool,
    /// Tell what was done.
    pub explain: bool,
    /// What the query asks by words of order and time alone.
    pub order_question: Option<ReadQuestion>,
    /// Of all rows only these.
    pub only: Option<Bitset>,
}

/// Which rows count, by what every row has.
#[derive(Debug, Clone)]
pub struct RowFilter {
    /// Any of these; `None`: all.
    pub collections: Option<Vec<String>>,
    /// What was asked for.
    pub scope: SearchScope,
    /// What the caller sees of it.
    pub visibility: Visibility,
    /// Any of these; none: all.
    pub levels: Vec<Level>,
    /// Any of these; none: all.
    pub kinds: Vec<Kind>,
    /// Of this session.
    pub session_id: Option<String>,
    /// At least so sure.
    pub min_confidence: f64,
    /// Created at or after.
    pub since: Option<Stamp>,
    /// Created before.
    pub until: Option<Stamp>,
}

/// What rows are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// By what.
    pub by: CountBy,
    /// Where days begin.
    pub utc_offset_secs: i64,
}

/// Nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Spatial {
    /// Where in the context the point is.
    pub field: SpatialField,
    /// The reference.
    pub target: Vec<f64>,
    /// How far at most.
    pub max_distance: Option<f64>,
    /// Of the target; empty: numbers are compared as they are.
    pub frame: String,
}

impl Spatial {
    /// The map outside of which nothing is near: that of the robot, unless another one is named.
    pub fn map_id<'a>(&self, plan: &'a Plan) -> Option<&'a str> {
        let is_place = self.field.position.as_str().starts_with("spatial.");
        let is_named = plan.filter.conditions.iter().any(|it| it.path.as_str() == MAP_ID);
        plan.map_id.as_deref().filter(|id| is_place && !is_named && !id.is_empty())
    }

    /// The paths by which rows of other frames and maps are told apart.
    pub fn columns(&self, plan: &Plan) -> impl Iterator<Item = Path> {
        let frame = (!self.frame.is_empty()).then_some(FRAME);
        let map_id = self.map_id(plan).map(|_| MAP_ID);
        frame.into_iter().chain(map_id).filter_map(|path| Path::parse(path).ok())
    }
}

pub(super) const FRAME: &str = "spatial.frame";
pub(super) const MAP_ID: &str = "spatial.map_id";

impl Operations {
    /// Checks a request. Fields that this version does not honor must have their default.
    pub(super) fn plan(&self, request: RecallRequest) -> Result<Plan> {
        let of_one_robot = SiteQuestion::of_one_robot(&request).filter(|_| request.include_site);
        let RecallRequest {
            query,
            collection,
            n,
            min_confidence,
            session_id,
            context_filter,
            spatial_sort,
            levels,
            types,
            collections,
            scope,
            agent,
            min_similarity,
            min_relevance,
            diversity,
            since,
            until,
            order,
            around_memory_id,
            anchor_filter,
            anchor_nth,
            before_count,
            after_count,
            before_secs,
            after_secs,
            group_by,
            nth,
            read_phrases,
            like_memory_id,
            window_name,
            window,
            window_channels,
            window_rate_hz,
            frame,
            map_id,
            count_by,
            utc_offset_secs,
            ranking,
            exact,
            include_data,
            include_site: _,
            explain,
        } = request;
        self.check_agent(&agent)?;
        let scope = self.search_scope(&scope)?;
        if n == 0 || n > RECALL_N_MAX {
            return Err(invalid(format!("n: must be 1 to {RECALL_N_MAX}, got {n}")));
        }
        check::name("session_id", &session_id)?;
        check::name("frame", &frame)?;
        check::name("map_id", &map_id)?;
        if let (Some(since), Some(until)) = (since, until)
            && since >= until
        {
            return Err(invalid("since: must be before until"));
        }
        let mut filter = context_conditions("context_filter", &context_filter)?;
        for (path, value) in [(FRAME, frame), (MAP_ID, map_id)] {
            if !value.is_empty() {
                filter.conditions.push(equals(path, value)?);
            }
        }
        let levels = spellings("levels", &levels, Level::parse, Level::spellings)?;
        let kinds = spellings("types", &types, Kind::parse, Kind::spellings)?;
        let count_by = count_of("count_by", &count_by, utc_offset_secs)?;
        let spatial = match spatial_sort {
            Some(sort) => Some(spatial_of(sort)?),
            None => None,
        };
        let query = query_of(&query)?;
        let order = check::parse_enum("order", &order, Order::parse, Order::spellings)?;
        let given =
            GivenExample { like_memory_id, window_name, window, window_channels, window_rate_hz };
        let nth_of_each = NthOfEach::read(&group_by, nth, utc_offset_secs, order)?;
        let around = GivenAround {
            around_memory_id,
            anchor_filter,
            anchor_nth,
            before_count,
            after_count,
            before_secs,
            after_secs,
        };
        let around = around.read()?;
        if nth_of_each.is_some() && spatial.is_some() {
            return Err(invalid(
                "group_by, nth: not beside spatial_sort: groups are in order of time",
            ));
        }
        if nth_of_each.is_some() && count_by.is_some() {
            return Err(invalid(
                "count_by: not beside group_by and nth: of each group there is one",
            ));
        }
        let others = [
            ("query", query.is_some()),
            ("spatial_sort", spatial.is_some()),
            ("order", order.is_some()),
            ("around_memory_id and anchor_filter", around.is_some()),
        ];
        if let Some(field) = given.field()
            && let Some((other, _)) = others.iter().find(|(_, is_given)| *is_given)
        {
            return Err(invalid(format!(
                "{field}: not beside {other}: what felt most alike comes first"
            )));
        }
        if let Some(other) = of_one_robot {
            return Err(invalid(format!(
                "include_site: not beside {other}: the site has no sessions, places and data of robots, and \
                 what it has is not counted"
            )));
        }
        let visibility = self.visibility(&agent, &scope)?;
        let example = self.example(&given, &agent)?;
        let is_filtered = !filter.conditions.is_empty()
            || !levels.is_empty()
            || !kinds.is_empty()
            || count_by.is_some()
            || !session_id.is_empty()
            || since.is_some()
            || until.is_some()
            || around.is_some()
            || nth_of_each.is_some();
        if query.is_none() && spatial.is_none() && example.is_none() && !is_filtered {
            return Err(invalid(
                "query: must be given, unless spatial_sort, an example (like_memory_id, window) \
                 or a filter (context_filter, session_id, levels, types, since, until, frame, \
                 map_id), an anchor (around_memory_id, anchor_filter), count_by or group_by is",
            ));
        }
        let min_similarity = check::within("min_similarity", min_similarity, -1.0, 1.0)?;
        if min_similarity != 0.0 && query.is_none() {
            return Err(invalid("min_similarity: needs a query to be similar to"));
        }
        let order_question = match &query {
            Some(query) if read_phrases => self.order_question(query)?,
            _ => None,
        };
        let min_relevance = check::within("min_relevance", min_relevance, 0.0, 1.0)?;
        if min_relevance != 0.0 && query.is_none() {
            return Err(invalid("min_relevance: needs a query to be relevant to"));
        }
        let ranking = check::parse_enum("ranking", &ranking, Ranking::parse, Ranking::spellings)?
            .unwrap_or(Ranking::Best);
        Ok(Plan {
            query,
            n: n as usize,
            rows: RowFilter {
                collections: self.collections(&collection, collections, &session_id)?,
                visibility,
                scope,
                levels,
                kinds,
                session_id: (!session_id.is_empty()).then_some(session_id),
                min_confidence: check::within("min_confidence", min_confidence, 0.0, 1.0)?,
                since,
                until,
            },
            filter,
            spatial,
            map_id: self.map_id(),
            example,
            around,
            nth_of_each,
            min_similarity: (min_similarity != 0.0).then_some(min_similarity as f32),
            min_relevance: (min_relevance != 0.0).then_some(min_relevance),
            // Plain fusion is what it is documented to be.
            diversity: diversity && ranking == Ranking::Best,
            count_by,
            order,
            ranking,
            exact,
            include_data,
            explain,
            order_question,
            only: None,
        })
    }

    /// The collections to search; `None` for all. A session is of one collection, so it need not be
    /// named beside it.
    pub(super) fn collections(
        &self,
        one: &str,
        several: Vec<String>,
        session_id: &str,
    ) -> Result<Option<Vec<String>>> {
        check::names("collections", &several)?;
        if several.is_empty() && one.is_empty() && !session_id.is_empty() {
            return Ok(None);
        }
        if several.is_empty() {
            return Ok(Some(vec![self.collection(one)?]));
        }
        if !one.is_empty() {
            return Err(invalid("collections: give either collection or collections, not both"));
        }
        if several.iter().any(|name| name == "*") {
            if several.len() > 1 {
                return Err(invalid("collections: * is all of them and stands alone"));
            }
            return Ok(None);
        }
        Ok(Some(several))
    }
}

fn query_of(query: &str) -> Result<Option<String>> {
    if query.contains('\0') {
        return Err(invalid("query: must not contain the character NUL"));
    }
    let query = query.trim();
    // Counting stops at the bound: the text may be of any length.
    if query.chars().nth(QUERY_CHARS_MAX).is_some() {
        return Err(invalid(format!(
            "query: at most {QUERY_CHARS_MAX} characters, got {}",
            query.chars().count()
        )));
    }
    Ok((!query.is_empty()).then(|| query.to_owned()))
}

/// Conditions on the context; of an empty text none.
pub(super) fn context_conditions(field: &str, conditions: &str) -> Result<Filter> {
    check::at_most(field, CONTEXT_BYTES_MAX, "bytes", conditions.len())?;
    if conditions.trim().is_empty() {
        return Ok(Filter { conditions: Vec::new() });
    }
    Filter::parse(conditions).map_err(|error| invalid(format!("{field}: {error}")))
}

fn equals(path: &str, value: String) -> Result<Condition> {
    let path = Path::parse(path).map_err(|error| invalid(format!("{path}: {error}")))?;
    Ok(Condition { path, operator: Operator::Equal, operand: Operand::Text(value) })
}

fn spellings<T>(
    field: &str,
    given: &[String],
    parse: impl Fn(&str) -> Option<T> + Copy,
    all: impl Fn() -> String + Copy,
) -> Result<Vec<T>> {
    check::names(field, given)?;
    let mut known = Vec::with_capacity(given.len());
    for each in given {
        known.extend(check::parse_enum(field, each, parse, all)?);
    }
    Ok(known)
}

impl Plan {
    /// Whether rows are grouped, or counted, by a name of their event.
    pub(super) fn is_by_event_name(&self) -> bool {
        let group = self.nth_of_each.as_ref().and_then(|each| each.by);
        [self.count_by, group]
            .into_iter()
            .flatten()
            .any(|by| matches!(by.by, CountBy::Topic | CountBy::On))
    }
}

pub(super) fn count_of(
    field: &str,
    spelling: &str,
    utc_offset_secs: i32,
) -> Result<Option<Counting>> {
    check::utc_offset(utc_offset_secs)?;
    let by = check::parse_enum(field, spelling, CountBy::parse, CountBy::spellings)?;
    Ok(by.map(|by| Counting { by, utc_offset_secs: utc_offset_secs.into() }))
}

fn spatial_of(sort: SpatialSort) -> Result<Spatial> {
    let SpatialSort { field, target, max_distance, frame, std_dev_field } = sort;
    let path = |name: &str, text: &str| {
        Path::parse(text).map_err(|error| invalid(format!("spatial_sort.{name}: {error}")))
    };
    let position = path("field", &field)?;
    let (mut most, mut beside, mut std_dev) = (SPATIAL_DIMENSIONS_MAX, "", None);
    if !std_dev_field.is_empty() {
        // The standard deviation takes the place of one.
        (most, beside) = (most - 1, " beside std_dev_field");
        std_dev = Some(path("std_dev_field", &std_dev_field)?);
    }
    if target.is_empty() || target.len() > most {
        return Err(invalid(format!(
            "spatial_sort.target: must have 1 to {most} numbers{beside}, got {}",
            target.len()
        )));
    }
    if let Some(number) = target.iter().find(|number| !is_coordinate(**number)) {
        return Err(invalid(format!(
            "spatial_sort.target: must hold finite numbers up to {COORDINATE_MAX:e}, got {number}"
        )));
    }
    if !max_distance.is_finite() || max_distance < 0.0 {
        return Err(invalid(format!(
            "spatial_sort.max_distance: must be finite and not negative, got {max_distance}"
        )));
    }
    let max_distance = (max_distance > 0.0).then_some(max_distance);
    check::name("spatial_sort.frame", &frame)?;
    let frame = frame.trim_start_matches('/').to_owned();
    let field = SpatialField { position, std_dev };
    Ok(Spatial { field, target, max_distance, frame })
}

fn is_coordinate(number: f64) -> bool {
    number.is_finite() && number.abs() <= COORDINATE_MAX
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.rows.collections {
            None => write!(f, "all collections")?,
            Some(names) => write!(f, "collections {}", names.join(", "))?,
        }
        write!(f, "; scope {}", self.rows.scope)?;
        if !self.rows.levels.is_empty() {
            let levels: Vec<&str> = self.rows.levels.iter().map(|level| level.as_str()).collect();
            write!(f, "; levels {}", levels.join(", "))?;
        }
        write!(f, "; confidence >= {}", self.rows.min_confidence)?;
        if let Some(session) = &self.rows.session_id {
            write!(f, "; session {session}")?;
        }
        if !self.rows.kinds.is_empty() {
            let kinds: Vec<&str> = self.rows.kinds.iter().map(|kind| kind.as_str()).collect();
            write!(f, "; types {}", kinds.join(", "))?;
        }
        if self.rows.since.is_some() || self.rows.until.is_some() {
            write!(f, "; created in a range")?;
        }
        if !self.filter.conditions.is_empty() {
            write!(f, "; {} context conditions", self.filter.conditions.len())?;
        }
        if let Some(spatial) = &self.spatial {
            write!(f, "; nearest by {}", spatial.field.position.as_str())?;
            if let Some(std_dev) = &spatial.field.std_dev {
                write!(f, " with standard deviation {}", std_dev.as_str())?;
            }
            if let Some(max_distance) = spatial.max_distance {
                write!(f, " within {max_distance}")?;
            }
        }
        if let Some(Example { kind, memory_id, .. }) = &self.example {
            match memory_id {
                Some(id) => write!(f, "; what felt like memory {id} ({kind})")?,
                None => write!(f, "; what felt like a window ({kind})")?,
            }
        }
        if self.around.is_some() {
            write!(f, "; around an anchor")?;
        }
        if let Some(NthOfEach { by, nth, .. }) = &self.nth_of_each {
            write!(f, "; number {nth}")?;
            if let Some(counting) = by {
                write!(f, " of each {}", counting.by)?;
            }
        }
        if let Some(counting) = self.count_by {
            write!(f, "; counted by {}", counting.by)?;
        }
        if let Some(order) = self.order {
            write!(f, "; {order} first")?;
        }
        Ok(())
    }
}
