"""`K.variable`, variables in the graph of the functional API, and the seeds of random tensors."""

from typing import Any, Dict, Optional, Sequence

import numpy as np

from ....errors import ArgumentValueError, KerasBackendError
from ..tensors.operations import OwnLayer, Tensor, as_k_tensor, registered
from ..vendor import (
    BACKEND,
    Scope,
    call_context,
    get_stateless_scope,
    in_stateless_scope,
    in_symbolic_scope,
    is_symbolic,
    keras,
    layers_below,
    torch_keeps_gradients,
    unlocked,
)
from .draws import OF_LAYER, source_of_the_run
from .updates import LOCK


class StaleVariable(KerasBackendError, RuntimeError):
    """A variable that belongs to no layer was set after JAX froze its value, or while JAX compiles."""


class Variable(keras.Variable):
    """The result of K.variable: a variable of Keras that JAX cannot freeze.

    `fit` of a model compiles with the values of the variables that belong to the model. Any other variable is a
    constant for JAX from then on. Many losses read such constants. What is assigned to one later would not be seen, so
    it raises.
    """

    _front: Any = None
    _frozen = False

    @property
    def _lost(self) -> bool:
        return (
            BACKEND == 'jax'
            and in_stateless_scope()
            and not in_symbolic_scope()
            and get_stateless_scope().get_current_value(self) is None
        )

    @property
    def value(self) -> Any:
        if self._lost:
            self.__dict__['_frozen'] = True
        return super().value

    def assign(self, value: Any, **older: Any) -> Any:
        if self._lost:
            raise StaleVariable(
                f'The variable {self.name} belongs to no layer, and jax.jit would lose this update; assign it to '
                'the model (model.x = variable) or to a layer, or make it with add_weight.'
            )
        if self._frozen and not in_stateless_scope():
            raise StaleVariable(
                f'The variable {self.name} belongs to no layer, and jax.jit froze its value when a model was compiled, '
                'so this update would not be seen; before that, assign it to the model (model.x = variable) or to a '
                'layer, or make it with add_weight.'
            )
        check_kept(self)
        return super().assign(value, **older)


def check_kept(variable: Any) -> None:
    """Raise StaleVariable where an update in the call of a layer would be lost: JAX keeps what the optimizer makes."""
    if (
        BACKEND == 'jax'
        and variable.trainable
        and call_context() is not None
        and not in_symbolic_scope()
        and in_stateless_scope()
        and not isinstance(get_stateless_scope(), Scope)
    ):
        raise StaleVariable(
            f'The variable {variable.name} is trainable, and on JAX `fit` keeps only what the optimizer makes of it, '
            'so this update would be lost; say variable.trainable = False before the model is compiled, or run on '
            'TensorFlow or PyTorch: set KERAS_BACKEND=torch.'
        )


def variable(value: Any, dtype: str, name: Optional[str], constraint: Any) -> Variable:
    """A variable that starts with the array `value`."""
    context = call_context()
    if in_stateless_scope() or (context is not None and not in_symbolic_scope() and _traced()):
        raise ArgumentValueError(
            'K.variable: Keras makes no variables in the call of a layer, a loss or a metric; make it in the build '
            'of the layer, with self.add_weight or K.variable.'
        )
    instance = Variable(
        value,
        dtype=dtype,
        trainable='float' in dtype,  # PyTorch has gradients of floats only
        name=named(name),
    )
    instance.constraint = constraint
    return instance


def no_new_variables() -> bool:
    """Whether variables cannot be made here: in the call of a layer, and where a loss or a metric is compiled."""
    return call_context() is not None or in_stateless_scope() or _traced()


def named(name: Optional[str]) -> Optional[str]:
    """A name that Keras takes."""
    return None if name is None else name.replace('/', '_')


def _traced() -> bool:
    """Whether TensorFlow is making a graph now."""
    if BACKEND != 'tensorflow':
        return False
    import tensorflow as tf

    return not tf.executing_eagerly()


def _operator(name: str) -> None:
    """Let a product of our variables take a KerasTensor, which those of Keras refuse."""
    of_keras = getattr(keras.Variable, name)

    def operate(self: Variable, other: Any) -> Any:
        if is_symbolic(other):
            return getattr(as_k_tensor(read(self, other)), name)(other)
        # K multiplies matrices. What has more axes Keras multiplies, as TensorFlow does.
        are_matrices = len(self.shape) == 2 and np.ndim(other) == 2
        return getattr(Tensor, name)(self, other) if are_matrices else of_keras(self, other)

    operate.__name__ = name
    setattr(Variable, name, operate)


for _name in 'matmul rmatmul'.split():
    _operator(f'__{_name}__')


def _comparison(name: str, of_k: str) -> None:
    of_keras = getattr(keras.Variable, name)

    def compare(self: Variable, other: Any) -> Any:
        comparable = isinstance(other, _NUMBERS) or is_symbolic(other) or keras.ops.is_tensor(other)
        return getattr(self._front, of_k)(self, other) if comparable else of_keras(self, other)

    setattr(Variable, name, compare)


