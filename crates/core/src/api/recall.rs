use super::{Hit, KeyCount, operation};
use crate::model::{Stamp, text_enum};
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Find the memories that matter.
    Recall, "recall", RecallRequest => RecallResponse
);

request! {
    /// What is looked for. A query, a spatial sort or a filter must be given.
    pub struct RecallRequest {
        /// Natural language.
        pub query: String as lookup,
        /// Empty: the default collection.
        pub collection: String as lookup,
        /// 1 to 100.
        pub n: u32 = 5,
        /// 0 to 1.
        pub min_confidence: f64 = 0.3,
        /// Only memories of this session.
        pub session_id: String as lookup,
        /// JSON object of conditions on the context.
        pub context_filter: String as lookup,
        /// Nearest first.
        pub spatial_sort: Option<SpatialSort>,
        /// Spellings of [`Level`](crate::model::Level)s; none: all.
        pub levels: Vec<String> as lookup,
        /// Spellings of [`Kind`](crate::model::Kind)s; none: all.
        pub types: Vec<String> as lookup,
        /// Instead of `collection`; `*`: all.
        pub collections: Vec<String> as lookup,
        /// Empty: the default scope.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
        /// -1 to 1; 0: no limit.
        pub min_similarity: f64,
        /// 0 to 1; 0: no limit.
        pub min_relevance: f64,
        /// Of near-identical hits show one.
        pub diversity: bool = true,
        /// Only memories created at or after.
        pub since: Option<Stamp>,
        /// Only memories created before.
        pub until: Option<Stamp>,
        /// Spelling of an [`Order`].
        pub order: String as lookup,
        /// The anchor: only what was made around the time of this memory; 0: not asked for.
        pub around_memory_id: i64,
        /// Instead: JSON object of conditions on the context; the anchor is the newest memory that meets them.
        pub anchor_filter: String as lookup,
        /// The nth newest of those.
        pub anchor_nth: u32 = 1,
        /// Only so many memories before the anchor; 0: no limit by number.
        pub before_count: u32,
        /// And after it.
        pub after_count: u32,
        /// Only memories made within so long before the anchor; 0: no limit by time.
        pub before_secs: f64,
        /// And after it.
        pub after_secs: f64,
        /// Spelling of a [`CountBy`]: with an order only the `nth` of each group.
        pub group_by: String as lookup,
        /// Which of each group, or of all; 0: the first of each group, or all.
        pub nth: u32,
        /// Read explicit phrases of order and time in the query.
        pub read_phrases: bool = true,
        /// What felt like this memory, nearest first; 0: not asked for. Instead of a query and a spatial
        /// sort.
        pub like_memory_id: i64,
        /// What felt like a window: spelling of a
        /// [`LayoutKind`](crate::event::LayoutKind); empty: not asked for.
        pub window_name: String as lookup,
        /// Its samples, all channels of one time after another.
        pub window: Vec<f64>,
        /// Channels in a sample; 0: six for `wrench` and `imu`, else one.
        pub window_channels: u32,
        /// Samples a second; 0: not known.
        pub window_rate_hz: f64,
        /// Only rows whose `context.spatial.frame` is this.
        pub frame: String as lookup,
        /// Only rows whose `context.spatial.map_id` is this.
        pub map_id: String as lookup,
        /// Spelling of a [`CountBy`]: fill `counts` of the answer.
        pub count_by: String as lookup,
        /// The days and hours of `count_by` and `group_by` are those of this offset from UTC, -14 to 14 hours.
        pub utc_offset_secs: i32,
        /// Spelling of a [`Ranking`].
        pub ranking: String as lookup,
        /// Compare with every vector on disk, not with the index in memory.
        pub exact: bool,
        /// Fill `data` and `metadata` of perceptions.
        pub include_data: bool,
        /// Also ask the memory of the site, which has what all robots of the fleet told.
        pub include_site: bool,
        /// Fill `plan` of the answer.
        pub explain: bool,
    }
}

