"""Play a recording with `ros2 bag play` to the observer, on the recording's own time."""

import os

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    """Describe the player and include the observer."""
    share = get_package_share_directory('chess_observer')
    return LaunchDescription([
        DeclareLaunchArgument(
            'bag',
            description='The recording: a rosbag2 folder, an .mcap or a .db3 file.'),
        DeclareLaunchArgument(
            'rate', default_value='1.0',
            description='Speed of the recording.'),
        DeclareLaunchArgument(
            'params_file', default_value=os.path.join(share, 'params', 'observer.yaml'),
            description='Parameter file of the observer.'),
        DeclareLaunchArgument(
            'image_topic', default_value='image_raw',
            description='Topic with pictures in the recording.'),
        DeclareLaunchArgument(
            'camera_info_topic', default_value='camera_info',
            description='Topic with the calibration of the camera in the recording.'),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(os.path.join(share, 'launch', 'observer.launch.py')),
            launch_arguments={
                'params_file': LaunchConfiguration('params_file'),
                'image_topic': LaunchConfiguration('image_topic'),
                'camera_info_topic': LaunchConfiguration('camera_info_topic'),
                'use_sim_time': 'true',
            }.items(),
        ),
        ExecuteProcess(
            # The delay gives the observer time to subscribe before the first picture.
            cmd=['ros2', 'bag', 'play', LaunchConfiguration('bag'), '--clock', '100', '--delay', '2.0',
                 '--rate', LaunchConfiguration('rate')],
            output='screen',
        ),
    ])
