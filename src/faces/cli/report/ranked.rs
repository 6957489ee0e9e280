//! Names with counts.

use crate::faces::figures::charts::caption;
use crate::faces::figures::format::{count, shortened};
use maud::{Markup, PreEscaped, html};

/// Closed in itself, so that the page is XML too: maud writes no such tags.
const RANKED_COLUMNS: PreEscaped<&str> =
    PreEscaped("<colgroup><col style=\"width:38%\"/><col/><col style=\"width:5rem\"/></colgroup>");

/// Names with counts, as bars across.
pub fn ranked(title: &str, note: &str, unit: &str, counts: &[(String, u64)]) -> Markup {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let width = |number: u64| format!("width:{:.1}%", number as f64 / most as f64 * 100.0);
    html! {
        figure class="ranked" {
            (caption(title, note))
            table {
                (RANKED_COLUMNS)
                thead class="hidden" {
                    tr {
                        th scope="col" { "name" }
                        th scope="col" { "share of the greatest" }
                        th scope="col" { (unit) }
                    }
                }
                tbody {
                    @for (name, number) in counts {
                        tr {
                            th scope="row" title=(name) {
                                @if name.is_empty() { "(none)" } @else { (shortened(name, 40)) }
                            }
                            td { b style=(width(*number)) {} }
                            td { (count(*number)) }
                        }
                    }
                }
            }
        }
    }
}
