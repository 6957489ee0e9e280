"""A fleet: three nodes, each with its leaf, a hub, and the memory of a site, over real NATS servers."""

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from robot_memory.srv import Adopt, CheckAction, GetMemory, Learn, Recall, Status

from conftest import Nodes, cache_folder, node_program, wait_until
from scenes import Scenes
from shared_node import refused
from stream_status import Diagnostics, stored_events

GLASS = 'Never grip the glass harder than 13 N'
ROBOTS = ('arm_1', 'arm_2', 'arm_3')
SHARE = 'fleet: [{scope: global, share: all}]'
DEPLOY = Path(__file__).resolve().parents[2] / 'deploy' / 'fleet'


def nats_program():
    """Find the NATS server: NATS_SERVER, or where scripts/setup puts it."""
    named = os.environ.get('NATS_SERVER')
    program = Path(named or Path(cache_folder()) / 'tools' / 'nats' / 'bin' / 'nats-server')
    assert program.is_file(), f'no nats-server at {program}: run scripts/setup, or set NATS_SERVER'
    return program


def free_ports(count):
    """Ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for it in sockets:
        it.bind(('127.0.0.1', 0))
    ports = [it.getsockname()[1] for it in sockets]
    for it in sockets:
        it.close()
    return ports


def listens(port):
    """Whether somebody listens there."""
    with socket.socket() as it:
        return it.connect_ex(('127.0.0.1', port)) == 0


class Servers:
    """A hub, and a leaf for each robot, by the files of deploy/fleet."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.hub, self.leafnodes, *leaves = free_ports(2 + len(ROBOTS))
        self.leaves = dict(zip(ROBOTS, leaves))

    def start_all(self):
        """Start the hub, then the leaves."""
        self.start('hub', 'hub.conf', self.hub)
        for robot, port in self.leaves.items():
            self.start(robot, 'leaf.conf', port)

    def start(self, name, file, port):
        """Start one, and wait until it listens."""
        config = (DEPLOY / file).read_text()
        for old, new in (
            ('127.0.0.1:4222', f'127.0.0.1:{port}'),
            ('127.0.0.1:7422', f'127.0.0.1:{self.leafnodes}'),
            ('/var/lib/nats', str(self.folder)),
            ('ROBOT', name),
        ):
            config = config.replace(old, new)
        path = self.folder / f'{name}.conf'
        path.write_text(config)
        with open(path.with_suffix('.log'), 'wb') as log:
            process = subprocess.Popen([nats_program(), '-c', path], stdout=log, stderr=log)
        self.processes.append(process)
        wait_until(lambda: process.poll() is not None or listens(port), f'server {name}')
        assert process.poll() is None, path.with_suffix('.log').read_text()

    def stop(self):
        """End all of them."""
        for process in self.processes:
            process.kill()
            process.wait(5.0)


def make_key(path):
    """Make the key of a robot; returns the public one."""
    program = node_program().with_name('memory')
    command = [program, 'fleet', 'key', '--key', path, '--json']
    return json.loads(subprocess.check_output(command))['key']


def robots_file(folder):
    """Make the keys of all robots, and the file of the public ones."""
    file = folder / 'robots.yaml'
    keys = {it: {'key': make_key(folder / f'{it}.key')} for it in ROBOTS}
    # JSON is YAML.
    file.write_text(json.dumps({'robots': keys}))
    return file


