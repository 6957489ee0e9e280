//! The node's life: configure, activate, deactivate, clean up.

use super::StartError;
use super::actions::{self, Followers};
use super::capture::{self, Captures};
use super::clock::RosClock;
use super::command_line::{CommandLine, Wish, usage};
use super::jobs::{BagImporter, Workers, job_events, job_settings};
use super::logging::{Logging, RosoutLines, log_panic, panic_text};
use super::maintenance::{
    backup_settings, maintenance_settings, path_of, posts, reports, write_queue_settings,
};
use super::markers::Markers;
use super::outcomes::{ActionStatuses, GoalReceiver, GoalWriter, Selection};
use super::parameters::{ParameterServer, SharedSettings};
use super::service::{Drain, WorkQueues, offer_services};
use super::spin::Spin;
use super::stop::{Stop, Task};
use super::streams::{Owner, Streams, Wanted};
use super::watch::Watch;
use super::wire::{ImportWire, MaintainWire, RebuildWire};
use super::work_queue::WorkQueue;
use super::{embedder, events, loggers, upkeep};
use crate::config::{Settings, StartParameters, nearest_name};
use crate::faces::engine::engine_config;
use crate::faces::import::Parameters;
use crate::faces::paths::{Folders, NODE_NAME};
use crate::webhook::Webhook;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::std_msgs::msg::Bool;
use r2r::{Publisher, QosProfile};
use robot_memory_chat::{Chat, ChatEndpoint, OpenAiChat};
use robot_memory_core::limits::SETTINGS_FILE_BYTES_MAX;
use robot_memory_core::model::Clock;
use robot_memory_core::regular_file;
use robot_memory_engine::{Config, Engine, OpenError, Opened};
use robot_memory_perception::Streams as Heard;
use std::io::Write;
use std::panic::{catch_unwind, set_hook};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
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
    let settings = given.settings.clone();
    apply(logging, &mut node, &settings);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;

    let mut services = Vec::new();
    let (configured, mut outputs) = Configured::new(&mut node, &given, &mut services)?;
    services.push(loggers::offer(&mut node, logging)?);
    let on_change = move |node: &mut r2r::Node, settings: &Settings| apply(logging, node, settings);
    let (parameters, settings) = ParameterServer::offer(&mut node, given, on_change)?;
    let mut spin = Spin::start(node, services, parameters, outputs.goal_receiver.take())?;
    let active = match configured.activate(settings, outputs) {
        Ok(active) => active,
        Err(error) => {
            spin.end(Instant::now() + STOP_MAX);
            return Err(error);
        }
    };
    let exit_code = runtime.block_on(async {
        tokio::select! {
            _ = interrupt.recv() => ExitCode::SUCCESS,
            _ = terminate.recv() => ExitCode::SUCCESS,
            () = spin.ended() => ExitCode::FAILURE,
        }
    });
    log::info!("stopping");
    let logged_at = Instant::now();
    let Left { model, hanging } = configured.deactivate(active, logged_at + DRAIN_MAX);
    let is_closed = configured.clean_up(logged_at + STOP_MAX);
    let is_out = spin.end(logged_at + STOP_MAX);
    // A thread that hangs by now would hang for longer.
    let has_hung = !is_out || hanging.iter().any(|thread| !thread.is_finished());
    if has_hung || !has_ended(&model, logged_at + STOP_MAX) {
        logging.end();
        end_at_once(is_closed && exit_code == ExitCode::SUCCESS);
    }
    Ok(if is_closed { exit_code } else { ExitCode::FAILURE })
}

/// Ends the process under threads that still run, one that loads the model or one that hangs in the
/// middleware (Fast DDS may deadlock where a process with two participants deletes a reader, its
/// issue 6193): returning from `main` would run the exit handlers of their libraries under them,
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
                "parameter {name} is ignored; of a subscribed topic there are \
                 qos_overrides./<topic>.subscription.reliability, durability and depth"
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

