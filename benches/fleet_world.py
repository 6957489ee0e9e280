"""What fleet_storm.py breaks: nodes, NATS servers, and the network between each leaf and the hub."""

import asyncio
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FAKETIME = Path('/usr/lib') / f'{os.uname().machine}-linux-gnu' / 'faketime' / 'libfaketimeMT.so.1'
START_SECS_MAX = 120.0
CALL_SECS_MAX = 30.0
STREAM = 'FLEET'
UP, DOWN = 'up', 'down'


class Failed(Exception):
    """Something that keeps the storm from going on."""


def program(name):
    """Where an installed program is: beside ROBOT_MEMORY_NODE, else in a sourced prefix."""
    named = os.environ.get('ROBOT_MEMORY_NODE')
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(':')
    for folder in [Path(named).parent] if named else [Path(it) / 'lib' / 'robot_memory' for it in prefixes]:
        if (folder / name).is_file():
            return folder / name
    raise Failed(f'no {name}: source scripts/env.sh first, or set ROBOT_MEMORY_NODE')


def nats_program():
    """Find the NATS server: NATS_SERVER, or where scripts/setup puts it."""
    cache = Path(os.environ.get('ROBOT_MEMORY_CACHE') or Path.home() / '.cache' / 'robot_memory')
    named = Path(os.environ.get('NATS_SERVER') or cache / 'tools' / 'nats' / 'bin' / 'nats-server')
    if not named.is_file():
        raise Failed(f'no nats-server at {named}: run scripts/setup, or set NATS_SERVER')
    return named


def free_ports(count):
    """Ports that nobody listens on."""
    with contextlib.ExitStack() as at_end:
        sockets = [at_end.enter_context(socket.socket()) for _ in range(count)]
        for it in sockets:
            it.bind(('127.0.0.1', 0))
        return [it.getsockname()[1] for it in sockets]


def listens(port):
    """Whether somebody listens there."""
    with socket.socket() as it:
        return it.connect_ex(('127.0.0.1', port)) == 0


def wait_until(condition, what, secs=START_SECS_MAX, pause_secs=0.02):
    """Wait for a condition, not for ever."""
    deadline = time.monotonic() + secs
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f'no {what} within {secs:.0f} s')
        time.sleep(pause_secs)


class Wire:
    """The network between a leaf and the hub: cut, slow, or taking bytes without passing them on."""

    def __init__(self, upstream):
        (self.port,), self.upstream = free_ports(1), upstream
        self.is_cut, self.delay_secs, self.swallowed = False, 0.0, set()
        self.tunnels = set()
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(asyncio.start_server(self.carry, '127.0.0.1', self.port))
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    async def carry(self, reader, writer):
        """Carry one connection, until both ends are closed."""
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            hub_reader, hub_writer = await asyncio.open_connection('127.0.0.1', self.upstream)
        except OSError:
            writer.transport.abort()
            return
        tunnel = Tunnel((writer, hub_writer))
        self.tunnels.add(tunnel)
        try:
            await asyncio.gather(
                self.pass_on(tunnel, UP, reader, hub_writer), self.pass_on(tunnel, DOWN, hub_reader, writer)
            )
        finally:
            tunnel.abort()
            self.tunnels.discard(tunnel)

    async def pass_on(self, tunnel, way, reader, writer):
        """Pass on what comes one way. Where bytes are missing, none follow, nor is the end told: it is half open."""
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                if way in self.swallowed:
                    tunnel.lost.add(way)
                if way in tunnel.lost:
                    continue
                if self.delay_secs:
                    await asyncio.sleep(self.delay_secs)
                writer.write(data)
                await writer.drain()
        if not tunnel.lost:
            tunnel.abort()

    def cut(self):
        """Close what is open, and take no more."""
        self.is_cut = True
        self.loop.call_soon_threadsafe(self.abort, lambda tunnel: True)

    def heal(self, are_closed=True):
        """Pass everything. What is half open is closed, or is left for its ends to find out."""
        self.is_cut, self.delay_secs, self.swallowed = False, 0.0, set()
        if are_closed:
            self.loop.call_soon_threadsafe(self.abort, lambda tunnel: tunnel.lost)

    def abort(self, is_meant):
        """Close those that are meant."""
        for tunnel in filter(is_meant, list(self.tunnels)):
            tunnel.abort()


