//! Topics that are listened to: what is published becomes events, and these become memories.
//!
//! Three threads: one hears (rcl), one understands (the recorder), one stores (the engine); between
//! them are bounded queues, so that a slow disk holds up no message, and nothing grows. The thread
//! that spins the node takes no part.

mod arguments;
mod detector;
mod diagnosis;
mod event_writer;
mod inbox;
mod matching;
mod numbers;
mod object_writer;
mod outbox;
pub(super) mod rcl;
mod sim_time;
mod status;
mod subscriber;
mod subscription;

pub(super) use diagnosis::status;
pub(super) use status::{StreamStatus, ThrottledCount, Usage};

use super::StartError;
use super::capture::Captured;
use super::life::{has_ended, text_of};
use super::markers::RobotPlace;
use super::parameters::SharedSettings;
use super::stop::Stop;
use crate::config::{Invalid, QosEntity, StartParameters};
use crate::faces::http::StreamNumbers;
use crate::faces::listening::{AUTO, recorder_settings};
use crate::faces::paths::Folders;
use crate::faces::wall_clock::WallClock;
use detector::{CaptureOrder, EventDetector};
use event_writer::EventWriter;
use inbox::Inbox;
use object_writer::stored_objects;
use outbox::Outbox;
use rcl::{Node, RclError};
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Clock;
use robot_memory_engine::{Engine, FrameTransform};
use robot_memory_perception::{Capture, Placed, QosOverrides, StreamSettings, settings};
use status::StreamStatusRegistry;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use subscriber::TopicSubscriber;

/// Bytes of events that wait for the store.
const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// Captures that were asked for and that the recorder has not begun.
const ASKED_MAX: usize = 16;
/// The thread that hears.
const SUBSCRIBE: &str = "subscribe";

/// What is listened to, read from the parameters.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    streams: Vec<StreamSettings>,
    is_auto: bool,
    /// Patterns of topics that are left out then.
    exclude: Vec<String>,
    /// How topics are subscribed to that do not say it themselves, by their full names.
    qos: BTreeMap<String, QosOverrides>,
}

impl Wanted {
    /// As `streams` says, else the file of `streams_path`; `None` when neither names a topic and
    /// there is no `pose_topic`.
    ///
    /// # Errors
    /// When the text is not well formed, or the file cannot be read.
    pub fn read(given: &StartParameters, folders: &Folders) -> Result<Option<Self>, StartError> {
        let settings = &given.settings;
        let (name, text) = if !settings.streams.trim().is_empty() {
            ("streams", settings.streams.clone())
        } else {
            match text_of(folders, "streams_path", &settings.streams_path)? {
                Some(text) => ("streams_path", text),
                None => ("streams", "[]".to_owned()),
            }
        };
        let qos = qos_overrides(given, QosEntity::Subscription)?;
        let wanted = match settings::Streams::parse(&text) {
            Ok(settings::Streams::Auto) => {
                let exclude = settings.streams_exclude.clone();
                Self { streams: Vec::new(), is_auto: true, exclude, qos }
            }
            Ok(settings::Streams::List(streams)) => {
                Self { streams, is_auto: false, exclude: Vec::new(), qos }
            }
            Err(error) => {
                return Err(StartError::Parameter(Invalid(format!("parameter {name}: {error}"))));
            }
        };
        let is_some = wanted.is_auto
            || !wanted.streams.is_empty()
            || names_pose(&settings.pose_topic)
            || !settings.map_topic.is_empty();
        Ok(is_some.then_some(wanted))
    }

    /// What is listened to in a bag: every topic of a known type, unless some are named.
    pub fn in_bags(&self) -> settings::Streams {
        if self.is_auto || self.streams.is_empty() {
            settings::Streams::Auto
        } else {
            settings::Streams::List(self.streams.clone())
        }
    }
}

/// Whether a topic of poses is named: one that is looked for is nothing to listen to by itself.
fn names_pose(pose_topic: &str) -> bool {
    !matches!(pose_topic, "" | AUTO)
}

/// `qos_overrides.<topic>.<entity>.<policy>`, by the topics' full names, checked as `qos` of a topic is.
///
/// # Errors
/// When a policy does not take its value.
pub(super) fn qos_overrides(
    given: &StartParameters,
    entity: QosEntity,
) -> Result<BTreeMap<String, QosOverrides>, Invalid> {
    let mut all = BTreeMap::new();
    for (topic, policies) in given.qos_overrides(entity) {
        let entry = serde_json::json!([{"topic": topic, "qos": policies}]);
        let read = settings::Streams::parse(&entry.to_string());
        let wrong = |reason: &str| Invalid(format!("parameters qos_overrides.{topic}: {reason}"));
        match read.map_err(|error| wrong(&error.reason))? {
            settings::Streams::List(mut streams) => {
                all.extend(streams.pop().map(|stream| (topic.clone(), stream.qos)));
            }
            settings::Streams::Auto => {}
        }
    }
    Ok(all)
}

/// The node that the streams are of.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    pub name: String,
    pub namespace: String,
    /// Namespace and name.
    pub full_name: String,
}

