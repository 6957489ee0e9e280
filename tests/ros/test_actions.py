"""Goals of other nodes' actions become attempts, each once."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import SingleThreadedExecutor
from robot_memory.action import Rebuild
from robot_memory.srv import Brief
from sensor_msgs.msg import BatteryState
from unique_identifier_msgs.msg import UUID

from conftest import LATCHED_QOS, WAIT_SECS_MAX, Client, ask_alone, wait_until
from stream_status import WARN, Diagnostics

SERVER = Path(__file__).parent / 'action_server.py'


class Server:
    """An action server in a process of its own, and a client of it."""

    def __init__(self, ros_node, name, *arguments):
        self.name, self.ros_node = name, ros_node
        infos = ros_node.get_publishers_info_by_topic(f'{name}/_action/status')
        self.before = {bytes(info.endpoint_gid) for info in infos}
        command = [sys.executable, str(SERVER), name, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        self.client = ActionClient(ros_node, Rebuild, name)
        wait_until(self.is_there, f'server of {name}')
        # It may find this client later than the client finds it, and cannot answer until then.
        time.sleep(1.0)

    def is_there(self):
        """Whether this one is, and not only one that was killed and is still listed."""
        infos = self.ros_node.get_publishers_info_by_topic(f'{self.name}/_action/status')
        new = {bytes(info.endpoint_gid) for info in infos} - self.before
        return new and self.client.server_is_ready()

    def send(self, what='succeed', secs=0.0):
        """Send a goal; returns its handle once it is accepted."""
        goal = Rebuild.Goal(scope=what, scope_id=str(secs))
        handle = Client.answer(ask_alone(self.client.send_goal_async, goal))
        assert handle.accepted
        return handle

    def send_blindly(self, what, secs):
        """Send a goal and return its id, whether or not its client hears that it was accepted."""
        number = uuid.uuid4()
        goal = Rebuild.Goal(scope=what, scope_id=str(secs))
        future = self.client.send_goal_async(goal, goal_uuid=UUID(uuid=list(number.bytes)))
        # A client of rclpy that spins in another thread may pass over an answer that comes at once.
        deadline = time.monotonic() + 2.0
        while not future.done() and time.monotonic() < deadline:
            time.sleep(0.001)
        return number.hex

    def do(self, what='succeed', secs=0.0):
        """Send a goal and wait for its end; returns its id."""
        handle = self.send(what, secs)
        Client.answer(ask_alone(handle.get_result_async))
        return goal_id(handle)

    def kill(self):
        """End the server without a word."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10.0)

    def close(self):
        """End both."""
        # One that is killed while it has a lock of the shared memory leaves the others waiting for it.
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(5.0)
        except subprocess.TimeoutExpired:
            self.kill()
        self.client.destroy()


def goal_id(handle):
    """A goal's UUID as attempts have it."""
    return bytes(handle.goal_id.uuid).hex()


@pytest.fixture
def serve(ros_node):
    """Starts servers, and ends them."""
    servers = []

    def start(name, *arguments):
        servers.append(Server(ros_node, name, *arguments))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def attempts(store, action):
    """The attempts that goals of an action are, in the order in which they were stored, as their `task`."""
    return contexts(store, action, 'task')


def contexts(store, action, part):
    """The same, as a part of their context."""
    query = """
        SELECT content, context FROM memory
        WHERE json_extract(context, '$.task.action') = ? AND status = 'active' ORDER BY id
    """
    with sqlite3.connect(f'file:{store}?mode=ro', uri=True) as connection:
        rows = connection.execute(query, (action,)).fetchall()
    connection.close()
    return [json.loads(context)[part] | {'content': content} for content, context in rows]


def by_goal(store, action):
    """The same by their goals; fails when a goal is there twice."""
    found = attempts(store, action)
    goals = {task['goal_id']: task for task in found}
    assert len(goals) == len(found), 'a goal is stored twice'
    return goals


