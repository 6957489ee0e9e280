"""Timeline: what happened, in order of time, page by page, and over HTTP by the same service."""

import json

import pytest
from builtin_interfaces.msg import Time
from robot_memory.msg import TimelineEntry
from robot_memory.srv import BeginAttempt, EndAttempt, Forget, Timeline

from shared_node import Collection, refused, shared_node


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as started:
        yield started


@pytest.fixture
def memory(started):
    """A collection of the test's own."""
    return Collection(started[0])


def day(memory):
    """A session with an attempt, an event and a memory; the ids of the three."""
    session_id = memory.start_session(context=json.dumps({'task': 'set the table'}))
    place = {'session_id': session_id}
    begun = memory.succeed(BeginAttempt, task='pick', object='cup', **place)
    event = memory.perceive(
        'An impact of 30 N on the wrist.',
        context=json.dumps({'event': {'trigger': 'impact', 'duration_secs': 0.5}}),
        perception_type='tactile',
        **place,
    )
    memory.succeed(
        EndAttempt,
        attempt_id=begun.attempt_id,
        outcome='failure',
        reason='it slipped',
        score=0.25,
        has_score=True,
    )
    learned = memory.learn('The cup is wet.', **place).memory_id
    memory.end_session(session_id, outcome_score=0.75, has_outcome_score=True)
    return session_id, begun.attempt_id, event, learned


def told(memory, **fields):
    """What happened, and the id of the memory that tells it."""
    answer = memory.succeed(Timeline, collection=memory.name, **fields)
    return [(entry.what, entry.memory_id) for entry in answer.entries], answer


def test_a_day_is_told_in_order_and_narrowed(memory):
    session_id, attempt, event, learned = day(memory)
    expected = [
        (TimelineEntry.WHAT_SESSION_BEGIN, 0),
        (TimelineEntry.WHAT_ATTEMPT_BEGIN, attempt),
        (TimelineEntry.WHAT_EVENT, event),
        (TimelineEntry.WHAT_ATTEMPT_END, attempt),
        (TimelineEntry.WHAT_MEMORY, learned),
        (TimelineEntry.WHAT_SESSION_END, 0),
    ]
    entries, answer = told(memory)
    assert (entries, answer.total, answer.next_cursor) == (expected, 6, '')
    begin, _, hit, end, _, last = answer.entries
    assert {entry.session_id for entry in answer.entries} == {session_id}
    assert (begin.text, begin.outcome, last.has_score, last.score) == (
        'task: set the table',
        'ended',
        True,
        0.75,
    )
    assert last.duration_secs > 0.0 and last.stamp.sec >= begin.stamp.sec > 0
    assert (hit.trigger, hit.duration_secs, hit.has_score) == ('impact', 0.5, False)
    assert (end.outcome, end.score) == ('failure', 0.25) and 'it slipped' in end.text

    assert told(memory, order='newest')[0] == expected[::-1]
    assert told(memory, kinds=['attempt', 'memory'])[0] == [
        expected[1],
        expected[3],
        expected[4],
    ]
    assert told(memory, triggers=['impact'])[0] == [expected[2]]
    assert told(memory, triggers=['slip'])[1].total == 0
    assert told(memory, since=last.stamp)[0][-1] == expected[-1]
    assert told(memory, until=begin.stamp)[0] == []
    assert told(memory, until=Time(sec=1))[1].total == 0
    by_session = memory.client.call(Timeline, session_id=session_id)
    assert by_session.success and by_session.total == 6


def test_pages_go_on_whatever_came_and_went(memory):
    made = [
        memory.learn(f'bin {number} holds {number * 7 + 3} bolts').memory_id for number in range(9)
    ]
    entries, answer = told(memory, n=4)
    assert (entries, answer.total) == ([('memory', one) for one in made[:4]], 9)
    # The last of the page, and one before it.
    for gone in (made[3], made[1]):
        memory.succeed(Forget, memory_id=gone, reason='wrong')
    entries, answer = told(memory, n=4, cursor=answer.next_cursor)
    assert (entries, answer.total) == ([('memory', one) for one in made[4:8]], 7)
    added = memory.learn('the drawer of the kitchen jams').memory_id
    entries, answer = told(memory, n=4, cursor=answer.next_cursor)
    assert entries == [('memory', made[8]), ('memory', added)] and answer.next_cursor == ''


def test_bad_requests_name_the_field(memory):
    assert (Timeline.Request().n, Timeline.Request().order) == (100, '')
    for part, fields in [
        ('n: must be 1 to 1000', {'n': 1001}),
        ('kinds', {'kinds': ['turn']}),
        ('triggers: need the kind event', {'kinds': ['memory'], 'triggers': ['impact']}),
        ('order', {'order': 'best'}),
        ('cursor: is none', {'cursor': 'oldest'}),
        ('cursor: is of the order newest', {'cursor': 'newest/7/event/1'}),
        ('since', {'since': Time(sec=9), 'until': Time(sec=9)}),
    ]:
        refused(memory.client, Timeline, 'invalid_argument', part, **fields)
