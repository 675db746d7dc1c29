"""lichess_node before a stand-in of the server, on good days and bad ones; the board is said by the test."""

import json
import sys

import chess
import pytest
from board_api import TOKEN, BoardApi
from chess_observer.msg import Board, Move
from chess_observer.srv import ExpectMove
from conftest import LATCHED
from stage import Stage
from std_msgs.msg import String
from std_srvs.srv import Trigger
from test_eboard import GAME, sans


@pytest.fixture
def api():
    server = BoardApi()
    yield server
    server.close()


class Far:
    """A node that plays, the board before it, and what it has told."""

    def __init__(self, start, client, api, tmp_path, **params):
        self.client, self.api = client, api
        token = tmp_path / 'token'
        token.write_text(TOKEN + '\n')
        token.chmod(0o600)
        self.stage = Stage(client, [''])
        self.theirs = client.listen(Move, 'opponent_moves')
        self.states = client.listen(String, 'chess_lichess/state', LATCHED)
        self.expected = []
        client.node.create_service(ExpectMove, 'chess_observer/expect_move', self.expect)
        params = {'settle_s': 0.2, **params}
        self.node = start('lichess_node', server=api.address, token_file=token, **params)
        client.wait_for(lambda: 'plays on' in self.node.said(), what='the node')
        self.board([])
        client.wait_for(lambda: self.stage.boards[''][2].get_subscription_count(), what='its ears')
        client.spin(0.5)

    def expect(self, request, response):
        self.expected.append(request.move)
        response.success = True
        return response

    def board(self, moves, confidence=0.99, rest=True, **about):
        """Say what stands on the board."""
        covered = [False] * 64
        covered[28] = not rest
        self.stage.boards[''][4].publish(Board(tracker=Board.TRACKER_FOLLOWING, covered=covered))
        self.stage.play('', moves, confidence=confidence, **about)

    def standing(self):
        return json.loads(self.states[-1].data)['standing'] if self.states else ''

    def sends(self, moves, ucis, name='abc', timeout=20):
        """Say these moves; wait until the server has them."""
        self.board(moves)
        self.client.wait_for(lambda: self.api.moves(name) == ucis, timeout, f'{ucis} on the server')

    def ask(self, what):
        return self.client.call(Trigger, f'chess_lichess/{what}')


@pytest.fixture
def far(start, client, api, tmp_path):
    return lambda **params: Far(start, client, api, tmp_path, **params)


def posted(api):
    return [uci for _, uci, _ in api.posts]


def test_a_game_is_played_and_every_move_is_sent_once(client, api, far):
    api.echoes = 3
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    me.sends(['e4'], ['e2e4'])
    api.play('abc', 'e7e5')
    client.wait_for(lambda: me.theirs and me.expected, what='the other side’s move')
    assert (me.theirs[-1].uci, me.theirs[-1].san, me.theirs[-1].ply) == ('e7e5', 'e5', 2)
    assert me.theirs[-1].fen.split()[0] == 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR' and me.expected == ['e7e5']
    # What the other side has played is not sent when it is made on the board; castling is the king's move.
    line, ucis = ['e4', 'e5'], ['e2e4', 'e7e5']
    for ours, theirs, san in (('Nf3', 'b8c6', 'Nc6'), ('Bc4', 'f8c5', 'Bc5'), ('O-O', 'g8f6', 'Nf6')):
        me.board(line)
        client.spin(0.6)
        assert len(api.moves('abc')) == len(line)
        line.append(ours)
        board = chess.Board()
        for move in line[:-1]:
            board.push_san(move)
        ucis.append(board.parse_san(ours).uci())
        me.sends(line, ucis)
        api.play('abc', theirs)
        line, ucis = [*line, san], [*ucis, theirs]
    client.wait_for(lambda: len(me.theirs) == 4, what='the last answer')
    assert posted(api) == ucis[::2] and [m.uci for m in me.theirs] == ucis[1::2], 'each once, though told three times'
    client.wait_for(lambda: len(me.expected) == 4, what='what is expected')
    state = json.loads(me.states[-1].data)
    assert (state['color'], state['wtime_ms'], state['game']) == ('white', 600000, 'abc')
    # It ends, and another one begins.
    api.alter('abc', status='resign', winner='white')
    client.wait_for(lambda: 'game abc is over: resign, white has won' in me.node.said(), what='the end')
    api.begin('def', white='them', black='me')
    me.board([])
    client.wait_for(lambda: 'game def: plays Black' in me.node.said(), what='the next game')
    api.play('def', 'd2d4')
    client.wait_for(lambda: me.theirs[-1].uci == 'd2d4', what='its first move')
    me.board(['d4'])
    client.spin(0.6)
    me.sends(['d4', 'd5'], ['d2d4', 'd7d5'], 'def')
    assert TOKEN not in me.node.said() and api.tokens == {f'Bearer {TOKEN}'}


