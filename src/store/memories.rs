//! The tables `memory` and `perception`.

use super::{Error, ReadTx, Result, WriteTx, schema};
use crate::model::{
    Category, Kind, Level, MemType, Memory, PerceptionType, Scope, Source, Stamp, Status, Trust,
};
use rusqlite::{OptionalExtension, Row, named_params, params};

/// A memory that is not stored yet.
#[derive(Debug, Clone)]
pub struct Draft {
    pub collection: String,
    pub level: Level,
    pub scope: Scope,
    pub kind: Kind,
    pub category: Option<Category>,
    pub mem_type: MemType,
    pub content: String,
    pub human_summary: String,
    pub content_hash: [u8; 32],
    pub word_count: u32,
    pub context: String,
    pub perception: Option<(PerceptionType, String, String)>,
    pub session_id: String,
    pub turn_id: String,
    pub agent: String,
    pub source: Source,
    pub trust: Trust,
    pub confidence: f64,
    pub decay_rate: f64,
    pub importance: f64,
    pub tags: Vec<String>,
    pub scope_files: Vec<String>,
    pub scope_entities: Vec<String>,
    pub created_at: Stamp,
}

/// What Update changes of a row.
pub struct UpdatedContent<'a> {
    pub category: Option<Category>,
    pub mem_type: MemType,
    pub content: &'a str,
    pub human_summary: &'a str,
    pub content_hash: [u8; 32],
    pub word_count: u32,
    pub context: &'a str,
    pub confidence: f64,
    pub tags: &'a [String],
    pub scope_files: &'a [String],
    pub scope_entities: &'a [String],
    pub updated_at: Stamp,
}

/// How often a row was recalled since that was last written, and when last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accesses {
    pub count: u32,
    pub last: Stamp,
}

/// What confidence decay needs of a row.
pub struct DecayRow {
    pub id: i64,
    pub category: Option<Category>,
    pub confidence: f64,
    pub decay_rate: f64,
    pub created_at: Stamp,
    pub last_accessed: Option<Stamp>,
    pub decayed_until: Option<Stamp>,
}

/// What the summary and the consolidation of a session need of a row.
pub struct SessionRow {
    pub id: i64,
    pub kind: Kind,
    pub category: Option<Category>,
    pub mem_type: MemType,
    pub trust: Trust,
    pub content: String,
    pub confidence: f64,
    pub access_count: u32,
    pub created_at: Stamp,
}

const COLUMNS: &str = "m.id, m.collection, m.level, m.scope, m.type, m.category, m.mem_type, \
    m.content, m.human_summary, m.context, m.session_id, m.turn_id, m.agent, m.source, m.trust, \
    m.confidence, m.decay_rate, m.importance, m.tags, m.scope_files, m.scope_entities, m.status, \
    m.superseded_by, m.access_count, m.last_accessed, m.created_at, m.updated_at, \
    m.decayed_until, p.perception_type";

