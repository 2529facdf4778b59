"""Choices and loops, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""

from typing import Any, Callable, Optional

import keras
from keras import ops

from .arguments import K


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: Any = None) -> Any:
    """The result of one of two functions."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    return ops.cond(ops.cast(pred, 'bool'), true_fn, false_fn)


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    maximum_iterations: Optional[int] = None, name: Any = None,
) -> Any:  # fmt: skip
    """The values of a loop when its condition has become false."""
    values = list(loop_vars)
    made = ops.while_loop(cond, lambda *args: tuple(body(*args)), tuple(values), maximum_iterations=maximum_iterations)
    return list(made) if isinstance(loop_vars, list) else tuple(made)


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, name: Any = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """The results of a function of each element."""
    if keras.tree.is_nested(elems) and any(K.is_symbolic(each) for each in keras.tree.flatten(elems)):
        raise ValueError('tf.map_fn of several KerasTensors is not here; put them into one by tf.concat.')
    return K.map_fn(fn, elems) if K.is_symbolic(elems) else ops.map(fn, elems)


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
                   ) -> Any:  # fmt: skip
    """The results of a function of each element, computed together."""
    return ops.vectorized_map(fn, elems)


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """The results so far, after each element."""
    if initializer is None:
        first = keras.tree.map_structure(lambda x: x[:1], elems)
        rest = keras.tree.map_structure(lambda x: x[1:], elems)
        made = scan(fn, rest, keras.tree.map_structure(lambda x: x[0], elems))
        return keras.tree.map_structure(lambda x, y: ops.concatenate([x, y]), first, made)
    start = keras.tree.map_structure(ops.convert_to_tensor, initializer)

    def step(carry: Any, x: Any) -> Any:
        made = fn(carry, x)
        return made, made

    return ops.scan(step, start, elems, reverse=reverse)[1]


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """The result of a function of the result so far and each element."""
    return K.foldl(fn, elems, initializer)
