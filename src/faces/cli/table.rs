//! Columns that stand below each other.

use super::values::visible;
use robot_memory_core::api::KeyCount;
use std::fmt::Write;

/// Rows of cells, each with lines of free text below it. A column in which every cell is empty is
/// left out.
pub struct Table {
    /// The head of each, and whether it is of numbers.
    columns: Vec<(&'static str, bool)>,
    rows: Vec<(Vec<String>, Vec<String>)>,
}

impl Table {
    /// With columns of these heads; those of numbers, which stand at the right, begin with `#`.
    pub fn new<const N: usize>(heads: [&'static str; N]) -> Self {
        let column = |head: &'static str| match head.strip_prefix('#') {
            Some(head) => (head, true),
            None => (head, false),
        };
        Self { columns: heads.map(column).into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.row_with(cells, Vec::new());
    }

    /// Rows of names and values; of those without a value none.
    pub fn fields<const N: usize>(&mut self, fields: [(&str, String); N]) {
        for (name, value) in fields {
            if !value.is_empty() {
                self.row([name.to_owned(), visible(&value)]);
            }
        }
    }

    /// A number by its name, in the last of three columns.
    pub fn total(&mut self, name: &str, number: impl ToString) {
        self.row([name.to_owned(), String::new(), number.to_string()]);
    }

    /// What is counted, by key; the name stands at the first.
    pub fn counts(&mut self, name: &str, counts: &[KeyCount]) {
        for (index, KeyCount { key, count }) in counts.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            self.row([name.to_owned(), visible(key), count.to_string()]);
        }
    }

    /// Adds a row, and the lines below it.
    pub fn row_with<const N: usize>(&mut self, cells: [String; N], below: Vec<String>) {
        self.rows.push((cells.into(), below));
    }

    /// The table as text; the lines below a row are set in by as much as `indent` says.
    pub fn render(&self, indent: usize) -> String {
        let width = |index: usize| {
            let cells = self.rows.iter().map(|(cells, _)| cell(cells, index).chars().count());
            cells.max().filter(|width| *width > 0)
        };
        let columns: Vec<(usize, &str, bool, usize)> = self
            .columns
            .iter()
            .enumerate()
            .filter_map(|(index, (head, is_number))| {
                Some((index, *head, *is_number, width(index)?.max(head.chars().count())))
            })
            .collect();
        let line = |text: &mut String, of: &dyn Fn(usize, &'static str) -> String| {
            let mut set = String::new();
            for (index, _, is_number, width) in &columns {
                let shown = of(*index, self.columns[*index].0);
                let _ = match is_number {
                    false => write!(set, "{shown:<width$}  "),
                    true => write!(set, "{shown:>width$}  "),
                };
            }
            text.push_str(set.trim_end());
            text.push('\n');
        };
        let mut text = String::new();
        if columns.iter().any(|(_, head, ..)| !head.is_empty()) {
            line(&mut text, &|_, head| head.to_owned());
        }
        for (cells, below) in &self.rows {
            line(&mut text, &|index, _| cell(cells, index).to_owned());
            for free in below {
                let set = format!("{:indent$}{free}", "");
                text.push_str(set.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

fn cell(cells: &[String], index: usize) -> &str {
    cells.get(index).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_and_gone_when_empty() {
        let mut table = Table::new(["#id", "none", "what"]);
        table
            .row_with(["7".into(), String::new(), "a".into()], vec!["below".into(), String::new()]);
        table.row(["100".into(), String::new(), "a cup".into()]);
        assert_eq!(table.render(2), " id  what\n  7  a\n  below\n\n100  a cup\n");
    }

    #[test]
    fn without_heads_there_is_no_head_line() {
        let mut table = Table::new(["", "#"]);
        table.row(["a".into(), "1".into()]);
        assert_eq!(table.render(0), "a  1\n");
    }
}