impl ReadTx<'_> {
    /// The memory of this id; `data` and `metadata` of a perception only when asked for.
    pub fn memory(&self, id: i64, with_data: bool) -> Result<Option<Memory>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM memory m LEFT JOIN perception p ON p.memory_id = m.id \
             WHERE m.id = ?1"
        ))?;
        let Some(mut memory) =
            statement.query_row([id], |row| Ok(memory(row))).optional()?.transpose()?
        else {
            return Ok(None);
        };
        if with_data && memory.kind == Kind::Perception {
            let mut statement = self
                .connection
                .prepare_cached("SELECT data, metadata FROM perception WHERE memory_id = ?1")?;
            (memory.data, memory.metadata) =
                statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        }
        Ok(Some(memory))
    }

    /// Calls `f` with each active memory, in order of id.
    pub fn each_active(&self, mut f: impl FnMut(Memory, u32) -> Result<()>) -> Result<()> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT {COLUMNS}, m.word_count FROM memory m \
             LEFT JOIN perception p ON p.memory_id = m.id WHERE m.status = 'active' ORDER BY m.id"
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            f(memory(row)?, row.get("word_count")?)?;
        }
        Ok(())
    }

    /// Calls `f` with the context of each active memory that has one, in order of id.
    pub fn each_active_context(&self, mut f: impl FnMut(i64, &str)) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, context FROM memory WHERE status = 'active' AND context <> '' ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            f(row.get(0)?, row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?);
        }
        Ok(())
    }

    /// The content of a row, of any status.
    pub fn content(&self, id: i64) -> Result<Option<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT content FROM memory WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// The first active fact, in order of id, with this content; task logs do not count, nor does
    /// the row `except`.
    pub fn exact_duplicate(
        &self,
        content_hash: &[u8; 32],
        collection: &str,
        scope: Scope,
        except: i64,
    ) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM memory WHERE content_hash = ?1 AND collection = ?2 AND scope = ?3 \
             AND status = 'active' AND type = 'fact' AND mem_type <> 'task_log' AND id <> ?4 \
             ORDER BY id LIMIT 1",
        )?;
        let row = params![content_hash, collection, scope.as_str(), except];
        Ok(statement.query_row(row, |row| row.get(0)).optional()?)
    }

    /// How many memories there are, of any status.
    pub fn memory_count(&self) -> Result<u64> {
        let count: i64 =
            self.connection.query_row("SELECT count(*) FROM memory", [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The active memories of a session, in order of id.
    pub fn session_rows(&self, session_id: &str) -> Result<Vec<SessionRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, type, category, mem_type, trust, content, confidence, access_count, \
             created_at FROM memory WHERE session_id = ?1 AND status = 'active' ORDER BY id",
        )?;
        let mut rows = statement.query([session_id])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            found.push(SessionRow {
                id,
                kind: text(row, id, "type", Kind::parse)?,
                category: optional_text(row, id, "category", Category::parse)?,
                mem_type: text(row, id, "mem_type", MemType::parse)?,
                trust: text(row, id, "trust", Trust::parse)?,
                content: row.get("content")?,
                confidence: row.get("confidence")?,
                access_count: row.get("access_count")?,
                created_at: Stamp(row.get("created_at")?),
            });
        }
        Ok(found)
    }

    /// The active memories of a collection whose confidence can fade, in order of id.
    pub fn decay_rows(&self, collection: &str) -> Result<Vec<DecayRow>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, category, confidence, decay_rate, created_at, last_accessed, \
             decayed_until FROM memory WHERE collection = ?1 AND status = 'active' ORDER BY id",
        )?;
        let mut rows = statement.query([collection])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            found.push(DecayRow {
                id,
                category: optional_text(row, id, "category", Category::parse)?,
                confidence: row.get("confidence")?,
                decay_rate: row.get("decay_rate")?,
                created_at: Stamp(row.get("created_at")?),
                last_accessed: row.get::<_, Option<i64>>("last_accessed")?.map(Stamp),
                decayed_until: row.get::<_, Option<i64>>("decayed_until")?.map(Stamp),
            });
        }
        Ok(found)
    }
}

impl WriteTx<'_> {
    /// Stores a memory and answers its id. Its words and vector are stored apart.
    pub fn insert_memory(&self, draft: &Draft) -> Result<i64> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO memory (collection, level, scope, type, category, mem_type, content, \
             human_summary, content_hash, word_count, context, session_id, turn_id, agent, \
             source, trust, confidence, decay_rate, importance, tags, scope_files, \
             scope_entities, status, created_at, updated_at, schema_version) \
             VALUES (:collection, :level, :scope, :type, :category, :mem_type, :content, \
             :human_summary, :content_hash, :word_count, :context, nullif(:session_id, ''), \
             :turn_id, :agent, :source, :trust, :confidence, :decay_rate, :importance, :tags, \
             :scope_files, :scope_entities, 'active', :created_at, :created_at, :schema_version)",
        )?;
        statement.execute(named_params! {
            ":collection": draft.collection,
            ":level": draft.level.as_str(),
            ":scope": draft.scope.as_str(),
            ":type": draft.kind.as_str(),
            ":category": draft.category.map(Category::as_str),
            ":mem_type": draft.mem_type.as_str(),
            ":content": draft.content,
            ":human_summary": draft.human_summary,
            ":content_hash": draft.content_hash,
            ":word_count": draft.word_count,
            ":context": draft.context,
            ":session_id": draft.session_id,
            ":turn_id": draft.turn_id,
            ":agent": draft.agent,
            ":source": draft.source.as_str(),
            ":trust": draft.trust.as_str(),
            ":confidence": draft.confidence,
            ":decay_rate": draft.decay_rate,
            ":importance": draft.importance,
            ":tags": json_array(&draft.tags),
            ":scope_files": json_array(&draft.scope_files),
            ":scope_entities": json_array(&draft.scope_entities),
            ":created_at": draft.created_at.0,
            ":schema_version": schema::VERSION,
        })?;
        let id = self.connection.last_insert_rowid();
        if let Some((perception_type, data, metadata)) = &draft.perception {
            self.connection
                .prepare_cached("INSERT INTO perception VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![id, perception_type.as_str(), data, metadata])?;
        }
        Ok(id)
    }

    /// Changes what an active row says. Its confidence is new, so it fades from now on.
    pub fn update_content(&self, id: i64, changed: &UpdatedContent<'_>) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE memory SET category = ?2, content = ?3, human_summary = ?4, \
                 content_hash = ?5, word_count = ?6, context = ?7, confidence = ?8, tags = ?9, \
                 scope_files = ?10, scope_entities = ?11, updated_at = ?12, \
                 decayed_until = ?12, mem_type = ?13 WHERE id = ?1 AND status = 'active'",
            )?
            .execute(params![
                id,
                changed.category.map(Category::as_str),
                changed.content,
                changed.human_summary,
                changed.content_hash,
                changed.word_count,
                changed.context,
                changed.confidence,
                json_array(changed.tags),
                json_array(changed.scope_files),
                json_array(changed.scope_entities),
                changed.updated_at.0,
                changed.mem_type.as_str(),
            ])?;
        Ok(())
    }

    /// Withdraws a row. It stays for audit.
    pub fn invalidate(&self, id: i64, reason: &str, at: Stamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE memory SET status = 'invalidated', superseded_by = NULL, \
                 invalidated_reason = ?2, invalidated_at = ?3, updated_at = ?3 WHERE id = ?1",
            )?
            .execute(params![id, reason, at.0])?;
        Ok(())
    }

    /// Lets another row stand for this one.
    pub fn supersede(&self, id: i64, by: i64, at: Stamp) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE memory SET status = 'superseded', superseded_by = ?2, updated_at = ?3 \
                 WHERE id = ?1",
            )?
            .execute(params![id, by, at.0])?;
        Ok(())
    }

    /// Writes a faded confidence and up to when it has faded.
    pub fn set_confidence(&self, id: i64, confidence: f64, decayed_until: Stamp) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE memory SET confidence = ?2, decayed_until = ?3 WHERE id = ?1")?
            .execute(params![id, confidence, decayed_until.0])?;
        Ok(())
    }

    /// Adds to a row's access count.
    pub fn add_accesses(&self, id: i64, accesses: Accesses) -> Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE memory SET access_count = min(access_count + ?2, 4294967295), \
                 last_accessed = max(coalesce(last_accessed, ?3), ?3) WHERE id = ?1",
            )?
            .execute(params![id, accesses.count, accesses.last.0])?;
        Ok(())
    }
}

