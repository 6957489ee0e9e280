//! A recall, checked. What this store does not answer is refused by the name of its field.

use crate::conditions;
use crate::error::{Error, Result};
use crate::reader::{Query, shared_scope};
use robot_memory_core::api::{CountBy, Order, Ranking, RecallRequest};
use robot_memory_core::limits::{
    CONTEXT_BYTES_MAX, NAME_BYTES_MAX, NAMES_PER_REQUEST_MAX, QUERY_CHARS_MAX, RECALL_N_MAX,
    UTC_OFFSET_SECS_MAX,
};
use robot_memory_core::model::{
    Condition, Filter, HEARSAY_CONFIDENCE, Kind, Operand, Operator, Path,
};

/// What is asked for.
pub(crate) struct Plan {
    pub query: Option<String>,
    pub n: usize,
    pub order: Order,
    pub count_by: Option<(CountBy, i64)>,
    pub exact: bool,
    pub explain: bool,
    pub since: i64,
    pub until: i64,
    pub filter: Filter,
    collections: Option<Vec<String>>,
    scope: Option<String>,
    kinds: Vec<Kind>,
    min_confidence: f64,
}

impl Plan {
    pub fn of(request: &RecallRequest, has_vector: bool) -> Result<Self> {
        refuse_unanswered(request)?;
        check_numbers(request)?;
        if let (Some(since), Some(until)) = (request.since, request.until)
            && since >= until
        {
            return Err(Error::invalid("since: must be before until"));
        }
        let query = query_of(&request.query)?;
        let order = spelled("order", &request.order, Order::parse, Order::spellings)?;
        let count_by = spelled("count_by", &request.count_by, CountBy::parse, CountBy::spellings)?;
        spelled("ranking", &request.ranking, Ranking::parse, Ranking::spellings)?;
        if let Some(by @ (CountBy::Session | CountBy::Topic | CountBy::On)) = count_by {
            return Err(Error::invalid(format!(
                "count_by: {by} is not answered by a site, which is not told it"
            )));
        }
        if query.is_some() || has_vector {
            for (field, is_given) in [("order", order.is_some()), ("count_by", count_by.is_some())]
            {
                if is_given {
                    return Err(Error::invalid(format!(
                        "{field}: a site answers it without a query only"
                    )));
                }
            }
        }
        let filter = filter_of(request)?;
        let kinds = kinds_of(&request.types)?;
        let is_filtered = !filter.conditions.is_empty()
            || !kinds.is_empty()
            || count_by.is_some()
            || request.since.is_some()
            || request.until.is_some();
        if query.is_none() && !has_vector && !is_filtered {
            return Err(Error::invalid(
                "query: must be given, unless a filter (context_filter, types, since, until, frame, map_id) or \
                 count_by is",
            ));
        }
        Ok(Self {
            query,
            n: request.n as usize,
            order: order.unwrap_or(Order::Newest),
            count_by: count_by.map(|it| (it, request.utc_offset_secs.into())),
            exact: request.exact,
            explain: request.explain,
            since: request.since.map_or(i64::MIN, |it| it.0),
            until: request.until.map_or(i64::MAX, |it| it.0),
            filter,
            collections: collections_of(request)?,
            scope: scope_of(&request.scope)?,
            kinds,
            min_confidence: request.min_confidence,
        })
    }

    /// Whether more is wanted of a row than its time and that it may be read.
    pub fn has_filters(&self) -> bool {
        !self.filter.conditions.is_empty()
            || self.collections.is_some()
            || self.scope.is_some()
            || !self.kinds.is_empty()
            || self.min_confidence > HEARSAY_CONFIDENCE
    }

