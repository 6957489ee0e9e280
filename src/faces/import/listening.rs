//! Which topics of a bag go to which streams of the recorder.

use super::Parameters;
use crate::faces::installed::Installed;
use crate::faces::listening::{
    AUTO, TRANSFORMS, localization, memory_nodes, pose_beside, recorder_settings, static_topic,
};
use crate::faces::patterns::names_topic;
use robot_memory_bags::Topic;
use robot_memory_core::limits::STREAMS_MAX;
use robot_memory_messages::Interface;
use robot_memory_perception::settings::{of_topic, twin_of};
use robot_memory_perception::{Recorder, Source, StreamSettings, Streams, decode};

/// What a message of a topic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It goes to the recorder.
    Source(Source),
    /// It tells the time.
    Clock,
}

impl Origin {
    /// Whether its messages hold from then on, or tell the time.
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Clock | Self::Source(Source::PoseStatic))
    }
}

/// What is listened to in a bag.
#[derive(Debug, Default)]
pub struct Listening {
    /// For each topic of the bag.
    pub origins: Vec<Vec<Origin>>,
    /// Messages that are to be read, as far as the bag counts them.
    pub message_count: u64,
    /// Whether time comes from `/clock`.
    pub has_clock: bool,
    pub streams: Vec<StreamSettings>,
    /// What is not listened to, and why.
    pub notes: Vec<String>,
    /// The topics of the robot's pose; empty: there is none.
    pub poses: String,
}

impl Listening {
    /// Finds the topics of a bag that the parameters name, and makes a recorder of them.
    ///
    /// # Errors
    /// When nothing of the bag would be listened to: why, in words.
    pub fn to(topics: &[Topic], parameters: &Parameters) -> Result<(Self, Recorder), String> {
        let (mut streams, beyond) = match &parameters.streams {
            Streams::Auto => found(topics, parameters),
            Streams::List(streams) => (streams.clone(), Vec::new()),
        };
        for stream in &mut streams {
            stream.topic = parameters.full_name(&stream.topic);
        }
        let mut listening = Self {
            origins: vec![Vec::new(); topics.len()],
            streams: streams.clone(),
            ..Self::default()
        };
        let mut settings = recorder_settings(&parameters.settings);
        let is_auto = parameters.settings.pose_topic == AUTO;
        let has_messages = |topic: &Topic| topic.message_count > 0;
        let beside = pose_beside(topics.iter().map(|topic| match has_messages(topic) {
            true => (topic.name.as_str(), topic.type_name.as_str()),
            false => ("", ""),
        }));
        let transforms = topics.iter().find(|topic| {
            (topic.name.as_str(), topic.type_name.as_str()) == TRANSFORMS && has_messages(topic)
        });
        if is_auto && beside.is_none() && transforms.is_none() {
            settings.pose = None;
        }
        let named = [&parameters.settings.map_topic].into_iter().filter(|topic| !topic.is_empty());
        let map = named.map(|topic| parameters.full_name(topic)).next();
        let mut recorder = Recorder::new(settings, streams);
        if !beyond.is_empty() {
            listening.notes.push(format!(
                "{} topics are left out: at most {STREAMS_MAX} are read at a time; name those that \
                 matter, or leave some out (streams_exclude): {}",
                beyond.len(),
                beyond.join(", ")
            ));
        }
        listening.hear_clock(topics);
        listening.hear_streams(topics, &mut recorder);
        let heard = listening.origins.iter().flatten();
        let is_subscribed =
            heard.into_iter().any(|origin| matches!(origin, Origin::Source(Source::Stream(_))));
        if !is_subscribed {
            return Err(listening.nothing_heard(topics));
        }
        if is_auto {
            if let Some(topic) = transforms {
                listening.hear_pose(topics, &topic.name, &mut recorder);
            }
            if let Some(place) = beside {
                listening.hear_pose_beside(place, &topics[place], &mut recorder);
            }
            let heard = [transforms, beside.and_then(|place| topics.get(place))];
            let names: Vec<&str> =
                heard.into_iter().flatten().map(|topic| topic.name.as_str()).collect();
            if !names.is_empty() {
                log::info!("poses of events are looked for on {}", names.join(", then "));
                listening.poses = names.join(", ");
            }
        } else if !parameters.settings.pose_topic.is_empty() {
            let topic = parameters.full_name(&parameters.settings.pose_topic);
            listening.hear_pose(topics, &topic, &mut recorder);
            listening.poses = topic;
        }
        if let Some(name) = map {
            listening.hear_map(topics, &name, &mut recorder);
        }
        let localized = localization(
            topics.iter().map(|topic| (topic.name.as_str(), topic.type_name.as_str())),
        );
        let has_pose = !parameters.settings.pose_topic.is_empty();
        if let Some(place) = localized.filter(|_| has_pose) {
            let topic = &topics[place];
            let is_set =
                recorder.set_pose_type(Source::Covariance, &topic.type_name, interface(topic));
            if is_set.is_ok() {
                listening.origins[place].push(Origin::Source(Source::Covariance));
            }
        }
        let counted = topics.iter().zip(&listening.origins);
        listening.message_count = counted
            .filter(|(_, origins)| !origins.is_empty())
            .map(|(topic, _)| topic.message_count)
            .sum();
        Ok((listening, recorder))
    }

