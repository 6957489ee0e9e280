"""The node as a good citizen of ROS 2: start, parameters, names, load, time, end."""

import signal
import threading
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Log, Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from robot_memory.srv import GetSession, Learn, ListSessions, Recall, StartSession
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Bool

from conftest import LATCHED_QOS, WAIT_SECS_MAX, wait_until

INTEGER, DOUBLE = ParameterType.PARAMETER_INTEGER, ParameterType.PARAMETER_DOUBLE
TEXT, BOOL = ParameterType.PARAMETER_STRING, ParameterType.PARAMETER_BOOL


def text(name, value):
    """A parameter with a text."""
    return Parameter(name=name, value=ParameterValue(type=TEXT, string_value=value))


def double(name, value):
    """A parameter with a number."""
    return Parameter(name=name, value=ParameterValue(type=DOUBLE, double_value=value))


def integer(name, value):
    """A parameter with a whole number."""
    return Parameter(name=name, value=ParameterValue(type=INTEGER, integer_value=value))


# Start


def test_services_answer_once_the_node_is_ready(memory):
    assert memory.succeed(Learn, insight='The dock is beside the door.').status == 'created'
    found = memory.succeed(Recall, query='where is the dock').memories
    assert [hit.content for hit in found] == ['The dock is beside the door.']


def test_an_error_has_a_code_and_says_what_is_wrong(shared_memory):
    answer = shared_memory.call(GetSession, session_id='no such session')
    assert not answer.success
    assert answer.error_code in ('not_found', 'invalid_argument')
    assert 'session' in answer.error


def test_a_target_without_a_field_is_refused(shared_memory):
    request = Recall.Request()
    request.spatial_sort.target = [1.0, 2.0]
    answer = shared_memory.call(Recall, spatial_sort=request.spatial_sort)
    assert answer.error_code == 'invalid_argument'
    assert 'spatial_sort.field' in answer.error


# Parameters


def test_parameters_are_listed_with_types_and_values(shared_memory):
    names = shared_memory.call(ListParameters).result.names
    assert {'store_path', 'queue_max', 'use_sim_time', 'log_level'} <= set(names)
    types = shared_memory.call(
        GetParameterTypes, names=['queue_max', 'require_agent', 'diagnostics_period_secs', 'x']
    ).types
    assert list(types) == [INTEGER, BOOL, DOUBLE, ParameterType.PARAMETER_NOT_SET]
    values = shared_memory.call(GetParameters, names=['model_dir', 'queue_max']).values
    assert (values[0].string_value, values[1].integer_value) == ('none', 500)


def test_every_parameter_is_described(shared_memory):
    names = shared_memory.call(ListParameters).result.names
    descriptors = shared_memory.call(DescribeParameters, names=names).descriptors
    assert [descriptor.name for descriptor in descriptors] == names
    for descriptor in descriptors:
        assert len(descriptor.description) > 20, descriptor.name
        if descriptor.type == INTEGER:
            assert descriptor.integer_range, descriptor.name
        if descriptor.type == DOUBLE:
            assert descriptor.floating_point_range, descriptor.name
    described = {descriptor.name: descriptor for descriptor in descriptors}
    assert described['queue_max'].read_only and described['queue_max'].integer_range[0].from_value == 1
    assert '"real"' in described['sim_or_real'].additional_constraints


@pytest.mark.parametrize(
    'parameter, reason',
    [
        (double('diagnostics_period_secs', 0.0), 'from 0.1 to 3600.0, not 0.0'),
        (text('diagnostics_period_secs', 'often'), 'takes a double, not a string'),
        (text('log_level', 'loud'), 'one of'),
        (text('store_path', '/elsewhere.db'), 'read only when the node starts'),
        (text('log_levle', 'info'), 'did you mean log_level?'),
        (Parameter(name='log_level'), 'cannot be removed'),
    ],
    ids=lambda value: value.name if isinstance(value, Parameter) else '',
)
def test_a_bad_value_is_refused_with_its_reason(shared_memory, parameter, reason):
    (result,) = shared_memory.call(SetParameters, parameters=[parameter]).results
    assert not result.successful
    assert parameter.name in result.reason and reason in result.reason


