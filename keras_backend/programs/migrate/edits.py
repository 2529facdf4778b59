"""The changes of a file: found, made, looked for again until there are none, and told as a diff."""

import difflib
import io
import os
import re
from typing import List, NamedTuple, Sequence, Set, Tuple

from .code import Change, Code
from .documents import Document
from .rules import judge

# So often the changed text is read again. Changes that do not meet are made in one go.
MOST = 8
_END = re.compile(r'\r\n|\r|\n')


class Result(NamedTuple):
    """What becomes of a file.

    Attributes
    ----------
    cells : list of str
        The new code.
    changes : list of Change
        What was changed, with the lines of the file as it was.
    left : list of Change
        What a person has to decide.
    """

    cells: List[str]
    changes: List[Change]
    left: List[Change]


def migrated(document: Document, route: str, inside_keras: bool = False, keep_keras_1: bool = False) -> Result:
    """The file with all changes of a route made.

    Parameters
    ----------
    document : Document
        The file.
    route : str
        'keras2', 'keras3' or 'import'.
    inside_keras : bool
        Whether K goes inside Keras 3 on the way 'import'.
    keep_keras_1 : bool
        Leave out what Keras 1 does not read.

    Returns
    -------
    Result
        The new code. It is the old code if Python cannot read it.
    """
    cells = list(document.cells)
    changes: List[Change] = []
    left: List[Change] = []
    text = '\n'.join(cells)
    origins = list(range(1, len(_END.findall(text)) + 2))
    for _ in range(MOST):
        proposed = list(judge(Code('\n'.join(cells), document.reading(cells), route, inside_keras)))
        proposed = [change for change in proposed if not (keep_keras_1 and change.to_keras_2)]
        left = [change._replace(line=_origin(origins, change.line)) for change in proposed if not change.spans]
        accepted, spans = _together([change for change in proposed if change.spans])
        new = _applied(cells, spans)
        if not accepted or not document.reads(new):
            break
        changes += [change._replace(line=_origin(origins, change.line)) for change in accepted]
        origins = _moved('\n'.join(cells), spans, origins)
        cells = new
    changes.sort(key=lambda change: change.line)
    return Result(cells, changes, sorted(set(left), key=lambda change: change.line))


def _origin(origins: List[int], line: int) -> int:
    return origins[min(line, len(origins)) - 1]


Span = Tuple[int, int, str]


def _together(changes: List[Change]) -> Tuple[List[Change], List[Span]]:
    """The changes that do not meet another one before them, and their places in order."""
    accepted: List[Change] = []
    taken: Set[Span] = set()
    for change in changes:
        if not any(_meet(span, other) for span in change.spans for other in taken if span != other):
            accepted.append(change)
            taken |= set(change.spans)
    return accepted, sorted(taken)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _applied(cells: List[str], spans: List[Span]) -> List[str]:
    """The cells with new text at some places of the cells together."""
    edited, start = [], 0
    for cell in cells:
        end = start + len(cell)
        own = [span for span in spans if start <= span[0] and span[1] <= end]
        for first, last, new in reversed(own):
            cell = cell[: first - start] + new + cell[last - start :]
        edited.append(cell)
        start = end + 1
    return edited


def _moved(text: str, spans: List[Span], origins: List[int]) -> List[int]:
    """The first line of the file for each line of the changed text."""
    lines, position, line = [origins[0]], 0, 0
    for start, end, new in [*spans, (len(text), len(text), '')]:
        for _ in _END.findall(text[position:start]):
            line += 1
            lines.append(origins[line])
        lines += [origins[line]] * len(_END.findall(new))
        line += len(_END.findall(text[start:end]))
        position = end
    return lines


# -- the diff ----------------------------------------------------------------------------------------------------------
# Changed files as a unified diff of their bytes.


class Changed(NamedTuple):
    """A file: its path, its bytes, and its new bytes."""

    path: str
    old: bytes
    new: bytes


def base(paths: Sequence[str]) -> str:
    """The folder that the paths of a diff start from: the current one if all files lie below it."""
    here = os.getcwd()
    if all(os.path.realpath(path).startswith(os.path.realpath(here) + os.sep) for path in paths):
        return here
    return os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths])


def diff(files: Sequence[Changed]) -> bytes:
    """The diff of files that `patch -p1` and `git apply` take in the folder of `base`. b'' without a change."""
    changed = [file for file in files if file.old != file.new]
    start = base([file.path for file in changed]) if changed else ''
    patch = b''
    for file in changed:
        name = os.path.relpath(os.path.realpath(file.path), os.path.realpath(start)).replace(os.sep, '/')
        names = [os.fsencode(f'{side}/{name}') + (b'\t' if ' ' in name else b'') for side in 'ab']
        lines = difflib.diff_bytes(difflib.unified_diff, _lines(file.old), _lines(file.new), names[0], names[1])
        patch += b''.join(_whole(line) for line in lines)
    return patch


def _lines(data: bytes) -> List[bytes]:
    """Lines as `patch` reads them: a carriage return alone ends none."""
    return list(io.BytesIO(data))


def _whole(line: bytes) -> bytes:
    return line if line.endswith(b'\n') else line + b'\n\\ No newline at end of file\n'
