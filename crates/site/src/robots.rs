//! What a robot is answered that asks its site.

use crate::error::Result;
use crate::{Scopes, SiteStore};
use postgres::Transaction;
use robot_memory_core::api::{ApiError, Hit, RecallRequest};
use robot_memory_core::limits::SITE_TELLERS_MAX;
use robot_memory_core::model::{Category, Stamp};
use robot_memory_core::site::{SiteAnswer, SiteMemory, SiteTeller};
use robot_memory_index::ranking::{Signals, Standing, own_relevance};

impl SiteStore {
    /// A recall for a robot: each memory with all who tell it, and with how relevant it is, of which
    /// the request may want a least (`min_relevance`).
    ///
    /// # Errors
    /// As [`recall`](Self::recall).
    pub fn answer_robot(
        &self,
        request: &RecallRequest,
        vector: Option<(&str, &[f32])>,
        readable: &Scopes,
    ) -> std::result::Result<SiteAnswer, ApiError> {
        let min_relevance = request.min_relevance;
        let request = RecallRequest {
            // Here they have the scopes that they had on the robots.
            scope: String::new(),
            min_relevance: 0.0,
            ..request.clone()
        };
        // It is not told how many there are.
        let response = self.answer(&request, vector, readable, false)?;
        let tellers =
            self.read_as(readable, |tx| tellers(tx, self.site_no(), &response.memories))?;
        let is_ranked = !request.query.trim().is_empty();
        let relevance = match is_ranked {
            true => relevance(&response.memories),
            false => vec![0.0; response.memories.len()],
        };
        let mut memories = Vec::new();
        for ((hit, tellers), relevance) in response.memories.into_iter().zip(tellers).zip(relevance)
        {
            // One that nobody tells was taken back since.
            if !tellers.is_empty() && relevance >= min_relevance {
                memories.push(memory(hit, tellers, relevance));
            }
        }
        // The order of the robot's own memories.
        if is_ranked {
            memories.sort_by(|one, other| other.relevance.total_cmp(&one.relevance));
        }
        Ok(SiteAnswer { approximate: response.approximate, ..SiteAnswer::of(memories) })
    }
}

/// How relevant each of them is: [`Signals::relevance`].
fn relevance(hits: &[Hit]) -> Vec<f64> {
    let evidence = |hit: &Hit| own_relevance(hit.why.similarity, hit.why.coverage);
    let standing = Standing::of(hits.iter().map(evidence));
    let best =
        hits.iter().reduce(|best, hit| if evidence(hit) > evidence(best) { hit } else { best });
    let Some(best) = best else { return Vec::new() };
    let of = |hit: &Hit| Signals {
        fit: evidence(best),
        lead: standing.lead(),
        codes_missed: 0.0,
        share_left: standing.share_left(evidence(hit)),
        has_similarity: best.why.similarity.is_some(),
    };
    hits.iter().map(|hit| of(hit).relevance()).collect()
}

fn memory(hit: Hit, tellers: Vec<SiteTeller>, relevance: f64) -> SiteMemory {
    let Hit { memory, why, .. } = hit;
    SiteMemory {
        content: memory.content,
        context: memory.context,
        collection: memory.collection,
        // What a robot perceived or summed up is an observation to others.
        category: memory.category.unwrap_or(Category::Observation),
        mem_type: memory.mem_type,
        created_at: memory.created_at,
        tellers,
        similarity: why.similarity,
        coverage: why.coverage,
        relevance,
    }
}

/// Who tells each of them, in all scopes that the caller may read.
fn tellers(tx: &mut Transaction<'_>, site_no: i32, hits: &[Hit]) -> Result<Vec<Vec<SiteTeller>>> {
    let times: Vec<i64> = hits.iter().map(|hit| hit.memory.created_at.0).collect();
    let ids: Vec<i64> = hits.iter().map(|hit| hit.memory.id).collect();
    let rows = tx.query(
        "SELECT k.n, h.origin, h.memory_id, h.revision, h.is_own, h.robot_type, h.gripper, h.map_id, h.told_at \
         FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS k (at, id, n) \
         JOIN robot_memory.statement s ON s.site_no = $1 AND s.created_at = k.at AND s.id = k.id \
         CROSS JOIN LATERAL (SELECT * FROM robot_memory.head WHERE site_no = $1 AND statement_id = ANY (array_append( \
         (SELECT array_agg(w.id) FROM robot_memory.words w WHERE s.is_split AND w.site_no = $1 \
         AND w.words_key = s.words_key), s.id)) ORDER BY origin, memory_id LIMIT $4) h \
         ORDER BY k.n, h.origin, h.memory_id",
        &[&site_no, &times, &ids, &(SITE_TELLERS_MAX as i64)],
    )?;
    let mut tellers: Vec<Vec<SiteTeller>> = vec![Vec::new(); hits.len()];
    for row in rows {
        let at = usize::try_from(row.get::<_, i64>(0) - 1).unwrap_or(usize::MAX);
        if let Some(of_hit) = tellers.get_mut(at) {
            of_hit.push(SiteTeller {
                origin: row.get(1),
                memory_id: row.get(2),
                revision: row.get::<_, i64>(3).unsigned_abs(),
                is_independent: row.get(4),
                robot_type: row.get(5),
                gripper: row.get(6),
                map_id: row.get(7),
                told_at: Stamp(row.get(8)),
            });
        }
    }
    Ok(tellers)
}
