"""One call or more of every NumPy kernel, for the tests of what holds for all of them."""

from collections import namedtuple

import numpy as np

from keras_backend.kernels.random import Stream

FLOATS = ('float16', 'float32', 'float64')
INTEGERS = ('int8', 'uint8', 'int32', 'int64')
BOOL = ('bool',)

# `make(draw)` gives the arrays, draw(*shape) being one of the dtype under test. `result`: a dtype, or None for the one
# under test. `sizes`: the attributes that may also be integer vectors.
Example = namedtuple('Example', 'name make attrs dtypes result sizes')
EXAMPLES = []


def example(names, make, attrs=None, dtypes=FLOATS, result=None, sizes=()):
    for name in names.split():
        EXAMPLES.append(Example(name, make, attrs or {}, dtypes, result, sizes))


_DRAWS = np.random.RandomState(0)


def drawer(dtype, seed=0):
    """A function that draws arrays of `dtype`: small numbers of both signs, all different from 0 where it divides.

    The next drawer begins again, so its arrays are drawn before that. To seed is a hundred times as quick as to make.
    """
    random = _DRAWS
    random.seed(seed)

    def draw(*shape):
        if dtype == 'bool':
            return np.asarray(random.rand(*shape) < 0.5)
        if dtype in FLOATS:
            return np.asarray(random.uniform(-2, 2, shape)).astype(dtype)
        return np.asarray(random.randint(1 if dtype.startswith('u') else -3, 4, shape)).astype(dtype)

    return draw


def places(*shape):
    # It does not draw from the drawer, which may be in use.
    return np.random.RandomState(1).randint(0, 3, shape).astype('int32')


NUMBERS, ALL = FLOATS + INTEGERS, FLOATS + INTEGERS + BOOL

for _shape in (), (3,), (2, 3):
    example('abs square sign floor round relu', lambda draw, s=_shape: (draw(*s),), dtypes=NUMBERS)
    example('neg', lambda draw, s=_shape: (draw(*s),), dtypes=FLOATS + ('int32',))
    example('exp log sqrt sin cos tanh sigmoid softplus expm1 log1p', lambda draw, s=_shape: (draw(*s),))
    example('identity stop_gradient', lambda draw, s=_shape: (draw(*s),), dtypes=ALL)
    example('logical_not', lambda draw, s=_shape: (draw(*s),), dtypes=ALL, result='bool')
    example('add sub mul', lambda draw, s=_shape: (draw(*s), draw(*s)), dtypes=NUMBERS)
    example('maximum minimum', lambda draw, s=_shape: (draw(*s), draw()), dtypes=ALL)
    example('div tanh_grad sigmoid_grad relu_grad', lambda draw, s=_shape: (draw(*s), draw(*s)))
    example('floordiv mod', lambda draw, s=_shape: (draw(*s), draw(*s)), dtypes=NUMBERS)
    example('pow', lambda draw, s=_shape: (draw(*s), draw()))
    example(
        'equal not_equal greater greater_equal less less_equal logical_and logical_or',
        lambda draw, s=_shape: (draw(*s), draw()),
        dtypes=ALL,
        result='bool',
    )
    example('where', lambda draw, s=_shape: (draw(*s) > 0, draw(*s), draw()), dtypes=ALL)
    example('print', lambda draw, s=_shape: (draw(*s),), {'message': ''}, ALL)
    for _dtype in 'float16', 'float64', 'int32', 'bool':
        example('cast', lambda draw, s=_shape: (draw(*s),), {'dtype': _dtype}, ALL, _dtype)
example('nonzero', lambda draw: (draw(5) > 0,), result='int64')
example('pow', lambda draw: (draw(3), np.abs(draw(3))), dtypes=NUMBERS)
example('pow', lambda draw: (draw(3), np.zeros_like(draw(3))), dtypes=NUMBERS)
example('add mul', lambda draw: (draw(2, 1, 3), draw(4, 1)), dtypes=FLOATS)
example('where', lambda draw: (draw(100, 100) > 0, draw(100, 100), draw(100, 100)), dtypes=ALL)
example('where', lambda draw: (draw(100, 100) > 0, draw(100, 100), np.zeros_like(draw())), dtypes=ALL)

