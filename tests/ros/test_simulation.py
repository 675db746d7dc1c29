"""A whole game over the real graph: the simulated camera plays it, the observer follows it."""

import io
import signal

import chess.pgn
import pytest
from chess_observer.msg import Board, Move, Position, Warning
from chess_observer.srv import CorrectMove, SavePgn, TakeBack
from conftest import LATCHED
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

# Captures, en passant and both sides castling.
GAME = '1. e4 a6 2. e5 d5 3. exd6 exd6 4. Nf3 Be7 5. Be2 Nf6 6. O-O O-O *'
# Short pauses: a test has no time to think.
SCENE = '[pace]\nrest_min_s = 1.2\nrest_max_s = 1.4\n'


def ucis(pgn):
    """Read a game; return its moves."""
    return [move.uci() for move in chess.pgn.read_game(io.StringIO(pgn)).mainline_moves()]


@pytest.fixture
def files(tmp_path):
    """Write game and scene; return their paths."""
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text(GAME)
    scene.write_text(SCENE)
    return game, scene


def test_a_game_is_followed_to_its_end(start, client, files, tmp_path):
    moves = client.listen(Move, 'moves')
    warnings = client.listen(Warning, 'warnings')
    boards = client.listen(Board, 'board', LATCHED)
    transforms = client.listen(TFMessage, '/tf')
    finished = client.listen(Bool, 'chess_simulator/finished', LATCHED)
    folder = tmp_path / 'games'
    observer = start(pgn_directory=folder, game__white='Ada', square_size_m=0.05)
    start('simulator_node', pgn=files[0], scene=files[1])

    truth = ucis(GAME)
    client.wait_for(lambda: finished, 180, 'the end of the film')
    client.wait_for(lambda: sum(m.kind == Move.KIND_NEW for m in moves) >= len(truth), 20, 'the last move')

    # The moves, one by one, each with the header of a picture and the position after it.
    played = [m for m in moves if m.kind == Move.KIND_NEW]
    assert [m.uci for m in played] == truth
    assert [m.ply for m in played] == list(range(1, len(truth) + 1))
    board = chess.Board()
    for m in played:
        assert m.san == board.san(chess.Move.from_uci(m.uci))
        board.push_uci(m.uci)
        assert m.fen.split()[0] == board.board_fen()
        assert m.header.frame_id == 'camera_optical' and 0.5 <= m.confidence <= 1.0
    stamps = [m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec for m in played]
    assert stamps == sorted(set(stamps))
    assert not [w.text for w in warnings if w.kind == Warning.KIND_ILLEGAL]

    # Who comes now hears how it stands.
    positions = client.listen(Position, 'position', LATCHED)
    games = client.listen(String, 'pgn', LATCHED)
    client.wait_for(lambda: positions and games, what='latched messages')
    assert (positions[-1].ply, positions[-1].fen.split()[0]) == (12, board.board_fen())
    assert ucis(games[-1].data) == truth and '[White "Ada"]' in games[-1].data

    # The board was found, and with the camera's calibration its pose.
    assert boards[-1].state == Board.STATE_LOCKED and boards[-1].pose_source == Board.POSE_CAMERA_INFO
    assert 0 < boards[-1].pose_angle_sd_rad < 0.05 and 0 < boards[-1].pose_distance_sd < 0.02
    assert len(boards[-1].corners) == 8 and len(boards[-1].occupancy) == 192
    transform = transforms[-1].transforms[0]
    assert (transform.header.frame_id, transform.child_frame_id) == ('camera_optical', 'chess_board')
    assert 0.2 < transform.transform.translation.z < 2.0

    # The file was written after every move, without anything left beside it.
    files_there = list(folder.iterdir())
    assert len(files_there) == 1 and ucis(files_there[0].read_text()) == truth
    level, _, values = client.diagnostics('pgn file')
    assert level == 0 and values['path'] == str(files_there[0])

    # People may correct it.
    assert client.call(SetBool, 'chess_observer/pause', data=True).success
    answer = client.call(TakeBack, 'chess_observer/take_back', plies=2)
    assert answer.success and answer.fen.split()[3] == '-'
    client.wait_for(lambda: [m.ply for m in moves if m.kind == Move.KIND_TAKEN_BACK] == [12, 11], what='two plies back')
    assert client.call(CorrectMove, 'chess_observer/correct_move', ply=10, move='Nh6').success
    revised = client.wait_for(lambda: [m for m in moves if m.kind == Move.KIND_REVISED], what='the revision')[-1]
    assert (revised.ply, revised.was, revised.uci, revised.san) == (10, 'g8f6', 'g8h6', 'Nh6')
    answer = client.call(SavePgn, 'chess_observer/save_pgn')
    assert answer.path == str(files_there[0]) and ucis(answer.pgn) == [*truth[:9], 'g8h6']

    code, seconds = observer.stop(signal.SIGINT)
    assert code == 0 and seconds < 5
    assert ucis(files_there[0].read_text()) == [*truth[:9], 'g8h6']


def test_every_square_of_the_start_position_is_told(start, client, tmp_path):
    """Nobody moves for a minute: each square is read by itself, and rightly."""
    boards = client.listen(Board, 'board', LATCHED)
    start()
    scene = tmp_path / 'scene.toml'
    scene.write_text('[pace]\nrest_min_s = 60.0\nrest_max_s = 61.0\n')
    start('simulator_node', scene=scene)
    client.wait_for(lambda: [b for b in boards if b.tracker == Board.TRACKER_FOLLOWING], 60, 'the board')
    client.spin(3.0)
    seen = boards[-1]
    assert [len(part) for part in (seen.changed, seen.reliability, seen.covered)] == [64] * 3
    assert all(0.0 <= p <= 1.0 for p in [*seen.occupancy, *seen.changed, *seen.reliability])
    # a1, b1, ... h8: White on the first two ranks, Black on the last two.
    truth = [1] * 16 + [0] * 32 + [2] * 16
    squares = [list(seen.occupancy[3 * i:3 * i + 3]) for i in range(64)]
    assert all(abs(sum(s) - 1.0) < 1e-3 for s in squares)
    assert [s.index(max(s)) for s in squares] == truth
    assert not any(seen.covered) and max(seen.changed) < 0.5
    # Empty squares in the middle of the board are seen; a board at rest is no news.
    assert min(seen.reliability[24:40]) > 0.2
    told = len(boards)
    client.spin(3.0)
    assert len(boards) - told <= 3
    _, _, values = client.diagnostics('tracker', lambda v: v['squares_covered'] != '')
    assert (values['squares_covered'], values['squares_in_doubt']) == ('0', '0')
    assert 0.0 < float(values['mean_reliability']) <= 1.0 and values['looks_without_board'] == '0'
    # Nothing has changed but noise.
    assert all(0.9 < float(values[f'light_gain_{channel}']) < 1.1 for channel in ('red', 'green', 'blue'))
    assert 0.0 < float(values['noise_levels']) < 6.0


def test_what_keeps_the_simulator_from_starting_is_one_line(start, client, tmp_path):
    simulator = start('simulator_node', pgn='/no/such.pgn')
    assert simulator.process.wait(timeout=20) == 2
    assert 'simulator_node: cannot read /no/such.pgn: No such file' in simulator.said()
