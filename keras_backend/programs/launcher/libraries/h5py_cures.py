"""Cures for the changes of h5py 3."""

import functools
from types import ModuleType
from typing import Any


def bytes_of_attributes(h5py: ModuleType) -> str:
    """Read attributes of HDF5 files as bytes if they were stored as bytes, as before h5py 3."""
    import numpy

    if h5py.version.version_tuple[0] < 3:
        return ''
    attributes = h5py.AttributeManager
    read = attributes.__getitem__
    if hasattr(read, '_of_launcher'):
        return ''

    @functools.wraps(read)
    def getitem(self: Any, name: Any) -> Any:
        value = read(self, name)
        if isinstance(value, numpy.ndarray) and not value.size and str(name).endswith('_names'):
            return value.astype('S1')  # an empty list has no dtype of its own
        strings = h5py.check_string_dtype(self.get_id(name).dtype)
        # Bytes are stored as ASCII, and text as UTF-8. h5py 3 reads both as text, and Keras decodes what it stored.
        if strings is None or strings.encoding != 'ascii':
            return value
        if isinstance(value, str):
            return value.encode('utf-8', 'surrogateescape')
        if isinstance(value, numpy.ndarray) and value.dtype.kind == 'O':
            encoded = [item.encode('utf-8', 'surrogateescape') for item in value.ravel()]
            return numpy.array(encoded, 'S').reshape(value.shape)
        return value

    getitem._of_launcher = True  # type: ignore[attr-defined]
    attributes.__getitem__ = getitem
    return 'h5py.AttributeManager.__getitem__'


def arrays_of_text(h5py: ModuleType) -> str:
    """Store arrays of text in attributes. Keras 2.3 gives one for a layer that has two weights of one name."""
    import numpy

    attributes = h5py.AttributeManager
    write = attributes.__setitem__
    if hasattr(write, '_of_launcher'):
        return ''

    @functools.wraps(write)
    def setitem(self: Any, name: Any, value: Any) -> None:
        array = numpy.asarray(value) if isinstance(value, (list, tuple, numpy.ndarray)) else None
        write(self, name, numpy.char.encode(array, 'utf-8') if array is not None and array.dtype.kind == 'U' else value)

    setitem._of_launcher = True  # type: ignore[attr-defined]
    attributes.__setitem__ = setitem
    return 'h5py.AttributeManager.__setitem__'


def file_mode(h5py: ModuleType) -> str:
    """Let `h5py.File(path)` open a file for reading and writing, or make the file, as before h5py 3."""
    if h5py.version.version_tuple[0] < 3 or hasattr(h5py.File.__init__, '_of_launcher'):
        return ''
    init = h5py.File.__init__

    @functools.wraps(init)
    def with_mode(self: Any, name: Any, mode: Any = 'a', *args: Any, **kwargs: Any) -> None:
        if mode is None:
            mode = 'a'
        init(self, name, mode, *args, **kwargs)

    with_mode._of_launcher = True  # type: ignore[attr-defined]
    h5py.File.__init__ = with_mode
    return "h5py.File(path) as h5py.File(path, 'a')"


def dataset_value(h5py: ModuleType) -> str:
    """Give back `dataset.value`, all values of a dataset. h5py 3 removed it."""
    if hasattr(h5py.Dataset, 'value'):
        return ''
    h5py.Dataset.value = property(lambda self: self[()], doc='All values of the dataset, as `dataset[()]`.')
    return 'h5py.Dataset.value'


def file_id(h5py: ModuleType) -> str:
    """Give back `h5py.File.fid`, the low-level file. h5py 3 has it as `id` only."""
    if hasattr(h5py.File, 'fid'):
        return ''
    h5py.File.fid = property(lambda self: self.id, doc='The low-level file, as `id`.')
    return 'h5py.File.fid'
