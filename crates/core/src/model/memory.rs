use super::{Scope, Stamp, text_enum};
use serde::Serialize;

text_enum! {
    /// What a row is (the field `type`).
    Kind {
        /// A statement that was learned.
        Fact = "fact",
        /// Something perceived.
        Perception = "perception",
        /// Written by compaction from other rows.
        Summary = "summary",
    }
}

text_enum! {
    /// How lasting a memory is and how far it reaches.
    Level {
        /// Lasting; the whole robot or site.
        Core = "core",
        /// One task.
        Knowledge = "knowledge",
        /// One sub-task, short-lived.
        Working = "working",
    }
}

text_enum! {
    /// What kind of statement a fact is, inferred from its words.
    Category {
        /// Something that must or must not be done.
        Constraint = "constraint",
        /// What is liked better.
        Preference = "preference",
        /// A general judgement.
        Worldview = "worldview",
        /// What is gained and what is lost.
        Tradeoff = "tradeoff",
        /// Why something happened.
        RootCause = "root_cause",
        /// What was chosen.
        Decision = "decision",
        /// What happens again and again.
        Pattern = "pattern",
        /// A lesson from what went wrong.
        Postmortem = "postmortem",
        /// A trap for the next one.
        Gotcha = "gotcha",
        /// What was seen.
        Observation = "observation",
        /// Nothing else matched: a general technical note.
        Code = "code",
    }
}

impl Category {
    /// Whether rows of this category never fade, are never consolidated and never archived.
    pub const fn is_protected(self) -> bool {
        matches!(self, Self::Constraint | Self::Postmortem | Self::Gotcha)
    }

    /// The life cycle class that a fact of this category gets when none is given.
    pub const fn mem_type(self) -> MemType {
        match self {
            Self::Preference | Self::Worldview => MemType::Preference,
            Self::Observation | Self::Code | Self::Constraint => MemType::Fact,
            Self::Postmortem | Self::Gotcha | Self::RootCause => MemType::Lesson,
            Self::Decision | Self::Tradeoff => MemType::Decision,
            Self::Pattern => MemType::Knowledge,
        }
    }
}

text_enum! {
    /// Life cycle class: how a memory ages and what happens when two disagree.
    MemType {
        /// For ever, the newest wins.
        Preference = "preference",
        /// For ever, the better source wins.
        Fact = "fact",
        /// Half-life 90 days, the newest version wins.
        Procedure = "procedure",
        /// For ever, never overwritten.
        Lesson = "lesson",
        /// For ever, never overwritten.
        Decision = "decision",
        /// Half-life 30 days, never deduplicated.
        TaskLog = "task_log",
        /// For ever, merged.
        Knowledge = "knowledge",
    }
}

text_enum! {
    /// The sense that a perception came from.
    PerceptionType {
        /// Cameras.
        Visual = "visual",
        /// Force, torque, touch.
        Tactile = "tactile",
        /// Microphones.
        Auditory = "auditory",
        /// Joints and poses.
        Proprioceptive = "proprioceptive",
        /// Sequences of actions.
        Procedural = "procedural",
    }
}

impl PerceptionType {
    /// The life cycle class that a perception of this type gets when none is given.
    pub const fn mem_type(self) -> MemType {
        match self {
            Self::Procedural => MemType::Procedure,
            _ => MemType::TaskLog,
        }
    }
}

text_enum! {
    /// Whether a row is recalled.
    Status {
        /// Recalled.
        Active = "active",
        /// Another row says it better.
        Superseded = "superseded",
        /// Withdrawn by Forget.
        Invalidated = "invalidated",
        /// Faded; kept, out of recall, restorable.
        Archived = "archived",
    }
}

text_enum! {
    /// How much a summary covers.
    SummaryKind {
        /// One step of an episode.
        Micro = "micro",
        /// Several steps: it was made of short ones, which it names.
        Macro = "macro",
        /// What became of one task in many attempts.
        Experience = "experience",
        /// What happened in a week.
        Week = "week",
        /// A bound beyond which attempts fail.
        Lesson = "lesson",
    }
}

