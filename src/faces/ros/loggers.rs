//! The services that show and set how much is logged, as other nodes of ROS offer them.

use super::logging::Logging;
use super::service::{Drain, Requests, answer_each, serve};
use super::wire::text;
use r2r::rcl_interfaces::msg::{LoggerLevel, SetLoggerLevelsResult};
use r2r::rcl_interfaces::srv::{GetLoggerLevels, SetLoggerLevels};

/// What is asked, in the log.
const WHAT: &str = "a request about loggers";

/// `~/get_logger_levels` and `~/set_logger_levels`.
struct Loggers {
    logging: &'static Logging,
    get: Requests<GetLoggerLevels::Service>,
    set: Requests<SetLoggerLevels::Service>,
}

/// Offers them.
///
/// # Errors
/// When the middleware cannot make one.
pub(super) fn offer(
    node: &mut r2r::Node,
    logging: &'static Logging,
) -> r2r::Result<Box<dyn Drain>> {
    Ok(Box::new(Loggers {
        logging,
        get: serve(node, "~/get_logger_levels")?,
        set: serve(node, "~/set_logger_levels")?,
    }))
}

impl Drain for Loggers {
    /// Answers every request: none of them waits for anything.
    fn drain(&mut self) {
        answer_each(&mut self.get, WHAT, |message, _has_empty_name| {
            let levels = message.names.into_iter().map(|name| {
                let level = self.logging.logger_level(&name);
                LoggerLevel { name: text(name), level }
            });
            GetLoggerLevels::Response { levels: levels.collect() }
        });
        answer_each(&mut self.set, WHAT, |message, is_text| {
            let results = message.levels.into_iter().map(|LoggerLevel { name, level }| {
                let outcome = match &is_text {
                    Ok(()) => self.logging.set_logger_level(&name, level),
                    Err(refusal) => Err(refusal.message.clone()),
                };
                if outcome.is_ok() {
                    log::info!("logger {name} is now at level {level}");
                }
                let (successful, reason) = match outcome {
                    Ok(()) => (true, String::new()),
                    Err(reason) => (false, text(reason)),
                };
                SetLoggerLevelsResult { successful, reason }
            });
            SetLoggerLevels::Response { results: results.collect() }
        });
    }
}
