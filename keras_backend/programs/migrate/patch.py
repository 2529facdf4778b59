"""Changed files as a unified diff of their bytes."""

import difflib
import os
from typing import List, NamedTuple, Sequence


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
    changed = [one for one in files if one.old != one.new]
    start = base([one.path for one in changed]) if changed else ''
    found = b''
    for one in changed:
        name = os.path.relpath(os.path.realpath(one.path), os.path.realpath(start)).replace(os.sep, '/')
        names = [os.fsencode(f'{side}/{name}') + (b'\t' if ' ' in name else b'') for side in 'ab']
        lines = difflib.diff_bytes(difflib.unified_diff, _lines(one.old), _lines(one.new), names[0], names[1])
        found += b''.join(_whole(line) for line in lines)
    return found


def _lines(data: bytes) -> List[bytes]:
    """Lines as `patch` reads them: a carriage return alone ends none."""
    return [line + b'\n' for line in data.split(b'\n')[:-1]] + ([data.split(b'\n')[-1]] if data[-1:] != b'\n' else [])


def _whole(line: bytes) -> bytes:
    return line if line.endswith(b'\n') else line + b'\n\\ No newline at end of file\n'
