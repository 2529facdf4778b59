"""Convolutions and pooling."""

from .case import FLOATS, Topic, array, batch, fed, unknown, variable

TOPIC = Topic()
add = TOPIC.add


def made(shape, free, data='normal', dtype='float32'):
    """Inputs of a shape: `free` is how many of its last axes are a kernel's or channels."""
    return [variable(shape, data, dtype), batch(shape, data, dtype), unknown(shape, data, dtype)]


def first(shape):
    """A shape with its channels in front."""
    return shape[:1] + shape[-1:] + shape[1:-1]


ONE = ['', ', strides=2', ', 1, "same"', ', padding="same"', ', padding="causal"', ', 2, "same"', ', dilation_rate=2', ', strides=2, padding="causal"', ', dilation_rate=2, padding="causal"', ', padding="same", dilation_rate=2',
       ', strides=(2,)', ', strides=2, dilation_rate=2', ', padding="full"', ', strides=0', ', padding="x"', ', data_format="x"', ', strides="a"', ', dilation_rate=0', ', strides=-1']
for arguments in ONE:
    for x in made((1, 5, 2), 1):
        add('conv1d/arguments', f'K.conv1d(x, k{arguments})', x=x, k=variable((2, 2, 2)))
    add('conv1d/first', f'K.conv1d(x, k{arguments}, data_format="channels_first")' if 'data_format' not in arguments else 'K.conv1d(x, k, data_format="channels_first")', x=fed((1, 2, 5)), k=variable((2, 2, 2)))
    if 'causal' not in arguments:
        for x in made((1, 5, 2), 1):
            add('separable_conv1d/arguments', f'K.separable_conv1d(x, d, p{arguments})', x=x, d=variable((2, 2, 1)), p=variable((1, 2, 2)))
        add('separable_conv1d/first', f'K.separable_conv1d(x, d, p{arguments}, data_format="channels_first")' if 'data_format' not in arguments else 'K.separable_conv1d(x, d, p, data_format="channels_first")', x=fed((1, 2, 5)), d=variable((2, 2, 2)), p=variable((1, 4, 1)))

TWO = ['', ', strides=(2, 2)', ', (1, 1), "same"', ', padding="same"', ', (2, 2), "same"', ', strides=(1, 2)', ', dilation_rate=(2, 2)', ', dilation_rate=(1, 2), padding="same"', ', strides=(2, 2), dilation_rate=(2, 2)',
       ', strides=2', ', padding="full"', ', padding="causal"', ', data_format="x"', ', strides=(0, 1)', ', strides="a"', ', strides=(1, 1, 1)', ', dilation_rate=2', ', strides=[2, 1]', ', dilation_rate=(0, 1)', ', padding="SAME"']
for arguments in TWO:
    plain = 'data_format' not in arguments
    for x in made((1, 4, 3, 1), 1):
        add('conv2d/arguments', f'K.conv2d(x, k{arguments})', x=x, k=variable((2, 2, 1, 2)))
        add('depthwise_conv2d/arguments', f'K.depthwise_conv2d(x, k{arguments})', x=x, k=variable((2, 2, 1, 2)))
        add('separable_conv2d/arguments', f'K.separable_conv2d(x, d, p{arguments})', x=x, d=variable((2, 2, 1, 2)), p=variable((1, 1, 2, 1)))
    if plain:
        add('conv2d/first', f'K.conv2d(x, k{arguments}, data_format="channels_first")', x=fed((1, 2, 4, 3)), k=variable((2, 2, 2, 2)))
        add('depthwise_conv2d/first', f'K.depthwise_conv2d(x, k{arguments}, data_format="channels_first")', x=fed((1, 2, 4, 3)), k=variable((2, 2, 2, 1)))
        add('separable_conv2d/first', f'K.separable_conv2d(x, d, p{arguments}, data_format="channels_first")', x=fed((1, 2, 4, 3)), d=variable((2, 2, 2, 1)), p=variable((1, 1, 2, 1)))
THREE = ['', ', strides=(1, 2, 1)', ', (1, 1, 1), "same"', ', padding="same"', ', (2, 2, 2), "same"', ', dilation_rate=(1, 2, 1)', ', strides=2', ', padding="causal"', ', data_format="x"', ', strides=(1, 1)',
         ', dilation_rate=(1, 2, 1), padding="same"', ', strides=(1, 2, 1), dilation_rate=(2, 1, 1)']
for arguments in THREE:
    for x in made((1, 2, 3, 2, 1), 1):
        add('conv3d/arguments', f'K.conv3d(x, k{arguments})', x=x, k=variable((1, 2, 2, 1, 1)))
    if 'data_format' not in arguments:
        add('conv3d/first', f'K.conv3d(x, k{arguments}, data_format="channels_first")', x=fed((1, 2, 2, 3, 1)), k=variable((1, 2, 1, 2, 1)))
