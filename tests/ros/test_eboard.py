"""What other programs are told of the boards: as electronic boards over a web socket, and as PGN over HTTP."""

import io
import json
import random
import socket
import subprocess
import urllib.error
import urllib.request

import chess
import chess.pgn
import pytest
from chess_observer.msg import Move
from conftest import START_FEN
from stage import Stage
from web_socket import WebSocket

# Castling on both sides, en passant, a promotion with a capture.
GAME = '1. e4 a6 2. e5 d5 3. exd6 Nf6 4. dxc7 Nc6 5. cxd8=Q+ Nxd8 6. Nf3 e6 7. Be2 Be7 8. O-O O-O *'
SCENE = '[pace]\nrest_min_s = 1.2\nrest_max_s = 1.4\n[camera]\nwidth = 640\nheight = 480\n'
PLACEMENT = START_FEN.split()[0]


def sans(pgn):
    """Read a game; return its moves."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert not game.errors
    return [node.san() for node in game.mainline()]


def games(pgn):
    """Read all games; another program reads them as well, and finds nothing wrong."""
    checked = subprocess.run(['/usr/games/pgn-extract', '-r', '-s'], input=pgn, capture_output=True, text=True, timeout=20)
    assert checked.stderr == ''
    text, found = io.StringIO(pgn), []
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        found.append(game)
    return found


def get(url, **headers):
    """Fetch; return status, headers and body."""
    request = urllib.request.Request(url, headers={k.replace('_', '-'): v for k, v in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


class Listeners:
    """A display with the listeners that were asked for; its addresses."""

    def __init__(self, node, client):
        self.node = node
        client.wait_for(lambda: 'with control: ' in node.said(), what='the display')

    def address(self, words):
        """Return what stands in the log after these words."""
        return self.node.said().split(words)[1].split()[0]

    @property
    def pages(self):
        return self.address('the boards are on ').rstrip('/')

    @property
    def pgn(self):
        return self.address('the games alone are on ').removesuffix('/games.pgn')

    def socket(self, board='', origin=None):
        """Connect to the boards as electronic boards."""
        host, rest = self.address('electronic boards on ws://').split(':')
        return WebSocket(host, int(rest.split('/')[0]), f'{board and "/" + board}/api/v1.0', origin)


@pytest.fixture
def listeners(start, client):
    """Start a display with these parameters."""
    def begin(**params):
        listening = Listeners(start('display_node', port=0, **params), client)
        wanted = [words for key, words in (('eboard__port', 'electronic boards on'), ('pgn__port', 'games alone')) if key in params]
        client.wait_for(lambda: all(words in listening.node.said() for words in wanted), what='the listeners')
        return listening
    return begin


def follow(line, fen=START_FEN, board=0):
    """Do as Lichess's page does: list, subscribe, set up. Return the board's serial number."""
    line.send({'id': 1, 'call': 'eboards'})
    serial = line.wait_for(lambda m: m.get('id') == 1 and m['response'] == 'call')['param'][board]['serialnr']
    line.send({'id': 2, 'call': 'subscribe', 'param': {'feed': 'eboardevent', 'id': 1, 'param': {'serialnr': serial}}})
    line.wait_for(lambda m: m.get('id') == 2 and m['response'] == 'call')
    line.send({'id': 3, 'call': 'call', 'param': {'id': 1, 'method': 'setup', 'param': {'fen': fen}}})
    line.wait_for(lambda m: m.get('id') == 3 and m['response'] == 'call')
    return serial


def next_list(line):
    """Wait for a list of moves."""
    return line.wait_for(lambda m: m['response'] == 'feed' and 'san' in m['param'])['param']['san']


def test_a_game_before_the_camera_reaches_programs_and_viewers_move_by_move(start, client, listeners, tmp_path):
    game, scene, players = tmp_path / 'game.pgn', tmp_path / 'scene.toml', tmp_path / 'players.toml'
    game.write_text(GAME)
    scene.write_text(SCENE)
    players.write_text('event = "Test"\n[[board]]\nname = ""\nwhite = { name = "Lovelace, Ada", rating = 2100 }\n')
    observer = start()
    client.wait_for(lambda: ' is ready' in observer.said(), what='the observer')
    boards = listeners(eboard__port=0, pgn__port=0, pgn__players_file=players)
    client.wait_for(lambda: json.loads(get(f'{boards.pages}/api/boards')[2]), what='the board')
    line = boards.socket()
    truth = sans(GAME)
    serial = follow(line)
    moves = client.listen(Move, 'moves')
    start('simulator_node', pgn=game, scene=scene)

    held, lists, placements, tag, states = [], [], set(), '', 0
    end = None
    line.line.settimeout(0.05)

    def heard():
        """Take what has come; read the PGN whenever it is another one."""
        nonlocal held, tag, states, end
        try:
            message = line.receive(0.05)
            assert message['response'] == 'feed' and message['param']['serialnr'] == serial
            placements.add(message['param'].get('board'))
            if 'san' in message['param']:
                held = message['param']['san']
                lists.append(held)
        except TimeoutError:
            pass
        status, headers, body = get(f'{boards.pgn}/games.pgn', If_None_Match=tag)
        if status == 200:
            tag, states = headers['ETag'], states + 1
            told, = games(body)
            assert [node.san() for node in told.mainline()] == truth[:len(list(told.mainline()))]
            assert told.headers['White'] == 'Lovelace, Ada' and told.headers['WhiteElo'] == '2100'
            assert all('sure' not in node.comment for node in told.mainline())
        else:
            assert status == 304 and not body
        return held == truth
    client.wait_for(heard, 240, 'the whole game')
    # What was told of each move on the topic came as a list, and every list is a beginning of the game.
    assert all(told == truth[:len(told)] for told in lists), lists
    assert [len(told) for told in lists] == list(range(17))
    client.wait_for(lambda: len(moves) >= 16, what='every move on the topic')
    assert len([m for m in moves if m.kind == Move.KIND_NEW]) == 16
    board = chess.Board()
    for san in truth:
        board.push_san(san)
        assert board.board_fen() in placements, san
    client.wait_for(lambda: heard() and states >= 16, 20, 'every state as PGN')
    _, _, body = get(f'{boards.pgn}/boards/1.pgn')
    assert sans(body) == truth and '[%emt ' in body


def test_corrected_lists_two_boards_and_a_new_connection(client, listeners):
    stage = Stage(client, ['board_1', 'board_2'])
    boards = listeners(eboard__port=0)
    for name in stage.boards:
        stage.play(name, [])
    client.wait_for(lambda: len(json.loads(get(f'{boards.pages}/api/boards')[2])) == 2, what='two boards')
    one, two = boards.socket(), boards.socket('board_2')
    first, second = follow(one), follow(two)
    assert first != second
    client.spin(0.5)

    def told(line, moves, name, first=None):
        stage.play(name, moves)
        assert first is None or next_list(line) == first
        assert next_list(line) == moves
    assert (next_list(one), next_list(two)) == ([], [])
    told(one, ['e4'], 'board_1')
    told(two, ['d4'], 'board_2')
    told(one, ['e4', 'e5'], 'board_1')
    told(one, ['e4', 'e6'], 'board_1', first=['e4'])
    told(one, ['e4'], 'board_1')
    told(one, ['e4', 'c5'], 'board_1')
    # Who comes again sets up what he knows, and is told what came since.
    one.close()
    stage.play('board_1', ['e4', 'c5', 'Nf3'])
    client.spin(0.5)
    one = boards.socket()
    board = chess.Board()
    for san in ('e4', 'c5'):
        board.push_san(san)
    assert follow(one, board.fen()) == first
    assert next_list(one) == ['Nf3']
    # A board that goes is not responding; one that comes back is.
    stage.remove('board_2')

    def state():
        one.send({'id': 9, 'call': 'eboards'})
        return one.wait_for(lambda m: m.get('id') == 9)['param'][1]['state']
    client.wait_for(lambda: state() == 'NOTRESPONDING', what='the end of a board')
    # Over HTTP the same list; a page of this machine may read it, others may not.
    host = boards.address('electronic boards on ws://').split('/')[0]
    status, headers, body = get(f'http://{host}/api/v1.0/eboards', Origin='http://localhost:9663')
    assert status == 200 and [b['serialnr'] for b in json.loads(body)] == [first, second]
    assert headers['Access-Control-Allow-Origin'] == 'http://localhost:9663'
    assert get(f'http://{host}/api/v1.0/eboards', Origin='https://evil.example')[0] == 403
    assert boards.socket(origin='https://evil.example').status == 403
    assert boards.socket(origin='https://lichess.org').status == 101


def test_moves_are_held_back_and_the_players_file_is_read_again(client, listeners, tmp_path):
    players = tmp_path / 'players.toml'
    players.write_text('round = "3"\n[[board]]\nname = "board_2"\n[[board]]\nname = "board_1"\nblack = { name = "Ada" }\n')
    stage = Stage(client, ['board_1', 'board_2', 'board_3'])
    boards = listeners(pgn__port=0, pgn__delay_moves=2, pgn__players_file=players)
    for name in stage.boards:
        stage.play(name, ['e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'a6'], headers='[White "W"]\n')
    client.wait_for(lambda: '1. e4' in get(f'{boards.pgn}/boards/1.pgn')[2], what='a game')

    def read():
        return games(get(f'{boards.pgn}/games.pgn')[2])
    client.wait_for(lambda: [len(list(g.mainline())) for g in read()] == [2, 2], what='two games, as late as wanted')
    assert [(g.headers['Board'], g.headers['Round'], g.headers['Black']) for g in read()] == [('1', '3', '?'), ('2', '3', 'Ada')]
    stage.play('board_1', ['e4', 'e5', 'Nf3'], headers='[White "W"]\n', result='1-0')
    client.wait_for(lambda: [len(list(g.mainline())) for g in read()] == [2, 3], what='the game that is over')
    assert read()[1].headers['Result'] == '1-0'
    players.write_text('no players')
    client.wait_for(lambda: 'the players stay as they were' in boards.node.said(), what='the complaint')
    assert len(read()) == 2
    players.write_text('round = "4"\n[[board]]\nname = "board_1"\n')
    client.wait_for(lambda: [g.headers['Round'] for g in read()] == ['4'], what='the new file')
    # Who may have the games alone finds nothing else.
    assert get(f'{boards.pgn}/api/boards')[0] == 404 and get(f'{boards.pgn}/boards/2.pgn')[0] == 404


def test_listeners_are_off_unless_they_are_asked_for(start, client, listeners):
    boards = listeners()
    said = boards.node.said()
    assert 'electronic' not in said and 'games alone' not in said
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(('127.0.0.1', 1982), timeout=5)
    for params, told in (
            ({'eboard__port': 70000}, 'parameter eboard.port: expected a number from 0 to 65535, got 70000'),
            ({'eboard__origins': 'lichess.org', 'eboard__port': 0}, 'parameter eboard.origins: expected origins such as'),
            ({'pgn__delay_moves': -1}, 'parameter pgn.delay_moves: expected a number from 0 to 200'),
            ({'pgn__players_file': '/no/such'}, 'parameter pgn.players_file: /no/such: No such file')):
        node = start('display_node', port=0, **params)
        assert node.process.wait(timeout=20) == 2 and told in node.said()


def test_garbage_on_every_listener_harms_nobody(client, listeners):
    stage = Stage(client, ['board_1'])
    boards = listeners(eboard__port=0, pgn__port=0)
    stage.play('board_1', [])
    client.wait_for(lambda: json.loads(get(f'{boards.pages}/api/boards')[2]), what='the board')
    good = boards.socket()
    follow(good)
    chance = random.Random(24)
    ports = [int(boards.pgn.rsplit(':', 1)[1]), int(boards.address('electronic boards on ws://').split(':')[1].split('/')[0])]
    for number in range(150):
        with socket.create_connection(('127.0.0.1', ports[number % 2]), timeout=10) as line:
            line.sendall(chance.choice([b'GET /api/v1.0 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n', b'GET /', b'']) + chance.randbytes(300))
        bad = boards.socket()
        try:
            bad.send(chance.choice(['{', '[]', '{"id":1}', '{"id":{},"call":"call"}', '{"id":1,"call":"call","param":{"method":"setup"}}']))
            bad.frame(chance.randrange(16), chance.randbytes(chance.randrange(120)))
            bad.line.sendall(chance.randbytes(50))
        except OSError:
            pass  # it was shown the door
        bad.close()
    stage.play('board_1', ['e4'])
    good.wait_for(lambda m: m['response'] == 'feed' and m['param'].get('san') == ['e4'])
    assert get(f'{boards.pgn}/games.pgn')[0] == 200
    assert boards.node.stop()[0] == 0
