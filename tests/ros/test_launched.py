"""The launch files run by the real `launch` and `launch_ros`, where these are installed: an installed ROS 2 has them, the wheels
have not, and then `test_launch.py` alone speaks for them."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from board_api import TOKEN, BoardApi
from chess_observer.msg import Move, Position
from conftest import LATCHED, program
from std_msgs.msg import String
from std_srvs.srv import Trigger
from test_eboard import get
from test_launch import installed

pytest.importorskip('launch_ros', reason='launch_ros is not among the wheels; an installed ROS 2 has it')

GAME = '1. e4 e5 2. Nf3 *'
SCENE = '[camera]\nwidth = 640\nheight = 480\nelevation_deg = 60.0\n[pace]\nrest_min_s = 1.2\nrest_max_s = 1.4\n'
# What `ros2 launch` does with a file and its arguments.
LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import AnyLaunchDescriptionSource
path, *given = sys.argv[1:]
service = LaunchService(argv=given)
pairs = [tuple(word.split(':=', 1)) for word in given]
service.include_launch_description(LaunchDescription([
    IncludeLaunchDescription(AnyLaunchDescriptionSource(path), launch_arguments=pairs)]))
sys.exit(service.run())
"""
# What `ros2 bag play` does, for one topic: the recording's messages and its clock.
PLAYER = """
import pathlib, sys, time
import rclpy
from rosbags.highlevel import AnyReader
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage
assert sys.argv[1:3] == ['bag', 'play'], sys.argv
words = sys.argv[4:]
rate, delay = (float(words[words.index(word) + 1]) for word in ('--rate', '--delay'))
kinds = {'sensor_msgs/msg/CompressedImage': CompressedImage, 'sensor_msgs/msg/CameraInfo': CameraInfo}
rclpy.init()
node = rclpy.create_node('player')
clock = node.create_publisher(Clock, '/clock', 10)
with AnyReader([pathlib.Path(sys.argv[3])]) as reader:
    out = {c.topic: node.create_publisher(kinds[c.msgtype], c.topic, 10) for c in reader.connections if c.msgtype in kinds}
    time.sleep(delay)
    begun, first = time.monotonic(), None
    for connection, stamp, raw in reader.messages():
        first = stamp if first is None else first
        time.sleep(max(0.0, (stamp - first) * 1e-9 / rate - (time.monotonic() - begun)))
        now = Clock()
        now.clock.sec, now.clock.nanosec = divmod(stamp, 10**9)
        clock.publish(now)
        if connection.topic in out:
            out[connection.topic].publish(bytes(raw))
rclpy.shutdown()
"""


