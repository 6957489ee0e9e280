"""Background jobs of a real node: turns taken in, jobs listed and controlled, actions, kills."""

import itertools
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.action import ActionClient
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from robot_memory.action import Import, Maintain, Rebuild
from robot_memory.msg import JobEvent
from robot_memory.srv import (
    CancelJob,
    CommitTurn,
    GetJob,
    GetMemory,
    ListJobs,
    ListScopes,
    ListSessions,
    RebuildScope,
    RetryJob,
    StartSession,
)

from conftest import SERVICE_QOS, WAIT_SECS_MAX, Client, ask_alone, wait_until
from shared_node import Collection, refused, shared_node

BAG = Path(__file__).parents[1] / 'bags' / 'ur3_sqlite3'
JOBS_QOS = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=1000, reliability=ReliabilityPolicy.RELIABLE
)
FINISHED = ('succeeded', 'dead_letter', 'cancelled')
UNKNOWN_ID = 999_999_999
# Enough that its import takes seconds.
LONG_BAG_COPIES = 120


# Kept until the end: rclpy fails when one is destroyed while another thread spins.
ACTION_CLIENTS = {}


def action_client(ros_node, action, name):
    """A client of an action that is there."""
    client = ACTION_CLIENTS.get(name)
    if client is None:
        # With the ten answers that a client keeps otherwise, it loses some of many at once.
        client = ACTION_CLIENTS[name] = ActionClient(
            ros_node,
            action,
            name,
            goal_service_qos_profile=SERVICE_QOS,
            result_service_qos_profile=SERVICE_QOS,
            cancel_service_qos_profile=SERVICE_QOS,
        )
    assert client.wait_for_server(WAIT_SECS_MAX), f'no action {name}'
    return client


class Goal:
    """A goal of an action of a node, from its acceptance on."""

    def __init__(self, ros_node, action, name, **fields):
        self.feedback = []
        client = action_client(ros_node, action, name)
        sent = ask_alone(client.send_goal_async, action.Goal(**fields), self.on_feedback)
        self.handle = Client.answer(sent)
        is_accepted = self.handle.accepted
        self.result_future = ask_alone(self.handle.get_result_async) if is_accepted else None

    def on_feedback(self, message):
        self.feedback.append(message.feedback)

    def cancel(self):
        """Ask for it to be cancelled; returns the answer."""
        return Client.answer(self.handle.cancel_goal_async())

    def end(self):
        """Wait for the end; returns status and result."""
        response = Client.answer(self.result_future)
        return response.status, response.result


class Heard:
    """What becomes of jobs, as ~/jobs tells it."""

    def __init__(self, ros_node, full_name):
        self.ros_node = ros_node
        self.events = []
        self.subscription = ros_node.create_subscription(
            JobEvent, f'{full_name}/jobs', self.events.append, JOBS_QOS
        )
        wait_until(
            lambda: ros_node.count_publishers(f'{full_name}/jobs') > 0, '~/jobs'
        )

    def of(self, job_id):
        """The states of a job, from the first to the last: before and after each change."""
        return [(it.before, it.job.status) for it in list(self.events) if it.job.id == job_id]

    def wait_for(self, job_id, status):
        """Wait until a job was told to be in a state."""
        wait_until(
            lambda: any(after == status for _, after in self.of(job_id)),
            f'{status} of job {job_id}',
        )

    def close(self):
        self.ros_node.destroy_subscription(self.subscription)


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as started:
        yield started


@pytest.fixture
def memory(started):
    return started[0]


@pytest.fixture
def heard(ros_node, memory):
    heard = Heard(ros_node, memory.full_name)
    yield heard
    heard.close()


# Of one store's bags each has a time of its own: what was remembered before is passed over in no time.
DAY_NANOS = 86_400 * 10**9
days = itertools.count()


