//! The parts of the page, from the state of things to the last byte.

use super::charts::{Layer, histogram, interval, over_time, ranked, spark, table};
use super::format::{bytes, count, duration, percent, plural};
use super::page::{Sheet, badge};
use super::places;
use super::svg::{escaped, shortened};
use robot_memory_core::api::KeyCount;
use robot_memory_core::model::Kind;
use serde_json::Value;
use std::fmt::Write;

/// Steps and findings of one run of maintenance that are shown.
const FINDINGS: usize = 12;

/// All of them, in order.
pub fn all(sheet: &Sheet<'_>) -> [String; 9] {
    [
        health(sheet),
        growth(sheet),
        kinds(sheet),
        tasks(sheet),
        maps(sheet),
        forgetting(sheet),
        conflicts(sheet),
        maintenance(sheet),
        upkeep(sheet),
    ]
}

fn section(title: &str, body: &str) -> String {
    format!("<section><h2>{title}</h2>{body}</section>")
}

fn empty(text: &str) -> String {
    format!("<p class=\"empty\">{text}</p>")
}

/// A table of words; columns whose head begins with `#` are numbers.
fn words(heads: &[&str], rows: &[Vec<String>]) -> String {
    let class = |place: usize| match heads.get(place) {
        Some(head) if head.starts_with('#') => " class=\"n tight\"",
        _ => "",
    };
    let mut html = String::from(
        "<div class=\"card\"><div class=\"scroll\"><table class=\"words\"><thead><tr>",
    );
    for (place, head) in heads.iter().enumerate() {
        let _ =
            write!(html, "<th scope=\"col\"{}>{}</th>", class(place), head.trim_start_matches('#'));
    }
    html.push_str("</tr></thead><tbody>");
    for row in rows {
        html.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            let _ = write!(html, "<td{}>{cell}</td>", class(place));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div></div>");
    html
}

fn health(sheet: &Sheet<'_>) -> String {
    let rows: Vec<Vec<String>> = sheet
        .report
        .status
        .components
        .iter()
        .map(|part| {
            vec![
                escaped(&part.name.replace('_', " ")),
                match part.state.as_str() {
                    "unknown" => "<span class=\"badge unknown\">not known here</span>".to_owned(),
                    _ => badge(part.level),
                },
                escaped(&part.state.replace('_', " ")),
                escaped(&part.message),
            ]
        })
        .collect();
    section("Health", &words(&["part", "", "state", "what it means, and what to do"], &rows))
}

fn growth(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    if sheet.periods.is_empty() {
        let text = empty("Nothing is stored yet: the charts begin with the first memory.");
        return section("Over time", &text);
    }
    let layers: Vec<Layer<'_>> = report
        .stored
        .iter()
        .map(|(kind, counts)| {
            let (class, name) = match kind {
                Kind::Fact => ("c1", "facts"),
                Kind::Perception => ("c2", "perceptions"),
                Kind::Summary => ("c3", "summaries"),
            };
            Layer { class, name, counts }
        })
        .collect();
    let note = format!("By the {} in which they were made, of any status.", sheet.period());
    let stored = over_time("Memories stored", &note, "memories", &sheet.periods, &layers);
    let sessions = [Layer { class: "c4", name: "sessions", counts: &report.sessions }];
    let note = format!(
        "By the {} in which they began; {} open.",
        sheet.period(),
        count(report.status.open_sessions)
    );
    let sessions = over_time("Sessions", &note, "sessions", &sheet.periods, &sessions);
    section("Over time", &format!("<div class=\"grid\">{stored}{sessions}</div>"))
}

fn kinds(sheet: &Sheet<'_>) -> String {
    let status = &sheet.report.status;
    let by_count = |counts: &[KeyCount], most: usize| {
        let mut counts: Vec<(String, u64)> =
            counts.iter().map(|it| (it.key.replace('_', " "), it.count)).collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts.truncate(most);
        counts
    };
    let chart = |title: &str, note: &str, counts: &[KeyCount]| match counts {
        [] => String::new(),
        counts => ranked(title, note, "memories", &by_count(counts, 12)),
    };
    let named = |counts: &[KeyCount]| {
        counts.iter().take(12).map(|it| (it.key.clone(), it.count)).collect::<Vec<_>>()
    };
    let mut body = String::from("<div class=\"grid three\">");
    body.push_str(&chart("Status", "Of all that is stored.", &status.by_status));
    body.push_str(&chart("Categories", "Of active facts.", &status.by_category));
    body.push_str(&chart(
        "Life cycle classes",
        "Of active memories; so the next.",
        &status.by_mem_type,
    ));
    body.push_str(&chart("Levels", "", &status.by_level));
    if !sheet.report.collections.is_empty() {
        body.push_str(&ranked("Collections", "", "memories", &named(&sheet.report.collections)));
    }
    if !status.by_scope.is_empty() {
        let mut scopes = named_by_count(&status.by_scope);
        scopes.truncate(12);
        body.push_str(&ranked("Scopes", "Those with the most.", "memories", &scopes));
    }
    body.push_str("</div>");
    if status.memory_count == 0 {
        body = empty("No memories yet.");
    }
    section("What it knows", &body)
}

fn named_by_count(counts: &[KeyCount]) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> =
        counts.iter().map(|it| (it.key.clone(), it.count)).collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counts
}

