"""The parts of Keras 3 that this engine uses and Keras does not promise to keep. `_check` looks for them at import."""

import copy
from itertools import count
from types import SimpleNamespace
from typing import Any, Dict, FrozenSet, List, Optional

from ...errors import WrongKeras

try:
    import keras
    from keras.src import backend
    from keras.src.backend.common import global_state
    from keras.src.backend.common.keras_tensor import any_symbolic_tensors  # noqa: F401
    from keras.src.backend.common.stateless_scope import get_stateless_scope, in_stateless_scope
    from keras.src.backend.common.symbolic_scope import in_symbolic_scope  # noqa: F401
    from keras.src.layers.layer import CallContext
    from keras.src.models import functional as graphs_of_layers
except ImportError as error:
    raise ImportError(
        f'keras_backend.keras3 needs Keras 3.12.1 or later ({error}); type: pip install "keras>=3.12.1"'
    ) from error

# The library that Keras runs on: 'tensorflow', 'jax' or 'torch'.
BACKEND: str = keras.backend.backend()
if BACKEND not in ('tensorflow', 'jax', 'torch'):
    raise WrongKeras(
        f'keras_backend.keras3 runs where Keras runs on tensorflow, jax or torch. Keras runs on {BACKEND} here; type: '
        'KERAS_BACKEND=jax python ...'
    )

if BACKEND == 'tensorflow':
    import tensorflow

    if not tensorflow.compat.v1.executing_eagerly_outside_functions():
        raise WrongKeras(
            'keras_backend.keras3: Keras 3 on TensorFlow needs eager mode, and it is turned off in this process. The '
            'TensorFlow engine of K turns it off, and "from keras_backend import keras3" loads that engine; write '
            '"import keras_backend.keras3 as K" where nothing has imported keras_backend before, or run with '
            'KERAS_BACKEND=jax or torch.'
        )

if BACKEND == 'torch':
    import torch


def _class_of_values() -> Any:
    """The class of tensors that have a value.

    Where it has another place, a value is made. The first value starts the devices of TensorFlow and JAX, and a program
    can say no more which of them it wants.
    """
    try:
        if BACKEND == 'tensorflow':
            from tensorflow.python.framework.ops import EagerTensor as found
        elif BACKEND == 'jax':
            from jax._src.array import ArrayImpl as found
        else:
            found = torch.Tensor
    except ImportError:
        found = type(keras.ops.zeros(()))
    return found


# The classes of tensors that have a value, outside of what TensorFlow and JAX trace.
COMPUTED: FrozenSet[Any] = frozenset([_class_of_values()])
if BACKEND == 'torch':
    COMPUTED |= {torch.nn.Parameter}

# The class of all variables of this backend. Before Keras 3.6 the public `keras.Variable` is a class below it.
KerasVariable: Any = backend.Variable


def is_symbolic(x: Any) -> bool:
    """Whether `x` is a tensor of the functional API, which has no value."""
    return isinstance(x, keras.KerasTensor)


def torch_keeps_gradients() -> bool:
    """Whether PyTorch notes what is computed, for gradients."""
    return bool(torch.is_grad_enabled())


def node_of(x: Any) -> Optional[Any]:
    """The node that made the KerasTensor `x`; None of one that nothing made, such as the tensor of an Input."""
    history = getattr(x, '_keras_history', None)
    if history is None or history.operation is None:
        return None
    node = history.operation._inbound_nodes[history.node_index]
    return None if node.is_input else node


def call_context() -> Optional[Any]:
    """The context of the call of a layer that is going on: `.training`, `.entry_layer`; None outside of calls."""
    return global_state.get_global_attribute(_CALL)


# Where Keras keeps the context of the call that is going on.
_CALL = 'current_call_ctx'


class calling:
    """A context that is the call of a layer, in a phase, for the layers that are called in it."""

    def __init__(self, layer: Any, training: Any) -> None:
        self._layer = layer
        self._context = CallContext(entry_layer=layer)
        self._context.training = training

    def __enter__(self) -> None:
        # As a call does. Keras knows losses by their ids: another loss may have that of one that is gone.
        self._layer._clear_losses()
        global_state.set_global_attribute(_CALL, self._context)

    def __exit__(self, *error: Any) -> None:
        global_state.set_global_attribute(_CALL, None)


def reset_uids() -> None:
    """Let the numbers in names begin again."""
    global_state.set_global_attribute('object_name_uids', None)


def set_floatx(floatx: str) -> None:
    """Set `floatx` of Keras, also for the layers that are made from now on.

    The first layer that is made without a dtype fixes the dtype of all later ones, until a policy is set. In Keras 2
    and tf.keras a layer has the `floatx` of its time.
    """
    before = keras.config.floatx()
    keras.config.set_floatx(floatx)
    policy = global_state.get_global_attribute('dtype_policy')
    if policy is not None and policy.name == before:
        global_state.set_global_attribute('dtype_policy', None)


# The settings of Keras, which are those of K.
SETTINGS = SimpleNamespace(
    epsilon=keras.config.epsilon,
    floatx=keras.config.floatx,
    image_data_format=keras.config.image_data_format,
    set_epsilon=keras.config.set_epsilon,
    set_floatx=set_floatx,
    set_image_data_format=keras.config.set_image_data_format,
)


class _NoTrace:
    """A context that leaves the names and the settings of Keras as they were."""

    def __enter__(self) -> None:
        kept = vars(global_state.GLOBAL_STATE_TRACKER)
        self._before = {name: copy.copy(value) for name, value in kept.items()}

    def __exit__(self, *error: Any) -> None:
        kept = vars(global_state.GLOBAL_STATE_TRACKER)
        kept.clear()
        kept.update(self._before)


