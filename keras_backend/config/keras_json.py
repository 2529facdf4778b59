"""What each setting may be; and keras.json: its place, its values with their lines, trust, and how it is written."""

import errno
import json
import math
import os
import re
import stat
from collections import OrderedDict
from numbers import Real
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..engines.table import ENGINES
from ..errors import ConfigError

# -- values ------------------------------------------------------------------------------------------------------------
# The values that each setting may have. The file, the variable and calls share one sentence about them.

# The first-generation spelling of a data format -> the spelling of today.
DIM_ORDERINGS = {'th': 'channels_first', 'tf': 'channels_last'}

FLOATS = ('float16', 'float32', 'float64')
DATA_FORMATS = ('channels_last', 'channels_first')

# Characters of the name of an engine. Python finds a module by a recursion over the parts of its name.
LONGEST_NAME = 250

Check = Callable[[str, Any, str], Any]


def nearest(word: str, words: Sequence[str]) -> Optional[str]:
    """The word of `words` that was probably meant by `word`, or None."""
    import difflib

    matches = difflib.get_close_matches(word.strip().lower(), words, n=1, cutoff=0.7)
    return matches[0] if matches else None


def either(words: Iterable[str]) -> str:
    """The words as a choice: 'a', 'b' or 'c'."""
    quoted = [repr(word) for word in words]
    return ' or '.join(text for text in (', '.join(quoted[:-1]), quoted[-1]) if text)


def refusal(key: str, value: Any, source: str, accepted: str, meant: Optional[str] = None) -> ConfigError:
    """The ConfigError for a value that is not accepted."""
    shown = repr(value)
    if len(shown) > 80:
        shown = shown[:77] + '...'
    message = f'{source}: {key} is {shown}, but it must be {accepted}.'
    if meant is not None:
        message += f' Did you mean {meant!r}?'
    return ConfigError(message, key=key, value=value, source=source)


def one_of(words: Sequence[str], suggestions: Mapping[str, str]) -> Check:
    """A check that accepts exactly these words. `suggestions` maps other spellings to the word that was meant."""

    def check(key: str, value: Any, source: str) -> str:
        if isinstance(value, str) and value in words:
            return str(value)
        meant = None
        if isinstance(value, str):
            meant = suggestions.get(value) or nearest(value, words)
        raise refusal(key, value, source, either(words), meant)

    return check


def epsilon(key: str, value: Any, source: str) -> float:
    """A positive, finite number."""
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if 0 < number < math.inf:
            return number
    raise refusal(key, value, source, 'a positive number such as 1e-07')


def backend(key: str, value: Any, source: str) -> str:
    """A name without the blanks around it. The name of a built-in engine may have any letter case."""
    accepted = either(ENGINES) + ' or the dotted name of a module'
    if isinstance(value, str) and value.strip():
        name = value.strip()
        if len(name) > LONGEST_NAME:
            raise refusal(key, value, source, f'{accepted}, of at most {LONGEST_NAME} characters; it has {len(name)}')
        return name.lower() if name.lower() in ENGINES else name
    raise refusal(key, value, source, accepted)


# The key of keras.json that names the engine of K alone. Keras 3, and TensorFlow with it, read "backend" of the same
# file and fail on an engine that they do not have.
OWN_BACKEND = 'keras_backend'

CHECKS: Dict[str, Check] = {
    'backend': backend,
    OWN_BACKEND: backend,
    'floatx': one_of(FLOATS, {'float': 'float32', 'double': 'float64', 'half': 'float16'}),
    'epsilon': epsilon,
    'image_data_format': one_of(DATA_FORMATS, DIM_ORDERINGS),
    'image_dim_ordering': one_of(('tf', 'th'), {new: old for old, new in DIM_ORDERINGS.items()}),
}


# -- trust -------------------------------------------------------------------------------------------------------------
# Whether keras.json may name a module, which is code to run: only if nobody else could have written the file.


