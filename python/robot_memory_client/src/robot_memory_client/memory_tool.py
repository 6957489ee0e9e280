"""Claude's memory tool (`memory_20250818`) out of the robot's memory.

    /memories/limits.md           the limits in force; made, read-only
    /memories/lessons/<task>.md   what attempts at a task have shown; made, read-only
    /memories/notes/...           free

Commands, answers and errors are worded as the documentation of the tool words them.
"""

import threading
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .client import Client
from .errors import MemoryCallError, Refused, Unavailable
from .made_files import ROOT, MadeFiles
from .notes import Note, Notes

NOTES = f'{ROOT}/notes'

PATH_CHARS_MAX = 200
"""Of a path: it is a key in the memory."""

LINES_MAX = 999_999
"""Of a file that is viewed, by the documentation of the tool."""

_SNIPPET_LINES = 2
_DEPTH_SHOWN = 2
_HEX = frozenset('0123456789abcdefABCDEF')


class ToolAnswer(NamedTuple):
    """What the model is told."""

    text: str
    is_error: bool


class _Problem(Exception):
    """What cannot be done, in the words that the model is told."""


class MemoryTool:
    """Runs the commands of the memory tool.

    Args:
        client: whose token may write (profile planner).
        collection: where limits and lessons are from; empty = the node's default_collection, * = all.
        notes_collection: where notes are.
        scope: who may see the notes; empty = the node's default_scope.

    Threads may share it. Two programs that edit one note at the same time are not kept apart: the last one holds.
    """

    def __init__(
        self,
        client: Client,
        *,
        collection: str = '',
        notes_collection: str = 'notes',
        scope: str = '',
    ) -> None:
        self._made = MadeFiles(client, collection, scope)
        self._notes = Notes(client, notes_collection, scope)
        self._lock = threading.Lock()
        self._commands: Dict[str, Callable[[Mapping[str, Any]], str]] = {
            'view': self._view,
            'create': self._create,
            'str_replace': self._str_replace,
            'insert': self._insert,
            'delete': self._delete,
            'rename': self._rename,
        }

    def to_dict(self) -> Dict[str, str]:
        """The tool, for the `tools` of a request to the model."""
        return {'type': 'memory_20250818', 'name': 'memory'}

    def run(self, command: Mapping[str, Any]) -> ToolAnswer:
        """Run a command, the `input` of a `tool_use` of the model. What goes wrong is told in the answer."""
        name = command.get('command')
        run = self._commands.get(name) if isinstance(name, str) else None
        if run is None:
            return ToolAnswer(
                f'Error: there is no command {name!r}; there are {", ".join(self._commands)}', True
            )
        try:
            with self._lock:
                return ToolAnswer(run(command), False)
        except _Problem as problem:
            return ToolAnswer(str(problem), True)
        except Refused as error:
            return ToolAnswer(f'Error: it was not stored: {error}. Leave the secret out.', True)
        except Unavailable as error:
            return ToolAnswer(f"Error: the robot's memory cannot be reached now: {error}", True)
        except MemoryCallError as error:
            return ToolAnswer(f'Error: {error}', True)

    def tool_result(self, tool_use_id: str, command: Mapping[str, Any]) -> Dict[str, Any]:
        """Run a command and return the block that answers the model's `tool_use`."""
        answer = self.run(command)
        block = {'type': 'tool_result', 'tool_use_id': tool_use_id, 'content': answer.text}
        return {**block, 'is_error': True} if answer.is_error else block

    def for_anthropic(self) -> Any:
        """The same as a `BetaAbstractMemoryTool` of the package anthropic, for its tool runner."""
        from ._anthropic import adapted

        return adapted(self)

    def _view(self, command: Mapping[str, Any]) -> str:
        path = _path(command, 'path')
        text = self._text(path)
        if text is None:
            return self._directory(path)
        lines = _lines(text)
        if len(lines) > LINES_MAX:
            raise _Problem(f'File {path} exceeds maximum line limit of 999,999 lines.')
        first, last = _view_range(command.get('view_range'), len(lines))
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first, last)}"

    def _create(self, command: Mapping[str, Any]) -> str:
        path, text = _path(command, 'path'), _text_of(command, 'file_text')
        file = _file(path)
        self._check_room(path, file, f'Error: File {path} already exists')
        waits = self._notes.create(file, _storable(text))
        if waits is None:
            raise _Problem(f'Error: File {path} already exists')
        return f'File created successfully at: {path}{waits}'

    def _str_replace(self, command: Mapping[str, Any]) -> str:
        path, old = _path(command, 'path'), _text_of(command, 'old_str')
        new = _text_of(command, 'new_str', '')
        note = self._note(path, f'Error: The path {path} does not exist. Please provide a valid path.')
        starts = _occurrences(note.text, old)
        if not starts:
            raise _Problem(
                f'No replacement was performed, old_str `{old}` did not appear verbatim in {path}.'
            )
        if len(starts) > 1:
            numbers = sorted({note.text.count('\n', 0, start) + 1 for start in starts})
            raise _Problem(
                f'No replacement was performed. Multiple occurrences of old_str `{old}` in lines: '
                f'{", ".join(map(str, numbers))}. Please ensure it is unique'
            )
        text = note.text[: starts[0]] + new + note.text[starts[0] + len(old) :]
        waits = self._notes.edit(note, _storable(text))
        lines, changed = _lines(text), note.text.count('\n', 0, starts[0])
        first = max(0, changed - _SNIPPET_LINES)
        last = min(len(lines), changed + new.count('\n') + 1 + _SNIPPET_LINES)
        return f'The memory file has been edited.{waits}\n{_numbered(lines, first, last)}'

    def _insert(self, command: Mapping[str, Any]) -> str:
        path, at = _path(command, 'path'), command.get('insert_line')
        inserted = _text_of(command, 'insert_text')
        note = self._note(path, f'Error: The path {path} does not exist')
        lines = _lines(note.text)
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= len(lines):
            raise _Problem(
                f'Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file: '
                f'[0, {len(lines)}]'
            )
        lines[at:at] = _lines(inserted) or ['']
        waits = self._notes.edit(note, _storable('\n'.join(lines) + '\n'))
        return f'The file {path} has been edited.{waits}'

    def _delete(self, command: Mapping[str, Any]) -> str:
        path = _path(command, 'path')
        if path == ROOT:
            raise _Problem(f'Error: {ROOT} itself cannot be deleted')
        notes = self._below(path)
        if not notes and path != NOTES:
            raise _Problem(f'Error: The path {path} does not exist')
        for note in notes:
            self._notes.delete(note)
        return f'Successfully deleted {path}'

    def _rename(self, command: Mapping[str, Any]) -> str:
        old, new = _path(command, 'old_path'), _path(command, 'new_path')
        if old in (ROOT, NOTES):
            raise _Problem(f'Error: {old} itself cannot be renamed')
        notes = self._below(old)
        if not notes:
            raise _Problem(f'Error: The path {old} does not exist')
        if new.startswith(f'{old}/'):
            raise _Problem(f'Error: {old} cannot be moved into itself')
        self._check_room(new, _file(new), f'Error: The destination {new} already exists')
        moved = [f'{new}{_path_of(note)[len(old) :]}' for note in notes]
        longest = max(map(len, moved))
        if longest > PATH_CHARS_MAX:
            raise _Problem(
                f'Error: Invalid path: {new} would have a path of {longest} characters in it, and at most '
                f'{PATH_CHARS_MAX} are allowed'
            )
        for note, path in zip(notes, moved):
            self._notes.rename(note, _file(path))
        return f'Successfully renamed {old} to {new}'

    def _text(self, path: str) -> Optional[str]:
        """What a file holds; None when there is no such file."""
        made = self._made.text(path)
        if made is not None or not path.startswith(f'{NOTES}/'):
            return made
        note = self._notes.find(path[len(NOTES) + 1 :])
        return None if note is None else note.text

    def _directory(self, path: str) -> str:
        files = self._made.files() if _is_below(path, ROOT) and not _is_below(path, NOTES) else []
        files += [(_path_of(note), len(note.text.encode())) for note in self._notes.all()]
        inside = [(file, size) for file, size in files if file.startswith(f'{path}/')]
        if not inside and path not in (ROOT, NOTES, f'{ROOT}/lessons'):
            raise _Problem(f'The path {path} does not exist. Please provide a valid path.')
        sizes: Dict[str, int] = {path: 0}
        if path == ROOT:
            sizes[NOTES] = sizes[f'{ROOT}/lessons'] = 0
        for file, size in inside:
            names = file[len(path) + 1 :].split('/')
            sizes[path] += size
            for depth in range(1, min(len(names), _DEPTH_SHOWN) + 1):
                shown = '/'.join([path, *names[:depth]])
                sizes[shown] = sizes.get(shown, 0) + size
        rows = [f'{_human_size(size)}\t{shown}' for shown, size in sorted(sizes.items())]
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        return '\n'.join([head, *rows])

    def _note(self, path: str, absent: str) -> Note:
        """The note that is to be changed."""
        note = self._notes.find(_file(path))
        if note is None:
            raise _Problem(absent)
        return note

    def _below(self, path: str) -> List[Note]:
        """The note at a path, or those below it, all of which may be changed."""
        if path != NOTES:
            _file(path)
        return [note for note in self._notes.all() if _is_below(_path_of(note), path)]

    def _check_room(self, path: str, file: str, exists: str) -> None:
        """Whether a note may come to be there."""
        for part in file.split('/'):
            if part.startswith('.') or part == 'node_modules':
                raise _Problem(f'Error: {path} would be hidden: {part!r} is not listed; take another name')
        for note in self._notes.all():
            if _is_below(note.file, file):
                raise _Problem(exists)
            if file.startswith(f'{note.file}/'):
                raise _Problem(f'Error: {_path_of(note)} is a file, and no directory for {path}')


