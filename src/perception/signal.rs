use crate::model::{Stamp, text_enum};

text_enum! {
    /// What makes an event.
    TriggerKind {
        /// A touch: from the force's rise to its release.
        Contact = "contact",
        /// A force that rises faster than by handling.
        Impact = "impact",
        /// Something held that moves in the grip.
        Slip = "slip",
        /// A boolean that changes, as a protective stop.
        Edge = "edge",
        /// A text that changes.
        Change = "change",
        /// Joints that move: from start to stop.
        Motion = "motion",
        /// A change against the stream's own recent statistics.
        Novelty = "novelty",
        /// A picture that differs from the last one kept.
        Keyframe = "keyframe",
        /// Time that has passed.
        Periodic = "periodic",
        /// Somebody asked for it.
        Capture = "capture",
    }
}

/// What a trigger says while readings pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Which kind of trigger.
    pub kind: TriggerKind,
    /// Whether something begins, ends, or both.
    pub edge: Edge,
    /// When; never later than the reading that made it known.
    pub stamp: Stamp,
    /// What was measured, in a fixed order, the most telling first. Those of an `End` are of the
    /// whole, and stand for those of its `Begin`.
    pub measures: Vec<Measure>,
}

/// Where in a happening a signal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It begins; an `End` of the same trigger follows.
    Begin,
    /// It ends.
    End,
    /// It takes no time.
    Once,
}

/// One thing that was measured about a happening.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What: `peak`, `mean`, `rise_rate`, `distance`, `from`, `to` ...
    pub name: &'static str,
    /// The number; NaN when it is a text.
    pub value: f64,
    /// Its unit, empty when it has none.
    pub unit: String,
    /// The channel or joint it was measured on, or a text that was read; may be empty.
    pub of: String,
    /// When, if it is of one moment.
    pub stamp: Option<Stamp>,
}
