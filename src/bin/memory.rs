//! The command line program.

use std::process::ExitCode;

fn main() -> ExitCode {
    robot_memory::faces::cli::run()
}
