"""The node's log as that of every node of ROS: formats, the file, levels by service."""

import re

import pytest
from rcl_interfaces.msg import LoggerLevel, Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetLoggerLevels, SetLoggerLevels, SetParameters
from robot_memory.srv import ListSessions

DEBUG, INFO, WARN = 10, 20, 30


@pytest.fixture(autouse=True)
def own_settings(monkeypatch):
    """None of the shell's."""
    for name in ('ROS_LOG_DIR', 'RCUTILS_CONSOLE_OUTPUT_FORMAT', 'RCUTILS_LOGGING_USE_STDOUT'):
        monkeypatch.delenv(name, raising=False)


def log_files(folder):
    """What the log files in a folder hold, by their names."""
    return {file.name: file.read_text() for file in folder.glob('*.log')}


def level_of(client, name):
    """The level of a logger."""
    (level,) = client.call(GetLoggerLevels, names=[name]).levels
    assert level.name == name
    return level.level


def set_level(client, name, level):
    """Set the level of a logger; returns the result."""
    levels = [LoggerLevel(name=name, level=level)]
    (result,) = client.call(SetLoggerLevels, levels=levels).results
    return result


def test_the_log_file_holds_every_line(nodes):
    _, process = nodes.start()
    process.stop()
    (text,) = log_files(nodes.folder / 'log').values()
    assert [line for line in process.log().splitlines() if line] == text.splitlines()
    assert 'ready, with the store' in text and 'the store is closed' in text


def test_folder_and_format_are_those_of_ros(nodes, monkeypatch, tmp_path):
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path / 'logs'))
    monkeypatch.setenv('RCUTILS_CONSOLE_OUTPUT_FORMAT', '<{severity}|{name}> {message}')
    _, process = nodes.start(name='mem', namespace='/left_arm')
    process.wait_until_logged('<INFO|left_arm.mem> ready, with the store')
    process.stop()
    ((name, text),) = log_files(tmp_path / 'logs').items()
    assert name.startswith('memory_node_')
    assert '<INFO|left_arm.mem> the store is closed' in text


def test_the_console_can_be_switched_off_and_the_file_stays(nodes):
    _, process = nodes.start(arguments=['--disable-stdout-logs'])
    process.stop()
    assert process.log() == ''
    (text,) = log_files(nodes.folder / 'log').values()
    assert 'the store is closed' in text


def test_a_mistake_at_the_start_is_in_the_file_too(nodes):
    process = nodes.launch(queue_max=0)
    assert process.wait_for_end() == 2
    (text,) = log_files(nodes.folder / 'log').values()
    assert 'parameter queue_max must be from 1' in text


def test_levels_are_shown_and_set_by_service(nodes):
    memory, process = nodes.start(name='mem', namespace='/left_arm')
    own = 'left_arm.mem'
    assert level_of(memory, own) == INFO
    assert set_level(memory, own, DEBUG).successful
    assert level_of(memory, own) == DEBUG
    memory.call(ListSessions)
    process.wait_until_logged('list_sessions: ')
    assert set_level(memory, own, WARN).successful
    count = len(re.findall('list_sessions: ', process.log()))
    memory.call(ListSessions)
    assert level_of(memory, own) == WARN
    assert len(re.findall('list_sessions: ', process.log())) == count
    # Another parameter leaves it; its own parameter replaces it; 0 is as if it had never been set.
    period = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=2.0)
    debug = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='debug')
    for name, value, expected in [
        ('diagnostics_period_secs', period, WARN),
        ('log_level', debug, DEBUG),
    ]:
        parameters = [Parameter(name=name, value=value)]
        assert memory.call(SetParameters, parameters=parameters).results[0].successful
        assert level_of(memory, own) == expected
    assert set_level(memory, own, WARN).successful and level_of(memory, own) == WARN
    assert set_level(memory, own, 0).successful and level_of(memory, own) == DEBUG


@pytest.mark.parametrize('level', [7, 60, 2**32 - 1])
def test_a_level_that_is_none_is_refused(shared_memory, level):
    result = set_level(shared_memory, 'shared_memory', level)
    assert not result.successful and f'was {level}' in result.reason
    assert level_of(shared_memory, 'shared_memory') == INFO


def test_other_loggers_are_those_of_ros(shared_memory):
    assert level_of(shared_memory, 'rcl') == 0
    assert set_level(shared_memory, 'rcl', WARN).successful
    assert level_of(shared_memory, 'rcl') == WARN
