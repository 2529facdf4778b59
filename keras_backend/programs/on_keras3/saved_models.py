"""Files of models and weights that programs of 2019 to 2023 write and read."""

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ..launcher import cures
from ..launcher.cures import around, replacing

# -- names of files ----------------------------------------------------------------------------------------------------
# Files of models and weights under the names that programs of 2019 to 2023 gave them.
#
# Keras 3 writes `.keras`, `.h5` and `.weights.h5` only. tf.keras took any name: weights in HDF5 where it ended in
# `.h5`, else a checkpoint of TensorFlow, and a model as the folder of a SavedModel.


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


@around
def _saving(
    original: Any,
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    save_format: Any = None,
    options: Any = None,
    **kwargs: Any,
) -> None:
    path = os.fspath(filepath)
    if path.endswith((_WEIGHTS, '.json')):
        original(model, filepath, overwrite=overwrite, **kwargs)
    elif path.endswith(_HDF5):
        _write_hdf5(model, path, overwrite)
    else:
        original(model, path + _WEIGHTS, overwrite=overwrite)


def _write_hdf5(model: Any, path: str, overwrite: bool) -> None:
    """Weights in HDF5 as Keras 2 wrote them, which `load_weights` of Keras 2 and 3 read."""
    import h5py

    if not overwrite and os.path.exists(path):
        raise FileExistsError(f'Model.save_weights: {path} is there; write overwrite=True.')
    form = import_module('keras.src.legacy.saving.legacy_h5_format')
    with h5py.File(path, 'w') as file:
        form.save_weights_to_hdf5_group(file, model)


@around
def _loading(original: Any, model: Any, filepath: Any, *args: Any, **kwargs: Any) -> Any:
    path = os.fspath(filepath)
    # Options of checkpoints of TensorFlow.
    kwargs.pop('options', None)
    if not os.path.exists(path) and os.path.exists(path + _WEIGHTS):
        path += _WEIGHTS
    original(model, path, *args, **kwargs)
    # Programs say `.expect_partial()` to what tf.keras returns.
    return _Status()


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


@around
def _checkpoint(original: Any, self: Any, filepath: Any, *args: Any, **kwargs: Any) -> None:
    path = os.fspath(filepath)
    weights_only = kwargs.get('save_weights_only', args[3] if len(args) > 3 else False)
    known = _WEIGHTS if weights_only else ('.h5', '.keras')
    if path.endswith(known):
        original(self, filepath, *args, **kwargs)
        return
    # Keras 3 checks the name here; `save` and `save_weights` take any.
    original(self, path + (_WEIGHTS if weights_only else '.keras'), *args, **kwargs)
    self.filepath = path


def models_in_folders(keras: Any) -> str:
    """Let `save` make a folder where the name has no ending that Keras 3 knows, and `load_model` open it."""

    @replacing(keras.Model, 'save')
    def save(
        original: Any, model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True, **kwargs: Any
    ) -> None:
        for gone in _OF_SAVE:
            kwargs.pop(gone, None)
        path = os.fspath(filepath)
        if not path.endswith(_HDF5):
            os.makedirs(path, exist_ok=True)
            path = os.path.join(path, _MODEL)
        original(model, path, overwrite=overwrite, include_optimizer=include_optimizer, **kwargs)

    return 'Model.save'


def model_in(path: Any) -> Optional[str]:
    """The file of Keras 3 in a folder that `save` made; None for anything else."""
    file = os.path.join(path, _MODEL) if isinstance(path, (str, os.PathLike)) else ''
    return file if file and os.path.isfile(file) else None


# -- files of older versions -------------------------------------------------------------------------------------------
# `load_model` of files that Keras 1, Keras 2 and tf.keras wrote: `keras_backend.files` reads them.
#
# Keras 3 refuses many of them (`groups`, `Lambda`, names with `/`, `TFOpLambda`, SavedModel ...). It takes some in
# another meaning (`hard_sigmoid`, masks of merges).


# Where programs take `load_model` from.
_PLACES = ('keras.models', 'keras.saving', 'keras._tf_keras.keras.models', 'keras._tf_keras.keras.saving')


def files_of_older_keras(keras: Any) -> str:
    """Let `load_model` open files of Keras 1, Keras 2 and tf.keras with their meaning, without running their code."""
    original = keras.saving.load_model
    load_model = _also_of_older_keras(original, keras)
    _CURED.append((original, load_model))
    changed = []
    for path in _PLACES:
        module = sys.modules.get(path)
        if module is not None and vars(module).get('load_model') is original:
            vars(module)['load_model'] = load_model
            changed.append(f'{path}.load_model')
    return ', '.join(changed)


# `load_model` of Keras 3, and ours.
_CURED: List[Tuple[Any, Any]] = []


def files_of_older_keras_in_the_second_copy(module: ModuleType) -> str:
    """Let `load_model` of the second copy of the module do the same, which `import tensorflow.keras.models` makes."""
    for original, load_model in _CURED:
        if vars(module).get('load_model') is original:
            vars(module)['load_model'] = load_model
            return f'{module.__name__}.load_model'
    return ''


