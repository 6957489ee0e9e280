//! The nouns: what a memory, a session, a stamp is. No I/O.

mod belief;
mod filter;
mod job;
mod limit;
mod memory;
mod nearest;
mod object;
mod page;
mod pair;
mod quoted;
mod scope;
mod session;
mod stamp;
mod turn;

pub use belief::{Belief, CONFIDENCE_FLOOR, FRESH_DAYS};
pub use filter::{
    Cell, Condition, Filter, FilterError, Number, Operand, Operator, Path, PathError,
};
pub use job::{Job, JobChange, JobProgress, JobScope, JobStatus, JobType, ScopeState};
pub use limit::{Limit, LimitOp};
pub use memory::{
    Category, HEARSAY_CONFIDENCE, HEARSAY_IMPORTANCE, Kind, LedgerChange, Level, MemType, Memory,
    PerceptionType, Source, Status, SummaryKind, SupersededRule, Trust, is_limit_or_lesson,
};
pub use nearest::nearest;
pub use object::ObjectState;
pub use page::{JobOrder, ScopeOrder, SortOrder};
pub use pair::{JudgedBy, PairVerdict};
pub use quoted::{Cut, Quoted, cut, quoted};
pub use scope::{Scope, ScopeError, ScopeKind, SearchScope};
pub use session::{Session, SessionStatus};
pub use stamp::{Clock, Stamp};
pub use turn::{Branch, BranchStatus, Turn, TurnSource};

/// Declares an enum whose values have one spelling, used in SQL, in messages and in documents.
#[macro_export]
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The value's one spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The value with this spelling.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }

            /// All spellings, for an error message.
            pub fn spellings() -> String {
                [$($text),+].join(", ")
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        $crate::schema_of_spellings! { $name [$($text),+] }
    };
}
pub use text_enum;