def listed(action):
    """The goals in the last status of an action, as one who comes late gets it."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('late', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    found = {}

    def on_message(message):
        for status in message.status_list:
            found[bytes(status.goal_info.goal_id.uuid).hex()] = status.status

    node.create_subscription(GoalStatusArray, f'{action}/_action/status', on_message, LATCHED_QOS)
    deadline = time.monotonic() + 5.0
    while not found and time.monotonic() < deadline:
        executor.spin_once(0.1)
    node.destroy_node()
    context.shutdown()
    return found


def wait_for_outcomes(store, action, expected):
    """Wait until the goals of an action are attempts with these outcomes, and no others."""

    def differing():
        found = {goal: task['outcome'] for goal, task in by_goal(store, action).items()}
        goals = found.keys() | expected.keys()
        return {it: found.get(it) for it in goals if found.get(it) != expected.get(it)}

    deadline = time.monotonic() + WAIT_SECS_MAX
    while (left := differing()) and time.monotonic() < deadline:
        time.sleep(0.05)
    if left:
        status = listed(action)
        left = {goal: (outcome, status.get(goal)) for goal, outcome in left.items()}
    assert not left, f'{len(left)} of {len(expected)} goals have another outcome: {left}'


def subscribed(process, *names):
    """Wait until the node listens to actions."""
    for name in names:
        process.wait_until_logged(f'action {name}: its goals become attempts')


def must_stay_free(client, count):
    """Make the disk of the store count as full, or not."""
    value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=count)
    parameter = Parameter(name='disk_free_bytes_min', value=value)
    assert client.call(SetParameters, parameters=[parameter]).results[0].successful


@pytest.fixture
def diagnostics(ros_node):
    """What the node says of each action."""
    diagnostics = Diagnostics(ros_node, '/robot_memory', 'action')
    yield diagnostics
    diagnostics.close()


@pytest.fixture
def store(tmp_path):
    """Where the node's store is."""
    return tmp_path / 'goals.db'


def test_a_goal_is_an_attempt_without_anybody_reporting_it(nodes, serve, store):
    server = serve('/arm/pick_cup')
    memory, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/pick_cup')
    goal = server.do('succeed', 0.5)
    wait_for_outcomes(store, '/arm/pick_cup', {goal: 'success'})
    (task,) = attempts(store, '/arm/pick_cup')
    assert (task['name'], task['success']) == ('pick_cup', True)
    assert task['action_type'] == 'robot_memory/action/Rebuild'
    assert 0.4 < task['duration_secs'] < 5.0
    assert task['content'] == 'pick_cup: success'
    answer = memory.succeed(Brief, task='pick_cup')
    assert [it.success_count for it in answer.attempts] == [1], answer


def test_verdicts_are_those_of_the_status(nodes, serve, store):
    server = serve('/arm/place')
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/place')
    good, bad = server.do(), server.do('abort')
    handle = server.send('hang')
    wait_until(lambda: by_goal(store, '/arm/place').get(goal_id(handle)), 'an open attempt')
    assert by_goal(store, '/arm/place')[goal_id(handle)]['outcome'] == 'running'
    Client.answer(handle.cancel_goal_async())
    assert Client.answer(ask_alone(handle.get_result_async)).status == GoalStatus.STATUS_CANCELED
    expected = {good: 'success', bad: 'failure', goal_id(handle): 'cancelled'}
    wait_for_outcomes(store, '/arm/place', expected)
    goals = by_goal(store, '/arm/place')
    assert [goals[goal].get('success') for goal in expected] == [True, False, None]
    # What the server answers who asks for a result, though the node sent none of the goals.
    assert goals[bad]['reason'] == 'the gripper is stuck' and 'reason' not in goals[good]
    measured = contexts(store, '/arm/place', 'measured')
    assert [result['success'] for result in measured] == [True, False, True]


def test_a_goal_whose_server_dies_is_interrupted(nodes, serve, store, diagnostics):
    server = serve('/arm/screw')
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/screw')
    ended = server.do()
    lost = goal_id(server.send('hang'))
    wait_for_outcomes(store, '/arm/screw', {ended: 'success', lost: 'running'})
    server.kill()
    wait_for_outcomes(store, '/arm/screw', {ended: 'success', lost: 'interrupted'})
    task = by_goal(store, '/arm/screw')[lost]
    assert 'server was gone' in task['reason'] and 'success' not in task
    diagnostics.wait_for('/arm/screw', 'no server')
    again = serve('/arm/screw')
    after = again.do()
    expected = {ended: 'success', lost: 'interrupted', after: 'success'}
    wait_for_outcomes(store, '/arm/screw', expected)
    counts = diagnostics.values('/arm/screw')
    diagnostics.wait_for_count('/arm/screw', 'attempts ended', 2)
    assert counts['attempts interrupted'] == 1


def test_a_stop_does_not_wait_for_a_server_that_does_not_answer(nodes, store):
    action = '/arm/press'
    context = rclpy.Context()
    rclpy.init(context=context)
    # It is never spun.
    node = rclpy.create_node('mute', context=context)
    server = ActionServer(node, Rebuild, action, lambda _: Rebuild.Result())
    publisher = node.create_publisher(GoalStatusArray, f'{action}/_action/status', LATCHED_QOS)
    status = GoalStatus()
    status.goal_info.goal_id.uuid = list(uuid.uuid4().bytes)
    status.goal_info.stamp = node.get_clock().now().to_msg()
    goal = bytes(status.goal_info.goal_id.uuid).hex()
    try:
        _, process = nodes.start(store_path=str(store))
        subscribed(process, action)
        status.status = GoalStatus.STATUS_EXECUTING
        publisher.publish(GoalStatusArray(status_list=[status]))
        wait_for_outcomes(store, action, {goal: 'running'})
        status.status = GoalStatus.STATUS_SUCCEEDED
        publisher.publish(GoalStatusArray(status_list=[status]))
        # By then it asks for the result.
        time.sleep(1.0)
        wait_for_outcomes(store, action, {goal: 'running'})
        process.stop()
        wait_for_outcomes(store, action, {goal: 'success'})
    finally:
        server.destroy()
        node.destroy_node()
        context.shutdown()


def test_a_server_that_is_replaced_at_once_leaves_no_goal_running(nodes, serve, store):
    server = serve('/arm/weld')
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/weld')
    lost = goal_id(server.send('hang'))
    wait_for_outcomes(store, '/arm/weld', {lost: 'running'})
    server.kill()
    again = serve('/arm/weld')
    time.sleep(1.0)
    after = again.do('succeed', 0.2)
    wait_for_outcomes(store, '/arm/weld', {lost: 'interrupted', after: 'success'})


@pytest.mark.parametrize(
    ('given', 'taken'),
    [
        ({'actions': '/base/dock'}, {'/base/dock'}),
        (
            {'actions': '/base/d*', 'arguments': ['-p', "actions_exclude:=['/**/drive']"]},
            {'/base/dock'},
        ),
        ({'arguments': ['-p', "actions:=['dock', '/base/drive']"], 'namespace': '/base'}, {'/base/dock', '/base/drive'}),
        ({'actions': 'off'}, set()),
        ({'actions': ''}, set()),
        ({}, {'/base/dock', '/base/drive'}),
    ],
)
def test_a_list_selects_and_off_subscribes_to_nothing(nodes, serve, store, ros_node, given, taken):
    servers = [serve(name) for name in ('/base/dock', '/base/drive', '/base/follow_path')]
    _, process = nodes.start(store_path=str(store), **given)
    subscribed(process, *taken)
    goals = {server.name: server.do() for server in servers}
    for name in taken:
        wait_for_outcomes(store, name, {goals[name]: 'success'})

    def subscribers(name):
        infos = ros_node.get_subscriptions_info_by_topic(f'{name}/_action/status')
        return {info.node_name for info in infos}

    # Two looks at what there is.
    time.sleep(2.5)
    for name, goal in goals.items():
        assert ('robot_memory' in subscribers(name)) == (name in taken)
        assert set(by_goal(store, name)) == ({goal} if name in taken else set())


def test_a_server_may_come_before_the_node_and_after_it(nodes, serve, store):
    early = serve('/early')
    before = early.do()
    running = early.send('succeed', 6.0)
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/early')
    late = serve('/late')
    subscribed(process, '/late')
    after = late.do()
    wait_for_outcomes(store, '/late', {after: 'success'})
    wait_for_outcomes(store, '/early', {before: 'success', goal_id(running): 'success'})
    goals = by_goal(store, '/early')
    # When it ended nobody can say any more; when the other one began its server said.
    assert 'duration_secs' not in goals[before]
    assert 5.5 < goals[goal_id(running)]['duration_secs'] < 9.0


def test_over_kills_of_the_node_no_goal_is_lost_or_doubled(nodes, serve, store):
    server = serve('/line/sort')
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/line/sort')
    expected = {}
    for i in range(200):
        what = ('succeed', 'succeed', 'abort')[i % 3]
        expected[server.send_blindly(what, 0.05 * (i % 5))] = 'failure' if what == 'abort' else 'success'
        if i in (60, 130):
            # In the middle of whatever it does.
            process.process.kill()
            process.wait_for_end()
        if i in (75, 150):
            _, process = nodes.start(store_path=str(store))
    # Those that were told of while there was no node are in the last status. Fast DDS may keep back a status
    # as long as it takes a node that was killed for alive (20 s); the next one has all of them.
    time.sleep(25.0)
    expected[server.do()] = 'success'
    wait_for_outcomes(store, '/line/sort', expected)
    process.stop()
    # The same status comes to another run.
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/line/sort')
    expected[server.do()] = 'success'
    wait_for_outcomes(store, '/line/sort', expected)


