//! `memory site`

#[cfg(feature = "site")]
mod provenance;

use super::arguments::StoreArguments;
use super::failure::{Failure, Outcome};
use super::interrupt::Interrupt;
use super::open::{load_model, open_member};
#[cfg(feature = "site")]
use super::open::{model, secret_of};
use super::output::Output;
use super::upkeep::with_upkeep;
use crate::config::Settings;
use crate::faces::fleet;
#[cfg(feature = "site")]
use crate::faces::fleet::SiteLink;
use crate::faces::http::{HttpServer, HttpSettings, HttpTarget, tokens};
use crate::faces::paths::Folders;
use crate::faces::wall_clock::WallClock;
use clap::Args;
#[cfg(feature = "site")]
use clap::Subcommand;
#[cfg(feature = "site")]
use provenance::ProvenanceArguments;
#[cfg(feature = "site")]
use robot_memory_claims::{KnownRobots, check_robot_name};
use robot_memory_engine::Engine;
#[cfg(feature = "site")]
use robot_memory_site::SiteStore;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Vectors of a site in Postgres that came since are indexed.
#[cfg(feature = "site")]
const INDEXED_EACH: Duration = Duration::from_secs(24 * 3600);
/// Threads that answer over HTTP.
const HTTP_READERS: usize = 2;
/// How long the listener may take to end.
const HTTP_STOP: Duration = Duration::from_secs(2);

/// What of a site: without a command it takes and answers.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SiteArguments {
    #[cfg(feature = "site")]
    #[command(subcommand)]
    pub command: Option<SiteCommand>,
    #[command(flatten)]
    pub served: Option<ServedArguments>,
}

/// What is asked of the memory of a site without a fleet.
#[cfg(feature = "site")]
#[derive(Debug, Subcommand)]
pub enum SiteCommand {
    /// Show who told a memory and when, what it goes back to, what was made of it, and what attempts of robots say of it; of
    /// a site that keeps its memory in Postgres
    Provenance(ProvenanceArguments),
}

/// Where the fleet is, and who answers there.
#[derive(Debug, Args)]
pub struct ServedArguments {
    /// Address of the hub, or of a leaf, as nats://hub:4222 or tls://hub.lab:4222
    #[arg(long)]
    pub url: String,
    /// Name of the site among the robots of the fleet: its receipts of revocations are signed with it
    #[arg(long = "as", value_name = "NAME", default_value = "site")]
    pub name: String,
    /// The names and public keys of the robots that are believed to be who they say, as the node's fleet_robots_path
    #[arg(long, value_name = "FILE")]
    pub robots: PathBuf,
    /// The file of the site's key, made when there is none [default: <store>.fleet.key beside the store]
    #[arg(long, value_name = "PATH")]
    pub key: Option<PathBuf>,
    /// File with the credentials for the server: a .creds file of NATS, or the seed of an nkey
    #[arg(long, value_name = "PATH")]
    pub credentials: Option<PathBuf>,
    /// File with the certificates by which the server is known
    #[arg(long, value_name = "PATH")]
    pub ca: Option<PathBuf>,
    /// File that defines what is never stored, and who may read what [default: the shipped one]
    #[arg(long, value_name = "FILE")]
    pub access: Option<PathBuf>,
    /// Also answer over HTTP, with the page for people, as 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<String>,
    /// Instead of --store: file with the address of a Postgres with pgvector, as postgres://memory:password@db/site, which
    /// only its owner may read
    #[cfg(feature = "site")]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["store", "http", "key", "access"])]
    pub postgres_file: Option<PathBuf>,
}

/// Takes what robots tell and answers what they ask, until the program is interrupted.
pub fn run(arguments: SiteArguments, store: &StoreArguments, mut output: Output) -> Outcome {
    #[cfg(feature = "site")]
    if let Some(SiteCommand::Provenance(arguments)) = &arguments.command {
        return provenance::run(arguments, &mut output);
    }
    let Some(arguments) = arguments.served else {
        return Err(Failure::Given("--url and --robots: must be given".to_owned()));
    };
    #[cfg(feature = "site")]
    if let Some(file) = &arguments.postgres_file {
        return in_postgres(&arguments, file, store, &mut output);
    }
    let Some(path) = store.store.clone() else {
        let told = "--store: must be given: the file in which the site keeps what the fleet tells, \
            which is not that of a robot";
        return Err(Failure::Given(told.to_owned()));
    };
    log_to_stderr();
    let interrupt =
        Interrupt::hear().map_err(|error| Failure::Start(format!("signals: {error}")))?;
    let settings = settings(&arguments);
    let member = fleet::member(&settings).map_err(failure)?;
    let engine = Arc::new(open_member(store, &settings, member, Arc::new(WallClock))?);
    load_model(&engine, store, &settings)?;
    let folders = Folders::from_environment();
    let link = fleet::start_site(&settings, &folders, &engine).map_err(failure)?;
    let http = arguments.http.map(|address| listen(&engine, &path, address)).transpose()?;
    let address = http.as_ref().map(|http| http.address().to_string());
    let login = http.as_ref().and_then(HttpServer::login_link);
    let (name, url) = (arguments.name, arguments.url);
    let started = json!({ "site": name, "url": url, "store": path, "http": address });
    output.answer(started, |_| {
        let mut text =
            format!("{name} keeps what the fleet at {url} tells in {}\n", path.display());
        if let Some(link) = login {
            text += &format!("the page, to be opened once: {link}\n");
        }
        text
    })?;
    with_upkeep(&engine, true, || interrupt.wait());
    link.stop();
    if let Some(http) = http {
        http.stop(Instant::now() + HTTP_STOP);
    }
    Ok(engine.close()?)
}

