"""Seeded random programs in K: a graph of functions over one to three inputs, with its loss and gradients.

Every step is also computed in NumPy in double precision while the program is made. So a step is taken only where its
result is of a moderate size and far from ties and kinks, and the numbers of two engines can be compared.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

# How far an element has to be from where a function is not smooth.
MARGIN = 0.02


class Node(NamedTuple):
    value: Any
    unknown: bool


class Step(NamedTuple):
    name: str
    sources: Tuple[int, ...]
    call: Callable[..., Any]


# What a maker returns: the sources, the call in K, the value in NumPy, and whether the batch size is unknown.
Made = Tuple[Tuple[int, ...], Callable[..., Any], Any, bool]


class Unfit(Exception):
    """A maker found no node that its function can take."""


class Maker:
    """The nodes so far, and choices among them."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.RandomState(seed)
        self.dtype = 'float64' if seed % 3 == 0 else 'float32'
        self.nodes: List[Node] = []
        self.steps: List[Step] = []

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return int(self.random.randint(low, high + 1))

    def chance(self) -> bool:
        return self.number(0, 1) == 1

    def real(self, low: float, high: float) -> float:
        """A number with three digits, which has one meaning in every precision that a program has."""
        return round(float(self.random.uniform(low, high)), 3)

    def of(self, values: Sequence[Any]) -> Any:
        return values[self.number(0, len(values) - 1)]

    def node(self, fits: Callable[[Any], bool] = lambda value: True, known: bool = False) -> int:
        """The number of a node that fits, later ones more often."""
        found = [n for n, node in enumerate(self.nodes) if fits(node.value) and not (known and node.unknown)]
        if not found:
            raise Unfit
        return max(self.of(found), self.of(found))

    def axis(self, value: Any) -> int:
        return self.number(-value.ndim, value.ndim - 1)

    def weights(self, shape: Sequence[int]) -> Any:
        """Numbers for a constant, with three digits."""
        return np.round(self.random.uniform(-1, 1, size=tuple(shape)), 3)


def away(value: Any, *kinks: float) -> bool:
    """Whether no element is near a kink."""
    return all(np.abs(value - kink).min() > MARGIN for kink in kinks)


def apart(value: Any, axis: Optional[int]) -> bool:
    """Whether the elements along an axis differ, so that the largest is one."""
    if axis is None:
        value, axis = value.ravel(), 0
    value = np.sort(value, axis=axis)
    return value.shape[axis] < 2 or bool(np.diff(value, axis=axis).min() > MARGIN)


def constant(K: Any, make: Maker, value: Any) -> Any:
    return K.constant(value, dtype=make.dtype)


# -- makers: each chooses nodes and arguments for one kind of function -------------------------------------------------

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


def reduction(make: Maker) -> Made:
    n = make.node(lambda x: x.ndim >= 1)
    x, keepdims = make.nodes[n].value, make.chance()
    axis = make.of([None, make.axis(x), make.axis(x), make.axis(x)])
    count = x.size if axis is None else x.shape[axis]
    name = make.of(['sum', 'mean', 'max', 'min', 'prod', 'var', 'std', 'logsumexp'])
    if name in ('max', 'min') and not apart(x, axis):
        raise Unfit
    if name == 'prod' and (count > 8 or not away(x, 0.0)):
        raise Unfit
    if name == 'logsumexp':
        value = np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))
    else:
        value = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    if name == 'std' and (count < 2 or np.min(value) < 0.05):
        raise Unfit
    first = axis is None or axis % x.ndim == 0
    unknown = make.nodes[n].unknown and not first
    return (n,), lambda K, x: getattr(K, name)(x, axis=axis, keepdims=keepdims), value, unknown


def cumulative(make: Maker) -> Made:
    n = make.node(lambda x: x.ndim >= 1)
    x, axis = make.nodes[n].value, make.axis(make.nodes[n].value)
    if make.chance() and x.shape[axis] <= 6 and away(x, 0.0):
        return (n,), lambda K, x: K.cumprod(x, axis=axis), np.cumprod(x, axis=axis), make.nodes[n].unknown
    return (n,), lambda K, x: K.cumsum(x, axis=axis), np.cumsum(x, axis=axis), make.nodes[n].unknown


