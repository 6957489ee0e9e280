//! Log lines go to the standard error and to `/rosout`.

use super::StartError;
use super::arguments::LogArguments;
use super::wire::text;
use log::{LevelFilter, Log, Metadata, Record};
use r2r::builtin_interfaces::msg::Time;
use r2r::rcl_interfaces::msg::Log as RosoutLine;
use std::cell::Cell;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::SystemTime;

/// Lines that wait for `/rosout`: what a burst may hold before lines are left out there.
const ROSOUT_WAITING_MAX: usize = 1000;

/// Targets of this program's own lines begin with this.
const OWN_TARGET: &str = "robot_memory";

/// The process's logger.
pub(super) struct Logging {
    arguments: LogArguments,
    name: OnceLock<String>,
    /// Decides which lines there are, and writes them.
    console: RwLock<env_logger::Logger>,
    rosout: Option<SyncSender<RosoutLine>>,
}

thread_local! {
    /// Whether this thread publishes the lines: what it logs itself stays off `/rosout`, or a
    /// failing publisher would feed itself.
    static PUBLISHES: Cell<bool> = const { Cell::new(false) };
}

/// Lines on their way to `/rosout`, before there is a node to publish them.
pub(super) struct RosoutLines(Receiver<RosoutLine>);

/// Makes the `log` crate write to the standard error, and collect lines for `/rosout`.
///
/// # Errors
/// When the process has a logger already.
pub(super) fn install() -> Result<(&'static Logging, Option<RosoutLines>), log::SetLoggerError> {
    let arguments =
        LogArguments::parse(std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()));
    let (sender, lines) = if arguments.no_rosout {
        (None, None)
    } else {
        let (sender, lines) = sync_channel(ROSOUT_WAITING_MAX);
        (Some(sender), Some(RosoutLines(lines)))
    };
    let console = RwLock::new(console(&arguments, OWN_TARGET, ""));
    let logging: &'static Logging =
        Box::leak(Box::new(Logging { arguments, name: OnceLock::new(), console, rosout: sender }));
    log::set_logger(logging)?;
    logging.set_level("");
    Ok((logging, lines))
}

/// Writes one line of log for a panic. What the panic says may quote a memory, so it is only shown
/// at debug.
pub(super) fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    log::error!("a fault in this program, at {place}: please report it");
    log::debug!("the fault says: {}", panic_text(panic.payload()));
}

/// What a caught panic says.
pub(super) fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("nothing")
}

impl Logging {
    /// Tells the node's logger name, which `--log-level name:=level` may mean.
    pub fn set_name(&self, name: &str) {
        let _ = self.name.set(name.to_owned());
        self.set_level("");
    }

    /// Sets the least severity that is logged; empty: as the command line or `RUST_LOG` say.
    pub fn set_level(&self, level: &str) {
        let console = console(&self.arguments, self.name(), level);
        log::set_max_level(console.filter());
        *self.console.write().unwrap_or_else(PoisonError::into_inner) = console;
    }

    fn name(&self) -> &str {
        self.name.get().map_or(OWN_TARGET, String::as_str)
    }
}

/// The rules that decide which lines there are: the parameter, else the command line, else
/// `RUST_LOG`, else info. Libraries only tell of trouble, unless `RUST_LOG` asks for more.
fn console(arguments: &LogArguments, name: &str, level: &str) -> env_logger::Logger {
    let own_level = level.parse::<LevelFilter>().ok().or_else(|| arguments.level(name));
    let mut builder = env_logger::Builder::new();
    let rules = std::env::var("RUST_LOG").unwrap_or_default();
    let is_level_for_all = |rule: &str| rule.trim().parse::<LevelFilter>().is_ok();
    builder.filter_level(LevelFilter::Warn);
    if !rules.split(',').any(is_level_for_all) {
        builder.filter_module(OWN_TARGET, LevelFilter::Info);
    }
    builder.parse_filters(&rules);
    if let Some(own_level) = own_level {
        builder.filter_module(OWN_TARGET, own_level);
    }
    if arguments.no_console {
        builder.target(env_logger::Target::Pipe(Box::new(std::io::sink())));
    }
    let name = name.to_owned();
    builder.format(move |line, record| {
        let (secs, nanos) = wall_time();
        let severity = record.level();
        writeln!(line, "[{severity}] [{secs}.{nanos:09}] [{name}]: {}", record.args())
    });
    builder.build()
}

fn wall_time() -> (i64, u32) {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}

impl Log for Logging {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.console.read().unwrap_or_else(PoisonError::into_inner).enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        let console = self.console.read().unwrap_or_else(PoisonError::into_inner);
        if !console.matches(record) {
            return;
        }
        console.log(record);
        drop(console);
        let Some(rosout) = self.rosout.as_ref().filter(|_| !PUBLISHES.get()) else {
            return;
        };
        // A full queue leaves the line out there: a log line must never make its writer wait.
        match rosout.try_send(rosout_line(self.name(), record)) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }

    fn flush(&self) {}
}

fn rosout_line(name: &str, record: &Record<'_>) -> RosoutLine {
    let (secs, nanosec) = wall_time();
    RosoutLine {
        stamp: Time { sec: i32::try_from(secs).unwrap_or(i32::MAX), nanosec },
        level: match record.level() {
            log::Level::Trace | log::Level::Debug => 10,
            log::Level::Info => 20,
            log::Level::Warn => 30,
            log::Level::Error => 40,
        },
        name: text(name),
        msg: text(record.args().to_string()),
        file: text(record.file().unwrap_or_default()),
        function: text(record.module_path().unwrap_or_default()),
        line: record.line().unwrap_or_default(),
    }
}

impl RosoutLines {
    /// Publishes the lines on `/rosout` from a thread of its own, until the node is dropped.
    ///
    /// # Errors
    /// When there can be no such publisher or thread.
    pub fn publish(self, node: &mut r2r::Node) -> Result<(), StartError> {
        let qos = r2r::QosProfile::default().reliable().transient_local().keep_last(1000);
        let publisher = node.create_publisher::<RosoutLine>("/rosout", qos)?;
        std::thread::Builder::new().name("rosout".to_owned()).spawn(move || {
            PUBLISHES.set(true);
            while let Ok(line) = self.0.recv() {
                if let Err(r2r::Error::RCL_RET_PUBLISHER_INVALID) = publisher.publish(&line) {
                    return;
                }
            }
        })?;
        Ok(())
    }
}
