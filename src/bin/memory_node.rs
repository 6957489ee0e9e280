//! The ROS 2 node.
fn main() {}
