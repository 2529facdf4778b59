"""Choices, loops and `tf.debugging` of tensors of Keras, by the names and arguments of TensorFlow 2.

Source: its documentation.
"""

from typing import Any, Callable, Optional

import keras
import numpy as np
from keras import ops

from .arguments import K, is_tensor


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
    final = ops.while_loop(cond, lambda *args: tuple(body(*args)), tuple(values), maximum_iterations=maximum_iterations)
    return list(final) if isinstance(loop_vars, list) else tuple(final)


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, name: Any = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """The results of a function of each element."""
    if keras.tree.is_nested(elems) and any(K.is_symbolic(tensor) for tensor in keras.tree.flatten(elems)):
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
        scanned = scan(fn, rest, keras.tree.map_structure(lambda x: x[0], elems))
        return keras.tree.map_structure(lambda x, y: ops.concatenate([x, y]), first, scanned)
    start = keras.tree.map_structure(ops.convert_to_tensor, initializer)

    def step(carry: Any, x: Any) -> Any:
        output = fn(carry, x)
        return output, output

    return ops.scan(step, start, elems, reverse=reverse)[1]


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """The result of a function of the result so far and each element."""
    return K.foldl(fn, elems, initializer)


# -- tf.debugging ------------------------------------------------------------------------------------------------------
# `tf.debugging` of tensors of Keras: what can be said now is checked, what only a run knows is not.


def _values(*tensors: Any) -> Any:
    """The values of tensors, or None where JAX traces or a model is built."""
    try:
        return [ops.convert_to_numpy(tensor) if is_tensor(tensor) else np.asarray(tensor) for tensor in tensors]
    except Exception:  # noqa: BLE001 - of any backend: a tensor without a value has its own class on each
        return None


def _check(name: str, holds: Callable[..., Any], symbol: str) -> Callable[..., None]:
    def check(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None, **more: Any) -> None:
        values = _values(x, y)
        if values is not None and not np.all(holds(*values)):
            raise ValueError(f'{message or check.__name__}: x {symbol} y does not hold for x = {x}, y = {y}.')

    check.__name__ = name
    return check


assert_equal = _check('assert_equal', np.equal, '==')
assert_greater = _check('assert_greater', np.greater, '>')
assert_greater_equal = _check('assert_greater_equal', np.greater_equal, '>=')
assert_less = _check('assert_less', np.less, '<')
assert_less_equal = _check('assert_less_equal', np.less_equal, '<=')


def assert_near(x: Any, y: Any, rtol: Any = None, atol: Any = None, message: Any = None, **more: Any) -> None:
    """Check that elements are close. TensorFlow's tolerances are 10 times the precision of the dtype."""
    values = _values(x, y)
    if values is None:
        return
    eps = 10 * np.finfo(np.result_type(*values, np.float16)).eps
    r, a = [float(eps if tolerance is None else tolerance) for tolerance in (rtol, atol)]
    if not np.all(np.abs(values[0] - values[1]) <= a + r * np.abs(values[1])):
        raise ValueError(f'{message or "assert_near"}: x is not close to y for x = {x}, y = {y}.')


def assert_non_negative(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
    """Check that no element is below 0."""
    assert_greater_equal(x, 0, message)


def assert_positive(x: Any, message: Any = None, summarize: Any = None, name: Any = None) -> None:
    """Check that all elements are above 0."""
    assert_greater(x, 0, message)


def assert_rank(x: Any, rank: Any, message: Any = None, name: Any = None) -> None:
    """Check the number of axes."""
    if len(x.shape) != int(rank):
        raise ValueError(f'{message or "assert_rank"}: {rank} axes are wanted, and the shape is {tuple(x.shape)}.')


def assert_shapes(shapes: Any, data: Any = None, summarize: Any = None, message: Any = None, name: Any = None) -> None:
    """Nothing is checked: the shapes of Keras's own operations are."""


def check_numerics(tensor: Any, message: str, name: Any = None) -> Any:
    """The tensor, or an error if it has NaN or infinite elements and its values are known."""
    values = _values(tensor)
    if values is not None and not np.all(np.isfinite(values[0])):
        raise ValueError(f'{message}: the tensor has elements that are NaN or infinite.')
    return tensor


assert_all_finite = check_numerics
