"""Files of models and weights under the names that programs of 2019 to 2023 gave them.

Keras 3 writes `.keras`, `.h5` and `.weights.h5` only. tf.keras took any name: weights in HDF5 where it ended in `.h5`,
else a checkpoint of TensorFlow, and a model as the folder of a SavedModel.
"""

import functools
import os
from importlib import import_module
from typing import Any, Callable, Optional

_HDF5 = ('.h5', '.hdf5', '.keras')
# A checkpoint or folder of Keras 3 in the place of one of TensorFlow.
_WEIGHTS, _MODEL = '.weights.h5', 'model.keras'
# Arguments of `save` about SavedModels.
_OF_SAVE = ('save_format', 'signatures', 'options', 'save_traces')


def weights_of_any_name(keras: Any) -> str:
    """Let `save_weights`, `load_weights` and `ModelCheckpoint` take any name."""
    keras.Model.save_weights = _saving(keras.Model.save_weights)
    keras.Model.load_weights = _loading(keras.Model.load_weights)
    checkpoint = keras.callbacks.ModelCheckpoint
    checkpoint.__init__ = _checkpoint(checkpoint.__init__)
    return 'Model.save_weights, Model.load_weights, ModelCheckpoint'


def _saving(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def save_weights(
        model: Any, filepath: Any, overwrite: bool = True, save_format: Any = None, options: Any = None, **kwargs: Any
    ) -> None:
        path = os.fspath(filepath)
        if path.endswith((_WEIGHTS, '.json')):
            original(model, filepath, overwrite=overwrite, **kwargs)
        elif path.endswith(_HDF5):
            _write_hdf5(model, path, overwrite)
        else:
            original(model, path + _WEIGHTS, overwrite=overwrite)

    return save_weights


def _write_hdf5(model: Any, path: str, overwrite: bool) -> None:
    """Weights in HDF5 as Keras 2 wrote them, which `load_weights` of Keras 2 and 3 read."""
    import h5py

    if not overwrite and os.path.exists(path):
        raise FileExistsError(f'Model.save_weights: {path} is there; write overwrite=True.')
    form = import_module('keras.src.legacy.saving.legacy_h5_format')
    with h5py.File(path, 'w') as file:
        form.save_weights_to_hdf5_group(file, model)


def _loading(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def load_weights(model: Any, filepath: Any, *args: Any, **kwargs: Any) -> Any:
        path = os.fspath(filepath)
        # Options of checkpoints of TensorFlow.
        kwargs.pop('options', None)
        if not os.path.exists(path) and os.path.exists(path + _WEIGHTS):
            path += _WEIGHTS
        original(model, path, *args, **kwargs)
        # Programs say `.expect_partial()` to what tf.keras returns.
        return _Status()

    return load_weights


class _Status:
    """What `load_weights` of tf.keras returns for a checkpoint: all weights are loaded already."""

    def __getattr__(self, name: str) -> Callable[..., '_Status']:
        if name not in (
            'expect_partial',
            'assert_consumed',
            'assert_existing_objects_matched',
            'initialize_or_restore',
        ):
            raise AttributeError(name)
        return lambda *args, **kwargs: self


def _checkpoint(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def __init__(self: Any, filepath: Any, *args: Any, **kwargs: Any) -> None:
        path = os.fspath(filepath)
        weights_only = kwargs.get('save_weights_only', args[3] if len(args) > 3 else False)
        known = _WEIGHTS if weights_only else ('.h5', '.keras')
        if path.endswith(known):
            original(self, filepath, *args, **kwargs)
            return
        # Keras 3 checks the name here; `save` and `save_weights` take any.
        original(self, path + (_WEIGHTS if weights_only else '.keras'), *args, **kwargs)
        self.filepath = path

    return __init__


def models_in_folders(keras: Any) -> str:
    """Let `save` make a folder where the name has no ending that Keras 3 knows, and `load_model` open it."""
    original = keras.Model.save

    @functools.wraps(original)
    def save(model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True, **kwargs: Any) -> None:
        for gone in _OF_SAVE:
            kwargs.pop(gone, None)
        path = os.fspath(filepath)
        if not path.endswith(_HDF5):
            os.makedirs(path, exist_ok=True)
            path = os.path.join(path, _MODEL)
        original(model, path, overwrite=overwrite, include_optimizer=include_optimizer, **kwargs)

    keras.Model.save = save
    return 'Model.save'


def model_in(path: Any) -> Optional[str]:
    """The file of Keras 3 in a folder that `save` made; None for anything else."""
    found = os.path.join(path, _MODEL) if isinstance(path, (str, os.PathLike)) else ''
    return found if found and os.path.isfile(found) else None
