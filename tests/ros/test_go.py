"""A Go board before a camera: plays, the board, the record, warnings, the overlay, and how the node is doing, on a real graph."""

import itertools
import pathlib
import signal
import subprocess
import time

import pytest
import yaml
from chess_observer.msg import GoBoard, GoMove, Warning
from conftest import BEST_EFFORT, LATCHED, RELIABLE, ROOT, program
from diagnostic_msgs.msg import DiagnosticStatus
from go_stage import Photographer, simulated
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from pictures import plain
from rcl_interfaces.msg import Parameter
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParameters
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from test_parameters import flat, value

GAME = '(;GM[1]FF[4]SZ[9];B[ee];W[cg];B[gc];W[cc];B[gg];W[ce])'
PLAYS = ['E5', 'C3', 'G7', 'C7', 'G3', 'C5']
NODE = '/go_observer/'
OK, WARN, ERROR = (level[0] for level in (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR))


def whole(sgf):
    """Whether a record ends with the last play of the game."""
    return sgf.replace('\n', '').endswith(';B[ee];W[cg];B[gc];W[cc];B[gg];W[ce])')


@pytest.fixture(scope='module')
def photographs(tmp_path_factory):
    """Photographs of a game, one after each play."""
    pictures = simulated(GAME, tmp_path_factory.mktemp('go'))
    assert len(pictures) == len(PLAYS) + 1
    return pictures


@pytest.fixture
def watching(start, client):
    """Start a node that watches a board of nine lines, picture by picture; return it and its photographer."""
    def begin(**params):
        node = start('go_node', sight__stills=True, board__size=9, **params)
        client.wait_for(lambda: ' is ready' in node.said(), what='the node')
        return node, Photographer(client)
    return begin


def test_a_game_is_told_play_by_play(watching, client, photographs, tmp_path):
    folder = tmp_path / 'games'
    node, camera = watching(game__black='Ann', sgf_directory=folder)
    games = client.listen(String, 'sgf', LATCHED)
    saved = []
    moves, warnings = client.listen(GoMove, 'go_moves'), client.listen(Warning, 'warnings')
    # When a play is heard here, the text of the next one may already be on its way, in a file aside.
    def note_files(_):
        saved.append([p.read_text() for p in folder.iterdir() if p.suffix != '.tmp'])
    client.node.create_subscription(GoMove, 'go_moves', note_files, 50)
    overlays = client.listen(Image, 'go_observer/overlay', BEST_EFFORT)
    for number, path in enumerate(photographs):
        camera.show(path, 1000.0 + 10 * number)
        client.wait_for(lambda: min(len(moves), len(saved)) >= number and warnings, timeout=30.0, what=f'play {number}')
    assert [m.number for m in moves] == [1, 2, 3, 4, 5, 6]
    assert {m.kind for m in moves} == {GoMove.KIND_NEW}
    assert [m.color for m in moves] == [GoMove.COLOR_BLACK, GoMove.COLOR_WHITE] * 3
    # The same game from this side of the board.
    assert [m.point for m in moves] == PLAYS
    assert all(m.confidence > 0.9 for m in moves) and moves[0].header.stamp.sec == 1010
    assert moves[-1].board.count('X') == 3 and moves[-1].board.count('\n') == 9
    assert [w.kind for w in warnings] == [Warning.KIND_BOARD_FOUND]
    # Saved, then told.
    assert all(len(texts) == 1 and texts[0].count(';B[') + texts[0].count(';W[') > n for n, texts in enumerate(saved)), saved
    # Who comes late gets the game, and the board.
    boards = client.listen(GoBoard, 'go_board', LATCHED)
    late = client.listen(String, 'sgf', LATCHED)
    # A play may be heard before the record with it: each topic has a way of its own.
    client.wait_for(lambda: all(said and whole(said[-1].data) for said in (games, late)) and boards, what='the whole game and the board')
    assert 'PB[Ann]' in games[-1].data
    record, = folder.iterdir()
    assert record.name.startswith('go_observer_2') and record.suffix == '.sgf' and record.read_text() == late[-1].data
    board = boards[-1]
    assert (board.size, board.number, board.last, board.to_play) == (9, 6, 'C5', GoBoard.COLOR_BLACK)
    assert board.stones == moves[-1].board and board.state == GoBoard.STATE_LOCKED and len(board.corners) == 8
    assert (board.tracker, board.illegal, board.problem) == (GoBoard.TRACKER_FOLLOWING, False, '')
    # A large picture sent without reply may be lost on a busy machine: the same board, shown again, is drawn again.
    times = itertools.count(1500, 10)

    def shown_again():
        if not overlays:
            camera.show(photographs[-1], float(next(times)))
            client.spin(2.0)
        return overlays
    client.wait_for(shown_again, timeout=20.0, what='the overlay')
    assert len(moves) == 6, 'nothing is told that was told'
    assert '6. white C5 (' in node.said()
    # The same picture again tells nothing; the last one taken back does.
    camera.show(photographs[-2], 2000.0)
    client.wait_for(lambda: len(moves) == 7, timeout=30.0, what='the play taken back')
    assert (moves[-1].kind, moves[-1].number) == (GoMove.KIND_TAKEN_BACK, 6)
    client.wait_for(lambda: boards[-1].number == 5, what='the board without it')
    assert client.call(Trigger, NODE + 'new_game').success
    client.wait_for(lambda: ';B[' not in games[-1].data, what='the new game')
    assert [p.name for p in folder.iterdir()] == [record.name], 'a game without a play is no file'


