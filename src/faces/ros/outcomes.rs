//! Goals of other nodes' actions: what a server publishes of its goals becomes attempts, so that nobody need
//! report them.
//!
//! The thread that spins receives the status of each action, compares it with the one before, and puts what
//! is new into a bounded queue; another thread stores it. A status has all goals that its server knows, so what
//! finds no room is taken later.

mod queue;
mod result;
mod result_client;
mod selection;
mod status;
mod tracker;
#[cfg(test)]
mod tracker_tests;
mod writer;

pub(super) use selection::Selection;
pub(super) use status::ActionStatuses;
pub(super) use writer::GoalWriter;

use super::streams::Owner;
use futures::FutureExt;
use futures::stream::{Stream, StreamExt};
use queue::{GoalQueue, QueuedStep};
use r2r::QosProfile;
use r2r::action_msgs::msg::GoalStatusArray;
use robot_memory_core::limits::ACTIONS_MAX;
use robot_memory_core::model::{Clock, Stamp};
use selection::{Offered, STATUS, is_of_memory, offered};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracker::{GoalStatus, GoalTracker};

/// Between two looks at which actions there are.
const DISCOVER: Duration = Duration::from_secs(1);
/// The same, after a fault.
const DISCOVER_AGAIN: Duration = Duration::from_secs(60);
/// Status arrays that may wait in the middleware. The newest has what the others had.
const DEPTH: usize = 10;

/// The subscriptions to the status of actions, in the thread that spins.
pub(super) struct GoalReceiver {
    selection: Selection,
    /// Of the node: names that do not begin with a slash are in it.
    namespace: String,
    actions: BTreeMap<String, Subscribed>,
    queue: Arc<GoalQueue>,
    statuses: ActionStatuses,
    clock: Arc<dyn Clock>,
    discover_next: Instant,
    has_too_many: bool,
}

/// An action whose status is subscribed to.
struct Subscribed {
    action: Arc<str>,
    type_name: Arc<str>,
    arrays: Box<dyn Stream<Item = GoalStatusArray> + Send + Unpin>,
    tracker: GoalTracker,
    servers: BTreeSet<Gid>,
    /// Whether an array came since the newest of them was seen.
    is_current: bool,
}

/// Who publishes, as the middleware numbers it.
type Gid = [u8; 16];

impl GoalReceiver {
    /// With what stores its goals.
    pub fn new(
        selection: Selection,
        owner: &Owner,
        statuses: ActionStatuses,
        clock: Arc<dyn Clock>,
    ) -> (Self, GoalWriter) {
        let queue = Arc::<GoalQueue>::default();
        let writer = GoalWriter {
            queue: Arc::clone(&queue),
            statuses: statuses.clone(),
            clock: Arc::clone(&clock),
            owner: owner.clone(),
        };
        let receiver = Self {
            selection,
            namespace: owner.namespace.clone(),
            actions: BTreeMap::new(),
            queue,
            statuses,
            clock,
            discover_next: Instant::now(),
            has_too_many: false,
        };
        (receiver, writer)
    }

    /// Takes what has arrived, and, while the node is active, now and then looks which actions there are. What
    /// arrives while it is not waits in the queue.
    pub fn drain(&mut self, node: &mut r2r::Node, is_active: bool) {
        for subscribed in self.actions.values_mut() {
            while let Some(Some(array)) = subscribed.arrays.next().now_or_never() {
                subscribed.receive(&array, &self.queue, &*self.clock);
                subscribed.tell(&self.statuses);
            }
        }
        if is_active && Instant::now() >= self.discover_next {
            self.discover_next = Instant::now() + DISCOVER;
            self.discover(node);
        }
    }

    fn discover(&mut self, node: &mut r2r::Node) {
        // r2r panics on names that are not UTF-8, which only the middleware's own tools can make.
        let discovered = catch_unwind(AssertUnwindSafe(|| self.subscribe_to_new(node)));
        if discovered.is_err() {
            log::warn!("actions are looked for again in {} s", DISCOVER_AGAIN.as_secs());
            self.discover_next = Instant::now() + DISCOVER_AGAIN;
        }
    }

    fn subscribe_to_new(&mut self, node: &mut r2r::Node) {
        let topics = match node.get_topic_names_and_types() {
            Ok(topics) => topics,
            Err(error) => return log::debug!("actions: {error}"),
        };
        let named = topics.iter().map(|(topic, types)| (topic.as_str(), types.as_slice()));
        let offered = offered(named);
        for Offered { action, type_name } in offered {
            if let Some(subscribed) = self.actions.get_mut(&action) {
                if subscribed.type_name.is_empty() {
                    subscribed.type_name = type_name.into();
                }
            } else if self.selection.has(&action, &self.namespace)
                && has_other_server(node, &action)
            {
                self.subscribe(node, &action, type_name);
            }
        }
        for (action, subscribed) in &mut self.actions {
            let Some(servers) = publishers(node, action) else { continue };
            let is_offered = !servers.is_empty();
            subscribed.check(servers, &self.queue, &*self.clock);
            subscribed.tell(&self.statuses);
            self.statuses.change(action, |status| status.is_offered = is_offered);
        }
    }

