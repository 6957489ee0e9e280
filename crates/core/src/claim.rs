//! What one robot of a fleet tells the others of one of its memories: claims, not rows.

use crate::model::{Category, Kind, MemType, Stamp, Trust, text_enum};
use serde::{Deserialize, Serialize};

/// The version that this program writes, the first field of every claim.
pub const CLAIM_VERSION: &str = "memory.claim.v1";

text_enum! {
    /// What a claim does.
    ClaimOp {
        /// The origin remembers this.
        Assert = "assert",
        /// The origin remembers this in the place of what it said before of the same memory.
        Revise = "revise",
        /// The origin saw the target, a memory of another robot, borne out by its own attempts.
        Confirm = "confirm",
        /// The origin saw the target, a memory of another robot, refuted by its own attempts.
        Contradict = "contradict",
        /// The origin no longer says this: it was deleted, withdrawn, replaced or is not shared any more.
        Retract = "retract",
        /// Every robot deletes what the selector names, and what rests on it.
        Revoke = "revoke",
        /// What a robot deleted for a revocation.
        Receipt = "receipt",
    }
}

text_enum! {
    /// What a robot takes of what the others tell.
    Takes {
        /// All.
        All = "all",
        /// All, and of perceptions the words alone.
        AllButPictures = "all_but_pictures",
        /// Constraints and lessons. The rest can be asked of the memory of the site.
        LimitsAndLessons = "limits_and_lessons",
    }
}

text_enum! {
    /// What attempts of a robot say of a memory of another one.
    Ruling {
        /// They bear it out.
        Confirmed = "confirmed",
        /// They refute it.
        Contradicted = "contradicted",
    }
}

/// A memory of a robot of the fleet, by the name of the robot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryRef {
    /// Its robot.
    pub origin: String,
    /// Its id there.
    pub memory_id: i64,
}

/// A claim of the version [`CLAIM_VERSION`], before it is signed. `(origin, memory_id, revision)` is its identity.
/// Times are texts, since a number of JSON does not hold nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// [`CLAIM_VERSION`].
    pub version: String,
    /// Whose claim it is.
    pub origin: String,
    /// The memory there; of a revocation or a receipt its own number.
    pub memory_id: i64,
    /// Rises with each change of that memory. Only the newest that is known holds.
    pub revision: u64,
    /// What it does.
    pub op: ClaimOp,
    /// When it was told, by the clock there.
    #[serde(serialize_with = "crate::json::time")]
    pub stamp: Stamp,
    /// The robot that it was learned on.
    pub body: Body,
    /// Of `assert` and `revise`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub statement: Option<Statement>,
    /// Of `confirm` and `contradict` the memory, of `receipt` the revocation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<MemoryRef>,
    /// Of `revoke`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub selector: Option<Selector>,
    /// Of `receipt`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removed: Option<Removed>,
}

/// The robot that something was learned on: what of it another robot cannot take over as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its type, as `ur5e`; empty when it is not configured.
    pub robot_type: String,
    /// Its gripper, as `rg2`; empty when it is not configured.
    pub gripper: String,
}

/// What is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Its scope there, `global` or `group:<id>`.
    pub scope: String,
    /// Its collection there.
    pub collection: String,
    /// Its type there.
    pub kind: Kind,
    /// Its life cycle class.
    pub mem_type: MemType,
    /// Of a fact only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub category: Option<Category>,
    /// How far its source is believed there. Says nothing of how far it is believed elsewhere.
    pub trust: Trust,
    /// How far it is believed there, 0 to 1. Says nothing of how far it is believed elsewhere.
    pub confidence: f64,
    /// When it was stored there.
    #[serde(serialize_with = "crate::json::time")]
    pub created_at: Stamp,
    /// Its session there, or empty.
    pub session_id: String,
    /// The stream of the sensor that it came from, or empty.
    pub stream: String,
    /// Its text.
    pub content: String,
    /// JSON object as text, or empty.
    pub context: String,
    /// The map in which its place is, or empty.
    pub map_id: String,
    /// The frame in which its place is, or empty.
    pub frame: String,
    /// What it goes back to in the end: itself, or the experience that it was derived from. One root is one
    /// experience, however many claims rest on it.
    pub roots: Vec<MemoryRef>,
    /// What it was directly derived from, when that is other memories.
    pub derived_from: Vec<MemoryRef>,
    /// Of its text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vector: Option<ClaimVector>,
    /// What a perception saw: a small JPEG. As JSON base64.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "base64_picture")]
    pub picture: Option<Vec<u8>>,
}