def test_the_sgf_is_whole_after_a_signal(watching, client, photographs, tmp_path):
    folder = tmp_path / 'games'
    node, camera = watching(sgf_directory=folder)
    moves = client.listen(GoMove, 'go_moves')
    for number, path in enumerate(photographs[:4]):
        camera.show(path, 1000.0 + number)
        client.wait_for(lambda: len(moves) >= number, timeout=30.0, what=f'play {number}')
    code, seconds = node.stop(signal.SIGTERM)
    assert code == 0 and seconds < 5 and 'panicked' not in node.said()
    record, = folder.iterdir()
    assert record.read_text().replace('\n', '').endswith(';B[ee];W[cg];B[gc])')


def ended(node, camera, client, by):
    """End a node, and wait until its subscription is gone: the next picture must not be sent to it instead of to another."""
    node.stop(by)
    client.wait_for(lambda: camera.publisher.get_subscription_count() == 0, timeout=60.0, what='the end of a subscription')
    client.node.destroy_publisher(camera.publisher)


def test_a_node_that_is_started_again_goes_on_with_its_game(watching, client, photographs, tmp_path):
    folder = tmp_path / 'games'
    node, camera = watching(sgf_directory=folder)
    moves = client.listen(GoMove, 'go_moves')
    for number, path in enumerate(photographs[:4]):
        camera.show(path, 1000.0 + number)
        client.wait_for(lambda: len(moves) >= number, timeout=30.0, what=f'play {number}')
    ended(node, camera, client, signal.SIGKILL)
    record, = folder.iterdir()
    # It has the game before it has seen a picture, and a play that was made meanwhile is told when it sees the board.
    again, camera = watching(sgf_directory=folder)
    assert f'the game of {record} goes on: 3 plays' in again.said()
    games = client.listen(String, 'sgf', LATCHED)
    client.wait_for(lambda: games and games[-1].data == record.read_text(), what='the record')
    for number, path in enumerate(photographs[4:], start=4):
        camera.show(path, 2000.0 + number)
        client.wait_for(lambda: len(moves) >= number, timeout=30.0, what=f'play {number}')
    assert [m.number for m in moves] == [1, 2, 3, 4, 5, 6] and [m.point for m in moves] == PLAYS
    assert list(folder.iterdir()) == [record]
    assert record.read_text().replace('\n', '').endswith(';B[ee];W[cg];B[gc];W[cc];B[gg];W[ce])')
    ended(again, camera, client, signal.SIGTERM)
    # The board was cleared: that is another game, and the record of this one stays.
    before = record.read_text()
    third, camera = watching(sgf_directory=folder)
    camera.show(photographs[0], 3000.0)
    # The node looks at the newest picture only: the next one waits until this one is understood.
    client.wait_for(lambda: ';B[' not in games[-1].data, timeout=30.0, what='a record without plays')
    camera.show(photographs[1], 3001.0)
    client.wait_for(lambda: len(moves) >= 7, timeout=30.0, what='the first play of another game')
    assert moves[-1].number == 1 and record.read_text() == before and len(list(folder.iterdir())) == 2
    ended(third, camera, client, signal.SIGTERM)
    # Who does not want it begins another record.
    fourth, camera = watching(sgf_directory=folder, game__resume=False)
    assert 'goes on' not in fourth.said()
    camera.show(photographs[3], 4000.0)
    client.diagnostics('board', lambda v: v['state'] == 'locked', timeout=30.0)
    camera.show(photographs[4], 4001.0)
    client.wait_for(lambda: len(moves) >= 8, timeout=30.0, what='the next play')
    assert len(list(folder.iterdir())) == 3