# The simulated players do not wait for the server, as people would: each ply stands long enough for a busy machine.
SLOW = '[pace]\nrest_min_s = 3.0\nrest_max_s = 3.4\n[camera]\nwidth = 640\nheight = 480\n'


def test_a_game_before_the_camera_goes_to_the_server_move_by_move(start, client, api, tmp_path):
    """The real observer: its confidence, its rest, its word on what was expected. The other side answers at once."""
    game, scene, token = tmp_path / 'game.pgn', tmp_path / 'scene.toml', tmp_path / 'token'
    game.write_text(GAME)
    scene.write_text(SLOW)
    token.write_text(TOKEN)
    token.chmod(0o600)
    observer = start()
    client.wait_for(lambda: ' is ready' in observer.said(), what='the observer')
    moves = client.listen(Move, 'moves')
    states = client.listen(String, 'chess_lichess/state', LATCHED)
    asked = []
    node = start('lichess_node', server=api.address, token_file=token)
    api.begin('abc')
    client.wait_for(lambda: 'game abc: plays White' in node.said(), what='the game')
    truth, board = [], chess.Board()
    for san in sans(GAME):
        truth.append(board.push_san(san).uci())
    start('simulator_node', pgn=game, scene=scene)

    def answered():
        """Play the other side as soon as it is its turn; say yes where the node asks."""
        standing = json.loads(states[-1].data)['standing'] if states else ''
        if 'waits for ~/confirm' in standing and standing not in asked:
            asked.append(standing)
            assert client.call(Trigger, 'chess_lichess/confirm').success
        played = api.moves('abc')
        assert played == truth[:len(played)], played
        if len(played) % 2:
            api.play('abc', truth[len(played)])
        return len(played) == len(truth)
    try:
        client.wait_for(answered, 240, 'the whole game on the server')
    except AssertionError:
        print(states[-1].data, [(m.san, m.confidence) for m in moves])
        raise
    print('asked:', asked)
    client.wait_for(lambda: posted(api) == truth[::2], what='the answers')
    client.wait_for(lambda: len([m for m in moves if m.kind == Move.KIND_NEW]) == 16, 20, 'the last move')
    # The other side's moves were expected, and made.
    theirs = [m for m in moves if m.kind == Move.KIND_NEW and m.ply % 2 == 0]
    assert [m.uci for m in theirs] == truth[1::2]
    print('expected:', [m.expected for m in theirs], 'sure:', [round(m.confidence, 3) for m in moves])
    assert sum(m.expected == Move.EXPECTED_YES for m in theirs) >= 6


