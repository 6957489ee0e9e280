"""The memory node: started, or one that runs already, and its services."""

import atexit
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Bool

WAIT_SECS_MAX = 120.0
STOP_SECS_MAX = 30.0
START_SECS = 1_760_000_000
DAY_SECS = 86_400

LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)


class NoMemory(Exception):
    """A service did not answer, or refused."""


def node_program():
    """Find the installed node."""
    named = os.environ.get('ROBOT_MEMORY_NODE')
    if named:
        return Path(named)
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(':'):
        program = Path(prefix) / 'lib/robot_memory/memory_node'
        if program.is_file():
            return program
    raise NoMemory('no memory_node: source scripts/env.sh, or set ROBOT_MEMORY_NODE')


class Ros:
    """The own ROS node of this process, spinning in a thread; it tells the simulated time."""

    def __init__(self):
        os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(f'learning_{os.getpid()}')
        self.secs = START_SECS
        self.clock = self.node.create_publisher(Clock, f'/learning_{os.getpid()}/clock', 10)
        self.node.create_timer(0.1, self.tell)
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def tell(self):
        """Tell the time."""
        message = Clock()
        message.clock.sec = self.secs
        self.clock.publish(message)

    def advance(self, secs):
        """Let time pass."""
        self.secs += secs
        self.tell()

    def close(self):
        """End it."""
        self.executor.shutdown(5.0)
        self.thread.join(5.0)
        rclpy.try_shutdown()


class Memory:
    """A node's services."""

    def __init__(self, ros, full_name):
        self.ros = ros
        self.full_name = full_name
        self.clients = {}

    def call(self, service, **fields):
        """Call the service of a type; an error that the service answers is raised."""
        name = re.sub(r'(?<!^)(?=[A-Z])', '_', service.__name__).lower()
        client = self.clients.get(name)
        if client is None:
            client = self.ros.node.create_client(service, f'{self.full_name}/{name}')
            if not client.wait_for_service(WAIT_SECS_MAX):
                raise NoMemory(f'no service {self.full_name}/{name}')
            self.clients[name] = client
        deadline = time.monotonic() + WAIT_SECS_MAX
        while True:
            answer = self.answer(client.call_async(service.Request(**fields)), name)
            if answer.success:
                return answer
            # Of a node that does not know the simulated time yet.
            if answer.error_code != 'unavailable' or time.monotonic() > deadline:
                raise NoMemory(f'{name}: {answer.error_code}: {answer.error}')
            time.sleep(0.05)

    @staticmethod
    def answer(future, name):
        """Wait for the answer to a request."""
        arrived = threading.Event()
        future.add_done_callback(lambda _: arrived.set())
        if not arrived.wait(WAIT_SECS_MAX):
            raise NoMemory(f'{name} did not answer within {WAIT_SECS_MAX:.0f} s')
        return future.result()

    def wait_until_ready(self):
        """Wait until the services answer."""
        ready = threading.Event()

        def hear(message):
            if message.data:
                ready.set()

        subscription = self.ros.node.create_subscription(Bool, f'{self.full_name}/ready', hear, LATCHED)
        try:
            if not ready.wait(WAIT_SECS_MAX):
                raise NoMemory(f'{self.full_name} is not ready after {WAIT_SECS_MAX:.0f} s')
        finally:
            self.ros.node.destroy_subscription(subscription)

    def close(self):
        """Give up the clients."""
        for client in self.clients.values():
            self.ros.node.destroy_client(client)
        self.clients.clear()


class Node:
    """A node of our own on a store in a temporary folder, in simulated time."""

    count = 0

    def __init__(self, ros, store=None):
        Node.count += 1
        self.folder = Path(tempfile.mkdtemp(prefix='robot_memory_learning_'))
        atexit.register(self.stop)
        self.store = self.folder / 'memory.db'
        if store:
            shutil.copy(store, self.store)
        name, namespace = f'memory_{Node.count}', f'/learning_{os.getpid()}'
        command = [node_program(), '--ros-args', '-r', f'__node:={name}', '-r', f'__ns:={namespace}']
        command += ['-r', f'/clock:={namespace}/clock']
        parameters = {
            'store_path': self.store,
            'use_sim_time': 'true',
            'sim_or_real': 'sim',
            # A briefing needs no vectors.
            'model_dir': 'none',
            'maintenance_daily_at': "''",
            'backup_daily_at': "''",
        }
        for key, value in parameters.items():
            command += ['-p', f'{key}:={value}']
        with open(self.folder / 'node.log', 'wb') as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {'ROS_LOG_DIR': str(self.folder)},
            )
        self.memory = Memory(ros, f'{namespace}/{name}')
        ros.tell()
        try:
            self.memory.wait_until_ready()
        except NoMemory as error:
            last = (self.folder / 'node.log').read_text(errors='replace')[-2000:]
            self.stop()
            raise NoMemory(f'{error}\n{last}') from error

    def stop(self, keep=None):
        """End the node, keep a copy of its store if asked, and remove the folder."""
        self.memory.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            deadline = time.monotonic() + STOP_SECS_MAX
            while self.process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        if keep:
            shutil.copy(self.store, keep)
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self.stop)
