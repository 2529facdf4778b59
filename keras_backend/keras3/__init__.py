"""K inside Keras 3: the classic functions over whatever Keras 3 hands around.

    import keras_backend.keras3 as K

gives every K function for `KerasTensor`s of the functional API, tensors inside of `Layer.call`, losses and metrics,
arrays and variables. Keras says what runs (TensorFlow, JAX or PyTorch), and its settings are those of K.

`python -m keras_backend.keras3 program.py` runs a program that takes K from Keras itself.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from .. import for_a_part  # type: ignore[attr-defined]  # no part of K, so not in the stubs
from ..basics.live import Namespace

_OTHERS = 'Tensor', '__all__', '_engine', 'supports'


def _bind() -> None:
    """Bind the functions as plain attributes of this module. This imports Keras."""
    launcher = sys.modules.get('keras_backend.programs.on_tf_keras.launcher')
    if launcher is not None and launcher.is_watching():
        # The launcher has made `keras` the package tf_keras. K is the functions for its tensors.
        _give(import_module('keras_backend.loader').load(launcher.ENGINE))
        return
    # The launcher asks for the names once Keras is complete. By then the import of the engine must not have begun.
    import_module('keras')
    from ..engines import keras3_backend as engine

    _give(engine)


def _give(engine: ModuleType) -> None:
    globals().update({name: vars(engine)[name] for name in [*vars(engine)['__all__'], *_OTHERS]})


def __getattr__(name: str) -> Any:
    # While the launcher is imported, Keras is not: the program may still say what it runs on. Other attributes that are
    # missing must not cost the import of Keras.
    from ..contract import CONTRACT

    if '_engine' not in globals() and (name in CONTRACT or name in _OTHERS):
        _bind()
        return globals()[name]
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')


sys.modules[__name__].__class__ = Namespace
if not for_a_part(__name__):
    _bind()
