"""Nodes that are killed or stopped while they store: what they answered is there afterwards."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from robot_memory.srv import GetSession, ListSessions

from conftest import wait_until
from shared_node import Collection
from storm_client import content

CLIENTS = 2
PER_CLIENT = 240
# Fewer than a node lets wait, so that none is turned away.
STORM = CLIENTS * PER_CLIENT
PAGE = 100
# How many answers are waited for before each kill.
ANSWERS_BEFORE_KILL = [1, 20, 60, 120, 240]
# What was answered before the kill may still be on its way to the client.
LAST_ANSWERS_SECS = 0.5


class Storm:
    """Clients in processes of their own, which send all they have at once."""

    def __init__(self, number, full_name, folder):
        self.processes = []
        self.outputs = []
        for first in range(0, STORM, PER_CLIENT):
            self.outputs.append(folder / f'storm-{number}-{first}.txt')
            program = Path(__file__).with_name('storm_client.py')
            output = self.outputs[-1]
            output.touch()
            arguments = [f'{full_name}/learn', str(number), str(first), str(PER_CLIENT), output]
            process = subprocess.Popen([sys.executable, program, *arguments], stdin=subprocess.PIPE)
            self.processes.append(process)

    def lines(self):
        """What the clients have told so far, as words; a line that is not yet whole is left out."""
        texts = [output.read_text() for output in self.outputs]
        return [line.split() for text in texts for line in text.split('\n')[:-1]]

    def begin(self):
        """Let the clients loose, once all of them see the service."""

        def are_ready():
            return self.lines().count(['ready']) == CLIENTS

        wait_until(are_ready, 'clients that are ready')
        for process in self.processes:
            process.stdin.write(b'go\n')
            process.stdin.flush()

    def answers(self):
        """Ids or codes of errors, by number."""
        return {int(words[0]): words[1] for words in self.lines() if words != ['ready']}

    def wait_for_answers(self, count):
        """Wait until so many requests were answered."""
        wait_until(lambda: len(self.answers()) >= count, f'{count} answers')

    def end(self):
        """End the clients."""
        for process in self.processes:
            process.kill()
            process.stdin.close()
            process.wait(5.0)


@contextmanager
def storm_on(process, number, folder):
    """A storm that has begun on a node."""
    storm = Storm(number, process.full_name, folder)
    try:
        storm.begin()
        yield storm
        time.sleep(LAST_ANSWERS_SECS)
    finally:
        storm.end()


def ids_of(answers, allowed_errors=()):
    """Ids of what was stored, by number."""
    errors = {answer for answer in answers.values() if not answer.isdigit()}
    assert errors <= set(allowed_errors)
    return {number: int(answer) for number, answer in answers.items() if answer.isdigit()}


def recalled(client, storm):
    """Ids of what a node knows of a storm, by number, read page by page."""
    ids = {}
    for first in range(0, STORM, PAGE):
        condition = {'storm': storm, 'number': {'$gte': first, '$lt': first + PAGE}}
        page = Collection(client, 'default').recall(context_filter=json.dumps(condition), n=PAGE)
        assert page.total == len(page.memories)
        for hit in page.memories:
            number = json.loads(hit.context)['number']
            assert hit.content == content(storm, number)
            assert number not in ids, 'a request was stored twice'
            ids[number] = hit.id
    return ids


def check_soundness(store, copies):
    """Look into a copy of a store's files, so that the store itself stays as it was left."""
    copies.mkdir()
    for file in store.parent.glob(f'{store.name}*'):
        shutil.copy(file, copies)
    with closing(sqlite3.connect(copies / store.name)) as copy:

        def value(query):
            return copy.execute(query).fetchone()[0]

        assert value('PRAGMA integrity_check') == 'ok'
        assert copy.execute('PRAGMA foreign_key_check').fetchall() == []
        active = value("SELECT count(*) FROM memory WHERE status = 'active'")
        # A memory and its words came together or not at all. The word index keeps a row of each
        # text in a table that also a SQLite too old for the index itself can read.
        assert value('SELECT count(*) FROM memory_words_docsize') == active
    return active