@pytest.fixture
def long_bag(tmp_path):
    """A bag whose import takes a while."""
    folder = tmp_path / 'long_bag'
    shutil.copytree(BAG, folder)
    (file,) = folder.glob('*.db3')
    with closing(sqlite3.connect(file)) as bag, bag:
        (span,) = bag.execute('SELECT max(timestamp) - min(timestamp) FROM messages').fetchone()
        bag.execute(
            'WITH RECURSIVE copy(number) AS'
            ' (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ?)'
            ' INSERT INTO messages (topic_id, timestamp, data)'
            ' SELECT topic_id, timestamp + number * (? + 100000000), data FROM copy, messages',
            (LONG_BAG_COPIES, span),
        )
        bag.execute('UPDATE messages SET timestamp = timestamp + ?', (next(days) * DAY_NANOS,))
    return folder


def wait_for_end(client, job_id):
    """Wait until a job has finished; returns it."""
    job = None

    def is_finished():
        nonlocal job
        job = client.succeed(GetJob, job_id=job_id).job
        return job.status in FINISHED

    wait_until(is_finished, f'end of job {job_id}')
    return job


def wait_until_idle(client):
    """Wait until no job is unfinished."""

    def is_idle():
        states = ('pending', 'leased', 'running', 'retry_waiting')
        return all(client.succeed(ListJobs, status=state).total == 0 for state in states)

    wait_until(is_idle, 'end of all jobs')


def commit(client, session_id, turn_no, text, **fields):
    """Hand over a step; returns the answer."""
    return client.succeed(
        CommitTurn, session_id=session_id, turn_no=turn_no, text=text, **fields
    )


def job_status(ros_node, client):
    """What /diagnostics says of jobs: level, message and values."""
    name = f'{client.full_name.strip("/")}: jobs'

    def status_of(message):
        return next((status for status in message.status if status.name == name), None)

    message = client.hear(DiagnosticArray, '/diagnostics', status_of, qos=10)
    status = status_of(message)
    return status.level, status.message, {value.key: value.value for value in status.values}


# Turns


def test_a_step_becomes_memories_of_its_branch_and_each_state_is_told(memory, heard):
    session = memory.succeed(StartSession).session_id
    text = 'Okay. The grasp of the M8 bolt succeeded at 12 N. The tray is on shelf B2.'
    answer = commit(memory, session, 1, text)
    assert (answer.status, answer.created, answer.scope) == ('committed', True, 'branch')
    assert json.loads(answer.scope_id) == [session, 'main']
    again = commit(memory, session, 1, text, turn_id=answer.turn_id)
    assert (again.status, again.job_id, again.created) == ('known', answer.job_id, False)

    heard.wait_for(answer.job_id, 'succeeded')
    assert heard.of(answer.job_id) == [
        ('', 'pending'),
        ('pending', 'leased'),
        ('leased', 'running'),
        ('running', 'succeeded'),
    ]
    job = memory.succeed(GetJob, job_id=answer.job_id).job
    assert (job.status, job.job_type, job.turn_id) == ('succeeded', 'ingest_turn', answer.turn_id)
    assert (job.attempt_count, job.last_error, job.waits_for) == (1, '', '')
    assert job.has_finished_at and not job.has_lease_until and job.lease_owner == ''

    def facts(branch):
        scope = f'branch:{session}/{branch}'
        hits = Collection(memory, 'default').recall('grasp of the M8 bolt', scope=scope).memories
        return [hit for hit in hits if hit.type == 'fact' and '12 N' in hit.content]

    (fact, *_) = facts('main')
    assert (fact.scope, fact.source) == (f'branch:{session}/main', 'agent_output')
    (source, *_) = memory.succeed(GetMemory, memory_id=fact.id).turns
    assert (source.turn_id, source.turn_no, source.sentence_number) == (answer.turn_id, 1, 2)
    assert source.sentence == 'The grasp of the M8 bolt succeeded at 12 N.'
    # Another attempt does not see it.
    other = commit(memory, session, 1, 'The tray was found.', branch_id='other')
    assert wait_for_end(memory, other.job_id).status == 'succeeded'
    assert facts('other') == []


