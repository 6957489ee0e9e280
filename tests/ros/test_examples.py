"""The examples: in Python they run against the node, in C++ where rclcpp is installed; the rest is well formed."""

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from nav_msgs.msg import Odometry
from robot_memory.srv import Brief, Learn, Recall

from conftest import WAIT_SECS_MAX, is_installed, wait_until
from test_actions import Server

EXAMPLES = Path(__file__).parents[2] / 'examples'
TREE = EXAMPLES / 'behavior_tree/trees/pick.xml'
BUILD_SECS_MAX = 600.0


def run(command, code=0):
    """Run a program, and return what it prints."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=WAIT_SECS_MAX,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, f'{done.stdout}\n{done.stderr}'
    return done.stdout + done.stderr


def python(memory, file, *arguments, code=0):
    """Run an example in Python."""
    return run([sys.executable, EXAMPLES / file, '--memory', memory.full_name, *arguments], code)


def test_the_client_in_python_shows_each_call(memory):
    printed = python(memory, 'rclpy_client/memory_client.py')
    assert "[('<=', 15.0, 'N')]" in printed
    assert 'params.grip_force is 18 N, but must be at most 15 N' in printed
    assert '1 of 2 attempts succeeded; force 9 N worked' in printed
    assert 'failed 0.22 m away: pick glass bottle: failure, slipped' in printed


def test_the_client_says_what_was_refused_and_that_nobody_responds(memory):
    assert 'forbidden' in python(memory, 'rclpy_client/memory_client.py', '--agent', 'nobody', code=1)
    memory.full_name += '_elsewhere'
    program = EXAMPLES / 'rclpy_client/memory_client.py'
    short = f"""
import sys
sys.path.insert(0, {str(program.parent)!r})
import rclpy
from memory_client import Memory, NoAnswer
rclpy.init()
try:
    Memory({memory.full_name!r}).wait_until_ready(0.5)
except NoAnswer as error:
    print(error)
