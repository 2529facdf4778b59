"""Shapes: joined, cut, turned, padded, repeated."""

from .case import DTYPES, Topic, array, batch, data_of, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add
MADE = (variable, batch, unknown)

for made in MADE:
    for axis in ('', ', 0', ', axis=1', ', axis=-1', ', -2'):
        add('concatenate/axis', f'K.concatenate([x, y]{axis})', x=made((2, 3)), y=fed((2, 3), 'integer'))
    add('concatenate/sizes', 'K.concatenate([x, y])', 'K.concatenate([y, x, y])', x=made((2, 3)), y=made((2, 1)))
    add('concatenate/sizes', 'K.concatenate([x, y], axis=0)', 'K.concatenate((x, y), axis=0)', x=made((1, 3)), y=made((2, 3)))
    for axis in ('', ', 0', ', axis=1', ', axis=-1', ', -2', ', axis=2', ', -3'):
        add('stack/axis', f'K.stack([x, y]{axis})', x=made((2, 3)), y=fed((2, 3), 'integer'))
    for shape in ('(3, 2)', '[6]', '(-1,)', '(-1, 2)', '(3, -1)', '[1, 2, 3]', '(2, 3)', '(2, 1, -1)', 'K.shape(x)', '(K.shape(x)[0], -1)',
                  'K.constant([3, 2], dtype="int32")', '(6, 1)', 'K.stack([6, 1])', '-1', '6', '()', '(4, 2)', '(-1, -1)', '(-1, 4)', '(2., 3)',
                  '(None, 3)', '(np.int64(3), 2)', 'np.array([3, 2])', '"a"', '(0, -1)'):
        add('reshape/shape', f'K.reshape(x, {shape})', x=made((2, 3)))
    for pattern in ('(2, 0, 1)', '[0, 2, 1]', '(0, 1, 2)', '(-1, 0, 1)', '(0, 1)', '(0, 1, 3)', '(0, 0, 1)', '(0, 1, 2, 3)', '"a"', 'np.array([1, 0, 2])'):
        add('permute_dimensions/pattern', f'K.permute_dimensions(x, {pattern})', x=made((1, 2, 3)))
    for rep, axis in (('2', '0'), ('2', '1'), ('1', '1'), ('3', '-1'), ('0', '0'), ('2', '2'), ('-1', '0'), ('2.', '0'), ('"a"', '0'), ('2', '"0"')):
        add('repeat_elements/axis', f'K.repeat_elements(x, {rep}, {axis})', x=made((2, 3)))
    add('repeat_elements/names', 'K.repeat_elements(x, rep=2, axis=1)', 'K.repeat_elements(x, 2, axis=-2)', x=made((2, 2, 1)))
    for n in ('2', '1', '0', 'n=3', '-1', '2.', '"a"', 'K.constant(2, dtype="int32")', 'K.shape(x)[0]', 'None', 'np.int32(2)'):
        add('repeat/n', f'K.repeat(x, {n})', x=made((2, 3)))
    for n in ('2', '(1, 2)', '[2, 1]', '(2, 2)', '1', '(0, 1)', '(2, 1, 1)', '[2]', 'K.constant([2, 1], dtype="int32")', '[K.shape(x)[0], 1]',
              'np.array([1, 2])', '-1', '2.', '"a"', '(1., 2)', 'n=(1, 1)'):
        add('tile/n', f'K.tile(x, {n})', x=made((2, 3)))
    add('tile/vector', 'K.tile(x, 2)', 'K.tile(x, [2])', 'K.tile(x, (3,))', 'K.tile(x, 0)', x=made((3,)))
    add('flatten/rank', 'K.flatten(x)', x=made((2, 3)))
    add('flatten/rank', 'K.flatten(x)', x=made((3,)))
    add('flatten/rank', 'K.flatten(x)', x=made((1, 2, 1, 3)))
    add('batch_flatten/rank', 'K.batch_flatten(x)', x=made((2, 3)))
    add('batch_flatten/rank', 'K.batch_flatten(x)', x=made((3,)))
    add('batch_flatten/rank', 'K.batch_flatten(x)', x=made((2, 2, 1, 3)))
    for axis in ('', ', 0', ', axis=1', ', -1', ', -2', ', 2', ', -3', ', 3', ', -4', ', "a"', ', 1.', ', None'):
        add('expand_dims/axis', f'K.expand_dims(x{axis})', x=made((2, 3)))
    for axis in ('0', 'axis=2', '-1', '-3', '1', '3', '-4', '"a"', 'None', '[0, 2]', '0.'):
        add('squeeze/axis', f'K.squeeze(x, {axis})', x=made((1, 3, 1)))
    for padding in ('', ', (1, 2)', ', padding=(0, 1)', ', [2, 0]', ', (0, 0)', ', (-1, 0)', ', (1,)', ', (1., 1)', ', "ab"'):
        add('temporal_padding/padding', f'K.temporal_padding(x{padding})', x=made((1, 2, 3)))
    for padding in ('', ', ((1, 0), (0, 2))', ', padding=((0, 0), (1, 1))', ', ((1, 1), (0, 1)), "channels_first"', ', data_format="channels_last"',
                    ', data_format="channels_first"', ', ((1, 1),)', ', data_format="x"', ', [[0, 1], [1, 0]]'):
        add('spatial_2d_padding/padding', f'K.spatial_2d_padding(x{padding})', x=made((1, 2, 1, 2)))
    for padding in (', ((1, 0), (0, 0), (0, 1))', ', padding=((0, 0), (1, 0), (0, 0))', ', ((0, 1), (0, 0), (0, 0)), "channels_first"',
                    ', ((1, 1), (1, 1))', ', data_format="x"'):
        add('spatial_3d_padding/padding', f'K.spatial_3d_padding(x{padding})', x=made((1, 1, 2, 1, 2)))
    for axes in ('0', '1', '-1', '[0, 1]', '(0,)', '[-2]', '[]', '2', '[0, 0]', '"a"', 'None', '-3'):
        add('reverse/axes', f'K.reverse(x, {axes})', x=made((2, 3)))
    for arguments in ('[0, 1], [2, 2]', '(1, 0), (1, -1)', '[0, 0], [-1, 2]', 'start=[0, 2], size=[2, 1]', '[0, 0], [0, 3]', '[0, 2], [2, 2]', '[0], [1]',
                      '[-1, 0], [1, 1]', 'K.constant([0, 1], dtype="int32"), [2, 1]', '[0, 1], K.shape(x) - [0, 1]', '0, 1', '[0, 0], [2.5, 1]', '"a", [1, 1]',
                      '[0, 0, 0], [1, 1, 1]', 'np.array([0, 1]), np.array([1, 1])'):
        add('slice/arguments', f'K.slice(x, {arguments})', x=made((2, 3)))
    for arguments in ('2, 2, "channels_last"', '1, 2, "channels_last"', '2, 1, "channels_first"', '2, 2, data_format="channels_last", interpolation="nearest"',
                      '2, 2, "channels_last", "bilinear"', '2, 3, "channels_first", interpolation="bilinear"', 'height_factor=1, width_factor=1, data_format="channels_last"',
                      '2., 2., "channels_last"', '1.5, 2, "channels_last"', '0, 1, "channels_last"', '-1, 1, "channels_last"', '2, 2, "x"', '2, 2, "channels_last", "cubic"',
                      '2, 2, None', '2, 2', '"a", 2, "channels_last"', 'np.int64(2), 2, "channels_last"'):
        add('resize_images/arguments', f'K.resize_images(x, {arguments})', x=made((1, 2, 2, 1)))
    for arguments in ('2, 1, 1, "channels_last"', '1, 2, 1, "channels_first"', 'depth_factor=1, height_factor=1, width_factor=2, data_format="channels_last"',
                      '1, 1, 1, "x"', '0, 1, 1, "channels_last"', '2., 1, 1, "channels_last"'):
        add('resize_volumes/arguments', f'K.resize_volumes(x, {arguments})', x=made((1, 1, 2, 1, 2)))

