"""Parameters as `ros2 param` uses them, parameter files, and what keeps the node from starting."""

import subprocess

import pytest
import yaml
from conftest import ROOT, program
from rcl_interfaces.msg import Parameter, ParameterEvent, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters, GetParameters, GetParameterTypes, ListParameters, SetParameters, SetParametersAtomically)

NODE = '/chess_observer/'


def value(v):
    """Make a parameter value."""
    if isinstance(v, bool):
        return ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=v)
    if isinstance(v, int):
        return ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=v)
    if isinstance(v, float):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=v)
    if isinstance(v, list):
        return ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=v)
    return ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=v)


def python(v):
    """Read a parameter value."""
    return {
        ParameterType.PARAMETER_NOT_SET: lambda: None,
        ParameterType.PARAMETER_BOOL: lambda: v.bool_value,
        ParameterType.PARAMETER_INTEGER: lambda: v.integer_value,
        ParameterType.PARAMETER_DOUBLE: lambda: v.double_value,
        ParameterType.PARAMETER_STRING: lambda: v.string_value,
        ParameterType.PARAMETER_DOUBLE_ARRAY: lambda: list(v.double_array_value),
    }[v.type]()


def get(client, *names):
    """Ask for values."""
    answer = client.call(GetParameters, NODE + 'get_parameters', names=list(names))
    return [python(v) for v in answer.values]


def set_one(client, name, v):
    """Set a parameter; return success and reason."""
    wanted = [Parameter(name=name, value=value(v))]
    result = client.call(SetParameters, NODE + 'set_parameters', parameters=wanted).results[0]
    return result.successful, result.reason


def flat(tree, prefix=''):
    """Flatten nested parameters."""
    for key, v in tree.items():
        if isinstance(v, dict):
            yield from flat(v, f'{prefix}{key}.')
        else:
            yield prefix + key, v


def test_the_running_node_has_what_the_file_says(observer, client):
    with open(ROOT / 'params' / 'observer.yaml', encoding='utf-8') as file:
        listed = dict(flat(yaml.safe_load(file)['/**']['ros__parameters']))
    listed['board.corners'] = []
    names = client.call(ListParameters, NODE + 'list_parameters').result.names
    assert set(names) == {*listed, 'use_sim_time'}
    assert dict(zip(listed, get(client, *listed))) == listed
    types = client.call(GetParameterTypes, NODE + 'get_parameter_types', names=['square_size_m', 'nonsense']).types
    assert list(types) == [ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_NOT_SET]


def test_parameters_are_described(observer, client):
    names = ['square_size_m', 'pgn_directory']
    size, folder = client.call(DescribeParameters, NODE + 'describe_parameters', names=names).descriptors
    assert size.description == 'Side of one square. [m]'
    assert (size.floating_point_range[0].from_value, size.floating_point_range[0].to_value) == (0.005, 1.0)
    assert not size.read_only and folder.read_only


def test_good_values_are_taken_and_told(observer, client):
    events = client.listen(ParameterEvent, '/parameter_events')
    assert set_one(client, 'game.min_confidence', 0.8) == (True, '')
    assert set_one(client, 'square_size_m', 1) == (True, '')
    corners = [100.0, 400.0, 500.0, 400.0, 450.0, 100.0, 150.0, 100.0]
    assert set_one(client, 'board.corners', corners) == (True, '')
    assert get(client, 'game.min_confidence', 'square_size_m', 'board.corners') == [0.8, 1.0, corners]
    client.wait_for(lambda: len(events) >= 3, what='parameter events')
    assert events[0].node == '/chess_observer'
    assert [p.name for p in events[0].changed_parameters] == ['game.min_confidence']


@pytest.mark.parametrize('name, v, reason', [
    ('game.min_confidence', 2.0, 'parameter game.min_confidence: expected a number from 0.5 to 0.9999 probability, got 2'),
    ('sight.rest_s', float('nan'), 'parameter sight.rest_s: expected a number from 0 to 10 s, got NaN'),
    ('square_size_m', 'five', 'parameter square_size_m: expected a number from 0.005 to 1 m, got "five"'),
    ('game.mode', 'auto', 'parameter game.mode: expected one of automatic, manual, semi_automatic, got "auto"'),
    ('game.mood', 'good', 'unknown parameter "game.mood": did you mean "game.mode"?'),
    ('board.corners', [1.0, 2.0], 'parameter board.corners: expected nothing, or 8 finite numbers x, y of the outer '
                                  'corners a1, h1, h8, a8 (px), got 2 numbers'),
    ('sight.change_threshold_min', 9.0, 'parameter sight.change_threshold_min: expected at most '
                                        'sight.change_threshold_max, which is 8, got 9'),
    ('pgn_directory', '/elsewhere', 'parameter pgn_directory: cannot change while the node runs; give it when the node starts'),
])
def test_absurd_values_are_refused_with_a_reason(observer, client, name, v, reason):
    before = get(client, name)
    assert set_one(client, name, v) == (False, reason)
    assert get(client, name) == before


def test_all_or_none(observer, client):
    wanted = [Parameter(name='game.white', value=value('Ada')), Parameter(name='max_rate_hz', value=value(-1.0))]
    result = client.call(SetParametersAtomically, NODE + 'set_parameters_atomically', parameters=wanted).result
    assert (result.successful, result.reason) == (False, 'parameter max_rate_hz: expected a number from 0 to 240 Hz, got -1')
    assert get(client, 'game.white') == ['?']


def test_a_parameter_file_is_loaded_and_unknown_names_are_reported(start, client, tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('/**:\n  ros__parameters:\n    square_size_m: 1\n    game:\n      whit: Ada\n      black: Bob\n'
                    '    board:\n      corners: [100, 400, 500, 400, 450, 100, 150, 100]\n')
    node = start('observer_node', '--params-file', str(file))
    assert get(client, 'square_size_m', 'game.black', 'game.white') == [1.0, 'Bob', '?']
    assert get(client, 'board.corners') == [[100.0, 400.0, 500.0, 400.0, 450.0, 100.0, 150.0, 100.0]]
    client.wait_for(lambda: 'unknown parameter "game.whit": did you mean "game.white"?' in node.said(), what='the warning')


def test_the_shipped_parameter_file_is_loaded(start, client):
    node = start('observer_node', '--params-file', str(ROOT / 'params' / 'observer.yaml'))
    assert get(client, 'game.mode', 'board.corners') == ['automatic', []]
    assert 'unknown parameter' not in node.said()


@pytest.mark.parametrize('arguments, line', [
    (['-p', 'square_size_m:=9.0'], 'observer_node: parameter square_size_m: expected a number from 0.005 to 1 m, got 9\n'),
    (['-p', 'game.start_fen:=nonsense'], 'observer_node: parameter game.start_fen: expected nothing, or a legal position'),
    (['--params-file', '/no/such.yaml'], 'observer_node: cannot read the parameter file "/no/such.yaml": No such file'),
    (['-p', 'sight.change_threshold_max:=2.0'], 'parameter sight.change_threshold_min: expected at most sight.change_threshold_max'),
    (['-p', 'pgn_directory:=$NO_SUCH_VARIABLE/x'], '(the environment has no $NO_SUCH_VARIABLE)'),
    (['-p', 'broken'], 'observer_node: ROS 2 refuses the arguments or parameter files: '),
])
def test_what_keeps_the_node_from_starting_is_one_line(arguments, line):
    ended = subprocess.run([program('observer_node'), '--ros-args', *arguments], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 2
    assert line in ended.stderr and 'panicked' not in ended.stderr
