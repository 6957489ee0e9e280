"""Scopes, the access policy and what is never stored, through a real node that has both on file."""

import json
import time

import pytest
from robot_memory import srv
from robot_memory.msg import MemoryEvent
from visualization_msgs.msg import MarkerArray

from conftest import Client, wait_until
from shared_node import Collection, refused, shared_node

ACCESS = r"""
agents:
  - names: [planner]
    read: [all]
    write: [global, "group:*", dm]
    sessions: all
  - names: ["skill_*"]
    read: [global, "agent:{agent}"]
    write:
      - {scope: "agent:{agent}", mem_types: [procedure, task_log]}
    sessions: own
default:
  read: [global]
  write: []
  sessions: none
topics:
  read: [global]
never_store:
  - {name: badge_number, pattern: 'badge\s*#?\d{6}'}
"""
GRIP, LIFT = 'agent:skill_grip', 'agent:skill_lift'
UNKNOWN_ID = 999_999_999


@pytest.fixture(scope='module')
def started(ros_node, tmp_path_factory):
    access_path = tmp_path_factory.mktemp('access') / 'access.yaml'
    access_path.write_text(ACCESS)
    options = {'access_path': access_path, 'arguments': ['--log-level', 'debug']}
    with shared_node(ros_node, tmp_path_factory, **options) as started:
        yield started


@pytest.fixture
def memory(started):
    """A collection of the test's own."""
    return Collection(started[0])


class Skill:
    """A client of its own, which says who it is and works in its own scope."""

    def __init__(self, ros_node, name, collection):
        self.client = Client(ros_node, collection.client.full_name)
        self.name, self.collection = name, collection.name
        self.scope = f'agent:{name}'

    def call(self, service, **fields):
        """Call a service in its own name."""
        return self.client.call(service, agent=self.name, **fields)

    def log(self, insight, **fields):
        """Learn what it did; returns the id."""
        fields = {'scope': self.scope, 'mem_type': 'task_log', **fields}
        answer = self.call(srv.Learn, insight=insight, collection=self.collection, **fields)
        assert answer.success, answer.error
        return answer.memory_id

    def contents(self, query='', **fields):
        """What it recalls, in its own scope unless another is named."""
        fields = {'scope': self.scope, 'n': 20, **fields}
        answer = self.call(srv.Recall, query=query, collection=self.collection, **fields)
        assert answer.success, answer.error
        return [hit.content for hit in answer.memories]

    def refused(self, service, code, part, **fields):
        """Check that a call in its own name fails, and why."""
        refused(self.client, service, code, part, agent=self.name, **fields)


@pytest.fixture
def grip(ros_node, memory):
    skill = Skill(ros_node, 'skill_grip', memory)
    yield skill
    skill.client.close()


@pytest.fixture
def lift(ros_node, memory):
    skill = Skill(ros_node, 'skill_lift', memory)
    yield skill
    skill.client.close()


# Scopes


def test_each_skill_recalls_its_own_before_what_all_know(memory, grip, lift):
    memory.learn('The red cup is wet.')
    memory.learn('The red cup of the group is blue inside.', scope='group:cell-7')
    grip.log('The red cup slipped in the morning.')
    lift.log('The red cup was lifted at noon.')
    everybody, group = 'The red cup is wet.', 'The red cup of the group is blue inside.'
    assert grip.contents('red cup') == ['The red cup slipped in the morning.', everybody]
    assert lift.contents('red cup') == ['The red cup was lifted at noon.', everybody]
    assert lift.contents('red cup', scope='') == [everybody]
    assert lift.contents('red cup', order='oldest', scope='all') == [
        everybody,
        'The red cup was lifted at noon.',
    ]
    assert set(memory.contents('red cup', scope='all', n=9)) == {
        'The red cup slipped in the morning.',
        'The red cup was lifted at noon.',
        everybody,
        group,
    }
    assert set(memory.contents('red cup', scope='cross:cell-7')) == {group, everybody}


