"""Play a recording with `ros2 bag play` to the observer, on the recording's own time; ends with the recording."""

from chess_observer_launch import LARGE_PICTURES, OBSERVER, declare, existing, number, observer
from launch import LaunchDescription
from launch.actions import EmitEvent, ExecuteProcess, LogInfo, OpaqueFunction, TimerAction
from launch.events import Shutdown

# Time for the observer to read the last pictures, film seconds or not.
LAST_PICTURES_S = 3.0
ARGUMENTS = {
    'bag': (None, 'The recording: a rosbag2 folder, an .mcap or a .db3 file.'),
    'rate': ('1.0', 'Speed of the recording.'),
    **{name: about for name, about in OBSERVER.items() if name != 'use_sim_time'},
}


def player(context):
    """Play the recording."""
    bag = existing(context, 'bag')

    def ended(event, context):
        """End everything with the recording; a player that fails is an error."""
        if event.returncode != 0:
            raise RuntimeError(f'ros2 bag play {bag} failed with status {event.returncode}; see what it said above')
        return [
            LogInfo(msg='the recording has ended'),
            TimerAction(period=LAST_PICTURES_S, actions=[EmitEvent(event=Shutdown(reason='the recording has ended'))]),
        ]

    return [ExecuteProcess(
        # The delay gives the observer time to subscribe before the first picture.
        cmd=['ros2', 'bag', 'play', bag, '--clock', '100', '--delay', '2.0', '--rate', str(number(context, 'rate', float))],
        output='screen',
        additional_env=LARGE_PICTURES,
        on_exit=ended,
    )]


def generate_launch_description():
    """Describe the player and include the observer."""
    return LaunchDescription([
        *declare(__file__, ARGUMENTS),
        observer(use_sim_time='true'),
        OpaqueFunction(function=player),
    ])
