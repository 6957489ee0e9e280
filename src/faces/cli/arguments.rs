//! The command line, as it is spelled.

#[cfg(feature = "fleet")]
use super::adopt::AdoptArguments;
#[cfg(feature = "fleet")]
use super::export::claims::ClaimsArguments;
use super::filters::{Filters, RecallArguments};
#[cfg(feature = "fleet")]
use super::fleet::FleetArguments;
#[cfg(feature = "fleet")]
use super::site::SiteArguments;
use super::values::{self, spellings};
use clap::{Args, Parser, Subcommand};
use robot_memory_core::api::TimelineKind;
use robot_memory_core::model::{JobOrder, JobStatus, JobType, ScopeOrder, SortOrder, Stamp};
use std::path::PathBuf;

const ABOUT: &str = "Reads the memory of a robot: recalls, shows, counts, measures and exports what \
    one store holds, copies it and puts copies back, shows its background jobs, imports recorded bags \
    into it, keeps the tokens of callers over HTTP, revokes what a fleet told, and offers tools of MCP.";

const AFTER: &str = "\
All but import, restore, load, adopt and mcp without --url only read: they change nothing in the store, and a
node may have the store in use. Those five write: while a node has the store, they are refused. To put a backup back
while the node runs, call its service
  ros2 service call /robot_memory/restore_backup robot_memory/srv/RestoreBackup \"{name: latest}\"
To learn, save, update or forget, call the node, as with
  ros2 service call /robot_memory/learn robot_memory/srv/Learn \"{insight: 'the cup is fragile'}\"

Exit codes: 0 done, 1 not done (why is on stderr), 2 not understood, 3 done with what could be
read of a damaged bag.";

#[derive(Debug, Parser)]
#[command(name = "memory", version, about = ABOUT, after_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Answer in JSON, one value a line
    #[arg(long = "json", global = true)]
    pub is_json: bool,
    #[command(flatten)]
    pub store: StoreArguments,
}

/// Which store, which model made its vectors, and which words mean the same.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Store")]
pub struct StoreArguments {
    /// The store's file [default: robot_memory/robot_memory.db in ROS_HOME (~/.ros), as the node's]
    #[arg(long, global = true, value_name = "PATH")]
    pub store: Option<PathBuf>,
    /// Folder of the embedding model, or its .onnx file [default: the shipped model, as the node's]
    #[arg(long, global = true, value_name = "PATH")]
    pub model_dir: Option<PathBuf>,
    /// Folder of a model of texts and pictures, by which recall finds pictures [default: none]
    #[arg(long, global = true, value_name = "PATH")]
    pub image_model_dir: Option<PathBuf>,
    /// File of words that mean the same [default: the shipped one, as the node's]
    #[arg(long, global = true, value_name = "PATH")]
    pub synonyms: Option<PathBuf>,
    /// By words only, without vectors: quicker to start
    #[arg(long, visible_alias = "words-only", global = true, conflicts_with = "model_dir")]
    pub no_model: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the memories that matter
    Recall(RecallArguments),
    /// Compare the attempts at a task that succeeded with those that failed
    Compare(CompareArguments),
    /// Show what is known of a task on an object before it is done
    Brief(BriefArguments),
    /// Show where things are that detectors saw
    Locate(LocateArguments),
    /// Show what happened, in order of time: sessions, attempts, events, other memories
    Timeline(TimelineArguments),
    /// Forget memories with all that was made of them: shows what would be done; with --yes this writes
    Unlearn(UnlearnArguments),
    /// Show one memory, of any status, with all that the store keeps of it
    Get(GetArguments),
    /// Count what the store holds
    Stats,
    /// Show the state of the memory: the health of each part, counts, sizes, and the latest actions
    Status(StatusArguments),
    /// Write one page about the store that a browser shows: counts over time, tasks, places, health
    Report(ReportArguments),
    /// Show background jobs, or one with all that is known of it, and why each is where it is
    Jobs(JobsArguments),
    /// Show how far the jobs of each scope have come
    Scopes(ScopesArguments),
    /// Measure recall on this store
    Bench(BenchArguments),
    /// Write all memories as JSON Lines, one a line, in order of id
    Export(ExportArguments),
    /// Remember what happened in recorded bags (rosbag2), as the node would have; this writes
    Import(ImportArguments),
    /// Copy the store, verified, also while a node writes it
    Backup(BackupArguments),
    /// List the backups, the newest first
    Backups(BackupsArguments),
    /// Put the store back to what a backup holds; this writes
    Restore(RestoreArguments),
    /// Store all that `export --everything` wrote in a store that is empty, or what another program
    /// remembered; this writes
    Load(LoadArguments),
    /// Go on with what another body remembered, out of `export --claims`; this writes
    #[cfg(feature = "fleet")]
    Adopt(AdoptArguments),
    /// Tokens by which callers over HTTP prove who they are: make one, list them, take one away
    Token(TokenArguments),
    /// What robots of a fleet told each other: show it, and have all of them delete what one told
    #[cfg(feature = "fleet")]
    Fleet(FleetArguments),
    /// Be the memory of a site until it is interrupted: keep what all robots of the fleet tell, and answer what they
    /// ask; this writes
    #[cfg(feature = "fleet")]
    Site(SiteArguments),
    /// Offer the tools of MCP on standard input and output, of a running node or of a store
    #[cfg(feature = "mcp")]
    Mcp(McpArguments),
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
pub struct McpArguments {
    /// Address of a node that answers over HTTP, as http://127.0.0.1:8080 [default: the store, which no node may
    /// have then]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// File with the token that proves to the node who calls; only its owner may read it
    #[arg(long, value_name = "PATH", requires = "url")]
    pub token_file: Option<PathBuf>,
    /// Who calls, for the access policy of the store [default: the operator]
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    pub agent: Option<String>,
    /// Which tools: those of this program, or those of another one by its names and with its answers
    #[arg(long, value_name = "TOOLS", default_value = "robot_memory",
        value_parser = ["robot_memory", "robotmem", "levels", "mem0"])]
    pub profile: String,
}

