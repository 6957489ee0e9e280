"""A robot with a detector, in a process of its own, since it has types of its own.

    python3 detector.py RATE_HZ

Publishes /tf and what a detector sees of two cups and a bottle, from a camera on a robot, until it is ended. A line
`away NAME` takes a thing away, `rate HZ` changes the rate.
"""

import math
import random
import sys
import threading
import time

import rclpy
from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3D, Detection3DArray, ObjectHypothesisWithPose

# In the map, m. The robot drives from side to side; the camera on it is at (0.5, 0, 1), and looks ahead.
THINGS = {'left': ('cup', 2.5, 0.4, 0.8), 'right': ('cup', 2.5, -0.4, 0.8), 'far': ('bottle', 4.0, 0.0, 0.9)}
CAMERA = (0.5, 0.0, 1.0)
NOISE_M = 0.01


def transform(stamp, parent, child, place):
    """Where a frame is in another one."""
    it = TransformStamped(child_frame_id=child)
    it.header.stamp, it.header.frame_id = stamp, parent
    to = it.transform.translation
    to.x, to.y, to.z = place
    it.transform.rotation.w = 1.0
    return it


def detection(header, label, place, aside_m, noise):
    """What the detector says of a thing; sometimes it takes it for another."""
    it = Detection3D(header=header)
    named = 'vase' if noise.random() < 0.05 else label
    for class_id, score in ((named, 0.8), ('thing', 0.1)):
        hypothesis = ObjectHypothesisWithPose()
        hypothesis.hypothesis.class_id, hypothesis.hypothesis.score = class_id, score
        it.results.append(hypothesis)
    center = it.bbox.center.position
    camera = (CAMERA[0], CAMERA[1] + aside_m, CAMERA[2])
    center.x, center.y, center.z = (
        at - own + noise.gauss(0.0, NOISE_M) for at, own in zip(place, camera, strict=True)
    )
    it.bbox.center.orientation.w = 1.0
    it.bbox.size.x = it.bbox.size.y = it.bbox.size.z = 0.1
    return it


def main():
    """Publish until the process is ended."""
    rclpy.init()
    node = rclpy.create_node('detector')
    transforms = node.create_publisher(TFMessage, '/tf', 100)
    detections = node.create_publisher(Detection3DArray, '/detections', 10)
    things, rate, noise = dict(THINGS), [float(sys.argv[1])], random.Random(7)

    def listen():
        for line in sys.stdin:
            word, value = line.split()
            if word == 'away':
                del things[value]
            else:
                rate[0] = float(value)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        stamp = node.get_clock().now().to_msg()
        aside_m = math.sin(time.monotonic())
        placed = [('map', 'base_link', (0.0, aside_m, 0.0)), ('base_link', 'camera', CAMERA)]
        transforms.publish(TFMessage(transforms=[transform(stamp, *it) for it in placed]))
        array = Detection3DArray()
        array.header.stamp, array.header.frame_id = stamp, 'camera'
        for label, *place in list(things.values()):
            if noise.random() > 0.1:
                array.detections.append(detection(array.header, label, place, aside_m, noise))
        detections.publish(array)
        time.sleep(1.0 / rate[0])


if __name__ == '__main__':
    main()