def start_site(folder, servers, robots, at_end):
    """Start the memory of the site, and wait until it says that it did."""
    program = node_program().with_name('memory')
    command = [program, 'site', '--no-model', '--json', '--store', folder / 'site.db',
               '--url', f'nats://127.0.0.1:{servers.hub}', '--robots', robots]
    with open(folder / 'site.log', 'wb') as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
    at_end.callback(process.wait, 10.0)
    at_end.callback(process.terminate)
    started = process.stdout.readline()
    assert started, (folder / 'site.log').read_text()
    assert json.loads(started)['site'] == 'site'


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Where the fleet keeps its files: ROBOT.db and the others."""
    return tmp_path_factory.mktemp('fleet')


@pytest.fixture(scope='module')
def fleet(ros_node, folder):
    """The clients of three nodes of a fleet, by the names of the robots. The first one looks through a camera."""
    robots = robots_file(folder)
    servers, nodes = Servers(folder), Nodes(ros_node, folder)
    with contextlib.ExitStack() as at_end:
        at_end.callback(servers.stop)
        at_end.callback(nodes.end)
        servers.start_all()
        access = folder / 'access.yaml'
        access.write_text(SHARE)
        start_site(folder, servers, robots, at_end)
        for name in ROBOTS:
            nodes.launch(
                namespace=f'/{name}',
                store_path=str(folder / f'{name}.db'),
                streams='auto' if name == 'arm_1' else '',
                fleet_url=f'nats://127.0.0.1:{servers.leaves[name]}',
                fleet_robots_path=str(robots),
                fleet_key_path=str(folder / f'{name}.key'),
                fleet_takes='limits_and_lessons' if name == 'arm_3' else 'all',
                access_path=str(access),
                robot_id=name,
                robot_type='ur5e',
                gripper='rg6' if name == 'arm_3' else 'rg2',
            )
        yield {name: nodes.connect(process) for name, process in zip(ROBOTS, nodes.processes)}


def component(client):
    """What the node says of its fleet; None when it says nothing."""
    parts = client.succeed(Status).components
    return next((it for it in parts if it.name == 'fleet'), None)


def test_what_one_robot_learns_another_recalls_and_keeps_to(fleet):
    learned = fleet['arm_1'].succeed(Learn, insight=GLASS)
    told = {}

    def is_told(name):
        answer = fleet[name].succeed(Recall, query='how hard to grip the glass')
        told[name] = [it for it in answer.memories if it.content == GLASS]
        return told[name]

    for name in ('arm_2', 'arm_3'):
        wait_until(lambda: is_told(name), f'memory of arm_1 at {name}')
        (memory,) = told[name]
        assert list(memory.why.told_by) == ['arm_1']
        assert (memory.scope, memory.source) == ('fleet', 'fleet')
        assert memory.why.independent_count == 1
        assert memory.why.told_at.sec > 0
    assert list(told['arm_2'][0].why.transfer) == []
    assert list(told['arm_3'][0].why.transfer) == ['gripper: rg2 there, rg6 here']
    assert is_told('arm_1')[0].id == learned.memory_id
    assert list(told['arm_1'][0].why.told_by) == []
    assert told['arm_1'][0].why.told_at.sec == 0
    stored = fleet['arm_3'].succeed(GetMemory, memory_id=told['arm_3'][0].id)
    assert (list(stored.told_by), stored.independent_count) == (['arm_1'], 1)
    assert stored.told_at.sec > 0

    def check(newtons, name='arm_2'):
        params = json.dumps({'grip_force': {'value': newtons, 'unit': 'N'}})
        return fleet[name].succeed(CheckAction, params=params, object='glass')

    (violation,) = check(20).violations
    assert list(violation.told_by) == ['arm_1'] and 'told by arm_1' in violation.reason
    assert list(violation.transfer) == []
    (violation,) = check(20, 'arm_3').violations
    assert list(violation.transfer) == ['gripper: rg2 there, rg6 here']
    assert check(12).allowed


def test_what_a_robot_did_not_take_it_asks_of_the_site(fleet):
    crate = 'The green crate stands beside the oven'
    fleet['arm_1'].succeed(Learn, insight=crate)
    found = {}

    def crates(name):
        return [it for it in found[name].memories if it.content == crate]

    def recall(name, **more):
        found[name] = fleet[name].succeed(Recall, query='where is the green crate', **more)
        return crates(name)

    # The site may be late now and then.
    wait_until(lambda: recall('arm_3', include_site=True), 'memory of arm_1 by the site')
    (memory,) = crates('arm_3')
    assert found['arm_3'].site == Recall.Response.SITE_ANSWERED
    assert memory.why.from_site and memory.id == 0
    assert list(memory.why.told_by) == ['arm_1']
    assert list(memory.why.transfer) == ['gripper: rg2 there, rg6 here']
    assert recall('arm_3') == [] and found['arm_3'].site == ''
    # Who takes all has it, and not twice.
    wait_until(lambda: recall('arm_2', include_site=True), 'memory of arm_1 at arm_2')
    (memory,) = crates('arm_2')
    assert not memory.why.from_site and memory.id > 0


def test_what_one_robot_saw_another_has_with_its_picture(fleet, ros_node, folder):
    camera = Scenes(ros_node, folder / 'arm_1.db')
    camera.show('red')
    camera.close()
    (seen,) = stored_events(camera.store)
    jpeg = seen['data']['image']['thumbnail_jpeg']
    assert jpeg.startswith('/9j/')

    def heard(name):
        answer = fleet[name].succeed(Recall, query=seen['content'], include_data=True)
        return [it for it in answer.memories if it.content == seen['content'] and it.scope == 'fleet']

    wait_until(lambda: heard('arm_2'), 'what arm_1 saw at arm_2')
    (memory,) = heard('arm_2')
    assert (memory.type, memory.perception_type) == ('perception', 'visual')
    assert json.loads(memory.data)['image']['thumbnail_jpeg'] == jpeg
    assert list(memory.why.told_by) == ['arm_1']
    # Who takes limits and lessons takes no pictures.
    assert heard('arm_3') == []


def test_an_operator_adopts_what_another_robot_told(fleet):
    lid = 'Never press the lid harder than 7 N'
    fleet['arm_1'].succeed(Learn, insight=lid)
    heard = {}

    def is_told(name):
        answer = fleet[name].succeed(Recall, query='how hard to press the lid', diversity=False)
        heard[name] = [it for it in answer.memories if it.content == lid and it.scope == 'fleet']
        return heard[name]

    wait_until(lambda: is_told('arm_3'), 'memory of arm_1 at arm_3')
    adopted = fleet['arm_3'].succeed(Adopt, memory_id=heard['arm_3'][0].id)
    assert list(adopted.transfer) == ['gripper: rg2 there, rg6 here']
    own = fleet['arm_3'].succeed(GetMemory, memory_id=adopted.memory_id).memory
    assert (own.content, own.scope, own.source) == (lid, 'global', 'operator')
    # Others hear an echo.
    wait_until(lambda: any(len(it.why.told_by) == 2 for it in is_told('arm_2')), 'echo of arm_3 at arm_2')
    assert heard['arm_2'][0].why.independent_count == 1
    refused(fleet['arm_3'], Adopt, 'invalid_state', 'none that other robots tell', memory_id=adopted.memory_id)


def test_each_says_that_it_is_connected(fleet, ros_node):
    for name, client in fleet.items():
        wait_until(lambda: component(client).state == 'connected', f'connection of {name}')
        assert component(client).message.startswith(f'{name}: ')
        diagnostics = Diagnostics(ros_node, f'/{name}/robot_memory', part='')
        diagnostics.wait_for('fleet', f'connected: {name}: ')
        diagnostics.close()


def test_a_robot_without_a_name_or_without_known_robots_does_not_start(nodes, tmp_path):
    robots = robots_file(tmp_path)
    fleet = {'fleet_url': 'nats://127.0.0.1:9'}
    cases = [
        ({'fleet_robots_path': str(robots)}, 'parameter robot_id: must be 1 to 64'),
        ({'robot_id': 'arm 1', 'fleet_robots_path': str(robots)}, 'parameter robot_id: '),
        ({'robot_id': 'arm_1'}, 'parameter fleet_robots_path: must be given beside fleet_url'),
        # The file has another key of arm_1 than the one that it makes.
        ({'robot_id': 'arm_1', 'fleet_robots_path': str(robots)}, 'the key of arm_1 is '),
    ]
    for given, told in cases:
        process = nodes.launch(**fleet, **given)
        assert process.wait_for_end() == 2
        assert told in process.log()


def test_a_robot_in_no_fleet_says_nothing_of_one(memory):
    assert component(memory) is None
