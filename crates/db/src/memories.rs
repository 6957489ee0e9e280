//! The tables `memory` and `perception`.

use super::belief::{Believed, belief_at, belief_columns, believed, confidence_at};
use super::column::{Cells, record};
use super::{Error, ReadTx, Result, WriteTx, schema};
use crate::statement::{insert, statements};
use robot_memory_core::limits::SUMMARY_CHARS_MAX;
use robot_memory_core::model::{
    Belief, Category, Kind, Level, MemType, Memory, PerceptionType, Scope, Source, Stamp, Status,
    SupersededRule, Trust,
};
use rusqlite::{Row, params};
use sha2::{Digest, Sha256};

/// Rows of one content that are read: mostly there is one.
const SAME_MAX: u32 = 64;

/// A memory that is not stored yet.
#[derive(Debug, Clone)]
pub struct MemoryDraft {
    pub collection: String,
    pub level: Level,
    pub scope: Scope,
    pub kind: Kind,
    pub category: Option<Category>,
    pub mem_type: MemType,
    pub content: String,
    pub content_hash: [u8; 32],
    pub word_count: u32,
    /// Whether its context says that it is data of the real robot.
    pub is_real: bool,
    /// Equal for contents that name the same quantities; 0 when that is not known.
    pub quantity_key: i64,
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
    pub parent_id: Option<i64>,
    pub tags: Vec<String>,
    pub scope_files: Vec<String>,
    pub scope_entities: Vec<String>,
    pub created_at: Stamp,
}

/// What Update changes of a row.
pub struct UpdatedContent<'a> {
    pub category: Option<Category>,
    pub mem_type: MemType,
    pub source: Source,
    pub trust: Trust,
    pub content: &'a str,
    pub content_hash: [u8; 32],
    pub word_count: u32,
    pub is_real: bool,
    pub quantity_key: i64,
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

record! {
    /// What confidence decay and the forgetting curve need of a row.
    pub struct DecayRow, select_decay by "id" {
        pub scope: Scope = "scope",
        pub mem_type: MemType = "mem_type",
        pub category: Option<Category> = "category",
        pub created_at: Stamp = "created_at",
        pub importance: f64 = "importance",
        pub access_count: u32 = "access_count",
        pub restored_at: Option<Stamp> = "restored_at",
        pub known_at: Option<Stamp> = "known_at",
        /// Whether it is an event that was imported.
        pub is_imported: bool =
            "known_at IS NOT NULL AND id IN (SELECT memory_id FROM event)",
        pub belief: Belief = belief_columns!() => belief_at,
    }
}

record! {
    /// What the summary of a session and consolidation need of a row.
    pub struct SessionRow, select_session_row {
        pub id: i64 = "id",
        pub collection: String = "collection",
        pub scope: Scope = "scope",
        pub level: Level = "level",
        pub kind: Kind = "type",
        pub category: Option<Category> = "category",
        pub mem_type: MemType = "mem_type",
        pub trust: Trust = "trust",
        pub content: String = "content",
        /// JSON or empty.
        pub context: String = "context",
        pub access_count: u32 = "access_count",
        pub created_at: Stamp = "created_at",
        pub confidence: f64 = belief_columns!() => confidence_at,
    }
}

/// The rows that can say a statement already, so that it need not be stored: of its collection and
/// scope, of classes that its writer sees, and at least as lasting as it.
#[derive(Debug, Clone, Copy)]
pub struct DuplicateCandidates<'a> {
    pub collection: &'a str,
    pub scope: &'a Scope,
    pub mem_types: &'a [MemType],
    /// That of the statement. What ends with a session says nothing for what outlasts it.
    pub level: Level,
    /// Whose working memories count, for one of them.
    pub session_id: &'a str,
    /// They are believed at least so far.
    pub trust_min: Trust,
}

/// What [`memory`] reads, in this order.
macro_rules! columns {
    () => {
        "id, collection, level, scope, type, category, mem_type, content, context, session_id, \
         turn_id, agent, source, trust, importance, tags, scope_files, scope_entities, status, \
         superseded_by, access_count, last_accessed, created_at, updated_at, parent_id, restored_at, \
         known_at, content_hash"
    };
}

