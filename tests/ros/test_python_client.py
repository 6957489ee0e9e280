"""The client in Python, against a node and against servers that misbehave."""

import ast
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import typing
from datetime import datetime, timedelta, timezone

import pytest

from conftest import Nodes, wait_until
from http_client import PACKAGE, SOURCE, Planner, answering, says

import robot_memory_client
from robot_memory_client import (
    Client,
    Forbidden,
    Internal,
    InvalidArgument,
    InvalidState,
    MemoryCallError,
    NotFound,
    Refused,
    Unauthorized,
    Unavailable,
    operations,
)

FILES = sorted((SOURCE / 'robot_memory_client').glob('*.py'))


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    folder = tmp_path_factory.mktemp('python')
    nodes = Nodes(ros_node, folder)
    try:
        yield Planner(nodes, folder / 'memory.db')
    finally:
        nodes.end()


@pytest.fixture(scope='module')
def client(node):
    """Of an operator."""
    return node.client('operator', '--profile', 'operator')


def misfits(value, kind, place):
    """Where a value is not of its declared type."""
    if kind is typing.Any:
        return []
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        return min((misfits(value, one, place) for one in arguments), key=len)
    if origin is typing.Literal:
        return [] if value in arguments else [f'{place}: {value!r}']
    if origin is list:
        if not isinstance(value, list):
            return [f'{place}: {value!r} is no list']
        return [
            it for number, one in enumerate(value) for it in misfits(one, arguments[0], f'{place}[{number}]')
        ]
    if origin is dict:
        return [it for key, one in value.items() for it in misfits(one, arguments[1], f'{place}.{key}')]
    if typing.is_typeddict(kind):
        keys, hints = set(value), typing.get_type_hints(kind)
        wrong = [f'{place}.{key} is missing' for key in kind.__required_keys__ - keys]
        wrong += [f'{place}.{key} is not declared' for key in keys - set(hints)]
        return wrong + [
            it for key in keys & set(hints) for it in misfits(value[key], hints[key], f'{place}.{key}')
        ]
    if kind is float:
        return (
            [] if isinstance(value, (int, float)) and not isinstance(value, bool) else [f'{place}: {value!r}']
        )
    is_it = type(value) is kind
    return [] if is_it else [f'{place}: {value!r} is no {kind.__name__}']


class Checked:
    """A client whose answers are held against their types."""

    def __init__(self, client):
        self.client = client
        self.called = set()

    def __getattr__(self, operation):
        method = getattr(self.client, operation)
        kind = typing.get_type_hints(method)['return']

        def call(**fields):
            answer = method(**fields)
            assert misfits(answer, kind, operation) == []
            self.called.add(operation)
            return answer

        return call


def methods():
    """The names of the operations."""
    public = inspect.getmembers(operations.Operations, inspect.isfunction)
    return {name for name, _ in public if not name.startswith('_')}


def finished(memory, job_id):
    """Wait for a job."""
    ends = ('succeeded', 'dead_letter', 'cancelled')
    wait_until(lambda: memory.get_job(job_id=job_id)['status'] in ends, f'end of job {job_id}')
    assert memory.get_job(job_id=job_id)['status'] == 'succeeded'


def attempts_of(memory):
    """Some attempts at a task, and what is told of them."""
    used = memory.learn(insight='Prefer the left gripper for glass cups')['memory_id']
    for force_n, outcome in ((8, 'success'), (9, 'success'), (4, 'failure')):
        begun = memory.begin_attempt(
            task='grip',
            object='glass cup',
            params={'force_n': force_n},
            context={'env': {'sim_or_real': 'sim'}},
        )
        memory.end_attempt(
            attempt_id=begun['attempt_id'],
            outcome=outcome,
            reason='slipped' if outcome == 'failure' else '',
            score=0.5,
            measured={'force_n': force_n + 0.2},
            steps=[{'name': 'lift', 'anchor': 'handle'}],
            used_ids=[used],
        )
    brief = memory.brief(task='grip', object='glass cup', params={'force_n': 14})
    assert (brief['is_known'], brief['attempts'][0]['success_count']) == (True, 2)
    assert brief['violations'] and brief['similar'] and brief['procedures']
    assert memory.compare(task='grip')['success_count'] == 2


