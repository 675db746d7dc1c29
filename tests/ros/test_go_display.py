"""A Go board on the display, in a real browser: a real observer that is fed simulated photographs."""

import shutil

import pytest
from chess_observer.msg import GoBoard, GoMove, Position, Warning
from conftest import LATCHED
from go_stage import Photographer, simulated
from stage import Stage
from std_msgs.msg import String
from test_display import TOKEN, browser, check, display, get, large_pictures, shot, window  # noqa: F401 (fixtures)

pytestmark = pytest.mark.skipif(not shutil.which('chromedriver'), reason='no browser: scripts/browser.sh installs one')

# Black takes the stone at C7 with the last play.
GAME = '(;GM[1]FF[4]SZ[9]PB[Ann]PW[Bo];B[cd];W[cc];B[bc];W[gg];B[dc];W[gc];B[cb])'
PLAYS = ['C6', 'C7', 'B7', 'G3', 'D7', 'G7', 'C8']
STONES = 'document.querySelectorAll("#diagram .stone").length'


@pytest.fixture(scope='module')
def photographs(tmp_path_factory):
    """Photographs of a game, one after each play."""
    pictures = simulated(GAME, tmp_path_factory.mktemp('go'))
    assert len(pictures) == len(PLAYS) + 1
    return pictures


def test_a_game_of_go_is_followed_on_the_pages(start, client, display, browser, photographs):
    node = start('go_node', sight__stills=True, board__size=9, game__black='Ann', game__white='Bo')
    client.wait_for(lambda: ' is ready' in node.said(), what='the node')
    at = display()
    camera, moves = Photographer(client), client.listen(GoMove, 'go_moves')
    browser.open(f'{at}/board/the-board')
    browser.wait('document.querySelector("#state").innerText.startsWith("looking for the board")', what='a board that is searched')
    for number, path in enumerate(photographs):
        camera.show(path, 1.79e9 + 10 * number)
        client.wait_for(lambda: len(moves) >= number, timeout=30.0, what=f'play {number}')
    assert [m.point for m in moves] == PLAYS
    browser.wait(f'{STONES} == 6', what='the stones')
    browser.wait('document.querySelectorAll("#moves [data-ply]").length == 7', what='the plays')
    assert browser.text('#players').split() == ['Ann', '–', 'Bo']
    assert browser.text('#facts-now').startswith('White to play · captured: Black 1, White 0 · Japanese rules, komi 6.5')
    assert browser.text('#moves [data-ply="7"]').split()[:2] == ['C8', '−1']
    assert browser.run('return document.querySelectorAll("#diagram .last").length') == 1
    # The letters have no I; the lines and star points are those of this board.
    assert browser.run('return [...document.querySelectorAll("#diagram .name")].map((t) => t.textContent).join("")').count('J') == 2
    assert browser.run('return document.querySelectorAll("#diagram .star").length') == 5
    says = browser.run('return document.querySelector("#diagram svg").getAttribute("aria-label")')
    assert 'Black: C8, B7, D7, C6. White: G7, G3. Last play: C8. White to play.' in says
    # Back through the plays: the stone that was taken lies there again.
    browser.click('#back')
    browser.wait(f'{STONES} == 6 && document.querySelector("#shown").innerText.startsWith("After 6. G7")', what='one play back')
    assert 'White: C7, G7, G3' in browser.run('return document.querySelector("#diagram svg").getAttribute("aria-label")')
    assert browser.text('#facts-now').startswith('Black to play · captured: Black 0')
    browser.click('#first')
    browser.wait(f'{STONES} == 0', what='the beginning')
    browser.click('#turn')
    browser.click('#last')
    browser.wait(f'{STONES} == 6', what='the game now')
    browser.click('#turn')
    # The record, and no chess.
    status, sgf = get(browser.run('return document.querySelector("#pgn").href'))
    assert status == 200 and b'PB[Ann]' in sgf and browser.text('#pgn') == 'SGF'
    assert get(f'{at}/api/boards/the-board/game.pgn')[0] == 404 and get(f'{at}/game/the-board')[0] == 404
    assert get(f'{at}/games.pgn') == (200, b'')
    assert not browser.run('return [...document.querySelectorAll(".of-chess")].some((e) => e.checkVisibility())')
    # The pictures: drawn in, and straightened.
    for view in ('overlay', 'straight'):
        browser.click(f'[data-view="{view}"]')
        for attempt in range(20):
            camera.show(photographs[-1], 1.8e9 + attempt)
            client.spin(0.4)
            if browser.run('return document.querySelector("#eyes canvas")?.width > 300'):
                break
        else:
            raise AssertionError(f'no picture {view}: {browser.text("#eyes")}')
        shot(browser, f'go_{view}', whole=True)
    browser.click('[data-view="overlay"]')
    for attempt in range(5):
        camera.show(photographs[-1], 1.81e9 + attempt)
        client.spin(0.4)
    check(browser, 'go_board')
    # The hall has it beside the others.
    browser.open(at)
    browser.wait('document.querySelectorAll(".tile .stone").length >= 6', what='the tile')
    assert 'play 7' in browser.text('[data-board="the-board"]') and '7. ' in browser.text('[data-board="the-board"] .last-move')
    # Hands on: what this observer offers, and nothing else.
    browser.open(f'{at}/board/the-board')
    browser.type('#token', TOKEN)
    browser.click('#token-form button')
    browser.wait('document.querySelector("#new-game")', what='the controls')
    assert browser.run('return document.querySelectorAll("#controls fieldset").length') == 1
    browser.click('#pause')
    browser.wait('document.querySelector("#state").innerText.startsWith("paused")', what='the pause')
    browser.click('#pause')
    browser.type('#new-black', 'Cy')
    browser.click('#new-game')
    browser.wait(f'{STONES} == 0 && document.querySelector("#players").innerText.includes("Cy")', what='a new game')


