"""Functions of single elements, and of two nodes that go together by the rules of broadcasting."""

from typing import Any, Tuple

import numpy as np

from composites.making import MARGIN, Made, Maker, Unfit, away

SMOOTH = {
    'square': (lambda K, x: K.square(x), np.square),
    'exp': (lambda K, x: K.exp(x), np.exp),
    'sin': (lambda K, x: K.sin(x), np.sin),
    'cos': (lambda K, x: K.cos(x), np.cos),
    'tanh': (lambda K, x: K.tanh(x), np.tanh),
    'sigmoid': (lambda K, x: K.sigmoid(x), lambda x: 1 / (1 + np.exp(-x))),
    'softplus': (lambda K, x: K.softplus(x), lambda x: np.log1p(np.exp(x))),
    'softsign': (lambda K, x: K.softsign(x), lambda x: x / (1 + np.abs(x))),
    'negative': (lambda K, x: -x, np.negative),
    'log of square': (lambda K, x: K.log(K.square(x) + 0.5), lambda x: np.log(x * x + 0.5)),
    'root of square': (lambda K, x: K.sqrt(K.square(x) + 0.3), lambda x: np.sqrt(x * x + 0.3)),
    'power': (lambda K, x: K.pow(x, 3), lambda x: x**3),
    'operator **': (lambda K, x: x**2, np.square),
    'inverse': (lambda K, x: 1.0 / (1.5 + K.square(x)), lambda x: 1 / (1.5 + x * x)),
    'identity': (lambda K, x: K.identity(x), lambda x: x),
}


def smooth(make: Maker) -> Made:
    call, truth = SMOOTH[make.of(sorted(SMOOTH))]
    n = make.node()
    return (n,), call, truth(make.nodes[n].value), make.nodes[n].unknown


def kinked(make: Maker) -> Made:
    """Functions with kinks at known places."""
    n = make.node()
    x, a = make.nodes[n].value, make.real(0.05, 0.9)
    low, high = make.real(-1.5, -0.2), make.real(0.2, 1.5)
    name = make.of(['abs', 'relu', 'leaky', 'bounded', 'elu', 'clip', 'hard_sigmoid', 'round', 'sign', 'minimum'])
    kinks: Tuple[float, ...] = (0.0,)
    if name == 'abs':
        call, value = (lambda K, x: K.abs(x)), np.abs(x)
    elif name == 'relu':
        call, value = (lambda K, x: K.relu(x)), np.maximum(x, 0)
    elif name == 'leaky':
        call, value = (lambda K, x: K.relu(x, alpha=a)), np.where(x > 0, x, a * x)
    elif name == 'bounded':
        call, value, kinks = (lambda K, x: K.relu(x, max_value=high)), np.clip(x, 0, high), (0.0, high)
    elif name == 'elu':
        call, value = (lambda K, x: K.elu(x, a)), np.where(x > 0, x, a * np.expm1(np.minimum(x, 0)))
    elif name == 'clip':
        call, value, kinks = (lambda K, x: K.clip(x, low, high)), np.clip(x, low, high), (low, high)
    elif name == 'hard_sigmoid':
        call, value, kinks = (lambda K, x: K.hard_sigmoid(x)), np.clip(0.2 * x + 0.5, 0, 1), (-2.5, 2.5)
    elif name == 'round':
        call, value = (lambda K, x: K.round(x) + x), np.round(x) + x
        kinks = tuple(k + 0.5 for k in range(-40, 40))
    elif name == 'sign':
        call, value = (lambda K, x: K.stop_gradient(K.sign(x)) * x), np.abs(x)
    else:
        call, value, kinks = (lambda K, x: K.minimum(x, high)), np.minimum(x, high), (high,)
    if not away(x, *kinks):
        raise Unfit
    return (n,), call, value, make.nodes[n].unknown


def with_number(make: Maker) -> Made:
    n, a = make.node(), make.real(-1.5, 1.5)
    x = make.nodes[n].value
    call, value = make.of([
        (lambda K, x: x + a, x + a),
        (lambda K, x: a - x, a - x),
        (lambda K, x: a * x, a * x),
        (lambda K, x: x / 1.7, x / 1.7),
        (lambda K, x: a * K.ones_like(x, make.dtype) - x, a - x),
        (lambda K, x: K.zeros_like(x, make.dtype) + x * a, x * a),
    ])  # fmt: skip
    return (n,), call, value, make.nodes[n].unknown


def binary(make: Maker) -> Made:
    """Two nodes that go together by the rules of broadcasting."""
    n = make.node()
    x = make.nodes[n].value

    def fits(y: Any) -> bool:
        try:
            return np.broadcast(x, y).size <= 80
        except ValueError:
            return False

    m = make.node(fits)
    y = make.nodes[m].value
    # Sides of size 1 that are unknown are known to NumPy alone.
    unknown = make.nodes[n].unknown or make.nodes[m].unknown
    if unknown and x.ndim != y.ndim and min(x.ndim, y.ndim) > 0:
        raise Unfit
    call, value, smooth_there = make.of([
        (lambda K, x, y: x + y, x + y, True),
        (lambda K, x, y: x - y, x - y, True),
        (lambda K, x, y: x * y, x * y, True),
        (lambda K, x, y: x / (K.square(y) + 0.7), x / (y * y + 0.7), True),
        (lambda K, x, y: K.maximum(x, y), np.maximum(x, y), away(x - y, 0.0)),
        (lambda K, x, y: K.minimum(x, y), np.minimum(x, y), away(x - y, 0.0)),
        (lambda K, x, y: x * K.sigmoid(y), x / (1 + np.exp(-y)), True),
    ])  # fmt: skip
    if not smooth_there or n == m:
        raise Unfit
    return (n, m), call, value, unknown


def switched(make: Maker) -> Made:
    """A condition on one node chooses between two of its shape; far from where it turns."""
    n = make.node(lambda x: x.ndim >= 1)
    x, a = make.nodes[n].value, make.real(-0.5, 0.5)
    m = make.node(lambda y: y.shape == x.shape)
    y = make.nodes[m].value
    unknown = make.nodes[n].unknown or make.nodes[m].unknown
    if not away(x, a):
        raise Unfit
    name = make.of(['elements', 'scalar', 'lazy', 'mask', 'not equal'])
    if name == 'elements':
        return (
            (n, m),
            lambda K, x, y: K.switch(K.greater(x, a), x * y, K.sin(y)),
            np.where(x > a, x * y, np.sin(y)),
            unknown,
        )
    if name == 'mask':
        return (n, m), lambda K, x, y: K.cast(K.less(x, a), make.dtype) * y, (x < a) * y, unknown
    if name == 'not equal':
        mask = np.where(x >= a, 1.0, 0.5)

        def masked(K: Any, x: Any, y: Any) -> Any:
            return K.cast(K.greater_equal(x, a), make.dtype) * y * 0.5 + 0.5 * y

        return (n, m), masked, mask * y, unknown
    total = float(x.sum())
    if abs(total - a) < MARGIN:
        raise Unfit
    if n == m:
        # The original gives an empty array for x + x in a branch.
        raise Unfit
    value = x + y if total > a else x - y
    if name == 'scalar':
        return (n, m), lambda K, x, y: K.switch(K.sum(x) > a, x + y, x - y), value, unknown
    return (n, m), lambda K, x, y: K.switch(K.greater(K.sum(x), a), lambda: x + y, lambda: x - y), value, unknown
