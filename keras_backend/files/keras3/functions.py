"""Functions of `Lambda` layers and the masks of calls in Keras 3."""

import json
import warnings
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...errors import KerasBackendError, RefusedCodeError
from ..building.builder import RECURRENT
from ..building.layer_of_file import as_json
from ..lambdas import function, likely_pythons, tensorflow_of
from ..layers.core import as_given, takes
from ..structure import Call, File, Layer
from .own_layers import LayerOfFile, k_inside_keras, keras, registered

# -- functions ---------------------------------------------------------------------------------------------------------
# Functions of `Lambda` layers in Keras 3: as operations of Keras where they are nothing else, else a layer of ours.
#
# A function is interpreted (`files.lambdas`), and never run as Python code. Called with KerasTensors, it leaves
# operations. If all of these are operations of Keras itself, they become a small model under the name of the layer,
# and a saved model needs nothing of this package. Otherwise a `FileLambda` keeps the text of the function and
# interprets it in each call.


Stored = Dict[str, Any]
Pythons = Optional[Sequence[Sequence[int]]]


def is_code(stored: Any) -> bool:
    """Whether a configuration holds the code of a function, rather than its name."""
    return isinstance(stored, dict) and 'code' in stored


def made(
    stored: Stored, layer: str, names: Mapping[str, Any], likely: Pythons = None, tensorflow: Optional[int] = None
) -> Callable[..., Any]:
    """The function of a code that a configuration holds, over K inside Keras 3.

    stored: {'code', 'defaults', 'closure'}. layer: the name of the layer. names: those of the program that wrote the
    file, with their values. likely: the Pythons that come first. tensorflow: 1 or 2, its version where it matters.
    Errors: UnreadableCodeError, RefusedCodeError.
    """
    pythons = None if likely is None else [(int(major), int(minor)) for major, minor in likely]
    return function(
        stored['code'], k_inside_keras(), stored.get('defaults'), stored.get('closure'), names, pythons, layer,
        tensorflow if tensorflow in (1, 2) else None,
    )  # fmt: skip


