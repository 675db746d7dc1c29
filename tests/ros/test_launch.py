"""The launch files, read by a stand-in for `launch` and `launch_ros`, which the wheels do not have.

It records what the files declare. Every file and every program of ours that they name must be installed, every argument
described, used and passed on under a name that the included file knows. `test_launched.py` runs them with the real packages
where these are installed.
"""

import importlib.util
import os
import pathlib
import sys
import types

import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_directory
from conftest import ROOT

FILES = ['boards', 'go', 'observer', 'replay', 'simulation', 'usb_camera']
# Arguments that have no default.
REQUIRED = {'bag': os.path.join(get_package_share_directory('chess_observer'), 'games', 'classics.pgn')}


class Recorded:
    """Something that a launch file makes: keeps its arguments."""

    def __init__(self, *positional, **named):
        self.positional, self.named = positional, named


class Context:
    """What functions of launch files are given: values of arguments; remembers which of them were read."""

    def __init__(self, values, argv=()):
        self.values, self.argv, self.read = values, argv, set()


def stand_in(name, *classes):
    """Make a module with classes that record."""
    module = types.ModuleType(name)
    for cls in classes:
        setattr(module, cls, type(cls, (Recorded,), {}))
    return module


def perform(self, context):
    """Value of an argument."""
    context.read.add(self.positional[0])
    return context.values[self.positional[0]]


@pytest.fixture
def launch(monkeypatch):
    """Offer the stand-in as `launch` and `launch_ros`."""
    modules = [
        stand_in('launch', 'LaunchDescription'),
        stand_in('launch.actions', 'DeclareLaunchArgument', 'EmitEvent', 'ExecuteProcess', 'IncludeLaunchDescription',
                 'LogInfo', 'OpaqueFunction', 'TimerAction'),
        stand_in('launch.events', 'Shutdown'),
        stand_in('launch.launch_description_sources', 'PythonLaunchDescriptionSource'),
        stand_in('launch.substitutions', 'LaunchConfiguration'),
        stand_in('launch_ros'),
        stand_in('launch_ros.actions', 'Node'),
        stand_in('launch_ros.parameter_descriptions', 'ParameterValue'),
    ]
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    sys.modules['launch.substitutions'].LaunchConfiguration.perform = perform
    # What the files share is read anew, with these classes; whoever comes later reads it anew as well.
    monkeypatch.delitem(sys.modules, 'chess_observer_launch', raising=False)
    yield
    sys.modules.pop('chess_observer_launch', None)


