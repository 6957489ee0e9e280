//! The node's life: configure, activate, deactivate, clean up.

use super::StartError;
use super::capture::Captures;
use super::clock::RosClock;
use super::closing::{Closing, ClosingEnd, close};
use super::disk::DiskGuard;
use super::jobs::{BagImporter, Workers, job_settings};
use super::lifecycle::{Lifecycle, Order, Outcome, State, Transition};
use super::localization::RobotLocalization;
use super::maintenance::{
    backup_settings, maintenance_settings, path_of, posts, write_queue_settings,
};
use super::offers::{Drained, Offers};
use super::parameters::SharedSettings;
use super::publish::PublisherQos;
use super::slot::Rounds;
use super::stop::Stop;
use super::streams::{Owner, Streams, Wanted};
use super::watch::Watch;
use super::{bond, embedder, http, upkeep};
use crate::config::{Settings, StartParameters};
use crate::faces::engine::engine_config;
use crate::faces::engine_slot::UNCONFIGURED;
#[cfg(feature = "fleet")]
use crate::faces::fleet;
use crate::faces::http::HttpServer;
use crate::faces::import::Parameters;
use crate::faces::paths::Folders;
use crate::webhook::Webhook;
use robot_memory_chat::{Chat, ChatEndpoint, OpenAiChat};
use robot_memory_core::limits::SETTINGS_FILE_BYTES_MAX;
use robot_memory_core::model::Clock;
use robot_memory_core::regular_file;
use robot_memory_engine::{Config, Engine, OpenError, Opened};
use robot_memory_perception::Streams as Heard;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Receiver;

/// What waits is done in so much time when the node is deactivated or cleaned up. Lifecycle managers wait some
/// seconds for an answer.
const DRAIN_MAX: Duration = Duration::from_secs(3);
/// The store has so much time to close then. With the other, less than `ros2 launch` gives a node that is to end.
const CLOSE_MAX: Duration = Duration::from_secs(4);

/// A robot that was away waits so long at its start for what its fleet told meanwhile.
#[cfg(feature = "fleet")]
const CATCH_UP_MAX: Duration = Duration::from_secs(5);

/// What callers are told whose writes are not taken.
const INACTIVE: &str = "the node is inactive: activate it first (~/change_state)";
const SHUTTING_DOWN: &str = "the node is shutting down";

/// The node's states, and what does the work in each.
pub(super) struct Life {
    given: StartParameters,
    settings: SharedSettings,
    folders: Folders,
    owner: Owner,
    clock: Arc<dyn Clock>,
    lifecycle: Lifecycle,
    rounds: Rounds,
    offers: Offers,
    configured: Option<Configured>,
    active: Option<Active>,
    /// Threads that had to end and did not.
    hanging: Vec<JoinHandle<()>>,
    /// Loads a model, and cannot be told to end before that is done.
    loading: Option<JoinHandle<()>>,
    /// Whether the node is about to activate itself.
    is_autostarting: bool,
    /// Whether a store was not closed well.
    is_left_open: bool,
    /// Tells what runs in every state to end.
    stop: Stop,
    watch: JoinHandle<()>,
}

/// What there is while the store is open.
struct Configured {
    engine: Arc<Engine>,
    /// Topics that are listened to.
    wanted: Option<Wanted>,
    webhook: Option<Webhook>,
    stop: Stop,
    threads: Vec<JoinHandle<()>>,
    model: Option<JoinHandle<()>>,
    /// `None`: switched off.
    http: Option<HttpServer>,
    /// `None`: the robot is in no fleet.
    #[cfg(feature = "fleet")]
    fleet: Option<Arc<fleet::Link>>,
}