#[derive(Debug, Args)]
pub struct TokenArguments {
    #[command(subcommand)]
    pub command: TokenCommand,
    /// The file of tokens [default: <store>.tokens.json beside the store, as the node's]
    #[arg(long, global = true, value_name = "PATH")]
    pub tokens: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token, and show it this once; a running node takes it at once
    Add {
        /// For people, as the program or the person that gets it
        name: String,
        /// What its holder may call: reader (what reads), planner (and what a task stores) or operator (all)
        #[arg(long, value_name = "PROFILE", value_parser = ["reader", "planner", "operator"], default_value = "reader")]
        profile: String,
        /// Who calls, for the access policy [default: NAME; of the profile operator: the operator]
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// List the tokens by their names
    List,
    /// Take a token away; a running node refuses it at once
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The task, as context.task.name or the words of the memories call it; none: all that is left by the
    /// flags
    pub task: Option<String>,
    /// Only attempts on this object
    #[arg(long, value_name = "NAME")]
    pub object: Option<String>,
    /// Only this collection [default: default]
    #[arg(short, long, value_name = "NAME", conflicts_with = "collections")]
    pub collection: Option<String>,
    /// These collections; * is all of them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// Conditions on the context, as of recall
    #[arg(long, value_name = "JSON")]
    pub context_filter: Option<String>,
    /// Only attempts that were stored then or later: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// Only attempts that were stored then or before
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// What a search of this scope sees, as of recall [default: global]
    #[arg(long)]
    pub scope: Option<String>,
    /// How many differences at most, 1 to 100
    #[arg(short, default_value_t = 10)]
    pub n: u32,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct LocateArguments {
    /// What, English or Chinese [default: everything]
    pub what: Option<String>,
    /// Near this place: x, y and perhaps z in meters
    #[arg(long, value_name = "X,Y", value_delimiter = ',', allow_hyphen_values = true)]
    pub near: Vec<f64>,
    /// Only places in this frame can be used
    #[arg(long, value_name = "NAME")]
    pub frame: Option<String>,
    /// At most so many meters from there
    #[arg(long, value_name = "METERS", default_value_t = 0.0, requires = "near")]
    pub within: f64,
    /// Only what was seen then or later: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// The map in which the robot is [default: not known]
    #[arg(long, value_name = "NAME")]
    pub map: Option<String>,
    /// What a search of this scope sees, as of recall [default: global]
    #[arg(long)]
    pub scope: Option<String>,
    /// How many places at most, 1 to 100
    #[arg(short, default_value_t = 10)]
    pub n: u32,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct TimelineArguments {
    /// Only what happened then or later: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// Only what happened before
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// Only this session and what is of it
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only these kinds [default: all; with --trigger events]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = spellings!(TimelineKind))]
    pub kinds: Vec<String>,
    /// Only events of this trigger; may be given several times
    #[arg(long = "trigger", value_name = "NAME")]
    pub triggers: Vec<String>,
    /// The newest first [default: the oldest]
    #[arg(long)]
    pub newest: bool,
    /// Which collection [default: default, or with --session all]
    #[arg(long)]
    pub collection: Option<String>,
    /// Instead of one collection; * for all
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "collection")]
    pub collections: Vec<String>,
    /// Which memories, as of recall [default: global]
    #[arg(long)]
    pub scope: Option<String>,
    /// How many entries at most, 1 to 1000
    #[arg(short, default_value_t = 100)]
    pub n: u32,
    /// Go on behind the page that ended with this cursor
    #[arg(long, value_name = "TEXT")]
    pub cursor: Option<String>,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct UnlearnArguments {
    /// Only these memories [default: all that meet the flags, of which one must be given]
    #[arg(value_name = "ID")]
    pub ids: Vec<i64>,
    /// Only memories of this session
    #[arg(long, value_name = "SESSION_ID")]
    pub session: Option<String>,
    /// Only events of this stream
    #[arg(long, value_name = "NAME")]
    pub stream: Option<String>,
    /// Conditions on the context, as of recall
    #[arg(long, value_name = "JSON")]
    pub context_filter: Option<String>,
    /// Only memories made then or later: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub since: Option<Stamp>,
    /// Only memories made before
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// Only this collection [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
    /// What a search of this scope sees, as of recall [default: all]
    #[arg(long)]
    pub scope: Option<String>,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Do it, if it is still the plan that was shown
    #[arg(long, requires = "plan", requires = "reason")]
    pub yes: bool,
    /// The plan that was shown
    #[arg(long, value_name = "PLAN", requires = "yes")]
    pub plan: Option<String>,
    /// As this agent, by the access policy [default: the operator]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct BriefArguments {
    /// What is to be done, as context.task.name of attempts
    pub task: String,
    /// On what [default: anything]
    pub object: Option<String>,
    /// Where, by name
    #[arg(long, value_name = "NAME")]
    pub place: Option<String>,
    /// The planned parameters, which are checked against the constraints
    #[arg(long, value_name = "JSON")]
    pub params: Option<String>,
    /// Only this collection [default: default]
    #[arg(short, long, value_name = "NAME", conflicts_with = "collections")]
    pub collection: Option<String>,
    /// These collections; * is all of them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// What a search of this scope sees, as of recall [default: global]
    #[arg(long)]
    pub scope: Option<String>,
    /// How many similar attempts at most, 1 to 100
    #[arg(short, default_value_t = 5)]
    pub n: u32,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct GetArguments {
    /// The memory's id
    pub id: i64,
    /// Show the data and metadata of a perception
    #[arg(long)]
    pub data: bool,
}

#[derive(Debug, Args)]
pub struct StatusArguments {
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct ReportArguments {
    /// The page; one that is there is replaced
    #[arg(short, long, value_name = "FILE", default_value = "memory_report.html")]
    pub output: PathBuf,
    /// Charts over time, tasks and places show so many days before now [default: all]
    #[arg(long, value_name = "COUNT", default_value_t = 0, hide_default_value = true)]
    pub days: u32,
}

#[derive(Debug, Args)]
pub struct JobsArguments {
    /// The job's id [default: a list]
    #[arg(conflicts_with_all = [
        "scope", "scope_id", "job_type", "status", "turn", "created_from", "created_to",
        "available_from", "available_to", "sort_by", "sort_order", "limit", "offset",
    ])]
    pub id: Option<i64>,
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// Only jobs of this type
    #[arg(long, value_name = "TYPE", value_parser = spellings!(JobType))]
    pub job_type: Option<String>,
    /// Only jobs of this status
    #[arg(long, value_parser = spellings!(JobStatus))]
    pub status: Option<String>,
    /// Only jobs of this turn
    #[arg(long, value_name = "TURN_ID")]
    pub turn: Option<String>,
    /// Only jobs queued at or after: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp)]
    pub created_from: Option<Stamp>,
    /// Only jobs queued at or before
    #[arg(long, value_name = "TIME", value_parser = values::stamp)]
    pub created_to: Option<Stamp>,
    /// Only jobs that may be begun from then on, or later
    #[arg(long, value_name = "TIME", value_parser = values::stamp)]
    pub available_from: Option<Stamp>,
    /// Only jobs that may be begun from then on, or earlier
    #[arg(long, value_name = "TIME", value_parser = values::stamp)]
    pub available_to: Option<Stamp>,
    /// What they are sorted by [default: created_at]
    #[arg(long, value_name = "FIELD", value_parser = spellings!(JobOrder))]
    pub sort_by: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

