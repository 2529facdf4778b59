"""Every gradient rule beside central differences in float64, first and second order, over a grid of shapes and axes.

ROWS has a row for each primitive of the K graph that has a gradient rule; a primitive without a row fails a test. All
cases of a row are computed by one function, and one step of the differences moves an element of each of them.
Longer than other files: a row per primitive is its content.
"""

import numpy as np
import pytest

from ..graph.library import GraphLibrary
from ..graph.primitives import OPS
from ._check import DIFFERENCES, STEP, covers, distinct, random

pytestmark = covers('gradients', 'function')

# Their operand is a sparse tensor, of which no element can be moved. test_sparse.py holds them.
OF_SPARSE = {'to_dense', 'sparse_cast'}
SHAPES = [(), (1,), (3,), (0,), (2, 3), (1, 3), (2, 0), (0, 3), (2, 1, 3)]
PAIRS = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((2, 3), (1, 1)),
    ((1,), (2, 3)),
    ((0,), (1,)),
    ((2, 0), (1,)),
    ((3, 1), (1, 0)),
    ((2, 3, 2), (3, 1)),
]


class Case:
    """build(K, *tensors) of arrays. known, unknown: whether it is tried with known sizes, and with none.

    order: the highest order that is compared.
    """

    def __init__(self, build, *arrays, known=True, unknown=True, order=2):
        self.build, self.arrays, self.order = build, [np.asarray(a, 'float64') for a in arrays], order
        self.forms = [form for form, included in (((), known), ('all', unknown)) if included]


def _values(shape, seed=0, low=-2.0, high=2.0):
    """Numbers that keep away from 0 and from each other."""
    values = random(shape, seed, low, high)
    return np.where(np.abs(values) < 0.1, 0.37, values)


def unary(function, low=-2.0, high=2.0, edges=(), order=2):
    """Cases of a function of one tensor: all shapes, and a vector of values at its edge."""
    cases = [Case(function, _values(shape, k, low, high)) for k, shape in enumerate(SHAPES)]
    return cases + [Case(function, np.array(edges), order=order)] if len(edges) else cases


def binary(function, low=-2.0, high=2.0, edges=()):
    """Cases of a function of two tensors: all pairs of shapes in both orders, and pairs of values at its edge."""
    cases = []
    for k, (first, second) in enumerate(PAIRS):
        x, y = _values(first, 2 * k, low, high), _values(second, 2 * k + 1, low, high) + 0.05
        cases += [Case(function, x, y), Case(function, y, x)]
    return cases + [Case(function, *edges)] if len(edges) else cases


def reductions(name, make=random):
    """Cases of a reduction: all axes, one, two, from the end, with and without the axes that are kept."""
    cases = []
    for shape, axis in [
        ((), None),
        ((3,), 0),
        ((2, 3), None),
        ((2, 3), 0),
        ((2, 3), -1),
        ((2, 3, 2), [0, 2]),
        ((1, 3, 1), [0, 2]),
        ((2, 1), 1),
        ((2, 0), 0),
        ((0, 3), 1),
        ((2, 0, 3), [0, 2]),
    ]:
        for keepdims in (False, True):
            cases.append(
                Case(
                    lambda K, x, axis=axis, keepdims=keepdims: getattr(K, name)(x, axis=axis, keepdims=keepdims),
                    make(shape, len(cases)),
                )
            )
    return cases


def sums(name):
    """Cases of a reduction that is also there for an axis without elements."""
    empty = [((2, 0), 1), ((0, 3), 0), ((0,), None)]
    return reductions(name) + [
        Case(lambda K, x, axis=axis: getattr(K, name)(x, axis=axis), random(shape)) for shape, axis in empty
    ]


def along(function, zeros=()):
    """Cases of a function along an axis."""
    cases = [
        Case(lambda K, x, axis=axis: function(K, x, axis), random(shape, k))
        for k, (shape, axis) in enumerate(
            [((3,), 0), ((2, 3), 0), ((2, 3), -1), ((2, 3, 2), 1), ((2, 1), 1), ((0, 3), 1), ((1, 1), 0)]
        )
    ]
    return cases + [Case(lambda K, x: function(K, x, -1), np.array(zeros))] if len(zeros) else cases


def moved(*pairs):
    """Cases of functions that move elements, squared so that the second order is not 0: (function, shape)."""
    return [Case(lambda K, x, f=f: f(K, x) ** 2, random(shape, k)) for k, (f, shape) in enumerate(pairs)]


