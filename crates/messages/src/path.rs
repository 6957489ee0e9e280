//! One part of a message, by its name.

use super::cdr::{CdrError, CdrProblem, CdrReader};
use super::interface::Interface;
use super::layout::{Count, Field, Kind, Primitive, Structure};
use super::text::beginning;
use super::walk::{count_of, skip_elements, skip_fields};
use robot_memory_core::limits::{MESSAGE_NUMBERS_MAX, NAME_BYTES_MAX};
use std::fmt;
use std::sync::Arc;

/// Why a path names no numbers, text or boolean of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path:?} in {type_name}: {reason}")]
pub struct FieldError {
    /// The path, cut when it is long.
    pub path: String,
    /// The type in which it was looked for.
    pub type_name: String,
    /// What is wrong, and what is there instead.
    pub reason: String,
}

/// What a path finds in a message.
#[derive(Debug, Clone, PartialEq)]
pub enum PathValue {
    /// Numbers, in the order of the message.
    Numbers {
        /// NaN where one is not finite; booleans among others are 0 and 1.
        values: Vec<f64>,
        /// The lengths of the arrays they are from, in the order of the walk: as long as it stays
        /// the same, so do the names ([`FieldPath::names`]).
        shape: Vec<u32>,
        /// What the selected records are called, where records are selected ([`RecordFilter`]).
        labels: Vec<String>,
    },
    /// One boolean.
    Bool(bool),
    /// One text.
    Text(String),
    /// Records are selected, and none is.
    Nothing,
}

/// Says of a field and its value whether it is one that is asked for.
pub type Holds = dyn Fn(&str, &PathValue) -> bool + Send + Sync;

/// Which records of an array are read: those of which something holds.
#[derive(Clone)]
pub struct RecordFilter {
    /// Fields of a record, as paths from it or from the message without brackets: `name`, `status.name`.
    pub fields: Vec<String>,
    /// Whether the value of a field is one that is asked for.
    pub holds: Arc<Holds>,
}

/// A filter that was checked against the structure of its records.
#[derive(Clone)]
struct Filter {
    /// The step of the path that leads to the records.
    step: usize,
    fields: Vec<(String, FieldPath)>,
    holds: Arc<Holds>,
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.fields).finish()
    }
}

impl Filter {
    /// What the record that begins here is called, its first text or else its place; `None` when it is not
    /// selected.
    fn label(&self, reader: &CdrReader<'_>, index: usize) -> Result<Option<String>, CdrError> {
        let mut label = None;
        for (field, path) in &self.fields {
            let value = path.read_from(&mut reader.clone())?;
            if !(self.holds)(field, &value) {
                return Ok(None);
            }
            if let PathValue::Text(text) = value {
                // It is in the names of all numbers of the record.
                label.get_or_insert_with(|| beginning(&text, NAME_BYTES_MAX).to_owned());
            }
        }
        Ok(Some(label.unwrap_or_else(|| index.to_string())))
    }
}

/// A path that was checked against a message type.
#[derive(Debug, Clone)]
pub struct FieldPath {
    steps: Vec<Step>,
    /// Whether it yields numbers, not one boolean or text.
    is_numbers: bool,
    filter: Option<Filter>,
}

/// From a structure to a part of it.
#[derive(Debug, Clone)]
struct Step {
    structure: Arc<Structure>,
    /// Its place in the structure.
    field: usize,
    select: Select,
}

impl Step {
    fn field(&self) -> &Field {
        &self.structure.fields[self.field]
    }

