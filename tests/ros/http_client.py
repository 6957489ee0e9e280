"""The Python client from its source, and nodes that it calls over HTTP."""

import re
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from conftest import node_program

PACKAGE = Path(__file__).parents[2] / 'python/robot_memory_client'
SOURCE = PACKAGE / 'src'
sys.path.insert(0, str(SOURCE))

from robot_memory_client import Client  # noqa: E402


def url_of(process):
    """Where a node answers over HTTP."""
    process.wait_until_logged('answering at http://')
    return 'http://' + re.search(r'answering at http://([^/\s]+)', process.log()).group(1)


def token_of(store, name, *arguments):
    """Make a token for a node with this store."""
    program = Path(node_program()).parent / 'memory'
    command = [program, 'token', 'add', name, *arguments, '--store', store]
    added = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return added.stdout.strip()


class Planner:
    """A node with a store of its own, and clients of it."""

    def __init__(self, nodes, store, **parameters):
        self.store = store
        self.ros, self.process = nodes.start(
            http_address='127.0.0.1:0', store_path=str(store), http_requests_per_second=10_000.0, **parameters
        )
        self.url = url_of(self.process)

    def client(self, name, *arguments):
        """A client with a token of its own."""
        return Client(self.url, token_of(self.store, name, *arguments))


@contextmanager
def answering(*answers, tls=None):
    """A server that answers one request after the other, each by a function of its handler; yields its URL and requests.

    The last answer is that of all further requests. `tls`: the files of its certificate and key.
    """
    requests = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
            requests.append((self.path, dict(self.headers), body))
            self.close_connection = True
            answers[min(len(requests), len(answers)) - 1](self)

        do_GET = do_CONNECT = do_POST

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f'{"https" if tls else "http"}://127.0.0.1:{server.server_address[1]}', requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5.0)


def says(status, body=b'', **headers):
    """An answer."""

    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace('_', '-'), value)
        handler.send_header('Content-Length', str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer
