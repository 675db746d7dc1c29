"""Lichess's own page for electronic boards, in a browser, before our boards and a stand-in of its server.

The page is not ours and not here: scripts/lichess_page.sh takes it, ready for a browser, as its argument. It has to offer
`startPage(token)`.
"""

import os
import pathlib
import shutil
import socket
import time

import chess
import pytest
from board_api import TOKEN, BoardApi
from browser import Browser
from stage import Stage
from test_eboard import GAME, SCENE, Listeners, sans

PAGE = os.environ.get('CHESS_OBSERVER_PAGE', '')
SHOTS = os.environ.get('CHESS_OBSERVER_SHOTS', '')
HTML = """<!doctype html><meta charset="utf-8"><title>Board</title>
<div id="dgt-play-zone" style="height:600px;overflow:auto"><pre id="dgt-play-zone-log"></pre></div>
<script>
const url = new URLSearchParams(location.search).get('board');
localStorage.setItem('dgt-livechess-url', url);
localStorage.setItem('dgt-verbose', 'true');
localStorage.setItem('dgt-speech-synthesis', 'false');
</script><script src="/page.js"></script><script>startPage('%s')</script>
""" % TOKEN

pytestmark = [
    pytest.mark.skipif(not shutil.which('chromedriver'), reason='no browser: scripts/browser.sh installs one'),
    pytest.mark.skipif(not PAGE, reason='no page: scripts/lichess_page.sh PAGE.js')]


@pytest.fixture
def api():
    """A server that has the page as well."""
    server = BoardApi({'/': HTML.encode(), '/page.js': pathlib.Path(PAGE).read_bytes()})
    yield server
    server.close()


@pytest.fixture
def open_page(tmp_path, api):
    """Open the page before a board; return its window."""
    windows = []

    def begin(address):
        windows.append(Browser(tmp_path / f'driver_{len(windows)}.log'))
        windows[-1].open(f'{api.address}/?board={address}')
        return windows[-1]
    yield begin
    for window in windows:
        if SHOTS:
            window.shot(pathlib.Path(SHOTS) / f'lichess_page_{os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split()[0]}.png')
        window.close()


def free_port():
    with socket.socket() as line:
        line.bind(('127.0.0.1', 0))
        return line.getsockname()[1]


@pytest.fixture
def boards(start, client):
    """Start a display on a port that stays the same; return its address, and how to start it anew."""
    port = free_port()

    def begin():
        listening = Listeners(start('display_node', port=0, eboard__port=port), client)
        client.wait_for(lambda: 'electronic boards on' in listening.node.said(), what='the listener')
        return listening
    return f'ws://127.0.0.1:{port}', begin


def attached(window):
    window.wait('document.querySelector("#dgt-play-zone-log").innerText.includes("setUp -: Sent.")', 60, 'the page and the board')


def log(window):
    return window.text('#dgt-play-zone-log')


def test_a_whole_game_goes_from_the_camera_to_the_server(start, client, api, open_page, boards, tmp_path):
    """Castling, en passant and a promotion among its moves; every move once, as soon as it was told."""
    address, begin = boards
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text(GAME)
    scene.write_text(SCENE)
    observer = start()
    client.wait_for(lambda: ' is ready' in observer.said(), what='the observer')
    begin()
    api.begin('first')
    window = open_page(f'{address}/api/v1.0')
    attached(window)
    truth, board = [], chess.Board()
    for san in sans(GAME):
        truth.append(board.push_san(san).uci())
    start('simulator_node', pgn=game, scene=scene)

    def answered():
        """Play the other side as soon as it is its turn."""
        moves = api.moves('first')
        assert moves == truth[:len(moves)], moves
        if len(moves) % 2 and len(moves) < len(truth):
            api.play('first', truth[len(moves)])
        return len(moves) == len(truth)
    client.wait_for(answered, 240, 'the whole game on the server')
    client.spin(0.5)
    # The page writes castling as the king who takes his rook.
    assert api.posts == [('first', {'e1g1': 'e1h1'}.get(uci, uci), 200) for uci in truth[::2]]
    print('posted:', ' '.join(uci for _, uci, _ in api.posts))
    assert 'Invalid Adjustment' not in log(window) and 'NOT legal' not in log(window)


