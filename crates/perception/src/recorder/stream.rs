//! One topic: how its messages are read, what is kept of them, and who looks at them.

use super::Source;
use super::budget::{Budget, Rate};
use super::ring::{ImageRing, NumbersRing, RawRing, SeenImage, State, StateRing};
use crate::decode::{DecodeError, Decoder, Fault, MapMessage, is_stamped};
use crate::describe::{Sense, Subject};
use crate::picture::{Appearance, PictureError};
use crate::pose::PoseTrack;
use crate::settings::{SettingsError, full_type_name};
use crate::trigger::Trigger;
use crate::{LayoutKind, Report, Sample, StreamSettings, Value};
use robot_memory_core::model::Stamp;
use robot_memory_messages::{CdrReader, Interface};
use std::sync::Arc;

/// Layouts of one stream at a time: an arm and a gripper may speak on one topic.
const TRACKS_MAX: usize = 4;

/// Why a stream cannot be listened to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StreamError {
    /// There is no stream of that index.
    #[error("there is no stream {stream}: there are {count}")]
    NoStream {
        /// The index that was given.
        stream: usize,
        /// How many there are.
        count: usize,
    },
    /// Its messages cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A trigger cannot be made.
    #[error(transparent)]
    Trigger(#[from] SettingsError),
}

/// What is kept of readings of one kind.
#[derive(Debug)]
pub(super) enum SampleRing {
    Numbers(NumbersRing),
    States(StateRing),
    Images(ImageRing),
}

/// The readings of one kind and layout, and the triggers that look at them.
#[derive(Debug)]
pub(super) struct LayoutTrack {
    pub kept: SampleRing,
    pub triggers: Vec<Trigger>,
    /// In which frame a vector is measured: in another one it is another vector.
    frame_id: Option<Arc<str>>,
    pub last: Stamp,
}

/// A stream: settings, decoder, rings and triggers.
#[derive(Debug)]
pub(super) struct Stream {
    /// As configured, completed by its type when that is known.
    pub settings: StreamSettings,
    pub type_name: Arc<str>,
    pub definition: Arc<str>,
    pub subject: Subject,
    pub tracks: Vec<LayoutTrack>,
    pub raw: RawRing,
    pub rate: Rate,
    pub budget: Budget,
    pub frame_id: Arc<str>,
    given: StreamSettings,
    decoder: Option<Decoder>,
    pub has_header: bool,
}

impl Stream {
    pub fn new(settings: StreamSettings) -> Self {
        Self {
            subject: Subject::new(&settings.name, &settings.topic, Sense::Text),
            given: settings.clone(),
            settings,
            type_name: "".into(),
            definition: "".into(),
            tracks: Vec::new(),
            raw: RawRing::default(),
            rate: Rate::default(),
            budget: Budget::default(),
            frame_id: "".into(),
            decoder: None,
            has_header: false,
        }
    }

    pub fn set_type(
        &mut self,
        type_name: &str,
        interface: Option<Interface>,
    ) -> Result<(), StreamError> {
        let type_name = full_type_name(type_name).unwrap_or_else(|| type_name.to_owned());
        let decoder = Decoder::selecting(
            &type_name,
            interface.as_ref(),
            self.given.field.as_deref(),
            &self.given.selection,
        )?;
        let settings = self.given.completed(&type_name);
        for trigger in settings.triggers.iter().flatten() {
            Trigger::new(trigger)?;
        }
        self.has_header = has_header(&type_name, interface.as_ref());
        self.settings = settings;
        self.type_name = type_name.into();
        self.definition = interface.as_ref().map_or("", Interface::definition).into();
        self.decoder = Some(decoder);
        Ok(())
    }

    /// Reads a message; `None` when it has nothing of what is selected.
    pub fn decode(&mut self, message: &[u8]) -> Result<Option<Sample>, String> {
        let decoder = self.decoder.as_mut().ok_or(NO_TYPE)?;
        let sample = match decoder.decode(message) {
            Err(DecodeError::Message { fault: Fault::NotSelected, .. }) => return Ok(None),
            decoded => decoded.map_err(|error| error.to_string())?,
        };
        if self.frame_id != sample.frame_id {
            self.frame_id = Arc::clone(&sample.frame_id);
        }
        Ok(Some(sample))
    }

    /// Looks at the picture of a reading, if it is one.
    pub fn look(
        &self,
        sample: &Sample,
        message: &[u8],
    ) -> Result<Option<Appearance>, PictureError> {
        match &sample.value {
            Value::Image(image) => Appearance::of(image, message).map(Some),
            _ => Ok(None),
        }
    }

