"""What cannot be done is said: each code of an error, through a real service.

What the access policy forbids, and what is never stored, are in test_access.py.
"""

import json
import math
import sqlite3
import threading
from contextlib import closing

import pytest
from builtin_interfaces.msg import Time
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from robot_memory import srv
from robot_memory.msg import SpatialSort

from conftest import wait_until
from shared_node import Collection, refused, shared_node

UNKNOWN_ID = 999_999_999
UNKNOWN_SESSION = '00000000-0000-4000-8000-000000000000'

# Well formed requests, one for each service.
REQUESTS = [
    (srv.Learn, {'insight': 'The cup is red.'}),
    (srv.SavePerception, {'description': 'A red cup was seen.'}),
    (srv.Recall, {'query': 'cup'}),
    (srv.Forget, {'memory_id': 1, 'reason': 'wrong'}),
    (srv.Update, {'memory_id': 1, 'new_content': 'The cup is blue.'}),
    (srv.StartSession, {}),
    (srv.EndSession, {'session_id': UNKNOWN_SESSION}),
    (srv.GetSession, {'session_id': UNKNOWN_SESSION}),
    (srv.ListSessions, {}),
    (srv.Timeline, {}),
    (srv.Unlearn, {'stream': 'none'}),
    (srv.GetMemory, {'memory_id': 1}),
    (srv.DeleteMemory, {'memory_id': 1}),
    (srv.ClearMemories, {'level': 'working', 'collection': 'none'}),
    (srv.ListLevels, {}),
    (srv.ListCollections, {}),
    (srv.CheckAction, {'params': '{}'}),
    (srv.Capture, {'reason': 'A cup fell.'}),
    (srv.CommitTurn, {'session_id': UNKNOWN_SESSION, 'turn_no': 1, 'text': 'Picked the cup.'}),
    (srv.MergeBranch, {'session_id': UNKNOWN_SESSION, 'branch_id': 'main'}),
    (srv.ListJobs, {}),
    (srv.GetJob, {'job_id': 1}),
    (srv.RetryJob, {'job_id': 1}),
    (srv.CancelJob, {'job_id': 1}),
    (srv.ListScopes, {}),
    (srv.RebuildScope, {'scope': 'global'}),
    (srv.CompactScope, {'scope': 'global'}),
    (srv.RunMaintenance, {}),
    (srv.RestoreMemory, {'memory_id': 1}),
    (srv.Compare, {}),
    (srv.Backup, {}),
    (srv.RestoreBackup, {'name': 'none.db'}),
    (srv.Status, {}),
]
WRITES = [(service, fields) for service, fields in REQUESTS if service is not srv.Recall][:6]


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        yield client


@pytest.fixture
def memory(node):
    """A collection of the test's own."""
    return Collection(node)


def sort(field='at', target=(1.0,), max_distance=0.0):
    """A spatial sort of a recall."""
    return {
        'spatial_sort': SpatialSort(field=field, target=list(target), max_distance=max_distance)
    }


def conditions(count):
    """A context filter of so many conditions."""
    return json.dumps({f'path{number}': number for number in range(count)})