/// The threads of the active node.
#[derive(Default)]
struct Active {
    stop: Stop,
    /// Tells those to end that publish what is stored.
    publishing: Stop,
    threads: Vec<JoinHandle<()>>,
    streams: Option<Arc<Streams>>,
    /// `None`: switched off.
    workers: Option<Workers>,
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

impl Life {
    /// Offers everything, and begins to tell how the node is doing. It is unconfigured.
    ///
    /// # Errors
    /// When the middleware cannot make a part of it.
    pub fn offer(
        node: &mut r2r::Node,
        given: StartParameters,
        qos: &PublisherQos,
        settings: SharedSettings,
    ) -> Result<(Self, Drained, Receiver<Order>), StartError> {
        let clock: Arc<dyn Clock> = Arc::new(RosClock::of(node));
        let owner = Owner {
            name: node.name()?,
            namespace: node.namespace()?,
            full_name: node.fully_qualified_name()?,
        };
        let (lifecycle, managed, orders) = Lifecycle::offer(node, &clock)?;
        let (offers, mut drained) = Offers::new(node, &given.settings, qos, &owner, &clock)?;
        drained.services.push(managed);
        let stop = Stop::default();
        let watch = Watch {
            engine: offers.engine.clone(),
            node_name: owner.full_name.clone(),
            clock: Arc::clone(&clock),
            queues: [Arc::clone(&offers.reads), Arc::clone(&offers.writes)],
            settings: settings.clone(),
            streams: offers.streams.clone(),
            actions: offers.actions.clone(),
            lifecycle: lifecycle.clone(),
            publisher: offers.diagnostics.clone(),
        };
        let watch = stop.spawn("watch", move |stop| watch.run(stop))?;
        let life = Self {
            given,
            settings,
            folders: Folders::from_environment(),
            owner,
            clock,
            lifecycle,
            rounds: Rounds::default(),
            offers,
            configured: None,
            active: None,
            hanging: Vec::new(),
            loading: None,
            is_autostarting: false,
            is_left_open: false,
            stop,
            watch,
        };
        if !life.given.settings.autostart {
            life.offers.close_queues(UNCONFIGURED);
            log::info!("unconfigured; waiting for a lifecycle manager, since autostart is false");
        }
        Ok((life, drained, orders))
    }

    /// The state, for those who ask for it.
    pub fn lifecycle(&self) -> Lifecycle {
        self.lifecycle.clone()
    }

    /// To be counted by the thread that spins.
    pub fn rounds(&self) -> Rounds {
        self.rounds.clone()
    }

    /// Threads that had to end and did not.
    pub fn hanging(&self) -> impl Iterator<Item = &JoinHandle<()>> {
        self.hanging.iter()
    }

    /// The thread that loads a model.
    pub fn loading(&self) -> Option<&JoinHandle<()>> {
        self.loading.as_ref()
    }

    /// Configures and activates, unless a lifecycle manager has taken the lead meanwhile.
    ///
    /// # Errors
    /// When one of them does not succeed.
    pub fn autostart(&mut self) -> Result<(), StartError> {
        self.is_autostarting = true;
        let mut done = Ok(());
        for label in ["configure", "activate"] {
            match self.lifecycle.begin(0, label) {
                Some(transition) if done.is_ok() => done = self.carry_out(transition),
                _ => break,
            }
        }
        self.is_autostarting = false;
        done
    }

    /// Carries out a transition that somebody requested, and answers.
    pub fn follow(&mut self, order: Order) {
        let outcome = self.carry_out(order.transition);
        if let Err(error) = &outcome {
            log::error!("{}: {error}", order.transition.label);
        }
        order.answer(outcome.is_ok());
    }

