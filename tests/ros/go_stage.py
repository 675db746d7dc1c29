"""A camera over a Go board, for tests: simulated photographs of a game, shown one by one."""

import subprocess

from conftest import RELIABLE, program
from pictures import from_file
from sensor_msgs.msg import Image


def simulated(game, folder):
    """Photographs of an SGF game, one before the first play and one after each."""
    (folder / 'game.sgf').write_text(game)
    command = [program('chess_observer'), 'simulate', '--go', folder / 'game.sgf', '--stills', '--out', folder / 'out']
    subprocess.run(command, check=True, capture_output=True)
    return sorted((folder / 'out' / 'frames').glob('*.jpg'))


class Photographer:
    """Publishes pictures on image_raw, in a namespace or without one."""

    def __init__(self, client, namespace=''):
        self.publisher = client.node.create_publisher(Image, f'{namespace}/image_raw' if namespace else 'image_raw', RELIABLE)
        client.wait_for(lambda: self.publisher.get_subscription_count() > 0, what='a subscriber')
        # It subscribes anew when it has seen what the publisher offers.
        client.spin(2.0)

    def publish(self, picture):
        self.publisher.publish(picture)

    def show(self, path, seconds):
        """Publish a photograph that was taken then."""
        self.publish(from_file(path, seconds))