def shuffled(make: Maker) -> Made:
    """Shapes: reshape, transpose, expand, squeeze, flatten, reverse."""
    n = make.node(lambda x: x.ndim >= 1)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    name = make.of(['reshape', 'permute', 'expand', 'squeeze', 'flatten', 'batch_flatten', 'reverse', 'transpose'])
    if name == 'reshape':
        rest = x.size // x.shape[0]
        sides = [(-1, rest), (-1, 1, rest)] if unknown else [(x.size,), (-1, x.shape[-1]), (x.shape[-1], -1), (1, -1)]
        shape = make.of(sides)
        return (n,), lambda K, x: K.reshape(x, shape), x.reshape(shape), unknown
    if name == 'permute' and x.ndim >= 2:
        order = list(make.random.permutation(x.ndim - 1) + 1)
        order = [0] + order if unknown or make.chance() else order + [0]
        order = [int(side) for side in order]
        return (n,), lambda K, x: K.permute_dimensions(x, order), x.transpose(order), unknown
    if name == 'expand' and x.ndim <= 3:
        axis = make.of([-1] + list(range(1, x.ndim + 1)))
        return (n,), lambda K, x: K.expand_dims(x, axis), np.expand_dims(x, axis), unknown
    if name == 'squeeze':
        axes = [axis for axis in range(int(unknown), x.ndim) if x.shape[axis] == 1]
        if axes:
            axis = make.of(axes)
            return (n,), lambda K, x: K.squeeze(x, axis), np.squeeze(x, axis), unknown
    if name == 'flatten':
        return (n,), lambda K, x: K.flatten(x), x.ravel(), unknown
    if name == 'batch_flatten' and x.ndim >= 2:
        return (n,), lambda K, x: K.batch_flatten(x), x.reshape((x.shape[0], -1)), unknown
    if name == 'reverse':
        axis = make.number(0, x.ndim - 1)
        return (n,), lambda K, x: K.reverse(x, axis), np.flip(x, axis), unknown
    if name == 'transpose' and x.ndim == 2 and not unknown:
        return (n,), lambda K, x: K.transpose(x), x.T, unknown
    raise Unfit


def repeated(make: Maker) -> Made:
    n = make.node(lambda x: 1 <= x.ndim <= 3 and x.size <= 24)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    name = make.of(['repeat_elements', 'repeat', 'tile', 'padding'])
    if name == 'repeat_elements' and x.ndim >= 2:
        axis = make.number(1, x.ndim - 1)
        return (n,), lambda K, x: K.repeat_elements(x, 2, axis), np.repeat(x, 2, axis), unknown
    if name == 'repeat' and x.ndim == 2:
        return (n,), lambda K, x: K.repeat(x, 3), np.repeat(x[:, None], 3, 1), unknown
    if name == 'tile':
        times = [1] + [make.number(1, 2) for _ in range(x.ndim - 1)]
        return (n,), lambda K, x: K.tile(x, times), np.tile(x, times), unknown
    if name == 'padding' and x.ndim == 3:
        wide = [(0, 0), (1, 2), (0, 0)]
        return (n,), lambda K, x: K.temporal_padding(x, (1, 2)), np.pad(x, wide, mode='constant'), unknown
    raise Unfit


def joined(make: Maker) -> Made:
    n = make.node(lambda x: 1 <= x.ndim <= 3 and x.size <= 24)
    x = make.nodes[n].value
    m = make.node(lambda y: y.shape == x.shape)
    y = make.nodes[m].value
    unknown = make.nodes[n].unknown or make.nodes[m].unknown
    if make.chance():
        axis = make.axis(x)
        return (n, m), lambda K, x, y: K.concatenate([x, y], axis=axis), np.concatenate([x, y], axis), unknown
    axis = make.number(1, x.ndim)
    return (n, m), lambda K, x, y: K.stack([x, y, x], axis=axis), np.stack([x, y, x], axis), unknown


