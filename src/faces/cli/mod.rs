//! The command line: a program that reads a store, also beside the node that writes it.
//!
//! It decodes arguments, calls the engine once, and shows the answer, for people or as JSON. What
//! would write goes through the node, but for `import`, `restore`, `load`, `adopt` and `site`, which need the
//! store for themselves.

#[cfg(feature = "fleet")]
mod adopt;
mod arguments;
mod backups;
mod bench;
mod brief;
mod compare;
mod export;
mod failure;
mod filters;
#[cfg(feature = "fleet")]
mod fleet;
mod get;
mod import;
#[cfg(feature = "fleet")]
mod interrupt;
mod jobs;
mod load;
mod locate;
#[cfg(feature = "mcp")]
mod mcp;
mod open;
mod output;
mod recall;
mod report;
mod scopes;
#[cfg(feature = "fleet")]
mod site;
mod stats;
mod status;
mod table;
mod timeline;
mod token;
mod unlearn;
#[cfg(any(feature = "fleet", feature = "mcp"))]
mod upkeep;
mod values;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use output::Output;
use std::process::ExitCode;

/// Reads the program's arguments and does what they say. Answers 0 when that was done, 1 when it
/// could not be, 2 when the arguments or a request are not well formed, 3 when a bag was damaged.
pub fn run() -> ExitCode {
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => execute(arguments),
        Err(error) if error.use_stderr() => Err(Failure::arguments(&error)),
        Err(help) => Output::standard(false).text(&help.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.print(),
    }
}

fn execute(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { command, store, is_json } = arguments;
    let mut output = Output::standard(is_json);
    match command {
        Command::Recall(arguments) => recall::run(arguments, &store, &mut output),
        Command::Compare(arguments) => compare::run(arguments, &store, &mut output),
        Command::Brief(arguments) => brief::run(arguments, &store, &mut output),
        Command::Locate(arguments) => locate::run(arguments, &store, &mut output),
        Command::Timeline(arguments) => timeline::run(arguments, &store, &mut output),
        Command::Unlearn(arguments) => unlearn::run(arguments, &store, &mut output),
        Command::Get(arguments) => get::run(&arguments, &store, &mut output),
        Command::Jobs(arguments) => jobs::run(arguments, &store, &mut output),
        Command::Scopes(arguments) => scopes::run(arguments, &store, &mut output),
        Command::Status(arguments) => status::run(arguments, &store, &mut output),
        Command::Report(arguments) => report::run(arguments, &store, &mut output),
        Command::Stats => stats::run(&store, &mut output),
        Command::Bench(arguments) => bench::run(arguments, &store, &mut output),
        Command::Export(arguments) => export::run(arguments, &store, output),
        Command::Import(arguments) => import::run(&arguments, store, &mut output),
        Command::Backup(arguments) => backups::back_up(&arguments, &store, &mut output),
        Command::Backups(arguments) => backups::list(&arguments, &store, &mut output),
        Command::Restore(arguments) => backups::restore(&arguments, &store, &mut output),
        Command::Load(arguments) => load::run(&arguments, &store, &mut output),
        #[cfg(feature = "fleet")]
        Command::Adopt(arguments) => adopt::run(&arguments, &store, &mut output),
        Command::Token(arguments) => token::run(arguments, &store, &mut output),
        #[cfg(feature = "fleet")]
        Command::Fleet(arguments) => fleet::run(arguments, &store, &mut output),
        #[cfg(feature = "fleet")]
        Command::Site(arguments) => site::run(arguments, &store, output),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => {
            // It writes there itself.
            drop(output);
            mcp::run(arguments, &store)
        }
    }
}
