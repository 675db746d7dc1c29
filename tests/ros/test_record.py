"""The record on the graph: moves that were expected, a game that is followed, three modes, and a node that was killed."""

import io
import signal
import subprocess

import chess.pgn
import pytest
from chess_observer.msg import Move, Position, Warning
from chess_observer.srv import ExpectMove, SetPosition
from conftest import LATCHED, RELIABLE, program
from pictures import from_file
from sensor_msgs.msg import Image
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger

SANS = ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'a6']
UCIS = ['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1b5', 'a7a6']
# A small picture from 60 degrees.
SCENE = '[camera]\nwidth = 640\nheight = 480\nelevation_deg = 60.0\n'
# 2026-11-20 14:05:01 UTC.
CLOCK = 1_795_183_501.0


@pytest.fixture(scope='module')
def shots(tmp_path_factory):
    """One picture of each position of the game."""
    folder = tmp_path_factory.mktemp('shots')
    (folder / 'game.pgn').write_text(f'{" ".join(SANS)} *\n')
    (folder / 'scene.toml').write_text(SCENE)
    command = [program('chess_observer'), 'simulate', '--stills', '--pgn', folder / 'game.pgn']
    subprocess.run([*command, '--scene', folder / 'scene.toml', '--out', folder / 'stills'], check=True)
    pictures = sorted((folder / 'stills' / 'frames').glob('*.jpg'))
    assert len(pictures) == 1 + len(SANS)
    return pictures


class Camera:
    """Shows pictures with stamps of its own clock."""

    def __init__(self, client, shots):
        self.client, self.shots, self.now = client, shots, CLOCK
        self.publisher = client.node.create_publisher(Image, 'image_raw', RELIABLE)

    def ready(self, observer):
        """Wait until the node is there and listens."""
        self.client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
        self.client.wait_for(lambda: self.publisher.get_subscription_count() >= 1, what='a subscriber')
        # One that was killed counts for some seconds: time to meet the new one.
        self.client.spin(1.0)

    def show(self, index, until, pictures=60, what='it', step=0.1):
        """Show a picture, ten times a second, until something is true."""
        for _ in range(pictures):
            self.once(index, step)
            if until():
                return
        raise AssertionError(f'showed picture {index} in vain for {what}')

    def once(self, index, step=0.1):
        """Show it once."""
        self.now += step
        self.publisher.publish(from_file(self.shots[index], self.now))
        self.client.spin(0.1)

    def rest(self, index, pictures=10):
        """Show it for a while."""
        for _ in range(pictures):
            self.once(index)


@pytest.fixture
def camera(client, shots):
    """Make a camera."""
    return Camera(client, shots)


def test_a_robot_hears_whether_its_move_was_done_as_planned(start, client, camera):
    moves, warnings = client.listen(Move, 'moves'), client.listen(Warning, 'warnings')
    camera.ready(start())
    camera.rest(0, 15)
    answer = client.call(ExpectMove, '/chess_observer/expect_move', move='Nf6')
    assert not answer.success and 'is not one legal move' in answer.message and answer.uci == ''
    answer = client.call(ExpectMove, '/chess_observer/expect_move', move='d4')
    assert (answer.success, answer.uci, answer.san) == (True, 'd2d4', 'd4')
    camera.show(1, lambda: moves, what='a move')
    assert (moves[0].uci, moves[0].expected) == ('e2e4', Move.EXPECTED_NO)
    said = client.wait_for(lambda: [w for w in warnings if w.kind == Warning.KIND_UNEXPECTED], what='the warning')
    assert (said[0].uci, said[0].expected, list(said[0].squares)) == ('e2e4', 'd2d4', ['e2', 'e4'])
    assert said[0].text == 'd4 was expected, e4 was played.' and said[0].header == moves[0].header
    assert client.call(ExpectMove, '/chess_observer/expect_move', move='e7e5').san == 'e5'
    camera.show(2, lambda: len(moves) == 2, what='the second move')
    assert (moves[1].uci, moves[1].expected) == ('e7e5', Move.EXPECTED_YES)
    # Withdrawn: the next one is a move like any other.
    assert client.call(ExpectMove, '/chess_observer/expect_move', move='Nc3').success
    answer = client.call(ExpectMove, '/chess_observer/expect_move')
    assert (answer.success, answer.uci) == (True, '')
    camera.show(3, lambda: len(moves) == 3, what='the third move')
    assert moves[2].expected == Move.EXPECTED_NOTHING
    assert len([w for w in warnings if w.kind == Warning.KIND_UNEXPECTED]) == 1


# Black's arm lies over the squares of 1... e5 until White has moved again.
ARM = """[camera]
width = 640
height = 480
elevation_deg = 60.0
[pace]
rest_min_s = 5.0
rest_max_s = 5.5
[[resting_hand]]
ply = 1
plies = 2
player = "black"
at = [4.6, 4.4]
height = 0.9
"""


