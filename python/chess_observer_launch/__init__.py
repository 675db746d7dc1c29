"""What the launch files of chess_observer share: the arguments of the observer, and checks that `ros2 launch` does not make."""

import difflib
import os
import sys

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

SHARE = get_package_share_directory('chess_observer')
# Pictures above 512 KB do not fit into Fast DDS's usual shared memory: for whoever publishes them.
LARGE_PICTURES = {'FASTRTPS_DEFAULT_PROFILES_FILE': os.path.join(SHARE, 'params', 'fastdds_large_images.xml')}

# Arguments of the observer: default and description. Every launch file passes them on.
OBSERVER = {
    'namespace': ('', 'Namespace of the node; one for each board.'),
    'params_file': (os.path.join(SHARE, 'params', 'observer.yaml'), 'Parameter file.'),
    'image_topic': ('image_raw', 'Topic with pictures; compressed ones are expected at <image_topic>/compressed.'),
    'image_transport': ('', 'auto, raw or compressed; empty is as the parameter file says.'),
    'camera_info_topic': ('camera_info', 'Topic with the calibration of the camera; it may be silent.'),
    'pgn_directory': ('', 'Folder for the PGN files; empty is as the parameter file says.'),
    'start_fen': ('', 'Position that the game starts from; empty is as the parameter file says.'),
    'players': ('', "White and Black, as in 'Ada Lovelace - Charles Babbage'; empty is as the parameter file says."),
    'use_sim_time': ('false', 'Follow /clock, for recordings.'),
    'lifecycle': ('false', 'Be a managed node, to be configured and activated from outside.'),
    'log_level': ('info', 'debug, info, warn, error or fatal.'),
    'respawn': ('true', 'Start the node again when it ends by itself; with pgn_directory the game goes on.'),
}
# Parameters of the observer that an argument of the same meaning sets.
PARAMETERS = {'image_transport': 'image_transport', 'pgn_directory': 'pgn_directory', 'start_fen': 'game.start_fen'}

DISPLAY = {
    'display': ('false', 'Start the display as well: the boards as web pages.'),
    'display_port': ('8080', 'Port of the display on this machine.'),
    'eboard_port': ('', 'Port where the boards are electronic boards; programs look at 1982. Starts the display; empty is none.'),
    'pgn_port': ('', 'Port where the games are PGN for others to poll. Starts the display; empty is none.'),
    'players_file': ('', 'File that says who plays at which board (TOML), for that PGN; empty is as the boards say.'),
    'broadcast': ('', 'Round of a Lichess broadcast that the games are brought to. Starts the display; empty is none.'),
}
# Arguments of the display, each with the parameter that it sets.
DISPLAY_PARAMETERS = {'eboard_port': 'eboard.port', 'pgn_port': 'pgn.port'}

# Arguments of a camera's driver that is started beside the observer.
CAMERA = {
    'driver': ('usb_cam', 'Package of the camera: usb_cam, v4l2_camera or camera_ros.'),
    'video_device': ('/dev/video0', 'Device of the camera; for camera_ros its name or number.'),
    'width': ('1280', 'Width of the pictures, in pixels.'),
    'height': ('720', 'Height of the pictures, in pixels.'),
    'framerate': ('10.0', 'Pictures a second.'),
    'pixel_format': ('', "Format asked of the camera, in the driver's words; empty is mjpeg2rgb for usb_cam, else the driver's."),
    'frame_id': ('camera_optical', "Name of the camera's optical frame."),
    'camera_name': ('', "Name of the camera, as its calibration says; empty is the driver's."),
    'camera_info_url': ('', 'Calibration, as file:///path/to/camera.yaml; empty is none, or as the driver finds it.'),
}

# Arguments of what reaches a server: the nodes that play and broadcast.
ACCOUNT = {
    'server': ('', 'Address of the server; empty is that of Lichess.'),
    'token_file': ('', "File whose first line is the account's token; empty is the environment variable LICHESS_TOKEN."),
}
OPPONENT = {
    'opponent': ('', 'Who plays the other side: lichess or engine; empty is whoever sits there.'),
    'engine': ('', 'Program of the engine, which speaks UCI; empty is /usr/games/stockfish.'),
    'engine_color': ('', 'Side of the engine: white or black; empty is black.'),
    **ACCOUNT,
}


def declare(file, arguments):
    """Describe the arguments of a launch file; the last action refuses those that it does not have."""
    return [
        *[DeclareLaunchArgument(name, description=about, **({} if default is None else {'default_value': default}))
          for name, (default, about) in arguments.items()],
        OpaqueFunction(function=lambda context: check(context, file, arguments)),
    ]


def check(context, file, arguments):
    """Refuse arguments that nobody reads, and a parameter file that is not there."""
    # Only of the file that was asked for: one that includes it has arguments of its own.
    if os.path.basename(file) in [os.path.basename(word) for word in sys.argv]:
        for word in context.argv:
            name = word.partition(':=')[0]
            if ':=' in word and name not in arguments:
                near = difflib.get_close_matches(name, arguments, 1)
                hint = f': did you mean {near[0]!r}?' if near else f'; there are {", ".join(arguments)}'
                raise RuntimeError(f'unknown launch argument {name!r}{hint}')
    if 'params_file' in arguments:
        existing(context, 'params_file')
    return []


def text(context, name):
    """Value of an argument."""
    return LaunchConfiguration(name).perform(context).strip()


