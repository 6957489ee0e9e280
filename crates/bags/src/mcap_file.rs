//! One MCAP file, read from its beginning: it needs no index, so of a torn file all up to the tear is
//! read.

use super::BagError;
use super::file::{
    BagMessage, Contents, MessageSource, Source, Topic, Wanted, has_room, ros_type_name,
};
use super::mcap_block::{self, MESSAGE_HEAD, Part, RECORD_HEAD};
use super::problems::Problems;
use mcap::records::{Record, op};
use mcap::{McapError, McapResult};
use robot_memory_core::limits::{BAG_CHUNK_BYTES_MAX, BAG_OPEN_BYTES_MAX};
use robot_memory_core::model::Stamp;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes of messages outside of chunks that are read together.
const LOOSE_BYTES: u64 = 4 << 20;

/// Bytes of a definition or a channel at most.
const DESCRIPTION_BYTES_MAX: u64 = 16 << 20;

/// Bytes of the footer's record and of the magic at the end.
const FOOTER_BYTES: u64 = RECORD_HEAD + 20 + 8;

#[derive(Debug)]
struct McapFile {
    /// Which topic a channel is of.
    channels: BTreeMap<u16, usize>,
    blocks: Vec<Block>,
}

/// Messages that are read together: a chunk, or some that stand outside of chunks.
#[derive(Debug, Clone)]
struct Block {
    part: Part,
    start: Stamp,
    end: Stamp,
    /// Whether the file ends within it.
    is_torn: bool,
    /// The channels it has, when that is known.
    channels: Option<Vec<u16>>,
}

/// Schemas, channels and counts, as the file's records say them.
#[derive(Default)]
struct Descriptions {
    schemas: BTreeMap<u16, Schema>,
    channels: BTreeMap<u16, mcap::records::Channel>,
    counts: Option<BTreeMap<u16, u64>>,
    chunks: Vec<mcap::records::ChunkIndex>,
}

struct Schema {
    name: String,
    definition: Arc<str>,
}

impl Descriptions {
    fn take(&mut self, opcode: u8, bytes: &[u8]) {
        match mcap_block::describing(opcode, bytes) {
            Some(Record::Schema { header, data }) => {
                let definition = match header.encoding.as_str() {
                    "ros2msg" => String::from_utf8_lossy(&data).into(),
                    _ => "".into(),
                };
                self.schemas
                    .entry(header.id)
                    .or_insert(Schema { name: ros_type_name(&header.name), definition });
            }
            Some(Record::Channel(channel)) => {
                self.channels.entry(channel.id).or_insert(channel);
            }
            Some(Record::Statistics(statistics)) => {
                self.counts = Some(statistics.channel_message_counts);
            }
            Some(Record::ChunkIndex(index)) => self.chunks.push(index),
            _ => {}
        }
    }

    /// The topic of each channel, in their order.
    fn topics(&self) -> Vec<Topic> {
        let topic = |(id, channel): (&u16, &mcap::records::Channel)| {
            let schema = self.schemas.get(&channel.schema_id);
            let count = self.counts.as_ref().and_then(|counts| counts.get(id));
            let qos = channel.metadata.get("offered_qos_profiles");
            Topic {
                name: channel.topic.clone(),
                type_name: schema.map(|schema| schema.name.clone()).unwrap_or_default(),
                definition: schema.map(|it| Arc::clone(&it.definition)).unwrap_or_default(),
                encoding: channel.message_encoding.clone(),
                message_count: count.copied().unwrap_or(0),
                offered_qos: qos.cloned().unwrap_or_default(),
            }
        };
        self.channels.iter().map(topic).collect()
    }

    /// Whether each channel has its schema, and all that is counted is there.
    fn are_whole(&self) -> bool {
        let has_schemas =
            self.channels.values().all(|channel| self.schemas.contains_key(&channel.schema_id));
        let has_channels = self
            .counts
            .as_ref()
            .is_some_and(|counts| counts.keys().all(|id| self.channels.contains_key(id)));
        has_schemas && has_channels
    }
}

