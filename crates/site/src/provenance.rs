//! Where a memory comes from: what it goes back to, what it was made of, and what was made of it.

use crate::SiteStore;
use crate::error::{Error, Result};
use crate::reader::Scopes;
use postgres::{Row, Transaction};
use robot_memory_core::claim::MemoryRef;
use robot_memory_core::limits::{SITE_PROVENANCE_DEPTH_MAX, SITE_PROVENANCE_ROWS_MAX};
use robot_memory_core::model::Stamp;

/// Where a memory of a robot comes from, as far as the caller may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The memory.
    pub memory: ProvenanceMemory,
    /// Robots that tell the same statement, as far as the caller may read it, in order of name.
    pub told_by: Vec<ProvenanceTeller>,
    /// What it goes back to in the end; itself, when it is experience of its own.
    pub roots: Vec<ProvenanceMemory>,
    /// What it was made of, and what that was made of, the nearest first.
    pub derived_from: Vec<ProvenanceMemory>,
    /// What was made of it, or goes back to it, the nearest first.
    pub derivations: Vec<ProvenanceMemory>,
    /// What attempts of robots say of it, in order of name.
    pub verdicts: Vec<ProvenanceVerdict>,
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
    /// When it was told last, by the clock of its robot; `None` as for `content`.
    pub told_at: Option<Stamp>,
    /// What it says; `None`: it is not known here, is no longer told, or may not be read.
    pub content: Option<String>,
}

/// A robot that tells a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenanceTeller {
    /// The robot and the id there.
    pub of: MemoryRef,
    /// When it told it last, by its clock.
    pub told_at: Stamp,
    /// Whether it tells it of its own experience; others repeat it.
    pub is_independent: bool,
}

/// What the attempts of a robot say of a memory of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenanceVerdict {
    /// The robot.
    pub origin: String,
    /// Whether they bear it out; else they refute it.
    pub is_confirmed: bool,
    /// When it told that, by its clock.
    pub told_at: Stamp,
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
const SHOWN: &str = "SELECT w.origin, w.memory_id, w.depth, s.content, \
     CASE WHEN s.content IS NOT NULL THEN h.told_at END FROM (SELECT origin, memory_id, min(depth) AS depth \
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
                "SELECT s.content, h.told_at, h.is_own FROM robot_memory.head h JOIN robot_memory.statement s \
                 ON s.site_no = $1 AND s.created_at = h.statement_at AND s.id = h.statement_id \
                 WHERE h.site_no = $1 AND h.origin = $2 AND h.memory_id = $3",
                &[&site_no, &origin, &memory_id],
            )?;
            let Some(known) = known else {
                return Err(Error::NotFound(format!("memory_id: there is no memory {memory_id} of that robot")));
            };
            let memory = ProvenanceMemory {
                of: MemoryRef { origin: origin.to_owned(), memory_id },
                depth: 0,
                content: Some(known.get(0)),
                told_at: Some(Stamp(known.get(1))),
            };
            let mut read = |way: &str| ways(tx, way, site_no, origin, memory_id);
            let (mut roots, derived_from, derivations) = (read(ROOTS)?, read(DERIVED_FROM)?, read(DERIVATIONS)?);
            let is_cut = [&derived_from, &derivations]
                .into_iter()
                .any(|it| it.len() as i64 >= SITE_PROVENANCE_ROWS_MAX);
            if known.get(2) && !roots.iter().any(|root| root.of.origin == origin) {
                roots.insert(0, memory.clone());
            }
            let verdicts = verdicts(tx, site_no, origin, memory_id)?;
            let confirmed_count = verdicts.iter().filter(|it| it.is_confirmed).count() as u64;
            Ok(Provenance {
                memory,
                told_by: tellers(tx, site_no, origin, memory_id)?,
                roots,
                derived_from,
                derivations,
                confirmed_count,
                contradicted_count: verdicts.len() as u64 - confirmed_count,
                verdicts,
                is_cut,
            })
        })
    }
}

/// Who tells the statement of a memory, in all scopes that the caller may read.
fn tellers(
    tx: &mut Transaction<'_>,
    site_no: i32,
    origin: &str,
    memory_id: i64,
) -> Result<Vec<ProvenanceTeller>> {
    let rows = tx.query(
        "SELECT t.origin, t.memory_id, t.told_at, t.is_own FROM robot_memory.head h \
         JOIN robot_memory.statement s ON s.site_no = $1 AND s.created_at = h.statement_at AND s.id = h.statement_id \
         JOIN robot_memory.head t ON t.site_no = $1 AND t.statement_id = ANY (array_append((SELECT array_agg(w.id) \
         FROM robot_memory.words w WHERE s.is_split AND w.site_no = $1 AND w.words_key = s.words_key), s.id)) \
         WHERE h.site_no = $1 AND h.origin = $2 AND h.memory_id = $3 ORDER BY t.origin, t.memory_id LIMIT $4",
        &[&site_no, &origin, &memory_id, &SITE_PROVENANCE_ROWS_MAX],
    )?;
    let teller = |row: &Row| ProvenanceTeller {
        of: MemoryRef { origin: row.get(0), memory_id: row.get(1) },
        told_at: Stamp(row.get(2)),
        is_independent: row.get(3),
    };
    Ok(rows.iter().map(teller).collect())
}

/// What attempts say of a memory: one verdict of each robot.
fn verdicts(
    tx: &mut Transaction<'_>,
    site_no: i32,
    origin: &str,
    memory_id: i64,
) -> Result<Vec<ProvenanceVerdict>> {
    let rows = tx.query(
        "SELECT origin, verdict = 'confirm', told_at FROM robot_memory.judgment WHERE site_no = $1 \
         AND target_origin = $2 AND target_memory_id = $3 ORDER BY origin",
        &[&site_no, &origin, &memory_id],
    )?;
    let verdict = |row: &Row| ProvenanceVerdict {
        origin: row.get(0),
        is_confirmed: row.get(1),
        told_at: Stamp(row.get(2)),
    };
    Ok(rows.iter().map(verdict).collect())
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
    let memory = |row: &Row| ProvenanceMemory {
        of: MemoryRef { origin: row.get(0), memory_id: row.get(1) },
        depth: row.get::<_, i32>(2).unsigned_abs(),
        content: row.get(3),
        told_at: row.get::<_, Option<i64>>(4).map(Stamp),
    };
    Ok(rows.iter().map(memory).collect())
}
