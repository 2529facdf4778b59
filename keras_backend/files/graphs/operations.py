"""The operations of graphs by functions of K, and by NumPy where all is known: numbers, reductions, shapes, indices.

Source: the documentation of tf.raw_ops of TensorFlow 2. Sizes that are known stay numbers, so that the sizes of tensors
are known where TensorFlow knows them.
"""

from typing import Any, Callable, Dict, List

import numpy as np

from ..layers.use import erf
from ..names.einsum import einsum
from ..names.tensorflow_more import MORE, floor
from .images import IMAGES
from .shapes import SHAPES
from .steps import Operation, Sizes, Step, is_known

# -- one element for each element --------------------------------------------------------------------------------------
_ALPHA, _SCALE = 1.6732632423543772, 1.0507009873554805  # of Selu


def _elementwise(of_numpy: Callable[..., Any], of_k: Callable[..., Any]) -> Operation:
    """An operation of tensors of one dtype."""

    def run(step: Step, inputs: List[Any]) -> Any:
        if all([is_known(value) for value in inputs]):
            step.spend(np.broadcast(*inputs).shape if inputs else (), 8)
            with np.errstate(all='ignore'):
                return np.asarray(of_numpy(*inputs))
        return of_k(step.K, *step.tensors(inputs))

    return run


def _only_k(of_k: Callable[..., Any]) -> Operation:
    """An operation of tensors that is never of sizes, and is computed by K always."""
    return lambda step, inputs: of_k(step.K, *step.tensors(inputs))


def _of_k(name: str) -> Callable[..., Any]:
    return lambda K, *tensors: getattr(K, name)(*tensors)


def _whole(quotient: Callable[..., Any]) -> Callable[..., Any]:
    """A division of NumPy that keeps the dtype of whole numbers, and refuses the divisor 0 as TensorFlow does."""

    def divide(x: np.ndarray, y: np.ndarray) -> Any:
        if x.dtype.kind in 'iu' and not np.all(y):
            raise ZeroDivisionError('integer division by zero')
        return quotient(x, y)

    return divide


def _truncated(x: np.ndarray, y: np.ndarray) -> Any:
    return np.trunc(x / y).astype(x.dtype) if x.dtype.kind in 'iu' else np.trunc(x / y)


def _real_division(K: Any, x: Any, y: Any) -> Any:
    if 'int' in K.dtype(x):
        raise ValueError('a quotient of whole numbers is not done here')
    return x / y


def _floored(K: Any, x: Any, y: Any) -> Any:
    if 'int' in K.dtype(x):
        return K.cast(floor(K, K.cast(x, 'float64') / K.cast(y, 'float64')), K.dtype(x))
    return floor(K, x / y)


def _remainder(K: Any, x: Any, y: Any) -> Any:
    return x - _floored(K, x, y) * y


