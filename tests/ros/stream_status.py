"""What a node says of its streams, and what it stored of them."""

import json
import sqlite3

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from conftest import wait_until

RELIABLE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=5000, reliability=ReliabilityPolicy.RELIABLE
)
BEST_EFFORT = QoSProfile(
    history=HistoryPolicy.KEEP_LAST, depth=5000, reliability=ReliabilityPolicy.BEST_EFFORT
)
LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)

OK, WARN, ERROR = b'\x00', b'\x01', b'\x02'


class Diagnostics:
    """The last status of each stream of a node, of each other part of a kind, or (an empty part) of all."""

    def __init__(self, ros_node, full_name, part='stream'):
        self.prefix = f'{full_name.lstrip("/")}: {part}'.rstrip() + ' '
        self.statuses = {}
        self.ros_node = ros_node
        self.subscription = ros_node.create_subscription(
            DiagnosticArray, '/diagnostics', self._on_message, 10
        )

    def _on_message(self, message):
        for status in message.status:
            if status.name.startswith(self.prefix):
                self.statuses[status.name.removeprefix(self.prefix)] = status

    def message(self, stream):
        """The verdict on a stream; empty when there is none."""
        status = self.statuses.get(stream)
        return status.message if status else ''

    def level(self, stream):
        """The level of a stream."""
        return self.statuses[stream].level

    def values(self, stream):
        """The values of a stream by key; counts as numbers."""
        status = self.statuses.get(stream)
        values = {value.key: value.value for value in status.values} if status else {}
        return {key: int(value) if value.isdigit() else value for key, value in values.items()}

    def count(self, stream, key):
        """One count of a stream; 0 when it is not told."""
        return self.values(stream).get(key, 0)

    def wait_for(self, stream, part):
        """Wait until the verdict on a stream has this part."""
        wait_until(
            lambda: part in self.message(stream),
            f'{part!r} of {stream}, but {self.message(stream)!r}',
        )

    def wait_for_count(self, stream, key, count):
        """Wait until a count of a stream is this, at least."""
        wait_until(
            lambda: self.count(stream, key) >= count,
            f'{count} {key} of {stream}: {self.values(stream)}',
        )

    def close(self):
        """Listen no longer."""
        self.ros_node.destroy_subscription(self.subscription)


def stored_events(store):
    """All events in a store, by when they began: what was stored of each."""
    query = """
        SELECT event.event_key, event.event_id, event.stream, event.trigger_kind, event.began_at,
               event.ended_at, memory.content, memory.context, perception.data,
               perception.metadata, event.clip, event.memory_id
        FROM event JOIN memory ON memory.id = event.memory_id
        JOIN perception ON perception.memory_id = memory.id
        ORDER BY event.began_at, event.event_key
    """
    names = (
        'key event_id stream trigger began_at ended_at content context data metadata clip '
        'id'.split()
    )
    with sqlite3.connect(f'file:{store}?mode=ro', uri=True) as connection:
        rows = connection.execute(query).fetchall()
    connection.close()
    events = [dict(zip(names, row)) for row in rows]
    for event in events:
        for name in ('context', 'data', 'metadata'):
            event[name] = json.loads(event[name] or '{}')
    return events
