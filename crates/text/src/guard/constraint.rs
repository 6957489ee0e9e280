//! A constraint, made ready to be held against actions.

use super::action::path_key;
use super::forbidden::Forbidden;
use super::given::{Subject, limits_of};
use super::name::{Name, NameKind};
use crate::inference::Amount;
use robot_memory_core::model::{Limit, LimitOp, MemType, Scope, Source, Trust};
use serde_json::Value;
use std::cmp::Ordering;

/// A row of the store that is a constraint.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone)]
pub struct ConstraintRow {
    pub id: i64,
    /// Its namespace.
    pub collection: String,
    /// Who may see it.
    pub scope: Scope,
    /// Life cycle class.
    pub mem_type: MemType,
    pub content: String,
    /// Its context, JSON or empty.
    pub context: String,
    /// Where it came from.
    pub source: Source,
    /// How far that is believed.
    pub trust: Trust,
}

/// A constraint with its bounds.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone)]
pub struct Constraint {
    pub id: i64,
    pub content: String,
    /// Where it came from.
    pub source: Source,
    /// How far that is believed.
    pub trust: Trust,
    pub(super) bounds: Vec<Bound>,
    /// Of one without bounds: what it is about.
    pub(super) about: About,
    /// Of one without bounds: what it forbids.
    pub(super) forbidden: Forbidden,
    /// Why its bounds could not be read.
    pub(super) fault: Option<String>,
}

/// What a constraint without bounds speaks of.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    /// All of its words.
    pub words: Name,
    /// What its context names.
    pub of: Names,
}

/// Names of an object, a place and a task.
pub(super) type Names = [Name; 3];

fn names_of(object: &str, place: &str, task: &str) -> Names {
    [(object, NameKind::Object), (place, NameKind::Place), (task, NameKind::Task)]
        .map(|(text, kind)| Name::of(text, kind))
}

/// A bound.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    pub limit: Limit,
    pub amount: Amount,
    /// Whether it holds for the size of a parameter, whichever its direction: as a sentence means it.
    pub is_of_size: bool,
    /// As paths are compared; empty for every parameter of the dimension.
    pub key: String,
    pub of: Names,
}

/// Dimensions of what has a direction, which the sign of a number tells: backward at 2 m/s is faster than
/// 0.5 m/s.
const DIRECTED: &[&str] = &["N", "N·m", "m/s", "m/s2", "°/s", "rad/s", "rpm"];

/// Parameters whose names end with one of these words are meant by a bound on the first, when they are
/// of its dimension: `force` speaks of `push_force`, `speed` of `linear_velocity`.
#[rustfmt::skip]
const GENERAL: &[(&str, &[&str])] = &[
    ("force", &["force"]), ("torque", &["torque"]), ("speed", &["speed", "velocity"]),
    ("velocity", &["speed", "velocity"]), ("angular_speed", TURNING), ("acceleration", &["acceleration"]),
    ("temperature", &["temperature"]), ("pressure", &["pressure"]),
    ("payload", &["payload", "weight", "mass"]), ("distance", &["clearance"]),
];

/// See [`parameter_names`].
#[rustfmt::skip]
const PARAMETER_NAMES: &[(&str, &[&str])] = &[
    ("N", &["force"]), ("N·m", &["torque"]), ("m/s", &["speed", "velocity"]), ("m/s2", &["acceleration"]),
    ("Pa", &["pressure"]),
];

/// Ends of names that would tell a speed, and are of turning.
pub(super) const TURNING: &[&str] =
    &["angular_speed", "angular_velocity", "joint_speed", "joint_velocity"];

