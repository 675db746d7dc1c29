"""Start the observer: pictures in; moves, PGN, position and warnings out."""

from chess_observer_launch import OBSERVER, PARAMETERS, declare, path, players, text
from launch import LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def observer(context):
    """Start the node with what the arguments say; those that are empty leave it to the parameter file."""
    given = {parameter: text(context, name) for name, parameter in PARAMETERS.items()}
    given.update(zip(('game.white', 'game.black'), players(text(context, 'players'))))
    image_topic = text(context, 'image_topic')
    return [Node(
        package='chess_observer',
        executable='observer_node',
        name='chess_observer',
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=2.0,
        parameters=[
            path(context, 'params_file'),
            # A name such as "1" or "no" stays a text.
            {name: ParameterValue(value, value_type=str) for name, value in given.items() if value},
            {name: ParameterValue(LaunchConfiguration(name), value_type=bool) for name in ('use_sim_time', 'lifecycle')},
        ],
        remappings=[
            ('image_raw', image_topic),
            # A remapped base name does not reach what lies below it.
            ('image_raw/compressed', f'{image_topic}/compressed'),
            ('camera_info', LaunchConfiguration('camera_info_topic')),
        ],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
    )]


def generate_launch_description():
    """Describe the node and its arguments."""
    return LaunchDescription([*declare(__file__, OBSERVER), OpaqueFunction(function=observer)])
