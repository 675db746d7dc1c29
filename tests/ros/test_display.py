"""The display in a real browser, over the real graph."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from browser import Browser
from chess_observer.msg import Board, Move, Position, Warning
from conftest import LATCHED, START_FEN, program
from std_msgs.msg import String

TOKEN = 'a-word-for-tests'
# Where the pictures go, to be looked at.
SHOTS = pathlib.Path(os.environ.get('CHESS_OBSERVER_SHOTS', '')) if os.environ.get('CHESS_OBSERVER_SHOTS') else None
GAME = '1. e4 e5 2. Nf3 Nc6 3. Bb5 *'
AFTER_E4 = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'
SCENE = '[pace]\nrest_min_s = 1.2\nrest_max_s = 1.4\n'

pytestmark = pytest.mark.skipif(not shutil.which('chromedriver'), reason='no browser: scripts/browser.sh installs one')


def get(url, **headers):
    """Fetch; return status and body."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.fixture
def display(start, client):
    """Start a display on a free port; return its address."""
    def begin(**params):
        node = start('display_node', port=0, token=TOKEN, **params)
        client.wait_for(lambda: 'with control: ' in node.said(), what='the display')
        return node.said().split('the boards are on ')[1].split()[0].rstrip('/')
    return begin


@pytest.fixture(scope='module')
def window(tmp_path_factory):
    """Open a browser for all tests of this file."""
    browser = Browser(tmp_path_factory.mktemp('browser') / 'chromedriver.log')
    yield browser
    browser.close()


@pytest.fixture
def browser(window):
    """Offer a window whose complaints are read at the end."""
    window.size(1280, 900)
    yield window
    complaints = window.complaints()
    window.open('about:blank')
    assert not complaints


def shot(browser, name, whole=False):
    """Keep a picture of the page where somebody wants to look at it."""
    if SHOTS:
        browser.shot(SHOTS / f'{name}.png', whole)


class Stage:
    """Boards without observers: says on their topics what observers would say."""

    def __init__(self, client, names):
        self.client, self.boards = client, {}
        for name in names:
            make = client.node.create_publisher
            self.boards[name] = (
                make(Position, f'/{name}/position', LATCHED), make(String, f'/{name}/pgn', LATCHED),
                make(Move, f'/{name}/moves', 50), make(Warning, f'/{name}/warnings', 50), make(Board, f'/{name}/board', LATCHED))

    def position(self, name, fen=START_FEN, ply=0, illegal=False):
        self.boards[name][0].publish(Position(fen=fen, ply=ply, illegal=illegal))

    def game(self, name, pgn):
        self.boards[name][1].publish(String(data=pgn))

    def warn(self, name, kind, text, squares=()):
        self.boards[name][3].publish(Warning(kind=kind, text=text, squares=list(squares), fen=START_FEN))


def tile(name):
    """JavaScript for a board's tile."""
    return f'document.querySelector(`[data-board="{name}"]`)'