def test_what_is_in_doubt_waits_for_a_person_and_a_hand_is_waited_for(client, api, far):
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    assert not me.ask('confirm').success
    me.board(['e4'], confidence=0.7)
    client.wait_for(lambda: me.standing() == 'e4 waits for ~/confirm: it is in doubt', what='the question')
    client.spin(1.0)
    assert not api.posts
    # It was another one: that is sure, but a hand is still there.
    me.board(['d4'], rest=False)
    client.wait_for(lambda: me.standing().startswith('d4 has to stand'), what='the hand')
    client.spin(1.0)
    assert not api.posts
    me.board(['d4'])
    client.wait_for(lambda: api.moves('abc') == ['d2d4'], what='the move')
    api.play('abc', 'd7d5')
    me.board(['d4', 'd5'])
    client.spin(0.5)
    me.board(['d4', 'd5', 'c4'], confidence=0.6)
    client.wait_for(lambda: 'c4 waits' in me.standing(), what='the question')
    assert me.ask('confirm').success
    client.wait_for(lambda: api.moves('abc')[2:] == ['c2c4'], what='the confirmed move')
    assert posted(api) == ['d2d4', 'c2c4']
    # A move that nobody has told: only its position is known.
    api.play('abc', 'd5c4')
    me.board(['d4', 'd5', 'c4', 'dxc4'])
    client.spin(0.5)
    me.board(['d4', 'd5', 'c4', 'dxc4', 'e3'], told=False)
    client.wait_for(lambda: 'e3 waits for ~/confirm: nobody has told' in me.standing(), what='the question')
    assert posted(api) == ['d2d4', 'c2c4']


@pytest.mark.parametrize('fault', [(500, False), (500, True), (502, True)])
def test_an_answer_that_leaves_it_open_sends_nothing_twice(client, api, far, fault):
    """Whether the server has carried it out or not: the game has each move once."""
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    api.faults = [fault]
    me.sends(['e4'], ['e2e4'], timeout=30)
    client.spin(3.0)
    assert len(api.posts) == (1 if fault[1] else 2), api.posts
    api.play('abc', 'e7e5')
    me.board(['e4', 'e5'])
    client.spin(0.5)
    me.sends(['e4', 'e5', 'Nf3'], ['e2e4', 'e7e5', 'g1f3'])


def test_a_slow_server_and_streams_that_end(client, api, far):
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    api.answers_after_s = 3.0
    me.board(['e4'])
    client.wait_for(lambda: api.moves('abc') == ['e2e4'], what='the move')
    client.spin(4.0)
    assert posted(api) == ['e2e4']
    api.answers_after_s = 0.0
    # Nobody listens while the other side plays: it is told when the streams are back, and once.
    api.cut()
    api.play('abc', 'e7e5')
    client.wait_for(lambda: me.theirs and me.theirs[-1].uci == 'e7e5', 20, 'the move that was missed')
    api.cut()
    client.spin(3.0)
    assert [m.uci for m in me.theirs] == ['e7e5'] and 'stream: the server has ended it' in me.node.said()
    me.board(['e4', 'e5'])
    client.spin(0.5)
    me.sends(['e4', 'e5', 'Nf3'], ['e2e4', 'e7e5', 'g1f3'])
    assert posted(api) == ['e2e4', 'g1f3']


def test_a_busy_server_is_left_alone(client, api, far):
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    api.faults = [(429, False)]
    me.board(['e4'])
    client.wait_for(lambda: 'to be left alone for a minute' in me.node.said(), what='the answer')
    client.spin(10.0)
    assert posted(api) == ['e2e4'] and api.moves('abc') == []
    level, message, _ = client.diagnostics('game')
    assert message == 'e4 is to be sent' and level == 0


def test_a_refused_move_is_not_sent_again_and_one_taken_back_by_the_server_neither(client, api, far):
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    api.faults = [(400, False)]
    me.board(['e4'])
    client.wait_for(lambda: me.standing() == 'the server does not take e4', what='the refusal')
    client.spin(2.0)
    assert posted(api) == ['e2e4']
    me.board([])
    client.spin(0.5)
    me.sends(['d4'], ['d2d4'])
    # A take-back that both sides agreed on: the board still shows the move.
    api.alter('abc', moves=[])
    client.wait_for(lambda: me.standing().startswith('the board shows another position'), what='the difference')
    client.spin(1.5)
    assert posted(api) == ['e2e4', 'd2d4']
    me.board([])
    client.spin(0.5)
    me.sends(['c4'], ['c2c4'])


