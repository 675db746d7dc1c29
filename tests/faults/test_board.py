"""The board is knocked, pushed, carried away and turned, the lamp goes off and on: the game is intact."""

import pytest
from conftest import PACE
from film import Camera, Film, Ledger
from PIL import Image as Pil

GAME = '1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *'
# A knock against the camera, a push of the board, a lamp that goes off and on again, and a camera that is carried.
ACCIDENTS = '''
[[bump]]
ply = 1
what = "camera"
shift_px = [9.0, -6.0]
shake_px = 4.0
[[bump]]
ply = 2
what = "board"
shift_squares = [0.4, 0.3]
turn_deg = 4.0
[[light_change]]
ply = 3
factor = 0.45
[[light_change]]
ply = 4
factor = 2.2
[[bump]]
ply = 5
what = "camera"
azimuth_deg = 15.0
slide_s = 0.5
'''


@pytest.fixture(scope='module')
def unlucky(tmp_path_factory):
    """Make a film of a game with accidents."""
    return Film.render(tmp_path_factory.mktemp('unlucky'), GAME, PACE + ACCIDENTS)


def test_knocks_pushes_and_lamps(start, client, unlucky):
    camera, ledger = Camera(client, unlucky), Ledger(client)
    camera.ready(start())
    camera.play(0, unlucky.rest[-1])
    camera.rest(6, lambda: len(ledger.line) == 6, what='the last ply')
    assert ledger.line == unlucky.ucis


def test_a_board_that_is_carried_away_and_one_that_is_turned(start, client, film):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start()
    camera.ready(observer)
    camera.play(0, film.rest[2])
    camera.rest(2, lambda: len(ledger.line) == 2, what='the second ply')
    table = Pil.new('RGB', (640, 480), (120, 90, 66))
    for _ in range(40):
        camera.show(table)
    camera.play(film.rest[2], film.rest[4])
    camera.rest(4, lambda: len(ledger.line) == 4, what='the fourth ply')
    # Seen from the other side from now on.
    for index in range(film.rest[4], film.rest[6] + 60):
        camera.show(film.picture(min(index, film.rest[6])).transpose(Pil.ROTATE_180))
        if len(ledger.line) == 6:
            break
    assert ledger.line == film.ucis[:6]
    assert observer.running()
