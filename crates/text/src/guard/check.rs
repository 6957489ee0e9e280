//! What constraints say of an action.

use super::action::{Action, Parameter, ParameterValue};
use super::constraint::{
    About, Bound, Constraint, TURNING, bits_of, endings, ends_with, is_kept, parameter_names,
};
use super::forbidden::Applicability;
use super::lines::{Line, LineKind};
use super::name::Match;
use super::set::{Bucket, Candidates};
use crate::inference::Amount;
use robot_memory_core::limits::UNDECIDED_MAX;
use robot_memory_core::model::{LimitOp, Scope};
use std::collections::HashMap;
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
    /// Bounds that a parameter was held against.
    pub checked_count: u64,
    /// Constraints that were looked at.
    pub constraint_count: u64,
}

/// What one bound, or one constraint without, says of an action.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug)]
pub struct Finding<'c> {
    pub constraint: &'c Constraint,
    /// Who may see it.
    pub scope: &'c Scope,
    /// The parameter; empty when no bound is set.
    pub path: String,
    /// How it must stand to the bound; `None` when none is set.
    pub op: Option<LimitOp>,
    pub bound: f64,
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

/// The key of bounds on how hard is gripped, and that of any force.
const GRIP_FORCE: &str = "grip_force";
const FORCE: &str = "force";

/// A finding before it is put in words.
struct Draft<'c, 'a> {
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
    /// It is what is forbidden.
    Forbidden,
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
        let mut check = Check {
            action,
            named: bits_of(action.names()),
            violated: Vec::new(),
            undecided: Vec::new(),
            undecided_count: 0,
            checked_count: 0,
            mismatch: None,
        };
        let mut constraint_count = 0;
        for (scope, bucket) in buckets {
            constraint_count += bucket.constraints().len() as u64;
            check.bucket(scope, bucket);
        }
        let Check { mut violated, mut undecided, undecided_count, checked_count, mismatch, .. } =
            check;
        if let Some(mismatch) = mismatch {
            return Err(mismatch);
        }
        // The bounds of one memory stay in their order.
        violated.sort_by_key(|noted| noted.constraint.id);
        undecided.sort_by_key(|noted| noted.constraint.id);
        undecided.truncate(UNDECIDED_MAX);
        let findings =
            |noted: Vec<Draft<'c, '_>>| noted.iter().map(|n| n.finding(action)).collect();
        Ok(Self {
            violations: findings(violated),
            undecided: findings(undecided),
            undecided_count,
            checked_count,
            constraint_count,
        })
    }
}

struct Check<'c, 'a> {
    action: &'a Action,
    /// Which of object, place and task the action names, as [`Bound::names_bits`] of a bound.
    named: u8,
    violated: Vec<Draft<'c, 'a>>,
    /// The first [`UNDECIDED_MAX`] of each bucket.
    undecided: Vec<Draft<'c, 'a>>,
    undecided_count: u64,
    checked_count: u64,
    mismatch: Option<Mismatch>,
}

/// The check of one bucket's constraints.
struct BucketCheck<'c, 'a, 'k> {
    check: &'k mut Check<'c, 'a>,
    scope: &'c Scope,
    bucket: &'c Bucket,
    candidates: &'k Candidates,
    /// Undecided ones that may still be shown.
    room: usize,
}

/// The parameters of an action that bounds of one kind are on.
struct On<'a> {
    parameters: Vec<(&'a Parameter, Comparable)>,
    /// Whether a number was given that may be the bounded one under another name.
    may_mean_another: bool,
}

/// How a parameter is held against bounds of a kind.
#[derive(Clone, Copy)]
enum Comparable {
    /// It cannot be.
    No,
    /// Its value, which is in their unit.
    SameUnit(f64),
    /// Its [rounded](Amount::rounded) value.
    Rounded(f64),
}

