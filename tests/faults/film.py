"""A film of a game, the camera that shows it, and what a client hears of it."""

import array
import collections
import csv
import dataclasses
import io
import json
import subprocess
import time

import chess.pgn
from chess_observer.msg import Move, Warning
from graph import RELIABLE, program
from PIL import Image as Pil
from sensor_msgs.msg import CameraInfo, Image
from tf2_msgs.msg import TFMessage

# 2026-11-20 14:05:01 UTC.
CLOCK = 1_795_183_501.0
# Time between two pictures of the film, in seconds.
STEP = 0.1


@dataclasses.dataclass
class Film:
    """Pictures of a game: JPEG files, and which of them show ply `k` completed, without a hand (`rest[k]`).

    `notes` says for each picture how many plies it shows completed, and what the hand does (`in the air`, `set down`, …).
    """

    pictures: list
    rest: list
    notes: list
    ucis: list
    info: CameraInfo
    # Messages that were made already, and how many of them are kept.
    made: collections.OrderedDict = dataclasses.field(default_factory=collections.OrderedDict, repr=False)
    kept: int = 64

    @classmethod
    def render(cls, folder, game, scene, kept=64):
        """Have the simulator draw it."""
        (folder / 'game.pgn').write_text(game + '\n')
        (folder / 'scene.toml').write_text(scene)
        out = folder / 'film'
        command = [program('chess_observer'), 'simulate', '--pgn', folder / 'game.pgn', '--scene', folder / 'scene.toml']
        subprocess.run([*command, '--out', out], check=True, capture_output=True)
        pictures = sorted((out / 'frames').glob('*.jpg'))
        rest, notes = {}, []
        with open(out / 'events.csv', encoding='utf-8') as rows:
            for row in csv.DictReader(rows):
                notes.append((int(row['ply']), row['note']))
                if row['state'] == 'clean':
                    # The last one: men and light have come to rest.
                    rest[int(row['ply'])] = int(row['frame'])
        rest = [rest[k] for k in sorted(rest)]
        return cls(pictures, rest, notes, moves_of(game), camera_info(out / 'camera.json'), kept=kept)

    def shows(self, ply, note):
        """Return the number of the first picture that shows as many plies completed while the hand does this."""
        return next(k for k, (plies, what) in enumerate(self.notes) if plies == ply and what.startswith(note))

    def picture(self, index):
        """Read a picture: width, height and its pixels."""
        with Pil.open(self.pictures[index]) as picture:
            return picture.convert('RGB')

    def message(self, index, encoding='rgb8'):
        """Make a message of a picture; most are shown more than once."""
        key = index, encoding
        if key not in self.made:
            self.made[key] = message(self.picture(index), encoding)
            if len(self.made) > self.kept:
                self.made.popitem(last=False)
        return self.made[key]


def camera_info(path):
    """Read the camera's calibration."""
    camera = json.loads(path.read_text())
    k = [float(v) for row in camera['K'] for v in row]
    message = CameraInfo(width=2 * round(k[2] + 0.5), height=2 * round(k[5] + 0.5), distortion_model='plumb_bob')
    message.k, message.d = k, [float(v) for v in camera['D']]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [*k[:3], 0.0, *k[3:6], 0.0, *k[6:], 0.0]
    return message


def moves_of(pgn):
    """Read a game; return its moves."""
    return [move.uci() for move in chess.pgn.read_game(io.StringIO(pgn)).mainline_moves()]


def saved_moves(folder):
    """Read the moves of the newest file in a folder; none where there is none."""
    files = sorted(folder.glob('[!.]*.pgn'))
    return moves_of(files[-1].read_text()) if files else []


def message(picture, encoding='rgb8'):
    """Make a message of a picture."""
    bands = {'rgb8': 'RGB', 'bgr8': 'BGR', 'rgba8': 'RGBA', 'mono8': 'L'}[encoding]
    if encoding == 'bgr8':
        data = picture.tobytes('raw', 'BGR')
    else:
        data = picture.convert(bands).tobytes()
    image = Image(width=picture.width, height=picture.height, step=len(bands) * picture.width, encoding=encoding)
    image.data = array.array('B', data)
    return image


