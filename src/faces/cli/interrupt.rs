//! The end of a program that goes on until somebody ends it.

use std::io;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears the signals that end the program, from when it was made.
pub struct Interrupt {
    runtime: Runtime,
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupt {
    /// From now on SIGINT and SIGTERM end nothing by themselves.
    ///
    /// # Errors
    /// When the system does not let signals be heard.
    pub fn hear() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let (interrupt, terminate) = {
            let _entered = runtime.enter();
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
        };
        Ok(Self { runtime, interrupt, terminate })
    }

    /// Waits for the first of them.
    pub fn wait(self) {
        let Self { runtime, mut interrupt, mut terminate } = self;
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => (),
                _ = terminate.recv() => (),
            }
        });
    }
}
