"""Slow callers over HTTP beside a planner over ROS: they do not hold it up.

ROBOT_MEMORY_LOAD_SECS says how long each of the two measurements takes; 20 when it is not set.
"""

import json
import os
import selectors
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from robot_memory.srv import Learn, Recall

from conftest import WAIT_SECS_MAX, node_program

SECS = float(os.environ.get('ROBOT_MEMORY_LOAD_SECS', '20'))
RATE_HZ = 100
SLOW_CALLERS = 200
# Only what is badly wrong: the computer that runs the tests does other things too.
RATIO_MAX = 10.0


class SlowCallers:
    """Two hundred connections that send or read a little at a time, and come again when they are cut.

    A third sends its headers byte by byte, a third a large body slowly, a third reads a large answer slowly.
    """

    STEP_SECS = 0.05

    def __init__(self, address, token):
        host, port = address.split(':')
        self.address = (host, int(port))
        head = f'Host: {address}\r\nAuthorization: Bearer {token}\r\n'
        body = json.dumps({'query': 'shelf', 'collections': ['*'], 'n': 100, 'min_confidence': 0.0})
        self.headers = f'POST /api/v1/recall HTTP/1.1\r\n{head}X: {"y" * 20000}\r\n\r\n'.encode()
        self.large = (
            f'POST /api/v1/learn HTTP/1.1\r\n{head}Content-Length: 4000000\r\n\r\n'.encode() + b' ' * 100_000
        )
        self.whole = (
            f'POST /api/v1/recall HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}'.encode()
        )
        self.opened = self.cut = self.read_bytes = 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def open(self, number):
        """A connection, what it still has to send, and how much of that at a time."""
        stream = socket.socket()
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.settimeout(WAIT_SECS_MAX)
        stream.connect(self.address)
        stream.setblocking(False)
        self.opened += 1
        if number % 3 == 0:
            return [stream, memoryview(self.headers), 1]
        if number % 3 == 1:
            return [stream, memoryview(self.large), 100]
        return [stream, memoryview(self.whole * 20), len(self.whole)]

    def run(self):
        callers = [self.open(number) for number in range(SLOW_CALLERS)]
        selector = selectors.DefaultSelector()
        for number, caller in enumerate(callers):
            selector.register(caller[0], selectors.EVENT_READ, number)
        while not self.ends.is_set():
            begun = time.monotonic()
            for number, (stream, unsent, step) in enumerate(callers):
                if unsent:
                    try:
                        sent = stream.send(unsent[:step])
                        callers[number][1] = unsent[sent:]
                    except BlockingIOError:
                        pass
                    except OSError:
                        self.again(selector, callers, number)
            for key, _ in selector.select(0):
                number = key.data
                try:
                    # A slow reader takes a little, and the others what they are told.
                    read = callers[number][0].recv(64)
                except BlockingIOError:
                    continue
                except OSError:
                    read = b''
                self.read_bytes += len(read)
                if not read:
                    self.again(selector, callers, number)
            time.sleep(max(0.0, self.STEP_SECS - (time.monotonic() - begun)))
        for stream, _, _ in callers:
            stream.close()
        selector.close()

    def again(self, selector, callers, number):
        """Open a connection instead of one that was cut."""
        self.cut += 1
        selector.unregister(callers[number][0])
        callers[number][0].close()
        callers[number] = self.open(number)
        selector.register(callers[number][0], selectors.EVENT_READ, number)

    def close(self):
        """End all of them."""
        self.ends.set()
        self.thread.join(WAIT_SECS_MAX)
        assert not self.thread.is_alive()


def recall_at_rate(client, secs):
    """Call Recall so many times a second, whether or not the last call was answered; return ms of each."""
    took, futures = [], []
    count = int(secs * RATE_HZ)
    begun = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, begun + number / RATE_HZ - time.monotonic()))
        called = time.monotonic()
        future = client.call_async(Recall, query=f'shelf {number % 500}')
        future.add_done_callback(lambda _, called=called: took.append(time.monotonic() - called))
        futures.append(future)
    answers = [client.answer(future) for future in futures]
    for answer in answers:
        assert answer.success, f'{answer.error_code}: {answer.error}'
        assert answer.memories
    assert len(answers) == count
    return sorted(secs * 1000.0 for secs in took)


def percentile(sorted_values, percent):
    """The value that so many percent are at most."""
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * percent / 100.0))]


def test_slow_callers_over_http_hold_up_no_caller_over_ros(nodes, tmp_path):
    store = tmp_path / 'm.db'
    client, process = nodes.start(
        http_address='127.0.0.1:0', store_path=str(store), http_requests_per_second=1000.0
    )
    process.wait_until_logged('answering at http://')
    address = process.log().split('answering at http://')[1].split('/')[0]
    program = Path(node_program()).parent / 'memory'
    arguments = ['token', 'add', 'p', '--profile', 'planner', '--agent', 'planner', '--store', store]
    added = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    learning = [client.call_async(Learn, insight=f'shelf {i} holds box {i * 7}') for i in range(1000)]
    for future in learning:
        answer = client.answer(future)
        assert answer.success, answer.error
    recall_at_rate(client, 2.0)
    alone = recall_at_rate(client, SECS)
    slow = SlowCallers(address, added.stdout.strip())
    try:
        deadline = time.monotonic() + WAIT_SECS_MAX
        while slow.opened < SLOW_CALLERS:
            assert time.monotonic() < deadline, slow.opened
            time.sleep(0.1)
        beside = recall_at_rate(client, SECS)
    finally:
        slow.close()
    again = recall_at_rate(client, SECS)
    print(f'\n{RATE_HZ} Recall a second over ROS, {SECS:.0f} s each; ms')
    print(f'{"":24} {"p50":>8} {"p99":>8} {"max":>8}')
    for name, took in (('alone', alone), (f'beside {SLOW_CALLERS} slow', beside), ('alone again', again)):
        print(f'{name:24} {percentile(took, 50):8.2f} {percentile(took, 99):8.2f} {took[-1]:8.2f}')
    ratio = 2.0 * percentile(beside, 99) / (percentile(alone, 99) + percentile(again, 99))
    print(f'p99 beside them is {ratio:.2f} times that alone')
    print(f'{slow.opened} connections, {slow.cut} cut or ended, {slow.read_bytes} bytes read')
    assert slow.opened >= SLOW_CALLERS and slow.read_bytes > 0
    if ratio >= RATIO_MAX:
        pytest.fail(f'p99 over ROS is {ratio:.1f} times that without callers over HTTP')
