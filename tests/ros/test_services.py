"""The services, and what they do to the latched state."""

from chess_observer.msg import Position
from chess_observer.srv import CorrectMove, LocateBoard, NewGame, SavePgn, SetPosition, SetResult, TakeBack
from conftest import LATCHED, START_FEN
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

ENDGAME = '8/8/8/4k3/8/8/3R4/4K3 w - - 0 1'


def test_a_new_game_may_begin_anywhere(observer, client):
    positions = client.listen(Position, 'position', LATCHED)
    answer = client.call(NewGame, '/chess_observer/new_game', fen=ENDGAME)
    assert (answer.success, answer.fen) == (True, ENDGAME)
    client.wait_for(lambda: positions and positions[-1].fen == ENDGAME, what='the position')
    answer = client.call(NewGame, '/chess_observer/new_game')
    assert (answer.success, answer.fen) == (True, START_FEN)


def test_positions_that_cannot_be_are_refused(observer, client):
    answer = client.call(NewGame, '/chess_observer/new_game', fen='8/8/8/8/8/8/8/8 w - - 0 1')
    assert not answer.success and answer.message.startswith('not a legal position') and answer.fen == ''
    answer = client.call(SetPosition, '/chess_observer/set_position', fen='nonsense')
    assert not answer.success and answer.message.startswith('not a FEN')
    answer = client.call(SetPosition, '/chess_observer/set_position')
    assert (answer.success, answer.message) == (False, 'expected a position in FEN, got an empty text')


def test_a_position_can_be_set(observer, client):
    positions = client.listen(Position, 'position', LATCHED)
    assert client.call(SetPosition, '/chess_observer/set_position', fen=ENDGAME).success
    client.wait_for(lambda: positions and positions[-1].fen == ENDGAME, what='the position')


def test_there_is_nothing_to_take_back_or_correct_at_the_start(observer, client):
    answer = client.call(TakeBack, '/chess_observer/take_back', plies=1)
    assert not answer.success and answer.message and answer.fen == START_FEN
    answer = client.call(CorrectMove, '/chess_observer/correct_move', ply=3, move='e2e4')
    assert not answer.success and answer.message and answer.fen == START_FEN
    answer = client.call(CorrectMove, '/chess_observer/correct_move', ply=1)
    assert (answer.success, answer.message) == (False, 'expected a move in UCI or SAN, got an empty text')


def test_the_result_is_set_and_withdrawn(observer, client):
    positions = client.listen(Position, 'position', LATCHED)
    games = client.listen(String, 'pgn', LATCHED)
    assert client.call(SetResult, '/chess_observer/set_result', result='1/2-1/2').success
    client.wait_for(lambda: positions and positions[-1].result == Position.RESULT_DRAW, what='a draw')
    client.wait_for(lambda: games and '[Result "1/2-1/2"]' in games[-1].data, what='a draw in PGN')
    assert client.call(SetResult, '/chess_observer/set_result', result='*').success
    client.wait_for(lambda: positions[-1].result == Position.RESULT_NONE, what='the game going on')
    answer = client.call(SetResult, '/chess_observer/set_result', result='2-0')
    assert not answer.success and answer.message


def test_corners_are_given_or_refused(observer, client):
    seen = [100.0, 400.0, 500.0, 400.0, 450.0, 100.0, 150.0, 100.0]
    assert client.call(LocateBoard, '/chess_observer/locate_board', corners=seen).success
    assert client.call(LocateBoard, '/chess_observer/locate_board').success
    answer = client.call(LocateBoard, '/chess_observer/locate_board', corners=seen[:6])
    assert (answer.success, answer.message) == (False, 'expected 8 numbers x, y of a1, h1, h8, a8, or none; got 6')
    mirrored = [100.0, 100.0, 500.0, 100.0, 500.0, 400.0, 100.0, 400.0]
    answer = client.call(LocateBoard, '/chess_observer/locate_board', corners=mirrored)
    assert not answer.success and 'wrong way round' in answer.message


def test_a_copy_of_the_game_stays_in_its_folder(start, client, tmp_path):
    folder = tmp_path / 'games'
    observer = start(pgn_directory=folder)
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')

    def save(path=''):
        return client.call(SavePgn, '/chess_observer/save_pgn', path=path)

    answer = save('final')
    assert (answer.success, answer.path) == (True, str(folder / 'final.pgn'))
    assert (folder / 'final.pgn').read_text() == answer.pgn and '[Result "*"]' in answer.pgn
    answer = save('final.pgn')
    assert not answer.success and 'File exists' in answer.message and answer.path == ''
    for path in (str(tmp_path / 'x.pgn'), '../x.pgn', 'a/x.pgn', '.x', '/dev/null'):
        answer = save(path)
        assert not answer.success and answer.message.startswith('expected the name of a new file in pgn_directory')
    answer = save()
    assert answer.success and answer.path.startswith(str(folder / 'chess_observer_20'))
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix == '.pgn') == []
    assert len(list(folder.iterdir())) == 2


def test_where_it_is_allowed_a_copy_goes_anywhere(start, client, tmp_path):
    observer = start(pgn_save_anywhere=True)
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
    path = tmp_path / 'game.pgn'
    for _ in range(2):
        answer = client.call(SavePgn, '/chess_observer/save_pgn', path=str(path))
        assert (answer.success, answer.path) == (True, str(path))
    for wrong in ('/dev/null', str(tmp_path / 'no' / 'game.pgn')):
        answer = client.call(SavePgn, '/chess_observer/save_pgn', path=wrong)
        assert not answer.success and answer.message.startswith(f'cannot write {wrong}: ')
    answer = client.call(SavePgn, '/chess_observer/save_pgn')
    assert (answer.success, answer.message) == (False, 'no name was given and the parameter pgn_directory is empty')


def test_pause_and_capture(observer, client):
    assert client.call(SetBool, '/chess_observer/pause', data=True).success
    client.diagnostics('tracker', lambda v: v['state'] == 'paused')
    assert client.call(SetBool, '/chess_observer/pause', data=False).success
    client.diagnostics('tracker', lambda v: v['state'] == 'no board')
    answer = client.call(Trigger, '/chess_observer/capture')
    assert (answer.success, answer.message) == (
        False, 'game.mode is automatic: only rest ends a move; set it to manual or semi_automatic')
