"""Calls a node over HTTP slowly, until standard input ends: slow_callers.py ADDRESS TOKEN COUNT.

Prints a line once all connections are open, and what became of them at the end.
"""

import json
import select
import selectors
import socket
import sys

# Between two steps of each connection.
STEP_SECS = 0.1


class SlowCallers:
    """Connections that send or read a little at a time, and come again when they are cut.

    A third sends its headers byte by byte, a third a large body slowly, a third reads a large answer slowly.
    """

    def __init__(self, address, token):
        host, port = address.split(':')
        self.address = (host, int(port))
        head = f'Host: {address}\r\nAuthorization: Bearer {token}\r\n'
        body = json.dumps({'query': 'shelf', 'collections': ['*'], 'n': 100, 'min_confidence': 0.0})
        self.headers = f'POST /api/v1/recall HTTP/1.1\r\n{head}X: {"y" * 20000}\r\n\r\n'.encode()
        self.large = (
            f'POST /api/v1/learn HTTP/1.1\r\n{head}Content-Length: 4000000\r\n\r\n'.encode() + b' ' * 100_000
        )
        self.whole = (
            f'POST /api/v1/recall HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}'.encode()
        )
        self.counts = {'opened': 0, 'cut or ended': 0, 'read_bytes': 0}

    def open(self, number):
        """A connection, what it still has to send, and how much of that at a time."""
        stream = socket.socket()
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.settimeout(60.0)
        stream.connect(self.address)
        stream.setblocking(False)
        self.counts['opened'] += 1
        if number % 3 == 0:
            return [stream, memoryview(self.headers), 1]
        if number % 3 == 1:
            return [stream, memoryview(self.large), 100]
        return [stream, memoryview(self.whole * 20), len(self.whole)]

    def run(self, count):
        """Go on until standard input ends."""
        callers = [self.open(number) for number in range(count)]
        selector = selectors.DefaultSelector()
        for number, caller in enumerate(callers):
            selector.register(caller[0], selectors.EVENT_READ, number)
        print('open', flush=True)
        while not select.select([sys.stdin], [], [], STEP_SECS)[0]:
            for number, (stream, unsent, step) in enumerate(callers):
                if unsent:
                    try:
                        sent = stream.send(unsent[:step])
                        callers[number][1] = unsent[sent:]
                    except BlockingIOError:
                        pass
                    except OSError:
                        self.again(selector, callers, number)
            for key, _ in selector.select(0):
                number = key.data
                try:
                    # A slow reader takes a little, and the others what they are told.
                    read = callers[number][0].recv(64)
                except BlockingIOError:
                    continue
                except OSError:
                    read = b''
                self.counts['read_bytes'] += len(read)
                if not read:
                    self.again(selector, callers, number)
        print(json.dumps(self.counts))

    def again(self, selector, callers, number):
        """Open a connection instead of one that was cut."""
        self.counts['cut or ended'] += 1
        selector.unregister(callers[number][0])
        callers[number][0].close()
        callers[number] = self.open(number)
        selector.register(callers[number][0], selectors.EVENT_READ, number)


if __name__ == '__main__':
    SlowCallers(sys.argv[1], sys.argv[2]).run(int(sys.argv[3]))