add('concatenate/list', 'K.concatenate([[1., 2.], [3.]])', 'K.concatenate([x, [[1., 2., 3.]]], axis=0)', 'K.concatenate([x, x, x], 1)', 'K.concatenate([x])',
    'K.concatenate(x)', 'K.concatenate(tensors=[x, x], axis=0)', x=fed((2, 3)))
add('concatenate/errors', 'K.concatenate([])', 'K.concatenate([x, x], axis=2)', 'K.concatenate([x, x], axis=-3)', 'K.concatenate([x, x], axis=None)',
    'K.concatenate([x, None])', 'K.concatenate([x, K.flatten(x)])', 'K.concatenate([x, x], axis=1.)', x=fed((2, 3)))
add('concatenate/errors', 'K.concatenate([x, y])', x=fed((2, 3)), y=fed((1, 3)))
add('concatenate/errors', 'K.concatenate([x, y])', x=unknown((2, 3)), y=unknown((1, 3)))
add('concatenate/scalar', 'K.concatenate([x, x])', 'K.concatenate([x, x], axis=0)', x=variable(()))
add('concatenate/array', 'K.concatenate([x, y])', 'K.concatenate([y, x], 0)', 'K.concatenate([y, y])', x=fed((2, 3)), y=array((2, 3)))
add('concatenate/mixed', 'K.concatenate([x, y])', x=fed((2, 2)), y=fed((2, 2), 'integer', 'int32'))
add('concatenate/mixed', 'K.concatenate([x, y])', x=fed((2, 2)), y=fed((2, 2), 'normal', 'float64'))
add('concatenate/empty', 'K.concatenate([x, y], 0)', x=fed((0, 2)), y=variable((2, 2)))
add('concatenate/unlike', 'K.concatenate([x, y])', 'K.concatenate([x, y], axis=0)', x=batch((2, 3)), y=unknown((2, 3)))
add('stack/list', 'K.stack([1., 2.])', 'K.stack([x, [1., 2., 3.]])', 'K.stack([x])', 'K.stack((x, x), 1)', 'K.stack(x)', 'K.stack(x=[x, x], axis=-1)', x=fed((3,)))
add('stack/errors', 'K.stack([])', 'K.stack([x, x], 2)', 'K.stack([x, x], -3)', 'K.stack([x, K.expand_dims(x)])', 'K.stack([x, x], axis=None)', x=fed((3,)))
add('stack/scalar', 'K.stack([x, 2.])', 'K.stack([x, x], axis=-1)', x=variable(()))
add('stack/array', 'K.stack([x, y])', x=fed((2, 2)), y=array((2, 2)))
for dtype in DTYPES:
    given = variable((2, 3), data_of(dtype), dtype)
    add(f'shape/{dtype}', 'K.concatenate([x, x])', 'K.stack([x, x], 1)', 'K.reshape(x, (3, 2))', 'K.permute_dimensions(x, (1, 0))', 'K.repeat_elements(x, 2, 0)',
        'K.repeat(x, 2)', 'K.tile(x, (1, 2))', 'K.flatten(x)', 'K.batch_flatten(x)', 'K.expand_dims(x)', 'K.reverse(x, 1)', 'K.slice(x, [0, 1], [1, 2])', 'x[0]', 'x[:, ::-1]',
        'K.squeeze(K.expand_dims(x, 0), 0)', 'K.transpose(x)', x=given)
    add(f'shape/padding_{dtype}', 'K.temporal_padding(K.expand_dims(x, 0))', 'K.resize_images(K.reshape(x, (1, 2, 3, 1)), 1, 2, "channels_last")', x=given)
