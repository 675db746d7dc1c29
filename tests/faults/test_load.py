"""Floods of requests, parameters, calibrations and large pictures: the newest picture wins, memory stays, moves are right."""

import io
import statistics
import time

from chess_observer.srv import SavePgn, SetResult
from conftest import LONG
from film import CLOCK, Camera, Ledger
from graph import RELIABLE
from means import usage
from PIL import Image as Pil
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import CameraInfo, CompressedImage

# Seconds under load after each ply.
SECONDS = 20.0 if LONG else 1.5
PLIES = 3
# What is asked, each second.
PICTURES_HZ, CALLS_HZ, PARAMETERS_HZ, INFOS_HZ = 60.0, 200.0, 100.0, 60.0


def large(picture):
    """Make a JPEG of 3840×2160 of it."""
    data = io.BytesIO()
    picture.resize((2880, 2160), Pil.BICUBIC).crop((-480, 0, 3360, 2160)).save(data, 'jpeg', quality=80)
    return CompressedImage(format='jpeg', data=data.getvalue())


class Flood:
    """Everything at once, as often a second as was asked for, or as the machine can."""

    def __init__(self, client, camera):
        self.client, self.camera, self.calls, self.sent = client, camera, [], {}
        self.pictures = client.node.create_publisher(CompressedImage, 'image_raw/compressed', RELIABLE)
        self.services = [
            (client.node.create_client(SetResult, '/chess_observer/set_result'), SetResult.Request(result='nonsense')),
            (client.node.create_client(SavePgn, '/chess_observer/save_pgn'), SavePgn.Request(path='../escape')),
        ]
        self.parameters = client.node.create_client(SetParameters, '/chess_observer/set_parameters')

    def ready(self):
        """Wait until all of them are met."""
        for service in [*(s for s, _ in self.services), self.parameters]:
            self.client.wait_for(service.service_is_ready, 30, 'a service')
        self.client.wait_for(lambda: self.pictures.get_subscription_count() > 0, 30, 'a subscriber')
        self.client.spin(1.0)

    def call(self, count):
        """Ask for something that is refused."""
        service, request = self.services[count % 2]
        self.calls.append(service.call_async(request))

    def set(self, count):
        """Change a parameter."""
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=f'Player {count}')
        wanted = SetParameters.Request(parameters=[Parameter(name='game.white', value=value)])
        self.calls.append(self.parameters.call_async(wanted))

    def inform(self, count):
        """Send one of two calibrations."""
        info = CameraInfo(width=3840, height=2160, distortion_model='plumb_bob', d=[0.0] * 5)
        f = 3800.0 + count % 2
        info.k = [f, 0.0, 1919.5, 0.0, f, 1079.5, 0.0, 0.0, 1.0]
        info.p = [f, 0.0, 1919.5, 0.0, 0.0, f, 1079.5, 0.0, 0.0, 0.0, 1.0, 0.0]
        self.camera.infos.publish(info)

    def pour(self, image, seconds):
        """Send all of it for some seconds."""
        def show(_):
            self.camera.now = CLOCK + time.monotonic() - self.begun
            image.header.stamp.sec, nanoseconds = divmod(round(self.camera.now * 1e9), 10**9)
            image.header.stamp.nanosec = nanoseconds
            self.pictures.publish(image)

        work = [(show, PICTURES_HZ), (self.call, CALLS_HZ), (self.set, PARAMETERS_HZ), (self.inform, INFOS_HZ)]
        start = time.monotonic()
        due = [start] * len(work)
        while (now := time.monotonic()) < start + seconds:
            for k, (do, hz) in enumerate(work):
                if now >= due[k]:
                    do(self.sent.get(do.__name__, 0))
                    self.sent[do.__name__] = self.sent.get(do.__name__, 0) + 1
                    due[k] = max(due[k] + 1.0 / hz, now - 0.1)
            self.client.spin(0.001)


def test_everything_at_once(start, client, film, figures):
    camera, ledger = Camera(client, film), Ledger(client)
    observer = start(image_transport='compressed')
    client.wait_for(lambda: ' is ready' in observer.said(), 30, 'the node')
    flood = Flood(client, camera)
    flood.ready()
    flood.begun = time.monotonic()
    memory = []
    for ply in range(PLIES + 1):
        image = large(film.picture(film.rest[ply]))
        # A slow machine gets more time; the flood goes on meanwhile.
        end = time.monotonic() + 120.0
        flood.pour(image, SECONDS)
        while len(ledger.line) < ply and time.monotonic() < end:
            flood.pour(image, 1.0)
        assert ledger.line == film.ucis[:ply]
        memory.append(usage(observer.process.pid)[0])
    seconds = time.monotonic() - flood.begun
    _, _, values = client.diagnostics('input')
    examined = int(values['examined'])
    client.wait_for(lambda: sum(c.done() for c in flood.calls) > 0.5 * len(flood.calls), 30, 'answers')
    answers = [c.result() for c in flood.calls if c.done()]
    refused = [a.message for a in answers if hasattr(a, 'message')]
    assert refused and not any(a.success for a in answers if hasattr(a, 'success'))
    figures.update(
        poured_s=round(seconds, 1), sent_a_second={k: round(n / seconds) for k, n in flood.sent.items()},
        examined_a_second=round(examined / seconds, 1), answered=len(answers), of=len(flood.calls),
        busy=sum('busy' in m for m in refused), memory_mb=[round(m) for m in memory])
    assert examined > 10 and observer.running()
    # The first picture sets it up; after that nothing grows with what is sent: two pictures of 4K are 50 MB.
    assert max(memory[1:]) < statistics.median(memory[1:]) + 60.0, memory
    level, _, values = client.diagnostics('tracker')
    assert values['ply'] == str(PLIES) and level < 2
