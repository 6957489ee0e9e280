//! `memory fleet`, as it is spelled.

use crate::faces::cli::values;
use clap::{Args, Subcommand};
use robot_memory_core::model::Stamp;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct FleetArguments {
    #[command(subcommand)]
    pub command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Show what was told and is to be told, what other robots told, and the revocations that were taken
    Status(StatusArguments),
    /// Show the public key of this robot, or of an authority; makes the file of the key when there is none
    Key(KeyArguments),
    /// Let every robot delete what one robot told: shows what would be; with --yes this is sent
    Revoke(RevokeArguments),
    /// Show which robots answered the revocations of an authority, and which did not
    Receipts(ReceiptsArguments),
}

#[derive(Debug, Args)]
pub struct StatusArguments {
    /// Also ask how far the fleet's stream was taken: address of the hub, or of a leaf, as nats://hub:4222
    #[arg(long)]
    pub url: Option<String>,
    /// File with the credentials for the server: a .creds file of NATS, or the seed of an nkey
    #[arg(long, value_name = "PATH", requires = "url")]
    pub credentials: Option<PathBuf>,
    /// File with the certificates by which the server is known
    #[arg(long, value_name = "PATH", requires = "url")]
    pub ca: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct KeyArguments {
    /// The file of the key [default: <store>.fleet.key beside the store, as the node's]
    #[arg(long, value_name = "PATH")]
    pub key: Option<PathBuf>,
    /// Name of this robot: also shows the line for the file of known robots
    #[arg(long, value_name = "NAME")]
    pub robot: Option<String>,
}

/// Where the fleet is, and who asks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fleet")]
pub struct ServerArguments {
    /// Address of the hub, or of a leaf, as nats://hub:4222 or tls://hub.lab:4222
    #[arg(long)]
    pub url: String,
    /// Name of the authority, as the file of known robots has it
    #[arg(long = "as", value_name = "NAME")]
    pub name: String,
    /// File with the credentials for the server: a .creds file of NATS, or the seed of an nkey
    #[arg(long, value_name = "PATH")]
    pub credentials: Option<PathBuf>,
    /// File with the certificates by which the server is known
    #[arg(long, value_name = "PATH")]
    pub ca: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RevokeArguments {
    #[command(flatten)]
    pub server: ServerArguments,
    /// The file of the authority's key, as `memory fleet key --key PATH` makes it
    #[arg(long, value_name = "PATH")]
    pub key: PathBuf,
    /// Whose experience
    #[arg(long, value_name = "ROBOT")]
    pub origin: String,
    /// Only this memory of it, by its number there
    #[arg(long, value_name = "N")]
    pub memory_id: Option<i64>,
    /// Only what was stored in this session of it
    #[arg(long, value_name = "SESSION_ID")]
    pub session: Option<String>,
    /// Only events of this stream of it
    #[arg(long, value_name = "NAME")]
    pub stream: Option<String>,
    /// Only what was made then or later, by the clock of the robot: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// Only what was made before [default: now]
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// Why, for the audit of every robot
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Send it
    #[arg(long = "yes")]
    pub is_confirmed: bool,
}

#[derive(Debug, Args)]
pub struct ReceiptsArguments {
    #[command(flatten)]
    pub server: ServerArguments,
    /// The file of known robots, as the nodes have it
    #[arg(long, value_name = "FILE")]
    pub robots: PathBuf,
    /// Only this revocation, by the number that `memory fleet revoke` showed
    #[arg(long, value_name = "N")]
    pub number: Option<i64>,
}
