"""Making tensors and asking about them."""

from .case import DTYPES, Topic, array, batch, constant, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add

VALUES = ['1.', '2', 'True', '[1., 2.]', '[1, 2]', '[[1., 2.], [3., 4.]]', '(1., 2.)', 'np.array([1., 2.])', 'np.array([1, 2])', 'np.array([1.5], "float32")', 'np.array([1, 2], "int32")', 'np.array([True, False])', 'np.float64(1.5)', 'np.int64(3)',
          '[]', 'np.zeros((0, 2))', 'range(3)', '[True, False]', '[1, 2.5]', '[np.float32(1), 2]', 'np.array([1], "uint8")', 'np.ones((2, 2), order="F")', 'float("nan")', '[float("inf"), 1.]']
WRONG = ['None', '"text"', '[[1.], [1., 2.]]', 'object()', '1j', '{}', '["a", "b"]', 'lambda: 1', 'np.array([None])', 'K.placeholder((2,))']
for name in ('variable', 'constant'):
    for value in VALUES:
        add(f'{name}/value', f'K.{name}({value})', f"K.{name}({value}, dtype='float64')", f"K.{name}({value}, 'int32')")
    for value in WRONG:
        add(f'{name}/wrong', f'K.{name}({value})')
    for dtype in DTYPES + ['int8', 'int16', 'uint16', 'complex64', 'float', 'int', 'x', 'string']:
        add(f'{name}/dtype', f'K.{name}([1, 0], dtype="{dtype}")', f'K.{name}(np.array([1., 0.]), "{dtype}")')
    add(f'{name}/dtype', f'K.{name}([1, 0], dtype=np.float64)', f'K.{name}([1, 0], dtype=np.dtype("int32"))', f'K.{name}([1., 0.], dtype=float)', f'K.{name}([1.5, -1.5], dtype="int32")', f'K.{name}([300], dtype="uint8")', f'K.{name}([1e10], dtype="int32")', f'K.{name}([1e10], dtype="float16")')
    add(f'{name}/name', f'K.{name}(1., name="n")', f'K.{name}(1., None, name=None)', f'K.{name}(value=1.)')
    add(f'{name}/tensor', f'K.{name}(x)', x=constant((2,)), gradient=False)
add('variable/constraint', 'K.variable(1., constraint=lambda v: v)', 'K.variable([1.], constraint=None)', 'v = K.variable(1., constraint=abs)\nv.constraint is abs')
for shape in ('(2,)', '(2, 2)', '[4]', '()', '(1, 1)', '(2, 3)', '(-1,)', '"a"', '(None,)'):
    add('constant/shape', f'K.constant(1., shape={shape})', f'K.constant([1., 2., 3., 4.], shape={shape})', f'K.constant([0, 1, 2], None, {shape})')
for arguments in ('(2, 3)', 'shape=(None, 3)', '[None, 2]', 'ndim=2', 'shape=()', 'ndim=0', '(2,), dtype="int32"', 'shape=(2,), ndim=1', '(2,), name="n"', '(None, None), 2, "float64"', 'shape=(0, 2)', '(2, 3), sparse=True', 'ndim=2, sparse=True', '', 'None', 'shape=None', '2', '(-1,)', '"a"', '(2,), dtype="x"',
                  '(2,), ndim=3', 'ndim=-1', 'shape=(2., 3)', 'np.array([2, 3])', '(np.int64(2),)', 'ndim=1.5', '(None)', '(2,), dtype="bool"', '(2,), dtype=None'):
    add('placeholder/arguments', f'p = K.placeholder({arguments})\n[K.int_shape(p), K.dtype(p), K.ndim(p), K.is_placeholder(p), K.is_sparse(p)]', f'K.placeholder({arguments}).name is not None')
ASK = ['is_tensor', 'is_variable', 'is_placeholder', 'is_sparse', 'is_symbolic', 'int_shape', 'ndim', 'dtype', 'count_params', 'shape', 'size', 'get_variable_shape', 'eval', 'to_dense', 'is_keras_tensor', 'get_value', 'batch_get_value']
for name in ASK:
    for made in (variable, constant, fed, batch, unknown, array):
        add(f'{name}/made', f'K.{name}(x)', x=made((2, 3)), gradient=False)
        add(f'{name}/made', f'K.{name}(x)', x=made(()), gradient=False)
        add(f'{name}/made', f'K.{name}(x * 2)', x=made((2,)), gradient=False)
    for value in ('1.', '[1., 2.]', '"a"', 'None', 'np.float32(1.)', 'object()', '[K.ones((2,))]', 'K.zeros((0, 2))', 'K.placeholder((2, 3), sparse=True)', 'K.update(K.variable(1.), 2.)', '(1, 2)'):
        add(f'{name}/other', f'K.{name}({value})')
    for dtype in DTYPES:
        if name in ('int_shape', 'dtype', 'eval', 'get_value', 'size'):
            add(f'{name}/dtype', f'K.{name}(x)', x=variable((2,), data_of(dtype), dtype), gradient=False)
add('attributes/x', 'x.shape == (2, 3)', 'tuple(x.shape)', 'len(x.shape)', 'x.get_shape().as_list()', 'x.shape.as_list()', 'x.shape[0]', 'int(x.shape[1])', 'x.shape.ndims', 'x.get_shape()[-1]', 'x.dtype == "float32"', 'x.name is not None', 'isinstance(x.name, str)', 'hash(x) is not None', 'x == x', 'x is x', 'x in [x]', '{x: 1}[x]',
    'x._keras_shape', 'x._uses_learning_phase', 'x.dtype.name', 'str(x.dtype)', 'x.T', 'x.ndim', 'list(x.get_shape())', x=fed((2, 3)), gradient=False)
