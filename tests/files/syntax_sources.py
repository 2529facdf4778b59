"""More functions of `Lambda` layers, which use what Python's syntax has."""

from lambda_sources import case

# -- imports -------------------------------------------------------------------------------------------------------
case(
    'import_backend',
    ['f 2 3'],
    """
def f(x):
    import keras.backend as K
    return K.square(x)
""",
)
case(
    'import_from_keras',
    ['f 2 3'],
    """
def f(x):
    from keras import backend as K
    return K.exp(x)
""",
)
case(
    'import_names',
    ['f 2 3'],
    """
def f(x):
    from keras.backend import square, sum as total
    return total(square(x), axis=-1)
""",
)
case(
    'import_whole',
    ['f 2 3'],
    """
def f(x):
    import keras
    return keras.backend.abs(x)
""",
)
case(
    'import_numpy',
    ['f 2 3'],
    """
def f(x):
    import numpy as np
    import math
    from math import sqrt
    return x * np.pi + math.e + sqrt(4)
""",
)
case(
    'import_of_a_file',
    ['f 2 3'],
    """
def f(x):
    import os
    return x
""",
    refused='os',
)

# -- arguments -----------------------------------------------------------------------------------------------------
case('defaults', ['f 2 3'], 'f = lambda x, a=2.0, b=(1, 2), c=None: x * a + b[1] if c is None else x')
case('given_by_keyword', ['f 2 3', {'scale': 3.0}], 'f = lambda x, scale=1.0: x * scale')
case(
    'closure',
    ['f 2 3'],
    """
def make(scale, shift):
    def f(x):
        return x * scale + shift
    return f


f = make(2.5, -1)
""",
)
case(
    'closure_of_lambdas',
    ['f 2 6'],
    """
def crop(dimension, start, end):
    return lambda x: x[:, start:end] if dimension == 1 else x[:, :, start:end]


f = crop(1, 2, 5)
""",
)
case(
    'closure_of_a_list',
    ['f 2 3'],
    """
def make(sizes, name):
    return lambda x: x * sizes[0] + len(sizes) + len(name)


f = make([3, 4], 'ab')
""",
)
case(
    'inner_function',
    ['f 2 3'],
    """
def f(x):
    def squash(v, axis=-1):
        n = K.sum(K.square(v), axis, keepdims=True)
        return v * K.sqrt(n) / (1 + n)
    return squash(x) + squash(x, axis=0)
""",
)
case(
    'inner_closure',
    ['f 2 3'],
    """
def f(x, n=3):
    factor = n * 2

    def times(v):
        return v * factor
    add = lambda v: times(v) + n
    return add(x)
""",
)
case(
    'counter',
    ['f 2 3'],
    """
def f(x):
    count = [0]

    def visit(v):
        count[0] += 1
        return v * count[0]
    return visit(x) + visit(x)
""",
)
case(
    'recursion',
    ['f 2 3'],
    """
def f(x):
    def power(v, n):
        return v if n == 1 else v * power(v, n - 1)
    return power(x, 4)
""",
)
case(
    'stars',
    ['f 2 3'],
    """
def f(x):
    def total(*tensors, **options):
        result = tensors[0] * options.get('scale', 1)
        for one in tensors[1:]:
            result = result + one
        return result
    many = [x, x, x]
    options = {'scale': 5}
    return total(*many) + total(x, *many) + total(x, scale=3) + total(*many, **options) + total(x, *many, scale=2)
""",
)
case(
    'call_with_keywords',
    ['f 2 3'],
    """
def f(x):
    options = dict(axis=1, keepdims=True)
    arguments = (x,)
    return K.sum(*arguments, **options) + K.mean(x, **options)
""",
)
case('lambda_of_star', [['f 2 3', 'f 2 3']], 'f = lambda x, *rest, **more: x[0] + x[1] + len(rest) + len(more)')
case(
    'apply_functions',
    ['f 2 3'],
    """
def f(x):
    for function in (K.abs, K.sqrt, lambda v: v + 1):
        x = function(x)
    return x
""",
)
case('conditional', ['f 2 3'], "f = lambda x, mode='mul': x * 2 if mode == 'mul' else x + 2 if mode == 'add' else x")

