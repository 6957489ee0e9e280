"""What the node tells unasked: new memories, and where they are; captures; and what it keeps."""

import json
import time

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, WrenchStamped
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from robot_memory.msg import MemoryEvent
from robot_memory.srv import Capture, Forget, Learn, SavePerception, StartSession, Update
from visualization_msgs.msg import Marker, MarkerArray

from conftest import wait_until
from shared_node import shared_node

RELIABLE_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1000, reliability=ReliabilityPolicy.RELIABLE
)
MARKERS_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class Heard:
    """The messages of a topic, as they come."""

    def __init__(self, ros_node, message, topic, qos):
        self.ros_node = ros_node
        self.messages = []
        self.subscription = ros_node.create_subscription(
            message, topic, self.messages.append, qos
        )

    def wait_for_publisher(self):
        """Wait until what is published from now on is heard."""
        topic = self.subscription.topic_name
        wait_until(lambda: self.ros_node.count_publishers(topic), f'publisher on {topic}')
        # The publisher may still have to find the subscriber.
        time.sleep(1.0)

    def close(self):
        """Listen no longer."""
        self.ros_node.destroy_subscription(self.subscription)


@pytest.fixture
def hear(ros_node):
    """Listens to topics for as long as a test runs."""
    all_heard = []

    def begin(message, topic, qos):
        all_heard.append(Heard(ros_node, message, topic, qos))
        return all_heard[-1]

    yield begin
    for heard in all_heard:
        heard.close()


class Scene:
    """What the markers show, as RViz would keep it."""

    def __init__(self, messages):
        self.messages = messages
        self.taken = 0
        self.shown = {}

    def look(self):
        """Take what has come, and return what is shown by namespace and id."""
        for array in self.messages[self.taken :]:
            self.taken += 1
            for marker in array.markers:
                if marker.action == Marker.DELETEALL:
                    self.shown.clear()
                elif marker.action == Marker.DELETE:
                    self.shown.pop((marker.ns, marker.id), None)
                else:
                    self.shown[(marker.ns, marker.id)] = marker
        return self.shown

    def wait_for(self, keys):
        """Wait until just these are shown."""
        wait_until(lambda: set(self.look()) == set(keys), f'{keys}, but {self.look()}')


def at(x, y, **spatial):
    """A context at a place."""
    return json.dumps({'spatial': {'robot_position': [x, y, 0.0], **spatial}})


# Events


def test_each_new_memory_is_told_after_it_is_stored_in_order(memory, hear):
    heard = hear(MemoryEvent, '/robot_memory/events', RELIABLE_QOS)
    heard.wait_for_publisher()
    session_id = memory.succeed(StartSession).session_id
    fact = memory.succeed(Learn, insight='Never lift the tray by its handle.').memory_id
    memory.succeed(Learn, insight='Never lift the tray by its handle.')
    seen = memory.succeed(
        SavePerception,
        description='a cup on the table',
        perception_type='visual',
        session_id=session_id,
    ).memory_id
    memory.succeed(Update, memory_id=fact, new_content='Never lift the tray by one handle.')
    last = memory.succeed(Learn, insight='The lamp is on the left.').memory_id
    wait_until(lambda: len(heard.messages) >= 3, 'three events')
    time.sleep(0.3)
    assert [event.memory_id for event in heard.messages] == [fact, seen, last]
    first, second, _ = heard.messages
    assert (first.type, first.category, first.source) == ('fact', 'constraint', 'operator')
    # What it says by now: it was changed before it was told, or not.
    assert first.content.startswith('Never lift the tray by ')
    assert (second.type, second.perception_type) == ('perception', 'visual')
    assert (second.session_id, second.content) == (session_id, 'a cup on the table')
    assert second.stamp != Time() and second.scope == 'global' and second.collection == 'default'
    assert (second.stream, second.trigger, second.event_id) == ('', '', '')


