"""Activations, losses, normalization."""

from .case import DTYPES, FLOATS, Topic, array, batch, constant, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add
MADE = (variable, batch, unknown)

for arguments in ('alpha=.1', '.2', 'max_value=1.', 'max_value=6', 'threshold=.5', 'threshold=-.5', '.1, 1., .5', 'alpha=.1, max_value=1.', 'alpha=.1, threshold=-1.',
                  'alpha=0., max_value=1., threshold=1.', 'max_value=1., threshold=2.', 'max_value=0.', 'max_value=-1.', 'alpha=-1.', 'alpha=1', 'max_value=None', 'threshold=1, max_value=2',
                  'alpha=.5, max_value=1., threshold=-1.', 'max_value=6., alpha=.3', 'threshold=-1., max_value=.5', 'alpha="a"', 'alpha=None', 'max_value="a"', 'threshold=None',
                  'alpha=np.float64(.1)', 'max_value=K.constant(1.)', 'threshold=K.constant(.5)', 'alpha=K.constant(.2)'):
    for data in ('normal', 'halves'):
        add('relu/arguments', f'K.relu(x, {arguments})', x=fed((2, 4), data))
    add('relu/edges_arguments', f'K.relu(x, {arguments})', x=variable((17,), 'edges'), gradient=False)
    add('relu/int', f'K.relu(x, {arguments})', x=variable((5,), 'integer', 'int32'))
for dtype in DTYPES:
    add(f'relu/{dtype}_arguments', 'K.relu(x, .1)', 'K.relu(x, max_value=2)', 'K.relu(x, threshold=1)', 'K.relu(x, .5, 2., 1.)', x=fed((5,), data_of(dtype), dtype))
    add(f'elu/{dtype}_arguments', 'K.elu(x, .5)', 'K.elu(x, alpha=2)', x=fed((5,), data_of(dtype), dtype))
for arguments in ('1.', 'alpha=.5', 'alpha=0.', '2', '-1.', 'alpha="a"', 'alpha=None', 'K.constant(.5)', 'np.float32(.5)'):
    for made in (fed, unknown):
        add('elu/arguments', f'K.elu(x, {arguments})', x=made((2, 4)))
    add('elu/edges_alpha', f'K.elu(x, {arguments})', x=variable((17,), 'edges'), gradient=False)
for made in MADE + (constant, array):
    for shape in ((2, 3), (2, 1, 3)):
        for axis in ('', ', 1', ', axis=-1', ', axis=0', ', axis=-2'):
            add('softmax/axis', f'K.softmax(x{axis})', x=made(shape))
add('softmax/rank', 'K.softmax(x)', 'K.softmax(x, axis=0)', x=fed((3,)))
add('softmax/rank', 'K.softmax(x)', x=variable(()))
add('softmax/errors', 'K.softmax(x, axis=2)', 'K.softmax(x, axis=-3)', 'K.softmax(x, axis=None)', 'K.softmax(x, axis=[0])', 'K.softmax(x, axis="a")', 'K.softmax(None)', x=fed((2, 3)))
for dtype in DTYPES:
    add(f'softmax/{dtype}', 'K.softmax(x)', 'K.softmax(x, axis=0)', x=variable((2, 3), data_of(dtype), dtype))
for data in ('nan', 'inf', 'large'):
    add(f'softmax/{data}', 'K.softmax(x)', 'K.softmax(x, axis=0)', x=variable((2, 3), data), gradient=False)
add('softmax/list', 'K.softmax([[1., 2.]])', 'K.softmax([1., 2.])', x=fed((2, 3)))
add('softmax/empty', 'K.softmax(x)', x=variable((0, 3)))
for name in ('sigmoid', 'tanh', 'softplus', 'softsign', 'hard_sigmoid'):
    add(f'{name}/wide', f'K.{name}(x)', x=variable((6,), [-100.0, -20.0, -2.5, 2.5, 20.0, 100.0]))
for axis in ('', ', axis=1', ', -1', ', axis=0', ', axis=[0, 1]', ', axis=None', ', axis=(1,)', ', axis=2', ', axis="a"', ', axis=[]'):
    for made in MADE + (array,):
        add('l2_normalize/axis', f'K.l2_normalize(x{axis})', x=made((2, 3)))
