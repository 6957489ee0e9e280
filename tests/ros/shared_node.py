"""A node that the tests of a file share, each test with a collection of its own.

To start a node takes longer than most tests do.
"""

from contextlib import contextmanager
from itertools import count

from robot_memory.srv import EndSession, Learn, Recall, SavePerception, StartSession

from conftest import Nodes

NUMBERS = count(1)


@contextmanager
def shared_node(ros_node, tmp_path_factory, **parameters):
    """Start a node on an empty store, and end it afterwards."""
    nodes = Nodes(ros_node, tmp_path_factory.mktemp('shared'))
    try:
        yield nodes.start(name=f'shared_{next(NUMBERS)}', **parameters)
    finally:
        nodes.end()


def refused(client, service, code, part, **fields):
    """Call a service, and check that it fails with this code and an error that names this part."""
    answer = client.call(service, **fields)
    assert not answer.success, f'{fields} was taken: {answer}'
    assert answer.error_code == code, f'{answer.error_code}, not {code}: {answer.error}'
    assert part in answer.error, f'{answer.error!r} does not name {part!r}'


class Collection:
    """A collection, seen through a client."""

    def __init__(self, client, name=None):
        self.client = client
        self.name = name or f'collection {next(NUMBERS)}'

    def succeed(self, service, **fields):
        """Call a service, and check that it succeeds without an error."""
        answer = self.client.succeed(service, **fields)
        assert (answer.error_code, answer.error) == ('', '')
        return answer

    def learn(self, insight, **fields):
        """Learn a fact; returns the answer."""
        return self.succeed(Learn, insight=insight, collection=self.name, **fields)

    def perceive(self, description, **fields):
        """Save a perception; returns its id."""
        answer = self.succeed(
            SavePerception, description=description, collection=self.name, **fields
        )
        return answer.memory_id

    def recall(self, query='', **fields):
        """Recall by a query or something else; returns the answer."""
        return self.succeed(Recall, query=query, collection=self.name, **fields)

    def contents(self, query='', **fields):
        """What the recalled memories say, in the order of the answer."""
        return [hit.content for hit in self.recall(query, **fields).memories]

    def all(self):
        """Every memory, in the order in which they were made; at most 100."""
        levels = ['core', 'knowledge']
        return self.recall(levels=levels, order='oldest', n=100, min_confidence=0.0).memories

    def start_session(self, **fields):
        """Start a session; returns its id."""
        return self.succeed(StartSession, collection=self.name, **fields).session_id

    def end_session(self, session_id, **fields):
        """End a session; returns the answer."""
        return self.succeed(EndSession, session_id=session_id, **fields)
