"""Start a simulated camera that plays a game, and the observer that follows it."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    """Describe the simulated camera and include the observer."""
    share = get_package_share_directory('chess_observer')
    namespace = LaunchConfiguration('namespace')
    params_file = LaunchConfiguration('params_file')
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of camera and observer.'),
        DeclareLaunchArgument(
            'params_file', default_value=os.path.join(share, 'params', 'observer.yaml'),
            description='Parameter file of the observer.'),
        DeclareLaunchArgument(
            'pgn', default_value=os.path.join(share, 'games', 'classics.pgn'),
            description='File with the game to play.'),
        DeclareLaunchArgument(
            'scene', default_value='',
            description='Scene file (TOML); empty is the default scene.'),
        DeclareLaunchArgument(
            'seed', default_value='1',
            description='Seed of everything that chance decides.'),
        DeclareLaunchArgument(
            'display', default_value='false',
            description='Start the display as well: the boards as web pages.'),
        DeclareLaunchArgument(
            'display_port', default_value='8080',
            description='Port of the display on this machine.'),
        Node(
            package='chess_observer',
            executable='simulator_node',
            name='chess_simulator',
            namespace=namespace,
            output='screen',
            parameters=[{
                'pgn': LaunchConfiguration('pgn'),
                'scene': LaunchConfiguration('scene'),
                'seed': LaunchConfiguration('seed'),
            }],
            # Pictures above 512 KB do not fit into Fast DDS's usual shared memory.
            additional_env={'FASTRTPS_DEFAULT_PROFILES_FILE':
                            os.path.join(share, 'params', 'fastdds_large_images.xml')},
        ),
        Node(
            package='chess_observer',
            executable='display_node',
            name='chess_display',
            output='screen',
            parameters=[params_file, {'port': LaunchConfiguration('display_port')}],
            condition=IfCondition(LaunchConfiguration('display')),
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(os.path.join(share, 'launch', 'observer.launch.py')),
            launch_arguments={'namespace': namespace, 'params_file': params_file}.items(),
        ),
    ])