# -- loops and comprehensions --------------------------------------------------------------------------------------
case(
    'list_comprehension', ['f 2 6'], 'f = lambda x: K.concatenate([x[:, i:i + 2] * i for i in range(0, 6, 2)], axis=1)'
)
case(
    'nested_comprehension',
    ['f 2 3'],
    """
def f(x):
    return x * sum([i * j for i in range(3) for j in range(i) if i != j or j > 1])
""",
)
case(
    'comprehension_with_conditions',
    ['f 2 6'],
    """
def f(x):
    parts = [x[:, i] if i < 3 else -x[:, i] for i in range(6) if i % 2 == 0 if i != 4]
    return K.stack(parts, axis=1)
""",
)
case(
    'dict_comprehension',
    ['f 2 3'],
    """
def f(x):
    table = {name: i + 1 for i, name in enumerate(['a', 'b', 'c'])}
    return x * table['c'] + sum(table.values())
""",
)
case('set_comprehension', ['f 2 3'], 'f = lambda x: x * len({i % 3 for i in range(10)})')
case('generator', ['f 2 3'], 'f = lambda x: x * sum(i * i for i in range(4)) + max(i for i in (3, 1, 2))')
case(
    'generator_in_any',
    ['f 2 3'],
    """
def f(x):
    shape = K.int_shape(x)
    if any(size is None for size in shape) or not all(size > 0 for size in shape):
        return x
    return x * 2
""",
)
case(
    'comprehension_in_closure',
    ['f 2 3'],
    """
def f(x, n=3):
    return [sum([x * i for i in range(n)]) for _ in range(1)][0] + sum(n for i in range(2))
""",
)
case(
    'variable_after_comprehension',
    ['f 2 3'],
    """
def f(x):
    i = 5
    total = sum([j for j in range(4)])
    return x * i + total
""",
)
case(
    'loop',
    ['f 2 3'],
    """
def f(x):
    out = x
    for i in range(1, 4):
        out = out * x + i
    return out
""",
)
case(
    'loop_with_break',
    ['f 2 3'],
    """
def f(x):
    found = 0
    for i in range(10):
        if i % 2:
            continue
        if i > 6:
            break
        found += i
    else:
        found = 100
    return x * found
""",
)
case(
    'loop_with_else',
    ['f 2 3'],
    """
def f(x):
    for i in range(3):
        if i == 7:
            break
    else:
        x = x + 1
    return x
""",
)
case(
    'nested_loops',
    ['f 2 3'],
    """
def f(x):
    total = 0
    for i in range(3):
        for j in range(3):
            if j == 2:
                break
            if i == j:
                continue
            total += 10 * i + j
    return x + total
""",
)
case(
    'while_loop',
    ['f 2 3'],
    """
def f(x):
    n = 1
    while n < 20:
        n *= 3
        if n == 9:
            continue
    while True:
        n -= 1
        if n < 10:
            break
    return x * n
""",
)
case(
    'return_in_a_loop',
    ['f 2 3'],
    """
def f(x):
    for i in range(5):
        for j in range(5):
            if i * j == 6:
                return x * i + j
    return x
""",
)
case(
    'loop_over_pairs',
    ['f 2 3'],
    """
def f(x):
    out = 0
    for i, (a, b) in enumerate(zip([1, 2, 3], (4.0, 5.0, 6.0))):
        out = out + x[:, i:i + 1] * a - b
    return out
""",
)
case(
    'loop_over_a_dict',
    ['f 2 3'],
    """
def f(x):
    sizes = {'a': 1, 'b': 2}
    for name, size in sorted(sizes.items()):
        x = x * size + len(name)
    for name in sorted(sizes):
        x = x + sizes[name]
    return x
""",
)
case(
    'unpack',
    [['f 2 3', 'f 2 3', 'f 2 3']],
    """
def f(inputs):
    (a, b), c = inputs[:2], inputs[2]
    a, b = b, a
    a, b, c = c, a, b
    return a - b * c
""",
)
case(
    'chained_assignment',
    ['f 2 3'],
    """
def f(x):
    a = b = x * 2
    a += 1
    b -= x
    a *= b
    a /= 4.0
    a **= 2
    return a
""",
)
case(
    'element_assignment',
    ['f 2 3'],
    """
def f(x):
    shape = list(K.int_shape(x))
    shape[0] = -1
    shape[1] *= 1
    shape += [1]
    shape.append(1)
    options = {'a': 1}
    options['b'] = 2
    return K.reshape(x, tuple(shape)) * options['b']
""",
)
case(
    'del',
    ['f 2 3'],
    """
def f(x):
    y = x * 2
    del x
    return y
""",
)

