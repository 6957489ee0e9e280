use super::{duration, measure, parameters, signal, text};
use crate::facts::WORSE_THAN;
use crate::span::secs_between;
use crate::{Edge, Measure, Report, ReportLevel, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::limits::REPORTS_OPEN_MAX;
use robot_memory_core::model::Stamp;

/// Characters of a text that tell lines of a log apart.
const SHAPE_CHARS_MAX: usize = 200;
/// Kinds of lines of one name that are told apart at a time: more are words that change, as addresses do.
const SHAPES_PER_NAME_MAX: usize = 8;
/// Seconds after which a component that is no longer reported is no longer followed.
const SILENT_SECS_MAX: f64 = 60.0;

/// Components that reach a level and come back from it, and lines of a log of that level; each by its name, a
/// line also by its words.
///
/// What comes again within `fold_secs` is the same. The first report counts: a component that is in
/// trouble when it is first heard is in trouble.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    fold_secs: f64,
    /// Each in the place of its part.
    open: Vec<Option<Trouble>>,
    left_out: u64,
}

/// What one component, or lines of one kind, are in.
#[derive(Debug, Clone)]
struct Trouble {
    name: String,
    /// Of a line.
    shape: String,
    /// The worst, and what was said with it first.
    level: ReportLevel,
    text: String,
    begin: Stamp,
    count: u32,
    /// When it was reported last.
    reported: Stamp,
    /// Since when it is over; `None` while it lasts.
    rest: Option<Stamp>,
    /// The level that a component came back to.
    to: Option<ReportLevel>,
}

impl Levels {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        Self { fold_secs: parameters::number(settings, "fold_secs"), ..Self::default() }
    }

    /// Reports that were passed over: too many others were in trouble.
    pub(super) const fn left_out(&self) -> u64 {
        self.left_out
    }

    pub(super) fn take(&mut self, stamp: Stamp, reports: &[Report], out: &mut Vec<Signal>) {
        for (part, place) in self.open.iter_mut().enumerate() {
            let is_over = |trouble: &mut Trouble| match trouble.rest {
                Some(rest) => secs_between(rest, stamp) > self.fold_secs,
                None => secs_between(trouble.reported, stamp) > SILENT_SECS_MAX.max(self.fold_secs),
            };
            if let Some(trouble) = place.take_if(is_over) {
                out.push(trouble.end(part));
            }
        }
        for report in reports {
            self.take_one(stamp, report, out);
        }
    }

    fn take_one(&mut self, stamp: Stamp, report: &Report, out: &mut Vec<Signal>) {
        let shape = if report.is_line { shape_of(&report.text) } else { String::new() };
        let is_same = |trouble: &Trouble| trouble.name == report.name && trouble.shape == shape;
        let known = self.open.iter().position(|place| place.as_ref().is_some_and(is_same));
        let known = known.or_else(|| self.last_shape_of(report));
        match known.and_then(|part| Some((part, self.open[part].as_mut()?))) {
            Some((part, trouble)) if report.is_active => trouble.go_on(part, stamp, report, out),
            Some((part, trouble)) => {
                trouble.reported = stamp;
                if trouble.rest.is_none() {
                    (trouble.rest, trouble.to) = (Some(stamp), Some(report.level));
                    out.push(trouble.signal(part, Edge::Rest, stamp));
                }
            }
            None if report.is_active => self.begin(stamp, report, shape, out),
            None => {}
        }
    }

    /// The one that a line belongs to whose origin has too many kinds of lines.
    fn last_shape_of(&self, report: &Report) -> Option<usize> {
        let places = self.open.iter().enumerate();
        let of_name = places.filter_map(|(part, place)| Some((part, place.as_ref()?)));
        let mut of_name = of_name
            .filter(|(_, trouble)| trouble.name == report.name && !trouble.shape.is_empty())
            .map(|(part, _)| part);
        if report.is_line { of_name.nth(SHAPES_PER_NAME_MAX - 1) } else { None }
    }

    /// The place of the one that was reported longest ago and is over: what lasts is not given up.
    fn oldest_over(&self) -> Option<usize> {
        let places = self.open.iter().enumerate();
        let over = places.filter_map(|(part, place)| Some((part, place.as_ref()?)));
        let over = over.filter(|(_, trouble)| trouble.rest.is_some());
        over.min_by_key(|(_, trouble)| trouble.reported).map(|(part, _)| part)
    }

    fn begin(&mut self, stamp: Stamp, report: &Report, shape: String, out: &mut Vec<Signal>) {
        let part = match self.open.iter().position(Option::is_none) {
            Some(part) => part,
            None if self.open.len() < REPORTS_OPEN_MAX => {
                self.open.push(None);
                self.open.len() - 1
            }
            None => match self.oldest_over() {
                Some(part) => {
                    out.extend(self.open[part].take().map(|trouble| trouble.end(part)));
                    part
                }
                None => {
                    self.left_out += 1;
                    return;
                }
            },
        };
        let trouble = Trouble {
            name: report.name.clone(),
            shape,
            level: report.level,
            text: report.text.clone(),
            begin: stamp,
            count: 1,
            reported: stamp,
            rest: report.is_line.then_some(stamp),
            to: None,
        };
        out.push(trouble.signal(part, Edge::Begin, stamp));
        if report.is_line {
            out.push(trouble.signal(part, Edge::Rest, stamp));
        }
        self.open[part] = Some(trouble);
    }
}

impl Trouble {
    /// Takes a report of the same that is in trouble.
    fn go_on(&mut self, part: usize, stamp: Stamp, report: &Report, out: &mut Vec<Signal>) {
        self.reported = stamp;
        let is_again = self.rest.is_some();
        self.count = self.count.saturating_add(u32::from(is_again));
        let worse_than = (report.level > self.level).then_some(self.level);
        if worse_than.is_some() {
            (self.level, self.text) = (report.level, report.text.clone());
        }
        (self.rest, self.to) = (report.is_line.then_some(stamp), None);
        if is_again || worse_than.is_some() {
            let mut more = self.signal(part, Edge::More, stamp);
            more.measures.extend(worse_than.map(|level| text(WORSE_THAN, level.to_string())));
            out.push(more);
        }
        if report.is_line {
            out.push(self.signal(part, Edge::Rest, stamp));
        }
    }

    fn end(&self, part: usize) -> Signal {
        self.signal(part, Edge::End, self.rest.unwrap_or(self.reported))
    }

    fn signal(&self, part: usize, edge: Edge, stamp: Stamp) -> Signal {
        let mut measures: Vec<Measure> = vec![
            text("level", self.level.to_string()),
            text("name", self.name.clone()),
            text("text", self.text.clone()),
            measure("count", f64::from(self.count), ""),
        ];
        if edge == Edge::End {
            measures.push(duration(self.begin, stamp));
            measures.extend(self.to.map(|level| text("to", level.to_string())));
        }
        Signal { part, ..signal(TriggerKind::Level, edge, stamp, measures) }
    }
}

/// The words of a line without its numbers: what differs in them only is the same line.
fn shape_of(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_numeric());
    // A line of numbers alone is one, too.
    std::iter::once('#').chain(letters).take(SHAPE_CHARS_MAX).collect()
}
