"""The memory for programs that speak ROS 2: calls that wait for their answer, in a callback or outside of any.

The services are called by a node of its own that a thread of its own spins, so that nothing waits for the executor of
the caller: neither inside a callback of a single-threaded one, nor where nobody spins.
"""

import importlib
import json
import re
import threading
import time
import uuid
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type

from .errors import InvalidArgument, Unavailable, error_of

_OUTCOMES = ('success', 'failure', 'cancelled', 'unknown')


class Memory:
    """The services of a memory node. Threads may share it.

    Args:
        node: whose context, namespace and remapping rules count.
        name: of the memory node, relative to that namespace.
        timeout: seconds that a call waits for the service and its answer.

    A call that failed raises what the client over HTTP does (`robot_memory_client.errors`).
    """

    def __init__(self, node: Any, name: str = 'robot_memory', timeout: float = 10.0) -> None:
        rclpy = importlib.import_module('rclpy')
        executors = importlib.import_module('rclpy.executors')
        self._types = importlib.import_module('robot_memory.srv')
        self._resolve = node.resolve_service_name
        self._name = name
        self._timeout = timeout
        self._clients: Dict[str, Any] = {}
        self._lock = threading.Lock()
        self._node = rclpy.create_node(
            f'{node.get_name()}_memory_{uuid.uuid4().hex[:8]}',
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = executors.SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._shut_down: Type[BaseException] = executors.ExternalShutdownException
        self._thread = threading.Thread(target=self._spin, name='robot_memory', daemon=True)
        self._thread.start()

    def learn(self, insight: str, context: Optional[Mapping[str, Any]] = None, **fields: Any) -> Any:
        """Store one statement. A repeated call with the same idempotency_key is answered as the first one."""
        return self.call('learn', insight=insight, context=context, **_keyed(fields))

    def recall(self, query: str = '', **fields: Any) -> Sequence[Any]:
        """The memories that match, the best first."""
        memories: Sequence[Any] = self.call('recall', query=query, **fields).memories
        return memories

    def brief(self, task: str, object: str = '', **fields: Any) -> Any:
        """What is known that matters for a task."""
        return self.call('brief', task=task, object=object, **fields)

    def attempt(self, task: str, object: str = '', **fields: Any) -> 'Attempt':
        """An attempt at a task: `with memory.attempt("pick", "mug") as attempt: ... attempt.succeed()`."""
        return Attempt(self, {'task': task, 'object': object, **fields})

    def call(self, service: str, **fields: Any) -> Any:
        """Call a service by its name, and return its response.

        A field that is None has its default; a mapping, or a list where a text is asked for, becomes JSON.
        """
        kind = self._service(service)
        return self._answer(service, kind, _request(service, kind, fields))

    def close(self) -> None:
        """Give up the node and its thread."""
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()

    def __enter__(self) -> 'Memory':
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except self._shut_down:
            # The context ended.
            pass

    def _service(self, service: str) -> Any:
        kind = getattr(self._types, ''.join(part.capitalize() for part in service.split('_')), None)
        if kind is None:
            raise InvalidArgument(f'there is no service {service}')
        return kind

    def _answer(self, service: str, kind: Any, request: Any) -> Any:
        deadline = time.monotonic() + self._timeout
        name = self._resolve(f'{self._name}/{service}')
        with self._lock:
            client = self._clients.get(service)
            if client is None:
                client = self._clients[service] = self._node.create_client(kind, name)
        if not client.wait_for_service(self._timeout):
            raise Unavailable(f'there is no service {name} within {self._timeout} s')
        arrived = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: arrived.set())
        if not arrived.wait(max(0.0, deadline - time.monotonic())):
            client.remove_pending_request(future)
            raise Unavailable(
                f'{name} did not answer within {self._timeout} s; what writes may still be done'
            )
        response = future.result()
        if not response.success:
            raise error_of(response.error_code, response.error)
        return response


class Attempt:
    """An attempt, a memory from its begin on. One that nobody ended is ended with the block.

    It has the outcome that was told, though that could not be stored. Else it has failed when an exception leaves
    the block, and is unknown when none does; an interrupt cancels it.
    """

    def __init__(self, memory: Memory, fields: Dict[str, Any]) -> None:
        self._memory = memory
        self._fields = fields
        self.attempt_id = 0
        self._told: Optional[str] = None
        self.response: Any = None

    def __enter__(self) -> 'Attempt':
        begun = self._memory.call('begin_attempt', **_keyed(self._fields))
        self.attempt_id = begun.attempt_id
        return self

    def succeed(self, **fields: Any) -> Any:
        """It did what it was to do; with score, reason, measured, params, steps, used_ids."""
        return self.end('success', **fields)

    def fail(self, reason: str = '', **fields: Any) -> Any:
        """It did not."""
        return self.end('failure', reason=reason, **fields)

    def end(self, outcome: str, **fields: Any) -> Any:
        """How it ended: success, failure, cancelled or unknown."""
        if outcome in _OUTCOMES:
            self._told = outcome
        fields.setdefault('agent', self._fields.get('agent'))
        self.response = self._memory.call(
            'end_attempt', attempt_id=self.attempt_id, outcome=outcome, **_keyed(fields)
        )
        return self.response

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self.response is not None:
            return
        if error is None:
            self.end(self._told or 'unknown')
            return
        outcome = self._told or ('failure' if isinstance(error, Exception) else 'cancelled')
        try:
            self.end(outcome, reason=f'{type(error).__name__}: {error}'[:300])
        except Exception as failed:
            # What left the block says more than that its end could not be stored.
            self._memory._node.get_logger().warning(f'attempt {self.attempt_id} stays open: {failed}')


def _keyed(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {'idempotency_key': uuid.uuid4().hex, **fields}


def _request(service: str, kind: Any, fields: Mapping[str, Any]) -> Any:
    """A request with these fields, and the flags of those that may be absent."""
    request = _checking(kind)
    types = request.get_fields_and_field_types()
    for field, value in fields.items():
        if value is None:
            continue
        if field not in types:
            raise InvalidArgument(f'{field}: {service} has no such field; it has {", ".join(types)}')
        is_json = types[field] == 'string' and isinstance(value, (Mapping, list, tuple))
        try:
            stored = json.dumps(value, ensure_ascii=False) if is_json else _as_float(types[field], value)
            setattr(request, field, stored)
        except (AssertionError, OverflowError, TypeError, ValueError) as error:
            raise InvalidArgument(f'{field}: {re.sub(chr(10), " ", str(error))}') from error
        if f'has_{field}' in types:
            setattr(request, f'has_{field}', True)
    return request


def _as_float(kind: str, value: Any) -> Any:
    """A whole number as the float that its field takes."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if is_whole and kind in ('double', 'float') else value


def _checking(kind: Any) -> Any:
    """A request that checks what is put into it: one that holds something else would end the process."""
    try:
        return kind.Request(check_fields=True)
    except AssertionError:
        # Before Jazzy they always do.
        return kind.Request()
