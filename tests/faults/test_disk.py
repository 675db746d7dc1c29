"""Disks that are full, gone, read-only or slow: moves are told all the same, it is said, and all is saved as soon as it can."""

import resource
import shutil
import time

import pytest
from chess_observer.msg import Warning
from film import Camera, Ledger, saved_moves
from means import SlowDisk, remount, small_disk, without_privileges


def play_to(camera, ledger, ply):
    """Show the board after a ply until the ply is told, and a little longer."""
    camera.rest(ply, lambda: len(ledger.line) >= ply, what=f'ply {ply}')
    for _ in range(12):
        camera.show(camera.film.rest[ply])


def unsaved_and_saved(client, camera, ledger, hurt, heal, folder):
    """Play a ply on a disk that is hurt, and heal it."""
    ply = len(ledger.line) + 1
    before = [ledger.kinds().count(kind) for kind in (Warning.KIND_NOT_SAVED, Warning.KIND_SAVED)]
    hurt()
    play_to(camera, ledger, ply)
    assert ledger.line == camera.film.ucis[:ply] and saved_moves(folder) == ledger.line[:-1]
    assert [ledger.kinds().count(kind) for kind in (Warning.KIND_NOT_SAVED, Warning.KIND_SAVED)] == [before[0] + 1, before[1]]
    level, text, _ = client.diagnostics('pgn file', lambda v: v['unsaved_s'])
    assert level == 2 and text.startswith('not saved: ')
    heal()
    client.wait_for(lambda: saved_moves(folder) == ledger.line, 10, 'the file')
    camera.rest(ply, lambda: ledger.kinds().count(Warning.KIND_SAVED) == before[1] + 1, what='the good news')
    client.diagnostics('pgn file', lambda v: not v['unsaved_s'] and not v['error'])


@pytest.fixture
def game(client, film):
    """Make a camera and what is heard of the game."""
    return Camera(client, film), Ledger(client)


def test_a_disk_that_refuses(start, client, game, tmp_path, figures):
    camera, ledger = game
    with small_disk(tmp_path / 'small') as folder:
        # Root may write to folders that are read-only.
        start.through = without_privileges()
        observer = start(pgn_directory=folder)
        camera.begin(observer)
        play_to(camera, ledger, 1)
        assert saved_moves(folder) == ledger.line == camera.film.ucis[:1]

        def fill():
            with open(folder / 'rubbish', 'wb', buffering=0) as rubbish, pytest.raises(OSError, match='No space left'):
                while True:
                    rubbish.write(bytes(4096))

        def limit(size):
            resource.prlimit(observer.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

        for why, hurt, heal in [
            ('No space left on device', fill, (folder / 'rubbish').unlink),
            ('Read-only file system', lambda: remount(folder, 'ro'), lambda: remount(folder, 'rw')),
            ('Permission denied', lambda: folder.chmod(0o555), lambda: folder.chmod(0o755)),
            ('File too large', lambda: limit(0), lambda: limit(resource.RLIM_INFINITY)),
        ]:
            unsaved_and_saved(client, camera, ledger, hurt, heal, folder)
            assert why in [w.text for w in ledger.warnings if w.kind == Warning.KIND_NOT_SAVED][-1]
            assert len(list(folder.iterdir())) == 1, 'nothing half written stays'
        play_to(camera, ledger, 6)
        assert saved_moves(folder) == ledger.line == camera.film.ucis[:6]
        figures['refusals'] = 4


def test_a_folder_that_is_removed_is_made_again(start, client, game, tmp_path):
    camera, ledger = game
    folder = tmp_path / 'games'
    camera.begin(start(pgn_directory=folder))
    play_to(camera, ledger, 1)
    shutil.rmtree(folder)
    play_to(camera, ledger, 2)
    assert saved_moves(folder) == ledger.line == camera.film.ucis[:2]
    assert Warning.KIND_NOT_SAVED not in ledger.kinds()


def test_a_slow_disk_holds_up_no_picture(start, client, game, tmp_path, monkeypatch, figures):
    camera, ledger = game
    disk = SlowDisk(tmp_path, monkeypatch)
    folder = tmp_path / 'games'
    camera.begin(start(pgn_directory=folder))
    play_to(camera, ledger, 1)
    assert saved_moves(folder) == ledger.line and Warning.KIND_NOT_SAVED not in ledger.kinds()
    # Twice so long for each file: it is synced, and its folder.
    disk.takes(6000)
    begun = time.monotonic()
    play_to(camera, ledger, 2)
    # Told and looked on long before the first sync is over.
    took = time.monotonic() - begun
    assert saved_moves(folder) == camera.film.ucis[:1] and took < 6.0
    assert ledger.kinds()[-1] == Warning.KIND_NOT_SAVED
    answered, begun = camera.answered, time.monotonic()
    play_to(camera, ledger, 3)
    figures['pictures_a_second_behind_a_slow_disk'] = round((camera.answered - answered) / (time.monotonic() - begun), 1)
    assert ledger.line == camera.film.ucis[:3]
    disk.takes(0)
    client.wait_for(lambda: saved_moves(folder) == camera.film.ucis[:3], 30, 'the file')


def test_a_disk_without_room_for_looks(start, client, game, tmp_path):
    """It is told once, costs no move, and looks are kept again as soon as there is room."""
    camera, ledger = game
    with small_disk(tmp_path / 'small', 3072) as folder:
        observer = start(pgn_directory=tmp_path / 'games', archive_directory=folder)
        camera.begin(observer)
        play_to(camera, ledger, 1)
        with open(folder / 'rubbish', 'wb', buffering=0) as rubbish, pytest.raises(OSError, match='No space left'):
            while True:
                rubbish.write(bytes(4096))
        for ply in (2, 3):
            play_to(camera, ledger, ply)
        assert ledger.line == camera.film.ucis[:3] == saved_moves(tmp_path / 'games')
        assert observer.said().count('looks are not kept; the game goes on') == 1
        (folder / 'rubbish').unlink()
        play_to(camera, ledger, 4)
        client.wait_for(lambda: 'looks are kept again' in observer.said(), what='room for looks')
        assert ledger.line == camera.film.ucis[:4]