EMPTY = ['K.reshape(x, (3, 0))', 'K.flatten(x)', 'K.batch_flatten(x)', 'K.expand_dims(x)', 'K.tile(x, (2, 1))', 'K.repeat(x, 2)', 'K.repeat_elements(x, 2, 1)', 'K.reverse(x, 0)',
         'K.transpose(x)', 'K.reshape(x, (-1, 3))', 'K.stack([x, x])', 'K.slice(x, [0, 1], [0, 2])', 'K.permute_dimensions(x, (1, 0))', 'K.repeat_elements(x, 2, 0)']
add('shape/empty', *EMPTY, x=variable((0, 3)))
add('shape/empty_fed', *EMPTY, x=unknown((0, 3)))
add('shape/scalar', 'K.reshape(x, (1, 1))', 'K.flatten(x)', 'K.batch_flatten(x)', 'K.expand_dims(x)', 'K.expand_dims(x, 0)', 'K.tile(x, [])', 'K.tile(x, 2)', 'K.repeat(x, 2)',
    'K.squeeze(x, 0)', 'K.reverse(x, [])', 'K.transpose(x)', 'K.permute_dimensions(x, ())', 'K.repeat_elements(x, 2, 0)', 'K.reshape(x, [])', x=variable(()))
add('shape/array', 'K.reshape(x, (3, 2))', 'K.flatten(x)', 'K.batch_flatten(x)', 'K.expand_dims(x)', 'K.tile(x, (1, 2))', 'K.repeat(x, 2)', 'K.repeat_elements(x, 2, 1)', 'K.reverse(x, 0)',
    'K.transpose(x)', 'K.permute_dimensions(x, (1, 0))', 'K.stack([x, x])', 'K.slice(x, [0, 1], [1, 2])', 'K.squeeze(x[:1], 0)', x=array((2, 3)))
