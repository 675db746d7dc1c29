"""The node is killed in every ply: no move that was told is missing from the PGN, and the game goes on each time."""

import random
import signal

import pytest
from conftest import LONG
from film import Camera, Ledger, saved_moves
from means import SlowDisk

# A sync takes this long, as on a card that is busy: a move that is told before it is saved is lost then.
SLOW_MS = 150
# Plies of a game in the short form: both kinds of moments come twice at least.
PLIES = 5


def kill(observer, client, ledger, folder):
    """Kill it; compare what was told until then with the file."""
    observer.process.send_signal(signal.SIGKILL)
    observer.process.wait()
    # What was on its way arrives.
    client.spin(0.3)
    saved = saved_moves(folder)
    assert saved[:len(ledger.line)] == ledger.line, f'told {ledger.line}, saved {saved}'
    return saved


def play_and_kill(start, client, film, plies, folder, chance):
    """Play so many plies, kill the node once in every ply; return how often it was killed."""
    ledger, camera = Ledger(client), Camera(client, film)
    observer = start(pgn_directory=folder)
    camera.ready(observer)
    kills, index = 0, 0
    for ply in range(1, plies + 1):
        # Every other time at the very moment at which a move is told, else anywhere.
        last = film.rest[ply]
        when = None if ply % 2 else chance.randint(index, last)
        told = len(ledger.line)
        while True:
            moment = index == when if when is not None else len(ledger.line) > told
            if moment or (when is None and index >= last + 8):
                saved = kill(observer, client, ledger, folder)
                kills += 1
                observer = start(pgn_directory=folder)
                camera.ready(observer)
                goes_on = f'goes on: {len(saved)} plies' if saved else 'a new game begins'
                assert goes_on in observer.said(), observer.said()
                when = -1
                # The hand that was on its way ends the move, and the players wait until somebody looks again.
                index = max(index, last)
                camera.rest(ply, lambda: camera.answers, pictures=600, what='the new node')
            if index >= last and when == -1:
                break
            index += 1
            camera.show(min(index, len(film.pictures) - 1))
    camera.rest(plies, lambda: saved_moves(folder) == film.ucis[:plies], what='the whole game')
    assert observer.running()
    observer.stop()
    return kills


@pytest.mark.parametrize('game', range(10 if LONG else 1))
def test_no_told_move_is_lost_when_the_node_is_killed_in_every_ply(
        start, client, film, tmp_path, monkeypatch, figures, game):
    disk = SlowDisk(tmp_path, monkeypatch)
    disk.takes(SLOW_MS)
    seed = random.randrange(10**6)
    figures.update(seed=str(seed))
    plies = len(film.rest) - 1 if LONG else PLIES
    figures['kills'] = play_and_kill(start, client, film, plies, tmp_path / f'games_{game}', random.Random(seed))
    assert figures['kills'] == plies
