"""Choices: one of two branches is computed (see `library.Library.choice`)."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ....basics.dtypes import promote
from ....basics.library import Tensor
from ....errors import ShapeError
from ..tensors.operations import OwnLayer, registered
from ..vendor import BACKEND, Numbered, in_symbolic_scope, is_symbolic, keras, state_mapping
from .functional_graph import border
from .gradients import inner_scope
from .recipes import RECORDED, anchored, as_model, model_from, results_of

Tensors = List[Tensor]
Build = Callable[[], Tensors]


class Choices:
    """The part of the library that chooses between branches."""

    front: Any

    def choice(self, condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> Tensors:
        """Build one of two branches where the condition has a value; else record both, and compute one in a run."""

        def building(build: Callable[[], List[Any]]) -> Build:
            return lambda: [self.front.operand(value) for value in build()]

        builds = [building(build) for build in branches]
        condition = keras.ops.cast(condition, 'bool')
        if is_symbolic(condition):
            return _recorded(condition, builds)
        known = _known(condition)
        if known is not None:
            return builds[0 if known else 1]()
        return _chosen(condition, builds)


def _known(condition: Tensor) -> Optional[bool]:
    """The value of a condition, None while something is traced."""
    if in_symbolic_scope():
        return True if BACKEND == 'torch' else None  # shapes alone are asked for
    if BACKEND == 'jax':
        import jax

        return None if isinstance(condition, jax.core.Tracer) else bool(condition)
    if BACKEND == 'tensorflow':
        import tensorflow as tf

        return bool(condition) if tf.executing_eagerly() else None
    return bool(condition)


def _chosen(condition: Tensor, builds: Sequence[Build]) -> Tensors:
    """The choice while TensorFlow or JAX traces."""
    branch_dtypes: List[List[str]] = []

    def run(dtypes: Optional[List[str]] = None) -> Tensors:
        def branch(build: Build) -> Callable[[], Any]:
            def traced() -> Any:
                values = build()
                branch_dtypes.append([keras.backend.standardize_dtype(v.dtype) for v in values])
                return tuple(values if dtypes is None else [keras.ops.cast(v, d) for v, d in zip(values, dtypes)])

            return traced

        return list(keras.ops.cond(condition, *[branch(build) for build in builds]))

    def agreeing() -> Tensors:
        try:
            return run()
        except (TypeError, ValueError):  # the branches have other dtypes; all else is raised again
            pair = branch_dtypes[:2]
            if len(pair) != 2 or pair[0] == pair[1]:
                raise
        return run([promote(a, b) for a, b in zip(*pair)])

    if BACKEND != 'jax':
        return agreeing()
    before = state_mapping()
    with inner_scope() as scope:
        results = agreeing()
        after = scope.state_mapping
    if len(after) == len(before) and all(after[i] is before.get(i) for i in after):
        return results
    # An assignment in a branch (dropout moves its seed on) cannot leave `lax.cond`; so both branches are computed.
    then, other = [build() for build in builds]
    dtypes = [promote(*[keras.backend.standardize_dtype(v.dtype) for v in pair]) for pair in zip(then, other)]
    return [
        keras.ops.where(condition, keras.ops.cast(a, d), keras.ops.cast(b, d)) for a, b, d in zip(then, other, dtypes)
    ]


@registered
class Choice(OwnLayer):
    """Computes one of two recorded branches. `counts` says how many tensors each of them reads."""

    def __init__(self, then: Any, other: Any, counts: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.then, self.other, self.counts = as_model(then), as_model(other), tuple(counts)

    def call(self, condition: Any, *given: Any, training: Optional[bool] = None) -> Tensors:
        first = self.counts[0]
        branches = [(self.then, list(given[:first])), (self.other, list(given[first:]))]

        def building(model: Any, tensors: Tensors) -> Build:
            return lambda: results_of(model, tensors, training)

        builds = [building(*branch) for branch in branches]
        known = _known(condition)
        return _chosen(condition, builds) if known is None else builds[0 if known else 1]()

    def compute_output_spec(self, condition: Any, *given: Any, training: Optional[bool] = None) -> Tensors:
        return [
            keras.KerasTensor([m if m == n else None for m, n in zip(a.shape, b.shape)], a.dtype)
            for a, b in zip(self.then.outputs, self.other.outputs)
        ]

    def get_config(self) -> Dict[str, Any]:
        then, other = [keras.saving.serialize_keras_object(model) for model in (self.then, self.other)]
        return {'then': then, 'other': other, 'counts': list(self.counts), 'name': self.name}


def _recorded(condition: Tensor, builds: Sequence[Build]) -> Tensors:
    """The results of a choice as KerasTensors."""
    # Tensors that are made here belong to a branch, and are computed only there.
    RECORDED.inside.append(condition)
    try:
        with Numbered() as numbered:
            then, other = [build() for build in builds]
            models, read = _models(condition, then, other, numbered)
    finally:
        RECORDED.inside.pop()
    results = Choice(models[0], models[1], [len(inputs) for inputs in read])(condition, *read[0], *read[1])
    return list(results) if isinstance(results, (list, tuple)) else [results]


def _models(condition: Tensor, then: Tensors, other: Tensors, part: Numbered) -> Tuple[List[Any], List[Tensors]]:
    """The branches as models, and the tensors that each of them reads."""
    if BACKEND == 'jax':
        for a, b in zip(then, other):
            if len(a.shape) != len(b.shape):
                raise ShapeError(
                    f'the branches of K.switch return tensors of shapes {tuple(a.shape)} and {tuple(b.shape)}, and JAX '
                    'compiles no choice between tensors that differ in rank.'
                )
    else:
        # A KerasTensor has a rank: axes of size 1 come in front.
        then, other = [[_of_rank(v, len(w.shape)) for v, w in zip(*pair)] for pair in ((then, other), (other, then))]
    dtypes = [promote(*[keras.backend.standardize_dtype(v.dtype) for v in pair]) for pair in zip(then, other)]
    models, read = [], []
    for values in (then, other):
        results = [anchored(_cast(v, d), condition) for v, d in zip(values, dtypes)]
        inputs = border(results, part)
        models.append(model_from(inputs, results))
        read.append(inputs)
    return models, read


def _of_rank(x: Tensor, rank: int) -> Tensor:
    for _ in range(rank - len(x.shape)):
        x = keras.ops.expand_dims(x, 0)
    return x


def _cast(x: Tensor, dtype: str) -> Tensor:
    return x if keras.backend.standardize_dtype(x.dtype) == dtype else keras.ops.cast(x, dtype)
