"""Start one observer for each of several boards, each in a namespace of its own.

The camera of board_1 publishes on /board_1/image_raw and /board_1/camera_info, and so on; the moves of that board are on
/board_1/moves.
"""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def observers(context):
    """Include the observer once for each board named in the arguments."""
    share = get_package_share_directory('chess_observer')
    source = os.path.join(share, 'launch', 'observer.launch.py')
    boards = LaunchConfiguration('boards').perform(context).split()
    return [
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(source),
            launch_arguments={
                'namespace': board,
                'params_file': LaunchConfiguration('params_file'),
                'respawn': LaunchConfiguration('respawn'),
            }.items(),
        )
        for board in boards
    ]


def generate_launch_description():
    """Describe the arguments and the observers."""
    share = get_package_share_directory('chess_observer')
    return LaunchDescription([
        DeclareLaunchArgument(
            'boards', default_value='board_1 board_2',
            description='Namespaces of the boards, separated by spaces.'),
        DeclareLaunchArgument(
            'params_file', default_value=os.path.join(share, 'params', 'observer.yaml'),
            description='Parameter file of all observers.'),
        DeclareLaunchArgument(
            'respawn', default_value='true',
            description='Start an observer again when it ends by itself.'),
        DeclareLaunchArgument(
            'display', default_value='false',
            description='Start the display as well: the boards as web pages.'),
        DeclareLaunchArgument(
            'display_port', default_value='8080',
            description='Port of the display on this machine.'),
        Node(
            package='chess_observer',
            executable='display_node',
            name='chess_display',
            output='screen',
            parameters=[LaunchConfiguration('params_file'), {'port': LaunchConfiguration('display_port')}],
            condition=IfCondition(LaunchConfiguration('display')),
        ),
        OpaqueFunction(function=observers),
    ])
