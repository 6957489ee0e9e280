//! What the node can be told: one table of parameters, from which their types, defaults, bounds
//! and descriptions come, wherever they are shown or checked.

mod given;
mod value;

pub use given::{QosEntity, StartParameters};
pub use value::{Bounds, Value};

use robot_memory_core::model::nearest;
use std::borrow::Cow;

/// A parameter, as it is declared.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    pub name: &'static str,
    /// The value when none is given; its type is the parameter's type.
    pub default: Value,
    /// Which values are taken.
    pub bounds: Bounds,
    /// Whether it is read once, at start.
    pub read_only: bool,
    /// What it does, and its unit.
    pub description: &'static str,
}

impl Declaration {
    /// The value as the parameter's type, when that type and the bounds allow it. A whole number is
    /// taken for a double.
    pub fn check(&self, value: Value) -> Result<Value, Invalid> {
        let value = match (&self.default, value) {
            (Value::Double(_), Value::Integer(whole)) => Value::Double(whole as f64),
            (_, value) => value,
        };
        if std::mem::discriminant(&self.default) != std::mem::discriminant(&value) {
            return Err(Invalid(format!(
                "parameter {} takes {}, not {} ({value})",
                self.name,
                self.default.type_name(),
                value.type_name(),
            )));
        }
        if !self.bounds.hold(&value) {
            return Err(Invalid(format!(
                "parameter {} must be {}, not {value}",
                self.name, self.bounds
            )));
        }
        Ok(value)
    }
}

/// Why a value is not taken: names the parameter, the bound and what was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

/// The declaration of the parameter with this name.
pub fn declaration(name: &str) -> Option<&'static Declaration> {
    DECLARATIONS.iter().find(|declaration| declaration.name == name)
}

/// The declared name that differs least from a name that is not declared, when it is close enough
/// to have been meant.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    nearest(name, DECLARATIONS.iter().map(|declaration| declaration.name))
}

/// Declares [`Settings`] and [`DECLARATIONS`] from one table.
macro_rules! parameters {
    ($($name:ident: $kind:ident($default:tt), $bounds:expr, $change:ident, $description:literal;)+) => {
        /// The value of every parameter.
        // Descriptions are plain text: <id> is no tag there.
        #[allow(rustdoc::invalid_html_tags)]
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            $(#[doc = $description] pub $name: parameters!(@type $kind),)+
        }

        /// Every parameter, in the order in which they are shown.
        pub const DECLARATIONS: &[Declaration] = &[$(Declaration {
            name: stringify!($name),
            default: parameters!(@value $kind $default),
            bounds: $bounds,
            read_only: parameters!(@read_only $change),
            description: $description,
        }),+];

        impl Default for Settings {
            fn default() -> Self {
                Self { $($name: parameters!(@default $kind $default)),+ }
            }
        }

        impl Settings {
            /// The value of the parameter with this name.
            pub fn get(&self, name: &str) -> Option<Value> {
                match name {
                    $(stringify!($name) => Some(parameters!(@wrap $kind self.$name)),)+
                    _ => None,
                }
            }

            fn assign(&mut self, name: &str, value: Value) {
                match (name, value) {
                    $((stringify!($name), parameters!(@pattern $kind value)) => {
                        self.$name = value.into();
                    })+
                    _ => {}
                }
            }
        }
    };
    (@type Bool) => { bool };
    (@type Integer) => { i64 };
    (@type Double) => { f64 };
    (@type Text) => { String };
    (@type Texts) => { Vec<String> };
    (@default Texts []) => { Vec::new() };
    (@default $kind:ident $default:literal) => { $default.into() };
    (@value Texts []) => { Value::Texts(Vec::new()) };
    (@value Text $default:literal) => { Value::Text(Cow::Borrowed($default)) };
    (@value $kind:ident $default:literal) => { Value::$kind($default) };
    (@wrap Text $self:ident.$name:ident) => { Value::Text(Cow::Owned($self.$name.clone())) };
    (@wrap Texts $self:ident.$name:ident) => { Value::Texts($self.$name.clone()) };
    (@wrap $kind:ident $self:ident.$name:ident) => { Value::$kind($self.$name) };
    (@pattern $kind:ident $value:ident) => { Value::$kind($value) };
    (@read_only AtStart) => { true };
    (@read_only AtAnyTime) => { false };
}

