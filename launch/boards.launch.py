"""Start one observer for each of several boards, each in a namespace of its own.

The camera of board_1 publishes on /board_1/image_raw and /board_1/camera_info, and so on; the moves of that board are on
/board_1/moves.
"""

from chess_observer_launch import ACCOUNT, DISPLAY, OBSERVER, declare, display, observer, text
from launch import LaunchDescription
from launch.actions import OpaqueFunction

# The namespace is the board's, and every board has players of its own: in sections of the parameter file.
SHARED = {name: about for name, about in OBSERVER.items() if name not in ('namespace', 'players', 'start_fen')}
ARGUMENTS = {
    'boards': ('board_1 board_2', 'Namespaces of the boards, separated by spaces.'),
    **SHARED,
    **DISPLAY,
    **ACCOUNT,
}


def observers(context):
    """Include the observer once for each board named in the arguments."""
    boards = text(context, 'boards').split()
    if not boards or len(set(boards)) < len(boards):
        raise RuntimeError(f'launch argument boards: expected different names, separated by spaces, got {" ".join(boards)!r}')
    return [observer(namespace=board, players='', start_fen='') for board in boards]


def generate_launch_description():
    """Describe the arguments and the observers."""
    return LaunchDescription([*declare(__file__, ARGUMENTS), display(), OpaqueFunction(function=observers)])
