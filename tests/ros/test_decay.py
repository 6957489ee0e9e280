"""Confidence fades with the time that ROS tells, and is asked for in recall."""

import pytest
from robot_memory.srv import GetSession, StartSession
from rosgraph_msgs.msg import Clock

from conftest import wait_until
from shared_node import Collection

START_SECS = 1_750_000_000
DAY_SECS = 86_400


class SetClock:
    """Publishes the time that a test sets."""

    def __init__(self, ros_node):
        self.secs = START_SECS
        self.ros_node = ros_node
        self.publisher = ros_node.create_publisher(Clock, '/clock', 10)
        self.timer = ros_node.create_timer(0.02, self.publish)

    def publish(self):
        """Tell the time."""
        message = Clock()
        message.clock.sec = self.secs
        self.publisher.publish(message)

    def stop(self):
        """Tell it no more."""
        self.ros_node.destroy_timer(self.timer)
        self.ros_node.destroy_publisher(self.publisher)


@pytest.fixture
def clock(ros_node):
    clock = SetClock(ros_node)
    yield clock
    clock.stop()


def wait_until_node_knows(memory, secs):
    """Wait until a node stamps with a time."""

    def is_known():
        answer = memory.client.call(StartSession, collection='time')
        if not answer.success:
            return False
        session = memory.succeed(GetSession, session_id=answer.session_id).session
        return session.started_at.sec >= secs

    wait_until(is_known, 10.0, 'simulated time')


def test_what_is_not_recalled_fades_and_is_shown_only_when_asked_for(nodes, clock):
    client, _ = nodes.start(use_sim_time=True)
    memory = Collection(client)
    wait_until_node_knows(memory, clock.secs)
    memory.learn('The charger stands beside the door.')
    memory.learn('The charger must never be covered.')
    session_id = memory.start_session()

    clock.secs += 200 * DAY_SECS
    wait_until_node_knows(memory, clock.secs)
    assert memory.end_session(session_id).decayed_count == 1

    # A rule does not fade, and the default asks for at least 0.3.
    assert memory.contents('charger') == ['The charger must never be covered.']
    # An explicit 0 is a 0.
    answer = memory.recall('charger', min_confidence=0.0, order='oldest')
    assert [hit.created_at.sec for hit in answer.memories] == [START_SECS, START_SECS]
    faded, kept = (hit.confidence for hit in answer.memories)
    assert faded == pytest.approx(0.8 * 0.99**200)
    assert kept == pytest.approx(0.8)
    assert memory.end_session(memory.start_session()).decayed_count == 0
