"""keras_backend: the K API over several engines.

    import keras_backend as K

binds the functions of the configured engine (KERAS_BACKEND, else keras.json) as plain attributes of this module.
`python -m keras_backend` says which engine that is, and why.

`from keras_backend import ...` does the same, whatever it asks for. A part that is imported by its own name, as in
`from keras_backend.config import settings`, loads no engine.
"""

# Under names that editors do not offer as names of K.
import sys as _sys
import threading as _threading

from .basics.live import Namespace as _Namespace

__version__ = '0.1.0'

_lock = _threading.RLock()


def load(name):
    from .loader import load

    return load(name)


def supports(name):
    """Whether the engine that K runs on has a function, for example `K.supports('ctc_decode')`."""
    return _bound()['_engine'].supports(name)


def compare(build, inputs=(), engines=None, steps=1, rtol=None, file=None):
    """Run the same thing on several engines; see `keras_backend.comparison.compare`."""
    from .comparison import compare

    return compare(build, inputs, engines, steps, rtol, file)


def export(
    function,
    path,
    format=None,
    updates=None,
    variables=None,
    input_names=None,
    output_names=None,
    check=True,
    opset=None,
    calibration=None,
):
    """Write a K function as a file that others run; see `keras_backend.exporting.export.export`."""
    from .exporting.export import export

    return export(function, path, format, updates, variables, input_names, output_names, check, opset, calibration)


class _Unbound(_Namespace):
    """This module until an engine is bound to it: the first touch of a K name binds one."""

    def __getattr__(self, name):
        if name.startswith('__') and name != '__all__':
            raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')
        # Other attributes that are missing must not cost the import of an engine.
        from .contract import CONTRACT

        if name in CONTRACT or name in ('Tensor', '__all__', '_engine'):
            return _bound()[name]
        raise AttributeError(f'module {self.__name__!r} has no attribute {name!r}')

    def __dir__(self):
        from .contract import CONTRACT

        return sorted(set(vars(self)) | set(CONTRACT))


def _bound():
    """The globals of this module, with the configured engine bound."""
    face = globals()
    with _lock:
        if '_engine' not in face:
            from . import config, loader
            from .contract import CONTRACT
            from .contract.kinds import Tensor

            engine = loader.configured()
            names = {name: vars(engine)[name] for name in engine.__all__}
            names['backend'] = config.backend  # the configured name, and a word if it changed since
            config.backend.__doc__ = CONTRACT['backend'].doc
            face.update(names, __all__=sorted(names), _engine=engine._engine, Tensor=Tensor)
            # From now on attributes are plain: `__getattr__` of a class costs each access time. Python 3.7 and later
            # ask the function `__getattr__` of a module for names that are not there.
            _sys.modules[__name__].__class__ = _Namespace
            face['__getattr__'] = _missing
            loader.announce(engine._engine, config.settings.pin_backend())
    return face


# Functions of Python that import this package on the way to one of its parts, and which of their variables names the
# part: any import of `keras_backend.config`, a search for it, and `python -m keras_backend`, which runs `__main__`.
_ON_THE_WAY = {'_find_and_load': 'name', 'find_spec': 'fullname', '_get_module_details': 'mod_name'}


def _missing(name):
    message = f'module {__name__!r} has no attribute {name!r}'
    if not name.startswith('_'):
        from .basics.misuse import function

        instead = function(name)
        message += f'; write {instead}' if instead else ''
    raise AttributeError(message)


def for_a_part(package: str) -> bool:
    """Whether Python imports a package only because a part of it is wanted."""
    frame = _sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name in _ON_THE_WAY:
            wanted = frame.f_locals.get(_ON_THE_WAY[frame.f_code.co_name])
            if isinstance(wanted, str) and wanted.startswith(package + '.'):
                return True
        frame = frame.f_back
    return False


def _for_the_engine() -> bool:
    """Whether the configured engine was imported on its own, and asks for this package on its way."""
    from . import config, loader

    return loader.is_on_its_way(config.settings.get('backend').value)


_sys.modules[__name__].__class__ = _Unbound
if not for_a_part(__name__) and not _for_the_engine():
    _bound()
