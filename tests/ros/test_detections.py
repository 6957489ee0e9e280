"""A detector's labels with places, over ROS: two cups are two, and one that is taken away is gone."""

import pytest
from robot_memory.srv import Locate

import packages
from conftest import wait_until


@pytest.fixture(scope='module')
def environment():
    """An environment in which the packages of detections and transforms are installed."""
    return packages.install('tf2_msgs', 'vision_msgs')


def test_what_a_detector_sees_is_found_where_it_is(nodes, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    client, process = nodes.start(streams='auto', map_id='kitchen')
    detector = packages.Program(environment, 'detector.py', '30')
    try:
        process.wait_until_logged('subscribed to /detections')

        def cups():
            return client.succeed(Locate, what='杯子', position_m=[2.5, 0.4, 0.8])

        wait_until(lambda: cups().total == 2, 'two cups')
        near, other = cups().places
        assert list(near.position_m) == pytest.approx([2.5, 0.4, 0.8], abs=0.03)
        assert list(other.position_m) == pytest.approx([2.5, -0.4, 0.8], abs=0.03)
        for place in (near, other):
            assert (place.label, place.frame, place.map_id) == ('cup', 'map', 'kitchen')
            assert (place.is_seen_from, place.is_elsewhere) == (False, False)
        assert near.distance_m < 0.05 and near.sigma_m < 0.06
        (bottle,) = client.succeed(Locate, what='bottle').places
        assert list(bottle.position_m) == pytest.approx([4.0, 0.0, 0.9], abs=0.05)
        for unknown in ('hammer', 'vase', '锤子'):
            answer = client.succeed(Locate, what=unknown)
            assert not [it for it in answer.places if it.label == unknown], answer
        # Only looks from where it had been seen before count: from all along the way of the robot.
        wait_until(lambda: min(it.count for it in cups().places) > 400, 'sightings')
        detector.say('away left')
        wait_until(lambda: 'gone' in {it.state for it in cups().places}, 'a cup that is gone')
        states = {it.object_id: it.state for it in cups().places}
        assert states == {near.object_id: 'gone', other.object_id: 'present'}
    finally:
        detector.end()
