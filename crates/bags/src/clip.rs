//! Clips: the raw messages of an event as a small bag of its own.

use super::BagError;
use mcap::records::MessageHeader;
use mcap::{Compression, McapResult, WriteOptions, Writer};
use robot_memory_core::model::Stamp;
use robot_memory_perception::{ClipMessage, Event};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Bytes of messages in a chunk, before they are compressed.
const CHUNK_BYTES: u64 = 1 << 20;

/// Characters of the event's id and of the stream's name in a file's name.
const NAME_CHARS_MAX: usize = 64;

/// Characters of the event's key in a file's name: of 32 hexadecimal digits enough to tell those of one
/// reading apart.
const KEY_CHARS_MAX: usize = 12;

/// Writes the messages of an event's clip as one MCAP file (`ros2 bag play`, Foxglove), and answers
/// the file's name in the folder and its bytes. The name is made of the event's id, when it began, its
/// stream and its key, so that the same event has the same file, and no other event has it. The folder
/// is made when it is not there.
///
/// What it answers is on disk; a file that was begun and not finished has another name
/// (`.NAME.part`) and is written over by the next attempt.
///
/// # Errors
/// When the event has no messages for a clip, or the file cannot be written.
pub fn write_clip(folder: &Path, event: &Event) -> Result<(String, u64), BagError> {
    let name = file_name(event);
    let path = folder.join(&name);
    let failed = |reason: String| BagError::Clip { path: path.clone(), reason };
    if event.clip.is_empty() {
        return Err(failed("the event has no messages".to_owned()));
    }
    // As private to this user as the store is.
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(BagError::io(folder))?;
    let part = folder.join(format!(".{name}.part"));
    let written = write(&part, &event.clip);
    if written.is_err() {
        // What was begun is of no use; when it cannot be removed the next attempt writes over it.
        let _ = std::fs::remove_file(&part);
    }
    let bytes = written.map_err(|error| failed(error.to_string()))?;
    std::fs::rename(&part, &path).map_err(BagError::io(&path))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(BagError::io(folder))?;
    Ok((name, bytes))
}

/// Bytes of the finished file.
fn write(path: &Path, messages: &[ClipMessage]) -> McapResult<u64> {
    let file = WriteOptions::new()
        .profile("ros2")
        .library(concat!("robot_memory ", env!("CARGO_PKG_VERSION")))
        .compression(Some(Compression::Zstd))
        .chunk_size(Some(CHUNK_BYTES));
    let mut writer = file.create(BufWriter::new(
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?,
    ))?;
    let mut channels: BTreeMap<(&str, &str), (u16, u32)> = BTreeMap::new();
    let mut ordered: Vec<&ClipMessage> = messages.iter().collect();
    ordered.sort_by_key(|message| message.received);
    for message in ordered {
        let key = (message.topic.as_str(), &*message.type_name);
        let (channel_id, sequence) = match channels.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert((add_channel(&mut writer, message)?, 0)),
        };
        let header = MessageHeader {
            channel_id: *channel_id,
            sequence: *sequence,
            log_time: nanos(message.received),
            publish_time: nanos(message.stamp),
        };
        *sequence = sequence.wrapping_add(1);
        writer.write_to_known_channel(&header, &message.bytes)?;
    }
    writer.finish()?;
    let mut file = writer.into_inner();
    file.flush()?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

fn add_channel(writer: &mut Writer<impl Write + Seek>, message: &ClipMessage) -> McapResult<u16> {
    // As rosbag2 says that it has no definition.
    let encoding = if message.definition.is_empty() { "" } else { "ros2msg" };
    let schema = writer.add_schema(&message.type_name, encoding, message.definition.as_bytes())?;
    // No profile: whoever plays it offers what it offers by default.
    let metadata = BTreeMap::from([("offered_qos_profiles".to_owned(), "[]".to_owned())]);
    writer.add_channel(schema, &message.topic, "cdr", &metadata)
}

/// Times before 1970 are not in a bag.
fn nanos(stamp: Stamp) -> u64 {
    u64::try_from(stamp.0).unwrap_or(0)
}

/// `EVENT_20221026T081721.846999808Z_STREAM_KEY.mcap`: a touch and a blow of one event may begin with
/// the same reading of the same stream.
fn file_name(event: &Event) -> String {
    let id = plain(&event.event_id);
    let stream = plain(&event.stream);
    let key: String = plain(&event.key).chars().take(KEY_CHARS_MAX).collect();
    format!("{id}_{}_{stream}_{key}.mcap", event.stamp.compact())
}

/// Characters that every file system and shell takes as they are.
fn plain(text: &str) -> String {
    text.chars()
        .take(NAME_CHARS_MAX)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_perception::TriggerKind;

    fn event(trigger: TriggerKind, key: &str) -> Event {
        let message = ClipMessage {
            topic: "/wrist/wrench".into(),
            type_name: "std_msgs/msg/Bool".into(),
            definition: "bool data".into(),
            received: Stamp(2),
            stamp: Stamp(1),
            bytes: [0, 1, 0, 0, 1].into(),
        };
        Event {
            key: key.into(),
            event_id: "aa".into(),
            stamp: Stamp(1),
            end: Stamp(3),
            stream: "wrist/wrench".into(),
            topic: "/wrist/wrench".into(),
            trigger,
            perception_type: robot_memory_core::model::PerceptionType::Tactile,
            description: String::new(),
            data: String::new(),
            metadata: String::new(),
            context: String::new(),
            importance: 0.5,
            collection: String::new(),
            signature: None,
            clip: vec![message],
        }
    }

    #[test]
    fn no_two_events_share_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let touch = event(TriggerKind::Contact, "00112233445566778899aabbccddeeff");
        let blow = event(TriggerKind::Impact, "ff112233445566778899aabbccddeeff");
        let (first, _) = write_clip(folder.path(), &touch).expect("it is written");
        let (second, _) = write_clip(folder.path(), &blow).expect("it is written");
        assert_ne!(first, second);
        assert_eq!(write_clip(folder.path(), &touch).expect("it is written").0, first);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}