/// Finds topics and blocks. Damage is noted.
pub fn scan(path: &Path, name: &str, problems: &mut Problems) -> Result<Contents, BagError> {
    let mut file = File::open(path).map_err(BagError::io(path))?;
    let bytes = file.metadata().map_err(BagError::io(path))?.len();
    let summary = summary(&mut file, bytes);
    let mut walk = Walk {
        file: BufReader::with_capacity(256, file),
        bytes,
        blocks: Vec::new(),
        descriptions: Descriptions::default(),
    };
    let (reached, is_whole) = walk.go(mcap::MAGIC.len() as u64, name, problems);
    if !is_whole {
        let rest = bytes.saturating_sub(reached);
        let chunks = summary.iter().flat_map(|summary| &summary.chunks);
        let mut found = 0;
        for chunk in chunks.filter(|chunk| chunk.chunk_start_offset >= reached) {
            // The index knows the length of one whose own is damaged.
            walk.blocks.pop_if(|block| block.part.offset == chunk.chunk_start_offset);
            if walk.chunk_at(chunk.chunk_start_offset, chunk.chunk_length) {
                found += 1;
            }
        }
        problems.note(
            name,
            &match (rest, found) {
                (0, 0) => "it was not finished".to_owned(),
                (_, 0) => format!("it breaks off at byte {reached} of {bytes}"),
                _ => format!(
                    "at byte {reached} of {bytes} something was lost; {found} chunks behind it \
                     were found by the index"
                ),
            },
        );
    }
    let Walk { file, mut blocks, mut descriptions, .. } = walk;
    let mut file = file.into_inner();
    if is_whole && !has_end(&mut file) {
        problems.note(name, "it breaks off behind its messages, which are all there");
    }
    match summary {
        Some(summary) if is_whole && summary.are_whole() => {
            descriptions = summary;
            note_channels(&mut blocks, &descriptions);
        }
        _ => count_all(&mut file, name, &mut blocks, &mut descriptions, problems),
    }
    blocks.sort_by_key(|block| (block.start, block.part.offset));
    let channels = descriptions.channels.keys().copied().zip(0..).collect();
    Ok(Contents {
        topics: descriptions.topics(),
        span: span(&blocks),
        source: Box::new(McapFile { channels, blocks }),
    })
}

fn span(blocks: &[Block]) -> Option<(Stamp, Stamp)> {
    let has_messages = |block: &&Block| block.start <= block.end && block.end > Stamp(0);
    let start = blocks.iter().filter(has_messages).map(|block| block.start).min();
    let end = blocks.iter().filter(has_messages).map(|block| block.end).max();
    // Where all messages are of time zero, as a simulation may begin.
    start.zip(end).or(blocks.first().map(|_| (Stamp(0), Stamp(0))))
}

impl Source for McapFile {
    fn messages(
        &self,
        path: &Path,
        name: &str,
        wanted: Wanted,
    ) -> Result<Box<dyn MessageSource>, BagError> {
        let has_wanted = |channels: &Vec<u16>| {
            channels.iter().any(|channel| {
                self.channels.get(channel).is_none_or(|topic| wanted.has_topic(*topic))
            })
        };
        let blocks = self
            .blocks
            .iter()
            .filter(|block| block.is_torn || block.start < wanted.until && block.end >= wanted.from)
            .filter(|block| block.channels.as_ref().is_none_or(has_wanted))
            .cloned()
            .collect();
        Ok(Box::new(McapMessages {
            file: File::open(path).map_err(BagError::io(path))?,
            name: name.to_owned(),
            channels: self.channels.clone(),
            blocks,
            open: Vec::new(),
            open_bytes: 0,
            wanted,
        }))
    }
}

/// Whether a file ends as a finished one does.
fn has_end(file: &mut File) -> bool {
    let mut end = [0; mcap::MAGIC.len()];
    let back = -(mcap::MAGIC.len() as i64);
    file.seek(SeekFrom::End(back)).is_ok()
        && file.read_exact(&mut end).is_ok()
        && end == mcap::MAGIC
}

