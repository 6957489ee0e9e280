//! The thread `subscribe`: subscribes to what is wanted once it is published, and takes every
//! message as soon as it comes.

use super::inbox::{End, Inbox, StreamUpdate, place};
use super::matching::{Wanted, unserved};
use super::rcl::{Buffer, Endpoint, Node, RclError, Taken, WaitSet};
use super::sim_time::{SimTime, Timed};
use super::status::{StreamStatusRegistry, SubscriptionStatus};
use super::subscription::TopicSubscription;
use super::{Owner, hidden_node};
use crate::faces::installed::Installed;
use crate::faces::listening::{
    AUTO, TRANSFORMS, localization, memory_nodes, pose_beside, static_topic,
};
use crate::faces::patterns::names_topic;
use crate::faces::ros::parameters::SharedSettings;
use crate::faces::ros::stop::Stop;
use crate::faces::topics::TOPICS;
use crate::faces::wall_clock::WallClock;
use robot_memory_core::limits::STREAMS_MAX;
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_perception::decode::stamp_of_clock;
use robot_memory_perception::{
    Durability, QosOverrides, Received, Source, StreamSettings, settings,
};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one wait for messages may take, which is how late the stop is seen.
const WAIT_MAX: Duration = Duration::from_millis(100);
/// Between two rounds: so many messages come at a time that waking up for them costs little, and
/// the middleware's queues are far from full.
const POLL_PERIOD: Duration = Duration::from_millis(5);
/// Between two looks at who publishes, at least, when it changes all the time.
const DISCOVER_MIN: Duration = Duration::from_millis(200);
/// The same, at most, while something is waited for.
const DISCOVER_WAITING: Duration = Duration::from_secs(1);
/// The same, when all is heard.
const DISCOVER_RESTING: Duration = Duration::from_secs(5);
/// Under simulated time messages wait so long for what was published before them.
const SIM_TIME_DELAY: Duration = Duration::from_millis(20);
/// A simulated clock that stands still so long of wall time has ended.
const CLOCK_STALL_TIMEOUT: Duration = Duration::from_secs(2);
/// A topic of which another one may say the same is subscribed to when that one has not come for so long.
const TWIN_WAIT: Duration = Duration::from_secs(2);
/// Between two reports to diagnostics.
const REPORT: Duration = Duration::from_secs(1);

/// Which topics are to be subscribed to, and the inbox that gets their messages.
pub(super) struct TopicSubscriber {
    /// The node that it works for: private topics are in its name, and what it publishes is no stream.
    pub owner: Owner,
    pub wanted: super::Wanted,
    /// Empty: none.
    pub pose_topic: String,
    /// Empty: none.
    pub map_topic: String,
    pub settings: SharedSettings,
    /// Bytes that may wait to be stamped by simulated time.
    pub held_bytes_max: usize,
    pub inbox: Arc<Inbox>,
    pub registry: StreamStatusRegistry,
}

impl TopicSubscriber {
    /// Hears until it is time to stop. Then nothing more will come into the inbox, and the hidden
    /// node is gone.
    pub fn run(self, stop: &Stop) {
        let (inbox, registry) = (Arc::clone(&self.inbox), self.registry.clone());
        let fault = match catch_unwind(AssertUnwindSafe(|| self.receive(stop))) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_logged_by_the_panic_hook) => Some("a fault in this program".to_owned()),
        };
        if let Some(fault) = fault {
            log::error!("topics are no longer received: {fault}");
            registry.fail(&fault);
        }
        inbox.close();
    }

    fn receive(self, stop: &Stop) -> Result<(), RclError> {
        let node = hidden_node(&self.owner, "streams")?;
        let mut wait_set = WaitSet::create(&node)?;
        let mut subscriptions = SubscriptionSet::new(self, node)?;
        let mut discover_next = Instant::now();
        loop {
            let waited_for: Vec<_> =
                subscriptions.all().filter_map(TopicSubscription::subscription).collect();
            if wait_set.wait(&waited_for, WAIT_MAX)? {
                discover_next = discover_next.min(subscriptions.discovered_at + DISCOVER_MIN);
            }
            if Instant::now() >= discover_next {
                let is_complete = subscriptions.discover();
                discover_next = subscriptions.discovered_at
                    + if is_complete { DISCOVER_RESTING } else { DISCOVER_WAITING };
            }
            subscriptions.round(SIM_TIME_DELAY);
            if stop.wait(POLL_PERIOD) {
                subscriptions.round(Duration::ZERO);
                subscriptions.report();
                // Before the subscriptions go, which takes a while.
                subscriptions.subscriber.inbox.close();
                return Ok(());
            }
        }
    }
}