def _path_of(note: Note) -> str:
    return f'{NOTES}/{note.file}'


def _is_below(path: str, folder: str) -> bool:
    """Whether a path is that of a folder, or inside it."""
    return path == folder or path.startswith(f'{folder}/')


def _path(command: Mapping[str, Any], parameter: str) -> str:
    """A path below /memories that can be read in one way only."""
    path = _text_of(command, parameter)
    if not _is_below(path, ROOT):
        raise _Problem(f'Error: Invalid path: {path!r}. It must start with {ROOT}')
    path = path[:-1] if path.endswith('/') else path
    if len(path) > PATH_CHARS_MAX:
        raise _Problem(
            f'Error: Invalid path: it has {len(path)} characters, and at most {PATH_CHARS_MAX} are allowed'
        )
    escaped = any(len(part) >= 2 and _HEX.issuperset(part[:2]) for part in path.split('%')[1:])
    if escaped or '\\' in path or not path.isprintable():
        raise _Problem(f'Error: Invalid path: {path!r}. It has an escape, a backslash or a control character')
    if any(part in ('', '.', '..') for part in path[1:].split('/')):
        raise _Problem(f'Error: Invalid path: {path!r}. It has an empty part, . or ..')
    return path


def _file(path: str) -> str:
    """The name of the note at a path that is to be changed."""
    if path.startswith(f'{NOTES}/'):
        return path[len(NOTES) + 1 :]
    if path == NOTES:
        raise _Problem(f'Error: {path} is a directory')
    if path == f'{ROOT}/limits.md' or _is_below(path, f'{ROOT}/lessons'):
        raise _Problem(
            f"Error: {path} is made out of the robot's memory and cannot be changed; write below {NOTES}"
        )
    raise _Problem(f'Error: {path} cannot be written; write below {NOTES}, as {NOTES}{path[len(ROOT) :]}')


