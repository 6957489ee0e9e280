"""The node as a managed node: a client leads it through its states, as a lifecycle manager does."""

import os
import sqlite3
import threading
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from rclpy.utilities import get_rmw_implementation_identifier
from robot_memory.srv import Capture, GetMemory, Learn, Recall, Status
from std_msgs.msg import Bool

from conftest import Client, wait_until

UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = 'unconfigured', 'inactive', 'active', 'finalized'

# The transitions of rcl_lifecycle: number, label, start, goal.
STEPS = {
    'configuring': (1, 'configure', [UNCONFIGURED], 10, INACTIVE, UNCONFIGURED),
    'cleaningup': (2, 'cleanup', [INACTIVE], 20, UNCONFIGURED, INACTIVE),
    'activating': (3, 'activate', [INACTIVE], 30, ACTIVE, INACTIVE),
    'deactivating': (4, 'deactivate', [ACTIVE], 40, INACTIVE, ACTIVE),
    'shuttingdown': (5, 'shutdown', [UNCONFIGURED, INACTIVE, ACTIVE], 50, FINALIZED, FINALIZED),
    'errorprocessing': (None, '', [], 60, UNCONFIGURED, FINALIZED),
}


class Managed:
    """A node that is led by its lifecycle services."""

    def __init__(self, nodes, **options):
        self.process = nodes.launch(autostart=False, **options)
        self.client = Client(nodes.ros_node, self.process.full_name)
        nodes.clients.append(self.client)

    def change(self, label='', number=0):
        transition = Transition(id=number, label=label)
        return self.client.call(ChangeState, transition=transition).success

    def state(self):
        return self.client.call(GetState).current_state.label

    def available(self):
        answer = self.client.call(GetAvailableTransitions)
        return [it.transition.label for it in answer.available_transitions]


@pytest.fixture
def managed(nodes):
    """A managed node on an empty store, unconfigured."""
    return Managed(nodes)


def test_the_graph_is_that_of_rcl_lifecycle(managed):
    states = {it.label: it.id for it in managed.client.call(GetAvailableStates).available_states}
    assert states == {
        'unknown': State.PRIMARY_STATE_UNKNOWN,
        UNCONFIGURED: State.PRIMARY_STATE_UNCONFIGURED,
        INACTIVE: State.PRIMARY_STATE_INACTIVE,
        ACTIVE: State.PRIMARY_STATE_ACTIVE,
        FINALIZED: State.PRIMARY_STATE_FINALIZED,
        'configuring': State.TRANSITION_STATE_CONFIGURING,
        'cleaningup': State.TRANSITION_STATE_CLEANINGUP,
        'shuttingdown': State.TRANSITION_STATE_SHUTTINGDOWN,
        'activating': State.TRANSITION_STATE_ACTIVATING,
        'deactivating': State.TRANSITION_STATE_DEACTIVATING,
        'errorprocessing': State.TRANSITION_STATE_ERRORPROCESSING,
    }
    expected = set()
    for state, (number, label, starts, first, success, failure) in STEPS.items():
        for i, start in enumerate(starts):
            expected.add((number + i, label, start, state))
        error = FINALIZED if state == 'errorprocessing' else 'errorprocessing'
        for i, (word, goal) in enumerate(
            [('success', success), ('failure', failure), ('error', error)]
        ):
            expected.add((first + i, f'transition_{word}', state, goal))
    graph = managed.client.call(GetAvailableTransitions, 'get_transition_graph')
    told = [
        (it.transition.id, it.transition.label, it.start_state.label, it.goal_state.label)
        for it in graph.available_transitions
    ]
    assert set(told) == expected and len(told) == 25


