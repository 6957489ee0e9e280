//! What this process uses, as Linux tells it.

/// Ticks of a second in `/proc`, on every computer that this runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// What the process uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProcessUse {
    pub cpu_secs: f64,
    pub resident_bytes: u64,
    pub threads: u64,
    /// Files, sockets and the like that it has open.
    pub open_files: u64,
}

impl ProcessUse {
    /// Now; `None` where there is no `/proc`.
    pub fn now() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let open_files = std::fs::read_dir("/proc/self/fd").ok()?.count() as u64;
        Self::of(&stat, &status, open_files)
    }

    fn of(stat: &str, status: &str, open_files: u64) -> Option<Self> {
        // The name of the program, in brackets, may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let field = |number: usize| -> Option<u64> {
            // The first one behind the name is the third of all.
            fields.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
        };
        let ticks = field(14)?.saturating_add(field(15)?);
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let resident_kib: u64 = resident.split_whitespace().next()?.parse().ok()?;
        Some(Self {
            cpu_secs: ticks as f64 / TICKS_PER_SECOND,
            resident_bytes: resident_kib.saturating_mul(1024),
            threads: field(20)?,
            open_files,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_linux_writes_it() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 900 0 5 0 1234 66 0 0 20 0 17 0 100 5 6";
        let used = ProcessUse::of(stat, "Name:\tx\nVmRSS:\t    2048 kB\n", 9);
        let expected =
            ProcessUse { cpu_secs: 13.0, resident_bytes: 2 << 20, threads: 17, open_files: 9 };
        assert_eq!(used, Some(expected));
        assert_eq!(ProcessUse::of("7 (a) S 1", "VmRSS: 1 kB", 0), None);
        let now = ProcessUse::now().unwrap();
        assert!(now.resident_bytes > 1 << 20 && now.threads > 0 && now.open_files > 2, "{now:?}");
    }
}