    /// Does what a transition that has begun is for, and ends it.
    fn carry_out(&mut self, transition: &Transition) -> Result<(), StartError> {
        let drain = Instant::now() + DRAIN_MAX;
        let done = match transition.goal {
            State::Configuring => self.configure(),
            State::Activating => self.activate(),
            State::Deactivating => {
                self.deactivate(INACTIVE, drain);
                Ok(())
            }
            State::CleaningUp => self.clean_up(UNCONFIGURED, drain, Instant::now() + CLOSE_MAX),
            _ => self.put_away(SHUTTING_DOWN, drain, Instant::now() + CLOSE_MAX),
        };
        let (outcome, fault) = match &done {
            Ok(()) => (Outcome::Success, String::new()),
            Err(error) => (error.outcome(), error.to_string()),
        };
        let mut state = self.lifecycle.end(outcome, &fault);
        if state == State::ErrorProcessing {
            // What is left of it is put away, so that it can be configured again.
            let deadline = Instant::now() + CLOSE_MAX;
            let is_away = self.put_away(UNCONFIGURED, drain, deadline).is_ok();
            let outcome = if is_away { Outcome::Success } else { Outcome::Failure };
            state = self.lifecycle.end(outcome, &fault);
        }
        log::debug!("the node is {}", state.label());
        done
    }

    /// Ends the node's life in whatever state it is. Answers whether the store is closed.
    pub fn shut_down(
        &mut self,
        orders: &mut Receiver<Order>,
        drain: Instant,
        deadline: Instant,
    ) -> bool {
        // From here on no transition begins but this one.
        self.lifecycle.close();
        orders.close();
        while let Ok(order) = orders.try_recv() {
            self.lifecycle.end(Outcome::Failure, SHUTTING_DOWN);
            order.answer(false);
        }
        self.lifecycle.begin_shutdown();
        let closed = self.put_away(SHUTTING_DOWN, drain, deadline);
        let outcome = if closed.is_ok() { Outcome::Success } else { Outcome::Failure };
        self.lifecycle.end(outcome, "");
        self.stop.set();
        has_ended(&self.watch, deadline);
        !self.is_left_open
    }

    /// Deactivates and cleans up.
    fn put_away(
        &mut self,
        reason: &'static str,
        drain: Instant,
        deadline: Instant,
    ) -> Result<(), StartError> {
        self.offers.close_queues(reason);
        self.deactivate(reason, drain);
        self.clean_up(reason, drain, deadline)
    }

    /// Opens the store, begins to load the model, and takes requests that only read.
    fn configure(&mut self) -> Result<(), StartError> {
        let settings = self.settings.lock().clone();
        settings.check()?;
        let given = StartParameters { settings, ..self.given.clone() };
        let mut configured = self.open(&given)?;
        self.offers.engine.set(Some(Arc::clone(&configured.engine)));
        let started = self.start_configured(&given.settings, &mut configured);
        self.configured = Some(configured);
        if let Err(error) = started {
            let now = Instant::now();
            let _ = self.clean_up(UNCONFIGURED, now + DRAIN_MAX, now + CLOSE_MAX);
            return Err(error);
        }
        Ok(())
    }

    fn open(&self, given: &StartParameters) -> Result<Configured, StartError> {
        let (settings, folders) = (&given.settings, &self.folders);
        let Owner { name, namespace, .. } = &self.owner;
        let store_path = folders
            .store(&settings.store_path, namespace, name)
            .ok_or(StartError::NoHome("store_path"))?;
        let config = Config {
            #[cfg(feature = "fleet")]
            fleet: fleet::member(settings)?,
            require_agent: settings.require_agent,
            synonyms: text_of(folders, "synonyms_path", &settings.synonyms_path)?,
            access: text_of(folders, "access_path", &settings.access_path)?,
            jobs: job_settings(settings),
            maintenance: maintenance_settings(settings),
            backups: backup_settings(settings, folders)?,
            write_queue: write_queue_settings(settings, folders)?,
            ..engine_config(settings, store_path)
        };
        let wanted = Wanted::read(given, folders)?;
        let chat = chat(settings, folders)?;
        let webhook = Webhook::read(&settings.maintenance_webhook_url)?;
        let opened = Engine::open(config, Arc::clone(&self.clock));
        let (engine, opened) = opened.map_err(|error| match error {
            OpenError::Access(_) => StartError::Access(settings.access_path.clone(), error),
            _ => StartError::Store(error),
        })?;
        tell_opened(&opened);
        engine.set_chat(chat);
        engine.set_localization(Some(Arc::new(RobotLocalization {
            settings: self.settings.clone(),
            streams: self.offers.streams.clone(),
        })));
        engine.set_importer(Arc::new(BagImporter(Parameters {
            settings: settings.clone(),
            namespace: namespace.clone(),
            node_name: name.clone(),
            streams: wanted.as_ref().map_or(Heard::Auto, Wanted::in_bags),
        })));
        Ok(Configured {
            engine: Arc::new(engine),
            wanted,
            webhook,
            stop: Stop::default(),
            threads: Vec::new(),
            model: None,
            http: None,
            #[cfg(feature = "fleet")]
            fleet: None,
        })
    }