for _shape, _axes in (
    ((), ()),
    ((5,), (0,)),
    ((2, 3, 4), ()),
    ((2, 3, 4), (1,)),
    ((2, 3, 4), (0, 2)),
    ((2, 3, 4), (0, 1, 2)),
    ((40, 50, 3), (0, 1)),
    ((4, 50, 30), (1,)),
    ((100, 50), (1,)),
    ((200, 10), (1,)),
):
    for _keepdims in False, True:
        _attrs = {'axes': _axes, 'keepdims': _keepdims}
        example('sum prod', lambda draw, s=_shape: (draw(*s),), _attrs, NUMBERS)
        example('mean', lambda draw, s=_shape: (draw(*s),), _attrs)
        example('max min', lambda draw, s=_shape: (draw(*s),), _attrs, ALL)
        example('any all', lambda draw, s=_shape: (draw(*s),), _attrs, ALL, 'bool')
for _axis in 0, 1, 2:
    example('argmax argmin', lambda draw: (draw(2, 3, 4),), {'axis': _axis}, ALL, 'int64')
    example('cumsum cumprod', lambda draw: (draw(2, 3, 4),), {'axis': _axis}, NUMBERS)
    example('softmax log_softmax', lambda draw: (draw(2, 3, 4),), {'axis': _axis})
example('argmax argmin', lambda draw: (draw(5),), {'axis': 0}, ALL, 'int64')
example('softmax log_softmax', lambda draw: (draw(200, 10),), {'axis': 1})
example('sum_to', lambda draw: (draw(2, 3),), {'shape': (1, 3)}, NUMBERS, sizes=('shape',))
example('sum_to', lambda draw: (draw(2, 3),), {'shape': (2, 3)}, NUMBERS, sizes=('shape',))

example('shape', lambda draw: (draw(2, 3),), dtypes=ALL, result='int32')
example('shape', lambda draw: (draw(),), dtypes=ALL, result='int32')
for _shape, _new in ((2, 3), (3, 2)), ((2, 3), (-1,)), ((), (1, 1)), ((1,), ()):
    example('reshape', lambda draw, s=_shape: (draw(*s),), {'shape': _new}, ALL, sizes=('shape',))
for _shape, _new in ((3,), (2, 3)), ((2, 1), (4, 2, 3)), ((), (2,)), ((2, 3), (2, 3)), ((0,), (2, 0)):
    example('broadcast_to', lambda draw, s=_shape: (draw(*s),), {'shape': _new}, ALL, sizes=('shape',))
example('transpose', lambda draw: (draw(2, 3, 4),), {'perm': (2, 0, 1)}, ALL)
for _axis in 0, 1, 2:
    example('expand_dims', lambda draw: (draw(2, 3),), {'axis': _axis}, ALL)
    example('concatenate', lambda draw: (draw(2, 3, 4), draw(2, 3, 4), draw(2, 3, 4)), {'axis': _axis}, ALL)
    example('stack', lambda draw: (draw(2, 3), draw(2, 3)), {'axis': _axis}, ALL)
    example('repeat', lambda draw: (draw(2, 3, 4),), {'repeats': 2, 'axis': _axis}, ALL)
example('expand_dims', lambda draw: (draw(),), {'axis': 0}, ALL)
example('stack', lambda draw: (draw(), draw()), {'axis': 0}, ALL)
example('squeeze', lambda draw: (draw(2, 1, 3),), {'axis': 1}, ALL)
example('concatenate', lambda draw: (draw(2, 3),), {'axis': 0}, ALL)
example('concatenate', lambda draw: (draw(2, 3), draw(0, 3)), {'axis': 0}, ALL)
example('repeat', lambda draw: (draw(3),), {'repeats': 1, 'axis': 0}, ALL)
example('tile', lambda draw: (draw(2, 3),), {'reps': (2, 1)}, ALL, sizes=('reps',))
example('tile', lambda draw: (draw(2, 3),), {'reps': (1, 1)}, ALL, sizes=('reps',))
example('reverse', lambda draw: (draw(2, 3, 4),), {'axes': (0, 2)}, ALL)
example('pad', lambda draw: (draw(2, 3),), {'widths': ((1, 0), (0, 2)), 'value': 1}, ALL)
example('pad', lambda draw: (draw(2, 3),), {'widths': ((0, 0), (0, 0)), 'value': 0}, ALL)
for _spec in (1,), (Ellipsis, 0), (('slice', None, None, -1), None), (('slice', 1, None, None), 2), ():
    example('getitem', lambda draw: (draw(2, 3),), {'spec': _spec}, ALL)
    example(
        'getitem_grad',
        lambda draw, s=_spec: (
            np.zeros((2, 3)).astype(draw().dtype)[tuple(slice(*i[1:]) if isinstance(i, tuple) else i for i in s)],
        ),
        {'shape': (2, 3), 'spec': _spec},
        NUMBERS,
        sizes=('shape',),
    )
