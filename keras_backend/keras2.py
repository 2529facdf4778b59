"""Keras 2 (2.2.4, 2.3.1), as pip installs it, with our engines, on the Pythons and libraries of today.

    python -m keras_backend.keras2 train.py --epochs 3      runs a program that says `import keras`
    import keras_backend.keras2                             before `import keras`, does the same for this process

Keras then runs on the configured engine: `KERAS_BACKEND=numpy` is enough. And what programs of its time take for
granted is there: the abstract classes in `collections` and `inspect.getargspec`, which Python 3.10 and 3.11 took away;
names that NumPy 1.24 and 2.0 took away; bytes that come out of HDF5 attributes as bytes, as before h5py 3; and what
Keras has with its own engines only: `clear_session` and its like in `keras.backend` (2.3), and the shapes of what
`Lambda` layers give. See docs/legacy-keras.md.
"""
import collections
import collections.abc
import functools
import inspect
import os
import runpy
import sys
from collections import namedtuple
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, List

from . import _installed, loader
from .config import settings
from .contract import CONTRACT
from .errors import WrongKeras

# As NumPy spelt them; to the right, the names that they stood for.
OF_NUMPY = {'bool': bool, 'int': int, 'float': float, 'complex': complex, 'object': object, 'str': str,
            'float_': 'float64', 'complex_': 'complex128', 'string_': 'bytes_', 'unicode_': 'str_', 'Inf': 'inf',
            'Infinity': 'inf', 'infty': 'inf', 'NaN': 'nan', 'product': 'prod', 'cumproduct': 'cumprod',
            'alltrue': 'all', 'sometrue': 'any', 'in1d': 'isin', 'row_stack': 'vstack', 'trapz': 'trapezoid'}

USAGE = 'usage: python -m keras_backend.keras2 (PROGRAM.py | -m MODULE) [ARGUMENT ...]'


def _check_installed() -> None:
    version = _installed.version(['keras'])
    if version is None or not version.startswith('2.'):
        raise WrongKeras('keras_backend.keras2 needs Keras 2.2.4 or 2.3.1, and %s is installed; type: pip install '
                         '--no-deps keras==2.3.1 keras-applications keras-preprocessing (TensorFlow asks for Keras 3, '
                         'but works without).' % ('none' if version is None else 'Keras ' + version))


ArgSpec = namedtuple('ArgSpec', ['args', 'varargs', 'keywords', 'defaults'])


def getargspec(function: Callable[..., Any]) -> ArgSpec:
    """The arguments of a function, as `inspect.getargspec` told them."""
    return ArgSpec(*inspect.getfullargspec(function)[:4])


def _names_of_python() -> None:
    if not hasattr(inspect, 'getargspec'):
        inspect.getargspec = getargspec  # type: ignore[attr-defined,unused-ignore]
    for name in collections.abc.__all__:
        if name not in vars(collections):  # Python 3.7 to 3.9 warn where they are asked for
            setattr(collections, name, getattr(collections.abc, name))


def _names_of_numpy() -> None:
    import numpy
    names = vars(numpy)
    for name, meaning in OF_NUMPY.items():
        if name not in names and not isinstance(meaning, str):
            setattr(numpy, name, meaning)
        elif name not in names and meaning in names:
            setattr(numpy, name, names[meaning])


def _bytes_of_attributes() -> None:
    try:
        import h5py
        import numpy
    except ImportError:  # Keras does without, until it saves
        return
    attributes = h5py.AttributeManager
    read = attributes.__getitem__
    if h5py.version.version_tuple[0] < 3 or hasattr(read, '_of_keras2'):
        return

    def getitem(self: Any, name: Any) -> Any:
        value = read(self, name)
        if isinstance(value, numpy.ndarray) and not value.size and str(name).endswith('_names'):
            return value.astype('S1')  # of an empty list nobody could tell what it was a list of
        strings = h5py.check_string_dtype(self.get_id(name).dtype)
        # Bytes are stored as ASCII, text as UTF-8; h5py 3 makes text of both, and Keras decodes what it stored.
        if strings is None or strings.encoding != 'ascii':
            return value
        if isinstance(value, str):
            return value.encode('utf-8', 'surrogateescape')
        if isinstance(value, numpy.ndarray) and value.dtype.kind == 'O':
            encoded = [item.encode('utf-8', 'surrogateescape') for item in value.ravel()]
            return numpy.array(encoded, 'S').reshape(value.shape)
        return value
    getitem._of_keras2 = True  # type: ignore[attr-defined]
    attributes.__getitem__ = getitem


def _import() -> None:
    setting = settings.get('backend')
    # Keras imports what has a dot in its name, and takes any other name for an engine of its own.
    module = loader.find(setting.value, setting.source, setting.danger).module
    os.environ['KERAS_BACKEND'] = module
    keras, engine = import_module('keras.backend'), sys.modules[module]
    for name in CONTRACT:
        if not hasattr(keras, name) and hasattr(engine, name):
            setattr(keras, name, getattr(engine, name))
    Lambda = import_module('keras.layers').Lambda
    if not hasattr(Lambda.compute_output_shape, '_of_keras2'):
        Lambda.compute_output_shape = _shape_of_lambda(keras, Lambda.compute_output_shape)


def _shape_of_lambda(K: ModuleType, documented: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(documented)
    def compute_output_shape(self: Any, input_shape: Any) -> Any:
        if self.get_config().get('output_shape') is not None:
            return documented(self, input_shape)
        # Keras takes the shape of the input for it, unless its own TensorFlow or CNTK tells another one.
        several = isinstance(input_shape, list)
        inputs = [K.placeholder(shape=shape) for shape in (input_shape if several else [input_shape])]
        made = self.call(inputs if several else inputs[0])
        return [K.int_shape(x) for x in made] if isinstance(made, (list, tuple)) else K.int_shape(made)
    compute_output_shape._of_keras2 = True  # type: ignore[attr-defined]
    return compute_output_shape


def prepare() -> None:
    """Import Keras 2 on the configured engine."""
    _check_installed()
    _names_of_python()
    _names_of_numpy()
    _bytes_of_attributes()
    _import()


def main(arguments: List[str]) -> None:
    """Run a program as `python` would, with everything prepared."""
    if not arguments or arguments[0] in ('-h', '--help') or arguments == ['-m']:
        sys.exit(USAGE)
    prepare()
    if arguments[0] == '-m':
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name='__main__', alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))  # it was the working folder
        runpy.run_path(arguments[0], run_name='__main__')


if __name__ == '__main__':
    main(sys.argv[1:])
else:
    prepare()
