"""Products of matrices, and loops over an axis."""

from typing import Any

import numpy as np

from composites.making import Made, Maker, Unfit, constant


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