LEARN = {'insight': 'The cup is red.'}
PERCEIVE = {'description': 'A red cup was seen.'}
SESSION = {'session_id': UNKNOWN_SESSION}
TURN = SESSION | {'turn_no': 1, 'text': 'Picked the cup.'}
CLEAR = {'level': 'working', 'collection': 'none'}
INVALID = [
    (srv.Learn, {}, 'insight'),
    (srv.Learn, {'insight': ' \n'}, 'insight'),
    (srv.Learn, {'insight': 'x' * 70_000}, 'insight'),
    (srv.Learn, LEARN | {'context': '{"a": '}, 'context'),
    (srv.Learn, LEARN | {'context': '[1]'}, 'context'),
    (srv.Learn, LEARN | {'context': '{"force": NaN}'}, 'context'),
    (srv.Learn, LEARN | {'collection': '*'}, 'collection'),
    (srv.Learn, LEARN | {'collection': 'c' * 300}, 'collection'),
    (srv.Learn, LEARN | {'collection': 'two\nlines'}, 'collection'),
    (srv.Learn, LEARN | {'turn_id': '1'}, 'turn_id'),
    (srv.Learn, LEARN | {'level': 'deep'}, 'level'),
    (srv.Learn, LEARN | {'level': 'working'}, 'level'),
    (srv.Learn, LEARN | {'scope': 'chats:1'}, 'scope'),
    (srv.Learn, LEARN | {'scope': 'group:'}, 'scope'),
    (srv.Learn, LEARN | {'scope': 'all'}, 'scope'),
    (srv.Learn, LEARN | {'parent_id': -1}, 'parent_id'),
    (srv.Learn, LEARN | {'level': 'core', 'parent_id': 1}, 'parent_id'),
    (srv.Learn, LEARN | {'source': 'rumor'}, 'source'),
    (srv.Learn, LEARN | {'trust': 'some'}, 'trust'),
    (srv.Learn, LEARN | {'mem_type': 'opinion'}, 'mem_type'),
    (srv.Learn, LEARN | {'has_importance': True, 'importance': 1.5}, 'importance'),
    (srv.Learn, LEARN | {'has_importance': True, 'importance': math.nan}, 'importance'),
    (srv.Learn, LEARN | {'agent': 'a' * 300}, 'agent'),
    (srv.SavePerception, {'description': '杯子'}, 'description'),
    (srv.SavePerception, PERCEIVE | {'perception_type': 'smell'}, 'perception_type'),
    (srv.SavePerception, PERCEIVE | {'data': '[Infinity]'}, 'data'),
    (srv.SavePerception, PERCEIVE | {'metadata': '"text"'}, 'metadata'),
    (srv.SavePerception, PERCEIVE | {'scope': 'cross:a'}, 'scope'),
    (srv.SavePerception, PERCEIVE | {'parent_id': -1}, 'parent_id'),
    (srv.Recall, {}, 'query'),
    (srv.Recall, {'query': 'x' * 2_001}, 'query'),
    (srv.Recall, {'query': 'cup', 'n': 0}, 'n:'),
    (srv.Recall, {'query': 'cup', 'n': 101}, 'n:'),
    (srv.Recall, {'query': 'cup', 'min_confidence': 1.1}, 'min_confidence'),
    (srv.Recall, {'query': 'cup', 'min_confidence': math.nan}, 'min_confidence'),
    (srv.Recall, {'query': 'cup', 'min_similarity': 2.0}, 'min_similarity'),
    (srv.Recall, {'levels': ['core'], 'min_similarity': 0.5}, 'min_similarity'),
    (srv.Recall, {'context_filter': '{'}, 'context_filter'),
    (srv.Recall, {'context_filter': '[]'}, 'context_filter'),
    (srv.Recall, {'context_filter': '{"a": {"$in": [1]}}'}, '$in'),
    (srv.Recall, {'context_filter': conditions(11)}, 'context_filter'),
    (srv.Recall, sort(field=''), 'spatial_sort.field'),
    (srv.Recall, sort(target=()), 'spatial_sort.target'),
    (srv.Recall, sort(target=[0.0] * 17), 'spatial_sort.target'),
    (srv.Recall, sort(target=[math.nan]), 'spatial_sort.target'),
    (srv.Recall, sort(max_distance=-1.0), 'spatial_sort.max_distance'),
    (srv.Recall, sort(max_distance=math.inf), 'spatial_sort.max_distance'),
    (srv.Recall, {'query': 'cup', 'levels': ['deep']}, 'levels'),
    (srv.Recall, {'query': 'cup', 'collections': ['*', 'a']}, 'collections'),
    (srv.Recall, {'query': 'cup', 'collection': 'a', 'collections': ['b']}, 'collections'),
    (srv.Recall, {'query': 'cup', 'scope': 'chats:1'}, 'scope'),
    (srv.Recall, {'query': 'cup', 'order': 'best'}, 'order'),
    (srv.Recall, {'query': 'cup', 'ranking': 'magic'}, 'ranking'),
    (srv.Recall, {'query': 'cup', 'since': Time(sec=9), 'until': Time(sec=9)}, 'since'),
    (srv.Recall, {'query': 'cup', 'like_memory_id': 1}, 'like_memory_id'),
    (srv.Recall, {'like_memory_id': -1}, 'like_memory_id'),
    (srv.Recall, {'query': 'cup', 'window_name': 'slip'}, 'window'),
    (srv.Recall, {'query': 'cup', 'window': [1.0]}, 'window'),
    (srv.Forget, {'memory_id': 0, 'reason': 'wrong'}, 'memory_id'),
    (srv.Forget, {'memory_id': -1, 'reason': 'wrong'}, 'memory_id'),
    (srv.Forget, {'memory_id': 1}, 'reason'),
    (srv.Forget, {'memory_id': 1, 'reason': '错' * 301}, 'reason'),
    (srv.Forget, {'memory_id': 1, 'reason': 'wrong', 'scope': 'chats:1'}, 'scope'),
    (srv.Update, {'memory_id': 0, 'new_content': 'x'}, 'memory_id'),
    (srv.Update, {'memory_id': 1}, 'new_content'),
    (srv.Update, {'memory_id': 1, 'new_content': 'x', 'context': '1'}, 'context'),
    (srv.StartSession, {'collection': '*'}, 'collection'),
    (srv.StartSession, {'context': 'not JSON'}, 'context'),
    (srv.EndSession, {}, 'session_id'),
    (srv.EndSession, SESSION | {'has_outcome_score': True, 'outcome_score': 1.01}, 'outcome_score'),
    (
        srv.EndSession,
        SESSION | {'has_outcome_score': True, 'outcome_score': math.nan},
        'outcome_score',
    ),
    (srv.GetSession, {}, 'session_id'),
    (srv.ListSessions, {'limit': 0}, 'limit'),
    (srv.ListSessions, {'limit': 101}, 'limit'),
    (srv.ListSessions, {'status': 'closed'}, 'status'),
    (srv.Timeline, {'n': 1001}, 'n'),
    (srv.Timeline, {'kinds': ['turn']}, 'kinds'),
    (srv.Timeline, {'cursor': 'newest'}, 'cursor'),
    (srv.Unlearn, {}, 'memory_ids'),
    (srv.Unlearn, {'memory_ids': [0]}, 'memory_ids'),
    (srv.Unlearn, {'stream': 'a', 'dry_run': False}, 'plan'),
    (srv.Unlearn, {'stream': 'a', 'plan': 'ab'}, 'plan'),
    (srv.Unlearn, {'stream': 'a', 'dry_run': False, 'plan': 'ab'}, 'reason'),
    (srv.Unlearn, {'context_filter': '[]'}, 'context_filter'),
    (srv.Unlearn, {'since': Time(sec=9), 'until': Time(sec=9)}, 'since'),
    (srv.GetMemory, {}, 'memory_id'),
    (srv.GetMemory, {'memory_id': 1, 'scope': 'chats:1'}, 'scope'),
    (srv.DeleteMemory, {}, 'memory_id'),
    (srv.ClearMemories, {'collection': 'a'}, 'level'),
    (srv.ClearMemories, {'level': 'working'}, 'collection'),
    (srv.ClearMemories, {'level': 'deep', 'collection': 'a'}, 'level'),
    (srv.ClearMemories, {'level': 'core', 'collection': '*'}, 'collection'),
    (srv.ClearMemories, CLEAR | {'since': Time(sec=9), 'until': Time(sec=9)}, 'since'),
    (srv.ListLevels, {'collection': 'c' * 300}, 'collection'),
    (srv.ListCollections, {'level': 'deep'}, 'level'),
    (srv.CheckAction, {}, 'params'),
    (srv.CheckAction, {'params': '[]'}, 'params'),
    (srv.CommitTurn, TURN | {'session_id': ''}, 'session_id'),
    (srv.CommitTurn, TURN | {'turn_no': 0}, 'turn_no'),
    (srv.CommitTurn, TURN | {'text': ' '}, 'text'),
    (srv.CommitTurn, TURN | {'text': 'x' * 70_000}, 'text'),
    (srv.CommitTurn, TURN | {'data': '[1]'}, 'data'),
    (srv.CommitTurn, TURN | {'turn_id': 't' * 300}, 'turn_id'),
    (srv.CommitTurn, TURN | {'branch_id': 'b' * 300}, 'branch_id'),
    (srv.MergeBranch, {'branch_id': 'main'}, 'session_id'),
    (srv.MergeBranch, SESSION, 'branch_id'),
    (srv.MergeBranch, SESSION | {'branch_id': 'main', 'into': 'dm'}, 'into'),
    (srv.ListJobs, {'scope': 'chats'}, 'scope'),
    (srv.ListJobs, {'scope_id': 'a'}, 'scope_id'),
    (srv.ListJobs, {'job_type': 'sweep'}, 'job_type'),
    (srv.ListJobs, {'status': 'stuck'}, 'status'),
    (srv.ListJobs, {'created_from': -1}, 'created_from'),
    (srv.ListJobs, {'available_from': 2, 'available_to': 1}, 'available_from'),
    (srv.ListJobs, {'sort_by': 'id'}, 'sort_by'),
    (srv.ListJobs, {'sort_order': 'up'}, 'sort_order'),
    (srv.ListJobs, {'limit': 101}, 'limit'),
    (srv.GetJob, {}, 'job_id'),
    (srv.RetryJob, {'job_id': -1}, 'job_id'),
    (srv.CancelJob, {}, 'job_id'),
    (srv.ListScopes, {'sort_by': 'created_at'}, 'sort_by'),
    (srv.RebuildScope, {}, 'scope'),
    (srv.RebuildScope, {'scope': 'group'}, 'scope_id'),
    (srv.CompactScope, {'scope': 'all'}, 'scope'),
    (srv.RunMaintenance, {'mode': 'hourly'}, 'mode'),
    (srv.RunMaintenance, {'scope': 'chats'}, 'scope'),
    (srv.RunMaintenance, {'scope_id': 'a'}, 'scope_id'),
    (srv.RestoreMemory, {}, 'memory_id'),
    (srv.RestoreMemory, {'memory_id': 1, 'reason': 'r' * 70_000}, 'reason'),
    (srv.Compare, {'n': 0}, 'n:'),
    (srv.Compare, {'task': 'x' * 70_000}, 'task'),
    (srv.Compare, {'context_filter': '{"a": '}, 'context_filter'),
    (srv.Compare, {'since': Time(sec=2), 'until': Time(sec=1)}, 'since'),
    (srv.RestoreBackup, {}, 'name'),
]