example('getitem', lambda draw: (draw(3, 3), places(4)), {'spec': (('tensor', 0),)}, ALL)
example('getitem', lambda draw: (draw(3, 4), places()), {'spec': (('tensor', 0), ('slice', 1, 3, None))}, ALL)
example('getitem', lambda draw: (draw(3, 3), places(4), places(4)), {'spec': (('tensor', 0), ('tensor', 1))}, ALL)
example(
    'getitem_grad',
    lambda draw: (draw(4, 3), places(4)),
    {'shape': (3, 3), 'spec': (('tensor', 0),)},
    NUMBERS,
    sizes=('shape',),
)
example(
    'getitem_grad',
    lambda draw: (draw(4), places(4), places(4)),
    {'shape': (3, 3), 'spec': (('tensor', 0), ('tensor', 1))},
    NUMBERS,
    sizes=('shape',),
)
example('slice_axis', lambda draw: (draw(2, 5), np.int32(1), np.int32(3)), {'axis': 1}, ALL)
example('slice_axis_grad', lambda draw: (draw(2, 2), np.array([2, 5]), np.int32(1)), {'axis': 1}, ALL)
example('arange', lambda draw: (np.array(0), np.array(5), np.array(2)), {'dtype': 'float32'}, ('float32',), 'float32')
example('arange', lambda draw: (np.int32(0), np.int32(5), np.int32(1)), {'dtype': 'int32'}, ('int32',), 'int32')
for _dtype in FLOATS:
    example('one_hot', lambda draw: (places(2, 3),), {'num_classes': 3, 'dtype': _dtype}, ('int32',), _dtype)
    example('one_hot', lambda draw: (places(200),), {'num_classes': 50, 'dtype': _dtype}, ('int32',), _dtype)
for _shape in (), (4,), (2, 2):
    example('gather', lambda draw, s=_shape: (draw(3, 2), places(*s)), dtypes=ALL)
    example('scatter_add', lambda draw, s=_shape: (places(*s), draw(*s + (2,))), {'size': 3}, NUMBERS, sizes=('size',))
example('gather', lambda draw: (draw(2, 3).T, places(4)), dtypes=ALL)
for _tail in (), (5,):
    example(
        'rows',
        lambda draw, tail=_tail: (np.int32(9000), places(2, 2), draw(2, 2, *tail), places(3), draw(3, *tail)),
        dtypes=NUMBERS,
        result=('int64', None),
    )
for _name in 'add_rows', 'sub_rows':
    example(_name, lambda draw: (draw(6, 2), np.array([0, 3]), draw(3, 2)), dtypes=NUMBERS)
    example(_name, lambda draw: (draw(6), np.array([0, 3]), draw(3) * (np.arange(3) < 2)), dtypes=FLOATS)
example('scatter_add', lambda draw: (places(100), draw(100)), {'size': 3}, NUMBERS, sizes=('size',))
example('scatter_add', lambda draw: (places(100), draw(100, 20)), {'size': 3}, NUMBERS, sizes=('size',))