    /// Passes to what it selects, and says how many elements there are.
    fn enter(&self, reader: &mut CdrReader<'_>) -> Result<usize, CdrError> {
        skip_fields(reader, &self.structure.fields[..self.field])?;
        let field = self.field();
        let mut enter = || {
            let count = count_of(reader, field)?;
            match self.select {
                Select::At(index) if index >= count => {
                    return Err(reader.error(CdrProblem::NoElement { index, count }));
                }
                Select::At(index) => skip_elements(reader, &field.kind, index)?,
                Select::Only | Select::All => {}
            }
            Ok(count)
        };
        enter().map_err(|error| error.within(&field.name))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Select {
    /// The field is no array.
    Only,
    At(usize),
    All,
}

impl Interface {
    /// Compiles a path to numbers, a boolean or a text in messages of this type.
    ///
    /// The parts are separated by dots; `[3]` takes one element of an array, `[*]` all of them:
    /// `pose.position.x`, `effort[3]`, `data[*]`, `joints[*].effort`. At the end of a path `[*]` can
    /// be left out, and a part that is made of numbers alone stands for all of them: `wrench.force`.
    ///
    /// # Errors
    /// The path names a part that is not there, or none of these values.
    pub fn find(&self, path: &str) -> Result<FieldPath, FieldError> {
        compile(self.root(), path, false).map_err(|reason| self.fault(path, reason))
    }

    /// The same, of the selected records in the first array of structures on the path; of texts and booleans
    /// that of the first such record.
    ///
    /// # Errors
    /// As of [`Interface::find`], or the path leads through no records, or they do not have a field of the
    /// filter.
    pub fn find_where(&self, path: &str, by: &RecordFilter) -> Result<FieldPath, FieldError> {
        let mut found =
            compile(self.root(), path, true).map_err(|reason| self.fault(path, reason))?;
        let is_records = |step: &Step| {
            step.select == Select::All && matches!(step.field().kind, Kind::Structure(_))
        };
        let Some(step) = found.steps.iter().position(is_records) else {
            return Err(self.fault(path, "it leads through no array of records".to_owned()));
        };
        let names: Vec<&str> =
            found.steps[..=step].iter().map(|step| step.field().name.as_str()).collect();
        let prefix = names.join(".") + ".";
        let Kind::Structure(record) = &found.steps[step].field().kind else {
            return Err(self.fault(path, "it leads through no array of records".to_owned()));
        };
        let mut fields = Vec::with_capacity(by.fields.len());
        for field in &by.fields {
            let own = field.strip_prefix(&prefix).unwrap_or(field);
            let path = compile(record, own, false).map_err(|reason| self.fault(field, reason))?;
            fields.push((field.clone(), path));
        }
        found.filter = Some(Filter { step, fields, holds: Arc::clone(&by.holds) });
        Ok(found)
    }

    fn fault(&self, path: &str, reason: String) -> FieldError {
        let path = path.chars().take(100).collect();
        FieldError { path, type_name: self.type_name().to_owned(), reason }
    }
}

/// `with_filter`: of the records in the first array of them one is selected.
fn compile(root: &Arc<Structure>, path: &str, with_filter: bool) -> Result<FieldPath, String> {
    let type_name = root.type_name.as_str();
    let root = Kind::Structure(Arc::clone(root));
    let mut kind = &root;
    let mut steps: Vec<Step> = Vec::new();
    let mut walked = "";
    let mut end = 0;
    for part in path.split('.') {
        let (name, selected) = parse_part(part)?;
        let at = if walked.is_empty() { type_name } else { walked };
        let Kind::Structure(structure) = kind else {
            return Err(format!("{at} is a {}, and has no parts", kind.name()));
        };
        if let Some(last) = steps.last()
            && last.select == Select::All
            && !walked.ends_with(']')
        {
            return Err(format!(
                "{walked} is an array ({}): write {walked}[0] or {walked}[*] before .{name}",
                last.field().type_text(),
            ));
        }
        let Some(position) = structure.fields.iter().position(|field| field.name == name) else {
            return Err(format!("{at} has no {name:?}; it has {}", structure.fields_text()));
        };
        let field = &structure.fields[position];
        let select = select(field, selected)?;
        steps.push(Step { structure: Arc::clone(structure), field: position, select });
        kind = &field.kind;
        end += part.len();
        walked = &path[..end];
        end += ".".len();
    }
    let many = steps.iter().filter(|step| step.select == Select::All).count();
    let is_record = with_filter && steps.last().is_some_and(|last| last.select != Select::All);
    let is_one = many <= usize::from(is_record);
    let is_numbers = match kind {
        Kind::Primitive(Primitive::Bool) => !is_one,
        Kind::Primitive(_) => true,
        Kind::Text | Kind::WideText if is_one => false,
        Kind::Text | Kind::WideText => {
            return Err(format!("{walked} is many texts: choose one, as by [0]"));
        }
        Kind::Structure(structure) => match first_text(structure) {
            Some(text) => {
                return Err(format!(
                    "{walked} is not made of numbers alone, it has the text {text}; go on with \
                         one of {}",
                    structure.fields_text()
                ));
            }
            None => true,
        },
    };
    Ok(FieldPath { steps, is_numbers, filter: None })
}

/// A part of a path: its name, and what stands in its brackets.
fn parse_part(part: &str) -> Result<(&str, Option<Select>), String> {
    let Some((name, rest)) = part.split_once('[') else { return Ok((part, None)) };
    let inside = rest.strip_suffix(']');
    let selected = match inside {
        Some("*") => Some(Select::All),
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            digits.parse::<u32>().ok().map(|index| Select::At(index as usize))
        }
        _ => None,
    };
    match selected {
        Some(selected) => Ok((name, Some(selected))),
        None => Err(format!("{part:?} is not understood: {name}[0] or {name}[*] would be")),
    }
}

fn select(field: &Field, selected: Option<Select>) -> Result<Select, String> {
    match (field.count, selected) {
        (Count::One, None) => Ok(Select::Only),
        (Count::One, Some(_)) => {
            let (name, type_text) = (&field.name, field.type_text());
            Err(format!("{name} is a {type_text}, no array: leave out the brackets"))
        }
        (Count::Fixed(count) | Count::Sequence(Some(count)), Some(Select::At(index)))
            if index >= count =>
        {
            Err(format!("{} has at most {count} elements, and {index} counts from 0", field.name))
        }
        (_, selected) => Ok(selected.unwrap_or(Select::All)),
    }
}

/// The first text in a structure, as a path from it.
fn first_text(structure: &Structure) -> Option<String> {
    let field = structure.fields.iter().find(|field| field.kind.has_text())?;
    match &field.kind {
        Kind::Structure(nested) => first_text(nested).map(|text| format!("{}.{text}", field.name)),
        _ => Some(field.name.clone()),
    }
}

impl FieldPath {
    /// Reads what the path names out of a message with its header.
    ///
    /// # Errors
    /// The message is not of the type, or not whole up to there; an element that the path names is
    /// not there; there are more than [`MESSAGE_NUMBERS_MAX`] numbers.
    pub fn read(&self, message: &[u8]) -> Result<PathValue, CdrError> {
        self.read_from(&mut CdrReader::new(message)?)
    }

