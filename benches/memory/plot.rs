//! Recall over the number of memories, as an SVG drawing that suits a light and a dark page.

use crate::figures::{Figure, HEADLINE, grouped};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 220.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Least vertical distance of two labels at the right.
const LABEL_STEP: f64 = 17.0;

/// Told apart also by who sees no red or no green: Okabe and Ito's blue, vermilion and green.
const COLORS: &[&str] = &["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

const STYLE: &str = "
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .line { fill: none; stroke-width: 2.5; }
  .dashed { stroke-dasharray: 6 5; stroke-width: 1.8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .line, circle { filter: brightness(1.35); }
  }";

/// The range of an axis, in decades.
struct Axis {
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Axis {
    /// Decades that hold all values, drawn between two places.
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| {
            (least.min(v), most.max(v))
        });
        let first = least.log10().floor() as i32;
        let last = (most.log10().ceil() as i32).max(first + 1);
        Self { first, last, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + share * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|exponent| 10_f64.powi(exponent))
    }
}

/// A line of the plot.
struct Line<'a> {
    system: &'a str,
    quantile: &'a str,
    points: Vec<(f64, f64)>,
}

/// The median and the 95th percentile of a filtered recall of each memory.
pub fn svg(figures: &[Figure]) -> String {
    let lines = lines(figures);
    let points = || lines.iter().flat_map(|line| &line.points);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>CPU time of a filtered recall over the number of memories</title>\n\
         <style>{STYLE}\n</style>\n"
    );
    if points().next().is_none() {
        return svg + "</svg>\n";
    }
    let x = Axis::new(points().map(|point| point.0), LEFT, WIDTH - RIGHT);
    let y = Axis::new(points().map(|point| point.1), HEIGHT - BOTTOM, TOP);
    axes(&mut svg, &x, &y);

    let mut systems: Vec<&str> = Vec::new();
    let mut labels = Vec::new();
    for line in &lines {
        let number =
            systems.iter().position(|system| *system == line.system).unwrap_or_else(|| {
                systems.push(line.system);
                systems.len() - 1
            });
        let color = COLORS[number % COLORS.len()];
        let class = if line.quantile == "p50" { "line" } else { "line dashed" };
        let path: Vec<String> = line
            .points
            .iter()
            .map(|(size, ms)| format!("{:.1},{:.1}", x.place(*size), y.place(*ms)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline class=\"{class}\" stroke=\"{color}\" points=\"{}\"/>",
            path.join(" ")
        );
        for (size, ms) in &line.points {
            let (cx, cy) = (x.place(*size), y.place(*ms));
            let _ = writeln!(
                svg,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\" fill=\"{color}\">\
                 <title>{}, {} memories: {ms:.2} ms {}</title></circle>",
                escaped(line.system),
                grouped(*size as usize),
                line.quantile
            );
        }
        if let Some((_, ms)) = line.points.last() {
            let text = format!("{} {}", line.system, line.quantile);
            labels.push(Label { place: y.place(*ms), text, class, color });
        }
    }
    legend(&mut svg, labels);
    svg + "</svg>\n"
}

fn lines(figures: &[Figure]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for figure in figures {
        let Some(quantile) = figure.measure.strip_prefix(HEADLINE).map(str::trim) else { continue };
        if quantile == "p99" || figure.value <= 0.0 {
            continue;
        }
        let point = (figure.size as f64, figure.value);
        let known =
            lines.iter_mut().find(|line| line.system == figure.system && line.quantile == quantile);
        match known {
            Some(line) => line.points.push(point),
            None => lines.push(Line { system: &figure.system, quantile, points: vec![point] }),
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines
}

fn axes(svg: &mut String, x: &Axis, y: &Axis) {
    let _ = writeln!(
        svg,
        "<text class=\"title\" x=\"{LEFT}\" y=\"24\">Recall: words and vectors, filtered, top 5</text>"
    );
    for size in x.decades() {
        let place = x.place(size);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y.from,
            y.to,
            y.from + 20.0,
            grouped(size as usize)
        );
    }
    for ms in y.decades() {
        let place = y.place(ms);
        let label = if ms >= 1.0 { grouped(ms as usize) } else { ms.to_string() };
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label} ms</text>",
            x.from,
            x.to,
            x.from - 8.0,
            place + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">memories</text>\
         <text x=\"{LEFT}\" y=\"{:.1}\">CPU time besides the model</text>",
        (x.from + x.to) / 2.0,
        HEIGHT - 12.0,
        TOP - 8.0
    );
}

/// What a line is, beside its end.
struct Label<'a> {
    place: f64,
    text: String,
    class: &'a str,
    color: &'a str,
}

/// At the right, each beside the end of its line, moved down where two would touch.
fn legend(svg: &mut String, mut labels: Vec<Label<'_>>) {
    labels.sort_by(|a, b| a.place.total_cmp(&b.place));
    let mut free_from = TOP;
    for Label { place, text, class, color } in labels {
        let place = place.max(free_from);
        free_from = place + LABEL_STEP;
        let left = WIDTH - RIGHT + 12.0;
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" stroke=\"{color}\" x1=\"{left:.1}\" x2=\"{:.1}\" \
             y1=\"{place:.1}\" y2=\"{place:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left + 24.0,
            left + 30.0,
            place + 4.5,
            escaped(&text)
        );
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
