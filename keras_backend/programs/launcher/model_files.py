"""Which Keras wrote a model file, found without reading the model."""

import json
import os
import zipfile
from importlib import import_module
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence

SAVED_MODEL = 'saved_model.pb'


class Writer(NamedTuple):
    """version: of Keras, '' where the file does not say it. engine: of that Keras, '' likewise. config: the text of the
    configuration of an HDF5 file.
    """

    version: str
    engine: str = ''
    config: str = ''


def of_the_program(registered: Mapping[str, Any], packages: Sequence[str]) -> Dict[str, Any]:
    """Registered classes and functions, by their names without packages, but for those of `packages`."""
    return {
        name.rpartition('>')[2]: value
        for name, value in registered.items()
        if str(getattr(value, '__module__', '')).partition('.')[0] not in packages
    }


def writer(path: Any) -> Optional[Writer]:
    """The Keras that wrote a model file; None for a path with no model of Keras.

    The folder of a SavedModel has the version ''. The files themselves are checked when they are read.
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    path = os.fspath(path)
    if os.path.isdir(path):
        return Writer('') if os.path.exists(os.path.join(path, SAVED_MODEL)) else None
    if not os.path.isfile(path):
        return None
    try:
        budget = import_module('keras_backend.files.reading.limits').Budget(path, os.path.getsize(path))
        if zipfile.is_zipfile(path):
            archive = import_module('keras_backend.files.reading.archive')
            metadata = json.loads(archive.parts(path, budget, [archive.METADATA])[archive.METADATA].decode('utf-8'))
            return Writer(str(metadata.get('keras_version') or ''))
        hdf5 = import_module('keras_backend.files.reading.hdf5')
        with hdf5.Reader(path, path, budget) as reader:
            config = reader.attribute('', 'model_config')
            if config is None:
                return None
            version, engine = [str(hdf5.said_of_writer(reader, name)) for name in ('keras_version', 'backend')]
            return Writer(version, engine, config if isinstance(config, str) else '')
    except (ImportError, OSError, ValueError, KeyError):  # the program gets what its Keras says of such a file
        return None
