//! Memory that is full of data, in huge pages: docs/decisions/0036-full-memory-in-huge-pages.md says why.

use rustix::param::page_size;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Share of a huge page that must be in use already, so that the memory in use hardly grows.
const FULL_SHARE: f64 = 0.9;
/// Larger ones take too long to copy.
const HUGE_BYTES_MAX: usize = 2 << 20;
/// Bytes that are collapsed in one call, in some tens of milliseconds.
const CALL_BYTES: usize = 32 << 20;
/// What Linux says of huge pages.
const SYSTEM: &str = "/sys/kernel/mm/transparent_hugepage";
/// A page that is in memory, and one that this process alone has, as /proc/self/pagemap tells.
const PRESENT_AND_OWN: u64 = 1 << 63 | 1 << 56;

/// Collapses the full memory of this process into huge pages, as long as `goes_on`; returns how many bytes were
/// collapsed. Where huge pages are turned off, or Linux is older than 6.1, nothing is done.
///
/// A thread that asks the system for memory meanwhile, or uses what is being copied, waits some milliseconds.
///
/// # Errors
/// When the system does not tell how memory is laid out, or has no huge page to give.
pub fn collapse_full_memory(goes_on: impl Fn() -> bool) -> io::Result<usize> {
    let Some(huge_bytes) = huge_page_bytes()? else { return Ok(0) };
    let pages = Pages::open()?;
    let maps = fs::read("/proc/self/maps")?;
    let mut bytes = 0;
    for memory in String::from_utf8_lossy(&maps).lines().filter_map(own_memory) {
        for part in pages.full_parts(&memory, huge_bytes)? {
            if !goes_on() {
                return Ok(bytes);
            }
            bytes += collapse(&part)?;
        }
    }
    Ok(bytes)
}

/// Bytes of a huge page, when the owner of the computer allows them.
fn huge_page_bytes() -> io::Result<Option<usize>> {
    if fs::read_to_string(format!("{SYSTEM}/enabled"))?.contains("[never]") {
        return Ok(None);
    }
    let bytes = fs::read_to_string(format!("{SYSTEM}/hpage_pmd_size"))?.trim().parse::<usize>();
    let bytes = bytes.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    // Since Linux 6.8 there is a setting for each size.
    let of_size = format!("{SYSTEM}/hugepages-{}kB/enabled", bytes / 1024);
    let is_off = fs::read_to_string(of_size).is_ok_and(|setting| setting.contains("[never]"));
    Ok((1..=HUGE_BYTES_MAX).contains(&bytes).then_some(bytes).filter(|_| !is_off))
}

/// What a line of the memory map says to be read and written by this process alone, and to be of no file.
fn own_memory(line: &str) -> Option<Range<usize>> {
    let mut fields = line.split_ascii_whitespace();
    let (begin, end) = fields.next()?.split_once('-')?;
    let is_own = fields.next()? == "rw-p" && matches!(fields.nth(3), None | Some("[heap]"));
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    is_own.then_some(address(begin)?..address(end)?)
}

/// Which pages of this process are in memory.
struct Pages {
    map: File,
    page_bytes: usize,
}

impl Pages {
    fn open() -> io::Result<Self> {
        Ok(Self { map: File::open("/proc/self/pagemap")?, page_bytes: page_size() })
    }

    /// The parts of some memory, [`CALL_BYTES`] at most, that would fill huge pages.
    fn full_parts(
        &self,
        memory: &Range<usize>,
        huge_bytes: usize,
    ) -> io::Result<Vec<Range<usize>>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for begin in (memory.start.next_multiple_of(huge_bytes)..memory.end).step_by(huge_bytes) {
            let end = begin.saturating_add(huge_bytes);
            if end > memory.end || !self.are_full(begin, huge_bytes)? {
                continue;
            }
            match parts.last_mut() {
                Some(part) if part.end == begin && part.len() < CALL_BYTES => part.end = end,
                _ => parts.push(begin..end),
            }
        }
        Ok(parts)
    }

    /// Whether nearly all pages from an address on are in memory.
    fn are_full(&self, address: usize, bytes: usize) -> io::Result<bool> {
        let mut entries = vec![0; bytes / self.page_bytes * size_of::<u64>()];
        let first = address / self.page_bytes * size_of::<u64>();
        self.map.read_exact_at(&mut entries, first as u64)?;
        let (entries, _) = entries.as_chunks();
        let is_own =
            |entry: &&[u8; 8]| u64::from_ne_bytes(**entry) & PRESENT_AND_OWN == PRESENT_AND_OWN;
        let own = entries.iter().filter(is_own).count();
        Ok(own as f64 >= FULL_SHARE * entries.len() as f64)
    }
}