def slope(K, y, x, g):
    """The gradient of `y` by `x` with the weights `g`: a tensor made by a gradient rule."""
    return K.gradients(K.sum(y * g), [x])[0]


def of_graph(K, name, x, otherwise):
    """A primitive that no K function has: on the K graph alone, elsewhere what it stands for."""
    library = getattr(K, '_graph', None)
    return getattr(library.F, name)(x) if isinstance(library, GraphLibrary) else otherwise(x)


def integers(K, values):
    return K.constant(np.array(values, 'int32'), dtype='int32')


def convolutions(build):
    """Cases of build(K, x, kernel, **options) with one and two spatial axes."""
    return [
        Case(lambda K, x, w, o=options: build(K, x, w, **o), random(x, 1), random(w, 2), unknown=False)
        for x, w, options in [
            ((2, 4, 2), (3, 2, 2), {}),
            ((1, 5, 1), (2, 1, 2), {'padding': 'causal', 'dilation_rate': 2}),
            ((1, 4, 2), (3, 2, 1), {'padding': 'same', 'strides': 2}),
            ((1, 3, 4, 2), (2, 3, 2, 1), {'padding': 'same', 'strides': (2, 1)}),
            ((1, 4, 3, 1), (2, 2, 1, 2), {'dilation_rate': (2, 1)}),
            ((0, 4, 2), (3, 2, 2), {}),
        ]
    ]


def conv(K, x, w, **options):
    return (K.conv1d if K.ndim(x) == 3 else K.conv2d)(x, w, **options)


def depthwise(K, x, w, **options):
    return K.depthwise_conv2d(x, w, **options)


def depthwise_cases(build):
    return [
        Case(lambda K, x, w, o=options: build(K, x, w, **o), random(x, 1), random(w, 2), unknown=False)
        for x, w, options in [
            ((1, 3, 4, 2), (2, 2, 2, 2), {}),
            ((2, 3, 3, 1), (3, 2, 1, 1), {'padding': 'same', 'strides': (2, 2)}),
            ((1, 4, 4, 2), (2, 2, 2, 1), {'dilation_rate': (2, 2)}),
            ((0, 3, 3, 2), (2, 2, 2, 1), {}),
        ]
    ]


def pools(mode, build, make):
    return [
        Case(
            lambda K, x, o=options: build(K, (K.pool2d if K.ndim(x) == 4 else K.pool3d)(x, pool_mode=mode, **o), x),
            make(shape),
            unknown=False,
        )
        for shape, options in [
            ((1, 4, 4, 2), {'pool_size': (2, 2), 'strides': (2, 2)}),
            ((2, 3, 4, 1), {'pool_size': (2, 3), 'strides': (1, 2), 'padding': 'same'}),
            ((1, 2, 3, 2, 1), {'pool_size': (2, 2, 1), 'strides': (1, 1, 1), 'padding': 'same'}),
            ((0, 4, 4, 2), {'pool_size': (2, 2), 'strides': (2, 2)}),
        ]
    ]


def weights(K, x):
    """Fixed numbers of the shape of a tensor of known shape."""
    return K.constant(random(K.int_shape(x), seed=9), dtype='float64')


def step(K, x, w):
    """The last state of a loop, and all of its outputs."""
    last, outputs, _states = K.rnn(
        lambda e, s: ((K.tanh(e + s[0] * w),) * 2)[:1] + ([K.tanh(e + s[0] * w)],), x, [x[:, 0]]
    )
    return [last, outputs]


