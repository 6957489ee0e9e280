//! What was measured, as Markdown.

use crate::measures::Measures;
use crate::methods::Method;
use crate::{ALL, ALL_SEALED, Answered, Results, bootstrap, material};
use std::fmt::Write as _;

/// One row for each set and kind, one column for each method.
pub fn markdown(results: &Results) -> String {
    let mut text = format!("Each cell: {}.\n\n", Measures::NAMES.join(", "));
    let methods = Method::EACH.map(Method::name);
    let _ = writeln!(text, "| set | kind | questions | {} |", methods.join(" | "));
    let _ = writeln!(text, "|---|---|---:|{}", "---|".repeat(methods.len()));
    for of_set in material::labels().chain([ALL_SEALED.to_owned(), ALL.to_owned()]) {
        let rows = || results.iter().filter(|((set, _), _)| *set == of_set);
        let kinds = rows().filter(|((_, kind), _)| kind != ALL);
        for ((set, kind), (count, by_method)) in
            kinds.chain(rows().filter(|((_, kind), _)| kind == ALL))
        {
            let cells = by_method.each_ref().map(cell);
            let _ = writeln!(text, "| {set} | {kind} | {count} | {} |", cells.join(" | "));
        }
    }
    text
}

/// By how much the final ranking leads the others.
pub fn leads(answered: &[Answered]) -> String {
    let mut text = String::new();
    for other in Method::EACH.into_iter().filter(|method| *method != Method::Final) {
        let lead = lead(answered, other);
        let mean = lead.iter().sum::<f64>() / lead.len() as f64;
        let (least, most) = bootstrap::interval(&lead);
        let _ = writeln!(
            text,
            "nDCG@10 of the final ranking over {}: {mean:+.3} (95 % interval {least:+.3} to {most:+.3})",
            other.name()
        );
    }
    text
}

/// The final ranking's nDCG@10 less that of another, question by question.
pub fn lead(answered: &[Answered], other: Method) -> Vec<f64> {
    let gain = |question: &Answered, method| question.by_method[method as usize].ndcg_at_10;
    answered.iter().map(|question| gain(question, Method::Final) - gain(question, other)).collect()
}

fn cell(measures: &Measures) -> String {
    measures.values().map(|value| format!("{value:.2}")).join(" ")
}
