"""A busy robot: no message is lost, and the node takes little of the computer.

ROBOT_MEMORY_LOAD_SECS says how long each run takes; 60 when it is not set. The publisher is the
example load_publisher, where ROBOT_MEMORY_LOAD_PUBLISHER says, or where it is built.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from robot_memory.srv import Locate

import packages
from conftest import wait_until
from stream_status import Diagnostics, stored_events

SECS = float(os.environ.get('ROBOT_MEMORY_LOAD_SECS', '60'))
ROOT = Path(__file__).parents[2]
PROFILE = ROOT / 'config' / 'fastdds.xml'
BUILT = ROOT / 'build/robot_memory/cargo/release/examples/load_publisher'
STREAMS = {
    '/load/joints': '{topic: /load/joints}',
    '/load/wrench': '{topic: /load/wrench}',
    '/load/image': '{topic: /load/image}',
}
RATES_HZ = {'/load/joints': 1000, '/load/wrench': 500, '/load/image': 30}
SMALL = ('/load/joints', '/load/wrench')
# What a computer that does nothing else holds; beside other work only what is badly wrong is seen.
IS_ALONE = bool(os.environ.get('ROBOT_MEMORY_LONG'))
# Of one core, for what is not an image.
CPU_PERCENT_MAX = 15.0 if IS_ALONE else 60.0
BEST_EFFORT_SHARE_MIN = 0.9 if IS_ALONE else 0.3
RSS_MB_MAX = 400.0
RSS_GROWTH_MB_MAX = 8.0
TICKS = os.sysconf('SC_CLK_TCK')


def load_publisher():
    """Find the program that publishes."""
    named = os.environ.get('ROBOT_MEMORY_LOAD_PUBLISHER')
    program = Path(named) if named else BUILT
    assert program.is_file(), f'no {program}: scripts/test builds it'
    return program


def cpu_secs(pid):
    """Seconds of processor time that a process took so far."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rss_mb(pid):
    """Resident memory of a process."""
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS'):
            return int(line.split()[1]) / 1024
    raise RuntimeError('no VmRSS')


