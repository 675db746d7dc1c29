"""A stand-in for the server on which people play: the calls of Lichess's Board API that our clients use, and its bad days."""

import http.server
import json
import queue
import threading
import time

import chess

TOKEN = 'a-token-of-nobody'


class Game:
    """One game, as the server has it."""

    def __init__(self, name, white='me', black='them', fen=None):
        self.name, self.white, self.black = name, white, black
        self.fen = fen
        self.board = chess.Board(fen) if fen else chess.Board()
        self.moves, self.status, self.winner = [], 'started', None
        self.draws = {'wdraw': False, 'bdraw': False}
        self.clocks = {'wtime': 600000, 'btime': 600000}

    def state(self):
        """Tell how it stands."""
        state = {'type': 'gameState', 'moves': ' '.join(self.moves), 'winc': 0, 'binc': 0, 'status': self.status}
        if self.winner:
            state['winner'] = self.winner
        return state | self.draws | self.clocks

    def full(self):
        """Tell all of it."""
        def player(name):
            return {'id': name, 'name': name.title(), 'title': None, 'rating': 1500}
        return {
            'type': 'gameFull', 'id': self.name, 'rated': False, 'speed': 'rapid', 'variant': {'key': 'standard', 'short': 'Std'},
            'clock': {'initial': 600000, 'increment': 0}, 'perf': {'name': 'Rapid'}, 'createdAt': 1,
            'white': player(self.white), 'black': player(self.black), 'initialFen': self.fen or 'startpos', 'state': self.state()}