    /// Places of the topics with an origin of which this holds.
    pub fn places(&self, holds: impl Fn(&Origin) -> bool) -> Vec<usize> {
        let places = (0..).zip(&self.origins);
        places.filter(|(_, origins)| origins.iter().any(&holds)).map(|(place, _)| place).collect()
    }

    fn hear_clock(&mut self, topics: &[Topic]) {
        for (topic, origins) in topics.iter().zip(&mut self.origins) {
            let is_clock = topic.name == "/clock"
                && topic.type_name == "rosgraph_msgs/msg/Clock"
                && topic.message_count > 0;
            if is_clock {
                origins.push(Origin::Clock);
                self.has_clock = true;
            }
        }
    }

    fn hear_streams(&mut self, topics: &[Topic], recorder: &mut Recorder) {
        for (index, stream) in self.streams.iter().enumerate() {
            let named = topics.iter().enumerate().filter(|(_, topic)| topic.name == stream.topic);
            let mut reason = "it is not in the bag".to_owned();
            let mut is_subscribed = false;
            for (place, topic) in named {
                match set_stream_type(recorder, index, stream, topic) {
                    // One type a stream, as on a robot.
                    Ok(()) if !is_subscribed => {
                        self.origins[place].push(Origin::Source(Source::Stream(index)));
                        is_subscribed = true;
                    }
                    Ok(()) => {}
                    Err(why) => reason = why,
                }
            }
            if !is_subscribed {
                self.notes.push(format!("{} is left out: {reason}", stream.topic));
            }
        }
    }

    fn hear_pose(&mut self, topics: &[Topic], name: &str, recorder: &mut Recorder) {
        let static_name = static_topic(name);
        let mut is_subscribed = false;
        for (topic, origins) in topics.iter().zip(&mut self.origins) {
            if Some(&topic.name) == static_name.as_ref() {
                origins.push(Origin::Source(Source::PoseStatic));
            }
            if topic.name != name {
                continue;
            }
            match recorder.set_pose_type(Source::Pose, &topic.type_name, interface(topic)) {
                Ok(()) => {
                    origins.push(Origin::Source(Source::Pose));
                    is_subscribed = true;
                }
                Err(error) => self.notes.push(format!("{name} gives no pose: {error}")),
            }
        }
        if !is_subscribed {
            self.notes.push(format!("events have no pose: {name} gives none in the bag"));
        }
    }

    fn hear_map(&mut self, topics: &[Topic], name: &str, recorder: &mut Recorder) {
        let Some(place) = topics.iter().position(|topic| topic.name == name) else {
            return self.notes.push(format!("no map is named: {name} is not in the bag"));
        };
        match recorder.set_pose_type(Source::Map, &topics[place].type_name, None) {
            Ok(()) => self.origins[place].push(Origin::Source(Source::Map)),
            Err(error) => self.notes.push(format!("{name} names no map: {error}")),
        }
    }

