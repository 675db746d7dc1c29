"""Cameras that go away, change, freeze, and send stamps that no clock has: the game is intact, and it is said."""

import pytest
from conftest import LONG
from film import CLOCK, Camera, Ledger, message
from graph import RELIABLE
from PIL import Image as Pil
from PIL import ImageEnhance
from sensor_msgs.msg import Image
from std_msgs.msg import String


@pytest.fixture
def camera(start, client, film):
    """Make a camera before a running node, and play the first ply."""
    camera = Camera(client, film)
    camera.ledger = Ledger(client)
    camera.observer = start()
    camera.ready(camera.observer)
    camera.play(0, film.rest[1])
    return camera


def play_on(camera, first, last, after=None, **how):
    """Play these plies, from after a picture on or from after those before them; they are told rightly."""
    rest = camera.film.rest
    camera.play((rest[first - 1] if after is None else after) + 1, rest[last], **how)
    camera.rest(last, lambda: len(camera.ledger.line) == last, what=f'ply {last}', **how)
    assert camera.ledger.line == camera.film.ucis[:last]
    assert camera.observer.running()


def test_gone_for_ten_minutes_and_back_with_another_picture(camera, client):
    play_on(camera, 2, 3)
    camera.now += 600.0
    film, rest = camera.film, camera.film.rest
    for index in range(rest[3] + 1, rest[5] + 12):
        picture = ImageEnhance.Brightness(film.picture(min(index, rest[5]))).enhance(0.7)
        camera.show(picture.resize((960, 720), Pil.BICUBIC), encoding='bgr8')
    assert camera.ledger.line == film.ucis[:5]
    for index in range(rest[5] + 1, rest[7] + 12):
        camera.show(min(index, rest[7]), encoding='rgba8')
    assert camera.ledger.line == film.ucis[:7]
    assert camera.observer.running()


@pytest.mark.parametrize(('ply', 'hand'), [(1, 'in the air'), (2, 'set down')])
def test_a_frozen_picture_is_no_move_and_no_end(camera, client, ply, hand):
    frozen = camera.film.shows(ply, hand)
    for _ in range(100):
        camera.show(frozen)
    # A man who stands on his square may be told, though the hand never draws back; who is in the air never.
    told = camera.ledger.line
    assert 1 <= len(told) <= ply and told == camera.film.ucis[:len(told)]
    play_on(camera, 2, 3, after=frozen)


def test_stamps_that_stand_still_hold_nothing_up_and_are_told(camera, client):
    play_on(camera, 2, 2)
    film, rest, told = camera.film, camera.film.rest, camera.ledger
    stamp = camera.now
    for index in range(rest[2] + 1, rest[4] + 60):
        camera.send(film.message(min(index, rest[4])), stamp)
        client.spin(0.1)
        if told.line == film.ucis[:4]:
            break
    assert told.line == film.ucis[:4]
    level, text, _ = client.diagnostics('input', lambda v: v['stamps'] != 'used')
    assert level == 1 and 'stamps' in text
    camera.now += 100.0
    play_on(camera, 5, 5)
    client.diagnostics('input', lambda v: v['stamps'] == 'used')


def test_pictures_that_come_twice_or_in_another_order(camera, client):
    film, rest = camera.film, camera.film.rest
    for index in range(rest[1] + 1, rest[3]):
        camera.show(index)
        camera.show(index, step=0.0)
    camera.rest(3, lambda: len(camera.ledger.line) == 3, what='the third ply')
    for index in range(rest[3] + 1, rest[5], 2):
        camera.show(index + 1, step=0.2)
        camera.show(index, step=-0.1)
        camera.now += 0.1
    camera.rest(5, lambda: len(camera.ledger.line) == 5, what='the fifth ply')
    assert camera.ledger.line == film.ucis[:5]


@pytest.mark.parametrize('jump', [-3600.0, 'end', *([86_400.0, 'zero'] if LONG else [])])
def test_stamps_that_jump(camera, client, jump):
    play_on(camera, 2, 2)
    # The first and the last time that a message can tell.
    camera.now = {'zero': 0.0, 'end': 2.0**31 - 30.0}.get(jump, camera.now + jump if isinstance(jump, float) else None)
    play_on(camera, 3, 4)
    if jump == 'end':
        # It cannot go on, and goes back to where clocks are.
        camera.now = CLOCK
        play_on(camera, 5, 5)


def test_a_recording_that_is_played_again_is_another_game(camera, client):
    last = len(camera.film.rest) - 1
    play_on(camera, 2, last)
    camera.now = CLOCK
    camera.play(0, camera.film.rest[2])
    camera.rest(2, lambda: len(camera.ledger.line) == 2, what='the second ply again')
    assert camera.ledger.games == [camera.film.ucis[:last]] and camera.ledger.line == camera.film.ucis[:2]


def test_a_second_camera_on_the_topic_is_told(camera, client):
    other = client.node.create_publisher(Image, 'image_raw', RELIABLE)
    level, text, _ = client.diagnostics('input', lambda v: v['publishers'] == '2')
    assert level == 1 and '2 publishers on /image_raw' in text
    grey = message(Pil.new('RGB', (640, 480), (90, 90, 90)))
    for _ in range(30):
        camera.show(camera.film.rest[1])
        other.publish(grey)
    assert camera.observer.running()
    assert client.node.destroy_publisher(other)
    play_on(camera, 2, 3)


def test_a_topic_of_another_type_is_told(start, client):
    client.node.create_publisher(String, 'image_raw', RELIABLE)
    observer = start()
    level, text, _ = client.diagnostics('input', lambda v: v['foreign_types'])
    assert level == 2 and 'std_msgs/msg/String' in text
    assert observer.running()