def test_what_ends_while_there_is_no_node_gets_its_verdict(nodes, serve, store):
    server = serve('/arm/turn')
    _, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/turn')
    short, long = server.send('abort', 3.0), server.send('succeed', 12.0)
    running = {goal_id(short): 'running', goal_id(long): 'running'}
    wait_for_outcomes(store, '/arm/turn', running)
    process.process.kill()
    process.wait_for_end()
    Client.answer(short.get_result_async())
    nodes.start(store_path=str(store))
    wait_for_outcomes(store, '/arm/turn', {goal_id(short): 'failure', goal_id(long): 'success'})
    goals = by_goal(store, '/arm/turn')
    assert 'duration_secs' not in goals[goal_id(short)]
    assert 11.0 < goals[goal_id(long)]['duration_secs'] < 15.0


def test_while_the_store_cannot_be_written_goals_wait(nodes, serve, store, diagnostics):
    server = serve('/arm/lift')
    client, process = nodes.start(store_path=str(store))
    subscribed(process, '/arm/lift')
    must_stay_free(client, 2**62)
    process.wait_until_logged('writes are refused')
    goals = {server.do(): 'success' for _ in range(5)} | {server.do('abort'): 'failure'}
    diagnostics.wait_for('/arm/lift', 'goals wait')
    assert diagnostics.level('/arm/lift') == WARN and not attempts(store, '/arm/lift')
    must_stay_free(client, 0)
    wait_for_outcomes(store, '/arm/lift', goals)
    assert all(task['duration_secs'] < 2.0 for task in attempts(store, '/arm/lift'))
    diagnostics.wait_for('/arm/lift', '6 goals, 0 active')


def test_an_attempt_has_the_place_of_the_robot(nodes, serve, store, ros_node):
    server = serve('/base/patrol')
    odometry = Odometry()
    odometry.header.frame_id, odometry.child_frame_id = 'odom', 'base_link'
    odometry.pose.pose.position.x, odometry.pose.pose.orientation.w = 1.5, 1.0
    publisher = ros_node.create_publisher(Odometry, '/odom', 10)

    def publish():
        odometry.header.stamp = ros_node.get_clock().now().to_msg()
        publisher.publish(odometry)

    timer = ros_node.create_timer(0.05, publish)
    try:
        _, process = nodes.start(store_path=str(store), pose_topic='/odom')
        subscribed(process, '/base/patrol')
        process.wait_until_logged('subscribed to /odom')
        # The pose is told once a second.
        time.sleep(2.0)
        goal = server.do()
        wait_for_outcomes(store, '/base/patrol', {goal: 'success'})
    finally:
        ros_node.destroy_timer(timer)
        ros_node.destroy_publisher(publisher)
    (spatial,) = contexts(store, '/base/patrol', 'spatial')
    assert spatial['robot_position'] == [1.5, 0.0, 0.0] and spatial['frame'] == 'odom'


def test_an_attempt_has_what_the_robot_used(nodes, serve, store, ros_node):
    server = serve('/base/deliver')
    odometry = Odometry()
    odometry.header.frame_id, odometry.child_frame_id = 'odom', 'base_link'
    odometry.pose.pose.orientation.w = 1.0
    battery = BatteryState(percentage=0.8, power_supply_status=2)
    publishers = [
        ros_node.create_publisher(Odometry, '/odom', 10),
        ros_node.create_publisher(BatteryState, '/battery_state', 10),
    ]

    def publish():
        # 0.5 m/s and 2 % a second.
        odometry.pose.pose.position.x += 0.025
        battery.percentage -= 0.001
        for publisher, message in zip(publishers, (odometry, battery)):
            message.header.stamp = ros_node.get_clock().now().to_msg()
            publisher.publish(message)

    _, process = nodes.start(
        store_path=str(store), pose_topic='/odom', streams='[{topic: /battery_state}]'
    )
    timer = ros_node.create_timer(0.05, publish)
    try:
        subscribed(process, '/base/deliver')
        for topic in ('/odom', '/battery_state'):
            process.wait_until_logged(f'subscribed to {topic}')
        time.sleep(2.0)
        goal = server.do('succeed', 5.0)
        wait_for_outcomes(store, '/base/deliver', {goal: 'success'})
    finally:
        ros_node.destroy_timer(timer)
        for publisher in publishers:
            ros_node.destroy_publisher(publisher)
    (measured,) = contexts(store, '/base/deliver', 'measured')
    assert 2.0 < measured['charge_used_percent'] < 30.0, measured
    assert 0.5 < measured['travelled_m'] < 8.0, measured
