"""What people see in rviz and Foxglove, what an arm asks, and the examples in Python."""

import io
import json
import pathlib
import sys

import chess
import chess.pgn
import yaml
from ament_index_python.packages import get_package_share_directory
from chess_observer.msg import Move
from chess_observer.srv import SetPosition, SquarePose
from conftest import BEST_EFFORT, LATCHED, RELIABLE
from PIL import Image as Pictures
from pictures import plain
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Bool
from visualization_msgs.msg import MarkerArray

SHARE = pathlib.Path(get_package_share_directory('chess_observer'))


def named(message, name):
    """Markers of a namespace."""
    return [m for m in message.markers if m.ns == name]


def test_the_board_is_shown_to_those_who_look(start, client):
    observer = start(square_size_m=0.06, board_frame='board_1')
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
    shown = client.listen(MarkerArray, '/chess_observer/markers', LATCHED)
    camera = client.node.create_publisher(Image, 'image_raw', RELIABLE)

    def until(condition, what):
        def show():
            camera.publish(plain())
            client.spin(0.2)
            return condition()
        client.wait_for(show, 30, what)

    until(lambda: shown, 'markers')
    first = shown[0]
    assert first.markers[0].action == 3, 'everything before goes'
    assert {m.header.frame_id for m in first.markers} == {'board_1'}
    assert [len(named(first, n)) for n in ('board', 'men', 'letters', 'last_move', 'wrong')] == [2, 32, 32, 0, 0]
    assert sorted(len(m.points) for m in named(first, 'board')) == [32, 32]
    # The white king's middle: the fifth square along the first rank.
    king = [m for m in named(first, 'men') if m.id == chess.E1][0]
    assert (round(king.pose.position.x, 6), round(king.pose.position.y, 6)) == (0.27, 0.03)
    # Nothing is drawn again while nothing changes.
    client.spin(1.0)
    until(lambda: True, 'another picture')
    assert len(shown) == 1
    assert client.call(SetPosition, 'chess_observer/set_position', fen='4k3/8/8/8/8/8/4P3/4K3 w - - 0 1').success
    client.wait_for(lambda: len(shown) > 1, what='the new position')
    assert sorted(m.text for m in named(shown[-1], 'letters')) == ['K', 'K', 'P']


def test_the_overlay_is_also_sent_compressed(observer, client):
    compressed = client.listen(CompressedImage, '/chess_observer/overlay/compressed', BEST_EFFORT)
    camera = client.node.create_publisher(Image, 'image_raw', RELIABLE)

    def show():
        camera.publish(plain(seconds=7.25))
        client.spin(0.2)
        return compressed
    client.wait_for(show, 30, 'an overlay')
    assert compressed[0].header.frame_id == 'camera_optical' and 'jpeg' in compressed[0].format
    assert Pictures.open(io.BytesIO(bytes(compressed[0].data))).size == (64, 48)


def test_squares_have_poses(start, client):
    start(square_size_m=0.06, board_frame='board_1')
    ask = '/chess_observer/square_pose'
    answer = client.call(SquarePose, ask, square='h8')
    at = answer.pose.pose.position
    assert (answer.success, answer.man, answer.message) == (True, 'r', 'r on h8')
    assert (round(at.x, 6), round(at.y, 6)) == (0.45, 0.45) and answer.pose.header.frame_id == 'board_1'
    # A rook is as high as a square is wide.
    assert round(at.z, 6) == round(answer.man_height_m, 6) == 0.06 and answer.pose.pose.orientation.w == 1.0
    answer = client.call(SquarePose, ask, square='e4')
    assert (answer.success, answer.man, answer.man_height_m, answer.pose.pose.position.z) == (True, '', 0.0, 0.0)
    answer = client.call(SquarePose, ask, square='j9')
    assert (answer.success, answer.message) == (False, 'expected a square such as e4, got "j9"')


