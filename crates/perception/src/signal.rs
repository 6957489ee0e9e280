use robot_memory_core::event::TriggerKind;
use robot_memory_core::model::Stamp;

/// What a trigger says while readings pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Which kind of trigger.
    pub kind: TriggerKind,
    /// Which of several activities at a time of one trigger, as of components; 0 for most.
    pub part: usize,
    /// Whether something begins, ends, or both.
    pub edge: Edge,
    /// When; never later than the reading that made it known.
    pub stamp: Stamp,
    /// What was measured, in a fixed order, the most telling first. Those of an `End` are of the
    /// whole, and stand for those of its `Begin`.
    pub measures: Vec<Measure>,
}

/// Where in an activity a signal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It begins; an `End` of the same trigger follows.
    Begin,
    /// It goes on, and is known better.
    More,
    /// It is over, unless more of it follows: an `End` with the same stamp, or a `More`.
    Rest,
    /// It ends.
    End,
    /// It takes no time.
    Once,
}

/// One thing that was measured about an activity.
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