def test_what_a_caller_may_not_see_is_not_there(memory, grip, lift):
    own = grip.log('The gripper opened late.')
    assert grip.call(srv.GetMemory, memory_id=own).memory.content == 'The gripper opened late.'
    requests = [
        (srv.GetMemory, {}),
        (srv.Forget, {'reason': 'wrong'}),
        (srv.Update, {'new_content': 'The gripper opened in time.'}),
        (srv.DeleteMemory, {}),
    ]
    for service, fields in requests:
        unseen = lift.call(service, memory_id=own, **fields)
        unknown = lift.call(service, memory_id=UNKNOWN_ID, **fields)
        assert (unseen.success, unseen.error_code) == (False, 'not_found'), service
        assert unseen.error.replace(str(own), str(UNKNOWN_ID)) == unknown.error
    # Seen by its owner, but not in the scope that is named.
    grip.refused(srv.GetMemory, 'not_found', f'{own}', memory_id=own, scope='global')
    assert lift.contents('gripper') == []
    # Not even as the row that says it already.
    again = lift.call(
        srv.Learn,
        insight='The gripper opened late.',
        collection=memory.name,
        scope=LIFT,
        mem_type='procedure',
    )
    assert (again.status, again.existing_id) == ('created', 0)


def test_lists_count_what_the_caller_sees(memory, grip, lift):
    memory.learn('The bench is clean.')
    grip.log('The cup stood still.')
    grip.log('The cup fell over.')

    def counted(skill):
        (knowledge,) = [
            level
            for level in skill.call(srv.ListLevels, collection=memory.name).levels
            if level.level == 'knowledge'
        ]
        collections = {
            entry.key: entry.count for entry in skill.call(srv.ListCollections).collections
        }
        return knowledge.memory_count, collections.get(memory.name)

    assert (counted(grip), counted(lift)) == ((3, 3), (1, 1))


@pytest.mark.parametrize('scope', ['all', 'cross:cell-7'])
def test_nothing_is_stored_in_what_only_searches_know(memory, scope):
    fields = {'collection': memory.name, 'scope': scope}
    invalid = ('invalid_argument', 'searches only')
    refused(memory.client, srv.Learn, *invalid, insight='The cup is red.', **fields)
    refused(memory.client, srv.SavePerception, *invalid, description='A red cup.', **fields)


# Policy


@pytest.mark.parametrize(
    'agent, service, fields, parts',
    [
        ('skill_grip', srv.Learn, {'insight': 'The cup is red.', 'scope': 'global'}, ('global',)),
        ('skill_grip', srv.Learn, {'insight': 'The cup is red.', 'scope': GRIP}, ('fact', GRIP)),
        ('skill_grip', srv.SavePerception, {'description': 'A red cup.', 'scope': 'dm'}, ('dm',)),
        ('skill_grip', srv.Recall, {'query': 'cup', 'scope': LIFT}, (LIFT,)),
        ('skill_grip', srv.Recall, {'query': 'cup', 'scope': 'group:cell-7'}, ('group:cell-7',)),
        ('skill_grip', srv.CheckAction, {'params': '{}', 'scope': LIFT}, (LIFT,)),
        ('skill_grip', srv.ListLevels, {'scope': LIFT}, (LIFT,)),
        ('skill_grip', srv.ListCollections, {'scope': 'dm'}, ('dm',)),
        ('planner', srv.Learn, {'insight': 'The cup is red.', 'scope': GRIP}, (GRIP,)),
        ('stranger', srv.Learn, {'insight': 'The cup is red.', 'scope': 'global'}, ('default',)),
        ('stranger', srv.StartSession, {}, ('default',)),
    ],
)
def test_what_the_policy_forbids_names_its_rule(started, agent, service, fields, parts):
    answer = started[0].call(service, agent=agent, **fields)
    assert (answer.success, answer.error_code) == (False, 'forbidden'), answer
    entry = {'skill_grip': 'skill_*', 'planner': 'planner', 'stranger': 'default'}[agent]
    for part in (agent, entry, *parts):
        assert part in answer.error, f'{answer.error!r} does not name {part!r}'


