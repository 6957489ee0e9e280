"""Nodes that are killed or stopped while they store: what they answered is there afterwards."""

import json
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import pytest
from robot_memory.srv import GetSession, Learn, ListSessions

from conftest import wait_until
from shared_node import Collection

# Fewer than a node lets wait, so that none is turned away.
STORM = 480
PAGE = 100
# How many answers are waited for before each kill.
ANSWERS_BEFORE_KILL = [1, 20, 60, 120, 240]
# What was answered before the kill may still be on its way to here.
LAST_ANSWERS_SECS = 0.5


def begin_storm(client, storm):
    """Send many requests at once; returns the futures of their answers, by number."""
    return {
        number: client.call_async(
            Learn,
            insight=f'In storm {storm} shelf {number} holds {number * 7} boxes of screws.',
            context=json.dumps({'storm': storm, 'number': number}),
        )
        for number in range(STORM)
    }


def answered(futures, allowed_errors=()):
    """Ids of what was answered as created, by number."""
    done = {number: future.result() for number, future in futures.items() if future.done()}
    stored = {number: answer for number, answer in done.items() if answer.success}
    assert all(answer.status == 'created' for answer in stored.values())
    errors = {answer.error_code for answer in done.values() if not answer.success}
    assert errors <= set(allowed_errors)
    return {number: answer.memory_id for number, answer in stored.items()}


def recalled(client, storm):
    """Ids of what a node knows of a storm, by number, read page by page."""
    ids = {}
    for first in range(0, STORM, PAGE):
        condition = {'storm': storm, 'number': {'$gte': first, '$lt': first + PAGE}}
        page = Collection(client, 'default').recall(context_filter=json.dumps(condition), n=PAGE)
        assert page.total == len(page.memories)
        for hit in page.memories:
            number = json.loads(hit.context)['number']
            assert f'shelf {number} holds' in hit.content
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
    for storm, answers in enumerate(ANSWERS_BEFORE_KILL):
        client, process = nodes.start(store_path=store)
        futures = begin_storm(client, storm)
        wait_until(lambda: sum(f.done() for f in futures.values()) >= answers, 20.0, 'answers')
        process.process.kill()
        process.wait_for_end()
        time.sleep(LAST_ANSWERS_SECS)
        known[storm] = answered(futures)
        assert answers <= len(known[storm]) < STORM, 'the kill was not in the middle of the storm'
        client.close()
        active = check_soundness(store, tmp_path / f'copy-{storm}')
        assert active >= sum(len(ids) for ids in known.values())

    client, process = nodes.start(store_path=store)
    assert 'ended without closing the store' in process.log()
    for storm, ids in known.items():
        found = recalled(client, storm)
        lost = {number: id for number, id in ids.items() if found.get(number) != id}
        assert lost == {}, f'storm {storm}: {len(lost)} of {len(ids)} answered memories are lost'
    all_ids = [id for ids in known.values() for id in ids.values()]
    assert len(set(all_ids)) == len(all_ids), 'an id was used twice'


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_in_a_storm_loses_nothing_that_was_answered(nodes, tmp_path, number):
    store = tmp_path / 'stores' / 'memory.db'
    client, process = nodes.start(store_path=store)
    futures = begin_storm(client, 0)
    wait_until(lambda: sum(f.done() for f in futures.values()) >= 20, 20.0, 'answers')
    process.stop(number)
    time.sleep(LAST_ANSWERS_SECS)
    # What came too late was told so, not left without an answer.
    stored = answered(futures, allowed_errors=['unavailable'])
    client.close()
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