/// What the records behind the data say; `None` when they are not there or damaged.
fn summary(file: &mut File, bytes: u64) -> Option<Descriptions> {
    // The record of the data's end, with which the summary's checksum begins.
    const DATA_END_BYTES: u64 = RECORD_HEAD + 4;
    let footer_at = bytes.checked_sub(FOOTER_BYTES)?;
    let mut footer = [0; FOOTER_BYTES as usize];
    file.seek(SeekFrom::Start(footer_at)).ok()?;
    file.read_exact(&mut footer).ok()?;
    if footer[0] != op::FOOTER || !footer.ends_with(mcap::MAGIC) {
        return None;
    }
    let start = u64::from_le_bytes(footer.get(9..17)?.try_into().ok()?);
    let offset = start.checked_sub(DATA_END_BYTES)?;
    let len = (bytes - mcap::MAGIC.len() as u64).checked_sub(offset)?;
    let mut descriptions = Descriptions::default();
    let record_bytes_max = usize::try_from(len.min(DESCRIPTION_BYTES_MAX)).ok()?;
    let part = Part { offset, len, record_bytes_max };
    mcap_block::for_each_record(file, part, &mut |opcode, bytes| descriptions.take(opcode, bytes))
        .ok()?;
    Some(descriptions)
}

/// Going from record to record without reading what is in chunks.
struct Walk {
    file: BufReader<File>,
    bytes: u64,
    blocks: Vec<Block>,
    descriptions: Descriptions,
}

impl Walk {
    /// Walks up to the end of the data; answers how far it came, and whether that was the end.
    fn go(&mut self, begin: u64, name: &str, problems: &mut Problems) -> (u64, bool) {
        let mut at = begin;
        let mut loose: Option<Block> = None;
        let is_whole = loop {
            let Some(head) = self.read::<{ RECORD_HEAD as usize }>(at) else { break false };
            let opcode = head[0];
            let len = u64::from_le_bytes(head[1..].try_into().unwrap_or_default());
            let Some(next) = (at + RECORD_HEAD).checked_add(len) else { break false };
            if opcode == op::DATA_END || opcode == op::FOOTER {
                break true;
            }
            if opcode == 0 {
                break false;
            }
            let is_torn = next > self.bytes;
            match opcode {
                op::CHUNK => match self.chunk(at, len) {
                    Ok(block) => self.blocks.push(block),
                    Err(reason) if !is_torn => problems
                        .note(name, &format!("the chunk at byte {at} was left out: {reason}")),
                    Err(_) => {}
                },
                op::MESSAGE if !is_torn && has_room(len) => {
                    let Some(head) = self.read::<MESSAGE_HEAD>(at + RECORD_HEAD) else {
                        break false;
                    };
                    let time = mcap_block::message(&head).map_or(0, |(_, time, _)| time);
                    let block = Block {
                        part: Part {
                            offset: at,
                            len: RECORD_HEAD + len,
                            record_bytes_max: len as usize,
                        },
                        start: stamp(time),
                        end: stamp(time),
                        is_torn: false,
                        channels: None,
                    };
                    loose = Some(match loose.take() {
                        Some(before) if before.joins(&block) => before.with(&block),
                        before => {
                            self.blocks.extend(before);
                            block
                        }
                    });
                }
                op::SCHEMA | op::CHANNEL if !is_torn && len <= DESCRIPTION_BYTES_MAX => {
                    let mut bytes = vec![0; len as usize];
                    let is_read = self.seek(at + RECORD_HEAD).is_some()
                        && self.file.read_exact(&mut bytes).is_ok();
                    if is_read {
                        self.descriptions.take(opcode, &bytes);
                    }
                }
                _ => {}
            }
            if is_torn {
                break false;
            }
            at = next;
        };
        self.blocks.extend(loose);
        (at, is_whole)
    }

    /// Takes the chunk that the index has at this place, if one is there.
    fn chunk_at(&mut self, at: u64, len: u64) -> bool {
        let head = self.read::<{ RECORD_HEAD as usize }>(at);
        let is_there = head.is_some_and(|head| head[0] == op::CHUNK);
        match (is_there, len.checked_sub(RECORD_HEAD)) {
            (true, Some(len)) => self.chunk(at, len).map(|block| self.blocks.push(block)).is_ok(),
            _ => false,
        }
    }

