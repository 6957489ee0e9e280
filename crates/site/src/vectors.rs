//! The list of the vectors: by the index where most rows pass the filters, else by comparing each that passes.

use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::reader::Query;
use crate::recall::{Candidates, Listed, distinct};
use postgres::Transaction;
use robot_memory_core::limits::{
    CLAIM_COMPONENTS_MAX, SITE_EXACT_ROWS_MAX, SITE_INDEXED_COMPONENTS_MAX, SITE_LIST_ROWS,
    SITE_NEAREST, SITE_NEAREST_MAX,
};

/// A vector of a query.
pub(crate) struct QueryVector<'v> {
    pub model: &'v str,
    pub components: &'v [f32],
}

/// The list, and how it was made.
#[derive(Default)]
pub(crate) struct VectorList {
    pub rows: Vec<Listed>,
    /// Of the rows, those that are not in the list of the words.
    pub beside_words: u64,
    pub approximate: bool,
}

impl<'v> QueryVector<'v> {
    pub fn of(vector: Option<(&'v str, &'v [f32])>) -> Result<Option<Self>> {
        let Some((model, components)) = vector else { return Ok(None) };
        if components.is_empty() || components.len() > CLAIM_COMPONENTS_MAX {
            return Err(Error::invalid(format!(
                "vector: must have 1 to {CLAIM_COMPONENTS_MAX} components, got {}",
                components.len()
            )));
        }
        if model.contains('\0') {
            return Err(Error::invalid(
                "vector: the name of the model must not contain the character NUL",
            ));
        }
        let length: f32 = components.iter().map(|it| it * it).sum();
        if !length.is_finite() || length <= 0.0 {
            return Err(Error::invalid("vector: must be finite and not zero"));
        }
        Ok(Some(Self { model, components }))
    }

    /// The nearest statements.
    pub fn list(
        &self,
        tx: &mut Transaction<'_>,
        site_no: i32,
        plan: &Plan,
        candidates: Option<&Candidates>,
        words: &str,
    ) -> Result<VectorList> {
        let dimension = i32::try_from(self.components.len()).unwrap_or(i32::MAX);
        let model = tx.query_opt(
            "SELECT no FROM robot_memory.model WHERE name = $1 AND dimension = $2",
            &[&self.model, &dimension],
        )?;
        let Some(model_no) = model.map(|row| row.get::<_, i32>(0)) else {
            return Ok(VectorList::default());
        };
        let by_index = !plan.exact
            && candidates.is_none()
            && self.components.len() <= SITE_INDEXED_COMPONENTS_MAX
            && has_index(tx, site_no, model_no)?
            && is_broad(tx, site_no, plan)?;
        if by_index {
            let rows = self.by_index(tx, site_no, model_no, plan, words)?;
            // Of fewer the filter may have kept others that the index did not give.
            if rows.rows.len() >= SITE_LIST_ROWS {
                return Ok(rows);
            }
        }
        let list = distinct(|limit| {
            let mut query = Query::default();
            query.push("SELECT s.created_at, s.id, s.words_key, 1 - (v.embedding <=> ");
            self.push_self(&mut query);
            query.push("), ");
            push_has_words(&mut query, words);
            query.push(
                " FROM robot_memory.statement s JOIN robot_memory.vector v ON v.site_no = s.site_no \
                 AND v.created_at = s.created_at AND v.id = s.id",
            );
            plan.push_where(&mut query, site_no);
            let model_no = query.bind(model_no);
            query.push(&format!(" AND v.model_no = {model_no}"));
            if let Some(candidates) = candidates {
                candidates.push(&mut query);
            }
            query.push(&format!(" ORDER BY 4 DESC, s.created_at DESC, s.id DESC LIMIT {limit}"));
            query.run(tx)
        })?;
        Ok(list_of(list, false))
    }

    fn by_index(
        &self,
        tx: &mut Transaction<'_>,
        site_no: i32,
        model_no: i32,
        plan: &Plan,
        words: &str,
    ) -> Result<VectorList> {
        // A filter must keep as many of them as a list has.
        let is_narrowed = plan.has_filters() || plan.since > i64::MIN || plan.until < i64::MAX;
        let nearest = if is_narrowed { SITE_NEAREST_MAX } else { SITE_NEAREST };
        let mut query = Query::default();
        let dimension = self.components.len();
        // Number and dimension as text: the index is of this model alone. Both are numbers of this database.
        query.push(&format!("WITH near AS MATERIALIZED (SELECT v.created_at, v.id, v.embedding::vector({dimension}) <=> "));
        self.push_self(&mut query);
        let site = query.bind(site_no);
        let (since, until) = (query.bind(plan.since), query.bind(plan.until));
        query.push(&format!(
            " AS distance FROM robot_memory.vector v WHERE v.site_no = {site} AND v.model_no = {model_no} \
             AND v.created_at >= {since} AND v.created_at < {until} \
             ORDER BY v.embedding::vector({dimension}) <=> "
        ));
        self.push_self(&mut query);
        query.push(&format!(
            " LIMIT {nearest}) SELECT s.created_at, s.id, s.words_key, 1 - near.distance, "
        ));
        push_has_words(&mut query, words);
        query.push(
            " FROM near JOIN robot_memory.statement s ON s.created_at = near.created_at AND s.id = near.id",
        );
        plan.push_where(&mut query, site_no);
        query.push(" ORDER BY 4 DESC, s.created_at DESC, s.id DESC");
        tx.batch_execute(&format!("SET LOCAL hnsw.ef_search = {nearest}"))?;
        let rows = query.run(tx)?;
        let mut rows = Some(rows);
        Ok(list_of(distinct(|_| Ok(rows.take().unwrap_or_default()))?, true))
    }

    fn push_self(&self, query: &mut Query) {
        let place = query.bind(self.components.to_vec());
        query.push(&format!("{place}::real[]::vector"));
    }
}

fn push_has_words(query: &mut Query, words: &str) {
    if words.is_empty() {
        query.push("false");
    } else {
        let words = query.bind(words.to_owned());
        query.push(&format!("s.tokens @@ {words}::text::tsquery"));
    }
}

fn list_of(rows: Vec<postgres::Row>, approximate: bool) -> VectorList {
    let listed = rows.iter().map(|row| Listed {
        key: row.get(2),
        place: (row.get(0), row.get(1)),
        score: row.get(3),
    });
    let beside_words = rows.iter().filter(|row| !row.get::<_, bool>(4)).count() as u64;
    VectorList { rows: listed.collect(), beside_words, approximate }
}

/// Whether more rows pass the filters than are compared one by one.
fn is_broad(tx: &mut Transaction<'_>, site_no: i32, plan: &Plan) -> Result<bool> {
    let mut query = Query::default();
    query.push("SELECT count(*) FROM (SELECT FROM robot_memory.statement s");
    plan.push_where(&mut query, site_no);
    query.push(&format!(" LIMIT {}) some_rows", SITE_EXACT_ROWS_MAX + 1));
    let count: i64 = query.run(tx)?.first().map_or(0, |row| row.get(0));
    Ok(count > SITE_EXACT_ROWS_MAX)
}

/// Whether a partition has an index of the vectors of a model.
fn has_index(tx: &mut Transaction<'_>, site_no: i32, model_no: i32) -> Result<bool> {
    let pattern = format!("^vector_s{site_no}_[0-9a-z]+_m{model_no}$");
    let row = tx.query_opt(
        "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname ~ $1 AND i.indisvalid \
         AND c.relnamespace = 'robot_memory'::regnamespace LIMIT 1",
        &[&pattern],
    )?;
    Ok(row.is_some())
}
