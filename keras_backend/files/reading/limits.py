"""The border of reading: regular files only, a budget of memory and time, a process of its own, one kind of error.

Configurations as text, JSON or YAML, are read here into plain data, as deep as the border allows.
"""

import contextlib
import json
import os
import re
import stat
import subprocess
import sys
import time
from importlib import import_module
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Union

from ...basics.installed import requirement
from ...errors import ConfigError, ExcessiveFileError, KerasBackendError, UnreadableFileError
from ..structure import OF_DATA, in_short

# -- errors ------------------------------------------------------------------------------------------------------------
# Where all that goes wrong while a file is read becomes an error of ours.


@contextlib.contextmanager
def border(path: str) -> Iterator[None]:
    """Let what a file makes go wrong end in UnreadableFileError. path: the file, for errors.

    Errors of ours pass, and so do ImportError, of a library that is not installed, and OSError of the system, where a
    file is not there or may not be read. Those for damage name no file.
    """
    try:
        yield
    except KerasBackendError:
        raise
    except OF_DATA as error:
        if isinstance(error, OSError) and error.filename is not None:
            if not isinstance(error, FileNotFoundError) or error.filename == path:
                raise
            raise UnreadableFileError(f'{path} has no part {error.filename}.') from error
        raise UnreadableFileError(f'{path} cannot be read: {in_short(error)}') from error


# -- the budget --------------------------------------------------------------------------------------------------------
# What the reading of one file may take: memory and time, counted before they are used.
#
# A file of some kilobytes can ask for gigabytes, or for hours. So what it asks for is counted, and the most of it
# follows from the bytes that the file has on the disk. A large file may ask for more than a small one.


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
        self.again()

    def again(self) -> None:
        """Start to count anew, for what is made of the file later."""
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
        detail = f' ({asks})' if asks else ''
        more = f'{10 * self._times:.12g}'
        return ExcessiveFileError(
            f'{self.path}{detail} asks for more than {int(self._most[name]):,} {LIMITS[name].what}, which is the most '
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


# -- regular files -----------------------------------------------------------------------------------------------------
# Files and parts of folders, opened only where they are regular files that lie where they say.
#
# A pipe waits without end, a device has no end, and a link leads to a file that nobody meant to give.


# Without it, opening a pipe waits for somebody to write. Windows has neither the pipes nor the word.
_FLAGS = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0) | getattr(os, 'O_BINARY', 0) | getattr(os, 'O_CLOEXEC', 0)


def opened(path: str) -> BinaryIO:
    """The file at a path, open. Errors: UnreadableFileError, if it is a pipe, a device or a socket. OSError."""
    check(path)
    number = os.open(path, _FLAGS)
    try:
        _check_kind(os.fstat(number).st_mode, path)
        return os.fdopen(number, 'rb')
    except BaseException:  # whatever happens, the file does not stay open
        os.close(number)
        raise


def check(path: str) -> None:
    """Refuse what is no regular file. Errors: UnreadableFileError, OSError."""
    _check_kind(os.stat(path).st_mode, path)


def _check_kind(mode: int, path: str) -> None:
    if not stat.S_ISREG(mode):
        kinds = [
            ('a pipe', stat.S_ISFIFO), ('a device', stat.S_ISCHR), ('a device', stat.S_ISBLK),
            ('a socket', stat.S_ISSOCK), ('a folder', stat.S_ISDIR),
        ]  # fmt: skip
        kind = next((name for name, is_kind in kinds if is_kind(mode)), 'something else')
        raise UnreadableFileError(f'{path} is no file, but {kind}. Only files are read.')


