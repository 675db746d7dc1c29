"""Measures a hall: sixty boards that tell moves, a program at each of them, and viewers that poll. Prints; asserts only that all came.

scripts/python.sh -m pytest -p no:cacheprovider -s tests/ros/check_hall.py

Once with all boards in one process, then with six processes that find the display by themselves, and with six that find it through
a discovery server.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

# What a process of boards is given, before conftest makes a graph of its own.
GIVEN = {name: value for name, value in os.environ.items() if name.startswith('ROS_')}

import chess
import pytest
from stage import Stage
from test_eboard import Listeners, follow, get
from web_socket import WebSocket

BOARDS, MOVES, PERIOD_S, VIEWERS, PROCESSES = 60, 20, 2.0, 10, 6
NAMES = [f'board_{number}' for number in range(1, BOARDS + 1)]
# Fast DDS knows server 0 by this prefix.
SERVER = """<?xml version="1.0" encoding="UTF-8"?>
<dds><profiles xmlns="http://www.eprosima.com"><participant profile_name="server" is_default_profile="true"><rtps><builtin>
<discovery_config><discoveryProtocol>SERVER</discoveryProtocol></discovery_config>
<metatrafficUnicastLocatorList><locator><udpv4><address>127.0.0.1</address><port>{port}</port></udpv4></locator>
</metatrafficUnicastLocatorList></builtin><prefix>44.53.00.5f.45.50.52.4f.53.49.4d.41</prefix></rtps></participant></profiles></dds>
"""
PORT = 11811


def used(pid):
    """Seconds of processor, and megabytes, of a process."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        memory = int(file.read().split('VmRSS:')[1].split()[0]) / 1024
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), memory


class Hall:
    """A display, a program at each of its boards, and viewers of the games."""

    def __init__(self, boards):
        self.boards, self.heard, self.polls, self.over = boards, {}, [], threading.Event()
        self.host, self.port = boards.address('electronic boards on ws://').split('/')[0].split(':')

    def shown(self):
        """Number of boards that the display has."""
        return get(f'{self.boards.pages}/api/boards')[2].count('"tracker"')

    def begin(self):
        """Let programs and viewers come."""
        self.threads = [threading.Thread(target=self.program, args=(name,), daemon=True) for name in NAMES]
        self.threads += [threading.Thread(target=self.viewer, daemon=True) for _ in range(VIEWERS)]
        for thread in self.threads:
            thread.start()

    def program(self, name):
        line = WebSocket(self.host, int(self.port), f'/{name}/api/v1.0')
        follow(line)
        while not self.over.is_set():
            try:
                message = line.receive(0.5)
            except TimeoutError:
                continue
            moves = message['param'].get('san', []) if message['response'] == 'feed' else []
            if moves:
                self.heard.setdefault((name, len(moves)), time.monotonic())

    def viewer(self):
        tag = ''
        while not self.over.is_set():
            begun = time.monotonic()
            status, headers, _ = get(f'{self.boards.pgn}/games.pgn', If_None_Match=tag)
            self.polls.append((status, time.monotonic() - begun))
            tag = headers['ETag']
            self.over.wait(1.0)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def tell(self, what, told, seconds, cpu, memory):
        """Print what was measured."""
        late = sorted(self.heard[key] - told[key] for key in told)
        asked = sorted(seconds for _, seconds in self.polls)
        new = sum(status == 200 for status, _ in self.polls)

        def at(values, part):
            return 1e3 * values[min(len(values) - 1, int(part * len(values)))]
        print(f'\n{what}: {BOARDS} boards, {len(told)} moves in {seconds:.0f} s, {VIEWERS} viewers; '
              f'load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors')
        print(f'from the topics to the programs: median {at(late, 0.5):.1f} ms, 95 % {at(late, 0.95):.1f} ms, '
              f'most {at(late, 1.0):.1f} ms')
        print(f'/games.pgn: {len(self.polls)} answers, {new} with a text; median {at(asked, 0.5):.1f} ms, '
              f'95 % {at(asked, 0.95):.1f} ms')
        print(f'display_node: {100 * cpu / seconds:.1f} % of a processor, {memory:.0f} MB')


def lines():
    """The game that every board plays: its moves so far, ply by ply."""
    board, line = chess.Board(), []
    for _ in range(MOVES):
        line.append(board.san(sorted(board.legal_moves, key=str)[0]))
        board.push_san(line[-1])
        yield list(line)


def play(stage, mine, begun, wait):
    """Play a ply at each board every period, spread over it. Return when each was told."""
    told = {}
    for ply, line in enumerate(lines()):
        for name in mine:
            pause = begun + (ply + (NAMES.index(name) + 1) / BOARDS) * PERIOD_S - time.monotonic()
            if pause > 0:
                wait(pause)
            stage.play(name, line)
            told[name, ply + 1] = time.monotonic()
    return told