impl<'c> Check<'c, '_> {
    fn bucket(&mut self, scope: &'c Scope, bucket: &'c Bucket) {
        let candidates = bucket.candidates(self.action);
        if candidates.ids.is_empty() {
            return;
        }
        let on = On::by_kind(self.action, bucket.lines().kinds());
        let mut lines = bucket.lines().reader();
        let mut check = BucketCheck {
            check: self,
            scope,
            bucket,
            candidates: &candidates,
            room: UNDECIDED_MAX,
        };
        for &id in &candidates.ids {
            let lines = lines.of(id);
            if lines.is_empty() {
                check.without_bounds(id);
            }
            for line in lines {
                check.bound(line, &on[line.kind as usize]);
            }
        }
    }
}

impl<'a> On<'a> {
    fn by_kind(action: &'a Action, kinds: &[LineKind]) -> Vec<Self> {
        let mut by_key: HashMap<&str, Vec<&Parameter>> = HashMap::new();
        for parameter in &action.parameters {
            by_key.entry(&parameter.key).or_default().push(parameter);
        }
        let amounts = || action.parameters.iter().filter_map(Parameter::amount);
        let mut dimensions: Vec<&str> = amounts().map(Amount::dimension).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        let parameters = |kind: &LineKind| -> Vec<&'a Parameter> {
            if kind.key.is_empty() || endings(&kind.key).is_some() {
                let is_on = |parameter: &&Parameter| {
                    kind.names(parameter) || kind.covers(parameter) || kind.is_given(parameter)
                };
                action.parameters.iter().filter(is_on).collect()
            } else {
                let by_name = by_key.get(&*kind.key).cloned().unwrap_or_default();
                // The one force of an action that grips, or does not say what it does, is that of the grip.
                if by_name.is_empty() && kind.key == GRIP_FORCE && action.may_grip() {
                    by_key.get(FORCE).cloned().unwrap_or_default()
                } else {
                    by_name
                }
            }
        };
        let on = |kind: &LineKind| Self {
            parameters: parameters(kind).into_iter().map(|p| (p, kind.comparable(p))).collect(),
            may_mean_another: !kind.dimension.is_empty()
                && (dimensions.contains(&"")
                    || dimensions.contains(&&*kind.dimension)
                    || action.parameters.iter().any(|parameter| kind.is_hinted(parameter))),
        };
        kinds.iter().map(on).collect()
    }
}

impl LineKind {
    /// Whether bounds of this kind are on a parameter by its name.
    fn names(&self, parameter: &Parameter) -> bool {
        !self.key.is_empty() && self.key == parameter.key
    }

    /// Whether they are on it by its dimension, and by the end of its name if they have a key.
    fn covers(&self, parameter: &Parameter) -> bool {
        let is_of_dimension = !self.dimension.is_empty()
            && parameter.amount().is_some_and(|amount| amount.dimension() == self.dimension);
        let is_meant = || {
            endings(&self.key).is_some_and(|endings| ends_with(&parameter.key, endings))
                || self.key.is_empty()
        };
        is_of_dimension && is_meant()
    }

    /// Whether its name tells that it is what they bound, whatever its unit is.
    fn is_given(&self, parameter: &Parameter) -> bool {
        let key = &parameter.key;
        let is_turning = ends_with(key, TURNING) && self.dimension == "m/s";
        parameter.amount().is_some()
            && ends_with(key, parameter_names(&self.dimension))
            && !is_turning
    }

    /// Whether what is no number is called as what they bound: `"force": "strong"`.
    fn is_hinted(&self, parameter: &Parameter) -> bool {
        parameter.amount().is_none() && ends_with(&parameter.key, parameter_names(&self.dimension))
    }

    fn comparable(&self, parameter: &Parameter) -> Comparable {
        let size = |value: f64| if self.is_of_size { value.abs() } else { value };
        match parameter.amount() {
            Some(amount) if amount.unit() == self.unit => {
                Comparable::SameUnit(size(amount.value()))
            }
            Some(amount) if amount.dimension() == self.dimension => {
                Comparable::Rounded(size(amount.rounded()))
            }
            _ => Comparable::No,
        }
    }
}

impl Parameter {
    fn amount(&self) -> Option<&Amount> {
        match &self.value {
            ParameterValue::Number(amount) => Some(amount),
            ParameterValue::Other(_) => None,
        }
    }
}