def sliced(make: Maker) -> Made:
    n = make.node(lambda x: x.ndim >= 1 and x.shape[-1] >= 2)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    last = x.shape[-1]
    alone = unknown and x.ndim == 1
    call, value, first = make.of([
        (lambda K, x: x[..., 1:], x[..., 1:], alone),
        (lambda K, x: x[..., :-1], x[..., :-1], alone),
        (lambda K, x: x[..., ::2], x[..., ::2], alone),
        (lambda K, x: x[..., last - 1], x[..., last - 1], alone),
        (lambda K, x: x[0], x[0], True),
        (lambda K, x: x[:, None], x[:, None], False),
        (lambda K, x: x[::-1] + x, x[::-1] + x, False),
    ])  # fmt: skip
    return (n,), call, value, unknown and not first


def products(make: Maker) -> Made:
    name = make.of(['weights', 'weights', 'dot', 'batch_dot', 'bias', 'last axes'])
    n = make.node(lambda x: x.ndim >= 2)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    if name == 'weights':
        w = make.weights((x.shape[-1], make.number(1, 3)))
        return (n,), lambda K, x: K.dot(x, constant(K, make, w)), np.dot(x, w), unknown
    if name == 'bias':
        b = make.weights(x.shape[-1:])
        return (n,), lambda K, x: K.bias_add(x, constant(K, make, b)), x + b, unknown
    if name == 'dot':
        m = make.node(lambda y: y.ndim == 2 and y.shape[0] == x.shape[-1], known=True)
        return (n, m), lambda K, x, y: K.dot(x, y), np.dot(x, make.nodes[m].value), unknown
    if x.ndim != 3:
        raise Unfit
    if name == 'batch_dot':
        m = make.node(lambda y: y.ndim == 3 and y.shape[0] == x.shape[0] and y.shape[1] == x.shape[2])
        value = np.matmul(x, make.nodes[m].value)
        return (n, m), lambda K, x, y: K.batch_dot(x, y), value, unknown or make.nodes[m].unknown
    m = make.node(lambda y: y.ndim == 3 and y.shape[0] == x.shape[0] and y.shape[2] == x.shape[2])
    value = np.matmul(x, make.nodes[m].value.transpose(0, 2, 1))
    return (n, m), lambda K, x, y: K.batch_dot(x, y, axes=[2, 2]), value, unknown or make.nodes[m].unknown


def normalised(make: Maker) -> Made:
    n = make.node(lambda x: x.ndim >= 2 and x.shape[-1] >= 2)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    name = make.of(['softmax', 'l2', 'own', 'crossentropy', 'binary'])
    e = np.exp(x - x.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    if name == 'softmax':
        return (n,), lambda K, x: K.softmax(x), p, unknown
    if name == 'l2':
        norm = np.sqrt(np.square(x).sum(-1, keepdims=True))
        if norm.min() < 0.1:
            raise Unfit
        return (n,), lambda K, x: K.l2_normalize(x, axis=-1), x / norm, unknown
    if name == 'own':
        value = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.1)

        def own(K: Any, x: Any) -> Any:
            mean = K.mean(x, axis=-1, keepdims=True)
            return (x - mean) / K.sqrt(K.var(x, axis=-1, keepdims=True) + 0.1)

        return (n,), own, value, unknown
    if name == 'crossentropy':
        t = np.zeros(x.shape)
        t[..., make.number(0, x.shape[-1] - 1)] = 1
        t = t[:1]

        def crossentropy(K: Any, x: Any) -> Any:
            return K.categorical_crossentropy(constant(K, make, t) + K.zeros_like(x, make.dtype), x, from_logits=True)

        return (n,), crossentropy, -(t * np.log(p)).sum(-1), unknown
    t = (make.weights(x.shape[1:]) > 0)[None] * 1.0

    def halves(K: Any, x: Any) -> Any:
        return K.binary_crossentropy(constant(K, make, t) + K.zeros_like(x, make.dtype), x, from_logits=True)

    return (n,), halves, np.log1p(np.exp(x)) - t * x, unknown


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


