"""Starts the real node in a process of its own and talks to it over ROS 2.

The node is the program that ROBOT_MEMORY_NODE names, else the installed one. Every wait is bounded.
"""

import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest


def claim_domain():
    """Take a ROS domain that no other test process on this computer uses; keep it while open."""
    first = os.getpid()
    for i in range(100):
        domain = 1 + (first + i) % 100
        lock = open(Path(tempfile.gettempdir()) / f'robot_memory_test_domain_{domain}.lock', 'w')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError('all ROS domains from 1 to 100 are taken by other tests')


DOMAIN, DOMAIN_LOCK = claim_domain()
# Read by rclpy when it starts, and inherited by the nodes.
os.environ['ROS_DOMAIN_ID'] = str(DOMAIN)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
# What listens here is not behind a proxy.
for variable in ('no_proxy', 'NO_PROXY'):
    hosts = [os.environ.get(variable, ''), '127.0.0.1', 'localhost']
    os.environ[variable] = ','.join(filter(None, hosts))

import rclpy  # noqa: E402
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: E402
from rclpy.impl.implementation_singleton import rclpy_implementation  # noqa: E402
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402

# Ends a test that would hang: far more than anything takes, also on a computer busy with other work.
WAIT_SECS_MAX = 60.0

SERVICE_QOS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1000)
LATCHED_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1000,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


def node_program():
    """Find the node's program."""
    named = os.environ.get('ROBOT_MEMORY_NODE')
    if named:
        return Path(named)
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(':'):
        program = Path(prefix) / 'lib' / 'robot_memory' / 'memory_node'
        if program.is_file():
            return program
    pytest.exit('no memory_node: set ROBOT_MEMORY_NODE, or source the install folder', 2)


def is_installed(package):
    """Whether a sourced prefix has the package."""
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(':')
    return any((Path(prefix) / 'share' / package / 'package.xml').is_file() for prefix in prefixes)


def cache_folder():
    """Find the folder that has the model, as the node would."""
    cache = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return os.environ.get('ROBOT_MEMORY_CACHE') or Path(cache) / 'robot_memory'


class NodeProcess:
    """A node in a process of its own."""

    def __init__(self, folder, parameters, name, namespace, arguments):
        folder.mkdir(parents=True, exist_ok=True)
        self.full_name = f'{namespace.rstrip("/")}/{name}'
        self.log_file = folder / f'{name}_{time.monotonic_ns()}.log'
        command = [node_program(), '--ros-args', '-r', f'__node:={name}', '-r', f'__ns:={namespace}']
        for key, value in parameters.items():
            command += ['-p', f'{key}:={yaml_value(value)}']
        command += arguments
        environment = {
            'PATH': os.environ['PATH'],
            'HOME': str(folder),
            'ROS_HOME': str(folder),
            # Where the shipped model is, since it is not in this home folder.
            'ROBOT_MEMORY_CACHE': str(cache_folder()),
        }
        kept = (
            'ROS_',
            'RCUTILS_',
            'AMENT_',
            'LD_LIBRARY_PATH',
            'FASTRTPS_',
            'RMW_',
            'ORT_',
            'RUST_BACKTRACE',
        )
        for key, value in os.environ.items():
            if key.startswith(kept):
                environment.setdefault(key, value)
        with open(self.log_file, 'wb') as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment
            )

    def log(self):
        """Everything that the node has printed so far."""
        return self.log_file.read_text(errors='replace')

    def wait_until_logged(self, part):
        """Wait for a part of a line in the log."""
        wait_until(lambda: part in self.log(), f'{part!r} in the log')

    def wait_for_end(self):
        """Wait until the node has ended by itself, and return its exit code."""
        try:
            return self.process.wait(WAIT_SECS_MAX)
        except subprocess.TimeoutExpired:
            pytest.fail(f'{self.full_name} still runs after {WAIT_SECS_MAX} s')

    def stop(self, number=signal.SIGINT):
        """Tell the node to stop, and check that it does so cleanly."""
        self.process.send_signal(number)
        try:
            code = self.process.wait(WAIT_SECS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5.0)
            pytest.fail(f'{self.full_name} did not stop on {number.name}')
        assert code == 0, f'{self.full_name} ended with {code}'

    def is_running(self):
        """Whether the process is still there."""
        return self.process.poll() is None


def yaml_value(value):
    """A parameter's value as the command line spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    return f"'{value}'"


def wait_until(condition, what):
    """Wait for a condition; fail when it does not come true in time."""
    deadline = time.monotonic() + WAIT_SECS_MAX
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f'no {what} within {WAIT_SECS_MAX} s')
        time.sleep(0.01)


def ask_alone(call, *arguments):
    """Ask by a call that returns a future, while no other thread runs.

    A client of an action passes over an answer that comes before it knows that it asked.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(10.0)
    try:
        return call(*arguments)
    finally:
        sys.setswitchinterval(interval)


