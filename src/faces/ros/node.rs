//! The node from its start to its end.

use super::StartError;
use super::command_line::{CommandLine, Wish, usage};
use super::life::{Life, has_ended};
use super::loggers;
use super::logging::{Logging, RosoutLines, log_panic, panic_text};
use super::offers::Drained;
use super::parameters::ParameterServer;
use super::publish::PublisherQos;
use super::spin::Spin;
use crate::config::{Settings, StartParameters, nearest_name};
use crate::faces::paths::NODE_NAME;
use std::io::Write;
use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// Requests that still wait this long after the signal to stop are answered with `unavailable`.
const DRAIN_MAX: Duration = Duration::from_millis(1400);
/// The store has this long after the signal to stop.
const STOP_MAX: Duration = Duration::from_millis(1750);

/// Starts the node, runs it until a signal says stop, and ends it.
///
/// # Errors
/// When it cannot start.
pub(super) fn run(
    logging: &'static Logging,
    rosout: Option<RosoutLines>,
) -> Result<ExitCode, StartError> {
    let command_line = CommandLine::read(std::env::args_os()).map_err(StartError::Arguments)?;
    if command_line.wish().map_err(StartError::Arguments)? == Wish::Help {
        std::io::stdout().write_all(usage().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let context = context()?;
    set_hook(Box::new(log_panic));
    let mut node = r2r::Node::create(context, NODE_NAME, "")?;
    logging.set_name(node.logger());
    if let Some(lines) = rosout {
        lines.publish(&mut node)?;
    }
    let given = given(&command_line, &node.fully_qualified_name()?)?;
    apply(logging, &mut node, &given.settings);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;

    let on_change = move |node: &mut r2r::Node, settings: &Settings| apply(logging, node, settings);
    let qos = PublisherQos::read(&given, &node.fully_qualified_name()?)?;
    let (parameters, settings) = ParameterServer::offer(&mut node, given.clone(), &qos, on_change)?;
    let is_autostarted = given.settings.autostart;
    let (mut life, drained, mut orders) = Life::offer(&mut node, given, &qos, settings)?;
    let Drained { mut services, goals } = drained;
    services.push(loggers::offer(&mut node, logging)?);
    let mut spin = Spin::start(node, services, parameters, goals, life.lifecycle(), life.rounds())?;
    let started = if is_autostarted { life.autostart() } else { Ok(()) };
    let exit_code = runtime.block_on(async {
        loop {
            if started.is_err() {
                break ExitCode::FAILURE;
            }
            tokio::select! {
                _ = interrupt.recv() => break ExitCode::SUCCESS,
                _ = terminate.recv() => break ExitCode::SUCCESS,
                () = spin.ended() => break ExitCode::FAILURE,
                Some(order) = orders.recv() => life.follow(order),
            }
        }
    });
    if started.is_ok() {
        log::info!("stopping");
    }
    let logged_at = Instant::now();
    let deadline = logged_at + STOP_MAX;
    let is_closed = life.shut_down(&mut orders, logged_at + DRAIN_MAX, deadline);
    let is_out = spin.end(deadline);
    // A thread that hangs by now would hang for longer.
    let has_hung = !is_out || life.hanging().any(|thread| !thread.is_finished());
    if has_hung || !life.loading().is_none_or(|model| has_ended(model, deadline)) {
        if let Err(error) = started {
            log::error!("{error}");
        }
        logging.end();
        end_at_once(is_closed && exit_code == ExitCode::SUCCESS);
    }
    started?;
    Ok(if is_closed { exit_code } else { ExitCode::FAILURE })
}

/// Ends the process under threads that still run, one that loads the model or one that hangs in the
/// middleware: returning from `main` would run the exit handlers of their libraries under them,
/// which crashes or hangs. The store is closed by now, so nothing else needs an orderly end.
fn end_at_once(is_success: bool) -> ! {
    // SAFETY: `_exit` has no precondition; it runs no handler and unwinds nothing.
    unsafe { libc::_exit(i32::from(!is_success)) }
}

/// The ROS context, made from the command line. A command line or parameter file that ROS cannot
/// read is a panic in r2r, which is made an error here.
fn context() -> Result<r2r::Context, StartError> {
    set_hook(Box::new(|_told_by_the_error| {}));
    let context = catch_unwind(r2r::Context::create)
        .map_err(|panic| StartError::Arguments(panic_text(panic.as_ref()).to_owned()))?;
    Ok(context?)
}

/// What the command line and the parameter files give to this node. What of them nobody takes is told.
fn given(command_line: &CommandLine, full_name: &str) -> Result<StartParameters, StartError> {
    for unnamed in command_line.unnamed(full_name).map_err(StartError::Arguments)? {
        log::warn!("{unnamed}; this one is {full_name}");
    }
    let parameters = command_line.parameters(full_name).map_err(StartError::Arguments)?;
    let given = StartParameters::take(parameters)?;
    given.settings.check()?;
    for name in &given.unknown {
        if name.starts_with("qos_overrides.") {
            log::warn!(
                "parameter {name} is ignored; there are reliability, durability and depth of \
                 qos_overrides./<topic>.subscription and qos_overrides./<topic>.publisher"
            );
            continue;
        }
        match nearest_name(name) {
            Some(nearest) => {
                log::warn!("parameter {name} is unknown and ignored; did you mean {nearest}?");
            }
            None => log::warn!("parameter {name} is unknown and ignored"),
        }
    }
    Ok(given)
}

/// Puts the parameters into effect that may change at any time and that nobody looks up.
fn apply(logging: &Logging, node: &mut r2r::Node, settings: &Settings) {
    logging.set_level(&settings.log_level);
    let time_source = node.get_time_source();
    if !settings.use_sim_time {
        time_source.disable_sim_time();
    } else if let Err(error) = time_source.enable_sim_time(node) {
        log::error!("use_sim_time: /clock cannot be subscribed to: {error}");
    }
}
