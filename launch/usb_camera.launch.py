"""Start a camera (usb_cam, v4l2_camera or camera_ros, to be installed apart) and the observer beside it."""

from chess_observer_launch import CAMERA, DISPLAY, OBSERVER, OPPONENT, camera, declare, display, observer, opponent
from launch import LaunchDescription

ARGUMENTS = {
    **{name: about for name, about in OBSERVER.items() if name not in ('image_topic', 'camera_info_topic', 'use_sim_time')},
    **CAMERA,
    **DISPLAY,
    **OPPONENT,
}


def generate_launch_description():
    """Describe the camera and include the observer."""
    return LaunchDescription([
        *declare(__file__, ARGUMENTS),
        camera(),
        display(),
        opponent(),
        observer(image_topic='image_raw', camera_info_topic='camera_info', use_sim_time='false'),
    ])
