"""Names of classes and functions that Keras 3 has no more, or under other names."""

import functools
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict

# Short names of losses that are metrics as well, and those of today.
SHORT = {
    'mse': 'mean_squared_error',
    'mae': 'mean_absolute_error',
    'mape': 'mean_absolute_percentage_error',
    'msle': 'mean_squared_logarithmic_error',
}
# Other names that losses had, and those of today.
_OTHER = {'kld': 'kl_divergence', 'kullback_leibler_divergence': 'kl_divergence', 'logcosh': 'log_cosh'}
# Names that `compile` took as strings, and those of the functions today.
OLDER = {
    'kullback_leibler_divergence': 'kl_divergence',
    'logcosh': 'log_cosh',
    'log_cosh': 'log_cosh',
    'huber_loss': 'huber',
}
_OF_METRICS = (
    'binary_accuracy categorical_accuracy sparse_categorical_accuracy top_k_categorical_accuracy '
    'sparse_top_k_categorical_accuracy'
).split()
PLACES = [f'{home}.{name}' for home in ('keras', 'tensorflow.keras') for name in ('losses', 'metrics')]


def functions_of_losses(module: ModuleType) -> str:
    """Give `losses` and `metrics` the functions under the names of Keras 2, such as `mse`, also below `tf.keras`."""
    losses, metrics = import_module('keras.losses'), import_module('keras.metrics')
    found: Dict[str, Any] = {name: f for name, f in vars(losses).items() if _is_function(name, f)}
    found.update((name, vars(losses)[full]) for name, full in {**SHORT, **_OTHER}.items() if full in vars(losses))
    found.update((name.upper(), vars(losses)[full]) for name, full in {**SHORT, 'kld': 'kl_divergence'}.items())
    if module.__name__.endswith('metrics'):
        found.update((name, vars(metrics)[name]) for name in _OF_METRICS if name in vars(metrics))
    new = {name: f for name, f in found.items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


def _is_function(name: str, value: Any) -> bool:
    return not name.startswith('_') and callable(value) and not isinstance(value, (type, ModuleType)) and name.islower()


LAYERS = 'keras.layers', 'tensorflow.keras.layers'
_LAYERS = {
    'CuDNNLSTM': 'LSTM',
    'CuDNNGRU': 'GRU',
    'BatchNormalizationV2': 'BatchNormalization',
    'Deconvolution2D': 'Conv2DTranspose',
    'Deconvolution3D': 'Conv3DTranspose',
}


def names_of_layers(module: ModuleType) -> str:
    """Give `layers` `CuDNNLSTM` and `CuDNNGRU`, which are LSTM and GRU here, and other second names."""
    layers = import_module('keras.layers')
    new = {name: vars(layers)[today] for name, today in _LAYERS.items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


def methods_of_models(keras: Any) -> str:
    """Give models `predict_classes`, `predict_proba`, `updates`, `compiled_loss`; layers `get_output_shape_at`."""
    model, layer = keras.Model, keras.layers.Layer
    given: Dict[str, Any] = {
        'predict_classes': _predict_classes,
        'predict_proba': lambda self, x, *args, **kwargs: self.predict(x, *args, **kwargs),
        'uses_learning_phase': True,
        'updates': property(lambda self: []),
        'state_updates': property(lambda self: []),
        '_make_predict_function': lambda self: None,
        '_make_train_function': lambda self: None,
        'compiled_metrics': property(_CompiledMetrics),
        'compiled_loss': property(lambda self: functools.partial(_compiled_loss, self)),
    }
    changed = []
    for name, value in given.items():
        if not hasattr(model, name):
            setattr(model, name, value)
            changed.append(f'Model.{name}')
    for side in ('input', 'output'):
        name = f'get_{side}_shape_at'
        if not hasattr(layer, name):
            setattr(layer, name, _shape_at(side))
            changed.append(f'Layer.{name}')
    return ', '.join(changed)


class _CompiledMetrics:
    """The metrics of a model, which its own `train_step` updates."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def metrics(self) -> Any:
        return self._model.metrics

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        self._model.compute_metrics(None, y_true, y_pred, sample_weight)


def _compiled_loss(
    model: Any, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
) -> Any:
    """The loss that the model was compiled with; Keras 3 adds the losses of layers itself."""
    loss = model.compute_loss(None, y_true, y_pred, sample_weight)
    return loss if regularization_losses is not None else loss - sum(model.losses)


def _predict_classes(model: Any, x: Any, batch_size: int = 32, verbose: int = 0) -> Any:
    """The class of each sample: the largest of several numbers, or whether one number is over a half."""
    found = model.predict(x, batch_size=batch_size, verbose=verbose)
    return found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype('int32')


def _shape_at(side: str) -> Callable[..., Any]:
    def get(layer: Any, node_index: int) -> Any:
        found = getattr(layer, f'get_{side}_at')(node_index)
        return [tuple(x.shape) for x in found] if isinstance(found, (list, tuple)) else tuple(found.shape)

    get.__name__ = f'get_{side}_shape_at'
    return get


def allowed_name(name: Any) -> Any:
    """A name that Keras 3 takes for what was called `name`: `/` and, on PyTorch, `.` become `_`."""
    if not isinstance(name, str):
        return name
    name = name.replace('/', '_')
    return name.replace('.', '_') if import_module('keras').backend.backend() == 'torch' else name


def names_with_slashes(keras: Any) -> str:
    """Let layers have names with slashes, which Keras 3 refuses, and with dots. `get_layer` finds them by these."""
    made, model = keras.layers.Layer, keras.Model
    create, get = made.__init__, model.get_layer

    def __init__(self: Any, **kwargs: Any) -> None:
        if 'name' in kwargs:
            kwargs['name'] = allowed_name(kwargs['name'])
        create(self, **kwargs)

    def get_layer(self: Any, name: Any = None, index: Any = None) -> Any:
        return get(self, name=allowed_name(name), index=index)

    made.__init__, model.get_layer = __init__, get_layer
    return 'Layer.__init__, Model.get_layer'