impl ReadTx<'_> {
    statements! {
        /// The content of a row, of any status.
        pub fn content(id: i64) -> value<String> = "SELECT content FROM memory WHERE id = ?1";

        /// What a memory says that nobody withdrew.
        pub fn unforgotten(id: i64) -> value<String> =
            "SELECT content FROM memory WHERE id = ?1 AND status <> 'invalidated'";

        /// How many memories are not active; to count all would be to read all.
        pub fn inactive_count() -> count = "SELECT count(*) FROM memory WHERE status <> 'active'";

        /// The active memories of a session, in order of id.
        pub fn session_rows(session_id: &str) -> rows<SessionRow> =
            select_session_row!(
                "FROM memory WHERE session_id = ?1 AND status = 'active' ORDER BY id"
            );

        /// An active memory and its collection.
        pub fn active_row(id: i64) -> row<SessionRow> =
            select_session_row!("FROM memory WHERE id = ?1 AND status = 'active'");

        /// What confidence decay needs of an active memory.
        pub fn decay_row(id: i64) -> row<DecayRow> =
            select_decay!("FROM memory WHERE id = ?1 AND status = 'active'");
    }

    /// The memory of this id; `data` and `metadata` of a perception only when asked for.
    pub fn memory(&self, id: i64, with_data: bool) -> Result<Option<Memory>> {
        let sql =
            concat!("SELECT ", columns!(), ", ", belief_columns!(), " FROM memory WHERE id = ?1");
        let Some(mut memory) = self.row(sql, [id], memory)? else { return Ok(None) };
        if memory.kind == Kind::Perception {
            self.add_perception(&mut memory, with_data)?;
        }
        Ok(Some(memory))
    }

    fn add_perception(&self, memory: &mut Memory, with_data: bool) -> Result<()> {
        let sql = "SELECT memory_id, perception_type, iif(?2, data, ''), iif(?2, metadata, '') \
                   FROM perception WHERE memory_id = ?1";
        self.row(sql, params![memory.id, with_data], |row| {
            memory.perception_type = row.cell(1, "perception_type")?;
            memory.data = row.get(2)?;
            memory.metadata = row.get(3)?;
            Ok(())
        })
        .map(drop)
    }

    /// Calls `f` with the context of each active memory that has one, in order of id.
    pub fn each_active_context(&self, mut f: impl FnMut(i64, &str)) -> Result<()> {
        let sql =
            "SELECT id, context FROM memory WHERE status = 'active' AND context <> '' ORDER BY id";
        self.each(sql, [], |row| {
            f(row.get(0)?, row.str(1)?);
            Ok(())
        })
    }

    /// The first active facts among these, in order of id, with this content; task logs do not count,
    /// nor does the row `except`. The first conditions on type and mem_type are those of the index.
    pub fn exact_duplicates(
        &self,
        content_hash: &[u8; 32],
        among: &DuplicateCandidates<'_>,
        except: i64,
    ) -> Result<Vec<i64>> {
        let DuplicateCandidates { collection, scope, mem_types, level, session_id, trust_min } =
            among;
        let names: Vec<&str> = mem_types.iter().map(|mem_type| mem_type.as_str()).collect();
        let names = serde_json::Value::from(names).to_string();
        let trusts = Trust::ALL.iter().filter(|trust| *trust >= trust_min);
        let trusts: Vec<&str> = trusts.map(|trust| trust.as_str()).collect();
        let trusts = serde_json::Value::from(trusts).to_string();
        let (scope, level) = (scope.to_string(), level.as_str());
        let row = params![
            content_hash,
            collection,
            scope,
            except,
            names,
            level,
            session_id,
            trusts,
            SAME_MAX
        ];
        self.values(
            "SELECT id FROM memory WHERE substr(content_hash, 1, 8) = substr(?1, 1, 8) \
             AND content_hash = ?1 AND collection = ?2 AND scope = ?3 AND status = 'active' \
             AND type = 'fact' AND mem_type <> 'task_log' AND id <> ?4 \
             AND mem_type IN (SELECT value FROM json_each(?5)) \
             AND (level = 'core' OR level = 'knowledge' AND ?6 <> 'core' \
             OR level = 'working' AND ?6 = 'working' AND session_id = ?7) \
             AND trust IN (SELECT value FROM json_each(?8)) ORDER BY id LIMIT ?9",
            row,
        )
    }
}

