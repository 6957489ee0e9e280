"""One request to the node, on a connection of its own."""

import http.client
import json
import socket
import ssl
import time
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from .errors import Internal, MemoryCallError, Unavailable, error_of

ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""Of one answer: the node's largest ones have some 15 MB."""

_PIECE_BYTES = 64 * 1024

_BUSY = (429, 502, 503, 504)
"""Statuses of a node, or of a proxy before it, that cannot answer now."""


class Address:
    """Where the node listens, and who calls.

    Proxies of the environment are not used, and redirects are not followed: the token goes to this address alone.
    """

    def __init__(self, url: str, token: Optional[str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ('http', 'https') or not parts.hostname:
            raise ValueError(f'url: must be as http://127.0.0.1:8080, got {url!r}')
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError(
                'url: has only scheme, host, port and path; a token is given as token or token_file'
            )
        self.url = url
        self._tls = ssl.create_default_context() if parts.scheme == 'https' else None
        self.host: str = parts.hostname
        self.port = parts.port or (443 if self._tls else 80)
        self.path = parts.path.rstrip('/')
        self.headers: Dict[str, str] = {'User-Agent': 'robot_memory_client'}
        if token:
            if not all('!' <= character <= '~' for character in token):
                raise ValueError('token: must be visible ASCII characters without spaces')
            self.headers['Authorization'] = f'Bearer {token}'

    def open(self, timeout: float) -> http.client.HTTPConnection:
        """A new connection; each wait on it takes at most so many seconds."""
        if self._tls:
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def unreachable(self, error: Exception) -> Unavailable:
        """What a caller is told when it did not come to an answer."""
        return Unavailable(f'no answer from {self.url}: {error or type(error).__name__}')


class Busy(Exception):
    """An answer that says to try again, and perhaps when."""

    def __init__(self, error: MemoryCallError, after_secs: float) -> None:
        super().__init__(str(error))
        self.error = error
        self.after_secs = after_secs


def post(address: Address, path: str, fields: Mapping[str, Any], deadline: float) -> Any:
    """Send a JSON object and return the JSON of the answer, all of it before the deadline (`time.monotonic()`).

    Raises `OSError` or `http.client.HTTPException` when the connection fails, `Busy`, or the error of the answer.
    """
    body = json.dumps(fields, ensure_ascii=False, allow_nan=False, default=plain).encode()
    headers = {**address.headers, 'Content-Type': 'application/json', 'Connection': 'close'}
    connection = address.open(_remaining(deadline))
    try:
        connection.connect()
        stream: socket.socket = connection.sock
        stream.settimeout(_remaining(deadline))
        connection.request('POST', address.path + path, body=body, headers=headers)
        answer = connection.getresponse()
        content = _read(answer, stream, deadline)
    finally:
        connection.close()
    if answer.status != 200:
        raise failure(answer, content)
    try:
        return json.loads(content)
    except ValueError as error:
        raise Internal(f'{address.url} did not answer with JSON: {error}') from error


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python."""
    if hasattr(value, 'tolist'):
        return value.tolist()
    raise TypeError(f'{type(value).__name__} is no JSON')


def failure(answer: http.client.HTTPResponse, content: bytes) -> Exception:
    """What an answer that is none means."""
    code, message = _problem(content)
    if not code:
        code = 'unavailable' if answer.status in _BUSY else 'internal'
        message = f'{answer.status} {answer.reason}, and no error of the node'
        if 300 <= answer.status < 400:
            message = f'{answer.status}: redirects are not followed; give the address that answers'
    error = error_of(code, message)
    if isinstance(error, Unavailable):
        return Busy(error, _seconds(answer.getheader('Retry-After')))
    return error


def _remaining(deadline: float) -> float:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise socket.timeout('timed out')
    return remaining


def _read(answer: http.client.HTTPResponse, stream: socket.socket, deadline: float) -> bytes:
    content = bytearray()
    while True:
        stream.settimeout(_remaining(deadline))
        piece = answer.read1(_PIECE_BYTES)
        if not piece:
            break
        content += piece
        if len(content) > ANSWER_BYTES_MAX:
            raise Internal(f'the answer has more than {ANSWER_BYTES_MAX} bytes')
    if answer.length:
        raise http.client.IncompleteRead(bytes(content), answer.length)
    return bytes(content)


def _problem(content: bytes) -> Tuple[str, str]:
    """The code and the words of problem+json; empty when it is none."""
    try:
        problem = json.loads(content)
    except ValueError:
        return '', ''
    if not isinstance(problem, dict) or not isinstance(problem.get('error_code'), str):
        return '', ''
    return problem['error_code'], str(problem.get('detail') or problem.get('title') or '')


def _seconds(header: Optional[str]) -> float:
    try:
        return max(0.0, float(header or 0.0))
    except ValueError:
        return 0.0
