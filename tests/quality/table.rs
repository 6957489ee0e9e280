//! What was measured, as Markdown.

use crate::measures::Measures;
use crate::methods::Method;
use crate::{ALL, Results, material};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// One row for each set and kind, one column for each method.
pub fn markdown(results: &Results) -> String {
    let mut text = format!("Each cell: {}.\n\n", Measures::NAMES.join(", "));
    let methods = Method::EACH.map(Method::name);
    let _ = writeln!(text, "| set | kind | {} |", methods.join(" | "));
    let _ = writeln!(text, "|---|---|{}", "---|".repeat(methods.len()));
    for set in material::SETS.into_iter().chain([ALL]) {
        let kinds: BTreeSet<&str> = results
            .keys()
            .filter(|(of_set, kind, _)| of_set == set && kind != ALL)
            .map(|(_, kind, _)| kind.as_str())
            .collect();
        for kind in kinds.into_iter().chain([ALL]) {
            let cells = Method::EACH.map(|method| {
                results
                    .get(&(set.to_owned(), kind.to_owned(), method))
                    .map_or_else(String::new, cell)
            });
            let _ = writeln!(text, "| {set} | {kind} | {} |", cells.join(" | "));
        }
    }
    text
}

fn cell(measures: &Measures) -> String {
    measures.values().map(|value| format!("{value:.2}")).join(" ")
}