for dtype in DTYPES:
    add(f'l2_normalize/{dtype}', 'K.l2_normalize(x, axis=-1)', x=variable((2, 3), data_of(dtype), dtype))
add('l2_normalize/zero', 'K.l2_normalize(x, axis=1)', 'K.l2_normalize(x)', x=variable((2, 2), 'zero'))
add('l2_normalize/nan', 'K.l2_normalize(x, axis=1)', x=variable((2, 3), 'nan'), gradient=False)

for made in MADE:
    for arguments in ('', ', from_logits=True', ', True', ', False, -1', ', axis=-1', ', from_logits=True, axis=1', ', axis=0', ', from_logits=True, axis=0', ', axis=2', ', axis=-2'):
        output = 'normal' if 'rue' in arguments else 'rows'
        add('categorical_crossentropy/arguments', f'K.categorical_crossentropy(t, y{arguments})', t=made((3, 3), 'one hot'), y=made((3, 3), output))
        if 'axis=0' not in arguments:
            add('sparse_categorical_crossentropy/arguments', f'K.sparse_categorical_crossentropy(t, y{arguments})', t=made((3,), 'index', 'int32'), y=made((3, 3), output))
    add('categorical_crossentropy/rank', 'K.categorical_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, from_logits=True)', t=made((2, 2, 3), 'one hot'), y=made((2, 2, 3), 'rows'))
    add('categorical_crossentropy/soft', 'K.categorical_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, from_logits=True)', t=made((2, 3), 'rows'), y=made((2, 3), 'unit'))
    add('categorical_crossentropy/axis', 'K.categorical_crossentropy(t, y, axis=1)', 'K.categorical_crossentropy(t, y, from_logits=True, axis=1)', t=made((2, 3, 2), 'unit'), y=made((2, 3, 2), 'unit'))
    add('sparse_categorical_crossentropy/rank', 'K.sparse_categorical_crossentropy(t, y)', 'K.sparse_categorical_crossentropy(t, y, from_logits=True)', t=made((2, 2), 'index', 'int32'), y=made((2, 2, 3), 'rows'))
    add('sparse_categorical_crossentropy/rank', 'K.sparse_categorical_crossentropy(t, y)', 'K.sparse_categorical_crossentropy(t, y, from_logits=True)', t=made((3, 1), 'index', 'int32'), y=made((3, 3), 'rows'))
    add('sparse_categorical_crossentropy/rank', 'K.sparse_categorical_crossentropy(t, y)', t=made((2, 2, 1), 'index', 'int32'), y=made((2, 2, 3), 'rows'))
    add('sparse_categorical_crossentropy/axis', 'K.sparse_categorical_crossentropy(t, y, axis=1)', 'K.sparse_categorical_crossentropy(t, y, True, 1)', t=made((2, 2), 'index', 'int32'), y=made((2, 3, 2), 'unit'))
    add('sparse_categorical_crossentropy/float', 'K.sparse_categorical_crossentropy(t, y)', t=made((3,), 'index'), y=made((3, 3), 'rows'))
    for arguments in ('', ', from_logits=True', ', True', ', from_logits=False'):
        output = 'normal' if 'rue' in arguments else 'unit'
        add('binary_crossentropy/arguments', f'K.binary_crossentropy(t, y{arguments})', t=made((2, 3), 'bits'), y=made((2, 3), output))
        add('binary_crossentropy/soft', f'K.binary_crossentropy(t, y{arguments})', t=made((3,), 'unit'), y=made((3,), output))
for dtype in FLOATS:
    add(f'categorical_crossentropy/{dtype}', 'K.categorical_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, from_logits=True)', t=variable((2, 3), 'one hot', dtype), y=variable((2, 3), 'rows', dtype))
    add(f'sparse_categorical_crossentropy/{dtype}', 'K.sparse_categorical_crossentropy(t, y)', 'K.sparse_categorical_crossentropy(t, y, True)', t=variable((2,), 'index', 'int64'), y=variable((2, 3), 'rows', dtype))
    add(f'binary_crossentropy/{dtype}', 'K.binary_crossentropy(t, y)', 'K.binary_crossentropy(t, y, True)', t=variable((3,), 'bits', dtype), y=variable((3,), 'unit', dtype))
