"""Start the observer of a Go board, with a camera beside it where a driver is named: pictures in; plays, SGF and warnings out."""

import os

from chess_observer_launch import (
    CAMERA, DISPLAY, OBSERVER, SHARE, camera, declare, display_alone, number, players, text, texts, watching,
)
from launch import LaunchDescription
from launch.actions import OpaqueFunction

# What means the same as for chess.
SHARED = {name: OBSERVER[name] for name in (
    'namespace', 'image_topic', 'image_transport', 'camera_info_topic', 'use_sim_time', 'lifecycle', 'log_level')}
ARGUMENTS = {
    **SHARED,
    'params_file': (os.path.join(SHARE, 'params', 'go.yaml'), 'Parameter file.'),
    'sgf_directory': ('', 'Folder for the SGF files; empty is as the parameter file says.'),
    'size': ('', 'Lines of the board, 5 to 25, or 0 for 19, 13 or 9 as it shows; empty is as the parameter file says.'),
    'rules': ('', 'Japanese, Korean, Chinese, AGA, NZ or Tromp-Taylor; empty is as the parameter file says.'),
    'players': ('', "Black and White, as in 'Ann - Bo'; empty is as the parameter file says."),
    'respawn': ('true', 'Start the node again when it ends by itself; what was played until then keeps its SGF.'),
    **CAMERA,
    'driver': ('', 'Package of a camera to start: usb_cam, v4l2_camera or camera_ros; empty is a camera that runs already.'),
    **{name: DISPLAY[name] for name in ('display', 'display_port')},
}


def observer(context):
    """Start the node with what the arguments say; those that are empty leave it to the parameter file."""
    given = {parameter: text(context, name) for name, parameter in (
        ('image_transport', 'image_transport'), ('sgf_directory', 'sgf_directory'), ('rules', 'game.rules'))}
    given.update(zip(('game.black', 'game.white'), players(text(context, 'players'), 'Black - White')))
    size = {'board.size': number(context, 'size', int)} if text(context, 'size') else {}
    return [watching(context, 'go_node', 'go_observer', {**texts(**given), **size})]


def generate_launch_description():
    """Describe the camera, the node and the display."""
    return LaunchDescription([
        *declare(__file__, ARGUMENTS),
        camera(),
        OpaqueFunction(function=observer),
        display_alone(),
    ])