def test_a_display_that_was_away_and_a_server_that_was_away(client, api, open_page, boards):
    address, begin = boards
    stage = Stage(client, ['board_1'])
    listening = begin()
    stage.play('board_1', [])
    api.begin('second')
    window = open_page(f'{address}/api/v1.0')
    attached(window)
    stage.play('board_1', ['e4'])
    client.wait_for(lambda: api.moves('second') == ['e2e4'], what='the first move')
    api.play('second', 'e7e5')
    client.spin(0.5)
    stage.play('board_1', ['e4', 'e5'])
    client.spin(0.5)
    # The display goes, a move is made, it comes back: the page connects again by itself.
    assert listening.node.stop()[0] == 0
    stage.play('board_1', ['e4', 'e5', 'Nf3'])
    begin()
    client.wait_for(lambda: api.moves('second') == ['e2e4', 'e7e5', 'g1f3'], 60, 'the move that was made meanwhile')
    # The server's streams end: the page opens them again.
    api.cut()
    client.wait_for(lambda: not api.streams, what='the end of the streams')
    client.wait_for(lambda: {name for name, _ in api.streams} == {None, 'second'}, 60, 'the streams')
    client.spin(1.0)
    api.play('second', 'b8c6')
    client.spin(0.5)
    stage.play('board_1', ['e4', 'e5', 'Nf3', 'Nc6'])
    client.spin(0.5)
    stage.play('board_1', ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5'])
    client.wait_for(lambda: api.moves('second')[4:] == ['f1b5'], 30, 'the last move')
    client.spin(1.0)
    assert [uci for _, uci, _ in api.posts] == ['e2e4', 'g1f3', 'f1b5'], 'every move once'


def test_what_is_corrected_and_what_is_taken_back(client, api, open_page, boards):
    address, begin = boards
    stage = Stage(client, ['board_1'])
    begin()
    stage.play('board_1', [])
    api.begin('third')
    window = open_page(f'{address}/api/v1.0')
    attached(window)
    stage.play('board_1', ['e4'])
    client.wait_for(lambda: api.moves('third') == ['e2e4'], what='the first move')
    api.play('third', 'e7e5')
    client.spin(0.5)
    # The other side's move is misread at first: the page warns of it, and the correction is taken.
    stage.play('board_1', ['e4', 'e6'])
    window.wait('document.querySelector("#dgt-play-zone-log").innerText.includes("Invalid Adjustment")', what='the warning')
    client.spin(1.5)
    stage.play('board_1', ['e4', 'e5'])
    client.spin(1.0)
    stage.play('board_1', ['e4', 'e5', 'Nf3'])
    client.wait_for(lambda: api.moves('third')[2:] == ['g1f3'], 30, 'the move after the correction')
    # The board is put back by a move that stands on the server: nothing is sent, and it may be made again.
    stage.play('board_1', ['e4', 'e5'])
    client.spin(1.0)
    stage.play('board_1', ['e4', 'e5', 'Nf3'])
    client.spin(1.0)
    assert api.moves('third') == ['e2e4', 'e7e5', 'g1f3'] and len(api.posts) == 2
    api.play('third', 'b8c6')
    client.spin(0.5)
    stage.play('board_1', ['e4', 'e5', 'Nf3', 'Nc6'])
    client.spin(1.0)
    stage.play('board_1', ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5'])
    client.wait_for(lambda: api.moves('third')[4:] == ['f1b5'], 30, 'the move after that')


def test_two_boards_and_two_pages(client, api, open_page, boards):
    address, begin = boards
    stage = Stage(client, ['board_1', 'board_2'])
    begin()
    stage.play('board_1', [])
    stage.play('board_2', ['d4', 'd5'])
    game = api.begin('fourth')
    one = open_page(f'{address}/board_1/api/v1.0')
    attached(one)
    game.board = chess.Board()
    api.begin('fifth')
    api.games['fifth'].moves = ['d2d4', 'd7d5']
    api.games['fifth'].board.push_uci('d2d4')
    api.games['fifth'].board.push_uci('d7d5')
    two = open_page(f'{address}/board_2/api/v1.0')
    attached(two)
    time.sleep(1.0)
    stage.play('board_2', ['d4', 'd5', 'c4'])
    stage.play('board_1', ['e4'])
    client.wait_for(lambda: api.moves('fourth') == ['e2e4'] and api.moves('fifth')[2:] == ['c2c4'], 30, 'both moves')
    client.spin(1.0)
    assert sorted(name for name, _, _ in api.posts) == ['fifth', 'fourth']
