use super::{QueuedResponse, operation};
use crate::model::text_enum;
use crate::record::request;

operation!(
    /// Queue the job that looks after the memories of a scope, or of each scope after the other.
    RunMaintenance, "run_maintenance", RunMaintenanceRequest => QueuedResponse
);

text_enum! {
    /// How much a run of maintenance does.
    MaintenanceMode {
        /// Completes, merges, judges, gives scopes, reports.
        Daily = "daily",
        /// All of that; also settles conflicts, learns from many, lets fade, tells of the week.
        Weekly = "weekly",
    }
}

text_enum! {
    /// One step of maintenance, in the order in which they are done.
    #[derive(Default)]
    MaintenanceStep {
        /// What is missing is filled in.
        #[default]
        Complete = "complete",
        /// What says the same is merged.
        Merge = "merge",
        /// What may say the same is judged.
        Judge = "judge",
        /// Rows of unknown origin get a scope.
        Place = "place",
        /// Contradictions are settled or reported.
        Conflicts = "conflicts",
        /// Task logs become knowledge.
        Learn = "learn",
        /// Belief fades; what is not worth keeping is archived.
        Fade = "fade",
        /// Each week gets its summary.
        Week = "week",
    }
}

impl MaintenanceStep {
    /// Whether it is done in a run of this mode.
    pub const fn is_of(self, mode: MaintenanceMode) -> bool {
        match self {
            Self::Complete | Self::Merge | Self::Judge | Self::Place => true,
            Self::Conflicts | Self::Learn | Self::Fade | Self::Week => {
                matches!(mode, MaintenanceMode::Weekly)
            }
        }
    }
}

request! {
    /// Of which scope, and how.
    pub struct RunMaintenanceRequest {
        /// `daily` or `weekly`.
        pub mode: String as lookup = MaintenanceMode::Daily.as_str().to_owned(),
        /// Kind of scope; empty or `all`: every scope, one after the other.
        pub scope: String as text,
        /// Which one of its kind.
        pub scope_id: String as text,
        /// Do it on a copy of the store that is thrown away.
        pub dry_run: bool,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}
