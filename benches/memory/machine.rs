//! The machine that measures, and this process on it.

use crate::Result;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Where the figures are from.
#[derive(Clone, Serialize)]
pub struct Machine {
    /// The processor's own name, or the architecture's.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Kind of the file system that the stores are on.
    pub file_system: String,
    /// Processes that wanted to run, on average of the last minute: before.
    pub load_before: f64,
    /// The same, after.
    pub load_after: f64,
}

impl Machine {
    /// This one, with stores in a folder, before anything was measured.
    pub fn this(folder: &Path) -> Self {
        Self {
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            file_system: file_system(folder),
            load_before: load(),
            load_after: f64::NAN,
        }
    }

    /// Looks at the load again.
    pub fn finish(&mut self) {
        self.load_after = load();
    }
}

/// Memory of this process in physical RAM, in MB.
#[derive(Clone, Copy)]
pub struct Resident {
    /// All of it, with the pages of mapped files.
    pub all_mb: f64,
    /// What is no file's.
    pub anonymous_mb: f64,
}

impl Resident {
    /// Now.
    pub fn now() -> Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let mb = |field: &str| -> Result<f64> {
            let line = status.lines().find_map(|line| line.strip_prefix(field));
            let kib = line.and_then(|line| line.split_whitespace().next());
            Ok(kib.ok_or("no such line in /proc/self/status")?.parse::<f64>()? * 1024.0 / 1e6)
        };
        Ok(Self { all_mb: mb("VmRSS:")?, anonymous_mb: mb("RssAnon:")? })
    }
}

/// The first number of /proc/loadavg.
fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(f64::NAN)
}

fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// That of the longest mount point that the folder is below.
fn file_system(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (point, kind) = (fields.next()?, fields.next()?);
            folder.starts_with(point).then_some((point.len(), kind))
        })
        .max_by_key(|(length, _)| *length)
        .map_or("unknown".to_owned(), |(_, kind)| kind.to_owned())
}