for _x, _y, _axes_x, _axes_y in (
    ((2, 3), (3, 4), (1,), (0,)),
    ((3, 2), (3, 4), (0,), (0,)),
    ((2, 3), (4, 3), (1,), (1,)),
    ((3, 2), (4, 3), (0,), (1,)),
    ((3,), (3,), (0,), (0,)),
    ((2, 3), (3,), (1,), (0,)),
    ((3,), (3, 2), (0,), (0,)),
    ((2, 5, 3), (3, 4), (2,), (0,)),
    ((2, 5, 3), (4, 3), (2,), (1,)),
    ((2, 3, 4), (5, 3, 2), (0, 1), (2, 1)),
    ((2, 3), (4,), (), ()),
    ((2, 3), (2, 3), (0, 1), (0, 1)),
    ((2, 3, 4), (4, 2), (2, 0), (0, 1)),
    ((), (2,), (), ()),
):
    example('tensordot', lambda draw, x=_x, y=_y: (draw(*x), draw(*y)), {'axes_x': _axes_x, 'axes_y': _axes_y}, NUMBERS)
for _x, _y, _tx, _ty in (
    ((5, 2, 3), (5, 3, 4), False, False),
    ((5, 3, 2), (5, 3, 4), True, False),
    ((5, 2, 3), (5, 4, 3), False, True),
    ((2, 2, 3, 2), (2, 2, 4, 3), True, True),
):
    example('matmul', lambda draw, x=_x, y=_y: (draw(*x), draw(*y)), {'transpose_x': _tx, 'transpose_y': _ty}, NUMBERS)

for _spatial, _out, _window, _strides, _padding, _dilation in (
    ((6,), (4,), (3,), (1,), 'valid', (1,)),
    ((6,), (6,), (3,), (1,), 'causal', (2,)),
    ((5, 6), (5, 6), (1, 1), (1, 1), 'valid', (1, 1)),
    ((5, 6), (3, 3), (2, 3), (2, 2), 'same', (1, 1)),
    ((4, 5, 3), (4, 5, 3), (3, 2, 1), (1, 1, 1), 'same', (2, 1, 1)),
):
    _attrs = {'strides': _strides, 'padding': _padding, 'dilation': _dilation}
    _x, _g = (2,) + _spatial + (4,), (2,) + _out
    for _name, _kernel, _to in (
        ('conv', (4, 3), (3,)),
        ('depthwise_conv', (4, 2), (8,)),
        ('depthwise_conv', (4, 1), (4,)),
    ):
        example(_name, lambda draw, x=_x, k=_window + _kernel: (draw(*x), draw(*k)), _attrs)
        example(
            _name + '_input_grad',
            lambda draw, g=_g + _to, k=_window + _kernel: (draw(*g), draw(*k)),
            dict(_attrs, shape=_x),
            sizes=('shape',),
        )
        example(
            _name + '_kernel_grad', lambda draw, x=_x, g=_g + _to: (draw(*x), draw(*g)), dict(_attrs, window=_window)
        )
    if _padding != 'causal' and set(_dilation) == {1}:
        _attrs = {'window': _window, 'strides': _strides, 'padding': _padding}
        example('max_pool', lambda draw, x=_x: (draw(*x),), _attrs, ALL)
        example('max_pool_grad', lambda draw, x=_x, g=_g + (4,): (draw(*x), draw(*g)), _attrs)
        example('max_pool_select', lambda draw, x=_x: (draw(*x), draw(*x)), _attrs)
        example('avg_pool', lambda draw, x=_x: (draw(*x),), _attrs)
        example('avg_pool_grad', lambda draw, g=_g + (4,): (draw(*g),), dict(_attrs, shape=_x), sizes=('shape',))

for _dtype in FLOATS:
    for _shape in (), (3,), (2, 3), (0, 2):
        example(
            'random_uniform random_normal truncated_normal',
            lambda draw: (),
            {'shape': _shape, 'dtype': _dtype, 'stream': Stream(3)},
            ('float32',),
            _dtype,
            ('shape',),
        )

example('ctc_greedy', lambda draw: (draw(2, 4, 3), np.array([4, 2])), result=('int64', None))
example(
    'ctc_beam',
    lambda draw: (draw(2, 4, 3), np.array([4, 2])),
    {'beam_width': 5, 'top_paths': 2, 'merge_repeated': False},
    result=('int64', 'int64', None),
)

# sparse matrices are not arrays: their kernels have tests of their own, apart from an array that passes through
example('to_dense', lambda draw: (draw(2, 3),), dtypes=ALL)
SPARSE = {'sparse_cast', 'sparse_dot', 'sparse_concatenate', 'ctc_sparse'}