@pytest.mark.parametrize(
    'service, fields, part',
    INVALID,
    ids=[f'{service.__name__}-{part}' for service, _, part in INVALID],
)
def test_a_bad_field_is_an_invalid_argument_that_names_it(node, service, fields, part):
    refused(node, service, 'invalid_argument', part, **fields)


def test_a_filter_of_ten_conditions_is_taken(memory):
    assert memory.recall(context_filter=conditions(10)).total == 0


def test_more_data_than_an_answer_carries_is_refused_and_less_is_carried(memory):
    data = json.dumps('x' * (1024 * 1024 - 2))
    for number in range(9):
        memory.perceive(f'A long trajectory, number {number}.', data=data)
    everything = {'query': 'trajectory', 'collection': memory.name, 'include_data': True}
    refused(memory.client, srv.Recall, 'invalid_argument', 'include_data', n=9, **everything)
    hits = memory.recall('trajectory', n=7, include_data=True).memories
    assert [hit.data for hit in hits] == [data] * 7
    fields = PERCEIVE | {'data': data + ' '}
    refused(memory.client, srv.SavePerception, 'invalid_argument', 'data', **fields)


def test_a_session_of_another_collection_is_an_invalid_argument(memory):
    session_id = memory.start_session()
    fields = {'session_id': session_id, 'collection': 'elsewhere'}
    refused(memory.client, srv.Learn, 'invalid_argument', 'session_id', **LEARN, **fields)
    fields = PERCEIVE | fields
    refused(memory.client, srv.SavePerception, 'invalid_argument', 'session_id', **fields)