/// All topics that are listened to.
struct SubscriptionSet {
    subscriber: TopicSubscriber,
    node: Node,
    installed: Installed,
    of_sources: Vec<(Source, TopicSubscription)>,
    /// Of `/clock`, under simulated time.
    clock: Option<TopicSubscription>,
    /// Topics that were found when there were as many as can be.
    beyond: BTreeSet<String>,
    /// Topics of which another one may say the same, with when they were found.
    twins_since: BTreeMap<String, Instant>,
    sim_time: SimTime<(Source, Arc<[u8]>)>,
    /// What each source said last before simulated time was known: it may hold for long.
    early: BTreeMap<usize, (Source, Arc<[u8]>)>,
    /// Under simulated time, once it is known.
    progress: Option<Progress>,
    buffer: Buffer,
    /// When it was last looked who publishes.
    discovered_at: Instant,
    reported: Instant,
}

/// How simulated time goes on.
#[derive(Debug)]
struct Progress {
    clock: Stamp,
    /// By wall time.
    at: Instant,
    /// Whether it was taken for ended.
    is_over: bool,
}

impl SubscriptionSet {
    fn new(mut subscriber: TopicSubscriber, node: Node) -> Result<Self, RclError> {
        let streams = std::mem::take(&mut subscriber.wanted.streams);
        let pose_topic = subscriber.pose_topic.clone();
        let mut subscriptions = Self {
            subscriber,
            node,
            installed: Installed::from_environment(),
            of_sources: Vec::new(),
            clock: None,
            beyond: BTreeSet::new(),
            twins_since: BTreeMap::new(),
            sim_time: SimTime::default(),
            early: BTreeMap::new(),
            progress: None,
            buffer: Buffer::create()?,
            discovered_at: Instant::now(),
            reported: Instant::now(),
        };
        if !pose_topic.is_empty() && pose_topic != AUTO {
            subscriptions.add_pose(&pose_topic, false);
        }
        let map_topic = subscriptions.subscriber.map_topic.clone();
        if !map_topic.is_empty() {
            // It holds until another one comes.
            let durability = Some(Durability::TransientLocal);
            let qos = QosOverrides { durability, ..QosOverrides::default() };
            subscriptions.add(Source::Map, "map", &map_topic, Wanted { qos, ..Wanted::default() });
        }
        for (stream, settings) in streams.into_iter().enumerate() {
            subscriptions.add_stream(stream, settings, false);
        }
        Ok(subscriptions)
    }

    fn all(&self) -> impl Iterator<Item = &TopicSubscription> {
        self.of_sources.iter().map(|(_, subscription)| subscription).chain(&self.clock)
    }

    /// `is_found`: it is not named, and may go away.
    fn add_pose(&mut self, topic: &str, is_found: bool) {
        let type_name = is_found.then(|| TRANSFORMS.1.to_owned());
        let wanted = |durability| {
            let qos = QosOverrides { durability, ..QosOverrides::default() };
            Wanted { type_name: type_name.clone(), is_found, qos }
        };
        self.add(Source::Pose, "pose", topic, wanted(None));
        if let Some(topic) = static_topic(topic) {
            let wanted = wanted(Some(Durability::TransientLocal));
            self.add(Source::PoseStatic, "pose (static)", &topic, wanted);
        }
    }

