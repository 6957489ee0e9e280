use super::{Nearness, operation};
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Let a person's word on a lesson stand, whatever attempts say.
    JudgeLesson, "judge_lesson", JudgeLessonRequest => JudgeLessonResponse
);

request! {
    /// What a person says of a lesson.
    pub struct JudgeLessonRequest {
        /// The memory that it is, from Brief or Recall.
        pub lesson_id: i64,
        /// Spelling of a [`LessonJudgment`]; empty: let attempts decide again.
        pub judgment: String as lookup,
        /// Why; at most 300 characters.
        pub reason: String as text,
        /// Who says it; empty for the operator.
        pub agent: String as text,
    }
}

text_enum! {
    /// What a person says of a lesson.
    LessonJudgment {
        /// It holds.
        Pinned = "pinned",
        /// It does not.
        Rejected = "rejected",
    }
}

record! {
    /// The lesson as it stands now.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct JudgeLessonResponse {
        /// The memory that it is.
        pub lesson_id: i64,
        /// By the attempts alone.
        pub state: LessonState,
        /// By a person; `None`: nobody judged it.
        pub judgment: Option<LessonJudgment>,
    }
}

text_enum! {
    /// Where attempts fail.
    Side {
        /// Above the bound.
        Above = "above",
        /// Below it.
        Below = "below",
    }
}

text_enum! {
    /// How far attempts bear a lesson out.
    LessonState {
        /// It was read out of attempts, and not yet tested enough by later ones.
        Hypothesis = "hypothesis",
        /// What was tried after it was read bears it out: the lower end of the 95 % Wilson interval of the newest
        /// 20 tests lies above the share that a guess without it would have met.
        Tested = "tested",
        /// What was tried later contradicts it.
        Demoted = "demoted",
    }
}

record! {
    /// A bound beyond which attempts fail.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Lesson {
        /// The memory that it is; 0 when it is of a kind, or is not stored yet.
        pub lesson_id: i64,
        /// Of which attempts it was read: those on the object, or on all of its kind.
        pub nearness: Nearness,
        /// How far attempts bear it out.
        pub state: LessonState,
        /// What a person says of it; `None`: nothing.
        pub judgment: Option<LessonJudgment>,
        /// In the context, as `params.force`.
        pub path: String,
        /// Empty when there is none.
        pub unit: String,
        /// Where attempts fail.
        pub side: Side,
        /// Midway between the nearest attempts on its two sides.
        pub bound: f64,
        /// From here to the bound they worked, for the most part: a quartile of the successes.
        pub works_from: f64,
        /// Attempts beyond the bound that failed, of the newest 60,
        pub beyond_failure_count: u64,
        /// of so many.
        pub beyond_count: u64,
        /// Attempts from `works_from` to the bound that failed,
        pub within_failure_count: u64,
        /// of so many.
        pub within_count: u64,
        /// Attempts that were made after it was read and bear it out, of the newest 20,
        pub confirmed_count: u64,
        /// and those that do not.
        pub refuted_count: u64,
        /// When it became what it is.
        #[serde(serialize_with = "crate::json::time")]
        pub state_at: Stamp,
        /// The newest that failed beyond it, 20 at most.
        pub failure_ids: Vec<i64>,
        /// The newest that worked within it, 20 at most.
        pub success_ids: Vec<i64>,
        /// In one sentence, English.
        pub sentence_en: String,
        /// In one sentence, Chinese.
        pub sentence_zh: String,
    }
}

record! {
    /// From when on something else works.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct ChangePoint {
        /// In the context, as `params.force`.
        pub path: String,
        /// Empty when there is none.
        pub unit: String,
        /// The first attempt after it.
        pub attempt_id: i64,
        /// When that was made.
        #[serde(serialize_with = "crate::json::time")]
        pub at: Stamp,
        /// Least, lower quartile, median, upper quartile, greatest that worked before; empty: none did.
        pub before_range: Vec<f64>,
        /// The same since then.
        pub after_range: Vec<f64>,
        /// In one sentence, English.
        pub sentence_en: String,
        /// In one sentence, Chinese.
        pub sentence_zh: String,
    }
}

record! {
    /// Steps that were tried in this order.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct Procedure {
        /// Of which attempts it is: those on the object, or on all of its kind.
        pub nearness: Nearness,
        /// JSON array of steps, as of the newest that succeeded: `name`, and perhaps `params`, `anchor`, `pose`
        /// (relative to the anchor), `duration_secs`, `verdict`.
        pub steps: String,
        /// Attempts with these steps that succeeded.
        pub success_count: u64,
        /// Attempts with these steps that failed.
        pub failure_count: u64,
        /// 95 % Wilson interval of the share of success: low, high.
        pub success_rate_interval: Vec<f64>,
        /// When it succeeded last.
        #[serde(serialize_with = "crate::json::time")]
        pub newest_at: Stamp,
        /// The newest that succeeded, 20 at most.
        pub success_ids: Vec<i64>,
        /// The newest that failed, 20 at most.
        pub failure_ids: Vec<i64>,
    }
}

record! {
    /// Two memories about this that cannot both hold, and neither of which yields.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct Contradiction {
        /// The older one.
        pub memory_id: i64,
        /// What it says.
        pub content: String,
        /// The newer one.
        pub other_id: i64,
        /// What that says.
        pub other_content: String,
        /// Why no rule settles which holds.
        pub reason: String,
    }
}