@pytest.mark.parametrize(
    'topics, reliability',
    [(SMALL, 'reliable'), (tuple(STREAMS), 'reliable'), (tuple(STREAMS), 'best_effort')],
    ids=['numbers reliable', 'all reliable', 'all best effort'],
)
def test_a_busy_robot_is_heard(ros_node, nodes, tmp_path, monkeypatch, topics, reliability):
    publisher = load_publisher()
    monkeypatch.setenv('FASTRTPS_DEFAULT_PROFILES_FILE', str(PROFILE))
    store = tmp_path / 'load.db'
    streams = ', '.join(STREAMS[topic] for topic in topics)
    client, process = nodes.start(store_path=store, streams=f'[{streams}]')
    diagnostics = Diagnostics(ros_node, client.full_name)
    rates = [str(rate if topic in topics else 0) for topic, rate in RATES_HZ.items()]
    load = subprocess.Popen(
        [publisher, str(SECS), reliability, *rates], stdout=subprocess.PIPE, text=True
    )
    try:
        for topic in topics:
            diagnostics.wait_for_count(topic.lstrip('/'), 'received', 1)
        pid = process.process.pid
        samples = [(time.monotonic(), cpu_secs(pid), rss_mb(pid))]
        end = time.monotonic() + SECS - 2.0
        while time.monotonic() < end:
            time.sleep(1.0)
            samples.append((time.monotonic(), cpu_secs(pid), rss_mb(pid)))
        out, _ = load.communicate(timeout=30.0)
    finally:
        load.kill()
        load.wait(5.0)
    assert load.returncode == 0
    published = json.loads(out)
    if reliability == 'reliable':
        for topic in topics:
            stream = topic.lstrip('/')
            diagnostics.wait_for_count(stream, 'received', published[topic])
    # The last report.
    time.sleep(2.5)
    values = {topic: diagnostics.values(topic.lstrip('/')) for topic in topics}
    diagnostics.close()
    (start_at, start_cpu, _), (end_at, end_cpu, end_rss) = samples[0], samples[-1]
    cpu_percent = 100.0 * (end_cpu - start_cpu) / (end_at - start_at)
    # Rings fill at first.
    warm_rss = samples[len(samples) * 2 // 3][2]
    dropped = ('dropped: too many waited', 'dropped: late', 'dropped: not readable')
    print(f'\n{reliability}, {SECS:.0f} s')
    print(f'{"topic":14} {"published":>9} {"received":>9} {"lost":>6} {"dropped":>8} {"events":>7}')
    for topic in topics:
        told = values[topic]
        print(
            f'{topic:14} {published[topic]:9} {told["received"]:9} {told["lost on the way"]:6}'
            f' {sum(told[key] for key in dropped):8} {told["events stored"]:7}'
        )
    print(f'CPU {cpu_percent:.1f} % of a core; memory {warm_rss:.0f} MB, at the end {end_rss:.0f} MB')
    for topic in topics:
        told = values[topic]
        assert sum(told[key] for key in dropped) == 0, told
        assert told['events not stored'] == 0, told
        if reliability == 'reliable':
            assert told['received'] == published[topic] and told['lost on the way'] == 0, told
        else:
            # What did not come is counted.
            assert told['received'] + told['lost on the way'] <= published[topic], told
            assert told['received'] >= BEST_EFFORT_SHARE_MIN * published[topic], told
    assert end_rss < RSS_MB_MAX and end_rss - warm_rss < RSS_GROWTH_MB_MAX
    if topics == SMALL:
        assert cpu_percent < CPU_PERCENT_MAX
    triggers = {event['trigger'] for event in stored_events(store)}
    assert {'contact', 'motion'} <= triggers, triggers


class Components:
    """Publishes the diagnostics of twenty components ten times a second; now and then one fails."""

    def __init__(self, ros_node):
        self.ros_node = ros_node
        self.publisher = ros_node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self.count = 0
        self.timer = ros_node.create_timer(0.1, self.publish)

    def publish(self):
        array = DiagnosticArray()
        array.header.stamp = self.ros_node.get_clock().now().to_msg()
        for number in range(20):
            fails = number == 7 and self.count % 100 > 90
            level = DiagnosticStatus.ERROR if fails else DiagnosticStatus.OK
            message = 'no data' if fails else f'{self.count} messages'
            status = DiagnosticStatus(level=level, name=f'driver {number}', message=message)
            array.status.append(status)
        self.publisher.publish(array)
        self.count += 1

    def close(self):
        self.ros_node.destroy_timer(self.timer)
        self.ros_node.destroy_publisher(self.publisher)


def test_everything_a_robot_publishes_at_once(ros_node, nodes, tmp_path, monkeypatch):
    environment = packages.install('tf2_msgs', 'vision_msgs')
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv('FASTRTPS_DEFAULT_PROFILES_FILE', str(PROFILE))
    store = tmp_path / 'load.db'
    client, process = nodes.start(store_path=store, streams='auto', map_id='hall')
    diagnostics = Diagnostics(ros_node, client.full_name)
    components = Components(ros_node)
    detector = packages.Program(environment, 'detector.py', '30')
    load = subprocess.Popen(
        [load_publisher(), str(SECS), 'reliable', '1000', '1000', '30'],
        stdout=subprocess.PIPE,
        text=True,
    )
    streams = ('load/joints', 'load/wrench', 'load/image', 'detections', 'diagnostics')
    try:
        for stream in streams:
            diagnostics.wait_for_count(stream, 'received', 1)
        pid = process.process.pid
        begin_at, begin_cpu = time.monotonic(), cpu_secs(pid)
        out, _ = load.communicate(timeout=SECS + 60.0)
        cpu_percent = 100.0 * (cpu_secs(pid) - begin_cpu) / (time.monotonic() - begin_at)
        published = json.loads(out)
        for topic in RATES_HZ:
            diagnostics.wait_for_count(topic.lstrip('/'), 'received', published[topic])
        # The last report.
        time.sleep(2.5)
        values = {stream: diagnostics.values(stream) for stream in streams}
        print(f'\n{SECS:.0f} s: CPU {cpu_percent:.1f} % of a core, memory {rss_mb(pid):.0f} MB')
        for stream, told in values.items():
            counted = {key: value for key, value in told.items() if value}
            print(f'{stream:14} {counted}')
        dropped = ('dropped: too many waited', 'dropped: late', 'dropped: not readable')
        for stream, told in values.items():
            assert told['lost on the way'] == 0 and told['events not stored'] == 0, (stream, told)
            assert sum(told[key] for key in dropped) == 0, (stream, told)
        assert rss_mb(pid) < RSS_MB_MAX
        assert client.succeed(Locate, what='cup').total == 2
        # What is open is finished and stored.
        process.stop()
        assert any(event['trigger'] == 'level' for event in stored_events(store))
    finally:
        load.kill()
        load.wait(5.0)
        detector.end()
        components.close()
        diagnostics.close()


def test_the_node_stops_cleanly_under_load(ros_node, nodes, tmp_path, monkeypatch):
    publisher = load_publisher()
    monkeypatch.setenv('FASTRTPS_DEFAULT_PROFILES_FILE', str(PROFILE))
    streams = ', '.join(STREAMS.values())
    client, process = nodes.start(store_path=tmp_path / 'load.db', streams=f'[{streams}]')
    diagnostics = Diagnostics(ros_node, client.full_name)
    rates = [str(rate) for rate in RATES_HZ.values()]
    load = subprocess.Popen([publisher, '15', 'reliable', *rates], stdout=subprocess.DEVNULL)
    try:
        diagnostics.wait_for_count('load/joints', 'received', 3000)
        process.stop()
    finally:
        load.kill()
        load.wait(5.0)
        diagnostics.close()
    wait_until(lambda: 'the store is closed' in process.log(), 'a closed store')