def danger(path: str, status: os.stat_result) -> Optional[str]:
    """The reason why the file at `path` must not name code to run, or None. `status` is that of the file.

    The file and the folders above it, up to the home of the user or to the root, have to belong to this user or to
    root, and nobody else may write them. ssh asks the same of its files.
    """
    if not hasattr(os, 'getuid'):
        return None
    if status.st_uid not in (os.getuid(), 0):
        return f'the file belongs to another user (uid {status.st_uid})'
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f'others may write the file (type: chmod go-w {path})'
    folder = os.path.dirname(os.path.realpath(path))
    # In a shared folder, such as /tmp, any user can make keras.json or .keras first.
    firsts = [folder] if os.path.basename(folder) != '.keras' else [folder, os.path.dirname(folder)]
    for directory in _folders(folder):
        try:
            reason = _danger_of_folder(directory, os.stat(directory), directory in firsts)
        except OSError:
            continue
        if reason is not None:
            return reason
    return None


def _folders(folder: str) -> Iterator[str]:
    """The folder and those above it, up to the home of the user or to the root."""
    home = os.path.realpath(os.path.expanduser('~'))
    while True:
        yield folder
        above = os.path.dirname(folder)
        if folder in (home, above):
            return
        folder = above


def _danger_of_folder(place: str, status: os.stat_result, is_first: bool) -> Optional[str]:
    if status.st_uid not in (os.getuid(), 0):
        return f'the folder {place} belongs to another user (uid {status.st_uid})'
    # In a sticky folder nobody can replace what belongs to others, and the folder below has been asked who owns it.
    protected = bool(status.st_mode & stat.S_ISVTX) and not is_first
    if status.st_mode & stat.S_IWOTH and not protected:
        return f'everybody may write in {place} (type: chmod o-w {place})'
    if status.st_mode & stat.S_IWGRP and not protected and not _is_own_group(status.st_gid):
        return f'others may write in {place} (type: chmod g-w {place})'
    return None


def _is_own_group(gid: int) -> bool:
    """Whether a group has this user as its only member, or root: many systems give each user such a group."""
    import grp  # absent on Windows, and seldom needed
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    is_own = group.gr_gid == 0 or (group.gr_gid == user.pw_gid and group.gr_name == user.pw_name)
    return is_own and set(group.gr_mem) <= {user.pw_name, 'root'}


# In the order that the documents of Keras have.
DEFAULTS = OrderedDict(
    [('image_data_format', 'channels_last'), ('epsilon', 1e-07), ('floatx', 'float32'), ('backend', 'tensorflow')]
)

WHITE = ' \t\r\n'

# Bytes of a settings file. A larger one is something else, and may not fit into memory.
LARGEST = 2**20

# A draft of keras.json lives for less than a second. One that is older than this belongs to a process that was killed.
DRAFT_SECONDS = 10


# start and end: the place of the value in the text.
class Item(NamedTuple):
    value: Any
    line: int
    start: int
    end: int


