"""Starts the memory node.

    ros2 launch robot_memory memory.launch.py store_path:=/var/lib/robot_memory/memory.db

Values are taken as people and other launch files write them: an argument that a launch file which
includes this one declares reaches it, too.
"""

import os

import yaml

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import LifecycleNode, Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PROFILE_VARIABLES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')
TRUE = ('true', '1', 'yes', 'on', 'y', 't')
# Where the node answers over HTTP when it is only said that it is to.
HTTP_ADDRESS = '127.0.0.1:8080'
FALSE = ('false', '0', 'no', 'off', 'n', 'f')


def boolean(name, text):
    """Read yes or no in any spelling; None when nothing is said."""
    word = text.strip().strip('"\'').lower()
    if not word:
        return None
    if word not in TRUE + FALSE:
        raise ValueError(f'{name}: true or false, not {text!r}')
    return word in TRUE


def level(text):
    """Read the least severity, for one logger too: `Warning`, `rcl:=DEBUG`; None when nothing is said."""
    logger, found, word = text.strip().rpartition(':=')
    word = {'warning': 'warn', 'critical': 'fatal'}.get(word.lower(), word.lower())
    return f'{logger}{found}{word}' if word else None


def given_address(params_file):
    """Read the address for HTTP that a parameter file gives; empty when it gives none."""
    try:
        with open(params_file, encoding='utf-8') as file:
            nodes = yaml.safe_load(file)
    except (OSError, yaml.YAMLError):
        # The node says what is wrong with it.
        return ''
    addresses = []

    def search(value):
        for name, inner in value.items() if isinstance(value, dict) else ():
            if name == 'ros__parameters' and isinstance(inner, dict):
                addresses.append(inner.get('http_address', ''))
            search(inner)

    search(nodes)
    return next((address for address in addresses if address), '')


def http(text, params_file):
    """Read whether and where the node answers over HTTP: the parameters for it."""
    text = text.strip().strip('"\'')
    if not text:
        return {}
    address = text
    if text.lower() in TRUE + FALSE:
        if not boolean('http', text):
            return {'http_address': ParameterValue('', value_type=str)}
        address = given_address(params_file) or HTTP_ADDRESS
    elif ':' not in text:
        raise ValueError(f'http: true, false or an address as {HTTP_ADDRESS}, not {text!r}')
    return {'http_address': ParameterValue(address, value_type=str), 'http_login_link': True}


def memory_node(context):
    """Make the node; an argument that is left empty leaves the parameter file its say."""

    def value(name):
        return LaunchConfiguration(name).perform(context)

    parameters = [value('params_file')] if value('params_file').strip() else []
    store_path = value('store_path')
    if store_path:
        parameters.append({'store_path': ParameterValue(store_path, value_type=str)})
    use_sim_time = boolean('use_sim_time', value('use_sim_time'))
    if use_sim_time is not None:
        parameters.append({'use_sim_time': use_sim_time})
    is_managed = boolean('managed', value('managed'))
    autostart = boolean('autostart', value('autostart'))
    if autostart is None and is_managed:
        autostart = False
    if autostart is not None:
        parameters.append({'autostart': autostart})
    http_parameters = http(value('http'), value('params_file').strip())
    if http_parameters:
        parameters.append(http_parameters)
    log_level = level(value('log_level'))
    # Room for camera images (docs/sensors.md), unless another profile is chosen.
    profile = PathJoinSubstitution([FindPackageShare('robot_memory'), 'config', 'fastdds.xml'])
    is_chosen = any(name in os.environ for name in PROFILE_VARIABLES)
    # Events of the launch system reach a node of this class by its lifecycle services.
    make_node = LifecycleNode if is_managed else Node
    return [
        make_node(
            package='robot_memory',
            executable='memory_node',
            name='robot_memory',
            namespace=LaunchConfiguration('namespace'),
            parameters=parameters,
            additional_env={} if is_chosen else {PROFILE_VARIABLES[0]: profile},
            ros_arguments=['--log-level', log_level] if log_level else [],
            output='screen',
        )
    ]


def generate_launch_description():
    shipped_params = PathJoinSubstitution(
        [FindPackageShare('robot_memory'), 'config', 'memory.yaml']
    )
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace of the node: one for each robot on a computer.',
        ),
        DeclareLaunchArgument(
            'params_file',
            default_value=shipped_params,
            description='YAML file with the parameters of the node; empty: none.',
        ),
        DeclareLaunchArgument(
            'store_path',
            default_value='',
            description='The SQLite file that holds the memories; empty: as params_file says.',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            description='Take the time from /clock: true or false; empty: as params_file says.',
        ),
        DeclareLaunchArgument(
            'managed',
            default_value='false',
            description='true: a lifecycle manager configures and activates the node.',
        ),
        DeclareLaunchArgument(
            'autostart',
            default_value='',
            description='Whether the node configures and activates itself: true or false; empty: false if '
            'managed, else as params_file says.',
        ),
        DeclareLaunchArgument(
            'http',
            default_value='',
            description=f'Whether the node answers over HTTP: true (at the http_address of params_file, else at '
            f'{HTTP_ADDRESS}; it prints a link to its page), an address, or false; empty: as params_file says.',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            description='The least severe log lines that are shown: debug, info, warn, error, fatal.',
        ),
        OpaqueFunction(function=memory_node),
    ])