def test_a_burst_of_memories_is_told_whole(memory, hear):
    heard = hear(MemoryEvent, '/robot_memory/events', RELIABLE_QOS)
    heard.wait_for_publisher()
    futures = [
        memory.call_async(SavePerception, description=f'box number {number} stands there')
        for number in range(100)
    ]
    stored = sorted(memory.answer(future).memory_id for future in futures)
    wait_until(lambda: len(heard.messages) >= 100, 'a hundred events')
    assert [event.memory_id for event in heard.messages] == stored


# Markers


def test_markers_show_where_memories_are_and_go_with_them(memory, hear):
    session_id = memory.succeed(StartSession).session_id
    memory.succeed(Learn, insight='The lamp is on the left.')
    tray = memory.succeed(
        Learn, insight='The tray is broken.', context=at(1.0, 2.0), session_id=session_id
    ).memory_id
    cup = memory.succeed(
        SavePerception,
        description='a cup that is very much longer than all that a text can show',
        context=at(5.0, 6.0, object_position=[3.0, 4.0, 0.7], frame='/odom'),
        perception_type='visual',
        importance=1.0,
        has_importance=True,
    ).memory_id
    markers = hear(MarkerArray, '/robot_memory/markers', MARKERS_QOS)
    scene = Scene(markers.messages)
    in_session, without = f'session {session_id[:8]}', 'no session'
    tray_keys = [(in_session, tray), (f'{in_session} text', tray)]
    cup_keys = [(without, cup), (f'{without} text', cup)]
    scene.wait_for(tray_keys + cup_keys)

    sphere = scene.shown[cup_keys[0]]
    assert sphere.type == Marker.SPHERE and sphere.header.frame_id == 'odom'
    position = sphere.pose.position
    assert (position.x, position.y, position.z) == (3.0, 4.0, 0.7)
    assert sphere.pose.orientation.w == 1.0 and sphere.color.a > 0.5
    assert sphere.lifetime.sec == 0 and sphere.lifetime.nanosec == 0
    label = scene.shown[cup_keys[1]]
    assert label.type == Marker.TEXT_VIEW_FACING and label.pose.position.z > 0.7
    assert label.text.startswith('a cup that') and len(label.text) <= 40
    small = scene.shown[tray_keys[0]]
    assert small.header.frame_id == 'map' and 0.0 < small.scale.x < sphere.scale.x
    assert small.color != sphere.color

    memory.succeed(Forget, memory_id=cup, reason='it is gone')
    scene.wait_for(tray_keys)
    # Who comes later sees the same.
    late = Scene(hear(MarkerArray, '/robot_memory/markers', MARKERS_QOS).messages)
    late.wait_for(tray_keys)


def test_the_newest_markers_are_shown_and_of_this_map_alone(nodes, hear):
    memory, _ = nodes.start(markers_max=3, map_id='hall')
    keys = []
    for number in range(5):
        map_id = 'cellar' if number == 3 else 'hall'
        made = memory.succeed(
            SavePerception,
            description=f'box number {number}',
            context=at(float(number), 0.0, map_id=map_id),
        )
        keys += [[('no session', made.memory_id), ('no session text', made.memory_id)]]
    scene = Scene(hear(MarkerArray, '/robot_memory/markers', MARKERS_QOS).messages)
    scene.wait_for(keys[1] + keys[2] + keys[4])


def test_markers_are_published_when_something_changed_at_most_once_a_second(memory, hear):
    heard = hear(MarkerArray, '/robot_memory/markers', MARKERS_QOS)
    heard.wait_for_publisher()
    wait_until(lambda: heard.messages, 'markers')
    time.sleep(1.5)
    before = len(heard.messages)
    time.sleep(2.0)
    assert len(heard.messages) == before, 'nothing has changed'
    started = time.monotonic()
    number = 0

    def have_two_come():
        nonlocal number
        number += 1
        memory.succeed(
            SavePerception, description=f'box number {number}', context=at(number * 0.1, 0.0)
        )
        return len(heard.messages) - before >= 2

    wait_until(have_two_come, 'second message of markers')
    # One may have been due when the first was saved.
    published = len(heard.messages) - before
    assert published <= 2 + (time.monotonic() - started), published


