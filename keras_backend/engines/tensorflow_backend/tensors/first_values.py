"""The first values of variables, for as long as a session may ask for them, and in memory once at most.

A large array is written to a temporary file as soon as its variable has it: a later session, or an initializer that the
program runs again, reads it from there.
"""

import tempfile
import threading
from typing import Any, Callable, Optional

import numpy as np


class FirstValue:
    """A first value that is made when it is asked for."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.array = make

    def release(self) -> None:
        """Keep no array in memory."""


class LargeFirstValue(FirstValue):
    """An array that is kept, in the end in `file`."""

    def __init__(self, array: Any, file: 'ArrayFile') -> None:
        super().__init__(self._read)
        self._array, self._file, self._place = array, file, 0
        self._dtype, self._shape = array.dtype, array.shape

    def _read(self) -> Any:
        array = self._array
        return array.copy() if array is not None else self._file.read(self._place, self._dtype, self._shape)

    def release(self) -> None:
        if self._array is not None:
            place = self._file.write(self._array)
            if place is not None:
                self._place, self._array = place, None


class ArrayFile:
    """A temporary file of arrays, which goes when nothing refers to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: Any = None

    def write(self, array: Any) -> Optional[int]:
        """The place where the array stands now, None where there is no room for it."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile()
                place: int = self._file.seek(0, 2)
                array.tofile(self._file)
                self._file.flush()
            except OSError:
                return None
            return place

    def read(self, place: int, dtype: Any, shape: Any) -> Any:
        with self._lock:
            self._file.seek(place)
            return np.fromfile(self._file, dtype, int(np.prod(shape))).reshape(shape)
