"""Reads a PGN file with python-chess and prints each game's moves as UCI, one game a line.

usage: read_pgn.py FILE
"""

import sys

import chess.pgn

with open(sys.argv[1], encoding="utf-8") as file:
    while (game := chess.pgn.read_game(file)) is not None:
        assert not game.errors, game.errors
        print(game.headers["Result"], *(move.uci() for move in game.mainline_moves()))