def session_of(memory):
    """A session with turns, from its begin to its end."""
    session = memory.start_session(collection='kitchen', context={'robot': 'left'})['session_id']
    turn = memory.commit_turn(
        session_id=session, turn_no=1, text='The mug slipped at 6 N because it was wet.'
    )
    finished(memory, turn['job_id'])
    assert memory.get_session(session_id=session)['branches'][0]['turn_count'] == 1
    memory.learn(insight='The drawer of the kitchen jams', session_id=session)
    memory.save_perception(description='the drawer jammed', session_id=session, perception_type='tactile')
    assert memory.list_sessions()['total'] == 1
    told = memory.timeline(kinds=['session'], collection='kitchen')['entries']
    assert told[0]['session_id'] == session
    memory.merge_branch(session_id=session, branch_id='main', into='global')
    assert memory.end_session(session_id=session, outcome_score=0.9)['session_id'] == session


def upkeep_of(memory):
    """Jobs and lists."""
    queued = memory.run_maintenance()
    finished(memory, queued['job_id'])
    finished(memory, memory.backup()['job_id'])
    finished(memory, memory.rebuild_scope(scope='global')['job_id'])
    with pytest.raises(InvalidState):
        memory.retry_job(job_id=queued['job_id'])
    with pytest.raises(InvalidState):
        memory.cancel_job(job_id=queued['job_id'])
    assert memory.list_jobs(limit=3)['has_more'] is True
    assert memory.list_scopes()['total'] >= 1
    status = memory.status()
    assert status['version'] == robot_memory_client.__version__
    assert memory.restore_backup(name=status['backups'][0]['name'])['memory_count'] > 0


def test_every_answer_is_of_its_type(node, client):
    memory = Checked(client)
    rule = memory.learn(insight='Never grip the glass cup with more than 12 N', context={'env': {'room': 1}})
    assert rule['limits'][0]['value'] == 12.0
    again = memory.learn(insight='Never grip the glass cup with more than 12 N', context={'env': {'room': 1}})
    assert (again['status'], again['method']) == ('duplicate', 'exact')
    checked = memory.check_action(params={'force': {'value': 15, 'unit': 'N'}}, object='glass cup')
    assert (checked['allowed'], checked['violations'][0]['memory_id']) == (False, rule['memory_id'])
    seen = memory.save_perception(
        description='the mug slipped at 6 N',
        data={'series': []},
        metadata={'by': 'test'},
        context={'spatial': {'frame': 'map', 'object_position': [1.0, 2.0, 0.5]}},
    )
    memory.update(memory_id=seen['memory_id'], new_content='the red mug slipped at 6 N')
    found = memory.recall(query='red mug', include_data=True, explain=True, count_by='day')
    assert (found['memories'][0]['id'], found['memories'][0]['data']) == (seen['memory_id'], {'series': []})
    near = memory.recall(
        spatial_sort={'field': 'spatial.object_position', 'target': [1.0, 2.0, 0.0], 'max_distance': 1.0}
    )
    assert near['memories'][0]['spatial_distance'] == 0.5
    attempts_of(memory)
    session_of(memory)
    assert memory.get_memory(memory_id=seen['memory_id'], include_embedding=True)['history']
    memory.forget(memory_id=seen['memory_id'], reason='it was another mug')
    assert memory.get_memory(memory_id=seen['memory_id'])['invalidated_reason'] == 'it was another mug'
    memory.list_levels()
    assert memory.list_collections()['collections']
    assert memory.locate(what='mug')['is_known'] is False
    assert memory.unlearn(memory_ids=[seen['memory_id']])['forgotten_count'] == 0
    memory.delete_memory(memory_id=seen['memory_id'])
    upkeep_of(memory)
    memory.clear_memories(level='knowledge', collection='default')
    # Of these no answer without an error came.
    failed = {'adopt', 'retry_job', 'cancel_job', 'judge_lesson', 'compact_scope', 'restore_memory', 'capture'}
    assert methods() - memory.called == failed


def test_errors_are_exceptions_in_the_words_of_the_node(node, client):
    with pytest.raises(InvalidArgument, match='n: .*got 1000'):
        client.recall(query='mug', n=1000)
    with pytest.raises(NotFound, match='999999'):
        client.get_memory(memory_id=999_999)
    with pytest.raises(Refused, match='insight'):
        client.learn(insight='the wifi password is hunter2-Hunter2')
    with pytest.raises(InvalidState):
        client.capture(reason='it rattled')
    with pytest.raises(Forbidden, match='operator'):
        node.client('reader').backup()
    with pytest.raises(Unauthorized):
        Client(node.url, 'nobody').status()
    with pytest.raises(Unauthorized):
        Client(node.url).status()
    kinds = MemoryCallError.__subclasses__()
    assert len({kind.error_code for kind in kinds}) == len(kinds) == 8


