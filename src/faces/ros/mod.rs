//! The ROS 2 node. The only place that names r2r.
//!
//! One thread owns the node and spins; it answers parameter requests itself and puts every other
//! request into one of two bounded work queues, whose workers call the engine. Nothing that is taken
//! from the middleware stays without an answer.

mod actions;
mod arguments;
mod bond;
mod capture;
mod clock;
mod closing;
mod command_line;
mod diagnostics;
mod disk;
mod embedder;
mod events;
mod http;
mod jobs;
mod late_replies;
mod life;
mod lifecycle;
mod localization;
mod loggers;
mod logging;
mod maintenance;
mod markers;
mod node;
mod offers;
mod outcomes;
mod parameters;
mod publish;
mod received;
mod service;
mod slot;
mod spin;
mod stop;
mod streams;
mod upkeep;
mod watch;
mod wire;

use crate::config::Invalid;
use crate::webhook::WebhookError;
use lifecycle::Outcome;
use robot_memory_chat::ChatEndpointError;
use robot_memory_engine::OpenError;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why the node did not start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("the command line or a parameter file is not well formed: {0}")]
    Arguments(String),
    #[error("{0}")]
    Parameter(#[from] Invalid),
    #[error("parameter {0} needs the home folder, and neither HOME nor an absolute path is given")]
    NoHome(&'static str),
    #[error("parameter {0}: {path} cannot be read: {2}", path = .1.display())]
    Unreadable(&'static str, PathBuf, std::io::Error),
    #[error("parameter access_path: {0}: {1}")]
    Access(String, OpenError),
    #[error("{0}")]
    Chat(#[from] ChatEndpointError),
    #[error("{0}")]
    Webhook(#[from] WebhookError),
    #[error("the store did not open: {0}")]
    Store(#[from] OpenError),
    #[error("http_address {0}: {1}")]
    Http(String, std::io::Error),
    #[cfg(feature = "fleet")]
    #[error("{0}")]
    Fleet(#[from] crate::faces::fleet::FleetError),
    #[error("the store did not close well")]
    NotClosed,
    #[error("the store is closed, but a thread that did not end in time still holds its lock")]
    Held,
    #[error("ROS: {0}")]
    Ros(#[from] r2r::Error),
    #[error("the operating system: {0}")]
    System(#[from] std::io::Error),
    #[error("{0}")]
    Logger(#[from] log::SetLoggerError),
}

impl StartError {
    /// 2 when the node was told something that it does not take, else 1.
    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Arguments(_)
            | Self::Parameter(_)
            | Self::NoHome(_)
            | Self::Unreadable(..)
            | Self::Access(..)
            | Self::Chat(_)
            | Self::Webhook(_)
            | Self::Http(..)
            | Self::Store(OpenError::Synonyms(_)) => ExitCode::from(2),
            #[cfg(feature = "fleet")]
            Self::Fleet(_) => ExitCode::from(2),
            Self::Store(_)
            | Self::NotClosed
            | Self::Held
            | Self::Ros(_)
            | Self::System(_)
            | Self::Logger(_) => ExitCode::FAILURE,
        }
    }

    /// How the transition ends that did not succeed: as an error when it was the store's fault.
    fn outcome(&self) -> Outcome {
        match self {
            Self::Store(error) if error.is_damage() => Outcome::Error,
            Self::NotClosed | Self::Held => Outcome::Error,
            _ => Outcome::Failure,
        }
    }
}

/// Runs the node until it is told to stop by SIGINT or SIGTERM. To be called first in `main`.
pub fn run() -> ExitCode {
    crate::memory_use::choose();
    let (logging, lines) = match logging::install() {
        Ok(installed) => installed,
        // Without it nobody would read a line of log.
        Err(error) => {
            let error = StartError::from(error);
            let _ = writeln!(std::io::stderr(), "{error}");
            return error.exit_code();
        }
    };
    let exit_code = node::run(logging, lines).unwrap_or_else(|error| {
        log::error!("{error}");
        error.exit_code()
    });
    logging.end();
    exit_code
}