def test_parameters_change_one_by_one_or_all_together(nodes):
    memory, process = nodes.start()
    good, bad = double('diagnostics_period_secs', 5.0), text('log_level', 'loud')

    def period():
        (value,) = memory.call(GetParameters, names=['diagnostics_period_secs']).values
        return value.double_value

    together = memory.call(SetParametersAtomically, parameters=[good, bad]).result
    assert not together.successful and period() == 1.0
    one_by_one = memory.call(SetParameters, parameters=[good, bad]).results
    assert [result.successful for result in one_by_one] == [True, False] and period() == 5.0
    memory.call(SetParameters, parameters=[text('log_level', 'debug')])
    memory.call(ListSessions)
    process.wait_until_logged('list_sessions: ')


def test_a_change_is_announced(memory):
    heard = []
    thread = threading.Thread(
        target=lambda: heard.append(
            memory.hear(
                ParameterEvent,
                '/parameter_events',
                lambda event: event.node == '/robot_memory' and event.changed_parameters,
                qos=10,
            )
        )
    )
    thread.start()
    change = text('log_level', 'warn')
    deadline = time.monotonic() + WAIT_SECS_MAX
    while thread.is_alive() and time.monotonic() < deadline:
        assert memory.call(SetParameters, parameters=[change]).results[0].successful
        thread.join(0.2)
    assert heard and heard[0].changed_parameters == [change]


@pytest.mark.parametrize(
    'name, value, reason',
    [
        ('queue_max', 0, 'parameter queue_max must be from 1 to 100000, not 0'),
        ('queue_max', 'many', 'parameter queue_max takes an integer'),
        ('sim_or_real', 'simulated', 'parameter sim_or_real must be one of "", "real", "sim"'),
        ('default_collection', '', 'parameter default_collection must be 1 to 256 bytes long'),
        ('require_agent', 1, 'parameter require_agent takes a boolean'),
    ],
)
def test_a_bad_value_at_start_ends_the_node(nodes, name, value, reason):
    process = nodes.launch(**{name: value})
    assert process.wait_for_end() == 2
    assert reason in process.log()


def test_a_parameter_file_is_read_and_a_broken_one_ends_the_node(nodes, tmp_path):
    good, broken = tmp_path / 'good.yaml', tmp_path / 'broken.yaml'
    good.write_text('/**:\n  ros__parameters:\n    diagnostics_period_secs: 2\n    queue_max: 7\n')
    broken.write_text('/**:\n  ros__parameters:\n    queue_max: [1, two\n')
    memory, _ = nodes.start(arguments=['--params-file', good])
    values = memory.call(GetParameters, names=['diagnostics_period_secs', 'queue_max']).values
    assert (values[0].double_value, values[1].integer_value) == (2.0, 7)
    process = nodes.launch(arguments=['--params-file', broken], name='other')
    assert process.wait_for_end() == 2
    assert 'broken.yaml' in process.log() and 'panicked' not in process.log()


def test_an_unknown_parameter_is_told_by_name(nodes):
    _, process = nodes.start(store_pth='x', zzz=1)
    assert 'parameter store_pth is unknown and ignored; did you mean store_path?' in process.log()
    assert 'parameter zzz is unknown and ignored' in process.log()


# Names


def test_two_nodes_have_two_names_and_two_stores(nodes):
    first, _ = nodes.start(namespace='/robot1')
    second, _ = nodes.start(namespace='/robot2', name='recollection')
    first.succeed(Learn, insight='The first robot has a red arm.')
    assert first.succeed(StartSession).active_memories_count == 1
    assert second.succeed(StartSession).active_memories_count == 0
    stores = nodes.folder / 'robot_memory'
    assert (stores / 'robot1' / 'robot_memory.db').is_file()
    assert (stores / 'robot2' / 'recollection.db').is_file()


def test_a_second_node_on_one_store_is_refused(nodes):
    store = nodes.folder / 'one.db'
    first, _ = nodes.start(store_path=store)
    second = nodes.launch(store_path=store, name='second')
    assert second.wait_for_end() == 1
    assert 'one.db' in second.log()
    first.succeed(Learn, insight='The first one goes on.')


# Load


def test_two_hundred_calls_at_once_get_two_hundred_answers(memory):
    memory.succeed(Learn, insight='The charger hums at 50 Hz.')
    futures = [memory.call_async(Recall, query='charger') for _ in range(200)]
    answers = [memory.answer(future) for future in futures]
    assert [answer.error for answer in answers if not answer.success] == []


def test_an_overload_is_answered_and_never_silent(nodes):
    memory, _ = nodes.start(queue_max=1, write_workers=1)
    memory.succeed(StartSession)
    memory.call(Learn, insight='Warm up.')
    insights = [f'Shelf {i} holds part number {i * 37}.' for i in range(300)]
    futures = [memory.call_async(Learn, insight=insight) for insight in insights]
    answers = [memory.answer(future) for future in futures]
    refused = [answer for answer in answers if not answer.success]
    assert refused and len(refused) < len(answers)
    assert {answer.error_code for answer in refused} == {'unavailable'}
    assert 'has 1 writes waiting, its limit' in refused[0].error
    active = memory.succeed(StartSession).active_memories_count
    assert active == 1 + len(answers) - len(refused)


