"""Confidence fades with the time that ROS tells, and is asked for in recall."""

import pytest
from set_clock import DAY_SECS, SetClock
from shared_node import Collection

START_SECS = 1_750_000_000


@pytest.fixture
def clock(ros_node):
    clock = SetClock(ros_node, START_SECS)
    yield clock
    clock.stop()


def test_what_is_not_recalled_fades_and_is_shown_only_when_asked_for(nodes, clock):
    client, _ = nodes.start(use_sim_time=True)
    memory = Collection(client)
    clock.wait_until_known(memory)
    memory.learn('The charger stands beside the door.')
    memory.learn('The charger must never be covered.')
    session_id = memory.start_session()

    clock.secs += 200 * DAY_SECS
    clock.wait_until_known(memory)
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
