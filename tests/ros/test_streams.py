"""Topics that are listened to: what is published becomes memories."""

import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Odometry
from robot_memory.action import Rebuild
from robot_memory.srv import Capture, Recall
from rclpy.duration import Duration
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, String

from conftest import wait_until
from stream_status import (
    BEST_EFFORT,
    ERROR,
    LATCHED,
    OK,
    RELIABLE,
    WARN,
    Diagnostics,
    stored_events,
)


class Listening:
    """A node that listens, what it says of its streams, and who publishes for it."""

    def __init__(self, ros_node, nodes, folder, **options):
        self.ros_node = ros_node
        self.store = folder / 'streams.db'
        self.client, self.process = nodes.start(store_path=self.store, **options)
        self.diagnostics = Diagnostics(ros_node, self.client.full_name)
        self.publishers = []

    def publisher(self, message, topic, stream=None, qos=RELIABLE):
        """Begin to publish; with a stream's name, wait until that is subscribed."""
        publisher = self.ros_node.create_publisher(message, topic, qos)
        self.publishers.append(publisher)
        if stream:
            wait_until(
                lambda: publisher.get_subscription_count() > 0, f'subscription to {topic}'
            )
            # The publisher is known to the subscription a moment later.
            time.sleep(1.0)
        return publisher

    def now(self):
        """The time for a header."""
        return self.ros_node.get_clock().now().to_msg()

    def events(self):
        """What is stored."""
        return stored_events(self.store)

    def wait_for_events(self, count):
        """Wait until so many events are stored, and return them."""
        wait_until(lambda: len(self.events()) >= count, f'{count} events: {self.told()}')
        return self.events()

    def told(self):
        """All events in words."""
        return [event['content'] for event in self.events()]

    def close(self):
        """Publish and listen no longer."""
        self.diagnostics.close()
        for publisher in self.publishers:
            self.ros_node.destroy_publisher(publisher)


@pytest.fixture
def listen(ros_node, nodes, tmp_path):
    """Starts nodes that listen."""
    all_listening = []

    def begin(**options):
        all_listening.append(Listening(ros_node, nodes, tmp_path, **options))
        return all_listening[-1]

    yield begin
    for listening in all_listening:
        listening.close()


def test_each_edge_of_a_boolean_becomes_a_memory(listen):
    it = listen(streams='[{topic: /safety/protective_stop}]')
    stop = it.publisher(Bool, '/safety/protective_stop', 'safety/protective_stop')
    began = time.time_ns()
    for _ in range(3):
        for is_on in (False, True, True, False):
            stop.publish(Bool(data=is_on))
            time.sleep(0.05)
    events = [event for event in it.wait_for_events(3) if event['trigger'] == 'edge']
    assert len({event['key'] for event in events}) == len(events) >= 3
    for event in events:
        assert 'protective stop' in event['content'], event['content']
        assert began < event['began_at'] < time.time_ns()
        assert event['context']['env']['sim_or_real'] == 'real'
        assert event['context']['event']['stream'] == 'safety/protective_stop'
    answer = it.client.succeed(Recall, query='protective stop', n=5)
    assert len(answer.memories) >= 3
    it.diagnostics.wait_for_count('safety/protective_stop', 'events stored', len(events))
    values = it.diagnostics.values('safety/protective_stop')
    assert values['received'] == 12 and values['lost on the way'] == 0, values
    assert values['type'] == 'std_msgs/msg/Bool'
    assert values['qos'] == 'reliable, volatile, keep last 1000'
    assert it.diagnostics.level('safety/protective_stop') == OK


def test_a_touch_on_an_untuned_robot_becomes_one_memory_with_its_window(listen):
    it = listen(streams='[{topic: /wrist/wrench, triggers: [contact]}]')
    wrench = it.publisher(WrenchStamped, '/wrist/wrench', 'wrist/wrench', BEST_EFFORT)
    message = WrenchStamped()
    message.header.frame_id = 'tool0'
    for i in range(800):
        message.header.stamp = it.now()
        message.wrench.force.z = 15.0 if 300 <= i < 500 else 0.01 * (i % 7)
        wrench.publish(message)
        time.sleep(0.005)
    (event,) = it.wait_for_events(1)
    assert event['trigger'] == 'contact' and 'contact' in event['content']
    (series, *_) = event['data']['series']
    assert series['kind'] == 'wrench' and series['channels'][2] == 'force.z'
    forces = [row[2] for row in series['values']]
    assert max(forces) == pytest.approx(15.0) and min(forces) < 1.0
    assert series['t'][0] < 0.0 < series['t'][-1]