class Client:
    """Calls the services of one node, and hears what it publishes."""

    def __init__(self, ros_node, full_name):
        self.ros_node = ros_node
        self.full_name = full_name
        self.clients = {}

    def call_async(self, service, service_name=None, **fields):
        """Send a request without waiting for its answer; returns the future of the answer."""
        name = service_name or re.sub(r'(?<!^)(?=[A-Z])', '_', service.__name__).lower()
        client = self.clients.get(name)
        if client is None:
            client = self.ros_node.create_client(
                service, f'{self.full_name}/{name}', qos_profile=SERVICE_QOS
            )
            self.clients[name] = client
            assert client.wait_for_service(WAIT_SECS_MAX), f'no service {self.full_name}/{name}'
        return client.call_async(service.Request(**fields))

    def call(self, service, service_name=None, **fields):
        """Call a service, by default the one that its type is named after."""
        return self.answer(self.call_async(service, service_name, **fields))

    def succeed(self, service, **fields):
        """Call a service, and check that it succeeds."""
        answer = self.call(service, **fields)
        assert answer.success, f'{answer.error_code}: {answer.error}'
        return answer

    def fail(self, service, **fields):
        """Call a service, check that it does not succeed, and return the code of the error."""
        answer = self.call(service, **fields)
        assert not answer.success and answer.error, answer
        return answer.error_code

    @staticmethod
    def answer(future):
        """Wait for the answer to a request."""
        arrived = threading.Event()
        future.add_done_callback(lambda _: arrived.set())
        if not arrived.wait(WAIT_SECS_MAX):
            pytest.fail(f'no answer within {WAIT_SECS_MAX} s')
        return future.result()

    def hear(self, message, topic, accepts, qos=LATCHED_QOS):
        """Wait for a message that is accepted, and return it."""
        heard = []
        arrived = threading.Event()

        def on_message(candidate):
            if not heard and accepts(candidate):
                heard.append(candidate)
                arrived.set()

        subscription = self.ros_node.create_subscription(message, topic, on_message, qos)
        try:
            if not arrived.wait(WAIT_SECS_MAX):
                pytest.fail(f'nothing that fits on {topic} within {WAIT_SECS_MAX} s')
        finally:
            self.ros_node.destroy_subscription(subscription)
        return heard[0]

    def wait_until_ready(self):
        """Wait until the node says that its services answer."""
        topic = f'{self.full_name}/ready'
        self.hear(Bool, topic, lambda ready: ready.data)

    def close(self):
        """Give up the clients."""
        for client in self.clients.values():
            self.ros_node.destroy_client(client)
        self.clients.clear()


@pytest.fixture(scope='session')
def ros_node():
    """The tests' own node, spinning in a thread."""
    rclpy.init()
    node = rclpy.create_node(f'robot_memory_tests_{os.getpid()}')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    ends = threading.Event()

    def spin():
        while not ends.is_set():
            try:
                executor.spin()
            except ExternalShutdownException:
                return
            except (rclpy_implementation.RCLError, rclpy_implementation.InvalidHandle):
                # Tests destroy what they made in their own thread, also when the executor is about to use it.
                time.sleep(0.01)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    yield node
    ends.set()
    executor.shutdown(5.0)
    thread.join(5.0)
    node.destroy_node()
    rclpy.try_shutdown()


class Nodes:
    """Starts nodes, and ends those that a test leaves running."""

    def __init__(self, ros_node, folder):
        self.ros_node = ros_node
        self.folder = folder
        self.processes = []
        self.clients = []

    def launch(self, name='robot_memory', namespace='/', arguments=(), **parameters):
        """Start a node without waiting for it. Words only, unless a model is asked for."""
        parameters = {'model_dir': 'none'} | parameters
        process = NodeProcess(self.folder, parameters, name, namespace, list(arguments))
        self.processes.append(process)
        return process

    def start(self, **options):
        """Start a node and wait until it is ready; returns a client and the process."""
        process = self.launch(**options)
        return self.connect(process), process

    def connect(self, process):
        """Wait until a node that was launched is ready; returns a client."""
        client = Client(self.ros_node, process.full_name)
        self.clients.append(client)
        client.wait_until_ready()
        return client

    def end(self):
        """Stop what still runs, cleanly, and show the logs, which pytest prints of failed tests."""
        for client in self.clients:
            client.close()
        running = [process for process in self.processes if process.is_running()]
        try:
            for process in running:
                process.stop()
        finally:
            for process in self.processes:
                if process.is_running():
                    process.process.kill()
                    process.process.wait(5.0)
                print(f'--- log of {process.full_name}\n{process.log()}')


@pytest.fixture
def stranger(ros_node):
    """A node of another participant: one alone cannot publish a topic with two types."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('stranger', context=context)
    yield node
    node.destroy_node()
    context.shutdown()


@pytest.fixture
def nodes(ros_node, tmp_path):
    """Starts nodes on stores in a temporary folder."""
    nodes = Nodes(ros_node, tmp_path)
    yield nodes
    nodes.end()


@pytest.fixture
def memory(nodes):
    """A client of a node of its own, with an empty store."""
    client, _ = nodes.start()
    return client


@pytest.fixture(scope='module')
def shared_memory(ros_node, tmp_path_factory):
    """A client of a node that the tests of a file share: only for what leaves no trace."""
    nodes = Nodes(ros_node, tmp_path_factory.mktemp('shared'))
    client, _ = nodes.start(name='shared_memory')
    yield client
    nodes.end()
