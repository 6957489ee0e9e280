"""CheckAction: actions held against the constraints that were learned."""

import json

import pytest
from robot_memory.srv import CheckAction, Forget, GetMemory, Learn

from shared_node import Collection, refused, shared_node


@pytest.fixture(scope='module')
def node(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        yield client


@pytest.fixture
def memory(node):
    """A collection of the test's own."""
    return Collection(node)


def newtons(value, unit='N'):
    """Parameters of an action that grips."""
    return json.dumps({'grip_force': {'value': value, 'unit': unit}})


def check(memory, params, **fields):
    """Hold an action against the constraints of the collection."""
    return memory.succeed(CheckAction, params=params, collection=memory.name, **fields)


def limit(value=15.0, unit='N', op='<=', **fields):
    """A context that sets a bound to the grip force."""
    bound = {'path': 'params.grip_force.value', 'op': op, 'value': value, 'unit': unit, **fields}
    return json.dumps({'limits': [bound]})


def test_an_action_beyond_a_bound_is_not_allowed_and_says_by_whom(memory):
    words = 'Never grip the glass bottle too hard.'
    learned = memory.learn(words, context=limit(object='glass bottle'), source='user_direct')
    assert learned.category == 'constraint'
    (bound,) = learned.limits
    assert (bound.path, bound.op, bound.value, bound.unit) == (
        'params.grip_force.value',
        '<=',
        15.0,
        'N',
    )
    assert bound.object == 'glass bottle'
    assert list(memory.succeed(GetMemory, memory_id=learned.memory_id).limits) == [bound]

    answer = check(memory, newtons(18), object='glass bottle')
    assert (answer.allowed, answer.constraint_count) == (False, 1)
    assert 0.0 < answer.query_ms < 5000.0
    (violated,) = answer.violations
    assert (violated.memory_id, violated.content) == (learned.memory_id, words)
    assert (violated.source, violated.trust, violated.scope) == ('user_direct', 'high', 'global')
    assert (violated.op, violated.bound, violated.unit) == ('<=', 15.0, 'N')
    assert (violated.has_given, violated.given) == (True, 18.0)
    assert '18' in violated.reason and '15' in violated.reason

    for params, thing in [
        (newtons(15), 'glass bottle'),
        (newtons(12_500, 'mN'), 'glass bottle'),
        (newtons(18), 'steel block'),
    ]:
        answer = check(memory, params, object=thing)
        assert answer.allowed and not answer.violations, (params, thing, answer)


@pytest.mark.parametrize(
    'sentence, too_much, enough',
    [
        ('抓取力不得超过 15N', 16, 15),
        ('Never exceed 15 N of grip force', 15.5, 14),
    ],
)
def test_a_plain_sentence_sets_a_bound(memory, sentence, too_much, enough):
    (bound,) = memory.learn(sentence).limits
    assert (bound.op, bound.value, bound.unit) == ('<=', 15.0, 'N')
    assert not check(memory, newtons(too_much)).allowed
    assert check(memory, newtons(enough)).allowed


def test_every_bound_that_is_violated_is_told(memory):
    ids = [
        memory.learn(f'Never grip harder, rule {number}.', context=limit(value)).memory_id
        for number, value in [(1, 15.0), (2, 10.0), (3, 30.0)]
    ]
    answer = check(memory, newtons(20))
    assert [violated.memory_id for violated in answer.violations] == ids[:2]
    memory.succeed(Forget, memory_id=ids[0], reason='It is no rule any more.')
    answer = check(memory, newtons(20))
    assert [violated.memory_id for violated in answer.violations] == ids[1:2]
    assert answer.constraint_count == 2


def test_what_no_number_decides_is_told_apart(memory):
    memory.learn('Never grip harder.', context=limit(object='egg'))
    answer = check(memory, '{}', object='egg')
    assert answer.allowed and not answer.violations
    (undecided,) = answer.undecided
    assert (undecided.has_given, undecided.bound) == (False, 15.0) and undecided.reason


@pytest.mark.parametrize(
    'params, part',
    [
        (newtons(12, 'kg'), 'kg'),
        ('{"grip_force": "gentle"}', 'grip_force'),
        ('{"grip_force": {"value": "many", "unit": "N"}}', 'grip_force'),
        ('{"grip_force": ', 'params'),
        ('[1]', 'params'),
    ],
)
def test_what_cannot_be_compared_is_an_error_and_no_guess(memory, params, part):
    memory.learn('Never grip harder.', context=limit())
    fields = {'params': params, 'collection': memory.name}
    refused(memory.client, CheckAction, 'invalid_argument', part, **fields)


@pytest.mark.parametrize(
    'context',
    [limit(op='~'), limit(value='x'), limit(unit='parsec-ish'), '{"limits": [{"value": 1}]}'],
)
def test_a_malformed_bound_is_refused_when_it_is_learned(memory, context):
    fields = {'insight': 'Never grip harder.', 'collection': memory.name, 'context': context}
    refused(memory.client, Learn, 'invalid_argument', 'limits', **fields)


def test_a_constraint_holds_in_its_scope_alone(memory):
    memory.learn('Never grip harder.', context=limit(), scope='group:cell-7')
    assert check(memory, newtons(20)).allowed
    assert not check(memory, newtons(20), scope='group:cell-7').allowed