class GoStage:
    """A Go board without an observer: says on its topics what an observer would say."""

    def __init__(self, client, name):
        make = client.node.create_publisher
        self.board, self.record = make(GoBoard, f'/{name}/go_board', LATCHED), make(String, f'/{name}/sgf', LATCHED)
        self.warnings = make(Warning, f'/{name}/warnings', 50)

    def stand(self, size, stones, **more):
        self.board.publish(GoBoard(size=size, stones=stones, state=GoBoard.STATE_LOCKED, to_play=GoBoard.COLOR_BLACK,
                                   **{'tracker': GoBoard.TRACKER_FOLLOWING, **more}))


def rows(size, letter):
    """A full-looking board, without rules."""
    return ''.join(''.join(letter(x, y) for x in range(size)) + '\n' for y in range(size))


def test_boards_of_every_size_beside_boards_of_chess(client, display, browser):
    chess = Stage(client, ['chess_1'])
    chess.play('chess_1', ['e4', 'e5'])
    boards = {size: GoStage(client, f'go_{size}') for size in (5, 9, 13, 19, 25)}
    for size, board in boards.items():
        board.stand(size, rows(size, lambda x, y: 'XO.'[(x * 7 + y * 5 + x * y) % 3]), number=12, last='A1')
    at = display()
    browser.open(at)
    browser.wait('document.querySelectorAll(".tile").length == 6', what='six boards')
    browser.wait('[...document.querySelectorAll(".tile svg.go")].every((svg) => svg.querySelector(".stone"))', what='their stones')
    assert browser.run('return document.querySelectorAll(".tile svg.chess").length') == 1
    # What lies otherwise calls until somebody has seen to it.
    board = boards[19]
    text = 'Q16 holds a stone that was not played.'
    board.warnings.publish(Warning(kind=Warning.KIND_ILLEGAL, text=text, squares=['Q16', 'D4']))
    board.stand(19, rows(19, lambda x, y: 'X' if (x, y) == (3, 15) else '.'), illegal=True, tracker=GoBoard.TRACKER_ILLEGAL)
    browser.wait('document.querySelector("[data-board=go_19].calls")', what='the call')
    check(browser, 'go_hall')
    browser.open(f'{at}/board/go_19')
    browser.wait('document.querySelectorAll("#diagram .wrong").length == 2', what='the marks')
    assert text in browser.text('#alarms') and browser.run('return document.querySelectorAll("#diagram .star").length') == 9
    board.stand(19, rows(19, lambda x, y: 'X' if (x, y) == (3, 15) else '.'))
    browser.wait('document.querySelector("#alarms").innerText.includes("It has been put right.")', what='the end of it')
    shot(browser, 'go_alarm', whole=True)
    browser.type('#token', TOKEN)
    browser.click('#token-form button')
    browser.wait('document.querySelector("#new-game")', what='the controls')
    browser.click('.acknowledge')
    browser.wait('!document.querySelector("#alarms .alarm")', what='nothing that calls')
    for size in (9, 25):
        browser.open(f'{at}/board/go_{size}')
        browser.wait('document.querySelector("#diagram .stone")', what='the stones')
        shot(browser, f'go_{size}', whole=True)
    # Programs that know chess alone hear of no other board.
    status, games = get(f'{at}/games.pgn')
    assert status == 200 and games.count(b'[Event ') == 1


def test_a_namespace_whose_observer_has_gone_shows_the_other_game(client, display, browser):
    chess = Stage(client, ['table'])
    chess.position('table')
    at = display()
    browser.open(f'{at}/board/table')
    browser.wait('document.querySelector("#diagram svg.chess")', what='the chess board')
    chess.remove('table')
    browser.wait('document.querySelector("#alarms").innerText.includes("has gone")', what='its end')
    GoStage(client, 'table').stand(9, rows(9, lambda x, y: '.'))
    browser.wait('document.querySelector("#diagram svg.go")', what='the Go board')
    assert client.node.count_publishers('/table/position') == 0 and Position
