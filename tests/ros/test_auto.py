"""Topics that are found by themselves: types that change, that are two, topics that go and that are left out."""

import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Wrench
from robot_memory.srv import Learn
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Bool, String

from conftest import LATCHED_QOS, wait_until
from stream_status import ERROR, OK, RELIABLE, WARN, Diagnostics, stored_events

SAID_AGAIN_SECS = 12.0
BOOL, TEXT = 'std_msgs/msg/Bool', 'std_msgs/msg/String'


class Auto:
    """A node that hears what it finds, and who publishes for it."""

    def __init__(self, ros_node, nodes, folder, **options):
        self.ros_node = ros_node
        self.store = folder / 'auto.db'
        self.client, self.process = nodes.start(store_path=self.store, streams='auto', **options)
        self.diagnostics = Diagnostics(ros_node, self.client.full_name)
        self.publishers = []

    def publisher(self, message, topic, qos=RELIABLE):
        """Begin to publish."""
        self.publishers.append(self.ros_node.create_publisher(message, topic, qos))
        return self.publishers[-1]

    def stop(self, publisher):
        """Publish no longer."""
        self.publishers.remove(publisher)
        self.ros_node.destroy_publisher(publisher)

    def hear(self, publisher, stream, messages):
        """Publish until all of these messages are heard."""
        wait_until(lambda: publisher.get_subscription_count() > 0, f'subscription: {stream}')
        time.sleep(0.5)
        for message in messages:
            publisher.publish(message)
            time.sleep(0.1)

    def events(self):
        """Return what the stored events are of."""
        return [(event['stream'], event['trigger']) for event in stored_events(self.store)]

    def wait_for_events(self, count):
        """Wait until so many events are stored, and return what they are of."""
        wait_until(lambda: len(self.events()) >= count, f'{count} events')
        return self.events()

    def say_until_heard(self, say, expected):
        """Call again and again, with time for an event to end between, until these events are stored."""
        said_at = None

        def is_heard():
            nonlocal said_at
            if said_at is None or time.monotonic() - said_at > SAID_AGAIN_SECS:
                said_at = time.monotonic()
                say()
            return expected <= set(self.events())

        wait_until(is_heard, f'events {expected}')

    def close(self):
        """Publish and listen no longer."""
        self.diagnostics.close()
        for publisher in self.publishers:
            self.ros_node.destroy_publisher(publisher)


@pytest.fixture
def auto(ros_node, nodes, tmp_path):
    """Starts nodes that hear what they find."""
    all_auto = []

    def begin(**options):
        all_auto.append(Auto(ros_node, nodes, tmp_path, **options))
        return all_auto[-1]

    yield begin
    for it in all_auto:
        it.close()


def bools(*values):
    """Messages of these values."""
    return [Bool(data=value) for value in values]


def test_a_topic_whose_type_changes_is_heard_as_the_other_type(auto):
    it = auto()
    first = it.publisher(Bool, '/cell/state')
    it.diagnostics.wait_for('cell/state', 'nothing came')
    it.hear(first, 'cell/state', bools(False, True, False))
    assert it.wait_for_events(1) == [('cell/state', 'edge')]
    it.stop(first)
    # It went away: that is no trouble.
    it.diagnostics.wait_for('cell/state', 'nobody publishes it any more')
    assert it.diagnostics.level('cell/state') == OK
    second = it.publisher(String, '/cell/state')
    it.process.wait_until_logged(f'subscribed to /cell/state ({TEXT}')
    it.hear(second, 'cell/state', [String(data=text) for text in ('idle', 'picking', 'idle')])
    events = it.wait_for_events(2)
    assert ('cell/state', 'change') in events
    wait_until(
        lambda: it.diagnostics.values('cell/state').get('type') == TEXT, 'the other type'
    )


def test_a_second_type_is_told_and_the_first_is_heard_on(auto, stranger):
    it = auto()
    first = it.publisher(Bool, '/cell/door')
    it.hear(first, 'cell/door', bools(False))
    stranger.create_publisher(String, '/cell/door', RELIABLE)
    it.diagnostics.wait_for('cell/door', f'is also published as {TEXT}, which is not subscribed to')
    assert it.diagnostics.level('cell/door') == WARN
    it.hear(first, 'cell/door', bools(False, True, False))
    assert ('cell/door', 'edge') in it.wait_for_events(1)


def test_topics_are_left_out_by_patterns(auto, tmp_path):
    file = tmp_path / 'exclude.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    streams_exclude: [/debug/**, /*/status, /noise, ~/own]\n'
    )
    it = auto(arguments=['--params-file', file])
    for topic in ('/debug/a', '/debug/b/c', '/arm/status', '/noise', '/robot_memory/own'):
        it.publisher(Bool, topic)
    it.publisher(Wrench, '/arm/wrench')
    it.publisher(Bool, '/arm/left/status')
    for heard in ('arm/wrench', 'arm/left/status'):
        it.diagnostics.wait_for(heard, 'nothing came')
    assert set(it.diagnostics.statuses) == {'arm/wrench', 'arm/left/status', 'rosout'}


def test_memory_nodes_do_not_hear_each_other(auto, nodes, ros_node):
    it = auto()
    other, process = nodes.start(name='other', namespace='/second', streams='auto')
    # What another node says under the same last name is heard.
    it.publisher(Bool, '/base/ready', LATCHED_QOS)
    it.diagnostics.wait_for('base/ready', 'nothing came')
    other.succeed(Learn, insight='The other memory is not a sensor.')
    process.stop()
    nodes.start(name='other', namespace='/second', streams='auto')
    time.sleep(2.0)
    assert set(it.diagnostics.statuses) == {'base/ready', 'rosout'}
    assert '/ready (' not in process.log().replace('/base/ready (', '')


def test_what_others_log_and_report_is_heard_and_what_memories_do_is_not(auto, nodes, ros_node):
    it = auto()
    other, _ = nodes.start(name='other', namespace='/second', streams='[{topic: /unheard}]')
    reports = it.publisher(DiagnosticArray, '/diagnostics')
    it.diagnostics.wait_for_count('diagnostics', 'received', 0)
    it.diagnostics.wait_for_count('rosout', 'received', 0)
    lidar = DiagnosticStatus(level=ERROR, name='lidar', message='no data')

    def say():
        # A line that is lost on the way is said again: nobody else repeats it.
        reports.publish(DiagnosticArray(status=[lidar]))
        ros_node.get_logger().error('Failed to make progress')

    # Its streams that wait are a warning, and an error is what is refused.
    refused = other.call(Learn, insight='')
    assert not refused.success
    expected = {('diagnostics', 'level'), ('rosout', 'level')}
    it.say_until_heard(say, expected)
    assert set(it.events()) == expected
    told = {event['content'].split(';')[0] for event in stored_events(it.store)}
    assert any('ERROR "Failed to make progress"' in text for text in told), told
    assert any(text.startswith('lidar: ERROR "no data"') for text in told), told


def test_one_of_two_topics_that_show_the_same_is_heard(auto):
    it = auto()
    it.publisher(CompressedImage, '/front/image_raw/compressed')
    it.publisher(CompressedImage, '/back/image_raw/compressed')
    # A driver may offer the compressed one first.
    time.sleep(1.0)
    it.publisher(Image, '/front/image_raw')
    for heard in ('front/image_raw', 'back/image_raw/compressed'):
        it.diagnostics.wait_for(heard, 'nothing came')
    assert 'front/image_raw/compressed' not in it.diagnostics.statuses
