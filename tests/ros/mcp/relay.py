"""Relays messages of MCP over HTTP to a program that speaks it on standard input and output, for the conformance suite,
which speaks HTTP only.

    relay.py PROGRAM ARGUMENT...

Prints the address that it listens on. Each `initialize` begins a session with a process of its own; messages without a
session go to one process, as the newest protocol has them.
"""

import json
import queue
import subprocess
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WAIT_SECS_MAX = 30.0


class Session:
    """One process, and who waits for which of its answers."""

    def __init__(self):
        self.process = subprocess.Popen(
            sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.lock = threading.Lock()
        self.waiting = {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        """Hand each answer to who waits for it."""
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.lock:
                waiting = self.waiting.pop(answer.get('id'), None)
            if waiting:
                waiting.put(answer)

    def send(self, message):
        """Send a message; returns its answer, when it has one."""
        answered = queue.Queue()
        with self.lock:
            if 'id' in message:
                self.waiting[message['id']] = answered
            self.process.stdin.write(json.dumps(message) + '\n')
            self.process.stdin.flush()
        return answered.get(timeout=WAIT_SECS_MAX) if 'id' in message else None


SESSIONS = {}


class Relay(BaseHTTPRequestHandler):
    """Takes one message."""

    protocol_version = 'HTTP/1.1'

    def log_message(self, *arguments):
        """Nobody reads it."""

    def answer(self, status, body=b'', **headers):
        """Send an answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        """There is no stream."""
        self.answer(405)

    do_DELETE = do_GET

    def do_POST(self):
        """Relay it."""
        message = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        session_id = self.headers.get('Mcp-Session-Id', '')
        headers = {'Content_Type': 'application/json'}
        if message.get('method') == 'initialize':
            session_id = headers['Mcp_Session_Id'] = uuid.uuid4().hex
        session = SESSIONS.get(session_id)
        if session is None:
            session = SESSIONS[session_id] = Session()
        answer = session.send(message)
        if answer is None:
            self.answer(202)
        else:
            self.answer(200, json.dumps(answer).encode(), **headers)


server = ThreadingHTTPServer(('127.0.0.1', 0), Relay)
server.daemon_threads = True
print(f'http://127.0.0.1:{server.server_port}/mcp', flush=True)
try:
    server.serve_forever()
finally:
    for one in SESSIONS.values():
        one.process.kill()
