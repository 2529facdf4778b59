"""Operations and layers that `keras.ops` does not have, saved by their arguments, and the results of K functions."""

import sys
from typing import Any, Iterator

from ....basics import misuse
from ....graph.nodes.tensor import Operators
from ..vendor import BACKEND, keras, node_of

registered = keras.saving.register_keras_serializable('keras_backend')


class Alike(keras.Operation):
    """An operation whose result has the shape and the dtype of its first argument."""

    def compute_output_spec(self, x: Any, *others: Any) -> Any:
        return keras.KerasTensor(x.shape, x.dtype)


class OwnLayer(keras.layers.Layer):
    """A layer that takes tensors as they are, of any dtype, and that has nothing to build."""

    def __init__(self, **kwargs: Any) -> None:
        # Both, or Keras casts variables to the dtype of a global policy.
        kwargs.update(autocast=False, dtype='float32')
        super().__init__(**kwargs)
        self.built = True


@registered
class Identity(Alike):
    """The same values under a name of its own."""

    def call(self, x: Any) -> Any:
        return x


@registered
class Printed(Alike):
    """The same values, printed with a message on every run."""

    def __init__(self, message: str, name: Any = None) -> None:
        super().__init__(name=name)
        self.message = message

    def call(self, x: Any) -> Any:
        if BACKEND == 'tensorflow':
            import tensorflow as tf

            with tf.control_dependencies([tf.print(self.message, x)]):
                return tf.identity(x)
        if BACKEND == 'jax':
            import jax

            jax.debug.callback(self._print, x, ordered=True)
        else:
            self._print(keras.ops.convert_to_numpy(x))
        return x

    def _print(self, value: Any) -> None:
        # Where TensorFlow prints.
        sys.stderr.write(f'{self.message} {value}\n')


@registered
class Dense(Alike):
    """A sparse matrix as a dense one."""

    def call(self, x: Any) -> Any:
        return keras.ops.convert_to_tensor(x, sparse=False)


# -- sparse tensors ----------------------------------------------------------------------------------------------------
# Which KerasTensors are sparse. Keras marks a product with a number as sparse, too.


def sparse(x: Any) -> bool:
    """Whether the KerasTensor `x` is sparse."""
    waiting = [x]
    while waiting:
        t = waiting.pop()
        node = node_of(t)
        if t.sparse:
            if node is None:
                return True
            waiting += node.input_tensors
    return False


def correct_sparse(x: Any) -> None:
    """Set `sparse` of a dense KerasTensor to False. A model on PyTorch takes no input where it is True."""
    if x.sparse and not sparse(x):
        # Keras has no other way to change it.
        x._sparse = False


# -- results of K functions --------------------------------------------------------------------------------------------
# The results of K functions: KerasTensors whose operators and indices mean what they mean in K.
#
# They are KerasTensors to Keras. What a layer or a function of `keras.ops` returns is a plain KerasTensor, and its
# operators are those of Keras.


class Signs(Operators):
    """The operators of one tensor, and indices, which `Operators` leaves to its classes."""

    def __neg__(self) -> Any:
        return self._front.negative(self)

    def __abs__(self) -> Any:
        return self._front.abs(self)

    def __invert__(self) -> Any:
        return self._front.equal(self, False)

    def __getitem__(self, item: Any) -> Any:
        return self._front.item(self, item)


class Tensor(Signs, keras.KerasTensor):
    """A KerasTensor that K has made. `==` and `!=` are those of Keras: they compare element by element."""

    def __len__(self) -> int:
        length = self.shape[0] if self.shape else None
        if length is None:
            raise TypeError(
                f'The length of {self.name} (shape {tuple(self.shape)}) is not known while the model is built. '
                f'{misuse.LENGTH}.'
            )
        return int(length)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape or self.shape[0] is None:
            raise TypeError(
                f'{self.name} (shape {tuple(self.shape)}) cannot be iterated: its length is not known while the model '
                f'is built. {misuse.ITERATION}.'
            )
        return (self[i] for i in range(self.shape[0]))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return misuse.apply_ufunc(self, ufunc, method, inputs, named)

    @property
    def __jax_array__(self) -> Any:
        # JAX then leaves `array * tensor` to the tensor.
        raise AttributeError('a KerasTensor has no value')


def as_k_tensor(x: Any) -> Any:
    """`x` itself, with each KerasTensor in it as one of K's: a tensor, or a list or tuple."""
    if x.__class__ is keras.KerasTensor:
        x.__class__ = Tensor
        correct_sparse(x)
    elif x.__class__ is list or x.__class__ is tuple:
        for member in x:
            as_k_tensor(member)
    return x