#[derive(Debug, Args)]
pub struct ScopesArguments {
    #[command(flatten)]
    pub scope: ScopeArguments,
    /// What they are sorted by [default: updated_at]
    #[arg(long, value_name = "FIELD", value_parser = spellings!(ScopeOrder))]
    pub sort_by: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

/// Whose jobs.
#[derive(Debug, Args)]
pub struct ScopeArguments {
    /// Only scopes of this kind: global, group, dm, agent, session, branch, turn, unscoped; all is work
    /// on the whole store
    #[arg(long, value_name = "KIND")]
    pub scope: Option<String>,
    /// Only the one of this name; a branch is SESSION/BRANCH
    #[arg(long, value_name = "NAME", requires = "scope")]
    pub scope_id: Option<String>,
}

/// Which part of a list, and in which order.
#[derive(Debug, Args)]
pub struct PageArguments {
    /// Which end comes first [default: desc]
    #[arg(long, value_name = "ORDER", value_parser = spellings!(SortOrder))]
    pub sort_order: Option<String>,
    /// How many at most, 1 to 100
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
    /// How many to skip
    #[arg(long, default_value_t = 0)]
    pub offset: u32,
    /// As this agent would see it, by the access policy [default: the operator, who sees all]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub struct BenchArguments {
    /// Queries, one a line, - for standard input [default: words of the newest memories]
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// How often each query is asked
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    #[command(flatten)]
    pub filters: Filters,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Only these collections [default: all]
    #[arg(short, long = "collection", value_name = "NAME", value_delimiter = ',')]
    pub collections: Vec<String>,
    /// Also memories that are superseded, invalidated or archived
    #[arg(long)]
    pub all: bool,
    /// Also each memory's vector
    #[arg(long)]
    pub vectors: bool,
    /// All that the store holds, of every table, for `memory load`
    #[arg(long, conflicts_with_all = ["collections", "all", "vectors"])]
    pub everything: bool,
    /// A new file to write to [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    pub of_robot: ClaimsArguments,
}

#[derive(Debug, Args)]
pub struct BackupArguments {
    /// Folder for the copy [default: that of the backups, beside the store]
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct BackupsArguments {
    /// Where backups are, as the node's backup_path [default: beside the store]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// Name of a backup, as `memory backups` lists them; latest; or the path of any
    #[arg(value_name = "NAME|PATH")]
    pub backup: String,
    /// Where backups are, as the node's backup_path [default: beside the store]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LoadArguments {
    /// What `memory export --everything` wrote, - for standard input; with --from a file of that program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Bring over what another program remembers, also into a store that holds something, and tell of each
    /// memory what became of it: a database of robotmem, or all memories of mem0 as JSON
    #[arg(long, value_name = "PROGRAM", value_parser = ["robotmem", "mem0"])]
    pub from: Option<String>,
}

#[derive(Debug, Args)]
pub struct ImportArguments {
    /// Bags: folders with metadata.yaml, or files of MCAP or sqlite3
    #[arg(required = true, value_name = "BAG")]
    pub bags: Vec<PathBuf>,
    /// The topics to listen to, a YAML file as the node's streams_path [default: every topic of a
    /// known type]
    #[arg(long, value_name = "FILE")]
    pub streams: Option<PathBuf>,
    /// The same as a text, as the node's parameter streams
    #[arg(long, value_name = "YAML", conflicts_with = "streams")]
    pub streams_text: Option<String>,
    /// The node's parameters: streams, pose, budgets and the store are as there, unless given here
    #[arg(long, value_name = "FILE")]
    pub params_file: Option<PathBuf>,
    /// Collection of what is remembered, unless a stream has its own
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Whether the bag is of a simulation [default: as the parameter; else sim when it has /clock]
    #[arg(long, value_parser = ["sim", "real"])]
    pub sim_or_real: Option<String>,
    /// File that defines what is never stored [default: as the parameter access_path; else the shipped
    /// one]
    #[arg(long, value_name = "FILE")]
    pub access: Option<PathBuf>,
    /// Make no session for each bag
    #[arg(long)]
    pub no_session: bool,
    /// Only what was recorded at or after: RFC 3339, or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub from: Option<Stamp>,
    /// Only what was recorded before
    #[arg(long, value_name = "TIME", value_parser = values::stamp, allow_negative_numbers = true)]
    pub until: Option<Stamp>,
    /// Show what would be remembered, and store nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_names_what_writes() {
        let help = Arguments::command().render_help().to_string();
        assert!(help.contains("ros2 service call"), "{help}");
    }
}
