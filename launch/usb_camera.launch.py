"""Start a USB camera (package usb_cam) and the observer beside it."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    """Describe the camera and include the observer."""
    share = get_package_share_directory('chess_observer')
    namespace = LaunchConfiguration('namespace')
    params_file = LaunchConfiguration('params_file')
    return LaunchDescription([
        DeclareLaunchArgument(
            'namespace', default_value='',
            description='Namespace of camera and observer.'),
        DeclareLaunchArgument(
            'params_file', default_value=os.path.join(share, 'params', 'observer.yaml'),
            description='Parameter file of the observer.'),
        DeclareLaunchArgument(
            'video_device', default_value='/dev/video0',
            description='Device of the camera.'),
        DeclareLaunchArgument(
            'respawn', default_value='true',
            description='Start camera and observer again when they end by themselves.'),
        DeclareLaunchArgument(
            'display', default_value='false',
            description='Start the display as well: the boards as web pages.'),
        DeclareLaunchArgument(
            'display_port', default_value='8080',
            description='Port of the display on this machine.'),
        Node(
            package='usb_cam',
            executable='usb_cam_node_exe',
            name='usb_cam',
            namespace=namespace,
            output='screen',
            respawn=LaunchConfiguration('respawn'),
            respawn_delay=2.0,
            parameters=[{
                'video_device': LaunchConfiguration('video_device'),
                'image_width': 1280,
                'image_height': 720,
                'framerate': 10.0,
                'pixel_format': 'mjpeg2rgb',
                'frame_id': 'camera_optical',
            }],
            # Pictures above 512 KB do not fit into Fast DDS's usual shared memory.
            additional_env={'FASTRTPS_DEFAULT_PROFILES_FILE':
                            os.path.join(share, 'params', 'fastdds_large_images.xml')},
        ),
        Node(
            package='chess_observer',
            executable='display_node',
            name='chess_display',
            output='screen',
            parameters=[params_file, {'port': LaunchConfiguration('display_port')}],
            condition=IfCondition(LaunchConfiguration('display')),
        ),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(os.path.join(share, 'launch', 'observer.launch.py')),
            launch_arguments={
                'namespace': namespace,
                'params_file': params_file,
                'respawn': LaunchConfiguration('respawn'),
            }.items(),
        ),
    ])