impl Settings {
    /// Sets a parameter, whether or not it may change after the start.
    ///
    /// # Errors
    /// When there is no such parameter, or it does not take the value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Invalid> {
        let declaration = declaration(name).ok_or_else(|| unknown(name))?;
        self.assign(name, declaration.check(value)?);
        Ok(())
    }

    /// Sets a parameter of a running node.
    ///
    /// # Errors
    /// As [`set`](Self::set), and when the parameter is only read at start.
    pub fn change(&mut self, name: &str, value: Value) -> Result<(), Invalid> {
        if declaration(name).is_some_and(|declaration| declaration.read_only) {
            return Err(Invalid(format!(
                "parameter {name} is read only when the node starts; give it there"
            )));
        }
        self.set(name, value)
    }
}

impl Settings {
    /// Checks what one parameter says against another; to be asked when all are set.
    ///
    /// # Errors
    /// When two do not go together.
    pub fn check(&self) -> Result<(), Invalid> {
        for (greater, least) in [
            ("job_backoff_max_secs", "job_backoff_base_secs"),
            ("compact_sources_max", "compact_sources_min"),
            ("merge_similarity_min", "judge_similarity_min"),
        ] {
            let [Some(given), Some(bound)] = [self.get(greater), self.get(least)] else { continue };
            let is_less = match (&given, &bound) {
                (Value::Integer(given), Value::Integer(bound)) => given < bound,
                (Value::Double(given), Value::Double(bound)) => given < bound,
                _ => false,
            };
            if is_less {
                return Err(Invalid(format!(
                    "parameter {greater} must not be less than {least}, which is {bound}, got {given}"
                )));
            }
        }
        Ok(())
    }
}

/// The message for a parameter that is not declared.
pub fn unknown(name: &str) -> Invalid {
    Invalid(match nearest_name(name) {
        Some(nearest) => format!("there is no parameter {name}; did you mean {nearest}?"),
        None => format!("there is no parameter {name}"),
    })
}

