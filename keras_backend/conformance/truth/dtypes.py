"""The dtypes of results, by the rules of docs/semantics.md#mixed-dtypes."""

import numpy as np

FLOATS = ('float16', 'float32', 'float64')
ALL = FLOATS + ('int32', 'int64', 'bool')
PAIRS = [(a, b) for a in ALL for b in ALL if a != b]


def promote(a, b):
    """The dtype of two tensors: a float before an integer before a bool, and the wider of two floats or integers."""
    if a in FLOATS or b in FLOATS:
        return max((d for d in (a, b) if d in FLOATS), key=FLOATS.index)
    return np.promote_types(a, b).name


def arithmetic(a, b):
    """The dtype of +, -, *, // and %. Two bools give int32."""
    return 'int32' if a == b == 'bool' else promote(a, b)


def division(a, b, floatx='float32'):
    """The dtype of /. Two integers give floatx."""
    return promote(a, b) if a in FLOATS or b in FLOATS else floatx
