"""What the console says: what is awaited and what to do, games and their files, help; and the same on /rosout."""

import re
import subprocess

import pytest
from conftest import BEST_EFFORT, RELIABLE, ROOT, program
from pictures import compressed, plain
from rcl_interfaces.msg import Log, LoggerLevel
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSDurabilityPolicy, QoSProfile
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import String

# Bytes in older distributions.
INFO, WARN = (level if isinstance(level, int) else level[0] for level in (Log.INFO, Log.WARN))
ROSOUT = QoSProfile(depth=1000, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)


def heard(client, observer, text, timeout=30.0):
    """Wait until the console has said something; return how often."""
    client.wait_for(lambda: text in observer.said(), timeout, repr(text))
    return observer.said().count(text)


def test_nobody_who_publishes_is_told_once_with_what_to_do(observer, client):
    assert heard(client, observer, 'waiting for pictures: nobody publishes on /image_raw; start the camera') == 1
    client.spin(8.0)
    assert observer.said().count('waiting for') == 1
    # One publishes elsewhere: that is no change of what is awaited.
    client.node.create_publisher(Image, '/cam/image_raw', RELIABLE)
    camera = client.node.create_publisher(Image, 'image_raw', RELIABLE)
    client.wait_for(lambda: camera.get_subscription_count() > 0, what='a subscriber')

    def show():
        camera.publish(plain())
        client.spin(0.2)
        return 'waiting for the board' in observer.said()
    client.wait_for(show, 40, 'the wait for the board')
    line, = [line for line in observer.said().splitlines() if 'waiting for the board' in line]
    assert '[WARN]' in line and 'nothing in the picture looks like a chessboard' in line and '~/overlay' in line
    _, message, _ = client.diagnostics('board', lambda v: v['hindrance'] == 'no_board' and v['mirrored'] == 'false')
    assert message.startswith('searching: nothing in the picture looks like a chessboard')


def test_pictures_elsewhere_are_named(start, client):
    client.node.create_publisher(Image, '/cam/image_raw', RELIABLE)
    observer = start()
    heard(client, observer, 'there are pictures on /cam/image_raw: name the topic (-r image_raw:=/cam/image_raw,')


def test_another_type_is_named(start, client):
    client.node.create_publisher(String, 'image_raw', RELIABLE)
    heard(client, start(), '/image_raw carries std_msgs/msg/String, which is no picture')


def test_the_other_transport_is_named(start, client):
    client.node.create_publisher(CompressedImage, 'image_raw/compressed', RELIABLE)
    heard(client, start(image_transport='raw'), 'but on /image_raw/compressed; set image_transport to auto')


def test_a_publisher_that_offers_too_little_is_told(start, client):
    client.node.create_publisher(Image, 'image_raw', BEST_EFFORT)
    observer = start(image_reliability='reliable')
    heard(client, observer, 'so none is received (incompatible policy: RELIABILITY); set image_reliability to auto')


def test_a_publisher_that_says_nothing_is_told(start, client):
    client.node.create_publisher(Image, 'image_raw', RELIABLE)
    heard(client, start(), 'there is a publisher on /image_raw, and no picture comes')


def test_the_transport_follows_the_publishers(observer, client):
    jpeg = client.node.create_publisher(CompressedImage, 'image_raw/compressed', BEST_EFFORT)

    def until(publisher, message, **wanted):
        def show():
            publisher.publish(message)
            client.spin(0.2)
            return None
        reports = client.diagnostics
        for _ in range(60):
            show()
            _, _, values = reports('input')
            if all(values[k] == v for k, v in wanted.items()):
                return
        raise AssertionError(f'no report with {wanted}; the last was {values}')

    until(jpeg, compressed('JPEG'), topic='/image_raw/compressed', encoding='jpeg', reliability='best_effort')
    # Raw pictures have lost nothing: whoever has both is read raw.
    raw = client.node.create_publisher(Image, 'image_raw', RELIABLE)
    until(raw, plain('mono8'), topic='/image_raw', encoding='mono8', reliability='reliable')
    client.node.destroy_publisher(raw)
    until(jpeg, compressed('JPEG', 9.0), topic='/image_raw/compressed', encoding='jpeg')


