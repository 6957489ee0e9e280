//! How far an import is: a bar on a terminal, else a line every few seconds.

use crate::model::Stamp;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Messages between two looks at the clock.
const LOOK_MESSAGES: u64 = 1024;

/// Between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(5);

/// How an import went.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pace {
    pub messages: u64,
    pub secs: f64,
    /// Seconds of the bag that were read.
    pub bag_secs: f64,
}

impl Pace {
    pub fn messages_per_sec(&self) -> f64 {
        self.messages as f64 / self.secs.max(1e-6)
    }

    /// Seconds of the bag in a second.
    pub fn times_real_time(&self) -> f64 {
        self.bag_secs / self.secs.max(1e-6)
    }
}

/// An import that goes on.
pub struct Progress {
    name: String,
    begun: Instant,
    told: Instant,
    expected: u64,
    messages: u64,
    first: Option<Stamp>,
    last: Stamp,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins with as many messages to come as the bag counts.
    pub fn begin(path: &Path, expected: u64) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(expected),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            let template = "{prefix} [{bar:30}] {pos}/{len} messages, {per_sec}, {eta} left, {msg}";
            // A template that is not well formed leaves the default.
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            bar.with_style(style).with_prefix(name.clone())
        });
        let now = Instant::now();
        Self {
            name,
            begun: now,
            told: now,
            expected,
            messages: 0,
            first: None,
            last: Stamp(0),
            bar,
        }
    }

    /// One more message was read.
    pub fn message(&mut self, log_time: Stamp) {
        self.first.get_or_insert(log_time);
        self.last = log_time;
        self.messages += 1;
        if self.messages.is_multiple_of(LOOK_MESSAGES) {
            self.tell();
        }
    }

    fn tell(&mut self) {
        let pace = self.pace();
        if let Some(bar) = &self.bar {
            bar.set_position(self.messages);
            bar.set_message(format!("{:.0} times real time", pace.times_real_time()));
        } else if self.told.elapsed() >= LINE {
            self.told = Instant::now();
            let (name, messages, expected) = (&self.name, self.messages, self.expected.max(1));
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
    }

    fn pace(&self) -> Pace {
        let bag_nanos = self.first.map_or(0, |first| self.last.0.saturating_sub(first.0));
        Pace {
            messages: self.messages,
            secs: self.begun.elapsed().as_secs_f64(),
            bag_secs: bag_nanos as f64 / 1e9,
        }
    }

    /// All was read.
    pub fn end(self) -> Pace {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.pace()
    }
}