    /// Adds which rows of the table `s` count.
    pub fn push_where(&self, query: &mut Query, site_no: i32) {
        let place = query.bind(site_no);
        query.push(&format!(" WHERE s.site_no = {place}"));
        if self.since > i64::MIN {
            let place = query.bind(self.since);
            query.push(&format!(" AND s.created_at >= {place}"));
        }
        if self.until < i64::MAX {
            let place = query.bind(self.until);
            query.push(&format!(" AND s.created_at < {place}"));
        }
        if let Some(names) = &self.collections {
            let place = query.bind(names.clone());
            query.push(&format!(" AND s.collection = ANY ({place})"));
        }
        if let Some(scope) = &self.scope {
            let place = query.bind(scope.clone());
            query.push(&format!(" AND s.scope = {place}"));
        }
        if !self.kinds.is_empty() {
            let kinds: Vec<&'static str> = self.kinds.iter().map(|it| it.as_str()).collect();
            let place = query.bind(kinds);
            query.push(&format!(" AND s.kind = ANY ({place})"));
        }
        if self.min_confidence > HEARSAY_CONFIDENCE {
            query.push(" AND false");
        }
        conditions::push(query, &self.filter);
    }
}

/// Fields that have no meaning for a site, or that it cannot answer, must have their defaults. A new field of a recall does
/// not compile until it is here.
fn refuse_unanswered(request: &RecallRequest) -> Result<()> {
    let RecallRequest {
        session_id,
        spatial_sort,
        levels,
        min_similarity,
        min_relevance,
        around_memory_id,
        anchor_filter,
        anchor_nth,
        before_count,
        after_count,
        before_secs,
        after_secs,
        group_by,
        nth,
        like_memory_id,
        window_name,
        window,
        window_channels,
        window_rate_hz,
        include_data,
        include_site,
        // Answered. The rights of the agent are what the caller may read; equal statements are one hit already, and phrases
        // of time are read by the robot: those two have no effect here.
        query: _,
        collection: _,
        n: _,
        min_confidence: _,
        context_filter: _,
        types: _,
        collections: _,
        scope: _,
        agent: _,
        diversity: _,
        since: _,
        until: _,
        order: _,
        read_phrases: _,
        frame: _,
        map_id: _,
        count_by: _,
        utc_offset_secs: _,
        ranking: _,
        exact: _,
        explain: _,
    } = request;
    let given = [
        ("session_id", !session_id.is_empty()),
        ("spatial_sort", spatial_sort.is_some()),
        ("levels", !levels.is_empty()),
        ("min_similarity", *min_similarity != 0.0),
        ("min_relevance", *min_relevance != 0.0),
        ("around_memory_id", *around_memory_id != 0),
        ("anchor_filter", !anchor_filter.is_empty()),
        ("anchor_nth", *anchor_nth != 1),
        ("before_count", *before_count != 0),
        ("after_count", *after_count != 0),
        ("before_secs", *before_secs != 0.0),
        ("after_secs", *after_secs != 0.0),
        ("group_by", !group_by.is_empty()),
        ("nth", *nth != 0),
        ("include_site", *include_site),
        ("like_memory_id", *like_memory_id != 0),
        ("window_name", !window_name.is_empty()),
        ("window", !window.is_empty()),
        ("window_channels", *window_channels != 0),
        ("window_rate_hz", *window_rate_hz != 0.0),
        ("include_data", *include_data),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((field, _)) => {
            Err(Error::invalid(format!("{field}: is not answered by a site; ask the robot")))
        }
        None => Ok(()),
    }
}

fn check_numbers(request: &RecallRequest) -> Result<()> {
    let n = request.n;
    if n == 0 || n > RECALL_N_MAX {
        return Err(Error::invalid(format!("n: must be 1 to {RECALL_N_MAX}, got {n}")));
    }
    let min_confidence = request.min_confidence;
    if !(0.0..=1.0).contains(&min_confidence) {
        return Err(Error::invalid(format!(
            "min_confidence: must be 0 to 1, got {min_confidence}"
        )));
    }
    let offset = request.utc_offset_secs;
    if offset.unsigned_abs() > UTC_OFFSET_SECS_MAX {
        return Err(Error::invalid(format!(
            "utc_offset_secs: must be -{UTC_OFFSET_SECS_MAX} to {UTC_OFFSET_SECS_MAX}, got {offset}"
        )));
    }
    Ok(())
}