def test_the_log_is_on_rosout(start, client):
    lines = client.listen(Log, '/rosout', ROSOUT)
    start('observer_node', '-r', '__ns:=/board_1')
    own = client.wait_for(lambda: [m for m in lines if m.name == 'board_1.chess_observer'], what='a line on /rosout')
    ready = client.wait_for(lambda: [m for m in lines if ' is ready' in m.msg], what='the line that it is ready')[0]
    assert ready.level == INFO and ready.file.endswith('life.rs') and ready.line > 0
    waits = client.wait_for(lambda: [m for m in lines if m.msg.startswith('waiting for')], 30, 'a warning')[0]
    assert waits.level == WARN and own[0].stamp.sec > 1_700_000_000


def test_rosout_can_be_switched_off_and_levels_hold(start, client):
    lines = client.listen(Log, '/rosout', ROSOUT)
    quiet = start('observer_node', '-r', '__node:=quiet', '--log-level', 'error')
    deaf = start('observer_node', '-r', '__node:=deaf', '--disable-rosout-logs')
    client.wait_for(lambda: 'waiting for' in deaf.said(), 30, 'a warning')
    client.spin(1.0)
    assert not [m for m in lines if m.name in ('quiet', 'deaf')] and quiet.said() == ''


def test_levels_are_set_by_service(observer, client):
    try:
        from rcl_interfaces.srv import GetLoggerLevels, SetLoggerLevels
    except ImportError:  # Humble has none.
        names = [name for name, _ in client.node.get_service_names_and_types()]
        assert not [name for name in names if 'logger_levels' in name]
        return

    def levels():
        answer = client.call(GetLoggerLevels, '/chess_observer/get_logger_levels', names=['chess_observer', 'other'])
        return [(level.name, level.level) for level in answer.levels]

    assert levels() == [('chess_observer', 20), ('other', 0)]
    wanted = [LoggerLevel(name='chess_observer', level=40), LoggerLevel(name='chess_observer', level=7),
              LoggerLevel(name='other', level=40)]
    results = client.call(SetLoggerLevels, '/chess_observer/set_logger_levels', levels=wanted).results
    assert [(r.successful, r.reason) for r in results] == [
        (True, ''), (False, 'expected a level of 10, 20, 30, 40 or 50, got 7'),
        (False, 'there is no logger "other" here, only chess_observer')]
    assert levels() == [('chess_observer', 40), ('other', 0)]


def test_a_game_says_where_its_pgn_goes(start, client, tmp_path, monkeypatch):
    monkeypatch.setenv('CLUB', str(tmp_path / 'club'))
    monkeypatch.setenv('HOME', str(tmp_path / 'home'))
    observer = start(pgn_directory='${CLUB}/games')
    heard(client, observer, f'a new game begins; its PGN will be a file in {tmp_path}/club/games')
    assert (tmp_path / 'club' / 'games').is_dir()
    at_home = start('observer_node', '-r', '__node:=second', pgn_directory='~/games', board__calibration_file='~/no/place.toml')
    heard(client, at_home, f'its PGN will be a file in {tmp_path}/home/games')
    # Of other paths only the file is made.
    assert [p.name for p in (tmp_path / 'home').iterdir()] == ['games']
    none = start('observer_node', '-r', '__node:=third')
    heard(client, none, 'its PGN is only on the topic pgn: pgn_directory is empty')


