"""Functions that move, repeat and choose elements."""

from typing import Any

import numpy as np

from composites.making import Made, Maker, Unfit, apart


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
