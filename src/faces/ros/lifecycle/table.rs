//! The states of a managed node and the transitions between them, as `rcl_lifecycle` registers them: the same
//! numbers, labels and order (design.ros2.org, "Managed nodes").

/// A state; its number is that of `lifecycle_msgs/msg/State`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::faces::ros) enum State {
    Unknown = 0,
    Unconfigured = 1,
    Inactive = 2,
    Active = 3,
    Finalized = 4,
    Configuring = 10,
    CleaningUp = 11,
    ShuttingDown = 12,
    Activating = 13,
    Deactivating = 14,
    ErrorProcessing = 15,
}

use State::{
    Activating, Active, CleaningUp, Configuring, Deactivating, ErrorProcessing, Finalized,
    Inactive, ShuttingDown, Unconfigured, Unknown,
};

impl State {
    pub const ALL: [Self; 11] = [
        Unknown,
        Unconfigured,
        Inactive,
        Active,
        Finalized,
        Configuring,
        CleaningUp,
        ShuttingDown,
        Activating,
        Deactivating,
        ErrorProcessing,
    ];

    /// The number of the state in messages.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// The name of the state in messages.
    pub const fn label(self) -> &'static str {
        match self {
            Unknown => "unknown",
            Unconfigured => "unconfigured",
            Inactive => "inactive",
            Active => "active",
            Finalized => "finalized",
            Configuring => "configuring",
            CleaningUp => "cleaningup",
            ShuttingDown => "shuttingdown",
            Activating => "activating",
            Deactivating => "deactivating",
            ErrorProcessing => "errorprocessing",
        }
    }

    /// Whether the node stays in it until a transition is requested. In the others something is being done.
    pub const fn is_primary(self) -> bool {
        matches!(self, Unknown | Unconfigured | Inactive | Active | Finalized)
    }
}

/// How what a transition does has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::faces::ros) enum Outcome {
    Success,
    Failure,
    Error,
}

impl Outcome {
    const fn label(self) -> &'static str {
        match self {
            Self::Success => "transition_success",
            Self::Failure => "transition_failure",
            Self::Error => "transition_error",
        }
    }
}

/// A step from one state to another.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::faces::ros) struct Transition {
    /// Its number in messages.
    pub id: u8,
    /// Its name in messages; several transitions have the same.
    pub label: &'static str,
    pub start: State,
    pub goal: State,
}

macro_rules! transitions {
    ($($id:literal $label:literal: $start:ident -> $goal:ident;)+) => {
        &[$(Transition { id: $id, label: $label, start: $start, goal: $goal }),+]
    };
}

/// Every transition.
pub(in crate::faces::ros) const TRANSITIONS: &[Transition] = transitions! {
    1 "configure": Unconfigured -> Configuring;
    10 "transition_success": Configuring -> Inactive;
    11 "transition_failure": Configuring -> Unconfigured;
    12 "transition_error": Configuring -> ErrorProcessing;
    2 "cleanup": Inactive -> CleaningUp;
    20 "transition_success": CleaningUp -> Unconfigured;
    21 "transition_failure": CleaningUp -> Inactive;
    22 "transition_error": CleaningUp -> ErrorProcessing;
    3 "activate": Inactive -> Activating;
    30 "transition_success": Activating -> Active;
    31 "transition_failure": Activating -> Inactive;
    32 "transition_error": Activating -> ErrorProcessing;
    4 "deactivate": Active -> Deactivating;
    40 "transition_success": Deactivating -> Inactive;
    41 "transition_failure": Deactivating -> Active;
    42 "transition_error": Deactivating -> ErrorProcessing;
    5 "shutdown": Unconfigured -> ShuttingDown;
    6 "shutdown": Inactive -> ShuttingDown;
    7 "shutdown": Active -> ShuttingDown;
    50 "transition_success": ShuttingDown -> Finalized;
    51 "transition_failure": ShuttingDown -> Finalized;
    52 "transition_error": ShuttingDown -> ErrorProcessing;
    60 "transition_success": ErrorProcessing -> Unconfigured;
    61 "transition_failure": ErrorProcessing -> Finalized;
    62 "transition_error": ErrorProcessing -> Finalized;
};

/// The transitions from a state.
pub(in crate::faces::ros) fn from_state(state: State) -> impl Iterator<Item = &'static Transition> {
    TRANSITIONS.iter().filter(move |transition| transition.start == state)
}

/// The transition that a request means; `None` when there is none from this state that can be requested. A
/// label wins over the number, since callers that give the label leave the number zero.
pub(super) fn requested(state: State, id: u8, label: &str) -> Option<&'static Transition> {
    let means = |it: &&Transition| if label.is_empty() { it.id == id } else { it.label == label };
    from_state(state).find(means).filter(|_| state.is_primary())
}

/// The transition by which what is being done in a state ends; `None` in a state in which nothing is done.
pub(super) fn ending(state: State, outcome: Outcome) -> Option<&'static Transition> {
    from_state(state).find(|it| it.label == outcome.label())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_wins_over_a_number_and_only_what_is_possible_can_be_requested() {
        let asked = |state, id, label| requested(state, id, label).map(|it| (it.id, it.goal));
        assert_eq!(asked(Unconfigured, 1, ""), Some((1, Configuring)));
        assert_eq!(asked(Unconfigured, 3, "configure"), Some((1, Configuring)));
        assert_eq!(asked(Inactive, 0, "shutdown"), Some((6, ShuttingDown)));
        assert_eq!(asked(Active, 0, "shutdown"), Some((7, ShuttingDown)));
        for (state, id, label) in [
            (Unconfigured, 3, ""),
            (Unconfigured, 6, ""),
            (Unconfigured, 1, "activate"),
            (Active, 1, ""),
            (Active, 0, ""),
            (Finalized, 5, ""),
            (Finalized, 0, "shutdown"),
            (Configuring, 10, ""),
            (Configuring, 0, "transition_success"),
            (Configuring, 0, "configure"),
        ] {
            assert_eq!(asked(state, id, label), None, "{state:?} {id} {label}");
        }
    }

    #[test]
    fn whatever_is_done_ends_in_each_way() {
        for state in State::ALL {
            for outcome in [Outcome::Success, Outcome::Failure, Outcome::Error] {
                assert_eq!(ending(state, outcome).is_some(), !state.is_primary(), "{state:?}");
            }
        }
    }

    #[test]
    fn numbers_are_unique() {
        let mut ids: Vec<u8> = TRANSITIONS.iter().map(|it| it.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((ids.len(), TRANSITIONS.len()), (25, 25));
    }
}
