"""Nav2 with a memory beside it.

    ros2 launch nav2_with_memory.launch.py map:=/path/to/map.yaml use_sim_time:=False
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare


def included(package, *path, **arguments):
    """Include a launch file of a package, with these arguments."""
    file = PathJoinSubstitution([FindPackageShare(package), *path])
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(file), launch_arguments=list(arguments.items())
    )


def generate_launch_description():
    use_sim_time = LaunchConfiguration('use_sim_time')
    return LaunchDescription([
        DeclareLaunchArgument('map', description='The map of Nav2: a YAML file.'),
        DeclareLaunchArgument('use_sim_time', default_value='False', description='Time from /clock.'),
        DeclareLaunchArgument('store_path', default_value='', description='File of the memory store.'),
        DeclareLaunchArgument(
            'memory_params_file',
            default_value=str(Path(__file__).parent / 'memory.yaml'),
            description='Parameters of robot_memory.',
        ),
        included(
            'nav2_bringup',
            'launch',
            'bringup_launch.py',
            map=LaunchConfiguration('map'),
            use_sim_time=use_sim_time,
        ),
        included(
            'robot_memory',
            'launch',
            'memory.launch.py',
            params_file=LaunchConfiguration('memory_params_file'),
            store_path=LaunchConfiguration('store_path'),
            use_sim_time=use_sim_time,
        ),
    ])
