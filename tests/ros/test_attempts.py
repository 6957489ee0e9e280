"""BeginAttempt, EndAttempt and Brief: what was tried, how it ended, and what is known of it."""

import json
import signal

import pytest
from robot_memory.srv import BeginAttempt, Brief, EndAttempt, GetMemory, JudgeLesson, Learn, Recall

from conftest import wait_until
from shared_node import Collection, refused, shared_node


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        yield client


@pytest.fixture
def memory(node):
    """A collection of the test's own."""
    return Collection(node)


def attempt(memory, thing, force_n, outcome, **fields):
    """Begin and end one."""
    params = json.dumps({'force_n': force_n})
    begun = memory.succeed(BeginAttempt, task='grip', object=thing, params=params, collection=memory.name)
    memory.succeed(EndAttempt, attempt_id=begun.attempt_id, outcome=outcome, **fields)
    return begun.attempt_id


def test_a_briefing_says_what_worked_and_what_did_not(memory):
    good = [attempt(memory, 'glass cup', force, 'success') for force in (8.0, 9.0)]
    bad = attempt(memory, 'glass cup', 4.0, 'failure', reason='slipped')
    memory.learn('Never grip the glass cup with more than 12 N')
    answer = memory.succeed(
        Brief,
        task='grip',
        object='玻璃杯',
        params=json.dumps({'force_n': 14}),
        collection=memory.name,
    )
    assert (answer.is_known, answer.nearness, answer.allowed) == (True, 'object', False)
    own = answer.attempts[0]
    assert (own.success_count, own.failure_count) == (2, 1)
    assert list(own.success_ids) == good[::-1] and list(own.failure_ids) == [bad]
    (force,) = own.numbers
    assert (force.path, force.unit) == ('params.force', 'N')
    assert list(force.success_range) == [8.0, 8.25, 8.5, 8.75, 9.0]
    assert [(it.reason, it.count) for it in own.failures] == [('slipped', 1)]
    assert {it.attempt_id for it in answer.similar} == {*good, bad}
    assert len(answer.violations) == 1 and '12 N' in answer.sentence_en
    assert '3 次中成功 2 次' in answer.sentence_zh


def test_of_what_was_never_met_it_says_so(memory):
    attempt(memory, 'glass cup', 8.0, 'success')
    answer = memory.succeed(Brief, task='grip', object='hammer', collection=memory.name)
    assert (answer.is_known, answer.nearness, list(answer.similar)) == (False, 'task', [])
    assert 'nothing is known' in answer.sentence_en


def test_a_flag_that_is_not_set_beside_a_score_is_refused(memory):
    begun = memory.succeed(BeginAttempt, task='grip', object='cup', collection=memory.name)
    fields = {'attempt_id': begun.attempt_id, 'outcome': 'success', 'score': 0.5}
    refused(memory.client, EndAttempt, 'invalid_argument', 'has_score', **fields)
    ended = memory.succeed(EndAttempt, has_score=True, **fields)
    assert ended.duration_secs > 0.0
    context = json.loads(memory.succeed(GetMemory, memory_id=begun.attempt_id).memory.context)
    assert (context['task']['success'], context['task']['score']) == (True, 0.5)


def test_used_memories_are_credited(memory):
    used = memory.succeed(Learn, insight='prefer the left gripper for cups', collection=memory.name).memory_id
    begun = memory.succeed(BeginAttempt, task='grip', object='cup', collection=memory.name)
    ended = memory.succeed(EndAttempt, attempt_id=begun.attempt_id, outcome='success', used_ids=[used])
    assert (list(ended.credited_ids), list(ended.blamed_ids)) == ([used], [])
    ledger = memory.succeed(GetMemory, memory_id=used).ledger
    assert [(it.change, it.repetitions) for it in ledger] == [('credited', 1)]


def test_an_attempt_outlives_the_node(nodes):
    client, process = nodes.start(name='attempts')
    begun = client.succeed(BeginAttempt, task='grip', object='cup')
    process.process.send_signal(signal.SIGKILL)
    process.wait_for_end()
    client, process = nodes.start(name='attempts')
    process.wait_until_logged('1 attempts were interrupted')
    context = json.loads(client.succeed(GetMemory, memory_id=begun.attempt_id).memory.context)
    assert context['task']['outcome'] == 'interrupted'
    client.succeed(EndAttempt, attempt_id=begun.attempt_id, outcome='failure')


def test_lessons_are_briefed_recalled_and_judged(memory):
    for force in (8.0, 14.0, 9.0, 15.0, 10.0, 16.0, 11.0, 14.5, 12.0, 15.5, 9.5, 16.5):
        attempt(memory, 'glass cup', force, 'success' if force < 13.0 else 'failure')

    def lessons():
        return memory.succeed(Brief, task='grip', object='glass cup', collection=memory.name).lessons

    (lesson,) = lessons()
    assert (lesson.path, lesson.unit, lesson.side, lesson.bound) == ('params.force', 'N', 'above', 13.0)
    assert (lesson.state, lesson.judgment, lesson.nearness) == ('hypothesis', '', 'object')
    wait_until(lambda: lessons()[0].lesson_id > 0, 'the lesson to be stored')
    (stored,) = lessons()
    recalled = memory.succeed(Recall, query='force that fails on the glass cup', collection=memory.name).memories
    assert stored.lesson_id in [it.id for it in recalled]
    judged = memory.succeed(JudgeLesson, lesson_id=stored.lesson_id, judgment='rejected', reason='broken scale')
    assert (judged.state, judged.judgment) == ('hypothesis', 'rejected')
    assert [it.judgment for it in lessons()] == ['rejected']
    refused(memory.client, JudgeLesson, 'invalid_argument', 'judgment', lesson_id=stored.lesson_id, judgment='loved')


def test_the_best_procedure_is_briefed(memory):
    steps = [{'name': 'lift', 'anchor': 'handle', 'pose': {'position_m': [0.0, 0.0, 0.02]}}, {'name': 'pull'}]
    for outcome, tried in (('failure', steps[1:]), ('success', steps), ('success', steps)):
        begun = memory.succeed(BeginAttempt, task='open', object='drawer', collection=memory.name)
        memory.succeed(EndAttempt, attempt_id=begun.attempt_id, outcome=outcome, steps=json.dumps(tried))
    (procedure,) = memory.succeed(Brief, task='open', object='drawer', collection=memory.name).procedures
    assert json.loads(procedure.steps) == steps
    assert (procedure.success_count, procedure.failure_count) == (2, 0)
    begun = memory.succeed(BeginAttempt, task='open', object='drawer', collection=memory.name)
    fields = {'attempt_id': begun.attempt_id, 'outcome': 'success', 'steps': '[{"name": "lift", "pose": {}}]'}
    refused(memory.client, EndAttempt, 'invalid_argument', 'anchor', **fields)