/// The node with its store open and its services offered, which answer that it is starting.
struct Configured {
    engine: Arc<Engine>,
    store_path: PathBuf,
    folders: Folders,
    owner: Owner,
    clock: Arc<dyn Clock>,
    reads: Arc<WorkQueue>,
    writes: Arc<WorkQueue>,
    ready: Publisher<Bool>,
}

/// What the threads take that run while the node is active.
struct Outputs {
    /// Topics that are listened to.
    wanted: Option<Wanted>,
    diagnostics: Publisher<DiagnosticArray>,
    tasks: Vec<(&'static str, Task)>,
    /// `None`: switched off.
    markers: Option<Markers>,
    captures: Receiver<capture::Call>,
    /// Both `None`: no goals become attempts.
    goal_receiver: Option<GoalReceiver>,
    goal_writer: Option<GoalWriter>,
    actions: ActionStatuses,
}

/// The threads of the active node.
struct Active {
    /// Tells those that run for ever to end.
    stop: Stop,
    lasting: Vec<JoinHandle<()>>,
    streams: Option<Arc<Streams>>,
    /// `None`: switched off.
    workers: Option<Workers>,
    /// Loads the model, and cannot be told to end before that is done.
    model: JoinHandle<()>,
}

/// Threads for which the store does not wait.
struct Left {
    model: JoinHandle<()>,
    /// Those that had to end and did not.
    hanging: Vec<JoinHandle<()>>,
}

/// Waits until a thread has ended, but not longer than until the deadline. Answers whether it has.
pub(super) fn has_ended(thread: &JoinHandle<()>, deadline: Instant) -> bool {
    while !thread.is_finished() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}

/// The text of the file that a parameter names, when it names one.
pub(super) fn text_of(
    folders: &Folders,
    parameter: &'static str,
    path: &str,
) -> Result<Option<String>, StartError> {
    let Some(path) = path_of(folders, parameter, path)? else { return Ok(None) };
    let text = regular_file::read_text(&path, SETTINGS_FILE_BYTES_MAX);
    text.map(Some).map_err(|error| StartError::Unreadable(parameter, path, error))
}

/// The endpoint that reads steps and sums them up, when the parameters name one.
fn chat(settings: &Settings, folders: &Folders) -> Result<Option<Arc<dyn Chat>>, StartError> {
    let key = text_of(folders, "chat_key_path", &settings.chat_key_path)?.unwrap_or_default();
    let Settings { chat_url, chat_model, chat_timeout_secs, .. } = settings;
    let endpoint = ChatEndpoint::read(chat_url, chat_model, &key, *chat_timeout_secs)?;
    Ok(endpoint.map(|endpoint| -> Arc<dyn Chat> { Arc::new(OpenAiChat::new(endpoint)) }))
}

impl Configured {
    /// Opens the store and offers the services.
    fn new(
        node: &mut r2r::Node,
        given: &StartParameters,
        services: &mut Vec<Box<dyn Drain>>,
    ) -> Result<(Self, Outputs), StartError> {
        let settings = &given.settings;
        let folders = Folders::from_environment();
        let store_path = folders
            .store(&settings.store_path, &node.namespace()?, &node.name()?)
            .ok_or(StartError::NoHome("store_path"))?;
        let clock: Arc<dyn Clock> = Arc::new(RosClock::of(node));
        let config = Config {
            require_agent: settings.require_agent,
            synonyms: text_of(&folders, "synonyms_path", &settings.synonyms_path)?,
            access: text_of(&folders, "access_path", &settings.access_path)?,
            jobs: job_settings(settings),
            maintenance: maintenance_settings(settings),
            backups: backup_settings(settings, &folders)?,
            write_queue: write_queue_settings(settings, &folders)?,
            ..engine_config(settings, store_path.clone())
        };
        let wanted = Wanted::read(given, &folders)?;
        let chat = chat(settings, &folders)?;
        let webhook = Webhook::read(&settings.maintenance_webhook_url)?;
        let opened = Engine::open(config, Arc::clone(&clock));
        let (engine, opened) = opened.map_err(|error| match error {
            OpenError::Access(_) => StartError::Access(settings.access_path.clone(), error),
            _ => StartError::Store(error),
        })?;
        tell_opened(&opened);
        let engine = Arc::new(engine);
        engine.set_chat(chat);
        engine.set_importer(Arc::new(BagImporter(Parameters {
            settings: settings.clone(),
            namespace: node.namespace()?,
            node_name: node.name()?,
            streams: wanted.as_ref().map_or(Heard::Auto, Wanted::in_bags),
        })));
        let waiting_max = usize::try_from(settings.queue_max).unwrap_or(usize::MAX);
        let reads = WorkQueue::new("reads", waiting_max);
        let writes = WorkQueue::new("writes", waiting_max);
        let (capture, captures) = capture::offer(node)?;
        let (maintain, maintained) =
            actions::offer::<MaintainWire>(node, &engine, &writes, &clock)?;
        let (rebuild, rebuilt) = actions::offer::<RebuildWire>(node, &engine, &writes, &clock)?;
        let (import, imported) = actions::offer::<ImportWire>(node, &engine, &writes, &clock)?;
        services.extend([capture, maintain, rebuild, import]);
        let queues = WorkQueues { reads: &reads, writes: &writes };
        services.extend(offer_services(node, &engine, &queues)?);
        let memories_max = usize::try_from(settings.markers_max).unwrap_or(0);
        let markers = (memories_max > 0)
            .then(|| Markers::offer(node, &engine, memories_max, &settings.map_id))
            .transpose()?;
        let goals = Followers(vec![maintained, rebuilt, imported]);
        let mut tasks: Vec<(&'static str, Task)> = vec![
            ("events", events::offer(node, &engine)?),
            ("job events", job_events(node, &engine)?),
            ("goals", Box::new(move |stop| goals.run(stop))),
            ("reports", reports(node, &engine)?),
        ];
        tasks.extend(webhook.map(|webhook| ("webhook", posts(webhook, &engine))));
        let owner = Owner {
            name: node.name()?,
            namespace: node.namespace()?,
            full_name: node.fully_qualified_name()?,
        };
        let actions = ActionStatuses::default();
        let (goal_receiver, goal_writer) = Selection::read(settings)?
            .map(|wanted| GoalReceiver::new(wanted, &owner, actions.clone(), Arc::clone(&clock)))
            .unzip();
        let latched = QosProfile::default().reliable().transient_local().keep_last(1);
        let configured = Self {
            engine,
            store_path,
            folders,
            owner,
            clock,
            reads,
            writes,
            ready: node.create_publisher("~/ready", latched)?,
        };
        let diagnostics = node.create_publisher("/diagnostics", QosProfile::default())?;
        let outputs = Outputs {
            wanted,
            diagnostics,
            tasks,
            markers,
            captures,
            goal_receiver,
            goal_writer,
            actions,
        };
        Ok((configured, outputs))
    }