fn tasks(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    if report.tasks.is_empty() {
        let text = "No attempts yet: they are memories whose context has <code>task.name</code> and \
            <code>task.success</code>.";
        return section("Tasks", &empty(text));
    }
    let rows: Vec<Vec<String>> = report
        .tasks
        .iter()
        .map(|task| {
            let attempts = task.success_count + task.failure_count;
            vec![
                format!("<strong>{}</strong>", shortened(&task.task, 60)),
                shortened(&task.object, 60),
                count(attempts),
                percent(task.rate),
                interval(task.rate, task.rate_low, task.rate_high),
                spark(&task.by_period),
            ]
        })
        .collect();
    let mut body = format!(
        "<p class=\"soft\">The dot is the share of attempts that succeeded, the band its 95 % interval \
         (Wilson): the fewer attempts, the wider. At the right the attempts by {}, \
         <span style=\"color:var(--good)\">succeeded</span> below, <span style=\"color:var(--bad)\">failed</span> \
         on top, each task on its own scale.</p>",
        sheet.period()
    );
    let heads = ["task", "object", "#attempts", "#succeeded", "0 to 100 %", "over time"];
    body.push_str(&words(&heads, &rows));
    if report.more_tasks > 0 {
        let _ = write!(
            body,
            "<p class=\"soft\">{} more with fewer attempts.</p>",
            count(report.more_tasks)
        );
    }
    section("Tasks", &body)
}

fn maps(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    if report.maps.is_empty() {
        let text = "No places yet: they are memories whose context has <code>spatial.object_position</code> \
            or <code>spatial.robot_position</code>.";
        return section("Places", &empty(text));
    }
    let mut body = String::from("<div class=\"grid\">");
    for map in &report.maps {
        body.push_str(&places::map(map));
    }
    body.push_str("</div>");
    if report.more_maps > 0 {
        let _ = write!(
            body,
            "<p class=\"soft\">{} more with fewer memories.</p>",
            count(report.more_maps)
        );
    }
    section("Places", &body)
}

fn forgetting(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    let mut body = String::from("<div class=\"grid\">");
    let fading: u64 = report.retention.iter().sum();
    let bound = report.archive_retention_min;
    if fading > 0 {
        let note = format!(
            "Task logs and procedures fade. {} within a week and {} within 30 days fall below {bound}, \
             unless they are recalled.",
            count(report.archived_within[0]),
            count(report.archived_within[1])
        );
        let mark = (bound > 0.0).then_some((bound, "archived below"));
        body.push_str(&histogram(
            "What is left of what fades",
            &note,
            "memories",
            "retention",
            &report.retention,
            mark,
        ));
    }
    if report.confidence.iter().sum::<u64>() > 0 {
        let note = "Of active memories. It falls by the days without being recalled.";
        body.push_str(&histogram(
            "How sure it is",
            note,
            "memories",
            "confidence",
            &report.confidence,
            None,
        ));
    }
    if report.archived.iter().sum::<u64>() > 0 {
        let layers = [Layer { class: "c5", name: "archived", counts: &report.archived }];
        let note =
            format!("By {}; they can be taken out again with restore_memory.", sheet.period());
        body.push_str(&over_time("Archived", &note, "memories", &sheet.periods, &layers));
    }
    if !report.archived_next.is_empty() {
        let heads = ["memory", "class", "retention now", "falls below at"].map(str::to_owned);
        let rows: Vec<Vec<String>> = report
            .archived_next
            .iter()
            .map(|next| {
                vec![
                    next.memory_id.to_string(),
                    next.mem_type.as_str().replace('_', " "),
                    format!("{:.3}", next.retention),
                    sheet.time(next.at),
                ]
            })
            .collect();
        let _ = write!(
            body,
            "<figure><figcaption><h3>Archived next</h3><p>By the next weekly maintenance after that.</p>\
             </figcaption>{}</figure>",
            table(&heads, &rows)
        );
    }
    body.push_str("</div>");
    if fading == 0 && sheet.report.status.memory_count == 0 {
        body = empty("Nothing is there to be forgotten.");
    }
    section("Forgetting", &body)
}