fn query_of(query: &str) -> Result<Option<String>> {
    if query.contains('\0') {
        return Err(Error::invalid("query: must not contain the character NUL"));
    }
    let query = query.trim();
    if query.chars().nth(QUERY_CHARS_MAX).is_some() {
        return Err(Error::invalid(format!(
            "query: at most {QUERY_CHARS_MAX} characters, got {}",
            query.chars().count()
        )));
    }
    Ok((!query.is_empty()).then(|| query.to_owned()))
}

fn filter_of(request: &RecallRequest) -> Result<Filter> {
    let text = &request.context_filter;
    let mut filter = match text.trim().is_empty() && text.len() <= CONTEXT_BYTES_MAX {
        true => Filter { conditions: Vec::new() },
        false => Filter::parse(text)
            .map_err(|error| Error::invalid(format!("context_filter: {error}")))?,
    };
    for (field, at, value) in
        [("frame", "spatial.frame", &request.frame), ("map_id", "spatial.map_id", &request.map_id)]
    {
        name(field, value)?;
        if !value.is_empty() {
            let path =
                Path::parse(at).map_err(|error| Error::invalid(format!("{field}: {error}")))?;
            let operand = Operand::Text(value.clone());
            filter.conditions.push(Condition { path, operator: Operator::Equal, operand });
        }
    }
    conditions::check(&filter)?;
    Ok(filter)
}

fn kinds_of(types: &[String]) -> Result<Vec<Kind>> {
    names("types", types)?;
    let mut kinds = Vec::with_capacity(types.len());
    for given in types {
        kinds.extend(spelled("types", given, Kind::parse, Kind::spellings)?);
    }
    Ok(kinds)
}

/// A site has no default collection: none means all.
fn collections_of(request: &RecallRequest) -> Result<Option<Vec<String>>> {
    name("collection", &request.collection)?;
    names("collections", &request.collections)?;
    match (request.collection.as_str(), request.collections.as_slice()) {
        ("", []) => Ok(None),
        (one, []) => Ok(Some(vec![one.to_owned()])),
        ("", [all]) if all == "*" => Ok(None),
        ("", several) if several.iter().any(|it| it == "*") => {
            Err(Error::invalid("collections: * is all of them and stands alone"))
        }
        ("", several) => Ok(Some(several.to_vec())),
        _ => Err(Error::invalid("collections: give either collection or collections, not both")),
    }
}

fn scope_of(scope: &str) -> Result<Option<String>> {
    match scope {
        "" | "all" => Ok(None),
        scope => {
            name("scope", scope)?;
            shared_scope("scope", scope)?;
            Ok(Some(scope.to_owned()))
        }
    }
}

fn names(field: &str, given: &[String]) -> Result<()> {
    if given.len() > NAMES_PER_REQUEST_MAX {
        return Err(Error::invalid(format!(
            "{field}: at most {NAMES_PER_REQUEST_MAX}, got {}",
            given.len()
        )));
    }
    given.iter().try_for_each(|it| name(field, it))
}

fn name(field: &str, given: &str) -> Result<()> {
    if given.len() > NAME_BYTES_MAX {
        return Err(Error::invalid(format!(
            "{field}: at most {NAME_BYTES_MAX} bytes, got {}",
            given.len()
        )));
    }
    if given.contains('\0') {
        return Err(Error::invalid(format!("{field}: must not contain the character NUL")));
    }
    Ok(())
}

fn spelled<T>(
    field: &str,
    given: &str,
    parse: impl Fn(&str) -> Option<T>,
    all: impl Fn() -> String,
) -> Result<Option<T>> {
    if given.is_empty() {
        return Ok(None);
    }
    name(field, given)?;
    match parse(given) {
        Some(known) => Ok(Some(known)),
        None => Err(Error::invalid(format!("{field}: must be one of {}, got {given:?}", all()))),
    }
}
