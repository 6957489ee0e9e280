//! `memory locate`

use super::arguments::{LocateArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{rfc_3339_secs, visible};
use robot_memory_core::api::{Locate, LocateRequest, LocateResponse, ObjectPlace};

/// Shows where things of a name are.
pub fn run(arguments: LocateArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let response = open_engine(store)?.call::<Locate>(LocateRequest {
        what: arguments.what.unwrap_or_default(),
        position_m: arguments.near,
        frame: arguments.frame.unwrap_or_default(),
        distance_m_max: arguments.within,
        since: arguments.since,
        map_id: arguments.map.unwrap_or_default(),
        n: arguments.n,
        scope: arguments.scope.unwrap_or_default(),
        agent: arguments.agent.unwrap_or_default(),
        ..LocateRequest::default()
    })?;
    output.answer(&response, shown)
}

fn shown(response: &LocateResponse) -> String {
    let sentence = format!("{}\n", visible(&response.sentence_en));
    if response.places.is_empty() {
        return sentence;
    }
    let mut table = Table::new(["#id", "label", "state", "place", "frame", "last seen", "sure"]);
    for place in &response.places {
        let position = place.position_m.iter().map(|it| format!("{it:.2}"));
        let position = position.collect::<Vec<_>>().join(", ");
        let position = if place.is_seen_from { format!("seen from {position}") } else { position };
        table.row([
            place.object_id.to_string(),
            visible(&place.label),
            state(place),
            position,
            visible(&format!("{} {}", place.map_id, place.frame)),
            rfc_3339_secs(place.last_seen),
            format!("{:.2}", place.confidence),
        ]);
    }
    format!("{sentence}\n{}", table.render(0))
}

fn state(place: &ObjectPlace) -> String {
    let elsewhere = if place.is_elsewhere { ", elsewhere" } else { "" };
    format!("{}{elsewhere}", place.state)
}
