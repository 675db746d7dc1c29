#!/usr/bin/env python3
"""A robot that plays against the observer: it hears its opponent's moves, announces its own, and moves a man with its arm.

    ros2 launch chess_observer simulation.launch.py
    ros2 run chess_observer robot_arm.py --ros-args -p replies:="e7e5 d7d6 c8g4 g4f3"

The arm is a stand-in that says what it would do: put yours in its place. It knows moves and captures; the rook of a castling, the
pawn taken en passant and the man that a pawn becomes are left to you. In the simulation another hand carries the moves out,
so the replies are those of the game that is played there.
"""

import sys

import rclpy
from chess_observer.msg import Move
from chess_observer.srv import ExpectMove, SquarePose
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

# Where captured men go: a column beside the board, left of the a-file, in squares from a1's corner.
BESIDE = -1.0


class StandInArm:
    """Says where its hand goes, in the board's frame. A real arm asks tf2 for that frame and plans a way there."""

    def __init__(self, log):
        self.log = log

    def carry(self, what, start, goal):
        """Take what stands at one pose to another."""
        at = [f'{p.x:.3f} {p.y:.3f} {p.z:.3f}' for p in (start.pose.position, goal.pose.position)]
        self.log.info(f'arm: {what} from {at[0]} to {at[1]} m in {start.header.frame_id}')


class Robot(Node):
    """Plays one colour."""

    def __init__(self, **options):
        super().__init__('chess_robot', **options)
        self.white = self.declare_parameter('white', False).value
        self.replies = self.declare_parameter('replies', '').value.split()
        observer = self.declare_parameter('observer', 'chess_observer').value
        self.arm, self.captured, self.due = StandInArm(self.get_logger()), 0, set()
        # Answers come while a move is being heard: in one group with the subscription they would wait for its end.
        answers = MutuallyExclusiveCallbackGroup()
        self.expect = self.create_client(ExpectMove, f'{observer}/expect_move', callback_group=answers)
        self.where = self.create_client(SquarePose, f'{observer}/square_pose', callback_group=answers)
        self.create_subscription(Move, 'moves', self.on_move, 50)

    async def on_move(self, move):
        """Hear a move, the robot's own ones as well."""
        if move.kind != Move.KIND_NEW:
            # A careful robot stops its arm here, and reads where things stand from `position`.
            self.get_logger().warn(f'ply {move.ply} is no longer what it was: the position is {move.fen}')
            return
        if move.ply in self.due:
            self.due.discard(move.ply)
            words = {Move.EXPECTED_YES: 'as planned', Move.EXPECTED_UNSEEN: 'on my word: the arm hides it'}
            word = words.get(move.expected, 'NOT as planned')
            self.get_logger().info(f'my {move.san} is recorded, {word}')
        if (move.fen.split()[1] == 'w') == self.white and self.replies:
            await self.play(self.replies.pop(0), move.ply + 1)

    async def play(self, uci, ply):
        """Announce a move and carry it out."""
        told = await self.expect.call_async(ExpectMove.Request(move=uci))
        if not told.success:
            self.get_logger().error(f'{uci} cannot be played: {told.message}')
            return
        self.due.add(ply)
        self.get_logger().info(f'I play {told.san}')
        start, goal = [await self.where.call_async(SquarePose.Request(square=s)) for s in (uci[:2], uci[2:4])]
        if goal.man:
            beside = await self.where.call_async(SquarePose.Request(square=f'a{1 + self.captured % 8}'))
            side = 2 * beside.pose.pose.position.x
            beside.pose.pose.position.x, beside.pose.pose.position.z = BESIDE * side, goal.man_height_m
            self.captured += 1
            self.arm.carry(f'captured {goal.man}', goal.pose, beside.pose)
        # He stands on the board there, not on top of who stood there before.
        goal.pose.pose.position.z = start.man_height_m
        self.arm.carry(start.man, start.pose, goal.pose)


def main():
    """Play until Ctrl-C."""
    rclpy.init(args=sys.argv)
    robot, executor = Robot(), SingleThreadedExecutor()
    executor.add_node(robot)
    try:
        # In one second at most: a signal that comes while the executor looks away wakes nobody.
        while rclpy.ok():
            executor.spin_once(timeout_sec=1.0)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        robot.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