def test_a_game_is_followed_corrected_and_looked_at(start, client, display, browser, tmp_path):
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text(GAME)
    scene.write_text(SCENE)
    moves = client.listen(Move, 'moves')
    kept = tmp_path / 'looks'
    start(game__white='Ada', game__black='Charles', archive_directory=kept)
    address = display(archive_directory=kept)
    browser.open(f'{address}/#token={TOKEN}')
    browser.wait(tile('the-board'), what='the tile')
    start('simulator_node', pgn=game, scene=scene)
    browser.open(f'{address}/board/the-board')
    browser.wait('document.querySelector("#controls button")', what='control')

    # Each move stands on the page at most a second after it was told on the topic.
    for ply, san in enumerate(['e4', 'e5', 'Nf3', 'Nc6', 'Bb5'], 1):
        client.wait_for(lambda: len(moves) >= ply, 60, f'ply {ply}')
        told = time.monotonic()
        browser.wait(f'document.querySelector(`#moves [data-ply="{ply}"] [aria-label="{san}"]`)', 5, san)
        assert time.monotonic() - told < 1.0 or os.getloadavg()[0] > os.cpu_count(), 'later than a second'
        if ply == 3:
            browser.click('[data-view="overlay"]')
    browser.wait('document.querySelector("#eyes canvas")?.width > 300', what='the picture')
    browser.wait('document.querySelectorAll("#strip [data-look]").length >= 4', what='the kept looks')
    shot(browser, 'board', whole=True)

    # The move that is clicked is shown, and the keys go on from there.
    browser.click('#moves [data-ply="2"]')
    assert 'After 1... e5' in browser.text('#shown')
    browser.press('\ue014')
    browser.wait('document.querySelector("#shown").innerText.includes("2. Nf3")')
    browser.press('\ue010')
    browser.wait('document.querySelector("#shown").innerText.includes("now")')
    for view in ('straight', 'change', 'squares'):
        browser.click(f'[data-view="{view}"]')
        wanted = '.evidence div:nth-child(64)' if view == 'squares' else 'canvas[width="384"]'
        browser.wait(f'document.querySelector(`#eyes {wanted}`)', what=view)
        shot(browser, f'eyes_{view}')

    # Each control does what it says.
    browser.click('#pause')
    browser.wait('document.querySelector("#answer").innerText == "paused"')
    browser.wait('document.querySelector("#state").innerText.startsWith("paused")')
    browser.click('#take-back')
    browser.wait('document.querySelectorAll("#moves button").length == 4', what='a ply less')
    browser.type('#correct-ply', '4')
    browser.type('#correct-move', 'd6')
    browser.click('#correct')
    browser.wait('document.querySelector(`#moves [data-ply="4"] [aria-label="d6"]`)', what='the correction')
    browser.type('#correct-ply', '9')
    browser.click('#correct')
    browser.wait('document.querySelector("#answer.no")?.innerText.includes("there is no ply 9")')
    browser.run('document.querySelector("#result").value = "1/2-1/2"')
    browser.click('#set-result')
    browser.wait('document.querySelector("#state").innerText.includes("1/2-1/2")', what='the result')
    browser.run('document.querySelector("#mode").value = "manual"')
    browser.click('#set-mode')
    browser.wait('document.querySelector("#answer").innerText.includes("manual")')
    browser.click('#capture')
    browser.wait('document.querySelector("#answer").innerText.includes("read as it is")')
    browser.click('#drag')
    browser.wait('document.querySelector("#corners canvas")?.width > 300', what='the corners')
    shot(browser, 'corners')
    browser.click('#set-corners')
    browser.wait('document.querySelector("#answer").innerText.includes("taken as given")')
    browser.click('#close-corners')

    # A position is set up, and a game begins with its players' names.
    browser.click('#edit')
    browser.click('#editor-empty')
    for man, square in (('K', 'e1'), ('R', 'a1'), ('k', 'e8')):
        browser.click(f'[data-man="{man}"]')
        browser.click(f'[data-square="{square}"]')
    browser.type('#editor-rights', '-')
    shot(browser, 'editor')
    browser.click('#editor-set')
    browser.wait('document.querySelector("#diagram svg").getAttribute("aria-label").startsWith("White: king e1, rook a1.")')
    browser.type('#new-white', 'Emanuel')
    browser.type('#new-black', 'José')
    browser.click('#new-game')
    browser.wait('document.querySelector("#players").innerText == "Emanuel – José"', what='the names')
    status, pgn = get(f'{address}/api/boards/the-board/game.pgn')
    assert status == 200 and '[White "Emanuel"]' in pgn.decode()


def test_an_alarm_comes_first_and_is_acknowledged_with_the_token_only(client, display, browser):
    stage = Stage(client, ['board_1', 'board_2', 'board_3'])
    address = display()
    for name in stage.boards:
        stage.position(name)
    browser.open(f'{address}/')
    browser.run('sessionStorage.clear()')
    browser.wait('document.querySelectorAll(".tile").length == 3', what='three tiles')
    assert browser.run('return document.querySelector(".tile").dataset.board') == 'board_1'
    stage.warn('board_3', Warning.KIND_ILLEGAL, 'e2e5: no pawn moves like that.', ['e2', 'e5'])
    stage.position('board_3', illegal=True)
    browser.wait('document.querySelector(".tile").dataset.board == "board_3"', what='the alarm')
    browser.wait('document.querySelector("#alerts").innerText.includes("no pawn moves")', what='the spoken alarm')
    assert browser.run('return document.title') == '(1) Boards'
    shot(browser, 'hall_alarm')

    browser.click('[data-board="board_3"] a')
    browser.wait('document.querySelector(".alarm.illegal")', what='the alarm on the page')
    assert 'To restore: e2 white pawn, e5 empty.' in browser.text('.alarm')
    browser.click('.acknowledge')
    assert 'needs the token' in browser.text('#answer')
    browser.type('#token', 'a-wrong-word')
    browser.click('#token-form button')
    browser.wait('document.querySelector("#answer.no")?.innerText.includes("needs the token")')
    browser.type('#token', TOKEN)
    browser.click('#token-form button')
    browser.wait('document.querySelector("#answer.yes")', what='control')
    browser.click('.acknowledge')
    browser.wait('document.querySelector(".alarm.seen")', what='the acknowledgment')
    # It holds while the position stands, also for who opens the page now.
    stage.position('board_3', illegal=True)
    browser.open(f'{address}/')
    browser.wait('document.querySelector(".tile.seen")', what='the tile without a call')
    assert browser.run('return document.title') == 'Boards'
    stage.position('board_3')
    browser.wait('!document.querySelector(".tile.illegal")', what='the end of the alarm')


