//! What constraints say of an action.

use super::action::{Action, Given, Named, Parameter};
use super::constraint::{About, Bound, Constraint};
use super::name::{Match, Name};
use super::set::Bucket;
use crate::limits::UNDECIDED_MAX;
use crate::model::{LimitOp, Scope};
use std::fmt::Write as _;

/// What constraints say of an action.
#[derive(Debug, Default)]
pub struct Verdict<'c> {
    /// Bounds that it violates, by memory.
    pub violations: Vec<Finding<'c>>,
    /// Constraints that speak of it and that nothing decided, by memory, the first
    /// [`UNDECIDED_MAX`].
    pub undecided: Vec<Finding<'c>>,
    /// All of these.
    pub undecided_count: u64,
    /// Constraints that were looked at.
    pub constraint_count: u64,
}

/// What one bound, or one constraint without, says of an action.
#[derive(Debug)]
pub struct Finding<'c> {
    /// The constraint.
    pub constraint: &'c Constraint,
    /// Who may see it.
    pub scope: &'c Scope,
    /// The parameter; empty when no bound is set.
    pub path: String,
    /// How it must stand to the bound; `None` when none is set.
    pub op: Option<LimitOp>,
    /// The bound.
    pub bound: f64,
    /// Its unit.
    pub unit: String,
    /// What was given, in that unit.
    pub given: Option<f64>,
    /// For a person to read.
    pub reason: String,
}

/// A parameter cannot be held against a bound: another dimension, no unit, or no number. The message
/// names the parameter, what was given, the bound and the memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mismatch {
    memory_id: i64,
    message: String,
}

/// A finding before it is put in words.
struct Noted<'c, 'a> {
    constraint: &'c Constraint,
    scope: &'c Scope,
    bound: Option<&'c Bound>,
    parameter: Option<&'a Parameter>,
    why: Why,
}

enum Why {
    Violated,
    /// It would be violated if the action is on what the bound names.
    MayBeViolated,
    /// Whether it is on it, and how far, is not told.
    MayNotCompare,
    NotGiven,
    NoBound,
}

impl<'c> Verdict<'c> {
    /// Holds an action against the constraints of these scopes.
    ///
    /// # Errors
    /// When a parameter cannot be held against a bound that is set to it; of several, that of the
    /// smallest memory id.
    pub fn of(
        action: &Action,
        buckets: impl IntoIterator<Item = (&'c Scope, &'c Bucket)>,
    ) -> Result<Self, Mismatch> {
        let mut check =
            Check { action, violated: Vec::new(), undecided: Vec::new(), mismatch: None };
        let mut constraint_count = 0;
        for (scope, bucket) in buckets {
            constraint_count += bucket.constraints().len() as u64;
            for constraint in bucket.candidates(action) {
                check.constraint(constraint, scope);
            }
        }
        let Check { mut violated, mut undecided, mismatch, .. } = check;
        if let Some(mismatch) = mismatch {
            return Err(mismatch);
        }
        // The bounds of one memory stay in their order.
        violated.sort_by_key(|noted| noted.constraint.id);
        undecided.sort_by_key(|noted| noted.constraint.id);
        let undecided_count = undecided.len() as u64;
        undecided.truncate(UNDECIDED_MAX);
        let told = |noted: Vec<Noted<'c, '_>>| noted.iter().map(|n| n.told(action)).collect();
        Ok(Self {
            violations: told(violated),
            undecided: told(undecided),
            undecided_count,
            constraint_count,
        })
    }
}

struct Check<'c, 'a> {
    action: &'a Action,
    violated: Vec<Noted<'c, 'a>>,
    undecided: Vec<Noted<'c, 'a>>,
    mismatch: Option<Mismatch>,
}

impl<'c> Check<'c, '_> {
    fn constraint(&mut self, constraint: &'c Constraint, scope: &'c Scope) {
        for bound in &constraint.bounds {
            self.bound(constraint, scope, bound);
        }
        let is_about = constraint.fault.is_some()
            || constraint.bounds.is_empty() && constraint.about.names(self.action);
        if is_about {
            let why = Why::NoBound;
            self.undecided.push(Noted { constraint, scope, bound: None, parameter: None, why });
        }
    }

    fn bound(&mut self, constraint: &'c Constraint, scope: &'c Scope, bound: &'c Bound) {
        let speaks = bound.speaks_of(self.action);
        if speaks == Match::No {
            return;
        }
        let noted =
            |parameter, why| Noted { constraint, scope, bound: Some(bound), parameter, why };
        let mut is_given = false;
        for parameter in &self.action.parameters {
            let amount = match &parameter.value {
                Given::Number(amount) => Some(amount),
                Given::Other(_) => None,
            };
            let is_named = bound.names(&parameter.key);
            if !is_named && !amount.is_some_and(|amount| bound.covers(&parameter.key, amount)) {
                continue;
            }
            is_given = true;
            match (amount.and_then(|amount| bound.is_kept(amount)), speaks) {
                (Some(true), _) => {}
                (Some(false), Match::Yes) => {
                    self.violated.push(noted(Some(parameter), Why::Violated));
                }
                (Some(false), _) => {
                    self.undecided.push(noted(Some(parameter), Why::MayBeViolated));
                }
                (None, Match::Yes) => self.note_mismatch(constraint, bound, parameter),
                (None, _) => self.undecided.push(noted(Some(parameter), Why::MayNotCompare)),
            }
        }
        let is_missed = || bound.has_subject() || bound.may_mean_another(self.action);
        if !is_given && speaks == Match::Yes && is_missed() {
            self.undecided.push(noted(None, Why::NotGiven));
        }
    }

    fn note_mismatch(&mut self, constraint: &Constraint, bound: &Bound, parameter: &Parameter) {
        let id = constraint.id;
        if self.mismatch.as_ref().is_some_and(|known| known.memory_id <= id) {
            return;
        }
        let unit = |unit: &str| match unit {
            "" => "without a unit".to_owned(),
            unit => format!("in {unit}"),
        };
        let path = &parameter.path;
        let bound_unit = unit(&bound.limit.unit);
        let message = match &parameter.value {
            Given::Other(kind) => {
                format!("{path}: is {kind}; the bound of memory {id} needs a number {bound_unit}")
            }
            Given::Number(amount) => format!(
                "{path}: is {}; the bound of memory {id} is {bound_unit}, and one cannot be held \
                 against the other",
                unit(amount.unit())
            ),
        };
        self.mismatch = Some(Mismatch { memory_id: id, message });
    }
}