# Status


def test_log_lines_reach_rosout(shared_memory):
    line = shared_memory.hear(
        Log, '/rosout', lambda line: line.name == 'shared_memory' and 'ready' in line.msg
    )
    assert line.level == 20 and line.file.endswith('.rs') and line.stamp.sec > 0


def test_diagnostics_tell_of_store_embedder_and_requests(memory):
    memory.succeed(Learn, insight='The lamp is on the left.')
    names = (
        'store', 'indexes', 'embedder', 'write_queue', 'events', 'jobs', 'maintenance', 'backups',
        'clock', 'requests', 'life cycle',
    )
    parts = {f'robot_memory: {part}' for part in names}

    def is_whole(array):
        values = {v.key: v.value for status in array.status for v in status.values}
        is_counted = values.get('active memories') == '1' and values.get('writes answered') != '0'
        # The write queue's space is taken in the first moments.
        return is_counted and all(status.level == b'\x00' for status in array.status)

    array = memory.hear(DiagnosticArray, '/diagnostics', is_whole, qos=10)
    assert {status.name for status in array.status} == parts
    assert array.header.stamp.sec > 0


def test_synonyms_come_from_a_file_and_a_broken_one_ends_the_node(nodes, tmp_path):
    synonyms = tmp_path / 'synonyms.txt'
    synonyms.write_text('# of this laboratory\nmoon pool, basin\n', encoding='utf-8')
    memory, _ = nodes.start(synonyms_path=synonyms)
    memory.succeed(Learn, insight='The basin is drained at night.')
    hit = memory.succeed(Recall, query='moon pool').memories[0]
    assert list(hit.why.matched_words) == ['moon pool']
    synonyms.write_text('alone\n', encoding='utf-8')
    process = nodes.launch(name='broken', synonyms_path=synonyms)
    assert process.wait_for_end() == 2
    assert 'synonyms: line 1' in process.log()
    process = nodes.launch(name='absent', synonyms_path=tmp_path / 'no.txt')
    assert process.wait_for_end() == 2
    assert 'parameter synonyms_path: ' in process.log()


def test_a_model_that_is_not_there_is_a_warning_and_words_still_serve(nodes):
    memory, process = nodes.start(model_dir='/no/such/model')
    process.wait_until_logged('no model, recall goes by words only')
    array = memory.hear(
        DiagnosticArray,
        '/diagnostics',
        lambda array: any(
            it.level == b'\x01' and it.name == 'robot_memory: embedder' for it in array.status
        ),
        qos=10,
    )
    messages = {it.name: it.message for it in array.status if it.level == b'\x01'}
    assert '/no/such/model' in messages['robot_memory: embedder']
    memory.succeed(Learn, insight='Words are enough.')
    assert memory.succeed(Recall, query='enough words').mode == 'bm25_only'


def test_writes_are_refused_while_the_disk_has_too_little_room(nodes):
    memory, _ = nodes.start(write_queue_bytes_max=0)
    memory.succeed(Learn, insight='There is room.')

    def wait_until_learned(outcome, insight):
        wait_until(lambda: memory.call(Learn, insight=insight).error_code == outcome, outcome)

    memory.call(SetParameters, parameters=[integer('disk_free_bytes_min', 2**62)])
    wait_until_learned('unavailable', 'There is no room.')
    assert memory.succeed(Recall, query='room').total >= 1
    array = memory.hear(
        DiagnosticArray, '/diagnostics', lambda array: array.status[0].level == b'\x02', qos=10
    )
    assert 'disk_free_bytes_min' in array.status[0].message
    memory.call(SetParameters, parameters=[integer('disk_free_bytes_min', 0)])
    wait_until_learned('', 'There is room again.')


def test_the_shipped_model_is_loaded_beside_the_running_services(nodes):
    memory, process = nodes.start(model_dir='')
    memory.succeed(Learn, insight='The gripper slips on wet glass.')
    process.wait_until_logged('embedding with')

    def is_embedded():
        answer = memory.succeed(Recall, query='The gripper slips on wet glass.')
        return answer.mode == 'hybrid' and answer.memories[0].why.has_similarity

    wait_until(is_embedded, 'vector of a memory from before the model')