    fn add_stream(&mut self, stream: usize, settings: StreamSettings, is_found: bool) {
        let full_name = self.full_name(&settings.topic).unwrap_or_default();
        let overrides = self.subscriber.wanted.qos.get(&full_name).copied().unwrap_or_default();
        let wanted = Wanted {
            type_name: settings.type_name.clone(),
            is_found,
            qos: QosOverrides {
                reliability: settings.qos.reliability.or(overrides.reliability),
                durability: settings.qos.durability.or(overrides.durability),
                depth: settings.qos.depth.or(overrides.depth),
            },
        };
        let topic = self.add(Source::Stream(stream), &settings.name, &settings.topic, wanted);
        let settings = StreamSettings { topic, ..settings };
        self.subscriber.inbox.update(StreamUpdate::Stream(Box::new(settings)));
    }

    /// Answers the topic's full name.
    fn add(&mut self, source: Source, name: &str, topic: &str, wanted: Wanted) -> String {
        let topic = self.full_name(topic).unwrap_or_else(|error| {
            log::error!("stream {name}: {error}");
            topic.to_owned()
        });
        let subscription = TopicSubscription::new(name.to_owned(), topic.clone(), wanted);
        self.subscriber.registry.change(source, |status| {
            name.clone_into(&mut status.name);
            status.subscription = subscription.status.clone();
        });
        self.of_sources.push((source, subscription));
        topic
    }

    /// The full name of a topic; a private one is in the name of the owner.
    fn full_name(&self, topic: &str) -> Result<String, RclError> {
        match topic.strip_prefix("~/") {
            Some(private) => {
                self.node.resolve(&format!("{}/{private}", self.subscriber.owner.full_name))
            }
            None => self.node.resolve(topic),
        }
    }

    /// Looks who publishes. Answers whether all that is wanted is heard.
    fn discover(&mut self) -> bool {
        self.discovered_at = Instant::now();
        self.look_at_clock();
        if self.subscriber.pose_topic == AUTO {
            self.find_pose();
        }
        if !self.subscriber.pose_topic.is_empty() {
            self.find_localization();
        }
        let mut is_complete = !self.subscriber.wanted.is_auto || self.find();
        self.find_unserved();
        for (source, subscription) in &mut self.of_sources {
            let subscribed = subscription.discover(&self.node, &self.installed);
            if let Some((type_name, interface)) = subscribed {
                self.subscriber.inbox.update(StreamUpdate::Type(*source, type_name, interface));
            }
            is_complete &= subscription.subscription().is_some();
            self.subscriber
                .registry
                .change(*source, |status| status.subscription.clone_from(&subscription.status));
        }
        is_complete && self.clock.as_ref().is_none_or(|clock| clock.subscription().is_some())
    }

    fn look_at_clock(&mut self) {
        let is_sim_time = self.subscriber.settings.lock().use_sim_time;
        if is_sim_time != self.clock.is_some() {
            // What was stamped by the one time does not go with what is stamped by the other.
            self.release(i64::MAX);
            self.subscriber.inbox.end_time(End::Reset);
            (self.sim_time, self.progress) = (SimTime::default(), None);
            self.early.clear();
            self.clock = is_sim_time.then(|| {
                let topic = self.node.resolve("/clock").unwrap_or_else(|_| "/clock".to_owned());
                let type_name = Some("rosgraph_msgs/msg/Clock".to_owned());
                let wanted = Wanted { type_name, ..Wanted::default() };
                TopicSubscription::new("clock".to_owned(), topic, wanted)
            });
        }
        if let Some(clock) = &mut self.clock {
            clock.discover(&self.node, &self.installed);
        }
    }