for x in made((1, 2, 2, 1), 1):
    for arguments in ('(1, 3, 3, 2)', '(1, 4, 4, 2), (2, 2)', '(1, 4, 4, 2), strides=(2, 2), padding="same"', '(1, 3, 3, 2), (2, 2), "same"', '(1, 2, 2, 2), padding="same"', '(1, 5, 5, 2), (2, 2)', '(None, 3, 3, 2)', '[1, 3, 3, 2]',
                      '(K.shape(x)[0], 3, 3, 2)', 'K.stack([K.shape(x)[0], 3, 3, 2])', '(1, 3, 3, 2), dilation_rate=(2, 2)', '(1, 4, 4, 2), dilation_rate=(2, 2)', '(1, 9, 9, 2)', '(3, 3)', '(1, 3, 3, 2), data_format="x"', '(1, 3, 3, 2), padding="causal"',
                      '(1, None, None, 2)'):
        add('conv2d_transpose/arguments', f'K.conv2d_transpose(x, k, {arguments})', x=x, k=variable((2, 2, 2, 1)))
for arguments in ('(1, 2, 3, 3)', '(1, 2, 4, 4), (2, 2)', '(1, 2, 4, 4), strides=(2, 2), padding="same"', '(None, 2, 3, 3)'):
    add('conv2d_transpose/first', f'K.conv2d_transpose(x, k, {arguments}, data_format="channels_first")', x=fed((1, 1, 2, 2)), k=variable((2, 2, 2, 1)))
for x in made((1, 1, 2, 2, 1), 1):
    for arguments in ('(1, 1, 3, 3, 1)', '(1, 1, 4, 4, 1), (1, 2, 2)', '(1, 1, 4, 4, 1), strides=(1, 2, 2), padding="same"', '(None, 1, 3, 3, 1)', '(1, 1, 9, 9, 1)', '(1, 1, 3, 3, 1), padding="causal"', '(K.shape(x)[0], 1, 3, 3, 1)'):
        add('conv3d_transpose/arguments', f'K.conv3d_transpose(x, k, {arguments})', x=x, k=variable((1, 2, 2, 1, 1)))
add('conv3d_transpose/first', 'K.conv3d_transpose(x, k, (1, 1, 1, 3, 3), data_format="channels_first")', 'K.conv3d_transpose(x, k, (1, 1, 1, 4, 4), (1, 2, 2), "same", "channels_first")', x=fed((1, 1, 1, 2, 2)), k=variable((1, 2, 2, 1, 1)))
POOL2 = ['(2, 2)', '(2, 2), (2, 2)', '(2, 2), padding="same"', '(2, 2), strides=(2, 1), padding="same"', '(1, 2)', '(3, 3), (1, 1), "same"', '(2, 2), (1, 1), "valid", "channels_last", "avg"', '(2, 2), pool_mode="avg", padding="same"',
         '(2, 2), strides=(2, 2), pool_mode="avg", padding="same"', '(2, 2), pool_mode="max"', '(9, 9)', '(9, 9), padding="same"', '(9, 9), padding="same", pool_mode="avg"', '2', '(2, 2), padding="full"', '(2, 2), pool_mode="sum"', '(2, 2), data_format="x"',
         '(0, 1)', '(2, 2, 2)', '"a"', '(2, 2), (0, 1)', '(2, 2), strides=2', '[2, 2]', '(2, 2), padding="causal"']
for arguments in POOL2:
    for x in made((1, 4, 3, 1), 1):
        add('pool2d/arguments', f'K.pool2d(x, {arguments})', x=x)
    if 'data_format' not in arguments and 'channels' not in arguments:
        add('pool2d/first', f'K.pool2d(x, {arguments}, data_format="channels_first")', x=fed((1, 2, 3, 2)))
POOL3 = ['(1, 2, 2)', '(2, 2, 1), (2, 1, 1)', '(1, 2, 2), padding="same"', '(1, 2, 2), pool_mode="avg"', '(2, 2, 2), (2, 2, 2), "same", pool_mode="avg"', '(2, 2)', '(1, 2, 2), pool_mode="x"', '(1, 2, 2), padding="causal"', '(1, 2, 2), data_format="x"']
for arguments in POOL3:
    for x in made((1, 2, 3, 2, 1), 1):
        add('pool3d/arguments', f'K.pool3d(x, {arguments})', x=x)
    if 'data_format' not in arguments:
        add('pool3d/first', f'K.pool3d(x, {arguments}, data_format="channels_first")', x=fed((1, 1, 2, 3, 2)))
for x in [variable((1, 4, 2)), fed((1, 4, 2)), batch((2, 4, 2))]:
    for arguments in ('(2,), (1,)', 'kernel_size=(2,), strides=(1,)', '[2], [1]', '(2,), (1,), "channels_last"', '2, 1', '(2,), (1,), "x"', '(3,), (1,)'):
        add('local_conv1d/arguments', f'K.local_conv1d(x, k, {arguments})', x=x, k=variable((3, 4, 2)))
    add('local_conv1d/strides', 'K.local_conv1d(x, k, (2,), (2,))', x=x, k=variable((2, 4, 1)))