add('shape/list', 'K.reshape([1., 2., 3., 4.], (2, 2))', 'K.flatten([[1., 2.]])', 'K.expand_dims([1., 2.])', 'K.tile([1., 2.], 2)', 'K.reverse([1., 2.], 0)', 'K.transpose([[1., 2.]])',
    'K.squeeze([[1.]], 0)', 'K.repeat([[1., 2.]], 2)', 'K.batch_flatten([[[1.], [2.]]])', 'K.slice([1., 2., 3.], [1], [2])')
add('repeat/rank', 'K.repeat(x, 2)', x=fed((3,)))
add('repeat/rank', 'K.repeat(x, 2)', x=fed((1, 2, 3)))
for rank in ((2, 3), (1, 2, 2, 1, 1)):
    add('padding/rank', 'K.temporal_padding(x)', 'K.spatial_2d_padding(x)', 'K.resize_images(x, 2, 2, "channels_last")', x=fed(rank))
for made in MADE:
    for classes in ('3', '2', '5', 'num_classes=4', '0', '1', '-1', '2.', '"a"', 'None', 'K.constant(3, dtype="int32")', 'np.int64(3)'):
        add('one_hot/classes', f'K.one_hot(i, {classes})', i=made((4,), 'index', 'int32'))
    add('one_hot/rank', 'K.one_hot(i, 3)', i=made((2, 2), 'index', 'int32'))
    add('one_hot/rank', 'K.one_hot(i, 3)', i=made((), 'index', 'int32'))
for dtype in DTYPES:
    add(f'one_hot/{dtype}', 'K.one_hot(i, 3)', i=variable((3,), [0, 1, 1], dtype))
add('one_hot/outside', 'K.one_hot(i, 3)', i=variable((4,), [-1, 3, 0, 99], 'int32'))
add('one_hot/list', 'K.one_hot([0, 2], 3)', 'K.one_hot(1, 3)', 'K.one_hot(np.array([1, 0]), 2)', 'K.one_hot([], 2)', 'K.one_hot([0., 1.], 2)', 'K.one_hot(True, 2)')