def test_what_is_waited_for_is_told_and_heard_when_it_comes(listen, stranger):
    it = listen(
        streams='[{topic: /late, name: late},'
        ' {topic: /mixed, name: mixed},'
        ' {topic: /foreign, name: foreign, type: no_such_pkg/msg/Thing},'
        ' {topic: /other, name: other, type: std_msgs/Bool}]'
    )
    it.publisher(Bool, '/mixed')
    stranger.create_publisher(String, '/mixed', RELIABLE)
    it.publisher(String, '/foreign')
    it.publisher(String, '/other')
    it.diagnostics.wait_for('late', 'waiting: nobody publishes /late')
    # Of two types the one may be discovered first: then that one is heard, and the other one named.
    several = 'several types, std_msgs/msg/Bool and std_msgs/msg/String'
    wait_until(
        lambda: several in it.diagnostics.message('mixed')
        or 'stream mixed: /mixed is also published as' in it.process.log(),
        f'two types of mixed, but {it.diagnostics.message("mixed")!r}',
    )
    it.diagnostics.wait_for('foreign', 'no_such_pkg')
    it.diagnostics.wait_for('other', 'is published as std_msgs/msg/String, not as std_msgs/msg/Bool')
    assert all(it.diagnostics.level(name) == WARN for name in ('late', 'foreign', 'other'))
    if several in it.diagnostics.message('mixed'):
        assert it.diagnostics.level('mixed') == WARN
    late = it.publisher(Bool, '/late', 'late')
    for is_on in (False, True, False):
        late.publish(Bool(data=is_on))
        time.sleep(0.05)
    assert it.wait_for_events(1)
    it.diagnostics.wait_for('late', 'receiving')
    # Each was told once.
    assert it.process.log().count('waiting: nobody publishes /late') == 1


def test_a_type_that_the_node_was_not_built_with_is_heard_by_a_field(listen):
    it = listen(
        streams='[{topic: /odom, name: speed, field: twist.twist.linear.x,'
        ' triggers: [{kind: periodic, period_secs: 0.5}]}]'
    )
    odometry = it.publisher(Odometry, '/odom', 'speed')
    message = Odometry()
    for i in range(100):
        message.header.stamp = it.now()
        message.twist.twist.linear.x = 0.01 * i
        odometry.publish(message)
        time.sleep(0.02)
    events = it.wait_for_events(2)
    assert it.diagnostics.values('speed')['type'] == 'nav_msgs/msg/Odometry'
    (series, *_) = events[-1]['data']['series']
    assert any(value is not None and value > 0.1 for row in series['values'] for value in row)


def test_a_field_that_is_not_there_is_told(listen):
    it = listen(streams='[{topic: /odom, name: odom, field: twist.speed}]')
    it.publisher(Odometry, '/odom', 'odom')
    it.diagnostics.wait_for('odom', 'no events are kept')
    assert it.diagnostics.level('odom') == ERROR
    assert 'speed' in it.diagnostics.message('odom')


def test_a_mismatch_of_qos_is_told_in_words(listen):
    it = listen(streams='[{topic: /stop, name: stop, qos: {reliability: reliable}}]')
    stop = it.publisher(Bool, '/stop', qos=BEST_EFFORT)
    it.diagnostics.wait_for(
        'stop', 'is not received on /stop: reliability reliable is asked for, best_effort offered'
    )
    assert it.diagnostics.level('stop') == WARN
    assert stop.get_subscription_count() == 0


def test_a_subscription_adapts_to_who_publishes(listen):
    it = listen(streams='[{topic: /stop, name: stop}]')
    it.publisher(Bool, '/stop', 'stop', RELIABLE)
    wait_until(lambda: 'reliable' in it.diagnostics.values('stop').get('qos', ''), 'reliable')
    second = it.publisher(Bool, '/stop', 'stop', BEST_EFFORT)
    wait_until(lambda: 'best_effort' in it.diagnostics.values('stop')['qos'], 'best effort')
    for is_on in (False, True, False):
        second.publish(Bool(data=is_on))
        time.sleep(0.05)
    assert it.wait_for_events(1)


def test_auto_finds_topics_of_known_types_and_no_others(listen):
    it = listen(streams='auto')
    stop = it.publisher(Bool, '/found/stop', 'found/stop')
    it.publisher(PoseStamped, '/found/goal')
    for is_on in (False, True, False):
        stop.publish(Bool(data=is_on))
        time.sleep(0.05)
    assert it.wait_for_events(1)
    it.diagnostics.wait_for('found/stop', 'receiving')
    assert set(it.diagnostics.statuses) == {'found/stop', 'rosout'}