def test_a_key_stands_for_one_request(memory):
    memory.learn('The cup is red.', idempotency_key='used')
    fields = {'collection': memory.name, 'idempotency_key': 'used', 'insight': 'The cup is blue.'}
    refused(memory.client, srv.Learn, 'invalid_argument', 'idempotency_key', **fields)


@pytest.mark.parametrize(
    'service, fields, part',
    [
        (srv.Forget, {'memory_id': UNKNOWN_ID, 'reason': 'wrong'}, 'memory_id'),
        (srv.Update, {'memory_id': UNKNOWN_ID, 'new_content': 'x'}, 'memory_id'),
        (srv.GetMemory, {'memory_id': UNKNOWN_ID}, 'memory_id'),
        (srv.DeleteMemory, {'memory_id': UNKNOWN_ID}, 'memory_id'),
        (srv.Learn, LEARN | {'parent_id': UNKNOWN_ID}, 'parent_id'),
        (srv.Recall, {'query': 'cup', 'session_id': UNKNOWN_SESSION}, 'session_id'),
        (srv.GetSession, {'session_id': UNKNOWN_SESSION}, 'session_id'),
        (srv.EndSession, {'session_id': UNKNOWN_SESSION}, 'session_id'),
        (srv.CommitTurn, TURN, 'session_id'),
        (srv.MergeBranch, SESSION | {'branch_id': 'main'}, 'session_id'),
        (srv.GetJob, {'job_id': UNKNOWN_ID}, 'job_id'),
        (srv.RetryJob, {'job_id': UNKNOWN_ID}, 'job_id'),
        (srv.CancelJob, {'job_id': UNKNOWN_ID}, 'job_id'),
        (srv.RestoreMemory, {'memory_id': UNKNOWN_ID}, 'memory_id'),
        (srv.RestoreBackup, {'name': 'none.db'}, 'name'),
        (srv.RestoreBackup, {'name': '../memory.db'}, 'name'),
    ],
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_what_is_not_there_is_not_found(node, service, fields, part):
    refused(node, service, 'not_found', part, **fields)


def test_what_cannot_be_done_any_more_is_an_invalid_state(memory):
    ended = memory.start_session()
    memory.end_session(ended)
    forgotten = memory.learn('The cup is red.').memory_id
    memory.succeed(srv.Forget, memory_id=forgotten, reason='wrong')
    said = memory.learn('The pan is black.').memory_id
    other = memory.learn('The kettle is hot.').memory_id

    def not_now(service, part, **fields):
        refused(memory.client, service, 'invalid_state', part, **fields)

    not_now(srv.EndSession, 'session_id', session_id=ended)
    for session_id in (ended, UNKNOWN_SESSION):
        not_now(srv.Learn, 'session_id', insight='Too late.', session_id=session_id)
        not_now(srv.SavePerception, 'session_id', description='Too late.', session_id=session_id)
    not_now(srv.Forget, 'memory_id', memory_id=forgotten, reason='again')
    not_now(srv.Update, 'memory_id', memory_id=forgotten, new_content='The cup is blue.')
    not_now(srv.Update, f'memory {said}', memory_id=other, new_content='The pan is black.')
    assert [hit.content for hit in memory.all()] == ['The pan is black.', 'The kettle is hot.']


def test_without_an_agent_every_service_is_forbidden_when_one_is_required(nodes):
    client, _ = nodes.start(require_agent=True)
    for service, fields in REQUESTS:
        refused(client, service, 'forbidden', 'agent', **fields)
    memory = Collection(client)
    memory.learn('The cup is red.', agent='planner')
    (hit,) = memory.recall('cup', agent='planner').memories
    # An agent's word, not the operator's.
    assert (hit.agent, hit.source, hit.trust) == ('planner', 'agent_output', 'medium')


def set_bytes_that_must_stay_free(client, count):
    """Make the disk of the store count as full, or not."""
    value = ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=count)
    parameter = Parameter(name='disk_free_bytes_min', value=value)
    assert client.call(SetParameters, parameters=[parameter]).results[0].successful