def test_the_log_level_comes_from_the_command_line(nodes):
    _, process = nodes.start(arguments=['--log-level', 'warn'])
    assert 'INFO' not in process.log()


def test_no_log_line_quotes_a_memory(nodes):
    memory, process = nodes.start()
    memory.succeed(Learn, insight='The xyzzy valve leaks.', agent='planner')
    memory.succeed(Recall, query='xyzzy')
    memory.fail(Learn, insight='xyzzy', context='{"xyzzy": ')
    assert 'xyzzy' not in process.log()


# Time


class SimulatedTime:
    """Publishes /clock until it is stopped."""

    def __init__(self, ros_node):
        self.secs = 0
        self.publisher = ros_node.create_publisher(Clock, '/clock', 10)
        self.timer = ros_node.create_timer(0.02, self.publish)
        self.ros_node = ros_node

    def publish(self):
        if self.secs:
            message = Clock()
            message.clock.sec = self.secs
            self.publisher.publish(message)

    def stop(self):
        self.ros_node.destroy_timer(self.timer)
        self.ros_node.destroy_publisher(self.publisher)


@pytest.fixture
def simulated_time(ros_node):
    simulated = SimulatedTime(ros_node)
    yield simulated
    simulated.stop()


def test_nothing_is_stored_before_the_first_clock_message(nodes, simulated_time):
    memory, _ = nodes.start(use_sim_time=True)
    assert memory.fail(Learn, insight='Too early.') == 'unavailable'
    simulated_time.secs = 5000

    wait_until(lambda: memory.call(Learn, insight='In time.').success, 'simulated time')
    (hit,) = memory.succeed(Recall, query='time').memories
    assert hit.created_at.sec == 5000


def test_simulated_time_can_be_switched_on_later(memory, simulated_time):
    simulated_time.secs = 7000
    on = Parameter(name='use_sim_time', value=ParameterValue(type=BOOL, bool_value=True))
    assert memory.call(SetParameters, parameters=[on]).results[0].successful

    wait_until(lambda: memory.call(Learn, insight='Switched on.').success, 'simulated time')
    (hit,) = memory.succeed(Recall, query='switched').memories
    assert hit.created_at.sec == 7000


# End


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_the_node_cleanly(nodes, number):
    memory, process = nodes.start()
    memory.succeed(Learn, insight='This is on disk.')
    process.stop(number)
    assert 'the store is closed' in process.log()
    again, process = nodes.start()
    assert again.succeed(Recall, query='disk').total == 1
    assert 'without closing the store' not in process.log()


@pytest.mark.parametrize('delay_secs', [0.0, 0.2, 0.4, 0.6])
def test_a_signal_while_the_model_is_loaded_ends_the_node_cleanly(nodes, delay_secs):
    _, process = nodes.start(model_dir='')
    time.sleep(delay_secs)
    process.stop()


def test_ready_says_false_at_the_end(nodes, ros_node):
    memory, process = nodes.start()
    states = []
    subscription = ros_node.create_subscription(
        Bool, '/robot_memory/ready', lambda ready: states.append(ready.data), LATCHED_QOS
    )
    wait_until(lambda: states == [True], 'ready')
    process.stop()
    wait_until(lambda: states == [True, False], 'end of ready')
    ros_node.destroy_subscription(subscription)


def test_every_request_under_way_is_answered_at_the_end(nodes):
    memory, process = nodes.start()
    memory.succeed(Learn, insight='Warm up.')
    insights = [f'Box {i} weighs {i * 13} grams.' for i in range(200)]
    futures = [memory.call_async(Learn, insight=insight) for insight in insights]
    memory.answer(futures[0])
    process.stop(signal.SIGTERM)
    wait_until(lambda: process.process.poll() is not None, 'end')
    time.sleep(0.5)
    answers = [future.result() for future in futures if future.done()]
    stored = sum(answer.success for answer in answers)
    assert {answer.error_code for answer in answers} <= {'', 'unavailable'}
    again, _ = nodes.start()
    active = again.succeed(StartSession).active_memories_count
    # What was answered is on disk; a request that came with the signal may have been too late.
    assert stored + 1 <= active <= len(insights) + 1


def test_a_killed_node_starts_again_with_what_it_answered(nodes):
    memory, process = nodes.start()
    memory.succeed(Learn, insight='The key is under the mat.')
    process.process.kill()
    process.wait_for_end()
    again, process = nodes.start()
    assert again.succeed(Recall, query='key').total == 1
    process.wait_until_logged('ended without closing the store')