/// Nearest first by Euclidean distance, in the field's unit (REP-103: metres, radians).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SpatialSort {
    /// Dotted path into the context to an array of numbers.
    pub field: String,
    /// The reference point; rows of another dimension are left out.
    pub target: Vec<f64>,
    /// Rows farther than this are left out; 0: no limit.
    pub max_distance: f64,
    /// The frame of the target. Rows in another `context.spatial.frame` are compared with the target
    /// transformed into it, or left out. Empty: numbers are compared as they are.
    #[serde(default)]
    pub frame: String,
    /// Dotted path into the context to the standard deviation of the position, per axis. Then distances
    /// are root mean square ones: `sqrt(d² + n s²)` for n coordinates, s = 0 where a row has none. Empty:
    /// distances between the positions as stored.
    #[serde(default)]
    pub std_dev_field: String,
}

text_enum! {
    /// In which order rows are answered when it shall not be the best first.
    Order {
        /// Newest first.
        Newest = "newest",
        /// Oldest first.
        Oldest = "oldest",
    }
}

text_enum! {
    /// What the matching rows are counted by.
    CountBy {
        /// The hour in which they were made.
        Hour = "hour",
        /// The day on which they were made.
        Day = "day",
        /// The session in which they were made.
        Session = "session",
        /// The topic that their event came from (`event.topic` of the context).
        Topic = "topic",
        /// The joint or channel that their event was on (`event.on` of the context): of a motion the joint that moved most.
        On = "on",
    }
}

text_enum! {
    /// How the word list and the vector list become one.
    Ranking {
        /// The best there is.
        Best = "default",
        /// Plain reciprocal rank fusion with k = 60.
        Rrf = "rrf",
    }
}

text_enum! {
    /// What became of the question to the memory of the site.
    SiteState {
        /// Its memories are among those of the answer, where they are good enough.
        Answered = "answered",
        /// It did not answer in time: the answer is that of this robot alone, as in what follows.
        Late = "late",
        /// It cannot be reached.
        Unreachable = "unreachable",
        /// It said why it does not answer, or the answer could not be read.
        Failed = "failed",
        /// It was not asked: the caller may not read what the fleet told, or the query was read as a question about order
        /// and time.
        Skipped = "skipped",
    }
}

text_enum! {
    /// What an answer was made from.
    Mode {
        /// Words and vectors.
        Hybrid = "hybrid",
        /// Words: there is no embedder, or no vector matched.
        Bm25Only = "bm25_only",
        /// Vectors: no word matched.
        VecOnly = "vec_only",
        /// No query, sorted by distance.
        SpatialOnly = "spatial_only",
        /// No query, filtered.
        FilterOnly = "filter_only",
        /// No query, sorted by how much it felt alike.
        Signature = "signature",
    }
}

record! {
    /// What was found.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct RecallResponse {
        /// Best first.
        pub memories: Vec<Hit>,
        /// Rows that match before `n` cuts; with a query: rows in either list, and those that are ranked
        /// because they stand beside one of the best.
        pub total: u64,
        /// What the answer was made from.
        pub mode: Mode,
        /// Whether the vector list may have missed some.
        pub approximate: bool,
        /// Rows that match, by what was asked for, oldest first. Their sum is `total`.
        pub counts: Vec<KeyCount>,
        /// The memory around whose time was searched; 0: none.
        pub anchor_memory_id: i64,
        /// JSON object of the fields of the request that were read in the query; empty: none.
        pub understood: String,
        /// Collections that were not looked into and have a hit that the query fits better than all of these,
        /// the best first.
        pub better_collections: Vec<String>,
        /// Of a spatial sort: rows that match and are left out since they are in another map than the robot.
        pub other_map_count: u64,
        /// Of a spatial sort with a frame: frames of rows that are left out since no transform leads to them;
        /// an empty one stands for rows without a frame.
        pub unresolved_frames: Vec<String>,
        /// What became of the question to the site; `None`: it was not to be asked.
        pub site: Option<SiteState>,
        /// Why the site did not answer, for a person to read.
        pub site_fault: String,
        /// Time in the engine, embedding the query and waiting for the site included.
        pub query_ms: f64,
        /// What was done and how long each part took, for a person to read, when asked for.
        pub plan: String,
    }
}
