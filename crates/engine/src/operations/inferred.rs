//! All that is read out of a statement's words before it is stored.

use robot_memory_core::limits::CONTENT_CHARS_MAX;
use robot_memory_core::model::{Category, Limit, MemType, Memory, Source};
use robot_memory_index::parse_context;
use robot_memory_text::guard::{LimitsError, limits_of};
use robot_memory_text::inference::{self, Frame, Proposition, Statement};
use sha2::{Digest, Sha256};
use std::ops::Deref;

/// The tag of what others said of themselves.
const HEARSAY: &str = "hearsay";

/// A statement and what was read out of it.
pub struct Inferred {
    /// What is read of any description.
    pub described: InferredDescription,
    /// For comparing with other statements.
    pub statement: Statement,
    /// What its words mean, to tell the same fact in other words.
    pub frame: Frame,
    /// What it says of what, for conflicts with other statements.
    pub proposition: Proposition,
    /// Kind of statement.
    pub category: Category,
    /// Life cycle class, where none is given.
    pub mem_type: MemType,
    /// Every category that matched, and whether it holds of one occasion only.
    pub tags: Vec<String>,
    /// The bounds that it sets as a constraint; of any other category none.
    pub limits: Vec<Limit>,
    /// Whether they were given in the context.
    pub has_given_limits: bool,
    /// Of the whole text, when it is longer and the context keeps it.
    pub whole_hash: Option<[u8; 32]>,
}

/// A perception's description and what was read out of it.
pub struct InferredDescription {
    /// 1 to 300 characters.
    pub content: String,
    /// Whether the given text was longer.
    pub truncated: bool,
    /// SHA-256 of `content`.
    pub content_hash: [u8; 32],
    /// For the word index, in order, with repetitions.
    pub tokens: Vec<String>,
    /// File paths that the content names.
    pub scope_files: Vec<String>,
    /// Identifiers that the content names.
    pub scope_entities: Vec<String>,
    /// 0.80 to 0.95.
    pub confidence: f64,
}

impl InferredDescription {
    /// Reads a checked, trimmed text with its context. What tells statements apart is not read:
    /// perceptions are not compared, and come by the thousand.
    pub fn read(text: &str, context: &str) -> Self {
        let (content, truncated) = inference::cut(text, CONTENT_CHARS_MAX);
        Self {
            content: content.to_owned(),
            truncated,
            content_hash: Sha256::digest(content).into(),
            tokens: inference::tokens(content),
            scope_files: inference::scope_files(content),
            scope_entities: inference::scope_entities(content),
            confidence: inference::confidence(content, context),
        }
    }

    /// How many tokens it has.
    pub fn word_count(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }
}

impl Deref for Inferred {
    type Target = InferredDescription;

    fn deref(&self) -> &InferredDescription {
        &self.described
    }
}

impl Inferred {
    /// Reads a checked, trimmed text with its context.
    pub fn read(text: &str, context: &str) -> Self {
        let described = InferredDescription::read(text, context);
        let content = described.content.as_str();
        let classification = inference::classify(content);
        Self {
            statement: Statement::parse(content),
            frame: Frame::parse(content),
            proposition: Proposition::parse(content),
            category: classification.category,
            mem_type: classification.mem_type,
            tags: classification.tags,
            limits: Vec::new(),
            has_given_limits: false,
            whole_hash: whole_hash(content, context),
            described,
        }
    }

    /// Reads the bounds of a constraint. Bounds in the context make the statement one, whatever its words
    /// are like; so do words that show no category and set a bound, also one that holds only under a
    /// condition and is not read, or that forbid something.
    ///
    /// # Errors
    /// When the bounds in the context are not well formed.
    pub fn with_limits(mut self, context: &str) -> Result<Self, LimitsError> {
        let (limits, is_given) = limits_of(&self.content, &parse_context(context))?;
        let is_lasting = self.mem_type != MemType::TaskLog;
        let sets_a_bound = || !limits.is_empty() || inference::may_set_a_bound(&self.content);
        let is_plain = self.category == Category::Code && is_lasting && sets_a_bound();
        let forbids = [Category::Code, Category::Worldview].contains(&self.category)
            && is_lasting
            && inference::Prohibition::parse(&self.content).is_order();
        if (is_given || is_plain || forbids) && self.category != Category::Constraint {
            self.category = Category::Constraint;
            self.mem_type = Category::Constraint.mem_type();
            self.tags.retain(|tag| tag != Category::Code.as_str());
            self.tags.insert(0, Category::Constraint.as_str().to_owned());
        }
        if self.category == Category::Constraint {
            self.limits = limits;
        }
        self.has_given_limits = is_given;
        Ok(self)
    }

    /// What others say of themselves, in a group or on a page, is no preference and no fact of those whom
    /// the robot knows: it is kept as what was said once. A rule, a lesson or a decision stays one.
    pub fn said_by(mut self, source: Source) -> Self {
        let is_of_others = matches!(source, Source::GroupChat | Source::WebScrape);
        let is_wish = |it: Category| matches!(it, Category::Preference | Category::Worldview);
        let passes = is_wish(self.category)
            || matches!(self.category, Category::Code | Category::Observation);
        if is_of_others && passes && inference::is_of_speaker(&self.content) {
            if is_wish(self.category) {
                self.tags.retain(|tag| !Category::parse(tag).is_some_and(is_wish));
                self.category = Category::Observation;
                self.tags.insert(0, Category::Observation.as_str().to_owned());
            }
            self.mem_type = MemType::TaskLog;
            self.tags.push(HEARSAY.to_owned());
        }
        self
    }

    /// Equal for statements that may be the same.
    pub fn key(&self) -> u64 {
        self.statement.key()
    }
}

/// SHA-256 of a text that was cut to some content, when the context keeps the whole of it as `text`.
pub fn whole_hash(content: &str, context: &str) -> Option<[u8; 32]> {
    if !context.contains("\"text\"") {
        return None;
    }
    let context = parse_context(context);
    let text = context.get("text")?.as_str()?.trim();
    let is_cut = text.starts_with(content) && text.chars().count() > CONTENT_CHARS_MAX;
    is_cut.then(|| Sha256::digest(text).into())
}

/// The bounds that a stored memory sets: none when it is no constraint, or when they cannot be read.
pub fn limits_of_row(memory: &Memory) -> Vec<Limit> {
    if memory.category != Some(Category::Constraint) {
        return Vec::new();
    }
    limits_of(&memory.content, &parse_context(&memory.context))
        .map_or(Vec::new(), |(limits, _)| limits)
}

/// SHA-256 of what a request says, to tell it from another under the same idempotency key; nothing is
/// hashed when it has none.
pub fn request_hash(key: &str, request: &impl serde::Serialize) -> [u8; 32] {
    if key.is_empty() {
        return [0; 32];
    }
    let text = serde_json::to_string(request).unwrap_or_default();
    Sha256::digest(text).into()
}
