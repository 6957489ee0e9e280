//! Single values: what each type of the engine is in a message, and the other way round.

use r2r::builtin_interfaces::msg::Time;
use robot_memory_core::api::{
    AllowedBy, ApiError, CommitTurnStatus, CompactReason, ContrastKind, DuplicateMethod, Happening,
    LearnStatus, LessonJudgment, LessonState, MaintenanceMode, MapRelation, Mode, NameMatch,
    Nearness, SaveStatus, Side, SiteState, StatusLevel, UnlearnAction, Verdict,
};
use robot_memory_core::model::{
    BranchStatus, Category, JobScope, JobStatus, JobType, Kind, LedgerChange, Level, LimitOp,
    MemType, ObjectState, PerceptionType, Scope, SessionStatus, Source, Stamp, Status,
    SupersededRule, Trust,
};
use std::borrow::Cow;
use std::fmt::Display;

/// A value of the engine that a message has room for.
pub(in crate::faces::ros) trait ToMessage<M> {
    /// As the message has it.
    fn to_message(self) -> M;
}

/// A value of the engine that is read from a message.
pub(super) trait FromMessage<M>: Sized {
    /// What the message says.
    ///
    /// # Errors
    /// When the engine has no room for it.
    fn from_message(message: M) -> Result<Self, ApiError>;
}

impl<T> FromMessage<T> for T {
    fn from_message(message: T) -> Result<Self, ApiError> {
        Ok(message)
    }
}

macro_rules! same {
    ($($type:ty),+) => { $(impl ToMessage<$type> for $type {
        fn to_message(self) -> $type {
            self
        }
    })+ };
}
same!(bool, f32, f64, i64, u8, u32, u64);

/// As it is spelled.
macro_rules! spelled {
    ($($type:ty),+ $(,)?) => { $(impl ToMessage<String> for $type {
        fn to_message(self) -> String {
            self.as_str().to_owned()
        }
    })+ };
}
spelled!(
    AllowedBy,
    BranchStatus,
    Category,
    CommitTurnStatus,
    CompactReason,
    ContrastKind,
    DuplicateMethod,
    Happening,
    JobStatus,
    JobType,
    Kind,
    LearnStatus,
    LedgerChange,
    LessonJudgment,
    LessonState,
    Level,
    LimitOp,
    MaintenanceMode,
    MapRelation,
    MemType,
    Mode,
    NameMatch,
    Nearness,
    ObjectState,
    PerceptionType,
    SaveStatus,
    SessionStatus,
    Side,
    SiteState,
    Source,
    Status,
    StatusLevel,
    SupersededRule,
    Trust,
    UnlearnAction,
    Verdict,
);

impl ToMessage<String> for String {
    fn to_message(self) -> String {
        text(self)
    }
}

impl ToMessage<String> for Cow<'static, str> {
    fn to_message(self) -> String {
        text(self)
    }
}

impl ToMessage<String> for Scope {
    fn to_message(self) -> String {
        text(self.to_string())
    }
}

/// Its kind; which one of its kind is a field of its own.
impl ToMessage<String> for JobScope {
    fn to_message(self) -> String {
        self.kind().to_owned()
    }
}

impl<T: ToMessage<M>, M> ToMessage<Vec<M>> for Vec<T> {
    fn to_message(self) -> Vec<M> {
        self.into_iter().map(T::to_message).collect()
    }
}

/// Empty, or zero, when there is none. Where zero may be meant, a flag beside it says which.
impl<T: ToMessage<M>, M: Default> ToMessage<M> for Option<T> {
    fn to_message(self) -> M {
        self.map(T::to_message).unwrap_or_default()
    }
}

impl ToMessage<Time> for Stamp {
    fn to_message(self) -> Time {
        let (sec, nanosec) = self.to_parts();
        Time { sec, nanosec }
    }
}

/// None when zero.
impl FromMessage<Time> for Option<Stamp> {
    fn from_message(Time { sec, nanosec }: Time) -> Result<Self, ApiError> {
        Ok((sec != 0 || nanosec != 0).then(|| Stamp::from_parts(sec, nanosec)))
    }
}

/// Text for a message. A ROS string ends at its first zero byte, and r2r refuses one: it becomes
/// the replacement character.
pub(in crate::faces::ros) fn text(text: impl Into<String>) -> String {
    let text = text.into();
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// `error_code` and `error` of a call that failed.
pub(super) fn failure(ApiError { kind, message }: ApiError) -> (String, String) {
    (kind.as_str().to_owned(), text(message))
}

/// The value of a field that a flag says is given. Without the flag the field is empty: a value there
/// was meant, and leaving it out would answer another question than was asked.
pub(super) fn given<T: Default + PartialEq + Display>(
    field: &str,
    has: bool,
    value: T,
) -> Result<Option<T>, ApiError> {
    if !has && value != T::default() {
        return Err(ApiError::invalid_argument(format!(
            "{field}: {value} is given, but has_{field} is false; set it to true, or leave both out"
        )));
    }
    Ok(has.then_some(value))
}
