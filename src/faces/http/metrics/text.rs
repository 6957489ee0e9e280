//! The OpenMetrics text format, version 1.0.0.
//!
//! All numbers are counted elsewhere, for `~/status` and `/diagnostics` too; a library of metrics would hold each a second time,
//! and its own part here would be these lines.

use std::fmt::{Display, Write as _};

/// What a Prometheus is told that the text is.
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Metrics as text.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

/// What the samples of a family are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Gauge,
    Counter,
    Histogram,
    Info,
}

/// One metric, to which samples are added.
pub(super) struct Family<'e> {
    text: &'e mut String,
    name: &'static str,
    /// Behind the name of a sample.
    suffix: &'static str,
}

impl Exposition {
    /// A number that rises and falls.
    pub fn gauge(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, Kind::Gauge, help)
    }

    /// A number that only rises, until the program or what it is of begins anew. Its samples end in `_total`.
    pub fn counter(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, Kind::Counter, help)
    }

    /// Numbers by their size.
    pub fn histogram(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, Kind::Histogram, help)
    }

    /// What does not change. Its sample ends in `_info`.
    pub fn info(&mut self, name: &'static str, help: &str) -> Family<'_> {
        self.family(name, Kind::Info, help)
    }

    /// The text.
    pub fn end(mut self) -> String {
        self.0.push_str("# EOF\n");
        self.0
    }

    fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> Family<'_> {
        let text = &mut self.0;
        let (spelled, suffix) = match kind {
            Kind::Gauge => ("gauge", ""),
            Kind::Counter => ("counter", "_total"),
            Kind::Histogram => ("histogram", ""),
            Kind::Info => ("info", "_info"),
        };
        let _ = writeln!(text, "# TYPE {name} {spelled}");
        // The unit is the end of the name, as the format has it.
        if let Some(unit) = ["bytes", "seconds"].into_iter().find(|unit| name.ends_with(unit)) {
            let _ = writeln!(text, "# UNIT {name} {unit}");
        }
        let _ = writeln!(text, "# HELP {name} {}", escaped(help));
        Family { text, name, suffix }
    }
}

impl Family<'_> {
    /// A sample of this metric.
    pub fn add(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.sample(self.suffix, labels, value);
    }

    /// A sample whose name has this behind it, as those of a histogram have.
    pub fn sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let Self { text, name, .. } = self;
        let _ = write!(text, "{name}{suffix}");
        for (index, (label, of)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            let _ = write!(text, "{before}{label}=\"{}\"", escaped(of));
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(text, "{after} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_units_and_labels_are_spelled_as_the_format_has_them() {
        let mut exposition = Exposition::default();
        exposition.gauge("a_bytes", "Bytes.").add(&[], 5);
        let mut counter = exposition.counter("b", "Of \"a\\b\".");
        counter.add(&[("x", "1"), ("topic", "/a\n\"b\"\\")], 2.5);
        exposition.info("c", "It.").add(&[("version", "1")], 1);
        assert_eq!(
            exposition.end(),
            "# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n# HELP a_bytes Bytes.\na_bytes 5\n\
             # TYPE b counter\n# HELP b Of \\\"a\\\\b\\\".\n\
             b_total{x=\"1\",topic=\"/a\\n\\\"b\\\"\\\\\"} 2.5\n\
             # TYPE c info\n# HELP c It.\nc_info{version=\"1\"} 1\n# EOF\n"
        );
    }
}