def test_a_page_left_open_keeps_its_memory(client, display, browser):
    """10,000 events on 60 boards: the memory of hall and board ends as it began."""
    stage = Stage(client, [f'board_{i}' for i in range(1, 61)])
    address = display()
    names = list(stage.boards)
    for name in names:
        stage.position(name)
    browser.open(f'{address}/')
    browser.wait('document.querySelectorAll(".tile").length == 60', 30, 'sixty tiles')
    shot(browser, 'hall')

    def night(events):
        for i in range(events):
            name = names[i % 60]
            if i % 3:
                stage.position(name, AFTER_E4 if i % 2 else START_FEN, i % 2)
            else:
                stage.warn(name, Warning.KIND_TOUCHED, f'The man on d1 was lifted and put back ({i}).', ['d1'])
            if i % 50 == 0:
                client.spin(0.02)
        client.spin(0.5)

    night(1000)
    before = browser.heap()
    night(10_000)
    stage.warn('board_60', Warning.KIND_ILLEGAL, 'the last event', ['e2'])
    browser.wait('document.querySelector(".tile").innerText.includes("the last event")', 20, 'the last event')
    after = browser.heap()
    print(f'heap {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB after 10,000 events')
    assert after < before + 3e6
    browser.size(400, 800, mobile=True)
    assert browser.run('return document.documentElement.scrollWidth <= innerWidth'), 'wider than a phone'
    shot(browser, 'hall_phone')
    browser.dark(True)
    shot(browser, 'hall_phone_dark')
    browser.dark(False)


def test_control_needs_a_page_of_our_own(client, display, start, browser):
    observer = start()
    client.wait_for(lambda: ' is ready' in observer.said(), what='the node')
    address = display()
    deadline = time.monotonic() + 10
    while get(f'{address}/api/boards/the-board')[0] != 200 and time.monotonic() < deadline:
        client.spin(0.2)

    def post(**headers):
        body = json.dumps({'command': 'pause', 'on': True}).encode()
        request = urllib.request.Request(f'{address}/api/boards/the-board/commands', body, headers)
        try:
            with urllib.request.urlopen(request, timeout=15) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    right = {'Authorization': f'Bearer {TOKEN}'}
    assert post() == 401
    assert post(**right, Origin='http://evil.example') == 403
    assert get(f'{address}/', Host='evil.example')[0] == 403
    _, _, values = client.diagnostics('tracker')
    assert values['state'] != 'paused'
    assert post(**right, Origin=address) == 200
    client.diagnostics('tracker', lambda v: v['state'] == 'paused')


def test_what_keeps_the_display_from_starting_is_one_line(start, client, display):
    address = display()
    second = start('display_node', port=int(address.rsplit(':', 1)[1]))
    assert second.process.wait(timeout=20) == 2
    assert 'display_node: cannot listen on 127.0.0.1:' in second.said() and 'give another port' in second.said()


def test_a_look_is_browsed_exported_and_replayed(browser, tmp_path):
    game, scene = tmp_path / 'game.pgn', tmp_path / 'scene.toml'
    game.write_text('[White "Ada"]\n\n1. e4 e5 2. Nf3 *')
    scene.write_text(SCENE)
    film, looks = tmp_path / 'film', tmp_path / 'ada.looks'
    tool = program('chess_observer')

    def run(*arguments):
        done = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        return done

    run('simulate', '--pgn', game, '--scene', scene, '--out', film)
    made = run('replay', film / 'frames', '--archive', looks)
    assert '2. Nf3' in made.stdout and f'archive: {looks}' in made.stderr
    browse = subprocess.Popen([tool, 'browse', str(looks), '--port', '0'], stdout=subprocess.PIPE, text=True)
    try:
        address = browse.stdout.readline().split(' on ')[1].split()[0].rstrip('/')
        browser.open(f'{address}/')
        browser.wait(tile('ada'), what='the game')
        browser.click('[data-board="ada"] a')
        browser.wait('document.querySelectorAll("#moves button").length == 3', what='the moves')
        browser.wait('document.querySelectorAll("#strip [data-look]").length >= 4', what='the looks')
        assert browser.run('return document.querySelector("#hands").hidden'), 'there is nothing to control'
        browser.click('#strip [data-ply="2"]')
        browser.wait('document.querySelector("#look img")?.naturalWidth > 300', what='the look')
        browser.wait('document.querySelector("#shown").innerText.includes("1... e5")', what='its position')
        shot(browser, 'look', whole=True)
        status, report = get(browser.run('return document.querySelector("#look .report").href'))
        assert status == 200
    finally:
        browse.send_signal(signal.SIGINT)
        assert browse.wait(timeout=10) == 0
    (tmp_path / 'report.looks').write_bytes(report)
    again = run('replay', tmp_path / 'report.looks')
    assert '1. e4' in again.stdout and 'e5' in again.stdout and 'Nf3' not in again.stdout
    assert 'another position' not in again.stderr
