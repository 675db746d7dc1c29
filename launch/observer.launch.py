"""Start the observer: pictures in; moves, PGN, position and warnings out."""

from chess_observer_launch import OBSERVER, PARAMETERS, declare, players, text, texts, watching
from launch import LaunchDescription
from launch.actions import OpaqueFunction


def observer(context):
    """Start the node with what the arguments say; those that are empty leave it to the parameter file."""
    given = {parameter: text(context, name) for name, parameter in PARAMETERS.items()}
    given.update(zip(('game.white', 'game.black'), players(text(context, 'players'))))
    return [watching(context, 'observer_node', 'chess_observer', texts(**given))]


def generate_launch_description():
    """Describe the node and its arguments."""
    return LaunchDescription([*declare(__file__, OBSERVER), OpaqueFunction(function=observer)])
