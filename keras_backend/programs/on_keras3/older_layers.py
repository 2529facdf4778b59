"""Layers, features and helpers of layers that programs of 2017 to 2023 use and Keras 3 has no more."""

import functools
import inspect
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ..launcher.cures import around, replacing
from .names import allowed_name, functional, prepare_classes

# -- features ----------------------------------------------------------------------------------------------------------
# Features that layers of 2019 to 2023 use and Keras 3 has no more. Layers that are written with K use them.


# The arguments of `add_weight` after the name, in the order that they had.
_OF_LAYERS = ('shape', 'dtype', 'initializer', 'regularizer', 'trainable', 'constraint')
_OF_METRICS = ('shape', 'aggregation', 'synchronization', 'initializer', 'dtype')
# Arguments about devices and graphs, which mean nothing here.
_GONE = ('synchronization', 'aggregation', 'partitioner', 'use_resource', 'getter', 'collections')


def names_of_weights(keras: Any) -> str:
    """Let `add_weight` of layers and metrics take the name first, and a name with slashes."""
    for base, order in ((keras.layers.Layer, _OF_LAYERS), (keras.metrics.Metric, _OF_METRICS)):
        base.add_weight = _by_name(base.add_weight, order)
    return 'Layer.add_weight, Metric.add_weight'


@around
def _by_name(original: Any, order: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], str):
        kwargs.update(zip(('name', *order), args))
        args = ()
    for gone in _GONE:
        if gone in kwargs and not isinstance(kwargs[gone], str):
            del kwargs[gone]
    if 'name' in kwargs:
        kwargs['name'] = allowed_name(kwargs['name'])
    return original(self, *args, **kwargs)


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
        value = original(self, *args, **kwargs)
        # A copy: the logs of an epoch hold the result, and validation changes the variable.
        return import_module('keras').ops.copy(value) if type(value).__name__ == 'Variable' else value

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

    @replacing(keras.layers.Layer, 'add_loss')
    def add_loss(original: Any, self: Any, losses: Any, inputs: Any = None) -> None:
        original(self, losses)

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
    """Give layers `input_shape`, `output_shape`, `get_input_at`, `get_output_at`, and models `input_names`.

    The input of an `InputLayer` is its output, as in `Model(model.layers[0].input, model.layers[-2].output)`.
    """
    layer_class = keras.layers.Layer
    keras.layers.InputLayer.input = property(lambda layer: layer.output)
    changed = ['InputLayer.input']
    if not hasattr(keras.Model, 'input_names'):
        functional(keras).input_names = property(_input_names)
        changed.append('Model.input_names')
    for name in ('input', 'output'):
        for attribute, value in ((f'{name}_shape', _ShapeOf(name)), (f'get_{name}_at', _at(f'{name}_tensors'))):
            if not hasattr(layer_class, attribute):
                setattr(layer_class, attribute, value)
                changed.append(f'Layer.{attribute}')
    return ', '.join(changed)


def _input_names(model: Any) -> List[str]:
    return [tensor._keras_history.operation.name for tensor in model.inputs]


def _at(tensors: str) -> Callable[[Any, int], Any]:
    def get(layer: Any, node_index: int) -> Any:
        node = layer._inbound_nodes[node_index]
        is_input = tensors == 'input_tensors' and not node.is_input
        keras_tensors = list(node.input_tensors if is_input else node.outputs)
        return keras_tensors[0] if len(keras_tensors) == 1 else keras_tensors

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


# -- LocallyConnected1D and 2D -----------------------------------------------------------------------------------------
# `LocallyConnected1D` and `LocallyConnected2D`, with the weights of Keras 2: a kernel of its own for each window.


_PARTS = ('initializer', 'regularizer', 'constraint')


def layers_without_sharing(module: ModuleType) -> str:
    """Give `layers` LocallyConnected1D and LocallyConnected2D, by K.local_conv1d and K.local_conv2d."""
    new = {name: layer_class for name, layer_class in _layers().items() if name not in vars(module)}
    vars(module).update(new)
    return ', '.join(sorted(new))


