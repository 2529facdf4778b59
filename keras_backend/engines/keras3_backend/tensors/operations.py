"""Operations of Keras that `keras.ops` does not have: nodes of a graph, saved by their arguments."""

import sys
from typing import Any

from ..vendor import BACKEND, keras

Tensor = Any
registered = keras.saving.register_keras_serializable('keras_backend')


class Alike(keras.Operation):
    """An operation whose result has the shape and the dtype of its first argument."""

    def compute_output_spec(self, x: Tensor, *others: Tensor) -> Tensor:
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

    def call(self, x: Tensor) -> Tensor:
        return x


@registered
class Printed(Alike):
    """The same values, printed with a message on every run."""

    def __init__(self, message: str, name: Any = None) -> None:
        super().__init__(name=name)
        self.message = message

    def call(self, x: Tensor) -> Tensor:
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

    def call(self, x: Tensor) -> Tensor:
        return keras.ops.convert_to_tensor(x, sparse=False)