def path(context, name):
    """Value of an argument that is a path, with ~ and $NAME expanded."""
    return os.path.expanduser(os.path.expandvars(text(context, name)))


def existing(context, name):
    """Value of an argument that is a file, which must be there; empty where none is given."""
    file = path(context, name)
    if file and not os.path.exists(file):
        raise RuntimeError(f'launch argument {name}: there is no {file}')
    return file


def flag(context, name):
    """Value of an argument that is true or false."""
    value = text(context, name).lower()
    if value not in ('true', 'false', '1', '0'):
        raise RuntimeError(f'launch argument {name}: expected true or false, got {value!r}')
    return value in ('true', '1')


def number(context, name, kind):
    """Value of an argument that is a number."""
    value = text(context, name)
    try:
        return kind(value)
    except ValueError:
        expected = 'a whole number' if kind is int else 'a number'
        raise RuntimeError(f'launch argument {name}: expected {expected}, got {value!r}') from None


def players(given, order='White - Black'):
    """Both names in their order, or nobody."""
    if not given:
        return []
    names = [name.strip() for name in given.split(' - ')]
    if len(names) != 2 or not all(names):
        raise RuntimeError(f'launch argument players: expected {order!r}, got {given!r}')
    return names


def observer(**given):
    """Include the observer; what is not given has the value of the argument of the same name."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(os.path.join(SHARE, 'launch', 'observer.launch.py')),
        launch_arguments=[(name, given.get(name, LaunchConfiguration(name))) for name in OBSERVER],
    )


def watching(context, executable, name, parameters):
    """Describe a node that looks at pictures: its parameter file, with these parameters over it, and its topics."""
    image_topic = text(context, 'image_topic')
    return Node(
        package='chess_observer',
        executable=executable,
        name=name,
        namespace=LaunchConfiguration('namespace'),
        output='screen',
        respawn=LaunchConfiguration('respawn'),
        respawn_delay=2.0,
        parameters=[
            path(context, 'params_file'),
            parameters,
            {name: ParameterValue(LaunchConfiguration(name), value_type=bool) for name in ('use_sim_time', 'lifecycle')},
        ],
        remappings=[
            ('image_raw', image_topic),
            # A remapped base name does not reach what lies below it.
            ('image_raw/compressed', f'{image_topic}/compressed'),
            ('camera_info', LaunchConfiguration('camera_info_topic')),
        ],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
    )


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


def camera():
    """Start the camera's driver; where the argument for it is empty, the camera runs already."""
    def start(context):
        driver = text(context, 'driver')
        if not driver:
            return []
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
    return OpaqueFunction(function=start)


def display_alone():
    """Start the display where it is asked for: of other games than chess nothing but the pages."""
    def start(context):
        port = number(context, 'display_port', int)
        return [beside(context, 'display_node', 'chess_display', {'port': port})] if flag(context, 'display') else []
    return OpaqueFunction(function=start)


def display():
    """Start the display where it is asked for, by itself or for one of its listeners, and what brings its games to a broadcast."""
    def start(context):
        asked, port, players_file = flag(context, 'display'), number(context, 'display_port', int), existing(context, 'players_file')
        listeners = {parameter: number(context, name, int) for name, parameter in DISPLAY_PARAMETERS.items() if text(context, name)}
        round_, reached = text(context, 'broadcast'), account(context)
        if not (asked or listeners or round_):
            if players_file:
                raise RuntimeError('launch argument players_file: the display reads it: give pgn_port, broadcast or display:=true')
            return []
        if round_ and port == 0:
            raise RuntimeError('launch argument display_port: a broadcast takes its games from there, so it cannot be 0')
        shown = {'port': port, **listeners, **texts(**{'pgn.players_file': players_file})}
        brought = texts(source=f'http://127.0.0.1:{port}/games.pgn', round=round_)
        return [
            beside(context, 'display_node', 'chess_display', shown),
            *([beside(context, 'broadcast_node', 'chess_broadcast', {**brought, **reached})] if round_ else []),
        ]
    return OpaqueFunction(function=start)


def opponent():
    """Start who plays the other side, where one is asked for."""
    def start(context):
        who, reached = text(context, 'opponent'), account(context)
        engine = texts(engine=text(context, 'engine'), color=text(context, 'engine_color'))
        if who not in ('', 'lichess', 'engine'):
            raise RuntimeError(f'launch argument opponent: expected lichess or engine, got {who!r}')
        if engine and who != 'engine':
            raise RuntimeError('launch arguments engine and engine_color: they need opponent:=engine')
        given = engine if who == 'engine' else reached
        return [beside(context, f'{who}_node', f'chess_{who}', given, text(context, 'namespace'))] if who else []
    return OpaqueFunction(function=start)


def account(context):
    """Parameters of a node that reaches a server, as far as they are given."""
    return texts(server=text(context, 'server'), token_file=existing(context, 'token_file'))


def texts(**given):
    """Those parameters that are not empty; a text that looks like a number stays a text."""
    return {name: ParameterValue(value, value_type=str) for name, value in given.items() if value}


def beside(context, executable, name, parameters, namespace=''):
    """Describe a node beside the observer, which reads the same parameter file."""
    return Node(
        package='chess_observer',
        executable=executable,
        name=name,
        namespace=namespace,
        output='screen',
        parameters=[path(context, 'params_file'), parameters],
    )