fn memory(row: &Row<'_>) -> Result<Memory> {
    let id = row.get("id")?;
    Ok(Memory {
        id,
        collection: row.get("collection")?,
        level: text(row, id, "level", Level::parse)?,
        scope: text(row, id, "scope", Scope::parse)?,
        kind: text(row, id, "type", Kind::parse)?,
        category: optional_text(row, id, "category", Category::parse)?,
        mem_type: text(row, id, "mem_type", MemType::parse)?,
        content: row.get("content")?,
        human_summary: row.get("human_summary")?,
        context: row.get("context")?,
        perception_type: optional_text(row, id, "perception_type", PerceptionType::parse)?,
        data: String::new(),
        metadata: String::new(),
        session_id: row.get::<_, Option<String>>("session_id")?.unwrap_or_default(),
        turn_id: row.get("turn_id")?,
        agent: row.get("agent")?,
        source: text(row, id, "source", Source::parse)?,
        trust: text(row, id, "trust", Trust::parse)?,
        confidence: row.get("confidence")?,
        decay_rate: row.get("decay_rate")?,
        importance: row.get("importance")?,
        tags: list(row, id, "tags")?,
        scope_files: list(row, id, "scope_files")?,
        scope_entities: list(row, id, "scope_entities")?,
        status: text(row, id, "status", Status::parse)?,
        superseded_by: row.get("superseded_by")?,
        access_count: row.get("access_count")?,
        last_accessed: row.get::<_, Option<i64>>("last_accessed")?.map(Stamp),
        created_at: Stamp(row.get("created_at")?),
        updated_at: Stamp(row.get("updated_at")?),
        decayed_until: row.get::<_, Option<i64>>("decayed_until")?.map(Stamp),
    })
}

fn text<T>(
    row: &Row<'_>,
    id: i64,
    column: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    optional_text(row, id, column, parse)?.ok_or(Error::Row { id, column })
}

fn optional_text<T>(
    row: &Row<'_>,
    id: i64,
    column: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        Some(spelling) => parse(spelling).map(Some).ok_or(Error::Row { id, column }),
        None => Ok(None),
    }
}

fn list(row: &Row<'_>, id: i64, column: &'static str) -> Result<Vec<String>> {
    let json = row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?;
    serde_json::from_str(json).map_err(|_| Error::Row { id, column })
}

fn json_array(list: &[String]) -> String {
    serde_json::Value::from(list).to_string()
}
