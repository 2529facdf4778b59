"""`keras.backend.tensorflow_backend`: names that are no K functions, and the variables of TensorFlow 1."""

import functools
import sys
from collections.abc import MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List

from . import keras_cures, tensorflow_cures
from .tensorflow_cures import TensorFlow1, real


def names_in_keras(keras: ModuleType) -> str:
    """Give `tf` to modules of Keras that have it on its own TensorFlow engine: for tf.train optimizers, TensorBoard."""
    changed = []
    for name in sorted(sys.modules):
        module = sys.modules[name]
        if name.startswith(keras_cures.SHORT_NAME_FOR) and not hasattr(module, 'tf'):
            setattr(module, 'tf', sys.modules['tensorflow'])  # noqa: B010
            changed.append(name)
    return ', '.join(changed)


def _private(path: str) -> Any:
    def get() -> Any:
        return import_module(path)

    return get


def private_modules(keras: ModuleType) -> str:
    """Give `K.tf`, `K.control_flow_ops`, `K.ctc` and other modules that Keras 2 has there by its own imports."""
    ops = 'tensorflow.python.ops.'
    names: keras_cures.Names = {
        'tf': lambda: sys.modules['tensorflow'],
        **{name: _private(ops + name) for name in ('control_flow_ops', 'tensor_array_ops', 'functional_ops')},
        'ctc': _private(ops + 'ctc_ops'),
        **{f'tf_{name}': _private(ops + name) for name in ('math_ops', 'state_ops', 'image_ops')},
        'tf_ops': _private('tensorflow.python.framework.ops'),
        'tfdev': _private('tensorflow.python.framework.device'),
        'moving_averages': _private('tensorflow.python.training.moving_averages'),
        'device_lib': _private('tensorflow.python.client.device_lib'),
        'config_pb2': _private('tensorflow.core.protobuf.config_pb2'),
        'context': _private('tensorflow.python.eager.context'),
    }
    for module in sys.modules['keras.backend'], keras_cures.backend_module():
        keras_cures.look_up(module, names)
    return ', '.join('K.' + name for name in names)


class _LearningPhases(MutableMapping):  # type: ignore[type-arg]
    """`K._GRAPH_LEARNING_PHASES`: the learning phase of each graph, a number or a tensor.

    The tensor that K.learning_phase() gave before it was set to a number makes it depend on the feed again.
    """

    def __init__(self, K: ModuleType) -> None:
        self._K = K
        self._set: Dict[Any, Any] = {}

    def __getitem__(self, graph: Any) -> Any:
        with graph.as_default():
            return self._K.learning_phase()

    def __setitem__(self, graph: Any, phase: Any) -> None:
        with graph.as_default():
            if self._K.is_tensor(phase):
                engine: Any = sys.modules[keras_cures.engine_module()]
                engine._engine.front.library.set_learning_phase(phase)
            else:
                self._K.set_learning_phase(phase)
        self._set[graph] = phase

    def __delitem__(self, graph: Any) -> None:
        del self._set[graph]

    def __contains__(self, graph: Any) -> bool:
        if graph in self._set:
            return True
        try:
            return bool(graph.get_tensor_by_name('keras_learning_phase:0').graph is graph)
        except KeyError:  # nothing has asked for the phase of this graph
            return False

    def __iter__(self) -> Iterator[Any]:
        return iter(self._set)

    def __len__(self) -> int:
        return len(self._set)


def private_functions(keras: ModuleType) -> str:
    """Give `K.tensorflow_backend._get_available_gpus`, `_to_tensor`, `_GRAPH_LEARNING_PHASES` and similar names."""
    K, module = sys.modules['keras.backend'], keras_cures.backend_module()
    names = _functions(K)
    vars(module).update(names)
    phases = _LearningPhases(K)
    for each in K, module:
        vars(each).update(_GRAPH_LEARNING_PHASES=phases)
    keras_cures.look_up(module, {'_SESSION': K.get_session, '_LOCAL_DEVICES': _devices})
    return ', '.join(names)


def _devices() -> List[str]:
    return [
        f'/job:localhost/replica:0/task:0/device:{device.name.split(":", 1)[1]}'
        for device in tensorflow_cures.real().config.list_physical_devices()
    ]