REPEATED = [[0, 2], [2, 2]]
ROWS = {
    # -- element-wise --
    'abs': unary(lambda K, x: K.abs(x)),
    'exp': unary(lambda K, x: K.exp(x), edges=[-30.0, 0.0, 3.0]),
    'log': unary(lambda K, x: K.log(x), 0.3, 2.0, [0.05, 20.0]),
    'sqrt': unary(lambda K, x: K.sqrt(x), 0.3, 2.0, [-1.0, 0.2, 30.0]),
    'sin': unary(lambda K, x: K.sin(x), edges=[0.0, 10.0]),
    'cos': unary(lambda K, x: K.cos(x), edges=[0.0, 10.0]),
    'tanh': unary(lambda K, x: K.tanh(x), edges=[-20.0, 0.0, 20.0]),
    'sigmoid': unary(lambda K, x: K.sigmoid(x), edges=[-40.0, 0.0, 40.0]),
    'softplus': unary(lambda K, x: K.softplus(x), edges=[-40.0, 0.0, 40.0]),
    'sign': unary(lambda K, x: K.sign(x) * x),
    'expm1': unary(lambda K, x: of_graph(K, 'expm1', x, lambda x: K.exp(x) - 1)),
    'log1p': unary(lambda K, x: of_graph(K, 'log1p', x, lambda x: K.log(1 + x)), -0.5, 2.0),
    'square': unary(lambda K, x: K.square(x), edges=[0.0]),
    'relu': unary(lambda K, x: K.relu(x) * x),
    'neg': unary(lambda K, x: -x * x),
    'identity': unary(lambda K, x: K.identity(x) * x),
    'print': [Case(lambda K, x: K.print_tensor(x, 'x') ** 2, random((2,)), unknown=False)],
    'cast': unary(lambda K, x: K.cast(K.cast(x * x, 'float32'), 'float64') * 0 + K.cast(x, 'float64') * x),
    'add': binary(lambda K, x, y: K.square(x + y)),
    'sub': binary(lambda K, x, y: K.square(x - y)),
    'mul': binary(lambda K, x, y: x * y),
    'div': binary(lambda K, x, y: x / y, 0.3, 2.0, [[-1.0, 0.0], [0.25, -4.0]]),
    'mod': binary(lambda K, x, y: (x % y) * x, 0.3, 2.0, [[-1.3, 2.3], [0.5, -0.7]]),
    'pow': binary(lambda K, x, y: K.pow(x, y), 0.3, 2.0)
    + [
        Case(lambda K, x: K.pow(x, K.constant([2.0, 3.0, 2.0, 1.0], dtype='float64')), [-1.5, -0.5, 0.0, 0.0]),
        Case(lambda K, x: K.pow(x, 3), [-1.5, 0.0]),
    ],
    'maximum': binary(lambda K, x, y: K.maximum(x, y) * x),
    'minimum': binary(lambda K, x, y: K.minimum(x, y) * y),
    'where': binary(lambda K, x, y: K.switch(K.greater(x + y, 0.1), x * y, K.sin(x + y))),
    'tanh_grad': binary(lambda K, x, g: slope(K, K.tanh(x), x, g)),
    'sigmoid_grad': binary(lambda K, x, g: slope(K, K.sigmoid(x), x, g)),
    'relu_grad': binary(lambda K, x, g: slope(K, K.relu(x), x, g * x)),
    # -- shapes --
    'reshape': moved(
        (lambda K, x: K.reshape(x, (3, -1)), (2, 3)),
        (lambda K, x: K.reshape(x, (-1,)), (2, 0)),
        (lambda K, x: K.flatten(x), (2, 1, 3)),
        (lambda K, x: K.reshape(x, (1, 1)), (1,)),
    ),
    'broadcast_to': [
        Case(lambda K, x, a=axis: K.square(K.sum(x, axis=a, keepdims=True) * x), random(shape, k))
        for k, (shape, axis) in enumerate([((2, 3), 1), ((2, 3, 2), [0, 2]), ((2, 0), 1), ((), None)])
    ],
    'sum_to': binary(lambda K, x, y: slope(K, K.square(x * y), x, K.exp(y))),
    'transpose': moved(
        (lambda K, x: K.transpose(x), (2, 3, 1)),
        (lambda K, x: K.permute_dimensions(x, (1, 2, 0)), (2, 1, 3)),
        (lambda K, x: K.permute_dimensions(x, (1, 0)), (0, 3)),
    ),
    'expand_dims': moved(
        *[(lambda K, x, a=a: K.expand_dims(x, a), s) for a, s in [(0, (3,)), (-1, (2, 0)), (1, (2, 3))]]
    ),
    'squeeze': moved(*[(lambda K, x, a=a: K.squeeze(x, a), s) for a, s in [(0, (1,)), (-1, (0, 1)), (1, (2, 1, 3))]]),
    'concatenate': [
        Case(lambda K, x, y, a=axis: K.concatenate([x, y, x], axis=a) ** 2, random(x), random(y, 1))
        for x, y, axis in [((2, 3), (1, 3), 0), ((2, 1), (2, 0), -1), ((0, 2), (0, 1), 1), ((3,), (1,), 0)]
    ],
    'stack': [
        Case(lambda K, x, y, a=axis: K.stack([x, y, x], axis=a) ** 2, random(shape), random(shape, 1))
        for shape, axis in [((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((), 0), ((2, 0), 1)]
    ],
    'tile': moved(
        (lambda K, x: K.tile(x, [2, 3]), (2, 1)),
        (lambda K, x: K.tile(x, [1, 2]), (2, 0)),
        (lambda K, x: K.tile(x, 3), (2,)),
        (lambda K, x: K.tile(x, [2, 0]), (2, 2)),
    ),
    'repeat': moved(
        (lambda K, x: K.repeat_elements(x, 2, 0), (2, 3)),
        (lambda K, x: K.repeat_elements(x, 3, 1), (2, 1)),
        (lambda K, x: K.repeat_elements(x, 2, 1), (2, 0)),
    ),
    'reverse': moved(
        (lambda K, x: K.reverse(x, [0]) * x, (3,)),
        (lambda K, x: K.reverse(x, [0, 1]) * x, (2, 3)),
        (lambda K, x: K.reverse(x, -1), (0, 2)),
    ),
    'pad': moved(
        (lambda K, x: K.temporal_padding(x, (1, 2)), (1, 2, 2)),
        (lambda K, x: K.temporal_padding(x, (1, 0)), (2, 0, 1)),
        (lambda K, x: K.spatial_2d_padding(x, ((0, 1), (2, 0))), (1, 2, 1, 2)),
    ),
    'getitem': moved(
        (lambda K, x: x[1], (2, 3)),
        (lambda K, x: x[:, ::-1] * x[:, :1], (2, 3)),
        (lambda K, x: x[..., None, 1:], (2, 3)),
        (lambda K, x: x[5:], (3,)),
        (lambda K, x: x[-1, 0], (2, 1)),
        (lambda K, x: x[:, :1], (2, 0)),
    ),
    'getitem_grad': [
        Case(lambda K, x: x[integers(K, REPEATED)] ** 2, random((3, 2)), unknown=False),
        Case(lambda K, x: x[:, integers(K, [1, 0, 1])] ** 2, random((2, 2)), unknown=False),
        Case(lambda K, x: x[integers(K, [0, 1, 0]), integers(K, [1, 1, 1])] ** 2, random((2, 2)), unknown=False),
        Case(lambda K, x: x[integers(K, [1])] ** 2, random((3, 2)), unknown=False),
        Case(lambda K, x: x[integers(K, [1, 1])] ** 2, random((2, 0)), unknown=False),
    ],
    'slice_axis': [
        Case(lambda K, x: K.slice(x, [K.shape(x)[0] - 2, 0], [2, -1]) ** 2, random((3, 2))),
        Case(lambda K, x: K.slice(x, [K.shape(x)[0] - 1, 0], [1, -1]) ** 2, random((2, 0))),
    ],
    'slice_axis_grad': [
        Case(lambda K, x: K.slice(K.sin(x), [0, K.shape(x)[1] - 1], [-1, 1]) * x, random((2, 3))),
        Case(lambda K, x, g: slope(K, K.slice(x, [K.shape(x)[0] - 2], [2]) ** 2, x, g), random((3,)), random((2,), 1)),
    ],
    'gather': [
        Case(lambda K, x, i=index: K.gather(x, integers(K, i)) ** 2, random(shape))
        for shape, index in [
            ((3, 2), REPEATED),
            ((3,), 1),
            ((3, 1, 2), [1]),
            ((3, 0), [0, 2]),
            ((2, 2), np.zeros((0,), 'int32')),
        ]
    ],
    'scatter_add': [
        Case(
            lambda K, x, g, i=index: slope(K, K.square(K.gather(x, integers(K, i))), x, g), random(shape), random(g, 1)
        )
        for shape, g, index in [((3, 2), (2, 2, 2), REPEATED), ((3,), (), 1), ((3, 0), (2, 0), [0, 2])]
    ],
    # -- products --
    'tensordot': [
        Case(lambda K, x, y: K.dot(x, y), random(x), random(y, 1), unknown=len(x) == 2)
        for x, y in [
            ((2, 3), (3, 2)),
            ((2, 1, 3), (3,)),
            ((3,), (3,)),
            ((2, 3), (2, 3, 2)),
            ((2, 0), (0, 3)),
            ((0, 2), (2, 1)),
            ((1, 1), (1, 1)),
        ]
    ],
    'matmul': [
        Case(lambda K, x, y, a=axes: K.batch_dot(x, y, axes=a), random(x), random(y, 1), unknown=False)
        for x, y, axes in [
            ((2, 2, 3), (2, 3, 2), (2, 1)),
            ((2, 3, 2), (2, 2, 3), (1, 2)),
            ((2, 3, 2), (2, 3, 1), (1, 1)),
            ((2, 2, 3), (2, 1, 3), (2, 2)),
            ((2, 3), (2, 3), 1),
            ((0, 2, 3), (0, 3, 2), (2, 1)),
            ((2, 2, 0), (2, 0, 1), (2, 1)),
        ]
    ],
    'sparse_dot': [
        Case(lambda K, y: K.dot(K.variable(_sparse(), dtype='float64'), y) ** 2, random(shape), unknown=False)
        for shape in [(3, 2), (3, 1)]
    ],
    # -- reductions --
    'sum': sums('sum')
    + [
        Case(lambda K, x: K.square(K.sum(x * x, axis=0)), random((2, 3), 5)),
        Case(lambda K, x: K.var(x), random((2, 3))),
    ],
    'mean': reductions('mean') + [Case(lambda K, x: K.mean(x * x, axis=0) ** 2, random((3, 2), 4))],
    'prod': sums('prod')
    + [Case(lambda K, x, a=a: K.prod(x, axis=a), [[0.0, 2.0, 3.0], [0.0, 0.5, 0.0]]) for a in (None, 0, 1)],
    'max': reductions('max', distinct) + [Case(lambda K, x: K.max(x, axis=0) ** 2, distinct((3, 2)))],
    'min': reductions('min', distinct) + [Case(lambda K, x: K.min(x, axis=1) ** 2, distinct((3, 2)))],
    'cumsum': along(lambda K, x, axis: K.cumsum(x, axis=axis) ** 2),
    'cumprod': along(lambda K, x, axis: K.cumprod(x, axis=axis), [[0.0, 2.0, 3.0], [1.5, 0.0, 0.0]]),
    'softmax': along(lambda K, x, axis: K.softmax(x, axis=axis), [[30.0, -30.0], [0.0, 0.0]]),
    'log_softmax': [
        Case(lambda K, t, x: K.categorical_crossentropy(t, x, from_logits=True), random(s, 1, 0.1, 1.0), random(s))
        for s in [(2, 3), (1, 1), (0, 3), (2, 2, 2)]
    ],
    # -- windows --
    'conv': convolutions(conv),
    'conv_input_grad': convolutions(lambda K, x, w, **o: slope(K, conv(K, x, w, **o) ** 2, x, 1.0)),
    'conv_kernel_grad': convolutions(lambda K, x, w, **o: slope(K, conv(K, x, w, **o) ** 2, w, 1.0)),
    'depthwise_conv': depthwise_cases(depthwise),
    'depthwise_conv_input_grad': depthwise_cases(lambda K, x, w, **o: slope(K, depthwise(K, x, w, **o) ** 2, x, 1.0)),
    'depthwise_conv_kernel_grad': depthwise_cases(lambda K, x, w, **o: slope(K, depthwise(K, x, w, **o) ** 2, w, 1.0)),
    'max_pool': pools('max', lambda K, y, x: y**2, distinct),
    'max_pool_grad': pools('max', lambda K, y, x: slope(K, y**3, x, weights(K, y)), distinct),
    'max_pool_select': pools(
        'max', lambda K, y, x: slope(K, slope(K, y**4, x, weights(K, y)), x, weights(K, x)), distinct
    ),
    'avg_pool': pools('avg', lambda K, y, x: y**2, random),
    'avg_pool_grad': pools('avg', lambda K, y, x: slope(K, y**3, x, weights(K, y)), random),
}
# What is no primitive, but has a gradient of its own.
MORE = {
    'rnn': [Case(step, random((2, 3, 2)), random((2,), 1), unknown=False)],
    'switch': [
        Case(
            lambda K, x, n=n: K.switch(K.sum(x) > n, lambda: K.sin(x), lambda: x * x), random((2, 3), 1), unknown=False
        )
        for n in (-50, 50)
    ],
    'map_fn': [Case(lambda K, x: K.map_fn(lambda e: e * K.sum(e), x, dtype='float64'), random((2, 3)), unknown=False)],
    'std': reductions('std', lambda shape, seed: random(shape, seed) if 0 not in shape else random(shape))[2:10],
    'logsumexp': reductions('logsumexp'),
}


def _sparse():
    from scipy import sparse

    return sparse.csr_matrix(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, -1.5]]))