def test_calls_are_answered_while_jobs_are_done(memory):
    session = memory.succeed(StartSession).session_id
    jobs = [
        commit(memory, session, number, f'Placed part {number} on tray_{number} with {number} N.')
        for number in range(1, 41)
    ]
    collection = Collection(memory)
    for number in range(20):
        collection.learn(f'Bin {number} holds {number} washers.')
        assert collection.contents(f'bin {number} washers')
    assert {wait_for_end(memory, job.job_id).status for job in jobs} == {'succeeded'}
    (scope,) = memory.succeed(ListScopes, scope='branch', scope_id=jobs[0].scope_id).scopes
    assert (scope.has_last_processed_turn_no, scope.last_processed_turn_no) == (True, 40)
    assert scope.revision >= 40


# Jobs listed and controlled


def test_without_workers_turns_wait_and_what_makes_no_sense_is_refused(nodes, ros_node):
    client, _ = nodes.start(job_workers=0)
    session = client.succeed(StartSession).session_id
    first = commit(client, session, 1, 'Opened the drawer.')
    second = commit(client, session, 2, 'Closed the drawer.')
    job = client.succeed(GetJob, job_id=first.job_id).job
    assert job.status == 'pending' and 'job_workers' in job.waits_for
    refused(
        client, RebuildScope, 'invalid_state', 'job_workers',
        scope='branch', scope_id=first.scope_id,
    )
    level, message, values = job_status(ros_node, client)
    assert (level, message) == (b'\x01', 'off: job_workers is 0: 2 wait, and none is done')
    assert (values['workers'], values['pending']) == ('0', '2')

    refused(client, RetryJob, 'invalid_state', 'pending', job_id=first.job_id)
    cancelled = client.succeed(CancelJob, job_id=first.job_id).job
    assert cancelled.status == 'cancelled' and cancelled.has_finished_at
    refused(client, CancelJob, 'invalid_state', 'cancelled', job_id=first.job_id)
    for service in (GetJob, CancelJob, RetryJob):
        refused(client, service, 'not_found', 'job', job_id=UNKNOWN_ID)
        refused(client, service, 'invalid_argument', 'job_id', job_id=0)

    def listed(**fields):
        answer = client.succeed(ListJobs, **fields)
        return [job.id for job in answer.jobs], answer.total, answer.has_more

    both = [second.job_id, first.job_id]
    assert listed() == (both, 2, False)
    assert listed(sort_order='asc', limit=1) == ([first.job_id], 2, True)
    assert listed(status='pending') == ([second.job_id], 1, False)
    assert listed(turn_id=first.turn_id) == ([first.job_id], 1, False)
    assert listed(scope='branch', scope_id=first.scope_id) == (both, 2, False)
    assert listed(job_type='rebuild_scope') == ([], 0, False)
    refused(client, ListJobs, 'invalid_argument', 'limit', limit=101)
    refused(client, ListJobs, 'invalid_argument', 'status', status='done')

    retried = client.succeed(RetryJob, job_id=first.job_id).job
    assert (retried.status, retried.attempt_count) == ('pending', 0)


def test_what_parameters_say_together_is_checked_at_the_start(nodes):
    process = nodes.launch(job_backoff_base_secs=5.0, job_backoff_max_secs=2.0)
    assert process.wait_for_end() == 2
    assert 'job_backoff_max_secs must not be less than job_backoff_base_secs' in process.log()


# Actions


def test_a_bag_is_imported_with_feedback_and_once(ros_node, memory, long_bag):
    collection = Collection(memory)
    name = f'{memory.full_name}/import'
    goal = Goal(ros_node, Import, name, path=str(long_bag), collection=collection.name)
    assert goal.handle.accepted
    status, result = goal.end()
    assert (status, result.error) == (GoalStatus.STATUS_SUCCEEDED, '')
    assert result.success and result.job.status == 'succeeded' and result.job.job_type == 'import'
    report = json.loads(result.job.result)
    assert report['stored'] > 0 and report['messages'] > 1287
    steps = [(told.step, told.done) for told in goal.feedback if told.step == 'messages']
    assert len({done for _, done in steps}) > 1, 'no progress was told'
    assert {told.job_id for told in goal.feedback} == {result.job.id}

    hits = collection.recall(types=['perception'], order='oldest', n=10).memories
    # The time of the bag, not that of the node.
    assert hits and all(1666774382 <= hit.created_at.sec < 1700000000 for hit in hits)
    sessions = memory.succeed(ListSessions, collection=collection.name).sessions
    assert [session.status for session in sessions] == ['ended']

    again = Goal(ros_node, Import, name, path=str(long_bag), collection=collection.name)
    _, result = again.end()
    report_again = json.loads(result.job.result)
    assert (report_again['stored'], report_again['known']) == (0, report['stored'])