def test_markers_can_be_switched_off(nodes, ros_node):
    nodes.start(markers_max=0)
    # A node of an earlier test may be known for a moment longer.
    wait_until(
        lambda: ros_node.count_publishers('/robot_memory/markers') == 0, 'nobody to publish'
    )


# Captures


def test_a_capture_without_streams_says_what_is_missing(memory):
    answer = memory.call(Capture, reason='it rattled')
    assert (answer.success, answer.error_code) == (False, 'invalid_state')
    assert 'streams' in answer.error and answer.event_id == '' and not answer.memory_ids


STREAMS = (
    '[{topic: /wrist/wrench, name: wrist},'
    ' {topic: /arm/joints, name: arm, type: sensor_msgs/JointState}]'
)


class Hand:
    """Publishes a force and a pose a hundred times a second."""

    def __init__(self, ros_node):
        self.ros_node = ros_node
        self.x = 0.0
        self.wrench = ros_node.create_publisher(WrenchStamped, '/wrist/wrench', 10)
        self.pose = ros_node.create_publisher(PoseStamped, '/pose', 10)
        self.timer = ros_node.create_timer(0.01, self.publish)

    def publish(self):
        wrench, pose = WrenchStamped(), PoseStamped()
        wrench.header.stamp = pose.header.stamp = self.ros_node.get_clock().now().to_msg()
        wrench.header.frame_id, pose.header.frame_id = 'wrist', 'map'
        wrench.wrench.force.z = 1.0
        pose.pose.position.x, pose.pose.orientation.w = self.x, 1.0
        self.wrench.publish(wrench)
        self.pose.publish(pose)

    def close(self):
        self.ros_node.destroy_timer(self.timer)
        self.ros_node.destroy_publisher(self.wrench)
        self.ros_node.destroy_publisher(self.pose)


@pytest.fixture
def hand(ros_node):
    hand = Hand(ros_node)
    yield hand
    hand.close()


def wait_until_heard(memory):
    """Wait until the wrist is heard: a capture then has something to keep."""
    answers = []

    def heard():
        answers.append(memory.call(Capture, reason='is it heard', after_secs=0.1))
        assert answers[-1].success, answers[-1].error
        return answers[-1].memory_ids

    wait_until(heard, 'capture with a memory')


def test_a_capture_keeps_what_is_heard_and_where_the_robot_is(nodes, hand, hear):
    memory, _ = nodes.start(streams=STREAMS, pose_topic='/pose')
    events = hear(MemoryEvent, '/robot_memory/events', RELIABLE_QOS)
    wait_until_heard(memory)

    started = time.monotonic()
    answer = memory.succeed(Capture, reason='the gearbox rattled', before_secs=1.0, after_secs=1.5)
    secs = time.monotonic() - started
    assert secs > 1.4, secs
    (kept,) = answer.memory_ids
    wait_until(lambda: events.messages and events.messages[-1].memory_id == kept, 'event')
    event = events.messages[-1]
    assert (event.stream, event.trigger, event.event_id) == ('wrist', 'capture', answer.event_id)
    assert 'gearbox rattled' in event.content and event.perception_type == 'tactile'
    # The stream that hears nothing has no memory; asked for alone, there is none.
    joints = memory.succeed(Capture, reason='any joints', streams=['arm'], after_secs=0.2)
    assert not joints.memory_ids

    # The robot stands where it was: its memories have a text, until it goes far away.
    scene = Scene(hear(MarkerArray, '/robot_memory/markers', MARKERS_QOS).messages)
    key, text_key = ('no session', kept), ('no session text', kept)
    wait_until(lambda: {key, text_key} <= set(scene.look()), 'a text')
    assert scene.shown[key].header.frame_id == 'map'
    hand.x = 50.0
    wait_until(lambda: text_key not in scene.look(), 'no text')
    assert key in scene.shown


