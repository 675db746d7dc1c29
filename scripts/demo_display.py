#!/usr/bin/env python3
"""An arbiter's display in a terminal: prints moves and warnings as they come, and at the end compares with the game.

Usage: demo_display.py GAMES.pgn NUMBER [LOG=PID...]     (programs that must run all the while, and what they print to)
"""

import io
import os
import pathlib
import sys
import time

import chess.pgn
import rclpy
from chess_observer.msg import Move, Warning
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from std_msgs.msg import Bool, String

# How long the observer may think after the last picture of the last move.
PATIENCE_S = 15.0


def ucis(text, number=1):
    """Read the games up to this one, 1 for the first; return its moves."""
    games = io.StringIO(text)
    for _ in range(number):
        game = chess.pgn.read_game(games)
    if game is None:
        sys.exit(f'no game {number} in {sys.argv[1]}')
    return [move.uci() for move in game.mainline_moves()]


def ended(program):
    """Return what the program LOG=PID said last if it runs no more, else nothing."""
    log, pid = program.rsplit('=', 1)
    if os.path.exists(f'/proc/{pid}'):
        return None
    said = pathlib.Path(log).read_text(encoding='utf-8', errors='replace').split('\n')
    return f'{pathlib.Path(log).stem} has ended: {next((line for line in reversed(said) if line), "it said nothing")}'


def main():
    """Follow one game; return 0 when it was followed without a fault."""
    with open(sys.argv[1], encoding='utf-8') as file:
        truth = ucis(file.read(), int(sys.argv[2]))
    rclpy.init()
    node = rclpy.create_node('chess_display')
    state = {'pgn': '', 'finished': None, 'begun': None}

    def on_move(move):
        state['begun'] = state['begun'] or time.monotonic()
        seconds = time.monotonic() - state['begun']
        number = f'{(move.ply + 1) // 2}{"." if move.ply % 2 else "..."}'
        note = {Move.KIND_NEW: f'{100 * move.confidence:.1f} % sure',
                Move.KIND_REVISED: f'was {move.was}',
                Move.KIND_TAKEN_BACK: 'taken back'}[move.kind]
        print(f'  {seconds:6.1f} s  ply {move.ply:3}/{len(truth)}  {number:>6} {move.san:8} {note}', flush=True)

    def on_warning(warning):
        print(f'            {warning.text}', flush=True)

    def on_finished(message):
        if message.data and state['finished'] is None:
            state['finished'] = time.monotonic()

    latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(Move, 'moves', on_move, 50)
    node.create_subscription(Warning, 'warnings', on_warning, 50)
    node.create_subscription(String, 'pgn', lambda m: state.update(pgn=m.data), latched)
    node.create_subscription(Bool, 'chess_simulator/finished', on_finished, latched)
    begun = time.monotonic()
    try:
        while True:
            rclpy.spin_once(node, timeout_sec=0.1)
            if state['pgn'] and ucis(state['pgn']) == truth:
                break
            if state['finished'] and time.monotonic() - state['finished'] > PATIENCE_S:
                break
            for why in filter(None, map(ended, sys.argv[3:])):
                print(why, file=sys.stderr)
                return 1
            if not state['begun'] and time.monotonic() - begun > 60:
                print('no move in 60 s: is the simulator running?', file=sys.stderr)
                return 1
    except KeyboardInterrupt:
        return 130

    followed = ucis(state['pgn']) if state['pgn'] else []
    print(f'\n{state["pgn"]}')
    if followed == truth:
        print(f'The PGN equals the game played: {len(truth)} plies of {len(truth)}.')
        return 0
    first = next((i for i, (a, b) in enumerate(zip(followed, truth)) if a != b), min(len(followed), len(truth)))
    print(f'The PGN differs from the game played, first at ply {first + 1} of {len(truth)}.')
    return 1


if __name__ == '__main__':
    sys.exit(main())
