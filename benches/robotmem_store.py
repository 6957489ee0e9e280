"""robotmem as a library, with vectors that were made elsewhere.

Import it only after ROBOTMEM_HOME is set.
"""

import math
import sqlite3
import sys
from array import array

from robotmem.config import Config
from robotmem.db_cog import CogDatabase
from robotmem.exceptions import DatabaseError
from robotmem.sdk import RobotMemory


class Vectors:
    """An embedder of robotmem's own kind that looks its texts up."""

    available = True
    unavailable_reason = ''

    def __init__(self, texts, path):
        """The file holds their vectors in the same order, little-endian f32."""
        components = array('f')
        components.frombytes(path.read_bytes())
        if sys.byteorder == 'big':
            components.byteswap()
        self.dim = len(components) // len(texts)
        self.components = components
        self.places = {text: place for place, text in enumerate(texts)}

    def embed_one_sync(self, text):
        """The vector of a known text."""
        first = self.places[text] * self.dim
        return self.components[first : first + self.dim].tolist()

    async def embed_one(self, text):
        """The same."""
        return self.embed_one_sync(text)


class Store:
    """A robotmem on a file of its own."""

    def __init__(self, path, vectors):
        self.path = path
        if vectors is None:
            self.memory = RobotMemory(db_path=path, embed_backend='none')
            return
        # As its own server does to use one database and one embedder for several memories.
        database = CogDatabase(Config(db_path=str(path), onnx_dim=vectors.dim))
        # Asked for, the connection is made, and with it the table of vectors.
        if database.conn is None or not database.vec_loaded:
            raise RuntimeError('robotmem could not load sqlite-vec')
        self.memory = RobotMemory._from_components(database, vectors)

    def learn(self, insight, context='', collection=None):
        """Its answer; a refusal to write counts as an answer without a memory."""
        try:
            return self.memory.learn(insight, context=context, collection=collection)
        except DatabaseError:
            return {'status': 'refused'}

    def perceive(self, description):
        """Whether it was stored."""
        try:
            self.memory.save_perception(description)
        except DatabaseError:
            return False
        return True

    def live_through_a_session(self):
        """An episode in which nothing is learned."""
        self.memory.end_session(self.memory.start_session())

    def confidence(self, query):
        """That of the only memory."""
        (memory,) = self.memory.recall(query, min_confidence=0.0)
        return memory['confidence']

    def age(self, days):
        """Moves all that happened into the past."""
        connection = sqlite3.connect(self.path)
        with connection:
            for column in ('created_at', 'last_accessed'):
                connection.execute(
                    f"UPDATE memories SET {column} = strftime('%Y-%m-%dT%H:%M:%f', {column}, ?)",
                    [f'-{days} days'],
                )
        connection.close()


def quantile(times, share):
    """The nearest rank: a time that was measured."""
    return sorted(times)[max(math.ceil(share * len(times)), 1) - 1]
