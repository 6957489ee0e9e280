"""Starts the memory node.

    ros2 launch robot_memory memory.launch.py store_path:=/var/lib/robot_memory/memory.db
"""

import os

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PROFILE_VARIABLES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')


def memory_node(context):
    """Make the node; an argument that is left empty leaves the parameter file its say."""
    parameters = [LaunchConfiguration('params_file')]
    store_path = LaunchConfiguration('store_path').perform(context)
    if store_path:
        parameters.append({'store_path': ParameterValue(store_path, value_type=str)})
    use_sim_time = LaunchConfiguration('use_sim_time').perform(context)
    if use_sim_time:
        parameters.append({'use_sim_time': use_sim_time.lower() == 'true'})
    # Room for camera images (docs/hearing.md), unless another profile is chosen.
    profile = PathJoinSubstitution([FindPackageShare('robot_memory'), 'config', 'fastdds.xml'])
    is_chosen = any(name in os.environ for name in PROFILE_VARIABLES)
    return [
        Node(
            package='robot_memory',
            executable='memory_node',
            name='robot_memory',
            namespace=LaunchConfiguration('namespace'),
            parameters=parameters,
            additional_env={} if is_chosen else {PROFILE_VARIABLES[0]: profile},
            ros_arguments=['--log-level', LaunchConfiguration('log_level')],
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
            description='YAML file with the parameters of the node.',
        ),
        DeclareLaunchArgument(
            'store_path',
            default_value='',
            description='The SQLite file that holds the memories; empty: as params_file says.',
        ),
        DeclareLaunchArgument(
            'use_sim_time',
            default_value='',
            choices=['', 'true', 'false'],
            description='Take the time from /clock; empty: as params_file says.',
        ),
        DeclareLaunchArgument(
            'log_level',
            default_value='info',
            choices=['debug', 'info', 'warn', 'error', 'fatal'],
            description='The least severe log lines that are shown.',
        ),
        OpaqueFunction(function=memory_node),
    ])