fn conflicts(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    if report.conflicts.is_empty() {
        return section("Contradictions", &empty("None that no rule settled."));
    }
    let rows: Vec<Vec<String>> = report
        .conflicts
        .iter()
        .map(|pair| {
            let [one, other] = pair.memory_ids;
            vec![
                format!("<code>{one}</code> and <code>{other}</code>"),
                shortened(&pair.reason, 200),
                escaped(&pair.judged_by),
                sheet.time(pair.judged_at),
            ]
        })
        .collect();
    let mut body = String::from(
        "<p class=\"soft\">Two memories that cannot both hold, and that no rule settles. Say which one \
         holds: update or forget the other.</p>",
    );
    body.push_str(&words(&["memories", "they differ in", "found by", "when"], &rows));
    let more = report.status.conflict_count.saturating_sub(report.conflicts.len() as u64);
    if more > 0 {
        let _ = write!(body, "<p class=\"soft\">{} more.</p>", count(more));
    }
    section("Contradictions", &body)
}

fn maintenance(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    if report.maintenance.is_empty() {
        return section("Maintenance", &empty("It has not run yet."));
    }
    let runs: Vec<Vec<String>> = report
        .maintenance
        .iter()
        .map(|run| {
            let took = match run.ended_at {
                Some(ended) => duration(run.began_at, ended),
                None => "not ended".to_owned(),
            };
            vec![
                sheet.time(run.began_at),
                escaped(&run.mode),
                shortened(&run.scope, 60),
                took,
                format!("job <code>{}</code>", run.job_id),
            ]
        })
        .collect();
    let mut body = words(&["began", "mode", "scope", "took", ""], &runs);
    if let Some(run) = report.maintenance.iter().find(|run| !run.report.is_empty())
        && let Ok(told) = serde_json::from_str::<Value>(&run.report)
    {
        let mut findings = Vec::new();
        let mut counts: Vec<(String, u64)> = Vec::new();
        steps_of(&told, &mut |step, report| {
            for (what, number) in
                report.get("counts").and_then(Value::as_object).into_iter().flatten()
            {
                let name = format!("{step}: {}", what.replace('_', " "));
                let number = number.as_u64().unwrap_or(0);
                match counts.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, total)) => *total += number,
                    None => counts.push((name, number)),
                }
            }
            let found = report.get("findings").and_then(Value::as_array).into_iter().flatten();
            findings.extend(found.filter_map(|finding| row_of(step, finding)));
        });
        counts.retain(|(_, number)| *number > 0);
        let _ = write!(body, "<div class=\"grid\" style=\"margin-top:1.1rem\">");
        if !counts.is_empty() {
            let title = format!("Last {} run, by step", run.mode);
            body.push_str(&ranked(&title, "", "times", &counts));
        }
        if !findings.is_empty() {
            let more = findings.len().saturating_sub(FINDINGS);
            findings.truncate(FINDINGS);
            body.push_str(&words(&["step", "what", "memories", "why"], &findings));
            if more > 0 {
                let _ = write!(
                    body,
                    "<p class=\"soft\">{} more in the report’s file.</p>",
                    count(more as u64)
                );
            }
        }
        body.push_str("</div>");
    }
    section("Maintenance", &body)
}

