"""The launch file takes what people and other launch files write.

The packages `launch` and `launch_ros` are not among the wheels: stand-ins take their place, which keep what
the file asks of them. Where the packages are installed, the file is also launched.
"""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from conftest import WAIT_SECS_MAX, Client, is_installed

ROOT = Path(__file__).parents[2]
LAUNCH_FILE = ROOT / 'launch' / 'memory.launch.py'
NAV2_LAUNCH_FILE = ROOT / 'examples' / 'nav2' / 'nav2_with_memory.launch.py'
DEFAULTS = {
    'namespace': '',
    'params_file': '/shipped/memory.yaml',
    'store_path': '',
    'use_sim_time': '',
    'managed': 'false',
    'autostart': '',
    'http': '',
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
def load(monkeypatch):
    """Loads a launch file as a module, on stand-ins."""
    parts = {
        'launch': ['LaunchDescription'],
        'launch.actions': ['DeclareLaunchArgument', 'IncludeLaunchDescription', 'OpaqueFunction'],
        'launch.launch_description_sources': ['PythonLaunchDescriptionSource'],
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

    def load_file(path):
        spec = importlib.util.spec_from_file_location(path.name.replace('.', '_'), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load_file


@pytest.fixture
def launch_file(load):
    """The launch file of the node."""
    return load(LAUNCH_FILE)


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


def http_of(launch_file, **given):
    """The parameters for HTTP that these arguments give."""
    parameters = node_of(launch_file, **given).parameters
    address = parameters.get('http_address')
    if address is not None:
        # An address is a text, whatever it looks like.
        assert address.named == {'value_type': str}
        address = address.arguments[0]
    return address, parameters.get('http_login_link')


def test_http_is_switched_on_with_its_link(launch_file, tmp_path):
    assert http_of(launch_file) == (None, None)
    for text in ('true', 'True', '1', '"yes"'):
        assert http_of(launch_file, http=text) == ('127.0.0.1:8080', True)
    assert http_of(launch_file, http='0.0.0.0:9000') == ('0.0.0.0:9000', True)
    assert http_of(launch_file, http='false') == ('', None)
    with pytest.raises(ValueError, match="http: true, false or an address as .*, not 'maybe'"):
        http_of(launch_file, http='maybe')
    # An address in the file holds, under whatever name of the node; an empty one does not.
    params_file = tmp_path / 'memory.yaml'
    params_file.write_text("/**:\n  memory:\n    ros__parameters:\n      http_address: 'robot.lab:80'\n")
    assert http_of(launch_file, http='true', params_file=str(params_file)) == ('robot.lab:80', True)
    assert http_of(launch_file, params_file=str(params_file)) == (None, None)
    params_file.write_text("/**:\n  ros__parameters:\n    http_address: ''\n")
    assert http_of(launch_file, http='on', params_file=str(params_file))[0] == '127.0.0.1:8080'
    params_file.write_text('[: no YAML')
    assert http_of(launch_file, http='on', params_file=str(params_file))[0] == '127.0.0.1:8080'


def declared_by(module):
    """The arguments that a launch file declares."""
    (entities,) = module.generate_launch_description().arguments
    return [entity for entity in entities if type(entity).__name__ == 'DeclareLaunchArgument']


def test_no_argument_is_refused_for_what_a_parent_declares(launch_file):
    declared = declared_by(launch_file)
    assert {argument.arguments[0] for argument in declared} == set(DEFAULTS)
    for argument in declared:
        assert 'choices' not in argument.named


def test_the_namespace_and_the_store_reach_the_node(launch_file):
    (node,) = launch_file.memory_node(DEFAULTS | {'namespace': 'left_arm', 'store_path': '/tmp/1.db'})
    assert node.named['namespace'].arguments == ('namespace',)
    # A path of digits is a text, too.
    store_path = node.named['parameters'][1]['store_path']
    assert (store_path.arguments, store_path.named) == (('/tmp/1.db',), {'value_type': str})


def test_the_profile_of_fast_dds_is_ours_unless_one_is_chosen(launch_file, monkeypatch):
    for name in launch_file.PROFILE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (node,) = launch_file.memory_node(DEFAULTS)
    assert list(node.named['additional_env']) == ['FASTRTPS_DEFAULT_PROFILES_FILE']
    monkeypatch.setenv('FASTDDS_DEFAULT_PROFILES_FILE', '/own.xml')
    (node,) = launch_file.memory_node(DEFAULTS)
    assert node.named['additional_env'] == {}


def test_the_example_for_nav2_passes_what_the_launch_file_declares(load):
    example = load(NAV2_LAUNCH_FILE)
    (entities,) = example.generate_launch_description().arguments
    own = {argument.arguments[0]: argument.named for argument in declared_by(example)}
    assert Path(own['memory_params_file']['default_value']).is_file()
    included = [entity for entity in entities if type(entity).__name__ == 'IncludeLaunchDescription']
    paths = [include.arguments[0].arguments[0].arguments[0][-1] for include in included]
    assert paths == ['bringup_launch.py', LAUNCH_FILE.name]
    for include in included:
        for _, value in include.named['launch_arguments']:
            assert value.arguments[0] in own
    assert {name for name, _ in included[1].named['launch_arguments']} <= set(DEFAULTS)


def test_the_launch_file_is_launched(ros_node, tmp_path):
    pytest.importorskip('launch_ros', reason='launch_ros is not installed')
    if not is_installed('robot_memory'):
        pytest.skip('the package is built, but not installed')
    program = f'''
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

arguments = [argument.split(':=', 1) for argument in sys.argv[1:]]
service = LaunchService()
source = PythonLaunchDescriptionSource({str(LAUNCH_FILE)!r})
included = IncludeLaunchDescription(source, launch_arguments=arguments)
service.include_launch_description(LaunchDescription([included]))
sys.exit(service.run())
'''
    store = tmp_path / 'memory.db'
    command = [sys.executable, '-c', program, f'store_path:={store}', 'namespace:=left_arm', 'log_level:=WARN']
    client = Client(ros_node, '/left_arm/robot_memory')
    environment = os.environ | {'ROS_HOME': str(tmp_path), 'ROS_LOG_DIR': str(tmp_path)}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
    )
    try:
        client.wait_until_ready()
        assert store.is_file()
        # As Ctrl-C does, to each process of the group: launch leaves that to the terminal.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(WAIT_SECS_MAX) == 0
    finally:
        client.close()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(5.0)