"""
    assert 'is not ready after 0.5 s' in run([sys.executable, '-c', short])


def pick(memory, thing, *arguments, code=0):
    """Pick a simulated object that slips below 8 N; returns the forces that were tried."""
    arguments = ['--simulated', '--object', thing, '--times', '6', *arguments]
    printed = python(memory, 'moveit_pick/pick.py', *arguments, code=code)
    return [float(force) for force in re.findall(r'attempt \d+: ([0-9.]+) N', printed)], printed


def test_the_pick_learns_the_force_of_an_object_and_of_its_kind(memory):
    assert pick(memory, 'red glass cup')[0] == [4.0, 7.0, 10.0]
    assert pick(memory, '红色玻璃杯')[0] == [10.0]
    assert pick(memory, 'blue glass cup')[0] == [10.0]
    assert pick(memory, 'egg', '--slips-below', '1.5', '--crushes-above', '3')[0] == [4.0, 2.0]
    brief = memory.succeed(Brief, task='pick', object='red glass cup')
    own = brief.attempts[0]
    assert (own.nearness, own.success_count, own.failure_count) == ('object', 2, 2)
    assert [step for procedure in brief.procedures for step in json.loads(procedure.steps)]


def test_the_pick_keeps_the_rules(memory):
    memory.succeed(Learn, insight='Never grip the paper cup with more than 5 N')
    forces, printed = pick(memory, 'paper cup', code=1)
    assert forces == [4.0]
    assert 'not done: params.force_n is 7 N, but must be at most 5 N' in printed


def test_goals_that_failed_are_found_by_their_place(memory):
    goal = ('--radius', '0.5', '--', '3.2', '-1.5')
    assert python(memory, 'nav2/navigate.py', '--simulated', 'aborted', *goal, code=1) == 'failure\n'
    assert python(memory, 'nav2/navigate.py', '--simulated', 'canceled', *goal, code=1).endswith('cancelled\n')
    printed = python(memory, 'nav2/navigate.py', '--ask', '--', '3.0', '-1.5')
    assert printed.splitlines()[0] == 'goal 0.20 m away: failed, no valid path'
    assert python(memory, 'nav2/navigate.py', '--ask', '--', '5.0', '-1.5') == ''


def test_goals_of_nav2_are_found_by_where_the_robot_was(nodes, ros_node):
    server = Server(ros_node, '/navigate_to_pose')
    odometry = Odometry()
    odometry.header.frame_id, odometry.child_frame_id = 'map', 'base_link'
    odometry.pose.pose.position.x, odometry.pose.pose.orientation.w = 2.0, 1.0
    publisher = ros_node.create_publisher(Odometry, '/odom', 10)

    def publish():
        odometry.header.stamp = ros_node.get_clock().now().to_msg()
        publisher.publish(odometry)

    timer = ros_node.create_timer(0.05, publish)
    try:
        # The parameters of the example, but for the source of the pose.
        arguments = ['--params-file', str(EXAMPLES / 'nav2/memory.yaml'), '-p', 'pose_topic:=/odom']
        memory, process = nodes.start(arguments=arguments)
        process.wait_until_logged('subscribed to /odom')
        wait_until(lambda: '/navigate_to_pose' in process.log(), 'subscription to the action')
        assert 'unknown' not in process.log() and 'ignored' not in process.log()

        def is_found():
            server.do('abort')
            field = '{"task.name": "navigate_to_pose", "task.success": false}'
            hits = memory.succeed(Recall, context_filter=field, n=100).memories
            return any('robot_position' in hit.spatial for hit in hits)

        # The pose is told once a second.
        wait_until(is_found, 'a failed goal with a place')
        printed = python(memory, 'nav2/navigate.py', '--ask', '--', '2.5', '0.0')
        assert 'robot 0.50 m away: failed, the gripper is stuck' in printed
    finally:
        ros_node.destroy_timer(timer)
        ros_node.destroy_publisher(publisher)
        server.close()


def built(example, tmp_path, *packages):
    """Build an example in C++; returns its build folder."""
    for package in ('robot_memory', *packages):
        if not is_installed(package):
            pytest.skip(f'{package} is not installed')
    python_option = f'-DPython3_EXECUTABLE={sys.executable}'
    configure = ['cmake', '-S', EXAMPLES / example, '-B', tmp_path / example, python_option]
    for command in (configure, ['cmake', '--build', tmp_path / example]):
        subprocess.run(command, check=True, timeout=BUILD_SECS_MAX, stdin=subprocess.DEVNULL)
    return tmp_path / example


def test_the_client_in_cpp_stores_an_attempt(memory, tmp_path):
    program = built('rclcpp_client', tmp_path, 'rclcpp') / 'memory_client'
    memory_name = ['--ros-args', '-p', f'memory:={memory.full_name}']
    assert 'nothing is known of it' in run([program, *memory_name])
    assert '1 of 1 attempts succeeded; force 9 N worked' in run([program, *memory_name])


def test_the_behavior_tree_asks_and_stores(memory, tmp_path):
    program = built('behavior_tree', tmp_path, 'rclcpp', 'behaviortree_cpp') / 'pick'
    memory_name = ['--ros-args', '-p', f'memory:={memory.full_name}']
    assert 'SUCCESS' in run([program, TREE, 'copper bell', '8.5', *memory_name])
    # Chosen is what worked, not what was planned.
    assert 'SUCCESS' in run([program, TREE, 'copper bell', '5', *memory_name])
    assert 'FAILURE' in run([program, TREE, 'wooden spoon', '5', *memory_name], code=1)
    brief = memory.succeed(Brief, task='pick', object='wooden spoon')
    assert [(it.outcome, it.reason) for it in brief.similar] == [('failure', 'slipped')]
    memory.succeed(Learn, insight='Never grip the copper bell with more than 10 N')
    assert 'FAILURE' in run([program, TREE, 'copper bell', '12', *memory_name], code=1)


def test_the_tree_names_the_ports_that_its_nodes_have():
    declared = {}
    for source in sorted((EXAMPLES / 'behavior_tree/src').glob('*.[ch]pp')):
        for name, body in re.findall(r'^class (\w+) : public BT::(.*?)^};', source.read_text(), re.M | re.S):
            declared[name] = set(re.findall(r'BT::(?:In|Out)putPort<[^(]*>\("(\w+)"', body))
    root = ElementTree.parse(TREE).getroot()
    assert root.get('BTCPP_format') == '4'
    models = {model.get('ID'): {port.get('name') for port in model} for model in root.find('TreeNodesModel')}
    assert models == {name: declared[name] for name in ('Brief', 'Attempt', 'Grasp')}
    used = [node for node in root.find('BehaviorTree').iter() if node.tag in models]
    assert {node.tag for node in used} == set(models)
    for node in used:
        assert set(node.attrib) == models[node.tag], node.tag


@pytest.mark.parametrize('example', ['rclcpp_client', 'behavior_tree'])
def test_a_package_among_the_examples_is_not_built_by_surprise(example):
    package = ElementTree.parse(EXAMPLES / example / 'package.xml').getroot()
    cmake = (EXAMPLES / example / 'CMakeLists.txt').read_text()
    assert f'project({package.find("name").text} ' in cmake
    for depend in package.findall('depend'):
        assert f'find_package({depend.text} REQUIRED)' in cmake
    if shutil.which('colcon') is None:
        pytest.skip('colcon is not installed')
    listed = subprocess.run(
        ['colcon', 'list', '--names-only', '--base-paths', str(EXAMPLES.parent)],
        capture_output=True,
        text=True,
        timeout=WAIT_SECS_MAX,
        check=True,
    )
    assert listed.stdout.split() == ['robot_memory']