SURE = [0.0, 1.0, 1e-8, 1.0, 0.0, 0.999999]
add('binary_crossentropy/sure', 'K.binary_crossentropy(t, y)', t=variable((6,), [0, 1, 1, 0, 1, 0]), y=fed((6,), SURE))
add('categorical_crossentropy/sure', 'K.categorical_crossentropy(t, y)', t=variable((2, 3), [0, 1, 0, 1, 0, 0]), y=fed((2, 3), [0.0, 1.0, 0.0, 0.0, 0.5, 0.5]))
add('sparse_categorical_crossentropy/sure', 'K.sparse_categorical_crossentropy(t, y)', t=variable((2,), [1, 0], 'int32'), y=fed((2, 3), [0.0, 1.0, 0.0, 0.0, 0.5, 0.5]))
add('crossentropy/epsilon', 'K.set_epsilon(1e-2)\nK.binary_crossentropy(t, y)', 'K.set_epsilon(1e-2)\nK.categorical_crossentropy(t, y)', t=variable((2, 3), [0, 1, 0, 1, 0, 0]), y=fed((2, 3), [0.0, 1.0, 0.0, 0.0, 0.5, 0.5]))
for data in ('normal', 'large'):
    add('crossentropy/through', 'K.categorical_crossentropy(t, K.softmax(y))', 'K.binary_crossentropy(t, K.sigmoid(y))', 'K.categorical_crossentropy(t, K.softmax(y) * 1.)', 'K.binary_crossentropy(t, K.identity(K.sigmoid(y)))',
        'K.categorical_crossentropy(t, K.softmax(y), axis=1)', 'K.categorical_crossentropy(t, K.softmax(y, axis=0))', 'K.categorical_crossentropy(t, K.sigmoid(y))', 'K.binary_crossentropy(t, K.softmax(y))',
        'K.categorical_crossentropy(t, K.reshape(K.softmax(y), (2, 3)))', 'K.binary_crossentropy(t, K.clip(K.sigmoid(y), 0., 1.))', t=variable((2, 3), 'one hot'), y=fed((2, 3), data))
    add('crossentropy/through_sparse', 'K.sparse_categorical_crossentropy(t, K.softmax(y))', 'K.sparse_categorical_crossentropy(t, K.softmax(y) + 0.)', t=variable((2,), [0, 2], 'int32'), y=fed((2, 3), data))
add('crossentropy/through_logits', 'K.categorical_crossentropy(t, K.softmax(y), from_logits=True)', 'K.binary_crossentropy(t, K.sigmoid(y), from_logits=True)', t=variable((2, 3), 'one hot'), y=fed((2, 3)))
for made in (fed, unknown):
    add('crossentropy/errors', 'K.categorical_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, True)', 'K.binary_crossentropy(t, y)', 'K.binary_crossentropy(t, y, True)', t=made((2, 3), 'one hot'), y=made((2, 2), 'unit'))
add('crossentropy/array', 'K.categorical_crossentropy(t, y)', 'K.binary_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, True)', 'K.binary_crossentropy(t, y, True)', t=array((2, 3), 'one hot'), y=fed((2, 3), 'rows'))
add('crossentropy/int', 'K.categorical_crossentropy(t, y)', 'K.binary_crossentropy(t, y)', t=fed((2, 3), 'one hot', 'int32'), y=fed((2, 3), 'rows'))
add('crossentropy/broadcast', 'K.categorical_crossentropy(t, y)', 'K.binary_crossentropy(t, y)', t=fed((1, 3), 'one hot'), y=fed((2, 3), 'rows'))
add('crossentropy/errors', 'K.sparse_categorical_crossentropy(t, y)', t=fed((2,), [0, 7], 'int32'), y=fed((2, 3), 'rows'))
add('crossentropy/errors', 'K.sparse_categorical_crossentropy(t, y)', t=fed((3,), [0, 1, 1], 'int32'), y=fed((2, 3), 'rows'))
add('crossentropy/nan', 'K.categorical_crossentropy(t, y)', 'K.binary_crossentropy(t, y)', 'K.categorical_crossentropy(t, y, True)', 'K.binary_crossentropy(t, y, True)', t=fed((2, 3), 'one hot'), y=fed((2, 3), 'nan'), gradient=False)

