"""Boards without observers, for tests: topics that say what observers would say."""

import chess
from chess_observer.msg import Board, Move, Position, Warning
from conftest import LATCHED, START_FEN
from std_msgs.msg import String


class Stage:
    """Boards without observers: says on their topics what observers would say."""

    def __init__(self, client, names):
        self.client, self.boards = client, {}
        for name in names:
            self.add(name)

    def add(self, name):
        make = self.client.node.create_publisher
        base = f'/{name}' if name else ''
        self.boards[name] = (
            make(Position, f'{base}/position', LATCHED), make(String, f'{base}/pgn', LATCHED),
            make(Move, f'{base}/moves', 50), make(Warning, f'{base}/warnings', 50), make(Board, f'{base}/board', LATCHED))

    def remove(self, name):
        for publisher in self.boards.pop(name):
            self.client.node.destroy_publisher(publisher)

    def position(self, name, fen=START_FEN, ply=0, illegal=False):
        self.boards[name][0].publish(Position(fen=fen, ply=ply, illegal=illegal))

    def game(self, name, pgn):
        self.boards[name][1].publish(String(data=pgn))

    def play(self, name, moves, start=START_FEN, headers='', result='*', confidence=0.99, told=True):
        """Say that this line of moves (SAN) stands on the board: as an observer does, the move first."""
        board = chess.Board(start)
        line = []
        for san in moves:
            line.append(board.push_san(san))
        if told and line:
            before = board.copy()
            last = before.pop()
            move = Move(kind=Move.KIND_NEW, ply=len(line), uci=last.uci(), san=before.san(last), fen=board.fen(), confidence=confidence)
            self.boards[name][2].publish(move)
        self.position(name, board.fen(), len(line))
        numbered = chess.Board(start).variation_san(line) if line else ''
        self.game(name, f'{headers}[Result "{result}"]\n\n{numbered} {result}\n')

    def warn(self, name, kind, text, squares=()):
        self.boards[name][3].publish(Warning(kind=kind, text=text, squares=list(squares), fen=START_FEN))