@pytest.mark.parametrize('name, known', [
    ('observer_node', 'game.start_fen\n      Position that the game starts from; empty is the usual one.'),
    ('simulator_node', 'speed\n      Film seconds a second, 0.05 to 20.0. [1.0]'),
    ('display_node', 'port\n      Port to listen on, 0 to 65535; 0 takes a free one. [8080]'),
    ('lichess_node', 'confirm_all\n      Every move waits for ~/confirm. [false]'),
    ('broadcast_node', 'pause_s\n      Least time between two texts, in whole seconds, 1 to 600. [5]'),
    ('engine_node', 'engine\n      Program of the engine, which speaks UCI. ["/usr/games/stockfish"]'),
])
def test_help_names_every_parameter(name, known):
    ended = subprocess.run([program(name), '--help'], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 0 and ended.stderr == ''
    assert f'\n  {known}' in ended.stdout and f'ros2 run chess_observer {name} --ros-args' in ended.stdout


@pytest.mark.parametrize('name', ['observer_node', 'simulator_node', 'chess_observer', 'robot_arm.py', 'subscribe.py'])
def test_the_programs_are_on_the_path_of_the_scripts(name):
    found = subprocess.run([ROOT / 'scripts' / 'with_ros.sh', 'which', name], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0 and found.stdout.strip().endswith(f'/lib/chess_observer/{name}')


@pytest.mark.parametrize('name', ['observer_node', 'simulator_node', 'display_node'])
@pytest.mark.parametrize('arguments, line', [
    (['--fen', 'x'], 'unknown argument "--fen"'),
    (['--ros-args', '--param-file', 'a.yaml'], 'unknown argument "--param-file": did you mean --params-file?'),
    (['--ros-args', '-p'], '-p needs a value'),
])
def test_unknown_options_are_told(name, arguments, line):
    ended = subprocess.run([program(name), *arguments], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 2 and ended.stderr.startswith(f'{name}: {line}'), ended.stderr


def test_the_simulator_tells_misspelt_parameters(start, client):
    simulator = start('simulator_node', speeed=2.0, reliabel=False, seed=3)
    heard(client, simulator, 'unknown parameter "speeed": did you mean "speed"?')
    heard(client, simulator, 'unknown parameter "reliabel": did you mean "reliable"?')
    assert simulator.said().count('unknown parameter') == 2


@pytest.mark.parametrize('name, given, meant', [('display_node', 'bords', 'boards'), ('display_node', 'pgn.prot', 'pgn.port'),
                                                ('engine_node', 'movetime', 'movetime_ms')])
def test_other_nodes_tell_misspelt_parameters(name, given, meant):
    # Found before anything else is asked of the machine: the node ends by a parameter that is refused.
    refused = {'display_node': 'port:=-7', 'engine_node': 'color:=red'}[name]
    ended = subprocess.run([program(name), '--ros-args', '-p', f'{given}:=1', '-p', refused], capture_output=True, text=True,
                           timeout=20)
    assert ended.returncode == 2
    assert f'unknown parameter "{given}": did you mean "{meant}"?' in ended.stdout + ended.stderr


def test_a_whole_number_is_taken_for_a_number_and_a_word_is_refused(start, client):
    simulator = start('simulator_node', speed=3, seed=3)
    answer = client.call(GetParameters, '/chess_simulator/get_parameters', names=['speed'])
    assert answer.values[0].double_value == 3.0
    simulator.stop()
    ended = subprocess.run([program('simulator_node'), '--ros-args', '-p', 'speed:=fast'], capture_output=True, text=True,
                           timeout=20)
    assert ended.returncode == 2
    assert ended.stderr.strip().endswith('parameter speed: expected a value of type double, got "fast"'), ended.stderr


def test_a_blitz_hand_is_not_taken_for_the_ply_that_stands(start, client, tmp_path):
    """The next hand is over the board before the last one has left: its move is not the one that was just played."""
    moves = ['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1b5', 'a7a6']
    (tmp_path / 'game.pgn').write_text('1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n')
    (tmp_path / 'blitz.toml').write_text('[camera]\nwidth = 160\nheight = 120\n[pace]\nrest_min_s = -1.0\nrest_max_s = -0.8\n')
    simulator = start('simulator_node', pgn=tmp_path / 'game.pgn', scene=tmp_path / 'blitz.toml', wait_for_subscriber=False,
                      speed=4.0)
    heard(client, simulator, 'the last move was made', 120)
    assert re.findall(r'ply (\d+) was played: (\S+)', simulator.said()) == [
        (str(k), uci) for k, uci in enumerate(moves, 1)]