/// A node beside the owner, of the same participant, as that one is remapped.
///
/// # Errors
/// What ROS refuses.
pub(super) fn hidden_node(owner: &Owner, part: &str) -> Result<Node, RclError> {
    let Owner { name, namespace, .. } = owner;
    let arguments = arguments::remapping(std::env::args(), name);
    Node::create(&format!("_{name}_{part}"), namespace, &arguments)
}

/// The threads `subscribe`, `detect` and `store`.
pub(super) struct Streams {
    stop: Stop,
    registry: StreamStatusRegistry,
    outbox: Arc<Outbox>,
    asked: SyncSender<CaptureOrder>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Streams {
    /// Starts them.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(
        wanted: Wanted,
        owner: Owner,
        engine: &Arc<Engine>,
        settings: &SharedSettings,
    ) -> Result<Self, StartError> {
        let now = settings.lock().clone();
        let (stop, registry) = (Stop::default(), StreamStatusRegistry::default());
        let inbox_bytes_max = usize::try_from(now.inbox_bytes_max).unwrap_or(usize::MAX);
        let inbox = Arc::new(Inbox::new(inbox_bytes_max));
        if !now.use_sim_time {
            // A capture may be asked for before the first round of the subscriber.
            inbox.deliver([], WallClock.now());
        }
        let outbox = Arc::new(Outbox::new(OUTBOX_BYTES_MAX));
        let (asked, asks) = sync_channel(ASKED_MAX);
        let writer = EventWriter {
            engine: Arc::clone(engine),
            outbox: Arc::clone(&outbox),
            registry: registry.clone(),
            settings: settings.clone(),
            clips_folder: (now.clips_bytes_max > 0).then(|| engine.clips_folder()),
        };
        let detector = EventDetector {
            settings: recorder_settings(&now),
            inbox: Arc::clone(&inbox),
            outbox: Arc::clone(&outbox),
            registry: registry.clone(),
            map_id: now.map_topic.is_empty().then(|| settings.clone()),
            asked: asks,
            stored_objects: stored_objects(engine),
        };
        let subscriber = TopicSubscriber {
            owner,
            wanted,
            pose_topic: now.pose_topic,
            map_topic: now.map_topic,
            settings: settings.clone(),
            held_bytes_max: inbox_bytes_max,
            inbox,
            registry: registry.clone(),
        };
        let threads = vec![
            stop.spawn("store", move |_| writer.run())?,
            stop.spawn("detect", move |_| detector.run())?,
            stop.spawn(SUBSCRIBE, move |stop| subscriber.run(stop))?,
        ];
        Ok(Self { stop, registry, outbox, asked, threads: Mutex::new(threads) })
    }

    /// How each of them is doing, poses first, then the streams in their order.
    pub fn statuses(&self) -> Vec<StreamStatus> {
        self.registry.all()
    }

    /// What is counted of each of them.
    pub fn numbers(&self) -> Vec<StreamNumbers> {
        self.registry.all().into_iter().map(numbers::numbers).collect()
    }

    /// Who does not receive what the node publishes, and why.
    pub fn unserved(&self) -> Vec<String> {
        self.registry.unserved()
    }

    /// The map that the robot is in; empty: not known.
    pub fn map_id(&self) -> String {
        self.registry.map_id()
    }

    /// Where the frame `from` is in the frame `to`, as far as transforms tell.
    pub fn transform(&self, from: &str, to: &str) -> Option<FrameTransform> {
        self.registry.transform(from, to)
    }

    /// Where the robot is, as far as that is known.
    pub fn robot(&self) -> Option<RobotPlace> {
        let Placed { frame, position, .. } = self.registry.robot()?;
        Some(RobotPlace { frame, position_m: position })
    }

    /// What the robot has used since the node began.
    pub fn usage(&self) -> Usage {
        self.registry.usage()
    }

    /// The robot's pose, when it was told at most so long ago.
    pub fn placed(&self, age_max: Duration) -> Option<Placed> {
        self.registry.placed(age_max)
    }

    /// Hears no more, finishes what is open, and stores what it can until the deadline. Gives back the threads that
    /// have not ended: the one that heard takes a while to leave the middleware, and stores nothing.
    pub fn stop(&self, deadline: Instant) -> Vec<JoinHandle<()>> {
        self.outbox.set_deadline(deadline);
        self.stop.set();
        let mut threads =
            std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        threads.retain(|thread| {
            let is_leaving = thread.thread().name() == Some(SUBSCRIBE);
            !has_ended(thread, if is_leaving { Instant::now() } else { deadline })
        });
        threads
    }

    /// The names of the streams, in their order.
    pub fn names(&self) -> Vec<String> {
        self.registry.stream_names()
    }

    /// Asks for a capture.
    ///
    /// # Errors
    /// When too many are waited for, or the streams have ended.
    pub fn capture(&self, capture: Capture) -> Result<Captured, ApiError> {
        let (reply, captured) = sync_channel(1);
        self.asked.try_send(CaptureOrder { capture, reply }).map_err(|error| match error {
            TrySendError::Full(_) => ApiError::unavailable("too many captures are waited for"),
            TrySendError::Disconnected(_) => ApiError::unavailable("the streams have ended"),
        })?;
        Ok(captured)
    }
}
