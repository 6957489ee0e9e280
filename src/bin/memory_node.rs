//! The ROS 2 node.

use std::process::ExitCode;

fn main() -> ExitCode {
    robot_memory::faces::ros::run()
}