class Launched:
    """A launch file that runs."""

    def __init__(self, log, name, arguments, env):
        self.log = log
        with open(log, 'w', encoding='utf-8') as out:
            command = [sys.executable, '-c', LAUNCH, installed(name), *arguments]
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=env, start_new_session=True)

    def said(self):
        """Everything it has printed."""
        return self.log.read_text(encoding='utf-8')

    def end(self):
        """Interrupt it as Ctrl-C does; return its status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=30)


@pytest.fixture
def launched(tmp_path, monkeypatch):
    """Run launch files; whatever still runs at the end is ended."""
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'ros_home'))
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path / 'ros_log'))
    started = []

    def run(name, *arguments, **env):
        started.append(Launched(tmp_path / f'{name}_{len(started)}.log', name, arguments, {**os.environ, **env}))
        return started[-1]

    yield run
    for one in started:
        if one.process.poll() is None:
            one.end()


def ended(launched, timeout=60):
    """Wait for the end; return status and what was said."""
    return launched.process.wait(timeout=timeout), launched.said()


@pytest.fixture
def files(tmp_path):
    """Write game and scene; return their paths."""
    (tmp_path / 'game.pgn').write_text(GAME)
    (tmp_path / 'scene.toml').write_text(SCENE)
    return tmp_path / 'game.pgn', tmp_path / 'scene.toml'


def test_a_simulated_game_is_followed_and_goes_on_when_the_observer_was_killed(launched, client, files, tmp_path):
    moves = client.listen(Move, '/b/moves')
    folder = tmp_path / 'games'
    run = launched('simulation', 'namespace:=b', f'pgn:={files[0]}', f'scene:={files[1]}', 'seed:=3', 'speed:=1',
                   f'pgn_directory:={folder}', 'players:=Ng, Ada - 1')
    client.wait_for(lambda: moves, 120, 'a move')
    observer = int(re.search(r'\[observer_node-\d+\]: process started with pid \[(\d+)\]', run.said())[1])
    os.kill(observer, signal.SIGKILL)
    client.wait_for(lambda: 'goes on: ' in run.said(), 30, 'the restarted node')
    positions = client.listen(Position, '/b/position', LATCHED)
    client.wait_for(lambda: positions and positions[-1].ply == 3, 120, 'the last ply')
    (file,) = folder.glob('*.pgn')
    client.wait_for(lambda: 'Nf3' in file.read_text(), what='the file')
    assert '[White "Ng, Ada"]' in file.read_text() and '[Black "1"]' in file.read_text()
    assert run.end() == 0, run.said()


def test_what_the_arguments_say_wrongly_ends_the_launch(launched):
    for arguments, line in [
        (['params_file:=/no/such.yaml'], 'launch argument params_file: there is no /no/such.yaml'),
        (['players:=Ada'], "launch argument players: expected 'White - Black', got 'Ada'"),
        (['pgn_direktory:=/tmp'], "unknown launch argument 'pgn_direktory': did you mean 'pgn_directory'?"),
    ]:
        status, said = ended(launched('observer', *arguments))
        assert status == 1 and line in said and 'process started' not in said, said


def test_the_observer_hears_every_argument(launched, client):
    fen = '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1'
    positions = client.listen(Position, '/x/position', LATCHED)
    run = launched('observer', 'namespace:=x', f'start_fen:={fen}', 'image_topic:=/cam/image', 'image_transport:=compressed',
                   'respawn:=false', 'log_level:=warn')
    client.wait_for(lambda: positions, 30, 'the position')
    assert positions[0].fen == fen
    _, message, values = client.diagnostics('input', lambda v: v['topic'].startswith('/cam'))
    assert values['topic'] == '/cam/image/compressed' and ' is ready' not in run.said()
    assert run.end() == 0, run.said()


def test_a_recording_is_replayed_and_everything_ends_with_it(launched, files, tmp_path):
    bag, folder, tools = tmp_path / 'bag.mcap', tmp_path / 'games', tmp_path / 'bin'
    subprocess.run([program('chess_observer'), 'simulate', '--pgn', files[0], '--scene', files[1], '--out', bag], check=True)
    tools.mkdir()
    (tools / 'ros2').write_text(f'#!{sys.executable}\n{PLAYER}')
    (tools / 'ros2').chmod(0o755)
    run = launched('replay', f'bag:={bag}', f'pgn_directory:={folder}', PATH=f'{tools}:{os.environ["PATH"]}')
    status, said = ended(run, 180)
    assert status == 0 and 'the recording has ended' in said, said
    (file,) = folder.glob('*.pgn')
    assert [san in file.read_text() for san in ('e4', 'e5', 'Nf3')] == [True] * 3
    # A player that fails is an error of the whole.
    (tools / 'ros2').write_text('#!/bin/sh\necho no such storage >&2\nexit 3\n')
    status, said = ended(launched('replay', f'bag:={bag}', PATH=f'{tools}:{os.environ["PATH"]}'))
    assert status == 1 and f'ros2 bag play {bag} failed with status 3' in said, said


def stand_in_for_usb_cam(tmp_path, lines):
    """Make a package of this name, whose program is this shell script; return the path that has it first."""
    prefix = tmp_path / 'prefix'
    programs, index = prefix / 'lib' / 'usb_cam', prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
    programs.mkdir(parents=True)
    index.mkdir(parents=True)
    (prefix / 'share' / 'usb_cam').mkdir()
    (index / 'usb_cam').touch()
    script = programs / 'usb_cam_node_exe'
    script.write_text(f'#!/bin/sh\n{lines}\n')
    script.chmod(0o755)
    return f'{prefix}:{os.environ["AMENT_PREFIX_PATH"]}'


def test_a_camera_gets_its_arguments(launched, client, tmp_path):
    """A program that stands for usb_cam prints what it is given."""
    path = stand_in_for_usb_cam(tmp_path, 'while [ $# != 0 ]; do [ "$1" = --params-file ] && cat "$2"; shift; done; sleep 60')
    run = launched('usb_camera', 'width:=640', 'camera_name:=007', 'framerate:=5', AMENT_PREFIX_PATH=path)
    client.wait_for(lambda: 'framerate: 5.0' in run.said(), 30, 'the parameters')
    said = run.said()
    for line in ('image_width: 640', "camera_name: '007'", 'brightness: -1', 'pixel_format: mjpeg2rgb'):
        assert line in said, said
    begun = time.monotonic()
    run.end()
    assert time.monotonic() - begun < 20


def test_a_game_on_lichess_with_a_webcam_from_one_command(launched, client, files, tmp_path):
    """As the README says it, with the simulator in the place of the webcam, and a stand-in of the server."""
    api, token = BoardApi(), tmp_path / 'token'
    # Nobody waits for the server on that board: who is to move next has to be slow enough for it.
    files[1].write_text(SCENE.replace('1.2', '5.0').replace('1.4', '5.5'))
    token.write_text(TOKEN)
    token.chmod(0o600)
    path = stand_in_for_usb_cam(
        tmp_path, f'exec {program("simulator_node")} --ros-args -p pgn:={files[0]} -p scene:={files[1]} -p speed:=1.0')
    states = client.listen(String, 'chess_lichess/state', LATCHED)
    opponent = client.listen(Move, 'opponent_moves')
    try:
        run = launched('usb_camera', 'opponent:=lichess', f'token_file:={token}', f'server:={api.address}', 'display_port:=0',
                       'eboard_port:=0', 'pgn_port:=0', AMENT_PREFIX_PATH=path)
        api.begin('abc')
        asked = []

        def over():
            """The other side answers at once; what waits for a word gets it."""
            standing = json.loads(states[-1].data)['standing'] if states else ''
            if 'waits for ~/confirm' in standing and standing not in asked:
                asked.append(standing)
                assert client.call(Trigger, 'chess_lichess/confirm').success
            if api.moves('abc') == ['e2e4']:
                api.play('abc', 'e7e5')
            return api.moves('abc') == ['e2e4', 'e7e5', 'g1f3']
        client.wait_for(over, 120, 'the game on the server')
        client.wait_for(lambda: [m.uci for m in opponent] == ['e7e5'], what="the other side's move")
        said = run.said()
        for words in ('plays on http://127.0.0.1:', 'the boards are electronic boards on ws://127.0.0.1:', 'with control: '):
            assert words in said, said
        # What is meant for the observer alone is no mistake of the others.
        assert 'unknown parameter' not in said, said
        games = said.split('the games alone are on ')[1].split()[0]
        client.wait_for(lambda: all(san in get(games)[2] for san in ('1. e4', 'e5', '2. Nf3')), what='the game for others')
        assert run.end() == 0, run.said()
    finally:
        api.close()