def _of_k(name: str) -> None:
    # Dtypes meet as in K; a KerasTensor beside the variable makes it a weight of the model.
    setattr(Variable, name, getattr(Tensor, name))


for _name in 'add sub mul truediv floordiv mod pow'.split():
    _of_k(f'__{_name}__')
    _of_k(f'__r{_name}__')
for _name in 'lt le gt ge neg abs getitem'.split():
    _of_k(f'__{_name}__')
_NUMBERS = (bool, int, float, np.ndarray, np.generic, keras.Variable)
_comparison('__eq__', 'equal')
_comparison('__ne__', 'not_equal')
setattr(Variable, '__hash__', keras.Variable.__hash__)  # noqa: B010
# The operator of an array of NumPy leaves the variable to its own operators.
setattr(Variable, '__array_priority__', 100)  # noqa: B010


def value_now(variable: Any) -> Any:
    """The value of a variable as a tensor that keeps it; TensorFlow would hand out the variable itself."""
    if BACKEND == 'jax' and variable._value is None and in_stateless_scope() and not in_symbolic_scope():
        if get_stateless_scope().get_current_value(variable) is None:
            raise StaleVariable(
                f'The value of {variable.path} is not there: on JAX, Keras hands a metric its own variables only. Make '
                'what the metric needs an output of the model, or call model.compile(..., run_eagerly=True).'
            )
    if BACKEND == 'torch' and variable.trainable:
        return variable.value
    value = keras.ops.convert_to_tensor(variable.value)
    if BACKEND == 'torch' and torch_keeps_gradients():
        # An update in the same call would change in place what the gradient still reads.
        return value.clone()
    return value.read_value() if hasattr(value, 'read_value') else value


@registered
class ReadVariable(OwnLayer):
    """The value of a variable as a tensor of a graph; it makes the variable a weight of the model.

    A node needs an input: `anchor` is any tensor of the graph, and its value is not used.
    """

    def __init__(
        self,
        shape: Sequence[int] = (),
        variable_dtype: str = 'float32',
        variable_trainable: bool = True,
        variable: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._config = {
            'shape': list(shape),
            'variable_dtype': variable_dtype,
            'variable_trainable': variable_trainable,
        }
        if variable is None:
            variable = self.add_weight(
                shape=tuple(shape), dtype=variable_dtype, trainable=variable_trainable, autocast=False, name='value'
            )
        self.variable = variable

    def call(self, anchor: Any) -> Any:
        return value_now(self.variable)

    def compute_output_spec(self, anchor: Any) -> Any:
        return keras.KerasTensor(self.variable.shape, keras.backend.standardize_dtype(self.variable.dtype))

    def get_config(self) -> Dict[str, Any]:
        return {**self._config, 'name': self.name}


def read(variable: Any, anchor: Any) -> Any:
    """The value of `variable` as a tensor of the graph of the KerasTensor `anchor`."""
    with LOCK:
        reader = variable.__dict__.get('_keras_backend_reader')
        if reader is None:
            # One layer for one variable, or the same weight would be saved twice.
            reader = ReadVariable(
                tuple(variable.shape),
                keras.backend.standardize_dtype(variable.dtype),
                bool(variable.trainable),
                variable=variable,
            )
            variable.__dict__['_keras_backend_reader'] = reader
    return reader(anchor)


class _HostSeeds(keras.random.SeedGenerator):
    """Seeds that the host draws in every run of what JAX has compiled."""

    def __init__(self) -> None:
        """Without a state of its own: a variable would start the devices of JAX, and Keras would draw a seed for it."""

    def next(self, ordered: bool = True) -> Any:
        import jax
        from jax.experimental import io_callback

        return io_callback(_drawn_seed, jax.ShapeDtypeStruct((2,), 'uint32'))


def _drawn_seed() -> Any:
    return np.random.randint(1 << 31, size=2).astype('uint32')


_HOST_SEEDS = _HostSeeds() if BACKEND == 'jax' else None


def generator() -> Optional[Any]:
    """The source of random numbers for what is being called or compiled; None is Keras's own.

    JAX takes no other than one whose state belongs to the model. It is made while Keras asks the layer for shapes, and
    kept by the layer. A Lambda that was told its output_shape is not asked, and losses have no layer: the host draws
    their seeds.
    """
    context = call_context()
    tracing = BACKEND == 'jax' and in_stateless_scope() and not in_symbolic_scope()
    if context is None:
        return source_of_the_run() or (_HOST_SEEDS if tracing else None)
    entry = context.entry_layer
    with LOCK:
        for layer in layers_below(entry):
            source = vars(layer).get(OF_LAYER)
            if source is not None:
                return source
        seeds = source_of_the_run() or (_HOST_SEEDS if tracing else None)
        if seeds is not None:
            return seeds
        with unlocked(entry):
            seeds = keras.random.SeedGenerator()
            setattr(entry, OF_LAYER, seeds)
    return seeds
