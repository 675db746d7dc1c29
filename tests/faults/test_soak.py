"""Games in a row, each set up by hand: memory, descriptors and latency at the end are those of the beginning.

The short form plays three games; the long form as many as CHESS_OBSERVER_SOAK_MIN minutes (30) allow.
"""

import os
import statistics
import time

from conftest import LONG
from film import Camera, Ledger
from means import usage
from PIL import Image as Pil

# Plies of a game in the short form; pictures of each.
PLIES, PICTURES = 4, 6
GAMES = 3
# Memory may grow so much after the first game, in MB, and latency by this factor.
GROWTH_MB, SLOWER = 5.0, 1.5


def play(camera, ledger, game):
    """Play one game and set up the next; return the median time of a look, in seconds."""
    film, took = camera.film, []
    plies = len(film.rest) - 1 if LONG else PLIES
    for ply in range(plies + 1):
        picture = film.picture(film.rest[ply])
        for shown in range(200):
            begun = time.monotonic()
            camera.show(picture)
            took.append(time.monotonic() - begun)
            if shown >= PICTURES and (ply == 0 or ledger.line == film.ucis[:ply]):
                break
        assert ply == 0 or ledger.line == film.ucis[:ply], f'game {game}, ply {ply}'
    # The table is cleared: the men are set up while nobody sees them.
    for _ in range(10):
        camera.show(Pil.new('RGB', (640, 480), (120, 90, 66)))
    return statistics.median(took)


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
    camera.rest(0, lambda: True)
    memory, descriptors = [m for m, _ in used], [d for _, d in used]
    figures.update(
        games=len(used), pictures=camera.answered, memory_mb=[round(memory[0], 1), round(memory[-1], 1), round(max(memory), 1)],
        descriptors=[descriptors[0], descriptors[-1]],
        look_ms=[round(1e3 * latency[0], 1), round(1e3 * latency[-1], 1)])
    assert len(list(folder.glob('*.pgn'))) == len(used)
    assert memory[-1] < memory[0] + GROWTH_MB and descriptors[-1] <= descriptors[0] + 1
    if LONG:
        assert statistics.median(latency[-5:]) < SLOWER * statistics.median(latency[:5])