    /// The track of a reading, if there is one.
    pub fn track_of(&self, sample: &Sample) -> Result<Option<usize>, String> {
        let is_of = |track: &LayoutTrack| match (&track.kept, &sample.value) {
            (SampleRing::Numbers(ring), Value::Numbers(numbers)) => {
                *ring.layout() == numbers.layout && track.frame_id == frame_of(sample)
            }
            (SampleRing::States(_), Value::Bool(_) | Value::Text(_) | Value::Reports(_))
            | (SampleRing::Images(_), Value::Image(_)) => true,
            _ => false,
        };
        match &sample.value {
            Value::Pose(_) | Value::Transforms(_) => {
                Err("poses and transforms are no stream: they belong to pose_topic".to_owned())
            }
            _ => Ok(self.tracks.iter().position(is_of)),
        }
    }

    /// The track that must go before another can come.
    pub fn idle_lane(&self) -> Option<usize> {
        let idle = self.tracks.iter().enumerate().min_by_key(|(index, track)| (track.last, *index));
        idle.filter(|_| self.tracks.len() >= TRACKS_MAX).map(|(index, _)| index)
    }

    /// Adds a track for readings such as this, in the place of the idle one when there are enough.
    pub fn add_lane(&mut self, sample: &Sample) -> Result<usize, String> {
        let (kept, sense) = match &sample.value {
            Value::Numbers(numbers) => {
                let layout = Arc::clone(&numbers.layout);
                let sense = Sense::Numbers(layout.kind);
                (SampleRing::Numbers(NumbersRing::new(layout)), sense)
            }
            Value::Bool(_) => (SampleRing::States(StateRing::default()), Sense::Bool),
            Value::Text(_) | Value::Reports(_) => {
                (SampleRing::States(StateRing::default()), Sense::Text)
            }
            Value::Image(_) => (SampleRing::Images(ImageRing::default()), Sense::Image),
            Value::Pose(_) | Value::Transforms(_) | Value::Detections(_) => {
                return Err("no stream".to_owned());
            }
        };
        let mut triggers = Vec::new();
        for settings in self.settings.triggers.iter().flatten() {
            triggers.push(Trigger::new(settings).map_err(|error| error.to_string())?);
        }
        self.subject = Subject::new(&self.settings.name, &self.settings.topic, sense);
        let frame_id = frame_of(sample);
        let track = LayoutTrack { kept, triggers, frame_id, last: Stamp(i64::MIN) };
        match self.idle_lane() {
            Some(idle) => {
                self.tracks[idle] = track;
                Ok(idle)
            }
            None => {
                self.tracks.push(track);
                Ok(self.tracks.len() - 1)
            }
        }
    }

    /// Keeps a reading in its track's ring, and lets go of what is older than `oldest`.
    pub fn keep(
        &mut self,
        track: usize,
        stamp: Stamp,
        sample: &Sample,
        appearance: Option<&Appearance>,
        message: &Arc<[u8]>,
        oldest: Stamp,
    ) {
        let bytes_max = self.settings.ring_bytes_max / self.tracks.len();
        let track = &mut self.tracks[track];
        track.last = stamp;
        match (&mut track.kept, &sample.value) {
            (SampleRing::Numbers(ring), Value::Numbers(numbers)) => {
                ring.push(stamp, &numbers.values);
                ring.trim(oldest, bytes_max);
            }
            (SampleRing::States(ring), Value::Bool(value)) => {
                ring.push(stamp, State::Bool(*value));
                ring.trim(oldest, bytes_max);
            }
            (SampleRing::States(ring), Value::Text(text)) => {
                ring.push(stamp, State::text(text));
                ring.trim(oldest, bytes_max);
            }
            (SampleRing::States(ring), Value::Reports(reports)) => {
                ring.push(stamp, State::text(&trouble_of(reports)));
                ring.trim(oldest, bytes_max);
            }
            (SampleRing::Images(ring), Value::Image(image)) => {
                let seen = SeenImage {
                    stamp,
                    image: image.clone(),
                    message: Arc::clone(message),
                    hash: appearance.map(|appearance| appearance.hash),
                    size: appearance.map(|appearance| (appearance.width, appearance.height)),
                };
                ring.push(seen, bytes_max);
            }
            _ => {}
        }
    }