# -- conditions ----------------------------------------------------------------------------------------------------
case('chained_comparison', ['f 2 3'], 'f = lambda x, n=3: x * 2 if 0 < n <= 3 < 5 else x')
case('and_or', ['f 2 3'], 'f = lambda x, a=None, b=4: x * (a or b) + (b and 3) + (a and 5 or 6) * (not a)')
case(
    'conditions',
    ['f 2 3'],
    """
def f(x, a=3, b=None):
    if a is not None and b is None and (a > 2 or a < 0) and not a == 7:
        x = x + 1
    if a in (1, 2, 3) and 'z' not in 'abc' and a not in [4]:
        x = x * 2
    elif a != 3:
        x = x * 100
    else:
        x = x * 1000
    return x
""",
)
case(
    'list_or_tensor',
    [['f 2 3', 'f 2 3']],
    """
def f(x):
    if isinstance(x, list):
        x = x[0] + x[1]
    elif isinstance(x, (tuple, dict)):
        x = x[0]
    return x if len(K.int_shape(x)) == 2 else None
""",
)
case('not_a_list', ['f 2 3'], 'f = lambda x: x[0] if isinstance(x, (list, tuple)) else x * 3')
case(
    'aliased_list',
    ['f 2 3'],
    """
def f(x):
    a = b = [1]
    a += [2, 3]
    b *= 2
    c = d = np.array([1.0, 2.0, 3.0])
    c += 1
    c -= np.array([1.0, 0.0, 1.0])
    return x * sum(a) + len(b) + K.constant(d)
""",
)
case(
    'dict_of_a_generator',
    ['f 2 3'],
    """
def f(x):
    sizes = dict((name, len(name)) for name in ('a', 'bb'))
    pairs = dict([('a', 2), ('c', 3)], d=4)
    return x * sizes['bb'] + len(pairs)
""",
)
case('type_of', [['f 2 3', 'f 2 3']], 'f = lambda x: x[1] * 2 if type(x) is list or type(x) == tuple else x')
case(
    'data_format',
    ['f 2 3 3 4'],
    """
def f(x):
    if K.image_data_format() == 'channels_first':
        axis = 1
    else:
        axis = -1
    return K.sum(x, axis=axis)
""",
)
case('backend_name', ['f 2 3'], "f = lambda x: x * 2 if K.backend() in ('theano', 'tensorflow') else x * 2.0")
case(
    'assertion',
    ['f 2 3'],
    """
def f(x):
    assert K.ndim(x) == 2
    assert len(K.int_shape(x)) == 2, 'a matrix'
    return x
""",
)
case(
    'raises',
    ['f 2 3'],
    """
def f(x):
    if K.ndim(x) != 2:
        raise ValueError('Expected 2 dimensions, got %d' % K.ndim(x))
    return x + 1
""",
)