def test_components_are_selected_by_parameters(listen, tmp_path):
    file = tmp_path / 'where.yaml'
    file.write_text(
        '/**:\n  ros__parameters:\n    streams:\n      sensors:\n        topic: /cell/diagnostics\n'
        "        where: {status.name: 'lidar*', level: '>=WARN'}\n"
    )
    it = listen(arguments=['--params-file', file])
    publisher = it.publisher(DiagnosticArray, '/cell/diagnostics', 'sensors')

    def publish(level):
        names = ('imu', 'lidar: scan')
        statuses = [DiagnosticStatus(level=level, name=name, message='slow') for name in names]
        publisher.publish(DiagnosticArray(status=statuses))
        time.sleep(0.3)

    def is_heard():
        publish(OK)
        return it.diagnostics.count('sensors', 'received') > 0

    # Not on /diagnostics, where the node hears itself.
    wait_until(is_heard, 'message that is received')
    for level in (WARN, OK):
        publish(level)
    (event,) = it.wait_for_events(1)
    assert event['content'].startswith('lidar: scan: WARN "slow", for '), event['content']
    of_event = event['context']['event']
    assert (of_event['stream'], of_event['subject']) == ('sensors', 'lidar: scan')
    assert (of_event['level'], of_event['text'], of_event['count']) == ('WARN', 'slow', 1)


def test_the_feedback_of_an_action_is_read_by_a_field(listen):
    it = listen(
        streams='[{topic: /base/rebuild/_action/feedback, name: feedback, field: feedback.done,'
        ' triggers: [{kind: threshold, above: 5}]}]'
    )
    feedback = it.publisher(
        Rebuild.Impl.FeedbackMessage, '/base/rebuild/_action/feedback', 'feedback'
    )
    for done in (0, 7, 9, 1):
        message = Rebuild.Impl.FeedbackMessage()
        message.feedback.done = done
        feedback.publish(message)
        time.sleep(0.2)
    (event,) = it.wait_for_events(1)
    assert 'above 5, up to 9' in event['content'], event['content']


def test_the_pose_is_stamped_on_events_and_what_is_missing_is_told(listen):
    it = listen(streams='[{topic: /stop}]', pose_topic='/where', map_id='hall')
    pose = it.publisher(PoseStamped, '/where', 'pose')
    stop = it.publisher(Bool, '/stop', 'stop')
    stop.publish(Bool(data=False))
    stop.publish(Bool(data=True))
    time.sleep(1.0)
    stop.publish(Bool(data=False))
    message = PoseStamped()
    message.header.frame_id = 'map'
    message.pose.position.x = 1.5
    message.pose.orientation.w = 1.0
    for is_on in (False, True, False):
        message.header.stamp = it.now()
        pose.publish(message)
        time.sleep(0.05)
        stop.publish(Bool(data=is_on))
        time.sleep(0.05)
    first, *_, last = it.wait_for_events(2)
    assert 'robot_position' not in first['context'].get('spatial', {})
    assert 'none' in str(first['metadata']['pose']) or 'left out' in str(first['metadata']['pose'])
    spatial = last['context']['spatial']
    assert spatial['robot_position'] == [1.5, 0.0, 0.0]
    assert (spatial['frame'], spatial['map_id']) == ('map', 'hall')


def test_topics_are_remapped_and_private_ones_are_the_nodes_own(listen):
    it = listen(
        name='hearing',
        namespace='/arm',
        streams='[{topic: stop, name: stop}, {topic: button, name: button},'
        ' {topic: ~/private, name: private}]',
        arguments=['-r', 'stop:=/safety/halt'],
    )
    topics = {'stop': '/safety/halt', 'button': '/arm/button', 'private': '/arm/hearing/private'}
    for stream, topic in topics.items():
        it.publisher(Bool, topic, stream)
        wait_until(lambda: it.diagnostics.values(stream).get('topic') == topic, topic)


def test_simulated_time_stamps_what_comes(listen):
    it = listen(streams='[{topic: /stop}]', use_sim_time=True)
    stop = it.publisher(Bool, '/stop', 'stop')
    for is_on in (False, True, False):
        stop.publish(Bool(data=is_on))
    it.diagnostics.wait_for('stop', 'waiting for /clock')
    it.diagnostics.wait_for_count('stop', 'dropped: before /clock', 3)
    clock = it.publisher(Clock, '/clock', 'clock')
    for i, is_on in enumerate((False, True, False, True)):
        message = Clock()
        message.clock.sec = 1000 + i
        clock.publish(message)
        stop.publish(Bool(data=is_on))
        time.sleep(0.05)
    # The clock stands still, so the last one ends, too.
    events = it.wait_for_events(2)
    assert [event['began_at'] for event in events] == [1001 * 10**9, 1003 * 10**9]
    assert all(event['context']['env']['sim_or_real'] == 'sim' for event in events)