def test_what_a_live_node_stores_is_no_part_of_a_bag(ros_node, memory, long_bag):
    collection = Collection(memory)
    goal = Goal(
        ros_node, Import, f'{memory.full_name}/import', path=str(long_bag),
        collection=collection.name,
    )
    wait_until(lambda: any(told.done for told in goal.feedback), 'progress')
    seen = collection.perceive('A cup was seen.')
    assert memory.succeed(GetMemory, memory_id=seen).memory.session_id == ''
    status, _ = goal.end()
    assert status == GoalStatus.STATUS_SUCCEEDED


def test_a_cancelled_goal_ends_its_job(ros_node, memory, heard, long_bag):
    collection = Collection(memory)
    name = f'{memory.full_name}/import'
    goal = Goal(ros_node, Import, name, path=str(long_bag), collection=collection.name)
    wait_until(lambda: any(told.done for told in goal.feedback), 'progress')
    answer = goal.cancel()
    assert answer.return_code == 0 and len(answer.goals_canceling) == 1
    status, result = goal.end()
    assert status == GoalStatus.STATUS_CANCELED
    assert (result.success, result.error_code) == (False, 'invalid_state')
    assert result.job.status == 'cancelled' and result.job.has_finished_at
    heard.wait_for(result.job.id, 'cancelled')
    # A goal that has ended cannot be cancelled.
    assert goal.cancel().return_code == 3
    # It can be taken up again, and then it is done.
    memory.succeed(RetryJob, job_id=result.job.id)
    assert wait_for_end(memory, result.job.id).status == 'succeeded'


def test_goals_for_the_same_work_share_a_job(ros_node, memory, long_bag):
    fields = {'path': str(long_bag), 'collection': Collection(memory).name}
    name = f'{memory.full_name}/import'
    first = Goal(ros_node, Import, name, **fields)
    second = Goal(ros_node, Import, name, **fields)
    wait_until(lambda: any(told.done for told in second.feedback), 'progress')
    first.cancel()
    status, result = first.end()
    assert status == GoalStatus.STATUS_CANCELED and result.job.status == 'running'
    status, shared = second.end()
    assert status == GoalStatus.STATUS_SUCCEEDED and shared.job.id == result.job.id


@pytest.mark.parametrize(
    ('action', 'fields', 'code', 'part'),
    [
        (Maintain, {'scope': 'nowhere'}, 'invalid_argument', 'scope'),
        (Rebuild, {'scope': 'group', 'scope_id': ''}, 'invalid_argument', 'scope_id'),
        (Import, {'path': 'relative/bag'}, 'invalid_argument', 'path'),
        (Import, {'path': '/no/such/bag'}, 'not_found', 'path'),
    ],
)
def test_a_goal_that_is_refused_says_why(ros_node, memory, action, fields, code, part):
    name = f'{memory.full_name}/{action.__name__.lower()}'
    goal = Goal(ros_node, action, name, **fields)
    assert goal.handle.accepted
    status, result = goal.end()
    assert (status, result.success) == (GoalStatus.STATUS_ABORTED, False)
    assert result.error_code == code, result.error
    assert part in result.error