def test_what_json_cannot_hold_is_told_before_it_is_sent(node, client):
    for fields in ({'importance': float('nan')}, {'insight': '\ud800'}, {'context': {'x': float('inf')}}):
        with pytest.raises(InvalidArgument):
            client.learn(**{'insight': 'the mug is wet', **fields})
    with pytest.raises(InvalidArgument, match='time zone'):
        client.recall(query='mug', since=datetime(2026, 1, 1))


def test_times_and_arrays_are_taken_as_python_has_them(node, client):
    numpy = pytest.importorskip('numpy')
    position = numpy.array([4.0, 5.0, 0.25])
    stored = client.save_perception(
        description='a door of the hall',
        context={'spatial': {'object_position': position}},
        collection='doors',
    )
    hour = timedelta(hours=1)
    now = datetime.now(timezone.utc)
    sort = {'field': 'spatial.object_position', 'target': position, 'max_distance': 1.0}
    for since, found in ((now - hour, [stored['memory_id']]), (now + hour, [])):
        answer = client.recall(
            spatial_sort=sort, collection='doors', since=since, min_confidence=numpy.float64(0.1)
        )
        assert [memory['id'] for memory in answer['memories']] == found
    zone = timezone(timedelta(hours=8))
    assert (
        client.recall(query='door', collection='doors', until=now.astimezone(zone) - hour)['memories'] == []
    )


def test_a_token_can_be_in_a_file(node, client, tmp_path):
    token = client._address.headers['Authorization'].split()[1]
    path = tmp_path / 'token'
    path.write_text(f'{token}\n')
    assert Client(node.url, token_file=path).status()['level']
    for wrong in (
        {'token': 'a', 'token_file': path},
        {'token': 'a b'},
        {'token': 'a\r\nX: y'},
        {'timeout': 0},
    ):
        with pytest.raises(ValueError):
            Client(node.url, **wrong)
    for url in ('127.0.0.1:8080', 'ftp://robot', 'http://', 'http://me:secret@robot', 'http://robot/?a=b'):
        with pytest.raises(ValueError, match='url'):
            Client(url)


def test_threads_share_a_client(node, client):
    failed = []

    def work(number):
        try:
            for step in range(10):
                client.learn(insight=f'Shelf {number} has {step} boxes', collection='shelves')
                client.recall(query='boxes', collection='shelves')
        except MemoryCallError as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert client.recall(collection='shelves', n=1, query='boxes', min_confidence=0.0)['total'] == 80


BUSY = says(503, json.dumps({'error_code': 'unavailable', 'detail': 'the queue is full'}).encode())
ANSWER = says(200, b'{"status": "created"}')


def cut(handler):
    """An answer that ends too early."""
    handler.send_response(200)
    handler.send_header('Content-Length', '1000')
    handler.end_headers()
    handler.wfile.write(b'{"status": ')


def silence(handler):
    """No answer."""


def test_what_may_be_repeated_is_repeated_with_one_key():
    with answering(BUSY, cut, silence, ANSWER) as (url, requests):
        assert Client(url).learn(insight='a') == {'status': 'created'}
        keys = [json.loads(body)['idempotency_key'] for _, _, body in requests]
        assert len(keys) == 4 and len(set(keys)) == 1 and keys[0]
    with answering(silence, ANSWER) as (url, requests):
        Client(url).recall(query='a')
        assert len(requests) == 2
        Client(url).learn(insight='a', idempotency_key='own')
        assert json.loads(requests[-1][2])['idempotency_key'] == 'own'


def test_what_may_not_be_repeated_is_not():
    for answer in (BUSY, cut, silence):
        with answering(answer, ANSWER) as (url, requests):
            with pytest.raises(Unavailable):
                Client(url).update(memory_id=1, new_content='a')
            assert len(requests) == 1


def test_retries_end():
    with answering(BUSY) as (url, requests):
        with pytest.raises(Unavailable, match='the queue is full'):
            Client(url, timeout=2.0).recall(query='a')
        assert len(requests) > 1
    stuck = threading.Event()
    with answering(lambda handler: stuck.wait(30)) as (url, requests):
        with pytest.raises(Unavailable, match=url):
            Client(url, timeout=0.5).recall(query='a')
        stuck.set()
        assert len(requests) == 1
    # Nobody listens there any more.
    with pytest.raises(Unavailable, match=url):
        Client(url, timeout=0.5).recall(query='a')


