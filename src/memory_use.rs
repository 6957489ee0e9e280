//! The memory of the process: what was needed for a moment goes back to the system, what is kept is in huge pages.
//!
//! glibc keeps what is freed for the next time: each thread has its own heap, and a block that was once
//! asked of the system and freed lets all later ones of its size come from a heap. After a burst of long
//! requests a gigabyte stays in use, of which nothing is used.

use crate::huge_pages::collapse_full_memory;
use rustix::param::page_size;
use std::time::{Duration, Instant};

/// Bytes from which on a block is asked of the system, and goes back to it when it is freed: more than
/// anything that is needed all the time and is not kept.
#[cfg(target_env = "gnu")]
const OWN_BLOCK_BYTES: libc::c_int = 512 * 1024;
/// Bytes at the end of a heap that are kept for the next time.
#[cfg(target_env = "gnu")]
const KEPT_BYTES: libc::c_int = 4 * 1024 * 1024;
/// By how much the memory in use must have grown before it is looked after.
const GROWN_BYTES_MIN: u64 = 64 * 1024 * 1024;
/// Between two looks.
const PERIOD: Duration = Duration::from_secs(5);

/// Tells the allocator what it keeps. To be called before there are other threads.
pub fn choose() {
    #[cfg(target_env = "gnu")]
    // SAFETY: mallopt takes any numbers, and is called before there is another thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_BLOCK_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES);
    }
}

/// Looks after the memory of the process.
#[derive(Debug, Default)]
pub struct MemoryUse {
    looked: Option<Instant>,
    /// Least bytes in use since some were given back.
    least: u64,
    before: u64,
    has_huge_pages: bool,
}

impl MemoryUse {
    /// Gives memory back, now and then. What is kept comes into huge pages once, when what the process begins with is
    /// loaded: to do so again and again would stop others for memory that comes and goes.
    ///
    /// To be called about once a second. It may take a second, but not when it no more `goes_on`.
    pub fn look(&mut self, goes_on: impl Fn() -> bool) {
        let now = Instant::now();
        if self.looked.is_some_and(|looked| now < looked + PERIOD) {
            return;
        }
        self.looked = Some(now);
        let Some(resident) = resident_bytes() else { return };
        if !self.is_due(resident) {
            return;
        }
        give_back();
        if !self.has_huge_pages {
            self.has_huge_pages = true;
            match collapse_full_memory(goes_on) {
                Ok(bytes) => log::debug!("{} MiB of memory came into huge pages", bytes >> 20),
                Err(error) => log::debug!("no more memory comes into huge pages: {error}"),
            }
        }
        self.done(resident_bytes().unwrap_or(resident));
    }

    /// Whether much more is in use than after the last time, and it grows no more.
    fn is_due(&mut self, resident: u64) -> bool {
        let grows = resident > self.before.saturating_add(GROWN_BYTES_MIN / 8);
        self.before = resident;
        self.least = self.least.min(resident);
        !grows && resident > self.least.saturating_add(GROWN_BYTES_MIN)
    }

    /// So much is in use now that it was looked after.
    fn done(&mut self, resident: u64) {
        (self.least, self.before) = (resident, resident);
    }
}

/// Memory of this process that is not on disk.
fn resident_bytes() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(page_size() as u64))
}

fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim may be called at any time by any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_given_back_when_much_was_used_and_no_more_is() {
        const MIB: u64 = 1024 * 1024;
        let mut memory = MemoryUse { least: u64::MAX, ..MemoryUse::default() };
        // Grows, stays, falls, grows slowly.
        let due = [100, 300, 900, 900, 905].map(|mib| memory.is_due(mib * MIB));
        assert_eq!(due, [false, false, false, true, true]);
        memory.done(300 * MIB);
        let due = [900, 900].map(|mib| memory.is_due(mib * MIB));
        assert_eq!(due, [false, true], "it grew at once");
        memory.done(905 * MIB);
        let due = [905, 940, 960, 300, 360, 362, 370].map(|mib| memory.is_due(mib * MIB));
        assert_eq!(due, [false, false, false, false, false, false, true]);
    }

    #[test]
    fn the_memory_in_use_is_known() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1024 * 1024));
        choose();
        give_back();
    }
}