    fn subscribe(&mut self, node: &mut r2r::Node, action: &str, type_name: String) {
        if self.actions.len() >= ACTIONS_MAX {
            if !std::mem::replace(&mut self.has_too_many, true) {
                log::warn!(
                    "action {action} and further ones are not subscribed to: at most {ACTIONS_MAX} are; name \
                     those that matter (actions)"
                );
            }
            return;
        }
        let qos = QosProfile::default().reliable().transient_local().keep_last(DEPTH);
        match node.subscribe::<GoalStatusArray>(&format!("{action}{STATUS}"), qos) {
            Ok(arrays) => {
                log::info!("action {action}: its goals become attempts");
                let subscribed = Subscribed {
                    action: action.into(),
                    type_name: type_name.into(),
                    arrays: Box::new(arrays),
                    tracker: GoalTracker::default(),
                    servers: BTreeSet::new(),
                    is_current: false,
                };
                self.actions.insert(action.to_owned(), subscribed);
            }
            Err(error) => log::warn!("action {action}: its status is not subscribed to: {error}"),
        }
    }
}

impl Subscribed {
    fn receive(&mut self, array: &GoalStatusArray, queue: &GoalQueue, clock: &dyn Clock) {
        self.is_current = true;
        let goals = array.status_list.iter().filter_map(goal_status).collect();
        let put = putting(&self.action, &self.type_name, queue, clock);
        self.tracker.receive(goals, put);
    }

    /// Gives what found no room, and ends what a server that is gone has left. What it left is not in the
    /// array of one that came since.
    fn check(&mut self, servers: BTreeSet<Gid>, queue: &GoalQueue, clock: &dyn Clock) {
        let has_lost_one = !self.servers.is_subset(&servers);
        self.is_current &= servers.is_subset(&self.servers);
        self.servers = servers;
        let put = putting(&self.action, &self.type_name, queue, clock);
        if has_lost_one && (self.servers.is_empty() || !self.is_current) {
            if self.tracker.has_open() {
                let action = &self.action;
                log::warn!("action {action}: its server is gone, its active goals are interrupted");
            }
            self.tracker.lose_server(put);
        } else {
            self.tracker.retry(put);
        }
    }

    fn tell(&self, statuses: &ActionStatuses) {
        let tracker = &self.tracker;
        statuses.change(&self.action, |status| {
            if *status.type_name != *self.type_name {
                status.type_name = self.type_name.to_string();
            }
            status.seen_count = tracker.seen_count;
            status.open_count = tracker.open_count() as u64;
            status.dropped_count = tracker.lost_count;
            status.odd_count = tracker.odd_count;
        });
    }
}

/// Puts steps into the queue.
fn putting(
    action: &Arc<str>,
    type_name: &Arc<str>,
    queue: &GoalQueue,
    clock: &dyn Clock,
) -> impl FnMut(tracker::GoalStep) -> bool {
    let (received_at, received) = (clock.now(), Instant::now());
    move |step| {
        let (action, type_name) = (Arc::clone(action), Arc::clone(type_name));
        queue.put(QueuedStep { action, type_name, step, received_at, received })
    }
}

/// Whether a node serves an action that is no memory. Right after it was found it may not be known whose it is.
fn has_other_server(node: &r2r::Node, action: &str) -> bool {
    let publishers = node.get_publishers_info_by_topic(&format!("{action}{STATUS}"), false);
    publishers.unwrap_or_default().iter().any(|publisher| {
        let (namespace, name) = (&publisher.node_namespace, &publisher.node_name);
        let full_name = format!("{}/{name}", namespace.trim_end_matches('/'));
        name != "_NODE_NAME_UNKNOWN_" && !is_of_memory(action, &full_name)
    })
}

/// Who publishes an action's status; `None` when ROS does not say.
fn publishers(node: &r2r::Node, action: &str) -> Option<BTreeSet<Gid>> {
    let publishers = node.get_publishers_info_by_topic(&format!("{action}{STATUS}"), false).ok()?;
    Some(publishers.iter().map(|publisher| publisher.endpoint_gid).collect())
}

fn goal_status(status: &r2r::action_msgs::msg::GoalStatus) -> Option<GoalStatus> {
    let stamp = &status.goal_info.stamp;
    Some(GoalStatus {
        id: status.goal_info.goal_id.uuid.as_slice().try_into().ok()?,
        accepted_at: Stamp::from_parts(stamp.sec, stamp.nanosec),
        status: status.status,
    })
}
