//! Log lines go where those of every node go, by rcl: to the console in the format and with the
//! switches of ROS (`RCUTILS_*`), and into the file in `ROS_LOG_DIR`. And to `/rosout`.

use super::StartError;
use super::arguments::LogArguments;
use super::wire::{ToMessage, text};
use crate::faces::wall_clock::WallClock;
use log::{Level, LevelFilter, Log, Metadata, Record};
use r2r::rcl_interfaces::msg::Log as RosoutLine;
use r2r_rcl::{
    RCL_RET_OK, rcl_logging_fini, rcutils_log, rcutils_log_location_t,
    rcutils_logging_get_logger_level, rcutils_logging_set_logger_level, rcutils_reset_error,
};
use robot_memory_core::model::Clock;
use std::cell::Cell;
use std::ffi::{CString, c_int};
use std::panic::PanicHookInfo;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

/// Lines that wait for `/rosout`: what a burst may hold before lines are left out there.
const ROSOUT_WAITING_MAX: usize = 1000;

/// Targets of this program's own lines begin with this.
const OWN_TARGET: &str = "robot_memory";

/// What begins each severity in ROS, the lowest first.
const SEVERITIES: [(u32, LevelFilter); 5] = [
    (10, LevelFilter::Debug),
    (20, LevelFilter::Info),
    (30, LevelFilter::Warn),
    (40, LevelFilter::Error),
    // No line is fatal here.
    (50, LevelFilter::Error),
];

/// The process's logger.
pub(super) struct Logging {
    arguments: LogArguments,
    name: OnceLock<String>,
    asked: Mutex<RequestedLevels>,
    /// Decides which lines there are.
    rules: RwLock<env_logger::Logger>,
    /// Held while a line is handed to rcl, which takes one at a time.
    output: Mutex<()>,
    rosout: Option<SyncSender<RosoutLine>>,
}

/// What was asked for while the node ran.
#[derive(Debug, Default)]
struct RequestedLevels {
    /// By the parameter; empty: nothing.
    by_parameter: String,
    /// By the service, since the parameter changed last.
    by_service: Option<LevelFilter>,
}

thread_local! {
    /// Whether this thread publishes the lines: what it logs itself stays off `/rosout`, or a
    /// failing publisher would feed itself.
    static PUBLISHES: Cell<bool> = const { Cell::new(false) };
}

/// Lines on their way to `/rosout`, before there is a node to publish them.
pub(super) struct RosoutLines(Receiver<RosoutLine>);

/// Makes the `log` crate write through rcl, and collect lines for `/rosout`.
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
    let rules = RwLock::new(rules(&arguments, OWN_TARGET, &RequestedLevels::default()));
    let logging: &'static Logging = Box::leak(Box::new(Logging {
        arguments,
        name: OnceLock::new(),
        asked: Mutex::default(),
        rules,
        output: Mutex::default(),
        rosout: sender,
    }));
    log::set_logger(logging)?;
    logging.follow();
    Ok((logging, lines))
}