def test_a_robots_move_that_its_arm_hides_is_recorded_on_its_word(start, client, tmp_path):
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text('1. e4 e5 2. Nf3 *')
    scene.write_text(ARM)
    moves = client.listen(Move, 'moves')
    observer = start(game__expect_hidden_after_s=2.0)
    client.wait_for(lambda: ' is ready' in observer.said(), what='the observer')
    start('simulator_node', pgn=game, scene=scene)
    client.wait_for(lambda: moves, 60, 'the first move')
    assert client.call(ExpectMove, '/chess_observer/expect_move', move='e7e5').success
    client.wait_for(lambda: len(moves) == 2, 60, "the robot's move")
    assert (moves[1].uci, moves[1].expected) == ('e7e5', Move.EXPECTED_UNSEEN) and 0.95 < moves[1].confidence < 0.996
    # The arm goes, and nothing has to be said again.
    client.wait_for(lambda: len(moves) == 3, 60, 'the last move')
    assert (moves[2].kind, moves[2].uci, moves[2].expected) == (Move.KIND_NEW, 'g1f3', Move.EXPECTED_NOTHING)


def test_the_first_difference_from_a_given_game_is_told(start, client, camera, tmp_path):
    given = tmp_path / 'given.pgn'
    given.write_text('1. d4 d5 *\n\n1. e4 e5 2. Nf3 Nf6 3. Nxe5 d6 *\n')
    moves, warnings = client.listen(Move, 'moves'), client.listen(Warning, 'warnings')
    camera.ready(start(game__follow_pgn=given, game__follow_number=2))
    camera.rest(0, 15)
    for k in range(1, 6):
        camera.show(k, lambda: len(moves) == k, what=f'move {k}')
    assert [m.uci for m in moves] == UCIS[:5]
    yes, no, nothing = Move.EXPECTED_YES, Move.EXPECTED_NO, Move.EXPECTED_NOTHING
    assert [m.expected for m in moves] == [yes, yes, yes, no, nothing]
    said = [w for w in warnings if w.kind == Warning.KIND_UNEXPECTED]
    assert [(w.uci, w.expected) for w in said] == [('b8c6', 'g8f6')]


def test_a_game_that_cannot_be_followed_keeps_the_node_from_starting(start):
    observer = start(game__follow_pgn='/no/such.pgn')
    assert observer.process.wait(timeout=20) == 2
    assert 'game.follow_pgn: /no/such.pgn: No such file' in observer.said()


@pytest.mark.parametrize('mode', ['automatic', 'manual', 'semi_automatic'])
def test_what_ends_a_move_depends_on_the_mode(start, client, camera, mode):
    moves = client.listen(Move, 'moves')
    camera.ready(start(game__mode=mode))
    camera.rest(0, 15)
    if mode == 'manual':
        camera.rest(1, 20)
        assert not moves
        assert client.call(Trigger, '/chess_observer/capture').success
    camera.show(1, lambda: moves, what='a move')
    # Pictures so near to each other that nothing has been at rest yet: 12 in a tenth of a second.
    for _ in range(12):
        camera.once(2, 0.008)
    assert len(moves) == 1
    answer = client.call(Trigger, '/chess_observer/capture')
    if mode == 'automatic':
        assert not answer.success and 'game.mode is automatic' in answer.message
        for _ in range(5):
            camera.once(2, 0.008)
        assert len(moves) == 1
        camera.rest(2)
    else:
        assert answer.success
        camera.show(2, lambda: len(moves) == 2, pictures=5, what='the captured move', step=0.008)
    assert [m.uci for m in moves] == UCIS[:2]


def test_a_killed_node_goes_on_where_it_was(start, client, camera, tmp_path):
    folder = tmp_path / 'games'
    moves = client.listen(Move, 'moves')
    first = start(pgn_directory=folder)
    camera.ready(first)
    assert 'a new game begins' in first.said()
    camera.rest(0, 15)
    for k in range(1, 4):
        camera.show(k, lambda: len(moves) == k, what=f'move {k}')
        camera.rest(k, 20)
    (file,) = folder.glob('*.pgn')
    client.wait_for(lambda: 'Nf3' in file.read_text(), what='the file')
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    kept = file.read_text()
    assert chess.pgn.read_game(io.StringIO(kept)).end().ply() == 3

    # While it is away a minute goes by.
    camera.now += 60.0
    positions, games = client.listen(Position, 'position', LATCHED), client.listen(String, 'pgn', LATCHED)
    second = start(pgn_directory=folder)
    camera.ready(second)
    assert f'the game of {file} goes on: 3 plies' in second.said()
    client.wait_for(lambda: positions and games, what='latched messages')
    assert positions[-1].ply == 3 and games[-1].data == kept
    camera.rest(3, 15)
    assert len(moves) == 3, 'what was told before is not told again'
    for k in range(4, 7):
        camera.show(k, lambda: len(moves) == k, what=f'move {k}')
    assert [m.uci for m in moves] == UCIS and [m.ply for m in moves] == list(range(1, 7))
    client.wait_for(lambda: 'a6' in file.read_text(), what='the file')
    assert list(folder.glob('*.pgn')) == [file]
    game = chess.pgn.read_game(io.StringIO(file.read_text()))
    assert [m.uci() for m in game.mainline_moves()] == UCIS
    # The fourth ply took the minute as well; all of them together took as long as the camera's clock went.
    took = [node.emt() for node in game.mainline()]
    assert None not in took and took[3] >= 60.0 and 60.0 < sum(took) < 60.0 + 60.0
    assert second.running()


