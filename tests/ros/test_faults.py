"""Faults of the disk and of the store's file, made to happen under a running node."""

import contextlib
import signal
import sqlite3
import subprocess
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from robot_memory.srv import (
    Backup,
    DeleteMemory,
    Forget,
    Learn,
    RestoreBackup,
    SavePerception,
    StartSession,
    Status,
    Update,
)

from conftest import wait_until
from shared_node import Collection, refused
from test_jobs import wait_for_end

DISK_BYTES = 24 * 2**20
QUIET = {'maintenance_daily_at': '', 'maintenance_weekly_at': '', 'backup_daily_at': ''}


def state_of(client, component):
    """One word on how a part of the memory is doing."""
    status = client.succeed(Status)
    return next(it.state for it in status.components if it.name == component)


def wait_for_state(client, component, state):
    """Wait until a part of the memory says so of itself."""
    wait_until(
        lambda: state_of(client, component) == state, f'{component} {state}'
    )


def wait_until_replayed(client):
    """Wait until nothing waits for being stored."""
    wait_until(
        lambda: client.succeed(Status).queued_writes == 0, 'end of the replay'
    )


class Disk:
    """A small disk of its own."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.run('mount', '-t', 'tmpfs', '-o', f'size={DISK_BYTES}', 'tmpfs', str(folder))

    @staticmethod
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f'{command[0]} is not allowed here: {done.stderr.strip()}')

    def fill(self):
        """Leave no room."""
        with open(self.folder / 'ballast', 'wb', buffering=0) as ballast:
            for size in (2**20, 2**12, 1):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(size))

    def free(self):
        """Make room again."""
        (self.folder / 'ballast').unlink()

    def remount(self, how):
        """Make it only to be read (ro), or to be written again (rw)."""
        self.run('mount', '-o', f'remount,{how}', str(self.folder))

    def close(self):
        subprocess.run(['umount', '-l', str(self.folder)], check=False)


@pytest.fixture
def disk(tmp_path):
    disk = Disk(tmp_path / 'disk')
    yield disk
    disk.close()


def each_write(memory, fact, other):
    """Writes of each kind that waits for better times; returns what became of them."""
    client = memory.client
    return [
        client.succeed(
            Learn, insight='The new lamp is beside the door.', collection=memory.name
        ).status,
        client.succeed(
            SavePerception,
            description='The door was heavy today.',
            perception_type='tactile',
            collection=memory.name,
        ).status,
        client.succeed(Update, memory_id=fact, new_content='The bin holds 40 washers.').status,
        client.succeed(Forget, memory_id=other, reason='it moved').status,
    ]


def check_all_is_stored(memory):
    """What was queued is there, once each, in order."""
    hits = memory.all()
    assert [hit.content for hit in hits] == [
        'The bin holds 40 washers.',
        'The new lamp is beside the door.',
        'The door was heavy today.',
    ]


@contextmanager
def two_facts(nodes, **parameters):
    """A node that knows two facts."""
    client, process = nodes.start(**QUIET, **parameters)
    memory = Collection(client)
    facts = [
        memory.learn(insight).memory_id
        for insight in ('The bin holds 20 washers.', 'The broom stands in the corner.')
    ]
    yield memory, process, facts


def check_queueing(memory, facts, component_state):
    """While the store cannot be written, writes wait and all else is answered."""
    assert each_write(memory, *facts) == ['queued'] * 4
    wait_for_state(memory.client, 'store', component_state)
    assert memory.client.succeed(Status).queued_writes == 4
    # What is stored is found, what waits is not yet.
    assert memory.contents('washers in the bin') == ['The bin holds 20 washers.']
    refused(memory.client, DeleteMemory, 'unavailable', '', memory_id=facts[0])
    refused(memory.client, StartSession, 'unavailable', '')
    refused(memory.client, Learn, 'invalid_argument', 'insight', insight='')
    refused(memory.client, Learn, 'refused', '', insight='The password: hunter2 opens it.')
    assert memory.client.succeed(Status).queued_writes == 4


def test_on_a_full_disk_writes_wait_and_are_stored_when_there_is_room(nodes, disk):
    store = str(disk.folder / 'memory.db')
    options = {
        'store_path': store, 'disk_free_bytes_min': 0, 'write_queue_bytes_max': 2**20
    }
    with two_facts(nodes, **options) as (memory, process, facts):
        disk.fill()
        check_queueing(memory, facts, 'full')
        # It also starts on a full disk, after a kill, and has lost nothing.
        process.process.kill()
        process.wait_for_end()
        again, _ = nodes.start(name='again', **QUIET, **options)
        found = Collection(again, memory.name)
        assert found.contents('washers in the bin') == ['The bin holds 20 washers.']
        assert again.succeed(Status).queued_writes == 4
        disk.free()
        wait_until_replayed(again)
        check_all_is_stored(found)
        wait_for_state(again, 'store', 'writable')


def test_on_a_read_only_file_system_writes_wait_elsewhere(nodes, disk, tmp_path):
    options = {
        'store_path': str(disk.folder / 'memory.db'),
        'write_queue_path': str(tmp_path / 'queue.jsonl'),
        'disk_free_bytes_min': 0,
    }
    with two_facts(nodes, **options) as (memory, process, facts):
        # The kernel makes nothing read-only in which somebody writes.
        process.stop()
        disk.remount('ro')
        again, _ = nodes.start(name='again', **QUIET, **options)
        found = Collection(again, memory.name)
        check_queueing(found, facts, 'read_only')
        disk.remount('rw')
        wait_until_replayed(again)
        check_all_is_stored(found)
        wait_for_state(again, 'store', 'writable')


def test_while_another_program_holds_the_store_writes_wait(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    with two_facts(nodes, store_path=str(store)) as (memory, _, facts):
        with closing(sqlite3.connect(store, isolation_level=None)) as holder:
            holder.execute('BEGIN IMMEDIATE')
            check_queueing(memory, facts, 'locked')
            holder.execute('ROLLBACK')
        wait_until_replayed(memory.client)
        check_all_is_stored(memory)
        wait_for_state(memory.client, 'store', 'writable')


def test_a_backup_brings_back_what_it_holds(nodes, tmp_path):
    with two_facts(nodes, store_path=str(tmp_path / 'memory.db')) as (memory, _, facts):
        client = memory.client
        job = wait_for_end(client, client.succeed(Backup).job_id)
        assert job.status == 'succeeded', job.last_error
        (backup,) = client.succeed(Status).backups
        assert (backup.memory_count, backup.is_verified) == (2, True)
        client.succeed(Forget, memory_id=facts[0], reason='gone')
        memory.learn('The drill lies on the bench.')
        refused(client, RestoreBackup, 'not_found', '', name='none.db')
        refused(client, RestoreBackup, 'not_found', 'name', name='../memory.db')
        refused(client, RestoreBackup, 'forbidden', '', name='latest', agent='somebody')
        answer = client.succeed(RestoreBackup, name='latest')
        assert (answer.name, answer.memory_count) == (backup.name, 2)
        assert [hit.id for hit in memory.all()] == facts
        # What was stored before is a backup of its own.
        client.succeed(RestoreBackup, name=answer.kept_as)
        assert [hit.content for hit in memory.all()] == [
            'The broom stands in the corner.',
            'The drill lies on the bench.',
        ]


def test_a_damaged_store_is_repaired_from_what_can_be_read_and_a_backup(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(**QUIET, store_path=str(store))
    memory = Collection(client)
    for number in range(300):
        memory.learn(f'Drawer {number} holds {number + 3} keys of steel, brass and zinc.')
    job = wait_for_end(client, client.succeed(Backup).job_id)
    assert job.status == 'succeeded', job.last_error
    process.stop(signal.SIGINT)

    # Damage that the start does not see: the file was closed in order.
    damaged = bytearray(store.read_bytes())
    with closing(sqlite3.connect(f'file:{store}?mode=ro', uri=True)) as file:
        (page,) = file.execute('PRAGMA page_size').fetchone()
        pages = [
            number
            for (number,) in file.execute(
                "SELECT pageno FROM dbstat WHERE name = 'memory' AND pagetype = 'leaf' LIMIT 2"
            )
        ] if has_dbstat(file) else [len(damaged) // page // 2]
    for number in pages:
        start = (number - 1) * page
        damaged[start : start + page] = b'\xa5' * page
    store.write_bytes(damaged)
    for suffix in ('-wal', '-shm'):
        Path(f'{store}{suffix}').unlink(missing_ok=True)

    again, process = nodes.start(name='again', **QUIET, store_path=str(store))
    found = Collection(again, memory.name)

    wait_for_state(again, 'store', 'writable')
    assert 'is repaired' in process.log()
    assert Path(f'{store}.damaged-1').is_file()
    assert process.is_running()
    assert again.succeed(Status).memory_count == 300
    assert found.contents('drawer 17 keys')[0].startswith('Drawer 17 ')
    found.learn('It goes on.')
    with closing(sqlite3.connect(f'file:{store}?mode=ro', uri=True)) as file:
        assert file.execute('PRAGMA integrity_check').fetchone() == ('ok',)


def has_dbstat(file):
    """Whether this SQLite tells which pages are whose."""
    try:
        file.execute('SELECT 1 FROM dbstat LIMIT 1')
    except sqlite3.OperationalError:
        return False
    return True