@registered
class FileLambda(keras.layers.Layer):
    """The function of a `Lambda` layer of a file, interpreted. Its configuration is plain data.

    function, mask: {'code': text, 'defaults': ..., 'closure': ...} as the file has them; mask may be None. arguments:
    those by keyword. names: names of the program that wrote the file, with their values. Functions among them are not
    saved: the program that opens a saved model gives them with `custom_objects`. likely: the Pythons of the time of the
    file, as [major, minor]. tensorflow: 1 or 2, whose meaning `tf.image.resize` has.
    """

    def __init__(
        self,
        function: Stored,
        mask: Optional[Stored] = None,
        arguments: Optional[Mapping[str, Any]] = None,
        names: Optional[Mapping[str, Any]] = None,
        likely: Pythons = None,
        tensorflow: Optional[int] = None,
        **kwargs: Any,
    ) -> None:
        """Read the code. Errors: UnreadableCodeError, RefusedCodeError."""
        super().__init__(**kwargs)
        self._stored, self._stored_mask = as_json(function), as_json(mask)
        self._arguments, self._names = dict(arguments or {}), dict(names or {})
        known = {**keras.saving.get_custom_objects(), **self._names}
        self._tensorflow = tensorflow
        self._likely = None if likely is None else [list(python) for python in likely]
        self._function = made(function, self.name, known, likely, tensorflow)
        self._mask = None if mask is None else made(mask, self.name, known, likely, tensorflow)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """The function of the inputs."""
        return self._result(self._function, inputs, mask, training)

    def _result(self, given: Callable[..., Any], inputs: Any, mask: Any, training: Any) -> Any:
        more = dict(self._arguments)
        for name, value in (('mask', mask), ('training', training)):
            if name not in more and takes(given, name):
                more[name] = value
        return given(inputs, **more)

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask that the file says; None where it says none, as in Keras 2."""
        return None if self._mask is None else self._mask(inputs, previous_mask)

    def get_config(self) -> Dict[str, Any]:
        """The text of the function, and what it is called with."""
        names = {key: as_json(value) for key, value in self._names.items() if _is_data(value)}
        return {
            **super().get_config(),
            'function': self._stored,
            'mask': self._stored_mask,
            'arguments': as_json(self._arguments),
            'names': names,
            'likely': self._likely,
            'tensorflow': self._tensorflow,
        }


def _is_data(value: Any) -> bool:
    try:
        json.dumps(as_json(value))
    except (TypeError, ValueError):  # what json raises for what is no plain data
        return False
    return True


def layer_of(file: File, layer: Layer, name: str, names: Mapping[str, Any]) -> Any:
    """A layer of Keras 3 for a `Lambda` of a file, which interprets the function in each call."""
    config = layer.config
    times = likely_pythons(file), tensorflow_of(file)
    return FileLambda(config['function'], config.get('mask'), config.get('arguments'), names, *times, name=name)


def plain(called: Callable[..., Any], config: Mapping[str, Any], name: str) -> Any:
    """A `Lambda` of Keras 3 for a function of the user."""
    return keras.layers.Lambda(called, arguments=dict(config.get('arguments') or {}), name=name)


def as_operations(layer: Layer, called: Callable[..., Any], tensors: List[Any], name: str) -> Any:
    """The function of a `Lambda` as a model of operations of Keras; None, if it is more than that.

    called: the function. tensors: the KerasTensors that the layer is called with.
    Error: RefusedCodeError.
    """
    config = layer.config
    if config.get('mask') is not None or takes(called, 'mask') or takes(called, 'training'):
        return None
    inputs = [keras.Input(batch_shape=tuple(x.shape), dtype=x.dtype) for x in tensors]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            outputs = called(inputs[0] if len(inputs) == 1 else list(inputs), **(config.get('arguments') or {}))
            results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
            if any([not isinstance(x, keras.KerasTensor) or any([x is tensor for tensor in inputs]) for x in results]):
                return None
            plain_outputs = of_keras_alone(inputs, results)
            if plain_outputs is None:
                return None
            model = keras.Model(
                inputs, plain_outputs if isinstance(outputs, (list, tuple)) else plain_outputs[0], name=name
            )
            config = keras.saving.serialize_keras_object(model)
            json.dumps(config)
            if not _is_of_operations(config):
                return None
            model.from_config(model.get_config())
    except RefusedCodeError:
        raise
    except (KerasBackendError, TypeError, ValueError, AttributeError, RuntimeError, NotImplementedError, IndexError):
        # What cannot be said for unknown sizes may be computed with known ones.
        return None
    return model


# What Keras writes for the tensors and the arguments of operations.
_VALUES = ('__keras_tensor__', '__tensor__', '__numpy__', '__tuple__', '__slice__', '__ellipsis__')
_OF_ARGUMENTS = frozenset([('keras', 'DTypePolicy'), *[(None, name) for name in _VALUES]])


def _is_of_operations(config: Any) -> bool:
    """Whether a configuration has operations and tensors alone. The function of a file may put any dict in it."""
    own = {(layer['module'], layer['class_name']) for layer in config['config']['layers']} | _OF_ARGUMENTS
    return set(_objects(config['config'])) <= own


def _objects(config: Any) -> Iterator[Tuple[Any, Any]]:
    if isinstance(config, dict):
        if 'class_name' in config:
            yield config.get('module'), config['class_name']
        config = list(config.values())
    if isinstance(config, (list, tuple)):
        for entry in config:
            yield from _objects(entry)


# -- operations of K ---------------------------------------------------------------------------------------------------
# Operations of K inside Keras 3 that Keras itself has for tensors of at least one row.


def of_keras_alone(inputs: Sequence[Any], outputs: Sequence[Any]) -> Optional[List[Any]]:
    """The outputs, computed from the inputs by operations of Keras; None where an operation of K is none of them."""
    from ...engines.keras3_backend.graph.functional_graph import walk

    values = {id(x): x for x in inputs}
    for node in walk(outputs, values).nodes:
        operation = node.operation
        args, kwargs = node.arguments.fill_in(values)
        if type(operation).__module__.partition('.')[0] == 'keras':
            result = operation(*args, **kwargs)
        else:
            result = _IN_KERAS.get(type(operation).__name__, _not_in_keras)(operation, *args)
        results = [] if result is None else keras.tree.flatten(result)
        if len(results) != len(node.outputs) or not all(map(_alike, node.outputs, results)):
            return None
        values.update(zip(map(id, node.outputs), results))
    return [values.get(id(x), x) for x in outputs]


def _alike(a: Any, b: Any) -> bool:
    """Whether two KerasTensors have one dtype, and shapes that may be the same."""
    is_same = len(a.shape) == len(b.shape) and all([n == m or None in (n, m) for n, m in zip(a.shape, b.shape)])
    return is_same and a.dtype == b.dtype


def _not_in_keras(operation: Any, *args: Any) -> None:
    return None


def _extreme(operation: Any, x: Any) -> Any:
    if 0 in x.shape:  # Keras has no largest one of none
        return None
    return getattr(keras.ops, operation.function)(x, axis=operation.axes, keepdims=operation.keepdims)


def _activation(operation: Any, x: Any) -> Any:
    return getattr(keras.ops, operation.kind)(x)


def _sized(operation: Any, *args: Any) -> Any:
    sizes, kind = operation.template, operation.primitive
    if None in sizes or len(args) != operation.count:  # sizes that only a run knows
        return None
    if kind == 'reshape':
        return keras.ops.reshape(args[0], tuple(sizes))
    if kind == 'tile':
        return keras.ops.tile(args[0], list(sizes))
    if kind == 'slice_axis':
        return keras.ops.get_item(args[0], (slice(None),) * operation.options['axis'] + (slice(*sizes),))
    return None


def _item(operation: Any, x: Any, *given: Any) -> Any:
    key: List[Any] = []
    for entry in operation.spec:
        if entry in ('new', 'rest'):
            key.append(None if entry == 'new' else Ellipsis)
        elif isinstance(entry, int):
            key.append(entry)
        elif entry[0] == 'slice' and all([bound is None or isinstance(bound, int) for bound in entry[1:]]):
            key.append(slice(*entry[1:]))
            if (entry[3] or 1) < 0:  # PyTorch takes forwards alone
                return None
        else:
            return None
    return keras.ops.get_item(x, tuple(key))


def _windows(operation: Any, *args: Any) -> Any:
    """A layer for a pooling, because that of `keras.ops` does not open again."""
    if operation.kind in ('conv', 'depthwise_conv'):
        return _convolution(operation, *args)
    options, x = operation.options, args[0]
    window, padding = options.get('window'), options.get('padding')
    # Of an average over the border PyTorch counts what is not there.
    if operation.kind not in _POOLS or None in (window, padding) or (operation.kind, padding) == ('avg_pool', 'same'):
        return None
    pool = getattr(keras.layers, f'{_POOLS[operation.kind]}{len(window)}D')
    return pool(tuple(window), tuple(options['strides']), padding, 'channels_last', dtype=x.dtype)(x)


def _convolution(operation: Any, x: Any, kernel: Any) -> Any:
    options = operation.options
    strides, dilation = set(options['strides']), set(options['dilation'])
    # A list of numbers comes out of a file as what TensorFlow does not take.
    if options['padding'] == 'causal' or len(strides) > 1 or len(dilation) > 1 or max(strides) > 1 < max(dilation):
        return None
    convolve = keras.ops.conv if operation.kind == 'conv' else keras.ops.depthwise_conv
    return convolve(x, kernel, max(strides), options['padding'], 'channels_last', max(dilation))


def _identity(operation: Any, x: Any) -> Any:
    return x


_POOLS = {'max_pool': 'MaxPooling', 'avg_pool': 'AveragePooling'}
_IN_KERAS: Dict[str, Callable[..., Any]] = {
    'Extreme': _extreme,
    'Activation': _activation,
    'Sized': _sized,
    'Item': _item,
    'Windows': _windows,
    'Identity': _identity,
}


# -- masks -------------------------------------------------------------------------------------------------------------
# The masks of a call, as arguments of a layer of Keras 3.
#
# Keras 3 hands the mask of an input to a layer by itself where no other argument has tensors. Keras 2 does so always.


def of_call(layer: Layer, made: Any, call: Call) -> Dict[str, Any]:
    """The masks of the inputs by the names of the arguments; nothing where no input has one.

    made: the layer of Keras 3. call: its call with KerasTensors.
    """
    # The layer gets the other inputs of a recurrent one as its states.
    inputs = call.inputs[:1] if layer.kind in RECURRENT and not isinstance(made, LayerOfFile) else call.inputs
    masks = [mask_of(x) for x in inputs]
    if all([mask is None for mask in masks]) or not takes(made.call, 'mask'):
        return {}
    return {'mask': as_given(masks)}


def mask_of(x: Any) -> Any:
    """The mask that a KerasTensor carries; None if it carries none."""
    return getattr(x, '_keras_mask', None)