def test_what_is_seen_but_not_writable_is_forbidden_and_stays(memory, grip):
    shared = memory.learn('The red cup is wet.').memory_id
    for service, fields in [
        (srv.Forget, {'reason': 'wrong'}),
        (srv.Update, {'new_content': 'The red cup is dry.'}),
        (srv.DeleteMemory, {}),
    ]:
        grip.refused(service, 'forbidden', 'skill_*', memory_id=shared, **fields)
    level = {'level': 'knowledge', 'collection': memory.name}
    grip.refused(srv.ClearMemories, 'forbidden', 'skill_*', **level)
    grip.refused(srv.Unlearn, 'forbidden', 'skill_*', memory_ids=[shared])
    assert memory.contents('cup') == ['The red cup is wet.']


def test_sessions_are_seen_by_those_the_policy_names(memory, grip, lift):
    own = grip.call(srv.StartSession, collection=memory.name).session_id
    assert grip.call(srv.GetSession, session_id=own).success
    lift.refused(srv.GetSession, 'not_found', 'session_id', session_id=own)
    lift.refused(srv.EndSession, 'not_found', 'session_id', session_id=own)
    assert lift.call(srv.ListSessions, collection=memory.name).total == 0
    begins = {'collection': memory.name, 'kinds': ['session']}
    assert lift.call(srv.Timeline, **begins).total == 0
    assert grip.call(srv.Timeline, **begins).total == 1
    for agent in ('skill_grip', 'planner', ''):
        fields = {'collection': memory.name, 'agent': agent}
        assert memory.client.call(srv.ListSessions, **fields).total == 1
    assert grip.call(srv.EndSession, session_id=own).success


# Never stored

SECRET = 'swordfish-plugh-1742'
WAYS_IN = [
    (srv.Learn, {'insight': f'The password: {SECRET}'}, 'insight'),
    (
        srv.Learn,
        {'insight': 'The cup is red.', 'context': json.dumps({'password': SECRET})},
        'context',
    ),
    (srv.Learn, {'insight': 'The cup is red.', 'collection': f'password={SECRET}'}, 'collection'),
    (srv.SavePerception, {'description': f'A note: password = {SECRET}'}, 'description'),
    (
        srv.SavePerception,
        {'description': 'A note was seen.', 'data': json.dumps([{'a': {'Password': SECRET}}])},
        'data',
    ),
    (
        srv.SavePerception,
        {'description': 'A note was seen.', 'metadata': json.dumps({'password': SECRET})},
        'metadata',
    ),
    (srv.Update, {'memory_id': 1, 'new_content': f'password: {SECRET}'}, 'new_content'),
    (srv.Forget, {'memory_id': 1, 'reason': f'password: {SECRET}'}, 'reason'),
    (srv.StartSession, {'context': json.dumps({'password': SECRET})}, 'context'),
    (srv.Capture, {'reason': f'password: {SECRET}'}, 'reason'),
    (srv.CommitTurn, {'turn_no': 1, 'text': f'The password: {SECRET}'}, 'text'),
    (
        srv.CommitTurn,
        {'turn_no': 1, 'data': json.dumps({'result': {'password': SECRET}})},
        'data',
    ),
    (srv.CommitTurn, {'turn_no': 1, 'branch_id': f'password={SECRET}'}, 'branch_id'),
    (srv.MergeBranch, {'branch_id': f'password={SECRET}'}, 'branch_id'),
]


@pytest.mark.parametrize(
    'service, fields, field',
    WAYS_IN,
    ids=[f'{service.__name__}-{field}' for service, _, field in WAYS_IN],
)
def test_a_secret_is_refused_and_is_nowhere_afterwards(started, service, fields, field):
    client, process = started
    answer = client.call(service, **fields)
    assert (answer.success, answer.error_code) == (False, 'refused'), answer
    assert answer.error.startswith(f'{field}:') and 'password' in answer.error
    assert SECRET not in answer.error
    # Even what is logged of each request.
    assert 'refused' in process.log() and SECRET not in process.log()
    for file in process.log_file.parent.rglob('*'):
        if file.is_file() and file != process.log_file:
            assert SECRET.encode() not in file.read_bytes(), file


