"""What the reading of one file may take: memory and time, counted before they are used.

A file of some kilobytes can ask for gigabytes, or for hours. So what it asks for is counted, and the most of it follows
from the bytes that the file has on the disk. A large file may ask for more than a small one.
"""

import os
import time
from typing import Dict, NamedTuple, Optional, Union

from ...errors import ConfigError, ExcessiveFileError

VARIABLE = 'KERAS_BACKEND_FILE_BUDGET'


class Limit(NamedTuple):
    """The most of something: `least` for any file, and `for_byte` more for each byte of the file."""

    least: int
    for_byte: float
    what: str


MB = 2**20
LIMITS: Dict[str, Limit] = {
    # Arrays as they lie in memory, parts of archives, keys and values of checkpoints. Zeros pack to a thousandth of
    # their size, weights of a model hardly at all, and pruned ones to a tenth.
    'bytes': Limit(64 * MB, 10, 'bytes of arrays'),
    # A layer takes 500 to 1000 bytes of JSON.
    'texts': Limit(16 * MB, 1 / 16, 'bytes of configurations'),
    # A layer has some 60 values. A value takes 60 to 250 bytes in memory.
    'entries': Limit(2000000, 1 / 64, 'entries of configurations'),
    # A chunk that is stored takes some 30 bytes beside its data. Keras itself writes arrays in one piece.
    'chunks': Limit(20000, 1 / 64, 'arrays and chunks of arrays'),
    # A name may lead through one group again and again. An array takes some hundred bytes, and lies a few groups deep.
    'steps': Limit(100000, 1 / 64, 'steps from group to group'),
    # Each call is work for K or Keras, however short the file says it: a model that is called again calls all its
    # layers.
    'calls': Limit(4000, 1 / 10000, 'calls of layers beyond those that it says one by one'),
    # The last resort, for what is not counted. Nothing that is read depends on it.
    'seconds': Limit(60, 1 / 100000, 'seconds of the processor'),
}
# `time.thread_time` came with Python 3.7.
_seconds = getattr(time, 'thread_time', time.process_time)


class Budget:
    """What is left to the reading of one file.

    path: the file, for errors. size: its bytes on the disk. times: how many times the usual limits are allowed.
    """

    def __init__(self, path: str, size: int, times: Optional[float] = None) -> None:
        """Start to count. times: None for what the environment says, which is 1 where it says nothing."""
        self.path, self.size = path, size
        self._times = _from_environment() if times is None else checked(times, 'the argument budget')
        self._most = {name: self._times * (limit.least + limit.for_byte * size) for name, limit in LIMITS.items()}
        self._used = dict.fromkeys(LIMITS, 0.0)
        self._start = _seconds()

    def spend(self, name: str, count: float, asks: str = '') -> None:
        """Count something before it is made. asks: the part of the file that asks for it.

        Error: ExcessiveFileError, if it is more than is left.
        """
        self._used[name] += count
        if self._used[name] > self._most[name]:
            raise self._exceeded(name, asks)
        if _seconds() - self._start > self._most['seconds']:
            raise self._exceeded('seconds', asks)

    def left(self, name: str) -> int:
        """How much of something is left."""
        return int(self._most[name] - self._used[name])

    def _exceeded(self, name: str, asks: str) -> ExcessiveFileError:
        place = f' ({asks})' if asks else ''
        more = f'{10 * self._times:.12g}'
        return ExcessiveFileError(
            f'{self.path}{place} asks for more than {int(self._most[name]):,} {LIMITS[name].what}, which is the most '
            f'for a file of {self.size:,} bytes. If you trust it, read it with '
            f'files.read(path, budget={more}), or set {VARIABLE}={more}: that allows ten times as much.',
            name,
            int(self._most[name]),
        )


def checked(times: Union[float, str], source: str) -> float:
    """How many times the usual limits are allowed. source: who says it.

    Error: ConfigError, if it is no number from 1.
    """
    try:
        number = float(times)
    except (TypeError, ValueError):  # no number at all, or a text that is none
        number = 0.0
    if not 1 <= number <= 1e9:
        raise ConfigError(
            f'{source} is {times!r}, and it has to be a number from 1 to 1e9: how many times the usual limits a model '
            'file may ask for.',
            'budget',
            times,
            source,
        )
    return number


def _from_environment() -> float:
    return checked(os.environ.get(VARIABLE) or 1.0, VARIABLE)