@functools.lru_cache(maxsize=None)
def _layers() -> Dict[str, Any]:
    keras: Any = import_module('keras')

    class _Local(keras.layers.Layer):
        rank = 0

        def __init__(
            self,
            filters: int,
            kernel_size: Any,
            strides: Any = 1,
            padding: str = 'valid',
            data_format: Any = None,
            activation: Any = None,
            use_bias: bool = True,
            implementation: int = 1,
            **kwargs: Any,
        ) -> None:
            settings = {
                f'{of}_{kind}': kwargs.pop(f'{of}_{kind}', default if kind == 'initializer' else None)
                for of, default in (('kernel', 'glorot_uniform'), ('bias', 'zeros'))
                for kind in _PARTS
            }
            of_activity = kwargs.pop('activity_regularizer', None)
            super().__init__(activity_regularizer=keras.regularizers.get(of_activity), **kwargs)
            if normalize_padding(padding) != 'valid' or implementation != 1:
                raise ValueError(
                    f'{type(self).__name__} has padding="valid" and implementation=1 here, and was given '
                    f'{padding!r} and {implementation!r}; pad the input with a ZeroPadding layer.'
                )
            self.filters, self.use_bias, self.data_format = filters, use_bias, normalize_data_format(data_format)
            self.kernel_size = normalize_tuple(kernel_size, self.rank, 'kernel_size')
            self.strides = normalize_tuple(strides, self.rank, 'strides')
            self.activation = keras.activations.get(activation)
            for name, value in settings.items():
                setattr(self, name, getattr(keras, f'{name.rpartition("_")[2]}s').get(value))

        def _places(self, shape: Any) -> Tuple[Any, ...]:
            sizes = shape[2:] if self.data_format == 'channels_first' else shape[1:-1]
            return tuple(
                conv_output_length(n, size, 'valid', step)
                for n, size, step in zip(sizes, self.kernel_size, self.strides)
            )

        def build(self, input_shape: Any) -> None:
            channels = input_shape[1 if self.data_format == 'channels_first' else -1]
            sizes = self._places(input_shape)
            if None in sizes or channels is None:
                raise ValueError(
                    f'{type(self).__name__} has a kernel for each window, so the sizes of its input have to be known; '
                    f'it was given {tuple(input_shape)}.'
                )
            count, entries = 1, channels
            for n, size in zip(sizes, self.kernel_size):
                count, entries = count * n, entries * size
            kernel, bias = [{kind: getattr(self, f'{of}_{kind}') for kind in _PARTS} for of in ('kernel', 'bias')]
            self.kernel = self.add_weight(name='kernel', shape=(count, entries, self.filters), **kernel)
            self.bias = None
            if self.use_bias:
                self.bias = self.add_weight(name='bias', shape=(*sizes, self.filters), **bias)
            self.built = True

        def call(self, inputs: Any) -> Any:
            from ...engines import keras3_backend as K

            if self.rank == 1:
                x = K.local_conv1d(inputs, self.kernel, self.kernel_size, self.strides, data_format=self.data_format)
            else:
                sizes = self._places(inputs.shape)
                x = K.local_conv2d(inputs, self.kernel, self.kernel_size, self.strides, sizes, self.data_format)
            if self.bias is not None:
                x = K.bias_add(x, self.bias, data_format=self.data_format)
            return self.activation(x)

        def compute_output_shape(self, input_shape: Any) -> Tuple[Any, ...]:
            sizes = self._places(input_shape)
            if self.data_format == 'channels_first':
                return (input_shape[0], self.filters, *sizes)
            return (input_shape[0], *sizes, self.filters)

        def get_config(self) -> Dict[str, Any]:
            config: Dict[str, Any] = super().get_config()
            for name in ('filters', 'kernel_size', 'strides', 'data_format', 'use_bias'):
                config[name] = getattr(self, name)
            config.update(padding='valid', implementation=1, activation=keras.activations.serialize(self.activation))
            for of in ('kernel', 'bias'):
                for kind in _PARTS:
                    config[f'{of}_{kind}'] = getattr(keras, f'{kind}s').serialize(getattr(self, f'{of}_{kind}'))
            return config

    classes = {}
    for rank in (1, 2):
        name = f'LocallyConnected{rank}D'
        layer = type(name, (_Local,), {'rank': rank, '__module__': __name__})
        classes[name] = keras.saving.register_keras_serializable('keras_backend')(layer)
    return classes


