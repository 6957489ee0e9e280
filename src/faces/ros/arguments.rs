//! The part of `--ros-args` that the node reads itself: what it logs, and where to.

use log::LevelFilter;

/// What the command line says about logging.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LogArguments {
    /// Each `--log-level`: the logger's name when one is given, and the level.
    levels: Vec<(Option<String>, LevelFilter)>,
    /// `--disable-rosout-logs`
    pub no_rosout: bool,
}

impl LogArguments {
    /// Reads the arguments between each `--ros-args` and the `--` that ends it.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Self {
        let mut found = Self::default();
        let mut is_ros = false;
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--ros-args" => is_ros = true,
                "--" => is_ros = false,
                "--log-level" if is_ros => {
                    found.levels.extend(arguments.next().as_deref().and_then(level_rule));
                }
                "--disable-rosout-logs" if is_ros => found.no_rosout = true,
                "--enable-rosout-logs" if is_ros => found.no_rosout = false,
                _ => {}
            }
        }
        found
    }

    /// The level for a logger: the last one given for it by name, else the last one for all.
    pub fn level(&self, logger: &str) -> Option<LevelFilter> {
        let last = |wanted: Option<&str>| {
            self.levels
                .iter()
                .rev()
                .find(|(name, _)| name.as_deref() == wanted)
                .map(|(_, level)| *level)
        };
        last(Some(logger)).or_else(|| last(None))
    }
}

/// `info` or `name:=info`. ROS itself refuses spellings that are neither.
fn level_rule(text: &str) -> Option<(Option<String>, LevelFilter)> {
    let (name, level) = match text.split_once(":=") {
        Some((name, level)) => (Some(name.to_owned()), level),
        None => (None, text),
    };
    let level = match level.to_ascii_lowercase().as_str() {
        "debug" => LevelFilter::Debug,
        "info" => LevelFilter::Info,
        "warn" => LevelFilter::Warn,
        "error" | "fatal" => LevelFilter::Error,
        _ => return None,
    };
    Some((name, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> LogArguments {
        LogArguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn level_is_the_last_for_the_logger_then_the_last_for_all() {
        let cases = [
            ("node", None),
            ("node --log-level debug", None),
            ("node --ros-args --log-level DEBUG", Some(LevelFilter::Debug)),
            ("node --ros-args -- --log-level debug", None),
            ("node --ros-args --log-level warn --log-level info", Some(LevelFilter::Info)),
            ("node --ros-args --log-level me:=debug --log-level warn", Some(LevelFilter::Debug)),
            ("node --ros-args --log-level other:=debug", None),
            ("node --ros-args --log-level", None),
            ("node --ros-args --log-level fatal", Some(LevelFilter::Error)),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line).level("me"), expected, "{line}");
        }
    }

    #[test]
    fn rosout_can_be_switched_off() {
        assert!(parse("node --ros-args --disable-rosout-logs").no_rosout);
        assert_eq!(parse("node --disable-rosout-logs"), LogArguments::default());
    }
}
