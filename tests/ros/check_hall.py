"""Measures a hall: sixty boards that tell moves, a program at each of them, and viewers that poll. Prints; asserts only that all came.

scripts/python.sh -m pytest -p no:cacheprovider -s tests/ros/check_hall.py
"""

import os
import threading
import time

import chess
from stage import Stage
from test_eboard import Listeners, follow, get
from web_socket import WebSocket

BOARDS, MOVES, PERIOD_S, VIEWERS = 60, 20, 2.0, 10


def used(pid):
    """Seconds of processor, and megabytes, of a process."""
    with open(f'/proc/{pid}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    with open(f'/proc/{pid}/status', encoding='utf-8') as file:
        memory = int(file.read().split('VmRSS:')[1].split()[0]) / 1024
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK'), memory


def test_a_hall(start, client):
    names = [f'board_{number}' for number in range(1, BOARDS + 1)]
    stage = Stage(client, names)
    boards = Listeners(start('display_node', port=0, eboard__port=0, pgn__port=0), client)
    client.wait_for(lambda: 'electronic boards on' in boards.node.said(), what='the listeners')
    for name in names:
        stage.play(name, [])
    client.wait_for(lambda: get(f'{boards.pages}/api/boards')[2].count('"tracker"') == BOARDS, 60, 'the boards')
    client.spin(2.0)
    host, port = boards.address('electronic boards on ws://').split('/')[0].split(':')
    told, heard, over = {}, {}, threading.Event()

    def program(name):
        line = WebSocket(host, int(port), f'/{name}/api/v1.0')
        follow(line)
        while not over.is_set():
            try:
                message = line.receive(0.5)
            except TimeoutError:
                continue
            moves = message['param'].get('san', []) if message['response'] == 'feed' else []
            if moves:
                heard.setdefault((name, len(moves)), time.monotonic())

    polls = []

    def viewer():
        tag = ''
        while not over.is_set():
            begun = time.monotonic()
            status, headers, _ = get(f'{boards.pgn}/games.pgn', If_None_Match=tag)
            polls.append((status, time.monotonic() - begun))
            tag = headers['ETag']
            over.wait(1.0)

    threads = [threading.Thread(target=program, args=(name,), daemon=True) for name in names]
    threads += [threading.Thread(target=viewer, daemon=True) for _ in range(VIEWERS)]
    for thread in threads:
        thread.start()
    client.spin(3.0)
    board, line = chess.Board(), []
    cpu, _ = used(boards.node.process.pid)
    begun = time.monotonic()
    for ply in range(1, MOVES + 1):
        line.append(board.san(sorted(board.legal_moves, key=str)[0]))
        board.push_san(line[-1])
        for number, name in enumerate(names):
            stage.play(name, line)
            told[name, ply] = time.monotonic()
            wait = begun + (ply - 1 + (number + 1) / BOARDS) * PERIOD_S - time.monotonic()
            if wait > 0:
                client.spin(wait)
    client.wait_for(lambda: len(heard) == len(told), 60, 'every move at its program')
    seconds = time.monotonic() - begun
    after, memory = used(boards.node.process.pid)
    over.set()
    for thread in threads:
        thread.join()
    late = sorted(heard[key] - told[key] for key in told)
    asked = sorted(seconds for _, seconds in polls)
    new = sum(status == 200 for status, _ in polls)

    def at(values, part):
        return 1e3 * values[min(len(values) - 1, int(part * len(values)))]
    print(f'\n{BOARDS} boards, {len(told)} moves in {seconds:.0f} s, {VIEWERS} viewers; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors')
    print(f'from the topics to the programs: median {at(late, 0.5):.1f} ms, 95 % {at(late, 0.95):.1f} ms, most {at(late, 1.0):.1f} ms')
    print(f'/games.pgn: {len(polls)} answers, {new} with a text; median {at(asked, 0.5):.1f} ms, 95 % {at(asked, 0.95):.1f} ms')
    print(f'display_node: {100 * (after - cpu) / seconds:.1f} % of a processor, {memory:.0f} MB')