def test_a_bag_that_says_nothing_is_given_up_at_once(ros_node, memory, tmp_path):
    empty = tmp_path / 'empty_bag'
    empty.mkdir()
    goal = Goal(ros_node, Import, f'{memory.full_name}/import', path=str(empty))
    status, result = goal.end()
    assert (status, result.job.status) == (GoalStatus.STATUS_ABORTED, 'dead_letter')
    assert result.error_code == 'internal' and result.job.last_error in result.error
    assert result.job.attempt_count == 1
    level, message, _ = job_status(ros_node, memory)
    assert level == b'\x01' and 'dead_letter' in message


@pytest.mark.parametrize('action', [Maintain, Rebuild])
def test_a_scope_is_looked_after(ros_node, memory, action):
    collection = Collection(memory)
    for number in range(20):
        collection.learn(f'Box {number} weighs {number} kg.', scope='group:boxes')
    name = f'{memory.full_name}/{action.__name__.lower()}'
    goal = Goal(ros_node, action, name, scope='group', scope_id='boxes')
    status, result = goal.end()
    assert (status, result.error) == (GoalStatus.STATUS_SUCCEEDED, '')
    assert (result.job.scope, result.job.scope_id) == ('group', 'boxes')
    assert collection.recall('box 7', scope='group:boxes').memories[0].content.startswith('Box 7')


def test_many_goals_at_once_are_all_answered(ros_node, memory):
    collection = Collection(memory)
    for number in range(24):
        collection.learn('The box is full.', scope=f'group:many_{number}')
    client = action_client(ros_node, Maintain, f'{memory.full_name}/maintain')
    goals = [Maintain.Goal(scope='group', scope_id=f'many_{number}') for number in range(24)]
    sent = [ask_alone(client.send_goal_async, goal) for goal in goals]
    handles = [Client.answer(future) for future in sent]
    accepted = [handle for handle in handles if handle.accepted]
    assert len(accepted) >= 16
    results = [Client.answer(ask_alone(handle.get_result_async)) for handle in accepted]
    assert {result.status for result in results} == {GoalStatus.STATUS_SUCCEEDED}


# The end of the node


def test_a_stop_hands_a_job_back_and_tells_who_waits(nodes, ros_node, tmp_path, long_bag):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(store_path=store)
    goal = Goal(ros_node, Import, f'{client.full_name}/import', path=str(long_bag))
    wait_until(lambda: any(told.done for told in goal.feedback), 'progress')
    process.stop()
    status, result = goal.end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, 'unavailable')
    assert 'the store is closed' in process.log()

    client, _ = nodes.start(store_path=store)
    (job,) = client.succeed(ListJobs).jobs
    assert wait_for_end(client, job.id).status == 'succeeded'
    # Handed back, it did not count as an attempt.
    assert client.succeed(GetJob, job_id=job.id).job.attempt_count == 1


def test_a_killed_node_takes_each_step_in_once(nodes, tmp_path):
    store = tmp_path / 'memory.db'
    client, process = nodes.start(store_path=store, job_workers=0)
    session = client.succeed(StartSession, collection='kills').session_id
    turns = [
        commit(client, session, number, f'Placed part {number} on tray_{number}.')
        for number in range(1, 41)
    ]
    process.process.kill()
    process.wait_for_end()

    for done_before_kill in (1, 8, 20):
        client, process = nodes.start(store_path=store)

        def has_done(count=done_before_kill):
            return client.succeed(ListJobs, status='succeeded').total >= count

        wait_until(has_done, f'{done_before_kill} jobs')
        process.process.kill()
        process.wait_for_end()

    client, process = nodes.start(store_path=store)
    wait_until_idle(client)
    jobs = [client.succeed(GetJob, job_id=turn.job_id).job for turn in turns]
    assert {job.status for job in jobs} == {'succeeded'}
    process.stop()
    with closing(sqlite3.connect(store)) as db:
        by_turn = db.execute(
            "SELECT turn_id, count(*) FROM memory WHERE type = 'summary'"
            " AND mem_type = 'task_log' GROUP BY turn_id"
        ).fetchall()
    # Each left one short summary, whatever was killed.
    assert dict(by_turn) == {turn.turn_id: 1 for turn in turns}
