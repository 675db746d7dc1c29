"""Reads recordings with the package `rosbags` and says what is in them, one line of JSON each.

usage: read_bags.py PATH...
"""

import json
import sys
from pathlib import Path

from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

for path in sys.argv[1:]:
    found = {"pictures": [], "texts": [], "topics": {}}
    store = None if path.endswith(".mcap") else get_typestore(Stores.ROS2_HUMBLE)
    with AnyReader([Path(path)], default_typestore=store) as reader:
        for connection in reader.connections:
            found["topics"][connection.topic] = [connection.msgtype, connection.msgcount]
        for connection, time, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            if connection.msgtype == "sensor_msgs/msg/Image":
                stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
                pixels = message.data.tobytes().hex()
                fields = [message.width, message.height, message.encoding, message.step]
                found["pictures"].append([time, stamp, message.header.frame_id, fields, pixels])
            elif connection.msgtype == "sensor_msgs/msg/CompressedImage":
                found["pictures"].append([time, 0, message.format, [], message.data.tobytes().hex()])
            elif connection.msgtype == "sensor_msgs/msg/CameraInfo":
                found["info"] = [message.distortion_model, list(message.d), list(message.k), list(message.p)]
            else:
                found["texts"].append(message.data)
    print(json.dumps(found))
