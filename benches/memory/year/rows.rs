//! The rows of a store, read beside the engine.

use super::Result;
use super::tasks::Outcomes;
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Half-lives in days of what fades, as the specification has them.
const HALF_LIVES: [(&str, f64); 2] = [("task_log", 30.0), ("procedure", 90.0)];
const RETENTION_MIN: f64 = 0.1;
const NANOS_PER_DAY: f64 = 86_400e9;

/// What is known of all rows.
#[derive(Debug, Default)]
pub struct Rows {
    pub active: u64,
    pub archived: u64,
    pub superseded: u64,
    /// Archived, and not by the forgetting curve.
    pub archived_wrong: u64,
    /// What became of statements, by id: active, or by which other row they were replaced.
    facts: BTreeMap<i64, Fact>,
    in_conflict: BTreeSet<i64>,
    /// By task and object: what the summary of it tells.
    pub experiences: BTreeMap<(String, String), Outcomes>,
}

#[derive(Debug, Clone, Copy)]
struct Fact {
    is_active: bool,
    superseded_by: Option<i64>,
}

impl Rows {
    /// Whether a statement is recalled.
    pub fn is_active(&self, id: i64) -> bool {
        self.facts.get(&id).is_some_and(|fact| fact.is_active)
    }

    /// What a statement gave way to.
    pub fn superseded_by(&self, id: i64) -> Option<i64> {
        self.facts.get(&id)?.superseded_by
    }

    /// Whether a contradiction of it is told.
    pub fn is_in_conflict(&self, id: i64) -> bool {
        self.in_conflict.contains(&id)
    }
}

/// Reads a store that nobody has open.
pub fn read(path: &Path) -> Result<Rows> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut rows = Rows::default();
    let mut statement = connection.prepare(
        "SELECT id, type, status, superseded_by, mem_type, category, level, importance, access_count, \
         coalesce(restored_at, created_at), updated_at FROM memory",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let status: String = row.get(2)?;
        match status.as_str() {
            "active" => rows.active += 1,
            "archived" => rows.archived += 1,
            "superseded" => rows.superseded += 1,
            _ => {}
        }
        if row.get::<_, String>(1)? == "fact" {
            let fact = Fact { is_active: status == "active", superseded_by: row.get(3)? };
            rows.facts.insert(row.get(0)?, fact);
        }
        // Working memories are archived by the end of their session.
        if status == "archived" && row.get::<_, String>(6)? != "working" {
            let retention = Retention {
                mem_type: row.get(4)?,
                category: row.get(5)?,
                importance: row.get(7)?,
                access_count: row.get(8)?,
                age_days: (row.get::<_, i64>(10)? - row.get::<_, i64>(9)?) as f64 / NANOS_PER_DAY,
            };
            rows.archived_wrong += u64::from(!retention.is_below());
        }
    }
    let mut statement = connection
        .prepare("SELECT memory_id, other_id FROM memory_pair WHERE verdict = 'conflict'")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        rows.in_conflict.extend([row.get::<_, i64>(0)?, row.get::<_, i64>(1)?]);
    }
    rows.experiences = experiences(&connection)?;
    Ok(rows)
}

/// What an archived row was worth when it was archived.
struct Retention {
    mem_type: String,
    category: Option<String>,
    importance: f64,
    access_count: f64,
    age_days: f64,
}

impl Retention {
    /// Whether it had faded by the curve of the specification, to a millionth.
    fn is_below(&self) -> bool {
        let category = self.category.as_deref().unwrap_or_default();
        if ["constraint", "postmortem", "gotcha"].contains(&category) {
            return false;
        }
        let half_life = HALF_LIVES.iter().find(|(name, _)| *name == self.mem_type);
        half_life.is_some_and(|(_, half_life_days)| {
            let divisor = 1.0 + (1.0 + self.access_count).ln().min(3.0);
            let faded = (-std::f64::consts::LN_2 / half_life_days * self.age_days / divisor).exp();
            self.importance * faded < RETENTION_MIN + 1e-6
        })
    }
}

fn experiences(connection: &Connection) -> Result<BTreeMap<(String, String), Outcomes>> {
    let mut statement = connection.prepare(
        "SELECT s.figures FROM summary s JOIN memory m ON m.id = s.memory_id \
         WHERE s.kind = 'experience' AND m.status = 'active'",
    )?;
    let mut experiences = BTreeMap::new();
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let figures: serde_json::Value = serde_json::from_str(&row.get::<_, String>(0)?)?;
        let text = |key: &str| figures[key].as_str().unwrap_or_default().to_owned();
        let count = |key: &str| figures[key].as_u64().unwrap_or_default();
        let outcomes = Outcomes {
            attempts: count("success_count") + count("failure_count"),
            successes: count("success_count"),
        };
        experiences.insert((text("task"), text("object")), outcomes);
    }
    Ok(experiences)
}