def test_a_stop_that_was_pressed_before_it_was_heard_is_remembered(ros_node, listen):
    stop = ros_node.create_publisher(Bool, '/cell/e_stop', LATCHED)
    stop.publish(Bool(data=True))
    it = listen(streams='auto')
    it.publishers.append(stop)
    it.diagnostics.wait_for_count('cell/e_stop', 'received', 1)
    assert it.diagnostics.values('cell/e_stop')['qos'] == 'reliable, transient_local, keep last 1000'
    stop.publish(Bool(data=False))
    (event,) = it.wait_for_events(1)
    assert 'e stop on already when first heard' in event['content']
    assert event['trigger'] == 'edge'


def test_a_pause_of_simulated_time_loses_no_edge(listen):
    it = listen(streams='[{topic: /stop}]', use_sim_time=True)
    stop = it.publisher(Bool, '/stop', 'stop')
    clock = it.publisher(Clock, '/clock', 'clock')

    def say(sec, is_on):
        message = Clock()
        message.clock.sec = sec
        clock.publish(message)
        stop.publish(Bool(data=is_on))
        time.sleep(0.1)

    for sec, is_on in ((1000, False), (1001, True), (1002, False)):
        say(sec, is_on)
    time.sleep(4.0)
    for sec, is_on in ((1003, True), (1004, False)):
        say(sec, is_on)
    events = it.wait_for_events(2)
    assert [event['began_at'] for event in events] == [1001 * 10**9, 1003 * 10**9]
    assert not any('already' in event['content'] for event in events)


def test_a_topic_whose_stamps_are_old_is_heard_beside_others(listen):
    it = listen(streams='[{topic: /wrist/wrench, triggers: [contact]}, {topic: /joint_states}]')
    wrench = it.publisher(WrenchStamped, '/wrist/wrench', 'wrist/wrench')
    joints = it.publisher(JointState, '/joint_states', 'joint_states')
    force, arm = WrenchStamped(), JointState(name=['elbow'], position=[0.0], velocity=[0.0])
    for i in range(700):
        now = it.ros_node.get_clock().now()
        arm.header.stamp = now.to_msg()
        joints.publish(arm)
        force.header.stamp = (now - Duration(seconds=0.6)).to_msg()
        force.wrench.force.z = 15.0 if 300 <= i < 450 else 0.01 * (i % 7)
        wrench.publish(force)
        time.sleep(0.01)
    (event,) = it.wait_for_events(1)
    assert event['trigger'] == 'contact'
    assert it.diagnostics.count('wrist/wrench', 'dropped: late') == 0
    assert it.diagnostics.level('wrist/wrench') == OK


def test_a_capture_is_stored_and_answered(listen):
    it = listen(streams='[{topic: /wrist/wrench, name: wrist}]')
    wrench = it.publisher(WrenchStamped, '/wrist/wrench', 'wrist')
    message = WrenchStamped()
    for _ in range(100):
        message.header.stamp = it.now()
        wrench.publish(message)
        time.sleep(0.01)
    future = it.client.call_async(
        Capture, reason='it rattled', streams=['wrist'], before_secs=0.5, after_secs=0.2
    )
    for _ in range(100):
        message.header.stamp = it.now()
        wrench.publish(message)
        time.sleep(0.01)
    answer = it.client.answer(future)
    assert answer.success and len(answer.memory_ids) == 1, answer
    (event,) = [event for event in it.events() if event['trigger'] == 'capture']
    assert event['event_id'] == answer.event_id
    assert 'rattled' in event['content']


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_what_is_open_is_stored_when_the_node_stops(listen, number):
    it = listen(streams='[{topic: /stop}]')
    stop = it.publisher(Bool, '/stop', 'stop')
    for is_on in (False, True):
        stop.publish(Bool(data=is_on))
    it.diagnostics.wait_for_count('stop', 'received', 2)
    it.process.stop(number)
    (event,) = it.events()
    assert event['trigger'] == 'edge'


@pytest.mark.parametrize(
    'streams, part',
    [
        ('[{topik: /x}]', 'topik'),
        ('[{topic: /x, rate_max_hz: -1}]', 'rate_max_hz'),
        ('nonsense', 'auto'),
    ],
)
def test_a_list_that_is_not_understood_ends_the_start(nodes, streams, part):
    process = nodes.launch(streams=streams)
    assert process.wait_for_end() == 2
    assert 'parameter streams' in process.log() and part in process.log()
