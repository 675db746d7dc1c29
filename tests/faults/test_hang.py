"""A node that hangs: it says so, saves the game and ends, so that it is started again; systemd hears of its life."""

import signal
import socket
import time

from diagnostic_msgs.msg import DiagnosticArray
from film import Camera, Ledger, saved_moves
from means import Stopped


def show_until_it_hangs(client, camera, observer):
    """Show pictures, for which the actor may have waited when it was stopped, until the node says that it hangs."""
    def hung():
        camera.show(0)
        return 'the node hangs and ends' in observer.said()
    client.wait_for(hung, 30, 'the watchdog')


def test_an_observer_that_hangs_says_so_and_ends_with_the_game_saved(start, client, film, tmp_path, figures):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(pgn_directory=tmp_path / 'games', watchdog_s=4.0)
    camera.begin(observer)
    camera.rest(1, lambda: len(ledger.line) == 1, what='a move')
    reports = client.listen(DiagnosticArray, '/diagnostics')
    # With the first report the node knows this listener; until the second the actor has had a second to publish what it had to
    # say. Stopped in the middle of that it would keep the middleware's lock, and no new listener would be told anything.
    client.wait_for(lambda: len(reports) >= 2, 15, 'reports before the hang')
    stopped, begun = Stopped(observer.process.pid, 'actor'), time.monotonic()
    show_until_it_hangs(client, camera, observer)
    stopped.bury()
    assert observer.process.wait(timeout=10) == 1
    figures['ended_after_s'] = round(time.monotonic() - begun, 1)
    said = [s.message for r in reports for s in r.status if s.name.endswith(': tracker') and s.level == b'\x02']
    assert any(text.startswith('the observer hangs: no picture or request was finished for ') for text in said), said
    assert saved_moves(tmp_path / 'games') == ledger.line == film.ucis[:1]
    second = start(pgn_directory=tmp_path / 'games')
    client.wait_for(lambda: 'goes on: 1 plies' in second.said(), what='the game going on')


def test_an_observer_that_hangs_while_nothing_can_be_published_ends_all_the_same(start, client, film, tmp_path):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(pgn_directory=tmp_path / 'games', watchdog_s=2.0)
    camera.begin(observer)
    camera.rest(1, lambda: len(ledger.line) == 1, what='a move')
    stopped = [Stopped(observer.process.pid, thread) for thread in ('reporter', 'actor')]
    show_until_it_hangs(client, camera, observer)
    for thread in stopped:
        thread.bury()
    assert observer.process.wait(timeout=10) == 1
    assert saved_moves(tmp_path / 'games') == ledger.line == film.ucis[:1]


def test_a_hung_middleware_does_not_keep_the_node_from_ending(start, client, film, tmp_path):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(pgn_directory=tmp_path / 'games')
    camera.begin(observer)
    camera.rest(1, lambda: len(ledger.line) == 1, what='a move')
    stopped, begun = Stopped(observer.process.pid, 'spin'), time.monotonic()
    observer.process.send_signal(signal.SIGINT)
    stopped.bury()
    assert observer.process.wait(timeout=10) == 1
    assert time.monotonic() - begun < 8.0
    assert saved_moves(tmp_path / 'games') == ledger.line == film.ucis[:1]


def test_a_node_that_works_is_not_ended(start, client, film):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(watchdog_s=1.0)
    camera.begin(observer)
    camera.rest(1, lambda: len(ledger.line) == 1, what='a move')
    # No pictures at all are no reason either.
    client.spin(3.0)
    assert observer.running() and 'hangs' not in observer.said()


def test_systemd_hears_that_the_node_lives_and_ends(start, client, tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / 'notify'))
        systemd.settimeout(15)
        monkeypatch.setenv('NOTIFY_SOCKET', str(tmp_path / 'notify'))
        observer = start()
        assert [systemd.recv(64) for _ in range(3)] == [b'READY=1', b'WATCHDOG=1', b'WATCHDOG=1']
        observer.stop()
        words = []
        while not words or words[-1] != b'STOPPING=1':
            words.append(systemd.recv(64))
        assert set(words[:-1]) <= {b'WATCHDOG=1'}


def test_a_node_that_hangs_gives_systemd_no_sign_of_life(start, client, film, tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / 'notify'))
        systemd.settimeout(5)
        monkeypatch.setenv('NOTIFY_SOCKET', str(tmp_path / 'notify'))
        camera = Camera(client, film)
        observer = start(watchdog_s=2.0)
        camera.begin(observer)
        camera.show(0)
        stopped = Stopped(observer.process.pid, 'spin')
        begun, last = time.monotonic(), 0.0
        while (word := systemd.recv(64)) != b'STOPPING=1':
            last = time.monotonic() - begun if word == b'WATCHDOG=1' else last
        # It is late after a second, and looks once a second.
        assert last < 3.0 < time.monotonic() - begun + 1.5, last
        stopped.bury()
        assert observer.process.wait(timeout=10) == 1
