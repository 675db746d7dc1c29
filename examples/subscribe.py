#!/usr/bin/env python3
"""Hears an observer: prints every move and warning as it comes, and the game as PGN when it is over.

    ros2 launch chess_observer simulation.launch.py
    ros2 run chess_observer subscribe.py

For a board in a namespace add `--ros-args -r __ns:=/board_1`. What the messages hold: docs/reference.md.
"""

import sys

import rclpy
from chess_observer.msg import Move, Warning
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

# Moves and warnings come one by one.
EACH = QoSProfile(depth=50)
# The game is kept for those who come late.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Listener(Node):
    """Prints what the observer tells."""

    def __init__(self):
        super().__init__('chess_listener')
        self.create_subscription(Move, 'moves', self.on_move, EACH)
        self.create_subscription(Warning, 'warnings', self.on_warning, EACH)
        self.create_subscription(String, 'pgn', self.on_pgn, LATCHED)

    def on_move(self, move):
        """Tell a move, or that an earlier one no longer stands as it was told."""
        if move.kind == Move.KIND_TAKEN_BACK:
            print(f'ply {move.ply} was taken back', flush=True)
        elif move.kind == Move.KIND_REVISED:
            print(f'ply {move.ply} was {move.san}, not {move.was}', flush=True)
        else:
            print(f'ply {move.ply}: {move.san}, {100 * move.confidence:.1f} % sure', flush=True)

    def on_warning(self, warning):
        """Tell what a player or an arbiter should look at."""
        print(warning.text, flush=True)

    def on_pgn(self, pgn):
        """Print the game once it is over. Every message has the whole game; its last word is the result, `*` for none."""
        if not pgn.data.rstrip().endswith('*'):
            print(pgn.data, flush=True)


def main():
    """Listen until Ctrl-C."""
    rclpy.init(args=sys.argv)
    listener, executor = Listener(), SingleThreadedExecutor()
    executor.add_node(listener)
    try:
        # In one second at most: a signal that comes while the executor looks away wakes nobody.
        while rclpy.ok():
            executor.spin_once(timeout_sec=1.0)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        listener.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