def _functions(K: ModuleType) -> Dict[str, Any]:
    tf = sys.modules['tensorflow']

    def _get_available_gpus() -> List[str]:
        """The names of the GPUs of this machine."""
        return [name for name in _devices() if 'device:GPU' in name]

    def _to_tensor(x: Any, dtype: Any) -> Any:
        """A value as a tensor with the given dtype."""
        return tf.convert_to_tensor(x, dtype=dtype)

    def _preprocess_padding(padding: str) -> str:
        """'same' and 'valid' in the spelling of TensorFlow."""
        return padding.upper()

    def _spatial(format_name: str) -> Any:
        rank = len(format_name)

        def preprocess(x: Any, data_format: str, force_transpose: bool = False) -> Any:
            """An input with its channels last, and the name of that order."""
            if data_format == 'channels_first':
                x = K.permute_dimensions(x, (0,) + tuple(range(2, rank)) + (1,))
            return x, format_name

        return preprocess

    def normalize_in_training(x: Any, gamma: Any, beta: Any, reduction_axes: Any, epsilon: float = 1e-3) -> Any:
        """`K.normalize_batch_in_training`."""
        return K.normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon)

    def transpose_shape(shape: Any, target_format: str, spatial_axes: Any) -> Any:
        """A shape with the channels last, in the order of the target format."""
        if target_format == 'channels_first':
            return tuple(shape[: spatial_axes[0]]) + (shape[-1],) + tuple(shape[axis] for axis in spatial_axes)
        return tuple(shape)

    return {
        '_get_available_gpus': _get_available_gpus,
        '_to_tensor': _to_tensor,
        '_preprocess_padding': _preprocess_padding,
        '_preprocess_conv1d_input': _spatial('NWC'),
        '_preprocess_conv2d_input': _spatial('NHWC'),
        '_preprocess_conv3d_input': _spatial('NDHWC'),
        '_regular_normalize_batch_in_training': normalize_in_training,
        '_broadcast_normalize_batch_in_training': normalize_in_training,
        '_fused_normalize_batch_in_training': normalize_in_training,
        '_has_nchw_support': lambda: bool(_get_available_gpus()),
        '_is_tf_1': lambda: True,
        '_has_compat_v1': lambda: True,
        '_get_current_tf_device': lambda: None,
        '_is_current_explicit_device': lambda device_type: False,
        'get_graph': tf.get_default_graph,
        'transpose_shape': transpose_shape,
    }


# -- variables ---------------------------------------------------------------------------------------------------------
# Variables of TensorFlow 1: buffers that an operation changes in place and hands on, rather than resources.
#
# `tf.assign(v, x)` gives the buffer itself there. So `tf.scatter_update(tf.assign(v, zeros), [1], [5.])` changes one
# row of zeros; with a resource it changes one row of what the variable was before, without a word. The variables of K
# stay resources.


CONTROL_FLOW = ('cond', 'case', 'while_loop')


def made_by_default(keras: ModuleType) -> str:
    """Let `tf.Variable` and `tf.get_variable` make the variables of TensorFlow 1, unless `use_resource` is given."""
    seen: Any = sys.modules['tensorflow']
    logger = real().get_logger()
    level = logger.level
    logger.setLevel('ERROR')  # TensorFlow says that it may not have these variables for ever
    try:
        real().compat.v1.disable_resource_variables()
    finally:
        logger.setLevel(level)
    if isinstance(seen, TensorFlow1):
        vars(seen).update({name: _with_variables(name) for name in CONTROL_FLOW})
    return ', '.join(f'tf.{name}' for name in ('Variable', 'get_variable', *CONTROL_FLOW))


def _with_variables(name: str) -> Callable[..., Any]:
    """A function of control flow whose parts may assign to variables of TensorFlow 1.

    The functions of TensorFlow 2, which a choice or a loop becomes, do not take such variables from outside.
    """
    function: Any = getattr(real().compat.v1, name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if '_ref' not in str(error):
                raise
        return _by_switches(lambda: function(*args, **kwargs))

    return call


def first_values(keras: ModuleType) -> str:
    """Give variables `v.initialized_value()`: the value, or the first value as long as there is none."""
    names = []
    for path, name in ('ref_variable', 'RefVariable'), ('resource_variable_ops', 'ResourceVariable'):
        cls = getattr(import_module('tensorflow.python.ops.' + path), name)
        if cls.initialized_value is real().Variable.initialized_value:  # which raises NotImplementedError
            cls.initialized_value = _initialized_value
            names.append(f'{name}.initialized_value')
    return ', '.join(names)


def _initialized_value(variable: Any) -> Any:
    tf = real().compat.v1
    with real().init_scope():
        return _by_switches(
            lambda: tf.cond(
                tf.is_variable_initialized(variable), variable.read_value, lambda: tf.identity(variable.initial_value)
            )
        )


def _by_switches(make: Callable[[], Any]) -> Any:
    from .tensorflow1.framework import by_switches  # which imports TensorFlow

    return by_switches(make)