def by_index(make: Maker) -> Made:
    """Integers: gather, one_hot, argmax, in float nodes."""
    name = make.of(['gather', 'gather matrix', 'one_hot', 'argmax', 'argmin'])
    n = make.node(lambda x: x.ndim >= 1 and x.shape[-1] >= 2)
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    if name == 'gather' and x.size <= 24:
        ids = [make.number(0, x.shape[0] - 1) for _ in range(make.number(1, 4))]
        return (n,), lambda K, x: K.gather(x, K.constant(ids, dtype='int32')), x[ids], False
    if name == 'gather matrix' and x.size <= 12 and x.ndim <= 2:
        ids = [[make.number(0, x.shape[0] - 1) for _ in range(2)] for _ in range(2)]
        return (n,), lambda K, x: K.gather(x, K.constant(ids, dtype='int32')), x[np.array(ids)], False
    if not apart(x, -1):
        raise Unfit
    count = x.shape[-1]
    if name == 'one_hot':
        value = np.eye(count)[x.argmax(-1)] * x

        def hot(K: Any, x: Any) -> Any:
            return K.cast(K.one_hot(K.argmax(x, axis=-1), count), make.dtype) * x

        return (n,), hot, value, unknown
    function = name if name == 'argmax' else 'argmin'
    value = x + np.expand_dims(getattr(x, function)(-1), -1) * 0.25

    def shifted(K: Any, x: Any) -> Any:
        return x + K.expand_dims(K.cast(getattr(K, function)(x, axis=-1), make.dtype), -1) * 0.25

    return (n,), shifted, value, unknown


def looped(make: Maker) -> Made:
    """K.map_fn, folds and K.rnn over the first or second axis."""
    name = make.of(['map_fn', 'foldl', 'foldr', 'rnn', 'rnn', 'masked rnn'])
    n = make.node(lambda x: x.ndim >= 2 and x.shape[0] <= 5, known=name in ('foldl', 'foldr'))
    x, unknown = make.nodes[n].value, make.nodes[n].unknown
    if name == 'map_fn':
        call = lambda K, x: K.map_fn(lambda row: K.tanh(row) * K.mean(row), x, dtype=make.dtype)  # noqa: E731
        return (n,), call, np.stack([np.tanh(row) * row.mean() for row in x]), unknown
    if name in ('foldl', 'foldr'):
        value = np.zeros_like(x[0])
        for row in x if name == 'foldl' else x[::-1]:
            value = np.tanh(0.7 * value + row)
        fold = lambda K, x: getattr(K, name)(lambda a, row: K.tanh(0.7 * a + row), x, K.zeros_like(x[0], make.dtype))  # noqa: E731
        return (n,), fold, value, False
    if x.ndim != 3:
        raise Unfit
    w, back, unroll = make.weights((x.shape[2], x.shape[2])), make.chance(), make.chance()
    present = make.weights(x.shape[1:2]) > -0.3
    state, outputs, output = np.zeros_like(x[:, 0]), [], np.zeros_like(x[:, 0])
    order = range(x.shape[1])
    for time in reversed(order) if back else order:
        new = np.tanh(x[:, time] + np.dot(state, w))
        if name == 'rnn' or present[time]:
            state = output = new
        outputs.append(output)

    def recurrent(K: Any, x: Any) -> Any:
        kernel = constant(K, make, w)

        def step(row: Any, states: Any) -> Any:
            new = K.tanh(row + K.dot(states[0], kernel))
            return new, [new]

        mask = None
        if name == 'masked rnn':
            mask = K.greater(constant(K, make, present * 1.0) + K.sum(K.zeros_like(x, make.dtype), axis=2), 0.5)
        length = {'input_length': K.int_shape(x)[1]} if unroll else {}
        return K.rnn(
            step, x, [K.zeros_like(x[:, 0], make.dtype)], go_backwards=back, mask=mask, unroll=unroll, **length
        )[1]

    return (n,), recurrent, np.stack(outputs, 1), unknown


