//! Memory that is full of data, in huge pages: docs/decisions/0036-full-memory-in-huge-pages.md says why.
//!
//! Linux makes huge pages by itself only where the computer's owner says `always`, and then also of memory that is
//! mostly empty. Here only what is nearly full is collapsed, so that the memory in use hardly grows.

use std::io;
use std::ops::Range;

/// Share of a huge page that must be in use already.
const FULL_SHARE: f64 = 0.9;
/// What the owner of the computer allows.
const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
/// Bytes of a huge page.
const BYTES: &str = "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size";

/// Collapses the full memory of this process into huge pages; returns how many bytes are in huge pages then.
///
/// A thread that uses memory which is collapsed waits until it is copied, about a millisecond. Where huge pages are
/// turned off, or Linux is older than 6.1, nothing is done.
///
/// # Errors
/// When the system does not tell how its memory is laid out.
pub fn collapse_full_memory() -> io::Result<u64> {
    if !std::fs::read_to_string(ENABLED)?.contains("[never]") {
        let bytes = std::fs::read_to_string(BYTES)?.trim().parse::<usize>();
        let bytes = bytes.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let maps = std::fs::read_to_string("/proc/self/maps")?;
        for memory in maps.lines().filter_map(own_memory) {
            collapse_full_parts(memory, bytes.max(1));
        }
    }
    bytes_in_huge_pages()
}

/// What a line of the memory map says to be read and written by this process alone, and to be of no file.
fn own_memory(line: &str) -> Option<Range<usize>> {
    let mut fields = line.split_ascii_whitespace();
    let (begin, end) = fields.next()?.split_once('-')?;
    let is_own = fields.next()? == "rw-p" && matches!(fields.nth(3), None | Some("[heap]"));
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    is_own.then_some(address(begin)?..address(end)?)
}

fn collapse_full_parts(memory: Range<usize>, huge_bytes: usize) {
    let first = memory.start.next_multiple_of(huge_bytes);
    let mut full = first..first;
    // One after the other, in as few calls as there are gaps: each waits once for all processors.
    for part in (first..memory.end).step_by(huge_bytes) {
        let end = part.saturating_add(huge_bytes);
        if end <= memory.end && is_full(part, huge_bytes) {
            full.end = end;
        } else {
            collapse(&full);
            full = end..end;
        }
    }
    collapse(&full);
}

/// Whether nearly all pages from an address on are in memory.
fn is_full(address: usize, bytes: usize) -> bool {
    // SAFETY: sysconf has no precondition.
    let page_bytes = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let mut pages = vec![0_u8; bytes.div_ceil(page_bytes)];
    // SAFETY: there is room for a byte a page; an address that is no memory any more is an error.
    let answer =
        unsafe { libc::mincore(address as *mut libc::c_void, bytes, pages.as_mut_ptr().cast()) };
    answer == 0 && are_full(&pages)
}

/// Whether nearly all pages are in memory, by the lowest bit of each.
fn are_full(pages: &[u8]) -> bool {
    let resident = pages.iter().filter(|page| **page & 1 == 1).count();
    resident as f64 >= FULL_SHARE * pages.len() as f64
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn collapse(memory: &Range<usize>) {
    if !memory.is_empty() {
        // What cannot be collapsed stays as it is, which is no error here.
        // SAFETY: it changes how memory is mapped and not what is in it; what is no memory any more is an error.
        unsafe {
            let _ =
                libc::madvise(memory.start as *mut libc::c_void, memory.len(), libc::MADV_COLLAPSE);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn collapse(_memory: &Range<usize>) {}

fn bytes_in_huge_pages() -> io::Result<u64> {
    let sums = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let kib = sums.lines().find_map(|line| {
        line.strip_prefix("AnonHugePages:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.map(|kib| kib * 1024).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Whether the system of this test makes huge pages when it is asked to.
    fn are_there() -> bool {
        let enabled = std::fs::read_to_string(ENABLED).unwrap_or_default();
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        enabled.contains("madvise") && !enabled.contains("[never]") && version >= (6, 1)
    }

    #[test]
    fn full_memory_comes_into_huge_pages_and_keeps_what_is_in_it() {
        const BYTES: usize = 16 << 20;
        let content = |at: usize| (at % 251) as u8;
        let memory: Vec<u8> = (0..BYTES).map(content).collect();
        // Another process that is started meanwhile, or a system that has no huge page free, may need another attempt.
        let attempts = std::iter::repeat_with(|| {
            std::thread::sleep(Duration::from_millis(20));
            collapse_full_memory().unwrap()
        });
        let are_made = attempts.take(100).any(|bytes| bytes > 0);
        assert!(are_made || !are_there());
        assert!(memory.iter().enumerate().all(|(at, byte)| *byte == content(at)));
    }

    #[test]
    fn memory_is_full_when_nearly_all_of_it_is_in_use() {
        const BYTES: usize = 2 << 20;
        // So much is always new from the system.
        let mut memory: Vec<u8> = Vec::with_capacity(64 << 20);
        let skipped = memory.as_ptr().addr().next_multiple_of(BYTES) - memory.as_ptr().addr();
        let address = memory.as_ptr().addr() + skipped;
        assert!(!is_full(address, BYTES), "none of it was used yet");
        memory.resize(skipped + BYTES, 1);
        assert!(is_full(address, BYTES));
        let pages =
            |resident| -> Vec<u8> { (0..512).map(|page| u8::from(page < resident)).collect() };
        assert!(are_full(&pages(461)));
        assert!(!are_full(&pages(460)));
    }

    #[test]
    fn memory_of_a_file_or_shared_or_read_only_is_left_alone() {
        for (line, expected) in [
            ("7f10-7f30 rw-p 00000000 00:00 0 ", Some(0x7f10..0x7f30)),
            (
                "5610-5620 rw-p 00000000 00:00 0                          [heap]",
                Some(0x5610..0x5620),
            ),
            ("7f10-7f30 rw-p 00001000 fe:00 1234                       /usr/lib/libc.so.6", None),
            ("7f10-7f30 rw-s 00000000 00:01 77                         /dev/shm/fastrtps", None),
            ("7f10-7f30 r--p 00000000 00:00 0 ", None),
            ("7f10-7f30 ---p 00000000 00:00 0 ", None),
            ("7ffc-7ffe rw-p 00000000 00:00 0                          [stack]", None),
            ("", None),
        ] {
            assert_eq!(own_memory(line), expected, "{line}");
        }
    }
}