    /// Looks who subscribes to what the node publishes and does not receive it. The middleware tells the
    /// subscriber and the publisher; the publishers here do not hear it.
    fn find_unserved(&self) {
        let owner = &self.subscriber.owner.full_name;
        let mut all = Vec::new();
        for topic in TOPICS {
            let Ok(topic) = self.full_name(topic.name) else { continue };
            let publishers = self.node.publishers(&topic).unwrap_or_default();
            let own = publishers.iter().find(|one| one.node_name.as_ref() == Some(owner));
            let Some(own) = own else { continue };
            let subscribers = self.node.subscribers(&topic).unwrap_or_default();
            all.extend(unserved(&topic, own, &subscribers));
        }
        self.subscriber.registry.set_unserved(all);
    }

    /// Listens to the transforms and to a topic of poses, once they are there.
    fn find_pose(&mut self) {
        let has = |source: Source| self.of_sources.iter().any(|(of, _)| *of == source);
        let (has_transforms, has_beside) = (has(Source::Pose), has(Source::PoseBeside));
        if has_transforms && has_beside {
            return;
        }
        let topics = match self.node.topics() {
            Ok(topics) => topics,
            Err(error) => return log::debug!("pose: {error}"),
        };
        let (name, type_name) = TRANSFORMS;
        let resolved = self.full_name(name).unwrap_or_else(|_| name.to_owned());
        let is_there = |(topic, types): &(String, Vec<String>)| {
            *topic == resolved && types.iter().any(|one| one == type_name)
        };
        if !has_transforms && topics.iter().any(is_there) {
            log::info!("poses of events are looked for on {resolved} first");
            self.add_pose(name, true);
        }
        let typed: Vec<(&str, &str)> = topics
            .iter()
            .flat_map(|(topic, types)| types.iter().map(|one| (topic.as_str(), one.as_str())))
            .collect();
        if !has_beside && let Some(place) = pose_beside(typed.iter().copied()) {
            let (topic, type_name) = typed[place];
            log::info!("poses of events are taken from {topic} where transforms give no pose");
            let type_name = Some(type_name.to_owned());
            let wanted = Wanted { type_name, is_found: true, ..Wanted::default() };
            self.add(Source::PoseBeside, "pose (beside)", topic, wanted);
        }
    }

    /// Subscribes to a localization of which the covariance counts, once it is there.
    fn find_localization(&mut self) {
        if self.of_sources.iter().any(|(of, _)| *of == Source::Covariance) {
            return;
        }
        let topics = self.node.topics().unwrap_or_default();
        let typed: Vec<(&str, &str)> = topics
            .iter()
            .flat_map(|(topic, types)| types.iter().map(|one| (topic.as_str(), one.as_str())))
            .collect();
        let Some(place) = localization(typed.iter().copied()) else { return };
        let (topic, type_name) = typed[place];
        log::info!("poses are stored once the covariance on {topic} is small");
        let (type_name, qos) = (Some(type_name.to_owned()), QosOverrides::default());
        let wanted = Wanted { type_name, is_found: true, qos };
        self.add(Source::Covariance, "localization", topic, wanted);
    }

