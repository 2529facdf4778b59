"""Finite differences of functions in single precision."""

import numpy as np


def slope(f, x, place, step=1e-2):
    """How fast the sum of `f(x)` grows with the entry of `x` at `place`: the central difference."""
    sums = []
    for sign in (1, -1):
        moved = np.array(x, copy=True)
        moved[place] += sign * step
        sums.append(np.sum(np.asarray(f(moved), 'float64')))
    return (sums[0] - sums[1]) / (2 * step)


def weight_slope(f, variable, place, step=1e-2):
    """The same with an entry of a variable of Keras, which has its value again at the end."""
    from keras import ops

    start = np.array(ops.convert_to_numpy(variable.value))

    def of(value):
        variable.assign(value)
        return f()

    try:
        return slope(of, start, place, step)
    finally:
        variable.assign(start)
