"""Maintenance of a real node: on demand, as a dry run, as an action; what it forgets comes back."""

import json
import math
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus
from robot_memory.action import Maintain
from robot_memory.msg import MaintenanceReport
from robot_memory.srv import (
    Compare,
    GetMemory,
    Recall,
    RestoreMemory,
    RunMaintenance,
    Status,
)

from conftest import wait_until
from set_clock import DAY_SECS, SetClock
from shared_node import Collection, refused, shared_node
from test_jobs import Goal, wait_for_end

START_SECS = 1_750_000_000


@pytest.fixture(scope='module')
def store_path(tmp_path_factory):
    return tmp_path_factory.mktemp('maintained') / 'memory.db'


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory, store_path):
    with shared_node(ros_node, tmp_path_factory, store_path=str(store_path)) as started:
        yield started


@pytest.fixture
def memory(started):
    return started[0]


class Reports:
    """The reports that a node publishes."""

    def __init__(self, ros_node, full_name):
        self.ros_node = ros_node
        self.heard = []
        self.subscription = ros_node.create_subscription(
            MaintenanceReport, f'{full_name}/maintenance', self.heard.append, 10
        )
        wait_until(
            lambda: ros_node.count_publishers(f'{full_name}/maintenance') > 0,
            '~/maintenance',
        )

    def of(self, job_id):
        """The report of a job, when it comes."""
        wait_until(lambda: any(it.job_id == job_id for it in self.heard), 'report')
        return next(it for it in self.heard if it.job_id == job_id)

    def close(self):
        self.ros_node.destroy_subscription(self.subscription)


@pytest.fixture
def reports(ros_node, memory):
    reports = Reports(ros_node, memory.full_name)
    yield reports
    reports.close()


def maintain(client, **fields):
    """Maintain, and wait for the end; returns the report of the job."""
    job = wait_for_end(client, client.succeed(RunMaintenance, **fields).job_id)
    assert job.status == 'succeeded', job.last_error
    return job.id, json.loads(job.result)


def test_a_dry_run_reports_what_the_real_run_does_and_changes_nothing(memory, reports, store_path):
    collection = Collection(memory)
    for words in (
        'glass cup slips out of gripper',
        'glass cup slips out of gripper in `grip`',
        'kettle hangs above sink on hook',
    ):
        collection.learn(words)
    dry_id, dry = maintain(memory, mode='weekly', dry_run=True)
    assert len(collection.all()) == 3
    job_id, real = maintain(memory, mode='weekly')
    assert len(collection.all()) == 2
    for report, is_dry in ((dry, True), (real, False)):
        assert (report['mode'], report['dry_run']) == ('weekly', is_dry)
    different = ('dry_run', 'began_at', 'ended_at')
    without = [{key: it[key] for key in it if key not in different} for it in (dry, real)]
    assert without[0] == without[1]

    told = reports.of(job_id)
    assert (told.mode, told.dry_run, told.success, told.scope) == ('weekly', False, True, 'all')
    # Everybody can hear a topic, and the policy shows there what is global.
    assert (told.json, told.markdown) == ('', '')
    global_id, _ = maintain(memory, mode='weekly', scope='global')
    shown = reports.of(global_id)
    assert json.loads(shown.json)['mode'] == 'weekly' and shown.markdown.startswith('#')
    assert 'slips' not in shown.json + shown.markdown
    assert reports.of(dry_id).dry_run
    folder = Path(told.folder)
    assert folder == Path(f'{store_path}.maintenance')
    kept = [path.suffix for path in folder.iterdir() if f'job{job_id}.' in path.name]
    assert sorted(kept) == ['.json', '.md']
    assert all('slips' not in path.read_text() for path in folder.iterdir())
    status = memory.succeed(Status)
    assert status.last_weekly_at.sec > 0 and status.next_daily_at.sec > 0


def test_what_cannot_be_maintained_is_refused(memory):
    for code, part, fields in (
        ('invalid_argument', 'mode', {'mode': 'hourly'}),
        ('invalid_argument', 'scope', {'scope': 'planet'}),
        ('invalid_argument', 'scope_id', {'scope': 'all', 'scope_id': 'x'}),
        ('invalid_state', 'nothing is stored', {'scope': 'dm'}),
        ('forbidden', '', {'agent': 'somebody'}),
    ):
        refused(memory, RunMaintenance, code, part, **fields)


def test_the_action_follows_a_run(memory, ros_node):
    Collection(memory).learn('The lamp hangs above the bench.')
    goal = Goal(ros_node, Maintain, f'{memory.full_name}/maintain', mode='daily', scope='global')
    status, result = goal.end()
    assert (status, result.success) == (GoalStatus.STATUS_SUCCEEDED, True)
    report = json.loads(result.job.result)
    assert (report['mode'], report['scope']) == ('daily', 'global')