class BoardApi:
    """The server. What it was asked is in `posts`; how it misbehaves is said by its fields."""

    def __init__(self, pages=None, me='me'):
        self.me, self.pages, self.games = me, pages or {}, {}
        self.lock = threading.RLock()
        # Those who listen: (game or None for the account's events, queue of lines, None ends it).
        self.streams = []
        # Every move that was posted: (game, move, status of the answer).
        self.posts, self.gestures, self.pushes = [], [], []
        # Answers to come instead of the right one: (status, is it carried out all the same?).
        self.faults = []
        self.answers_after_s = 0.0
        self.echoes = 1
        self.tokens = set()
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.0'

            def log_message(self, *_):
                pass

            def do_GET(self):
                api.get(self)

            def do_POST(self):
                api.post(self)

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.address = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """End it."""
        self.cut()
        self.server.shutdown()
        self.server.server_close()

    # --- what the test does ---

    def begin(self, name, **about):
        """Start a game and tell who listens."""
        with self.lock:
            self.games[name] = Game(name, **about)
            self.tell(None, {'type': 'gameStart', 'game': {'id': name, 'gameId': name}})
            return self.games[name]

    def play(self, name, uci):
        """Make the other side's move."""
        with self.lock:
            game = self.games[name]
            game.board.push_uci(uci)
            game.moves.append(uci)
            self.tell(name, game.state())

    def alter(self, name, **about):
        """Change something else of a game: its moves, who offers a draw, its end."""
        with self.lock:
            game = self.games[name]
            for key, value in about.items():
                if key in game.draws:
                    game.draws[key] = value
                else:
                    setattr(game, key, value)
            if 'moves' in about:
                game.board = chess.Board(game.fen) if game.fen else chess.Board()
                for uci in game.moves:
                    game.board.push_uci(uci)
            self.tell(name, game.state())
            if game.status != 'started':
                self.tell(None, {'type': 'gameFinish', 'game': {'id': name, 'gameId': name}})

    def cut(self):
        """Close all streams."""
        with self.lock:
            for _, lines in self.streams:
                lines.put(None)

    def moves(self, name):
        """Return the moves that the game has."""
        with self.lock:
            return list(self.games[name].moves)

    def tell(self, game, event):
        for of, lines in self.streams:
            if of == game:
                for _ in range(self.echoes):
                    lines.put(json.dumps(event))

    # --- what clients do ---

    def answer(self, handler, status, body, kind='application/json'):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header('Content-Type', kind)
        handler.send_header('Content-Length', str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def allowed(self, handler):
        self.tokens.add(handler.headers.get('Authorization', ''))
        if handler.headers.get('Authorization') == f'Bearer {TOKEN}':
            return True
        self.answer(handler, 401, {'error': 'No such token'})
        return False

    def get(self, handler):
        path = handler.path.split('?')[0]
        if path in self.pages:
            kind = 'text/javascript' if path.endswith('.js') else 'text/html; charset=utf-8'
            return self.answer(handler, 200, self.pages[path], kind)
        if not path.startswith('/api/'):
            return self.answer(handler, 404, {'error': 'Not found'})
        if not self.allowed(handler):
            return None
        with self.lock:
            fault = self.faults.pop(0) if self.faults and self.faults[0][0] == 'get' else None
        if fault:
            return self.answer(handler, fault[1], {'error': 'a bad day'})
        if path == '/api/account':
            return self.answer(handler, 200, {'id': self.me, 'username': self.me.title(), 'perfs': {}})
        if path == '/api/account/playing':
            running = [{'gameId': name, 'fullId': name, 'color': 'white' if game.white == self.me else 'black'}
                       for name, game in self.games.items() if game.status == 'started']
            return self.answer(handler, 200, {'nowPlaying': running})
        if path == '/api/stream/event':
            return self.stream(handler, None)
        name = path.removeprefix('/api/board/game/stream/')
        if name in self.games:
            return self.stream(handler, name)
        return self.answer(handler, 404, {'error': 'No such game'})

    def stream(self, handler, name):
        """Send what happens, and an empty line now and then."""
        lines = queue.Queue()
        with self.lock:
            if name is None:
                for running in self.games.values():
                    if running.status == 'started':
                        lines.put(json.dumps({'type': 'gameStart', 'game': {'id': running.name, 'gameId': running.name}}))
            else:
                lines.put(json.dumps(self.games[name].full()))
            self.streams.append((name, lines))
        handler.send_response(200)
        handler.send_header('Content-Type', 'application/x-ndjson')
        handler.end_headers()
        try:
            while True:
                try:
                    line = lines.get(timeout=1.0)
                except queue.Empty:
                    line = ''
                if line is None:
                    return
                handler.wfile.write(line.encode() + b'\n')
                handler.wfile.flush()
        except OSError:
            pass
        finally:
            with self.lock:
                self.streams.remove((name, lines))

    def post(self, handler):
        body = handler.rfile.read(int(handler.headers.get('Content-Length') or 0))
        if not self.allowed(handler):
            return None
        parts = handler.path.split('?')[0].strip('/').split('/')
        with self.lock:
            fault = self.faults.pop(0) if self.faults and self.faults[0][0] != 'get' else None
        if parts[:3] == ['api', 'broadcast', 'round']:
            status = fault[0] if fault else 200
            self.pushes.append((parts[3], body.decode(), status))
            games = body.decode().count('[Result "')
            return self.answer(handler, status, {'games': [{'tags': {}, 'moves': 1}] * games})
        name, what = parts[3], parts[4:]
        if what[0] != 'move':
            self.gestures.append((name, *what))
            return self.answer(handler, 200, {'ok': True})
        uci = what[1]
        if fault and not fault[1]:
            self.posts.append((name, uci, fault[0]))
            return self.answer(handler, fault[0], {'error': 'a bad day'})
        with self.lock:
            status, error = self.carry_out(name, uci)
            if fault:
                status, error = fault[0], 'a bad day'
            self.posts.append((name, uci, status))
        time.sleep(self.answers_after_s)
        return self.answer(handler, status, {'ok': True} if status == 200 else {'error': error})

    def carry_out(self, name, uci):
        """Make the move of the account's player, where it is legal and his turn."""
        with self.lock:
            game = self.games.get(name)
            if game is None or game.status != 'started':
                return 400, 'This game is over'
            mine = chess.WHITE if game.white == self.me else chess.BLACK
            move = chess.Move.from_uci(uci)
            # Castling as the king that takes his rook is understood as well.
            if game.board.turn == mine and game.board.is_castling(move):
                move = game.board.parse_san(game.board.san(move))
            if game.board.turn != mine or move not in game.board.legal_moves:
                return 400, 'Not your turn, or not a legal move'
            game.moves.append(game.board.uci(move))
            game.board.push(move)
            self.tell(name, game.state())
            return 200, None