    /// The chunk whose record begins at this place; the error is a clause.
    fn chunk(&mut self, at: u64, len: u64) -> Result<Block, String> {
        // Times, size, checksum, length of the name of the compression.
        let short = || "it ends too early".to_owned();
        let head = self.read::<32>(at + RECORD_HEAD).ok_or_else(short)?;
        let number = |from: usize| {
            head.get(from..from + 8)
                .and_then(|bytes| bytes.try_into().ok())
                .map_or(0, u64::from_le_bytes)
        };
        let (start, end, unpacked_bytes) = (number(0), number(8), number(16));
        if unpacked_bytes > BAG_CHUNK_BYTES_MAX as u64 {
            return Err(format!(
                "it claims {unpacked_bytes} bytes; at most {BAG_CHUNK_BYTES_MAX} are read"
            ));
        }
        let available = self.bytes.saturating_sub(at);
        let is_torn = available < RECORD_HEAD + len;
        // What a record in it can have is bounded by what it claims, and that by the limit; the
        // header and what is not compressed are taken as they are.
        let record_bytes_max = (unpacked_bytes as usize).max(1 << 16);
        Ok(Block {
            part: Part { offset: at, len: available.min(RECORD_HEAD + len), record_bytes_max },
            start: stamp(start),
            end: stamp(end),
            is_torn,
            channels: None,
        })
    }

    fn read<const N: usize>(&mut self, at: u64) -> Option<[u8; N]> {
        if at.checked_add(N as u64)? > self.bytes {
            return None;
        }
        let mut bytes = [0; N];
        self.seek(at)?;
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn seek(&mut self, to: u64) -> Option<()> {
        let by = i64::try_from(to).ok()? - i64::try_from(self.file.stream_position().ok()?).ok()?;
        self.file.seek_relative(by).ok()
    }
}

impl Block {
    /// Why nothing of it counts; `None` when it was read, or up to where the file ends.
    fn damage(&self, outcome: &McapResult<()>) -> Option<String> {
        match outcome {
            Ok(()) => None,
            Err(McapError::UnexpectedEof) if self.is_torn => None,
            Err(error) => Some(mcap_block::reason(error)),
        }
    }

    fn joins(&self, next: &Self) -> bool {
        self.part.offset + self.part.len == next.part.offset
            && self.part.len + next.part.len <= LOOSE_BYTES
    }

