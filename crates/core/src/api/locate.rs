use super::{KeyCount, operation};
use crate::model::{ObjectState, Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Say where things of a name are.
    Locate, "locate", LocateRequest => LocateResponse
);

request! {
    /// What is looked for.
    pub struct LocateRequest {
        /// What, in words, English or Chinese; empty: everything.
        pub what: String as lookup,
        /// Near what: x, y and perhaps z in metres; empty: anywhere.
        pub position_m: Vec<f64>,
        /// Frame of `position_m`, and of the places that can be used; empty: any.
        pub frame: String as lookup,
        /// From `position_m` at most, in metres; 0: no limit.
        pub distance_m_max: f64,
        /// Only what was seen at or after.
        pub since: Option<Stamp>,
        /// The map in which the robot is now; empty: as configured.
        pub map_id: String as lookup,
        /// Places in the answer at most, 1 to 100.
        pub n: u32 = 10,
        /// Whether pictures are wanted.
        pub include_thumbnails: bool,
        /// Where to look, as of Recall.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

text_enum! {
    /// How far a thing is what is looked for.
    NameMatch {
        /// By its name, in either language.
        Same = "same",
        /// It is a kind of that.
        Kind = "kind",
        /// That may be a kind of it.
        Broader = "broader",
        /// It was called so less often than otherwise.
        Seldom = "seldom",
        /// People may call both by one name.
        Alike = "alike",
    }
}

record! {
    /// A thing, and where it was seen last.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct ObjectPlace {
        /// The same thing has the same one.
        pub object_id: i64,
        /// What it was called most.
        pub label: String,
        /// What it was called, with the sums of the scores.
        #[cfg_attr(feature = "schema", schema(value_type = std::collections::BTreeMap<String, u64>))]
        #[serde(serialize_with = "super::hit::counts")]
        pub labels: Vec<KeyCount>,
        /// How far it is what is looked for.
        pub name_match: NameMatch,
        /// Whether it is there, as far as is known.
        pub state: ObjectState,
        /// x, y, z in `frame`, in metres; when `is_seen_from`, where the robot was.
        pub position_m: Vec<f64>,
        /// Quaternion x, y, z, w; empty: not known.
        pub orientation: Vec<f64>,
        /// The fixed frame.
        pub frame: String,
        /// The map; empty: not said.
        pub map_id: String,
        /// Standard deviation of the position along each axis, in metres.
        pub sigma_m: f64,
        /// Whether only is known from where it was seen.
        pub is_seen_from: bool,
        /// Whether it is in another map or frame than the robot: its place cannot be used.
        pub is_elsewhere: bool,
        /// Where the robot was when it saw it last: x, y, z in `frame`.
        pub robot_position_m: Vec<f64>,
        /// When it was first seen.
        #[serde(serialize_with = "crate::json::time")]
        pub first_seen: Stamp,
        /// When it was last seen.
        #[serde(serialize_with = "crate::json::time")]
        pub last_seen: Stamp,
        /// Seconds since then.
        pub age_secs: f64,
        /// When its place was last looked at so that it would have been seen.
        #[serde(serialize_with = "crate::json::time")]
        pub looked_at: Stamp,
        /// How often it was seen.
        pub count: u64,
        /// Probability that it is there and called so, less with its age.
        pub confidence: f64,
        /// How far it is from `position_m`, in metres.
        pub distance_m: Option<f64> as flagged has_distance,
        /// When it was seen at another place than before; `None`: never.
        #[serde(serialize_with = "crate::json::time")]
        pub moved_at: Option<Stamp>,
        /// Where it had been then: x, y, z in `frame`; empty: it did not move.
        pub moved_from_m: Vec<f64>,
        /// The topic that it was seen on.
        pub topic: String,
        /// A JPEG; empty: none.
        #[cfg_attr(feature = "schema", schema(value_type = String, format = Byte))]
        #[serde(serialize_with = "crate::json::base64")]
        pub thumbnail: Vec<u8>,
    }
}

record! {
    /// Where such things are.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct LocateResponse {
        /// Whether any such thing is known, in whatever map.
        pub is_known: bool,
        /// Whether it is known in which map the robot is.
        pub is_map_known: bool,
        /// The best first; those that are elsewhere last.
        pub places: Vec<ObjectPlace>,
        /// How many there are in all.
        pub total: u64,
        /// In one sentence, English.
        pub sentence_en: String,
        /// In one sentence, Chinese.
        pub sentence_zh: String,
        /// Time in the engine.
        pub query_ms: f64,
    }
}
