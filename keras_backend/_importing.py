"""Whether an import of keras_backend asks for K or only for a part that needs no engine."""

import sys
from opcode import opmap
from types import FrameType
from typing import Optional, Tuple

PACKAGE = 'keras_backend'


def is_for_a_part() -> bool:
    """Whether this is `import keras_backend.x`, or `from keras_backend import x` where x is no name of K, or
    `python -m keras_backend`.
    """
    if getattr(sys, 'argv', [])[:1] == ['-m']:  # Python 3.6 sets it after it has imported sitecustomize
        return True
    frame: Optional[FrameType] = sys._getframe(1)
    importer = None
    while frame is not None:
        code = frame.f_code
        if 'importlib' not in code.co_filename:
            if importer is None and frame.f_globals.get('__name__') not in (PACKAGE, __name__):
                importer = frame
        elif code.co_name in ('_find_and_load', 'find_spec'):
            wanted = frame.f_locals.get('name') or frame.f_locals.get('fullname') or ''
            if wanted.startswith(PACKAGE + '.'):
                return True
        frame = frame.f_back
    names = () if importer is None else imported_names(importer)
    if not names or '*' in names:
        return False
    from .contract import CONTRACT

    return not any(name in CONTRACT for name in names)


def imported_names(frame: FrameType) -> Tuple[str, ...]:
    """The names after `import` where a frame stands in a `from ... import` statement."""
    # The import system is not told them, so they are read where the interpreter reads them: the constant that is loaded
    # right before IMPORT_NAME. An instruction is two bytes; EXTENDED_ARG holds the upper bytes of the next argument.
    code, at, extended = frame.f_code.co_code, frame.f_lasti, opmap['EXTENDED_ARG']
    while 0 <= at < len(code) - 2 and code[at] == extended:  # there old Pythons stand
        at += 2
    if at < 2 or code[at] != opmap['IMPORT_NAME']:
        return ()
    at -= 2
    while at >= 2 and code[at] == extended:
        at -= 2
    if code[at] != opmap['LOAD_CONST']:
        return ()
    index, shift = code[at + 1], 8
    while at >= 2 and code[at - 2] == extended:
        at -= 2
        index |= code[at + 1] << shift
        shift += 8
    names = frame.f_code.co_consts[index]
    return names if isinstance(names, tuple) else ()
