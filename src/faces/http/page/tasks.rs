//! Tasks: how often each succeeded, over time, and what attempts teach.

use super::layout::Sheet;
use super::memory::judging;
use super::parts::{self, badge, links, time, url};
use super::records::{Briefing, Compared, Recalled};
use super::visit::Visit;
use crate::faces::figures::charts::{Layer, interval, over_time, spark};
use crate::faces::figures::format::{count, percent, plural};
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Attempts of which the names of tasks are taken: the newest.
const NAMED_OF: u32 = 100;
/// Tasks of the overview.
const TASKS_MAX: usize = 12;
/// Days of a chart that had attempts.
const DAYS_MAX: usize = 60;

/// Attempts with a known outcome, by day.
struct Outcomes {
    success_count: u64,
    failure_count: u64,
    /// Successes and failures of each day that has any, oldest first.
    days: Vec<(String, (u64, u64))>,
}

impl Outcomes {
    fn rate(&self) -> f64 {
        self.success_count as f64 / (self.success_count + self.failure_count).max(1) as f64
    }

    fn by_day(&self) -> &[(String, (u64, u64))] {
        &self.days[self.days.len().saturating_sub(DAYS_MAX)..]
    }

    /// The 95 % interval of the share of successes, by Wilson's score.
    fn interval(&self) -> (f64, f64) {
        const Z: f64 = 1.96;
        let total = (self.success_count + self.failure_count).max(1) as f64;
        let (rate, square) = (self.rate(), Z * Z);
        let middle = rate + square / (2.0 * total);
        let half = Z * (rate * (1.0 - rate) / total + square / (4.0 * total * total)).sqrt();
        let scale = 1.0 + square / total;
        (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
    }
}

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    match visit.given("task") {
        "" => overview(visit).await,
        task => one(visit, task).await,
    }
}

async fn overview(visit: &Visit) -> Result<Sheet, Problem> {
    let request = json!({
        "context_filter": { "task.name": { "$ne": "" } }, "types": ["perception", "fact"], "order": "newest",
        "n": NAMED_OF, "min_confidence": 0.0, "scope": "all", "collections": ["*"],
    });
    let newest = visit.ask::<Recalled>("recall", request).await?;
    let mut names: Vec<(String, u64)> = Vec::new();
    for memory in &newest.memories {
        let Some(name) = memory.context.pointer("/task/name").and_then(Value::as_str) else {
            continue;
        };
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, times)) => *times += 1,
            None => names.push((name.to_owned(), 1)),
        }
    }
    names.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let more = names.len().saturating_sub(TASKS_MAX);
    let mut tasks = Vec::new();
    for (name, _) in names.into_iter().take(TASKS_MAX) {
        let outcomes = outcomes(visit, &name, "").await?;
        if outcomes.success_count + outcomes.failure_count > 0 {
            tasks.push((name, outcomes));
        }
    }
    let body = html! {
        p class="soft" { "Tasks of the newest " (NAMED_OF) " attempts" @if more > 0 { ", without " (more) " that were tried least" } }
        @if tasks.is_empty() { p class="empty" { "No attempt with an outcome is known." } } @else { (table(&tasks)) }
    };
    Ok(Sheet { title: "Tasks".to_owned(), here: "/tasks", body })
}

fn table(tasks: &[(String, Outcomes)]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Tasks" {
            table class="words" {
                thead { tr {
                    th scope="col" { "Task" } th scope="col" class="n" { "Succeeded" } th scope="col" class="n" { "Failed" }
                    th scope="col" { "Share, with its 95 % interval" } th scope="col" { "Over time" }
                } }
                tbody { @for (name, outcomes) in tasks {
                    @let days: Vec<(u64, u64)> = outcomes.by_day().iter().map(|day| day.1).collect();
                    @let (low, high) = outcomes.interval();
                    tr {
                        th scope="row" { a href=(url("/tasks", &[("task", name)])) { (name) } }
                        td class="n" { (count(outcomes.success_count)) } td class="n" { (count(outcomes.failure_count)) }
                        td class="tight" { span class="share" { (percent(outcomes.rate())) } (interval(outcomes.rate(), low, high)) }
                        td { (spark(&days)) }
                    }
                } }
            }
        }
    }
}

/// How attempts at a task ended, exactly, of all there are.
async fn outcomes(visit: &Visit, task: &str, object: &str) -> Result<Outcomes, Problem> {
    let mut days: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut totals = [0, 0];
    for (place, is_success) in [true, false].into_iter().enumerate() {
        let mut filter = Map::new();
        filter.insert("task.name".to_owned(), task.into());
        filter.insert("task.success".to_owned(), is_success.into());
        if !object.is_empty() {
            filter.insert("task.object".to_owned(), object.into());
        }
        // More than 20 wanted: to look is no use of a memory.
        let request = json!({
            "context_filter": filter, "types": ["perception", "fact"], "count_by": "day", "n": 21, "order": "newest",
            "min_confidence": 0.0, "scope": "all", "collections": ["*"],
        });
        let found = visit.ask::<Recalled>("recall", request).await?;
        totals[place] = found.total;
        for day in found.counts {
            let counts = days.entry(day.key).or_default();
            *(if is_success { &mut counts.0 } else { &mut counts.1 }) += day.count;
        }
    }
    let [success_count, failure_count] = totals;
    Ok(Outcomes { success_count, failure_count, days: days.into_iter().collect() })
}

