"""Choices, loops, functions of NumPy and `tf.debugging` of tensors of Keras, by the names of TensorFlow 2.

Source: its documentation.
"""

from typing import Any, Callable, List, Optional

import keras
import numpy as np
from keras import ops

from ....errors import ArgumentValueError
from .arguments import K, as_tensor, dtype_of, is_tensor
from .dispatch import is_traced, refuse


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


# -- functions of NumPy ------------------------------------------------------------------------------------------------
# `tf.numpy_function` and `tf.py_function`, whose functions are called each time that the values are there.


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: Any = None) -> Any:
    """The results of a function of arrays. No gradient goes through it, as in TensorFlow."""
    tensors, dtypes = _inputs('numpy_function', inp), _dtypes(Tout)
    tensors = [ops.stop_gradient(tensor) for tensor in tensors]

    def results(*arrays: Any) -> List[Any]:
        found = func(*[np.asarray(array) for array in arrays])
        return [np.asarray(value).astype(dtype) for value, dtype in zip(_as_asked(found, Tout), dtypes)]

    if keras.backend.backend() == 'jax' and any(is_traced(tensor) for tensor in tensors):
        values = _called_by_jax(results, tensors, dtypes)
    elif any(_is_on_meta(tensor) for tensor in tensors):
        values = [ops.zeros((), dtype) for dtype in dtypes]
    else:
        values = [ops.convert_to_tensor(value) for value in results(*[ops.convert_to_numpy(x) for x in tensors])]
    return values if isinstance(Tout, (list, tuple)) else values[0]


def py_function(func: Callable[..., Any], inp: Any, Tout: Any, name: Any = None) -> Any:
    """The results of a function of tensors, which has gradients."""
    tensors = _inputs('py_function', inp)
    if keras.backend.backend() == 'jax' or any(_is_on_meta(tensor) for tensor in tensors):
        refuse('py_function', tensors)
    found = func(*tensors)
    values = [ops.cast(as_tensor(value), dtype) for value, dtype in zip(_as_asked(found, Tout), _dtypes(Tout))]
    return values if isinstance(Tout, (list, tuple)) else values[0]


def _inputs(name: str, inp: Any) -> List[Any]:
    tensors = [as_tensor(value) for value in inp]
    for tensor in tensors:
        if isinstance(tensor, keras.KerasTensor):
            refuse(name, tensor)
    return tensors


def _as_asked(found: Any, asked: Any) -> Any:
    """The results of a function as a list. One dtype that is asked for is that of all of them together."""
    return found if isinstance(found, (list, tuple)) and isinstance(asked, (list, tuple)) else [found]


def _dtypes(given: Any) -> List[str]:
    return [dtype_of(dtype, places=True) for dtype in (given if isinstance(given, (list, tuple)) else [given])]


def _is_on_meta(tensor: Any) -> bool:
    """Whether a tensor of PyTorch has a shape and no values, as where Keras asks what a step gives."""
    return getattr(getattr(tensor, 'device', None), 'type', None) == 'meta'


def _called_by_jax(results: Callable[..., List[Any]], tensors: List[Any], dtypes: List[str]) -> List[Any]:
    """Call a function in each run of a compiled step, which has to know the shapes of what it gives."""
    import jax
    from jax.experimental import io_callback

    def numbers(*arrays: Any) -> List[Any]:
        values = results(*arrays)
        shapes = [value.shape for value in values if value.shape]
        if shapes:
            raise ArgumentValueError(
                f'tf.numpy_function: the function gives an array of the shape {shapes[0]}. A compiled step of JAX '
                'takes single numbers alone from it; write it by functions of K or keras.ops, or set '
                'KERAS_BACKEND=torch.'
            )
        return values

    return list(io_callback(numbers, [jax.ShapeDtypeStruct((), dtype) for dtype in dtypes], *tensors))


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