text_enum! {
    /// Where a memory came from.
    Source {
        /// Said by the robot's own user.
        UserDirect = "user_direct",
        /// Said by others in a group.
        GroupChat = "group_chat",
        /// Read on the web.
        WebScrape = "web_scrape",
        /// Written by a program.
        AgentOutput = "agent_output",
        /// Brought over from another store.
        Migration = "migration",
        /// Written by consolidation.
        Consolidation = "consolidation",
        /// Measured.
        Sensor = "sensor",
        /// Entered by the operator.
        Operator = "operator",
        /// Told by another robot of the fleet.
        Fleet = "fleet",
    }
}

impl Source {
    /// The trust that rows of this source get when none is given.
    pub const fn trust(self) -> Trust {
        match self {
            Self::UserDirect | Self::Operator | Self::Sensor => Trust::High,
            Self::AgentOutput | Self::Consolidation | Self::Migration => Trust::Medium,
            Self::GroupChat | Self::WebScrape | Self::Fleet => Trust::Low,
        }
    }
}

text_enum! {
    /// How far a row is believed because of where it came from. Ordered: low < medium < high.
    Trust {
        /// Hearsay; weighs less in recall.
        Low = "low",
        /// Derived.
        Medium = "medium",
        /// First hand.
        High = "high",
    }
}

text_enum! {
    /// Why a row was superseded by another.
    SupersededRule {
        /// Both said the same; one stands for both.
        Consolidation = "consolidation",
        /// Of two preferences on one subject the newer holds.
        NewestPreference = "newest_preference",
        /// Of two versions of a procedure the newer holds.
        NewestProcedure = "newest_procedure",
        /// Of two pieces of knowledge on one subject the newer holds.
        NewestKnowledge = "newest_knowledge",
        /// Of two facts on one subject that of the better source holds.
        BetterSource = "better_source",
        /// What was said last says that it holds from then on, in whatever class.
        NewestInstruction = "newest_instruction",
        /// A longer summary stands for several short ones.
        Compaction = "compaction",
        /// What a branch learned was merged into a wider scope.
        BranchMerge = "branch_merge",
    }
}

text_enum! {
    /// What changed a memory by itself, or changed its status.
    LedgerChange {
        /// Its confidence fell, since it was not recalled.
        Faded = "faded",
        /// It was archived.
        Archived = "archived",
        /// It was taken out of it.
        Restored = "restored",
        /// Another one holds in its place.
        Superseded = "superseded",
        /// It stands for others that said the same.
        Merged = "merged",
        /// It got another scope.
        Rescoped = "rescoped",
        /// What was missing was filled in: names, tags, a vector.
        Completed = "completed",
        /// What it tells of many was counted anew.
        Renewed = "renewed",
        /// It went up a level.
        Promoted = "promoted",
        /// An attempt that used it succeeded.
        Credited = "credited",
        /// An attempt that used it failed.
        Blamed = "blamed",
        /// Attempts made a hypothesis of the lesson that it is, or tested or demoted it.
        Tested = "tested",
        /// A person pinned or rejected the lesson that it is, or took that back.
        Judged = "judged",
    }
}

