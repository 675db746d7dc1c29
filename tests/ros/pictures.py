"""Pictures to publish."""

import io

from PIL import Image as Pil
from sensor_msgs.msg import CompressedImage, Image

# Bytes a pixel; yuv422 holds two pixels in four bytes.
ENCODINGS = {
    'mono8': 1, 'rgb8': 3, 'bgr8': 3, 'rgba8': 4, 'bgra8': 4, 'yuv422': 2, 'yuv422_yuy2': 2,
    'bayer_rggb8': 1, 'bayer_bggr8': 1, 'bayer_gbrg8': 1, 'bayer_grbg8': 1,
}


def stamped(message, seconds, frame_id='camera_optical'):
    """Give a message a header."""
    message.header.stamp.sec = int(seconds)
    message.header.stamp.nanosec = int(round((seconds % 1) * 1e9))
    message.header.frame_id = frame_id
    return message


def plain(encoding='rgb8', width=64, height=48, padding=0, seconds=1.0, **wrong):
    """Make a grey picture; `wrong` overrides fields of the message."""
    step = ENCODINGS.get(encoding, 3) * width + padding
    message = Image(width=width, height=height, step=step, encoding=encoding)
    message.data = b'\x80' * (step * height)
    for field, value in wrong.items():
        setattr(message, field, value)
    return stamped(message, seconds)


def from_file(path, seconds):
    """Read a picture from a file."""
    with Pil.open(path) as picture:
        rgb = picture.convert('RGB')
    message = Image(width=rgb.width, height=rgb.height, step=3 * rgb.width, encoding='rgb8')
    message.data = rgb.tobytes()
    return stamped(message, seconds)


def compressed(kind, seconds=1.0, size=(64, 48)):
    """Make a compressed grey picture."""
    data = io.BytesIO()
    Pil.new('RGB', size, (120, 130, 140)).save(data, kind)
    return stamped(CompressedImage(format=kind.lower(), data=data.getvalue()), seconds)
