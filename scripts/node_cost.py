#!/usr/bin/env python3
"""Measure what observer_node costs at 30 pictures a second of 1280x720 in which nothing happens, in shares of one processor.

    scripts/python.sh scripts/node_cost.py [BINARY]

Processor time of the node's process over 20 s each, middle of three: raw pictures, JPEG, and both with somebody who looks at
the overlay. BINARY is another observer_node, to compare with. Run it when nothing else does.
"""
import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault('ROS_DOMAIN_ID', '77')
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'

import PIL.Image
import rclpy
from ament_index_python.packages import get_package_prefix
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import CompressedImage, Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = pathlib.Path(get_package_prefix('chess_observer')) / 'lib' / 'chess_observer'
RATE_HZ, SECONDS, TIMES = 30.0, 20.0, 3
SCENE = '[camera]\nwidth = 1280\nheight = 720\nelevation_deg = 50.0\n'


def picture(folder):
    """One simulated picture of the start position."""
    (folder / 'scene.toml').write_text(SCENE)
    (folder / 'game.pgn').write_text('1. e4 *\n')
    film = folder / 'film'
    command = [PROGRAMS / 'chess_observer', 'simulate', '--stills', '--pgn', folder / 'game.pgn', '--scene', folder / 'scene.toml']
    subprocess.run([*command, '--out', film], check=True, capture_output=True)
    return PIL.Image.open(sorted((film / 'frames').glob('*.jpg'))[0]).convert('RGB')


def messages(image):
    """The picture raw and as JPEG."""
    raw = Image(width=image.width, height=image.height, encoding='rgb8', step=3 * image.width, data=image.tobytes())
    packed = io.BytesIO()
    image.save(packed, 'JPEG', quality=90)
    return {'raw': raw, 'JPEG': CompressedImage(format='jpeg', data=packed.getvalue())}


def processor_s(pid):
    """Processor time of a process so far."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def cost(binary, message, looked_at):
    """Share of one processor that the node takes for pictures like this."""
    node = rclpy.create_node('node_cost')
    compressed = isinstance(message, CompressedImage)
    topic = 'image_raw/compressed' if compressed else 'image_raw'
    publisher = node.create_publisher(type(message), topic, 2)
    if looked_at:
        effort = QoSProfile(depth=2, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        node.create_subscription(Image, '/chess_observer/overlay', lambda _: None, effort)
    program = subprocess.Popen([binary], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        def publish(seconds):
            end, due = time.monotonic() + seconds, time.monotonic()
            while due < end:
                message.header.stamp = node.get_clock().now().to_msg()
                publisher.publish(message)
                due += 1.0 / RATE_HZ
                while time.monotonic() < due:
                    rclpy.spin_once(node, timeout_sec=max(0.0, due - time.monotonic()))
        publish(5.0)  # it starts, finds the board, and learns it
        begun, at = processor_s(program.pid), time.monotonic()
        publish(SECONDS)
        return (processor_s(program.pid) - begun) / (time.monotonic() - at)
    finally:
        program.terminate()
        program.wait(timeout=20)
        node.destroy_node()


def main():
    """Measure all four."""
    binary = sys.argv[1] if len(sys.argv) > 1 else str(PROGRAMS / 'observer_node')
    rclpy.init()
    with tempfile.TemporaryDirectory() as folder:
        shown = messages(picture(pathlib.Path(folder)))
    for name, message in shown.items():
        for looked_at in (False, True):
            share = statistics.median(cost(binary, message, looked_at) for _ in range(TIMES))
            print(f'{name}{", overlay looked at" if looked_at else ""}: {100 * share:.1f} % of a processor', flush=True)
    rclpy.shutdown()


if __name__ == '__main__':
    main()
