"""Start the observer: pictures in; moves, PGN, position and warnings out."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node


def generate_launch_description():
    """Describe the node and its arguments."""
    share = get_package_share_directory('chess_observer')
    image_topic = LaunchConfiguration('image_topic')
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of the node; one for each board.'),
        DeclareLaunchArgument(
            'params_file', default_value=os.path.join(share, 'params', 'observer.yaml'),
            description='Parameter file.'),
        DeclareLaunchArgument(
            'image_topic', default_value='image_raw',
            description='Topic with pictures; compressed ones are expected at <image_topic>/compressed.'),
        DeclareLaunchArgument(
            'camera_info_topic', default_value='camera_info',
            description='Topic with the calibration of the camera; it may be silent.'),
        DeclareLaunchArgument(
            'use_sim_time', default_value='false',
            description='Follow /clock, for recordings.'),
        DeclareLaunchArgument(
            'log_level', default_value='info',
            description='debug, info, warn, error or fatal.'),
        DeclareLaunchArgument(
            'respawn', default_value='true',
            description='Start the node again when it ends by itself; with pgn_directory the game goes on.'),
        Node(
            package='chess_observer',
            executable='observer_node',
            name='chess_observer',
            namespace=LaunchConfiguration('namespace'),
            output='screen',
            respawn=LaunchConfiguration('respawn'),
            respawn_delay=2.0,
            parameters=[
                LaunchConfiguration('params_file'),
                {'use_sim_time': LaunchConfiguration('use_sim_time')},
            ],
            remappings=[
                ('image_raw', image_topic),
                # A remapped base name does not reach what lies below it.
                ('image_raw/compressed', PathJoinSubstitution([image_topic, 'compressed'])),
                ('camera_info', LaunchConfiguration('camera_info_topic')),
            ],
            arguments=['--ros-args', '--log-level', LaunchConfiguration('log_level')],
        ),
    ])
