//! `memory mcp`

use super::arguments::{McpArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{load_model, open_working, open_writing, secret_of};
use super::upkeep::with_upkeep;
use crate::config::Settings;
use crate::faces::mcp::{self, ToolProfile};
use crate::faces::wall_clock::WallClock;
use std::sync::Arc;

/// Offers the tools until whoever calls them ends it.
pub fn run(arguments: McpArguments, store: &StoreArguments) -> Outcome {
    let McpArguments { url, token_file, agent, profile } = arguments;
    let profile = ToolProfile::spelled(&profile);
    let served = match url {
        // It is told in errors, and a log is no place for a password.
        Some(url) if url.contains('@') => {
            let told = "--url: it must hold no user and no password (@); put a token into a file, and give that \
                as --token-file";
            return Err(Failure::Given(told.to_owned()));
        }
        Some(url) => {
            let token = token_file.as_deref().map(secret_of).transpose()?;
            mcp::bridge(&url, &token.unwrap_or_default(), profile)
        }
        None => {
            let settings = Settings::default();
            let engine = match profile {
                // Its maintenance is a job.
                ToolProfile::Mem0 => open_working(store, &settings, Arc::new(WallClock)),
                _ => open_writing(store, &settings, Arc::new(WallClock)),
            };
            let engine = Arc::new(engine.map_err(with_advice)?);
            load_model(&engine, store, &settings)?;
            let serve = || mcp::serve_engine(Arc::clone(&engine), agent, profile);
            let served = with_upkeep(&engine, profile == ToolProfile::Mem0, serve);
            engine.close()?;
            served
        }
    };
    served.map_err(|error| Failure::Given(format!("standard input: {error}")))
}

/// What holds the store is a node, most often.
fn with_advice(failure: Failure) -> Failure {
    match failure {
        Failure::Open(error) if error.is_in_use() => Failure::Busy(error),
        failure => failure,
    }
}
