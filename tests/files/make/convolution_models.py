"""Models of convolutions, poolings and layers of images. See `writing`."""

from writing import LIBRARY, NUMBERS, K, L, backend, keras, main, model, numbers

Model, Sequential = keras.models.Model, keras.models.Sequential
NEW = NUMBERS >= (3,)
THEANO = backend() == 'theano'


def first():
    """Whether this original computes convolutions with channels first on a CPU."""
    return LIBRARY == 'keras' and not NEW


@model('conv1d')
def conv1d():
    """Convolutions over steps: causal, dilated, strided, 'same'; crops, padding, repetition, poolings."""
    x = L.Input((9, 3))
    a = L.Conv1D(4, 3, padding='causal', dilation_rate=2, activation='relu')(x)
    b = L.Conv1D(4, 2, strides=2)(x)
    c = L.Conv1D(3, 3, padding='valid', use_bias=False, activation='tanh')(x)
    outputs = [
        a,
        L.MaxPooling1D(2, strides=1)(b),
        L.AveragePooling1D(3)(c),
        L.UpSampling1D(2)(L.Cropping1D((1, 2))(c)),
        L.ZeroPadding1D((2, 1))(c),
        L.GlobalMaxPooling1D()(a),
        L.GlobalAveragePooling1D()(a),
    ]
    return Model(x, outputs), [numbers(2, 9, 3)]


@model('local', needs=lambda: not NEW)
def local():
    """Layers with a kernel of their own at each place."""
    x = L.Input((6, 5, 2))
    y = L.LocallyConnected2D(3, (3, 2), strides=(1, 2), activation='relu')(x)
    z = L.LocallyConnected1D(2, 3, strides=2)(L.Reshape((6, 10))(x))
    outputs = [y, z, L.LocallyConnected1D(2, 2, use_bias=False)(z)]
    return Model(x, outputs), [numbers(2, 6, 5, 2)]


@model('local_first', needs=lambda: first() and NUMBERS >= (2, 2))
def local_first():
    """A kernel of its own at each place, channels first."""
    x = L.Input((2, 5, 4))
    y = L.LocallyConnected2D(3, (2, 3), data_format='channels_first')(x)
    return Model(x, y), [numbers(2, 2, 5, 4)]


@model('conv2d')
def conv2d():
    """Convolutions with channels last: rectangular kernels, strides, dilations, transposed, separable, depthwise."""
    x = L.Input((7, 6, 3), name='image')
    a = L.Conv2D(4, (3, 2), strides=(2, 1), activation='relu', name='block1/conv')(x)
    b = L.Conv2D(4, 3, dilation_rate=(2, 1), name='dilated')(x)
    c = L.Conv2DTranspose(2, (2, 3), strides=(1, 2), padding='valid', use_bias=False)(a)
    outputs = [b, c]
    if not THEANO or NUMBERS >= (2, 2):
        outputs.append(L.SeparableConv2D(3, (3, 2), depth_multiplier=2, activation='elu')(x))
    if hasattr(L, 'DepthwiseConv2D'):
        outputs.append(L.DepthwiseConv2D(3, strides=2, depth_multiplier=2)(x))
    return Model(x, outputs), [numbers(2, 7, 6, 3)]


@model('same')
def same():
    """Padding 'same' with strides and with kernels of even size, which Theano pads as no other engine does."""
    x = L.Input((7, 6, 2))
    a = L.Conv2D(3, (3, 2), padding='same')(x)
    outputs = [
        L.Conv2D(2, (3, 5), strides=2, padding='same')(a),
        L.Conv2DTranspose(2, 3, strides=2, padding='same')(a),
        L.MaxPooling2D((2, 3), strides=2, padding='same')(a),
        L.AveragePooling2D(3, strides=(1, 2), padding='same')(a),
    ]
    if not THEANO:
        outputs.append(L.DepthwiseConv2D(3, strides=2, padding='same')(x))
    return Model(x, outputs), [numbers(2, 7, 6, 2)]


@model('conv2d_first', needs=first)
def conv2d_first():
    """Convolutions and all that goes with them, channels first."""
    at = {'data_format': 'channels_first'}
    x = L.Input((3, 7, 6))
    a = L.Conv2D(4, (3, 2), activation='relu', **at)(x)
    b = L.BatchNormalization(axis=1)(a)
    c = L.Conv2DTranspose(2, (2, 3), strides=(2, 1), padding='valid', **at)(b)
    d = L.MaxPooling2D(2, **at)(L.ZeroPadding2D(((1, 0), (0, 2)), **at)(c))
    e = L.UpSampling2D((1, 2), **at)(L.Cropping2D(((1, 0), (0, 1)), **at)(b))
    f = L.Dense(3)(L.Flatten(**(at if NUMBERS >= (2, 2) else {}))(d))
    g = L.AveragePooling2D((2, 3), strides=(1, 2), **at)(b)
    return Model(x, [c, e, f, g, L.GlobalAveragePooling2D(**at)(g)]), [numbers(2, 3, 7, 6)]


@model('separable_first', needs=lambda: first() and NUMBERS >= (2, 2))
def separable_first():
    """Separable and depthwise convolutions, and an activation with shared axes, channels first."""
    at = {'data_format': 'channels_first'}
    x = L.Input((2, 5, 6))
    a = L.SeparableConv2D(3, (3, 2), depth_multiplier=2, **at)(x)
    b = L.DepthwiseConv2D((2, 3), depth_multiplier=2, **at)(x)
    return Model(x, [a, L.PReLU(shared_axes=[2, 3])(b)]), [numbers(2, 2, 5, 6)]