    /// The same from the beginning of the structure that the path is of.
    fn read_from(&self, reader: &mut CdrReader<'_>) -> Result<PathValue, CdrError> {
        if self.is_numbers {
            let mut walk = NumberWalk {
                values: Vec::new(),
                shape: Vec::new(),
                labels: Vec::new(),
                filter: self.filter.as_ref().map(|filter| (filter, self.steps.len())),
            };
            walk.steps(reader, &self.steps, false)?;
            let NumberWalk { values, shape, labels, .. } = walk;
            let is_nothing = self.filter.is_some() && labels.is_empty();
            return Ok(match is_nothing {
                true => PathValue::Nothing,
                false => PathValue::Numbers { values, shape, labels },
            });
        }
        for (place, step) in self.steps.iter().enumerate() {
            let count = step.enter(reader)?;
            if let Some(filter) = self.filter.as_ref().filter(|filter| filter.step == place) {
                let mut index = 0;
                while index < count && filter.label(reader, index)?.is_none() {
                    skip_elements(reader, &step.field().kind, 1)?;
                    index += 1;
                }
                if index == count {
                    return Ok(PathValue::Nothing);
                }
            }
        }
        Ok(match self.steps.last().map(|last| &last.field().kind) {
            Some(Kind::Primitive(_)) => PathValue::Bool(reader.bool()?),
            Some(Kind::WideText) => PathValue::Text(reader.wide_text()?),
            _ => PathValue::Text(reader.text()?.into_owned()),
        })
    }

    /// The names of the numbers of a message by its shape and labels ([`PathValue::Numbers`]), as
    /// `joints[1].effort`, of selected records `joints[elbow].effort`.
    pub fn names(&self, shape: &[u32], labels: &[String]) -> Vec<String> {
        let mut naming =
            Naming { shape: shape.iter(), labels, name: String::new(), names: Vec::new() };
        naming.steps(&self.steps);
        naming.names
    }
}

struct NumberWalk<'a> {
    values: Vec<f64>,
    shape: Vec<u32>,
    labels: Vec<String>,
    /// With how many steps the path has.
    filter: Option<(&'a Filter, usize)>,
}

impl NumberWalk<'_> {
    /// Follows the steps from a structure; with `to_end` the reader is at its end afterwards.
    fn steps(
        &mut self,
        reader: &mut CdrReader<'_>,
        steps: &[Step],
        to_end: bool,
    ) -> Result<(), CdrError> {
        let Some((step, rest)) = steps.split_first() else { return Ok(()) };
        let count = step.enter(reader)?;
        let walked = self.selected(reader, step, count, rest, to_end);
        walked.map_err(|error| error.within(&step.field().name))?;
        match to_end {
            true => skip_fields(reader, &step.structure.fields[step.field + 1..]),
            false => Ok(()),
        }
    }

    fn selected(
        &mut self,
        reader: &mut CdrReader<'_>,
        step: &Step,
        count: usize,
        rest: &[Step],
        to_end: bool,
    ) -> Result<(), CdrError> {
        let kind = &step.field().kind;
        if step.select == Select::All {
            self.note_length(reader, count)?;
            if let Some((filter, steps)) = self.filter
                && filter.step + rest.len() + 1 == steps
            {
                return self.records(reader, step, filter, count, rest);
            }
            if rest.is_empty() {
                return self.elements(reader, kind, count);
            }
            return (0..count).try_for_each(|index| {
                self.steps(reader, rest, true).map_err(|error| error.within(&format!("[{index}]")))
            });
        }
        if rest.is_empty() {
            self.elements(reader, kind, 1)?;
        } else {
            self.steps(reader, rest, to_end)?;
        }
        match step.select {
            Select::At(index) if to_end => skip_elements(reader, kind, count - index - 1),
            _ => Ok(()),
        }
    }