# How many names a numbered part may take, and the number of the next part.
_ROOM = 10**9
_parts = count(1)
_TENSORS = 'keras_tensor'


class Numbered:
    """A context: what this thread makes in it is told from what was there before, by numbers that nothing else has.

    Keras numbers the names of tensors. It begins again at 1 in each thread, and when its session is cleared.
    """

    def __init__(self) -> None:
        self._first = next(_parts) * _ROOM

    def __enter__(self) -> 'Numbered':
        keras.KerasTensor(())  # now there are numbers
        self._numbers = global_state.get_global_attribute('object_name_uids')
        self._before = self._numbers[_TENSORS]
        self._numbers[_TENSORS] = self._first
        return self

    def __exit__(self, *error: Any) -> None:
        self._numbers[_TENSORS] = self._before

    def __contains__(self, x: Any) -> bool:
        """Whether the KerasTensor `x` was made in this context."""
        kind, _, number = str(x.name).rpartition('_')
        return kind == _TENSORS and number.isdigit() and int(number) >= self._first


def takes_training(layer: Any) -> bool:
    """Whether the call of a layer has the argument `training`."""
    return bool(getattr(layer, '_call_has_training_arg', False))


def calls_in_graphs(layer: Any) -> List[Any]:
    """The nodes of a layer: the calls that graphs have written down."""
    nodes: List[Any] = layer._inbound_nodes
    return nodes


def keep_phase(node: Any, phase: Optional[bool]) -> None:
    """Let a call that a graph has written down be in this phase in all runs; None: in that of the run.

    Keras writes down the default of a call as if it had been given.
    """
    node.arguments.kwargs.pop('training', None)
    if phase is not None:
        node.arguments.kwargs['training'] = node.phase = phase


def kept_phase(node: Any) -> Optional[bool]:
    """The phase that `keep_phase` gave to a node, None if it gave none."""
    phase: Optional[bool] = getattr(node, 'phase', None)
    return phase


def layers_below(layer: Any) -> List[Any]:
    """The layer and all layers that it holds."""
    return list(layer._flatten_layers())


def mask_of(x: Any) -> Optional[Any]:
    """The mask that a tensor carries; None if it carries none."""
    return backend.get_keras_mask(x)


def give_mask(x: Any, mask: Any) -> None:
    """Give a tensor its mask."""
    backend.set_keras_mask(x, mask)


def state_mapping() -> Dict[int, Any]:
    """The values of variables, by their ids, in the scope that holds them; empty where variables hold their own."""
    return dict(get_stateless_scope().state_mapping) if in_stateless_scope() else {}


def scope_values() -> Dict[int, Any]:
    """The same, not a copy: what is put there is the value of a variable in the scope. Only inside of a scope."""
    values: Dict[int, Any] = get_stateless_scope().state_mapping
    return values


class Scope(keras.StatelessScope):
    """A scope that this engine has opened: it knows what becomes of assignments in it."""


class unlocked:
    """A context in which a layer that is built takes new state."""

    def __init__(self, layer: Any) -> None:
        self._tracker = layer._tracker

    def __enter__(self) -> None:
        self._tracker.unlock()

    def __exit__(self, *error: Any) -> None:
        self._tracker.lock()


class _Held:
    """A source of random numbers for Keras: its state is a variable of the model, and no weight."""

    def __init__(self, state: Any) -> None:
        self.state = state


def hold(layer: Any, states: List[Any]) -> None:
    """Let variables be states of a layer: Keras passes their values through each step, and they are no weights."""
    known = {id(v) for v in layer.variables}
    with unlocked(layer):
        layer._seed_generators.extend([_Held(state) for state in states if id(state) not in known])


def takes_sizes(layer: Any) -> None:
    """Let the call of a layer have its arguments as they are, also numbers, which Keras would make tensors of."""
    layer._convert_input_args = False
    layer._allow_non_tensor_positional_args = True


# The attributes of a layer that are used here.
_OF_LAYERS = (
    '_convert_input_args _allow_non_tensor_positional_args _call_has_training_arg _clear_losses _flatten_layers '
    '_metrics _seed_generators _tracker'
).split()


def _check() -> None:
    """Refuse a Keras that does not have the names that are used here."""
    x = keras.KerasTensor((2,))
    with Numbered() as numbered:
        inner = keras.KerasTensor((2,))
    # It has no variable, which would start the devices, and draws no seed.
    layer = keras.layers.Identity()
    y = layer(x)
    node = layer._inbound_nodes[0]
    with keras.StatelessScope() as scope:
        lacking = [] if get_stateless_scope() is scope and in_stateless_scope() else ['get_stateless_scope']
    lacking += [] if inner in numbered and x not in numbered else ['object_name_uids']
    lacking += [
        name
        for there, names in (
            (y, ['_keras_history']),
            (node, ['is_input', 'input_tensors', 'outputs', 'arguments']),
            (node.arguments, ['args', 'kwargs', 'fill_in']),
            (scope, ['state_mapping', 'get_current_value']),
            (layer, _OF_LAYERS),
            (graphs_of_layers, ['operation_fn']),
        )
        for name in names
        if not hasattr(there, name)
    ]
    if lacking:
        raise ImportError(
            f'keras_backend.keras3 was not made for Keras {keras.__version__}, which has no {", ".join(lacking)}; '
            'install a newer keras_backend, or an older Keras.'
        )


with _NoTrace():
    _check()
