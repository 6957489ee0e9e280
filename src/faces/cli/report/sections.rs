//! The parts of the page, from the state of things to the last byte.

use super::page::{Sheet, badge};
use super::places;
use super::ranked::ranked;
use crate::faces::figures::charts::{Layer, histogram, interval, over_time, spark, table};
use crate::faces::figures::format::{bytes, count, duration, percent, plural, shortened, spaced};
use maud::{Markup, html};
use robot_memory_core::api::{KeyCount, MaintenanceRun};
use robot_memory_core::model::Kind;
use serde_json::Value;

/// Steps and findings of one run of maintenance that are shown.
const FINDINGS: usize = 12;

/// All of them, in order.
pub fn all(sheet: &Sheet<'_>) -> [Markup; 9] {
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

fn section(title: &str, body: Markup) -> Markup {
    html! { section { h2 { (title) } (body) } }
}

fn empty(text: &str) -> Markup {
    html! { p class="empty" { (text) } }
}

fn soft(text: &str) -> Markup {
    html! { p class="soft" { (text) } }
}

fn titled(title: &str, body: &Markup) -> Markup {
    html! { figure { h3 { (title) } (body) } }
}

/// A table of words: the heads, those of numbers begin with `#`, and the rows as `tr`.
fn words(heads: &[&str], rows: &Markup) -> Markup {
    html! {
        div class="card" {
            div class="scroll" {
                table class="words" {
                    thead {
                        tr {
                            @for head in heads {
                                @match head.strip_prefix('#') {
                                    Some(head) => th scope="col" class="n tight" { (head) },
                                    None => th scope="col" { (head) },
                                }
                            }
                        }
                    }
                    tbody { (rows) }
                }
            }
        }
    }
}

fn health(sheet: &Sheet<'_>) -> Markup {
    let rows = html! {
        @for part in &sheet.report.status.components {
            tr {
                td { (spaced(&part.name)) }
                td {
                    @if part.state == "unknown" {
                        span class="badge unknown" { "not known here" }
                    } @else {
                        (badge(part.level))
                    }
                }
                td { (spaced(&part.state)) }
                td { (part.message) }
            }
        }
    };
    section("Health", words(&["part", "", "state", "what it means, and what to do"], &rows))
}

fn growth(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    if sheet.periods.is_empty() {
        let text = "Nothing is stored yet: the charts begin with the first memory.";
        return section("Over time", empty(text));
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
    let sessions = [Layer { class: "c4", name: "sessions", counts: &report.sessions }];
    let period = sheet.period();
    let stored_note = format!("By the {period} in which they were made, of any status.");
    let open = count(report.status.open_sessions);
    let sessions_note = format!("By the {period} in which they began; {open} open.");
    let body = html! {
        div class="grid" {
            (over_time("Memories stored", &stored_note, "memories", &sheet.periods, &layers))
            (over_time("Sessions", &sessions_note, "sessions", &sheet.periods, &sessions))
        }
    };
    section("Over time", body)
}

fn kinds(sheet: &Sheet<'_>) -> Markup {
    let status = &sheet.report.status;
    if status.memory_count == 0 {
        return section("What it knows", empty("No memories yet."));
    }
    let named = |counts: &[KeyCount]| -> Vec<(String, u64)> {
        counts.iter().map(|it| (it.key.clone(), it.count)).collect()
    };
    let words = |counts: &[KeyCount]| -> Vec<(String, u64)> {
        counts.iter().map(|it| (spaced(&it.key), it.count)).collect()
    };
    let collections = named(&sheet.report.collections);
    let charts = [
        ("Status", "Of all that is stored.", by_count(words(&status.by_status))),
        ("Categories", "Of active facts.", by_count(words(&status.by_category))),
        (
            "Life cycle classes",
            "Of active memories; so the next.",
            by_count(words(&status.by_mem_type)),
        ),
        ("Levels", "", by_count(words(&status.by_level))),
        ("Collections", "", collections),
        ("Scopes", "Those with the most.", by_count(named(&status.by_scope))),
    ];
    let body = html! {
        div class="grid three" {
            @for (title, note, counts) in charts.iter().filter(|(.., counts)| !counts.is_empty()) {
                (ranked(title, note, "memories", &counts[..counts.len().min(12)]))
            }
        }
    };
    section("What it knows", body)
}

/// The greatest first, equal ones by name.
fn by_count(mut counts: Vec<(String, u64)>) -> Vec<(String, u64)> {
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counts
}

fn tasks(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    if report.tasks.is_empty() {
        let text = html! {
            p class="empty" {
                "No attempts yet: they are memories whose context has " code { "task.name" } " and "
                code { "task.success" } "."
            }
        };
        return section("Tasks", text);
    }
    let rows = html! {
        @for task in &report.tasks {
            tr {
                td { strong { (shortened(&task.task, 60)) } }
                td { (shortened(&task.object, 60)) }
                td class="n tight" { (count(task.success_count + task.failure_count)) }
                td class="n tight" { (percent(task.rate)) }
                td { (interval(task.rate, task.rate_low, task.rate_high)) }
                td { (spark(&task.by_period)) }
            }
        }
    };
    let heads = ["task", "object", "#attempts", "#succeeded", "0 to 100 %", "over time"];
    let body = html! {
        p class="soft" {
            "The dot is the share of attempts that succeeded, the band its 95 % interval (Wilson): "
            "the fewer attempts, the wider. At the right the attempts by " (sheet.period()) ", "
            span style="color:var(--good)" { "succeeded" } " below, "
            span style="color:var(--bad)" { "failed" } " on top, each task on its own scale."
        }
        (words(&heads, &rows))
        @if report.more_tasks > 0 {
            (soft(&format!("{} more with fewer attempts.", count(report.more_tasks))))
        }
    };
    section("Tasks", body)
}

fn maps(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    if report.maps.is_empty() {
        let text = html! {
            p class="empty" {
                "No places yet: they are memories whose context has "
                code { "spatial.object_position" } " or " code { "spatial.robot_position" } "."
            }
        };
        return section("Places", text);
    }
    let body = html! {
        div class="grid" { @for map in &report.maps { (places::map(map)) } }
        @if report.more_maps > 0 {
            (soft(&format!("{} more with fewer memories.", count(report.more_maps))))
        }
    };
    section("Places", body)
}

fn forgetting(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    let fading: u64 = report.retention.iter().sum();
    if fading == 0 && report.status.memory_count == 0 {
        return section("Forgetting", empty("Nothing is there to be forgotten."));
    }
    let body = html! {
        div class="grid" {
            @if fading > 0 { (retention(sheet)) }
            @if report.confidence.iter().sum::<u64>() > 0 {
                @let note = "Of active memories. It falls by the days without being recalled.";
                (histogram("How sure it is", note, "memories", "confidence", &report.confidence, None))
            }
            @if report.archived.iter().sum::<u64>() > 0 {
                (archived(sheet))
            }
            @if !report.archived_next.is_empty() { (archived_next(sheet)) }
        }
    };
    section("Forgetting", body)
}

fn retention(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    let bound = report.archive_retention_min;
    let [week, month] = report.archived_within.map(count);
    let note = format!(
        "Task logs and procedures fade. {week} within a week and {month} within 30 days fall below \
         {bound}, unless they are recalled."
    );
    let mark = (bound > 0.0).then_some((bound, "archived below"));
    let title = "What is left of what fades";
    histogram(title, &note, "memories", "retention", &report.retention, mark)
}

fn archived(sheet: &Sheet<'_>) -> Markup {
    let layers = [Layer { class: "c5", name: "archived", counts: &sheet.report.archived }];
    let note = format!("By {}; they can be taken out again with restore_memory.", sheet.period());
    over_time("Archived", &note, "memories", &sheet.periods, &layers)
}

fn archived_next(sheet: &Sheet<'_>) -> Markup {
    let next = sheet.report.archived_next.iter().map(|next| {
        let (class, retention) = (spaced(next.mem_type.as_str()), format!("{:.3}", next.retention));
        [next.memory_id.to_string(), class, retention, sheet.time(next.at)]
    });
    let rows: Vec<_> = next.collect();
    html! {
        figure {
            figcaption {
                h3 { "Archived next" }
                p { "By the next weekly maintenance after that." }
            }
            (table(&["memory", "class", "retention now", "falls below at"], &rows))
        }
    }
}

fn conflicts(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    if report.conflicts.is_empty() {
        return section("Contradictions", empty("No undecided conflicts."));
    }
    let rows = html! {
        @for pair in &report.conflicts {
            tr {
                td { code { (pair.memory_ids[0]) } " and " code { (pair.memory_ids[1]) } }
                td { (shortened(&pair.reason, 200)) }
                td { (pair.judged_by) }
                td { (sheet.time(pair.judged_at)) }
            }
        }
    };
    let more = report.status.conflict_count.saturating_sub(report.conflicts.len() as u64);
    let body = html! {
        p class="soft" {
            "Two memories that cannot both be right, and between which no rule decides. Decide which one is right: "
            "update or forget the other."
        }
        (words(&["memories", "they differ in", "found by", "when"], &rows))
        @if more > 0 { (soft(&format!("{} more.", count(more)))) }
    };
    section("Contradictions", body)
}

fn maintenance(sheet: &Sheet<'_>) -> Markup {
    let runs = &sheet.report.maintenance;
    if runs.is_empty() {
        return section("Maintenance", empty("It has not run yet."));
    }
    let rows = html! {
        @for run in runs {
            tr {
                td { (sheet.time(run.began_at)) }
                td { (run.mode) }
                td { (shortened(&run.scope, 60)) }
                td {
                    @match run.ended_at {
                        Some(ended) => (duration(run.began_at, ended)),
                        None => "not ended",
                    }
                }
                td { "job " code { (run.job_id) } }
            }
        }
    };
    let body = html! {
        (words(&["began", "mode", "scope", "took", ""], &rows))
        @if let Some(run) = runs.iter().find(|run| !run.report.is_empty()) { (last_run(run)) }
    };
    section("Maintenance", body)
}

/// What the last run of which there is a report did and found; nothing when it cannot be read.
fn last_run(run: &MaintenanceRun) -> Markup {
    let Ok(report) = serde_json::from_str::<Value>(&run.report) else { return Markup::default() };
    let mut findings = Vec::new();
    let mut counts: Vec<(String, u64)> = Vec::new();
    steps_of(&report, &mut |step, report| {
        for (what, number) in report.get("counts").and_then(Value::as_object).into_iter().flatten()
        {
            let name = format!("{step}: {}", spaced(what));
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
    let more = findings.len().saturating_sub(FINDINGS);
    let rows = html! { @for row in findings.iter().take(FINDINGS) { (row) } };
    html! {
        div class="grid" style="margin-top:1.1rem" {
            @if !counts.is_empty() {
                (ranked(&format!("Last {} run, by step", run.mode), "", "times", &counts))
            }
            @if !findings.is_empty() {
                (words(&["step", "what", "memories", "why"], &rows))
                @if more > 0 {
                    (soft(&format!("{} more in the report’s file.", count(more as u64))))
                }
            }
        }
    }
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

fn row_of(step: &str, finding: &Value) -> Option<Markup> {
    let ids = finding.get("memory_ids")?.as_array()?.iter().filter_map(Value::as_i64);
    let text = |field| finding.get(field).and_then(Value::as_str).unwrap_or_default();
    Some(html! {
        tr {
            td { (step) }
            td { (shortened(text("action"), 40)) }
            td { @for id in ids.take(6) { code { (id) } " " } }
            td { (shortened(text("reason"), 160)) }
        }
    })
}

fn upkeep(sheet: &Sheet<'_>) -> Markup {
    let report = sheet.report;
    let status = &report.status;
    let sizes = [
        ("store and its log", status.store_bytes),
        ("clips", status.clip_bytes),
        ("backups", status.backup_bytes),
        ("indexes in memory", status.index_bytes),
        ("free on the disk", status.free_bytes),
    ];
    let sizes = sizes.into_iter().filter(|(_, size)| *size > 0);
    let sizes: Vec<_> = sizes.map(|(name, size)| [name.to_owned(), bytes(size)]).collect();
    let queue = [
        ("waiting", count(status.queued_writes)),
        ("their bytes", bytes(status.queued_bytes)),
        ("stored later, since the start", count(status.replayed_writes)),
        ("could not be stored, since the start", count(status.rejected_writes)),
    ]
    .map(|(name, value)| [name.to_owned(), value]);
    let jobs: Vec<_> = report
        .jobs
        .iter()
        .map(|(job_type, status, number)| {
            [spaced(job_type.as_str()), spaced(status.as_str()), count(*number)]
        })
        .collect();
    let body = html! {
        div class="grid" {
            (titled("Sizes", &table(&["", ""], &sizes)))
            (titled("Write queue", &table(&["", ""], &queue)))
            @if !jobs.is_empty() { (titled("Jobs", &table(&["type", "status", "jobs"], &jobs))) }
            (backups(sheet))
        }
        @if !report.dead_letters.is_empty() { (dead_letters(sheet)) }
    };
    section("Jobs, backups and sizes", body)
}

fn backups(sheet: &Sheet<'_>) -> Markup {
    let backups = &sheet.report.status.backups;
    if backups.is_empty() {
        return titled("Backups", &empty("There is none yet."));
    }
    let rows = backups.iter().take(10).map(|backup| {
        let state = if backup.is_verified { "verified" } else { "not verified" };
        let (memories, size) = (count(backup.memory_count), bytes(backup.bytes));
        [sheet.time(backup.made_at), memories, size, state.to_owned()]
    });
    let rows: Vec<_> = rows.collect();
    let title = plural(backups.len() as u64, "backups");
    titled(&title, &table(&["made", "memories", "size", ""], &rows))
}

fn dead_letters(sheet: &Sheet<'_>) -> Markup {
    let rows = html! {
        @for job in &sheet.report.dead_letters {
            tr {
                td { code { (job.job_id) } }
                td { (spaced(job.job_type.as_str())) }
                td { (shortened(&job.scope, 60)) }
                td { (sheet.time(job.finished_at)) }
                td { (shortened(&job.last_error, 200)) }
            }
        }
    };
    html! {
        h3 style="margin:1.4rem 0 .5rem" { "Jobs that failed for good" }
        (words(&["job", "type", "scope", "given up", "why"], &rows))
    }
}
