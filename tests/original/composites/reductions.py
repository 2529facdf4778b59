"""Functions that put together the elements along an axis."""

from typing import Any

import numpy as np

from composites.making import Made, Maker, Unfit, apart, away, constant


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