/// Writes one line of log for a panic. What the panic says may quote a memory, so it is only shown
/// at debug.
pub(super) fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    log::error!("a fault in this program, at {place}: please report it");
    log::debug!("panic message: {}", panic_text(panic.payload()));
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
    /// Tells the node's logger name, which `--log-level name:=level` may mean. To be called when rcl
    /// has its settings from the command line.
    pub fn set_name(&self, name: &str) {
        let _ = self.name.set(name.to_owned());
        self.follow();
    }

    /// Sets the least severity that is logged, as the parameter says; empty: as the command line or
    /// `RUST_LOG` say.
    pub fn set_level(&self, level: &str) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.by_parameter != level {
            *asked = RequestedLevels { by_parameter: level.to_owned(), by_service: None };
        }
        drop(asked);
        self.follow();
    }

    /// Sets the least severity of a logger, by its number in ROS; 0: as if it had never been set. Of a
    /// logger that is not the node's, rcl knows what it does.
    ///
    /// # Errors
    /// In words, when there is no such severity or logger.
    pub fn set_logger_level(&self, name: &str, level: u32) -> Result<(), String> {
        let severity = SEVERITIES.iter().find(|(number, _)| *number == level);
        if level != 0 && severity.is_none() {
            return Err(format!("level must be 0, 10, 20, 30, 40 or 50, was {level}"));
        }
        if name == self.name() {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.by_service = severity.map(|(_, filter)| *filter);
            drop(asked);
            self.follow();
            return Ok(());
        }
        self.tell_rcl(name, level)
    }

    /// The least severity of a logger, by its number in ROS; 0 when it was never set.
    pub fn logger_level(&self, name: &str) -> u32 {
        if name == self.name() {
            let is_logged = |level: Level| {
                self.enabled(&Metadata::builder().target(OWN_TARGET).level(level).build())
            };
            let mut severities = SEVERITIES.iter();
            let lowest = severities
                .find(|(_, filter)| filter.to_level().is_some_and(is_logged))
                .map(|(number, _)| *number);
            return lowest.unwrap_or(50);
        }
        let Ok(name) = CString::new(name) else { return 0 };
        let _one_at_a_time = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the name ends with a zero, and rcl is asked by one thread at a time.
        let level = unsafe { rcutils_logging_get_logger_level(name.as_ptr()) };
        u32::try_from(level).unwrap_or(0)
    }

    /// Writes all that waits into the file, and writes no more there: the process ends.
    pub fn end(&self) {
        let _one_at_a_time = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: rcl is called by one thread at a time; lines that come later go to the console.
        let _ = unsafe { rcl_logging_fini() };
    }

    /// Puts what was asked for into effect. What is logged is decided here; rcl lets all of it pass.
    fn follow(&self) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = rules(&self.arguments, self.name(), &asked);
        drop(asked);
        log::set_max_level(rules.filter());
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = rules;
        // Without it rcl would leave out what is below its own level; so it says nothing here.
        let _ = self.tell_rcl(self.name(), SEVERITIES[0].0);
    }

    fn tell_rcl(&self, name: &str, level: u32) -> Result<(), String> {
        let c_name = CString::new(name).map_err(|_| "name holds a zero byte".to_owned())?;
        let level = c_int::try_from(level).unwrap_or(0);
        let _one_at_a_time = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the name ends with a zero and is copied, and rcl is called by one thread at a time.
        let code = unsafe { rcutils_logging_set_logger_level(c_name.as_ptr(), level) };
        if code == RCL_RET_OK as c_int {
            return Ok(());
        }
        // SAFETY: has no precondition.
        unsafe { rcutils_reset_error() };
        Err(format!("logger {name:?} was not set (code {code})"))
    }

    fn name(&self) -> &str {
        self.name.get().map_or(OWN_TARGET, String::as_str)
    }

    /// Hands a line to rcl.
    fn write(&self, record: &Record<'_>) {
        let c_string = |part: &str| CString::new(text(part)).unwrap_or_default();
        let message = c_string(&record.args().to_string());
        let name = c_string(self.name());
        let file = c_string(record.file().unwrap_or_default());
        let function = c_string(&function(record.module_path()));
        let location = rcutils_log_location_t {
            function_name: function.as_ptr(),
            file_name: file.as_ptr(),
            line_number: usize::try_from(record.line().unwrap_or_default()).unwrap_or(0),
        };
        let severity = c_int::from(severity(record.level()));
        let _one_at_a_time = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: all strings end with a zero and live until the call ends; the format takes the one
        // that follows; rcl is called by one thread at a time.
        unsafe {
            rcutils_log(
                &raw const location,
                severity,
                name.as_ptr(),
                c"%s".as_ptr(),
                message.as_ptr(),
            );
        }
    }
}

/// The rules that decide which lines there are: the service, else the parameter, else the command
/// line, else `RUST_LOG`, else info. Libraries only tell of trouble, unless `RUST_LOG` asks for more.
#[expect(
    clippy::disallowed_methods,
    reason = "the rules of env_logger are an environment variable"
)]
fn rules(arguments: &LogArguments, name: &str, asked: &RequestedLevels) -> env_logger::Logger {
    let by_parameter = || asked.by_parameter.parse::<LevelFilter>().ok();
    let own_level = asked.by_service.or_else(by_parameter).or_else(|| arguments.level(name));
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
    builder.build()
}

/// A severity's number in ROS.
const fn severity(level: Level) -> u8 {
    match level {
        Level::Trace | Level::Debug => 10,
        Level::Info => 20,
        Level::Warn => 30,
        Level::Error => 40,
    }
}

impl Log for Logging {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.rules.read().unwrap_or_else(PoisonError::into_inner).enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.rules.read().unwrap_or_else(PoisonError::into_inner).matches(record) {
            return;
        }
        self.write(record);
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

/// The module of a line; that of a library is told as of this program, by which memory nodes know what they
/// need not remember.
fn function(module: Option<&str>) -> String {
    let module = module.unwrap_or_default();
    match module.starts_with(OWN_TARGET) && module.contains("::") {
        true => module.to_owned(),
        false => format!("{OWN_TARGET}::{module}"),
    }
}

fn rosout_line(name: &str, record: &Record<'_>) -> RosoutLine {
    RosoutLine {
        stamp: WallClock.now().to_message(),
        level: severity(record.level()),
        name: text(name),
        msg: text(record.args().to_string()),
        file: text(record.file().unwrap_or_default()),
        function: text(function(record.module_path())),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_libraries_are_those_of_this_program() {
        assert_eq!(function(Some("robot_memory::faces::ros")), "robot_memory::faces::ros");
        assert_eq!(function(Some("robot_memory_engine::index")), "robot_memory_engine::index");
        assert_eq!(function(Some("rustls::client")), "robot_memory::rustls::client");
        assert_eq!(function(Some("robot_memory")), "robot_memory::robot_memory");
        assert_eq!(function(None), "robot_memory::");
    }
}
