"""The launch files, read by a stand-in for `launch` and `launch_ros` where these are not installed.

It records what the files declare. Every file and every program of ours that they name must be installed, every argument
described, used and passed on under a name that the included file knows.
"""

import importlib.util
import os
import pathlib
import sys
import types

import pytest
from ament_index_python.packages import get_package_prefix, get_package_share_directory

FILES = ['boards', 'observer', 'replay', 'simulation', 'usb_camera']


class Recorded:
    """Something that a launch file makes: keeps its arguments."""

    def __init__(self, *positional, **named):
        self.positional, self.named = positional, named


def stand_in(name, *classes):
    """Make a module with classes that record."""
    module = types.ModuleType(name)
    for cls in classes:
        setattr(module, cls, type(cls, (Recorded,), {}))
    return module


@pytest.fixture
def launch(monkeypatch):
    """Offer the stand-in as `launch` and `launch_ros`."""
    modules = [
        stand_in('launch', 'LaunchDescription'),
        stand_in('launch.actions', 'DeclareLaunchArgument', 'ExecuteProcess', 'IncludeLaunchDescription', 'OpaqueFunction'),
        stand_in('launch.conditions', 'IfCondition'),
        stand_in('launch.launch_description_sources', 'PythonLaunchDescriptionSource'),
        stand_in('launch.substitutions', 'LaunchConfiguration', 'PathJoinSubstitution'),
        stand_in('launch_ros'),
        stand_in('launch_ros.actions', 'Node'),
    ]
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    configuration = sys.modules['launch.substitutions'].LaunchConfiguration
    configuration.perform = lambda self, context: context[self.positional[0]]


def load(path):
    """Run a launch file; return the module and its actions."""
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
    """Names of the declared arguments."""
    return {a.positional[0] for a in of_kind(actions, 'DeclareLaunchArgument')}


def used(thing):
    """Names of the configurations used anywhere inside."""
    if type(thing).__name__ == 'LaunchConfiguration':
        return {thing.positional[0]}
    if isinstance(thing, Recorded):
        return used(thing.positional) | used(thing.named)
    if isinstance(thing, dict):
        return used(list(thing.items()))
    if isinstance(thing, (list, tuple)) or type(thing).__name__ == 'dict_items':
        return set().union(*map(used, thing)) if len(thing) else set()
    return set()


def paths(thing):
    """Texts anywhere inside that are absolute paths below the installed package."""
    share = get_package_share_directory('chess_observer')
    if isinstance(thing, str):
        return {thing} if thing.startswith(share) else set()
    if isinstance(thing, Recorded):
        return paths(thing.positional) | paths(thing.named)
    if isinstance(thing, dict):
        return paths(list(thing.items()))
    if isinstance(thing, (list, tuple)) or type(thing).__name__ == 'dict_items':
        return set().union(*map(paths, thing)) if len(thing) else set()
    return set()


def opened(actions):
    """Replace functions by what they return for the declared defaults."""
    defaults = {a.positional[0]: a.named.get('default_value') for a in of_kind(actions, 'DeclareLaunchArgument')}
    result = []
    for action in actions:
        result += action.named['function'](defaults) if type(action).__name__ == 'OpaqueFunction' else [action]
    return result


def test_every_launch_file_is_installed():
    folder = pathlib.Path(get_package_share_directory('chess_observer')) / 'launch'
    assert sorted(p.name for p in folder.glob('*.launch.py')) == [f'{name}.launch.py' for name in FILES]


@pytest.mark.parametrize('name', FILES)
def test_arguments_are_described_and_used(launch, name):
    actions = load(installed(name))
    for argument in of_kind(actions, 'DeclareLaunchArgument'):
        assert argument.named['description'].endswith('.'), argument.positional[0]
    rest = [a for a in opened(actions) if type(a).__name__ != 'DeclareLaunchArgument']
    beyond = {'boards'} if name == 'boards' else set()
    assert used(rest) | beyond == declared(actions)


@pytest.mark.parametrize('name', FILES)
def test_what_they_name_is_installed(launch, name):
    actions = opened(load(installed(name)))
    for path in paths(actions):
        assert os.path.isfile(path), path
    for node in of_kind(actions, 'Node'):
        if node.named['package'] == 'chess_observer':
            file = os.path.join(get_package_prefix('chess_observer'), 'lib', 'chess_observer', node.named['executable'])
            assert os.access(file, os.X_OK), file
    for include in of_kind(actions, 'IncludeLaunchDescription'):
        path = include.positional[0].positional[0]
        passed = {key for key, _ in include.named['launch_arguments']}
        assert passed <= declared(load(path))


def test_the_observer_has_its_arguments_and_all_remaps(launch):
    actions = load(installed('observer'))
    assert declared(actions) == {
        'namespace', 'params_file', 'image_topic', 'camera_info_topic', 'use_sim_time', 'log_level', 'respawn'}
    node, = of_kind(actions, 'Node')
    assert [name for name, _ in node.named['remappings']] == ['image_raw', 'image_raw/compressed', 'camera_info']


def test_an_observer_that_ended_is_started_again(launch):
    """In every file that starts one, unless the user says otherwise."""
    node, = of_kind(load(installed('observer')), 'Node')
    assert used(node.named['respawn']) == {'respawn'} and node.named['respawn_delay'] > 0.0
    for name in FILES:
        default = {a.positional[0]: a.named.get('default_value') for a in of_kind(load(installed(name)), 'DeclareLaunchArgument')}
        assert default.get('respawn', 'true') == 'true'


def test_every_board_gets_its_namespace(launch):
    includes = of_kind(opened(load(installed('boards'))), 'IncludeLaunchDescription')
    assert [dict(i.named['launch_arguments'])['namespace'] for i in includes] == ['board_1', 'board_2']


def test_the_recording_sets_the_time(launch):
    actions = load(installed('replay'))
    player, = of_kind(actions, 'ExecuteProcess')
    words = [w if isinstance(w, str) else w.positional[0] for w in player.named['cmd']]
    assert words == ['ros2', 'bag', 'play', 'bag', '--clock', '100', '--delay', '2.0', '--rate', 'rate']
    include, = of_kind(actions, 'IncludeLaunchDescription')
    assert dict(include.named['launch_arguments'])['use_sim_time'] == 'true'


@pytest.mark.parametrize('name', ['boards', 'simulation', 'usb_camera'])
def test_the_display_is_started_when_asked_for(launch, name):
    display, = [n for n in of_kind(load(installed(name)), 'Node') if n.named['executable'] == 'display_node']
    assert used(display.named['condition']) == {'display'} and used(display.named['parameters']) == {'display_port', 'params_file'}