def test_draws_resignation_and_a_board_that_shows_something_else(client, api, far):
    me = far()
    api.begin('abc')
    client.wait_for(lambda: me.standing() == 'our move', what='the game')
    me.board(['e4', 'e5'])
    client.wait_for(lambda: me.standing().startswith('the board shows another position'), what='the difference')
    client.spin(1.0)
    assert not api.posts
    api.alter('abc', bdraw=True)
    client.wait_for(lambda: 'the other side offers a draw' in me.node.said(), what='the offer')
    assert me.ask('draw').success and me.ask('resign').success
    assert api.gestures == [('abc', 'draw', 'yes'), ('abc', 'resign')]


def test_a_server_that_is_not_there_yet(start, client, api, tmp_path):
    """It is asked again; who wants something meanwhile is told why not."""
    token = tmp_path / 'token'
    token.write_text(TOKEN)
    api.faults = [('get', 500)] * 3
    node = start('lichess_node', server=api.address, token_file=token)
    client.wait_for(lambda: 'the account cannot be asked for: the server answers 500' in node.said(), what='the complaint')
    answer = client.call(Trigger, 'chess_lichess/resign')
    assert not answer.success and answer.message in ('the server has not been reached yet', 'no game runs')
    states = client.listen(String, 'chess_lichess/state', LATCHED)
    client.wait_for(lambda: states and json.loads(states[-1].data)['account'] == 'me', 30, 'the account')
    assert 'can be read by others' in node.said()


def test_what_keeps_it_from_starting_is_one_line_without_the_token(start, tmp_path, monkeypatch):
    monkeypatch.delenv('LICHESS_TOKEN', raising=False)
    token = tmp_path / 'token'
    token.write_text('not a token of one word\n')
    for params, told in (
            ({}, 'the environment variable LICHESS_TOKEN: expected a token in one line, found none'),
            ({'token_file': tmp_path / 'none'}, 'No such file'),
            ({'token_file': token}, 'expected a token in one line'),
            ({'min_confidence': 0.2}, 'parameter min_confidence: expected 0.5 to 1.0')):
        node = start('lichess_node', **params)
        assert node.process.wait(timeout=20) == 2 and told in node.said(), node.said()
        assert 'of one word' not in node.said()
    monkeypatch.setenv('LICHESS_TOKEN', TOKEN)
    node = start('lichess_node', server='http://play.example')
    assert node.process.wait(timeout=20) == 2 and 'over https only' in node.said() and TOKEN not in node.said()


def test_the_newest_games_of_a_round_come_to_the_broadcast_whatever_happens(start, client, api, tmp_path):
    stage = Stage(client, ['board_1', 'board_2'])
    display = start('display_node', port=0, pgn__port=0)
    client.wait_for(lambda: 'games alone are on ' in display.said(), what='the display')
    source = display.said().split('games alone are on ')[1].split()[0]
    for name in stage.boards:
        stage.play(name, ['e4'])
    token = tmp_path / 'token'
    token.write_text(TOKEN)
    api.faults = [(500, False), (503, False)]
    node = start('broadcast_node', source=source, server=api.address, round='abcd', token_file=token, pause_s=1)
    client.wait_for(lambda: [status for _, _, status in api.pushes[:3]] == [500, 503, 200], 30, 'the first games')
    stage.play('board_2', ['e4', 'e5'])
    client.wait_for(lambda: '1. e4 e5' in api.pushes[-1][1] and api.pushes[-1][2] == 200, 20, 'the next move')
    assert api.pushes[-1][0] == 'abcd' and api.pushes[-1][1].count('[Board ') == 2
    client.diagnostics('broadcast', lambda v: v['up_to_date'] == 'true' and int(v['pushed']) >= 2 and v['failed'] == '2')
    # Nothing new, nothing sent; and of several states that come while the server is away the newest alone.
    pushes = len(api.pushes)
    client.spin(4.0)
    assert len(api.pushes) == pushes
    api.faults = [(502, False)] * 2
    line = ['e4', 'e5']
    for san in ('Nf3', 'Nc6', 'Bb5', 'a6'):
        line.append(san)
        stage.play('board_1', line)
        client.spin(0.3)
    client.wait_for(lambda: '3. Bb5 a6' in api.pushes[-1][1] and api.pushes[-1][2] == 200, 30, 'the newest')
    assert sum(status == 200 for _, _, status in api.pushes[pushes:]) <= 2
    assert TOKEN not in node.said() and 'can be read by others' in node.said()


