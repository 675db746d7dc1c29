"""A small client for web sockets (RFC 6455): text messages, without extensions."""

import base64
import json
import os
import socket
import struct
import time


class WebSocket:
    """One connection."""

    def __init__(self, host, port, path, origin=None, timeout=10.0):
        self.line = socket.create_connection((host, port), timeout=timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f'GET {path} HTTP/1.1', f'Host: {host}:{port}', 'Upgrade: websocket', 'Connection: Upgrade',
                f'Sec-WebSocket-Key: {key}', 'Sec-WebSocket-Version: 13', *([f'Origin: {origin}'] if origin else [])]
        self.line.sendall('\r\n'.join([*head, '', '']).encode())
        self.rest = b''
        while b'\r\n\r\n' not in self.rest:
            self.rest += self.more()
        answer, self.rest = self.rest.split(b'\r\n\r\n', 1)
        self.status = int(answer.split()[1])

    def more(self):
        data = self.line.recv(65536)
        if not data:
            raise ConnectionError('closed')
        return data

    def take(self, count):
        while len(self.rest) < count:
            self.rest += self.more()
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def frame(self, kind, data):
        """Send one masked frame."""
        mask = os.urandom(4)
        length = len(data)
        head = struct.pack('!BB', 0x80 | kind, 0x80 | length) if length < 126 else struct.pack('!BBH', 0x80 | kind, 0x80 | 126, length)
        self.line.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, message):
        """Send a message."""
        self.frame(1, message.encode() if isinstance(message, str) else json.dumps(message).encode())

    def receive(self, timeout=10.0):
        """Wait for the next message; pings are answered."""
        self.line.settimeout(timeout)
        while True:
            first, length = self.take(2)
            length &= 0x7F
            if length == 126:
                length, = struct.unpack('!H', self.take(2))
            elif length == 127:
                length, = struct.unpack('!Q', self.take(8))
            data = self.take(length)
            kind = first & 0x0F
            if kind == 1:
                return json.loads(data)
            if kind == 8:
                raise ConnectionError('closed')
            if kind == 9:
                self.frame(10, data)

    def wait_for(self, condition, timeout=20.0):
        """Receive until a message fits; return it."""
        end = time.monotonic() + timeout
        while True:
            message = self.receive(max(0.1, end - time.monotonic()))
            if condition(message):
                return message

    def close(self):
        """End it."""
        self.line.close()
