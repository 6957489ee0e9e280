//! Recorded bags (rosbag2: MCAP and sqlite3), read without ROS, and clips written beside the store.