/// One task.
async fn one(visit: &Visit, task: &str) -> Result<Sheet, Problem> {
    let object = visit.given("object");
    let outcomes = outcomes(visit, task, object).await?;
    let request =
        json!({ "task": task, "object": object, "collections": ["*"], "scope": "all", "n": 1 });
    let briefing = visit.ask::<Briefing>("brief", request).await?;
    let days = outcomes.by_day();
    let periods: Vec<String> = days.iter().map(|day| parts::month_and_day(&day.0)).collect();
    let [good, bad]: [Vec<u64>; 2] =
        [days.iter().map(|day| day.1.0).collect(), days.iter().map(|day| day.1.1).collect()];
    let layers = [
        Layer { class: "good", name: "succeeded", counts: &good },
        Layer { class: "bad", name: "failed", counts: &bad },
    ];
    let body = html! {
        form class="filters card" method="get" action="/tasks" {
            input type="hidden" name="task" value=(task);
            label { span { "Object" } input name="object" value=(object) placeholder="any"; }
            button { "Show" }
        }
        p {
            // The sentence says it too.
            @if briefing.sentence_en.is_empty() {
                (plural(outcomes.success_count + outcomes.failure_count, "attempts")) " with an outcome, "
                (percent(outcomes.rate())) " succeeded."
            } @else { (briefing.sentence_en) }
        }
        @if !periods.is_empty() { (over_time("Attempts by day", "Days with any, in UTC", "attempts", &periods, &layers)) }
        (lessons(visit, &briefing))
        // To compare all attempts takes a while; the rest need not wait for it.
        @let compared = url("/tasks/differences", &[("task", task), ("object", object)]);
        section id="differences" hx-get=(compared) hx-trigger="load" hx-target="this" hx-select="#differences"
            hx-select-oob="" hx-swap="outerHTML" hx-push-url="false" {
            p { a href=(compared) { "What differs between successes and failures" } }
        }
        (failures(&briefing))
        p { a href="/tasks" { "All tasks" } }
    };
    Ok(Sheet { title: format!("Task {task}"), here: "/tasks", body })
}

fn lessons(visit: &Visit, briefing: &Briefing) -> Markup {
    html! {
        @if !briefing.lessons.is_empty() {
            h2 { "Lessons" }
            ul class="list" { @for lesson in &briefing.lessons {
                @let judgment = lesson.judgment.as_deref().unwrap_or_default();
                li class="memory" {
                    @if lesson.lesson_id > 0 { a class="says" href=(format!("/memories/{}", lesson.lesson_id)) { (lesson.sentence_en) } }
                    @else { span class="says" { (lesson.sentence_en) } }
                    p class="about" {
                        (badge("", &lesson.state))
                        @if !judgment.is_empty() { (badge(if judgment == "pinned" { "ok" } else { "bad" }, judgment)) }
                        span { (lesson.confirmed_count) " tests bear it out, " (lesson.refuted_count) " do not" }
                    }
                    @if lesson.lesson_id > 0 && visit.may("judge_lesson") { (judging(lesson.lesson_id, judgment)) }
                }
            } }
        }
    }
}

/// What differs between the attempts that succeeded and those that failed.
pub async fn differences(visit: &Visit) -> Result<Sheet, Problem> {
    let (task, object) = (visit.given("task"), visit.given("object"));
    let request = json!({ "task": task, "object": object, "collections": ["*"], "scope": "all" });
    let compared = visit.ask::<Compared>("compare", request).await?;
    let back = url("/tasks", &[("task", task), ("object", object)]);
    let body = html! {
        section id="differences" { (contrasts(&compared)) }
        p { a href=(back) { "All of this task" } }
    };
    Ok(Sheet { title: format!("Task {task}: differences"), here: "/tasks", body })
}

fn contrasts(compared: &Compared) -> Markup {
    html! {
        h2 { "What differs between successes and failures" }
        @if compared.contrasts.is_empty() { p class="soft" { "Nothing that is known." } } @else {
            div class="scroll" tabindex="0" role="region" aria-label="Differences" {
                table class="words" {
                    thead { tr { th scope="col" { "Difference" } th scope="col" class="n" { "Effect" } th scope="col" class="n" { "At least" } } }
                    tbody { @for contrast in &compared.contrasts { tr {
                        th scope="row" { (contrast.statement) }
                        td class="n" { (format!("{:+.2}", contrast.effect)) } td class="n" { (format!("{:+.2}", contrast.effect_low)) }
                    } } }
                }
            }
        }
    }
}

fn failures(briefing: &Briefing) -> Markup {
    let failures = briefing.attempts.first().map_or(&[][..], |attempts| &attempts.failures);
    html! {
        @if !failures.is_empty() {
            h2 { "How it failed" }
            ul { @for failure in failures {
                li {
                    (count(failure.count)) " times: " @if failure.reason.is_empty() { "no reason was given" } @else { (failure.reason) }
                    ", last " (time(failure.last_at)) " " span class="soft" { (links(&failure.attempt_ids[..failure.attempt_ids.len().min(3)])) }
                }
            } }
        }
    }
}
