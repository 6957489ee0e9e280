//! What an import came to, for people or as JSON.

use crate::faces::cli::failure::Failure;
use crate::faces::cli::output::Output;
use crate::faces::cli::table::Table;
use crate::faces::cli::values::{rfc_3339_secs, visible};
use crate::faces::import::{Pace, Report};
use robot_memory_perception::Event;
use serde_json::json;

/// Shows what became of one bag.
pub fn show(report: &Report, output: &mut Output) -> Result<(), Failure> {
    output.answer(report.json(), |_| text(report))
}

fn text(report: &Report) -> String {
    let mut table = Table::new(["stream", "#messages", "events", "dropped"]);
    for line in &report.streams {
        table.row([
            visible(&line.name),
            line.messages.to_string(),
            counted(&line.events),
            counted(&line.dropped),
        ]);
    }
    let mut text = table.render(0);
    let Pace { messages, secs, bag_secs, expected: _ } = report.pace;
    text.push_str(&format!(
        "{}: {messages} messages of {bag_secs:.1} s in {secs:.1} s: {:.0} a second, {:.0} times \
         real time\n",
        visible(&report.bag),
        report.pace.messages_per_sec(),
        report.pace.times_real_time(),
    ));
    if let Some(outcome) = &report.outcome {
        text.push_str(&format!(
            "{} memories stored, {} were there before, {} clips, {} ({})\n",
            outcome.stored,
            outcome.known,
            outcome.clips,
            report.sim_or_real,
            report.sim_or_real_why
        ));
        if outcome.placed > 0 {
            text.push_str(&format!(
                "{} of those before had no pose, and have one now\n",
                outcome.placed
            ));
        }
        for (reason, count) in outcome.refused.iter().chain(&outcome.without_clip) {
            text.push_str(&format!("{count} times: {}\n", visible(reason)));
        }
    }
    let poses = if report.poses.is_empty() { "none" } else { &report.poses };
    text.push_str(&format!("poses of events: {}\n", visible(poses)));
    for line in report.notes.iter().chain(&report.problems) {
        text.push_str(&format!("{}\n", visible(line)));
    }
    text
}

/// `contact 3, impact 1`
fn counted(counts: &[(&'static str, u64)]) -> String {
    let parts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}

/// Shows what a dry run would have stored.
pub fn show_events(events: &[Event], output: &mut Output) -> Result<(), Failure> {
    if output.is_json {
        for event in events {
            output.json_line(&json!({
                "created_at": event.stamp.rfc_3339(),
                "end": event.end.rfc_3339(),
                "event_id": event.event_id,
                "stream": event.stream,
                "topic": event.topic,
                "trigger": event.trigger.as_str(),
                "perception_type": event.perception_type.as_str(),
                "importance": event.importance,
                "content": event.description,
            }))?;
        }
        return output.finish();
    }
    let mut table = Table::new(["created_at", "stream", "trigger", "content"]);
    for event in events {
        table.row([
            rfc_3339_secs(event.stamp),
            visible(&event.stream),
            event.trigger.as_str().to_owned(),
            visible(&event.description),
        ]);
    }
    output.text(&table.render(0))
}