    /// Makes a stream of every topic of a known type that somebody else publishes. Answers whether none waits
    /// for its twin.
    fn find(&mut self) -> bool {
        let topics = match self.node.topics() {
            Ok(topics) => topics,
            Err(error) => {
                log::debug!("auto: {error}");
                return true;
            }
        };
        self.twins_since.retain(|topic, _| topics.iter().any(|(name, _)| name == topic));
        let typed = topics.iter().flat_map(|(topic, types)| {
            types.iter().map(move |name| (topic.as_str(), name.as_str()))
        });
        let memories = memory_nodes(typed);
        for (topic, types) in topics {
            let is_known = self.of_sources.iter().any(|(source, subscription)| {
                matches!(source, Source::Stream(_)) && subscription.status.topic == topic
            });
            if is_known || self.is_excluded(&topic) {
                continue;
            }
            let found = types.iter().find_map(|name| settings::of_topic(&topic, name));
            let Some(found) = found else { continue };
            let twins: Vec<String> =
                types.iter().filter_map(|name| settings::twin_of(&topic, name)).collect();
            // One that is excluded says nothing in its place.
            let is_published = |twin: String| {
                let publishers = self.node.publishers(&twin);
                !self.is_excluded(&twin) && publishers.is_ok_and(|found| !found.is_empty())
            };
            let may_have_twin = !twins.is_empty();
            if twins.into_iter().any(is_published) {
                continue;
            }
            let publishers = self.node.publishers(&topic).unwrap_or_default();
            // Right after it was found it may not be known whose a publisher is.
            let is_foreign = |one: &Endpoint| {
                one.node_name.as_ref().is_some_and(|name| {
                    *name != self.subscriber.owner.full_name && !memories.contains(name)
                })
            };
            if !publishers.iter().any(is_foreign) {
                continue;
            }
            // Both appear at about the same time, in any order.
            let now = Instant::now();
            if may_have_twin
                && *self.twins_since.entry(topic.clone()).or_insert(now) + TWIN_WAIT > now
            {
                continue;
            }
            let streams = self.of_sources.iter();
            let stream = streams.filter(|(source, _)| matches!(source, Source::Stream(_))).count();
            if stream >= STREAMS_MAX {
                if self.beyond.insert(topic.clone()) {
                    log::warn!(
                        "auto: {topic} is not subscribed to: at most {STREAMS_MAX} topics are at a time; \
                         name those that matter (streams), or leave some out (streams_exclude); so far {} \
                         are not",
                        self.beyond.len()
                    );
                }
                continue;
            }
            // Its type may change.
            self.add_stream(stream, StreamSettings { type_name: None, ..found }, true);
        }
        self.twins_since.values().all(|since| since.elapsed() >= TWIN_WAIT)
    }

    fn is_excluded(&self, topic: &str) -> bool {
        let Owner { full_name, namespace, .. } = &self.subscriber.owner;
        let namespace = namespace.trim_end_matches('/');
        self.subscriber.wanted.exclude.iter().any(|pattern| match pattern.strip_prefix("~/") {
            Some(private) => names_topic(&format!("{full_name}/{private}"), topic),
            None if pattern.starts_with('/') => names_topic(pattern, topic),
            None => names_topic(&format!("{namespace}/{pattern}"), topic),
        })
    }

    /// Takes every message that waits, and hands on those whose time is known.
    fn round(&mut self, hold: Duration) {
        // The middleware stamps with the time of the machine.
        let now_nanos = WallClock.now().unwrap_or_default().0;
        let is_sim_time = self.clock.is_some();
        let mut messages = Vec::new();
        for (source, subscription) in &mut self.of_sources {
            let source = *source;
            let sim_time = &mut self.sim_time;
            subscription.take(&mut self.buffer, |taken, bytes| {
                let message: Arc<[u8]> = bytes.into();
                let received_nanos = received_nanos(&taken, now_nanos);
                if is_sim_time {
                    let size = message.len();
                    let published = source_nanos(&taken, now_nanos);
                    sim_time.message(published, place(source), (source, message), size);
                } else {
                    messages.push(Received { source, received: Stamp(received_nanos), message });
                }
            });
        }
        if is_sim_time {
            self.take_clock(now_nanos);
            let is_full = self.sim_time.waiting_bytes() > self.subscriber.held_bytes_max;
            let hold_nanos = i64::try_from(hold.as_nanos()).unwrap_or(i64::MAX);
            self.release(if is_full { i64::MAX } else { now_nanos.saturating_sub(hold_nanos) });
        } else {
            self.deliver(messages, Some(Stamp(now_nanos)));
        }
        if self.reported.elapsed() >= REPORT {
            self.report();
        }
    }

