"""Pictures of every kind, good and bad: nothing stops the node, and everything is counted."""

import pytest
from conftest import BEST_EFFORT, RELIABLE
from pictures import ENCODINGS, compressed, plain, stamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import CameraInfo, CompressedImage, Image


class Camera:
    """Publishes pictures to a node that listens."""

    def __init__(self, client, kind=Image, topic='image_raw', qos=RELIABLE):
        self.client = client
        self.publisher = client.node.create_publisher(kind, topic, qos)
        client.wait_for(lambda: self.publisher.get_subscription_count() > 0, what='a subscriber')
        # It subscribes anew when it has seen what the publisher offers.
        wanted = 'best_effort' if qos is BEST_EFFORT else 'reliable'
        client.diagnostics('input', lambda v: v['reliability'] == wanted and v['publishers'] == '1')
        client.spin(0.3)

    def show(self, *messages, pause=0.05):
        """Publish one after another."""
        for message in messages:
            self.publisher.publish(message)
            self.client.spin(pause)


def counted(client, **wanted):
    """Wait until the diagnostics of the input count so many."""
    return client.diagnostics('input', lambda v: all(v[k] == str(n) for k, n in wanted.items()))


@pytest.mark.parametrize('encoding', ENCODINGS)
def test_every_encoding_with_padded_rows_is_examined(observer, client, encoding):
    Camera(client).show(plain(encoding), plain(encoding, padding=13, seconds=2.0))
    level, message, values = counted(client, examined=2)
    assert (values['refused'], values['encoding']) == ('0', encoding)


def test_malformed_pictures_are_counted_and_harm_nothing(observer, client):
    camera = Camera(client)
    camera.show(
        plain(width=0, height=0), plain(width=0), plain(height=0),
        plain(step=100), plain(step=0),
        plain(data=b'\x80' * 100), plain(data=b''), plain(height=4_000_000, data=b'\x80'),
        plain('nonsense'), plain(encoding='32FC1'), plain(encoding=''),
        plain('rgb8', width=1, height=1),
    )
    level, message, values = counted(
        client, received=12, examined=1, refused_bad_size=4, refused_bad_step=2, refused_short_data=2,
        refused_unknown_encoding=3)
    assert observer.running()


def test_a_picture_of_20_megapixels_passes(observer, client):
    Camera(client).show(plain('bgr8', width=5472, height=3648), pause=1.0)
    counted(client, examined=1, refused=0)


def test_compressed_pictures(start, client):
    observer = start(image_transport='compressed')
    camera = Camera(client, CompressedImage, 'image_raw/compressed')
    cut = compressed('JPEG')
    cut.data = cut.data[:200]
    bomb = stamped(CompressedImage(format='png'), 1.0)
    bomb.data = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0' + bytes(100)
    camera.show(compressed('JPEG'), compressed('PNG', 2.0), cut, bomb,
                CompressedImage(format='gif', data=b'GIF89a'), CompressedImage(), pause=0.15)
    level, message, values = counted(client, examined=2, refused_undecodable=2, refused_unknown_format=2)
    assert values['encoding'] in ('jpeg', 'png') and observer.running()


def test_reliability_follows_the_publishers(observer, client):
    camera = Camera(client, qos=BEST_EFFORT)
    camera.show(plain())
    counted(client, examined=1)
    client.node.destroy_publisher(camera.publisher)
    camera = Camera(client, qos=RELIABLE)
    camera.show(plain(seconds=2.0))
    counted(client, examined=2, reliability='reliable')
    second = client.node.create_publisher(Image, 'image_raw', BEST_EFFORT)
    level, message, values = client.diagnostics('input', lambda v: v['reliability'] == 'best_effort')
    assert values['publishers'] == '2'
    client.node.destroy_publisher(second)


def test_a_reliable_wish_that_cannot_be_met_is_an_error(start, client):
    start(image_reliability='reliable')
    client.node.create_publisher(Image, 'image_raw', BEST_EFFORT)
    level, message, values = client.diagnostics('input', lambda v: v['publishers'] == '1')
    assert (level, message) == (2, 'a publisher is best effort and image_reliability is reliable: nothing can arrive')


def test_pictures_beyond_the_rate_are_skipped(observer, client):
    rate = Parameter(name='max_rate_hz', value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=0.5))
    client.call(SetParameters, '/chess_observer/set_parameters', parameters=[rate])
    Camera(client).show(*(plain(seconds=1.0 + i) for i in range(4)))
    counted(client, received=4, skipped_max_rate=3, examined=1)


def test_time_may_run_backwards(observer, client):
    Camera(client).show(plain(seconds=100.0), plain(seconds=101.0), plain(seconds=5.0), plain(seconds=6.0))
    counted(client, examined=4, time_jumps=1)
    assert observer.running()


def test_pictures_lost_on_the_way_are_noticed(observer, client):
    camera = Camera(client)
    infos = client.node.create_publisher(CameraInfo, 'camera_info', RELIABLE)
    for i in range(60):
        infos.publish(CameraInfo())
        if i % 20 == 0:
            camera.show(plain(seconds=1.0 + i))
        client.spin(0.05)
    level, message, values = client.diagnostics('input', lambda v: float(v['camera_info_rate_hz']) > 5)
    assert level == 1 and 'pictures are lost on the way' in message


def test_the_overlay_is_drawn_for_those_who_look(observer, client):
    overlays = client.listen(Image, '/chess_observer/overlay', BEST_EFFORT)
    camera = Camera(client)
    client.spin(0.5)
    camera.show(plain(seconds=7.25))
    client.wait_for(lambda: overlays, what='an overlay')
    shown = overlays[0]
    assert (shown.width, shown.height, shown.encoding, shown.step) == (64, 48, 'rgb8', 192)
    assert (shown.header.frame_id, shown.header.stamp.sec, shown.header.stamp.nanosec) == ('camera_optical', 7, 250_000_000)
