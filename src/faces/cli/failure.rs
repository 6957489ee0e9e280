//! What can go wrong, and how it is told: one line on stderr, and an exit code.

use crate::faces::http::tokens::TokenError;
use crate::faces::import::ImportError;
#[cfg(feature = "fleet")]
use robot_memory_claims::KeyError;
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_engine::OpenError;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for arguments or a request that are not well formed.
const USAGE: u8 = 2;

/// Exit code when a bag was damaged, and what could be read of it was stored.
const DAMAGED: u8 = 3;

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{0}; see memory --help")]
    Arguments(String),
    #[error("{0}")]
    Call(#[from] ApiError),
    #[error("the store did not open: {0}")]
    Open(#[from] OpenError),
    #[error(
        "{0}; the tools of a running node: memory mcp --url http://127.0.0.1:8080 --token-file FILE"
    )]
    Busy(OpenError),
    #[error(
        "--store is not given, and neither ROS_HOME nor HOME is set, by which the node's store is found"
    )]
    NoHome,
    #[error("{}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("the answer could not be written: {0}")]
    Output(io::Error),
    #[error("{0}")]
    Token(#[from] TokenError),
    #[cfg(feature = "fleet")]
    #[error("{0}")]
    Key(#[from] KeyError),
    /// The servers of the fleet, or what they have.
    #[cfg(feature = "fleet")]
    #[error("{0}")]
    Fleet(String),
    /// What a program that goes on needs to begin.
    #[cfg(feature = "fleet")]
    #[error("{0}")]
    Start(String),
    #[error("{0}")]
    NothingToAsk(&'static str),
    #[error("{0}")]
    Import(#[from] ImportError),
    /// A value in a file or a flag, beyond what their form says.
    #[error("{0}")]
    Given(String),
    /// Bags that were.
    #[error("damaged, and read as far as it could be: {0}")]
    Damaged(String),
    /// Whoever read the answer has seen enough.
    #[error("the output was closed")]
    Closed,
}

/// What a command comes to.
pub type Outcome = Result<(), Failure>;

impl Failure {
    /// A command line that is not understood.
    pub fn arguments(error: &clap::Error) -> Self {
        Self::Arguments(match error.kind() {
            clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                "a command must be given".to_owned()
            }
            _ => sentence(&error.to_string()),
        })
    }

    /// Writes the line, and answers the exit code.
    pub fn print(&self) -> ExitCode {
        if !matches!(self, Self::Closed) {
            let line = self.to_string().replace(char::is_control, " ");
            // Without stderr there is nobody to tell.
            let _ = writeln!(io::stderr(), "memory: {line}");
        }
        self.exit_code()
    }

    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Closed => ExitCode::SUCCESS,
            Self::Arguments(_) | Self::Given(_) => ExitCode::from(USAGE),
            Self::Damaged(_) => ExitCode::from(DAMAGED),
            Self::Call(error) if error.kind == ErrorKind::InvalidArgument => ExitCode::from(USAGE),
            Self::Token(TokenError::Refused(_)) => ExitCode::from(USAGE),
            #[cfg(feature = "fleet")]
            Self::Key(_) | Self::Fleet(_) | Self::Start(_) => ExitCode::FAILURE,
            Self::Call(_)
            | Self::Token(_)
            | Self::Open(_)
            | Self::Busy(_)
            | Self::NoHome
            | Self::File { .. }
            | Self::Import(_)
            | Self::Output(_)
            | Self::NothingToAsk(_) => ExitCode::FAILURE,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Output(error),
        }
    }
}

/// Whether the next one of many may go better.
pub fn is_of_this_one(error: &ApiError) -> bool {
    !matches!(error.kind, ErrorKind::Unavailable | ErrorKind::Internal)
}

/// What clap says above its usage lines, in one line.
fn sentence(text: &str) -> String {
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    said.join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        let cases = [
            (
                "error: unexpected argument '--x' found\n\nUsage: memory stats\n\nFor more",
                "unexpected argument '--x' found",
            ),
            (
                "error: the following required arguments were not provided:\n  <ID>\n\nUsage: m",
                "the following required arguments were not provided: <ID>",
            ),
            ("error: a\n\n  tip: b\n\nUsage: m", "a tip: b"),
        ];
        for (text, line) in cases {
            assert_eq!(sentence(text), line);
        }
    }
}
