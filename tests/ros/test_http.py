"""The node over HTTP: the same store as over ROS, tokens, and its life cycle."""

import json
import subprocess
import urllib.error
import urllib.request

from pathlib import Path

from robot_memory.srv import Learn, Recall
from std_msgs.msg import Float32MultiArray

from conftest import node_program


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