ENGINE = """#!/usr/bin/env python3
import chess
board = None
while True:
    words = input().split()
    if words[0] == 'uci':
        print('id name test\\nuciok', flush=True)
    elif words[0] == 'isready':
        print('readyok', flush=True)
    elif words[0] == 'position':
        board = chess.Board(' '.join(words[2:8]))
        for uci in words[9:]:
            board.push_uci(uci)
    elif words[0] == 'go':
        if board.ply() == 3:
            raise SystemExit  # a bad day
        print('bestmove', sorted(move.uci() for move in board.legal_moves)[0], flush=True)
    elif words[0] == 'quit':
        break
"""


def test_an_engine_answers_and_comes_back_when_it_has_died(start, client, tmp_path):
    engine = tmp_path / 'engine'
    engine.write_text(ENGINE.replace('/usr/bin/env python3', sys.executable))
    engine.chmod(0o755)
    stage = Stage(client, [''])
    theirs = client.listen(Move, 'opponent_moves')
    expected = []

    def expect(request, response):
        expected.append(request.move)
        response.success = True
        return response

    client.node.create_service(ExpectMove, 'chess_observer/expect_move', expect)
    node = start('engine_node', engine=engine, movetime_ms=10, options='Threads=1')
    client.wait_for(lambda: ' plays black' in node.said(), what='the node')
    client.spin(0.5)
    calm = Board(tracker=Board.TRACKER_FOLLOWING, covered=[False] * 64)
    stage.boards[''][4].publish(calm)
    stage.play('', [])
    client.spin(0.5)
    assert not theirs
    stage.play('', ['e4'])
    client.wait_for(lambda: expected, what='the answer')
    assert [(m.uci, m.san, m.ply) for m in theirs] == [('a7a5', 'a5', 2)] and expected == ['a7a5']
    # Taken back and played otherwise; then the engine dies, and the next one is asked the same.
    stage.play('', [])
    stage.play('', ['d4'])
    client.wait_for(lambda: len(theirs) == 2, what='the other answer')
    assert theirs[-1].fen.split()[0] == 'rnbqkbnr/1ppppppp/8/p7/3P4/8/PPP1PPPP/RNBQKBNR'
    stage.play('', ['d4', 'a5', 'c4'])
    client.wait_for(lambda: 'the engine has ended' in node.said(), what='its end')
    stage.play('', ['d4', 'a5', 'c4', 'b6', 'e4'])
    client.wait_for(lambda: len(theirs) == 3, 20, 'the answer of the next one')
    assert theirs[-1].ply == 6


def test_stockfish_plays_black(start, client):
    stage = Stage(client, [''])
    theirs = client.listen(Move, 'opponent_moves')
    node = start('engine_node', movetime_ms=50, options='Threads=1; Skill Level=3')
    client.wait_for(lambda: ' plays black' in node.said(), what='the node')
    stage.boards[''][4].publish(Board(tracker=Board.TRACKER_FOLLOWING, covered=[False] * 64))
    game, sans = chess.Board(), []
    for number in range(1, 7):
        ours = min(game.legal_moves, key=lambda move: (not game.is_capture(move), move.uci()))
        sans.append(game.san_and_push(ours))
        stage.play('', sans)
        client.wait_for(lambda number=number: len(theirs) == number, 20, f'its move {number}')
        answer = theirs[-1]
        assert answer.ply == 2 * number
        sans.append(game.san_and_push(chess.Move.from_uci(answer.uci)))
        assert answer.san == sans[-1] and answer.fen.split()[0] == game.board_fen()
        stage.play('', sans)
        if game.is_game_over():
            break
    assert len(sans) > 4
