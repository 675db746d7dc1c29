"""Topics, services and the latched state."""

from chess_observer.msg import Board, Position
from conftest import LATCHED, ROOT, START_FEN
from std_msgs.msg import String


def test_every_topic_and_service_is_there(observer, client):
    def publishes():
        return dict(client.node.get_publisher_names_and_types_by_node('chess_observer', '/'))

    wanted = {
        '/moves': 'chess_observer/msg/Move',
        '/warnings': 'chess_observer/msg/Warning',
        '/position': 'chess_observer/msg/Position',
        '/pgn': 'std_msgs/msg/String',
        '/board': 'chess_observer/msg/Board',
        '/chess_observer/overlay': 'sensor_msgs/msg/Image',
        '/chess_observer/overlay/compressed': 'sensor_msgs/msg/CompressedImage',
        '/chess_observer/markers': 'visualization_msgs/msg/MarkerArray',
        '/diagnostics': 'diagnostic_msgs/msg/DiagnosticArray',
        '/tf': 'tf2_msgs/msg/TFMessage',
        '/parameter_events': 'rcl_interfaces/msg/ParameterEvent',
        '/rosout': 'rcl_interfaces/msg/Log',
    }
    client.wait_for(lambda: 'chess_observer' in client.node.get_node_names(), what='the node in the graph')
    client.wait_for(lambda: '/board' in publishes(), what='topics')
    client.spin(0.5)
    there = {topic: kinds[0] for topic, kinds in publishes().items()}
    assert there == wanted

    services = dict(client.node.get_service_names_and_types_by_node('chess_observer', '/'))
    for name, kind in {
        'new_game': 'chess_observer/srv/NewGame',
        'set_position': 'chess_observer/srv/SetPosition',
        'take_back': 'chess_observer/srv/TakeBack',
        'correct_move': 'chess_observer/srv/CorrectMove',
        'expect_move': 'chess_observer/srv/ExpectMove',
        'set_result': 'chess_observer/srv/SetResult',
        'locate_board': 'chess_observer/srv/LocateBoard',
        'save_pgn': 'chess_observer/srv/SavePgn',
        'capture': 'std_srvs/srv/Trigger',
        'pause': 'std_srvs/srv/SetBool',
        'square_pose': 'chess_observer/srv/SquarePose',
    }.items():
        assert services[f'/chess_observer/{name}'] == [kind]

    # The README's tables name all of them, as the node does.
    readme = (ROOT / 'README.md').read_text(encoding='utf-8')
    chapter = readme.split('\n## Topics and services\n')[1].split('\n## ')[0]
    ours = [name for name in services if 'parameter' not in name and 'logger_levels' not in name]
    for name in [*wanted, *ours]:
        if name not in ('/parameter_events', '/rosout'):
            short = name.replace('/chess_observer/', '~/', 1)
            assert f'`{short}`' in chapter or f'`{short[1:]}`' in chapter, name


def test_who_comes_late_hears_the_state(observer, client):
    client.spin(1.0)
    positions = client.listen(Position, 'position', LATCHED)
    games = client.listen(String, 'pgn', LATCHED)
    boards = client.listen(Board, 'board', LATCHED)
    client.wait_for(lambda: positions and games and boards, what='latched messages')
    position = positions[0]
    assert (position.fen, position.white_to_move, position.ply) == (START_FEN, True, 0)
    assert position.result == Position.RESULT_NONE
    assert '[Result "*"]' in games[0].data
    board = boards[0]
    assert (board.state, board.tracker) == (Board.STATE_SEARCHING, Board.TRACKER_NO_BOARD)
    assert len(board.corners) == 0 and board.pose_source == Board.POSE_NONE
    assert [len(part) for part in (board.occupancy, board.changed, board.reliability, board.covered)] == [0] * 4


def test_namespaces_and_remaps_keep_boards_apart(start, client):
    start('observer_node', '-r', '__ns:=/board_1')
    start('observer_node', '-r', '__ns:=/board_2', '-r', 'image_raw:=/cam/picture')
    first = client.listen(Position, '/board_1/position', LATCHED)
    second = client.listen(Position, '/board_2/position', LATCHED)
    client.wait_for(lambda: first and second, what='both boards')
    _, message, values = client.diagnostics('input', lambda v: v['topic'] == '/cam/picture')
    assert message == 'nobody publishes on /cam/picture'
    client.diagnostics('input', lambda v: v['topic'] == '/board_1/image_raw')
