"""Measures a node's services from outside, over ROS 2, and prints rows of a Markdown table.

    service.py NODE_PROGRAM FOLDER ROUNDS

FOLDER holds memory.db and workload.json, which the engine's own measuring left there. The client
spins by itself: rclpy's spin_until_future_complete would add milliseconds of its own to each call.
"""

import json
import math
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

# Out of the way of other nodes, and of the tests, which take the domains from 1 to 100.
os.environ['ROS_DOMAIN_ID'] = str(101 + os.getpid() % 100)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'

import rclpy  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from robot_memory.srv import Learn, Recall, SavePerception  # noqa: E402

NODE_NAME = f'bench_memory_{os.getpid()}'
WARM_UP = 20
CALL_SECS_MAX = 20.0
START_SECS_MAX = 60.0
STOP_SECS_MAX = 20.0


class Client:
    """Calls services of the node, and waits for each answer."""

    def __init__(self):
        self.ros_node = rclpy.create_node(f'bench_client_{os.getpid()}')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.ros_node)
        self.clients = {}

    def call(self, service, name, **fields):
        """Answer, and milliseconds from just before the request to the answer."""
        client = self.clients.get(name)
        if client is None:
            client = self.ros_node.create_client(service, f'/{NODE_NAME}/{name}')
            self.clients[name] = client
            if not client.wait_for_service(START_SECS_MAX):
                raise RuntimeError(f'no service {name}')
        request = service.Request(**fields)
        started = time.perf_counter()
        future = client.call_async(request)
        while not future.done():
            self.executor.spin_once(CALL_SECS_MAX)
            if time.perf_counter() - started > CALL_SECS_MAX:
                raise RuntimeError(f'{name}: no answer within {CALL_SECS_MAX} s')
        millis = (time.perf_counter() - started) * 1e3
        return future.result(), millis

    def succeed(self, service, name, **fields):
        """The same, of a call that must succeed."""
        answer, millis = self.call(service, name, **fields)
        if not answer.success:
            raise RuntimeError(f'{name}: {answer.error_code}: {answer.error}')
        return answer, millis


def quantile(times, share):
    """The nearest rank: a time that was measured."""
    return sorted(times)[max(math.ceil(share * len(times)), 1) - 1]


def print_times(what, times, how):
    """A row of the table."""
    print(f'| {what} | {quantile(times, 0.5):.2f} | {quantile(times, 0.99):.2f} | ms | {how} |')


@contextmanager
def running_node(program, folder):
    """A node on the store in the folder; it ends with the block."""
    remapping, parameter = f'__node:={NODE_NAME}', f'store_path:={folder}/memory.db'
    with open(folder / 'node.log', 'wb') as log:
        process = subprocess.Popen(
            [program, '--ros-args', '-r', remapping, '-p', parameter],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield process
    except Exception:
        sys.stderr.write((folder / 'node.log').read_text(errors='replace'))
        raise
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_vectors(client, process, query):
    """Recall until vectors take part; answers when the first answer came, and the first such."""
    deadline = time.perf_counter() + START_SECS_MAX
    first = None
    while time.perf_counter() < deadline and process.poll() is None:
        answer, _ = client.call(Recall, 'recall', query=query)
        if answer.success and first is None:
            first = time.perf_counter()
        if answer.success and answer.mode in ('hybrid', 'vec_only'):
            return first, time.perf_counter()
        time.sleep(0.005)
    raise RuntimeError('the node does not answer with vectors')


def resident_mb(process):
    """Resident memory of a process in megabytes."""
    for line in Path(f'/proc/{process.pid}/status').read_text().splitlines():
        if line.startswith('VmRSS:'):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError('no VmRSS')


def measure_recall(client, queries, rounds):
    """Round trips, and what of them is not the engine's."""
    whole, ros, modes = [], [], []
    for turn in range(WARM_UP + rounds):
        query = queries[turn % len(queries)]
        answer, millis = client.succeed(Recall, 'recall', query=query, n=5)
        if turn >= WARM_UP:
            whole.append(millis)
            ros.append(millis - answer.query_ms)
            modes.append(answer.mode)
    hybrid = 100 * modes.count('hybrid') // rounds
    how = f'round trip of an rclpy client, n = 5; {hybrid} % of the answers hybrid'
    print_times('**Recall over ROS 2**', whole, how)
    print_times('of it ROS 2', ros, 'each round trip less the query_ms of its answer')


def measure_writes(client, statements, rounds):
    """Learn and SavePerception, each of what the store does not hold yet."""
    learning, perceiving = [], []
    for statement in statements:
        if len(learning) == rounds:
            break
        fields = {'insight': statement['text'], 'context': statement['context']}
        answer, millis = client.succeed(Learn, 'learn', **fields)
        if answer.status == 'created':
            learning.append(millis)
    for statement in statements[:rounds]:
        fields = {'description': statement['text'], 'context': statement['context']}
        perceiving.append(client.succeed(SavePerception, 'save_perception', **fields)[1])
    print_times('Learn over ROS 2', learning, 'round trip, a new fact')
    print_times('SavePerception over ROS 2', perceiving, 'round trip')


def main():
    program, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    workload = json.loads((folder / 'workload.json').read_text())
    queries = workload['queries']
    # So that the node is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    rclpy.init()
    client = Client()
    started = time.perf_counter()
    with running_node(program, folder) as process:
        answers, vectors = wait_for_vectors(client, process, queries[0])
        measure_recall(client, queries, rounds)
        resident = resident_mb(process)
        measure_writes(client, workload['statements'], rounds)
    client.ros_node.destroy_node()
    rclpy.try_shutdown()
    how = 'from the start of the process to the first answer to a client, once; {}'
    for what, at, note in (
        ('node: until it answers', answers, 'words only then'),
        ('node: until vectors take part', vectors, 'the model is loaded'),
    ):
        print(f'| {what} | {(at - started) * 1e3:.0f} | | ms | {how.format(note)} |')
    print(f'| node: resident memory | {resident:.0f} | | MB | after the Recalls, model included |')


if __name__ == '__main__':
    main()