    fn with(mut self, next: &Self) -> Self {
        self.part.len += next.part.len;
        self.part.record_bytes_max = self.part.record_bytes_max.max(next.part.record_bytes_max);
        self.start = self.start.min(next.start);
        self.end = self.end.max(next.end);
        self
    }
}

/// Which channels each chunk has, by the file's index.
fn note_channels(blocks: &mut [Block], descriptions: &Descriptions) {
    let by_offset: BTreeMap<u64, &mcap::records::ChunkIndex> =
        descriptions.chunks.iter().map(|chunk| (chunk.chunk_start_offset, chunk)).collect();
    for block in blocks {
        block.channels = by_offset
            .get(&block.part.offset)
            .map(|chunk| chunk.message_index_offsets.keys().copied().collect::<Vec<_>>())
            .filter(|channels| !channels.is_empty());
    }
}

/// Reads all blocks to know channels and counts, and leaves out those that are damaged.
fn count_all(
    file: &mut File,
    name: &str,
    blocks: &mut Vec<Block>,
    descriptions: &mut Descriptions,
    problems: &mut Problems,
) {
    let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
    blocks.retain_mut(|block| {
        let mut in_block: BTreeMap<u16, u64> = BTreeMap::new();
        let mut span: Option<(Stamp, Stamp)> = None;
        let outcome = mcap_block::for_each_record(file, block.part, &mut |opcode, bytes| {
            if opcode == op::MESSAGE {
                if let Some((channel, time, _)) = mcap_block::message(bytes) {
                    let time = stamp(time);
                    *in_block.entry(channel).or_default() += 1;
                    let (start, end) = span.unwrap_or((time, time));
                    span = Some((start.min(time), end.max(time)));
                }
            } else {
                descriptions.take(opcode, bytes);
            }
        });
        if let Some(reason) = block.damage(&outcome) {
            note_chunk(problems, name, block, &reason);
            return false;
        }
        // The header of a torn chunk may say more than is there.
        let Some((start, end)) = span else { return false };
        (block.start, block.end) = (start, end);
        for (channel, count) in in_block {
            *counts.entry(channel).or_default() += count;
        }
        true
    });
    descriptions.counts = Some(counts);
}

fn note_chunk(problems: &mut Problems, name: &str, block: &Block, reason: &str) {
    let secs = (block.end.0.saturating_sub(block.start.0)) as f64 / 1e9;
    let at = block.part.offset;
    problems.note(
        name,
        &format!("the chunk at byte {at}, {secs:.1} s of messages, was left out: {reason}"),
    );
}

fn stamp(nanos: u64) -> Stamp {
    Stamp(i64::try_from(nanos).unwrap_or(i64::MAX))
}

/// The messages of a file, in order of log time.
struct McapMessages {
    file: File,
    name: String,
    channels: BTreeMap<u16, usize>,
    /// Those not read yet, in order of their first message.
    blocks: VecDeque<Block>,
    open: Vec<OpenBlock>,
    open_bytes: usize,
    wanted: Wanted,
}

/// A block that was read: messages in order, the next one first.
struct OpenBlock {
    messages: VecDeque<BagMessage>,
    bytes: usize,
}

impl MessageSource for McapMessages {
    fn next(&mut self, problems: &mut Problems) -> Option<BagMessage> {
        loop {
            let earliest = self
                .open
                .iter()
                .enumerate()
                .filter_map(|(place, block)| Some((block.messages.front()?.log_time, place)))
                .min();
            let next_start = self.blocks.front().map(|block| block.start);
            match (earliest, next_start) {
                (None, None) => return None,
                (None, Some(_)) => self.load(problems),
                (Some((time, _)), Some(start)) if start <= time && self.has_room(problems) => {
                    self.load(problems);
                }
                (Some((_, place)), _) => return self.take(place),
            }
        }
    }
}

impl McapMessages {
    /// Chunks that overlap in time are held together; a file whose chunks all do is not.
    fn has_room(&self, problems: &mut Problems) -> bool {
        let has_room = self.open_bytes < BAG_OPEN_BYTES_MAX;
        if !has_room {
            let what = "so many chunks overlap in time that messages come out of order";
            problems.note(&self.name, what);
        }
        has_room
    }

    fn take(&mut self, place: usize) -> Option<BagMessage> {
        let block = self.open.get_mut(place)?;
        let message = block.messages.pop_front();
        if block.messages.is_empty() {
            self.open_bytes -= block.bytes;
            self.open.remove(place);
        }
        message
    }

    fn load(&mut self, problems: &mut Problems) {
        let Some(block) = self.blocks.pop_front() else { return };
        let mut messages = Vec::new();
        let mut bytes_held = 0;
        let mut unknown = 0_u64;
        let (channels, wanted) = (&self.channels, &self.wanted);
        let outcome =
            mcap_block::for_each_record(&mut self.file, block.part, &mut |opcode, record| {
                if opcode != op::MESSAGE {
                    return;
                }
                let Some((channel, time, bytes)) = mcap_block::message(record) else { return };
                let log_time = stamp(time);
                match channels.get(&channel) {
                    Some(&topic) if wanted.has_topic(topic) && wanted.has_time(log_time) => {
                        bytes_held += bytes.len();
                        messages.push(BagMessage { topic, log_time, bytes: bytes.into() });
                    }
                    Some(_) => {}
                    None => unknown += 1,
                }
            });
        if unknown > 0 {
            let at = block.part.offset;
            let what = format!("{unknown} messages at byte {at} are of no topic that is known");
            problems.note(&self.name, &what);
        }
        if let Some(reason) = block.damage(&outcome) {
            note_chunk(problems, &self.name, &block, &reason);
            return;
        }
        if messages.is_empty() {
            return;
        }
        messages.sort_by_key(|message| message.log_time);
        self.open_bytes += bytes_held;
        self.open.push(OpenBlock { messages: messages.into(), bytes: bytes_held });
    }
}
