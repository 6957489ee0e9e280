//! How far an import is: a bar on a terminal, else a line every few seconds.

use super::BagClock;
use crate::faces::import::{Pace, Watch};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use robot_memory_core::model::Stamp;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(5);

/// Shows how far an import is, and sets the clock to the time of the bag.
pub struct Progress {
    clock: Arc<BagClock>,
    end: Option<Stamp>,
    name: String,
    shown_at: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new(clock: &Arc<BagClock>) -> Self {
        let clock = Arc::clone(clock);
        Self { clock, end: None, name: String::new(), shown_at: Instant::now(), bar: None }
    }
}

impl Watch for Progress {
    fn begin(&mut self, path: &Path, span: Option<(Stamp, Stamp)>) {
        if let Some((start, end)) = span {
            self.clock.set(start);
            self.end = Some(end);
        }
        self.name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            let template = "{prefix} [{bar:30}] {pos}/{len} messages, {per_sec}, {eta} left, {msg}";
            // A template that is not well formed leaves the default.
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            bar.with_style(style).with_prefix(self.name.clone())
        });
    }

    fn look(&mut self, pace: Pace) -> bool {
        if let Some(bar) = &self.bar {
            bar.set_length(pace.expected);
            bar.set_position(pace.messages);
            bar.set_message(format!("{:.0} times real time", pace.times_real_time()));
        } else if self.shown_at.elapsed() >= LINE {
            self.shown_at = Instant::now();
            let (name, messages, expected) = (&self.name, pace.messages, pace.expected.max(1));
            let part = messages as f64 / expected.max(messages) as f64;
            let left = pace.secs * (1.0 - part) / part.max(1e-6);
            // Without stderr there is nobody to tell.
            let _ = writeln!(
                std::io::stderr(),
                "{name}: {messages} of {expected} messages, {:.0} a second, {left:.0} s left, \
                 {:.0} times real time",
                pace.messages_per_sec(),
                pace.times_real_time(),
            );
        }
        true
    }

    fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some(end) = self.end {
            self.clock.set(end);
        }
    }
}