@around
def _also_of_older_keras(
    original: Any,
    keras: Any,
    filepath: Any,
    custom_objects: Optional[Dict[str, Any]] = None,
    compile: bool = True,
    **kwargs: Any,
) -> Any:
    filepath = model_in(filepath) or filepath
    if not is_older(filepath):
        _names_of_lambdas(custom_objects or {})
        model = original(filepath, custom_objects=custom_objects, compile=compile, **kwargs)
        return completed(model, filepath)
    files = import_module('keras_backend.files.keras3')
    registered = cures.of_the_program(keras.saving.get_custom_objects(), ('keras', 'keras_backend'))
    return files.load(filepath, custom_objects={**registered, **(custom_objects or {})}, compile=compile)


def _names_of_lambdas(custom_objects: Dict[str, Any]) -> None:
    """Let the code of a Lambda that Keras runs find K, and the modules that the program hands in."""
    namespace = vars(import_module('keras.src.utils.python_utils'))
    namespace.setdefault('K', sys.modules['keras.backend'])
    namespace.update({name: value for name, value in custom_objects.items() if isinstance(value, ModuleType)})


def is_older(path: Any) -> bool:
    """Whether a file is of a Keras before 3. What is no file of Keras is left to Keras 3, which says so."""
    writer = cures.writer(path)
    return writer is not None and not writer.version.startswith('3')


# -- optimizers --------------------------------------------------------------------------------------------------------
# The optimizer of a model that is loaded from a file `.h5` of Keras 3.
#
# Keras 3.15 builds it for no variables at all, so the next `fit` stops. tf.keras went on from the moments of the file.


def completed(model: Any, path: Any) -> Any:
    """The model, with an optimizer for its own variables, and the values of the file in it."""
    optimizer = getattr(model, 'optimizer', None)
    variables = list(getattr(model, 'trainable_variables', ()))
    if optimizer is None or not optimizer.built or not variables or not _is_hdf5(path):
        return model
    # Keras looks variables up by their places in this list.
    if len(optimizer._trainable_variables) == len(variables):
        return model
    fresh = type(optimizer).from_config(optimizer.get_config())
    fresh.build(variables)
    values = _values(path)
    if [tuple(v.shape) for v in fresh.variables] == [v.shape for v in values]:
        for variable, value in zip(fresh.variables, values):
            variable.assign(value)
    model.optimizer = fresh
    return model


def _is_hdf5(path: Any) -> bool:
    writer = cures.writer(path)
    return writer is not None and bool(writer.config)


def _values(path: Any) -> Any:
    import h5py

    with h5py.File(path, 'r') as file:
        group = file.get('optimizer_weights')
        names = [] if group is None else list(group.attrs.get('weight_names', ()))
        texts = [name.decode() if isinstance(name, bytes) else name for name in names]
        return [group[name][()] for name in texts]


# -- the order of weights ----------------------------------------------------------------------------------------------
# The order of weights in tf.keras, which lists of arrays have that its programs kept.
#
# Keras 3 lists the weights of a layer as they lie in it: its own, then those of one inner layer after the other.
# tf.keras lists those that are trained first. A subclassed model of tf.keras lists its layers first, then its own
# weights. Where shapes agree, `set_weights` with the other order gives no error and other numbers.


def weights_in_order(keras: Any) -> str:
    """Let `weights`, `get_weights` and `set_weights` of layers that hold layers have the order of tf.keras."""
    layer_class, model = keras.layers.Layer, keras.Model
    original = layer_class.weights.fget

    def weights(layer: Any) -> List[Any]:
        variables: List[Any] = original(layer)
        if not isinstance(layer, model):
            return sorted(variables, key=_is_frozen)
        own = {id(v) for v in layer._trainable_variables + layer._non_trainable_variables}
        return sorted(variables, key=lambda v: id(v) in own) if own else variables

    layer_class.weights = property(weights, doc=layer_class.weights.__doc__)
    return 'Layer.weights'


def numbers_as_weights(keras: Any) -> str:
    """Let `set_weights` take a number for a weight without axes, as `np.random.randn()` gives it."""

    @replacing(keras.layers.Layer, 'set_weights')
    def set_weights(original: Any, layer: Any, weights: Any) -> None:
        original(layer, [np.array(weight) if isinstance(weight, (int, float)) else weight for weight in weights])

    return 'Layer.set_weights'


def _is_frozen(variable: Any) -> bool:
    return not variable.trainable


# -- tf.train.Checkpoint -----------------------------------------------------------------------------------------------


def checkpoints(tensorflow: Any) -> str:
    """Say what to write for a `tf.train.Checkpoint` of models and optimizers that are not of TensorFlow."""
    keras: Any = sys.modules.get('keras')
    kind = getattr(getattr(tensorflow, 'train', None), 'Checkpoint', None)
    if kind is None or keras is None or keras.backend.backend() == 'tensorflow':
        return ''

    @replacing(kind, '__init__')
    def __init__(original: Any, self: Any, root: Any = None, **kwargs: Any) -> None:
        for name, value in (('root', root), *kwargs.items()):
            if isinstance(value, (keras.Layer, keras.optimizers.Optimizer)):
                raise NotImplementedError(
                    f'tf.train.Checkpoint: {name} is of Keras on {keras.backend.backend()}, whose variables TensorFlow '
                    "does not save. Write model.save_weights('model.weights.h5') and model.load_weights, or run the "
                    'program on TensorFlow by tf_keras: set KERAS_BACKEND=tensorflow.'
                )
        original(self, root, **kwargs)

    return 'tf.train.Checkpoint.__init__'