def content(path: str, budget: Budget, name: str = 'bytes') -> bytes:
    """All bytes of a file. name: what they count as. Errors: ExcessiveFileError, UnreadableFileError, OSError."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        budget.spend(name, size, '' if path == budget.path else os.path.basename(path))
        return file.read(size)


def part(folder: str, *names: str) -> str:
    """The path of a part of a folder. Error: UnreadableFileError, if a link leads out of the folder."""
    path, root = os.path.join(folder, *names), os.path.realpath(folder)
    target = os.path.realpath(path)
    if not any([target.startswith(os.path.join(allowed, '')) for allowed in [root, *_blobs(root)]]):
        raise UnreadableFileError(
            f'{path} is a link to {target}, which is outside of the folder and is not read. If you trust it, copy the '
            f'folder with what its links lead to: cp -rL {folder} copy.'
        )
    return path


def _blobs(root: str) -> List[str]:
    """Where the cache of Hugging Face keeps the files of a model: its folders `snapshots/REVISION` are links there."""
    above, _, _ = root.rpartition(os.sep + 'snapshots' + os.sep)
    blobs = os.path.join(above, 'blobs')
    return [blobs] if above and os.path.realpath(blobs) == blobs else []


def stored_size(path: str) -> int:
    """The bytes that a file has on the disk. Holes in a file are none. Errors: UnreadableFileError, OSError."""
    with opened(path) as file:
        about = os.fstat(file.fileno())
        # A file that takes a small part of its length has holes, or lies on a disk that packs or does not say it.
        if 20 * 512 * getattr(about, 'st_blocks', about.st_size) < about.st_size and hasattr(os, 'SEEK_DATA'):
            return _without_holes(file.fileno(), about.st_size)
        return about.st_size


def _without_holes(number: int, size: int) -> int:
    stored = offset = 0
    while offset < size:
        try:
            start = os.lseek(number, offset, os.SEEK_DATA)
        except OSError:  # no data behind this place
            break
        offset = os.lseek(number, start, os.SEEK_HOLE)
        stored += offset - start
    return stored


# -- a process of its own ----------------------------------------------------------------------------------------------
# A file that is read in a process of its own first: HDF5, a library in C, can loop or end its process at damage.


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


def check_separately(
    path: str, limit: Any, weights: Optional[str], engine: Optional[str], budget: Optional[float]
) -> None:
    """Read a file in another process, and let go of what was read. limit: the seconds that it may take.

    weights, engine, budget: as of `read`. Errors: UnreadableFileError, if it takes longer, or ends the process.
    ConfigError, if limit is no number above 0.
    """
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 < limit < 1e9:
        raise ConfigError(
            f'The argument limit is {limit!r}, and it has to be a number of seconds above 0.', 'limit', limit
        )
    weights = None if weights is None else os.fspath(weights)
    arguments = json.dumps([path, [weights, engine, budget], [folder or os.getcwd() for folder in sys.path]])
    # The engine of the program takes longer to import, and reading needs none.
    environment = {**os.environ, 'KERAS_BACKEND': 'numpy', 'KERAS_BACKEND_QUIET': '1'}
    try:
        status = subprocess.call(
            [sys.executable, '-c', _PROGRAM, arguments],
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


# -- text --------------------------------------------------------------------------------------------------------------
# Configurations as text, JSON or YAML, read into plain data: dicts, lists, text, numbers.

# Models lie in models, and take three levels each.
DEEPEST = 250
# Python takes the square of the length of a number. No float has more digits.
MOST_DIGITS = 309
# Classes around plain data, in the YAML of tf.keras 1.13 to 2.4: a list, a shape, and a size in it.
_WRAPPERS = re.compile(r'tensorflow\.python\.[\w.]+\.(ListWrapper|TensorShape|Dimension)')


def from_json(text: str, budget: Budget) -> Any:
    """The data of a JSON text. Its entries are counted before they are made.

    Errors: UnreadableFileError, ExcessiveFileError.
    """
    budget.spend('texts', len(text))
    # Commas and brackets in strings count, too, which are few. A dict takes four times what a number takes.
    budget.spend('entries', text.count(',') + 2 * text.count('[') + 4 * text.count('{'))
    try:
        config = json.loads(text, parse_int=_integer)
    except (ValueError, RecursionError) as error:  # no JSON; brackets without end
        raise UnreadableFileError(f'The configuration in {budget.path} is no JSON: {error}') from None
    _check_depth(config, budget)
    return config


def from_json_in_json(text: str, budget: Budget) -> Any:
    """The data of a JSON text that is written as a text of JSON. Errors: as of `from_json`."""
    inside = from_json(text, budget)
    if not isinstance(inside, str) or inside.lstrip()[:1] not in ('{', '['):
        raise UnreadableFileError(f'{budget.path} is a text of JSON, and no configuration is in it.')
    return from_json(inside, budget)


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f'it has a number of {len(digits)} digits')
    return int(digits)


def _check_depth(value: Any, budget: Budget) -> None:
    """Refuse what is nested deeper than the functions that walk through it may call each other."""
    level = [value]
    for _ in range(DEEPEST):
        level = [item for entry in level if isinstance(entry, (dict, list)) for item in _items(entry)]
        if not level:
            return
    raise UnreadableFileError(f'The configuration in {budget.path} is nested more than {DEEPEST} deep.')


def _items(entry: Any) -> Iterator[Any]:
    return iter(entry.values() if isinstance(entry, dict) else entry)


def from_yaml(text: str, budget: Budget) -> Any:
    """The data of a YAML text. Of the objects of Python, tuples, text and lists of tf.keras are read, and no others.

    Errors: ImportError, if PyYAML is not installed. UnreadableFileError, ExcessiveFileError.
    """
    try:
        yaml = import_module('yaml')
    except ImportError as error:
        raise ImportError(
            f'Configurations in YAML need PyYAML; type: pip install "{requirement("files")}". ({error})'
        ) from error
    budget.spend('texts', len(text))
    # Each entry needs one of these, and takes a kilobyte until it is a value.
    budget.spend('entries', 12 * sum([text.count(sign) for sign in '\n,:-?[{']))
    try:
        config = yaml.load(text, _loader(yaml))
        return _unfolded(config, budget)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a value that is none; lists in lists without end
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f'The configuration in {budget.path} is no YAML of plain data: {error}') from None


def _loader(yaml: Any) -> Any:
    """The class of a loader of plain data and the two tags that Keras writes. The loader in C is faster by far."""

    class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):  # type: ignore[misc]
        def flatten_mapping(self, node: Any) -> None:
            if any([key.tag == 'tag:yaml.org,2002:merge' for key, _ in node.value]):
                raise ValueError('it merges mappings, which Keras never writes')
            super().flatten_mapping(node)

        def construct_number(self, node: Any) -> Any:
            if len(node.value) > MOST_DIGITS:
                raise ValueError(f'it has a number of {len(node.value)} digits')
            whole = node.tag.endswith(('int', 'long'))
            return self.construct_yaml_int(node) if whole else self.construct_yaml_float(node)

        def construct_wrapped(self, suffix: str, node: Any) -> Any:
            """The list, the shape or the size that tf.keras wrote as an object around it. No object is made."""
            if not _WRAPPERS.fullmatch(suffix) or not isinstance(node, yaml.SequenceNode) or len(node.value) != 1:
                raise ValueError(f'it has the tag {suffix[:60]}, which is not read')
            return self.construct_object(node.value[0], deep=True)

    Loader.add_multi_constructor('tag:yaml.org,2002:python/object/apply:', Loader.construct_wrapped)
    Loader.add_constructor('tag:yaml.org,2002:python/tuple', Loader.construct_yaml_seq)
    for tag in ('unicode', 'str'):
        Loader.add_constructor(f'tag:yaml.org,2002:python/{tag}', Loader.construct_yaml_str)
    for tag in ('int', 'float', 'python/long'):
        Loader.add_constructor(f'tag:yaml.org,2002:{tag}', Loader.construct_number)
    return Loader


def _unfolded(value: Any, budget: Budget, depth: int = 0) -> Any:
    """A copy in which nothing is shared, so that no walk through it takes longer than its length says."""
    if depth > DEEPEST:
        raise ValueError(f'it is nested more than {DEEPEST} deep')
    if isinstance(value, dict):
        budget.spend('entries', 4 + len(value))
        return {key: _unfolded(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        budget.spend('entries', 2 + len(value))
        return [_unfolded(item, budget, depth + 1) for item in value]
    return value