def test_captures_hold_up_no_other_calls_and_not_each_other(nodes, hand):
    memory, _ = nodes.start(streams=STREAMS)
    wait_until_heard(memory)
    futures = [
        memory.call_async(Capture, reason=f'reason {number}', after_secs=10.0)
        for number in range(8)
    ]
    ended = []
    for future in futures:
        future.add_done_callback(lambda _: ended.append(time.monotonic()))
    memory.succeed(Learn, insight='The lamp is on the left.')
    assert not ended
    answers = [memory.answer(future) for future in futures]
    assert all(answer.success and len(answer.memory_ids) == 1 for answer in answers), answers
    assert len({answer.memory_ids[0] for answer in answers}) == 8
    # One after the other they would take 80 s.
    assert max(ended) - min(ended) < 20.0


@pytest.mark.parametrize(
    ('fields', 'part'),
    [
        ({'reason': ' '}, 'reason: 1 to 200 characters, got 0'),
        ({'reason': 'why', 'before_secs': 61.0}, 'before_secs: from 0 to 60, got 61'),
        ({'reason': 'why', 'after_secs': float('nan')}, 'after_secs: from 0 to 60, got NaN'),
        ({'reason': 'why', 'streams': ['wrst']}, 'did you mean "wrist"?'),
        ({'reason': 'why', 'streams': ['battery']}, 'only wrist, arm'),
    ],
)
def test_a_bad_capture_is_refused_with_its_reason(streaming, fields, part):
    answer = streaming.call(Capture, **fields)
    assert (answer.success, answer.error_code) == (False, 'invalid_argument')
    assert part in answer.error


@pytest.fixture(scope='module')
def streaming(ros_node, tmp_path_factory):
    """A client of a node that listens to topics which nobody publishes."""
    with shared_node(ros_node, tmp_path_factory, streams=STREAMS) as (client, _):
        yield client


def test_a_capture_under_way_is_answered_when_the_node_stops(nodes, hand):
    memory, process = nodes.start(streams=STREAMS)
    wait_until_heard(memory)
    future = memory.call_async(Capture, reason='until the end', after_secs=50.0)
    time.sleep(0.5)
    process.stop()
    answer = memory.answer(future)
    assert answer.success or answer.error_code == 'unavailable'


def test_a_capture_needs_an_agent_when_all_calls_do(nodes):
    memory, _ = nodes.start(require_agent=True)
    assert memory.fail(Capture, reason='it rattled') == 'forbidden'
    assert memory.fail(Capture, reason='it rattled', agent='arm') == 'forbidden'
    assert memory.fail(Capture, reason='it rattled', agent='planner') == 'invalid_state'


# What is kept


def test_events_and_clips_beyond_their_bounds_are_deleted(nodes, hand, tmp_path):
    streams = (
        '[{topic: /wrist/wrench, name: wrist, clip: true, before_secs: 0.5, after_secs: 0.1,'
        ' triggers: [{kind: periodic, period_secs: 1}]}]'
    )
    memory, _ = nodes.start(
        streams=streams,
        store_path=str(tmp_path / 'bounded.db'),
        events_bytes_max=100_000,
        clips_bytes_max=25_000,
    )
    by_hand = memory.succeed(SavePerception, description='seen by hand').memory_id

    def deleted(array):
        values = {v.key: v.value for status in array.status for v in status.values}
        clips = int(values.get('clips deleted by clips_bytes_max', 0))
        return clips and int(values['events deleted by events_bytes_max'])

    array = memory.hear(DiagnosticArray, '/diagnostics', deleted, qos=10)
    (status,) = [status for status in array.status if status.name == 'robot_memory: events']
    values = {v.key: int(v.value) for v in status.values if v.value.isdigit()}
    assert status.level == b'\x00' and values['bytes, with rows and clips'] <= 100_000
    assert values['bytes of clips'] <= 25_000
    clips = list((tmp_path / 'bounded.db.clips').glob('*.mcap'))
    # Others may have come meanwhile, and wait for the next upkeep.
    assert clips and sum(clip.stat().st_size for clip in clips) < 50_000
    assert memory.succeed(Forget, memory_id=by_hand, reason='it is there').memory_id == by_hand