for made in MADE:
    for k in ('1', '2', '3', 'k=2', '0', '4', '-1', '1.', '"a"', 'K.constant(2, dtype="int32")'):
        add('in_top_k/k', f'K.in_top_k(p, t, {k})', p=made((3, 3), 'unit'), t=made((3,), 'index', 'int32'))
add('in_top_k/ties', 'K.in_top_k(p, t, 1)', 'K.in_top_k(p, t, 2)', p=variable((3, 3), [1, 1, 0, 0, 0, 0, 2, 1, 1]), t=variable((3,), [1, 2, 2], 'int32'))
add('in_top_k/nan', 'K.in_top_k(p, t, 1)', 'K.in_top_k(p, t, 2)', p=variable((3, 3), 'nan'), t=variable((3,), [1, 2, 2], 'int32'))
add('in_top_k/outside', 'K.in_top_k(p, t, 1)', p=variable((3, 3), 'unit'), t=variable((3,), [1, 3, -1], 'int32'))
add('in_top_k/dtype', 'K.in_top_k(p, t, 1)', p=variable((3, 3), 'unit'), t=variable((3,), 'index', 'int64'))
add('in_top_k/dtype', 'K.in_top_k(p, t, 1)', p=variable((3, 3), 'unit', 'float64'), t=variable((3,), 'index', 'int32'))
add('in_top_k/dtype', 'K.in_top_k(p, t, 1)', p=variable((3, 3), 'unit'), t=variable((3,), 'index'))
add('in_top_k/list', 'K.in_top_k([[.1, .9]], [1], 1)', 'K.in_top_k(p, [0, 1, 2], 1)', 'K.in_top_k(p, [0, 1], 1)', 'K.in_top_k(p, [[0], [1], [2]], 1)', p=fed((3, 3), 'unit'))

for made in MADE:
    for shape, bias in (((2, 3), (3,)), ((2, 2, 3), (3,)), ((2, 2, 3), (2, 3)), ((1, 2, 2, 3), (3,)), ((1, 2, 2, 3), (2, 2, 3)), ((1, 1, 2, 2, 3), (3,)), ((2, 3), (2,)), ((2, 3), (1, 3)), ((3,), (3,)), ((2, 2, 3), (2, 2, 3))):
        for data_format in ('', ', data_format="channels_last"'):
            add('bias_add/last', f'K.bias_add(x, b{data_format})', x=made(shape), b=variable(bias))
    for shape, bias in (((2, 3, 2), (3,)), ((2, 3, 2), (2, 3)), ((1, 3, 2, 2), (3,)), ((1, 3, 2, 2), (2, 2, 3)), ((1, 3, 1, 2, 2), (3,)), ((2, 3), (3,))):
        add('bias_add/first', 'K.bias_add(x, b, "channels_first")', x=made(shape), b=variable(bias))
add('bias_add/errors', 'K.bias_add(x, b, "x")', 'K.bias_add(x, None)', 'K.bias_add(x, 1.)', 'K.bias_add(x, [1., 2., 3.])', 'K.bias_add(x, np.ones(3, "float32"))', x=fed((2, 3)), b=variable((3,)))