    /// Time begins anew: nothing was heard. What was kept in a day's budget stays counted.
    pub fn restart(&mut self) {
        self.tracks.clear();
        self.raw = RawRing::default();
        self.rate = Rate::default();
    }
}

/// What is reported of the levels that are asked for, in one text.
fn trouble_of(reports: &[Report]) -> String {
    let active = reports.iter().filter(|report| report.is_active);
    let texts = active.map(|report| format!("{}: {} {}", report.name, report.level, report.text));
    texts.collect::<Vec<_>>().join("; ")
}

/// The frame of a vector.
fn frame_of(sample: &Sample) -> Option<Arc<str>> {
    match &sample.value {
        Value::Numbers(numbers)
            if matches!(numbers.layout.kind, LayoutKind::Wrench | LayoutKind::Imu) =>
        {
            Some(Arc::clone(&sample.frame_id))
        }
        _ => None,
    }
}

const NO_TYPE: &str = "the stream's type is not known yet";

/// Where the robot is.
#[derive(Debug)]
pub(super) struct PoseStream {
    pub track: PoseTrack,
    messages: Vec<PoseMessages>,
    map: Option<MapMessage>,
}

/// How the messages of a source of poses are read.
#[derive(Debug)]
struct PoseMessages {
    source: Source,
    decoder: Decoder,
    has_header: bool,
}

impl PoseStream {
    pub fn new(track: PoseTrack) -> Self {
        let decoder = Decoder::of_poses("tf2_msgs/msg/TFMessage", None).ok();
        let messages =
            |decoder| PoseMessages { source: Source::PoseStatic, decoder, has_header: false };
        Self { track, messages: decoder.into_iter().map(messages).collect(), map: None }
    }

    /// Those of [`Source::PoseStatic`] are always transforms.
    pub fn set_type(
        &mut self,
        source: Source,
        type_name: &str,
        interface: Option<&Interface>,
    ) -> Result<(), StreamError> {
        if source == Source::Map {
            self.map = Some(MapMessage::of_type(type_name)?);
            return Ok(());
        }
        if !matches!(source, Source::Pose | Source::PoseBeside | Source::Covariance) {
            return Ok(());
        }
        if source == Source::Covariance {
            self.track.expect_localization();
        }
        let type_name = full_type_name(type_name).unwrap_or_else(|| type_name.to_owned());
        let decoder = Decoder::of_poses(&type_name, interface)?;
        let has_header = has_header(&type_name, interface);
        self.messages.retain(|messages| messages.source != source);
        self.messages.push(PoseMessages { source, decoder, has_header });
        Ok(())
    }

    pub fn has_header(&self, source: Source) -> bool {
        self.messages.iter().any(|messages| messages.source == source && messages.has_header)
    }

    pub fn take(&mut self, source: Source, stamp: Stamp, message: &[u8]) -> Result<(), String> {
        if source == Source::Map {
            let map_id = self.map.ok_or(NO_TYPE)?.map_id(message);
            self.track.set_map_id(&map_id.map_err(|fault| fault.to_string())?, stamp);
            return Ok(());
        }
        let messages = self.messages.iter_mut().find(|messages| messages.source == source);
        let decoder = &mut messages.ok_or(NO_TYPE)?.decoder;
        let sample = decoder.decode(message).map_err(|error| error.to_string())?;
        match (source, &sample.value) {
            (Source::PoseStatic, value) => self.track.take_static(value),
            (Source::Covariance, Value::Pose(pose)) => {
                self.track.take_covariance(stamp, &sample.frame_id, pose);
            }
            (Source::Covariance, _) => {}
            (_, value) => self.track.take(stamp, &sample.frame_id, value),
        }
        Ok(())
    }
}

/// Whether messages of a type begin with a stamp that says when they hold, as a `std_msgs/Header` does.
pub fn has_header(type_name: &str, interface: Option<&Interface>) -> bool {
    is_stamped(type_name) || interface.is_some_and(Interface::begins_with_header)
}

/// The stamp in the header with which a message begins, without reading the rest; `None` for zero,
/// for what is no time, and for fewer bytes.
pub fn header_stamp(message: &[u8]) -> Option<Stamp> {
    let mut reader = CdrReader::new(message).ok()?;
    let (sec, nanosec) = (reader.i32().ok()?, reader.u32().ok()?);
    let is_time = nanosec < 1_000_000_000 && (sec, nanosec) != (0, 0);
    is_time.then(|| Stamp::from_parts(sec, nanosec))
}