impl Bound {
    fn speaks_of(&self, action: &Action) -> Match {
        let pairs = [
            (&self.object, &action.object),
            (&self.place, &action.place),
            (&self.task, &action.task),
        ];
        let matches = pairs.map(|(name, named)| name.speaks_of(&named.name));
        matches.into_iter().max().unwrap_or(Match::Yes)
    }

    /// Whether a number was given that may be the bounded one under another name.
    fn may_mean_another(&self, action: &Action) -> bool {
        let dimension = self.amount.dimension();
        !dimension.is_empty()
            && action.parameters.iter().any(|parameter| match &parameter.value {
                Given::Number(amount) => [dimension, ""].contains(&amount.dimension()),
                Given::Other(_) => false,
            })
    }
}

impl About {
    /// Whether it speaks of what the action names, by its context or else by its words.
    fn names(&self, action: &Action) -> bool {
        let pairs = [
            (&self.object, &action.object),
            (&self.place, &action.place),
            (&self.task, &action.task),
        ];
        let is_of = |(about, named): &(&Name, &Named)| {
            !named.name.is_empty()
                && (!about.is_empty() && about.is_in(&named.name) || named.name.is_in(&self.words))
        };
        let is_of_another = |(about, named): &(&Name, &Named)| {
            !about.is_empty() && about.speaks_of(&named.name) == Match::No
        };
        pairs.iter().any(is_of) && !pairs.iter().any(is_of_another)
    }
}

impl<'c> Noted<'c, '_> {
    fn told(&self, action: &Action) -> Finding<'c> {
        let mut finding = Finding {
            constraint: self.constraint,
            scope: self.scope,
            path: String::new(),
            op: None,
            bound: 0.0,
            unit: String::new(),
            given: None,
            reason: String::new(),
        };
        let Some(bound) = self.bound else {
            finding.reason = match &self.constraint.fault {
                Some(fault) => format!("its bounds cannot be read: {fault}"),
                None => "it speaks of this action and sets no bound that a number could be held \
                         against"
                    .into(),
            };
            return finding;
        };
        let limit = &bound.limit;
        finding.path.clone_from(&limit.path);
        finding.op = Some(limit.op);
        finding.bound = limit.value;
        finding.unit.clone_from(&limit.unit);
        let rule = format!("{} {}", in_words(limit.op), quantity(limit.value, &limit.unit));
        let Some(parameter) = self.parameter else {
            let what = if limit.path.is_empty() {
                format!("no parameter in {} was given", limit.unit)
            } else {
                format!("{} was not given", limit.path)
            };
            finding.reason = format!("{what}; it must be {rule}");
            return finding;
        };
        if !bound.names(&parameter.key) {
            finding.path.clone_from(&parameter.path);
        }
        let path = &parameter.path;
        let Given::Number(amount) = &parameter.value else {
            finding.reason = format!("{path} is no number; it must be {rule}");
            return finding;
        };
        let given = quantity(amount.value(), amount.unit());
        if bound.is_kept(amount).is_some() {
            finding.given = Some(amount.value_in(&bound.amount));
        }
        finding.reason = match self.why {
            Why::Violated => format!("{path} is {given}, but must be {rule}"),
            _ => format!("{path} is {given}; it must be {rule}"),
        };
        if !matches!(self.why, Why::Violated) {
            bound.tell_untold(action, &mut finding.reason);
        }
        finding
    }
}

impl Bound {
    /// What the action does not tell.
    fn tell_untold(&self, action: &Action, reason: &mut String) {
        let names = [
            ("object", &self.limit.object, &self.object, &action.object),
            ("place", &self.limit.place, &self.place, &action.place),
            ("task", &self.limit.task, &self.task, &action.task),
        ];
        for (kind, text, name, named) in names {
            if name.speaks_of(&named.name) == Match::Maybe {
                // Writing to a text does not fail.
                let _ = match named.text.as_str() {
                    "" => write!(reason, " for the {kind} {text}, and the action names no {kind}"),
                    given => write!(reason, " for the {kind} {text}, and the action's is {given}"),
                };
            }
        }
    }
}

fn in_words(op: LimitOp) -> &'static str {
    match op {
        LimitOp::AtMost => "at most",
        LimitOp::Below => "less than",
        LimitOp::AtLeast => "at least",
        LimitOp::Above => "more than",
        LimitOp::Equal => "exactly",
        LimitOp::NotEqual => "anything but",
    }
}

fn quantity(value: f64, unit: &str) -> String {
    if unit.is_empty() { value.to_string() } else { format!("{value} {unit}") }
}
