"""`keras.utils.tf_utils`: the helpers with which layers of a program handle shapes and conditions."""

from typing import Any, Callable, Optional

import numpy as np


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a layer itself: Keras 3 gives and takes shapes as tuples."""
    return fn


def smart_cond(
    pred: Any,
    true_fn: Optional[Callable[[], Any]] = None,
    false_fn: Optional[Callable[[], Any]] = None,
    name: Any = None,
) -> Any:
    """The result of one of two functions. Only the one that is chosen is called where the condition has a value."""
    from .tf_on_keras.control import cond

    known = constant_value(pred)
    return cond(pred if known is None else bool(known), true_fn or (lambda: None), false_fn or (lambda: None))


def constant_value(pred: Any) -> Any:
    """The value of a condition; None of a tensor."""
    return pred if isinstance(pred, (bool, int, np.bool_, np.integer)) else None


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether `v` is a tensor, or a list that starts with one."""
    from .tf_on_keras.arguments import is_tensor

    first = v[0] if isinstance(v, (list, tuple)) and v else v
    return is_tensor(first)