impl WriteTx<'_> {
    /// Stores a memory and answers its id. Its words and vector are stored apart. The attempt that it
    /// belongs to is known from then on.
    pub fn insert_memory(&self, draft: &MemoryDraft) -> Result<i64> {
        self.open_branch_of(&draft.scope)?;
        let session_id = Some(&draft.session_id).filter(|session_id| !session_id.is_empty());
        insert!(
            self,
            "memory",
            collection = draft.collection,
            level = draft.level.as_str(),
            scope = draft.scope.to_string(),
            type = draft.kind.as_str(),
            category = draft.category.map(Category::as_str),
            mem_type = draft.mem_type.as_str(),
            content = draft.content,
            content_hash = draft.content_hash,
            word_count = draft.word_count,
            is_real = draft.is_real,
            quantity_key = draft.quantity_key,
            context = draft.context,
            session_id = session_id,
            turn_id = draft.turn_id,
            agent = draft.agent,
            source = draft.source.as_str(),
            trust = draft.trust.as_str(),
            confidence = draft.confidence,
            decay_rate = draft.decay_rate,
            importance = draft.importance,
            tags = json_array(&draft.tags),
            scope_files = json_array(&draft.scope_files),
            scope_entities = json_array(&draft.scope_entities),
            status = Status::Active.as_str(),
            created_at = draft.created_at.0,
            updated_at = draft.created_at.0,
            schema_version = schema::VERSION,
            parent_id = draft.parent_id,
        )?;
        let id = self.connection.last_insert_rowid();
        if let Some((perception_type, data, metadata)) = &draft.perception {
            self.execute(
                "INSERT INTO perception VALUES (?1, ?2, ?3, ?4)",
                params![id, perception_type.as_str(), data, metadata],
            )?;
        }
        Ok(id)
    }

    /// Changes what an active row says. Its confidence is new, so it fades from now on: as is answered.
    pub fn update_content(&self, id: i64, changed: &UpdatedContent<'_>) -> Result<Belief> {
        self.settle_belief(id)?;
        self.execute(
            "UPDATE memory SET category = ?2, content = ?3, is_real = ?4, \
             content_hash = ?5, word_count = ?6, context = ?7, tags = ?8, scope_files = ?9, \
             scope_entities = ?10, updated_at = ?11, mem_type = ?12, quantity_key = ?13, \
             source = ?14, trust = ?15 \
             WHERE id = ?1 AND status = 'active'",
            params![
                id,
                changed.category.map(Category::as_str),
                changed.content,
                changed.is_real,
                changed.content_hash,
                changed.word_count,
                changed.context,
                json_array(changed.tags),
                json_array(changed.scope_files),
                json_array(changed.scope_entities),
                changed.updated_at.0,
                changed.mem_type.as_str(),
                changed.quantity_key,
                changed.source.as_str(),
                changed.trust.as_str(),
            ],
        )?;
        self.say(id, changed.confidence, changed.updated_at)
    }

    /// Withdraws a row. It stays for audit.
    pub fn invalidate(&self, id: i64, reason: &str, at: Stamp) -> Result<()> {
        self.settle_belief(id)?;
        self.execute(
            "UPDATE memory SET status = 'invalidated', superseded_by = NULL, \
             superseded_rule = NULL, invalidated_reason = ?2, invalidated_at = ?3, \
             updated_at = ?3 WHERE id = ?1",
            params![id, reason, at.0],
        )
    }

    /// Lets another row stand for this one, by a rule; its children go over to that one.
    pub fn supersede(&self, id: i64, by: i64, rule: SupersededRule, at: Stamp) -> Result<()> {
        self.settle_belief(id)?;
        self.execute(
            "UPDATE memory SET status = 'superseded', superseded_by = ?2, updated_at = ?3, \
             superseded_rule = ?4 WHERE id = ?1",
            params![id, by, at.0, rule.as_str()],
        )?;
        self.move_children(id, by)
    }

    /// Adds to a row's access count. It was used, so it is believed as it was said, and fades from then on.
    /// `None`: it is gone.
    pub fn add_accesses(&self, id: i64, accesses: Accesses) -> Result<Option<Belief>> {
        self.settle_belief(id)?;
        self.execute(
            "UPDATE memory SET access_count = min(access_count + ?2, 4294967295), \
             last_accessed = max(coalesce(last_accessed, ?3), ?3) WHERE id = ?1",
            params![id, accesses.count, accesses.last.0],
        )?;
        Ok(self.believed(id)?.map(|believed| believed.now))
    }
}

fn memory(row: &Row<'_>) -> Result<Memory> {
    let id = row.get(0)?;
    let content: String = row.get(7)?;
    // What a disk changed is not told as true.
    if row.get_ref(27)?.as_bytes().ok() != Some(Sha256::digest(&content).as_slice()) {
        return Err(Error::Row { id, column: "content" });
    }
    let Believed { now: belief, decayed_until, .. } = believed(row, 28)?;
    Ok(Memory {
        id,
        collection: row.get(1)?,
        level: row.cell(2, "level")?,
        scope: row.cell(3, "scope")?,
        kind: row.cell(4, "type")?,
        category: row.cell(5, "category")?,
        mem_type: row.cell(6, "mem_type")?,
        human_summary: summary(&content).to_owned(),
        content,
        context: row.get(8)?,
        perception_type: None,
        data: String::new(),
        metadata: String::new(),
        session_id: row.get::<_, Option<String>>(9)?.unwrap_or_default(),
        turn_id: row.get(10)?,
        agent: row.get(11)?,
        source: row.cell(12, "source")?,
        trust: row.cell(13, "trust")?,
        confidence: belief.confidence(),
        decay_rate: belief.decay_rate,
        importance: row.get(14)?,
        tags: row.cell(15, "tags")?,
        scope_files: row.cell(16, "scope_files")?,
        scope_entities: row.cell(17, "scope_entities")?,
        status: row.cell(18, "status")?,
        superseded_by: row.get(19)?,
        access_count: row.get(20)?,
        last_accessed: row.optional_stamp(21)?,
        created_at: row.stamp(22)?,
        updated_at: row.stamp(23)?,
        decayed_until,
        parent_id: row.get(24)?,
        restored_at: row.optional_stamp(25)?,
        known_at: row.optional_stamp(26)?,
    })
}

/// The first [`SUMMARY_CHARS_MAX`] characters.
fn summary(content: &str) -> &str {
    let end = content.char_indices().nth(SUMMARY_CHARS_MAX).map_or(content.len(), |(end, _)| end);
    &content[..end]
}

/// The array as JSON; empty when there is nothing in it, as most are.
fn json_array(list: &[String]) -> String {
    if list.is_empty() { String::new() } else { serde_json::Value::from(list).to_string() }
}
