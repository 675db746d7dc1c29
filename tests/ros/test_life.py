"""The end of the node, and its life after it."""

import signal
import time

import pytest
from chess_observer.msg import Position
from conftest import LATCHED
from pictures import plain
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(observer, client, how):
    camera = client.node.create_publisher(Image, 'image_raw', 5)
    client.wait_for(lambda: camera.get_subscription_count() > 0, what='a subscriber')
    for i in range(5):
        camera.publish(plain(width=640, height=480, seconds=1.0 + i))
    code, seconds = observer.stop(how)
    assert code == 0 and seconds < 5
    assert 'panicked' not in observer.said() and 'could not publish' not in observer.said()


def test_signals_right_after_the_start_and_twice(start, client):
    observer = start()
    time.sleep(0.3)
    observer.process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    observer.process.send_signal(signal.SIGINT)
    assert observer.process.wait(timeout=5) in (0, -signal.SIGINT)


def test_after_a_hard_end_a_new_one_serves_the_same_clients(start, client):
    positions = client.listen(Position, 'position', LATCHED)
    first = start()
    client.wait_for(lambda: len(positions) == 1, what='the first node')
    first.process.kill()
    first.process.wait()
    start()
    client.wait_for(lambda: len(positions) == 2, what='the second node')


def test_the_time_of_a_recording_is_followed(start, client):
    start(use_sim_time=True)
    clock = client.node.create_publisher(Clock, '/clock', 10)
    camera = client.node.create_publisher(Image, 'image_raw', 5)
    client.wait_for(lambda: camera.get_subscription_count() > 0, what='a subscriber')
    now = Clock()
    now.clock.sec = 1000
    for _ in range(30):
        clock.publish(now)
        client.spin(0.05)
    camera.publish(plain(seconds=990.0))
    _, _, values = client.diagnostics('input', lambda v: v['examined'] == '1' and 'age_s' in v)
    assert float(values['age_s']) == pytest.approx(10.0)