# -- keras.utils.tf_utils ----------------------------------------------------------------------------------------------
# `keras.utils.tf_utils`: the helpers with which layers of a program handle shapes and conditions.


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a layer itself: Keras 3 gives and takes shapes as tuples."""
    return fn


def smart_cond(
    pred: Any,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    name: Any = None,
) -> Any:
    """The result of one of two functions. Only the one that is chosen is called where the condition has a value."""
    from .tf_on_keras.control import cond

    known = constant_value(pred)
    return cond(pred if known is None else bool(known), true_fn or (lambda: None), false_fn or (lambda: None))


def constant_value(pred: Any) -> Any:
    """The value of a condition; None of a tensor."""
    return pred if isinstance(pred, (bool, int, np.bool_, np.integer)) else None


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether `v` is a tensor, or a list that starts with one."""
    from .tf_on_keras.arguments import is_tensor

    first = v[0] if isinstance(v, (list, tuple)) and v else v
    return is_tensor(first)


# -- keras.utils.conv_utils --------------------------------------------------------------------------------------------
# `keras.utils.conv_utils`: the helpers with which layers of convolutions check arguments and tell their sizes.
#
# The formulas are those of docs/semantics.md: a window of `filter_size` entries that are `dilation` apart spans
# (filter_size - 1) * dilation + 1 entries.


_PADDINGS = ('valid', 'same', 'causal', 'full')


def normalize_tuple(value: Any, n: int, name: str, **kwargs: Any) -> Tuple[int, ...]:
    """`value` as a tuple of n whole numbers. A number stands for n of them. Error: ValueError."""
    values = (value,) * n if isinstance(value, int) else value
    try:
        numbers = tuple([int(number) for number in values])
    except (TypeError, ValueError):  # no numbers; the error is below
        numbers = ()
    if len(numbers) != n:
        raise ValueError(f'The `{name}` argument must be a tuple of {n} integers. Received: {value}')
    return numbers


def normalize_padding(value: str) -> str:
    """'valid', 'same', 'causal' or 'full' in small letters. Error: ValueError."""
    padding = value.lower()
    if padding not in _PADDINGS[:3]:
        raise ValueError(
            f"The padding argument must be one of 'valid', 'same' (or 'causal', 1D only). Received: {value}"
        )
    return padding


def normalize_data_format(value: Optional[str]) -> str:
    """'channels_first' or 'channels_last'; None is the one of the settings. Error: ValueError."""
    from keras import config

    data_format: str = (value or config.image_data_format()).lower()
    if data_format not in ('channels_first', 'channels_last'):
        raise ValueError(
            f"The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: {value}"
        )
    return data_format


def conv_output_length(
    input_length: Optional[int], filter_size: int, padding: str, stride: int, dilation: int = 1
) -> Optional[int]:
    """The number of windows along an axis; None for an unknown length."""
    if input_length is None:
        return None
    span = (filter_size - 1) * dilation + 1
    positions = {
        'same': input_length,
        'causal': input_length,
        'valid': input_length - span + 1,
        'full': input_length + span - 1,
    }[padding]
    return (positions + stride - 1) // stride


def conv_input_length(output_length: Optional[int], filter_size: int, padding: str, stride: int) -> Optional[int]:
    """The length that `conv_output_length` makes an output of; None for an unknown one."""
    if output_length is None:
        return None
    pad = {'same': filter_size // 2, 'valid': 0, 'full': filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: Optional[int],
    filter_size: int,
    padding: str,
    output_padding: Optional[int] = None,
    stride: int = 0,
    dilation: int = 1,
) -> Optional[int]:
    """The length of an axis behind a transposed convolution; None for an unknown one."""
    if input_length is None:
        return None
    span = (filter_size - 1) * dilation + 1
    if output_padding is None:
        more = {'valid': max(span - stride, 0), 'same': 0, 'full': 2 - stride - span}[padding]
        return input_length * stride + more
    pad = {'same': span // 2, 'valid': 0, 'full': span - 1}[padding]
    return (input_length - 1) * stride + span - 2 * pad + output_padding