impl<'c, 'a> BucketCheck<'c, 'a, '_> {
    fn without_bounds(&mut self, id: i64) {
        let action = self.check.action;
        let Some(constraint) = self.bucket.get(id) else { return };
        let says = match (&constraint.fault, constraint.about.is_of_another(action)) {
            (Some(_), _) => Applicability::Maybe,
            (None, true) => return,
            (None, false) => constraint.forbidden.says_of(action),
        };
        match says {
            Applicability::Forbidden if constraint.about.is_of(action) => {
                let noted = self.noted(id, None, None, Why::Forbidden);
                self.check.violated.extend(noted);
            }
            Applicability::Other => {}
            Applicability::Nothing if !constraint.about.speaks_of(action) => {}
            Applicability::Forbidden | Applicability::Maybe | Applicability::Nothing => {
                self.leave_undecided(|check| check.noted(id, None, None, Why::NoBound));
            }
        }
    }

    fn bound(&mut self, line: &Line, on: &On<'a>) {
        let speaks = self.speaks(line);
        if speaks == Match::No {
            return;
        }
        if on.parameters.is_empty() && speaks == Match::Yes {
            let is_missed = line.names != 0 || on.may_mean_another;
            if is_missed {
                self.leave_undecided(|check| check.of_line(line, None, Why::NotGiven));
            }
            return;
        }
        let mut is_checked = false;
        for &(parameter, comparable) in &on.parameters {
            let is_kept = self.is_kept(line, parameter, comparable);
            is_checked |= is_kept.is_some() && speaks == Match::Yes;
            let undecided = match (is_kept, speaks) {
                (Some(true), _) => continue,
                (Some(false), Match::Yes) => {
                    let noted = self.of_line(line, Some(parameter), Why::Violated);
                    self.check.violated.extend(noted);
                    continue;
                }
                // What another robot told keeps nobody from asking.
                (None, Match::Yes) if *self.scope == Scope::Fleet => Why::MayNotCompare,
                (None, Match::Yes) => {
                    self.note_mismatch(line, parameter);
                    continue;
                }
                (Some(false), _) => Why::MayBeViolated,
                (None, _) => Why::MayNotCompare,
            };
            self.leave_undecided(|check| check.of_line(line, Some(parameter), undecided));
        }
        self.check.checked_count += u64::from(is_checked);
    }

    /// As [`Bound::speaks_of`], which is asked only when a word is shared.
    fn speaks(&self, line: &Line) -> Match {
        let both = line.names & self.check.named;
        if both == 0 {
            return if line.names == 0 { Match::Yes } else { Match::Maybe };
        }
        let mut of_words = self.candidates.of_words.iter().enumerate();
        let shares_none = |(place, ids): (usize, &Vec<i64>)| {
            both >> place & 1 != 0 && ids.binary_search(&line.id).is_err()
        };
        if of_words.any(shares_none) {
            return Match::No;
        }
        self.bound_of(line).map_or(Match::No, |(_, bound)| bound.speaks_of(self.check.action))
    }

    /// Whether a parameter keeps to a bound that is on it; `None` when it cannot be held against it.
    fn is_kept(&self, line: &Line, parameter: &Parameter, comparable: Comparable) -> Option<bool> {
        let order = match comparable {
            Comparable::No => return None,
            Comparable::SameUnit(value) => value.partial_cmp(&line.value),
            Comparable::Rounded(value) => Amount::compare_rounded(value, line.rounded),
        };
        match order {
            Some(order) => Some(is_kept(line.op, order)),
            None => self.bound_of(line)?.1.is_kept(parameter.amount()?),
        }
    }

    fn bound_of(&self, line: &Line) -> Option<(&'c Constraint, &'c Bound)> {
        let constraint = self.bucket.get(line.id)?;
        Some((constraint, constraint.bounds.get(line.bound as usize)?))
    }

    fn of_line(
        &self,
        line: &Line,
        parameter: Option<&'a Parameter>,
        why: Why,
    ) -> Option<Draft<'c, 'a>> {
        self.noted(line.id, Some(line.bound), parameter, why)
    }

    fn noted(
        &self,
        id: i64,
        bound: Option<u32>,
        parameter: Option<&'a Parameter>,
        why: Why,
    ) -> Option<Draft<'c, 'a>> {
        let constraint = self.bucket.get(id)?;
        let bound = bound.and_then(|bound| constraint.bounds.get(bound as usize));
        Some(Draft { constraint, scope: self.scope, bound, parameter, why })
    }

    /// Counts one more, and notes it when it may be shown: ids ascend.
    fn leave_undecided(&mut self, noted: impl FnOnce(&Self) -> Option<Draft<'c, 'a>>) {
        self.check.undecided_count += 1;
        if self.room > 0 {
            self.room -= 1;
            let noted = noted(self);
            self.check.undecided.extend(noted);
        }
    }

    fn note_mismatch(&mut self, line: &Line, parameter: &Parameter) {
        let id = line.id;
        if self.check.mismatch.as_ref().is_some_and(|known| known.memory_id <= id) {
            return;
        }
        let Some((_, bound)) = self.bound_of(line) else { return };
        let unit = |unit: &str| match unit {
            "" => "without a unit".to_owned(),
            unit => format!("in {unit}"),
        };
        let path = &parameter.path;
        let bound_unit = unit(&bound.limit.unit);
        let message = match &parameter.value {
            ParameterValue::Other(kind) => {
                format!("{path}: is {kind}; the bound of memory {id} needs a number {bound_unit}")
            }
            ParameterValue::Number(amount) => format!(
                "{path}: is {}; the bound of memory {id} is {bound_unit}, and one cannot be held \
                 against the other",
                unit(amount.unit())
            ),
        };
        self.check.mismatch = Some(Mismatch { memory_id: id, message });
    }
}

