"""What the idioms share: fixed data, and a function around a loss, a metric or a layer that returns named values."""

from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

Values = Dict[str, Any]


def reals(shape: Sequence[int], seed: int = 0, scale: float = 1.0) -> Any:
    """Normal numbers in single precision."""
    return (np.random.RandomState(seed).normal(size=shape) * scale).astype('float32')


def halves(shape: Sequence[int], seed: int = 0) -> Any:
    """Numbers between 0.05 and 0.95."""
    return np.random.RandomState(seed).uniform(0.05, 0.95, size=shape).astype('float32')


def bits(shape: Sequence[int], seed: int = 0) -> Any:
    """Zeros and ones as floats."""
    return np.random.RandomState(seed).randint(0, 2, size=shape).astype('float32')


def whole(shape: Sequence[int], high: int, seed: int = 0) -> Any:
    """Whole numbers from 0 to `high` - 1 as int32."""
    return np.random.RandomState(seed).randint(0, high, size=shape).astype('int32')


def binary(shape: Sequence[int] = (4, 3), seed: int = 1) -> Tuple[Any, Any]:
    """Targets 0 or 1, and probabilities."""
    return bits(shape, seed), halves(shape, seed + 1)


def classes(shape: Sequence[int] = (5,), count: int = 3, seed: int = 1) -> Tuple[Any, Any]:
    """Targets with one 1 in the last axis, and probabilities whose sum there is 1."""
    targets = np.eye(count, dtype='float32')[whole(shape, count, seed)]
    scores = np.exp(reals(tuple(shape) + (count,), seed + 1).astype('float64'))
    return targets, (scores / scores.sum(-1, keepdims=True)).astype('float32')


def pair(shape: Sequence[int] = (4, 3), seed: int = 1) -> Tuple[Any, Any]:
    """Real targets and real predictions."""
    return reals(shape, seed), reals(shape, seed + 1)


def feed(K: Any, array: Any) -> Any:
    """A placeholder for `array` with an unknown batch size."""
    return K.placeholder(shape=(None,) + array.shape[1:], dtype=str(array.dtype))


def of_loss(K: Any, loss: Callable[..., Any], y_true: Any, y_pred: Any) -> Values:
    """A loss of (targets, predictions): its values, their mean, and the gradient for the predictions."""
    t, p = feed(K, y_true), feed(K, y_pred)
    values = loss(t, p)
    mean = K.mean(values)
    results = K.function([t, p], [values, mean] + K.gradients(mean, [p]))([y_true, y_pred])
    return dict(zip(('loss', 'mean', 'gradient'), results))


def of_metric(K: Any, metric: Callable[..., Any], y_true: Any, y_pred: Any) -> Values:
    """A metric of (targets, predictions)."""
    t, p = feed(K, y_true), feed(K, y_pred)
    return {'metric': K.function([t, p], [metric(t, p)])([y_true, y_pred])[0]}


def of_layer(K: Any, call: Callable[..., Any], inputs: Sequence[Any], weights: Sequence[Any] = ()) -> Values:
    """The call body of a layer: its output, and the gradients of a loss for the inputs that are floats and the weights.

    The loss weighs every element of the output by another number, so that no gradient is zero by symmetry.
    """
    xs, ws = [feed(K, x) for x in inputs], [K.variable(w) for w in weights]
    outputs = call(*(xs + ws))
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    loss = sum(K.mean(K.sin(1.3 * y) + 0.2 * K.square(y)) for y in outputs)
    wanted = [x for x, array in zip(xs, inputs) if array.dtype.kind == 'f'] + ws
    values = K.function(xs, outputs + [loss] + K.gradients(loss, wanted))(list(inputs))
    names = [f'output {n}' for n in range(len(outputs))] + ['loss'] + [f'gradient {n}' for n in range(len(wanted))]
    return dict(zip(names, values))


def of_tensor(K: Any, **tensors: Any) -> Values:
    """The values of tensors that need no inputs."""
    return {name: K.eval(tensor) for name, tensor in tensors.items()}


Problem = Tuple[Any, Any, List[Any], Any, List[Any]]


def regression(K: Any, seed: int = 3) -> Problem:
    """A small network with its loss: (x, y, weights, loss, [values of x, values of y])."""
    x, y = K.placeholder((None, 3)), K.placeholder((None, 2))
    weights = [K.variable(reals((3, 4), seed, 0.5)), K.variable(reals((4,), seed + 1, 0.1))]
    weights += [K.variable(reals((4, 2), seed + 2, 0.5)), K.variable(reals((2,), seed + 3, 0.1))]
    hidden = K.tanh(K.bias_add(K.dot(x, weights[0]), weights[1]))
    loss = K.mean(K.square(K.dot(hidden, weights[2]) + weights[3] - y))
    return x, y, weights, loss, [reals((6, 3), seed + 4), reals((6, 2), seed + 5)]


def trained(K: Any, weights: Sequence[Any], step: Callable[..., Any], values: Any, steps: int = 4) -> Values:
    """The losses of some steps, and the weights after them."""
    losses = [step(values)[0] for _ in range(steps)]
    found = {'losses': np.array(losses)}
    found.update((f'weight {n}', w) for n, w in enumerate(K.batch_get_value(list(weights))))
    return found
