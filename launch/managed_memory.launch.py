"""Starts the memory node and a lifecycle manager of its own, which configures and activates it.

    ros2 launch robot_memory managed_memory.launch.py store_path:=/var/lib/robot_memory/memory.db

A manager deactivates all its nodes when one of them fails: with the manager of the navigation, a memory that
fails would stop the robot. Arguments are those of memory.launch.py. Needs the package nav2_lifecycle_manager.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    launch_file = PathJoinSubstitution(
        [FindPackageShare('robot_memory'), 'launch', 'memory.launch.py']
    )
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace',
            default_value='',
            description='Namespace of the node and its manager.',
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(launch_file),
            launch_arguments={'managed': 'true'}.items(),
        ),
        Node(
            package='nav2_lifecycle_manager',
            executable='lifecycle_manager',
            name='lifecycle_manager_memory',
            namespace=LaunchConfiguration('namespace'),
            parameters=[
                {
                    'autostart': True,
                    'node_names': ['robot_memory'],
                    # The store of a robot that was switched off may have to be checked first.
                    'service_timeout': 30.0,
                }
            ],
            output='screen',
        ),
    ])
