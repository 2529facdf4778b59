"""Errors that are not of this package, where a part of a file makes them: what they are, and what they say in short."""

import re
import struct
import zlib

# Anything may stand in the place of anything in a file, so any error of data may come of it. What is not an error of
# data is not here: a lack of memory, an interruption.
OF_DATA = (
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, NotImplementedError,
    RuntimeError, EOFError, OSError, AssertionError, struct.error, zlib.error,
)  # fmt: skip
_WIDTH = 300
# What Keras 3 puts around the message of an error in a layer: a line before it, and letters that make it bold.
_FRAMED = 'Exception encountered when calling '
_FRAME = re.compile(rf'\A{_FRAMED}.*|\x1b\[\d*m')


def in_short(error: BaseException) -> str:
    """The kind of an error and the first line of what it says."""
    lines = [line.strip() for line in _FRAME.sub('', str(error)).splitlines() if line.strip()]
    said = lines[0] if lines else ''
    return f'{type(error).__name__}: {said if len(said) <= _WIDTH else said[:_WIDTH] + "..."}'


def is_framed(error: BaseException) -> bool:
    """Whether a library has put its words around the message of an error, and so has made another error."""
    return str(error).startswith(_FRAMED)