def _logical(test: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def of_k(K: Any, x: Any, y: Any) -> Any:
        return test(K, K.cast(x, 'int32') + K.cast(y, 'int32'))

    return of_k


def _log1p(K: Any, x: Any) -> Any:
    return K.log(1.0 + x)


_ELEMENTWISE: Dict[str, Operation] = {
    **dict.fromkeys(['Add', 'AddV2'], _elementwise(np.add, lambda K, x, y: x + y)),
    'Sub': _elementwise(np.subtract, lambda K, x, y: x - y),
    'Mul': _elementwise(np.multiply, lambda K, x, y: x * y),
    'RealDiv': _elementwise(np.divide, _real_division),
    'Div': _elementwise(_whole(lambda x, y: _truncated(x, y) if x.dtype.kind in 'iu' else x / y), _real_division),
    'FloorDiv': _elementwise(_whole(np.floor_divide), _floored),
    'FloorMod': _elementwise(_whole(np.mod), _remainder),
    'Maximum': _elementwise(np.maximum, _of_k('maximum')),
    'Minimum': _elementwise(np.minimum, _of_k('minimum')),
    'Pow': _elementwise(np.power, _of_k('pow')),
    'SquaredDifference': _elementwise(lambda x, y: np.square(x - y), lambda K, x, y: K.square(x - y)),
    'DivNoNan': _only_k(MORE['divide_no_nan']),
    'MulNoNan': _only_k(MORE['multiply_no_nan']),
    'Neg': _elementwise(np.negative, lambda K, x: -x),
    'Abs': _elementwise(np.abs, _of_k('abs')),
    'Sign': _elementwise(np.sign, _of_k('sign')),
    'Square': _elementwise(np.square, _of_k('square')),
    # K.sqrt is 0 below 0, and TensorFlow's is no number.
    'Sqrt': _elementwise(np.sqrt, lambda K, x: K.pow(x, 0.5)),
    'Rsqrt': _elementwise(lambda x: (1 / np.sqrt(x)).astype(x.dtype), lambda K, x: K.pow(x, -0.5)),
    **dict.fromkeys(
        ['Reciprocal', 'Inv'], _elementwise(lambda x: np.reciprocal(x) if x.dtype.kind == 'f' else _inverse(x),
                                            lambda K, x: 1.0 / x)
    ),
    'Exp': _elementwise(np.exp, _of_k('exp')),
    'Expm1': _elementwise(np.expm1, lambda K, x: K.exp(x) - 1.0),
    'Log': _elementwise(np.log, _of_k('log')),
    'Log1p': _elementwise(np.log1p, _log1p),
    'Sin': _elementwise(np.sin, _of_k('sin')),
    'Cos': _elementwise(np.cos, _of_k('cos')),
    'Tanh': _elementwise(np.tanh, _of_k('tanh')),
    'Floor': _elementwise(np.floor, floor),
    'Ceil': _elementwise(np.ceil, lambda K, x: -floor(K, -x)),
    **dict.fromkeys(['Round', 'Rint'], _elementwise(np.round, _of_k('round'))),
    'IsNan': _elementwise(np.isnan, lambda K, x: K.not_equal(x, x)),
    'Erf': _only_k(erf),
    'Sigmoid': _only_k(_of_k('sigmoid')),
    'Relu': _elementwise(lambda x: np.maximum(x, x.dtype.type(0)), _of_k('relu')),
    'Relu6': _only_k(lambda K, x: K.relu(x, max_value=6.0)),
    'Elu': _only_k(_of_k('elu')),
    'Selu': _only_k(lambda K, x: _SCALE * K.elu(x, _ALPHA)),
    'Softplus': _only_k(_of_k('softplus')),
    'Softsign': _only_k(_of_k('softsign')),
    'Equal': _elementwise(np.equal, _of_k('equal')),
    'NotEqual': _elementwise(np.not_equal, _of_k('not_equal')),
    'Greater': _elementwise(np.greater, _of_k('greater')),
    'GreaterEqual': _elementwise(np.greater_equal, _of_k('greater_equal')),
    'Less': _elementwise(np.less, _of_k('less')),
    'LessEqual': _elementwise(np.less_equal, _of_k('less_equal')),
    'LogicalNot': _elementwise(np.logical_not, lambda K, x: K.equal(K.cast(x, 'int32'), 0)),
    'LogicalAnd': _elementwise(np.logical_and, _logical(lambda K, count: K.equal(count, 2))),
    'LogicalOr': _elementwise(np.logical_or, _logical(lambda K, count: K.greater(count, 0))),
}  # fmt: skip


def _inverse(x: np.ndarray) -> Any:
    return _truncated(np.ones_like(x), x)


def _leaky(step: Step, inputs: List[Any]) -> Any:
    return step.K.relu(*step.tensors(inputs), alpha=step.node.decimal('alpha', 0.2))


def _add_n(step: Step, inputs: List[Any]) -> Any:
    tensors = step.tensors(inputs)
    return sum(tensors[1:], tensors[0])


def _clip(step: Step, inputs: List[Any]) -> Any:
    x, low, high = step.tensors(inputs)
    return step.K.minimum(step.K.maximum(x, low), high)


def _cast(step: Step, inputs: List[Any]) -> Any:
    (x,), dtype = inputs, step.node.dtype('DstT')
    if isinstance(x, Sizes) and 'int' in dtype:
        return x
    return x.astype(dtype) if is_known(x) else step.tensor(x, dtype)


def _softmax(step: Step, inputs: List[Any]) -> Any:
    K, (x,) = step.K, step.tensors(inputs)
    if K.ndim(x) == 2:
        return K.softmax(x)
    e = K.exp(x - K.max(x, axis=-1, keepdims=True))
    return e / K.sum(e, axis=-1, keepdims=True)


def _log_softmax(step: Step, inputs: List[Any]) -> Any:
    K, (x,) = step.K, step.tensors(inputs)
    shifted = x - K.max(x, axis=-1, keepdims=True)
    return shifted - K.log(K.sum(K.exp(shifted), axis=-1, keepdims=True))


def _bias(step: Step, inputs: List[Any]) -> Any:
    x, bias = step.tensors(inputs)
    rank = step.rank(x)
    if step.node.text('data_format', 'NHWC') == 'NCHW' and rank > 2:
        bias = step.K.reshape(bias, (-1, *[1] * (rank - 2)))
    return x + bias


def _select(step: Step, inputs: List[Any]) -> Any:
    """Elements of the one where a condition holds, and of the other elsewhere."""
    K, node = step.K, step.node
    ranks = [step.rank(value) for value in inputs]
    rows = node.op == 'Select' and ranks[0] == 1 and ranks[1] > 1
    if all([is_known(value) for value in inputs]):
        test, x, y = inputs
        return np.where(test.reshape(-1, *[1] * (ranks[1] - 1)) if rows else test, x, y)
    test = step.tensor(inputs[0])
    test = K.reshape(test, (-1, *[1] * (ranks[1] - 1))) if rows else test
    x, y = [step.tensor(value, node.dtype('T')) for value in inputs[1:]]
    if K.int_shape(test) == K.int_shape(x) == K.int_shape(y):
        return K.switch(test, x, y)
    count = K.cast(K.zeros_like(x), 'int32') + K.cast(K.zeros_like(y), 'int32')
    whole = count + K.cast(K.zeros_like(test), 'int32')
    return K.switch(step.spread(test, whole), step.spread(x, whole), step.spread(y, whole))


# -- reductions and products -------------------------------------------------------------------------------------------
def _reduced(name: str) -> Operation:
    def reduce(step: Step, inputs: List[Any]) -> Any:
        x, keep = inputs[0], step.node.flag('keep_dims')
        rank = step.rank(x)
        axes = sorted({step.axis(axis, rank) for axis in step.numbers(inputs[1], 'the axes')})
        if is_known(x):
            result = getattr(np, name)(x, axis=tuple(axes), keepdims=keep)
            return np.asarray(result).astype('bool' if name in ('any', 'all') else x.dtype)
        if not axes:
            return x
        if name == 'mean' and 'int' in step.node.dtype('T'):
            raise step.error('is the mean of whole numbers, which is not done here')
        return getattr(step.K, name)(step.tensor(x), axis=axes, keepdims=keep)

    return reduce


def _place_of(name: str) -> Operation:
    def place(step: Step, inputs: List[Any]) -> Any:
        x = step.tensor(inputs[0])
        axis = step.axis(step.number(inputs[1], 'the axis'), step.rank(x))
        return step.K.cast(getattr(step.K, name)(x, axis=axis), step.node.dtype('output_type') or 'int64')

    return place


def _accumulated(name: str, first: str) -> Operation:
    def accumulate(step: Step, inputs: List[Any]) -> Any:
        K, x = step.K, step.tensor(inputs[0])
        axis = step.axis(step.number(inputs[1], 'the axis'), step.rank(x))
        backwards = step.node.flag('reverse')
        x = K.reverse(x, axis) if backwards else x
        if step.node.flag('exclusive'):
            ahead = (slice(None),) * axis
            start = getattr(K, first)(x[(*ahead, slice(0, 1))])
            x = K.concatenate([start, x[(*ahead, slice(None, -1))]], axis)
        total = getattr(K, name)(x, axis)
        return K.reverse(total, axis) if backwards else total

    return accumulate


def _matmul(step: Step, inputs: List[Any]) -> Any:
    K, (a, b) = step.K, step.tensors(inputs)
    ranks = [step.rank(x) for x in (a, b)]
    for name in ('transpose_a', 'adj_x'):
        a = K.permute_dimensions(a, _last_two(ranks[0])) if step.node.flag(name) else a
    for name in ('transpose_b', 'adj_y'):
        b = K.permute_dimensions(b, _last_two(ranks[1])) if step.node.flag(name) else b
    if ranks[1] == 2:
        return K.dot(a, b)
    letters = 'abcdefgh'[: max(ranks) - 2]
    terms = [letters[len(letters) - rank + 2 :] for rank in ranks]
    for left, right in zip(reversed(K.int_shape(a)[:-2]), reversed(K.int_shape(b)[:-2])):
        if left != right and 1 in (left, right):
            raise step.error(f'multiplies matrices of the shapes {K.int_shape(a)} and {K.int_shape(b)}, one of which '
                             'would have to be repeated, which is not done here')  # fmt: skip
    return einsum(K, f'{terms[0]}xy,{terms[1]}yz->{letters}xz', a, b)


def _last_two(rank: int) -> List[int]:
    return [*range(rank - 2), rank - 1, rank - 2]


def _einsum(step: Step, inputs: List[Any]) -> Any:
    return einsum(step.K, step.node.text('equation'), *step.tensors(inputs))


def _one_hot(step: Step, inputs: List[Any]) -> Any:
    K, indices = step.K, step.tensor(inputs[0])
    depth, rank = step.number(inputs[1], 'the depth'), step.rank(indices)
    step.spend([depth])
    ones = K.one_hot(K.cast(indices, 'int32'), depth)
    on, off = [step.tensor(value, step.node.dtype('T')) for value in inputs[2:4]]
    ones = K.cast(ones, K.dtype(on))
    axis = step.node.integer('axis', -1)
    if axis not in (-1, rank):
        order = [*range(rank)]
        order.insert(step.axis(axis, rank + 1), rank)
        ones = K.permute_dimensions(ones, order)
    known = [is_known(value) and float(value) for value in inputs[2:4]]
    return ones if known == [1.0, 0.0] else ones * (on - off) + off


def _top_k(step: Step, inputs: List[Any]) -> Any:
    return list(MORE['top_k'](step.K, step.tensor(inputs[0]), step.number(inputs[1], 'the number')))


def _band_part(step: Step, inputs: List[Any]) -> Any:
    below, above = [step.number(value, 'a number of diagonals') for value in inputs[1:]]
    return MORE['band_part'](step.K, step.tensor(inputs[0]), below, above)


def _buckets(step: Step, inputs: List[Any]) -> Any:
    """The number of boundaries that are at most as large as an element."""
    K, x = step.K, step.tensor(inputs[0], 'float32')
    total = K.cast(K.zeros_like(x), 'int32')
    for boundary in step.node.decimals('boundaries'):
        total = total + K.cast(K.greater_equal(x, boundary), 'int32')
    return total


def _counts(step: Step, inputs: List[Any]) -> Any:
    """How often each number is in a row, or the sum of the weights of its places. Larger numbers are left out."""
    K, node = step.K, step.node
    x, size, weights = step.tensor(inputs[0]), step.number(inputs[1], 'the size'), inputs[2]
    step.spend([size])
    hot = K.cast(K.one_hot(K.cast(x, 'int32'), size), node.dtype('T'))
    if node.flag('binary_output'):
        return K.max(hot, axis=-2)
    if 0 not in step.static(weights):
        hot = hot * K.expand_dims(step.tensor(weights), -1)
    return K.sum(hot, axis=-2)


def _same(step: Step, inputs: List[Any]) -> Any:
    return inputs[0]


# What each operation computes, by its name in TensorFlow. The interpreter adds those that call functions.
TABLE: Dict[str, Operation] = {
    **IMAGES,
    **SHAPES,
    **_ELEMENTWISE,
    **dict.fromkeys('Identity StopGradient Snapshot PreventGradient CheckNumerics EnsureShape'.split(), _same),
    'IdentityN': lambda step, inputs: list(inputs),
    'LeakyRelu': _leaky,
    'AddN': _add_n,
    'ClipByValue': _clip,
    'Cast': _cast,
    'Softmax': _softmax,
    'LogSoftmax': _log_softmax,
    **dict.fromkeys(['BiasAdd', 'BiasAddV1'], _bias),
    **dict.fromkeys(['Select', 'SelectV2'], _select),
    **{op: _reduced(name) for op, name in dict(
        Mean='mean', Sum='sum', Max='max', Min='min', Prod='prod', All='all', Any='any').items()},
    'ArgMax': _place_of('argmax'),
    'ArgMin': _place_of('argmin'),
    'Cumsum': _accumulated('cumsum', 'zeros_like'),
    'Cumprod': _accumulated('cumprod', 'ones_like'),
    **dict.fromkeys(['MatMul', 'BatchMatMul', 'BatchMatMulV2', 'BatchMatMulV3'], _matmul),
    'Einsum': _einsum,
    'OneHot': _one_hot,
    'TopKV2': _top_k,
    'Bucketize': _buckets,
    'DenseBincount': _counts,
    'MatrixBandPart': _band_part,
}  # fmt: skip
