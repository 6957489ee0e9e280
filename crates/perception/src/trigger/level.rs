use super::{duration, measure, parameters, signal, text};
use crate::span::secs_between;
use crate::{Edge, Measure, Report, ReportLevel, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::limits::REPORTS_OPEN_MAX;
use robot_memory_core::model::Stamp;

/// Characters of a text that tell lines of a log apart.
const SHAPE_CHARS_MAX: usize = 200;

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
    /// Since when it is over; `None` while it lasts.
    rest: Option<Stamp>,
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
            let is_over = |trouble: &mut Trouble| {
                trouble.rest.is_some_and(|rest| secs_between(rest, stamp) > self.fold_secs)
            };
            if let Some(trouble) = place.take_if(is_over) {
                out.push(trouble.signal(part, Edge::End, trouble.rest.unwrap_or(stamp)));
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
        match known.and_then(|part| Some((part, self.open[part].as_mut()?))) {
            Some((part, trouble)) if report.is_active => {
                let is_again = trouble.rest.is_some();
                trouble.count = trouble.count.saturating_add(u32::from(is_again));
                let is_worse = report.level > trouble.level;
                if is_worse {
                    (trouble.level, trouble.text) = (report.level, report.text.clone());
                }
                trouble.rest = report.is_line.then_some(stamp);
                if is_again || is_worse {
                    out.push(trouble.signal(part, Edge::More, stamp));
                }
                if report.is_line {
                    out.push(trouble.signal(part, Edge::Rest, stamp));
                }
            }
            Some((part, trouble)) if trouble.rest.is_none() => {
                trouble.rest = Some(stamp);
                out.push(trouble.signal(part, Edge::Rest, stamp));
            }
            None if report.is_active => self.begin(stamp, report, shape, out),
            _ => {}
        }
    }

    fn begin(&mut self, stamp: Stamp, report: &Report, shape: String, out: &mut Vec<Signal>) {
        let part = match self.open.iter().position(Option::is_none) {
            Some(part) => part,
            None if self.open.len() < REPORTS_OPEN_MAX => {
                self.open.push(None);
                self.open.len() - 1
            }
            None => {
                self.left_out += 1;
                return;
            }
        };
        let trouble = Trouble {
            name: report.name.clone(),
            shape,
            level: report.level,
            text: report.text.clone(),
            begin: stamp,
            count: 1,
            rest: report.is_line.then_some(stamp),
        };
        out.push(trouble.signal(part, Edge::Begin, stamp));
        if report.is_line {
            out.push(trouble.signal(part, Edge::Rest, stamp));
        }
        self.open[part] = Some(trouble);
    }
}

impl Trouble {
    fn signal(&self, part: usize, edge: Edge, stamp: Stamp) -> Signal {
        let mut measures: Vec<Measure> = vec![
            text("level", self.level.to_string()),
            text("name", self.name.clone()),
            text("text", self.text.clone()),
            measure("count", f64::from(self.count), ""),
        ];
        if edge == Edge::End {
            measures.push(duration(self.begin, stamp));
            if self.shape.is_empty() {
                measures.push(text("to", ReportLevel::Ok.to_string()));
            }
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
