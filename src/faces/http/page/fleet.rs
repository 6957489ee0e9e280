//! The fleet: whether it is reached, what waits, what other robots told, and what was revoked.

use super::health::state_class;
use super::layout::Sheet;
use super::parts::{badge, card, facts, time, url};
use super::records::{StatusRecord, StoredRecord};
use super::visit::Visit;
use crate::faces::figures::format::{count, plural};
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_engine::{
    FleetLinkState, FleetStanding, ForeignReceipt, HearsayTotal, TakenRevocation,
};
use serde_json::json;
use std::collections::BTreeSet;

/// Robots that are shown, in order of name: what a page has room for.
const ROBOTS_SHOWN_MAX: usize = 200;
/// Revocations that are shown, the newest first.
const REVOCATIONS_SHOWN_MAX: usize = 50;
/// Memories of one robot that are shown: each is read by itself.
const TOLD_SHOWN_MAX: usize = 25;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    // Who may not ask for the status is refused here.
    let status = visit.ask::<StatusRecord>("status", json!({})).await?;
    if !visit.given("robot").is_empty() {
        return one(visit).await;
    }
    let shown = REVOCATIONS_SHOWN_MAX + 1;
    let read = visit.read(move |engine| {
        let standing = engine.fleet_standing()?;
        let mut others = engine.fleet_robots();
        others.retain(|robot| *robot != standing.robot_id);
        Ok((standing, others, engine.taken_revocations(shown)?))
    });
    let (standing, others, revocations) = read.await?;
    let component = status.components.iter().find(|part| part.name == "fleet");
    let state = html! {
        @if let Some(part) = component { (badge(state_class(part), &part.state)) }
    };
    let body = html! {
        @if standing.robot_id.is_empty() {
            p class="empty" { "This robot is in no fleet: " code { "fleet_url" } " names none." }
        } @else { (own(&standing, &state)) }
        (tellers(&standing.summary.told_by))
        (revoked(&revocations, &others))
    };
    Ok(Sheet { title: "Fleet".to_owned(), here: "/fleet", body })
}

/// What one robot told, as far as whoever looks may read it.
async fn one(visit: &Visit) -> Result<Sheet, Problem> {
    let robot = visit.given("robot").to_owned();
    let name = robot.clone();
    let ids = visit.read(move |engine| engine.memories_told_by(&name, TOLD_SHOWN_MAX)).await?;
    let mut shown = Vec::new();
    for id in ids {
        match visit.ask::<StoredRecord>("get_memory", json!({ "memory_id": id })).await {
            Ok(stored) => shown.push(stored),
            // It is gone by now, or not for whoever looks.
            Err(problem) if problem.status().as_u16() == 404 => {}
            Err(problem) => return Err(problem),
        }
    }
    let body = html! {
        @if shown.is_empty() { p class="empty" { "Nothing of it is here that you may read." } } @else {
            p class="soft" { "Its newest memories, at most " (TOLD_SHOWN_MAX) }
            ol class="list" { @for stored in &shown { (card(&stored.memory, &html! {})) } }
        }
        p { a href="/fleet" { "The fleet" } }
    };
    Ok(Sheet { title: format!("Told by {robot}"), here: "/fleet", body })
}

/// What this robot tells and takes.
fn own(standing: &FleetStanding, state: &Markup) -> Markup {
    let FleetStanding { robot_id, summary, link } = standing;
    let totals = &summary.totals;
    let link = link.as_ref();
    let position = &summary.position;
    html! {
        (facts(&[
            ("This robot", html! { (robot_id) }),
            ("Fleet", html! { (state) @if let Some(fault) = link.and_then(|it| it.fault.as_ref()) { " " (fault) } }),
            ("Told", html! {
                (plural(totals.told_count, "memories"))
                @if summary.shares_nothing { " " (badge("warn", "shares nothing")) }
            }),
            ("Waits to be told", html! { (plural(totals.waiting_count, "memories")) }),
            ("Never told, since too many waited", html! {
                @if totals.dropped_count > 0 { (plural(totals.dropped_count, "memories")) }
            }),
            ("On its own server, not at the hub", html! { @if let Some(link) = link { (link.unforwarded_text()) } }),
            ("Still to be taken", html! { @if let Some(link) = link { (plural(link.lag, "messages")) } }),
            ("Dropped by the hub before they were taken, since the start", html! { @if let Some(link) = link.filter(|it| it.missed > 0) { (plural(link.missed, "messages")) } }),
            ("Came again, since the start", html! { @if let Some(link) = link.filter(|it| it.came_again > 0) { (plural(link.came_again, "claims")) } }),
            ("Taken up to", html! {
                @if position.stream_id.is_empty() { "nothing yet" } @else { (count(position.sequence)) " of " (position.stream_id) }
            }),
        ]))
        (refused(link))
    }
}

