"""A file that is read in a process of its own first: HDF5, a library in C, can loop or end its process at damage."""

import json
import os
import subprocess
import sys
from typing import Any, Optional

from ...errors import ConfigError, UnreadableFileError

# An error of Python comes again where the file is read here. A library that is missing does, too.
_PROGRAM = """
import json, sys
path, arguments, places = json.loads(sys.argv[1])
sys.path[:] = places
from keras_backend.files.reading.read import read
try:
    read(path, *arguments)
except Exception:
    pass
"""


def check(path: str, limit: Any, weights: Optional[str], engine: Optional[str], budget: Optional[float]) -> None:
    """Read a file in another process, and let go of what was read. limit: the seconds that it may take.

    weights, engine, budget: as of `read`. Errors: UnreadableFileError, if it takes longer, or ends the process.
    ConfigError, if limit is no number above 0.
    """
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 < limit < 1e9:
        raise ConfigError(
            f'The argument limit is {limit!r}, and it has to be a number of seconds above 0.', 'limit', limit
        )
    weights = None if weights is None else os.fspath(weights)
    said = json.dumps([path, [weights, engine, budget], [place or os.getcwd() for place in sys.path]])
    # The engine of the program takes longer to import, and reading needs none.
    environment = {**os.environ, 'KERAS_BACKEND': 'numpy', 'KERAS_BACKEND_QUIET': '1'}
    try:
        status = subprocess.call(
            [sys.executable, '-c', _PROGRAM, said],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableFileError(
            f'{path} is not read within {limit:g} seconds, the limit. HDF5 can loop without end at damage. If the file '
            'is only large, give a higher limit.'
        ) from None
    if status:
        raise UnreadableFileError(
            f'{path} ends the process that reads it, with the status {status}. HDF5 can do that at damage.'
        )
