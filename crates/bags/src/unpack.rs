//! What rosbag2 compressed by zstd: whole files, or messages one by one.

use super::BagError;
use super::problems::Problems;
use robot_memory_core::limits::BAG_MESSAGE_BYTES_MAX;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The first bytes of what zstd compressed.
pub const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes that a file may become in any case.
const FILE_BYTES_MIN: u64 = 1 << 30;

/// How many times its size a greater file may become: recordings are far from it, and a file that
/// was made to fill the disk is not.
const FILE_RATIO_MAX: u64 = 100;

/// A file that can be read, removed at the end when it was unpacked for that.
#[derive(Debug)]
pub struct Unpacked {
    path: PathBuf,
    is_temporary: bool,
}

impl Unpacked {
    pub fn as_is(path: &Path) -> Self {
        Self { path: path.to_owned(), is_temporary: false }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        if self.is_temporary {
            // A file that is left in the folder for temporary files does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Unpacks a file into the folder for temporary files. Of a torn one it is what comes before the
/// tear, which is noted.
#[expect(clippy::disallowed_methods, reason = "where the system keeps what is temporary")]
pub fn file(path: &Path, name: &str, problems: &mut Problems) -> Result<Unpacked, BagError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let file_name = format!("robot_memory-bag-{}-{count}", std::process::id());
    let unpacked = Unpacked { path: std::env::temp_dir().join(file_name), is_temporary: true };
    let failed =
        |source| BagError::Unpack { path: path.to_owned(), to: unpacked.path.clone(), source };
    let packed = File::open(path).map_err(BagError::io(path))?;
    let packed_bytes = packed.metadata().map_err(BagError::io(path))?.len();
    let bytes_max = FILE_BYTES_MIN.max(packed_bytes.saturating_mul(FILE_RATIO_MAX));
    let mut decoder = zstd::stream::Decoder::new(BufReader::new(packed)).map_err(failed)?;
    let mut to = File::create_new(&unpacked.path).map_err(failed)?;
    let mut buffer = vec![0; 1 << 17];
    let mut written = 0;
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                written += count as u64;
                if written > bytes_max {
                    problems.note(name, &format!("only {bytes_max} bytes were unpacked of it"));
                    break;
                }
                to.write_all(&buffer[..count]).map_err(failed)?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                problems.note(
                    name,
                    &format!("its compression is damaged after {written} unpacked bytes: {error}"),
                );
                break;
            }
        }
    }
    drop(to);
    Ok(unpacked)
}

/// Unpacks one message.
pub fn message(packed: &[u8]) -> io::Result<Vec<u8>> {
    let bytes_max = BAG_MESSAGE_BYTES_MAX as u64;
    let mut bytes = Vec::new();
    zstd::stream::Decoder::new(packed)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() > BAG_MESSAGE_BYTES_MAX {
        return Err(io::Error::other(format!("it has more than {bytes_max} bytes")));
    }
    Ok(bytes)
}