    /// Takes requests from now on, and does in the background what nobody waits for.
    fn activate(&self, settings: SharedSettings, outputs: Outputs) -> Result<Active, StartError> {
        let Outputs { wanted, diagnostics, tasks, markers, captures, goal_writer, actions, .. } =
            outputs;
        let start = settings.lock().clone();
        let first = start.clone();
        self.reads.open(usize::try_from(start.read_workers).unwrap_or(1))?;
        self.writes.open(usize::try_from(start.write_workers).unwrap_or(1))?;
        let (engine, folders, stop) =
            (Arc::clone(&self.engine), self.folders.clone(), Stop::default());
        let load = move |stop: &Stop| embedder::load_into(&engine, &start, &folders, stop);
        let model = stop.spawn("model", load)?;
        let engine = Arc::clone(&self.engine);
        let mut lasting = vec![stop.spawn("upkeep", move |stop| upkeep::run(&engine, stop))?];
        let streams = match wanted {
            Some(wanted) => {
                let owner = self.owner.clone();
                Some(Arc::new(Streams::start(wanted, owner, &self.engine, &settings)?))
            }
            None => None,
        };
        let queues = [Arc::clone(&self.reads), Arc::clone(&self.writes)];
        let watch = Watch {
            engine: Arc::clone(&self.engine),
            store_path: self.store_path.clone(),
            node_name: self.owner.full_name.clone(),
            clock: Arc::clone(&self.clock),
            queues: queues.clone(),
            settings: settings.clone(),
            streams: streams.clone(),
            actions,
            publisher: diagnostics,
        };
        lasting.push(stop.spawn("watch", move |stop| watch.run(stop))?);
        for (name, task) in tasks {
            lasting.push(stop.spawn(name, task)?);
        }
        if let Some(markers) = markers {
            let streams = streams.clone();
            lasting.push(stop.spawn("markers", move |stop| markers.run(streams, stop))?);
        }
        if let Some(writer) = goal_writer {
            let (engine, streams) = (Arc::clone(&self.engine), streams.clone());
            let store = move |stop: &Stop| writer.run(&engine, streams.as_deref(), &settings, stop);
            lasting.push(stop.spawn("outcomes", store)?);
        }
        let engine = Arc::clone(&self.engine);
        let captures = Captures { engine, calls: captures, streams: streams.clone() };
        lasting.push(stop.spawn("captures", move |stop| captures.run(stop))?);
        let workers = Workers::start(&first, &self.engine, queues)?;
        self.tell_ready(true);
        log::info!("ready, with the store {}", self.store_path.display());
        Ok(Active { stop, lasting, streams, workers, model })
    }

