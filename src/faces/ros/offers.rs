//! What the node offers, in every state: its services, actions and topics. Each is made once, since r2r takes
//! none of them away.

use super::StartError;
use super::actions::{self, Followers};
use super::capture::{self, CaptureGate};
use super::events::Events;
use super::jobs::JobEvents;
use super::maintenance::Reports;
use super::markers::Markers;
use super::outcomes::{ActionStatuses, GoalReceiver, GoalWriter, Selection};
use super::publish::PublisherQos;
use super::service::{Drain, WorkQueues, offer_services};
use super::slot::StreamsSlot;
use super::stop::Task;
use super::streams::Owner;
use super::wire::{ImportWire, MaintainWire, RebuildWire};
use crate::config::Settings;
use crate::faces::calls::CallCounts;
use crate::faces::engine_slot::EngineSlot;
use crate::faces::work_queue::WorkQueue;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::std_msgs::msg::Bool;
use r2r::{Publisher, QosProfile};
use robot_memory_core::model::Clock;
use robot_memory_engine::Engine;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct Offers {
    pub engine: EngineSlot,
    pub streams: StreamsSlot,
    pub reads: Arc<WorkQueue>,
    pub writes: Arc<WorkQueue>,
    pub captures: CaptureGate,
    /// Those of all faces.
    pub calls: Arc<CallCounts>,
    /// `None`: switched off.
    pub markers: Option<Markers>,
    /// `None`: no goals become attempts.
    pub goals: Option<Arc<GoalWriter>>,
    pub actions: ActionStatuses,
    pub diagnostics: Publisher<DiagnosticArray>,
    events: Events,
    job_events: JobEvents,
    reports: Reports,
    followers: Arc<Mutex<Followers>>,
    ready: Publisher<Bool>,
}

/// What the spinning thread drains.
pub(super) struct Drained {
    pub services: Vec<Box<dyn Drain>>,
    /// `None`: no goals become attempts.
    pub goals: Option<GoalReceiver>,
}

impl Offers {
    /// Offers everything; gives it with what the spinning thread drains.
    ///
    /// # Errors
    /// When the middleware cannot make a part of it.
    pub fn new(
        node: &mut r2r::Node,
        settings: &Settings,
        qos: &PublisherQos,
        owner: &Owner,
        clock: &Arc<dyn Clock>,
    ) -> Result<(Self, Drained), StartError> {
        let engine = EngineSlot::default();
        let waiting_max = usize::try_from(settings.queue_max).unwrap_or(usize::MAX);
        let reads = WorkQueue::new("reads", waiting_max);
        let writes = WorkQueue::new("writes", waiting_max);
        let calls: Arc<CallCounts> = Arc::default();
        let (capture, captures) = capture::offer(node, &calls)?;
        let (maintain, maintained) = actions::offer::<MaintainWire>(node, &engine, &writes, clock)?;
        let (rebuild, rebuilt) = actions::offer::<RebuildWire>(node, &engine, &writes, clock)?;
        let (import, imported) = actions::offer::<ImportWire>(node, &engine, &writes, clock)?;
        let mut services = vec![capture, maintain, rebuild, import];
        let queues = WorkQueues { reads: &reads, writes: &writes };
        services.extend(offer_services(node, &engine, &queues, &calls)?);
        let memories_max = usize::try_from(settings.markers_max).unwrap_or(0);
        let markers =
            (memories_max > 0).then(|| Markers::offer(node, qos, memories_max)).transpose()?;
        let actions = ActionStatuses::default();
        let (goals, goal_writer) = Selection::read(settings)?
            .map(|wanted| GoalReceiver::new(wanted, owner, actions.clone(), Arc::clone(clock)))
            .unzip();
        let latched = QosProfile::default().reliable().transient_local().keep_last(1);
        let followers = Followers(vec![maintained, rebuilt, imported]);
        let offers = Self {
            engine,
            streams: StreamsSlot::default(),
            reads,
            writes,
            captures,
            calls,
            markers,
            goals: goal_writer.map(Arc::new),
            actions,
            diagnostics: qos.create_publisher("/diagnostics", node, QosProfile::default())?,
            events: Events::offer(node, qos)?,
            job_events: JobEvents::offer(node, qos)?,
            reports: Reports::offer(node, qos)?,
            followers: Arc::new(Mutex::new(followers)),
            ready: qos.create_publisher("~/ready", node, latched)?,
        };
        Ok((offers, Drained { services, goals }))
    }

    /// What publishes while the node is active what is stored, with the names of its threads.
    pub fn publishing(&self, engine: &Arc<Engine>) -> [(&'static str, Task); 3] {
        [
            ("events", self.events.task(engine)),
            ("job events", self.job_events.task(engine)),
            ("reports", self.reports.task(engine)),
        ]
    }

    /// What follows goals. They can be sent from now on.
    pub fn following(&self) -> Task {
        let followers = Arc::clone(&self.followers);
        followers.lock().unwrap_or_else(PoisonError::into_inner).open();
        Box::new(move |stop| {
            followers.lock().unwrap_or_else(PoisonError::into_inner).run(stop);
        })
    }

    /// Takes no more requests.
    pub fn close_queues(&self, reason: &'static str) {
        self.reads.close(reason);
        self.writes.close(reason);
    }

    /// Publishes whether the node is active.
    pub fn tell_ready(&self, data: bool) {
        if let Err(error) = self.ready.publish(&Bool { data }) {
            log::warn!("~/ready: {error}");
        }
    }
}
