"""The module for programs that speak ROS, against a node: in callbacks, in threads, and where nobody spins."""

import json
import re
import subprocess
import sys
import threading

import pytest
import rclpy
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from robot_memory.srv import GetMemory

from conftest import WAIT_SECS_MAX, wait_until
from http_client import PACKAGE, SOURCE
from shared_node import shared_node

from robot_memory_client import InvalidArgument, InvalidState, NotFound, Refused, Unavailable
from robot_memory_client.ros import Memory


SERVICES = ('learn', 'brief', 'begin_attempt', 'end_attempt', 'recall')


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        yield client


@pytest.fixture
def robot(ros_node):
    """A node of a pipeline, which nobody spins."""
    context = rclpy.Context()
    rclpy.init(context=context)
    robot = rclpy.create_node('pipeline', context=context)
    yield robot
    robot.destroy_node()
    context.shutdown()


@pytest.fixture
def memory(node, robot):
    with Memory(robot, node.full_name, timeout=WAIT_SECS_MAX) as memory:
        yield memory


def test_calls_where_nobody_spins(memory):
    learned = memory.learn('The oven door is heavy', {'env': {'room': 'kitchen'}}, importance=0.9)
    assert learned.status == 'created'
    found = memory.recall('oven door', context_filter={'env.room': 'kitchen'}, n=3)
    assert [(one.id, one.importance) for one in found] == [(learned.memory_id, 0.9)]
    assert memory.recall(collection='nothing', query='oven') == []
    assert memory.brief('dance', params={'speed': 1.0}).is_known is False
    key = {'idempotency_key': 'once'}
    assert (
        memory.learn('The sink is low', **key).memory_id == memory.learn('The sink is low', **key).memory_id
    )


@pytest.mark.parametrize('kind', [SingleThreadedExecutor, MultiThreadedExecutor])
def test_calls_in_a_callback(memory, robot, kind):
    executor = kind(context=robot.context)
    executor.add_node(robot)
    done = []
    timer = robot.create_timer(0.01, lambda: done.append(memory.recall('oven', n=1)))
    try:
        for _ in range(3):
            before = len(done)
            executor.spin_once(timeout_sec=WAIT_SECS_MAX)
            wait_until(lambda: len(done) > before, 'callback')
    finally:
        robot.destroy_timer(timer)
        executor.shutdown()


def test_threads_share_it(memory):
    failed = []

    def work(number):
        try:
            for step in range(5):
                memory.learn(f'Box {number} has {step} screws', collection='boxes')
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert memory.call('recall', query='screws', collection='boxes', n=100).total == 30


def told(node, attempt):
    """What is stored of an attempt."""
    stored = node.succeed(GetMemory, memory_id=attempt.attempt_id).memory
    task = json.loads(stored.context)['task']
    return task.get('outcome'), task.get('reason'), json.loads(stored.params or '{}')


def test_an_attempt_ends_as_it_is_told(memory, node):
    with memory.attempt('pick', 'mug', params={'force_n': 12}) as attempt:
        ended = attempt.succeed(score=0.8, measured={'force_n': 11.8}, params={'force_n': 11})
        assert ended.outcome == 'success'
    outcome, _, params = told(node, attempt)
    assert (outcome, params['force_n']) == ('success', 11)
    with memory.attempt('pick', 'mug') as attempt:
        attempt.fail('slipped')
    assert told(node, attempt)[:2] == ('failure', 'slipped')


def test_an_attempt_has_the_outcome_that_was_told_wrongly(memory, node):
    with pytest.raises(InvalidArgument), memory.attempt('pick', 'mug') as attempt:
        attempt.succeed(colour='red')
    assert told(node, attempt)[0] == 'success'
    with memory.attempt('pick', 'mug') as caught:
        with pytest.raises(InvalidArgument):
            caught.fail(score=7)
        with pytest.raises(InvalidArgument):
            caught.end('won')
    assert told(node, caught)[0] == 'failure'
    with memory.attempt('pick', 'mug') as attempt:
        assert attempt.succeed(score=1).outcome == 'success'


def test_an_attempt_that_nobody_ended_is_ended(memory, node):
    with memory.attempt('pick', 'mug') as silent:
        pass
    with pytest.raises(ZeroDivisionError), memory.attempt('pick', 'mug') as broken:
        1 / 0
    with pytest.raises(KeyboardInterrupt), memory.attempt('pick', 'mug') as stopped:
        raise KeyboardInterrupt
    assert told(node, silent)[0] == 'unknown'
    assert told(node, broken)[:2] == ('failure', 'ZeroDivisionError: division by zero')
    assert told(node, stopped)[0] == 'cancelled'
    with pytest.raises(InvalidState):
        silent.succeed()


def test_errors_are_those_of_the_client_over_http(memory):
    with pytest.raises(InvalidArgument, match='n: .*got 1000'):
        memory.recall('mug', n=1000)
    with pytest.raises(Refused):
        memory.learn('the wifi password is hunter2-Hunter2')
    with pytest.raises(NotFound):
        memory.call('get_memory', memory_id=999_999)
    for fields in ({'colour': 'red'}, {'n': 'three'}, {'n': -1}, {'query': 7}):
        with pytest.raises(InvalidArgument, match=next(iter(fields))):
            memory.call('recall', **fields)
    with pytest.raises(InvalidArgument, match='no service'):
        memory.call('dance')


def test_a_memory_that_is_not_there_is_unavailable(robot):
    with Memory(robot, 'nobody', timeout=0.2) as memory:
        with pytest.raises(Unavailable, match='/nobody/recall'):
            memory.recall('mug')
        with pytest.raises(Unavailable), memory.attempt('pick'):
            pytest.fail('the attempt did not begin')


def test_names_follow_the_namespace_and_the_remapping_of_the_node(node):
    program = (
        f'import sys; sys.path.insert(0, {str(SOURCE)!r})\n'
        'import rclpy\n'
        'from robot_memory_client.ros import Memory\n'
        'rclpy.init()\n'
        "node = rclpy.create_node('pipeline')\n"
        f'with Memory(node, timeout={WAIT_SECS_MAX}) as memory:\n'
        "    print(memory.learn('The lamp of the hall flickers').status)\n"
        'node.destroy_node()\n'
        'rclpy.shutdown()\n'
    )
    remapped = f'/left/robot_memory/learn:={node.full_name}/learn'
    arguments = ['--ros-args', '-r', '__ns:=/left', '-r', remapped]
    done = subprocess.run(
        [sys.executable, '-c', program, *arguments], capture_output=True, text=True, timeout=WAIT_SECS_MAX
    )
    assert (done.returncode, done.stdout.strip()) == (0, 'created'), done.stderr


def test_the_example_of_the_document_runs(node):
    document = (PACKAGE.parents[1] / 'docs/python.md').read_text()
    (program,) = re.findall(r'```python\n(import rclpy.*?)```', document, re.DOTALL)
    arguments = ['--ros-args', *(f'-r /robot_memory/{name}:={node.full_name}/{name}' for name in SERVICES)]
    done = subprocess.run(
        [
            sys.executable,
            '-c',
            f'import sys; sys.path.insert(0, {str(SOURCE)!r})\n{program}',
            *' '.join(arguments).split(),
        ],
        capture_output=True,
        text=True,
        timeout=WAIT_SECS_MAX,
    )
    assert done.returncode == 0, done.stderr
    assert 'The left gripper holds cups better' in done.stdout or 'pick mug' in done.stdout, done.stdout