    fn hear_pose_beside(&mut self, place: usize, topic: &Topic, recorder: &mut Recorder) {
        match recorder.set_pose_type(Source::PoseBeside, &topic.type_name, interface(topic)) {
            Ok(()) => self.origins[place].push(Origin::Source(Source::PoseBeside)),
            Err(error) => self.notes.push(format!("{} gives no pose: {error}", topic.name)),
        }
    }

    fn nothing_heard(&self, topics: &[Topic]) -> String {
        let names: Vec<&str> = topics.iter().map(|topic| topic.name.as_str()).collect();
        let has = if names.is_empty() { "no topic".to_owned() } else { names.join(", ") };
        match self.notes.as_slice() {
            [] => format!("no topic of the bag is of a type that is known by itself; it has {has}"),
            notes => format!("{}; the bag has {has}", notes.join("; ")),
        }
    }
}

/// Every topic of a known type, but for those of the node itself; and the names of those that are too many.
fn found(topics: &[Topic], parameters: &Parameters) -> (Vec<StreamSettings>, Vec<String>) {
    let own = parameters.full_name("~/");
    let typed = || topics.iter().map(|topic| (topic.name.as_str(), topic.type_name.as_str()));
    let memories = memory_nodes(typed());
    let is_excluded = |name: &str| {
        let mut exclude = parameters.settings.streams_exclude.iter();
        exclude.any(|pattern| names_topic(&parameters.full_name(pattern), name))
    };
    // One that is excluded says nothing in the place of its twin.
    let has = |name: String| {
        !is_excluded(&name)
            && topics.iter().any(|topic| topic.name == name && topic.message_count > 0)
    };
    let mut streams: Vec<StreamSettings> = Vec::new();
    let mut beyond: Vec<String> = Vec::new();
    for topic in topics {
        let space = topic.name.rsplit_once('/').map_or("", |(space, _)| space);
        let is_other = topic.name.starts_with(&own)
            || memories.contains(space)
            || twin_of(&topic.name, &topic.type_name).is_some_and(has)
            || is_excluded(&topic.name)
            || topic.encoding != "cdr"
            || streams.iter().any(|stream| stream.topic == topic.name);
        let wanted = of_topic(&topic.name, &topic.type_name).filter(|_| !is_other);
        match wanted {
            Some(_) if streams.len() >= STREAMS_MAX => {
                if !beyond.contains(&topic.name) {
                    beyond.push(topic.name.clone());
                }
            }
            wanted => streams.extend(wanted),
        }
    }
    (streams, beyond)
}

/// Gives a stream the type of a topic; the error is a clause.
fn set_stream_type(
    recorder: &mut Recorder,
    index: usize,
    stream: &StreamSettings,
    topic: &Topic,
) -> Result<(), String> {
    let Topic { type_name, encoding, .. } = topic;
    if encoding != "cdr" {
        return Err(format!("it is encoded as {encoding:?}; only cdr is read"));
    }
    if let Some(wanted) = stream.type_name.as_ref().filter(|wanted| *wanted != type_name) {
        return Err(format!("it is a {type_name} in the bag, not a {wanted}"));
    }
    recorder.set_type(index, type_name, interface(topic)).map_err(|error| {
        let is_needed = stream.field.is_some() || !decode::is_known(type_name);
        let hint = if is_needed && has_no_definition(topic) {
            "; the bag has no definition of its type, and no package that AMENT_PREFIX_PATH names has it"
        } else {
            ""
        };
        format!("{error}{hint}")
    })
}

/// Whether the bag does not say what its topic's messages are made of. Bags of rosbag2's sqlite3
/// storage have no definition, or an empty one, which would be that of a type without fields.
fn has_no_definition(topic: &Topic) -> bool {
    topic.definition.trim().is_empty()
}

/// The definition of a topic's type: that of the bag, else of an installed package.
fn interface(topic: &Topic) -> Option<Interface> {
    let own = if has_no_definition(topic) {
        None
    } else {
        Interface::parse(&topic.type_name, &topic.definition).ok()
    };
    own.or_else(|| {
        Interface::load(&topic.type_name, &Installed::from_environment().share_folders).ok()
    })
}