def _text_of(command: Mapping[str, Any], parameter: str, default: Optional[str] = None) -> str:
    value = command.get(parameter)
    value = default if value is None else value
    if not isinstance(value, str):
        raise _Problem(f'Error: {parameter}: must be a text, got {type(value).__name__}')
    return value


def _storable(text: str) -> str:
    """A text that a note can hold."""
    problem = Notes.problem(text)
    if problem:
        raise _Problem(f'Error: {problem}')
    return text


def _lines(text: str) -> List[str]:
    """The lines of a file; a line break at its end begins none."""
    lines = text.split('\n')
    return lines[:-1] if lines[-1] == '' else lines


def _numbered(lines: List[str], first: int, last: int) -> str:
    return '\n'.join(f'{number + 1:6}\t{lines[number]}' for number in range(first, last))


def _view_range(given: Any, count: int) -> Tuple[int, int]:
    """Which lines are asked for, from 0, without the last."""
    if given is None:
        return 0, count
    is_range = isinstance(given, (list, tuple)) and len(given) == 2
    if not is_range or not all(isinstance(number, int) for number in given):
        raise _Problem(f'Error: Invalid `view_range` parameter: {given}. It should be two line numbers')
    first, last = given[0], count if given[1] == -1 else min(given[1], count)
    if not 1 <= first <= max(last, 1):
        raise _Problem(
            f'Error: Invalid `view_range` parameter: {given}. It should be within the range of lines of the file: '
            f'[1, {count}]'
        )
    return first - 1, last


def _occurrences(text: str, part: str) -> List[int]:
    """Where a part begins, also where it overlaps itself."""
    found: List[int] = []
    start = text.find(part) if part else -1
    while start >= 0:
        found.append(start)
        start = text.find(part, start + 1)
    return found


def _human_size(size: int) -> str:
    """As du prints it: 5.5K."""
    if size < 1024:
        return f'{size}B' if size else '0'
    return f'{size / 1024:.1f}K' if size < 1024 * 1024 else f'{size / 1024 / 1024:.1f}M'
