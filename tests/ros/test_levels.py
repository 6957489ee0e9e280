"""Levels, the tree of memories, the whole story of one, and deletion for good."""

import json

import pytest
from builtin_interfaces.msg import Time
from robot_memory.srv import (
    ClearMemories,
    DeleteMemory,
    Forget,
    GetMemory,
    Learn,
    ListCollections,
    ListLevels,
    SavePerception,
    Update,
)

from shared_node import Collection, refused, shared_node


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as started:
        yield started


@pytest.fixture
def memory(started):
    """A collection of the test's own."""
    return Collection(started[0])


def stored(memory, memory_id, **fields):
    """All that the store keeps of one memory."""
    return memory.succeed(GetMemory, memory_id=memory_id, **fields)


def levels(memory):
    """How many memories each level of the collection has."""
    answer = memory.succeed(ListLevels, collection=memory.name)
    assert all(level.description for level in answer.levels)
    return {level.level: level.memory_count for level in answer.levels}


# GetMemory


def test_one_memory_is_shown_whole(memory):
    context = {'params': {'force': 12.5}, 'task': {'name': 'grip'}}
    made = memory.perceive(
        'The cup slid along the table.',
        data='[1, 2]',
        metadata='{"format": "x"}',
        context=json.dumps(context),
        perception_type='tactile',
    )
    answer = stored(memory, made)
    row = answer.memory
    assert (row.id, row.type, row.perception_type) == (made, 'perception', 'tactile')
    assert (row.content, row.status) == ('The cup slid along the table.', 'active')
    assert json.loads(row.params) == context['params']
    assert (row.data, row.metadata) == ('', '')
    assert (row.score, row.has_distance, row.parent_id, row.superseded_by) == (0.0, False, 0, 0)
    assert (answer.invalidated_reason, answer.invalidated_at) == ('', Time())
    assert (answer.superseded_rule, answer.superseded_why) == ('', '')
    assert not answer.supersedes and not answer.children and not answer.history
    assert (answer.embedding_model, list(answer.embedding)) == ('', [])
    row = stored(memory, made, include_data=True).memory
    assert (json.loads(row.data), json.loads(row.metadata)) == ([1, 2], {'format': 'x'})


def test_what_was_changed_and_withdrawn_is_told(memory):
    made = memory.learn('The cup is red.', context='{"task": {"n": 1}}').memory_id
    memory.succeed(Update, memory_id=made, new_content='The cup is blue.')
    memory.succeed(Forget, memory_id=made, reason='It broke.')
    answer = stored(memory, made)
    assert (answer.memory.content, answer.memory.status) == ('The cup is blue.', 'invalidated')
    assert (answer.invalidated_reason, answer.invalidated_at.sec > 0) == ('It broke.', True)
    changes = [(change.operation, change.content) for change in answer.history]
    assert changes == [('update', 'The cup is red.'), ('forget', 'The cup is blue.')]
    assert all(change.changed_at.sec > 0 and change.agent == '' for change in answer.history)
    assert json.loads(answer.history[0].context) == {'task': {'n': 1}}


def test_a_newer_preference_replaces_the_older_and_says_by_which_rule(memory):
    older = memory.learn('Prefer the left tray for wet cups').memory_id
    answer = memory.learn('Prefer the right tray for wet cups')
    newer = answer.memory_id
    assert list(answer.superseded_ids) == [older]
    assert memory.contents('tray for wet cups') == ['Prefer the right tray for wet cups']
    replaced = stored(memory, older)
    assert (replaced.memory.status, replaced.memory.superseded_by) == ('superseded', newer)
    assert replaced.superseded_rule == 'newest_preference'
    assert str(newer) in replaced.superseded_why
    assert list(stored(memory, newer).supersedes) == [older]


def test_hearsay_replaces_no_preference(memory):
    memory.learn('Prefer the left tray for wet cups')
    said = memory.learn('Prefer the right tray for wet cups', source='group_chat')
    assert (said.status, list(said.superseded_ids)) == ('created', [])


# The tree


