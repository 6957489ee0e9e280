"""The node over HTTP: the same store as over ROS, tokens, and its life cycle."""

import json
import re
import socket
import subprocess
import urllib.error
import urllib.request

from pathlib import Path

import pytest

from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from robot_memory.srv import Learn, Recall
from std_msgs.msg import Float32MultiArray

from conftest import WAIT_SECS_MAX, node_program, wait_until


def call(address, operation, token='', **fields):
    """Calls an operation; answers the status and the JSON."""
    request = urllib.request.Request(
        f'http://{address}/api/v1/{operation}', data=json.dumps(fields).encode()
    )
    if token:
        request.add_header('Authorization', f'Bearer {token}')
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_what_one_says_over_http_another_hears_over_ros(nodes, tmp_path):
    client, process = nodes.start(http_address='127.0.0.1:0', store_path=str(tmp_path / 'm.db'))
    process.wait_until_logged('answering at http://')
    address = process.log().split('answering at http://')[1].split('/')[0]
    assert call(address, 'recall', query='mug')[0] == 401
    program = Path(node_program()).parent / 'memory'
    arguments = ['token', 'add', 'p', '--profile', 'planner', '--agent', 'planner']
    added = subprocess.run(
        [program, *arguments, '--store', tmp_path / 'm.db'],
        capture_output=True,
        text=True,
        check=True,
    )
    token = added.stdout.strip()
    status, learned = call(address, 'learn', token, insight='The blue mug breaks above 13 N')
    assert (status, learned['status']) == (200, 'created'), learned
    heard = client.succeed(Recall, query='blue mug')
    assert [(one.id, one.agent) for one in heard.memories] == [(learned['memory_id'], 'planner')]
    client.succeed(Learn, insight='The red cup is on the shelf')
    status, found = call(address, 'recall', token, query='red cup')
    assert (status, found['memories'][0]['content']) == (200, 'The red cup is on the shelf')
    assert call(address, 'backup', token)[0] == 403
    status, refused = call(address, 'capture', token, reason='it rattled')
    assert (status, refused['error_code']) == (409, 'invalid_state'), refused


def test_a_capture_over_http_is_stored(nodes, ros_node):
    client, process = nodes.start(http_address='127.0.0.1:0', http_open=True, streams='[/level]')
    process.wait_until_logged('answering at http://')
    address = process.log().split('answering at http://')[1].split('/')[0]
    publisher = ros_node.create_publisher(Float32MultiArray, '/level', 10)
    timer = ros_node.create_timer(0.05, lambda: publisher.publish(Float32MultiArray(data=[1.0])))
    try:
        process.wait_until_logged('subscribed to /level')
        status, captured = call(address, 'capture', reason='it rattled', before_secs=1, after_secs=0.5)
    finally:
        ros_node.destroy_timer(timer)
        ros_node.destroy_publisher(publisher)
    assert status == 200, captured
    heard = client.succeed(Recall, query='it rattled')
    assert 'it rattled' in heard.memories[0].content


def test_an_address_that_cannot_be_listened_on_ends_the_start(nodes):
    process = nodes.launch(http_address='no.such.host.example:1')
    assert process.wait_for_end() == 2
    assert 'http_address no.such.host.example:1' in process.log()


def address_of(process):
    """Where a node answers, as its log says."""
    process.wait_until_logged('answering at http://')
    return process.log().split('answering at http://')[1].split('/')[0]


def get(address, path, headers=None):
    """Opens a page without a token."""
    request = urllib.request.Request(f'http://{address}{path}', headers=headers or {})
    return urllib.request.urlopen(request, timeout=WAIT_SECS_MAX)


def test_a_port_that_is_taken_is_told_with_what_helps(nodes):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = nodes.launch(http_address=f'127.0.0.1:{port}')
        assert process.wait_for_end() == 2
    assert f'http_address 127.0.0.1:{port}: ' in process.log()
    assert 'give it another port' in process.log()


def test_the_link_is_printed_and_not_logged(nodes, ros_node):
    lines = []
    subscription = ros_node.create_subscription(
        Log,
        '/rosout',
        lambda line: lines.append(line.msg),
        # What was logged before the two had found each other.
        QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL),
    )
    try:
        _, process = nodes.start(http_address='127.0.0.1:0', http_login_link=True)
        process.wait_until_logged('/login?token=')
        link = re.search(r'http://127\.0\.0\.1:\d+/login\?token=(\S+)', process.log())
        # What the logger says has its time and its level before it.
        (line,) = [line for line in process.log().splitlines() if link[0] in line]
        assert not line.startswith('['), line
        wait_until(lambda: any('answering at http://' in line for line in lines), 'lines of /rosout')
        process.stop()
    finally:
        ros_node.destroy_subscription(subscription)
    assert not [line for line in lines if link[1] in line or 'login' in line]
    logs = [path.read_text(errors='replace') for path in process.log_file.parent.rglob('*.log')]
    assert sum(link[1] in log for log in logs) == 1, 'only what the terminal shows has it'


def test_what_is_learned_over_ros_is_an_event_over_http(nodes):
    client, process = nodes.start(http_address='127.0.0.1:0', http_open=True)
    address = address_of(process)
    with get(address, '/api/v1/events') as stream:
        assert stream.headers['Content-Type'] == 'text/event-stream'
        begin = [stream.readline().decode() for _ in range(3)]
        assert begin[0].startswith('retry: ') and begin[1].startswith('id: '), begin
        learned = client.succeed(Learn, insight='The red cup is on the shelf')
        event, number, data = (stream.readline().decode().strip() for _ in range(3))
    assert event == 'event: fact' and number.endswith(f'-{learned.memory_id}')
    assert json.loads(data.removeprefix('data: '))['content'] == 'The red cup is on the shelf'
    with get(address, '/api/v1/events', {'Last-Event-ID': begin[1][4:].strip()}) as again:
        lines = [again.readline().decode().strip() for _ in range(6)]
    assert lines[3:] == [event, number, data]
    with get(address, '/api/v1/events'):
        process.stop()


def test_prometheus_reads_the_metrics(nodes, ros_node):
    parser = pytest.importorskip('prometheus_client.openmetrics.parser')
    client, process = nodes.start(
        http_address='127.0.0.1:0', http_open=True, http_requests_per_second=10_000.0, streams='[/level]'
    )
    address = address_of(process)
    publisher = ros_node.create_publisher(Float32MultiArray, '/level', 10)
    timer = ros_node.create_timer(0.05, lambda: publisher.publish(Float32MultiArray(data=[1.0])))

    def samples():
        with get(address, '/metrics') as answer:
            kind = answer.headers['Content-Type']
            text = answer.read().decode()
        assert kind == 'application/openmetrics-text; version=1.0.0; charset=utf-8'
        families = parser.text_string_to_metric_families(text)
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }

    def value(name, **labels):
        return samples().get((name, frozenset(labels.items())), 0.0)

    try:
        wait_until(
            lambda: value('robot_memory_stream_messages_total', stream='level') >= 3, 'messages'
        )
        client.succeed(Learn, insight='The red cup is on the shelf')
        client.succeed(Recall, query='red cup')
        for operation in ('learn', 'recall'):
            labels = {'face': 'ros', 'operation': operation}
            assert value('robot_memory_calls_total', verdict='ok', **labels) == 1
            assert value('robot_memory_call_duration_seconds_count', **labels) == 1
        assert value('robot_memory_memories', type='fact') == 1
    finally:
        ros_node.destroy_timer(timer)
        ros_node.destroy_publisher(publisher)
