"""Locate: where things are that a camera's captions name, over a kill of the node."""

import time

import pytest
from nav_msgs.msg import Odometry
from robot_memory.srv import Locate
from std_msgs.msg import String

from conftest import wait_until
from shared_node import refused
from stream_status import RELIABLE

OPTIONS = {'streams': 'auto', 'map_id': 'hall'}


class Camera:
    """A robot that stands somewhere, and says what its camera shows."""

    def __init__(self, ros_node):
        self.ros_node = ros_node
        self.odometry = ros_node.create_publisher(Odometry, '/odom', RELIABLE)
        self.captions = ros_node.create_publisher(String, '/camera/caption', RELIABLE)

    def say(self, text, x):
        """Be at x, and say what is seen."""
        now = self.ros_node.get_clock().now().to_msg()
        odometry = Odometry()
        odometry.header.stamp, odometry.header.frame_id = now, 'odom'
        odometry.child_frame_id = 'base_link'
        odometry.pose.pose.position.x = x
        odometry.pose.pose.orientation.w = 1.0
        self.odometry.publish(odometry)
        self.captions.publish(String(data=text))

    def close(self):
        """Publish no longer."""
        self.ros_node.destroy_publisher(self.odometry)
        self.ros_node.destroy_publisher(self.captions)


@pytest.fixture
def camera(ros_node):
    """Who says what is seen."""
    it = Camera(ros_node)
    yield it
    it.close()


def say_until_known(client, camera, text, what, x):
    """Say it until it is known, and return the answer."""
    answers = []

    def is_known():
        camera.say(text, x)
        time.sleep(0.2)
        answers.append(client.succeed(Locate, what=what))
        return answers[-1].is_known

    wait_until(is_known, f'{what} is known')
    return answers[-1]


def test_what_was_seen_is_found_in_both_languages_also_after_a_kill(camera, nodes, tmp_path):
    store = tmp_path / 'locate.db'
    client, process = nodes.start(store_path=store, **OPTIONS)
    answer = client.succeed(Locate, what='laptop')
    assert (answer.is_known, list(answer.places)) == (False, [])
    assert answer.sentence_en == 'laptop: not known'
    answer = say_until_known(client, camera, 'a red cup next to a laptop', 'laptop', 3.0)
    (place,) = answer.places
    # A place of the odometry is none of the map.
    assert (place.label, place.frame, place.map_id) == ('laptop', 'odom', '')
    assert (place.is_seen_from, place.is_elsewhere, answer.is_map_known) == (True, False, True)
    assert list(place.position_m) == [3.0, 0.0, 0.0]
    assert 'laptop was seen from (3.00, 0.00, 0.00) odom' in answer.sentence_en
    process.process.kill()
    process.process.wait(5.0)
    client, _ = nodes.start(store_path=store, **OPTIONS)
    found = client.succeed(Locate, what='笔记本电脑', position_m=[0.0, 0.0])
    assert [(it.object_id, it.distance_m) for it in found.places] == [(place.object_id, 3.0)]
    assert client.succeed(Locate, what='laptop', frame='map').places[0].is_elsewhere
    refused(client, Locate, 'invalid_argument', 'n: must be 1 to 100', n=0)