def test_a_log_fades_into_the_cold_layer_and_comes_back(nodes, ros_node):
    clock = SetClock(ros_node, START_SECS)
    try:
        client, _ = nodes.start(use_sim_time=True, maintenance_daily_at='', backup_daily_at='')
        memory = Collection(client)
        clock.wait_until_known(memory)
        log = memory.learn('The M8 bolt went in at 9 N.', mem_type='task_log').memory_id
        fact = memory.learn('The M8 bolts are in bin four.').memory_id
        shown = client.succeed(GetMemory, memory_id=log)
        half_life = shown.half_life_days
        assert (shown.fades, half_life) == (True, 30.0)
        days = half_life * math.log2(shown.memory.importance / 0.1)
        assert shown.archives_at.sec == pytest.approx(START_SECS + days * DAY_SECS, abs=2)
        assert not client.succeed(GetMemory, memory_id=fact).fades

        clock.secs += 120 * DAY_SECS
        clock.wait_until_known(memory)
        maintain(client, mode='weekly')
        shown = client.succeed(GetMemory, memory_id=log)
        assert shown.memory.status == 'archived'
        assert [entry.change for entry in shown.ledger][-1] == 'archived'
        assert shown.ledger[-1].changed_at.sec == clock.secs
        hits = memory.recall('M8 bolt', min_confidence=0.0).memories
        assert [hit.id for hit in hits] == [fact]

        answer = client.succeed(RestoreMemory, memory_id=log, reason='needed again')
        assert (answer.status, answer.memory_id) == ('active', log)
        refused(client, RestoreMemory, 'invalid_state', 'active', memory_id=log)
        hits = memory.recall('M8 bolt', min_confidence=0.0).memories
        assert {hit.id for hit in hits} == {log, fact}
        # Its age counts from now.
        maintain(client, mode='weekly')
        shown = client.succeed(GetMemory, memory_id=log)
        assert shown.memory.status == 'active'
        assert [entry.change for entry in shown.ledger][-1] == 'restored'
    finally:
        clock.stop()


def attempt(memory, number, force_n, is_good):
    """Save one attempt to insert a bolt."""
    context = {
        'task': {'name': 'insert', 'object': 'M8 bolt', 'success': is_good},
        'params': {'force_n': force_n},
    }
    return memory.perceive(
        f'Attempt {number}: insert M8 bolt',
        perception_type='tactile',
        context=json.dumps(context),
    )


def test_what_differed_between_success_and_failure_is_told_and_learned(memory):
    collection = Collection(memory)
    good = [attempt(collection, number, 8 + number / 4, True) for number in range(12)]
    bad = [attempt(collection, number, 13.5 + number, False) for number in range(6)]
    answer = collection.succeed(Compare, task='insert', object='M8 bolt', collection=collection.name)
    assert (answer.success_count, answer.failure_count, answer.unknown_count) == (12, 6, 0)
    assert answer.success_rate == pytest.approx(12 / 18)
    low, high = answer.success_rate_interval
    assert 0.4 < low < 12 / 18 < high < 0.9
    strongest = answer.contrasts[0]
    assert (strongest.path, strongest.kind) == ('params.force_n', 'number')
    assert strongest.effect == -1.0 and strongest.effect_low < 0
    assert (strongest.success_range[0], strongest.success_range[-1]) == (8.0, 10.75)
    assert (strongest.failure_range[0], strongest.failure_range[-1]) == (13.5, 18.5)
    assert answer.success_ids[0] == good[-1] and answer.failure_ids[0] == bad[-1]
    refused(memory, Compare, 'invalid_argument', 'n', n=0)
    none = collection.succeed(Compare, task='weld', collection=collection.name)
    assert (none.success_count, none.failure_count, len(none.contrasts)) == (0, 0, 0)
    assert none.summary

    maintain(memory, mode='weekly', scope='global')
    hits = collection.recall('insert M8 bolt', n=100).memories
    (learned,) = [hit for hit in hits if hit.source == 'consolidation' and hit.type == 'summary']
    assert '12 of 18' in learned.content and learned.mem_type == 'knowledge'


def test_a_contradiction_that_no_rule_settles_is_shown(memory):
    collection = Collection(memory)
    first = collection.learn('Lesson: the grip force for the glass cup must be 10 N.')
    second = collection.learn('Lesson: the grip force for the glass cup must be 14 N.')
    maintain(memory, mode='weekly', scope='global')
    hits = memory.succeed(
        Recall, query='grip force for the glass cup', collection=collection.name
    ).memories
    shown = {hit.id: list(hit.conflicts_with) for hit in hits}
    assert shown[first.memory_id] == [second.memory_id]
    assert shown[second.memory_id] == [first.memory_id]
    assert memory.succeed(Status).conflict_count >= 1
