"""What the launch files of chess_observer share: the arguments of the observer, and checks that `ros2 launch` does not make."""

import difflib
import os
import sys

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

SHARE = get_package_share_directory('chess_observer')
# Pictures above 512 KB do not fit into Fast DDS's usual shared memory: for whoever publishes them.
LARGE_PICTURES = {'FASTRTPS_DEFAULT_PROFILES_FILE': os.path.join(SHARE, 'params', 'fastdds_large_images.xml')}

# Arguments of the observer: default and description. Every launch file passes them on.
OBSERVER = {
    'namespace': ('', 'Namespace of the node; one for each board.'),
    'params_file': (os.path.join(SHARE, 'params', 'observer.yaml'), 'Parameter file.'),
    'image_topic': ('image_raw', 'Topic with pictures; compressed ones are expected at <image_topic>/compressed.'),
    'image_transport': ('', 'auto, raw or compressed; empty is as the parameter file says.'),
    'camera_info_topic': ('camera_info', 'Topic with the calibration of the camera; it may be silent.'),
    'pgn_directory': ('', 'Folder for the PGN files; empty is as the parameter file says.'),
    'start_fen': ('', 'Position that the game starts from; empty is as the parameter file says.'),
    'players': ('', "White and Black, as in 'Ada Lovelace - Charles Babbage'; empty is as the parameter file says."),
    'use_sim_time': ('false', 'Follow /clock, for recordings.'),
    'lifecycle': ('false', 'Be a managed node, to be configured and activated from outside.'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
    'respawn': ('true', 'Start the node again when it ends by itself; with pgn_directory the game goes on.'),
}
# Parameters of the observer that an argument of the same meaning sets.
PARAMETERS = {'image_transport': 'image_transport', 'pgn_directory': 'pgn_directory', 'start_fen': 'game.start_fen'}

DISPLAY = {
    'display': ('false', 'Start the display as well: the boards as web pages.'),
    'display_port': ('8080', 'Port of the display on this machine.'),
}


def declare(file, arguments):
    """Describe the arguments of a launch file; the last action refuses those that it does not have."""
    return [
        *[DeclareLaunchArgument(name, description=about, **({} if default is None else {'default_value': default}))
          for name, (default, about) in arguments.items()],
        OpaqueFunction(function=lambda context: check(context, file, arguments)),
    ]


def check(context, file, arguments):
    """Refuse arguments that nobody reads, and a parameter file that is not there."""
    # Only of the file that was asked for: one that includes it has arguments of its own.
    if os.path.basename(file) in [os.path.basename(word) for word in sys.argv]:
        for word in context.argv:
            name = word.partition(':=')[0]
            if ':=' in word and name not in arguments:
                near = difflib.get_close_matches(name, arguments, 1)
                hint = f': did you mean {near[0]!r}?' if near else f'; there are {", ".join(arguments)}'
                raise RuntimeError(f'unknown launch argument {name!r}{hint}')
    if 'params_file' in arguments:
        existing(context, 'params_file')
    return []


def text(context, name):
    """Value of an argument."""
    return LaunchConfiguration(name).perform(context).strip()


def path(context, name):
    """Value of an argument that is a path, with ~ and $NAME expanded."""
    return os.path.expanduser(os.path.expandvars(text(context, name)))


def existing(context, name):
    """Value of an argument that is a file, which must be there; empty where none is given."""
    file = path(context, name)
    if file and not os.path.exists(file):
        raise RuntimeError(f'launch argument {name}: there is no {file}')
    return file


def number(context, name, kind):
    """Value of an argument that is a number."""
    value = text(context, name)
    try:
        return kind(value)
    except ValueError:
        expected = 'a whole number' if kind is int else 'a number'
        raise RuntimeError(f'launch argument {name}: expected {expected}, got {value!r}') from None


def players(given):
    """White and Black, or nobody."""
    if not given:
        return []
    names = [name.strip() for name in given.split(' - ')]
    if len(names) != 2 or not all(names):
        raise RuntimeError(f"launch argument players: expected 'White - Black', got {given!r}")
    return names


def observer(**given):
    """Include the observer; what is not given has the value of the argument of the same name."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(os.path.join(SHARE, 'launch', 'observer.launch.py')),
        launch_arguments=[(name, given.get(name, LaunchConfiguration(name))) for name in OBSERVER],
    )


def display():
    """Start the display, where it is asked for."""
    def start(context):
        return [Node(
            package='chess_observer',
            executable='display_node',
            name='chess_display',
            output='screen',
            parameters=[path(context, 'params_file'), {'port': number(context, 'display_port', int)}],
        )]
    return OpaqueFunction(function=start, condition=IfCondition(LaunchConfiguration('display')))