/// One memory: a row of the store.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Memory {
    /// Greater than 0, never used again.
    pub id: i64,
    /// 1 to 300 characters.
    pub content: String,
    /// The first 200 characters of `content`.
    pub human_summary: String,
    /// Fact, perception or summary.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Of a perception only.
    pub perception_type: Option<PerceptionType>,
    /// UUID of the episode, or empty.
    pub session_id: String,
    /// Step of the episode, or empty.
    pub turn_id: String,
    /// Namespace that groups memories.
    pub collection: String,
    /// Reach and life.
    pub level: Level,
    /// Who may see it.
    pub scope: Scope,
    /// Kind of statement; `None` for a perception.
    pub category: Option<Category>,
    /// Life cycle class.
    pub mem_type: MemType,
    /// Whether it is recalled.
    pub status: Status,
    /// The row that replaced it, when superseded.
    pub superseded_by: Option<i64>,
    /// The row that it belongs to, one level up: a core row of a knowledge row, a knowledge row of a
    /// working row.
    pub parent_id: Option<i64>,
    /// Who wrote it; empty for the operator.
    pub agent: String,
    /// Where it came from.
    pub source: Source,
    /// How far that is believed.
    pub trust: Trust,
    /// Belief, 0 to 1.
    pub confidence: f64,
    /// Share of `confidence` lost per day without being recalled.
    pub decay_rate: f64,
    /// Worth of keeping, 0 to 1.
    pub importance: f64,
    /// Every category that matched, and further inferred labels.
    pub tags: Vec<String>,
    /// File paths that the content names.
    pub scope_files: Vec<String>,
    /// Identifiers that the content names (robots, parts, topics).
    pub scope_entities: Vec<String>,
    /// JSON object as text, or empty.
    #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
    #[serde(serialize_with = "crate::json::stored")]
    pub context: String,
    /// JSON as text, of a perception only; empty when there is none or it was not asked for.
    #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
    #[serde(serialize_with = "crate::json::stored")]
    pub data: String,
    /// JSON object as text, of a perception only; empty when there is none or it was not asked for.
    #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
    #[serde(serialize_with = "crate::json::stored")]
    pub metadata: String,
    /// How often it was used: answered to a request that it is relevant to.
    pub access_count: u32,
    #[serde(serialize_with = "crate::json::time")]
    pub created_at: Stamp,
    /// When its content or status last changed.
    #[serde(serialize_with = "crate::json::time")]
    pub updated_at: Stamp,
    /// When it was last used.
    #[serde(serialize_with = "crate::json::time")]
    pub last_accessed: Option<Stamp>,
    /// Up to when the days were counted for which confidence faded.
    #[serde(serialize_with = "crate::json::time")]
    pub decayed_until: Option<Stamp>,
    /// When it was last restored: its age counts from then.
    #[serde(serialize_with = "crate::json::time")]
    pub restored_at: Option<Stamp>,
    /// When it came to be known here, of what was imported: its age counts from then.
    #[serde(serialize_with = "crate::json::time")]
    pub known_at: Option<Stamp>,
}

/// How far hearsay is believed, whatever its origin says of it: above what a recall leaves out, below what anybody said
/// here.
pub const HEARSAY_CONFIDENCE: f64 = 0.5;
/// Hearsay has no say in what is worth keeping.
pub const HEARSAY_IMPORTANCE: f64 = 0.5;

impl Memory {
    /// What all that other robots told has in common: a fact without a text, of no time.
    pub fn hearsay() -> Self {
        Self {
            id: 0,
            content: String::new(),
            human_summary: String::new(),
            kind: Kind::Fact,
            perception_type: None,
            session_id: String::new(),
            turn_id: String::new(),
            collection: String::new(),
            level: Level::Knowledge,
            scope: Scope::Fleet,
            category: None,
            mem_type: MemType::Fact,
            status: Status::Active,
            superseded_by: None,
            parent_id: None,
            agent: String::new(),
            source: Source::Fleet,
            trust: Source::Fleet.trust(),
            confidence: HEARSAY_CONFIDENCE,
            decay_rate: 0.0,
            importance: HEARSAY_IMPORTANCE,
            tags: Vec::new(),
            scope_files: Vec::new(),
            scope_entities: Vec::new(),
            context: String::new(),
            data: String::new(),
            metadata: String::new(),
            access_count: 0,
            created_at: Stamp(0),
            updated_at: Stamp(0),
            last_accessed: None,
            decayed_until: None,
            restored_at: None,
            known_at: None,
        }
    }
}

/// Whether a memory of this category and class is a constraint or a lesson.
pub fn is_limit_or_lesson(category: Option<Category>, mem_type: MemType) -> bool {
    category == Some(Category::Constraint) || mem_type == MemType::Lesson
}