def test_errors_are_not_repeated():
    with answering(says(400, b'{"error_code": "invalid_argument", "detail": "n: x"}'), ANSWER) as (
        url,
        requests,
    ):
        with pytest.raises(InvalidArgument, match='n: x'):
            Client(url).recall(query='a')
        assert len(requests) == 1


def test_redirects_are_not_followed():
    with answering(ANSWER) as (elsewhere, redirected):
        for status in (301, 302, 307, 308):
            with answering(says(status, Location=f'{elsewhere}/api/v1/recall')) as (url, _):
                with pytest.raises(Internal, match='redirects are not followed'):
                    Client(url, 'secret').recall(query='a')
        assert redirected == []


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    with answering(says(500)) as (proxy, proxied), answering(ANSWER) as (url, requests):
        for name in ('http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy', 'ALL_PROXY'):
            monkeypatch.setenv(name, proxy)
        assert Client(url, 'secret').recall(query='a') == {'status': 'created'}
        assert (len(requests), proxied) == (1, [])


def test_tls_is_verified(tmp_path, monkeypatch):
    if shutil.which('openssl') is None:
        pytest.skip('openssl, which makes a certificate, is not installed')
    key, certificate = tmp_path / 'key.pem', tmp_path / 'certificate.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate]
        + ['-days', '1', '-subj', '/CN=robot', '-addext', 'subjectAltName=IP:127.0.0.1'],
        check=True,
        capture_output=True,
    )
    with answering(ANSWER, tls=(certificate, key)) as (url, requests):
        with pytest.raises(Unavailable, match='certificate'):
            Client(url, 'secret', timeout=1.0).recall(query='a')
        assert requests == []
        monkeypatch.setenv('SSL_CERT_FILE', str(certificate))
        assert Client(url, 'secret').recall(query='a') == {'status': 'created'}


def test_answers_that_are_none_are_told():
    for answer in (says(200, b'<html>'), says(404, b'nothing'), says(500, b'{"error_code": 7}')):
        with answering(answer) as (url, requests):
            with pytest.raises(Internal):
                Client(url).recall(query='a')
            assert len(requests) == 1


def test_an_answer_is_bounded(monkeypatch):
    monkeypatch.setattr('robot_memory_client.connection.ANSWER_BYTES_MAX', 1000)
    with answering(says(200, json.dumps('x' * 1000).encode())) as (url, _):
        with pytest.raises(Internal, match='more than 1000 bytes'):
            Client(url).recall(query='a')


def test_connections_are_closed():
    with answering(ANSWER, BUSY, cut) as (url, _):
        client = Client(url, timeout=1.0)
        before = len(os.listdir('/proc/self/fd'))
        for _ in range(5):
            try:
                client.recall(query='a')
            except Unavailable:
                pass
        wait_until(lambda: len(os.listdir('/proc/self/fd')) <= before, 'closed connections')


