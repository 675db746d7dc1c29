"""Reads an SGF file with sgfmill and prints size, handicap stones, plays of the main line, and the last board.

usage: read_sgf.py FILE
"""

import json
import sys

from sgfmill import sgf, sgf_moves

with open(sys.argv[1], "rb") as file:
    game = sgf.Sgf_game.from_bytes(file.read())
board, plays = sgf_moves.get_setup_and_moves(game)
setup = sorted(point for _, point in board.list_occupied_points())
for colour, move in plays:
    if move is not None:
        board.play(*move, colour)
stones = sorted([colour, row, column] for colour, (row, column) in board.list_occupied_points())
comments = [node.get("C") for node in game.get_main_sequence() if node.has_property("C")]
print(json.dumps({"size": game.get_size(), "setup": setup, "plays": plays, "stones": stones, "comments": comments}))
