//! `memory mcp`

use super::arguments::{McpArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{load_model, open_writing};
use crate::config::Settings;
use crate::faces::mcp;
use crate::faces::wall_clock::WallClock;
use robot_memory_core::limits::TOKEN_BYTES_MAX;
use robot_memory_core::regular_file;
use robot_memory_engine::Engine;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Between two rounds of the work that no caller waits for.
const UPKEEP_PERIOD: Duration = Duration::from_secs(1);

/// Offers the tools until whoever calls them ends it.
pub fn run(arguments: McpArguments, store: &StoreArguments) -> Outcome {
    let McpArguments { url, token_file, agent } = arguments;
    let served = match url {
        Some(url) => {
            let token = token_file.as_deref().map(token_of).transpose()?;
            mcp::bridge(&url, &token.unwrap_or_default())
        }
        None => {
            let settings = Settings::default();
            let engine = Arc::new(open_writing(store, &settings, Arc::new(WallClock))?);
            load_model(&engine, store, &settings)?;
            let served = with_upkeep(&engine, || mcp::serve_engine(Arc::clone(&engine), agent));
            engine.close()?;
            served
        }
    };
    served.map_err(|error| Failure::Given(format!("standard input: {error}")))
}

/// Does something while the work goes on that no caller waits for.
fn with_upkeep<T>(engine: &Engine, work: impl FnOnce() -> T) -> T {
    let (end, ended) = sync_channel::<()>(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while ended.recv_timeout(UPKEEP_PERIOD) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = engine.upkeep() {
                    log::debug!("{error}");
                }
            }
        });
        let done = work();
        drop(end);
        done
    })
}

/// The token in a file that nobody else may read.
fn token_of(path: &Path) -> Result<String, Failure> {
    let failure = |source: io::Error| Failure::File { path: path.to_owned(), source };
    let mode = std::fs::metadata(path).map_err(failure)?.mode();
    if mode & 0o077 != 0 {
        let open = format!("others may read it (mode {:o}); chmod 600 it", mode & 0o777);
        return Err(failure(io::Error::new(ErrorKind::PermissionDenied, open)));
    }
    regular_file::read_text(path, TOKEN_BYTES_MAX).map_err(failure)
}