impl Constraint {
    /// Reads a row. When its bounds cannot be read it is one that nothing can decide.
    pub fn read(row: ConstraintRow) -> Self {
        let context = serde_json::from_str(&row.context).unwrap_or(Value::Null);
        let ((limits, is_given), fault) = match limits_of(&row.content, &context) {
            Ok((limits, is_given)) => ((limits, is_given), None),
            Err(error) => ((Vec::new(), true), Some(error.to_string())),
        };
        let bound = |limit| Bound::of(limit, !is_given);
        let bounds: Vec<Bound> = limits.into_iter().filter_map(bound).collect();
        let forbidden =
            if bounds.is_empty() { Forbidden::read(&row.content) } else { Forbidden::default() };
        let about = if bounds.is_empty() {
            let subject = Subject::of(&context);
            About {
                words: Name::of_text(&row.content),
                of: names_of(&subject.object, &subject.place, &subject.task),
            }
        } else {
            About::default()
        };
        Self {
            id: row.id,
            content: row.content,
            source: row.source,
            trust: row.trust,
            bounds,
            about,
            forbidden,
            fault,
        }
    }

    /// The bounds that it sets.
    pub fn limits(&self) -> impl Iterator<Item = &Limit> {
        self.bounds.iter().map(|bound| &bound.limit)
    }
}

impl Bound {
    fn of(limit: Limit, is_of_words: bool) -> Option<Self> {
        let amount = Amount::new(limit.value, &limit.unit)?;
        let is_upper = matches!(limit.op, LimitOp::AtMost | LimitOp::Below) && limit.value >= 0.0;
        Some(Self {
            is_of_size: is_of_words && is_upper && DIRECTED.contains(&amount.dimension()),
            amount,
            key: path_key(&limit.path),
            of: names_of(&limit.object, &limit.place, &limit.task),
            limit,
        })
    }

    /// Which of object, place and task it names, as the first three bits.
    pub fn names_bits(&self) -> u8 {
        bits_of(&self.of)
    }

    /// Whether it is a bound on the parameter of this key by its name.
    pub fn names(&self, key: &str) -> bool {
        !self.key.is_empty() && self.key == key
    }

    /// Whether an amount keeps to it; `None` when that is of another dimension.
    pub fn is_kept(&self, amount: &Amount) -> Option<bool> {
        let order = if self.is_of_size && amount.value() < 0.0 {
            Amount::new(-amount.value(), amount.unit())?.compare(&self.amount)?
        } else {
            amount.compare(&self.amount)?
        };
        Some(is_kept(self.limit.op, order))
    }
}

/// Which of some names are there, as bits, the first one the lowest.
pub(super) fn bits_of<'n>(names: impl IntoIterator<Item = &'n Name>) -> u8 {
    let bits =
        names.into_iter().enumerate().map(|(place, name)| u8::from(!name.is_empty()) << place);
    bits.sum()
}

/// Whether what stands so to a bound keeps to it.
pub(super) fn is_kept(op: LimitOp, order: Ordering) -> bool {
    match op {
        LimitOp::AtMost => order != Ordering::Greater,
        LimitOp::Below => order == Ordering::Less,
        LimitOp::AtLeast => order != Ordering::Less,
        LimitOp::Above => order == Ordering::Greater,
        LimitOp::Equal => order == Ordering::Equal,
        LimitOp::NotEqual => order != Ordering::Equal,
    }
}

/// The ends of parameters' names that a bound of this key speaks of, when it is a general one.
pub(super) fn endings(key: &str) -> Option<&'static [&'static str]> {
    GENERAL.iter().find(|(word, _)| *word == key).map(|(_, endings)| *endings)
}

/// Ends of parameters' names that tell what they are of, by its unit: there another unit, or none, is
/// a mistake.
pub(super) fn parameter_names(dimension: &str) -> &'static [&'static str] {
    PARAMETER_NAMES.iter().find(|(of, _)| *of == dimension).map_or(&[], |(_, endings)| endings)
}

/// Whether the key of a parameter is one of these words, or ends with it.
pub(super) fn ends_with(key: &str, endings: &[&str]) -> bool {
    let key = without_index(key);
    endings.iter().any(|ending| {
        key.strip_suffix(ending)
            .is_some_and(|front| front.is_empty() || front.ends_with(['_', '.']))
    })
}

/// What an element of an array is called: as the array is.
fn without_index(key: &str) -> &str {
    match key.rsplit_once('.') {
        Some((array, index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => array,
        _ => key,
    }
}