def test_without_room_to_wait_writes_are_unavailable_and_reads_serve(nodes):
    client, process = nodes.start(write_queue_bytes_max=0)
    memory = Collection(client)
    memory.learn('The cup is red.')
    requests = {service: dict(fields) for service, fields in WRITES}
    requests[srv.Forget]['memory_id'] = memory.learn('The pan is black.').memory_id
    requests[srv.Update]['memory_id'] = memory.learn('The kettle is hot.').memory_id
    requests[srv.EndSession]['session_id'] = memory.start_session()

    set_bytes_that_must_stay_free(client, 2**62)
    process.wait_until_logged('writes are refused')
    for service, fields in requests.items():
        refused(client, service, 'unavailable', 'disk_free_bytes_min', **fields)
    assert memory.contents('cup') == ['The cup is red.']
    assert memory.succeed(srv.ListSessions).total == 1

    set_bytes_that_must_stay_free(client, 0)
    process.wait_until_logged('writes are taken')
    for service, fields in requests.items():
        memory.succeed(service, **fields)


def test_a_store_that_another_program_holds_is_unavailable_until_it_lets_go(nodes, tmp_path):
    store = tmp_path / 'held.db'
    client, _ = nodes.start(store_path=store, write_queue_bytes_max=0)
    memory = Collection(client)
    memory.learn('The cup is red.')
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute('BEGIN IMMEDIATE')
        future = client.call_async(srv.Learn, insight='The pan is black.', collection=memory.name)
        assert memory.contents('cup') == ['The cup is red.']
        answer = client.answer(future)
        assert (answer.success, answer.error_code) == (False, 'unavailable'), answer
        assert 'locked' in answer.error
        other.execute('ROLLBACK')
    fields = {'insight': 'The pan is black.', 'collection': memory.name}
    # It is looked at each second.
    wait_until(lambda: client.call(srv.Learn, **fields).success, 'a store that is let go')
    assert memory.contents('pan') == ['The pan is black.']


