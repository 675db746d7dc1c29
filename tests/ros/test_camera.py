"""What the camera says of itself, and what is kept of the board's place."""

import math
import os
import signal

import pytest
from chess_observer.msg import Board
from conftest import LATCHED, RELIABLE
from pictures import plain
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage

# A lens that bends a straight line by several pixels, seen from 55 degrees above the plane.
ELEVATION = 55.0
SCENE = f"""[camera]
elevation_deg = {ELEVATION}
azimuth_deg = 0.0
roll_deg = 0.0
aim_m = [0.0, 0.0]
width = 960
height = 720
k1 = -0.2
[pace]
rest_min_s = 60.0
rest_max_s = 61.0
"""


@pytest.fixture
def film(start, client, tmp_path):
    """Show a board on which nobody plays for a long time."""
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text('1. e4 *')
    scene.write_text(SCENE)
    return lambda: start('simulator_node', pgn=game, scene=scene)


def elevation(pose):
    """Angle between the board's plane and the ray from its centre to the camera, in degrees, and the distance."""
    q, t = pose.orientation, pose.position
    # The board's axes in the camera's frame.
    x = (1 - 2 * (q.y ** 2 + q.z ** 2), 2 * (q.x * q.y + q.z * q.w), 2 * (q.x * q.z - q.y * q.w))
    y = (2 * (q.x * q.y - q.z * q.w), 1 - 2 * (q.x ** 2 + q.z ** 2), 2 * (q.y * q.z + q.x * q.w))
    z = (2 * (q.x * q.z + q.y * q.w), 2 * (q.y * q.z - q.x * q.w), 1 - 2 * (q.x ** 2 + q.y ** 2))
    centre = [t_i + 0.2 * (x_i + y_i) for t_i, x_i, y_i in zip((t.x, t.y, t.z), x, y)]
    distance = math.sqrt(sum(c * c for c in centre))
    return math.degrees(math.asin(-sum(a * b for a, b in zip(centre, z)) / distance)), distance


def stamp(header):
    """When its picture was taken, to be compared."""
    return header.stamp.sec, header.stamp.nanosec


def test_the_pose_is_right_through_the_lens(start, client, film):
    boards = client.listen(Board, 'board', LATCHED)
    transforms = client.listen(TFMessage, '/tf')
    start(square_size_m=0.05)
    film()

    def agree():
        """The pose told last, where the transform told last is the same. Before the camera was known both were estimates."""
        told = [b for b in boards if b.pose_source == Board.POSE_CAMERA_INFO]
        frames = [t.transforms[0] for t in transforms if told and stamp(t.transforms[0].header) >= stamp(told[-1].header)]
        if not frames:
            return None
        moved, position = frames[-1].transform.translation, told[-1].pose.position
        same = pytest.approx([position.x, position.y, position.z], abs=0.005 * moved.z)
        return told[-1] if [moved.x, moved.y, moved.z] == same else None

    found = client.wait_for(agree, 60, 'a pose from camera_info, and a transform that says the same')
    seen, distance = elevation(found.pose)
    assert abs(seen - ELEVATION) < 2.0 and 0.3 < distance < 3.0
    assert 0 < found.pose_angle_sd_rad < 0.05 and 0 < found.pose_distance_sd < 0.02
    assert found.focal_px > 500 and found.focal_sd == 0.0


def test_pictures_of_a_board_at_rest_are_left_out_and_its_frame_is_told_for_them_as_well(start, client, tmp_path):
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text('1. e4 *')
    scene.write_text(SCENE.replace('[pace]', 'frame_rate_hz = 30.0\n[pace]'))
    start()
    start('simulator_node', pgn=game, scene=scene)
    client.diagnostics('input', lambda v: int(v['left_out_at_rest']) > 10, 60)
    transforms = client.listen(TFMessage, '/tf')

    def next_to_each_other():
        """Are there transforms of two pictures so near each other that the later one was left out?"""
        stamps = [t.transforms[0].header.stamp for t in transforms]
        times = [stamp.sec + 1e-9 * stamp.nanosec for stamp in stamps]
        return any(later - sooner < 0.045 for sooner, later in zip(times, times[1:]))

    client.wait_for(next_to_each_other, 60, 'a transform of a picture that was left out')
    level, message, values = client.diagnostics('input')
    assert int(values['examined']) >= int(values['left_out_at_rest']), values


