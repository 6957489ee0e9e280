//! The page as a whole: its head, its key figures and its sections, one after the other.

use super::sections;
use super::style::STYLE;
use crate::faces::cli::values::timestamp_at;
use crate::faces::figures::format::{bytes, count, duration, offset};
use crate::faces::figures::svg::visible;
use maud::{Markup, PreEscaped, html};
use robot_memory_core::api::{KeyCount, Periods, ReportResponse, StatusLevel};
use robot_memory_core::model::Stamp;

/// What sections need besides the figures.
pub struct Sheet<'a> {
    pub report: &'a ReportResponse,
    pub utc_offset_secs: i32,
    /// The first day of each period.
    pub periods: Vec<String>,
}

impl Sheet<'_> {
    pub fn time(&self, stamp: Stamp) -> String {
        timestamp_at(stamp, self.utc_offset_secs)
    }

    /// How long a bar of a chart over time is.
    pub fn period(&self) -> String {
        match self.report.periods.days {
            0 | 1 => "day".to_owned(),
            7 => "week".to_owned(),
            days => format!("period of {} weeks", days / 7),
        }
    }
}

/// What a browser is to know first; each tag closed in itself, so that the page is XML too.
const META: PreEscaped<&str> = PreEscaped(
    "<meta charset=\"utf-8\"/>\
     <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
     <meta name=\"color-scheme\" content=\"light dark\"/>\
     <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>",
);

/// All of it, as HTML that is XML too.
pub fn page(report: &ReportResponse, store: &str, utc_offset_secs: i32) -> String {
    let Periods { first_day, days, count } = report.periods;
    let day = |place: usize| first_day + i64::from(days) * place as i64;
    let periods = (0..count).map(|place| Stamp::date_of_day(day(place))).collect();
    let sheet = Sheet { report, utc_offset_secs, periods };
    let name = store.rsplit('/').next().unwrap_or(store);
    let page = html! {
        html lang="en" {
            head { (META) title { "Memory of " (name) } style { (PreEscaped(STYLE)) } }
            body {
                main {
                    (head(&sheet, store))
                    (keys(report))
                    @for section in sections::all(&sheet) { (section) }
                    (foot(&sheet))
                }
            }
        }
    };
    let page: String = page.into_string().chars().map(visible).collect();
    format!("<!DOCTYPE html>\n{page}\n")
}

/// How a level is shown: its word too, for who cannot tell colors apart.
pub fn badge(level: StatusLevel) -> Markup {
    let word = match level {
        StatusLevel::Ok => "healthy",
        StatusLevel::Warn => "needs attention",
        StatusLevel::Error => "in trouble",
    };
    html! { span class={ "badge " (level) } { (word) } }
}

fn head(sheet: &Sheet<'_>, store: &str) -> Markup {
    let made = match sheet.report.made_at {
        Some(at) => format!("{} {}", sheet.time(at), offset(sheet.utc_offset_secs)),
        None => "at an unknown time".to_owned(),
    };
    html! {
        header {
            h1 { "A robot’s memory " (badge(sheet.report.status.level)) }
            p { code { (store) } }
            p {
                "As it was at " (made)
                @if let Some((first, last)) = sheet.report.span {
                    ". Its memories reach from " (sheet.time(first)) " to " (sheet.time(last))
                    ", over " (duration(first, last))
                }
                "."
            }
        }
    }
}

fn keys(report: &ReportResponse) -> Markup {
    let status = &report.status;
    let of = |counts: &[KeyCount], key: &str| {
        counts.iter().find(|count| count.key == key).map_or(0, |found| found.count)
    };
    let attempts: u64 = report.tasks.iter().map(|it| it.success_count + it.failure_count).sum();
    let keys = [
        (count(of(&status.by_status, "active")), "active memories"),
        (count(of(&status.by_type, "fact")), "facts"),
        (count(of(&status.by_type, "perception")), "perceptions"),
        (count(of(&status.by_status, "archived")), "archived"),
        (count(report.session_count), "sessions"),
        (count(attempts), "attempts shown"),
        (count(status.conflict_count), "open contradictions"),
        (bytes(status.store_bytes), "store on disk"),
    ];
    html! {
        div class="keys" {
            @for (value, name) in keys { div class="key" { b { (value) } span { (name) } } }
        }
    }
}

fn foot(sheet: &Sheet<'_>) -> Markup {
    let status = &sheet.report.status;
    html! {
        footer {
            @if !sheet.report.notes.is_empty() {
                p { "Left out: " (sheet.report.notes.join("; ")) "." }
            }
            p {
                "robot_memory " (status.version) ", schema " (status.schema_version)
                ". Every number was counted in the store when the page was made; "
                "memories are named by id, as " code { "memory get ID" } " shows them. Times are "
                (offset(sheet.utc_offset_secs)) "."
            }
        }
    }
}