def test_a_board_that_is_not_found_says_why_within_ten_seconds(watching, client, photographs):
    node, camera = watching()
    begun = time.monotonic()
    boards = client.listen(GoBoard, 'go_board', LATCHED)
    while 'waiting for the board' not in node.said():
        camera.publish(plain(width=640, height=480, seconds=time.time()))
        client.spin(0.5)
        assert time.monotonic() < begun + 10.0, node.said()
    level, message, values = client.diagnostics('board', lambda v: v['not_found'])
    assert level == WARN and message == f'searching; not found: {values["not_found"]}'
    assert f'no Go board is found in them: {values["not_found"]}' in node.said()
    client.wait_for(lambda: boards and boards[-1].problem == values['not_found'], what='the reason')
    camera.show(photographs[0], time.time())
    level, _, values = client.diagnostics('board', lambda v: v['state'] == 'locked', timeout=30.0)
    assert (level, values['not_found'], values['lines']) == (OK, '', '9') and float(values['spacing_px']) > 10.0
    level, message, values = client.diagnostics('tracker', lambda v: v['state'] == 'following')
    assert (level, values['plays'], values['uncertain']) == (OK, '0', 'false') and int(values['looks']) > 0
    _, _, values = client.diagnostics('input', lambda v: int(v['examined']) > 1)
    assert {'dropped_for_newer', 'refused', 'skipped_max_rate', 'rate_hz'} <= set(values)


def test_a_disk_that_refuses_is_told_and_made_good(watching, client, photographs, tmp_path):
    folder = tmp_path / 'games'
    folder.write_text('in the way')
    _, camera = watching(sgf_directory=folder)
    moves, warnings = client.listen(GoMove, 'go_moves'), client.listen(Warning, 'warnings')
    for number, path in enumerate(photographs[:3]):
        camera.show(path, 1000.0 + number)
        client.wait_for(lambda: len(moves) >= number, timeout=30.0, what=f'play {number}')
    client.wait_for(lambda: Warning.KIND_NOT_SAVED in [w.kind for w in warnings], what='the warning')
    assert client.diagnostics('sgf file', lambda v: v['error'])[0] == ERROR
    folder.unlink()
    client.diagnostics('sgf file', lambda v: v['written'] != '0' and not v['unsaved_s'])
    camera.show(photographs[2], 2000.0)
    client.wait_for(lambda: warnings[-1].kind == Warning.KIND_SAVED, what='the end of it')
    record, = folder.iterdir()
    assert record.read_text().replace('\n', '').endswith(';B[ee];W[cg])')


