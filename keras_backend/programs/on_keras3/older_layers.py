"""Features that layers of 2019 to 2023 use and Keras 3 has no more. Layers that are written with K use them."""

import functools
import inspect
from importlib import import_module
from typing import Any, Callable, List

from .classes_of_programs import prepare_classes
from .older_names import allowed_name

# The arguments of `add_weight` after the name, in the order that they had.
_OF_LAYERS = ('shape', 'dtype', 'initializer', 'regularizer', 'trainable', 'constraint')
_OF_METRICS = ('shape', 'aggregation', 'synchronization', 'initializer', 'dtype')
# Arguments about devices and graphs, which mean nothing here.
_GONE = ('synchronization', 'aggregation', 'partitioner', 'use_resource', 'getter', 'collections')


def names_of_weights(keras: Any) -> str:
    """Let `add_weight` of layers and metrics take the name first, and a name with slashes."""
    for made, order in ((keras.layers.Layer, _OF_LAYERS), (keras.metrics.Metric, _OF_METRICS)):
        made.add_weight = _by_name(made.add_weight, order)
    return 'Layer.add_weight, Metric.add_weight'


def _by_name(original: Callable[..., Any], order: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], str):
            kwargs.update(zip(('name', *order), args))
            args = ()
        for gone in _GONE:
            if gone in kwargs and not isinstance(kwargs[gone], str):
                del kwargs[gone]
        if 'name' in kwargs:
            kwargs['name'] = allowed_name(kwargs['name'])
        return original(self, *args, **kwargs)

    return add_weight


def values_of_metrics(keras: Any) -> str:
    """Let `result` of the metrics of a program be a variable. JAX takes tensors alone from a compiled step."""
    prepare_classes(keras.metrics.Metric, _with_values)
    return 'Metric.result'


def _with_values(made: Any) -> None:
    original = vars(made).get('result')
    if not inspect.isfunction(original):
        return

    @functools.wraps(original)
    def result(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(self, *args, **kwargs)
        # A copy: the logs of an epoch hold the result, and validation changes the variable.
        return import_module('keras').ops.copy(found) if type(found).__name__ == 'Variable' else found

    made.result = result


def updates_of_layers(keras: Any) -> str:
    """Give layers `add_update`: K has made the updates in the call already, as it did in eager mode."""
    if hasattr(keras.layers.Layer, 'add_update'):
        return ''

    def add_update(self: Any, updates: Any, inputs: Any = None) -> None:
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            if callable(update) and self.trainable:
                update()

    keras.layers.Layer.add_update = add_update
    return 'Layer.add_update'


def losses_of_layers(keras: Any) -> str:
    """Let `add_loss` of layers take the inputs that a loss belongs to. Keras 3 counts every loss of a call."""
    made = keras.layers.Layer
    original = made.add_loss

    @functools.wraps(original)
    def add_loss(self: Any, losses: Any, inputs: Any = None) -> None:
        original(self, losses)

    made.add_loss = add_loss
    return 'Layer.add_loss'


class _ShapeOf:
    """An attribute that is worked out; one of the same name that a layer sets itself goes before it."""

    def __init__(self, tensors: str) -> None:
        self._tensors = tensors

    def __get__(self, layer: Any, kind: Any = None) -> Any:
        if layer is None:
            return self
        try:
            shapes = [tuple(t.shape) for t in _flat(getattr(layer, self._tensors))]
        except (AttributeError, ValueError):
            raise AttributeError(f'The layer {layer.name} has no {self._tensors}_shape before it is called.') from None
        # tf.keras has a list for the layer of an Input.
        return shapes if len(shapes) > 1 or type(layer).__name__ == 'InputLayer' else shapes[0]


def _flat(tensors: Any) -> List[Any]:
    if isinstance(tensors, dict):
        tensors = list(tensors.values())
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def places_of_layers(keras: Any) -> str:
    """Give layers `input_shape`, `output_shape`, `get_input_at` and `get_output_at`."""
    made = keras.layers.Layer
    changed = []
    for name in ('input', 'output'):
        for given, value in ((f'{name}_shape', _ShapeOf(name)), (f'get_{name}_at', _at(f'{name}_tensors'))):
            if not hasattr(made, given):
                setattr(made, given, value)
                changed.append(f'Layer.{given}')
    return ', '.join(changed)


def _at(tensors: str) -> Callable[[Any, int], Any]:
    def get(layer: Any, node_index: int) -> Any:
        node = layer._inbound_nodes[node_index]
        found = list(node.input_tensors if tensors == 'input_tensors' else node.outputs)
        return found[0] if len(found) == 1 else found

    return get


def momenta_of_steps(keras: Any) -> str:
    """Let training steps on PyTorch keep the `momentum` of batch normalization that they began with.

    tf.keras had it in the compiled step, as TensorFlow and JAX have: what a callback sets counts after the next
    `compile`, or with run_eagerly=True.
    """
    if keras.backend.backend() != 'torch':
        return ''
    from ...engines.keras3_backend.vendor import call_context

    def get(layer: Any) -> Any:
        context = call_context()
        model: Any = None if context is None else context.entry_layer
        step = getattr(model, 'train_function', None)
        if step is None or model.run_eagerly:
            return vars(layer)['momentum']
        # Keras makes another train_function when the model is compiled again.
        kept = vars(layer).get(_OF_STEP)
        if kept is None or kept[0] is not step:
            kept = vars(layer)[_OF_STEP] = (step, vars(layer)['momentum'])
        return kept[1]

    def put(layer: Any, momentum: float) -> None:
        vars(layer)['momentum'] = momentum

    keras.layers.BatchNormalization.momentum = property(get, put)
    return 'BatchNormalization.momentum'


_OF_STEP = '_keras_backend_momentum'
