"""Start a camera (usb_cam, v4l2_camera or camera_ros, to be installed apart) and the observer beside it."""

from chess_observer_launch import (
    DISPLAY, LARGE_PICTURES, OBSERVER, OPPONENT, declare, display, number, observer, opponent, text,
)
from launch import LaunchDescription
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = {
    **{name: about for name, about in OBSERVER.items() if name not in ('image_topic', 'camera_info_topic', 'use_sim_time')},
    'driver': ('usb_cam', 'Package of the camera: usb_cam, v4l2_camera or camera_ros.'),
    'video_device': ('/dev/video0', 'Device of the camera; for camera_ros its name or number.'),
    'width': ('1280', 'Width of the pictures, in pixels.'),
    'height': ('720', 'Height of the pictures, in pixels.'),
    'framerate': ('10.0', 'Pictures a second.'),
    'pixel_format': ('', "Format asked of the camera, in the driver's words; empty is mjpeg2rgb for usb_cam, else the driver's."),
    'frame_id': ('camera_optical', "Name of the camera's optical frame."),
    'camera_name': ('', "Name of the camera, as its calibration says; empty is the driver's."),
    'camera_info_url': ('', 'Calibration, as file:///path/to/camera.yaml; empty is none, or as the driver finds it.'),
    **DISPLAY,
    **OPPONENT,
}


def given(context, **names):
    """Those parameters of a driver whose argument is not empty."""
    values = {parameter: text(context, argument) for parameter, argument in names.items()}
    return {parameter: ParameterValue(value, value_type=str) for parameter, value in values.items() if value}


def usb_cam(context):
    """Parameters of usb_cam. Its default sets the brightness to 50, which is dark or bright as the camera counts; -1 leaves it."""
    return 'usb_cam_node_exe', {
        'image_width': number(context, 'width', int),
        'image_height': number(context, 'height', int),
        'framerate': number(context, 'framerate', float),
        'pixel_format': text(context, 'pixel_format') or 'mjpeg2rgb',
        **given(context, video_device='video_device', frame_id='frame_id', camera_name='camera_name',
                camera_info_url='camera_info_url'),
        'brightness': -1,
    }


def v4l2_camera(context):
    """Parameters of v4l2_camera. It leaves the camera's controls as they are."""
    per_second = number(context, 'framerate', float)
    return 'v4l2_camera_node', {
        'image_size': [number(context, 'width', int), number(context, 'height', int)],
        'time_per_frame': [1000, round(1000 * per_second)],
        **given(context, video_device='video_device', pixel_format='pixel_format', camera_frame_id='frame_id',
                camera_info_url='camera_info_url'),
    }


def camera_ros(context):
    """Parameters of camera_ros (libcamera). Its times are in microseconds."""
    microseconds = round(1e6 / number(context, 'framerate', float))
    device = text(context, 'video_device')
    # It knows cameras by number or name, not by device file.
    camera = {} if device.startswith('/dev/') else {'camera': int(device) if device.isdigit() else device}
    return 'camera_node', {
        'width': number(context, 'width', int),
        'height': number(context, 'height', int),
        'FrameDurationLimits': [microseconds, microseconds],
        **camera,
        **given(context, format='pixel_format', frame_id='frame_id', camera_info_url='camera_info_url'),
    }


DRIVERS = {'usb_cam': usb_cam, 'v4l2_camera': v4l2_camera, 'camera_ros': camera_ros}


def camera(context):
    """Start the camera's driver."""
    driver = text(context, 'driver')
    if driver not in DRIVERS:
        raise RuntimeError(f'launch argument driver: expected one of {", ".join(DRIVERS)}, got {driver!r}')
    if number(context, 'framerate', float) <= 0.0:
        raise RuntimeError('launch argument framerate: expected more than 0')
    executable, parameters = DRIVERS[driver](context)
    # camera_ros publishes below its own name.
    own = [('~/image_raw', 'image_raw'), ('~/image_raw/compressed', 'image_raw/compressed'), ('~/camera_info', 'camera_info')]
    return [Node(
        package=driver,
        executable=executable,
        name=driver,
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=2.0,
        parameters=[parameters],
        remappings=own if driver == 'camera_ros' else [],
        additional_env=LARGE_PICTURES,
    )]


def generate_launch_description():
    """Describe the camera and include the observer."""
    return LaunchDescription([
        *declare(__file__, ARGUMENTS),
        OpaqueFunction(function=camera),
        display(),
        opponent(),
        observer(image_topic='image_raw', camera_info_topic='camera_info', use_sim_time='false'),
    ])
