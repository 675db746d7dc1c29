"""A real client of the built node: starts it on a real ROS 2 graph of its own and talks to it."""

import os

# A graph of our own, before anything of ROS is loaded; workers that share the tests have a common parent.
_worker = os.environ.get('PYTEST_XDIST_WORKER')
_graph = os.getpid() if _worker is None else 2 * os.getppid() + int(_worker.removeprefix('gw'))
os.environ['ROS_DOMAIN_ID'] = str(1 + _graph % 100)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
if os.environ.get('ROS_DISTRO') == 'humble':
    os.environ['ROS_LOCALHOST_ONLY'] = '1'

import itertools
import pathlib
import signal
import subprocess
import time

import pytest
import rclpy
from ament_index_python.packages import get_package_prefix
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
BEST_EFFORT = QoSProfile(depth=5, reliability=QoSReliabilityPolicy.BEST_EFFORT)
RELIABLE = QoSProfile(depth=5)
START_FEN = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'


def program(name):
    """Path of an installed program of the package."""
    return os.path.join(get_package_prefix('chess_observer'), 'lib', 'chess_observer', name)


class Program:
    """A node of the package as a process."""

    def __init__(self, name, log, arguments, through=()):
        self.log = log
        with open(log, 'w', encoding='utf-8') as out:
            command = [*through, program(name), *arguments]
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)

    def said(self):
        """Everything it has printed."""
        return self.log.read_text(encoding='utf-8')

    def running(self):
        """Say whether it runs."""
        return self.process.poll() is None

    def stop(self, how=signal.SIGINT):
        """Send a signal; return exit code and seconds until the end."""
        begun = time.monotonic()
        self.process.send_signal(how)
        code = self.process.wait(timeout=20)
        return code, time.monotonic() - begun


class Client:
    """A node of this test's own."""

    def __init__(self):
        self.node = rclpy.create_node('test_client')
        self.clients = {}

    def wait_for(self, condition, timeout=10.0, what='condition'):
        """Spin until `condition()` is true; return what it returned."""
        end = time.monotonic() + timeout
        while True:
            result = condition()
            if result:
                return result
            assert time.monotonic() < end, f'waited {timeout} s in vain for {what}'
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def spin(self, seconds):
        """Spin for a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def listen(self, kind, topic, qos=RELIABLE):
        """Subscribe; return the list that fills."""
        messages = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def call(self, kind, name, timeout=10.0, **fields):
        """Call a service; what concerns parameters may be asked again without harm."""
        client = self.clients.get(name)
        if client is None or not client.service_is_ready():
            if client is None:
                client = self.clients[name] = self.node.create_client(kind, name)
            self.wait_for(client.service_is_ready, what=f'service {name}')
            # Ready means that we see the server, not yet that it sees us: an answer before that is lost.
            self.spin(0.5)
        patience = [3.0, 3.0, timeout] if 'parameters' in name.rsplit('/', 1)[-1] else [timeout]
        for seconds in patience[:-1]:
            future = client.call_async(kind.Request(**fields))
            try:
                return self.wait_for(lambda: future.done() and future, seconds).result()
            except AssertionError:
                print(f'{name} is asked again: no answer in {seconds} s')
        future = client.call_async(kind.Request(**fields))
        self.wait_for(future.done, patience[-1], f'answer of {name}')
        return future.result()

    def diagnostics(self, status, condition=lambda values: True, timeout=10.0):
        """Wait for a report on `status` whose values satisfy `condition`; return level, message and values."""
        reports = self.listen(DiagnosticArray, '/diagnostics')

        def found():
            for report in reports:
                for part in report.status:
                    values = {v.key: v.value for v in part.values}
                    if part.name.endswith(': ' + status) and condition(values):
                        return part.level[0], part.message, values
            return None

        try:
            return self.wait_for(found, timeout, f'diagnostics of {status}')
        except AssertionError:
            last = [v for r in reports[-1:] for part in r.status for v in part.values]
            raise AssertionError(f'no such report on {status}; the last was {[(v.key, v.value) for v in last]}')


@pytest.fixture(scope='session', autouse=True)
def ros():
    """Start and end rclpy."""
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture
def client():
    """A client."""
    client = Client()
    yield client
    client.node.destroy_node()


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Start programs; what still runs at the end of the test must end well then."""
    # What they keep for the next start, no other test finds.
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'ros_home'))
    started = []
    numbers = itertools.count()

    def start(name='observer_node', *arguments, **params):
        ros = [*arguments]
        for key, value in params.items():
            text = str(value).lower() if isinstance(value, bool) else value
            ros += ['-p', f'{key.replace("__", ".")}:={text}']
        log = tmp_path / f'{name}_{next(numbers)}.log'
        started.append(Program(name, log, ['--ros-args', *ros] if ros else [], start.through))
        return started[-1]

    # A command that runs the programs.
    start.through = []
    yield start
    ends = [(p, *p.stop()) for p in started if p.running()]
    for p, code, seconds in ends:
        assert code == 0 and seconds < 15, f'ended with {code} after {seconds:.1f} s:\n{p.said()}'


@pytest.fixture
def observer(start, client):
    """An observer with its defaults, ready."""
    observer = start()
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
    return observer