    /// Takes what the path names of the records that are selected.
    fn records(
        &mut self,
        reader: &mut CdrReader<'_>,
        step: &Step,
        filter: &Filter,
        count: usize,
        rest: &[Step],
    ) -> Result<(), CdrError> {
        let (place, kind) = (self.shape.len() - 1, &step.field().kind);
        for index in 0..count {
            match filter.label(reader, index)? {
                Some(label) => {
                    self.labels.push(label);
                    match rest {
                        [] => self.elements(reader, kind, 1)?,
                        rest => self.steps(reader, rest, true)?,
                    }
                }
                None => skip_elements(reader, kind, 1)?,
            }
        }
        self.shape[place] = self.labels.len() as u32;
        Ok(())
    }

    fn note_length(&mut self, reader: &CdrReader<'_>, count: usize) -> Result<(), CdrError> {
        check_count(reader, self.shape.len() + 1)?;
        self.shape.push(count as u32);
        Ok(())
    }

    /// Takes all numbers of so many elements.
    fn elements(
        &mut self,
        reader: &mut CdrReader<'_>,
        kind: &Kind,
        count: usize,
    ) -> Result<(), CdrError> {
        match kind {
            Kind::Primitive(primitive) => {
                check_count(reader, self.values.len().saturating_add(count))?;
                reader.numbers(*primitive, count, &mut self.values)
            }
            Kind::Structure(structure) => (0..count).try_for_each(|_| {
                structure.read(reader, |reader, field| self.field(reader, field))
            }),
            // A path to numbers leads to no text.
            Kind::Text | Kind::WideText => skip_elements(reader, kind, count),
        }
    }

    fn field(&mut self, reader: &mut CdrReader<'_>, field: &Field) -> Result<(), CdrError> {
        let count = count_of(reader, field)?;
        if field.count != Count::One {
            self.note_length(reader, count)?;
        }
        self.elements(reader, &field.kind, count)
    }
}

fn check_count(reader: &CdrReader<'_>, count: usize) -> Result<(), CdrError> {
    if count > MESSAGE_NUMBERS_MAX {
        let problem = CdrProblem::TooManyNumbers { count, count_max: MESSAGE_NUMBERS_MAX };
        return Err(reader.error(problem));
    }
    Ok(())
}

/// The walk of [`NumberWalk`] once more, for the names.
struct Naming<'a> {
    shape: std::slice::Iter<'a, u32>,
    /// Of selected records, which are in the first array of structures.
    labels: &'a [String],
    /// Of where the walk is.
    name: String,
    names: Vec<String>,
}

impl Naming<'_> {
    fn steps(&mut self, steps: &[Step]) {
        let Some((step, rest)) = steps.split_first() else { return };
        let below = |naming: &mut Self| match rest {
            [] => naming.element(&step.field().kind),
            rest => naming.steps(rest),
        };
        let before = self.push_field(&step.field().name);
        match step.select {
            Select::Only => below(self),
            Select::At(index) => self.indexed(index, below),
            Select::All => match std::mem::take(&mut self.labels) {
                [] => self.each(below),
                labels => {
                    self.shape.next();
                    labels.iter().for_each(|label| self.called(label, below));
                }
            },
        }
        self.name.truncate(before);
    }

    fn element(&mut self, kind: &Kind) {
        let Kind::Structure(structure) = kind else {
            self.names.push(self.name.clone());
            return;
        };
        for field in &structure.fields {
            let before = self.push_field(&field.name);
            match field.count {
                Count::One => self.element(&field.kind),
                _ => self.each(|naming| naming.element(&field.kind)),
            }
            self.name.truncate(before);
        }
    }

    fn each(&mut self, mut name: impl FnMut(&mut Self)) {
        let count = self.shape.next().copied().unwrap_or_default();
        for index in 0..count as usize {
            if self.names.len() >= MESSAGE_NUMBERS_MAX {
                return;
            }
            self.indexed(index, &mut name);
        }
    }

    fn indexed(&mut self, index: usize, name: impl FnOnce(&mut Self)) {
        self.called(&index.to_string(), name);
    }

    fn called(&mut self, called: &str, name: impl FnOnce(&mut Self)) {
        let before = self.name.len();
        self.name.push_str(&format!("[{called}]"));
        name(self);
        self.name.truncate(before);
    }

    fn push_field(&mut self, field: &str) -> usize {
        let before = self.name.len();
        if before > 0 {
            self.name.push('.');
        }
        self.name.push_str(field);
        before
    }
}
