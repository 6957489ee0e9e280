//! What was measured, and the table of it.

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What matters most, before the name of the quantile.
pub const HEADLINE: &str = "recall, filtered: CPU";

/// A number that was measured.
#[derive(Clone, Serialize, Deserialize)]
pub struct Figure {
    /// What it says.
    pub measure: String,
    /// The memory that it is of.
    pub system: String,
    /// Memories in it.
    pub size: usize,
    /// The number.
    pub value: f64,
    /// Of the number.
    pub unit: String,
}

/// Figures of one memory of one size.
pub struct Figures {
    system: String,
    size: usize,
    list: Vec<Figure>,
}

impl Figures {
    /// None yet.
    pub fn new(system: &str, size: usize) -> Self {
        Self { system: system.into(), size, list: Vec::new() }
    }

    /// Adds a figure, when there is one.
    pub fn add(&mut self, measure: &str, value: f64, unit: &str) {
        if value.is_finite() {
            self.list.push(Figure {
                measure: measure.into(),
                system: self.system.clone(),
                size: self.size,
                value,
                unit: unit.into(),
            });
        }
    }

    /// All of them, in the order in which they were added.
    pub fn into_list(self) -> Vec<Figure> {
        self.list
    }
}

/// A Markdown table: a line for each measure and memory, a column for each size.
pub fn table(figures: &[Figure]) -> String {
    let mut sizes: Vec<usize> = figures.iter().map(|figure| figure.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut measures: Vec<(&str, &str)> = Vec::new();
    let mut systems: Vec<&str> = Vec::new();
    for figure in figures {
        let measure = (figure.measure.as_str(), figure.unit.as_str());
        if !measures.contains(&measure) {
            measures.push(measure);
        }
        if !systems.contains(&figure.system.as_str()) {
            systems.push(&figure.system);
        }
    }
    // What the memory is for, first.
    measures.sort_by_key(|(measure, _)| !measure.starts_with("recall"));
    let mut table = String::from("| what | unit | memory |");
    let mut rule = String::from("|---|---|---|");
    for size in &sizes {
        let _ = write!(table, " {} |", grouped(*size));
        rule += "---:|";
    }
    table += "\n";
    table += &rule;
    table += "\n";
    for (measure, unit) in measures {
        for system in &systems {
            let of = |size: &usize| {
                figures.iter().find(|figure| {
                    figure.measure == measure
                        && figure.unit == unit
                        && figure.system == *system
                        && figure.size == *size
                })
            };
            if sizes.iter().any(|size| of(size).is_some()) {
                let mark = if measure.starts_with(HEADLINE) { "**" } else { "" };
                let _ = write!(table, "| {mark}{measure}{mark} | {unit} | {system} |");
                for size in &sizes {
                    let cell = of(size).map_or(String::new(), |figure| shown(figure.value));
                    let _ = write!(table, " {cell} |");
                }
                table += "\n";
            }
        }
    }
    table
}

/// A number of rows, with a space between thousands.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Three digits that count, or all before the point.
fn shown(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