/// The direction of a vector in eight bits for each component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimVector {
    /// The id of the model. Vectors of two models are never compared.
    pub model: String,
    /// The components, so that the greatest is 127 or -127, rounded; as JSON base64 of one signed byte each.
    #[serde(with = "base64_bytes")]
    pub int8: Vec<i8>,
}

impl Statement {
    /// What kind of statement it is to others: what its origin says, or what is inferred. What a robot perceived or summed up
    /// sets no limit to others.
    pub fn category_or(&self, inferred: Category) -> Category {
        match (self.category, inferred) {
            (Some(told), _) => told,
            (None, Category::Constraint) => Category::Observation,
            (None, inferred) => inferred,
        }
    }
}

/// The greatest component of a vector in eight bits.
const INT8_MAX: f32 = 127.0;

impl ClaimVector {
    /// The direction of a vector.
    pub fn of(model: &str, components: &[f32]) -> Self {
        // Of thousands of components none is near 1: times 127 alone they would be a few small integers.
        let greatest = components.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        let scaled = components.iter().map(|it| it / greatest * INT8_MAX);
        let int8 = scaled.map(|it| it.round() as i8).collect();
        Self { model: model.to_owned(), int8 }
    }

    /// Its components, of length 1; `None` when all are zero.
    pub fn components(&self) -> Option<Vec<f32>> {
        let length = self.int8.iter().map(|it| f32::from(*it).powi(2)).sum::<f32>().sqrt();
        (length > 0.0).then(|| self.int8.iter().map(|it| f32::from(*it) / length).collect())
    }
}

mod base64_bytes {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(int8: &[i8], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = int8.iter().map(|it| it.cast_unsigned()).collect();
        STANDARD.encode(bytes).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i8>, D::Error> {
        Ok(decoded(deserializer)?.into_iter().map(u8::cast_signed).collect())
    }

    pub fn decoded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map_err(D::Error::custom)
    }
}

mod base64_picture {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(
        picture: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        picture.as_ref().map(|bytes| STANDARD.encode(bytes)).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        super::base64_bytes::decoded(deserializer).map(Some)
    }
}

/// What is to be deleted on every robot. Every field that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Experience of this robot.
    pub origin: String,
    /// One memory of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_id: Option<i64>,
    /// What was stored in this session of it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub session_id: String,
    /// What came from this stream of it.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub stream: String,
    /// What was stored at this time or later, by the clock there.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "crate::json::time",
        default
    )]
    pub since: Option<Stamp>,
    /// What was stored before this time, by the clock there.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "crate::json::time",
        default
    )]
    pub until: Option<Stamp>,
    /// Why, for the audit.
    pub reason: String,
}

/// What one robot did for a revocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removed {
    /// Memories that were deleted.
    pub deleted_count: u64,
    /// Memories that rested on these and were made again without them.
    pub rewritten_count: u64,
}

impl Claim {
    /// What JetStream knows it by (`Nats-Msg-Id`): the same claim, sent again, is one message.
    pub fn message_id(&self) -> String {
        let Self { origin, memory_id, revision, .. } = self;
        match (self.op, &self.target) {
            (ClaimOp::Revoke, _) => format!("{origin}:revoke:{memory_id}"),
            (ClaimOp::Receipt, Some(of)) => {
                format!("{origin}:receipt:{}:{}", of.origin, of.memory_id)
            }
            _ => format!("{origin}:{memory_id}:{revision}"),
        }
    }
}