def test_a_killed_node_goes_on_from_a_position_set_by_hand(start, client, camera, tmp_path):
    folder = tmp_path / 'games'
    fen = 'rnbqkbnr/pppp1ppp/8/4p3/4P3/R7/PPPP1PPP/1NBQKBNR b Kkq - 0 2'
    first = start(pgn_directory=folder)
    camera.ready(first)
    assert client.call(SetPosition, '/chess_observer/set_position', fen=fen).success
    client.wait_for(lambda: list(folder.glob('*.pgn')), what='the file')
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    positions = client.listen(Position, 'position', LATCHED)
    second = start(pgn_directory=folder)
    client.wait_for(lambda: positions and positions[-1].fen == fen, what='the position')
    assert second.running()


def test_without_the_parameter_a_new_game_begins(start, client, tmp_path):
    folder = tmp_path / 'games'
    folder.mkdir()
    (folder / 'chess_observer_20261120_140501.pgn').write_text('1. e4 e5 *\n')
    positions = client.listen(Position, 'position', LATCHED)
    start(pgn_directory=folder, game__resume=False)
    client.wait_for(lambda: positions, what='the position')
    assert positions[-1].ply == 0


def test_a_new_game_on_the_board_is_no_old_one(start, client, camera, tmp_path):
    folder = tmp_path / 'games'
    folder.mkdir()
    old = folder / 'chess_observer_20261120_140501.pgn'
    text = '1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O *\n'
    old.write_text(text)
    positions, moves = client.listen(Position, 'position', LATCHED), client.listen(Move, 'moves')
    camera.ready(start(pgn_directory=folder))
    client.wait_for(lambda: positions and positions[-1].ply == 10, what='the old game')
    camera.show(0, lambda: positions[-1].ply == 0, what='the new game')
    camera.rest(0, 10)
    camera.show(1, lambda: moves, what='its first move')
    assert [(m.ply, m.uci) for m in moves] == [(1, 'e2e4')]
    client.wait_for(lambda: len(list(folder.glob('*.pgn'))) == 2, what='its file')
    (new,) = [file for file in folder.glob('*.pgn') if file != old]
    client.wait_for(lambda: '1. e4' in new.read_text(), what='its first move in the file')
    moves_of = [m.uci() for m in chess.pgn.read_game(io.StringIO(old.read_text())).mainline_moves()]
    assert len(moves_of) == 10 and moves_of[0] == 'd2d4'


STANDS = '1. e4 e5 2. Nf3 Nc6 {[%stands e1e3 d7d5]} *'


@pytest.mark.parametrize('what', ['accept', 'warn'])
def test_an_illegal_move_that_is_answered_is_gone_on_from_where_that_is_wanted(start, client, tmp_path, what):
    """The king has gone two squares; a legal line of three plies would lead to the same placement."""
    (tmp_path / 'game.pgn').write_text(STANDS + '\n')
    (tmp_path / 'scene.toml').write_text(SCENE + '[pace]\nrest_min_s = 1.2\nrest_max_s = 1.4\n')
    folder = tmp_path / 'games'
    moves, warnings = client.listen(Move, 'moves'), client.listen(Warning, 'warnings')
    positions = client.listen(Position, 'position', LATCHED)
    finished = client.listen(Bool, 'chess_simulator/finished', LATCHED)
    observer = start(pgn_directory=folder, game__on_standing_illegal=what)
    start('simulator_node', pgn=tmp_path / 'game.pgn', scene=tmp_path / 'scene.toml')
    client.wait_for(lambda: finished, 180, 'the end of the film')
    client.wait_for(lambda: positions and positions[-1].fen.startswith('r1bqkbnr/ppp2ppp/2n5/3pp3/4P3/4KN2/'), 20, 'the last ply')
    illegal, = [w for w in warnings if w.kind == Warning.KIND_ILLEGAL]
    assert illegal.uci == 'e1e3' and '[WARN]' in next(line for line in observer.said().splitlines() if illegal.text in line)
    games = [chess.pgn.read_game(io.StringIO(p.read_text())) for p in sorted(folder.glob('*.pgn'))]
    assert not any(game.errors for game in games)
    if what == 'warn':
        assert [m.uci for m in moves] == ['e2e4', 'e7e5', 'g1f3', 'b8c6', 'e1e2', 'd7d5', 'e2e3'] and len(games) == 1
        return
    assert [(m.ply, m.uci) for m in moves] == [(1, 'e2e4'), (2, 'e7e5'), (3, 'g1f3'), (4, 'b8c6'), (1, 'd7d5')]
    first, second = games
    assert len(list(first.mainline_moves())) == 4 and first.headers['Result'] == '*'
    assert second.headers['FEN'] == 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/4KN2/PPPP1PPP/RNBQ1B1R b kq - 0 3'
    assert [m.uci() for m in second.mainline_moves()] == ['d7d5']
    assert 'the illegal move e1e3 after ply 4 was let stand and answered' in second.comment
