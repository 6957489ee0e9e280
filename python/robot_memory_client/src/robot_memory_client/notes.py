"""Notes: texts under names, each one memory.

A note is stored as a perception, since those are kept as they are: they are not compared with others, none becomes a
constraint, and none is merged or replaced. The text is in its context, so that an edit is one Update and stays in the
audit trail; its name and its begin are the description, by which Recall finds it.
"""

from typing import Any, List, NamedTuple, Optional

from .client import Client
from .errors import InvalidState

NOTES_MAX = 100
"""Notes in one collection: what one Recall lists."""

NOTE_BYTES_MAX = 30_000
"""Of a note: with escapes it fits into a context of 64 KiB."""

_DESCRIPTION_CHARS_MAX = 300


class Note(NamedTuple):
    """A text under a name."""

    memory_id: int
    file: str
    text: str


class Notes:
    """The notes of a collection, as far as the client may see them."""

    def __init__(self, client: Client, collection: str, scope: str) -> None:
        self._client = client
        self._collection = collection
        self._scope = scope

    @staticmethod
    def problem(text: str) -> str:
        """Why a text can be no note; empty when it can."""
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            return 'the text has half of a surrogate pair'
        if size > NOTE_BYTES_MAX:
            return f'a note has at most {NOTE_BYTES_MAX} bytes, got {size}: keep less, or make another one'
        if any(character < ' ' and character not in '\t\n\r' for character in text):
            return 'the text has control characters'
        return ''

    def all(self) -> List[Note]:
        """All of them."""
        return self._recall({'$ne': ''})

    def find(self, file: str) -> Optional[Note]:
        """The one of this name."""
        return next(iter(self._recall(file)), None)

    def create(self, file: str, text: str) -> Optional[str]:
        """Store a new one; None when somebody else did. What is returned else is empty, or says that it waits."""
        if len(self.all()) >= NOTES_MAX:
            raise InvalidState(f'there are {NOTES_MAX} notes already: delete some first')
        saved = self._client.save_perception(
            description=_description(file, text),
            perception_type='procedural',
            mem_type='knowledge',
            source='agent_output',
            context=_context(file, text),
            collection=self._collection,
            scope=self._scope,
        )
        if saved['status'] == 'queued':
            return _waits('queued')
        first = self.find(file)
        if first is not None and first.memory_id != saved['memory_id']:
            self._client.forget(memory_id=saved['memory_id'], reason='another note has this name')
            return None
        return ''

    def edit(self, note: Note, text: str) -> str:
        """Store another text in its place."""
        return self._update(note.memory_id, note.file, text)

    def rename(self, note: Note, file: str) -> str:
        """Give it another name."""
        return self._update(note.memory_id, file, note.text)

    def delete(self, note: Note) -> None:
        """Forget it; it stays in the audit trail."""
        self._client.forget(memory_id=note.memory_id, reason='deleted as a file')

    def _update(self, memory_id: int, file: str, text: str) -> str:
        updated = self._client.update(
            memory_id=memory_id,
            new_content=_description(file, text),
            context=_context(file, text),
        )
        return _waits(updated['status'])

    def _recall(self, file: Any) -> List[Note]:
        """Those of such a name; of one name the first that was stored."""
        answer = self._client.recall(
            collection=self._collection,
            scope=self._scope,
            context_filter={'note.file': file},
            min_confidence=0.0,
            order='oldest',
            n=NOTES_MAX,
        )
        notes: List[Note] = []
        for memory in answer['memories']:
            name, text = memory['context']['note']['file'], memory['context']['note'].get('text')
            # Whoever may write can store what looks like a note.
            is_note = isinstance(text, str) and name.isprintable()
            if is_note and all(name != known.file for known in notes):
                notes.append(Note(memory['id'], name, text))
        return notes


def _context(file: str, text: str) -> Any:
    return {'note': {'file': file, 'text': text}}


def _description(file: str, text: str) -> str:
    return ' '.join(f'Note {file}: {text}'.split())[:_DESCRIPTION_CHARS_MAX]


def _waits(status: str) -> str:
    return (
        ' (The store cannot be written now: it waits, and is not seen until then.)'
        if status == 'queued'
        else ''
    )
