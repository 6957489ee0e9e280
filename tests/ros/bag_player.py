"""Plays a recorded bag with its clock, before each message or as `ros2 bag play --clock` does, and faster.

    bag_player.py BAG [SPEED]

Reads rosbag2's files, sqlite3 and MCAP. Before each message the time at
which it was recorded is published on /clock.
"""

import importlib
import sqlite3
import sys
import time
from pathlib import Path

import rclpy
from builtin_interfaces.msg import Time
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=5000, reliability=ReliabilityPolicy.RELIABLE
)
WAIT_SECS_MAX = 60.0


def messages_of(bag):
    """All messages of a bag in order: topic, type, CDR bytes, and when it was recorded in ns."""
    (file,) = (path for path in Path(bag).iterdir() if path.suffix in ('.db3', '.mcap'))
    return messages_of_sqlite3(file) if file.suffix == '.db3' else messages_of_mcap(file)


def messages_of_sqlite3(file):
    connection = sqlite3.connect(f'file:{file}?mode=ro', uri=True)
    rows = connection.execute(
        'SELECT topics.name, topics.type, messages.data, messages.timestamp'
        ' FROM messages JOIN topics ON topics.id = messages.topic_id'
        ' ORDER BY messages.timestamp, messages.id'
    ).fetchall()
    connection.close()
    return rows


def messages_of_mcap(file):
    # From PyPI; a ROS installation brings a reader of its own.
    try:
        from mcap.reader import make_reader
    except ModuleNotFoundError:
        return messages_of_rosbag2(file)
    with file.open('rb') as stream:
        return [
            (channel.topic, schema.name, message.data, message.log_time)
            for schema, channel, message in make_reader(stream).iter_messages()
        ]


def messages_of_rosbag2(file):
    import rosbag2_py

    reader = rosbag2_py.SequentialReader()
    storage = rosbag2_py.StorageOptions(uri=str(file), storage_id='mcap')
    reader.open(storage, rosbag2_py.ConverterOptions('cdr', 'cdr'))
    types = {topic.name: topic.type for topic in reader.get_all_topics_and_types()}
    messages = []
    while reader.has_next():
        topic, data, stamp = reader.read_next()
        messages.append((topic, types[topic], data, stamp))
    return messages


def message_type(name):
    """The class of a type by its name."""
    package, _, message = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), message)


class BagPlayer:
    """Publishes the messages of a bag."""

    def __init__(self, ros_node, messages):
        self.ros_node = ros_node
        self.messages = messages
        self.clock = ros_node.create_publisher(Clock, '/clock', QOS)
        types = {topic: name for topic, name, _, _ in messages}
        self.publishers = {
            topic: ros_node.create_publisher(message_type(name), topic, QOS)
            for topic, name in types.items()
        }

    def wait_for_subscriptions(self):
        """Wait until every topic, and the clock, is subscribed."""
        deadline = time.monotonic() + WAIT_SECS_MAX
        for publisher in (self.clock, *self.publishers.values()):
            while publisher.get_subscription_count() == 0:
                if time.monotonic() > deadline:
                    raise TimeoutError(f'nobody subscribes to {publisher.topic_name}')
                time.sleep(0.01)
        # The publishers are known to the subscriptions a moment later.
        time.sleep(1.0)

    def play(self, speed, clock_hz=None):
        """Publish all messages, so many times as fast as they were recorded.

        With clock_hz the clock is published so often in a second of wall time, else before each message.
        """
        first = self.messages[0][3]
        started = tick = time.monotonic()
        for topic, _, data, stamp in self.messages:
            due = started + (stamp - first) / 1e9 / speed
            while clock_hz and tick <= due:
                time.sleep(max(0.0, tick - time.monotonic()))
                self.publish_clock(first + int((tick - started) * speed * 1e9))
                tick += 1.0 / clock_hz
            time.sleep(max(0.0, due - time.monotonic()))
            if not clock_hz:
                self.publish_clock(stamp)
            self.publishers[topic].publish(data)

    def publish_clock(self, stamp):
        """Publish a time in ns."""
        sec, nanosec = divmod(stamp, 10**9)
        self.clock.publish(Clock(clock=Time(sec=sec, nanosec=nanosec)))

    def close(self):
        """Publish no longer."""
        for publisher in (self.clock, *self.publishers.values()):
            self.ros_node.destroy_publisher(publisher)


def main():
    """Play the bag that the command line names."""
    rclpy.init()
    node = rclpy.create_node('bag_player')
    player = BagPlayer(node, messages_of(sys.argv[1]))
    player.wait_for_subscriptions()
    player.play(float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
    # For what has to be sent again.
    time.sleep(2.0)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