def test_a_client_walks_through_all_states_and_what_is_impossible_changes_nothing(managed, ros_node):
    events = []
    topic = f'{managed.client.full_name}/transition_event'
    heard = ros_node.create_subscription(
        TransitionEvent,
        topic,
        lambda event: events.append((event.start_state.label, event.goal_state.label)),
        10,
    )
    wait_until(lambda: ros_node.count_publishers(topic), 'publisher of transition_event')
    possible = {
        UNCONFIGURED: ['configure', 'shutdown'],
        INACTIVE: ['cleanup', 'activate', 'shutdown'],
        ACTIVE: ['deactivate', 'shutdown'],
        FINALIZED: [],
    }
    numbers = {'configure': 1, 'cleanup': 2, 'activate': 3, 'deactivate': 4}

    def check(state):
        assert managed.state() == state
        assert managed.available() == possible[state]
        for label, number in numbers.items():
            if label not in possible[state]:
                assert not managed.change(label)
                assert not managed.change(number=number)
        for number in [0, 8, 10, 60, 255]:
            assert not managed.change(number=number)
        for label in ['transition_success', 'no such', '\u6fc0\u6d3b']:
            assert not managed.change(label, number=1)
        assert managed.state() == state

    path = [('configure', INACTIVE), ('activate', ACTIVE), ('deactivate', INACTIVE)]
    path += [('cleanup', UNCONFIGURED), ('configure', INACTIVE), ('activate', ACTIVE)]
    check(UNCONFIGURED)
    for i, (label, state) in enumerate(path):
        # By number as well as by label, and with a number that says otherwise.
        by_number = i % 2 == 0
        assert managed.change(number=numbers[label]) if by_number else managed.change(label, 5)
        check(state)
    assert managed.change('shutdown')
    check(FINALIZED)
    assert managed.process.is_running()
    wait_until(lambda: len(events) == 14, 'two events for each of seven transitions')
    assert events[:4] == [
        (UNCONFIGURED, 'configuring'),
        ('configuring', INACTIVE),
        (INACTIVE, 'activating'),
        ('activating', ACTIVE),
    ]
    assert events[-2:] == [(ACTIVE, 'shuttingdown'), ('shuttingdown', FINALIZED)]
    ros_node.destroy_subscription(heard)


def test_each_state_takes_what_it_can_and_says_why_not(managed):
    client = managed.client
    refusals = {
        UNCONFIGURED: 'the node is unconfigured: configure and activate it first',
        INACTIVE: 'the node is inactive: activate it first',
    }

    def refuses(service, part, **fields):
        answer = client.call(service, **fields)
        assert (answer.success, answer.error_code) == (False, 'unavailable')
        assert part in answer.error

    refuses(Recall, refusals[UNCONFIGURED], query='mug')
    refuses(Learn, refusals[UNCONFIGURED], insight='The mug is on the shelf.')
    assert managed.change('configure')
    assert client.succeed(Recall, query='mug').total == 0
    client.succeed(Status)
    refuses(Learn, refusals[INACTIVE], insight='The mug is on the shelf.')
    refuses(Capture, 'the node is not active', reason='to look')
    assert managed.change('activate')
    client.hear(Bool, f'{client.full_name}/ready', lambda ready: ready.data)
    client.succeed(Learn, insight='The mug is on the shelf.')
    assert managed.change('deactivate')
    assert client.succeed(Recall, query='mug').total == 1
    refuses(Learn, refusals[INACTIVE], insight='The cup is on the table.')
    assert managed.change('cleanup')
    refuses(Recall, refusals[UNCONFIGURED], query='mug')
    # The store is closed: somebody else may have it now.
    assert not list(managed.process.log_file.parent.glob('**/*.db-wal'))
    assert managed.change('configure')
    assert client.succeed(Recall, query='mug').total == 1


def life_cycle_status(client, accepts):
    name = f'{client.full_name.lstrip("/")}: life cycle'

    def status(array):
        return [it for it in array.status if it.name == name and accepts(it)]

    return status(client.hear(DiagnosticArray, '/diagnostics', status, qos=10))[0]


def test_a_wrong_parameter_fails_and_a_damaged_store_is_an_error_with_its_reason(
    nodes, tmp_path, ros_node
):
    folder = tmp_path / 'folder.db'
    folder.mkdir()
    managed = Managed(nodes, name='wrong', store_path=str(folder))
    events = []
    topic = f'{managed.client.full_name}/transition_event'
    heard = ros_node.create_subscription(
        TransitionEvent, topic, lambda event: events.append(event.goal_state.label), 10
    )
    assert not managed.change('configure')
    assert managed.state() == UNCONFIGURED
    status = life_cycle_status(managed.client, lambda it: it.level == b'\x02')
    assert status.message.startswith('unconfigured: the store did not open') and 'folder.db' in status.message
    folder.rmdir()
    assert managed.change('configure')
    life_cycle_status(managed.client, lambda it: (it.level, it.message) == (b'\x00', INACTIVE))
    assert managed.change('activate')
    managed.client.succeed(Learn, insight='The mug is on the shelf.')
    assert managed.change('deactivate') and managed.change('cleanup')

    damage(folder)
    # By now it was found; what came before that may not have been heard.
    wait_until(lambda: events and events[-1] == UNCONFIGURED, 'event of the cleanup')
    events.clear()
    assert not managed.change('configure')
    assert managed.state() == UNCONFIGURED
    wait_until(lambda: len(events) == 3, 'events')
    assert events == ['configuring', 'errorprocessing', UNCONFIGURED]
    life_cycle_status(managed.client, lambda it: it.level == b'\x02')
    managed.process.wait_until_logged('configure: the store did not open')
    ros_node.destroy_subscription(heard)


