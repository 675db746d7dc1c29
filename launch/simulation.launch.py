"""Start a simulated camera that plays a game, and the observer that follows it."""

import os

from chess_observer_launch import (
    DISPLAY, LARGE_PICTURES, OBSERVER, OPPONENT, SHARE, declare, display, existing, number, observer, opponent,
)
from launch import LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = {
    **{name: about for name, about in OBSERVER.items() if name not in ('image_topic', 'camera_info_topic', 'use_sim_time')},
    'pgn': (os.path.join(SHARE, 'games', 'classics.pgn'), 'File with the game to play.'),
    'game': ('1', 'Which game of that file.'),
    'scene': ('', 'Scene file (TOML); empty is the default scene.'),
    'seed': ('1', 'Seed of everything that chance decides.'),
    'speed': ('1.0', 'Film seconds a second, 0.05 to 20.'),
    **DISPLAY,
    **OPPONENT,
}


def simulator(context):
    """Start the simulated camera."""
    return [Node(
        package='chess_observer',
        executable='simulator_node',
        name='chess_simulator',
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        parameters=[{
            'pgn': ParameterValue(existing(context, 'pgn'), value_type=str),
            'game': number(context, 'game', int),
            'scene': ParameterValue(existing(context, 'scene'), value_type=str),
            'seed': number(context, 'seed', int),
            'speed': number(context, 'speed', float),
        }],
        additional_env=LARGE_PICTURES,
    )]


def generate_launch_description():
    """Describe the simulated camera and include the observer."""
    return LaunchDescription([
        *declare(__file__, ARGUMENTS),
        OpaqueFunction(function=simulator),
        display(),
        opponent(),
        observer(image_topic='image_raw', camera_info_topic='camera_info', use_sim_time='false'),
    ])