class Camera:
    """Shows pictures with stamps of its own clock, each when the one before was examined."""

    def __init__(self, client, film, topic='image_raw'):
        self.client, self.film, self.now = client, film, CLOCK
        self.publisher = client.node.create_publisher(Image, topic, RELIABLE)
        self.infos = client.node.create_publisher(CameraInfo, 'camera_info', RELIABLE)
        self.examined = 0.0
        self.shown = self.answered = 0
        # Does the node answer with the board's frame? Then it is waited for; else pictures come ten times a second.
        self.answers = False
        client.node.create_subscription(TFMessage, '/tf', self._hear, 100)

    def _hear(self, transforms):
        stamp = transforms.transforms[0].header.stamp
        self.examined = stamp.sec + 1e-9 * stamp.nanosec
        self.answered += 1

    def ready(self, observer):
        """Wait until the node is there and listens."""
        self.client.wait_for(lambda: ' is ready' in observer.said(), 30, 'the node')
        self.client.wait_for(lambda: self.publisher.get_subscription_count() >= 1, 30, 'a subscriber')
        self.answers = False

    def begin(self, observer):
        """Wait for the node, and show it the board before the first ply until it has found it and looked around."""
        self.ready(observer)
        answered = self.answered
        self.rest(0, lambda: self.answered > answered + 12, what='the board')

    def send(self, image, stamp):
        """Publish a picture, and the camera's calibration with it."""
        seconds, nanoseconds = divmod(round(stamp * 1e9), 10**9)
        for part in (self.film.info, image):
            part.header.stamp.sec, part.header.stamp.nanosec = seconds, nanoseconds
            part.header.frame_id = 'camera_optical'
        self.infos.publish(self.film.info)
        self.publisher.publish(image)
        self.shown += 1

    def show(self, picture, step=STEP, encoding='rgb8'):
        """Show a picture, or one of the film by its number, a moment later; wait until the node has examined it."""
        self.now += step
        answered = self.answered
        image = self.film.message(picture, encoding) if isinstance(picture, int) else message(picture, encoding)
        self.send(image, self.now)
        end = time.monotonic() + (3.0 if self.answers else 0.1)
        while self.answered == answered and time.monotonic() < end:
            self.client.spin(0.001)
        self.answers = self.answered > answered

    def play(self, first, last, each=lambda index: None, **how):
        """Show the pictures from one to the other; `each` is called before each of them."""
        for index in range(first, last + 1):
            each(index)
            self.show(index, **how)

    def rest(self, ply, until, pictures=150, what='it', **how):
        """Show the board after a ply until something is true."""
        for _ in range(pictures):
            self.show(self.film.rest[ply], **how)
            if until():
                return
        raise AssertionError(f'showed ply {ply} in vain for {what}')


class Ledger:
    """What somebody who listens to `moves` and `warnings` knows of the game."""

    def __init__(self, client):
        self.line, self.games, self.warnings = [], [], []
        client.node.create_subscription(Move, 'moves', self._hear, 50)
        client.node.create_subscription(Warning, 'warnings', self.warnings.append, 50)
        self.on_move = lambda: None

    def _hear(self, told):
        if told.kind == Move.KIND_NEW and told.ply == 1 and self.line:
            self.games.append(self.line)
            self.line = []
        if told.kind == Move.KIND_NEW:
            self.line[told.ply - 1:] = [told.uci]
        elif told.kind == Move.KIND_REVISED:
            self.line[told.ply - 1] = told.uci
        else:
            del self.line[told.ply - 1:]
        self.on_move()

    def kinds(self):
        """Kinds of the warnings so far."""
        return [w.kind for w in self.warnings]
