"""`tf.debugging` of tensors of Keras: what can be said now is checked, what only a run knows is not."""

from typing import Any, Callable

import numpy as np
from keras import ops

from .arguments import is_tensor


def _values(*tensors: Any) -> Any:
    """The values of tensors, or None where JAX traces or a model is built."""
    try:
        return [ops.convert_to_numpy(each) if is_tensor(each) else np.asarray(each) for each in tensors]
    except Exception:  # noqa: BLE001 - of any backend: a tensor without a value has its own class on each
        return None


def _check(name: str, holds: Callable[..., Any], symbol: str) -> Callable[..., None]:
    def check(x: Any, y: Any, message: Any = None, summarize: Any = None, name: Any = None, **more: Any) -> None:
        found = _values(x, y)
        if found is not None and not np.all(holds(*found)):
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
    found = _values(x, y)
    if found is None:
        return
    eps = 10 * np.finfo(np.result_type(*found, np.float16)).eps
    r, a = [float(eps if each is None else each) for each in (rtol, atol)]
    if not np.all(np.abs(found[0] - found[1]) <= a + r * np.abs(found[1])):
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
    found = _values(tensor)
    if found is not None and not np.all(np.isfinite(found[0])):
        raise ValueError(f'{message}: the tensor has elements that are NaN or infinite.')
    return tensor


assert_all_finite = check_numerics
