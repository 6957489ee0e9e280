use crate::model::{Memory, Stamp, text_enum};
use crate::record::record;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// A memory in an answer, with its place there.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hit {
    #[serde(flatten)]
    pub memory: Memory,
    /// 1.0 for the best of the answer; 0 when the answer is not ranked by a query.
    pub score: f64,
    /// Near-identical hits that are not shown beside it.
    pub similar_count: u32,
    /// Euclidean distance to the spatial sort's target, in the field's unit.
    pub spatial_distance: Option<f64>,
    /// Whether its place is in the map that the robot is in; `None` when it has no place, or that map is not
    /// known.
    pub map_relation: Option<MapRelation>,
    /// What was stored just before it in the same session; empty when nothing was.
    pub context_before: String,
    /// What was stored just after it in the same session; empty when nothing was.
    pub context_after: String,
    /// Memories that contradict it, of those that the caller may see; no rule settles which holds.
    pub conflicts_with: Vec<i64>,
    /// Why it stands where it does.
    pub why: Why,
}

impl Hit {
    /// A memory of which nothing stands beside it.
    pub fn alone(memory: Memory, score: f64, why: Why) -> Self {
        Self {
            memory,
            score,
            similar_count: 0,
            spatial_distance: None,
            map_relation: None,
            context_before: String::new(),
            context_after: String::new(),
            conflicts_with: Vec::new(),
            why,
        }
    }
}

text_enum! {
    /// Whether a place is in the map that the robot is in. Places of different maps have nothing to do with
    /// each other.
    MapRelation {
        /// In the same.
        Same = "same_map",
        /// In another.
        Other = "other_map",
        /// Its map is not known.
        Unknown = "unknown_map",
    }
}

record! {
    /// Why a memory stands where it does in an answer.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    pub struct Why {
        /// Place in the word list, 1 = best; 0 = not in it.
        pub word_rank: u32,
        /// Place in the vector list, 1 = best; 0 = not in it.
        pub vector_rank: u32,
        /// Place in the list of pictures, 1 = best; 0 = not in it.
        pub picture_rank: u32,
        /// BM25 score; 0 when not in the word list.
        pub word_score: f64,
        /// Cosine of the two embeddings, when both sides have one.
        pub similarity: Option<f64> as flagged has_similarity,
        /// Cosine of the query and the memory's picture, both by the image model.
        pub picture_similarity: Option<f64> as flagged has_picture_similarity,
        /// Share of the query's words that it has, rarer words weighing more; 0 to 1.
        pub coverage: f64,
        /// The highest of a list is the estimated probability that one of its ten best answers the query; the others are lower,
        /// the smaller the share of the list's odds from them on: 0 to 1, comparable between stores. 0 where no query ranked it.
        pub relevance: f64,
        /// What the default ranking ranks by, in the unit of a cosine: the similarity, the three gains,
        /// those of the two weights, and those of a picture that shows and of an event that is what is asked
        /// for; 0 in another ranking.
        pub evidence: f64,
        /// For the words that it shares with the query.
        pub word_gain: f64,
        /// For the query's numbers and part numbers that it has.
        pub code_gain: f64,
        /// For what was stored beside it in the same session: up to two before it and two after it.
        pub neighbor_gain: f64,
        /// 1.5 for data of the real robot, else 1.0.
        pub source_weight: f64,
        /// Below 1.0 for rows of low trust.
        pub trust_weight: f64,
        /// The query's tokens that were found in the memory.
        pub matched_words: Vec<String>,
        /// Robots that told it, in order of name; empty for what this robot knows itself.
        pub told_by: Vec<String>,
        /// When one of them told it last, by its clock.
        #[serde(serialize_with = "crate::json::time")]
        pub told_at: Option<Stamp>,
        /// Of these, how many tell it of their own experience; the others repeat it.
        pub independent_count: u32,
        /// What of the robots that told it is not as here and may not hold here: `gripper: rg2 there, rg6 here`.
        pub transfer: Vec<String>,
        /// Robots whose own attempts bear it out, in order of name, 16 at most; this one may be among them.
        pub confirmed_by: Vec<String>,
        /// The same of robots whose own attempts refute it.
        pub contradicted_by: Vec<String>,
        /// Whether the memory of the site has it, and this robot does not: its id is 0, its score 0, and it cannot be asked for
        /// by name here.
        pub from_site: bool,
        /// How far it felt from what a recall by example asked for; 0: the same.
        pub signature_distance: Option<f64> as flagged has_signature_distance,
    }
}

record! {
    /// How many of a key there are.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    pub struct KeyCount {
        pub key: String,
        pub count: u64,
    }
}

/// An object with a member for each key.
pub(super) fn counts<S: Serializer>(of: &[KeyCount], serializer: S) -> Result<S::Ok, S::Error> {
    let counts: BTreeMap<&str, u64> =
        of.iter().map(|KeyCount { key, count }| (key.as_str(), *count)).collect();
    counts.serialize(serializer)
}