    fn take_clock(&mut self, now_nanos: i64) {
        let Some(clock) = &mut self.clock else { return };
        let sim_time = &mut self.sim_time;
        clock.take(&mut self.buffer, |taken, bytes| match stamp_of_clock(bytes) {
            Ok(stamp) => sim_time.tick(source_nanos(&taken, now_nanos), stamp),
            Err(error) => log::debug!("/clock: {error}"),
        });
    }

    /// Hands on what was published until then by the system clock, stamped by simulated time.
    fn release(&mut self, until_nanos: i64) {
        let mut messages = Vec::new();
        for timed in self.sim_time.until(until_nanos) {
            match timed {
                Timed::Tick(clock) => {
                    for (_, (source, message)) in std::mem::take(&mut self.early) {
                        self.note(source, |status| status.untimed_count -= 1);
                        messages.push(Received { source, received: clock, message });
                    }
                    self.go_on(clock);
                }
                Timed::Reset(clock) => {
                    log::info!("simulated time went back: what was going on has ended");
                    self.deliver(std::mem::take(&mut messages), None);
                    self.subscriber.inbox.end_time(End::Reset);
                    self.progress = Some(Progress { clock, at: Instant::now(), is_over: false });
                }
                Timed::Message(received, (source, message)) => {
                    messages.push(Received { source, received, message });
                }
                Timed::Between(received, (source, message)) => {
                    self.note(source, |status| status.between_count += 1);
                    messages.push(Received { source, received, message });
                }
                Timed::Untimed((source, message)) => {
                    self.note(source, |status| status.untimed_count += 1);
                    self.early.insert(place(source), (source, message));
                }
            }
        }
        let now = self.progress.as_ref().map(|progress| progress.clock);
        self.deliver(messages, now);
        if let Some(progress) = &mut self.progress
            && !progress.is_over
            && progress.at.elapsed() >= CLOCK_STALL_TIMEOUT
        {
            progress.is_over = true;
            self.subscriber.inbox.end_time(End::Pause);
        }
    }

    fn go_on(&mut self, clock: Stamp) {
        if self.progress.as_ref().is_none_or(|progress| clock > progress.clock) {
            self.progress = Some(Progress { clock, at: Instant::now(), is_over: false });
        }
    }

    fn deliver(&mut self, messages: Vec<Received>, now: Option<Stamp>) {
        for (source, count) in self.subscriber.inbox.deliver(messages, now) {
            self.note(source, |status| status.dropped_count += count);
        }
    }

    fn note(&mut self, source: Source, change: impl FnOnce(&mut SubscriptionStatus)) {
        if let Some((_, subscription)) = self.of_sources.iter_mut().find(|(of, _)| *of == source) {
            change(&mut subscription.status);
        }
    }

    fn report(&mut self) {
        let now = Instant::now();
        self.reported = now;
        for (source, subscription) in &mut self.of_sources {
            let status = subscription.report(now);
            self.subscriber.registry.change(*source, |known| known.subscription.clone_from(status));
        }
    }
}

/// When a message came; now, where the middleware does not tell.
fn received_nanos(taken: &Taken, now_nanos: i64) -> i64 {
    if taken.received_nanos > 0 { taken.received_nanos } else { now_nanos }
}

/// When a message was published. Never later than it came, as the clock of another computer has it.
fn source_nanos(taken: &Taken, now_nanos: i64) -> i64 {
    let received_nanos = received_nanos(taken, now_nanos);
    if taken.source_nanos > 0 { taken.source_nanos.min(received_nanos) } else { received_nanos }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn publication_is_never_later_than_arrival() {
        let taken = |source_nanos, received_nanos| Taken {
            source_nanos,
            received_nanos,
            sequence: None,
            publisher: [0; 16],
        };
        let cases = [((5, 7), 5), ((9, 7), 7), ((0, 7), 7), ((0, 0), 100), ((5, 0), 5)];
        for ((source, received), expected) in cases {
            assert_eq!(source_nanos(&taken(source, received), 100), expected);
        }
    }
}
