//! Where a memory comes from: what it goes back to, what it was made of, and what was made of it.

use crate::SiteStore;
use crate::error::{Error, Result};
use crate::reader::Scopes;
use postgres::Transaction;
use robot_memory_core::claim::MemoryRef;
use robot_memory_core::limits::{SITE_PROVENANCE_DEPTH_MAX, SITE_PROVENANCE_ROWS_MAX};

/// Where a memory of a robot comes from, as far as the caller may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The memory.
    pub memory: ProvenanceMemory,
    /// What it goes back to in the end; itself, when it is experience of its own.
    pub roots: Vec<ProvenanceMemory>,
    /// What it was made of, and what that was made of, the nearest first.
    pub derived_from: Vec<ProvenanceMemory>,
    /// What was made of it, or goes back to it, the nearest first.
    pub derivations: Vec<ProvenanceMemory>,
    /// Robots whose attempts bear it out.
    pub confirmed_count: u64,
    /// Robots whose attempts refute it.
    pub contradicted_count: u64,
    /// Whether there are more than are told.
    pub is_cut: bool,
}

/// A memory of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenanceMemory {
    /// The robot and the id there.
    pub of: MemoryRef,
    /// Steps away.
    pub depth: u32,
    /// What it says; `None`: it is not known here, is no longer told, or may not be read.
    pub content: Option<String>,
}

/// The recursion follows what is in the columns `to_…` of what was reached by `from_…`, or the other way round.
const DERIVED_FROM: &str = "WITH RECURSIVE way (origin, memory_id, depth) AS (\
     SELECT e.to_origin, e.to_memory_id, 1 FROM robot_memory.edge e WHERE e.site_no = $1 AND e.from_origin = $2 \
     AND e.from_memory_id = $3 AND e.kind = 'derived' \
     UNION SELECT e.to_origin, e.to_memory_id, way.depth + 1 FROM way JOIN robot_memory.edge e ON e.site_no = $1 \
     AND e.from_origin = way.origin AND e.from_memory_id = way.memory_id AND e.kind = 'derived' WHERE way.depth < $4::integer) ";
const DERIVATIONS: &str = "WITH RECURSIVE way (origin, memory_id, depth) AS (\
     SELECT e.from_origin, e.from_memory_id, 1 FROM robot_memory.edge e WHERE e.site_no = $1 AND e.to_origin = $2 \
     AND e.to_memory_id = $3 \
     UNION SELECT e.from_origin, e.from_memory_id, way.depth + 1 FROM way JOIN robot_memory.edge e ON e.site_no = $1 \
     AND e.to_origin = way.origin AND e.to_memory_id = way.memory_id WHERE way.depth < $4::integer) ";
const ROOTS: &str = "WITH way (origin, memory_id, depth) AS (SELECT e.to_origin, e.to_memory_id, 1 \
     FROM robot_memory.edge e WHERE e.site_no = $1 AND e.from_origin = $2 AND e.from_memory_id = $3 AND e.kind = 'root' \
     AND $4::integer > 0) ";
/// Each once, by its shortest way, with what it says. What is followed is bounded by rows, since it may be wide.
const SHOWN: &str = "SELECT w.origin, w.memory_id, w.depth, s.content FROM (SELECT origin, memory_id, min(depth) AS depth \
     FROM (SELECT * FROM way LIMIT $5::bigint * 16) bounded WHERE (origin, memory_id) <> ($2, $3) GROUP BY 1, 2 \
     ORDER BY 3, 1, 2 LIMIT $5::bigint) w LEFT JOIN robot_memory.head h ON h.site_no = $1 AND h.origin = w.origin \
     AND h.memory_id = w.memory_id LEFT JOIN robot_memory.statement s ON s.site_no = $1 \
     AND s.created_at = h.statement_at AND s.id = h.statement_id ORDER BY 3, 1, 2";

impl SiteStore {
    /// Where a memory of a robot comes from.
    ///
    /// # Errors
    /// When no such memory is told that the caller may read.
    pub fn provenance(
        &self,
        origin: &str,
        memory_id: i64,
        readable: &Scopes,
    ) -> Result<Provenance> {
        if origin.contains('\0') {
            return Err(Error::invalid("origin: must not contain the character NUL"));
        }
        self.read_as(readable, |tx| {
            let site_no = self.site_no();
            let known = tx.query_opt(
                "SELECT s.content FROM robot_memory.head h JOIN robot_memory.statement s ON s.site_no = $1 \
                 AND s.created_at = h.statement_at AND s.id = h.statement_id \
                 WHERE h.site_no = $1 AND h.origin = $2 AND h.memory_id = $3",
                &[&site_no, &origin, &memory_id],
            )?;
            let Some(known) = known else {
                return Err(Error::NotFound(format!("memory_id: there is no memory {memory_id} of that robot")));
            };
            let of = MemoryRef { origin: origin.to_owned(), memory_id };
            let memory = ProvenanceMemory { of, depth: 0, content: Some(known.get(0)) };
            let mut read = |way: &str| ways(tx, way, site_no, origin, memory_id);
            let (mut roots, derived_from, derivations) = (read(ROOTS)?, read(DERIVED_FROM)?, read(DERIVATIONS)?);
            let is_cut = [&derived_from, &derivations]
                .into_iter()
                .any(|it| it.len() as i64 >= SITE_PROVENANCE_ROWS_MAX);
            let is_own: bool = tx
                .query_one(
                    "SELECT is_own FROM robot_memory.head WHERE site_no = $1 AND origin = $2 AND memory_id = $3",
                    &[&site_no, &origin, &memory_id],
                )?
                .get(0);
            if is_own && !roots.iter().any(|root| root.of.origin == origin) {
                roots.insert(0, memory.clone());
            }
            let verdicts = tx.query_one(
                "SELECT count(*) FILTER (WHERE verdict = 'confirm'), count(*) FILTER (WHERE verdict = 'contradict') \
                 FROM robot_memory.judgment WHERE site_no = $1 AND target_origin = $2 AND target_memory_id = $3",
                &[&site_no, &origin, &memory_id],
            )?;
            Ok(Provenance {
                memory,
                roots,
                derived_from,
                derivations,
                confirmed_count: verdicts.get::<_, i64>(0).unsigned_abs(),
                contradicted_count: verdicts.get::<_, i64>(1).unsigned_abs(),
                is_cut,
            })
        })
    }
}

fn ways(
    tx: &mut Transaction<'_>,
    way: &str,
    site_no: i32,
    origin: &str,
    memory_id: i64,
) -> Result<Vec<ProvenanceMemory>> {
    let rows = tx.query(
        &format!("{way}{SHOWN}"),
        &[&site_no, &origin, &memory_id, &SITE_PROVENANCE_DEPTH_MAX, &SITE_PROVENANCE_ROWS_MAX],
    )?;
    let memory = |row: &postgres::Row| ProvenanceMemory {
        of: MemoryRef { origin: row.get(0), memory_id: row.get(1) },
        depth: row.get::<_, i32>(2).unsigned_abs(),
        content: row.get(3),
    };
    Ok(rows.iter().map(memory).collect())
}