add('attributes/unknown', 'x.get_shape().as_list()', 'x.shape[0]', 'x.get_shape()[0]', 'K.int_shape(x)[0]', 'K.shape(x)[0]', 'K.shape(x)[1:]', 'K.shape(x) * 2', 'K.cast(K.shape(x), "float32")', 'K.prod(K.shape(x))', 'K.int_shape(K.shape(x))', 'K.shape(x)[-1] * 2', x=unknown((2, 3)), gradient=False)
for name in ('zeros', 'ones'):
    for arguments in ('(2, 3)', '[2]', '()', '(2,), "float64"', '(2,), dtype="int32"', '(2,), dtype="bool"', '(2,), name="n"', 'shape=(1, 2)', '(0, 2)', '2', '(None, 2)', '(-1,)', '"a"', '(2,), dtype="x"', 'K.shape(K.variable([[1., 2.]]))', 'np.array([2, 3])', '(2., 3)', '(K.shape(K.variable([1., 2.]))[0], 2)', 'None', '(np.int32(2),)', '(2,), dtype="float16"', '(2,), dtype="uint8"'):
        add(f'{name}/arguments', f'K.{name}({arguments})', f'K.is_variable(K.{name}({arguments}))')
    for made in (variable, constant, fed, batch, unknown, array):
        for arguments in ('', ', "float64"', ', dtype="int32"', ', name="n"', ', dtype="x"'):
            add(f'{name}_like/made', f'K.{name}_like(x{arguments})', x=made((2, 2)))
    for dtype in DTYPES:
        add(f'{name}_like/dtype', f'K.{name}_like(x)', x=fed((2,), data_of(dtype), dtype))
    add(f'{name}_like/other', f'K.{name}_like([1., 2.])', f'K.{name}_like(1.)', f'K.{name}_like(None)', f'K.{name}_like("a")', f'K.{name}_like([[1.], [2., 3.]])', f'K.{name}_like(x=np.ones((1, 2)))')
for arguments in ('2', '3, "float64"', '2, dtype="int32"', '2, name="n"', 'size=1', '0', '-1', '2.', '"a"', 'None', '(2, 3)', '(2, 2)', '2, dtype="x"', 'np.int64(2)', '2, "bool"', '[2, 3]', 'True'):
    add('eye/arguments', f'K.eye({arguments})', f'K.is_variable(K.eye({arguments}))')
for arguments in ('4', '1, 4', '0, 6, 2', '5, 0, -2', 'start=1, stop=3', '4, dtype="float32"', '0, 1, .25', '0., 3.', '-1.5, 2', '3.', '-2', '0', '2, 2', '1, 4, 0', '1, None, 2', '"a"', 'None', '4, dtype="x"', '0, 3, dtype="int64"', '0, 4, step=2, dtype="float64"', 'np.int64(3)', 'K.constant(3, dtype="int32")', '0, K.constant(3, dtype="int32")',
                  'K.constant(-3, dtype="int32")', 'K.shape(K.ones((2, 3)))[1]', '0, 1, .5, "float32"', 'stop=3, start=0', '3, 1', 'True', '1, 3.5', '0, 5, 2.', '[1]', 'K.constant(2.)'):
    add('arange/arguments', f'K.arange({arguments})')
for dtype in DTYPES:
    for to in DTYPES:
        add(f'cast/{dtype}', f'K.cast(x, "{to}")', x=fed((4,), data_of(dtype, 'halves'), dtype))
for dtype in ('"float"', '"int"', '"x"', 'None', 'np.float64', 'np.dtype("int32")', 'float', 'int', '"int8"', '"int16"', '"uint16"', '"string"', '"double"', '"complex64"', 'dtype="float16"', 'bool'):
    for made in (fed, variable):
        add('cast/spelling', f'K.cast(x, {dtype})', x=made((2,)))
add('cast/other', 'K.cast([1, 2], "float32")', 'K.cast(1, "float32")', 'K.cast(True, "int32")', 'K.cast(None, "float32")', 'K.cast("a", "float32")', 'K.cast(np.array([1.7]), "int32")', 'K.cast(x > 0, "float32")', 'K.cast(K.cast(x, "int32"), "float32")', 'K.cast(x)', 'K.cast(x=x, dtype="float64")', x=fed((3,)))
add('cast/edges', 'K.cast(x, "float64")', 'K.cast(x, "float16")', 'K.cast(x, "bool")', x=variable((17,), 'edges'), gradient=False)
for made in (variable, fed, batch, unknown):
    add('identity/name', 'K.identity(x, name="n")', 'K.identity(x=x)', x=made((2,)))
add('identity/same', 'K.identity(x) is x', 'K.is_variable(K.identity(x))', x=variable((2,)), gradient=False)
FEEDS = ('int32', ('[2**40 + 7]', '[float("nan")]', '[1j]', '[1.7]', '["a"]', '[True]', '[2**31]', 'None', '[-1]')), ('float32', ('[1]', '["a"]', '[True]', '[1j]', 'None', '[None]', '[1e300]', '[[1.]]', '1.', '[1., 2.]', '[]')), ('bool', ('[1]', '[2]', '[.5]', '["a"]', '[0]')), ('uint8', ('[-1]', '[256]', '[1.5]'))
for dtype, values in FEEDS:
    for value in values:
        add(f'feed/{dtype}', f'p = K.placeholder((1,), dtype="{dtype}")\nK.function([p], [K.identity(p)])([{value}])', f'p = K.placeholder((None,), dtype="{dtype}")\nK.function([p], [K.identity(p)])([{value}])')