def test_every_gradient_rule_has_a_row():
    """A primitive that is given a gradient rule needs a row here."""
    assert {name for name, op in OPS.items() if op.gradient is not None} == set(ROWS) | OF_SPARSE


@pytest.mark.parametrize('name', sorted(ROWS) + sorted(MORE))
def test_rule(K, check, name, monkeypatch):
    """Gradients of both orders of all cases of a row; on the K graph the row also has to call the rule."""
    called = []
    if name in ROWS and isinstance(getattr(K, '_graph', None), GraphLibrary):
        rule = OPS[name].gradient
        monkeypatch.setattr(OPS[name], 'gradient', lambda *given: (called.append(name), rule(*given))[1])
    else:
        called.append(name)
    together = _Together(K, check)
    for number, case in enumerate(ROWS[name] if name in ROWS else MORE[name]):
        for form in case.forms:
            together.add(case, form, f'case {number}, shapes {[a.shape for a in case.arrays]}, sizes {form or "known"}')
    assert called, 'no case calls the rule'
    differences = together.compare()
    assert not differences, '\n'.join(differences)


class _Together:
    """Cases that one function computes."""

    def __init__(self, K, check):
        self.K, self.check = K, check
        self.tensors, self.arrays, self.outputs = [], [], []
        self.cases = []  # (label, places of the inputs, [(place of the loss, places of its gradients)])

    def add(self, case, form, label):
        K = self.K
        tensors = [self.check.placeholder(a, range(a.ndim) if form else ()) for a in case.arrays]
        loss, orders = self._loss([case.build(K, *tensors)], 3), []
        for order in range(case.order):
            gradients = K.gradients(loss, tensors)
            if order == 0:
                assert any(g is not None for g in gradients), f'{label}: all gradients are None'
            gradients = [K.zeros_like(t) if g is None else g for t, g in zip(tensors, gradients)]
            orders.append((len(self.outputs), range(len(self.outputs) + 1, len(self.outputs) + 1 + len(tensors))))
            self.outputs += [loss, *gradients]
            if order + 1 < case.order:
                loss = self._loss(gradients, 70 + order)
        self.cases.append((label, range(len(self.tensors), len(self.tensors) + len(tensors)), orders))
        self.tensors += tensors
        self.arrays += case.arrays

    def _loss(self, tensors, seed):
        """A sum in which errors do not cancel: each element has a weight, which depends on its place."""
        K, total = self.K, None
        flat = [t for result in tensors for t in (result if isinstance(result, list) else [result])]
        for k, tensor in enumerate(flat):
            tensor = K.flatten(tensor)
            weight = K.cos(K.cast(K.arange(K.shape(tensor)[0]), 'float64') * 1.3 + float(seed + k))
            term = K.sum(K.cast(tensor * weight, 'float64'))
            total = term if total is None else total + term
        return total

    def compare(self):
        """What differs from central differences, in words."""
        function = self.K.function(self.tensors, self.outputs)
        values, differences = function(self.arrays), []
        # The elements of each case, one argument after the other.
        cells = [[(p, i) for p in positions for i in range(self.arrays[p].size)] for _l, positions, _o in self.cases]
        steps = [self._moved(function, [c[k] for c in cells if k < len(c)]) for k in range(max(map(len, cells)))]
        for label, positions, orders in self.cases:
            first = 0
            for number, position in enumerate(positions):
                array = self.arrays[position]
                for order, (loss, gradients) in enumerate(orders, 1):
                    numeric = np.array([step[loss] for step in steps[first : first + array.size]]).reshape(array.shape)
                    what = f'{label}, order {order}, argument {number}'
                    differences += self._difference(what, values[gradients[number]], numeric)
                first += array.size
        return differences

    def _moved(self, function, elements):
        """The slopes of all losses, each case being moved at one of its elements: (place of the array, element)."""
        ends = []
        for by in (STEP, -STEP):
            arrays = list(self.arrays)
            for position, element in elements:
                array = arrays[position] = arrays[position].copy()
                array.reshape(-1)[element] += by
            ends.append(function(arrays))
        with np.errstate(invalid='ignore'):
            return {k: (ends[0][k] - ends[1][k]) / (2 * STEP) for _l, _p, orders in self.cases for k, _g in orders}

    @staticmethod
    def _difference(what, value, numeric):
        value = np.asarray(value)
        if value.shape != numeric.shape or value.dtype.name != 'float64':
            return [f'{what}: {value.dtype.name} of shape {value.shape}, not float64 of {numeric.shape}']
        scale = max(1.0, np.abs(numeric).max()) if numeric.size else 1.0
        if np.allclose(value, numeric, DIFFERENCES, DIFFERENCES * scale):
            return []
        return [f'{what}: {value.tolist()}, by differences {numeric.tolist()}']