def streaming(text):
    """A stream of events that ends."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header('Content-Type', 'text/event-stream')
        handler.send_header('Transfer-Encoding', 'chunked')
        handler.end_headers()
        for piece in (text[:7].encode(), text[7:].encode()):
            handler.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece))
        handler.wfile.flush()

    return answer


def test_events_go_on_where_they_were_cut_off():
    first = ': hello\n\nid: 1\nevent: memory\ndata: {"a":\ndata: 1}\n\nretry: 1\nid: 2\nevent: memory\ndata: {"never":'
    second = 'id: 2\nevent: gap\ndata: {"missed": 3}\n\n:\n\nid:3\ndata:{}\nunknown: x\n\n'
    begin = streaming('retry: 1\nid: s-0\n\n')
    with answering(begin, streaming(first), BUSY, streaming(second), says(401)) as (url, requests):
        with Client(url, 'secret').events(last_event_id='0') as events:
            heard = [next(events) for _ in range(3)]
            assert heard == [('1', 'memory', {'a': 1}), ('2', 'gap', {'missed': 3}), ('3', 'message', {})]
            assert events.last_event_id == '3'
            with pytest.raises(Internal):
                next(events)
        asked = [headers.get('Last-Event-ID') for _, headers, _ in requests]
        assert asked == ['0', 's-0', '1', '1', '3']
        assert {path for path, _, _ in requests} == {'/api/v1/events'}
        assert all(headers['Authorization'] == 'Bearer secret' for _, headers, _ in requests)


def test_a_stream_is_closed_while_somebody_waits(node):
    stuck = threading.Event()

    def answer(handler):
        streaming('id: 1\ndata: 1\n\n')(handler)
        stuck.wait(30)

    with answering(answer) as (url, _):
        events = Client(url).events()
        heard = []
        thread = threading.Thread(target=lambda: heard.extend(events))
        thread.start()
        wait_until(lambda: heard, 'event')
        events.close()
        thread.join(20)
        stuck.set()
        assert not thread.is_alive() and [event.data for event in heard] == [1]
        assert list(events) == []


def test_what_is_learned_is_an_event(node, client):
    heard, failed = [], []

    def listen(events):
        try:
            heard.extend(iter(events))
        except MemoryCallError as error:
            failed.append(error)

    with client.events() as events:
        thread = threading.Thread(target=listen, args=(events,), daemon=True)
        thread.start()
        wait_until(lambda: events.last_event_id or failed, 'begin of the stream')
        assert failed == []
        learned = client.learn(insight='The lamp of the hall flickers', collection='lamps')
        wait_until(
            lambda: any(event.data.get('memory_id') == learned['memory_id'] for event in heard), 'event'
        )
        assert events.last_event_id == heard[-1].id != ''
    thread.join(20)
    assert not thread.is_alive()
    with client.events(last_event_id=heard[-1].id) as events:
        client.learn(insight='The lamp of the cellar is new', collection='lamps')
        assert 'cellar' in json.dumps(next(events).data)


def test_the_examples_of_the_documents_run(node, client, tmp_path, capsys):
    token = tmp_path / 'token'
    token.write_text(client._address.headers['Authorization'].split()[1])
    ran = 0
    for document in (PACKAGE / 'README.md', PACKAGE.parents[1] / 'docs/python.md'):
        names = {}
        for block in re.findall(r'```python\n(.*?)```', document.read_text(), re.DOTALL):
            # Those of events do not end, and those over ROS are in test_python_ros.py.
            if 'client.events()' in block or 'import rclpy' in block:
                continue
            block = block.replace('http://127.0.0.1:8080', node.url).replace(
                '/etc/robot/memory.token', str(token)
            )
            exec(compile(block, document.name, 'exec'), names)
            ran += 1
    assert ran == 3
    printed = capsys.readouterr().out
    assert "False ['Never grip the glass cup with more than 12 N']" in printed
    assert '     1\tTwo cups are washed.' in printed


def test_the_package_is_installed_with_pip(node, tmp_path):
    pytest.importorskip('pip')
    try:
        pytest.importorskip('setuptools').Distribution().get_command_class('bdist_wheel')
    except Exception:
        pytest.skip('nothing here makes a wheel: neither wheel nor a newer setuptools')
    folder = tmp_path / 'installed'
    command = [
        sys.executable,
        '-m',
        'pip',
        'install',
        '--quiet',
        '--no-index',
        '--no-deps',
        '--no-build-isolation',
    ]
    subprocess.run([*command, '--target', folder, copied(tmp_path)], check=True, timeout=300)
    program = (
        'import robot_memory_client as it; print(it.__file__, it.__version__); '
        f'print(it.Client({node.url!r}, "x").with_timeout(5).__class__.__name__)'
    )
    done = subprocess.run(
        [sys.executable, '-c', program],
        env={**os.environ, 'PYTHONPATH': str(folder)},
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    where, version, name = done.stdout.split()
    assert where.startswith(str(folder)) and (version, name) == (robot_memory_client.__version__, 'Client')
    assert (folder / 'robot_memory_client/py.typed').exists()


def copied(folder):
    """The package's sources elsewhere, since setuptools builds beside them."""
    target = folder / 'source'
    subprocess.run(['cp', '-r', PACKAGE, target], check=True)
    return target


def test_a_sourced_workspace_has_the_package(tmp_path):
    done = subprocess.run(
        [sys.executable, '-c', 'import robot_memory_client; print(robot_memory_client.__file__)'],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert str(SOURCE) not in done.stdout


def test_the_package_is_python_3_9_and_needs_nothing_else():
    for path in FILES:
        tree = ast.parse(path.read_text(), feature_version=(3, 9))
        roots = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                roots.update(name.name.split('.')[0] for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                roots.add(node.module.split('.')[0])
        assert roots <= set(sys.stdlib_module_names), f'{path.name} imports {roots}'


def test_the_package_is_typed():
    pytest.importorskip('mypy')
    command = [sys.executable, '-m', 'mypy', '--strict', '--python-version', '3.9', '--no-site-packages']
    command += ['--cache-dir', os.devnull]
    done = subprocess.run(
        [*command, SOURCE / 'robot_memory_client'], capture_output=True, text=True, cwd=PACKAGE
    )
    assert done.returncode == 0, done.stdout + done.stderr
