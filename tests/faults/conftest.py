"""Faults on a real ROS 2 graph: what is killed, filled, unplugged, pushed and flooded while a game is played.

The short form runs with the other tests; CHESS_OBSERVER_FAULTS=long asks for the long one (scripts/faults.sh --long).
"""

import importlib.util
import json
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = os.environ.get('CHESS_OBSERVER_FAULTS') == 'long'

# The client and the programs are those of tests/ros.
sys.path.append(str(ROOT / 'tests' / 'ros'))
_spec = importlib.util.spec_from_file_location('graph', ROOT / 'tests' / 'ros' / 'conftest.py')
graph = importlib.util.module_from_spec(_spec)
sys.modules['graph'] = graph
_spec.loader.exec_module(graph)
ros, client, start, observer = graph.ros, graph.client, graph.start, graph.observer

from film import Film  # noqa: E402: needs the graph above

# Captures, en passant and castling; in the long form forty plies.
SHORT_GAME = '1. e4 d5 2. exd5 Nf6 3. Nf3 Nxd5 4. Be2 Bf5 *'
LONG_GAME = (
    '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 11. d4 Qc7 '
    '12. Nbd2 cxd4 13. cxd4 Nc6 14. Nb3 a5 15. Be3 a4 16. Nbd2 Bd7 17. Rc1 Qb7 18. Qe2 Rfe8 19. Bd3 Rac8 20. dxe5 dxe5 *')
# Short pauses: a test has no time to think.
PACE = '[pace]\nrest_min_s = 1.0\nrest_max_s = 1.2\n'


@pytest.fixture(scope='session')
def film(tmp_path_factory):
    """Make a film of a game, hands and all."""
    return Film.render(tmp_path_factory.mktemp('film'), LONG_GAME if LONG else SHORT_GAME, PACE)


@pytest.fixture
def figures(request):
    """Take down figures, which are printed, and stand in the log of CHESS_OBSERVER_FAULTS_LOG."""
    request.node.figures = {}
    yield request.node.figures
    print(json.dumps(request.node.figures))


def log(**line):
    """Add a line of JSON to the log, if there is one."""
    if path := os.environ.get('CHESS_OBSERVER_FAULTS_LOG'):
        with open(path, 'a', encoding='utf-8') as out:
            out.write(json.dumps(line) + '\n')


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Log how every test ended, and its figures."""
    report = (yield).get_result()
    if report.when == 'call':
        log(test=item.name, outcome=report.outcome, seconds=round(report.duration, 1), **getattr(item, 'figures', {}))


def pytest_collection_modifyitems(config, items):
    """Go on with a long run that was stopped: what its log says has passed is left out."""
    path = pathlib.Path(os.environ.get('CHESS_OBSERVER_FAULTS_LOG', ''))
    if LONG and path.is_file():
        lines = [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]
        passed = {line['test'] for line in lines if line['outcome'] == 'passed'}
        config.hook.pytest_deselected(items=[item for item in items if item.name in passed])
        items[:] = [item for item in items if item.name not in passed]
