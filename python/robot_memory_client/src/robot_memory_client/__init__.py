"""Client of robot_memory, the long-term memory of a robot."""

from .client import Client
from .errors import (
    Forbidden,
    Internal,
    InvalidArgument,
    InvalidState,
    MemoryCallError,
    NotFound,
    Refused,
    Unauthorized,
    Unavailable,
)
from .events import Event, EventStream
from .operations import VERSION as __version__

__all__ = [
    'Client',
    'Event',
    'EventStream',
    'Forbidden',
    'Internal',
    'InvalidArgument',
    'InvalidState',
    'MemoryCallError',
    'NotFound',
    'Refused',
    'Unauthorized',
    'Unavailable',
    '__version__',
]