def test_each_level_hangs_below_the_one_above(memory):
    session_id = memory.start_session()
    core = memory.learn('The cell handles glass.', level='core').memory_id
    knowledge = memory.learn('Wet glass slips.', parent_id=core).memory_id
    working = memory.learn(
        'This glass is wet.', level='working', session_id=session_id, parent_id=knowledge
    ).memory_id
    assert stored(memory, working).memory.parent_id == knowledge
    assert list(stored(memory, core).children) == [knowledge]
    assert list(stored(memory, knowledge).children) == [working]
    assert levels(memory) == {'core': 1, 'knowledge': 1, 'working': 1}
    for wrong, level in [(core, 'core'), (knowledge, 'core'), (knowledge, 'knowledge')]:
        fields = {'insight': 'It is new.', 'collection': memory.name, 'level': level}
        refused(
            memory.client, Learn, 'invalid_argument', 'parent_id', parent_id=wrong, **fields
        )
    fields = {'description': 'It is new.', 'collection': memory.name, 'parent_id': 999_999_999}
    refused(memory.client, SavePerception, 'not_found', 'parent_id', **fields)


# Working memories


def test_working_memories_become_knowledge_or_are_archived(memory):
    session_id = memory.start_session()
    working = {'level': 'working', 'session_id': session_id}
    recalled = memory.learn('The green box is full.', **working).memory_id
    protected = memory.learn('Never tip the green box.', **working).memory_id
    unused = memory.learn('The lamp flickered.', **working).memory_id
    assert memory.contents('full box', levels=['working'], n=1) == ['The green box is full.']
    ended = memory.end_session(session_id)
    assert (ended.promoted_count, ended.archived_count) == (2, 1)
    shown = {
        number: (stored(memory, number).memory.level, stored(memory, number).memory.status)
        for number in (recalled, protected, unused)
    }
    assert shown == {
        recalled: ('knowledge', 'active'),
        protected: ('knowledge', 'active'),
        unused: ('working', 'archived'),
    }
    assert 'The lamp flickered.' not in memory.contents('lamp', levels=['working', 'knowledge'])


def test_working_memories_of_a_success_become_knowledge(memory):
    session_id = memory.start_session()
    memory.learn('The lid opens to the left.', level='working', session_id=session_id)
    ended = memory.end_session(session_id, has_outcome_score=True, outcome_score=0.5)
    assert (ended.promoted_count, ended.archived_count) == (1, 0)
    assert levels(memory) == {'core': 0, 'knowledge': 1, 'working': 0}


# Lists


def test_collections_are_counted_by_level(memory):
    memory.learn('The cell handles glass.', level='core')
    memory.learn('Wet glass slips.')
    memory.perceive('A wet glass was seen.')

    def count(**fields):
        answer = memory.succeed(ListCollections, **fields)
        counts = {entry.key: entry.count for entry in answer.collections}
        assert answer.memory_count == sum(counts.values())
        assert list(counts) == sorted(counts)
        return counts.get(memory.name, 0)

    assert (count(), count(level='core'), count(level='working')) == (3, 1, 0)
    assert levels(memory) == {'core': 1, 'knowledge': 2, 'working': 0}
    everything = memory.succeed(ListLevels).levels
    assert [level.level for level in everything] == ['core', 'knowledge', 'working']
    assert everything[1].collection_count >= 1


# Deletion


def test_a_deleted_memory_is_gone_and_its_words_with_it(memory, started):
    _, process = started
    secret = 'The quokka sleeps in the seventh drawer.'
    made = memory.learn(secret).memory_id
    answer = memory.succeed(DeleteMemory, memory_id=made)
    assert (answer.status, answer.memory_id, answer.clip_deleted) == ('deleted', made, False)
    refused(memory.client, GetMemory, 'not_found', str(made), memory_id=made)
    refused(memory.client, DeleteMemory, 'not_found', str(made), memory_id=made)
    assert memory.all() == []
    for file in process.log_file.parent.rglob('*.db*'):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file
    assert memory.learn(secret).memory_id > made


def test_a_collection_is_cleared_by_level_and_time(memory):
    kept = memory.learn('The cell handles glass.', level='core').memory_id
    first = memory.learn('Wet glass slips.').memory_id
    second = memory.perceive('A wet glass was seen.')
    memory.succeed(Forget, memory_id=first, reason='It is dry by now.')
    at = stored(memory, second).memory.created_at
    named = {'level': 'knowledge', 'collection': memory.name}
    answer = memory.succeed(ClearMemories, until=at, **named)
    # Of any status.
    assert (answer.deleted_count, answer.clips_deleted_count) == (1, 0)
    assert [hit.id for hit in memory.all()] == [kept, second]
    assert memory.succeed(ClearMemories, **named).deleted_count == 1
    assert [hit.id for hit in memory.all()] == [kept]
    assert memory.succeed(ClearMemories, **named).deleted_count == 0