    /// Takes no more requests, and answers those that were taken.
    fn deactivate(&self, active: Active, deadline: Instant) -> Left {
        let Active { stop, mut lasting, streams, workers, model } = active;
        self.tell_ready(false);
        stop.set();
        lasting.extend(workers.map(Workers::stop));
        for queue in [&self.reads, &self.writes] {
            queue.close();
        }
        let mut hanging = streams.map(|streams| streams.stop(deadline)).unwrap_or_default();
        for queue in [&self.reads, &self.writes] {
            if !queue.drain(deadline) {
                let name = queue.load().name;
                log::warn!("some {name} were not done in time; their callers got unavailable");
            }
        }
        hanging.extend(lasting.into_iter().filter(|thread| !has_ended(thread, deadline)));
        Left { model, hanging }
    }

    /// Closes the store. Answers whether that was done in time.
    fn clean_up(self, deadline: Instant) -> bool {
        // In a thread of its own, so that a store that hangs does not make the node hang.
        let (done, is_done) = sync_channel(1);
        let engine = self.engine;
        let closing = std::thread::Builder::new().name("close".to_owned()).spawn(move || {
            let _ = done.send(engine.close());
        });
        if let Err(error) = closing {
            log::error!("the store was not closed: {error}");
            return false;
        }
        match is_done.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(())) => {
                log::info!("the store is closed");
                true
            }
            Ok(Err(error)) => {
                log::error!("the store was not closed cleanly: {error}");
                false
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                log::error!("the store did not close in time; the next start recovers it");
                false
            }
        }
    }

    fn tell_ready(&self, data: bool) {
        if let Err(error) = self.ready.publish(&Bool { data }) {
            log::warn!("~/ready: {error}");
        }
    }
}

fn tell_opened(opened: &Opened) {
    let Opened { damaged_aside, unclean, memory_count, missing_commits } = opened;
    if let Some(path) = damaged_aside {
        log::error!("the store was damaged, and was moved to {}", path.display());
    }
    if *unclean && damaged_aside.is_none() && *missing_commits == 0 {
        log::info!(
            "the last run ended without closing the store; nothing that it acknowledged is lost"
        );
    }
    log::info!("{memory_count} memories in the store");
}