def test_a_pattern_of_the_own_is_refused_by_its_name(memory):
    fields = {'collection': memory.name, 'insight': 'Ask for Badge #123456 at the door.'}
    refused(memory.client, srv.Learn, 'refused', 'badge_number', **fields)
    memory.learn('Ask for a badge at the door.')


# Topics


def test_topics_show_only_what_everybody_may_see(memory, ros_node):
    events, arrays = [], []
    name = memory.client.full_name
    subscriptions = [
        ros_node.create_subscription(MemoryEvent, f'{name}/events', events.append, 100),
        ros_node.create_subscription(MarkerArray, f'{name}/markers', arrays.append, 10),
    ]
    try:
        for subscription in subscriptions:
            topic = subscription.topic_name
            wait_until(lambda: ros_node.count_publishers(topic), f'publisher on {topic}')
        # The publishers may still have to find the subscribers.
        time.sleep(1.0)
        context = json.dumps({'spatial': {'robot_position': [1.0, 2.0, 0.0]}})
        hidden = memory.perceive('The hidden box stands here.', scope='dm', context=context)
        shown = memory.perceive('The open box stands here.', context=context)
        wait_until(lambda: any(event.memory_id == shown for event in events), 'event')

        def ids():
            return {marker.id for array in arrays for marker in array.markers}

        wait_until(lambda: shown in ids(), 'marker')
        assert hidden not in ids()
        assert hidden not in {event.memory_id for event in events}
    finally:
        for subscription in subscriptions:
            ros_node.destroy_subscription(subscription)


# Parameters


@pytest.mark.parametrize(
    'text, parts',
    [
        ('agents: [{names: [planner], raed: [all]}]', ('raed',)),
        ('default: {read: ["gruop:*"]}', ('gruop',)),
        ('never_store: [{name: card, pattern: "(4"}]', ('never_store', 'never_store[0].pattern')),
        ('agents: [', ('access',)),
    ],
)
def test_a_bad_access_file_ends_the_node_with_a_line_that_says_where(nodes, tmp_path, text, parts):
    access_path = tmp_path / 'wrong.yaml'
    access_path.write_text(text)
    process = nodes.launch(access_path=access_path)
    assert process.wait_for_end() == 2
    (line,) = [line for line in process.log().splitlines() if 'ERROR' in line]
    for part in parts:
        assert part in line, line
    assert 'panicked' not in process.log()


def test_an_access_file_that_is_not_there_ends_the_node(nodes, tmp_path):
    process = nodes.launch(access_path=tmp_path / 'none.yaml')
    assert process.wait_for_end() == 2
    assert 'parameter access_path' in process.log() and 'none.yaml' in process.log()


def test_the_default_scope_is_that_of_requests_that_name_none(nodes):
    client, _ = nodes.start(default_scope='group:cell-7')
    memory = Collection(client)
    memory.learn('The belt runs to the left.')
    memory.learn('The lamp hangs above the belt.', scope='global')
    (first, second) = memory.recall('belt').memories
    assert (first.scope, second.scope) == ('group:cell-7', 'global')
    assert memory.contents('belt', scope='global') == ['The lamp hangs above the belt.']


def test_without_a_default_scope_writes_must_name_one(nodes):
    client, _ = nodes.start(default_scope='')
    memory = Collection(client)
    fields = {'collection': memory.name, 'insight': 'The belt runs to the left.'}
    refused(client, srv.Learn, 'invalid_argument', 'default_scope', **fields)
    memory.learn('The belt runs to the left.', scope='global')
    assert memory.contents('belt') == ['The belt runs to the left.']


@pytest.mark.parametrize('scope', ['all', 'cross:cell-7', 'chats:1'])
def test_a_bad_default_scope_ends_the_node(nodes, scope):
    process = nodes.launch(default_scope=scope)
    assert process.wait_for_end() == 2
    assert 'parameter default_scope' in process.log()