def test_nothing_answered_is_lost_by_kills_in_a_storm(nodes, tmp_path):
    store = tmp_path / 'stores' / 'memory.db'
    known = {}
    for number, count in enumerate(ANSWERS_BEFORE_KILL):
        process = nodes.launch(store_path=store)
        # Until then calls are answered with `unavailable`.
        process.wait_until_logged('ready, with the store')
        with storm_on(process, number, tmp_path) as storm:
            storm.wait_for_answers(count)
            process.process.kill()
            process.wait_for_end()
        known[number] = ids_of(storm.answers())
        assert count <= len(known[number]) < STORM, 'the kill was not in the middle of the storm'
        active = check_soundness(store, tmp_path / f'copy-{number}')
        assert active >= sum(len(ids) for ids in known.values())

    client, process = nodes.start(store_path=store)
    assert 'ended without closing the store' in process.log()
    for number, ids in known.items():
        found = recalled(client, number)
        lost = {n: id for n, id in ids.items() if found.get(n) != id}
        assert lost == {}, f'storm {number}: {len(lost)} of {len(ids)} answered memories are lost'
    all_ids = [id for ids in known.values() for id in ids.values()]
    assert len(set(all_ids)) == len(all_ids), 'an id was used twice'


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_in_a_storm_loses_nothing_that_was_answered(nodes, tmp_path, number):
    store = tmp_path / 'stores' / 'memory.db'
    process = nodes.launch(store_path=store)
    process.wait_until_logged('ready, with the store')
    with storm_on(process, 0, tmp_path) as storm:
        storm.wait_for_answers(20)
        process.stop(number)
    # What came too late was told so, not left without an answer.
    stored = ids_of(storm.answers(), allowed_errors=['unavailable'])
    # An orderly end leaves one file, with everything in it.
    assert not store.with_name(store.name + '-wal').exists()
    check_soundness(store, tmp_path / 'copy')

    client, process = nodes.start(store_path=store)
    assert 'without closing the store' not in process.log()
    found = recalled(client, 0)
    assert {n: id for n, id in stored.items() if found.get(n) != id} == {}


def test_a_killed_node_leaves_no_lock_behind(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    _, process = nodes.start(store_path=store)
    process.process.kill()
    process.wait_for_end()
    lock = store.with_name('memory.db.lock')
    assert lock.exists(), 'the file that the lock is on stays'
    client, _ = nodes.start(store_path=store)
    assert Collection(client).learn('It goes on.').status == 'created'


def test_a_session_that_a_kill_left_open_is_listed_as_such_and_can_be_ended(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(store_path=store)
    memory = Collection(client)
    ended, left = memory.start_session(), memory.start_session()
    memory.end_session(ended)
    memory.learn('The cup is red.', session_id=left)
    assert not memory.succeed(GetSession, session_id=left).session.interrupted
    process.process.kill()
    process.wait_for_end()

    client, _ = nodes.start(store_path=store)
    again = Collection(client, memory.name)
    fresh = again.start_session()
    sessions = again.succeed(ListSessions).sessions
    shown = {session.session_id: (session.status, session.interrupted) for session in sessions}
    assert shown == {
        fresh: ('open', False),
        left: ('open', True),
        ended: ('ended', False),
    }
    answer = again.end_session(left, has_outcome_score=True, outcome_score=0.5)
    assert (answer.status, answer.memory_count) == ('ended', 1)
    session = again.succeed(GetSession, session_id=left).session
    assert (session.status, session.interrupted) == ('ended', False)


def test_a_key_outlives_a_kill(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(store_path=store)
    memory = Collection(client)
    first = memory.learn('The dock is beside the door.', idempotency_key='try 1')
    process.process.kill()
    process.wait_for_end()
    client, _ = nodes.start(store_path=store)
    # A client that never got the answer asks again.
    again = Collection(client, memory.name).learn(
        'The dock is beside the door.', idempotency_key='try 1'
    )
    assert again == first and again.status == 'created'
