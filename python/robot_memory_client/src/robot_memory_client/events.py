"""The stream of events: what happens in the memory, as it happens."""

import http.client
import json
import random
import socket
import threading
import time
from types import TracebackType
from typing import Any, Generator, Iterator, List, NamedTuple, Optional, Type

from .connection import Address, Busy, failure
from .errors import Internal

QUIET_SECS_MAX = 60.0
"""The node says something more often than that, if only that it is there: else the connection is lost."""

PATIENCE_SECS = 60.0
"""A node that cannot be reached for so long is told as `Unavailable`."""

EVENT_BYTES_MAX = 8 * 1024 * 1024
"""Of one event, and of one line."""

_PAUSE_SECS_MAX = 5.0


class Event(NamedTuple):
    """Something that happened. After a `gap` events are missing: ask for what matters again."""

    id: str
    """By which the stream goes on from here; empty: that of the event before."""
    event: str
    """What kind it is."""
    data: Any
    """Its JSON."""


class EventStream:
    """An iterator over events, without an end. It connects again when it is cut off, from where it was.

    One thread iterates; `close()` may be called by any. `last_event_id` is where a later stream goes on.
    """

    def __init__(self, address: Address, last_event_id: Optional[str]) -> None:
        self.last_event_id = last_event_id or ''
        if not self.last_event_id.isprintable():
            raise ValueError('last_event_id: must have no control characters')
        self._address = address
        self._stream: Optional[socket.socket] = None
        self._closed = threading.Event()
        self._pause_secs = 0.2
        self._events = self._all()

    def __iter__(self) -> 'EventStream':
        return self

    def __next__(self) -> Event:
        return next(self._events)

    def __enter__(self) -> 'EventStream':
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the stream; whoever waits for an event finds that there is none any more."""
        self._closed.set()
        stream = self._stream
        if stream is not None:
            try:
                stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It is closed already.
                pass
        try:
            self._events.close()
        except ValueError:
            # Another thread waits in it, and goes on now that the connection is shut down.
            pass

    def _all(self) -> Generator[Event, None, None]:
        """The events of one connection after the other."""
        heard_at = time.monotonic()
        pause = self._pause_secs
        while not self._closed.is_set():
            try:
                for event in self._of_connection():
                    if event is not None:
                        yield event
                    heard_at, pause = time.monotonic(), self._pause_secs
                failed: Exception = self._address.unreachable(EOFError('the stream ended'))
            except Busy as busy:
                failed, pause = busy.error, max(pause, min(_PAUSE_SECS_MAX, busy.after_secs))
            except (OSError, http.client.HTTPException) as error:
                failed = self._address.unreachable(error)
            if self._closed.is_set():
                return
            if time.monotonic() - heard_at > PATIENCE_SECS:
                raise failed
            self._closed.wait(pause * random.uniform(0.75, 1.25))
            pause = min(_PAUSE_SECS_MAX, pause * 2)

    def _of_connection(self) -> Iterator[Optional[Event]]:
        """The events of a new connection; None for a sign that it lives."""
        headers = {**self._address.headers, 'Accept': 'text/event-stream', 'Cache-Control': 'no-store'}
        if self.last_event_id:
            headers['Last-Event-ID'] = self.last_event_id.encode('utf-8', 'replace').decode('latin-1')
        connection = self._address.open(QUIET_SECS_MAX)
        try:
            connection.connect()
            self._stream = connection.sock
            if self._closed.is_set():
                return
            connection.request('GET', self._address.path + '/api/v1/events', headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise failure(answer, answer.read(EVENT_BYTES_MAX))
            kind = answer.getheader('Content-Type') or ''
            if not kind.startswith('text/event-stream'):
                raise Internal(f'{self._address.url} answered {kind!r} and no events')
            yield None
            yield from self._parsed(answer)
        finally:
            self._stream = None
            connection.close()

    def _parsed(self, answer: http.client.HTTPResponse) -> Iterator[Optional[Event]]:
        """The events of an answer, as the HTML standard reads them; lines end in LF, as the node writes them."""
        last_id, event, size = self.last_event_id, '', 0
        data: List[str] = []
        while True:
            line = answer.readline(EVENT_BYTES_MAX + 1)
            size += len(line)
            if size > EVENT_BYTES_MAX:
                raise Internal(f'an event has more than {EVENT_BYTES_MAX} bytes')
            if not line.endswith(b'\n'):
                # What was not ended is not complete.
                return
            line_text = line.decode('utf-8', 'replace').rstrip('\r\n')
            field, _, value = line_text.partition(':')
            value = value[1:] if value.startswith(' ') else value
            if not line_text:
                self.last_event_id, size = last_id, 0
                if data:
                    yield Event(last_id, event or 'message', _data('\n'.join(data)))
                event, data = '', []
            elif field == 'id' and value.isprintable():
                last_id = value
            elif field == 'event':
                event = value
            elif field == 'data':
                data.append(value)
            elif field == 'retry' and value.isdecimal() and len(value) < 10:
                self._pause_secs = min(_PAUSE_SECS_MAX, int(value) / 1000)
            elif not field:
                size = size if data else 0
                yield None


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Internal(f'an event holds no JSON: {error}') from error