    fn start_configured(
        &mut self,
        settings: &Settings,
        configured: &mut Configured,
    ) -> Result<(), StartError> {
        #[cfg(feature = "fleet")]
        {
            configured.fleet = fleet::start(settings, &self.folders, &configured.engine)?;
            // What was revoked while it was away is not answered.
            if let Some(link) = &configured.fleet
                && !link.catch_up(CATCH_UP_MAX)
            {
                log::warn!("started before all was taken that the fleet told meanwhile");
            }
        }
        let Configured { engine, stop, threads, model, http: server, .. } = configured;
        self.offers.reads.open(usize::try_from(settings.read_workers).unwrap_or(1))?;
        if !self.is_autostarting {
            self.offers.writes.close(INACTIVE);
        }
        *server = http::start(&self.offers, &self.folders, settings, engine.store_path())?;
        let (loaded, folders, start) =
            (Arc::downgrade(engine), self.folders.clone(), settings.clone());
        // Two at a time would need the memory of two.
        let before = self.loading.take();
        let load = move |stop: &Stop| {
            let _ = before.map(JoinHandle::join);
            embedder::load_into(&loaded, &start, &folders, stop);
        };
        *model = Some(stop.spawn("model", load)?);
        // Before the first write.
        let (mut disk, settings) = (DiskGuard::of(engine), self.settings.clone());
        disk.check(engine, &settings);
        let guarded = Arc::clone(engine);
        threads.push(stop.spawn("disk", move |stop| disk.run(&guarded, &settings, stop))?);
        let (engine, lifecycle) = (Arc::clone(engine), self.lifecycle.clone());
        let keep = move |stop: &Stop| upkeep::run(&engine, &lifecycle, stop);
        threads.push(stop.spawn("upkeep", keep)?);
        Ok(())
    }

    /// Takes every request, listens to topics and works on jobs.
    fn activate(&mut self) -> Result<(), StartError> {
        let mut active = Active::default();
        let started = self.start_active(&mut active);
        self.active = Some(active);
        if let Err(error) = started {
            self.deactivate(INACTIVE, Instant::now() + DRAIN_MAX);
            return Err(error);
        }
        self.offers.tell_ready(true);
        if let Some(Configured { engine, .. }) = &self.configured {
            log::info!("ready, with the store {}", engine.store_path().display());
        }
        Ok(())
    }

