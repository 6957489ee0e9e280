"""Scenes that a camera shows."""

import time

from sensor_msgs.msg import Image

from conftest import wait_until
from stream_status import RELIABLE, stored_events

WIDTH, HEIGHT = 64, 48
# What is seen, and where in the picture: keyframes differ in more than their color.
SCENES = {
    'red': ((255, 0, 0), lambda x, y: x < WIDTH // 2),
    'green': ((0, 255, 0), lambda x, y: y < HEIGHT // 2),
    'blue': ((60, 60, 255), lambda x, y: x >= WIDTH // 2),
}


class Scenes:
    """Publishes scenes for a node that stores its keyframes."""

    def __init__(self, ros_node, store):
        self.ros_node, self.store = ros_node, store
        self.publisher = ros_node.create_publisher(Image, '/camera/image_raw', RELIABLE)
        self.seen = []

    def show(self, scene):
        """Publish a scene until its keyframe is stored."""
        color, is_lit = SCENES[scene]
        data = bytes(
            level
            for y in range(HEIGHT)
            for x in range(WIDTH)
            for level in (color if is_lit(x, y) else (0, 0, 0))
        )
        self.seen.append(scene)

        def is_stored():
            image = Image(
                width=WIDTH, height=HEIGHT, encoding='rgb8', step=3 * WIDTH, data=data
            )
            image.header.stamp = self.ros_node.get_clock().now().to_msg()
            image.header.frame_id = 'camera'
            self.publisher.publish(image)
            time.sleep(0.1)
            return len(stored_events(self.store)) >= len(self.seen)

        wait_until(is_stored, f'the keyframe of {scene}')

    def close(self):
        """Show nothing any more."""
        self.ros_node.destroy_publisher(self.publisher)