def test_a_calibration_that_cannot_be_used_is_told_once(observer, client):
    infos = client.node.create_publisher(CameraInfo, 'camera_info', RELIABLE)
    pictures = client.node.create_publisher(Image, 'image_raw', RELIABLE)
    client.wait_for(lambda: infos.get_subscription_count() and pictures.get_subscription_count(), what='a subscriber')
    info = CameraInfo(width=64, height=48, distortion_model='crystal_ball', d=[0.1] * 5)
    info.k = [50.0, 0.0, 31.5, 0.0, 50.0, 23.5, 0.0, 0.0, 1.0]
    for i in range(5):
        infos.publish(info)
        pictures.publish(plain(seconds=1.0 + i))
        client.spin(0.1)
    level, message, values = client.diagnostics('board', lambda v: v['camera_info_problem'])
    assert level == 1 and 'unknown distortion model "crystal_ball"' in message and values['pose'] == 'none'
    client.wait_for(lambda: 'camera_info is not used' in observer.said(), what='a line in the log')
    assert observer.said().count('camera_info is not used') == 1
    # Zeros are no calibration, and nothing to complain of; a good one heals.
    info.distortion_model = 'plumb_bob'
    infos.publish(info)
    client.diagnostics('board', lambda v: not v['camera_info_problem'])


def test_the_boards_place_is_kept_for_the_next_start(start, client, film, tmp_path):
    boards = client.listen(Board, 'board', LATCHED)
    kept = tmp_path / 'place' / 'board.toml'
    kept.parent.mkdir()
    first = start(board__calibration_file=kept)
    film()
    client.wait_for(lambda: [b for b in boards if b.state == Board.STATE_LOCKED], 60, 'the board')
    client.wait_for(kept.exists, 10, 'the file')
    assert first.stop(signal.SIGINT)[0] == 0
    text = kept.read_text()
    assert 'chess_observer calibration 1' in text and 'picture_px = [960, 720]' in text

    del boards[:]
    second = start(board__calibration_file=kept)
    client.wait_for(lambda: 'the board is looked for where it was' in second.said(), what='the memory')
    client.wait_for(lambda: [b for b in boards if b.state == Board.STATE_LOCKED], 60, 'the board again')
    assert second.stop(signal.SIGINT)[0] == 0
    # A damaged file is named, and stops nothing.
    kept.write_text(text[:-30])
    del boards[:]
    third = start(board__calibration_file=kept)
    client.wait_for(lambda: 'is not remembered' in third.said(), what='a warning')
    client.wait_for(lambda: [b for b in boards if b.state == Board.STATE_LOCKED], 60, 'the board, found by itself')
    client.wait_for(lambda: 'a8 = [' in kept.read_text() and kept.read_text() != text[:-30], 10, 'the file anew')


def test_by_default_the_place_is_kept_in_the_home_of_ros(start, client, film):
    boards = client.listen(Board, 'board', LATCHED)
    start('observer_node', '-r', '__ns:=/board_1', '-r', '/board_1/image_raw:=/image_raw', '-r', '/board_1/board:=/board')
    film()
    client.wait_for(lambda: [b for b in boards if b.state == Board.STATE_LOCKED], 60, 'the board')
    kept = os.path.join(os.environ['ROS_HOME'], 'chess_observer', 'board_1_chess_observer.toml')
    client.wait_for(lambda: os.path.exists(kept), 10, 'the file')