for made in MADE:
    for axes in ('[0]', '[0, 1]', '[1]'):
        add('normalize_batch_in_training/axes', f'K.normalize_batch_in_training(x, g, b, {axes})[0]', f'K.normalize_batch_in_training(x, g, b, {axes}, epsilon=.1)[1:]', x=made((3, 2)), g=variable((2,)), b=variable((2,)))
    add('normalize_batch_in_training/rank', 'K.normalize_batch_in_training(x, g, b, [0, 1])', x=made((2, 2, 2)), g=variable((2,)), b=variable((2,)))
    add('normalize_batch_in_training/rank', 'K.normalize_batch_in_training(x, g, b, [0, 1, 2])', x=made((2, 2, 1, 2)), g=variable((2,)), b=variable((2,)))
    add('normalize_batch_in_training/rank', 'K.normalize_batch_in_training(x, g, b, [0, 2, 3])', x=made((2, 2, 2, 1)), g=variable((2,)), b=variable((2,)))
    add('normalize_batch_in_training/none', 'K.normalize_batch_in_training(x, None, b, [0])', 'K.normalize_batch_in_training(x, b, None, [0])', 'K.normalize_batch_in_training(x, None, None, [0], .1)',
        'K.normalize_batch_in_training(x, None, None, reduction_axes=[-1])', x=made((3, 2)), b=variable((2,)))
    for arguments in ('', ', axis=-1', ', axis=1', ', -1, .1', ', epsilon=.01', ', axis=0'):
        add('batch_normalization/arguments', f'K.batch_normalization(x, m, v, b, g{arguments})', x=made((2, 2)), m=variable((2,)), v=variable((2,), 'positive'), b=variable((2,)), g=variable((2,)))
    add('batch_normalization/rank', 'K.batch_normalization(x, m, v, b, g)', 'K.batch_normalization(x, m, v, b, g, axis=3, epsilon=.1)', x=made((1, 2, 2, 2)), m=variable((2,)), v=variable((2,), 'positive'), b=variable((2,)), g=variable((2,)))
    add('batch_normalization/rank', 'K.batch_normalization(x, m, v, b, g, axis=1)', x=made((1, 2, 1, 3)), m=variable((1, 2, 1, 1)), v=variable((1, 2, 1, 1), 'positive'), b=variable((1, 2, 1, 1)), g=variable((1, 2, 1, 1)))
    add('batch_normalization/rank', 'K.batch_normalization(x, m, v, b, g, axis=1)', x=made((1, 2, 1, 3)), m=variable((2,)), v=variable((2,), 'positive'), b=variable((2,)), g=variable((2,)))
    add('batch_normalization/rank', 'K.batch_normalization(x, m, v, b, g, axis=1)', x=made((1, 2, 2, 2)), m=variable((2,)), v=variable((2,), 'positive'), b=variable((2,)), g=variable((2,)))
    add('batch_normalization/none', 'K.batch_normalization(x, m, v, None, None)', 'K.batch_normalization(x, m, v, m, None)', 'K.batch_normalization(x, m, v, None, m)', x=made((2, 2)), m=variable((2,)), v=variable((2,), 'positive'))
    add('batch_normalization/none', 'K.batch_normalization(x, m, v, None, None)', x=made((1, 2, 1, 2)), m=variable((2,)), v=variable((2,), 'positive'))
for dtype in FLOATS:
    add(f'batch_normalization/{dtype}', 'K.batch_normalization(x, m, v, m, m)', x=variable((2, 2), 'normal', dtype), m=variable((2,), 'normal', dtype), v=variable((2,), 'positive', dtype))
    add(f'normalize_batch_in_training/{dtype}', 'K.normalize_batch_in_training(x, m, m, [0])', x=variable((3, 2), 'normal', dtype), m=variable((2,), 'normal', dtype))

for arguments in ('0.', '0', 'level=0.', '0., seed=1', '0., (2, 1)', '0., noise_shape=(None, 1)', '1.', '1.5', '-.1', '"a"', 'None', '.5, (3, 3)', '.5, (2, 3, 1)', '.5, "a"'):
    add('dropout/level', f'K.int_shape(K.dropout(x, {arguments}))', x=fed((2, 3)))
for arguments in ('0.', '0, seed=3'):
    add('dropout/none', f'K.dropout(x, {arguments})', x=fed((2, 3)))
add('dropout/values', 'v = K.eval(K.dropout(K.ones((20, 10)), .5, seed=3))\nsorted(set(v.ravel().tolist()))', 'v = K.eval(K.dropout(K.ones((20, 10)), .2, (20, 1), seed=3))\nbool((v == v[:, :1]).all())',
    'v = K.eval(K.dropout(K.ones((20, 10)), .75, seed=3))\nsorted(set(v.ravel().tolist()))', 'v = K.eval(K.dropout(K.ones((20, 10)), .2, noise_shape=(1, 10), seed=3))\nbool((v == v[:1]).all())',
    'K.dtype(K.dropout(K.ones((2, 2), "float64"), .5))', 'K.dtype(K.dropout(K.ones((2, 2), "float16"), .5))', 'K.int_shape(K.dropout(K.ones((2, 2), "int32"), .5))')
add('dropout/unknown', 'K.int_shape(K.dropout(x, .5))', 'K.int_shape(K.dropout(x, .5, (None, 1, 3)))', x=unknown((2, 2, 3)))
