//! What of a robot's memory the other robots of its fleet are told.

use super::MemTypes;
use super::pattern::Pattern;
use crate::model::{Kind, MemType, Memory, Scope, is_limit_or_lesson, text_enum};

text_enum! {
    /// How much of a scope is told. Of the data of perceptions only pictures ever are.
    Share {
        /// Nothing.
        Nothing = "nothing",
        /// Constraints and lessons.
        LimitsAndLessons = "limits_and_lessons",
        /// Facts and summaries.
        Statements = "statements",
        /// These, and the descriptions of perceptions.
        AllButPictures = "all_but_pictures",
        /// These, and the pictures of perceptions.
        All = "all",
    }
}

/// Rules of what is told: the first that names a scope and a class holds. What none names is not told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sharing(pub(super) Vec<SharingRule>);

/// How much is told of some scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharingRule {
    pub scope: Pattern,
    pub mem_types: MemTypes,
    pub share: Share,
}

impl Sharing {
    /// Whether a memory is told, as far as the policy says. Never told are an operator's own, what belongs to an agent or
    /// an episode, and what others told.
    pub fn shares(&self, memory: &Memory) -> bool {
        let Memory { scope, mem_type, kind, category, .. } = memory;
        match self.of(scope, *mem_type) {
            Share::Nothing => false,
            Share::LimitsAndLessons => is_limit_or_lesson(*category, *mem_type),
            Share::Statements => *kind != Kind::Perception,
            Share::AllButPictures | Share::All => true,
        }
    }

    /// Whether a memory that is told is told with its picture.
    pub fn shares_picture(&self, memory: &Memory) -> bool {
        self.of(&memory.scope, memory.mem_type) == Share::All
    }

    /// How much is told of a class in a scope.
    pub fn of(&self, scope: &Scope, mem_type: MemType) -> Share {
        if !matches!(scope, Scope::Global | Scope::Group(_)) {
            return Share::Nothing;
        }
        let name = scope.to_string();
        let names = |it: &&SharingRule| it.scope.is_match(&name) && it.mem_types.has(mem_type);
        self.0.iter().find(names).map_or(Share::Nothing, |it| it.share)
    }

    /// Whether nothing is ever told.
    pub fn is_nothing(&self) -> bool {
        self.0.iter().all(|rule| rule.share == Share::Nothing)
    }
}