def display(start, client):
    """Start the display; return its hall."""
    boards = Listeners(start('display_node', port=0, eboard__port=0, pgn__port=0), client)
    client.wait_for(lambda: 'electronic boards on' in boards.node.said(), what='the listeners')
    return Hall(boards)


def test_a_hall(start, client):
    stage = Stage(client, NAMES)
    hall = display(start, client)
    for name in NAMES:
        stage.play(name, [])
    client.wait_for(lambda: hall.shown() == BOARDS, 60, 'the boards')
    client.spin(2.0)
    hall.begin()
    client.spin(3.0)
    cpu, _ = used(hall.boards.node.process.pid)
    begun = time.monotonic()
    told = play(stage, NAMES, begun, client.spin)
    client.wait_for(lambda: len(hall.heard) == len(told), 60, 'every move at its program')
    seconds = time.monotonic() - begun
    after, memory = used(hall.boards.node.process.pid)
    hall.end()
    hall.tell('one process', told, seconds, after - cpu, memory)


@pytest.mark.parametrize('discovery', ['simple', 'server'])
def test_boards_in_several_processes(start, client, tmp_path, monkeypatch, discovery):
    env = dict(os.environ)
    processes = []
    if discovery == 'server':
        profile = tmp_path / 'server.xml'
        profile.write_text(SERVER.format(port=PORT))
        code = 'import rclpy; rclpy.init(); rclpy.spin(rclpy.create_node("discovery_server"))'
        # The range LOCALHOST finds by itself, whatever the server and the profile say.
        env['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'SUBNET'
        processes.append(subprocess.Popen([sys.executable, '-c', code], env={**env, 'FASTRTPS_DEFAULT_PROFILES_FILE': str(profile)},
                                          stderr=subprocess.DEVNULL))
        env['ROS_DISCOVERY_SERVER'] = f'127.0.0.1:{PORT}'
        # Who lists what is on the graph, as the display does, has to be told all of it.
        for name, value in {**env, 'ROS_SUPER_CLIENT': 'TRUE'}.items():
            monkeypatch.setenv(name, value)
    try:
        hall = display(start, client)
        files = [tmp_path / f'told_{number}.json' for number in range(PROCESSES)]
        for number, file in enumerate(files):
            command = [sys.executable, __file__, str(file), *NAMES[number::PROCESSES]]
            processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, env=env, text=True))
        begun = time.monotonic()
        client.wait_for(lambda: hall.shown() == BOARDS, 120, 'the boards')
        print(f'\n{discovery} discovery: all boards after {time.monotonic() - begun:.1f} s')
        time.sleep(2.0)
        hall.begin()
        time.sleep(3.0)
        cpu, _ = used(hall.boards.node.process.pid)
        begun = time.monotonic()
        for process in processes[-PROCESSES:]:
            process.stdin.write(f'{begun}\n')
            process.stdin.close()
        client.wait_for(lambda: len(hall.heard) == BOARDS * MOVES, 120, 'every move at its program')
        seconds = time.monotonic() - begun
        after, memory = used(hall.boards.node.process.pid)
        hall.end()
        client.wait_for(lambda: all(file.exists() for file in files), 20, 'what was told')
        told = {(name, ply): when for file in files for name, ply, when in json.loads(file.read_text())}
        hall.tell(f'{PROCESSES} processes, {discovery} discovery', told, seconds, after - cpu, memory)
        # Before the server goes, through which it finds the others.
        assert hall.boards.node.stop()[0] == 0
    finally:
        for process in processes:
            process.terminate()
            process.wait(20)


def several_boards():
    """Be one of the processes: its boards tell their moves from the moment that stdin says."""
    import rclpy
    from conftest import Client
    os.environ.update(GIVEN)
    rclpy.init()
    client, (out, *mine) = Client(), sys.argv[1:]
    stage = Stage(client, mine)
    for name in mine:
        stage.play(name, [])
    said = threading.Event()
    begun = []
    threading.Thread(target=lambda: (begun.append(float(sys.stdin.readline())), said.set()), daemon=True).start()
    client.wait_for(said.is_set, 300, 'the beginning')
    told = play(stage, mine, begun[0], client.spin)
    part = pathlib.Path(f'{out}.part')
    part.write_text(json.dumps([[name, ply, when] for (name, ply), when in told.items()]))
    part.rename(out)
    with contextlib.suppress(rclpy.executors.ExternalShutdownException, rclpy.handle.InvalidHandle, RuntimeError):
        client.spin(600)


if __name__ == '__main__':
    several_boards()