class Tunnel:
    """A connection through a wire."""

    def __init__(self, writers):
        self.writers, self.lost = writers, set()

    def abort(self):
        """Reset both ends."""
        for writer in self.writers:
            writer.transport.abort()


class Process:
    """A program that is killed and started again."""

    process = environment = None

    def start(self):
        """Start it, unless it runs, without waiting."""
        if self.process is None:
            with open(self.log, 'ab') as log:
                self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)

    def kill(self):
        """Kill it as a power cut would; returns whether it ran."""
        if self.process is None:
            return False
        self.process.kill()
        self.process.wait()
        self.process = None
        return True


class Server(Process):
    """A NATS server by a file of deploy/fleet, which is killed and started again."""

    def __init__(self, folder, name, file, leafnodes, is_always_synced=False, has_tls=False):
        (self.port,), self.name = free_ports(1), name
        config = (ROOT / 'deploy' / 'fleet' / file).read_text()
        if has_tls:
            config = re.sub(r'#: (tls )', r'\1', config).replace('/etc/nats', str(folder))
            if file == 'leaf.conf':
                # The shipped one lets only its own computer connect, and needs none.
                config += f'tls {{ cert_file: "{folder}/hub.pem", key_file: "{folder}/hub.key" }}\n'
        for old, new in (
            ('127.0.0.1:4222', f'127.0.0.1:{self.port}'),
            ('127.0.0.1:7422', f'127.0.0.1:{leafnodes}'),
            ('/var/lib/nats', str(folder)),
            ('ROBOT', name),
        ):
            config = config.replace(old, new)
        if is_always_synced:
            config = config.replace('sync_interval: 1s', 'sync_interval: always')
        self.path, self.storage = folder / f'{name}.conf', folder / name
        self.path.write_text(config)
        self.command, self.log = [nats_program(), '-c', self.path], self.path.with_suffix('.nats.log')

    def wait(self):
        """Wait until it listens."""
        wait_until(lambda: self.process.poll() is not None or listens(self.port), f'server {self.name}')
        if self.process.poll() is not None:
            raise Failed(f'server {self.name} ended: {self.log}')


def make_certificates(folder):
    """Make an authority, and the certificate of all servers, by the commands of deploy/fleet/README.md."""
    readme = (ROOT / 'deploy' / 'fleet' / 'README.md').read_text()
    block = next(it for it in readme.split('```') if 'openssl req' in it)
    # Made yesterday, so that they hold for a clock that is behind.
    past = {'LD_PRELOAD': str(FAKETIME), 'FAKETIME': '-1d'} if FAKETIME.is_file() else {}
    made = subprocess.run(['sh', '-ec', block], cwd=folder, env=os.environ | past, capture_output=True, text=True)
    if made.returncode != 0:
        raise Failed(f'no certificates: {made.stderr}')


