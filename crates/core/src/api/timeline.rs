use super::operation;
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Say what happened, in order of time.
    Timeline, "timeline", TimelineRequest => TimelineResponse
);

request! {
    /// Of what, and which page.
    pub struct TimelineRequest {
        /// Only what happened at or after.
        pub since: Option<Stamp>,
        /// Only what happened before.
        pub until: Option<Stamp>,
        /// Only this session and what is of it; empty: all.
        pub session_id: String as lookup,
        /// Empty: the default one.
        pub collection: String as lookup,
        /// Instead of `collection`; `*` is all of them.
        pub collections: Vec<String> as lookup,
        /// Which memories, as of Recall. Sessions have no scope.
        pub scope: String as lookup,
        /// Spellings of [`TimelineKind`]s; none: all.
        pub kinds: Vec<String> as lookup,
        /// Only events of these triggers; none: all.
        pub triggers: Vec<String> as lookup,
        /// Spelling of an [`Order`](super::Order); empty: oldest.
        pub order: String as lookup,
        /// Entries in the answer at most, 1 to 1000.
        pub n: u32 = 100,
        /// `next_cursor` of the page before; empty: the first page.
        pub cursor: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

text_enum! {
    /// What entries of a timeline are of.
    TimelineKind {
        /// A session: its begin and its end.
        Session = "session",
        /// A fact whose context has `task.outcome`: its begin and, with `task.duration_secs`, its end.
        Attempt = "attempt",
        /// A perception whose context has `event.trigger`.
        Event = "event",
        /// Any other memory.
        Memory = "memory",
    }
}

text_enum! {
    /// What an entry says. Of the same time they stand in this order.
    Happening {
        /// A session began.
        SessionBegin = "session_begin",
        /// An attempt began.
        AttemptBegin = "attempt_begin",
        /// An event began.
        Event = "event",
        /// A memory was made.
        Memory = "memory",
        /// An attempt ended.
        AttemptEnd = "attempt_end",
        /// A session ended.
        SessionEnd = "session_end",
    }
}

record! {
    /// One thing that happened.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct TimelineEntry {
        /// When.
        #[serde(serialize_with = "crate::json::time")]
        pub stamp: Stamp,
        /// What.
        pub what: Happening,
        /// The memory that tells it; 0: it is of a session.
        pub memory_id: i64,
        /// The session, or that of the memory; empty: none.
        pub session_id: String,
        /// Of an event: what it was detected by.
        pub trigger: String,
        /// Seconds from its begin to its end, of what has both; else 0.
        pub duration_secs: f64,
        /// Of what has a task: `task.outcome`, or what `task.success` says; of a session: `open`, `interrupted` or
        /// `ended`; else empty.
        pub outcome: String,
        /// How well it went, 0 to 1, when that was said.
        pub score: Option<f64> as flagged has_score,
        /// The summary of the memory, or what the context of the session says.
        pub text: String,
    }
}

record! {
    /// A page of what happened.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct TimelineResponse {
        /// In the order that was asked for.
        pub entries: Vec<TimelineEntry>,
        /// All that match, on all pages.
        pub total: u64,
        /// `cursor` of the next page; empty: there is none.
        pub next_cursor: String,
    }
}