class SettingsFile:
    """A keras.json as it was read.

    Attributes: `path`; `items`, an ordered dict key -> Item; `danger`, the reason why the file must not name code to
    run, or None; `text`, `bom` (whether the file begins with a byte order mark), `mode` (its permissions) and `owner`
    (the numbers of its user and group; None where the system has no such).
    """

    def __init__(self, path: str, data: bytes, status: os.stat_result) -> None:
        self.path = path
        self.bom = data.startswith(b'\xef\xbb\xbf')
        self.mode = stat.S_IMODE(status.st_mode)
        self.owner = (status.st_uid, status.st_gid) if hasattr(os, 'chown') else None
        self.danger = danger(path, status)
        try:
            self.text = data.decode('utf-8-sig')
        except UnicodeDecodeError as error:
            line = data.count(b'\n', 0, error.start) + 1
            raise self._broken(line, f'byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8') from error
        self.items = self._parse()

    def _broken(self, line: Optional[int], what: str) -> ConfigError:
        source = self.source(line)
        return ConfigError(f'{source}: {what}.', source=source)

    def source(self, line: Optional[int] = None) -> str:
        """The name that messages give to the file, or to a line of it."""
        return self.path if line is None else f'{self.path}, line {line}'

    def _parse(self) -> Dict[str, Item]:
        example = ', for example {"backend": "numpy"}'
        if not self.text.strip():
            raise self._broken(None, f'the file is empty; it must hold a JSON object{example}, or not be there')
        try:
            whole = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise self._broken(
                error.lineno, f'not valid JSON ({error.msg} at column {error.colno}); it must hold an object{example}'
            ) from error
        except RecursionError:
            raise self._broken(None, 'nested too deeply for a settings file') from None
        except ValueError as error:  # an integer of more digits than Python reads
            raise self._broken(None, f'it holds a value that Python does not read ({error})') from None
        if not isinstance(whole, dict):
            kind = {list: 'a list', str: 'a string', type(None): 'null', bool: 'a truth value'}
            raise self._broken(
                None, f'holds {kind.get(type(whole), "a number")}, but it must hold a JSON object{example}'
            )
        return _items(self.text)

    @property
    def is_untouched(self) -> bool:
        """Whether the file says what Keras writes unasked. Then it tells nothing of anyone's wishes."""
        return {key: item.value for key, item in self.items.items()} == DEFAULTS

    def known(self) -> Dict[str, Item]:
        """The items that are settings of ours, in the order of the checks; without "backend" where our own key is."""
        ours = OWN_BACKEND in self.items
        return {key: self.items[key] for key in CHECKS if key in self.items and not (ours and key == 'backend')}

    def problems(self) -> List[ConfigError]:
        """A ConfigError for every value that is not accepted."""
        errors = []
        for key, item in self.known().items():
            try:
                CHECKS[key](key, item.value, self.source(item.line))
            except ConfigError as error:
                errors.append(error)
        return errors

    def misspelt(self) -> List[str]:
        """Sentences about unknown keys that look like a known one. Other unknown keys belong to other programs."""
        sentences = []
        for key, item in self.items.items():
            meant = None if key in CHECKS else nearest(key, list(CHECKS))
            if meant:
                sentences.append(
                    f'{self.source(item.line)}: the key {key!r} is unknown and was ignored; did you mean {meant!r}?'
                )
        return sentences

    def contradictions(self) -> List[str]:
        """Sentences about the two spellings of the data format, if the file has both and they disagree."""
        old, new = self.items.get('image_dim_ordering'), self.items.get('image_data_format')
        if old is None or new is None:
            return []
        if not isinstance(old.value, str) or DIM_ORDERINGS.get(old.value) == new.value:
            return []
        return [
            (
                f'{self.source(old.line)}: image_dim_ordering is {old.value!r} and was ignored, because '
                'image_data_format '
                f'is {new.value!r}.'
            )
        ]

    def edited(self, key: str, value: Any) -> bytes:
        """The bytes of the file with another value for `key`. All other bytes stay the same."""
        spelled = json.dumps(value)
        if key in self.items:
            item = self.items[key]
            text = self.text[: item.start] + spelled + self.text[item.end :]
        else:
            brace = self.text.index('{') + 1
            newline = '\r\n' if '\r\n' in self.text else '\n'
            entry = newline + '    ' + json.dumps(key) + ': ' + spelled
            text = self.text[:brace] + entry + (',' if self.items else newline) + self.text[brace:]
        return (b'\xef\xbb\xbf' if self.bom else b'') + text.encode('utf-8')


def _items(text: str) -> Dict[str, Item]:
    """The keys of a valid JSON object, with their places. The last of equal keys counts."""
    decoder = json.JSONDecoder()
    items: Dict[str, Item] = OrderedDict()

    def skip(position: int, white: str = WHITE) -> int:
        while text[position] in white:
            position += 1
        return position

    position = skip(text.index('{') + 1)
    while text[position] != '}':
        line = text.count('\n', 0, position) + 1
        key, position = decoder.raw_decode(text, position)
        start = skip(position, WHITE + ':')
        value, position = decoder.raw_decode(text, start)
        items[key] = Item(value, line, start, position)
        position = skip(position, WHITE + ',')
    return items