@model('separable1d', needs=lambda: hasattr(L, 'SeparableConv1D'))
def separable1d():
    """Separable convolutions over steps."""
    x = L.Input((8, 3))
    y = L.SeparableConv1D(4, 3, depth_multiplier=2, padding='same', activation='relu')(x)
    z = L.SeparableConv1D(2, 2, strides=2, use_bias=False)(y)
    return Model(x, [y, z]), [numbers(2, 8, 3)]


@model('images')
def images():
    """Poolings, crops, padding and upsampling of images, and a squeeze and excite block."""
    x = L.Input((6, 5, 4))
    a = L.MaxPooling2D((3, 2), strides=(2, 1), padding='same')(x)
    b = L.AveragePooling2D(2, strides=1, padding='same')(x)
    c = L.UpSampling2D((2, 3))(L.Cropping2D(((1, 2), (0, 1)))(x))
    d = L.ZeroPadding2D(((1, 0), (2, 1)))(L.Cropping2D(1)(x))
    pooled = L.GlobalAveragePooling2D()(x)
    gate = L.Dense(4, activation='sigmoid')(L.Dense(2, activation='relu')(L.Reshape((1, 1, 4))(pooled)))
    outputs = [a, b, c, d, L.Multiply()([x, gate]), L.GlobalMaxPooling2D()(x)]
    if NUMBERS >= (2, 2, 3) and not THEANO:
        outputs.append(L.UpSampling2D(2, interpolation='bilinear')(x))
    outputs.append(L.SpatialDropout2D(0.5)(x))
    return Model(x, outputs), [numbers(2, 6, 5, 4)]


@model('upsampling', needs=lambda: NUMBERS >= (2, 2, 3) and not THEANO)
def upsampling():
    """Images of more pixels with means between them: of known and of open sizes, channels last and first."""
    x, y = L.Input((3, 4, 2), name='known'), L.Input((None, None, 2), name='open')
    outputs = [L.UpSampling2D(size, interpolation='bilinear')(x) for size in (2, 3, (2, 3))]
    outputs += [L.UpSampling2D(size, interpolation='bilinear')(y) for size in ((3, 1), 2)]
    first = {'data_format': 'channels_first'}
    outputs.append(L.UpSampling2D((2, 4), interpolation='bilinear', **first)(L.Permute((3, 1, 2))(x)))
    return Model([x, y], outputs + [L.UpSampling2D((3, 2))(x)]), [numbers(2, 3, 4, 2), numbers(2, 4, 3, 2, seed=4)]


@model('upsampling_archive', form='keras', needs=lambda: NUMBERS >= (2, 13))
def upsampling_archive():
    """The same in an archive."""
    return upsampling()


@model('conv3d')
def conv3d():
    """Convolutions of volumes, plain and transposed, and their poolings, crops, padding and repetition."""
    x = L.Input((4, 5, 6, 2))
    a = L.Conv3D(3, (2, 3, 2), strides=(1, 2, 1), activation='relu')(x)
    outputs = [
        L.MaxPooling3D((2, 1, 2))(a),
        L.AveragePooling3D((2, 1, 2), strides=1)(a),
        L.UpSampling3D((1, 2, 1))(L.Cropping3D(((1, 1), (1, 2), (3, 2)))(x)),
        L.ZeroPadding3D(((0, 1), (1, 0), (0, 0)))(L.Cropping3D(1)(x)),
        L.GlobalMaxPooling3D()(a),
        L.GlobalAveragePooling3D()(a),
        L.SpatialDropout3D(0.4)(a),
    ]
    if hasattr(L, 'Conv3DTranspose'):
        outputs.append(L.Conv3DTranspose(2, (2, 1, 3), strides=(2, 1, 1), padding='valid')(a))
    return Model(x, outputs), [numbers(1, 4, 5, 6, 2)]


@model('conv3d_first', needs=first)
def conv3d_first():
    """A convolution of volumes and a pooling, channels first."""
    at = {'data_format': 'channels_first'}
    x = L.Input((2, 4, 5, 3))
    a = L.Conv3D(3, (2, 3, 1), **at)(L.ZeroPadding3D((0, 1, 0), **at)(x))
    return Model(x, [a, L.MaxPooling3D((1, 2, 1), **at)(a), L.GlobalMaxPooling3D(**at)(a)]), [numbers(1, 2, 4, 5, 3)]


@model('mobilenet', needs=lambda: hasattr(L, 'DepthwiseConv2D') and hasattr(L, 'ReLU'))
def mobilenet():
    """A block of MobileNet: depthwise, normalised, bounded at 6, with a residue; dots in names."""
    x = L.Input((8, 8, 3), name='input_1')
    y = L.ZeroPadding2D(((0, 1), (0, 1)), name='conv1_pad')(x)
    y = L.Conv2D(4, 3, strides=2, use_bias=False, name='conv1')(y)
    z = L.ReLU(6.0, name='conv1_relu')(L.BatchNormalization(epsilon=1e-3, momentum=0.999, name='conv1_bn')(y))
    z = L.DepthwiseConv2D(3, padding='same', use_bias=False, name='conv_dw_1')(z)
    z = L.ReLU(6.0, name='conv_dw_1_relu')(L.BatchNormalization(name='conv_dw_1_bn')(z))
    z = L.Conv2D(4, 1, padding='same', use_bias=False, name='conv_pw_1')(z)
    z = L.GlobalAveragePooling2D()(L.Add(name='add_1')([y, z]))
    z = L.Dropout(1e-3, name='dropout')(L.Reshape((1, 1, 4), name='reshape_1')(z))
    z = L.Conv2D(3, 1, padding='same', name='conv_preds')(z)
    z = L.Activation('softmax', name='act_softmax')(z)
    return Model(x, L.Reshape((3,), name='reshape_2')(z), name='mobilenet_1.00_8'), [numbers(2, 8, 8, 3)]


if __name__ == '__main__':
    assert K is not None
    main()
