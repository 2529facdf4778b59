"""Decoding of connectionist temporal classification, by the kernels of NumPy on every backend."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ....kernels.ctc import ctc_beam, ctc_greedy
from ..tensors.dtypes import name_of, storable_dtype
from ..tensors.operations import registered
from ..vendor import BACKEND, in_symbolic_scope, keras

Tensor = Any
Decoded = Tuple[List[Tensor], Tensor]


@registered
class Decode(keras.Operation):
    """Paths of labels and their scores. `width` is that of the beam, None for the greedy decoder."""

    def __init__(self, paths: int, width: Optional[int], merged: bool, name: Any = None) -> None:
        super().__init__(name=name)
        self.paths, self.width, self.merged = paths, width, merged

    def call(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        if BACKEND == 'tensorflow':
            return self._with_tensorflow(scores, lengths)
        if BACKEND == 'jax':
            import jax

            if isinstance(scores, jax.core.Tracer) or isinstance(lengths, jax.core.Tracer):
                return self._with_jax(scores, lengths)
        if in_symbolic_scope():  # PyTorch asks for shapes alone
            samples, steps = scores.shape[:2]
            return [keras.ops.zeros(spec, dtype) for spec, dtype in self._specs(samples, steps, name_of(scores))]
        arrays = self._decoded(*[keras.ops.convert_to_numpy(x) for x in (scores, lengths)])
        return [keras.ops.convert_to_tensor(x, storable_dtype(x.dtype.name)) for x in arrays]

    def _decoded(self, scores: Any, lengths: Any) -> Sequence[Any]:
        scores, lengths = np.asarray(scores), np.asarray(lengths)
        if self.width is None:
            return ctc_greedy(scores, lengths)
        return ctc_beam(scores, lengths, self.width, self.paths, self.merged)

    def _specs(self, samples: Any, steps: Any, dtype: str) -> List[Tuple[Tuple[Any, Any], str]]:
        paths = [((samples, steps), storable_dtype('int64'))] * self.paths
        return [*paths, ((samples, 1 if self.width is None else self.paths), dtype)]

    def _with_tensorflow(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        import tensorflow as tf

        dtypes = [tf.int64] * self.paths + [scores.dtype]
        tensors = tf.numpy_function(self._decoded, [scores, lengths], dtypes)
        samples = scores.shape[0]
        for x in tensors[:-1]:
            x.set_shape((samples, None))
        tensors[-1].set_shape((samples, 1 if self.width is None else self.paths))
        return list(tensors)

    def _with_jax(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        import jax

        samples, steps = scores.shape[:2]
        specs = self._specs(samples, steps, name_of(scores))

        def full(scores: Any, lengths: Any) -> List[Any]:
            # XLA knows shapes beforehand: as many columns as there are times.
            arrays = list(self._decoded(scores, lengths))
            paths = [np.pad(x, ((0, 0), (0, steps - x.shape[1])), constant_values=-1) for x in arrays[:-1]]
            return [x.astype(dtype) for x, (_spec, dtype) in zip([*paths, arrays[-1]], specs)]

        return list(
            jax.pure_callback(full, [jax.ShapeDtypeStruct(spec, dtype) for spec, dtype in specs], scores, lengths)
        )

    def compute_output_spec(self, scores: Tensor, lengths: Tensor) -> List[Tensor]:
        return [keras.KerasTensor(spec, dtype) for spec, dtype in self._specs(scores.shape[0], None, name_of(scores))]


def decoded(scores: Tensor, lengths: Tensor, paths: int, width: Optional[int], merged: bool) -> Decoded:
    """The `paths` best label sequences, int64 and filled up with -1, and their scores."""
    tensors = Decode(paths, width, merged)(keras.ops.stop_gradient(scores), lengths)
    return list(tensors[:-1]), tensors[-1]