def test_layouts_name_topics_that_are_there(observer, client):
    client.wait_for(lambda: 'chess_observer' in client.node.get_node_names(), what='the node in the graph')
    client.spin(0.5)
    topics = {name: kinds[0] for name, kinds in client.node.get_publisher_names_and_types_by_node('chess_observer', '/')}
    layout = json.loads((SHARE / 'foxglove' / 'observer.json').read_text())
    panels = layout['configById']
    assert topics[panels['Image!overlay']['imageMode']['imageTopic']] == 'sensor_msgs/msg/CompressedImage'
    (markers,) = panels['3D!board']['topics']
    assert topics[markers] == 'visualization_msgs/msg/MarkerArray'
    assert {topics[p['topicPath']] for p in panels.values() if 'topicPath' in p} == {
        'chess_observer/msg/Move', 'chess_observer/msg/Position'}

    def placed(part):
        return {part} if isinstance(part, str) else placed(part['first']) | placed(part['second'])
    assert placed(layout['layout']) == set(panels)

    manager = yaml.safe_load((SHARE / 'rviz' / 'observer.rviz').read_text())['Visualization Manager']
    shown = {d['Class']: d['Topic']['Value'] for d in manager['Displays'] if 'Topic' in d}
    assert {kind.split('/')[-1]: topics[topic] for kind, topic in shown.items()} == {
        'MarkerArray': 'visualization_msgs/msg/MarkerArray', 'Image': 'sensor_msgs/msg/Image'}
    assert manager['Global Options']['Fixed Frame'] == 'chess_board'


GAME = '1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *'
SCENE = '[camera]\nwidth = 640\nheight = 480\nelevation_deg = 60.0\n[pace]\nrest_min_s = 2.5\nrest_max_s = 2.7\n'


def test_the_example_robot_plays_black(start, client, tmp_path):
    (tmp_path / 'game.pgn').write_text(GAME)
    (tmp_path / 'scene.toml').write_text(SCENE)
    moves = client.listen(Move, 'moves')
    finished = client.listen(Bool, 'chess_simulator/finished', LATCHED)
    start()
    start.through = [sys.executable]
    robot = start('robot_arm.py', replies='d7d5 d8d5 d5a5')
    start.through = []
    client.wait_for(lambda: 'chess_robot' in client.node.get_node_names(), 20, 'the robot')
    client.spin(1.0)
    start('simulator_node', pgn=tmp_path / 'game.pgn', scene=tmp_path / 'scene.toml')
    client.wait_for(lambda: finished, 180, 'the end of the film')
    client.wait_for(lambda: len(moves) >= 6, 20, 'the last move')
    assert [m.expected for m in moves if m.ply % 2 == 0] == [Move.EXPECTED_YES] * 3
    client.wait_for(lambda: robot.said().count('as planned') == 3, 20, 'the last word')
    said = robot.said()
    assert 'NOT as planned' not in said and said.count('arm: captured P from') == 1
    # The queen goes from d8 to d5, 2.5 squares to 3.5 along x: her top, at the height of 1.6 squares.
    assert 'arm: q from 0.175 0.375 0.080 to 0.175 0.225 0.080 m in chess_board' in said


def test_the_example_listener_prints_every_move_and_the_game(start, client, tmp_path):
    (tmp_path / 'game.pgn').write_text('1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n')
    (tmp_path / 'scene.toml').write_text(SCENE)
    start()
    start.through = [sys.executable]
    listener = start('subscribe.py')
    start.through = []
    client.wait_for(lambda: 'chess_listener' in client.node.get_node_names(), 20, 'the listener')
    client.spin(1.0)
    start('simulator_node', pgn=tmp_path / 'game.pgn', scene=tmp_path / 'scene.toml')
    client.wait_for(lambda: listener.said().rstrip().endswith('1-0'), 180, 'the game')
    said = listener.said()
    assert [f'ply {k}: {san}, ' in said for k, san in enumerate(['e4', 'e5', 'Qh5', 'Nc6', 'Bc4', 'Nf6', 'Qxf7#'], 1)] == [True] * 7
    assert 'The board was found.' in said and '[Result "1-0"]' in said