MAKERS = [
    smooth, smooth, smooth, kinked, kinked, with_number, binary, binary, binary, reduction, reduction, cumulative,
    shuffled, shuffled, shuffled, repeated, joined, joined, sliced, sliced, products, products, products, normalised,
    normalised, switched, switched, by_index, by_index, looped,
]  # fmt: skip


def fed(make: Maker) -> List[Tuple[str, Any]]:
    """One to three inputs: 'placeholder', 'unknown' (its batch size) or 'variable', with the values."""
    batch, found = make.number(2, 4), []
    for _ in range(make.number(1, 3)):
        kind = make.of(['placeholder', 'unknown', 'unknown', 'variable'])
        rest = [make.number(1, 4) for _ in range(make.number(1, 2))]
        value = np.round(make.random.uniform(-1.5, 1.5, size=[batch] + rest), 3)
        found.append((kind, value))
        make.nodes.append(Node(value, kind == 'unknown'))
    if make.chance():
        # Integers choose rows of a table that is learned.
        ids, table = make.random.randint(0, 5, size=(batch,)), make.weights((5, make.number(1, 4)))
        found += [('ids', ids), ('variable', table)]
        make.nodes += [Node(table, False), Node(table[ids], True)]
    return found


def program(seed: int) -> Callable[[Any, Any], Dict[str, Any]]:
    """The program of a seed: a function of (K, np) that returns named values."""
    make = Maker(seed)
    inputs = fed(make)
    count, tries = make.number(5, 12), 0
    while len(make.steps) < count and tries < 400:
        tries += 1
        maker = make.of(MAKERS)
        try:
            sources, call, value, unknown = maker(make)
        except Unfit:
            continue
        value = np.asarray(value, 'float64')
        if not 1 <= value.size <= 64 or value.ndim > 4 or not np.abs(value).max() < 12:
            continue
        make.steps.append(Step(maker.__name__, sources, call))
        make.nodes.append(Node(value, unknown))
    return Program(make, inputs)


class Program:
    """A program that can be run on any K; `steps` and `truths` say what it does and what it should give."""

    def __init__(self, make: Maker, inputs: List[Tuple[str, Any]]) -> None:
        self.make, self.inputs, self.steps = make, inputs, make.steps
        self.first = len(make.nodes) - len(make.steps)
        read = {source for step in make.steps for source in step.sources}
        self.results = [n for n in range(self.first, len(make.nodes)) if n not in read]
        self.weights = [make.weights(make.nodes[n].value.shape[1:]) for n in self.results]

    @property
    def truths(self) -> Dict[str, Any]:
        """The results by NumPy in double precision."""
        return {f'result {n}': self.make.nodes[n].value for n in self.results}

    def __call__(self, K: Any, np: Any) -> Dict[str, Any]:
        dtype, nodes, fed, values, wanted = self.make.dtype, [], [], [], []
        ids = None
        for kind, value in self.inputs:
            if kind == 'ids':
                ids = K.placeholder((None,), dtype='int32')
                fed.append(ids)
                values.append(value.astype('int32'))
                continue
            value = value.astype(dtype)
            if kind == 'variable':
                node = K.variable(value, dtype=dtype)
            else:
                shape = (None,) + value.shape[1:] if kind == 'unknown' else value.shape
                node = K.placeholder(shape, dtype=dtype)
                fed.append(node)
                values.append(value)
            nodes.append(node)
            wanted.append(node)
        if ids is not None:
            nodes.append(K.gather(nodes[-1], ids))
        for step in self.steps:
            nodes.append(step.call(K, *[nodes[n] for n in step.sources]))
        results = [nodes[n] for n in self.results]
        loss = sum(K.mean(y * constant(K, self.make, w)) for y, w in zip(results, self.weights))
        gradients = K.gradients(loss, wanted)
        there = [n for n, gradient in enumerate(gradients) if gradient is not None]
        found = K.function(fed, results + [loss] + [gradients[n] for n in there])(values)
        names = [f'result {n}' for n in self.results] + ['loss'] + [f'gradient {n}' for n in there]
        return dict(zip(names, found))