/// Claims that were not taken, by reason.
fn refused(link: Option<&FleetLinkState>) -> Markup {
    let Some(link) = link.filter(|it| !it.refused.is_empty()) else { return html! {} };
    html! {
        h2 { "Refused since the start" }
        div class="scroll" tabindex="0" role="region" aria-label="Refused claims" {
            table {
                thead { tr { th scope="col" { "Reason" } th scope="col" class="n" { "Claims" } } }
                tbody { @for (reason, number) in &link.refused {
                    tr { th scope="row" { (reason.replace('_', " ")) } td class="n" { (count(*number)) } }
                } }
            }
        }
    }
}

/// Who told something.
fn tellers(told_by: &[HearsayTotal]) -> Markup {
    html! {
        h2 { "Other robots" }
        @if told_by.is_empty() { p class="empty" { "No other robot has told anything." } } @else {
            div class="scroll" tabindex="0" role="region" aria-label="Other robots" {
                table class="words" {
                    thead { tr {
                        th scope="col" { "Robot" } th scope="col" class="n" { "Memories here" } th scope="col" { "Last heard" }
                        th scope="col" class="n" { "Clock ahead" }
                    } }
                    tbody { @for robot in told_by.iter().take(ROBOTS_SHOWN_MAX) { tr {
                        th scope="row" { a href=(url("/fleet", &[("robot", &robot.origin)])) { (robot.origin) } }
                        td class="n" { (count(robot.held_count)) }
                        td { (time(Some(robot.taken_at))) }
                        td class="n" {
                            (format!("{:.1} s", robot.ahead_secs()))
                            @if robot.is_skewed() { " " (badge("warn", "another time")) }
                        }
                    } } }
                }
            }
            @if told_by.len() > ROBOTS_SHOWN_MAX {
                p class="soft" { (plural(told_by.len() as u64, "robots")) ": " code { "memory fleet status" } " lists all." }
            }
        }
    }
}

/// What was revoked, what this robot did of it, and what the others did.
fn revoked(revocations: &[(TakenRevocation, Vec<ForeignReceipt>)], others: &[String]) -> Markup {
    html! {
        h2 { "Revocations" }
        @if revocations.is_empty() { p class="empty" { "Nothing was revoked." } } @else {
            div class="scroll" tabindex="0" role="region" aria-label="Revocations" {
                table class="words" {
                    thead { tr {
                        th scope="col" { "Revocation" } th scope="col" { "Of" } th scope="col" { "What" } th scope="col" { "Why" }
                        th scope="col" { "Taken" } th scope="col" class="n" { "Deleted" } th scope="col" class="n" { "Made again" }
                        th scope="col" { "Receipt" } th scope="col" { "Other robots" }
                    } }
                    tbody { @for (it, receipts) in revocations.iter().take(REVOCATIONS_SHOWN_MAX) { tr {
                        th scope="row" { (it.revocation_no) " by " (it.revoked_by) }
                        td { (it.origin) }
                        td { (span(it)) }
                        td { (it.reason) }
                        td { (time(Some(it.taken_at))) }
                        td class="n" { (count(it.deleted_count)) }
                        td class="n" { (count(it.rewritten_count)) }
                        td { (badge(if it.is_told { "ok" } else { "" }, if it.is_told { "told" } else { "waits" })) }
                        td { (answers(receipts, others)) }
                    } } }
                }
            }
            @if revocations.len() > REVOCATIONS_SHOWN_MAX {
                p class="soft" { "The newest " (REVOCATIONS_SHOWN_MAX) " are shown: " code { "memory fleet status" } " lists more." }
            }
        }
    }
}

/// What other robots did for a revocation, and who has not answered.
fn answers(receipts: &[ForeignReceipt], others: &[String]) -> Markup {
    let answered: BTreeSet<&str> = receipts.iter().map(|it| it.robot.as_str()).collect();
    let missing: Vec<&String> =
        others.iter().filter(|robot| !answered.contains(robot.as_str())).collect();
    html! {
        @for robot in missing.iter().take(ROBOTS_SHOWN_MAX) { div { (robot) " " (badge("warn", "no answer")) } }
        @for it in receipts.iter().take(ROBOTS_SHOWN_MAX) {
            div { (it.robot) ": " (count(it.deleted_count)) " deleted"
                @if it.rewritten_count > 0 { ", " (count(it.rewritten_count)) " made again" } }
        }
        @let more = receipts.len().saturating_sub(ROBOTS_SHOWN_MAX) + missing.len().saturating_sub(ROBOTS_SHOWN_MAX);
        @if more > 0 { div { "and " (plural(more as u64, "robots")) ": " code { "memory fleet receipts" } } }
    }
}

/// What of a robot's experience is meant.
fn span(it: &TakenRevocation) -> Markup {
    html! {
        @match it.memory_id { Some(id) => { "its memory " (id) } None => { "all" } }
        @if !it.session_id.is_empty() { ", session " (it.session_id) }
        @if !it.stream.is_empty() { ", stream " (it.stream) }
        @if it.since.is_some() { ", since " (time(it.since)) }
        @if let Some(end) = it.end() { ", until " (time(Some(end))) }
    }
}
