//! ROS 2 messages without ROS: their definitions, and their bytes in CDR.