def location() -> str:
    """The path of keras.json: in the folder KERAS_HOME, or else in ~/.keras."""
    home = os.environ.get('KERAS_HOME', '').strip()
    folder = os.path.expanduser(home) if home else os.path.join(os.path.expanduser('~'), '.keras')
    return os.path.join(folder, 'keras.json')


def read(path: str) -> Optional[SettingsFile]:
    """The SettingsFile at `path`, or None if there is no file."""
    # Without O_NONBLOCK the import would wait forever if the path is a named pipe.
    flags = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0) | getattr(os, 'O_BINARY', 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if os.path.islink(path) and error.errno == errno.ENOENT:
            raise _unreadable(path, f'it is a link to {os.path.realpath(path)}, which is not there') from error
        # A folder that cannot be entered counts as absent. A file that exists and cannot be opened is an error.
        if not os.path.lexists(path):
            return None
        raise _unreadable(path, str(error.strerror)) from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise _unreadable(path, 'it is no regular file')
    with os.fdopen(handle, 'rb') as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise _unreadable(
            path, f'a settings file has at most {LARGEST} bytes, and it has {max(status.st_size, len(data))}'
        )
    return SettingsFile(path, data, status)


def _unreadable(path: str, why: str) -> ConfigError:
    return ConfigError(
        f'{path}: cannot be read ({why}). Correct the file, or set KERAS_HOME to another folder.', source=path
    )


def put(path: str, found: Optional[SettingsFile], key: str, value: Any) -> None:
    """Give `key` another value in the file at `path`, in one step. `found` is the SettingsFile at `path`, or None.

    A ConfigError says why the file could not be written. It is then as it was.
    """
    path = os.path.realpath(path)  # writes to the target of a link, so the link stays
    folder = os.path.dirname(path)
    try:
        if found is not None:
            _write(path, found.edited(key, value), found.mode, found.owner)
        else:
            os.makedirs(folder, exist_ok=True)
            _write(path, _spelled(OrderedDict(DEFAULTS, **{key: value})))
    except OSError as error:
        # Python says only "File exists" then.
        why = f'{folder} is no folder' if os.path.isfile(folder) else error.strerror or error
        raise ConfigError(
            f'{path}: cannot be written ({why}). Set KERAS_HOME to a folder that you can write, or '
            f'choose the engine for one run: KERAS_BACKEND={value}.',
            source=path,
        ) from error


def _spelled(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, indent=4) + '\n').encode('utf-8')


def _write(path: str, data: bytes, mode: int = 0o644, owner: Optional[Tuple[int, int]] = None) -> None:
    """Write `data` to a draft beside `path`, which then takes its place, so no reader sees half a file."""
    draft = f'{path}.{os.getpid()}.{os.urandom(4).hex()}'
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, 'O_BINARY', 0), mode)
    try:
        with os.fdopen(handle, 'wb') as stream:
            _remove_old_drafts(path, os.fstat(handle).st_mtime)
            stream.write(data)
            stream.flush()
            os.fsync(handle)
        # The file of another user stays theirs when root changes it.
        if owner is not None and owner != (os.stat(draft).st_uid, os.stat(draft).st_gid):
            os.chown(draft, *owner)
        os.replace(draft, path)
    finally:
        try:
            os.unlink(draft)
        except FileNotFoundError:
            pass


def _remove_old_drafts(path: str, now: float) -> None:
    """Remove what processes that were killed while they wrote left behind. `now` is by the clock of the folder."""
    folder, name = os.path.split(path)
    draft = re.compile(re.escape(name) + r'\.\d+\.[0-9a-f]{8}$')
    for entry in os.listdir(folder):
        try:
            if draft.match(entry) and now - os.stat(os.path.join(folder, entry)).st_mtime > DRAFT_SECONDS:
                os.unlink(os.path.join(folder, entry))
        except OSError:  # gone, or somebody else's
            pass
