//! Drawings in SVG: escaped texts, and numbers that a drawing can hold.

use maud::{Markup, PreEscaped};
use std::fmt::{Display, Write};

/// A text as it may stand in SVG, in an attribute too.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            c => shown.push(visible(c)),
        }
    }
    shown
}

/// A character that can be shown, or a mark: controls, and what turns the direction of all that follows.
pub fn visible(c: char) -> char {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// A drawing in the making, in units of its view box.
pub struct Drawing {
    width: f64,
    height: f64,
    body: String,
}

impl Drawing {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// A rectangle, with what it is of as a title; nothing when it has no height or width.
    pub fn bar(&mut self, class: &str, at: [f64; 2], size: [f64; 2], title: &str) {
        if size.iter().all(|side| *side > 0.0) {
            let [x, y] = at.map(number);
            let [width, height] = size.map(number);
            self.add(format_args!(
                "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">\
                 <title>{}</title></rect>",
                escaped(title)
            ));
        }
    }

    pub fn line(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        let ([x1, y1], [x2, y2]) = (from.map(number), to.map(number));
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        ));
    }

    pub fn circle(&mut self, class: &str, at: [f64; 2], radius: f64) {
        let [x, y] = at.map(number);
        self.add(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>",
            number(radius)
        ));
    }

    /// A line through points.
    pub fn polyline(&mut self, class: &str, points: &[[f64; 2]]) {
        let points: Vec<String> = points
            .iter()
            .map(|point| {
                let [x, y] = point.map(number);
                format!("{x},{y}")
            })
            .collect();
        self.add(format_args!("<polyline class=\"{class}\" points=\"{}\"/>", points.join(" ")));
    }

    /// A mark that leads somewhere, with what it is: a circle, but a diamond when it is bad, for who cannot tell
    /// colors apart.
    pub fn pin(&mut self, class: &str, at: [f64; 2], radius: f64, path: &str, title: &str) {
        let ([x, y], path, title) = (at, escaped(path), escaped(title));
        let is_diamond = class.split(' ').any(|one| one == "bad");
        // Of about the same area as the circle.
        let r = if is_diamond { radius * 1.2 } else { radius };
        let [left, right, top, bottom] = [x - r, x + r, y - r, y + r].map(number);
        let ([x, y], r) = (at.map(number), number(r));
        self.add(format_args!("<a href=\"{path}\" aria-label=\"{title}\">"));
        if is_diamond {
            self.add(format_args!(
                "<path class=\"{class}\" d=\"M{x} {top}L{right} {y}L{x} {bottom}L{left} {y}Z\"><title>{title}</title></path>"
            ));
        } else {
            self.add(format_args!(
                "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"><title>{title}</title></circle>"
            ));
        }
        self.add("</a>");
    }

    /// A mark that is no circle, for who cannot tell colors apart.
    pub fn cross(&mut self, class: &str, at: [f64; 2], radius: f64) {
        let ([x, y], r) = (at, radius);
        let [left, right, top, bottom] = [x - r, x + r, y - r, y + r].map(number);
        self.add(format_args!(
            "<path class=\"{class}\" d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\"/>"
        ));
    }

    /// A text; `anchor` is start, middle or end.
    pub fn text(&mut self, class: &str, at: [f64; 2], anchor: &str, text: &str) {
        let [x, y] = at.map(number);
        self.add(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(text)
        ));
    }

    fn add(&mut self, part: impl Display) {
        // Writing to a string does not fail.
        let _ = write!(self.body, "{part}");
    }

    /// The drawing, with what it shows in words.
    pub fn finish(self, label: &str) -> Markup {
        self.finish_as("img", label)
    }

    /// The same when parts of it lead somewhere.
    pub fn finish_with_links(self, label: &str) -> Markup {
        self.finish_as("group", label)
    }

    fn finish_as(self, role: &str, label: &str) -> Markup {
        PreEscaped(format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"{role}\" aria-label=\"{}\">{}</svg>",
            number(self.width),
            number(self.height),
            escaped(label),
            self.body
        ))
    }
}

/// A number of a drawing: finite, to a hundredth.
pub fn number(value: f64) -> String {
    let value = if value.is_finite() { value.clamp(-1e6, 1e6) } else { 0.0 };
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// About `count` round numbers from 0 to at least `most`: steps of 1, 2 or 5 times a power of ten, and
/// whole when the numbers are counts.
pub fn ticks(most: f64, count: usize) -> Vec<f64> {
    let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
    let rough = most / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter();
    let step =
        step.clone().find(|step| *step >= rough * 0.999).unwrap_or(rough).max(f64::MIN_POSITIVE);
    let last = (most / step - 1e-9).ceil() as usize;
    (0..=last.min(20)).map(|tick| tick as f64 * step).collect()
}

/// The same of counts.
pub fn count_ticks(most: u64) -> Vec<f64> {
    if most <= 4 {
        (0..=most.max(1)).map(|tick| tick as f64).collect()
    } else {
        ticks(most as f64, 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::figures::format::shortened;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ticks_rise_evenly_and_reach_the_most(most in 0u64..u64::MAX, value in 1e-6f64..1e12) {
            for (ticks, most) in [(count_ticks(most), most as f64), (ticks(value, 5), value)] {
                prop_assert!(ticks.len() >= 2 && ticks.len() <= 12, "{} of {most}", ticks.len());
                prop_assert!(ticks[ticks.len() - 1] >= most * 0.999);
                prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            }
            prop_assert!(count_ticks(most).iter().all(|tick| tick.fract() == 0.0));
        }

        #[test]
        fn no_text_gets_out_of_its_place(text in any::<String>()) {
            let shown = escaped(&text);
            prop_assert!(!shown.contains(['<', '>', '"', '\'']));
            prop_assert!(escaped(&shortened(&text, 9)).chars().count() <= 9 * 6);
        }

        #[test]
        fn numbers_are_numbers(value in any::<f64>()) {
            prop_assert!(number(value).parse::<f64>().is_ok_and(f64::is_finite), "{}", number(value));
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            ["0", "1.5", "-2", "0"],
            [f64::NAN, 1.5, -2.001, -0.001].map(number).each_ref().map(String::as_str)
        );
    }
}
