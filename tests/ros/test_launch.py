"""The launch file takes what people and other launch files write.

The packages `launch` and `launch_ros` are not among the wheels: where they are missing, stand-ins take
their place, which keep what the file asks of them.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

LAUNCH_FILE = Path(__file__).parents[2] / 'launch' / 'memory.launch.py'
DEFAULTS = {
    'namespace': '',
    'params_file': '/shipped/memory.yaml',
    'store_path': '',
    'use_sim_time': '',
    'managed': 'false',
    'autostart': '',
    'log_level': 'info',
}


class Kept:
    """Keeps how it was made."""

    def __init__(self, *arguments, **named):
        self.arguments, self.named = arguments, named


class LaunchConfiguration(Kept):
    """A value of the context."""

    def perform(self, context):
        return context[self.arguments[0]]


@pytest.fixture
def launch_file(monkeypatch):
    """The launch file as a module, on stand-ins."""
    parts = {
        'launch': ['LaunchDescription'],
        'launch.actions': ['DeclareLaunchArgument', 'OpaqueFunction'],
        'launch.substitutions': ['PathJoinSubstitution'],
        'launch_ros': [],
        'launch_ros.actions': ['LifecycleNode', 'Node'],
        'launch_ros.parameter_descriptions': ['ParameterValue'],
        'launch_ros.substitutions': ['FindPackageShare'],
    }
    for name, members in parts.items():
        module = ModuleType(name)
        for member in members:
            setattr(module, member, type(member, (Kept,), {}))
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules['launch.substitutions'].LaunchConfiguration = LaunchConfiguration
    spec = importlib.util.spec_from_file_location('memory_launch', LAUNCH_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def node_of(launch_file, **given):
    """The node as it is made for these arguments: its parameters and ROS arguments."""
    (node,) = launch_file.memory_node(DEFAULTS | given)
    parameters = {}
    for parameter in node.named['parameters']:
        parameters.update(parameter if isinstance(parameter, dict) else {'file': parameter})
    return SimpleNamespace(parameters=parameters, arguments=node.named['ros_arguments'])


@pytest.mark.parametrize(
    'text, expected',
    [
        *((text, True) for text in ('true', 'True', 'TRUE', '1', 'yes', 'on', ' true ', '"true"')),
        *((text, False) for text in ('false', 'False', 'FALSE', '0', 'no', 'Off', "'False'")),
    ],
)
def test_simulated_time_is_taken_in_any_spelling(launch_file, text, expected):
    assert node_of(launch_file, use_sim_time=text).parameters['use_sim_time'] is expected


def test_what_is_left_empty_is_left_to_the_file(launch_file):
    node = node_of(launch_file)
    assert node.parameters == {'file': '/shipped/memory.yaml'}
    assert node_of(launch_file, params_file='', log_level='').parameters == {}
    assert node_of(launch_file, log_level='').arguments == []


def test_what_is_neither_yes_nor_no_is_named(launch_file):
    with pytest.raises(ValueError, match="use_sim_time: true or false, not 'maybe'"):
        node_of(launch_file, use_sim_time='maybe')


@pytest.mark.parametrize(
    'given, kind, autostart',
    [
        ({}, 'Node', None),
        ({'autostart': 'False'}, 'Node', False),
        ({'managed': 'True'}, 'LifecycleNode', False),
        ({'managed': 'true', 'autostart': 'true'}, 'LifecycleNode', True),
    ],
)
def test_who_configures_and_activates_the_node(launch_file, given, kind, autostart):
    (node,) = launch_file.memory_node(DEFAULTS | given)
    assert type(node).__name__ == kind
    assert node_of(launch_file, **given).parameters.get('autostart') is autostart


@pytest.mark.parametrize(
    'text, expected',
    [
        ('INFO', 'info'),
        ('Warning', 'warn'),
        ('debug', 'debug'),
        ('rcl:=DEBUG', 'rcl:=debug'),
        ('robot_memory:=WARNING', 'robot_memory:=warn'),
    ],
)
def test_levels_are_taken_in_any_spelling(launch_file, text, expected):
    assert node_of(launch_file, log_level=text).arguments == ['--log-level', expected]


def test_no_argument_is_refused_for_what_a_parent_declares(launch_file):
    (entities,) = launch_file.generate_launch_description().arguments
    declared = [entity for entity in entities if type(entity).__name__ == 'DeclareLaunchArgument']
    assert {argument.arguments[0] for argument in declared} == set(DEFAULTS)
    for argument in declared:
        assert 'choices' not in argument.named
