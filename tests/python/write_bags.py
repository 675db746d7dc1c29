"""Writes small recordings with the package `rosbags`, for the tests to read.

usage: write_bags.py DIRECTORY
"""

import sys
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_HUMBLE)
TIME = STORE.types["builtin_interfaces/msg/Time"]
HEADER = STORE.types["std_msgs/msg/Header"]
IMAGE = STORE.types["sensor_msgs/msg/Image"]
INFO = STORE.types["sensor_msgs/msg/CameraInfo"]
ROI = STORE.types["sensor_msgs/msg/RegionOfInterest"]

WIDTH, HEIGHT, PICTURES, PADDING = 8, 6, 5, 3


def header(i):
    return HEADER(stamp=TIME(sec=100, nanosec=i * 1000), frame_id="camera")


def image(i):
    """Picture i: red = x, green = y, blue = i, three bytes of padding after each row."""
    rows = np.zeros((HEIGHT, 3 * WIDTH + PADDING), dtype=np.uint8)
    for x in range(WIDTH):
        rows[:, 3 * x] = x
        rows[:, 3 * x + 1] = np.arange(HEIGHT)
        rows[:, 3 * x + 2] = i
    return IMAGE(
        header=header(i), height=HEIGHT, width=WIDTH, encoding="rgb8", is_bigendian=0,
        step=3 * WIDTH + PADDING, data=rows.reshape(-1),
    )


def info():
    return INFO(
        header=header(0), height=HEIGHT, width=WIDTH, distortion_model="plumb_bob",
        d=np.array([0.1, 0.2, 0.3, 0.4, 0.5]), k=np.arange(9.0), r=np.eye(3).reshape(-1), p=np.arange(12.0),
        binning_x=0, binning_y=0,
        roi=ROI(x_offset=0, y_offset=0, height=0, width=0, do_rectify=False),
    )


def write(path, plugin, mode=None, version=9):
    writer = Writer(path, version=version, storage_plugin=plugin)
    if mode is not None:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        images = writer.add_connection("/cam/image_raw", IMAGE.__msgtype__, typestore=STORE)
        infos = writer.add_connection("/cam/camera_info", INFO.__msgtype__, typestore=STORE)
        writer.write(infos, 0, STORE.serialize_cdr(info(), INFO.__msgtype__))
        for i in range(PICTURES):
            # Big endian every second time: both are CDR.
            data = STORE.serialize_cdr(image(i), IMAGE.__msgtype__, little_endian=i % 2 == 0)
            writer.write(images, 1000 + i, data)


def main():
    base = Path(sys.argv[1])
    mcap, sqlite = StoragePlugin.MCAP, StoragePlugin.SQLITE3
    write(base / "mcap", mcap)
    write(base / "mcap_v8", mcap, version=8)
    write(base / "mcap_chunks", mcap, CompressionMode.STORAGE)
    write(base / "mcap_file", mcap, CompressionMode.FILE)
    write(base / "sqlite", sqlite)
    write(base / "sqlite_message", sqlite, CompressionMode.MESSAGE)
    write(base / "sqlite_file", sqlite, CompressionMode.FILE)


main()