# -- built-in functions and texts ----------------------------------------------------------------------------------
case(
    'map_and_filter',
    ['f 2 3'],
    """
def f(x):
    sizes = list(map(lambda i: i * 2, filter(lambda i: i % 2, range(6))))
    return x * sum(sizes) + len(list(zip(sizes, sizes))) + sizes[-1]
""",
)
case(
    'sorted',
    ['f 2 3'],
    """
def f(x):
    order = sorted([3, 1, 2], key=lambda v: -v)
    order2 = sorted((3, 1, 2), reverse=True)
    return x * order[0] + order2[2] + list(reversed(order))[1] + min(4, 2) + max([1, 5]) + abs(-2) + round(2.4)
""",
)
case('numbers', ['f 2 3'], "f = lambda x: x * int('3') + float(2) + int(2.9) + bool(3) + pow(2, 3) + len(str(12))")
case(
    'printing',
    ['f 2 3'],
    """
def f(x):
    print('shape:', K.int_shape(x))
    print(x)
    return x
""",
)
case(
    'texts',
    ['f 2 3'],
    """
def f(x):
    name = 'layer_%d_%s' % (3, 'a')
    other = 'size %.2f' % 1.5 + '%s' % 4
    if name == 'layer_3_a' and other.startswith('size 1.50') and name.upper()[:5] == 'LAYER':
        return x * len(name.split('_'))
    return x
""",
)
case('format', ['f 2 3'], "f = lambda x: x * len('{}_{}'.format('ab', 3))", refused='format')
case(
    'slices_as_values',
    ['f 2 6'],
    """
def f(x):
    part = slice(1, 4)
    names = ['a', 'b', 'c', 'd']
    return x[:, part] * len(names[1:]) + len(names[:-1]) - len(names[1:3]) + len(names[:])
""",
)
case(
    'tuples',
    ['f 2 3'],
    """
def f(x):
    shape = K.int_shape(x)[:-1] + (3, 1) + (1,) * 2
    return K.reshape(x, (-1,) + shape[1:])
""",
)
case(
    'docstring',
    ['f 2 3'],
    '''
def f(x):
    """Twice x.

    # Arguments
        x: tensor
    """
    # a comment
    return 2 * x
''',
)
case(
    'constants', ['f 2 3'], 'f = lambda x: x * 1e-3 + 123456789 - 0x10 + 2147483648 / 2147483648.0 - 1234567890123 * 0'
)
case(
    'numpy_arrays',
    ['f 2 3'],
    """
def f(x):
    w = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    w = w.reshape((3, 2)).astype('float32')
    return x * K.constant(w.T.reshape(2, -1)) + np.arange(3).sum() + np.mean([1.0, 3.0]) + len(w.tolist())
""",
)
case('nothing', ['f 2 3'], 'f = lambda x: None')
case(
    'generators_of_pairs',
    ['f 2 3'],
    """
def f(x):
    def pairs(n):
        for i in range(n):
            yield i, i + 1
    return x + sum(a * b for a, b in pairs(4))
""",
)
case('global_function', ['f 2 3'], 'f = lambda x: helper(x) * 2', refused='helper')
case('file', ['f 2 3'], "f = lambda x: open('x').read()", refused='open')
HANDLER = """
def f(x):
    try:
        return x * 2
    except ValueError:
        return x
"""
case('handler', ['f 2 3'], HANDLER, until=(3, 10), refused='SETUP_')
case('handler_of_newer_python', ['f 2 3'], HANDLER, since=(3, 11))
case('map_of_k', ['f 2 3'], 'f = lambda x: K.map_fn(lambda row: K.sum(row) * row, x)')
case('fold_of_k', ['f 2 3'], 'f = lambda x: K.foldl(lambda total, row: total * 2 + row, x)')
case(
    'steps_of_k',
    ['f 2 4 3'],
    """
def f(x):
    def step(row, states):
        total = states[0] * 0.5 + row
        return total, [total]
    last, outputs, states = K.rnn(step, x, [K.zeros_like(x[:, 0])])
    return outputs + K.expand_dims(last, 1)
""",
)

