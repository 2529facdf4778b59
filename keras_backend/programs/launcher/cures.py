"""Cures: what a launcher changes for older programs, and how `--explain` tells it.

A cure is a function. It takes the module that it changes, and returns the names of what it changed, or '' if there was
nothing to do. It is applied when the program imports that module. No module is imported only to be cured.
"""

import contextlib
import functools
import json
import os
import sys
import warnings
import zipfile
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ...basics.tables import beside


class Cure(NamedTuple):
    """One cure: the module that it changes, the function that changes it, and the programs that need it."""

    module: str
    apply: Callable[[ModuleType], str]
    programs: str


def in_table(names: Mapping[str, Any]) -> Tuple[Cure, ...]:
    """The cures of `cures.json` beside a module, of whose names each row says one, or a function of one of them."""
    cures = []
    for row in beside(names['__file__'], 'cures.json'):
        name, _, function = row['cure'].partition('.')
        apply = getattr(names[name], function) if function else names[name]
        cures += [Cure(module, apply, row['programs']) for module in row['modules']]
    return tuple(cures)


# Name of a cure -> what it changed in this process.
applied: Dict[str, str] = {}


def name(cure: Cure) -> str:
    """The name of a cure: the name of its file without '_cures', and the name of its function."""
    return f'{cure.apply.__module__.rpartition(".")[2].replace("_cures", "")}.{cure.apply.__name__}'


def action(cure: Cure) -> Callable[[ModuleType], None]:
    """A function that applies a cure to its module and notes what it changed."""

    def act(module: ModuleType) -> None:
        done = cure.apply(module)
        if done or name(cure) not in applied:
            applied[name(cure)] = done

    return act


def around(body: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Make `body(original, *args, **kwargs)` a function that takes an original function and stands around it.

    What `body` takes beside these is given once, after the original: `_with_ranks(model.fit, names)`.
    """

    @functools.wraps(body)
    def put(original: Callable[..., Any], *given: Any) -> Callable[..., Any]:
        @functools.wraps(original)
        def called(*args: Any, **kwargs: Any) -> Any:
            return body(original, *given, *args, **kwargs)

        return called

    return put


@contextlib.contextmanager
def being_true(flags: Any, name: str) -> Iterator[None]:
    """A context in which an attribute is True. flags: an object of one thread, as of `threading.local`."""
    before = getattr(flags, name)
    setattr(flags, name, True)
    try:
        yield
    finally:
        setattr(flags, name, before)


def replacing(owner: Any, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put the function below around `owner.name`, in its place. The function takes the original first."""

    def put(body: Callable[..., Any]) -> Callable[..., Any]:
        changed = around(body)(getattr(owner, name))
        setattr(owner, name, changed)
        return changed

    return put


def import_to_explain(modules: Iterable[str]) -> Any:
    """Import these modules in order, so that their cures are applied. Returns Keras, which alone has to be there."""
    for module in modules:
        try:
            import_module(module)
        except ImportError:
            if module == 'keras':
                raise
    return sys.modules['keras']


def explanation(headline: str, cures: Sequence[Cure]) -> str:
    """The text of `--explain`: what each cure did in this process, and which programs need it."""
    lines = [f'{headline}; Python {sys.version.split()[0]}', '']
    for cure in cures:
        done = applied.get(name(cure))
        state = 'not imported here' if done is None else done or 'nothing to do here'
        lines += [
            f'{name(cure)}: {(cure.apply.__doc__ or "").strip()}',
            f'    needed by: {cure.programs}',
            f'    here: {state}',
        ]
    return '\n'.join(lines)


# -- methods of models that went away ----------------------------------------------------------------------------------


def predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """The class of each sample: the largest of several numbers, or whether one number is over a half."""
    predictions = model.predict(x, batch_size=batch_size, verbose=verbose)
    return predictions.argmax(axis=-1) if predictions.shape[-1] > 1 else (predictions > 0.5).astype('int32')


# -- models of several GPUs --------------------------------------------------------------------------------------------
# `multi_gpu_model` of Keras 2 on a machine with too few GPUs: a model that computes the same on one device.


_warned: Set[str] = set()


def warn_once(message: str) -> None:
    """Give a warning, once in a process."""
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, stacklevel=3)


def on_one_device(model: Any) -> Any:
    """A model with the inputs and outputs of `model`, whose names and layers are those of the original."""
    layers, models = import_module('keras.layers'), import_module('keras.models')
    outputs = model(model.inputs if len(model.inputs) > 1 else model.inputs[0])
    several = isinstance(outputs, (list, tuple))
    # As in the original: the last layers have the names of the outputs, and the layer before them is the model.
    named = [
        layers.Lambda(lambda x: x, name=name)(output)
        for name, output in zip(model.output_names, outputs if several else [outputs])
    ]
    return models.Model(model.inputs, named if several else named[0])


# -- model files -------------------------------------------------------------------------------------------------------
# Which Keras wrote a model file, found without reading the model.


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