def test_a_managed_node_looks_at_nothing_until_it_is_activated(watching, client, photographs):
    node, camera = watching(lifecycle=True)
    boards = client.listen(GoBoard, 'go_board', LATCHED)

    def change(number):
        return client.call(ChangeState, NODE + 'change_state', transition=Transition(id=number)).success

    client.wait_for(lambda: boards and boards[-1].tracker == GoBoard.TRACKER_PAUSED, what='a node that waits')
    camera.show(photographs[0], 1000.0)
    client.diagnostics('input', lambda v: v['received'] == '1')
    assert client.diagnostics('input')[2]['examined'] == '0'
    assert not change(Transition.TRANSITION_ACTIVATE) and change(Transition.TRANSITION_CONFIGURE)
    answer = client.call(SetBool, NODE + 'pause', data=False)
    assert answer.success and answer.message == 'the game is followed as soon as the node is activated'
    assert not client.call(Trigger, NODE + 'capture').success
    assert change(Transition.TRANSITION_ACTIVATE)
    assert client.call(GetState, NODE + 'get_state').current_state.label == 'active'
    camera.show(photographs[0], 1001.0)
    client.wait_for(lambda: boards[-1].tracker == GoBoard.TRACKER_FOLLOWING, timeout=30.0, what='the board')
    assert client.call(SetBool, NODE + 'pause', data=True).message == 'paused'
    client.wait_for(lambda: boards[-1].tracker == GoBoard.TRACKER_PAUSED, what='a pause')


def test_parameters_are_listed_described_and_refused(watching, client, photographs):
    with open(ROOT / 'params' / 'go.yaml', encoding='utf-8') as file:
        listed = dict(flat(yaml.safe_load(file)['/**']['ros__parameters']))
    node, camera = watching(game__black='Ann')
    assert set(client.call(ListParameters, NODE + 'list_parameters').result.names) == {*listed, 'use_sim_time'}
    size, least = client.call(
        DescribeParameters, NODE + 'describe_parameters', names=['board.size', 'game.min_confidence']).descriptors
    assert size.read_only and size.additional_constraints == 'a whole number from 5 to 25, or 0'
    assert not least.read_only and least.floating_point_range[0].from_value == 0.5

    def put(name, v):
        wanted = [Parameter(name=name, value=value(v))]
        result, = client.call(SetParameters, NODE + 'set_parameters', parameters=wanted).results
        return result.successful, result.reason

    ok, why = put('game.min_confidence', 2.0)
    assert not ok and why == 'parameter game.min_confidence: expected a number from 0.5 to 0.9999 probability, got 2'
    assert put('board.size', 13) == (False, 'parameter board.size: cannot change while the node runs; give it when the node starts')
    assert not put('game.whtie', 'Bo')[0] and put('game.white', 'Bo')[0]
    games = client.listen(String, 'sgf', LATCHED)
    camera.show(photographs[1], 1000.0)
    client.wait_for(lambda: games, timeout=30.0, what='the game')
    assert 'PB[Ann]' in games[-1].data and 'PW[Bo]' in games[-1].data
    assert put('game.white', 'Cy')[0]
    client.wait_for(lambda: 'PW[Cy]' in games[-1].data, what='the other name')


@pytest.mark.parametrize('name, given, said', [
    ('board.size', 4, 'parameter board.size: expected a whole number from 5 to 25, or 0, got 4'),
    ('game.rules', 'chess', 'expected one of Japanese, Korean, Chinese, AGA, NZ, Tromp-Taylor, got "chess"'),
    ('board.corners', '[1.0, 2.0]', 'got 2 numbers'),
    ('game.min_confidence', 2.0, 'a number from 0.5 to 0.9999')])
def test_a_parameter_that_cannot_be_is_told(start, name, given, said):
    node = start('go_node', '-p', f'{name}:={given}')
    assert node.process.wait(timeout=20) == 2
    assert said in node.said()


def test_help_names_topics_and_parameters():
    text = subprocess.run([program('go_node'), '--help'], check=True, capture_output=True, text=True).stdout
    assert 'go_moves' in text and 'sgf_directory' in text and pathlib.Path(program('go_node')).is_file()