class Nats:
    """One connection to a NATS server: requests, and messages to a stream, with its answer to each."""

    def __init__(self, port, secs=5.0):
        self.socket = socket.create_connection(('127.0.0.1', port), secs)
        self.socket.settimeout(secs)
        self.file = self.socket.makefile('rb')
        self.file.readline()
        self.inbox, self.count = f'_INBOX.{os.urandom(8).hex()}', 0
        connect = {'verbose': False, 'pedantic': False, 'headers': True, 'no_responders': True}
        self.socket.sendall(f'CONNECT {json.dumps(connect)}\r\nSUB {self.inbox}.* 1\r\n'.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def send(self, subject, payload=b'', headers=()):
        """Send a message; returns the number of its answer."""
        self.count += 1
        lines = ''.join(f'{name}: {value}\r\n' for name, value in headers)
        head = f'NATS/1.0\r\n{lines}\r\n'.encode()
        command = f'HPUB {subject} {self.inbox}.{self.count} {len(head)} {len(head) + len(payload)}\r\n'
        self.socket.sendall(command.encode() + head + payload + b'\r\n')
        return self.count

    def answers(self, count):
        """The next answers, by their numbers."""
        answers = {}
        while len(answers) < count:
            line = self.file.readline()
            if not line:
                raise OSError('the connection is lost')
            parts = line.decode().split()
            if parts[0] == 'PING':
                self.socket.sendall(b'PONG\r\n')
            elif parts[0] in ('MSG', 'HMSG'):
                head = int(parts[-2]) if parts[0] == 'HMSG' else 0
                data = self.file.read(int(parts[-1]) + 2)[head:-2]
                answers[int(parts[1].rsplit('.', 1)[1])] = json.loads(data) if data else {'error': 'nobody answers'}
            elif parts[0] == '-ERR':
                raise OSError(line.decode().strip())
        return answers

    def request(self, subject, **fields):
        """One answer."""
        number = self.send(subject, json.dumps(fields).encode() if fields else b'')
        return self.answers(1)[number]

    def last_sequence(self):
        """The last message of the fleet's stream; 0: there is none yet."""
        answer = self.request(f'$JS.API.STREAM.INFO.{STREAM}')
        return answer.get('state', {}).get('last_seq', 0)

    def message(self, sequence):
        """One message of the fleet's stream: subject, headers, payload; None when it has none there."""
        found = self.request(f'$JS.API.STREAM.MSG.GET.{STREAM}', seq=sequence).get('message')
        if found is None:
            return None
        lines = base64.b64decode(found.get('hdrs', '')).decode().split('\r\n')[1:]
        headers = [tuple(line.split(': ', 1)) for line in lines if ': ' in line]
        return found['subject'], headers, base64.b64decode(found['data'])

    def publish(self, messages):
        """Publish into the stream; of each whether the stream stored it, and had it not before."""
        for subject, headers, payload in messages:
            self.send(subject, payload, headers)
        first = self.count - len(messages) + 1
        answers = self.answers(len(messages))
        acks = [answers[number] for number in range(first, self.count + 1)]
        return ['seq' in ack and not ack.get('duplicate') for ack in acks]


class Node(Process):
    """A node of ROS 2 with its own store, key and clock, which is killed and started again. Without a leaf it is in no fleet."""

    def __init__(self, folder, name, leaf, is_skewed, has_tls=False):
        (self.port,), self.folder, self.name = free_ports(1), folder, name
        self.store, self.clock, self.log = (folder / f'{name}.{it}' for it in ('db', 'clock', 'log'))
        self.local = threading.local()
        parameters = {
            'store_path': self.store, 'access_path': folder / 'access.yaml', 'model_dir': 'none',
            'http_address': f'127.0.0.1:{self.port}', 'maintenance_daily_at': '', 'maintenance_weekly_at': '',
            'backup_daily_at': '', 'actions': 'off',
        }  # fmt: skip
        if leaf:
            parameters |= {
                'fleet_url': f'nats://127.0.0.1:{leaf.port}', 'fleet_robots_path': folder / 'robots.yaml',
                'fleet_key_path': folder / f'{name}.key', 'robot_id': name,
            }  # fmt: skip
        if has_tls:
            parameters |= {'fleet_url': f'tls://127.0.0.1:{leaf.port}', 'fleet_ca_path': folder / 'ca.pem'}
        self.command = [program('memory_node'), '--ros-args', '-r', f'__ns:=/{name}']
        for key, value in parameters.items():
            self.command += ['-p', f"{key}:='{value}'"]
        self.command += ['-p', 'http_open:=true', '-p', 'http_requests_per_second:=100000.0']
        # Out of the way of other nodes, and of the tests, which take the domains from 1 to 100.
        domain = str(101 + os.getpid() % 100)
        self.environment = os.environ | {
            'ROS_DOMAIN_ID': domain, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_HOME': str(folder),
        }  # fmt: skip
        if is_skewed:
            self.environment |= {
                'LD_PRELOAD': str(FAKETIME), 'FAKETIME_TIMESTAMP_FILE': str(self.clock),
                'FAKETIME_CACHE_DURATION': '1', 'DONT_FAKE_MONOTONIC': '1', 'NO_FAKE_STAT': '1',
            }  # fmt: skip
        self.skew(0)

    def skew(self, secs):
        """Let its clock be so far ahead, from now on; negative: behind."""
        new = self.clock.with_suffix('.new')
        new.write_text(f'{secs:+d}\n')
        new.replace(self.clock)

    def stop(self):
        """Stop it as an operator would; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(CALL_SECS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def call(self, operation, **fields):
        """Call over HTTP; status and answer. OSError or HTTPException: it is not known what became of it."""
        connection = getattr(self.local, 'connection', None)
        if connection is None:
            connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=CALL_SECS_MAX)
            self.local.connection = connection
        try:
            connection.request('POST', f'/api/v1/{operation}', json.dumps(fields))
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            self.local.connection = None
            raise OSError(str(error)) from error

    def fleet(self):
        """What its status says of the fleet: whether all is told and taken, and how much was refused by reason."""
        try:
            status, answer = self.call('status')
        except OSError:
            # The node closes a connection on which nothing was said for a while.
            with contextlib.suppress(OSError):
                status, answer = self.call('status')
                return self.read_fleet(status, answer)
            return False, {}
        return self.read_fleet(status, answer)

    @staticmethod
    def read_fleet(status, answer):
        """The same, of an answer."""
        part = next((it for it in answer.get('components', ()) if it['name'] == 'fleet'), None)
        if status != 200 or part is None:
            return False, {}
        message = part['message']
        is_quiet = part['state'] == 'connected' and ', 0 wait' in message and 'still to be' not in message
        refused = re.findall(r'(\d+) claims refused: (\w+)', message)
        return is_quiet, {reason: int(count) for count, reason in refused}


class Fleet:
    """A hub, and robots that each have a node, a leaf and a wire."""

    def __init__(self, folder, names, policy, is_skewed=False, is_hub_always_synced=False, has_tls=False):
        self.folder, self.names = folder, names
        if has_tls:
            make_certificates(folder)
        (leafnodes,) = free_ports(1)
        self.hub = Server(folder, 'hub', 'hub.conf', leafnodes, is_hub_always_synced, has_tls)
        self.wires = {name: Wire(leafnodes) for name in names}
        self.leaves = {
            name: Server(folder, name, 'leaf.conf', wire.port, has_tls=has_tls) for name, wire in self.wires.items()
        }
        (folder / 'access.yaml').write_text(policy)
        keys = {name: {'key': self.make_key(name)} for name in names}
        # JSON is YAML.
        (folder / 'robots.yaml').write_text(json.dumps({'robots': keys}))
        self.nodes = {name: Node(folder, name, leaf, is_skewed, has_tls) for name, leaf in self.leaves.items()}

    def make_key(self, name):
        """Make the key of a robot; returns the public one."""
        command = [program('memory'), 'fleet', 'key', '--key', self.folder / f'{name}.key', '--json']
        return json.loads(subprocess.check_output(command))['key']

    def parts(self):
        """All processes, the servers first."""
        return [self.hub, *self.leaves.values(), *self.nodes.values()]

    def start(self):
        """Start what does not run, and wait until it answers."""
        for part in self.parts():
            part.start()
        for server in (self.hub, *self.leaves.values()):
            server.wait()
        for node in self.nodes.values():
            wait_until(lambda node=node: self.answers(node), f'answer of {node.name}: {node.log}')

    @staticmethod
    def answers(node):
        """Whether a node answers, and still runs."""
        if node.process.poll() is not None:
            raise Failed(f'{node.name} ended with {node.process.poll()}: {node.log}')
        try:
            return node.call('status')[0] == 200
        except OSError:
            return False

    def end(self):
        """Kill what runs."""
        for part in reversed(self.parts()):
            part.kill()