def load(path):
    """Run a launch file; return its actions."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem.replace('.', '_'), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description().positional[0]


def installed(name):
    """Path of an installed launch file."""
    return os.path.join(get_package_share_directory('chess_observer'), 'launch', f'{name}.launch.py')


def of_kind(actions, kind):
    """Actions of a class."""
    return [a for a in actions if type(a).__name__ == kind]


def declared(actions):
    """Names of the declared arguments, with their defaults."""
    return {a.positional[0]: a.named.get('default_value') for a in of_kind(actions, 'DeclareLaunchArgument')}


def inside(thing, found):
    """Everything anywhere inside for which `found` gives something."""
    one = found(thing)
    if one is not None:
        return {one}
    if isinstance(thing, Recorded):
        return inside(thing.positional, found) | inside(thing.named, found)
    if isinstance(thing, dict):
        return inside(list(thing.items()), found)
    if isinstance(thing, (list, tuple)):
        return set().union(*(inside(part, found) for part in thing))
    return set()


def used(thing):
    """Names of the configurations used anywhere inside."""
    return inside(thing, lambda t: t.positional[0] if type(t).__name__ == 'LaunchConfiguration' else None)


def paths(thing):
    """Texts anywhere inside that are absolute paths below the installed package."""
    share = get_package_share_directory('chess_observer')
    return inside(thing, lambda t: t if isinstance(t, str) and t.startswith(share) else None)


def plain(value):
    """Value of a parameter, without its type."""
    return value.positional[0] if type(value).__name__ == 'ParameterValue' else value


def opened(actions, argv=(), **given):
    """Replace functions by what they return for the declared defaults and what is given; also what they have read."""
    context = Context({**declared(actions), **REQUIRED, **given}, argv)
    result = []
    for action in actions:
        result += action.named['function'](context) if type(action).__name__ == 'OpaqueFunction' else [action]
    return result, context.read


def node(actions, executable):
    """The one node with this executable."""
    found, = [n for n in of_kind(actions, 'Node') if n.named['executable'] == executable]
    return found


def parameters(node):
    """Parameters that a node is given besides files."""
    given = {}
    for part in node.named['parameters']:
        given.update({name: plain(value) for name, value in part.items()} if isinstance(part, dict) else {})
    return given


def test_every_launch_file_is_installed():
    folder = pathlib.Path(get_package_share_directory('chess_observer')) / 'launch'
    assert sorted(p.name for p in folder.glob('*.launch.py')) == [f'{name}.launch.py' for name in FILES]


@pytest.mark.parametrize('name', FILES)
def test_arguments_are_described_and_used(launch, name):
    actions = load(installed(name))
    for argument in of_kind(actions, 'DeclareLaunchArgument'):
        assert argument.named['description'].endswith('.'), argument.positional[0]
    # Those of the camera are read where one is started.
    rest, read = opened(actions, **({'driver': 'usb_cam'} if name == 'go' else {}))
    rest = [a for a in rest if type(a).__name__ != 'DeclareLaunchArgument']
    assert used(rest) | read == set(declared(actions))


@pytest.mark.parametrize('name', FILES)
def test_every_argument_is_in_the_reference(launch, name):
    reference = (ROOT / 'docs' / 'reference.md').read_text(encoding='utf-8')
    chapters = {part.split('\n', 1)[0]: part for part in reference.split('\n## ')}
    for argument in declared(load(installed(name))):
        assert f'`{argument}`' in chapters['Launch files'], argument


@pytest.mark.parametrize('name', FILES)
def test_what_they_name_is_installed(launch, name):
    actions, _ = opened(load(installed(name)))
    for path in paths(actions):
        assert os.path.isfile(path), path
    for started in of_kind(actions, 'Node'):
        if started.named['package'] == 'chess_observer':
            file = os.path.join(get_package_prefix('chess_observer'), 'lib', 'chess_observer', started.named['executable'])
            assert os.access(file, os.X_OK), file
    for include in of_kind(actions, 'IncludeLaunchDescription'):
        path = include.positional[0].positional[0]
        passed = {key for key, _ in include.named['launch_arguments']}
        assert passed == set(declared(load(path))), 'everything is passed on'


def test_the_observer_has_all_remaps_and_leaves_the_rest_to_the_parameter_file(launch):
    actions = load(installed('observer'))
    observer = node(opened(actions)[0], 'observer_node')
    assert observer.named['remappings'][:2] == [('image_raw', 'image_raw'), ('image_raw/compressed', 'image_raw/compressed')]
    assert set(parameters(observer)) == {'use_sim_time', 'lifecycle'}
    given, _ = opened(actions, image_topic='/cam/image', image_transport='compressed', pgn_directory='~/games',
                      start_fen='8/8/8/8/8/8/8/8 w - - 0 1', players='Ng, Ada - 1')
    observer = node(given, 'observer_node')
    assert [to for _, to in observer.named['remappings'][:2]] == ['/cam/image', '/cam/image/compressed']
    said = parameters(observer)
    del said['use_sim_time'], said['lifecycle']
    assert said == {'image_transport': 'compressed', 'pgn_directory': '~/games', 'game.start_fen': '8/8/8/8/8/8/8/8 w - - 0 1',
                    'game.white': 'Ng, Ada', 'game.black': '1'}


def test_an_observer_that_ended_is_started_again(launch):
    """In every file that starts one, unless the user says otherwise."""
    observer = node(opened(load(installed('observer')))[0], 'observer_node')
    assert used(observer.named['respawn']) == {'respawn'} and observer.named['respawn_delay'] > 0.0
    for name in FILES:
        assert declared(load(installed(name)))['respawn'] == 'true'


@pytest.mark.parametrize('name, given, says', [
    ('observer', {'params_file': '/no/such.yaml'}, 'launch argument params_file: there is no /no/such.yaml'),
    ('observer', {'players': 'Ada'}, "launch argument players: expected 'White - Black', got 'Ada'"),
    ('go', {'players': 'Ann'}, "launch argument players: expected 'Black - White', got 'Ann'"),
    ('go', {'size': 'large'}, "launch argument size: expected a whole number, got 'large'"),
    ('go', {'driver': 'webcam'}, "launch argument driver: expected one of usb_cam, v4l2_camera, camera_ros, got 'webcam'"),
    ('boards', {'boards': 'a a'}, "launch argument boards: expected different names, separated by spaces, got 'a a'"),
    ('simulation', {'speed': 'fast'}, "launch argument speed: expected a number, got 'fast'"),
    ('simulation', {'game': '1.5'}, "launch argument game: expected a whole number, got '1.5'"),
    ('simulation', {'pgn': '/no/such.pgn'}, 'launch argument pgn: there is no /no/such.pgn'),
    ('replay', {'bag': '/no/bag'}, 'launch argument bag: there is no /no/bag'),
    ('usb_camera', {'driver': 'usbcam'}, "launch argument driver: expected one of usb_cam, v4l2_camera, camera_ros, got 'usbcam'"),
    ('usb_camera', {'framerate': '0'}, 'launch argument framerate: expected more than 0'),
    ('boards', {'display': 'yes'}, "launch argument display: expected true or false, got 'yes'"),
    ('boards', {'eboard_port': 'usb'}, "launch argument eboard_port: expected a whole number, got 'usb'"),
    ('boards', {'players_file': '/no/such.toml'}, 'launch argument players_file: there is no /no/such.toml'),
    ('boards', {'broadcast': 'abc', 'display_port': '0'},
     'launch argument display_port: a broadcast takes its games from there, so it cannot be 0'),
    ('simulation', {'opponent': 'lichees'}, "launch argument opponent: expected lichess or engine, got 'lichees'"),
    ('simulation', {'opponent': 'lichess', 'token_file': '/no/token'}, 'launch argument token_file: there is no /no/token'),
    ('usb_camera', {'opponent': 'lichess', 'engine': '/usr/games/fairy'},
     'launch arguments engine and engine_color: they need opponent:=engine'),
])
def test_arguments_that_cannot_be_are_told(launch, name, given, says):
    with pytest.raises(RuntimeError) as refused:
        opened(load(installed(name)), **given)
    assert str(refused.value) == says


def test_arguments_that_nobody_reads_are_told(launch, monkeypatch):
    actions = load(installed('usb_camera'))
    argv = ['widht:=640', 'height:=480']
    # Included by a file of the user's, the arguments are that file's.
    opened(actions, argv)
    monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', 'chess_observer', 'usb_camera.launch.py', *argv])
    with pytest.raises(RuntimeError, match="unknown launch argument 'widht': did you mean 'width'?"):
        opened(actions, argv)
    opened(actions, ['width:=640', '/some/path', '--noninteractive'])


def test_the_observer_of_go_hears_what_is_given_and_a_camera_only_where_one_is_named(launch):
    actions = load(installed('go'))
    alone, _ = opened(actions, image_topic='/cam/image')
    assert executables(alone) == ['go_node']
    observer = node(alone, 'go_node')
    assert used(observer.named['respawn']) == {'respawn'} and observer.named['respawn_delay'] > 0.0
    assert [to for _, to in observer.named['remappings'][:2]] == ['/cam/image', '/cam/image/compressed']
    assert set(parameters(observer)) == {'use_sim_time', 'lifecycle'} and paths(observer)
    given, _ = opened(actions, driver='usb_cam', width='640', players='Ng, Ann - 1', size='13', rules='NZ', sgf_directory='~/games',
                      display='true', namespace='b')
    assert executables(given) == ['usb_cam_node_exe', 'go_node', 'display_node']
    said = parameters(node(given, 'go_node'))
    del said['use_sim_time'], said['lifecycle']
    assert said == {'game.black': 'Ng, Ann', 'game.white': '1', 'board.size': 13, 'game.rules': 'NZ', 'sgf_directory': '~/games'}
    assert parameters(node(given, 'usb_cam_node_exe'))['image_width'] == 640


def test_every_board_gets_its_namespace(launch):
    includes = of_kind(opened(load(installed('boards')))[0], 'IncludeLaunchDescription')
    assert [dict(i.named['launch_arguments'])['namespace'] for i in includes] == ['board_1', 'board_2']


def test_the_recording_sets_the_time_and_ends_everything(launch):
    actions, _ = opened(load(installed('replay')), rate='2')
    player, = of_kind(actions, 'ExecuteProcess')
    assert player.named['cmd'] == ['ros2', 'bag', 'play', REQUIRED['bag'], '--clock', '100', '--delay', '2.0', '--rate', '2.0']
    include, = of_kind(actions, 'IncludeLaunchDescription')
    assert dict(include.named['launch_arguments'])['use_sim_time'] == 'true'
    _, later = player.named['on_exit'](types.SimpleNamespace(returncode=0), None)
    assert type(later).__name__ == 'TimerAction' and type(later.named['actions'][0].named['event']).__name__ == 'Shutdown'
    with pytest.raises(RuntimeError, match='ros2 bag play .* failed with status 2'):
        player.named['on_exit'](types.SimpleNamespace(returncode=2), None)


@pytest.mark.parametrize('driver, executable, given', [
    ('usb_cam', 'usb_cam_node_exe', {'image_width': 640, 'framerate': 5.0, 'brightness': -1, 'camera_name': 'eye'}),
    ('v4l2_camera', 'v4l2_camera_node', {'image_size': [640, 720], 'time_per_frame': [1000, 5000], 'camera_frame_id': 'lens'}),
    ('camera_ros', 'camera_node', {'width': 640, 'FrameDurationLimits': [200_000, 200_000], 'frame_id': 'lens'}),
])
def test_every_driver_hears_the_arguments_in_its_own_words(launch, driver, executable, given):
    actions, _ = opened(load(installed('usb_camera')), driver=driver, width='640', framerate='5', camera_name='eye',
                        frame_id='lens', camera_info_url='file:///eye.yaml')
    camera = node(actions, executable)
    assert camera.named['package'] == driver
    assert parameters(camera).items() >= {**given, 'camera_info_url': 'file:///eye.yaml'}.items()


WITH_DISPLAY = ['boards', 'simulation', 'usb_camera']


def executables(actions):
    """What the nodes run."""
    return [n.named['executable'] for n in of_kind(actions, 'Node')]


@pytest.mark.parametrize('name', WITH_DISPLAY)
def test_the_display_is_started_when_it_is_needed(launch, name, tmp_path):
    actions = load(installed(name))
    for words in ({}, {'display': 'false'}):
        assert 'display_node' not in executables(opened(actions, **words)[0])
    display = node(opened(actions, display='true', display_port='8123')[0], 'display_node')
    assert parameters(display) == {'port': 8123} and paths(display)
    # Its listeners ask for it.
    players = tmp_path / 'players.toml'
    players.touch()
    listening, _ = opened(actions, eboard_port='1982', pgn_port='8081', players_file=str(players))
    assert parameters(node(listening, 'display_node')) == {
        'port': 8080, 'eboard.port': 1982, 'pgn.port': 8081, 'pgn.players_file': str(players)}
    with pytest.raises(RuntimeError, match='launch argument players_file: the display reads it'):
        opened(actions, players_file=str(players))


@pytest.mark.parametrize('name', WITH_DISPLAY)
def test_a_broadcast_gets_the_games_of_the_display(launch, name, tmp_path):
    token = tmp_path / 'token'
    token.touch()
    started, _ = opened(load(installed(name)), broadcast='12345678', display_port='8123', token_file=str(token))
    assert parameters(node(started, 'display_node')) == {'port': 8123}
    assert parameters(node(started, 'broadcast_node')) == {
        'source': 'http://127.0.0.1:8123/games.pgn', 'round': '12345678', 'token_file': str(token)}


@pytest.mark.parametrize('name', ['simulation', 'usb_camera'])
def test_somebody_else_plays_the_other_side(launch, name):
    actions = load(installed(name))
    assert not {'lichess_node', 'engine_node'} & set(executables(opened(actions)[0]))
    far = node(opened(actions, opponent='lichess', server='http://127.0.0.1:9', namespace='b')[0], 'lichess_node')
    assert parameters(far) == {'server': 'http://127.0.0.1:9'} and far.named['namespace'] == 'b' and paths(far)
    near = node(opened(actions, opponent='engine', engine='/usr/games/fairy', engine_color='white')[0], 'engine_node')
    assert parameters(near) == {'engine': '/usr/games/fairy', 'color': 'white'}