    fn start_active(&self, active: &mut Active) -> Result<(), StartError> {
        // The table of states has no way here without.
        let Some(Configured { engine, wanted, webhook, .. }) = &self.configured else {
            return Ok(());
        };
        let Active { stop, publishing, threads, streams, workers } = active;
        let (offers, now) = (&self.offers, self.settings.lock().clone());
        if let Some(wanted) = wanted {
            let (wanted, owner) = (wanted.clone(), self.owner.clone());
            *streams = Some(Arc::new(Streams::start(wanted, owner, engine, &self.settings)?));
        }
        offers.streams.set(streams.clone());
        for (name, task) in offers.publishing(engine) {
            threads.push(publishing.spawn(name, task)?);
        }
        if let Some(webhook) = webhook {
            threads.push(publishing.spawn("webhook", posts(webhook.clone(), engine))?);
        }
        threads.push(stop.spawn("goals", offers.following())?);
        if let Some(markers) = offers.markers.clone() {
            let (engine, streams) = (Arc::clone(engine), streams.clone());
            let show = move |stop: &Stop| markers.run(&engine, streams.as_deref(), stop);
            threads.push(stop.spawn("markers", show)?);
        }
        if let Some(writer) = offers.goals.clone() {
            let (engine, streams) = (Arc::clone(engine), streams.clone());
            let settings = self.settings.clone();
            let store = move |stop: &Stop| writer.run(&engine, streams.as_deref(), &settings, stop);
            threads.push(stop.spawn("outcomes", store)?);
        }
        let captures = Captures {
            engine: Arc::clone(engine),
            calls: offers.captures.open(),
            streams: streams.clone(),
        };
        threads.push(stop.spawn("captures", move |stop| captures.run(stop))?);
        let queues = [Arc::clone(&offers.reads), Arc::clone(&offers.writes)];
        *workers = Workers::start(&now, engine, queues)?;
        offers.writes.open(usize::try_from(now.write_workers).unwrap_or(1))?;
        if !now.autostart {
            let (owner, rounds) = (self.owner.clone(), self.rounds.clone());
            threads.push(stop.spawn("bond", move |stop| bond::run(&owner, &rounds, stop))?);
        }
        Ok(())
    }

    /// Takes no more writes, and answers those that were taken. Stores the events that are under way.
    fn deactivate(&mut self, reason: &'static str, deadline: Instant) {
        let Some(active) = self.active.take() else { return };
        let Active { stop, publishing, mut threads, streams, workers } = active;
        let offers = &self.offers;
        offers.tell_ready(false);
        stop.set();
        threads.extend(workers.map(Workers::stop));
        offers.writes.close(reason);
        offers.captures.close();
        offers.streams.set(None);
        let leaving = streams.map(|streams| streams.stop(deadline)).unwrap_or_default();
        offers.writes.drain_logged(deadline);
        // What was stored until now is published.
        publishing.set();
        self.wait_for(threads.into_iter().chain(leaving), deadline);
    }

    /// Waits for threads that were told to end; those that hang are named and kept.
    fn wait_for(&mut self, threads: impl Iterator<Item = JoinHandle<()>>, deadline: Instant) {
        self.hanging.retain(|thread| !thread.is_finished());
        for thread in threads {
            if !has_ended(&thread, deadline) {
                let name = thread.thread().name().unwrap_or_default();
                log::warn!("the thread {name} did not end in time");
                self.hanging.push(thread);
            }
        }
    }

    /// Takes no more requests, and closes the store.
    ///
    /// # Errors
    /// When it did not close well, or not by the deadline, or when a thread that hangs still holds it.
    fn clean_up(
        &mut self,
        reason: &'static str,
        drain: Instant,
        deadline: Instant,
    ) -> Result<(), StartError> {
        let Some(configured) = self.configured.take() else { return Ok(()) };
        #[cfg(feature = "fleet")]
        let fleet = configured.fleet.clone();
        let Configured { engine, stop, threads, model, http, .. } = configured;
        let threads = threads.into_iter();
        stop.set();
        // The link may wait for a server that does not answer.
        #[cfg(feature = "fleet")]
        let threads =
            threads.chain(fleet.and_then(|link| stop.spawn("fleet", move |_| link.stop()).ok()));
        self.offers.close_queues(reason);
        self.offers.reads.drain_logged(drain);
        if http.is_some_and(|http| !http.stop(drain)) {
            log::warn!("some callers over HTTP did not read their answers in time");
        }
        self.wait_for(threads, drain);
        self.loading = model;
        self.offers.engine.set(None);
        let Closing { end, thread } = close(engine, deadline);
        self.hanging.extend(thread.filter(|thread| !thread.is_finished()));
        self.is_left_open |= end == ClosingEnd::LeftOpen;
        match end {
            ClosingEnd::Free => Ok(()),
            ClosingEnd::Held => Err(StartError::Held),
            ClosingEnd::LeftOpen => Err(StartError::NotClosed),
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