/// Calls `f` with each step of a report, however deep it lies: by scope, or of one.
fn steps_of<'v>(report: &'v Value, f: &mut impl FnMut(&'v str, &'v Value)) {
    match report {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("steps", Value::Object(steps)) => {
                        steps.iter().for_each(|(step, report)| f(step, report));
                    }
                    (_, value) => steps_of(value, f),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| steps_of(value, f)),
        _ => {}
    }
}

fn row_of(step: &str, finding: &Value) -> Option<Vec<String>> {
    let ids = finding.get("memory_ids")?.as_array()?.iter().filter_map(Value::as_i64);
    let ids: Vec<String> = ids.take(6).map(|id| format!("<code>{id}</code>")).collect();
    let text = |field| finding.get(field).and_then(Value::as_str).unwrap_or_default();
    Some(vec![
        escaped(step),
        shortened(text("action"), 40),
        ids.join(" "),
        shortened(text("reason"), 160),
    ])
}

fn upkeep(sheet: &Sheet<'_>) -> String {
    let report = sheet.report;
    let status = &report.status;
    let mut body = String::from("<div class=\"grid\">");
    let sizes = [
        ("store and its log", status.store_bytes),
        ("clips", status.clip_bytes),
        ("backups", status.backup_bytes),
        ("indexes in memory", status.index_bytes),
        ("free on the disk", status.free_bytes),
    ];
    let rows: Vec<Vec<String>> = sizes
        .iter()
        .filter(|(_, size)| *size > 0)
        .map(|(name, size)| vec![(*name).to_owned(), bytes(*size)])
        .collect();
    let _ =
        write!(body, "<figure><h3>Sizes</h3>{}</figure>", table(&["".into(), "".into()], &rows));
    let rows = [
        ("waiting", count(status.queued_writes)),
        ("their bytes", bytes(status.queued_bytes)),
        ("stored later, since the start", count(status.replayed_writes)),
        ("could not be stored, since the start", count(status.rejected_writes)),
    ]
    .map(|(name, value)| vec![name.to_owned(), value]);
    let _ = write!(
        body,
        "<figure><h3>Write queue</h3>{}</figure>",
        table(&["".into(), "".into()], &rows)
    );
    if !report.jobs.is_empty() {
        let heads = ["type", "status", "jobs"].map(str::to_owned);
        let rows: Vec<Vec<String>> = report
            .jobs
            .iter()
            .map(|(job_type, status, number)| {
                let name = |text: &str| text.replace('_', " ");
                vec![name(job_type.as_str()), name(status.as_str()), count(*number)]
            })
            .collect();
        let _ = write!(body, "<figure><h3>Jobs</h3>{}</figure>", table(&heads, &rows));
    }
    if status.backups.is_empty() {
        body.push_str("<figure><h3>Backups</h3><p class=\"empty\">There is none yet.</p></figure>");
    } else {
        let heads = ["made", "memories", "size", ""].map(str::to_owned);
        let rows: Vec<Vec<String>> = status
            .backups
            .iter()
            .take(10)
            .map(|backup| {
                let state = if backup.is_verified { "verified" } else { "not verified" };
                vec![
                    sheet.time(backup.made_at),
                    count(backup.memory_count),
                    bytes(backup.bytes),
                    state.to_owned(),
                ]
            })
            .collect();
        let title = plural(status.backups.len() as u64, "backups");
        let _ = write!(body, "<figure><h3>{title}</h3>{}</figure>", table(&heads, &rows));
    }
    body.push_str("</div>");
    if !report.dead_letters.is_empty() {
        let rows: Vec<Vec<String>> = report
            .dead_letters
            .iter()
            .map(|job| {
                vec![
                    format!("<code>{}</code>", job.job_id),
                    escaped(&job.job_type.as_str().replace('_', " ")),
                    shortened(&job.scope, 60),
                    sheet.time(job.finished_at),
                    shortened(&job.last_error, 200),
                ]
            })
            .collect();
        let _ = write!(body, "<h3 style=\"margin:1.4rem 0 .5rem\">Jobs that failed for good</h3>");
        body.push_str(&words(&["job", "type", "scope", "given up", "why"], &rows));
    }
    section("Jobs, backups and sizes", &body)
}
