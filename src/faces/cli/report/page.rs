//! The page as a whole: its head, its key figures and its sections, one after the other.

use super::format::{bytes, count, duration, offset, time};
use super::sections;
use super::style::STYLE;
use super::svg::escaped;
use robot_memory_core::api::{KeyCount, Periods, ReportResponse, StatusLevel};
use robot_memory_core::model::Stamp;
use std::fmt::Write;

/// What sections need besides the figures.
pub struct Sheet<'a> {
    pub report: &'a ReportResponse,
    pub utc_offset_secs: i32,
    /// The first day of each period.
    pub periods: Vec<String>,
}

impl Sheet<'_> {
    pub fn time(&self, stamp: Stamp) -> String {
        time(stamp, self.utc_offset_secs)
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

/// All of it, as HTML that is XML too.
pub fn page(report: &ReportResponse, store: &str, utc_offset_secs: i32) -> String {
    let Periods { first_day, days, count } = report.periods;
    let day = |place: usize| first_day + i64::from(days) * place as i64;
    let periods = (0..count).map(|place| Stamp::date_of_day(day(place))).collect();
    let sheet = Sheet { report, utc_offset_secs, periods };
    let mut html = String::with_capacity(64 * 1024);
    let name = store.rsplit('/').next().unwrap_or(store);
    let _ = write!(
        html,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
         <meta name=\"color-scheme\" content=\"light dark\"/>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\
         <title>Memory of {}</title><style>{STYLE}</style></head><body><main>",
        escaped(name)
    );
    head(&mut html, &sheet, store);
    keys(&mut html, report);
    for section in sections::all(&sheet) {
        html.push_str(&section);
    }
    foot(&mut html, &sheet);
    html.push_str("</main></body></html>\n");
    html
}

/// How a level is shown: its word too, for who cannot tell colors apart.
pub fn badge(level: StatusLevel) -> String {
    let word = match level {
        StatusLevel::Ok => "healthy",
        StatusLevel::Warn => "needs attention",
        StatusLevel::Error => "in trouble",
    };
    format!("<span class=\"badge {level}\">{word}</span>")
}

fn head(html: &mut String, sheet: &Sheet<'_>, store: &str) {
    let made = match sheet.report.made_at {
        Some(at) => format!("{} {}", sheet.time(at), offset(sheet.utc_offset_secs)),
        None => "at an unknown time".to_owned(),
    };
    let _ = write!(
        html,
        "<header><h1>A robot’s memory {}</h1><p><code>{}</code></p><p>As it was at {made}",
        badge(sheet.report.status.level),
        escaped(store)
    );
    if let Some((first, last)) = sheet.report.span {
        let _ = write!(
            html,
            ". Its memories reach from {} to {}, over {}",
            sheet.time(first),
            sheet.time(last),
            duration(first, last)
        );
    }
    html.push_str(".</p></header>");
}

fn keys(html: &mut String, report: &ReportResponse) {
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
    html.push_str("<div class=\"keys\">");
    for (value, name) in keys {
        let _ = write!(html, "<div class=\"key\"><b>{value}</b><span>{name}</span></div>");
    }
    html.push_str("</div>");
}

fn foot(html: &mut String, sheet: &Sheet<'_>) {
    let status = &sheet.report.status;
    html.push_str("<footer>");
    if !sheet.report.notes.is_empty() {
        let notes = sheet.report.notes.join("; ");
        let _ = write!(html, "<p>Left out: {}.</p>", escaped(&notes));
    }
    let _ = write!(
        html,
        "<p>robot_memory {}, schema {}. Every number was counted in the store when the page was made; \
         memories are named by id, as <code>memory get ID</code> shows them. Times are {}.</p></footer>",
        escaped(&status.version),
        status.schema_version,
        offset(sheet.utc_offset_secs)
    );
}