/// The same, with its memory in Postgres.
#[cfg(feature = "site")]
fn in_postgres(
    arguments: &ServedArguments,
    file: &Path,
    store: &StoreArguments,
    output: &mut Output,
) -> Outcome {
    log_to_stderr();
    let interrupt =
        Interrupt::hear().map_err(|error| Failure::Start(format!("signals: {error}")))?;
    let ServedArguments { url, name, robots, credentials, ca, .. } = arguments;
    let known = KnownRobots::open(robots)
        .map_err(|error| Failure::Given(format!("--robots: {}: {error}", robots.display())))?;
    let transport = fleet::transport_settings(url, name, credentials.clone(), ca.clone())
        .map_err(|fault| Failure::Given(format!("--credentials: {fault}")))?;
    let site = store_in(file, name)?;
    let embedder = model(store, &Settings::default()).ok().flatten();
    let link = SiteLink::start(transport, site, known, embedder)
        .map_err(|error| Failure::Given(format!("--url: {error}")))?;
    let started = json!({ "site": name, "url": url, "postgres_file": file });
    output
        .answer(started, |_| format!("{name} keeps what the fleet at {url} tells in Postgres\n"))?;
    let link = Arc::new(link);
    let indexing = Arc::clone(&link);
    // Nobody waits for it at the end: an index of a month takes minutes, and one that was broken off is made anew.
    std::thread::spawn(move || {
        loop {
            indexing.index_vectors();
            std::thread::sleep(INDEXED_EACH);
        }
    });
    interrupt.wait();
    link.stop();
    Ok(())
}

/// The memory of a site in the Postgres whose address is in a file.
#[cfg(feature = "site")]
fn store_in(file: &Path, name: &str) -> Result<SiteStore, Failure> {
    check_robot_name(name).map_err(|fault| Failure::Given(format!("--as: {fault}")))?;
    let address = secret_of(file)?;
    SiteStore::open(address.trim(), name)
        .map_err(|error| Failure::Start(format!("{}: {error}", file.display())))
}

/// The parameters of a node that keeps what a fleet tells.
fn settings(arguments: &ServedArguments) -> Settings {
    let text = |path: &Option<PathBuf>| {
        path.as_ref().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
    };
    Settings {
        fleet_url: arguments.url.clone(),
        robot_id: arguments.name.clone(),
        fleet_robots_path: arguments.robots.to_string_lossy().into_owned(),
        fleet_key_path: text(&arguments.key),
        fleet_credentials_path: text(&arguments.credentials),
        fleet_ca_path: text(&arguments.ca),
        access_path: text(&arguments.access),
        ..Settings::default()
    }
}

/// What is wrong, by the arguments of this program.
fn failure(error: fleet::FleetError) -> Failure {
    let mut text = error.to_string();
    for (parameter, argument) in [
        ("fleet_robots_path", "--robots"),
        ("fleet_key_path", "--key"),
        ("fleet_credentials_path", "--credentials"),
        ("fleet_ca_path", "--ca"),
        ("fleet_url", "--url"),
        ("robot_id", "--as"),
    ] {
        text = text.replace(&format!("parameter {parameter}"), argument);
    }
    Failure::Given(text)
}

/// Answers over HTTP.
fn listen(engine: &Arc<Engine>, store: &Path, address: String) -> Result<HttpServer, Failure> {
    let defaults = Settings::default();
    let told = HttpSettings {
        address: address.clone(),
        hosts: Vec::new(),
        is_open: false,
        tokens_path: tokens::beside(store),
        requests_per_second_max: defaults.http_requests_per_second,
        login_link: true,
    };
    let target = HttpTarget::alone(Arc::clone(engine), HTTP_READERS);
    let started = target.and_then(|target| HttpServer::start(told, target));
    started.map_err(|error| Failure::Start(format!("--http {address}: {error}")))
}

/// What happens is told there, with the time.
fn log_to_stderr() {
    let mut builder = env_logger::Builder::new();
    builder.filter_level(log::LevelFilter::Info).format_target(false);
    // An error: somebody logs already.
    let _ = builder.try_init();
}
