"""Why a call failed, by what the caller can do about it."""

from typing import Dict, Type


class MemoryCallError(Exception):
    """A call that failed. `str()` of it is what the node says: the field, the bound and what was given."""

    error_code = ''


class InvalidArgument(MemoryCallError):
    """The request is not well formed: change it."""

    error_code = 'invalid_argument'


class NotFound(MemoryCallError):
    """There is no such thing, or the caller may not see it."""

    error_code = 'not_found'


class InvalidState(MemoryCallError):
    """It is there, but not in a state that allows this."""

    error_code = 'invalid_state'


class Unauthorized(MemoryCallError):
    """There is no token, or nobody has it."""

    error_code = 'unauthorized'


class Forbidden(MemoryCallError):
    """The access policy or the profile of the token does not allow it."""

    error_code = 'forbidden'


class Refused(MemoryCallError):
    """It holds what is never stored: a password, a token, a key."""

    error_code = 'refused'


class Unavailable(MemoryCallError):
    """It cannot be done now, or the node cannot be reached: try again later."""

    error_code = 'unavailable'


class Internal(MemoryCallError):
    """A fault of the node, or an answer that is not one of it."""

    error_code = 'internal'


_BY_CODE: Dict[str, Type[MemoryCallError]] = {
    kind.error_code: kind
    for kind in (
        InvalidArgument,
        NotFound,
        InvalidState,
        Unauthorized,
        Forbidden,
        Refused,
        Unavailable,
        Internal,
    )
}


def error_of(error_code: str, message: str) -> MemoryCallError:
    """The error of this code."""
    return _BY_CODE.get(error_code, Internal)(message)
