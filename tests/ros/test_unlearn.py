"""Unlearn: shown by a dry run, done as it was shown, refused when something else would be done."""

import json

import pytest
from builtin_interfaces.msg import Time
from robot_memory.msg import UnlearnedMemory
from robot_memory.srv import CommitTurn, GetMemory, ListJobs, Unlearn

from conftest import wait_until
from shared_node import Collection, refused, shared_node

REASON = 'the gripper was miscalibrated'


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as started:
        yield started


@pytest.fixture
def memory(started):
    """A collection of the test's own."""
    return Collection(started[0])


def test_what_was_shown_is_done(memory):
    wrist = memory.perceive(
        'An impact of 30 N on the wrist.',
        context=json.dumps({'event': {'trigger': 'impact', 'stream': f'wrist_{memory.name}'}}),
        perception_type='tactile',
    )
    other = memory.learn('The cup is wet.').memory_id
    asked = {'stream': f'wrist_{memory.name}'}
    assert (Unlearn.Request().dry_run, Unlearn.Request().plan) == (True, '')
    planned = memory.client.call(Unlearn, **asked)
    assert planned.success and (planned.forgotten_count, planned.kept_count) == (1, 0)
    (shown,) = planned.memories
    assert (shown.memory_id, shown.kind, shown.action) == (
        wrist,
        UnlearnedMemory.KIND_PERCEPTION,
        UnlearnedMemory.ACTION_FORGOTTEN,
    )
    assert shown.text == 'An impact of 30 N on the wrist.' and shown.new_text == ''
    assert memory.client.call(GetMemory, memory_id=wrist).memory.status == 'active'

    real = asked | {'dry_run': False, 'reason': REASON}
    refused(memory.client, Unlearn, 'invalid_state', planned.plan, plan='ab', **real)
    done = memory.client.call(Unlearn, plan=planned.plan, **real)
    assert done.success and (done.plan, done.forgotten_count) == (planned.plan, 1)
    assert memory.client.call(GetMemory, memory_id=wrist).memory.status == 'invalidated'
    assert memory.client.call(GetMemory, memory_id=other).memory.status == 'active'
    again = memory.client.call(Unlearn, **asked)
    assert again.success and again.forgotten_count == 0 and not again.memories


def test_the_summary_of_a_turn_is_made_again(memory):
    session_id = memory.start_session()
    turn = memory.client.call(
        CommitTurn,
        session_id=session_id,
        turn_no=1,
        text='The M8 bolt weighs 12 g. The lid of the box is red.',
    )
    assert turn.success
    wait_until(lambda: ended(memory, turn.turn_id), 'the turn is taken in')
    planned = memory.client.call(Unlearn, session_id=session_id)
    forgotten = [it for it in planned.memories if it.kind == UnlearnedMemory.KIND_FACT]
    (bolt,) = [it.memory_id for it in forgotten if '12 g' in it.text]
    shown = memory.client.call(Unlearn, memory_ids=[bolt])
    (summary,) = [it for it in shown.memories if it.action == UnlearnedMemory.ACTION_REMADE]
    assert '12 g' in summary.text and '12 g' not in summary.new_text
    done = memory.client.call(
        Unlearn, memory_ids=[bolt], dry_run=False, plan=shown.plan, reason=REASON
    )
    assert done.success and done.remade_count == 1
    made = memory.client.call(GetMemory, memory_id=summary.memory_id).memory
    assert made.human_summary == summary.new_text


def ended(memory, turn_id):
    """Whether memories were taken out of a turn."""
    jobs = memory.client.call(ListJobs, turn_id=turn_id).jobs
    return bool(jobs) and all(job.status == 'succeeded' for job in jobs)


def test_bad_requests_name_the_field(memory):
    stream = {'stream': 'none'}
    for part, fields in [
        ('memory_ids: must be given', {}),
        ('memory_ids', {'memory_ids': [0]}),
        ('plan: must be given', stream | {'dry_run': False}),
        ('plan: only', stream | {'plan': 'ab'}),
        ('reason', stream | {'dry_run': False, 'plan': 'ab'}),
        ('since', stream | {'since': Time(sec=9), 'until': Time(sec=9)}),
    ]:
        refused(memory.client, Unlearn, 'invalid_argument', part, **fields)
