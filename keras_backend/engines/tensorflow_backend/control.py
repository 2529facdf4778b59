"""Functions, gradients, choices and loops: the part of `TensorFlowLibrary` that builds graphs."""

from typing import Any, Callable, List, Optional, Sequence

from ...basics.dtypes import promote
from ...basics.library import Tensor
from ...errors import ArgumentTypeError, ShapeError
from .functions import Function
from .loops import Loops, needed
from .steps import nested, refuse_escaped
from .tensors.graph import check, describe, graph
from .tensors.tensors import converted, is_variable, used
from .vendor import keep_for_gradients, tf

keep_for_gradients(needed)


class Control(Loops):
    front: Any

    def function(self, inputs: Any, outputs: Any, updates: Any, **kwargs: Any) -> Function:
        return Function(inputs, outputs, [self._with_tensor(u) for u in updates], **kwargs)

    def _with_tensor(self, update: Any) -> Any:
        """An update that is a pair (variable, value) with a tensor for the value; another one as it is."""
        if isinstance(update, (tuple, list)) and len(update) == 2 and is_variable(update[0]):
            return update[0], self.front.operand(update[1], update[0].dtype.base_dtype.name)
        return update

    def gradients(self, loss: Tensor, variables: Sequence[Tensor]) -> List[Any]:
        for x in (loss, *variables):
            check(x)
        graph()
        return [_dense(g, x) for g, x in zip(tf.gradients([used(loss)], variables), variables)]

    def choice(self, condition: Tensor, branches: Sequence[Callable[[], List[Any]]]) -> List[Tensor]:
        outputs: List[List[Tensor]] = []

        def branch(build: Callable[[], List[Any]], dtypes: Optional[List[str]] = None) -> Callable[[], List[Tensor]]:
            def traced() -> List[Tensor]:
                with nested():
                    outputs.append([self.front.operand(value) for value in build()])
                refuse_escaped(outputs[-1])
                return outputs[-1] if dtypes is None else [converted(v, dtype) for v, dtype in zip(outputs[-1], dtypes)]

            return traced

        condition = converted(condition, tf.bool)
        try:
            chosen = tf.cond(condition, *[branch(build) for build in branches])
        except (TypeError, ValueError):  # the branches have other dtypes; all else is raised again
            if len(outputs) != 2:
                raise
            branch_dtypes = [[value.dtype.name for value in values] for values in outputs]
            if branch_dtypes[0] == branch_dtypes[1]:
                raise
            met = [promote(a, b) for a, b in zip(*branch_dtypes)]
            chosen = tf.cond(condition, *[branch(build, met) for build in branches])
        results = list(chosen) if isinstance(chosen, (list, tuple)) else [chosen]
        for result, *pair in zip(results, *outputs[-2:]):
            if all([tensor.graph is result.graph for tensor in pair]):
                # For updates, which can choose between the rows of two gradients.
                result._keras_backend_choice = (condition, *pair)
        return results

    def as_state(self, index: int, new: Tensor, old: Tensor, first: Tensor, what: str) -> Tensor:
        dtype = old.dtype.name
        new = self.front.operand(new, dtype)
        if not new.shape.is_compatible_with(old.shape):
            raise ShapeError(
                f'state {index} changes its shape in {what}: it starts as {describe(first)} of shape {first.shape} and '
                f'the step returns {describe(new)} of shape {new.shape}.'
            )
        if promote(new.dtype.name, dtype) != dtype:
            raise ArgumentTypeError(
                f'state {index} is {dtype}, but {what} returns {new.dtype.name} for it; start it as {new.dtype.name}.'
            )
        new = converted(new, dtype)
        new.set_shape(old.shape)
        return new


def _dense(gradient: Any, x: Tensor) -> Any:
    if isinstance(gradient, tf.Tensor) and gradient.shape.rank is None:
        # A choice between branches of unlike rank forgets it on the way back, too.
        gradient.set_shape(x.shape)
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    dense = tf.convert_to_tensor(gradient)
    # For an optimizer that can make use of it: a lookup touches few of many rows.
    dense._keras_backend_slices = gradient
    return dense
