//! `memory fleet`

mod arguments;
mod receipts;
mod revoke;
mod status;

pub use arguments::{FleetArguments, FleetCommand};

use super::arguments::StoreArguments;
use super::failure::{Failure, Outcome};
use super::open::store_path;
use super::output::Output;
use crate::faces::fleet;
use arguments::{KeyArguments, ServerArguments};
use robot_memory_claims::{Key, check_robot_name};
use robot_memory_fleet::{OnceError, Settings};
use serde_json::json;

/// Shows what a fleet told and was told, or has it delete something.
pub fn run(arguments: FleetArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    match arguments.command {
        FleetCommand::Status(arguments) => status::run(arguments, store, output),
        FleetCommand::Key(arguments) => key(arguments, store, output),
        FleetCommand::Revoke(arguments) => revoke::run(arguments, output),
        FleetCommand::Receipts(arguments) => receipts::run(arguments, output),
    }
}

fn key(arguments: KeyArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    if let Some(name) = &arguments.robot {
        check_robot_name(name).map_err(|fault| Failure::Given(format!("--robot: {fault}")))?;
    }
    let path = match arguments.key {
        Some(path) => path,
        None => {
            let store = store_path(store)?;
            // The node makes it at its first start, which may be later.
            if let Some(folder) = store.parent().filter(|it| !it.as_os_str().is_empty()) {
                let failed = |source| Failure::File { path: folder.to_owned(), source };
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            fleet::key_beside(&store)
        }
    };
    let public = Key::open_or_create(&path)?.public();
    let name = arguments.robot;
    output.answer(json!({ "name": name, "key": public }), |_| {
        let line = name.map(|name| format!("  {name}: {{key: \"{public}\"}}\n"));
        format!("{public}\n{}", line.unwrap_or_default())
    })
}

/// Where the fleet is, and who speaks.
fn settings(arguments: &ServerArguments) -> Result<Settings, Failure> {
    let ServerArguments { url, name, credentials, ca } = arguments.clone();
    check_robot_name(&name).map_err(|fault| Failure::Given(format!("--as: {fault}")))?;
    let settings = fleet::transport_settings(&url, &name, credentials, ca)
        .map_err(|fault| Failure::Given(format!("--credentials: {fault}")))?;
    settings.check().map_err(|error| Failure::Given(error.to_string()))?;
    Ok(settings)
}

impl From<OnceError> for Failure {
    fn from(error: OnceError) -> Self {
        Self::Fleet(error.to_string())
    }
}