# -- Python 2 ------------------------------------------------------------------------------------------------------
case(
    'old_division_of_sizes',
    ['f 2 6'],
    'f = lambda x: x[:, :K.int_shape(x)[1] / 2]',
    until=(2, 7),
    python2='f = lambda x: x[:, :3]',
)
case(
    'old_division_of_tensors',
    ['f 2 6'],
    'f = lambda x: x * K.cast(K.shape(x)[1] / 4, K.floatx()) + x / 2',
    until=(2, 7),
    python2='f = lambda x: x * 1.5',
)
case(
    'unpacked_argument',
    [['f 2 3', 'f 2 3']],
    'f = lambda (a, b): a - b',
    until=(2, 7),
    python2='f = lambda x: x[0] - x[1]',
)
case(
    'print_statement',
    ['f 2 3'],
    """
def f(x):
    print 'shape', K.int_shape(x)
    print
    return x
""",
    until=(2, 7),
    python2='f = lambda x: x',
)
case(
    'old_names',
    ['f 2 3'],
    """
def f(x):
    if isinstance('a', basestring) and isinstance(u'a', unicode) and isinstance(3L, long) and 1 <> 2:
        x = x * sum([i for i in xrange(4)]) + reduce(lambda a, b: a * b, [1, 2, 3])
    options = {'a': 1}
    for name, value in options.iteritems():
        x = x + value
    return x + len(map(lambda i: i, [1, 2])) + zip([1], [2])[0][1] + options.has_key('a')
""",
    until=(2, 7),
    python2='f = lambda x: x * 6 + 6 + 1 + 2 + 2 + 1',
)
case(
    'lists_of_python_2',
    ['f 2 3'],
    """
def f(x):
    sizes = range(3) + [7] + filter(lambda i: i > 1, [1, 2, 3]) + map(abs, [-1])
    return x * sizes[-1] + sum(sizes) + round(2.5) / 2
""",
    until=(2, 7),
    python2='f = lambda x: x + 17.5',
)
case('xrange', ['f 2 3'], 'f = lambda x: sum([x * i for i in xrange(3)])', until=(2, 7), python2='f = lambda x: x * 3')
case(
    'leaking_variable',
    ['f 2 3'],
    """
def f(x):
    parts = [x * i for i in range(4)]
    return parts[1] + i
""",
    until=(2, 7),
    python2='f = lambda x: x + 3',
)

# -- newer Pythons -------------------------------------------------------------------------------------------------
case('matmul', [['f 2 3', 'f 3 4']], 'f = lambda x: x[0] @ x[1]', since=(3, 5))
case(
    'unpack_rest',
    ['f 2 3'],
    """
def f(x):
    first, *middle, last = [1, 2, 3, 4]
    *most, end = (1, 2)
    return x * first + sum(middle) * last + len(most) * end
""",
    since=(3, 0),
)
case(
    'joined_stars',
    ['f 2 3'],
    """
def f(x):
    a, b = [1, 2], (3,)
    merged = {**{'k': 1}, **{'m': 2}}
    total = lambda *v, **w: sum(v) + sum(w.values())
    return x * len([*a, *b, 4]) + len((*a, 5)) + len({*a, *b}) + total(*a, *b, **merged, z=3) + merged['m']
""",
    since=(3, 5),
)
case(
    'keyword_only',
    ['f 2 3', {'scale': 2.0, 'shift': 1}],
    """
def f(x, *, scale, shift):
    def inner(v, *, by):
        return v * by + shift
    return inner(x, by=scale)
""",
    since=(3, 0),
)
case(
    'annotations',
    ['f 2 3'],
    """
def f(x: 'tensor', scale: float = 2.0) -> 'tensor':
    def inner(v: int, w: str = 'a') -> int:
        return v * scale
    y: float = inner(x)
    return y
""",
    since=(3, 6),
)
case(
    'nonlocal',
    ['f 2 3'],
    """
def f(x):
    count = 0

    def visit():
        nonlocal count
        count += 1
        return count
    visit()
    return x * visit() + count
""",
    since=(3, 0),
)
case(
    'f_string',
    ['f 2 3'],
    """
def f(x):
    n = 3
    name = f'layer_{n}_{"a"}{n!s}'
    return x * len(name)
""",
    since=(3, 6),
)
case(
    'walrus',
    ['f 2 3'],
    """
def f(x):
    if (n := len(K.int_shape(x))) > 1:
        return x * n + sum([(m := i) for i in range(3)]) + m
    return x
""",
    since=(3, 8),
    native='f = lambda x: x * 2 + 5',
)
case(
    'positional_only',
    ['f 2 3'],
    """
def f(x, a=2, /, b=3):
    return x * a + b
""",
    since=(3, 8),
    native='f = lambda x: x * 2 + 3',
)