/// Answers how many bytes were collapsed; an error says that there is no huge page to be had.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn collapse(memory: &Range<usize>) -> io::Result<usize> {
    let (address, bytes) = (memory.start as *mut libc::c_void, memory.len());
    // SAFETY: it changes how memory is mapped and not what is in it; what is no memory any more is an error.
    if unsafe { libc::madvise(address, bytes, libc::MADV_COLLAPSE) } == 0 {
        return Ok(bytes);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        // Some of it is in use by the system just now, or this Linux cannot do it.
        Some(libc::EAGAIN | libc::EINVAL) => Ok(0),
        _ => Err(error),
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn collapse(_memory: &Range<usize>) -> io::Result<usize> {
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const HUGE_BYTES: usize = 2 << 20;

    /// Memory that was never used, with the first address in it that a huge page can have.
    fn new_memory() -> (Vec<u8>, usize) {
        // So much is always new from the system.
        let memory: Vec<u8> = Vec::with_capacity(64 << 20);
        let address = memory.as_ptr().addr().next_multiple_of(HUGE_BYTES);
        (memory, address)
    }

    /// Whether the system of this test makes huge pages when it is asked to, and only then.
    fn are_on_demand() -> bool {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let release = read("/proc/sys/kernel/osrelease");
        let mut numbers = release.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        version >= (6, 1)
            && read(&format!("{SYSTEM}/enabled")).contains("[madvise]")
            && read("/proc/self/status").contains("THP_enabled:\t1")
            && huge_page_bytes().is_ok_and(|bytes| bytes == Some(HUGE_BYTES))
    }

    #[test]
    fn full_memory_comes_into_huge_pages_and_keeps_what_is_in_it() {
        let (mut memory, address) = new_memory();
        let skipped = address - memory.as_ptr().addr();
        let content = |at: usize| (at % 251) as u8;
        memory.extend((0..skipped + 8 * HUGE_BYTES).map(content));
        let parts = Pages::open().unwrap();
        let parts = parts.full_parts(&(address..address + 16 * HUGE_BYTES), HUGE_BYTES).unwrap();
        let used = address..address + 8 * HUGE_BYTES;
        assert_eq!(parts, std::slice::from_ref(&used));
        // What the system does with a page just now may need another attempt.
        let attempts = std::iter::repeat_with(|| {
            std::thread::sleep(Duration::from_millis(20));
            collapse(&used).unwrap()
        });
        let are_made = attempts.take(100).any(|bytes| bytes == 8 * HUGE_BYTES);
        assert!(are_made || !are_on_demand());
        assert!(memory.iter().enumerate().all(|(at, byte)| *byte == content(at)));
    }

    #[test]
    fn memory_that_is_not_nearly_full_is_left_alone() {
        let (mut memory, address) = new_memory();
        let skipped = address - memory.as_ptr().addr();
        let pages = Pages::open().unwrap();
        let is_full = || pages.are_full(address, HUGE_BYTES).unwrap();
        assert!(!is_full(), "none of it was used yet");
        memory.resize(skipped + HUGE_BYTES * 8 / 10, 1);
        assert!(!is_full() || !are_on_demand(), "four fifths");
        memory.resize(skipped + HUGE_BYTES, 1);
        assert!(is_full());
    }

    #[test]
    fn nothing_is_collapsed_any_more_when_it_is_to_end() {
        let memory = vec![1_u8; 16 << 20];
        assert_eq!(collapse_full_memory(|| false).unwrap_or_default(), 0);
        assert_eq!(memory.len(), 16 << 20);
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
