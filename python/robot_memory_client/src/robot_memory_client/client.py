"""The client: calls with retries, and the stream of events."""

import http.client
import random
import time
import uuid
from copy import copy
from datetime import datetime, timedelta, timezone
from os import PathLike
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from .connection import Address, Busy, plain, post
from .errors import InvalidArgument, MemoryCallError, Unavailable
from .events import EventStream
from .operations import Operations

RETRIES = 6
"""Times that a call is repeated at most."""

_FIRST_PAUSE_SECS = 0.1
_PAUSE_SECS_MAX = 5.0
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Client(Operations):
    """Calls the operations of a node over HTTP.

    Threads may share a client: it only holds where the node is. Each call has a connection of its own, which is
    closed when the call returns.

    Args:
        url: where the node listens, as http://127.0.0.1:8080.
        token: from `memory token add`.
        token_file: a file with the token, instead.
        timeout: seconds that a call takes at most, with its retries.

    A call that failed raises a `MemoryCallError`. When the node cannot be reached or says `unavailable`, what reads
    is called again, and what writes if it has an idempotency key, which the client makes where none is given.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        *,
        token_file: Union[str, 'PathLike[str]', None] = None,
        timeout: float = 75.0,
    ) -> None:
        if token is not None and token_file is not None:
            raise ValueError('token and token_file: give one of them')
        if token_file is not None:
            token = Path(token_file).read_text(encoding='utf-8').strip()
        self._address = Address(url, token)
        self._timeout = _checked_timeout(timeout)

    def with_timeout(self, timeout: float) -> 'Client':
        """The same client with another timeout in seconds."""
        other = copy(self)
        other._timeout = _checked_timeout(timeout)
        return other

    def events(self, last_event_id: Optional[str] = None) -> EventStream:
        """What happens in the memory from now on, or from behind the event with this id."""
        return EventStream(self._address, last_event_id)

    def _call(self, operation: str, repeatable: bool, fields: Sequence[Tuple[str, Any, Any]]) -> Any:
        given: Dict[str, Any] = {}
        for name, value, default in fields:
            if name == 'idempotency_key' and value == '':
                value = uuid.uuid4().hex
            value = _json(name, value)
            if value is not None and value != default:
                given[name] = value
        try:
            return self._repeated(f'/api/v1/{operation}', given, RETRIES if repeatable else 0)
        except ValueError as error:
            # What JSON cannot hold.
            raise InvalidArgument(f'{operation}: {error}') from error

    def _repeated(self, path: str, fields: Dict[str, Any], retries: int) -> Any:
        """Post a request until it is answered; so often again at most."""
        deadline = time.monotonic() + self._timeout
        for attempt in range(retries + 1):
            pause = min(_PAUSE_SECS_MAX, _FIRST_PAUSE_SECS * 2**attempt)
            try:
                return post(self._address, path, fields, deadline)
            except Busy as busy:
                failed: MemoryCallError = busy.error
                pause = min(_PAUSE_SECS_MAX, max(pause, busy.after_secs))
            except (OSError, http.client.HTTPException) as error:
                failed = self._address.unreachable(error)
            # Not all at once when a node comes back.
            pause *= random.uniform(0.75, 1.25)
            if attempt == retries or time.monotonic() + pause >= deadline:
                raise failed
            time.sleep(pause)
        raise Unavailable('not reached')


def _checked_timeout(timeout: float) -> float:
    if not 0 < timeout < float('inf'):
        raise ValueError(f'timeout: must be greater than 0 seconds, got {timeout}')
    return timeout


def _json(name: str, value: Any) -> Any:
    """A value as the node takes it."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidArgument(f'{name}: a time needs its time zone, got {value!r}')
        return (value - _EPOCH) // timedelta(microseconds=1) * 1000
    return plain(value) if hasattr(value, 'tolist') else value
