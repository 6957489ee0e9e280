//! Records of a part of an MCAP file (<https://mcap.dev/spec>).

use mcap::records::{Record, op};
use mcap::sans_io::linear_reader::LinearReadEvent;
use mcap::sans_io::{LinearReader, LinearReaderOptions};
use mcap::{McapError, McapResult};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};

/// Bytes of a record's opcode and length.
pub const RECORD_HEAD: u64 = 9;

/// Bytes of a message's record before the message: channel, sequence, log time, publish time.
pub const MESSAGE_HEAD: usize = 22;

/// Bytes asked of the file at a time.
const READ_BYTES: usize = 1 << 16;

/// A part of a file: a chunk, records that stand outside of chunks, or the summary.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub offset: u64,
    pub len: u64,
    /// What a record in it can have at most.
    pub record_bytes_max: usize,
}

/// Gives each record of a part: its opcode and its bytes. Chunks are opened, and their checksums
/// compared when they are read to the end, as is that of the summary behind the end of the data.
pub fn for_each_record(
    file: &mut File,
    part: Part,
    visit: &mut dyn FnMut(u8, &[u8]),
) -> McapResult<()> {
    let options = LinearReaderOptions::default()
        .with_skip_start_magic(true)
        .with_skip_end_magic(true)
        .with_validate_chunk_crcs(true)
        .with_validate_summary_section_crc(true)
        .with_record_length_limit(part.record_bytes_max);
    let mut reader = LinearReader::new_with_options(options);
    file.seek(SeekFrom::Start(part.offset))?;
    let mut left = part.len;
    while let Some(event) = reader.next_event() {
        match event? {
            LinearReadEvent::ReadRequest(least) => {
                let asked = (least.max(READ_BYTES) as u64).min(left) as usize;
                let mut filled = 0;
                let space = reader.insert(asked);
                while filled < asked {
                    match file.read(&mut space[filled..]) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                left -= filled as u64;
                reader.notify_read(filled);
            }
            LinearReadEvent::Record { opcode, data } => visit(opcode, data),
        }
    }
    Ok(())
}

/// The channel, the log time and the bytes of a message's record.
pub fn message(record: &[u8]) -> Option<(u16, u64, &[u8])> {
    let (head, bytes) = record.split_at_checked(MESSAGE_HEAD)?;
    let channel = u16::from_le_bytes(head.get(..2)?.try_into().ok()?);
    let log_time = u64::from_le_bytes(head.get(6..14)?.try_into().ok()?);
    Some((channel, log_time, bytes))
}

/// A record that describes others; `None` for one of another kind, or one that is damaged.
pub fn describing(opcode: u8, bytes: &[u8]) -> Option<Record<'_>> {
    match opcode {
        op::SCHEMA | op::CHANNEL | op::STATISTICS | op::CHUNK_INDEX => {
            mcap::parse_record(opcode, bytes).ok()
        }
        _ => None,
    }
}

/// What is wrong, in a clause.
pub fn reason(error: &McapError) -> String {
    match error {
        McapError::BadChunkCrc { .. } => "its checksum is wrong".to_owned(),
        McapError::UnexpectedEof | McapError::UnexpectedEoc => "it ends too early".to_owned(),
        McapError::UnsupportedCompression(name) => format!("its compression {name:?} is not known"),
        McapError::Io(error) => error.to_string(),
        other => other.to_string().lines().next().unwrap_or_default().to_owned(),
    }
}
