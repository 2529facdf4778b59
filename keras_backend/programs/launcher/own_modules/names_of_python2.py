"""What operators and functions of Python 2 computed, for the modules of a program that was written in it."""

import io
import math
import operator
from typing import Any


def divided(x: Any, y: Any) -> Any:
    """`x / y`: of whole numbers, rounded down."""
    return x // y if _is_whole(x) and _is_whole(y) else x / y


def divided_in_place(x: Any, y: Any) -> Any:
    """The value of `x` after `x /= y`."""
    return operator.ifloordiv(x, y) if _is_whole(x) and _is_whole(y) else operator.itruediv(x, y)


def _is_whole(value: Any) -> bool:
    """Whether this is a whole number, of Python or NumPy, or an array of NumPy with whole numbers."""
    if isinstance(value, int):
        return True
    return type(value).__module__ == 'numpy' and getattr(value, 'dtype', None) is not None and value.dtype.kind in 'iu'


def rounded(number: Any, ndigits: int = 0) -> Any:
    """`round`: halves are rounded away from zero, and the result is a float."""
    if not isinstance(number, (int, float)):
        return round(number, ndigits)
    nearest = round(float(number), ndigits)
    scale = 10.0**ndigits
    scaled = abs(number) * scale
    is_half = ndigits >= 0 and scaled - math.floor(scaled) == 0.5
    return math.copysign((math.floor(scaled) + 1) / scale, number) if is_half else nearest


class _Bytes(io.BufferedWriter):
    """A file that is open for bytes, and takes text."""

    def write(self, data: Any) -> int:
        """Write bytes or text."""
        return super().write(data.encode('utf-8', 'surrogateescape') if isinstance(data, str) else data)


class _Text(io.TextIOWrapper):
    """A file that is open for text, and takes bytes."""

    def write(self, data: Any) -> int:
        """Write text or bytes."""
        return super().write(data.decode('utf-8', 'surrogateescape') if isinstance(data, bytes) else data)


def opened(file: Any, mode: str = 'r', *args: Any, **options: Any) -> Any:
    """`open`: texts and bytes were one type, so a file to write takes both, and one to read holds any bytes."""
    if args or options or '+' in mode or not isinstance(mode, str):
        return open(file, mode, *args, **options)
    if 'w' in mode or 'a' in mode:
        raw = io.FileIO(file, mode.replace('b', '').replace('t', '').replace('U', ''))
        stream = _Bytes(raw)
        return stream if 'b' in mode else _Text(stream, 'utf-8', 'surrogateescape')
    if 'b' in mode:
        return open(file, mode.replace('U', ''))
    return open(file, mode.replace('U', ''), encoding='utf-8', errors='surrogateescape')
