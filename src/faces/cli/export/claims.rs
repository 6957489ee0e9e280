//! `memory export --claims`: what this robot remembers, signed, for a new body that goes on with it.

use super::sink;
use crate::faces::cli::arguments::StoreArguments;
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::cli::open::{open_engine_of, store_path};
use crate::faces::cli::output::Output;
use crate::faces::cli::values::visible;
use crate::faces::fleet::key_beside;
use clap::Args;
use robot_memory_claims::{Cause, Key, KeyError, check_robot_name, encode};
use robot_memory_core::claim::Body;
use robot_memory_core::limits::FLEET_BATCH_MAX;
use robot_memory_engine::{Engine, FleetMember};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// In the place of a file.
const STANDARD_OUTPUT: &str = "-";

/// Whose claims, and by which key.
#[derive(Debug, Args)]
pub struct ClaimsArguments {
    /// All active memories of this robot's own as signed claims, one a line, for `memory adopt`, in a new file [without
    /// FILE: on standard output, and what was left out on standard error]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = STANDARD_OUTPUT, requires = "robot",
        conflicts_with_all = ["collections", "all", "vectors", "everything", "output"])]
    pub claims: Option<PathBuf>,
    /// Sign them. They are without it, too: nobody takes a claim that is not signed
    #[arg(long, requires = "claims")]
    pub signed: bool,
    /// Name of this robot, whose claims they are
    #[arg(long, value_name = "NAME", requires = "claims")]
    pub robot: Option<String>,
    /// Type of this robot, as the node's robot_type
    #[arg(
        long,
        value_name = "TYPE",
        requires = "claims",
        default_value = "",
        hide_default_value = true
    )]
    pub robot_type: String,
    /// Its gripper, as the node's gripper
    #[arg(
        long,
        value_name = "NAME",
        requires = "claims",
        default_value = "",
        hide_default_value = true
    )]
    pub gripper: String,
    /// The key that signs; it is made when there is none [default: <store>.fleet.key beside the store, as the node's]
    #[arg(long, value_name = "PATH", requires = "claims")]
    pub key: Option<PathBuf>,
    /// File that defines what is never stored, and never leaves [default: the shipped one]
    #[arg(long, value_name = "FILE", requires = "claims")]
    pub access: Option<PathBuf>,
}

/// What was written, and what was not.
#[derive(Default, Serialize)]
struct Report {
    claim_count: u64,
    output: String,
    robot: String,
    public_key: String,
    left_out: LeftOut,
}

/// Active memories that are not in the file.
#[derive(Default, Serialize)]
struct LeftOut {
    other_scopes: u64,
    hearsay: u64,
    secrets: u64,
    /// By the cause for which readers would refuse the claim.
    refused: BTreeMap<Cause, u64>,
}

/// Writes the claims to standard output, or to a new file, which is taken away again when it could not be finished.
pub fn run(
    path: &Path,
    arguments: &ClaimsArguments,
    store: &StoreArguments,
    output: &mut Output,
) -> Outcome {
    let robot_id = arguments.robot.clone().unwrap_or_default();
    check_robot_name(&robot_id).map_err(|fault| Failure::Given(format!("--robot: {fault}")))?;
    let body =
        Body { robot_type: arguments.robot_type.clone(), gripper: arguments.gripper.clone() };
    let member = FleetMember::new(&robot_id, body);
    let engine = open_engine_of(store, arguments.access.as_deref(), member)?;
    let key = match &arguments.key {
        Some(path) => path.clone(),
        None => key_beside(&store_path(store)?),
    };
    let key = Key::open_or_create(&key).map_err(not_opened)?;
    let named = |report| {
        let (output, public_key) = (path.display().to_string(), key.public());
        Report { output, robot: robot_id.clone(), public_key, ..report }
    };
    if path == Path::new(STANDARD_OUTPUT) {
        let report = write(&engine, &key, &mut BufWriter::new(io::stdout().lock()))?;
        let mut beside = Output::to(io::stderr());
        beside.is_json = output.is_json;
        return beside.answer(&named(report), shown);
    }
    let of_file = |source| Failure::File { path: path.to_owned(), source };
    let (file, is_new) = sink(path).map_err(of_file)?;
    let written = write(&engine, &key, &mut BufWriter::new(file));
    if written.is_err() && is_new {
        // What failed is said below; a part of an export that stays is no more than a nuisance.
        let _ = std::fs::remove_file(path);
    }
    let report = written.map_err(|failure| match failure {
        Failure::Output(source) => of_file(source),
        failure => failure,
    })?;
    output.answer(&named(report), shown)
}

fn not_opened(error: KeyError) -> Failure {
    match error {
        KeyError::File(path, source) => Failure::File { path, source },
        error => Failure::Given(error.to_string()),
    }
}

fn write(engine: &Engine, key: &Key, sink: &mut impl Write) -> Result<Report, Failure> {
    let mut report = Report::default();
    let mut after = 0;
    loop {
        let page = engine.own_claims(after, FLEET_BATCH_MAX)?;
        let left_out = &mut report.left_out;
        left_out.other_scopes += page.other_scope_count;
        left_out.hearsay += page.hearsay_count;
        left_out.secrets += page.secret_count;
        for claim in &page.claims {
            match encode(claim, key) {
                Ok(message) => {
                    sink.write_all(&message)?;
                    sink.write_all(b"\n")?;
                    report.claim_count += 1;
                }
                Err(refused) => *left_out.refused.entry(refused.cause()).or_default() += 1,
            }
        }
        match page.last_id {
            Some(last_id) => after = last_id,
            None => break,
        }
    }
    sink.flush()?;
    Ok(report)
}

fn shown(report: &Report) -> String {
    let Report { claim_count, output, robot, public_key, left_out } = report;
    let LeftOut { other_scopes, hearsay, secrets, refused } = left_out;
    let mut text = format!(
        "{claim_count} claims of {robot} in {}, signed by the key {public_key}\nleft out: {other_scopes} of other \
         scopes, {hearsay} that others told, {secrets} with secrets, {} that cannot be claims\n",
        visible(output),
        refused.values().sum::<u64>()
    );
    for (cause, count) in refused {
        text.push_str(&format!("  {cause}: {count}\n"));
    }
    text
}
