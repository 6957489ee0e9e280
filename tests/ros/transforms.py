"""Publishes transforms, in a process of its own, since they have a type of its own.

    python3 transforms.py

Each line `PARENT CHILD X Y Z QX QY QZ QW` on its input places a frame from then on: on /tf many times a second; with
`static` before it once, on /tf_static. `end` ends it.
"""

import sys
import threading

import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

PERIOD_SECS = 0.05


def transform(stamp, words):
    """A transform as a line tells it."""
    it = TransformStamped(child_frame_id=words[1])
    it.header.stamp, it.header.frame_id = stamp, words[0]
    to, turn = it.transform.translation, it.transform.rotation
    to.x, to.y, to.z, turn.x, turn.y, turn.z, turn.w = map(float, words[2:])
    return it


def main():
    """Publish until it is told to end."""
    rclpy.init()
    node = rclpy.create_node('transforms')
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    static = node.create_publisher(TFMessage, '/tf_static', latched)
    dynamic = node.create_publisher(TFMessage, '/tf', 100)
    fixed, moving, ends = [], {}, threading.Event()

    def listen():
        for words in map(str.split, sys.stdin):
            if words == ['end']:
                break
            if words[0] == 'static':
                # The last message holds all of them, as that of a StaticTransformBroadcaster does.
                fixed.append(transform(node.get_clock().now().to_msg(), words[1:]))
                static.publish(TFMessage(transforms=fixed))
            else:
                moving[words[1]] = words
        ends.set()

    threading.Thread(target=listen, daemon=True).start()
    while not ends.wait(PERIOD_SECS):
        stamp = node.get_clock().now().to_msg()
        dynamic.publish(TFMessage(transforms=[transform(stamp, it) for it in list(moving.values())]))


if __name__ == '__main__':
    main()
