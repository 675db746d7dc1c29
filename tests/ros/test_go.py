"""A Go board before a camera: plays, the record, warnings and the overlay on a real graph."""

import pathlib
import subprocess

import pytest
from chess_observer.msg import GoMove, Warning
from conftest import BEST_EFFORT, LATCHED, RELIABLE, program
from pictures import from_file
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import Trigger

GAME = '(;GM[1]FF[4]SZ[9];B[ee];W[cg];B[gc];W[cc];B[gg];W[ce])'
PLAYS = ['E5', 'C3', 'G7', 'C7', 'G3', 'C5']


@pytest.fixture(scope='module')
def photographs(tmp_path_factory):
    """Photographs of a game, one after each play."""
    folder = tmp_path_factory.mktemp('go')
    (folder / 'game.sgf').write_text(GAME)
    command = [program('chess_observer'), 'simulate', '--go', folder / 'game.sgf', '--stills', '--out', folder / 'out']
    subprocess.run(command, check=True, capture_output=True)
    pictures = sorted((folder / 'out' / 'frames').glob('*.jpg'))
    assert len(pictures) == len(PLAYS) + 1
    return pictures


def test_a_game_is_told_play_by_play(start, client, photographs, tmp_path):
    record = tmp_path / 'game.sgf'
    node = start('go_node', stills=True, size=9, black='Ann', sgf_file=record)
    client.wait_for(lambda: 'waiting for pictures' in node.said(), what='the node')
    moves = client.listen(GoMove, 'go_moves')
    warnings = client.listen(Warning, 'warnings')
    overlays = client.listen(Image, 'go_observer/overlay', BEST_EFFORT)
    camera = client.node.create_publisher(Image, 'image_raw', RELIABLE)
    client.wait_for(lambda: camera.get_subscription_count() > 0, what='a subscriber')
    client.spin(1.0)
    for number, path in enumerate(photographs):
        camera.publish(from_file(path, 1000.0 + 10 * number))
        client.wait_for(lambda: len(moves) >= number and warnings, timeout=30.0, what=f'play {number}')
    assert [m.number for m in moves] == [1, 2, 3, 4, 5, 6]
    assert {m.kind for m in moves} == {GoMove.KIND_NEW}
    assert [m.color for m in moves] == [GoMove.COLOR_BLACK, GoMove.COLOR_WHITE] * 3
    # The same game from this side of the board.
    assert [m.point for m in moves] == PLAYS
    assert all(m.confidence > 0.9 for m in moves) and moves[0].header.stamp.sec == 1010
    assert moves[-1].board.count('X') == 3 and moves[-1].board.count('\n') == 9
    assert [w.kind for w in warnings] == [Warning.KIND_BOARD_FOUND]
    # Who comes late gets the game.
    games = client.listen(String, 'sgf', LATCHED)
    client.wait_for(lambda: games, what='the game')
    assert 'PB[Ann]' in games[-1].data and games[-1].data.replace('\n', '').endswith(';B[ee];W[cg];B[gc];W[cc];B[gg];W[ce])')
    assert record.read_text() == games[-1].data
    client.wait_for(lambda: overlays, what='the overlay')
    # The same picture again tells nothing; the last one taken back does.
    camera.publish(from_file(photographs[-2], 2000.0))
    client.wait_for(lambda: len(moves) == 7, timeout=30.0, what='the play taken back')
    assert (moves[-1].kind, moves[-1].number) == (GoMove.KIND_TAKEN_BACK, 6)
    assert client.call(Trigger, 'go_observer/new_game').success
    client.wait_for(lambda: 'B[' not in games[-1].data, what='the new game')


@pytest.mark.parametrize('name, value, said', [
    ('size', 4, '5 to 25'), ('rules', 'chess', 'Tromp-Taylor'), ('corners', '1,2', 'eight numbers'),
    ('min_confidence', 2.0, '0.5 to 0.9999')])
def test_a_parameter_that_cannot_be_is_told(start, name, value, said):
    node = start('go_node', **{name: value})
    assert node.process.wait(timeout=20) == 2
    assert said in node.said()


def test_help_names_topics_and_parameters():
    text = subprocess.run([program('go_node'), '--help'], check=True, capture_output=True, text=True).stdout
    assert 'go_moves' in text and 'sgf_file' in text and pathlib.Path(program('go_node')).is_file()