parameters! {
    autostart: Bool(true), Bounds::Any, AtStart,
        "Whether the node configures and activates itself; false: it waits in the state unconfigured for a lifecycle manager, or for ros2 lifecycle set.";
    store_path: Text(""), Bounds::Any, AtStart,
        "File of the memory store; ~ is the home folder. Empty: robot_memory/<namespace>/<node name>.db in ROS_HOME (~/.ros).";
    store_bytes_max: Integer(0), Bounds::Integers(0, i64::MAX), AtStart,
        "Maximum size of the store in bytes; above it new statements and events wait in the write queue, and other writes are refused. 0: no limit.";
    disk_free_bytes_min: Integer(104_857_600), Bounds::Integers(0, i64::MAX), AtAnyTime,
        "Bytes that must stay free on the store's disk; below it statements and events wait in the write queue, and other writes are refused, until there is space again. 0: not checked.";
    index_bytes_max: Integer(1_073_741_824), Bounds::Integers(0, i64::MAX), AtStart,
        "Maximum bytes of memory for the indexes of words and vectors; an index that would exceed it is not built, and its searches read the disk, which is slower. 0: no limit.";
    default_collection: Text("default"), Bounds::Bytes(1, robot_memory_core::limits::NAME_BYTES_MAX), AtStart,
        "Collection of requests without a collection.";
    default_scope: Text("global"), Bounds::Scope, AtStart,
        "Scope of requests without a scope: global, group:<id>, dm, agent:<name>, session:<id>, ... Empty: writes must give one.";
    access_path: Text(""), Bounds::Any, AtStart,
        "File with the access policy: rights of agents by scope, and additional patterns of secrets; ~ is the home folder. Empty: the shipped one (config/access.yaml).";
    sim_or_real: Text(""), Bounds::OneOf(&["", "real", "sim"]), AtStart,
        "Whether this robot is real or simulated: written into context.env.sim_or_real of memories without it; real ones have 1.5 times the weight in recall. Empty: not written.";
    require_agent: Bool(false), Bounds::Any, AtStart,
        "Whether requests without an agent are refused; otherwise an empty agent is the operator.";
    synonyms_path: Text(""), Bounds::Any, AtStart,
        "File of synonyms for recall; ~ is the home folder. Empty: the shipped one (config/synonyms.txt).";
    streams: Text(""), Bounds::Any, AtStart,
        "Topics to subscribe to: a list of names, streams.<name>.<key> for each, or a YAML text (docs/sensors.md); auto: every topic of a known type; empty: those of streams_path.";
    streams_exclude: Texts([]), Bounds::Any, AtStart,
        "Topics that streams: auto excludes, as a list of names; * matches one part of a name or characters in it, ** any number of parts.";
    streams_path: Text(""), Bounds::Any, AtStart,
        "File with the YAML list of topics to subscribe to; ~ is the home folder. Empty: none.";
    actions: Text("auto"), Bounds::Any, AtStart,
        "Actions of other nodes whose goals are stored as attempts (docs/guard.md): a list of names, * as in streams_exclude; auto: all but those that Nav2 calls repeatedly within a navigation; off or empty: none.";
    actions_exclude: Texts([]), Bounds::Any, AtStart,
        "Actions that actions excludes, as a list of names; * as in streams_exclude.";
    reorder_secs: Double(0.3), Bounds::Doubles(0.0, 10.0), AtStart,
        "Seconds that messages wait for older messages of other topics, so that they are processed in the order of stamps.";
    pose_topic: Text("auto"), Bounds::Any, AtStart,
        "Topic of the robot's pose (PoseStamped, PoseWithCovarianceStamped, Odometry), or /tf, written into context.spatial of events; auto: the first available one (docs/sensors.md). Empty: not written.";
    pose_frame: Text("map"), Bounds::Bytes(1, robot_memory_core::limits::NAME_BYTES_MAX), AtStart,
        "Fixed frame of the robot's pose from /tf.";
    base_frame: Text("base_link"), Bounds::Bytes(1, robot_memory_core::limits::NAME_BYTES_MAX), AtStart,
        "Frame of the robot in /tf.";
    map_id: Text(""), Bounds::Any, AtAnyTime,
        "Name of the map that the robot is in, written into context.spatial.map_id of events. Empty: not written.";
    map_topic: Text(""), Bounds::Any, AtStart,
        "Topic that names the map that the robot is in, instead of map_id: std_msgs/String, or nav_msgs/MapMetaData or OccupancyGrid, of which the name is a hash. Empty: none.";
    pose_age_secs_max: Double(0.5), Bounds::Doubles(0.0, 3600.0), AtStart,
        "Maximum seconds between an event and its pose; an older or newer pose is not stored.";
    pose_std_dev_m_max: Double(0.5), Bounds::Doubles(0.0, 1000000.0), AtStart,
        "Maximum standard deviation of a pose; a more uncertain one is not stored. 0: not checked.";
    pose_settle_secs: Double(3.0), Bounds::Doubles(0.0, 3600.0), AtStart,
        "Seconds for which the poses of a localization in pose_frame must be at least so certain before one is stored: after the start, a change of the map, or an uncertain pose.";
    inbox_bytes_max: Integer(67_108_864), Bounds::Integers(1_048_576, i64::MAX), AtStart,
        "Maximum bytes of received, unprocessed messages of each stream; above it the oldest are dropped and counted.";
    events_bytes_max: Integer(1_073_741_824), Bounds::Integers(0, i64::MAX), AtStart,
        "Maximum bytes of stored events; above it the least important, oldest events are deleted, but never memories that callers stored. 0: no limit.";
    clips_bytes_max: Integer(1_073_741_824), Bounds::Integers(0, i64::MAX), AtStart,
        "Maximum bytes of clips (MCAP files next to the store, of streams with clip: true); above it the oldest are deleted. 0: no clips.";
    markers_max: Integer(500), Bounds::Integers(0, 10_000), AtStart,
        "Maximum number of memories on ~/markers, the newest with a place. 0: no markers.";
    model_dir: Text(""), Bounds::Any, AtStart,
        "Folder of the embedding model, or its .onnx file; ~ is the home folder. Empty: the shipped model. none: words only, no vectors.";
    onnxruntime_path: Text(""), Bounds::Any, AtStart,
        "ONNX Runtime library that runs the model; ~ is the home folder. Empty: the shipped one.";
    model_threads: Integer(1), Bounds::Integers(1, 64), AtStart,
        "Threads that compute one embedding, of a text or of a picture.";
    image_model_dir: Text(""), Bounds::Any, AtStart,
        "Folder of a model of texts and pictures (CLIP), by which recall finds pictures by what they show; ~ is the home folder. See docs/pictures.md. Empty: none.";
    chat_url: Text(""), Bounds::Any, AtStart,
        "Base URL of an OpenAI-compatible chat endpoint, for example http://127.0.0.1:11434/v1, that extracts facts from turns and writes summaries instead of the rules; it receives their text. Empty: none.";
    chat_model: Text(""), Bounds::Any, AtStart,
        "Model name in requests to the chat endpoint.";
    chat_key_path: Text(""), Bounds::Any, AtStart,
        "File whose first line is the chat endpoint's key; ~ is the home folder. Empty: no key is sent.";
    chat_timeout_secs: Double(20.0), Bounds::Doubles(1.0, 600.0), AtStart,
        "Timeout in seconds of one call of the chat endpoint; then the rules do the work.";
    read_workers: Integer(2), Bounds::Integers(1, 64), AtStart,
        "Maximum number of concurrent requests that only read (Recall, GetMemory, CheckAction, lists).";
    write_workers: Integer(4), Bounds::Integers(1, 64), AtStart,
        "Maximum number of concurrent requests of the other services; their writes to the store are serialized.";
    queue_max: Integer(500), Bounds::Integers(1, 100_000), AtStart,
        "Maximum number of waiting requests, for reads and for writes; further ones return unavailable at once.";
    job_workers: Integer(1), Bounds::Integers(0, 16), AtStart,
        "Maximum number of concurrent background jobs. 0: no jobs run; turns are stored and wait, and requests that queue other jobs are refused.";
    job_lease_secs: Double(120.0), Bounds::Doubles(1.0, 3600.0), AtStart,
        "Seconds after which a job whose worker has not renewed its lease may be taken by another worker; a worker renews it three times in this period.";
    job_attempts_max: Integer(5), Bounds::Integers(1, 100), AtStart,
        "Maximum number of attempts of a job; then its status is dead_letter.";
    job_backoff_base_secs: Double(1.0), Bounds::Doubles(0.001, 3600.0), AtStart,
        "Maximum seconds that a job waits after its first failure; doubled after each further one.";
    job_backoff_max_secs: Double(30.0), Bounds::Doubles(0.001, 86400.0), AtStart,
        "Maximum seconds that a job waits after any failure; not less than job_backoff_base_secs.";
    compact_count_min: Integer(12), Bounds::Integers(1, 10_000), AtStart,
        "Number of short summaries of a scope from which on they are compacted into a long one.";
    compact_tokens_min: Integer(900), Bounds::Integers(1, 1_000_000), AtStart,
        "Number of tokens of the short summaries of a scope from which on they are compacted.";
    compact_turn_gap_min: Integer(12), Bounds::Integers(1, 1_000_000), AtStart,
        "Number of turns between the first and the last short summary of a scope from which on they are compacted.";
    compact_keep_newest: Integer(4), Bounds::Integers(0, 1000), AtStart,
        "Number of newest short summaries of a scope that are not compacted.";
    compact_sources_min: Integer(3), Bounds::Integers(2, 100), AtStart,
        "Minimum number of short summaries in one long summary.";
    compact_sources_max: Integer(12), Bounds::Integers(2, 100), AtStart,
        "Maximum number of short summaries in one long summary, the oldest first; not less than compact_sources_min.";
    maintenance_daily_at: Text("03:00"), Bounds::Daily, AtStart,
        "Local time of the daily maintenance, for example 03:00; a run that was missed, or prevented by an open session, is done as soon as possible. Empty: none.";
    maintenance_weekly_at: Text("sun 04:00"), Bounds::Weekly, AtStart,
        "Day and local time of the weekly maintenance, for example sun 04:00. Empty: none.";
    maintenance_webhook_url: Text(""), Bounds::Any, AtStart,
        "URL to which the report of each maintenance run is posted as JSON; reports name memories by id. Empty: none.";
    merge_similarity_min: Double(0.92), Bounds::Doubles(0.5, 1.0), AtStart,
        "Cosine similarity from which on maintenance merges two memories without a distinguishing feature.";
    judge_similarity_min: Double(0.85), Bounds::Doubles(0.5, 1.0), AtStart,
        "Cosine similarity from which on maintenance judges whether two memories have the same meaning; not greater than merge_similarity_min.";
    archive_retention_min: Double(0.1), Bounds::Doubles(0.0, 1.0), AtStart,
        "Retention (importance times the forgetting curve) below which weekly maintenance archives a task log or a procedure. 0: none.";
    clock_jump_days_max: Double(366.0), Bounds::Doubles(1.0, 36500.0), AtStart,
        "Maximum days by which the clock may be ahead of the last write; beyond that it is considered wrong, and nothing fades or is archived.";
    backup_daily_at: Text("02:30"), Bounds::Daily, AtStart,
        "Local time of the daily backup, for example 02:30; a missed backup is made when the node runs again. Empty: none.";
    backup_path: Text(""), Bounds::Any, AtStart,
        "Folder of the backups; ~ is the home folder. Empty: a folder next to the store, named <store>.backups.";
    backup_keep_days: Integer(7), Bounds::Integers(1, 3650), AtStart,
        "Days after which backups are deleted; the newest seven are always kept.";
    write_queue_path: Text(""), Bounds::Any, AtStart,
        "File of writes that wait while the store is not writable; ~ is the home folder. Empty: a file next to the store, named <store>.write_queue.jsonl.";
    write_queue_bytes_max: Integer(16_777_216), Bounds::Integers(0, 1_073_741_824), AtStart,
        "Bytes reserved on the disk for waiting writes; above it writes are refused. 0: no writes wait, all are refused.";
    log_level: Text(""), Bounds::OneOf(&["", "debug", "info", "warn", "error"]), AtAnyTime,
        "Minimum severity of logged messages. Empty: from --log-level or RUST_LOG, else info.";
    fleet_url: Text(""), Bounds::Any, AtStart,
        "Address of the NATS server by which this robot tells others of its fleet what it remembers, and takes what they tell, as nats://127.0.0.1:4222 or tls://hub.lab:4222 (docs/fleet.md). Empty: in no fleet.";
    fleet_credentials_path: Text(""), Bounds::Any, AtStart,
        "File with the credentials for fleet_url: a .creds file of NATS, or the seed of an nkey; ~ is the home folder. Empty: none.";
    fleet_ca_path: Text(""), Bounds::Any, AtStart,
        "File with the certificates by which the server of fleet_url is known, beside those of the system; ~ is the home folder. Empty: none.";
    fleet_key_path: Text(""), Bounds::Any, AtStart,
        "File with the key that signs what this robot tells; it is made at the first start, for its owner only. Empty: <store>.fleet.key beside the store.";
    fleet_robots_path: Text(""), Bounds::Any, AtStart,
        "File with the names and public keys of the robots that are believed to be who they say (docs/fleet.md); ~ is the home folder. Must be given beside fleet_url.";
    fleet_takes: Text("all"), Bounds::OneOf(&["all", "all_but_pictures", "limits_and_lessons"]), AtStart,
        "What this robot takes of what others tell: all, all_but_pictures, or limits_and_lessons where the memory of the site has the rest (docs/site.md).";
    robot_id: Text(""), Bounds::Bytes(0, robot_memory_core::limits::ROBOT_NAME_BYTES_MAX), AtStart,
        "Name of this robot in its fleet, of letters, digits, _ and -. Must be given beside fleet_url.";
    robot_type: Text(""), Bounds::Bytes(0, robot_memory_core::limits::NAME_BYTES_MAX), AtStart,
        "Type of this robot, as ur5e: what a robot of another type tells is marked. Empty: not compared.";
    gripper: Text(""), Bounds::Bytes(0, robot_memory_core::limits::NAME_BYTES_MAX), AtStart,
        "Gripper of this robot, as rg2: what a robot with another one tells is marked. Empty: not compared.";
    http_address: Text(""), Bounds::Any, AtStart,
        "Address at which the node answers over HTTP, as 127.0.0.1:8080 (docs/http.md). Empty: it does not.";
    http_tokens_path: Text(""), Bounds::Any, AtStart,
        "File of the tokens of callers over HTTP, as memory token writes it; ~ is the home folder. Empty: <store>.tokens.json beside the store.";
    http_open: Bool(false), Bounds::Any, AtStart,
        "Whether callers over HTTP on this computer need no token, if http_address is a loopback address.";
    http_login_link: Bool(false), Bounds::Any, AtStart,
        "Whether to print a link on the terminal with which the page can be opened once, as the operator; only if http_address is set.";
    http_hosts: Texts([]), Bounds::Any, AtStart,
        "Names that requests over HTTP may be addressed to beside http_address and localhost, as robot.lab or robot.lab:443 of a proxy; others are refused.";
    http_requests_per_second: Double(50.0), Bounds::Doubles(0.1, 100_000.0), AtStart,
        "Maximum number of requests over HTTP per second and token.";
    diagnostics_period_secs: Double(1.0), Bounds::Doubles(0.1, 3600.0), AtAnyTime,
        "Seconds between two messages on /diagnostics.";
    use_sim_time: Bool(false), Bounds::Any, AtAnyTime,
        "Whether to use the time from /clock; until its first message nothing is stored.";
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../config/memory.yaml");

    /// The value that a line of YAML gives, for the plain scalars that the shipped file holds.
    fn yaml_scalar(text: &str) -> Value {
        if let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            return Value::Text(Cow::Owned(text.to_owned()));
        }
        match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "[]" => Value::Texts(Vec::new()),
            _ => text
                .parse()
                .map(Value::Integer)
                .or_else(|_| text.parse().map(Value::Double))
                .unwrap_or_else(|_| panic!("not a quoted text, a number or a boolean: {text}")),
        }
    }

    #[test]
    fn shipped_file_holds_every_parameter_with_its_default() {
        let given: Vec<(&str, Value)> = SHIPPED
            .lines()
            .filter_map(|line| line.strip_prefix("    "))
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name, yaml_scalar(value)))
            .collect();
        let declared: Vec<(&str, Value)> =
            DECLARATIONS.iter().map(|d| (d.name, d.default.clone())).collect();
        assert_eq!(given, declared);
    }

    #[test]
    fn shipped_file_explains_every_parameter_in_the_words_of_its_description() {
        let comments: String = SHIPPED
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("# "))
            .flat_map(|line| [line, " "])
            .collect();
        for declaration in DECLARATIONS {
            assert!(comments.contains(declaration.description), "{}", declaration.name);
        }
    }

    #[test]
    fn every_default_is_allowed() {
        for declaration in DECLARATIONS {
            assert_eq!(
                declaration.check(declaration.default.clone()),
                Ok(declaration.default.clone())
            );
            assert_eq!(
                Settings::default().get(declaration.name),
                Some(declaration.default.clone())
            );
        }
    }

    #[test]
    fn values_are_held_against_type_and_bounds() {
        let text = |text: &'static str| Value::Text(Cow::Borrowed(text));
        let cases = [
            ("queue_max", Value::Integer(1), Ok(())),
            ("queue_max", Value::Integer(100_000), Ok(())),
            (
                "queue_max",
                Value::Integer(100_001),
                Err("parameter queue_max must be from 1 to 100000, not 100001"),
            ),
            (
                "queue_max",
                Value::Integer(0),
                Err("parameter queue_max must be from 1 to 100000, not 0"),
            ),
            (
                "queue_max",
                Value::Double(5.0),
                Err("parameter queue_max takes an integer, not a double (5.0)"),
            ),
            ("diagnostics_period_secs", Value::Integer(2), Ok(())),
            (
                "diagnostics_period_secs",
                Value::Double(f64::NAN),
                Err("parameter diagnostics_period_secs must be from 0.1 to 3600.0, not NaN"),
            ),
            ("sim_or_real", text("sim"), Ok(())),
            (
                "sim_or_real",
                text("simulated"),
                Err(
                    "parameter sim_or_real must be one of \"\", \"real\", \"sim\", not \"simulated\"",
                ),
            ),
            (
                "default_collection",
                text(""),
                Err("parameter default_collection must be 1 to 256 bytes long, not \"\""),
            ),
            (
                "require_agent",
                text("yes"),
                Err("parameter require_agent takes a boolean, not a string (\"yes\")"),
            ),
            (
                "store_pth",
                text("x"),
                Err("there is no parameter store_pth; did you mean store_path?"),
            ),
            ("zzz", text("x"), Err("there is no parameter zzz")),
        ];
        for (name, value, expected) in cases {
            let outcome = Settings::default().set(name, value).map_err(|invalid| invalid.0);
            assert_eq!(outcome, expected.map_err(str::to_owned), "{name}");
        }
    }

    #[test]
    fn a_whole_number_becomes_a_double() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("diagnostics_period_secs", Value::Integer(3)), Ok(()));
        assert_eq!(settings.diagnostics_period_secs, 3.0);
    }

    #[test]
    fn what_is_read_at_start_cannot_change_later() {
        let mut settings = Settings::default();
        assert!(settings.change("queue_max", Value::Integer(7)).is_err());
        assert_eq!(settings.queue_max, Settings::default().queue_max);
        assert_eq!(settings.change("use_sim_time", Value::Bool(true)), Ok(()));
        assert!(settings.use_sim_time);
    }
}