impl Bound {
    fn speaks_of(&self, action: &Action) -> Match {
        let pairs = self.of.iter().zip(action.names());
        pairs.map(|(name, named)| name.speaks_of(named)).max().unwrap_or(Match::Yes)
    }
}

impl About {
    /// Whether it speaks of what the action names, by its context or else by its words.
    fn speaks_of(&self, action: &Action) -> bool {
        self.of.iter().zip(action.names()).any(|(about, named)| {
            let may_speak = !about.is_empty() && about.speaks_of(named) != Match::No;
            !named.is_empty() && (may_speak || self.words.mentions(named))
        })
    }

    /// Whether its context names something else than the action.
    fn is_of_another(&self, action: &Action) -> bool {
        self.named_matches(action).any(|found| found == Match::No)
    }

    /// Whether all that its context names is what the action names.
    fn is_of(&self, action: &Action) -> bool {
        self.named_matches(action).all(|found| found == Match::Yes)
    }

    fn named_matches(&self, action: &Action) -> impl Iterator<Item = Match> {
        let pairs = self.of.iter().zip(action.names());
        pairs.filter(|(about, _)| !about.is_empty()).map(|(about, named)| about.speaks_of(named))
    }
}

impl<'c> Draft<'c, '_> {
    fn finding(&self, action: &Action) -> Finding<'c> {
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
                None if matches!(self.why, Why::Forbidden) => "it forbids this action".into(),
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
        let ParameterValue::Number(amount) = &parameter.value else {
            finding.reason = format!("{path} is no number; it must be {rule}");
            return finding;
        };
        let mut given = quantity(amount.value(), amount.unit());
        if parameter.is_unit_assumed {
            given.push_str(" (no unit was given: the SI unit, by REP-103)");
        }
        if bound.is_kept(amount).is_some() {
            finding.given = Some(amount.value_in(&bound.amount));
        }
        finding.reason = match self.why {
            Why::Violated => format!("{path} is {given}, but must be {rule}"),
            _ => format!("{path} is {given}; it must be {rule}"),
        };
        if !matches!(self.why, Why::Violated) {
            bound.add_missing(action, &mut finding.reason);
        }
        finding
    }
}

impl Bound {
    /// What the action does not tell.
    fn add_missing(&self, action: &Action, reason: &mut String) {
        let texts = [
            ("object", &self.limit.object, &action.object),
            ("place", &self.limit.place, &action.place),
            ("task", &self.limit.task, &action.task),
        ];
        for ((kind, text, named), name) in texts.into_iter().zip(&self.of) {
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
