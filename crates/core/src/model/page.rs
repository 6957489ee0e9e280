//! How lists are sorted.

use super::text_enum;

text_enum! {
    /// By what jobs are sorted.
    JobOrder {
        /// When they were queued.
        CreatedAt = "created_at",
        /// When anything of them last changed.
        UpdatedAt = "updated_at",
        /// When they may be begun.
        AvailableAt = "available_at",
    }
}

text_enum! {
    /// By what scopes are sorted.
    ScopeOrder {
        /// When anything of them last changed.
        UpdatedAt = "updated_at",
        /// How many of their jobs were done.
        Revision = "revision",
        /// When their summaries were last compacted.
        LastCompactionAt = "last_compaction_at",
        /// The greatest number of a turn that was taken in.
        LastProcessedTurnNo = "last_processed_turn_no",
    }
}

text_enum! {
    /// Which end comes first.
    SortOrder {
        /// The least, the earliest.
        Asc = "asc",
        /// The greatest, the latest.
        Desc = "desc",
    }
}

impl ScopeOrder {
    /// The order that is spelled so, or as those do who call a step a floor.
    pub fn spelled(text: &str) -> Option<Self> {
        match text {
            "last_processed_floor_no" => Some(Self::LastProcessedTurnNo),
            text => Self::parse(text),
        }
    }
}