add('local_conv1d/first', 'K.local_conv1d(x, k, (2,), (1,), "channels_first")', x=fed((1, 2, 4)), k=variable((3, 4, 2)))
for x in [variable((1, 3, 3, 1)), fed((1, 3, 3, 1)), batch((2, 3, 3, 1))]:
    for arguments in ('(2, 2), (1, 1), (2, 2)', 'kernel_size=(2, 2), strides=(1, 1), output_shape=(2, 2)', '(2, 2), (1, 1), (2, 2), "channels_last"', '(2, 2), (1, 1), (2, 2), data_format="x"', '(2, 2), (1, 1), (3, 3)', '2, 1, 2'):
        add('local_conv2d/arguments', f'K.local_conv2d(x, k, {arguments})', x=x, k=variable((4, 4, 2)))
add('local_conv2d/first', 'K.local_conv2d(x, k, (2, 2), (1, 1), (2, 2), "channels_first")', x=fed((1, 1, 3, 3)), k=variable((4, 4, 2)))
for dtype in FLOATS:
    x, k = variable((1, 3, 3, 1), 'normal', dtype), variable((2, 2, 1, 1), 'normal', dtype)
    add(f'conv2d/{dtype}', 'K.conv2d(x, k)', 'K.conv2d(x, k, padding="same")', 'K.depthwise_conv2d(x, k)', x=x, k=k)
    add(f'pool2d/{dtype}', 'K.pool2d(x, (2, 2))', 'K.pool2d(x, (2, 2), pool_mode="avg")', x=x)
    add(f'conv1d/{dtype}', 'K.conv1d(x, k)', x=variable((1, 4, 1), 'normal', dtype), k=variable((2, 1, 1), 'normal', dtype))
add('conv2d/array', 'K.conv2d(x, k)', x=array((1, 3, 3, 1)), k=variable((2, 2, 1, 1)))
add('conv2d/array', 'K.conv2d(x, k)', x=fed((1, 3, 3, 1)), k=array((2, 2, 1, 1)))
add('conv2d/array', 'K.conv2d(x, k)', x=array((1, 3, 3, 1), 'normal', 'float64'), k=array((2, 2, 1, 1), 'normal', 'float64'))
add('conv2d/empty', 'K.conv2d(x, k)', 'K.pool2d(x, (2, 2))', x=variable((0, 3, 3, 1)), k=variable((2, 2, 1, 1)))
add('conv2d/empty', 'K.conv2d(x, k)', 'K.pool2d(x, (2, 2))', x=unknown((0, 3, 3, 1)), k=variable((2, 2, 1, 1)))
add('conv2d/small', 'K.conv2d(x, k)', 'K.conv2d(x, k, padding="same")', x=variable((1, 1, 1, 1)), k=variable((2, 2, 1, 1)))
# The gradient of the kernel is what lay in the memory.
add('conv2d/small', 'K.conv2d(x, k)', x=unknown((1, 1, 1, 1)), k=variable((2, 2, 1, 1)), gradient=False)
add('conv2d/small', 'K.conv2d(x, k, padding="same")', x=unknown((1, 1, 1, 1)), k=variable((2, 2, 1, 1)))
add('conv2d/kernel', 'K.conv2d(x, k)', x=unknown((1, 3, 3, 1)), k=unknown((2, 2, 1, 2)))
add('conv2d/kernel', 'K.conv2d(x, k, padding="same")', x=fed((1, 3, 3, 1)), k=unknown((2, 2, 1, 2)))
add('conv1d/kernel', 'K.conv1d(x, k)', x=fed((1, 4, 1)), k=unknown((2, 1, 2)))
add('conv2d/rank', 'K.conv2d(x, k)', 'K.pool2d(x, (2, 2))', x=variable((3, 3, 1)), k=variable((2, 2, 1, 1)))
add('conv2d/rank', 'K.conv2d(x, k)', x=variable((1, 3, 3, 1)), k=variable((2, 1, 1)))
add('conv2d/int', 'K.conv2d(x, k)', 'K.pool2d(x, (2, 2))', x=variable((1, 3, 3, 1), 'integer', 'int32'), k=variable((2, 2, 1, 1), 'integer', 'int32'))
add('pool2d/ties', 'K.pool2d(x, (2, 2))', 'K.pool2d(x, (2, 2), (2, 2))', x=variable((1, 4, 4, 1), 'ties'))
add('pool2d/nan', 'K.pool2d(x, (2, 2), (2, 2))', 'K.pool2d(x, (2, 2), (2, 2), pool_mode="avg")', x=variable((1, 4, 4, 1), 'nan'), gradient=False)
add('pool2d/inf', 'K.pool2d(x, (2, 2), (2, 2))', 'K.pool2d(x, (2, 2), padding="same")', x=variable((1, 3, 3, 1), 'inf'), gradient=False)
