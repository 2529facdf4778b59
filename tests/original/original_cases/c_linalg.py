"""Products, transposes, rows of tables."""

from .case import DTYPES, FLOATS, Topic, array, batch, constant, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add
MADE = (variable, batch, unknown)

for made in MADE:
    for one, other in (((2, 3), (3, 2)), ((2, 2, 3), (3, 2)), ((2, 3), (2, 3, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 1, 3), (1, 3, 2)), ((2, 3), (2, 3)),
                       ((1, 2, 1, 3), (3, 2)), ((), (2,)), ((2,), ())):
        add('dot/rank', 'K.dot(x, y)', x=made(one), y=variable(other))
        add('dot/rank', 'K.dot(x, y)', x=fed(one), y=made(other))
    for one, other, axes in (
        ((2, 3), (2, 3), ''), ((2, 3), (2, 3), ', axes=1'), ((2, 3), (2, 3), ', 1'), ((2, 3), (2, 3), ', (1, 1)'), ((2, 2, 3), (2, 3, 2), ''),
        ((2, 2, 3), (2, 2, 3), ', axes=2'), ((2, 2, 3), (2, 2, 3), ', axes=(1, 1)'), ((2, 2, 3), (2, 3, 2), ', axes=[2, 1]'), ((2, 2, 3), (2, 3), ''), ((2, 2, 3), (2, 3), ', axes=(2, 1)'),
        ((2, 3), (2, 3, 2), ''), ((2, 3), (2, 3, 2), ', axes=(1, 1)'), ((2, 2, 3), (2, 2, 3), ', axes=-1'), ((2, 2, 3), (2, 2, 3), ', axes=(-1, -1)'), ((2, 3), (2, 1, 2, 3), ', (1, 3)'),
        ((2, 1, 2, 3), (2, 3, 2), ''), ((2, 1, 2, 3), (2, 1, 3, 2), ''), ((2, 1, 2, 3), (2, 2, 3), ', (3, 2)'), ((1, 2, 3), (2, 3, 2), ''), ((2, 2, 3), (1, 3, 2), ''),
        ((2, 3), (2, 2), ''), ((2, 2, 3), (2, 2, 3), ''), ((2, 3), (2, 3), ', axes=0'), ((2, 3), (2, 3), ', axes=(0, 1)'), ((2, 3), (2, 3), ', axes=2'), ((2, 3), (2, 3), ', axes="a"'),
        ((2, 3), (2, 3), ', axes=(1,)'), ((2, 3), (2, 3), ', axes=(1, 1, 1)'), ((3,), (3,), ''), ((2, 3), (3,), ''), ((2, 3), (2, 3), ', axes=1.'),
    ):
        add('batch_dot/axes', f'K.batch_dot(x, y{axes})', x=made(one), y=made(other))
for dtype in DTYPES:
    add(f'dot/{dtype}', 'K.dot(x, y)', x=variable((2, 2), data_of(dtype), dtype), y=fed((2, 2), data_of(dtype), dtype))
    add(f'batch_dot/{dtype}', 'K.batch_dot(x, y)', x=variable((2, 2), data_of(dtype), dtype), y=fed((2, 2), data_of(dtype), dtype))
    add(f'transpose/{dtype}', 'K.transpose(x)', x=variable((2, 2), data_of(dtype), dtype))
    add(f'gather/{dtype}', 'K.gather(x, [1, 0])', x=variable((2, 2), data_of(dtype), dtype))
add('dot/array', 'K.dot(x, y)', 'K.dot(y, x)', 'K.dot(y, y)', x=fed((2, 2)), y=array((2, 2)))
add('dot/array', 'K.dot(x, y)', 'K.dot(y, y)', x=fed((2, 2)), y=array((2, 2), 'normal', 'float64'))
add('dot/list', 'K.dot([[1., 2.]], [[3.], [4.]])', 'K.dot(x, [[3.], [4.]])', x=fed((2, 2)))
add('dot/errors', 'K.dot(x, y)', x=fed((2, 3)), y=fed((2, 3)))
add('dot/errors', 'K.dot(x, None)', "K.dot(x, 'a')", 'K.dot(x)', 'K.dot(x, 2.)', x=fed((2, 3)))
add('dot/errors', 'K.dot(x, y)', x=unknown((2, 3)), y=unknown((2, 3)))
add('dot/mixed', 'K.dot(x, y)', x=fed((2, 2)), y=fed((2, 2), 'integer', 'int32'))
add('dot/empty', 'K.dot(x, y)', x=fed((0, 2)), y=fed((2, 2)))
add('dot/empty', 'K.dot(x, y)', x=fed((2, 0)), y=fed((0, 2)))
add('batch_dot/array', 'K.batch_dot(x, y)', 'K.batch_dot(y, x)', 'K.batch_dot(y, y)', x=fed((2, 2)), y=array((2, 2)))
add('batch_dot/empty', 'K.batch_dot(x, y)', x=unknown((0, 2)), y=unknown((0, 2)))
for made in MADE + (constant, array):
    add('transpose/rank', 'K.transpose(x)', x=made((2, 3)))
    add('transpose/rank', 'K.transpose(x)', x=made((3,)))
    add('transpose/rank', 'K.transpose(x)', x=made((1, 2, 3)))
    add('gather/made', 'K.gather(x, i)', x=made((3, 2)), i=fed((2,), 'index', 'int32'))
    add('gather/made', 'K.gather(x, i)', x=made((3, 2)), i=unknown((2, 2), 'index', 'int32'))
    add('gather/made', 'K.gather(x, i)', x=made((3,)), i=variable((2,), [2, 2], 'int64'))
    add('gather/made', 'K.gather(x, i)', x=made((3, 1, 2)), i=variable((), [1], 'int32'))
add('gather/list', 'K.gather(x, 1)', 'K.gather(x, [0, 2])', 'K.gather(x, [[0], [1]])', 'K.gather(x, np.array([1, 1]))', 'K.gather(x, (0, 1))', 'K.gather(reference=x, indices=[0])', 'K.gather(x, [])', x=fed((3, 2)))
add('gather/list', 'K.gather([1., 2., 3.], [0, 2])', 'K.gather([[1, 2], [3, 4]], 1)')
add('gather/errors', 'K.gather(x, [3])', 'K.gather(x, [-1])', 'K.gather(x, [0.])', "K.gather(x, ['a'])", 'K.gather(x, None)', 'K.gather(x, [True])', x=fed((3, 2)))
add('gather/errors', 'K.gather(x, i)', x=fed((3, 2)), i=fed((2,), [0.0, 1.0]))
add('gather/errors', 'K.gather(x, i)', x=fed((3, 2)), i=fed((2,), [0, 5], 'int32'))
add('gather/errors', 'K.gather(x, 0)', x=variable(()))
for dtype in FLOATS:
    add('gather/gradient', 'K.gather(x, [1, 1, 0]) * K.gather(x, [0, 2, 1])', x=variable((3, 2), 'normal', dtype))
