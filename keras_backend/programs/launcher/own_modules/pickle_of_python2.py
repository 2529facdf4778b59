"""`pickle` for programs of Python 2: it reads what Python 2 has written, and takes files that are open as text."""

import pickle
from typing import Any

globals().update({name: value for name, value in vars(pickle).items() if not name.startswith('__')})


def load(file: Any, **options: Any) -> Any:
    """`pickle.load`: where a text of Python 2 is no ASCII, each of its bytes is a letter."""
    stream = _of_bytes(file)
    if options or not (hasattr(stream, 'seekable') and stream.seekable()):
        return pickle.load(stream, **(options or {'encoding': 'latin1'}))
    start = stream.tell()
    try:
        return pickle.load(stream)
    except UnicodeDecodeError:
        stream.seek(start)
        return pickle.load(stream, encoding='latin1')


def loads(data: Any, **options: Any) -> Any:
    """`pickle.loads`, as `load`."""
    if isinstance(data, str):
        data = data.encode('latin1')
    try:
        return pickle.loads(data, **options)
    except UnicodeDecodeError:
        return pickle.loads(data, encoding='latin1')


def dump(obj: Any, file: Any, *args: Any, **options: Any) -> None:
    """`pickle.dump`."""
    pickle.dump(obj, _of_bytes(file), *args, **options)


def _of_bytes(file: Any) -> Any:
    """The file of bytes below one that is open as text."""
    if not hasattr(file, 'encoding') or not hasattr(file, 'buffer'):
        return file
    file.flush()
    return file.buffer