def test_a_row_that_another_program_spoiled_costs_no_other(nodes, tmp_path):
    store = tmp_path / 'spoiled.db'
    client, process = nodes.start(store_path=store)
    memory = Collection(client)
    memory.learn('The cup is red.')
    memory.learn('The pan is black.')
    with closing(sqlite3.connect(store, timeout=5.0)) as other, other:
        other.execute("UPDATE memory SET tags = 'no JSON' WHERE content = 'The cup is red.'")
    # What can be read of it is saved while the node runs.
    recalled = client.call(srv.Recall, query='cup', collection=memory.name)
    assert recalled.success, recalled.error
    assert memory.contents('pan') == ['The pan is black.']
    assert process.is_running()


def test_calls_that_fail_at_the_same_time_get_each_its_own_answer(node):
    good = Collection(node)
    errors = []

    def call(number):
        try:
            if number % 2:
                good.learn(f'Box {number} weighs {number * 7} grams.')
            else:
                fields = {'memory_id': -number, 'reason': 'wrong'}
                refused(node, srv.Forget, 'invalid_argument', str(-number), **fields)
        except BaseException as error:  # noqa: B902
            errors.append(error)

    node.call(srv.Forget, memory_id=-1, reason='x')
    good.learn('Warm up.')
    threads = [threading.Thread(target=call, args=[number]) for number in range(1, 21)]
    for thread in threads:
        thread.start()
    wait_until(lambda: not any(thread.is_alive() for thread in threads), 'end of the calls')
    assert errors == []
    assert len(good.all()) == 11
