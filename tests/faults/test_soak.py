"""Games in a row, each set up by hand: memory, descriptors and latency at the end are those of the beginning.

The short form plays three games; the long form as many as CHESS_OBSERVER_SOAK_MIN minutes (30) allow, and logs how far it is.
"""

import os
import statistics
import time

import conftest
import pytest
from conftest import LONG, LONG_GAME, PACE, SHORT_GAME
from film import Camera, Film, Ledger
from means import usage
from PIL import Image as Pil

# Plies of a game in the short form, and looks at each of them.
PLIES, LOOKS = 4, 6
GAMES = 3
# Small pictures go through the middleware quickly, so that there are many.
SIZE = (320, 240)
SMALL = f'[camera]\nwidth = {SIZE[0]}\nheight = {SIZE[1]}\n'
# Memory may grow so much after the first game, in MB, and latency by this factor.
GROWTH_MB, SLOWER = 5.0, 1.5
# So often the long form tells how far it is, in games.
TOLD = 10


@pytest.fixture
def film(tmp_path):
    """Make a film of a game in small pictures, all of which are kept."""
    return Film.render(tmp_path, LONG_GAME if LONG else SHORT_GAME, PACE + SMALL, kept=3000)


def play(camera, ledger, game):
    """Play one game and set up the next; return the median time of a look, in seconds."""
    film, took, index = camera.film, [], 0
    plies = len(film.rest) - 1 if LONG else PLIES

    def look(index):
        begun = time.monotonic()
        camera.show(index)
        took.append(time.monotonic() - begun)

    for ply in range(plies + 1):
        # The long form shows the hands as well.
        for index in range(index if LONG else film.rest[ply], film.rest[ply]):
            look(index)
        index = film.rest[ply]
        for shown in range(200):
            look(index)
            if shown >= LOOKS and (ply == 0 or ledger.line == film.ucis[:ply]):
                break
        assert ply == 0 or ledger.line == film.ucis[:ply], f'game {game}, ply {ply}'
    # The table is cleared: the men are set up while nobody sees them.
    for _ in range(10):
        camera.show(Pil.new('RGB', SIZE, (120, 90, 66)))
    return statistics.median(took)


def so_far(camera, used, latency):
    """Tell figures of the games so far."""
    memory, descriptors = [m for m, _ in used], [d for _, d in used]
    return {
        'games': len(used), 'pictures': camera.answered,
        'memory_mb': [round(memory[0], 1), round(memory[-1], 1), round(max(memory), 1)],
        'descriptors': [descriptors[0], descriptors[-1]],
        'look_ms': [round(1e3 * statistics.median(part), 1) for part in (latency[:5], latency[-5:])]}


def test_games_in_a_row(start, client, film, tmp_path, figures):
    folder = tmp_path / 'games'
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(pgn_directory=folder)
    camera.ready(observer)
    end = time.monotonic() + 60.0 * float(os.environ.get('CHESS_OBSERVER_SOAK_MIN', '30'))
    used, latency = [], []
    while len(used) < GAMES or (LONG and time.monotonic() < end):
        latency.append(play(camera, ledger, len(used)))
        used.append(usage(observer.process.pid))
        camera.now += 60.0
        figures.update(so_far(camera, used, latency))
        if LONG and len(used) % TOLD == 0:
            conftest.log(test='test_games_in_a_row', outcome='so far', **figures)
    # The men stand as before a game once more: the next one begins, at the first picture after the pause.
    camera.rest(0, lambda: len(list(folder.glob('*.pgn'))) == len(used) + 1, what='a file for each game')
    (memory, descriptors), (last_memory, last_descriptors) = used[0], used[-1]
    assert last_memory < memory + GROWTH_MB and last_descriptors <= descriptors + 1
    if LONG:
        assert statistics.median(latency[-5:]) < SLOWER * statistics.median(latency[:5])
