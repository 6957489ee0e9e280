"""Bytes that are no text are refused by their field, wherever a request has room for a text."""

import ctypes
import importlib
import sys

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.action import ActionClient
from robot_memory import action, srv

from conftest import WAIT_SECS_MAX, ask_alone
from shared_node import shared_node

# Bytes that begin no character, are cut off, or spell half of a pair.
NO_TEXTS = [b'gr\xfcber', b'\xff\xfe', b'\xe6\xa1', b'dm\x80', b'\xed\xa0\x80.', b'all\xc0\xaf']
LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def no_text(data):
    """A str that rclpy sends as these bytes.

    CPython keeps ASCII as its own UTF-8 and hands it out unchecked, so the bytes are put in its place.
    """
    made = ''.join(LETTERS[: len(data)])
    ctypes.memmove(id(made) + sys.getsizeof('') - 1, data, len(data))
    assert made.encode() == data
    return made


def message_class(name):
    """The class of `package/Type`."""
    package, name = name.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), name)


def with_each_text(kind, text):
    """Every way to put a text into a message: the name of the field, and the message."""
    for field, kind_of_field in kind.get_fields_and_field_types().items():
        if kind_of_field == 'string':
            yield field, kind(**{field: text})
        elif kind_of_field == 'sequence<string>':
            yield f'{field}[1]', kind(**{field: ['good', text]})
        elif kind_of_field.startswith('sequence<') and '/' in kind_of_field:
            nested = message_class(kind_of_field[len('sequence<') : -1])
            for part, message in with_each_text(nested, text):
                yield f'{field}[1].{part}', kind(**{field: [nested(), message]})
        elif '/' in kind_of_field:
            for part, message in with_each_text(message_class(kind_of_field), text):
                yield f'{field}.{part}', kind(**{field: message})


def services():
    """Every service of the package."""
    return [kind for kind in vars(srv).values() if hasattr(kind, 'Request')]


@pytest.fixture(scope='module')
def memory(ros_node, tmp_path_factory):
    with shared_node(ros_node, tmp_path_factory) as (client, _):
        for scope in ('global', 'dm', 'group:lab'):
            client.succeed(srv.Learn, insight=f'The {scope} lamp is green.', scope=scope)
        yield client


def all_memories(client):
    """What is stored, as ids and texts."""
    answer = client.succeed(
        srv.Recall,
        scope='all',
        collections=['*'],
        levels=['core', 'knowledge'],
        n=100,
        order='oldest',
        min_confidence=0.0,
    )
    return [(hit.id, hit.content) for hit in answer.memories]


def messages_of(service, data):
    """The requests of a service with these bytes in one field."""
    return list(with_each_text(service.Request, no_text(data)))


@pytest.mark.parametrize('service', services(), ids=lambda kind: kind.__name__)
def test_no_service_takes_bytes_that_are_no_text(memory, service):
    before = all_memories(memory)
    for data in NO_TEXTS:
        for field, request in messages_of(service, data):
            fields = {name: getattr(request, name) for name in request.get_fields_and_field_types()}
            answer = memory.call(service, **fields)
            assert not answer.success, f'{field}: {data} was taken'
            assert answer.error_code == 'invalid_argument', answer.error
            assert answer.error.startswith(f'{field}: must be UTF-8, and byte '), answer.error
    assert all_memories(memory) == before


def test_what_would_have_been_the_operator_or_every_scope_does_nothing(memory):
    before = all_memories(memory)
    clear = {'level': 'knowledge', 'collection': 'default'}
    for data in NO_TEXTS:
        assert memory.fail(srv.ClearMemories, scope=no_text(data), **clear) == 'invalid_argument'
        assert memory.fail(srv.Recall, query='lamp', agent=no_text(data)) == 'invalid_argument'
        assert memory.fail(srv.Learn, insight='x y', scope=no_text(data)) == 'invalid_argument'
        assert memory.fail(srv.Backup, agent=no_text(data)) == 'invalid_argument'
    assert all_memories(memory) == before


def test_every_text_that_is_one_is_taken(memory):
    for text in ('grüber', '桌子上的杯子', 'a🤖b', 'é\u0301'):
        answer = memory.succeed(srv.Learn, insight=f'The {text} is here.', collection='texts')
        assert memory.succeed(srv.GetMemory, memory_id=answer.memory_id).memory.content == (
            f'The {text} is here.'
        )


@pytest.mark.parametrize('kind', [action.Maintain, action.Rebuild, action.Import])
def test_no_goal_takes_bytes_that_are_no_text(ros_node, memory, kind):
    client = ActionClient(ros_node, kind, f'{memory.full_name}/{kind.__name__.lower()}')
    assert client.wait_for_server(WAIT_SECS_MAX)
    for field, goal in with_each_text(kind.Goal, no_text(NO_TEXTS[0])):
        handle = memory.answer(ask_alone(client.send_goal_async, goal))
        result = memory.answer(ask_alone(handle.get_result_async)).result
        assert (result.success, result.error_code) == (False, 'invalid_argument')
        assert f'{field}: must be UTF-8' in result.error
    client.destroy()


def test_no_parameter_takes_bytes_that_are_no_text(memory):
    def level():
        (value,) = memory.call(GetParameters, names=['log_level']).values
        return value.string_value

    def parameter(name, value):
        kind = ParameterType.PARAMETER_STRING
        return Parameter(name=name, value=ParameterValue(type=kind, string_value=value))

    bad = no_text(b'\xff\xfe')
    good = parameter('log_level', 'warn')
    for parameters in ([good, parameter('log_level', bad)], [good, parameter(bad, 'info')]):
        results = memory.call(SetParameters, parameters=parameters).results
        results.append(memory.call(SetParametersAtomically, parameters=parameters).result)
        assert len(results) == 3
        for result in results:
            assert not result.successful and 'parameters[1].' in result.reason
        assert level() == ''
    names = [bad, 'log_level']
    assert [value.type for value in memory.call(GetParameters, names=names).values] == [0, 4]
    assert list(memory.call(GetParameterTypes, names=names).types) == [0, 4]
    assert memory.call(DescribeParameters, names=names).descriptors[0].type == 0
    assert memory.call(ListParameters, prefixes=[bad]).result.names == []


@pytest.mark.parametrize('value', [0.9, 1.0, -1.0, float('nan')])
def test_a_value_beside_a_false_flag_is_refused(memory, value):
    session = memory.succeed(srv.StartSession).session_id
    cases = [
        (srv.Learn, {'insight': 'The valve is open.'}, 'importance'),
        (srv.SavePerception, {'description': 'A valve was seen.'}, 'importance'),
        (srv.EndSession, {'session_id': session}, 'outcome_score'),
    ]
    before = all_memories(memory)
    for service, fields, field in cases:
        answer = memory.call(service, **fields, **{field: value})
        assert (answer.success, answer.error_code) == (False, 'invalid_argument')
        assert answer.error.startswith(f'{field}: ') and f'has_{field}' in answer.error
    assert all_memories(memory) == before
