"""Sums, extremes, means and the like."""

from .case import DTYPES, FLOATS, Topic, array, batch, constant, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add

REDUCTIONS = ['max', 'min', 'sum', 'prod', 'var', 'std', 'mean', 'any', 'all', 'logsumexp']
AXES = ['', ', 0', ', axis=1', ', axis=-1', ', [0, 1]', ', axis=(0, 1)', ', axis=[0, -1]', ', axis=None']
ALONG = ['cumsum', 'cumprod', 'argmax', 'argmin']

for name in REDUCTIONS:
    data = 'bits' if name in ('any', 'all') else 'normal'
    for axis in AXES:
        add(f'{name}/axis', f'K.{name}(x{axis})', x=variable((2, 3), data))
        add(f'{name}/keepdims', f'K.{name}(x{axis}, keepdims=True)', x=fed((2, 3), data))
    add(f'{name}/axis', f'K.{name}(x, 1, True)', f'K.{name}(x, [1], False)', f'K.{name}(x=x, axis=0)', x=variable((2, 3), data))
    for axis in ('', ', 0', ', axis=-1', ', [1, 2]', ', axis=[0, 2], keepdims=True', ', -2, keepdims=True'):
        add(f'{name}/unknown', f'K.{name}(x{axis})', x=unknown((2, 2, 3), data))
        add(f'{name}/batch', f'K.{name}(x{axis})', x=batch((2, 2, 3), data))
    for dtype in DTYPES:
        add(f'{name}/{dtype}', f'K.{name}(x)', f'K.{name}(x, axis=-1)', x=variable((2, 3), data_of(dtype, data), dtype))
    add(f'{name}/empty_axes', f'K.{name}(x, axis=[])', f'K.{name}(x, axis=(), keepdims=True)', x=variable((2, 3), data))
    add(f'{name}/empty', f'K.{name}(x)', f'K.{name}(x, axis=0)', f'K.{name}(x, axis=1)', x=variable((0, 3), data))
    add(f'{name}/scalar', f'K.{name}(x)', f'K.{name}(x, axis=None, keepdims=True)', f'K.{name}(x, axis=[])', x=variable((), data))
    add(f'{name}/one', f'K.{name}(x, axis=1)', f'K.{name}(x, axis=0, keepdims=True)', x=variable((3, 1), data))
    add(f'{name}/nan', f'K.{name}(x)', f'K.{name}(x, axis=0)', x=variable((2, 3), 'nan'), gradient=False)
    add(f'{name}/inf', f'K.{name}(x, axis=1)', f'K.{name}(x, axis=0)', x=variable((2, 3), 'inf'), gradient=False)
    add(f'{name}/ties', f'K.{name}(x, axis=1)', f'K.{name}(x)', x=variable((3, 4), 'ties'))
    add(f'{name}/array', f'K.{name}(x)', f'K.{name}(x, axis=1)', x=array((2, 3), data))
    add(f'{name}/array', f'K.{name}(x, axis=0)', x=array((2, 3), data_of('int64', data), 'int64'))
    add(f'{name}/list', f'K.{name}([1., 2., 4.])', f'K.{name}([[1., 0.], [3., 5.]], axis=0)', f'K.{name}(2.)')
    add(f'{name}/list', f'K.{name}([x, y], axis=0)', x=variable((2,), data), y=fed((2,), data))
    add(f'{name}/errors', f'K.{name}(x, axis=2)', f'K.{name}(x, axis=-3)', f'K.{name}(x, axis=[0, 5])', f"K.{name}(x, axis='1')",
        f'K.{name}(x, axis=1.)', f'K.{name}(x, axis=[0, 0])', f'K.{name}(x, axis=[0, -2])', x=variable((2, 3), data))
    add(f'{name}/errors', f'K.{name}(None)', f"K.{name}('a')", f'K.{name}()', f'K.{name}([[1., 2.], [3.]])')
    add(f'{name}/errors', f'K.{name}(x, axis=3)', x=unknown((2, 3), data))
    add(f'{name}/constant', f'K.{name}(x, 1)', x=constant((2, 3), data))

for name in ALONG:
    for axis in ('', ', 0', ', axis=1', ', axis=-1', ', -2'):
        add(f'{name}/axis', f'K.{name}(x{axis})', x=variable((2, 3)))
        add(f'{name}/unknown', f'K.{name}(x{axis})', x=unknown((2, 3)))
        add(f'{name}/batch', f'K.{name}(x{axis})', x=batch((2, 2, 3)))
    for dtype in DTYPES:
        add(f'{name}/{dtype}', f'K.{name}(x)', f'K.{name}(x, axis=-1)', x=variable((2, 3), data_of(dtype), dtype))
    add(f'{name}/ties', f'K.{name}(x)', f'K.{name}(x, axis=0)', x=variable((3, 4), 'ties'))
    add(f'{name}/nan', f'K.{name}(x)', f'K.{name}(x, axis=0)', x=variable((2, 3), 'nan'), gradient=False)
    add(f'{name}/inf', f'K.{name}(x)', x=variable((2, 3), 'inf'), gradient=False)
    add(f'{name}/scalar', f'K.{name}(x)', f'K.{name}(x, axis=0)', x=variable(()))
    add(f'{name}/empty', f'K.{name}(x)', f'K.{name}(x, axis=0)', x=variable((0, 3)))
    add(f'{name}/array', f'K.{name}(x)', x=array((2, 3)))
    add(f'{name}/list', f'K.{name}([1., 3., 2.])')
    add(f'{name}/errors', f'K.{name}(x, axis=2)', f'K.{name}(x, axis=None)', f'K.{name}(x, axis=[0, 1])', f'K.{name}(x, axis=[1])',
        f"K.{name}(x, axis='a')", f'K.{name}(x, axis=1.)', x=variable((2, 3)))

for dtype in FLOATS:
    add('logsumexp/range', 'K.logsumexp(x)', 'K.logsumexp(x, axis=0)', x=variable((2, 3), 'large', dtype))
add('prod/zero', 'K.prod(x, axis=1)', x=variable((2, 3), [1.0, 0.0, 2.0, 0.0, 0.0, 3.0]))
add('std/zero', 'K.std(x, axis=1)', x=variable((2, 3), [1.0, 1.0, 1.0, 0.0, 2.0, 4.0]), gradient=False)
add('max/gradient', 'K.max(x * 2., axis=0) + K.min(x, axis=0)', x=fed((3, 2)))