def damage(path):
    """Make a store of which a table that it needs is of another shape."""
    store = sqlite3.connect(path)
    store.execute('DROP TABLE store_state')
    store.execute('CREATE TABLE store_state (id INTEGER)')
    store.commit()
    store.close()


def resources(process):
    """Threads, open files, and sockets of a process."""
    folder = Path('/proc') / str(process.process.pid)
    return len(os.listdir(folder / 'task')), len(os.listdir(folder / 'fd'))


ROUNDS = 200 if os.environ.get('ROBOT_MEMORY_LONG') else 25


def test_rounds_under_load_lose_nothing_and_leak_nothing(nodes, ros_node):
    managed = Managed(nodes, streams='auto')
    client = managed.client
    assert managed.change('configure') and managed.change('activate')
    acknowledged, refused = {}, []
    ends = threading.Event()
    publisher = ros_node.create_publisher(Bool, '/round/lamp', 10)

    def load():
        number = 0
        while not ends.is_set():
            number += 1
            text = f'Box {number} weighs {number} kg.'
            answer = client.call(Learn, insight=text)
            publisher.publish(Bool(data=number % 2 == 0))
            if answer.success:
                acknowledged[answer.memory_id] = text
            else:
                assert answer.error_code == 'unavailable', answer
                refused.append(number)

    loader = threading.Thread(target=load)
    loader.start()
    first = None
    try:
        for number in range(ROUNDS):
            assert managed.change('deactivate'), f'round {number}'
            assert managed.change('activate'), f'round {number}'
            if number == 4:
                first = resources(managed.process)
    finally:
        ends.set()
        loader.join()
    assert acknowledged and refused

    def is_as_before():
        threads, files = resources(managed.process)
        # Those of the middleware come and go by a few.
        return threads <= first[0] + 8 and files <= first[1] + 12

    # Threads of the last rounds end by themselves.
    wait_until(is_as_before, f'as many threads and files as in the first rounds, {first}')
    names = [f'{ns.rstrip("/")}/{name}' for name, ns in ros_node.get_node_names_and_namespaces()]
    assert len([name for name in names if 'robot_memory_streams' in name]) <= 1
    assert managed.change('deactivate') and managed.change('cleanup')
    assert managed.change('configure')
    for memory_id, text in acknowledged.items():
        assert client.succeed(GetMemory, memory_id=memory_id).memory.content == text
    ros_node.destroy_publisher(publisher)


# Of an endpoint's name; the rest of its 16 bytes is its own.
PARTICIPANT_BYTES = 12


@pytest.mark.skipif('fastrtps' not in get_rmw_implementation_identifier(), reason='how names are made')
def test_what_hears_topics_is_of_the_participant_of_the_node(nodes, ros_node):
    # Two in one process can deadlock in Fast DDS when a reader or one of them is deleted.
    publisher = ros_node.create_publisher(Bool, '/one/lamp', 10)
    client, _ = nodes.start(streams='auto')

    def heard_by():
        found = ros_node.get_subscriptions_info_by_topic('/one/lamp')
        return {bytes(it.endpoint_gid[:PARTICIPANT_BYTES]) for it in found if it.node_name.endswith('_streams')}

    wait_until(heard_by, 'a subscription')
    (ready,) = ros_node.get_publishers_info_by_topic(f'{client.full_name}/ready')
    assert heard_by() == {bytes(ready.endpoint_gid[:PARTICIPANT_BYTES])}
    ros_node.destroy_publisher(publisher)


def test_a_node_that_starts_itself_can_be_led_afterwards(nodes):
    client, process = nodes.start()
    # It tells that it is ready as the last thing that it does to become active.
    wait_until(lambda: client.call(GetState).current_state.label == ACTIVE, 'the active state')
    label = Transition(label='deactivate')
    assert client.call(ChangeState, transition=label).success
    client.hear(Bool, f'{client.full_name}/ready', lambda ready: not ready.data)
    assert client.call(ChangeState, transition=Transition(label='activate')).success
    client.wait_until_ready()
    client.succeed(Learn, insight='The mug is on the shelf.')
